//===- HostTensor.cpp - The host's arrays in memcpy's orders --------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/WaferHost/HostTensor.h"
#include <algorithm>
#include <cassert>
#include <cstring>

using namespace sequin::wafer;

/// Rows of a tile: one line of the cache on either side.
static constexpr int64_t kTile = 16;

/// Calls `move(host index, device index)` for every element of a column-major
/// tensor, tile by tile of the transposition.
template <typename Move>
static void forColumnMajor(const HostTensor &shape, Move move) {
  int64_t width = shape.width, height = shape.height, count = shape.elements;
  for (int64_t x = 0; x < width; ++x)
    for (int64_t y0 = 0; y0 < height; y0 += kTile)
      for (int64_t k0 = 0; k0 < count; k0 += kTile) {
        int64_t yEnd = std::min(y0 + kTile, height);
        int64_t kEnd = std::min(k0 + kTile, count);
        for (int64_t y = y0; y < yEnd; ++y)
          for (int64_t k = k0; k < kEnd; ++k)
            move(y + height * (x + width * k), (y * width + x) * count + k);
      }
}

template <typename Element>
static void toDeviceAs(const HostTensor &shape, const uint32_t *host,
                       uint8_t *device) {
  auto put = [&](int64_t from, int64_t to) {
    auto element = static_cast<Element>(host[from]);
    std::memcpy(device + to * static_cast<int64_t>(sizeof element), &element,
                sizeof element);
  };
  if (shape.order == MemcpyOrder::ColumnMajor)
    return forColumnMajor(shape, put);
  if constexpr (sizeof(Element) == sizeof(uint32_t))
    std::memcpy(device, host, shape.count() * sizeof(uint32_t));
  else
    for (int64_t i = 0, n = static_cast<int64_t>(shape.count()); i < n; ++i)
      put(i, i);
}

template <typename Element>
static void toHostAs(const HostTensor &shape, const uint8_t *device,
                     uint32_t *host) {
  auto get = [&](int64_t to, int64_t from) {
    Element element;
    std::memcpy(&element, device + from * static_cast<int64_t>(sizeof element),
                sizeof element);
    host[to] = element;
  };
  if (shape.order == MemcpyOrder::ColumnMajor)
    return forColumnMajor(shape, get);
  if constexpr (sizeof(Element) == sizeof(uint32_t))
    std::memcpy(host, device, shape.count() * sizeof(uint32_t));
  else
    for (int64_t i = 0, n = static_cast<int64_t>(shape.count()); i < n; ++i)
      get(i, i);
}

void sequin::wafer::toDevice(const HostTensor &shape,
                             llvm::ArrayRef<uint32_t> host,
                             llvm::MutableArrayRef<uint8_t> device) {
  assert(host.size() == shape.count() &&
         device.size() == shape.count() * shape.elementBytes);
  if (host.empty())
    return;
  if (shape.elementBytes == 2)
    toDeviceAs<uint16_t>(shape, host.data(), device.data());
  else
    toDeviceAs<uint32_t>(shape, host.data(), device.data());
}

void sequin::wafer::toHost(const HostTensor &shape,
                           llvm::ArrayRef<uint8_t> device,
                           llvm::MutableArrayRef<uint32_t> host) {
  assert(host.size() == shape.count() &&
         device.size() == shape.count() * shape.elementBytes);
  if (host.empty())
    return;
  if (shape.elementBytes == 2)
    toHostAs<uint16_t>(shape, device.data(), host.data());
  else
    toHostAs<uint32_t>(shape, device.data(), host.data());
}
