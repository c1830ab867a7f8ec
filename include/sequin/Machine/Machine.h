//===- Machine.h - Facts about the machines, in one place -------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every number about hardware that Sequin uses is a field of a row in this
// folder, with its unit and source ("TCP" is the TCP Virtual ISA manual). Code,
// tests and documents elsewhere read the row; `sequin-translate --dump-machine`
// prints it.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_MACHINE_MACHINE_H
#define SEQUIN_MACHINE_MACHINE_H

#include "sequin/Machine/TcpIsa.h"
#include "sequin/Stream/Limits.h"
#include "sequin/Support/Arithmetic.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/JSON.h"

namespace sequin {

/// A conversion between element types that an engine can do.
struct TypeConversion {
  ElementType from, to;
};

/// The HBM of one chip (TCP, Memory Performance, High-Bandwidth Memory).
struct HbmModel {
  // Geometry.
  int64_t stacks;           ///< per chip
  int64_t channelsPerStack; ///< channels
  int64_t slicesPerChannel; ///< slices
  int64_t bankGroupsPerSlice;
  int64_t banksPerGroup;
  int64_t rowsPerBank;
  int64_t rowBytes;
  int64_t unitBytes; ///< smallest access inside a row

  // Address bits. A component is made of several numbers of bits; bit i of it
  // is the exclusive or of the address bits in element i of its list.
  llvm::ArrayRef<uint64_t> stackBits, channelBits, bankGroupBits, bankBits;
  uint64_t sliceBit;     ///< slice 0 or 1
  uint64_t highSliceBit; ///< slice 2; then sliceBit is the highest row bit
  llvm::ArrayRef<uint64_t> rowBits; ///< all but the highest
  uint64_t highRowBit;              ///< the highest, unless highSliceBit is set

  // Speed.
  int64_t controllerMHz;      ///< channel controller
  int64_t controllerBytes;    ///< per controller cycle and channel
  int64_t queueEntries;       ///< command queue of a channel, FR-FCFS
  int64_t rowSwitchCycles;    ///< core cycles: close one row, open another
  int64_t partialWriteFactor; ///< slow-down of a read-modify-write
  /// Whether requests that wait in a queue for the same unit are one write;
  /// otherwise every request that does not cover its unit is a
  /// read-modify-write.
  bool mergesPartialWrites;
  int64_t refreshPercent;     ///< of its time that HBM refreshes its cells
  int64_t commandMHz;         ///< clock that the tCCD values count
  int64_t tccdOtherBankGroup; ///< same slice, other bank group
  int64_t tccdOtherSlice;     ///< other slice
  int64_t tccdSameBankGroup;  ///< same slice, same bank group

  int64_t channels() const { return stacks * channelsPerStack; }
  int64_t banksPerChannel() const {
    return slicesPerChannel * bankGroupsPerSlice * banksPerGroup;
  }
  /// All of a chip.
  int64_t bytes() const {
    return channels() * banksPerChannel() * rowsPerBank * rowBytes;
  }
};

/// Who gets a bank of data memory first, highest first (TCP, Memory
/// Performance, Bank Starvation).
enum class DmClient : uint8_t {
  MainFetch,
  MainCommit,
  SubFetch,
  SubCommit,
  Dma,
};

/// One Tensor Contraction Processor chip and the system around it.
struct TcpMachine {
  llvm::StringLiteral name;

  // Geometry (TCP, Hello, Processing Units; Memory and Stream, Size
  // Constraint).
  int64_t clustersPerChip;  ///< clusters
  int64_t slicesPerCluster; ///< slices
  int64_t rowsPerSlice;     ///< rows of the MAC array
  int64_t clockMHz;         ///< core clock; TCP, DMA Engine Example 1: 1 GHz
  int64_t maxChips;         ///< chips one program may span

  // Memories, in bytes (TCP, Hello, Memory).
  int64_t hbmBytes; ///< per chip
  int64_t dmBytesPerSlice;
  int64_t trfBytesPerRow;
  int64_t vrfBytesPerSlice;
  int64_t dmSliceStride;  ///< flat DM address from slice to slice (DMA-09)
  int64_t slicesPerDmn;   ///< slices that share one data memory network
  int64_t spmBytesPerDmn; ///< scratchpad of one network

