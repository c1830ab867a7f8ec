//===- Walks.cpp - How operations visit their memories --------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Walks.h"
#include "sequin/Dialect/Tcp/IR/TcpShapes.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::derivation;
using Walks = SmallVector<Walk, 1>;

bool derivation::isSubContext(Operation *stage) {
  return cast<tcp::StreamType>(stage->getOperand(0).getType())
             .getExecutionContext() == tcp::Context::Sub;
}

static ElementType kindOf(Type element) {
  return *tcp::getElementKind(element);
}

SequencerLimits derivation::getFetchLimits(tcp::FetchOp op,
                                           const TcpMachine &machine) {
  if (!isSubContext(op))
    return machine.mainFetch;
  SequencerLimits limits = machine.subFetch;
  PassBegin begin(op.getInput().getDefiningOp());
  auto output = cast<tcp::StreamType>(op.getResult().getType());
  if (kindOf(begin.getInput().getType().getElementType()) == ElementType::I4 &&
      kindOf(output.getElementType()) == ElementType::I32)
    limits.accessBytes = machine.subFetchI4ToI32Bytes;
  return limits;
}

static FailureOr<Walks> walksOf(tcp::FetchOp op, const TcpMachine &machine) {
  Operation *first = op.getInput().getDefiningOp();
  if (!first || !PassBegin::is(first))
    return Walks();
  PassBegin begin(first);
  tcp::DmType dm = begin.getInput().getType();
  auto output = cast<tcp::StreamType>(op.getResult().getType());
  Walk walk;
  walk.what = "fetch sequencer";
  walk.options.limits = getFetchLimits(op, machine);
  walk.options.elementType = kindOf(dm.getElementType());
  // Interleaved tensors are one tensor with an axis for the step between them.
  if (begin.getInputs().size() > 1)
    walk.buffer.append(
        cast<tcp::StreamType>(op.getInput().getType()).getTimeMapping(),
        kInterleaved);
  walk.buffer.append(dm.getElementMapping(), 1);
  walk.time = output.getTimeMapping();
  walk.packet = output.getPacketMapping();
  walk.packetElements = walk.packet.size();
  return Walks{walk};
}

static FailureOr<Walks> walksOf(tcp::AlignOp op, const TcpMachine &machine) {
  auto shape = tcp::inferAlignShape(op, [&] { return op.emitOpError(); });
  if (failed(shape))
    return failure();
  auto input = cast<tcp::StreamType>(op.getInput().getType());
  auto output = cast<tcp::StreamType>(op.getResult().getType());
  Walk walk;
  walk.what = "TRF sequencer";
  walk.options.limits = machine.trf;
  walk.options.elementType = kindOf(input.getElementType());
  walk.buffer = AddressMap(op.getTrf().getType().getElementMapping());
  walk.time = output.getTimeMapping();
  // With one flit per packet the upper half of the other operand is zero, so
  // the packet to fill is the flit; what is read is repeated over the upper
  // half.
  bool halfPacket = shape->collectFlits == 1 && shape->shifts == 0;
  walk.packet =
      halfPacket ? input.getPacketMapping() : output.getPacketMapping();
  walk.packetElements = walk.packet.size();
  return Walks{walk};
}

/// tcp.commit and tcp.commit_view: `kept` elements of each packet are written.
static FailureOr<Walks> walksOf(Operation *op, stream::MappingAttr element,
                                FailureOr<int64_t> kept,
                                const TcpMachine &machine) {
  if (failed(kept))
    return failure();
  auto input = cast<tcp::StreamType>(op->getOperand(0).getType());
  Walk walk;
  walk.what = "commit sequencer";
  walk.options.direction = Direction::Write;
  walk.options.limits =
      isSubContext(op) ? machine.subCommit : machine.mainCommit;
  walk.options.elementType = kindOf(input.getElementType());
  walk.buffer = AddressMap(llvm::cantFail(
      Mapping::parse(element.getText(), input.getGrid().getAxes().getTable())));
  walk.time = input.getTimeMapping();
  walk.packet = input.getPacketMapping();
  walk.packetElements = *kept;
  return Walks{walk};
}

static FailureOr<Walks> walksOf(tcp::CommitOp op, const TcpMachine &machine) {
  return walksOf(op, op.getElement(),
                 tcp::inferCommitElements(
                     cast<tcp::StreamType>(op.getInput().getType()),
                     op.getElement(), [&] { return op.emitOpError(); }),
                 machine);
}

