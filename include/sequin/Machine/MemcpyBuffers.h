//===- MemcpyBuffers.h - Columns that hold the host's words -----*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Host Runtime and Tensor Streaming: `--width-west-buf=k` puts k columns of PEs
// between host and program, each of which holds 46 KB of the words that its row
// has on the way; `--width-east-buf` does the same on the way back.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_MACHINE_MEMCPYBUFFERS_H
#define SEQUIN_MACHINE_MEMCPYBUFFERS_H

#include <cstdint>

namespace sequin {

/// Bytes that a buffer's PE holds, and those of a wavelet.
inline constexpr int64_t kBufferBytesPerPe = 46 << 10;
inline constexpr int64_t kWaveletBytes = 4;

/// Wavelets that a row's buffer of `columns` PEs holds.
constexpr int64_t bufferedWavelets(int64_t columns) {
  return columns * kBufferBytesPerPe / kWaveletBytes;
}
/// The same for each of the `width` PEs of the row, rounded down.
constexpr int64_t bufferedWaveletsPerPe(int64_t columns, int64_t width) {
  return bufferedWavelets(columns) / width;
}
/// The least columns that hold `wavelets` for each of the row's PEs.
constexpr int64_t bufferColumns(int64_t wavelets, int64_t width) {
  return (wavelets * width * kWaveletBytes + kBufferBytesPerPe - 1) /
         kBufferBytesPerPe;
}

} // namespace sequin

#endif // SEQUIN_MACHINE_MEMCPYBUFFERS_H
