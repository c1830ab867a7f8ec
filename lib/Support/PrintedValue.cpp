//===- PrintedValue.cpp - Values as simprint writes them ------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Support/PrintedValue.h"
#include <charconv>
#include <cmath>

std::string sequin::printedHex(uint64_t bits, unsigned width) {
  std::string text;
  for (unsigned digit = (width + 3) / 4; digit--;)
    text += "0123456789ABCDEF"[bits >> (4 * digit) & 15];
  return text;
}

std::string sequin::printedBinary(uint64_t bits, unsigned width) {
  std::string text;
  for (unsigned bit = width; bit--;)
    text += bits >> bit & 1 ? '1' : '0';
  return text;
}

std::string sequin::printedFloat(float value) {
  char buffer[32];
  auto [end, error] = std::to_chars(buffer, buffer + sizeof(buffer), value);
  std::string text(buffer, end);
  if (std::isfinite(value) && text.find_first_of(".e") == std::string::npos)
    text += ".0";
  return text;
}
