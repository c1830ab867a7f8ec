//===- KernelTest.cpp - The hello kernels as configurations --------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The five kernels of the manual's first chapter, in their ruled form, written
// as configurations by hand: what the compiler must arrive at.

#include "SliceProgram.h"

using namespace sequin;
using namespace sequin::testing;
using ::testing::ElementsAreArray;
using enum ElementType;

namespace {

constexpr int64_t kSliceStride = 4 << 20;

/// HBM rows of `bytes` to or from consecutive slices, `dm` bytes into each.
/// hbmStride 0 gives every slice the same row.
config::Command spread(std::string name, bool toDm, int64_t hbm, int64_t dm,
                       int64_t slices, int64_t hbmStride, int64_t bytes) {
  config::DmaDescriptor descriptor;
  descriptor.sourceAddress = toDm ? hbm : dm;
  descriptor.destinationAddress = toDm ? dm : hbm;
  descriptor.packetBytes = bytes;
  descriptor.entries = {{slices, toDm ? hbmStride : kSliceStride,
                         toDm ? kSliceStride : hbmStride}};
  config::DmaCommand dma;
  dma.source = toDm ? config::Memory::Hbm : config::Memory::Dm;
  dma.destination = toDm ? config::Memory::Dm : config::Memory::Hbm;
  dma.descriptors = {descriptor};
  return {std::move(name), "", dma};
}

config::Program kernel(ElementType type,
                       std::vector<llvm::SmallVector<int64_t, 4>> inputs,
                       llvm::SmallVector<int64_t, 4> output) {
  config::Program program;
  program.target = "rngd";
  for (size_t i = 0; i < inputs.size(); ++i)
    program.inputs.push_back({"in" + std::to_string(i), type, inputs[i]});
  program.outputs.push_back({"out", type, std::move(output)});
  return program;
}

std::vector<int> mixed(int64_t count, int range, uint32_t seed) {
  std::vector<int> values(count);
  for (int &value : values) {
    seed = seed * 1664525u + 1013904223u;
    value = static_cast<int>((seed >> 16) % (2 * range + 1)) - range;
  }
  return values;
}

sim::HostArray shaped(sim::HostArray array,
                      llvm::SmallVector<int64_t, 4> shape) {
  array.shape = std::move(shape);
  return array;
}

std::vector<sim::HostArray> run(const config::Program &program,
                                std::vector<sim::HostArray> inputs) {
  llvm::Expected<sim::Result> result =
      sim::run(program, *lookupTcpMachine("rngd"), inputs);
  if (!result) {
    ADD_FAILURE() << llvm::toString(result.takeError());
    return {{program.outputs[0].type, {0}, {}}};
  }
  return std::move(result->outputs);
}

/// Loads a bf16 vector of `elements` at `dm` as row 0 of the TRF.
config::ExecCommand loadVector(int64_t dm, int64_t elements, int64_t slices) {
  config::ExecCommand exec = makeExec({dm, {{elements, 1}}, 1}, BF16, BF16, 8);
  exec.context = config::Context::Sub;
  exec.sliceMask = firstSlices(slices);
  exec.sink = config::ToTrfStage{config::TrfAddress::Full, 1, elements * 2};
  return exec;
}

/// Sum over `elements` against row 0 of the TRF, as 8 bf16 at `out`.
config::ExecCommand reduceRow(int64_t elements, int64_t out, int64_t slices) {
  config::ExecCommand exec = makeExec({0, {{elements, 1}}, 1}, BF16, BF16, 32);
  exec.sliceMask = firstSlices(slices);
  config::ContractStage &contract = exec.contract.emplace();
  contract.rows = 1;
  contract.trf.entries = {{elements / 32, 32}};
  contract.loops = {{elements / 32, 0, true}};
  exec.cast = config::CastStage{F32, BF16};
  exec.sink = config::CommitStage{BF16, {out, {{1, 0}, {8, 1}}, 1}, 16, 16};
  return exec;
}

} // namespace

TEST(Kernels, ConstantAddition) {
  config::Program program = kernel(I32, {{2048}}, {2048});
  config::ExecCommand exec = makeExec({0, {{8, 1}}, 1}, I32, I32, 32);
  exec.sliceMask = firstSlices(256);
  config::VectorOp add;
  add.opcode = config::VectorOpcode::FxpAdd;
  add.operand.kind = config::VectorOperand::Kind::Constant;
  add.operand.constant = 1;
  exec.vector = config::VectorStage{I32, {add}};
  exec.sink = config::CommitStage{I32, {1 << 12, {{8, 1}}, 1}, 32, 32};
  program.commands = {denseTransfer("in", true, 0, I32, 2048, 0),
                      spread("to_dm", true, 0, 0, 256, 32, 32),
                      {"add", "", exec},
                      spread("to_hbm", false, 1 << 28, 1 << 12, 256, 32, 32),
                      denseTransfer("out", false, 0, I32, 2048, 1 << 28)};
  std::vector<int> in = mixed(2048, 1000000, 1);
  in[5] = INT32_MAX;
  std::vector<int> expected = in;
  for (int &value : expected)
    value = addWrap(value, 1);
  EXPECT_THAT(intsOf(run(program, {arrayOf(I32, in)})[0]),
              ElementsAreArray(expected));
  SEQUIN_ROW("HEL-06");
}

