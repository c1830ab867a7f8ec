//===- Printer.cpp - Syntax trees to kernel source ------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/VisaSource/Printer.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace sequin;
using namespace sequin::visa_source;
using llvm::isa;
using llvm::StringRef;

namespace {

/// Writes each node once, in order. Lines are broken by the length that a node
/// had in the source, so nothing is measured twice.
class Printer {
public:
  Printer(llvm::raw_ostream &os, bool flat) : os(os), flat(flat) {}

  void file(const SourceFile &file) {
    for (const Attribute *attribute : file.attributes) {
      print(*attribute);
      os << '\n';
    }
    bool wasLarge = !file.attributes.empty();
    for (const Item *item : file.items) {
      bool isLarge = isa<FnItem, ModItem, ImplItem>(item);
      if ((isLarge || wasLarge) &&
          (item != file.items.front() || !file.attributes.empty()))
        os << '\n';
      wasLarge = isLarge;
      print(*item);
      os << '\n';
    }
  }

  void node(const Node &node) {
    dispatch(node, [&](const auto &n) { print(n); });
  }

private:
  //===--------------------------------------------------------------------===//
  // Layout
  //===--------------------------------------------------------------------===//

  void line() {
    if (flat)
      os << ' ';
    else
      (os << '\n').indent(4 * depth);
  }
  /// Whether what is printed here is better broken into lines.
  bool isLong(const Node &node, size_t limit = 96) const {
    return !flat &&
           SourceManager::textOf(node.span()).size() + 4 * depth > limit;
  }
  void name(const Ident &ident) {
    // What was raw has lost its prefix.
    if (isReserved(ident.text))
      os << "r#";
    os << ident.text;
  }
  static bool isReserved(StringRef text) {
    static constexpr StringRef kWords[] = {
#define VISA_KEYWORD(NAME, TEXT) TEXT,
#include "sequin/VisaSource/Tokens.def"
    };
    // These are never raw.
    return llvm::is_contained(kWords, text) && text != "self" &&
           text != "Self" && text != "super" && text != "crate";
  }
  template <typename T> void commas(List<T> nodes) {
    llvm::interleave(nodes, os, [&](const T *n) { node(*n); }, ", ");
  }
  /// `(a, b)`, on lines of their own if `whole` is long.
  template <typename T>
  void bracketed(StringRef open, List<T> nodes, StringRef close,
                 const Node &whole, bool lastComma = false) {
    bool isBroken = nodes.size() > 1 && isLong(whole);
    os << (isBroken ? open.rtrim() : open);
    if (isBroken) {
      ++depth;
      for (const T *n : nodes) {
        line();
        node(*n);
        os << ',';
      }
      --depth;
      line();
    } else {
      commas(nodes);
      if (lastComma)
        os << ',';
    }
    os << (isBroken ? close.ltrim() : close);
  }
  static StringRef opening(Bracket bracket) {
    return bracket == Bracket::Paren    ? "("
           : bracket == Bracket::Square ? "["
                                        : "{";
  }
  static StringRef closing(Bracket bracket) {
    return bracket == Bracket::Paren    ? ")"
           : bracket == Bracket::Square ? "]"
                                        : "}";
  }

  //===--------------------------------------------------------------------===//
  // Paths, generics, types
  //===--------------------------------------------------------------------===//

