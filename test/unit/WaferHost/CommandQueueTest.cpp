//===- CommandQueueTest.cpp - Commands that overlap -----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/WaferHost/CommandQueue.h"
#include "Row.h"
#include "WaferSim/WaferBuilder.h"
#include "sequin/WaferHost/MemoryImage.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gmock/gmock.h"

using namespace sequin;
using namespace sequin::testing;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

namespace {

constexpr uint32_t kValue = 0x40;

/// A row of PEs that send words of stream "in" back on "out", each by a data
/// task. `inc` adds one to `value`, `never` leaves the command stream blocked,
/// `open` unblocks the data task, which then may be blocked at first.
Program echoProgram(int64_t width, bool blocked = false) {
  Program program = makeProgram("wse2", width, 1);
  program.memcpy = true;
  program.routers.emplace_back();
  Code &code = program.codes.emplace_back();
  code.variables = {variable("value", kValue, 4, 1)};
  FunctionBuilder echo(code, "echo", 1);
  echo.run(makeOp(DsdOpcode::Mov32, echo.operand(fabout(2, 5, 1)),
                  {Operand::Kind::Scalar, 0, {}}));
  uint32_t task = echo.finish();
  auto addSymbol = [&](llvm::StringRef name, Symbol::Kind kind,
                       uint32_t index) {
    Symbol symbol;
    symbol.name = name.str();
    symbol.kind = kind;
    symbol.elementBytes = 4;
    symbol.places = {{0, index}};
    program.symbols.push_back(symbol);
  };
  addSymbol("value", Symbol::Kind::Tensor, 0);
  FunctionBuilder inc(code, "inc");
  Register old = inc.load(kValue, 32);
  inc.store(inc.emit(Opcode::Add, old, inc.constant(1)), kValue, 32);
  inc.effect(Opcode::UnblockCommandStream);
  addSymbol("inc", Symbol::Kind::Function, inc.finish());
  FunctionBuilder never(code, "never");
  addSymbol("never", Symbol::Kind::Function, never.finish());
  FunctionBuilder open(code, "open");
  open.effect(Opcode::Unblock, open.constant(4));
  open.effect(Opcode::UnblockCommandStream);
  addSymbol("open", Symbol::Kind::Function, open.finish());

  wafer::Setup setup = makeSetup(0, {});
  setup.tasks.push_back(dataTask(4, task, {32}));
  setup.inputQueues = {queue(2, 4)};
  if (!blocked)
    setup.blockedTasks &= ~(1u << 4);
  program.setups.push_back(setup);
  program.streams.push_back({.name = "in", .color = 4});
  program.streams.push_back({.name = "out", .color = 5, .toDevice = false});
  return program;
}

class CommandQueueTest : public ::testing::Test {
protected:
  void start(Program program) {
    auto made = Session::create(std::move(program));
    ASSERT_TRUE(bool(made)) << llvm::toString(made.takeError());
    session = std::move(*made);
    queue = std::make_unique<CommandQueue>(*session);
  }
  CommandQueue::Task take(llvm::Expected<CommandQueue::Task> task) {
    if (task)
      return *task;
    ADD_FAILURE() << llvm::toString(task.takeError());
    return 0;
  }
  PeGrid all() const { return {session->all()}; }
  CommandQueue::Task copyIn(uint32_t value) {
    CommandQueue::Bytes bytes;
    for (int64_t i = 0; i < session->all().width; ++i)
      for (unsigned shift : {0, 8, 16, 24})
        bytes.push_back(static_cast<uint8_t>(value >> shift));
    return take(queue->copyIn("value", all(), std::move(bytes)));
  }
  CommandQueue::Task copyOut(std::vector<uint32_t> &values) {
    return take(queue->copyOut("value", all(), 4, into(values)));
  }
  static CommandQueue::Sink into(std::vector<uint32_t> &values) {
    return [&](llvm::ArrayRef<uint8_t> data) {
      values.resize(data.size() / 4);
      std::memcpy(values.data(), data.data(), data.size());
    };
  }
  static std::string text(llvm::Error error) {
    return error ? llvm::toString(std::move(error)) : "";
  }

  std::unique_ptr<Session> session;
  std::unique_ptr<CommandQueue> queue;
};

} // namespace

// Nothing of what is copied is left out.
TEST_F(CommandQueueTest, SharesAreEqual) {
  start(echoProgram(5));
  PeGrid third{session->all(), 2, 1};
  ASSERT_EQ(third.count(), 3u);
  auto copy = queue->copyIn("value", third, CommandQueue::Bytes(14));
  EXPECT_EQ(text(copy.takeError()), "14 bytes are no equal shares for 3 PEs");
  auto send = queue->send("in", third, {1, 2, 3, 4});
  EXPECT_EQ(text(send.takeError()), "4 words are no equal shares for 3 PEs");
  take(queue->send("in", third, {1, 2, 3}));
}

