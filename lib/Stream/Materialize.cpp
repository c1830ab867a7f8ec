//===- Materialize.cpp - The addresses a stream asks for ------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Materialize.h"
#include "sequin/Support/StridedKeys.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace sequin;
using llvm::ArrayRef;

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

/// The linear indices at every position, those of one position in a row.
struct Contents {
  std::vector<int64_t> linears;
  /// Where the indices of a position begin; one more at the end.
  std::vector<size_t> begins;

  ArrayRef<int64_t> at(int64_t position) const {
    return ArrayRef(linears).slice(begins[position],
                                   begins[position + 1] - begins[position]);
  }
};

/// None if there are too many.
std::optional<Contents> contentsOf(const Mapping &mapping) {
  Contents result;
  if (mapping.size() > maxMaterialized || !mapping.axes().linearSize())
    return std::nullopt;
  result.begins.reserve(mapping.size() + 1);
  if (mapping.maxIndices() == 1) {
    mapping.forEach([&](int64_t, int64_t linear) {
      result.begins.push_back(result.linears.size());
      if (linear >= 0)
        result.linears.push_back(linear);
    });
    result.begins.push_back(result.linears.size());
    return result;
  }
  for (int64_t position = 0; position < mapping.size(); ++position) {
    result.begins.push_back(result.linears.size());
    for (const TensorIndex &index : mapping.allAt(position)) {
      int64_t linear = 0;
      auto next = index.begin();
      for (const auto &[name, size] : mapping.axes().axes()) {
        linear *= size;
        if (next != index.end() && next->first == name)
          linear += next++->second;
      }
      result.linears.push_back(linear);
    }
    if (result.linears.size() > static_cast<size_t>(maxMaterialized))
      return std::nullopt;
  }
  result.begins.push_back(result.linears.size());
  return result;
}

/// The keys of `linears` in ascending order, each once.
void keysOf(ArrayRef<int64_t> linears, const KeyMaker &key,
            llvm::SmallVectorImpl<int64_t> &keys) {
  keys.clear();
  for (int64_t linear : linears)
    keys.push_back(key(linear));
  llvm::sort(keys);
  keys.erase(llvm::unique(keys), keys.end());
}

/// The positions of the buffer by the indices they hold.
class Holders {
public:
  /// `exact`: only positions that hold nothing else count.
  explicit Holders(bool exact) : exact(exact) {}

  /// In the order of the positions.
  void add(ArrayRef<int64_t> keys, int64_t address) {
    int64_t cell = static_cast<int64_t>(cells.size());
    cells.push_back({address, {keys.begin(), keys.end()}});
    for (int64_t key : keys) {
      // Most indices have one position; more are listed apart.
      auto [it, fresh] = first.try_emplace(key, cell);
      if (!fresh)
        further[key].push_back(cell);
    }
  }

  int64_t find(ArrayRef<int64_t> keys) const {
    auto it = first.find(keys.front());
    if (it == first.end())
      return noAddress;
    if (holds(it->second, keys))
      return cells[it->second].address;
    auto more = further.find(keys.front());
    if (more != further.end())
      for (int64_t cell : more->second)
        if (holds(cell, keys))
          return cells[cell].address;
    return noAddress;
  }

private:
  struct Cell {
    int64_t address;
    llvm::SmallVector<int64_t, 1> keys; ///< ascending
  };
  bool holds(int64_t cell, ArrayRef<int64_t> keys) const {
    const auto &held = cells[cell].keys;
    return exact ? ArrayRef<int64_t>(held) == keys
                 : std::includes(held.begin(), held.end(), keys.begin(),
                                 keys.end());
  }

  bool exact;
  std::vector<Cell> cells;
  llvm::DenseMap<int64_t, int64_t, StridedKeyInfo> first;
  llvm::DenseMap<int64_t, std::vector<int64_t>, StridedKeyInfo> further;
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
  if (!whole || buffer.overflowed())
    return std::nullopt;
  auto cells = contentsOf(*whole);
  auto asked = cells ? contentsOf(stream) : std::nullopt;
  if (!asked)
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

  llvm::SmallVector<bool, 8> held(whole->axes().axes().size(), false);
  for (int64_t linear : cells->linears)
    for (size_t i = held.size(); i-- > 0 && linear > 0;) {
      int64_t size = whole->axes().axes()[i].second;
      held[i] |= linear % size != 0;
      linear /= size;
    }
  for (size_t i = 0; i < held.size(); ++i)
    for (KeyMaker::Axis &axis : table)
      if (axis.name == whole->axes().axes()[i].first)
        axis.held |= held[i];

  Materialized result;
  KeyMaker bufferKey(table, whole->axes()), streamKey(table, stream.axes());
  Holders holders(/*exact=*/direction == Direction::Write);
  llvm::SmallVector<int64_t, 8> keys;
  for (int64_t position = 0; position < whole->size(); ++position) {
    int64_t address = addressOf(position);
    result.allAddresses.push_back(address);
    if (cells->at(position).empty())
      continue;
    result.dataAddresses.push_back(address);
    keysOf(cells->at(position), bufferKey, keys);
    holders.add(keys, address);
  }
  result.addresses.reserve(stream.size());
  for (int64_t position = 0; position < stream.size(); ++position) {
    keysOf(asked->at(position), streamKey, keys);
    result.addresses.push_back(keys.empty() ? anyAddress : holders.find(keys));
  }
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
