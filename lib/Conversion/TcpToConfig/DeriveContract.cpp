//===- DeriveContract.cpp - The contraction engine ------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExecDeriver.h"
#include "sequin/Dialect/Tcp/IR/TcpShapes.h"
#include "sequin/Machine/TcpIsa.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::derivation;
using namespace sequin::tcp_isa;

/// The element behind the last one that reads of `run` elements come to.
static int64_t getReadEnd(const Sequencer &sequencer, int64_t run) {
  int64_t last = sequencer.base;
  for (const SequencerEntry &entry :
       llvm::ArrayRef(sequencer.entries).drop_back(sequencer.packetEntries))
    last += (entry.size - 1) * std::max<int64_t>(entry.stride, 0);
  return last + run;
}

/// A read of `run` elements for a packet without those behind its data. Lanes
/// of padding may get anything finite, as the stream has zeros there; behind a
/// row is memory that nobody has written, and a shorter read is repeated
/// instead.
static int64_t withoutPadding(const Mapping &packet, int64_t run,
                              ElementType type, const TcpMachine &machine) {
  int64_t data = tcp::countLeading(packet);
  auto isRead = [&](int64_t elements) {
    return elements * getBitWidth(type) % 8 == 0 &&
           llvm::is_contained(machine.trf.accessBytes,
                              getByteSize(type, elements));
  };
  while (run % 2 == 0 && run / 2 >= data && isRead(run / 2))
    run /= 2;
  return run;
}

/// The TRF side: which bytes of a row each computation packet reads (TRF-02).
static LogicalResult deriveTrf(tcp::AlignOp align, const tcp::AlignShape &shape,
                               const TcpMachine &machine,
                               config::ContractStage &stage) {
  tcp::TrfType trf = align.getTrf().getType();
  auto input = cast<tcp::StreamType>(align.getInput().getType());
  auto output = cast<tcp::StreamType>(align.getResult().getType());
  // With one flit per packet, what is read is repeated over the upper half.
  bool halfPacket = shape.collectFlits == 1 && shape.shifts == 0;
  Mapping packet =
      halfPacket ? input.getPacketMapping() : output.getPacketMapping();
  FailureOr<Sequencer> taken = takeSequencer(align);
  if (failed(taken))
    return failure();
  Sequencer &sequencer = *taken;

  // One contiguous read, repeated to fill the packet: from the innermost entry
  // outwards first a run, then only repetitions.
  int64_t regRead = 1;
  bool repeated = false;
  for (const SequencerEntry &entry :
       llvm::reverse(llvm::ArrayRef(sequencer.entries)
                         .take_back(sequencer.packetEntries))) {
    if (entry.size == 1)
      continue;
    if (entry.stride == 0)
      repeated = true;
    else if (entry.stride == regRead && !repeated)
      regRead *= entry.size;
    else
      return align.emitOpError()
             << "packet \"" << output.getPacket().getText()
             << "\" reads the TRF element \"" << trf.getElement().getText()
             << "\" as " << sequencer.str()
             << ", a TRF read is one contiguous run, repeated";
  }
  if (getReadEnd(sequencer, regRead) > trf.getElementMapping().size())
    regRead = withoutPadding(packet, regRead, stage.type, machine);
  if (regRead * getBitWidth(stage.type) % 8 != 0)
    return align.emitOpError()
           << "reads " << regRead << " elements of " << input.getElementType()
           << " from the TRF at a time, a read is whole bytes";
  int64_t regReadBytes = getByteSize(stage.type, regRead);
  if (!llvm::is_contained(machine.trf.accessBytes, regReadBytes))
    return align.emitOpError()
           << "reads " << regReadBytes
           << " contiguous bytes of the TRF per packet, a power of two from "
           << machine.trf.accessBytes.front() << " to "
           << machine.trf.accessBytes.back() << " is allowed";
  sequencer.entries.truncate(sequencer.entries.size() -
                             sequencer.packetEntries);
  sequencer.packetEntries = 0;
  // TRF-03: a full-width read uses both columns of the register file.
  if (regReadBytes == kMacWidthBytes &&
      getByteSize(stage.type, std::abs(sequencer.base)) % kMacWidthBytes != 0)
    return align.emitOpError()
           << "starts reading " << getByteSize(stage.type, sequencer.base)
           << " bytes into a row of the TRF, reads of " << kMacWidthBytes
           << " bytes need multiples of " << kMacWidthBytes;
  if (regReadBytes == kMacWidthBytes)
    for (const SequencerEntry &entry : sequencer.entries)
      if (getByteSize(stage.type, std::abs(entry.stride)) % kMacWidthBytes != 0)
        return align.emitOpError()
               << "steps " << getByteSize(stage.type, entry.stride)
               << " bytes through the TRF, reads of " << kMacWidthBytes
               << " bytes need multiples of " << kMacWidthBytes;
  stage.regReadBytes = regReadBytes;
  stage.trf = toConfig(sequencer, stage.type, 0);
  return success();
}

