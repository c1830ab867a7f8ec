//===- ValidCount.cpp - Which elements of a stream are real data ----------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Stream/ValidCount.h"
#include "FactorList.h"
#include "Saturating.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"

using namespace sequin;
using llvm::ArrayRef;
using llvm::StringRef;
using llvm::Twine;
using Placement = ValidCountPlacement;

namespace {

/// One digit of an axis in one dimension of the stream.
struct Part {
  int64_t stride = 1; ///< coordinate per digit
  int64_t extent = 1; ///< positions
  /// Digits that hold data; below `extent` only if the part was padded after it
  /// had been split off, so that the end of the axis does not say it.
  int64_t valid = 1;
  int64_t position = 1; ///< positions of the dimension per digit

  bool isPadded() const { return valid < extent; }
};
using Parts = llvm::SmallVector<Part, 4>; // innermost first

/// All of an axis.
struct AxisParts {
  StringRef name;
  int64_t size = 0;
  /// Coordinates of data are below this; less than the size for a view that
  /// begins inside the axis.
  int64_t limit = 0;
  Parts outer, slice, time, packet;
  /// Whether it is in a packet that ends in padding.
  bool inPaddedPacket = false;
  /// Text of a term that cannot be followed.
  std::string opaque;

  llvm::Error refuse(const ValidCountStream &stream, const Twine &why) const;
  bool needsCount() const;
};

/// A gate that is still to be numbered.
struct GatePlan {
  ValidCountConfig::Gate gate;
  /// Counters: digit position in time and stride.
  llvm::SmallVector<std::pair<int64_t, int64_t>, 4> counters;
  /// Without slices: the packet dim can stand in for it.
  bool timeOnly = false;
};

/// What one axis needs.
struct AxisPlan {
  Placement placement = Placement::NoPadding;
  std::optional<GatePlan> gate;
  /// Packet dim: stride_p (0: not used), V_p, counters as in GatePlan.
  int64_t lanes = 0;
  int64_t packetValid = 0;
  llvm::SmallVector<std::pair<int64_t, int64_t>, 4> packetCounters;
};

} // namespace

//===----------------------------------------------------------------------===//
// Reading mappings
//===----------------------------------------------------------------------===//

/// Whether a term speaks of the axis, at any depth of brackets.
static bool mentions(const MappingTerm &term, StringRef axis) {
  const MappingAtom &atom = term.atom;
  if (atom.kind == MappingAtom::Kind::Axis)
    return atom.name == axis;
  return atom.group && llvm::any_of(atom.group->terms, [&](const auto &inner) {
           return mentions(inner, axis);
         });
}

/// Whether the base of a factor is the axis or made of it.
static bool involves(const Factor &factor, StringRef axis) {
  if (factor.kind == Factor::Kind::Axis)
    return factor.base == axis;
  if (!factor.composite)
    return false;
  auto inside = [&](ArrayRef<Factor> factors) {
    return llvm::any_of(factors,
                        [&](const Factor &f) { return involves(f, axis); });
  };
  return inside(factor.composite->factors) ||
         llvm::any_of(factor.composite->sliding,
                      [&](const auto &term) { return inside(term.factors); });
}

/// `R # p / k % m ...` read operator by operator, which keeps the parts that
/// hold no data at all and are anonymous in the normal form. nullopt if it is
/// not only padding at the high end, splitting and views.
static std::optional<Part> readChain(const MappingTerm &term, int64_t size,
                                     int64_t &offset) {
  Part part;
  part.extent = part.valid = size;
  bool whole = true; // nothing was split off or cut yet
  for (const MappingOp &op : term.ops) {
    switch (op.kind) {
    case MappingOp::Kind::Divide:
      part.stride = saturatingMul(part.stride, op.n);
      part.extent /= op.n;
      part.valid = llvm::divideCeil(part.valid, op.n);
      break;
    case MappingOp::Kind::Modulo:
      if (op.n < part.extent)
        whole = false;
      part.extent = op.n;
      part.valid = std::min(part.valid, op.n);
      break;
    case MappingOp::Kind::Pad:
    case MappingOp::Kind::PadZero:
      if (op.low)
        return std::nullopt;
      // The end of the axis says where the data ends, if it is still in reach.
      part.extent = op.n;
      if (whole)
        part.valid = op.n;
      break;
    case MappingOp::Kind::View:
      if (op.low + op.n > part.valid)
        return std::nullopt;
      if (op.n < part.extent)
        whole = false;
      offset += op.low * part.stride;
      part.extent = part.valid = op.n;
      break;
    case MappingOp::Kind::Lookup:
      return std::nullopt;
    }
  }
  return part;
}

