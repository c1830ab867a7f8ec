//===- SsaVariablesTest.cpp - Local variables as SSA values ---------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Target/CslImport/SsaVariables.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "gtest/gtest.h"
#include <random>

using namespace mlir;
using namespace sequin::csl_import;

namespace {
/// A function whose argument decides at its branches, and its variables.
class SsaVariablesTest : public testing::Test {
protected:
  SsaVariablesTest() : builder(&context), loc(builder.getUnknownLoc()) {
    context.loadDialect<arith::ArithDialect, cf::ControlFlowDialect,
                        func::FuncDialect>();
    context.allowUnregisteredDialects();
    module = ModuleOp::create(builder, loc);
    builder.setInsertionPointToEnd(module->getBody());
    function = func::FuncOp::create(
        builder, loc, "f", builder.getFunctionType(builder.getI1Type(), {}));
    start(function.addEntryBlock());
  }

  Block *block() { return builder.getInsertionBlock(); }
  Block *makeBlock() {
    auto *made = new Block();
    function.getBody().push_back(made);
    return made;
  }
  void start(Block *next) { builder.setInsertionPointToEnd(next); }
  void branch(Block *to) { cf::BranchOp::create(builder, loc, to); }
  void branch(Value condition, Block *yes, Block *no) {
    cf::CondBranchOp::create(builder, loc, condition, yes, ValueRange(), no,
                             ValueRange());
  }
  Value number(int64_t value) {
    return arith::ConstantIntOp::create(builder, loc, builder.getI32Type(),
                                        value);
  }
  SsaVariables::Variable declare() {
    return variables.declare(builder.getI32Type(), loc);
  }
  void use(Value value) {
    OperationState state(loc, "test.use");
    state.addOperands(value);
    builder.create(state);
  }
  /// What decides, which may be another value every time.
  Value ask() {
    OperationState state(loc, "test.ask");
    state.addTypes(builder.getI1Type());
    return builder.create(state)->getResult(0);
  }
  void finish() {
    func::ReturnOp::create(builder, loc);
    variables.finish();
    EXPECT_TRUE(succeeded(verify(*module)));
  }
  unsigned countArguments() {
    unsigned count = 0;
    for (Block &each : llvm::drop_begin(function.getBody()))
      count += each.getNumArguments();
    return count;
  }

  MLIRContext context;
  OpBuilder builder;
  Location loc;
  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
  SsaVariables variables;
};
} // namespace

TEST_F(SsaVariablesTest, WaysThatDifferMeetInAnArgument) {
  auto x = declare();
  Value first = number(1);
  variables.write(x, block(), first);
  Block *yes = makeBlock(), *join = makeBlock();
  branch(function.getArgument(0), yes, join);
  start(yes);
  EXPECT_EQ(variables.read(x, yes), first);
  Value second = number(2);
  variables.write(x, yes, second);
  branch(join);
  start(join);
  auto argument = dyn_cast<BlockArgument>(variables.read(x, join));
  ASSERT_TRUE(argument);
  EXPECT_EQ(argument.getOwner(), join);
  use(argument);
  finish();
  EXPECT_EQ(countArguments(), 1u);
}

TEST_F(SsaVariablesTest, WaysThatAgreeNeedNoArgument) {
  auto x = declare();
  Value first = number(1);
  variables.write(x, block(), first);
  Block *yes = makeBlock(), *no = makeBlock(), *join = makeBlock();
  branch(function.getArgument(0), yes, no);
  for (Block *arm : {yes, no}) {
    start(arm);
    branch(join);
  }
  start(join);
  EXPECT_EQ(variables.read(x, join), first);
  EXPECT_EQ(countArguments(), 0u);
  finish();
}

TEST_F(SsaVariablesTest, ADirectBranchOnBothSidesIsTwoWays) {
  auto x = declare();
  Value first = number(1);
  variables.write(x, block(), first);
  Block *join = makeBlock();
  branch(function.getArgument(0), join, join);
  start(join);
  EXPECT_EQ(variables.read(x, join), first);
  finish();
}

