//===- AST.cpp - The syntax tree of kernel source -------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/VisaSource/AST.h"

using namespace sequin;
using namespace sequin::visa_source;
using llvm::StringRef;

StringRef visa_source::stringify(NodeKind kind) {
  switch (kind) {
#define VISA_NODE(CLASS, GROUP)                                                \
  case NodeKind::CLASS:                                                        \
    return #CLASS;
#include "sequin/VisaSource/Nodes.def"
  }
  llvm_unreachable("unknown kind");
}

StringRef visa_source::spelling(MappingOp op) {
  static constexpr StringRef kSpellings[] = {"/",    "%",    "=",   "#",
                                             "#{*}", "#{!}", "#{0}"};
  return kSpellings[unsigned(op)];
}

StringRef visa_source::spelling(UnaryOp op) {
  static constexpr StringRef kSpellings[] = {"-", "!", "*"};
  return kSpellings[unsigned(op)];
}

StringRef visa_source::spelling(BinaryOp op) {
  static constexpr StringRef kSpellings[] = {
      "*", "/",  "%",  "+", "-", "<<", ">>", "&",  "^",
      "|", "==", "!=", "<", ">", "<=", ">=", "&&", "||"};
  return kSpellings[unsigned(op)];
}

namespace {

/// Visits the nodes among a node's fields.
struct ChildVisitor {
  llvm::function_ref<void(const Node &)> visit;

  template <typename T> void operator()(const char *, const T &value) const {
    if constexpr (std::is_pointer_v<T>) {
      if (value)
        visit(*value);
    }
  }
  template <typename T>
  void operator()(const char *, llvm::ArrayRef<const T *> list) const {
    for (const T *node : list)
      visit(*node);
  }
  void operator()(const char *, const ItemHead &head) const {
    (*this)("attributes", head.attributes);
  }
};

} // namespace

void visa_source::forEachChild(const Node &node,
                               llvm::function_ref<void(const Node &)> visit) {
  dispatch(node, [&](const auto &n) { n.fields(ChildVisitor{visit}); });
}

void Context::finish(Node &node, Span span) {
  node.nodeSpan = span;
  node.nodeId = count++;
  unsigned height = 0;
  forEachChild(node, [&](const Node &child) {
    height = std::max(height, child.height());
  });
  // Beyond the limit the parser gives up the node; keep the field from
  // wrapping until it has.
  node.nodeHeight = uint16_t(std::min(height + 1, 0xffffu));
}

const ItemHead &visa_source::headOf(const Item &item) {
  static const ItemHead kNone;
  return dispatch(item, [](const auto &node) -> const ItemHead & {
    if constexpr (requires { node.head; })
      return node.head;
    else
      return kNone;
  });
}

std::string visa_source::toString(const Path &path) {
  std::string text = path.global ? "::" : "";
  if (path.self)
    text += "<...>::";
  bool first = true;
  for (const PathSegment *segment : path.segments) {
    if (!first)
      text += "::";
    first = false;
    text += segment->name.text;
  }
  return text;
}

Ident visa_source::singleName(const Path &path) {
  if (path.global || path.self || path.segments.size() != 1 ||
      path.segments.front()->args)
    return {};
  return path.segments.front()->name;
}

const Attribute *visa_source::findAttribute(List<Attribute> attributes,
                                            StringRef path) {
  for (const Attribute *attribute : attributes)
    if (attribute->path && toString(*attribute->path) == path)
      return attribute;
  return nullptr;
}
