//===- AST.cpp - The syntax tree of CSL source ----------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/CslSource/AST.h"

#include "llvm/ADT/STLExtras.h"

using namespace sequin;
using namespace sequin::csl_source;
using llvm::cast;
using llvm::StringRef;

StringRef csl_source::stringify(NodeKind kind) {
  switch (kind) {
#define CSL_EXPR(CLASS)                                                        \
  case NodeKind::CLASS:                                                        \
    return #CLASS;
#define CSL_STMT(CLASS) CSL_EXPR(CLASS)
#define CSL_DECL(CLASS) CSL_EXPR(CLASS)
#include "sequin/CslSource/Nodes.def"
  }
  llvm_unreachable("unknown kind");
}

StringRef csl_source::spelling(UnaryOp op) {
  switch (op) {
  case UnaryOp::Neg:
    return "-";
  case UnaryOp::Not:
    return "!";
  case UnaryOp::BitNot:
    return "~";
  case UnaryOp::AddressOf:
    return "&";
  }
  llvm_unreachable("unknown operator");
}

StringRef csl_source::spelling(BinaryOp op) {
  static constexpr StringRef kSpellings[] = {
      "*", "/",  "%",  "+", "-",  "<<", ">>", "&",   "^",
      "|", "==", "!=", "<", "<=", ">",  ">=", "and", "or"};
  return kSpellings[unsigned(op)];
}

