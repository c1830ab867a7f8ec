//===- NpyFile.h - NumPy .npy files -----------------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads and writes the .npy format, versions 1 to 3 (NumPy Enhancement Proposal
// 1; no packaged C++ library reads it). Little-endian and native-byte dtypes,
// C and Fortran order (returned in C order).
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_SUPPORT_NPYFILE_H
#define SEQUIN_SUPPORT_NPYFILE_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace sequin {

/// An array as stored: dtype without byte order ("f4", "i4", "u2", "i1", ...).
struct NpyArray {
  std::string dtype;
  llvm::SmallVector<int64_t, 4> shape;
  std::vector<uint8_t> data; ///< row-major, little-endian

  int64_t elementCount() const;
  unsigned elementBytes() const;
};

/// The dtype that NumPy spells `descr` ("<f4"), without its byte order.
llvm::Expected<std::string> parseNpyDtype(llvm::StringRef descr);

/// Errors name the file, what was found and what is allowed.
llvm::Expected<NpyArray> readNpy(llvm::StringRef path);
/// Whole or not at all, see OutputFile.h.
llvm::Error writeNpy(llvm::StringRef path, const NpyArray &array);
void writeNpy(llvm::raw_ostream &os, const NpyArray &array);

} // namespace sequin

#endif // SEQUIN_SUPPORT_NPYFILE_H
