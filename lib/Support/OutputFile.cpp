//===- OutputFile.cpp - Writing files whole or not at all -----------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Support/OutputFile.h"
#include "sequin/Support/NpyFile.h"
#include "sequin/Support/Temporaries.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <chrono>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace sequin;
using llvm::StringRef;
using llvm::Twine;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

/// As many links as Linux follows.
static constexpr int kMostLinks = 40;
/// Longest name of a file on the file systems of Linux.
static constexpr size_t kMostNameBytes = 255;

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// What `/dev/fd/3` and `/proc/self/fd/3` stand for; -1 for other names. Such
/// a link leads to no name that could be followed.
static int descriptorOf(StringRef name) {
  int descriptor = -1;
  llvm::SmallString<128> folder;
  if (path::filename(name).getAsInteger(10, descriptor) || descriptor < 0 ||
      fs::real_path(path::parent_path(name), folder) ||
      folder != "/proc/" + std::to_string(getpid()) + "/fd")
    return -1;
  return descriptor;
}

llvm::Expected<OutputPlace> sequin::findOutputPlace(StringRef name) {
  OutputPlace place{name.str()};
  if (name == "-") {
    place.inPlace = true;
    return place;
  }
  if (name.contains('\0'))
    return llvm::createStringError("the name holds a zero byte");
  // By hand, because the file that the last link names need not exist.
  for (int links = 0;; ++links) {
    fs::file_status status;
    if (fs::status(place.path, status, /*Follow=*/false))
      return place; // new, or its folder is missing: opening it will tell
    if (status.type() == fs::file_type::symlink_file) {
      if ((place.descriptor = descriptorOf(place.path)) >= 0) {
        place.inPlace = true;
        return place;
      }
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

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static llvm::Error cannotWrite(StringRef path, const Twine &why) {
  if (path == "-")
    return llvm::createStringError("cannot write to stdout: " + why);
  return llvm::createStringError("cannot write '" + path + "': " + why);
}

static llvm::Error cannotWrite(StringRef path, llvm::Error error) {
  return cannotWrite(path, llvm::toString(std::move(error)));
}

static std::string lastError() { return llvm::sys::StrError(errno); }

/// What went wrong with the stream, once.
static llvm::Error takeError(llvm::raw_fd_ostream &os) {
  std::error_code code = os.error();
  os.clear_error();
  return code ? llvm::createStringError(code.message())
              : llvm::Error::success();
}

static llvm::Error writeInPlace(const OutputPlace &place, StringRef bytes) {
  if (place.path == "-") {
    llvm::outs() << bytes;
    llvm::outs().flush();
    return takeError(llvm::outs());
  }
  int descriptor =
      place.descriptor >= 0
          ? fcntl(place.descriptor, F_DUPFD_CLOEXEC, 3)
          : llvm::sys::RetryAfterSignal(-1, open, place.path.c_str(),
                                        O_WRONLY | O_CLOEXEC | O_NOCTTY, 0);
  if (descriptor < 0)
    return llvm::createStringError(lastError());
  llvm::raw_fd_ostream os(descriptor, /*shouldClose=*/true);
  os << bytes;
  os.close();
  return takeError(os);
}

llvm::Error sequin::writeOutput(StringRef path, WriteFile write,
                                OutputKind kind) {
  OutputFiles files;
  if (llvm::Error error = files.add(path, write, kind))
    return error;
  return files.commit();
}

llvm::Error sequin::writeOutput(StringRef path, StringRef text,
                                OutputKind kind) {
  return writeOutput(
      path,
      [&](llvm::raw_ostream &os) -> llvm::Error {
        os << text;
        return llvm::Error::success();
      },
      kind);
}

//===----------------------------------------------------------------------===//
// Files that appear together
//===----------------------------------------------------------------------===//

llvm::Error OutputFiles::addArray(StringRef path, const NpyArray &array) {
  return add(path, [&](llvm::raw_ostream &os) -> llvm::Error {
    writeNpy(os, array);
    return llvm::Error::success();
  });
}

llvm::Error OutputFiles::addText(StringRef path, StringRef text,
                                 OutputKind kind) {
  return add(
      path,
      [&](llvm::raw_ostream &os) -> llvm::Error {
        os << text;
        return llvm::Error::success();
      },
      kind);
}

llvm::Error OutputFiles::addFolder(StringRef path) {
  llvm::SmallVector<StringRef> missing;
  for (StringRef folder = path; !folder.empty() && !fs::exists(folder);
       folder = path::parent_path(folder))
    missing.push_back(folder);
  for (StringRef folder : llvm::reverse(missing)) {
    SignalHold hold;
    std::string name = folder.str();
    if (mkdir(name.c_str(), 0777) == 0) {
      addTemporary(name);
      folders.push_back(name);
    } else if (errno != EEXIST) {
      return llvm::createStringError("cannot make the folder '" + path +
                                     "': " + lastError());
    }
  }
  if (!fs::is_directory(path))
    return llvm::createStringError("cannot make the folder '" + path +
                                   "': there is a file of that name");
  return llvm::Error::success();
}

/// A new file beside `name`, under a name that nobody can know before; -1 and
/// errno if there is none. A short part of the name is kept for people.
static int createBeside(StringRef name, mode_t mode, std::string &temporary) {
  constexpr size_t kRandomBytes = 8;
  constexpr llvm::StringLiteral kMark = ".tmp-";
  constexpr size_t kMostKept = kMostNameBytes - kMark.size() - 2 * kRandomBytes;
  for (int tries = 0; tries < 16; ++tries) {
    uint8_t random[kRandomBytes];
    if (getentropy(random, sizeof random) != 0)
      return -1;
    llvm::SmallString<128> beside(path::parent_path(name));
    path::append(beside, path::filename(name).take_front(kMostKept) + kMark +
                             llvm::toHex(random, /*LowerCase=*/true));
    temporary = std::string(beside);
    // A signal in between would not know of the file.
    SignalHold hold;
    int descriptor = llvm::sys::RetryAfterSignal(
        -1, open, temporary.c_str(),
        O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (descriptor >= 0)
      addTemporary(temporary);
    if (descriptor >= 0 || errno != EEXIST)
      return descriptor;
  }
  return -1;
}

/// Gives the new file the owner, as far as that is allowed, and the mode of the
/// one that it replaces. False and errno if that fails.
static bool keepMode(int descriptor, const struct stat &old, mode_t mode) {
  struct stat now;
  if (fstat(descriptor, &now) != 0)
    return false;
  bool same = now.st_uid == old.st_uid && now.st_gid == old.st_gid;
  if (!same && fchown(descriptor, old.st_uid, old.st_gid) != 0)
    mode &= 0777; // whoever owns it now did not say that it runs as them
  return fchmod(descriptor, mode) == 0;
}

llvm::Error OutputFiles::add(StringRef path, WriteFile write, OutputKind kind) {
  bool isFresh = kind == OutputKind::Fresh;
  llvm::Expected<OutputPlace> place = OutputPlace{path.str()};
  if (!isFresh)
    place = findOutputPlace(path);
  if (!place)
    return cannotWrite(path, place.takeError());
  if (place->inPlace) {
    std::string bytes;
    llvm::raw_string_ostream os(bytes);
    if (llvm::Error error = write(os))
      return cannotWrite(path, std::move(error));
    inPlace.push_back({std::move(*place), path.str(), std::move(bytes)});
    return llvm::Error::success();
  }
  // Who may not write a file may not replace it either.
  struct stat old = {};
  bool isThere = !isFresh && stat(place->path.c_str(), &old) == 0;
  if (isThere && access(place->path.c_str(), W_OK) != 0)
    return cannotWrite(path, lastError());
  // The name of the file may be too long where that of the other is not.
  if (path::filename(place->path).size() > kMostNameBytes)
    return cannotWrite(path, llvm::sys::StrError(ENAMETOOLONG));
  mode_t mode = isThere ? old.st_mode & 07777 : 0666;
  if (kind == OutputKind::Program)
    mode |= (mode & 0444) >> 2;
  std::string temporary;
  int descriptor = createBeside(place->path, mode & 0777, temporary);
  if (descriptor < 0)
    return cannotWrite(path, lastError());
  staged.push_back({temporary, place->path});
  llvm::raw_fd_stream os(descriptor, /*shouldClose=*/false);
  llvm::scope_exit close([&] { ::close(descriptor); });
  if (isThere && !keepMode(descriptor, old, mode))
    return cannotWrite(path, lastError());
  llvm::Error error = write(os);
  os.flush();
  if (llvm::Error failed = takeError(os))
    error = llvm::joinErrors(std::move(error), std::move(failed));
  if (error)
    return cannotWrite(path, std::move(error));
  // Some file systems tell only now.
  close.release();
  if (::close(descriptor) != 0)
    return cannotWrite(path, lastError());
  return llvm::Error::success();
}

bool OutputFiles::contains(StringRef path) const {
  llvm::Expected<OutputPlace> place = findOutputPlace(path);
  if (!place) {
    llvm::consumeError(place.takeError());
    return false;
  }
  return llvm::any_of(staged, [&](const Staged &file) {
    return OutputPlace{file.path}.identity() == place->identity();
  });
}

llvm::Error OutputFiles::commit() {
  for (const InPlace &file : inPlace)
    if (llvm::Error error = writeInPlace(file.place, file.bytes))
      return cannotWrite(file.name, std::move(error));
  inPlace.clear();
  SignalHold hold;
  for (const std::string &path : stale)
    if (std::error_code code = fs::remove(path))
      return llvm::createStringError("cannot replace '" + path +
                                     "': " + code.message());
  stale.clear();
  for (size_t i = 0; i < staged.size(); ++i) {
    if (::rename(staged[i].temporary.c_str(), staged[i].path.c_str()) != 0) {
      std::string why = lastError(), path = staged[i].path;
      staged.erase(staged.begin(), staged.begin() + i);
      return cannotWrite(path, why);
    }
    dropTemporary(staged[i].temporary);
  }
  staged.clear();
  for (const std::string &folder : folders)
    dropTemporary(folder);
  folders.clear();
  return llvm::Error::success();
}

OutputFiles::~OutputFiles() {
  for (const Staged &file : staged) {
    unlink(file.temporary.c_str());
    dropTemporary(file.temporary);
  }
  // Those that something else is in stay.
  for (const std::string &folder : llvm::reverse(folders)) {
    rmdir(folder.c_str());
    dropTemporary(folder);
  }
}

//===----------------------------------------------------------------------===//
// Locks
//===----------------------------------------------------------------------===//

llvm::Expected<FolderLock> FolderLock::take(StringRef folder, Kind kind) {
  constexpr std::chrono::milliseconds kPause(20);
  int descriptor =
      open(folder.str().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0)
    return FolderLock(-1);
  FolderLock lock(descriptor);
  int how = (kind == Kind::Read ? LOCK_SH : LOCK_EX) | LOCK_NB;
  for (auto waited = kPause; flock(descriptor, how) != 0; waited += kPause) {
    if (errno != EWOULDBLOCK && errno != EINTR)
      return FolderLock(-1);
    if (waited > std::chrono::seconds(kMostSeconds))
      return llvm::createStringError("'" + folder +
                                     "' is in use by another program");
    std::this_thread::sleep_for(kPause);
  }
  return lock;
}

FolderLock::~FolderLock() {
  if (descriptor >= 0)
    close(descriptor);
}
