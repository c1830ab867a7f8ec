//===- OutputFiles.cpp - Files that appear together -----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OutputFiles.h"
#include "sequin/Support/OutputFile.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace sequin;
using namespace sequin::tools;
using llvm::StringRef;
using llvm::Twine;

static llvm::Error cannotWrite(StringRef path, const Twine &why) {
  return llvm::createStringError("cannot write '" + path + "': " + why);
}

llvm::Error OutputFiles::addArray(StringRef path, const NpyArray &array) {
  return add(path, [&](llvm::raw_ostream &os) { writeNpy(os, array); });
}

llvm::Error OutputFiles::addText(StringRef path, StringRef text) {
  return add(path, [&](llvm::raw_ostream &os) { os << text; });
}

llvm::Error OutputFiles::add(StringRef path, Write write) {
  llvm::Expected<OutputPlace> place = findOutputPlace(path);
  if (!place)
    return cannotWrite(path, llvm::toString(place.takeError()));
  if (place->inPlace) {
    std::string bytes;
    llvm::raw_string_ostream os(bytes);
    write(os);
    inPlace.push_back({path.str(), std::move(bytes)});
    return llvm::Error::success();
  }
  llvm::SmallString<128> temporary;
  llvm::sys::fs::createUniquePath(place->path + ".tmp-%%%%%%%%", temporary,
                                  /*MakeAbsolute=*/false);
  std::error_code code;
  llvm::raw_fd_ostream os(temporary, code);
  if (!code) {
    staged.push_back({std::string(temporary), place->path});
    write(os);
    os.close();
    code = os.error();
  }
  if (!code)
    return llvm::Error::success();
  os.clear_error();
  return cannotWrite(path, code.message());
}

llvm::Error OutputFiles::commit() {
  for (const InPlace &file : inPlace)
    if (llvm::Error error =
            writeOutput(file.path, [&](llvm::raw_ostream &os) -> llvm::Error {
              os << file.bytes;
              return llvm::Error::success();
            }))
      return error;
  inPlace.clear();
  while (!staged.empty()) {
    Staged file = staged.front();
    if (std::error_code code = llvm::sys::fs::rename(file.temporary, file.path))
      return cannotWrite(file.path, code.message());
    staged.erase(staged.begin());
  }
  return llvm::Error::success();
}

OutputFiles::~OutputFiles() {
  for (const Staged &file : staged)
    llvm::sys::fs::remove(file.temporary);
}
