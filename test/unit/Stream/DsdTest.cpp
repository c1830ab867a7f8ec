//===- DsdTest.cpp - Tests of memory DSDs and circular buffers ------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DsdTestSupport.h"

using namespace sequin;
using namespace sequin::testing;

using Numbers = std::vector<int64_t>;

TEST(Dsd, StructForm) {
  // Strides may be left out and are 1 then; a mem1d_dsd's tuple has one entry.
  MemDsd dsd = dsdOf(DsdKind::Mem1d, 0, {2}, {10});
  EXPECT_EQ(dsd.visits(), Numbers({0, 2, 4, 6, 8, 10, 12, 14, 16, 18}));
  SEQUIN_ROW("WEX-006");
  EXPECT_EQ(dsdOf(DsdKind::Mem1d, 0, {}, {10}),
            dsdOf(DsdKind::Mem1d, 0, {1}, {10}));
  EXPECT_EQ(dsdOf(DsdKind::Mem4d, 3, {}, {4, 5}),
            dsdOf(DsdKind::Mem4d, 3, {1, 1}, {4, 5}));
  EXPECT_EQ(tupleError({1, 2, 3}, {4, 5}),
            "the mem4d_dsd has 3 strides and 2 extents, expected as many of "
            "each");
  EXPECT_EQ(tupleError({1}, {}),
            "the extent of a mem4d_dsd is empty, expected at least 1 entry");
  SEQUIN_ROW("DSD-027");
}

TEST(Dsd, StridesReadInwardsFirstAndExtentsOutwardsFirst) {
  MemDsd dsd = dsdOf(DsdKind::Mem4d, 0, {1, -2}, {2, 4});
  EXPECT_EQ(dsd.dimensions[0], (DsdDimension{.extent = 4, .stride = 1}));
  EXPECT_EQ(dsd.dimensions[1], (DsdDimension{.extent = 2, .stride = -2}));
  EXPECT_EQ(dsd.visits(), Numbers({0, 1, 2, 3, 1, 2, 3, 4}));
  EXPECT_EQ(dsd.str(), ".{.offset = 0, .stride = .{1, -2}, .extent = .{2, 4}}");
  SEQUIN_ROW("WEX-012");
  SEQUIN_ROW("DSD-027");
  SEQUIN_ROW("DSD-028");
}

TEST(Dsd, BothKindsOfStride) {
  // The four steps of A[i + j, k + l + 2], innermost first.
  Numbers extents = {5, 5, 5, 5}, absolute = {1, 1, 5, 5},
          stored = {1, -3, -3, -23};
  EXPECT_EQ(numbersOf(carryAdjusted(absolute, extents)), stored);
  EXPECT_EQ(numbersOf(absoluteStrides(stored, extents)), absolute);
  SEQUIN_ROW("DSD-029");
  SEQUIN_ROW("WEX-011");
  // The outermost extent plays no part.
  extents.back() = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(numbersOf(carryAdjusted(absolute, extents)), stored);
  // Loops of one iteration and of none convert both ways.
  for (int64_t extent : {0, 1}) {
    Numbers few = {3, extent, 2};
    auto there = carryAdjusted({2, 7, -5}, few);
    ASSERT_TRUE(bool(there));
    EXPECT_EQ(numbersOf(absoluteStrides(*there, few)), Numbers({2, 7, -5}));
  }
}

TEST(Dsd, ConversionRefusesOverflow) {
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  constexpr int64_t least = std::numeric_limits<int64_t>::min();
  auto error = [](auto convert, const Numbers &strides,
                  const Numbers &extents) -> std::string {
    auto result = convert(strides, extents);
    return result ? "accepted" : llvm::toString(result.takeError());
  };
  const char *large = "stride 1 of the DSD does not fit in 64 bits";
  EXPECT_EQ(error(carryAdjusted, {most, 1}, {3, 2}), large);
  EXPECT_EQ(error(absoluteStrides, {most, 1}, {3, 2}), large);
  EXPECT_EQ(error(carryAdjusted, {1, least}, {3, 2}), large);
  EXPECT_EQ(error(carryAdjusted, {1, 1}, {least, 2}), large);
  EXPECT_EQ(error(carryAdjusted, {1, least + 2}, {3, 2}), "accepted");
  EXPECT_EQ(error(absoluteStrides, {1}, {3, 2}),
            "the DSD has 1 strides and 2 extents, expected as many of each");
}

