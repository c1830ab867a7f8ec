//===- Config.h - The derived hardware configuration of the TCP -*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the compiler hands to a machine: addresses, loop nests, sizes and
// opcodes. There are no axes and no mapping expressions here; a number that was
// derived wrongly gives a wrong answer on the simulator. The structs mirror the
// JSON one to one (docs/Spec/Config.md); toJSON and fromJSON are the only two
// readers of the key names.
//
// A program is a list of commands in program order. Each runs on one resource:
//
//     transfer   host <-> HBM, before and after the kernel (not timed)
//     dma        the tensor DMA engines
//     exec       one pass through the tensor unit, main or sub context
//     generate   one number written by the sub context's commit engine
//     loop       commands that run several times, addresses advancing
//
// An exec is a pipeline. Which stages are present decides what it does:
//
//     fetch -> [switch] -> collect -> [contract] -> [vector] -> [cast] ->
//     [transpose] -> commit
//                      -> toTrf                     (sub or main)
//                      -> toVrf
//
// Conventions: sequencer entries are outermost first; strides of tensor-unit
// sequencers are in elements of the named type, everything called ...Bytes or
// ...Address is in bytes.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_CONFIG_CONFIG_H
#define SEQUIN_CONFIG_CONFIG_H

#include "sequin/Support/ElementType.h"
#include "sequin/Support/JsonText.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace sequin::config {

/// Format version written to and required of JSON files.
inline constexpr int64_t kFormatVersion = 1;

/// A loop: `size` iterations, `stride` apart.
struct Loop {
  int64_t size = 1;
  int64_t stride = 0;
};

/// A nest of loops over one memory, outermost first. JSON: {"base": bytes,
/// "entries": [[size, stride], ...], "packet_entries": n}. Loops that are a
/// struct of integers only are written as arrays throughout, in the order of
/// the members.
struct Sequencer {
  /// Byte address of the element visited first.
  int64_t baseAddress = 0;
  /// Strides in elements.
  llvm::SmallVector<Loop, 8> entries;
  /// The innermost entries that walk one packet.
  int64_t packetEntries = 0;
};

/// Host <-> HBM copy of one argument or result, per chip. Host arrays are dense
/// and row-major in the program's element type.
struct Transfer {
  enum class Direction : uint8_t { ToDevice, ToHost };
  struct Entry {
    int64_t size = 1;
    int64_t hostStride = 0;   ///< elements
    int64_t deviceStride = 0; ///< elements
  };
  Direction direction = Direction::ToDevice;
  int64_t argument = 0; ///< index into Program::inputs or outputs
  /// `argument` is an index into Program::constants instead.
  bool constant = false;
  int64_t chip = 0;
  ElementType type = ElementType::I8;
  int64_t hostBase = 0;      ///< element offset into the host array
  int64_t deviceAddress = 0; ///< bytes, HBM
  llvm::SmallVector<Entry, 8> entries;
  /// Before the copy, zero this many bytes of HBM from zeroAddress (zero
  /// padding); 0 zeroes nothing.
  int64_t zeroAddress = 0, zeroBytes = 0;
};

enum class Memory : uint8_t { Hbm, Dm, Spm };

/// One side of a descriptor is found through a table of i32 indices in HBM:
/// the index at `address` + sum of count * stride over the entries, times
/// `step` bytes, is added to that side's address.
struct DmaIndirection {
  enum class Side : uint8_t { Source, Destination };
  Side side = Side::Source;
  int64_t chip = 0;
  int64_t address = 0; ///< of the first index, bytes
  /// Bytes from index to index per iteration of each entry; 0 keeps it.
  llvm::SmallVector<int64_t, 8> strides;
  int64_t step = 0;  ///< bytes per index
  int64_t count = 1; ///< indices are 0 to count - 1
};

