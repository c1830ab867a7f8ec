//===- ReadProgram.cpp - A linalg function as groups ----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// First every dimension of every tensor and every loop gets a node; indexing
// maps join nodes, and a class of nodes is an axis. Then operations become
// groups: a contraction takes the elementwise operations that follow it as long
// as nobody else reads what is between them; so does an elementwise operation.
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::linalg_to_tcp;

namespace {

class Reader {
public:
  Reader(func::FuncOp func, const TcpMachine &machine, int64_t chips,
         const DenseSet<Operation *> &unfused)
      : unfused(unfused) {
    program.func = func;
    program.machine = &machine;
    program.chips = chips;
  }

  FailureOr<Program> read();

private:
  LogicalResult checkTensor(Operation *at, Type type, const Twine &what);
  LogicalResult readOperation(Operation *op);
  LogicalResult joinLoops(linalg::LinalgOp op);
  LogicalResult nameAxes();
  LogicalResult readGroup(linalg::LinalgOp op);
  LogicalResult readContraction(linalg::LinalgOp op);
  LogicalResult readElementwise(linalg::LinalgOp op);
  LogicalResult readSum(linalg::LinalgOp op, Group &group);
  LogicalResult addInit(linalg::LinalgOp op, Group &group);
  void addFactor(Group &group, TensorOperand factor);
  void makeElementwise(Group &group);
  LogicalResult makePlainSum(Group &group);
  Group *getFusable(OpOperand &operand, linalg::LinalgOp op);
  AxisList getLoopAxes(linalg::LinalgOp op);
  TensorOperand makeOperand(Value value);

  const DenseSet<Operation *> &unfused;
  Program program;
  SmallVector<linalg::LinalgOp> order;
  llvm::IntEqClasses classes;
  std::vector<int64_t> extents; ///< of every node
  DenseMap<Value, SmallVector<unsigned>> valueNodes;
  DenseMap<Operation *, SmallVector<unsigned>> loopNodes;
};

} // namespace

//===----------------------------------------------------------------------===//
// Operations and axes
//===----------------------------------------------------------------------===//

LogicalResult Reader::checkTensor(Operation *at, Type type, const Twine &what) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return at->emitOpError()
           << what << " has type " << type
           << ", only ranked tensors with static shapes can be lowered: give "
              "every dimension a size";
  std::optional<ElementType> kind =
      tcp::getElementKind(tensor.getElementType());
  if (!kind || *kind == ElementType::I5 || *kind == ElementType::I9)
    return at->emitOpError()
           << what << " has element type " << tensor.getElementType()
           << ", machine \"" << program.machine->name
           << "\" has i4, i8, i16, i32, f8E4M3FN, f8E5M2, bf16, f16 and f32";
  int64_t elements = 1;
  for (int64_t size : tensor.getShape()) {
    if (size == 0)
      return at->emitOpError() << what << " has type " << type
                               << ", a dimension must not be empty";
    std::optional<int64_t> product = llvm::checkedMul(elements, size);
    if (!product || *product > program.machine->hbmBytes)
      return at->emitOpError()
             << what << " has type " << type << ", HBM has "
             << program.machine->hbmBytes << " bytes: cut the tensor";
    elements = *product;
  }
  return success();
}

LogicalResult Reader::joinLoops(linalg::LinalgOp op) {
  SmallVector<int64_t, 4> ranges = op.getStaticLoopRanges();
  SmallVector<unsigned> &loops = loopNodes[op];
  for (int64_t range : ranges) {
    loops.push_back(extents.size());
    extents.push_back(range);
  }
  classes.grow(extents.size());

  auto join = [&](Value value, AffineMap map) {
    SmallVector<unsigned> &nodes = valueNodes[value];
    for (auto [i, expr] : llvm::enumerate(map.getResults())) {
      unsigned loop = loops[cast<AffineDimExpr>(expr).getPosition()];
      if (nodes.size() == i)
        nodes.push_back(loop);
      else
        classes.join(nodes[i], loop);
    }
  };
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (!map.isProjectedPermutation())
      return op.emitOpError()
             << "indexes operand " << operand.getOperandNumber() << " by "
             << AffineMapAttr::get(map)
             << ", only plain loop indices are supported: rewrite the access "
                "as a tensor of its own";
    if (!isa<RankedTensorType>(operand.get().getType()))
      continue;
    if (failed(checkTensor(op, operand.get().getType(),
                           "operand " + Twine(operand.getOperandNumber()))))
      return failure();
    bool isRead =
        op.isDpsInput(&operand) || op.payloadUsesValueFromOperand(&operand);
    if (isRead && !program.constants.contains(operand.get()))
      join(operand.get(), map);
  }
  for (OpResult result : op->getResults())
    join(result, op.getMatchingIndexingMap(op.getTiedOpOperand(result)));
  order.push_back(op);
  return success();
}