TEST(Dsd, CountAndRange) {
  MemDsd dsd = dsdOf(DsdKind::Mem4d, 2, {1, -3, -3, -23}, {5, 5, 5, 5});
  EXPECT_EQ(dsd.visitCount(), 625);
  auto range = dsd.range();
  ASSERT_TRUE(range && *range);
  EXPECT_EQ((*range)->lowest, 2);
  EXPECT_EQ((*range)->highest, 50);
  MemDsd backwards = dsdOf(DsdKind::Mem1d, 0, {-3}, {4});
  auto below = backwards.range();
  ASSERT_TRUE(below && *below);
  EXPECT_EQ((*below)->lowest, -9);
  EXPECT_EQ((*below)->highest, 0);

  MemDsd none = dsdOf(DsdKind::Mem4d, 0, {1, 1}, {int64_t(1) << 62, 0});
  EXPECT_EQ(none.visitCount(), 0);
  EXPECT_TRUE(none.visits().empty());
  auto noRange = none.range();
  ASSERT_TRUE(bool(noRange));
  EXPECT_FALSE(*noRange);

  Numbers full(4, int64_t(1) << 16);
  MemDsd large = dsdOf(DsdKind::Mem4d, 0, {}, full);
  EXPECT_EQ(large.visitCount(), std::nullopt);
  MemDsd far =
      dsdOf(DsdKind::Mem1d, std::numeric_limits<int64_t>::max(), {1}, {2});
  auto farRange = far.range();
  ASSERT_FALSE(bool(farRange));
  EXPECT_EQ(llvm::toString(farRange.takeError()),
            "an address of the mem1d_dsd does not fit in 64 bits");
}

TEST(Dsd, IncrementedOffset) {
  MemDsd square = lowered("|i, j|{2, 2} -> A[i + 1, j + 1]", {10, 10});
  EXPECT_EQ(square.str(),
            ".{.offset = 11, .stride = .{1, 9}, .extent = .{2, 2}}");
  EXPECT_EQ(square.visits(), Numbers({11, 12, 21, 22}));
  auto moved = square.movedBy(-10);
  ASSERT_TRUE(bool(moved));
  EXPECT_EQ(moved->visits(), Numbers({1, 2, 11, 12}));
  SEQUIN_ROW("WEX-019");
  auto far = square.movedBy(std::numeric_limits<int64_t>::max());
  ASSERT_FALSE(bool(far));
  EXPECT_EQ(llvm::toString(far.takeError()),
            "the offset of the mem4d_dsd does not fit in 64 bits");
}

//===----------------------------------------------------------------------===//
// Limits
//===----------------------------------------------------------------------===//

namespace {

class DsdLimit : public ::testing::TestWithParam<const CslMachine *> {
protected:
  std::string violationOf(const MemDsd &dsd) {
    auto violation = check(dsd, GetParam()->dsd);
    return violation ? describe(*violation, "the PE") : "accepted";
  }
  std::string violationOf(const CircularDsd &dsd) {
    auto violation = check(dsd, GetParam()->dsd);
    return violation ? describe(*violation, "the PE") : "accepted";
  }
};

} // namespace

TEST_P(DsdLimit, Mem1dStride) {
  for (int64_t stride : {-128, 0, 127})
    EXPECT_EQ(violationOf(dsdOf(DsdKind::Mem1d, 0, {stride}, {4})), "accepted");
  EXPECT_EQ(violationOf(dsdOf(DsdKind::Mem1d, 0, {128}, {4})),
            "stride of the mem1d_dsd is 128, the PE allows -128 to 127");
  EXPECT_EQ(violationOf(dsdOf(DsdKind::Mem1d, 0, {-129}, {4})),
            "stride of the mem1d_dsd is -129, the PE allows -128 to 127");
  SEQUIN_ROW("DSD-007");
}

TEST_P(DsdLimit, Mem4dStride) {
  for (int64_t stride : {-32768, 0, 32767})
    EXPECT_EQ(violationOf(dsdOf(DsdKind::Mem4d, 0, {1, stride}, {4, 4})),
              "accepted");
  EXPECT_EQ(violationOf(dsdOf(DsdKind::Mem4d, 0, {1, 32768}, {4, 4})),
            "stride 1 of the mem4d_dsd is 32768, the PE allows -32768 to "
            "32767");
  // Where the access is known, so is the variable.
  EXPECT_EQ(violationOf(lowered("|i,j|{4,4} -> A[-50000*i + j]", {9})),
            "stride 1 (variable 'i') of the mem4d_dsd is -50003, the PE allows "
            "-32768 to 32767");
  SEQUIN_ROW("DSD-027");
}

