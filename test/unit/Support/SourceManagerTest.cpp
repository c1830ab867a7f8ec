//===- SourceManagerTest.cpp - Files, places and diagnostics --------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Support/SourceManager.h"
#include "sequin/Support/VerifyDiagnostics.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace sequin::source;
using llvm::StringRef;

namespace {

TEST(SourceManager, Places) {
  SourceManager sources;
  FileId first = sources.add("a.csl", "one\n  two\n");
  FileId second = sources.add("b.csl", "x");
  EXPECT_NE(first, second);
  Loc loc = sources.locOf(first, 2, 3);
  ASSERT_TRUE(loc.isValid());
  EXPECT_EQ(*loc.getPointer(), 't');
  EXPECT_EQ(sources.fileOf(loc), first);
  EXPECT_EQ(sources.lineColumn(loc).line, 2u);
  EXPECT_EQ(sources.lineColumn(loc).column, 3u);
  // Past the end of a line is its end, past the last line is nowhere.
  EXPECT_EQ(*sources.locOf(first, 1, 99).getPointer(), '\n');
  EXPECT_FALSE(sources.locOf(first, 9, 1).isValid());
  EXPECT_FALSE(sources.locOf(first, 0, 1).isValid());
  EXPECT_EQ(sources.fileOf(Loc()), 0u);
  EXPECT_EQ(sources.path(second), "b.csl");
}

TEST(SourceManager, AFileIsReadOnce) {
  llvm::SmallString<128> path;
  int descriptor;
  ASSERT_FALSE(
      llvm::sys::fs::createTemporaryFile("x", "csl", descriptor, path));
  {
    llvm::raw_fd_ostream os(descriptor, /*shouldClose=*/true);
    os << "const a = 1;";
  }
  SourceManager sources;
  auto first = sources.open(path), second = sources.open(path);
  ASSERT_TRUE(bool(first));
  ASSERT_TRUE(bool(second));
  EXPECT_EQ(*first, *second);
  EXPECT_EQ(sources.text(*first), "const a = 1;");
  llvm::sys::fs::remove(path);
  auto absent = sources.open((path + ".absent").str()).takeError();
  EXPECT_TRUE(StringRef(llvm::toString(std::move(absent)))
                  .contains("No such file or directory"));
  auto folder = sources.open("/").takeError();
  EXPECT_EQ(llvm::toString(std::move(folder)),
            "cannot read '/': it is a directory");
}

TEST(SourceDiagnostics, OncePerPlaceAndText) {
  SourceManager sources;
  FileId file = sources.add("a.csl", "one two\n");
  Diagnostics diagnostics(sources);
  Loc loc = sources.locOf(file, 1, 5);
  for (int i = 0; i != 3; ++i) {
    Diagnostic &d = diagnostics.error(loc, "is wrong");
    Diagnostics::note(d, Span(sources.locOf(file, 1, 1), loc), "see here");
  }
  diagnostics.error(loc, "is wrong too");
  EXPECT_EQ(diagnostics.numErrors(), 2u);
  std::string text;
  llvm::raw_string_ostream os(text);
  diagnostics.print(os);
  EXPECT_EQ(text, "a.csl:1:5: error: is wrong\none two\n    ^\n"
                  "a.csl:1:1: note: see here\none two\n^~~~\n"
                  "a.csl:1:5: error: is wrong too\none two\n    ^\n");
}

TEST(SourceDiagnostics, Suggestions) {
  EXPECT_EQ(suggestName("lenght", {"length", "width"}), "length");
  // Of one letter all others are as near.
  EXPECT_EQ(suggestName("x", {"y", "width"}), std::nullopt);
  EXPECT_EQ(suggestName("width", {"height", "depth"}), std::nullopt);
  EXPECT_EQ(suggestName("abc", {}), std::nullopt);
}

TEST(SourceDiagnostics, Expectations) {
  auto verify = [](StringRef text, StringRef reported) {
    SourceManager sources;
    FileId file = sources.add("a.csl", text);
    Diagnostics diagnostics(sources);
    if (!reported.empty())
      diagnostics.error(sources.locOf(file, 2, 1), reported);
    std::string output;
    llvm::raw_string_ostream os(output);
    bool good = verifyDiagnostics(sources, diagnostics, os);
    EXPECT_EQ(good, output.empty());
    return output;
  };
  EXPECT_EQ(verify("\nx // expected-error {{is bad}}\n", "this is bad"), "");
  EXPECT_EQ(verify("// expected-error@+1 {{bad}}\n\n", "this is bad"), "");
  EXPECT_EQ(verify("\n\n// expected-error@-1 {{bad}}\n", "this is bad"), "");
  EXPECT_EQ(verify("\nx // expected-error {{good}}\n", "bad"),
            "a.csl:2: error: unexpected error 'bad'\n"
            "a.csl:2: error: expected error 'good' was not reported\n");
  EXPECT_EQ(verify("\n\n", "bad"), "a.csl:2: error: unexpected error 'bad'\n");
  EXPECT_EQ(verify("// expected-warning {{w}}\n", ""),
            "a.csl:1: error: expected warning 'w' was not reported\n");
  EXPECT_FALSE(verify("// expected-error@ {{w}}\n", "").empty());
  auto parts = splitInput("a\n// -----\nb\n");
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0], "a\n");
  EXPECT_EQ(parts[1], "\n\nb\n");
}

} // namespace