TEST_F(SsaVariablesTest, WhatLoopsOnlyReadIsNoArgumentInTheEnd) {
  auto x = declare();
  Value first = number(1);
  variables.write(x, block(), first);
  Block *outer = makeBlock(), *inner = makeBlock(), *next = makeBlock(),
        *exit = makeBlock();
  branch(outer);
  variables.open(outer);
  start(outer);
  branch(inner);
  variables.open(inner);
  start(inner);
  use(variables.read(x, inner));
  branch(ask(), inner, next);
  variables.seal(inner);
  start(next);
  branch(ask(), outer, exit);
  variables.seal(outer);
  EXPECT_EQ(countArguments(), 2u);
  start(exit);
  finish();
  EXPECT_EQ(countArguments(), 0u);
  function.walk([&](Operation *op) {
    if (op->getName().getStringRef() == "test.use") {
      EXPECT_EQ(op->getOperand(0), first);
    }
  });
}

TEST_F(SsaVariablesTest, WhatALoopWritesIsAnArgumentOfItsHeader) {
  auto x = declare();
  Value first = number(1);
  variables.write(x, block(), first);
  Block *header = makeBlock(), *body = makeBlock(), *exit = makeBlock();
  branch(header);
  variables.open(header);
  start(header);
  branch(ask(), body, exit);
  start(body);
  Value sum =
      arith::AddIOp::create(builder, loc, variables.read(x, body), number(3));
  variables.write(x, body, sum);
  branch(header);
  variables.seal(header);
  start(exit);
  Value last = variables.read(x, exit);
  use(last);
  finish();
  ASSERT_EQ(header->getNumArguments(), 1u);
  EXPECT_EQ(last, header->getArgument(0));
}

TEST_F(SsaVariablesTest, ALoopIsLookedThroughWhenItIsSealed) {
  auto x = declare();
  Value first = number(1);
  variables.write(x, block(), first);
  Block *header = makeBlock(), *body = makeBlock(), *exit = makeBlock();
  branch(header);
  variables.open(header);
  start(header);
  branch(ask(), body, exit);
  start(body);
  branch(header);
  variables.seal(header);
  start(exit);
  use(variables.read(x, exit));
  finish();
  EXPECT_EQ(countArguments(), 0u);
}

TEST_F(SsaVariablesTest, ScratchRegionsReadFromTheirOrigin) {
  auto x = declare();
  Value first = number(1);
  variables.write(x, block(), first);
  Region scratch;
  Block *entry = &scratch.emplaceBlock();
  variables.enter(entry, block());
  EXPECT_EQ(variables.read(x, entry), first);
  variables.write(x, entry, number(2));
  variables.forget(scratch);
  EXPECT_EQ(variables.read(x, block()), first);
  finish();
}

TEST_F(SsaVariablesTest, WhatIsNotWrittenHasNoValue) {
  auto x = declare();
  EXPECT_FALSE(variables.read(x, block()));
  Block alone;
  EXPECT_FALSE(variables.read(x, &alone));
  finish();
}

namespace {
/// A program of variables, branches, loops and jumps out of them.
struct Statement {
  enum class Kind : uint8_t { Set, Use, If, Loop, Break, Return };
  Kind kind = Kind::Set;
  unsigned variable = 0;
  int64_t number = 0;
  std::vector<Statement> first, second;
};
using Statements = std::vector<Statement>;

class RandomProgram : public SsaVariablesTest {
protected:
  static constexpr unsigned kVariables = 4;

  Statements make(unsigned depth, bool inLoop) {
    Statements list;
    for (unsigned count = pick(6) + 1; count; --count) {
      Statement statement;
      unsigned kind = pick(depth ? 12 : 6);
      statement.variable = pick(kVariables);
      statement.number = ++numbers;
      statement.kind = kind < 3               ? Statement::Kind::Set
                       : kind < 6             ? Statement::Kind::Use
                       : kind < 9             ? Statement::Kind::If
                       : kind < 11 || !inLoop ? Statement::Kind::Loop
                                              : Statement::Kind::Break;
      if (pick(40) == 0)
        statement.kind = Statement::Kind::Return;
      if (statement.kind == Statement::Kind::If ||
          statement.kind == Statement::Kind::Loop) {
        bool isLoop = statement.kind == Statement::Kind::Loop;
        statement.first = make(depth - 1, inLoop || isLoop);
        if (!isLoop && pick(2))
          statement.second = make(depth - 1, inLoop);
      }
      list.push_back(std::move(statement));
    }
    return list;
  }

