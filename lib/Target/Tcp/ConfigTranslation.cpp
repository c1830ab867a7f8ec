//===- ConfigTranslation.cpp - Configuration in IR and as structs ---------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The attributes of a configuration mirror its JSON: objects are dictionaries,
// arrays are arrays, numbers are i64. One shape has an attribute of its own,
// the sequencer, because it is what a reader looks for.
//
//===----------------------------------------------------------------------===//

#include "sequin/Target/Tcp/ConfigTranslation.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::tcp;
using sequin::stream::SequencerAttr;
namespace json = llvm::json;

//===----------------------------------------------------------------------===//
// JSON to attributes
//===----------------------------------------------------------------------===//

static Attribute toAttribute(Builder &builder, const json::Value &value);

/// The attribute form of {"base": b, "entries": [[n, s], ...],
/// "packet_entries": p}; null for any other object.
static SequencerAttr toSequencer(Builder &builder, const json::Object &object) {
  if (object.size() != 3)
    return {};
  std::optional<int64_t> base = object.getInteger("base");
  std::optional<int64_t> packet = object.getInteger("packet_entries");
  const json::Array *entries = object.getArray("entries");
  if (!base || !packet || !entries)
    return {};
  SmallVector<int64_t> sizes, strides;
  for (const json::Value &entry : *entries) {
    const json::Array *pair = entry.getAsArray();
    if (!pair || pair->size() != 2)
      return {};
    std::optional<int64_t> size = (*pair)[0].getAsInteger();
    std::optional<int64_t> stride = (*pair)[1].getAsInteger();
    if (!size || !stride)
      return {};
    sizes.push_back(*size);
    strides.push_back(*stride);
  }
  return SequencerAttr::get(builder.getContext(), sizes, strides, *packet,
                            *base);
}

static DictionaryAttr toDictionary(Builder &builder, const json::Object &object,
                                   ArrayRef<StringRef> leaveOut = {}) {
  NamedAttrList list;
  for (const auto &[key, value] : object)
    if (!llvm::is_contained(leaveOut, StringRef(key)))
      list.append(StringRef(key), toAttribute(builder, value));
  return list.getDictionary(builder.getContext());
}

static Attribute toAttribute(Builder &builder, const json::Value &value) {
  switch (value.kind()) {
  case json::Value::Null:
    return builder.getUnitAttr();
  case json::Value::Boolean:
    return builder.getBoolAttr(*value.getAsBoolean());
  case json::Value::Number:
    if (std::optional<int64_t> integer = value.getAsInteger())
      return builder.getI64IntegerAttr(*integer);
    return builder.getF64FloatAttr(*value.getAsNumber());
  case json::Value::String:
    return builder.getStringAttr(*value.getAsString());
  case json::Value::Array: {
    SmallVector<Attribute> elements;
    for (const json::Value &element : *value.getAsArray())
      elements.push_back(toAttribute(builder, element));
    return builder.getArrayAttr(elements);
  }
  case json::Value::Object:
    if (SequencerAttr sequencer = toSequencer(builder, *value.getAsObject()))
      return sequencer;
    return toDictionary(builder, *value.getAsObject());
  }
  llvm_unreachable("unknown kind of JSON value");
}

//===----------------------------------------------------------------------===//
// Attributes to JSON
//===----------------------------------------------------------------------===//

