//===- Einsum.cpp - Programs from index notation --------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Pipelines/Einsum.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Verifier.h"
#include "sequin/Dialect/Tcp/IR/TcpDialect.h"
#include "sequin/Support/Excerpt.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace sequin;

//===----------------------------------------------------------------------===//
// Notation
//===----------------------------------------------------------------------===//

static llvm::Error checkIndices(StringRef what, StringRef indices,
                                bool mayRepeat) {
  for (auto [i, index] : llvm::enumerate(indices)) {
    if (!llvm::isAlpha(index))
      return llvm::createStringError(what + " '" + excerpt(indices) +
                                     "' has '" + Twine(index) +
                                     "', an index is a letter");
    if (!mayRepeat && indices.take_front(i).contains(index))
      return llvm::createStringError(what + " '" + excerpt(indices) +
                                     "' has index '" + Twine(index) +
                                     "' twice, each index may occur once");
  }
  return llvm::Error::success();
}

llvm::Expected<Einsum> sequin::parseEinsum(StringRef text) {
  std::string compact;
  llvm::copy_if(text, std::back_inserter(compact),
                [](char c) { return !llvm::isSpace(c); });
  auto [left, right] = StringRef(compact).split("->");
  bool hasArrow = left.size() != compact.size();
  SmallVector<StringRef, 4> operands;
  left.split(operands, ',');
  Einsum result;
  for (StringRef operand : operands) {
    if (llvm::Error e = checkIndices("operand", operand, /*mayRepeat=*/true))
      return std::move(e);
    result.operands.push_back(operand.str());
  }
  if (!hasArrow) {
    std::string all = llvm::join(result.operands, "");
    llvm::copy_if(all, std::back_inserter(result.result),
                  [&](char c) { return llvm::count(all, c) == 1; });
    llvm::sort(result.result);
    return result;
  }
  if (llvm::Error e = checkIndices("result", right, /*mayRepeat=*/false))
    return std::move(e);
  for (char index : right)
    if (llvm::none_of(result.operands, [&](const std::string &operand) {
          return StringRef(operand).contains(index);
        }))
      return llvm::createStringError("result '" + excerpt(right) +
                                     "' has index '" + Twine(index) +
                                     "', which no operand has");
  result.result = right.str();
  return result;
}

llvm::Expected<SmallVector<std::pair<char, int64_t>, 6>>
sequin::parseEinsumSizes(StringRef text) {
  SmallVector<std::pair<char, int64_t>, 6> sizes;
  SmallVector<StringRef, 6> items;
  if (!text.empty())
    text.split(items, ',');
  for (StringRef item : items) {
    auto [name, value] = item.split('=');
    name = name.trim();
    int64_t size;
    if (name.size() != 1 || !llvm::isAlpha(name[0]) ||
        value.trim().getAsInteger(10, size) || size < 1)
      return llvm::createStringError(
          "size '" + excerpt(item) +
          "' is not of the form m=512: a letter and a positive "
          "integer");
    for (auto &[other, known] : sizes)
      if (other == name[0])
        return llvm::createStringError("index '" + name + "' has two sizes, " +
                                       Twine(known) + " and " + Twine(size) +
                                       ", give it one");
    sizes.push_back({name[0], size});
  }
  return sizes;
}

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

namespace {

/// Scalar code of the bodies: conversions between element types.
struct Scalars {
  OpBuilder &builder;
  Location loc;

  Value widen(Value value, Type to) {
    if (value.getType() == to)
      return value;
    return isa<FloatType>(to)
               ? arith::ExtFOp::create(builder, loc, to, value).getResult()
               : arith::ExtSIOp::create(builder, loc, to, value).getResult();
  }

  /// Rounds floats, saturates integers. Null if there is no such conversion.
  Value convert(Value value, Type to) {
    Type from = value.getType();
    if (from == to)
      return value;
    if (isa<FloatType>(from) && isa<FloatType>(to))
      return arith::TruncFOp::create(builder, loc, to, value);
    if (!isa<IntegerType>(from))
      return {};
    if (to.isF32())
      return arith::SIToFPOp::create(builder, loc, to, value);
    if (!isa<IntegerType>(to))
      return {};
    int64_t limit = int64_t(1) << (to.getIntOrFloatBitWidth() - 1);
    auto constant = [&](int64_t n) {
      return arith::ConstantOp::create(builder, loc,
                                       builder.getIntegerAttr(from, n));
    };
    value = arith::MaxSIOp::create(builder, loc, value, constant(-limit));
    value = arith::MinSIOp::create(builder, loc, value, constant(limit - 1));
    return arith::TruncIOp::create(builder, loc, to, value);
  }
};

class ModuleBuilder {
public:
  ModuleBuilder(MLIRContext *context, const EinsumSpec &spec, Einsum einsum)
      : spec(spec), einsum(std::move(einsum)), builder(context),
        loc(FileLineColLoc::get(context, spec.text, 1, 1)) {}

