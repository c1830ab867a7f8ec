//===- TranslatePlan.cpp - Plans as IR and as the passes' model -----------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both ways without a decision, and without a loss: what is written and read
// again is the same model but for tensors that nobody uses.
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::linalg_to_tcp;

static InFlightDiagnostic emitOpErrorOf(LocationAttr loc, StringRef operation) {
  return emitError(Location(loc)) << "'" << operation << "' op ";
}
InFlightDiagnostic Group::emitOpError() const {
  return emitOpErrorOf(loc, origin ? origin.getValue()
                                   : GroupOp::getOperationName());
}
InFlightDiagnostic Program::emitOpError() const {
  return emitOpErrorOf(loc, func::FuncOp::getOperationName());
}

/// All that a group reads and writes, of its stages too.
static void forEachTensor(const Group &group, function_ref<void(Tensor *)> f) {
  for (const Access *access : const_cast<Group &>(group).reads())
    f(access->tensor);
  for (const Group &stage : group.stages)
    forEachTensor(stage, f);
  f(group.result.tensor);
}

//===----------------------------------------------------------------------===//
// To IR
//===----------------------------------------------------------------------===//

namespace {
class Writer {
public:
  Writer(Program &program, OpBuilder &builder)
      : program(program), builder(builder) {}
  void write();

private:
  void nameTensors();
  void writeTensor(const Tensor &tensor);
  void writeGroup(const Group &group);
  AffineMapAttr getMap(const Access &access, unsigned loops);
  Value read(const Access &access);
  Value getOperand(const Access &access, TypedAttr constant);
  FlatSymbolRefAttr getSymbol(const Tensor *tensor) {
    return FlatSymbolRefAttr::get(builder.getContext(), tensor->name);
  }
  /// A value that has its default is no attribute.
  template <class Attr, class T> Attr attrOf(const T &value) {
    return value == T() ? Attr() : Attr::get(builder.getContext(), value);
  }
  template <class Attr, class T> Attr attrOf(const std::optional<T> &value) {
    return value ? Attr::get(builder.getContext(), *value) : Attr();
  }

  Program &program;
  OpBuilder &builder;
  llvm::SmallSetVector<Tensor *, 16> used;
  /// Of the group that is written.
  Location loc = builder.getUnknownLoc();
  unsigned loops = 0;
};
} // namespace

/// Tensors keep the names that they have; copies have those of others.
void Writer::nameTensors() {
  for (auto &group : program.groups)
    forEachTensor(*group, [&](Tensor *tensor) { used.insert(tensor); });
  used.insert(program.results.begin(), program.results.end());
  llvm::StringSet<> names;
  SmallVector<Tensor *> nameless;
  for (auto &tensor : program.tensors)
    if (used.contains(tensor.get()) &&
        (tensor->name.empty() || !names.insert(tensor->name).second))
      nameless.push_back(tensor.get());
  for (Tensor *tensor : nameless) {
    std::string base = "t";
    unsigned number = 0;
    if (tensor->origin == Tensor::Origin::Argument)
      base = "arg" + std::to_string(tensor->argument);
    else if (tensor->origin == Tensor::Origin::Constant)
      base = "cst";
    tensor->name = base;
    while (!names.insert(tensor->name).second)
      tensor->name = base + "_" + std::to_string(++number);
  }
}

void Writer::writeTensor(const Tensor &tensor) {
  RankedTensorType type = tensor.type;
  if (tensor.isE2m1)
    type = type.clone(Float4E2M1FNType::get(builder.getContext()));
  IntegerAttr argument;
  if (tensor.origin == Tensor::Origin::Argument)
    argument = builder.getI64IntegerAttr(tensor.argument);
  TensorOp::create(builder, program.loc, builder.getStringAttr(tensor.name),
                   argument, tensor.values,
                   attrOf<LayoutAttr>(static_cast<const Layout &>(tensor)),
                   TypeAttr::get(type));
}

AffineMapAttr Writer::getMap(const Access &access, unsigned loops) {
  MLIRContext *context = builder.getContext();
  SmallVector<AffineExpr> results;
  for (const Index &index : access.dims) {
    AffineExpr sum;
    for (auto [loop, coefficient] : index.terms) {
      AffineExpr term = getAffineDimExpr(loop, context) * coefficient;
      sum = sum ? sum + term : term;
    }
    AffineExpr offset = getAffineConstantExpr(index.offset, context);
    results.push_back(sum ? sum + offset : offset);
  }
  return AffineMapAttr::get(AffineMap::get(loops, 0, results, context));
}

Value Writer::read(const Access &access) {
  Type type = access.tensor->isE2m1
                  ? Float4E2M1FNType::get(builder.getContext())
                  : access.tensor->elementType();
  return ReadOp::create(builder, loc, type, getSymbol(access.tensor),
                        getMap(access, loops));
}