/// Work of one DMA engine: a paired read and write sequencer.
struct DmaDescriptor {
  struct Entry {
    int64_t size = 1;
    int64_t sourceStride = 0;      ///< bytes
    int64_t destinationStride = 0; ///< bytes
  };
  int64_t engine = 0;
  int64_t sourceChip = 0, destinationChip = 0;
  /// HBM: byte address. DM: flat address, (cluster * slices + slice) * slice
  /// stride of the machine + offset in the slice. SPM: flat address, network *
  /// bytes of a network's scratchpad + offset.
  int64_t sourceAddress = 0, destinationAddress = 0;
  llvm::SmallVector<Entry, 8> entries;
  /// Bytes that are consecutive on both sides (the manual's stride0).
  int64_t packetBytes = 0;
  std::optional<DmaIndirection> indirection;
};

struct DmaCommand {
  Memory source = Memory::Hbm, destination = Memory::Dm;
  std::vector<DmaDescriptor> descriptors;
};

/// What the fetch adapter sets to padValue: elements of dim0, the sequencer's
/// innermost entry, of `size` elements (TCP, Fetch Engine, Masking
/// Configuration; members in the manual's terms, entries numbered from the
/// outermost). While the index of entry lastDim
///   is 0, the first leftPad elements;
///   is its last, all from the valid count on: validCounts[i], where i is the
///   index of entry countDim, or 0 without one (a count of what is kept, left
///   padding included).
/// Masking comes first: padValue is the element's bits in the source type (its
/// low bits; negative numbers are fine).
struct FetchMask {
  int64_t lastDim = 0;
  int64_t leftPad = 0;
  llvm::SmallVector<int64_t, 8> validCounts;
  std::optional<int64_t> countDim;
  int64_t padValue = 0;
};

/// Every element, as an unsigned number of its bits, is replaced by the value
/// at that place; there is one for each number. Element bits of `type`.
struct FetchTable {
  ElementType type = ElementType::I8;
  std::vector<int64_t> values;
};

/// Sequencer and adapter; the stages of the adapter in order.
struct FetchStage {
  Sequencer sequencer;
  ElementType from = ElementType::I8, to = ElementType::I8;
  int64_t packetElements = 1;
  int64_t accessBytes = 1; ///< fetch_size, in source bytes
  std::optional<FetchMask> mask;
  std::optional<FetchTable> table;
  /// Subtracted after the conversion, in the type `to`: none; one; or two, for
  /// packets at even and at odd places (two interleaved tensors).
  llvm::SmallVector<int64_t, 2> zeroPoints;
  int64_t fetchesPerPacket = 1;
  /// Works with the sub context's engine: two accesses per cycle, 64-byte
  /// flits.
  bool dualChannel = false;
};

/// Consecutive slices whose routers are set alike.
struct RouterSetting {
  int64_t slices = 1;
  /// The snoop bitmap: bit s of word s / 64 is set if these slices take the
  /// packets that slice s of the cluster puts on the ring. JSON: one
  /// hexadecimal string, the highest slice's digit first.
  std::vector<uint64_t> sources;
  /// The packet of every source that is taken first.
  int64_t firstPacket = 0;
};

/// Traffic between the slices of a cluster, in rings of `ringSize` neighbours
/// (TCP, Switch Engine, Architecture).
struct Routing {
  int64_t ringSize = 1;
  /// From slice 0 on. Settings for fewer slices than a cluster has repeat, the
  /// sources moved along.
  std::vector<RouterSetting> routers;
  /// If not 0, `routers` are those of the first `period` slices of a ring,
  /// after which its slices are set like them again, with the same sources:
  /// columns of a ring. It divides ringSize. With every repetition firstPacket
  /// is `periodPackets` further.
  int64_t period = 0, periodPackets = 0;
  /// The packets that a slice takes of every source: loops over packets,
  /// outermost first, from firstPacket on.
  llvm::SmallVector<Loop, 2> packets;
};

/// The order in which packets come round: a turn of every group of
/// `groupSlices` neighbours after the other. In a turn the slices of the group
/// pass on `groupPackets` packets each, alternating packet by packet,
/// ascending. groupPackets counts the packets that are taken of a source.
struct SwitchStage {
  Routing routing;
  int64_t groupSlices = 1, groupPackets = 1;
  /// The snoop bitmaps are written to the routers' registers for this pass,
  /// which holds up the DMA engines and the sub context. Without it the routers
  /// know patterns in which all slices are alike.
  bool writesBitmaps = false;
};

