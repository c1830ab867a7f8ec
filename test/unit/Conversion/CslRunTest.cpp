//===- CslRunTest.cpp - csl modules, derived and run ----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the bytecode of each group of operations does, on the simulator; the
// reference interpreter must say the same to the bit, in both of its orders.
//
//===----------------------------------------------------------------------===//

#include "Row.h"
#include "mlir/Parser/Parser.h"
#include "sequin/Conversion/CslToWafer/DeriveProgram.h"
#include "sequin/Dialect/Csl/IR/CslDialect.h"
#include "sequin/Reference/CslInterpreter.h"
#include "sequin/WaferSim/Simulator.h"
#include "gmock/gmock.h"

using namespace sequin;
using ::testing::ElementsAre;

namespace {

/// A module that is derived and ready to run.
class WaferRun {
public:
  explicit WaferRun(const std::string &text) {
    mlir::DialectRegistry registry;
    csl_to_wafer::registerDialects(registry);
    context.appendDialectRegistry(registry);
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    if (!module)
      return;
    mlir::FailureOr<wafer::Program> derived =
        csl_to_wafer::deriveProgram(*module);
    if (failed(derived))
      return;
    program = std::move(*derived);
    auto made =
        wafer::Simulator::create(program, *lookupCslMachine(program.target));
    if (!made) {
      ADD_FAILURE() << llvm::toString(made.takeError());
      return;
    }
    simulator = std::move(*made);
    for (bool other : {false, true}) {
      reference::CslOptions options;
      options.otherOrder = other;
      auto reference = reference::CslReference::create(*module, options);
      if (failed(reference)) {
        ADD_FAILURE() << "the reference refuses the module";
        simulator.reset();
        return;
      }
      references.push_back(std::move(*reference));
    }
  }

  bool good() const { return simulator != nullptr; }
  wafer::Rectangle all() const { return {0, 0, program.width, program.height}; }
  /// Launches a function everywhere and runs; the message of a trap or hang.
  std::string launch(llvm::StringRef name,
                     llvm::ArrayRef<uint64_t> arguments = {}) {
    for (auto &reference : references)
      if (llvm::Error error = reference->launch(name, 0, 0, reference->width(),
                                                reference->height(), arguments))
        ADD_FAILURE() << llvm::toString(std::move(error));
    if (llvm::Error error = simulator->launch(name, all(), arguments))
      return llvm::toString(std::move(error));
    return run();
  }
  std::string run() {
    wafer::Outcome outcome = simulator->run();
    for (auto &reference : references)
      EXPECT_EQ(static_cast<int>(reference->run()), static_cast<int>(outcome))
          << reference->message();
    switch (outcome) {
    case wafer::Outcome::Finished:
      return "";
    case wafer::Outcome::Trapped:
      return simulator->trap()->message;
    default:
      return simulator->hang().str(program);
    }
  }
  template <typename T>
  void set(llvm::StringRef name, int64_t x, std::vector<T> values) {
    llvm::ArrayRef<uint8_t> bytes(
        reinterpret_cast<const uint8_t *>(values.data()),
        values.size() * sizeof(T));
    if (llvm::Error error = simulator->copyIn(name, x, 0, bytes))
      ADD_FAILURE() << llvm::toString(std::move(error));
    for (auto &reference : references)
      if (llvm::Error error = reference->copyIn(name, x, 0, bytes))
        ADD_FAILURE() << llvm::toString(std::move(error));
  }
  template <typename T>
  std::vector<T> get(llvm::StringRef name, size_t count, int64_t x = 0) {
    auto bytes = simulator->copyOut(name, x, 0, count * sizeof(T));
    if (!bytes) {
      ADD_FAILURE() << llvm::toString(bytes.takeError());
      return {};
    }
    for (auto &reference : references) {
      auto other = reference->copyOut(name, x, 0, count * sizeof(T));
      if (!other)
        ADD_FAILURE() << llvm::toString(other.takeError());
      else
        EXPECT_EQ(*other, *bytes);
    }
    std::vector<T> values(count);
    memcpy(values.data(), bytes->data(), bytes->size());
    return values;
  }

