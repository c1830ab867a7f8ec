//===- ConfigJson.cpp - Configurations as JSON ----------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The key names of docs/Spec/Config.md, each stated once.
//
//===----------------------------------------------------------------------===//

#include "JsonFields.h"
#include "ReduceJson.h"
#include "RoutingJson.h"
#include "VectorJson.h"
#include "sequin/Config/Config.h"
#include "sequin/Machine/Machine.h"
#include "sequin/Support/JsonText.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/FormatVariadic.h"
#include <array>

using namespace sequin;
using namespace sequin::config;

//===----------------------------------------------------------------------===//
// Enumerations
//===----------------------------------------------------------------------===//

namespace sequin {

static llvm::StringRef toText(ElementType type) { return getName(type); }

static auto valuesOf(ElementType) {
  return std::array{ElementType::I4,     ElementType::I5,     ElementType::I8,
                    ElementType::I9,     ElementType::I16,    ElementType::I32,
                    ElementType::F8E4M3, ElementType::F8E5M2, ElementType::BF16,
                    ElementType::F16,    ElementType::F32};
}

} // namespace sequin

namespace sequin::config {

llvm::StringRef getName(VectorOpcode opcode) {
  switch (opcode) {
#define SEQUIN_VECTOR_OPCODE(NAME, TEXT, STAGE, ALU, TYPE)                     \
  case VectorOpcode::NAME:                                                     \
    return TEXT;
#include "sequin/Config/VectorOpcodes.def"
  }
  return "";
}

static llvm::StringRef toText(Transfer::Direction direction) {
  return direction == Transfer::Direction::ToDevice ? "to_device" : "to_host";
}
static auto valuesOf(Transfer::Direction) {
  return std::array{Transfer::Direction::ToDevice, Transfer::Direction::ToHost};
}

static llvm::StringRef toText(Memory memory) {
  switch (memory) {
  case Memory::Hbm:
    return "hbm";
  case Memory::Dm:
    return "dm";
  case Memory::Spm:
    break;
  }
  return "spm";
}
static auto valuesOf(Memory) {
  return std::array{Memory::Hbm, Memory::Dm, Memory::Spm};
}

static llvm::StringRef toText(DmaIndirection::Side side) {
  return side == DmaIndirection::Side::Source ? "source" : "destination";
}
static auto valuesOf(DmaIndirection::Side) {
  return std::array{DmaIndirection::Side::Source,
                    DmaIndirection::Side::Destination};
}

static llvm::StringRef toText(TrfAddress address) {
  switch (address) {
  case TrfAddress::FirstHalf:
    return "first_half";
  case TrfAddress::SecondHalf:
    return "second_half";
  case TrfAddress::Full:
    return "full";
  }
  return "";
}
static auto valuesOf(TrfAddress) {
  return std::array{TrfAddress::FirstHalf, TrfAddress::SecondHalf,
                    TrfAddress::Full};
}

static llvm::StringRef toText(AccumulationKind kind) {
  return kind == AccumulationKind::Interleaved ? "interleaved" : "sequential";
}
static auto valuesOf(AccumulationKind) {
  return std::array{AccumulationKind::Interleaved,
                    AccumulationKind::Sequential};
}

static llvm::StringRef toText(ReduceOp op) {
  return op == ReduceOp::Add ? "add" : "max";
}
static auto valuesOf(ReduceOp) {
  return std::array{ReduceOp::Add, ReduceOp::Max};
}

static llvm::StringRef toText(Context context) {
  return context == Context::Main ? "main" : "sub";
}
static auto valuesOf(Context) {
  return std::array{Context::Main, Context::Sub};
}

//===----------------------------------------------------------------------===//
// Loops: structs of integers, written as arrays
//===----------------------------------------------------------------------===//

static auto tuple(Loop &loop) { return std::array{&loop.size, &loop.stride}; }
static auto tuple(const Loop &loop) {
  return std::array{&loop.size, &loop.stride};
}
static auto tuple(Transfer::Entry &entry) {
  return std::array{&entry.size, &entry.hostStride, &entry.deviceStride};
}
static auto tuple(const Transfer::Entry &entry) {
  return std::array{&entry.size, &entry.hostStride, &entry.deviceStride};
}
static auto tuple(DmaDescriptor::Entry &entry) {
  return std::array{&entry.size, &entry.sourceStride, &entry.destinationStride};
}
static auto tuple(const DmaDescriptor::Entry &entry) {
  return std::array{&entry.size, &entry.sourceStride, &entry.destinationStride};
}

//===----------------------------------------------------------------------===//
// Structs
//===----------------------------------------------------------------------===//

using detail::Fields;

template <class Io>
static void describe(Io &io, Fields<Io, Sequencer> sequencer) {
  io.field("base", sequencer.baseAddress);
  io.field("entries", sequencer.entries);
  io.field("packet_entries", sequencer.packetEntries);
}

template <class Io>
static void describe(Io &io, Fields<Io, Transfer> transfer) {
  io.field("direction", transfer.direction);
  io.field("argument", transfer.argument);
  io.optionalField("constant", transfer.constant);
  io.field("chip", transfer.chip);
  io.field("type", transfer.type);
  io.field("host_base", transfer.hostBase);
  io.field("device_address", transfer.deviceAddress);
  io.field("entries", transfer.entries);
  io.field("zero_address", transfer.zeroAddress);
  io.field("zero_bytes", transfer.zeroBytes);
}

template <class Io>
static void describe(Io &io, Fields<Io, DmaIndirection> indirection) {
  io.field("side", indirection.side);
  io.field("chip", indirection.chip);
  io.field("address", indirection.address);
  io.field("strides", indirection.strides);
  io.field("step", indirection.step);
  io.field("count", indirection.count);
}

template <class Io>
static void describe(Io &io, Fields<Io, DmaDescriptor> descriptor) {
  io.field("engine", descriptor.engine);
  io.field("source_chip", descriptor.sourceChip);
  io.field("destination_chip", descriptor.destinationChip);
  io.field("source_address", descriptor.sourceAddress);
  io.field("destination_address", descriptor.destinationAddress);
  io.field("entries", descriptor.entries);
  io.field("packet_bytes", descriptor.packetBytes);
  io.field("indirection", descriptor.indirection);
}

template <class Io>
static void describe(Io &io, Fields<Io, DmaCommand> command) {
  io.field("source", command.source);
  io.field("destination", command.destination);
  io.field("descriptors", command.descriptors);
}

template <class Io> static void describe(Io &io, Fields<Io, FetchMask> mask) {
  io.field("last_dim", mask.lastDim);
  io.field("left_pad", mask.leftPad);
  io.field("last_dim_rightmost_valid_count", mask.validCounts);
  io.field("last_dim_rightmost_valid_count_dim", mask.countDim);
  io.field("pad_value", mask.padValue);
}

template <class Io> static void describe(Io &io, Fields<Io, FetchTable> table) {
  io.field("type", table.type);
  io.field("values", table.values);
}

template <class Io> static void describe(Io &io, Fields<Io, FetchStage> stage) {
  io.field("sequencer", stage.sequencer);
  io.field("from", stage.from);
  io.field("to", stage.to);
  io.field("packet_elements", stage.packetElements);
  io.field("access_bytes", stage.accessBytes);
  io.field("mask", stage.mask);
  io.field("table", stage.table);
  io.optionalField("zero_points", stage.zeroPoints);
  io.field("fetches_per_packet", stage.fetchesPerPacket);
  io.optionalField("dual_channel", stage.dualChannel);
}

template <class Io>
static void describe(Io &io, Fields<Io, CollectStage> stage) {
  io.field("packet_bytes", stage.packetBytes);
  io.field("flits_per_packet", stage.flitsPerPacket);
}

template <class Io> static void describe(Io &io, Fields<Io, ToTrfStage> stage) {
  io.field("address", stage.address);
  io.field("rows", stage.rows);
  io.field("bytes_per_row", stage.bytesPerRow);
  io.optionalField("short_command", stage.shortCommand);
}

template <class Io> static void describe(Io &io, Fields<Io, ToVrfStage> stage) {
  io.field("address", stage.address);
  io.field("bytes", stage.bytes);
}

template <class Io>
static void describe(Io &io, Fields<Io, AccumulateLoop> loop) {
  io.field("size", loop.size);
  io.field("slot_stride", loop.slotStride);
  io.field("reduced", loop.reduced);
}

template <class Io>
static void describe(Io &io, Fields<Io, ContractStage> stage) {
  io.field("type", stage.type);
  io.field("collect_flits", stage.collectFlits);
  io.optionalField("shifts", stage.shifts);
  io.optionalField("shift_stride", stage.shiftStride);
  io.field("time_broadcast", stage.timeBroadcast);
  io.field("trf_address", stage.trfAddress);
  io.field("trf", stage.trf);
  io.field("reg_read_bytes", stage.regReadBytes);
  io.field("rows", stage.rows);
  io.optionalField("reduce_op", stage.reduceOp);
  io.field("depth", stage.depth);
  io.field("columns", stage.columns);
  io.field("kind", stage.kind);
  io.field("loops", stage.loops);
}

template <class Io> static void describe(Io &io, Fields<Io, CastStage> stage) {
  io.field("from", stage.from);
  io.field("to", stage.to);
}

template <class Io>
static void describe(Io &io, Fields<Io, TransposeStage> stage) {
  io.field("type", stage.type);
  io.field("in_rows", stage.inRows);
  io.field("in_columns", stage.inColumns);
  io.field("out_rows", stage.outRows);
}

template <class Io>
static void describe(Io &io, Fields<Io, CommitPacking> packing) {
  io.field("counts", packing.counts);
}

//===----------------------------------------------------------------------===//
// Slice masks
//===----------------------------------------------------------------------===//

static constexpr unsigned kSlicesPerWord = 64;
static constexpr unsigned kDigitsPerWord = 16;

/// All machines have clusters of one size, or the strings could not be cut
/// without knowing the machine (a test holds the rows to it).
static size_t wordsPerCluster() {
  return tcpMachines().front()->slicesPerCluster / kSlicesPerWord;
}

std::vector<std::string> maskToText(llvm::ArrayRef<uint64_t> mask) {
  std::vector<std::string> text;
  for (; !mask.empty();) {
    size_t words = std::min(wordsPerCluster(), mask.size());
    std::string &digits = text.emplace_back();
    for (size_t i = words; i-- > 0;)
      digits += llvm::formatv("{0:x-16}", mask[i]).str();
    mask = mask.drop_front(words);
  }
  return text;
}

llvm::Expected<std::vector<uint64_t>>
maskFromText(llvm::ArrayRef<std::string> text) {
  std::vector<uint64_t> mask;
  for (llvm::StringRef digits : text) {
    if (digits.empty() || digits.size() % kDigitsPerWord)
      return llvm::createStringError(
          "found a string of " + llvm::Twine(digits.size()) +
          " digits, expected a multiple of " + llvm::Twine(kDigitsPerWord));
    for (size_t end = digits.size(); end > 0; end -= kDigitsPerWord) {
      llvm::StringRef word = digits.slice(end - kDigitsPerWord, end);
      if (!llvm::all_of(word, llvm::isHexDigit))
        return llvm::createStringError("found '" + excerpt(word) +
                                       "', expected hexadecimal digits");
      uint64_t bits = 0;
      word.getAsInteger(16, bits);
      mask.push_back(bits);
    }
  }
  return mask;
}

template <class Io>
static void describeMask(Io &io, llvm::StringRef key,
                         Fields<Io, std::vector<uint64_t>> mask) {
  if constexpr (Io::isWriter) {
    io.field(key, maskToText(mask));
  } else {
    std::vector<std::string> text;
    io.field(key, text);
    auto read = maskFromText(text);
    if (read)
      mask = std::move(*read);
    else
      io.fail(key, llvm::toString(read.takeError()));
  }
}

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

template <class Io>
static void describe(Io &io, Fields<Io, CommitStage> stage) {
  io.field("type", stage.type);
  io.field("sequencer", stage.sequencer);
  io.field("commit_in_bytes", stage.commitInBytes);
  io.field("access_bytes", stage.accessBytes);
  bool hasSlices;
  if constexpr (Io::isWriter)
    hasSlices = !stage.sliceBitmap.empty();
  else
    hasSlices = io.has("slices");
  if (hasSlices)
    describeMask(io, "slices", stage.sliceBitmap);
  io.field("packing", stage.packing);
}

template <class Io>
static void describe(Io &io, Fields<Io, GenerateCommand> generate) {
  io.field("chip", generate.chip);
  describeMask(io, "slices", generate.sliceMask);
  io.field("address", generate.address);
  io.field("value", generate.value);
}

template <class Io>
static void describeStages(Io &io, Fields<Io, ExecCommand> exec) {
  io.field("context", exec.context);
  io.optionalField("occupies_dma", exec.occupiesDma);
  io.field("chip", exec.chip);
  io.field("fetch", exec.fetch);
  io.field("switch", exec.switching);
  io.field("collect", exec.collect);
  io.field("contract", exec.contract);
  io.field("vector", exec.vector);
  io.field("cast", exec.cast);
  io.field("transpose", exec.transpose);
  describeMask(io, "slices", exec.sliceMask);
}

template <class Io>
  requires Io::isWriter
static void describe(Io &io, const ExecCommand &exec) {
  describeStages(io, exec);
  if (const auto *commit = std::get_if<CommitStage>(&exec.sink))
    io.field("commit", *commit);
  else if (const auto *toTrf = std::get_if<ToTrfStage>(&exec.sink))
    io.field("to_trf", *toTrf);
  else if (const auto *toVrf = std::get_if<ToVrfStage>(&exec.sink))
    io.field("to_vrf", *toVrf);
}

static void describe(detail::Reader &io, ExecCommand &exec) {
  describeStages(io, exec);
  // Asked for one by one, so that each is a known key.
  bool commit = io.has("commit"), toTrf = io.has("to_trf"),
       toVrf = io.has("to_vrf");
  if (commit + toTrf + toVrf > 1)
    io.fail(commit ? "commit" : "to_trf",
            "a command has one of 'commit', 'to_trf' and 'to_vrf'");
  if (commit)
    io.field("commit", exec.sink.emplace<CommitStage>());
  else if (toTrf)
    io.field("to_trf", exec.sink.emplace<ToTrfStage>());
  else if (toVrf)
    io.field("to_vrf", exec.sink.emplace<ToVrfStage>());
}

template <class Io> static void describe(Io &io, Fields<Io, AddressStep> step) {
  io.field("address", step.address);
  io.field("loop", step.loop);
  io.field("bytes", step.bytes);
}

template <class Io>
  requires Io::isWriter
static void describe(Io &io, const Command &command) {
  io.field("name", command.name);
  io.optionalField("location", command.location);
  if (!command.steps.empty())
    io.field("steps", command.steps);
  if (const auto *transfer = std::get_if<Transfer>(&command.body)) {
    io.field("kind", std::string("transfer"));
    describe(io, *transfer);
  } else if (const auto *dma = std::get_if<DmaCommand>(&command.body)) {
    io.field("kind", std::string("dma"));
    describe(io, *dma);
  } else if (const auto *loop = std::get_if<LoopCommand>(&command.body)) {
    io.field("kind", std::string("loop"));
    io.field("count", loop->count);
    io.field("commands", loop->body);
  } else if (const auto *generate =
                 std::get_if<GenerateCommand>(&command.body)) {
    io.field("kind", std::string("generate"));
    describe(io, *generate);
  } else {
    io.field("kind", std::string("exec"));
    describe(io, std::get<ExecCommand>(command.body));
  }
}

static void describe(detail::Reader &io, Command &command) {
  io.field("name", command.name);
  io.optionalField("location", command.location);
  std::optional<std::vector<AddressStep>> steps;
  io.field("steps", steps);
  command.steps = std::move(steps).value_or(std::vector<AddressStep>());
  std::string kind;
  io.field("kind", kind);
  if (kind == "transfer")
    describe(io, command.body.emplace<Transfer>());
  else if (kind == "dma")
    describe(io, command.body.emplace<DmaCommand>());
  else if (kind == "exec")
    describe(io, command.body.emplace<ExecCommand>());
  else if (kind == "generate")
    describe(io, command.body.emplace<GenerateCommand>());
  else if (kind == "loop") {
    auto &loop = command.body.emplace<LoopCommand>();
    io.field("count", loop.count);
    io.field("commands", loop.body);
  } else
    io.fail("kind", "found '" + kind +
                        "', allowed are transfer, dma, exec, generate, loop");
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

template <class Io>
static void describe(Io &io, Fields<Io, Argument> argument) {
  io.field("name", argument.name);
  io.field("type", argument.type);
  io.field("shape", argument.shape);
}

template <class Io>
static void describe(Io &io, Fields<Io, Constant> constant) {
  io.field("name", constant.name);
  io.field("type", constant.type);
  io.field("shape", constant.shape);
  if constexpr (Io::isWriter) {
    io.field("data", llvm::encodeBase64(constant.data));
  } else {
    std::string text;
    io.field("data", text);
    std::vector<char> data;
    if (llvm::Error error = llvm::decodeBase64(text, data))
      io.fail("data", llvm::toString(std::move(error)));
    constant.data.assign(data.begin(), data.end());
  }
}

/// All but the commands.
template <class Io>
static void describeHeader(Io &io, Fields<Io, Program> program) {
  io.field("target", program.target);
  io.field("chips", program.chips);
  io.field("name", program.name);
  io.field("inputs", program.inputs);
  io.field("outputs", program.outputs);
  io.optionalField("constants", program.constants);
  io.field("macs", program.macs);
  io.field("mac_type", program.macType);
}

static constexpr llvm::StringLiteral kCommands = "commands";

/// All of it.
template <class Io> static void describe(Io &io, Fields<Io, Program> program) {
  // A file of another version may look different everywhere else.
  int64_t version = kFormatVersion;
  io.field("version", version);
  if constexpr (!Io::isWriter)
    if (version != kFormatVersion)
      return io.fail("version", "found " + llvm::Twine(version) +
                                    ", allowed is " +
                                    llvm::Twine(kFormatVersion));
  describeHeader(io, program);
  io.field(kCommands, program.commands);
}

template <typename T> void writeFields(const T &value, FieldSink &sink) {
  detail::Writer(sink).write(value);
}

template <typename T> std::string getForm(const T &value) {
  detail::FormSink sink;
  detail::Writer(sink).write(value);
  return std::move(sink.bytes);
}

template <typename T>
std::optional<FieldError> readFields(const llvm::json::Value &json, T &value) {
  detail::ReadState state;
  detail::Reader reader(json, "", state);
  describe(reader, value);
  reader.finish();
  return std::move(state.error);
}

template <typename T> static llvm::json::Value makeJson(const T &value) {
  detail::JsonSink sink;
  detail::Writer(sink).write(value);
  return sink.take();
}

#define SEQUIN_FIELDS(STRUCT)                                                  \
  template void writeFields(const STRUCT &, FieldSink &);                      \
  template std::string getForm(const STRUCT &);                                \
  template std::optional<FieldError> readFields(const llvm::json::Value &,     \
                                                STRUCT &);
SEQUIN_FIELDS(Argument)
SEQUIN_FIELDS(Constant)
SEQUIN_FIELDS(Transfer)
SEQUIN_FIELDS(DmaDescriptor)
SEQUIN_FIELDS(FetchStage)
SEQUIN_FIELDS(FetchMask)
SEQUIN_FIELDS(SwitchStage)
SEQUIN_FIELDS(CollectStage)
SEQUIN_FIELDS(ContractStage)
SEQUIN_FIELDS(VectorStage)
SEQUIN_FIELDS(CastStage)
SEQUIN_FIELDS(TransposeStage)
SEQUIN_FIELDS(CommitStage)
SEQUIN_FIELDS(ToTrfStage)
SEQUIN_FIELDS(ToVrfStage)
SEQUIN_FIELDS(AddressStep)
SEQUIN_FIELDS(Command)
SEQUIN_FIELDS(Program)
#undef SEQUIN_FIELDS

llvm::json::Value toJSON(const Program &program) { return makeJson(program); }
llvm::json::Value toJSON(const Command &command) { return makeJson(command); }

void writeJSON(llvm::raw_ostream &os, const Program &program) {
  detail::JsonSink sink;
  sink.beginStruct();
  detail::Writer writer(sink);
  writer.field("version", kFormatVersion);
  describeHeader(writer, program);
  sink.endStruct();
  llvm::json::Value header = sink.take();
  writeWithList(os, *header.getAsObject(), kCommands,
                [&](llvm::json::OStream &json) {
                  for (const Command &command : program.commands)
                    json.value(toJSON(command));
                });
}

template <typename T>
static llvm::Expected<T> readJson(const llvm::json::Value &json) {
  T value;
  std::optional<FieldError> error = readFields(json, value);
  if (!error)
    return value;
  // A problem of the outermost object has no path.
  return llvm::createStringError(error->path.empty()
                                     ? error->message
                                     : error->path + ": " + error->message);
}

llvm::Expected<Program> fromJSON(const llvm::json::Value &value) {
  return readJson<Program>(value);
}

llvm::Expected<Command> commandFromJSON(const llvm::json::Value &value) {
  return readJson<Command>(value);
}

llvm::Expected<Program> fromJSONText(llvm::StringRef text) {
  llvm::Expected<llvm::json::Value> value = parseJson(text);
  if (!value)
    return value.takeError();
  return fromJSON(*value);
}

} // namespace sequin::config
