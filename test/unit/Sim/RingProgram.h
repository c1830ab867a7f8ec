//===- RingProgram.h - Passes in which slices exchange data -----*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_TEST_UNIT_SIM_RINGPROGRAM_H
#define SEQUIN_TEST_UNIT_SIM_RINGPROGRAM_H

#include "SliceProgram.h"
#include "sequin/Sim/RingTrace.h"

namespace sequin::testing {

/// A snoop bitmap with the bits of slices 0 to count - 1.
inline std::vector<uint64_t> lowBits(int64_t count) {
  std::vector<uint64_t> words((count + 63) / 64, 0);
  for (int64_t i = 0; i < count; ++i)
    words[i / 64] |= uint64_t(1) << (i % 64);
  return words;
}

/// The first slices of a chip hold packets of whole i32 flits; the first lane
/// of packet p of slice s is 10 s + p, lane l adds 100000 l. One pass fetches,
/// collects and commits them; tests put stages in between.
class RingProgram {
public:
  RingProgram(int64_t slices, int64_t packets, int64_t flits = 1)
      : slices(slices), words(packets * flits * 8) {
    exec = makeExec({0, {{packets, flits * 8}, {flits * 8, 1}}, 1},
                    ElementType::I32, ElementType::I32, 32);
    exec.sliceMask = firstSlices(slices);
    for (int64_t slice = 0; slice < slices; ++slice)
      for (int64_t packet = 0; packet < packets; ++packet)
        for (int64_t lane = 0; lane < flits * 8; ++lane)
          input.push_back(10 * slice + packet + 100000 * lane);
  }

  /// The first lane of every packet that every slice commits.
  std::vector<std::vector<int>> run() {
    std::vector<std::vector<int>> found;
    for (const std::vector<int32_t> &stream : runWords()) {
      std::vector<int> &packets = found.emplace_back();
      for (size_t i = 0; i < stream.size(); i += 8)
        packets.push_back(stream[i]);
    }
    return found;
  }
  /// All of what every slice commits.
  std::vector<std::vector<int32_t>> runWords() {
    llvm::Expected<sim::Result> result =
        sim::run(program(), machine, {arrayOf(type, input)}, {});
    std::vector<std::vector<int32_t>> found(slices);
    if (!result) {
      ADD_FAILURE() << llvm::toString(result.takeError());
      return found;
    }
    std::vector<int32_t> all = intsOf(result->outputs[0]);
    for (int64_t i = 0; i < slices; ++i)
      found[i].assign(all.begin() + i * outWords(),
                      all.begin() + (i + 1) * outWords());
    return found;
  }
  std::string error() {
    llvm::Expected<sim::Result> result =
        sim::run(program(), machine, {arrayOf(type, input)}, {});
    return result ? "no error" : llvm::toString(result.takeError());
  }
  /// Cycles of a stage, the same in timing mode and in functional mode; -1 if
  /// the pass has no such stage. Of "fill" those that the pass takes longer
  /// than its longest stage.
  int64_t stage(llvm::StringRef name) {
    int64_t found[2] = {-1, -1};
    for (bool timingOnly : {false, true}) {
      llvm::Expected<sim::Result> result =
          sim::run(program(), machine, {arrayOf(type, input)},
                   {.timingOnly = timingOnly});
      if (!result) {
        ADD_FAILURE() << llvm::toString(result.takeError());
        return -1;
      }
      for (const sim::CommandTiming &timing : result->report.commands)
        if (timing.name == "exec") {
          int64_t longest = 0;
          for (const auto &[stage, cycles] : timing.stages) {
            longest = std::max(longest, cycles);
            if (stage == name)
              found[timingOnly] = cycles;
          }
          if (name == "fill")
            found[timingOnly] = timing.end - timing.start - longest;
        }
    }
    EXPECT_EQ(found[0], found[1]);
    return found[0];
  }