/// Whether element `offset` of every TRF read is padding that is zero.
static bool readsZero(const Mapping &element, int64_t read, int64_t offset) {
  llvm::Expected<Mapping> inner = element.modulo(read);
  if (!inner) {
    llvm::consumeError(inner.takeError());
    return false;
  }
  for (const Factor &factor : llvm::reverse(inner->factors())) {
    int64_t digit = offset % factor.extent;
    offset /= factor.extent;
    if (factor.padding == PaddingKind::Zero &&
        (digit < factor.first || digit >= factor.first + factor.valid))
      return true;
  }
  return false;
}

/// A lane of padding that the tree adds to data must be zero on one side
/// (CON-10: 1# times 1z is valid, 1# times 1# is not). The padding of collected
/// packets is zero, masked by the fetch adapter; what shifts move into a lane
/// and the gaps of a sliding combination are not. Next to data no padding can
/// be neutral for reduce-max.
static LogicalResult checkPaddedLanes(tcp::AlignOp align,
                                      tcp::ContractOp contract,
                                      const tcp::AlignShape &shape,
                                      const config::ContractStage &stage) {
  auto output = cast<tcp::StreamType>(align.getResult().getType());
  Mapping packet = output.getPacketMapping();
  bool slides = llvm::any_of(packet.factors(), [](const Factor &factor) {
    return factor.kind == Factor::Kind::Sliding;
  });
  bool isMax = stage.reduceOp == config::ReduceOp::Max;
  if (shape.shifts == 0 && !slides && !isMax)
    return success();
  Mapping element = align.getTrf().getType().getElementMapping();
  int64_t read = stage.regReadBytes * 8 / getBitWidth(stage.type);
  bool aligned = llvm::all_of(stage.trf.entries, [&](const config::Loop &loop) {
    return loop.size == 1 || loop.stride % read == 0;
  });
  int64_t group = int64_t(1) << stage.depth;
  for (int64_t first = 0; first < packet.size(); first += group) {
    bool hasData = false;
    std::optional<int64_t> undefined;
    for (int64_t lane = first; lane < first + group; ++lane) {
      bool isData = packet.at(lane).has_value();
      hasData |= isData;
      if (!isData && !undefined &&
          (isMax || !(aligned && readsZero(element, read, lane % read))))
        undefined = lane;
    }
    if (!hasData || !undefined)
      continue;
    if (isMax)
      return contract.emitOpError()
             << "takes the maximum of data and lane " << *undefined
             << " of packet \"" << output.getPacket().getText()
             << "\", which is padding";
    InFlightDiagnostic diag =
        contract.emitOpError()
        << "adds lane " << *undefined << " of packet \""
        << output.getPacket().getText()
        << "\" to data: it is padding that the stream does not set to zero and "
           "the TRF element \""
        << align.getTrf().getType().getElement().getText() << "\" neither";
    diag.attachNote(align.getLoc()) << "packets shifted here";
    return diag;
  }
  return success();
}

/// The accumulator's loops and slots (RED-08 to RED-15).
static LogicalResult deriveAccumulator(tcp::AccumulateOp op,
                                       const TcpMachine &machine,
                                       config::ContractStage &stage) {
  auto shape = tcp::inferAccumulateShape(op, [&] { return op.emitOpError(); });
  if (failed(shape))
    return failure();
  auto input = cast<tcp::StreamType>(op.getInput().getType());
  if (stage.reduceOp == config::ReduceOp::Max)
    for (const ReductionLoop &loop : shape->loops)
      if (loop.reduced && loop.factor.isPadded())
        return op.emitOpError()
               << "takes the maximum over the padding of time \""
               << loop.factor.str() << "\"";
  stage.columns = shape->columns;
  stage.kind = op.getKind() == tcp::AccumulationKind::Interleaved
                   ? config::AccumulationKind::Interleaved
                   : config::AccumulationKind::Sequential;

  // Sums that are open at the same time need a slot each: the surviving loops
  // inside the outermost reduced one.
  const auto *outermost = llvm::find_if(
      shape->loops, [](const ReductionLoop &loop) { return loop.reduced; });
  int64_t slots = 1, steps = 1;
  for (const ReductionLoop &loop : llvm::reverse(shape->loops)) {
    config::AccumulateLoop &entry = stage.loops.emplace_back();
    entry.size = loop.factor.extent;
    entry.reduced = loop.reduced;
    steps *= entry.size;
    if (!loop.reduced && &loop > outermost) {
      entry.slotStride = slots;
      slots *= entry.size;
    }
  }
  std::reverse(stage.loops.begin(), stage.loops.end());
  if (steps != input.getTimeMapping().size())
    return op.emitOpError()
           << "reduces loops of " << steps << " steps, the stream has "
           << input.getTimeMapping().size();

  bool interleaved = stage.kind == config::AccumulationKind::Interleaved;
  int64_t used = slots * (interleaved ? stage.columns : stage.rows);
  int64_t capacity =
      machine.accumulatorRegisters *
      (interleaved ? machine.accumulatorColumns : machine.rowsPerSlice);
  if (used > capacity)
    return op.emitOpError()
           << "keeps " << used
           << " sums open inside the outermost reduced time axis, the "
           << tcp::stringifyAccumulationKind(op.getKind())
           << " accumulator of machine \"" << machine.name << "\" holds "
           << capacity;
  return success();
}

