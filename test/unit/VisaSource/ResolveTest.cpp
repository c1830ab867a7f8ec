//===- ResolveTest.cpp - What names of kernels mean -----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/VisaSource/Resolve.h"
#include "Parsed.h"
#include <functional>

using namespace sequin;
using namespace sequin::visa_source;
using llvm::StringRef;
using sequin::testing::readInput;

namespace {

/// A crate given as files, of which the first is the root.
struct Resolved {
  using Files = std::vector<std::pair<std::string, std::string>>;

  explicit Resolved(const Files &files, const std::string &library = "")
      : diagnostics(sources), program(sources, context, diagnostics) {
    for (const auto &[path, text] : files)
      sources.add(path, text);
    if (!library.empty())
      program.addLibrary("library", library);
    root = program.load(files.front().first);
  }

  /// "file:line:column message", a line each; notes as well.
  std::string errors() const {
    std::string result;
    auto say = [&](const Diagnostic &d) {
      LineColumn place = sources.lineColumn(d.loc);
      if (d.loc.isValid())
        result += sources.path(sources.fileOf(d.loc)).str() + ":" +
                  std::to_string(place.line) + ":" +
                  std::to_string(place.column) + " ";
      result += d.message + "\n";
    };
    for (const Diagnostic &d : diagnostics.all()) {
      say(d);
      for (const Diagnostic &note : d.notes)
        say(note);
    }
    return result;
  }

  /// What the first path or axis of that text stands for, and where.
  std::string meaning(StringRef text) const {
    std::string result = "absent";
    std::function<void(const Node &)> visit = [&](const Node &node) {
      if (llvm::isa<Path, MapAxis>(node) && result == "absent" &&
          SourceManager::textOf(node.span()) == text) {
        Meaning m = program.meaningOf(node);
        result = stringify(m.kind).str();
        if (m.node)
          result += " line " +
                    std::to_string(sources.lineColumn(m.node->begin()).line);
        if (m.module && m.kind == MeaningKind::Module)
          result += " " + m.module->path;
        if (m.rest)
          result += " and " + std::to_string(m.rest);
      }
      forEachChild(node, visit);
    };
    for (const auto &module : program.modules())
      for (const Item *item : module->items)
        visit(*item);
    return result;
  }

