//===- CslTreeMutation.cpp - Changes of a CSL program's tree --------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CslTreeMutation.h"

#include "CslSourceCheck.h"
#include "sequin/CslSource/Names.h"
#include "sequin/CslSource/Parser.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include <random>
#include <vector>

using namespace sequin;
using namespace sequin::csl_source;
using llvm::StringRef;

namespace {

/// Nodes that can stand in each other's places.
enum class Group : uint8_t { Expression, Statement, Declaration, Part };

/// Where a node stands in its text, with the semicolon behind it.
struct Piece {
  NodeKind kind;
  Group group;
  size_t begin, end;

  bool fits(const Piece &other) const {
    return group == other.group && (group != Group::Part || kind == other.kind);
  }
  bool overlaps(const Piece &other) const {
    return begin < other.end && other.begin < end;
  }
};

/// A text and its nodes.
struct Tree {
  explicit Tree(StringRef source) : text(source) {
    SourceManager sources;
    Diagnostics diagnostics(sources);
    Context context;
    FileId file = sources.add("input.csl", text);
    const SourceFile *parsed = parse(file, sources, context, diagnostics);
    const char *start = sources.text(file).begin();
    for (const Decl *decl : parsed->decls)
      add(*decl, start);
  }

  StringRef textOf(const Piece &piece) const {
    return StringRef(text).slice(piece.begin, piece.end);
  }

  std::string text;
  std::vector<Piece> pieces;

private:
  void add(const Node &node, const char *start) {
    Piece piece{node.kind(), groupOf(node),
                size_t(node.begin().getPointer() - start),
                size_t(node.end().getPointer() - start)};
    if (piece.group == Group::Statement || piece.group == Group::Declaration) {
      size_t next = StringRef(text).find_first_not_of(" \t\r\n", piece.end);
      if (next != StringRef::npos && text[next] == ';')
        piece.end = next + 1;
    }
    pieces.push_back(piece);
    forEachChild(node, [&](const Node &child) { add(child, start); });
  }

  static Group groupOf(const Node &node) {
    switch (node.kind()) {
    case NodeKind::VarDecl:
    case NodeKind::FnDecl:
    case NodeKind::ComptimeDecl:
    case NodeKind::LayoutDecl:
    case NodeKind::ColorDecl:
      return Group::Declaration;
    case NodeKind::FnParam:
    case NodeKind::CaptureDecl:
    case NodeKind::FieldDecl:
    case NodeKind::EnumMember:
      return Group::Part;
    default:
      return Expr::classof(&node) ? Group::Expression : Group::Statement;
    }
  }
};

class TreeMutation {
public:
  TreeMutation(StringRef program, llvm::ArrayRef<std::string> donors,
               uint64_t seed)
      : tree(program), donors(donors), random(seed) {}

  void change();
  std::string take() { return std::move(tree.text); }

private:
  // Not a distribution of the library: those differ between libraries.
  size_t below(size_t limit) { return size_t(random() % limit); }
  template <typename T> const T &any(llvm::ArrayRef<T> list) {
    return list[below(list.size())];
  }
  std::string replacement(const Piece &target);
  std::string withKnownNames(const Tree &from, const Piece &piece);
  std::string wrapped(StringRef text, Group group, bool gently);
  /// A change after which many programs still compile.
  bool changeGently();
  std::string number(StringRef old);
  const Piece *partner(const Tree &from, const Piece &target, bool sameKind);
  void replace(const Piece &piece, StringRef by) {
    tree = Tree((StringRef(tree.text).take_front(piece.begin) + by +
                 StringRef(tree.text).drop_front(piece.end))
                    .str());
  }
  void tokens() {
    tree = Tree(fuzz::mutateCslTokens(tree.text, donors, 1 + unsigned(below(2)),
                                      random()));
  }

  Tree tree;
  llvm::ArrayRef<std::string> donors;
  std::mt19937_64 random;
};

} // namespace

const Piece *TreeMutation::partner(const Tree &from, const Piece &target,
                                   bool sameKind) {
  std::vector<const Piece *> fitting;
  for (const Piece &piece : from.pieces)
    if (piece.fits(target) && (!sameKind || piece.kind == target.kind))
      fitting.push_back(&piece);
  return fitting.empty() ? nullptr : fitting[below(fitting.size())];
}

