//===- ReadProgram.cpp - A linalg function as groups ----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//===----------------------------------------------------------------------===//

#include "ProgramReader.h"
#include "mlir/IR/Matchers.h"
#include "sequin/Conversion/Attributes.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::linalg_to_tcp;

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

Access Access::substitute(ArrayRef<Index> loops) const {
  Access result;
  result.tensor = tensor;
  for (const Index &index : dims) {
    Index &sum = result.dims.emplace_back();
    sum.offset = index.offset;
    for (auto [loop, coefficient] : index.terms) {
      sum.offset += coefficient * loops[loop].offset;
      for (auto [inner, factor] : loops[loop].terms) {
        auto *found = llvm::find_if(
            sum.terms, [&](const auto &term) { return term.first == inner; });
        if (found == sum.terms.end())
          sum.terms.push_back({inner, coefficient * factor});
        else
          found->second += coefficient * factor;
      }
    }
    llvm::erase_if(sum.terms, [](const auto &term) { return !term.second; });
  }
  return result;
}

int64_t Access::strideOf(LoopId loop) const {
  int64_t stride = 0;
  for (auto [dim, index] : llvm::enumerate(dims))
    for (auto [id, coefficient] : index.terms)
      if (id == loop)
        stride += tensor->distance(dim, coefficient);
  return stride;
}

Access linalg_to_tcp::wholeOf(Tensor *tensor) {
  Access access;
  access.tensor = tensor;
  for (unsigned i = 0; i < tensor->rank(); ++i)
    access.dims.push_back({0, {{i, 1}}});
  return access;
}

//===----------------------------------------------------------------------===//
// The reader
//===----------------------------------------------------------------------===//

LogicalResult ProgramReader::checkTensor(Operation *at, Type type,
                                         const Twine &what) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return at->emitOpError()
           << what << " has type " << type
           << ", only ranked tensors with static shapes can be lowered: give "
              "every dimension a size";
  std::optional<ElementType> kind =
      tcp::getElementKind(tensor.getElementType());
  bool isE2m1 = isa<Float4E2M1FNType>(tensor.getElementType());
  if (!isE2m1 &&
      (!kind || *kind == ElementType::I5 || *kind == ElementType::I9))
    return at->emitOpError()
           << what << " has element type " << tensor.getElementType()
           << ", machine \"" << program.machine->name
           << "\" has i4, i8, i16, i32, f8E4M3FN, f8E5M2, bf16, f16 and f32";
  int64_t elements = 1, bits = isE2m1 ? 4 : getBitWidth(*kind);
  for (int64_t size : tensor.getShape()) {
    if (size == 0)
      return at->emitOpError() << what << " has type " << type
                               << ", a dimension must not be empty";
    // Chips may have a part each.
    std::optional<int64_t> product = llvm::checkedMul(elements, size);
    if (!product ||
        *product / program.chips > program.machine->hbmBytes * 8 / bits)
      return at->emitOpError()
             << what << " has type " << type << ", HBM has "
             << program.machine->hbmBytes << " bytes: cut the tensor";
    elements = *product;
  }
  return success();
}

LogicalResult ProgramReader::checkTypes(Operation *op) {
  for (auto [i, type] : llvm::enumerate(op->getOperandTypes()))
    if (isa<ShapedType>(type) &&
        failed(checkTensor(op, type, "operand " + Twine(i))))
      return failure();
  for (Type type : op->getResultTypes())
    if (isa<ShapedType>(type) && failed(checkTensor(op, type, "the result")))
      return failure();
  return success();
}

Group &ProgramReader::addGroup(Group::Kind kind, Operation *root) {
  program.groups.push_back(std::make_unique<Group>());
  Group &group = *program.groups.back();
  group.kind = kind;
  group.origin = root->getName().getIdentifier();
  group.loc = root->getLoc();
  return group;
}

