//===- DsdOps.h - The DSD operations of CSL ---------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which DSD operations there are and which operands each takes. The list is
// DsdOps.def; the dialect's operations, the verifiers, the wafer program and
// both executors are made from it or held against it.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_SUPPORT_DSDOPS_H
#define SEQUIN_SUPPORT_DSDOPS_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>

namespace sequin {

/// The 16-bit float format of a program (`--fp16-format`; DOP-006). cb16 has 6
/// exponent bits with bias 42 and 9 mantissa bits.
enum class Fp16Format : uint8_t { F16, CB16, BF16 };

/// "f16", "cb16" or "bf16".
llvm::StringRef getName(Fp16Format format);
std::optional<Fp16Format> parseFp16Format(llvm::StringRef name);

/// What an element of an operand is. F16 is the program's Fp16Format; integers
/// have no sign.
enum class DsdElement : uint8_t { None, I16, I32, F16, F32 };

/// Bytes of an element in memory; 0 for None.
constexpr unsigned getBytes(DsdElement element) {
  return element == DsdElement::None                                ? 0
         : element == DsdElement::I32 || element == DsdElement::F32 ? 4
                                                                    : 2;
}

/// Operand lists; see DsdOps.def.
namespace dsd_form {
enum : uint16_t {
  DSS = 1 << 0,
  DCS = 1 << 1,
  DSC = 1 << 2,
  PCS = 1 << 3,
  DS = 1 << 4,
  PS = 1 << 5,
  DC = 1 << 6,
  PC = 1 << 7,
  DSSC = 1 << 8,
  PCC = 1 << 9,
  S = 1 << 10,
};
} // namespace dsd_form

/// "DSS": one of the dsd_form enumerators.
llvm::StringRef getFormName(uint16_t form);

enum class DsdOpcode : uint8_t {
#define SEQUIN_DSD_OP(NAME, ...) NAME,
#include "sequin/Support/DsdOps.def"
};

inline constexpr unsigned kDsdOpcodes = 0
#define SEQUIN_DSD_OP(...) +1
#include "sequin/Support/DsdOps.def"
    ;

struct DsdOpInfo {
  llvm::StringLiteral name; ///< without the at sign
  DsdElement dest, source0, source1, scalar;
  uint16_t forms; ///< of dsd_form

  /// Sources that are walked element by element or given as a value; the
  /// scalar behind them not counted.
  unsigned sources() const {
    return source1 != DsdElement::None ? 2 : source0 != DsdElement::None;
  }
};

const DsdOpInfo &getInfo(DsdOpcode opcode);
std::optional<DsdOpcode> parseDsdOpcode(llvm::StringRef name);

} // namespace sequin

#endif // SEQUIN_SUPPORT_DSDOPS_H
