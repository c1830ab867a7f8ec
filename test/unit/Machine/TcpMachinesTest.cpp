//===- TcpMachinesTest.cpp - Tests of the TCP machine table --------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rngd.h"
#include "Row.h"
#include "sequin/Machine/Machine.h"
#include "sequin/Machine/TcpIsa.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

using namespace sequin;
using sequin::testing::rngd;

TEST(TcpMachines, LookupByName) {
  llvm::StringSet<> names;
  for (const TcpMachine *machine : tcpMachines()) {
    EXPECT_EQ(lookupTcpMachine(machine->name), machine);
    EXPECT_TRUE(names.insert(machine->name).second);
  }
  EXPECT_EQ(lookupTcpMachine("rngd2"), nullptr);
  EXPECT_EQ(knownMachineNames(), "rngd, rngd-s, rngd-measured, rngd-merging, "
                                 "rngd-static, rngd-strict");
}

TEST(TcpMachines, Geometry) {
  const TcpMachine &m = rngd();
  SEQUIN_ROW("HEL-03");
  EXPECT_EQ(m.clustersPerChip, 2);
  EXPECT_EQ(m.slicesPerCluster, 256);
  EXPECT_EQ(m.rowsPerSlice, 8);
  EXPECT_EQ(m.hbmBytes, 48LL * 1024 * 1024 * 1024);
  EXPECT_EQ(m.trfBytesPerRow, 8192);
  EXPECT_EQ(m.vrfBytesPerSlice, 8192);
  SEQUIN_ROW("MAP-25");
  EXPECT_EQ(m.clustersPerChip * m.slicesPerCluster * m.dmBytesPerSlice,
            256 << 20);
  EXPECT_EQ(m.maxChips * m.clustersPerChip * m.slicesPerCluster *
                m.dmBytesPerSlice,
            2LL << 30);
  SEQUIN_ROW("MAP-26");
  EXPECT_EQ(m.dmBytesPerSlice, 512 << 10);
  EXPECT_EQ(m.trfBytesPerRow * m.rowsPerSlice, 64 << 10);
  SEQUIN_ROW("RED-09");
  EXPECT_EQ(m.rowsPerSlice * m.accumulatorColumns * m.accumulatorRegisters,
            1024);
}

TEST(TcpMachines, AccessSizes) {
  const TcpMachine &m = rngd();
  SEQUIN_ROW("FET-03");
  EXPECT_EQ(m.mainFetch.accessBytes,
            llvm::ArrayRef<int64_t>({1, 2, 4, 8, 16, 32}));
  EXPECT_EQ(m.subFetch.accessBytes, llvm::ArrayRef<int64_t>({8}));
  EXPECT_EQ(m.subFetchI4ToI32Bytes, 4);
  SEQUIN_ROW("SIL-22");
  EXPECT_FALSE(llvm::is_contained(m.mainFetch.accessBytes, 24));
  SEQUIN_ROW("COM-03");
  EXPECT_EQ(m.commitInBytes, llvm::ArrayRef<int64_t>({8, 16, 24, 32}));
  SEQUIN_ROW("COM-08");
  EXPECT_EQ(m.mainCommit.accessBytes, llvm::ArrayRef<int64_t>({8, 16, 24, 32}));
  EXPECT_EQ(m.subCommit.accessBytes, llvm::ArrayRef<int64_t>({8}));
  SEQUIN_ROW("TRF-09");
  EXPECT_EQ(m.trf.maxEntries, 8u);
  EXPECT_EQ(m.trf.maxSize, 65536);
  EXPECT_EQ(m.trf.accessBytes,
            llvm::ArrayRef<int64_t>({1, 2, 4, 8, 16, 32, 64}));
}

