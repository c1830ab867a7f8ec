//===- Format.cpp - CSL source in one form --------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A node goes on one line if it fits there, has no comment inside and no list
// that ends with a comma; else its outermost list, operator or arms are broken
// and its parts are tried in turn. Comments are given out in order: before the
// statement or element they stand before, behind the one they share a line
// with; a comment in the middle of an expression goes behind its statement.
//
//===----------------------------------------------------------------------===//

#include "sequin/CslSource/Printer.h"

#include "llvm/Support/raw_ostream.h"

using namespace sequin;
using namespace sequin::csl_source;
using llvm::StringRef;

namespace {

class Formatter {
public:
  Formatter(const SourceFile &file, const FormatOptions &options)
      : file(file), options(options) {}

  std::string run();

private:
  //===--------------------------------------------------------------------===//
  // Text
  //===--------------------------------------------------------------------===//

  void put(StringRef text) {
    if (lineEmpty && !text.empty()) {
      out.append(size_t(indent) * options.indent, ' ');
      lineEmpty = false;
    }
    out += text;
  }
  void newLine() {
    while (!out.empty() && out.back() == ' ')
      out.pop_back();
    out += '\n';
    lineStart = out.size();
    lineEmpty = true;
  }
  size_t column() const {
    return lineEmpty ? size_t(indent) * options.indent : out.size() - lineStart;
  }
  bool fits(StringRef text, size_t after = 1) const {
    return column() + text.size() + after <= options.columns;
  }

  //===--------------------------------------------------------------------===//
  // Comments and empty lines
  //===--------------------------------------------------------------------===//

  static const char *at(Loc loc) { return loc.getPointer(); }
  bool hasCommentIn(Span span) const {
    for (size_t i = nextComment; i != file.comments.size(); ++i) {
      const char *place = at(file.comments[i].span.Start);
      if (place >= at(span.End))
        return false;
      if (place > at(span.Start))
        return true;
    }
    return false;
  }
  /// An empty line if the source has one between what was printed last and
  /// `next`.
  void emptyLine(Loc next) {
    if (!last || atListStart)
      return;
    if (StringRef(last, size_t(at(next) - last)).count('\n') > 1)
      newLine();
  }
  /// Comments before a place, each on its own line.
  void commentsBefore(Loc place) {
    while (nextComment != file.comments.size() &&
           at(file.comments[nextComment].span.Start) < at(place)) {
      const Comment &comment = file.comments[nextComment++];
      if (!lineEmpty)
        newLine();
      if (at(comment.span.Start) >= last)
        emptyLine(comment.span.Start);
      put(comment.text.rtrim());
      newLine();
      last = std::max(last, at(comment.span.End));
      atListStart = false;
    }
  }
  /// A comment on the line where something ended, before `limit`.
  void commentBehind(Loc end, Loc limit) {
    if (nextComment == file.comments.size())
      return;
    const Comment &comment = file.comments[nextComment];
    const char *place = at(comment.span.Start);
    if (comment.ownLine || place < at(end) || place >= at(limit) ||
        StringRef(at(end), size_t(place - at(end))).contains('\n'))
      return;
    put(" ");
    put(comment.text.rtrim());
    last = at(comment.span.End);
    ++nextComment;
  }
  /// Runs `print` for every item on lines of its own.
  template <typename Items, typename SpanOf, typename Print>
  void lines(const Items &items, Loc limit, SpanOf spanOf, Print print) {
    atListStart = true;
    for (size_t i = 0; i != items.size(); ++i) {
      Span span = spanOf(items[i]);
      commentsBefore(span.Start);
      emptyLine(span.Start);
      atListStart = false;
      last = at(span.Start);
      print(items[i]);
      last = at(span.End);
      commentBehind(span.End,
                    i + 1 != items.size() ? spanOf(items[i + 1]).Start : limit);
      newLine();
    }
    commentsBefore(limit);
    atListStart = false;
  }

  //===--------------------------------------------------------------------===//
  // Nodes
  //===--------------------------------------------------------------------===//

  /// The node on one line, if that is how it should be.
  std::optional<std::string> line(const Node &node) const {
    if (hasCommentIn(node.span()) || wantsLines(node))
      return std::nullopt;
    return toLine(node);
  }
  /// Whether a list inside ends with a comma.
  static bool wantsLines(const Node &node);
  /// Whether there is a list inside that gets a comma when it is broken.
  static bool holdsList(const Node &node);
  static bool endsWithComma(Loc end, char closing);