  void path(const Path &p, bool turbofish) {
    if (p.self) {
      os << '<';
      node(*p.self);
      if (p.trait) {
        os << " as ";
        path(*p.trait, false);
      }
      os << ">::";
    } else if (p.global) {
      os << "::";
    }
    llvm::interleave(
        p.segments, os,
        [&](const PathSegment *segment) {
          name(segment->name);
          if (!segment->args)
            return;
          if (turbofish)
            os << "::";
          print(*segment->args);
        },
        "::");
  }
  void print(const Path &p) { path(p, false); }
  void print(const PathSegment &segment) {
    name(segment.name);
    if (segment.args)
      print(*segment.args);
  }
  void print(const GenericArgs &n) {
    os << (n.parenthesised ? "(" : "<");
    commas(n.args);
    os << (n.parenthesised ? ")" : ">");
    result(n.result);
  }
  void print(const GenericArg &n) {
    os << n.lifetime.text;
    if (!n.binding.empty()) {
      name(n.binding);
      os << " = ";
    }
    optional(n.type);
    optional(n.value);
  }
  void bounds(List<Bound> list) {
    llvm::interleave(list, os, [&](const Bound *b) { print(*b); }, " + ");
  }
  void print(const Bound &n) {
    os << n.lifetime.text << (n.maybe ? "?" : "");
    optional(n.path);
  }
  void print(const GenericParam &n) {
    if (n.paramKind == GenericParamKind::Const) {
      os << "const ";
      name(n.name);
      os << ": ";
      node(*n.type);
      prefixed(" = ", n.value);
      return;
    }
    os << n.name.text;
    if (!n.bounds.empty())
      os << ": ";
    bounds(n.bounds);
    prefixed(" = ", n.type);
  }
  void print(const Generics &n) {
    if (n.params.empty())
      return;
    os << '<';
    commas(n.params);
    os << '>';
  }
  void where(const Generics *n) {
    if (!n || n->predicates.empty())
      return;
    os << " where ";
    commas(n->predicates);
  }
  void print(const WherePredicate &n) {
    os << n.lifetime.text;
    optional(n.type);
    os << ": ";
    bounds(n.bounds);
  }
  void optional(const Node *n) {
    if (n)
      node(*n);
  }
  void prefixed(StringRef prefix, const Node *n) {
    if (!n)
      return;
    os << prefix;
    node(*n);
  }
  void result(const Type *type) { prefixed(" -> ", type); }

  void print(const ErrorType &) { os << "<error>"; }
  void print(const PathType &n) { path(*n.path, false); }
  void print(const RefType &n) {
    os << '&' << n.lifetime.text << (n.lifetime.empty() ? "" : " ")
       << (n.isMut ? "mut " : "");
    node(*n.target);
  }
  void print(const ArrayType &n) {
    os << '[';
    node(*n.element);
    os << "; ";
    node(*n.length);
    os << ']';
  }
  void print(const SliceType &n) {
    os << '[';
    node(*n.element);
    os << ']';
  }
  void print(const TupleType &n) {
    bracketed("(", n.elements, ")", n, n.elements.size() == 1);
  }
  void print(const ParenType &n) {
    os << '(';
    node(*n.inner);
    os << ')';
  }
  void print(const InferType &) { os << '_'; }
  void print(const NeverType &) { os << '!'; }
  void print(const ImplType &n) {
    os << "impl ";
    bounds(n.bounds);
  }
  void print(const FnType &n) {
    os << "fn(";
    commas(n.params);
    os << ')';
    result(n.result);
  }
  void print(const MappingType &n) {
    os << "m![";
    optional(n.mapping);
    os << ']';
  }

  //===--------------------------------------------------------------------===//
  // Mappings
  //===--------------------------------------------------------------------===//

  void print(const ErrorMapping &) { os << "<error>"; }
  void print(const MapList &n) {
    commas(n.elements);
    if (n.elements.size() == 1)
      os << ',';
  }
  void print(const MapAxis &n) { name(n.name); }
  void print(const MapNumber &n) { os << n.value; }
  void print(const MapEscape &n) {
    os << "{ ";
    node(*n.type);
    os << " }";
  }
  void print(const MapGroup &n) {
    os << (n.square ? '[' : '(');
    node(*n.inner);
    os << (n.square ? ']' : ')');
  }
  void print(const MapOp &n) {
    node(*n.left);
    os << ' ' << spelling(n.op) << ' ';
    node(*n.amount);
  }

  //===--------------------------------------------------------------------===//
  // Patterns
  //===--------------------------------------------------------------------===//

