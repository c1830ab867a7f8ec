//===- DeriveFetch.cpp - Fetch engine -------------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExecDeriver.h"
#include "ZeroPadding.h"
#include "sequin/Machine/TcpIsa.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::derivation;
using namespace sequin::tcp_isa;

/// Elements from one interleaved tensor to the next while the nest is derived:
/// farther than any entry reaches, so that the step stays an entry of its own.
static constexpr int64_t kApart = int64_t(1) << 40;

/// Bits of the number, as its type holds it.
static int64_t bitsOf(Attribute number) {
  if (auto integer = dyn_cast<IntegerAttr>(number))
    return static_cast<int64_t>(integer.getValue().getZExtValue());
  APInt bits = cast<FloatAttr>(number).getValue().bitcastToAPInt();
  return static_cast<int64_t>(bits.getZExtValue());
}

static config::FetchTable readTable(ElementsAttr table) {
  config::FetchTable result;
  result.type = *tcp::getElementKind(table.getElementType());
  for (Attribute number : table.getValues<Attribute>())
    result.values.push_back(bitsOf(number));
  return result;
}

/// Whether what the pass fetches is added up with its padding, in this pass or,
/// as the stationary operand, in another.
static bool reachesSum(Operation *op) {
  while (op->getNumResults() == 1 && op->getResult(0).hasOneUse() &&
         isa<tcp::StreamType>(op->getResult(0).getType())) {
    op = *op->getResult(0).user_begin();
    if (isa<tcp::AlignOp, tcp::ToTrfOp>(op))
      return true;
  }
  return false;
}

/// Adds the results of the sums that `value`, a stream or a stationary operand,
/// goes into; false if some way of it is not followed.
static bool findSums(Value value, SmallVectorImpl<tcp::StreamType> &sums) {
  for (Operation *op : value.getUsers()) {
    if (auto sum = dyn_cast<tcp::AccumulateOp>(op)) {
      sums.push_back(cast<tcp::StreamType>(sum.getResult().getType()));
      continue;
    }
    if (!isa<tcp::CollectOp, tcp::SwitchOp, tcp::AlignOp, tcp::ContractOp,
             tcp::ToTrfOp>(op) ||
        !findSums(op->getResult(0), sums))
      return false;
  }
  return true;
}

/// Whether every one of `sums` keeps the digit: its positions that are padding
/// are then positions of the result that are padding.
static bool isKept(const Factor &digit, ArrayRef<tcp::StreamType> sums) {
  return llvm::all_of(sums, [&](tcp::StreamType sum) {
    auto holds = [&](const Mapping &mapping) {
      return llvm::is_contained(mapping.factors(), digit);
    };
    return holds(sum.getTimeMapping()) || holds(sum.getPacketMapping());
  });
}

/// The time of a fetch whose padding is summed, with the terms as data whose
/// padding reaches padding of the results only: axes that the sums keep
/// (SIL-13, SIL-23). An axis of which another term holds a digit stays as it
/// is.
static Mapping withKeptAsData(tcp::FetchOp op, const Mapping &time,
                              const Mapping &packet) {
  SmallVector<tcp::StreamType, 2> sums;
  if (!findSums(op.getResult(), sums) || sums.empty())
    return time;
  llvm::StringMap<int64_t> uses;
  for (const Mapping &mapping : {time, packet})
    for (const Factor &factor : mapping.factors())
      ++uses[factor.base];
  std::string text;
  for (const Mapping::Term &term : time.terms()) {
    text += text.empty() ? "" : ", ";
    const Factor *digit =
        term.factors.size() == 1 ? &term.factors.front() : nullptr;
    bool isSole = digit && digit->kind == Factor::Kind::Axis &&
                  uses.lookup(digit->base) == 1;
    if (isSole && digit->isPadded() && isKept(*digit, sums))
      text += std::to_string(digit->extent);
    else
      text += term.text;
  }
  return llvm::cantFail(Mapping::parse(text, time.axes()));
}

static bool promisesZeros(const Mapping &mapping) {
  return llvm::any_of(mapping.factors(), [](const Factor &factor) {
    return factor.isPadded() && factor.padding == PaddingKind::Zero;
  });
}

FailureOr<Sequencer>
ExecDeriver::fetchSequencer(tcp::FetchOp op, const SequencerLimits &limits) {
  tcp::DmType dm = begin.getInput().getType();
  auto output = cast<tcp::StreamType>(op.getResult().getType());
  ElementType type = *tcp::getElementKind(dm.getElementType());
  DeriveOptions options;
  options.direction = Direction::Read;
  options.limits = limits;
  options.elementType = type;

  // Interleaved tensors are one tensor with an axis for the step between them.
  AddressMap map;
  bool interleaved = begin.getInputs().size() > 1;
  if (interleaved)
    map.append(cast<tcp::StreamType>(op.getInput().getType()).getTimeMapping(),
               kApart);
  map.append(dm.getElementMapping(), 1);
  Mapping packet = output.getPacketMapping();
  auto derived = reportAt(op.getOperation(),
                          derive(map, output.getTimeMapping(), packet, options),
                          "fetch sequencer");
  if (failed(derived))
    return failure();
  Sequencer sequencer = separatePacket(*derived, packet.size(), limits);
  if (interleaved) {
    int64_t bytes = addresses.lookup(begin.getInputs()[1]) -
                    addresses.lookup(begin.getInputs()[0]);
    int64_t bits = getBitWidth(type);
    if (bytes * 8 % bits != 0)
      return op.emitOpError() << "reads two tensors " << bytes
                              << " bytes apart, which is no whole number of "
                              << dm.getElementType() << " elements";
    for (SequencerEntry &entry : sequencer.entries)
      if (entry.stride == kApart)
        entry.stride = bytes * 8 / bits;
  }
  if (sequencer.entries.size() > limits.maxEntries)
    return op.emitOpError() << "needs " << sequencer.entries.size()
                            << " sequencer entries with the packet kept apart ("
                            << sequencer.str() << "), machine \""
                            << machine.name << "\" has " << limits.maxEntries;
  return sequencer;
}

