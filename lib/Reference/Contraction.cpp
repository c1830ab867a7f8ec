//===- Contraction.cpp - align, contract, accumulate ----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contraction.h"
#include "sequin/Support/Arithmetic.h"
#include "sequin/Support/Interrupt.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <set>

using namespace sequin;
using namespace sequin::reference;
using llvm::Twine;

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// An operand spread over the bases of the mappings instead of the axes, zero
/// where an index does not exist: there, what the mappings add to an offset
/// does not depend on each other.
template <typename T> struct Operand {
  std::vector<T> values;
  /// Step in `values` per unit of every base, 0 for those it does not have.
  std::vector<int64_t> strides;

  /// What each position of `table` adds to the offset.
  std::vector<int64_t> offsets(const Table &table) const {
    std::vector<int64_t> result(table.size);
    for (int64_t position = 0; position < table.size; ++position)
      for (size_t i = 0; i < table.bases.size(); ++i)
        result[position] += table.values[position * table.bases.size() + i] *
                            strides[table.bases[i]];
    return result;
  }
};

template <typename T> static T decode(ElementType type, uint32_t bits) {
  if constexpr (std::is_same_v<T, float>)
    return decodeFloat(type, bits);
  else
    return static_cast<T>(decodeInt(type, bits));
}

/// Spreads `tensor` over the bases of `mappings` that speak of one of `axes`.
template <typename T>
static llvm::Expected<Operand<T>>
spread(const Space &space, const Tensor &tensor, llvm::ArrayRef<int> axes,
       llvm::ArrayRef<Digits> mappings, llvm::ArrayRef<const Table *> tables) {
  std::vector<int64_t> largest(space.baseCount(), -1);
  for (const Table *table : tables)
    for (auto [column, base] : llvm::enumerate(table->bases)) {
      if (!llvm::any_of(space.axesOf(base), [&](int axis) {
            return llvm::is_contained(axes, axis);
          }))
        continue;
      int64_t most = 0;
      for (int64_t position = 0; position < table->size; ++position)
        if (table->valid[position])
          most = std::max(
              most, table->values[position * table->bases.size() + column]);
      largest[base] = std::max<int64_t>(largest[base], 0) + most;
    }

  Operand<T> operand;
  operand.strides.assign(space.baseCount(), 0);
  llvm::SmallVector<BaseId, 4> bases;
  int64_t count = 1;
  for (BaseId base = space.baseCount() - 1; base >= 0; --base) {
    if (largest[base] < 0)
      continue;
    bases.push_back(base);
    operand.strides[base] = count;
    if (llvm::MulOverflow(count, largest[base] + 1, count) ||
        count > kLargestTensor)
      return llvm::createStringError(
          "an operand of more than " + Twine(kLargestTensor) +
          " elements is too large for the reference interpreter");
  }

  operand.values.resize(count);
  std::vector<uint8_t> spoken = space.spokenOf(mappings);
  std::vector<int64_t> at(space.baseCount()), scratch;
  for (int64_t offset = 0; offset < count && !interrupted(/*every=*/1024);
       ++offset) {
    scratch = at;
    if (std::optional<Index> index = space.resolve(scratch, spoken)) {
      int64_t from = tensor.offsetOf(space, *index);
      if (!tensor.present || (*tensor.present)[from])
        operand.values[offset] = decode<T>(tensor.type, (*tensor.bits)[from]);
    }
    for (BaseId base : bases) {
      if (++at[base] <= largest[base])
        break;
      at[base] = 0;
    }
  }
  return operand;
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// The deepest tree whose columns, the dropped ones being padding, are `kept`.
static std::optional<int64_t>
findTreeDepth(const Space &space, const Digits &packet, const Digits &kept) {
  int64_t lanes = sizeOf(packet), columns = sizeOf(kept);
  if (!llvm::isPowerOf2_64(lanes))
    return std::nullopt;
  for (int64_t depth = llvm::Log2_64(lanes); depth >= 0; --depth) {
    if (columns > lanes >> depth)
      continue;
    bool matches = true;
    for (int64_t column = 0; matches && column < lanes >> depth; ++column) {
      std::optional<Index> expected = space.at(packet, column << depth);
      matches =
          column < columns ? space.at(kept, column) == expected : !expected;
    }
    if (matches)
      return depth;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// The sum
//===----------------------------------------------------------------------===//

/// What the machine reduces with.
struct Sum {
  float operator()(float a, float b) const { return a + b; }
  uint32_t operator()(uint32_t a, uint32_t b) const { return a + b; }
};
struct Largest {
  float operator()(float a, float b) const { return maxNum(a, b); }
  uint32_t operator()(uint32_t a, uint32_t b) const {
    return static_cast<uint32_t>(
        std::max(static_cast<int32_t>(a), static_cast<int32_t>(b)));
  }
};

/// One computation packet through the tree: `lanes` values of the stream and,
/// for each, `rows` weights; leaves the columns at the start of `products`.
/// `Rows` is the number of rows if the compiler is to know it, else 0.
template <int Rows, typename Reduce, typename T>
static void reduceTree(const T *stream, const T *weights, int64_t lanes,
                       int64_t rows, int64_t depth, T *products) {
  const int64_t n = Rows ? Rows : rows;
  for (int64_t lane = 0; lane < lanes; ++lane)
    for (int64_t row = 0; row < n; ++row)
      products[lane * n + row] = stream[lane] * weights[lane * n + row];
  for (int64_t level = 0; level < depth; ++level) {
    lanes /= 2;
    for (int64_t i = 0; i < lanes; ++i)
      for (int64_t row = 0; row < n; ++row)
        products[i * n + row] = Reduce()(products[2 * i * n + row],
                                         products[(2 * i + 1) * n + row]);
  }
}

template <typename T, typename Reduce>
static llvm::Expected<Tensor>
contractAs(Space &space, const ContractionShape &shape, const Tensor &stream,
           const Tensor &weights, ElementType resultType) {
  int64_t lanes = sizeOf(shape.packet), columns = sizeOf(shape.kept);
  int64_t rows = sizeOf(shape.row);
  std::optional<int64_t> depth = findTreeDepth(space, shape.packet, shape.kept);
  if (!depth)
    return llvm::createStringError(
        "no depth of the adder tree leaves this packet");

  // The innermost part of the output's time comes from columns or rows.
  int64_t inner =
      shape.sequential ? rows * llvm::divideCeil(columns, 8) : columns;
  llvm::Expected<Digits> outer = space.divide(shape.outTime, inner);
  if (!outer)
    return outer.takeError();
  auto loops = matchLoops(space, shape.time, *outer);
  if (!loops)
    return llvm::createStringError(
        "the time of the sums is not the time of the packets with axes left "
        "out");

  Table grid[3] = {Table(shape.grid[0]), Table(shape.grid[1]),
                   Table(shape.grid[2])};
  Table rowTable(shape.row), time(shape.time), packet(shape.packet);
  Table kept(shape.kept), outTime(*outer);
  std::vector<int64_t> steps = resultSteps(*loops);

  llvm::SmallVector<Digits, 6> inMappings = {shape.grid[0], shape.grid[1],
                                             shape.grid[2], shape.row,
                                             shape.time,    shape.packet};
  const Table *inTables[] = {&grid[0],  &grid[1], &grid[2],
                             &rowTable, &time,    &packet};
  // An axis that neither operand has still tells padding from data.
  std::vector<uint8_t> rowSpoken = space.spokenOf(shape.row);
  llvm::SmallVector<int, 8> streamAxes;
  for (int axis = 0; axis < space.axisCount(); ++axis)
    if (llvm::is_contained(stream.axes, axis) ||
        (!llvm::is_contained(weights.axes, axis) && !rowSpoken[axis]))
      streamAxes.push_back(axis);
  auto x = spread<T>(space, stream, streamAxes, inMappings, inTables);
  if (!x)
    return x.takeError();
  auto w = spread<T>(space, weights, weights.axes, inMappings, inTables);
  if (!w)
    return w.takeError();

  // Result: dense over the axes that its mappings and an operand speak of.
  llvm::SmallVector<Digits, 6> outMappings = {shape.grid[0], shape.grid[1],
                                              shape.grid[2], shape.row,
                                              *outer,        shape.kept};
  std::vector<uint8_t> outSpoken = space.spokenOf(outMappings);
  Tensor result;
  result.type = resultType;
  for (int axis = 0; axis < space.axisCount(); ++axis)
    if (outSpoken[axis] && (llvm::is_contained(stream.axes, axis) ||
                            llvm::is_contained(weights.axes, axis)))
      result.axes.push_back(axis);
  if (result.count(space) > kLargestTensor)
    return llvm::createStringError(
        "a result of more than " + Twine(kLargestTensor) +
        " elements is too large for the reference interpreter");
  auto bits = std::make_shared<std::vector<uint32_t>>(result.count(space));
  auto present = std::make_shared<std::vector<uint8_t>>(bits->size());

  std::vector<int64_t> xTime = x->offsets(time), xPacket = x->offsets(packet);
  std::vector<int64_t> wTime = w->offsets(time), wPacket = w->offsets(packet);
  std::vector<int64_t> wRow = w->offsets(rowTable), xRow = x->offsets(rowTable);
  std::vector<int64_t> xGrid[3], wGrid[3];
  for (int i = 0; i < 3; ++i) {
    xGrid[i] = x->offsets(grid[i]);
    wGrid[i] = w->offsets(grid[i]);
  }
  if (llvm::any_of(xRow, [](int64_t offset) { return offset != 0; }))
    return llvm::createStringError("the stream differs from row to row");

  // Weights of one time step, lane-major with the rows together; steps that
  // read the same weights share them.
  llvm::DenseMap<int64_t, int64_t> packs;
  std::vector<int64_t> packOf(time.size), packStart;
  for (int64_t t = 0; t < time.size; ++t) {
    auto [entry, isNew] = packs.try_emplace(wTime[t], packStart.size());
    if (isNew)
      packStart.push_back(wTime[t]);
    packOf[t] = entry->second;
  }
  int64_t packSize = lanes * rows;
  if (static_cast<int64_t>(packStart.size()) > kLargestTensor / packSize ||
      sizeOf(*outer) > kLargestTensor / (columns * rows))
    return llvm::createStringError(
        "a slice is too large for the reference interpreter");
  std::vector<T> packed(packStart.size() * packSize);
  std::vector<T> sums(sizeOf(*outer) * columns * rows);
  std::vector<uint8_t> started(sizeOf(*outer));
  std::vector<T> products(packSize), lane(lanes);

  std::vector<int64_t> at(space.baseCount()), scratch;
  std::set<std::pair<std::pair<int64_t, int64_t>, std::vector<int64_t>>> done;
  auto runUnit = [&](int64_t xUnit, int64_t wUnit,
                     llvm::ArrayRef<int64_t> unit) {
    for (auto [pack, start] : llvm::enumerate(packStart))
      for (int64_t l = 0; l < lanes; ++l)
        for (int64_t r = 0; r < rows; ++r)
          packed[pack * packSize + l * rows + r] =
              packet.valid[l] && rowTable.valid[r]
                  ? w->values[wUnit + start + wPacket[l] + wRow[r]]
                  : T(0);
    std::fill(started.begin(), started.end(), false);
    for (int64_t t = 0; t < time.size && !interrupted(/*every=*/64); ++t) {
      const T *ofStep = &packed[packOf[t] * packSize];
      for (int64_t l = 0; l < lanes; ++l)
        lane[l] = time.valid[t] && packet.valid[l]
                      ? x->values[xUnit + xTime[t] + xPacket[l]]
                      : T(0);
      if (rows == 8)
        reduceTree<8, Reduce>(lane.data(), ofStep, lanes, rows, *depth,
                              products.data());
      else
        reduceTree<0, Reduce>(lane.data(), ofStep, lanes, rows, *depth,
                              products.data());
      T *sum = &sums[steps[t] * columns * rows];
      if (!started[steps[t]])
        std::copy_n(products.data(), columns * rows, sum);
      else
        for (int64_t i = 0; i < columns * rows; ++i)
          sum[i] = Reduce()(sum[i], products[i]);
      started[steps[t]] = true;
    }
    for (int64_t u = 0; u < outTime.size; ++u)
      for (int64_t c = 0; c < columns; ++c)
        for (int64_t r = 0; r < rows; ++r) {
          if (!outTime.valid[u] || !kept.valid[c] || !rowTable.valid[r])
            continue;
          scratch.assign(unit.begin(), unit.end());
          outTime.addTo(scratch, u);
          kept.addTo(scratch, c);
          rowTable.addTo(scratch, r);
          std::optional<Index> index = space.resolve(scratch, outSpoken);
          if (!index)
            continue;
          int64_t to = result.offsetOf(space, *index);
          T value = sums[(u * columns + c) * rows + r];
          if constexpr (std::is_same_v<T, float>)
            (*bits)[to] = encodeFloat(resultType, value);
          else
            (*bits)[to] = value;
          (*present)[to] = true;
        }
  };

  for (int64_t chip = 0; chip < grid[0].size; ++chip)
    for (int64_t cluster = 0; cluster < grid[1].size; ++cluster)
      for (int64_t slice = 0; slice < grid[2].size; ++slice) {
        if (!grid[0].valid[chip] || !grid[1].valid[cluster] ||
            !grid[2].valid[slice])
          continue;
        if (interrupted())
          return interruptedError();
        std::fill(at.begin(), at.end(), 0);
        grid[0].addTo(at, chip);
        grid[1].addTo(at, cluster);
        grid[2].addTo(at, slice);
        int64_t xUnit = xGrid[0][chip] + xGrid[1][cluster] + xGrid[2][slice];
        int64_t wUnit = wGrid[0][chip] + wGrid[1][cluster] + wGrid[2][slice];
        // Units over which everything is broadcast compute the same.
        if (done.insert({{xUnit, wUnit}, at}).second)
          runUnit(xUnit, wUnit, at);
      }

  result.bits = std::move(bits);
  if (!llvm::all_of(*present, [](uint8_t p) { return p; }))
    result.present = std::move(present);
  return result;
}

llvm::Expected<Tensor>
sequin::reference::contract(Space &space, const ContractionShape &shape,
                            const Tensor &stream, const Tensor &weights) {
  auto run = [&]<typename Reduce>(Reduce) {
    if (isFloat(stream.type))
      return contractAs<float, Reduce>(space, shape, stream, weights,
                                       ElementType::F32);
    return contractAs<uint32_t, Reduce>(space, shape, stream, weights,
                                        ElementType::I32);
  };
  llvm::Expected<Tensor> result = shape.max ? run(Largest()) : run(Sum());
  if (!result)
    return result;
  // An undefined factor marks the result wherever it meets a factor at all; at
  // padding it meets none.
  auto mark = [&](const Tensor &left, const Tensor &right) -> llvm::Error {
    auto marks = contractAs<uint32_t, Largest>(space, shape, left, right,
                                               ElementType::I32);
    if (marks)
      dropMarked(*result, *marks);
    return marks.takeError();
  };
  if (stream.undefined)
    if (llvm::Error error =
            mark(markUndefined(stream), markUndefined(weights, 1)))
      return error;
  if (weights.undefined)
    if (llvm::Error error =
            mark(markUndefined(stream, 1), markUndefined(weights)))
      return error;
  return result;
}
