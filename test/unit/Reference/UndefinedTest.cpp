//===- UndefinedTest.cpp - Memory that nobody has written -----------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows of a tensor that nobody has written go through every engine; a program
// is refused if and only if the host asks for an element that depends on one.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "sequin/Dialect/Tcp/IR/TcpDialect.h"
#include "sequin/Reference/Interpreter.h"
#include "sequin/Support/Arithmetic.h"
#include "gmock/gmock.h"

using namespace sequin;
using namespace sequin::reference;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

namespace {

/// Runs a program on inputs of ones, returns the messages; `results` has the
/// first word of every eight of the first result.
std::string run(std::string text,
                std::vector<std::pair<std::string, std::string>> replace,
                std::vector<int64_t> *words = nullptr) {
  for (const auto &[from, to] : replace)
    for (size_t at = 0; (at = text.find(from, at)) != std::string::npos;
         at += to.size())
      text.replace(at, from.size(), to);
  mlir::MLIRContext context;
  context.loadDialect<tcp::TcpDialect, mlir::func::FuncDialect>();
  std::string messages;
  context.getDiagEngine().registerHandler([&](mlir::Diagnostic &diagnostic) {
    messages += diagnostic.str() + "\n";
  });
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module)
    return messages;
  std::vector<Array> inputs;
  auto main = module->lookupSymbol<mlir::func::FuncOp>("main");
  for (mlir::Type type : main.getArgumentTypes()) {
    auto host = mlir::cast<tcp::HostType>(type);
    Array array;
    array.type = *tcp::getElementKind(host.getElementType());
    Mapping mapping =
        llvm::cantFail(host.getElement().resolve(host.getAxes().getTable()));
    array.shape = {mapping.size()};
    array.data.resize(getByteSize(array.type, array.shape[0]));
    for (int64_t i = 0; i < array.shape[0]; ++i)
      storeElement(array.type, array.data.data(), i,
                   isFloat(array.type) ? encodeFloat(array.type, 1.0f) : 1);
    inputs.push_back(std::move(array));
  }
  auto results = interpretTcp(*module, "main", inputs,
                              /*flushSubnormals=*/true);
  if (mlir::succeeded(results) && words)
    for (size_t i = 0; i < results->front().data.size() / 4; i += 8)
      words->push_back(static_cast<int32_t>(
          loadElement(ElementType::I32, results->front().data.data(), i)));
  return messages;
}

const char *const kMissing = "which its operand does not hold: nobody has "
                             "written it or what it is computed from";

/// Three rows of eight, of which HELD are in HBM; a kernel of one stream.
std::string kernel(const std::string &stages, const std::string &outSlice,
                   const std::string &out) {
  return R"(
#axes = #stream.axes<R = 3, X = 3, P = 8>
#in = #tcp.grid<#axes, chip "1", cluster "1", slice "SLICE">
#out = #tcp.grid<#axes, chip "1", cluster "1", slice ")" +
         outSlice + R"(">
!Given = !tcp.hbm<i32, #axes, "1", "R = HELD, P">
!Result = !tcp.hbm<i32, #axes, "1", ")" +
         out + R"(">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1, mode = unit>} {
  func.func @kernel(%in: !Given) -> !Result {
    %dm = tcp.to_dm %in at 0 : !Given -> !tcp.dm<i32, #in, "TIME, P">
    %0 = tcp.begin main %dm : !tcp.dm<i32, #in, "TIME, P">
    %1 = tcp.fetch %0 i32 "TIME", "P" : <main begin i32, #in, "1", "TIME, P">
    %2 = tcp.collect %1 "TIME", "P" : <main fetch i32, #in, "TIME", "P">
    %3 = tcp.vector_init %2 : <main collect i32, #in, "TIME", "P">
)" + stages +
         R"(
    %h = tcp.to_hbm %r at 65536 : !tcp.dm<i32, #out, "OUT"> -> !Result
    return %h : !Result
  }
  func.func @main(%a: !tcp.host<i32, #axes, "R = HELD, P">)
      -> !tcp.host<i32, #axes, "ASKED"> {
    %h = tcp.to_hbm %a at 0 : !tcp.host<i32, #axes, "R = HELD, P"> -> !Given
    %r = tcp.launch @kernel(%h) : (!Given) -> !Result
    %o = tcp.to_host %r : !Result -> !tcp.host<i32, #axes, "ASKED">
    return %o : !tcp.host<i32, #axes, "ASKED">
  }
}
)";
}

