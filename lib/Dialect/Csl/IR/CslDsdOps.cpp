//===- CslDsdOps.cpp - DSDs, FIFOs, DSRs ----------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DsdRules.h"
#include "MachineRules.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::csl;

//===----------------------------------------------------------------------===//
// Memory DSDs
//===----------------------------------------------------------------------===//

/// The limits of the machine at hand; the machines agree on them.
static const DsdLimits &getLimits(Operation *op) {
  const CslMachine *machine = lookupMachine(op);
  return (machine ? machine : cslMachines().front())->dsd;
}
static StringRef getMachineName(Operation *op) {
  const CslMachine *machine = lookupMachine(op);
  return machine ? StringRef(machine->name) : StringRef("the machine");
}

/// A base address of elements that operations have (DSD-005, DSD-067).
static LogicalResult checkBase(Operation *op, Type base) {
  BaseInfo info = getBaseInfo(base);
  if (auto memref = dyn_cast<MemRefType>(base);
      memref && !memref.getLayout().isIdentity())
    return op->emitOpError()
           << "has base " << base << ", expected a row-major array";
  if (isDsdElement(info.elementType))
    return success();
  return op->emitOpError() << "has base " << base
                           << ", elements of a memory DSD are numbers of 16 or "
                              "32 bits";
}

/// A field is known or computed or left out, not both.
static LogicalResult checkField(Operation *op, StringRef name, Value operand,
                                std::optional<int64_t> number) {
  if (operand && number)
    return op->emitOpError() << "has " << name << " twice";
  return success();
}

static LogicalResult checkLimits(Operation *op, const MemDsd &dsd) {
  std::optional<DsdViolation> violation = check(dsd, getLimits(op));
  if (!violation)
    return success();
  return op->emitOpError() << describe(*violation, getMachineName(op));
}

/// The descriptor of a tensor access over `base`.
static LogicalResult checkAccess(Operation *op, Type base, AccessAttr access,
                                 sequin::DsdKind kind) {
  BaseInfo info = getBaseInfo(base);
  if (!info.shape)
    return op->emitOpError() << "has a tensor access over " << base
                             << ", expected an array of known shape";
  if (access.getMap().getNumResults() != info.shape->size())
    return op->emitOpError()
           << "has a tensor access with " << access.getMap().getNumResults()
           << " indices over an array of rank " << info.shape->size();
  llvm::Expected<MemDsd> dsd = access.lower(*info.shape, kind);
  if (!dsd)
    return op->emitOpError() << llvm::toString(dsd.takeError());
  return checkLimits(op, *dsd);
}

LogicalResult Mem1dDsdOp::verify() {
  if (failed(checkBase(*this, getBase().getType())) ||
      failed(checkField(*this, "extent", getExtent(), getStaticExtent())) ||
      failed(checkField(*this, "stride", getStride(), getStaticStride())) ||
      failed(checkField(*this, "offset", getOffset(), getStaticOffset())))
    return failure();
  bool hasExtent = getExtent() || getStaticExtent();
  bool hasOther =
      getStride() || getStaticStride() || getOffset() || getStaticOffset();
  if (std::optional<AccessAttr> access = getAccess()) {
    if (hasExtent || hasOther)
      return emitOpError() << "has a tensor access and fields that it says";
    if (access->getExtents().size() != 1)
      return emitOpError() << "has a tensor access in "
                           << access->getExtents().size()
                           << " variables, a mem1d DSD has one";
    return checkAccess(*this, getBase().getType(), *access,
                       sequin::DsdKind::Mem1d);
  }
  if (!hasExtent)
    return emitOpError() << "has neither an extent nor a tensor access";
  MemDsd dsd;
  dsd.offset = getStaticOffset().value_or(0);
  dsd.dimensions.push_back(
      {.extent = static_cast<int64_t>(getStaticExtent().value_or(1)),
       .stride = static_cast<int64_t>(getStaticStride().value_or(1))});
  return checkLimits(*this, dsd);
}

LogicalResult Mem4dDsdOp::verify() {
  if (failed(checkBase(*this, getBase().getType())) ||
      failed(checkField(*this, "offset", getOffset(), getStaticOffset())))
    return failure();
  if (std::optional<AccessAttr> access = getAccess()) {
    if (getExtents() || getStrides() || getOffset() || getStaticOffset())
      return emitOpError() << "has a tensor access and fields that it says";
    return checkAccess(*this, getBase().getType(), *access,
                       sequin::DsdKind::Mem4d);
  }
  if (!getExtents())
    return emitOpError() << "has neither extents nor a tensor access";
  llvm::Expected<MemDsd> dsd = MemDsd::fromTuples(
      sequin::DsdKind::Mem4d, getStaticOffset().value_or(0),
      getStrides().value_or(ArrayRef<int64_t>()), *getExtents());
  if (!dsd)
    return emitOpError() << llvm::toString(dsd.takeError());
  return checkLimits(*this, *dsd);
}