  llvm::Expected<OwningOpRef<ModuleOp>> build();

private:
  llvm::Error collectSizes();
  llvm::Error chooseTypes();
  RankedTensorType tensorOf(StringRef indices, Type type) {
    SmallVector<int64_t, 4> shape;
    for (char index : indices)
      shape.push_back(sizes[loopOf(index)]);
    return RankedTensorType::get(shape, type);
  }
  unsigned loopOf(char index) { return loops.find(index); }
  AffineMap mapOf(StringRef indices) {
    SmallVector<AffineExpr, 4> exprs;
    for (char index : indices)
      exprs.push_back(builder.getAffineDimExpr(loopOf(index)));
    return AffineMap::get(loops.size(), 0, exprs, builder.getContext());
  }

  const EinsumSpec &spec;
  Einsum einsum;
  OpBuilder builder;
  Location loc;
  std::string loops; ///< every index once, in order of appearance
  SmallVector<int64_t, 6> sizes;
  SmallVector<Type, 2> operandTypes;
  Type accumulator, resultType;
};

} // namespace

llvm::Error ModuleBuilder::collectSizes() {
  for (const std::string &operand : einsum.operands)
    for (char index : operand)
      if (!StringRef(loops).contains(index))
        loops.push_back(index);
  for (char index : loops) {
    auto size = llvm::find_if(
        spec.sizes, [&](const auto &entry) { return entry.first == index; });
    if (size == spec.sizes.end())
      return llvm::createStringError("index '" + Twine(index) +
                                     "' of einsum '" + excerpt(spec.text) +
                                     "' has no size");
    if (size->second < 1)
      return llvm::createStringError("index '" + Twine(index) + "' has size " +
                                     Twine(size->second) +
                                     ", sizes are positive");
    sizes.push_back(size->second);
  }
  for (const auto &[index, size] : spec.sizes)
    if (!StringRef(loops).contains(index))
      return llvm::createStringError("size given for index '" + Twine(index) +
                                     "', which einsum '" + excerpt(spec.text) +
                                     "' does not have");
  return llvm::Error::success();
}

llvm::Error ModuleBuilder::chooseTypes() {
  size_t count = einsum.operands.size();
  if (spec.operandTypes.size() != 1 && spec.operandTypes.size() != count)
    return llvm::createStringError(
        "einsum '" + excerpt(spec.text) + "' has " + Twine(count) +
        " operands, found " + Twine(spec.operandTypes.size()) +
        " element types; give one for each or one for all");
  for (size_t i = 0; i < count; ++i) {
    ElementType type = spec.operandTypes[spec.operandTypes.size() == 1 ? 0 : i];
    if (type == ElementType::I5 || type == ElementType::I9)
      return llvm::createStringError("element type " + getName(type) +
                                     " exists in streams only");
    operandTypes.push_back(tcp::getElementType(builder.getContext(), type));
  }
  bool isFloat = isa<FloatType>(operandTypes[0]);
  for (Type type : operandTypes)
    if (isa<FloatType>(type) != isFloat)
      return llvm::createStringError(
          "einsum '" + excerpt(spec.text) +
          "' has integer and float operands, they must be of one kind");
  accumulator = isFloat ? Type(builder.getF32Type()) : builder.getI32Type();
  resultType = spec.resultType
                   ? tcp::getElementType(builder.getContext(), *spec.resultType)
                   : accumulator;
  return llvm::Error::success();
}

