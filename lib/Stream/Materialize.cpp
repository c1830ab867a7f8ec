//===- Materialize.cpp - The addresses a stream asks for ------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Materialize.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace sequin;

namespace {

/// The row-major index over axes `from` as one over the axes that the buffer
/// holds some index of besides 0. Of the others it holds every index.
class KeyMaker {
public:
  struct Axis {
    std::string name;
    int64_t size;
    bool held = false;
  };

  KeyMaker(llvm::ArrayRef<Axis> axes, const AxisSizes &from) {
    int64_t weight = 1;
    llvm::SmallVector<int64_t, 8> weights;
    for (const Axis &axis : axes) {
      weights.push_back(axis.held ? weight : 0);
      weight *= axis.held ? axis.size : 1;
    }
    for (const auto &[name, size] : llvm::reverse(from.axes()))
      for (size_t i = 0; i < axes.size(); ++i)
        if (axes[i].name == name)
          digits.push_back({size, weights[i]});
  }

  int64_t operator()(int64_t linear) const {
    int64_t key = 0;
    for (auto [size, weight] : digits) {
      key += linear % size * weight;
      linear /= size;
    }
    return key;
  }

private:
  llvm::SmallVector<std::pair<int64_t, int64_t>, 8> digits; ///< innermost first
};

/// The mappings of `buffer` as one, outermost first.
std::optional<Mapping> joined(const AddressMap &buffer) {
  Mapping result;
  bool first = true;
  for (const AddressMap::Part &part : buffer.parts()) {
    if (first) {
      result = part.mapping;
      first = false;
      continue;
    }
    auto pair = Mapping::pair(result, part.mapping);
    if (!pair) {
      llvm::consumeError(pair.takeError());
      return std::nullopt;
    }
    result = *pair;
  }
  return result;
}

} // namespace

std::optional<Materialized> sequin::materialize(const AddressMap &buffer,
                                                const Mapping &stream,
                                                Direction direction) {
  auto whole = joined(buffer);
  if (!whole || buffer.overflowed() || whole->size() > maxMaterialized ||
      stream.size() > maxMaterialized || !whole->axes().linearSize() ||
      !stream.axes().linearSize())
    return std::nullopt;
  auto addressOf = [&](int64_t position) {
    int64_t address = 0;
    for (const AddressMap::Part &part : llvm::reverse(buffer.parts())) {
      address += position % part.mapping.size() * part.unitStride;
      position /= part.mapping.size();
    }
    return address;
  };

  auto axes = whole->axes().unionWith(stream.axes());
  if (!axes || !axes->linearSize()) {
    if (!axes)
      llvm::consumeError(axes.takeError());
    return std::nullopt;
  }
  llvm::SmallVector<KeyMaker::Axis, 8> table;
  for (const auto &[name, size] : axes->axes())
    table.push_back({name, size, direction == Direction::Write});

  std::vector<int64_t> linears(whole->size(), -1);
  llvm::SmallVector<bool, 8> held(whole->axes().axes().size(), false);
  whole->forEach([&](int64_t position, int64_t linear) {
    linears[position] = linear;
    if (linear <= 0)
      return;
    for (size_t i = held.size(); i-- > 0 && linear > 0;) {
      int64_t size = whole->axes().axes()[i].second;
      held[i] |= linear % size != 0;
      linear /= size;
    }
  });
  for (size_t i = 0; i < held.size(); ++i)
    for (KeyMaker::Axis &axis : table)
      if (axis.name == whole->axes().axes()[i].first)
        axis.held |= held[i];

  Materialized result;
  KeyMaker bufferKey(table, whole->axes()), streamKey(table, stream.axes());
  llvm::DenseMap<int64_t, int64_t> found;
  for (int64_t position = 0; position < whole->size(); ++position) {
    int64_t address = addressOf(position);
    result.allAddresses.push_back(address);
    if (linears[position] < 0)
      continue;
    result.dataAddresses.push_back(address);
    found.try_emplace(bufferKey(linears[position]), address);
  }
  result.addresses.resize(stream.size());
  stream.forEach([&](int64_t position, int64_t linear) {
    int64_t &address = result.addresses[position];
    if (linear < 0) {
      address = anyAddress;
      return;
    }
    auto it = found.find(streamKey(linear));
    address = it == found.end() ? noAddress : it->second;
  });
  return result;
}

bool sequin::forgetPadding(const Mapping &stream,
                           std::vector<int64_t> &addresses) {
  bool any = false;
  stream.forEach([&](int64_t position, int64_t linear) {
    if (linear < 0) {
      addresses[position] = anyAddress;
      any = true;
    }
  });
  return any;
}
