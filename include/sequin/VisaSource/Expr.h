//===- Expr.h - Expressions and statements ----------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks, loops and jumps are expressions, as in Rust. Parentheses and braces
// are kept as written, so that printing needs no precedence.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_VISASOURCE_EXPR_H
#define SEQUIN_VISASOURCE_EXPR_H

#include "sequin/VisaSource/Pattern.h"
#include <optional>

namespace sequin::visa_source {

enum class UnaryOp : uint8_t { Neg, Not, Deref };
enum class BinaryOp : uint8_t {
  Mul,
  Div,
  Rem,
  Add,
  Sub,
  Shl,
  Shr,
  BitAnd,
  BitXor,
  BitOr,
  Eq,
  Ne,
  Lt,
  Gt,
  Le,
  Ge,
  And,
  Or
};
llvm::StringRef spelling(UnaryOp op);
llvm::StringRef spelling(BinaryOp op);

enum class BlockMode : uint8_t { Plain, Unsafe, Const, Async, AsyncMove };
enum class MacroForm : uint8_t { List, Repeat, Tokens };
enum class Bracket : uint8_t { Paren, Square, Brace };

//===----------------------------------------------------------------------===//
// Literals and names
//===----------------------------------------------------------------------===//

/// What could not be read.
struct ErrorExpr : NodeOf<NodeKind::ErrorExpr> {
  SEQUIN_VISA_FIELDS()
};

/// Any radix; at most 64 bits.
struct IntLiteral : NodeOf<NodeKind::IntLiteral> {
  uint64_t value = 0;
  /// `u64`, `f32`, or empty.
  llvm::StringRef suffix;
  /// As written.
  llvm::StringRef text;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(value) SEQUIN_VISA_FIELD(suffix)
                         SEQUIN_VISA_FIELD(text))
};

struct FloatLiteral : NodeOf<NodeKind::FloatLiteral> {
  /// As written without the suffix; `1.` is `1.0`.
  llvm::StringRef text;
  llvm::StringRef suffix;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(text) SEQUIN_VISA_FIELD(suffix))
};

/// `'c'` or `b'c'`
struct CharLiteral : NodeOf<NodeKind::CharLiteral> {
  /// As written.
  llvm::StringRef text;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(text))
};

/// Any form of string or byte string.
struct StringLiteral : NodeOf<NodeKind::StringLiteral> {
  /// As written.
  llvm::StringRef text;
  /// After escapes.
  llvm::StringRef bytes;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(text) SEQUIN_VISA_FIELD(bytes))
};

struct BoolLiteral : NodeOf<NodeKind::BoolLiteral> {
  bool value = false;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(value))
};

struct PathExpr : NodeOf<NodeKind::PathExpr> {
  const Path *path = nullptr;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(path))
};

//===----------------------------------------------------------------------===//
// Aggregates
//===----------------------------------------------------------------------===//

struct ParenExpr : NodeOf<NodeKind::ParenExpr> {
  const Expr *inner = nullptr;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(inner))
};

struct TupleExpr : NodeOf<NodeKind::TupleExpr> {
  List<Expr> elements;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(elements))
};

/// `[a, b]`
struct ArrayExpr : NodeOf<NodeKind::ArrayExpr> {
  List<Expr> elements;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(elements))
};

/// `[x; n]`
struct RepeatExpr : NodeOf<NodeKind::RepeatExpr> {
  const Expr *element = nullptr;
  const Expr *count = nullptr;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(element) SEQUIN_VISA_FIELD(count))
};

/// `x: value`; of the short form `x` the value is null. `x` may be a number.
struct FieldInit : NodeOf<NodeKind::FieldInit> {
  Ident name;
  const Expr *value = nullptr;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(name) SEQUIN_VISA_FIELD(value))
};

/// `S { x: 1, ..base }`
struct StructExpr : NodeOf<NodeKind::StructExpr> {
  const Path *path = nullptr;
  List<FieldInit> inits;
  /// Null without.
  const Expr *base = nullptr;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(path) SEQUIN_VISA_FIELD(inits)
                         SEQUIN_VISA_FIELD(base))
};

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

