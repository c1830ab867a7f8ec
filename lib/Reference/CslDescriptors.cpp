//===- CslDescriptors.cpp - DSDs, FIFOs and DSRs of csl programs ----------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CslState.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::reference;

using Handler = Step::Handler;

//===----------------------------------------------------------------------===//
// Making DSDs
//===----------------------------------------------------------------------===//

/// A field that is an attribute or an operand.
static int64_t fieldOf(Activation &frame, const Step &step, Value value,
                       std::optional<int64_t> known, int64_t otherwise,
                       unsigned bits, bool isSigned) {
  if (!value)
    return known.value_or(otherwise);
  uint64_t given = find(frame, step, value)->bits;
  return isSigned ? signedOf(given, bits)
                  : static_cast<int64_t>(given & maskOf(bits));
}

static int64_t elementBytes(Value base) {
  return sizeOf(csl::getBaseInfo(base.getType()).elementType).bytes;
}

/// The loops of a tensor access: row-major coefficients of the index
/// expressions, then what the address changes by when a loop advances and the
/// faster ones restart (DSD-013 to DSD-019, DSD-029).
static void readAccess(csl::AccessAttr access, Value base, Dsd &dsd,
                       int64_t &offset) {
  llvm::SmallVector<int64_t> shape = *csl::getBaseInfo(base.getType()).shape;
  AffineMap map = access.getMap();
  ArrayRef<int64_t> extents = access.getExtents();
  size_t loops = extents.size();
  // The element that a visit reads.
  auto at = [&](ArrayRef<int64_t> position) {
    llvm::SmallVector<int64_t> indices = map.compose(position);
    int64_t element = 0;
    for (auto [index, size] : llvm::zip(indices, shape))
      element = element * size + index;
    return element;
  };
  llvm::SmallVector<int64_t> position(loops, 0);
  offset = at(position);
  dsd.rank = static_cast<uint8_t>(loops);
  int64_t restart = 0; // how far the faster loops have gone
  for (size_t d = 0; d < loops; ++d) {
    size_t variable = loops - 1 - d;
    position[variable] = 1;
    int64_t coefficient = at(position) - offset;
    position[variable] = 0;
    dsd.extents[d] = static_cast<uint16_t>(extents[variable]);
    dsd.strides[d] = static_cast<int32_t>(coefficient - restart);
    restart += coefficient * (extents[variable] - 1);
  }
}

static void runMem1d(CslMachineState &machine, Pe &, Activation &frame,
                     const Step &step) {
  auto op = cast<csl::Mem1dDsdOp>(step.op);
  Dsd dsd;
  dsd.indexOffset = op.getIndexOffset();
  int64_t offset = 0;
  if (std::optional<csl::AccessAttr> access = op.getAccess()) {
    readAccess(*access, op.getBase(), dsd, offset);
    dsd.extent = dsd.extents[0];
  } else {
    dsd.extent = static_cast<uint16_t>(fieldOf(
        frame, step, op.getExtent(), op.getStaticExtent(), 0, 16, false));
    dsd.strides[0] = static_cast<int32_t>(
        fieldOf(frame, step, op.getStride(), op.getStaticStride(), 1, 8, true));
    offset =
        fieldOf(frame, step, op.getOffset(), op.getStaticOffset(), 0, 16, true);
  }
  dsd.kind = Dsd::Kind::Mem1d;
  dsd.rank = 1;
  dsd.extents = {};
  dsd.base = static_cast<uint16_t>(operand(frame, step, 0).bits +
                                   offset * elementBytes(op.getBase()));
  result(frame, step) = {machine.intern(dsd)};
}

