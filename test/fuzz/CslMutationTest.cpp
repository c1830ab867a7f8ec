//===- CslMutationTest.cpp - Changed CSL programs -------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CslImportCheck.h"
#include "CslSourceCheck.h"
#include "CslTreeMutation.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

/// SEQUIN_TEST_SEED and SEQUIN_TEST_COUNT ask for other changes, and for more.
uint64_t fromEnvironment(const char *name, uint64_t otherwise) {
  const char *text = std::getenv(name);
  uint64_t number;
  return text && !llvm::StringRef(text).getAsInteger(10, number) ? number
                                                                 : otherwise;
}

/// Programs of a folder by name, so that a seed means one program.
std::vector<std::string>
programsOf(const std::string &folder = SEQUIN_FUZZ_CORPUS "/csl") {
  std::vector<std::string> names, programs;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator file(folder, error), end;
       file != end && !error; file.increment(error))
    names.push_back(file->path());
  llvm::sort(names);
  for (const std::string &name : names)
    if (auto buffer = llvm::MemoryBuffer::getFile(name))
      programs.push_back((*buffer)->getBuffer().str());
  return programs;
}

TEST(CslMutations, TenThousandChangedPrograms) {
  const uint64_t kFirstSeed = fromEnvironment("SEQUIN_TEST_SEED", 20260);
  const uint64_t kPrograms = fromEnvironment("SEQUIN_TEST_COUNT", 10000);
  std::vector<std::string> programs = programsOf();
  ASSERT_GE(programs.size(), 5u);
  for (uint64_t seed = kFirstSeed; seed != kFirstSeed + kPrograms; ++seed) {
    std::string text = sequin::fuzz::mutateCslTokens(
        programs[seed % programs.size()], programs, 1 + seed % 5, seed);
    std::string wrong = sequin::fuzz::checkCslSource(text);
    ASSERT_EQ(wrong, "") << "seed " << seed << " of program:\n" << text;
  }
}

TEST(CslMutations, ChangedTrees) {
  const uint64_t kFirstSeed = fromEnvironment("SEQUIN_TEST_SEED", 1);
  const uint64_t kPrograms = fromEnvironment("SEQUIN_TEST_COUNT", 1000);
  std::vector<std::string> programs = programsOf();
  for (uint64_t seed = kFirstSeed; seed != kFirstSeed + kPrograms; ++seed) {
    std::string text = sequin::fuzz::mutateCslTree(
        programs[seed % programs.size()], programs, 1 + seed % 5, seed);
    std::string wrong = sequin::fuzz::checkCslSource(text);
    ASSERT_EQ(wrong, "") << "seed " << seed << " of program:\n" << text;
  }
}

// Through the whole front end and the derivation, which take their time.
// SEQUIN_TEST_PROGRAMS is another folder of programs, e.g. of fuzz-seeds.
TEST(CslMutations, ChangedTreesCompile) {
  const uint64_t kFirstSeed = fromEnvironment("SEQUIN_TEST_SEED", 1);
  const uint64_t kPrograms = fromEnvironment("SEQUIN_TEST_COUNT", 100);
  const char *folder = std::getenv("SEQUIN_TEST_PROGRAMS");
  std::vector<std::string> programs =
      programsOf(folder ? folder : SEQUIN_FUZZ_CORPUS "/import");
  ASSERT_GE(programs.size(), 2u);
  uint64_t derivedCount = 0, writtenCount = 0;
  for (uint64_t seed = kFirstSeed; seed != kFirstSeed + kPrograms; ++seed) {
    std::string text = sequin::fuzz::mutateCslProgram(
        programs[seed % programs.size()], programs, 1 + seed % 2, seed);
    if (std::getenv("SEQUIN_TEST_TRACE")) {
      std::printf("seed %llu\n%s\n", static_cast<unsigned long long>(seed),
                  text.c_str());
      std::fflush(stdout);
    }
    auto start = std::chrono::steady_clock::now();
    auto [wrong, isDerived, isWritten] = sequin::fuzz::checkCslImport(
        text, SEQUIN_LIBRARY, seed % 2 ? "wse2" : "wse3",
        seed % 8 < 2 || std::getenv("SEQUIN_TEST_ROUND_TRIP"));
    ASSERT_EQ(wrong, "") << "seed " << seed << " of program:\n" << text;
    derivedCount += isDerived;
    writtenCount += isWritten;
    std::chrono::duration<double> took =
        std::chrono::steady_clock::now() - start;
    EXPECT_LT(took.count(), 60) << "seed " << seed << " of program:\n" << text;
  }
  std::printf("%llu programs, %llu run, %llu were written as source\n",
              static_cast<unsigned long long>(kPrograms),
              static_cast<unsigned long long>(derivedCount),
              static_cast<unsigned long long>(writtenCount));
  EXPECT_GE(derivedCount, kPrograms / 20);
  EXPECT_GE(writtenCount, kPrograms / 100);
}

// Mostly noise: recovery has to find its way without a sound line.
TEST(CslMutations, ShuffledPrograms) {
  std::vector<std::string> programs = programsOf();
  for (uint64_t seed = 1; seed != 200; ++seed) {
    std::string text = sequin::fuzz::mutateCslTokens(
        programs[seed % programs.size()], programs, 300, seed);
    std::string wrong = sequin::fuzz::checkCslSource(text);
    ASSERT_EQ(wrong, "") << "seed " << seed << " of program:\n" << text;
  }
}

} // namespace