  /// Words for a stream, for all.
  void send(llvm::StringRef stream, llvm::ArrayRef<uint32_t> words) {
    if (llvm::Error error = simulator->send(stream, 0, 0, words))
      ADD_FAILURE() << llvm::toString(std::move(error));
    for (auto &reference : references)
      if (llvm::Error error = reference->send(stream, 0, 0, words))
        ADD_FAILURE() << llvm::toString(std::move(error));
  }

  mlir::MLIRContext context;
  wafer::Program program;
  std::unique_ptr<wafer::Simulator> simulator;
  std::vector<std::unique_ptr<reference::CslReference>> references;
};

/// One PE whose function `main` writes `count` results of `type` to @out.
std::string onePe(llvm::StringRef out, llvm::StringRef body,
                  llvm::StringRef extra = "", llvm::StringRef arch = "wse3") {
  return ("module attributes {csl.target = #csl.target<\"" + arch +
          "\">} {\n"
          "csl.layout 1 x 1 {\n"
          "  csl.tile_code @pe at <0, 0>\n"
          "  csl.export_name \"main\" : () -> ()\n"
          "  csl.export_name \"out\" : !csl.ptr<many " +
          out +
          "> mutable\n}\n"
          "csl.program @pe {\n"
          "csl.var @out : memref<16x" +
          out + ">\n" + extra +
          "func.func @main() {\n"
          "  %out = csl.get_var @out : memref<16x" +
          out + ">\n" + body +
          "  csl.unblock_cmd_stream\n  return\n}\n"
          "csl.comptime {\n"
          "  csl.export_symbol @main\n  csl.export_symbol @out\n}\n}\n}\n")
      .str();
}

TEST(CslRun, Integers) {
  WaferRun run(onePe("i16", R"(
    %c = arith.constant -7 : i16
    %d = arith.constant 2 : i16
    %i0 = arith.constant 0 : index
    %i1 = arith.constant 1 : index
    %i2 = arith.constant 2 : index
    %i3 = arith.constant 3 : index
    %i4 = arith.constant 4 : index
    %n = memref.load %out[%i4] : memref<16xi16>
    %x = arith.addi %c, %n : i16
    %a = arith.divsi %x, %d : i16
    memref.store %a, %out[%i0] : memref<16xi16>
    %b = arith.remsi %x, %d : i16
    memref.store %b, %out[%i1] : memref<16xi16>
    %e = arith.shrui %x, %d : i16
    memref.store %e, %out[%i2] : memref<16xi16>
    %w = arith.extsi %x : i16 to i64
    %m = arith.muli %w, %w : i64
    %t = arith.trunci %m : i64 to i16
    memref.store %t, %out[%i3] : memref<16xi16>
  )"));
  ASSERT_TRUE(run.good());
  EXPECT_EQ(run.launch("main"), "");
  EXPECT_THAT(run.get<int16_t>("out", 4), ElementsAre(-3, -1, 0x3ffe, 49));
  SEQUIN_ROW("AMB-038");
  SEQUIN_ROW("TSK-051");
}

TEST(CslRun, LoopsAndCalls) {
  WaferRun run(onePe("f32", R"(
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %one = arith.constant 1.0 : f32
    %last, %sum = scf.for %i = %c0 to %c16 step %c1
        iter_args(%a = %one, %b = %one) -> (f32, f32) {
      memref.store %a, %out[%i] : memref<16xf32>
      %s = func.call @add(%a, %b) : (f32, f32) -> f32
      scf.yield %b, %s : f32, f32
    }
  )",
                     R"(func.func @add(%a: f32, %b: f32) -> f32 {
    %s = arith.addf %a, %b : f32
    return %s : f32
  }
)"));
  ASSERT_TRUE(run.good());
  EXPECT_EQ(run.launch("main"), "");
  // Fibonacci: the two values change places in every round.
  EXPECT_THAT(run.get<float>("out", 8), ElementsAre(1, 1, 2, 3, 5, 8, 13, 21));
  EXPECT_EQ(run.get<float>("out", 16)[15], 987.0f);
}

// Values that live in the frame keep their own places, round a loop too.
TEST(CslRun, Aggregates) {
  WaferRun run(onePe("i16", R"(
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %z = arith.constant 0 : i16
    %one = arith.constant 1 : i16
    %zero = csl.splat %z : i16 -> !csl.array<2xi16>
    %start = csl.set_element %zero[%c0] = %one : !csl.array<2xi16>, i16
    %a, %b = scf.for %i = %c0 to %c3 step %c1
        iter_args(%x = %start, %y = %zero)
        -> (!csl.array<2xi16>, !csl.array<2xi16>) {
      %p = csl.get_element %x[%c0] : !csl.array<2xi16> -> i16
      %q = csl.get_element %y[%c0] : !csl.array<2xi16> -> i16
      %s = arith.addi %p, %q : i16
      %n = csl.set_element %x[%c0] = %s : !csl.array<2xi16>, i16
      %old = csl.get_element %x[%c0] : !csl.array<2xi16> -> i16
      %m = csl.set_element %y[%c1] = %old : !csl.array<2xi16>, i16
      scf.yield %m, %n : !csl.array<2xi16>, !csl.array<2xi16>
    }
    %0 = csl.get_element %a[%c0] : !csl.array<2xi16> -> i16
    %1 = csl.get_element %a[%c1] : !csl.array<2xi16> -> i16
    %2 = csl.get_element %b[%c0] : !csl.array<2xi16> -> i16
    %3 = csl.get_element %b[%c1] : !csl.array<2xi16> -> i16
    memref.store %0, %out[%c0] : memref<16xi16>
    memref.store %1, %out[%c1] : memref<16xi16>
    memref.store %2, %out[%c2] : memref<16xi16>
    memref.store %3, %out[%c3] : memref<16xi16>
    %low = arith.constant 5 : i8
    %high = arith.constant -1 : i8
    %w = csl.aggregate %low, %high : (i8, i8) -> !csl.struct<packed "w" {low : i8, high : i8}>
    %v = csl.set_field %w["low"] = %high : !csl.struct<packed "w" {low : i8, high : i8}>, i8
    %h = csl.get_field %v["low"] : !csl.struct<packed "w" {low : i8, high : i8}> -> i8
    %l = csl.get_field %w["low"] : !csl.struct<packed "w" {low : i8, high : i8}> -> i8
    %hs = arith.extsi %h : i8 to i16
    %ls = arith.extsi %l : i8 to i16
    %r = arith.subi %hs, %ls : i16
    memref.store %r, %out[%c4] : memref<16xi16>
  )"));
  ASSERT_TRUE(run.good());
  EXPECT_EQ(run.launch("main"), "");
  // x = [1,0], y = [0,0]; round: (x, y) = (y with [1] = x[0], x with [0] = x[0]
  // + y[0]): ([0,1],[1,0]), ([1,0],[1,1]), ([1,1],[2,0]).
  EXPECT_THAT(run.get<int16_t>("out", 5), ElementsAre(1, 1, 2, 0, -6));
}

TEST(CslRun, Pointers) {
  WaferRun run(onePe("i16", R"(
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %five = arith.constant 5 : i16
    %p = csl.address_of %out : memref<16xi16> -> !csl.ptr<many i16>
    %q = csl.element_ptr %p[%c2] : !csl.ptr<many i16> -> !csl.ptr<i16>
    csl.store %five, %q : i16, !csl.ptr<i16>
    %at = csl.ptr_to_int %q : !csl.ptr<i16>
    %from = csl.ptr_to_int %q : !csl.ptr<i16>
    %b = csl.ptr_cast %p : !csl.ptr<many i16> -> !csl.ptr<none>
    %o = csl.ptr_cast %b : !csl.ptr<none> -> !csl.ptr<i16>
    %base = csl.ptr_to_int %o : !csl.ptr<i16>
    %d = arith.subi %at, %base : i16
    memref.store %d, %out[%c0] : memref<16xi16>
    %f = csl.function_address @twice : !csl.ptr<const (i16) -> i16>
    %v = csl.load %q : !csl.ptr<i16> -> i16
    %t = csl.call_indirect %f(%v) : !csl.ptr<const (i16) -> i16>, (i16) -> i16
    %c1 = arith.constant 1 : index
    memref.store %t, %out[%c1] : memref<16xi16>
  )",
                     R"(func.func @twice(%a: i16) -> i16 {
    %s = arith.addi %a, %a : i16
    return %s : i16
  }
)"));
  ASSERT_TRUE(run.good());
  EXPECT_EQ(run.launch("main"), "");
  EXPECT_THAT(run.get<int16_t>("out", 3), ElementsAre(4, 10, 5));
}

TEST(CslRun, DsdOperations) {
  WaferRun run(onePe("f32", R"(
    %A = csl.get_var @A : memref<4x5xf32>
    // The 2 x 2 box at (1, 1), moved one row up.
    %box = csl.mem4d_dsd %A : memref<4x5xf32> access <(i, j) -> (i + 1, j + 1), [2, 2]>
    %up = arith.constant -5 : i16
    %moved = csl.increment_dsd_offset %box, %up of f32 : !csl.dsd<mem4d>
    %d = csl.mem1d_dsd %out : memref<16xf32> extent 4
    csl.fmovs %d = %moved : !csl.dsd<mem1d> = !csl.dsd<mem4d>
    // out[4..8] = box + 2 * odd elements.
    %e = csl.mem1d_dsd %out : memref<16xf32> extent 4 offset 4
    %odd = csl.mem1d_dsd %A : memref<4x5xf32> extent 4 stride 2 offset 1
    %two = arith.constant 2.0 : f32
    csl.fmacs %e = %box, %odd, %two : !csl.dsd<mem1d> = !csl.dsd<mem4d>, !csl.dsd<mem1d>, f32
    // A sum over a row.
    %c8 = arith.constant 8 : index
    %zero = arith.constant 0.0 : f32
    memref.store %zero, %out[%c8] : memref<16xf32>
    %p = csl.address_of %out[%c8] : memref<16xf32> -> !csl.ptr<f32>
    %row = csl.mem1d_dsd %A : memref<4x5xf32> extent 5
    csl.fadds %p = %zero, %row : !csl.ptr<f32> = f32, !csl.dsd<mem1d>
    // The elements of a row squared, by a function.
    %f = csl.mem1d_dsd %out : memref<16xf32> extent 3 offset 9
    csl.map @square(%row) to %f : (!csl.dsd<mem1d>) to !csl.dsd<mem1d>
  )",
                     R"(csl.var @A : memref<4x5xf32> = dense<[
      [0., 1., 2., 3., 4.], [5., 6., 7., 8., 9.],
      [10., 11., 12., 13., 14.], [15., 16., 17., 18., 19.]]> : tensor<4x5xf32>
  func.func @square(%a: f32) -> f32 {
    %s = arith.mulf %a, %a : f32
    return %s : f32
  }
)"));
  ASSERT_TRUE(run.good());
  EXPECT_EQ(run.launch("main"), "");
  EXPECT_THAT(run.get<float>("out", 12),
              ElementsAre(1, 2, 6, 7, 8, 13, 21, 26, 10, 0, 1, 4));
  SEQUIN_ROW("DSD-069");
  SEQUIN_ROW("DOP-013");
  SEQUIN_ROW("DOP-010");
  SEQUIN_ROW("BLT-061");
}

