//===- LimitsTest.cpp - Deep, long and endless input ----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parsed.h"

using namespace sequin;
using namespace sequin::visa_source;
using llvm::StringRef;
using sequin::testing::Parsed;
using sequin::testing::readInput;

namespace {

std::string repeat(StringRef text, size_t count) {
  std::string result;
  for (size_t i = 0; i != count; ++i)
    result += text;
  return result;
}

/// Expects one error with the text, or none if it is empty.
void expectError(const std::string &text, StringRef message) {
  Parsed parsed(text);
  if (message.empty()) {
    EXPECT_EQ(parsed.errors(), "");
    return;
  }
  ASSERT_EQ(parsed.diagnostics.numErrors(), 1u)
      << StringRef(text).take_front(60).str() << "\n"
      << StringRef(parsed.errors()).take_front(1000).str();
  EXPECT_TRUE(
      StringRef(parsed.diagnostics.all().front().message).contains(message))
      << parsed.errors();
}

std::string parens(unsigned count) {
  return "const X: u8 = " + repeat("(", count) + "1" + repeat(")", count) + ";";
}

TEST(VisaLimits, Nesting) {
  // The item, and for a parenthesis an expression and an operand.
  unsigned most = (kMaxNesting - 1) / 2 - 1;
  expectError(parens(most / 2), "");
  expectError(parens(most), "");
  StringRef deep = "more than 256 levels of nesting";
  expectError(parens(most + 1), deep);
  for (StringRef begin : {"(",
                          "-",
                          "&",
                          "&&",
                          "[",
                          "{",
                          "f(",
                          "|| ",
                          "if a {",
                          "return ",
                          "!",
                          "a = ",
                          "if a {} else ",
                          "S { a: ",
                          "match a { b => ",
                          "x.m(",
                          "vec![",
                          "<m![{",
                          "f::<{",
                          "loop {",
                          "unsafe {",
                          "i![A: ",
                          "a[",
                          "a + (",
                          "..(",
                          "for a in b {",
                          "match (",
                          "if let a = ",
                          "|a: [u8; "})
    expectError("const X: u8 = " + repeat(begin, 100000), deep);
  for (StringRef begin : {"&", "&&", "[", "(", "V<", "fn(", "impl T<", "<",
                          "m![{", "fn() -> ", "[u8; <m![A / {"})
    expectError("type X = " + repeat(begin, 100000), deep);
  for (StringRef begin : {"(", "&", "[", "S { a: ", "T(", "a @ "})
    expectError("fn f() { let " + repeat(begin, 100000), deep);
  for (StringRef begin : {"mod m { ", "impl T { ", "fn f() { "})
    expectError(repeat(begin, 100000), deep);
  expectError("use a::" + repeat("{", 100000), deep);
  expectError("type X = m![" + repeat("[", 100000), deep);
  expectError("#[" + repeat("a(", 100000) + repeat(")", 100000) + "] fn f() {}",
              deep);
}

TEST(VisaLimits, Height) {
  auto chain = [](unsigned links) {
    return "fn f() { a" + repeat(".b()", links) + " }";
  };
  // The function, its block and the name at the end of the chain with its path.
  expectError(chain(kMaxTreeHeight - 5), "");
  expectError(chain(kMaxTreeHeight), "more than 1000 levels high");
  expectError(chain(100000), "more than 1000 levels high");
  expectError("const X: u8 = 1" + repeat(" + 1", 100000) + ";",
              "more than 1000 levels high");
  expectError("type X = m![A" + repeat(" / 2", 100000) + "];",
              "more than 1000 levels high");
}

TEST(VisaLimits, UnreadTokensNestDeeper) {
  expectError("m! {" + repeat("(", 100000) + repeat(")", 100000) + "}", "");
  expectError("m! {" + repeat("(", 100000), "'}' at the end of a macro");
}

TEST(VisaLimits, ManyErrors) {
  Parsed parsed(repeat("fn f() { 1 2; }\n", 1000));
  EXPECT_EQ(parsed.diagnostics.all().size(), Diagnostics::kMaxErrors);
  EXPECT_GT(parsed.diagnostics.numErrors(), Diagnostics::kMaxErrors);
}

TEST(VisaLimits, LongTexts) {
  // In a time that grows with the text; with its square this would never end.
  expectError(repeat("mod m {" + readInput("mlp.rs") + "}\n", 400), "");
  for (StringRef piece : {"f(x, ", "#[a(b c)] ", "m! { ( } ", "fn f(", "let x",
                          "'a ", "\"", "/*", "use a::{b, ", "x.y::<", "|a| "})
    EXPECT_NE(Parsed("fn f() {" + repeat(piece, 100000)).errors(), "");
}

} // namespace
