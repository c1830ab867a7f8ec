//===- DeriveExec.cpp - One pass of the tensor unit -----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Derivation.h"
#include "sequin/Dialect/Tcp/IR/TcpShapes.h"
#include "sequin/Machine/TcpIsa.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::derivation;
using namespace sequin::tcp_isa;

//===----------------------------------------------------------------------===//
// Sequencers
//===----------------------------------------------------------------------===//

config::Sequencer derivation::toConfig(const Sequencer &sequencer,
                                       ElementType type, int64_t address) {
  config::Sequencer result;
  result.baseAddress = address + sequencer.base * getBitWidth(type) / 8;
  result.packetEntries = sequencer.packetEntries;
  for (const SequencerEntry &entry : sequencer.entries)
    result.entries.push_back({entry.size, entry.stride});
  return result;
}

Sequencer derivation::separatePacket(const Derivation &derivation,
                                     int64_t packetElements,
                                     const SequencerLimits &limits) {
  Sequencer result = derivation.initial.entries.size() <= limits.maxEntries
                         ? derivation.initial
                         : derivation.sequencer;
  result.packetElements = packetElements;
  result.packetEntries = 0;
  int64_t inner = 1;
  for (size_t i = result.entries.size(); i-- > 0 && inner < packetElements;) {
    SequencerEntry &entry = result.entries[i];
    int64_t missing = packetElements / inner;
    ++result.packetEntries;
    if (entry.size > missing && entry.size % missing == 0) {
      SequencerEntry outer = entry;
      outer.size = entry.size / missing;
      outer.stride = entry.stride * missing;
      entry.size = missing;
      result.entries.insert(result.entries.begin() + i, outer);
      break;
    }
    inner *= entry.size;
  }
  return result;
}

/// Bytes of the innermost contiguous run; 0 if it is no whole number of them.
static int64_t contiguousBytes(const Sequencer &sequencer, ElementType type) {
  int64_t run = 1;
  for (const SequencerEntry &entry : llvm::reverse(sequencer.entries)) {
    if (entry.size == 1)
      continue;
    if (entry.stride != run)
      break;
    run *= entry.size;
  }
  int64_t bits = run * getBitWidth(type);
  return bits % 8 == 0 ? bits / 8 : 0;
}

