//===- TcpSwitchShapes.cpp - Topologies of the switch engine --------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Dialect/Tcp/IR/TcpSwitchShapes.h"
#include "ShapeChecks.h"
#include "SliceIndex.h"
#include "sequin/Machine/TcpIsa.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::tcp;
using namespace sequin::tcp_isa;

namespace {

/// The mappings around a switch, and what regular topologies cut them into.
struct SwitchMappings {
  SwitchOp op;
  EmitError emitError;
  StreamAxes axes;
  Mapping slice, time, outSlice, outTime;
  int64_t slice1, slice0, ring;
  /// The parts of the slices: [slice2, slice1, slice0].
  Mapping part2, part1, part0;

  SwitchMappings(SwitchOp op, EmitError emitError)
      : op(op), emitError(emitError),
        axes(cast<StreamType>(op.getInput().getType())) {
    auto input = cast<StreamType>(op.getInput().getType());
    auto output = cast<StreamType>(op.getResult().getType());
    slice = input.getGrid().getSliceMapping();
    time = input.getTimeMapping();
    outSlice = output.getGrid().getSliceMapping();
    outTime = output.getTimeMapping();
  }

  LogicalResult cutSlices();
  LogicalResult requireFewRoutes(int64_t sources);
  LogicalResult requireTile(const Mapping &part);
  LogicalResult requireOuter();
  FailureOr<Mapping> concatenate(ArrayRef<Mapping> parts);
  LogicalResult requireSlices(ArrayRef<Mapping> parts);
  LogicalResult requireTime(ArrayRef<Mapping> parts);
};

} // namespace

/// [slice2, slice1, slice0] of the input.
LogicalResult SwitchMappings::cutSlices() {
  slice1 = *op.getSlice1();
  slice0 = *op.getSlice0();
  if (slice0 > slice.size() / slice1)
    return emitError() << "slice1 = " << slice1 << " and slice0 = " << slice0
                       << " make rings larger than the " << slice.size()
                       << " slices";
  ring = slice1 * slice0;
  if (failed(requireFewRoutes(ring)))
    return failure();
  auto outer = report(slice.divide(ring), emitError, "slice");
  auto inner = report(slice.modulo(ring), emitError, "slice");
  if (failed(outer) || failed(inner))
    return failure();
  auto middle = report(inner->divide(slice0), emitError, "slice");
  auto lowest = report(inner->modulo(slice0), emitError, "slice");
  if (failed(middle) || failed(lowest))
    return failure();
  part2 = *outer;
  part1 = *middle;
  part0 = *lowest;
  return success();
}

/// Every slice has a route from each of its sources, all of which are listed.
LogicalResult SwitchMappings::requireFewRoutes(int64_t sources) {
  constexpr int64_t kMostRoutes = int64_t(1) << 22;
  if (sources <= kMostRoutes / slice.size())
    return success();
  return emitError() << "routes " << slice.size() << " slices from " << sources
                     << " each, together more than " << kMostRoutes;
}

/// Slices over which data is repeated have an axis that the stream has not.
LogicalResult SwitchMappings::requireTile(const Mapping &part) {
  llvm::StringMap<unsigned> found;
  collectAxes(part, found);
  for (const auto &[name, size] : part.axes().axes())
    if (found.contains(name) && axes.has(name))
      return emitError() << "slices \"" << part.str()
                         << "\" repeat data, so their axis must be new; the "
                            "stream already has "
                         << name;
  return success();
}

LogicalResult SwitchMappings::requireOuter() {
  auto outer = report(outSlice.divide(ring), emitError, "slice");
  if (failed(outer))
    return failure();
  return requireEqual(*outer, part2, emitError,
                      "outer part of the switched slices");
}

FailureOr<Mapping> SwitchMappings::concatenate(ArrayRef<Mapping> parts) {
  Mapping whole = parts.front();
  for (const Mapping &part : parts.drop_front()) {
    auto longer = pairOf(whole, part, emitError);
    if (failed(longer))
      return failure();
    whole = *longer;
  }
  return whole;
}

