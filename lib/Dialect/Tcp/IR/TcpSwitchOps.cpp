//===- TcpSwitchOps.cpp - Switch and collect engines ----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StreamAssembly.h"
#include "sequin/Dialect/Tcp/IR/TcpSwitchShapes.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::tcp;
using sequin::stream::MappingAttr;

FailureOr<Type> SwitchOp::inferResult(std::optional<Location> loc,
                                      Adaptor adaptor) {
  StreamType input = getStreamType(loc, adaptor.getInput());
  if (!input)
    return failure();
  FailureOr<GridAttr> grid =
      withSlices(loc, input.getGrid(), adaptor.getSlice());
  if (failed(grid))
    return failure();
  return checkedType<StreamType>(loc, input.getContext(),
                                 input.getExecutionContext(), Stage::Switch,
                                 input.getElementType(), *grid, MappingAttr(),
                                 adaptor.getTime(), input.getPacket());
}

LogicalResult SwitchOp::verify() {
  return inferSwitchShape(*this, errorAt(*this));
}

FailureOr<Type> CollectOp::inferResult(std::optional<Location> loc,
                                       Adaptor adaptor) {
  StreamType input = getStreamType(loc, adaptor.getInput());
  if (!input)
    return failure();
  return inferStream(loc, adaptor.getInput(), Stage::Collect,
                     input.getElementType(), adaptor.getTime(),
                     adaptor.getPacket());
}

LogicalResult CollectOp::verify() {
  return inferCollectFlits(*this, errorAt(*this));
}