static int64_t sizeOf(const Mapping::Term &term) {
  return factors::sizeOf(term.factors);
}

/// Adds the parts of the axis in one dimension, innermost first.
static void readParts(const Mapping &mapping, AxisParts &axis, Parts &parts,
                      bool isStream) {
  int64_t position = 1;
  for (const Mapping::Term &term : llvm::reverse(mapping.terms())) {
    int64_t size = sizeOf(term);
    auto parsed = MappingExpr::parse(term.text);
    if (!parsed) {
      // A term's text comes from an expression that was parsed before.
      llvm::consumeError(parsed.takeError());
      axis.opaque = term.text;
      return;
    }
    bool named = llvm::any_of((*parsed)->terms, [&](const MappingTerm &inner) {
      return mentions(inner, axis.name);
    });
    if (!named) {
      position *= size;
      continue;
    }
    const MappingTerm &first = (*parsed)->terms.front();
    if ((*parsed)->terms.size() == 1 &&
        first.atom.kind == MappingAtom::Kind::Axis) {
      int64_t offset = 0;
      if (auto part = readChain(first, axis.size, offset)) {
        axis.limit -= offset;
        part->position = position;
        if (part->extent > 1)
          parts.push_back(*part);
        position *= size;
        continue;
      }
    }
    // Brackets with operators: by the normal form, if it still tells R apart.
    for (const Factor &f : llvm::reverse(term.factors)) {
      bool own = f.kind == Factor::Kind::Axis && f.base == axis.name;
      // Padding of such a term may be R's; slices of it take no part.
      bool unclear = isStream && !own && (f.isPadded() || f.composite);
      if ((involves(f, axis.name) && !own) || unclear || (own && f.first)) {
        axis.opaque = term.text;
        return;
      }
      if (own) {
        axis.limit -= f.offset;
        Part part{f.stride, f.extent,
                  factors::isLimitedByBase(f) ? f.extent : f.valid, position};
        if (part.extent > 1)
          parts.push_back(part);
      }
      position *= f.extent;
    }
  }
}

//===----------------------------------------------------------------------===//
// Cases
//===----------------------------------------------------------------------===//

static int64_t reachOf(ArrayRef<Part> parts) {
  int64_t reach = 0;
  for (const Part &part : parts)
    reach = saturatingAdd(reach, saturatingMul(part.valid - 1, part.stride));
  return reach;
}

bool AxisParts::needsCount() const {
  auto isPadded = [](const Part &part) { return part.isPadded(); };
  if (llvm::any_of(time, isPadded) || inPaddedPacket)
    return true;
  int64_t largest = 0;
  for (const Parts *parts : {&outer, &slice, &time, &packet})
    largest = saturatingAdd(largest, reachOf(*parts));
  return largest >= limit;
}

llvm::Error AxisParts::refuse(const ValidCountStream &stream,
                              const Twine &why) const {
  std::string found;
  auto add = [&](StringRef name, const Parts &parts, const Mapping &mapping) {
    if (parts.empty())
      return;
    found +=
        (found.empty() ? "" : " + ") + name.str() + " '" + mapping.str() + "'";
  };
  if (!outer.empty()) {
    add("Chip", outer, stream.chip);
    add("Cluster", outer, stream.cluster);
  }
  add("Slice", slice, stream.slice);
  add("Time", time, stream.time);
  add("Packet", packet, stream.packet);
  return llvm::createStringError(
      "the padding of axis '" + name + "' (size " + Twine(size) + ") in " +
      found + " cannot be told from data: " + why +
      "; the valid count generator supports Time, Slice, Slice (outer part) + "
      "Time (inner part), Slice (inner part) + Time (outer part) without spare "
      "time steps, Packet, and Time + Packet (innermost part)");
}

