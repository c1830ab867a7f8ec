//===- ContractionProgram.h - A contraction by its definition ---*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_TEST_UNIT_SIM_CONTRACTIONPROGRAM_H
#define SEQUIN_TEST_UNIT_SIM_CONTRACTIONPROGRAM_H

#include "SliceProgram.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

namespace sequin::testing {

/// A contraction of a dense stream in DM with a TRF filled from DM. All data of
/// a test is random, and the expected result is computed from the stage's
/// definition, element by element.
struct Contraction {
  ElementType type = ElementType::BF16;
  int64_t flits = 2;        ///< of the stream
  int64_t bytesPerRow = 64; ///< of the TRF
  int exponent = 0;         ///< of a power of two in all floats
  config::ContractStage stage;

  static constexpr int64_t kWeights = 1 << 17, kOut = 1 << 18;

  int64_t lanes() const { return 512 / getBitWidth(type); }
  int64_t perFlit() const { return 256 / getBitWidth(type); }
  int64_t windows() const { return stage.shifts + 1; }
  int64_t steps() const {
    return flits / stage.collectFlits * windows() * stage.timeBroadcast;
  }
  bool isMax() const { return stage.reduceOp == config::ReduceOp::Max; }
  int64_t flitsPerEmission() const {
    return stage.kind == config::AccumulationKind::Interleaved
               ? stage.columns
               : stage.rows * llvm::divideCeil(stage.columns, 8);
  }
  int64_t emissions() const {
    int64_t count = 1;
    for (const config::AccumulateLoop &loop : stage.loops)
      if (!loop.reduced)
        count *= loop.size;
    return count;
  }
  ElementType outType() const {
    return isFloat(type) ? ElementType::F32 : ElementType::I32;
  }

  /// Numbers of mixed size, so that the order of additions shows.
  std::vector<float> data(int64_t count, uint32_t seed) const {
    std::vector<float> values(count);
    for (float &value : values) {
      seed = seed * 1664525u + 1013904223u;
      int base = static_cast<int>(seed >> 16) % 255 - 127;
      value = isFloat(type)
                  ? std::ldexp(static_cast<float>(base),
                               static_cast<int>(seed >> 8 & 15) - 8 + exponent)
              : type == ElementType::I4 ? base % 8
                                        : base;
      if (isFloat(type))
        value = decodeFloat(type, encodeFloat(type, value));
    }
    return values;
  }

  SliceProgram build() const {
    SliceProgram program;
    program.input(arrayOf(type, data(flits * perFlit(), 7)), 0);
    program.input(
        arrayOf(type,
                data(stage.rows * bytesPerRow * 8 / getBitWidth(type), 11)),
        kWeights);
    int64_t rowFlits = stage.rows * bytesPerRow / 32;
    config::ExecCommand weights = makeExec(
        {kWeights, {{rowFlits, perFlit()}, {perFlit(), 1}}, 1}, type, type, 8);
    weights.context = config::Context::Sub;
    weights.sink =
        config::ToTrfStage{stage.trfAddress, stage.rows, bytesPerRow};
    program.exec(weights, "weights");
    config::ExecCommand exec =
        makeExec({0, {{flits, perFlit()}, {perFlit(), 1}}, 1}, type, type, 32);
    exec.contract = stage;
    exec.contract->type = type;
    int64_t out = emissions() * flitsPerEmission();
    exec.sink =
        config::CommitStage{outType(), {kOut, {{out, 8}, {8, 1}}, 1}, 32, 32};
    program.exec(exec, "contract");
    program.output(outType(), out * 8, kOut);
    return program;
  }

  /// The value of weight lane `lane` of `row` at `step`.
  double weightAt(const std::vector<float> &weights, int64_t row, int64_t step,
                  int64_t lane) const {
    int64_t address = stage.trf.baseAddress * 8 / getBitWidth(type);
    int64_t rest = step;
    for (const config::Loop &entry : llvm::reverse(stage.trf.entries)) {
      address += rest % entry.size * entry.stride;
      rest /= entry.size;
    }
    int64_t read = stage.regReadBytes * 8 / getBitWidth(type);
    return weights[row * bytesPerRow * 8 / getBitWidth(type) + address +
                   lane % read];
  }

