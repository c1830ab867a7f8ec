//===- TcpInterSliceTest.cpp - Reductions over slices by their meaning ----===//
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
#include "llvm/Support/FormatVariadic.h"
#include "gmock/gmock.h"

using namespace sequin;
using namespace sequin::reference;
using ::testing::ElementsAre;

/// What the stream of one flit per slice in slices `slice` is reduced to, as an
/// array of the axes `result`; the elements of `axes` are 0, 1, 2, ...
/// row-major unless `values` says otherwise.
static std::vector<int32_t> reduce(llvm::StringRef axes, llvm::StringRef host,
                                   llvm::SmallVector<int64_t, 4> shape,
                                   llvm::StringRef slice, llvm::StringRef op,
                                   llvm::StringRef outSlice,
                                   llvm::StringRef result,
                                   std::vector<int32_t> values = {}) {
  // 0 axes, 1 host, 2 slice, 3 result slice, 4 op, 5 result.
  std::string text = llvm::formatv(R"(
#axes = #stream.axes<{0}>
#in = #tcp.grid<#axes, chip "1", cluster "1", slice "{2}">
#out = #tcp.grid<#axes, chip "1", cluster "1", slice "{3}">
module attributes {{tcp.target = #tcp.target<"rngd", chips = 1, mode = unit>} {{
  func.func @kernel(%in: !tcp.hbm<i32, #axes, "1", "{1}">)
      -> !tcp.hbm<i32, #axes, "1", "{5}"> {{
    %dm = tcp.to_dm %in at 0
        : !tcp.hbm<i32, #axes, "1", "{1}"> -> !tcp.dm<i32, #in, "P">
    %0 = tcp.begin main %dm : !tcp.dm<i32, #in, "P">
    %1 = tcp.fetch %0 i32 "1", "P" : <main begin i32, #in, "1", "P">
    %2 = tcp.collect %1 "1", "P" : <main fetch i32, #in, "1", "P">
    %3 = tcp.vector_init %2 : <main collect i32, #in, "1", "P">
    %4 = tcp.vector_inter_slice_reduce %3 {4} "{3}", "1"
        : <main vector_init i32, #in, "1", "P">
    %5 = tcp.vector_final %4 : <main vector_inter_first i32, #out, "1", "P">
    %6 = tcp.commit %5 at 4096 "P" : <main vector_final i32, #out, "1", "P">
    %7 = tcp.to_hbm %6 at 65536
        : !tcp.dm<i32, #out, "P"> -> !tcp.hbm<i32, #axes, "1", "{5}">
    return %7 : !tcp.hbm<i32, #axes, "1", "{5}">
  }
  func.func @main(%a: !tcp.host<i32, #axes, "{1}">)
      -> !tcp.host<i32, #axes, "{5}"> {{
    %h = tcp.to_hbm %a at 0
        : !tcp.host<i32, #axes, "{1}"> -> !tcp.hbm<i32, #axes, "1", "{1}">
    %r = tcp.launch @kernel(%h)
        : (!tcp.hbm<i32, #axes, "1", "{1}">) -> !tcp.hbm<i32, #axes, "1", "{5}">
    %o = tcp.to_host %r
        : !tcp.hbm<i32, #axes, "1", "{5}"> -> !tcp.host<i32, #axes, "{5}">
    return %o : !tcp.host<i32, #axes, "{5}">
  }
}
)",
                                   axes, host, slice, outSlice, op, result)
                         .str();
  mlir::MLIRContext context;
  context.loadDialect<tcp::TcpDialect, mlir::func::FuncDialect>();
  std::string messages;
  context.getDiagEngine().registerHandler([&](mlir::Diagnostic &diagnostic) {
    messages += diagnostic.str() + "\n";
  });
  Array array{ElementType::I32, shape, {}, {}};
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  array.data.resize(count * 4);
  for (int64_t i = 0; i < count; ++i)
    storeElement(ElementType::I32, array.data.data(), i,
                 static_cast<uint32_t>(values.empty() ? i : values[i / 8]));
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  auto results =
      module ? interpretTcp(*module, "main", {array}, /*flushSubnormals=*/true)
             : mlir::FailureOr<std::vector<Array>>();
  if (mlir::failed(results)) {
    ADD_FAILURE() << messages;
    return {};
  }
  // The first lane of every flit.
  std::vector<int32_t> found;
  const std::vector<uint8_t> &data = results->front().data;
  for (size_t i = 0; i < data.size() / 4; i += 8)
    found.push_back(
        static_cast<int32_t>(loadElement(ElementType::I32, data.data(), i)));
  return found;
}

TEST(TcpInterSlice, FoldsTheSlicesOfAGroup) {
  // Flit (w, r) begins with 8 (4 w + r).
  EXPECT_THAT(reduce("W = 2, R = 4, X = 4, P = 8", "W, R, P", {2, 4, 8}, "W, R",
                     "Add", "W, X", "W, P"),
              ElementsAre(48, 176));
  EXPECT_THAT(reduce("W = 2, R = 4, X = 4, P = 8", "W, R, P", {2, 4, 8}, "W, R",
                     "Max", "W, 1 # 4", "W, P"),
              ElementsAre(24, 56));
  EXPECT_THAT(reduce("W = 2, R = 4, X = 4, P = 8", "W, R, P", {2, 4, 8}, "W, R",
                     "Min", "W, X", "W, P"),
              ElementsAre(0, 32));
  // Everybody has the result.
  EXPECT_THAT(reduce("W = 2, R = 2, X = 2, P = 8", "W, R, P", {2, 2, 8}, "W, R",
                     "Add", "W, X", "X, W, P"),
              ElementsAre(8, 40, 8, 40));
}

TEST(TcpInterSlice, ReducesAPartOfAnAxis) {
  // Slices 0 to 7: pairs, and halves.
  EXPECT_THAT(reduce("A = 8, X = 2, P = 8", "A, P", {8, 8}, "A", "Add",
                     "A / 2, X", "A / 2, P"),
              ElementsAre(8 * 1, 8 * 5, 8 * 9, 8 * 13));
  EXPECT_THAT(reduce("A = 8, X = 4, P = 8", "A, P", {8, 8}, "A", "Add",
                     "A / 4, X", "A / 4, P"),
              ElementsAre(8 * 6, 8 * 22));
}

TEST(TcpInterSlice, SaturatesInAscendingOrder) {
  constexpr int32_t most = 2147483647;
  auto sum = [](llvm::StringRef op, std::vector<int32_t> values) {
    return reduce("R = 4, P = 8", "R, P", {4, 8}, "R", op, "1 # 4", "P",
                  std::move(values));
  };
  EXPECT_THAT(sum("AddSat", {most, 1, -5, 0}), ElementsAre(most - 5));
  EXPECT_THAT(sum("AddSat", {-5, most, 1, 0}), ElementsAre(most - 4));
  EXPECT_THAT(sum("Add", {most, 1, 0, 0}), ElementsAre(-most - 1));
  SEQUIN_ROW("INT-02");
}
