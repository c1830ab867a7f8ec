//===- TrapTest.cpp - Bytecode that no compiler writes --------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a program computes at run time the check before the run cannot see:
// descriptors from memory, ids, pointers to functions. Each ends in a trap that
// names it.
//
//===----------------------------------------------------------------------===//

#include "Row.h"
#include "WaferBuilder.h"
#include "gmock/gmock.h"

using namespace sequin;
using namespace sequin::testing;
using ::testing::HasSubstr;

namespace {

constexpr uint32_t kA = 256;
constexpr Register kNone = kNoRegister;

/// One PE with queues 2 bound to color 5, which leads back to it.
struct Trapping {
  explicit Trapping(llvm::StringRef target = "wse2")
      : program(makeProgram(target, 1, 1)), code(program.codes.emplace_back()),
        body(code, "main") {
    code.variables = {variable("a", kA, 2, 16)};
    code.stackAddress = 1024;
    code.stackBytes = 16;
  }

  /// An operand whose descriptor the check does not see.
  Operand raw(const Descriptor &descriptor) {
    code.constants.push_back(descriptor.pack());
    Register bits =
        body.emit(Opcode::ConstantWide, kNone, kNone,
                  static_cast<uint32_t>(code.constants.size() - 1), 64);
    return {Operand::Kind::Dsd, bits, {}};
  }

  /// The message of the trap that the program ends in.
  std::string message() {
    uint32_t main = body.finish();
    Setup setup = makeSetup(0, {{25, main}});
    setup.inputQueues = {queue(2, 5)};
    bool wse3 = program.target == "wse3";
    setup.outputQueues = {
        queue(2, wse3 ? std::optional<uint8_t>(5) : std::nullopt)};
    program.setups.push_back(setup);
    program.routers.emplace_back().colors[5] = route(R, R);
    auto simulator = simulate(program);
    if (!simulator)
      return "refused";
    if (simulator->run() != Outcome::Trapped)
      return "no trap";
    return simulator->trap()->message;
  }

