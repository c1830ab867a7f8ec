//===- Specialise.cpp - Programs for the parameters of their PEs ----------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Specialise.h"
#include "CodeContext.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "sequin/Dialect/Csl/Transforms/RunningConstants.h"
#include "llvm/ADT/BitVector.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::csl_to_wafer;

Attribute csl_to_wafer::getParameterValue(csl::TileCodeOp tile,
                                          csl::ParamOp param, int64_t x,
                                          int64_t y) {
  Attribute value;
  if (DictionaryAttr given = tile.getParamsAttr())
    value = given.get(param.getSymName());
  if (!value)
    value = param.getDefaultValueAttr();
  if (auto map = dyn_cast_or_null<AffineMapAttr>(value)) {
    llvm::SmallVector<Attribute> results;
    Builder builder(param.getContext());
    Attribute place[] = {builder.getIndexAttr(x), builder.getIndexAttr(y)};
    if (failed(map.getValue().constantFold(place, results)))
      return {};
    return results.front();
  }
  if (auto elements = dyn_cast_or_null<ElementsAttr>(value)) {
    csl::RegionAttr region = tile.getRegion();
    int64_t place =
        (y - region.getYBegin()) / region.getYStep() * region.getWidth() +
        (x - region.getXBegin()) / region.getXStep();
    return elements.getValues<Attribute>()[place];
  }
  return value;
}

namespace {
/// One program and the PEs that have it.
class Specialiser {
public:
  explicit Specialiser(csl::ProgramOp program) : program(program) {
    params = llvm::to_vector(program.getOps<csl::ParamOp>());
  }

  void add(csl::TileCodeOp tile, int64_t x, int64_t y, size_t place);
  void run(Specialisation &out);

private:
  void findQuestions();
  bool isComptime(Operation *op) const;
  /// The values of `ordered` for those of the parameters; null where one is not
  /// known.
  std::vector<Attribute> evaluate(ArrayRef<Attribute> vector);
  /// PEs that answer alike.
  struct Part {
    std::vector<size_t> vectors; ///< in `order`
    std::vector<size_t> places;
    csl::ProgramOp program;
    std::unique_ptr<IRMapping> mapping; ///< null: the program itself
  };
  void bind(const Part &part, Specialisation &out);

  csl::ProgramOp program;
  llvm::SmallVector<csl::ParamOp> params;
  /// The values of the parameters at each PE, and its place in the rectangle.
  std::map<std::vector<Attribute>, std::vector<size_t>,
           bool (*)(const std::vector<Attribute> &,
                    const std::vector<Attribute> &)>
      pes{[](const std::vector<Attribute> &a, const std::vector<Attribute> &b) {
        return std::lexicographical_compare(
            a.begin(), a.end(), b.begin(), b.end(),
            [](Attribute left, Attribute right) {
              return left.getAsOpaquePointer() < right.getAsOpaquePointer();
            });
      }};
  /// The same in the order of the first PE.
  std::vector<const std::vector<Attribute> *> order;
  /// Constants, parameters and what is computed of them alone, operands first;
  /// of values that are computed alike one, and the place of each.
  std::vector<Value> ordered;
  llvm::DenseMap<Value, size_t> numbers;
  /// By place: the value if it is the same everywhere, and whether another one
  /// has to be worked out.
  std::vector<Attribute> constants;
  llvm::BitVector isAsked;
  /// What running code makes of parameters alone, and what of that it branches
  /// by: bools, and the numbers of switches.
  llvm::SetVector<Value> made, questions;
  /// By vector of `order`: what `made` is there.
  std::vector<std::vector<Attribute>> madeOf;
};
} // namespace

/// The value as an attribute of the parameter's type, where that is a number.
static Attribute typed(Attribute value, Type type) {
  auto number = dyn_cast_or_null<IntegerAttr>(value);
  auto integer = dyn_cast<IntegerType>(type);
  if (!number || !integer)
    return value;
  return IntegerAttr::get(type,
                          number.getValue().zextOrTrunc(integer.getWidth()));
}

void Specialiser::add(csl::TileCodeOp tile, int64_t x, int64_t y,
                      size_t place) {
  std::vector<Attribute> vector;
  for (csl::ParamOp param : params)
    vector.push_back(
        typed(getParameterValue(tile, param, x, y), param.getType()));
  auto [entry, isNew] = pes.try_emplace(std::move(vector));
  entry->second.push_back(place);
  if (isNew)
    order.push_back(&entry->first);
}

/// Whether parameters and constants alone make a number. Operands are seen
/// before.
bool Specialiser::isComptime(Operation *op) const {
  if (op->getNumResults() != 1 ||
      !isa<IntegerType, IndexType, FloatType>(op->getResult(0).getType()))
    return false;
  if (isa<csl::GetParamOp>(op) || matchPattern(op, m_Constant()))
    return true;
  return isa<arith::ArithDialect>(op->getDialect()) &&
         llvm::all_of(op->getOperands(),
                      [&](Value operand) { return numbers.contains(operand); });
}

