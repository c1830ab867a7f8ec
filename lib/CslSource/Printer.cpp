//===- Printer.cpp - Syntax trees on one line and as an outline -----------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/CslSource/Printer.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace sequin;
using namespace sequin::csl_source;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// On one line
//===----------------------------------------------------------------------===//

namespace {

class LinePrinter : public ExprVisitor<LinePrinter> {
public:
  explicit LinePrinter(llvm::raw_ostream &os) : os(os) {}

  void print(const Node &node);
  /// Whether something was printed that a person would not put on one line.
  bool needsLines = false;

  void visitErrorExpr(const ErrorExpr &) { os << "<error>"; }
  void visitIntLiteral(const IntLiteral &e) { os << e.spelling(); }
  void visitFloatLiteral(const FloatLiteral &e) { os << e.spelling(); }
  void visitCharLiteral(const CharLiteral &e) { os << e.spelling(); }
  void visitStringLiteral(const StringLiteral &e) { os << e.spelling(); }
  void visitBoolLiteral(const BoolLiteral &e) {
    os << (e.value() ? "true" : "false");
  }
  void visitNameExpr(const NameExpr &e) { os << e.name(); }
  void visitParenExpr(const ParenExpr &e) {
    os << '(';
    visit(*e.operand());
    os << ')';
  }
  void visitUnaryExpr(const UnaryExpr &e) {
    os << spelling(e.op());
    visit(*e.operand());
  }
  void visitBinaryExpr(const BinaryExpr &e) {
    visit(*e.left());
    os << ' ' << spelling(e.op()) << ' ';
    visit(*e.right());
  }
  void visitComptimeExpr(const ComptimeExpr &e) {
    os << "comptime ";
    visit(*e.operand());
  }
  void visitIndexExpr(const IndexExpr &e) {
    visit(*e.base());
    os << '[';
    list(e.indices());
    os << ']';
  }
  void visitCallExpr(const CallExpr &e) {
    visit(*e.callee());
    os << '(';
    list(e.arguments());
    os << ')';
  }
  void visitBuiltinCall(const BuiltinCall &e) {
    os << '@' << e.name().text << '(';
    list(e.arguments());
    os << ')';
  }
  void visitMemberExpr(const MemberExpr &e) {
    visit(*e.base());
    os << '.' << e.member().text;
  }
  void visitDerefExpr(const DerefExpr &e) {
    visit(*e.pointer());
    os << ".*";
  }
  void visitStructInit(const StructInit &e) {
    open(e.type());
    llvm::interleave(
        e.fields(), os,
        [&](const FieldInit &field) {
          os << '.' << field.name.text << " = ";
          visit(*field.value);
        },
        ", ");
    os << " }";
  }
  void visitListInit(const ListInit &e) {
    if (e.elements().empty()) {
      if (e.type()) {
        visit(*e.type());
        os << "{}";
      } else {
        os << ".{}";
      }
      return;
    }
    open(e.type());
    list(e.elements());
    os << " }";
  }
  void visitTensorAccess(const TensorAccess &e) {
    os << '|';
    llvm::interleave(
        e.variables(), os,
        [&](const CaptureDecl *var) { os << var->name().text; }, ", ");
    os << "|{";
    list(e.extents());
    os << "} -> ";
    visit(*e.array());
    os << '[';
    list(e.indices());
    os << ']';
  }
  void visitBlockExpr(const BlockExpr &e) {
    label(e.label());
    if (e.statements().empty()) {
      os << "{}";
      return;
    }
    needsLines = true;
    os << "{ ";
    for (const Stmt *stmt : e.statements()) {
      print(*stmt);
      os << "; ";
    }
    os << '}';
  }
  void visitIfExpr(const IfExpr &e) {
    os << "if (";
    visit(*e.condition());
    os << ") ";
    visit(*e.then());
    if (e.otherwise()) {
      os << " else ";
      visit(*e.otherwise());
    }
  }
  void visitSwitchExpr(const SwitchExpr &e) {
    needsLines = true;
    os << "switch (";
    visit(*e.input());
    os << ") { ";
    llvm::interleave(
        e.prongs(), os,
        [&](const SwitchProng &prong) {
          if (prong.isElse())
            os << "else";
          list(prong.values);
          os << " => ";
          visit(*prong.body);
        },
        ", ");
    os << " }";
  }
  void visitForExpr(const ForExpr &e) {
    loopHead(e.label(), e.mode());
    os << "for (";
    visit(*e.iterable());
    os << ") |" << e.element()->name().text;
    if (e.index())
      os << ", " << e.index()->name().text;
    os << "| ";
    visit(*e.body());
  }
  void visitWhileExpr(const WhileExpr &e) {
    loopHead(e.label(), e.mode());
    os << "while (";
    visit(*e.condition());
    os << ") ";
    if (e.step()) {
      os << ": (";
      visit(*e.step());
      os << ") ";
    }
    visit(*e.body());
  }
  void visitReturnExpr(const ReturnExpr &e) {
    os << "return";
    value(e.value());
  }
  void visitBreakExpr(const BreakExpr &e) {
    os << "break";
    if (!e.label().empty())
      os << " :" << e.label().text;
    value(e.value());
  }
  void visitContinueExpr(const ContinueExpr &e) {
    os << "continue";
    if (!e.label().empty())
      os << " :" << e.label().text;
  }
  void visitAssignExpr(const AssignExpr &e) {
    visit(*e.target());
    os << ' ' << (e.op() ? spelling(*e.op()) : "") << "= ";
    visit(*e.value());
  }
  void visitAsmExpr(const AsmExpr &e) {
    os << (e.isVolatile() ? "asm volatile (" : "asm (");
    visit(*e.text());
    unsigned sections = !e.clobbers().empty()  ? 3
                        : !e.inputs().empty()  ? 2
                        : !e.outputs().empty() ? 1
                                               : 0;
    auto operands = [&](llvm::ArrayRef<AsmOperand> list) {
      StringRef separator = " ";
      for (const AsmOperand &operand : list) {
        os << separator << '[' << operand.name.text << "] "
           << operand.constraint->spelling() << " (";
        visit(*operand.operand);
        os << ')';
        separator = ", ";
      }
    };
    if (sections > 0) {
      os << ", :";
      operands(e.outputs());
    }
    if (sections > 1) {
      os << " :";
      operands(e.inputs());
    }
    if (sections > 2) {
      os << " : ";
      list(e.clobbers());
    }
    os << ')';
  }
  void visitPointerType(const PointerType &e) {
    os << (e.isMany() ? "[*]" : "*") << (e.isConst() ? "const " : "");
    visit(*e.pointee());
  }
  void visitArrayType(const ArrayType &e) {
    os << '[';
    list(e.dims());
    os << ']';
    visit(*e.element());
  }
  void visitFnType(const FnType &e) {
    os << (e.isTask() ? "task(" : "fn(");
    list(e.params());
    os << ") ";
    visit(*e.result());
  }
  void visitStructType(const StructType &e) {
    os << (e.layout() == StructLayout::Extern   ? "extern "
           : e.layout() == StructLayout::Packed ? "packed "
                                                : "")
       << (e.isUnion() ? "union" : "struct");
    members(e.fields(), e.docs());
  }
  void visitEnumType(const EnumType &e) {
    os << "enum";
    if (e.base()) {
      os << '(';
      visit(*e.base());
      os << ')';
    }
    members(e.members(), e.docs());
  }

