//===- CslInterpreterTest.cpp - Ends of csl programs on the reference -----===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the reference says when a program does not end well, its two orders,
// and its host's view. That what it computes is right is shown where the
// simulator runs the same programs (Conversion/CslBehaviourTest.cpp,
// CslPrograms).
//
//===----------------------------------------------------------------------===//

#include "sequin/Reference/CslInterpreter.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"
#include "sequin/Dialect/Csl/IR/CslDialect.h"
#include "gmock/gmock.h"

using namespace mlir;
using namespace sequin;
using reference::CslOptions;
using reference::CslOutcome;
using reference::CslReference;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace {

/// A rectangle of PEs with one program, whose function `main` is launched.
class Launched {
public:
  Launched(StringRef layout, StringRef top, StringRef main, StringRef comptime,
           CslOptions options = {}, StringRef size = "1 x 1",
           StringRef target = "\"wse3\"") {
    DialectRegistry registry;
    registry
        .insert<csl::CslDialect, affine::AffineDialect, arith::ArithDialect,
                cf::ControlFlowDialect, func::FuncDialect, math::MathDialect,
                memref::MemRefDialect, scf::SCFDialect>();
    context.appendDialectRegistry(registry);
    auto [width, height] = size.split(" x ");
    std::string text =
        ("module attributes {csl.target = #csl.target<" + target +
         ">} {\n"
         "csl.layout " +
         size +
         " {\n"
         "csl.tile_code @pe at <0 to " +
         width + ", 0 to " + height +
         "> params {x = affine_map<(x, y) -> (x)>}\n"
         "csl.export_name \"main\" : () -> ()\n"
         "csl.export_name \"a\" : !csl.ptr<many i16> mutable\n"
         "csl.export_name \"fixed\" : !csl.ptr<const many i16>\n" +
         layout +
         "}\ncsl.program @pe {\ncsl.param @x : i16\n"
         "csl.var @a : memref<16xi16>\ncsl.var @b : memref<16xi16>\n"
         "csl.var @c : memref<2xi32>\n" +
         top +
         "func.func @main() {\n"
         "%a = csl.get_var @a : memref<16xi16>\n"
         "%b = csl.get_var @b : memref<16xi16>\n"
         "%c = csl.get_var @c : memref<2xi32>\n"
         "%x = csl.get_param @x : i16\n%one = arith.constant 1 : i16\n" +
         main +
         "return\n}\ncsl.comptime {\n"
         "csl.export_symbol @main\ncsl.export_symbol @a\n"
         "csl.export_symbol @b as \"fixed\"\n" +
         comptime + "}\n}\n}\n")
            .str();
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      errors += diagnostic.str() + "\n";
      return success();
    });
    auto module = parseSourceString<ModuleOp>(text, &context);
    if (!module)
      return;
    auto made = CslReference::create(*module, options);
    if (failed(made))
      return;
    reference = std::move(*made);
    if (llvm::Error error = reference->launch("main", 0, 0, reference->width(),
                                              reference->height()))
      ADD_FAILURE() << llvm::toString(std::move(error));
    outcome = reference->run();
  }

  std::vector<int16_t> get(StringRef name, size_t count, int64_t x = 0) {
    auto bytes = reference->copyOut(name, x, 0, 2 * count);
    if (!bytes) {
      ADD_FAILURE() << llvm::toString(bytes.takeError());
      return {};
    }
    std::vector<int16_t> values(count);
    std::memcpy(values.data(), bytes->data(), bytes->size());
    return values;
  }

  MLIRContext context;
  std::string errors;
  std::unique_ptr<CslReference> reference;
  CslOutcome outcome = CslOutcome::Finished;
};

const char *const kQueue = "%color = csl.constant 5 : !csl.color\n"
                           "%iq = csl.constant 2 : !csl.input_queue\n"
                           "%oq = csl.constant 2 : !csl.output_queue\n";
const std::string kBoundQueues =
    std::string(kQueue) +
    "csl.initialize_queue %iq : !csl.input_queue color %color\n"
    "csl.initialize_queue %oq : !csl.output_queue color %color\n";

