//===- WaferTestSupport.h - A small wafer program ---------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_TEST_UNIT_WAFER_WAFERTESTSUPPORT_H
#define SEQUIN_TEST_UNIT_WAFER_WAFERTESTSUPPORT_H

#include "sequin/Wafer/Program.h"

namespace sequin::testing {

inline wafer::Instruction make(wafer::Opcode opcode, wafer::Register dest,
                               wafer::Register left, wafer::Register right,
                               uint32_t immediate = 0, uint8_t width = 0) {
  return {.opcode = opcode,
          .width = width,
          .dest = dest,
          .left = left,
          .right = right,
          .immediate = immediate};
}

/// Two PEs on WSE-3: one code whose local task sends four f32 east, a parameter
/// and two routers.
inline wafer::Program makeSample() {
  using namespace wafer;
  constexpr Register none = kNoRegister;
  Program program;
  program.target = "wse3";
  program.width = 2;
  program.height = 1;
  program.fabricWidth = 9;
  program.fabricHeight = 3;
  program.offsetX = 4;
  program.offsetY = 1;
  program.locations.push_back("pe.csl:3:1");
  Code code;
  code.name = "pe";
  code.variables.push_back({.name = "x",
                            .address = 16,
                            .kind = ElementKind::Float,
                            .elementBytes = 4,
                            .shape = {4},
                            .data = std::vector<uint8_t>(16, 1)});
  code.textAddress = 1024;
  code.textBytes = 64;
  code.stackAddress = 2048;
  code.stackBytes = 256;
  code.parameters = {"n"};
  code.shapes.push_back({.extents = {2, 2}, .strides = {1, 3}});
  code.constants = {~uint64_t(0)};
  code.messages = {"x holds"};
  code.prints.push_back({.pieces = {"n = ", ""}, .values = {{.value = 0}}});
  code.descriptors.push_back(
      {.kind = DescriptorKind::Mem1d, .base = 16, .stride = -1, .extent = 4});
  code.descriptors.push_back({.kind = DescriptorKind::FabricOut,
                              .extent = 65535,
                              .queue = 2,
                              .priority = Priority::High});
  Operation move;
  move.opcode = DsdOpcode::Fmovs;
  move.dest = {.kind = Operand::Kind::Dsd, .value = 2};
  move.source0 = {.kind = Operand::Kind::Dsd, .value = 1};
  move.options.async = true;
  move.options.completion = Completion::Activate;
  move.options.completionTarget = 0;
  move.options.microthread = 3;
  code.operations.push_back(move);
  Function task;
  task.name = "send";
  task.registers = 3;
  task.instructions = {
      make(Opcode::Parameter, 0, none, none, 0),
      make(Opcode::DsdConstant, 1, none, none, 0),
      make(Opcode::DsdConstant, 2, none, none, 1),
      make(Opcode::Dsd, none, none, none, 0),
      make(Opcode::Return, none, none, none),
  };
  task.locations.assign(task.instructions.size(), 1);
  code.functions.push_back(task);
  program.codes.push_back(code);
  Setup setup;
  setup.tasks.push_back({.kind = TaskKind::Local, .id = 8, .function = 0});
  setup.blockedTasks = 0xff;
  setup.activeTasks = 1 << 8;
  setup.outputQueues.push_back({.id = 2, .color = 5, .dense = true});
  setup.teardownHandlers[5] = 0;
  setup.registers = {{0x7e14, 3}};
  program.setups.push_back(setup);
  Router east, west;
  east.colors[5].positions[0] = {.rx = bit(Direction::Ramp),
                                 .tx = bit(Direction::East)};
  west.colors[5].positions[0] = {.rx = bit(Direction::West),
                                 .tx = bit(Direction::Ramp)};
  west.colors[5].positions[2] = {.rx = bit(Direction::West),
                                 .tx = bit(Direction::East)};
  west.colors[5].hasSwitches = true;
  west.colors[5].filter = 0;
  west.filters.push_back({.countData = true, .limit1 = 14, .maxCounter = 1});
  program.routers = {east, west};
  program.pes = {{.setup = 0, .router = 0, .parameters = {8}, .patches = {}},
                 {.setup = 0,
                  .router = 1,
                  .parameters = {8},
                  .patches = {{.address = 20, .data = {1, 2, 3, 4}}}}};
  program.symbols.push_back({.name = "x",
                             .kind = Symbol::Kind::Tensor,
                             .element = ElementKind::Float,
                             .elementBytes = 4,
                             .argumentBits = {},
                             .argumentKinds = {},
                             .places = {{.code = 0, .index = 0}}});
  program.streams.push_back({.name = "in", .color = 6});
  return program;
}

} // namespace sequin::testing

#endif // SEQUIN_TEST_UNIT_WAFER_WAFERTESTSUPPORT_H
