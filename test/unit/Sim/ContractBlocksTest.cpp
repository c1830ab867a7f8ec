//===- ContractBlocksTest.cpp - Contractions in blocks and tiles ----------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The simulator runs the steps of a contraction in an order of its own, several
// packets and weights at a time; the results must not tell.
//
//===----------------------------------------------------------------------===//

#include "ContractionProgram.h"
#include "sequin/Support/Arithmetic.h"

using namespace sequin;
using namespace sequin::testing;
using enum ElementType;

namespace {

/// M x N results of K packets each, N in the TRF. Packets are repeated for all
/// weights, or the stream brings a new one for each.
Contraction product(ElementType type, int64_t m, int64_t n, int64_t k,
                    bool repeat) {
  Contraction c;
  c.type = type;
  c.bytesPerRow = n * k * 64;
  c.stage.depth = type == I4 ? 7 : type == BF16 ? 5 : 6;
  int64_t lanes = c.lanes();
  if (repeat) {
    c.flits = 2 * m * k;
    c.stage.timeBroadcast = n;
    c.stage.trf.entries = {{m, 0}, {k, lanes}, {n, k * lanes}};
    c.stage.loops = {{m, 0, false}, {k, 0, true}, {n, 1, false}};
  } else {
    c.flits = 2 * m * n * k;
    c.stage.trf.entries = {{m, 0}, {n, k * lanes}, {k, lanes}};
    c.stage.loops = {{m, 0, false}, {n, 0, false}, {k, 0, true}};
  }
  return c;
}

} // namespace

TEST(ContractBlocks, TilesOfAllSizes) {
  for (ElementType type : {BF16, F8E4M3, I8, I4})
    for (int64_t m : {1, 2, 3, 4, 5, 7})
      for (int64_t n : {1, 2, 3, 4, 5})
        product(type, m, n, 3, true).check();
}

TEST(ContractBlocks, EveryPacketOnce) {
  for (ElementType type : {BF16, I8})
    product(type, 3, 4, 5, false).check();
}

// More packets than a block has, in numbers that leave a rest.
TEST(ContractBlocks, LongerThanABlock) {
  product(BF16, 131, 2, 11, true).check();
  product(BF16, 1, 1, 127, true).check();
  Contraction outer = product(BF16, 1, 1, 1, true);
  // The sum's loop is outermost, and its results stay open across blocks.
  outer.flits = 2 * 19 * 100;
  outer.bytesPerRow = 19 * 64;
  outer.stage.trf.entries = {{19, 32}, {100, 0}};
  outer.stage.loops = {{19, 0, true}, {100, 1, false}};
  outer.check();
}

// Sizes of 4 x 9 and 9 x 4 have no common refinement.
TEST(ContractBlocks, NestsThatDoNotFit) {
  for (ElementType type : {BF16, I8, F8E5M2}) {
    Contraction c = product(type, 1, 1, 1, true);
    c.flits = 2 * 36;
    c.bytesPerRow = 4 * 64;
    c.stage.trf.entries = {{9, 0}, {4, c.lanes()}};
    c.stage.loops = {{4, 0, false}, {9, 0, true}};
    c.check();
    c.stage.loops = {{4, 0, true}, {9, 1, false}};
    c.check();
  }
}

// Products below the smallest normal number are zero before they are added:
// numbers around the limit, and others on both sides of it.
TEST(ContractBlocks, ProductsAtTheLimit) {
  SEQUIN_ROW("SIL-7");
  FloatEnvironment environment(/*flush=*/true);
  for (int exponent : {-70, -66, -62, -58, -54, 30, 50}) {
    Contraction c = product(BF16, 5, 2, 3, true);
    c.exponent = exponent;
    c.check();
    Contraction irregular = product(BF16, 1, 1, 1, true);
    irregular.exponent = exponent;
    irregular.flits = 2 * 36;
    irregular.bytesPerRow = 4 * 64;
    irregular.stage.trf.entries = {{9, 0}, {4, 32}};
    irregular.stage.loops = {{4, 0, false}, {9, 0, true}};
    irregular.check();
  }
}