TEST(CslReference, DsdBeyondItsVariableTraps) {
  Launched run("", "", R"(
    %d = csl.mem1d_dsd %a : memref<16xi16> extent 17
    csl.mov16 %d = %one : !csl.dsd<mem1d> = i16
  )",
               "");
  ASSERT_TRUE(run.reference) << run.errors;
  EXPECT_EQ(run.outcome, CslOutcome::Trapped);
  EXPECT_THAT(run.reference->message(),
              AllOf(HasSubstr("PE (0, 0)"), HasSubstr("csl.mov16"),
                    HasSubstr("destination (a mem1d_dsd) is at address"),
                    HasSubstr("beyond the 32 bytes of 'a'"),
                    HasSubstr("in launch of 'main'")));
  // What was written before is there.
  EXPECT_THAT(run.get("a", 3), ElementsAre(1, 1, 1));
}

// On a machine with one flat memory this would write into another variable.
TEST(CslReference, DsdStepsOverIntoAnotherVariable) {
  Launched run("", "", R"(
    %d = csl.mem1d_dsd %a : memref<16xi16> extent 3 stride 48
    csl.mov16 %d = %one : !csl.dsd<mem1d> = i16
  )",
               "");
  ASSERT_TRUE(run.reference) << run.errors;
  EXPECT_EQ(run.outcome, CslOutcome::Trapped);
  EXPECT_THAT(run.reference->message(), HasSubstr("is at address"));
}

TEST(CslReference, IndexBeyondAnArrayTraps) {
  Launched run("", "", R"(
    %i = arith.constant 16 : index
    memref.store %one, %a[%i] : memref<16xi16>
  )",
               "");
  ASSERT_TRUE(run.reference) << run.errors;
  EXPECT_EQ(run.outcome, CslOutcome::Trapped);
  EXPECT_THAT(run.reference->message(),
              HasSubstr("index 16 of dimension 0, which has 16 elements"));
}

TEST(CslReference, NullPointerTraps) {
  Launched run("", "", R"(
    %zero = arith.constant 0 : i16
    %p = csl.int_to_ptr %zero : !csl.ptr<i16>
    csl.store %one, %p : i16, !csl.ptr<i16>
  )",
               "");
  ASSERT_TRUE(run.reference) << run.errors;
  EXPECT_EQ(run.outcome, CslOutcome::Trapped);
  EXPECT_THAT(run.reference->message(),
              HasSubstr("a write of 2 bytes at address 0, in no variable"));
}

TEST(CslReference, HangSaysWhoWaitsForWhat) {
  std::string main = std::string(kQueue) + R"(
    %d = csl.mem1d_dsd %a : memref<16xi16> extent 4
    %i = csl.fabin_dsd queue %iq extent 4
    csl.mov16 %d = %i : !csl.dsd<mem1d> = !csl.dsd<fabin>
  )";
  Launched run("csl.color_config 5 at <0, 0> routes <rx RAMP tx RAMP>\n", "",
               main, kBoundQueues);
  ASSERT_TRUE(run.reference) << run.errors;
  EXPECT_EQ(run.outcome, CslOutcome::Hung);
  EXPECT_THAT(
      run.reference->message(),
      AllOf(HasSubstr("PE (0, 0): launch of 'main'"),
            HasSubstr("csl.mov16 waits for 4 elements of input queue 2")));
}

TEST(CslReference, WaveletsThatAreStuckAreNamed) {
  std::string main = std::string(kQueue) + R"(
    %d = csl.mem1d_dsd %c : memref<2xi32> extent 2
    %o = csl.fabout_dsd queue %oq extent 2
    csl.mov32 %o = %d : !csl.dsd<fabout> = !csl.dsd<mem1d>
  )";
  // In teardown from the start, and nobody ends it.
  Launched torn(
      "csl.color_config 5 at <0, 0> routes <rx RAMP tx RAMP> teardown\n", "",
      main, kBoundQueues);
  ASSERT_TRUE(torn.reference) << torn.errors;
  EXPECT_EQ(torn.outcome, CslOutcome::Hung);
  EXPECT_THAT(torn.reference->message(),
              HasSubstr("2 wavelets of color 5 from RAMP wait: the color is "
                        "in teardown"));
  // The switch does not listen to the RAMP.
  Launched turned("csl.color_config 5 at <0, 0> routes <rx WEST tx RAMP>\n", "",
                  main, kBoundQueues);
  ASSERT_TRUE(turned.reference) << turned.errors;
  EXPECT_EQ(turned.outcome, CslOutcome::Hung);
  EXPECT_THAT(turned.reference->message(),
              HasSubstr("switch position 0 does not receive from there"));
  // No queue is bound to the color.
  Launched unbound(
      "csl.color_config 5 at <0, 0> routes <rx RAMP tx RAMP>\n", "", main,
      std::string(kQueue) +
          "csl.initialize_queue %oq : !csl.output_queue color %color\n");
  ASSERT_TRUE(unbound.reference) << unbound.errors;
  EXPECT_EQ(unbound.outcome, CslOutcome::Hung);
  EXPECT_THAT(unbound.reference->message(),
              HasSubstr("no input queue takes them"));
}

