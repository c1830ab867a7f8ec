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
  int64_t stride = 1; ///< positions of its base per digit
  int64_t extent = 1; ///< positions
  /// Digits that hold data; below `extent` only if the part was padded after it
  /// had been split off.
  int64_t valid = 1;
  int64_t position = 1; ///< positions of the dimension per digit
  unsigned base = 0;
  /// Whether further digits are past the end of the base anyway.
  bool isLimited = false;

  bool isPadded() const { return valid < extent; }
};
using Parts = llvm::SmallVector<Part, 4>; // innermost first

/// Parts in the dimensions of a stream.
struct Placed {
  Parts outer, slice, time, packet;
};

/// What parts add up in: the axis, or a part of it that was viewed or padded
/// and then split. What its position 0 holds counts once, however many parts it
/// has (Mapping.h), and data ends where it ends.
struct Base {
  std::string name;
  /// Sums of its parts hold data below this; less than the size where views of
  /// it begin inside.
  int64_t limit = 0;
  unsigned parent = 0; ///< created before
  int64_t stride = 1;  ///< in the parent
  /// Dimensions that say something of it: bits of Dimension.
  unsigned dimensions = 0;
};
enum Dimension { Outer, Slice, Time, Packet };

/// All of an axis.
struct AxisParts {
  StringRef name;
  int64_t size = 0;
  llvm::SmallVector<Base, 2> bases; ///< the axis itself is the first
  Placed parts;
  /// Whether it is in a packet that ends in padding.
  bool inPaddedPacket = false;
  /// Text of a term that cannot be followed.
  std::string opaque;

  std::optional<unsigned> baseOf(const Factor &f, Dimension dimension);
  /// Whether parts of `base` are parts of `of` too, and their strides there.
  std::optional<int64_t> strideIn(unsigned base, unsigned of) const;
  Parts &in(Dimension dimension);
  void add(unsigned base, int64_t offset, int64_t extent, Dimension dimension);
  llvm::Error refuse(const ValidCountStream &stream, const Twine &why) const;
};

/// Where data ends: sums of these parts hold data below the limit.
struct Ending {
  int64_t limit = 0;
  bool isPart = false; ///< of one part, by its own padding
  Placed parts;
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

Parts &AxisParts::in(Dimension dimension) {
  switch (dimension) {
  case Outer:
    return parts.outer;
  case Slice:
    return parts.slice;
  case Time:
    return parts.time;
  case Packet:
    return parts.packet;
  }
  llvm_unreachable("covered switch");
}

/// The base whose positions `f` advances; nullopt if it is not of this axis, or
/// of more than this axis padded at its end, split and viewed.
std::optional<unsigned> AxisParts::baseOf(const Factor &f,
                                          Dimension dimension) {
  if (f.kind == Factor::Kind::Axis && f.base == name)
    return 0;
  if (f.kind != Factor::Kind::Composite)
    return std::nullopt;
  for (auto [index, base] : llvm::enumerate(bases))
    if (index != 0 && base.name == f.base)
      return index;
  const Factor *only = nullptr;
  for (const Factor &inner : f.composite->factors) {
    if (inner.extent == 1 && factors::startsAtZero(inner))
      continue;
    if (only)
      return std::nullopt;
    only = &inner;
  }
  if (!only || only->first != 0)
    return std::nullopt;
  std::optional<unsigned> parent = baseOf(*only, dimension);
  if (!parent)
    return std::nullopt;
  add(*parent, only->offset, 1, dimension);
  Base base{f.base, f.composite->size, *parent, only->stride};
  if (!factors::isLimitedByBase(*only))
    base.limit = std::min(base.limit, only->valid);
  bases.push_back(std::move(base));
  return bases.size() - 1;
}

std::optional<int64_t> AxisParts::strideIn(unsigned base, unsigned of) const {
  int64_t stride = 1;
  for (; base > of; base = bases[base].parent)
    stride = saturatingMul(stride, bases[base].stride);
  return base == of ? std::optional(stride) : std::nullopt;
}

/// Counts what position 0 of a factor of `base` holds, and who says so.
void AxisParts::add(unsigned base, int64_t offset, int64_t extent,
                    Dimension dimension) {
  if (offset == 0 && extent == 1)
    return;
  for (;; base = bases[base].parent) {
    bases[base].limit -= offset;
    bases[base].dimensions |= 1u << dimension;
    if (base == 0)
      return;
    offset = saturatingMul(offset, bases[base].stride);
  }
}

/// `R # p / k % m ...` as it is written. Where the axis ends inside of it, the
/// normal form does not tell which of the positions past that were split off
/// (and would hold data if the axis were longer) and which were padded later.
static Part readChain(const MappingTerm &term, int64_t size) {
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
    case MappingOp::Kind::View:
      whole &= op.n == part.extent;
      part.extent = op.n;
      part.valid = std::min(part.valid, op.n);
      break;
    case MappingOp::Kind::Pad:
    case MappingOp::Kind::PadZero:
      part.extent = op.n;
      if (whole)
        part.valid = op.n;
      break;
    case MappingOp::Kind::Lookup: // no factor of the axis
      break;
    }
  }
  return part;
}

