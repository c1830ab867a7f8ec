//===- HbmTest.cpp - Channels, banks and rows ----------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Clock/Hbm.h"
#include "../Row.h"
#include "Rngd.h"
#include "llvm/Support/MathExtras.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <functional>
#include <random>
#include <set>

using namespace sequin;
using sequin::testing::rngd;
using namespace sequin::sim;

static const HbmModel &model() { return rngd().hbm; }

static Hbm::Statistics runAll(const std::function<void(Hbm &)> &accesses,
                              const HbmModel &model = ::model()) {
  Hbm hbm(model, rngd().clockMHz);
  accesses(hbm);
  return hbm.finish();
}

/// Addresses of units in one channel, ascending.
static std::vector<int64_t>
inChannel(int64_t count, const std::function<bool(const HbmPlace &)> &wanted,
          int64_t step = 256) {
  std::vector<int64_t> addresses;
  for (int64_t address = 0; static_cast<int64_t>(addresses.size()) < count &&
                            address < model().bytes();
       address += step)
    if (HbmPlace place = placeOf(model(), address);
        place.channel == 0 && wanted(place))
      addresses.push_back(address);
  return addresses;
}

TEST(Hbm, Geometry) {
  SEQUIN_ROW("MEM-11");
  EXPECT_EQ(model().stacks, 2);
  EXPECT_EQ(model().channelsPerStack, 16);
  EXPECT_EQ(model().slicesPerChannel, 3);
  EXPECT_EQ(model().bankGroupsPerSlice, 4);
  EXPECT_EQ(model().banksPerGroup, 4);
  EXPECT_EQ(model().rowsPerBank, 16384);
  EXPECT_EQ(model().rowBytes, 2048);
  EXPECT_EQ(model().bytes(), int64_t(48) << 30);
  EXPECT_EQ(model().bytes(), rngd().hbmBytes);
}

TEST(Hbm, AddressBits) {
  SEQUIN_ROW("MEM-12");
  SEQUIN_ROW("ERR-44");
  auto at = [](std::initializer_list<int> bits) {
    int64_t address = 0;
    for (int bit : bits)
      address |= int64_t(1) << bit;
    return placeOf(model(), address);
  };
  EXPECT_EQ(at({8}).channel, 16);
  for (int bit = 0; bit < 4; ++bit)
    for (int group : {9, 13, 17, 21, 25})
      EXPECT_EQ(at({group + bit}).channel, 1 << bit) << group + bit;
  // Two bits of one exclusive or cancel.
  EXPECT_EQ(at({9, 17}).channel, 0);
  EXPECT_EQ(at({9, 13, 17, 21, 25}).channel, 1);
  EXPECT_EQ(at({13}).bankGroup, 1);
  EXPECT_EQ(at({19}).bankGroup, 2);
  EXPECT_EQ(at({17}).bank % 4, 1);
  EXPECT_EQ(at({18}).bank % 4, 2);
  EXPECT_EQ(at({20}).slice, 1);
  EXPECT_EQ(at({34}).slice, 2);
  for (int bit = 21; bit <= 33; ++bit)
    EXPECT_EQ(at({bit}).row, 1 << (bit - 21));
  EXPECT_EQ(at({35}).row, 1 << 13);
  // Bytes of a row: only the channel changes with bits 14 to 16.
  for (int bit : {14, 15, 16}) {
    EXPECT_EQ(at({bit}).row, 0);
    EXPECT_EQ(at({bit}).bank, 0);
  }
  // With bit 34 the third slice's upper half of rows is bit 20.
  EXPECT_EQ(at({20, 34}).slice, 2);
  EXPECT_EQ(at({20, 34}).row, 1 << 13);
}

TEST(Hbm, EveryPlaceOnce) {
  SEQUIN_ROW("MEM-12");
  // All combinations of the bits that decide, a few of them of the rows: as
  // many different places as addresses, eight units to a row.
  std::map<std::tuple<int64_t, int64_t, int64_t>, int> units;
  std::mt19937_64 random(1);
  int64_t addresses = 0;
  for (int64_t top : {0, 1, 2})
    for (int64_t rows = 0; rows < 4; ++rows) {
      int64_t row = static_cast<int64_t>(random() % (1 << 13)) << 21;
      for (int64_t low = 0; low < 1 << 21; low += 256, ++addresses) {
        HbmPlace place = placeOf(model(), (top << 34) + row + low);
        EXPECT_LT(place.bank, model().banksPerChannel());
        EXPECT_LT(place.row, model().rowsPerBank);
        ++units[{place.channel, place.bank, place.row}];
      }
    }
  EXPECT_EQ(units.size(), static_cast<size_t>(addresses / 8));
  for (const auto &[place, count] : units)
    ASSERT_EQ(count, 8);
}