TEST(CslReference, NoRouteTraps) {
  std::string main = std::string(kQueue) + R"(
    %d = csl.mem1d_dsd %c : memref<2xi32> extent 2
    %o = csl.fabout_dsd queue %oq extent 2
    csl.mov32 %o = %d : !csl.dsd<fabout> = !csl.dsd<mem1d>
  )";
  Launched run("csl.color_config 5 at <0, 0> routes <rx RAMP tx EAST>\n", "",
               main, kBoundQueues, {}, "2 x 1");
  ASSERT_TRUE(run.reference) << run.errors;
  EXPECT_EQ(run.outcome, CslOutcome::Trapped);
  EXPECT_THAT(run.reference->message(),
              HasSubstr("on color 5, which has no route here"));
}

TEST(CslReference, CommandStreamThatIsNotUnblocked) {
  Launched run("", "", "", "", {}, "1 x 1", "\"wse3\", memcpy = true");
  ASSERT_TRUE(run.reference) << run.errors;
  EXPECT_EQ(run.outcome, CslOutcome::Hung);
  EXPECT_THAT(run.reference->message(),
              HasSubstr("the command stream was not unblocked"));
  auto bytes = run.reference->copyOut("a", 0, 0, 2);
  ASSERT_FALSE(bool(bytes));
  EXPECT_EQ(llvm::toString(bytes.takeError()),
            "the command stream of PE (0, 0) is blocked");
}

TEST(CslReference, LoopsWithoutEndAreExhausted) {
  CslOptions options;
  options.maxSteps = 10000;
  Launched code("", "", "cf.br ^again\n^again:\ncf.br ^again\n^never:\n", "",
                options);
  ASSERT_TRUE(code.reference) << code.errors;
  EXPECT_EQ(code.outcome, CslOutcome::Exhausted);
  EXPECT_THAT(code.reference->message(),
              HasSubstr("launch of 'main' is running"));
  // A wavelet that goes round.
  std::string main = std::string(kQueue) + R"(
    %d = csl.mem1d_dsd %c : memref<2xi32> extent 1
    %o = csl.fabout_dsd queue %oq extent 1
    csl.mov32 %o = %d : !csl.dsd<fabout> = !csl.dsd<mem1d>
  )";
  Launched ring(
      "csl.color_config 5 at <0, 0> routes <rx [RAMP, EAST] tx EAST>\n"
      "csl.color_config 5 at <1, 0> routes <rx [RAMP, WEST] tx WEST>\n",
      "", main, kBoundQueues, options, "2 x 1");
  ASSERT_TRUE(ring.reference) << ring.errors;
  EXPECT_EQ(ring.outcome, CslOutcome::Exhausted);
}

// Which of two tasks comes first is nobody's promise: the next id after the
// last one, or the lowest.
TEST(CslReference, TasksInBothOrders) {
  const char *top = R"(
    csl.task local @first() {
      %a = csl.get_var @a : memref<16xi16>
      %i = arith.constant 0 : index
      %v = arith.constant 1 : i16
      memref.store %v, %a[%i] : memref<16xi16>
      csl.return
    }
    csl.task local @second() {
      %a = csl.get_var @a : memref<16xi16>
      %i = arith.constant 0 : index
      %v = arith.constant 2 : i16
      memref.store %v, %a[%i] : memref<16xi16>
      csl.return
    }
  )";
  const char *comptime = R"(
    %f = csl.constant 9 : !csl.local_task_id
    %s = csl.constant 10 : !csl.local_task_id
    csl.bind_local_task @first to %f
    csl.bind_local_task @second to %s
  )";
  const char *main = R"(
    %f = csl.task_id @first : !csl.local_task_id
    %s = csl.task_id @second : !csl.local_task_id
    csl.activate %f
    csl.activate %s
  )";
  Launched run("", top, main, comptime);
  ASSERT_TRUE(run.reference) << run.errors;
  EXPECT_EQ(run.outcome, CslOutcome::Finished);
  EXPECT_THAT(run.get("a", 1), ElementsAre(2));
}