/// The gate for the parts of an axis in slices and time, whose coordinates are
/// data below `limit`.
static llvm::Expected<GatePlan> planGate(const AxisParts &axis,
                                         const ValidCountStream &stream,
                                         ArrayRef<Part> slice,
                                         ArrayRef<Part> time, int64_t limit,
                                         Placement &placement) {
  GatePlan plan;
  const Part *padded =
      llvm::find_if(time, [](const Part &part) { return part.isPadded(); });
  if (padded != time.end()) {
    // One threshold is enough if nothing else ends inside the stream.
    if (saturatingAdd(reachOf(slice), reachOf(time)) >= limit ||
        llvm::count_if(time, [](const Part &part) { return part.isPadded(); }) >
            1)
      return axis.refuse(stream,
                         "a part in Time is padded after it was split off");
    plan.gate = {0, 0, padded->valid, false};
    plan.counters.emplace_back(padded->position, 1);
    plan.timeOnly = true;
    return plan;
  }
  if (slice.empty()) {
    plan.gate = {0, 0, limit, false};
    for (const Part &part : time)
      plan.counters.emplace_back(part.position, part.stride);
    plan.timeOnly = true;
    return plan;
  }

  // Inner to outer, each part goes on where the one before ends.
  int64_t begin = slice.front().stride, end = begin;
  for (const Part &part : slice) {
    if (part.stride != end)
      return axis.refuse(
          stream,
          part.stride < end
              ? "its parts in Slice do not ascend from the inside out, "
                "so that the slices with data do not come first"
              : "its parts in Slice leave a gap at stride " + Twine(end));
    end = saturatingMul(end, part.valid);
  }

  // Bits of the slice number.
  int64_t total = stream.slice.size(), match = 0;
  auto digitBits = [&](const Part &part) -> std::optional<int64_t> {
    int64_t above = part.position * part.extent;
    bool outermost = true;
    int64_t position = total;
    for (const Factor &f : stream.slice.factors()) {
      position /= f.extent;
      outermost &= position < above || f.isPaddingOnly();
    }
    if (!llvm::isPowerOf2_64(part.position) ||
        (!outermost && !llvm::isPowerOf2_64(above)))
      return std::nullopt;
    return static_cast<int64_t>(llvm::PowerOf2Ceil(above)) - part.position;
  };
  for (const Part &part : slice) {
    std::optional<int64_t> bits = digitBits(part);
    if (!bits)
      return axis.refuse(stream,
                         "its part in Slice is not bits of the slice number: "
                         "the factors inside of it and its own have to be "
                         "powers of two");
    plan.gate.mask |= *bits;
  }

  int64_t reach = reachOf(time);
  bool inside =
      llvm::all_of(time, [&](const Part &part) { return part.stride < begin; });
  bool outside = llvm::all_of(
      time, [&](const Part &part) { return part.stride % end == 0; });
  if (inside && reach < begin) {
    match = limit / begin;
    plan.gate.valid = limit % begin;
    for (const Part &part : time)
      plan.counters.emplace_back(part.position, part.stride);
    placement = time.empty() ? Placement::Slice : Placement::SliceTime;
  } else if (outside) {
    int64_t steps = reach / end + 1;
    int64_t needed = llvm::divideCeil(limit, end);
    if (steps != needed)
      return axis.refuse(stream, "transposed, it has " + Twine(steps) +
                                     " time steps where its size needs " +
                                     Twine(needed));
    match = llvm::divideCeil(limit % end, begin);
    plan.gate.valid = limit / end;
    plan.gate.transposed = true;
    for (const Part &part : time)
      plan.counters.emplace_back(part.position, part.stride / end);
    placement = Placement::SliceTimeTransposed;
  } else {
    return axis.refuse(stream,
                       "its parts in Time are neither all inside nor all "
                       "outside of those in Slice, so that slices need more "
                       "than one threshold");
  }
  plan.gate.match = 0;
  for (const Part &part : slice) {
    plan.gate.match += match % part.valid * part.position;
    match /= part.valid;
  }
  return plan;
}