LogicalResult CircbufDsdOp::verify() {
  if (failed(checkBase(*this, getBase().getType())))
    return failure();
  BaseInfo info = getBaseInfo(getBase().getType());
  std::optional<int64_t> elements;
  if (info.shape) {
    llvm::Expected<int64_t> count = elementCount(*info.shape);
    if (!count)
      return emitOpError() << llvm::toString(count.takeError());
    elements = *count;
  }
  llvm::Expected<CircularDsd> dsd =
      CircularDsd::make(getExtent(), getWraparound(), elements);
  if (!dsd)
    return emitOpError() << llvm::toString(dsd.takeError());
  if (std::optional<DsdViolation> violation = check(*dsd, getLimits(*this)))
    return emitOpError() << describe(*violation, getMachineName(*this));
  return success();
}

//===----------------------------------------------------------------------===//
// Fabric DSDs
//===----------------------------------------------------------------------===//

/// What fabin and fabout have in common.
template <typename Op> static LogicalResult checkFabricDsd(Op op) {
  if (failed(checkField(op, "extent", op.getExtent(), op.getStaticExtent())))
    return failure();
  if (!op.getExtent() && !op.getStaticExtent())
    return op.emitOpError() << "has no extent";
  int64_t most = (int64_t(1) << getLimits(op).extentBits) - 1;
  if (failed(checkRange(op, "extent", op.getStaticExtent().value_or(0), 0, most,
                        getMachineName(op))))
    return failure();
  const CslMachine *machine = lookupMachine(op);
  if (op.getPriority() && failed(checkGeneration(op, 3, "a priority on a DSD")))
    return failure();
  if (std::optional<SimdMode> mode = op.getSimdMode();
      mode && (*mode == SimdMode::Off || *mode == SimdMode::Max) &&
      failed(checkGeneration(op, 3, "simd mode " + stringifyEnum(*mode))))
    return failure();
  if (!op.getQueue() && !op.getColor())
    return op.emitOpError() << "has neither a queue nor a color";
  if (machine && machine->generation == 3 && !op.getQueue())
    return op.emitOpError() << "has no queue, on " << machine->name
                            << " the queue knows the color";
  return success();
}

LogicalResult FabinDsdOp::verify() { return checkFabricDsd(*this); }

LogicalResult FaboutDsdOp::verify() {
  if (failed(checkFabricDsd(*this)))
    return failure();
  const CslMachine *machine = lookupMachine(*this);
  if (machine && !machine->outputQueueColor && !getColor())
    return emitOpError() << "has no color, a queue of " << machine->name
                         << " has none of its own";
  return success();
}

//===----------------------------------------------------------------------===//
// Setters
//===----------------------------------------------------------------------===//

LogicalResult SetDsdBaseAddrOp::verify() {
  return checkBase(*this, getBase().getType());
}

LogicalResult IncrementDsdOffsetOp::verify() {
  if (!isDsdElement(getElement()))
    return emitOpError() << "counts elements of type " << getElement()
                         << ", allowed are numbers of 16 or 32 bits";
  return success();
}

LogicalResult SetDsdLengthOp::verify() {
  if (cast<DsdType>(getInput().getType()).getKind() == DescriptorKind::Mem4d)
    return emitOpError() << "takes every DSD but a mem4d, whose extents are "
                            "comptime-known";
  return success();
}

//===----------------------------------------------------------------------===//
// FIFOs
//===----------------------------------------------------------------------===//

