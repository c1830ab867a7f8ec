//===- EmitIndirect.cpp - Gather and scatter ------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The manual's indirect moves take byte offsets: an index tensor holds, for
// each row that is moved, where the row begins in the table. The dialect's
// operations take row numbers, so offsets are divided by the bytes of a row
// first, by a pass that shifts them.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "Evaluator.h"
#include "HostLayout.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <set>

using namespace sequin;
using namespace sequin::visa_import;
using Kind = Value::Kind;

/// The axes that a tensor's mappings walk.
static std::set<std::string> axesOf(const TypeRef &tensor,
                                    const AxisSizes &sizes) {
  std::set<std::string> names;
  for (const TypeRef &arg : tensor->args) {
    if (arg->kind != Type::Kind::Mapping)
      continue;
    auto mapping = Mapping::parse(arg->text, sizes);
    if (!mapping) {
      llvm::consumeError(mapping.takeError());
      continue;
    }
    llvm::SmallVector<llvm::ArrayRef<Factor>> lists = {mapping->factors()};
    for (size_t i = 0; i < lists.size(); ++i)
      for (const Factor &factor : lists[i]) {
        if (factor.kind == Factor::Kind::Axis)
          names.insert(factor.base);
        else if (factor.composite)
          lists.push_back(factor.composite->factors);
      }
  }
  return names;
}

/// Positions of an axis that mappings walk from its first one on.
static int64_t walkedOf(const TypeRef &tensor, StringRef axis,
                        const AxisSizes &sizes) {
  int64_t walked = 1;
  for (const TypeRef &arg : tensor->args) {
    if (arg->kind != Type::Kind::Mapping)
      continue;
    auto mapping = Mapping::parse(arg->text, sizes);
    if (mapping)
      for (const Factor &factor : mapping->factors())
        if (factor.kind == Factor::Kind::Axis && factor.base == axis)
          walked = std::max(walked, factor.stride * factor.extent);
    llvm::consumeError(mapping.takeError());
  }
  return walked;
}

/// The tensor's type with another text for an axis.
static TypeRef withAxis(const TypeRef &tensor, StringRef axis, StringRef by) {
  auto type = std::make_shared<Type>(*tensor);
  for (TypeRef &arg : type->args) {
    if (arg->kind != Type::Kind::Mapping)
      continue;
    std::string text;
    StringRef rest = arg->text;
    while (!rest.empty()) {
      StringRef word =
          rest.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
      text += word == axis ? by : word.empty() ? rest.take_front() : word;
      rest = rest.drop_front(std::max<size_t>(word.size(), 1));
    }
    arg = makeMapping(text);
  }
  return type;
}

