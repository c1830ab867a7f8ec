//===- Expr.h - Nodes of CSL's syntax tree with a value ---------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_CSLSOURCE_EXPR_H
#define SEQUIN_CSLSOURCE_EXPR_H

#include "sequin/CslSource/SourceManager.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/Casting.h"
#include <type_traits>

namespace sequin::csl_source {

/// Nesting of brackets and of bodies that the parser follows.
inline constexpr unsigned kMaxNesting = 256;
/// Height of a tree, which long chains of operators add to as well.
inline constexpr unsigned kMaxTreeHeight = 1000;

enum class NodeKind : uint8_t {
#define CSL_EXPR(CLASS) CLASS,
#define CSL_STMT(CLASS) CLASS,
#define CSL_DECL(CLASS) CLASS,
#include "sequin/CslSource/Nodes.def"
};

/// The class's name, e.g. "BinaryExpr".
llvm::StringRef stringify(NodeKind kind);

/// A name where it is declared or selected. `text` is empty where a name may
/// be left out and is; `_` stands for itself.
struct Ident {
  llvm::StringRef text;
  Span span;

  bool empty() const { return text.empty(); }
  bool isDiscard() const { return text == "_"; }
};

class Node {
public:
  NodeKind kind() const { return nodeKind; }
  /// From the first to behind the last character, attributes included, without
  /// doc comments and without the semicolon of a statement.
  Span span() const { return nodeSpan; }
  Loc begin() const { return nodeSpan.Start; }
  Loc end() const { return nodeSpan.End; }
  /// Dense in the Context.
  unsigned id() const { return nodeId; }
  /// 1 without children, else one more than the highest child.
  unsigned height() const { return nodeHeight; }

protected:
  explicit Node(NodeKind kind) : nodeKind(kind) {}

private:
  friend class Context;
  NodeKind nodeKind;
  uint16_t nodeHeight = 1;
  unsigned nodeId = 0;
  Span nodeSpan;
};

class Expr : public Node {
public:
  static bool classof(const Node *n) { return n->kind() <= NodeKind::EnumType; }
  /// This expression without parentheses around it.
  const Expr *ignoreParens() const;

protected:
  using Node::Node;
};

class Stmt : public Node {
public:
  static bool classof(const Node *n) {
    return n->kind() == NodeKind::ExprStmt || n->kind() == NodeKind::DeclStmt;
  }

protected:
  using Node::Node;
};

/// Comments of the form `/// text` before a declaration, without the slashes.
using DocLines = llvm::ArrayRef<llvm::StringRef>;

class Decl : public Node {
public:
  static bool classof(const Node *n) { return n->kind() >= NodeKind::VarDecl; }

  /// Empty for comptime and layout blocks and for unnamed parameters.
  const Ident &name() const { return declName; }
  DocLines docs() const { return docLines; }

protected:
  Decl(NodeKind kind, Ident name, DocLines docs = {})
      : Node(kind), declName(name), docLines(docs) {}

private:
  Ident declName;
  DocLines docLines;
};

/// Gives a class its classof.
#define SEQUIN_CSL_NODE(CLASS)                                                 \
  static bool classof(const Node *n) { return n->kind() == NodeKind::CLASS; }

//===----------------------------------------------------------------------===//
// Literals and names
//===----------------------------------------------------------------------===//

/// What could not be read; an error was reported.
class ErrorExpr : public Expr {
public:
  ErrorExpr() : Expr(NodeKind::ErrorExpr) {}
  SEQUIN_CSL_NODE(ErrorExpr)
};

/// `42`, `0x2a`, `0o52`, `0b10_1010`: a comptime_int of any size. At most
/// kMaxLiteralBits bits.
class IntLiteral : public Expr {
public:
  static constexpr unsigned kMaxLiteralBits = 4096;

  IntLiteral(llvm::ArrayRef<uint64_t> words, llvm::StringRef spelling)
      : Expr(NodeKind::IntLiteral), words(words), text(spelling) {}
  SEQUIN_CSL_NODE(IntLiteral)