/// Null for the stream.
Value Writer::getOperand(const Access &access, TypedAttr constant) {
  if (constant)
    return arith::ConstantOp::create(builder, loc, constant);
  return access ? read(access) : Value();
}

void Writer::writeGroup(const Group &group) {
  loc = group.loc;
  loops = group.loops.size();
  SmallVector<Attribute> nest;
  for (const Loop &loop : group.loops)
    nest.push_back(LoopAttr::get(builder.getContext(), loop));
  auto op =
      GroupOp::create(builder, loc, group.kind, group.origin, group.note,
                      builder.getArrayAttr(nest),
                      attrOf<TilingAttr>(static_cast<const Tiling &>(group)),
                      attrOf<RingAttr>(group.ring),
                      attrOf<WeightStreamAttr>(group.weightStream),
                      attrOf<CollectiveAttr>(group.collective),
                      attrOf<RecordAttr>(group.record));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&op.getBody().emplaceBlock());
  for (const Group &stage : group.stages)
    writeGroup(stage);
  if (group.kind == Group::Kind::Rows)
    return;
  SmallVector<Value> inputs;
  for (const Access *access :
       {&group.stream, &group.lhs, &group.rhs, &group.scale})
    if (*access)
      inputs.push_back(read(*access));
  Value head =
      HeadOp::create(builder, loc, group.computeType, group.combiner, inputs);
  Value stream = head;
  for (const Step &step : group.steps) {
    loc = step.loc;
    SmallVector<Value> operands{stream};
    Value first = step.head ? head : getOperand(step.operand, step.constant);
    bool isFma = step.kind == Step::Kind::MultiplyAdd;
    if (first || isFma)
      operands.push_back(first ? first : stream);
    if (isFma) {
      Value second = getOperand(step.second, step.secondConstant);
      operands.push_back(second ? second : stream);
    }
    auto next = StepOp::create(builder, loc, step.type, step.kind, {}, {}, {},
                               operands);
    if (step.kind == Step::Kind::Arithmetic)
      next.setArithmetic(step.op);
    if (step.kind == Step::Kind::Function)
      next.setFunction(step.function);
    if (step.mode != Step().mode)
      next.setMode(step.mode);
    stream = next;
  }
  loc = group.loc;
  WriteOp::create(builder, loc, stream, getSymbol(group.result.tensor),
                  getMap(group.result, loops));
}

void Writer::write() {
  nameTensors();
  SmallVector<Attribute> outputs;
  for (Tensor *tensor : program.results)
    outputs.push_back(getSymbol(tensor));
  auto op = ProgramOp::create(
      builder, program.loc, program.name, TypeAttr::get(program.type),
      builder.getArrayAttr(outputs),
      builder.getI64IntegerAttr(program.chipsUsed),
      builder.getI64IntegerAttr(program.macs),
      attrOf<RecordAttr>(program.chipsRecord), program.visibility);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&op.getBody().emplaceBlock());
  for (auto &tensor : program.tensors)
    if (used.contains(tensor.get()))
      writeTensor(*tensor);
  for (auto &group : program.groups)
    writeGroup(*group);
}

void linalg_to_tcp::writePlan(Program &program, OpBuilder &builder) {
  Writer(program, builder).write();
}

//===----------------------------------------------------------------------===//
// From IR
//===----------------------------------------------------------------------===//

std::optional<Index> linalg_to_tcp::getIndex(AffineExpr expr) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return Index{0, {{dim.getPosition(), 1}}};
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return Index{constant.getValue(), {}};
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return std::nullopt;
  std::optional<Index> lhs = getIndex(binary.getLHS()),
                       rhs = getIndex(binary.getRHS());
  if (!lhs || !rhs)
    return std::nullopt;
  Access sum;
  if (expr.getKind() == AffineExprKind::Add) {
    // As the sum of two loops that are replaced.
    sum.dims.push_back({0, {{0, 1}, {1, 1}}});
    return sum.substitute({*lhs, *rhs}).dims[0];
  }
  if (expr.getKind() == AffineExprKind::Mul && rhs->terms.empty()) {
    sum.dims.push_back({0, {{0, rhs->offset}}});
    return sum.substitute({*lhs}).dims[0];
  }
  return std::nullopt;
}

namespace {
class PlanReader {
public:
  PlanReader(ProgramOp op, tcp::TargetAttr target) : op(op) {
    program.machine = target.getRow();
    program.chips = target.getChips();
  }
  Program read();

private:
  void readTensor(TensorOp tensor);
  Group readGroup(GroupOp group);
  template <class Op> Access getAccess(Op op) {
    Access access;
    access.tensor = tensors.lookup(op.getTensor());
    for (AffineExpr expr : op.getMap().getResults())
      access.dims.push_back(*getIndex(expr));
    return access;
  }
  void setOperand(Step &step, Value value, Value head, TypedAttr &constant,
                  Access &access);

