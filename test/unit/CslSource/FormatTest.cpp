//===- FormatTest.cpp - CSL source in one form ----------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parsed.h"
#include "gtest/gtest.h"

using namespace sequin;
using llvm::StringRef;
using sequin::testing::Parsed;

namespace {

std::string formatted(StringRef text, unsigned columns = 80) {
  Parsed parsed(text);
  EXPECT_EQ(parsed.errors(), "");
  std::string once = parsed.formatted({.indent = 2, .columns = columns});
  Parsed again(once);
  EXPECT_EQ(again.errors(), "");
  EXPECT_EQ(again.formatted({.indent = 2, .columns = columns}), once);
  return once;
}

TEST(CslFormat, Blanks) {
  EXPECT_EQ(formatted("const   x:u16=1+2*-3 ;var y:[2,3]f32;"),
            "const x: u16 = 1 + 2 * -3;\nvar y: [2, 3]f32;\n");
  EXPECT_EQ(formatted("fn f( a:u16,b:*const fn(i16)void )void{return;}"),
            "fn f(a: u16, b: *const fn(i16) void) void {\n  return;\n}\n");
  EXPECT_EQ(formatted("const d=|i,j|{2,3}->A[i,2*j];"),
            "const d = |i, j|{2, 3} -> A[i, 2 * j];\n");
  EXPECT_EQ(formatted("comptime{}\nlayout{ }"), "comptime {}\nlayout {}\n");
}

TEST(CslFormat, KeepsWhatIsFree) {
  EXPECT_EQ(formatted("task t() {}"), "task t() {}\n");
  EXPECT_EQ(formatted("var x:u16 linkname(\"a\") align(4)=0;"),
            "var x: u16 linkname(\"a\") align(4) = 0;\n");
  EXPECT_EQ(formatted("fn f() linkname(\"a\") void {}"),
            "fn f() void linkname(\"a\") {}\n");
}

TEST(CslFormat, EmptyLines) {
  EXPECT_EQ(formatted("\n\nconst a = 1;\n\n\n\nconst b = 2;\nconst c = 3;\n"),
            "const a = 1;\n\nconst b = 2;\nconst c = 3;\n");
  EXPECT_EQ(formatted("fn f() void {\n\n  a();\n\n\n  b();\n\n}"),
            "fn f() void {\n  a();\n\n  b();\n}\n");
}

TEST(CslFormat, CommentsStay) {
  EXPECT_EQ(formatted("//! Top.\n\n//before\nconst a = 1;   // behind\n"
                      "fn f() void { // in the head\n  // own\n  a();//b\n"
                      "  // last\n}\n// end\n"),
            "//! Top.\n\n//before\nconst a = 1; // behind\n"
            "fn f() void {\n  // in the head\n  // own\n  a(); //b\n"
            "  // last\n}\n// end\n");
  EXPECT_EQ(formatted("const a = f(b, // first\n  c);\n"),
            "const a = f(\n  b, // first\n  c,\n);\n");
  EXPECT_EQ(formatted("const a = .{ .b = 1, // one\n .c = 2 // two\n};\n"),
            "const a = .{\n  .b = 1, // one\n  .c = 2, // two\n};\n");
  EXPECT_EQ(formatted("const a = b + // why\n  c;\n"),
            "const a = b + c;\n// why\n");
  EXPECT_EQ(formatted("// only\n"), "// only\n");
}

TEST(CslFormat, LongLinesAreBroken) {
  EXPECT_EQ(formatted("const a = function(first, second, third);", 30),
            "const a = function(\n  first,\n  second,\n  third,\n);\n");
  EXPECT_EQ(formatted("const a = f(x, .{ .first = 1, .second = 2 });", 30),
            "const a = f(x, .{\n  .first = 1,\n  .second = 2,\n});\n");
  EXPECT_EQ(formatted("const a = if (c) first else second_one;", 30),
            "const a = if (c)\n  first\nelse second_one;\n");
  EXPECT_EQ(formatted("const aaa = bbbbbbbbbb + cccccccccc + dddddddd;", 30),
            "const aaa = bbbbbbbbbb +\n    cccccccccc + dddddddd;\n");
  EXPECT_EQ(formatted("fn f(first: u16, second: u16) void {}", 30),
            "fn f(\n  first: u16,\n  second: u16,\n) void {}\n");
  // One comma more asks for lines.
  EXPECT_EQ(formatted("const a = .{ 1, 2, };"),
            "const a = .{\n  1,\n  2,\n};\n");
  EXPECT_EQ(formatted("const a = .{ 1, 2 };"), "const a = .{ 1, 2 };\n");
}

TEST(CslFormat, Statements) {
  EXPECT_EQ(formatted("fn f() void { if (a) b() else if (c) {d();} else e(); "
                      "for (x) |y,i| z(); while(a):(i+=1){} "
                      "switch(x){1,2=>{},else=>a=b} l: {break :l 1;} "
                      "comptime {a+=1;} }"),
            "fn f() void {\n"
            "  if (a)\n"
            "    b()\n"
            "  else if (c) {\n"
            "    d();\n"
            "  } else e();\n"
            "  for (x) |y, i| z();\n"
            "  while (a) : (i += 1) {}\n"
            "  switch (x) {\n"
            "    1, 2 => {},\n"
            "    else => a = b,\n"
            "  }\n"
            "  l: {\n"
            "    break :l 1;\n"
            "  }\n"
            "  comptime {\n"
            "    a += 1;\n"
            "  }\n"
            "}\n");
}

TEST(CslFormat, ToStringIsOneLine) {
  Parsed parsed("const x = f(.{ .a = [2]u16 { 1, 2 } }, b: { c(); });");
  ASSERT_TRUE(parsed.init());
  EXPECT_EQ(csl_source::toString(*parsed.init()),
            "f(.{ .a = [2]u16 { 1, 2 } }, b: { c(); })");
  EXPECT_EQ(csl_source::toLine(*parsed.init()), std::nullopt);
}

} // namespace