  /// When a sub-context pass and a DMA command start that touch nothing of the
  /// pass, which comes before them.
  struct Beside {
    int64_t passBegin = -1, passEnd = -1, sub = -1, dma = -1;
  };
  Beside startsBeside() {
    config::Program all = program();
    config::ExecCommand sub = makeExec({1 << 16, {{4, 8}, {8, 1}}, 1},
                                       ElementType::I32, ElementType::I32, 8);
    sub.context = config::Context::Sub;
    sub.sliceMask.assign(8, 0);
    sub.sliceMask[7] = uint64_t(1) << 63;
    sub.sink = config::ToVrfStage{0, 128};
    config::DmaDescriptor descriptor;
    descriptor.engine = machine.dmaEngines - 1;
    descriptor.sourceAddress = 1 << 27;
    descriptor.destinationAddress = 511 * machine.dmSliceStride;
    descriptor.packetBytes = 64;
    config::DmaCommand dma;
    dma.descriptors.push_back(std::move(descriptor));
    auto behindPass = all.commands.end() - 2;
    behindPass = all.commands.insert(behindPass, {"dma", "", std::move(dma)});
    all.commands.insert(behindPass, {"sub", "", std::move(sub)});
    llvm::Expected<sim::Result> result =
        sim::run(all, machine, {}, {.timingOnly = true});
    Beside found;
    if (!result) {
      ADD_FAILURE() << llvm::toString(result.takeError());
      return found;
    }
    for (const sim::CommandTiming &timing : result->report.commands) {
      if (timing.name == "exec")
        found.passBegin = timing.start, found.passEnd = timing.end;
      if (timing.name == "sub")
        found.sub = timing.start;
      if (timing.name == "dma")
        found.dma = timing.start;
    }
    return found;
  }

  TcpMachine machine = *lookupTcpMachine("rngd");
  config::ExecCommand exec;
  ElementType type = ElementType::I32;
  /// What leaves the pass; of the same size.
  ElementType commitType = ElementType::I32;
  std::vector<int32_t> input;

private:
  static constexpr int64_t kResult = 1 << 18;

  int64_t inputPackets() const {
    int64_t packets = 1;
    llvm::ArrayRef<config::Loop> entries = exec.fetch.sequencer.entries;
    for (const config::Loop &entry :
         entries.drop_back(exec.fetch.sequencer.packetEntries))
      packets *= entry.size;
    return packets;
  }
  /// Words that a slice commits: what its routers let it take.
  int64_t outWords() const {
    int64_t flits = inputPackets() * exec.collect.flitsPerPacket;
    auto taken = [](const config::Routing &routing, bool ofEverySource) {
      int64_t count = 1;
      for (const config::Loop &loop : routing.packets)
        count *= loop.size;
      if (!ofEverySource || routing.routers.empty())
        return count;
      int64_t sources = 0;
      for (uint64_t word : routing.routers[0].sources)
        sources += llvm::popcount(word);
      return count * sources;
    };
    if (exec.switching)
      flits =
          taken(exec.switching->routing, true) * exec.collect.flitsPerPacket;
    if (exec.vector && exec.vector->interSlice)
      flits = taken(exec.vector->interSlice->routing, false);
    return flits * 8;
  }

  config::Program program() {
    config::Program program;
    program.target = machine.name.str();
    program.name = "test";
    int64_t outputs = outWords();
    program.inputs = {{"in", type, {static_cast<int64_t>(input.size())}}};
    program.outputs = {{"out", type, {slices * outputs}}};
    auto &commands = program.commands;
    commands.push_back(denseTransfer("put", true, 0, type, input.size(), 0));
    commands.push_back(copy("load", true, words));
    config::ExecCommand pass = exec;
    pass.sink = config::CommitStage{
        commitType, {kResult, {{outputs / 8, 8}, {8, 1}}, 1}, 32, 32};
    commands.push_back({"exec", "", std::move(pass)});
    commands.push_back(copy("store", false, outputs));
    commands.push_back(
        denseTransfer("get", false, 0, type, slices * outputs, kHbm));
    return program;
  }

  /// Between the slices' DM and a dense array, `count` words per slice.
  config::Command copy(std::string name, bool toDm, int64_t count) {
    config::DmaCommand dma;
    dma.source = toDm ? config::Memory::Hbm : config::Memory::Dm;
    dma.destination = toDm ? config::Memory::Dm : config::Memory::Hbm;
    int64_t perEngine = machine.slicesPerEngine;
    for (int64_t first = 0; first < slices; first += perEngine) {
      int64_t here = std::min(perEngine, slices - first);
      int64_t hbm = first * count * 4 + (toDm ? 0 : kHbm);
      int64_t dm = first * machine.dmSliceStride + (toDm ? 0 : kResult);
      config::DmaDescriptor descriptor;
      descriptor.engine = first / perEngine;
      descriptor.sourceAddress = toDm ? hbm : dm;
      descriptor.destinationAddress = toDm ? dm : hbm;
      int64_t stride = machine.dmSliceStride;
      descriptor.entries = {
          {here, toDm ? count * 4 : stride, toDm ? stride : count * 4},
          {count / 8, 32, 32}};
      descriptor.packetBytes = 32;
      dma.descriptors.push_back(std::move(descriptor));
    }
    return {std::move(name), "", std::move(dma)};
  }

  static constexpr int64_t kHbm = 1 << 26;
  int64_t slices, words;
};

} // namespace sequin::testing

#endif // SEQUIN_TEST_UNIT_SIM_RINGPROGRAM_H
