//===- ConfigAssembly.cpp - Parts of the configuration as text ------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConfigAssembly.h"
#include "sequin/Dialect/Stream/IR/StreamDialect.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::tcp;
using sequin::stream::SequencerAttr;
namespace json = llvm::json;

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

llvm::SMLoc FieldText::getLoc(StringRef path) const {
  while (!places.contains(path)) {
    size_t end = path.find_last_of(".[");
    path = end == StringRef::npos ? "" : path.substr(0, end);
  }
  return places.lookup(path);
}

/// A sequencer as Config describes it.
static json::Value toJson(SequencerAttr sequencer) {
  json::Array entries;
  for (auto [size, stride] :
       llvm::zip_equal(sequencer.getSizes(), sequencer.getStrides()))
    entries.push_back(json::Array{size, stride});
  return json::Object{{"base", *sequencer.getAddress()},
                      {"entries", std::move(entries)},
                      {"packet_entries", sequencer.getPacketEntries()}};
}

ParseResult FieldText::parseValue(AsmParser &parser, json::Value &value,
                                  const std::string &path) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  places[path] = loc;
  if (succeeded(parser.parseOptionalLess())) {
    json::Object object;
    if (failed(parser.parseOptionalGreater())) {
      auto parseField = [&]() -> ParseResult {
        llvm::SMLoc at = parser.getCurrentLocation();
        StringRef key;
        if (parser.parseKeyword(&key) || parser.parseEqual())
          return failure();
        if (object.get(key))
          return parser.emitError(at) << "key '" << key << "' stands twice";
        return parseValue(parser, object[key],
                          path.empty() ? key.str() : path + "." + key.str());
      };
      if (parser.parseCommaSeparatedList(parseField) || parser.parseGreater())
        return failure();
    }
    value = std::move(object);
    return success();
  }
  if (succeeded(parser.parseOptionalLSquare())) {
    json::Array array;
    if (failed(parser.parseOptionalRSquare())) {
      auto parseElement = [&]() -> ParseResult {
        std::string at = path + "[" + std::to_string(array.size()) + "]";
        json::Value element = nullptr;
        if (parseValue(parser, element, at))
          return failure();
        array.push_back(std::move(element));
        return success();
      };
      if (parser.parseCommaSeparatedList(parseElement) || parser.parseRSquare())
        return failure();
    }
    value = std::move(array);
    return success();
  }
  std::string text;
  if (succeeded(parser.parseOptionalString(&text))) {
    value = std::move(text);
    return success();
  }
  // Before numbers, which `true` and `false` are to the parser too.
  StringRef word;
  if (succeeded(parser.parseOptionalKeyword(&word))) {
    value = word == "true"    ? json::Value(true)
            : word == "false" ? json::Value(false)
                              : json::Value(word.str());
    return success();
  }
  int64_t number;
  OptionalParseResult isNumber = parser.parseOptionalInteger(number);
  if (isNumber.has_value()) {
    value = number;
    return *isNumber;
  }
  SequencerAttr sequencer;
  if (parser.parseAttribute(sequencer))
    return failure();
  if (!sequencer.getAddress())
    return parser.emitError(loc)
           << "a sequencer of a configuration has an address: "
              "#stream.sequencer<[...] packet 0 at 0>";
  value = toJson(sequencer);
  return success();
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

void AsmSink::separate() {
  if (hasKey)
    hasKey = false;
  else if (!isFirst)
    printer << ", ";
  isFirst = false;
}

void AsmSink::open(char bracket) {
  separate();
  printer << bracket;
  isFirst = true;
}

void AsmSink::close(char bracket) {
  printer << bracket;
  isFirst = false;
}

void AsmSink::key(StringRef name) {
  separate();
  printer << name << " = ";
  hasKey = true;
}

void AsmSink::number(int64_t value) {
  separate();
  printer << value;
}

void AsmSink::flag(bool value) {
  separate();
  printer << (value ? "true" : "false");
}

void AsmSink::text(StringRef value) {
  separate();
  printer.printString(value);
}

void AsmSink::enumerator(StringRef name) {
  separate();
  printer.printKeywordOrString(name);
}

bool AsmSink::sequencer(const config::Sequencer &sequencer) {
  separate();
  SmallVector<int64_t> sizes, strides;
  for (const config::Loop &loop : sequencer.entries) {
    sizes.push_back(loop.size);
    strides.push_back(loop.stride);
  }
  printer << SequencerAttr::get(context, sizes, strides,
                                sequencer.packetEntries, sequencer.baseAddress);
  return true;
}

