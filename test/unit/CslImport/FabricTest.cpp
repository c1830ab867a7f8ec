//===- FabricTest.cpp - Tasks, queues, colors, DSDs from CSL source -------===//
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

static constexpr llvm::StringLiteral kArchs[] = {"wse2", "wse3"};

/// What every PE of these programs begins with.
static constexpr llvm::StringLiteral kPrelude = R"(
  param c: color;
  const iq = @get_input_queue(2);
  const oq = @get_output_queue(3);
  const data_id = if (@is_arch("wse3")) @get_data_task_id(iq)
                  else @get_data_task_id(c);
  fn init_out() void {
    if (@is_arch("wse3")) { @initialize_queue(oq, .{ .color = c }); }
    else { @initialize_queue(oq); }
  }
  fn init_in() void { @initialize_queue(iq, .{ .color = c }); }
  fn out_dsd(comptime n: u16) fabout_dsd {
    return @get_dsd(fabout_dsd, if (@is_arch("wse3"))
        .{ .extent = n, .output_queue = oq }
      else .{ .extent = n, .output_queue = oq, .fabric_color = c });
  }
)";

/// A sender at x = 0, receivers to the east of it.
static SourceRun::Files pair(llvm::StringRef sender, llvm::StringRef receiver,
                             llvm::StringRef exports,
                             llvm::StringRef extra = "", int width = 2) {
  std::string layout = R"(
    const c = @get_color(3);
    layout {
      @set_rectangle()" +
                       std::to_string(width) +
                       R"(, 1);
      @set_tile_code(0, 0, "send.csl", .{ .c = c });
      for (@range(u16, 1, )" +
                       std::to_string(width) + R"(, 1)) |x| {
        @set_tile_code(x, 0, "recv.csl", .{ .c = c });
      }
      @set_color_config(0, 0, c, .{ .routes = .{ .rx = .{RAMP}, .tx = .{EAST} } });
      )" + extra.str() +
                       exports.str() + "\n}";
  return {{"layout.csl", layout},
          {"send.csl", kPrelude.str() + sender.str()},
          {"recv.csl", kPrelude.str() + receiver.str()}};
}

TEST(CslFabric, DataTasks) {
  for (llvm::StringRef arch : kArchs) {
    SourceRun run(pair(R"(
      var values = [4]i32 { 5, 6, 7, 8 };
      const mem = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{4} -> values[i] });
      const done_id = @get_local_task_id(9);
      var finished = @zeros([1]i32);
      var finished_ptr: [*]i32 = &finished;
      task done() void { finished[0] = 1; }
      task main() void {
        @mov32(out_dsd(4), mem, .{ .async = true, .activate = done_id });
      }
      const main_id: local_task_id = @get_local_task_id(8);
      comptime {
        init_out();
        @bind_local_task(done, done_id);
        @bind_local_task(main, main_id);
        @activate(main_id);
        @export_symbol(finished_ptr, "sum");
      })",
                       R"(
      var sum = @zeros([2]i32);
      var sum_ptr: [*]i32 = &sum;
      task receive(x: i32) void {
        sum[0] += x;
        if (sum[0] == 26) { @activate(last_id); }
      }
      task last() void { sum[1] = 1; @block(data_id); }
      const last_id = @get_local_task_id(10);
      comptime {
        init_in();
        @bind_data_task(receive, data_id);
        @bind_local_task(last, last_id);
        @export_symbol(sum_ptr, "sum");
      })",
                       "@export_name(\"sum\", [*]i32, true);",
                       "@set_color_config(1, 0, c, .{ .routes = .{ .rx = WEST, "
                       ".tx = RAMP } });"),
                  arch);
    ASSERT_TRUE(run.good()) << run.errors;
    EXPECT_EQ(run.run(), "");
    EXPECT_THAT(run.get<int32_t>("sum", 2, 1), ElementsAre(26, 1));
    EXPECT_THAT(run.get<int32_t>("sum", 1, 0), ElementsAre(1));
  }
  SEQUIN_ROW("BLT-001");
  SEQUIN_ROW("BLT-008");
  SEQUIN_ROW("BLT-011");
  SEQUIN_ROW("BLT-012");
  SEQUIN_ROW("BLT-013");
  SEQUIN_ROW("BLT-032");
  SEQUIN_ROW("BLT-033");
  SEQUIN_ROW("BLT-034");
  SEQUIN_ROW("BLT-035");
  SEQUIN_ROW("BLT-036");
  SEQUIN_ROW("BLT-050");
  SEQUIN_ROW("BLT-051");
  SEQUIN_ROW("BLT-052");
  SEQUIN_ROW("TSK-008");
  SEQUIN_ROW("DSD-003");
  SEQUIN_ROW("LAY-022");
}

