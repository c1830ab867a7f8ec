//===- ChainGenerator.h - Random kernels ------------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes programs of one or two passes through the tensor unit: a chain of
// stages chosen at random, each with mappings that follow from those before it
// and with parameters that are mostly legal. What is not legal is for the
// verifiers to refuse.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_TEST_UNIT_CHAINS_CHAINGENERATOR_H
#define SEQUIN_TEST_UNIT_CHAINS_CHAINGENERATOR_H

#include "sequin/Support/ElementType.h"
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace sequin::testing {

struct Chain {
  /// A module with host function `main`.
  std::string text;
  struct Input {
    ElementType type;
    std::vector<int64_t> shape;
  };
  std::vector<Input> inputs;
};

Chain generateChain(std::mt19937_64 &random);

} // namespace sequin::testing

#endif // SEQUIN_TEST_UNIT_CHAINS_CHAINGENERATOR_H