static llvm::Expected<AxisPlan> planAxis(const AxisParts &axis,
                                         const ValidCountStream &stream) {
  AxisPlan plan;
  if (!axis.needsCount())
    return plan;
  auto refuse = [&](const Twine &why) { return axis.refuse(stream, why); };
  if (axis.limit <= 0)
    return refuse("none of it is data");
  if (!axis.outer.empty())
    return refuse("it is spread over chips or clusters, whose slices have the "
                  "same numbers");

  if (axis.packet.empty()) {
    plan.placement = Placement::Time;
    auto gate = planGate(axis, stream, axis.slice, axis.time, axis.limit,
                         plan.placement);
    if (!gate)
      return gate.takeError();
    plan.gate = std::move(*gate);
    return plan;
  }

  // Packet: a prefix of the lanes, nothing but R and padding. Neighbours may be
  // one part.
  Part packet = axis.packet.front();
  for (const Part &part : llvm::ArrayRef(axis.packet).drop_front()) {
    if (packet.isPadded() || part.position != packet.position * packet.extent ||
        part.stride != saturatingMul(packet.stride, packet.extent))
      return refuse("it has " + Twine(axis.packet.size()) + " parts in Packet");
    packet.valid = packet.extent * part.valid;
    packet.extent *= part.extent;
  }
  for (const Factor &f : stream.packet.factors())
    if (f.extent > 1 && !f.isPaddingOnly() && !involves(f, axis.name))
      return refuse("Packet holds '" + f.str() +
                    "' too, which a prefix of the packet would cut");
  if (packet.stride != 1 || packet.position != 1)
    return refuse("its part in Packet is not its innermost part at the "
                  "beginning of the packet");
  int64_t lanes = packet.valid;
  if (llvm::any_of(axis.time, [](const Part &part) { return part.isPadded(); }))
    return refuse("a part in Time is padded after it was split off");

  plan.lanes = lanes;
  plan.packetValid = axis.limit;
  if (axis.slice.empty()) {
    plan.placement =
        axis.time.empty() ? Placement::Packet : Placement::TimePacket;
    for (const Part &part : axis.time)
      plan.packetCounters.emplace_back(part.position, part.stride);
    return plan;
  }

  // The packet is the same in every slice: full, or the only one.
  plan.placement =
      axis.time.empty() ? Placement::SlicePacket : Placement::SliceTimePacket;
  if (axis.limit % lanes != 0 && axis.limit > lanes)
    return refuse("slices would need packets of " + Twine(lanes) + " and of " +
                  Twine(axis.limit % lanes) +
                  " elements at the same time step, and the count within a "
                  "packet is the same in all slices");
  plan.packetValid = std::min(axis.limit, lanes);
  // What is left is where packets are.
  Parts slice = axis.slice, time = axis.time;
  for (Parts *parts : {&slice, &time})
    for (Part &part : *parts) {
      if (part.stride % lanes != 0)
        return refuse("its parts outside Packet are not whole packets");
      part.stride /= lanes;
    }
  int64_t packets = llvm::divideCeil(axis.limit, lanes);
  if (saturatingAdd(reachOf(slice), reachOf(time)) < packets)
    return plan;
  Placement rest = Placement::Time;
  auto gate = planGate(axis, stream, slice, time, packets, rest);
  if (!gate)
    return gate.takeError();
  plan.gate = std::move(*gate);
  return plan;
}

//===----------------------------------------------------------------------===//
// Counters
//===----------------------------------------------------------------------===//

namespace {
/// A digit of time and what it counts.
struct Counting {
  int64_t position;
  int64_t dim;
  int64_t stride;
};
} // namespace