LogicalResult ExecDeriver::fetchMask(tcp::FetchOp op,
                                     const SequencerLimits &limits,
                                     Sequencer &sequencer) {
  auto output = cast<tcp::StreamType>(op.getResult().getType());
  Mapping memory = begin.getInput().getType().getElementMapping();
  Mapping time = withZerosAsData(output.getTimeMapping(), memory);
  Mapping packet = withZerosAsData(output.getPacketMapping(), memory);
  // Why the padding of a stream of that time cannot be masked; empty if it is,
  // or if there is none.
  auto mask = [&](const Mapping &time) -> std::string {
    Sequencer masked = sequencer;
    auto mask = deriveFetchMask(time, packet, command.fetch.from, machine,
                                limits.maxEntries, masked);
    if (!mask)
      return llvm::toString(mask.takeError());
    if (!*mask)
      return "";
    if (isSub())
      return "the sub context has no masking";
    command.fetch.mask = std::move(**mask);
    if (auto value = op.getPadValue())
      command.fetch.mask->padValue = bitsOf(*value);
    sequencer = std::move(masked);
    return "";
  };
  std::string reason = mask(time);
  if (reason.empty())
    return success();
  // Without a mask the padding holds what was read, which does not matter
  // unless somebody relies on it (SIL-23, ERR-22).
  StringRef need = op.getPadValue() ? "is given a pad_value"
                   : promisesZeros(time) || promisesZeros(packet)
                       ? "is declared zero"
                       : "";
  if (need.empty() && reachesSum(op)) {
    reason = mask(withKeptAsData(op, time, packet));
    need = "is added up by the contraction engine";
  }
  if (need.empty() || reason.empty())
    return success();
  return op.emitOpError() << "padding of packet \"" << op.getPacket().getText()
                          << "\" over time \"" << op.getTime().getText()
                          << "\" " << need
                          << " and cannot be masked: " << reason;
}

LogicalResult ExecDeriver::stage(tcp::FetchOp op) {
  tcp::DmType dm = begin.getInput().getType();
  auto output = cast<tcp::StreamType>(op.getResult().getType());
  config::FetchStage &stage = command.fetch;
  stage.from = *tcp::getElementKind(dm.getElementType());
  stage.to = *tcp::getElementKind(output.getElementType());
  if (op.getTable())
    stage.table = readTable(*op.getTable());
  ElementType castFrom = stage.table ? stage.table->type : stage.from;
  if (!machine.canFetchCast(castFrom, stage.to))
    return op.emitOpError()
           << "casts " << tcp::getElementType(op.getContext(), castFrom)
           << " to " << output.getElementType() << ", which machine \""
           << machine.name << "\" cannot do while fetching";
  if (op.getZeroPoints())
    stage.zeroPoints.assign(op.getZeroPoints()->begin(),
                            op.getZeroPoints()->end());
  stage.dualChannel = op.getDualChannel();

  SequencerLimits limits = isSub() ? machine.subFetch : machine.mainFetch;
  if (isSub() && stage.from == ElementType::I4 && stage.to == ElementType::I32)
    limits.accessBytes = machine.subFetchI4ToI32Bytes;
  FailureOr<Sequencer> sequencer = fetchSequencer(op, limits);
  if (failed(sequencer))
    return failure();

  stage.packetElements = output.getPacketMapping().size();
  int64_t packetBytes = getByteSize(stage.from, stage.packetElements);
  if (packetBytes > machine.dmBytesPerSlice)
    return op.emitOpError()
           << "packet \"" << op.getPacket().getText() << "\" has "
           << packetBytes << " bytes, more than the " << machine.dmBytesPerSlice
           << " bytes of a slice";
  // One access, widened, still fits one flit (FET-20).
  int64_t widest = kFlitBytes * getBitWidth(stage.from) / getBitWidth(stage.to);
  int64_t run = contiguousBytes(*sequencer, stage.from);
  std::optional<int64_t> access =
      largestAccess(limits.accessBytes, packetBytes, run, widest);
  if (!access)
    return op.emitOpError()
           << "reads runs of " << run << " contiguous bytes for packets of "
           << packetBytes << " bytes, the "
           << tcp::stringifyContext(begin.getExecutionContext())
           << " context fetches "
           << llvm::join(llvm::map_range(
                             limits.accessBytes,
                             [](int64_t size) { return std::to_string(size); }),
                         ", ")
           << " bytes at a time";
  stage.accessBytes = *access;
  stage.fetchesPerPacket = packetBytes / *access;

  if (failed(fetchMask(op, limits, *sequencer)))
    return failure();
  stage.sequencer = derivation::toConfig(*sequencer, stage.from,
                                         addresses.lookup(begin.getInput()));
  return success();
}
