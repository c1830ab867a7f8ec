//===- WorkspaceTest.cpp - What an editor asks about CSL files ------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/CslLsp/Workspace.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <random>

using namespace sequin;
using namespace sequin::csl_lsp;
using namespace sequin::csl_source;
using llvm::StringRef;

namespace {

constexpr StringRef kProgram = R"(const m = @import_module("m.csl");
const n = m.count * 2;
const E = enum(u16) { a, b = 4 };
var p: [3]m.Point;
fn f(k: u16, q: *m.Point) f32 {
  const e = E.b;
  var total: f32 = 0.0;
  for (p) |x, i| { total += x.y; }
  { const k = 3; total = @as(f32, k); }
  const d = |i|{n} -> p[i + k];
  return m.area(q.*) + q.*.x;
}
)";
constexpr StringRef kModule = R"(const count: u16 = 1 << 4;
const Point = struct { x: f32, y: f32 };
fn area(p: Point) f32 { return p.x * p.y; }
)";

class CslWorkspace : public ::testing::Test {
protected:
  CslWorkspace() : workspace("/library") {
    workspace.open("/dir/m.csl", kModule);
    document = &workspace.open("/dir/a.csl", kProgram);
  }

  /// Where in its file stands what the nth occurrence of a text means.
  std::string definition(StringRef text, unsigned nth = 0) {
    auto meaning = workspace.meaning(*document, place(text, nth));
    if (!meaning || !meaning->decl)
      return "";
    auto position =
        meaning->document->position(meaning->decl->name().span.Start);
    return meaning->document->path().str() + ":" +
           std::to_string(position.line) + ":" +
           std::to_string(position.column);
  }
  std::string hover(StringRef text, unsigned nth = 0) {
    auto meaning = workspace.meaning(*document, place(text, nth));
    return meaning ? workspace.hover(*document, *meaning) : "";
  }
  Loc place(StringRef text, unsigned nth) const {
    size_t at = document->text().find(text);
    for (; nth != 0; --nth)
      at = document->text().find(text, at + 1);
    EXPECT_NE(at, StringRef::npos) << text.str();
    return Loc::getFromPointer(document->text().data() + at);
  }

  Workspace workspace;
  const Document *document;
};

TEST_F(CslWorkspace, Definitions) {
  EXPECT_EQ(definition("n}"), "/dir/a.csl:1:6");
  EXPECT_EQ(definition("count"), "/dir/m.csl:0:6");
  EXPECT_EQ(definition("b;"), "/dir/a.csl:2:25");
  EXPECT_EQ(definition("Point;"), "/dir/m.csl:1:6");
  // The element of an array of a named type.
  EXPECT_EQ(definition("y;"), "/dir/m.csl:1:31");
  // What a pointer points to.
  EXPECT_EQ(definition("x;\n}"), "/dir/m.csl:1:23");
  EXPECT_EQ(definition("area("), "/dir/m.csl:2:3");
  // The inner one of two.
  EXPECT_EQ(definition("k);"), "/dir/a.csl:8:10");
  EXPECT_EQ(definition("k];"), "/dir/a.csl:4:5");
  EXPECT_EQ(definition("i + k"), "/dir/a.csl:9:13");
  EXPECT_EQ(definition("total +="), "/dir/a.csl:6:6");
  EXPECT_EQ(definition("return"), "");
}

TEST_F(CslWorkspace, Hover) {
  EXPECT_EQ(hover("n}"), "```csl\nconst n = m.count * 2\n```\n= 32\n");
  EXPECT_EQ(hover("f("), "```csl\nfn f(k: u16, q: *m.Point) f32\n```\n");
  EXPECT_EQ(hover("u16"), "```csl\nu16: a type\n```\n");
  EXPECT_EQ(hover("@as"), "```csl\n@as(comptime T: type, value) T\n```\n");
  EXPECT_EQ(hover("m.csl"), "module `/dir/m.csl`\n");
  EXPECT_EQ(hover("0.0"), "");
}

// Constants that name the one before twice: each is evaluated once.
TEST(CslWorkspaceOfConstants, NoChainIsExponential) {
  std::string text = "const a0 = 1;\n";
  for (int i = 1; i < 20; ++i) {
    std::string before = "a" + std::to_string(i - 1);
    text += "const a" + std::to_string(i) + " = " + before + " * 3 - " +
            before + ";\n";
  }
  Workspace workspace("/lib");
  const Document &document = workspace.open("/dir/a.csl", text);
  auto last = document.text().find("a19");
  auto meaning = workspace.meaning(
      document, Loc::getFromPointer(document.text().data() + last));
  ASSERT_TRUE(meaning.has_value());
  EXPECT_EQ(workspace.hover(document, *meaning),
            "```csl\nconst a19 = a18 * 3 - a18\n```\n= 524288\n");
}

TEST_F(CslWorkspace, Members) {
  auto names = [&](StringRef text) {
    std::string result;
    for (auto [name, decl] : workspace.members(*document, place(text, 0)))
      result += name.str() + " ";
    return result;
  };
  EXPECT_EQ(names(".count"), "count Point area ");
  EXPECT_EQ(names(".b;"), "a b ");
  EXPECT_EQ(names(".y;"), "x y ");
}

TEST(CslDocument, ColumnsAreUtf16) {
  Document document("/a.csl", "const s = \"é𝄞\"; const x = 1;\n");
  size_t at = document.text().rfind('x');
  auto position =
      document.position(Loc::getFromPointer(document.text().data() + at));
  EXPECT_EQ(position.line, 0u);
  EXPECT_EQ(position.column, 23u);
  EXPECT_EQ(document.loc(position).getPointer(), document.text().data() + at);
  // Beyond the end is the end.
  EXPECT_EQ(document.loc({9, 9}).getPointer(), document.text().end());
  EXPECT_EQ(*document.loc({0, 999}).getPointer(), '\n');
}

TEST(CslBuiltins, SignaturesAreSorted) {
  EXPECT_TRUE(llvm::is_sorted(builtinNames()));
  EXPECT_FALSE(builtinSignature("zero"));
  EXPECT_TRUE(builtinSignature("zeros"));
}

// Files while they are being typed: any question has an answer.
TEST(CslWorkspaceOfChangedFiles, EveryPlaceCanBeAsked) {
  for (uint64_t seed = 1; seed != 200; ++seed) {
    std::mt19937_64 random(seed);
    std::string text = kProgram.str();
    for (unsigned i = 0; i != seed % 6; ++i)
      text.erase(random() % text.size(), random() % 12);
    Workspace workspace("/library");
    workspace.open("/dir/m.csl", kModule);
    const Document &document = workspace.open("/dir/a.csl", text);
    for (const char *place = document.text().begin();
         place <= document.text().end(); ++place) {
      Loc loc = Loc::getFromPointer(place);
      if (auto meaning = workspace.meaning(document, loc)) {
        EXPECT_FALSE(workspace.hover(document, *meaning).empty());
        EXPECT_TRUE(meaning->span.isValid());
        if (meaning->decl && !meaning->decl->name().empty() && seed % 16 == 0)
          EXPECT_FALSE(
              workspace.references(*meaning->document, *meaning->decl).empty());
      }
      workspace.members(document, loc);
      workspace.evaluated(document, loc);
      visibleAt(document.tree(), loc);
    }
  }
}

} // namespace