  Program program;
  Code &code;
  FunctionBuilder body;
};

TEST(Traps, Operands) {
  SEQUIN_ROW("DSD-044");
  SEQUIN_ROW("DSD-050");
  {
    Trapping t;
    t.body.run(
        makeOp(DsdOpcode::Mov16, t.raw(fabin(2, 4)), t.raw(mem1d(kA, 4))));
    EXPECT_EQ(t.message(), "an operation writes to a fabin_dsd");
  }
  {
    Trapping t;
    t.body.run(
        makeOp(DsdOpcode::Mov16, t.raw(mem1d(kA, 4)), t.raw(fabout(2, 5, 4))));
    EXPECT_EQ(t.message(), "an operation reads from a fabout_dsd");
  }
  {
    Trapping t;
    Operation filter = makeOp(DsdOpcode::Dfilt, {}, t.raw(mem1d(kA, 4)));
    filter.options.async = true;
    t.body.run(filter);
    EXPECT_EQ(t.message(), "dfilt on an operand that is no fabin_dsd");
  }
  {
    Trapping t;
    Descriptor nest;
    nest.kind = DescriptorKind::Mem4d;
    nest.base = kA;
    nest.shape = 7;
    t.body.run(makeOp(DsdOpcode::Mov16, t.raw(nest), t.body.scalar(1)));
    EXPECT_EQ(t.message(), "a mem4d_dsd has no shape");
  }
  {
    Trapping t;
    t.body.run(makeOp(DsdOpcode::Mov16, t.raw(fifo(3)), t.body.scalar(1)));
    EXPECT_EQ(t.message(), "a FIFO that this PE does not have");
  }
  // Three of the four elements, of which the third is no variable's.
  {
    Trapping t;
    t.code.shapes.push_back({.extents = {2, 2}, .strides = {1, 15}});
    Descriptor nest;
    nest.kind = DescriptorKind::Mem4d;
    nest.base = kA;
    t.body.run(makeOp(DsdOpcode::Mov16, t.raw(nest), t.raw(mem1d(kA, 3))));
    EXPECT_EQ(t.message(), "a DSD of 3 elements from address 256 covers 256 to "
                           "289, which no variable holds");
  }
}

TEST(Traps, Queues) {
  SEQUIN_ROW("ASY-016");
  {
    Trapping t;
    t.body.run(
        makeOp(DsdOpcode::Mov16, t.raw(mem1d(kA, 4)), t.raw(fabin(8, 4))));
    EXPECT_EQ(t.message(), "input queue 8 does not exist, there are 8");
  }
  SEQUIN_ROW("ASY-017");
  {
    Trapping t;
    t.body.run(
        makeOp(DsdOpcode::Mov16, t.raw(fabout(6, 5, 4)), t.raw(mem1d(kA, 4))));
    EXPECT_EQ(t.message(), "output queue 6 does not exist, there are 6");
  }
  {
    Trapping t("wse3");
    t.body.run(makeOp(DsdOpcode::Mov16, t.raw(fabout(6, 5, 4, false)),
                      t.raw(mem1d(kA, 4))));
    EXPECT_EQ(t.message(), "output queue 6 is not initialised");
  }
}

TEST(Traps, Ids) {
  auto block = [](llvm::StringRef target, uint32_t id, BlockKind kind) {
    Trapping t(target);
    Register number = t.body.constant(id);
    t.body.effect(Opcode::Block, number, kNone, static_cast<uint32_t>(kind));
    return t.message();
  };
  SEQUIN_ROW("BLT-008");
  EXPECT_EQ(block("wse2", 40, BlockKind::Task),
            "task id 40 is blocked or unblocked by 'main', the last is 30");
  SEQUIN_ROW("BLT-009");
  SEQUIN_ROW("ASY-028");
  EXPECT_EQ(block("wse3", 9, BlockKind::Microthread),
            "microthread 9 is blocked or unblocked, there are 8");
}

TEST(Traps, Functions) {
  SEQUIN_ROW("SYN-033");
  {
    Trapping t;
    Register pointer = t.body.constant(100);
    t.body.effect(Opcode::CallIndirect, kNone, pointer);
    EXPECT_EQ(t.message(), "a call through a pointer to no function");
  }
  {
    Trapping t;
    FunctionBuilder callee(t.code, "callee", 1);
    callee.finish();
    Register pointer = t.body.emit(Opcode::FunctionAddress);
    t.body.effect(Opcode::CallIndirect, kNone, pointer);
    EXPECT_EQ(t.message(), "a call through a pointer with 0 arguments leads to "
                           "'callee', which takes 1 and returns 0");
  }
  {
    Trapping t;
    FunctionBuilder callee(t.code, "callee");
    uint32_t number = callee.finish();
    t.code.functions[number].frameBytes = 18;
    t.body.effect(Opcode::Call, kNone, kNone, number);
    EXPECT_EQ(t.message(),
              "the stack of 16 bytes is full in a call of 'callee'");
  }
  {
    Trapping t;
    Register to = t.body.constant(49150), from = t.body.constant(kA);
    t.body.effect(Opcode::CopyMemory, to, from, 4);
    EXPECT_EQ(t.message(),
              "a copy of 4 bytes from 256 to 49150 is beyond the PE's memory");
  }
}

TEST(Traps, Steps) {
  SEQUIN_ROW("BLT-060");
  auto step = [](const Descriptor &descriptor, Opcode opcode) {
    Trapping t;
    t.code.stepSlots = 1;
    Operand operand = t.raw(descriptor);
    t.body.effect(Opcode::StepLoad, operand.value);
    Register value = t.body.constant(0);
    if (opcode == Opcode::StepRead)
      t.body.into(value, opcode, kNone, t.body.fresh(), 0, 16);
    else
      t.body.effect(opcode, value, t.body.fresh(), 0, 16);
    return t.message();
  };
  EXPECT_EQ(step(fifo(0), Opcode::StepRead),
            "a FIFO that this PE does not have");
  EXPECT_EQ(step(fabout(2, 5, 4), Opcode::StepRead),
            "an @map over an operand of another kind");
  EXPECT_EQ(step(fabin(2, 4), Opcode::StepWrite),
            "an @map over an operand of another kind");
}

} // namespace
