//===- LayoutTest.cpp - Layouts, colors, shared code ----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Row.h"
#include "SourceRun.h"

using namespace sequin;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A row in which every PE adds its value to what comes from the west.
static SourceRun::Files chain(int64_t width, llvm::StringRef arch) {
  return {{"layout.csl", "param width: u16 = " + std::to_string(width) + R"(;
      const c = @get_color(3);
      layout {
        @set_rectangle(width, 1);
        for (@range(u16, width)) |x| {
          @set_tile_code(x, 0, "pe.csl",
                         .{ .x = x, .first = x == 0, .last = x == width - 1,
                            .weight = @as(f32, x) * 0.5, .c = c });
          if (x % 2 == 0) {
            @set_color_config(x, 0, c, .{ .routes = .{ .rx = .{RAMP}, .tx = .{EAST} } });
          } else {
            @set_color_config(x, 0, c, .{ .routes = .{ .rx = WEST, .tx = RAMP } });
          }
        }
        @export_name("sum", [*]f32, true);
        @export_name("main", fn() void);
      })"},
          {"pe.csl", R"(
      param x: u16;
      param first: bool;
      param last: bool;
      param weight: f32;
      param c: color;
      var sum: [1]f32;
      var sum_ptr: [*]f32 = &sum;
      const twice: f32 = weight * 2.0;
      const out_q = @get_output_queue(2);
      const in_q = @get_input_queue(2);
      const done_id = @get_local_task_id(10);
      const out_dsd = @get_dsd(fabout_dsd, if (@is_arch("wse3"))
          .{ .extent = 1, .output_queue = out_q }
        else .{ .extent = 1, .output_queue = out_q, .fabric_color = c });
      const in_dsd = @get_dsd(fabin_dsd, .{ .extent = 1, .input_queue = in_q });
      const sum_dsd = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{1} -> sum[i] });
      task done() void { sum[0] += weight; }
      fn main() void {
        if (x % 2 == 0) {
          sum[0] = weight + @as(f32, x);
          @fmovs(out_dsd, sum_dsd, .{ .async = true });
        } else {
          @fmovs(sum_dsd, in_dsd, .{ .async = true, .activate = done });
        }
      }
      comptime {
        @bind_local_task(done, done_id);
        if (x % 2 == 0) {
          if (@is_arch("wse3")) @initialize_queue(out_q, .{ .color = c })
          else @initialize_queue(out_q);
        } else {
          @initialize_queue(in_q, .{ .color = c });
        }
        @export_symbol(sum_ptr, "sum");
        @export_symbol(main);
      })"}};
}

TEST(CslLayout, SharedCode) {
  for (llvm::StringRef arch : {"wse2", "wse3"}) {
    SourceRun run(chain(16, arch), arch);
    ASSERT_TRUE(run.good()) << run.errors;
    // Sender and receiver: nothing else asks for the value of x or weight.
    EXPECT_EQ(run.program.codes.size(), 2u);
    EXPECT_EQ(run.launch("main"), "");
    for (int64_t x = 0; x < 16; x += 2) {
      float sent = 0.5f * x + x;
      EXPECT_EQ(run.get<float>("sum", 1, x)[0], sent);
      EXPECT_EQ(run.get<float>("sum", 1, x + 1)[0], sent + 0.5f * (x + 1));
    }
  }
  SEQUIN_ROW("LAY-005");
  SEQUIN_ROW("LAY-008");
  SEQUIN_ROW("LAY-011");
  SEQUIN_ROW("LAY-020");
  SEQUIN_ROW("LAY-021");
  SEQUIN_ROW("LAY-026");
  SEQUIN_ROW("BLT-070");
  SEQUIN_ROW("RPC-020");
  SEQUIN_ROW("RPC-021");
}

TEST(CslLayout, Errors) {
  auto errors = [](llvm::StringRef layout) {
    SourceRun run(
        {{"layout.csl", ("layout {" + layout + "}").str()}, {"pe.csl", ""}});
    EXPECT_FALSE(run.good());
    return run.errors;
  };
  EXPECT_THAT(errors("@set_tile_code(0, 0, \"pe.csl\");"),
              HasSubstr("comes after @set_rectangle"));
  EXPECT_THAT(errors("@set_rectangle(2, 1); @set_tile_code(0, 0, \"pe.csl\");"),
              HasSubstr("1 PEs of the rectangle have no code, (1, 0) is the "
                        "first"));
  EXPECT_THAT(errors("@set_rectangle(1, 1); @set_tile_code(0, 0, \"pe.csl\");"
                     "@set_tile_code(0, 0, \"pe.csl\");"),
              HasSubstr("PE (0, 0) has code already"));
  EXPECT_THAT(errors("@set_rectangle(1, 1); @set_tile_code(1, 0, \"pe.csl\");"),
              HasSubstr("the x coordinate of a PE is 1, allowed are 0 to 0"));
  EXPECT_THAT(errors("@set_rectangle(1, 1); @set_rectangle(1, 1);"),
              HasSubstr("a program has one rectangle"));
  EXPECT_THAT(errors("@set_rectangle(1, 1); const c = @get_color(1);"
                     "@set_color_config(0, 0, c, .{ .routes = .{} });"
                     "@set_color_config(0, 0, c, .{ .routes = .{} });"),
              HasSubstr("config for this color has already been set"));
  EXPECT_THAT(errors("@set_rectangle(1, 1); @set_tile_code(0, 0, \"no.csl\");"),
              HasSubstr("tried 'no.csl'"));
  EXPECT_THAT(errors("@set_rectangle(1, 1); @export_name(\"a\", [*]f32);"),
              HasSubstr("a third argument"));
  SEQUIN_ROW("LAY-003");
  SEQUIN_ROW("LAY-004");
  SEQUIN_ROW("LAY-006");
  SEQUIN_ROW("BLT-068");
  SEQUIN_ROW("BLT-069");
  SEQUIN_ROW("ERR-010");
  SEQUIN_ROW("FAB-017");
  SEQUIN_ROW("RPC-002");
}
