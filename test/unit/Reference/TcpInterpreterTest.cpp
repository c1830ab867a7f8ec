//===- TcpInterpreterTest.cpp - tcp programs by their meaning -------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Row.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "sequin/Dialect/Tcp/IR/TcpDialect.h"
#include "sequin/Reference/Interpreter.h"
#include "sequin/Support/Arithmetic.h"
#include "gtest/gtest.h"

using namespace sequin;
using namespace sequin::reference;

namespace {

class TcpInterpreterTest : public ::testing::Test {
protected:
  TcpInterpreterTest() {
    context.loadDialect<tcp::TcpDialect, mlir::func::FuncDialect>();
    context.getDiagEngine().registerHandler(
        [this](mlir::Diagnostic &diagnostic) {
          messages += diagnostic.str() + "\n";
        });
  }

  mlir::FailureOr<std::vector<Array>> run(const std::string &text,
                                          llvm::ArrayRef<Array> inputs) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    if (!module)
      return mlir::failure();
    return interpretTcp(*module, "main", inputs, /*flushSubnormals=*/true);
  }

  mlir::MLIRContext context;
  std::string messages;
};

Array ints(llvm::SmallVector<int64_t, 4> shape,
           const std::function<int32_t(int64_t)> &value) {
  Array array{ElementType::I32, shape, {}, {}};
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  array.data.resize(count * 4);
  for (int64_t i = 0; i < count; ++i)
    storeElement(ElementType::I32, array.data.data(), i,
                 static_cast<uint32_t>(value(i)));
  return array;
}

Array bf16s(llvm::SmallVector<int64_t, 4> shape,
            const std::function<float(int64_t)> &value) {
  Array array{ElementType::BF16, shape, {}, {}};
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  array.data.resize(count * 2);
  for (int64_t i = 0; i < count; ++i)
    storeElement(ElementType::BF16, array.data.data(), i,
                 floatToBf16(value(i)));
  return array;
}

int32_t intAt(const Array &array, int64_t i) {
  return static_cast<int32_t>(
      loadElement(ElementType::I32, array.data.data(), i));
}

float bf16At(const Array &array, int64_t i) {
  return decodeFloat(array.type, loadElement(array.type, array.data.data(), i));
}

/// One kernel on one argument, i32, with `stages` between fetch and commit.
std::string vectorKernel(const std::string &stages) {
  return R"(
#axes = #stream.axes<A = 2048>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "A / 8 # 256">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @kernel(%in: !tcp.hbm<i32, #axes, "1", "A">)
      -> !tcp.hbm<i32, #axes, "1", "A"> {
    %dm = tcp.to_dm %in at 0
        : !tcp.hbm<i32, #axes, "1", "A"> -> !tcp.dm<i32, #grid, "A % 8">
    %0 = tcp.begin main %dm : !tcp.dm<i32, #grid, "A % 8">
    %1 = tcp.fetch %0 i32 "1", "A % 8" : <main begin i32, #grid, "1", "A % 8">
    %2 = tcp.collect %1 "1", "A % 8" : <main fetch i32, #grid, "1", "A % 8">
    %3 = tcp.vector_init %2 : <main collect i32, #grid, "1", "A % 8">
    %4 = tcp.vector_intra_slice_branch %3 Unconditional
        : <main vector_init i32, #grid, "1", "A % 8">
)" + stages +
         R"(
    %out = tcp.to_hbm %r at 268435456
        : !tcp.dm<i32, #grid, "A % 8"> -> !tcp.hbm<i32, #axes, "1", "A">
    return %out : !tcp.hbm<i32, #axes, "1", "A">
  }
  func.func @main(%a: !tcp.host<i32, #axes, "A">)
      -> !tcp.host<i32, #axes, "A"> {
    %h = tcp.to_hbm %a at 0
        : !tcp.host<i32, #axes, "A"> -> !tcp.hbm<i32, #axes, "1", "A">
    %r = tcp.launch @kernel(%h)
        : (!tcp.hbm<i32, #axes, "1", "A">) -> !tcp.hbm<i32, #axes, "1", "A">
    %o = tcp.to_host %r
        : !tcp.hbm<i32, #axes, "1", "A"> -> !tcp.host<i32, #axes, "A">
    return %o : !tcp.host<i32, #axes, "A">
  }
}
)";
}

