//===- AST.h - The syntax tree of CSL source --------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the parser read, before any name has a meaning. Three groups of nodes:
//
//   Expr  everything that can have a value: operators and calls, but also
//         blocks, if, switch, loops, jumps, assignments, and types, since a
//         type is a comptime value. Loops and assignments are read only where
//         a statement, the body of an if or loop, or a switch prong stands,
//         and have the value void.
//   Stmt  a line of a block: an expression or a declaration.
//   Decl  what gives a name a meaning: variables, functions, parameters,
//         captures of loops and tensor accesses, fields, enumerators; and the
//         top-level comptime and layout blocks.
//
// A name is a NameExpr whatever it means: a variable, a predeclared type
// (`i16`, `void`, `color`), a direction. Names.h lists the predeclared ones.
//
// Every node has a span and a number. Numbers are dense in a Context (0, 1,
// ..., numNodes() - 1) so that later phases keep their facts in vectors. Nodes
// are immutable and live as long as their Context: they are never destroyed,
// so they own nothing. Names and spellings point into the source buffers.
//
// The height of a node is bounded (kMaxTreeHeight): recursion over a tree
// needs no guard of its own.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_CSLSOURCE_AST_H
#define SEQUIN_CSLSOURCE_AST_H

#include "sequin/CslSource/Decl.h"
#include "sequin/CslSource/Expr.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Allocator.h"
#include <type_traits>

namespace sequin::csl_source {

//===----------------------------------------------------------------------===//
// Files and the arena
//===----------------------------------------------------------------------===//

/// A comment as written, without the line's end.
struct Comment {
  Span span;
  /// With its slashes.
  llvm::StringRef text;
  /// Nothing but blanks stands before it on its line.
  bool ownLine = false;
};

/// A parsed file.
struct SourceFile {
  FileId file = 0;
  llvm::ArrayRef<const Decl *> decls;
  /// All comments in order, doc comments included.
  llvm::ArrayRef<Comment> comments;
  /// `//!` comments at the top.
  DocLines docs;
  /// At least one error was reported for it.
  bool hadErrors = false;
};

/// Owns the nodes of any number of files.
class Context {
public:
  Context() = default;
  Context(const Context &) = delete;
  Context &operator=(const Context &) = delete;

  /// Makes a node. Its height follows from its children, which exist already.
  template <typename T, typename... Args>
  const T *create(Span span, Args &&...args) {
    static_assert(std::is_trivially_destructible_v<T>);
    T *node = new (arena.Allocate<T>()) T(std::forward<Args>(args)...);
    finish(*node, span);
    return node;
  }

  /// A copy that lives as long as the nodes.
  template <typename T> llvm::ArrayRef<T> copy(llvm::ArrayRef<T> list) {
    static_assert(std::is_trivially_destructible_v<T>);
    return list.copy(arena);
  }
  llvm::StringRef copy(llvm::StringRef text) { return text.copy(arena); }
  SourceFile *createFile() {
    return new (arena.Allocate<SourceFile>()) SourceFile;
  }

  unsigned numNodes() const { return count; }
  size_t bytes() const { return arena.getTotalMemory(); }

private:
  void finish(Node &node, Span span);

  llvm::BumpPtrAllocator arena;
  unsigned count = 0;
};

/// Calls `visit` for every direct child in the order of the source.
void forEachChild(const Node &node,
                  llvm::function_ref<void(const Node &)> visit);

/// The innermost node of the file that covers a place, and its ancestors:
/// outermost first. Empty outside of every declaration.
llvm::SmallVector<const Node *> nodesAt(const SourceFile &file, Loc loc);

/// Dispatch by kind: derive from it, write visitBinaryExpr(const BinaryExpr &)
/// and so on for what you handle and visitExpr(const Expr &) (visitStmt,
/// visitDecl) for the rest.
template <typename Derived, typename Result = void> class ExprVisitor {
public:
  Result visit(const Expr &e) {
    switch (e.kind()) {
#define CSL_EXPR(CLASS)                                                        \
  case NodeKind::CLASS:                                                        \
    return self().visit##CLASS(llvm::cast<CLASS>(e));
#include "sequin/CslSource/Nodes.def"
    default:
      llvm_unreachable("not an expression");
    }
  }
#define CSL_EXPR(CLASS)                                                        \
  Result visit##CLASS(const CLASS &e) { return self().visitExpr(e); }
#include "sequin/CslSource/Nodes.def"

private:
  Derived &self() { return static_cast<Derived &>(*this); }
};

} // namespace sequin::csl_source

#endif // SEQUIN_CSLSOURCE_AST_H
