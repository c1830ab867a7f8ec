//===- TcpConfigOps.cpp - The hardware configuration as IR ----------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Dialect/Tcp/IR/TcpDialect.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::tcp;

LogicalResult ConfigOp::verify() {
  const TcpMachine *machine = lookupTcpMachine(getTarget());
  if (!machine)
    return emitOpError() << "has unknown target \"" << getTarget()
                         << "\", known are " << knownMachineNames();
  for (Operation &op : *getBody().begin())
    if (!isa<ConfigTransferOp, ConfigDmaOp, ConfigExecOp, ConfigGenerateOp,
             ConfigLoopOp>(op))
      return op.emitOpError() << "is not a configuration command";
  return success();
}