  /// Never negative: the highest bit of the result is clear.
  llvm::APInt value() const {
    return llvm::APInt(unsigned(words.size()) * 64 + 1, words);
  }
  /// The value if it fits in 64 bits.
  std::optional<uint64_t> small() const {
    if (words.size() > 1)
      return std::nullopt;
    return words.front();
  }
  llvm::StringRef spelling() const { return text; }

private:
  /// Least significant first, at least one, no leading zero words.
  llvm::ArrayRef<uint64_t> words;
  llvm::StringRef text;
};

/// `1.0`, `1.5e-3`, `1e5`, `0x1.8p3`: a comptime_float, correctly rounded.
class FloatLiteral : public Expr {
public:
  FloatLiteral(double value, llvm::StringRef spelling)
      : Expr(NodeKind::FloatLiteral), number(value), text(spelling) {}
  SEQUIN_CSL_NODE(FloatLiteral)

  double value() const { return number; }
  llvm::StringRef spelling() const { return text; }

private:
  double number;
  llvm::StringRef text;
};

/// `'a'`, `'\n'`, `'\x0a'`: a comptime_int.
class CharLiteral : public Expr {
public:
  CharLiteral(uint32_t value, llvm::StringRef spelling)
      : Expr(NodeKind::CharLiteral), code(value), text(spelling) {}
  SEQUIN_CSL_NODE(CharLiteral)

  /// The code point.
  uint32_t value() const { return code; }
  llvm::StringRef spelling() const { return text; }

private:
  uint32_t code;
  llvm::StringRef text;
};

/// `"text"`: a comptime_string, any bytes.
class StringLiteral : public Expr {
public:
  StringLiteral(llvm::StringRef value, llvm::StringRef spelling)
      : Expr(NodeKind::StringLiteral), bytes(value), text(spelling) {}
  SEQUIN_CSL_NODE(StringLiteral)

  /// The bytes after escapes.
  llvm::StringRef value() const { return bytes; }
  /// With the quotes.
  llvm::StringRef spelling() const { return text; }

private:
  llvm::StringRef bytes;
  llvm::StringRef text;
};

class BoolLiteral : public Expr {
public:
  explicit BoolLiteral(bool value)
      : Expr(NodeKind::BoolLiteral), truth(value) {}
  SEQUIN_CSL_NODE(BoolLiteral)

  bool value() const { return truth; }

private:
  bool truth;
};

/// A name used: `x`, `i16`, `NORTH`; `_` only as the target of an assignment.
class NameExpr : public Expr {
public:
  explicit NameExpr(llvm::StringRef name)
      : Expr(NodeKind::NameExpr), text(name) {}
  SEQUIN_CSL_NODE(NameExpr)

  llvm::StringRef name() const { return text; }
  bool isDiscard() const { return text == "_"; }

private:
  llvm::StringRef text;
};

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

/// `(operand)`; kept for printing, means its operand.
class ParenExpr : public Expr {
public:
  explicit ParenExpr(const Expr *operand)
      : Expr(NodeKind::ParenExpr), inner(operand) {}
  SEQUIN_CSL_NODE(ParenExpr)

  const Expr *operand() const { return inner; }

private:
  const Expr *inner;
};

inline const Expr *Expr::ignoreParens() const {
  const Expr *e = this;
  while (const auto *paren = llvm::dyn_cast<ParenExpr>(e))
    e = paren->operand();
  return e;
}

enum class UnaryOp : uint8_t { Neg, Not, BitNot, AddressOf };
llvm::StringRef spelling(UnaryOp op);

class UnaryExpr : public Expr {
public:
  UnaryExpr(UnaryOp op, const Expr *operand)
      : Expr(NodeKind::UnaryExpr), opcode(op), inner(operand) {}
  SEQUIN_CSL_NODE(UnaryExpr)

  UnaryOp op() const { return opcode; }
  const Expr *operand() const { return inner; }

private:
  UnaryOp opcode;
  const Expr *inner;
};

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
  Le,
  Gt,
  Ge,
  And,
  Or,
};
llvm::StringRef spelling(BinaryOp op);
inline bool isComparison(BinaryOp op) {
  return op >= BinaryOp::Eq && op <= BinaryOp::Ge;
}

class BinaryExpr : public Expr {
public:
  BinaryExpr(BinaryOp op, Span opSpan, const Expr *left, const Expr *right)
      : Expr(NodeKind::BinaryExpr), opcode(op), operatorSpan(opSpan), lhs(left),
        rhs(right) {}
  SEQUIN_CSL_NODE(BinaryExpr)

