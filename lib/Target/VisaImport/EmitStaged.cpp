//===- EmitStaged.cpp - Moves by way of HBM -------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What no operation does on the chip: a tensor under other axes, clusters that
// exchange their parts. The tensor goes to HBM, its clusters and slices one
// after the other, is named anew there or moved part by part, and comes back.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "Evaluator.h"
#include "sequin/Dialect/Tcp/IR/TcpShapes.h"

using namespace sequin;
using namespace sequin::visa_import;
using Kind = Value::Kind;

/// The HBM tensor whose buffer has what is on the clusters and slices, one
/// after the other.
static TypeRef flatType(const TypeRef &tensor) {
  auto part = [&](StringRef name) {
    return "[" + getMapping(tensor, name)->str() + "]";
  };
  return makeTensor("HbmTensor",
                    {tensor->args[0], tensor->args[1],
                     makeMapping(part("Cluster") + ", " + part("Slice") + ", " +
                                 part("Element"))});
}

mlir::Value Emitter::flatten(Span place, mlir::Value source,
                             const TypeRef &type) {
  mlir::Type flat = lower(flatType(type), place);
  mlir::Operation *op =
      flat ? make<tcp::ToHbmOp>(place, flat, source,
                                named("address", builder.getI64IntegerAttr(0)))
           : nullptr;
  return op ? op->getResult(0) : mlir::Value();
}

Value Emitter::reshape(ApiCall &call) {
  // A tensor is moved away, a view is another name.
  bool isView = call.receiver.kind == Kind::View;
  TypeRef from = Emitter::typeOfTensor(call.receiver);
  std::vector<TypeRef> args = {from->args[0]};
  for (StringRef name : parametersOf("DmTensor").drop_front()) {
    auto to = mappingArg(call, name);
    if (!to)
      return {};
    auto before = sizeOf(*getMapping(from, name), call.place);
    auto after = sizeOf(*to, call.place);
    if (!before || !after)
      return {};
    if (*before != *after)
      return fail(call.place, "a reshape keeps the size of '" + name +
                                  "': it is " + llvm::Twine(*before) + ", m![" +
                                  *to + "] has " + llvm::Twine(*after));
    args.push_back(makeMapping(*to));
  }
  TypeRef type = makeTensor("DmTensor", std::move(args));
  if (isWritable(call.receiver))
    return renameMutable(call, type);
  mlir::Value source = read(call.receiver, call.place);
  mlir::Type lowered = source ? lower(type, call.place) : mlir::Type();
  if (!lowered)
    return {};
  int64_t address = call.receiver.buffer->address;
  auto tensorOf = [&](mlir::Value value) {
    Value tensor = bufferOf(value, type, call.place, address);
    if (isView) {
      tensor.kind = Kind::View;
      tensor.name = call.row->result.str();
    } else {
      call.receiver.buffer->value = nullptr;
    }
    return tensor;
  };
  if (lowered == source.getType())
    return tensorOf(source);
  // The same memory under other axes.
  mlir::Operation *op = make<tcp::BitcastOp>(call.place, lowered, source, {});
  if (!op)
    return {};
  return tensorOf(op->getResult(0));
}

mlir::Operation *Emitter::moveParts(Span place, mlir::Value from,
                                    mlir::Type part, int64_t offset,
                                    mlir::Value into, mlir::Type target,
                                    int64_t targetOffset) {
  auto steps = named("steps", builder.getDenseI64ArrayAttr({}));
  mlir::Operation *view = make<tcp::ViewOp>(
      place, part, from,
      {steps, named("offset", builder.getI64IntegerAttr(offset))});
  if (!view)
    return nullptr;
  return make<tcp::ToHbmViewOp>(
      place, into.getType(), {view->getResult(0), into},
      {steps, named("offset", builder.getI64IntegerAttr(targetOffset)),
       named("view", mlir::TypeAttr::get(target))});
}

