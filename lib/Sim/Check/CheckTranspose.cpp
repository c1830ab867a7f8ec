//===- CheckTranspose.cpp - Checks of the transpose engine ----------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Check/ExecCheck.h"

using namespace sequin;
using namespace sequin::sim;
using llvm::Twine;

llvm::Error ExecCheck::checkTranspose(const config::TransposeStage &stage) {
  constexpr llvm::StringRef name = "transpose";
  if (!isMain)
    return trap(name, "the sub context has no transpose engine");
  if (llvm::Error error = typeIs(name, stage.type, stream))
    return error;
  const tcp_isa::TransposeFormat *format = machine.transposeFormat(stage.type);
  if (!format)
    return trap(name, "the stream carries " + getName(stage.type) +
                          ", allowed are elements of 4, 8, 16 and 32 bits");
  if (llvm::Error error =
          between(name, "in_rows", stage.inRows, 1, format->maxRows))
    return error;
  llvm::SmallVector<int64_t, 3> columns(llvm::ArrayRef(format->columns));
  llvm::erase(columns, 0);
  if (llvm::Error error = oneOf(name, "in_cols", stage.inColumns, columns))
    return error;
  if (llvm::Error error =
          between(name, "out_rows", stage.outRows, 1, stage.inColumns))
    return error;
  int64_t in = stage.inRows * (stage.inColumns / format->elementsPerPacket);
  if (plan.outputFlits % in != 0)
    return trap(name, "a matrix is " + Twine(in) + " flits, the stream has " +
                          Twine(plan.outputFlits));
  // Transpose Engine, Cycle Calculation: two buffers take turns, or both hold
  // one matrix.
  int64_t matrices = plan.outputFlits / in, out = stage.outRows;
  bool twoBuffers = stage.inColumns <= machine.transposeBufferColumns;
  int64_t cycles = 0;
  if (matrices > 0)
    cycles = twoBuffers ? in + (matrices - 1) * std::max(in, out) + out
                        : matrices * (in + out);
  plan.outputFlits = matrices * out;
  addStage(name, cycles);
  return llvm::Error::success();
}
