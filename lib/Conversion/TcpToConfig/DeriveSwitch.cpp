//===- DeriveSwitch.cpp - Traffic between slices --------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The switch engine, the collect engine and the inter-slice block.
//
//===----------------------------------------------------------------------===//

#include "ExecDeriver.h"
#include "sequin/Dialect/Tcp/IR/TcpSwitchShapes.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::derivation;
using Router = tcp::RoutingShape::Router;

/// Whether `router` is `other`, `distance` slices further on. A slice without
/// data may be set like any other.
static bool repeats(const Router &router, const Router &other,
                    int64_t distance) {
  if (router.sources.empty())
    return true;
  if (router.sources.size() != other.sources.size() ||
      router.firstPacket != other.firstPacket)
    return false;
  return llvm::all_of(
      llvm::zip_equal(router.sources, other.sources), [&](auto pair) {
        return std::get<0>(pair) == std::get<1>(pair) + distance;
      });
}

/// The fewest slices, whole rings, after which the routers repeat.
static int64_t periodOf(const tcp::RoutingShape &shape, int64_t slices) {
  int64_t period = shape.ringSize;
  auto holds = [&] {
    for (int64_t i = period, size = shape.routers.size(); i < size; ++i)
      if (!repeats(shape.routers[i], shape.routers[i % period],
                   i / period * period))
        return false;
    return true;
  };
  while (period < slices && (slices % period != 0 || !holds()))
    period += shape.ringSize;
  return period;
}

static FailureOr<config::Routing> toRouting(Operation *op,
                                            const tcp::RoutingShape &shape,
                                            const TcpMachine &machine) {
  int64_t slices = machine.slicesPerCluster;
  if (slices % shape.ringSize != 0)
    return op->emitOpError()
           << "needs rings of " << shape.ringSize << " slices, the " << slices
           << " slices of a cluster of machine \"" << machine.name
           << "\" are no whole rings";
  config::Routing routing;
  routing.ringSize = shape.ringSize;
  int64_t period = periodOf(shape, slices);
  for (int64_t i = 0; i < period; ++i) {
    config::RouterSetting setting;
    if (i < static_cast<int64_t>(shape.routers.size())) {
      const Router &router = shape.routers[i];
      setting.firstPacket = router.firstPacket;
      for (int64_t source : router.sources) {
        setting.sources.resize(
            std::max<size_t>(setting.sources.size(), source / 64 + 1));
        setting.sources[source / 64] |= uint64_t(1) << (source % 64);
      }
    }
    if (!routing.routers.empty() &&
        routing.routers.back().sources == setting.sources &&
        routing.routers.back().firstPacket == setting.firstPacket)
      ++routing.routers.back().slices;
    else
      routing.routers.push_back(std::move(setting));
  }
  for (auto [size, distance] : shape.packets)
    routing.packets.push_back({size, distance});
  return routing;
}

LogicalResult ExecDeriver::stage(tcp::SwitchOp op) {
  auto shape = tcp::inferSwitchShape(op, [&] { return op.emitOpError(); });
  if (failed(shape))
    return failure();
  auto routing = toRouting(op, shape->routing, machine);
  if (failed(routing))
    return failure();
  command.switching =
      config::SwitchStage{std::move(*routing), shape->groupSlices,
                          shape->groupPackets, shape->custom};
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

static config::InterSliceOpcode opcodeOf(tcp::InterSliceOp op) {
  switch (op) {
  case tcp::InterSliceOp::Add:
    return config::InterSliceOpcode::Add;
  case tcp::InterSliceOp::AddSat:
    return config::InterSliceOpcode::AddSat;
  case tcp::InterSliceOp::Max:
    return config::InterSliceOpcode::Max;
  case tcp::InterSliceOp::Min:
    return config::InterSliceOpcode::Min;
  case tcp::InterSliceOp::Mul:
    return config::InterSliceOpcode::Mul;
  }
  llvm_unreachable("unknown reduction over slices");
}

LogicalResult ExecDeriver::stage(tcp::VectorInterSliceReduceOp op) {
  auto shape = tcp::inferInterSliceShape(op, [&] { return op.emitOpError(); });
  if (failed(shape))
    return failure();
  auto routing = toRouting(op, *shape, machine);
  if (failed(routing))
    return failure();
  auto output = cast<tcp::StreamType>(op.getResult().getType());
  vector(op).interSlice = config::InterSliceStage{
      opcodeOf(op.getOp()), *tcp::getElementKind(output.getElementType()),
      std::move(*routing)};
  return setSliceMask(op, output.getGrid());
}