llvm::SmallVector<std::pair<StringRef, const Expr *>, 3>
DeclAttributes::inOrder() const {
  llvm::SmallVector<std::pair<StringRef, const Expr *>, 3> result;
  if (align)
    result.emplace_back("align", align);
  if (linkSection)
    result.emplace_back("linksection", linkSection);
  if (linkName)
    result.emplace_back("linkname", linkName);
  llvm::sort(result, [](const auto &a, const auto &b) {
    return a.second->begin().getPointer() < b.second->begin().getPointer();
  });
  return result;
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

namespace {

/// Visits what is there of a node's children.
class Children {
public:
  explicit Children(llvm::function_ref<void(const Node &)> visit)
      : visit(visit) {}

  template <typename T> void one(const T *node) {
    if (node)
      visit(*node);
  }
  template <typename T> void all(llvm::ArrayRef<const T *> nodes) {
    for (const T *node : nodes)
      one(node);
  }
  void attributes(const DeclAttributes &list) {
    for (auto [name, e] : list.inOrder())
      visit(*e);
  }

private:
  llvm::function_ref<void(const Node &)> visit;
};

} // namespace

static void visitExprChildren(const Expr &e, Children &children) {
  switch (e.kind()) {
  case NodeKind::ParenExpr:
    return children.one(cast<ParenExpr>(e).operand());
  case NodeKind::UnaryExpr:
    return children.one(cast<UnaryExpr>(e).operand());
  case NodeKind::BinaryExpr:
    children.one(cast<BinaryExpr>(e).left());
    return children.one(cast<BinaryExpr>(e).right());
  case NodeKind::ComptimeExpr:
    return children.one(cast<ComptimeExpr>(e).operand());
  case NodeKind::IndexExpr:
    children.one(cast<IndexExpr>(e).base());
    return children.all(cast<IndexExpr>(e).indices());
  case NodeKind::CallExpr:
    children.one(cast<CallExpr>(e).callee());
    return children.all(cast<CallExpr>(e).arguments());
  case NodeKind::BuiltinCall:
    return children.all(cast<BuiltinCall>(e).arguments());
  case NodeKind::MemberExpr:
    return children.one(cast<MemberExpr>(e).base());
  case NodeKind::DerefExpr:
    return children.one(cast<DerefExpr>(e).pointer());
  case NodeKind::StructInit:
    children.one(cast<StructInit>(e).type());
    for (const FieldInit &field : cast<StructInit>(e).fields())
      children.one(field.value);
    return;
  case NodeKind::ListInit:
    children.one(cast<ListInit>(e).type());
    return children.all(cast<ListInit>(e).elements());
  case NodeKind::TensorAccess: {
    const auto &access = cast<TensorAccess>(e);
    children.all(access.variables());
    children.all(access.extents());
    children.one(access.array());
    return children.all(access.indices());
  }
  case NodeKind::BlockExpr:
    return children.all(cast<BlockExpr>(e).statements());
  case NodeKind::IfExpr:
    children.one(cast<IfExpr>(e).condition());
    children.one(cast<IfExpr>(e).then());
    return children.one(cast<IfExpr>(e).otherwise());
  case NodeKind::SwitchExpr:
    children.one(cast<SwitchExpr>(e).input());
    for (const SwitchProng &prong : cast<SwitchExpr>(e).prongs()) {
      children.all(prong.values);
      children.one(prong.body);
    }
    return;
  case NodeKind::ForExpr: {
    const auto &loop = cast<ForExpr>(e);
    children.one(loop.iterable());
    children.one(loop.element());
    children.one(loop.index());
    return children.one(loop.body());
  }
  case NodeKind::WhileExpr: {
    const auto &loop = cast<WhileExpr>(e);
    children.one(loop.condition());
    children.one(loop.step());
    return children.one(loop.body());
  }
  case NodeKind::ReturnExpr:
    return children.one(cast<ReturnExpr>(e).value());
  case NodeKind::BreakExpr:
    return children.one(cast<BreakExpr>(e).value());
  case NodeKind::AssignExpr:
    children.one(cast<AssignExpr>(e).target());
    return children.one(cast<AssignExpr>(e).value());
  case NodeKind::AsmExpr: {
    const auto &assembly = cast<AsmExpr>(e);
    children.one(assembly.text());
    for (auto operands : {assembly.outputs(), assembly.inputs()})
      for (const AsmOperand &operand : operands) {
        children.one(operand.constraint);
        children.one(operand.operand);
      }
    return children.all(assembly.clobbers());
  }
  case NodeKind::PointerType:
    return children.one(cast<PointerType>(e).pointee());
  case NodeKind::ArrayType:
    children.all(cast<ArrayType>(e).dims());
    return children.one(cast<ArrayType>(e).element());
  case NodeKind::FnType:
    children.all(cast<FnType>(e).params());
    return children.one(cast<FnType>(e).result());
  case NodeKind::StructType:
    return children.all(cast<StructType>(e).fields());
  case NodeKind::EnumType:
    children.one(cast<EnumType>(e).base());
    return children.all(cast<EnumType>(e).members());
  default: // literals, names, continue
    return;
  }
}

void csl_source::forEachChild(const Node &node,
                              llvm::function_ref<void(const Node &)> visit) {
  Children children(visit);
  if (const auto *e = llvm::dyn_cast<Expr>(&node))
    return visitExprChildren(*e, children);
  switch (node.kind()) {
  case NodeKind::ExprStmt:
    return children.one(cast<ExprStmt>(node).expr());
  case NodeKind::DeclStmt:
    return children.one(cast<DeclStmt>(node).decl());
  case NodeKind::VarDecl: {
    const auto &var = cast<VarDecl>(node);
    children.one(var.type());
    children.attributes(var.attributes());
    return children.one(var.init());
  }
  case NodeKind::FnDecl: {
    const auto &fn = cast<FnDecl>(node);
    children.all(fn.params());
    children.one(fn.result());
    children.attributes(fn.attributes());
    return children.one(fn.body());
  }
  case NodeKind::ComptimeDecl:
    return children.one(cast<ComptimeDecl>(node).body());
  case NodeKind::LayoutDecl:
    return children.one(cast<LayoutDecl>(node).body());
  case NodeKind::FnParam:
    return children.one(cast<FnParam>(node).type());
  case NodeKind::FieldDecl:
    return children.one(cast<FieldDecl>(node).type());
  case NodeKind::EnumMember:
    return children.one(cast<EnumMember>(node).value());
  default: // colors, captures
    return;
  }
}

llvm::SmallVector<const Node *> csl_source::nodesAt(const SourceFile &file,
                                                    Loc loc) {
  llvm::SmallVector<const Node *> path;
  const char *place = loc.getPointer();
  auto covers = [&](const Node &node) {
    return node.begin().getPointer() <= place &&
           place < node.end().getPointer();
  };
  for (const Decl *decl : file.decls)
    if (covers(*decl)) {
      path.push_back(decl);
      break;
    }
  if (path.empty())
    return path;
  for (size_t known = 0; known != path.size();) {
    known = path.size();
    const Node *inner = nullptr;
    forEachChild(*path.back(), [&](const Node &child) {
      if (!inner && covers(child))
        inner = &child;
    });
    if (inner)
      path.push_back(inner);
  }
  return path;
}