  BinaryOp op() const { return opcode; }
  Span opSpan() const { return operatorSpan; }
  const Expr *left() const { return lhs; }
  const Expr *right() const { return rhs; }

private:
  BinaryOp opcode;
  Span operatorSpan;
  const Expr *lhs;
  const Expr *rhs;
};

/// `comptime operand`; binds as a unary operator does. A comptime block in a
/// function is one on a BlockExpr.
class ComptimeExpr : public Expr {
public:
  explicit ComptimeExpr(const Expr *operand)
      : Expr(NodeKind::ComptimeExpr), inner(operand) {}
  SEQUIN_CSL_NODE(ComptimeExpr)

  const Expr *operand() const { return inner; }

private:
  const Expr *inner;
};

/// `base[i, j]`: arrays, many-item pointers, tuples. At least one index.
class IndexExpr : public Expr {
public:
  IndexExpr(const Expr *base, llvm::ArrayRef<const Expr *> indices)
      : Expr(NodeKind::IndexExpr), array(base), subscripts(indices) {}
  SEQUIN_CSL_NODE(IndexExpr)

  const Expr *base() const { return array; }
  llvm::ArrayRef<const Expr *> indices() const { return subscripts; }

private:
  const Expr *array;
  llvm::ArrayRef<const Expr *> subscripts;
};

/// `callee(arguments)`: functions, function pointers, module members.
class CallExpr : public Expr {
public:
  CallExpr(const Expr *callee, llvm::ArrayRef<const Expr *> arguments)
      : Expr(NodeKind::CallExpr), function(callee), args(arguments) {}
  SEQUIN_CSL_NODE(CallExpr)

  const Expr *callee() const { return function; }
  llvm::ArrayRef<const Expr *> arguments() const { return args; }

private:
  const Expr *function;
  llvm::ArrayRef<const Expr *> args;
};

/// `@name(arguments)`. Whether there is such a builtin is not checked here.
class BuiltinCall : public Expr {
public:
  BuiltinCall(Ident name, llvm::ArrayRef<const Expr *> arguments)
      : Expr(NodeKind::BuiltinCall), builtin(name), args(arguments) {}
  SEQUIN_CSL_NODE(BuiltinCall)

  /// Without the `@`; its span includes it.
  const Ident &name() const { return builtin; }
  llvm::ArrayRef<const Expr *> arguments() const { return args; }

private:
  Ident builtin;
  llvm::ArrayRef<const Expr *> args;
};

/// `base.member`: fields, module members, enumerators.
class MemberExpr : public Expr {
public:
  MemberExpr(const Expr *base, Ident member)
      : Expr(NodeKind::MemberExpr), object(base), selected(member) {}
  SEQUIN_CSL_NODE(MemberExpr)

  const Expr *base() const { return object; }
  const Ident &member() const { return selected; }

private:
  const Expr *object;
  Ident selected;
};

/// `pointer.*`
class DerefExpr : public Expr {
public:
  explicit DerefExpr(const Expr *pointer)
      : Expr(NodeKind::DerefExpr), address(pointer) {}
  SEQUIN_CSL_NODE(DerefExpr)

  const Expr *pointer() const { return address; }

private:
  const Expr *address;
};

//===----------------------------------------------------------------------===//
// Aggregates
//===----------------------------------------------------------------------===//

/// `.name = value` of a literal.
struct FieldInit {
  Ident name;
  const Expr *value = nullptr;
};

/// `T { .a = x, .b = y }` or, without a type, `.{ .a = x }`. At least one
/// field; names are unique.
class StructInit : public Expr {
public:
  StructInit(const Expr *type, llvm::ArrayRef<FieldInit> fields)
      : Expr(NodeKind::StructInit), typeExpr(type), inits(fields) {}
  SEQUIN_CSL_NODE(StructInit)

  /// Null for an anonymous struct.
  const Expr *type() const { return typeExpr; }
  llvm::ArrayRef<FieldInit> fields() const { return inits; }

private:
  const Expr *typeExpr;
  llvm::ArrayRef<FieldInit> inits;
};

