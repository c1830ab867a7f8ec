//===- Names.cpp - Keywords and predeclared names of CSL ------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/CslSource/Names.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace sequin;
using namespace sequin::csl_source;
using llvm::StringRef;

namespace {

constexpr StringRef kTypeNames[] = {
    "anyopaque",
    "bf16",
    "bool",
    "cb16",
    "circbuf_dsd",
    "color",
    "comptime_float",
    "comptime_int",
    "comptime_string",
    "comptime_struct",
    "control_task_id",
    "data_task_id",
    "direction",
    "dsr_dest",
    "dsr_fifo_dest",
    "dsr_fifo_src1",
    "dsr_src0",
    "dsr_src1",
    "f16",
    "f32",
    "fabin_dsd",
    "fabout_dsd",
    "imported_module",
    "input_queue",
    "local_task_id",
    "mem1d_dsd",
    "mem4d_dsd",
    "output_queue",
    "range",
    "sr",
    "type",
    "ut_id",
    "void",
    "xdsr",
};

constexpr StringRef kDirections[] = {"EAST", "NORTH", "RAMP", "SOUTH", "WEST"};

constexpr StringRef kKeywords[] = {
    "align",    "and",         "anytype",  "asm",  "break",  "comptime",
    "const",    "continue",    "else",     "enum", "export", "extern",
    "false",    "fn",          "for",      "if",   "inline", "layout",
    "linkname", "linksection", "noinline", "or",   "packed", "param",
    "return",   "struct",      "switch",   "task", "true",   "union",
    "var",      "volatile",    "while",
};

bool contains(llvm::ArrayRef<StringRef> sorted, StringRef name) {
  return std::binary_search(sorted.begin(), sorted.end(), name);
}

} // namespace

std::optional<IntegerTypeName> csl_source::integerTypeName(StringRef name) {
  if (name.size() < 2 || (name.front() != 'i' && name.front() != 'u'))
    return std::nullopt;
  StringRef digits = name.drop_front();
  if (!llvm::all_of(digits, llvm::isDigit))
    return std::nullopt;
  IntegerTypeName type;
  type.isSigned = name.front() == 'i';
  for (char digit : digits) {
    type.bits = type.bits * 10 + unsigned(digit - '0');
    if (type.bits > kMaxIntegerBits) {
      type.bits = kMaxIntegerBits + 1;
      break;
    }
  }
  return type;
}

bool csl_source::isTypeName(StringRef name) {
  return integerTypeName(name) || contains(kTypeNames, name);
}
llvm::ArrayRef<StringRef> csl_source::typeNames() { return kTypeNames; }

bool csl_source::isDirectionName(StringRef name) {
  return contains(kDirections, name);
}

bool csl_source::isKeyword(StringRef name) { return contains(kKeywords, name); }
llvm::ArrayRef<StringRef> csl_source::keywords() { return kKeywords; }
