//===- SliceProgram.h - Small programs around one pass ----------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Puts arrays into the DM of one slice, runs passes on it and brings arrays
// back.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_TEST_UNIT_SIM_SLICEPROGRAM_H
#define SEQUIN_TEST_UNIT_SIM_SLICEPROGRAM_H

#include "GemmProgram.h"
#include "Row.h"
#include "llvm/ADT/bit.h"
#include "gmock/gmock.h"

namespace sequin::testing {

/// Elements from numbers: rounded for floating-point types.
template <class T>
sim::HostArray arrayOf(ElementType type, const std::vector<T> &values) {
  sim::HostArray array;
  array.type = type;
  array.shape = {static_cast<int64_t>(values.size())};
  // i4 has a byte per element on the host.
  ElementType slot = type == ElementType::I4 ? ElementType::I8 : type;
  array.data.resize(getByteSize(slot, values.size()));
  for (size_t i = 0; i < values.size(); ++i)
    storeElement(slot, array.data.data(), i,
                 isFloat(type)
                     ? encodeFloat(type, static_cast<float>(values[i]))
                     : encodeInt(slot, static_cast<int32_t>(values[i])));
  return array;
}

inline std::vector<float> floatsOf(const sim::HostArray &array) {
  std::vector<float> values;
  int64_t count = array.data.size() * 8 / getBitWidth(array.type);
  for (int64_t i = 0; i < count; ++i)
    values.push_back(
        decodeFloat(array.type, loadElement(array.type, array.data.data(), i)));
  return values;
}

inline std::vector<int32_t> intsOf(const sim::HostArray &array) {
  ElementType slot =
      array.type == ElementType::I4 ? ElementType::I8 : array.type;
  std::vector<int32_t> values;
  int64_t count = array.data.size() * 8 / getBitWidth(slot);
  for (int64_t i = 0; i < count; ++i)
    values.push_back(decodeInt(slot, loadElement(slot, array.data.data(), i)));
  return values;
}

inline std::vector<int> iota(int count, int first = 0) {
  std::vector<int> values(count);
  for (int i = 0; i < count; ++i)
    values[i] = first + i;
  return values;
}

/// The stages every pass has, with collect as fetch wants it.
inline config::ExecCommand makeExec(config::Sequencer sequencer,
                                    ElementType from, ElementType to,
                                    int64_t accessBytes) {
  config::ExecCommand exec;
  exec.sliceMask = firstSlices(1);
  exec.fetch.packetElements = 1;
  for (const config::Loop &entry :
       llvm::ArrayRef(sequencer.entries).take_back(sequencer.packetEntries))
    exec.fetch.packetElements *= entry.size;
  exec.fetch.sequencer = std::move(sequencer);
  exec.fetch.from = from;
  exec.fetch.to = to;
  exec.fetch.accessBytes = accessBytes;
  exec.fetch.fetchesPerPacket =
      getByteSize(from, exec.fetch.packetElements) / accessBytes;
  exec.collect.packetBytes = getByteSize(to, exec.fetch.packetElements);
  exec.collect.flitsPerPacket = (exec.collect.packetBytes + 31) / 32;
  return exec;
}

class SliceProgram {
public:
  SliceProgram() {
    program.target = machine.name.str();
    program.name = "test";
  }

  /// The array is in the slice's DM at `address` before the passes run.
  void input(sim::HostArray array, int64_t address) {
    std::string name = "in" + std::to_string(inputs.size());
    int64_t elements = array.shape[0];
    int64_t bytes = getByteSize(array.type, elements);
    program.inputs.push_back({name, array.type, {elements}});
    program.commands.push_back(denseTransfer(
        "transfer_" + name, true, inputs.size(), array.type, elements, hbm));
    program.commands.push_back(copy("dma_" + name, true, bytes, address));
    inputs.push_back(std::move(array));
  }
  void exec(config::ExecCommand command, std::string name = "exec") {
    program.commands.push_back({std::move(name), "", std::move(command)});
  }
  void output(ElementType type, int64_t elements, int64_t address) {
    std::string name = "out" + std::to_string(program.outputs.size());
    program.commands.push_back(
        copy("dma_" + name, false, getByteSize(type, elements), address));
    // copy() has moved on to the next free place.
    program.commands.push_back(denseTransfer("transfer_" + name, false,
                                             program.outputs.size(), type,
                                             elements, hbm - kPlace));
    program.outputs.push_back({name, type, {elements}});
  }

  llvm::Expected<sim::Result> run(const sim::Options &options = {}) {
    return sim::run(program, machine, inputs, options);
  }
  /// The outputs of a run that must work.
  std::vector<sim::HostArray> outputs() {
    llvm::Expected<sim::Result> result = run();
    if (!result) {
      ADD_FAILURE() << llvm::toString(result.takeError());
      std::vector<sim::HostArray> none;
      for (const config::Argument &output : program.outputs)
        none.push_back({output.type, {0}, {}});
      return none;
    }
    report = result->report;
    return std::move(result->outputs);
  }
  /// The text of the error of a run that must fail.
  std::string error() {
    llvm::Expected<sim::Result> result = run();
    return result ? "no error" : llvm::toString(result.takeError());
  }
  /// Cycles of a stage of the command called `command`.
  int64_t stage(llvm::StringRef command, llvm::StringRef name) {
    llvm::Expected<sim::Result> result = run({.timingOnly = true});
    if (!result) {
      ADD_FAILURE() << llvm::toString(result.takeError());
      return -1;
    }
    for (const sim::CommandTiming &timing : result->report.commands)
      if (timing.name == command)
        for (const auto &[stage, cycles] : timing.stages)
          if (stage == name)
            return cycles;
    return -1;
  }

  const TcpMachine &machine = *lookupTcpMachine("rngd");
  config::Program program;
  std::vector<sim::HostArray> inputs;
  sim::Report report;

private:
  static constexpr int64_t kPlace = 1 << 24;

  config::Command copy(std::string name, bool toDm, int64_t bytes,
                       int64_t address) {
    config::DmaDescriptor descriptor;
    descriptor.sourceAddress = toDm ? hbm : address;
    descriptor.destinationAddress = toDm ? address : hbm;
    // DM is written in whole words.
    bytes = (bytes + 7) / 8 * 8;
    descriptor.packetBytes = 8;
    descriptor.entries = {{bytes / 8, 8, 8}};
    hbm += kPlace;
    config::DmaCommand dma;
    dma.source = toDm ? config::Memory::Hbm : config::Memory::Dm;
    dma.destination = toDm ? config::Memory::Dm : config::Memory::Hbm;
    dma.descriptors.push_back(std::move(descriptor));
    return {std::move(name), "", std::move(dma)};
  }

  int64_t hbm = 0;
};

} // namespace sequin::testing

#endif // SEQUIN_TEST_UNIT_SIM_SLICEPROGRAM_H
