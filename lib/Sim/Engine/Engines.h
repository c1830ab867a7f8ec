//===- Engines.h - The stages of the tensor unit ----------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each engine is made once per command and runs for one slice after the other:
// begin() binds it to the slice's memory, then data passes in blocks of flits.
// Nothing can go wrong here any more: the command has been checked.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_SIM_ENGINE_ENGINES_H
#define SEQUIN_LIB_SIM_ENGINE_ENGINES_H

#include "Engine/Nest.h"
#include "Engine/Routing.h"
#include "Memory/Memory.h"
#include "Plan.h"
#include "sequin/Sim/TrfLayout.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <bit>
#include <memory>

namespace sequin::sim {

// Memories are little-endian, and streams are read as the host's integers.
static_assert(std::endian::native == std::endian::little,
              "the simulator needs a little-endian host");

/// A block of whole flits, which the receiver may change.
using FlitSink = llvm::function_ref<void(llvm::MutableArrayRef<uint8_t>)>;

/// Bytes that `count` elements take in the blocks that engines hand on. That is
/// what they take in the machine, except i5 and i9, whose five and nine bits
/// have no place in the slots of four and eight.
inline int64_t slotBytes(ElementType type, int64_t count) {
  return getByteSize(type, count * TrfLayout::hostScale(type));
}

/// The stages of the fetch adapter that work on elements: table, conversion,
/// zero point.
struct AdapterMap {
  using Function = void (*)(const AdapterMap &, const uint8_t *source,
                            uint8_t *result, int64_t units);

  AdapterMap(const config::FetchStage &stage, int64_t zeroPoint);
  void apply(const uint8_t *source, uint8_t *result, int64_t elements) const {
    function(*this, source, result, elements / elementsPerUnit);
  }

  const config::FetchStage *stage;
  int64_t zeroPoint;
  Function function = nullptr;
  int64_t elementsPerUnit = 1;
  std::vector<uint8_t> table; ///< results by source unit; may be empty
  uint32_t subnormalBits;     ///< what is kept of an f32 subnormal
};

/// The first stage of the fetch adapter. Called with all elements in order.
class FetchMaskEngine {
public:
  explicit FetchMaskEngine(const config::FetchStage &stage);
  void begin();
  /// Whole rows of dim0.
  void apply(uint8_t *data, int64_t elements);

private:
  struct Wheel {
    int64_t size, count;
  };
  const config::FetchMask &mask;
  ElementType type;
  int64_t dim0;
  llvm::SmallVector<Wheel, 8> wheels; ///< the entries outside dim0
};

/// Reads DM, masks and converts, and pads packets to flits.
class FetchEngine {
public:
  FetchEngine(const config::FetchStage &stage, const CommandPlan &plan,
              const TcpMachine &machine);
  void begin(const uint8_t *dm);
  /// The next `packets` packets as flits; the block is valid until the next
  /// call.
  llvm::MutableArrayRef<uint8_t> read(int64_t packets);
  /// The same, for a reader that changes nothing: a part of DM if possible.
  llvm::ArrayRef<uint8_t> view(int64_t packets);
  /// Bytes of a packet in such a block.
  int64_t packetBytes() const { return paddedBytes; }

private:
  const config::FetchStage &stage;
  int64_t sourceBytes, streamBytes, paddedBytes;
  ByteStream addresses;
  const uint8_t *base = nullptr;
  std::optional<FetchMaskEngine> mask;
  std::vector<AdapterMap> maps; ///< none, one, or one per interleaved tensor
  size_t turn = 0;              ///< the map of the next packet
  std::vector<uint8_t> source, flits;
};

class ContractEngine {
public:
  virtual ~ContractEngine() = default;
  /// `fetch` is the whole of what brings the stream, or null. Slices may get
  /// the same stream if `repeats`.
  static std::unique_ptr<ContractEngine>
  create(const config::ContractStage &stage, const CommandPlan &plan,
         const TcpMachine &machine, const config::FetchStage *fetch = nullptr,
         bool repeats = false);
  /// Takes repetitions that the engine makes by itself out of the fetch; by how
  /// much the stream is shorter then.
  virtual int64_t shorten(config::FetchStage &fetch) const = 0;
  /// `trf` holds all rows, one after the other.
  virtual void begin(const uint8_t *trf) = 0;
  /// Takes whole computation packets and passes on what is complete.
  virtual void push(llvm::ArrayRef<uint8_t> flits, FlitSink sink) = 0;
  /// Instead, all of the stream that the slice before got; whether the engine
  /// has it still.
  virtual bool pushAgain(FlitSink sink) = 0;
  /// Passes on what is left.
  virtual void finish(FlitSink sink) = 0;
};

/// The switch engine, for one ring after the other.
class SwitchEngine {
public:
  SwitchEngine(const config::SwitchStage &stage, int64_t packetBytes);
  /// The ring that begins with slice `first`; `fetch` delivers all packets of a
  /// slice, and is asked for those that the slices of `takers` listen to.
  void load(int64_t first, llvm::ArrayRef<uint64_t> takers,
            llvm::function_ref<llvm::ArrayRef<uint8_t>(int64_t)> fetch);
  /// From now on read() gives what `slice` of the ring receives; whether that
  /// is what the slice before received.
  bool begin(int64_t slice);
  /// The next packets, as flits; the block is valid until the next call.
  llvm::MutableArrayRef<uint8_t> read(int64_t packets);
  const RoutingTable &routing() const { return table; }

private:
  int64_t groupSlices, groupPackets, packetBytes;
  RoutingTable table;
  std::vector<int64_t> taken;                ///< packets of every source
  std::vector<std::vector<uint8_t>> members; ///< packets by slice of the ring
  std::vector<uint8_t> block;

