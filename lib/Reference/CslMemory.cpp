//===- CslMemory.cpp - Variables of a PE in the csl reference -------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CslMemory.h"
#include "sequin/Machine/CslRegisters.h"
#include "sequin/Support/DsdArithmetic.h"
#include "llvm/Support/MathExtras.h"
#include <cstdlib>
#include <cstring>

using namespace mlir;
using namespace sequin;
using namespace sequin::reference;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static bool isPackedStruct(Type type) {
  auto record = dyn_cast<csl::StructType>(type);
  return record && record.getKind() == csl::AggregateKind::Packed;
}

bool reference::isBytes(Type type) {
  return isa<csl::ArrayType>(type) ||
         (isa<csl::StructType>(type) && !isPackedStruct(type));
}

unsigned reference::bitsOf(Type type) {
  if (type.isIndex())
    return 32;
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.isSignless() && integer.getWidth() <= 64 ? integer.getWidth()
                                                            : 0;
  if (type.isF32())
    return 32;
  if (type.isF16() || type.isBF16() ||
      isa<csl::CB16Type, csl::PtrType, csl::ColorType, csl::InputQueueType,
          csl::OutputQueueType, csl::DataTaskIdType, csl::LocalTaskIdType,
          csl::ControlTaskIdType, csl::UtIdType, csl::DirectionType,
          BaseMemRefType, csl::DsrType, csl::XdsrType, csl::SrType>(type))
    return 16;
  if (isa<csl::DsdType, csl::FifoType>(type))
    return 64;
  if (auto number = dyn_cast<csl::EnumType>(type))
    return number.getBaseType().getWidth();
  if (!isPackedStruct(type))
    return 0;
  auto record = cast<csl::StructType>(type);
  unsigned sum = 0, most = 0;
  for (Type field : record.getFieldTypes()) {
    unsigned bits = bitsOf(field);
    sum += bits;
    most = std::max(most, bits);
  }
  unsigned bits = record.getIsUnion() ? most : sum;
  return bits <= 64 ? bits : 0;
}

static int64_t alignedTo(int64_t value, int64_t align) {
  return (value + align - 1) / align * align;
}

TypeSize reference::sizeOf(Type type) {
  if (isa<BaseMemRefType, IndexType, csl::FifoType, csl::DsrType, csl::XdsrType,
          csl::SrType>(type))
    return {};
  if (auto array = dyn_cast<csl::ArrayType>(type)) {
    TypeSize element = sizeOf(array.getElementType());
    for (int64_t extent : array.getShape())
      element.bytes *= extent;
    return element;
  }
  if (isBytes(type)) {
    auto record = cast<csl::StructType>(type);
    int64_t end = 0, align = 1;
    for (auto [index, field] : llvm::enumerate(record.getFieldTypes())) {
      TypeSize size = sizeOf(field);
      align = std::max(align, size.align);
      end = std::max(end, fieldOffset(record, index) + size.bytes);
    }
    return {alignedTo(end, align), align};
  }
  unsigned bits = bitsOf(type);
  if (!bits)
    return {};
  // bool is a word (ValueLayout of the manual's ABI: export-compatible types
  // are 16 and 32 bits wide).
  int64_t bytes = bits == 1    ? 2
                  : bits <= 8  ? 1
                  : bits <= 16 ? 2
                  : bits <= 32 ? 4
                               : 8;
  return {bytes, std::min<int64_t>(bytes, 4)};
}

int64_t reference::fieldOffset(csl::StructType type, unsigned field) {
  if (type.getIsUnion())
    return 0;
  int64_t end = 0;
  for (unsigned i = 0;; ++i) {
    TypeSize size = sizeOf(type.getFieldTypes()[i]);
    int64_t begin = alignedTo(end, size.align);
    if (i == field)
      return begin;
    end = begin + size.bytes;
  }
}

unsigned reference::fieldBit(csl::StructType type, unsigned field) {
  unsigned bit = 0;
  if (!type.getIsUnion())
    for (Type before : type.getFieldTypes().take_front(field))
      bit += bitsOf(before);
  return bit;
}

std::optional<uint64_t> reference::bitsOf(Attribute value, Type type) {
  if (auto number = dyn_cast_or_null<IntegerAttr>(value)) {
    unsigned bits = bitsOf(type);
    if (!bits)
      return std::nullopt;
    const APInt &wide = number.getValue();
    return (wide.getBitWidth() > 64 ? wide.trunc(64) : wide).getZExtValue() &
           maskOf(bits);
  }
  auto number = dyn_cast_or_null<FloatAttr>(value);
  if (!number)
    return std::nullopt;
  if (isa<csl::CB16Type>(type))
    return dsd::encodeFp16(Fp16Format::CB16, number.getValueAsDouble());
  return number.getValue().bitcastToAPInt().getZExtValue();
}

//===----------------------------------------------------------------------===//
// Map
//===----------------------------------------------------------------------===//

