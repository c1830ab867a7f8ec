//===- TcpSwitchOps.cpp - Switch and collect engines ----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StreamAssembly.h"
#include "sequin/Dialect/Tcp/IR/TcpShapes.h"
#include "sequin/Machine/TcpIsa.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::tcp;
using namespace sequin::tcp_isa;
using sequin::stream::MappingAttr;

FailureOr<Type> SwitchOp::inferResult(std::optional<Location> loc,
                                      Adaptor adaptor) {
  StreamType input = getStreamType(loc, adaptor.getInput());
  if (!input)
    return failure();
  MLIRContext *context = input.getContext();
  GridAttr from = input.getGrid();
  auto emitError = [&] {
    return mlir::emitError(loc.value_or(UnknownLoc::get(context)));
  };
  auto grid =
      GridAttr::getChecked(emitError, context, from.getAxes(), from.getChip(),
                           from.getCluster(), adaptor.getSlice());
  if (!grid)
    return failure();
  return checkedType<StreamType>(loc, context, input.getExecutionContext(),
                                 Stage::Switch, input.getElementType(), grid,
                                 MappingAttr(), adaptor.getTime(),
                                 input.getPacket());
}

LogicalResult SwitchOp::verify() {
  return verifyBroadcast01(*this, errorAt(*this));
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
