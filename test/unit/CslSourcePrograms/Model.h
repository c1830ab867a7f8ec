//===- Model.h - CSL code with a meaning of its own -------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expressions and statements of random programs: each is written as source and
// executed here, by rules of its own, so that the front end has something to
// agree with that is not the front end.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_TEST_UNIT_CSLSOURCEPROGRAMS_MODEL_H
#define SEQUIN_TEST_UNIT_CSLSOURCEPROGRAMS_MODEL_H

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sequin::testing::model {

enum class Ty : uint8_t { Bool, I16, U16, I32, U32 };

std::string nameOf(Ty type);
unsigned widthOf(Ty type);
bool isSigned(Ty type);
/// The low bits, as the type has them.
int64_t wrap(Ty type, int64_t value);
bool fits(Ty type, int64_t value);
/// Whether every value of `from` is one of `to` (SYN-076).
bool widens(Ty from, Ty to);

/// What code at one PE sees and leaves.
struct Globals {
  std::map<std::string, int64_t> scalars;
  std::map<std::string, std::vector<int64_t>> arrays;
};

struct Scope {
  Globals *globals = nullptr;
  std::map<std::string, int64_t> locals;
  /// At comptime: set when the compiler refuses, as where a value does not fit
  /// (AMB-039, AMB-040).
  bool *refused = nullptr;
  uint64_t *steps = nullptr;

  /// Counts a step; false if nothing further matters.
  bool goesOn() const {
    if (steps && ++*steps > 20000)
      *refused = true;
    return !refused || !*refused;
  }

  int64_t read(const std::string &name) const;
  void write(const std::string &name, int64_t value);
};

struct Function;
struct Expr;
struct Stmt;
using ExprPtr = std::shared_ptr<const Expr>;
using StmtPtr = std::shared_ptr<const Stmt>;

struct Expr {
  enum class Kind : uint8_t {
    Literal, ///< `value`; @as(type, value) unless `isBare`
    Name,    ///< `text`
    Element, ///< of array `text`; the operands are in bounds
    Binary,  ///< `text`
    Unary,   ///< `text`
    Cast,    ///< @as
    Choice,  ///< if (0) 1 else 2
    Switch,  ///< switch (0) { 0 => 1, 1 => 2, ..., else => last }
    Call,    ///< `callee`
    Macro,   ///< a call of a generic function: text(operands), `meaning`
    Block,   ///< `text`: { body; break :text 0; }
  };
  Kind kind;
  Ty type;
  std::string text;
  int64_t value = 0;
  bool isBare = false;
  /// The compiler may know the value, of parameters and constants alone.
  bool isKnown = false;
  std::vector<ExprPtr> operands;
  std::vector<StmtPtr> body;
  int64_t rowLength = 0; ///< of an array with two dimensions
  const Function *callee = nullptr;
  std::function<int64_t(const std::vector<int64_t> &)> meaning;

  int64_t eval(Scope &scope) const;
  std::string str() const;
};

enum class Flow : uint8_t { Next, Break, Continue, Return };

struct Outcome {
  Flow flow = Flow::Next;
  std::string label; ///< of a break
  int64_t value = 0; ///< of a return
};

struct Stmt {
  enum class Kind : uint8_t {
    Var,      ///< var text: type = 0
    Const,    ///< const text = 0
    Assign,   ///< text[...] op 0
    If,       ///< if (0) first else second
    For,      ///< for (@range(u16, from, to, step)) |text|
    Each,     ///< for (array) |text, label|
    While,    ///< while (text < to) : (text += step), text being a variable
    Switch,   ///< switch (0) { 0 => {arms[0]}, ... else => {last} }
    Break,    ///< break :label, or without
    Continue, ///<
    Return,   ///< return 0
    Bump,     ///< bump_T(&text[...], 0): adds through a pointer
    Source,   ///< lines of text with a meaning
  };
  Kind kind;
  Ty type = Ty::U16;
  std::string text, op, label;
  bool isUnrolled = false;
  int64_t from = 0, to = 0, step = 1;
  int64_t rowLength = 0;
  std::vector<ExprPtr> operands, indices;
  std::vector<std::vector<StmtPtr>> arms;
  std::function<void(Scope &)> meaning;

  Outcome run(Scope &scope) const;
  void print(std::string &out, unsigned indent) const;
};

Outcome runAll(const std::vector<StmtPtr> &statements, Scope &scope);
void printAll(const std::vector<StmtPtr> &statements, std::string &out,
              unsigned indent);

struct Function {
  std::string name;
  Ty result;
  std::vector<std::pair<std::string, Ty>> parameters;
  std::vector<StmtPtr> body;
  bool isInline = false;

  int64_t call(const std::vector<int64_t> &arguments, const Scope &from) const;
  std::string str() const;
};

} // namespace sequin::testing::model

#endif // SEQUIN_TEST_UNIT_CSLSOURCEPROGRAMS_MODEL_H