TEST(TcpMachines, FetchConversions) {
  SEQUIN_ROW("FET-18");
  using enum ElementType;
  struct Conversion {
    ElementType from, to;
    bool rngd, rngdS;
  };
  for (Conversion c : {Conversion{I4, I5, true, true},
                       {I4, I32, true, true},
                       {I8, I9, true, true},
                       {I8, I32, true, true},
                       {I16, I32, true, true},
                       {F8E4M3, F32, true, true},
                       {F8E5M2, F32, true, true},
                       {BF16, F32, true, true},
                       {F16, F32, true, true},
                       {F32, BF16, true, true},
                       {I4, I9, false, true},
                       {I16, I9, false, true},
                       {F8E4M3, BF16, false, true},
                       {F8E5M2, BF16, false, true},
                       {I8, I16, false, false},
                       {F32, F16, false, false},
                       {I32, I8, false, false},
                       {BF16, BF16, true, true}}) {
    EXPECT_EQ(rngd().canFetchCast(c.from, c.to), c.rngd)
        << getName(c.from).str() << " " << getName(c.to).str();
    EXPECT_EQ(lookupTcpMachine("rngd-s")->canFetchCast(c.from, c.to), c.rngdS);
  }
}

TEST(TcpMachines, CastEngine) {
  SEQUIN_ROW("CAS-01");
  using enum ElementType;
  for (ElementType to : {I4, I8, I16})
    EXPECT_TRUE(rngd().canCast(I32, to));
  for (ElementType to : {F8E5M2, F8E4M3, F16, BF16})
    EXPECT_TRUE(rngd().canCast(F32, to));
  EXPECT_FALSE(rngd().canCast(I32, F32));
  EXPECT_FALSE(rngd().canCast(F32, I8));
  EXPECT_FALSE(rngd().canCast(I32, I32));
}

TEST(TcpMachines, TransposeEngine) {
  SEQUIN_ROW("TRA-02");
  SEQUIN_ROW("TRA-04");
  SEQUIN_ROW("TRA-05");
  using enum ElementType;
  struct Row {
    ElementType type;
    int64_t elementsPerPacket, outputAlignment, maxRows;
    std::array<int64_t, 3> columns;
  };
  for (const Row &row :
       {Row{I4, 16, 64, 16, {16, 32, 0}}, Row{I8, 8, 32, 8, {8, 16, 32}},
        Row{F8E4M3, 8, 32, 8, {8, 16, 32}}, Row{BF16, 8, 16, 4, {8, 16, 32}},
        Row{I32, 8, 8, 2, {8, 16, 32}}}) {
    const tcp_isa::TransposeFormat *format = rngd().transposeFormat(row.type);
    ASSERT_TRUE(format);
    EXPECT_EQ(format->elementsPerPacket, row.elementsPerPacket);
    EXPECT_EQ(format->outputAlignment, row.outputAlignment);
    EXPECT_EQ(format->maxRows, row.maxRows);
    EXPECT_EQ(format->columns, row.columns);
    EXPECT_EQ(format->maxRows * format->bits, 64);
  }
  EXPECT_EQ(rngd().transposeFormat(I5), nullptr);
  EXPECT_EQ(rngd().transposeFormat(I9), nullptr);
  EXPECT_EQ(rngd().transposeBufferColumns, 16);
}

TEST(TcpMachines, MultiplyAccumulatesPerCycle) {
  SEQUIN_ROW("CON-12");
  SEQUIN_ROW("TRF-06");
  using enum ElementType;
  EXPECT_EQ(rngd().lanes(I4), 128);
  EXPECT_EQ(rngd().lanes(I8), 64);
  EXPECT_EQ(rngd().lanes(F8E4M3), 64);
  EXPECT_EQ(rngd().lanes(BF16), 32);
  EXPECT_EQ(rngd().macsPerCycle(BF16), 512 * 8 * 32);
  EXPECT_EQ(rngd().macsPerCycle(F32), 0);
  EXPECT_EQ(rngd().macsPerCycle(I32), 0);
}

TEST(TcpMachines, Dma) {
  const TcpMachine &m = rngd();
  EXPECT_EQ(m.dmaEngines * m.slicesPerEngine,
            m.clustersPerChip * m.slicesPerCluster);
  EXPECT_EQ(m.slicesPerEngine, 2 * m.slicesPerDmn);
  EXPECT_EQ(m.dmaRequestBytes, 256);
  EXPECT_EQ(m.hbmUtilizationBytesPerCycle, 1500);
  SEQUIN_ROW("MEM-13");
  EXPECT_EQ(m.hbmBytesPerCycle * m.clockMHz, 1536000);
  SEQUIN_ROW("DMA-03");
  EXPECT_EQ(m.dmaMaxPacketBytes, 4096);
  EXPECT_EQ(m.dmaAlignBytes, 8);
  SEQUIN_ROW("DMA-05");
  EXPECT_EQ(m.dmaStartupCycles, 500);
  EXPECT_EQ(m.interChipBytesPerCycle, 30);
  SEQUIN_ROW("DMA-09");
  EXPECT_EQ(m.dmSliceStride, 4 << 20);
  EXPECT_GE(m.dmSliceStride, 2 * m.dmBytesPerSlice);
}

