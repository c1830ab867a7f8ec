//===- RunArrays.h - Arrays between .npy files and programs -----*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_TOOLS_RUNARRAYS_H
#define SEQUIN_LIB_TOOLS_RUNARRAYS_H

#include "sequin/Config/Config.h"
#include "sequin/Sim/Simulator.h"
#include "sequin/Support/NpyFile.h"

namespace sequin::tools {

/// The file's array as `argument` wants it: numbers are rounded to the nearest
/// value of its type, ties to even; uint16 for bf16 and uint8 for f8 are the
/// elements' bits. Errors name the file.
llvm::Expected<sim::HostArray> readInput(llvm::StringRef path,
                                         const config::Argument &argument);

/// A result as a NumPy array of the given shape: floats as float32, or as they
/// are if `raw` (bf16 as uint16, f8 as uint8); integers in their width, i4 as
/// int8.
NpyArray toNpy(const sim::HostArray &array, llvm::ArrayRef<int64_t> shape,
               bool raw);

/// "[512, 2048]".
std::string shapeText(llvm::ArrayRef<int64_t> shape);

/// Files of one run. They are written beside their final names and get those
/// all together at the end, when devices and pipes are written too.
class OutputFiles {
public:
  OutputFiles() = default;
  OutputFiles(const OutputFiles &) = delete;
  OutputFiles &operator=(const OutputFiles &) = delete;
  /// Removes what was not committed.
  ~OutputFiles();

  llvm::Error addArray(llvm::StringRef path, const NpyArray &array);
  llvm::Error addText(llvm::StringRef path, llvm::StringRef text);
  llvm::Error commit();

private:
  using Write = llvm::function_ref<void(llvm::raw_ostream &)>;
  llvm::Error add(llvm::StringRef path, Write write);

  struct Staged {
    std::string temporary, path;
  };
  struct InPlace {
    std::string path, bytes;
  };
  std::vector<Staged> staged;
  std::vector<InPlace> inPlace;
};

} // namespace sequin::tools

#endif // SEQUIN_LIB_TOOLS_RUNARRAYS_H
