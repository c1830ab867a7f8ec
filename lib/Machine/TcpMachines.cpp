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
#include "sequin/Machine/TcpIsa.h"
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
// Aligner, Flit Buffer: collect_flits.
static constexpr int64_t kCollectFlits[] = {1, 2, 3};

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

// Memory Performance, HBM, Address Space in a Chip. Every channel bit is the
// exclusive or of five address bits, bit 17 included (ERR-44).
static constexpr uint64_t bit(unsigned i) { return uint64_t(1) << i; }
static constexpr uint64_t channelBit(unsigned i) {
  return bit(9 + i) | bit(13 + i) | bit(17 + i) | bit(21 + i) | bit(25 + i);
}
static constexpr uint64_t kStackBits[] = {bit(8)};
static constexpr uint64_t kChannelBits[] = {channelBit(0), channelBit(1),
                                            channelBit(2), channelBit(3)};
static constexpr uint64_t kBankGroupBits[] = {bit(13), bit(19)};
static constexpr uint64_t kBankBits[] = {bit(17), bit(18)};
static constexpr uint64_t kRowBits[] = {
    bit(21), bit(22), bit(23), bit(24), bit(25), bit(26), bit(27),
    bit(28), bit(29), bit(30), bit(31), bit(32), bit(33)};

// Memory Performance, Bank Starvation.
static constexpr DmClient kDmPriority[] = {
    DmClient::MainFetch, DmClient::MainCommit, DmClient::SubFetch,
    DmClient::SubCommit, DmClient::Dma};

static constexpr HbmModel kHbm{
    // Memory Performance, HBM geometry.
    .stacks = 2,
    .channelsPerStack = 16,
    .slicesPerChannel = 3,
    .bankGroupsPerSlice = 4,
    .banksPerGroup = 4,
    .rowsPerBank = 16 << 10,
    .rowBytes = 2 << 10,
    .unitBytes = 256,
    .stackBits = kStackBits,
    .channelBits = kChannelBits,
    .bankGroupBits = kBankGroupBits,
    .bankBits = kBankBits,
    .sliceBit = bit(20),
    .highSliceBit = bit(34),
    .rowBits = kRowBits,
    .highRowBit = bit(35),
    // Peak Bandwidth: 64 B per cycle at 0.75 GHz; 64-entry command queue.
    .controllerMHz = 750,
    .controllerBytes = 64,
    .queueEntries = 64,
    // Bank Conflict: 40-50 ns; DMA Engine, Example 4 counts 40 cycles.
    .rowSwitchCycles = 40,
    // Misaligned Access.
    .partialWriteFactor = 50,
    // "RMW can slow writes by roughly 50x": of each request (ruling).
    .mergesPartialWrites = false,
    // The manual says nothing of refreshes.
    .refreshPercent = 0,
    // Column-to-Column Delay.
    .commandMHz = 1500,
    .tccdOtherBankGroup = 2,
    .tccdOtherSlice = 3,
    .tccdSameBankGroup = 4,
};

