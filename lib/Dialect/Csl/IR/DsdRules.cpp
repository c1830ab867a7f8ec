//===- DsdRules.cpp - The rules of DSD operations -------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// SDK manual, Builtins for DSD Operations; Data Structure Descriptors,
// Asynchronous DSD Operations. One verifier for all operations, from the table
// in Support/DsdOps.def.
//
//===----------------------------------------------------------------------===//

#include "DsdRules.h"
#include "MachineRules.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::csl;

//===----------------------------------------------------------------------===//
// Settings
//===----------------------------------------------------------------------===//

LogicalResult csl::checkAsyncSettings(AsyncOpInterface op, bool viaDsr) {
  if (op.getActivate() && op.getUnblock())
    return op.emitOpError() << "both activates and unblocks, one can be given";
  if (!op.getAsync() && !viaDsr &&
      (op.getActivate() || op.getUnblock() || op.getOnControl() ||
       op.getUtId()))
    return op.emitOpError() << "is not async and has settings of an "
                               "asynchronous operation";
  if (Value id = op.getUnblock();
      id && failed(checkBlockable(op, id, "what it unblocks")))
    return failure();
  std::optional<OnControl> action = op.getOnControl();
  Value target = op.getControlTarget();
  if (target && action == OnControl::Activate &&
      !isa<LocalTaskIdType>(target.getType()))
    return op.emitOpError() << "activates " << target.getType()
                            << " on control, expected !csl.local_task_id";
  if (target && action == OnControl::Unblock &&
      failed(checkBlockable(op, target, "what it unblocks on control")))
    return failure();
  if (action && (*action == OnControl::Terminate) != !target)
    return op.emitOpError() << "has on_control " << stringifyEnum(*action)
                            << (target ? " with" : " without") << " an id";
  if (std::optional<uint64_t> ut = op.getUtId())
    return checkId(op, UtIdType::get(op->getContext()), *ut);
  return success();
}

//===----------------------------------------------------------------------===//
// Operand lists
//===----------------------------------------------------------------------===//

namespace {
/// Names and types of one machine's fp16 format.
struct ElementTypes {
  explicit ElementTypes(Operation *op) : target(lookupTarget(op)) {}
  /// Whether a value of `type` is an element; without a target any fp16 is.
  bool is(Type type, DsdElement element) const {
    switch (element) {
    case DsdElement::None:
      return false;
    case DsdElement::I16:
      return type.isSignlessInteger(16);
    case DsdElement::I32:
      return type.isSignlessInteger(32);
    case DsdElement::F32:
      return type.isF32();
    case DsdElement::F16:
      return target ? type == target.getFp16Type()
                    : type.isF16() || type.isBF16() || isa<CB16Type>(type);
    }
    llvm_unreachable("unknown element");
  }
  StringRef name(DsdElement element) const {
    switch (element) {
    case DsdElement::None:
      return "nothing";
    case DsdElement::I16:
      return "i16";
    case DsdElement::I32:
      return "i32";
    case DsdElement::F32:
      return "f32";
    case DsdElement::F16:
      return target ? stringifyEnum(target.getFp16()) : StringRef("fp16");
    }
    llvm_unreachable("unknown element");
  }

private:
  TargetAttr target;
};
} // namespace

static bool isDescriptor(Type type) {
  return isa<DsdType, FifoType, DsrType>(type);
}

/// "DSC": what the operands are, in the letters of dsd_form.
static std::string getLetters(DsdOpInterface op) {
  std::string letters;
  if (Value dest = op.getDestination())
    letters += isDescriptor(dest.getType()) ? 'D' : 'P';
  for (Value source : op.getSources())
    letters += isDescriptor(source.getType()) ? 'S' : 'C';
  return letters;
}

/// What a value at place `index` behind the destination is in a form.
static DsdElement getValueElement(const DsdOpInfo &info, StringRef form,
                                  DsdOpcode opcode, size_t index) {
  if (opcode == DsdOpcode::Faddhs)
    return form.front() == 'P' ? DsdElement::F32 : DsdElement::F16;
  DsdElement places[] = {info.source0, info.source1, info.scalar};
  // The scalar comes behind as many sources as there are.
  return index < info.sources() ? places[index] : info.scalar;
}