/// Pads each packet with zeros to whole flits and cuts it into them.
struct CollectStage {
  int64_t packetBytes = 32;
  int64_t flitsPerPacket = 1;
};

/// The part of every TRF row that a tensor lives in.
enum class TrfAddress : uint8_t { FirstHalf, SecondHalf, Full };

/// Writes the flits in order: row 0's bytes, then row 1's, ... bytesPerRow is
/// whole flits and rows * bytesPerRow is all of the stream.
struct ToTrfStage {
  TrfAddress address = TrfAddress::Full;
  int64_t rows = 1;
  int64_t bytesPerRow = 0;
  /// One contiguous load as a short command (TCP, SRAM-to-TRF): the fetch
  /// sequencer is one run, and nothing happens to the elements on the way.
  bool shortCommand = false;
};

/// Writes the flits in order from `address` on; `bytes` may leave out padding
/// of the last flit.
struct ToVrfStage {
  int64_t address = 0;
  int64_t bytes = 0;
};

enum class AccumulationKind : uint8_t { Interleaved, Sequential };

/// What tree and accumulator do with the products (TCP, Reducer).
enum class ReduceOp : uint8_t { Add, Max };

/// A loop over the computation packets as the accumulator sees it.
struct AccumulateLoop {
  int64_t size = 1;
  /// Advance in accumulator slots; 0 for reduced loops and loops outside the
  /// outermost reduced one. A slot holds one result of the tree: interleaved,
  /// `columns` registers of every row (slot * columns + column < 128 on RNGD);
  /// sequential, one 32-column vector per row (slot * rows + row < 32).
  int64_t slotStride = 0;
  bool reduced = false;
};

/// align + contract + accumulate.
struct ContractStage {
  ElementType type = ElementType::BF16; ///< of both operands
  /// Stream adapter: flits per 64-byte packet (1: upper half zero; 3: for
  /// shift-reuse), then each packet is repeated timeBroadcast times.
  int64_t collectFlits = 2;
  /// Shift-reuse: the collected flits make shifts + 1 packets; packet i starts
  /// i * shiftStride elements into them, with zeros behind their end.
  int64_t shifts = 0;
  int64_t shiftStride = 0;
  int64_t timeBroadcast = 1;
  /// TRF side: the sequencer walks the packets in time (baseAddress from the
  /// start of the part of a row that trfAddress names; packetEntries = 0); each
  /// step reads regReadBytes and repeats them to fill the computation packet.
  TrfAddress trfAddress = TrfAddress::Full;
  Sequencer trf;
  int64_t regReadBytes = 64;
  int64_t rows = 8;
  /// Max uses row 0 alone.
  ReduceOp reduceOp = ReduceOp::Add;
  /// Adder tree levels; 2^depth adjacent lanes become one column.
  int64_t depth = 5;
  /// Columns kept per row after the tree (interleaved: m; sequential: all
  /// used).
  int64_t columns = 1;
  AccumulationKind kind = AccumulationKind::Interleaved;
  llvm::SmallVector<AccumulateLoop, 6> loops; ///< outermost first
};

/// Operations of the vector engine, in pipeline order (TCP, Intra-Slice Block).
enum class VectorOpcode : uint8_t {
#define SEQUIN_VECTOR_OPCODE(NAME, TEXT, STAGE, ALU, TYPE) NAME,
#include "sequin/Config/VectorOpcodes.def"
};

/// The spelling in JSON and in messages.
llvm::StringRef getName(VectorOpcode opcode);

/// Where an operation's further input comes from.
struct VectorOperand {
  enum class Kind : uint8_t { None, Constant, Vrf, Stash, Register };
  Kind kind = Kind::None;
  /// The 32 bits of an i32 or f32 constant.
  uint32_t constant = 0;
  /// VRF: one element per stream element, in stream order; the entries cover
  /// time and packet (packetEntries says how many are the packet's). Strides in
  /// 32-bit elements.
  Sequencer vrf;
};

