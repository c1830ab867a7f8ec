//===- WorkedExamplesTest.cpp - The checklist's examples, as CSL ----------===//
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

namespace {

constexpr llvm::StringLiteral kExampleArchs[] = {"wse2", "wse3"};

/// Runs main of one PE on both machines and checks the first of `out`.
template <typename T>
void expectOut(llvm::StringRef type, std::vector<T> want, llvm::StringRef body,
               llvm::StringRef globals = "") {
  for (llvm::StringRef arch : kExampleArchs) {
    SCOPED_TRACE(arch.str());
    SourceRun run(onePe(type, body, globals), arch);
    ASSERT_TRUE(run.good()) << run.errors;
    ASSERT_EQ(run.launch("main"), "");
    EXPECT_EQ(run.get<T>("out", want.size()), want);
  }
}

/// What the compiler says to a program, on both machines; `isError` whether it
/// refuses it.
void expectSays(llvm::StringRef text, bool isError, llvm::StringRef body,
                llvm::StringRef globals = "") {
  for (llvm::StringRef arch : kExampleArchs) {
    SCOPED_TRACE(arch.str());
    SourceRun run(onePe("i16", body, globals), arch);
    EXPECT_EQ(run.good(), !isError) << run.errors;
    EXPECT_THAT(run.errors,
                HasSubstr((isError ? "error: " : "warning: ") + text.str()));
  }
}

} // namespace

//===----------------------------------------------------------------------===//
// Descriptors
//===----------------------------------------------------------------------===//

TEST(CslExamples, TheLastElementStaysAtAScalar) {
  expectOut<uint16_t>("f16", {0x4600, 0x4600}, R"(
    @fmovh(&scalar, even); out[0] = scalar;
    @fmovh(first, even); out[1] = one[0];
  )",
                      R"(
    const source = [8]f16 { 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0 };
    const even = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{4} -> source[2*i] });
    var one = @zeros([1]f16);
    const first = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{4} -> one[0] });
    var scalar: f16 = 0.0;
  )");
  SEQUIN_ROW("WEX-014");
}

TEST(CslExamples, Reductions) {
  expectOut<float>("f32", {6, 16}, R"(
    var sum: f32 = 0.0;
    @fadds(&sum, sum, values); out[0] = sum;
    total = 10.0;
    @fadds(&total, total, values); out[1] = total;
  )",
                   R"(
    var total: f32;
    var data = [3]f32 { 1.0, 2.0, 3.0 };
    const values = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{3} -> data[i] });
  )");
  SEQUIN_ROW("WEX-067");
}

TEST(CslExamples, TuplesOfOneElement) {
  expectOut<int16_t>("i16", {0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 0},
                     "@mov16(all, even);", R"(
    fn count() [32]i16 {
      var a = @zeros([32]i16);
      for (@range(i16, 32)) |i| { a[i] = i; }
      return a;
    }
    var data: [32]i16 = count();
    const even = @get_dsd(mem1d_dsd, .{ .base_address = &data, .stride = .{2}, .extent = .{10} });
    const all = @get_dsd(mem1d_dsd, .{ .base_address = &out, .extent = 10 });
  )");
  expectSays("a mem1d_dsd has one dimension, found 2", true, "out[0] = 1;", R"(
    var data = @zeros([32]i16);
    const bad = @get_dsd(mem1d_dsd, .{ .base_address = &data, .stride = .{2, 1}, .extent = .{10, 1} });
    comptime { _ = bad; }
  )");
  SEQUIN_ROW("DSD-021");
}

TEST(CslExamples, DescriptorsAreNotCompared) {
  llvm::StringRef globals = R"(
    var data = @zeros([32]i16);
    const a = @get_dsd(mem1d_dsd, .{ .base_address = &data, .extent = 10 });
    const b = @get_dsd(mem1d_dsd, .{ .base_address = &data, .extent = 10 });
    const r = @get_dsr(dsr_src0, 2);
  )";
  expectSays("invalid comparison operation for type: 'mem1d_dsd'", true,
             "out[0] = if (a == b) 1 else 0;", globals);
  // Registers are.
  expectOut<int16_t>("i16", {1},
                     "out[0] = if (r == @get_dsr(dsr_src0, 2)) 1 else 0;",
                     globals);
  SEQUIN_ROW("DSD-065");
}