/// A donor's piece speaks of what the program does not have: names unknown here
/// become names of the program, the same one everywhere.
std::string TreeMutation::withKnownNames(const Tree &from, const Piece &piece) {
  std::vector<StringRef> own;
  llvm::StringSet<> known;
  for (const Piece &name : tree.pieces)
    if (name.kind == NodeKind::NameExpr && !isTypeName(tree.textOf(name)) &&
        known.insert(tree.textOf(name)).second)
      own.push_back(tree.textOf(name));
  llvm::StringMap<StringRef> renamed;
  std::string result;
  size_t copied = piece.begin;
  for (const Piece &name : from.pieces) {
    if (name.kind != NodeKind::NameExpr || name.begin < copied ||
        name.end > piece.end)
      continue;
    StringRef old = from.textOf(name);
    if (own.empty() || isTypeName(old) || isDirectionName(old) || old == "_" ||
        known.contains(old))
      continue;
    auto [entry, isNew] = renamed.try_emplace(old, old);
    if (isNew)
      entry->second = own[below(own.size())];
    result += StringRef(from.text).slice(copied, name.begin);
    result += entry->second;
    copied = name.end;
  }
  return result + StringRef(from.text).slice(copied, piece.end).str();
}

std::string TreeMutation::replacement(const Piece &target) {
  bool sameKind = below(4) != 0;
  if (!donors.empty() && below(2)) {
    Tree donor(any(donors));
    if (const Piece *piece = partner(donor, target, sameKind))
      return below(4) ? withKnownNames(donor, *piece)
                      : donor.textOf(*piece).str();
  }
  const Piece *piece = partner(tree, target, sameKind);
  return piece ? tree.textOf(*piece).str() : tree.textOf(target).str();
}

/// A piece inside of another construct; `$` is the piece.
std::string TreeMutation::wrapped(StringRef text, Group group, bool gently) {
  // The first four keep the type.
  static constexpr StringRef kExpressions[] = {
      "(if (true) $ else $)",
      "(blk: { break :blk $; })",
      "($ + $)",
      "(if (1 < 2) $ else $)",
      "($)",
      "-$",
      "~$",
      "!$",
      "&$",
      "$.*",
      "$[0]",
      "$.len",
      "comptime ($)",
      "@as(u16, $)",
      "@as(i32, $)",
      "@as(f32, $)",
      "@as(u8, $)",
      "($ + $)",
      "($ * $)",
      "($ - 1)",
      "($ << 3)",
      "($ / 0)",
      "($ == $)",
      "(if ($) 1 else 2)",
      "(switch ($) { 0 => 1, else => 2 })",
      "@type_of($)",
      "@bitcast(u32, $)",
      "@is_comptime($)",
      ".{ $, $ }",
      ".{ .x = $ }",
      "[1]u16 { $ }",
      "@ptrcast([*]u16, $)",
      "[$]u16",
      "*$",
      "[*]const $",
      "fn($) $",
      "@constants([4]i16, $)",
      "@zeros([$]f32)"};
  static constexpr StringRef kStatements[] = {
      "{ $ }",
      "if (true) { $ }",
      "if (false) { $ } else { $ }",
      "inline for (@range(i16, 2)) |q_| { $ }",
      "for (@range(u16, 3)) |q_| { $ }",
      "while (false) { $ }",
      "comptime { $ }",
      "{ $ $ }",
      "{ var q_: u16 = 0; while (q_ < 3) : (q_ += 1) { $ if (q_ == 1) break; } "
      "}"};
  if (group != Group::Expression && group != Group::Statement)
    return text.str() + " " + text.str();
  StringRef pattern =
      group == Group::Expression
          ? kExpressions[below(gently ? 4 : std::size(kExpressions))]
          : kStatements[below(std::size(kStatements))];
  std::string result;
  for (char c : pattern)
    result += c == '$' ? text.str() : std::string(1, c);
  return result;
}

static constexpr StringRef kSmall[] = {"0", "1", "2", "3", "4", "5", "8", "16"};