using Replace = std::vector<std::pair<std::string, std::string>>;

TEST(Undefined, GoesThroughTheVectorEngine) {
  std::string program = kernel(R"(
    %4 = tcp.vector_intra_slice_branch %3 Unconditional
        : <main vector_init i32, #in, "TIME", "P">
    %5 = tcp.vector_fxp %4 AddFxp (STEP)
        : <main vector_branch i32, #in, "TIME", "P">
    %6 = tcp.vector_final %5 : <main vector_fxp i32, #in, "TIME", "P">
    %r = tcp.commit %6 at 4096 "R, P" : <main vector_final i32, #in, "TIME", "P">
)",
                               "1", "R, P");
  Replace common = {{"SLICE", "1"}, {"TIME", "R"}, {"OUT", "R, P"}};
  auto with = [&](Replace more) {
    more.insert(more.end(), common.begin(), common.end());
    return more;
  };
  std::vector<int64_t> words;
  EXPECT_THAT(
      run(program,
          with({{"STEP", "41 : i32"}, {"HELD", "2"}, {"ASKED", "R = 2, P"}}),
          &words),
      IsEmpty());
  EXPECT_THAT(words, ::testing::ElementsAre(42, 42));
  EXPECT_THAT(
      run(program,
          with({{"STEP", "41 : i32"}, {"HELD", "2"}, {"ASKED", "R, P"}})),
      HasSubstr(std::string("'tcp.to_host' op reads index {R: 2}, ") +
                kMissing));
  words.clear();
  EXPECT_THAT(
      run(program,
          with({{"STEP", "41 : i32"}, {"HELD", "3"}, {"ASKED", "R, P"}}),
          &words),
      IsEmpty());
  EXPECT_THAT(words, ::testing::ElementsAre(42, 42, 42));
}

TEST(Undefined, SpoilsASumOverSlices) {
  std::string program = kernel(R"(
    %4 = tcp.vector_inter_slice_reduce %3 Add "1 # 3", "1"
        : <main vector_init i32, #in, "TIME", "P">
    %5 = tcp.vector_final %4 : <main vector_inter_first i32, #out, "TIME", "P">
    %r = tcp.commit %5 at 4096 "P" : <main vector_final i32, #out, "TIME", "P">
)",
                               "1 # 3", "P");
  Replace common = {{"SLICE", "R"},
                    {"TIME, P", "P"},
                    {"TIME", "1"},
                    {"OUT", "P"},
                    {"ASKED", "P"}};
  std::vector<int64_t> words;
  Replace whole = {{"HELD", "3"}}, part = {{"HELD", "2"}};
  whole.insert(whole.end(), common.begin(), common.end());
  part.insert(part.end(), common.begin(), common.end());
  EXPECT_THAT(run(program, whole, &words), IsEmpty());
  EXPECT_THAT(words, ::testing::ElementsAre(3));
  EXPECT_THAT(run(program, part), HasSubstr(kMissing));
}

