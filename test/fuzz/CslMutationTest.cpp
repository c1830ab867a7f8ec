//===- CslMutationTest.cpp - Changed CSL programs -------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CslSourceCheck.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"
#include <vector>

namespace {

/// Programs of the corpus by name, so that a seed means one program.
std::vector<std::string> corpus() {
  std::vector<std::string> names, programs;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator file(SEQUIN_FUZZ_CORPUS "/csl", error),
       end;
       file != end && !error; file.increment(error))
    names.push_back(file->path());
  llvm::sort(names);
  for (const std::string &name : names)
    if (auto buffer = llvm::MemoryBuffer::getFile(name))
      programs.push_back((*buffer)->getBuffer().str());
  return programs;
}

TEST(CslMutations, TenThousandChangedPrograms) {
  constexpr uint64_t kFirstSeed = 20260;
  constexpr unsigned kPrograms = 10000;
  std::vector<std::string> programs = corpus();
  ASSERT_GE(programs.size(), 5u);
  for (uint64_t seed = kFirstSeed; seed != kFirstSeed + kPrograms; ++seed) {
    std::string text = sequin::fuzz::mutateCslTokens(
        programs[seed % programs.size()], programs, 1 + seed % 5, seed);
    std::string wrong = sequin::fuzz::checkCslSource(text);
    ASSERT_EQ(wrong, "") << "seed " << seed << " of program:\n" << text;
  }
}

// Mostly noise: recovery has to find its way without a sound line.
TEST(CslMutations, ShuffledPrograms) {
  std::vector<std::string> programs = corpus();
  for (uint64_t seed = 1; seed != 200; ++seed) {
    std::string text = sequin::fuzz::mutateCslTokens(
        programs[seed % programs.size()], programs, 300, seed);
    std::string wrong = sequin::fuzz::checkCslSource(text);
    ASSERT_EQ(wrong, "") << "seed " << seed << " of program:\n" << text;
  }
}

} // namespace
