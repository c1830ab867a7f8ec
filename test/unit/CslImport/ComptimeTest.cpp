//===- ComptimeTest.cpp - Comptime evaluation of CSL ----------------------===//
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

TEST(CslComptime, WorkedExamples) {
  SourceRun run(onePe("i16", R"(
    const x = b: { runtime(); break :b 1; } + 42;
    out[0] = x;
    out[1] = sums.values;
    out[2] = sums.indices;
    out[3] = initial;
    out[4] = comptime foo();
    out[5] = foo();
    out[6] = @strlen("abc\x00xyz");
    out[7] = @strlen(@strcat("hello", " ", "world!"));
    out[8] = @as(i16, @element_count([3, 5, 7]f16));
    out[9] = @as(i16, @dimensions([3, 5, 7]f16)[1]);
    out[10] = if (@element_type([3, 5, 7]f16) == f16) 1 else 0;
    out[11] = @as(i16, @rank([3, 5, 7]f16));
    out[12] = 'a' + '\x0a' + '\n';
    comptime var total: i16 = 0;
    inline for (@range(i16, 1, 4, 1)) |k| {
      total += k;
      out[13] += total;
    }
    out[14] = if (false and undeclared) 1 else 2;
    out[15] = @get_array("hi")[1];
  )",
                      R"(
    fn runtime() void { out[13] = 0; }
    const Sums = struct { values: i16, indices: i16 };
    fn addUp() Sums {
      const values = [3]i16 { 1, 2, 3 };
      var s: i16 = 0;
      var t: i16 = 0;
      for (values) |v, i| { s += v; t += @as(i16, i); }
      return Sums { .values = s, .indices = t };
    }
    const sums = addUp();
    fn foo() i16 { return if (@is_comptime()) 1 else 2; }
    const initial: i16 = foo();
  )"));
  ASSERT_TRUE(run.good()) << run.errors;
  EXPECT_EQ(run.launch("main"), "");
  EXPECT_THAT(run.get<int16_t>("out", 16),
              ElementsAre(43, 6, 3, 1, 1, 2, 7, 12, 105, 5, 1, 3, 117,
                          1 + 3 + 6, 2, 'i'));
  SEQUIN_ROW("WEX-034");
  SEQUIN_ROW("WEX-035");
  SEQUIN_ROW("WEX-037");
  SEQUIN_ROW("WEX-038");
  SEQUIN_ROW("WEX-071");
  SEQUIN_ROW("WEX-072");
  SEQUIN_ROW("WEX-074");
  SEQUIN_ROW("BLT-020");
  SEQUIN_ROW("BLT-021");
  SEQUIN_ROW("BLT-022");
  SEQUIN_ROW("BLT-023");
  SEQUIN_ROW("BLT-028");
  SEQUIN_ROW("BLT-030");
  SEQUIN_ROW("BLT-031");
  SEQUIN_ROW("BLT-056");
  SEQUIN_ROW("CMP-005");
  SEQUIN_ROW("CMP-008");
  SEQUIN_ROW("CMP-009");
  SEQUIN_ROW("CMP-011");
  SEQUIN_ROW("CMP-013");
  SEQUIN_ROW("CMP-015");
  SEQUIN_ROW("CMP-017");
  SEQUIN_ROW("CMP-018");
  SEQUIN_ROW("CMP-040");
  SEQUIN_ROW("CMP-041");
}

