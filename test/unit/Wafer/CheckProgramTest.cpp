//===- CheckProgramTest.cpp - Programs that are refused -------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Row.h"
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

/// One violation each, in the order of the check.
struct Violation {
  void (*edit)(Program &);
  const char *message;
};

void expectViolations(llvm::ArrayRef<Violation> violations) {
  for (const Violation &violation : violations)
    EXPECT_THAT(check(violation.edit), HasSubstr(violation.message));
}

void first(Program &p, const Instruction &instruction) {
  p.codes[0].functions[0].instructions[0] = instruction;
}

TEST(CheckProgram, PartsOfCodes) {
  constexpr Register none = kNoRegister;
  expectViolations({
      {[](Program &p) { p.codes[0].variables[0].location = 2; },
       "code 'pe': location is 2, there are 2"},
      {[](Program &p) { p.codes[0].textAddress = 49100; },
       "the code at 49100 with 64 bytes, wse3 has 49152"},
      {[](Program &p) { p.codes[0].stackAddress = 48900; },
       "the stack at 48900 with 256 bytes"},
      {[](Program &p) { p.codes[0].shapes[0].strides.pop_back(); },
       "a shape has 2 extents and 1 strides, wse3 allows 1 to 4"},
      {[](Program &p) { p.codes[0].prints[0].pieces.pop_back(); },
       "a print has 1 values and 1 pieces"},
      {[](Program &p) {
         p.codes[0].descriptors[0].kind = DescriptorKind::Circular;
       },
       "a circular buffer of no elements"},
      {[](Program &p) { p.codes[0].descriptors[0].color = 24; },
       "color is 24, there are 24"},
      {[](Program &p) { p.codes[0].descriptors[1].queue = 8; },
       "queue is 8, there are 8"},
      {[](Program &p) { p.codes[0].stepSlots = 1; },
       "has 1 step slots and 0 instructions that fill one"},
      {[](Program &p) { p.codes[0].functions[0].locations.pop_back(); },
       "has 4 locations for 5 instructions"},
      {[](Program &p) { p.codes[0].functions[0].location = 2; },
       "location is 2"},
      {[](Program &p) { p.codes[0].functions[0].locations[3] = 2; },
       "location is 2"},
      {[](Program &p) { p.codes[0].functions[0].arguments = 4; },
       "has 4 arguments and 3 registers"},
      {[](Program &p) {
         first(p, make(Opcode::SignExtend, 0, 1, none, 0, 64));
       },
       "(sign_extend): width is 0"},
      {[](Program &p) { first(p, make(Opcode::Truncate, 0, 1, none, 65, 64)); },
       "width is 65"},
      {[](Program &p) {
         p.codes[0].functions[0].arguments = 3;
         first(p, make(Opcode::Call, none, 1, none, 0));
       },
       "register is 3, there are 3"},
      {[](Program &p) {
         p.codes[0].functions[0].results = 3;
         first(p, make(Opcode::Call, 1, none, none, 0));
       },
       "register is 3, there are 3"},
      {[](Program &p) {
         first(p, make(Opcode::SetDsrBase, none, 0, none, 3 << 8));
       },
       "DSR file is 3, there are 3"},
      {[](Program &p) {
         first(p, make(Opcode::SetDsrLength, none, 0, none, 16));
       },
       "DSR is 16, there are 16"},
      {[](Program &p) {
         first(p, make(Opcode::StepRead, 0, none, 1, kStepDsr | 3 << 8, 16));
       },
       "DSR file is 3"},
      {[](Program &p) {
         first(p, make(Opcode::StepRead, 0, none, 1, kStepDsr | 16, 16));
       },
       "DSR is 16"},
      {[](Program &p) { first(p, make(Opcode::Block, none, 0, none, 2)); },
       "kind is 2, there are 2"},
      {[](Program &p) {
         first(p, make(Opcode::FloatFunction, 0, 1, 1, 22, 32));
       },
       "float function is 22, there are 22"},
  });
}