void Specialiser::findQuestions() {
  using Computation =
      std::tuple<const void *, const void *, const void *, std::vector<size_t>>;
  std::map<Computation, size_t> known;
  for (auto function : program.getOps<FunctionOpInterface>())
    function->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isComptime(op)) {
        Value value = op->getResult(0);
        std::vector<size_t> operands;
        for (Value operand : op->getOperands())
          operands.push_back(numbers.lookup(operand));
        auto [entry, isNew] = known.try_emplace(
            Computation(op->getName().getAsOpaquePointer(),
                        op->getAttrDictionary().getAsOpaquePointer(),
                        value.getType().getAsOpaquePointer(),
                        std::move(operands)),
            ordered.size());
        numbers[value] = entry->second;
        if (isNew) {
          ordered.push_back(value);
          Attribute &constant = constants.emplace_back();
          (void)matchPattern(op, m_Constant(&constant));
        }
        return;
      }
      for (Value operand : op->getOperands()) {
        if (!numbers.contains(operand) || matchPattern(operand, m_Constant()))
          continue;
        if (!isa<csl::GetParamOp>(operand.getDefiningOp()))
          made.insert(operand);
        if (operand.getType().isInteger(1) ||
            isa<scf::IndexSwitchOp, cf::SwitchOp>(op))
          questions.insert(operand);
      }
    });
  isAsked.resize(ordered.size());
  for (Value value : llvm::concat<const Value>(made, questions))
    isAsked.set(numbers.lookup(value));
  for (size_t i = ordered.size(); i-- > 0;)
    if (isAsked[i])
      for (Value operand : ordered[i].getDefiningOp()->getOperands())
        isAsked.set(numbers.lookup(operand));
}

/// What an operation makes of known operands.
static Attribute fold(Operation *op, ArrayRef<Attribute> operands) {
  if (csl::isAboutIndices(op))
    return csl::foldIndex(op, operands);
  // Folding may change the operation.
  Operation *copy = op->clone();
  llvm::SmallVector<OpFoldResult> results;
  Attribute result;
  if (succeeded(copy->fold(operands, results)) && results.size() == 1) {
    result = dyn_cast<Attribute>(results.front());
    if (auto same = dyn_cast<Value>(results.front()))
      for (auto [operand, number] : llvm::zip(copy->getOperands(), operands))
        if (operand == same)
          result = number;
  }
  copy->destroy();
  // Running code makes the canonical NaN.
  if (auto number = dyn_cast_or_null<FloatAttr>(result);
      number && number.getValue().isNaN() &&
      isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp,
          arith::ExtFOp, arith::TruncFOp>(op))
    result = FloatAttr::get(
        number.getType(),
        APFloat::getQNaN(
            cast<FloatType>(number.getType()).getFloatSemantics()));
  return result;
}

std::vector<Attribute> Specialiser::evaluate(ArrayRef<Attribute> vector) {
  llvm::DenseMap<StringAttr, Attribute> values;
  for (auto [param, value] : llvm::zip(params, vector))
    values[param.getSymNameAttr()] = value;
  std::vector<Attribute> result = constants;
  for (unsigned place : isAsked.set_bits()) {
    Attribute &number = result[place];
    if (number)
      continue;
    Operation *op = ordered[place].getDefiningOp();
    if (auto get = dyn_cast<csl::GetParamOp>(op)) {
      number = values.lookup(get.getParamAttr().getAttr());
      continue;
    }
    llvm::SmallVector<Attribute> operands;
    for (Value operand : op->getOperands())
      operands.push_back(result[numbers.lookup(operand)]);
    if (!llvm::is_contained(operands, Attribute()))
      number = fold(op, operands);
  }
  return result;
}

/// A constant of an id or number; null if there is none of the type.
static Value makeConstant(OpBuilder &builder, Location loc, Attribute value,
                          Type type) {
  if (isa<csl::ColorType, csl::InputQueueType, csl::OutputQueueType,
          csl::DataTaskIdType, csl::LocalTaskIdType, csl::ControlTaskIdType,
          csl::UtIdType, csl::DirectionType>(type)) {
    auto number = dyn_cast<IntegerAttr>(value);
    if (!number)
      return {};
    int64_t id = number.getValue().getZExtValue() & 0xffff;
    return csl::ConstantOp::create(builder, loc, type, id);
  }
  auto number = dyn_cast<TypedAttr>(value);
  if (!number || number.getType() != type ||
      !isa<IntegerType, IndexType, FloatType>(type))
    return {};
  return arith::ConstantOp::create(builder, loc, number);
}

