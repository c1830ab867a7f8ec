//===- EmitMemory.cpp - Tensors, views and moves --------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "Evaluator.h"
#include "sequin/Dialect/Tcp/IR/TcpShapes.h"

using namespace sequin;
using namespace sequin::visa_import;
using Kind = Value::Kind;

Value Emitter::bufferOf(mlir::Value value, TypeRef type, Span made,
                        int64_t address) {
  Value tensor;
  tensor.kind = Kind::Tensor;
  tensor.buffer = std::make_shared<Buffer>();
  tensor.buffer->type = std::move(type);
  tensor.buffer->value = value;
  tensor.buffer->made = made;
  tensor.buffer->address = address;
  return tensor;
}

Value Emitter::fromAddress(const TypeRef &type, int64_t address, Span place) {
  if (address < 0)
    return fail(place, "an address begins at 0, found " + llvm::Twine(address));
  mlir::Type lowered = lower(type, place);
  if (!lowered)
    return {};
  mlir::Operation *op = make<tcp::FromAddressOp>(
      place, lowered, {}, named("address", builder.getI64IntegerAttr(address)));
  return op ? bufferOf(op->getResult(0), type, place, address) : Value();
}

void Emitter::replace(Buffer &buffer, mlir::Value value) {
  write(buffer.made, buffer, value, INT64_MAX / 4 - buffer.written);
}

mlir::Value Emitter::nameAnew(Span place, mlir::Type type, mlir::Value value) {
  if (type == value.getType())
    return value;
  mlir::Operation *op =
      mlir::isa<tcp::DmType>(type)
          ? make<tcp::BitcastOp>(place, type, value, {})
          : make<tcp::ViewOp>(place, type, value,
                              {named("steps", builder.getDenseI64ArrayAttr({})),
                               named("offset", builder.getI64IntegerAttr(0))});
  return op ? op->getResult(0) : mlir::Value();
}