  void attributes(const DeclAttributes &list) {
    for (auto [name, e] : list.inOrder()) {
      os << ' ' << name << '(';
      visit(*e);
      os << ')';
    }
  }
  void storage(Storage storage) {
    if (storage != Storage::None)
      os << (storage == Storage::Export ? "export " : "extern ");
  }

private:
  template <typename T> void list(llvm::ArrayRef<const T *> nodes) {
    llvm::interleave(nodes, os, [&](const T *node) { print(*node); }, ", ");
  }
  template <typename T>
  void members(llvm::ArrayRef<const T *> nodes, DocLines docs) {
    needsLines |= !docs.empty();
    if (nodes.empty()) {
      os << " {}";
      return;
    }
    os << " { ";
    for (const T *node : nodes)
      needsLines |= !node->docs().empty();
    list(nodes);
    os << " }";
  }
  void open(const Expr *type) {
    if (type) {
      visit(*type);
      os << " { ";
    } else {
      os << ".{ ";
    }
  }
  void label(const Ident &name) {
    if (!name.empty())
      os << name.text << ": ";
  }
  void loopHead(const Ident &name, LoopMode mode) {
    label(name);
    if (mode != LoopMode::Plain)
      os << (mode == LoopMode::Inline ? "inline " : "comptime ");
  }
  void value(const Expr *e) {
    if (!e)
      return;
    os << ' ';
    visit(*e);
  }