  SourceManager sources;
  Diagnostics diagnostics;
  Context context;
  Crates program;
  const Module *root = nullptr;
};

std::string errors(const std::string &text) {
  return Resolved({{"a.rs", text}}).errors();
}

TEST(VisaNames, KernelsOfOurs) {
  for (const char *name : {"scale.rs", "mlp.rs"}) {
    Resolved resolved({{name, readInput(name)}});
    EXPECT_EQ(resolved.errors(), "") << name;
    EXPECT_EQ(resolved.program.release(), Releases::V01);
    EXPECT_EQ(resolved.program.kernels().size(), 1u);
  }
}

TEST(VisaNames, Scopes) {
  Resolved r({{"a.rs", "use furiosa_visa_std::prelude::*;\n"
                       "axes![A = 8, B = 4];\n"
                       "const N: usize = 3;\n"
                       "type T1 = m![A];\n"
                       "fn f<X: M, const K: usize>(x: X) -> usize {\n"
                       "    let y = x;\n"
                       "    let y = { axes![C = 3]; fn g() {} g(); y + K };\n"
                       "    let z: m![A, B / 2] = N;\n"
                       "    let u = match N { N => z, Some(w) => w + y };\n"
                       "    u + <m![A]>::SIZE + TrfAddress::Full\n"
                       "}\n"}});
  EXPECT_EQ(r.errors(), "");
  EXPECT_EQ(r.meaning("x"), "variable line 5");
  EXPECT_EQ(r.meaning("y"), "variable line 6");
  EXPECT_EQ(r.meaning("K"), "generic parameter line 5");
  EXPECT_EQ(r.meaning("N"), "item line 3");
  EXPECT_EQ(r.meaning("g"), "item line 7");
  EXPECT_EQ(r.meaning("B"), "axis line 2");
  EXPECT_EQ(r.meaning("w"), "variable line 9");
  EXPECT_EQ(r.meaning("usize"), "name of Rust");
  EXPECT_EQ(r.meaning("TrfAddress::Full"), "name of the crate and 1");
}

TEST(VisaNames, FilesOfModules) {
  Resolved r({{"src/lib.rs", "pub mod a;\npub use a::b::deep as d;\n"
                             "pub mod c { pub mod e; }\n"
                             "#[path = \"other/x.rs\"] mod y;\n"
                             "fn f() { d(); c::e::g(); y::h(); a::D; }\n"},
              {"src/a/mod.rs", "pub mod b;\npub use b::*;\n"},
              {"src/a/b.rs", "pub fn deep() { super::super::f() }\n"
                             "pub struct D;\n"},
              {"src/c/e.rs", "pub fn g() { crate::f(); self::g() }\n"},
              {"src/other/x.rs", "pub fn h() {}\n"}});
  EXPECT_EQ(r.errors(), "");
  EXPECT_EQ(r.meaning("d"), "item line 1");
  EXPECT_EQ(r.meaning("c::e::g"), "item line 1");
  EXPECT_EQ(r.meaning("a::D"), "item line 2");
  EXPECT_EQ(r.meaning("super::super::f"), "item line 5");
  EXPECT_EQ(r.program.findFunction("a::b::deep"),
            r.program.findFunction("deep"));
  EXPECT_EQ(r.program.findFunction("none"), nullptr);
}

TEST(VisaNames, Libraries) {
  Resolved::Files files = {
      {"t.rs", "use library::k::{A, run};\nfn f() { run(); let x: m![A]; "
               "library::k::hidden(); }\n"},
      {"l.rs", "pub mod k { axes![A = 2]; pub fn run() {} fn hidden() {} }\n"}};
  Resolved r(files, "l.rs");
  EXPECT_EQ(r.meaning("A"), "axis line 1");
  EXPECT_EQ(r.errors(), "t.rs:2:43 'hidden' is private to 'library::k'\n"
                        "l.rs:1:46 declared here\n");
}

TEST(VisaNames, Mistakes) {
  EXPECT_EQ(errors("fn f() { lett + 1; }\nfn left() {}\n"),
            "a.rs:1:10 no 'lett' in this scope, did you mean 'left'?\n");
  EXPECT_EQ(errors("fn f() { { let x = 1; } x }\n"),
            "a.rs:1:25 no 'x' in this scope\n");
  EXPECT_EQ(errors("fn f() {}\nfn f() {}\n"),
            "a.rs:2:4 'f' is declared twice in this module\n"
            "a.rs:1:4 declared here first\n");
  EXPECT_EQ(errors("use self::x;\nmod m { pub fn y() {} }\nuse m::z;\n"),
            "a.rs:1:11 no 'x' in 'crate'\na.rs:3:8 no 'z' in "
            "'crate::m'\n");
  EXPECT_EQ(errors("mod gone;\n"),
            "a.rs:1:5 no file for module 'gone', looked for 'gone.rs' and "
            "'gone/mod.rs'\n");
  EXPECT_EQ(errors("use super::x;\n"),
            "a.rs:1:5 there is no module above 'crate'\n");
  EXPECT_EQ(errors("type Time = m![1];\ntype T = m![Time];\n"),
            "a.rs:2:13 'Time' is a type and no axis, write '{ Time }'\n"
            "a.rs:1:6 declared here\n");
  EXPECT_EQ(errors("use furiosa_visa_std::prelude::*;\n"
                   "fn f() { BranchMode::Unconditionel; HbmTensr::x() }\n"),
            "a.rs:2:22 'BranchMode' has no 'Unconditionel', did you mean "
            "'Unconditional'?\n"
            "a.rs:2:37 no 'HbmTensr' in this scope, did you mean "
            "'HbmTensor'?\n");
  EXPECT_EQ(errors("use furiosa_visa_std::prelude::*;\n"
                   "use furiosa_opt_std::prelude::*;\n"),
            "a.rs:2:5 'furiosa_opt_std' is the crate of another release\n"
            "a.rs:1:5 than the one used here\n");
}

TEST(VisaNames, Circles) {
  EXPECT_EQ(errors("use a::x;\nmod a { pub use super::x; }\nfn f() { x }\n"),
            "a.rs:2:24 no 'x' in 'crate'\n");
  EXPECT_EQ(errors("mod a { pub use super::b::*; }\n"
                   "mod b { pub use super::a::*; fn f() { y } }\n"),
            "a.rs:2:39 no 'y' in this scope\n");
  Resolved r({{"a.rs", "#[path = \"a.rs\"] mod a;\n"}});
  EXPECT_EQ(r.errors(), "a.rs:1:22 module 'a' is the file that it is in\n");
}

TEST(VisaNames, WhatIsNotReadHasAnyName) {
  EXPECT_EQ(errors("use other::{Thing, thing};\nuse rand::*;\n"
                   "fn f(x: Thing) { thing(); Anything::new(); "
                   "tokio::spawn(x) }\n"),
            "");
  EXPECT_EQ(errors("family! { three }\nfn f() { three() }\n"), "");
}

} // namespace