/// Whether only the beginning of a factor holds data, and no part of an axis.
static bool isPaddingBehind(const Factor &f) {
  return f.isPaddingOnly() && f.first == 0;
}

static int64_t sizeOf(const Mapping::Term &term) {
  return factors::sizeOf(term.factors);
}

/// Adds the parts of the axis in one dimension, innermost first. `terms` are
/// those of the dimension in the mapping of the whole stream: what a part adds
/// depends on whether other dimensions have parts of the same base.
static void readParts(ArrayRef<Mapping::Term> terms, AxisParts &axis,
                      Dimension dimension) {
  Parts &parts = axis.in(dimension);
  bool isStream = dimension == Time || dimension == Packet;
  int64_t position = 1;
  for (const Mapping::Term &term : llvm::reverse(terms)) {
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
      position *= sizeOf(term);
      continue;
    }
    // All of `R # p / k % m ...` is R's.
    const MappingTerm &first = (*parsed)->terms.front();
    std::optional<Part> chain;
    if ((*parsed)->terms.size() == 1 &&
        first.atom.kind == MappingAtom::Kind::Axis)
      chain = readChain(first, axis.size);
    for (const Factor &f : llvm::reverse(term.factors)) {
      std::optional<unsigned> base = axis.baseOf(f, dimension);
      Part part{f.stride, f.extent, f.valid, position};
      if (base && f.first == 0) {
        axis.add(*base, f.offset, f.extent, dimension);
        part.base = *base;
        part.isLimited = factors::isLimitedByBase(f);
        // One position has no stride in the normal form.
        if (part.isLimited && f.valid == 1 && part.base == 0 && chain)
          part.stride = std::max(part.stride, chain->stride);
      } else if (chain && isPaddingBehind(f) && f.valid == 1) {
        // A part that holds data at its digit 0 alone is anonymous in the
        // normal form.
        axis.add(0, 0, f.extent, dimension);
        part.isLimited = chain->stride >= axis.size;
        part.stride = part.isLimited ? chain->stride : 1;
      } else if (involves(f, axis.name) ||
                 (isStream && (f.isPadded() || f.composite))) {
        // Padding of other factors may be R's; slices of it take no part.
        axis.opaque = term.text;
        return;
      } else {
        part.extent = 1;
      }
      if (part.isLimited)
        part.valid =
            chain ? std::clamp(chain->valid, f.valid, f.extent) : f.extent;
      // Past the only one with data nobody takes part.
      if (part.extent > 1 && (part.valid > 1 || isStream))
        parts.push_back(part);
      position *= f.extent;
    }
  }
}

//===----------------------------------------------------------------------===//
// Where data ends
//===----------------------------------------------------------------------===//

static int64_t reachOf(ArrayRef<Part> parts) {
  int64_t reach = 0;
  for (const Part &part : parts)
    reach = saturatingAdd(reach, saturatingMul(part.valid - 1, part.stride));
  return reach;
}

/// Where the sums of a base and of the bases made from it end.
static Ending endingOf(const AxisParts &axis, unsigned base) {
  Ending ending;
  ending.limit = axis.bases[base].limit;
  auto add = [&](Parts &to, const Parts &from) {
    for (Part part : from)
      if (auto stride = axis.strideIn(part.base, base)) {
        part.stride = saturatingMul(part.stride, *stride);
        to.push_back(part);
      }
  };
  add(ending.parts.outer, axis.parts.outer);
  add(ending.parts.slice, axis.parts.slice);
  add(ending.parts.time, axis.parts.time);
  add(ending.parts.packet, axis.parts.packet);
  return ending;
}