/// Addresses are 16 bits wide; the last ones may be those of registers.
static constexpr int64_t kAddresses = 2 * kFirstConfigAddress;
/// The first one, which is no null pointer.
static constexpr int64_t kFirstAddress = 16;
/// Between two variables, where the numbers suffice.
static constexpr int64_t kGap = 64;
/// Beside variables, for memref.alloca.
static constexpr int64_t kStackBytes = 8192;

LogicalResult MemoryMap::build(csl::ProgramOp program,
                               const CslMachine &machine) {
  auto vars = llvm::to_vector(program.getOps<csl::VarOp>());
  int64_t total = 0;
  for (csl::VarOp var : vars) {
    MemRefType type = var.getMemRefType();
    TypeSize size = sizeOf(type.getElementType());
    int64_t bytes = 0;
    if (!size.bytes)
      return var.emitOpError()
             << "has elements of type " << type.getElementType()
             << ", which a PE does not hold";
    if (!type.hasStaticShape() ||
        __builtin_mul_overflow(type.getNumElements(), size.bytes, &bytes) ||
        bytes > machine.memoryBytesPerPe ||
        (total += bytes) > machine.memoryBytesPerPe)
      return var.emitOpError() << "does not fit into the "
                               << machine.memoryBytesPerPe << " bytes of a PE";
  }
  int64_t count = static_cast<int64_t>(vars.size()) + 1;
  int64_t room = kAddresses - kFirstAddress - kStackBytes - total - 16 * count;
  int64_t gap = std::clamp<int64_t>(room / count, 0, kGap);
  int64_t next = kFirstAddress;
  for (csl::VarOp var : vars) {
    MemRefType type = var.getMemRefType();
    TypeSize size = sizeOf(type.getElementType());
    int64_t align = std::max<int64_t>(4, var.getAlignment().value_or(1));
    next = alignedTo(next, align);
    Object object;
    object.name = var.getSymName().str();
    object.begin = static_cast<uint32_t>(next);
    object.bytes = static_cast<uint32_t>(type.getNumElements() * size.bytes);
    object.op = var;
    numbers[object.name] = static_cast<unsigned>(all.size());
    next += object.bytes + gap;
    all.push_back(std::move(object));
    if (next > kAddresses - kStackBytes)
      return program.emitOpError()
             << "has variables that end at byte " << next
             << ", the reference has room for " << kAddresses - kStackBytes;
  }
  last = static_cast<uint32_t>(alignedTo(next, 4));
  return success();
}

const Object *MemoryMap::find(StringRef name) const {
  auto found = numbers.find(name);
  return found == numbers.end() ? nullptr : &all[found->second];
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

void PeMemory::create(const MemoryMap &layout) {
  map = &layout;
  size = layout.end() + kStackBytes;
  // calloc gives pages that cost nothing before they are written.
  data.reset(static_cast<uint8_t *>(std::calloc(size, 1)));
  if (!data)
    llvm::report_bad_alloc_error("memory of a PE");
}

static int findIn(const std::vector<Object> &objects, int64_t address,
                  int64_t bytes) {
  auto above = llvm::upper_bound(
      objects, address, [](int64_t value, const Object &object) {
        return value < static_cast<int64_t>(object.begin);
      });
  if (above == objects.begin())
    return -1;
  const Object &object = *std::prev(above);
  if (address + bytes > int64_t(object.begin) + object.bytes)
    return -1;
  return static_cast<int>(std::prev(above) - objects.begin());
}

int PeMemory::objectAt(int64_t address, int64_t bytes) const {
  int found = findIn(map->objects(), address, bytes);
  if (found >= 0 || stack.empty())
    return found;
  found = findIn(stack, address, bytes);
  return found < 0 ? -1 : found + static_cast<int>(map->objects().size());
}

std::string PeMemory::describe(int64_t address) const {
  const std::vector<Object> &objects = map->objects();
  int found = objectAt(address, 1);
  if (found >= 0 && found < static_cast<int>(objects.size()))
    return "'" + objects[found].name + "'";
  if (found >= 0)
    return "a variable of the function";
  for (const Object &object : objects)
    if (address >= object.begin + object.bytes &&
        address < object.begin + object.bytes + kGap)
      return "beyond the " + std::to_string(object.bytes) + " bytes of '" +
             object.name + "'";
  return "in no variable";
}

uint64_t PeMemory::load(int64_t address, unsigned bytes) const {
  uint64_t value = 0;
  std::memcpy(&value, at(address), bytes);
  return value;
}

void PeMemory::store(int64_t address, unsigned bytes, uint64_t value) {
  std::memcpy(at(address), &value, bytes);
}

uint32_t PeMemory::push(int64_t bytes, int64_t align) {
  int64_t begin = map->end();
  if (!stack.empty())
    begin = stack.back().begin + stack.back().bytes + 8;
  begin = alignedTo(begin, std::max<int64_t>(align, 4));
  if (bytes < 0 || begin + bytes > size)
    return 0;
  std::memset(data.get() + begin, 0, bytes);
  Object object;
  object.begin = static_cast<uint32_t>(begin);
  object.bytes = static_cast<uint32_t>(bytes);
  stack.push_back(std::move(object));
  return object.begin;
}