LogicalResult csl::FifoOp::verify() {
  const CslMachine *machine = lookupMachine(*this);
  if (!llvm::all_equal({getDest().has_value(), getSrc1().has_value(),
                        getXdsr().has_value()}))
    return emitOpError() << "has some of the registers dest, src1 and xdsr, "
                            "which are given together";
  if (getDest().has_value() &&
      (failed(checkRange(*this, "dest", *getDest(), 0,
                         machine ? machine->dsrsPerFile - 1 : UINT8_MAX,
                         getMachineName(*this))) ||
       failed(checkRange(*this, "xdsr", *getXdsr(), 0,
                         machine ? machine->xdsrs - 1 : UINT8_MAX,
                         getMachineName(*this)))))
    return failure();
  if (getDest() != getSrc1())
    return emitOpError() << "has registers dest " << *getDest() << " and src1 "
                         << *getSrc1() << ", their numbers are equal";
  for (std::optional<Attribute> id : {getActivatePop(), getActivatePush()})
    if (auto number = dyn_cast_or_null<IntegerAttr>(id.value_or(Attribute()));
        number && failed(checkId(*this, LocalTaskIdType::get(getContext()),
                                 number.getInt())))
      return failure();
  if (!machine)
    return success();
  if (getFullAction() && !machine->fifoFullAction)
    return emitOpError() << "has a full action, which " << machine->name
                         << " does not have";
  if (std::optional<FifoAction> action = getEmptyAction();
      action && !machine->fifoFullAction &&
      (*action == FifoAction::Suspend || *action == FifoAction::Fault))
    return emitOpError() << "has empty action " << stringifyEnum(*action)
                         << ", " << machine->name
                         << " has test_or_suspend and terminate";
  if (getPriority() &&
      failed(checkGeneration(*this, 3, "a priority on a FIFO")))
    return failure();
  if (getSimdMode() &&
      failed(checkGeneration(*this, 2, "a simd mode on a FIFO")))
    return failure();
  return success();
}

LogicalResult csl::FifoOp::verifySymbolUses(SymbolTableCollection &table) {
  FailureOr<VarOp> buffer =
      lookupInProgram<VarOp>(*this, table, getBufferAttr(), "buffer");
  if (failed(buffer))
    return failure();
  auto refuse = [&](const Twine &text) -> LogicalResult {
    InFlightDiagnostic error = emitOpError() << text;
    error.attachNote(buffer->getLoc()) << "buffer is here";
    return error;
  };
  MemRefType type = buffer->getMemRefType();
  if (buffer->getConstant())
    return refuse("has a constant buffer");
  if (type.getRank() == 0)
    return refuse("has a buffer that is no array");
  if (!isDsdElement(type.getElementType()))
    return refuse("has a buffer whose elements are not numbers of 16 or 32 "
                  "bits");
  const CslMachine *machine = lookupMachine(*this);
  std::optional<int64_t> align = buffer->getAlignment();
  if (machine && align && *align < machine->fifoAlignBytes)
    return refuse("has a buffer aligned to " + Twine(*align) + " bytes, " +
                  StringRef(machine->name) + " wants at least " +
                  Twine(machine->fifoAlignBytes));
  for (std::optional<Attribute> id : {getActivatePop(), getActivatePush()}) {
    auto name = dyn_cast_or_null<FlatSymbolRefAttr>(id.value_or(Attribute()));
    if (!name)
      continue;
    FailureOr<TaskOp> task =
        lookupInProgram<TaskOp>(*this, table, name, "task");
    if (failed(task))
      return failure();
    if (task->getKind() != TaskKind::Local) {
      InFlightDiagnostic error = emitOpError()
                                 << "activates " << name << ", which is a "
                                 << stringifyEnum(task->getKind()) << " task";
      error.attachNote(task->getLoc()) << "defined here";
      return error;
    }
  }
  return success();
}

