//===- CslRegisters.cpp - Configuration registers of a PE -----------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Machine/CslRegisters.h"
#include "sequin/Machine/CslMachine.h"

using namespace sequin;

static constexpr CslRegisterInfo kRegisters[] = {
#define SEQUIN_CSL_REGISTER(NAME, TEXT, ADDRESS, COUNT, RESET, RESERVED,       \
                            WRITABLE)                                          \
  {CslRegister::NAME, TEXT, ADDRESS, COUNT, RESET, RESERVED, WRITABLE},
#include "sequin/Machine/CslRegisters.def"
};

llvm::ArrayRef<CslRegisterInfo> sequin::cslRegisters() { return kRegisters; }

std::optional<uint16_t> sequin::configWordAt(const CslMachine &machine,
                                             uint64_t address) {
  if (machine.generation != 2 || address / 2 < kFirstConfigAddress ||
      address / 2 > kLastConfigAddress)
    return std::nullopt;
  return static_cast<uint16_t>(address / 2);
}

const CslRegisterInfo &sequin::getInfo(CslRegister kind) {
  return kRegisters[static_cast<unsigned>(kind)];
}

const CslRegisterInfo *sequin::lookupCslRegister(uint16_t address) {
  for (const CslRegisterInfo &info : kRegisters)
    if (address >= info.address && address - info.address < info.count)
      return &info;
  return nullptr;
}

const CslRegisterInfo *sequin::lookupCslRegister(llvm::StringRef name) {
  for (const CslRegisterInfo &info : kRegisters)
    if (info.name == name)
      return &info;
  return nullptr;
}
