//===- Names.cpp - Identifiers of CSL -------------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Names.h"
#include "llvm/ADT/StringExtras.h"

using namespace sequin::csl_to_source;
using llvm::StringRef;

bool sequin::csl_to_source::isReserved(StringRef name) {
  // Keywords, predeclared types and directions (SYN-005, SYN-074).
  static const llvm::StringSet<> words = {"_",
                                          "align",
                                          "and",
                                          "anyopaque",
                                          "anytype",
                                          "asm",
                                          "bf16",
                                          "bool",
                                          "break",
                                          "cb16",
                                          "circbuf_dsd",
                                          "color",
                                          "comptime",
                                          "comptime_float",
                                          "comptime_int",
                                          "comptime_string",
                                          "comptime_struct",
                                          "const",
                                          "continue",
                                          "control_task_id",
                                          "data_task_id",
                                          "direction",
                                          "dsr_dest",
                                          "dsr_fifo_dest",
                                          "dsr_fifo_src1",
                                          "dsr_src0",
                                          "dsr_src1",
                                          "else",
                                          "enum",
                                          "export",
                                          "extern",
                                          "f16",
                                          "f32",
                                          "f64",
                                          "fabin_dsd",
                                          "fabout_dsd",
                                          "false",
                                          "fn",
                                          "for",
                                          "if",
                                          "imported_module",
                                          "inline",
                                          "input_queue",
                                          "layout",
                                          "linkname",
                                          "linksection",
                                          "local_task_id",
                                          "mem1d_dsd",
                                          "mem4d_dsd",
                                          "noinline",
                                          "or",
                                          "output_queue",
                                          "packed",
                                          "param",
                                          "range",
                                          "return",
                                          "sr",
                                          "struct",
                                          "switch",
                                          "task",
                                          "true",
                                          "type",
                                          "union",
                                          "ut_id",
                                          "var",
                                          "void",
                                          "volatile",
                                          "while",
                                          "xdsr",
                                          "EAST",
                                          "NORTH",
                                          "RAMP",
                                          "SOUTH",
                                          "WEST"};
  if (words.contains(name))
    return true;
  // i0, u7, ...
  return name.size() > 1 && (name[0] == 'i' || name[0] == 'u') &&
         llvm::all_of(name.drop_front(), llvm::isDigit);
}

std::string sequin::csl_to_source::asIdentifier(StringRef name) {
  std::string result;
  for (char c : name)
    result += llvm::isAlnum(c) ? c : '_';
  if (result.empty() || llvm::isDigit(result.front()))
    result = "_" + result;
  return result;
}

std::string Names::take(StringRef wish) {
  std::string base = asIdentifier(wish), name = base;
  for (unsigned i = 2; isTaken(name); ++i)
    name = base + "_" + std::to_string(i);
  taken.insert(name);
  return name;
}

bool Names::isTaken(StringRef name) const {
  return isReserved(name) || taken.contains(name) ||
         (outer && outer->isTaken(name));
}

std::string sequin::csl_to_source::quote(StringRef text) {
  std::string result = "\"";
  for (unsigned char c : text) {
    if (c == '"' || c == '\\')
      result += {'\\', static_cast<char>(c)};
    else if (c == '\n')
      result += "\\n";
    else if (c == '\t')
      result += "\\t";
    else if (c == '\r')
      result += "\\r";
    else if (c < 0x20 || c >= 0x7f)
      result += "\\x" + llvm::toHex(StringRef(reinterpret_cast<char *>(&c), 1),
                                    /*LowerCase=*/true);
    else
      result += static_cast<char>(c);
  }
  return result + "\"";
}
