//===- MappingCostTest.cpp - The cost model and the simulator -------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cycles that the mapping search chose by are those that the simulator
// counts for the configuration, within three per cent.
//
//===----------------------------------------------------------------------===//

#include "sequin/Api/Program.h"
#include "gtest/gtest.h"

using namespace sequin;
using namespace sequin::api;

namespace {

struct Shape {
  const char *einsum;
  std::vector<std::string> sizes;
  const char *type;
};

TEST(MappingCostTest, IsTheSimulatorsWithinThreePerCent) {
  const Shape shapes[] = {
      {"mk,kn->mn", {"m=2048", "k=1024", "n=1024"}, "bf16"},
      {"mk,kn->mn", {"m=2048", "k=8192", "n=1024"}, "bf16"},
      {"mk,kn->mn", {"m=2048", "k=4096", "n=14336"}, "bf16"},
      {"mk,kn->mn", {"m=100", "k=8192", "n=8192"}, "bf16"},
      {"mk,kn->mn", {"m=2048", "k=8192", "n=1024"}, "f8e4m3"},
      {"mk,kn->mn", {"m=1024", "k=4096", "n=4096"}, "f8e4m3"},
      {"mk,kn->mn", {"m=2048", "k=512", "n=4096"}, "i8"},
  };
  for (const Shape &shape : shapes) {
    SCOPED_TRACE(std::string(shape.einsum) + " " + shape.type + " " +
                 shape.sizes[1] + " " + shape.sizes[2]);
    CompileOptions options;
    options.einsum = shape.einsum;
    options.sizes = shape.sizes;
    options.dtype = shape.type;
    options.target = "rngd";
    options.recordMappings = true;
    auto program = Program::compile(options);
    ASSERT_TRUE(bool(program)) << llvm::toString(program.takeError());
    ASSERT_EQ((*program)->mappings().size(), 1u);
    const llvm::json::Object *record = (*program)->mappings()[0].getAsObject();
    EXPECT_EQ(record->getString("kind"), "rings");
    RunOptions run;
    run.timingOnly = true;
    run.maxSteps = INT64_MAX;
    auto result = (*program)->run({}, run);
    ASSERT_TRUE(bool(result)) << llvm::toString(result.takeError());
    double model = static_cast<double>(*record->getInteger("cycles"));
    double cycles = static_cast<double>(result->report.cycles);
    EXPECT_NEAR(model / cycles, 1, 0.03) << model << " and " << cycles;
  }
}

} // namespace
