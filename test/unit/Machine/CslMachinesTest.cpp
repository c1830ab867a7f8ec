//===- CslMachinesTest.cpp - Tests of the wafer-scale machine table ------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Row.h"
#include "sequin/Machine/CslMachine.h"
#include "sequin/Machine/CslMessages.h"
#include "sequin/Machine/CslPipeline.h"
#include "sequin/Machine/CslRegisters.h"
#include "sequin/Machine/Machine.h"
#include "sequin/Machine/MemcpyBuffers.h"
#include "llvm/ADT/StringSet.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace sequin;
using ::testing::ElementsAre;

TEST(CslMachines, LookupByName) {
  llvm::StringSet<> names;
  for (const TcpMachine *machine : tcpMachines())
    names.insert(machine->name);
  for (const CslMachine *machine : cslMachines()) {
    EXPECT_EQ(lookupCslMachine(machine->name), machine);
    EXPECT_TRUE(names.insert(machine->name).second);
  }
  EXPECT_EQ(lookupCslMachine("wse1"), nullptr);
  EXPECT_EQ(knownCslMachineNames(), "wse2, wse3");
}

TEST(CslMachines, Figures) {
  const CslMachine &wse2 = *lookupCslMachine("wse2");
  const CslMachine &wse3 = *lookupCslMachine("wse3");
  for (const CslMachine *machine : {&wse2, &wse3})
    EXPECT_EQ(machine->memoryBytesPerPe, 49152);
  EXPECT_EQ(wse2.fabricWidth, 757);
  EXPECT_EQ(wse2.fabricHeight, 996);
  EXPECT_EQ(wse3.fabricWidth, 762);
  EXPECT_EQ(wse3.fabricHeight, 1172);
  EXPECT_EQ(wse3.pes(), 762 * 1172);
  EXPECT_EQ(wse2.hopCycles, 1);
  EXPECT_EQ(wse3.hopCycles, 2);
}

TEST(CslMachines, EveryRowIsPlausible) {
  for (const CslMachine *machine : cslMachines()) {
    const DsdLimits &dsd = machine->dsd;
    for (unsigned bits : {dsd.mem1dStrideBits, dsd.mem4dStrideBits,
                          dsd.offsetBits, dsd.extentBits, dsd.wraparoundBits}) {
      EXPECT_GE(bits, 1u);
      // Wider fields could not be compared in 64 bits.
      EXPECT_LE(bits, 62u);
    }
    EXPECT_LE(dsd.mem1dStrideBits, dsd.mem4dStrideBits);
    EXPECT_GE(dsd.mem4dDimensions, 1u);
    EXPECT_GE(machine->hopCycles, 1);
    EXPECT_GE(machine->fmacsStartCycles, 0);
  }
}

TEST(CslMachines, Queues) {
  const CslMachine &wse2 = *lookupCslMachine("wse2");
  const CslMachine &wse3 = *lookupCslMachine("wse3");
  EXPECT_THAT(wse2.inputQueueWords, ElementsAre(6, 6, 4, 4, 2, 2, 2, 2));
  EXPECT_THAT(wse3.inputQueueWords, ElementsAre(8, 8, 4, 4, 4, 4, 4, 4));
  SEQUIN_ROW("ASY-016");
  EXPECT_THAT(wse2.outputQueueWords, ElementsAre(2, 2, 6, 6, 2, 2));
  EXPECT_THAT(wse3.outputQueueWords, ElementsAre(8, 8, 8, 8, 8, 8, 8, 8));
  SEQUIN_ROW("ASY-017");
  SEQUIN_ROW("WEX-021");
}

TEST(CslMachines, SimdWidths) {
  const CslMachine &wse2 = *lookupCslMachine("wse2");
  const CslMachine &wse3 = *lookupCslMachine("wse3");
  struct Row {
    DsdOpcode opcode;
    unsigned wse2, wse3;
  };
  Row rows[] = {
      {DsdOpcode::Add16, 4, 8},   {DsdOpcode::Addc16, 1, 8},
      {DsdOpcode::Fadds, 2, 4},   {DsdOpcode::Fmach, 4, 8},
      {DsdOpcode::Fmachs, 2, 4},  {DsdOpcode::Fmaxs, 1, 4},
      {DsdOpcode::Mov32, 2, 4},   {DsdOpcode::Sar16, 1, 4},
      {DsdOpcode::Xp162fh, 1, 8}, {DsdOpcode::Fmacs, 1, 1},
      {DsdOpcode::Fmuls, 1, 1},   {DsdOpcode::Popcnt, 1, 1},
  };
  for (const Row &row : rows) {
    EXPECT_EQ(wse2.simdWidth(row.opcode), row.wse2)
        << getInfo(row.opcode).name.str();
    EXPECT_EQ(wse3.simdWidth(row.opcode), row.wse3)
        << getInfo(row.opcode).name.str();
  }
  SEQUIN_ROW("DOP-014");
  unsigned at8[] = {8, 8, 8, 8, 2, 8, 8, 2, 1, 2};
  for (unsigned stride = 0; stride < 10; ++stride)
    EXPECT_EQ(simdWidthAtStride(8, stride), at8[stride]) << stride;
  EXPECT_EQ(simdWidthAtStride(8, -1), 2u);
  EXPECT_EQ(simdWidthAtStride(1, 4), 1u);
  SEQUIN_ROW("DOP-015");
  SEQUIN_ROW("AMB-047");
}