/// The sizes that the program fixes for the loops of an operation.
LogicalResult ProgramReader::readPin(linalg::LinalgOp op, Group &group) {
  Attribute attribute = op->getAttr(kPinAttrName);
  if (!attribute)
    return success();
  auto pin = dyn_cast<DictionaryAttr>(attribute);
  bool valid = static_cast<bool>(pin);
  for (NamedAttribute entry :
       pin ? pin.getValue() : ArrayRef<NamedAttribute>()) {
    auto sizes = dyn_cast<DenseI64ArrayAttr>(entry.getValue());
    int64_t Loop::*pinned = llvm::StringSwitch<int64_t Loop::*>(entry.getName())
                                .Case("tiles", &Loop::pinnedTile)
                                .Case("parts", &Loop::pinnedParts)
                                .Case("chips", &Loop::pinnedChips)
                                .Default(nullptr);
    if (!pinned || !sizes ||
        sizes.size() != static_cast<int64_t>(group.loops.size()) ||
        llvm::any_of(sizes.asArrayRef(), [](int64_t n) { return n < 0; })) {
      valid = false;
      break;
    }
    for (auto [loop, size] : llvm::zip(group.loops, sizes.asArrayRef()))
      loop.*pinned = size;
  }
  if (valid)
    return success();
  return op.emitOpError() << "'" << kPinAttrName
                          << "' must be {tiles = array<i64: ...>, parts = "
                             "array<i64: ...>, chips = array<i64: ...>} with a "
                             "number for each of "
                          << group.loops.size()
                          << " loops, 0 where it is free; found " << attribute;
}

void ProgramReader::addLoops(Group &group, linalg::LinalgOp op) {
  for (auto [range, type] :
       llvm::zip(op.getStaticLoopRanges(), op.getIteratorTypesArray())) {
    Loop &loop = group.loops.emplace_back();
    loop.extent = range;
    loop.reduced = type == utils::IteratorType::reduction;
  }
}

void ProgramReader::addLoops(Group &group, ArrayRef<int64_t> shape) {
  for (int64_t size : shape)
    group.loops.emplace_back().extent = size;
}

Tensor *ProgramReader::addConstant(DenseElementsAttr values) {
  Tensor *tensor = program.addTensor(cast<RankedTensorType>(values.getType()));
  tensor->origin = Tensor::Origin::Constant;
  tensor->values =
      tensor->isE2m1 ? values.bitcast(tensor->elementType()) : values;
  return tensor;
}

FailureOr<Access> ProgramReader::access(Operation *at, Value value,
                                        ArrayRef<Index> indices) {
  if (TypedAttr constant = constants.lookup(value)) {
    // One element, wherever it is read.
    auto type =
        RankedTensorType::get({}, getElementTypeOrSelf(value.getType()));
    Access single;
    single.tensor = addConstant(
        DenseElementsAttr::get(type, ArrayRef<Attribute>(constant)));
    return single;
  }
  auto found = views.find(value);
  if (found == views.end())
    return at->emitOpError()
           << "reads a tensor that nothing has written; fill it first";
  return found->second.substitute(indices);
}

FailureOr<Access> ProgramReader::access(linalg::LinalgOp op,
                                        OpOperand &operand) {
  SmallVector<Index, 4> indices;
  AffineMap map = op.getMatchingIndexingMap(&operand);
  for (AffineExpr expr : map.getResults()) {
    std::optional<Index> index = getIndex(expr);
    if (!index)
      return op.emitOpError()
             << "indexes operand " << operand.getOperandNumber() << " by "
             << AffineMapAttr::get(map)
             << ", only sums of multiples of loop indices are supported";
    indices.push_back(*index);
  }
  return access(op, operand.get(), indices);
}

/// A new tensor, at the elements that the operation's loops write.
Access ProgramReader::resultOf(linalg::LinalgOp op) {
  SmallVector<Index, 4> indices;
  for (AffineExpr expr :
       op.getMatchingIndexingMap(op.getDpsInitOperand(0)).getResults())
    indices.push_back(*getIndex(expr));
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  return wholeOf(program.addTensor(type)).substitute(indices);
}

void ProgramReader::define(Value value, Group &group, Access result) {
  group.result = std::move(result);
  if (value)
    views[value] = wholeOf(group.result.tensor);
}