/// `[3]T { x, y, z }` or, without a type, the tuple `.{ x, y }`. Without
/// elements it may also be a struct without fields (`S {}`, `.{}`).
class ListInit : public Expr {
public:
  ListInit(const Expr *type, llvm::ArrayRef<const Expr *> elements)
      : Expr(NodeKind::ListInit), typeExpr(type), values(elements) {}
  SEQUIN_CSL_NODE(ListInit)

  /// Null for a tuple.
  const Expr *type() const { return typeExpr; }
  llvm::ArrayRef<const Expr *> elements() const { return values; }

private:
  const Expr *typeExpr;
  llvm::ArrayRef<const Expr *> values;
};

class CaptureDecl;

/// `|i, j|{2, 3} -> A[i, j + 1]`. The array is a path: a name, then members
/// and dereferences. At least one variable, extent and index; as many extents
/// as variables.
class TensorAccess : public Expr {
public:
  TensorAccess(llvm::ArrayRef<const CaptureDecl *> variables,
               llvm::ArrayRef<const Expr *> extents, const Expr *array,
               llvm::ArrayRef<const Expr *> indices)
      : Expr(NodeKind::TensorAccess), vars(variables), bounds(extents),
        base(array), subscripts(indices) {}
  SEQUIN_CSL_NODE(TensorAccess)

  /// Outermost first.
  llvm::ArrayRef<const CaptureDecl *> variables() const { return vars; }
  llvm::ArrayRef<const Expr *> extents() const { return bounds; }
  const Expr *array() const { return base; }
  llvm::ArrayRef<const Expr *> indices() const { return subscripts; }

private:
  llvm::ArrayRef<const CaptureDecl *> vars;
  llvm::ArrayRef<const Expr *> bounds;
  const Expr *base;
  llvm::ArrayRef<const Expr *> subscripts;
};

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

/// `{ ... }` or `label: { ... }`. `{}` is the value of type void.
class BlockExpr : public Expr {
public:
  BlockExpr(Ident label, llvm::ArrayRef<const Stmt *> statements)
      : Expr(NodeKind::BlockExpr), name(label), stmts(statements) {}
  SEQUIN_CSL_NODE(BlockExpr)

  /// Empty without one.
  const Ident &label() const { return name; }
  llvm::ArrayRef<const Stmt *> statements() const { return stmts; }

private:
  Ident name;
  llvm::ArrayRef<const Stmt *> stmts;
};

/// `if (condition) then else otherwise`, as a value or as a statement; an
/// `else if` is an IfExpr in otherwise().
class IfExpr : public Expr {
public:
  IfExpr(const Expr *condition, const Expr *then, const Expr *otherwise)
      : Expr(NodeKind::IfExpr), cond(condition), yes(then), no(otherwise) {}
  SEQUIN_CSL_NODE(IfExpr)

  const Expr *condition() const { return cond; }
  const Expr *then() const { return yes; }
  /// Null without `else`.
  const Expr *otherwise() const { return no; }

private:
  const Expr *cond;
  const Expr *yes;
  const Expr *no;
};

/// `a, b => body` or `else => body`.
struct SwitchProng {
  /// Empty for else.
  llvm::ArrayRef<const Expr *> values;
  const Expr *body = nullptr;
  /// From the first value (or `else`) to the end of the body.
  Span span;
  /// The keyword, for a message about it; invalid if this is not else.
  Span elseSpan;

  bool isElse() const { return values.empty(); }
};

/// At most one prong is else; it may stand anywhere.
class SwitchExpr : public Expr {
public:
  SwitchExpr(const Expr *input, llvm::ArrayRef<SwitchProng> prongs)
      : Expr(NodeKind::SwitchExpr), value(input), cases(prongs) {}
  SEQUIN_CSL_NODE(SwitchExpr)

  const Expr *input() const { return value; }
  llvm::ArrayRef<SwitchProng> prongs() const { return cases; }

private:
  const Expr *value;
  llvm::ArrayRef<SwitchProng> cases;
};

/// What stands before `for` or `while`: nothing, `inline` (the body once per
/// iteration, the captures comptime-known), or `comptime` (run by the
/// compiler).
enum class LoopMode : uint8_t { Plain, Inline, Comptime };

