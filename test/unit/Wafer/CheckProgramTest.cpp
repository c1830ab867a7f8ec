//===- CheckProgramTest.cpp - Programs that are refused -------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WaferTestSupport.h"
#include "gmock/gmock.h"

using namespace sequin;
using namespace sequin::testing;
using namespace sequin::wafer;
using ::testing::HasSubstr;

namespace {

/// What is wrong with the sample after `edit`, or "".
template <typename F> std::string check(F edit) {
  Program program = makeSample();
  edit(program);
  llvm::Error error = wafer::check(program, *lookupCslMachine("wse3"));
  return llvm::toString(std::move(error));
}

TEST(CheckProgram, AcceptsTheSample) {
  EXPECT_EQ(check([](Program &) {}), "");
}

TEST(CheckProgram, Frame) {
  EXPECT_EQ(check([](Program &p) { p.target = "wse2"; }),
            "wafer program: is for 'wse2', not for 'wse3'");
  EXPECT_THAT(check([](Program &p) { p.pes.pop_back(); }),
              HasSubstr("is 2 x 1 and has 1 PEs"));
  EXPECT_THAT(check([](Program &p) { p.offsetX = 8; }),
              HasSubstr("does not fit on its fabric"));
  EXPECT_THAT(check([](Program &p) { p.pes[1].router = 2; }),
              HasSubstr("PE (1, 0): router is 2, there are 2"));
  EXPECT_THAT(check([](Program &p) { p.pes[1].parameters.clear(); }),
              HasSubstr("has 0 parameters, code 'pe' has 1"));
  EXPECT_THAT(check([](Program &p) { p.pes[1].patches[0].address = 49149; }),
              HasSubstr("a patch leaves the memory"));
}

TEST(CheckProgram, Memory) {
  auto place = [](uint16_t address) {
    return check(
        [=](Program &p) { p.codes[0].variables[0].address = address; });
  };
  EXPECT_EQ(place(49152 - 16), "");
  EXPECT_THAT(place(49152 - 15), HasSubstr("wse3 has 49152"));
  EXPECT_EQ(place(1024 - 16), "");
  EXPECT_THAT(place(1024 - 15),
              HasSubstr("the code at 1024 overlaps variable 'x'"));
  EXPECT_THAT(
      check([](Program &p) { p.codes[0].variables[0].data.pop_back(); }),
      HasSubstr("of 16 bytes has 15 bytes of data"));
  EXPECT_THAT(check([](Program &p) {
                p.codes[0].variables[0].shape = {1 << 20, 1 << 20, 1 << 20};
              }),
              HasSubstr("is larger than the memory"));
}

TEST(CheckProgram, Instructions) {
  auto with = [](Instruction instruction) {
    return check([=](Program &p) {
      p.codes[0].functions[0].instructions[0] = instruction;
    });
  };
  constexpr Register none = kNoRegister;
  EXPECT_EQ(with(make(Opcode::Copy, 2, 2, none)), "");
  EXPECT_THAT(with(make(Opcode::Copy, 3, 2, none)),
              HasSubstr("function 'send' instruction 0 (copy): register is 3, "
                        "there are 3"));
  EXPECT_THAT(with(make(Opcode::Copy, none, 2, none)),
              HasSubstr("register is 65535"));
  EXPECT_EQ(with(make(Opcode::Add, 0, 1, 2, 0, 64)), "");
  EXPECT_THAT(with(make(Opcode::Add, 0, 1, 2, 0, 65)),
              HasSubstr("width is 65"));
  EXPECT_THAT(with(make(Opcode::FloatAdd, 0, 1, 2, 0, 64)),
              HasSubstr("width is 64"));
  EXPECT_EQ(with(make(Opcode::Jump, none, none, none, 4)), "");
  EXPECT_THAT(with(make(Opcode::Jump, none, none, none, 5)),
              HasSubstr("target is 5, there are 5"));
  EXPECT_THAT(with(make(Opcode::Dsd, none, none, none, 1)),
              HasSubstr("operation is 1, there are 1"));
  EXPECT_THAT(with(make(Opcode::Parameter, 0, none, none, 1)),
              HasSubstr("parameter is 1, there are 1"));
  EXPECT_THAT(with(make(Opcode::Call, none, none, none, 1)),
              HasSubstr("function is 1, there are 1"));
  EXPECT_EQ(with(make(Opcode::CallIndirect, 2, 1, 2, 1)), "");
  EXPECT_EQ(with(make(Opcode::CallIndirect, none, none, 2, 0)), "");
  EXPECT_THAT(with(make(Opcode::CallIndirect, 3, 1, 2, 1)),
              HasSubstr("register is 3, there are 3"));
  EXPECT_THAT(with(make(Opcode::CallIndirect, 2, 1, 2, 3)),
              HasSubstr("register is 3, there are 3"));
  EXPECT_THAT(with(make(Opcode::StepLoad, none, 0, none, 0)),
              HasSubstr("step slot is 0, there are 0"));
  EXPECT_THAT(with(make(Opcode::Load, 0, none, none, 16, 24)),
              HasSubstr("width is 24"));
  EXPECT_THAT(check([](Program &p) {
                Function &f = p.codes[0].functions[0];
                f.instructions.pop_back();
                f.locations.pop_back();
              }),
              HasSubstr("control runs off its end"));
}

TEST(CheckProgram, Prints) {
  auto width = [](uint8_t bits) {
    return check([=](Program &p) {
      Print print;
      print.pieces = {"", ""};
      print.values = {{.value = 0, .form = Print::Form::Hex, .width = bits}};
      p.codes[0].prints.push_back(print);
    });
  };
  EXPECT_EQ(width(1), "");
  EXPECT_EQ(width(64), "");
  EXPECT_THAT(width(65), HasSubstr("a value of 65 bits, 1 to 64 are allowed"));
  EXPECT_THAT(width(0), HasSubstr("a value of 0 bits"));
}

TEST(CheckProgram, Operations) {
  auto with = [](auto edit) {
    return check([=](Program &p) { edit(p.codes[0].operations[0]); });
  };
  EXPECT_THAT(with([](Operation &o) { o.opcode = DsdOpcode::Fadds; }),
              HasSubstr("fadds has no second source"));
  EXPECT_THAT(with([](Operation &o) { o.source1 = o.source0; }),
              HasSubstr("fmovs has a second source"));
  EXPECT_THAT(with([](Operation &o) { o.dest.kind = Operand::Kind::Scalar; }),
              HasSubstr("fmovs writes to a value"));
  EXPECT_THAT(with([](Operation &o) { o.source0.value = 3; }),
              HasSubstr("register is 3, there are 3"));
  EXPECT_THAT(with([](Operation &o) { o.options.microthread = 8; }),
              HasSubstr("microthread is 8, there are 8"));
  EXPECT_THAT(with([](Operation &o) {
                o.dest.kind = Operand::Kind::Dsr;
                o.dest.dsr.number = 16;
              }),
              HasSubstr("DSR is 16, there are 16"));
}

TEST(CheckProgram, Setup) {
  auto with = [](auto edit) {
    return check([=](Program &p) { edit(p.setups[0]); });
  };
  EXPECT_THAT(with([](wafer::Setup &s) { s.tasks[0].id = 7; }),
              HasSubstr("local task id is 7, wse3 allows 8 to 30"));
  EXPECT_THAT(with([](wafer::Setup &s) { s.tasks.push_back(s.tasks[0]); }),
              HasSubstr("two tasks have local task id 8"));
  EXPECT_THAT(with([](wafer::Setup &s) { s.tasks[0].argumentBits = {16}; }),
              HasSubstr("a local task with arguments that no wavelet carries"));
  EXPECT_THAT(with([](wafer::Setup &s) { s.outputQueues[0].id = 8; }),
              HasSubstr("queue is 8, there are 8"));
  EXPECT_THAT(with([](wafer::Setup &s) { s.outputQueues[0].color.reset(); }),
              HasSubstr("queue 2 has no color"));
  EXPECT_THAT(with([](wafer::Setup &s) {
                s.outputQueues.push_back(s.outputQueues[0]);
              }),
              HasSubstr("queue 2 is initialised twice"));
  EXPECT_THAT(with([](wafer::Setup &s) { s.registers[0].first = 0x7bff; }),
              HasSubstr("register address is 31743"));
  EXPECT_THAT(with([](wafer::Setup &s) { s.blockedTasks = 1u << 31; }),
              HasSubstr("a task id beyond 30"));
  EXPECT_THAT(with([](wafer::Setup &s) { s.teardownHandlers[24] = 0; }),
              HasSubstr("color is 24, there are 24"));
  EXPECT_THAT(with([](wafer::Setup &s) {
                s.fifos.push_back(
                    {.name = "f", .address = 49150, .elements = 2});
              }),
              HasSubstr("FIFO 'f' leaves the memory"));
}

TEST(CheckProgram, Router) {
  auto with = [](auto edit) {
    return check([=](Program &p) { edit(p.routers[1]); });
  };
  EXPECT_THAT(with([](Router &r) { r.colors[5].position = 1; }),
              HasSubstr("color 5 starts at an invalid switch position"));
  EXPECT_EQ(with([](Router &r) { r.colors[5].position = 2; }), "");
  EXPECT_THAT(
      with([](Router &r) { r.colors[10] = r.colors[5]; }),
      HasSubstr("color 10 has switches, which wse3 does not have there"));
  EXPECT_THAT(with([](Router &r) { r.colors[5].filter = 1; }),
              HasSubstr("filter is 1, there are 1"));
  EXPECT_THAT(with([](Router &r) { r.filters.resize(7, r.filters[0]); }),
              HasSubstr("has 7 filters, wse3 has 6"));
  EXPECT_THAT(with([](Router &r) { r.colors[5].swapX = true; }),
              HasSubstr("color 5 is swapped"));
}

} // namespace