/// "(DSD, f32, DSD)".
static std::string describeForm(const DsdOpInfo &info, StringRef form,
                                DsdOpcode opcode, const ElementTypes &types) {
  std::string text = "(";
  for (auto [place, letter] : llvm::enumerate(form)) {
    text += place ? ", " : "";
    bool hasDest = form.front() != 'S';
    if (letter == 'P')
      text += ("*" + types.name(info.dest)).str();
    else if (letter == 'C')
      text += types.name(getValueElement(info, form, opcode, place - hasDest));
    else
      text += "DSD";
  }
  return text + ")";
}

static InFlightDiagnostic refuseOperands(DsdOpInterface op,
                                         const DsdOpInfo &info,
                                         const ElementTypes &types) {
  InFlightDiagnostic error = op.emitOpError() << "has operands (";
  llvm::ListSeparator comma;
  if (Value dest = op.getDestination())
    error << StringRef(comma) << dest.getType();
  for (Value source : op.getSources())
    error << StringRef(comma) << source.getType();
  error << "), allowed are ";
  llvm::ListSeparator next;
  for (unsigned bit = 0; info.forms >> bit; ++bit)
    if (info.forms >> bit & 1)
      error << StringRef(next)
            << describeForm(info, getFormName(1 << bit), op.getOpcode(), types);
  return error;
}

static LogicalResult checkOperandList(DsdOpInterface op, const DsdOpInfo &info,
                                      const ElementTypes &types) {
  std::string letters = getLetters(op);
  bool known = false;
  for (unsigned bit = 0; info.forms >> bit; ++bit)
    known |= (info.forms >> bit & 1) && getFormName(1 << bit) == letters;
  if (!known)
    return refuseOperands(op, info, types);
  if (letters.front() == 'P') {
    auto pointer = cast<PtrType>(op.getDestination().getType());
    if (pointer.getMany() || !types.is(pointer.getPointee(), info.dest))
      return refuseOperands(op, info, types);
    if (pointer.getIsConst())
      return op.emitOpError() << "writes through " << pointer;
  }
  for (auto [index, source] : llvm::enumerate(op.getSources()))
    if (!isDescriptor(source.getType()) &&
        !types.is(source.getType(),
                  getValueElement(info, letters, op.getOpcode(), index)))
      return refuseOperands(op, info, types);
  return success();
}

//===----------------------------------------------------------------------===//
// Descriptors
//===----------------------------------------------------------------------===//

static LogicalResult checkDescriptor(DsdOpInterface op, Value value, bool dest,
                                     DsdElement element) {
  StringRef role = dest ? "a destination" : "a source";
  if (auto dsd = dyn_cast<DsdType>(value.getType())) {
    if (dsd.getKind() == DescriptorKind::Circbuf)
      return op.emitOpError() << "has " << dsd
                              << " as an operand, a circular buffer is used "
                                 "through a DSR";
    if (dsd.getKind() ==
        (dest ? DescriptorKind::Fabin : DescriptorKind::Fabout))
      return op.emitOpError()
             << "has " << dsd << " as " << role << ", allowed are "
             << (dest ? "memory, fabout" : "memory, fabin")
             << ", a FIFO or a register";
    return success();
  }
  if (auto fifo = dyn_cast<FifoType>(value.getType())) {
    unsigned bits = isa<CB16Type>(fifo.getElementType())
                        ? 16
                        : fifo.getElementType().getIntOrFloatBitWidth();
    if (bits != 8 * getBytes(element))
      return op.emitOpError() << "of " << 8 * getBytes(element)
                              << "-bit elements has " << fifo << " as " << role;
    return success();
  }
  DsrKind kind = cast<DsrType>(value.getType()).getKind();
  bool legal = dest ? kind == DsrKind::Dest || kind == DsrKind::Src0 ||
                          kind == DsrKind::FifoDest
                    : kind == DsrKind::Src0 || kind == DsrKind::Src1 ||
                          kind == DsrKind::FifoSrc1;
  if (!legal)
    return op.emitOpError()
           << "has " << value.getType() << " as " << role << ", allowed are "
           << (dest ? "dest, src0 and fifo_dest" : "src0, src1 and fifo_src1");
  if (!value.getDefiningOp<GetDsrOp>())
    return op.emitOpError()
           << "has a register as " << role << " that is not a csl.get_dsr";
  return success();
}