FailureOr<config::ContractStage>
derivation::deriveContract(tcp::AlignOp align, tcp::ContractOp contract,
                           tcp::AccumulateOp accumulate,
                           const TcpMachine &machine) {
  auto trfSource = align.getTrf().getDefiningOp<tcp::ToTrfOp>();
  if (!trfSource)
    return align.emitOpError() << "takes a TRF tensor that no tcp.to_trf of "
                                  "this kernel stores";
  auto alignShape =
      tcp::inferAlignShape(align, [&] { return align.emitOpError(); });
  auto depth =
      tcp::inferTreeDepth(contract, [&] { return contract.emitOpError(); });
  if (failed(alignShape) || failed(depth))
    return failure();

  config::ContractStage stage;
  auto input = cast<tcp::StreamType>(align.getInput().getType());
  stage.type = *tcp::getElementKind(input.getElementType());
  stage.collectFlits = alignShape->collectFlits;
  stage.shifts = alignShape->shifts;
  stage.shiftStride = alignShape->shiftStride;
  stage.timeBroadcast = alignShape->timeBroadcast;
  stage.trfAddress = static_cast<config::TrfAddress>(trfSource.getAddress());
  stage.rows = align.getTrf().getType().getRowMapping().size();
  stage.reduceOp =
      contract.getMax() ? config::ReduceOp::Max : config::ReduceOp::Add;
  stage.depth = *depth;
  if (failed(deriveTrf(align, *alignShape, machine, stage)) ||
      failed(checkPaddedLanes(align, contract, *alignShape, stage)) ||
      failed(deriveAccumulator(accumulate, machine, stage)))
    return failure();
  return stage;
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

/// The parts of the TRF have the same numbers in IR and configuration.
static_assert(static_cast<int>(tcp::TrfAddress::FirstHalf) ==
              static_cast<int>(config::TrfAddress::FirstHalf));
static_assert(static_cast<int>(tcp::TrfAddress::SecondHalf) ==
              static_cast<int>(config::TrfAddress::SecondHalf));
static_assert(static_cast<int>(tcp::TrfAddress::Full) ==
              static_cast<int>(config::TrfAddress::Full));

/// Whether the pass so far is one contiguous load that changes nothing
/// (TRF-04).
static bool isContiguousLoad(const config::ExecCommand &command) {
  const config::FetchStage &fetch = command.fetch;
  if (fetch.from != fetch.to || fetch.mask || fetch.table ||
      fetch.dualChannel || !fetch.zeroPoints.empty() || command.switching)
    return false;
  // Packets that collect pads would leave gaps in the register file.
  if (command.collect.packetBytes % kFlitBytes != 0)
    return false;
  int64_t run = 1;
  for (const config::Loop &entry : llvm::reverse(fetch.sequencer.entries)) {
    if (entry.size > 1 && entry.stride != run)
      return false;
    run *= entry.size;
  }
  return true;
}

LogicalResult ExecDeriver::stage(tcp::ToTrfOp op) {
  tcp::TrfType type = op.getResult().getType();
  command.sink =
      config::ToTrfStage{static_cast<config::TrfAddress>(op.getAddress()),
                         type.getRowMapping().size(), type.getByteSize(),
                         isContiguousLoad(command)};
  return success();
}

LogicalResult ExecDeriver::stage(tcp::AlignOp op) {
  align = op;
  return success();
}

LogicalResult ExecDeriver::stage(tcp::ContractOp op) {
  contract = op;
  return success();
}

LogicalResult ExecDeriver::stage(tcp::AccumulateOp op) {
  auto stage = deriveContract(align, contract, op, machine);
  if (failed(stage))
    return failure();
  command.contract = *stage;
  return success();
}
