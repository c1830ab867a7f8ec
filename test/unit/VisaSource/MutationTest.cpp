//===- MutationTest.cpp - Kernels with changed tokens ---------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tokens of good kernels are dropped, doubled, swapped or replaced. Whatever
// comes out is read without a crash, and its names are looked up; what has no
// error is printed and read again as the same tree.
//
//===----------------------------------------------------------------------===//

#include "Parsed.h"
#include "sequin/VisaSource/Lexer.h"
#include "sequin/VisaSource/Resolve.h"
#include <random>

using namespace sequin;
using namespace sequin::visa_source;
using llvm::StringRef;
using sequin::testing::Parsed;
using sequin::testing::readInput;

namespace {

constexpr unsigned kMutations = 10000;

std::vector<std::string> tokensOf(const std::string &text) {
  SourceManager sources;
  Diagnostics diagnostics(sources);
  Lexer lexer(sources.text(sources.add("test.rs", text)), diagnostics);
  std::vector<std::string> tokens;
  for (Token token = lexer.next(); !token.is(TokenKind::End);
       token = lexer.next())
    tokens.push_back((token.startsLine ? "\n" : " ") + token.text.str());
  return tokens;
}

/// A stretch of the tokens with a few changes.
std::string mutate(const std::vector<std::string> &tokens,
                   const std::vector<std::string> &others,
                   std::mt19937 &random) {
  auto below = [&](size_t n) { return size_t(random() % n); };
  size_t from = below(tokens.size());
  size_t count = std::min<size_t>(tokens.size() - from, 20 + below(600));
  // Half of them are whole files.
  if (random() % 2) {
    from = 0;
    count = tokens.size();
  }
  std::vector<std::string> result(tokens.begin() + from,
                                  tokens.begin() + from + count);
  for (size_t changes = 1 + below(3); changes != 0; --changes) {
    size_t at = below(result.size());
    switch (below(5)) {
    case 0:
      if (result.size() > 1)
        result.erase(result.begin() + at);
      break;
    case 1:
      result.insert(result.begin() + at, result[at]);
      break;
    case 2:
      std::swap(result[at], result[below(result.size())]);
      break;
    case 3:
      result[at] = others[below(others.size())];
      break;
    default:
      result.insert(result.begin() + at, others[below(others.size())]);
    }
  }
  std::string text;
  for (const std::string &token : result)
    text += token;
  // Now and then bytes instead of tokens.
  if (random() % 8 == 0 && !text.empty())
    text[below(text.size())] = char(random());
  return text;
}

TEST(VisaMutations, NoneIsTooMuch) {
  std::vector<std::vector<std::string>> files;
  std::vector<std::string> all;
  for (const char *name : {"forms.rs", "mlp.rs", "scale.rs"}) {
    files.push_back(tokensOf(readInput(name)));
    all.insert(all.end(), files.back().begin(), files.back().end());
  }
  for (StringRef extra : {"trait", "dyn", "?", "'a", "\"", "/*", "r#\"",
                          "..=", "<<=", "#", "$", "{", "}", "(", ")", "static"})
    all.push_back(" " + extra.str());
  unsigned good = 0;
  for (unsigned seed = 0; seed != kMutations; ++seed) {
    std::mt19937 random(seed);
    std::string text = mutate(files[seed % files.size()], all, random);
    Parsed first(text);
    EXPECT_EQ(first.file->hadErrors, first.diagnostics.hadErrors())
        << "seed " << seed;
    first.tree();
    // Reads it once more, as a crate.
    Diagnostics aside(first.sources);
    Crates program(first.sources, first.context, aside);
    EXPECT_TRUE(program.load("test.rs")) << "seed " << seed;
    if (first.file->hadErrors)
      continue;
    ++good;
    Parsed second(first.printed());
    EXPECT_EQ(second.errors(), "") << "seed " << seed << first.printed();
    EXPECT_TRUE(second.tree() == first.tree()) << "seed " << seed << text;
    if (::testing::Test::HasFailure())
      return;
  }
  // Some changes do no harm, or the test is worth little.
  EXPECT_GT(good, kMutations / 100);
}

} // namespace
