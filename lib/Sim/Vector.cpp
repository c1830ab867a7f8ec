//===- Vector.cpp - Vector and cast engines -------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Engines.h"
#include "VectorOps.h"
#include "sequin/Support/Arithmetic.h"

using namespace sequin;
using namespace sequin::sim;

VectorEngine::VectorEngine(const config::VectorStage &stage) {
  for (const config::VectorOp &op : stage.ops) {
    if (!infoOf(op.opcode).function)
      continue;
    Op &entry = ops.emplace_back(Op{&op, {}});
    if (op.operand.kind == config::VectorOperand::Kind::Vrf)
      entry.operands = ByteStream(
          makeByteNest(op.operand.vrf.entries, 8 * sizeof(uint32_t)));
  }
}

void VectorEngine::begin(const uint8_t *vrf) {
  base = vrf;
  for (Op &op : ops)
    op.operands.reset();
}

void VectorEngine::apply(llvm::MutableArrayRef<uint8_t> flits) {
  // Flits come from std::vector's allocation and are aligned for this.
  auto *stream = reinterpret_cast<uint32_t *>(flits.data());
  int64_t count = flits.size() / sizeof(uint32_t);
  for (Op &op : ops) {
    const config::VectorOperand &operand = op.config->operand;
    VectorCall call{stream,
                    count,
                    nullptr,
                    operand.constant,
                    op.config->swapped,
                    op.config->intWidth};
    if (operand.kind == config::VectorOperand::Kind::Vrf) {
      operandBuffer.resize(count);
      op.operands.read(base + operand.vrf.baseAddress,
                       reinterpret_cast<uint8_t *>(operandBuffer.data()),
                       count * sizeof(uint32_t));
      call.operands = operandBuffer.data();
    }
    infoOf(op.config->opcode).function(call);
  }
}

void sim::castFlits(const config::CastStage &stage, const TcpMachine &machine,
                    llvm::MutableArrayRef<uint8_t> flits) {
  int64_t lanes = machine.outputLanes;
  std::vector<uint32_t> wide(lanes);
  for (uint8_t *flit = flits.begin(); flit != flits.end();
       flit += machine.flitBytes) {
    std::memcpy(wide.data(), flit, machine.flitBytes);
    std::memset(flit, 0, machine.flitBytes);
    for (int64_t i = 0; i < lanes; ++i) {
      uint32_t bits =
          isFloat(stage.to)
              ? encodeFloat(stage.to, decodeFloat(stage.from, wide[i]))
              : encodeInt(stage.to, decodeInt(stage.from, wide[i]));
      storeElement(stage.to, flit, i, bits);
    }
  }
}