TEST(Hbm, PeakBandwidth) {
  SEQUIN_ROW("MEM-13");
  EXPECT_EQ(model().controllerMHz * model().controllerBytes, 48000); // MB/s
  EXPECT_EQ(model().channels() * model().controllerMHz *
                model().controllerBytes / rngd().clockMHz,
            1536);
  constexpr int64_t bytes = int64_t(64) << 20;
  Hbm::Statistics all = runAll([](Hbm &hbm) { hbm.access(0, bytes, false); });
  EXPECT_EQ(all.channels, 32);
  EXPECT_EQ(all.busiest, bytes / 256 / 32);
  // Four controller cycles per unit; the first is part of the start-up.
  EXPECT_EQ(all.cycles, ((all.busiest - 1) * 4 * 1000 + 749) / 750);
  EXPECT_NEAR(static_cast<double>(bytes) / all.cycles, 1536, 1);
}

TEST(Hbm, MisalignedAccess) {
  SEQUIN_ROW("MEM-14");
  SEQUIN_ROW("DMA-12");
  auto units = [](int64_t address, int64_t bytes) {
    return runAll([=](Hbm &hbm) { hbm.access(address, bytes, false); }).units;
  };
  EXPECT_EQ(units(0, 256), 1);
  EXPECT_EQ(units(128, 256), 2); // crosses a boundary: two transfers
  EXPECT_EQ(units(255, 2), 2);
  // 2,800 bytes: ten whole units and one of 240 bytes.
  Hbm::Statistics write = runAll([](Hbm &hbm) { hbm.access(0, 2800, true); });
  EXPECT_EQ(write.units, 11);
  EXPECT_EQ(write.partialWrites, 1);
  EXPECT_EQ(runAll([](Hbm &hbm) { hbm.access(0, 2816, true); }).partialWrites,
            0);
  EXPECT_EQ(runAll([](Hbm &hbm) { hbm.access(128, 256, true); }).partialWrites,
            2);
  SEQUIN_ROW("MEM-01");
  // Many partial writes take fifty times as long as whole ones.
  auto cycles = [](int64_t bytes) {
    return runAll([=](Hbm &hbm) {
             for (int64_t i = 0; i < 64000; ++i)
               hbm.access(i * 256, bytes, true);
           })
        .cycles;
  };
  EXPECT_NEAR(static_cast<double>(cycles(240)) / cycles(256), 50, 0.1);
}

TEST(Hbm, EveryRequestForAPartIsAWriteOfItsOwn) {
  SEQUIN_ROW("MEM-14");
  auto write = [](int64_t address, int64_t bytes, int64_t times = 1) {
    return runAll([=](Hbm &hbm) {
      for (int64_t i = 0; i < times; ++i)
        hbm.access(address, bytes, true);
    });
  };
  // Just inside, at and just outside of a unit.
  EXPECT_EQ(write(0, 255).partialWrites, 1);
  EXPECT_EQ(write(0, 256).partialWrites, 0);
  EXPECT_EQ(write(0, 257).partialWrites, 1);
  EXPECT_EQ(write(0, 257).units, 2);
  // An unaligned write of 256 bytes is two of them.
  EXPECT_EQ(write(1, 256).partialWrites, 2);
  // They are in two channels. Of each the transfer is part of the start-up.
  EXPECT_EQ(write(1, 256).cycles, llvm::divideCeil(49 * 16, 3));
  // Those of one bank group follow each other at half the speed.
  EXPECT_EQ(write(1, 254, 10).cycles,
            llvm::divideCeil((10 * (2 + 49) - 2) * 16, 3));
  // Four quarters of a unit, one after the other, are four.
  Hbm::Statistics quarters = runAll([](Hbm &hbm) {
    for (int64_t part = 0; part < 4; ++part)
      hbm.access(part * 64, 64, true);
  });
  EXPECT_EQ(quarters.units, 4);
  EXPECT_EQ(quarters.partialWrites, 4);
}