TEST(Undefined, SpoilsASumInsideASlice) {
  std::string program = kernel(R"(
    %4 = tcp.vector_intra_slice_branch %3 Unconditional
        : <main vector_init i32, #in, "TIME", "P">
    %5 = tcp.vector_split %4 "TIME, P / 4", "P % 4"
        : <main vector_branch i32, #in, "TIME", "P">
    %6 = tcp.vector_intra_slice_reduce %5 AddSat "R" "P / 4", "P % 4"
        : <main vector_narrow i32, #in, "TIME, P / 4", "P % 4">
    %7 = tcp.vector_concat %6 "1", "P"
        : <main vector_intra_slice_reduce i32, #in, "P / 4", "P % 4">
    %8 = tcp.vector_final %7 : <main vector_widen i32, #in, "1", "P">
    %r = tcp.commit %8 at 4096 "P" : <main vector_final i32, #in, "1", "P">
)",
                               "1", "P");
  Replace common = {
      {"SLICE", "1"}, {"TIME", "R"}, {"OUT", "P"}, {"ASKED", "P"}};
  std::vector<int64_t> words;
  Replace whole = {{"HELD", "3"}}, part = {{"HELD", "2"}};
  whole.insert(whole.end(), common.begin(), common.end());
  part.insert(part.end(), common.begin(), common.end());
  EXPECT_THAT(run(program, whole, &words), IsEmpty());
  EXPECT_THAT(words, ::testing::ElementsAre(3));
  EXPECT_THAT(run(program, part), HasSubstr(kMissing));
}

/// [M, K] x [N, K] -> [M, N], K in packets of 32 with masked lanes behind 40.
const char *const kMatmul = R"(
#axes = #stream.axes<M = 3, N = 8, K = 40>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
!ha = !tcp.hbm<bf16, #axes, "1", "HELDM, HELDK # 64">
!hb = !tcp.hbm<bf16, #axes, "1", "HELDN, K # 64">
!hc = !tcp.hbm<f32, #axes, "1", "M, N">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @kernel(%a: !ha, %b: !hb) -> !hc {
    %ad = tcp.to_dm %a at 0 : !ha -> !tcp.dm<bf16, #grid, "M, K # 64">
    %bd = tcp.to_dm %b at 131072 : !hb -> !tcp.dm<bf16, #grid, "N, K # 64">
    %t0 = tcp.begin sub %bd : !tcp.dm<bf16, #grid, "N, K # 64">
    %t1 = tcp.fetch %t0 bf16 "N", "K # 64"
        : <sub begin bf16, #grid, "1", "N, K # 64">
    %t2 = tcp.collect %t1 "N, K # 64 / 16", "K # 64 % 16"
        : <sub fetch bf16, #grid, "N", "K # 64">
    %t = tcp.to_trf %t2 Full "N", "K # 64"
        : <sub collect bf16, #grid, "N, K # 64 / 16", "K # 64 % 16">
    %0 = tcp.begin main %ad : !tcp.dm<bf16, #grid, "M, K # 64">
    %1 = tcp.fetch %0 bf16 "M", "K # 64"
        : <main begin bf16, #grid, "1", "M, K # 64">
    %2 = tcp.collect %1 "M, K # 64 / 16", "K # 64 % 16"
        : <main fetch bf16, #grid, "M", "K # 64">
    %3 = tcp.align %2, %t "M, K # 64 / 32", "K # 64 % 32"
        : <main collect bf16, #grid, "M, K # 64 / 16", "K # 64 % 16">,
          !tcp.trf<bf16, #grid, "N", "K # 64">
    %4 = tcp.contract %3 "1"
        : <main align bf16, #grid, row "N", "M, K # 64 / 32", "K # 64 % 32">
    %5 = tcp.accumulate %4 Interleaved "M", "N"
        : <main contract f32, #grid, row "N", "M, K # 64 / 32", "1">
    %6 = tcp.commit %5 at 262144 "M, N"
        : <main accumulate f32, #grid, "M", "N">
    %c = tcp.to_hbm %6 at 2048 : !tcp.dm<f32, #grid, "M, N"> -> !hc
    return %c : !hc
  }
  func.func @main(%a: !tcp.host<bf16, #axes, "HELDM, HELDK">,
                  %b: !tcp.host<bf16, #axes, "HELDN, K">)
      -> !tcp.host<f32, #axes, "ASKED"> {
    %ha = tcp.to_hbm %a at 0 : !tcp.host<bf16, #axes, "HELDM, HELDK"> -> !ha
    %hb = tcp.to_hbm %b at 65536 : !tcp.host<bf16, #axes, "HELDN, K"> -> !hb
    %hc = tcp.launch @kernel(%ha, %hb) : (!ha, !hb) -> !hc
    %c = tcp.to_host %hc : !hc -> !tcp.host<f32, #axes, "ASKED">
    return %c : !tcp.host<f32, #axes, "ASKED">
  }
}
)";

