//===- Transpose.cpp - Transpose engine -----------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Engine/Engines.h"

using namespace sequin;
using namespace sequin::sim;

TransposeEngine::TransposeEngine(const config::TransposeStage &stage,
                                 const TcpMachine &machine)
    : stage(stage), flitBytes(machine.flitBytes),
      packetElements(machine.transposeFormat(stage.type)->elementsPerPacket) {
  packetsPerRow = stage.inColumns / packetElements;
  matrixBytes = stage.inRows * packetsPerRow * flitBytes;
  resultBytes = stage.outRows * flitBytes;
  switch (getBitWidth(stage.type)) {
  case 8:
    function = &TransposeEngine::transpose<uint8_t>;
    break;
  case 16:
    function = &TransposeEngine::transpose<uint16_t>;
    break;
  case 32:
    function = &TransposeEngine::transpose<uint32_t>;
    break;
  default:
    function = &TransposeEngine::transposeNibbles;
  }
}

template <typename T>
void TransposeEngine::transpose(const uint8_t *matrix, uint8_t *result) const {
  int64_t rows = stage.inRows, columns = stage.outRows;
  int64_t rowBytes = packetsPerRow * flitBytes;
  std::memset(result, 0, resultBytes);
  for (int64_t column = 0; column < columns; column += packetElements) {
    // One packet of every row gives as many flits as elements count in it.
    const uint8_t *packet = matrix + column / packetElements * flitBytes;
    int64_t count = std::min(packetElements, columns - column);
    for (int64_t row = 0; row < rows; ++row) {
      T elements[kMaxPacketElements];
      std::memcpy(elements, packet + row * rowBytes,
                  packetElements * sizeof(T));
      for (int64_t i = 0; i < count; ++i)
        std::memcpy(result + (column + i) * flitBytes + row * sizeof(T),
                    elements + i, sizeof(T));
    }
  }
}

void TransposeEngine::transposeNibbles(const uint8_t *matrix,
                                       uint8_t *result) const {
  std::memset(result, 0, resultBytes);
  for (int64_t row = 0; row < stage.inRows; ++row)
    for (int64_t column = 0; column < stage.outRows; ++column) {
      int64_t packet = row * packetsPerRow + column / packetElements;
      int64_t in = column % packetElements;
      uint8_t byte = matrix[packet * flitBytes + in / 2];
      uint8_t nibble = byte >> (in % 2 * 4) & 0xf;
      result[column * flitBytes + row / 2] |= nibble << (row % 2 * 4);
    }
}

void TransposeEngine::push(llvm::ArrayRef<uint8_t> flits, FlitSink sink) {
  results.clear();
  auto add = [&](const uint8_t *matrix) {
    size_t at = results.size();
    results.resize(at + resultBytes);
    (this->*function)(matrix, results.data() + at);
  };
  // The matrix that the block before this one has begun.
  if (!begun.empty()) {
    size_t missing = std::min<size_t>(matrixBytes - begun.size(), flits.size());
    begun.insert(begun.end(), flits.begin(), flits.begin() + missing);
    flits = flits.drop_front(missing);
    if (static_cast<int64_t>(begun.size()) < matrixBytes)
      return;
    add(begun.data());
    begun.clear();
  }
  for (; static_cast<int64_t>(flits.size()) >= matrixBytes;
       flits = flits.drop_front(matrixBytes))
    add(flits.data());
  begun.assign(flits.begin(), flits.end());
  if (!results.empty())
    sink(results);
}