//===----------------------------------------------------------------------===//
// Checking
//===----------------------------------------------------------------------===//

/// Numbers that are at least `least`.
static LogicalResult
atLeast(EmitError emitError, int64_t least,
        ArrayRef<std::pair<const char *, int64_t>> numbers) {
  for (auto [name, number] : numbers)
    if (number < least)
      return emitError() << name << " is " << number << ", must be at least "
                         << least;
  return success();
}

template <typename Entries>
static LogicalResult sizesRun(EmitError emitError, const Entries &entries,
                              const char *what) {
  for (const auto &entry : entries)
    if (failed(atLeast(emitError, 1, {{what, entry.size}})))
      return failure();
  return success();
}

static LogicalResult verifySequencer(EmitError emitError,
                                     const config::Sequencer &sequencer) {
  int64_t count = sequencer.entries.size();
  if (sequencer.packetEntries < 0 || sequencer.packetEntries > count)
    return emitError() << "sequencer has " << sequencer.packetEntries
                       << " packet entries of " << count << " entries";
  return sizesRun(emitError, sequencer.entries, "size of a sequencer entry");
}

/// The elements of an array; INT64_MAX if there are more.
static int64_t countElements(ArrayRef<int64_t> shape) {
  uint64_t count = 1;
  for (int64_t size : shape)
    count = llvm::SaturatingMultiply<uint64_t>(count, size);
  return std::min<uint64_t>(count, INT64_MAX);
}

static LogicalResult verifyShape(EmitError emitError, ArrayRef<int64_t> shape) {
  for (int64_t size : shape)
    if (failed(atLeast(emitError, 0, {{"size of a dimension", size}})))
      return failure();
  return success();
}

LogicalResult tcp::verifyConfig(EmitError emitError,
                                const config::Argument &argument) {
  return verifyShape(emitError, argument.shape);
}

LogicalResult tcp::verifyConfig(EmitError emitError,
                                const config::Constant &constant) {
  if (failed(verifyShape(emitError, constant.shape)))
    return failure();
  int64_t element = (getBitWidth(constant.type) + 7) / 8;
  int64_t bytes = constant.data.size();
  if (bytes != element && bytes / element != countElements(constant.shape))
    return emitError() << "constant has " << bytes << " bytes for "
                       << countElements(constant.shape) << " elements of "
                       << element << " bytes";
  return success();
}

LogicalResult tcp::verifyConfig(EmitError emitError,
                                const config::Transfer &transfer) {
  return failure(
      failed(atLeast(emitError, 0,
                     {{"argument", transfer.argument},
                      {"chip", transfer.chip},
                      {"zero_bytes", transfer.zeroBytes}})) ||
      failed(sizesRun(emitError, transfer.entries, "size of an entry")));
}

LogicalResult tcp::verifyConfig(EmitError emitError,
                                const config::DmaDescriptor &descriptor) {
  if (failed(atLeast(emitError, 0,
                     {{"engine", descriptor.engine},
                      {"source_chip", descriptor.sourceChip},
                      {"destination_chip", descriptor.destinationChip}})) ||
      failed(
          atLeast(emitError, 1, {{"packet_bytes", descriptor.packetBytes}})) ||
      failed(sizesRun(emitError, descriptor.entries, "size of an entry")))
    return failure();
  if (!descriptor.indirection)
    return success();
  if (descriptor.indirection->strides.size() != descriptor.entries.size())
    return emitError() << "indirection has "
                       << descriptor.indirection->strides.size()
                       << " strides for " << descriptor.entries.size()
                       << " entries";
  return atLeast(emitError, 1, {{"count", descriptor.indirection->count}});
}

LogicalResult tcp::verifyConfig(EmitError emitError,
                                const config::FetchStage &stage) {
  if (failed(verifySequencer(emitError, stage.sequencer)) ||
      failed(atLeast(emitError, 1,
                     {{"packet_elements", stage.packetElements},
                      {"access_bytes", stage.accessBytes},
                      {"fetches_per_packet", stage.fetchesPerPacket}})) ||
      (stage.mask && failed(verifyConfig(emitError, *stage.mask))))
    return failure();
  if (stage.zeroPoints.size() > 2)
    return emitError() << "fetch has " << stage.zeroPoints.size()
                       << " zero points, at most 2 are allowed";
  int64_t entries = stage.sequencer.entries.size();
  if (stage.mask && (stage.mask->lastDim >= entries ||
                     stage.mask->countDim.value_or(0) >= entries))
    return emitError() << "mask names an entry that the sequencer's " << entries
                       << " are not";
  return success();
}