LogicalResult SwitchMappings::requireSlices(ArrayRef<Mapping> parts) {
  auto expected = concatenate(parts);
  if (failed(expected))
    return failure();
  return requireEqual(outSlice, *expected, emitError, "switched slice");
}

LogicalResult SwitchMappings::requireTime(ArrayRef<Mapping> parts) {
  auto expected = concatenate(parts);
  if (failed(expected))
    return failure();
  return requireEqual(outTime, *expected, emitError, "switched time");
}

//===----------------------------------------------------------------------===//
// Regular topologies
//===----------------------------------------------------------------------===//

/// The routers of `size` slices, where `sourcesOf` gives the sources inside a
/// ring of the slice at a place of the ring.
template <typename SourcesOf>
static void addRouters(RoutingShape &shape, int64_t size, SourcesOf sourcesOf) {
  shape.routers.resize(size);
  for (int64_t i = 0; i < size; ++i) {
    sourcesOf(i % shape.ringSize, shape.routers[i]);
    for (int64_t &source : shape.routers[i].sources)
      source += i / shape.ringSize * shape.ringSize;
  }
}

static FailureOr<SwitchShape> broadcast01Shape(SwitchMappings &in) {
  int64_t time0 = *in.op.getTime0();
  auto time1 = report(in.time.divide(time0), in.emitError, "time");
  auto inner = report(in.time.modulo(time0), in.emitError, "time");
  if (failed(time1) || failed(inner))
    return failure();
  auto tile = report(in.outSlice.modulo(in.ring), in.emitError, "slice");
  if (failed(in.requireOuter()) || failed(tile) ||
      failed(in.requireTile(*tile)) ||
      failed(in.requireTime({*time1, in.part1, *inner, in.part0})))
    return failure();
  SwitchShape shape;
  shape.groupSlices = in.slice0;
  shape.groupPackets = time0;
  shape.routing.ringSize = in.ring;
  addRouters(shape.routing, in.slice.size(), [&](int64_t, auto &router) {
    llvm::append_range(router.sources, llvm::seq<int64_t>(0, in.ring));
  });
  shape.routing.packets = {{in.time.size(), 1}};
  return shape;
}

/// All of slice1, at the same place of slice0.
static void addColumn(SwitchMappings &in, int64_t place,
                      SmallVectorImpl<int64_t> &sources) {
  for (int64_t i = 0; i < in.slice1; ++i)
    sources.push_back(i * in.slice0 + place % in.slice0);
}

static FailureOr<SwitchShape> broadcast1Shape(SwitchMappings &in) {
  auto inner = report(in.outSlice.modulo(in.ring), in.emitError, "slice");
  if (failed(in.requireOuter()) || failed(inner))
    return failure();
  auto tile = report(inner->divide(in.slice0), in.emitError, "slice");
  auto lowest = report(inner->modulo(in.slice0), in.emitError, "slice");
  if (failed(tile) || failed(lowest) ||
      failed(requireEqual(*lowest, in.part0, in.emitError,
                          "inner part of the switched slices")) ||
      failed(in.requireTile(*tile)) ||
      failed(in.requireTime({in.time, in.part1})))
    return failure();
  SwitchShape shape;
  shape.groupSlices = shape.routing.ringSize = in.ring;
  addRouters(shape.routing, in.slice.size(), [&](int64_t place, auto &router) {
    addColumn(in, place, router.sources);
  });
  shape.routing.packets = {{in.time.size(), 1}};
  return shape;
}

static FailureOr<SwitchShape> transposeShape(SwitchMappings &in) {
  if (failed(in.requireSlices({in.part2, in.part0, in.part1})) ||
      failed(in.requireTime({in.time})))
    return failure();
  SwitchShape shape;
  shape.groupSlices = shape.routing.ringSize = in.ring;
  addRouters(shape.routing, in.slice.size(), [&](int64_t place, auto &router) {
    router.sources = {place % in.slice1 * in.slice0 + place / in.slice1};
  });
  shape.routing.packets = {{in.time.size(), 1}};
  return shape;
}