TEST(CslExamples, ExportedDescriptors) {
  expectOut<int16_t>("i16", {5, 5}, "@mov16(window, 5);", R"(
    export const window = @get_dsd(mem1d_dsd, .{ .base_address = &out, .extent = 2 });
  )");
  SEQUIN_ROW("DSD-074");
  expectSays("'fifo' of type 'fifo of i16' cannot be export", true,
             "out[0] = 1;", R"(
    var buffer = @zeros([32]i16);
    export const fifo = @allocate_fifo(buffer);
  )");
  SEQUIN_ROW("FIF-031");
}

TEST(CslExamples, FieldsOfInputsAndOutputs) {
  for (llvm::StringRef field : {"control", "wavelet_index_offset"})
    for (llvm::StringRef arch : kExampleArchs) {
      auto descriptor = [&](llvm::StringRef kind, llvm::StringRef queue) {
        llvm::StringRef color =
            arch == "wse2" ? ".fabric_color = @get_color(3), " : "";
        return ("const d = @get_dsd(" + kind + ", .{ .extent = 3, ." + queue +
                " = @get_" + queue + "(2), " + color + "." + field +
                " = true });")
            .str();
      };
      SourceRun in(
          onePe("i16", "out[0] = 1;", descriptor("fabin_dsd", "input_queue")),
          arch);
      EXPECT_THAT(in.errors, HasSubstr(("a fabin_dsd of " + arch +
                                        " has no field '" + field + "'")
                                           .str()));
      SourceRun out(
          onePe("i16", "out[0] = 1;", descriptor("fabout_dsd", "output_queue")),
          arch);
      EXPECT_TRUE(out.good()) << out.errors;
    }
  SEQUIN_ROW("DSD-054");
}

TEST(CslExamples, MatrixTimesVector) {
  expectOut<float>("f32", {17, 53, 89, 125}, R"(
    for (@range(i16, M)) |i| { out[i] = 0.0; }
    var column = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{M} -> A[i * N] });
    for (@range(u16, N)) |j| {
      @fmacs(result, result, column, x[j]);
      column = @increment_dsd_offset(column, 1, f32);
    }
    @fadds(result, result, addend);
  )",
                   R"(
    const M: i16 = 4;
    const N: i16 = 6;
    fn rising() [24]f32 {
      var a = @zeros([24]f32);
      for (@range(i16, 24)) |i| { a[i] = @as(f32, i); }
      return a;
    }
    var A: [M * N]f32 = rising();
    var x = @constants([N]f32, 1.0);
    var b = @constants([M]f32, 2.0);
    const result = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{M} -> out[i] });
    const addend = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{M} -> b[i] });
  )");
  SEQUIN_ROW("WEX-064");
}

TEST(CslExamples, TypesOfParametersAreRegisters) {
  for (llvm::StringRef arch : kExampleArchs) {
    SourceRun run({{"layout.csl", R"(
      layout {
        @set_rectangle(1, 1);
        @set_tile_code(0, 0, "pe.csl", .{ .in = @get_dsr(dsr_src1, 3) });
        @export_name("out", [*]i16, true);
        @export_name("main", fn() void);
      })"},
                   {"pe.csl", R"(
      param in: dsr_src1;
      var out: [4]i16;
      var out_ptr: [*]i16 = &out;
      var data = [4]i16 { 4, 3, 2, 1 };
      const from = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{4} -> data[i] });
      const to = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{4} -> out[i] });
      fn main() void {
        @load_to_dsr(in, from);
        @mov16(to, in);
      }
      comptime { @export_symbol(out_ptr, "out"); @export_symbol(main); })"}},
                  arch);
    ASSERT_TRUE(run.good()) << run.errors;
    EXPECT_EQ(run.launch("main"), "");
    EXPECT_THAT(run.get<int16_t>("out", 4), ElementsAre(4, 3, 2, 1));
  }
  SEQUIN_ROW("DSR-030");
}