static FailureOr<Walks> walksOf(tcp::CommitViewOp op,
                                const TcpMachine &machine) {
  return walksOf(
      op, op.getElement(),
      tcp::inferViewElements(cast<tcp::StreamType>(op.getInput().getType()), op,
                             [&] { return op.emitOpError(); }),
      machine);
}

/// The counts of packed packets; what is written is one run.
static FailureOr<Walks> walksOf(tcp::CommitPackedOp op,
                                const TcpMachine &machine) {
  Walk walk;
  walk.what = "counts";
  walk.options.limits = {
      machine.subFetch.maxEntries, machine.subFetch.maxSize, {}};
  walk.options.elementType = ElementType::I32;
  walk.buffer = AddressMap(op.getCount().getType().getElementMapping());
  walk.time = cast<tcp::StreamType>(op.getInput().getType()).getTimeMapping();
  return Walks{walk};
}

/// Operands in the VRF, of any operation of the vector engine. The manual
/// states no limits for reads of the VRF; those of the other register file's
/// sequencer are taken.
static FailureOr<Walks> vrfWalks(Operation *op, const TcpMachine &machine) {
  Walks walks;
  for (Value operand : op->getOperands()) {
    auto vrf = dyn_cast<tcp::VrfType>(operand.getType());
    auto input = dyn_cast<tcp::StreamType>(op->getOperand(0).getType());
    if (!vrf || !input)
      continue;
    Walk &walk = walks.emplace_back();
    walk.what = "VRF operand";
    walk.options.limits = machine.trf;
    walk.options.elementType = kindOf(vrf.getElementType());
    walk.buffer = AddressMap(vrf.getElementMapping());
    walk.time = input.getTimeMapping();
    walk.packet = input.getPacketMapping();
    walk.packetElements = walk.packet.size();
  }
  return walks;
}

FailureOr<Walks> derivation::findWalks(Operation *op,
                                       const TcpMachine &machine) {
  return TypeSwitch<Operation *, FailureOr<Walks>>(op)
      .Case<tcp::FetchOp, tcp::AlignOp, tcp::CommitOp, tcp::CommitViewOp,
            tcp::CommitPackedOp>([&](auto op) { return walksOf(op, machine); })
      .Default([&](Operation *op) { return vrfWalks(op, machine); });
}

FailureOr<Derivation> derivation::deriveLoops(Operation *op, const Walk &walk) {
  auto derive = [&](const Mapping &packet) {
    return reportAt(
        op, sequin::deriveLoops(walk.buffer, walk.time, packet, walk.options),
        walk.what);
  };
  auto derivation = derive(walk.packet);
  if (succeeded(derivation) && walk.options.direction == Direction::Write &&
      derivation->initial.packetElements > walk.packetElements)
    derivation = derive(tcp::takeLeading(walk.packet, walk.packetElements));
  if (failed(derivation))
    return failure();
  auto view = dyn_cast<tcp::CommitViewOp>(op);
  if (!view)
    return derivation;
  // What lies between the parts of a view belongs to the rest of the tensor,
  // unless it is padding behind each element of the tensor itself.
  int64_t padded = tcp::getPaddedElement(view, walk.packetElements);
  int64_t data = walk.buffer.parts().front().mapping.validSize();
  if (derivation->initial.visitCount() != data * padded)
    return op->emitOpError()
           << "writes " << derivation->initial.visitCount()
           << " elements per slice to \"" << view.getElement().getText()
           << "\", which holds " << data
           << ": the others belong to the tensor around the view";
  return derivation;
}

FailureOr<Sequencer> derivation::takeSequencer(Operation *op, unsigned index) {
  auto all = op->getAttrOfType<ArrayAttr>(tcp::TcpDialect::kSequencersAttrName);
  if (!all || all.size() <= index)
    return op->emitOpError() << "has no sequencer: --tcp-derive-sequencers "
                                "derives it";
  auto sequencer = cast<stream::SequencerAttr>(all[index]);
  if (!sequencer.isFitted())
    return op->emitOpError() << "has a sequencer that no limit was applied to: "
                                "--stream-merge-entries does it";
  return sequencer.getSequencer();
}

void derivation::dropDerived(Operation *op) {
  using tcp::TcpDialect;
  for (StringRef name :
       {TcpDialect::kSequencersAttrName, TcpDialect::kMaskAttrName,
        TcpDialect::kTransfersAttrName, TcpDialect::kDescriptorsAttrName})
    op->removeAttr(name);
}
