//===- DiagnosticsTest.cpp - What the front end says ----------------------===//
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

/// The errors of a PE program with `globals` and a body of main.
static std::string errorsOf(llvm::StringRef body, llvm::StringRef globals = "",
                            csl_import::ImportOptions options = {},
                            llvm::StringRef arch = "wse3") {
  SourceRun run(onePe("i16", body, globals), arch, options);
  EXPECT_FALSE(run.good());
  return run.errors;
}

TEST(CslDiagnostics, Names) {
  std::string errors =
      errorsOf("out[0] = cuont; out[1] = countt;", "var count: i16;");
  EXPECT_THAT(errors, HasSubstr("use of undeclared identifier 'cuont'"));
  EXPECT_THAT(errors, HasSubstr("did you mean 'count'?"));
  // Several errors in one run.
  EXPECT_THAT(errors, HasSubstr("'countt'"));
  EXPECT_THAT(errorsOf("@fmovz(out, 1);"), HasSubstr("unknown builtin @fmovz"));
  EXPECT_THAT(errorsOf("", "const i0 = 3;"),
              HasSubstr("shadows the predeclared type"));
  EXPECT_THAT(errorsOf("const x: i16 = 1; const x: i16 = 2;"),
              HasSubstr("redeclaration of 'x'"));
  SEQUIN_ROW("ERR-002");
  SEQUIN_ROW("ERR-003");
  SEQUIN_ROW("SYN-021");
  SEQUIN_ROW("SYN-022");
  SEQUIN_ROW("BLT-079");
}

TEST(CslDiagnostics, Types) {
  EXPECT_THAT(errorsOf("var a: u32 = 1; var b: i16 = 2; const c = a + b;"),
              HasSubstr("expected type 'u32', got: 'i16'"));
  SEQUIN_ROW("ERR-004");
  EXPECT_THAT(errorsOf("out[0] = f(1, 2, 3);",
                       "fn f(a: i16, b: i16) i16 { return a + b; }"),
              HasSubstr("function expects 2 arguments, 3 provided"));
  SEQUIN_ROW("ERR-005");
  EXPECT_THAT(errorsOf("const x: f16 = 1.0e6;"),
              HasSubstr("cast from 'comptime_float' to 'f16' failed"));
  SEQUIN_ROW("ERR-008");
  EXPECT_THAT(errorsOf("var f: f32 = 1.0; const x = @bitcast(f16, f);"),
              HasSubstr("expected equal bit width for operands, got: 16 and 32 "
                        "bit(s)"));
  SEQUIN_ROW("ERR-009");
  EXPECT_THAT(errorsOf("var o: u5 = 31 + 1;"), HasSubstr("32 does not fit"));
  EXPECT_THAT(errorsOf("var u: i4 = -8 - 1;"), HasSubstr("-9 does not fit"));
  SEQUIN_ROW("WEX-040");
  EXPECT_THAT(errorsOf("var x: bf16 = 1.0;"),
              HasSubstr("variable of type 'bf16' must be comptime-known"));
  SEQUIN_ROW("ERR-026");
  EXPECT_THAT(errorsOf("const p: *i16 = &c;", "const c: i16 = 3;"),
              HasSubstr("cannot coerce '*const i16' to '*i16'"));
  EXPECT_THAT(errorsOf("const p: [*]i16 = &out; const q: *[10]i16 = p;"),
              HasSubstr("cannot coerce '[*]i16' to '*[10]i16'"));
  SEQUIN_ROW("ERR-025");
  llvm::StringRef pair = "const S = struct { x: i16, y: i16 };";
  EXPECT_THAT(errorsOf("const s: S = .{ .x = 1 };", pair),
              HasSubstr("expected 2 fields, got 1"));
  EXPECT_THAT(errorsOf("const s: S = .{ .x = 1, .z = 2 };", pair),
              HasSubstr("field 'y' not present in source"));
  EXPECT_THAT(errorsOf("const s: S = .{ .x = 1, .y = \"no\" };", pair),
              HasSubstr("cannot coerce field 'y' from type 'comptime_string' "
                        "to type 'i16'"));
  SEQUIN_ROW("ERR-022");
  SEQUIN_ROW("ERR-023");
  SEQUIN_ROW("ERR-024");
  EXPECT_THAT(errorsOf("var w = W { .a = 1, .b = 2 }; const p = &w.b;",
                       "const W = packed struct { a: i8, b: i8 };"),
              HasSubstr("address of packed struct field is unsupported"));
  SEQUIN_ROW("ERR-021");
}