TEST(CslReference, PollingEndsInBothOrders) {
  // A loop that polls what a microthread brings ends in both orders.
  std::string poll = std::string(kQueue) + R"(
    %d = csl.mem1d_dsd %a : memref<16xi16> extent 1 offset 3
    %i = csl.fabin_dsd queue %iq extent 1
    csl.mov16 %d = %i : !csl.dsd<mem1d> = !csl.dsd<fabin> async
    %o = csl.fabout_dsd queue %oq extent 1
    csl.mov16 %o = %one : !csl.dsd<fabout> = i16
    %at = arith.constant 3 : index
    scf.while : () -> () {
      %v = memref.load %a[%at] : memref<16xi16>
      %zero = arith.constant 0 : i16
      %go = arith.cmpi eq, %v, %zero : i16
      scf.condition(%go)
    } do {
      scf.yield
    }
    %end = arith.constant 4 : index
    memref.store %one, %a[%end] : memref<16xi16>
  )";
  for (bool other : {false, true}) {
    CslOptions options;
    options.otherOrder = other;
    options.maxSteps = 1000000;
    Launched polled("csl.color_config 5 at <0, 0> routes <rx RAMP tx RAMP>\n",
                    "", poll, kBoundQueues, options);
    ASSERT_TRUE(polled.reference) << polled.errors;
    EXPECT_EQ(polled.outcome, CslOutcome::Finished)
        << polled.reference->message();
    EXPECT_THAT(polled.get("a", 5), ElementsAre(0, 0, 0, 1, 1));
  }
}

TEST(CslReference, Prints) {
  Launched run("", "", R"(
    %m = arith.constant -2 : i16
    %f = arith.constant 1.5 : f32
    csl.sim_print "{{m} = {d}, {X}, {f}"(%m, %m, %f) : i16, i16, f32
  )",
               "");
  ASSERT_TRUE(run.reference) << run.errors;
  ASSERT_EQ(run.reference->log().size(), 1u);
  EXPECT_EQ(run.reference->log()[0], "P0.0: {m} = -2, FFFE, 1.5");
}

TEST(CslReference, HostErrors) {
  Launched run("", "", "", "");
  ASSERT_TRUE(run.reference) << run.errors;
  CslReference &reference = *run.reference;
  auto text = [](llvm::Error error) {
    return llvm::toString(std::move(error));
  };
  uint8_t bytes[34] = {};
  EXPECT_EQ(text(reference.launch("none", 0, 0, 1, 1)),
            "no PE exports a symbol 'none'");
  EXPECT_EQ(text(reference.launch("a", 0, 0, 1, 1)), "'a' is no function");
  EXPECT_EQ(text(reference.launch("main", 0, 0, 1, 1, {1})),
            "'main' takes 0 arguments, 1 were given");
  EXPECT_EQ(text(reference.launch("main", 0, 0, 2, 1)),
            "PEs (0, 0) to (1, 0) are not within the rectangle of 1 x 1");
  EXPECT_EQ(text(reference.copyIn("fixed", 0, 0, bytes)),
            "'fixed' is not mutable");
  EXPECT_EQ(text(reference.copyIn("a", 0, 0, bytes)),
            "the copy of 34 bytes from byte 0 of 'a' leaves its array");
  EXPECT_EQ(text(reference.send("s", 0, 0, {})),
            "the program has no stream 's' to the device");
  auto none = reference.variable("z", 0, 0);
  ASSERT_FALSE(bool(none));
  EXPECT_EQ(text(none.takeError()),
            "the program of PE (0, 0) has no variable 'z'");
}

TEST(CslReference, ComptimeErrors) {
  Launched endless("", "", "",
                   "%true = arith.constant true\n"
                   "scf.while : () -> () {\n  scf.condition(%true)\n} do {\n"
                   "  scf.yield\n}\n");
  EXPECT_FALSE(endless.reference);
  EXPECT_THAT(endless.errors, HasSubstr("does not end within"));
  Launched twice(
      "", "", "",
      kBoundQueues +
          "csl.initialize_queue %iq : !csl.input_queue color %color\n"
          "%again = csl.constant 7 : !csl.color\n"
          "csl.initialize_queue %iq : !csl.input_queue color %again\n");
  EXPECT_FALSE(twice.reference);
  EXPECT_THAT(twice.errors, HasSubstr("queue 2 is initialised a second time"));
  Launched configured(
      "csl.color_config 5 at <0, 0> routes <rx RAMP tx RAMP>\n", "", "",
      "%color = csl.constant 5 : !csl.color\n"
      "csl.local_color_config %color routes <rx RAMP tx RAMP>\n");
  EXPECT_FALSE(configured.reference);
  EXPECT_THAT(configured.errors,
              HasSubstr("color 5 is configured a second time"));
}

} // namespace
