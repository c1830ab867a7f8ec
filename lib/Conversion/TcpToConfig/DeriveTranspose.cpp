//===- DeriveTranspose.cpp - Transpose engine -----------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExecDeriver.h"
#include "sequin/Dialect/Tcp/IR/TcpShapes.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::derivation;

LogicalResult ExecDeriver::stage(tcp::TransposeOp op) {
  auto shape = tcp::inferTranspose(op, [&] { return op.emitOpError(); });
  if (failed(shape))
    return failure();
  auto input = cast<tcp::StreamType>(op.getInput().getType());
  command.transpose =
      config::TransposeStage{*tcp::getElementKind(input.getElementType()),
                             shape->inRows, shape->inColumns, shape->outRows};
  return success();
}