TEST_F(TcpInterpreterTest, ConstantAdditionWraps) {
  auto results = run(vectorKernel(R"(
    %5 = tcp.vector_fxp %4 AddFxp (1 : i32)
        : <main vector_branch i32, #grid, "1", "A % 8">
    %6 = tcp.vector_final %5 : <main vector_fxp i32, #grid, "1", "A % 8">
    %r = tcp.commit %6 at 4096 "A % 8"
        : <main vector_final i32, #grid, "1", "A % 8">
)"),
                     ints({2048}, [](int64_t i) {
                       return i == 7 ? INT32_MAX : int32_t(i) - 1000;
                     }));
  ASSERT_TRUE(mlir::succeeded(results)) << messages;
  ASSERT_EQ(results->front().shape, (llvm::SmallVector<int64_t, 4>{2048}));
  for (int64_t i = 0; i < 2048; ++i)
    ASSERT_EQ(intAt(results->front(), i),
              i == 7 ? INT32_MIN : int32_t(i) - 999);
  SEQUIN_ROW("HEL-06");
  SEQUIN_ROW("VEC-08");
}

TEST_F(TcpInterpreterTest, OperandOrder) {
  auto results = run(vectorKernel(R"(
    %5 = tcp.vector_fxp %4 SubFxp mode Mode10 (7 : i32)
        : <main vector_branch i32, #grid, "1", "A % 8">
    %6 = tcp.vector_clip %5 Max (0 : i32)
        : <main vector_fxp i32, #grid, "1", "A % 8">
    %7 = tcp.vector_final %6 : <main vector_clip i32, #grid, "1", "A % 8">
    %r = tcp.commit %7 at 4096 "A % 8"
        : <main vector_final i32, #grid, "1", "A % 8">
)"),
                     ints({2048}, [](int64_t i) { return int32_t(i); }));
  ASSERT_TRUE(mlir::succeeded(results)) << messages;
  for (int64_t i = 0; i < 2048; ++i)
    ASSERT_EQ(intAt(results->front(), i), std::max<int32_t>(7 - i, 0));
  SEQUIN_ROW("VEC-33");
}

/// Host "A = `host`" to HBM "A = `held`", back to the host as the whole axis.
std::string truncated(int host, int held) {
  std::string hostText = "\"A = " + std::to_string(host) + "\"";
  std::string hbmText = "\"A = " + std::to_string(held) + "\"";
  return R"(
#axes = #stream.axes<A = 16>
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @main(%a: !tcp.host<i32, #axes, )" +
         hostText + R"(>) -> !tcp.host<i32, #axes, "A"> {
    %h = tcp.to_hbm %a at 0 : !tcp.host<i32, #axes, )" +
         hostText + R"(> -> !tcp.hbm<i32, #axes, "1", )" + hbmText + R"(>
    %o = tcp.to_host %h : !tcp.hbm<i32, #axes, "1", )" +
         hbmText + R"(> -> !tcp.host<i32, #axes, "A">
    return %o : !tcp.host<i32, #axes, "A">
  }
}
)";
}

TEST_F(TcpInterpreterTest, TheHostTransferFillsWithZeros) {
  auto results = run(truncated(13, 16),
                     ints({13}, [](int64_t i) { return int32_t(i) + 1; }));
  ASSERT_TRUE(mlir::succeeded(results)) << messages;
  for (int64_t i = 0; i < 16; ++i)
    EXPECT_EQ(intAt(results->front(), i), i < 13 ? i + 1 : 0);
  // One element of an axis is no broadcast of it.
  results = run(truncated(1, 16), ints({1}, [](int64_t) { return 5; }));
  ASSERT_TRUE(mlir::succeeded(results)) << messages;
  for (int64_t i = 0; i < 16; ++i)
    EXPECT_EQ(intAt(results->front(), i), i < 1 ? 5 : 0);
}

TEST_F(TcpInterpreterTest, ADroppedIndexIsAnErrorNotAZero) {
  EXPECT_TRUE(mlir::failed(run(
      truncated(16, 13), ints({16}, [](int64_t i) { return int32_t(i); }))));
  EXPECT_NE(messages.find("'tcp.to_host' op reads index {A: 13}, which its "
                          "operand does not hold"),
            std::string::npos)
      << messages;
}

