//===- ElementType.cpp - Element types of the simulated machines ----------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Support/ElementType.h"

using namespace sequin;

namespace {
struct Row {
  ElementType type;
  llvm::StringLiteral name;
  unsigned bits;
  bool isFloat;
};
} // namespace

/// In the order of the enumeration, so that a type is its own index.
static constexpr Row kRows[] = {
    {ElementType::I4, "i4", 4, false},
    {ElementType::I5, "i5", 4, false},
    {ElementType::I8, "i8", 8, false},
    {ElementType::I9, "i9", 8, false},
    {ElementType::I16, "i16", 16, false},
    {ElementType::I32, "i32", 32, false},
    {ElementType::F8E4M3, "f8e4m3", 8, true},
    {ElementType::F8E5M2, "f8e5m2", 8, true},
    {ElementType::BF16, "bf16", 16, true},
    {ElementType::F16, "f16", 16, true},
    {ElementType::F32, "f32", 32, true},
};

static constexpr bool rowsAreInOrder() {
  unsigned index = 0;
  for (const Row &row : kRows)
    if (static_cast<unsigned>(row.type) != index++)
      return false;
  return index == static_cast<unsigned>(ElementType::F32) + 1;
}
static_assert(rowsAreInOrder(), "kRows must follow the enumeration");

static const Row &rowOf(ElementType type) {
  return kRows[static_cast<unsigned>(type)];
}

unsigned sequin::getBitWidth(ElementType type) { return rowOf(type).bits; }

unsigned sequin::getValueBits(ElementType type) {
  switch (type) {
  case ElementType::I5:
    return 5;
  case ElementType::I9:
    return 9;
  default:
    return getBitWidth(type);
  }
}

bool sequin::isFloat(ElementType type) { return rowOf(type).isFloat; }

llvm::StringRef sequin::getName(ElementType type) { return rowOf(type).name; }

std::optional<ElementType> sequin::parseElementType(llvm::StringRef name) {
  for (const Row &row : kRows)
    if (row.name == name)
      return row.type;
  return std::nullopt;
}
