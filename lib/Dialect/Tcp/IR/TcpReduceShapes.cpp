//===- TcpReduceShapes.cpp - What a reduction's mappings imply ------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Dialect/Tcp/IR/TcpReduceShapes.h"
#include "sequin/Machine/TcpIsa.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::tcp;
using namespace sequin::tcp_isa;

/// Whether a term speaks of the axis, at any depth of brackets.
static bool mentions(const MappingTerm &term, StringRef axis) {
  const MappingAtom &atom = term.atom;
  if (atom.kind == MappingAtom::Kind::Axis)
    return atom.name == axis;
  return atom.group && llvm::any_of(atom.group->terms, [&](const auto &inner) {
           return mentions(inner, axis);
         });
}

namespace {
/// A term of a mapping.
struct Part {
  std::string text;
  int64_t size;
  bool ofAxis;
};
} // namespace

/// The terms, outermost first, each of the axis alone or free of it.
static FailureOr<SmallVector<Part, 4>>
partsOf(const Mapping &mapping, StringRef axis, EmitError emitError) {
  SmallVector<Part, 4> parts;
  for (const Mapping::Term &term : mapping.terms()) {
    int64_t size = 1;
    bool others = false;
    for (const Factor &factor : term.factors) {
      size *= factor.extent;
      others |= factor.extent > 1 && !factor.isPaddingOnly() &&
                (factor.kind != Factor::Kind::Axis || factor.base != axis);
    }
    auto parsed = MappingExpr::parse(term.text);
    if (!parsed)
      return emitError() << llvm::toString(parsed.takeError());
    bool ofAxis = llvm::any_of((*parsed)->terms, [&](const MappingTerm &inner) {
      return mentions(inner, axis);
    });
    if (ofAxis && others)
      return emitError() << "term \"" << term.text << "\" joins axis \"" << axis
                         << "\" with others, its parts have to be terms of "
                            "their own to be reduced";
    parts.push_back({term.text, size, ofAxis});
  }
  return parts;
}

/// Where the pass of `op` was cut in two groups; null if it was not.
static Operation *unzipBefore(Operation *op) {
  constexpr int kMostStages = 64; // as in getIntraSliceEntry
  for (int i = 0; op && i < kMostStages && op->getNumOperands() > 0; ++i) {
    if (isa<VectorIntraSliceUnzipOp>(op))
      return op;
    op = op->getOperand(0).getDefiningOp();
  }
  return nullptr;
}

StreamType tcp::getIntraSliceEntry(Operation *op) {
  // No block has more operations than this. The bound also ends on a cycle,
  // which is refused only after the verifiers.
  constexpr int kMostStages = 64;
  for (int i = 0; op && i < kMostStages; ++i) {
    if (op->getNumOperands() == 0)
      return {};
    Value stream = op->getOperand(0);
    if (isa<VectorIntraSliceBranchOp>(op))
      return dyn_cast<StreamType>(stream.getType());
    op = stream.getDefiningOp();
  }
  return {};
}

ValidCountLimits tcp::isaValidCountLimits() {
  return {.maxCounters = kValidCountCounters,
          .maxGates = kValidCountGates,
          .maxSize = INT64_MAX,
          .maxIndex = INT64_MAX,
          .lanes = kLanes,
          .slices = INT64_MAX};
}

/// What is left of `parts`, as a mapping.
static FailureOr<Mapping> keptOf(ArrayRef<Part> parts, const AxisSizes &axes,
                                 EmitError emitError) {
  std::string text;
  for (const Part &part : parts)
    if (!part.ofAxis)
      text += (text.empty() ? "" : ", ") + part.text;
  auto mapping = Mapping::parse(text.empty() ? "1" : text, axes);
  if (!mapping)
    return emitError() << llvm::toString(mapping.takeError());
  return std::move(*mapping);
}

static LogicalResult requireKept(const Mapping &found, const Mapping &expected,
                                 StringRef what, StringRef axis,
                                 EmitError emitError) {
  if (found.isEquivalent(expected))
    return success();
  return emitError() << what << " of the result is \"" << found.str()
                     << "\", the stream without axis \"" << axis << "\" has \""
                     << expected.str() << "\"";
}