/// The symbol of a FIFO operand, or null.
static FlatSymbolRefAttr getFifoSymbol(Value value) {
  auto fifo = value ? value.getDefiningOp<GetFifoOp>() : GetFifoOp();
  return fifo ? fifo.getFifoAttr() : FlatSymbolRefAttr();
}

static LogicalResult checkFifos(DsdOpInterface op) {
  OperandRange sources = op.getSources();
  Value dest = op.getDestination();
  for (auto [index, source] : llvm::enumerate(sources)) {
    if (!isa<FifoType>(source.getType()))
      continue;
    if (!source.getDefiningOp<GetFifoOp>())
      return op.emitOpError() << "has a FIFO that is not comptime-known";
    if (index == 0 && op.getSources().size() > 1)
      return op.emitOpError() << "has a FIFO as the first of several sources";
    if (FlatSymbolRefAttr name = getFifoSymbol(source);
        dest && name == getFifoSymbol(dest))
      return op.emitOpError() << "reads and writes FIFO " << name;
  }
  if (dest && isa<FifoType>(dest.getType()) && !dest.getDefiningOp<GetFifoOp>())
    return op.emitOpError() << "has a FIFO that is not comptime-known";
  return success();
}

/// A fabric DSD that is made here without a queue (DSD-062).
static bool lacksQueue(Value value) {
  if (auto in = value.getDefiningOp<FabinDsdOp>())
    return !in.getQueue();
  auto out = value.getDefiningOp<FaboutDsdOp>();
  return out && !out.getQueue();
}

LogicalResult csl::verifyDsdOperation(DsdOpInterface op) {
  const DsdOpInfo &info = getInfo(op.getOpcode());
  ElementTypes types(op);
  if (failed(checkOperandList(op, info, types)))
    return failure();
  SmallVector<Value, 4> descriptors;
  if (Value dest = op.getDestination(); dest && isDescriptor(dest.getType())) {
    descriptors.push_back(dest);
    if (failed(checkDescriptor(op, dest, true, info.dest)))
      return failure();
  }
  DsdElement elements[] = {info.source0, info.source1, info.scalar};
  for (auto [index, source] : llvm::enumerate(op.getSources())) {
    if (!isDescriptor(source.getType()))
      continue;
    descriptors.push_back(source);
    if (failed(checkDescriptor(op, source, false, elements[index])))
      return failure();
  }
  if (failed(checkFifos(op)))
    return failure();

  auto isKind = [](Value value, DescriptorKind kind) {
    auto dsd = dyn_cast<DsdType>(value.getType());
    return dsd && dsd.getKind() == kind;
  };
  int64_t inputs = llvm::count_if(descriptors, [&](Value value) {
    return isKind(value, DescriptorKind::Fabin);
  });
  bool fabric = inputs || llvm::any_of(descriptors, [&](Value value) {
                  return isKind(value, DescriptorKind::Fabout);
                });
  bool viaDsr = llvm::any_of(
      descriptors, [](Value value) { return isa<DsrType>(value.getType()); });
  const CslMachine *machine = lookupMachine(op);
  if (machine && machine->oneFabricInput && inputs > 1)
    return op.emitOpError() << "has " << inputs << " fabric inputs, "
                            << machine->name << " allows 1";
  if (op.getAsync() && !fabric && !viaDsr)
    return op.emitOpError() << "is async and has no fabric operand";
  if (op.getAsync())
    for (Value value : descriptors)
      if (lacksQueue(value)) {
        InFlightDiagnostic error =
            op.emitOpError()
            << "is async and has a fabric operand "
               "without a queue: its DSD needs "
            << (isKind(value, DescriptorKind::Fabin) ? "'.input_queue'"
                                                     : "'.output_queue'");
        error.attachNote(value.getLoc()) << "operand is here";
        return error;
      }
  if (op.getOnControl() && !inputs && !viaDsr)
    return op.emitOpError() << "has on_control and no fabric input";
  if (op.getPriority()) {
    if (failed(checkGeneration(op, 2, "a priority on an operation")))
      return failure();
    if (!op.getAsync() && !viaDsr)
      return op.emitOpError() << "is not async and has a priority";
  }
  return checkAsyncSettings(op, viaDsr);
}

