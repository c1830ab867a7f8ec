//===- TcpMachines.cpp - Rows of the TCP machine table --------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The numbers. Their meaning and unit stand at the fields in Machine.h; here
// every one has its source: a chapter and section of the TCP Virtual ISA
// manual, or the ruling of this project where the manual is silent
// (docs/Decisions).
//
//===----------------------------------------------------------------------===//

#include "sequin/Machine/Machine.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace sequin;

// Fetch Engine, Constraints: fetch_size per context. 24 is refused (it is a
// commit size that slips into one table).
static constexpr int64_t kMainFetchBytes[] = {1, 2, 4, 8, 16, 32};
static constexpr int64_t kSubFetchBytes[] = {8};
// Commit Engine, Truncating and Commit Sequencer.
static constexpr int64_t kCommitInBytes[] = {8, 16, 24, 32};
static constexpr int64_t kMainCommitBytes[] = {8, 16, 24, 32};
static constexpr int64_t kSubCommitBytes[] = {8};
// Aligner, TRF Read Mechanism: reg_read_size.
static constexpr int64_t kTrfReadBytes[] = {1, 2, 4, 8, 16, 32, 64};
// Reducer, Constraints: row count.
static constexpr int64_t kRowCounts[] = {1, 2, 4, 8};
// Aligner, Flit Buffer: collect_flits. 3 belongs to the shift-reuse of
// convolutions, which the configuration has no fields for.
static constexpr int64_t kCollectFlits[] = {1, 2};

// Fetch Engine, Type Casting.
static constexpr TypeConversion kRngdFetchCasts[] = {
    {ElementType::I4, ElementType::I5},
    {ElementType::I4, ElementType::I32},
    {ElementType::I8, ElementType::I9},
    {ElementType::I8, ElementType::I32},
    {ElementType::I16, ElementType::I32},
    {ElementType::F8E4M3, ElementType::F32},
    {ElementType::F8E5M2, ElementType::F32},
    {ElementType::BF16, ElementType::F32},
    {ElementType::F16, ElementType::F32},
    {ElementType::F32, ElementType::BF16},
};
static constexpr TypeConversion kRngdSFetchCasts[] = {
    {ElementType::I4, ElementType::I5},
    {ElementType::I4, ElementType::I9},
    {ElementType::I4, ElementType::I32},
    {ElementType::I8, ElementType::I9},
    {ElementType::I8, ElementType::I32},
    {ElementType::I16, ElementType::I9},
    {ElementType::I16, ElementType::I32},
    {ElementType::F8E4M3, ElementType::BF16},
    {ElementType::F8E4M3, ElementType::F32},
    {ElementType::F8E5M2, ElementType::BF16},
    {ElementType::F8E5M2, ElementType::F32},
    {ElementType::BF16, ElementType::F32},
    {ElementType::F16, ElementType::F32},
    {ElementType::F32, ElementType::BF16},
};

// Cast Engine, Precision Lowering.
static constexpr TypeConversion kCastEngine[] = {
    {ElementType::I32, ElementType::I4},
    {ElementType::I32, ElementType::I8},
    {ElementType::I32, ElementType::I16},
    {ElementType::F32, ElementType::F8E5M2},
    {ElementType::F32, ElementType::F8E4M3},
    {ElementType::F32, ElementType::F16},
    {ElementType::F32, ElementType::BF16},
};

// Sequencer, Configuration Failures: entries and size of one entry.
static constexpr unsigned kMaxEntries = 8;
static constexpr int64_t kMaxEntrySize = 65536;

