//===- Comptime.cpp - What the comptime blocks of a program leave ---------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comptime.h"
#include "FunctionEmitter.h"
#include "ValueLayout.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "sequin/Machine/CslRegisters.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::csl_to_wafer;

namespace {
/// One evaluation.
class Evaluator {
public:
  Evaluator(CodeContext &context, ArrayRef<uint64_t> parameters)
      : context(context), parameters(parameters) {}

  FailureOr<ComptimeResult> run();

private:
  LogicalResult visit(Block &block);
  LogicalResult visit(Operation &op);
  LogicalResult visitDescriptor(Operation &op, bool &done);
  LogicalResult visitSetup(Operation &op, bool &done);
  LogicalResult visitTask(Operation &op, bool &done);
  LogicalResult visitDsr(Operation &op);
  LogicalResult visitMemory(Operation &op, bool &done);
  LogicalResult store(Operation &op, Value value, uint64_t address);
  FailureOr<uint64_t> load(Operation &op, Type type, uint64_t address);
  FailureOr<uint64_t> elementAddress(Operation &op, Value base,
                                     ValueRange indices,
                                     ArrayRef<int64_t> shape, Type element);
  LogicalResult fold(Operation &op);
  void measureTaskTables();
  LogicalResult finish();

  /// The bits of a value; failure with an error if it is not known.
  FailureOr<uint64_t> get(Operation *op, Value value);
  void set(Value value, uint64_t bits);
  LogicalResult bind(Operation *op, wafer::TaskKind kind, StringRef task,
                     uint64_t id, unsigned table);
  /// An entry of `seen` that must not be taken twice.
  template <typename Key>
  LogicalResult claim(std::map<Key, Operation *> &seen, Key key, Operation *op,
                      const Twine &what);

  CodeContext &context;
  ArrayRef<uint64_t> parameters;
  ComptimeResult result;
  llvm::DenseMap<Value, Attribute> values;
  llvm::DenseMap<Value, wafer::Descriptor> descriptors;

  bool separateControl = false;
  Operation *separateOp = nullptr, *handlerOp = nullptr;
  /// In order; a data id that no task is bound to starts blocked before them.
  std::vector<std::pair<uint64_t, bool>> blocks;
  std::map<unsigned, Operation *> torn, emptied;
};
} // namespace

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

FailureOr<uint64_t> Evaluator::get(Operation *op, Value value) {
  if (Attribute attribute = values.lookup(value))
    if (std::optional<uint64_t> bits = getBits(attribute, value.getType())) {
      // Parameters and computed numbers are not checked before.
      if (failed(csl::checkId(op, value.getType(), *bits)))
        return failure();
      return *bits;
    }
  return op->emitOpError() << "needs a value that is not known before the "
                              "program starts";
}

void Evaluator::set(Value value, uint64_t bits) {
  Type type = value.getType();
  unsigned width = getRegisterBits(type);
  MLIRContext *mlir = type.getContext();
  if (auto floatType = dyn_cast<FloatType>(type)) {
    values[value] = FloatAttr::get(
        floatType, APFloat(floatType.getFloatSemantics(), APInt(width, bits)));
    return;
  }
  // Ids and addresses are integers of their width.
  Type integer = isa<IntegerType, IndexType>(type)
                     ? type
                     : Type(IntegerType::get(mlir, width));
  unsigned stored =
      type.isIndex() ? IndexType::kInternalStorageBitWidth : width;
  values[value] = IntegerAttr::get(integer, APInt(stored, bits));
}

template <typename Key>
LogicalResult Evaluator::claim(std::map<Key, Operation *> &seen, Key key,
                               Operation *op, const Twine &what) {
  auto [entry, isNew] = seen.emplace(key, op);
  if (isNew)
    return success();
  InFlightDiagnostic error = op->emitOpError() << what;
  error.attachNote(entry->second->getLoc()) << "first here";
  return error;
}