LogicalResult Reader::readOperation(Operation *op) {
  if (isa<tensor::EmptyOp, func::ReturnOp>(op))
    return success();
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (!isa<ShapedType>(constant.getType()))
      return success();
    auto splat = dyn_cast<SplatElementsAttr>(constant.getValue());
    if (!splat)
      return op->emitOpError()
             << "is a tensor of several values, which has no place on the "
                "device; pass it as an argument of the function";
    auto value = dyn_cast<TypedAttr>(splat.getSplatValue<Attribute>());
    if (!value)
      return op->emitOpError() << "has elements that are not single numbers";
    program.constants[constant.getResult()] = value;
    return success();
  }
  if (auto fill = dyn_cast<linalg::FillOp>(op);
      fill && fill->getNumResults() == 1) {
    Attribute value;
    if (!matchPattern(fill.value(), m_Constant(&value)) ||
        !isa<TypedAttr>(value))
      return op->emitOpError() << "fills with a value that is not a constant; "
                                  "pass a tensor instead";
    program.constants[fill.getResult(0)] = cast<TypedAttr>(value);
    return success();
  }
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp)
    return op->emitOpError()
           << "cannot be lowered to tcp, only linalg operations on tensors, "
              "tensor.empty and arith.constant can";
  if (!linalgOp.hasPureTensorSemantics())
    return op->emitOpError()
           << "works on memory, only tensors can be lowered to tcp";
  if (linalgOp.hasDynamicShape())
    return op->emitOpError() << "has a dynamic shape, only static shapes can "
                                "be lowered: give every dimension a size";
  if (linalgOp.hasIndexSemantics())
    return op->emitOpError() << "computes with loop indices, which the vector "
                                "engine has not; pass them as a tensor";
  return joinLoops(linalgOp);
}

/// Letters by the role of a loop where an axis first occurs.
LogicalResult Reader::nameAxes() {
  classes.compress();
  program.axes.resize(classes.getNumClasses());
  for (auto [node, extent] : llvm::enumerate(extents))
    program.axes[classes[node]].extent = program.axes[classes[node]].size =
        extent;
  for (auto &[value, nodes] : valueNodes) {
    AxisList &dims = program.dims[value];
    for (unsigned node : nodes)
      dims.push_back(classes[node]);
    if (nodes.empty())
      dims.push_back(program.getUnitAxis());
  }

  llvm::StringMap<unsigned> counts;
  auto name = [&](AxisId axis, StringRef letter) {
    if (!program.axes[axis].name.empty())
      return;
    unsigned &count = counts[letter];
    program.axes[axis].name = count == 0 && letter != "D"
                                  ? letter.str()
                                  : letter.str() + std::to_string(count);
    ++count;
  };
  for (linalg::LinalgOp op : order) {
    AxisList loops = getLoopAxes(op);
    for (auto [i, axis] : llvm::enumerate(loops))
      for (size_t j = i + 1; j < loops.size(); ++j)
        if (loops[j] == axis)
          return op.emitOpError()
                 << "has loops " << i << " and " << j
                 << " over one and the same dimension, because a tensor is "
                    "used with its dimensions in two roles; pass that tensor "
                    "as two arguments";
    if (op.getNumReductionLoops() == 0 || op.getNumDpsInputs() != 2) {
      StringRef parallel = op.getNumReductionLoops() == 0 ? "D" : "M";
      for (auto [axis, type] : llvm::zip(loops, op.getIteratorTypesArray()))
        name(axis, type == utils::IteratorType::reduction ? "K" : parallel);
      continue;
    }
    auto dims = [&](OpOperand *operand) {
      AxisList list;
      for (AffineExpr expr : op.getMatchingIndexingMap(operand).getResults())
        list.push_back(loops[cast<AffineDimExpr>(expr).getPosition()]);
      return list;
    };
    AxisList lhs = dims(op.getDpsInputOperand(0));
    AxisList rhs = dims(op.getDpsInputOperand(1));
    AxisList result = dims(op.getDpsInitOperand(0));
    for (AxisId axis : loops)
      name(axis, !contains(result, axis) ? "K"
                 : !contains(rhs, axis)  ? "M"
                 : !contains(lhs, axis)  ? "N"
                                         : "B");
  }
  // Dimensions of arguments that nothing computes with.
  for (AxisId axis = 0; axis < program.axes.size(); ++axis)
    name(axis, "D");
  return success();
}

