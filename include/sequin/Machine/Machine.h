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

#include "sequin/Stream/Sequencer.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/JSON.h"

namespace sequin {

/// A conversion between element types that an engine can do.
struct TypeConversion {
  ElementType from, to;
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
  SequencerLimits mainCommit, subCommit;
  llvm::ArrayRef<int64_t> commitInBytes;
  int64_t commitAlignBytes; ///< commit strides and base are multiples of this
  SequencerLimits trf;      ///< TRF sequencer; access sizes = reg_read_size
  llvm::ArrayRef<int64_t> rowCounts;    ///< 1, 2, 4, 8
  llvm::ArrayRef<int64_t> collectFlits; ///< flits one computation packet takes
  int64_t accumulatorColumns;           ///< f32/i32 columns per row
  int64_t accumulatorRegisters;         ///< registers per column
  int64_t outputLanes;                  ///< 32-bit lanes of the output bus

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
  SequencerLimits dma;

  // Behaviour the manual leaves to the implementation; see docs/Decisions.
  bool flushSubnormals;     ///< f32 and bf16 subnormals become signed zero
  uint8_t poisonByte;       ///< what fresh memory holds in the simulator
  int64_t engineFillCycles; ///< latency added to every engine pass

  /// Elements of one computation packet; 0 if the contraction engine does not
  /// take operands of `type`.
  int64_t lanes(ElementType type) const;
  /// Multiply-accumulates per cycle of one chip for operands of `type`; 0 if
  /// the contraction engine does not take them.
  int64_t macsPerCycle(ElementType type) const;
  /// Fetching without a conversion is always possible.
  bool canFetchCast(ElementType from, ElementType to) const;
  bool canCast(ElementType from, ElementType to) const;
};

/// The row called `name` or nullptr.
const TcpMachine *lookupTcpMachine(llvm::StringRef name);
/// All TCP rows in a fixed order.
llvm::ArrayRef<const TcpMachine *> tcpMachines();
/// "rngd, rngd-s": for messages about an unknown name.
std::string knownMachineNames();

/// The row as JSON, units in the key names' documentation (docs/Machines).
llvm::json::Value toJSON(const TcpMachine &machine);

} // namespace sequin

#endif // SEQUIN_MACHINE_MACHINE_H