LogicalResult Evaluator::fold(Operation &op) {
  llvm::SmallVector<Attribute> operands;
  for (Value operand : op.getOperands())
    operands.push_back(values.lookup(operand));
  llvm::SmallVector<OpFoldResult> results;
  if (succeeded(op.fold(operands, results)) &&
      results.size() == op.getNumResults()) {
    for (auto [value, found] : llvm::zip(op.getResults(), results)) {
      Attribute attribute = dyn_cast<Attribute>(found);
      if (!attribute)
        attribute = values.lookup(cast<Value>(found));
      if (!attribute)
        return op.emitOpError() << "needs a value that is not known before the "
                                   "program starts";
      values[value] = attribute;
    }
    return success();
  }
  return op.emitOpError() << "is not for a comptime block";
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

LogicalResult Evaluator::visit(Block &block) {
  for (Operation &op : block)
    if (failed(visit(op)))
      return failure();
  return success();
}

LogicalResult Evaluator::visit(Operation &op) {
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    FailureOr<uint64_t> condition = get(&op, branch.getCondition());
    if (failed(condition))
      return failure();
    Region &region =
        *condition ? branch.getThenRegion() : branch.getElseRegion();
    if (region.empty())
      return success();
    if (failed(visit(region.front())))
      return failure();
    auto yield = cast<scf::YieldOp>(region.front().getTerminator());
    for (auto [value, from] : llvm::zip(op.getResults(), yield.getOperands()))
      values[value] = values.lookup(from);
    return success();
  }
  if (isa<scf::YieldOp, csl::GetDsrOp, csl::GetXdsrOp, csl::GetSrOp,
          csl::ExportSymbolOp>(op))
    return success();
  if (auto param = dyn_cast<csl::GetParamOp>(op)) {
    set(param, parameters[context.parameters.lookup(param.getParam())]);
    return success();
  }
  if (auto constant = dyn_cast<csl::ConstantOp>(op)) {
    values[constant] = constant.getValueAttr();
    return success();
  }
  if (isa<csl::MakeIdOp, csl::GetDataTaskIdOp>(op)) {
    FailureOr<uint64_t> number = get(&op, op.getOperand(0));
    if (failed(number))
      return failure();
    set(op.getResult(0), *number);
    return success();
  }
  if (auto number = dyn_cast<csl::GetIntOp>(op)) {
    Value value = number.getValue();
    std::optional<int64_t> id = csl::getKnownId(value);
    FailureOr<uint64_t> bits =
        isa<csl::DsrType, csl::XdsrType, csl::SrType>(value.getType()) && id
            ? FailureOr<uint64_t>(*id)
            : get(&op, value);
    if (failed(bits))
      return failure();
    set(number, *bits);
    return success();
  }
  if (auto same = dyn_cast<csl::SameOp>(op)) {
    FailureOr<uint64_t> left = get(&op, same.getLeft());
    FailureOr<uint64_t> right = get(&op, same.getRight());
    if (failed(left) || failed(right))
      return failure();
    set(same, *left == *right);
    return success();
  }
  if (auto name = dyn_cast<csl::RegisterAddressOp>(op)) {
    uint64_t address = lookupCslRegister(name.getName())->address;
    if (Value index = name.getIndex()) {
      FailureOr<uint64_t> number = get(&op, index);
      if (failed(number))
        return failure();
      address += *number;
    }
    set(name, address & 0xffff);
    return success();
  }
  if (auto var = dyn_cast<csl::GetVarOp>(op)) {
    set(var, context.addressOf(var.getVar()));
    return success();
  }
  bool done = false;
  if (failed(visitDescriptor(op, done)))
    return failure();
  if (!done && failed(visitTask(op, done)))
    return failure();
  if (!done && failed(visitSetup(op, done)))
    return failure();
  if (!done && failed(visitMemory(op, done)))
    return failure();
  return done ? success() : fold(op);
}

