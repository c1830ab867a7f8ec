//===- ReductionTest.cpp - Which loops a reduction removes ----------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StreamTestSupport.h"

using namespace sequin;
using namespace sequin::testing;

namespace {

/// "I % 32 | -K / 32": kept and (with a minus) reduced loops.
std::string match(llvm::StringRef input, llvm::StringRef output,
                  llvm::StringRef axes) {
  auto loops = matchReduction(mappingOf(input, axes), mappingOf(output, axes));
  if (!loops)
    return llvm::toString(loops.takeError());
  std::string result;
  for (const ReductionLoop &loop : *loops)
    result += (result.empty() ? "" : " | ") +
              std::string(loop.reduced ? "-" : "") + loop.factor.str();
  return result;
}

TEST(MatchReduction, WholeTerms) {
  const char *axes = "I=512,J=512,K=2048";
  EXPECT_EQ(match("I % 32, J / 8 % 4, K / 32", "I % 32, J / 8 % 4", axes),
            "I % 32 | J / 8 % 4 | -K / 32");
  EXPECT_EQ(match("I, K, J % 8", "I, J % 8", axes), "I | -K | J % 8");
  EXPECT_EQ(match("K / 32", "1", axes), "-K / 32");
  EXPECT_EQ(match("1", "1", axes), "");
}

TEST(MatchReduction, PartsOfAJoinedTerm) {
  const char *axes = "A=64,B=4";
  EXPECT_EQ(match("A / 8, A % 8", "A / 8", axes), "A / 8 | -A % 8");
  EXPECT_EQ(match("A", "A % 8", axes), "-A / 8 | A % 8");
  EXPECT_EQ(match("B, A", "A / 16 % 2", axes),
            "-B | -A / 32 | A / 16 % 2 | -A % 16");
}

TEST(MatchReduction, Padding) {
  const char *axes = "A=60,B=4";
  EXPECT_EQ(match("B, A # 64", "B", axes), "B | -A # 64");
  EXPECT_EQ(match("B, A # 64", "A # 64", axes), "-B | A # 64");
  EXPECT_EQ(match("A # 64", "A # 64 / 8", axes), "A # 64 / 8 | -A = 8");
}

TEST(MatchReduction, Refusals) {
  const char *axes = "A=64,B=4,C=6";
  EXPECT_EQ(match("A", "B", axes),
            "'B' is not 'A' with whole terms reduced: 'B' has no place in the "
            "input");
  // Order is kept.
  EXPECT_EQ(
      match("A, B", "B, A", axes),
      "'B, A' is not 'A, B' with whole terms reduced: 'A' has no place in "
      "the input");
  // Halves that do not meet.
  EXPECT_EQ(match("C", "C = 4", axes),
            "'C = 4' is not 'C' with whole terms reduced: 'C = 4' has no place "
            "in the input");
}

} // namespace
