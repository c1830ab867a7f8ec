//===- SourceGenerator.h - Random valid CSL programs ------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs of one to four PEs in a row that the front end must take: scalar
// code of all widths with its coercions, comptime functions and tables,
// parameters that differ between PEs, generic and inline functions, loops and
// jumps, pointers, DSD operations, some of SourceFeatures.h, and between pieces
// of code the stages of Stages.h. What each variable holds at the end is known
// without the front end.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_TEST_UNIT_CSLSOURCEPROGRAMS_SOURCEGENERATOR_H
#define SEQUIN_TEST_UNIT_CSLSOURCEPROGRAMS_SOURCEGENERATOR_H

#include "Model.h"
#include <random>

namespace sequin::testing {

struct SourceProgram {
  /// Name and text; the first has the layout block.
  std::vector<std::pair<std::string, std::string>> files;
  /// A variable of the PEs' code and its type.
  std::vector<std::pair<std::string, model::Ty>> variables;
  /// What the variables hold before and after main, PE by PE.
  std::vector<model::Globals> initial, expected;
  /// The format of 16-bit floats, as csl::Fp16 numbers them.
  unsigned fp16 = 0;
};

SourceProgram generateSourceProgram(std::mt19937_64 &random);

} // namespace sequin::testing

#endif // SEQUIN_TEST_UNIT_CSLSOURCEPROGRAMS_SOURCEGENERATOR_H
