//===- MemoryOpsTest.cpp - One PE: scalar code and DSDs on memory ---------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Row.h"
#include "WaferBuilder.h"
#include "gmock/gmock.h"

using namespace sequin;
using namespace sequin::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace {

constexpr uint32_t kStamps = 0, kA = 256, kB = 4096, kC = 8192;

/// One PE; `write` fills the body of its start task.
template <typename F> Program onePe(F write, llvm::StringRef target = "wse2") {
  Program program = makeProgram(target, 1, 1);
  Code &code = program.codes.emplace_back();
  code.variables = {variable("stamps", kStamps, 2, 16),
                    variable("a", kA, 4, 512), variable("b", kB, 4, 512),
                    variable("c", kC, 4, 512)};
  std::vector<float> a(512), b(512);
  for (int i = 0; i < 512; ++i) {
    a[i] = static_cast<float>(i);
    b[i] = static_cast<float>(2 * i + 1);
  }
  setData(code.variables[1], a);
  setData(code.variables[2], b);
  FunctionBuilder f(code, "main");
  write(f, code);
  uint32_t main = f.finish();
  program.setups.push_back(makeSetup(0, {{25, main}}));
  program.routers.emplace_back();
  return program;
}

/// Cycles of `c = a + b * 2` on `n` elements between two reads of the counter,
/// DSRs loaded before.
uint16_t fmacsCycles(unsigned n, llvm::StringRef target) {
  Program program = onePe(
      [&](FunctionBuilder &f, Code &) {
        f.startCounter();
        f.loadDsr(DsrFile::Dest, 1, mem1d(kC, n));
        f.loadDsr(DsrFile::Source0, 1, mem1d(kA, n));
        f.loadDsr(DsrFile::Source1, 1, mem1d(kB, n));
        Operation op =
            makeOp(DsdOpcode::Fmacs, f.dsr(DsrFile::Dest, 1),
                   f.dsr(DsrFile::Source0, 1), f.dsr(DsrFile::Source1, 1));
        op.scalar = f.constant(0x40000000);
        f.stamp(kStamps);
        f.run(op);
        f.stamp(kStamps + 2);
        // The same without an operation in between.
        f.stamp(kStamps + 4);
      },
      target);
  auto simulator = simulate(program);
  EXPECT_EQ(simulator->run(), Outcome::Finished);
  auto c = readMemory<float>(*simulator, 0, 0, kC, n);
  for (unsigned i = 0; i < n; ++i)
    EXPECT_EQ(c[i], static_cast<float>(i) + 2.0f * (2.0f * i + 1));
  auto t = readMemory<uint16_t>(*simulator, 0, 0, kStamps, 3);
  return (t[1] - t[0]) - (t[2] - t[1]);
}

TEST(MemoryOps, FmacsTakesOneCyclePerElementAndOne) {
  // The instruction itself is of class Machine.
  int64_t issue = lookupCslMachine("wse2")->cycles(ScalarClass::Machine);
  for (llvm::StringRef target : {"wse2", "wse3"})
    for (unsigned n : {1u, 14u, 100u})
      EXPECT_EQ(fmacsCycles(n, target), issue + 1 + n) << n;
  SEQUIN_ROW("DOP-010");
  SEQUIN_ROW("DOP-050");
}

/// Cycles of an operation on n elements, DSRs loaded, less start and issue.
uint16_t cyclesPer(DsdOpcode opcode, unsigned n, llvm::StringRef target,
                   int stride = 1) {
  Program program = onePe(
      [&](FunctionBuilder &f, Code &) {
        f.startCounter();
        f.loadDsr(DsrFile::Dest, 1, mem1d(kC, n));
        f.loadDsr(DsrFile::Source0, 1, mem1d(kA, n, stride));
        f.loadDsr(DsrFile::Source1, 1, mem1d(kB, n));
        bool two = getInfo(opcode).sources() == 2;
        f.stamp(kStamps);
        f.run(makeOp(opcode, f.dsr(DsrFile::Dest, 1),
                     f.dsr(DsrFile::Source0, 1),
                     two ? f.dsr(DsrFile::Source1, 1) : Operand()));
        f.stamp(kStamps + 2);
        f.stamp(kStamps + 4);
      },
      target);
  auto simulator = simulate(program);
  EXPECT_EQ(simulator->run(), Outcome::Finished);
  auto t = readMemory<uint16_t>(*simulator, 0, 0, kStamps, 3);
  return (t[1] - t[0]) - (t[2] - t[1]) - 3;
}

TEST(MemoryOps, SimdWidths) {
  EXPECT_EQ(cyclesPer(DsdOpcode::Fadds, 64, "wse2"), 32);
  EXPECT_EQ(cyclesPer(DsdOpcode::Fadds, 64, "wse3"), 16);
  EXPECT_EQ(cyclesPer(DsdOpcode::Fadds, 65, "wse3"), 17);
  EXPECT_EQ(cyclesPer(DsdOpcode::Faddh, 64, "wse2"), 16);
  EXPECT_EQ(cyclesPer(DsdOpcode::Faddh, 64, "wse3"), 8);
  EXPECT_EQ(cyclesPer(DsdOpcode::Mov32, 64, "wse2"), 32);
  EXPECT_EQ(cyclesPer(DsdOpcode::Fmaxs, 64, "wse2"), 64);
  EXPECT_EQ(cyclesPer(DsdOpcode::Fmuls, 64, "wse3"), 64);
  SEQUIN_ROW("DOP-014");
  SEQUIN_ROW("SIM-011");
  // Strides (DOP-015): 4 and 12 two per cycle, 8 one, 7 two, 3 full.
  EXPECT_EQ(cyclesPer(DsdOpcode::Mov16, 64, "wse3", 3), 8);
  EXPECT_EQ(cyclesPer(DsdOpcode::Mov16, 64, "wse3", 4), 32);
  EXPECT_EQ(cyclesPer(DsdOpcode::Mov16, 64, "wse3", 7), 32);
  EXPECT_EQ(cyclesPer(DsdOpcode::Mov16, 64, "wse3", 8), 64);
  SEQUIN_ROW("DOP-015");
}

TEST(MemoryOps, LengthIsTheFirstThatIsNotZero) {
  Program program = onePe([](FunctionBuilder &f, Code &) {
    // source0 decides, though the destination is shorter.
    f.run(makeOp(DsdOpcode::Fmovs, f.operand(mem1d(kC, 2)),
                 f.operand(mem1d(kA, 5))));
    // A value has no length; neither has any operand here: one element.
    f.run(makeOp(DsdOpcode::Fmovs, f.operand(mem1d(kC + 400, 0)),
                 f.scalar(0x3f800000)));
  });
  auto simulator = simulate(program);
  ASSERT_EQ(simulator->run(), Outcome::Finished);
  EXPECT_THAT(readMemory<float>(*simulator, 0, 0, kC, 6),
              ElementsAre(0, 1, 2, 3, 4, 0));
  EXPECT_THAT(readMemory<float>(*simulator, 0, 0, kC + 400, 2),
              ElementsAre(1, 0));
  SEQUIN_ROW("DOP-007");
}

TEST(MemoryOps, PointersAndReduction) {
  Program program = onePe([](FunctionBuilder &f, Code &) {
    f.run(makeOp(DsdOpcode::Fmovs, f.pointer(kC), f.operand(mem1d(kA, 7))));
    f.run(makeOp(DsdOpcode::Fadds, f.pointer(kC + 4), f.scalar(0x41200000),
                 f.operand(mem1d(kA, 5))));
  });
  auto simulator = simulate(program);
  ASSERT_EQ(simulator->run(), Outcome::Finished);
  // The last element; 10 + 0 + 1 + 2 + 3 + 4.
  EXPECT_THAT(readMemory<float>(*simulator, 0, 0, kC, 2), ElementsAre(6, 20));
  SEQUIN_ROW("DSD-036");
  SEQUIN_ROW("DOP-013");
}

TEST(MemoryOps, Mem4dOrderStrideAndCircular) {
  Program program = onePe([](FunctionBuilder &f, Code &code) {
    // A[i, j] of a 2 x 3 sub-matrix of rows of 10: 0 1 2 10 11 12.
    Shape shape;
    shape.extents = {3, 2};
    shape.strides = {1, 8};
    code.shapes.push_back(shape);
    Descriptor nest;
    nest.kind = DescriptorKind::Mem4d;
    nest.base = kA;
    f.run(makeOp(DsdOpcode::Fmovs, f.operand(mem1d(kC, 6)), f.operand(nest)));
    // Stride 0: one element for all.
    f.run(makeOp(DsdOpcode::Fmovs, f.operand(mem1d(kC + 24, 2)),
                 f.operand(mem1d(kA + 12, 2, 0))));
    // A ring of 3, seven elements; saved address: goes on at element 1.
    Descriptor ring;
    ring.kind = DescriptorKind::Circular;
    ring.base = kA;
    ring.wraparound = 3;
    ring.extent = 7;
    f.loadDsr(DsrFile::Source1, 2, ring, {}, true);
    f.run(makeOp(DsdOpcode::Fmovs, f.operand(mem1d(kC + 40, 7)),
                 f.dsr(DsrFile::Source1, 2)));
    f.run(makeOp(DsdOpcode::Fmovs, f.operand(mem1d(kC + 80, 7)),
                 f.dsr(DsrFile::Source1, 2)));
  });
  auto simulator = simulate(program);
  ASSERT_EQ(simulator->run(), Outcome::Finished);
  EXPECT_THAT(readMemory<float>(*simulator, 0, 0, kC, 8),
              ElementsAre(0, 1, 2, 10, 11, 12, 3, 3));
  SEQUIN_ROW("DSD-017");
  SEQUIN_ROW("DSD-029");
  SEQUIN_ROW("DSD-030");
  EXPECT_THAT(readMemory<float>(*simulator, 0, 0, kC + 40, 7),
              ElementsAre(0, 1, 2, 0, 1, 2, 0));
  EXPECT_THAT(readMemory<float>(*simulator, 0, 0, kC + 80, 7),
              ElementsAre(1, 2, 0, 1, 2, 0, 1));
  SEQUIN_ROW("DSD-039");
  SEQUIN_ROW("DSD-042");
}

TEST(MemoryOps, SavedAddresses) {
  Program program = onePe([](FunctionBuilder &f, Code &) {
    f.loadDsr(DsrFile::Source1, 2, mem1d(kA, 3, 2), {}, true);
    for (uint32_t to : {kC, kC + 12})
      f.run(makeOp(DsdOpcode::Fmovs, f.operand(mem1d(to, 3)),
                   f.dsr(DsrFile::Source1, 2)));
  });
  auto simulator = simulate(program);
  ASSERT_EQ(simulator->run(), Outcome::Finished);
  EXPECT_THAT(readMemory<float>(*simulator, 0, 0, kC, 6),
              ElementsAre(0, 2, 4, 6, 8, 10));
  SEQUIN_ROW("DSR-013");
}

TEST(MemoryOps, IndexMovesMemoryBases) {
  Program program = onePe([](FunctionBuilder &f, Code &) {
    Descriptor from = mem1d(kA, 2);
    from.indexOffset = true;
    Operation op =
        makeOp(DsdOpcode::Fmovs, f.operand(mem1d(kC, 2)), f.operand(from));
    op.index = f.constant(6); // words of 16 bits: three floats
    f.run(op);
  });
  auto simulator = simulate(program);
  ASSERT_EQ(simulator->run(), Outcome::Finished);
  EXPECT_THAT(readMemory<float>(*simulator, 0, 0, kC, 2), ElementsAre(3, 4));
  SEQUIN_ROW("DSD-034");
  SEQUIN_ROW("DSD-035");
}

TEST(MemoryOps, OutOfBoundsTrapsWithPeAndAddress) {
  Program program = onePe([](FunctionBuilder &f, Code &) {
    f.run(makeOp(DsdOpcode::Fmovs, f.operand(mem1d(kC, 600)),
                 f.operand(mem1d(kA, 600))));
  });
  auto simulator = simulate(program);
  ASSERT_EQ(simulator->run(), Outcome::Trapped);
  EXPECT_EQ(simulator->trap()->x, 0);
  EXPECT_THAT(simulator->trap()->message,
              HasSubstr("covers 256 to 2655, which no variable holds"));
}

TEST(Scalar, LoopWithTheCalibrationPoint) {
  // 784 iterations around a 14-element fmacs, as a counted loop is compiled:
  // comparison and exit at the head, a jump back; the DSD that moves on is a
  // variable, the factor comes from an array.
  constexpr uint32_t kDsd = kStamps + 16, kDsdHigh = kDsd + 4;
  static_assert(kDsdHigh < kA);
  Program program = onePe([](FunctionBuilder &f, Code &) {
    Register count = f.constant(0), limit = f.constant(784);
    Register one = f.constant(1), step = f.constant(0);
    Register start = f.dsd(mem1d(kB, 14));
    f.store(start, kDsd, 64);
    uint32_t head = f.next();
    Register more = f.emit(Opcode::LessU, count, limit, 0, 16);
    uint32_t exit = f.next();
    f.effect(Opcode::JumpIfNot, more);
    Register factor = f.emit(Opcode::Load, kNoRegister, step, kA, 32);
    Register x = f.load(kDsd, 64);
    Operation op =
        makeOp(DsdOpcode::Fmacs, f.operand(mem1d(kC, 14)),
               f.operand(mem1d(kC, 14)), {Operand::Kind::Dsd, x, {}});
    op.scalar = factor;
    f.run(op);
    Register y = f.load(kDsd, 64);
    Register moved = f.emit(Opcode::DsdAddBase, y, step, 0, 0);
    f.store(moved, kDsd, 64);
    f.into(count, Opcode::Add, count, one, 0, 16);
    f.effect(Opcode::Jump, kNoRegister, kNoRegister, head);
    f.at(exit).immediate = f.next();
  });
  auto simulator = simulate(program);
  ASSERT_EQ(simulator->run(), Outcome::Finished);
  // Published: 45,783; to be met within 20 %.
  EXPECT_NEAR(static_cast<double>(simulator->now()), 45783.0, 0.2 * 45783);
}

TEST(Scalar, CallsMemoryAndTraps) {
  Program program = onePe([](FunctionBuilder &f, Code &code) {
    FunctionBuilder g(code, "square", 1);
    Register r = g.emit(Opcode::Mul, 0, 0, 0, 16);
    uint32_t square = g.finish(r);
    Register x = f.constant(300);
    Register y = f.emit(Opcode::Call, x, kNoRegister, square);
    f.store(y, kC, 16);
    code.messages.push_back("x is 300");
    Register zero = f.constant(0);
    f.effect(Opcode::Assert, zero, kNoRegister, 0);
  });
  auto simulator = simulate(program);
  ASSERT_EQ(simulator->run(), Outcome::Trapped);
  EXPECT_EQ(simulator->trap()->message, "x is 300");
  EXPECT_THAT(readMemory<uint16_t>(*simulator, 0, 0, kC, 1),
              ElementsAre(90000 & 0xffff));
}

// What a pointer leads to has to take what is given and to leave its results
// within the caller's registers.
TEST(Scalar, CallsThroughPointers) {
  auto call = [](unsigned arguments, unsigned results) {
    return onePe([=](FunctionBuilder &f, Code &code) {
      FunctionBuilder g(code, "square", 1);
      Register r = g.emit(Opcode::Mul, 0, 0, 0, 16);
      uint32_t square = g.finish(r);
      code.functions[square].results = static_cast<uint16_t>(results);
      code.functions[square].registers = 400;
      Register x = f.constant(3), more = f.constant(4);
      Register pointer =
          f.emit(Opcode::FunctionAddress, kNoRegister, kNoRegister, square);
      (void)more;
      Register y = f.emit(Opcode::CallIndirect, x, pointer, arguments);
      f.store(y, kC, 16);
    });
  };
  Program good = call(1, 1), many = call(2, 1), large = call(1, 300);
  auto simulator = simulate(good);
  ASSERT_EQ(simulator->run(), Outcome::Finished);
  EXPECT_THAT(readMemory<uint16_t>(*simulator, 0, 0, kC, 1), ElementsAre(9));
  simulator = simulate(many);
  ASSERT_EQ(simulator->run(), Outcome::Trapped);
  EXPECT_EQ(simulator->trap()->message,
            "a call through a pointer with 2 arguments leads to 'square', "
            "which takes 1 and returns 1");
  simulator = simulate(large);
  ASSERT_EQ(simulator->run(), Outcome::Trapped);
  EXPECT_THAT(simulator->trap()->message, HasSubstr("returns 300"));
}

TEST(Scalar, AnEndlessProgramStopsAtTheLimit) {
  Program program = onePe([](FunctionBuilder &f, Code &) {
    f.effect(Opcode::Jump, kNoRegister, kNoRegister, 0);
  });
  Options options;
  options.maxCycles = 100000;
  auto simulator = simulate(program, options);
  EXPECT_EQ(simulator->run(), Outcome::Exhausted);
  EXPECT_THAT(simulator->hang().str(program),
              HasSubstr("main thread in local task 'main': is at work"));
}

} // namespace