LogicalResult tcp::verifyConfig(EmitError emitError,
                                const config::FetchMask &mask) {
  return atLeast(
      emitError, 0,
      {{"last_dim", mask.lastDim},
       {"left_pad", mask.leftPad},
       {"last_dim_rightmost_valid_count_dim", mask.countDim.value_or(0)}});
}

static LogicalResult verifyRouting(EmitError emitError,
                                   const config::Routing &routing) {
  for (const config::RouterSetting &setting : routing.routers)
    if (failed(atLeast(emitError, 1, {{"slices", setting.slices}})))
      return failure();
  return failure(
      failed(atLeast(emitError, 1, {{"ring_size", routing.ringSize}})) ||
      failed(atLeast(emitError, 0, {{"period", routing.period}})) ||
      failed(sizesRun(emitError, routing.packets, "size of a packet loop")));
}

LogicalResult tcp::verifyConfig(EmitError emitError,
                                const config::SwitchStage &stage) {
  return failure(failed(atLeast(emitError, 1,
                                {{"group_slices", stage.groupSlices},
                                 {"group_packets", stage.groupPackets}})) ||
                 failed(verifyRouting(emitError, stage.routing)));
}

LogicalResult tcp::verifyConfig(EmitError emitError,
                                const config::CollectStage &stage) {
  return atLeast(emitError, 1,
                 {{"packet_bytes", stage.packetBytes},
                  {"flits_per_packet", stage.flitsPerPacket}});
}

LogicalResult tcp::verifyConfig(EmitError emitError,
                                const config::ContractStage &stage) {
  return failure(
      failed(atLeast(emitError, 1,
                     {{"collect_flits", stage.collectFlits},
                      {"time_broadcast", stage.timeBroadcast},
                      {"reg_read_bytes", stage.regReadBytes},
                      {"rows", stage.rows},
                      {"columns", stage.columns}})) ||
      failed(atLeast(emitError, 0,
                     {{"shifts", stage.shifts}, {"depth", stage.depth}})) ||
      failed(verifySequencer(emitError, stage.trf)) ||
      failed(sizesRun(emitError, stage.loops, "size of a loop")));
}

LogicalResult tcp::verifyConfig(EmitError emitError,
                                const config::VectorStage &stage) {
  if (!stage.ops.empty() && !stage.opsAfter.empty())
    return emitError() << "vector engine has operations before and behind the "
                          "inter-slice block, a pass has one of the two";
  for (const auto *ops : {&stage.ops, &stage.opsAfter})
    for (const config::VectorOp &op : *ops)
      for (const config::VectorOperand *operand : {&op.operand, &op.operand1})
        if (failed(verifySequencer(emitError, operand->vrf)))
          return failure();
  return failure(
      (stage.interSlice &&
       failed(verifyRouting(emitError, stage.interSlice->routing))) ||
      failed(verifySequencer(emitError, stage.branch.vrf)) ||
      failed(
          sizesRun(emitError, stage.branch.toggle, "size of a toggle loop")) ||
      (stage.intraSliceReduce &&
       failed(sizesRun(emitError, stage.intraSliceReduce->loops,
                       "size of a loop"))));
}

LogicalResult tcp::verifyConfig(EmitError, const config::CastStage &) {
  return success();
}

LogicalResult tcp::verifyConfig(EmitError emitError,
                                const config::TransposeStage &stage) {
  return atLeast(emitError, 1,
                 {{"in_rows", stage.inRows},
                  {"in_columns", stage.inColumns},
                  {"out_rows", stage.outRows}});
}

LogicalResult tcp::verifyConfig(EmitError emitError,
                                const config::CommitStage &stage) {
  return failure(failed(verifySequencer(emitError, stage.sequencer)) ||
                 failed(atLeast(emitError, 1,
                                {{"commit_in_bytes", stage.commitInBytes},
                                 {"access_bytes", stage.accessBytes}})) ||
                 (stage.packing &&
                  failed(verifySequencer(emitError, stage.packing->counts))));
}

LogicalResult tcp::verifyConfig(EmitError emitError,
                                const config::ToTrfStage &stage) {
  return atLeast(emitError, 1,
                 {{"rows", stage.rows}, {"bytes_per_row", stage.bytesPerRow}});
}

LogicalResult tcp::verifyConfig(EmitError emitError,
                                const config::ToVrfStage &stage) {
  return atLeast(emitError, 0,
                 {{"address", stage.address}, {"bytes", stage.bytes}});
}

LogicalResult tcp::verifyConfig(EmitError emitError,
                                const config::AddressStep &step) {
  return atLeast(emitError, 0, {{"loop", step.loop}});
}
