//===- MutationTest.cpp - Valid programs with tokens changed --------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program with a token removed, doubled or replaced by another of it is
// refused with an error or compiles; it does not crash or hang. The seed is
// printed; SEQUIN_MUTATIONS asks for more than the few of an ordinary run.
//
//===----------------------------------------------------------------------===//

#include "Programs.h"
#include "SourceRun.h"
#include "sequin/CslSource/Observations.h"
#include "llvm/ADT/StringExtras.h"
#include <cstdlib>
#include <random>

using namespace sequin;

/// Words, numbers, strings and single other characters, with what follows.
static std::vector<std::string> splitTokens(llvm::StringRef text) {
  std::vector<std::string> tokens;
  auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  while (!text.empty()) {
    size_t length = 1;
    if (isWord(text[0]) || text[0] == '@') {
      while (length < text.size() && isWord(text[length]))
        ++length;
    } else if (text[0] == '"') {
      length = std::min(text.find('"', 1), text.size() - 1) + 1;
    } else if (llvm::isSpace(text[0])) {
      while (length < text.size() && llvm::isSpace(text[length]))
        ++length;
    }
    tokens.push_back(text.take_front(length).str());
    text = text.drop_front(length);
  }
  return tokens;
}

static std::string join(const std::vector<std::string> &tokens) {
  std::string text;
  for (const std::string &token : tokens)
    text += token;
  return text;
}

TEST(CslMutations, NoCrash) {
  unsigned seed = 20260101;
  unsigned count = 150;
  if (const char *more = std::getenv("SEQUIN_MUTATIONS"))
    count = std::max(1, std::atoi(more));
  if (const char *other = std::getenv("SEQUIN_MUTATION_SEED"))
    seed = std::atoi(other);
  RecordProperty("seed", seed);
  std::mt19937 random(seed);
  auto pick = [&](size_t size) { return random() % std::max<size_t>(size, 1); };
  const SourceRun::Files programs[] = {programs::manyForms(),
                                       programs::library()};
  unsigned compiled = 0, refused = 0;
  for (unsigned i = 0; i < count; ++i) {
    SourceRun::Files files = programs[pick(std::size(programs))];
    std::string &text = files[pick(files.size())].second;
    std::vector<std::string> tokens = splitTokens(text);
    for (unsigned change = 0; change <= pick(2); ++change) {
      size_t at = pick(tokens.size());
      switch (pick(3)) {
      case 0:
        tokens[at].clear();
        break;
      case 1:
        tokens.insert(tokens.begin() + at, tokens[pick(tokens.size())]);
        break;
      default:
        tokens[at] = tokens[pick(tokens.size())];
      }
    }
    text = join(tokens);
    csl_import::ImportOptions options;
    options.comptimeStepLimit = 2000000;
    options.maxInlinedIterations = 1000;
    // As editors ask, which goes on after errors.
    csl_source::Observations observations;
    if (i % 3 == 0)
      options.observations = &observations;
    if (std::getenv("SEQUIN_MUTATION_TRACE"))
      llvm::errs() << "mutation " << i << '\n';
    SourceRun run(files, pick(2) ? "wse3" : "wse2", options);
    ++(run.module ? compiled : refused);
    // What is refused says why.
    EXPECT_TRUE(run.module || !run.errors.empty()) << text;
  }
  // Both happen, or the mutations are of no use.
  EXPECT_GT(compiled, 0u);
  EXPECT_GT(refused, 0u);
}