  /// The slice being read, of the ring in `members`.
  std::optional<int64_t> current;
  // Its sources, cut into groups, and how far it is.
  llvm::ArrayRef<int64_t> sources;
  llvm::SmallVector<int64_t, 16> groupEnds;
  int64_t firstPacket = 0;
  size_t group = 0, source = 0, turn = 0, inTurn = 0;
};

/// The inter-slice block: folds the streams of slices, for one ring after the
/// other. Where no slice gives to two different sums, streams are folded as
/// they come; otherwise they are kept until somebody takes them.
class InterSliceEngine {
public:
  InterSliceEngine(const config::InterSliceStage &stage,
                   const TcpMachine &machine);
  /// The ring that begins with slice `first`, of which `takers` get results.
  void beginRing(int64_t first, llvm::ArrayRef<uint64_t> takers);
  /// The stream of a slice, in blocks; the slices of a ring ascend.
  void begin(int64_t slice);
  void push(llvm::ArrayRef<uint8_t> flits);
  /// What `slice` receives, as flits; valid until the next call.
  llvm::ArrayRef<uint8_t> reduce(int64_t slice);
  const RoutingTable &routing() const { return table; }

private:
  using FoldFunction = void (*)(uint32_t *folded, const uint32_t *next,
                                int64_t count);
  static FoldFunction foldFunction(config::InterSliceOpcode opcode,
                                   ElementType type);

  int64_t flitBytes;
  FoldFunction fold;
  RoutingTable table;
  /// Flits of every source, as runs of neighbours: the first one's number and
  /// how many.
  llvm::SmallVector<std::pair<int64_t, int64_t>, 4> taken;
  int64_t takenFlits = 0;
  /// By slice of the ring: the first slice of its group, which has the sum.
  std::vector<int64_t> sumOf;
  std::vector<std::vector<uint8_t>> sums;
  // The slice that pushes: its sum, and how much of its stream there was.
  std::vector<uint8_t> *current = nullptr;
  size_t position = 0;
  std::vector<uint8_t> result;
  std::optional<int64_t> reduced; ///< the slice that `result` is for
};

/// The intra-slice block of the vector engine with one list of operations.
class VectorEngine {
public:
  /// `ops` is stage.ops or stage.opsAfter.
  VectorEngine(const config::VectorStage &stage,
               llvm::ArrayRef<config::VectorOp> ops, const TcpMachine &machine);
  ~VectorEngine();
  VectorEngine(VectorEngine &&);
  VectorEngine &operator=(VectorEngine &&);