static constexpr TcpMachine
makeRngd(llvm::StringLiteral name, llvm::ArrayRef<TypeConversion> fetchCasts) {
  return TcpMachine{
      .name = name,

      // Hello, Processing Units.
      .clustersPerChip = 2,
      .slicesPerCluster = 256,
      .rowsPerSlice = 8,
      // DMA Engine, Example 1.
      .clockMHz = 1000,
      // Memory and Stream, Size Constraint: the largest system it names.
      .maxChips = 8,

      // Hello, Memory; Memory Performance, HBM geometry (48 GB are 2^30 each).
      .hbmBytes = int64_t(48) << 30,
      .dmBytesPerSlice = 512 << 10,
      .trfBytesPerRow = 8 << 10,
      .vrfBytesPerSlice = 8 << 10,
      // DMA Engine, heterogeneous mapping: slice_stride.
      .dmSliceStride = 4 << 20,
      // DMA Engine, Architecture: a DMN is 32 slices.
      .slicesPerDmn = 32,
      // The manual states no capacity; ruling.
      .spmBytesPerDmn = 64 << 10,

      // Collect Engine; Fetch Engine, Interface (FETCH_ALIGN_BYTES); Aligner.
      .flitBytes = 32,
      .fetchAlignBytes = 8,
      .macWidthBytes = 64,
      .mainFetch = {kMaxEntries, kMaxEntrySize, kMainFetchBytes},
      .subFetch = {kMaxEntries, kMaxEntrySize, kSubFetchBytes},
      // Fetch Engine, Constraints: sub context, when casting i4 to i32.
      .subFetchI4ToI32Bytes = 4,
      .mainCommit = {kMaxEntries, kMaxEntrySize, kMainCommitBytes},
      .subCommit = {kMaxEntries, kMaxEntrySize, kSubCommitBytes},
      .commitInBytes = kCommitInBytes,
      // Commit Engine, Constraints.
      .commitAlignBytes = 8,
      // Aligner, TRF Sequencer.
      .trf = {kMaxEntries, kMaxEntrySize, kTrfReadBytes},
      .rowCounts = kRowCounts,
      .collectFlits = kCollectFlits,
      // Reducer, Temporal Reduction: 8 rows x 32 columns x 4 registers.
      .accumulatorColumns = 32,
      .accumulatorRegisters = 4,
      // Reducer, output modes; Vector Engine (Way8).
      .outputLanes = 8,

      .fetchCasts = fetchCasts,
      .castEngine = kCastEngine,

      // DMA Engine, Architecture: one engine per pair of DMNs.
      .dmaEngines = 8,
      .slicesPerEngine = 64,
      // DMA Engine, Performance.
      .dmaStartupCycles = 500,
      .dmaRequestBytes = 256,
      // DMA Engine, Alignment Constraints.
      .dmaMaxPacketBytes = 4096,
      .dmaAlignBytes = 8,
      // Memory Performance: 1.536 TB/s at 1 GHz; DMA Engine, Memory Bandwidth
      // Limits: 1.5 TB/s; DMA Engine, Interface: PCIe.
      .hbmBytesPerCycle = 1536,
      .hbmUtilizationBytesPerCycle = 1500,
      .interChipBytesPerCycle = 30,
      // DMA Engine, DMA Command Syntax: a packet may have any size up to
      // dmaMaxPacketBytes, so there is no list of access sizes.
      .dma = {kMaxEntries, kMaxEntrySize, {}},

      // Rulings.
      .flushSubnormals = true,
      .poisonByte = 0xa5,
      .engineFillCycles = 0,
  };
}

static constexpr TcpMachine kRngd = makeRngd("rngd", kRngdFetchCasts);
// The manual describes RNGD-S by its additional fetch conversions only.
static constexpr TcpMachine kRngdS = makeRngd("rngd-s", kRngdSFetchCasts);

static constexpr const TcpMachine *kMachines[] = {&kRngd, &kRngdS};

llvm::ArrayRef<const TcpMachine *> sequin::tcpMachines() { return kMachines; }

const TcpMachine *sequin::lookupTcpMachine(llvm::StringRef name) {
  for (const TcpMachine *machine : kMachines)
    if (machine->name == name)
      return machine;
  return nullptr;
}

std::string sequin::knownMachineNames() {
  return llvm::join(llvm::map_range(kMachines,
                                    [](const TcpMachine *machine) {
                                      return llvm::StringRef(machine->name);
                                    }),
                    ", ");
}

int64_t TcpMachine::lanes(ElementType type) const {
  switch (type) {
  case ElementType::I4:
  case ElementType::I5:
  case ElementType::I8:
  case ElementType::I9:
  case ElementType::F8E4M3:
  case ElementType::F8E5M2:
  case ElementType::BF16:
    return macWidthBytes * 8 / getBitWidth(type);
  default:
    return 0;
  }
}

int64_t TcpMachine::macsPerCycle(ElementType type) const {
  return clustersPerChip * slicesPerCluster * rowsPerSlice * lanes(type);
}