/// `label: inline for (iterable) |element, index| body`
class ForExpr : public Expr {
public:
  ForExpr(Ident label, LoopMode mode, const Expr *iterable,
          const CaptureDecl *element, const CaptureDecl *index,
          const Expr *body)
      : Expr(NodeKind::ForExpr), loopMode(mode), name(label), range(iterable),
        item(element), counter(index), loopBody(body) {}
  SEQUIN_CSL_NODE(ForExpr)

  LoopMode mode() const { return loopMode; }
  const Ident &label() const { return name; }
  const Expr *iterable() const { return range; }
  /// Its name may be `_`.
  const CaptureDecl *element() const { return item; }
  /// Null without one.
  const CaptureDecl *index() const { return counter; }
  const Expr *body() const { return loopBody; }

private:
  LoopMode loopMode;
  Ident name;
  const Expr *range;
  const CaptureDecl *item;
  const CaptureDecl *counter;
  const Expr *loopBody;
};

/// `label: inline while (condition) : (step) body`
class WhileExpr : public Expr {
public:
  WhileExpr(Ident label, LoopMode mode, const Expr *condition, const Expr *step,
            const Expr *body)
      : Expr(NodeKind::WhileExpr), loopMode(mode), name(label), cond(condition),
        after(step), loopBody(body) {}
  SEQUIN_CSL_NODE(WhileExpr)

  LoopMode mode() const { return loopMode; }
  const Ident &label() const { return name; }
  const Expr *condition() const { return cond; }
  /// Runs after every iteration, also after `continue`: an AssignExpr or any
  /// other expression; null without one.
  const Expr *step() const { return after; }
  const Expr *body() const { return loopBody; }

private:
  LoopMode loopMode;
  Ident name;
  const Expr *cond;
  const Expr *after;
  const Expr *loopBody;
};

/// `return value`
class ReturnExpr : public Expr {
public:
  explicit ReturnExpr(const Expr *value)
      : Expr(NodeKind::ReturnExpr), result(value) {}
  SEQUIN_CSL_NODE(ReturnExpr)

  /// Null without one.
  const Expr *value() const { return result; }

private:
  const Expr *result;
};

/// `break`, `break :label`, `break :label value`. The label is of an enclosing
/// loop or block; without one it leaves the nearest loop, which exists.
class BreakExpr : public Expr {
public:
  BreakExpr(Ident label, const Expr *value)
      : Expr(NodeKind::BreakExpr), name(label), result(value) {}
  SEQUIN_CSL_NODE(BreakExpr)

  const Ident &label() const { return name; }
  /// Null without one.
  const Expr *value() const { return result; }

private:
  Ident name;
  const Expr *result;
};

/// `continue`, `continue :label`; the label is of an enclosing loop.
class ContinueExpr : public Expr {
public:
  explicit ContinueExpr(Ident label)
      : Expr(NodeKind::ContinueExpr), name(label) {}
  SEQUIN_CSL_NODE(ContinueExpr)

  const Ident &label() const { return name; }

private:
  Ident name;
};

/// `target = value`, `target op= value`, `_ = value`.
class AssignExpr : public Expr {
public:
  AssignExpr(std::optional<BinaryOp> op, Span opSpan, const Expr *target,
             const Expr *value)
      : Expr(NodeKind::AssignExpr), opcode(op), operatorSpan(opSpan),
        place(target), result(value) {}
  SEQUIN_CSL_NODE(AssignExpr)

  /// None for `=`.
  std::optional<BinaryOp> op() const { return opcode; }
  Span opSpan() const { return operatorSpan; }
  const Expr *target() const { return place; }
  const Expr *value() const { return result; }

private:
  std::optional<BinaryOp> opcode;
  Span operatorSpan;
  const Expr *place;
  const Expr *result;
};

/// `[name] "constraint" (operand)` of an inline assembly statement.
struct AsmOperand {
  Ident name;
  const StringLiteral *constraint = nullptr;
  const Expr *operand = nullptr;
};

/// `asm volatile (template, : outputs : inputs : clobbers)`
class AsmExpr : public Expr {
public:
  AsmExpr(bool isVolatile, const Expr *text, llvm::ArrayRef<AsmOperand> outputs,
          llvm::ArrayRef<AsmOperand> inputs,
          llvm::ArrayRef<const StringLiteral *> clobbers)
      : Expr(NodeKind::AsmExpr), volatileFlag(isVolatile), templateText(text),
        outs(outputs), ins(inputs), clobbered(clobbers) {}
  SEQUIN_CSL_NODE(AsmExpr)

