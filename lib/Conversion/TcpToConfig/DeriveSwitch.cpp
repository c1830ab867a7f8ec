//===- DeriveSwitch.cpp - Switch and collect engines ----------------------===//
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

LogicalResult ExecDeriver::stage(tcp::SwitchOp op) {
  command.broadcast01 =
      config::SwitchStage{static_cast<int64_t>(op.getSlice1()),
                          static_cast<int64_t>(op.getSlice0()),
                          static_cast<int64_t>(op.getTime0())};
  // From here on the slices are those of the result.
  auto output = cast<tcp::StreamType>(op.getResult().getType());
  return setSliceMask(op, output.getGrid());
}

LogicalResult ExecDeriver::stage(tcp::CollectOp op) {
  auto flits = tcp::inferCollectFlits(op, [&] { return op.emitOpError(); });
  if (failed(flits))
    return failure();
  command.collect.packetBytes =
      cast<tcp::StreamType>(op.getInput().getType()).getPacketBytes();
  command.collect.flitsPerPacket = *flits;
  return success();
}