/// Which inputs an operation takes, in the order of its arguments (TCP,
/// Intra-Slice Block, Argument Modes): 0 is the stream, 1 the first operand, 2
/// the second; in a zip 0 and 1 are the groups. Default is 0, 01 or 012.
enum class ArgMode : uint8_t {
  Default,
  M0,
  M1,
  M00,
  M01,
  M10,
  M11,
  M012,
  M002,
  M102,
  M112,
  M020,
  M021,
  M120,
};

/// A set of ExecutionIds, bit i for id i.
using IdSet = uint16_t;
inline constexpr IdSet kAllIds = 0xffff;

struct VectorOp {
  VectorOpcode opcode = VectorOpcode::FxpAdd;
  VectorOperand operand, operand1;
  ArgMode mode = ArgMode::Default;
  /// int_width of fxp_to_fp and fp_to_fxp.
  int64_t intWidth = 31;
  /// Elements with another ExecutionId pass unchanged. Of a filter: what is
  /// kept.
  IdSet ids = kAllIds;
  /// Results of elements with these ids are kept in the operand register of
  /// their lane, which operands of kind Register read.
  IdSet writeIds = 0;
  /// In a pair, the groups it works on: bit 0 group 0, bit 1 group 1. One
  /// operation with two operands is two entries, one per group.
  uint8_t groups = 3;
  /// Joins the pair: the inputs are the two groups.
  bool zip = false;
  /// Of a filter: elements per slice behind it. The kept ones come first, the
  /// others have no value.
  int64_t elements = 0;
};

/// How every element gets its 4-bit ExecutionId (TCP, Intra-Slice Block,
/// Branch).
enum class BranchMode : uint8_t {
  Unconditional, ///< 0
  AxisToggle,    ///< the lowest bit of an axis' index
  ValidCount,    ///< 0 valid, 1 invalid
  Comparison,    ///< bit i is the result of comparison i
  Vrf,           ///< read from the VRF
};

enum class InputCompare : uint8_t {
  Never,
  Less,
  LessEqual,
  Equal,
  NotEqual,
  GreaterEqual,
  Greater,
  LessUnsigned,    ///< the 32 bits as they are, of i32 and f32
  GreaterUnsigned, ///< likewise
};

/// element `compare` constant.
struct InputCmp {
  InputCompare compare = InputCompare::Never;
  uint32_t constant = 0;
};

struct BranchStage {
  BranchMode mode = BranchMode::Unconditional;
  /// AxisToggle: loops over the elements in stream order (time, then packet);
  /// the sum of count * stride is the axis' index.
  llvm::SmallVector<Loop, 8> toggle;
  /// Comparison: bit i of the id; at most four.
  llvm::SmallVector<InputCmp, 4> comparisons;
  /// Vrf: the 4-bit ids, one per stream element, in stream order; strides in
  /// ids.
  Sequencer vrf;
  /// The branch logger: where the ids of the whole stream are written in the
  /// VRF, two per byte in stream order. None: not written.
  std::optional<int64_t> logAddress;
};

enum class InterSliceOpcode : uint8_t { Add, AddSat, Max, Min, Mul };

/// Folds the packets of the sources of every slice, in ascending order of the
/// sources (TCP, Inter-Slice Block).
struct InterSliceStage {
  InterSliceOpcode opcode = InterSliceOpcode::Add;
  ElementType type = ElementType::I32; ///< i32 or f32
  Routing routing;
};

/// Tags every 8-lane flit at the entry of the intra-slice block with how many
/// of its leading elements are data (TCP, Valid Count Generator, VCG
/// Configuration).
struct ValidCountGenerator {
  static constexpr int64_t kUnassigned = -1;
  static constexpr int64_t kPacketDim = 0;
  /// Gate g is dim kFirstGate + g.
  static constexpr int64_t kFirstGate = 1;

