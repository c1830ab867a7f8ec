//===- TcpVectorReduceOps.cpp - Reduction inside a slice ------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StreamAssembly.h"
#include "sequin/Dialect/Tcp/IR/TcpReduceShapes.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::tcp;

FailureOr<Type>
VectorIntraSliceReduceOp::inferResult(std::optional<Location> loc,
                                      Adaptor adaptor) {
  StreamType type = getStreamType(loc, adaptor.getInput());
  if (!type)
    return failure();
  return inferStream(loc, adaptor.getInput(), Stage::VectorIntraSliceReduce,
                     type.getElementType(), adaptor.getTime(),
                     adaptor.getPacket());
}

LogicalResult VectorIntraSliceReduceOp::verify() {
  bool isFloat =
      cast<StreamType>(getInput().getType()).getElementType().isF32();
  if (getOp() ==
      (isFloat ? IntraSliceReduceKind::AddSat : IntraSliceReduceKind::Add))
    return emitOpError() << stringifyIntraSliceReduceKind(getOp())
                         << " works on " << (isFloat ? "i32" : "f32")
                         << ", found a stream of " << (isFloat ? "f32" : "i32")
                         << "; use " << (isFloat ? "Add" : "AddSat");
  return inferIntraSliceReduce(*this, isaValidCountLimits(), errorAt(*this));
}
