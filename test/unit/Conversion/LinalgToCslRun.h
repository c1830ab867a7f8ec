//===- LinalgToCslRun.h - linalg on a simulated wafer -----------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_TEST_UNIT_CONVERSION_LINALGTOCSLRUN_H
#define SEQUIN_TEST_UNIT_CONVERSION_LINALGTOCSLRUN_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "sequin/Reference/Interpreter.h"
#include "sequin/WaferSim/Simulator.h"
#include <random>

namespace sequin {

/// A function on tensors, lowered for a grid.
class LinalgToCslRun {
public:
  struct Options {
    std::string target = "wse3", distribution = {};
    int64_t width = 1, height = 1;
    unsigned firstColor = 0;
    /// Arguments are integers of at most this size.
    int magnitude = 2;
    /// What may be beside the reference's own tolerance.
    double slack = 0;
  };
  LinalgToCslRun(const std::string &text, const Options &options);

  /// Errors and warnings of parsing, lowering and checking; empty if good.
  std::string messages;

  /// Random arguments through the simulator, once per launch, and compared
  /// with the linalg interpreter; what went wrong, or nothing.
  std::string check(unsigned seed, const wafer::Options &simulation = {},
                    unsigned launches = 1);
  /// The same on the reference interpreter of csl.
  std::string checkReference(unsigned seed, bool otherOrder = false);

  /// Of the last launch: cycles, and seconds that simulating it took.
  uint64_t cycles = 0;
  double seconds = 0;
  std::string text() const;

private:
  using Bytes = std::vector<uint8_t>;
  std::vector<reference::Array> makeArguments(std::mt19937 &random);
  std::string compare(const std::vector<reference::Array> &arguments,
                      const std::vector<Bytes> &results);
  std::vector<Bytes> scatter(const std::vector<reference::Array> &arguments);
  Bytes gather(unsigned result, const Bytes &local);

  Options options;
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> source, lowered;
  wafer::Program program;
};

} // namespace sequin

#endif // SEQUIN_TEST_UNIT_CONVERSION_LINALGTOCSLRUN_H
