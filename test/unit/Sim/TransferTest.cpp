//===- TransferTest.cpp - Host transfers ----------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements are moved in runs and tiles; where they go is the entries' matter
// alone.
//
//===----------------------------------------------------------------------===//

#include "SliceProgram.h"
#include <numeric>
#include <random>

using namespace sequin;
using namespace sequin::testing;
using ::testing::Each;
using enum ElementType;

/// A transfer of dense arrays whose axes, of these sizes on the host from the
/// outermost on, are in another order on the device.
static config::Command permuting(std::string name, bool toDevice,
                                 ElementType type,
                                 const std::vector<int64_t> &sizes,
                                 const std::vector<int64_t> &order) {
  config::Command command =
      denseTransfer(std::move(name), toDevice, 0, type, 1, 3 << 20);
  auto &transfer = std::get<config::Transfer>(command.body);
  transfer.entries.clear();
  for (int64_t size : sizes)
    transfer.entries.push_back({size, 0, 0});
  int64_t stride = 1;
  for (auto &entry : llvm::reverse(transfer.entries)) {
    entry.hostStride = stride;
    stride *= entry.size;
  }
  stride = 1;
  for (int64_t axis : llvm::reverse(order)) {
    transfer.entries[axis].deviceStride = stride;
    stride *= sizes[axis];
  }
  return command;
}

static std::vector<uint8_t> run(const config::Program &program,
                                const std::vector<sim::HostArray> &inputs) {
  llvm::Expected<sim::Result> result =
      sim::run(program, *lookupTcpMachine("rngd"), inputs);
  if (result)
    return result->outputs[0].data;
  ADD_FAILURE() << llvm::toString(result.takeError());
  return {};
}

/// As permuting() with elements of `bytes` each.
static std::vector<uint8_t> permuted(const std::vector<uint8_t> &data,
                                     int64_t bytes,
                                     const config::Transfer &transfer,
                                     bool toDevice) {
  std::vector<uint8_t> result(data.size());
  int64_t count = data.size() / bytes;
  for (int64_t i = 0; i < count; ++i) {
    int64_t host = 0, device = 0, rest = i;
    for (const auto &entry : llvm::reverse(transfer.entries)) {
      host += rest % entry.size * entry.hostStride;
      device += rest % entry.size * entry.deviceStride;
      rest /= entry.size;
    }
    std::memcpy(result.data() + (toDevice ? device : host) * bytes,
                data.data() + (toDevice ? host : device) * bytes, bytes);
  }
  return result;
}

TEST(TransferOrder, AxesInAnyOrder) {
  constexpr unsigned kSeed = 5;
  std::mt19937 random(kSeed);
  std::vector<std::vector<int64_t>> shapes = {
      {37, 533}, {600, 40}, {5, 70, 33}, {3, 4, 33, 7}, {2, 1, 1029}};
  for (ElementType type : {I8, BF16, F32})
    for (const std::vector<int64_t> &sizes : shapes)
      for (int round = 0; round < 4; ++round) {
        std::vector<int64_t> order(sizes.size());
        std::iota(order.begin(), order.end(), 0);
        std::shuffle(order.begin(), order.end(), random);
        SCOPED_TRACE("seed " + std::to_string(kSeed) + ", " +
                     getName(type).str() + ", axes " +
                     ::testing::PrintToString(order) + " of " +
                     ::testing::PrintToString(sizes));
        int64_t count = std::accumulate(sizes.begin(), sizes.end(), int64_t(1),
                                        std::multiplies<>());
        int64_t bytes = getBitWidth(type) / 8;
        sim::HostArray in{type, {count}, std::vector<uint8_t>(count * bytes)};
        for (uint8_t &byte : in.data)
          byte = random();
        config::Program program;
        program.target = "rngd";
        program.inputs = {{"in", type, {count}}};
        program.outputs = {{"out", type, {count}}};
        config::Command there = permuting("in", true, type, sizes, order);
        config::Command back = permuting("out", false, type, sizes, order);
        auto &transfer = std::get<config::Transfer>(there.body);
        program.commands = {
            there, denseTransfer("out", false, 0, type, count, 3 << 20)};
        EXPECT_EQ(run(program, {in}), permuted(in.data, bytes, transfer, true));
        program.commands = {denseTransfer("in", true, 0, type, count, 3 << 20),
                            back};
        EXPECT_EQ(run(program, {in}),
                  permuted(in.data, bytes, transfer, false));
      }
}

TEST(TransferOrder, OneElementManyTimes) {
  for (const std::vector<int64_t> &order :
       {std::vector<int64_t>{0, 1}, {1, 0}}) {
    config::Program program;
    program.target = "rngd";
    program.constants = {{"same", I16, {300, 200}, {0x34, 0x12}}};
    program.outputs = {{"out", I16, {60000}}};
    config::Command same = permuting("same", true, I16, {300, 200}, order);
    std::get<config::Transfer>(same.body).constant = true;
    program.commands = {same,
                        denseTransfer("out", false, 0, I16, 60000, 3 << 20)};
    sim::HostArray out{I16, {60000}, run(program, {})};
    EXPECT_EQ(out.data.size(), 120000u);
    EXPECT_THAT(intsOf(out), Each(0x1234));
  }
}
