//===- TcpConfigOps.cpp - The hardware configuration as IR ----------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Config/Fields.h"
#include "sequin/Dialect/Tcp/IR/TcpDialect.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::tcp;

static LogicalResult verifyCommands(Region &body) {
  for (Operation &op : body.front())
    if (!isa<ConfigTransferOp, ConfigDmaOp, ConfigExecOp, ConfigGenerateOp,
             ConfigLoopOp>(op))
      return op.emitOpError() << "is not a configuration command";
  return success();
}

LogicalResult ConfigOp::verify() {
  if (!lookupTcpMachine(getTarget()))
    return emitOpError() << "has unknown target \"" << getTarget()
                         << "\", known are " << knownMachineNames();
  if (!getElementKind(getMacType()))
    return emitOpError() << "counts operations on " << getMacType()
                         << ", which is no element type of the machine";
  return verifyCommands(getBody());
}

/// Bitmaps of slices in hexadecimal.
static LogicalResult verifySlices(Operation *op, ArrayAttr slices) {
  std::vector<std::string> text;
  for (auto cluster : slices.getAsRange<StringAttr>())
    text.push_back(cluster.str());
  auto mask = config::maskFromText(text);
  if (!mask)
    return op->emitOpError() << "slices: " << llvm::toString(mask.takeError());
  return success();
}

LogicalResult ConfigExecOp::verify() {
  int sinks = !!getCommit() + !!getToTrf() + !!getToVrf();
  if (sinks > 1)
    return emitOpError() << "has " << sinks
                         << " ends, a pass has one of 'commit', 'to_trf' and "
                            "'to_vrf'";
  return verifySlices(*this, getSlices());
}

LogicalResult ConfigGenerateOp::verify() {
  if (getValue() > UINT32_MAX)
    return emitOpError() << "writes " << getValue()
                         << ", which is no number of 32 bits";
  return verifySlices(*this, getSlices());
}

LogicalResult ConfigLoopOp::verify() { return verifyCommands(getBody()); }