  /// False if control does not reach the end of the list.
  bool emit(const Statements &list, Block *exit) {
    for (const Statement &statement : list) {
      switch (statement.kind) {
      case Statement::Kind::Set:
        variables.write(statement.variable, block(), number(statement.number));
        break;
      case Statement::Kind::Use:
        use(variables.read(statement.variable, block()));
        break;
      case Statement::Kind::Break:
        branch(exit);
        return false;
      case Statement::Kind::Return:
        func::ReturnOp::create(builder, loc);
        return false;
      case Statement::Kind::If: {
        Block *yes = makeBlock(), *no = makeBlock(), *join = makeBlock();
        branch(ask(), yes, no);
        bool reached = false;
        for (auto [arm, body] :
             {std::pair(yes, &statement.first), {no, &statement.second}}) {
          start(arm);
          if (!emit(*body, exit))
            continue;
          branch(join);
          reached = true;
        }
        if (!reached) {
          join->erase();
          return false;
        }
        start(join);
        break;
      }
      case Statement::Kind::Loop: {
        Block *header = makeBlock(), *body = makeBlock(), *after = makeBlock();
        branch(header);
        variables.open(header);
        start(header);
        branch(ask(), body, after);
        start(body);
        if (emit(statement.first, after))
          branch(header);
        variables.seal(header);
        start(after);
        break;
      }
      }
    }
    return true;
  }

  enum class Goes : uint8_t { On, Out, Away };
  Goes run(const Statements &list) {
    for (const Statement &statement : list) {
      if (seen.size() > kMostSeen)
        return Goes::Away;
      switch (statement.kind) {
      case Statement::Kind::Set:
        values[statement.variable] = statement.number;
        break;
      case Statement::Kind::Use:
        seen.push_back(values[statement.variable]);
        break;
      case Statement::Kind::Break:
        return Goes::Out;
      case Statement::Kind::Return:
        return Goes::Away;
      case Statement::Kind::If:
        if (Goes goes = run(decide() ? statement.first : statement.second);
            goes != Goes::On)
          return goes;
        break;
      case Statement::Kind::Loop:
        while (decide()) {
          Goes goes = run(statement.first);
          if (goes == Goes::Away)
            return goes;
          if (goes == Goes::Out)
            break;
        }
        break;
      }
    }
    return Goes::On;
  }

  /// The same by the blocks.
  void runBlocks() {
    llvm::DenseMap<Value, int64_t> known;
    Block *at = &function.getBody().front();
    while (seen.size() <= kMostSeen) {
      for (Operation &op : at->without_terminator()) {
        if (auto constant = dyn_cast<arith::ConstantIntOp>(op))
          known[constant] = constant.value();
        else if (op.getName().getStringRef() == "test.use")
          seen.push_back(known.at(op.getOperand(0)));
      }
      auto branch = dyn_cast<BranchOpInterface>(at->getTerminator());
      if (!branch)
        return;
      unsigned side = isa<cf::CondBranchOp>(branch) ? !decide() : 0;
      llvm::SmallVector<int64_t> operands;
      for (Value operand :
           branch.getSuccessorOperands(side).getForwardedOperands())
        operands.push_back(known.at(operand));
      at = branch->getSuccessor(side);
      for (auto [argument, value] : llvm::zip(at->getArguments(), operands))
        known[argument] = value;
    }
  }

  bool decide() {
    // More often no, so that loops end.
    return decisions() % 5 < 2;
  }
  unsigned pick(unsigned below) { return random() % below; }

  static constexpr size_t kMostSeen = 1000;
  std::mt19937 random, decisions;
  int64_t numbers = 0;
  std::vector<int64_t> values = std::vector<int64_t>(kVariables, 0), seen;
};

class RandomPrograms : public RandomProgram,
                       public testing::WithParamInterface<int> {};
} // namespace

TEST_P(RandomPrograms, BlocksSeeWhatVariablesHold) {
  random.seed(GetParam());
  Value zero = number(0);
  for (unsigned i = 0; i < kVariables; ++i)
    variables.write(declare(), block(), zero);
  Statements program = make(4, false);
  if (emit(program, nullptr))
    func::ReturnOp::create(builder, loc);
  variables.finish();
  ASSERT_TRUE(succeeded(verify(*module)));
  for (unsigned seed = 0; seed < 20; ++seed) {
    values.assign(kVariables, 0);
    seen.clear();
    decisions.seed(seed);
    run(program);
    std::vector<int64_t> expected = std::move(seen);
    seen.clear();
    decisions.seed(seed);
    runBlocks();
    size_t count = std::min({expected.size(), seen.size(), kMostSeen});
    if (expected.size() < kMostSeen)
      ASSERT_EQ(expected.size(), seen.size());
    expected.resize(count);
    seen.resize(count);
    ASSERT_EQ(expected, seen);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomPrograms, testing::Range(0, 200));