static void runMem4d(CslMachineState &machine, Pe &, Activation &frame,
                     const Step &step) {
  auto op = cast<csl::Mem4dDsdOp>(step.op);
  Dsd dsd;
  dsd.kind = Dsd::Kind::Mem4d;
  dsd.indexOffset = op.getIndexOffset();
  int64_t offset = 0;
  if (std::optional<csl::AccessAttr> access = op.getAccess()) {
    readAccess(*access, op.getBase(), dsd, offset);
    if (op.getOffset() || op.getStaticOffset())
      offset += fieldOf(frame, step, op.getOffset(), op.getStaticOffset(), 0,
                        16, true);
  } else {
    // Extents outermost first, strides innermost first (DSD-027, DSD-028).
    ArrayRef<int64_t> extents = *op.getExtents();
    ArrayRef<int64_t> strides = op.getStrides().value_or(ArrayRef<int64_t>());
    dsd.rank = static_cast<uint8_t>(extents.size());
    for (size_t d = 0; d < extents.size(); ++d) {
      dsd.extents[d] = static_cast<uint16_t>(extents[extents.size() - 1 - d]);
      dsd.strides[d] = strides.empty() ? 1 : static_cast<int32_t>(strides[d]);
    }
    offset =
        fieldOf(frame, step, op.getOffset(), op.getStaticOffset(), 0, 16, true);
  }
  dsd.base = static_cast<uint16_t>(operand(frame, step, 0).bits +
                                   offset * elementBytes(op.getBase()));
  result(frame, step) = {machine.intern(dsd)};
}

static void runCircbuf(CslMachineState &machine, Pe &, Activation &frame,
                       const Step &step) {
  auto op = cast<csl::CircbufDsdOp>(step.op);
  csl::BaseInfo info = csl::getBaseInfo(op.getBase().getType());
  Dsd dsd;
  dsd.kind = Dsd::Kind::Circbuf;
  dsd.base = static_cast<uint16_t>(operand(frame, step, 0).bits);
  dsd.extent = static_cast<uint16_t>(op.getExtent());
  int64_t elements = 1;
  if (info.shape)
    for (int64_t size : *info.shape)
      elements *= size;
  dsd.wraparound = static_cast<uint16_t>(op.getWraparound().value_or(elements));
  result(frame, step) = {machine.intern(dsd)};
}

template <typename Op>
static Dsd readFabric(Activation &frame, const Step &step, Op op) {
  Dsd dsd;
  dsd.extent = static_cast<uint16_t>(
      fieldOf(frame, step, op.getExtent(), op.getStaticExtent(), 0, 16, false));
  if (Value queue = op.getQueue())
    dsd.queue = static_cast<int8_t>(
        std::min<uint64_t>(find(frame, step, queue)->bits, 15));
  if (Value color = op.getColor())
    dsd.color = static_cast<int8_t>(
        std::min<uint64_t>(find(frame, step, color)->bits, 31));
  dsd.simd = op.getSimdMode();
  dsd.transform = op.getControlTransform();
  return dsd;
}

static void runFabin(CslMachineState &machine, Pe &, Activation &frame,
                     const Step &step) {
  Dsd dsd = readFabric(frame, step, cast<csl::FabinDsdOp>(step.op));
  dsd.kind = Dsd::Kind::Fabin;
  result(frame, step) = {machine.intern(dsd)};
}

static void runFabout(CslMachineState &machine, Pe &, Activation &frame,
                      const Step &step) {
  auto op = cast<csl::FaboutDsdOp>(step.op);
  Dsd dsd = readFabric(frame, step, op);
  dsd.kind = Dsd::Kind::Fabout;
  dsd.zero = op.getZero();
  dsd.control = op.getControl();
  dsd.advance = op.getAdvanceSwitch();
  dsd.indexOffset = op.getIndexOffset();
  result(frame, step) = {machine.intern(dsd)};
}

//===----------------------------------------------------------------------===//
// Changing DSDs
//===----------------------------------------------------------------------===//

static void runSetBase(CslMachineState &machine, Pe &, Activation &frame,
                       const Step &step) {
  Dsd dsd = machine.dsd(operand(frame, step, 0).bits);
  dsd.base = static_cast<uint16_t>(operand(frame, step, 1).bits);
  result(frame, step) = {machine.intern(dsd)};
}

