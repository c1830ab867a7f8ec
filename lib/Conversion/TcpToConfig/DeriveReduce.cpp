//===- DeriveReduce.cpp - Reduction inside a slice ------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExecDeriver.h"
#include "sequin/Dialect/Tcp/IR/TcpReduceShapes.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::derivation;

config::ValidCountGenerator
derivation::toConfig(const ValidCountConfig &config) {
  using Generator = config::ValidCountGenerator;
  static_assert(Generator::kUnassigned == ValidCountConfig::kUnassigned &&
                Generator::kPacketDim == ValidCountConfig::kPacketDim &&
                Generator::kFirstGate == ValidCountConfig::kFirstGate);
  Generator result;
  for (const ValidCountConfig::Counter &counter : config.counters)
    result.counters.push_back({counter.limit, counter.dim, counter.stride});
  result.packetValid = config.packetValid;
  for (const ValidCountConfig::Gate &gate : config.gates)
    result.gates.push_back(
        {gate.mask, gate.match, gate.valid, gate.transposed});
  return result;
}

static config::IntraSliceReduceOp opOf(tcp::IntraSliceReduceKind kind,
                                       bool isFloat) {
  using Op = config::IntraSliceReduceOp;
  switch (kind) {
  case tcp::IntraSliceReduceKind::AddSat:
    return Op::AddSat;
  case tcp::IntraSliceReduceKind::Add:
    return Op::AddF;
  case tcp::IntraSliceReduceKind::Max:
    return isFloat ? Op::MaxF : Op::Max;
  case tcp::IntraSliceReduceKind::Min:
    return isFloat ? Op::MinF : Op::Min;
  }
  llvm_unreachable("unknown reduction");
}

LogicalResult ExecDeriver::stage(tcp::VectorIntraSliceReduceOp op) {
  auto shape = tcp::inferIntraSliceReduce(op, machine.validCount,
                                          [&] { return op.emitOpError(); });
  if (failed(shape))
    return failure();
  config::VectorStage &vector = this->vector(op);
  auto input = cast<tcp::StreamType>(op.getInput().getType());
  config::IntraSliceReduceStage stage;
  stage.op = opOf(op.getOp(), input.getElementType().isF32());
  stage.tree = shape->tree;
  for (const tcp::IntraSliceReduceShape::Loop &loop : shape->loops)
    stage.loops.push_back({loop.size, loop.slotStride, loop.reduced});
  vector.intraSliceReduce = std::move(stage);

  // There is one generator. A branch has set it to count all axes of the
  // stream; what is padding of another axis is no result of this reduction.
  if (vector.validCount) {
    tcp::StreamType entry = tcp::getIntraSliceEntry(op);
    auto walks = [&](const Mapping &mapping) {
      return llvm::any_of(mapping.factors(), [&](const Factor &factor) {
        return factor.base == op.getAxis();
      });
    };
    if (shape->validCount &&
        !(entry &&
          (walks(entry.getTimeMapping()) || walks(entry.getPacketMapping()) ||
           walks(entry.getGrid().getSliceMapping()))))
      return op.emitOpError()
             << "counts the elements of axis \"" << op.getAxis()
             << "\", which the valid count generator does "
                "not for the branch";
    return success();
  }
  if (shape->validCount)
    vector.validCount = toConfig(*shape->validCount);
  return success();
}
