//===- TcpContractShapes.cpp - Shapes of the contraction engine -----------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeChecks.h"
#include "sequin/Machine/TcpIsa.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::tcp;
using namespace sequin::tcp_isa;

//===----------------------------------------------------------------------===//
// Align
//===----------------------------------------------------------------------===//

/// The value, or nothing: of an operation that may fail where something is
/// looked for.
template <typename T> static std::optional<T> tryTo(llvm::Expected<T> value) {
  if (value)
    return std::move(*value);
  llvm::consumeError(value.takeError());
  return std::nullopt;
}

/// Adds the axes that factors walk, directly or in composites.
static void addAxes(ArrayRef<Factor> factors, llvm::StringSet<> &axes) {
  for (const Factor &factor : factors) {
    if (factor.kind == Factor::Kind::Axis)
      axes.insert(factor.base);
    if (!factor.composite)
      continue;
    addAxes(factor.composite->factors, axes);
    for (const CompositeBase::SlidingTerm &term : factor.composite->sliding)
      addAxes(term.factors, axes);
  }
}

static bool shareAxes(const Mapping &a, const Mapping &b) {
  llvm::StringSet<> first, second;
  addAxes(a.factors(), first);
  addAxes(b.factors(), second);
  return llvm::any_of(
      first, [&](const auto &axis) { return second.contains(axis.getKey()); });
}

/// The distance between the windows [window, packet) in the collected flits:
/// every lane of every packet holds an index of its place in `flits`, or is
/// padding.
static std::optional<int64_t> findShiftStride(const Mapping &flits,
                                              const Mapping &windows,
                                              const Mapping &packet) {
  std::optional<Mapping> packets = tryTo(Mapping::pair(windows, packet));
  if (!packets)
    return std::nullopt;
  // Windows of a flit are few; a machine's flits are looked at, no others.
  constexpr int64_t kMostPositions = 1 << 12;
  if (flits.size() > kMostPositions || packets->size() > kMostPositions)
    return std::nullopt;
  SmallVector<std::vector<TensorIndex>> held;
  for (int64_t position = 0; position < flits.size(); ++position)
    held.push_back(flits.allAt(position));
  int64_t count = windows.size(), lanes = packet.size();
  SmallVector<std::optional<TensorIndex>> wanted;
  for (int64_t position = 0; position < count * lanes; ++position)
    wanted.push_back(packets->at(position));
  auto fits = [&](int64_t stride) {
    for (int64_t window = 0; window < count; ++window)
      for (int64_t lane = 0; lane < lanes; ++lane) {
        const std::optional<TensorIndex> &index = wanted[window * lanes + lane];
        int64_t place = window * stride + lane;
        if (index &&
            (place >= flits.size() || !llvm::is_contained(held[place], *index)))
          return false;
      }
    return true;
  };
  for (int64_t stride = 1; (count - 1) * stride < flits.size(); ++stride)
    if (fits(stride))
      return stride;
  return std::nullopt;
}

/// Shift-reuse: `flits` flits at a time, each group the start of several
/// packets. Time is [what the groups have in time, windows, repetitions].
static std::optional<AlignShape>
matchShifts(const Mapping &source, const Mapping &time, const Mapping &packet,
            int64_t flits, int64_t flitElements) {
  int64_t group = flits * flitElements;
  if (source.size() % group != 0 || time.size() % (source.size() / group) != 0)
    return std::nullopt;
  int64_t rest = time.size() / (source.size() / group);
  std::optional<Mapping> groups = tryTo(source.divide(group));
  std::optional<Mapping> flit = tryTo(source.modulo(group));
  std::optional<Mapping> outer = tryTo(time.divide(rest));
  std::optional<Mapping> tail = tryTo(time.modulo(rest));
  if (!groups || !flit || !outer || !tail || !outer->isEquivalent(*groups))
    return std::nullopt;
  // As many windows as possible: what they leave only repeats packets.
  for (int64_t windows = std::min(rest, group); windows > 1; --windows) {
    if (rest % windows != 0)
      continue;
    int64_t repeats = rest / windows;
    std::optional<Mapping> shifted = tryTo(tail->divide(repeats));
    std::optional<Mapping> repeated = tryTo(tail->modulo(repeats));
    if (!shifted || !repeated || shareAxes(*repeated, source))
      continue;
    if (std::optional<int64_t> stride =
            findShiftStride(*flit, *shifted, packet))
      return AlignShape{flits, windows - 1, *stride, repeats};
  }
  return std::nullopt;
}