  // Streams (TCP, Fetch, Collect, Commit, Stream Adapter).
  int64_t flitBytes;       ///< collect packet: one flit
  int64_t fetchAlignBytes; ///< fetch output packet is a multiple of this
  int64_t macWidthBytes;   ///< computation packet
  SequencerLimits mainFetch, subFetch;
  int64_t subFetchI4ToI32Bytes; ///< the sub context's only other access size
  int64_t fetchMaskBytes;       ///< largest packet that can be masked (ERR-26)
  int64_t fetchMaskCounts;      ///< valid counts of one mask (case 3)
  int64_t dualChannelAccesses;  ///< fetches per cycle in dual-channel mode
  SequencerLimits mainCommit, subCommit;
  llvm::ArrayRef<int64_t> commitInBytes;
  int64_t commitAlignBytes; ///< commit strides and base are multiples of this
  SequencerLimits trf;      ///< TRF sequencer; access sizes = reg_read_size
  llvm::ArrayRef<int64_t> rowCounts;    ///< 1, 2, 4, 8
  llvm::ArrayRef<int64_t> collectFlits; ///< flits one computation packet takes
  int64_t accumulatorColumns;           ///< f32/i32 columns per row
  int64_t accumulatorRegisters;         ///< registers per column
  int64_t outputLanes;                  ///< 32-bit lanes of the output bus
  int64_t vectorAluCycles; ///< latency of each ALU that a pass uses
  int64_t flitBufferBytes; ///< stream adapter; what shifts reuse
  int64_t maxReduceRows;   ///< rows that reduce-max can use

  // Tensor register file (TCP, TRF Memory Layout; TRF Cache). A cell is what
  // one bank column holds at one address: trfCellBytes of data, stored as
  // trfCellSlots slots of 5 bits.
  int64_t trfBankColumns;
  int64_t trfBankDepth; ///< cells per bank and column, both halves
  int64_t trfCellBytes;
  int64_t trfCellSlots;
  int64_t trfCacheDepth; ///< cells per bank row and column in the read cache
  /// Whether fewer rows than banks extend the address space of each row; the
  /// manual says so in one place and 8 KB per row in another (ERR-14).
  bool trfRowsExtend;

  // Reduction inside a slice (TCP, Intra-Slice Reduce; Valid Count Generator).
  int64_t reduceSlots; ///< accumulators, each of one 4-lane packet
  ValidCountLimits validCount;

  // Transpose engine (TCP, Transpose Engine, Constraints and Internal Buffer
  // Architecture).
  llvm::ArrayRef<tcp_isa::TransposeFormat> transposeFormats;
  int64_t transposeBufferColumns; ///< more columns take both buffers
  int64_t generateCycles;         ///< one immediate written to DM

  // Conversions (TCP, Fetch Engine, Type Casting; Cast Engine).
  llvm::ArrayRef<TypeConversion> fetchCasts;
  llvm::ArrayRef<TypeConversion> castEngine;

  // DMA (TCP, DMA Engine).
  int64_t dmaEngines; ///< per chip; one per slicesPerEngine slices
  int64_t slicesPerEngine;
  int64_t dmaStartupCycles;  ///< per descriptor
  int64_t dmaRequestBytes;   ///< one request moves up to this
  int64_t dmaMaxPacketBytes; ///< stride0 limit
  int64_t dmaAlignBytes;     ///< address and packet, HBM->DM and DM writes
  int64_t hbmBytesPerCycle;  ///< peak, at the core clock
  int64_t hbmUtilizationBytesPerCycle; ///< what reports divide by (1.5 TB/s)
  int64_t interChipBytesPerCycle;      ///< between two chips, over PCIe
  int64_t dmaIndexBytes;               ///< an index of a gather or scatter
  // What measurements show beside the manual's formulas.
  int64_t dmaStoreDescriptorCycles; ///< added to a descriptor that writes HBM
  int64_t hbmToDmClusterBytesPerCycle; ///< into DM of a cluster; 0: no limit
  int64_t hbmToDmChipBytesPerCycle;    ///< into DM of a chip; 0: no limit
  /// Requests of one engine that HBM has not served yet; 0: no limit.
  int64_t dmaOutstandingRequests;
  SequencerLimits dma;
  HbmModel hbm;

