//===- Decl.h - Declarations and statements of CSL --------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_CSLSOURCE_DECL_H
#define SEQUIN_CSLSOURCE_DECL_H

#include "sequin/CslSource/Expr.h"

namespace sequin::csl_source {

/// Gives a class its classof.
#define SEQUIN_CSL_NODE(CLASS)                                                 \
  static bool classof(const Node *n) { return n->kind() == NodeKind::CLASS; }

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

/// An expression as a statement: calls, assignments, loops, blocks, jumps, and
/// (as a ComptimeExpr on a BlockExpr) comptime blocks.
class ExprStmt : public Stmt {
public:
  explicit ExprStmt(const Expr *expr)
      : Stmt(NodeKind::ExprStmt), expression(expr) {}
  SEQUIN_CSL_NODE(ExprStmt)

  const Expr *expr() const { return expression; }

private:
  const Expr *expression;
};

class VarDecl;

/// A variable of a block.
class DeclStmt : public Stmt {
public:
  explicit DeclStmt(const VarDecl *decl)
      : Stmt(NodeKind::DeclStmt), declared(decl) {}
  SEQUIN_CSL_NODE(DeclStmt)

  const VarDecl *decl() const { return declared; }

private:
  const VarDecl *declared;
};

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

enum class Storage : uint8_t { None, Export, Extern };

/// `align(n)`, `linksection("s")`, `linkname("n")`; null where absent.
struct DeclAttributes {
  const Expr *align = nullptr;
  const Expr *linkSection = nullptr;
  const Expr *linkName = nullptr;

  /// Those that are there, by name, in the order of the source.
  llvm::SmallVector<std::pair<llvm::StringRef, const Expr *>, 3>
  inOrder() const;
};

enum class VarKind : uint8_t { Const, Var, Param };

/// A global or local variable: `export const x: T align(4) = e;`. A const that
/// is not extern has an initialiser; a var has a type or an initialiser; params
/// stand at the top level, storage classes too, comptime in blocks only.
class VarDecl : public Decl {
public:
  struct Parts {
    VarKind kind = VarKind::Const;
    Storage storage = Storage::None;
    bool isComptime = false;
    /// Null where left out.
    const Expr *type = nullptr;
    const Expr *init = nullptr;
    DeclAttributes attributes;
  };
  VarDecl(Ident name, DocLines docs, const Parts &parts)
      : Decl(NodeKind::VarDecl, name, docs), facts(parts) {}
  SEQUIN_CSL_NODE(VarDecl)

  VarKind varKind() const { return facts.kind; }
  bool isConst() const { return facts.kind == VarKind::Const; }
  bool isVar() const { return facts.kind == VarKind::Var; }
  bool isParam() const { return facts.kind == VarKind::Param; }
  /// `comptime var`, `comptime const`.
  bool isComptime() const { return facts.isComptime; }
  Storage storage() const { return facts.storage; }
  const Expr *type() const { return facts.type; }
  const Expr *init() const { return facts.init; }
  const DeclAttributes &attributes() const { return facts.attributes; }

private:
  Parts facts;
};

enum class Inlining : uint8_t { None, Inline, NoInline };

/// A function or task. Tasks have no storage class and no attributes. A body
/// is missing exactly for extern functions.
class FnDecl : public Decl {
public:
  struct Parts {
    bool isTask = false;
    Storage storage = Storage::None;
    Inlining inlining = Inlining::None;
    llvm::ArrayRef<const FnParam *> params;
    /// Null for a task that leaves it out, which means void, and after an
    /// error.
    const Expr *result = nullptr;
    DeclAttributes attributes;
    /// Null without one.
    const BlockExpr *body = nullptr;
  };
  FnDecl(Ident name, DocLines docs, const Parts &parts)
      : Decl(NodeKind::FnDecl, name, docs), facts(parts) {}
  SEQUIN_CSL_NODE(FnDecl)

  bool isTask() const { return facts.isTask; }
  Storage storage() const { return facts.storage; }
  Inlining inlining() const { return facts.inlining; }
  llvm::ArrayRef<const FnParam *> params() const { return facts.params; }
  const Expr *result() const { return facts.result; }
  const DeclAttributes &attributes() const { return facts.attributes; }
  const BlockExpr *body() const { return facts.body; }

private:
  Parts facts;
};

/// A top-level `comptime { ... }`.
class ComptimeDecl : public Decl {
public:
  explicit ComptimeDecl(const BlockExpr *body)
      : Decl(NodeKind::ComptimeDecl, {}), block(body) {}
  SEQUIN_CSL_NODE(ComptimeDecl)

  const BlockExpr *body() const { return block; }

private:
  const BlockExpr *block;
};

/// `layout { ... }`
class LayoutDecl : public Decl {
public:
  explicit LayoutDecl(const BlockExpr *body)
      : Decl(NodeKind::LayoutDecl, {}), block(body) {}
  SEQUIN_CSL_NODE(LayoutDecl)

  const BlockExpr *body() const { return block; }

private:
  const BlockExpr *block;
};

/// The older `color name;`: a parameter of type color.
class ColorDecl : public Decl {
public:
  ColorDecl(Ident name, DocLines docs)
      : Decl(NodeKind::ColorDecl, name, docs) {}
  SEQUIN_CSL_NODE(ColorDecl)
};

/// `comptime name: T` or `name: anytype`; the name may be missing in extern
/// functions and function types.
class FnParam : public Decl {
public:
  FnParam(Ident name, bool isComptime, const Expr *type)
      : Decl(NodeKind::FnParam, name), comptimeFlag(isComptime),
        typeExpr(type) {}
  SEQUIN_CSL_NODE(FnParam)

  bool isComptime() const { return comptimeFlag; }
  bool isAnytype() const { return !typeExpr; }
  /// Null for anytype.
  const Expr *type() const { return typeExpr; }

private:
  bool comptimeFlag;
  const Expr *typeExpr;
};

/// A name between bars: of a for loop or of a tensor access.
class CaptureDecl : public Decl {
public:
  explicit CaptureDecl(Ident name) : Decl(NodeKind::CaptureDecl, name) {}
  SEQUIN_CSL_NODE(CaptureDecl)
};

/// `name: T` of a struct or union.
class FieldDecl : public Decl {
public:
  FieldDecl(Ident name, DocLines docs, const Expr *type)
      : Decl(NodeKind::FieldDecl, name, docs), typeExpr(type) {}
  SEQUIN_CSL_NODE(FieldDecl)

  const Expr *type() const { return typeExpr; }

private:
  const Expr *typeExpr;
};

/// `name` or `name = value` of an enum.
class EnumMember : public Decl {
public:
  EnumMember(Ident name, DocLines docs, const Expr *value)
      : Decl(NodeKind::EnumMember, name, docs), number(value) {}
  SEQUIN_CSL_NODE(EnumMember)

  /// Null without one.
  const Expr *value() const { return number; }

private:
  const Expr *number;
};

#undef SEQUIN_CSL_NODE

} // namespace sequin::csl_source

#endif // SEQUIN_CSLSOURCE_DECL_H