FailureOr<IntraSliceReduceShape>
tcp::inferIntraSliceReduce(VectorIntraSliceReduceOp op, ValidCountLimits limits,
                           EmitError emitError) {
  auto input = cast<StreamType>(op.getInput().getType());
  auto output = cast<StreamType>(op.getResult().getType());
  StringRef axis = op.getAxis();
  Mapping time = input.getTimeMapping(), packet = input.getPacketMapping();
  if (!time.axes().lookup(axis))
    return emitError() << "reduces axis \"" << axis
                       << "\", which is not declared";
  if (packet.size() != kNarrowLanes)
    return emitError() << "packet \"" << input.getPacket().getText()
                       << "\" has " << packet.size()
                       << " elements, the reduction takes " << kNarrowLanes
                       << " lanes";
  auto inTime = partsOf(time, axis, emitError);
  if (failed(inTime))
    return failure();
  auto inPacket = partsOf(packet, axis, emitError);
  if (failed(inPacket))
    return failure();
  auto isReduced = [](const Part &part) { return part.ofAxis; };
  IntraSliceReduceShape shape;
  shape.tree = llvm::any_of(*inPacket, isReduced);
  if (!shape.tree && llvm::none_of(*inTime, isReduced))
    return emitError() << "axis \"" << axis
                       << "\" is neither in time nor in the packet, there is "
                          "nothing to reduce";

  // The result: what the axis leaves.
  auto keptTime = keptOf(*inTime, time.axes(), emitError);
  if (failed(keptTime) || failed(requireKept(output.getTimeMapping(), *keptTime,
                                             "time", axis, emitError)))
    return failure();
  Mapping keptPacket = packet;
  if (shape.tree) {
    for (const Factor &factor : packet.factors())
      if (factor.extent > 1 && !factor.isPaddingOnly() && factor.base != axis)
        return emitError() << "packet \"" << input.getPacket().getText()
                           << "\" holds \"" << factor.str()
                           << "\" beside axis \"" << axis
                           << "\", the tree reduces all lanes to one";
    auto one = Mapping().pad(kNarrowLanes);
    if (!one)
      return emitError() << llvm::toString(one.takeError());
    keptPacket = std::move(*one);
  }
  if (failed(requireKept(output.getPacketMapping(), keptPacket, "packet", axis,
                         emitError)))
    return failure();

  // Loops, neighbours of one kind joined, and their slots.
  for (const Part &part : *inTime) {
    if (part.size == 1)
      continue;
    if (!shape.loops.empty() && shape.loops.back().reduced == part.ofAxis)
      shape.loops.back().size *= part.size;
    else
      shape.loops.push_back({part.size, 0, part.ofAxis});
  }
  const auto *outermost =
      llvm::find_if(shape.loops, [](const IntraSliceReduceShape::Loop &loop) {
        return loop.reduced;
      });
  for (IntraSliceReduceShape::Loop &loop : llvm::reverse(shape.loops)) {
    if (loop.reduced || &loop < outermost)
      continue;
    loop.slotStride = shape.slots;
    if (llvm::MulOverflow(shape.slots, loop.size, shape.slots))
      shape.slots = INT64_MAX;
  }
  if (outermost == shape.loops.end()) {
    // Nothing is open from one packet to the next.
    for (IntraSliceReduceShape::Loop &loop : shape.loops)
      loop.slotStride = 0;
    shape.slots = 1;
  }
  if (shape.slots > kReduceSlots)
    return emitError() << "time \"" << input.getTime().getText() << "\" needs "
                       << shape.slots << " accumulator slots inside the "
                       << "outermost part of axis \"" << axis << "\", "
                       << kReduceSlots << " are available";

  if (op.getPrefilled())
    return shape;
  // Padding is told from data where flits enter the block; without that a
  // 4-lane stream is counted like a flit, which supports the same placements.
  StreamType entry = getIntraSliceEntry(op);
  if (entry && entry.getPacketMapping().size() != kLanes)
    entry = {};
  StreamType counted = entry ? entry : input;
  GridAttr grid = input.getGrid();
  ValidCountStream stream{grid.getChipMapping(), grid.getClusterMapping(),
                          grid.getSliceMapping(), counted.getTimeMapping(),
                          counted.getPacketMapping()};
  limits.lanes = entry ? kLanes : kNarrowLanes;
  auto derived = deriveValidCount({axis}, stream, limits);
  if (!derived)
    return emitError() << llvm::toString(derived.takeError());
  if (!derived->isNeeded())
    return shape;
  // The generator counts flits of the two groups at the entry of the block.
  if (unzipBefore(op))
    return emitError() << "reduces axis \"" << axis
                       << "\", whose padding needs a valid count, which the "
                          "two-group mode does not have; allowed is padding "
                          "that the fetch's pad_value has filled, with "
                          "prefilled";
  shape.validCount = std::move(derived->config);
  return shape;
}
