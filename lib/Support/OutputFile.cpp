//===- OutputFile.cpp - Writing files whole or not at all -----------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Support/OutputFile.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <filesystem>

using namespace sequin;
using llvm::StringRef;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

/// As many links as Linux follows.
static constexpr int kMostLinks = 40;

llvm::Expected<OutputPlace> sequin::findOutputPlace(StringRef name) {
  OutputPlace place{name.str()};
  if (name == "-") {
    place.inPlace = true;
    return place;
  }
  // By hand, because the file that the last link names need not exist.
  for (int links = 0;; ++links) {
    fs::file_status status;
    if (fs::status(place.path, status, /*Follow=*/false))
      return place; // new, or its folder is missing: opening it will tell
    if (status.type() == fs::file_type::symlink_file) {
      if (links == kMostLinks)
        return llvm::createStringError("too many symbolic links");
      std::error_code code;
      std::string target =
          std::filesystem::read_symlink(place.path, code).string();
      if (code)
        return llvm::createStringError(code.message());
      if (!path::is_absolute(target)) {
        llvm::SmallString<128> absolute(path::parent_path(place.path));
        path::append(absolute, target);
        target = std::string(absolute);
      }
      place.path = std::move(target);
      continue;
    }
    if (status.type() == fs::file_type::directory_file)
      return llvm::createStringError("is a directory");
    place.inPlace = status.type() != fs::file_type::regular_file;
    place.keepsNothing = status.type() == fs::file_type::character_file;
    return place;
  }
}

std::string OutputPlace::identity() const {
  if (path == "-")
    return path;
  // Of the folder, because the file itself need not exist.
  StringRef folder = path::parent_path(path);
  llvm::SmallString<128> real;
  if (fs::real_path(folder.empty() ? "." : folder, real)) {
    real = folder;
    (void)fs::make_absolute(real);
    path::remove_dots(real, /*remove_dot_dot=*/true);
  }
  path::append(real, path::filename(path));
  return std::string(real);
}

static llvm::Error
writePlace(const OutputPlace &place,
           llvm::function_ref<llvm::Error(llvm::raw_ostream &)> write) {
  if (!place.inPlace || place.path == "-")
    return llvm::writeToOutput(place.path, write);
  std::error_code code;
  llvm::raw_fd_ostream os(place.path, code, fs::CD_OpenExisting, fs::FA_Write,
                          fs::OF_None);
  if (code)
    return llvm::createStringError(code.message());
  llvm::Error error = write(os);
  os.close();
  code = os.error();
  os.clear_error();
  if (error || !code)
    return error;
  return llvm::createStringError(code.message());
}

llvm::Error sequin::writeOutput(
    StringRef path,
    llvm::function_ref<llvm::Error(llvm::raw_ostream &)> write) {
  llvm::Expected<OutputPlace> place = findOutputPlace(path);
  llvm::Error error = place ? writePlace(*place, write) : place.takeError();
  if (error)
    return llvm::createStringError("cannot write '" + path +
                                   "': " + llvm::toString(std::move(error)));
  return llvm::Error::success();
}