// A row of PEs passes a vector on; a parameter says who is last, and completion
// activates a task.
TEST(CslRun, RowOfPes) {
  for (llvm::StringRef arch : {"wse2", "wse3"}) {
    bool wse2 = arch == "wse2";
    std::string text =
        ("module attributes {csl.target = #csl.target<\"" + arch + R"(">} {
  csl.layout 4 x 1 {
    csl.tile_code @pe at <0 to 4, 0> params {x = affine_map<(x, y) -> (x)>}
    csl.color_config 5 at <0, 0> routes <rx RAMP tx EAST>
    csl.color_config 5 at <1 to 3, 0> routes <rx WEST tx [RAMP, EAST]>
    csl.color_config 5 at <3, 0> routes <rx WEST tx RAMP>
    csl.export_name "data" : !csl.ptr<many f32> mutable
    csl.export_name "sum" : f32
    csl.export_name "main" : () -> ()
  }
  csl.program @pe {
    csl.param @x : i16
    csl.var @data : memref<8xf32>
    csl.var @sum : memref<f32> = dense<0.0> : tensor<f32>
    func.func @main() {
      %x = csl.get_param @x : i16
      %zero = arith.constant 0 : i16
      %first = arith.cmpi eq, %x, %zero : i16
      %A = csl.get_var @data : memref<8xf32>
      %d = csl.mem1d_dsd %A : memref<8xf32> extent 8
      %c = csl.constant 5 : !csl.color
      %oq = csl.constant 2 : !csl.output_queue
      %iq = csl.constant 2 : !csl.input_queue
      scf.if %first {
        %out = csl.fabout_dsd queue %oq )" +
         (wse2 ? "color %c" : "") + R"( extent 8
        %t = csl.task_id @done : !csl.local_task_id
        csl.fmovs %out = %d : !csl.dsd<fabout> = !csl.dsd<mem1d> async activate(%t)
      } else {
        %in = csl.fabin_dsd queue %iq extent 8
        %t = csl.task_id @done : !csl.local_task_id
        csl.fmovs %d = %in : !csl.dsd<mem1d> = !csl.dsd<fabin> async activate(%t)
      }
      return
    }
    csl.task local @done() {
      %A = csl.get_var @data : memref<8xf32>
      %S = csl.get_var @sum : memref<f32>
      %d = csl.mem1d_dsd %A : memref<8xf32> extent 8
      %p = csl.address_of %S : memref<f32> -> !csl.ptr<f32>
      %s = memref.load %S[] : memref<f32>
      csl.fadds %p = %s, %d : !csl.ptr<f32> = f32, !csl.dsd<mem1d>
      csl.unblock_cmd_stream
      csl.return
    }
    csl.comptime {
      %id = csl.constant 9 : !csl.local_task_id
      csl.bind_local_task @done to %id
      %c = csl.constant 5 : !csl.color
      %oq = csl.constant 2 : !csl.output_queue
      %iq = csl.constant 2 : !csl.input_queue
      csl.initialize_queue %iq : !csl.input_queue color %c
      csl.initialize_queue %oq : !csl.output_queue )" +
         (wse2 ? "" : "color %c") + R"(
      csl.export_symbol @data
      csl.export_symbol @sum
      csl.export_symbol @main
    }
  }
})")
            .str();
    WaferRun run(text);
    ASSERT_TRUE(run.good()) << arch.str();
    run.set<float>("data", 0, {1, 2, 3, 4, 5, 6, 7, 8});
    EXPECT_EQ(run.launch("main"), "") << arch.str();
    for (int64_t x = 0; x < 4; ++x) {
      EXPECT_THAT(run.get<float>("data", 8, x),
                  ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
      EXPECT_THAT(run.get<float>("sum", 1, x), ElementsAre(36));
    }
    SEQUIN_ROW("ASY-004");
    SEQUIN_ROW("FAB-015");
    SEQUIN_ROW("TSK-029");
    // One code for the PE that decides to send, one for all others.
    EXPECT_EQ(run.program.codes.size(), 2u);
    EXPECT_EQ(run.program.setups.size(), 2u);
  }
}

