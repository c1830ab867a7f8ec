//===- LanguageTest.cpp - One program with many forms of CSL --------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Programs.h"
#include "Row.h"

using namespace sequin;
using ::testing::ElementsAre;

TEST(CslLanguage, ManyForms) {
  SourceRun run(programs::manyForms());
  ASSERT_TRUE(run.good()) << run.errors;
  float f = 2.5f;
  uint32_t bits;
  memcpy(&bits, &f, sizeof(bits));
  EXPECT_EQ(run.launch("main", {3, bits}), "");
  std::vector<int32_t> out = run.get<int32_t>("out", 28);
  EXPECT_THAT(llvm::ArrayRef(out).take_front(10),
              ElementsAre(44, 33, 6, 10 + 5 + 3 + 1, 30 + 3 + 3, 4 + 11 + 2, 14,
                          62, 77, 3));
  EXPECT_THAT(llvm::ArrayRef(out).slice(10, 10),
              ElementsAre(12, 0x3f80, 9 + 20 + 100, 40, 4, 1, 2, 8, 123, 7));
  EXPECT_THAT(llvm::ArrayRef(out).slice(20, 8),
              ElementsAre(11, 6, -2, 6, 0x50, ((3 << 2 | 1) ^ 3) % 7, 3, 1));
  SEQUIN_ROW("SYN-059");
  SEQUIN_ROW("SYN-060");
  SEQUIN_ROW("SYN-065");
  SEQUIN_ROW("SYN-066");
  SEQUIN_ROW("SYN-068");
  SEQUIN_ROW("SYN-070");
  SEQUIN_ROW("SYN-075");
  SEQUIN_ROW("SYN-094");
  SEQUIN_ROW("CMP-020");
  SEQUIN_ROW("CMP-038");
  SEQUIN_ROW("BLT-006");
  SEQUIN_ROW("BLT-025");
  SEQUIN_ROW("BLT-063");
  SEQUIN_ROW("LAY-027");
  SEQUIN_ROW("RPC-024");
  SEQUIN_ROW("TSK-054");
}