  /// `slice` counts from slice 0 of cluster 0. The branch logger writes `vrf`.
  void begin(uint8_t *vrf, int64_t slice);
  /// Takes whole flits, which it may change, and passes on what is complete.
  void push(llvm::MutableArrayRef<uint8_t> flits, FlitSink sink);
  /// Passes on what is left.
  void finish(FlitSink sink);
  /// What the data of a slice has broken; empty if nothing.
  const std::string &problem() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

/// Narrows the elements of every flit in place and zeroes its rest.
void castFlits(const config::CastStage &stage, const TcpMachine &machine,
               llvm::MutableArrayRef<uint8_t> flits);

/// Turns the stream into another one with other flits. Between two slices none
/// are left inside.
class TransposeEngine {
public:
  TransposeEngine(const config::TransposeStage &stage,
                  const TcpMachine &machine);
  /// Takes whole flits and passes on what is complete.
  void push(llvm::ArrayRef<uint8_t> flits, FlitSink sink);

private:
  static constexpr int64_t kMaxPacketElements = 16;

  template <typename T>
  void transpose(const uint8_t *matrix, uint8_t *result) const;
  void transposeNibbles(const uint8_t *matrix, uint8_t *result) const;

  const config::TransposeStage &stage;
  int64_t flitBytes, packetElements, packetsPerRow, matrixBytes, resultBytes;
  void (TransposeEngine::*function)(const uint8_t *, uint8_t *) const;
  std::vector<uint8_t> begun, results;
};

/// The end of the pipeline: DM, TRF or VRF.
class Sink {
public:
  Sink(const config::ExecCommand &exec, const TcpMachine &machine);
  void begin(SystemMemory &memory, int64_t slice, const CommandPlan &plan);
  void write(llvm::ArrayRef<uint8_t> flits);
  /// What went wrong so far: counts of a packing commit are data.
  const std::string &problem() const { return trouble; }

private:
  void pack(const config::CommitStage &commit, llvm::ArrayRef<uint8_t> flits);

  const config::ExecCommand &exec;
  const TcpMachine &machine;
  ByteStream addresses;    ///< commit
  uint8_t *base = nullptr; ///< of the tensor in the slice's memory
  int64_t position = 0;    ///< bytes taken, register files and packing
  // Valid count packing.
  ByteStream counts;
  const uint8_t *countBase = nullptr;
  int64_t slice = 0, capacity = 0;
  std::string trouble;
};

/// A Trap, of the command called `name`, if a count of a packing commit is out
/// of range.
llvm::Error runExec(llvm::StringRef name, const config::ExecCommand &exec,
                    const CommandPlan &plan, const TcpMachine &machine,
                    SystemMemory &memory);
void runGenerate(const config::GenerateCommand &generate, SystemMemory &memory);
/// A Trap, of the command called `name`, if an index is out of range or a
/// scatter writes a byte twice.
llvm::Error runDma(llvm::StringRef name, const config::DmaCommand &dma,
                   const TcpMachine &machine, SystemMemory &memory);
void runTransfer(const config::Transfer &transfer, SystemMemory &memory,
                 llvm::ArrayRef<HostArray> inputs,
                 llvm::ArrayRef<config::Constant> constants,
                 llvm::MutableArrayRef<HostArray> outputs);

} // namespace sequin::sim

#endif // SEQUIN_LIB_SIM_ENGINE_ENGINES_H