/// All places where data ends inside the stream, besides the packet's own
/// padding. Slices that hold nothing take no part: what ends in them alone
/// needs no count, unless it is the axis.
static llvm::SmallVector<Ending, 2> endingsOf(AxisParts &axis) {
  llvm::SmallVector<int64_t, 2> reaches(axis.bases.size());
  for (const Parts *parts : {&axis.parts.outer, &axis.parts.slice,
                             &axis.parts.time, &axis.parts.packet})
    for (const Part &part : *parts)
      reaches[part.base] = saturatingAdd(reaches[part.base], reachOf({part}));
  // What parts can reach decides from the inside out where a base ends by
  // itself. Past the end of some, their parent has ended as well.
  enum { Never, ByItself, ByParent };
  llvm::SmallVector<int, 2> ends(axis.bases.size(), Never);
  for (unsigned index = axis.bases.size(); index-- > 0;) {
    const Base &base = axis.bases[index];
    int64_t reach = reaches[index];
    if (index != 0 && saturatingMul(base.limit, base.stride) >=
                          axis.bases[base.parent].limit) {
      ends[index] = ByParent;
    } else if (reach >= base.limit) {
      ends[index] = ByItself;
      reach = base.limit - 1;
    }
    if (index != 0)
      reaches[base.parent] = saturatingAdd(reaches[base.parent],
                                           saturatingMul(reach, base.stride));
  }
  llvm::SmallVector<Ending, 2> endings;
  for (Part &part : axis.parts.time) {
    if (!part.isPadded())
      continue;
    unsigned base = part.base;
    while (ends[base] == ByParent)
      base = axis.bases[base].parent;
    int64_t valid = std::exchange(part.valid, part.extent);
    if (part.isLimited && ends[base] == ByItself)
      continue;
    Ending &ending = endings.emplace_back();
    ending.limit = valid;
    ending.isPart = true;
    ending.parts.time.push_back(part);
    ending.parts.time.back().stride = 1;
  }
  for (unsigned index = 0; index < axis.bases.size(); ++index)
    if (ends[index] == ByItself &&
        (index == 0 || axis.bases[index].dimensions != 1u << Slice))
      endings.push_back(endingOf(axis, index));
  return endings;
}

//===----------------------------------------------------------------------===//
// Cases
//===----------------------------------------------------------------------===//