  bool tryLine(const Node &node, size_t after = 1) {
    auto text = line(node);
    if (!text || !fits(*text, after))
      return false;
    put(*text);
    return true;
  }

  void decl(const Decl &d);
  void var(const VarDecl &d);
  void fn(const FnDecl &d);
  void stmt(const Stmt &s);
  void expr(const Expr &e, size_t after = 1);
  void broken(const Expr &e, size_t after);
  void block(const BlockExpr &e);
  /// An arm or body: a block behind the head, else on a line of its own if it
  /// does not fit.
  void body(const Expr &e, size_t after);
  void ifExpr(const IfExpr &e, size_t after);
  void switchExpr(const SwitchExpr &e);
  void label(const Ident &name) {
    if (!name.empty())
      put((name.text + ": ").str());
  }
  void loopMode(LoopMode mode) {
    if (mode != LoopMode::Plain)
      put(mode == LoopMode::Inline ? "inline " : "comptime ");
  }

  /// The elements of a list on lines of their own, with the closing bracket.
  template <typename Items, typename SpanOf, typename Print>
  void brokenList(const Items &items, Loc end, StringRef closing, SpanOf spanOf,
                  Print print) {
    Loc limit = Loc::getFromPointer(at(end) - closing.size());
    ++indent;
    newLine();
    lines(items, limit, spanOf, [&](const auto &item) {
      print(item);
      put(",");
    });
    --indent;
    put(closing);
  }
  void exprList(llvm::ArrayRef<const Expr *> list, Loc end, StringRef closing,
                size_t after);

