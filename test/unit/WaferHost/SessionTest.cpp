//===- SessionTest.cpp - A host at work with a simulated wafer ------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/WaferHost/Session.h"
#include "Row.h"
#include "WaferSim/WaferBuilder.h"
#include "gmock/gmock.h"

using namespace sequin;
using namespace sequin::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace {

/// Two PEs. `push` on the west one sends A to the east one, `pull` receives it
/// into A; `stop` leaves the command stream blocked; `store` writes its
/// argument. Only the west PE has `push`.
Program twoPes(bool memcpy) {
  Program program = makeProgram("wse3", 2, 1);
  program.memcpy = memcpy;
  Symbol a, push, pull, stop, store;
  a.name = "A";
  a.element = ElementKind::Signed;
  a.elementBytes = 4;
  push.name = "push";
  pull.name = "pull";
  stop.name = "stop";
  store.name = "store";
  store.argumentBits = {32};
  store.argumentKinds = {ElementKind::Signed};
  for (Symbol *function : {&push, &pull, &stop, &store})
    function->kind = Symbol::Kind::Function;
  for (unsigned x = 0; x < 2; ++x) {
    Code &code = program.codes.emplace_back();
    code.variables = {variable("A", 0x40, 4, 3)};
    a.places.push_back({x, 0});
    FunctionBuilder move(code, x ? "pull" : "push");
    Operand memory = move.operand(mem1d(0x40, 3));
    if (x)
      move.run(makeOp(DsdOpcode::Mov32, memory, move.operand(fabin(2, 3))));
    else
      move.run(makeOp(DsdOpcode::Mov32, move.operand(fabout(2, 5, 3, false)),
                      memory));
    move.effect(Opcode::UnblockCommandStream);
    (x ? pull : push).places.push_back({x, move.finish()});
    FunctionBuilder idle(code, "stop");
    stop.places.push_back({x, idle.finish()});
    FunctionBuilder write(code, "store", 1);
    write.store(0, 0x40, 32);
    write.effect(Opcode::UnblockCommandStream);
    store.places.push_back({x, write.finish()});
    Setup setup = makeSetup(x, {});
    (x ? setup.inputQueues : setup.outputQueues) = {queue(2, 5)};
    program.setups.push_back(setup);
    Router router;
    router.colors[5] = x ? route(W, R) : route(R, E);
    program.routers.push_back(router);
    program.pes[x].setup = program.pes[x].router = x;
  }
  program.symbols = {a, push, pull, stop, store};
  return program;
}

struct Fixture {
  explicit Fixture(bool memcpy = true, const Options &options = {}) {
    auto made = Session::create(twoPes(memcpy), options);
    if (!made)
      ADD_FAILURE() << llvm::toString(made.takeError());
    else
      session = std::move(*made);
  }
  std::string set(std::vector<int32_t> values, const Rectangle &where) {
    return llvm::toString(session->copyIn(
        "A", where,
        {reinterpret_cast<uint8_t *>(values.data()), 4 * values.size()}));
  }
  std::vector<int32_t> get(const Rectangle &where, std::string *why = nullptr) {
    auto bytes = session->copyOut("A", where, 12);
    if (!bytes) {
      std::string text = llvm::toString(bytes.takeError());
      if (why)
        *why = text;
      else
        ADD_FAILURE() << text;
      return {};
    }
    std::vector<int32_t> values(bytes->size() / 4);
    memcpy(values.data(), bytes->data(), bytes->size());
    return values;
  }
  std::string launch(llvm::StringRef name, const Rectangle &where,
                     llvm::ArrayRef<uint64_t> arguments = {}) {
    return llvm::toString(session->launch(name, where, arguments));
  }
  std::unique_ptr<Session> session;
};

constexpr Rectangle kWest{0, 0, 1, 1}, kEast{1, 0, 1, 1}, kBoth{0, 0, 2, 1};

TEST(Session, CopiesLaunchesAndCopiesBack) {
  Fixture host;
  EXPECT_EQ(host.set({1, 2, 3, 7, 7, 7}, kBoth), "");
  // What a launch waits for may come with the next one.
  EXPECT_EQ(host.launch("pull", kEast), "");
  EXPECT_EQ(llvm::toString(host.session->run()), "");
  EXPECT_EQ(host.launch("push", kWest), "");
  EXPECT_THAT(host.get(kBoth), ElementsAre(1, 2, 3, 1, 2, 3));
  EXPECT_EQ(llvm::toString(host.session->finish()), "");
  ASSERT_EQ(host.session->commands().size(), 4u);
  EXPECT_EQ(host.session->commands()[3].bytes, 24u);
  EXPECT_GT(host.session->commands()[2].end, host.session->commands()[2].start);
}

TEST(Session, ArgumentsAreRegisters) {
  Fixture host;
  uint64_t argument = 41;
  EXPECT_EQ(host.launch("store", kBoth, argument), "");
  EXPECT_EQ(host.launch("store", kEast, uint64_t(42)), "");
  EXPECT_THAT(host.get(kBoth), ElementsAre(41, 0, 0, 42, 0, 0));
  EXPECT_EQ(host.launch("store", kWest), "'store' takes 1 arguments, 0 were "
                                         "given");
}

TEST(Session, WhatNeverComesIsAHang) {
  Fixture host;
  EXPECT_EQ(host.launch("pull", kEast), "");
  EXPECT_EQ(llvm::toString(host.session->run()), "");
  std::string why;
  host.get(kEast, &why);
  EXPECT_THAT(why, HasSubstr("copy from 'A' waits for the command stream of PE "
                             "(1, 0), which is blocked"));
  EXPECT_THAT(why, HasSubstr("mov32 has 3 of 3 elements left and waits for a "
                             "wavelet on input queue 2, color 5"));
  // The other PE is free.
  EXPECT_THAT(host.get(kWest), ElementsAre(0, 0, 0));
  llvm::Error end = host.session->finish();
  ASSERT_TRUE(end.isA<RunFailure>());
  EXPECT_THAT(llvm::toString(std::move(end)), HasSubstr("hang: nothing moves"));
}

TEST(Session, AFunctionThatNeverUnblocks) {
  Fixture host;
  EXPECT_EQ(host.launch("stop", kWest), "");
  EXPECT_THAT(host.set({1, 2, 3}, kWest),
              HasSubstr("the kernel never called unblock_cmd_stream"));
  // Without memcpy there is no command stream.
  Fixture bare(/*memcpy=*/false);
  EXPECT_EQ(bare.launch("stop", kWest), "");
  EXPECT_EQ(bare.set({1, 2, 3}, kWest), "");
  EXPECT_EQ(llvm::toString(bare.session->finish()), "");
}

TEST(Session, WrongNamesAndPlaces) {
  Fixture host;
  EXPECT_EQ(host.launch("pusch", kWest),
            "the program exports no symbol 'pusch', did you mean 'push'");
  EXPECT_EQ(llvm::toString(host.session->symbol("weights").takeError()),
            "the program exports no symbol 'weights', there are A, push, pull, "
            "stop, store");
  EXPECT_EQ(host.launch("push", kBoth), "PE (1, 0) has no symbol 'push'");
  EXPECT_EQ(host.launch("A", kBoth),
            "'A' is no function, it cannot be launched");
  EXPECT_THAT(host.set({1, 2, 3}, {1, 0, 2, 1}),
              HasSubstr("2 x 1 PEs from (1, 0) are not within the program's "
                        "rectangle of 2 x 1"));
  const Symbol *push = llvm::cantFail(host.session->symbol("push"));
  EXPECT_EQ(llvm::toString(host.session->dataOf(*push, kBoth).takeError()),
            "'push' is a function, it has no data");
  // Skipping is for those that name no PEs.
  EXPECT_EQ(llvm::toString(host.session->launch("push", kBoth, {},
                                                Session::Missing::Skip)),
            "");
}

TEST(Session, CopiesAreByPointer) {
  SEQUIN_ROW("HST-026");
  Fixture host;
  EXPECT_EQ(host.set({1, 2, 3, 4}, kEast), "");
  const Symbol *a = llvm::cantFail(host.session->symbol("A"));
  EXPECT_EQ(host.session->beyond(*a, 1, 0, 12), "");
  EXPECT_THAT(host.session->beyond(*a, 1, 0, 16),
              HasSubstr("PE (1, 0): 'A' ends at byte 12, the copy at 16"));
  EXPECT_THAT(host.set(std::vector<int32_t>(49152 / 4), kEast),
              HasSubstr("of a memory of 49152, the copy ends at byte"));
}

TEST(Session, TheDataOfASymbol) {
  Fixture host;
  const Symbol *a = llvm::cantFail(host.session->symbol("A"));
  SymbolData data = llvm::cantFail(host.session->dataOf(*a, kBoth));
  EXPECT_EQ(data.elementsPerPe, 3);
  EXPECT_EQ(data.bytesPerPe(), 12);
}

TEST(Session, RefusesOtherMachines) {
  Program program = twoPes(true);
  program.target = "wse4";
  auto made = Session::create(std::move(program));
  EXPECT_EQ(llvm::toString(made.takeError()),
            "the program is for 'wse4', which is no wafer-scale engine, known "
            "are wse2, wse3");
}

} // namespace