  /// What tree and accumulator do: in max mode the larger one, as signed
  /// numbers.
  template <class T> T reduce(T a, T b) const {
    return isMax() ? std::max(a, b) : a + b;
  }

  /// One row and column of the tree's output at `step`.
  template <class T>
  T treeSum(const std::vector<float> &stream, const std::vector<float> &weights,
            int64_t row, int64_t step, int64_t column) const {
    int64_t packet = step / stage.timeBroadcast / windows();
    int64_t window = step / stage.timeBroadcast % windows();
    int64_t valid = stage.collectFlits * perFlit();
    std::vector<T> terms;
    for (int64_t i = 0; i < int64_t(1) << stage.depth; ++i) {
      int64_t lane = (column << stage.depth) + i;
      int64_t place = window * stage.shiftStride + lane;
      T activation =
          place < valid ? static_cast<T>(stream[packet * valid + place]) : T();
      terms.push_back(activation *
                      static_cast<T>(weightAt(weights, row, step, lane)));
    }
    while (terms.size() > 1) {
      for (size_t i = 0; i < terms.size() / 2; ++i)
        terms[i] = reduce(terms[2 * i], terms[2 * i + 1]);
      terms.resize(terms.size() / 2);
    }
    return terms[0];
  }

  /// By the mathematical meaning: for every position of the loops that stay,
  /// the sum over the reduced ones in the order of time.
  template <class T> std::vector<T> expected() const {
    std::vector<float> stream = data(flits * perFlit(), 7);
    std::vector<float> weights =
        data(stage.rows * bytesPerRow * 8 / getBitWidth(type), 11);
    struct Result {
      int64_t lastStep = 0;
      std::vector<T> sums; ///< [row][column]
    };
    std::vector<Result> results(emissions());
    for (int64_t step = 0; step < steps(); ++step) {
      int64_t index = 0, unit = 1, rest = step;
      for (const config::AccumulateLoop &loop : llvm::reverse(stage.loops)) {
        if (!loop.reduced) {
          index += rest % loop.size * unit;
          unit *= loop.size;
        }
        rest /= loop.size;
      }
      Result &result = results[index];
      bool first = result.sums.empty();
      result.sums.resize(stage.rows * stage.columns);
      result.lastStep = step;
      for (int64_t row = 0; row < stage.rows; ++row)
        for (int64_t column = 0; column < stage.columns; ++column) {
          T sum = treeSum<T>(stream, weights, row, step, column);
          T &cell = result.sums[row * stage.columns + column];
          cell = first ? sum : reduce(cell, sum);
        }
    }
    llvm::sort(results, [](const Result &a, const Result &b) {
      return a.lastStep < b.lastStep;
    });
    std::vector<T> out;
    for (const Result &result : results) {
      if (stage.kind == config::AccumulationKind::Interleaved) {
        for (int64_t column = 0; column < stage.columns; ++column)
          for (int64_t row = 0; row < 8; ++row)
            out.push_back(row < stage.rows
                              ? result.sums[row * stage.columns + column]
                              : T());
      } else {
        for (int64_t row = 0; row < stage.rows; ++row)
          for (int64_t column = 0;
               column < static_cast<int64_t>(llvm::alignTo(stage.columns, 8));
               ++column)
            out.push_back(column < stage.columns
                              ? result.sums[row * stage.columns + column]
                              : T());
      }
    }
    return out;
  }

  void check() const {
    SliceProgram program = build();
    std::vector<sim::HostArray> outputs = program.outputs();
    if (isFloat(type))
      EXPECT_THAT(floatsOf(outputs[0]),
                  ::testing::ElementsAreArray(expected<float>()));
    else
      EXPECT_THAT(intsOf(outputs[0]),
                  ::testing::ElementsAreArray(expected<int32_t>()));
    EXPECT_EQ(program.stage("contract", "contract"), steps());
    EXPECT_EQ(program.stage("contract", "accumulate"),
              emissions() * flitsPerEmission());
  }
  std::string error() const { return build().error(); }
};

} // namespace sequin::testing

#endif // SEQUIN_TEST_UNIT_SIM_CONTRACTIONPROGRAM_H
