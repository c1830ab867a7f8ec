//===- Commit.cpp - Commit engine and register file loads -----------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractPlan.h"
#include "Engines.h"

using namespace sequin;
using namespace sequin::sim;

Sink::Sink(const config::ExecCommand &exec, const TcpMachine &machine)
    : exec(exec), machine(machine) {
  if (const auto *commit = std::get_if<config::CommitStage>(&exec.sink))
    addresses = ByteStream(
        makeByteNest(commit->sequencer.entries, getBitWidth(commit->type)));
}

void Sink::begin(SystemMemory &memory, int64_t slice, const CommandPlan &plan) {
  position = 0;
  addresses.reset();
  if (const auto *commit = std::get_if<config::CommitStage>(&exec.sink))
    base = memory.dm(exec.chip, slice, plan.commitBegin, plan.commitEnd) +
           commit->sequencer.baseAddress;
  else if (const auto *toTrf = std::get_if<config::ToTrfStage>(&exec.sink))
    base =
        memory.trf(exec.chip, slice) + trfPart(machine, toTrf->address).begin;
  else
    base = memory.vrf(exec.chip, slice) +
           std::get<config::ToVrfStage>(exec.sink).address;
}

void Sink::write(llvm::ArrayRef<uint8_t> flits) {
  int64_t bytes = flits.size();
  if (const auto *commit = std::get_if<config::CommitStage>(&exec.sink)) {
    if (commit->commitInBytes == machine.flitBytes)
      return addresses.write(base, flits.data(), bytes);
    for (int64_t at = 0; at < bytes; at += machine.flitBytes)
      addresses.write(base, flits.data() + at, commit->commitInBytes);
    return;
  }
  if (const auto *toTrf = std::get_if<config::ToTrfStage>(&exec.sink)) {
    for (int64_t at = 0; at < bytes;) {
      int64_t row = position / toTrf->bytesPerRow;
      int64_t inRow = position % toTrf->bytesPerRow;
      int64_t piece = std::min(bytes - at, toTrf->bytesPerRow - inRow);
      std::memcpy(base + row * machine.trfBytesPerRow + inRow,
                  flits.data() + at, piece);
      at += piece;
      position += piece;
    }
    return;
  }
  const auto &toVrf = std::get<config::ToVrfStage>(exec.sink);
  int64_t piece = std::min(bytes, toVrf.bytes - position);
  std::memcpy(base + position, flits.data(), piece);
  position += piece;
}
