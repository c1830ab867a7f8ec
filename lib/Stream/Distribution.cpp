//===- Distribution.cpp - Who holds which element of an array -------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Stream/Distribution.h"
#include <cstring>

using namespace sequin;

int64_t Distribution::elements() const {
  int64_t count = 1;
  for (const DistributedDim &dim : dims)
    count *= dim.size;
  return count;
}

int64_t Distribution::localElements() const {
  int64_t count = 1;
  for (const DistributedDim &dim : dims)
    count *= dim.extent;
  return count;
}

static int64_t pesAlong(FabricAxis axis, int64_t width, int64_t height) {
  switch (axis) {
  case FabricAxis::None:
    return 1;
  case FabricAxis::X:
    return width;
  case FabricAxis::Y:
    return height;
  case FabricAxis::XY:
    return width * height;
  }
  return 1;
}

llvm::Error Distribution::check(int64_t width, int64_t height) const {
  auto refuse = [](const llvm::Twine &text) {
    return llvm::createStringError(text);
  };
  bool usesX = false, usesY = false;
  for (size_t d = 0; d < dims.size(); ++d) {
    const DistributedDim &dim = dims[d];
    std::string name = "dimension " + std::to_string(d);
    if (dim.size < 1 || dim.origin < 0 || dim.low < 0 || dim.extent < 1)
      return refuse(name +
                    " has a size, origin, margin or extent that is none");
    bool x = dim.axis == FabricAxis::X || dim.axis == FabricAxis::XY;
    bool y = dim.axis == FabricAxis::Y || dim.axis == FabricAxis::XY;
    if ((x && usesX) || (y && usesY))
      return refuse(name + " is on an axis that another dimension is on");
    usesX |= x;
    usesY |= y;
    bool cut = dim.axis != FabricAxis::None;
    if (cut && dim.block < 1)
      return refuse(name + " has blocks of " + llvm::Twine(dim.block) +
                    " elements, allowed are 1 or more");
    int64_t held = cut ? dim.block : dim.origin + dim.size;
    if (dim.low + held > dim.extent)
      return refuse(name + " needs " + llvm::Twine(dim.low + held) +
                    " elements of a local array that has " +
                    llvm::Twine(dim.extent));
    int64_t pes = pesAlong(dim.axis, width, height);
    if (cut && (dim.origin + dim.size + dim.block - 1) / dim.block > pes)
      return refuse(name + " of " + llvm::Twine(dim.size) + " elements from " +
                    llvm::Twine(dim.origin) + " on in blocks of " +
                    llvm::Twine(dim.block) + " needs more than the " +
                    llvm::Twine(pes) + " PEs of the grid");
  }
  llvm::SmallVector<bool, 4> seen(dims.size());
  if (!order.empty() && order.size() != dims.size())
    return refuse("the order names " + llvm::Twine(order.size()) + " of " +
                  llvm::Twine(dims.size()) + " dimensions");
  for (unsigned d : order) {
    if (d >= dims.size() || seen[d])
      return refuse("the order is no permutation of the dimensions");
    seen[d] = true;
  }
  return llvm::Error::success();
}

Distribution::LocalElement Distribution::placeOf(llvm::ArrayRef<int64_t> index,
                                                 int64_t width) const {
  LocalElement place;
  for (size_t k = 0; k < dims.size(); ++k) {
    size_t d = order.empty() ? k : order[k];
    const DistributedDim &dim = dims[d];
    int64_t at = index[d] + dim.origin;
    int64_t pe = dim.axis == FabricAxis::None ? 0 : at / dim.block;
    if (dim.axis != FabricAxis::None)
      at %= dim.block;
    place.offset = place.offset * dim.extent + at + dim.low;
    if (dim.axis == FabricAxis::X)
      place.x = pe;
    if (dim.axis == FabricAxis::Y)
      place.y = pe;
    if (dim.axis == FabricAxis::XY) {
      place.x = pe % width;
      place.y = pe / width;
    }
  }
  return place;
}

/// Calls `move` with the byte offset of each element in the whole array and in
/// the local arrays one after another.
template <typename Move>
static void forEach(const Distribution &distribution, int64_t elementBytes,
                    int64_t width, Move move) {
  int64_t local = distribution.localElements();
  llvm::SmallVector<int64_t, 4> index(distribution.dims.size(), 0);
  for (int64_t i = 0, n = distribution.elements(); i < n; ++i) {
    Distribution::LocalElement place = distribution.placeOf(index, width);
    move(i * elementBytes,
         ((place.y * width + place.x) * local + place.offset) * elementBytes);
    for (size_t d = index.size(); d-- > 0;) {
      if (++index[d] < distribution.dims[d].size)
        break;
      index[d] = 0;
    }
  }
}

std::vector<uint8_t> Distribution::scatter(llvm::ArrayRef<uint8_t> whole,
                                           int64_t elementBytes, int64_t width,
                                           int64_t height) const {
  std::vector<uint8_t> local(width * height * localElements() * elementBytes);
  forEach(*this, elementBytes, width, [&](int64_t from, int64_t to) {
    std::memcpy(local.data() + to, whole.data() + from, elementBytes);
  });
  return local;
}

std::vector<uint8_t> Distribution::gather(llvm::ArrayRef<uint8_t> local,
                                          int64_t elementBytes, int64_t width,
                                          int64_t height) const {
  std::vector<uint8_t> whole(elements() * elementBytes);
  forEach(*this, elementBytes, width, [&](int64_t to, int64_t from) {
    std::memcpy(whole.data() + to, local.data() + from, elementBytes);
  });
  return whole;
}
