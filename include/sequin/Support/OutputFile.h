//===- OutputFile.h - Writing files whole or not at all ---------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one way in which Sequin writes files. A regular or new file is written
// beside its final name, checked and renamed, so that it is there whole or not
// at all; until then what was there before stays. A rename would also replace
// what is not a regular file: symbolic links are therefore followed first, and
// devices, pipes, open descriptors (/dev/stdout) and sockets are written as
// they are. Temporaries go when an error or a signal comes (Temporaries.h).
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_SUPPORT_OUTPUTFILE_H
#define SEQUIN_SUPPORT_OUTPUTFILE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace sequin {

struct NpyArray;

/// Where an output ends up.
struct OutputPlace {
  /// The name itself, or what the symbolic links at its end lead to; "-" is
  /// standard output.
  std::string path;
  /// Opened and written, not replaced: a device, a pipe, a socket, "-".
  bool inPlace = false;
  /// Takes whatever is written without keeping it: a character device.
  bool keepsNothing = false;
  /// A descriptor of this process that the name stands for, as /dev/stdout
  /// does; -1 for none.
  int descriptor = -1;

  /// Equal for two places that are the same file.
  std::string identity() const;
};

/// Fails for a directory and for links that lead in a circle. The error does
/// not name the path.
llvm::Expected<OutputPlace> findOutputPlace(llvm::StringRef path);

/// Writes a file, to a raw_fd_stream if it has holes. An error of it is that of
/// the file.
using WriteFile = llvm::function_ref<llvm::Error(llvm::raw_ostream &)>;

enum class OutputKind : uint8_t {
  Plain,
  Program, ///< who may read it may run it
  /// A name that others may have known before, in a folder that they may write:
  /// whatever is there but a folder is replaced, and gives nothing to the file.
  Fresh,
};

/// Calls `write` for the file `path`. Errors name the path.
llvm::Error writeOutput(llvm::StringRef path, WriteFile write,
                        OutputKind kind = OutputKind::Plain);
llvm::Error writeOutput(llvm::StringRef path, llvm::StringRef text,
                        OutputKind kind = OutputKind::Plain);

/// Files of one run, which get their names all together when all of them are
/// written. Devices and pipes are written then. Errors name the path.
class OutputFiles {
public:
  OutputFiles() = default;
  OutputFiles(const OutputFiles &) = delete;
  OutputFiles &operator=(const OutputFiles &) = delete;
  /// Removes what was not committed.
  ~OutputFiles();

  llvm::Error add(llvm::StringRef path, WriteFile write,
                  OutputKind kind = OutputKind::Plain);
  llvm::Error addText(llvm::StringRef path, llvm::StringRef text,
                      OutputKind kind = OutputKind::Plain);
  llvm::Error addArray(llvm::StringRef path, const NpyArray &array);
  /// Makes a folder and those that it is in, as far as they are missing.
  llvm::Error addFolder(llvm::StringRef path);
  /// An old file that goes before the new ones get their names.
  void replace(std::string path) { stale.push_back(std::move(path)); }
  /// Whether a file of this name has been added.
  bool contains(llvm::StringRef path) const;
  llvm::Error commit();

private:
  struct Staged {
    std::string temporary, path;
  };
  struct InPlace {
    OutputPlace place;
    std::string name, bytes;
  };
  std::vector<Staged> staged;
  std::vector<InPlace> inPlace;
  std::vector<std::string> folders, stale;
};

/// A folder whose files belong together, while they are replaced or read.
/// Others wait, up to kMostSeconds. Where the file system has no locks, or the
/// folder cannot be opened, there is none.
class FolderLock {
public:
  enum class Kind : uint8_t { Read, Write };
  static llvm::Expected<FolderLock> take(llvm::StringRef folder, Kind kind);
  FolderLock(FolderLock &&other) noexcept
      : descriptor(std::exchange(other.descriptor, -1)) {}
  FolderLock &operator=(FolderLock &&) = delete;
  ~FolderLock();
  static constexpr unsigned kMostSeconds = 10;

private:
  explicit FolderLock(int descriptor) : descriptor(descriptor) {}
  int descriptor;
};

} // namespace sequin

#endif // SEQUIN_SUPPORT_OUTPUTFILE_H