AxisList Reader::getLoopAxes(linalg::LinalgOp op) {
  AxisList axes;
  for (unsigned node : loopNodes[op])
    axes.push_back(classes[node]);
  return axes;
}

TensorOperand Reader::makeOperand(Value value) {
  Value source = program.canonical(value);
  return {source, program.dims.lookup(source)};
}

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

/// The factors, in types that the contraction engine multiplies.
LogicalResult Reader::readSum(linalg::LinalgOp op, Group &group) {
  std::optional<SumOfProducts> sum = matchSumOfProducts(op);
  if (!sum)
    return op.emitOpError()
           << "reduces by something else than a sum of products of two "
              "operands (out + a * b, with a and b widened to the type of "
              "out), which the contraction engine does not";
  ArrayRef<OpOperand *> factors = sum->factors;
  Type type = elementTypeOf(factors[0]->get());
  for (OpOperand *factor : factors) {
    if (elementTypeOf(factor->get()) != type)
      return op.emitOpError()
             << "multiplies " << type << " by " << elementTypeOf(factor->get())
             << ", the contraction engine needs both of one type";
    if (!isa<RankedTensorType>(factor->get().getType()) ||
        program.constants.contains(program.canonical(factor->get())))
      return op.emitOpError() << "multiplies by a constant; scale the result "
                                 "in an elementwise operation instead";
  }
  Type accumulator = tcp::getAccumulatorType(type);
  if (!accumulator)
    return op.emitOpError()
           << "has operands of " << type
           << ", the contraction engine takes i4, i8, f8E4M3FN, f8E5M2 and "
              "bf16: convert them first";
  if (sum->type != accumulator)
    return op.emitOpError()
           << "sums in " << sum->type << ", the contraction engine sums "
           << type << " in " << accumulator
           << ": give the result that type and narrow it afterwards";
  group.lhs = makeOperand(factors[0]->get());
  group.computeType = accumulator;
  group.factorType = type;
  if (factors.size() == 2)
    group.rhs = makeOperand(factors[1]->get());
  return success();
}

/// What the sums start from, if it is not zero, is added afterwards.
LogicalResult Reader::addInit(linalg::LinalgOp op, Group &group) {
  Value init = program.canonical(op.getDpsInitOperand(0)->get());
  Step step;
  step.type = group.computeType;
  step.source = op;
  if (TypedAttr constant = program.constants.lookup(init)) {
    if (matchPattern(constant, m_AnyZeroFloat()) ||
        matchPattern(constant, m_Zero()))
      return success();
    step.constant = constant;
  } else if (init.getDefiningOp<tensor::EmptyOp>()) {
    return op.emitOpError() << "sums onto tensor.empty; fill it with zero by "
                               "linalg.fill";
  } else {
    step.operand = makeOperand(init);
  }
  group.steps.push_back(std::move(step));
  return success();
}

/// Multiplies by `factor` before all other steps.
void Reader::addFactor(Group &group, TensorOperand factor) {
  Step step;
  step.op = ArithmeticOp::Mul;
  step.type = group.computeType;
  step.source = group.root;
  step.operand = std::move(factor);
  group.steps.insert(group.steps.begin(), std::move(step));
}

/// A sum of one product is a product: nothing to pad, no rows to fill.
void Reader::makeElementwise(Group &group) {
  group.isContraction = false;
  // What stays in the vector register file is the smaller one.
  if (group.rhs.tensor &&
      extentOf(group.rhs.tensor) > extentOf(group.lhs.tensor))
    std::swap(group.lhs, group.rhs);
  group.stream = std::move(group.lhs);
  if (group.rhs.tensor)
    addFactor(group, std::move(group.rhs));
  group.lhs = group.rhs = {};
  group.batch.clear();
  group.n.clear();
  group.k.clear();
  group.m = program.dims[group.result];
}