static FailureOr<SwitchShape> interTransposeShape(SwitchMappings &in) {
  int64_t time0 = *in.op.getTime0();
  auto outer = report(in.time.divide(time0), in.emitError, "time");
  auto inner = report(in.time.modulo(time0), in.emitError, "time");
  if (failed(outer) || failed(inner))
    return failure();
  // time1 takes the place of slice1 and has its size.
  auto time2 = report(outer->divide(in.slice1), in.emitError, "time");
  auto time1 = report(outer->modulo(in.slice1), in.emitError, "time");
  if (failed(time2) || failed(time1) ||
      failed(in.requireSlices({in.part2, *time1, in.part0})) ||
      failed(in.requireTime({*time2, *inner, in.part1})))
    return failure();
  SwitchShape shape;
  shape.groupSlices = shape.routing.ringSize = in.ring;
  addRouters(shape.routing, in.slice.size(), [&](int64_t place, auto &router) {
    addColumn(in, place, router.sources);
    router.firstPacket = place / in.slice0 * time0;
  });
  shape.routing.packets = {{time2->size(), in.slice1 * time0}, {time0, 1}};
  return shape;
}

//===----------------------------------------------------------------------===//
// Custom topologies
//===----------------------------------------------------------------------===//

/// What a slice of the result takes per packet: the slices that hold `moved` at
/// each of its positions, together with what the slice holds itself.
static LogicalResult findSources(SwitchMappings &in,
                                 const PositionIndex &slices,
                                 const Mapping &moved, int64_t slice,
                                 SmallVectorImpl<int64_t> &sources) {
  std::optional<Coordinates> own = in.axes.at(in.outSlice, slice);
  if (!own)
    return success();
  for (int64_t i = 0; i < moved.size(); ++i) {
    std::optional<Coordinates> wanted = in.axes.at(moved, i);
    if (!wanted)
      return in.emitError() << "time axes \"" << moved.normalStr()
                            << "\" that come from slices have padding at "
                               "position "
                            << i << ", which no slice sends";
    for (auto [coordinate, more] : llvm::zip_equal(*wanted, *own))
      coordinate += more;
    std::optional<int64_t> source = slices.nearest(*wanted, slice);
    if (!source)
      return in.emitError()
             << "slice " << slice << " of the result needs "
             << in.axes.describe(*wanted) << ", which no slice of \""
             << in.slice.str() << "\" holds";
    if (!sources.empty() && *source <= sources.back())
      return in.emitError()
             << "time axes \"" << moved.normalStr()
             << "\" that come from slices must keep their order: slice "
             << slice << " of the result takes slice " << *source
             << " after slice " << sources.back();
    sources.push_back(*source);
  }
  return success();
}

static FailureOr<SwitchShape> customShape(SwitchMappings &in) {
  int64_t ring = *in.op.getRingSize();
  if (!llvm::isPowerOf2_64(ring) || ring > in.slice.size())
    return in.emitError() << "ring_size is " << ring
                          << ", it must be a power of two up to the "
                          << in.slice.size() << " slices";
  // [time, what comes from the slices].
  if (in.outTime.size() % in.time.size() != 0)
    return in.emitError() << "switched time \"" << in.outTime.str() << "\" has "
                          << in.outTime.size()
                          << " steps, expected a multiple of the "
                          << in.time.size() << " steps of \"" << in.time.str()
                          << "\"";
  int64_t count = in.outTime.size() / in.time.size();
  if (failed(in.requireFewRoutes(count)))
    return failure();
  auto outer = report(in.outTime.divide(count), in.emitError, "time");
  auto moved = report(in.outTime.modulo(count), in.emitError, "time");
  if (failed(outer) || failed(moved) ||
      failed(requireEqual(*outer, in.time, in.emitError,
                          "switched time outside the axes that come from "
                          "slices, which must be innermost,")))
    return failure();

  SwitchShape shape;
  PositionIndex slices(in.axes, in.slice);
  shape.routing.routers.resize(in.outSlice.size());
  for (int64_t i = 0; i < in.outSlice.size(); ++i)
    if (failed(findSources(in, slices, *moved, i,
                           shape.routing.routers[i].sources)))
      return failure();
  int64_t needed = smallestRing(shape.routing);
  if (ring < needed)
    return in.emitError() << "ring_size is " << ring << ", rings of " << needed
                          << " slices are needed to connect every slice with "
                             "those it takes packets of";
  shape.custom = true;
  shape.groupSlices = shape.routing.ringSize = ring;
  shape.routing.packets = {{in.time.size(), 1}};
  return shape;
}