/// The largest of `sizes` that divides both numbers of bytes (FET-04, COM-08).
static std::optional<int64_t> largestAccess(ArrayRef<int64_t> sizes, int64_t a,
                                            int64_t b, int64_t most) {
  for (int64_t size : llvm::reverse(sizes))
    if (size <= most && a % size == 0 && b != 0 && b % size == 0)
      return size;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

namespace {
/// Follows the stream from its begin to its sink, filling in the command.
class ExecDeriver {
public:
  ExecDeriver(tcp::BeginOp begin, const AddressTable &addresses,
              const TcpMachine &machine)
      : begin(begin), addresses(addresses), machine(machine) {}

  FailureOr<config::ExecCommand> run(Operation *&sink);

private:
  LogicalResult step(Operation *op);
  LogicalResult fetch(tcp::FetchOp op);
  LogicalResult collect(tcp::CollectOp op);
  LogicalResult commit(tcp::CommitOp op);
  template <typename OpTy>
  LogicalResult vectorBinary(OpTy op, config::VectorOpcode opcode);
  /// The slices that hold data take part.
  LogicalResult setSliceMask(Operation *op, tcp::GridAttr grid);

  bool isSub() { return begin.getExecutionContext() == tcp::Context::Sub; }
  config::VectorStage &vector(Operation *op) {
    if (!command.vector) {
      command.vector.emplace();
      auto stream = cast<tcp::StreamType>(op->getResult(0).getType());
      command.vector->type = *tcp::getElementKind(stream.getElementType());
    }
    return *command.vector;
  }

  tcp::BeginOp begin;
  const AddressTable &addresses;
  const TcpMachine &machine;
  config::ExecCommand command;
  tcp::AlignOp align;
  tcp::ContractOp contract;
};
} // namespace

LogicalResult ExecDeriver::setSliceMask(Operation *op, tcp::GridAttr grid) {
  Mapping cluster = grid.getClusterMapping(), slice = grid.getSliceMapping();
  // Quotient and remainder of one axis may be split over both levels.
  Mapping both = llvm::cantFail(Mapping::pair(cluster, slice));
  int64_t perCluster = machine.slicesPerCluster;
  // Grids smaller than the machine's exist in unit mode, larger ones nowhere.
  if (cluster.size() > machine.clustersPerChip || slice.size() > perCluster)
    return op->emitOpError()
           << "runs on " << cluster.size() << " clusters of " << slice.size()
           << " slices, machine \"" << machine.name << "\" has "
           << machine.clustersPerChip << " of " << perCluster;
  command.sliceMask.assign(
      llvm::divideCeil(machine.clustersPerChip * perCluster, 64), 0);
  for (int64_t c = 0; c < cluster.size(); ++c)
    for (int64_t s = 0; s < slice.size(); ++s)
      if (both.at(c * slice.size() + s)) {
        int64_t bit = c * perCluster + s;
        command.sliceMask[bit / 64] |= uint64_t(1) << (bit % 64);
      }
  return success();
}

LogicalResult ExecDeriver::fetch(tcp::FetchOp op) {
  tcp::DmType dm = begin.getInput().getType();
  auto output = cast<tcp::StreamType>(op.getResult().getType());
  config::FetchStage &stage = command.fetch;
  stage.from = *tcp::getElementKind(dm.getElementType());
  stage.to = *tcp::getElementKind(output.getElementType());
  if (!machine.canFetchCast(stage.from, stage.to))
    return op.emitOpError() << "casts " << dm.getElementType() << " to "
                            << output.getElementType() << ", which machine \""
                            << machine.name << "\" cannot do while fetching";

  SequencerLimits limits = isSub() ? machine.subFetch : machine.mainFetch;
  if (isSub() && stage.from == ElementType::I4 && stage.to == ElementType::I32)
    limits.accessBytes = machine.subFetchI4ToI32Bytes;
  DeriveOptions options;
  options.direction = Direction::Read;
  options.limits = limits;
  options.elementType = stage.from;
  Mapping packet = output.getPacketMapping();
  auto derived = reportAt(op.getOperation(),
                          derive(AddressMap(dm.getElementMapping()),
                                 output.getTimeMapping(), packet, options),
                          "fetch sequencer");
  if (failed(derived))
    return failure();
  Sequencer sequencer = separatePacket(*derived, packet.size(), limits);
  if (sequencer.entries.size() > limits.maxEntries)
    return op.emitOpError() << "needs " << sequencer.entries.size()
                            << " sequencer entries with the packet kept apart ("
                            << sequencer.str() << "), machine \""
                            << machine.name << "\" has " << limits.maxEntries;

  stage.packetElements = packet.size();
  int64_t packetBytes = getByteSize(stage.from, packet.size());
  if (packetBytes > machine.dmBytesPerSlice)
    return op.emitOpError()
           << "packet \"" << op.getPacket().getText() << "\" has "
           << packetBytes << " bytes, more than the " << machine.dmBytesPerSlice
           << " bytes of a slice";
  // One access, widened, still fits one flit (FET-20).
  int64_t widest = kFlitBytes * getBitWidth(stage.from) / getBitWidth(stage.to);
  std::optional<int64_t> access =
      largestAccess(limits.accessBytes, packetBytes,
                    contiguousBytes(sequencer, stage.from), widest);
  if (!access)
    return op.emitOpError()
           << "reads runs of " << contiguousBytes(sequencer, stage.from)
           << " contiguous bytes for packets of " << packetBytes
           << " bytes, the "
           << tcp::stringifyContext(begin.getExecutionContext())
           << " context fetches "
           << llvm::join(llvm::map_range(
                             limits.accessBytes,
                             [](int64_t size) { return std::to_string(size); }),
                         ", ")
           << " bytes at a time";
  stage.accessBytes = *access;

  auto mask = deriveFetchMask(
      op, ArrayRef(sequencer.entries).drop_back(sequencer.packetEntries));
  if (failed(mask))
    return failure();
  if (*mask && isSub())
    return op.emitOpError() << "packet \"" << op.getPacket().getText()
                            << "\" has padding, which the sub context cannot "
                               "mask while fetching";
  stage.mask = *mask;
  stage.sequencer =
      toConfig(sequencer, stage.from, addresses.lookup(begin.getInput()));
  return success();
}

LogicalResult ExecDeriver::collect(tcp::CollectOp op) {
  auto flits = tcp::inferCollectFlits(op, [&] { return op.emitOpError(); });
  if (failed(flits))
    return failure();
  command.collect.packetBytes =
      cast<tcp::StreamType>(op.getInput().getType()).getPacketBytes();
  command.collect.flitsPerPacket = *flits;
  return success();
}

LogicalResult ExecDeriver::commit(tcp::CommitOp op) {
  auto kept = tcp::inferCommitElements(op, [&] { return op.emitOpError(); });
  if (failed(kept))
    return failure();
  auto input = cast<tcp::StreamType>(op.getInput().getType());
  auto output = op.getResult().getType();
  config::CommitStage stage;
  stage.type = *tcp::getElementKind(output.getElementType());
  stage.commitInBytes = getByteSize(stage.type, *kept);

  const SequencerLimits &limits =
      isSub() ? machine.subCommit : machine.mainCommit;
  DeriveOptions options;
  options.direction = Direction::Write;
  options.limits = limits;
  options.elementType = stage.type;
  auto derived = reportAt(op.getOperation(),
                          derive(AddressMap(output.getElementMapping()),
                                 input.getTimeMapping(),
                                 input.getPacketMapping(), options),
                          "commit sequencer");
  if (failed(derived))
    return failure();
  Sequencer sequencer = separatePacket(*derived, *kept, limits);
  if (sequencer.entries.size() > limits.maxEntries)
    return op.emitOpError()
           << "needs " << sequencer.entries.size() << " sequencer entries ("
           << sequencer.str() << "), machine \"" << machine.name << "\" has "
           << limits.maxEntries;

  std::optional<int64_t> access = largestAccess(
      limits.accessBytes, stage.commitInBytes,
      contiguousBytes(sequencer, stage.type), stage.commitInBytes);
  if (!access)
    return op.emitOpError()
           << "writes runs of " << contiguousBytes(sequencer, stage.type)
           << " contiguous bytes, the "
           << tcp::stringifyContext(begin.getExecutionContext())
           << " context commits multiples of " << limits.accessBytes.front()
           << " bytes";
  stage.accessBytes = *access;
  stage.sequencer = toConfig(sequencer, stage.type, op.getAddress());
  // COM-14: everything outside the packet moves by whole bank words.
  auto misaligned = [&](int64_t bytes) {
    return bytes % machine.commitAlignBytes != 0;
  };
  for (const config::Loop &loop : ArrayRef(stage.sequencer.entries)
                                      .drop_back(stage.sequencer.packetEntries))
    if (misaligned(getByteSize(stage.type, std::abs(loop.stride))))
      return op.emitOpError()
             << "steps " << getByteSize(stage.type, loop.stride)
             << " bytes between writes, commit strides are multiples of "
             << machine.commitAlignBytes << " bytes";
  if (misaligned(stage.sequencer.baseAddress))
    return op.emitOpError()
           << "writes to address " << stage.sequencer.baseAddress
           << ", commit addresses are multiples of " << machine.commitAlignBytes
           << " bytes";
  command.sink = stage;
  return success();
}

/// The 32 bits of an i32 or f32 constant.
static uint32_t bitsOf(Attribute attr) {
  if (auto integer = dyn_cast<IntegerAttr>(attr))
    return static_cast<uint32_t>(integer.getInt());
  return static_cast<uint32_t>(
      cast<FloatAttr>(attr).getValue().bitcastToAPInt().getZExtValue());
}

template <typename OpTy>
LogicalResult ExecDeriver::vectorBinary(OpTy op, config::VectorOpcode opcode) {
  config::VectorOp entry;
  entry.opcode = opcode;
  entry.swapped = op.getMode() == tcp::ArgMode::Mode10;
  if (Attribute constant = op.getConstantAttr()) {
    entry.operand.kind = config::VectorOperand::Kind::Constant;
    entry.operand.constant = bitsOf(constant);
    vector(op).ops.push_back(std::move(entry));
    return success();
  }
  auto input = cast<tcp::StreamType>(op.getInput().getType());
  tcp::VrfType vrf = op.getVrf().getType();
  // The manual states no limits for reads of the VRF; those of the other
  // register file's sequencer are taken.
  DeriveOptions options;
  options.direction = Direction::Read;
  options.limits = machine.trf;
  options.elementType = *tcp::getElementKind(vrf.getElementType());
  Mapping packet = input.getPacketMapping();
  auto derived = reportAt(op.getOperation(),
                          derive(AddressMap(vrf.getElementMapping()),
                                 input.getTimeMapping(), packet, options),
                          "VRF operand");
  if (failed(derived))
    return failure();
  entry.operand.kind = config::VectorOperand::Kind::Vrf;
  entry.operand.vrf =
      toConfig(separatePacket(*derived, packet.size(), machine.trf),
               options.elementType, addresses.lookup(op.getVrf()));
  vector(op).ops.push_back(std::move(entry));
  return success();
}

static config::VectorOpcode opcodeOf(tcp::FxpOp op) {
  using Opcode = config::VectorOpcode;
  switch (op) {
  case tcp::FxpOp::AddFxp:
    return Opcode::FxpAdd;
  case tcp::FxpOp::AddFxpSat:
    return Opcode::FxpAddSat;
  case tcp::FxpOp::SubFxp:
    return Opcode::FxpSub;
  case tcp::FxpOp::SubFxpSat:
    return Opcode::FxpSubSat;
  case tcp::FxpOp::LeftShift:
    return Opcode::FxpLeftShift;
  case tcp::FxpOp::LeftShiftSat:
    return Opcode::FxpLeftShiftSat;
  case tcp::FxpOp::MulFxp:
    return Opcode::FxpMul;
  case tcp::FxpOp::MulInt:
    return Opcode::FxpMulInt;
  case tcp::FxpOp::LogicRightShift:
    return Opcode::FxpLogicRightShift;
  case tcp::FxpOp::ArithRightShift:
    return Opcode::FxpArithRightShift;
  case tcp::FxpOp::ArithRightShiftRound:
    return Opcode::FxpArithRightShiftRound;
  }
  llvm_unreachable("unknown fxp operation");
}

static config::VectorOpcode opcodeOf(tcp::FpBinaryOp op) {
  using Opcode = config::VectorOpcode;
  switch (op) {
  case tcp::FpBinaryOp::AddF:
    return Opcode::FpAdd;
  case tcp::FpBinaryOp::SubF:
    return Opcode::FpSub;
  case tcp::FpBinaryOp::MulF0:
    return Opcode::FpMul0;
  case tcp::FpBinaryOp::MulF1:
    return Opcode::FpMul1;
  case tcp::FpBinaryOp::DivF:
    return Opcode::FpDivF;
  }
  llvm_unreachable("unknown float operation");
}

static config::VectorOpcode opcodeOf(tcp::ClipOp op, bool isFloat) {
  using Opcode = config::VectorOpcode;
  switch (op) {
  case tcp::ClipOp::Min:
    return isFloat ? Opcode::ClipMinF : Opcode::ClipMinI;
  case tcp::ClipOp::Max:
    return isFloat ? Opcode::ClipMaxF : Opcode::ClipMaxI;
  case tcp::ClipOp::Add:
    return Opcode::ClipAddF;
  case tcp::ClipOp::AddFxp:
    return Opcode::ClipAddFxp;
  case tcp::ClipOp::AddFxpSat:
    return Opcode::ClipAddFxpSat;
  }
  llvm_unreachable("unknown clip operation");
}

/// The parts of the TRF have the same numbers in IR and configuration.
static_assert(static_cast<int>(tcp::TrfAddress::FirstHalf) ==
              static_cast<int>(config::TrfAddress::FirstHalf));
static_assert(static_cast<int>(tcp::TrfAddress::SecondHalf) ==
              static_cast<int>(config::TrfAddress::SecondHalf));
static_assert(static_cast<int>(tcp::TrfAddress::Full) ==
              static_cast<int>(config::TrfAddress::Full));

LogicalResult ExecDeriver::step(Operation *op) {
  using config::VectorOpcode;
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](tcp::FetchOp op) { return fetch(op); })
      .Case([&](tcp::SwitchOp op) {
        command.broadcast01 =
            config::SwitchStage{static_cast<int64_t>(op.getSlice1()),
                                static_cast<int64_t>(op.getSlice0()),
                                static_cast<int64_t>(op.getTime0())};
        // From here on the slices are those of the result.
        auto output = cast<tcp::StreamType>(op.getResult().getType());
        return setSliceMask(op, output.getGrid());
      })
      .Case([&](tcp::CollectOp op) { return collect(op); })
      .Case([&](tcp::ToTrfOp op) {
        tcp::TrfType type = op.getResult().getType();
        command.sink =
            config::ToTrfStage{static_cast<config::TrfAddress>(op.getAddress()),
                               type.getRowMapping().size(), type.getByteSize()};
        return success();
      })
      .Case([&](tcp::ToVrfOp op) {
        command.sink =
            config::ToVrfStage{static_cast<int64_t>(op.getAddress()),
                               op.getResult().getType().getByteSize()};
        return success();
      })
      .Case([&](tcp::AlignOp op) {
        align = op;
        return success();
      })
      .Case([&](tcp::ContractOp op) {
        contract = op;
        return success();
      })
      .Case([&](tcp::AccumulateOp op) -> LogicalResult {
        auto stage = deriveContract(align, contract, op, machine);
        if (failed(stage))
          return failure();
        command.contract = *stage;
        return success();
      })
      .Case([&](tcp::VectorInitOp op) {
        vector(op);
        return success();
      })
      .Case<tcp::VectorIntraSliceBranchOp, tcp::VectorFinalOp>(
          [&](auto) { return success(); })
      .Case([&](tcp::VectorFxpOp op) {
        return vectorBinary(op, opcodeOf(op.getOp()));
      })
      .Case([&](tcp::VectorFpBinaryOp op) {
        return vectorBinary(op, opcodeOf(op.getOp()));
      })
      .Case([&](tcp::VectorClipOp op) {
        auto input = cast<tcp::StreamType>(op.getInput().getType());
        return vectorBinary(
            op, opcodeOf(op.getOp(), input.getElementType().isF32()));
      })
      .Case([&](tcp::VectorFxpToFpOp op) {
        config::VectorOp entry;
        entry.opcode = VectorOpcode::FxpToFp;
        entry.intWidth = op.getIntWidth();
        vector(op).ops.push_back(std::move(entry));
        return success();
      })
      .Case([&](tcp::VectorFpToFxpOp op) {
        config::VectorOp entry;
        entry.opcode = VectorOpcode::FpToFxp;
        entry.intWidth = op.getIntWidth();
        vector(op).ops.push_back(std::move(entry));
        return success();
      })
      .Case<tcp::VectorSplitOp, tcp::VectorConcatOp>([&](auto op) {
        config::VectorOp entry;
        entry.opcode = isa<tcp::VectorSplitOp>(op) ? VectorOpcode::Split
                                                   : VectorOpcode::Concat;
        vector(op).ops.push_back(std::move(entry));
        return success();
      })
      .Case([&](tcp::CastOp op) -> LogicalResult {
        auto input = cast<tcp::StreamType>(op.getInput().getType());
        config::CastStage stage{*tcp::getElementKind(input.getElementType()),
                                *tcp::getElementKind(op.getElementType())};
        if (!machine.canCast(stage.from, stage.to))
          return op.emitOpError() << "casts " << input.getElementType()
                                  << " to " << op.getElementType()
                                  << ", which the cast engine of machine \""
                                  << machine.name << "\" cannot do";
        command.cast = stage;
        return success();
      })
      .Case([&](tcp::CommitOp op) { return commit(op); })
      .Default([](Operation *op) {
        return op->emitOpError() << "is not an engine of the tensor unit";
      });
}

FailureOr<config::ExecCommand> ExecDeriver::run(Operation *&sink) {
  command.context = isSub() ? config::Context::Sub : config::Context::Main;
  if (begin.getInput().getType().getGrid().getChipMapping().size() != 1)
    return begin.emitOpError() << "runs on several chips, programs on one chip "
                                  "are supported";
  if (failed(setSliceMask(begin, begin.getInput().getType().getGrid())))
    return failure();
  sink = begin;
  while (std::holds_alternative<std::monostate>(command.sink)) {
    Value stream = sink->getResult(0);
    if (!stream.hasOneUse())
      return sink->emitOpError()
             << "stream has " << llvm::range_size(stream.getUses())
             << " consumers, an engine has exactly one successor";
    sink = *stream.user_begin();
    if (failed(step(sink)))
      return failure();
  }
  return command;
}

FailureOr<config::ExecCommand>
derivation::deriveExec(tcp::BeginOp begin, const AddressTable &addresses,
                       const TcpMachine &machine, Operation *&sink) {
  return ExecDeriver(begin, addresses, machine).run(sink);
}
