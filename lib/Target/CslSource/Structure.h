//===- Structure.h - Statements that jump -----------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tree of statements between a graph of blocks and the text of CSL, which has
// no goto. First every jump names the labelled block or loop that it leaves or
// repeats; then jumps that say what happens anyway are dropped, and with them
// the labels that nobody needs any more. What is left is what a person would
// have written: if and else, while, break, return.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_TARGET_CSLSOURCE_STRUCTURE_H
#define SEQUIN_LIB_TARGET_CSLSOURCE_STRUCTURE_H

#include "Names.h"
#include "Text.h"
#include <memory>

namespace sequin::csl_to_source {

struct Statement;
using Statements = std::vector<std::unique_ptr<Statement>>;

/// Where control goes: behind a block or loop, to a loop's next iteration, out
/// of the function.
struct Jump {
  enum class Kind : uint8_t { Break, Continue, Return };
  Kind kind = Kind::Return;
  const Statement *target = nullptr;

  bool operator==(const Jump &) const = default;
};

struct Statement {
  enum class Kind : uint8_t { Lines, If, Switch, Block, Loop, Jump };
  explicit Statement(Kind kind) : kind(kind) {}

  Kind kind;
  Text lines;             ///< Lines
  bool ends = false;      ///< Lines: the last one is a return
  bool isStep = false;    ///< Lines: what the next iteration starts with
  Expression condition;   ///< If, Switch
  bool isInteger = false; ///< If: a comparison of integers
  bool acts = false;      ///< If: the condition calls something
  Statements body;        ///< Block, Loop; the first branch of If
  Statements otherwise;   ///< If, Switch
  std::vector<std::string> values; ///< Switch: of the cases
  std::vector<Statements> cases;   ///< Switch
  std::string range, counter;      ///< Loop: over a range
  std::string step;                ///< Loop: between iterations
  Jump jump;                       ///< Jump
};

/// Drops jumps and labels that change nothing. What a loop does last, where
/// jumps lead to it, is done between its iterations.
void simplify(Statements &function);
/// Writes a function's body; labels are new names of `names`.
void write(const Statements &function, Text &out, Names &names);

} // namespace sequin::csl_to_source

#endif // SEQUIN_LIB_TARGET_CSLSOURCE_STRUCTURE_H