// ASY-005, ASY-009, DSR-006, DSR-025: what registers and targets exist.
TEST(CheckProgram, PartsOfOperations) {
  expectViolations({
      {[](Program &p) {
         p.codes[0].operations[0].source0.kind = Operand::Kind::Pointer;
       },
       "fmovs reads through a pointer"},
      {[](Program &p) { p.codes[0].operations[0].index = 3; },
       "register is 3, there are 3"},
      {[](Program &p) {
         p.codes[0].operations[0].opcode = DsdOpcode::Fmacs;
         p.codes[0].operations[0].source1 = p.codes[0].operations[0].source0;
         p.codes[0].operations[0].scalar = 3;
       },
       "register is 3, there are 3"},
      {[](Program &p) { p.codes[0].operations[0].opcode = DsdOpcode::Dfilt; },
       "dfilt has a destination"},
  });
  SEQUIN_ROW("ASY-009");
  expectViolations({
      {[](Program &p) {
         p.codes[0].operations[0].options.completionTarget = 3;
       },
       "register is 3, there are 3"},
      {[](Program &p) {
         p.codes[0].operations[0].options.onControl = OnControl::Unblock;
         p.codes[0].operations[0].options.onControlTarget = 3;
       },
       "register is 3, there are 3"},
      {[](Program &p) {
         p.codes[0].operations[0].options.onControl = OnControl::Activate;
       },
       "register is 65535"},
  });
  SEQUIN_ROW("DSR-006");
  SEQUIN_ROW("DSR-025");
  expectViolations({
      {[](Program &p) {
         p.setups[0].dsrs.push_back({.load = {.dsr = {.number = 16}}});
       },
       "DSR is 16, there are 16"},
      {[](Program &p) {
         p.setups[0].dsrs.push_back({.load = {.dsr = {}, .xdsr = 8}});
       },
       "XDSR is 8, there are 8"},
      {[](Program &p) {
         p.setups[0].dsrs.push_back(
             {.load = {.dsr = {}, .strideRegisters = {0, 8}}});
       },
       "stride register is 8, there are 8"},
      {[](Program &p) {
         p.setups[0].dsrs.push_back(
             {.descriptor = {.kind = DescriptorKind::Mem4d, .shape = 1}});
       },
       "shape is 1, there are 1"},
  });
}

TEST(CheckProgram, PartsOfSetups) {
  expectViolations({
      {[](Program &p) { p.setups[0].code = 1; }, "code is 1, there are 1"},
      {[](Program &p) {
         p.setups[0].tasks.push_back(
             {.kind = TaskKind::Data, .id = 8, .argumentBits = {32}});
       },
       "data task id is 8, there are 8"},
      {[](Program &p) {
         p.setups[0].tasks.push_back({.kind = TaskKind::Control, .id = 64});
       },
       "control task id is 64, there are 64"},
      {[](Program &p) {
         p.setups[0].tasks.push_back({.kind = TaskKind::Control,
                                      .id = 3,
                                      .function = 0,
                                      .argumentBits = {16}});
       },
       "task and function 'send' differ in their arguments"},
      {[](Program &p) { p.setups[0].tasks[0].location = 2; }, "location is 2"},
      {[](Program &p) { p.setups[0].outputQueues[0].location = 2; },
       "location is 2"},
      {[](Program &p) { p.setups[0].outputQueues[0].color = 24; },
       "color is 24"},
      {[](Program &p) { p.setups[0].inputQueues.push_back({.id = 1}); },
       "queue 1 has no color"},
      {[](Program &p) { p.setups[0].emptyOutputHandlers[8] = 0; },
       "queue is 8, there are 8"},
      {[](Program &p) { p.setups[0].emptyInputHandlers[0] = 1; },
       "function is 1, there are 1"},
  });
  SEQUIN_ROW("BLT-076");
  expectViolations({{[](Program &p) {
                       Function handler = p.codes[0].functions[0];
                       handler.name = "handler";
                       handler.arguments = 1;
                       p.codes[0].functions.push_back(handler);
                       p.setups[0].emptyOutputHandlers[2] = 1;
                     },
                     "handler 'handler' takes or returns something"}});
  SEQUIN_ROW("TSK-048");
  expectViolations({
      {[](Program &p) { p.setups[0].rotating = {{.id = 8, .alternative = 1}}; },
       "function is 1, there are 1"},
      {[](Program &p) { p.setups[0].rotating = {{.id = 7}}; },
       "rotating task id 7 has no data task"},
      {[](Program &p) {
         p.codes[0].functions[0].arguments = 3;
         p.setups[0].tasks[0].kind = TaskKind::Local;
         Function three = p.codes[0].functions[0];
         p.codes[0].functions[0].arguments = 0;
         p.codes[0].functions.push_back(three);
         p.setups[0].rotating = {{.id = 8, .alternative = 1}};
       },
       "takes 3 arguments, a wavelet carries 2 halves"},
  });
  SEQUIN_ROW("FIF-023");
  EXPECT_EQ(check([](Program &p) {
              p.setups[0].fifos.push_back(
                  {.name = "f", .address = 4096, .elements = 2, .dsr = 15});
            }),
            "");
  expectViolations({
      {[](Program &p) {
         p.setups[0].fifos.push_back(
             {.name = "f", .address = 4096, .elements = 2, .dsr = 16});
       },
       "DSR is 16, there are 16"},
      {[](Program &p) {
         p.setups[0].fifos.push_back(
             {.name = "f", .address = 4096, .elements = 2, .location = 2});
       },
       "location is 2"},
      {[](Program &p) {
         p.setups[0].fifos.push_back({.name = "f", .address = 4096});
       },
       "FIFO 'f' has no elements of 16 or 32 bits"},
      {[](Program &p) {
         p.setups[0].fifos.push_back(
             {.name = "f", .address = 4096, .elements = 2, .activatePush = 7});
       },
       "FIFO 'f' activates task id 7"},
      {[](Program &p) {
         p.codes[0].descriptors.push_back({.kind = DescriptorKind::Fifo});
       },
       "FIFO is 0, there are 0"},
      {[](Program &p) {
         first(p, make(Opcode::FifoReadLength, kNoRegister, 0, kNoRegister, 0));
       },
       "FIFO is 0, there are 0"},
  });
  // Blocking a microthread is of WSE-3.
  SEQUIN_ROW("ASY-028");
  Program program = makeSample();
  program.target = "wse2";
  program.setups[0].outputQueues[0] = {.id = 2};
  program.codes[0].operations[0].options.microthread.reset();
  auto onWse2 = [&](uint8_t blocked) {
    program.setups[0].blockedMicrothreads = blocked;
    return llvm::toString(wafer::check(program, *lookupCslMachine("wse2")));
  };
  EXPECT_EQ(onWse2(0), "");
  EXPECT_EQ(onWse2(1), "setup 0: blocks a microthread, which wse2 does not do");
}