TEST(CslMachines, Ids) {
  const CslMachine &wse2 = *lookupCslMachine("wse2");
  const CslMachine &wse3 = *lookupCslMachine("wse3");
  for (const CslMachine *machine : {&wse2, &wse3}) {
    EXPECT_EQ(machine->colors, 24u);
    EXPECT_EQ(machine->controlTasks, 64u);
    EXPECT_EQ(machine->teardownTask, 29u);
    EXPECT_EQ(machine->lastLocalTask, 30u);
    EXPECT_EQ(machine->microthreads, 8u);
    EXPECT_EQ(machine->memcpy.colors, 7u << 21);
  }
  EXPECT_EQ(wse2.firstLocalTask, 0u);
  EXPECT_EQ(wse3.firstLocalTask, 8u);
  for (unsigned color = 0; color < 24; ++color) {
    EXPECT_TRUE(wse2.isSwitchable(color));
    bool listed = color < 10 || color == 12 || color == 13 || color == 16 ||
                  color == 17 || color == 20 || color == 21;
    EXPECT_EQ(wse3.isSwitchable(color), listed) << color;
  }
  EXPECT_FALSE(wse2.isSwitchable(24));
}

TEST(CslMachines, Messages) {
  SEQUIN_ROW("FAB-080");
  EXPECT_EQ(messagesOf(*lookupCslMachine("wse2")), nullptr);
  const CslMessages *messages = messagesOf(*lookupCslMachine("wse3"));
  ASSERT_NE(messages, nullptr);
  EXPECT_EQ(messages->colors, 0x7c000u); // 14 to 18
  EXPECT_TRUE(messages->colors >> messages->color & 1);
  // Any PE of the fabric and any length have a header.
  const CslMachine &wse3 = *lookupCslMachine("wse3");
  EXPECT_LE(wse3.fabricWidth, 1 << 11);
  EXPECT_LE(wse3.fabricHeight, 1 << 11);
  EXPECT_LT(messages->maxWords, 1u << 6);
  MessageHeader header =
      MessageHeader::unpack(5u | 1171u << 11 | messages->maxWords << 22);
  EXPECT_EQ(header.column, 5);
  EXPECT_EQ(header.row, 1171);
  EXPECT_EQ(header.words, messages->maxWords);
}

TEST(CslMachines, HostBuffers) {
  SEQUIN_ROW("WEX-052");
  EXPECT_EQ(bufferedWaveletsPerPe(1, 500), 23);
  EXPECT_EQ(bufferColumns(100, 500), 5);
  EXPECT_EQ(bufferColumns(23, 500), 1);
  EXPECT_EQ(bufferColumns(24, 500), 2);
  EXPECT_GE(bufferedWaveletsPerPe(5, 500), 100);
  EXPECT_LT(bufferedWaveletsPerPe(4, 500), 100);
}

TEST(CslMachines, FloatIntervals) {
  SEQUIN_ROW("SIM-008");
  const CslMachine &wse3 = *lookupCslMachine("wse3");
  EXPECT_EQ(wse3.cycles(ScalarClass::Float), 2);
  EXPECT_EQ(pipelineOf(3).independentFloat, 1u);
}

TEST(CslRegisters, LieApart) {
  unsigned next = kFirstConfigAddress;
  for (const CslRegisterInfo &info : cslRegisters()) {
    EXPECT_GE(info.address, next) << info.name.str();
    next = info.address + info.count;
    EXPECT_EQ(&getInfo(info.kind), &info);
    EXPECT_EQ(lookupCslRegister(info.name), &info);
    EXPECT_EQ(lookupCslRegister(static_cast<uint16_t>(next - 1)), &info);
  }
  EXPECT_LE(next, kLastConfigAddress + 1u);
  EXPECT_EQ(getInfo(CslRegister::Route).address, 0x7f20);
  SEQUIN_ROW("FAB-076");
  EXPECT_EQ(getInfo(CslRegister::Switch).address, 0x7f40);
  SEQUIN_ROW("FAB-077");
  EXPECT_EQ(lookupCslRegister(uint16_t(0x7fff)), nullptr);
  // Where pointers reach them.
  const CslMachine &wse2 = *lookupCslMachine("wse2");
  EXPECT_EQ(configWordAt(wse2, 0xfe40), 0x7f20);
  EXPECT_EQ(configWordAt(wse2, 0xf800), 0x7c00);
  EXPECT_EQ(configWordAt(wse2, 0xffff), 0x7fff);
  EXPECT_EQ(configWordAt(wse2, 0xf7ff), std::nullopt);
  EXPECT_EQ(configWordAt(wse2, 0x10000), std::nullopt);
  EXPECT_EQ(configWordAt(*lookupCslMachine("wse3"), 0xfe40), std::nullopt);
}
