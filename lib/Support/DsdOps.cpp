//===- DsdOps.cpp - The DSD operations of CSL -----------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Support/DsdOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/ErrorHandling.h"

using namespace sequin;
using namespace sequin::dsd_form;

static constexpr DsdOpInfo kInfos[] = {
#define SEQUIN_DSD_OP(NAME, TEXT, DEST, SOURCE0, SOURCE1, SCALAR, FORMS)       \
  {TEXT,                                                                       \
   DsdElement::DEST,                                                           \
   DsdElement::SOURCE0,                                                        \
   DsdElement::SOURCE1,                                                        \
   DsdElement::SCALAR,                                                         \
   FORMS},
#include "sequin/Support/DsdOps.def"
};

const DsdOpInfo &sequin::getInfo(DsdOpcode opcode) {
  return kInfos[static_cast<unsigned>(opcode)];
}

std::optional<DsdOpcode> sequin::parseDsdOpcode(llvm::StringRef name) {
  for (auto [index, info] : llvm::enumerate(kInfos))
    if (info.name == name)
      return static_cast<DsdOpcode>(index);
  return std::nullopt;
}

llvm::StringRef sequin::getName(Fp16Format format) {
  switch (format) {
  case Fp16Format::F16:
    return "f16";
  case Fp16Format::CB16:
    return "cb16";
  case Fp16Format::BF16:
    return "bf16";
  }
  llvm_unreachable("unknown format");
}

std::optional<Fp16Format> sequin::parseFp16Format(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<Fp16Format>>(name)
      .Case("f16", Fp16Format::F16)
      .Case("cb16", Fp16Format::CB16)
      .Case("bf16", Fp16Format::BF16)
      .Default(std::nullopt);
}

llvm::StringRef sequin::getFormName(uint16_t form) {
  switch (form) {
  case DSS:
    return "DSS";
  case DCS:
    return "DCS";
  case DSC:
    return "DSC";
  case PCS:
    return "PCS";
  case DS:
    return "DS";
  case PS:
    return "PS";
  case DC:
    return "DC";
  case PC:
    return "PC";
  case DSSC:
    return "DSSC";
  case PCC:
    return "PCC";
  case S:
    return "S";
  }
  llvm_unreachable("not one form");
}