LogicalResult Evaluator::visitDescriptor(Operation &op, bool &done) {
  done = true;
  // Where the base of a memory DSD is.
  auto base = [&](Value value) -> FailureOr<uint64_t> {
    return get(&op, value);
  };
  auto field = [&](Value value, auto store) -> LogicalResult {
    if (!value)
      return success();
    FailureOr<uint64_t> bits = get(&op, value);
    if (failed(bits))
      return failure();
    store(*bits);
    return success();
  };
  auto elementBytes = [](Value value) {
    return getMemorySize(csl::getBaseInfo(value.getType()).elementType).bytes;
  };
  if (auto address = dyn_cast<csl::AddressOfOp>(op);
      address && address.getIndices().empty()) {
    FailureOr<uint64_t> bits = base(address.getMemref());
    if (failed(bits))
      return failure();
    set(address, *bits);
    return success();
  }
  if (auto made = dyn_cast<csl::Mem1dDsdOp>(op)) {
    FailureOr<uint64_t> address = base(made.getBase());
    if (failed(address))
      return failure();
    wafer::Descriptor dsd = describeMem1d(made, *address);
    if (failed(field(made.getExtent(), [&](uint64_t v) { dsd.extent = v; })) ||
        failed(field(made.getStride(), [&](uint64_t v) { dsd.stride = v; })) ||
        failed(field(made.getOffset(), [&](uint64_t v) {
          dsd.base += v * elementBytes(made.getBase());
        })))
      return failure();
    descriptors[made] = dsd;
    return success();
  }
  if (auto made = dyn_cast<csl::Mem4dDsdOp>(op)) {
    FailureOr<uint64_t> address = base(made.getBase());
    if (failed(address))
      return failure();
    wafer::Descriptor dsd = describeMem4d(made, *address, context);
    if (failed(field(made.getOffset(), [&](uint64_t v) {
          dsd.base += v * elementBytes(made.getBase());
        })))
      return failure();
    descriptors[made] = dsd;
    return success();
  }
  if (auto made = dyn_cast<csl::CircbufDsdOp>(op)) {
    FailureOr<uint64_t> address = base(made.getBase());
    if (failed(address))
      return failure();
    descriptors[made] = describeCircbuf(made, *address);
    return success();
  }
  auto fabric = [&](auto made, wafer::Descriptor dsd) -> LogicalResult {
    if (failed(field(made.getQueue(), [&](uint64_t v) { dsd.queue = v; })) ||
        failed(field(made.getColor(), [&](uint64_t v) { dsd.color = v; })) ||
        failed(field(made.getExtent(), [&](uint64_t v) { dsd.extent = v; })))
      return failure();
    descriptors[made] = dsd;
    return success();
  };
  if (auto made = dyn_cast<csl::FabinDsdOp>(op))
    return fabric(made, describeFabin(made));
  if (auto made = dyn_cast<csl::FaboutDsdOp>(op))
    return fabric(made, describeFabout(made));
  if (isa<csl::LoadToDsrOp, csl::LoadToDsrXdsrOp, csl::LoadToDsrXdsrSrOp>(op))
    return visitDsr(op);
  done = false;
  return success();
}

//===----------------------------------------------------------------------===//
// Memory: initial values that a csl.var cannot hold
//===----------------------------------------------------------------------===//

FailureOr<uint64_t> Evaluator::elementAddress(Operation &op, Value base,
                                              ValueRange indices,
                                              ArrayRef<int64_t> shape,
                                              Type element) {
  FailureOr<uint64_t> address = get(&op, base);
  if (failed(address))
    return failure();
  int64_t flat = 0;
  for (auto [position, index] : llvm::enumerate(indices)) {
    FailureOr<uint64_t> number = get(&op, index);
    if (failed(number))
      return failure();
    int64_t size = position < shape.size() ? shape[position] : 1;
    flat = flat * (position ? size : 1) + static_cast<int32_t>(*number);
  }
  return (*address + flat * getMemorySize(element).bytes) & 0xffff;
}

LogicalResult Evaluator::store(Operation &op, Value value, uint64_t address) {
  int64_t size = getMemorySize(value.getType()).bytes;
  uint64_t bits;
  if (auto dsd = descriptors.find(value); dsd != descriptors.end()) {
    bits = dsd->second.pack();
  } else {
    FailureOr<uint64_t> known = get(&op, value);
    if (failed(known))
      return failure();
    bits = *known;
  }
  for (int64_t i = 0; i < size; ++i)
    result.memory[(address + i) & 0xffff] = i < 8 ? bits >> (8 * i) : 0;
  return success();
}

/// What is in memory so far: of variables with a value, and what the block
/// stored.
FailureOr<uint64_t> Evaluator::load(Operation &op, Type type,
                                    uint64_t address) {
  int64_t size = getMemorySize(type).bytes;
  auto variable =
      llvm::find_if(context.code.variables, [&](const wafer::Variable &held) {
        return address >= held.address &&
               address + size <= uint64_t(held.address + held.bytes());
      });
  if (variable == context.code.variables.end())
    return op.emitOpError() << "reads past the end of a variable";
  uint64_t bits = 0;
  for (int64_t i = 0; i < std::min<int64_t>(size, 8); ++i) {
    auto stored = result.memory.find((address + i) & 0xffff);
    uint64_t place = address - variable->address + i;
    if (stored != result.memory.end())
      bits |= uint64_t(stored->second) << (8 * i);
    else if (place < variable->data.size())
      bits |= uint64_t(variable->data[place]) << (8 * i);
    else
      return op.emitOpError() << "reads what has no value before the program "
                                 "starts";
  }
  return bits;
}