/// Cuts time into counters at the positions of `counting`, fastest first; what
/// nobody counts is joined.
static llvm::Expected<llvm::SmallVector<ValidCountConfig::Counter, 8>>
makeCounters(const Mapping &time, ArrayRef<Counting> counting,
             ArrayRef<std::pair<int64_t, int64_t>> extents,
             const ValidCountLimits &limits) {
  using Counter = ValidCountConfig::Counter;
  llvm::SmallVector<std::pair<int64_t, Counter>, 8> digits; // position, counter
  for (const Counting &entry : counting)
    for (auto [position, extent] : extents)
      if (position == entry.position)
        digits.push_back({position, {extent, entry.dim, entry.stride}});
  llvm::sort(digits,
             [](const auto &a, const auto &b) { return a.first < b.first; });

  llvm::SmallVector<Counter, 8> counters;
  auto add = [&](Counter next) -> llvm::Error {
    // One digit of one dim.
    if (!counters.empty() && counters.back().dim == next.dim &&
        saturatingMul(counters.back().stride, counters.back().limit) ==
            next.stride) {
      next.limit = saturatingMul(next.limit, counters.back().limit);
      next.stride = counters.back().stride;
      counters.pop_back();
    }
    // Too long for one counter: two, the inner one as long as can be.
    while (next.limit > limits.maxSize) {
      int64_t inner = limits.maxSize;
      while (next.limit % inner)
        --inner;
      if (inner == 1)
        return llvm::createStringError(
            "a counter of " + Twine(next.limit) +
            " steps is needed, the valid count generator counts up to " +
            Twine(limits.maxSize) + ", which no factor reaches");
      counters.push_back({inner, next.dim, next.stride});
      next.limit /= inner;
      next.stride = saturatingMul(next.stride, inner);
    }
    counters.push_back(next);
    return llvm::Error::success();
  };
  int64_t done = 1;
  for (const auto &[position, counter] : digits) {
    if (position > done)
      if (llvm::Error error =
              add({position / done, ValidCountConfig::kUnassigned, 0}))
        return std::move(error);
    if (llvm::Error error = add(counter))
      return std::move(error);
    done = position * counter.limit;
  }
  if (time.size() > done)
    if (llvm::Error error =
            add({time.size() / done, ValidCountConfig::kUnassigned, 0}))
      return std::move(error);
  return counters;
}

