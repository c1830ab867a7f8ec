//===- TcpHbmViews.cpp - Tensors under other axes -------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A view gives the elements at some positions of a buffer other indices. Which
// position holds which index is asked position by position; an element that
// nobody has written stays undefined under its new index too.
//
//===----------------------------------------------------------------------===//

#include "TcpInterpreter.h"
#include "sequin/Support/Arithmetic.h"
#include "llvm/Support/CheckedArithmetic.h"
#include <cstring>

using namespace mlir;
using namespace sequin;
using namespace sequin::reference;

namespace {
/// Walks the positions of an HBM tensor that hold data.
class Positions {
public:
  Positions(const Space &space, ArrayRef<Digits> mappings, bool slides)
      : space(space), chips(mappings.front()), buffer(mappings.back()),
        slides(slides), spoken(space.spokenOf(mappings)),
        sums(space.baseCount()) {}

  int64_t size() const { return sizeOf(buffer); }
  SmallVector<int, 4> axes() const {
    SmallVector<int, 4> axes;
    for (int axis = 0; axis < space.axisCount(); ++axis)
      if (spoken[axis])
        axes.push_back(axis);
    return axes;
  }

  /// visit(chip, position, index); false ends the walk.
  template <typename Visit> bool forEach(Visit &&visit) {
    std::fill(sums.begin(), sums.end(), 0);
    return walk(chips, 0, [&](int64_t chip) {
      return walk(buffer, 0, [&](int64_t position) {
        if (slides)
          return llvm::all_of(
              space.allAt(buffer, position),
              [&](const Index &index) { return visit(chip, position, index); });
        scratch = sums;
        std::optional<Index> index = space.resolve(scratch, spoken);
        return !index || visit(chip, position, *index);
      });
    });
  }
  /// std::nullopt for padding.
  std::optional<Index> at(int64_t chip, int64_t position) {
    std::fill(sums.begin(), sums.end(), 0);
    if (chip >= sizeOf(chips) || !Space::add(chips, chip, sums) ||
        !Space::add(buffer, position, sums))
      return std::nullopt;
    return space.resolve(sums, spoken);
  }

private:
  template <typename Visit>
  bool walk(ArrayRef<Digit> digits, int64_t position, Visit &&visit) {
    if (digits.empty())
      return visit(position);
    const Digit &digit = digits.front();
    ArrayRef<Digit> inner = digits.drop_front();
    int64_t step = sizeOf(inner);
    int64_t before = digit.base == kNoBase ? 0 : sums[digit.base];
    bool more = true;
    for (int64_t i = 0; i < digit.valid && more; ++i) {
      if (digit.base != kNoBase)
        sums[digit.base] = before + i * digit.stride + digit.offset;
      more = walk(inner, position + (digit.first + i) * step, visit);
    }
    if (digit.base != kNoBase)
      sums[digit.base] = before;
    return more;
  }

  const Space &space;
  Digits chips, buffer;
  bool slides;
  std::vector<uint8_t> spoken;
  std::vector<int64_t> sums, scratch;
};

/// A tensor that is written element by element.
struct Elements {
  Elements(const Space &space, ElementType type, ArrayRef<int> axes) {
    tensor.type = type;
    tensor.axes.assign(axes.begin(), axes.end());
    bits = std::make_shared<std::vector<uint32_t>>(tensor.count(space));
    present = std::make_shared<std::vector<uint8_t>>(bits->size());
  }
  /// Goes on from a tensor; what nobody else holds is changed in place.
  explicit Elements(Tensor from) : tensor(std::move(from)) {
    bits = own(tensor.bits);
    present = own(tensor.present);
  }
  void set(int64_t offset, uint32_t value) {
    (*bits)[offset] = value;
    if (present) // all are, otherwise
      (*present)[offset] = true;
  }
  void drop(int64_t offset) {
    if (!present)
      present = std::make_shared<std::vector<uint8_t>>(bits->size(), true);
    (*present)[offset] = false;
  }
  Tensor finish() {
    tensor.bits = std::move(bits);
    if (present && std::memchr(present->data(), 0, present->size()))
      tensor.present = std::move(present);
    return std::move(tensor);
  }