LogicalResult Evaluator::visitMemory(Operation &op, bool &done) {
  done = true;
  auto rename = [&](Value to, Value from) -> LogicalResult {
    FailureOr<uint64_t> bits = get(&op, from);
    if (failed(bits))
      return failure();
    set(to, *bits);
    return success();
  };
  if (auto access = dyn_cast<memref::StoreOp>(op)) {
    MemRefType type = access.getMemRefType();
    FailureOr<uint64_t> address =
        elementAddress(op, access.getMemRef(), access.getIndices(),
                       type.getShape(), type.getElementType());
    return failed(address) ? failure()
                           : store(op, access.getValueToStore(), *address);
  }
  if (auto access = dyn_cast<memref::LoadOp>(op)) {
    MemRefType type = access.getMemRefType();
    FailureOr<uint64_t> address =
        elementAddress(op, access.getMemRef(), access.getIndices(),
                       type.getShape(), type.getElementType());
    if (failed(address))
      return failure();
    FailureOr<uint64_t> bits = load(op, type.getElementType(), *address);
    if (failed(bits))
      return failure();
    set(access, *bits);
    return success();
  }
  if (auto access = dyn_cast<csl::StoreOp>(op)) {
    FailureOr<uint64_t> address = get(&op, access.getPointer());
    return failed(address) ? failure() : store(op, access.getValue(), *address);
  }
  if (auto address = dyn_cast<csl::AddressOfOp>(op)) {
    auto type = cast<MemRefType>(address.getMemref().getType());
    FailureOr<uint64_t> bits =
        elementAddress(op, address.getMemref(), address.getIndices(),
                       type.getShape(), type.getElementType());
    if (failed(bits))
      return failure();
    set(address, *bits);
    return success();
  }
  if (auto element = dyn_cast<csl::ElementPtrOp>(op)) {
    csl::BaseInfo info = csl::getBaseInfo(element.getPointer().getType());
    FailureOr<uint64_t> bits = elementAddress(
        op, element.getPointer(), element.getIndices(),
        info.shape ? ArrayRef<int64_t>(*info.shape) : ArrayRef<int64_t>(),
        info.elementType);
    if (failed(bits))
      return failure();
    set(element, *bits);
    return success();
  }
  if (auto field = dyn_cast<csl::FieldPtrOp>(op)) {
    auto type = cast<csl::StructType>(
        cast<csl::PtrType>(field.getPointer().getType()).getPointee());
    FailureOr<uint64_t> bits = get(&op, field.getPointer());
    if (failed(bits))
      return failure();
    set(field,
        *bits + getFieldOffset(type, *type.getFieldIndex(field.getField())));
    return success();
  }
  if (isa<csl::AsMemrefOp, csl::PtrCastOp, csl::PtrToIntOp, csl::IntToPtrOp,
          csl::ToEnumOp>(op))
    return rename(op.getResult(0), op.getOperand(0));
  if (auto name = dyn_cast<csl::EnumConstantOp>(op)) {
    set(name, *cast<csl::EnumType>(name.getType()).getValueOf(name.getName()));
    return success();
  }
  if (auto convert = dyn_cast<csl::ConvertCB16Op>(op);
      convert && convert.getValue().getType().isF32()) {
    Attribute number = values.lookup(convert.getValue());
    std::optional<uint64_t> bits = getBits(number, convert.getType());
    if (!bits)
      return op.emitOpError() << "needs a value that is not known before the "
                                 "program starts";
    set(convert, *bits);
    return success();
  }
  if (auto address = dyn_cast<csl::FunctionAddressOp>(op)) {
    auto found = context.functions.find(address.getFunction());
    if (found == context.functions.end())
      return op.emitOpError() << "points to '" << address.getFunction()
                              << "', which has no body in this program";
    // One more than its number: 0 is no function.
    set(address, found->second + 1);
    return success();
  }
  // Packed structs are numbers, the first field lowest.
  if (auto made = dyn_cast<csl::AggregateOp>(op)) {
    auto type = dyn_cast<csl::StructType>(made.getType());
    if (type && type.getKind() == csl::AggregateKind::Packed) {
      uint64_t bits = 0;
      unsigned at = 0;
      for (Value part : made.getValues()) {
        FailureOr<uint64_t> number = get(&op, part);
        if (failed(number))
          return failure();
        bits |= *number << at;
        at += getPackedBits(part.getType());
      }
      set(made, bits);
      return success();
    }
  }
  done = false;
  return success();
}

