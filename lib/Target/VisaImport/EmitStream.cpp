//===- EmitStream.cpp - Passes of the tensor unit -------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "Evaluator.h"

using namespace sequin;
using namespace sequin::visa_import;
using Kind = Value::Kind;

template <typename OpTy>
Value Emitter::stage(ApiCall &call, mlir::ValueRange operands,
                     llvm::ArrayRef<mlir::NamedAttribute> attributes) {
  mlir::Operation *op = infer<OpTy>(call.place, operands, attributes);
  if (!op)
    return {};
  Value value;
  value.kind = Kind::Stream;
  value.name = call.row->result.str();
  value.stream = op->getResult(0);
  return value;
}

Value Emitter::begin(ApiCall &call) {
  if (call.receiver.name != "main" && call.receiver.name != "sub")
    return fail(call.place, "'begin' belongs to ctx.main and ctx.sub");
  mlir::Value input = read(call.args[0], call.argPlaces[0]);
  if (!input)
    return {};
  if (!mlir::isa<tcp::DmType>(input.getType()))
    return fail(call.argPlaces[0],
                "a pass begins at a DmTensor, found " + describe(call.args[0]));
  auto execution =
      call.receiver.name == "main" ? tcp::Context::Main : tcp::Context::Sub;
  return stage<tcp::BeginOp>(
      call, input,
      named("execution_context", tcp::ContextAttr::get(&context(), execution)));
}

bool Emitter::areSame(const TypeRef &a, const TypeRef &b) const {
  if (str(a->args[0]) != str(b->args[0]))
    return false;
  for (auto [left, right] :
       llvm::drop_begin(llvm::zip_equal(a->args, b->args))) {
    auto one = Mapping::parse(left->text, axes.sizes());
    auto other = Mapping::parse(right->text, axes.sizes());
    bool same = one && other && one->isEquivalent(*other);
    llvm::consumeError(one.takeError());
    llvm::consumeError(other.takeError());
    if (!same)
      return false;
  }
  return true;
}

Value Emitter::beginInterleaved(ApiCall &call) {
  auto axis = axisArg(call, "I");
  mlir::Value left = read(call.args[0], call.argPlaces[0]);
  mlir::Value right = read(call.args[1], call.argPlaces[1]);
  if (!axis || !left || !right)
    return {};
  TypeRef a = call.args[0].kind == Kind::View ? typeOfView(call.args[0])
                                              : call.args[0].buffer->type;
  TypeRef b = call.args[1].kind == Kind::View ? typeOfView(call.args[1])
                                              : call.args[1].buffer->type;
  // The same mappings may be written in other words, or with more padding
  // behind them than there is memory.
  if (left.getType() != right.getType() && areSame(a, b)) {
    auto sizeIn = [](mlir::Value tensor) {
      return mlir::cast<tcp::DmType>(tensor.getType())
          .getElementMapping()
          .size();
    };
    bool isLeft = sizeIn(left) > sizeIn(right);
    mlir::Value &longer = isLeft ? left : right;
    mlir::Type shorter = (isLeft ? right : left).getType();
    mlir::Operation *op = make<tcp::BitcastOp>(call.place, shorter, longer, {});
    if (!op)
      return {};
    longer = op->getResult(0);
  }
  if (left.getType() != right.getType()) {
    return fail(call.argPlaces[1], "interleaved tensors have one type; this is "
                                   "a " +
                                       str(b) + ", the first is a " + str(a));
  }
  auto execution =
      call.receiver.name == "main" ? tcp::Context::Main : tcp::Context::Sub;
  return stage<tcp::BeginInterleavedOp>(
      call, {left, right},
      {named("execution_context", tcp::ContextAttr::get(&context(), execution)),
       named("axis", builder.getStringAttr(*axis))});
}

