//===- CslMachinesTest.cpp - Tests of the wafer-scale machine table ------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Machine/CslMachine.h"
#include "sequin/Machine/Machine.h"
#include "llvm/ADT/StringSet.h"
#include "gtest/gtest.h"

using namespace sequin;

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