TEST(CslDiagnostics, Control) {
  EXPECT_THAT(
      errorsOf("foo: for (@range(i16, 2)) |i| { foo: while (true) {} }"),
      HasSubstr("label 'foo' is defined again"));
  SEQUIN_ROW("ERR-016");
  EXPECT_THAT(errorsOf("const x = b: { if (out[0] == 1) { break :b true; } };"),
              HasSubstr("expected type 'void', got: 'bool'"));
  SEQUIN_ROW("ERR-017");
  EXPECT_THAT(errorsOf("const x = b: { if (out[0] == 1) { break :b @as(i32, 1);"
                       " } break :b 1.5; };"),
              HasSubstr("expected type 'i32', got: 'comptime_float'"));
  SEQUIN_ROW("ERR-018");
  EXPECT_THAT(errorsOf("switch (out[0]) { 1 => out[1] = 1, }"),
              HasSubstr("Not all possible 'i16' values are covered. An 'else' "
                        "branch is needed."));
  SEQUIN_ROW("ERR-031");
  EXPECT_THAT(errorsOf("t();", "task t() void {}"),
              HasSubstr("task 't' cannot be called"));
  SEQUIN_ROW("ERR-030");
  SEQUIN_ROW("TSK-003");
}

TEST(CslDiagnostics, Comptime) {
  std::string errors = errorsOf("check(\"text\"); half(@as(i16, 1));", R"(
      fn check(x: anytype) void { if (x < 0.0) {} }
      fn half(x: anytype) void {
        @comptime_assert(@type_of(x) == f16 or @type_of(x) == f32, "x is not a float");
      })");
  EXPECT_THAT(errors, HasSubstr("invalid comparison operation for type: "
                                "'comptime_string'"));
  EXPECT_THAT(errors, HasSubstr("comptime_assert failed: x is not a float"));
  EXPECT_THAT(errors, HasSubstr("called here"));
  SEQUIN_ROW("ERR-019");
  SEQUIN_ROW("ERR-020");
  SEQUIN_ROW("CMP-029");
  SEQUIN_ROW("CMP-030");
  csl_import::ImportOptions options;
  options.maxInlinedIterations = 50;
  EXPECT_THAT(
      errorsOf("inline for (@range(i16, 51)) |i| { out[0] = i; }", "", options),
      HasSubstr("exceeded the maximum of 50 inlined iterations"));
  SEQUIN_ROW("ERR-029");
  SEQUIN_ROW("HST-016");
  options.comptimeStepLimit = 10000;
  EXPECT_THAT(errorsOf("",
                       "fn f() i16 { var n: i16 = 0; while (true) { n ^= 1; } "
                       "return 1; } const x = "
                       "f(); comptime { _ = x; }",
                       options),
              HasSubstr("more than 10000 steps"));
  options = {};
  options.comptimeDepthLimit = 100;
  EXPECT_THAT(errorsOf("",
                       "fn f(n: i16) i16 { return f(n); } const x = f(1); "
                       "comptime { _ = x; }",
                       options),
              HasSubstr("more than 100 deep"));
  SEQUIN_ROW("CMP-016");
  SEQUIN_ROW("HST-017");
  EXPECT_THAT(errorsOf("", "param p: i16; comptime { _ = p; }"),
              HasSubstr("pe.csl:3:1: error: only 'var' and 'extern const' "
                        "variables may be uninitialized"));
  SEQUIN_ROW("ERR-001");
  SEQUIN_ROW("LAY-009");
  EXPECT_THAT(errorsOf("", "const m = @import_module(\"nowhere.csl\");"),
              HasSubstr("tried 'nowhere.csl'"));
}

TEST(CslDiagnostics, DsdOperands) {
  std::string errors = errorsOf("var h: f16 = 1.0; @fmacs(d, d, d, h);",
                                "const d = @get_dsd(mem1d_dsd, .{ "
                                ".tensor_access = |i|{16} -> out[i] });");
  EXPECT_THAT(errors, HasSubstr("operand types do not match expectations"));
  EXPECT_THAT(errors, HasSubstr("got type(s): mem1d_dsd, mem1d_dsd, mem1d_dsd, "
                                "f16"));
  EXPECT_THAT(errors, HasSubstr("expected type(s): DSD/DSR, DSD/DSR, DSD/DSR, "
                                "f32"));
  SEQUIN_ROW("ERR-007");
  EXPECT_THAT(
      errorsOf("var a = true; @mov16(d, d, .{ .async = a });",
               "const d = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{16} -> "
               "out[i] });"),
      HasSubstr("DSD op setting must be comptime"));
  SEQUIN_ROW("ERR-028");
  EXPECT_THAT(errorsOf("", "var buf: [10]f16; const c = @get_dsd(circbuf_dsd, "
                           ".{ .base_address = &buf, .extent = 20, "
                           ".wraparound = 15 }); comptime { _ = c; }"),
              HasSubstr("'wraparound' is 15, the array has 10"));
  SEQUIN_ROW("WEX-017");
}