  const SourceFile &file;
  const FormatOptions &options;
  std::string out;
  size_t lineStart = 0;
  bool lineEmpty = true;
  unsigned indent = 0;
  size_t nextComment = 0;
  /// Where in the source ends what was printed last.
  const char *last = nullptr;
  bool atListStart = false;
};

Span spanOfNode(const Node *node) { return node->span(); }

/// Statements whose last character is a brace take no semicolon.
bool needsSemi(const Expr *e) {
  for (;;) {
    switch (e->kind()) {
    case NodeKind::BlockExpr:
    case NodeKind::SwitchExpr:
      return false;
    case NodeKind::ComptimeExpr:
      e = llvm::cast<ComptimeExpr>(e)->operand();
      break;
    case NodeKind::IfExpr: {
      const auto *branch = llvm::cast<IfExpr>(e);
      e = branch->otherwise() ? branch->otherwise() : branch->then();
      break;
    }
    case NodeKind::ForExpr:
      e = llvm::cast<ForExpr>(e)->body();
      break;
    case NodeKind::WhileExpr:
      e = llvm::cast<WhileExpr>(e)->body();
      break;
    default:
      return true;
    }
  }
}

bool Formatter::endsWithComma(Loc end, char closing) {
  // Backwards over blanks; a comment there breaks the list anyway.
  const char *place = at(end) - 1;
  if (*place != closing)
    return false;
  do
    --place;
  while (*place == ' ' || *place == '\t' || *place == '\n' || *place == '\r');
  return *place == ',';
}

bool Formatter::wantsLines(const Node &node) {
  switch (node.kind()) {
  case NodeKind::StructInit:
  case NodeKind::ListInit:
  case NodeKind::StructType:
  case NodeKind::EnumType:
    if (endsWithComma(node.end(), '}'))
      return true;
    break;
  case NodeKind::CallExpr:
  case NodeKind::BuiltinCall:
    if (endsWithComma(node.end(), ')'))
      return true;
    break;
  default:
    break;
  }
  bool result = false;
  forEachChild(
      node, [&](const Node &child) { result = result || wantsLines(child); });
  return result;
}

bool Formatter::holdsList(const Node &node) {
  switch (node.kind()) {
  case NodeKind::StructInit:
  case NodeKind::ListInit:
  case NodeKind::StructType:
  case NodeKind::EnumType:
  case NodeKind::CallExpr:
  case NodeKind::BuiltinCall:
  case NodeKind::IndexExpr:
    return true;
  default:
    break;
  }
  bool result = false;
  forEachChild(node,
               [&](const Node &child) { result = result || holdsList(child); });
  return result;
}

std::string Formatter::run() {
  Loc end = Loc::getFromPointer(
      file.decls.empty() && file.comments.empty() ? nullptr
      : file.comments.empty()                     ? at(file.decls.back()->end())
      : file.decls.empty() ? at(file.comments.back().span.End)
                           : std::max(at(file.decls.back()->end()),
                                      at(file.comments.back().span.End)));
  lines(file.decls, end, spanOfNode, [&](const Decl *d) { decl(*d); });
  return std::move(out);
}

void Formatter::decl(const Decl &d) {
  switch (d.kind()) {
  case NodeKind::VarDecl:
    return var(llvm::cast<VarDecl>(d));
  case NodeKind::FnDecl:
    return fn(llvm::cast<FnDecl>(d));
  case NodeKind::ComptimeDecl:
    put("comptime ");
    return block(*llvm::cast<ComptimeDecl>(d).body());
  case NodeKind::LayoutDecl:
    put("layout ");
    return block(*llvm::cast<LayoutDecl>(d).body());
  default:
    put(toString(d));
    if (llvm::isa<ColorDecl>(d))
      put(";");
  }
}

void Formatter::var(const VarDecl &d) {
  if (tryLine(d)) {
    put(";");
    return;
  }
  // The head as it is on a line; only the type and the value are broken.
  put(d.storage() == Storage::Export   ? "export "
      : d.storage() == Storage::Extern ? "extern "
                                       : "");
  put(d.isComptime() ? "comptime " : "");
  put(d.isConst() ? "const " : d.isVar() ? "var " : "param ");
  put(d.name().text);
  if (d.type()) {
    put(": ");
    expr(*d.type());
  }
  for (auto [name, e] : d.attributes().inOrder())
    put((" " + name + "(" + toString(*e) + ")").str());
  if (d.init()) {
    put(" = ");
    expr(*d.init());
  }
  put(";");
}

void Formatter::fn(const FnDecl &d) {
  put(d.storage() == Storage::Export   ? "export "
      : d.storage() == Storage::Extern ? "extern "
                                       : "");
  put(d.inlining() == Inlining::Inline     ? "inline "
      : d.inlining() == Inlining::NoInline ? "noinline "
                                           : "");
  put(d.isTask() ? "task " : "fn ");
  put(d.name().text);
  std::string params = "(", tail = ")";
  for (const FnParam *param : d.params())
    params += (params.size() > 1 ? ", " : "") + toString(*param);
  if (d.result())
    tail += " " + toString(*d.result());
  for (auto [name, e] : d.attributes().inOrder())
    tail += (" " + name + "(" + toString(*e) + ")").str();
  tail += d.body() ? " " : ";";
  Loc paramsEnd = d.result() ? d.result()->begin()
                  : d.body() ? d.body()->begin()
                             : d.end();
  bool commented = hasCommentIn(Span(d.name().span.End, paramsEnd));
  if (d.params().empty() || (!commented && fits(params + tail))) {
    put(params + tail);
  } else {
    put("(");
    ++indent;
    newLine();
    lines(d.params(), paramsEnd, spanOfNode, [&](const FnParam *param) {
      put(toString(*param));
      put(",");
    });
    --indent;
    put(tail);
  }
  if (d.body())
    block(*d.body());
}

void Formatter::stmt(const Stmt &s) {
  if (const auto *local = llvm::dyn_cast<DeclStmt>(&s))
    return var(*local->decl());
  const Expr &e = *llvm::cast<ExprStmt>(s).expr();
  expr(e);
  if (needsSemi(&e))
    put(";");
}

void Formatter::block(const BlockExpr &e) {
  label(e.label());
  if (e.statements().empty() && !hasCommentIn(e.span())) {
    put("{}");
    return;
  }
  put("{");
  ++indent;
  Loc limit = Loc::getFromPointer(at(e.end()) - 1);
  // A comment behind the brace belongs inside.
  newLine();
  lines(e.statements(), limit, spanOfNode, [&](const Stmt *s) { stmt(*s); });
  --indent;
  put("}");
}

void Formatter::expr(const Expr &e, size_t after) {
  if (!tryLine(e, after))
    broken(e, after);
}

void Formatter::exprList(llvm::ArrayRef<const Expr *> list, Loc end,
                         StringRef closing, size_t after) {
  if (list.empty()) {
    put(closing);
    return;
  }
  // A literal or block at the end takes the lines: f(a, .{ ... }).
  const Expr &tail = *list.back();
  if (llvm::isa<StructInit, ListInit, BlockExpr, StructType, EnumType>(tail) &&
      !endsWithComma(end, closing.front())) {
    std::string head;
    bool flat = true;
    for (const Expr *e : list.drop_back()) {
      auto text = line(*e);
      flat &= text.has_value();
      if (text)
        head += *text + ", ";
    }
    if (flat && fits(head, 4) &&
        !hasCommentIn(Span(list.front()->begin(), tail.begin()))) {
      put(head);
      expr(tail, after + 1);
      put(closing);
      return;
    }
  }
  brokenList(list, end, closing, spanOfNode, [&](const Expr *e) { expr(*e); });
}

void Formatter::body(const Expr &e, size_t after) {
  if (llvm::isa<BlockExpr, SwitchExpr, IfExpr, ForExpr, WhileExpr>(e)) {
    put(" ");
    return expr(e, after);
  }
  if (auto text = line(e); text && fits(" " + *text, after)) {
    put(" ");
    put(*text);
    return;
  }
  ++indent;
  newLine();
  expr(e, after);
  --indent;
}

void Formatter::ifExpr(const IfExpr &e, size_t after) {
  put("if (");
  expr(*e.condition(), 3);
  put(")");
  if (e.otherwise() && !llvm::isa<BlockExpr>(e.then())) {
    // Each arm on a line of its own.
    ++indent;
    newLine();
    expr(*e.then(), after);
    --indent;
  } else {
    body(*e.then(), after);
  }
  if (!e.otherwise())
    return;
  if (llvm::isa<BlockExpr>(e.then()) && !lineEmpty)
    put(" else");
  else {
    newLine();
    put("else");
  }
  body(*e.otherwise(), after);
}

void Formatter::switchExpr(const SwitchExpr &e) {
  put("switch (");
  expr(*e.input(), 3);
  put(") {");
  if (e.prongs().empty() && !hasCommentIn(e.span())) {
    put("}");
    return;
  }
  brokenList(
      e.prongs(), e.end(), "}",
      [](const SwitchProng &prong) { return prong.span; },
      [&](const SwitchProng &prong) {
        if (prong.isElse()) {
          put("else");
        } else {
          StringRef separator;
          for (const Expr *value : prong.values) {
            put(separator);
            auto text = toString(*value);
            if (!separator.empty() && !fits(text, 4))
              newLine();
            put(text);
            separator = ", ";
          }
        }
        put(" =>");
        body(*prong.body, 1);
      });
}

void Formatter::broken(const Expr &e, size_t after) {
  switch (e.kind()) {
  case NodeKind::ParenExpr:
    put("(");
    expr(*llvm::cast<ParenExpr>(e).operand(), after + 1);
    return put(")");
  case NodeKind::UnaryExpr:
    put(spelling(llvm::cast<UnaryExpr>(e).op()));
    return expr(*llvm::cast<UnaryExpr>(e).operand(), after);
  case NodeKind::ComptimeExpr:
    put("comptime ");
    return expr(*llvm::cast<ComptimeExpr>(e).operand(), after);
  case NodeKind::BinaryExpr: {
    const auto &binary = llvm::cast<BinaryExpr>(e);
    StringRef sign = spelling(binary.op());
    expr(*binary.left(), sign.size() + 1);
    put(" ");
    put(sign);
    // On the next line if it fits there. What has its lists broken anyway stays
    // here, as it does where it is read again with the commas that this makes.
    const Expr &right = *binary.right();
    auto text = line(right);
    bool isBroken =
        !text || (holdsList(right) &&
                  (indent + 2) * size_t(options.indent) + text->size() + after >
                      options.columns);
    if (isBroken ? !llvm::isa<BinaryExpr, NameExpr>(right)
                 : fits(" " + *text, after)) {
      put(" ");
      return expr(right, after);
    }
    indent += 2;
    newLine();
    expr(right, after);
    indent -= 2;
    return;
  }
  case NodeKind::IndexExpr: {
    const auto &index = llvm::cast<IndexExpr>(e);
    expr(*index.base());
    put("[");
    return exprList(index.indices(), e.end(), "]", after);
  }
  case NodeKind::CallExpr: {
    const auto &call = llvm::cast<CallExpr>(e);
    expr(*call.callee());
    put("(");
    return exprList(call.arguments(), e.end(), ")", after);
  }
  case NodeKind::BuiltinCall: {
    const auto &call = llvm::cast<BuiltinCall>(e);
    put(("@" + call.name().text + "(").str());
    return exprList(call.arguments(), e.end(), ")", after);
  }
  case NodeKind::MemberExpr:
    expr(*llvm::cast<MemberExpr>(e).base());
    return put(("." + llvm::cast<MemberExpr>(e).member().text).str());
  case NodeKind::DerefExpr:
    expr(*llvm::cast<DerefExpr>(e).pointer());
    return put(".*");
  case NodeKind::StructInit: {
    const auto &init = llvm::cast<StructInit>(e);
    if (init.type()) {
      expr(*init.type());
      put(" {");
    } else {
      put(".{");
    }
    return brokenList(
        init.fields(), e.end(), "}",
        [](const FieldInit &field) {
          // From the point before the name.
          return Span(Loc::getFromPointer(at(field.name.span.Start) - 1),
                      field.value->end());
        },
        [&](const FieldInit &field) {
          put(("." + field.name.text + " = ").str());
          expr(*field.value);
        });
  }
  case NodeKind::ListInit: {
    const auto &init = llvm::cast<ListInit>(e);
    if (init.type()) {
      expr(*init.type());
      put(" {");
    } else {
      put(".{");
    }
    return brokenList(init.elements(), e.end(), "}", spanOfNode,
                      [&](const Expr *element) { expr(*element); });
  }
  case NodeKind::BlockExpr:
    return block(llvm::cast<BlockExpr>(e));
  case NodeKind::IfExpr:
    return ifExpr(llvm::cast<IfExpr>(e), after);
  case NodeKind::SwitchExpr:
    return switchExpr(llvm::cast<SwitchExpr>(e));
  case NodeKind::ForExpr: {
    const auto &loop = llvm::cast<ForExpr>(e);
    label(loop.label());
    loopMode(loop.mode());
    put("for (");
    expr(*loop.iterable(), 3);
    put((") |" + loop.element()->name().text).str());
    if (loop.index())
      put((", " + loop.index()->name().text).str());
    put("|");
    return body(*loop.body(), after);
  }
  case NodeKind::WhileExpr: {
    const auto &loop = llvm::cast<WhileExpr>(e);
    label(loop.label());
    loopMode(loop.mode());
    put("while (");
    expr(*loop.condition(), 3);
    put(")");
    if (loop.step()) {
      put(" : (");
      expr(*loop.step(), 3);
      put(")");
    }
    return body(*loop.body(), after);
  }
  case NodeKind::ReturnExpr:
    put("return ");
    if (const Expr *value = llvm::cast<ReturnExpr>(e).value())
      expr(*value, after);
    return;
  case NodeKind::BreakExpr: {
    const auto &jump = llvm::cast<BreakExpr>(e);
    put("break ");
    if (!jump.label().empty())
      put((":" + jump.label().text + " ").str());
    if (jump.value())
      expr(*jump.value(), after);
    return;
  }
  case NodeKind::AssignExpr: {
    const auto &assign = llvm::cast<AssignExpr>(e);
    expr(*assign.target());
    put((" " + (assign.op() ? spelling(*assign.op()) : "") + "= ").str());
    return expr(*assign.value(), after);
  }
  case NodeKind::StructType: {
    const auto &type = llvm::cast<StructType>(e);
    put(type.layout() == StructLayout::Extern   ? "extern "
        : type.layout() == StructLayout::Packed ? "packed "
                                                : "");
    put(type.isUnion() ? "union {" : "struct {");
    return brokenList(type.fields(), e.end(), "}", spanOfNode,
                      [&](const FieldDecl *field) {
                        put((field->name().text + ": ").str());
                        expr(*field->type());
                      });
  }
  case NodeKind::EnumType: {
    const auto &type = llvm::cast<EnumType>(e);
    put(type.base() ? "enum(" + toString(*type.base()) + ") {" : "enum {");
    return brokenList(type.members(), e.end(), "}", spanOfNode,
                      [&](const EnumMember *member) {
                        put(member->name().text);
                        if (member->value()) {
                          put(" = ");
                          expr(*member->value());
                        }
                      });
  }
  default:
    // Literals, names, types and what has no place to break.
    put(toString(e));
  }
}

} // namespace

void csl_source::format(const SourceFile &file, llvm::raw_ostream &os,
                        const FormatOptions &options) {
  os << Formatter(file, options).run();
}
