//===- ProgramJsonTest.cpp - The wafer program as JSON --------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WaferTestSupport.h"
#include "llvm/Support/raw_ostream.h"
#include "gmock/gmock.h"

using namespace sequin;
using namespace sequin::testing;
using namespace sequin::wafer;
using ::testing::HasSubstr;

namespace {

std::string toText(const llvm::json::Value &value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return text;
}

/// The error of reading `value`, or "".
std::string readError(llvm::json::Value value) {
  llvm::Expected<Program> program = fromJSON(value);
  return program ? "" : llvm::toString(program.takeError());
}

TEST(ProgramJson, WrittenAndRead) {
  Program program = makeSample();
  llvm::Expected<llvm::json::Value> value =
      llvm::json::parse(toText(toJSON(program)));
  ASSERT_TRUE(bool(value));
  llvm::Expected<Program> back = fromJSON(*value);
  ASSERT_TRUE(bool(back)) << llvm::toString(back.takeError());
  EXPECT_TRUE(*back == program);
  EXPECT_EQ(toText(toJSON(*back)), toText(toJSON(program)));
}

// Equal PEs are one entry, wherever they are.
TEST(ProgramJson, EqualPesAreRectangles) {
  Program program = makeSample();
  program.width = 100;
  program.height = 60;
  Pe usual = program.pes[0], other = program.pes[1];
  program.pes.assign(6000, usual);
  program.pes[30 * 100 + 50] = other;
  llvm::json::Value value = toJSON(program);
  EXPECT_LE(value.getAsObject()->getArray("pes")->size(), 6u);
  llvm::Expected<Program> back = fromJSON(value);
  ASSERT_TRUE(bool(back));
  EXPECT_TRUE(*back == program);
}

TEST(ProgramJson, RefusesWhatIsNoProgram) {
  EXPECT_THAT(readError(nullptr), HasSubstr("no format version, expected 1"));
  llvm::json::Value good = toJSON(makeSample());
  auto with = [&](auto edit) {
    llvm::json::Value value = good;
    edit(*value.getAsObject());
    return readError(value);
  };
  using llvm::json::Object;
  EXPECT_THAT(with([](Object &o) { o["version"] = 2; }),
              HasSubstr("format version 2, expected 1"));
  EXPECT_THAT(with([](Object &o) { o["colour"] = 2; }),
              HasSubstr("unknown key at wafer program.colour"));
  EXPECT_THAT(with([](Object &o) { o.erase("codes"); }),
              HasSubstr("missing value at wafer program.codes"));
  EXPECT_THAT(with([](Object &o) { o["width"] = 3; }),
              HasSubstr("has 2 of its 3 PEs"));
  EXPECT_THAT(with([](Object &o) { o["width"] = int64_t(1) << 40; }),
              HasSubstr("is 1099511627776 x 1 PEs"));
  EXPECT_THAT(with([](Object &o) { o["width"] = 1; }),
              HasSubstr("outside of its rectangle"));
  EXPECT_THAT(with([](Object &o) {
                llvm::json::Array &pes = *o.getArray("pes");
                pes.push_back(pes[0]);
              }),
              HasSubstr("has PE (0, 0) twice"));
  EXPECT_THAT(with([](Object &o) { o["fp16"] = "f8"; }),
              HasSubstr("unknown name at wafer program.fp16"));
}

TEST(ProgramJson, PrintsCode) {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os, makeSample());
  EXPECT_THAT(text, HasSubstr("fmovs dsd r2 = dsd r1 async activate r0 ut 3"));
  EXPECT_THAT(text, HasSubstr("local task 8: send"));
  EXPECT_THAT(text, HasSubstr("color 5: 0 [WEST -> RAMP] 2 [WEST -> EAST]"));
}

} // namespace