/// The axes that the innermost `repeats` steps of time walk are the stationary
/// operand's: a step that neither operand knows of would be a copy.
static LogicalResult checkRepetitions(AlignOp op, const Mapping &source,
                                      int64_t repeats, EmitError emitError) {
  auto output = cast<StreamType>(op.getResult().getType());
  std::optional<Mapping> tail = tryTo(output.getTimeMapping().modulo(repeats));
  if (!tail)
    return success();
  llvm::StringSet<> known;
  TrfType trf = op.getTrf().getType();
  addAxes(trf.getElementMapping().factors(), known);
  addAxes(trf.getRowMapping().factors(), known);
  addAxes(source.factors(), known);
  // In the order of time, so that the message does not depend on hashing.
  for (const Factor &factor : tail->factors()) {
    llvm::StringSet<> own;
    addAxes(factor, own);
    for (const auto &axis : own)
      if (!known.contains(axis.getKey()))
        return emitError() << "align to time \"" << op.getTime().getText()
                           << "\" repeats packets over axis " << axis.getKey()
                           << ", which neither the stream nor the stationary "
                              "operand has";
  }
  return success();
}

FailureOr<AlignShape> tcp::inferAlignShape(AlignOp op, EmitError emitError) {
  auto input = cast<StreamType>(op.getInput().getType());
  auto output = cast<StreamType>(op.getResult().getType());
  int64_t lanes = elementsIn(input.getElementType(), kMacWidthBytes);
  int64_t flitElements = elementsIn(input.getElementType(), kFlitBytes);
  Mapping time = output.getTimeMapping(), packet = output.getPacketMapping();
  if (packet.size() != lanes)
    return emitError() << "align packet \"" << output.getPacket().getText()
                       << "\" has " << packet.size() << " elements of "
                       << output.getElementType()
                       << ", a computation packet of " << kMacWidthBytes
                       << " bytes holds " << lanes;
  auto source =
      pairOf(input.getTimeMapping(), input.getPacketMapping(), emitError);
  if (failed(source))
    return failure();

  // One flit per packet leaves the upper half zero; two come from the innermost
  // part of time. What is left over in time repeats the data.
  for (int64_t flits = lanes / flitElements; flits >= 1; --flits) {
    auto expected = [&]() -> FailureOr<Mapping> {
      if (flits > 1)
        return *source;
      auto padded = input.getPacketMapping().pad(lanes);
      if (!padded)
        return report(std::move(padded), emitError, "align");
      return pairOf(input.getTimeMapping(), *padded, emitError);
    }();
    if (failed(expected))
      return failure();
    int64_t total;
    if (llvm::MulOverflow(time.size(), lanes, total))
      return emitError() << "align time \"" << output.getTime().getText()
                         << "\" has " << time.size()
                         << " steps, more than 64 bits count the elements of";
    if (total % expected->size() != 0)
      continue;
    int64_t repeats = total / expected->size();
    if (time.size() % repeats != 0)
      continue;
    std::optional<Mapping> outer = tryTo(time.divide(repeats));
    if (!outer)
      continue;
    auto found = pairOf(*outer, packet, emitError);
    if (failed(found))
      return failure();
    if (!found->isEquivalent(*expected))
      continue;
    if (failed(checkRepetitions(op, *source, repeats, emitError)))
      return failure();
    return AlignShape{flits, 0, 0, repeats};
  }
  for (int64_t flits : {2, 3, 1})
    if (std::optional<AlignShape> shape =
            matchShifts(*source, time, packet, flits, flitElements)) {
      if (failed(
              checkRepetitions(op, *source, shape->timeBroadcast, emitError)))
        return failure();
      return *shape;
    }
  return emitError() << "align to time \"" << output.getTime().getText()
                     << "\", packet \"" << output.getPacket().getText()
                     << "\" is not a collection of 1 or 2 flits of time \""
                     << input.getTime().getText() << "\", packet \""
                     << input.getPacket().getText()
                     << "\", nor shifted windows of up to " << kMaxCollectFlits
                     << ", with axes of the stationary operand innermost in "
                        "time";
}