TEST(CslComptime, Generics) {
  SourceRun run(onePe("i16", R"(
    const p = Point(i16) { .x = 3, .y = 4 };
    out[0] = p.x + p.y;
    out[1] = if (Point(i16) == Point(i16)) 1 else 0;
    out[2] = if (Point(i16) == Point(f32)) 1 else 0;
    out[3] = maximum(@as(i16, 3), 9);
    const f = maximum(@as(f32, 2.5), 1.0);
    out[4] = @as(i16, f * 2.0);
    out[5] = scale(3, 7);
    out[6] = scale(4, 7);
    out[7] = inlined(5) + 1;
    const arr: [inlined(3)]i16 = @zeros([6]i16);
    out[8] = @as(i16, @element_count(@type_of(arr)));
    out[9] = size(f16) + size(f32);
    out[10] = @as(i16, mask);
    out[11] = big;
  )",
                      R"(
    fn Point(comptime T: type) type { return struct { x: T, y: T }; }
    fn maximum(a: anytype, b: @type_of(a)) @type_of(a) {
      if (a > b) { return a; } else { return b; }
    }
    fn scale(comptime n: i16, x: i16) i16 { return n * x; }
    inline fn inlined(n: i16) i16 { return 2 * n; }
    fn size(comptime T: type) i16 {
      if (T == f16) { return 2; } else { return 4; }
    }
    fn bits(comptime T: type) u16 { return if (T == f16) 10 else 23; }
    const mask = comptime (1 << bits(f16)) - 1;
    const big: i16 = (1 << 100) / (1 << 90) - 1000;
  )"));
  ASSERT_TRUE(run.good()) << run.errors;
  EXPECT_EQ(run.launch("main"), "");
  EXPECT_THAT(run.get<int16_t>("out", 12),
              ElementsAre(7, 1, 0, 9, 5, 21, 28, 11, 6, 6, 1023, 24));
  SEQUIN_ROW("CMP-010");
  SEQUIN_ROW("CMP-019");
  SEQUIN_ROW("CMP-021");
  SEQUIN_ROW("CMP-024");
  SEQUIN_ROW("CMP-025");
  SEQUIN_ROW("CMP-026");
  SEQUIN_ROW("CMP-027");
  SEQUIN_ROW("CMP-028");
  SEQUIN_ROW("CMP-032");
  SEQUIN_ROW("SYN-035");
  SEQUIN_ROW("BLT-073");
}

TEST(CslComptime, Modules) {
  SourceRun run({{"layout.csl", R"(
      const lib = @import_module("lib.csl", .{ .start = 7 });
      layout {
        @set_rectangle(1, 1);
        @set_tile_code(0, 0, "pe.csl", .{ .base = lib.next(3) });
        @export_name("out", [*]i16, true);
        @export_name("main", fn() void);
      })"},
                 {"pe.csl", R"(
      param base: i16;
      param missing = {};
      const a = @import_module("lib.csl", .{ .start = 1 });
      const b = @import_module("lib.csl", .{ .start = 2 });
      const same = a;
      var out: [8]i16;
      var ptr: [*]i16 = &out;
      fn main() void {
        a.bump();
        a.bump();
        b.bump();
        same.bump();
        out[0] = a.count;
        out[1] = b.count;
        out[2] = a.start;
        out[3] = base;
        out[4] = if (@type_of(missing) != void) 1 else 2;
        out[5] = a.nested.answer;
      }
      comptime {
        @export_symbol(ptr, "out");
        @export_symbol(main);
      })"},
                 {"lib.csl", R"(
      param start: i16;
      const nested = @import_module("nested.csl");
      var count: i16 = start;
      fn bump() void { count += 10; }
      fn next(x: i16) i16 { return x + start; })"},
                 {"nested.csl", "const answer: i16 = 42;"}});
  ASSERT_TRUE(run.good()) << run.errors;
  EXPECT_EQ(run.launch("main"), "");
  EXPECT_THAT(run.get<int16_t>("out", 6), ElementsAre(31, 12, 1, 10, 2, 42));
  // Symbols have the names of the imports.
  bool found = false;
  for (const auto &variable : run.program.codes[0].variables)
    found |= variable.name == "b.count";
  EXPECT_TRUE(found);
  SEQUIN_ROW("SYN-088");
  SEQUIN_ROW("SYN-089");
  SEQUIN_ROW("SYN-090");
  SEQUIN_ROW("SYN-091");
  SEQUIN_ROW("CMP-042");
  SEQUIN_ROW("LAY-014");
}