TEST(CslExamples, ReservedRegistersAreNotDiagnosed) {
  // Programs use the numbers that memcpy reserves (DSR-004).
  for (llvm::StringRef arch : kExampleArchs)
    for (bool memcpy : {true, false}) {
      csl_import::ImportOptions options;
      options.memcpy = memcpy;
      SourceRun run(onePe("i16", R"(
      @load_to_dsr(to, whole);
      @load_to_dsr(from, four);
      @mov16(to, from);
    )",
                          R"(
      var data = [4]i16 { 4, 3, 2, 1 };
      const four = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{4} -> data[i] });
      const whole = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{4} -> out[i] });
      const to = @get_dsr(dsr_dest, 0);
      const from = @get_dsr(dsr_src1, 0);
    )"),
                    arch, options);
      ASSERT_TRUE(run.good()) << run.errors;
      EXPECT_EQ(run.errors, "");
      if (memcpy)
        continue;
      EXPECT_EQ(run.launch("main"), "");
      EXPECT_THAT(run.get<int16_t>("out", 4), ElementsAre(4, 3, 2, 1));
    }
  SEQUIN_ROW("DSR-004");
}

//===----------------------------------------------------------------------===//
// FIFOs
//===----------------------------------------------------------------------===//

TEST(CslExamples, LengthsOfAFifo) {
  // Four elements of a source of their own length, then as many as were set.
  expectOut<int16_t>("i16", {1, 2, 3, 4, 7, 7, 0}, R"(
    @mov16(fifo, four);
    @set_fifo_write_length(fifo, 2);
    @mov16(fifo, 7);
    @set_fifo_read_length(fifo, 6);
    @mov16(fifo_out, fifo);
  )",
                     R"(
    var buffer = @zeros([32]i16);
    const fifo = @allocate_fifo(buffer);
    var data = [4]i16 { 1, 2, 3, 4 };
    const four = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{4} -> data[i] });
    const fifo_out = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{6} -> out[i] });
  )");
  SEQUIN_ROW("WEX-020");
}

TEST(CslExamples, BuffersOfFifos) {
  for (llvm::StringRef arch : kExampleArchs) {
    // An odd number of words in front: without the FIFO the buffer would follow
    // at once.
    SourceRun run(onePe("i16",
                        "@mov16(fifo, x); @mov16(fifo2, x); "
                        "out[0] = odd[0] + buffer[0];",
                        R"(
      const x = @get_dsd(mem1d_dsd, .{ .base_address = &odd2, .extent = 1 });
      var odd = [3]i16 { 1, 2, 3 };
      var buffer = @zeros([5]i16);
      var odd2 = [3]i16 { 1, 2, 3 };
      var buffer2 = @zeros([5]i16);
      const fifo = @allocate_fifo(buffer);
      const fifo2 = @allocate_fifo(buffer2);
    )"),
                  arch);
    ASSERT_TRUE(run.good()) << run.errors;
    const auto &fifos = run.program.setups[run.program.pes[0].setup].fifos;
    ASSERT_EQ(fifos.size(), 2u);
    int64_t align = lookupCslMachine(arch)->fifoAlignBytes;
    for (const wafer::Fifo &fifo : fifos)
      EXPECT_EQ(fifo.address % align, 0) << fifo.name;
  }
  SEQUIN_ROW("FIF-003");
  llvm::StringRef fifo = "const fifo = @allocate_fifo(buffer); "
                         "comptime { _ = fifo; }";
  for (llvm::StringRef arch : kExampleArchs) {
    SourceRun bare(onePe("i16", "out[0] = 1;",
                         ("extern var buffer: [32]i16;" + fifo).str()),
                   arch);
    EXPECT_THAT(bare.errors, HasSubstr("warning: the definition of an extern "
                                       "buffer of a FIFO has to be aligned"));
    SourceRun aligned(
        onePe("i16", "out[0] = 1;",
              ("extern var buffer: [32]i16 align(16);" + fifo).str()),
        arch);
    EXPECT_THAT(aligned.errors, Not(HasSubstr("warning")));
  }
  SEQUIN_ROW("FIF-005");
}