Value Emitter::fetch(ApiCall &call) {
  auto time = mappingArg(call, "Time"), packet = mappingArg(call, "Packet");
  if (call.row->releases == ast::Releases::V06 && time && packet) {
    Value stream = call.receiver;
    stream.name = call.row->result.str();
    auto type = mlir::cast<tcp::StreamType>(stream.stream.getType());
    stream.fetch = std::make_shared<Fetch>(
        Fetch{*time, *packet, type.getElementType(), {}, {}, call.place});
    return stream;
  }
  mlir::Type element = scalarArg(call, "D");
  if (!element || !time || !packet)
    return {};
  Attributes attributes = {named("element_type", mlir::TypeAttr::get(element)),
                           mapping("time", *time), mapping("packet", *packet)};
  // One zero point, or one for each of two interleaved tensors.
  if (!call.args.empty()) {
    std::vector<Field> list = call.args[0].fields;
    if (call.args[0].kind == Kind::Int)
      list = {{"", std::make_shared<Value>(call.args[0])}};
    llvm::SmallVector<int64_t, 2> points;
    for (const Field &field : list)
      if (field.value->kind == Kind::Int)
        points.push_back(field.value->integer);
    if (points.empty() || points.size() != list.size())
      return fail(call.argPlaces[0], "a zero point is an integer, found " +
                                         describe(call.args[0]));
    attributes.push_back(
        named("zero_points", builder.getDenseI64ArrayAttr(points)));
  }
  return stage<tcp::FetchOp>(call, call.receiver.stream, attributes);
}

/// The values of the 16 codes of f4e2m1.
static constexpr float kE2M1[] = {0.0f,  0.5f,  1.0f,  1.5f,  2.0f,  3.0f,
                                  4.0f,  6.0f,  -0.0f, -0.5f, -1.0f, -1.5f,
                                  -2.0f, -3.0f, -4.0f, -6.0f};

