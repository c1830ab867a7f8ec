//===- Node.h - What all nodes of the syntax tree have ----------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every node has a kind, a span and a number. Numbers are dense in a Context
// (0, 1, ..., numNodes() - 1) so that later phases keep their facts in vectors.
// Nodes live as long as their Context, which hands them out as constant; they
// own nothing. Names and spellings point into the source.
//
// Each class lists its members once, in `fields`: from that list come the
// children of a node, the dump of a tree and the comparison of two trees.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_VISASOURCE_NODE_H
#define SEQUIN_VISASOURCE_NODE_H

#include "sequin/VisaSource/Source.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Casting.h"

namespace sequin::visa_source {

/// Nesting of brackets, types, patterns and bodies that the parser follows.
inline constexpr unsigned kMaxNesting = 256;
/// Height of a tree, which long chains of operators and calls add to as well.
/// Recursion over a tree needs no guard of its own.
inline constexpr unsigned kMaxTreeHeight = 1000;

enum class NodeKind : uint8_t {
#define VISA_NODE(CLASS, GROUP) CLASS,
#include "sequin/VisaSource/Nodes.def"
};

#define VISA_NODE(CLASS, GROUP) struct CLASS;
#include "sequin/VisaSource/Nodes.def"

enum class NodeGroup : uint8_t {
  Expr,
  Type,
  Pattern,
  Mapping,
  Stmt,
  Item,
  Part
};

constexpr NodeGroup groupOf(NodeKind kind) {
  switch (kind) {
#define VISA_NODE(CLASS, GROUP)                                                \
  case NodeKind::CLASS:                                                        \
    return NodeGroup::GROUP;
#include "sequin/VisaSource/Nodes.def"
  }
  return NodeGroup::Part;
}

/// The class's name, e.g. "BinaryExpr".
llvm::StringRef stringify(NodeKind kind);

/// A name where it is declared or selected. `text` is empty where a name may
/// be left out and is; a raw identifier stands without its `r#`.
struct Ident {
  llvm::StringRef text;
  Span span;

  bool empty() const { return text.empty(); }
};

class Node {
public:
  NodeKind kind() const { return nodeKind; }
  /// From the first to behind the last character, attributes included.
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

/// The base of each group of nodes.
template <NodeGroup G> class GroupNode : public Node {
public:
  static bool classof(const Node *n) { return groupOf(n->kind()) == G; }

protected:
  using Node::Node;
};

/// What can have a value, and loops and jumps.
using Expr = GroupNode<NodeGroup::Expr>;
using Type = GroupNode<NodeGroup::Type>;
using Pattern = GroupNode<NodeGroup::Pattern>;
/// What stands in `m![...]`.
using Mapping = GroupNode<NodeGroup::Mapping>;
using Stmt = GroupNode<NodeGroup::Stmt>;
using Item = GroupNode<NodeGroup::Item>;
/// A node that is only ever part of certain others.
using Part = GroupNode<NodeGroup::Part>;

/// The base of each class: knows its kind.
template <NodeKind K> class NodeOf : public GroupNode<groupOf(K)> {
public:
  static constexpr NodeKind kKind = K;
  static bool classof(const Node *n) { return n->kind() == K; }

protected:
  NodeOf() : GroupNode<groupOf(K)>(K) {}
};

template <typename T> using List = llvm::ArrayRef<const T *>;

/// Gives a class its `fields`: calls a function with name and value of each.
#define SEQUIN_VISA_FIELDS(...)                                                \
  template <typename F> void fields([[maybe_unused]] F &&f) const {            \
    __VA_ARGS__                                                                \
  }
#define SEQUIN_VISA_FIELD(NAME) f(#NAME, NAME);

} // namespace sequin::visa_source

#endif // SEQUIN_VISASOURCE_NODE_H