llvm::Error AxisParts::refuse(const ValidCountStream &stream,
                              const Twine &why) const {
  std::string found;
  auto add = [&](StringRef name, const Parts &parts, const Mapping &mapping) {
    if (parts.empty())
      return;
    found +=
        (found.empty() ? "" : " + ") + name.str() + " '" + mapping.str() + "'";
  };
  add("Chip", parts.outer, stream.chip);
  add("Cluster", parts.outer, stream.cluster);
  add("Slice", parts.slice, stream.slice);
  add("Time", parts.time, stream.time);
  add("Packet", parts.packet, stream.packet);
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
      outermost &= position < above || isPaddingBehind(f);
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

/// The parts of the axis in Packet as one: a prefix of the lanes, nothing but R
/// and padding. Neighbours may be one part.
static llvm::Expected<Part> packetPart(const AxisParts &axis,
                                       const ValidCountStream &stream,
                                       ArrayRef<Part> parts) {
  auto refuse = [&](const Twine &why) { return axis.refuse(stream, why); };
  Part packet = parts.front();
  bool isOne = parts.size() == axis.parts.packet.size();
  for (const Part &part : parts.drop_front()) {
    isOne &= !packet.isPadded() && part.base == packet.base &&
             part.position == packet.position * packet.extent &&
             part.stride == saturatingMul(packet.stride, packet.extent);
    packet.valid = packet.extent * part.valid;
    packet.extent *= part.extent;
  }
  if (!isOne)
    return refuse("it has " + Twine(axis.parts.packet.size()) +
                  " parts in Packet");
  for (const Factor &f : stream.packet.factors())
    if (f.extent > 1 && !isPaddingBehind(f) && !involves(f, axis.name))
      return refuse("Packet holds '" + f.str() +
                    "' too, which a prefix of the packet would cut");
  if (packet.stride != 1 || packet.position != 1)
    return refuse("its part in Packet is not its innermost part at the "
                  "beginning of the packet");
  return packet;
}

static llvm::Expected<AxisPlan> planAxis(AxisParts &axis,
                                         const ValidCountStream &stream) {
  AxisPlan plan;
  auto refuse = [&](const Twine &why) { return axis.refuse(stream, why); };
  llvm::SmallVector<Ending, 2> endings = endingsOf(axis);
  for (const Base &base : axis.bases)
    if (base.limit <= 0)
      return refuse("none of it is data");
  // One threshold is enough if nothing else ends inside the stream.
  if (endings.size() > 1)
    return refuse(endings.front().isPart
                      ? "a part in Time is padded after it was split off"
                      : "a view that was split ends inside the stream, and so "
                        "does the rest of it");
  if (endings.empty()) {
    if (!axis.inPaddedPacket)
      return plan;
    // Every packet holds the same.
    endings.push_back(endingOf(axis, axis.parts.packet.front().base));
  }
  const Ending &ending = endings.front();
  const Parts &outer = ending.parts.outer;
  Parts slice = ending.parts.slice, time = ending.parts.time;
  int64_t limit = ending.limit;
  if (!outer.empty())
    return refuse("it is spread over chips or clusters, whose slices have the "
                  "same numbers");

  bool endsInPacket = !ending.parts.packet.empty();
  int64_t lanes = 0;
  if (endsInPacket || axis.inPaddedPacket) {
    auto packet = packetPart(
        axis, stream, endsInPacket ? ending.parts.packet : axis.parts.packet);
    if (!packet)
      return packet.takeError();
    plan.lanes = lanes = packet->valid;
  }
  if (!endsInPacket) {
    // Every packet that holds something holds the same.
    plan.packetValid = lanes;
    plan.placement = Placement::Time;
    auto gate = planGate(axis, stream, slice, time, limit, plan.placement);
    if (!gate)
      return gate.takeError();
    plan.gate = std::move(*gate);
    return plan;
  }

  plan.packetValid = limit;
  if (slice.empty()) {
    plan.placement = time.empty() ? Placement::Packet : Placement::TimePacket;
    for (const Part &part : time)
      plan.packetCounters.emplace_back(part.position, part.stride);
    return plan;
  }

  // The packet is the same in every slice: full, or the only one.
  plan.placement =
      time.empty() ? Placement::SlicePacket : Placement::SliceTimePacket;
  if (limit % lanes != 0 && limit > lanes)
    return refuse("slices would need packets of " + Twine(lanes) + " and of " +
                  Twine(limit % lanes) +
                  " elements at the same time step, and the count within a "
                  "packet is the same in all slices");
  plan.packetValid = std::min(limit, lanes);
  // What is left is where packets are.
  for (Parts *parts : {&slice, &time})
    for (Part &part : *parts) {
      if (part.stride % lanes != 0)
        return refuse("its parts outside Packet are not whole packets");
      part.stride /= lanes;
    }
  int64_t packets = llvm::divideCeil(limit, lanes);
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
  // The whole stream, as whose terms those of the dimensions are read.
  Mapping whole = stream.chip;
  for (const Mapping *mapping :
       {&stream.cluster, &stream.slice, &stream.time, &stream.packet}) {
    auto pair = Mapping::pair(whole, *mapping);
    if (!pair)
      return pair.takeError();
    whole = std::move(*pair);
  }
  for (StringRef name : axes) {
    AxisParts axis;
    axis.name = name;
    for (const Mapping *mapping : {&stream.slice, &stream.time, &stream.packet,
                                   &stream.cluster, &stream.chip})
      if (std::optional<int64_t> size = mapping->axes().lookup(name))
        axis.size = *size;
    if (!axis.size)
      return llvm::createStringError("the stream has no axis '" + name + "'");
    axis.bases.push_back({name.str(), axis.size});
    ArrayRef<Mapping::Term> terms = whole.terms();
    for (auto [mapping, dimension] :
         {std::pair(&stream.chip, Outer), std::pair(&stream.cluster, Outer),
          std::pair(&stream.slice, Slice), std::pair(&stream.time, Time),
          std::pair(&stream.packet, Packet)}) {
      readParts(terms.take_front(mapping->terms().size()), axis, dimension);
      terms = terms.drop_front(mapping->terms().size());
    }
    axis.inPaddedPacket =
        !axis.parts.packet.empty() &&
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
    for (const Part &part : axis.parts.time)
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