std::string TreeMutation::number(StringRef old) {
  uint64_t value = 0;
  old.getAsInteger(0, value);
  switch (below(4)) {
  case 0:
    return std::to_string(value + 1);
  case 1:
    return std::to_string(value ? value - 1 : 0);
  case 2:
    return "-" + old.str();
  }
  static constexpr StringRef kEdges[] = {
      "0",
      "1",
      "2",
      "3",
      "7",
      "8",
      "15",
      "16",
      "23",
      "24",
      "31",
      "32",
      "33",
      "63",
      "64",
      "127",
      "128",
      "255",
      "256",
      "1000",
      "4095",
      "16777215",
      "32767",
      "32768",
      "65535",
      "65536",
      "0x7fffffff",
      "0x80000000",
      "0xffffffff",
      "0x7fffffffffffffff",
      "0x8000000000000000",
      "0xffffffffffffffff",
      "0x10000000000000000",
      "340282366920938463463374607431768211456",
      "1.0e38",
      "0.5",
      "'a'"};
  return kEdges[below(std::size(kEdges))].str();
}

bool TreeMutation::changeGently() {
  for (unsigned i = 0; i != 100; ++i) {
    Piece target = any(llvm::ArrayRef(tree.pieces));
    std::string text = tree.textOf(target).str();
    if (target.kind == NodeKind::IntLiteral && below(2)) {
      replace(target,
              below(2) ? number(text) : kSmall[below(std::size(kSmall))]);
      return true;
    }
    if (target.kind == NodeKind::BinaryExpr ||
        (target.group == Group::Expression && below(20) == 0)) {
      replace(target, wrapped(text, target.group, true));
      return true;
    }
    if (target.kind != NodeKind::ExprStmt || text.empty())
      continue;
    switch (below(4)) {
    case 0:
      replace(target, "");
      return true;
    case 1: {
      // Another statement in its place or behind it.
      const Piece *other = partner(tree, target, true);
      if (!other->overlaps(target))
        replace(target, below(2) ? tree.textOf(*other).str()
                                 : text + "\n" + tree.textOf(*other).str());
      return true;
    }
    default:
      replace(target, wrapped(text, target.group, true));
      return true;
    }
  }
  return false;
}

void TreeMutation::change() {
  if (tree.pieces.empty())
    return tokens();
  if (below(2) && changeGently())
    return;
  Piece target = any(llvm::ArrayRef(tree.pieces));
  // Declarations and statements are few among the nodes.
  if (below(3) == 0)
    for (unsigned i = 0; i != 8 && target.group == Group::Expression; ++i)
      target = any(llvm::ArrayRef(tree.pieces));
  std::string text = tree.textOf(target).str();
  switch (below(12)) {
  case 0:
    return tokens();
  case 1: {
    Piece whole = target;
    size_t next = StringRef(tree.text).find_first_not_of(" \t\r\n", whole.end);
    if (next != StringRef::npos && tree.text[next] == ',')
      whole.end = next + 1;
    return replace(whole, "");
  }
  case 2:
    return replace(target, wrapped(text, target.group, false));
  case 3: {
    StringRef between =
        target.group == Group::Expression || target.group == Group::Part ? ", "
                                                                         : "\n";
    return replace(target, (text + between + replacement(target)).str());
  }
  case 4:
  case 5: {
    const Piece *other = partner(tree, target, true);
    if (!other || other->overlaps(target))
      break;
    Piece first = target, second = *other;
    if (second.begin < first.begin)
      std::swap(first, second);
    std::string firstText = tree.textOf(first).str(),
                secondText = tree.textOf(second).str();
    // From behind, so that the places stay right.
    tree.text.replace(second.begin, second.end - second.begin, firstText);
    return replace(first, secondText);
  }
  case 6:
  case 7:
    for (unsigned i = 0; i != 40; ++i) {
      const Piece &piece = any(llvm::ArrayRef(tree.pieces));
      StringRef old = tree.textOf(piece);
      if (piece.kind == NodeKind::IntLiteral)
        return replace(piece, number(old));
      if (piece.kind == NodeKind::NameExpr && isTypeName(old)) {
        static constexpr StringRef kIntegers[] = {"i8",  "u8",  "i16", "u16",
                                                  "i32", "u32", "i64", "u64",
                                                  "u3",  "i33", "u1"};
        return replace(piece, below(2) ? kIntegers[below(std::size(kIntegers))]
                                       : any(typeNames()));
      }
    }
    break;
  default:
    break;
  }
  replace(target, replacement(target));
}

std::string fuzz::mutateCslTree(StringRef program,
                                llvm::ArrayRef<std::string> donors,
                                unsigned count, uint64_t seed) {
  TreeMutation mutation(program, donors, seed);
  for (unsigned i = 0; i != count; ++i)
    mutation.change();
  return mutation.take();
}