LogicalResult Evaluator::visitDsr(Operation &op) {
  Value dsd =
      llvm::TypeSwitch<Operation *, Value>(&op)
          .Case<csl::LoadToDsrOp, csl::LoadToDsrXdsrOp, csl::LoadToDsrXdsrSrOp>(
              [](auto typed) { return typed.getDsd(); });
  wafer::InitialDsr initial;
  initial.load = getDsrLoad(&op);
  auto found = descriptors.find(dsd);
  if (found == descriptors.end())
    return op.emitOpError() << "loads a DSD that is not known before the "
                               "program starts";
  initial.descriptor = found->second;
  auto async = cast<csl::AsyncOpInterface>(op);
  auto target = [&](Value id, uint8_t &out) -> LogicalResult {
    if (!id)
      return success();
    FailureOr<uint64_t> number = get(&op, id);
    if (failed(number))
      return failure();
    out = *number;
    return success();
  };
  if (failed(target(async.getActivate(), initial.completionTarget)) ||
      failed(target(async.getUnblock(), initial.completionTarget)) ||
      failed(target(async.getControlTarget(), initial.onControlTarget)))
    return failure();
  // A later load replaces the earlier one.
  llvm::erase_if(result.setup.dsrs, [&](const wafer::InitialDsr &other) {
    return other.load.dsr == initial.load.dsr;
  });
  result.setup.dsrs.push_back(initial);
  return success();
}

LogicalResult Evaluator::bind(Operation *op, wafer::TaskKind kind,
                              StringRef name, uint64_t id, unsigned table) {
  auto task =
      cast<csl::TaskOp>(SymbolTable::lookupSymbolIn(context.program, name));
  wafer::Task bound;
  bound.kind = kind;
  bound.id = id;
  bound.table = table;
  bound.function = context.functions.lookup(name);
  for (Type type : task.getArgumentTypes())
    bound.argumentBits.push_back(getRegisterBits(type));
  bound.location = context.locations->get(op->getLoc());
  bool control = kind == wafer::TaskKind::Control;
  if (failed(claim(result.ops.tasks, {control ? 1 + table : 0, unsigned(id)},
                   op,
                   "binds " + getName(kind) + " task id " + Twine(id) +
                       ", which has a task already")))
    return failure();
  result.setup.tasks.push_back(bound);
  return success();
}