  /// Counts the steps of the counters before it, modulo limit; count * stride
  /// is added to the index of its dim.
  struct Counter {
    int64_t limit = 1;
    int64_t dim = kUnassigned;
    int64_t stride = 0;
    bool operator==(const Counter &) const = default;
  };
  /// Compares slice number & mask with match: below it the gate is open; at it,
  /// and if transposed also above it, it is open while the dim's index is less
  /// than valid; otherwise it is shut.
  struct Gate {
    int64_t mask = 0;
    int64_t match = 1;
    int64_t valid = 0;
    bool transposed = false;
    bool operator==(const Gate &) const = default;
  };

  /// Fastest first. The stride of the first one of the packet dim is the most
  /// elements of a flit that can be data (stride_p); without one a flit is.
  llvm::SmallVector<Counter, 8> counters;
  /// V_p: elements along the packet dim.
  int64_t packetValid = 0;
  llvm::SmallVector<Gate, 3> gates;
  bool operator==(const ValidCountGenerator &) const = default;
};

enum class IntraSliceReduceOp : uint8_t { AddSat, Max, Min, AddF, MaxF, MinF };

/// A loop over the 4-lane packets as the reduction sees it.
struct ReduceLoop {
  int64_t size = 1;
  /// Advance in accumulator slots; 0 for reduced loops and loops outside the
  /// outermost reduced one.
  int64_t slotStride = 0;
  bool reduced = false;
};

/// Reduces 4-lane packets between the float cluster and FpDiv (TCP, Intra-Slice
/// Reduce). Elements that the valid count generator says are none are replaced
/// by the identity of the operation.
struct IntraSliceReduceStage {
  IntraSliceReduceOp op = IntraSliceReduceOp::AddSat;
  /// Whether the tree reduces the lanes of a packet into lane 0; otherwise a
  /// slot keeps the lanes apart.
  bool tree = false;
  llvm::SmallVector<ReduceLoop, 6> loops; ///< outermost first
};

struct VectorStage {
  ElementType type = ElementType::I32; ///< at the entry: i32 or f32
  /// The intra-slice block; before the inter-slice block if there is one.
  std::vector<VectorOp> ops;
  std::optional<InterSliceStage> interSlice = {};
  /// The intra-slice block behind the inter-slice block. One of the two lists
  /// is empty: a pass goes through the intra-slice block once.
  std::vector<VectorOp> opsAfter = {};
  /// Of the intra-slice block.
  BranchStage branch = {};
  /// None: every element is data.
  std::optional<ValidCountGenerator> validCount = {};
  /// Its place among the operations is that of its stage.
  std::optional<IntraSliceReduceStage> intraSliceReduce = {};
  /// Two-group mode: flits of the two groups alternate from the entry to the
  /// zip.
  bool unzip = false;
};

struct CastStage {
  ElementType from = ElementType::F32, to = ElementType::BF16;
};

/// Cuts the stream into matrices of inRows x inColumns elements and passes on
/// their first outRows columns, one per flit (TCP, Transpose Engine). A matrix
/// comes row after row, in flits of which elements_per_packet elements count.
struct TransposeStage {
  ElementType type = ElementType::I8;
  int64_t inRows = 1;
  int64_t inColumns = 8;
  int64_t outRows = 8;
};

/// Valid count packing (TCP, Commit Engine, Sub-Context Operations): of every
/// flit as many leading elements are written as the next i32 number says that
/// `counts` walks in the slice's DM.
struct CommitPacking {
  Sequencer counts;
};

struct CommitStage {
  ElementType type = ElementType::I8;
  /// With packing: the whole of what may be written, filled from its start.
  Sequencer sequencer;
  int64_t commitInBytes = 32; ///< leading bytes of each flit that are written
  int64_t accessBytes = 8;    ///< commit_size
  /// The slice bitmap, as ExecCommand::sliceMask: those that write. Empty: all
  /// that take part.
  std::vector<uint64_t> sliceBitmap = {};
  std::optional<CommitPacking> packing = std::nullopt;
};

/// Generate mode of the commit engine in the sub context (TCP, Commit Engine,
/// Sub-Context Operations): `value` is written at `address` in the DM of every
/// slice of the mask.
struct GenerateCommand {
  int64_t chip = 0;
  std::vector<uint64_t> sliceMask;
  int64_t address = 0;
  uint32_t value = 0;
};

