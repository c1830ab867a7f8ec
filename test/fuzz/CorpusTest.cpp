//===- CorpusTest.cpp - The fuzzers' inputs as an ordinary test -----------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MappingParserCheck.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

namespace {

TEST(FuzzCorpus, Mapping) {
  std::error_code error;
  unsigned count = 0;
  for (llvm::sys::fs::directory_iterator
           file(SEQUIN_FUZZ_CORPUS "/mapping", error),
       end;
       file != end && !error; file.increment(error)) {
    auto buffer = llvm::MemoryBuffer::getFile(file->path());
    ASSERT_TRUE(bool(buffer)) << file->path();
    EXPECT_EQ(sequin::fuzz::checkMappingParser((*buffer)->getBuffer()), "")
        << file->path();
    ++count;
  }
  ASSERT_FALSE(error) << error.message();
  EXPECT_GT(count, 20u);
}

} // namespace
