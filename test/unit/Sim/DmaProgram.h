//===- DmaProgram.h - Programs of one DMA command ---------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_TEST_UNIT_SIM_DMAPROGRAM_H
#define SEQUIN_TEST_UNIT_SIM_DMAPROGRAM_H

#include "SliceProgram.h"

namespace sequin::testing {

/// Slice stride of the flat DM space, and the distance of its networks.
inline constexpr int64_t kSlice = 4 << 20;
inline constexpr int64_t kNetwork = 32 * kSlice;

inline config::DmaDescriptor
descriptor(int64_t source, int64_t destination,
           llvm::SmallVector<config::DmaDescriptor::Entry, 8> entries,
           int64_t packet, int64_t engine = 0) {
  config::DmaDescriptor result;
  result.engine = engine;
  result.sourceAddress = source;
  result.destinationAddress = destination;
  result.entries = std::move(entries);
  result.packetBytes = packet;
  return result;
}

inline config::Program oneDma(config::Memory source, config::Memory destination,
                              std::vector<config::DmaDescriptor> descriptors,
                              int64_t chips = 1) {
  config::Program program;
  program.target = "rngd";
  program.chips = chips;
  config::Command command;
  command.name = "dma";
  command.body =
      config::DmaCommand{source, destination, std::move(descriptors)};
  program.commands.push_back(std::move(command));
  return program;
}

inline llvm::Expected<sim::Result>
timing(const config::Program &program,
       const TcpMachine &machine = *lookupTcpMachine("rngd")) {
  return sim::run(program, machine, {}, {.timingOnly = true});
}

inline int64_t cyclesOf(const config::Program &program,
                        const TcpMachine &machine = *lookupTcpMachine("rngd")) {
  llvm::Expected<sim::Result> result = timing(program, machine);
  if (!result) {
    ADD_FAILURE() << llvm::toString(result.takeError());
    return -1;
  }
  return result->report.cycles;
}

/// Cycles of a stage of the first command; -1 if it has no such stage.
inline int64_t stageOf(const config::Program &program, llvm::StringRef name,
                       const TcpMachine &machine = *lookupTcpMachine("rngd")) {
  llvm::Expected<sim::Result> result = timing(program, machine);
  if (!result) {
    ADD_FAILURE() << llvm::toString(result.takeError());
    return -1;
  }
  for (const auto &[stage, cycles] : result->report.commands[0].stages)
    if (stage == name)
      return cycles;
  return -1;
}

inline std::string errorOf(const config::Program &program) {
  llvm::Expected<sim::Result> result = timing(program);
  return result ? "no error" : llvm::toString(result.takeError());
}

} // namespace sequin::testing

#endif // SEQUIN_TEST_UNIT_SIM_DMAPROGRAM_H