// The published calibration, the middle of each range; all else is RNGD's.
TEST(TcpMachines, Measured) {
  const TcpMachine &m = *lookupTcpMachine("rngd-measured");
  auto isMiddle = [](int64_t value, int64_t low, int64_t high) {
    return std::abs(2 * value - (low + high)) <= 1;
  };
  EXPECT_TRUE(isMiddle(m.dmaStartupCycles, 500, 550));
  EXPECT_TRUE(isMiddle(m.dmaStoreDescriptorCycles, 64, 81));
  EXPECT_TRUE(isMiddle(m.hbmToDmClusterBytesPerCycle, 262, 335));
  EXPECT_TRUE(isMiddle(m.hbmToDmChipBytesPerCycle, 420, 680));
  EXPECT_TRUE(isMiddle(m.passScalePercent, 160, 360));
  // RNGD has no such limits.
  EXPECT_EQ(rngd().dmaStoreDescriptorCycles, 0);
  EXPECT_EQ(rngd().hbmToDmClusterBytesPerCycle, 0);
  EXPECT_EQ(rngd().hbmToDmChipBytesPerCycle, 0);
  EXPECT_EQ(rngd().passScalePercent, 100);
  auto rest = [](const TcpMachine &machine) {
    llvm::json::Object object = *toJSON(machine).getAsObject();
    for (llvm::StringRef key :
         {"name", "dma_startup_cycles", "dma_store_descriptor_cycles",
          "hbm_to_dm_cluster_bytes_per_cycle", "hbm_to_dm_chip_bytes_per_cycle",
          "pass_scale_percent"})
      EXPECT_TRUE(object.erase(key)) << key.str();
    return llvm::json::Value(std::move(object));
  };
  EXPECT_EQ(rest(m), rest(rngd()));
}

/// The row without `keys`, those of HBM as "hbm.key"; all must be there.
static llvm::json::Value without(const TcpMachine &machine,
                                 std::initializer_list<llvm::StringRef> keys) {
  llvm::json::Value value = toJSON(machine);
  llvm::json::Object &object = *value.getAsObject();
  EXPECT_TRUE(object.erase("name"));
  for (llvm::StringRef key : keys) {
    llvm::json::Object &where =
        key.consume_front("hbm.") ? *object.getObject("hbm") : object;
    EXPECT_TRUE(where.erase(key)) << key.str();
  }
  return value;
}

// Rows for one reading of a silent point each differ from RNGD there alone.
TEST(TcpMachines, OtherReadings) {
  auto expectLikeRngd = [](llvm::StringRef name,
                           std::initializer_list<llvm::StringRef> keys) {
    EXPECT_EQ(without(*lookupTcpMachine(name), keys), without(rngd(), keys))
        << name.str();
  };
  expectLikeRngd("rngd-static", {"engine_fill_cycles"});
  expectLikeRngd("rngd-merging", {"hbm.merges_partial_writes"});
  expectLikeRngd("rngd-strict",
                 {"engine_fill_cycles", "hbm.refresh_percent",
                  "hbm.row_switch_cycles", "dma_outstanding_requests",
                  "dm_cluster_bytes_per_cycle", "reduce_link_flits_per_cycle",
                  "cluster_dependency_cycles", "row_major_arguments"});
  // Two published static counts of passes: 4,105 and 7,961.
  const TcpMachine &fixed = *lookupTcpMachine("rngd-static");
  EXPECT_EQ(rngd().engineFillCycles, 0);
  EXPECT_EQ(3840 + fixed.engineFillCycles, 4105);
  EXPECT_LE(7680 + fixed.engineFillCycles, 7961);
  const TcpMachine &strict = *lookupTcpMachine("rngd-strict");
  EXPECT_EQ(strict.engineFillCycles, fixed.engineFillCycles);
  // Bank Conflict: 40-50 ns.
  EXPECT_EQ(rngd().hbm.rowSwitchCycles, 40);
  EXPECT_EQ(strict.hbm.rowSwitchCycles, 50);
  EXPECT_EQ(strict.dmClusterBytesPerCycle, 2 * rngd().dmnBytesPerCycle);
  EXPECT_TRUE(lookupTcpMachine("rngd-merging")->hbm.mergesPartialWrites);
  EXPECT_FALSE(rngd().hbm.mergesPartialWrites);
}

