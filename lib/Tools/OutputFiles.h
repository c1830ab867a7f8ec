//===- OutputFiles.h - Files that appear together --------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_TOOLS_OUTPUTFILES_H
#define SEQUIN_LIB_TOOLS_OUTPUTFILES_H

#include "sequin/Support/NpyFile.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace sequin::tools {

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

#endif // SEQUIN_LIB_TOOLS_OUTPUTFILES_H
