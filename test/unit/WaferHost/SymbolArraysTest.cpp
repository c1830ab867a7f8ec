//===- SymbolArraysTest.cpp - Arrays between NumPy and symbols ------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/WaferHost/SymbolArrays.h"
#include "llvm/ADT/StringExtras.h"
#include "gmock/gmock.h"
#include <cstring>

using namespace sequin;
using namespace sequin::wafer;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace {

constexpr Rectangle kTwo{0, 0, 2, 1};

template <typename T>
NpyArray array(std::string dtype, std::initializer_list<int64_t> shape,
               std::vector<T> values) {
  NpyArray result;
  result.dtype = std::move(dtype);
  result.shape.assign(shape);
  result.data.resize(values.size() * sizeof(T));
  memcpy(result.data.data(), values.data(), result.data.size());
  return result;
}

template <typename T> std::vector<T> as(const std::vector<uint8_t> &bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

std::string refusal(const NpyArray &given, const SymbolData &data,
                    Fp16Format fp16 = Fp16Format::F16) {
  auto bytes = toSymbolBytes(given, "a.npy", "A", data, fp16, kTwo);
  return bytes ? "" : llvm::toString(bytes.takeError());
}

TEST(SymbolArrays, FloatsAreRoundedToNearestEven) {
  SymbolData half{ElementKind::Float, 2, 2};
  // Between 2048 and 2050 in f16: 2049 is a tie.
  auto given = array<double>("f8", {1, 2, 2}, {2049, 2051, -0.0, 1e9});
  auto bytes = toSymbolBytes(given, "a.npy", "A", half, Fp16Format::F16, kTwo);
  ASSERT_TRUE(bool(bytes));
  EXPECT_THAT(as<uint16_t>(*bytes),
              ElementsAre(0x6800, 0x6802, 0x8000, 0x7c00));
  NpyArray back =
      toArray(*bytes, half, Fp16Format::F16, {1, 2, 2}, /*raw=*/false);
  EXPECT_EQ(back.dtype, "f4");
  EXPECT_THAT(back.shape, ElementsAre(1, 2, 2));
  EXPECT_THAT(as<float>(back.data), ElementsAre(2048, 2052, -0.0f, INFINITY));
  EXPECT_EQ(
      toArray(*bytes, half, Fp16Format::F16, {1, 2, 2}, /*raw=*/true).dtype,
      "f2");
}

TEST(SymbolArrays, RawBitsOfFormatsThatNumPyLacks) {
  SymbolData half{ElementKind::Float, 2, 1};
  auto given = array<uint16_t>("u2", {1, 2}, {0x3f80, 0xc000});
  for (Fp16Format format : {Fp16Format::BF16, Fp16Format::CB16}) {
    auto bytes = toSymbolBytes(given, "a.npy", "A", half, format, kTwo);
    ASSERT_TRUE(bool(bytes));
    EXPECT_THAT(as<uint16_t>(*bytes), ElementsAre(0x3f80, 0xc000));
    NpyArray raw = toArray(*bytes, half, format, {1, 2}, /*raw=*/true);
    EXPECT_EQ(raw.dtype, "u2");
    EXPECT_EQ(raw.data, given.data);
  }
  // uint16 for f16 are numbers.
  auto bytes = toSymbolBytes(array<uint16_t>("u2", {1, 2}, {1, 2}), "a.npy",
                             "A", half, Fp16Format::F16, kTwo);
  ASSERT_TRUE(bool(bytes));
  EXPECT_THAT(as<uint16_t>(*bytes), ElementsAre(0x3c00, 0x4000));
}

TEST(SymbolArrays, IntegersKeepTheirRange) {
  SymbolData word{ElementKind::Signed, 2, 1};
  EXPECT_EQ(refusal(array<int32_t>("i4", {1, 2}, {-32768, 32767}), word), "");
  EXPECT_EQ(refusal(array<int32_t>("i4", {1, 2}, {0, 32768}), word),
            "'a.npy': element [0, 1] is 32768, symbol 'A' is i16 and holds "
            "-32768 to 32767");
  SymbolData natural{ElementKind::Unsigned, 4, 1};
  EXPECT_EQ(refusal(array<int64_t>("i8", {1, 2}, {0, 4294967295}), natural),
            "");
  EXPECT_THAT(refusal(array<int64_t>("i8", {1, 2}, {-1, 0}), natural),
              HasSubstr("element [0, 0] is -1, symbol 'A' is u32 and holds 0 "
                        "to 4294967295"));
  SymbolData truth{ElementKind::Bool, 1, 1};
  EXPECT_THAT(refusal(array<uint8_t>("u1", {1, 2}, {1, 2}), truth),
              HasSubstr("is bool and holds 0 and 1"));
}

TEST(SymbolArrays, ShapesAreHeightWidthAndThePes) {
  SymbolData word{ElementKind::Signed, 2, 4};
  std::vector<int16_t> eight(8);
  EXPECT_EQ(refusal(array("i2", {1, 2, 4}, eight), word), "");
  EXPECT_EQ(refusal(array("i2", {1, 2, 2, 2}, eight), word), "");
  for (auto shape : {std::initializer_list<int64_t>{2, 1, 4},
                     {1, 2, 3},
                     {8},
                     {2, 4},
                     {1, 2}})
    EXPECT_THAT(refusal(array("i2", shape, eight), word),
                HasSubstr("symbol 'A' on 2 x 1 PEs takes [1, 2, 4], or more "
                          "dimensions in the place of the last"));
  SymbolData scalar{ElementKind::Signed, 2, 1};
  EXPECT_EQ(refusal(array<int16_t>("i2", {1, 2}, {1, 2}), scalar), "");
}

TEST(SymbolArrays, StructsAreBytes) {
  SymbolData bytes{ElementKind::Bytes, 6, 1};
  EXPECT_EQ(refusal(array("u1", {1, 2, 6}, std::vector<uint8_t>(12)), bytes),
            "");
  EXPECT_EQ(refusal(array("i2", {1, 2, 6}, std::vector<int16_t>(12)), bytes),
            "'a.npy': dtype is i2, symbol 'A' has elements of 6 bytes and "
            "takes u1");
}

TEST(SymbolArrays, Arguments) {
  auto parse = [](llvm::StringRef text, ElementKind kind, unsigned bits) {
    auto value =
        toArgument(text, "argument 1 of 'f'", kind, bits, Fp16Format::F16);
    return value ? "0x" + llvm::utohexstr(*value)
                 : llvm::toString(value.takeError());
  };
  EXPECT_EQ(parse("-1", ElementKind::Signed, 16), "0xFFFF");
  EXPECT_EQ(parse("0x10", ElementKind::Unsigned, 32), "0x10");
  EXPECT_EQ(parse("1.5", ElementKind::Float, 32), "0x3FC00000");
  EXPECT_EQ(parse(" 2", ElementKind::Float, 16), "0x4000");
  EXPECT_EQ(parse("true", ElementKind::Bool, 1), "0x1");
  EXPECT_EQ(parse("40000", ElementKind::Signed, 16),
            "argument 1 of 'f' is '40000', i16 holds -32768 to 32767");
  EXPECT_EQ(parse("x", ElementKind::Float, 32),
            "argument 1 of 'f' is 'x', f32 takes a number");
  EXPECT_EQ(parse("--1", ElementKind::Signed, 16),
            "argument 1 of 'f' is '--1', i16 takes an integer");
}

TEST(SymbolArrays, WordsOfStreams) {
  Stream stream;
  stream.name = "in";
  auto words =
      toWords(array<int16_t>("i2", {1, 2, 1}, {-1, 2}), "a.npy", stream, kTwo);
  ASSERT_TRUE(bool(words));
  EXPECT_THAT(*words, ElementsAre(0xffff, 2));
  auto wrong =
      toWords(array<int32_t>("i4", {2, 1}, {1, 2}), "a.npy", stream, kTwo);
  EXPECT_EQ(llvm::toString(wrong.takeError()),
            "'a.npy': shape is [2, 1], stream 'in' to 2 x 1 PEs takes [1, 2, "
            "n]");
}

} // namespace
