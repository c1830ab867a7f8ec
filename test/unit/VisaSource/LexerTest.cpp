//===- LexerTest.cpp - Tokens of kernel source ----------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/VisaSource/Lexer.h"
#include "gtest/gtest.h"

using namespace sequin::visa_source;
using llvm::StringRef;

namespace {

/// The tokens as messages call them, and the errors.
std::string lex(StringRef text) {
  SourceManager sources;
  Diagnostics diagnostics(sources);
  FileId file = sources.add("test.rs", text);
  Lexer lexer(sources.text(file), diagnostics);
  std::string result;
  for (Token token = lexer.next(); !token.is(TokenKind::End);
       token = lexer.next())
    result += (result.empty() ? "" : " ") + token.text.str() + ":" +
              std::to_string(unsigned(token.kind));
  for (const Diagnostic &d : diagnostics.all())
    result += "\n" + d.message;
  return result;
}

std::string of(std::initializer_list<std::pair<StringRef, TokenKind>> tokens) {
  std::string result;
  for (auto [text, kind] : tokens)
    result += (result.empty() ? "" : " ") + text.str() + ":" +
              std::to_string(unsigned(kind));
  return result;
}

TEST(VisaLexer, Numbers) {
  EXPECT_EQ(lex("1 0x1f 1_000u64 0b10 0o17"),
            of({{"1", TokenKind::Integer},
                {"0x1f", TokenKind::Integer},
                {"1_000u64", TokenKind::Integer},
                {"0b10", TokenKind::Integer},
                {"0o17", TokenKind::Integer}}));
  EXPECT_EQ(lex("1.5 1e3 2.5e-3f32 1f64"), of({{"1.5", TokenKind::Float},
                                               {"1e3", TokenKind::Float},
                                               {"2.5e-3f32", TokenKind::Float},
                                               {"1f64", TokenKind::Float}}));
  // A range, a call and the fields of tuples are no floats.
  EXPECT_EQ(lex("1..2"), of({{"1", TokenKind::Integer},
                             {"..", TokenKind::DotDot},
                             {"2", TokenKind::Integer}}));
  EXPECT_EQ(lex("1.max"), of({{"1", TokenKind::Integer},
                              {".", TokenKind::Dot},
                              {"max", TokenKind::Name}}));
  EXPECT_EQ(lex("x.0.1"), of({{"x", TokenKind::Name},
                              {".", TokenKind::Dot},
                              {"0", TokenKind::Integer},
                              {".", TokenKind::Dot},
                              {"1", TokenKind::Integer}}));
  EXPECT_TRUE(StringRef(lex("0x")).contains("number has no digits"));
  EXPECT_TRUE(StringRef(lex("1q")).contains("unknown suffix 'q'"));
}

TEST(VisaLexer, Quotes) {
  EXPECT_EQ(lex("'a 'a' '\\'' b'x' 'static"),
            of({{"'a", TokenKind::Lifetime},
                {"'a'", TokenKind::Char},
                {"'\\''", TokenKind::Char},
                {"b'x'", TokenKind::Byte},
                {"'static", TokenKind::Lifetime}}));
  EXPECT_EQ(lex("r#\"a\"b\"# \"c\\\"\" b\"d\" r#type"),
            of({{"r#\"a\"b\"#", TokenKind::String},
                {"\"c\\\"\"", TokenKind::String},
                {"b\"d\"", TokenKind::ByteString},
                {"r#type", TokenKind::Name}}));
  EXPECT_TRUE(StringRef(lex("\"abc")).contains("string has no end"));
  EXPECT_TRUE(StringRef(lex("r#\"abc\"")).contains("raw string has no end"));
  EXPECT_TRUE(StringRef(lex("'ab"))
                  .ends_with(std::to_string(unsigned(TokenKind::Lifetime))));
  EXPECT_TRUE(StringRef(lex("' ")).contains("character literal has no end"));
  EXPECT_TRUE(StringRef(lex("\"\\q\"")).contains("unknown escape"));
  EXPECT_TRUE(StringRef(lex("\"\\u{}\"")).contains("has the form"));
}

TEST(VisaLexer, Comments) {
  EXPECT_EQ(lex("a // b\n/* c /* d */ e */ f"),
            of({{"a", TokenKind::Name}, {"f", TokenKind::Name}}));
  EXPECT_TRUE(StringRef(lex("a /* b")).contains("comment has no end"));
}

TEST(VisaLexer, StrayCharacters) {
  EXPECT_TRUE(StringRef(lex("a \\ b")).contains("'\\' begins no token"));
  EXPECT_TRUE(StringRef(lex("\xC3\xA4")).contains("beyond ASCII"));
  EXPECT_TRUE(StringRef(lex(StringRef("\0", 1))).contains("begins no token"));
}

TEST(VisaLexer, Escapes) {
  EXPECT_EQ(unescape("\"a\\n\\t\\\\\\\"\\x41\\u{e4}\""), "a\n\t\\\"A\xC3\xA4");
  EXPECT_EQ(unescape("r##\"a\\n\"##"), "a\\n");
  EXPECT_EQ(unescape("b\"\\xff\""), "\xff");
  EXPECT_EQ(unescape("\"a\\\n   b\""), "ab");
  EXPECT_EQ(unescape("\""), "\"");
}

} // namespace
