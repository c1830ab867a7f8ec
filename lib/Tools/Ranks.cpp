//===- Ranks.cpp - The processes that mpirun has started ------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Tools/Ranks.h"
#include "MpiModule.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cstdlib>
#include <dlfcn.h>

using namespace sequin;
using namespace sequin::tools;
using llvm::StringRef;

/// A number that a launcher gives to its processes: Open MPI and those that
/// speak PMI.
static unsigned fromLauncher(const char *ofOpenMpi, const char *ofPmi) {
  for (const char *name : {ofOpenMpi, ofPmi})
    if (const char *text = std::getenv(name)) {
      unsigned number = 0;
      if (llvm::to_integer(StringRef(text), number, 10))
        return number;
    }
  return 0;
}

unsigned tools::findRank() {
  return fromLauncher("OMPI_COMM_WORLD_RANK", "PMI_RANK");
}

namespace {

class MpiExchange : public wafer::Exchange {
public:
  MpiExchange(const MpiModule &module, unsigned number, unsigned count)
      : module(module), number(number), count(count) {}
  ~MpiExchange() override { module.finish(); }
  unsigned rank() const override { return number; }
  unsigned size() const override { return count; }
  void send(unsigned to, llvm::ArrayRef<uint8_t> bytes) override {
    module.send(to, bytes.data(), bytes.size());
  }
  void receive(unsigned from, std::vector<uint8_t> &bytes) override {
    module.receive(
        from,
        [](void *context, size_t size) -> void * {
          auto &room = *static_cast<std::vector<uint8_t> *>(context);
          room.resize(size);
          return room.data();
        },
        &bytes);
  }
  void gather(llvm::ArrayRef<uint8_t> mine,
              llvm::MutableArrayRef<uint8_t> all) override {
    module.gather(mine.data(), mine.size(), all.data());
  }

private:
  const MpiModule &module;
  const unsigned number, count;
};

} // namespace

llvm::Expected<std::unique_ptr<wafer::Exchange>> tools::joinRanks() {
  unsigned size = fromLauncher("OMPI_COMM_WORLD_SIZE", "PMI_SIZE");
  if (size < 2)
    return nullptr;
  static int anchor;
  llvm::SmallString<128> path(llvm::sys::path::parent_path(
      llvm::sys::path::parent_path(llvm::sys::fs::getMainExecutable(
          nullptr, reinterpret_cast<void *>(&anchor)))));
  llvm::sys::path::append(path, "lib", "libsequin-mpi.so");
  // MPI's own modules look for its symbols among the global ones.
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (!library)
    return llvm::createStringError(
        llvm::Twine(size) +
        " ranks need MPI, which is not there: " + dlerror());
  auto *get = reinterpret_cast<GetMpiModule *>(dlsym(library, kGetMpiModule));
  const MpiModule *module = get ? get() : nullptr;
  if (!module || module->version != MpiModule::kVersion)
    return llvm::createStringError("'" + path +
                                   "' is of another version of Sequin");
  unsigned rank = 0;
  if (!module->start(&rank, &size))
    return llvm::createStringError("MPI does not start");
  return std::make_unique<MpiExchange>(*module, rank, size);
}