TEST_P(DsdLimit, Offset) {
  for (int64_t offset : {-32768, 32767})
    for (DsdKind kind : {DsdKind::Mem1d, DsdKind::Mem4d})
      EXPECT_EQ(violationOf(dsdOf(kind, offset, {1}, {4})), "accepted");
  EXPECT_EQ(violationOf(dsdOf(DsdKind::Mem1d, 32768, {1}, {4})),
            "offset of the mem1d_dsd is 32768, the PE allows -32768 to 32767");
  SEQUIN_ROW("DSD-008");
  EXPECT_EQ(violationOf(dsdOf(DsdKind::Mem4d, -32769, {1}, {4})),
            "offset of the mem4d_dsd is -32769, the PE allows -32768 to 32767");
  SEQUIN_ROW("DSD-026");
}

TEST_P(DsdLimit, Extent) {
  for (int64_t extent : {0, 65535})
    for (DsdKind kind : {DsdKind::Mem1d, DsdKind::Mem4d})
      EXPECT_EQ(violationOf(dsdOf(kind, 0, {1}, {extent})), "accepted");
  EXPECT_EQ(violationOf(dsdOf(DsdKind::Mem1d, 0, {1}, {65536})),
            "extent of the mem1d_dsd is 65536, the PE allows 0 to 65535");
  SEQUIN_ROW("DSD-006");
  EXPECT_EQ(violationOf(dsdOf(DsdKind::Mem4d, 0, {}, {-1, 3})),
            "extent 1 of the mem4d_dsd is -1, the PE allows 0 to 65535");
  SEQUIN_ROW("DSD-028");
}

TEST_P(DsdLimit, Dimensions) {
  EXPECT_EQ(violationOf(dsdOf(DsdKind::Mem4d, 0, {}, {2})), "accepted");
  EXPECT_EQ(violationOf(dsdOf(DsdKind::Mem4d, 0, {}, {2, 2, 2, 2})),
            "accepted");
  EXPECT_EQ(violationOf(dsdOf(DsdKind::Mem4d, 0, {}, {2, 2, 2, 2, 2})),
            "number of dimensions of the mem4d_dsd is 5, the PE allows 1 to 4");
  EXPECT_EQ(violationOf(dsdOf(DsdKind::Mem1d, 0, {}, {2, 2})),
            "number of dimensions of the mem1d_dsd is 2, the PE allows 1");
  SEQUIN_ROW("DSD-024");
}

TEST_P(DsdLimit, CircularBuffer) {
  EXPECT_EQ(violationOf(CircularDsd{.extent = 65535, .wraparound = 65535}),
            "accepted");
  EXPECT_EQ(violationOf(CircularDsd{.extent = 65536, .wraparound = 5}),
            "extent of the circbuf_dsd is 65536, the PE allows 0 to 65535");
  EXPECT_EQ(violationOf(CircularDsd{.extent = 5, .wraparound = 65536}),
            "wraparound of the circbuf_dsd is 65536, the PE allows 1 to 65535");
  SEQUIN_ROW("DSD-040");
}

INSTANTIATE_TEST_SUITE_P(All, DsdLimit, ::testing::ValuesIn(cslMachines()));

//===----------------------------------------------------------------------===//
// Fewer dimensions
//===----------------------------------------------------------------------===//

TEST(Dsd, SimplifyMerges) {
  const DsdLimits &limits = lookupCslMachine("wse3")->dsd;
  auto simple = [&](llvm::StringRef access, llvm::ArrayRef<int64_t> shape) {
    MemDsd dsd = simplify(lowered(access, shape), limits);
    return getName(dsd.kind).str() + dsd.str();
  };
  // A whole array is one run, as is a row, and one element again and again.
  EXPECT_EQ(simple("|i,j,k|{2,3,4} -> A[i,j,k]", {2, 3, 4}),
            "mem1d.{.offset = 0, .stride = .{1}, .extent = .{24}}");
  EXPECT_EQ(simple("|i,j|{1,4} -> A[i,j]", {3, 4}),
            "mem1d.{.offset = 0, .stride = .{1}, .extent = .{4}}");
  EXPECT_EQ(simple("|i,j|{5,6} -> A[3]", {9}),
            "mem1d.{.offset = 3, .stride = .{0}, .extent = .{30}}");
  // Five loops fit four dimensions where two of them are one run: the absolute
  // strides are 1, 4, 8, 24, 72.
  EXPECT_EQ(simple("|a,b,c,d,e|{2,2,2,2,2} -> A[a,b,c,2*d,e]", {3, 3, 3, 4, 2}),
            "mem4d.{.offset = 0, .stride = .{1, 3, 11, 35}, .extent = .{2, 2, "
            "4, 2}}");
  // A column of a wide array needs the wider stride of a mem4d_dsd.
  EXPECT_EQ(simple("|i|{4} -> A[i,0]", {4, 127}),
            "mem1d.{.offset = 0, .stride = .{127}, .extent = .{4}}");
  EXPECT_EQ(simple("|i|{4} -> A[i,0]", {4, 128}),
            "mem4d.{.offset = 0, .stride = .{128}, .extent = .{4}}");
  // The stride of a loop of one iteration does not matter.
  EXPECT_EQ(simple("|i|{1} -> A[i,0]", {4, 128}),
            "mem1d.{.offset = 0, .stride = .{1}, .extent = .{1}}");
  EXPECT_EQ(simple("|i,j|{7,0} -> A[i + j + 5]", {4}),
            "mem1d.{.offset = 5, .stride = .{1}, .extent = .{0}}");
  // Nothing merges past the limit of an extent.
  EXPECT_EQ(simple("|i,j|{3,21845} -> A[i,j]", {3, 21845}),
            "mem1d.{.offset = 0, .stride = .{1}, .extent = .{65535}}");
  EXPECT_EQ(simple("|i,j|{4,16384} -> A[i,j]", {4, 16384}),
            "mem4d.{.offset = 0, .stride = .{1, 1}, .extent = .{4, 16384}}");
  EXPECT_EQ(simplify(lowered("|i,j|{2,3} -> A[i,j]", {2, 3}), limits)
                .dimensions[0]
                .variable,
            "i,j");
}

