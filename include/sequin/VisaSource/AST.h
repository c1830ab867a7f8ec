//===- AST.h - The syntax tree of kernel source -----------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels of the Virtual ISA manual are Rust with the macros `axes!`, `m!` and
// `i!`. The tree has what such kernels, their host programs and their tests
// use, before any name has a meaning:
//
//   Item     modules, uses, functions, type aliases, structs, consts, axes
//   Stmt     let, an expression, an item in a block
//   Expr     everything with a value, blocks, loops and jumps
//   Pattern  what a value is taken apart by
//   Type     paths, references, arrays, tuples, mappings
//   Mapping  what stands in `m![...]`
//   Part     what is only part of certain others: paths, attributes, arms, ...
//
// What Rust has beyond that is refused by the parser (Parser.h).
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_VISASOURCE_AST_H
#define SEQUIN_VISASOURCE_AST_H

#include "sequin/VisaSource/Item.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Allocator.h"
#include <type_traits>

namespace sequin::visa_source {

/// A parsed file.
struct SourceFile {
  FileId file = 0;
  /// `#![...]` at the top.
  List<Attribute> attributes;
  List<Item> items;
  /// All comments with their slashes, in order.
  llvm::ArrayRef<llvm::StringRef> comments;
  /// At least one error was reported for it.
  bool hadErrors = false;
};

/// Owns the nodes of any number of files.
class Context {
public:
  Context() = default;
  Context(const Context &) = delete;
  Context &operator=(const Context &) = delete;

  /// Makes a node of the given value. Its children exist already.
  template <typename T> const T *create(Span span, const T &value) {
    static_assert(std::is_trivially_destructible_v<T>);
    T *node = new (arena.Allocate<T>()) T(value);
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

/// Calls `function` with the node as what it is.
template <typename Function>
decltype(auto) dispatch(const Node &node, Function &&function) {
  switch (node.kind()) {
#define VISA_NODE(CLASS, GROUP)                                                \
  case NodeKind::CLASS:                                                        \
    return function(static_cast<const CLASS &>(node));
#include "sequin/VisaSource/Nodes.def"
  }
  llvm_unreachable("unknown node");
}

/// Calls `visit` for every direct child, in the order of the class's members.
void forEachChild(const Node &node,
                  llvm::function_ref<void(const Node &)> visit);

/// The one attribute of a name, e.g. "device" or "tokio::test"; null without.
const Attribute *findAttribute(List<Attribute> attributes,
                               llvm::StringRef path);

/// The path as written without generic arguments: "tokio::test".
std::string toString(const Path &path);

/// The name if the path is a single one without generic arguments; else empty.
Ident singleName(const Path &path);

} // namespace sequin::visa_source

#endif // SEQUIN_VISASOURCE_AST_H
