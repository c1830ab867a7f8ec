//===- VisaSourceCheck.cpp - Any text as kernel source --------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VisaSourceCheck.h"

#include "sequin/VisaSource/Json.h"
#include "sequin/VisaSource/Parser.h"
#include "sequin/VisaSource/Printer.h"
#include "sequin/VisaSource/Resolve.h"
#include "llvm/Support/JSON.h"

using namespace sequin;
using namespace sequin::visa_source;

static std::string treeOf(const SourceFile &file) {
  std::string text;
  llvm::raw_string_ostream os(text);
  dump(file, os);
  return text;
}

/// Whether the spans of a node's children lie in its own.
static bool spansNest(const Node &node) {
  bool good = node.begin().getPointer() <= node.end().getPointer();
  forEachChild(node, [&](const Node &child) {
    good &= node.begin().getPointer() <= child.begin().getPointer() &&
            child.end().getPointer() <= node.end().getPointer();
    good &= spansNest(child);
  });
  return good;
}

std::string fuzz::checkVisaSource(llvm::StringRef input) {
  SourceManager sources;
  Diagnostics diagnostics(sources);
  Context context;
  const SourceFile *file =
      parse(sources.add("input.rs", input), sources, context, diagnostics);
  if (file->hadErrors != diagnostics.hadErrors())
    return "a file with errors and its diagnostics disagree";
  std::string tree = treeOf(*file);
  std::string shown;
  llvm::raw_string_ostream os(shown);
  diagnostics.print(os);
  Diagnostics ofNames(sources);
  Crates program(sources, context, ofNames);
  // A fuzzer's modules are in no files.
  if (!input.contains("mod ") && !program.load("input.rs"))
    return "a crate could not be read";
  std::string json;
  llvm::raw_string_ostream jsonStream(json);
  writeJson(program, sources, jsonStream);
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(json);
  if (!value)
    return "the JSON of a crate: " + llvm::toString(value.takeError());
  if (file->hadErrors)
    return {};
  for (const Item *item : file->items)
    if (!spansNest(*item))
      return "a span lies outside of the one around it";
  std::string printed;
  llvm::raw_string_ostream out(printed);
  print(*file, out);
  Diagnostics again(sources);
  const SourceFile *second =
      parse(sources.add("printed.rs", printed), sources, context, again);
  if (second->hadErrors)
    return "what was printed has an error";
  if (treeOf(*second) != tree)
    return "what was printed is another tree";
  return {};
}
