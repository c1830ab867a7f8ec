//===- Team.cpp - Threads that work in rounds -----------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Team.h"
#include "sequin/Support/Arithmetic.h"

using namespace sequin;
using namespace sequin::wafer;

Team::Team(unsigned size) {
  for (unsigned number = 1; number < size; ++number)
    threads.emplace_back([this, number] { work(number); });
}

Team::~Team() {
  ends = true;
  ++round;
  round.notify_all();
  for (std::thread &thread : threads)
    thread.join();
}

void Team::run(llvm::function_ref<void(unsigned)> task) {
  part = task;
  flushes = isFlushingSubnormals();
  left = static_cast<uint32_t>(threads.size());
  ++round;
  round.notify_all();
  part(0);
  while (uint32_t others = left)
    left.wait(others);
}

void Team::work(unsigned number) {
  for (uint32_t seen = 0;;) {
    round.wait(seen);
    seen = round;
    if (ends)
      return;
    {
      FloatEnvironment environment(flushes);
      part(number);
    }
    if (--left == 0)
      left.notify_one();
  }
}