static bool contains(llvm::ArrayRef<TypeConversion> list, ElementType from,
                     ElementType to) {
  return llvm::any_of(list, [&](const TypeConversion &conversion) {
    return conversion.from == from && conversion.to == to;
  });
}

bool TcpMachine::canFetchCast(ElementType from, ElementType to) const {
  return from == to || contains(fetchCasts, from, to);
}

bool TcpMachine::canCast(ElementType from, ElementType to) const {
  return contains(castEngine, from, to);
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static llvm::json::Array list(llvm::ArrayRef<int64_t> values) {
  return llvm::json::Array(values);
}

static llvm::json::Array list(llvm::ArrayRef<TypeConversion> conversions) {
  llvm::json::Array array;
  for (const TypeConversion &conversion : conversions)
    array.push_back(
        llvm::json::Array{getName(conversion.from), getName(conversion.to)});
  return array;
}

static llvm::json::Object limits(const SequencerLimits &limits) {
  return llvm::json::Object{
      {"max_entries", static_cast<int64_t>(limits.maxEntries)},
      {"max_size", limits.maxSize},
      {"access_bytes", list(limits.accessBytes)}};
}

llvm::json::Value sequin::toJSON(const TcpMachine &machine) {
  llvm::json::Object macs;
  for (ElementType type :
       {ElementType::I4, ElementType::I8, ElementType::F8E4M3,
        ElementType::F8E5M2, ElementType::BF16})
    macs[getName(type)] = machine.macsPerCycle(type);
  return llvm::json::Object{
      {"name", machine.name},
      {"clusters_per_chip", machine.clustersPerChip},
      {"slices_per_cluster", machine.slicesPerCluster},
      {"rows_per_slice", machine.rowsPerSlice},
      {"clock_mhz", machine.clockMHz},
      {"max_chips", machine.maxChips},
      {"hbm_bytes", machine.hbmBytes},
      {"dm_bytes_per_slice", machine.dmBytesPerSlice},
      {"trf_bytes_per_row", machine.trfBytesPerRow},
      {"vrf_bytes_per_slice", machine.vrfBytesPerSlice},
      {"dm_slice_stride", machine.dmSliceStride},
      {"slices_per_dmn", machine.slicesPerDmn},
      {"spm_bytes_per_dmn", machine.spmBytesPerDmn},
      {"flit_bytes", machine.flitBytes},
      {"fetch_align_bytes", machine.fetchAlignBytes},
      {"mac_width_bytes", machine.macWidthBytes},
      {"main_fetch", limits(machine.mainFetch)},
      {"sub_fetch", limits(machine.subFetch)},
      {"sub_fetch_i4_to_i32_bytes", machine.subFetchI4ToI32Bytes},
      {"main_commit", limits(machine.mainCommit)},
      {"sub_commit", limits(machine.subCommit)},
      {"commit_in_bytes", list(machine.commitInBytes)},
      {"commit_align_bytes", machine.commitAlignBytes},
      {"trf", limits(machine.trf)},
      {"row_counts", list(machine.rowCounts)},
      {"collect_flits", list(machine.collectFlits)},
      {"accumulator_columns", machine.accumulatorColumns},
      {"accumulator_registers", machine.accumulatorRegisters},
      {"output_lanes", machine.outputLanes},
      {"fetch_casts", list(machine.fetchCasts)},
      {"cast_engine", list(machine.castEngine)},
      {"dma_engines", machine.dmaEngines},
      {"slices_per_engine", machine.slicesPerEngine},
      {"dma_startup_cycles", machine.dmaStartupCycles},
      {"dma_request_bytes", machine.dmaRequestBytes},
      {"dma_max_packet_bytes", machine.dmaMaxPacketBytes},
      {"dma_align_bytes", machine.dmaAlignBytes},
      {"hbm_bytes_per_cycle", machine.hbmBytesPerCycle},
      {"hbm_utilization_bytes_per_cycle", machine.hbmUtilizationBytesPerCycle},
      {"inter_chip_bytes_per_cycle", machine.interChipBytesPerCycle},
      {"dma", limits(machine.dma)},
      {"flush_subnormals", machine.flushSubnormals},
      {"poison_byte", static_cast<int64_t>(machine.poisonByte)},
      {"engine_fill_cycles", machine.engineFillCycles},
      {"macs_per_cycle", std::move(macs)},
  };
}
