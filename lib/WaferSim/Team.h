//===- Team.h - Threads that work in rounds ---------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_WAFERSIM_TEAM_H
#define SEQUIN_LIB_WAFERSIM_TEAM_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace sequin::wafer {

/// So many threads, that of the caller among them, which do their parts of a
/// round at the same time. Between rounds they sleep.
class Team {
public:
  explicit Team(unsigned size);
  ~Team();
  Team(const Team &) = delete;
  Team &operator=(const Team &) = delete;

  /// Calls `part` once with every number below the size, the caller's thread
  /// with 0, and returns when all have returned.
  void run(llvm::function_ref<void(unsigned)> part);

private:
  void work(unsigned number);

  llvm::function_ref<void(unsigned)> part;
  bool flushes = false; ///< the caller's FloatEnvironment
  std::atomic<uint32_t> round = 0, left = 0;
  std::atomic<bool> ends = false;
  std::vector<std::thread> threads;
};

} // namespace sequin::wafer

#endif // SEQUIN_LIB_WAFERSIM_TEAM_H