//===----------------------------------------------------------------------===//
// Switch
//===----------------------------------------------------------------------===//

/// Every topology has its own parameters, all of which must be there.
static LogicalResult verifyParameters(SwitchOp op, EmitError emitError) {
  SwitchTopology topology = op.getTopology();
  bool custom = topology == SwitchTopology::CustomBroadcast;
  bool time0 = topology == SwitchTopology::Broadcast01 ||
               topology == SwitchTopology::InterTranspose;
  std::tuple<StringRef, bool, bool> parameters[] = {
      {"slice1", op.getSlice1().has_value(), !custom},
      {"slice0", op.getSlice0().has_value(), !custom},
      {"time0", op.getTime0().has_value(), time0},
      {"ring_size", op.getRingSize().has_value(), custom}};
  for (auto [name, found, wanted] : parameters)
    if (found != wanted)
      return emitError() << stringifySwitchTopology(topology)
                         << (wanted ? " needs " : " has no parameter ") << name;
  return success();
}

FailureOr<SwitchShape> tcp::inferSwitchShape(SwitchOp op, EmitError emitError) {
  if (failed(verifyParameters(op, emitError)))
    return failure();
  SwitchMappings in(op, emitError);
  if (in.outSlice.size() != in.slice.size())
    return emitError() << "slice mapping \"" << in.outSlice.str()
                       << "\" has size " << in.outSlice.size()
                       << ", the switch connects the " << in.slice.size()
                       << " slices of \"" << in.slice.str() << "\"";
  if (op.getTopology() == SwitchTopology::CustomBroadcast)
    return customShape(in);
  if (failed(in.cutSlices()))
    return failure();
  switch (op.getTopology()) {
  case SwitchTopology::Broadcast01:
    return broadcast01Shape(in);
  case SwitchTopology::Broadcast1:
    return broadcast1Shape(in);
  case SwitchTopology::Transpose:
    return transposeShape(in);
  case SwitchTopology::InterTranspose:
    return interTransposeShape(in);
  case SwitchTopology::CustomBroadcast:
    break;
  }
  llvm_unreachable("unknown topology");
}

//===----------------------------------------------------------------------===//
// Collect
//===----------------------------------------------------------------------===//

FailureOr<int64_t> tcp::inferCollectFlits(CollectOp op, EmitError emitError) {
  auto input = cast<StreamType>(op.getInput().getType());
  auto output = cast<StreamType>(op.getResult().getType());
  int64_t flit = elementsIn(input.getElementType(), kFlitBytes);
  Mapping packet = output.getPacketMapping();
  if (packet.size() != flit)
    return emitError() << "collect packet \"" << output.getPacket().getText()
                       << "\" has " << packet.size() << " elements of "
                       << output.getElementType() << ", one flit of "
                       << kFlitBytes << " bytes holds " << flit;
  int64_t size = input.getPacketMapping().size();
  int64_t flits = llvm::divideCeil(size, flit);
  auto padded =
      report(input.getPacketMapping().pad(flits * flit), emitError, "collect");
  if (failed(padded))
    return failure();
  auto expected = pairOf(input.getTimeMapping(), *padded, emitError);
  auto found = pairOf(output.getTimeMapping(), packet, emitError);
  if (failed(expected) || failed(found) ||
      failed(requireEqual(*found, *expected, emitError, "collected stream")))
    return failure();
  return flits;
}
