//===- Stages.h - How PEs of a program talk to each other -------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Between pieces of code that no other PE sees, a random program has stages in
// which its PEs, a row, give each other vectors: over queues, microthreads,
// data tasks, control tasks, switches, filters, FIFOs, registers. All PEs have
// the same stages in the same order, and a stage waits for nothing but what
// other PEs do in it or before it, so no program hangs.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_TEST_UNIT_CSLSOURCEPROGRAMS_STAGES_H
#define SEQUIN_TEST_UNIT_CSLSOURCEPROGRAMS_STAGES_H

#include "Model.h"
#include <random>

namespace sequin::testing::model {

struct Stage {
  /// Of all PEs. Needs `param position: u16` and `param width: u16`; `start<K>`
  /// begins, and activates the local task `after<K>` with `after<K>_id`.
  std::string code;
  /// Of the colors it uses, in the layout.
  std::string layout;
  /// An array of eight that only the stage wrote before.
  std::string received;
  Ty type = Ty::U32;
  /// What the PEs have at the end of it, from what each had at the start.
  std::function<void(std::vector<Globals> &)> run;
};

/// The stage with a number; 0 to 2 may be in one program. `vectorOf` names an
/// array of eight elements that it sends, `numberOf` a number.
Stage makeStage(std::mt19937_64 &random, int number,
                const std::function<std::string(Ty)> &vectorOf,
                const std::function<std::string(Ty)> &numberOf);

} // namespace sequin::testing::model

#endif // SEQUIN_TEST_UNIT_CSLSOURCEPROGRAMS_STAGES_H
