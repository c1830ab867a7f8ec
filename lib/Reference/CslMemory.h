//===- CslMemory.h - Variables of a PE in the csl reference -----*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How many bytes a value takes, and a PE's memory as objects: variables, and
// what memref.alloca makes. Objects have numbers for addresses, with gaps
// between them, so that an address belongs to one object or to none.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_REFERENCE_CSLMEMORY_H
#define SEQUIN_LIB_REFERENCE_CSLMEMORY_H

#include "sequin/Dialect/Csl/IR/CslDialect.h"
#include "llvm/ADT/StringMap.h"
#include <memory>
#include <string>
#include <vector>

namespace sequin::reference {

/// Bits of a value that is one number; 0 for what is none.
unsigned bitsOf(mlir::Type type);
/// Whether a value is a run of bytes: an array, or a struct that is not packed.
bool isBytes(mlir::Type type);

struct TypeSize {
  int64_t bytes = 0, align = 1;
};
/// In memory; 0 bytes for what is never there. Integers take 1, 2, 4 or 8
/// bytes, bool, ids and pointers 2, DSDs 8; fields lie at multiples of their
/// size up to 4.
TypeSize sizeOf(mlir::Type type);
/// Where a field of a struct begins: in bytes, of a packed struct in bits.
int64_t fieldOffset(csl::StructType type, unsigned field);
unsigned fieldBit(csl::StructType type, unsigned field);

inline uint64_t maskOf(unsigned bits) {
  return bits >= 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
}
inline int64_t signedOf(uint64_t value, unsigned bits) {
  if (bits == 0 || bits >= 64)
    return static_cast<int64_t>(value);
  uint64_t sign = uint64_t(1) << (bits - 1);
  return static_cast<int64_t>(((value & maskOf(bits)) ^ sign) - sign);
}

/// The bits of a constant of `type`; none if it is no number.
std::optional<uint64_t> bitsOf(mlir::Attribute value, mlir::Type type);

struct Object {
  std::string name = {};
  uint32_t begin = 0, bytes = 0;
  csl::VarOp op = {};
};

/// The variables of a program.
class MemoryMap {
public:
  /// Lays them out; an error at the program if they take more than all numbers.
  mlir::LogicalResult build(csl::ProgramOp program, const CslMachine &machine);

  const std::vector<Object> &objects() const { return all; }
  const Object *find(llvm::StringRef name) const;
  uint32_t end() const { return last; }

private:
  std::vector<Object> all;
  llvm::StringMap<unsigned> numbers;
  uint32_t last = 0;
};

/// The memory of a PE.
class PeMemory {
public:
  void create(const MemoryMap &map);

  /// The object that `bytes` bytes at `address` are in; -1 for none.
  int objectAt(int64_t address, int64_t bytes) const;
  /// "'name'", or what is there instead.
  std::string describe(int64_t address) const;

  uint64_t load(int64_t address, unsigned bytes) const;
  void store(int64_t address, unsigned bytes, uint64_t value);
  uint8_t *at(int64_t address) { return data.get() + address; }
  const uint8_t *at(int64_t address) const { return data.get() + address; }

  /// An object that lives as long as a call; 0: there is no room.
  uint32_t push(int64_t bytes, int64_t align);
  size_t depth() const { return stack.size(); }
  void pop(size_t depth) { stack.resize(depth); }

private:
  struct Free {
    void operator()(uint8_t *pointer) const { std::free(pointer); }
  };
  const MemoryMap *map = nullptr;
  std::unique_ptr<uint8_t, Free> data;
  uint32_t size = 0;
  std::vector<Object> stack;
};

} // namespace sequin::reference

#endif // SEQUIN_LIB_REFERENCE_CSLMEMORY_H