LogicalResult GetFifoOp::verifySymbolUses(SymbolTableCollection &table) {
  FailureOr<csl::FifoOp> fifo =
      lookupInProgram<csl::FifoOp>(*this, table, getFifoAttr(), "FIFO");
  if (failed(fifo))
    return failure();
  auto buffer =
      table.lookupNearestSymbolFrom<VarOp>(*fifo, fifo->getBufferAttr());
  Type element = cast<FifoType>(getResult().getType()).getElementType();
  if (buffer && buffer.getMemRefType().getElementType() != element) {
    InFlightDiagnostic error =
        emitOpError() << "has elements of " << element << ", " << getFifoAttr()
                      << " of " << buffer.getMemRefType().getElementType();
    error.attachNote(fifo->getLoc()) << "allocated here";
    return error;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

LogicalResult GetDsrOp::verify() {
  const CslMachine *machine = lookupMachine(*this);
  return checkRange(*this, "DSR", getNumber(), 0,
                    machine ? machine->dsrsPerFile - 1 : UINT8_MAX,
                    getMachineName(*this));
}
LogicalResult GetXdsrOp::verify() {
  const CslMachine *machine = lookupMachine(*this);
  return checkRange(*this, "XDSR", getNumber(), 0,
                    machine ? machine->xdsrs - 1 : UINT8_MAX,
                    getMachineName(*this));
}
LogicalResult GetSrOp::verify() {
  const CslMachine *machine = lookupMachine(*this);
  return checkRange(*this, "stride register", getNumber(), 0,
                    machine ? machine->strideRegisters - 1 : UINT8_MAX,
                    getMachineName(*this));
}

/// What all loads of registers have in common.
template <typename Op> static LogicalResult checkLoad(Op op) {
  auto type = cast<DsdType>(op.getDsd().getType());
  auto dsr = cast<DsrType>(op.getDsr().getType());
  if (!op.getDsr().template getDefiningOp<GetDsrOp>())
    return op.emitOpError() << "loads a register that is not a csl.get_dsr";
  if (dsr.getKind() == DsrKind::FifoDest || dsr.getKind() == DsrKind::FifoSrc1)
    return op.emitOpError()
           << "loads " << dsr << ", registers of FIFOs are set up by csl.fifo";
  bool dest = dsr.getKind() == DsrKind::Dest;
  if (type.getKind() == DescriptorKind::Fabin && dest)
    return op.emitOpError()
           << "loads a fabin DSD into " << dsr << ", allowed are src0 and src1";
  if (type.getKind() == DescriptorKind::Fabout && !dest)
    return op.emitOpError()
           << "loads a fabout DSD into " << dsr << ", allowed is dest";
  bool settings = op.getAsync() || op.getActivate() || op.getUnblock() ||
                  op.getOnControl() || op.getUtId();
  if (settings && !type.isFabric())
    return op.emitOpError() << "gives settings of an asynchronous operation to "
                            << type << ", which is memory";
  if (op.getSaveAddress() && type.isFabric())
    return op.emitOpError()
           << "saves the address of " << type << ", which has none";
  int groups = settings + op.getSaveAddress() + op.getSingleStep();
  if (groups > 1)
    return op.emitOpError() << "combines settings, save_address and "
                               "single_step, of which one can be given";
  return checkAsyncSettings(op, /*viaDsr=*/false);
}

LogicalResult LoadToDsrOp::verify() {
  DescriptorKind kind = cast<DsdType>(getDsd().getType()).getKind();
  if (kind == DescriptorKind::Mem4d)
    return emitOpError() << "loads a mem4d DSD, which needs an XDSR and stride "
                            "registers (csl.load_to_dsr_xdsr_sr)";
  if (kind == DescriptorKind::Circbuf)
    return emitOpError() << "loads a circbuf DSD, which needs an XDSR "
                            "(csl.load_to_dsr_xdsr)";
  return checkLoad(*this);
}

LogicalResult LoadToDsrXdsrOp::verify() { return checkLoad(*this); }

/// Stride registers that a mem4d needs (DSR-025, DSR-026).
static std::optional<unsigned> countStrideRegisters(Value dsd) {
  auto op = dsd.getDefiningOp<Mem4dDsdOp>();
  if (!op)
    return std::nullopt;
  llvm::SmallVector<int64_t, 4> strides;
  unsigned dimensions;
  if (std::optional<AccessAttr> access = op.getAccess()) {
    BaseInfo info = getBaseInfo(op.getBase().getType());
    if (!info.shape)
      return std::nullopt;
    llvm::Expected<MemDsd> lowered =
        access->lower(*info.shape, sequin::DsdKind::Mem4d);
    if (!lowered) {
      llvm::consumeError(lowered.takeError());
      return std::nullopt;
    }
    dimensions = lowered->dimensions.size();
    strides.push_back(lowered->dimensions.front().stride);
  } else {
    if (!op.getExtents())
      return std::nullopt;
    dimensions = op.getExtents()->size();
    strides.push_back(op.getStrides() && !op.getStrides()->empty()
                          ? op.getStrides()->front()
                          : 1);
  }
  unsigned beyond = dimensions - 1;
  return beyond - (beyond > 0 && strides.front() == 1);
}

LogicalResult LoadToDsrXdsrSrOp::verify() {
  if (failed(checkLoad(*this)))
    return failure();
  unsigned needed = countStrideRegisters(getDsd()).value_or(3);
  if (getSrs().size() != needed)
    return emitOpError() << "gives " << getSrs().size()
                         << " stride registers, this DSD needs " << needed;
  return success();
}

LogicalResult SetDsrBaseAddrOp::verify() {
  return checkBase(*this, getBase().getType());
}

LogicalResult SetDsrLengthOp::verify() {
  if (!getDsr().getDefiningOp<GetDsrOp>())
    return emitOpError() << "changes a register that is not a csl.get_dsr";
  return success();
}
