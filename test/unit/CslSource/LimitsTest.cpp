//===- LimitsTest.cpp - Deep, long and endless input ----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parsed.h"
#include "sequin/CslSource/AST.h"
#include "gtest/gtest.h"

using namespace sequin;
using namespace sequin::csl_source;
using llvm::StringRef;
using sequin::testing::Parsed;

namespace {

std::string repeat(StringRef text, size_t count) {
  std::string result;
  for (size_t i = 0; i != count; ++i)
    result += text;
  return result;
}

/// Expects one error with the text, or none if it is empty.
void expectError(const std::string &program, StringRef text) {
  Parsed parsed(program);
  if (text.empty()) {
    EXPECT_EQ(parsed.errors(), "");
    return;
  }
  ASSERT_EQ(parsed.diagnostics.numErrors(), 1u) << parsed.errors();
  EXPECT_TRUE(
      StringRef(parsed.diagnostics.all().front().message).contains(text))
      << parsed.errors();
}

std::string parens(unsigned count) {
  return "const x = " + repeat("(", count) + "1" + repeat(")", count) + ";";
}

TEST(CslLimits, Nesting) {
  // A parenthesis is an expression and an operand: two levels.
  unsigned most = kMaxNesting / 2 - 1;
  expectError(parens(most / 2), "");
  expectError(parens(most), "");
  expectError(parens(most + 1), "more than 256 levels of nesting");
  expectError(parens(1000000), "more than 256 levels of nesting");
  expectError("const x = " + repeat("-", 1000000) + "1;",
              "more than 256 levels of nesting");
  expectError("var x: " + repeat("*", 1000000) + "u16;",
              "more than 256 levels of nesting");
  expectError("var x: " + repeat("[*]", 1000000) + "u16;",
              "more than 256 levels of nesting");
  expectError("fn f() void " + repeat("{", 1000000),
              "more than 256 levels of nesting");
  expectError("fn f() void {" + repeat("if (a) ", 1000000),
              "more than 256 levels of nesting");
  expectError("fn f() void {" + repeat("if (a) {} else ", 1000000),
              "more than 256 levels of nesting");
  expectError("const x = " + repeat(".{ .a = ", 1000000),
              "more than 256 levels of nesting");
  expectError("const x = " + repeat("struct { a: ", 1000000),
              "more than 256 levels of nesting");
  expectError("const x = " + repeat("f(", 1000000),
              "more than 256 levels of nesting");
  expectError("const x = " + repeat("comptime ", 1000000) + "1;",
              "more than 256 levels of nesting");
  expectError("const x = " + repeat("|i|{", 1000000),
              "more than 256 levels of nesting");
  expectError("const x = " + repeat("fn(", 1000000),
              "more than 256 levels of nesting");
}

TEST(CslLimits, Height) {
  auto sum = [](unsigned terms) {
    return "const x = 1" + repeat(" + 1", terms - 1) + ";";
  };
  // The declaration is one level, a chain of n terms is n.
  expectError(sum(500), "");
  expectError(sum(kMaxTreeHeight - 1), "");
  expectError(sum(kMaxTreeHeight), "more than 1000 levels high");
  expectError(sum(100000), "more than 1000 levels high");
  expectError("const x = a" + repeat(".b", 100000) + ";",
              "more than 1000 levels high");
  expectError("const x = a" + repeat("[1]", 100000) + ";",
              "more than 1000 levels high");
  expectError("const x = a" + repeat(".*", 100000) + ";",
              "more than 1000 levels high");
}

TEST(CslLimits, LongIsNotDeep) {
  Parsed list("const x = .{ " + repeat("1, ", 100000) + "};");
  EXPECT_EQ(list.errors(), "");
  Parsed statements("fn f() void {" + repeat("a = b; ", 100000) + "}");
  EXPECT_EQ(statements.errors(), "");
  Parsed functions(repeat("fn f() void {}\n", 100000));
  EXPECT_EQ(functions.errors(), "");
  EXPECT_EQ(functions.file->decls.size(), 100000u);
}

TEST(CslLimits, LiteralsHaveASize) {
  expectError(
      "const x = 0x" + repeat("f", IntLiteral::kMaxLiteralBits / 4) + ";", "");
  expectError("const x = 0x1" + repeat("0", IntLiteral::kMaxLiteralBits / 4) +
                  ";",
              "integer has 4097 bits, at most 4096 are allowed");
  expectError("const x = " + repeat("1", 5000) + ";",
              "number has 5000 characters, at most 4096 are read");
  Parsed zeros("const x = " + repeat("0", 4096) + ";");
  EXPECT_EQ(zeros.errors(), "");
  EXPECT_EQ(*llvm::cast<IntLiteral>(zeros.init())->small(), 0u);
}

TEST(CslLimits, ErrorsAreCounted) {
  Parsed parsed(repeat("const = 1;\n", 1000));
  EXPECT_EQ(parsed.diagnostics.all().size(), Diagnostics::kMaxErrors);
  EXPECT_GT(parsed.diagnostics.numErrors(), Diagnostics::kMaxErrors);
  EXPECT_TRUE(StringRef(parsed.errors()).contains("more error"));
  Parsed noise(repeat("$ ", 100000));
  EXPECT_EQ(noise.diagnostics.all().size(), Diagnostics::kMaxErrors);
}

TEST(CslLimits, OpenEnds) {
  for (StringRef program : {"",
                            " ",
                            "const",
                            "const x",
                            "const x =",
                            "const x = .",
                            "fn",
                            "fn f",
                            "fn f(",
                            "fn f() void {",
                            "layout",
                            "layout {",
                            "comptime",
                            "export",
                            "task",
                            "@",
                            "\"",
                            "'",
                            "//",
                            "const x = |",
                            "const x = |i|{",
                            "const x = [",
                            "const x = [*",
                            "const x = asm",
                            "const x = asm(",
                            "fn f() void { switch (x) { 1",
                            "fn f() void { for (x) |",
                            "fn f() void { while (x) :",
                            "const x = struct {",
                            "color x",
                            "const x = a.",
                            "fn f() void { break :",
                            "const x = 1 +"}) {
    Parsed parsed(program);
    bool blank = program.trim().empty() || program == "//";
    EXPECT_EQ(parsed.file->hadErrors, !blank) << program.str();
  }
}

} // namespace