TEST(CslExamples, FifosDoNotChangeAtComptime) {
  llvm::StringRef fifo = "var buffer = @zeros([32]i16);"
                         "const fifo = @allocate_fifo(buffer);";
  expectSays("@set_fifo_read_length is for running code", true, "out[0] = 1;",
             (fifo + "comptime { @set_fifo_read_length(fifo, 4); }").str());
  SEQUIN_ROW("FIF-027");
  expectSays("@set_dsd_length is of a DSD other than mem4d_dsd, found type "
             "'fifo of i16'",
             true, "const other = @set_dsd_length(fifo, 4);", fifo);
  SEQUIN_ROW("FIF-028");
}

//===----------------------------------------------------------------------===//
// Operations and builtins
//===----------------------------------------------------------------------===//

TEST(CslExamples, FieldsOfAnOperation) {
  expectSays("an operation of ", true, "@mov16(all, 4, .{ .asynk = true });",
             "const all = @get_dsd(mem1d_dsd, .{ .base_address = &out, "
             ".extent = 10 });");
  SEQUIN_ROW("ASY-035");
}

TEST(CslExamples, ActivateTakesAnId) {
  llvm::StringRef task =
      "task later() void { out[0] = 3; }"
      "comptime { @bind_local_task(later, @get_local_task_id(9)); }";
  expectSays("@activate is of a local_task_id, found type 'task'", true,
             "@activate(later);", task);
  expectOut<int16_t>("i16", {3}, "@activate(@get_local_task_id(9));", task);
  SEQUIN_ROW("BLT-002");
}

TEST(CslExamples, ComptimeAssert) {
  expectOut<int16_t>("i16", {1}, R"(
    @comptime_assert(1 == 1);
    if (false) { @comptime_assert(false, "in a branch that is not there"); }
    out[0] = 1;
  )");
  expectSays("comptime_assert failed: not so", true,
             "@comptime_assert(1 == 2, \"not so\");");
  SEQUIN_ROW("BLT-014");
}

TEST(CslExamples, IsSameType) {
  expectSays("@is_same_type is of releases up to 1.4; since 2.10 types "
             "are compared with ==",
             false, "out[0] = if (@is_same_type(i16, i16)) 1 else 2;");
  expectOut<int16_t>("i16", {1, 2, 1}, R"(
    out[0] = if (@is_same_type(i16, i16)) 1 else 2;
    out[1] = if (@is_same_type(i16, u16)) 1 else 2;
    out[2] = if (i16 != u16) 1 else 2;
  )");
  SEQUIN_ROW("BLT-057");
}

TEST(CslExamples, TaskWithoutAReturnType) {
  expectOut<int16_t>("i16", {3}, "@activate(@get_local_task_id(9));", R"(
    task later() { out[0] = 3; }
    comptime { @bind_local_task(later, @get_local_task_id(9)); }
  )");
  SEQUIN_ROW("TSK-002");
  SEQUIN_ROW("AMB-032");
  expectSays("expected the type that function 'f' returns", true,
             "out[0] = f(3);", "fn f(x: i16) { return x; }");
  SEQUIN_ROW("AMB-033");
}

TEST(CslExamples, Ranges) {
  expectOut<int32_t>("i32", {1, 2, 3, 4, 0, 1, 2, 3, 2, 1, 0, -1, -2, 0}, R"(
    var n: i16 = 0;
    for (@range(i16, 1, 5, 1)) |i| { out[n] = i; n += 1; }
    inline for (@range(comptime_int, 4)) |i| { out[n] = i; n += 1; }
    for (@range(i32, 2, -3, 1)) |i| { out[15] = 99; }
    for (@range(i32, 2, -3, -1)) |i| { out[n] = i; n += 1; }
    out[13] = out[15];
  )");
  expectSays("expected type 'u16', got: 'comptime_int'", true,
             "for (@range(u16, 2, 7, -1)) |i| { out[15] = 99; }");
  SEQUIN_ROW("WEX-069");
}