std::string multiply(const std::string &m, const std::string &n,
                     const std::string &k, const std::string &asked) {
  return run(kMatmul,
             {{"HELDM", m}, {"HELDN", n}, {"HELDK", k}, {"ASKED", asked}});
}

TEST(Undefined, SpoilsTheSumsItEntersAndNoOther) {
  // The lanes behind 40 are padding, masked to zero and defined.
  EXPECT_THAT(multiply("M", "N", "K", "M, N"), IsEmpty());
  EXPECT_THAT(multiply("M = 2", "N", "K", "M = 2, N"), IsEmpty());
  EXPECT_THAT(multiply("M = 2", "N", "K", "M, N"), HasSubstr("index {M: 2}"));
  EXPECT_THAT(multiply("M", "N = 5", "K", "M, N = 5"), IsEmpty());
  EXPECT_THAT(multiply("M", "N = 5", "K", "M, N"), HasSubstr("index {N: 5}"));
  EXPECT_THAT(multiply("M = 2", "N = 5", "K", "M = 2, N = 5"), IsEmpty());
  // An undefined factor enters every sum of its row.
  EXPECT_THAT(multiply("M", "N", "K = 39", "M = 1, N = 1"),
              HasSubstr("op reads index {}"));
}

const char *const kLookup = R"(
#axes = #stream.axes<V = 4, S = 4, D = 128>
!Table = !tcp.hbm<bf16, #axes, "1", "TABLE, D">
!List = !tcp.hbm<i32, #axes, "1", "S">
!Given = !tcp.hbm<i32, #axes, "1", "LIST">
!X = !tcp.hbm<bf16, #axes, "1", "S, D">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @kernel(%table: !Table, %given: !Given) -> !X {
    %list = tcp.to_hbm %given at 131072 : !Given -> !List
    %whole = tcp.to_hbm %table at 196608
        : !Table -> !tcp.hbm<bf16, #axes, "1", "V, D">
    %x = tcp.gather %whole [%list] "V" at 262144
        : !tcp.hbm<bf16, #axes, "1", "V, D">, !List -> !X
    return %x : !X
  }
  func.func @main(%0: !tcp.host<bf16, #axes, "TABLE, D">,
                  %1: !tcp.host<i32, #axes, "LIST">)
      -> !tcp.host<bf16, #axes, "S, D"> {
    %table = tcp.to_hbm %0 at 0 : !tcp.host<bf16, #axes, "TABLE, D"> -> !Table
    %list = tcp.to_hbm %1 at 65536 : !tcp.host<i32, #axes, "LIST"> -> !Given
    %r = tcp.launch @kernel(%table, %list) : (!Table, !Given) -> !X
    %x = tcp.to_host %r : !X -> !tcp.host<bf16, #axes, "S, D">
    return %x : !tcp.host<bf16, #axes, "S, D">
  }
}
)";

TEST(Undefined, IsNoIndex) {
  // Row 1 is all that the list of ones asks for.
  EXPECT_THAT(run(kLookup, {{"TABLE", "V = 2"}, {"LIST", "S"}}), IsEmpty());
  EXPECT_THAT(run(kLookup, {{"TABLE", "V @ 2 = 2"}, {"LIST", "S"}}),
              HasSubstr(kMissing));
  EXPECT_THAT(run(kLookup, {{"TABLE", "V"}, {"LIST", "S = 3"}}),
              HasSubstr("'tcp.gather' op finds a row by the index at {S: 3}, "
                        "which is undefined"));
}

} // namespace