// Widest field of the valid count generator; the manual states none.
static constexpr int64_t kMaxValidCountIndex = (int64_t(1) << 32) - 1;

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
      // Fetch Engine, Masking Configuration: counts are 0-255 for 4-bit types,
      // 0-31 for f32, which makes 128 bytes; [0..8] counts.
      .fetchMaskBytes = 128,
      .fetchMaskCounts = 8,
      // Fetch Engine, Dual Channel Mode Benefits.
      .dualChannelAccesses = 2,
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
      // Intra-Slice Block, Performance: Pipeline Latency.
      .vectorAluCycles = 1,
      // Aligner, Flit Buffer: three flits.
      .flitBufferBytes = 96,
      // Reducer, Constraints: reduce-max uses row 0.
      .maxReduceRows = 1,

      // TRF Sequencer, TRF Memory Layout: 8 bank rows (rowsPerSlice) of two
      // columns of 128 rows; 320 bits hold 32 bytes of data.
      .trfBankColumns = 2,
      .trfBankDepth = 128,
      .trfCellBytes = 32,
      .trfCellSlots = 64,
      // TRF Sequencer, TRF Cache.
      .trfCacheDepth = 4,
      .trfRowsExtend = false,

      // Intra-Slice Reduce, Architectural Parameters.
      .reduceSlots = tcp_isa::kReduceSlots,
      // Valid Count Generator, VCG Configuration; a counter is a loop like
      // those of the sequencers, a slice number one of a cluster.
      .validCount = {.maxCounters = tcp_isa::kValidCountCounters,
                     .maxGates = tcp_isa::kValidCountGates,
                     .maxSize = kMaxEntrySize,
                     .maxIndex = kMaxValidCountIndex,
                     .lanes = tcp_isa::kLanes,
                     .slices = 256},

      .transposeFormats = tcp_isa::kTransposeFormats,
      .transposeBufferColumns = tcp_isa::kTransposeBufferColumns,
      // Commit Engine, Generate Mode: one write (the manual gives no time).
      .generateCycles = 1,

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
      // Indices of a gather are i32 tensors.
      .dmaIndexBytes = 4,
      // The manual has none of these.
      .dmaStoreDescriptorCycles = 0,
      .hbmToDmClusterBytesPerCycle = 0,
      .hbmToDmChipBytesPerCycle = 0,
      .dmaOutstandingRequests = 0,
      // DMA Engine, DMA Command Syntax: a packet may have any size up to
      // dmaMaxPacketBytes, so there is no list of access sizes.
      .dma = {kMaxEntries, kMaxEntrySize, {}},
      .hbm = kHbm,

      // Memory Performance, DM geometry, Address Space in a Slice.
      .dmBanks = 16,
      .dmBankBytes = 8,
      // Memory Performance, Optimizing DMA Performance; Command queues.
      .dmnBytesPerCycle = 128,
      // DMA Engine, Examples 4 and 5: eight engines at 256 bytes each.
      .dmClusterBytesPerCycle = 0,
      .dmQueueEntries = 2,
      .nocTimeoutCycles = 4096,
      .spmBytesPerCycle = 128,
      .dmPriority = kDmPriority,

      // Rulings.
      .flushSubnormals = true,
      // SIL-1, SIL-2, SIL-8: what the vendor's executable model does.
      .arithmetic = {.castWraps = true,
                     .fixedTiesAway = true,
                     .fixedNanBySign = true,
                     .absKeepsSign = true},
      // A NaN of every float type, which no sum swallows.
      .poisonByte = 0xff,
      .engineFillCycles = 0,
      // Reducer, Performance: depth 7 takes 7 cycles, 6 takes 6, 5 takes 5.
      .treeLevelCycles = 1,
      // The page on shift-reuse is missing; the overhead of the full path to
      // the TRF has no number.
      .shiftReuseFillCycles = 0,
      .trfFullPathCycles = 0,
      // Fetch Engine, Adapter Overhead: 1-2 cycles.
      .fetchCastFillCycles = 2,
      // The manual's formulas as they are.
      .passScalePercent = 100,
      // The manual has none of these.
      .reduceLinkFlitsPerCycle = 0,
      .clusterDependencyCycles = 0,
      .rowMajorArguments = false,
  };
}

static constexpr TcpMachine kRngd = makeRngd("rngd", kRngdFetchCasts);
// The manual describes RNGD-S by its additional fetch conversions only.
static constexpr TcpMachine kRngdS = makeRngd("rngd-s", kRngdSFetchCasts);

