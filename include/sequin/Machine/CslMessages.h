//===- CslMessages.h - Messages that find their own way ---------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What <message_passing> needs of WSE-3's routers. The manual names the colors,
// the length and the control bit of the last wavelet; how a router is told to
// pass messages and what a header looks like are rulings (docs/Decisions, note
// on messages).
//
// A color in message mode (register `message_colors`) has no routes. A message
// is a header and 1 to maxWords words. Routers bring it along the row to the
// column of the header, then along the column to the row, and no other message
// of the color gets between its wavelets.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_MACHINE_CSLMESSAGES_H
#define SEQUIN_MACHINE_CSLMESSAGES_H

#include "sequin/Machine/CslMachine.h"

namespace sequin {

struct CslMessages {
  /// Bit c: color c is the library's while a program imports it.
  uint32_t colors;
  unsigned color;    ///< the one of them that carries messages
  unsigned maxWords; ///< of a message, without its header
};

/// nullptr: the machine's routers pass no messages.
const CslMessages *messagesOf(const CslMachine &machine);

/// The first wavelet of a message: column in bits 10:0, row in bits 21:11, both
/// within the rectangle, number of words in bits 27:22.
struct MessageHeader {
  uint16_t column = 0, row = 0;
  uint8_t words = 0;

  static MessageHeader unpack(uint32_t word) {
    return {static_cast<uint16_t>(word & 0x7ff),
            static_cast<uint16_t>(word >> 11 & 0x7ff),
            static_cast<uint8_t>(word >> 22 & 0x3f)};
  }
};

} // namespace sequin

#endif // SEQUIN_MACHINE_CSLMESSAGES_H