  Tensor tensor; ///< without elements
  std::shared_ptr<std::vector<uint32_t>> bits;
  std::shared_ptr<std::vector<uint8_t>> present;

private:
  template <typename T>
  static std::shared_ptr<std::vector<T>>
  own(std::shared_ptr<const std::vector<T>> &list) {
    std::shared_ptr<const std::vector<T>> taken = std::move(list);
    if (!taken || taken.use_count() == 1)
      return std::const_pointer_cast<std::vector<T>>(taken);
    return std::make_shared<std::vector<T>>(*taken);
  }
};
} // namespace

/// `tensor` over more axes.
static Tensor expand(const Space &space, const Tensor &tensor,
                     ArrayRef<int> axes) {
  Elements elements(space, tensor.type, axes);
  Index index(space.axisCount());
  for (size_t i = 0; i < elements.bits->size(); ++i) {
    int64_t at = tensor.offsetOf(space, index);
    if (tensor.holds(at))
      elements.set(i, (*tensor.bits)[at]);
    for (int axis : llvm::reverse(axes)) {
      if (++index[axis] < space.size(axis))
        break;
      index[axis] = 0;
    }
  }
  return elements.finish();
}

/// Whether nobody asks for `value` after `op`.
static bool isLastUse(Value value, Operation *op) {
  return value.getParentBlock() == op->getBlock() &&
         llvm::all_of(value.getUsers(), [&](Operation *user) {
           return user == op || (user->getBlock() == op->getBlock() &&
                                 user->isBeforeInBlock(op));
         });
}

template <typename OpTy> FailureOr<int64_t> TcpInterpreter::offsetOf(OpTy op) {
  int64_t offset = static_cast<int64_t>(op.getOffset());
  for (auto [value, step] : llvm::zip_equal(op.getIndices(), op.getSteps())) {
    FailureOr<int64_t> index = indexOf(op, value);
    if (failed(index))
      return failure();
    auto sum = llvm::checkedMulAdd<int64_t>(*index, step, offset);
    if (!sum)
      return op.emitOpError() << "has an offset out of range";
    offset = *sum;
  }
  return offset;
}

static LogicalResult outside(Operation *op, int64_t position, int64_t size) {
  return op->emitOpError() << "views position " << position
                           << " of a buffer of " << size;
}

LogicalResult TcpInterpreter::run(tcp::ViewOp op, Values &values) {
  FailureOr<Tensor> source = get(op, op.getSource(), values);
  FailureOr<Layout> from = getLayout(op, op.getSource().getType());
  FailureOr<Layout> to =
      getLayout(op, op.getResult().getType(), /*maySlide=*/true);
  FailureOr<int64_t> offset = offsetOf(op);
  if (failed(source) || failed(from) || failed(to) || failed(offset))
    return failure();
  if (to->slides && sizeOf(to->mappings.front()) != 1)
    return op.emitOpError() << "slides on several chips, which the reference "
                               "interpreter does not do";
  Space &space = *to->space;
  Positions whole(*from->space, from->mappings, false);
  Positions part(space, to->mappings, to->slides);
  int64_t size = whole.size();
  Elements elements(space, source->type, part.axes());
  std::optional<int64_t> wrong, different;
  std::vector<int64_t> undefined; // under one position at least
  part.forEach([&](int64_t chip, int64_t position, ArrayRef<int64_t> index) {
    int64_t at = *offset + position;
    if (at < 0 || at >= size) {
      wrong = at;
      return false;
    }
    std::optional<Index> held = whole.at(chip, at);
    int64_t read = held ? source->offsetOf(*from->space, *held) : 0;
    int64_t write = elements.tensor.offsetOf(space, index);
    if (!held || !source->holds(read)) {
      undefined.push_back(write);
      return true;
    }
    uint32_t bits = (*source->bits)[read];
    if ((*elements.present)[write] && (*elements.bits)[write] != bits) {
      different = at;
      return false;
    }
    elements.set(write, bits);
    return true;
  });
  if (wrong)
    return outside(op, *wrong, size);
  if (different)
    return op.emitOpError() << "finds two values of one element, the second at "
                               "position "
                            << *different << " of the source";
  for (int64_t offset : undefined)
    elements.drop(offset);
  values[op.getResult()] = elements.finish();
  return success();
}

/// Chips, clusters and slices as one list of digits, and the elements.
static SmallVector<Digits, 2> distributed(ArrayRef<Digits> mappings) {
  SmallVector<Digits, 2> result(2);
  for (const Digits &level : mappings.drop_back())
    result.front().append(level.begin(), level.end());
  result.back() = mappings.back();
  return result;
}

