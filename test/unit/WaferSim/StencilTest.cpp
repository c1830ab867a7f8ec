//===- StencilTest.cpp - A stencil against its definition -----------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StencilProgram.h"
#include "gmock/gmock.h"

using namespace sequin;
using namespace sequin::testing;

namespace {

/// The column of (x, y) after `steps`, in the order in which PEs add.
std::vector<float> expected(int64_t width, int64_t height, unsigned depth,
                            unsigned steps, int64_t x, int64_t y) {
  auto at = [&](int64_t px, int64_t py) { return py * width + px; };
  std::vector<std::vector<float>> field(width * height,
                                        std::vector<float>(depth));
  for (int64_t py = 0; py < height; ++py)
    for (int64_t px = 0; px < width; ++px)
      for (unsigned z = 0; z < depth; ++z)
        field[at(px, py)][z] = stencilStart(px, py, z);
  for (unsigned step = 0; step < steps; ++step) {
    auto next = field;
    for (int64_t py = 0; py < height; ++py)
      for (int64_t px = 0; px < width; ++px)
        for (unsigned z = 0; z < depth; ++z) {
          float sum = (z ? field[at(px, py)][z - 1] : 0.0f) +
                      (z + 1 < depth ? field[at(px, py)][z + 1] : 0.0f);
          if (px)
            sum += field[at(px - 1, py)][z];
          if (px + 1 < width)
            sum += field[at(px + 1, py)][z];
          if (py)
            sum += field[at(px, py - 1)][z];
          if (py + 1 < height)
            sum += field[at(px, py + 1)][z];
          next[at(px, py)][z] =
              std::fma(sum, kStencilFactor, field[at(px, py)][z]);
        }
    field = next;
  }
  return field[at(x, y)];
}

TEST(Stencil, EqualsItsDefinitionUnderPerturbation) {
  constexpr int64_t width = 43, height = 6;
  constexpr unsigned depth = 11, steps = 5;
  Program program = makeStencil(width, height, depth, steps);
  uint64_t plain = 0;
  for (unsigned mode = 0; mode < 8; ++mode) {
    Options options;
    options.seed = mode;
    options.randomLatency = mode & 1;
    options.shallowQueues = mode & 2;
    options.highestTaskFirst = mode & 4;
    auto simulator = simulate(program, options);
    ASSERT_TRUE(simulator);
    ASSERT_EQ(simulator->run(), Outcome::Finished)
        << simulator->hang().str(program);
    EXPECT_TRUE(simulator->races().empty());
    for (int64_t y = 0; y < height; ++y)
      for (int64_t x = 0; x < width; ++x)
        EXPECT_EQ(readMemory<float>(*simulator, x, y, kStencilField + 4, depth),
                  expected(width, height, depth, steps, x, y));
    if (!mode)
      plain = simulator->now();
    if (mode & 3)
      EXPECT_NE(simulator->now(), plain);
  }
  // However many cycles of a block of PEs are simulated in one go, nothing but
  // speed depends on it.
  for (unsigned window : {1, 3, 16}) {
    Options options;
    options.windowCycles = window;
    auto simulator = simulate(program, options);
    ASSERT_EQ(simulator->run(), Outcome::Finished);
    EXPECT_EQ(simulator->now(), plain);
    for (int64_t y = 0; y < height; ++y)
      for (int64_t x = 0; x < width; ++x)
        EXPECT_EQ(readMemory<float>(*simulator, x, y, kStencilField + 4, depth),
                  expected(width, height, depth, steps, x, y));
  }
  // The same run twice takes the same cycles.
  auto again = simulate(program);
  again->run();
  EXPECT_EQ(again->now(), plain);
}

} // namespace