// @rpc: wavelets of a number and its arguments call functions.
TEST(CslRun, Rpc) {
  WaferRun run(R"(
module attributes {csl.target = #csl.target<"wse3">} {
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0>
    csl.export_name "x" : !csl.ptr<many f32> mutable
    csl.export_name "scale" : (f32, i16) -> f32
    csl.export_name "clear" : () -> ()
    csl.stream "calls" color 6 to_device
  }
  csl.program @pe {
    csl.var @x : memref<2xf32> = dense<1.0> : tensor<2xf32>
    func.func @scale(%f: f32, %n: i16) -> f32 {
      %x = csl.get_var @x : memref<2xf32>
      %i = arith.index_cast %n : i16 to index
      memref.store %f, %x[%i] : memref<2xf32>
      return %f : f32
    }
    func.func @clear() {
      %x = csl.get_var @x : memref<2xf32>
      %i = arith.constant 0 : index
      %z = arith.constant 0.0 : f32
      memref.store %z, %x[%i] : memref<2xf32>
      return
    }
    csl.comptime {
      csl.export_symbol @x
      csl.export_symbol @scale
      csl.export_symbol @clear
      %q = csl.constant 2 : !csl.input_queue
      %c = csl.constant 6 : !csl.color
      csl.initialize_queue %q : !csl.input_queue color %c
      %id = csl.get_data_task_id %q : !csl.input_queue
      csl.rpc %id
    }
  }
})");
  ASSERT_TRUE(run.good());
  // Nobody has number 9; the sequence behind it is read from its start.
  uint32_t words[] = {9, 1, 0x40a00000, 1, 2};
  run.send("calls", words);
  EXPECT_EQ(run.run(), "");
  EXPECT_THAT(run.get<float>("x", 2), ElementsAre(0, 5));
}

} // namespace
