//===- Commit.cpp - Commit engine and register file loads -----------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Engine/ContractPlan.h"
#include "Engine/Engines.h"

using namespace sequin;
using namespace sequin::sim;

/// Bits of a count of valid elements.
static constexpr int64_t kCountBits = 32;

Sink::Sink(const config::ExecCommand &exec, const TcpMachine &machine)
    : exec(exec), machine(machine) {
  const auto *commit = std::get_if<config::CommitStage>(&exec.sink);
  if (!commit)
    return;
  addresses = ByteStream(
      makeByteNest(commit->sequencer.entries, getBitWidth(commit->type)));
  if (!commit->packing)
    return;
  counts =
      ByteStream(makeByteNest(commit->packing->counts.entries, kCountBits));
  capacity = getByteSize(commit->type, *tripCount(commit->sequencer.entries));
}

void Sink::begin(SystemMemory &memory, int64_t slice, const CommandPlan &plan) {
  position = 0;
  addresses.reset();
  if (const auto *commit = std::get_if<config::CommitStage>(&exec.sink)) {
    base = nullptr;
    if (!commit->sliceBitmap.empty() && !takesPart(commit->sliceBitmap, slice))
      return;
    base = memory.dm(exec.chip, slice, plan.commitBegin, plan.commitEnd) +
           commit->sequencer.baseAddress;
    if (!commit->packing)
      return;
    this->slice = slice;
    counts.reset();
    countBase = memory.dm(exec.chip, slice, plan.countBegin, plan.countEnd) +
                commit->packing->counts.baseAddress;
  } else if (std::holds_alternative<config::ToTrfStage>(exec.sink))
    base = memory.trf(exec.chip, slice, exec.fetch.to);
  else
    base = memory.vrf(exec.chip, slice) +
           std::get<config::ToVrfStage>(exec.sink).address;
}

void Sink::write(llvm::ArrayRef<uint8_t> flits) {
  int64_t bytes = flits.size();
  if (const auto *commit = std::get_if<config::CommitStage>(&exec.sink)) {
    if (!base)
      return; // not in the slice bitmap
    if (commit->packing)
      return pack(*commit, flits);
    if (commit->commitInBytes == machine.flitBytes)
      return addresses.write(base, flits.data(), bytes);
    for (int64_t at = 0; at < bytes; at += machine.flitBytes)
      addresses.write(base, flits.data() + at, commit->commitInBytes);
    return;
  }
  if (const auto *toTrf = std::get_if<config::ToTrfStage>(&exec.sink)) {
    // Rows are whole flits, and so are the banks that a row may go on in.
    TrfLayout layout(machine, toTrf->address, toTrf->rows);
    ElementType type = exec.fetch.to;
    int64_t scale = TrfLayout::hostScale(type);
    for (int64_t at = 0; at < bytes;) {
      int64_t row = position / toTrf->bytesPerRow;
      int64_t inRow = position % toTrf->bytesPerRow;
      int64_t inBank = layout.bankBytes() - inRow % layout.bankBytes();
      int64_t piece =
          std::min({(bytes - at) / scale, toTrf->bytesPerRow - inRow, inBank});
      std::memcpy(base + layout.hostOffset(type, row, inRow), flits.data() + at,
                  piece * scale);
      at += piece * scale;
      position += piece;
    }
    return;
  }
  const auto &toVrf = std::get<config::ToVrfStage>(exec.sink);
  int64_t piece = std::min(bytes, toVrf.bytes - position);
  std::memcpy(base + position, flits.data(), piece);
  position += piece;
}

void Sink::pack(const config::CommitStage &commit,
                llvm::ArrayRef<uint8_t> flits) {
  int64_t elementBytes = getByteSize(commit.type, 1);
  for (; !flits.empty() && trouble.empty();
       flits = flits.drop_front(machine.flitBytes)) {
    int32_t count = 0;
    counts.read(countBase, reinterpret_cast<uint8_t *>(&count), sizeof(count));
    int64_t bytes = count * elementBytes;
    if (count < 0 || bytes > machine.flitBytes)
      trouble = "the count of valid elements is " + std::to_string(count) +
                " in slice " + std::to_string(slice) + ", allowed are 0 to " +
                std::to_string(machine.flitBytes / elementBytes);
    else if (bytes > capacity - position)
      trouble =
          "valid elements reach byte " +
          std::to_string(commit.sequencer.baseAddress + position + bytes - 1) +
          " of the DM of slice " + std::to_string(slice) +
          ", the tensor ends at byte " +
          std::to_string(commit.sequencer.baseAddress + capacity - 1);
    else
      std::memcpy(base + position, flits.data(), bytes);
    position += bytes;
  }
}

void sim::runGenerate(const config::GenerateCommand &generate,
                      SystemMemory &memory) {
  constexpr int64_t kBytes = sizeof(generate.value);
  int64_t slices = static_cast<int64_t>(generate.sliceMask.size()) * 64;
  for (int64_t slice = 0; slice < slices; ++slice)
    if (takesPart(generate.sliceMask, slice))
      std::memcpy(memory.dm(generate.chip, slice, generate.address,
                            generate.address + kBytes) +
                      generate.address,
                  &generate.value, kBytes);
}
