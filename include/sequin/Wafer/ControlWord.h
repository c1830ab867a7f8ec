//===- ControlWord.h - The payload of a control wavelet ---------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// 32 bits (FAB-043 to FAB-049): the control task in bits 21:16, eight commands
// of three bits (operation, then ce_ignore), the lower ones in bits 29:22 and
// the rest in bits 15:0, so that command 2 is in both. With one command the low
// 16 bits are the task's data instead.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_WAFER_CONTROLWORD_H
#define SEQUIN_WAFER_CONTROLWORD_H

#include "sequin/Wafer/Program.h"

namespace sequin::wafer {

struct ControlWord {
  uint32_t payload = 0;

  /// The control task; the machine's noControlTask for none.
  unsigned entry() const { return payload >> 16 & 0x3f; }
  /// The eight commands, the first in the lowest three bits.
  uint32_t commands() const {
    return (payload >> 22 & 0xff) | (payload & 0xffff) << 8;
  }
  /// What a router does now.
  SwitchCommand command() const {
    return static_cast<SwitchCommand>(commands() & 3);
  }
  /// Whether it stays away from the compute element of this PE (FAB-048).
  bool ignoredByCe() const { return commands() & 4; }
  /// Without the first command; a NOP with ce_ignore comes in at the end
  /// (AMB-019).
  ControlWord popped() const {
    uint32_t left = commands() >> 3 | uint32_t(4) << 21;
    return {(payload & 0xc03f0000) | (left & 0xff) << 22 | left >> 8};
  }
};

} // namespace sequin::wafer

#endif // SEQUIN_WAFER_CONTROLWORD_H
