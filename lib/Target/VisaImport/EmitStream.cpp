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

Value Emitter::beginInterleaved(ApiCall &call) {
  auto axis = axisArg(call, "I");
  mlir::Value left = read(call.args[0], call.argPlaces[0]);
  mlir::Value right = read(call.args[1], call.argPlaces[1]);
  if (!axis || !left || !right)
    return {};
  // The same mappings may be written in other words.
  if (left.getType() != right.getType()) {
    TypeRef a = call.args[0].kind == Kind::View ? typeOfView(call.args[0])
                                                : call.args[0].buffer->type;
    TypeRef b = call.args[1].kind == Kind::View ? typeOfView(call.args[1])
                                                : call.args[1].buffer->type;
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
  mlir::Type element = scalarArg(call, "D");
  auto time = mappingArg(call, "Time"), packet = mappingArg(call, "Packet");
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
  const Value &address = call.args[0];
  std::optional<tcp::TrfAddress> part;
  if (address.kind == Kind::Choice && address.name == "TrfAddress")
    part = tcp::symbolizeTrfAddress(address.variant);
  if (!part)
    return fail(call.argPlaces[0],
                "'to_trf' takes a TrfAddress, found " + describe(address));
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

Value Emitter::align(ApiCall &call) {
  auto time = mappingArg(call, "Time"), packet = mappingArg(call, "Packet");
  if (!time || !packet)
    return {};
  mlir::Value trf = read(call.args[0], call.argPlaces[0]);
  if (!trf)
    return {};
  if (!mlir::isa<tcp::TrfType>(trf.getType()))
    return fail(call.argPlaces[0],
                "'align' takes a TrfTensor, found " + describe(call.args[0]));
  return stage<tcp::AlignOp>(
      call, {call.receiver.stream, trf},
      {mapping("time", *time), mapping("packet", *packet)});
}

Value Emitter::contract(ApiCall &call) {
  auto packet = mappingArg(call, "Packet");
  return packet ? stage<tcp::ContractOp>(call, call.receiver.stream,
                                         mapping("packet", *packet))
                : Value();
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
    return fail(call.argPlaces[0], "'accumulate' takes an AccumulationKind, "
                                   "found " +
                                       describe(kind));
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

Value Emitter::commit(ApiCall &call) {
  auto element = mappingArg(call, "Element");
  auto address = addressArg(call);
  if (!element || !address)
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
  const Tile &tile = destination.tiles.front();
  if (destination.tiles.size() > 1 || tile.level != "Element") {
    fail(place, "a pass commits to one tile of the elements; a tile of a tile "
                "or of slices is not imported yet");
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
  buffer.value = op->getResult(0);
  return buffer.value;
}

Value Emitter::commitView(ApiCall &call) {
  const Value &destination = call.args[0];
  if (destination.kind != Kind::View)
    return fail(call.argPlaces[0], "'commit_view' writes to a view, found " +
                                       describe(destination));
  return commitInto(call.place, call.receiver.stream, destination) ? makeUnit()
                                                                   : Value();
}