  bool isVolatile() const { return volatileFlag; }
  const Expr *text() const { return templateText; }
  llvm::ArrayRef<AsmOperand> outputs() const { return outs; }
  llvm::ArrayRef<AsmOperand> inputs() const { return ins; }
  llvm::ArrayRef<const StringLiteral *> clobbers() const { return clobbered; }

private:
  bool volatileFlag;
  const Expr *templateText;
  llvm::ArrayRef<AsmOperand> outs;
  llvm::ArrayRef<AsmOperand> ins;
  llvm::ArrayRef<const StringLiteral *> clobbered;
};

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// `*T`, `*const T`, `[*]T`, `[*]const T`.
class PointerType : public Expr {
public:
  PointerType(bool isMany, bool isConst, const Expr *pointee)
      : Expr(NodeKind::PointerType), many(isMany), constant(isConst),
        target(pointee) {}
  SEQUIN_CSL_NODE(PointerType)

  /// Points to an array of unknown length.
  bool isMany() const { return many; }
  bool isConst() const { return constant; }
  const Expr *pointee() const { return target; }

private:
  bool many;
  bool constant;
  const Expr *target;
};

/// `[N, M]T`; the element type is not written as an array type itself.
class ArrayType : public Expr {
public:
  ArrayType(llvm::ArrayRef<const Expr *> dims, const Expr *element)
      : Expr(NodeKind::ArrayType), sizes(dims), item(element) {}
  SEQUIN_CSL_NODE(ArrayType)

  llvm::ArrayRef<const Expr *> dims() const { return sizes; }
  const Expr *element() const { return item; }

private:
  llvm::ArrayRef<const Expr *> sizes;
  const Expr *item;
};

class FnParam;

/// `fn(T, U) R`, `task(T) R`; parameters may be named.
class FnType : public Expr {
public:
  FnType(bool isTask, llvm::ArrayRef<const FnParam *> params,
         const Expr *result)
      : Expr(NodeKind::FnType), task(isTask), parameters(params),
        returned(result) {}
  SEQUIN_CSL_NODE(FnType)

  bool isTask() const { return task; }
  llvm::ArrayRef<const FnParam *> params() const { return parameters; }
  const Expr *result() const { return returned; }

private:
  bool task;
  llvm::ArrayRef<const FnParam *> parameters;
  const Expr *returned;
};

class FieldDecl;

/// What stands before `struct` or `union`.
enum class StructLayout : uint8_t { Auto, Extern, Packed };

/// `struct { a: T, b: U }`, `union { ... }`. Field names are unique.
class StructType : public Expr {
public:
  StructType(bool isUnion, StructLayout layout,
             llvm::ArrayRef<const FieldDecl *> fields, DocLines docs)
      : Expr(NodeKind::StructType), unionFlag(isUnion), order(layout),
        members(fields), docLines(docs) {}
  SEQUIN_CSL_NODE(StructType)

  bool isUnion() const { return unionFlag; }
  StructLayout layout() const { return order; }
  llvm::ArrayRef<const FieldDecl *> fields() const { return members; }
  /// `//!` comments after the brace.
  DocLines docs() const { return docLines; }

private:
  bool unionFlag;
  StructLayout order;
  llvm::ArrayRef<const FieldDecl *> members;
  DocLines docLines;
};

class EnumMember;

/// `enum(T) { a, b = 1 }`. Names are unique.
class EnumType : public Expr {
public:
  EnumType(const Expr *base, llvm::ArrayRef<const EnumMember *> members,
           DocLines docs)
      : Expr(NodeKind::EnumType), baseType(base), names(members),
        docLines(docs) {}
  SEQUIN_CSL_NODE(EnumType)

  /// Null without one.
  const Expr *base() const { return baseType; }
  llvm::ArrayRef<const EnumMember *> members() const { return names; }
  DocLines docs() const { return docLines; }

private:
  const Expr *baseType;
  llvm::ArrayRef<const EnumMember *> names;
  DocLines docLines;
};

#undef SEQUIN_CSL_NODE

} // namespace sequin::csl_source

#endif // SEQUIN_CSLSOURCE_EXPR_H