TEST_F(TcpInterpreterTest, ViewsAndHostShapes) {
  auto results = run(R"(
#axes = #stream.axes<A = 4, B = 8>
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @main(%a: !tcp.host<i32, #axes, "A, B">)
      -> !tcp.host<i32, #axes, "B @ 2 = 3, A # 6"> {
    %h = tcp.to_hbm %a at 0 : !tcp.host<i32, #axes, "A, B">
        -> !tcp.hbm<i32, #axes, "A / 2", "B, A % 2">
    %o = tcp.to_host %h : !tcp.hbm<i32, #axes, "A / 2", "B, A % 2">
        -> !tcp.host<i32, #axes, "B @ 2 = 3, A # 6">
    return %o : !tcp.host<i32, #axes, "B @ 2 = 3, A # 6">
  }
}
)",
                     ints({4, 8}, [](int64_t i) { return int32_t(i); }));
  ASSERT_TRUE(mlir::succeeded(results)) << messages;
  const Array &array = results->front();
  EXPECT_EQ(array.shape, (llvm::SmallVector<int64_t, 4>{3, 6}));
  for (int64_t b = 0; b < 3; ++b)
    for (int64_t a = 0; a < 6; ++a) {
      EXPECT_EQ(array.padding[b * 6 + a], a >= 4);
      if (a < 4)
        EXPECT_EQ(intAt(array, b * 6 + a), a * 8 + b + 2);
    }
  SEQUIN_ROW("MAP-23");
  SEQUIN_ROW("MAP-30");
}

TEST_F(TcpInterpreterTest, WrongInputs) {
  auto value = [](int64_t i) { return int32_t(i); };
  EXPECT_TRUE(mlir::failed(run(truncated(16, 16), {})));
  EXPECT_NE(messages.find("takes 1 arguments, given 0"), std::string::npos)
      << messages;
  messages.clear();
  EXPECT_TRUE(mlir::failed(run(truncated(16, 16), ints({15}, value))));
  EXPECT_NE(messages.find("15 elements of i32, expected 16"), std::string::npos)
      << messages;
}

/// [M, K] x [N, K] -> [M, N] on one slice with 8 rows, K in packets of 32.
std::string matmul(int m, int k, const std::string &kPad) {
  std::string ks = "K # " + kPad;
  auto replaced = [&](std::string text) {
    for (auto [from, to] :
         {std::pair<std::string, std::string>{"@M", std::to_string(m)},
          {"@KS", ks},
          {"@K", std::to_string(k)}})
      for (size_t at; (at = text.find(from)) != std::string::npos;)
        text.replace(at, from.size(), to);
    return text;
  };
  return replaced(R"(
#axes = #stream.axes<M = @M, N = 8, K = @K>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
!ha = !tcp.hbm<bf16, #axes, "1", "M, @KS">
!hb = !tcp.hbm<bf16, #axes, "1", "N, @KS">
!hc = !tcp.hbm<bf16, #axes, "1", "M, N">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @kernel(%a: !ha, %b: !hb) -> !hc {
    %ad = tcp.to_dm %a at 0 : !ha -> !tcp.dm<bf16, #grid, "M, @KS">
    %bd = tcp.to_dm %b at 131072 : !hb -> !tcp.dm<bf16, #grid, "N, @KS">
    %t0 = tcp.begin sub %bd : !tcp.dm<bf16, #grid, "N, @KS">
    %t1 = tcp.fetch %t0 bf16 "N", "@KS"
        : <sub begin bf16, #grid, "1", "N, @KS">
    %t2 = tcp.collect %t1 "N, @KS / 16", "@KS % 16"
        : <sub fetch bf16, #grid, "N", "@KS">
    %t = tcp.to_trf %t2 Full "N", "@KS"
        : <sub collect bf16, #grid, "N, @KS / 16", "@KS % 16">
    %0 = tcp.begin main %ad : !tcp.dm<bf16, #grid, "M, @KS">
    %1 = tcp.fetch %0 bf16 "M", "@KS" : <main begin bf16, #grid, "1", "M, @KS">
    %2 = tcp.collect %1 "M, @KS / 16", "@KS % 16"
        : <main fetch bf16, #grid, "M", "@KS">
    %3 = tcp.align %2, %t "M, @KS / 32", "@KS % 32"
        : <main collect bf16, #grid, "M, @KS / 16", "@KS % 16">,
          !tcp.trf<bf16, #grid, "N", "@KS">
    %4 = tcp.contract %3 "1"
        : <main align bf16, #grid, row "N", "M, @KS / 32", "@KS % 32">
    %5 = tcp.accumulate %4 Interleaved "M", "N"
        : <main contract f32, #grid, row "N", "M, @KS / 32", "1">
    %6 = tcp.cast %5 bf16 "N # 16" : <main accumulate f32, #grid, "M", "N">
    %7 = tcp.commit %6 at 262144 "M, N" : <main cast bf16, #grid, "M", "N # 16">
    %c = tcp.to_hbm %7 at 2048 : !tcp.dm<bf16, #grid, "M, N"> -> !hc
    return %c : !hc
  }
  func.func @main(%a: !tcp.host<bf16, #axes, "M, K">,
                  %b: !tcp.host<bf16, #axes, "N, K">)
      -> !tcp.host<bf16, #axes, "M, N"> {
    %ha = tcp.to_hbm %a at 0 : !tcp.host<bf16, #axes, "M, K"> -> !ha
    %hb = tcp.to_hbm %b at 65536 : !tcp.host<bf16, #axes, "N, K"> -> !hb
    %hc = tcp.launch @kernel(%ha, %hb) : (!ha, !hb) -> !hc
    %c = tcp.to_host %hc : !hc -> !tcp.host<bf16, #axes, "M, N">
    return %c : !tcp.host<bf16, #axes, "M, N">
  }
}
)");
}