  // Data memory beside the tensor unit (TCP, Memory Performance, Data Memory).
  int64_t dmBanks;          ///< per slice
  int64_t dmBankBytes;      ///< width of a bank
  int64_t dmnBytesPerCycle; ///< of one data memory network
  /// DMA in and out of a cluster's data memory; 0: as much as its networks do.
  int64_t dmClusterBytesPerCycle;
  int64_t dmQueueEntries;   ///< DMA requests waiting at one slice
  int64_t nocTimeoutCycles; ///< a request older than this is an exception
  int64_t spmBytesPerCycle; ///< scratchpads, per cluster (ERR-34)
  llvm::ArrayRef<DmClient> dmPriority; ///< highest first

  // Behaviour the manual leaves to the implementation; see docs/Decisions.
  bool flushSubnormals;         ///< f32 and bf16 subnormals become signed zero
  ArithmeticRules arithmetic;   ///< SIL-1, SIL-2, SIL-8
  uint8_t poisonByte;           ///< what fresh memory holds in the simulator
  int64_t engineFillCycles;     ///< fixed cost of every engine pass
  int64_t treeLevelCycles;      ///< latency of each level of the reduction tree
  int64_t shiftReuseFillCycles; ///< and of shift-reuse in the stream adapter
  int64_t trfFullPathCycles; ///< set-up of a TRF load that is no short command
  int64_t fetchCastFillCycles; ///< and to one that converts while fetching
  int64_t passScalePercent;    ///< of the cycles the formulas give a pass
  /// Flits per cycle on a link of the ring that reduces over slices; 0: any.
  int64_t reduceLinkFlitsPerCycle;
  /// From the end of a command to the start of one in another cluster that
  /// waits for it.
  int64_t clusterDependencyCycles;
  /// Whether arguments lie in HBM row-major unless a layout is asked for;
  /// otherwise the compiler chooses.
  bool rowMajorArguments;

  /// How many accesses of the tensor unit in a row may take the same bank while
  /// DMA runs: (bytes of an engine / bytes of a network) * n * slices of a
  /// network stays below the timeout (TCP, Memory Performance, Technical
  /// Details; ERR-42).
  int64_t maxSameBankAccesses() const {
    int64_t each = dmaRequestBytes / dmnBytesPerCycle * slicesPerDmn;
    return (nocTimeoutCycles - 1) / each;
  }
  /// Scratchpads of a chip, one per network.
  int64_t dmnsPerChip() const {
    return clustersPerChip * slicesPerCluster / slicesPerDmn;
  }
  /// The flat scratchpad address space of a chip: networks after one another.
  int64_t spmBytesPerChip() const { return dmnsPerChip() * spmBytesPerDmn; }

  /// Elements of one computation packet; 0 if the contraction engine does not
  /// take operands of `type`.
  int64_t lanes(ElementType type) const;
  /// The manual's reg_types: how the TRF stores elements of `type`; -1 if it
  /// does not.
  int64_t regType(ElementType type) const;
  /// Slots of the TRF that an element of `type` takes; 0 for none.
  int64_t trfSlots(ElementType type) const;
  /// Multiply-accumulates per cycle of one chip for operands of `type`; 0 if
  /// the contraction engine does not take them.
  int64_t macsPerCycle(ElementType type) const;
  /// Fetching without a conversion is always possible.
  bool canFetchCast(ElementType from, ElementType to) const;
  bool canCast(ElementType from, ElementType to) const;
  /// nullptr if the transpose engine does not take elements of `type`.
  const tcp_isa::TransposeFormat *transposeFormat(ElementType type) const;
};

/// The row called `name` or nullptr.
const TcpMachine *lookupTcpMachine(llvm::StringRef name);
/// All TCP rows in a fixed order.
llvm::ArrayRef<const TcpMachine *> tcpMachines();
/// "rngd, rngd-s, ...": for messages about an unknown name.
std::string knownMachineNames();

/// The row as JSON, units in the key names' documentation (docs/Machines).
llvm::json::Value toJSON(const TcpMachine &machine);

} // namespace sequin

#endif // SEQUIN_MACHINE_MACHINE_H