//===----------------------------------------------------------------------===//
// dfilt, map
//===----------------------------------------------------------------------===//

LogicalResult DfiltOp::verify() {
  if (!getAsync())
    return emitOpError() << "is not async, which it always is";
  if (auto dsr = dyn_cast<DsrType>(getInput().getType());
      dsr && dsr.getKind() != DsrKind::Src1)
    return emitOpError() << "takes " << dsr << ", allowed is src1";
  return verifyDsdOperation(*this);
}

LogicalResult MapOp::verify() {
  const auto isElementwise = [](Value value) {
    return isa<DsdType, DsrType>(value.getType());
  };
  for (Value input : getInputs()) {
    Type type = input.getType();
    if (isa<FifoType>(type))
      return emitOpError() << "has a FIFO as an operand";
    if (auto dsd = dyn_cast<DsdType>(type);
        dsd && (dsd.getKind() == DescriptorKind::Fabout ||
                dsd.getKind() == DescriptorKind::Circbuf))
      return emitOpError() << "has " << dsd << " as an input";
    if (auto dsr = dyn_cast<DsrType>(type);
        dsr && dsr.getKind() != DsrKind::Src1)
      return emitOpError() << "has " << dsr << " as an input, allowed is src1";
  }
  if (Value output = getOutput()) {
    if (auto dsd = dyn_cast<DsdType>(output.getType());
        dsd && (dsd.getKind() == DescriptorKind::Fabin ||
                dsd.getKind() == DescriptorKind::Circbuf))
      return emitOpError() << "has " << dsd << " as its output";
    if (auto dsr = dyn_cast<DsrType>(output.getType());
        dsr && dsr.getKind() != DsrKind::Dest)
      return emitOpError() << "has " << dsr
                           << " as its output, allowed is dest";
    if (auto pointer = dyn_cast<PtrType>(output.getType());
        pointer && (pointer.getIsConst() || pointer.getMany()))
      return emitOpError() << "writes through " << pointer;
  }
  if (!llvm::any_of(getInputs(), isElementwise) &&
      !(getOutput() && isElementwise(getOutput())))
    return emitOpError() << "has no DSD or DSR among its operands";
  return success();
}

LogicalResult MapOp::verifySymbolUses(SymbolTableCollection &table) {
  FailureOr<func::FuncOp> callee =
      lookupInProgram<func::FuncOp>(*this, table, getCalleeAttr(), "function");
  if (failed(callee))
    return failure();
  auto refuse = [&](const Twine &text) -> LogicalResult {
    InFlightDiagnostic error = emitOpError() << text;
    error.attachNote(callee->getLoc()) << "function is here";
    return error;
  };
  FunctionType type = callee->getFunctionType();
  if (type.getNumInputs() != getInputs().size())
    return refuse("gives " + Twine(getInputs().size()) +
                  " inputs, the function takes " + Twine(type.getNumInputs()));
  for (auto [index, pair] :
       llvm::enumerate(llvm::zip(getInputs(), type.getInputs()))) {
    auto [input, parameter] = pair;
    if (isa<DsdType, DsrType>(input.getType())) {
      if (!isDsdElement(parameter))
        return refuse("feeds elements to argument " + Twine(index) +
                      ", which is no number of 16 or 32 bits");
    } else if (input.getType() != parameter) {
      return refuse("gives argument " + Twine(index) +
                    " another type than the function takes");
    }
  }
  if (type.getNumResults() > 1)
    return refuse("calls a function of several results");
  if (type.getNumResults() == 0)
    return getOutput() ? refuse("has an output, the function returns nothing")
                       : success();
  if (!getOutput())
    return refuse("has no output for what the function returns");
  Type result = type.getResult(0);
  if (auto pointer = dyn_cast<PtrType>(getOutput().getType());
      pointer && pointer.getPointee() != result)
    return refuse("has an output of another type than the function returns");
  if (!isDsdElement(result))
    return refuse("stores what is no number of 16 or 32 bits");
  return success();
}