//===----------------------------------------------------------------------===//
// Contract and accumulate
//===----------------------------------------------------------------------===//

FailureOr<int64_t> tcp::inferTreeDepth(ContractOp op, EmitError emitError) {
  auto input = cast<StreamType>(op.getInput().getType());
  auto output = cast<StreamType>(op.getResult().getType());
  Mapping packet = input.getPacketMapping(), kept = output.getPacketMapping();
  int64_t lanes = packet.size();
  for (int64_t depth = llvm::Log2_64(lanes); depth >= 0; --depth) {
    int64_t columns = lanes >> depth;
    if (kept.size() > columns)
      continue;
    auto outer =
        report(packet.divide(int64_t(1) << depth), emitError, "contract");
    auto padded = report(kept.pad(columns), emitError, "contract");
    if (failed(outer) || failed(padded))
      return failure();
    if (!padded->isEquivalent(*outer))
      continue;
    if (kept.size() > kAccumulatorColumns)
      return emitError() << "contract keeps " << kept.size()
                         << " columns, the accumulator takes at most "
                         << kAccumulatorColumns;
    return depth;
  }
  return emitError() << "contract packet \"" << output.getPacket().getText()
                     << "\" is not \"" << input.getPacket().getText()
                     << "\" divided by a power of two";
}

FailureOr<AccumulateShape> tcp::inferAccumulateShape(AccumulateOp op,
                                                     EmitError emitError) {
  auto input = cast<StreamType>(op.getInput().getType());
  auto output = cast<StreamType>(op.getResult().getType());
  Mapping columns = input.getPacketMapping(), rows = input.getRowMapping();
  Mapping time = output.getTimeMapping(), packet = output.getPacketMapping();
  if (packet.size() != kLanes)
    return emitError() << "accumulate packet \"" << output.getPacket().getText()
                       << "\" has " << packet.size()
                       << " elements, the output bus has " << kLanes
                       << " lanes";

  // What follows the surviving time axes in the output stream, as one mapping:
  // interleaved [columns][rows # 8], sequential [rows][columns # multiple of
  // 8].
  FailureOr<Mapping> tail;
  if (op.getKind() == AccumulationKind::Interleaved) {
    if (rows.size() > kRows)
      return emitError() << "accumulate has " << rows.size()
                         << " rows, at most " << kRows << " exist";
    auto padded = report(rows.pad(kRows), emitError, "accumulate");
    if (failed(padded))
      return failure();
    tail = pairOf(columns, *padded, emitError);
  } else {
    auto padded = report(columns.pad(llvm::alignTo(columns.size(), kLanes)),
                         emitError, "accumulate");
    if (failed(padded))
      return failure();
    tail = pairOf(rows, *padded, emitError);
  }
  if (failed(tail))
    return failure();
  int64_t inner = tail->size() / kLanes;
  if (time.size() % inner != 0)
    return emitError() << "accumulate time \"" << output.getTime().getText()
                       << "\" has " << time.size() << " steps, which " << inner
                       << " flits per sum do not divide";
  auto outer = report(time.divide(inner), emitError, "accumulate");
  auto innerTime = report(time.modulo(inner), emitError, "accumulate");
  if (failed(outer) || failed(innerTime))
    return failure();
  auto found = pairOf(*innerTime, packet, emitError);
  if (failed(found) ||
      failed(requireEqual(*found, *tail, emitError, "accumulated packet")))
    return failure();
  auto loops = report(matchReduction(input.getTimeMapping(), *outer), emitError,
                      "accumulate");
  if (failed(loops))
    return failure();
  return AccumulateShape{std::move(*loops), columns.size()};
}