//===----------------------------------------------------------------------===//
// Circular buffers
//===----------------------------------------------------------------------===//

TEST(Dsd, CircularBuffers) {
  auto circular = [](int64_t extent, std::optional<int64_t> wraparound,
                     std::optional<int64_t> elements) {
    auto dsd = CircularDsd::make(extent, wraparound, elements);
    EXPECT_TRUE(bool(dsd)) << llvm::toString(dsd.takeError());
    return dsd ? *dsd : CircularDsd();
  };
  auto error = [](int64_t extent, std::optional<int64_t> wraparound,
                  std::optional<int64_t> elements) -> std::string {
    auto dsd = CircularDsd::make(extent, wraparound, elements);
    return dsd ? "accepted" : llvm::toString(dsd.takeError());
  };
  auto rounds = [](int64_t count, int64_t size) {
    Numbers result;
    for (int64_t i = 0; i < count * size; ++i)
      result.push_back(i % size);
    return result;
  };
  EXPECT_EQ(circular(20, {}, 10).wraparound, 10);
  EXPECT_EQ(circular(20, {}, 10).visits(), rounds(2, 10));
  SEQUIN_ROW("WEX-015");
  SEQUIN_ROW("DSD-039");
  SEQUIN_ROW("DSD-041");
  EXPECT_EQ(circular(20, 5, 10).visits(), rounds(4, 5));
  SEQUIN_ROW("WEX-016");
  EXPECT_EQ(circular(20, 10, 10).visits(), rounds(2, 10));
  EXPECT_EQ(error(20, 11, 10),
            "wraparound of the circbuf_dsd is 11, the tensor allows at most "
            "its 10 elements");
  EXPECT_EQ(error(20, 15, 10),
            "wraparound of the circbuf_dsd is 15, the tensor allows at most "
            "its 10 elements");
  SEQUIN_ROW("WEX-017");
  SEQUIN_ROW("DSD-040");
  EXPECT_EQ(circular(20, 5, {}).visits(), rounds(4, 5));
  EXPECT_EQ(error(20, {}, {}),
            "the circbuf_dsd has no wraparound, expected one because its base "
            "address is a pointer to a scalar");
  SEQUIN_ROW("WEX-018");
  EXPECT_EQ(error(-1, 5, 10),
            "extent of the circbuf_dsd is -1, expected at least 0");
  EXPECT_EQ(error(5, 0, 10),
            "wraparound of the circbuf_dsd is 0, expected at least 1");
  EXPECT_TRUE(circular(0, 5, 10).visits().empty());
}

TEST(Dsd, CircularHeadContinues) {
  for (int64_t wraparound : {1, 2, 5, 7})
    for (int64_t extent = 0; extent < 17; ++extent)
      for (int64_t head = 0; head < wraparound; ++head) {
        CircularDsd dsd{extent, wraparound};
        // A first operation and the one after it are a single longer one.
        Numbers twice = dsd.visits(head),
                rest = dsd.visits(dsd.headAfter(head));
        twice.insert(twice.end(), rest.begin(), rest.end());
        CircularDsd both{2 * extent, wraparound};
        ASSERT_EQ(twice, both.visits(head))
            << extent << " of " << wraparound << " from " << head;
      }
  SEQUIN_ROW("DSD-042");
}