  llvm::raw_ostream &os;
};

void LinePrinter::print(const Node &node) {
  if (const auto *e = llvm::dyn_cast<Expr>(&node))
    return visit(*e);
  switch (node.kind()) {
  case NodeKind::ExprStmt:
    return visit(*llvm::cast<ExprStmt>(node).expr());
  case NodeKind::DeclStmt:
    return print(*llvm::cast<DeclStmt>(node).decl());
  case NodeKind::VarDecl: {
    const auto &var = llvm::cast<VarDecl>(node);
    storage(var.storage());
    os << (var.isComptime() ? "comptime " : "")
       << (var.isConst() ? "const "
           : var.isVar() ? "var "
                         : "param ")
       << var.name().text;
    if (var.type()) {
      os << ": ";
      visit(*var.type());
    }
    attributes(var.attributes());
    if (var.init()) {
      os << " = ";
      visit(*var.init());
    }
    return;
  }
  case NodeKind::FnDecl: {
    const auto &fn = llvm::cast<FnDecl>(node);
    storage(fn.storage());
    if (fn.inlining() != Inlining::None)
      os << (fn.inlining() == Inlining::Inline ? "inline " : "noinline ");
    os << (fn.isTask() ? "task " : "fn ") << fn.name().text << '(';
    list(fn.params());
    os << ')';
    if (fn.result()) {
      os << ' ';
      visit(*fn.result());
    }
    attributes(fn.attributes());
    if (fn.body()) {
      os << ' ';
      visit(*fn.body());
    }
    return;
  }
  case NodeKind::ComptimeDecl:
    os << "comptime ";
    return visit(*llvm::cast<ComptimeDecl>(node).body());
  case NodeKind::LayoutDecl:
    os << "layout ";
    return visit(*llvm::cast<LayoutDecl>(node).body());
  case NodeKind::ColorDecl:
    os << "color " << llvm::cast<ColorDecl>(node).name().text;
    return;
  case NodeKind::FnParam: {
    const auto &param = llvm::cast<FnParam>(node);
    if (param.isComptime())
      os << "comptime ";
    if (!param.name().empty())
      os << param.name().text << ": ";
    if (param.isAnytype())
      os << "anytype";
    else
      visit(*param.type());
    return;
  }
  case NodeKind::CaptureDecl:
    os << llvm::cast<CaptureDecl>(node).name().text;
    return;
  case NodeKind::FieldDecl:
    os << llvm::cast<FieldDecl>(node).name().text << ": ";
    return visit(*llvm::cast<FieldDecl>(node).type());
  case NodeKind::EnumMember:
    os << llvm::cast<EnumMember>(node).name().text;
    if (const Expr *value = llvm::cast<EnumMember>(node).value()) {
      os << " = ";
      visit(*value);
    }
    return;
  default:
    llvm_unreachable("an expression");
  }
}

} // namespace

std::string csl_source::toString(const Node &node) {
  std::string text;
  llvm::raw_string_ostream os(text);
  LinePrinter(os).print(node);
  return text;
}

std::optional<std::string> csl_source::toLine(const Node &node) {
  std::string text;
  llvm::raw_string_ostream os(text);
  LinePrinter printer(os);
  printer.print(node);
  if (printer.needsLines)
    return std::nullopt;
  return text;
}

//===----------------------------------------------------------------------===//
// As an outline
//===----------------------------------------------------------------------===//

namespace {

class Dumper {
public:
  Dumper(const SourceManager &sources, llvm::raw_ostream &os)
      : sources(sources), os(os) {}

  void dump(const Node &node, unsigned depth) {
    os.indent(depth * 2) << stringify(node.kind());
    facts(node);
    LineColumn from = sources.lineColumn(node.begin());
    LineColumn to = sources.lineColumn(node.end());
    os << ' ' << from.line << ':' << from.column << '-' << to.line << ':'
       << to.column << '\n';
    forEachChild(node, [&](const Node &child) { dump(child, depth + 1); });
  }

private:
  void word(bool given, StringRef text) {
    if (given)
      os << ' ' << text;
  }
  void label(const Ident &name) {
    if (!name.empty())
      os << ' ' << name.text << ':';
  }
  void mode(LoopMode mode) {
    word(mode == LoopMode::Inline, "inline");
    word(mode == LoopMode::Comptime, "comptime");
  }
  void storage(Storage storage) {
    word(storage == Storage::Export, "export");
    word(storage == Storage::Extern, "extern");
  }
  void attributes(const DeclAttributes &list) {
    word(list.align, "align");
    word(list.linkSection, "linksection");
    word(list.linkName, "linkname");
  }
  /// What a node says besides its children.
  void facts(const Node &node);

