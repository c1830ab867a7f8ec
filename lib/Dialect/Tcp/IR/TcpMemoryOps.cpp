//===- TcpMemoryOps.cpp - Moves between memories, launch ------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "sequin/Dialect/Tcp/IR/TcpDialect.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::tcp;

/// A move keeps the tensor: same element type, same axes.
template <typename From, typename To>
static LogicalResult verifyMove(Operation *op, From from, To to,
                                stream::AxesAttr fromAxes,
                                stream::AxesAttr toAxes) {
  if (from.getElementType() != to.getElementType())
    return op->emitOpError()
           << "moves " << from.getElementType() << " elements to a tensor of "
           << to.getElementType();
  if (fromAxes != toAxes)
    return op->emitOpError()
           << "source has axes " << fromAxes << ", destination " << toAxes;
  return success();
}

/// TCP manual, HBM and SRAM, Alignment Constraint (MAP-24).
static LogicalResult verifyAddress(Operation *op, int64_t address, Type type) {
  unsigned bits = getBitWidth(*getElementKind(type));
  int64_t bytes = std::max<int64_t>(1, bits / 8);
  if (address % bytes != 0)
    return op->emitOpError()
           << "address " << address
           << " is not a multiple of the element size, " << bytes << " bytes";
  return success();
}

LogicalResult ToHbmOp::verify() {
  HbmType to = getResult().getType();
  if (failed(verifyAddress(*this, getAddress(), to.getElementType())))
    return failure();
  if (auto host = dyn_cast<HostType>(getInput().getType()))
    return verifyMove(*this, host, to, host.getAxes(), to.getAxes());
  auto dm = cast<DmType>(getInput().getType());
  return verifyMove(*this, dm, to, dm.getGrid().getAxes(), to.getAxes());
}

LogicalResult ToDmOp::verify() {
  HbmType from = getInput().getType();
  DmType to = getResult().getType();
  if (failed(verifyAddress(*this, getAddress(), to.getElementType())))
    return failure();
  return verifyMove(*this, from, to, from.getAxes(), to.getGrid().getAxes());
}

LogicalResult ToHostOp::verify() {
  HbmType from = getInput().getType();
  HostType to = getResult().getType();
  return verifyMove(*this, from, to, from.getAxes(), to.getAxes());
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto callee =
      symbols.lookupNearestSymbolFrom<func::FuncOp>(*this, getCalleeAttr());
  if (!callee)
    return emitOpError() << "launches '" << getCallee()
                         << "', which is not a function of this module";
  FunctionType type = callee.getFunctionType();
  auto mismatch = [&](StringRef what, TypeRange found, TypeRange expected) {
    InFlightDiagnostic diag = emitOpError()
                              << what << " are (" << found << "), kernel '"
                              << getCallee() << "' has (" << expected << ")";
    diag.attachNote(callee.getLoc()) << "kernel defined here";
    return diag;
  };
  if (type.getInputs() != getInputs().getTypes())
    return mismatch("arguments", getInputs().getTypes(), type.getInputs());
  if (type.getResults() != getOutputs().getTypes())
    return mismatch("results", getOutputs().getTypes(), type.getResults());
  return success();
}