TEST(Hbm, PartsThatWaitTogetherMayBeOneWrite) {
  HbmModel merging = lookupTcpMachine("rngd-merging")->hbm;
  auto write = [&](int64_t between) {
    return runAll(
        [=](Hbm &hbm) {
          for (int64_t part = 0; part < 4; ++part) {
            hbm.access(part * 64, 64, true);
            // Parts of other units, in other rows of all channels.
            for (int64_t i = 0; i < between; ++i)
              hbm.access((1 + part * between + i) << 21, 64, true);
          }
        },
        merging);
  };
  Hbm::Statistics whole = write(0);
  EXPECT_EQ(whole.units, 1);
  EXPECT_EQ(whole.partialWrites, 0);
  // The queue of the channel has room for some others, not for all.
  EXPECT_EQ(write(4).partialWrites, 16);
  EXPECT_EQ(write(1000).partialWrites, 4004);
}

TEST(Hbm, RowSwitches) {
  SEQUIN_ROW("MEM-15");
  // 40 ns are 60 cycles at 1.5 GHz, and 30 transfers of 64 bytes.
  EXPECT_EQ(model().rowSwitchCycles * model().commandMHz / rngd().clockMHz, 60);
  EXPECT_EQ(model().rowSwitchCycles * model().controllerMHz / rngd().clockMHz,
            30);
  // Units of one bank, a row each.
  std::vector<int64_t> rows = inChannel(
      1000, [](const HbmPlace &place) { return place.bank == 0; }, 1 << 21);
  // 2^21 apart is another row, and often another channel.
  std::set<int64_t> distinct;
  for (int64_t address : rows)
    distinct.insert(placeOf(model(), address).row);
  ASSERT_EQ(distinct.size(), rows.size());
  Hbm::Statistics all = runAll([&](Hbm &hbm) {
    for (int64_t address : rows)
      hbm.access(address, 256, false);
  });
  EXPECT_EQ(all.openings, 1000);
  EXPECT_EQ(all.switches, 999);
  EXPECT_EQ(all.cycles, 40 * 1000);
  // The row stays open for all eight of its units.
  std::vector<int64_t> row = inChannel(8, [](const HbmPlace &place) {
    return place.bank == 0 && place.row == 0;
  });
  ASSERT_EQ(row.size(), 8u);
  EXPECT_EQ(runAll([&](Hbm &hbm) {
              for (int64_t address : row)
                hbm.access(address, 256, false);
            }).openings,
            1);
}

TEST(Hbm, FirstReadyFirstCome) {
  SEQUIN_ROW("MEM-09");
  // Two rows of one bank in turn. The queue finds what hits the open row.
  auto ofRow = [](int64_t row) {
    return inChannel(8, [=](const HbmPlace &place) {
      return place.bank == 0 && place.row == row;
    });
  };
  std::vector<int64_t> a = ofRow(0), b = ofRow(1);
  ASSERT_EQ(a.size(), 8u);
  ASSERT_EQ(b.size(), 8u);
  auto openings = [&](const HbmModel &model) {
    return runAll(
               [&](Hbm &hbm) {
                 for (int i = 0; i < 8; ++i) {
                   hbm.access(a[i], 256, false);
                   hbm.access(b[i], 256, false);
                 }
               },
               model)
        .openings;
  };
  EXPECT_EQ(model().queueEntries, 64);
  EXPECT_EQ(openings(model()), 2);
  HbmModel inOrder = model();
  inOrder.queueEntries = 4; // one unit
  EXPECT_EQ(openings(inOrder), 16);
}

TEST(Hbm, ColumnDelays) {
  SEQUIN_ROW("MEM-16");
  auto cycles = [](const std::vector<int64_t> &a,
                   const std::vector<int64_t> &b) {
    return runAll([&](Hbm &hbm) {
             for (int i = 0; i < 4000; ++i) {
               hbm.access(a[i / 2 % a.size()], 256, false);
               hbm.access(b[i / 2 % b.size()], 256, false);
             }
           })
        .cycles;
  };
  auto unit = [](int64_t slice, int64_t group) {
    return inChannel(8, [=](const HbmPlace &place) {
      return place.slice == slice && place.bankGroup == group &&
             place.row == 0 && place.bank % 4 == 0;
    });
  };
  // 8000 units of four commands each, at 1.5 GHz.
  EXPECT_NEAR(cycles(unit(0, 0), unit(0, 1)), 8000 * 4 * 2 / 1.5, 12);
  EXPECT_NEAR(cycles(unit(0, 0), unit(1, 0)), 8000 * 4 * 3 / 1.5, 12);
  EXPECT_NEAR(cycles(unit(0, 0), unit(0, 0)), 8000 * 4 * 4 / 1.5, 12);
}
