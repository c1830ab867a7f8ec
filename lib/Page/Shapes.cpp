//===- Shapes.cpp - What a command does, without addresses ----------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Shapes.h"
#include "llvm/ADT/StringExtras.h"

using namespace sequin;
using namespace sequin::page;
using llvm::json::OStream;

namespace {
class Shape {
public:
  Shape(OStream &out, const TcpMachine &machine) : out(out), machine(machine) {}
  void write(const config::Command &command);

private:
  void pass(const config::ExecCommand &exec);
  void move(const config::DmaCommand &dma);
  void transfer(const config::Transfer &transfer);

  /// Runs of slices that take part: first, number.
  void slices(llvm::ArrayRef<uint64_t> mask);
  void stage(llvm::StringRef name, llvm::function_ref<void()> fields) {
    out.object([&] {
      out.attribute("stage", name);
      fields();
    });
  }
  void sequencer(const config::Sequencer &sequencer, int64_t elementBits) {
    out.attribute("bits", elementBits);
    out.attribute("packet", sequencer.packetEntries);
    out.attributeArray("loops", [&] {
      for (const config::Loop &loop : sequencer.entries)
        pair(loop.size, loop.stride);
    });
  }
  void pair(int64_t first, int64_t second) {
    out.array([&] {
      out.value(first);
      out.value(second);
    });
  }
  void contract(const config::ContractStage &contract);
  void vector(const config::VectorStage &vector);
  void sink(const config::ExecCommand &exec);

  OStream &out;
  const TcpMachine &machine;
};
} // namespace

void Shape::slices(llvm::ArrayRef<uint64_t> mask) {
  out.attributeArray("slices", [&] {
    int64_t size = static_cast<int64_t>(mask.size()) * 64;
    auto has = [&](int64_t i) { return mask[i / 64] >> (i % 64) & 1; };
    for (int64_t i = 0; i < size; ++i) {
      if (!has(i))
        continue;
      int64_t first = i;
      while (i < size && has(i))
        ++i;
      pair(first, i - first);
    }
  });
}

void Shape::contract(const config::ContractStage &contract) {
  stage("contract", [&] {
    out.attribute("type", getName(contract.type));
    out.attribute("rows", contract.rows);
    out.attribute("columns", contract.columns);
    out.attribute("depth", contract.depth);
    out.attribute("lanes", machine.lanes(contract.type));
    out.attribute("interleaved",
                  contract.kind == config::AccumulationKind::Interleaved);
    out.attribute("max", contract.reduceOp == config::ReduceOp::Max);
    if (contract.shifts)
      out.attribute("shifts", contract.shifts);
    if (contract.timeBroadcast != 1)
      out.attribute("broadcast", contract.timeBroadcast);
    // [size, whether it is summed]
    out.attributeArray("time", [&] {
      for (const config::AccumulateLoop &loop : contract.loops)
        pair(loop.size, loop.reduced);
    });
    sequencer(contract.trf, getBitWidth(contract.type));
  });
}

void Shape::vector(const config::VectorStage &vector) {
  stage("vector", [&] {
    out.attribute("type", getName(vector.type));
    out.attributeArray("ops", [&] {
      for (const config::VectorOp &op : vector.ops)
        out.value(getName(op.opcode));
      if (vector.intraSliceReduce)
        out.value("reduce in the slice");
      if (vector.interSlice)
        out.value("reduce over slices");
      for (const config::VectorOp &op : vector.opsAfter)
        out.value(getName(op.opcode));
    });
    if (vector.interSlice)
      out.attribute("ring", vector.interSlice->routing.ringSize);
  });
}

void Shape::sink(const config::ExecCommand &exec) {
  if (const auto *commit = std::get_if<config::CommitStage>(&exec.sink))
    stage("commit", [&] {
      out.attribute("type", getName(commit->type));
      out.attribute("access", commit->accessBytes);
      sequencer(commit->sequencer, getBitWidth(commit->type));
    });
  else if (const auto *trf = std::get_if<config::ToTrfStage>(&exec.sink))
    stage("to_trf", [&] {
      out.attribute("rows", trf->rows);
      out.attribute("row_bytes", trf->bytesPerRow);
    });
  else if (const auto *vrf = std::get_if<config::ToVrfStage>(&exec.sink))
    stage("to_vrf", [&] { out.attribute("bytes", vrf->bytes); });
}

