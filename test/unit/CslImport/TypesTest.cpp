//===- TypesTest.cpp - Numbers and conversions of CSL, run ----------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Row.h"
#include "SourceRun.h"

using namespace sequin;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(CslTypes, Casts) {
  SourceRun run(onePe("i16", R"(
    out[0] = @as(i16, 10.2);
    out[1] = @as(i16, 10.8);
    out[2] = @as(i16, -10.8);
    out[3] = if (@as(bool, 0)) 1 else 2;
    out[4] = if (@as(bool, -0.0)) 1 else 2;
    out[5] = if (@as(bool, -5)) 1 else 2;
    var f: f32 = -11.75;
    out[6] = @as(i16, f);
    out[7] = @bitcast(i16, six);
    var wide: u32 = 0x12345;
    out[8] = @as(i16, wide);
    var small: i8 = -3;
    const wider: i16 = small;
    out[9] = wider;
    var u: u8 = 200;
    const signed: i16 = u;
    out[10] = signed;
    out[11] = @as(i16, @get_int(E.BAR));
    out[12] = ~@as(i16, 5);
    out[13] = (7 & 3) | (1 << 4) ^ 2;
    out[14] = -7 / @as(i16, 2);
    out[15] = -7 % @as(i16, 2);
  )",
                      R"(
    const six: f16 = 6.0;
    const E = enum(u32) { FOO = 1, BAR };
  )"));
  ASSERT_TRUE(run.good()) << run.errors;
  EXPECT_EQ(run.launch("main"), "");
  EXPECT_THAT(run.get<int16_t>("out", 16),
              ElementsAre(10, 10, -10, 2, 2, 1, -11, 0x4600, 0x2345, -3, 200, 0,
                          -6, 3 | (16 ^ 2), -3, -1));
  SEQUIN_ROW("WEX-026");
  SEQUIN_ROW("WEX-027");
  SEQUIN_ROW("WEX-033");
  SEQUIN_ROW("BLT-003");
  SEQUIN_ROW("BLT-005");
  SEQUIN_ROW("BLT-007");
  SEQUIN_ROW("SYN-047");
  SEQUIN_ROW("SYN-048");
  SEQUIN_ROW("SYN-049");
  SEQUIN_ROW("SYN-053");
  SEQUIN_ROW("SYN-076");
  SEQUIN_ROW("AMB-024");
  SEQUIN_ROW("AMB-040");
}

TEST(CslTypes, Fp16Formats) {
  const std::pair<csl::Fp16, uint16_t> formats[] = {{csl::Fp16::F16, 0x4600},
                                                    {csl::Fp16::CB16, 0x5900},
                                                    {csl::Fp16::BF16, 0x40c0}};
  for (auto [format, bits] : formats) {
    csl_import::ImportOptions options;
    options.fp16 = format;
    SourceRun run(onePe("u16", R"(
      const T = @fp16();
      var x: T = 2.0;
      const y: T = x + 4.0;
      out[0] = @bitcast(u16, y);
      var wide: f32 = y;
      out[1] = @as(u16, wide * 2.0);
      out[2] = @bitcast(u16, @as(T, 6.0));
      out[3] = if (y > x) 1 else 0;
    )"),
                  "wse3", options);
    ASSERT_TRUE(run.good()) << run.errors;
    EXPECT_EQ(run.launch("main"), "");
    EXPECT_THAT(run.get<uint16_t>("out", 4), ElementsAre(bits, 12, bits, 1));
  }
  SEQUIN_ROW("WEX-028");
  SEQUIN_ROW("WEX-027");
  SEQUIN_ROW("SYN-077");
  SEQUIN_ROW("SYN-082");
  SEQUIN_ROW("BLT-027");
}