FailureOr<Tensor> TcpInterpreter::rename(tcp::BitcastOp op,
                                         const Tensor &source) {
  FailureOr<Layout> from = getLayout(op, op.getSource().getType());
  FailureOr<Layout> to = getLayout(op, op.getResult().getType());
  if (failed(from) || failed(to))
    return failure();
  SmallVector<Digits, 2> before = distributed(from->mappings);
  SmallVector<Digits, 2> after = distributed(to->mappings);
  Positions whole(*from->space, before, false);
  Positions named(*to->space, after, false);
  Elements elements(*to->space, source.type, named.axes());
  named.forEach([&](int64_t slice, int64_t position, ArrayRef<int64_t> index) {
    std::optional<Index> held = whole.at(slice, position);
    if (!held)
      return true;
    int64_t read = source.offsetOf(*from->space, *held);
    if (source.holds(read))
      elements.set(elements.tensor.offsetOf(*to->space, index),
                   (*source.bits)[read]);
    return true;
  });
  return elements.finish();
}

LogicalResult TcpInterpreter::run(tcp::ToHbmViewOp op, Values &values) {
  FailureOr<Tensor> input = get(op, op.getInput(), values);
  FailureOr<Tensor> old = get(op, op.getDestination(), values);
  FailureOr<Layout> to = getLayout(op, op.getDestination().getType());
  FailureOr<Layout> from = getLayout(op, op.getView());
  FailureOr<int64_t> offset = offsetOf(op);
  if (failed(input) || failed(old) || failed(to) || failed(from) ||
      failed(offset))
    return failure();
  llvm::Expected<Tensor> moved = place(*from->space, *input, from->mappings);
  if (!moved)
    return op.emitOpError() << llvm::toString(moved.takeError());

  Space &space = *to->space;
  Positions whole(space, to->mappings, false);
  Positions part(*from->space, from->mappings, false);
  SmallVector<int, 4> axes = whole.axes();
  for (int axis : old->axes)
    if (!llvm::is_contained(axes, axis))
      axes.push_back(axis);
  llvm::sort(axes);
  if (isLastUse(op.getDestination(), op))
    values.erase(op.getDestination());
  if (ArrayRef<int>(axes) != ArrayRef<int>(old->axes))
    *old = expand(space, *old, axes);
  Elements elements(std::move(*old));
  int64_t size = whole.size();
  std::optional<int64_t> wrong;
  part.forEach([&](int64_t chip, int64_t position, ArrayRef<int64_t> index) {
    int64_t at = *offset + position;
    if (at < 0 || at >= size) {
      wrong = at;
      return false;
    }
    std::optional<Index> held = whole.at(chip, at);
    if (!held)
      return true;
    int64_t write = elements.tensor.offsetOf(space, *held);
    int64_t read = moved->offsetOf(*from->space, index);
    if (moved->holds(read))
      elements.set(write, (*moved->bits)[read]);
    else
      elements.drop(write);
    return true;
  });
  if (wrong)
    return outside(op, *wrong, size);
  values[op.getResult()] = elements.finish();
  return success();
}

LogicalResult TcpInterpreter::run(tcp::ConstantOp op, Values &values) {
  auto list = cast<DenseElementsAttr>(op.getValue());
  Array array;
  array.type = *tcp::getElementKind(list.getElementType());
  array.shape = {list.getNumElements()};
  int64_t count = list.getNumElements();
  bool isFloat = isa<FloatType>(list.getElementType());
  bool small = getBitWidth(array.type) < 8;
  array.data.resize(small ? count : getByteSize(array.type, count));
  auto store = [&](int64_t i, const llvm::APInt &bits) {
    if (small)
      array.data[i] = static_cast<uint8_t>(bits.getSExtValue());
    else
      storeElement(array.type, array.data.data(), i,
                   static_cast<uint32_t>(bits.getZExtValue()));
  };
  if (isFloat)
    for (auto [i, value] : llvm::enumerate(list.getValues<llvm::APFloat>()))
      store(i, value.bitcastToAPInt());
  else
    for (auto [i, value] : llvm::enumerate(list.getValues<llvm::APInt>()))
      store(i, value);
  FailureOr<Tensor> tensor = fromHost(op, op.getResult().getType(), array);
  if (failed(tensor))
    return failure();
  values[op.getResult()] = std::move(*tensor);
  return success();
}
