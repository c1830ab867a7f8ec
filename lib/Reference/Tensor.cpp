//===- Tensor.cpp - Tensors as functions of named axes --------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tensor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <functional>

using namespace sequin;
using namespace sequin::reference;
using llvm::Twine;

int64_t Tensor::count(const Space &space) const {
  int64_t count = 1;
  for (int axis : axes)
    count *= space.size(axis);
  return count;
}

int64_t Tensor::offsetOf(const Space &space,
                         llvm::ArrayRef<int64_t> index) const {
  int64_t offset = 0;
  for (int axis : axes)
    offset = offset * space.size(axis) + index[axis];
  return offset;
}

llvm::SmallVector<int64_t, 4> Tensor::strides(const Space &space) const {
  llvm::SmallVector<int64_t, 4> strides(space.axisCount());
  int64_t stride = 1;
  for (int axis : llvm::reverse(axes)) {
    strides[axis] = stride;
    stride *= space.size(axis);
  }
  return strides;
}

//===----------------------------------------------------------------------===//
// Images
//===----------------------------------------------------------------------===//

/// Joins the axes that one base speaks of: the representative of each axis.
static llvm::SmallVector<int, 4> groupAxes(const Space &space,
                                           llvm::ArrayRef<Digits> mappings) {
  llvm::SmallVector<int, 4> leader(space.axisCount());
  for (int axis = 0; axis < space.axisCount(); ++axis)
    leader[axis] = axis;
  for (const Digits &digits : mappings)
    for (const Digit &digit : digits) {
      if (digit.base == kNoBase)
        continue;
      int to = leader[space.axesOf(digit.base).front()];
      for (int axis : space.axesOf(digit.base))
        for (int from = leader[axis]; int &one : leader)
          if (one == from)
            one = to;
    }
  return leader;
}

llvm::Expected<Image>
sequin::reference::computeImage(const Space &space,
                                llvm::ArrayRef<Digits> mappings,
                                llvm::ArrayRef<int> interest) {
  Image image;
  llvm::SmallVector<uint8_t, 8> reached(space.axisCount());
  for (const Digits &digits : mappings)
    for (const Digit &digit : digits)
      if (digit.base != kNoBase)
        for (int axis : space.axesOf(digit.base))
          reached[axis] = true;
  for (int axis : interest)
    if (reached[axis])
      image.axes.push_back(axis);

  llvm::SmallVector<int, 4> leader = groupAxes(space, mappings);
  std::vector<uint8_t> spoken = space.spokenOf(mappings);
  llvm::SmallVector<int, 4> done;
  for (int first : image.axes) {
    if (llvm::is_contained(done, leader[first]))
      continue;
    done.push_back(leader[first]);
    Image::Group group;
    int64_t size = 1;
    for (int axis : image.axes)
      if (leader[axis] == leader[first]) {
        group.axes.push_back(axis);
        size *= space.size(axis);
      }
    // Digits that speak of the group, each once: equal ones are broadcasts.
    Digits loops;
    int64_t visits = 1;
    for (const Digits &digits : mappings)
      for (const Digit &digit : digits)
        if (digit.base != kNoBase &&
            leader[space.axesOf(digit.base).front()] == leader[first] &&
            !llvm::is_contained(loops, digit)) {
          loops.push_back(digit);
          if (visits <= kLargestTensor)
            visits *= std::max<int64_t>(digit.valid, 1);
        }
    if (size > kLargestTensor || visits > kLargestTensor)
      return llvm::createStringError(
          "a tensor of more than " + Twine(kLargestTensor) +
          " elements is too large for the reference interpreter");
    group.reached.assign(size, false);
    // The other groups stand still here, maybe where they have padding.
    std::vector<uint8_t> spokenHere = spoken;
    for (int id = 0; id < space.baseCount(); ++id)
      if (llvm::ArrayRef<int> axes = space.axesOf(id);
          axes.empty() || leader[axes.front()] != leader[first])
        spokenHere[id] = false;

    std::vector<int64_t> sums(space.baseCount()), scratch;
    std::function<void(size_t)> visit = [&](size_t depth) {
      if (depth == loops.size()) {
        scratch = sums;
        std::optional<Index> index = space.resolve(scratch, spokenHere);
        if (!index)
          return;
        int64_t offset = 0;
        for (int axis : group.axes)
          offset = offset * space.size(axis) + (*index)[axis];
        group.reached[offset] = true;
        return;
      }
      const Digit &digit = loops[depth];
      int64_t before = sums[digit.base];
      for (int64_t value = 0; value < digit.valid; ++value) {
        sums[digit.base] = before + value * digit.stride + digit.offset;
        visit(depth + 1);
      }
      sums[digit.base] = before;
    };
    visit(0);
    group.complete = llvm::all_of(group.reached, [](uint8_t r) { return r; });
    image.groups.push_back(std::move(group));
  }
  return image;
}

