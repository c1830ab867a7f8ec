//===- CslRegisters.h - Configuration registers of a PE ---------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What @get_config and @set_config reach: the register map of CslRegisters.def.
// The functions of CSL's <tile_config> are reads and writes of these.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_MACHINE_CSLREGISTERS_H
#define SEQUIN_MACHINE_CSLREGISTERS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>

namespace sequin {

struct CslMachine;

enum class CslRegister : uint8_t {
#define SEQUIN_CSL_REGISTER(NAME, ...) NAME,
#include "sequin/Machine/CslRegisters.def"
};

struct CslRegisterInfo {
  CslRegister kind;
  llvm::StringLiteral name;
  uint16_t address; ///< of the first word, in words
  uint16_t count;   ///< words
  uint16_t reset;
  bool reserved; ///< refused by the checked builtins at comptime
  bool writable;
};

/// Word addresses of the configuration space, inclusive.
inline constexpr uint16_t kFirstConfigAddress = 0x7c00;
inline constexpr uint16_t kLastConfigAddress = 0x7fff;

/// The word that a load or store by a pointer reaches at byte `address`: on
/// WSE-2 word w of the configuration space lies at byte 2 w. None where there
/// is memory or nothing, and always on WSE-3, which maps no registers.
std::optional<uint16_t> configWordAt(const CslMachine &machine,
                                     uint64_t address);

/// Bits of the exception mask: performance counters, software, and from here on
/// the exceptions of floats in the order of Support/FloatExceptions.h. The
/// machine has neither performance counters nor an instruction that raises
/// SW_EXCEPTION, so only floats raise anything.
inline constexpr unsigned kFirstFloatException = 3;
/// The set of float exceptions that stop a PE with this mask: its bits are
/// active low (AMB-065).
constexpr uint8_t unmaskedFloatExceptions(uint16_t mask) {
  return static_cast<uint8_t>(~mask >> kFirstFloatException & 0x1f);
}

/// All registers, by address.
llvm::ArrayRef<CslRegisterInfo> cslRegisters();
const CslRegisterInfo &getInfo(CslRegister kind);
/// The register that `address` is a word of; nullptr for a hole.
const CslRegisterInfo *lookupCslRegister(uint16_t address);
const CslRegisterInfo *lookupCslRegister(llvm::StringRef name);

} // namespace sequin

#endif // SEQUIN_MACHINE_CSLREGISTERS_H