/// Data in eight slices, the rest of both clusters is padding: these units
/// work, too, on what their memories happen to hold, and nothing of it gets to
/// HBM.
TEST(Kernels, UnitsUnderPadding) {
  constexpr int64_t data = 64, all = 512 * 8, places = 1 << 27;
  config::Program program = kernel(I32, {{data}}, {all});
  program.outputs.push_back({"units", I32, {all}});
  config::ExecCommand exec = makeExec({0, {{8, 1}}, 1}, I32, I32, 32);
  exec.sliceMask = firstSlices(512);
  config::VectorOp add;
  add.opcode = config::VectorOpcode::FxpAdd;
  add.operand.kind = config::VectorOperand::Kind::Constant;
  add.operand.constant = 1;
  exec.vector = config::VectorStage{I32, {add}};
  exec.sink = config::CommitStage{I32, {1 << 12, {{8, 1}}, 1}, 32, 32};
  program.commands = {denseTransfer("in", true, 0, I32, data, 0),
                      spread("to_dm", true, 0, 0, 8, 32, 32),
                      {"add", "", exec},
                      spread("to_hbm", false, places, 1 << 12, 8, 32, 32),
                      denseTransfer("out", false, 0, I32, all, places),
                      // What a kernel never does: the results of all units.
                      spread("peek", false, 2 * places, 1 << 12, 512, 32, 32),
                      denseTransfer("units", false, 1, I32, all, 2 * places)};
  config::Program masked = program;
  std::get<config::ExecCommand>(masked.commands[2].body).sliceMask =
      firstSlices(8);

  std::vector<int> in = mixed(data, 1000000, 1);
  for (uint8_t poison : {uint8_t(0xa5), uint8_t(0x3c)}) {
    TcpMachine machine = *lookupTcpMachine("rngd");
    machine.poisonByte = poison;
    auto run = [&](const config::Program &program) {
      return llvm::cantFail(sim::run(program, machine, {arrayOf(I32, in)}));
    };
    int32_t fresh = static_cast<int32_t>(0x01010101u * poison);
    std::vector<int> out(all, fresh), units(all, fresh + 1);
    for (int64_t i = 0; i < data; ++i)
      out[i] = units[i] = in[i] + 1;
    sim::Result result = run(program);
    EXPECT_THAT(intsOf(result.outputs[0]), ElementsAreArray(out));
    EXPECT_THAT(intsOf(result.outputs[1]), ElementsAreArray(units));
    // Nobody can tell it from a run of the units with data alone.
    sim::Result other = run(masked);
    EXPECT_EQ(other.outputs[0].data, result.outputs[0].data);
    EXPECT_EQ(other.report.cycles, result.report.cycles);
  }
  SEQUIN_ROW("SIL-38");
}

TEST(Kernels, ElementwiseMultiplication) {
  config::Program program = kernel(I32, {{2048}, {2048}}, {2048});
  config::ExecCommand load = makeExec({1 << 12, {{8, 1}}, 1}, I32, I32, 8);
  load.context = config::Context::Sub;
  load.sliceMask = firstSlices(256);
  load.sink = config::ToVrfStage{0, 32};
  config::ExecCommand exec = makeExec({0, {{8, 1}}, 1}, I32, I32, 32);
  exec.sliceMask = firstSlices(256);
  config::VectorOp multiply;
  multiply.opcode = config::VectorOpcode::FxpMulInt;
  multiply.operand.kind = config::VectorOperand::Kind::Vrf;
  multiply.operand.vrf = {0, {{8, 1}}, 1};
  exec.vector = config::VectorStage{I32, {multiply}};
  exec.sink = config::CommitStage{I32, {1 << 13, {{8, 1}}, 1}, 32, 32};
  program.commands = {denseTransfer("in0", true, 0, I32, 2048, 0),
                      denseTransfer("in1", true, 1, I32, 2048, 1 << 20),
                      spread("lhs", true, 0, 0, 256, 32, 32),
                      spread("rhs", true, 1 << 20, 1 << 12, 256, 32, 32),
                      {"to_vrf", "", load},
                      {"multiply", "", exec},
                      spread("to_hbm", false, 1 << 28, 1 << 13, 256, 32, 32),
                      denseTransfer("out", false, 0, I32, 2048, 1 << 28)};
  std::vector<int> a = mixed(2048, 100000, 1), b = mixed(2048, 100000, 2);
  std::vector<int> expected(2048);
  for (int i = 0; i < 2048; ++i)
    expected[i] = mulWrap(a[i], b[i]);
  EXPECT_THAT(intsOf(run(program, {arrayOf(I32, a), arrayOf(I32, b)})[0]),
              ElementsAreArray(expected));
  SEQUIN_ROW("HEL-07");
}

