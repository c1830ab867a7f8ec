//===- TcpInterSliceShapes.cpp - What a reduction over slices removes -----===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The index of a slice is cut into digits: those that the result still has over
// its slices are kept, the others are reduced. What else the slices of the
// result speak of is new (repeated data) or comes from time (promoted); the
// manual has a rule for each and for padding, and the vendor's later text mixes
// them. What is reduced must be innermost (Machine/ReduceGroups.h).
//
//===----------------------------------------------------------------------===//

#include "ShapeChecks.h"
#include "SliceIndex.h"
#include "sequin/Dialect/Tcp/IR/TcpSwitchShapes.h"
#include "sequin/Machine/ReduceGroups.h"
#include "llvm/Support/CheckedArithmetic.h"
#include <set>

using namespace mlir;
using namespace sequin;
using namespace sequin::tcp;

namespace {

/// The part [low, high) of an axis' index in mixed radix: index % high / low.
struct Digits {
  unsigned axis;
  int64_t low, high;
};

class InterSlice {
public:
  InterSlice(VectorInterSliceReduceOp op, EmitError emitError)
      : op(op), emitError(emitError), input(op.getInput().getType()),
        output(cast<StreamType>(op.getResult().getType())), axes(input),
        slice(input.getGrid().getSliceMapping()),
        outSlice(output.getGrid().getSliceMapping()) {}

  FailureOr<RoutingShape> infer();

private:
  FailureOr<SmallVector<Digits>> digitsOf(const Mapping &mapping);
  LogicalResult findReduced();
  LogicalResult findPromoted();
  LogicalResult addRouter(const PositionIndex &slices, int64_t position);

  VectorInterSliceReduceOp op;
  EmitError emitError;
  StreamType input, output;
  StreamAxes axes;
  Mapping slice, outSlice;
  SmallVector<Digits> sliceDigits;
  /// What reduced digits add to an index.
  std::vector<Coordinates> reduced;
  /// Packets by what their removed loops hold.
  std::map<SmallVector<int64_t, 4>, int64_t> promoted;
  std::set<int64_t> used;
  RoutingShape shape;
};

} // namespace

FailureOr<SmallVector<Digits>> InterSlice::digitsOf(const Mapping &mapping) {
  SmallVector<Digits> digits;
  for (const Factor &factor : mapping.factors()) {
    if (factor.kind == Factor::Kind::Broadcast)
      continue;
    if (factor.kind != Factor::Kind::Axis || factor.skewed)
      return emitError() << "slice mapping \"" << mapping.str()
                         << "\" has the term \"" << factor.str()
                         << "\", reductions over slices take quotients and "
                            "remainders of axes";
    if (!axes.has(factor.base))
      continue;
    std::optional<int64_t> high =
        llvm::checkedMul(factor.stride, factor.extent);
    digits.push_back(
        {axes.number(factor.base), factor.stride, high.value_or(INT64_MAX)});
  }
  return digits;
}

/// The digits of the slices that the result has no more, and every index that
/// they can add.
LogicalResult InterSlice::findReduced() {
  auto from = digitsOf(slice), to = digitsOf(outSlice);
  if (failed(from) || failed(to))
    return failure();
  sliceDigits = *from;
  reduced = {Coordinates(axes.size(), 0)};
  bool any = false;
  auto reduce = [&](unsigned axis, int64_t low, int64_t high) -> LogicalResult {
    if (low >= high)
      return success();
    if (high % low != 0 || high / low > slice.size())
      return emitError() << "slices \"" << outSlice.str()
                         << "\" keep a part of \"" << slice.str()
                         << "\" that is not whole digits";
    any = true;
    std::vector<Coordinates> longer;
    for (const Coordinates &coordinates : reduced)
      for (int64_t i = 0; i < high / low; ++i) {
        longer.push_back(coordinates);
        longer.back()[axis] += i * low;
      }
    // No more indices than slices, but for padding; anything else is caught
    // when it is looked up.
    if (static_cast<int64_t>(longer.size()) > slice.size())
      return emitError() << "slices \"" << slice.str()
                         << "\" name more indices than there are slices";
    reduced = std::move(longer);
    return success();
  };
  for (const Digits &digits : sliceDigits) {
    SmallVector<Digits> kept;
    for (const Digits &other : *to)
      if (other.axis == digits.axis && other.low < digits.high &&
          other.high > digits.low)
        kept.push_back({other.axis, std::max(other.low, digits.low),
                        std::min(other.high, digits.high)});
    llvm::sort(kept,
               [](const Digits &a, const Digits &b) { return a.low < b.low; });
    int64_t low = digits.low;
    for (const Digits &part : kept) {
      if (failed(reduce(digits.axis, low, part.low)))
        return failure();
      low = std::max(low, part.high);
    }
    if (failed(reduce(digits.axis, low, digits.high)))
      return failure();
  }
  if (!any)
    return emitError() << "slices \"" << outSlice.str() << "\" keep all of \""
                       << slice.str() << "\", nothing is reduced";
  return success();
}

