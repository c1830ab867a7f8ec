//===- Names.cpp - Spellings of the wafer program's enumerators -----------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Wafer/Program.h"
#include "llvm/ADT/STLExtras.h"

using namespace sequin;
using namespace sequin::wafer;

std::string wafer::getPeName(int64_t x, int64_t y) {
  return "PE (" + std::to_string(x) + ", " + std::to_string(y) + ")";
}

/// The place of `name` in `names` as an enumerator.
template <typename Enum>
static std::optional<Enum> parse(llvm::ArrayRef<llvm::StringLiteral> names,
                                 llvm::StringRef name) {
  for (auto [index, candidate] : llvm::enumerate(names))
    if (candidate == name)
      return static_cast<Enum>(index);
  return std::nullopt;
}

#define SEQUIN_NAMES(TYPE, ...)                                                \
  static constexpr llvm::StringLiteral k##TYPE##Names[] = {__VA_ARGS__};       \
  llvm::StringRef wafer::getName(TYPE value) {                                 \
    return k##TYPE##Names[static_cast<unsigned>(value)];                       \
  }

SEQUIN_NAMES(DescriptorKind, "none", "mem1d", "mem4d", "circbuf", "fabin",
             "fabout", "fifo")
SEQUIN_NAMES(Priority, "default", "low", "medium", "high")
SEQUIN_NAMES(SimdMode, "default", "simd_off", "simd_32", "simd_64",
             "simd_32_or_64", "simd_max")
SEQUIN_NAMES(DsrFile, "dest", "src0", "src1")
SEQUIN_NAMES(FloatFunction, "sqrt", "rsqrt", "exp", "exp2", "expm1", "log",
             "log2", "log10", "log1p", "sin", "cos", "tan", "tanh", "erf",
             "atan", "atan2", "pow", "floor", "ceil", "trunc", "round",
             "roundeven")
SEQUIN_NAMES(Direction, "WEST", "EAST", "SOUTH", "NORTH", "RAMP")
SEQUIN_NAMES(PopMode, "no_pop", "always_pop", "pop_on_advance",
             "pop_on_advance_nop")
SEQUIN_NAMES(FilterKind, "counter", "sparse_counter", "range")
SEQUIN_NAMES(TaskKind, "data", "local", "control")
SEQUIN_NAMES(FifoAction, "test_or_suspend", "terminate", "suspend", "fault")
SEQUIN_NAMES(ElementKind, "bool", "signed", "unsigned", "float", "pointer",
             "id", "dsd", "bytes")

std::optional<DescriptorKind> wafer::parseDescriptorKind(llvm::StringRef name) {
  return parse<DescriptorKind>(kDescriptorKindNames, name);
}

std::optional<FloatFunction> wafer::parseFloatFunction(llvm::StringRef name) {
  return parse<FloatFunction>(kFloatFunctionNames, name);
}

std::optional<Direction> wafer::parseDirection(llvm::StringRef name) {
  return parse<Direction>(kDirectionNames, name);
}

static constexpr OpcodeInfo kOpcodes[] = {
#define SEQUIN_WAFER_OPCODE(NAME, TEXT, CLASS, MACHINE)                        \
  {TEXT, ScalarClass::CLASS, MACHINE},
#include "sequin/Wafer/Opcodes.def"
};

const OpcodeInfo &wafer::getInfo(Opcode opcode) {
  return kOpcodes[static_cast<unsigned>(opcode)];
}

std::optional<Opcode> wafer::parseOpcode(llvm::StringRef name) {
  for (auto [index, info] : llvm::enumerate(kOpcodes))
    if (info.name == name)
      return static_cast<Opcode>(index);
  return std::nullopt;
}