/// A group that reads all of `value`.
FailureOr<Tensor *> ProgramReader::copy(Operation *at, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  Tensor *tensor = program.addTensor(type);
  FailureOr<Access> from = access(at, value, wholeOf(tensor).dims);
  if (failed(from))
    return failure();
  Group &group = addGroup(Group::Kind::Stream, at);
  addLoops(group, type.getShape());
  group.stream = std::move(*from);
  group.computeType = tensor->elementType();
  group.result = wholeOf(tensor);
  return tensor;
}

//===----------------------------------------------------------------------===//
// Linalg operations
//===----------------------------------------------------------------------===//

LogicalResult ProgramReader::readLinalg(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics())
    return op->emitOpError()
           << "works on memory, only tensors can be lowered to tcp";
  if (op.hasDynamicShape())
    return op->emitOpError() << "has a dynamic shape, only static shapes can "
                                "be lowered: give every dimension a size";
  if (op.hasIndexSemantics())
    return op->emitOpError() << "computes with loop indices, which the vector "
                                "engine has not; pass them as a tensor";
  if (op->getNumResults() != 1)
    return op->emitOpError() << "has " << op->getNumResults()
                             << " results, only one is supported: split it";
  if (!op.getMatchingIndexingMap(op.getDpsInitOperand(0))
           .isProjectedPermutation())
    return op->emitOpError() << "writes its result at computed indices";
  if (op.getNumReductionLoops() == 0)
    return readElementwise(op);
  if (op.getNumDpsInputs() >= 2 && isa<Float4E2M1FNType>(getElementTypeOrSelf(
                                       op.getDpsInputOperand(1)->get())))
    return readCodedContraction(op);
  if (op.getNumDpsInputs() == 2)
    return readContraction(op);
  return readReduction(op);
}

/// What is reduced starts from the init, unless that changes nothing.
LogicalResult ProgramReader::addInit(linalg::LinalgOp op, Group &group,
                                     Step step) {
  OpOperand &init = *op.getDpsInitOperand(0);
  step.type = group.computeType;
  step.loc = op.getLoc();
  if (TypedAttr constant = constants.lookup(init.get())) {
    bool neutral = false;
    if (auto number = dyn_cast<FloatAttr>(constant)) {
      const APFloat &value = number.getValue();
      neutral = step.op == ArithmeticOp::Add ? value.isZero()
                : step.op == ArithmeticOp::Max
                    ? value.isInfinity() && value.isNegative()
                    : value.isInfinity() && !value.isNegative();
    } else {
      APInt value = cast<IntegerAttr>(constant).getValue();
      neutral = step.op == ArithmeticOp::Add   ? value.isZero()
                : step.op == ArithmeticOp::Max ? value.isMinSignedValue()
                                               : value.isMaxSignedValue();
    }
    if (neutral)
      return success();
    step.constant = constant;
  } else {
    FailureOr<Access> operand = access(op, init);
    if (failed(operand))
      return failure();
    step.operand = std::move(*operand);
  }
  group.steps.push_back(std::move(step));
  return success();
}

LogicalResult ProgramReader::countMacs(linalg::LinalgOp op,
                                       const Group &group) {
  int64_t macs = 1;
  for (const Loop &loop : group.loops) {
    std::optional<int64_t> product = llvm::checkedMul(macs, loop.extent);
    if (!product || *product > int64_t(1) << 50)
      return op.emitOpError()
             << "has more iterations than one kernel can run; cut it into "
                "smaller operations";
    macs = *product;
  }
  // Of the products of digits one counts, that of the program as given.
  auto digits = op->getAttrOfType<StringAttr>(kDigitProductAttrName);
  if (!digits || digits.getValue() == "0,0")
    program.macs += macs;
  return success();
}