static void runIncrementOffset(CslMachineState &machine, Pe &,
                               Activation &frame, const Step &step) {
  auto op = cast<csl::IncrementDsdOffsetOp>(step.op);
  Dsd dsd = machine.dsd(operand(frame, step, 0).bits);
  dsd.base = static_cast<uint16_t>(dsd.base +
                                   signedOf(operand(frame, step, 1).bits, 16) *
                                       sizeOf(op.getElement()).bytes);
  result(frame, step) = {machine.intern(dsd)};
}

static void runSetLength(CslMachineState &machine, Pe &, Activation &frame,
                         const Step &step) {
  Dsd dsd = machine.dsd(operand(frame, step, 0).bits);
  dsd.extent = static_cast<uint16_t>(operand(frame, step, 1).bits);
  result(frame, step) = {machine.intern(dsd)};
}

static void runSetStride(CslMachineState &machine, Pe &, Activation &frame,
                         const Step &step) {
  Dsd dsd = machine.dsd(operand(frame, step, 0).bits);
  dsd.strides[0] =
      static_cast<int32_t>(signedOf(operand(frame, step, 1).bits, 8));
  result(frame, step) = {machine.intern(dsd)};
}

//===----------------------------------------------------------------------===//
// FIFOs
//===----------------------------------------------------------------------===//

static void runGetFifo(CslMachineState &machine, Pe &pe, Activation &frame,
                       const Step &step) {
  Dsd dsd;
  dsd.kind = Dsd::Kind::Fifo;
  dsd.fifo = static_cast<uint16_t>(
      pe.code->fifoNumbers.lookup(cast<csl::GetFifoOp>(step.op).getFifo()));
  result(frame, step) = {machine.intern(dsd)};
}