// What other code assumes of every row.
TEST(TcpMachines, RowsAreConsistent) {
  for (const TcpMachine *machine : tcpMachines()) {
    const TcpMachine &m = *machine;
    EXPECT_EQ(m.slicesPerCluster, rngd().slicesPerCluster)
        << "JSON slice masks are cut into clusters of one size";
    EXPECT_EQ(m.slicesPerCluster % 64, 0);
    EXPECT_EQ(m.macWidthBytes, 2 * m.flitBytes);
    EXPECT_EQ(m.flitBytes, m.outputLanes * 4);
    EXPECT_EQ(m.rowsPerSlice, m.outputLanes);
    EXPECT_TRUE(llvm::is_contained(m.rowCounts, m.rowsPerSlice));
    EXPECT_LT(m.dmBytesPerSlice, m.dmSliceStride);
    for (const SequencerLimits *limits :
         {&m.mainFetch, &m.subFetch, &m.mainCommit, &m.subCommit, &m.trf}) {
      EXPECT_TRUE(llvm::is_sorted(limits->accessBytes));
      EXPECT_FALSE(limits->accessBytes.empty());
    }
    for (int64_t bytes : m.commitInBytes)
      EXPECT_EQ(bytes % m.commitAlignBytes, 0);
    for (int64_t bytes : m.trf.accessBytes)
      EXPECT_TRUE(llvm::isPowerOf2_64(bytes));
  }
}

TEST(TcpMachines, Json) {
  llvm::json::Value value = toJSON(rngd());
  const llvm::json::Object &object = *value.getAsObject();
  EXPECT_EQ(object.getString("name"), "rngd");
  EXPECT_EQ(object.getInteger("dm_bytes_per_slice"), 524288);
  EXPECT_EQ(object.getObject("macs_per_cycle")->getInteger("bf16"), 131072);
  EXPECT_EQ(object.getObject("main_fetch")->getArray("access_bytes")->size(),
            6u);
  EXPECT_EQ(object.getBoolean("flush_subnormals"), true);
  // A switch each (SIL-1, SIL-2, SIL-8), and a NaN in every float type.
  for (const char *key :
       {"cast_wraps", "fixed_ties_away", "fixed_nan_by_sign", "abs_keeps_sign"})
    EXPECT_EQ(object.getBoolean(key), true) << key;
  EXPECT_EQ(object.getInteger("poison_byte"), 0xff);
}

// The verifiers know the shapes of the ISA without a machine; every row has
// them.
TEST(TcpMachines, RowsAgreeWithTheIsa) {
  for (const TcpMachine *machine : tcpMachines()) {
    EXPECT_EQ(machine->flitBytes, tcp_isa::kFlitBytes);
    EXPECT_EQ(machine->fetchAlignBytes, tcp_isa::kFetchAlignBytes);
    EXPECT_EQ(machine->commitAlignBytes, tcp_isa::kCommitUnitBytes);
    EXPECT_EQ(machine->macWidthBytes, tcp_isa::kMacWidthBytes);
    EXPECT_EQ(machine->outputLanes, tcp_isa::kLanes);
    EXPECT_EQ(machine->accumulatorColumns, tcp_isa::kAccumulatorColumns);
    EXPECT_EQ(machine->rowsPerSlice, tcp_isa::kRows);
    EXPECT_EQ(machine->rowCounts.back(), tcp_isa::kRows);
    EXPECT_EQ(machine->collectFlits.back(), tcp_isa::kMaxCollectFlits);
  }
}
