//===- PrintedValue.h - Values as simprint writes them ----------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `{X}`, `{b}` and `{f}` of a print become (LIB-033, WEX-061). The manual
// shows one line, `42 002A 0000000000101010 42.0`; how many digits a float has
// is a ruling: as few as read back as the same 32-bit number.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_SUPPORT_PRINTEDVALUE_H
#define SEQUIN_SUPPORT_PRINTEDVALUE_H

#include <cstdint>
#include <string>

namespace sequin {

/// All `width` bits, in upper-case hexadecimal digits.
std::string printedHex(uint64_t bits, unsigned width);
/// All `width` bits.
std::string printedBinary(uint64_t bits, unsigned width);
/// With a point or an exponent, unless it is `inf` or `nan`.
std::string printedFloat(float value);

} // namespace sequin

#endif // SEQUIN_SUPPORT_PRINTEDVALUE_H
