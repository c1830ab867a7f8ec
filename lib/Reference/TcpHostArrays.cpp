//===- TcpHostArrays.cpp - Host arrays as tensors -------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TcpInterpreter.h"
#include "sequin/Support/Arithmetic.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::reference;

/// Element `i` of an array: sub-byte elements take a byte each.
static uint32_t loadHost(const Array &array, int64_t i) {
  if (getBitWidth(array.type) < 8)
    return array.data[i] & ((1u << getBitWidth(array.type)) - 1);
  return loadElement(array.type, array.data.data(), i);
}

static void storeHost(Array &array, int64_t i, uint32_t bits) {
  if (getBitWidth(array.type) < 8)
    array.data[i] = static_cast<uint8_t>(decodeInt(array.type, bits));
  else
    storeElement(array.type, array.data.data(), i, bits);
}

static int64_t hostBytes(ElementType type, int64_t count) {
  return getBitWidth(type) < 8 ? count : getByteSize(type, count);
}

FailureOr<Tensor> TcpInterpreter::fromHost(Operation *op, tcp::HostType type,
                                           const Array &array) {
  FailureOr<Layout> from = getLayout(op, type, /*maySlide=*/true);
  if (failed(from))
    return failure();
  Space &space = *from->space;
  const Digits &digits = from->mappings.front();
  int64_t size = sizeOf(digits);
  ElementType kind = *tcp::getElementKind(type.getElementType());
  int64_t count = 1;
  for (int64_t dimension : array.shape)
    count *= dimension;
  if (array.type != kind || count != size ||
      static_cast<int64_t>(array.data.size()) != hostBytes(kind, size))
    return op->emitError() << "an input array has " << count << " elements of "
                           << getName(array.type) << ", expected " << size
                           << " of " << type.getElementType();

  Tensor tensor;
  tensor.type = kind;
  std::vector<uint8_t> spoken = space.spokenOf(digits);
  for (int axis = 0; axis < space.axisCount(); ++axis)
    if (spoken[axis])
      tensor.axes.push_back(axis);
  if (tensor.count(space) > kLargestTensor || size > kLargestTensor)
    return op->emitError() << "an input array is too large for the reference "
                              "interpreter";
  auto bits = std::make_shared<std::vector<uint32_t>>(tensor.count(space));
  auto present = std::make_shared<std::vector<uint8_t>>(bits->size());
  auto set = [&](const Index &index, int64_t position) {
    int64_t to = tensor.offsetOf(space, index);
    (*bits)[to] = loadHost(array, position);
    (*present)[to] = true;
  };
  if (from->slides)
    for (int64_t position = 0; position < size; ++position)
      for (const Index &index : space.allAt(digits, position))
        set(index, position);
  Table table = from->slides ? Table() : Table(digits);
  std::vector<int64_t> sums(space.baseCount());
  for (int64_t position = 0; position < table.size; ++position) {
    if (!table.valid[position])
      continue;
    std::fill(sums.begin(), sums.end(), 0);
    table.addTo(sums, position);
    if (std::optional<Index> index = space.resolve(sums, spoken))
      set(*index, position);
  }
  tensor.bits = std::move(bits);
  if (!llvm::all_of(*present, [](uint8_t p) { return p; }))
    tensor.present = std::move(present);
  return tensor;
}

FailureOr<Array> TcpInterpreter::toHost(Operation *op, tcp::HostType type,
                                        const Tensor &tensor) {
  FailureOr<Layout> to = getLayout(op, type);
  if (failed(to))
    return failure();
  Space &space = *to->space;
  llvm::Expected<std::vector<Digits>> terms =
      space.readTerms(type.getElement().getText());
  if (!terms)
    return op->emitError() << llvm::toString(terms.takeError());
  Array array;
  array.type = tensor.type;
  for (const Digits &term : *terms)
    array.shape.push_back(sizeOf(term));
  const Digits &digits = to->mappings.front();
  int64_t size = sizeOf(digits);
  if (size > kLargestTensor)
    return op->emitError() << "a result is too large for the reference "
                              "interpreter";
  array.data.assign(hostBytes(array.type, size), 0);
  std::vector<uint8_t> spoken = space.spokenOf(digits);
  Table table(digits);
  std::vector<int64_t> sums(space.baseCount());
  array.padding.assign(size, true);
  for (int64_t position = 0; position < size; ++position) {
    if (!table.valid[position])
      continue;
    std::fill(sums.begin(), sums.end(), 0);
    table.addTo(sums, position);
    if (std::optional<Index> index = space.resolve(sums, spoken)) {
      storeHost(array, position,
                (*tensor.bits)[tensor.offsetOf(space, *index)]);
      array.padding[position] = false;
    }
  }
  if (!llvm::is_contained(array.padding, 1))
    array.padding.clear();
  return array;
}