Value Emitter::shuffleClusters(ApiCall &call) {
  putTensorFirst(call);
  auto address = addressArg(call);
  if (!address)
    return {};
  Value view = call.args[0];
  mlir::Value source = read(view, call.argPlaces[0]);
  if (!source)
    return {};
  TypeRef type = view.kind == Kind::View ? typeOfView(view) : view.buffer->type;
  auto clusters = sizeOf(*getMapping(type, "Cluster"), call.place);
  if (!clusters)
    return {};
  if (call.args[1].kind != Kind::Array ||
      call.args[1].fields.size() != size_t(*clusters))
    return fail(call.argPlaces[1],
                "a shuffle of clusters takes " + llvm::Twine(*clusters) +
                    " indices, found " + describe(call.args[1]));
  mlir::Value flat = flatten(call.place, source, type);
  TypeRef part =
      makeTensor("HbmTensor",
                 {type->args[0], type->args[1],
                  makeMapping("[" + getMapping(type, "Slice")->str() + "], [" +
                              getMapping(type, "Element")->str() + "]")});
  mlir::Type one = flat ? lower(part, call.place) : mlir::Type();
  auto step =
      one ? sizeOf(*getMapping(part, "Element"), call.place) : std::nullopt;
  if (!step)
    return {};
  mlir::Operation *op =
      make<tcp::FromAddressOp>(call.place, flat.getType(), {},
                               named("address", builder.getI64IntegerAttr(0)));
  for (auto [target, field] : llvm::enumerate(call.args[1].fields)) {
    int64_t from = field.value->integer;
    if (from < 0 || from >= *clusters)
      return fail(call.argPlaces[1], "cluster " + llvm::Twine(from) + " of " +
                                         llvm::Twine(*clusters));
    op = moveParts(call.place, flat, one, from * *step, op->getResult(0), one,
                   int64_t(target) * *step);
    if (!op)
      return {};
  }
  auto tensor = std::make_shared<Type>(*type);
  tensor->name = "DmTensor";
  op = make<tcp::ToDmOp>(call.place, source.getType(), op->getResult(0),
                         named("address", builder.getI64IntegerAttr(*address)));
  if (!op)
    return {};
  reporter.remark(call.place)
      << "the clusters exchange their parts by way of HBM";
  return bufferOf(op->getResult(0), tensor, call.place, *address);
}

