//===- CorpusTest.cpp - The fuzzers' inputs as an ordinary test -----------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CslImportCheck.h"
#include "CslSourceCheck.h"
#include "MappingParserCheck.h"
#include "NumberMutation.h"
#include "VisaSourceCheck.h"
#include "WaferProgramCheck.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

namespace {

/// Runs a check on every input of a folder, given from the corpus, and of its
/// folders.
void checkFolder(llvm::StringRef folder, std::string (*check)(llvm::StringRef),
                 unsigned atLeast) {
  std::error_code error;
  unsigned count = 0;
  for (llvm::sys::fs::recursive_directory_iterator
           file(SEQUIN_FUZZ_CORPUS + folder, error),
       end;
       file != end && !error; file.increment(error)) {
    if (file->type() == llvm::sys::fs::file_type::directory_file)
      continue;
    auto buffer = llvm::MemoryBuffer::getFile(file->path());
    ASSERT_TRUE(bool(buffer)) << file->path();
    EXPECT_EQ(check((*buffer)->getBuffer()), "") << file->path();
    ++count;
  }
  ASSERT_FALSE(error) << error.message();
  EXPECT_GE(count, atLeast);
}

TEST(FuzzCorpus, Mapping) {
  checkFolder("/mapping", sequin::fuzz::checkMappingParser, 20);
}

TEST(FuzzCorpus, CslSource) {
  checkFolder("/csl", sequin::fuzz::checkCslSource, 5);
}

TEST(FuzzCorpus, VisaSource) {
  checkFolder("/visa", sequin::fuzz::checkVisaSource, 3);
}

// Programs of several files through the front end and the derivation.
TEST(FuzzCorpus, CslImport) {
  checkFolder(
      "/import",
      [](llvm::StringRef text) {
        std::string wrong;
        for (llvm::StringRef arch : {"wse2", "wse3"})
          wrong += sequin::fuzz::checkCslImport(text, SEQUIN_LIBRARY, arch,
                                                /*written=*/true)
                       .wrong;
        return wrong;
      },
      2);
}

// Programs that once brought the simulator down, and numbers changed in them:
// what the check accepts runs to some end.
TEST(FuzzCorpus, WaferPrograms) {
  unsigned run = 0, refused = 0;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator
           file(SEQUIN_FUZZ_CORPUS "/wafer", error),
       end;
       file != end && !error; file.increment(error)) {
    auto buffer = llvm::MemoryBuffer::getFile(file->path());
    ASSERT_TRUE(bool(buffer)) << file->path();
    llvm::StringRef text = (*buffer)->getBuffer();
    for (uint64_t seed = 0; seed != 40; ++seed)
      ++(sequin::fuzz::runWaferProgram(
             sequin::fuzz::mutateNumbers(text, seed % 4, seed))
                 .empty()
             ? run
             : refused);
  }
  ASSERT_FALSE(error) << error.message();
  EXPECT_GT(run, 20u);
  EXPECT_GT(refused, 20u);
}

// What the tests and the library hold is formatted without a loss too.
TEST(FuzzCorpus, CslOfTheTree) {
  checkFolder("/../../CslSource", sequin::fuzz::checkCslSource, 5);
  checkFolder("/../../../lib/CslLibrary", sequin::fuzz::checkCslSource, 1);
}

} // namespace
