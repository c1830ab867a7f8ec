//===- LexerTest.cpp - Text to tokens -------------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/CslSource/Lexer.h"
#include "Row.h"
#include "sequin/CslSource/Names.h"
#include "llvm/ADT/STLExtras.h"

using namespace sequin;
using namespace sequin::csl_source;
using llvm::StringRef;

namespace {

/// The tokens' texts, separated by blanks.
std::string texts(StringRef input) {
  SourceManager sources;
  Diagnostics diagnostics(sources);
  Lexer lexer(sources.text(sources.add("test.csl", input)), diagnostics);
  std::string result;
  for (Token token = lexer.next(); !token.is(TokenKind::End);
       token = lexer.next())
    result += (result.empty() ? "" : " ") + token.text.str();
  EXPECT_FALSE(diagnostics.hadErrors()) << input.str();
  return result;
}

TEST(CslLexer, TakesTheLongestToken) {
  EXPECT_EQ(texts("a.*[i]"), "a .* [ i ]");
  EXPECT_EQ(texts("a.*.b.{c}"), "a .* . b .{ c }");
  EXPECT_EQ(texts("a>>=b>>c>=d>e=>f"), "a >>= b >> c >= d > e => f");
  EXPECT_EQ(texts("a<<=b<<c<=d<e->f"), "a <<= b << c <= d < e -> f");
  EXPECT_EQ(texts("a|=b|c&=d&e^=f^g"), "a |= b | c &= d & e ^= f ^ g");
  EXPECT_EQ(texts("a==b!=c!d=e%=f%g~h"), "a == b != c ! d = e %= f % g ~ h");
  EXPECT_EQ(texts("a+=b+c-=d-e*=f*g/=h/i"),
            "a += b + c -= d - e *= f * g /= h / i");
  EXPECT_EQ(texts("1.5.x 1 .x x.*.*"), "1.5 . x 1 . x x .* .*");
  EXPECT_EQ(texts("constant const1 const"), "constant const1 const");
}

TEST(CslLexer, BlanksAndMarks) {
  SEQUIN_ROW("SYN-001");
  EXPECT_EQ(texts("\xef\xbb\xbf"
                  "a\t\r\n b//c\n//d"),
            "a b");
  EXPECT_EQ(texts(""), "");
  EXPECT_EQ(texts("//"), "");
}

TEST(CslLexer, CommentsByKind) {
  SourceManager sources;
  Diagnostics diagnostics(sources);
  Lexer lexer(sources.text(sources.add("t.csl", "//! a\n/// b\nx // c\r\n"
                                                "//// d\n")),
              diagnostics);
  while (!lexer.next().is(TokenKind::End)) {
  }
  ASSERT_EQ(lexer.comments().size(), 4u);
  SEQUIN_ROW("SYN-002");
  EXPECT_EQ(lexer.comments()[0].kind, CommentKind::InnerDoc);
  EXPECT_EQ(lexer.comments()[1].kind, CommentKind::Doc);
  EXPECT_EQ(lexer.comments()[2].kind, CommentKind::Plain);
  EXPECT_EQ(lexer.comments()[2].text, "// c");
  EXPECT_FALSE(lexer.comments()[2].ownLine);
  EXPECT_EQ(lexer.comments()[3].kind, CommentKind::Plain);
  EXPECT_TRUE(lexer.comments()[3].ownLine);
}

TEST(CslLexer, Escapes) {
  EXPECT_EQ(unescape(R"("a\n\r\t\\\'\"\x41\u20ac\U01f44d")"),
            "a\n\r\t\\'\"A\xe2\x82\xac\xf0\x9f\x91\x8d");
  EXPECT_EQ(unescape(R"("\x00")").size(), 1u);
  // What the lexer reports is still read.
  EXPECT_EQ(unescape("\"\\"), "");
  EXPECT_EQ(unescape("\"\\q\""), "q");
  EXPECT_EQ(unescape("\"\\x4\""), "4");
}

TEST(CslNames, PredeclaredTypes) {
  SEQUIN_ROW("SYN-074");
  for (StringRef name : {"void",
                         "bool",
                         "type",
                         "direction",
                         "range",
                         "comptime_int",
                         "comptime_float",
                         "comptime_string",
                         "anyopaque",
                         "color",
                         "input_queue",
                         "output_queue",
                         "data_task_id",
                         "local_task_id",
                         "control_task_id",
                         "ut_id",
                         "dsr_dest",
                         "dsr_src0",
                         "dsr_src1",
                         "dsr_fifo_dest",
                         "dsr_fifo_src1",
                         "xdsr",
                         "sr",
                         "mem1d_dsd",
                         "mem4d_dsd",
                         "fabin_dsd",
                         "fabout_dsd",
                         "circbuf_dsd",
                         "f16",
                         "f32",
                         "cb16",
                         "bf16",
                         "i0",
                         "u7",
                         "u16777215"})
    EXPECT_TRUE(isTypeName(name)) << name.str();
  for (StringRef name : {"i", "u", "f64", "int", "u16x", "I16", "NORTH", ""})
    EXPECT_FALSE(isTypeName(name)) << name.str();
  EXPECT_TRUE(llvm::is_sorted(typeNames()));
  EXPECT_TRUE(llvm::is_sorted(keywords()));
  EXPECT_TRUE(isDirectionName("RAMP"));
  EXPECT_FALSE(isDirectionName("ramp"));
}

TEST(CslNames, IntegerWidths) {
  SEQUIN_ROW("SYN-075");
  auto u3 = integerTypeName("u3");
  ASSERT_TRUE(u3);
  EXPECT_EQ(u3->bits, 3u);
  EXPECT_FALSE(u3->isSigned);
  EXPECT_TRUE(integerTypeName("i4")->isSigned);
  EXPECT_EQ(integerTypeName("u16777215")->bits, kMaxIntegerBits);
  EXPECT_EQ(integerTypeName("u16777216")->bits, kMaxIntegerBits + 1);
  EXPECT_EQ(integerTypeName("u99999999999999999999")->bits,
            kMaxIntegerBits + 1);
  EXPECT_FALSE(integerTypeName("u"));
  EXPECT_FALSE(integerTypeName("u1a"));
}

TEST(CslNames, EveryKeywordIsAToken) {
  SEQUIN_ROW("SYN-005");
  for (StringRef word : keywords()) {
    SourceManager sources;
    Diagnostics diagnostics(sources);
    Lexer lexer(sources.text(sources.add("test.csl", word)), diagnostics);
    Token token = lexer.next();
    EXPECT_TRUE(isKeyword(token.kind)) << word.str();
    EXPECT_EQ(describe(token.kind), "'" + word.str() + "'");
  }
}

} // namespace