/// What is alike at all PEs of a part becomes a constant, what else is made of
/// parameters one of its own.
void Specialiser::bind(const Part &part, Specialisation &out) {
  auto mine = [&](Value value) {
    return part.mapping ? part.mapping->lookup(value) : value;
  };
  std::vector<std::vector<Attribute>> values;
  for (size_t i = 0; i < made.size(); ++i) {
    std::vector<Attribute> &all = values.emplace_back();
    for (size_t vector : part.vectors)
      all.push_back(madeOf[vector][i]);
  }
  llvm::SmallVector<std::pair<Value, Attribute>> known;
  for (auto [index, param] : llvm::enumerate(params)) {
    Attribute common = (*order[part.vectors.front()])[index];
    if (!common || !llvm::all_of(part.vectors, [&, at = index](size_t vector) {
          return (*order[vector])[at] == common;
        }))
      continue;
    for (auto function : program.getOps<FunctionOpInterface>())
      function->walk([&](csl::GetParamOp get) {
        if (get.getParam() == param.getSymName())
          known.emplace_back(get.getResult(), common);
      });
  }
  unsigned count = 0;
  for (auto [value, all] : llvm::zip(made, values)) {
    if (!llvm::all_of(all, [](Attribute number) { return bool(number); }))
      continue;
    if (llvm::all_equal(all)) {
      known.emplace_back(value, all.front());
      continue;
    }
    Value old = mine(value);
    Type type = old.getType();
    std::vector<uint64_t> bits;
    for (Attribute number : all)
      if (std::optional<uint64_t> each = getBits(number, type))
        bits.push_back(*each);
    if (bits.size() != all.size())
      continue;
    OpBuilder builder(old.getDefiningOp());
    std::string symbol = "derived." + std::to_string(count++);
    // An index of a PE has 32 bits.
    Type held = type.isIndex() ? builder.getI32Type() : type;
    Value read = csl::GetParamOp::create(builder, old.getLoc(), held, symbol);
    if (held != type)
      read = arith::IndexCastOp::create(builder, old.getLoc(), type, read);
    old.replaceAllUsesWith(read);
    csl::ProgramOp in = part.program;
    Operation *last = nullptr;
    for (auto param : in.getOps<csl::ParamOp>())
      last = param;
    builder.setInsertionPointAfter(last);
    auto declared =
        csl::ParamOp::create(builder, old.getLoc(), symbol, held, TypedAttr());
    declared->setAttr(kDerived, builder.getUnitAttr());
    // The vectors' PEs follow each other.
    size_t place = 0;
    for (auto [vector, number] : llvm::zip(part.vectors, bits))
      for (size_t i = 0; i < pes.at(*order[vector]).size(); ++i)
        out.derived[part.places[place++]].push_back(number);
  }
  for (auto [value, number] : known) {
    Value old = mine(value);
    OpBuilder builder(old.getDefiningOp());
    if (Value constant =
            makeConstant(builder, old.getLoc(), number, old.getType()))
      old.replaceAllUsesWith(constant);
  }
}

void Specialiser::run(Specialisation &out) {
  if (!params.empty())
    findQuestions();
  // None where the answer is not known.
  std::map<std::vector<std::optional<int64_t>>, size_t> partOf;
  std::vector<Part> parts;
  for (auto [index, vector] : llvm::enumerate(order)) {
    std::vector<Attribute> values = evaluate(*vector);
    std::vector<std::optional<int64_t>> key;
    for (Value question : questions) {
      auto answer =
          dyn_cast_or_null<IntegerAttr>(values[numbers.lookup(question)]);
      key.push_back(answer ? std::optional(answer.getValue().getSExtValue())
                           : std::nullopt);
    }
    std::vector<Attribute> &here = madeOf.emplace_back();
    for (Value value : made)
      here.push_back(values[numbers.lookup(value)]);
    auto [entry, isNew] = partOf.try_emplace(std::move(key), parts.size());
    if (isNew)
      parts.emplace_back();
    Part &part = parts[entry->second];
    part.vectors.push_back(index);
    llvm::append_range(part.places, pes.at(*vector));
  }
  OpBuilder builder(program->getContext());
  for (size_t i = parts.size(); i-- > 0;) {
    if (i == 0) {
      parts[i].program = program;
      continue;
    }
    parts[i].mapping = std::make_unique<IRMapping>();
    builder.setInsertionPointAfter(program);
    parts[i].program = cast<csl::ProgramOp>(
        builder.clone(*program.getOperation(), *parts[i].mapping));
  }
  // The program itself comes last: the others are made from its values.
  for (Part &part : llvm::reverse(parts)) {
    if (!params.empty())
      bind(part, out);
    for (size_t place : part.places)
      out.programs[place] = part.program;
  }
}

Specialisation csl_to_wafer::specialise(ModuleOp module, csl::LayoutOp layout) {
  Specialisation out;
  out.programs.resize(layout.getWidth() * layout.getHeight());
  out.derived.resize(out.programs.size());
  llvm::MapVector<Operation *, std::unique_ptr<Specialiser>> all;
  for (auto tile : layout.getOps<csl::TileCodeOp>()) {
    auto program = cast<csl::ProgramOp>(
        SymbolTable::lookupNearestSymbolFrom(module, tile.getProgramAttr()));
    std::unique_ptr<Specialiser> &specialiser = all[program];
    if (!specialiser)
      specialiser = std::make_unique<Specialiser>(program);
    tile.getRegion().forEach([&](int64_t x, int64_t y) {
      specialiser->add(tile, x, y, y * layout.getWidth() + x);
    });
  }
  for (auto &[program, specialiser] : all)
    specialiser->run(out);
  return out;
}