llvm::Expected<OwningOpRef<ModuleOp>> ModuleBuilder::build() {
  if (llvm::Error e = collectSizes())
    return std::move(e);
  if (llvm::Error e = chooseTypes())
    return std::move(e);
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  builder.setInsertionPointToEnd(module->getBody());
  SmallVector<Type, 2> inputTypes;
  for (auto [operand, type] : llvm::zip(einsum.operands, operandTypes))
    inputTypes.push_back(tensorOf(operand, type));
  Type outputType = tensorOf(einsum.result, resultType);
  auto func = func::FuncOp::create(
      builder, loc, "main", builder.getFunctionType(inputTypes, outputType));
  builder.setInsertionPointToEnd(func.addEntryBlock());

  // The sums, or products if there is nothing to sum.
  bool reduces = loops.size() != einsum.result.size();
  Type sumType = reduces ? accumulator : resultType;
  RankedTensorType sumTensor = tensorOf(einsum.result, sumType);
  Value init = tensor::EmptyOp::create(builder, loc, sumTensor.getShape(),
                                       sumTensor.getElementType());
  if (reduces) {
    Value zero = arith::ConstantOp::create(builder, loc,
                                           builder.getZeroAttr(accumulator));
    init = linalg::FillOp::create(builder, loc, zero, init).getResult(0);
  }
  SmallVector<AffineMap, 3> maps;
  for (const std::string &operand : einsum.operands)
    maps.push_back(mapOf(operand));
  maps.push_back(mapOf(einsum.result));
  SmallVector<utils::IteratorType, 6> iterators;
  for (char index : loops)
    iterators.push_back(StringRef(einsum.result).contains(index)
                            ? utils::IteratorType::parallel
                            : utils::IteratorType::reduction);
  bool converts = true;
  auto body = [&](OpBuilder &nested, Location at, ValueRange args) {
    Scalars scalars{nested, at};
    bool isFloat = isa<FloatType>(accumulator);
    Value value = scalars.widen(args[0], accumulator);
    for (size_t i = 1; i < einsum.operands.size(); ++i) {
      Value other = scalars.widen(args[i], accumulator);
      value = isFloat
                  ? arith::MulFOp::create(nested, at, value, other).getResult()
                  : arith::MulIOp::create(nested, at, value, other).getResult();
    }
    if (reduces)
      value = isFloat ? arith::AddFOp::create(nested, at, args.back(), value)
                            .getResult()
                      : arith::AddIOp::create(nested, at, args.back(), value)
                            .getResult();
    Value converted = scalars.convert(value, sumType);
    converts &= static_cast<bool>(converted);
    linalg::YieldOp::create(nested, at, converted ? converted : args.back());
  };
  Value result = linalg::GenericOp::create(builder, loc, TypeRange(sumTensor),
                                           func.getArguments(), init, maps,
                                           iterators, body)
                     .getResult(0);

  if (sumType != resultType) {
    Value empty =
        tensor::EmptyOp::create(builder, loc, sumTensor.getShape(), resultType);
    AffineMap identity = AffineMap::getMultiDimIdentityMap(
        sumTensor.getRank(), builder.getContext());
    SmallVector<utils::IteratorType, 4> parallel(sumTensor.getRank(),
                                                 utils::IteratorType::parallel);
    auto convert = [&](OpBuilder &nested, Location at, ValueRange args) {
      Value converted = Scalars{nested, at}.convert(args[0], resultType);
      converts &= static_cast<bool>(converted);
      linalg::YieldOp::create(nested, at, converted ? converted : args.back());
    };
    result = linalg::GenericOp::create(builder, loc, TypeRange(outputType),
                                       result, empty, {identity, identity},
                                       parallel, convert)
                 .getResult(0);
  }
  func::ReturnOp::create(builder, loc, result);
  if (!converts) {
    std::string text;
    llvm::raw_string_ostream(text)
        << "einsum '" << excerpt(spec.text) << "' computes in " << accumulator
        << ", which does not convert to " << resultType;
    return llvm::createStringError(text);
  }
  if (failed(verify(*module)))
    return llvm::createStringError("einsum '" + excerpt(spec.text) +
                                   "' gives an invalid program");
  return module;
}

llvm::Expected<OwningOpRef<ModuleOp>>
sequin::buildEinsumModule(MLIRContext *context, const EinsumSpec &spec) {
  llvm::Expected<Einsum> einsum = parseEinsum(spec.text);
  if (!einsum)
    return einsum.takeError();
  context->loadDialect<arith::ArithDialect, func::FuncDialect,
                       linalg::LinalgDialect, tensor::TensorDialect>();
  return ModuleBuilder(context, spec, std::move(*einsum)).build();
}