  void print(const ErrorPattern &) { os << "<error>"; }
  void print(const WildcardPattern &) { os << '_'; }
  void print(const RestPattern &) { os << ".."; }
  void print(const NamePattern &n) {
    os << (n.isRef ? "ref " : "") << (n.isMut ? "mut " : "");
    name(n.name);
    prefixed(" @ ", n.inner);
  }
  void print(const LiteralPattern &n) { node(*n.value); }
  void print(const RangePattern &n) {
    optional(n.first);
    os << (n.inclusive ? "..=" : "..");
    optional(n.last);
  }
  void print(const RefPattern &n) {
    os << '&' << (n.isMut ? "mut " : "");
    node(*n.inner);
  }
  void print(const TuplePattern &n) {
    os << '(';
    commas(n.elements);
    if (n.elements.size() == 1 && !isa<RestPattern>(n.elements.front()))
      os << ',';
    os << ')';
  }
  void print(const SlicePattern &n) {
    os << '[';
    commas(n.elements);
    os << ']';
  }
  void print(const PathPattern &n) { path(*n.path, true); }
  void print(const TupleStructPattern &n) {
    path(*n.path, true);
    os << '(';
    commas(n.elements);
    os << ')';
  }
  void print(const FieldPattern &n) {
    if (!n.shorthand) {
      name(n.name);
      os << ": ";
    }
    node(*n.pattern);
  }
  void print(const StructPattern &n) {
    path(*n.path, true);
    os << " { ";
    commas(n.patterns);
    if (n.hasRest)
      os << (n.patterns.empty() ? ".." : ", ..");
    os << " }";
  }
  void print(const OrPattern &n) {
    llvm::interleave(
        n.alternatives, os, [&](const Pattern *p) { node(*p); }, " | ");
  }
  void print(const ParenPattern &n) {
    os << '(';
    node(*n.inner);
    os << ')';
  }

  //===--------------------------------------------------------------------===//
  // Expressions
  //===--------------------------------------------------------------------===//

  void print(const ErrorExpr &) { os << "<error>"; }
  void print(const IntLiteral &n) { os << n.text; }
  void print(const FloatLiteral &n) { os << n.text << n.suffix; }
  void print(const CharLiteral &n) { os << n.text; }
  void print(const StringLiteral &n) { os << n.text; }
  void print(const BoolLiteral &n) { os << (n.value ? "true" : "false"); }
  void print(const PathExpr &n) { path(*n.path, true); }
  void print(const ParenExpr &n) {
    os << '(';
    node(*n.inner);
    os << ')';
  }
  void print(const TupleExpr &n) {
    bracketed("(", n.elements, ")", n, n.elements.size() == 1);
  }
  void print(const ArrayExpr &n) { bracketed("[", n.elements, "]", n); }
  void print(const RepeatExpr &n) {
    os << '[';
    node(*n.element);
    os << "; ";
    node(*n.count);
    os << ']';
  }
  void print(const FieldInit &n) {
    name(n.name);
    prefixed(": ", n.value);
  }
  void print(const StructExpr &n) {
    path(*n.path, true);
    os << " { ";
    commas(n.inits);
    if (n.base)
      prefixed(n.inits.empty() ? ".." : ", ..", n.base);
    os << " }";
  }
  void print(const UnaryExpr &n) {
    os << spelling(n.op);
    node(*n.operand);
  }
  void print(const RefExpr &n) {
    os << '&' << (n.isMut ? "mut " : "");
    node(*n.operand);
  }
  void print(const BinaryExpr &n) {
    node(*n.left);
    os << ' ' << spelling(n.op) << ' ';
    node(*n.right);
  }
  void print(const CastExpr &n) {
    node(*n.operand);
    os << " as ";
    node(*n.type);
  }
  void print(const AssignExpr &n) {
    node(*n.target);
    os << ' ' << (n.op ? spelling(*n.op) : "") << "= ";
    node(*n.value);
  }
  void print(const RangeExpr &n) {
    optional(n.first);
    os << (n.inclusive ? "..=" : "..");
    optional(n.last);
  }
  void print(const CallExpr &n) {
    node(*n.callee);
    bracketed("(", n.args, ")", n);
  }
  void print(const IndexExpr &n) {
    node(*n.base);
    os << '[';
    node(*n.index);
    os << ']';
  }

