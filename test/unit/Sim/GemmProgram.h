//===- GemmProgram.h - A hand-built matrix product --------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// C[m, n] = sum over k of A[m, k] B[n, k] in bf16 with f32 accumulation, tiled
// over slices, as a configuration written without the compiler. Tests and the
// simulator benchmark share it.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_TEST_UNIT_SIM_GEMMPROGRAM_H
#define SEQUIN_TEST_UNIT_SIM_GEMMPROGRAM_H

#include "sequin/Sim/Simulator.h"
#include "sequin/Support/Arithmetic.h"

namespace sequin::testing {

/// Slice s works on tile (s / gridN, s % gridN) of gridM x gridN tiles. gridN
/// divides the slices of a DMA engine, and the tiles fill whole engines or fit
/// into one. tileN is a multiple of 8, k of 32.
struct GemmShape {
  int64_t gridM, gridN, tileM, tileN, k;
  int64_t m() const { return gridM * tileM; }
  int64_t n() const { return gridN * tileN; }
};

inline constexpr int64_t kGemmAddressB = 1 << 17;
inline constexpr int64_t kGemmAddressC = 1 << 18;

inline std::vector<uint64_t> firstSlices(int64_t count) {
  std::vector<uint64_t> mask(8, 0);
  for (int64_t i = 0; i < count; ++i)
    mask[i / 64] |= uint64_t(1) << (i % 64);
  return mask;
}

/// A dense row-major copy of one argument.
inline config::Command denseTransfer(std::string name, bool toDevice,
                                     int64_t argument, ElementType type,
                                     int64_t elements, int64_t address) {
  config::Transfer transfer;
  transfer.direction = toDevice ? config::Transfer::Direction::ToDevice
                                : config::Transfer::Direction::ToHost;
  transfer.argument = argument;
  transfer.type = type;
  transfer.deviceAddress = address;
  transfer.entries = {{elements, 1, 1}};
  return {std::move(name), "", std::move(transfer)};
}

/// Moves the rows of all tiles; strides are per tile row (m), tile column (n)
/// and row inside the tile, on the HBM side.
inline config::Command tileDma(std::string name, bool toDm,
                               const GemmShape &shape,
                               const TcpMachine &machine, int64_t hbmAddress,
                               int64_t dmAddress, int64_t tileStrideM,
                               int64_t tileStrideN, int64_t rows,
                               int64_t hbmRowStride, int64_t rowBytes) {
  config::DmaCommand dma;
  dma.source = toDm ? config::Memory::Hbm : config::Memory::Dm;
  dma.destination = toDm ? config::Memory::Dm : config::Memory::Hbm;
  int64_t tilesPerEngine =
      std::min(shape.gridM * shape.gridN, machine.slicesPerEngine);
  int64_t engines = shape.gridM * shape.gridN / tilesPerEngine;
  int64_t rowsOfTiles = tilesPerEngine / shape.gridN;
  int64_t packet = std::min(rowBytes, machine.dmaMaxPacketBytes);
  for (int64_t engine = 0; engine < engines; ++engine) {
    config::DmaDescriptor descriptor;
    descriptor.engine = engine;
    descriptor.packetBytes = packet;
    int64_t hbm = hbmAddress + engine * rowsOfTiles * tileStrideM;
    int64_t dm = engine * tilesPerEngine * machine.dmSliceStride + dmAddress;
    descriptor.sourceAddress = toDm ? hbm : dm;
    descriptor.destinationAddress = toDm ? dm : hbm;
    auto add = [&](int64_t size, int64_t hbmStride, int64_t dmStride) {
      if (size > 1)
        descriptor.entries.push_back(
            {size, toDm ? hbmStride : dmStride, toDm ? dmStride : hbmStride});
    };
    add(rowsOfTiles, tileStrideM, shape.gridN * machine.dmSliceStride);
    add(shape.gridN, tileStrideN, machine.dmSliceStride);
    add(rows, hbmRowStride, rowBytes);
    add(rowBytes / packet, packet, packet);
    dma.descriptors.push_back(std::move(descriptor));
  }
  return {std::move(name), "", std::move(dma)};
}

/// With `broadcast` every activation packet is fetched once and repeated for
/// all groups of 8 columns, whose sums share the accumulator; without it the
/// activations are fetched again for each group.
inline config::Program makeGemm(const GemmShape &shape,
                                const TcpMachine &machine, bool broadcast) {
  constexpr int64_t bytes = 2; // bf16
  constexpr int64_t hbmA = 0, hbmB = 1 << 28, hbmC = 2 << 28;
  int64_t k = shape.k, groups = shape.tileN / 8;
  config::Program program;
  program.target = machine.name.str();
  program.name = "gemm";
  program.macs = shape.m() * shape.n() * k;
  program.inputs = {{"a", ElementType::BF16, {shape.m(), k}},
                    {"b", ElementType::BF16, {shape.n(), k}}};
  program.outputs = {{"c", ElementType::BF16, {shape.m(), shape.n()}}};
  auto &commands = program.commands;
  commands.push_back(
      denseTransfer("in_a", true, 0, ElementType::BF16, shape.m() * k, hbmA));
  commands.push_back(
      denseTransfer("in_b", true, 1, ElementType::BF16, shape.n() * k, hbmB));
  commands.push_back(tileDma("load_b", true, shape, machine, hbmB,
                             kGemmAddressB, 0, shape.tileN * k * bytes,
                             shape.tileN, k * bytes, k * bytes));
  commands.push_back(tileDma("load_a", true, shape, machine, hbmA, 0,
                             shape.tileM * k * bytes, 0, shape.tileM, k * bytes,
                             k * bytes));
  std::vector<uint64_t> mask = firstSlices(shape.gridM * shape.gridN);

  config::ExecCommand weights;
  weights.context = config::Context::Sub;
  weights.sliceMask = mask;
  weights.fetch.sequencer = {
      kGemmAddressB, {{8, k}, {groups, 8 * k}, {k, 1}}, 1};
  weights.fetch.from = weights.fetch.to = ElementType::BF16;
  weights.fetch.packetElements = k;
  weights.fetch.accessBytes = 8;
  weights.fetch.fetchesPerPacket = k * bytes / 8;
  weights.collect = {k * bytes, k * bytes / 32};
  weights.sink =
      config::ToTrfStage{config::TrfAddress::Full, 8, groups * k * bytes};
  commands.push_back({"weights", "", weights});

  config::ExecCommand product;
  product.sliceMask = mask;
  product.fetch.from = product.fetch.to = ElementType::BF16;
  product.fetch.packetElements = k;
  product.fetch.accessBytes = 32;
  product.fetch.fetchesPerPacket = k * bytes / 32;
  product.collect = {k * bytes, k * bytes / 32};
  config::ContractStage &contract = product.contract.emplace();
  if (broadcast) {
    product.fetch.sequencer = {0, {{shape.tileM, k}, {k, 1}}, 1};
    contract.timeBroadcast = groups;
    contract.trf.entries = {{shape.tileM, 0}, {k / 32, 32}, {groups, k}};
    contract.loops = {
        {shape.tileM, 0, false}, {k / 32, 0, true}, {groups, 1, false}};
  } else {
    product.fetch.sequencer = {0, {{shape.tileM, k}, {groups, 0}, {k, 1}}, 1};
    contract.trf.entries = {{shape.tileM, 0}, {groups, k}, {k / 32, 32}};
    contract.loops = {
        {shape.tileM, 0, false}, {groups, 0, false}, {k / 32, 0, true}};
  }
  product.cast = config::CastStage{ElementType::F32, ElementType::BF16};
  config::CommitStage commit;
  commit.type = ElementType::BF16;
  commit.sequencer = {
      kGemmAddressC, {{shape.tileM, shape.tileN}, {groups, 8}, {8, 1}}, 1};
  commit.commitInBytes = commit.accessBytes = 16;
  product.sink = commit;
  commands.push_back({"product", "", product});

  commands.push_back(tileDma("store_c", false, shape, machine, hbmC,
                             kGemmAddressC, shape.tileM * shape.n() * bytes,
                             shape.tileN * bytes, shape.tileM,
                             shape.n() * bytes, shape.tileN * bytes));
  commands.push_back(denseTransfer("out_c", false, 0, ElementType::BF16,
                                   shape.m() * shape.n(), hbmC));
  return program;
}

/// Integers from -range to range, in any order but always the same.
inline sim::HostArray integerBf16(llvm::ArrayRef<int64_t> shape, int range,
                                  uint32_t seed) {
  sim::HostArray array;
  array.type = ElementType::BF16;
  array.shape.assign(shape.begin(), shape.end());
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  array.data.resize(count * 2);
  for (int64_t i = 0; i < count; ++i) {
    seed = seed * 1664525u + 1013904223u;
    int value = static_cast<int>((seed >> 16) % (2 * range + 1)) - range;
    storeElement(ElementType::BF16, array.data.data(), i,
                 floatToBf16(static_cast<float>(value)));
  }
  return array;
}

} // namespace sequin::testing

#endif // SEQUIN_TEST_UNIT_SIM_GEMMPROGRAM_H