/// Errors are emitted at `op`; any attribute can stand in a dictionary.
static FailureOr<json::Value> toJson(Operation *op, Attribute attr) {
  if (isa<UnitAttr>(attr))
    return json::Value(nullptr);
  if (auto boolean = dyn_cast<BoolAttr>(attr))
    return json::Value(boolean.getValue());
  if (auto integer = dyn_cast<IntegerAttr>(attr);
      integer && integer.getType().isSignlessInteger(64))
    return json::Value(integer.getInt());
  if (auto number = dyn_cast<FloatAttr>(attr);
      number && number.getType().isF64())
    return json::Value(number.getValueAsDouble());
  if (auto text = dyn_cast<StringAttr>(attr))
    return json::Value(text.getValue().str());
  if (auto sequencer = dyn_cast<SequencerAttr>(attr)) {
    json::Array entries;
    entries.reserve(sequencer.getSizes().size());
    for (auto [size, stride] :
         llvm::zip_equal(sequencer.getSizes(), sequencer.getStrides()))
      entries.push_back(json::Array{size, stride});
    return json::Value(
        json::Object{{"base", sequencer.getBaseAddress()},
                     {"entries", std::move(entries)},
                     {"packet_entries", sequencer.getPacketEntries()}});
  }
  if (auto array = dyn_cast<ArrayAttr>(attr)) {
    json::Array elements;
    elements.reserve(array.size()); // growing copies all there is
    for (Attribute element : array) {
      FailureOr<json::Value> value = toJson(op, element);
      if (failed(value))
        return failure();
      elements.push_back(std::move(*value));
    }
    return json::Value(std::move(elements));
  }
  if (auto dictionary = dyn_cast<DictionaryAttr>(attr)) {
    json::Object object;
    for (NamedAttribute entry : dictionary) {
      FailureOr<json::Value> value = toJson(op, entry.getValue());
      if (failed(value))
        return failure();
      object[entry.getName().getValue()] = std::move(*value);
    }
    return json::Value(std::move(object));
  }
  return op->emitOpError() << "has attribute " << attr
                           << ", a configuration holds i64 numbers, strings, "
                              "sequencers, arrays and dictionaries";
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// "file:line:col" back to a location, so that traps of a read configuration
/// point at the kernel.
static Location toLocation(Builder &builder, StringRef text) {
  auto [rest, column] = text.rsplit(':');
  auto [file, line] = rest.rsplit(':');
  unsigned lineNumber, columnNumber;
  if (file.empty() || line.getAsInteger(10, lineNumber) ||
      column.getAsInteger(10, columnNumber))
    return builder.getUnknownLoc();
  return FileLineColLoc::get(builder.getContext(), file, lineNumber,
                             columnNumber);
}

ConfigOp tcp::buildConfigOp(OpBuilder &builder, Location loc,
                            const config::Program &program) {
  config::Program bare;
  bare.inputs = program.inputs;
  bare.outputs = program.outputs;
  bare.constants = program.constants;
  bare.macs = program.macs;
  bare.macType = program.macType;
  json::Value root = config::toJSON(bare);
  const json::Object &object = *root.getAsObject();
  DictionaryAttr header =
      toDictionary(builder, object, {"commands", "target", "chips", "name"});
  auto op = ConfigOp::create(builder, loc, program.name, program.target,
                             program.chips, header);
  Block *body = &op.getBody().emplaceBlock();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(body);
  for (const config::Command &command : program.commands) {
    json::Value value = config::toJSON(command);
    DictionaryAttr fields =
        toDictionary(builder, *value.getAsObject(), {"name", "location"});
    Location at = toLocation(builder, command.location);
    if (std::holds_alternative<config::Transfer>(command.body))
      ConfigTransferOp::create(builder, at, command.name, fields);
    else if (std::holds_alternative<config::DmaCommand>(command.body))
      ConfigDmaOp::create(builder, at, command.name, fields);
    else if (std::holds_alternative<config::GenerateCommand>(command.body))
      ConfigGenerateOp::create(builder, at, command.name, fields);
    else if (std::holds_alternative<config::LoopCommand>(command.body))
      ConfigLoopOp::create(builder, at, command.name, fields);
    else
      ConfigExecOp::create(builder, at, command.name, fields);
  }
  return op;
}

/// The location as text, if it is in a file.
static std::string describeLocation(Location loc) {
  if (auto file = dyn_cast<FileLineColLoc>(loc))
    return (file.getFilename().getValue() + ":" + Twine(file.getLine()) + ":" +
            Twine(file.getColumn()))
        .str();
  return "";
}

FailureOr<config::Program> tcp::readConfigOp(ConfigOp op) {
  FailureOr<json::Value> header = toJson(op, op.getHeader());
  if (failed(header))
    return failure();
  json::Object &object = *header->getAsObject();
  object["target"] = op.getTarget();
  object["chips"] = static_cast<int64_t>(op.getChips());
  object["name"] = op.getSymName();
  object["commands"] = json::Array{};
  llvm::Expected<config::Program> program = config::fromJSON(*header);
  if (!program)
    return op.emitOpError() << llvm::toString(program.takeError());
  for (Operation &inner : op.getBody().front()) {
    auto name = inner.getAttrOfType<StringAttr>("name");
    FailureOr<json::Value> fields =
        toJson(&inner, inner.getAttrOfType<DictionaryAttr>("fields"));
    if (failed(fields))
      return failure();
    json::Object &command = *fields->getAsObject();
    command["name"] = name.getValue();
    command["location"] = describeLocation(inner.getLoc());
    llvm::Expected<config::Command> parsed = config::commandFromJSON(*fields);
    if (!parsed)
      return inner.emitOpError() << llvm::toString(parsed.takeError());
    program->commands.push_back(std::move(*parsed));
  }
  return std::move(*program);
}