  /// What a link of a chain stands on; null for what is none.
  static const Expr *baseOf(const Expr &e) {
    if (const auto *call = llvm::dyn_cast<MethodCall>(&e))
      return call->receiver;
    if (const auto *field = llvm::dyn_cast<FieldExpr>(&e))
      return field->base;
    if (const auto *await = llvm::dyn_cast<AwaitExpr>(&e))
      return await->operand;
    return nullptr;
  }
  void chain(const Expr &last) {
    llvm::SmallVector<const Expr *, 16> links;
    const Expr *head = &last;
    while (const Expr *base = baseOf(*head)) {
      links.push_back(head);
      head = base;
    }
    bool broken = links.size() > 2 && isLong(last, /*limit=*/60);
    node(*head);
    depth += broken;
    for (const Expr *e : llvm::reverse(links)) {
      // `5 .0` is a field and `5.0` a number.
      if (e == links.back() && isa<IntLiteral>(head))
        os << ' ';
      // `ctx.main` stays together.
      if (broken && !(e == links.back() && isa<FieldExpr>(e)))
        line();
      link(*e);
    }
    depth -= broken;
  }
  void link(const Expr &e) {
    if (const auto *call = llvm::dyn_cast<MethodCall>(&e)) {
      os << '.';
      name(call->name);
      if (call->generics) {
        os << "::";
        print(*call->generics);
      }
      os << '(';
      commas(call->args);
      os << ')';
    } else if (const auto *field = llvm::dyn_cast<FieldExpr>(&e)) {
      os << '.';
      name(field->name);
    } else {
      os << ".await";
    }
  }
  void print(const MethodCall &n) { chain(n); }
  void print(const FieldExpr &n) { chain(n); }
  void print(const AwaitExpr &n) { chain(n); }

  void print(const BlockExpr &n) {
    static constexpr StringRef kModes[] = {"", "unsafe ", "const ", "async ",
                                           "async move "};
    os << kModes[unsigned(n.mode)] << '{';
    if (n.statements.empty() && n.attributes.empty()) {
      bool plain = n.tail && !isLong(*n.tail);
      if (n.tail) {
        depth += !plain;
        if (plain)
          os << ' ';
        else
          line();
        node(*n.tail);
        depth -= !plain;
        if (plain)
          os << ' ';
        else
          line();
      }
      os << '}';
      return;
    }
    ++depth;
    for (const Attribute *attribute : n.attributes) {
      line();
      print(*attribute);
    }
    for (const Stmt *statement : n.statements) {
      line();
      node(*statement);
    }
    if (n.tail) {
      line();
      node(*n.tail);
    }
    --depth;
    line();
    os << '}';
  }
  void print(const IfExpr &n) {
    os << "if ";
    node(*n.condition);
    os << ' ';
    print(*n.then);
    prefixed(" else ", n.otherwise);
  }
  void print(const LetExpr &n) {
    os << "let ";
    node(*n.pattern);
    os << " = ";
    node(*n.value);
  }
  void print(const MatchArm &n) {
    attributes(n.attributes);
    node(*n.pattern);
    prefixed(" if ", n.guard);
    os << " => ";
    node(*n.body);
    os << ',';
  }
  void print(const MatchExpr &n) {
    os << "match ";
    node(*n.input);
    os << " {";
    ++depth;
    for (const MatchArm *arm : n.arms) {
      line();
      print(*arm);
    }
    --depth;
    line();
    os << '}';
  }
  void print(const ForExpr &n) {
    os << "for ";
    node(*n.pattern);
    os << " in ";
    node(*n.range);
    os << ' ';
    print(*n.body);
  }
  void print(const WhileExpr &n) {
    os << "while ";
    node(*n.condition);
    os << ' ';
    print(*n.body);
  }
  void print(const LoopExpr &n) {
    os << "loop ";
    print(*n.body);
  }
  void print(const BreakExpr &n) {
    os << "break";
    prefixed(" ", n.value);
  }
  void print(const ContinueExpr &) { os << "continue"; }
  void print(const ReturnExpr &n) {
    os << "return";
    prefixed(" ", n.value);
  }
  void print(const ClosureExpr &n) {
    os << (n.isMove ? "move |" : "|");
    commas(n.params);
    os << '|';
    result(n.result);
    os << ' ';
    node(*n.body);
  }
  void print(const IndexTerm &n) {
    node(*n.mapping);
    os << ": ";
    node(*n.value);
  }
  void print(const IndexMacro &n) {
    os << "i![";
    commas(n.terms);
    os << ']';
  }
  void print(const MacroExpr &n) {
    path(*n.path, true);
    os << '!' << opening(n.bracket);
    if (n.form == MacroForm::Tokens)
      os << n.tokens;
    else if (n.form == MacroForm::Repeat) {
      node(*n.args.front());
      os << "; ";
      node(*n.args.back());
    } else
      commas(n.args);
    os << closing(n.bracket);
  }