mlir::Attribute Emitter::lookupTable(mlir::Type key, const TypeRef &value,
                                     ApiCall &call) {
  mlir::Type element = elementType(value, call.place);
  if (!element)
    return nullptr;
  bool isPaired =
      key.isInteger(4) &&
      mlir::isa<mlir::Float8E4M3FNType, mlir::Float8E5M2Type>(element);
  auto floatKey = mlir::dyn_cast<mlir::FloatType>(key);
  bool isWide = floatKey && floatKey.getWidth() == 8 && element.isBF16();
  if (!isPaired && !isWide) {
    fail(call.place,
         "there is no table from '" +
             str(typeOfStream("BeginTensor", call.receiver.stream)->args[0]) +
             "' to '" + value->name +
             "'; f4e2m1 becomes f8e4m3 or f8e5m2, f8e4m3 and "
             "f8e5m2 become bf16");
    return nullptr;
  }
  auto result = mlir::cast<mlir::FloatType>(element);
  llvm::SmallVector<llvm::APFloat, 256> entries;
  for (unsigned code = 0; code < (isPaired ? 16u : 256u); ++code) {
    llvm::APFloat number =
        isPaired
            ? llvm::APFloat(kE2M1[code])
            : llvm::APFloat(floatKey.getFloatSemantics(), llvm::APInt(8, code));
    bool losesInfo;
    number.convert(result.getFloatSemantics(),
                   llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    entries.push_back(number);
  }
  auto shape = mlir::RankedTensorType::get(int64_t(entries.size()), element);
  return mlir::DenseElementsAttr::get(shape, entries);
}

Value Emitter::adaptFetch(ApiCall &call) {
  StringRef name = call.row->name;
  Value stream = call.receiver;
  if (!stream.fetch)
    return fail(call.place, "'" + name + "' stands behind 'fetch'");
  auto fetch = std::make_shared<Fetch>(*stream.fetch);
  auto found = call.types.find("D");
  TypeRef type = found != call.types.end() ? found->second
                                           : getParameter(call.expected, "D");
  if (!type)
    return fail(call.place, "'D' of '" + name + "' is not known; write " +
                                name + "::<D>()");
  if (name == "fetch_table_lookup") {
    fetch->table = lookupTable(fetch->element, type, call);
    if (!fetch->table)
      return {};
    fetch->element = elementType(type, call.place);
  } else if (name == "fetch_zero_point_sub") {
    const Value &point = call.args[0];
    if (point.kind != Kind::Int)
      return fail(call.argPlaces[0],
                  "a zero point is an integer, found " + describe(point));
    // i5 and i9 exist between the adapter and the contraction engine only.
    unsigned bits = fetch->element.isInteger(4)   ? 5
                    : fetch->element.isInteger(8) ? 9
                                                  : 0;
    if (bits == 0 || type->name != "i" + std::to_string(bits))
      return fail(call.place, "'" + name +
                                  "' makes i5 of i4 and i9 of i8, "
                                  "found '" +
                                  type->name + "'");
    if (!llvm::isIntN(bits - 1, point.integer))
      return fail(call.argPlaces[0], "zero point " +
                                         llvm::Twine(point.integer) +
                                         " is no i" + llvm::Twine(bits - 1));
    fetch->element = builder.getIntegerType(bits);
    fetch->zeroPoints = {point.integer};
  } else {
    fetch->element = elementType(type, call.place);
  }
  if (!fetch->element)
    return {};
  stream.fetch = std::move(fetch);
  return stream;
}

bool Emitter::finishFetch(Value &stream) {
  const Fetch &fetch = *stream.fetch;
  Attributes attributes = {
      named("element_type", mlir::TypeAttr::get(fetch.element)),
      mapping("time", fetch.time), mapping("packet", fetch.packet)};
  if (fetch.table)
    attributes.push_back(named("table", fetch.table));
  if (!fetch.zeroPoints.empty())
    attributes.push_back(
        named("zero_points", builder.getDenseI64ArrayAttr(fetch.zeroPoints)));
  mlir::Operation *op =
      infer<tcp::FetchOp>(fetch.place, stream.stream, attributes);
  if (!op)
    return false;
  stream.stream = op->getResult(0);
  stream.fetch = nullptr;
  return true;
}

Value Emitter::switchSlices(ApiCall &call) {
  auto slice = mappingArg(call, "Slice"), time = mappingArg(call, "Time");
  if (!slice || !time)
    return {};
  const Value &config = call.args[0];
  if (config.kind != Kind::Choice || config.name != "SwitchConfig")
    return fail(call.argPlaces[0],
                "'switch' takes a SwitchConfig, found " + describe(config));
  auto topology = tcp::symbolizeSwitchTopology(config.variant);
  if (!topology)
    return fail(call.argPlaces[0], "SwitchConfig::" + config.variant +
                                       " is not in the manual, which has "
                                       "Broadcast01, Broadcast1, Transpose, "
                                       "InterTranspose and CustomBroadcast");
  Attributes attributes = {
      named("topology", tcp::SwitchTopologyAttr::get(&context(), *topology)),
      mapping("slice", *slice), mapping("time", *time)};
  for (const Field &field : config.fields) {
    if (field.value->kind != Kind::Int || field.value->integer < 1)
      return fail(call.argPlaces[0],
                  "'" + field.name +
                      "' of a SwitchConfig is a number "
                      "from 1, found " +
                      (field.value->kind == Kind::Int
                           ? std::to_string(field.value->integer)
                           : describe(*field.value)));
    attributes.push_back(
        named(field.name, builder.getI64IntegerAttr(field.value->integer)));
  }
  return stage<tcp::SwitchOp>(call, call.receiver.stream, attributes);
}

Value Emitter::collect(ApiCall &call) {
  auto time = mappingArg(call, "Time"), packet = mappingArg(call, "Packet");
  if (!time || !packet)
    return {};
  return stage<tcp::CollectOp>(
      call, call.receiver.stream,
      {mapping("time", *time), mapping("packet", *packet)});
}

std::pair<std::string, std::string>
Emitter::flitsOf(StringRef time, StringRef packet, int64_t perFlit) {
  auto size = Mapping::parse(packet, axes.sizes());
  int64_t count = size ? size->size() : perFlit;
  llvm::consumeError(size.takeError());
  std::string whole = "[" + packet.str() + "]";
  std::string flit = std::to_string(perFlit);
  if (count <= perFlit)
    return {time.str(), count == perFlit ? packet.str() : whole + " # " + flit};
  if (count % perFlit != 0)
    whole = "[" + whole + " # " +
            std::to_string(llvm::alignTo(count, perFlit)) + "]";
  std::string outer = whole + " / " + flit;
  return {time == "1" ? outer : time.str() + ", " + outer,
          whole + " % " + flit};
}

mlir::Value Emitter::insertCollect(ApiCall &call, mlir::Value fetched) {
  auto type = mlir::cast<tcp::StreamType>(fetched.getType());
  int64_t bits = getBitWidth(*tcp::getElementKind(type.getElementType()));
  auto [time, packet] = flitsOf(type.getTime().getText(),
                                type.getPacket().getText(), 32 * 8 / bits);
  mlir::Operation *op = infer<tcp::CollectOp>(
      call.place, fetched, {mapping("time", time), mapping("packet", packet)});
  if (!op)
    return nullptr;
  reporter.remark(call.place)
      << "inserts collect::<m![" << time << "], m![" << packet
      << "]>() between the fetch and '" << call.row->name << "'";
  return op->getResult(0);
}

//===----------------------------------------------------------------------===//
// Contraction engine
//===----------------------------------------------------------------------===//

Value Emitter::toTrf(ApiCall &call) {
  auto row = mappingArg(call, "Row"), element = mappingArg(call, "Element");
  if (!row || !element)
    return {};
  // Without an address, what the tensor needs.
  std::optional<tcp::TrfAddress> part = tcp::TrfAddress::Full;
  if (!call.args.empty()) {
    const Value &address = call.args[0];
    part = std::nullopt;
    if (address.kind == Kind::Choice && address.name == "TrfAddress")
      part = tcp::symbolizeTrfAddress(address.variant);
    if (!part)
      return fail(call.argPlaces[0],
                  "'to_trf' takes a TrfAddress, found " + describe(address));
  }
  mlir::Operation *op = infer<tcp::ToTrfOp>(
      call.place, call.receiver.stream,
      {named("address", tcp::TrfAddressAttr::get(&context(), *part)),
       mapping("row", *row), mapping("element", *element)});
  if (!op)
    return {};
  auto type = mlir::cast<tcp::TrfType>(op->getResult(0).getType());
  TypeRef stream = typeOfStream(call.receiver.name, call.receiver.stream);
  return bufferOf(
      op->getResult(0),
      makeTensor("TrfTensor",
                 {stream->args[0], stream->args[1], stream->args[2],
                  stream->args[3], makeMapping(type.getRow().getText().str()),
                  makeMapping(*element)}),
      call.place, 0);
}

Value Emitter::toVrf(ApiCall &call) {
  auto element = mappingArg(call, "Element");
  auto address = addressArg(call);
  if (!element || !address)
    return {};
  mlir::Value input = call.receiver.stream;
  TypeRef stream = typeOfStream(call.receiver.name, input);
  if (call.receiver.name == "VectorFinalTensor") {
    // The way from the vector engine to its registers leads through DM.
    mlir::Operation *commit =
        infer<tcp::CommitOp>(call.place, input,
                             {named("address", builder.getI64IntegerAttr(0)),
                              mapping("element", *element)});
    input = commit ? readFlits(call.place, commit->getResult(0), *element)
                   : mlir::Value();
    if (!input)
      return {};
    reporter.remark(call.place) << "commits to DM and loads the registers from "
                                   "there, in the sub context";
  }
  mlir::Operation *op = infer<tcp::ToVrfOp>(
      call.place, input,
      {named("address", builder.getI64IntegerAttr(*address)),
       mapping("element", *element)});
  if (!op)
    return {};
  return bufferOf(op->getResult(0),
                  makeTensor("VrfTensor",
                             {stream->args[0], stream->args[1], stream->args[2],
                              stream->args[3], makeMapping(*element)}),
                  call.place, *address);
}

mlir::Value Emitter::withZeroPoint(Span place, mlir::Value stream) {
  mlir::Operation *op = stream.getDefiningOp();
  if (!op)
    return nullptr;
  Attributes attributes(op->getAttrDictionary().getValue());
  if (auto fetch = mlir::dyn_cast<tcp::FetchOp>(op)) {
    if (fetch.getTableAttr() || fetch.getZeroPointsAttr())
      return nullptr;
    llvm::erase_if(attributes, [](mlir::NamedAttribute attr) {
      return attr.getName() == "element_type";
    });
    unsigned bits = fetch.getElementType().getIntOrFloatBitWidth() + 1;
    attributes.push_back(named(
        "element_type", mlir::TypeAttr::get(builder.getIntegerType(bits))));
    attributes.push_back(
        named("zero_points", builder.getDenseI64ArrayAttr({0})));
    mlir::Operation *begin = fetch.getInput().getDefiningOp();
    if (!mlir::isa_and_nonnull<tcp::BeginOp>(begin))
      return nullptr;
    Attributes same(begin->getAttrDictionary().getValue());
    op = infer<tcp::BeginOp>(place, begin->getOperand(0), same);
    if (op)
      op = infer<tcp::FetchOp>(place, op->getResult(0), attributes);
    return op ? op->getResult(0) : mlir::Value();
  }
  if (!mlir::isa<tcp::CollectOp, tcp::SwitchOp, tcp::ToTrfOp>(op))
    return nullptr;
  mlir::Value input = withZeroPoint(place, op->getOperand(0));
  if (!input)
    return nullptr;
  op = mlir::isa<tcp::CollectOp>(op)
           ? infer<tcp::CollectOp>(place, input, attributes)
       : mlir::isa<tcp::SwitchOp>(op)
           ? infer<tcp::SwitchOp>(place, input, attributes)
           : infer<tcp::ToTrfOp>(place, input, attributes);
  return op ? op->getResult(0) : mlir::Value();
}

/// Erases a pass that leads nowhere, from its last stage on.
static void eraseUnused(mlir::Operation *last) {
  while (mlir::isa_and_nonnull<tcp::ToTrfOp, tcp::CollectOp, tcp::SwitchOp,
                               tcp::FetchOp, tcp::BeginOp>(last) &&
         last->use_empty()) {
    mlir::Operation *before = last->getOperand(0).getDefiningOp();
    last->erase();
    last = before;
  }
}

void Emitter::matchWidths(ApiCall &call, mlir::Value &stream,
                          mlir::Value &weights) {
  auto bitsOf = [](mlir::Type element) {
    auto type = mlir::dyn_cast<mlir::IntegerType>(element);
    return type ? type.getWidth() : 0;
  };
  unsigned ofStream =
      bitsOf(mlir::cast<tcp::StreamType>(stream.getType()).getElementType());
  unsigned ofWeights =
      bitsOf(mlir::cast<tcp::TrfType>(weights.getType()).getElementType());
  // i5 and i9 are i4 and i8 less a zero point.
  auto isNext = [](unsigned bits, unsigned other) {
    return (bits == 4 || bits == 8) && other == bits + 1;
  };
  if (!isNext(ofStream, ofWeights) && !isNext(ofWeights, ofStream))
    return;
  bool ofTrf = isNext(ofWeights, ofStream);
  mlir::Value &narrow = ofTrf ? weights : stream;
  mlir::Value wide = withZeroPoint(call.place, narrow);
  if (!wide)
    return; // the operation says what differs
  reporter.remark(call.place)
      << "the " << (ofTrf ? "weights are" : "stream is")
      << " fetched with a zero point of 0, so that both have the same width";
  mlir::Operation *before = narrow.getDefiningOp();
  narrow = wide;
  if (ofTrf)
    call.args[0].buffer->value = wide;
  else
    call.receiver.stream = wide;
  eraseUnused(before);
}

Value Emitter::align(ApiCall &call) {
  auto time = mappingArg(call, "Time"), packet = mappingArg(call, "Packet");
  if (!time || !packet)
    return {};
  mlir::Value trf = read(call.args[0], call.argPlaces[0]);
  if (!trf)
    return {};
  if (!mlir::isa<tcp::TrfType>(trf.getType()))
    return fail(call.argPlaces[0], "'" + call.row->name +
                                       "' takes a TrfTensor, found " +
                                       describe(call.args[0]));
  mlir::Value stream = call.receiver.stream;
  matchWidths(call, stream, trf);
  if (call.row->name == "contract_outer") {
    // One flit is half of a computation packet; nothing is in the other half.
    auto type = mlir::cast<tcp::StreamType>(call.receiver.stream.getType());
    int64_t bits = getBitWidth(*tcp::getElementKind(type.getElementType()));
    auto size = sizeOf(*packet, call.place);
    if (!size)
      return {};
    constexpr int64_t kFlitBits = 32 * 8;
    if (*size * bits == kFlitBits)
      packet = "[" + *packet + "] # " + std::to_string(2 * *size);
  }
  return stage<tcp::AlignOp>(
      call, {stream, trf},
      {mapping("time", *time), mapping("packet", *packet)});
}

Value Emitter::contract(ApiCall &call) {
  auto packet = mappingArg(call, "Packet");
  return packet ? stage<tcp::ContractOp>(call, call.receiver.stream,
                                         mapping("packet", *packet))
                : Value();
}

Value Emitter::contractTime(ApiCall &call) {
  auto time = mappingArg(call, "Time");
  if (!time)
    return {};
  Value stream = call.receiver;
  stream.declared = *time;
  return stream;
}

bool Emitter::checkLaneTime(ApiCall &call, bool isInterleaved, StringRef time) {
  StringRef left = call.receiver.declared;
  // Of an argument it is not known what it was made by.
  if (left.empty() && mlir::isa<mlir::BlockArgument>(call.receiver.stream))
    return true;
  if (left.empty()) {
    fail(call.place,
         "'contract_time' stands in front of '" + call.row->name + "'");
    return false;
  }
  auto type = mlir::cast<tcp::StreamType>(call.receiver.stream.getType());
  std::string packet = type.getPacket().getText().str();
  std::string expected = "[" + left.str() + "], ";
  if (isInterleaved) {
    expected += "[" + packet + "]";
  } else {
    constexpr int64_t kColumns = 8;
    auto size = sizeOf(packet, call.place);
    if (!size)
      return false;
    std::string padded = "[" + packet + "]";
    if (*size % kColumns != 0)
      padded = "[" + padded + " # " +
               std::to_string(llvm::alignTo(*size, kColumns)) + "]";
    expected += "[" + type.getRow().getText().str() + "], " + padded + " / " +
                std::to_string(kColumns);
  }
  auto wanted = Mapping::parse(expected, axes.sizes());
  auto found = Mapping::parse(time, axes.sizes());
  bool good = wanted && found && wanted->isEquivalent(*found);
  if (!good)
    fail(call.place, "time m![" + time + "] of '" + call.row->name +
                         "' is not m![" + (wanted ? wanted->str() : expected) +
                         "], what contract_time leaves and what the lanes and "
                         "the packet add");
  llvm::consumeError(wanted.takeError());
  llvm::consumeError(found.takeError());
  return good;
}

Value Emitter::accumulate(ApiCall &call) {
  auto time = mappingArg(call, "Time"), packet = mappingArg(call, "Packet");
  if (!time || !packet)
    return {};
  const Value &kind = call.args[0];
  std::optional<tcp::AccumulationKind> known;
  if (kind.kind == Kind::Choice)
    known = tcp::symbolizeAccumulationKind(kind.variant);
  if (!known)
    return fail(call.argPlaces[0],
                "'" + call.row->name + "' takes " +
                    (call.row->name == "accumulate" ? "an AccumulationKind"
                                                    : "a LaneMode") +
                    ", found " + describe(kind));
  if (call.row->name == "contract_lane" &&
      !checkLaneTime(call, *known == tcp::AccumulationKind::Interleaved, *time))
    return {};
  return stage<tcp::AccumulateOp>(
      call, call.receiver.stream,
      {named("kind", tcp::AccumulationKindAttr::get(&context(), *known)),
       mapping("time", *time), mapping("packet", *packet)});
}

//===----------------------------------------------------------------------===//
// Behind the engines
//===----------------------------------------------------------------------===//

Value Emitter::cast(ApiCall &call) {
  mlir::Type element = scalarArg(call, "D");
  auto packet = mappingArg(call, "Packet");
  if (!element || !packet)
    return {};
  return stage<tcp::CastOp>(
      call, call.receiver.stream,
      {named("element_type", mlir::TypeAttr::get(element)),
       mapping("packet", *packet)});
}

Value Emitter::transpose(ApiCall &call) {
  auto time = mappingArg(call, "Time"), packet = mappingArg(call, "Packet");
  if (!time || !packet)
    return {};
  return stage<tcp::TransposeOp>(
      call, call.receiver.stream,
      {mapping("time", *time), mapping("packet", *packet)});
}

Value Emitter::commitTrim(ApiCall &call) {
  auto packet = mappingArg(call, "Packet");
  if (!packet)
    return {};
  Value stream = call.receiver;
  auto type = mlir::cast<tcp::StreamType>(stream.stream.getType());
  StringRef whole = type.getPacket().getText();
  auto size = sizeOf(*packet, call.place), before = sizeOf(whole, call.place);
  if (!size || !before)
    return {};
  bool good = *size <= *before;
  if (good) {
    auto kept = Mapping::parse(*packet, axes.sizes());
    auto first = Mapping::parse(
        "[" + whole.str() + "] = " + std::to_string(*size), axes.sizes());
    good = kept && first && kept->isEquivalent(*first);
    llvm::consumeError(kept.takeError());
    llvm::consumeError(first.takeError());
  }
  if (!good)
    return fail(call.place, "m![" + *packet + "] is not what a packet \"" +
                                whole + "\" begins with");
  stream.name = call.row->result.str();
  stream.declared = *packet;
  return stream;
}

mlir::Value Emitter::clampNegative(ApiCall &call, mlir::Value stream) {
  mlir::Operation *before = stream.getDefiningOp();
  mlir::Value value = stream;
  if (mlir::isa_and_nonnull<tcp::VectorFinalOp>(before)) {
    value = before->getOperand(0);
  } else {
    auto unconditional =
        named("mode", tcp::BranchModeAttr::get(&context(),
                                               tcp::BranchMode::Unconditional));
    mlir::Operation *op = infer<tcp::VectorInitOp>(call.place, value, {});
    if (op)
      op = infer<tcp::VectorIntraSliceBranchOp>(call.place, op->getResult(0),
                                                unconditional);
    if (!op)
      return nullptr;
    value = op->getResult(0);
    before = nullptr;
  }
  // By the bits, as whole numbers: what has a sign becomes +0, and NaN, whose
  // sign arithmetic takes away, stays NaN.
  Attributes attributes = {
      named("op", tcp::ClipOpAttr::get(&context(), tcp::ClipOp::Max)),
      named("sources", builder.getArrayAttr(builder.getI32IntegerAttr(0)))};
  mlir::Operation *op = infer<tcp::VectorReinterpretOp>(call.place, value, {});
  if (op)
    op = infer<tcp::VectorClipOp>(call.place, op->getResult(0), attributes);
  if (op)
    op = infer<tcp::VectorReinterpretOp>(call.place, op->getResult(0), {});
  if (op)
    op = infer<tcp::VectorFinalOp>(call.place, op->getResult(0), {});
  if (!op)
    return nullptr;
  if (before && before->use_empty())
    before->erase();
  return op->getResult(0);
}

Value Emitter::commitCast(ApiCall &call) {
  mlir::Type element = scalarArg(call, "D");
  if (!element)
    return {};
  Value stream = call.receiver;
  auto type = mlir::cast<tcp::StreamType>(stream.stream.getType());
  if (!type.getElementType().isF32() || !element.isBF16())
    return fail(call.place,
                "'" + call.row->name +
                    "' converts f32 to bf16, this stream is of " +
                    str(typeOfStream("CollectTensor", stream.stream)->args[0]));
  // A transpose moves whole elements: the cast may as well be in front of it.
  auto transpose = stream.stream.getDefiningOp<tcp::TransposeOp>();
  mlir::Value input = transpose ? transpose.getInput() : stream.stream;
  if (call.row->name == "commit_cast_relu")
    input = clampNegative(call, input);
  if (!input)
    return {};
  // The cast engine is free: nothing else makes bf16 of f32.
  std::string flit =
      " # " + std::to_string(32 * 8 / element.getIntOrFloatBitWidth());
  auto padded = [&](stream::MappingAttr packet) {
    return "[" + packet.getText().str() + "]" + flit;
  };
  mlir::Operation *op = infer<tcp::CastOp>(
      call.place, input,
      {named("element_type", mlir::TypeAttr::get(element)),
       mapping(
           "packet",
           padded(mlir::cast<tcp::StreamType>(input.getType()).getPacket()))});
  if (op && transpose)
    op = infer<tcp::TransposeOp>(
        call.place, op->getResult(0),
        {named("time", transpose.getTimeAttr()),
         mapping("packet", padded(transpose.getPacketAttr()))});
  if (!op)
    return {};
  stream.stream = op->getResult(0);
  if (transpose && transpose->use_empty())
    transpose->erase();
  reporter.remark(call.place)
      << "'" << call.row->name << "' is a cast"
      << (call.row->name == "commit_cast" ? "" : " behind a clip at 0")
      << " in front of the " << (transpose ? "transpose" : "commit");
  return stream;
}

bool Emitter::checkTrimmed(ApiCall &call, StringRef element) {
  StringRef packet = call.receiver.declared;
  if (packet.empty())
    return true;
  auto time = mlir::cast<tcp::StreamType>(call.receiver.stream.getType())
                  .getTimeMapping();
  auto kept = sizeOf(packet, call.place);
  auto size = sizeOf(element, call.place);
  if (!kept || !size)
    return false;
  // There may be padding behind them.
  if (time.size() * *kept <= *size)
    return true;
  fail(call.place, "element m![" + element + "] has " + llvm::Twine(*size) +
                       " elements, the stream " + llvm::Twine(time.size()) +
                       " packets of " + llvm::Twine(*kept));
  return false;
}

Value Emitter::commit(ApiCall &call) {
  auto element = mappingArg(call, "Element");
  auto address = addressArg(call);
  if (!element || !address || !checkTrimmed(call, *element))
    return {};
  mlir::Value stream = call.receiver.stream;
  if (call.receiver.name == "FetchTensor")
    stream = insertCollect(call, stream);
  if (!stream)
    return {};
  mlir::Operation *op = infer<tcp::CommitOp>(
      call.place, stream,
      {named("address", builder.getI64IntegerAttr(*address)),
       mapping("element", *element)});
  if (!op)
    return {};
  TypeRef type = typeOfStream("CollectTensor", stream);
  return bufferOf(
      op->getResult(0),
      makeTensor("DmTensor", {type->args[0], type->args[1], type->args[2],
                              type->args[3], makeMapping(*element)}),
      call.place, *address);
}

/// The text of a digit of an axis.
static std::string digitText(const Factor &digit, int64_t stride,
                             int64_t extent) {
  std::string text = digit.base;
  if (stride != 1)
    text += " / " + std::to_string(stride);
  if (stride * extent < digit.baseSize)
    text += " % " + std::to_string(extent);
  return text;
}

bool Emitter::joinTiles(Tile &tile, const Tile &inner) const {
  auto outside = Mapping::parse(tile.dimension, axes.sizes());
  auto inside = Mapping::parse(inner.dimension, axes.sizes());
  bool good = outside && inside && inner.level == tile.level &&
              !inner.dimension.empty() && tile.starts.size() == 1 &&
              inner.starts.size() == 1 && outside->factors().size() == 1 &&
              inside->factors().size() == 1;
  if (good) {
    const Factor &outer = outside->factors()[0], &part = inside->factors()[0];
    good = outer.kind == Factor::Kind::Axis &&
           part.kind == Factor::Kind::Axis && outer.base == part.base;
    if (good && outer.stride == part.stride && outer.extent == part.extent) {
      tile.starts[0] += inner.starts[0];
    } else if (good && tile.size == 1 &&
               outer.stride == part.stride * part.extent) {
      // A position of the digit outside, and some of the one inside.
      tile.starts[0] = tile.starts[0] * part.extent + inner.starts[0];
      tile.dimension = digitText(part, part.stride, outer.extent * part.extent);
    } else {
      good = false;
    }
    tile.size = inner.size;
    tile.mapping = inner.mapping;
  }
  llvm::consumeError(outside.takeError());
  llvm::consumeError(inside.takeError());
  return good;
}

mlir::Value Emitter::commitInto(Span place, mlir::Value stream,
                                const Value &destination) {
  Buffer &buffer = *destination.buffer;
  auto type = mlir::dyn_cast<tcp::DmType>(buffer.value.getType());
  if (!type) {
    fail(place, "a pass commits to a DmTensor, found " + describe(destination));
    return nullptr;
  }
  mlir::Operation *op = nullptr;
  if (destination.tiles.empty()) {
    op = infer<tcp::CommitOp>(
        place, stream,
        {named("address", builder.getI64IntegerAttr(buffer.address)),
         named("element", type.getElement())});
    if (op && op->getResult(0).getType() != type) {
      auto made = mlir::cast<tcp::DmType>(op->getResult(0).getType());
      reporter.error(place)
          << "the stream makes a tensor of " << made.getElementType()
          << " spread as " << made.getGrid() << ", the destination holds "
          << type.getElementType() << " spread as " << type.getGrid();
      return nullptr;
    }
    if (op)
      replace(buffer, op->getResult(0));
    return op ? op->getResult(0) : mlir::Value();
  }
  Tile tile = destination.tiles.front();
  bool isOne = tile.level == "Element" && !tile.dimension.empty();
  for (const Tile &inner : llvm::drop_begin(destination.tiles))
    isOne = isOne && joinTiles(tile, inner);
  if (!isOne) {
    fail(place, "a pass commits to one tile of the elements; tiles of several "
                "dimensions or of slices are not imported yet");
    return nullptr;
  }
  op = make<tcp::CommitViewOp>(
      place, type, {stream, buffer.value},
      {mapping("dimension", tile.dimension),
       named("starts", builder.getDenseI64ArrayAttr(tile.starts)),
       named("size", builder.getI64IntegerAttr(tile.size)),
       mapping("element", tile.mapping)});
  if (!op)
    return nullptr;
  return write(place, buffer, op->getResult(0), 0);
}

Value Emitter::commitView(ApiCall &call) {
  const Value &destination = call.args[0];
  if (destination.kind != Kind::View)
    return fail(call.argPlaces[0], "'commit_view' writes to a view, found " +
                                       describe(destination));
  return commitInto(call.place, call.receiver.stream, destination) ? makeUnit()
                                                                   : Value();
}