Value Emitter::sliceOfClusters(ApiCall &call) {
  auto address = addressArg(call);
  auto axis = mappingArg(call, "Axis");
  auto sliced = mappingArg(call, "Sliced");
  auto element = mappingArg(call, "Element");
  mlir::Value source = read(call.args[0], call.argPlaces[0]);
  if (!address || !axis || !sliced || !element || !source)
    return {};
  TypeRef from = Emitter::typeOfTensor(call.args[0]);
  auto to = std::make_shared<Type>(*from);
  to->name = "DmTensor";
  to->args.back() = makeMapping(*element);
  auto clusters = sizeOf(*getMapping(from, "Cluster"), call.place);
  auto slices = sizeOf(*getMapping(from, "Slice"), call.place);
  auto before = sizeOf(*getMapping(from, "Element"), call.place);
  auto after = sizeOf(*element, call.place);
  auto whole = Mapping::parse(*getMapping(from, "Element"), axes.sizes());
  if (!whole) {
    llvm::consumeError(whole.takeError());
    return {};
  }
  if (!clusters || !slices || !before || !after)
    return {};
  if (call.args[1].kind != Kind::Array ||
      call.args[1].fields.size() != size_t(*clusters))
    return fail(call.argPlaces[1],
                "'" + call.row->name + "' takes " + llvm::Twine(*clusters) +
                    " indices, found " + describe(call.args[1]));
  mlir::FailureOr<tcp::TileShape> shape =
      tcp::inferTile(*whole, mappingAttr(*axis), 1, mappingAttr(*sliced),
                     [&] { return reporter.error(call.place); });
  if (mlir::failed(shape))
    return {};
  // A part: the slices of one cluster, each with its tile, or with the result.
  std::string slice = "[" + getMapping(from, "Slice")->str() + "], ";
  auto part = [&](StringRef mapping) {
    return lower(makeTensor("HbmTensor", {from->args[0], from->args[1],
                                          makeMapping(slice + mapping.str())}),
                 call.place);
  };
  mlir::Type tile =
      part("[[" + *sliced + "] # " + std::to_string(*before) + "]");
  mlir::Type target = part("[" + *element + "]");
  mlir::Value flat =
      tile && target ? flatten(call.place, source, from) : mlir::Value();
  mlir::Type result = flat ? lower(flatType(to), call.place) : mlir::Type();
  mlir::Type lowered = result ? lower(to, call.place) : mlir::Type();
  if (!lowered)
    return {};
  mlir::Operation *op = make<tcp::FromAddressOp>(
      call.place, result, {}, named("address", builder.getI64IntegerAttr(0)));
  for (auto [cluster, field] : llvm::enumerate(call.args[1].fields)) {
    int64_t index = field.value->integer;
    if (index < 0 || index >= shape->extent)
      return fail(call.argPlaces[1], "index " + llvm::Twine(index) + " of m![" +
                                         *axis + "], which has " +
                                         llvm::Twine(shape->extent));
    op = moveParts(call.place, flat, tile,
                   int64_t(cluster) * *slices * *before + index * shape->step,
                   op->getResult(0), target,
                   int64_t(cluster) * *slices * *after);
    if (!op)
      return {};
  }
  op = make<tcp::ToDmOp>(call.place, lowered, op->getResult(0),
                         named("address", builder.getI64IntegerAttr(*address)));
  if (!op)
    return {};
  reporter.remark(call.place) << "the clusters take their parts by way of HBM";
  return bufferOf(op->getResult(0), to, call.place, *address);
}

//===----------------------------------------------------------------------===//
// Tiles of chips, clusters and slices
//===----------------------------------------------------------------------===//

/// All levels of a tensor one behind the other on the first chip, or those
/// inside of each chip.
static TypeRef stagedType(const TypeRef &tensor, bool hasChips, int64_t chips) {
  std::string text;
  for (auto [name, arg] :
       llvm::drop_begin(llvm::zip(parametersOf(tensor->name), tensor->args)))
    if (name != "Chip" || hasChips)
      text += (text.empty() ? "[" : ", [") + arg->text + "]";
  return makeTensor(
      "HbmTensor",
      {tensor->args[0],
       hasChips ? makeMapping("1 # " + std::to_string(chips)) : tensor->args[1],
       makeMapping(text)});
}

bool Emitter::addTile(TypeRef &type, int64_t &offset, const Tile &tile) {
  auto next = std::make_shared<Type>(*type);
  int64_t inner = 1;
  bool isInner = false;
  std::string whole;
  for (auto [name, arg] : llvm::zip(parametersOf(type->name), next->args)) {
    if (isInner) {
      auto size = sizeOf(arg->text, tile.place);
      if (!size)
        return false;
      inner *= *size;
    }
    if (name != tile.level)
      continue;
    isInner = true;
    whole = arg->text;
    arg = makeMapping(tile.mapping);
  }
  type = next;
  // The same elements, said to be followed by more or less padding.
  if (tile.dimension.empty())
    return true;
  auto mapping = Mapping::parse(whole, axes.sizes());
  if (!mapping) {
    fail(tile.place, llvm::toString(mapping.takeError()));
    return false;
  }
  mlir::FailureOr<tcp::TileShape> shape = tcp::inferTile(
      *mapping, mappingAttr(tile.dimension), tile.size,
      mappingAttr(tile.mapping), [&] { return reporter.error(tile.place); });
  if (mlir::failed(shape))
    return false;
  int64_t start = tile.starts.front();
  if (start + tile.size > shape->extent) {
    fail(tile.place, "tile [" + llvm::Twine(start) + ", " +
                         llvm::Twine(start + tile.size) + ") of \"" +
                         tile.dimension + "\", which has " +
                         llvm::Twine(shape->extent));
    return false;
  }
  offset += start * shape->step * inner;
  return true;
}