//===----------------------------------------------------------------------===//
// Types and operators
//===----------------------------------------------------------------------===//

TEST(CslExamples, Enums) {
  expectOut<int16_t>("i16", {0, 1, 2, 0, 4, 1, 0, -3, 1, 1, 1}, R"(
    out[0] = @as(i16, @get_int(A.red));
    out[1] = @as(i16, @get_int(A.white));
    out[2] = @as(i16, @get_int(A.blue));
    out[3] = @as(i16, @get_int(B.red));
    out[4] = @as(i16, @get_int(B.white));
    out[5] = @as(i16, @get_int(B.blue));
    out[6] = @get_int(C.rock);
    out[7] = @get_int(C.paper);
    out[8] = @get_int(C.scissors);
    out[9] = @as(i16, @get_int(D.Y));
    out[10] = if (@type_of(@get_int(D.Y)) == u16) 1 else 0;
  )",
                     R"(
    const A = enum(u16) { red, white = 1, blue };
    const B = enum(u16) { red, white = 4, blue };
    const C = enum(i16) { rock, paper = -3, scissors };
    const D = enum { X, Y };
  )");
  SEQUIN_ROW("WEX-030");
  SEQUIN_ROW("WEX-031");
  SEQUIN_ROW("WEX-032");
  SEQUIN_ROW("AMB-036");
}

TEST(CslExamples, Operators) {
  // What is known and what is not.
  llvm::StringRef body = R"(
    out[0] = two + five;
    out[1] = two - five;
    out[2] = (five + five) / five;
    out[3] = (five + five) % three;
    out[4] = one << 8;
    out[5] = (five + five) >> 1;
    out[6] = three & five;
    out[7] = three | six;
    out[8] = three ^ five;
    out[9] = @as(i16, ~bits);
  )";
  llvm::StringRef names = R"( one: i16 = 1; X two: i16 = 2; X three: i16 = 3;
    X five: i16 = 5; X six: i16 = 6; X bits: u8 = 0b10101111;)";
  for (llvm::StringRef storage : {"const", "var"}) {
    std::string globals = (storage + names).str();
    for (size_t at; (at = globals.find("X ")) != std::string::npos;)
      globals.replace(at, 1, storage.str());
    expectOut<int16_t>("i16", {7, -3, 2, 1, 0x100, 5, 1, 7, 6, 0b01010000},
                       body, globals);
  }
  SEQUIN_ROW("WEX-039");
}

TEST(CslExamples, Mantissas) {
  expectOut<int32_t>("i32", {512, 4194304}, R"(
    out[0] = @as(i32, mantissa(@as(f16, 1.5)));
    out[1] = @as(i32, mantissa(@as(f32, 1.5)));
  )",
                     R"(
    fn mantissa(x: anytype) u32 {
      if (@type_of(x) == f16) { return @as(u32, @bitcast(u16, x) & 0x3ff); }
      return @bitcast(u32, x) & 0x7fffff;
    }
  )");
  SEQUIN_ROW("WEX-029");
}

TEST(CslExamples, Widening) {
  expectOut<int32_t>("i32", {42, 1000, 3140, 9, 21, 4}, R"(
    const small: i8 = 42; var large: i32 = small; out[0] = large;
    const unsigned: u16 = 1000; var other: i32 = unsigned; out[1] = other;
    const half: f16 = 3.14; var single: f32 = half;
    out[2] = @as(i32, single * 1000.0);
    out[3] = seven + two;
    out[4] = seven * three;
    out[5] = @as(i32, f + h);
  )",
                     R"(
    var seven: i32 = 7; var two: i16 = 2; var three: u16 = 3;
    var f: f32 = 2.5; var h: f16 = 1.5;
  )");
  expectSays("expected type 'i16', got: 'comptime_int'", true,
             "var s: i16 = 100000; out[0] = s;");
  SEQUIN_ROW("WEX-073");
  expectSays("expected type 'u32', got: 'i16'", true,
             "out[0] = @as(i16, a + b);", "var a: u32 = 1; var b: i16 = 2;");
  SEQUIN_ROW("AMB-023");
}