  //===--------------------------------------------------------------------===//
  // Statements and items
  //===--------------------------------------------------------------------===//

  void attributes(List<Attribute> list) {
    for (const Attribute *attribute : list) {
      print(*attribute);
      line();
    }
  }
  void print(const Attribute &n) {
    // An argument of another one has no brackets around.
    bool whole = SourceManager::textOf(n.span()).starts_with("#");
    if (whole)
      os << (n.inner ? "#![" : "#[");
    if (n.path) {
      path(*n.path, true);
      prefixed(" = ", n.value);
    } else {
      optional(n.value);
    }
    if (n.hasArgs) {
      os << '(' << n.tokens;
      commas(n.args);
      os << ')';
    }
    if (whole)
      os << ']';
  }
  void print(const LetStmt &n) {
    attributes(n.attributes);
    os << "let ";
    node(*n.pattern);
    prefixed(": ", n.type);
    prefixed(" = ", n.init);
    prefixed(" else ", n.otherwise);
    os << ';';
  }
  void print(const ExprStmt &n) {
    attributes(n.attributes);
    node(*n.expr);
    if (n.hasSemi)
      os << ';';
  }
  void print(const ItemStmt &n) { node(*n.item); }

  void head(const ItemHead &n, StringRef keyword) {
    attributes(n.attributes);
    visibility(n.visibility);
    os << keyword;
    if (!n.name.empty()) {
      os << ' ';
      name(n.name);
    }
  }
  void visibility(Visibility v) {
    os << (v == Visibility::Public  ? "pub "
           : v == Visibility::Crate ? "pub(crate) "
           : v == Visibility::Super ? "pub(super) "
                                    : "");
  }
  void items(List<Attribute> inner, List<Item> list) {
    os << " {";
    ++depth;
    for (const Attribute *attribute : inner) {
      line();
      print(*attribute);
    }
    for (const Item *item : list) {
      line();
      node(*item);
    }
    --depth;
    line();
    os << '}';
  }
  void print(const ModItem &n) {
    head(n.head, "mod");
    if (n.hasBody)
      items(n.inner, n.items);
    else
      os << ';';
  }
  void print(const UseItem &n) {
    head(n.head, "use");
    os << ' ';
    print(*n.tree);
    os << ';';
  }
  void print(const UseTree &n) {
    if (n.global)
      os << "::";
    llvm::interleave(
        n.prefix, os, [&](const Ident &part) { name(part); }, "::");
    if (n.useKind != UseKind::Name && !n.prefix.empty())
      os << "::";
    if (n.useKind == UseKind::Glob)
      os << '*';
    if (n.useKind == UseKind::Group)
      bracketed("{", n.children, "}", n);
    if (!n.alias.empty()) {
      os << " as ";
      os << n.alias.text;
    }
  }
  void print(const ExternCrateItem &n) {
    head(n.head, "extern crate");
    if (!n.alias.empty())
      os << " as " << n.alias.text;
    os << ';';
  }
  void print(const Param &n) {
    static constexpr StringRef kSelf[] = {"", "self", "mut self", "&self",
                                          "&mut self"};
    os << kSelf[unsigned(n.self)];
    optional(n.pattern);
    prefixed(": ", n.type);
  }
  void print(const FnItem &n) {
    attributes(n.head.attributes);
    visibility(n.head.visibility);
    os << (n.isConst ? "const " : "") << (n.isAsync ? "async " : "")
       << (n.isUnsafe ? "unsafe " : "") << "fn ";
    name(n.head.name);
    print(*n.generics);
    bool isBroken = !flat && n.params.size() > 1 &&
                    n.body->begin().getPointer() - n.begin().getPointer() > 90;
    os << '(';
    depth += isBroken;
    for (const Param *param : n.params) {
      if (isBroken)
        line();
      else if (param != n.params.front())
        os << ", ";
      print(*param);
      if (isBroken)
        os << ',';
    }
    depth -= isBroken;
    if (isBroken)
      line();
    os << ')';
    result(n.result);
    where(n.generics);
    os << ' ';
    print(*n.body);
  }
  void print(const TypeItem &n) {
    head(n.head, "type");
    print(*n.generics);
    where(n.generics);
    prefixed(" = ", n.type);
    os << ';';
  }
  void print(const FieldDecl &n) {
    attributes(n.attributes);
    visibility(n.visibility);
    if (!n.name.empty()) {
      name(n.name);
      os << ": ";
    }
    node(*n.type);
  }
  void fields(StructForm form, List<FieldDecl> members, const Node &whole) {
    if (form == StructForm::Tuple)
      bracketed("(", members, ")", whole);
    else if (form == StructForm::Named)
      bracketed(" { ", members, " }", whole);
  }
  void print(const StructItem &n) {
    head(n.head, "struct");
    print(*n.generics);
    if (n.form == StructForm::Named)
      where(n.generics);
    fields(n.form, n.members, n);
    if (n.form != StructForm::Named)
      where(n.generics);
    if (n.form != StructForm::Named)
      os << ';';
  }
  void print(const Variant &n) {
    attributes(n.attributes);
    name(n.name);
    fields(n.form, n.members, n);
    prefixed(" = ", n.value);
  }
  void print(const EnumItem &n) {
    head(n.head, "enum");
    print(*n.generics);
    where(n.generics);
    bracketed(" { ", n.variants, " }", n);
  }
  void print(const ConstItem &n) {
    head(n.head, "const");
    prefixed(": ", n.type);
    prefixed(" = ", n.value);
    os << ';';
  }
  void print(const ImplItem &n) {
    head(n.head, "impl");
    print(*n.generics);
    os << ' ';
    if (n.trait) {
      print(*n.trait);
      os << " for ";
    }
    node(*n.self);
    where(n.generics);
    items({}, n.items);
  }
  void print(const AxisDecl &n) {
    name(n.name);
    prefixed(" = ", n.size);
  }
  void print(const AxesItem &n) {
    attributes(n.head.attributes);
    visibility(n.head.visibility);
    os << "axes!";
    bracketed("[", n.axes, "];", n);
  }
  void print(const MacroRulesItem &n) {
    head(n.head, "macro_rules!");
    os << " {" << n.tokens << '}';
  }
  void print(const MacroItem &n) {
    attributes(n.head.attributes);
    visibility(n.head.visibility);
    path(*n.path, true);
    os << (n.bracket == Bracket::Brace ? "! " : "!") << opening(n.bracket)
       << n.tokens << closing(n.bracket);
    if (n.bracket != Bracket::Brace)
      os << ';';
  }
  void print(const Item &n) { node(n); }

  llvm::raw_ostream &os;
  bool flat;
  unsigned depth = 0;
};

} // namespace

void visa_source::print(const SourceFile &file, llvm::raw_ostream &os) {
  Printer(os, /*flat=*/false).file(file);
}

std::string visa_source::toString(const Node &node) {
  std::string text;
  llvm::raw_string_ostream os(text);
  Printer(os, /*flat=*/true).node(node);
  return text;
}