/// RNGD as others have measured it: the calibration that was published with the
/// device timings of the decode kernels of a 12B model in a public competition
/// (2026). Where they give a range this is its middle, rounded to a whole
/// number on the slower side: nothing says which end holds for a given program,
/// and nothing here is fitted to one. docs/Decisions lists what they measured
/// besides.
static constexpr TcpMachine makeRngdMeasured() {
  TcpMachine machine = makeRngd("rngd-measured", kRngdFetchCasts);
  // DMA: 500-550 cycles per command.
  machine.dmaStartupCycles = 525;
  // Stores: 64-81 cycles per descriptor.
  machine.dmaStoreDescriptorCycles = 73;
  // HBM to DM: 262-335 B/cycle for one cluster, 420-680 for both.
  machine.hbmToDmClusterBytesPerCycle = 298;
  machine.hbmToDmChipBytesPerCycle = 550;
  // Passes of the tensor unit: 1.6-3.6 times the static estimate.
  machine.passScalePercent = 260;
  return machine;
}
static constexpr TcpMachine kRngdMeasured = makeRngdMeasured();

/// What waits in a queue for the same unit is one write: "each channel
/// controller has a 64-entry command queue that interleaves accesses to
/// minimize penalties" (Memory Performance, Peak Bandwidth), read kindly.
static constexpr TcpMachine makeRngdMerging() {
  TcpMachine machine = makeRngd("rngd-merging", kRngdFetchCasts);
  machine.hbm.mergesPartialWrites = true;
  return machine;
}
static constexpr TcpMachine kRngdMerging = makeRngdMerging();

// Two passes whose static counts are published take 4,105 = 3,840 + 265 and
// 7,961 = 7,680 + 281 cycles.
static constexpr int64_t kStaticPassCycles = 265;

/// The vendor's static estimate of a program.
static constexpr TcpMachine makeRngdStatic() {
  TcpMachine machine = makeRngd("rngd-static", kRngdFetchCasts);
  machine.engineFillCycles = kStaticPassCycles;
  return machine;
}
static constexpr TcpMachine kRngdStatic = makeRngdStatic();

/// Every point on which the manual is silent, or says two things, at its worst
/// reading: docs/Machines.md has a line for each.
static constexpr TcpMachine makeRngdStrict() {
  TcpMachine machine = makeRngd("rngd-strict", kRngdFetchCasts);
  // No page says so: what memories of this kind commonly lose.
  machine.hbm.refreshPercent = 9;
  // Bank Conflict: 40-50 ns.
  machine.hbm.rowSwitchCycles = 50;
  // A usual depth of a DMA engine's read queue on AXI; the manual's packets are
  // AXI's.
  machine.dmaOutstandingRequests = 16;
  // Memory Bandwidth Limits: "DM: 256 B/cycle per cluster".
  machine.dmClusterBytesPerCycle = 256;
  // The fixed part of the published static counts.
  machine.engineFillCycles = kStaticPassCycles;
  // As the links of the switch engine's rings.
  machine.reduceLinkFlitsPerCycle = 1;
  // The lower end of the published cost of synchronising clusters.
  machine.clusterDependencyCycles = 400;
  machine.rowMajorArguments = true;
  return machine;
}
static constexpr TcpMachine kRngdStrict = makeRngdStrict();

static constexpr const TcpMachine *kTcpMachines[] = {
    &kRngd, &kRngdS, &kRngdMeasured, &kRngdMerging, &kRngdStatic, &kRngdStrict};

llvm::ArrayRef<const TcpMachine *> sequin::tcpMachines() {
  return kTcpMachines;
}

const TcpMachine *sequin::lookupTcpMachine(llvm::StringRef name) {
  for (const TcpMachine *machine : kTcpMachines)
    if (machine->name == name)
      return machine;
  return nullptr;
}