struct UnaryExpr : NodeOf<NodeKind::UnaryExpr> {
  UnaryOp op = UnaryOp::Neg;
  const Expr *operand = nullptr;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(op) SEQUIN_VISA_FIELD(operand))
};

/// `&x`, `&mut x`
struct RefExpr : NodeOf<NodeKind::RefExpr> {
  bool isMut = false;
  const Expr *operand = nullptr;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(isMut) SEQUIN_VISA_FIELD(operand))
};

struct BinaryExpr : NodeOf<NodeKind::BinaryExpr> {
  BinaryOp op = BinaryOp::Add;
  const Expr *left = nullptr;
  const Expr *right = nullptr;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(op) SEQUIN_VISA_FIELD(left)
                         SEQUIN_VISA_FIELD(right))
};

/// `x as T`
struct CastExpr : NodeOf<NodeKind::CastExpr> {
  const Expr *operand = nullptr;
  const Type *type = nullptr;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(operand) SEQUIN_VISA_FIELD(type))
};

/// `x = y`, `x += y`
struct AssignExpr : NodeOf<NodeKind::AssignExpr> {
  /// None for a plain `=`.
  std::optional<BinaryOp> op;
  const Expr *target = nullptr;
  const Expr *value = nullptr;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(op) SEQUIN_VISA_FIELD(target)
                         SEQUIN_VISA_FIELD(value))
};

/// `a..b`, `a..=b`; either end may be null.
struct RangeExpr : NodeOf<NodeKind::RangeExpr> {
  const Expr *first = nullptr;
  const Expr *last = nullptr;
  bool inclusive = false;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(first) SEQUIN_VISA_FIELD(last)
                         SEQUIN_VISA_FIELD(inclusive))
};

struct CallExpr : NodeOf<NodeKind::CallExpr> {
  const Expr *callee = nullptr;
  List<Expr> args;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(callee) SEQUIN_VISA_FIELD(args))
};

/// `receiver.name::<T>(args)`
struct MethodCall : NodeOf<NodeKind::MethodCall> {
  const Expr *receiver = nullptr;
  Ident name;
  /// Null without.
  const GenericArgs *generics = nullptr;
  List<Expr> args;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(receiver) SEQUIN_VISA_FIELD(name)
                         SEQUIN_VISA_FIELD(generics) SEQUIN_VISA_FIELD(args))
};

/// `x.name`, `x.0`
struct FieldExpr : NodeOf<NodeKind::FieldExpr> {
  const Expr *base = nullptr;
  Ident name;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(base) SEQUIN_VISA_FIELD(name))
};

struct IndexExpr : NodeOf<NodeKind::IndexExpr> {
  const Expr *base = nullptr;
  const Expr *index = nullptr;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(base) SEQUIN_VISA_FIELD(index))
};

/// `x.await`
struct AwaitExpr : NodeOf<NodeKind::AwaitExpr> {
  const Expr *operand = nullptr;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(operand))
};

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

/// `{ statements; tail }`
struct BlockExpr : NodeOf<NodeKind::BlockExpr> {
  BlockMode mode = BlockMode::Plain;
  /// `#![...]` at its beginning.
  List<Attribute> attributes;
  List<Stmt> statements;
  /// The block's value; null without.
  const Expr *tail = nullptr;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(mode) SEQUIN_VISA_FIELD(attributes)
                         SEQUIN_VISA_FIELD(statements) SEQUIN_VISA_FIELD(tail))
};

struct IfExpr : NodeOf<NodeKind::IfExpr> {
  const Expr *condition = nullptr;
  const BlockExpr *then = nullptr;
  /// A block or another if; null without.
  const Expr *otherwise = nullptr;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(condition) SEQUIN_VISA_FIELD(then)
                         SEQUIN_VISA_FIELD(otherwise))
};

/// `let pattern = value` in a condition.
struct LetExpr : NodeOf<NodeKind::LetExpr> {
  const Pattern *pattern = nullptr;
  const Expr *value = nullptr;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(pattern) SEQUIN_VISA_FIELD(value))
};

struct MatchArm : NodeOf<NodeKind::MatchArm> {
  List<Attribute> attributes;
  const Pattern *pattern = nullptr;
  /// Null without.
  const Expr *guard = nullptr;
  const Expr *body = nullptr;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(attributes) SEQUIN_VISA_FIELD(pattern)
                         SEQUIN_VISA_FIELD(guard) SEQUIN_VISA_FIELD(body))
};