void Shape::pass(const config::ExecCommand &exec) {
  out.attribute("kind", "pass");
  slices(exec.sliceMask);
  out.attributeArray("stages", [&] {
    stage("fetch", [&] {
      const config::FetchStage &fetch = exec.fetch;
      out.attribute("type", getName(fetch.from));
      if (fetch.to != fetch.from)
        out.attribute("to", getName(fetch.to));
      out.attribute("access", fetch.accessBytes);
      sequencer(fetch.sequencer, getBitWidth(fetch.from));
    });
    if (exec.switching)
      stage("switch", [&] {
        out.attribute("ring", exec.switching->routing.ringSize);
        out.attribute("group", exec.switching->groupSlices);
      });
    stage("collect", [&] {
      out.attribute("flits", exec.collect.flitsPerPacket);
      out.attribute("bytes", exec.collect.packetBytes);
    });
    if (exec.contract)
      contract(*exec.contract);
    if (exec.vector)
      vector(*exec.vector);
    if (exec.cast)
      stage("cast", [&] {
        out.attribute("type", getName(exec.cast->from));
        out.attribute("to", getName(exec.cast->to));
      });
    if (exec.transpose)
      stage("transpose", [&] {
        out.attribute("rows", exec.transpose->inRows);
        out.attribute("columns", exec.transpose->inColumns);
      });
    sink(exec);
  });
}

static llvm::StringRef nameOf(config::Memory memory) {
  switch (memory) {
  case config::Memory::Hbm:
    return "hbm";
  case config::Memory::Dm:
    return "dm";
  case config::Memory::Spm:
    break;
  }
  return "spm";
}

void Shape::move(const config::DmaCommand &dma) {
  out.attribute("kind", "move");
  out.attribute("from", nameOf(dma.source));
  out.attribute("to", nameOf(dma.destination));
  out.attribute("descriptors", static_cast<int64_t>(dma.descriptors.size()));
  uint64_t engines = 0;
  for (const config::DmaDescriptor &descriptor : dma.descriptors)
    engines |= uint64_t(1) << descriptor.engine;
  out.attribute("engines", llvm::popcount(engines));
  if (dma.descriptors.empty())
    return;
  // The others are the same at other places.
  const config::DmaDescriptor &first = dma.descriptors.front();
  out.attribute("bytes", first.packetBytes);
  if (first.sourceChip != first.destinationChip)
    out.attribute("between_chips", true);
  if (first.indirection)
    out.attribute("indices", first.indirection->count);
  out.attributeArray("loops", [&] {
    for (const config::DmaDescriptor::Entry &entry : first.entries)
      out.array([&] {
        out.value(entry.size);
        out.value(entry.sourceStride);
        out.value(entry.destinationStride);
      });
  });
}

void Shape::transfer(const config::Transfer &transfer) {
  bool toDevice = transfer.direction == config::Transfer::Direction::ToDevice;
  out.attribute("kind", "host");
  out.attribute("from", toDevice ? "host" : "hbm");
  out.attribute("to", toDevice ? "hbm" : "host");
  out.attribute("type", getName(transfer.type));
  out.attributeArray("loops", [&] {
    for (const config::Transfer::Entry &entry : transfer.entries)
      out.array([&] {
        out.value(entry.size);
        out.value(toDevice ? entry.hostStride : entry.deviceStride);
        out.value(toDevice ? entry.deviceStride : entry.hostStride);
      });
  });
}

void Shape::write(const config::Command &command) {
  out.object([&] {
    if (const auto *exec = std::get_if<config::ExecCommand>(&command.body))
      pass(*exec);
    else if (const auto *dma = std::get_if<config::DmaCommand>(&command.body))
      move(*dma);
    else if (const auto *host = std::get_if<config::Transfer>(&command.body))
      transfer(*host);
    else if (const auto *immediate =
                 std::get_if<config::GenerateCommand>(&command.body)) {
      out.attribute("kind", "immediate");
      slices(immediate->sliceMask);
    }
  });
}

std::string page::describeShape(const config::Command &command,
                                const TcpMachine &machine) {
  std::string text;
  llvm::raw_string_ostream os(text);
  OStream out(os);
  Shape(out, machine).write(command);
  out.flush();
  return text;
}