/// A sum of activations times f4E2M1FN weights, times scales or not; the
/// operands come in this order.
LogicalResult ProgramReader::readCodedContraction(linalg::LinalgOp op) {
  Block *block = op.getBlock();
  auto argumentOf = [&](unsigned input) {
    return op.getMatchingBlockArgument(op.getDpsInputOperand(input));
  };
  auto factorOf = [&](Value value, unsigned input) {
    if (auto widen = value.getDefiningOp<arith::ExtFOp>())
      value = widen.getIn();
    return value == argumentOf(input);
  };
  bool scaled = op.getNumDpsInputs() == 3;
  auto add =
      block->getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  bool matches =
      add && op.getNumDpsInputs() <= 3 &&
      add.getLhs() == op.getMatchingBlockArgument(op.getDpsInitOperand(0)) &&
      add.getType().isF32();
  auto product =
      matches ? add.getRhs().getDefiningOp<arith::MulFOp>() : arith::MulFOp();
  if (product && scaled) {
    matches = factorOf(product.getRhs(), 2);
    product = product.getLhs().getDefiningOp<arith::MulFOp>();
  }
  Type type = argumentOf(0).getType();
  if (!matches || !product || !factorOf(product.getLhs(), 0) ||
      !factorOf(product.getRhs(), 1) ||
      !(type.isBF16() || isa<Float8E4M3FNType, Float8E5M2Type>(type)))
    return op.emitOpError()
           << "reads f4E2M1FN in another way than as weights: out + x * w * "
              "scale in f32, with x of f8E4M3FN, f8E5M2 or bf16";
  SmallVector<Access, 3> operands;
  for (int64_t i = 0; i < op.getNumDpsInputs(); ++i) {
    FailureOr<Access> operand = access(op, *op.getDpsInputOperand(i));
    if (failed(operand))
      return failure();
    operands.push_back(std::move(*operand));
  }
  Group &group = addGroup(Group::Kind::Contraction, op);
  addLoops(group, op);
  group.lhs = std::move(operands[0]);
  group.rhs = std::move(operands[1]);
  if (scaled)
    group.scale = std::move(operands[2]);
  group.computeType = add.getType();
  Step init;
  init.op = ArithmeticOp::Add;
  if (failed(countMacs(op, group)) || failed(readPin(op, group)) ||
      failed(addInit(op, group, std::move(init))))
    return failure();
  define(op->getResult(0), group, resultOf(op));
  return success();
}

LogicalResult ProgramReader::readContraction(linalg::LinalgOp op) {
  std::optional<SumOfProducts> sum = matchSumOfProducts(op);
  if (!sum || sum->factors.size() != 2)
    return op.emitOpError()
           << "reduces by something else than a sum of products of two "
              "operands (out + a * b, with a and b widened to the type of "
              "out), which the contraction engine does not";
  Type type = getElementTypeOrSelf(sum->factors[0]->get());
  for (OpOperand *factor : sum->factors)
    if (getElementTypeOrSelf(factor->get()) != type)
      return op.emitOpError()
             << "multiplies " << type << " by "
             << getElementTypeOrSelf(factor->get())
             << ", the contraction engine needs both of one type";
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
  FailureOr<Access> lhs = access(op, *sum->factors[0]),
                    rhs = access(op, *sum->factors[1]);
  if (failed(lhs) || failed(rhs))
    return failure();
  Group &group = addGroup(Group::Kind::Contraction, op);
  addLoops(group, op);
  group.lhs = std::move(*lhs);
  group.rhs = std::move(*rhs);
  group.computeType = accumulator;
  if (failed(countMacs(op, group)))
    return failure();
  Step add;
  add.op = ArithmeticOp::Add;
  if (failed(readPin(op, group)) || failed(addInit(op, group, std::move(add))))
    return failure();
  define(op->getResult(0), group, resultOf(op));
  return success();
}

