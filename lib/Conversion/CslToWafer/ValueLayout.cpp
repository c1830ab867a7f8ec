//===- ValueLayout.cpp - Sizes of csl types in memory and registers -------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ValueLayout.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::csl_to_wafer;

static constexpr unsigned kPointerBits = 16;
static constexpr unsigned kDsdBits = 64;
/// No access is aligned to more.
static constexpr int64_t kMaxAlign = 4;

static bool isId(Type type) {
  return isa<csl::ColorType, csl::InputQueueType, csl::OutputQueueType,
             csl::DataTaskIdType, csl::LocalTaskIdType, csl::ControlTaskIdType,
             csl::UtIdType, csl::DirectionType>(type);
}

static bool isPacked(Type type) {
  auto aggregate = dyn_cast<csl::StructType>(type);
  return aggregate && aggregate.getKind() == csl::AggregateKind::Packed;
}

unsigned csl_to_wafer::getPackedBits(Type type) {
  if (type.isIntOrFloat())
    return type.getIntOrFloatBitWidth();
  if (isa<csl::CB16Type>(type))
    return 16;
  if (isa<csl::PtrType>(type))
    return kPointerBits;
  if (auto enumType = dyn_cast<csl::EnumType>(type))
    return enumType.getBaseType().getWidth();
  auto aggregate = cast<csl::StructType>(type);
  unsigned bits = 0;
  for (Type field : aggregate.getFieldTypes()) {
    unsigned size = getPackedBits(field);
    bits = aggregate.getIsUnion() ? std::max(bits, size) : bits + size;
  }
  return bits;
}

unsigned csl_to_wafer::getRegisterBits(Type type) {
  unsigned bits = 0;
  if (type.isIndex())
    bits = kIndexBits;
  else if (isId(type))
    bits = kIdBits;
  else if (isa<csl::DsdType, csl::FifoType>(type))
    bits = kDsdBits;
  else if (isa<BaseMemRefType>(type) || isInFrame(type))
    bits = kPointerBits;
  else if (type.isSignlessInteger() || type.isF16() || type.isBF16() ||
           type.isF32() || isPacked(type) ||
           isa<csl::CB16Type, csl::PtrType, csl::EnumType>(type))
    bits = getPackedBits(type);
  return bits <= 64 ? bits : 0;
}

bool csl_to_wafer::isInFrame(Type type) {
  return isa<csl::ArrayType>(type) ||
         (isa<csl::StructType>(type) && !isPacked(type));
}

/// The bytes that a value of `bits` takes.
static MemorySize getScalarSize(unsigned bits) {
  int64_t bytes = llvm::PowerOf2Ceil(llvm::divideCeil(bits, 8));
  return {bytes, std::min(bytes, kMaxAlign)};
}

MemorySize csl_to_wafer::getMemorySize(Type type) {
  if (type.isInteger(1))
    return getScalarSize(16);
  if (auto array = dyn_cast<csl::ArrayType>(type)) {
    MemorySize element = getMemorySize(array.getElementType());
    return {element.bytes * array.getNumElements(), element.align};
  }
  if (isInFrame(type)) {
    auto aggregate = cast<csl::StructType>(type);
    MemorySize size;
    for (Type field : aggregate.getFieldTypes()) {
      MemorySize part = getMemorySize(field);
      size.align = std::max(size.align, part.align);
      size.bytes = aggregate.getIsUnion()
                       ? std::max(size.bytes, part.bytes)
                       : llvm::alignTo(size.bytes, part.align) + part.bytes;
    }
    size.bytes = llvm::alignTo(size.bytes, size.align);
    return size;
  }
  if (isa<BaseMemRefType, IndexType, csl::FifoType>(type))
    return {};
  unsigned bits = getRegisterBits(type);
  return bits ? getScalarSize(bits) : MemorySize();
}

int64_t csl_to_wafer::getFieldOffset(csl::StructType type, unsigned field) {
  if (type.getIsUnion())
    return 0;
  int64_t offset = 0;
  for (auto [index, part] : llvm::enumerate(type.getFieldTypes())) {
    MemorySize size = getMemorySize(part);
    offset = llvm::alignTo(offset, size.align);
    if (index == field)
      break;
    offset += size.bytes;
  }
  return offset;
}

unsigned csl_to_wafer::getFieldBit(csl::StructType type, unsigned field) {
  unsigned bit = 0;
  for (Type part : type.getFieldTypes().take_front(field))
    bit += type.getIsUnion() ? 0 : getPackedBits(part);
  return bit;
}

wafer::ElementKind csl_to_wafer::getElementKind(Type type, bool isUnsigned) {
  using wafer::ElementKind;
  if (type.isInteger(1))
    return ElementKind::Bool;
  if (isa<IntegerType, csl::EnumType>(type))
    return isUnsigned ? ElementKind::Unsigned : ElementKind::Signed;
  if (isa<FloatType, csl::CB16Type>(type))
    return ElementKind::Float;
  if (isa<csl::PtrType>(type))
    return ElementKind::Pointer;
  if (isa<csl::DsdType>(type))
    return ElementKind::Dsd;
  if (isId(type))
    return ElementKind::Id;
  return ElementKind::Bytes;
}
