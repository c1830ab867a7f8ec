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

using Settings = std::vector<config::RouterSetting>;

/// Neighbours that are set alike in one setting.
static Settings joinNeighbours(ArrayRef<config::RouterSetting> bySlice) {
  Settings joined;
  for (const config::RouterSetting &setting : bySlice)
    if (!joined.empty() && joined.back().sources == setting.sources &&
        joined.back().firstPacket == setting.firstPacket)
      ++joined.back().slices;
    else
      joined.push_back(setting);
  return joined;
}

/// The fewest slices of a ring after which its settings repeat, but for first
/// packets that are ever as many further; and how many.
static std::pair<int64_t, int64_t>
periodInRing(ArrayRef<config::RouterSetting> bySlice) {
  int64_t ring = bySlice.size();
  for (int64_t period = 1; period < ring; ++period) {
    int64_t packets = bySlice[period].firstPacket - bySlice[0].firstPacket;
    if (ring % period == 0 && packets >= 0 &&
        llvm::all_of(llvm::seq(period, ring), [&](int64_t i) {
          const config::RouterSetting &before = bySlice[i - period];
          return bySlice[i].sources == before.sources &&
                 bySlice[i].firstPacket == before.firstPacket + packets;
        }))
      return {period, packets};
  }
  return {ring, 0};
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
  Settings bySlice;
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
    bySlice.push_back(std::move(setting));
  }
  routing.routers = joinNeighbours(bySlice);
  // A ring of 256 slices in columns would otherwise be 256 bitmaps.
  if (period == shape.ringSize) {
    auto [columns, packets] = periodInRing(bySlice);
    Settings once = joinNeighbours(ArrayRef(bySlice).take_front(columns));
    if (once.size() < routing.routers.size()) {
      routing.routers = std::move(once);
      routing.period = columns;
      routing.periodPackets = packets;
    }
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
