//===- EmitDsd.cpp - Bytecode of DSDs, registers, DSD operations ----------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionEmitter.h"
#include "ValueLayout.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::csl_to_wafer;
using wafer::Opcode;

//===----------------------------------------------------------------------===//
// Descriptors
//===----------------------------------------------------------------------===//

FunctionEmitter::Emitted FunctionEmitter::emitDescriptor(Operation &op) {
  // A descriptor in a register, and one more field of it at a time.
  auto begin = [&](const wafer::Descriptor &descriptor) {
    return emitFresh(Opcode::DsdConstant, kNone, kNone,
                     context.addDescriptor(descriptor));
  };
  auto set = [&](Opcode opcode, Register &dsd, Register value) {
    dsd = emitFresh(opcode, dsd, value);
  };
  // What is known is a constant, and so is what is known to be changed in it.
  auto bind = [&](Value value, Register begun, Register dsd,
                  const wafer::Descriptor &descriptor) {
    registers[value] = dsd;
    if (begun == dsd)
      descriptors[value] = descriptor;
  };
  auto change = [&](Value to, Value from,
                    llvm::function_ref<void(wafer::Descriptor &)> apply) {
    auto found = descriptors.find(from);
    if (found == descriptors.end())
      return false;
    wafer::Descriptor descriptor = found->second;
    apply(descriptor);
    Register dsd = begin(descriptor);
    bind(to, dsd, dsd, descriptor);
    return true;
  };
  // Of an operand that may not be there.
  auto numberOf = [](Value value) {
    return value ? known(value) : std::nullopt;
  };
  // `offset` elements as bytes.
  auto asBytes = [&](Value offset, Type element) {
    if (std::optional<uint64_t> number = known(offset))
      return constant(*number * getMemorySize(element).bytes & 0xffff);
    return emitFresh(Opcode::Mul, of(offset),
                     constant(getMemorySize(element).bytes), 0, kAddressBits);
  };
  // The base where it is known, and whether it is.
  auto knownBase = [&](Value base) {
    Address address = baseOf(base);
    return std::pair<int64_t, bool>(
        address.immediate, address.left == kNone && address.right == kNone);
  };
  // Adds a base that only the register has, and a computed offset.
  auto finishBase = [&](Register &dsd, Value base, bool isKnown, Value offset) {
    if (!isKnown)
      set(Opcode::DsdAddBase, dsd, of(base));
    if (offset)
      set(Opcode::DsdAddBase, dsd,
          asBytes(offset, csl::getBaseInfo(base.getType()).elementType));
  };

  if (auto made = dyn_cast<csl::Mem1dDsdOp>(op)) {
    auto [base, isKnown] = knownBase(made.getBase());
    wafer::Descriptor descriptor = describeMem1d(made, isKnown ? base : 0);
    Value extent = made.getExtent(), stride = made.getStride();
    Value offset = made.getOffset();
    // Operands that are known are as good as fields of the operation.
    if (std::optional<uint64_t> number = numberOf(extent)) {
      descriptor.extent = *number;
      extent = {};
    }
    if (std::optional<uint64_t> number = numberOf(stride)) {
      descriptor.stride = static_cast<int8_t>(*number);
      stride = {};
    }
    if (std::optional<uint64_t> number = numberOf(offset)) {
      Type element = csl::getBaseInfo(made.getBase().getType()).elementType;
      descriptor.base += *number * getMemorySize(element).bytes;
      offset = {};
    }
    Register dsd = begin(descriptor), begun = dsd;
    finishBase(dsd, made.getBase(), isKnown, offset);
    if (extent)
      set(Opcode::DsdSetExtent, dsd, of(extent));
    if (stride)
      set(Opcode::DsdSetStride, dsd, of(stride));
    bind(made, begun, dsd, descriptor);
    return success();
  }
  if (auto made = dyn_cast<csl::Mem4dDsdOp>(op)) {
    auto [base, isKnown] = knownBase(made.getBase());
    wafer::Descriptor descriptor =
        describeMem4d(made, isKnown ? base : 0, context);
    Value offset = made.getOffset();
    if (std::optional<uint64_t> number = numberOf(offset)) {
      Type element = csl::getBaseInfo(made.getBase().getType()).elementType;
      descriptor.base += *number * getMemorySize(element).bytes;
      offset = {};
    }
    Register dsd = begin(descriptor), begun = dsd;
    finishBase(dsd, made.getBase(), isKnown, offset);
    bind(made, begun, dsd, descriptor);
    return success();
  }
  if (auto made = dyn_cast<csl::CircbufDsdOp>(op)) {
    auto [base, isKnown] = knownBase(made.getBase());
    wafer::Descriptor descriptor = describeCircbuf(made, isKnown ? base : 0);
    Register dsd = begin(descriptor), begun = dsd;
    finishBase(dsd, made.getBase(), isKnown, {});
    bind(made, begun, dsd, descriptor);
    return success();
  }
  auto fabric = [&](auto made, wafer::Descriptor descriptor) {
    std::optional<int64_t> queue = csl::getKnownId(made.getQueue());
    std::optional<int64_t> color = csl::getKnownId(made.getColor());
    if (queue)
      descriptor.queue = *queue;
    if (color)
      descriptor.color = *color;
    Value extent = made.getExtent();
    if (std::optional<uint64_t> number = numberOf(extent)) {
      descriptor.extent = *number;
      extent = {};
    }
    Register dsd = begin(descriptor), begun = dsd;
    if (made.getQueue() && !queue)
      set(Opcode::DsdSetQueue, dsd, of(made.getQueue()));
    if (made.getColor() && !color)
      set(Opcode::DsdSetColor, dsd, of(made.getColor()));
    if (extent)
      set(Opcode::DsdSetExtent, dsd, of(extent));
    bind(made, begun, dsd, descriptor);
  };
  if (auto made = dyn_cast<csl::FabinDsdOp>(op)) {
    fabric(made, describeFabin(made));
    return success();
  }
  if (auto made = dyn_cast<csl::FaboutDsdOp>(op)) {
    fabric(made, describeFabout(made));
    return success();
  }
  if (auto to = dyn_cast<csl::SetDsdBaseAddrOp>(op)) {
    auto [base, isKnown] = knownBase(to.getBase());
    if (isKnown && change(to, to.getInput(), [&](auto &descriptor) {
          descriptor.base = static_cast<uint16_t>(base);
        }))
      return success();
    emit(Opcode::DsdSetBase, of(to), of(to.getInput()),
         asRegister(baseOf(to.getBase()), 1));
    return success();
  }
  if (auto to = dyn_cast<csl::IncrementDsdOffsetOp>(op)) {
    std::optional<uint64_t> number = known(to.getOffset());
    if (number && change(to, to.getInput(), [&](auto &descriptor) {
          descriptor.base = static_cast<uint16_t>(
              descriptor.base + *number * getMemorySize(to.getElement()).bytes);
        }))
      return success();
    emit(Opcode::DsdAddBase, of(to), of(to.getInput()),
         asBytes(to.getOffset(), to.getElement()));
    return success();
  }
  if (auto to = dyn_cast<csl::SetDsdLengthOp>(op)) {
    std::optional<uint64_t> number = known(to.getLength());
    if (number && change(to, to.getInput(), [&](auto &descriptor) {
          descriptor.extent = static_cast<uint16_t>(*number);
        }))
      return success();
    emit(Opcode::DsdSetExtent, of(to), of(to.getInput()), of(to.getLength()));
    return success();
  }
  if (auto to = dyn_cast<csl::SetDsdStrideOp>(op)) {
    std::optional<uint64_t> number = known(to.getStride());
    if (number && change(to, to.getInput(), [&](auto &descriptor) {
          descriptor.stride = static_cast<int8_t>(*number);
        }))
      return success();
    emit(Opcode::DsdSetStride, of(to), of(to.getInput()), of(to.getStride()));
    return success();
  }
  if (auto get = dyn_cast<csl::GetFifoOp>(op)) {
    wafer::Descriptor descriptor;
    descriptor.kind = wafer::DescriptorKind::Fifo;
    descriptor.fifo = context.fifos.lookup(get.getFifo());
    registers[get] = begin(descriptor);
    return success();
  }
  auto fifoNumber = [&](Value fifo) {
    auto get = fifo.getDefiningOp<csl::GetFifoOp>();
    return get ? std::optional<unsigned>(context.fifos.lookup(get.getFifo()))
               : std::nullopt;
  };
  if (isa<csl::SetFifoReadLengthOp, csl::SetFifoWriteLengthOp>(op)) {
    std::optional<unsigned> fifo = fifoNumber(op.getOperand(0));
    if (!fifo)
      return LogicalResult(op.emitOpError()
                           << "has a FIFO that is not comptime-known");
    emit(isa<csl::SetFifoReadLengthOp>(op) ? Opcode::FifoReadLength
                                           : Opcode::FifoWriteLength,
         kNone, of(op.getOperand(1)), kNone, *fifo);
    return success();
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

wafer::DsrRef csl_to_wafer::getDsrRef(Value dsr) {
  wafer::DsrRef result;
  result.number = *csl::getKnownId(dsr);
  switch (cast<csl::DsrType>(dsr.getType()).getKind()) {
  case csl::DsrKind::Dest:
  case csl::DsrKind::FifoDest:
    result.file = wafer::DsrFile::Dest;
    break;
  case csl::DsrKind::Src0:
    result.file = wafer::DsrFile::Source0;
    break;
  case csl::DsrKind::Src1:
  case csl::DsrKind::FifoSrc1:
    result.file = wafer::DsrFile::Source1;
    break;
  }
  return result;
}

wafer::DsrLoad csl_to_wafer::getDsrLoad(Operation *op) {
  wafer::DsrLoad load;
  llvm::TypeSwitch<Operation *>(op)
      .Case<csl::LoadToDsrOp, csl::LoadToDsrXdsrOp, csl::LoadToDsrXdsrSrOp>(
          [&](auto typed) {
            load.dsr = getDsrRef(typed.getDsr());
            load.saveAddress = typed.getSaveAddress();
            load.singleStep = typed.getSingleStep();
          });
  if (auto typed = dyn_cast<csl::LoadToDsrXdsrOp>(op))
    load.xdsr = csl::getKnownId(typed.getXdsr());
  if (auto typed = dyn_cast<csl::LoadToDsrXdsrSrOp>(op)) {
    load.xdsr = csl::getKnownId(typed.getXdsr());
    for (Value sr : typed.getSrs())
      load.strideRegisters.push_back(*csl::getKnownId(sr));
  }
  auto async = cast<csl::AsyncOpInterface>(op);
  load.options.async = async.getAsync();
  load.options.microthread = async.getUtId();
  if (async.getActivate() || async.getUnblock())
    load.options.completion = async.getActivate() ? wafer::Completion::Activate
                                                  : wafer::Completion::Unblock;
  if (std::optional<csl::OnControl> action = async.getOnControl())
    load.options.onControl =
        *action == csl::OnControl::Terminate  ? wafer::OnControl::Terminate
        : *action == csl::OnControl::Activate ? wafer::OnControl::Activate
                                              : wafer::OnControl::Unblock;
  return load;
}

/// Registers are constants; getKnownId() finds them only at their own
/// operation.
static LogicalResult checkRegisters(Operation &op) {
  for (Value operand : op.getOperands())
    if (isa<csl::DsrType, csl::XdsrType, csl::SrType>(operand.getType()) &&
        !csl::getKnownId(operand))
      return op.emitOpError() << "has a register that is not comptime-known";
  return success();
}

FunctionEmitter::Emitted FunctionEmitter::emitRegister(Operation &op) {
  if (isa<csl::GetDsrOp, csl::GetXdsrOp, csl::GetSrOp>(op))
    return success();
  if (failed(checkRegisters(op)))
    return failure();
  if (isa<csl::LoadToDsrOp, csl::LoadToDsrXdsrOp, csl::LoadToDsrXdsrSrOp>(op)) {
    wafer::DsrLoad load = getDsrLoad(&op);
    load.options = getOptions(cast<csl::AsyncOpInterface>(op));
    Value dsd = llvm::TypeSwitch<Operation *, Value>(&op)
                    .Case<csl::LoadToDsrOp, csl::LoadToDsrXdsrOp,
                          csl::LoadToDsrXdsrSrOp>(
                        [](auto typed) { return typed.getDsd(); });
    emit(Opcode::LoadDsr, kNone, of(dsd), kNone, context.code.dsrLoads.size());
    context.code.dsrLoads.push_back(load);
    return success();
  }
  auto dsrNumber = [](Value dsr) {
    wafer::DsrRef ref = getDsrRef(dsr);
    return static_cast<uint32_t>(ref.file) << 8 | ref.number;
  };
  if (auto change = dyn_cast<csl::SetDsrBaseAddrOp>(op)) {
    emit(Opcode::SetDsrBase, kNone, asRegister(baseOf(change.getBase()), 1),
         kNone, dsrNumber(change.getDsr()));
    return success();
  }
  if (auto change = dyn_cast<csl::SetDsrLengthOp>(op)) {
    emit(Opcode::SetDsrLength, kNone, of(change.getLength()), kNone,
         dsrNumber(change.getDsr()));
    return success();
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// DSD operations
//===----------------------------------------------------------------------===//

wafer::AsyncOptions FunctionEmitter::getOptions(csl::AsyncOpInterface op) {
  wafer::AsyncOptions options;
  options.async = op.getAsync();
  options.microthread = op.getUtId();
  if (Value id = op.getActivate()) {
    options.completion = wafer::Completion::Activate;
    options.completionTarget = of(id);
  }
  if (Value id = op.getUnblock()) {
    options.completion = wafer::Completion::Unblock;
    options.completionTarget = of(id);
  }
  if (std::optional<csl::OnControl> action = op.getOnControl()) {
    options.onControl =
        *action == csl::OnControl::Terminate  ? wafer::OnControl::Terminate
        : *action == csl::OnControl::Activate ? wafer::OnControl::Activate
                                              : wafer::OnControl::Unblock;
    if (Value id = op.getControlTarget())
      options.onControlTarget = of(id);
  }
  return options;
}

wafer::Operand FunctionEmitter::getOperand(Value value, bool isDest) {
  wafer::Operand operand;
  if (isa<csl::DsrType>(value.getType())) {
    operand.kind = wafer::Operand::Kind::Dsr;
    operand.dsr = getDsrRef(value);
    return operand;
  }
  operand.kind = isa<csl::DsdType, csl::FifoType>(value.getType())
                     ? wafer::Operand::Kind::Dsd
                 : isDest ? wafer::Operand::Kind::Pointer
                          : wafer::Operand::Kind::Scalar;
  operand.value = of(value);
  return operand;
}

FunctionEmitter::Emitted FunctionEmitter::emitDsdOperation(Operation &op) {
  if (auto map = dyn_cast<csl::MapOp>(op))
    return emitMap(map);
  auto dsd = dyn_cast<csl::DsdOpInterface>(op);
  if (!dsd)
    return std::nullopt;
  if (failed(checkRegisters(op)))
    return failure();
  const DsdOpInfo &info = getInfo(dsd.getOpcode());
  wafer::Operation operation;
  operation.opcode = dsd.getOpcode();
  if (Value dest = dsd.getDestination())
    operation.dest = getOperand(dest, /*isDest=*/true);
  OperandRange sources = dsd.getSources();
  unsigned count = std::max(info.sources(), 1u);
  operation.source0 = getOperand(sources[0], /*isDest=*/false);
  if (count == 2)
    operation.source1 = getOperand(sources[1], /*isDest=*/false);
  if (info.scalar != DsdElement::None)
    operation.scalar = of(sources[count]);
  // The fp16 side of a mixed sum comes second (AMB-011): a value is fp16 where
  // the destination is a DSD.
  if (dsd.getOpcode() == DsdOpcode::Faddhs &&
      operation.source0.kind == wafer::Operand::Kind::Scalar &&
      operation.dest.kind != wafer::Operand::Kind::Pointer)
    std::swap(operation.source0, operation.source1);
  if (Value index = dsd.getIndex())
    operation.index = of(index);
  if (std::optional<csl::Priority> priority = dsd.getPriority())
    operation.priority = *priority == csl::Priority::Low ? wafer::Priority::Low
                         : *priority == csl::Priority::Medium
                             ? wafer::Priority::Medium
                             : wafer::Priority::High;
  operation.options = getOptions(dsd);
  Register result = kNone;
  if (op.getNumResults() && !op.getResult(0).use_empty())
    result = of(op.getResult(0));
  emit(Opcode::Dsd, result, kNone, kNone, context.code.operations.size());
  context.code.operations.push_back(operation);
  return success();
}

LogicalResult FunctionEmitter::emitMap(csl::MapOp op) {
  auto callee = context.functions.find(op.getCallee());
  if (callee == context.functions.end())
    return op.emitOpError() << "calls '" << op.getCallee()
                            << "', which has no body in this program";
  if (failed(checkRegisters(*op)))
    return failure();
  auto isElementwise = [](Value value) {
    return isa<csl::DsdType, csl::DsrType>(value.getType());
  };
  // Where the elements of an operand come from or go to.
  auto open = [&](Value value) -> uint32_t {
    if (isa<csl::DsrType>(value.getType())) {
      wafer::DsrRef ref = getDsrRef(value);
      return wafer::kStepDsr | static_cast<uint32_t>(ref.file) << 8 |
             ref.number;
    }
    uint32_t slot = context.code.stepSlots++;
    emit(Opcode::StepLoad, kNone, of(value), kNone, slot);
    return slot;
  };
  auto module = op->getParentOfType<csl::ProgramOp>();
  auto function = cast<FunctionOpInterface>(
      SymbolTable::lookupSymbolIn(module, op.getCalleeAttr()));

  llvm::SmallVector<uint32_t> places;
  for (Value input : op.getInputs())
    places.push_back(isElementwise(input) ? open(input) : 0);
  uint32_t outPlace = 0;
  Value output = op.getOutput();
  if (output && isElementwise(output))
    outPlace = open(output);
  Register arguments = freshRun(op.getInputs().size());
  Label again = newLabel(), end = newLabel();
  Register more = fresh();
  place(again);
  for (auto [index, input] : llvm::enumerate(op.getInputs())) {
    Register argument = arguments + index;
    if (!isElementwise(input)) {
      emit(Opcode::Copy, argument, of(input));
      continue;
    }
    emit(Opcode::StepRead, argument, kNone, more, places[index],
         getRegisterBits(function.getArgumentTypes()[index]));
    jump(Opcode::JumpIfNot, more, end);
  }
  Register result = function.getNumResults() ? fresh() : Register(kNone);
  emit(Opcode::Call, result, arguments, kNone, callee->second);
  if (output) {
    Type type = function.getResultTypes()[0];
    if (isElementwise(output)) {
      emit(Opcode::StepWrite, kNone, result, more, outPlace,
           getRegisterBits(type));
      jump(Opcode::JumpIfNot, more, end);
    } else {
      store(type, result, {.left = of(output)});
    }
  }
  jump(Opcode::Jump, kNone, again);
  place(end);
  return success();
}
