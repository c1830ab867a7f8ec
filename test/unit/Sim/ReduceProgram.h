//===- ReduceProgram.h - One reduction in one slice -------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_TEST_UNIT_SIM_REDUCEPROGRAM_H
#define SEQUIN_TEST_UNIT_SIM_REDUCEPROGRAM_H

#include "SliceProgram.h"
#include "llvm/Support/MathExtras.h"

namespace sequin::testing {

/// `flits` flits of 32-bit elements from DM through narrow, reduction and
/// PadWay8 back to DM: every result packet is a flit with four leading lanes.
class ReduceProgram {
public:
  ReduceProgram(int64_t flits, config::VectorOpcode narrow,
                ElementType type = ElementType::I32)
      : flits(flits), narrow(narrow), type(type), values(flits * 8) {
    reduce.op = type == ElementType::F32 ? config::IntraSliceReduceOp::AddF
                                         : config::IntraSliceReduceOp::AddSat;
  }

  config::IntraSliceReduceStage &stage() { return reduce; }
  void loops(std::initializer_list<config::ReduceLoop> list) {
    reduce.loops = list;
  }
  int64_t outputPackets() const {
    int64_t count = 1;
    for (const config::ReduceLoop &loop : reduce.loops)
      if (!loop.reduced)
        count *= loop.size;
    return count;
  }

  SliceProgram make() const {
    config::Sequencer sequencer;
    sequencer.entries = {{flits, 8}, {8, 1}};
    sequencer.packetEntries = 1;
    config::ExecCommand exec = makeExec(sequencer, type, type, 32);
    exec.vector.emplace();
    exec.vector->type = type;
    exec.vector->validCount = generator;
    exec.vector->intraSliceReduce = reduce;
    auto add = [&](config::VectorOpcode opcode) {
      config::VectorOp op;
      op.opcode = opcode;
      exec.vector->ops.push_back(op);
    };
    add(narrow);
    for (config::VectorOpcode opcode : between)
      add(opcode);
    add(config::VectorOpcode::PadWay8);
    exec.fetch.mask = mask;
    int64_t packets = outputPackets();
    config::CommitStage commit;
    commit.type = type;
    commit.sequencer.baseAddress = kOutput;
    commit.sequencer.entries = {{packets, 8}, {8, 1}};
    commit.sequencer.packetEntries = 1;
    commit.commitInBytes = commit.accessBytes = 32;
    exec.sink = commit;
    SliceProgram program;
    program.input(arrayOf(type, values), 0);
    program.exec(std::move(exec));
    program.output(type, packets * 8, kOutput);
    return program;
  }

  /// The four leading lanes of every result packet.
  std::vector<int32_t> results() const {
    return leading(intsOf(make().outputs()[0]));
  }
  std::vector<float> floats() const {
    return leading(floatsOf(make().outputs()[0]));
  }
  std::string error() const { return make().error(); }

  int64_t flits;
  config::VectorOpcode narrow;
  ElementType type;
  std::vector<double> values;
  std::optional<config::ValidCountGenerator> generator;
  std::optional<config::FetchMask> mask;
  /// Between narrow and reduction.
  std::vector<config::VectorOpcode> between;

private:
  static constexpr int64_t kOutput = 1 << 18;

  template <typename T>
  static std::vector<T> leading(const std::vector<T> &lanes) {
    std::vector<T> result;
    for (size_t i = 0; i < lanes.size(); ++i)
      if (i % 8 < 4)
        result.push_back(lanes[i]);
    return result;
  }

  config::IntraSliceReduceStage reduce;
};

} // namespace sequin::testing

#endif // SEQUIN_TEST_UNIT_SIM_REDUCEPROGRAM_H