std::string sequin::knownMachineNames() {
  return llvm::join(llvm::map_range(kTcpMachines,
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

int64_t TcpMachine::regType(ElementType type) const {
  // TRF Sequencer, TRF Memory Layout. i9 fills the 10-bit slots of i8.
  switch (type) {
  case ElementType::I4:
  case ElementType::I5:
    return 0;
  case ElementType::I8:
  case ElementType::I9:
    return 1;
  case ElementType::F8E4M3:
  case ElementType::F8E5M2:
    return 2;
  case ElementType::BF16:
    return 3;
  default:
    return -1;
  }
}

int64_t TcpMachine::trfSlots(ElementType type) const {
  // By reg_types.
  constexpr int64_t kSlots[] = {1, 2, 2, 4};
  int64_t index = regType(type);
  return index < 0 ? 0 : kSlots[index];
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

const tcp_isa::TransposeFormat *
TcpMachine::transposeFormat(ElementType type) const {
  // These exist on the way to the contraction only.
  if (type == ElementType::I5 || type == ElementType::I9)
    return nullptr;
  for (const tcp_isa::TransposeFormat &format : transposeFormats)
    if (format.bits == getBitWidth(type))
      return &format;
  return nullptr;
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

static llvm::json::Array
list(llvm::ArrayRef<tcp_isa::TransposeFormat> formats) {
  llvm::json::Array array;
  for (const tcp_isa::TransposeFormat &format : formats) {
    llvm::json::Array columns;
    for (int64_t count : format.columns)
      if (count)
        columns.push_back(count);
    array.push_back(
        llvm::json::Object{{"bits", format.bits},
                           {"elements_per_packet", format.elementsPerPacket},
                           {"output_alignment", format.outputAlignment},
                           {"max_rows", format.maxRows},
                           {"columns", std::move(columns)}});
  }
  return array;
}

static llvm::json::Object limits(const SequencerLimits &limits) {
  return llvm::json::Object{
      {"max_entries", static_cast<int64_t>(limits.maxEntries)},
      {"max_size", limits.maxSize},
      {"access_bytes", list(limits.accessBytes)}};
}

static llvm::json::Array list(llvm::ArrayRef<uint64_t> masks) {
  llvm::json::Array array;
  for (uint64_t mask : masks) {
    llvm::json::Array bits;
    for (int64_t i = 0; i < 64; ++i)
      if (mask >> i & 1)
        bits.push_back(i);
    array.push_back(std::move(bits));
  }
  return array;
}

static llvm::json::Object hbm(const HbmModel &hbm) {
  return llvm::json::Object{
      {"stacks", hbm.stacks},
      {"channels_per_stack", hbm.channelsPerStack},
      {"slices_per_channel", hbm.slicesPerChannel},
      {"bank_groups_per_slice", hbm.bankGroupsPerSlice},
      {"banks_per_group", hbm.banksPerGroup},
      {"rows_per_bank", hbm.rowsPerBank},
      {"row_bytes", hbm.rowBytes},
      {"unit_bytes", hbm.unitBytes},
      {"stack_bits", list(hbm.stackBits)},
      {"channel_bits", list(hbm.channelBits)},
      {"bank_group_bits", list(hbm.bankGroupBits)},
      {"bank_bits", list(hbm.bankBits)},
      {"slice_bits",
       list(llvm::ArrayRef<uint64_t>{hbm.sliceBit, hbm.highSliceBit})},
      {"row_bits", list(hbm.rowBits)},
      {"high_row_bit", list(llvm::ArrayRef<uint64_t>(hbm.highRowBit))},
      {"controller_mhz", hbm.controllerMHz},
      {"controller_bytes", hbm.controllerBytes},
      {"queue_entries", hbm.queueEntries},
      {"row_switch_cycles", hbm.rowSwitchCycles},
      {"partial_write_factor", hbm.partialWriteFactor},
      {"merges_partial_writes", hbm.mergesPartialWrites},
      {"refresh_percent", hbm.refreshPercent},
      {"command_mhz", hbm.commandMHz},
      {"tccd_other_bank_group", hbm.tccdOtherBankGroup},
      {"tccd_other_slice", hbm.tccdOtherSlice},
      {"tccd_same_bank_group", hbm.tccdSameBankGroup}};
}

static llvm::StringRef name(DmClient client) {
  switch (client) {
  case DmClient::MainFetch:
    return "main_fetch";
  case DmClient::MainCommit:
    return "main_commit";
  case DmClient::SubFetch:
    return "sub_fetch";
  case DmClient::SubCommit:
    return "sub_commit";
  case DmClient::Dma:
    break;
  }
  return "dma";
}

static llvm::json::Array list(llvm::ArrayRef<DmClient> clients) {
  llvm::json::Array array;
  for (DmClient client : clients)
    array.push_back(name(client));
  return array;
}

static llvm::json::Object validCount(const ValidCountLimits &limits) {
  return llvm::json::Object{{"max_counters", limits.maxCounters},
                            {"max_gates", limits.maxGates},
                            {"max_size", limits.maxSize},
                            {"max_index", limits.maxIndex},
                            {"lanes", limits.lanes},
                            {"slices", limits.slices}};
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
      {"fetch_mask_bytes", machine.fetchMaskBytes},
      {"fetch_mask_counts", machine.fetchMaskCounts},
      {"dual_channel_accesses", machine.dualChannelAccesses},
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
      {"vector_alu_cycles", machine.vectorAluCycles},
      {"flit_buffer_bytes", machine.flitBufferBytes},
      {"max_reduce_rows", machine.maxReduceRows},
      {"trf_bank_columns", machine.trfBankColumns},
      {"trf_bank_depth", machine.trfBankDepth},
      {"trf_cell_bytes", machine.trfCellBytes},
      {"trf_cell_slots", machine.trfCellSlots},
      {"trf_cache_depth", machine.trfCacheDepth},
      {"trf_rows_extend", machine.trfRowsExtend},
      {"reduce_slots", machine.reduceSlots},
      {"valid_count", validCount(machine.validCount)},
      {"transpose_formats", list(machine.transposeFormats)},
      {"transpose_buffer_columns", machine.transposeBufferColumns},
      {"generate_cycles", machine.generateCycles},
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
      {"dma_index_bytes", machine.dmaIndexBytes},
      {"dma_store_descriptor_cycles", machine.dmaStoreDescriptorCycles},
      {"hbm_to_dm_cluster_bytes_per_cycle",
       machine.hbmToDmClusterBytesPerCycle},
      {"hbm_to_dm_chip_bytes_per_cycle", machine.hbmToDmChipBytesPerCycle},
      {"dma_outstanding_requests", machine.dmaOutstandingRequests},
      {"dma", limits(machine.dma)},
      {"hbm", hbm(machine.hbm)},
      {"dm_banks", machine.dmBanks},
      {"dm_bank_bytes", machine.dmBankBytes},
      {"dmn_bytes_per_cycle", machine.dmnBytesPerCycle},
      {"dm_cluster_bytes_per_cycle", machine.dmClusterBytesPerCycle},
      {"dm_queue_entries", machine.dmQueueEntries},
      {"noc_timeout_cycles", machine.nocTimeoutCycles},
      {"max_same_bank_accesses", machine.maxSameBankAccesses()},
      {"spm_bytes_per_cycle", machine.spmBytesPerCycle},
      {"dm_priority", list(machine.dmPriority)},
      {"flush_subnormals", machine.flushSubnormals},
      {"cast_wraps", machine.arithmetic.castWraps},
      {"fixed_ties_away", machine.arithmetic.fixedTiesAway},
      {"fixed_nan_by_sign", machine.arithmetic.fixedNanBySign},
      {"abs_keeps_sign", machine.arithmetic.absKeepsSign},
      {"poison_byte", static_cast<int64_t>(machine.poisonByte)},
      {"engine_fill_cycles", machine.engineFillCycles},
      {"tree_level_cycles", machine.treeLevelCycles},
      {"shift_reuse_fill_cycles", machine.shiftReuseFillCycles},
      {"trf_full_path_cycles", machine.trfFullPathCycles},
      {"fetch_cast_fill_cycles", machine.fetchCastFillCycles},
      {"pass_scale_percent", machine.passScalePercent},
      {"reduce_link_flits_per_cycle", machine.reduceLinkFlitsPerCycle},
      {"cluster_dependency_cycles", machine.clusterDependencyCycles},
      {"row_major_arguments", machine.rowMajorArguments},
      {"macs_per_cycle", std::move(macs)},
  };
}