LogicalResult Evaluator::visitTask(Operation &op, bool &done) {
  done = true;
  auto bindTo = [&](wafer::TaskKind kind, StringRef task, Value id,
                    unsigned table) -> LogicalResult {
    FailureOr<uint64_t> number = get(&op, id);
    if (failed(number))
      return failure();
    return bind(&op, kind, task, *number, table);
  };
  if (auto typed = dyn_cast<csl::BindDataTaskOp>(op))
    return bindTo(wafer::TaskKind::Data, typed.getTask(), typed.getId(), 0);
  if (auto typed = dyn_cast<csl::BindLocalTaskOp>(op))
    return bindTo(wafer::TaskKind::Local, typed.getTask(), typed.getId(), 0);
  if (auto typed = dyn_cast<csl::BindControlTaskOp>(op))
    return bindTo(wafer::TaskKind::Control, typed.getTask(), typed.getId(),
                  typed.getTable().value_or(0));
  if (auto typed = dyn_cast<csl::BindRotatingTasksOp>(op)) {
    FailureOr<uint64_t> id = get(&op, typed.getId());
    if (failed(id) ||
        failed(bind(&op, wafer::TaskKind::Data, typed.getMain(), *id, 0)))
      return failure();
    if (result.setup.rotating.size() >= context.machine.rotatingTasks)
      return op.emitOpError()
             << "is number " << result.setup.rotating.size() + 1 << ", "
             << context.machine.name << " allows "
             << context.machine.rotatingTasks;
    wafer::RotatingTask rotating;
    rotating.id = *id;
    rotating.alternative = context.functions.lookup(typed.getAlternative());
    rotating.limit = typed.getLimit();
    rotating.counter = typed.getInit().value_or(0);
    result.setup.rotating.push_back(rotating);
    return success();
  }
  if (isa<csl::SetControlTaskTableOp>(op)) {
    if (separateOp) {
      InFlightDiagnostic error = op.emitOpError() << "is given twice";
      error.attachNote(separateOp->getLoc()) << "first here";
      return error;
    }
    separateOp = &op;
    separateControl = true;
    return success();
  }
  if (auto name = dyn_cast<csl::TaskIdOp>(op)) {
    for (const wafer::Task &task : result.setup.tasks)
      if (task.kind != wafer::TaskKind::Control &&
          context.code.functions[task.function].name == name.getTask()) {
        set(name, task.id);
        return success();
      }
    // It may be bound further down.
    std::optional<int64_t> later;
    auto look = [&](auto bind) {
      if (bind.getTask() == name.getTask() &&
          isa<csl::ComptimeOp>(bind->getParentOp()) && !later)
        later = csl::getKnownId(bind.getId());
    };
    context.program.walk([&](csl::BindLocalTaskOp bind) { look(bind); });
    context.program.walk([&](csl::BindDataTaskOp bind) { look(bind); });
    if (later) {
      set(name, *later);
      return success();
    }
    return op.emitOpError() << "names task '" << name.getTask()
                            << "', which is bound to no id that is known here";
  }
  if (auto activate = dyn_cast<csl::ActivateOp>(op)) {
    FailureOr<uint64_t> id = get(&op, activate.getId());
    if (failed(id))
      return failure();
    result.setup.activeTasks |= 1u << (*id & 31);
    result.ops.activations.emplace_back(*id, &op);
    return success();
  }
  if (isa<csl::BlockOp, csl::UnblockOp>(op)) {
    FailureOr<uint64_t> id = get(&op, op.getOperand(0));
    if (failed(id))
      return failure();
    bool block = isa<csl::BlockOp>(op);
    if (!isa<csl::UtIdType>(op.getOperand(0).getType())) {
      blocks.emplace_back(*id, block);
      return success();
    }
    uint8_t bit = 1u << (*id & 7);
    if (block)
      result.setup.blockedMicrothreads |= bit;
    else
      result.setup.blockedMicrothreads &= ~bit;
    return success();
  }
  done = false;
  return success();
}

