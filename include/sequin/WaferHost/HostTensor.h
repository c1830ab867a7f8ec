//===- HostTensor.h - The host's arrays in memcpy's orders ------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A host array of memcpy is words of 32 bits, one per element, in row-major or
// column-major order of [height][width][elements]; the device's is PE-major
// and packed: elements of 16 bits take two bytes there and the low half of a
// word here (HST-050 to HST-052, AMB-002).
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_WAFERHOST_HOSTTENSOR_H
#define SEQUIN_WAFERHOST_HOSTTENSOR_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>

namespace sequin::wafer {

enum class MemcpyOrder : uint8_t {
  RowMajor,    ///< word (y * width + x) * elements + k
  ColumnMajor, ///< word y + height * (x + width * k)
};

struct HostTensor {
  int64_t width = 1, height = 1;
  int64_t elements = 1; ///< per PE
  MemcpyOrder order = MemcpyOrder::RowMajor;
  unsigned elementBytes = 4; ///< on the device: 2 or 4

  uint64_t count() const {
    return static_cast<uint64_t>(width) * static_cast<uint64_t>(height) *
           static_cast<uint64_t>(elements);
  }
  uint64_t bytesPerPe() const {
    return static_cast<uint64_t>(elements) * elementBytes;
  }
};

/// `host` has count() words, `device` count() * elementBytes bytes. High halves
/// are dropped on the way to the device and zero on the way back.
void toDevice(const HostTensor &shape, llvm::ArrayRef<uint32_t> host,
              llvm::MutableArrayRef<uint8_t> device);
void toHost(const HostTensor &shape, llvm::ArrayRef<uint8_t> device,
            llvm::MutableArrayRef<uint32_t> host);

} // namespace sequin::wafer

#endif // SEQUIN_WAFERHOST_HOSTTENSOR_H
