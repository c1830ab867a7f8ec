//===- CslPipeline.h - Stages of a PE's instruction pipeline ----*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the vendor's instruction log shows an instruction being issued and
// executed (SDK, Debugging; SIM-007): stages, a cycle each. The simulator's
// time is that of the issue; the distance is for logs, but that dependent float
// instructions follow each other later.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_MACHINE_CSLPIPELINE_H
#define SEQUIN_MACHINE_CSLPIPELINE_H

namespace sequin {

struct CslPipeline {
  unsigned issue, execute;
  /// Cycles from a scalar float instruction to the next instruction if that one
  /// does not read its result; ScalarClass::Float is for one that does. WSE-3:
  /// SIM-008. WSE-2: not published, as if every one did.
  unsigned independentFloat;
};

constexpr CslPipeline pipelineOf(int generation) {
  return generation == 2 ? CslPipeline{2, 4, 2} : CslPipeline{3, 6, 1};
}

} // namespace sequin

#endif // SEQUIN_MACHINE_CSLPIPELINE_H