/// What is summed over has only one factor: the other one multiplies the sum.
LogicalResult Reader::makePlainSum(Group &group) {
  auto isSummed = [&](AxisId axis) {
    return contains(group.k, axis) && program.axes[axis].extent > 1;
  };
  if (llvm::none_of(group.lhs.axes, isSummed)) {
    std::swap(group.lhs, group.rhs);
    std::swap(group.m, group.n);
  }
  assert(llvm::none_of(group.rhs.axes, isSummed) && group.n.empty() &&
         "sums of both factors are split before");
  if (group.rhs.tensor)
    addFactor(group, std::move(group.rhs));
  group.m.append(group.batch);
  group.batch.clear();

  if (!isa<BlockArgument>(group.lhs.tensor))
    return group.root.emitOpError()
           << "sums an intermediate; multiply it by a tensor of ones that is "
              "an argument";
  // One flit of i4 is less than a commit writes.
  if (group.factorType.getIntOrFloatBitWidth() * program.machine->outputLanes <
      program.machine->commitAlignBytes * 8)
    group.factorType = IntegerType::get(group.root.getContext(), 8);
  // Enough of the tensor to make ones of: its first row along the sum.
  group.isPlainSum = true;
  llvm::erase_if(group.k,
                 [&](AxisId axis) { return !contains(group.lhs.axes, axis); });
  group.rhs = {group.lhs.tensor, group.k};
  return success();
}

LogicalResult Reader::readContraction(linalg::LinalgOp op) {
  auto group = std::make_unique<Group>();
  group->root = op;
  group->isContraction = true;
  if (op->getNumResults() != 1)
    return op.emitOpError() << "has " << op->getNumResults()
                            << " results, only one is supported: split it";
  if (failed(readSum(op, *group)) || failed(addInit(op, *group)))
    return failure();
  group->result = op->getResult(0);
  const AxisList &result = program.dims[group->result];
  int64_t useful = 1;
  for (AxisId axis : getLoopAxes(op)) {
    bool inLhs = contains(group->lhs.axes, axis);
    bool inRhs = contains(group->rhs.axes, axis);
    if (!inLhs && !inRhs)
      return op.emitOpError()
             << "has a loop over axis " << program.axes[axis].name
             << " that none of its factors has; add that dimension in an "
                "elementwise operation";
    AxisList &role = !contains(result, axis) ? group->k
                     : inLhs && inRhs        ? group->batch
                     : inLhs                 ? group->m
                                             : group->n;
    role.push_back(axis);
    std::optional<int64_t> product =
        llvm::checkedMul(useful, program.axes[axis].extent);
    if (!product)
      return op.emitOpError() << "has more iterations than fit in 64 bits";
    useful = *product;
  }
  if (group->k.size() != op.getNumReductionLoops())
    return op.emitOpError() << "indexes its result by a reduced loop";
  if (rankOf(group->result) == 0)
    group->m.push_back(program.getUnitAxis());
  std::optional<int64_t> total = llvm::checkedAdd(program.macs, useful);
  if (!total)
    return op.emitOpError() << "has more iterations than fit in 64 bits";
  program.macs = *total;
  auto isLong = [&](AxisId axis) { return program.axes[axis].extent > 1; };
  auto isShared = [&](AxisId axis) {
    return isLong(axis) && contains(group->lhs.axes, axis) &&
           contains(group->rhs.axes, axis);
  };
  if (llvm::none_of(group->k, isLong))
    makeElementwise(*group);
  else if (llvm::none_of(group->k, isShared) && failed(makePlainSum(*group)))
    return failure();
  program.producers[group->result] = group.get();
  program.groups.push_back(std::move(group));
  return success();
}

//===----------------------------------------------------------------------===//
// Elementwise operations
//===----------------------------------------------------------------------===//

/// The group whose result `operand` is, if `op` can be its next step: nobody
/// else reads the result, and `op` visits exactly its elements.
Group *Reader::getFusable(OpOperand &operand, linalg::LinalgOp op) {
  if (unfused.contains(op))
    return nullptr;
  Group *group = program.producers.lookup(operand.get());
  if (!group || group->result != operand.get())
    return nullptr;
  for (OpOperand &use : operand.get().getUses())
    if (&use != &operand)
      return nullptr;
  return rankOf(operand.get()) == op.getNumLoops() ? group : nullptr;
}

