//===- PrinterTest.cpp - Kernel source printed and read again -------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parsed.h"

using sequin::testing::Parsed;
using sequin::testing::readInput;

namespace {

TEST(VisaPrinter, TheTreeStays) {
  for (const char *name : {"forms.rs", "mlp.rs", "scale.rs"}) {
    Parsed first(readInput(name));
    ASSERT_EQ(first.errors(), "") << name;
    Parsed second(first.printed());
    EXPECT_EQ(second.errors(), "") << first.printed();
    EXPECT_TRUE(second.tree() == first.tree()) << first.printed();
  }
}

TEST(VisaPrinter, Layout) {
  Parsed parsed(
      "#[device(chip=1)]fn k(ctx:&mut Context,x:&HbmTensor<i8,m![1],m![A,B]>)"
      "->HbmTensor<i8,m![1],m![A,B]>{let y=ctx.main.begin(x.view()).fetch::<i8"
      ",m![A],m![B]>().collect::<m![A],m![B]>().commit(0);/* gone */f(1,2)}");
  EXPECT_EQ(parsed.errors(), "");
  EXPECT_EQ(parsed.printed(), "#[device(chip = 1)]\n"
                              "fn k(\n"
                              "    ctx: &mut Context,\n"
                              "    x: &HbmTensor<i8, m![1], m![A, B]>,\n"
                              ") -> HbmTensor<i8, m![1], m![A, B]> {\n"
                              "    let y = ctx.main\n"
                              "        .begin(x.view())\n"
                              "        .fetch::<i8, m![A], m![B]>()\n"
                              "        .collect::<m![A], m![B]>()\n"
                              "        .commit(0);\n"
                              "    f(1, 2)\n"
                              "}\n");
}

} // namespace