TEST(CslExamples, KnownValuesNarrow) {
  expectOut<int16_t>("i16", {5, 1}, R"(
    out[0] = narrow;
    const x: i16 = @get_int(C.b);
    out[1] = x;
  )",
                     R"(
    const wide: i16 = 5;
    const narrow: i8 = wide;
    const C = enum(i32) { a, b };
  )");
  expectSays("expected type 'i8', got: 'i16'", true, "out[0] = narrow;",
             "const wide: i16 = 500; const narrow: i8 = wide;");
  SEQUIN_ROW("AMB-025");
  expectSays("the result 32768 does not fit in 'i16'", true, "out[0] = next;",
             "const most: i16 = 32767; const next = most + 1;");
  SEQUIN_ROW("AMB-039");
  expectSays("expected type 'f16', got: 'comptime_int'", true,
             "out[0] = @as(i16, values[1]);",
             "const values = [2]f16 { 2048, 2049 };");
  SEQUIN_ROW("AMB-026");
}

TEST(CslExamples, NumbersOfColorsAndMicrothreads) {
  expectSays("color 24 does not exist", true, "out[0] = 1;",
             "const c = @get_color(23); const d = @get_color(24); "
             "comptime { _ = d; }");
  SEQUIN_ROW("AMB-061");
  SourceRun run(onePe("i16", "out[0] = 1;",
                      "const a = @get_ut_id(7); const b = @get_ut_id(8);"),
                "wse3");
  EXPECT_THAT(run.errors, HasSubstr("ut_id 8 does not exist, wse3 has 0 to 7"));
  for (llvm::StringRef arch : kExampleArchs)
    EXPECT_EQ(lookupCslMachine(arch)->microthreads, 8u);
  SEQUIN_ROW("AMB-067");
}

TEST(CslExamples, FormsThatAreNotCsl) {
  expectSays("expected an expression, found ','", true,
             "const p = @ptrcast(i16*, &out); out[0] = 1;");
  SEQUIN_ROW("AMB-062");
  expectSays("constant 'z' has no initialiser", true, "out[0] = 1;",
             "export const z: [*]f16;");
  SEQUIN_ROW("AMB-063");
  expectSays("expected '(' and a condition after 'else if'", true,
             "if (out[1] == 1) { out[0] = 1; } else if { out[0] = 2; }");
  SEQUIN_ROW("AMB-064");
}