TEST(CslFabric, CounterFilter) {
  for (llvm::StringRef arch : kArchs) {
    SourceRun run(
        pair(R"(
      var values: [15]i32;
      const mem = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{15} -> values[i] });
      task main() void {
        for (@range(i32, 15)) |i| { values[i] = 100 + i; }
        @mov32(out_dsd(15), mem, .{ .async = true });
      }
      const main_id = @get_local_task_id(8);
      comptime {
        init_out();
        @bind_local_task(main, main_id);
        @activate(main_id);
      })",
             R"(
      var got = @zeros([16]i32);
      var got_ptr: [*]i32 = &got;
      var n: u16 = 0;
      task receive(x: i32) void { got[n] = x; n += 1; }
      comptime {
        init_in();
        @bind_data_task(receive, data_id);
        @export_symbol(got_ptr, "got");
      })",
             "@export_name(\"got\", [*]i32, true);",
             "@set_color_config(1, 0, c, .{ .routes = .{ .rx = WEST, "
             ".tx = RAMP }, .filter = .{ .kind = .{ .counter = true }, "
             ".count_data = true, .limit1 = 14, .max_counter = 1, "
             ".init_counter = 0 } });"),
        arch);
    ASSERT_TRUE(run.good()) << run.errors;
    EXPECT_EQ(run.run(), "");
    EXPECT_THAT(run.get<int32_t>("got", 3, 1), ElementsAre(100, 101, 0));
  }
  SEQUIN_ROW("WEX-050");
  SEQUIN_ROW("WEX-068");
  SEQUIN_ROW("FAB-051");
  SEQUIN_ROW("FAB-054");
}

TEST(CslFabric, ControlTasksAndSwitches) {
  for (llvm::StringRef arch : kArchs) {
    SourceRun run(pair(R"(
      var words: [3]u32;
      const mem = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{3} -> words[i] });
      const control = @get_dsd(fabout_dsd, if (@is_arch("wse3"))
          .{ .extent = 3, .output_queue = oq, .control = true }
        else .{ .extent = 3, .output_queue = oq, .fabric_color = c, .control = true });
      task main() void {
        // SWITCH_ADV to entry 40, with data 2, 3, 4.
        for (@range(u32, 3)) |i| { words[i] = 0x00680002 + i; }
        @mov32(control, mem, .{ .async = true });
      }
      const main_id = @get_local_task_id(8);
      comptime {
        init_out();
        @bind_local_task(main, main_id);
        @activate(main_id);
      })",
                       R"(
      var got = @zeros([4]i16);
      var got_ptr: [*]i16 = &got;
      var n: u16 = 0;
      task control(x: i16) void { got[n] = x; n += 1; }
      comptime {
        init_in();
        @bind_control_task(control, @get_control_task_id(40));
        if (@is_arch("wse3")) @unblock(iq) else @unblock(c);
        @export_symbol(got_ptr, "got");
      })",
                       "@export_name(\"got\", [*]i16, true);", R"(
      // Two PEs to the east in turn: the first keeps every other wavelet.
      @set_color_config(1, 0, c, .{
        .routes = .{ .rx = WEST, .tx = RAMP },
        .switches = .{ .pos1 = .{ .tx = EAST }, .ring_mode = true },
      });
      @set_color_config(2, 0, c, .{ .routes = .{ .rx = .{WEST}, .tx = .{RAMP} } });
      )",
                       3),
                  arch);
    ASSERT_TRUE(run.good()) << run.errors;
    EXPECT_EQ(run.run(), "");
    EXPECT_THAT(run.get<int16_t>("got", 3, 1), ElementsAre(2, 4, 0));
    EXPECT_THAT(run.get<int16_t>("got", 2, 2), ElementsAre(3, 0));
  }
  SEQUIN_ROW("WEX-043");
  SEQUIN_ROW("BLT-009");
  SEQUIN_ROW("BLT-010");
  SEQUIN_ROW("BLT-037");
  SEQUIN_ROW("FAB-021");
  SEQUIN_ROW("FAB-022");
  SEQUIN_ROW("FAB-034");
  SEQUIN_ROW("FAB-042");
}

