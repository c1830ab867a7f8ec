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
//
// An exec is a pipeline. Which stages are present decides what it does:
//
//     fetch -> [switch] -> collect -> [contract] -> [vector] -> [cast] ->
//     commit
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
  int64_t chip = 0;
  ElementType type = ElementType::I8;
  int64_t hostBase = 0;      ///< element offset into the host array
  int64_t deviceAddress = 0; ///< bytes, HBM
  llvm::SmallVector<Entry, 8> entries;
  /// Before the copy, zero this many bytes of HBM from zeroAddress (zero
  /// padding); 0 zeroes nothing.
  int64_t zeroAddress = 0, zeroBytes = 0;
};

enum class Memory : uint8_t { Hbm, Dm };

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
  /// stride of the machine + offset in the slice.
  int64_t sourceAddress = 0, destinationAddress = 0;
  llvm::SmallVector<Entry, 8> entries;
  /// Bytes that are consecutive on both sides (the manual's stride0).
  int64_t packetBytes = 0;
};

struct DmaCommand {
  Memory source = Memory::Hbm, destination = Memory::Dm;
  std::vector<DmaDescriptor> descriptors;
};

/// Sets trailing elements of packets to `value`: when every loop in `lastLoops`
/// (indices into the fetch sequencer's time entries) is at its last iteration,
/// only the first `validCount` elements of the packet are kept; empty lastLoops
/// means always. Masking comes before the conversion: `value` is the element's
/// bits in the source type (its low bits; negative numbers are fine).
struct FetchMask {
  llvm::SmallVector<int64_t, 2> lastLoops;
  int64_t validCount = 0;
  int64_t value = 0;
};

struct FetchStage {
  Sequencer sequencer;
  ElementType from = ElementType::I8, to = ElementType::I8;
  int64_t packetElements = 1;
  int64_t accessBytes = 1; ///< fetch_size, in source bytes
  std::optional<FetchMask> mask;
};

/// Broadcast01: every slice of a ring of slice1 * slice0 neighbouring slices
/// receives the packets of all of them, in the order [time1, slice1, time0,
/// slice0] (TCP, Switch Engine).
struct SwitchStage {
  int64_t slice1 = 1, slice0 = 1;
  int64_t time0 = 1;
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
};

/// Writes the flits in order from `address` on; `bytes` may leave out padding
/// of the last flit.
struct ToVrfStage {
  int64_t address = 0;
  int64_t bytes = 0;
};

enum class AccumulationKind : uint8_t { Interleaved, Sequential };

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
  /// Stream adapter: flits per 64-byte packet (1: upper half zero), then each
  /// packet is repeated timeBroadcast times.
  int64_t collectFlits = 2;
  int64_t timeBroadcast = 1;
  /// TRF side: the sequencer walks the packets in time (baseAddress from the
  /// start of the part of a row that trfAddress names; packetEntries = 0); each
  /// step reads regReadBytes and repeats them to fill the computation packet.
  TrfAddress trfAddress = TrfAddress::Full;
  Sequencer trf;
  int64_t regReadBytes = 64;
  int64_t rows = 8;
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

/// Second operand of a vector op.
struct VectorOperand {
  enum class Kind : uint8_t { None, Constant, Vrf };
  Kind kind = Kind::None;
  /// The 32 bits of an i32 or f32 constant.
  uint32_t constant = 0;
  /// VRF: one element per stream element, in stream order; the entries cover
  /// time and packet (packetEntries says how many are the packet's). Strides in
  /// 32-bit elements.
  Sequencer vrf;
};

struct VectorOp {
  VectorOpcode opcode = VectorOpcode::FxpAdd;
  VectorOperand operand;
  /// Which side the operand is on: false is op(stream, operand), true is
  /// op(operand, stream) (argument modes 01 and 10).
  bool swapped = false;
  /// int_width of fxp_to_fp and fp_to_fxp.
  int64_t intWidth = 31;
};

struct VectorStage {
  ElementType type = ElementType::I32; ///< at the entry: i32 or f32
  std::vector<VectorOp> ops;
};

struct CastStage {
  ElementType from = ElementType::F32, to = ElementType::BF16;
};

struct CommitStage {
  ElementType type = ElementType::I8;
  Sequencer sequencer;
  int64_t commitInBytes = 32; ///< leading bytes of each flit that are written
  int64_t accessBytes = 8;    ///< commit_size
};

enum class Context : uint8_t { Main, Sub };

struct ExecCommand {
  Context context = Context::Main;
  int64_t chip = 0;
  /// Slices that take part, one bit per slice, 64 slices per word, cluster 0
  /// first. JSON ("slices"): hexadecimal strings, one per cluster, the highest
  /// slice's digit first.
  std::vector<uint64_t> sliceMask;
  FetchStage fetch;
  std::optional<SwitchStage> broadcast01;
  CollectStage collect;
  std::optional<ContractStage> contract;
  std::optional<VectorStage> vector;
  std::optional<CastStage> cast;
  std::variant<std::monostate, CommitStage, ToTrfStage, ToVrfStage> sink;
};

struct Command {
  /// What the user wrote or the compiler chose, unique in the program.
  std::string name;
  /// "file:line:col" of the operation it came from; may be empty.
  std::string location;
  std::variant<Transfer, DmaCommand, ExecCommand> body;
};

/// A host array of the program.
struct Argument {
  std::string name;
  ElementType type = ElementType::I8;
  llvm::SmallVector<int64_t, 4> shape;
};

struct Program {
  std::string target; ///< machine name
  int64_t chips = 1;
  std::string name;
  std::vector<Argument> inputs, outputs;
  /// Useful multiply-accumulates of the program as it was given, and the
  /// operand type whose peak rate utilisation is measured against.
  int64_t macs = 0;
  ElementType macType = ElementType::BF16;
  std::vector<Command> commands;
};

llvm::json::Value toJSON(const Program &program);
/// Errors name the path of the offending key ("commands[3].fetch.sequencer"),
/// what was found and what is allowed; a wrong or missing version names both.
/// The form is checked here, the numbers by the simulator.
llvm::Expected<Program> fromJSON(const llvm::json::Value &value);
/// Most arrays and objects inside one another in JSON text; a program needs
/// fewer than ten.
inline constexpr int64_t kMaxNesting = 64;
/// Parses JSON text and reads the program; the only way from text.
llvm::Expected<Program> fromJSONText(llvm::StringRef text);

/// One command alone, in the same form as inside a program: what the IR form of
/// a configuration stores per operation.
llvm::json::Value toJSON(const Command &command);
llvm::Expected<Command> commandFromJSON(const llvm::json::Value &value);

} // namespace sequin::config

#endif // SEQUIN_CONFIG_CONFIG_H