llvm::Expected<Tensor>
sequin::reference::place(const Space &space, const Tensor &tensor,
                         llvm::ArrayRef<Digits> mappings) {
  llvm::Expected<Image> image = computeImage(space, mappings, tensor.axes);
  if (!image)
    return image.takeError();
  bool complete =
      llvm::all_of(image->groups, [](auto &group) { return group.complete; });
  if (complete && !tensor.present && image->axes.size() == tensor.axes.size()) {
    Tensor same = tensor;
    same.undefined.reset();
    return same;
  }

  Tensor result;
  result.type = tensor.type;
  result.axes = image->axes;
  int64_t count = result.count(space);
  auto bits = std::make_shared<std::vector<uint32_t>>(count);
  auto present = std::make_shared<std::vector<uint8_t>>(count);
  Index index(space.axisCount());
  bool all = true;
  for (int64_t offset = 0; offset < count; ++offset) {
    bool wanted = llvm::all_of(image->groups, [&](const Image::Group &group) {
      int64_t at = 0;
      for (int axis : group.axes)
        at = at * space.size(axis) + index[axis];
      return group.reached[at] != 0;
    });
    int64_t from = wanted ? tensor.offsetOf(space, index) : 0;
    if (wanted && tensor.holds(from)) {
      (*bits)[offset] = (*tensor.bits)[from];
      (*present)[offset] = true;
    } else {
      all = false;
      if (wanted && !result.undefined)
        result.undefined = index;
    }
    for (int axis : llvm::reverse(result.axes)) {
      if (++index[axis] < space.size(axis))
        break;
      index[axis] = 0;
    }
  }
  result.bits = std::move(bits);
  if (!all)
    result.present = std::move(present);
  return result;
}

Tensor sequin::reference::markUndefined(const Tensor &tensor,
                                        std::optional<uint32_t> constant) {
  Tensor marks;
  marks.type = ElementType::I8;
  marks.axes = tensor.axes;
  auto bits = std::make_shared<std::vector<uint32_t>>(tensor.bits->size(),
                                                      constant.value_or(0));
  if (tensor.present && !constant)
    for (size_t i = 0; i < bits->size(); ++i)
      (*bits)[i] = !(*tensor.present)[i];
  marks.bits = std::move(bits);
  return marks;
}

void sequin::reference::dropMarked(Tensor &tensor, const Tensor &marks) {
  if (!llvm::is_contained(*marks.bits, 1u))
    return;
  auto present =
      tensor.present
          ? std::make_shared<std::vector<uint8_t>>(*tensor.present)
          : std::make_shared<std::vector<uint8_t>>(tensor.bits->size(), true);
  for (size_t i = 0; i < present->size(); ++i)
    if ((*marks.bits)[i] == 1)
      (*present)[i] = false;
  tensor.present = std::move(present);
}

llvm::Expected<Tensor>
sequin::reference::fillWithZeros(const Space &space, const Tensor &tensor,
                                 llvm::ArrayRef<Digits> mappings,
                                 llvm::ArrayRef<uint8_t> repeated) {
  std::vector<uint8_t> spoken = space.spokenOf(mappings);
  for (auto [axis, repeats] : llvm::enumerate(repeated))
    if (repeats)
      spoken[axis] = false;
  Tensor result;
  result.type = tensor.type;
  int64_t count = 1;
  for (int axis = 0; axis < space.axisCount(); ++axis) {
    if (!spoken[axis] && !llvm::is_contained(tensor.axes, axis))
      continue;
    result.axes.push_back(axis);
    if (llvm::MulOverflow(count, space.size(axis), count) ||
        count > kLargestTensor)
      return llvm::createStringError(
          "a tensor of more than " + Twine(kLargestTensor) +
          " elements is too large for the reference interpreter");
  }
  auto bits = std::make_shared<std::vector<uint32_t>>(count);
  Index index(space.axisCount());
  for (int64_t from = 0, n = tensor.count(space); from < n; ++from) {
    if (!tensor.present || (*tensor.present)[from])
      (*bits)[result.offsetOf(space, index)] = (*tensor.bits)[from];
    for (int axis : llvm::reverse(tensor.axes)) {
      if (++index[axis] < space.size(axis))
        break;
      index[axis] = 0;
    }
  }
  result.bits = std::move(bits);
  return result;
}