TEST(Kernels, DotProduct) {
  config::Program program = kernel(BF16, {{2048}, {2048}}, {8});
  config::ExecCommand dot = reduceRow(2048, 1 << 13, 1);
  EXPECT_EQ(dot.collect.flitsPerPacket, 128);
  program.commands = {denseTransfer("in0", true, 0, BF16, 2048, 0),
                      denseTransfer("in1", true, 1, BF16, 2048, 1 << 20),
                      spread("lhs", true, 0, 0, 1, 0, 4096),
                      spread("rhs", true, 1 << 20, 1 << 12, 1, 0, 4096),
                      {"to_trf", "", loadVector(1 << 12, 2048, 1)},
                      {"dot", "", dot},
                      spread("to_hbm", false, 2 << 28, 1 << 13, 1, 0, 16),
                      denseTransfer("out", false, 0, BF16, 8, 2 << 28)};
  std::vector<int> a = mixed(2048, 3, 1), b = mixed(2048, 3, 2);
  int sum = 0;
  for (int i = 0; i < 2048; ++i)
    sum += a[i] * b[i];
  std::vector<float> out =
      floatsOf(run(program, {arrayOf(BF16, a), arrayOf(BF16, b)})[0]);
  EXPECT_EQ(out[0], bf16ToFloat(floatToBf16(static_cast<float>(sum))));
  // The lanes of the missing rows.
  EXPECT_THAT(std::vector<float>(out.begin() + 1, out.end()),
              ElementsAreArray(std::vector<float>(7, 0.0f)));
  SEQUIN_ROW("HEL-08");
  SEQUIN_ROW("HEL-09");
}

TEST(Kernels, MatrixVectorProduct) {
  constexpr int64_t I = 256, J = 2048;
  config::Program program = kernel(BF16, {{I, J}, {J}}, {I, 8});
  program.commands = {denseTransfer("in0", true, 0, BF16, I * J, 0),
                      denseTransfer("in1", true, 1, BF16, J, 1 << 28),
                      spread("matrix", true, 0, 0, I, J * 2, J * 2),
                      spread("vector", true, 1 << 28, 1 << 12, I, 0, J * 2),
                      {"to_trf", "", loadVector(1 << 12, J, I)},
                      {"product", "", reduceRow(J, 1 << 13, I)},
                      spread("to_hbm", false, 2 << 28, 1 << 13, I, 16, 16),
                      denseTransfer("out", false, 0, BF16, I * 8, 2 << 28)};
  std::vector<int> a = mixed(I * J, 3, 1), x = mixed(J, 3, 2);
  std::vector<float> out = floatsOf(
      run(program, {shaped(arrayOf(BF16, a), {I, J}), arrayOf(BF16, x)})[0]);
  ASSERT_EQ(out.size(), static_cast<size_t>(I * 8));
  for (int i = 0; i < I; ++i) {
    int sum = 0;
    for (int j = 0; j < J; ++j)
      sum += a[i * J + j] * x[j];
    EXPECT_EQ(out[i * 8], bf16ToFloat(floatToBf16(static_cast<float>(sum))));
  }
}

/// Compares some elements of every tile with sums computed here.
static void checkGemm(const GemmShape &shape, bool broadcast, int64_t step) {
  const TcpMachine &machine = *lookupTcpMachine("rngd");
  config::Program program = makeGemm(shape, machine, broadcast);
  std::vector<sim::HostArray> inputs = {
      integerBf16({shape.m(), shape.k}, 3, 1),
      integerBf16({shape.n(), shape.k}, 3, 2)};
  std::vector<sim::HostArray> outputs = run(program, inputs);
  std::vector<float> a = floatsOf(inputs[0]), b = floatsOf(inputs[1]),
                     c = floatsOf(outputs[0]);
  ASSERT_EQ(c.size(), static_cast<size_t>(shape.m() * shape.n()));
  for (int64_t index = 0; index < shape.m() * shape.n(); index += step) {
    int64_t m = index / shape.n(), n = index % shape.n();
    float sum = 0; // exact: small integers
    for (int64_t k = 0; k < shape.k; ++k)
      sum += a[m * shape.k + k] * b[n * shape.k + k];
    ASSERT_EQ(c[index], bf16ToFloat(floatToBf16(sum))) << m << ", " << n;
  }
}

TEST(Kernels, MatrixProduct) {
  // 16 x 16 tiles of 32 x 32: B fills the TRF rows exactly.
  checkGemm({16, 16, 32, 32, 1024}, false, 97);
  SEQUIN_ROW("HEL-13");
}

TEST(Kernels, SmallMatrixProducts) {
  checkGemm({2, 2, 2, 16, 64}, false, 1);
  checkGemm({2, 2, 2, 16, 64}, true, 1);
  checkGemm({1, 1, 1, 8, 32}, true, 1);
  checkGemm({4, 32, 3, 24, 96}, true, 1);
}

TEST(Kernels, ResultsDoNotDependOnTheRun) {
  const TcpMachine &machine = *lookupTcpMachine("rngd");
  config::Program program = makeGemm({2, 4, 4, 16, 128}, machine, true);
  std::vector<sim::HostArray> inputs = {integerBf16({8, 128}, 100, 1),
                                        integerBf16({64, 128}, 100, 2)};
  EXPECT_EQ(run(program, inputs)[0].data, run(program, inputs)[0].data);
}
