//===- HostTensorTest.cpp - The host's arrays in memcpy's orders ----------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/WaferHost/HostTensor.h"
#include "Row.h"
#include <cstring>
#include <numeric>

using namespace sequin::wafer;

namespace {

/// Sizes below, at and beyond a tile of the transposition.
constexpr int64_t kSizes[] = {1, 3, 16, 17};

template <typename Visit> void forShapes(Visit visit) {
  for (int64_t width : {1, 2, 5})
    for (int64_t height : kSizes)
      for (int64_t elements : kSizes)
        for (MemcpyOrder order :
             {MemcpyOrder::RowMajor, MemcpyOrder::ColumnMajor})
          for (unsigned bytes : {2u, 4u})
            visit(HostTensor{width, height, elements, order, bytes});
}

uint64_t indexOf(const HostTensor &shape, int64_t x, int64_t y, int64_t k) {
  if (shape.order == MemcpyOrder::RowMajor)
    return static_cast<uint64_t>((y * shape.width + x) * shape.elements + k);
  return static_cast<uint64_t>(y + shape.height * (x + shape.width * k));
}

} // namespace

TEST(HostTensor, EveryElementIsWhereTheOrderSays) {
  SEQUIN_ROW("HST-051");
  SEQUIN_ROW("HST-052");
  SEQUIN_ROW("AMB-002");
  SEQUIN_ROW("WEX-065");
  forShapes([](const HostTensor &shape) {
    std::vector<uint32_t> host(shape.count());
    std::iota(host.begin(), host.end(), 0x7fff0000u);
    std::vector<uint8_t> device(shape.count() * shape.elementBytes);
    toDevice(shape, host, device);
    const uint8_t *at = device.data();
    for (int64_t y = 0; y < shape.height; ++y)
      for (int64_t x = 0; x < shape.width; ++x)
        for (int64_t k = 0; k < shape.elements; ++k) {
          uint32_t element = 0;
          std::memcpy(&element, at, shape.elementBytes);
          at += shape.elementBytes;
          uint32_t expected = host[indexOf(shape, x, y, k)];
          ASSERT_EQ(element,
                    shape.elementBytes == 2 ? expected & 0xffff : expected);
        }
  });
}

TEST(HostTensor, ComesBackWithZeroHighHalves) {
  SEQUIN_ROW("HST-050");
  forShapes([](const HostTensor &shape) {
    std::vector<uint32_t> host(shape.count()), back(shape.count(), ~0u);
    std::iota(host.begin(), host.end(), 0xabcd1234u);
    std::vector<uint8_t> device(shape.count() * shape.elementBytes);
    toDevice(shape, host, device);
    toHost(shape, device, back);
    if (shape.elementBytes == 2)
      for (uint32_t &word : host)
        word &= 0xffff;
    ASSERT_EQ(back, host);
  });
}
