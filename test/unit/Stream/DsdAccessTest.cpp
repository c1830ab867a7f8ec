//===- DsdAccessTest.cpp - Tests of tensor access expressions -------------===//
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

TEST(DsdAccess, OneVariable) {
  MemDsd ten = lowered("|i|{10} -> array[i]", {10});
  EXPECT_EQ(ten, dsdOf(DsdKind::Mem1d, 0, {1}, {10}));
  EXPECT_EQ(ten.visits(), Numbers({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
  SEQUIN_ROW("WEX-001");
  MemDsd odd = lowered("|i|{5} -> array[2 * i + 1]", {10});
  EXPECT_EQ(odd, dsdOf(DsdKind::Mem1d, 1, {2}, {5}));
  EXPECT_EQ(odd.visits(), Numbers({1, 3, 5, 7, 9}));
  SEQUIN_ROW("WEX-002");
  MemDsd first = lowered("|i|{10} -> array[0]", {10});
  EXPECT_EQ(first, dsdOf(DsdKind::Mem1d, 0, {0}, {10}));
  EXPECT_EQ(first.visits(), Numbers(10, 0));
  SEQUIN_ROW("WEX-003");
  SEQUIN_ROW("DSD-017");
  MemDsd diagonal = lowered("|i|{20} -> array[i,i]", {20, 20});
  EXPECT_EQ(diagonal, dsdOf(DsdKind::Mem1d, 0, {21}, {20}));
  EXPECT_EQ(diagonal.visits().back(), 399);
  SEQUIN_ROW("WEX-004");
  SEQUIN_ROW("DSD-004");
  SEQUIN_ROW("DSD-018");
}

TEST(DsdAccess, OutsideTheArray) {
  MemDsd dsd = lowered("|i|{10} -> A[2*i + 42]", {10});
  EXPECT_EQ(dsd, dsdOf(DsdKind::Mem1d, 42, {2}, {10}));
  auto range = valueOf(dsd.range());
  ASSERT_TRUE(range.has_value());
  EXPECT_EQ(range->lowest, 42);
  EXPECT_EQ(range->highest, 60);
  EXPECT_FALSE(check(dsd, lookupCslMachine("wse2")->dsd));
  SEQUIN_ROW("WEX-005");
  SEQUIN_ROW("DSD-023");
}

TEST(DsdAccess, SeveralVariables) {
  MemDsd subset = lowered("|i,j|{2,2} -> array[i, j]", {4, 3});
  EXPECT_EQ(subset, dsdOf(DsdKind::Mem4d, 0, {1, 2}, {2, 2}));
  EXPECT_EQ(subset.visits(), Numbers({0, 1, 3, 4}));
  SEQUIN_ROW("WEX-007");
  SEQUIN_ROW("DSD-030");
  MemDsd four =
      lowered("|i,j,k,l|{1,2,1,4} -> array[i, j, 1+k, l]", {1, 2, 3, 4});
  EXPECT_EQ(four, dsdOf(DsdKind::Mem4d, 4, {1, 1, 9, 9}, {1, 2, 1, 4}));
  EXPECT_EQ(four.visits(), Numbers({4, 5, 6, 7, 16, 17, 18, 19}));
  SEQUIN_ROW("WEX-008");
  MemDsd flat = lowered("|i,j,k,l|{1,1,1,1} -> array[i + j + k + l]", {10});
  EXPECT_EQ(flat, dsdOf(DsdKind::Mem4d, 0, {1, 1, 1, 1}, {1, 1, 1, 1}));
  EXPECT_EQ(flat.visits(), Numbers({0}));
  SEQUIN_ROW("WEX-009");
  SEQUIN_ROW("DSD-031");
  SEQUIN_ROW("DSD-033");
  MemDsd sliding = lowered("|i,j|{5,5} -> A[2*i + j]", {20});
  EXPECT_EQ(sliding, dsdOf(DsdKind::Mem4d, 0, {1, -2}, {5, 5}));
  EXPECT_EQ(sliding.visits(),
            Numbers({0, 1, 2, 3, 4, 2, 3,  4, 5, 6,  4,  5, 6,
                     7, 8, 6, 7, 8, 9, 10, 8, 9, 10, 11, 12}));
  SEQUIN_ROW("WEX-010");
  MemDsd complex =
      lowered("|i, j, k, l|{5, 5, 5, 5} -> A[i + j, k + l + 2]", {4, 5});
  EXPECT_EQ(complex, dsdOf(DsdKind::Mem4d, 2, {1, -3, -3, -23}, {5, 5, 5, 5}));
  SEQUIN_ROW("WEX-011");
  SEQUIN_ROW("DSD-023");
}

TEST(DsdAccess, ZeroStrideDestinationKeepsTheLast) {
  Numbers source = {0, 1, 2, 3, 4, 5, 6, 7}, destination = {-1};
  Numbers from = lowered("|i|{4} -> src[2*i]", {8}).visits();
  Numbers to = lowered("|i|{4} -> dst[0]", {1}).visits();
  ASSERT_EQ(from.size(), to.size());
  for (size_t i = 0; i < from.size(); ++i)
    destination[to[i]] = source[from[i]];
  EXPECT_EQ(destination, Numbers({6}));
  SEQUIN_ROW("WEX-013");
}

TEST(DsdAccess, OneVariableAsMem4d) {
  auto access = valueOf(TensorAccess::parse("|i|{4} -> A[i, 0]"));
  MemDsd dsd = valueOf(access.lower({4, 200}, DsdKind::Mem4d));
  EXPECT_EQ(dsd, dsdOf(DsdKind::Mem4d, 0, {200}, {4}));
  SEQUIN_ROW("DSD-024");
}

TEST(DsdAccess, Expressions) {
  auto text = [](llvm::StringRef access) {
    return valueOf(TensorAccess::parse(access)).str();
  };
  EXPECT_EQ(text("|i,j|{5,6}->A[i,j]"), "|i,j|{5,6} -> A[i, j]");
  EXPECT_EQ(text("|i|{4}->A[-(i-3)*2]"), "|i|{4} -> A[-2*i + 6]");
  EXPECT_EQ(text("|i|{4}->A[2*(3-i)*-1]"), "|i|{4} -> A[2*i - 6]");
  EXPECT_EQ(text("|i|{4}->A[i-i]"), "|i|{4} -> A[0]");
  EXPECT_EQ(text("|i|{4}->A[i*(i-i+3)]"), "|i|{4} -> A[3*i]");
  EXPECT_EQ(text("|i|{4}->A[- - i]"), "|i|{4} -> A[i]");
  EXPECT_EQ(text("|i|{(1+2)*4,}->A[i,]"), "|i|{12} -> A[i]");
  EXPECT_EQ(text("|i,|{7/2}->A[i+7%4]"), "|i|{3} -> A[i + 3]");
  EXPECT_EQ(text("|i|{4}->A[-7/2*i + -7%4]"), "|i|{4} -> A[-3*i - 3]");
  EXPECT_EQ(text("|_x,y_2|{0x1_0,0b11}->T[_x*0o17+y_2+1_000]"),
            "|_x,y_2|{16,3} -> T[15*_x + y_2 + 1000]");
  EXPECT_EQ(text("\t|i|\n{ 007 } -> A [ 2*i ]\n"), "|i|{7} -> A[2*i]");
  SEQUIN_ROW("DSD-013");
  SEQUIN_ROW("DSD-014");
  SEQUIN_ROW("DSD-016");
  // The largest numbers, and a length that no machine has.
  EXPECT_EQ(text("|i|{9223372036854775807} -> A[i - 9223372036854775807]"),
            "|i|{9223372036854775807} -> A[i - 9223372036854775807]");
}

namespace {
struct Refusal {
  const char *text, *message;
};
} // namespace

TEST(DsdAccess, Refusals) {
  const Refusal refusals[] = {
      {"", "column 1 of '': expected '|' and the induction variables, found "
           "the end of the text"},
      {"|", "column 2 of '|': expected an induction variable, found the end of "
            "the text"},
      {"|i|", "column 4 of '|i|': expected '{' and the lengths, found the end "
              "of the text"},
      {"|i j|{1}", "column 4 of '|i j|{1}': expected ',' or '|', found 'j'"},
      {"|i,i|{1,1} -> A[i]", "column 4 of '|i,i|{1,1} -> A[i]': induction "
                             "variable 'i' is given twice"},
      {"|i|{1,2} -> A[i]", "column 7 of '|i|{1,2} -> A[i]': expected 1 "
                           "lengths, one per induction variable, found more"},
      {"|i,j|{1} -> A[i]", "column 8 of '|i,j|{1} -> A[i]': expected 2 "
                           "lengths, one per induction variable, found 1"},
      {"|i|{-1} -> A[i]", "column 5 of '|i|{-1} -> A[i]': length of 'i' is -1, "
                          "expected at least 0"},
      {"|i|{i} -> A[i]", "column 5 of '|i|{i} -> A[i]': lengths are constant, "
                         "found the name 'i'"},
      {"|i|{4 -> A[i]", "column 7 of '|i|{4 -> A[i]': expected an operator, "
                        "',' or '}', found '-'"},
      {"|i|{4} A[i]", "column 8 of '|i|{4} A[i]': expected '->', found 'A'"},
      {"|i|{4} -> &A[i]", "column 11 of '|i|{4} -> &A[i]': expected the name "
                          "of an array, found '&'"},
      {"|i|{4} -> A.b[i]", "column 12 of '|i|{4} -> A.b[i]': expected '[' and "
                           "the index expressions, found '.'"},
      {"|i|{4} -> A[]", "column 13 of '|i|{4} -> A[]': expected a number, an "
                        "induction variable, '-' or '(', found ']'"},
      {"|i|{4} -> A[i", "column 14 of '|i|{4} -> A[i': expected an operator, "
                        "',' or ']', found the end of the text"},
      {"|i|{4} -> A[(i]", "column 15 of '|i|{4} -> A[(i]': expected an "
                          "operator or ')', found ']'"},
      {"|i|{4} -> A[i] x", "column 16 of '|i|{4} -> A[i] x': expected the end "
                           "of the text, found 'x'"},
      {"|i|{4} -> A[j]", "column 13 of '|i|{4} -> A[j]': 'j' is no induction "
                         "variable, known are i"},
      {"|i|{4} -> A[i*i]", "column 14 of '|i|{4} -> A[i*i]': the index is not "
                           "affine: both sides of '*' hold an induction "
                           "variable"},
      {"|i|{4} -> A[i/2]", "column 14 of '|i|{4} -> A[i/2]': the index is not "
                           "affine: a side of '/' holds an induction variable"},
      {"|i|{4} -> A[7%i]", "column 14 of '|i|{4} -> A[7%i]': the index is not "
                           "affine: a side of '%' holds an induction variable"},
      {"|i|{4} -> A[7/(2-2)]", "column 14 of '|i|{4} -> A[7/(2-2)]': division "
                               "by zero"},
      {"|i|{4} -> A[2i]", "column 13 of '|i|{4} -> A[2i]': '2i' is no integer "
                          "literal"},
      {"|i|{4} -> A[1_]", "column 13 of '|i|{4} -> A[1_]': '1_' is no integer "
                          "literal"},
      {"|i|{4} -> A[0b2]", "column 13 of '|i|{4} -> A[0b2]': '0b2' is no "
                           "integer literal"},
      {"|i|{4} -> A[0x]", "column 13 of '|i|{4} -> A[0x]': '0x' is no integer "
                          "literal"},
      {"|i|{4} -> A[\x01]", "column 13 of '|i|{4} -> A[?]': expected a number, "
                            "an induction variable, '-' or '(', found byte 1"},
      // Numbers up to 2^63 - 1.
      {"|i|{9223372036854775808} -> A[i]",
       "column 5 of '|i|{9223372036854775808} -> A[i]': number "
       "9223372036854775808 does not fit in 64 bits"},
      {"|i|{4} -> A[9223372036854775807 + 1]",
       "column 33 of '|i|{4} -> A[9223372036854775807 + 1]': a number of the "
       "expression does not fit in 64 bits"},
      {"|i|{4} -> A[4611686018427387904*i*2]",
       "column 34 of '|i|{4} -> A[4611686018427387904*i*2]': a number of the "
       "expression does not fit in 64 bits"},
      {"|i|{4} -> A[(-9223372036854775807 - 1) / -1]",
       "column 40 of '|i|{4} -> A[(-9223372036854775807 - 1) / -1]': a number "
       "of the expression does not fit in 64 bits"},
      // One index per dimension of the array, here one.
      {"|i|{4} -> A[i,i]", "the access has 2 index expressions, expected 1 "
                           "because 'A' has the shape [20]"},
  };
  for (const Refusal &refusal : refusals)
    EXPECT_EQ(accessError(refusal.text), refusal.message);
  SEQUIN_ROW("DSD-013");
  SEQUIN_ROW("DSD-014");
  SEQUIN_ROW("DSD-015");
  SEQUIN_ROW("DSD-016");
}

TEST(DsdAccess, LoweringRefusesOverflow) {
  constexpr int64_t large = int64_t(1) << 40;
  EXPECT_EQ(accessError("|i|{4} -> A[i,0]", {large, large}),
            "the shape [1099511627776,1099511627776] has more elements than "
            "fit in 64 bits");
  EXPECT_EQ(accessError("|i|{4} -> A[8388608*i,0]", {1, large}),
            "the stride of 'i' does not fit in 64 bits");
  EXPECT_EQ(accessError("|i|{4} -> A[8388608,0]", {1, large}),
            "the offset of the access does not fit in 64 bits");
  EXPECT_EQ(accessError("|i,j|{4,4} -> A[9223372036854775807*j + i]", {1}),
            "stride 1 of the DSD does not fit in 64 bits");
}

TEST(DsdAccess, DepthAndLength) {
  auto nested = [](unsigned depth, char open, llvm::StringRef close) {
    std::string text = "|i|{4} -> A[" + std::string(depth, open) + "i";
    for (unsigned d = 0; d < depth; ++d)
      text += close;
    return accessError(text + "]");
  };
  for (auto [open, close] : {std::pair('(', ")"), std::pair('-', "")}) {
    EXPECT_EQ(nested(TensorAccess::maxDepth, open, close), "accepted");
    for (unsigned depth : {TensorAccess::maxDepth + 1, 30000u})
      EXPECT_NE(nested(depth, open, close)
                    .find("the expression nests deeper than 64 levels"),
                std::string::npos);
  }
  std::string sum = "|i|{4} -> A[i";
  while (sum.size() + 3 <= TensorAccess::maxTextLength)
    sum += "+i";
  EXPECT_EQ(accessError(sum + "]"), "accepted");
  EXPECT_EQ(accessError(std::string(TensorAccess::maxTextLength + 1, ' ')),
            "tensor access has 65537 characters, at most 65536 are allowed");
  std::string variables = "|a0";
  for (size_t v = 1; v <= TensorAccess::maxVariables; ++v)
    variables += ",a" + std::to_string(v);
  EXPECT_NE(accessError(variables).find("more than 64 induction variables"),
            std::string::npos);
}

TEST(DsdAccess, Shapes) {
  auto error = [](llvm::StringRef text) -> std::string {
    auto shape = parseArrayShape(text);
    return shape ? "accepted" : llvm::toString(shape.takeError());
  };
  EXPECT_EQ(valueOf(parseArrayShape(" 4, 5")),
            (llvm::SmallVector<int64_t, 4>{4, 5}));
  const char *reason =
      " is no array size, expected a number of at least 1 that fits in 64 bits";
  for (const char *bad : {"", "0", "-3", "x", "9223372036854775808"})
    EXPECT_EQ(error(bad), "'" + std::string(bad) + "'" + reason);
  EXPECT_EQ(error("4,,5"), std::string("''") + reason);
  EXPECT_EQ(valueOf(elementCount({4, 5, 6})), 120);
}
