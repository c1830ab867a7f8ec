//===- OutputFile.h - Writing files whole or not at all ---------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A regular or new file is written beside its final name and renamed, so that
// it is there whole or not at all. A rename would also replace what is not a
// regular file: symbolic links are therefore followed first, and devices, pipes
// and sockets are opened and written as they are.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_SUPPORT_OUTPUTFILE_H
#define SEQUIN_SUPPORT_OUTPUTFILE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace sequin {

/// Where an output ends up.
struct OutputPlace {
  /// The name itself, or what the symbolic links at its end lead to; "-" is
  /// standard output.
  std::string path;
  /// Opened and written, not replaced: a device, a pipe, a socket, "-".
  bool inPlace = false;
  /// Takes whatever is written without keeping it: a character device.
  bool keepsNothing = false;

  /// Equal for two places that are the same file.
  std::string identity() const;
};

/// Fails for a directory and for links that lead in a circle. The error does
/// not name the path.
llvm::Expected<OutputPlace> findOutputPlace(llvm::StringRef path);

/// Calls `write` for the file `path`. Errors name the path.
llvm::Error
writeOutput(llvm::StringRef path,
            llvm::function_ref<llvm::Error(llvm::raw_ostream &)> write);

} // namespace sequin

#endif // SEQUIN_SUPPORT_OUTPUTFILE_H
