//===- TcpTransposeOps.cpp - Transpose engine -----------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StreamAssembly.h"
#include "sequin/Dialect/Tcp/IR/TcpShapes.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::tcp;

FailureOr<Type> TransposeOp::inferResult(std::optional<Location> loc,
                                         Adaptor adaptor) {
  StreamType input = getStreamType(loc, adaptor.getInput());
  if (!input)
    return failure();
  return inferStream(loc, adaptor.getInput(), Stage::Transpose,
                     input.getElementType(), adaptor.getTime(),
                     adaptor.getPacket());
}

LogicalResult TransposeOp::verify() {
  auto input = cast<StreamType>(getInput().getType());
  if (input.getExecutionContext() == Context::Sub)
    return emitOpError() << "is in the sub context, which has no transpose "
                            "engine";
  return inferTranspose(*this, errorAt(*this));
}