LogicalResult Reader::readElementwise(linalg::LinalgOp op) {
  auto preferred = [&](OpOperand &operand) {
    return getFusable(operand, op) != nullptr;
  };
  FailureOr<Chain> chain = readChain(program, op, preferred);
  if (failed(chain))
    return failure();
  Value result = op->getResult(0);
  if (rankOf(result) != op.getNumLoops())
    return op.emitOpError()
           << "has " << op.getNumLoops() << " loops, its result "
           << rankOf(result) << " dimensions; every loop must index the result";
  if (chain->start.tensor.getDefiningOp<tensor::EmptyOp>())
    return op.emitOpError() << "reads tensor.empty, which has no value; fill "
                               "it by linalg.fill";
  for (const Step &step : chain->steps)
    if (step.operand.tensor &&
        step.operand.tensor.getDefiningOp<tensor::EmptyOp>())
      return op.emitOpError() << "reads tensor.empty, which has no value; fill "
                                 "it by linalg.fill";

  // A copy, also a transposed or broadcast one, names the same elements.
  if (chain->steps.empty() &&
      elementTypeOf(result) == elementTypeOf(chain->start.tensor)) {
    program.aliases[result] = chain->start.tensor;
    return success();
  }

  // The stream of a step cannot be its second operand too: then the tensor goes
  // through memory.
  Group *before = getFusable(*chain->startOperand, op);
  if (before && llvm::none_of(chain->steps, [&](const Step &step) {
        return step.operand.tensor == before->result;
      })) {
    Group *group = before;
    llvm::append_range(group->steps, std::move(chain->steps));
    group->fused.push_back(op);
    program.producers.erase(group->result);
    group->result = result;
    program.producers[result] = group;
    // It now needs what `op` needs: it moves to where `op` is.
    auto position = llvm::find_if(program.groups, [&](const auto &other) {
      return other.get() == group;
    });
    std::rotate(position, position + 1, program.groups.end());
    return success();
  }

  auto group = std::make_unique<Group>();
  group->root = op;
  group->stream = chain->start;
  group->m = program.dims[result];
  group->steps = std::move(chain->steps);
  group->computeType = computeTypeOf(elementTypeOf(group->stream.tensor));
  group->result = result;
  program.producers[result] = group.get();
  program.groups.push_back(std::move(group));
  return success();
}

LogicalResult Reader::readGroup(linalg::LinalgOp op) {
  return op.getNumReductionLoops() == 0 ? readElementwise(op)
                                        : readContraction(op);
}

FailureOr<Program> Reader::read() {
  func::FuncOp func = program.func;
  if (!llvm::hasSingleElement(func.getBody()))
    return func.emitOpError() << "has several blocks, only straight-line "
                                 "functions can be lowered to tcp";
  for (BlockArgument argument : func.getArguments()) {
    if (failed(checkTensor(func, argument.getType(),
                           "argument " + Twine(argument.getArgNumber()))))
      return failure();
    SmallVector<unsigned> &nodes = valueNodes[argument];
    for (int64_t size : cast<RankedTensorType>(argument.getType()).getShape()) {
      nodes.push_back(extents.size());
      extents.push_back(size);
    }
  }
  classes.grow(extents.size());
  for (auto [i, type] : llvm::enumerate(func.getResultTypes()))
    if (failed(checkTensor(func, type, "result " + Twine(i))))
      return failure();

  for (Operation &op : func.getBody().front())
    if (failed(readOperation(&op)))
      return failure();
  if (failed(nameAxes()))
    return failure();
  for (linalg::LinalgOp op : order)
    if (failed(readGroup(op)))
      return failure();

  Operation *terminator = func.getBody().front().getTerminator();
  for (auto [i, value] : llvm::enumerate(terminator->getOperands())) {
    Value source = program.canonical(value);
    if (!program.producers.contains(source) && !isa<BlockArgument>(source))
      return terminator->emitOpError()
             << "returns as result " << i
             << " a tensor that is not computed; return the result of a linalg "
                "operation on arguments";
    if (rankOf(value) != rankOf(source))
      return terminator->emitOpError()
             << "returns as result " << i
             << " a broadcast tensor; return the tensor it was made from";
  }
  return std::move(program);
}

FailureOr<Program>
linalg_to_tcp::readProgram(func::FuncOp func, const TcpMachine &machine,
                           int64_t chips,
                           const DenseSet<Operation *> &unfused) {
  return Reader(func, machine, chips, unfused).read();
}
