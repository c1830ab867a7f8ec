//===- ParserTest.cpp - Precedence and places of trees --------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parsed.h"
#include "Row.h"

using namespace sequin;
using namespace sequin::csl_source;
using llvm::StringRef;
using sequin::testing::Parsed;

namespace {

/// An expression with a bracket around every operator and call.
std::string bracketed(const Expr &e) {
  if (const auto *binary = llvm::dyn_cast<BinaryExpr>(&e))
    return "(" + bracketed(*binary->left()) + " " +
           spelling(binary->op()).str() + " " + bracketed(*binary->right()) +
           ")";
  if (const auto *unary = llvm::dyn_cast<UnaryExpr>(&e))
    return "(" + spelling(unary->op()).str() + bracketed(*unary->operand()) +
           ")";
  if (const auto *comptime = llvm::dyn_cast<ComptimeExpr>(&e))
    return "(comptime " + bracketed(*comptime->operand()) + ")";
  if (const auto *paren = llvm::dyn_cast<ParenExpr>(&e))
    return "[" + bracketed(*paren->operand()) + "]";
  if (const auto *deref = llvm::dyn_cast<DerefExpr>(&e))
    return "(" + bracketed(*deref->pointer()) + ".*)";
  if (const auto *index = llvm::dyn_cast<IndexExpr>(&e))
    return "(" + bracketed(*index->base()) + "[" +
           bracketed(*index->indices().front()) + "])";
  if (const auto *branch = llvm::dyn_cast<IfExpr>(&e))
    return "(if " + bracketed(*branch->condition()) + " " +
           bracketed(*branch->then()) + " else " +
           (branch->otherwise() ? bracketed(*branch->otherwise()) : "") + ")";
  return toString(e);
}

std::string tree(StringRef text) {
  Parsed parsed(("const x = " + text + ";").str());
  EXPECT_EQ(parsed.errors(), "");
  return parsed.init() ? bracketed(*parsed.init()) : "";
}

TEST(CslParser, Precedence) {
  SEQUIN_ROW("SYN-053");
  EXPECT_EQ(tree("a + b * c - d"), "((a + (b * c)) - d)");
  EXPECT_EQ(tree("a * b / c % d"), "(((a * b) / c) % d)");
  EXPECT_EQ(tree("a << b + c >> d"), "((a << (b + c)) >> d)");
  EXPECT_EQ(tree("a & b << c"), "(a & (b << c))");
  EXPECT_EQ(tree("a | b ^ c & d"), "(a | (b ^ (c & d)))");
  SEQUIN_ROW("AMB-024");
  EXPECT_EQ(tree("x & 1 == 0"), "((x & 1) == 0)");
  EXPECT_EQ(tree("a | b != c ^ d"), "((a | b) != (c ^ d))");
  EXPECT_EQ(tree("a < b and c >= d or e"), "(((a < b) and (c >= d)) or e)");
  EXPECT_EQ(tree("a or b and c"), "(a or (b and c))");
  EXPECT_EQ(tree("a - b - c"), "((a - b) - c)");
  EXPECT_EQ(tree("(a - (b - c))"), "[(a - [(b - c)])]");
  EXPECT_EQ(tree("(a < b) == c"), "([(a < b)] == c)");
}

TEST(CslParser, UnaryAndPostfix) {
  SEQUIN_ROW("SYN-053");
  EXPECT_EQ(tree("-a * !b"), "((-a) * (!b))");
  EXPECT_EQ(tree("- -a"), "(-(-a))");
  EXPECT_EQ(tree("-a.*[i]"), "(-((a.*)[i]))");
  EXPECT_EQ(tree("&a[1] == ~b"), "((&(a[1])) == (~b))");
  SEQUIN_ROW("CMP-010");
  EXPECT_EQ(tree("comptime (1 << n) - 1"), "((comptime [(1 << n)]) - 1)");
  EXPECT_EQ(tree("comptime f(1) + 2"), "((comptime f(1)) + 2)");
  EXPECT_EQ(tree("comptime -a + 1"), "((comptime (-a)) + 1)");
}

TEST(CslParser, ArmsTakeWhatFollows) {
  EXPECT_EQ(tree("if (a) b else c + 1"), "(if a b else (c + 1))");
  EXPECT_EQ(tree("(if (a) b else c) + 1"), "([(if a b else c)] + 1)");
  EXPECT_EQ(tree("if (a) b else if (c) d else e"),
            "(if a b else (if c d else e))");
}

TEST(CslParser, SpansCoverTheirText) {
  Parsed parsed("export const x: [2]u16 align(4) = f(1) + -y.*;\n");
  ASSERT_EQ(parsed.errors(), "");
  const auto &var = *llvm::cast<VarDecl>(parsed.file->decls.front());
  auto text = [](const Node &node) {
    return SourceManager::textOf(node.span()).str();
  };
  EXPECT_EQ(text(var), "export const x: [2]u16 align(4) = f(1) + -y.*");
  EXPECT_EQ(SourceManager::textOf(var.name().span), "x");
  EXPECT_EQ(text(*var.type()), "[2]u16");
  EXPECT_EQ(text(*var.attributes().align), "4");
  const auto &sum = *llvm::cast<BinaryExpr>(var.init());
  EXPECT_EQ(text(sum), "f(1) + -y.*");
  EXPECT_EQ(SourceManager::textOf(sum.opSpan()), "+");
  EXPECT_EQ(text(*sum.right()), "-y.*");
  EXPECT_EQ(sum.height(), 4u);
}

TEST(CslParser, NodesAreFoundByPlace) {
  Parsed parsed("fn f(x: u16) void { g(x + 1); }\nvar y: u16;\n");
  ASSERT_EQ(parsed.errors(), "");
  auto at = [&](unsigned line, unsigned column) {
    std::string kinds;
    for (const Node *node :
         nodesAt(*parsed.file,
                 parsed.sources.locOf(parsed.file->file, line, column)))
      kinds += (kinds.empty() ? "" : " ") + stringify(node->kind()).str();
    return kinds;
  };
  EXPECT_EQ(at(1, 23), "FnDecl BlockExpr ExprStmt CallExpr BinaryExpr "
                       "NameExpr");
  EXPECT_EQ(at(1, 6), "FnDecl FnParam");
  EXPECT_EQ(at(2, 8), "VarDecl NameExpr");
  EXPECT_EQ(at(2, 12), "");
}

TEST(CslParser, NodesAreNumberedDensely) {
  Parsed parsed("const a = 1 + 2;\nfn f() void {}\n");
  std::vector<bool> seen(parsed.context.numNodes());
  unsigned count = 0;
  auto visit = [&](auto &self, const Node &node) -> void {
    ASSERT_LT(node.id(), seen.size());
    EXPECT_FALSE(seen[node.id()]);
    seen[node.id()] = true;
    ++count;
    forEachChild(node, [&](const Node &child) { self(self, child); });
  };
  for (const Decl *decl : parsed.file->decls)
    visit(visit, *decl);
  EXPECT_EQ(count, parsed.context.numNodes());
}

TEST(CslParser, SeveralErrorsInOneRun) {
  SEQUIN_ROW("SYN-093");
  Parsed parsed("const a = ;\n"
                "var b: u16 = (1;\n"
                "fn f() void {\n"
                "  x = y z;\n"
                "  if (a { g(); }\n"
                "  h();\n"
                "}\n"
                "const c: u16 = 3;\n");
  EXPECT_EQ(parsed.errors(),
            "test.csl:1:11: error: expected an expression, found ';'\n"
            "const a = ;\n"
            "          ^\n"
            "test.csl:2:16: error: expected ')' at the end of the "
            "parenthesis, found ';'\n"
            "var b: u16 = (1;\n"
            "               ^\n"
            "test.csl:2:14: note: to match this '('\n"
            "var b: u16 = (1;\n"
            "             ^\n"
            "test.csl:4:9: error: expected ';' after the statement, found "
            "name 'z'\n"
            "  x = y z;\n"
            "        ^\n"
            "test.csl:5:9: error: expected ')' at the end of the head of "
            "'if', found '{'\n"
            "  if (a { g(); }\n"
            "        ^\n"
            "test.csl:5:6: note: to match this '('\n"
            "  if (a { g(); }\n"
            "     ^\n");
  EXPECT_TRUE(parsed.file->hadErrors);
  // The tree goes on behind each of them.
  EXPECT_EQ(parsed.file->decls.size(), 4u);
}

} // namespace