  ProgramOp op;
  Program program;
  llvm::StringMap<Tensor *> tensors;
};
} // namespace

void PlanReader::readTensor(TensorOp op) {
  Tensor *tensor = program.addTensor(cast<RankedTensorType>(op.getType()));
  if (op.getLayout())
    static_cast<Layout &>(*tensor) = op.getLayout()->getValue();
  tensor->name = op.getSymName().str();
  tensor->isAlone = program.chipsUsed == 1;
  if (std::optional<int64_t> argument = op.getArgument()) {
    tensor->origin = Tensor::Origin::Argument;
    tensor->argument = *argument;
  } else if (op.getValues()) {
    tensor->origin = Tensor::Origin::Constant;
    tensor->values = cast<DenseElementsAttr>(*op.getValues());
  }
  tensors[tensor->name] = tensor;
}

void PlanReader::setOperand(Step &step, Value value, Value head,
                            TypedAttr &constant, Access &access) {
  if (auto read = value.getDefiningOp<ReadOp>())
    access = getAccess(read);
  else if (auto number = value.getDefiningOp<arith::ConstantOp>())
    constant = number.getValue();
  else
    step.head |= value == head;
}

template <class Attr, class T>
static void assign(std::optional<T> &field, std::optional<Attr> attr) {
  if (attr)
    field = attr->getValue();
}

Group PlanReader::readGroup(GroupOp op) {
  Group group;
  group.kind = op.getKind();
  group.origin = op.getOriginAttr();
  group.note = op.getNoteAttr();
  group.loc = op.getLoc();
  for (auto loop : op.getLoops().getAsRange<LoopAttr>())
    group.loops.push_back(loop.getValue());
  if (op.getTiling())
    static_cast<Tiling &>(group) = op.getTiling()->getValue();
  assign(group.ring, op.getRing());
  assign(group.weightStream, op.getWeightStream());
  assign(group.collective, op.getCollective());
  assign(group.record, op.getRecord());
  for (auto stage : op.getBody().getOps<GroupOp>())
    group.stages.push_back(readGroup(stage));
  if (group.kind == Group::Kind::Rows) {
    group.result = group.stages.back().result;
    group.computeType = group.stages.back().computeType;
    return group;
  }
  auto head = *op.getBody().getOps<HeadOp>().begin();
  group.computeType = head.getType();
  group.combiner = head.getCombiner();
  SmallVector<Access *, 3> roles{&group.stream, &group.rhs};
  if (group.kind == Group::Kind::Contraction)
    roles = {&group.lhs, &group.rhs, &group.scale};
  for (auto [role, input] : llvm::zip(roles, head.getInputs()))
    *role = getAccess(input.getDefiningOp<ReadOp>());
  for (auto stepOp : op.getBody().getOps<StepOp>()) {
    Step &step = group.steps.emplace_back();
    step.kind = stepOp.getKind();
    step.op = stepOp.getArithmetic().value_or(step.op);
    step.function = stepOp.getFunction().value_or(step.function);
    step.mode = stepOp.getMode().value_or(step.mode);
    step.type = stepOp.getType();
    step.loc = stepOp.getLoc();
    OperandRange inputs = stepOp.getInputs();
    // The stream itself is no operand.
    if (inputs.size() == 2 || (inputs.size() == 3 && inputs[1] != inputs[0]))
      setOperand(step, inputs[1], head, step.constant, step.operand);
    if (inputs.size() == 3 && inputs[2] != inputs[0])
      setOperand(step, inputs[2], head, step.secondConstant, step.second);
  }
  group.result = getAccess(*op.getBody().getOps<WriteOp>().begin());
  return group;
}

Program PlanReader::read() {
  program.name = op.getSymNameAttr();
  program.visibility = op.getSymVisibilityAttr();
  program.loc = op.getLoc();
  program.type = op.getFunctionType();
  program.chipsUsed = op.getChips();
  program.macs = op.getMacs();
  assign(program.chipsRecord, op.getRecord());
  for (auto tensor : op.getBody().getOps<TensorOp>())
    readTensor(tensor);
  for (auto output : op.getOutputs().getAsRange<FlatSymbolRefAttr>())
    program.results.push_back(tensors.lookup(output.getValue()));
  for (auto group : op.getBody().getOps<GroupOp>())
    program.groups.push_back(std::make_unique<Group>(readGroup(group)));
  return std::move(program);
}

Program linalg_to_tcp::readPlan(ProgramOp op, tcp::TargetAttr target) {
  return PlanReader(op, target).read();
}