TEST_F(CommandQueueTest, CommandsKeepTheirOrder) {
  SEQUIN_ROW("HST-053");
  SEQUIN_ROW("HST-054");
  start(echoProgram(2));
  std::vector<uint32_t> first, second;
  copyIn(7);
  take(queue->launch("inc", {}));
  CommandQueue::Task one = copyOut(first);
  take(queue->launch("inc", {}));
  take(queue->launch("inc", {}));
  CommandQueue::Task two = copyOut(second);
  EXPECT_TRUE(first.empty());
  EXPECT_EQ(text(queue->wait(two)), "");
  EXPECT_THAT(first, ElementsAre(8, 8));
  EXPECT_THAT(second, ElementsAre(10, 10));
  EXPECT_THAT(queue->takeDone(), Contains(one));
  EXPECT_THAT(queue->takeDone(), IsEmpty());
  auto done = queue->isDone(one);
  ASSERT_TRUE(bool(done));
  EXPECT_TRUE(*done);
}

TEST_F(CommandQueueTest, ReceivesMayComeBeforeWhatTheyGet) {
  start(echoProgram(2));
  std::vector<uint32_t> first, second;
  take(queue->receive("out", session->all(), 2, into(first)));
  CommandQueue::Task last =
      take(queue->receive("out", session->all(), 1, into(second)));
  take(queue->send("in", all(), {1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(text(queue->wait(last)), "");
  EXPECT_THAT(first, ElementsAre(1, 2, 4, 5));
  EXPECT_THAT(second, ElementsAre(3, 6));
}

// Words that the program takes only after a launch do not hold the launch up.
TEST_F(CommandQueueTest, ACommandMayHelpAnEarlierOne) {
  SEQUIN_ROW("HST-030");
  start(echoProgram(1, /*blocked=*/true));
  std::vector<uint32_t> words(50), back;
  CommandQueue::Task sent = take(queue->send("in", all(), words));
  take(queue->receive("out", session->all(), 50, into(back)));
  auto done = queue->isDone(sent);
  ASSERT_TRUE(bool(done));
  EXPECT_FALSE(*done);
  EXPECT_TRUE(back.empty());
  take(queue->launch("open", {}));
  EXPECT_EQ(text(queue->finish()), "");
  EXPECT_EQ(back.size(), 50u);
}

TEST_F(CommandQueueTest, HangsSayWhatWaits) {
  SEQUIN_ROW("RPC-023");
  start(echoProgram(2));
  std::vector<uint32_t> words;
  CommandQueue::Task task =
      take(queue->receive("out", {1, 0, 1, 1}, 3, into(words)));
  EXPECT_THAT(text(queue->wait(task)),
              HasSubstr("waits for 3 words of stream 'out' from each PE, "
                        "PE (1, 0) has sent 0, and nothing moves"));
  start(echoProgram(2));
  task = take(queue->launch("never", {}));
  std::vector<uint32_t> values;
  EXPECT_THAT(text(queue->wait(copyOut(values))),
              HasSubstr("waits for the command stream of PE (0, 0)"));
  start(echoProgram(2));
  take(queue->launch("never", {}));
  EXPECT_THAT(text(queue->finish()),
              HasSubstr("PE (0, 0) does not call unblock_cmd_stream()"));
}

TEST_F(CommandQueueTest, RefusesWithoutDoingAnything) {
  start(echoProgram(2));
  auto refused = [&](llvm::Expected<CommandQueue::Task> task) {
    return task ? std::string("taken") : llvm::toString(task.takeError());
  };
  std::vector<uint32_t> sink;
  EXPECT_THAT(refused(queue->copyIn("inc", all(), {})),
              HasSubstr("is a function"));
  EXPECT_THAT(refused(queue->copyIn("valu", all(), {})),
              HasSubstr("did you mean 'value'"));
  EXPECT_THAT(refused(queue->copyOut("value", {{1, 0, 2, 1}}, 4, into(sink))),
              HasSubstr("not within the program's rectangle of 2 x 1"));
  EXPECT_THAT(
      refused(queue->copyOut("value", {{0, 0, 2, 1}, 0, 1}, 4, into(sink))),
      HasSubstr("strides are 0 and 1"));
  EXPECT_THAT(refused(queue->launch("value", {})), HasSubstr("no function"));
  EXPECT_THAT(refused(queue->launch("inc", {1})),
              HasSubstr("takes 0 arguments, found 1"));
  EXPECT_THAT(refused(queue->send("out", all(), {})),
              HasSubstr("no stream to the device"));
  EXPECT_EQ(text(queue->finish()), "");
  EXPECT_TRUE(sink.empty());
}

TEST_F(CommandQueueTest, MemoryImage) {
  SEQUIN_ROW("HST-056");
  start(echoProgram(3));
  EXPECT_EQ(text(queue->wait(copyIn(0x01020304))), "");
  llvm::SmallString<128> path;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("memory", "bin", path));
  EXPECT_EQ(text(writeMemoryImage(path, *session)), "");
  auto image = llvm::MemoryBuffer::getFile(path);
  ASSERT_TRUE(bool(image));
  auto bytes = static_cast<size_t>(session->machine().memoryBytesPerPe);
  ASSERT_EQ((*image)->getBufferSize(), 3 * bytes);
  for (size_t pe = 0; pe < 3; ++pe)
    EXPECT_EQ((*image)->getBuffer().substr(pe * bytes + kValue, 4),
              "\x04\x03\x02\x01");
  llvm::sys::fs::remove(path);
  EXPECT_THAT(text(writeMemoryImage("/no/such/place", *session)),
              HasSubstr("cannot write '/no/such/place'"));
}