  const SourceManager &sources;
  llvm::raw_ostream &os;
};

void Dumper::facts(const Node &node) {
  if (const auto *decl = llvm::dyn_cast<Decl>(&node))
    word(!decl->name().empty(), decl->name().text);
  switch (node.kind()) {
  case NodeKind::IntLiteral: {
    llvm::SmallString<32> text;
    llvm::cast<IntLiteral>(node).value().toStringUnsigned(text);
    os << ' ' << text;
    return;
  }
  case NodeKind::FloatLiteral:
    os << llvm::format(" %.17g", llvm::cast<FloatLiteral>(node).value());
    return;
  case NodeKind::CharLiteral:
    os << ' ' << llvm::cast<CharLiteral>(node).value();
    return;
  case NodeKind::StringLiteral:
    os << " \"";
    llvm::printEscapedString(llvm::cast<StringLiteral>(node).value(), os);
    os << '"';
    return;
  case NodeKind::BoolLiteral:
    os << (llvm::cast<BoolLiteral>(node).value() ? " true" : " false");
    return;
  case NodeKind::NameExpr:
    os << ' ' << llvm::cast<NameExpr>(node).name();
    return;
  case NodeKind::UnaryExpr:
    os << ' ' << spelling(llvm::cast<UnaryExpr>(node).op());
    return;
  case NodeKind::BinaryExpr:
    os << ' ' << spelling(llvm::cast<BinaryExpr>(node).op());
    return;
  case NodeKind::BuiltinCall:
    os << " @" << llvm::cast<BuiltinCall>(node).name().text;
    return;
  case NodeKind::MemberExpr:
    os << ' ' << llvm::cast<MemberExpr>(node).member().text;
    return;
  case NodeKind::StructInit:
    for (const FieldInit &field : llvm::cast<StructInit>(node).fields())
      os << " ." << field.name.text;
    word(!llvm::cast<StructInit>(node).type(), "anonymous");
    return;
  case NodeKind::ListInit:
    word(!llvm::cast<ListInit>(node).type(), "anonymous");
    return;
  case NodeKind::BlockExpr:
    label(llvm::cast<BlockExpr>(node).label());
    return;
  case NodeKind::SwitchExpr:
    os << ' ' << llvm::cast<SwitchExpr>(node).prongs().size() << " prongs";
    for (auto [i, prong] :
         llvm::enumerate(llvm::cast<SwitchExpr>(node).prongs()))
      if (prong.isElse())
        os << ", else " << i;
    return;
  case NodeKind::ForExpr:
    label(llvm::cast<ForExpr>(node).label());
    mode(llvm::cast<ForExpr>(node).mode());
    return;
  case NodeKind::WhileExpr:
    label(llvm::cast<WhileExpr>(node).label());
    mode(llvm::cast<WhileExpr>(node).mode());
    return;
  case NodeKind::BreakExpr:
    label(llvm::cast<BreakExpr>(node).label());
    return;
  case NodeKind::ContinueExpr:
    label(llvm::cast<ContinueExpr>(node).label());
    return;
  case NodeKind::AssignExpr: {
    auto op = llvm::cast<AssignExpr>(node).op();
    os << ' ' << (op ? spelling(*op) : "") << '=';
    return;
  }
  case NodeKind::AsmExpr: {
    const auto &e = llvm::cast<AsmExpr>(node);
    word(e.isVolatile(), "volatile");
    for (const AsmOperand &operand : e.outputs())
      os << " out:" << operand.name.text;
    for (const AsmOperand &operand : e.inputs())
      os << " in:" << operand.name.text;
    return;
  }
  case NodeKind::PointerType:
    word(llvm::cast<PointerType>(node).isMany(), "many");
    word(llvm::cast<PointerType>(node).isConst(), "const");
    return;
  case NodeKind::FnType:
    word(llvm::cast<FnType>(node).isTask(), "task");
    return;
  case NodeKind::StructType: {
    const auto &e = llvm::cast<StructType>(node);
    word(e.layout() == StructLayout::Extern, "extern");
    word(e.layout() == StructLayout::Packed, "packed");
    os << (e.isUnion() ? " union" : " struct");
    return;
  }
  case NodeKind::VarDecl: {
    const auto &var = llvm::cast<VarDecl>(node);
    storage(var.storage());
    word(var.isComptime(), "comptime");
    os << (var.isConst() ? " const" : var.isVar() ? " var" : " param");
    attributes(var.attributes());
    word(!var.docs().empty(), "documented");
    return;
  }
  case NodeKind::FnDecl: {
    const auto &fn = llvm::cast<FnDecl>(node);
    storage(fn.storage());
    word(fn.isTask(), "task");
    word(fn.inlining() == Inlining::Inline, "inline");
    word(fn.inlining() == Inlining::NoInline, "noinline");
    attributes(fn.attributes());
    word(!fn.docs().empty(), "documented");
    return;
  }
  case NodeKind::FnParam:
    word(llvm::cast<FnParam>(node).isComptime(), "comptime");
    word(llvm::cast<FnParam>(node).isAnytype(), "anytype");
    return;
  case NodeKind::FieldDecl:
  case NodeKind::EnumMember:
    word(!llvm::cast<Decl>(node).docs().empty(), "documented");
    return;
  default:
    return;
  }
}

} // namespace

void csl_source::dump(const SourceFile &file, const SourceManager &sources,
                      llvm::raw_ostream &os) {
  Dumper dumper(sources, os);
  for (const Decl *decl : file.decls)
    dumper.dump(*decl, 0);
}
