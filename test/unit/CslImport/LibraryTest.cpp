//===- LibraryTest.cpp - Library modules, run -----------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Programs.h"
#include "Row.h"
#include <cmath>

using namespace sequin;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(CslLibrary, Modules) {
  for (llvm::StringRef arch : {"wse2", "wse3"}) {
    SourceRun run(programs::library(), arch);
    ASSERT_TRUE(run.good()) << run.errors;
    EXPECT_EQ(run.launch("main"), "");
    std::vector<float> out = run.get<float>("out", 20);
    EXPECT_THAT(llvm::ArrayRef(out).take_front(4),
                ElementsAre(1.5f, 2.25f, 2.25f, 7.0f));
    EXPECT_THAT(llvm::ArrayRef(out).slice(4, 4),
                ElementsAre(1.0f, -1.0f, 2.0f, 2.25f * 2.25f));
    EXPECT_THAT(llvm::ArrayRef(out).slice(8, 6),
                ElementsAre(1.0f, -32768.0f, 18.0f, -5.0f, 10.0f, 5.5f));
    EXPECT_GE(out[14], 1.0f);
    EXPECT_LT(out[14], 2.0f);
    EXPECT_THAT(llvm::ArrayRef(out).slice(16, 4),
                ElementsAre(2.25f, 2.25f, 2.25f, 2.25f));
    EXPECT_THAT(run.get<uint32_t>("words", 7),
                ElementsAre(1, 0, 0x1234, 0x015f0000, 0, 1, 4));
  }
  SEQUIN_ROW("WEX-036");
  SEQUIN_ROW("WEX-042");
  SEQUIN_ROW("WEX-043");
  SEQUIN_ROW("WEX-044");
  SEQUIN_ROW("WEX-045");
  SEQUIN_ROW("WEX-046");
  SEQUIN_ROW("WEX-047");
  SEQUIN_ROW("LIB-001");
  SEQUIN_ROW("LIB-002");
  SEQUIN_ROW("LIB-003");
  SEQUIN_ROW("LIB-004");
  SEQUIN_ROW("LIB-005");
  SEQUIN_ROW("LIB-006");
  SEQUIN_ROW("LIB-007");
  SEQUIN_ROW("LIB-008");
  SEQUIN_ROW("LIB-009");
  SEQUIN_ROW("LIB-012");
  SEQUIN_ROW("LIB-014");
  SEQUIN_ROW("LIB-022");
  SEQUIN_ROW("LIB-023");
  SEQUIN_ROW("LIB-024");
  SEQUIN_ROW("LIB-025");
  SEQUIN_ROW("LIB-026");
  SEQUIN_ROW("LIB-027");
  SEQUIN_ROW("LIB-028");
  SEQUIN_ROW("LIB-035");
  SEQUIN_ROW("LIB-052");
  SEQUIN_ROW("LIB-053");
  SEQUIN_ROW("LIB-055");
}

// Every PE sends five messages of other lengths to other PEs, into data tasks.
TEST(CslLibrary, MessagesTakeTheShortestWay) {
  SEQUIN_ROW("LIB-062");
  constexpr int64_t kWidth = 6, kHeight = 5, kPes = kWidth * kHeight;
  SourceRun run({{"layout.csl", R"(
      layout {
        @set_rectangle(6, 5);
        for (@range(u16, 6)) |x| {
          for (@range(u16, 5)) |y| {
            @set_tile_code(x, y, "pe.csl", .{ .id = 6 * y + x });
          }
        }
        @export_name("sum", [*]u32, true);
        @export_name("main", fn() void);
      })"},
                 {"pe.csl", R"(
      param id: u16;
      const mp = @import_module("<message_passing>",
                                .{ .input_queue_id = 2, .output_queue_id = 3 });
      var words = @zeros([32]u32);
      var sum = @zeros([2]u32);
      var sum_ptr: [*]u32 = &sum;
      var n: u16 = 0;
      const sent_id = @get_local_task_id(9);
      fn next() void {
        const to: u16 = (7 * id + 11 * n) % 30;
        for (@range(u16, 32)) |i| { words[i] = id; }
        mp.send_message(to % 6, to / 6, @ptrcast([*]u32, &words), 4 + (id + n) % 5,
                        .{ .activate = sent_id });
        n += 1;
      }
      task sent() void { if (n < 5) next(); }
      task word(data: u32) void {
        sum[1] += 1;
        if (data < 30) sum[0] += data;
      }
      fn main() void { next(); }
      comptime {
        @bind_local_task(sent, sent_id);
        @bind_data_task(word, @get_data_task_id(mp.mp_input_queue));
        @export_symbol(sum_ptr, "sum");
        @export_symbol(main);
      })"}});
  ASSERT_TRUE(run.good()) << run.errors;

  // A header looks like no number of a PE: it has a length.
  uint64_t wavelets = 0, hops = 0;
  std::array<uint32_t, kPes> sums = {}, counts = {};
  for (int64_t id = 0; id < kPes; ++id)
    for (int64_t n = 0; n < 5; ++n) {
      int64_t to = (7 * id + 11 * n) % kPes, length = 4 + (id + n) % 5;
      wavelets += length + 1;
      hops += (length + 1) * (std::abs(to % kWidth - id % kWidth) +
                              std::abs(to / kWidth - id / kWidth));
      sums[to] += static_cast<uint32_t>(id * (length - 1));
      counts[to] += static_cast<uint32_t>(length);
    }
  // How many cycles of a PE are simulated at a time changes nothing.
  std::optional<uint64_t> cycles;
  for (unsigned window : {1u, 3u, 8u, 16u}) {
    wafer::Options options;
    options.windowCycles = window;
    auto made = wafer::Simulator::create(
        run.program, *lookupCslMachine(run.program.target), options);
    ASSERT_TRUE(bool(made));
    run.simulator = std::move(*made);
    EXPECT_EQ(run.launch("main"), "");
    EXPECT_EQ(run.simulator->counters().delivered, wavelets);
    EXPECT_EQ(run.simulator->counters().hops, hops);
    for (int64_t pe = 0; pe < kPes; ++pe)
      EXPECT_THAT(run.get<uint32_t>("sum", 2, pe % kWidth, pe / kWidth),
                  ElementsAre(sums[pe], counts[pe]))
          << pe;
    EXPECT_EQ(cycles.value_or(run.simulator->now()), run.simulator->now());
    cycles = run.simulator->now();
  }
}