enum class Context : uint8_t { Main, Sub };

struct ExecCommand {
  Context context = Context::Main;
  /// Whether the pass holds the DMA engines of its chip too, because its
  /// accesses to one bank of data memory would starve them (TCP, Memory
  /// Performance, Bank Starvation; see BankRuns.h).
  bool occupiesDma = false;
  int64_t chip = 0;
  /// Slices that take part, one bit per slice, 64 slices per word, cluster 0
  /// first. JSON ("slices"): hexadecimal strings, one per cluster, the highest
  /// slice's digit first.
  std::vector<uint64_t> sliceMask;
  FetchStage fetch;
  std::optional<SwitchStage> switching;
  CollectStage collect;
  std::optional<ContractStage> contract;
  std::optional<VectorStage> vector;
  std::optional<CastStage> cast;
  std::optional<TransposeStage> transpose = std::nullopt;
  std::variant<std::monostate, CommitStage, ToTrfStage, ToVrfStage> sink;
};

/// While loop number `loop` (0 is the outermost around the command) advances by
/// one, `address` advances by `bytes`.
struct AddressStep {
  /// The key of the address: "fetch.sequencer", "commit.sequencer",
  /// "descriptors[2].source_address"; forEachAddress gives them.
  std::string address;
  int64_t loop = 0;
  int64_t bytes = 0;
};

struct Command;

/// Commands that run `count` times, one round after the other.
struct LoopCommand {
  int64_t count = 1;
  std::vector<Command> body;
};

struct Command {
  /// What the user wrote or the compiler chose, unique in the program.
  std::string name;
  /// "file:line:col" of the operation it came from; may be empty.
  std::string location;
  std::variant<Transfer, DmaCommand, ExecCommand, LoopCommand, GenerateCommand>
      body;
  /// Of a command inside loops; what is not here stays.
  std::vector<AddressStep> steps = {};
};

/// A host array of the program.
struct Argument {
  std::string name;
  ElementType type = ElementType::I8;
  llvm::SmallVector<int64_t, 4> shape;
};

/// A host array that the program brings along.
struct Constant {
  std::string name;
  ElementType type = ElementType::I8;
  llvm::SmallVector<int64_t, 4> shape;
  /// Little endian, row-major, a byte for each element of less than a byte; or
  /// one element that all are equal to. JSON: base64.
  std::vector<uint8_t> data;
};

struct Program {
  std::string target; ///< machine name
  int64_t chips = 1;
  std::string name;
  std::vector<Argument> inputs, outputs;
  std::vector<Constant> constants = {};
  /// Useful multiply-accumulates of the program as it was given, and the
  /// operand type whose peak rate utilisation is measured against.
  int64_t macs = 0;
  ElementType macType = ElementType::BF16;
  std::vector<Command> commands;
};

llvm::json::Value toJSON(const Program &program);
/// The same as text, indented by two, a line end at its end; holds one command
/// at a time as JSON values, which take many times the room of their text.
void writeJSON(llvm::raw_ostream &os, const Program &program);
/// Errors name the path of the offending key ("commands[3].fetch.sequencer"),
/// what was found and what is allowed; a wrong or missing version names both.
/// The form is checked here, the numbers by the simulator.
llvm::Expected<Program> fromJSON(const llvm::json::Value &value);
/// The most commands that the derivation writes out of one loop.
inline constexpr int64_t kMaxCommands = int64_t(1) << 18;
/// Calls `visit(key, address)` for every memory address of a command that may
/// follow a loop.
void forEachAddress(
    Command &command,
    llvm::function_ref<void(const std::string &, int64_t &)> visit);
/// Parses JSON text and reads the program; the only way from text.
llvm::Expected<Program> fromJSONText(llvm::StringRef text);

/// One command alone, in the same form as inside a program: what the IR form of
/// a configuration stores per operation.
llvm::json::Value toJSON(const Command &command);
llvm::Expected<Command> commandFromJSON(const llvm::json::Value &value);

} // namespace sequin::config

#endif // SEQUIN_CONFIG_CONFIG_H