mlir::Value Emitter::write(Span place, Buffer &buffer, mlir::Value value,
                           int64_t elements) {
  buffer.value = value;
  buffer.written += elements;
  if (!buffer.base)
    return value;
  mlir::Type type = buffer.base->value.getType();
  mlir::Value named = nameAnew(place, type, value);
  return named && write(place, *buffer.base, named, elements) ? value
                                                              : mlir::Value();
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

Value Emitter::view(ApiCall &call, bool isMut) {
  Value view;
  view.kind = Kind::View;
  view.name = call.row->result.str();
  view.buffer = call.receiver.buffer;
  view.tiles = call.receiver.tiles;
  return view;
}

/// A dimension that is a tile already is named by the digit that it is a part
/// of: "B" for "B = 4 # 16".
std::string Emitter::wholeDigit(StringRef index) const {
  auto mapping = Mapping::parse(index, axes.sizes());
  if (!mapping) {
    llvm::consumeError(mapping.takeError());
    return index.str();
  }
  llvm::ArrayRef<Factor> factors = mapping->factors();
  if (factors.size() != 1 || factors[0].kind != Factor::Kind::Axis ||
      !factors[0].isPadded() || factors[0].first != 0 || factors[0].offset != 0)
    return index.str();
  const Factor &digit = factors[0];
  std::string text = digit.base;
  if (digit.stride != 1)
    text += " / " + std::to_string(digit.stride);
  if (digit.stride * digit.extent < digit.baseSize)
    text += " % " + std::to_string(digit.extent);
  return text;
}

Value Emitter::tile(ApiCall &call, StringRef level) {
  StringRef parameter = level;
  auto index = mappingArg(call, "Index");
  auto length = constantArg(call, "LENGTH");
  auto mapping = mappingArg(call, parameter);
  if (!index || !length || !mapping)
    return {};
  const Value &start = call.args.front();
  if (start.kind != Kind::Int)
    return fail(call.argPlaces.front(),
                "a tile starts at an integer, found " + describe(start));
  if (start.integer < 0)
    return fail(call.argPlaces.front(),
                "a tile starts from 0 on, found " + llvm::Twine(start.integer));
  if (*length < 1)
    return fail(call.place,
                "a tile has at least 1 element, found " + llvm::Twine(*length));
  Value view = call.receiver;
  if (view.kind == Kind::Tensor) {
    view.kind = Kind::View;
    view.name = call.row->result.str();
  }
  Tile tile;
  tile.level = level;
  tile.dimension = wholeDigit(*index);
  tile.size = *length;
  tile.starts = {start.integer};
  tile.mapping = *mapping;
  tile.place = call.place;
  view.tiles.push_back(std::move(tile));
  // What is wrong with a tile is wrong where it is made; what it is read by is
  // not known yet.
  bool isPlain = llvm::all_of(
      view.tiles, [](const Tile &one) { return one.level == "Element"; });
  if (!isPlain)
    return view;
  mlir::Block *block = builder.getInsertionBlock();
  mlir::Operation *last = block->empty() ? nullptr : &block->back();
  bool good = bool(readTiles(view, call.place));
  while (!block->empty() && &block->back() != last)
    block->back().erase();
  return good ? view : Value();
}

Value Emitter::restate(ApiCall &call) {
  auto mapping = mappingArg(call, "Element");
  if (!mapping)
    return {};
  TypeRef type = Emitter::typeOfTensor(call.receiver);
  bool isPad = call.row->name == "pad";
  StringRef now = *getMapping(type, "Element");
  StringRef shorter = isPad ? now : StringRef(*mapping);
  StringRef longer = isPad ? StringRef(*mapping) : now;
  auto few = sizeOf(shorter, call.place), many = sizeOf(longer, call.place);
  if (!few || !many)
    return {};
  auto wide = Mapping::parse(longer, axes.sizes());
  auto padded = Mapping::parse("[" + shorter.str() + "] # " +
                                   std::to_string(std::max(*few, *many)),
                               axes.sizes());
  bool fits = wide && padded && wide->isEquivalent(*padded);
  llvm::consumeError(wide.takeError());
  llvm::consumeError(padded.takeError());
  if (!fits)
    return fail(call.place, "m![" + longer + "] is not m![" + shorter +
                                "] with padding behind it");
  Value view = call.receiver;
  Tile tile;
  tile.mapping = *mapping;
  tile.place = call.place;
  view.tiles.push_back(std::move(tile));
  return view;
}

bool Emitter::isWritable(const Value &view) {
  return view.kind == Kind::View && StringRef(view.name).ends_with("Mut");
}

Value Emitter::renameMutable(ApiCall &call, const TypeRef &type) {
  if (!call.receiver.tiles.empty())
    return fail(call.place,
                "a part of a tensor that is written keeps its axes; "
                "name the whole tensor anew and take a tile of it");
  mlir::Type lowered = lower(type, call.place);
  mlir::Value named =
      lowered ? nameAnew(call.place, lowered, call.receiver.buffer->value)
              : mlir::Value();
  if (!named)
    return {};
  Value view = bufferOf(named, type, call.place, call.receiver.buffer->address);
  view.kind = Kind::View;
  view.name = call.row->result.str();
  view.buffer->base = call.receiver.buffer;
  return view;
}

Value Emitter::rename(ApiCall &call) {
  TypeRef from = Emitter::typeOfTensor(call.receiver);
  std::vector<TypeRef> args = {from->args[0]};
  for (StringRef name : {"Chip", "Element"}) {
    auto to = mappingArg(call, name);
    auto before = sizeOf(*getMapping(from, name), call.place);
    auto after = to ? sizeOf(*to, call.place) : std::nullopt;
    if (!before || !after)
      return {};
    if (*before != *after)
      return fail(call.place, "a reshape keeps the size of '" + name +
                                  "': it is " + llvm::Twine(*before) + ", m![" +
                                  *to + "] has " + llvm::Twine(*after));
    args.push_back(makeMapping(*to));
  }
  TypeRef type = makeTensor("HbmTensor", std::move(args));
  if (isWritable(call.receiver))
    return renameMutable(call, type);
  mlir::Value source = read(call.receiver, call.place);
  mlir::Type lowered = source ? lower(type, call.place) : mlir::Type();
  mlir::Value named =
      lowered ? nameAnew(call.place, lowered, source) : mlir::Value();
  if (!named)
    return {};
  Value tensor =
      bufferOf(named, type, call.place, call.receiver.buffer->address);
  if (call.receiver.kind == Kind::View) {
    tensor.kind = Kind::View;
    tensor.name = call.row->result.str();
  }
  return tensor;
}

Value Emitter::fill(ApiCall &call) {
  const Value &value = call.args[0];
  if (!takesContext(call, 1, {"sub"}))
    return {};
  if (call.receiver.kind != Kind::View || !call.receiver.tiles.empty())
    return fail(call.place, "'memset' fills a whole DmTensor, found a part");
  if (!value.dynamic.empty())
    return fail(call.argPlaces[0], "what 'memset' writes stands in the "
                                   "instruction and is a constant; " +
                                       value.dynamic);
  Buffer &buffer = *call.receiver.buffer;
  if (StringRef(buffer.type->args[0]->name) == "f4e2m1")
    return fail(call.place, "'memset' writes i4, i8, i16, i32, f8e4m3, f8e5m2, "
                            "bf16 and f32, this tensor holds f4e2m1");
  auto type = mlir::cast<tcp::DmType>(buffer.value.getType());
  bool isFloat = mlir::isa<mlir::FloatType>(type.getElementType());
  if (value.kind != (isFloat ? Kind::Float : Kind::Int))
    return fail(call.argPlaces[0], "this is " + describe(value) +
                                       ", the tensor holds " +
                                       str(buffer.type->args[0]));
  // One word in every slice, which a pass reads again and again.
  mlir::TypedAttr word =
      isFloat
          ? mlir::TypedAttr(builder.getF32FloatAttr(float(value.number)))
          : mlir::TypedAttr(builder.getI32IntegerAttr(int32_t(value.integer)));
  mlir::Type cell = tcp::DmType::get(&context(), word.getType(), type.getGrid(),
                                     mappingAttr("1"));
  mlir::Operation *op = make<tcp::ItosOp>(
      call.place, cell, {},
      {named("value", word), named("address", builder.getI64IntegerAttr(0))});
  mlir::Value flits = op ? op->getResult(0) : mlir::Value();
  // What is smaller than a commit of one flit is cast to memory first.
  if (flits && type.getElementType().isInteger(4))
    flits = castWords(call.place, flits, type);
  if (flits)
    flits = repeatWord(call.place, flits, type);
  if (!flits || !commitInto(call.place, flits, call.receiver))
    return {};
  reporter.remark(call.place)
      << "'memset' writes a word, and a pass of the main context copies it";
  return makeUnit();
}

mlir::Value Emitter::castWords(Span place, mlir::Value word, tcp::DmType type) {
  // The cast engine makes 4 bytes of a flit, and a commit keeps 8.
  constexpr int64_t kLanes = 8, kKept = 16, kPerFlit = 64;
  int64_t size = type.getElementMapping().size();
  std::string element = "[" + type.getElement().getText().str() + "]";
  if (size % kKept != 0)
    element = "[" + element + " # " +
              std::to_string(llvm::alignTo(size, kKept)) + "]";
  std::string time = element + " / " + std::to_string(kLanes);
  std::string packet = element + " % " + std::to_string(kLanes);
  mlir::Operation *op = infer<tcp::BeginOp>(
      place, word,
      named("execution_context",
            tcp::ContextAttr::get(&context(), tcp::Context::Main)));
  mlir::Type read = mlir::cast<tcp::DmType>(word.getType()).getElementType();
  Attributes flits = {mapping("time", time), mapping("packet", packet)};
  Attributes fetch = flits;
  fetch.push_back(named("element_type", mlir::TypeAttr::get(read)));
  if (op)
    op = infer<tcp::FetchOp>(place, op->getResult(0), fetch);
  if (op)
    op = infer<tcp::CollectOp>(place, op->getResult(0), flits);
  auto padded = [&](int64_t to) {
    return "[" + packet + "] # " + std::to_string(to);
  };
  if (op)
    op = infer<tcp::CastOp>(
        place, op->getResult(0),
        {named("element_type", mlir::TypeAttr::get(type.getElementType())),
         mapping("packet", padded(kPerFlit))});
  if (op)
    op =
        infer<tcp::CommitOp>(place, op->getResult(0),
                             {named("address", builder.getI64IntegerAttr(0)),
                              mapping("element", time + ", " + padded(kKept))});
  return op ? op->getResult(0) : mlir::Value();
}

mlir::Value Emitter::repeatWord(Span place, mlir::Value word,
                                tcp::DmType type) {
  constexpr int64_t kFlitBits = 32 * 8, kCommitBits = 8 * 8;
  mlir::Type read = mlir::cast<tcp::DmType>(word.getType()).getElementType();
  int64_t bits = getBitWidth(*tcp::getElementKind(type.getElementType()));
  int64_t perFlit = kFlitBits / getBitWidth(*tcp::getElementKind(read));
  std::string element = "[" + type.getElement().getText().str() + "]";
  int64_t size = type.getElementMapping().size();
  // Whole flits if they fill the tensor, else as much as a commit may keep.
  int64_t count = perFlit;
  while (size % count != 0 && count / 2 * bits >= kCommitBits)
    count /= 2;
  if (size % count != 0)
    element = "[" + element + " # " +
              std::to_string(llvm::alignTo(size, count)) + "]";
  std::string time = element + " / " + std::to_string(count);
  std::string packet = element + " % " + std::to_string(count);
  mlir::Operation *op = infer<tcp::BeginOp>(
      place, word,
      named("execution_context",
            tcp::ContextAttr::get(&context(), tcp::Context::Main)));
  auto padded = [&](int64_t to) {
    return count == to ? packet : "[" + packet + "] # " + std::to_string(to);
  };
  if (op)
    op =
        infer<tcp::FetchOp>(place, op->getResult(0),
                            {named("element_type", mlir::TypeAttr::get(read)),
                             mapping("time", time), mapping("packet", packet)});
  if (op)
    op = infer<tcp::CollectOp>(
        place, op->getResult(0),
        {mapping("time", time), mapping("packet", padded(perFlit))});
  if (op && read != type.getElementType())
    op = infer<tcp::CastOp>(
        place, op->getResult(0),
        {named("element_type", mlir::TypeAttr::get(type.getElementType())),
         mapping("packet", padded(kFlitBits / bits))});
  return op ? op->getResult(0) : mlir::Value();
}

/// Whether a pass wrote the whole tensor and nothing has read it since.
static bool isJustCommitted(const Buffer &buffer) {
  auto commit = buffer.value.getDefiningOp<tcp::CommitOp>();
  return commit && buffer.value.use_empty() && !commit.getSlicesAttr();
}

mlir::Value Emitter::readTiles(const Value &view, Span place) {
  mlir::Value value = view.buffer->value;
  if (!value) {
    fail(place, "this tensor has been moved away");
    return nullptr;
  }
  for (const Tile &tile : view.tiles) {
    // The same elements, said to be followed by more or less padding.
    if (tile.dimension.empty())
      continue;
    if (tile.level != "Element") {
      bool isFirst = &tile == view.tiles.begin();
      Value before = view;
      before.tiles.truncate(&tile - view.tiles.begin());
      bool isDm = mlir::isa<tcp::DmType>(value.getType());
      value = tile.level != "Slice" || !isDm || tile.starts.front() != 0
                  ? stageTile(value, typeOfView(before), tile)
              : isFirst && isJustCommitted(*view.buffer)
                  ? commitSlices(*view.buffer, tile)
                  : copySlices(value, tile);
      if (!value)
        return nullptr;
      continue;
    }
    mlir::Operation *op = infer<tcp::TileOp>(
        tile.place, value,
        {mapping("dimension", tile.dimension),
         named("starts", builder.getDenseI64ArrayAttr(tile.starts)),
         named("size", builder.getI64IntegerAttr(tile.size)),
         mapping("element", tile.mapping)});
    if (!op)
      return nullptr;
    value = op->getResult(0);
  }
  return value;
}

mlir::Value Emitter::commitSlices(Buffer &buffer, const Tile &tile) {
  auto commit = buffer.value.getDefiningOp<tcp::CommitOp>();
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfter(commit);
  mlir::Operation *op =
      infer<tcp::CommitOp>(tile.place, commit.getInput(),
                           {named("address", commit.getAddressAttr()),
                            named("element", commit.getElementAttr()),
                            mapping("slices", tile.mapping)});
  if (!op)
    return nullptr;
  op->setLoc(commit.getLoc());
  commit.erase();
  buffer.value = op->getResult(0);
  auto type = std::make_shared<Type>(*buffer.type);
  type->args[3] = makeMapping(tile.mapping);
  buffer.type = type;
  reporter.remark(tile.place)
      << "the pass commits the slices m![" << tile.mapping
      << "] only, which this tile reads";
  return buffer.value;
}

mlir::Value Emitter::copySlices(mlir::Value source, const Tile &tile) {
  auto type = mlir::cast<tcp::DmType>(source.getType());
  mlir::Value copy =
      copyPass(tile.place, source, type.getElementMapping().str(),
               /*address=*/0, nullptr, tile.mapping);
  if (copy)
    reporter.remark(tile.place)
        << "a pass of the sub context copies the slices m![" << tile.mapping
        << "], which this tile reads";
  return copy;
}

mlir::Value Emitter::read(const Value &tensor, Span place) {
  if (tensor.kind != Kind::Tensor && tensor.kind != Kind::View) {
    fail(place, "expected a tensor, found " + describe(tensor));
    return nullptr;
  }
  for (Buffer *one = tensor.buffer.get(); one; one = one->base.get())
    one->isRead = true;
  return readTiles(tensor, place);
}

//===----------------------------------------------------------------------===//
// Moves
//===----------------------------------------------------------------------===//

Value Emitter::move(ApiCall &call, StringRef to) {
  TypeRef source = call.receiver.kind == Kind::View
                       ? typeOfView(call.receiver)
                       : call.receiver.buffer->type;
  auto address = addressArg(call);
  if (!address || !takesContext(call, 0, {"tdma"}))
    return {};
  std::vector<TypeRef> args;
  for (StringRef parameter : parametersOf(to)) {
    if (llvm::is_contained(
            llvm::map_range(call.row->genericList(),
                            [](const ast::ApiGeneric &g) { return g.name; }),
            parameter)) {
      auto mapping = mappingArg(call, parameter);
      if (!mapping)
        return {};
      args.push_back(makeMapping(*mapping));
      continue;
    }
    args.push_back(getParameter(source, parameter));
  }
  TypeRef type = makeTensor(to, std::move(args));
  mlir::Value input = read(call.receiver, call.place);
  mlir::Type lowered = input ? lower(type, call.place) : mlir::Type();
  if (!lowered)
    return {};
  Attributes attributes = {
      named("address", builder.getI64IntegerAttr(*address))};
  mlir::Operation *op =
      to == "DmTensor"
          ? make<tcp::ToDmOp>(call.place, lowered, input, attributes)
          : make<tcp::ToHbmOp>(call.place, lowered, input, attributes);
  return op ? bufferOf(op->getResult(0), type, call.place, *address) : Value();
}

/// Where a view begins, in elements, by the tiles it is made of.
static mlir::FailureOr<int64_t> offsetOf(const Value &view,
                                         const AxisTable &axes,
                                         const Reporter &reporter,
                                         mlir::MLIRContext *context) {
  int64_t offset = 0;
  std::string text = getMapping(view.buffer->type, "Element")->str();
  for (const Tile &tile : view.tiles) {
    auto whole = Mapping::parse(text, axes.sizes());
    if (!whole)
      return llvm::consumeError(whole.takeError()), mlir::failure();
    if (tile.dimension.empty()) {
      text = tile.mapping;
      continue;
    }
    auto attr = [&](StringRef mapping) {
      return stream::MappingAttr::get(context, mapping);
    };
    mlir::FailureOr<tcp::TileShape> shape = tcp::inferTile(
        *whole, attr(tile.dimension), tile.size, attr(tile.mapping),
        [&] { return reporter.error(tile.place); });
    if (mlir::failed(shape))
      return mlir::failure();
    offset += tile.starts.front() * shape->step;
    text = tile.mapping;
  }
  return offset;
}

/// Whether a view is a part of the chips, clusters or slices.
static bool hasSpatialTiles(const Value &view) {
  return llvm::any_of(view.tiles,
                      [](const Tile &tile) { return tile.level != "Element"; });
}

Value Emitter::moveIntoView(ApiCall &call, StringRef memory) {
  const Value &destination = call.args[1];
  if (!takesContext(call, 0, {"tdma", "pdma"}))
    return {};
  if (destination.kind != Kind::View)
    return fail(call.argPlaces[1], "'" + call.row->name +
                                       "' writes to a view, found " +
                                       describe(destination));
  Buffer &buffer = *destination.buffer;
  if (!StringRef(buffer.type->name).starts_with(memory))
    return fail(call.argPlaces[1], "'" + call.row->name +
                                       "' writes to a view of a " + memory +
                                       ", found one of a " + buffer.type->name);
  mlir::Value input = read(call.receiver, call.place);
  if (!input)
    return {};
  if (hasSpatialTiles(destination))
    return storeTiles(call.place, input, destination) ? makeUnit() : Value();
  bool isHbm = memory == "HbmTensor";
  if (destination.tiles.empty()) {
    Attributes attributes = {
        named("address", builder.getI64IntegerAttr(buffer.address))};
    mlir::Type type = buffer.value.getType();
    mlir::Operation *op =
        isHbm ? make<tcp::ToHbmOp>(call.place, type, input, attributes)
              : make<tcp::ToDmOp>(call.place, type, input, attributes);
    if (!op)
      return {};
    replace(buffer, op->getResult(0));
    return makeUnit();
  }
  if (!isHbm)
    return stageIntoView(call, input, destination);
  mlir::FailureOr<int64_t> offset =
      offsetOf(destination, axes, reporter, &context());
  mlir::Type part = lower(typeOfView(destination), call.argPlaces[1]);
  if (mlir::failed(offset) || !part)
    return {};
  mlir::Operation *op = make<tcp::ToHbmViewOp>(
      call.place, buffer.value.getType(), {input, buffer.value},
      {named("steps", builder.getDenseI64ArrayAttr({})),
       named("offset", builder.getI64IntegerAttr(*offset)),
       named("view", mlir::TypeAttr::get(part))});
  if (!op)
    return {};
  auto size = sizeOf(destination.tiles.back().mapping, call.place);
  auto mapping = Mapping::parse(destination.tiles.back().mapping, axes.sizes());
  int64_t elements = mapping ? mapping->validSize() : size.value_or(0);
  llvm::consumeError(mapping.takeError());
  return write(call.place, buffer, op->getResult(0), elements) ? makeUnit()
                                                               : Value();
}

void Emitter::putTensorFirst(ApiCall &call) {
  if (call.row->releases != ast::Releases::V06)
    return;
  call.args[0] = call.receiver;
  call.argPlaces[0] = call.place;
}

Value Emitter::shuffleChips(ApiCall &call) {
  putTensorFirst(call);
  auto address = addressArg(call);
  if (!address)
    return {};
  if (call.args[1].kind != Kind::Array)
    return fail(call.argPlaces[1], "a shuffle takes an array of chips, found " +
                                       describe(call.args[1]));
  llvm::SmallVector<int64_t> sources;
  for (const Field &field : call.args[1].fields)
    sources.push_back(field.value->integer);
  mlir::Value input = read(call.args[0], call.argPlaces[0]);
  if (!input)
    return {};
  TypeRef type = call.args[0].kind == Kind::View ? typeOfView(call.args[0])
                                                 : call.args[0].buffer->type;
  auto tensor = std::make_shared<Type>(*type);
  tensor->name = call.row->result.str();
  mlir::Operation *op = make<tcp::ChipShuffleOp>(
      call.place, input.getType(), input,
      {named("sources", builder.getDenseI64ArrayAttr(sources)),
       named("address", builder.getI64IntegerAttr(*address))});
  return op ? bufferOf(op->getResult(0), tensor, call.place, *address)
            : Value();
}

//===----------------------------------------------------------------------===//
// Copies by the sub context
//===----------------------------------------------------------------------===//

mlir::Value Emitter::readFlits(Span place, mlir::Value source,
                               StringRef element, bool isLive) {
  auto type = mlir::cast<tcp::DmType>(source.getType());
  int64_t bits = getBitWidth(*tcp::getElementKind(type.getElementType()));
  std::string time = "1", packet = "[" + element.str() + "]";
  auto parsed = Mapping::parse(element, axes.sizes());
  if (isLive && parsed && !parsed->factors().empty()) {
    // Without the padding behind each row, which is not the part's own.
    const Factor &inner = parsed->factors().back();
    if (inner.isPadded() && inner.first == 0) {
      std::string extent = std::to_string(inner.extent);
      if (parsed->size() > inner.extent)
        time = packet + " / " + extent;
      packet = "[" + packet + " % " + extent + " = " +
               std::to_string(inner.valid) + "]";
    }
  }
  llvm::consumeError(parsed.takeError());
  auto size = sizeOf(packet, place);
  if (!size)
    return nullptr;
  int64_t perFlit = 32 * 8 / bits;
  mlir::Operation *op = infer<tcp::BeginOp>(
      place, source,
      named("execution_context",
            tcp::ContextAttr::get(&context(), tcp::Context::Sub)));
  std::string whole = packet;
  if (*size % (64 / bits) != 0)
    whole = "[" + whole + " # " +
            std::to_string(llvm::alignTo(*size, 64 / bits)) + "]";
  if (op)
    op = infer<tcp::FetchOp>(
        place, op->getResult(0),
        {named("element_type", mlir::TypeAttr::get(type.getElementType())),
         mapping("time", time), mapping("packet", whole)});
  if (!op)
    return nullptr;
  auto [flits, flit] = flitsOf(time, whole, perFlit);
  op = infer<tcp::CollectOp>(place, op->getResult(0),
                             {mapping("time", flits), mapping("packet", flit)});
  return op ? op->getResult(0) : mlir::Value();
}

mlir::Value Emitter::copyPass(Span place, mlir::Value source, StringRef element,
                              int64_t address, const Value *destination,
                              StringRef slices) {
  bool isPart = destination && !destination->tiles.empty();
  mlir::Value flits = readFlits(place, source, element, isPart);
  if (!flits)
    return nullptr;
  if (destination)
    return commitInto(place, flits, *destination);
  llvm::SmallVector<mlir::NamedAttribute, 3> attributes = {
      named("address", builder.getI64IntegerAttr(address)),
      mapping("element", element)};
  if (!slices.empty())
    attributes.push_back(mapping("slices", slices));
  mlir::Operation *op = infer<tcp::CommitOp>(place, flits, attributes);
  return op ? op->getResult(0) : mlir::Value();
}

Value Emitter::copySlicesApart(ApiCall &call) {
  auto slice = mappingArg(call, "Slice"), element = mappingArg(call, "Element");
  if (!slice || !element || !takesContext(call, 0, {"sub"}))
    return {};
  TypeRef from = Emitter::typeOfTensor(call.receiver);
  auto before = Mapping::parse(*getMapping(from, "Slice"), axes.sizes());
  auto after = Mapping::parse(*slice, axes.sizes());
  bool same = before && after && before->isEquivalent(*after);
  llvm::consumeError(before.takeError());
  llvm::consumeError(after.takeError());
  if (!same)
    return fail(call.place,
                "a parallel copy stays in its slices: the source has \"" +
                    *getMapping(from, "Slice") + "\", the copy \"" + *slice +
                    "\"");
  mlir::Value source = read(call.receiver, call.place);
  mlir::Value result = source ? copyPass(call.place, source, *element,
                                         /*address=*/0, nullptr)
                              : mlir::Value();
  if (!result)
    return {};
  auto type = std::make_shared<Type>(*from);
  type->name = "DmTensor";
  type->args.back() = makeMapping(*element);
  reporter.remark(call.place)
      << "'" << call.row->name
      << "' is a pass of the sub context: fetch, collect and commit";
  return bufferOf(result, type, call.place, 0);
}

Value Emitter::parallelCopy(ApiCall &call) {
  if (call.args.size() == 1)
    return copySlicesApart(call);
  const Value &destination = call.args[1];
  if (!takesContext(call, 0, {"sub"}))
    return {};
  if (destination.kind != Kind::View && destination.kind != Kind::Tensor)
    return fail(call.argPlaces[1], "'" + call.row->name +
                                       "' writes to a DmTensor, found " +
                                       describe(destination));
  TypeRef from = call.receiver.kind == Kind::View ? typeOfView(call.receiver)
                                                  : call.receiver.buffer->type;
  TypeRef to = destination.kind == Kind::View ? typeOfView(destination)
                                              : destination.buffer->type;
  if (getMapping(from, "Slice") != getMapping(to, "Slice"))
    return fail(call.place,
                "a parallel copy stays in its slices: the source has \"" +
                    *getMapping(from, "Slice") + "\", the destination \"" +
                    *getMapping(to, "Slice") + "\"");
  // What is in a slice stays there.
  auto startOf = [](const Value &view, StringRef level) {
    int64_t start = 0;
    for (const Tile &tile : view.tiles)
      if (tile.level == level && !tile.starts.empty())
        start += tile.starts.front();
    return start;
  };
  for (StringRef level : {"Chip", "Cluster", "Slice"})
    if (startOf(call.receiver, level) != startOf(destination, level))
      return fail(call.place, "a parallel copy stays in its slices: the source "
                              "begins at " +
                                  level.lower() + " " +
                                  llvm::Twine(startOf(call.receiver, level)) +
                                  ", the destination at " +
                                  llvm::Twine(startOf(destination, level)));
  mlir::Value source = read(call.receiver, call.place);
  if (!source)
    return {};
  if (hasSpatialTiles(destination))
    return storeTiles(call.place, source, destination) ? makeUnit() : Value();
  mlir::Value result = copyPass(call.place, source, *getMapping(to, "Element"),
                                destination.buffer->address, &destination);
  if (!result)
    return {};
  reporter.remark(call.place)
      << "'" << call.row->name
      << "' is a pass of the sub context: fetch, collect and commit";
  return makeUnit();
}

Value Emitter::sliceOfChips(ApiCall &call) {
  auto address = addressArg(call);
  auto axis = mappingArg(call, "Axis");
  auto sliced = mappingArg(call, "Sliced");
  auto element = mappingArg(call, "Element");
  if (!address || !axis || !sliced || !element)
    return {};
  if (call.args[1].kind != Kind::Array)
    return fail(call.argPlaces[1], "'" + call.row->name +
                                       "' takes an array of indices, found " +
                                       describe(call.args[1]));
  Value view = call.args[0];
  if (view.kind != Kind::View && view.kind != Kind::Tensor)
    return fail(call.argPlaces[0], "'" + call.row->name +
                                       "' reads a DmTensor, found " +
                                       describe(view));
  Tile tile;
  tile.dimension = *axis;
  tile.mapping = *sliced;
  for (const Field &field : call.args[1].fields)
    tile.starts.push_back(field.value->integer);
  tile.place = call.place;
  view.kind = Kind::View;
  view.tiles.push_back(tile);
  mlir::Value source = read(view, call.place);
  if (!source)
    return {};
  mlir::Value result =
      copyPass(call.place, source, *element, *address, nullptr);
  if (!result)
    return {};
  auto type = std::make_shared<Type>(*view.buffer->type);
  type->name = "DmTensor";
  type->args.back() = makeMapping(*element);
  reporter.remark(call.place)
      << "'" << call.row->name
      << "' is a pass of the sub context: fetch, collect and commit";
  return bufferOf(result, type, call.place, *address);
}

Value Emitter::stageIntoView(ApiCall &call, mlir::Value input,
                             const Value &destination) {
  TypeRef part = typeOfView(destination);
  bool fromDm = mlir::isa<tcp::DmType>(input.getType());
  mlir::Value source = input;
  if (!fromDm) {
    auto tensor = std::make_shared<Type>(*part);
    tensor->name = "DmTensor";
    mlir::Type type = lower(tensor, call.place);
    mlir::Operation *op =
        type ? make<tcp::ToDmOp>(call.place, type, input,
                                 named("address", builder.getI64IntegerAttr(0)))
             : nullptr;
    if (!op)
      return {};
    source = op->getResult(0);
  }
  mlir::Value result = copyPass(call.place, source,
                                *getMapping(part, "Element"), 0, &destination);
  if (!result)
    return {};
  reporter.remark(call.place)
      << "a part of a DmTensor is written by a pass of the sub context"
      << (fromDm ? "" : ", from a staging copy in DM");
  return makeUnit();
}