/// The machine's order: 32 products in a tree of adjacent pairs, packets in
/// turn.
float machineSum(const std::function<float(int64_t)> &product, int64_t k) {
  float sum = 0;
  for (int64_t first = 0; first < k; first += 32) {
    float level[32];
    for (int64_t i = 0; i < 32; ++i)
      level[i] = first + i < k ? product(first + i) : 0.0f;
    for (int64_t n = 16; n > 0; n /= 2)
      for (int64_t i = 0; i < n; ++i)
        level[i] = level[2 * i] + level[2 * i + 1];
    sum = first == 0 ? level[0] : sum + level[0];
  }
  return sum;
}

TEST_F(TcpInterpreterTest, ContractionSumsInTheMachinesOrder) {
  for (auto [k, pad] :
       {std::pair<int, const char *>{64, "64"}, {96, "96"}, {50, "64"}}) {
    auto a = [](int64_t i) {
      return decodeFloat(ElementType::BF16,
                         floatToBf16(std::sin(double(i)) * 100.0));
    };
    auto b = [](int64_t i) {
      return decodeFloat(ElementType::BF16,
                         floatToBf16(std::cos(3.0 * double(i))));
    };
    auto results = run(matmul(5, k, pad), {bf16s({5, k}, a), bf16s({8, k}, b)});
    ASSERT_TRUE(mlir::succeeded(results)) << messages;
    int64_t width = k;
    for (int64_t m = 0; m < 5; ++m)
      for (int64_t n = 0; n < 8; ++n) {
        float sum = machineSum(
            [&](int64_t i) { return a(m * width + i) * b(n * width + i); },
            width);
        ASSERT_EQ(bf16At(results->front(), m * 8 + n),
                  bf16ToFloat(floatToBf16(sum)))
            << "K " << k << " at " << m << ", " << n;
      }
  }
  SEQUIN_ROW("RED-02");
  SEQUIN_ROW("RED-05");
}

TEST_F(TcpInterpreterTest, UnsupportedOperationIsAnErrorAtTheOperation) {
  auto results = run(R"(
#axes = #stream.axes<A = 8>
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func private @other()
  func.func @main(%a: !tcp.host<i32, #axes, "A">)
      -> !tcp.host<i32, #axes, "A"> {
    func.call @other() : () -> ()
    return %a : !tcp.host<i32, #axes, "A">
  }
}
)",
                     ints({8}, [](int64_t i) { return int32_t(i); }));
  EXPECT_TRUE(mlir::failed(results));
  EXPECT_NE(messages.find("'func.call' op is not supported"), std::string::npos)
      << messages;
}

} // namespace