/// Time without the loops that go to the slices.
LogicalResult InterSlice::findPromoted() {
  Mapping time = input.getTimeMapping(), outTime = output.getTimeMapping();
  auto loops =
      report(matchReduction(time, outTime), emitError, "inter-slice time");
  if (failed(loops))
    return failure();
  int64_t distance = 1;
  std::vector<int64_t> starts = {0};
  for (const ReductionLoop &loop : llvm::reverse(*loops)) {
    int64_t size = loop.factor.extent;
    if (!loop.reduced) {
      if (size > 1)
        shape.packets.push_back({size, distance});
    } else {
      if (size > outSlice.size() / static_cast<int64_t>(starts.size()))
        return emitError() << "time axis \"" << loop.factor.str()
                           << "\" of size " << size
                           << " is neither kept nor in the " << outSlice.size()
                           << " slices of the result";
      std::vector<int64_t> longer;
      for (int64_t i = 0; i < size; ++i)
        for (int64_t start : starts)
          longer.push_back(start + i * distance);
      starts = std::move(longer);
    }
    distance *= size;
  }
  if (distance != time.size())
    return emitError() << "time \"" << time.str()
                       << "\" has padding around several axes, which a "
                          "reduction over slices cannot take apart";
  std::reverse(shape.packets.begin(), shape.packets.end());
  if (shape.packets.empty())
    shape.packets.push_back({1, 1});
  for (int64_t start : starts)
    if (std::optional<Coordinates> held = axes.at(time, start))
      promoted.try_emplace(*held, start);
  return success();
}

LogicalResult InterSlice::addRouter(const PositionIndex &slices,
                                    int64_t position) {
  RoutingShape::Router &router = shape.routers[position];
  std::optional<Coordinates> own = axes.at(outSlice, position);
  if (!own)
    return success();
  // What the slices of the input have; the rest comes from time.
  Coordinates kept(axes.size(), 0), fromTime = *own;
  for (const Digits &digits : sliceDigits) {
    int64_t part = (*own)[digits.axis] % digits.high;
    part -= part % digits.low;
    kept[digits.axis] += part;
    fromTime[digits.axis] -= part;
  }
  auto start = promoted.find(fromTime);
  if (start == promoted.end())
    return emitError() << "slice " << position << " of the result holds "
                       << axes.describe(*own) << ", of which "
                       << axes.describe(fromTime)
                       << " is neither in the slices of the input nor taken "
                          "out of its time";
  router.firstPacket = start->second;
  used.insert(start->second);
  for (const Coordinates &more : reduced) {
    Coordinates wanted = kept;
    for (auto [coordinate, part] : llvm::zip_equal(wanted, more))
      coordinate += part;
    if (std::optional<int64_t> source = slices.nearest(wanted, position))
      router.sources.push_back(*source);
  }
  llvm::sort(router.sources);
  if (router.sources.empty())
    return emitError() << "slice " << position << " of the result holds "
                       << axes.describe(*own)
                       << ", which no slice of the input has a part of";
  return success();
}

FailureOr<RoutingShape> InterSlice::infer() {
  if (outSlice.size() != slice.size())
    return emitError() << "slice mapping \"" << outSlice.str() << "\" has size "
                       << outSlice.size() << ", the stream is in the "
                       << slice.size() << " slices of \"" << slice.str()
                       << "\"";
  if (failed(findReduced()) || failed(findPromoted()))
    return failure();
  PositionIndex slices(axes, slice);
  shape.routers.resize(outSlice.size());
  size_t count = 0;
  for (int64_t i = 0; i < outSlice.size(); ++i) {
    if (failed(addRouter(slices, i)))
      return failure();
    size_t found = shape.routers[i].sources.size();
    if (found && count && found != count)
      return emitError() << "slice " << i << " of the result reduces " << found
                         << " slices, others " << count;
    count = std::max(count, found);
  }
  if (used.size() != promoted.size())
    return emitError() << "time \"" << output.getTime().getText()
                       << "\" leaves out packets of \""
                       << input.getTime().getText() << "\", of which only "
                       << used.size() << " of " << promoted.size()
                       << " parts are in slices of the result";
  std::string problem = explainReduceGroups(outSlice.size(), [&](int64_t i) {
    return ArrayRef<int64_t>(shape.routers[i].sources);
  });
  if (!problem.empty())
    return emitError() << problem;
  shape.ringSize = smallestRing(shape);
  return std::move(shape);
}

FailureOr<RoutingShape> tcp::inferInterSliceShape(VectorInterSliceReduceOp op,
                                                  EmitError emitError) {
  return InterSlice(op, emitError).infer();
}