LogicalResult ProgramReader::readReduction(linalg::LinalgOp op) {
  Block *block = op.getBlock();
  BlockArgument sum = op.getMatchingBlockArgument(op.getDpsInitOperand(0));
  Operation *combine = block->getTerminator()->getOperand(0).getDefiningOp();
  using Kind = ArithmeticOp;
  std::optional<Kind> kind;
  if (combine && combine->getBlock() == block)
    kind =
        llvm::TypeSwitch<Operation *, std::optional<Kind>>(combine)
            .Case<arith::AddFOp, arith::AddIOp>([](auto) { return Kind::Add; })
            .Case<arith::MaximumFOp, arith::MaxNumFOp, arith::MaxSIOp>(
                [](auto) { return Kind::Max; })
            .Case<arith::MinimumFOp, arith::MinNumFOp, arith::MinSIOp>(
                [](auto) { return Kind::Min; })
            .Default([](Operation *) { return std::nullopt; });
  // One side is the value so far, the other the element, widened or not.
  Value element;
  if (kind && combine->getOperand(0) == sum)
    element = combine->getOperand(1);
  else if (kind && combine->getOperand(1) == sum)
    element = combine->getOperand(0);
  if (element)
    if (Operation *widen = element.getDefiningOp();
        isa_and_nonnull<arith::ExtFOp, arith::ExtSIOp>(widen))
      element = widen->getOperand(0);
  auto argument = dyn_cast_or_null<BlockArgument>(element);
  if (op.getNumDpsInputs() != 1 || !argument || argument == sum ||
      argument.getOwner() != block)
    return op.emitOpError()
           << "reduces by something else than the sum, maximum or minimum of "
              "one operand's elements, which the vector engine does not";
  Type type = sum.getType();
  if (!type.isF32() && !type.isInteger(32))
    return op.emitOpError() << "reduces in " << type
                            << ", the vector engine reduces f32 and i32: widen "
                               "the operand and narrow the result";
  OpOperand &operand = *op.getMatchingOpOperand(argument);
  ElementType from = *tcp::getElementKind(argument.getType());
  if (argument.getType() != type &&
      !program.machine->canFetchCast(from, *tcp::getElementKind(type)))
    return op.emitOpError()
           << "reduces " << argument.getType() << ", which machine \""
           << program.machine->name << "\" cannot widen to " << type;
  FailureOr<Access> stream = access(op, operand);
  if (failed(stream))
    return failure();
  Group &group = addGroup(Group::Kind::Reduction, op);
  addLoops(group, op);
  group.stream = std::move(*stream);
  group.computeType = type;
  group.combiner = *kind == Kind::Add   ? Combiner::Add
                   : *kind == Kind::Max ? Combiner::Max
                                        : Combiner::Min;
  Step step;
  step.op = *kind;
  if (failed(readPin(op, group)) || failed(addInit(op, group, std::move(step))))
    return failure();
  define(op->getResult(0), group, resultOf(op));
  return success();
}

LogicalResult ProgramReader::readElementwise(linalg::LinalgOp op) {
  Value value = op->getResult(0);
  AffineMap out = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  // One operand as it is: the result is a view of it.
  auto yielded =
      dyn_cast<BlockArgument>(op.getBlock()->getTerminator()->getOperand(0));
  if (yielded && yielded.getOwner() == op.getBlock() &&
      isa<RankedTensorType>(
          op.getMatchingOpOperand(yielded)->get().getType()) &&
      out.isPermutation()) {
    OpOperand &operand = *op.getMatchingOpOperand(yielded);
    if (TypedAttr constant = constants.lookup(operand.get())) {
      constants[value] = constant;
      return success();
    }
    FailureOr<Access> source = access(op, operand);
    if (failed(source))
      return failure();
    // From loops to dimensions of the result.
    SmallVector<Index, 4> dims(op.getNumLoops());
    for (auto [i, expr] : llvm::enumerate(out.getResults()))
      dims[cast<AffineDimExpr>(expr).getPosition()] = multipleOf(i, 1);
    views[value] = source->substitute(dims);
    return success();
  }
  LogicalResult accessed = success();
  auto operandOf = [&](OpOperand &operand) {
    FailureOr<Access> result = access(op, operand);
    if (succeeded(result))
      return *result;
    accessed = failure();
    return Access();
  };
  FailureOr<Chain> chain =
      readChain(*program.machine, constants, op, operandOf);
  if (failed(chain) || failed(accessed))
    return failure();
  FailureOr<Access> stream = access(op, *chain->start);
  if (failed(stream))
    return failure();
  Group &group = addGroup(Group::Kind::Stream, op);
  addLoops(group, op);
  group.stream = std::move(*stream);
  if (failed(readPin(op, group)))
    return failure();
  group.note = op->getAttrOfType<StringAttr>(kNoteAttrName);
  group.steps = std::move(chain->steps);
  group.computeType = chain->computeType;
  define(value, group, resultOf(op));
  return success();
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

LogicalResult ProgramReader::readReturn(func::ReturnOp op) {
  for (Value value : op.getOperands()) {
    auto found = views.find(value);
    Tensor *tensor = nullptr;
    if (found != views.end() &&
        (found->second.tensor->origin == Tensor::Origin::Computed ||
         written.contains(found->second.tensor)) &&
        found->second.tensor->type == value.getType() &&
        llvm::all_of(llvm::enumerate(found->second.dims), [](auto entry) {
          return entry.value().loop() == entry.index();
        })) {
      tensor = found->second.tensor;
    } else {
      FailureOr<Tensor *> copied = copy(op, value);
      if (failed(copied))
        return failure();
      tensor = *copied;
    }
    program.results.push_back(tensor);
  }
  return success();
}

LogicalResult ProgramReader::readConstant(arith::ConstantOp op) {
  if (!isa<ShapedType>(op.getType()))
    return success();
  auto values = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!values)
    return op->emitOpError() << "has values that are not dense";
  if (!values.isSplat()) {
    views[op] = wholeOf(addConstant(values));
    return success();
  }
  auto value = dyn_cast<TypedAttr>(values.getSplatValue<Attribute>());
  if (!value)
    return op->emitOpError() << "has elements that are not single numbers";
  constants[op] = value;
  return success();
}

