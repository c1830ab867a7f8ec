//===- ControlTest.cpp - Statements of CSL, run ---------------------------===//
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

TEST(CslControl, LoopsWithJumps) {
  SourceRun run(onePe("i16", R"(
    // continue and break of a while with a step
    var sum: i16 = 0;
    var i: i16 = 0;
    while (i < 100) : (i += 1) {
      if (i % 2 == 0) { continue; }
      if (i > 9) { break; }
      sum += i;
    }
    out[0] = sum;  // 1+3+5+7+9
    out[1] = i;    // 11
    out[2] = find(30);
    out[3] = find(1000);
    // for over a range with a step down
    var product: i16 = 1;
    for (@range(i16, 5, 1, -1)) |k| { product *= k; }
    out[4] = product; // 5*4*3*2
    // nested, with a labelled break
    var pairs: i16 = 0;
    outer: for (@range(i16, 10)) |a| {
      for (@range(i16, 10)) |b| {
        if (a * b == 42) { break :outer; }
        pairs += 1;
      }
    }
    out[5] = pairs; // 6 * 10 + 7
    // array and index
    var weighted: i16 = 0;
    for (table) |value, index| { weighted += value * @as(i16, index); }
    out[6] = weighted; // 0*3 + 1*1 + 2*4
    out[7] = classify(-5) + classify(0) * 10 + classify(7) * 100;
    out[8] = pick(2);
    out[9] = if (sum > 20) 1 else 2;
    const v = blk: { if (sum == 25) break :blk @as(i16, 5); break :blk @as(i16, 6); };
    out[10] = v;
  )",
                      R"(
    const table = [3]i16 { 3, 1, 4 };
    fn find(limit: i16) i16 {
      var n: i16 = 0;
      while (n < 20) : (n += 1) {
        for (@range(i16, n)) |k| {
          if (n * k > limit) { return n * 100 + k; }
        }
      }
      return -1;
    }
    fn classify(x: i16) i16 {
      if (x < 0) return 1;
      if (x == 0) { return 2; } else { return 3; }
    }
    fn pick(x: u16) i16 {
      var r: i16 = 0;
      switch (x) {
        0, 1 => r = 10,
        2 => { r = 20; },
        else => r = 30,
      }
      return r + switch (x) { 2 => @as(i16, 1), else => @as(i16, 2) };
    })"));
  ASSERT_TRUE(run.good()) << run.errors;
  EXPECT_EQ(run.launch("main"), "");
  EXPECT_THAT(run.get<int16_t>("out", 11),
              ElementsAre(25, 11, 7 * 100 + 5, -1, 120, 67, 9, 321, 21, 1, 5));
  SEQUIN_ROW("SYN-036");
  SEQUIN_ROW("SYN-038");
  SEQUIN_ROW("SYN-039");
  SEQUIN_ROW("SYN-040");
  SEQUIN_ROW("SYN-041");
  SEQUIN_ROW("SYN-042");
  SEQUIN_ROW("SYN-043");
  SEQUIN_ROW("SYN-095");
  SEQUIN_ROW("BLT-066");
  SEQUIN_ROW("AMB-001");
  SEQUIN_ROW("AMB-041");
}

TEST(CslControl, FunctionsAndPointers) {
  SourceRun run(onePe("i16", R"(
    var x: i16 = 3;
    bump(&x);
    bump(&x);
    out[0] = x;
    const p: [*]i16 = &data;
    out[1] = p[2];
    p[1] = 40;
    out[2] = data[1];
    const q = &data[3];
    q.* += 5;
    out[3] = data[3];
    out[4] = apply(twice, 21);
    var f: *const fn(i16) i16 = &thrice;
    out[5] = f(5);
    var s = S { .a = 1, .b = 2 };
    s.b = 7;
    out[6] = s.a * 10 + s.b;
    const t = make(4);
    out[7] = t.b;
    set(&s);
    out[8] = s.a;
    out[9] = addUp(data);
    var w = W { .low = 3, .high = -1 };
    w.low = 5;
    out[10] = @as(i16, w.low) * 10 + @as(i16, w.high);
    out[11] = @as(i16, @get_int(next(E.b)));
    out[12] = fact(5);
    global.b = 9;
    out[13] = global.a + global.b;
  )",
                      R"(
    var data = [4]i16 { 1, 2, 3, 4 };
    const S = struct { a: i16, b: i16 };
    var global = S { .a = 100, .b = 0 };
    const W = packed struct { low: i8, high: i8 };
    const E = enum(u16) { a, b = 4, c };
    fn next(e: E) E { return if (e == E.b) E.c else E.a; }
    fn bump(p: *i16) void { p.* += 1; }
    fn twice(x: i16) i16 { return 2 * x; }
    fn thrice(x: i16) i16 { return 3 * x; }
    fn apply(f: *const fn(i16) i16, x: i16) i16 { return f(x); }
    fn make(x: i16) S { return S { .a = x, .b = x + 1 }; }
    fn set(s: *S) void { s.*.a = 77; }
    fn addUp(a: [4]i16) i16 {
      var sum: i16 = 0;
      for (a) |v| { sum += v; }
      return sum;
    }
    fn fact(n: i16) i16 { if (n < 2) return 1; return n * fact(n - 1); }
  )"));
  ASSERT_TRUE(run.good()) << run.errors;
  EXPECT_EQ(run.launch("main"), "");
  EXPECT_THAT(run.get<int16_t>("out", 14),
              ElementsAre(5, 3, 40, 9, 42, 15, 17, 5, 77, 1 + 40 + 3 + 9, 49, 1,
                          120, 109));
  SEQUIN_ROW("SYN-028");
  SEQUIN_ROW("SYN-029");
  SEQUIN_ROW("SYN-031");
  SEQUIN_ROW("SYN-033");
  SEQUIN_ROW("SYN-045");
  SEQUIN_ROW("SYN-056");
  SEQUIN_ROW("SYN-057");
  SEQUIN_ROW("SYN-062");
  SEQUIN_ROW("SYN-067");
  SEQUIN_ROW("SYN-069");
  SEQUIN_ROW("SYN-071");
  SEQUIN_ROW("SYN-072");
  SEQUIN_ROW("SYN-079");
  SEQUIN_ROW("BLT-038");
}