struct MatchExpr : NodeOf<NodeKind::MatchExpr> {
  const Expr *input = nullptr;
  List<MatchArm> arms;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(input) SEQUIN_VISA_FIELD(arms))
};

struct ForExpr : NodeOf<NodeKind::ForExpr> {
  const Pattern *pattern = nullptr;
  const Expr *range = nullptr;
  const BlockExpr *body = nullptr;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(pattern) SEQUIN_VISA_FIELD(range)
                         SEQUIN_VISA_FIELD(body))
};

struct WhileExpr : NodeOf<NodeKind::WhileExpr> {
  const Expr *condition = nullptr;
  const BlockExpr *body = nullptr;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(condition) SEQUIN_VISA_FIELD(body))
};

struct LoopExpr : NodeOf<NodeKind::LoopExpr> {
  const BlockExpr *body = nullptr;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(body))
};

struct BreakExpr : NodeOf<NodeKind::BreakExpr> {
  /// Null without.
  const Expr *value = nullptr;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(value))
};

struct ContinueExpr : NodeOf<NodeKind::ContinueExpr> {
  SEQUIN_VISA_FIELDS()
};

struct ReturnExpr : NodeOf<NodeKind::ReturnExpr> {
  /// Null without.
  const Expr *value = nullptr;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(value))
};

/// `move |x: T| -> R body`
struct ClosureExpr : NodeOf<NodeKind::ClosureExpr> {
  bool isMove = false;
  List<Param> params;
  /// Null without.
  const Type *result = nullptr;
  const Expr *body = nullptr;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(isMove) SEQUIN_VISA_FIELD(params)
                         SEQUIN_VISA_FIELD(result) SEQUIN_VISA_FIELD(body))
};

//===----------------------------------------------------------------------===//
// Macros
//===----------------------------------------------------------------------===//

/// `A / 2: value`
struct IndexTerm : NodeOf<NodeKind::IndexTerm> {
  const Mapping *mapping = nullptr;
  const Expr *value = nullptr;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(mapping) SEQUIN_VISA_FIELD(value))
};

/// `i![A: x, B / 2: y]`: an index of a tensor.
struct IndexMacro : NodeOf<NodeKind::IndexMacro> {
  List<IndexTerm> terms;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(terms))
};

/// A macro of Rust. Those of `vec!`, `assert_eq!` and their kin are read as
/// expressions; of any other the tokens stay unread.
struct MacroExpr : NodeOf<NodeKind::MacroExpr> {
  const Path *path = nullptr;
  MacroForm form = MacroForm::Tokens;
  Bracket bracket = Bracket::Paren;
  /// Of `[x; n]` the two.
  List<Expr> args;
  /// Of MacroForm::Tokens: the text between the brackets.
  llvm::StringRef tokens;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(path) SEQUIN_VISA_FIELD(form)
                         SEQUIN_VISA_FIELD(bracket) SEQUIN_VISA_FIELD(args)
                             SEQUIN_VISA_FIELD(tokens))
};

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

struct LetStmt : NodeOf<NodeKind::LetStmt> {
  List<Attribute> attributes;
  const Pattern *pattern = nullptr;
  /// Null without.
  const Type *type = nullptr;
  /// Null without.
  const Expr *init = nullptr;
  /// Of `let ... else`; null without.
  const BlockExpr *otherwise = nullptr;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(attributes) SEQUIN_VISA_FIELD(pattern)
                         SEQUIN_VISA_FIELD(type) SEQUIN_VISA_FIELD(init)
                             SEQUIN_VISA_FIELD(otherwise))
};

struct ExprStmt : NodeOf<NodeKind::ExprStmt> {
  List<Attribute> attributes;
  const Expr *expr = nullptr;
  bool hasSemi = false;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(attributes) SEQUIN_VISA_FIELD(expr)
                         SEQUIN_VISA_FIELD(hasSemi))
};

struct ItemStmt : NodeOf<NodeKind::ItemStmt> {
  const Item *item = nullptr;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(item))
};

} // namespace sequin::visa_source

#endif // SEQUIN_VISASOURCE_EXPR_H