LogicalResult ProgramReader::readOperation(Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op);
      constant && !isa<ShapedType>(constant.getType()))
    return success();
  if (failed(checkTypes(op)))
    return failure();
  if (auto fill = dyn_cast<linalg::FillOp>(op);
      fill && fill->getNumResults() == 1) {
    Attribute value;
    if (!matchPattern(fill.value(), m_Constant(&value)) ||
        !isa<TypedAttr>(value))
      return op->emitOpError() << "fills with a value that is not a constant; "
                                  "pass a tensor instead";
    constants[fill.getResult(0)] = cast<TypedAttr>(value);
    return success();
  }
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([](tensor::EmptyOp) { return success(); })
      .Case([&](arith::ConstantOp op) { return readConstant(op); })
      .Case([&](linalg::LinalgOp op) { return readLinalg(op); })
      .Case([&](tensor::PadOp op) { return readPad(op); })
      .Case([&](tensor::ExtractSliceOp op) { return readExtractSlice(op); })
      .Case([&](tensor::InsertSliceOp op) { return readInsertSlice(op); })
      .Case([&](tensor::ExpandShapeOp op) { return readExpand(op); })
      .Case([&](tensor::CollapseShapeOp op) { return readCollapse(op); })
      .Case([&](tensor::GatherOp op) { return readGather(op); })
      .Case([&](tensor::ScatterOp op) { return readScatter(op); })
      .Case([&](func::ReturnOp op) { return readReturn(op); })
      .Default([](Operation *op) {
        return op->emitOpError()
               << "cannot be lowered to tcp, only linalg operations on "
                  "tensors, tensor.empty, pad, extract_slice, insert_slice, "
                  "expand_shape, collapse_shape, gather, scatter and "
                  "arith.constant can";
      });
}

FailureOr<Program> ProgramReader::read() {
  if (!llvm::hasSingleElement(func.getBody()))
    return func.emitOpError()
           << "has several blocks, only straight-line functions can be lowered";
  bool isRefused = false;
  for (BlockArgument argument : func.getArguments()) {
    if (failed(checkTensor(func, argument.getType(),
                           "argument " + Twine(argument.getArgNumber())))) {
      isRefused = true;
      refused.insert(argument);
      continue;
    }
    Tensor *tensor =
        program.addTensor(cast<RankedTensorType>(argument.getType()));
    tensor->origin = Tensor::Origin::Argument;
    tensor->argument = argument.getArgNumber();
    views[argument] = wholeOf(tensor);
  }
  for (Operation &op : func.getBody().front()) {
    bool follows = llvm::any_of(op.getOperands(), [&](Value operand) {
      return refused.contains(operand);
    });
    if (!follows && succeeded(readOperation(&op)))
      continue;
    isRefused = true;
    refused.insert_range(op.getResults());
  }
  if (isRefused)
    return failure();
  for (auto &group : program.groups)
    dropUnitLoops(*group);
  return std::move(program);
}

FailureOr<Program> linalg_to_tcp::readProgram(func::FuncOp func,
                                              const TcpMachine &machine,
                                              int64_t chips) {
  return ProgramReader(func, machine, chips).read();
}