TEST(CslFabric, FifosRegistersMap) {
  for (llvm::StringRef arch : kArchs) {
    SourceRun run(onePe("i16", R"(
      // A FIFO between two operations.
      const ok = @mov16(fifo, src);
      @mov16(dst, fifo);
      out[0] = data[8];
      out[1] = data[11];
      out[2] = if (ok) 1 else 0;
      // Registers.
      @load_to_dsr(dest, dst);
      @load_to_dsr(first, src, .{ .save_address = true });
      @add16(dest, first, 10);
      out[3] = data[9];
      // A ring twice round.
      @load_to_dsr_xdsr(ring, x, circle);
      @mov16(six, ring);
      out[4] = big[5];
      // mem4d through registers.
      @load_to_dsr_xdsr_sr(ring, x, .{ @get_sr(0) }, box);
      @mov16(six, ring);
      out[5] = big[3];
      // @map
      @map(double, src, dst);
      out[6] = data[10];
      acc = 0;
      @map(addUp, src);
      out[7] = acc;
      // The last element stays at a scalar destination.
      var last: i16 = 0;
      @mov16(&last, src);
      out[8] = last;
      // Setters.
      var d = src;
      d = @set_dsd_length(d, 2);
      d = @increment_dsd_offset(d, 1, i16);
      var total: i16 = 0;
      acc = 0;
      @map(addUp, d);
      out[9] = acc;
      out[10] = @as(i16, @get_int(first));
      out[11] = if (first == @get_dsr(dsr_src0, 2)) 1 else 0;
    )",
                        R"(
      var data = [12]i16 { 1, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0, 0 };
      var big: [6]i16;
      var buffer: [16]i16;
      var acc: i16 = 0;
      const fifo = @allocate_fifo(buffer);
      const src = @get_dsd(mem1d_dsd, .{ .base_address = &data, .extent = 4 });
      const dst = @get_dsd(mem1d_dsd, .{ .base_address = &data, .extent = 4, .offset = 8 });
      const six = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{6} -> big[i] });
      const circle = @get_dsd(circbuf_dsd, .{ .base_address = &data, .extent = 6, .wraparound = 4 });
      const box = @get_dsd(mem4d_dsd, .{ .tensor_access = |i,j|{3, 2} -> data[2 * i + 1 - j] });
      const dest = @get_dsr(dsr_dest, 1);
      const first = @get_dsr(dsr_src0, 2);
      const ring = @get_dsr(dsr_src1, 3);
      const x = @get_xdsr(2);
      fn double(v: i16) i16 { return 2 * v; }
      fn addUp(v: i16) void { acc += v; }
    )"),
                  arch);
    ASSERT_TRUE(run.good()) << arch.str() << run.errors;
    EXPECT_EQ(run.launch("main"), "");
    // box: 1-j with i: data[1], data[0], data[3], data[2], ...
    EXPECT_THAT(run.get<int16_t>("out", 12),
                ElementsAre(1, 4, 1, 12, 2, 3, 6, 10, 4, 5, 2, 1));
  }
  SEQUIN_ROW("FIF-001");
  SEQUIN_ROW("DSR-005");
  SEQUIN_ROW("DSR-009");
  SEQUIN_ROW("DSR-010");
  SEQUIN_ROW("DSR-011");
  SEQUIN_ROW("DSR-023");
  SEQUIN_ROW("DSR-024");
  SEQUIN_ROW("BLT-058");
  SEQUIN_ROW("BLT-059");
  SEQUIN_ROW("DSD-036");
  SEQUIN_ROW("DSD-064");
  SEQUIN_ROW("DSD-072");
}

TEST(CslFabric, IndexAndZero) {
  for (llvm::StringRef arch : kArchs) {
    SourceRun run(pair(R"(
      var values = [3]u16 { 1, 2, 3 };
      const mem = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{3} -> values[i] });
      const indexed = @get_dsd(fabout_dsd, if (@is_arch("wse3"))
          .{ .extent = 3, .output_queue = oq, .wavelet_index_offset = true }
        else .{ .extent = 3, .output_queue = oq, .fabric_color = c, .wavelet_index_offset = true });
      param which: u16 = 7;
      task main() void {
        @add16(indexed, mem, 42, .{ .async = true, .index = which });
      }
      const main_id = @get_local_task_id(8);
      comptime {
        init_out();
        @bind_local_task(main, main_id);
        @activate(main_id);
      })",
                       R"(
      var got = @zeros([4]u16);
      var got_ptr: [*]u16 = &got;
      var n: u16 = 0;
      task receive(data: u16, index: u16) void {
        got[n] = data;
        n += 1;
        got[3] = index;
      }
      comptime {
        init_in();
        @bind_data_task(receive, data_id);
        @export_symbol(got_ptr, "got");
      })",
                       "@export_name(\"got\", [*]u16, true);",
                       "@set_color_config(1, 0, c, .{ .routes = 0x201 });"),
                  arch);
    ASSERT_TRUE(run.good()) << run.errors;
    EXPECT_EQ(run.run(), "");
    EXPECT_THAT(run.get<uint16_t>("got", 4, 1), ElementsAre(43, 44, 45, 7));
  }
  SEQUIN_ROW("WEX-024");
  SEQUIN_ROW("ASY-034");
  SEQUIN_ROW("TSK-022");
  SEQUIN_ROW("FAB-011");
}