llvm::Expected<ValidCountDerivation>
sequin::deriveValidCount(ArrayRef<StringRef> axes,
                         const ValidCountStream &stream,
                         const ValidCountLimits &limits) {
  if (stream.packet.size() != limits.lanes)
    return llvm::createStringError(
        "packet '" + stream.packet.str() + "' has " +
        Twine(stream.packet.size()) +
        " elements, the valid count generator counts flits of " +
        Twine(limits.lanes));
  llvm::SmallVector<std::pair<int64_t, int64_t>, 8> extents;
  llvm::SmallVector<AxisPlan, 4> plans;
  ValidCountDerivation result;
  for (StringRef name : axes) {
    AxisParts axis;
    axis.name = name;
    for (const Mapping *mapping : {&stream.slice, &stream.time, &stream.packet,
                                   &stream.cluster, &stream.chip})
      if (std::optional<int64_t> size = mapping->axes().lookup(name))
        axis.size = *size;
    if (!axis.size)
      return llvm::createStringError("the stream has no axis '" + name + "'");
    axis.limit = axis.size;
    readParts(stream.chip, axis, axis.outer, false);
    readParts(stream.cluster, axis, axis.outer, false);
    readParts(stream.slice, axis, axis.slice, false);
    readParts(stream.time, axis, axis.time, true);
    readParts(stream.packet, axis, axis.packet, true);
    axis.inPaddedPacket =
        !axis.packet.empty() &&
        llvm::any_of(stream.packet.factors(),
                     [](const Factor &f) { return f.isPadded(); });
    if (!axis.opaque.empty())
      return llvm::createStringError(
          "the padding of axis '" + name +
          "' cannot be told from data: term '" + axis.opaque +
          "' is not the axis padded at its end and then split");
    auto plan = planAxis(axis, stream);
    if (!plan)
      return plan.takeError();
    result.placements.push_back(plan->placement);
    for (const Part &part : axis.time)
      extents.emplace_back(part.position, part.extent);
    plans.push_back(std::move(*plan));
  }

  // Dims. A gate over time alone can be counted in whole flits by the packet
  // dim if nothing else needs that.
  ValidCountConfig &config = result.config;
  llvm::SmallVector<Counting, 8> counting;
  int64_t gates = llvm::count_if(
      plans, [](const AxisPlan &plan) { return plan.gate.has_value(); });
  int64_t packetLanes = 0;
  config.packetValid = limits.lanes;
  for (auto [index, plan] : llvm::enumerate(plans)) {
    if (!plan.lanes)
      continue;
    if (packetLanes)
      return llvm::createStringError("axis '" + axes[index] +
                                     "' is the second one whose padding in "
                                     "Packet is to be counted, the valid count "
                                     "generator has one packet dim");
    packetLanes = plan.lanes;
    config.packetValid = plan.packetValid;
    for (auto [position, stride] : plan.packetCounters)
      counting.push_back({position, ValidCountConfig::kPacketDim, stride});
  }
  for (auto [index, plan] : llvm::enumerate(plans)) {
    if (!plan.gate)
      continue;
    const GatePlan &gate = *plan.gate;
    if (gates > limits.maxGates && !packetLanes && gate.timeOnly) {
      --gates;
      packetLanes = limits.lanes;
      config.packetValid = saturatingMul(gate.gate.valid, limits.lanes);
      for (auto [position, stride] : gate.counters)
        counting.push_back({position, ValidCountConfig::kPacketDim,
                            saturatingMul(stride, limits.lanes)});
      continue;
    }
    int64_t number = config.gates.size();
    if (number == limits.maxGates)
      return llvm::createStringError(
          "axis '" + axes[index] + "' is padded axis " + Twine(number + 1) +
          " outside Packet, the valid count generator has " +
          Twine(limits.maxGates) + " gates");
    config.gates.push_back(gate.gate);
    for (auto [position, stride] : gate.counters)
      counting.push_back(
          {position, ValidCountConfig::kFirstGate + number, stride});
  }

  auto counters = makeCounters(stream.time, counting, extents, limits);
  if (!counters)
    return counters.takeError();
  config.counters = std::move(*counters);
  // stride_p is the stride of the innermost counter of the packet dim: the
  // packet's own counter has one step.
  if (packetLanes) {
    auto first = llvm::find_if(config.counters, [](const auto &counter) {
      return counter.dim == ValidCountConfig::kPacketDim;
    });
    if (first == config.counters.end() || first->stride != packetLanes)
      config.counters.insert(config.counters.begin(),
                             {1, ValidCountConfig::kPacketDim, packetLanes});
  }
  if (static_cast<int64_t>(config.counters.size()) > limits.maxCounters)
    return llvm::createStringError(
        "time '" + stream.time.str() + "' needs " +
        Twine(config.counters.size()) +
        " counters to be counted, the valid count generator has " +
        Twine(limits.maxCounters));

  // Widths of the fields.
  auto tooLarge = [&](StringRef what, int64_t value) {
    return llvm::createStringError(what + " is " + Twine(value) +
                                   ", the valid count generator holds up to " +
                                   Twine(limits.maxIndex));
  };
  llvm::SmallVector<int64_t, 4> reach(ValidCountConfig::kFirstGate +
                                      limits.maxGates);
  for (const ValidCountConfig::Counter &counter : config.counters) {
    if (counter.stride > limits.maxIndex)
      return tooLarge("the stride of a counter", counter.stride);
    if (counter.dim == ValidCountConfig::kUnassigned)
      continue;
    int64_t &index = reach[counter.dim];
    index =
        saturatingAdd(index, saturatingMul(counter.limit - 1, counter.stride));
    if (index > limits.maxIndex)
      return tooLarge("an index", index);
  }
  if (config.packetValid > limits.maxIndex)
    return tooLarge("the packet dim's valid count", config.packetValid);
  for (const ValidCountConfig::Gate &gate : config.gates)
    if (gate.valid > limits.maxIndex)
      return tooLarge("a gate's valid count", gate.valid);
  if (stream.slice.size() > limits.slices)
    return llvm::createStringError(
        "slice '" + stream.slice.str() + "' has " + Twine(stream.slice.size()) +
        " slices, slice numbers go up to " + Twine(limits.slices - 1));
  return result;
}