TEST(CslExamples, ExportedFunctionsHaveTheTypeOfTheLayout) {
  SourceRun run({{"layout.csl", R"(
    layout {
      @set_rectangle(1, 1);
      @set_tile_code(0, 0, "pe.csl");
      @export_name("f2", fn() void);
    })"},
                 {"pe.csl", R"(
    fn f2(a: f32) void {}
    comptime { @export_symbol(f2); })"}});
  EXPECT_FALSE(run.good());
  EXPECT_THAT(run.errors, HasSubstr("exported symbol type mismatch. Expected "
                                    "type: 'fn() void', got 'fn(f32) void'"));
  SEQUIN_ROW("AMB-056");
}

TEST(CslExamples, ColorsOfTheOldLanguage) {
  for (llvm::StringRef arch : kExampleArchs) {
    csl_import::ImportOptions options;
    options.colors = {{"main_color", "5"}};
    SourceRun run({{"layout.csl", R"(
      color main_color;
      layout {
        @set_rectangle(1, 1);
        @set_tile_code(0, 0, "pe.csl", .{ .c = main_color });
        @set_color_config(0, 0, main_color, .{ .routes = .{ .rx = RAMP, .tx = RAMP } });
        @export_name("out", [*]i16, true);
        @export_name("main", fn() void);
      })"},
                   {"pe.csl", R"(
      param c: color;
      var out: [1]i16;
      var out_ptr: [*]i16 = &out;
      fn main() void { out[0] = @as(i16, @get_int(c)); }
      comptime { @export_symbol(out_ptr, "out"); @export_symbol(main); })"}},
                  arch, options);
    ASSERT_TRUE(run.good()) << run.errors;
    EXPECT_THAT(run.errors, HasSubstr("warning: 'color main_color;' is of a "
                                      "former release"));
    EXPECT_EQ(run.launch("main"), "");
    EXPECT_THAT(run.get<int16_t>("out", 1), ElementsAre(5));
  }
  SEQUIN_ROW("FAB-081");
  SEQUIN_ROW("AMB-058");
}

//===----------------------------------------------------------------------===//
// Colors
//===----------------------------------------------------------------------===//

TEST(CslExamples, OlderColorConfigurations) {
  auto layout = [](llvm::StringRef config) -> SourceRun::Files {
    return {{"layout.csl", ("const c = @get_color(3); layout {"
                            "@set_rectangle(2, 1);"
                            "@set_tile_code(0, 0, \"pe.csl\");"
                            "@set_tile_code(1, 0, \"pe.csl\");"
                            "@set_color_config(1, 0, c, " +
                            config + "); }")
                               .str()},
            {"pe.csl", "fn main() void {}"}};
  };
  for (llvm::StringRef arch : kExampleArchs) {
    SourceRun flat(
        layout(".{ .rx = WEST, .tx = RAMP, .pos1 = .{ .tx = EAST } }"), arch);
    EXPECT_FALSE(flat.good());
    EXPECT_THAT(flat.errors, HasSubstr("routes"));
    SourceRun pop(layout(".{ .routes = .{ .rx = WEST, .tx = RAMP, .pop_mode = "
                         ".{ .always_pop = true } }, .switches = .{ .pos1 = "
                         ".{ .tx = EAST } } }"),
                  arch);
    ASSERT_TRUE(pop.good()) << pop.errors;
    EXPECT_THAT(pop.errors, HasSubstr("warning: "));
    EXPECT_THAT(pop.errors, HasSubstr("pop_mode"));
    const wafer::Program &program = pop.program;
    EXPECT_EQ(program.routers[program.pes[1].router].colors.at(3).pop,
              wafer::PopMode::AlwaysPop);
  }
  SEQUIN_ROW("FAB-039");
  SEQUIN_ROW("FAB-040");
  SEQUIN_ROW("AMB-057");
}

TEST(CslExamples, RoutesAsBits) {
  // 0x241: from WEST to RAMP and EAST; 0x210: from RAMP to RAMP.
  for (llvm::StringRef arch : kExampleArchs) {
    SourceRun run({{"layout.csl", R"(
      const c = @get_color(3);
      layout {
        @set_rectangle(3, 1);
        for (@range(u16, 3)) |x| { @set_tile_code(x, 0, "pe.csl"); }
        @set_color_config(1, 0, c, .{ .routes = 0x241 });
        @set_color_config(2, 0, c, .{ .routes = 0x210 });
      })"},
                   {"pe.csl", "fn main() void {}"}},
                  arch);
    ASSERT_TRUE(run.good()) << run.errors;
    const wafer::Program &program = run.program;
    auto routes = [&](unsigned x) {
      return *program.routers[program.pes[x].router].colors.at(3).positions[0];
    };
    auto bit = [](wafer::Direction d) { return wafer::bit(d); };
    EXPECT_EQ(routes(1), (wafer::Routes{bit(wafer::Direction::West),
                                        static_cast<wafer::Directions>(
                                            bit(wafer::Direction::Ramp) |
                                            bit(wafer::Direction::East))}));
    EXPECT_EQ(routes(2), (wafer::Routes{bit(wafer::Direction::Ramp),
                                        bit(wafer::Direction::Ramp)}));
  }
  SEQUIN_ROW("WEX-041");
}