TEST(CheckProgram, PartsOfRoutersAndSymbols) {
  expectViolations({
      {[](Program &p) { p.routers[0].colors[24] = p.routers[0].colors[5]; },
       "color is 24, there are 24"},
      {[](Program &p) { p.routers[1].colors[5].positions[2]->tx = 1 << 5; },
       "color 5 has a direction that does not exist"},
      {[](Program &p) {
         p.routers[1].colors[5].position = 2;
         p.routers[1].colors[5].positions[0].reset();
       },
       "color 5 has no routes"},
      {[](Program &p) { p.routers[0].colors[5].location = 2; },
       "location is 2"},
      {[](Program &p) { p.routers[1].filters[0].location = 2; },
       "location is 2"},
  });
  SEQUIN_ROW("FAB-051");
  expectViolations({{[](Program &p) { p.routers[1].filters[0].counter = 15; },
                     "a filter's counter is 15, its limit is 14"}});
  auto function = [](Program &p) {
    p.symbols[0].kind = Symbol::Kind::Function;
  };
  EXPECT_EQ(check(function), "");
  expectViolations({
      {[](Program &p) {
         p.symbols[0].kind = Symbol::Kind::Function;
         p.symbols[0].argumentBits = {16};
       },
       "has 1 argument sizes and 0 kinds"},
      {[](Program &p) {
         p.symbols[0].kind = Symbol::Kind::Function;
         p.symbols[0].argumentBits = {16};
         p.symbols[0].argumentKinds = {ElementKind::Signed};
       },
       "function 'send' takes other arguments"},
      {[](Program &p) {
         p.symbols[0].kind = Symbol::Kind::Function;
         p.symbols[0].places[0].index = 1;
       },
       "function is 1, there are 1"},
      {[](Program &p) { p.symbols[0].places[0].index = 1; },
       "variable is 1, there are 1"},
      {[](Program &p) { p.symbols[0].places[0].code = 1; },
       "code is 1, there are 1"},
      {[](Program &p) { p.streams[0].color = 24; }, "stream 'in': color is 24"},
      {[](Program &p) {
         p.streams[0].kind = Stream::Kind::Edge;
         p.streams[0].x = 2;
       },
       "stream 'in': is at no link of the rectangle"},
      {[](Program &p) {
         p.streams[0].kind = Stream::Kind::Edge;
         p.streams[0].side = Direction::Ramp;
       },
       "is at no link of the rectangle"},
      {[](Program &p) { p.locations.clear(); }, "has no unknown location"},
      {[](Program &p) { p.pes[0].setup = 1; }, "setup is 1, there are 1"},
  });
}

} // namespace