static void runFifoReadLength(CslMachineState &machine, Pe &pe,
                              Activation &frame, const Step &step) {
  pe.fifos[machine.dsd(operand(frame, step, 0).bits).fifo].readLength =
      static_cast<uint16_t>(operand(frame, step, 1).bits);
}
static void runFifoWriteLength(CslMachineState &machine, Pe &pe,
                               Activation &frame, const Step &step) {
  pe.fifos[machine.dsd(operand(frame, step, 0).bits).fifo].writeLength =
      static_cast<uint16_t>(operand(frame, step, 1).bits);
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

unsigned reference::dsrNumber(CslMachineState &machine, Type type,
                              uint64_t number) {
  unsigned file = 0;
  switch (cast<csl::DsrType>(type).getKind()) {
  case csl::DsrKind::Dest:
  case csl::DsrKind::FifoDest:
    file = 0;
    break;
  case csl::DsrKind::Src0:
    file = 1;
    break;
  case csl::DsrKind::Src1:
  case csl::DsrKind::FifoSrc1:
    file = 2;
    break;
  }
  return file * machine.machine->dsrsPerFile + static_cast<unsigned>(number);
}

static void runGetRegister(CslMachineState &, Pe &, Activation &frame,
                           const Step &step) {
  int64_t number = llvm::TypeSwitch<Operation *, int64_t>(step.op)
                       .Case<csl::GetDsrOp, csl::GetXdsrOp, csl::GetSrOp>(
                           [](auto op) { return op.getNumber(); });
  result(frame, step) = {static_cast<uint64_t>(number)};
}

static Dsr &dsrOf(CslMachineState &machine, Pe &pe, const Step &step,
                  const Val &number) {
  return pe
      .dsrs[dsrNumber(machine, step.op->getOperand(0).getType(), number.bits)];
}

static void runLoadDsr(CslMachineState &machine, Pe &pe, Activation &frame,
                       const Step &step) {
  auto async = cast<csl::AsyncOpInterface>(step.op);
  Value dsd;
  Dsr loaded;
  llvm::TypeSwitch<Operation *>(step.op)
      .Case<csl::LoadToDsrOp, csl::LoadToDsrXdsrOp, csl::LoadToDsrXdsrSrOp>(
          [&](auto op) {
            dsd = op.getDsd();
            loaded.save = op.getSaveAddress();
            loaded.singleStep = op.getSingleStep();
          });
  loaded.dsd = machine.dsd(find(frame, step, dsd)->bits);
  if (loaded.dsd.kind == Dsd::Kind::None)
    return machine.trap(pe, "a register is loaded with a DSD that has no value",
                        step.op);
  loaded.remaining = loaded.dsd.extent;
  loaded.async = async.getAsync();
  loaded.microthread = async.getUtId();
  loaded.onControl = async.getOnControl();
  auto target = [&](Value id) {
    return id ? static_cast<int>(find(frame, step, id)->bits) : -1;
  };
  loaded.activate = target(async.getActivate());
  loaded.unblock = target(async.getUnblock());
  loaded.controlTarget = target(async.getControlTarget());
  dsrOf(machine, pe, step, operand(frame, step, 0)) = loaded;
}

static void runSetDsrBase(CslMachineState &machine, Pe &pe, Activation &frame,
                          const Step &step) {
  Dsr &dsr = dsrOf(machine, pe, step, operand(frame, step, 0));
  dsr.dsd.base = static_cast<uint16_t>(operand(frame, step, 1).bits);
  dsr.head = -1;
}

static void runSetDsrLength(CslMachineState &machine, Pe &pe, Activation &frame,
                            const Step &step) {
  Dsr &dsr = dsrOf(machine, pe, step, operand(frame, step, 0));
  dsr.dsd.extent = static_cast<uint16_t>(operand(frame, step, 1).bits);
  dsr.remaining = dsr.dsd.extent;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

static void runOperation(CslMachineState &machine, Pe &pe, Activation &frame,
                         const Step &step) {
  machine.startOperation(pe, frame, step);
}
static void runMap(CslMachineState &machine, Pe &pe, Activation &frame,
                   const Step &step) {
  machine.startMap(pe, frame, step);
}

Handler reference::findDescriptorHandler(Operation *op) {
  if (isa<csl::DsdOpInterface>(op))
    return runOperation;
  return llvm::TypeSwitch<Operation *, Handler>(op)
      .Case<csl::MapOp>([](auto) { return runMap; })
      .Case<csl::Mem1dDsdOp>([](auto) { return runMem1d; })
      .Case<csl::Mem4dDsdOp>([](auto) { return runMem4d; })
      .Case<csl::CircbufDsdOp>([](auto) { return runCircbuf; })
      .Case<csl::FabinDsdOp>([](auto) { return runFabin; })
      .Case<csl::FaboutDsdOp>([](auto) { return runFabout; })
      .Case<csl::SetDsdBaseAddrOp>([](auto) { return runSetBase; })
      .Case<csl::IncrementDsdOffsetOp>([](auto) { return runIncrementOffset; })
      .Case<csl::SetDsdLengthOp>([](auto) { return runSetLength; })
      .Case<csl::SetDsdStrideOp>([](auto) { return runSetStride; })
      .Case<csl::GetFifoOp>([](auto) { return runGetFifo; })
      .Case<csl::SetFifoReadLengthOp>([](auto) { return runFifoReadLength; })
      .Case<csl::SetFifoWriteLengthOp>([](auto) { return runFifoWriteLength; })
      .Case<csl::GetDsrOp, csl::GetXdsrOp, csl::GetSrOp>(
          [](auto) { return runGetRegister; })
      .Case<csl::LoadToDsrOp, csl::LoadToDsrXdsrOp, csl::LoadToDsrXdsrSrOp>(
          [](auto) { return runLoadDsr; })
      .Case<csl::SetDsrBaseAddrOp>([](auto) { return runSetDsrBase; })
      .Case<csl::SetDsrLengthOp>([](auto) { return runSetDsrLength; })
      .Default([](Operation *) { return Handler(nullptr); });
}