LogicalResult Evaluator::visitSetup(Operation &op, bool &done) {
  done = true;
  if (auto typed = dyn_cast<csl::InitializeQueueOp>(op)) {
    FailureOr<uint64_t> id = get(&op, typed.getQueue());
    if (failed(id))
      return failure();
    wafer::Queue queue;
    queue.id = *id;
    if (Value color = typed.getColor()) {
      FailureOr<uint64_t> number = get(&op, color);
      if (failed(number))
        return failure();
      queue.color = *number;
    }
    if (std::optional<csl::Priority> priority = typed.getPriority())
      queue.priority = *priority == csl::Priority::Low ? wafer::Priority::Low
                       : *priority == csl::Priority::Medium
                           ? wafer::Priority::Medium
                           : wafer::Priority::High;
    queue.controlTable = typed.getCtrlTableId().value_or(0);
    queue.dense = typed.getDenseMode();
    queue.location = context.locations->get(op.getLoc());
    bool input = isa<csl::InputQueueType>(typed.getQueue().getType());
    auto &queues = input ? result.setup.inputQueues : result.setup.outputQueues;
    // Two modules may say the same of a queue that they share.
    if (llvm::any_of(queues, [&](wafer::Queue other) {
          other.location = queue.location;
          return other == queue;
        }))
      return success();
    queues.push_back(queue);
    return claim(input ? result.ops.inputQueues : result.ops.outputQueues,
                 unsigned(*id), &op,
                 Twine("initialises ") + (input ? "input" : "output") +
                     " queue " + Twine(*id) + " a second time");
  }
  if (auto typed = dyn_cast<csl::LocalColorConfigOp>(op)) {
    FailureOr<uint64_t> color = get(&op, typed.getColor());
    if (failed(color))
      return failure();
    result.colors.emplace_back(*color, typed);
    return success();
  }
  if (auto typed = dyn_cast<csl::SetTeardownHandlerOp>(op)) {
    FailureOr<uint64_t> color = get(&op, typed.getColor());
    if (failed(color))
      return failure();
    handlerOp = &op;
    result.setup.teardownHandlers[*color] =
        context.functions.lookup(typed.getFunction());
    return claim(torn, unsigned(*color), &op,
                 "sets a teardown handler for color " + Twine(*color) +
                     ", which has one already");
  }
  if (auto typed = dyn_cast<csl::SetEmptyQueueHandlerOp>(op)) {
    FailureOr<uint64_t> queue = get(&op, typed.getQueue());
    if (failed(queue))
      return failure();
    handlerOp = &op;
    bool input = isa<csl::InputQueueType>(typed.getQueue().getType());
    (input ? result.setup.emptyInputHandlers
           : result.setup.emptyOutputHandlers)[*queue] =
        context.functions.lookup(typed.getFunction());
    return claim(emptied, unsigned(*queue + (input ? 0 : 256)), &op,
                 Twine("sets a handler for ") + (input ? "input" : "output") +
                     " queue " + Twine(*queue) + ", which has one already");
  }
  if (auto typed = dyn_cast<csl::SetConfigOp>(op)) {
    FailureOr<uint64_t> address = get(&op, typed.getAddress());
    FailureOr<uint64_t> value = get(&op, typed.getValue());
    if (failed(address) || failed(value))
      return failure();
    result.setup.registers.emplace_back(*address, *value);
    return success();
  }
  if (auto typed = dyn_cast<csl::GetConfigOp>(op)) {
    FailureOr<uint64_t> address = get(&op, typed.getAddress());
    if (failed(address))
      return failure();
    for (auto [written, value] : llvm::reverse(result.setup.registers))
      if (written == *address) {
        set(typed, value);
        return success();
      }
    const CslRegisterInfo *info = lookupCslRegister(*address);
    if (!info)
      return op.emitOpError() << "reads register " << *address
                              << ", which nothing wrote and has no default";
    set(typed, info->reset);
    return success();
  }
  done = false;
  return success();
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

/// Tables of control tasks take memory: slots of instructions, from id 0 to the
/// highest one bound, for each table (TSK-045). layOutRest() finds the room.
void Evaluator::measureTaskTables() {
  auto op = cast<csl::SetControlTaskTableOp>(separateOp);
  std::map<unsigned, int64_t> entries;
  for (const wafer::Task &task : result.setup.tasks)
    if (task.kind == wafer::TaskKind::Control) {
      int64_t &count = entries[task.table];
      count = std::max<int64_t>(count, task.id + 1);
    }
  int64_t bytes = 0;
  for (auto [table, count] : entries)
    bytes += count * op.getInstructions() * op.getStride() *
             context.machine.instructionBytes;
  if (bytes <= context.taskTableBytes)
    return;
  context.taskTableBytes = bytes;
  context.taskTableOp = op;
}

LogicalResult Evaluator::finish() {
  wafer::Setup &setup = result.setup;
  const auto &tasks = result.ops.tasks;
  for (unsigned id = 0; id < context.machine.dataTasks; ++id)
    if (llvm::none_of(setup.tasks, [&](const wafer::Task &task) {
          return task.kind == wafer::TaskKind::Data && task.id == id;
        }))
      setup.blockedTasks |= 1u << id;
  // A local task may have the number of a color that no data task has (WSE-2):
  // a bound id starts unblocked (TSK-033).
  for (const wafer::Task &task : setup.tasks)
    if (task.kind == wafer::TaskKind::Local)
      setup.blockedTasks &= ~(1u << task.id);
  for (auto [id, block] : blocks) {
    uint32_t bit = 1u << (id & 31);
    setup.blockedTasks =
        block ? setup.blockedTasks | bit : setup.blockedTasks & ~bit;
  }
  // One table for all kinds, unless control tasks have their own (TSK-018).
  if (!separateControl)
    for (auto [key, op] : tasks) {
      if (key.first == 0)
        continue;
      auto other = tasks.find({0, key.second});
      if (other == tasks.end())
        continue;
      InFlightDiagnostic error = op->emitOpError()
                                 << "binds control task id " << key.second
                                 << ", which another task has";
      error.attachNote(other->second->getLoc()) << "first here";
      return error;
    }
  if (separateOp)
    measureTaskTables();
  auto teardown = tasks.find({0, context.machine.teardownTask});
  if (handlerOp && teardown != tasks.end()) {
    InFlightDiagnostic error = handlerOp->emitOpError()
                               << "sets a handler, and task id "
                               << context.machine.teardownTask << " has a task";
    error.attachNote(teardown->second->getLoc()) << "bound here";
    return error;
  }
  for (auto fifo : context.fifoOps) {
    wafer::Fifo made;
    auto buffer = cast<csl::VarOp>(
        SymbolTable::lookupSymbolIn(context.program, fifo.getBuffer()));
    made.name = fifo.getSymName().str();
    made.address = context.addressOf(fifo.getBuffer());
    made.elements = buffer.getMemRefType().getNumElements();
    made.elementBytes =
        getMemorySize(buffer.getMemRefType().getElementType()).bytes;
    auto action = [](std::optional<csl::FifoAction> given) {
      switch (given.value_or(csl::FifoAction::TestOrSuspend)) {
      case csl::FifoAction::TestOrSuspend:
        return wafer::FifoAction::TestOrSuspend;
      case csl::FifoAction::Terminate:
        return wafer::FifoAction::Terminate;
      case csl::FifoAction::Suspend:
        return wafer::FifoAction::Suspend;
      case csl::FifoAction::Fault:
        return wafer::FifoAction::Fault;
      }
      llvm_unreachable("unknown action");
    };
    made.emptyAction = action(fifo.getEmptyAction());
    made.fullAction = action(fifo.getFullAction());
    auto target = [&](std::optional<Attribute> id,
                      std::optional<uint8_t> &out) -> LogicalResult {
      if (!id)
        return success();
      if (auto number = dyn_cast<IntegerAttr>(*id)) {
        out = number.getInt();
        return success();
      }
      StringRef name = cast<FlatSymbolRefAttr>(*id).getValue();
      for (const wafer::Task &task : setup.tasks)
        if (task.kind == wafer::TaskKind::Local &&
            context.code.functions[task.function].name == name)
          out = task.id;
      if (!out)
        return fifo.emitOpError()
               << "activates task '" << name << "', which is bound to no id";
      return success();
    };
    if (failed(target(fifo.getActivatePop(), made.activatePop)) ||
        failed(target(fifo.getActivatePush(), made.activatePush)))
      return failure();
    if (std::optional<csl::Priority> priority = fifo.getPriority())
      made.priority = *priority == csl::Priority::Low ? wafer::Priority::Low
                      : *priority == csl::Priority::Medium
                          ? wafer::Priority::Medium
                          : wafer::Priority::High;
    if (std::optional<csl::SimdMode> mode = fifo.getSimdMode())
      made.simd = *mode == csl::SimdMode::Simd32   ? wafer::SimdMode::Simd32
                  : *mode == csl::SimdMode::Simd64 ? wafer::SimdMode::Simd64
                  : *mode == csl::SimdMode::Simd32Or64
                      ? wafer::SimdMode::Simd32Or64
                  : *mode == csl::SimdMode::Off ? wafer::SimdMode::Off
                                                : wafer::SimdMode::Max;
    if (fifo.getDest())
      made.dsr = *fifo.getDest();
    made.location = context.locations->get(fifo.getLoc());
    setup.fifos.push_back(made);
  }
  return success();
}

FailureOr<ComptimeResult> Evaluator::run() {
  for (auto block : context.program.getOps<csl::ComptimeOp>())
    if (failed(visit(block.getBody().front())))
      return failure();
  if (failed(finish()))
    return failure();
  return std::move(result);
}

FailureOr<ComptimeResult>
csl_to_wafer::evaluateComptime(CodeContext &context,
                               ArrayRef<uint64_t> parameters) {
  return Evaluator(context, parameters).run();
}

llvm::SmallVector<unsigned>
csl_to_wafer::getComptimeParameters(CodeContext &context) {
  llvm::SmallVector<unsigned> numbers;
  for (auto block : context.program.getOps<csl::ComptimeOp>())
    block.walk([&](csl::GetParamOp get) {
      unsigned number = context.parameters.lookup(get.getParam());
      if (!llvm::is_contained(numbers, number))
        numbers.push_back(number);
    });
  llvm::sort(numbers);
  return numbers;
}