mlir::Operation *Emitter::moveTo(Span place, const TypeRef &type,
                                 mlir::Value value) {
  mlir::Type lowered = lower(type, place);
  auto zero = named("address", builder.getI64IntegerAttr(0));
  return !lowered ? nullptr
         : mlir::isa<tcp::DmType>(lowered)
             ? make<tcp::ToDmOp>(place, lowered, value, zero)
             : make<tcp::ToHbmOp>(place, lowered, value, zero);
}

mlir::Value Emitter::stageTile(mlir::Value source, const TypeRef &type,
                               const Tile &tile) {
  bool hasChips = tile.level == "Chip";
  auto chips = sizeOf(type->args[1]->text, tile.place);
  TypeRef part = type;
  int64_t offset = 0;
  if (!chips || !addTile(part, offset, tile))
    return nullptr;
  mlir::Operation *op =
      moveTo(tile.place, stagedType(type, hasChips, *chips), source);
  mlir::Type view = lower(stagedType(part, hasChips, *chips), tile.place);
  if (op && view)
    op =
        make<tcp::ViewOp>(tile.place, view, op->getResult(0),
                          {named("steps", builder.getDenseI64ArrayAttr({})),
                           named("offset", builder.getI64IntegerAttr(offset))});
  auto tensor = std::make_shared<Type>(*part);
  StringRef name = tensor->name;
  tensor->name = name.starts_with("Dm") ? "DmTensor" : "HbmTensor";
  if (op && view)
    op = moveTo(tile.place, tensor, op->getResult(0));
  if (!op || !view)
    return nullptr;
  reporter.remark(tile.place)
      << "a part of the " << tile.level.lower() << "s is moved by way of HBM";
  return op->getResult(0);
}

bool Emitter::storeTiles(Span place, mlir::Value input,
                         const Value &destination) {
  Buffer &buffer = *destination.buffer;
  bool hasChips = llvm::any_of(
      destination.tiles, [](const Tile &tile) { return tile.level == "Chip"; });
  auto chips = sizeOf(buffer.type->args[1]->text, place);
  TypeRef part = buffer.type;
  int64_t offset = 0;
  for (const Tile &tile : destination.tiles)
    if (!addTile(part, offset, tile))
      return false;
  if (!chips)
    return false;
  TypeRef flat = stagedType(buffer.type, hasChips, *chips);
  mlir::Type lowered = lower(flat, place);
  mlir::Type view = lower(stagedType(part, hasChips, *chips), place);
  if (!lowered || !view)
    return false;
  // Memory that nothing is in yet is not read.
  bool isNew = buffer.value.getDefiningOp<tcp::FromAddressOp>() != nullptr;
  mlir::Operation *op =
      isNew ? make<tcp::FromAddressOp>(
                  place, lowered, {},
                  named("address", builder.getI64IntegerAttr(0)))
            : moveTo(place, flat, buffer.value);
  if (op)
    op = make<tcp::ToHbmViewOp>(
        place, lowered, {input, op->getResult(0)},
        {named("steps", builder.getDenseI64ArrayAttr({})),
         named("offset", builder.getI64IntegerAttr(offset)),
         named("view", mlir::TypeAttr::get(view))});
  if (op)
    op = moveTo(place, buffer.type, op->getResult(0));
  if (!op)
    return false;
  int64_t elements =
      mlir::cast<tcp::HbmType>(view).getElementMapping().validSize();
  if (!write(place, buffer, op->getResult(0), elements))
    return false;
  reporter.remark(place)
      << "a part of the chips, clusters or slices is written "
         "by way of HBM";
  return true;
}
