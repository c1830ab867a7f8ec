//===- LibraryTest.cpp - Library modules, run -----------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Programs.h"
#include "Row.h"
#include <cmath>

using namespace sequin;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(CslLibrary, Modules) {
  for (llvm::StringRef arch : {"wse2", "wse3"}) {
    SourceRun run(programs::library(), arch);
    ASSERT_TRUE(run.good()) << run.errors;
    EXPECT_EQ(run.launch("main"), "");
    std::vector<float> out = run.get<float>("out", 20);
    EXPECT_THAT(llvm::ArrayRef(out).take_front(4),
                ElementsAre(1.5f, 2.25f, 2.25f, 7.0f));
    EXPECT_THAT(llvm::ArrayRef(out).slice(4, 4),
                ElementsAre(1.0f, -1.0f, 2.0f, 2.25f * 2.25f));
    EXPECT_THAT(llvm::ArrayRef(out).slice(8, 6),
                ElementsAre(1.0f, -32768.0f, 18.0f, -5.0f, 10.0f, 5.5f));
    EXPECT_GE(out[14], 1.0f);
    EXPECT_LT(out[14], 2.0f);
    EXPECT_THAT(llvm::ArrayRef(out).slice(16, 4),
                ElementsAre(2.25f, 2.25f, 2.25f, 2.25f));
    EXPECT_THAT(run.get<uint32_t>("words", 7),
                ElementsAre(1, 0, 0x1234, 0x015f0000, 0, 1, 4));
  }
  SEQUIN_ROW("WEX-036");
  SEQUIN_ROW("WEX-042");
  SEQUIN_ROW("WEX-043");
  SEQUIN_ROW("WEX-044");
  SEQUIN_ROW("WEX-045");
  SEQUIN_ROW("WEX-046");
  SEQUIN_ROW("WEX-047");
  SEQUIN_ROW("LIB-001");
  SEQUIN_ROW("LIB-002");
  SEQUIN_ROW("LIB-003");
  SEQUIN_ROW("LIB-004");
  SEQUIN_ROW("LIB-005");
  SEQUIN_ROW("LIB-006");
  SEQUIN_ROW("LIB-007");
  SEQUIN_ROW("LIB-008");
  SEQUIN_ROW("LIB-009");
  SEQUIN_ROW("LIB-012");
  SEQUIN_ROW("LIB-014");
  SEQUIN_ROW("LIB-022");
  SEQUIN_ROW("LIB-023");
  SEQUIN_ROW("LIB-024");
  SEQUIN_ROW("LIB-025");
  SEQUIN_ROW("LIB-026");
  SEQUIN_ROW("LIB-027");
  SEQUIN_ROW("LIB-028");
  SEQUIN_ROW("LIB-035");
  SEQUIN_ROW("LIB-052");
  SEQUIN_ROW("LIB-053");
  SEQUIN_ROW("LIB-055");
}