std::pair<TypeRef, TypeRef> Emitter::splitRows(const TypeRef &table,
                                               const TypeRef &other) {
  std::pair<TypeRef, TypeRef> same(table, other);
  std::set<std::string> shared = axesOf(other, axes.sizes());
  std::optional<std::string> split;
  int64_t inner = 0, size = 0;
  for (const std::string &axis : axesOf(table, axes.sizes())) {
    // Some axis is indexed as a whole.
    if (shared.count(axis) == 0)
      return same;
    int64_t all = walkedOf(table, axis, axes.sizes());
    int64_t part = walkedOf(other, axis, axes.sizes());
    if (part >= all)
      continue;
    if (split || all % part != 0)
      return same;
    split = axis;
    inner = part;
    size = all;
  }
  if (!split)
    return same;
  std::string group = axes.addPart(*split, "group", size / inner);
  std::string within = axes.addPart(*split, "within", inner);
  // All of the program has the same axes.
  mlir::Operation *top = builder.getInsertionBlock()->getParentOp();
  while (top->getParentOp())
    top = top->getParentOp();
  mlir::AttrTypeReplacer replacer;
  stream::AxesAttr now = axes.getAttr(context());
  replacer.addReplacement([=](stream::AxesAttr) { return now; });
  replacer.recursivelyReplaceElementsIn(top, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
  std::string both = "[" + group + ", " + within + "]";
  return {withAxis(table, *split, both), withAxis(other, *split, both)};
}

std::optional<std::pair<std::string, int64_t>>
Emitter::indexedAxis(const TypeRef &table, const TypeRef &other, Span place) {
  std::set<std::string> indexed = axesOf(table, axes.sizes());
  for (const std::string &axis : axesOf(other, axes.sizes()))
    indexed.erase(axis);
  if (indexed.size() != 1) {
    std::string names = llvm::join(indexed, ", ");
    fail(place, "rows are found along the one axis that the table has and the "
                "other tensor does not, found " +
                    (names.empty() ? "none" : names));
    return std::nullopt;
  }
  const std::string &axis = *indexed.begin();
  StringRef text = *getMapping(table, "Element");
  auto mapping = Mapping::parse(text, axes.sizes());
  mlir::Type element = elementType(table->args[0], place);
  if (!mapping || !element) {
    llvm::consumeError(mapping.takeError());
    return std::nullopt;
  }
  // An offset counts the elements of rows, wherever these lie.
  int64_t rows = 1;
  for (const Factor &factor : mapping->factors())
    if (factor.kind == Factor::Kind::Axis && factor.base == axis)
      rows *= factor.valid;
  int64_t bits = getBitWidth(*tcp::getElementKind(element)) *
                 (mapping->validSize() / rows);
  if (mapping->validSize() % rows == 0 && bits % 8 == 0)
    return std::pair(axis, bits / 8);
  fail(place, "a row along '" + axis + "' of m![" + text + "] has " +
                  llvm::Twine(bits) + " bits, no whole bytes");
  return std::nullopt;
}

mlir::Value Emitter::rowNumbers(Span place, const Value &index, int64_t bytes,
                                const TypeRef &grid) {
  mlir::Value offsets = read(index, place);
  if (!offsets || bytes == 1)
    return offsets;
  TypeRef type = Emitter::typeOfTensor(index);
  std::string element = *getMapping(type, "Element") == "1"
                            ? "1"
                            : "[" + getMapping(type, "Element")->str() + "]";
  auto size = sizeOf(element, place);
  auto clusters = sizeOf(*getMapping(grid, "Cluster"), place);
  auto slices = sizeOf(*getMapping(grid, "Slice"), place);
  if (!size || !clusters || !slices)
    return nullptr;
  constexpr int64_t kLanes = 8;
  if (*size % kLanes != 0)
    element = "[" + element + " # " +
              std::to_string(llvm::alignTo(*size, kLanes)) + "]";
  TypeRef dm =
      makeTensor("DmTensor", {type->args[0], type->args[1],
                              makeMapping("1 # " + std::to_string(*clusters)),
                              makeMapping("1 # " + std::to_string(*slices)),
                              makeMapping(element)});
  mlir::Type lowered = lower(dm, place);
  auto zero = named("address", builder.getI64IntegerAttr(0));
  mlir::Operation *op =
      lowered ? make<tcp::ToDmOp>(place, lowered, offsets, zero) : nullptr;
  auto next = [&](mlir::Operation *made) {
    op = made;
    return op != nullptr;
  };
  auto main = named("execution_context",
                    tcp::ContextAttr::get(&context(), tcp::Context::Main));
  Attributes flits = {mapping("time", element + " / 8"),
                      mapping("packet", element + " % 8")};
  Attributes words = flits;
  words.push_back(
      named("element_type", mlir::TypeAttr::get(builder.getI32Type())));
  auto unconditional =
      named("mode", tcp::BranchModeAttr::get(&context(),
                                             tcp::BranchMode::Unconditional));
  auto operation = [&](tcp::FxpOp op, int32_t operand) {
    return Attributes{
        named("op", tcp::FxpOpAttr::get(&context(), op)),
        named("sources",
              builder.getArrayAttr(builder.getI32IntegerAttr(operand)))};
  };
  // Multiples of an odd number are divided by it when they are multiplied by
  // its inverse modulo 2^32; the power of two is shifted out.
  int64_t odd = bytes >> llvm::countr_zero(uint64_t(bytes));
  uint32_t inverse = 1;
  for (int i = 0; i < 5; ++i)
    inverse *= 2 - uint32_t(odd) * inverse;
  Attributes multiply = operation(tcp::FxpOp::MulInt, int32_t(inverse));
  Attributes shift = operation(tcp::FxpOp::LogicRightShift,
                               llvm::countr_zero(uint64_t(bytes)));
  auto value = [&] { return op->getResult(0); };
  bool good =
      op && next(infer<tcp::BeginOp>(place, value(), main)) &&
      next(infer<tcp::FetchOp>(place, value(), words)) &&
      next(infer<tcp::CollectOp>(place, value(), flits)) &&
      next(infer<tcp::VectorInitOp>(place, value(), {})) &&
      next(infer<tcp::VectorIntraSliceBranchOp>(place, value(),
                                                unconditional)) &&
      (odd == 1 || next(infer<tcp::VectorFxpOp>(place, value(), multiply))) &&
      (odd == bytes || next(infer<tcp::VectorFxpOp>(place, value(), shift))) &&
      next(infer<tcp::VectorFinalOp>(place, value(), {})) &&
      next(infer<tcp::CommitOp>(place, value(),
                                {zero, mapping("element", element)})) &&
      next(make<tcp::ToHbmOp>(place, offsets.getType(), value(), zero));
  if (!good)
    return nullptr;
  reporter.remark(place) << "divides the byte offsets by " << bytes
                         << ", the bytes of a row, in a pass of its own";
  return value();
}

mlir::Value Emitter::rowsFromDm(Span place, const Value &index) {
  TypeRef type = Emitter::typeOfTensor(index);
  mlir::Value source = read(index, place);
  if (!source)
    return nullptr;
  // Without what is padding on chip: HBM holds the numbers alone.
  std::string text;
  for (StringRef name : {"Cluster", "Slice", "Element"})
    text += (text.empty() ? "[" : ", [") + getMapping(type, name)->str() + "]";
  auto whole = Mapping::parse(text, axes.sizes());
  if (!whole) {
    fail(place, llvm::toString(whole.takeError()));
    return nullptr;
  }
  mlir::Type lowered =
      lower(makeTensor("HbmTensor", {type->args[0], type->args[1],
                                     makeMapping(hostMapping(*whole))}),
            place);
  mlir::Operation *op =
      lowered
          ? make<tcp::ToHbmOp>(place, lowered, source,
                               named("address", builder.getI64IntegerAttr(0)))
          : nullptr;
  if (!op)
    return nullptr;
  reporter.remark(place) << "moves the row numbers to HBM, where the DMA "
                            "engine reads them";
  return op->getResult(0);
}

bool Emitter::fitsScratchpad(ApiCall &call, const Value &index) {
  TypeRef type = Emitter::typeOfTensor(index);
  int64_t bytes = sizeof(int32_t);
  for (StringRef name : {"Cluster", "Slice", "Element"}) {
    auto mapping = Mapping::parse(*getMapping(type, name), axes.sizes());
    if (mapping)
      bytes *= mapping->validSize();
    llvm::consumeError(mapping.takeError());
  }
  if (bytes <= scratchpadBytes)
    return true;
  fail(call.argPlaces[0],
       "the index of '" + call.row->name + "' has " + llvm::Twine(bytes) +
           " bytes, a scratchpad holds " + llvm::Twine(scratchpadBytes) +
           "; take byte offsets from HBM, or a part of the index at a time");
  return false;
}

mlir::Value Emitter::rowsOf(ApiCall &call, bool isScaled, int64_t bytes,
                            const TypeRef &grid) {
  const Value &index = call.args[0];
  if (index.kind != Kind::Tensor && index.kind != Kind::View) {
    fail(call.argPlaces[0], "'" + call.row->name +
                                "' takes a tensor of indices, found " +
                                describe(index));
    return nullptr;
  }
  bool isDm = StringRef(index.buffer->type->name).starts_with("Dm");
  if (call.row->releases == ast::Releases::V06 && isDm == isScaled) {
    fail(call.argPlaces[0], "'" + call.row->name + "' takes a " +
                                (isScaled ? "HbmTensor" : "DmTensor") +
                                ", found " + describe(index));
    return nullptr;
  }
  if (isDm)
    return fitsScratchpad(call, index) ? rowsFromDm(call.argPlaces[0], index)
                                       : mlir::Value();
  return rowNumbers(call.argPlaces[0], index, isScaled ? bytes : 1, grid);
}

Value Emitter::gather(ApiCall &call) {
  auto address = addressArg(call);
  if (!address)
    return {};
  TypeRef table = Emitter::typeOfTensor(call.receiver);
  std::vector<TypeRef> args = {table->args[0], table->args[1]};
  for (StringRef name : {"Cluster", "Slice", "Element"}) {
    auto mapping = mappingArg(call, name);
    if (!mapping)
      return {};
    args.push_back(makeMapping(*mapping));
  }
  TypeRef type = makeTensor("DmTensor", std::move(args));
  auto [rowTable, rowType] = splitRows(table, type);
  auto axis = indexedAxis(rowTable, rowType, call.place);
  mlir::Type lowered = axis ? lower(rowType, call.place) : mlir::Type();
  mlir::Type tableType = lowered ? lower(rowTable, call.place) : mlir::Type();
  if (!tableType)
    return {};
  mlir::Value rows =
      rowsOf(call, !call.row->name.ends_with("_unscaled"), axis->second, type);
  mlir::Value source = rows ? read(call.receiver, call.place) : mlir::Value();
  source = source ? nameAnew(call.place, tableType, source) : source;
  if (!source)
    return {};
  mlir::Operation *op = make<tcp::GatherOp>(
      call.place, lowered, {source, rows},
      {named("axis", builder.getStringAttr(axis->first)),
       named("address", builder.getI64IntegerAttr(*address))});
  mlir::Type wanted = op ? lower(type, call.place) : mlir::Type();
  mlir::Value result =
      wanted ? nameAnew(call.place, wanted, op->getResult(0)) : mlir::Value();
  return result ? bufferOf(result, type, call.place, *address) : Value();
}

bool Emitter::checkKey(ApiCall &call, const TypeRef &source) {
  auto key = call.types.find("Key");
  if (key == call.types.end() || call.row->releases != ast::Releases::V06)
    return true;
  TypeRef outside =
      makeTensor("HbmTensor", {source->args[0], getParameter(source, "Chip"),
                               getParameter(source, "Cluster")});
  TypeRef inside =
      makeTensor("HbmTensor", {source->args[0], getParameter(source, "Slice"),
                               getParameter(source, "Element")});
  std::set<std::string> spread = axesOf(outside, axes.sizes());
  std::set<std::string> held = axesOf(inside, axes.sizes());
  TypeRef keys = makeTensor("HostTensor", {source->args[0], key->second});
  for (const std::string &axis : axesOf(keys, axes.sizes()))
    if (spread.count(axis) != 0 || held.count(axis) == 0) {
      fail(call.place, "axis '" + axis + "' of the key m![" +
                           key->second->text +
                           "] is not in the slices and elements of the source "
                           "alone");
      return false;
    }
  return true;
}

Value Emitter::scatter(ApiCall &call) {
  const Value &destination = call.args[1];
  if (destination.kind != Kind::Tensor || !destination.buffer->value ||
      !mlir::isa<tcp::HbmType>(destination.buffer->value.getType()))
    return fail(call.argPlaces[1], "'dma_scatter' writes to an HbmTensor, "
                                   "found " +
                                       describe(destination));
  // Release 0.6 says it by the name.
  bool isScaled = !call.row->name.ends_with("_unscaled");
  if (call.args.size() > 2) {
    if (call.args[2].kind != Kind::Bool)
      return fail(call.argPlaces[2],
                  "whether offsets are scaled is a bool, found " +
                      describe(call.args[2]));
    isScaled = call.args[2].boolean;
  }
  TypeRef source = Emitter::typeOfTensor(call.receiver);
  if (!checkKey(call, source))
    return {};
  auto [rowTable, rowSource] = splitRows(destination.buffer->type, source);
  auto axis = indexedAxis(rowTable, rowSource, call.place);
  mlir::Type from = axis ? lower(rowSource, call.place) : mlir::Type();
  mlir::Type into = from ? lower(rowTable, call.place) : mlir::Type();
  if (!into)
    return {};
  mlir::Value rows = rowsOf(call, isScaled, axis->second, source);
  mlir::Value input = rows ? read(call.receiver, call.place) : mlir::Value();
  input = input ? nameAnew(call.place, from, input) : input;
  mlir::Value old =
      input ? read(destination, call.argPlaces[1]) : mlir::Value();
  mlir::Type type = old ? old.getType() : mlir::Type();
  old = old ? nameAnew(call.place, into, old) : old;
  if (!old)
    return {};
  mlir::Operation *op =
      make<tcp::ScatterOp>(call.place, old.getType(), {input, rows, old},
                           named("axis", builder.getStringAttr(axis->first)));
  mlir::Value result =
      op ? nameAnew(call.place, type, op->getResult(0)) : mlir::Value();
  return result && write(call.place, *destination.buffer, result, 1)
             ? makeUnit()
             : Value();
}
