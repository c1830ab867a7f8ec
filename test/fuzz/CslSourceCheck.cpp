//===- CslSourceCheck.cpp - Any text as CSL source ------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CslSourceCheck.h"

#include "sequin/CslSource/Lexer.h"
#include "sequin/CslSource/Parser.h"
#include "sequin/CslSource/Printer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"
#include <random>

using namespace sequin;
using namespace sequin::csl_source;
using llvm::StringRef;

namespace {

bool within(Span inner, Span outer) {
  return inner.isValid() &&
         inner.Start.getPointer() >= outer.Start.getPointer() &&
         inner.End.getPointer() <= outer.End.getPointer() &&
         inner.Start.getPointer() <= inner.End.getPointer();
}

/// A node whose span is not inside of its parent's or, in a file with errors,
/// of the file's; null without one.
const Node *misplaced(const Node &node, Span outer, bool hadErrors) {
  const Node *found = within(node.span(), outer) ? nullptr : &node;
  forEachChild(node, [&](const Node &child) {
    if (!found)
      found = misplaced(child, hadErrors ? outer : node.span(), hadErrors);
  });
  return found;
}

/// A parsed text with what it lives on.
struct Parsed {
  explicit Parsed(StringRef text) : diagnostics(sources) {
    file = parse(sources.add("input.csl", text), sources, context, diagnostics);
  }
  /// The tree without places.
  std::string shape() const {
    std::string text, result;
    llvm::raw_string_ostream os(text);
    dump(*file, sources, os);
    llvm::SmallVector<StringRef> lines;
    StringRef(text).split(lines, '\n');
    for (StringRef line : lines)
      result += (line.rsplit(' ').first + "\n").str();
    return result;
  }
  std::vector<std::string> comments() const {
    std::vector<std::string> result;
    for (const Comment &comment : file->comments)
      result.push_back(comment.text.rtrim().str());
    llvm::sort(result);
    return result;
  }

  SourceManager sources;
  Diagnostics diagnostics;
  Context context;
  const SourceFile *file = nullptr;
};

std::string formatted(const Parsed &parsed) {
  std::string text;
  llvm::raw_string_ostream os(text);
  format(*parsed.file, os);
  return text;
}

} // namespace

std::string fuzz::checkCslSource(StringRef input) {
  Parsed first(input);
  StringRef text = first.sources.text(first.file->file);
  Span whole(Loc::getFromPointer(text.begin()),
             Loc::getFromPointer(text.end()));
  for (const Decl *decl : first.file->decls) {
    const Node *wrong = misplaced(*decl, whole, first.file->hadErrors);
    if (wrong)
      return (stringify(wrong->kind()) + " '" + toString(*wrong) +
              "' is not inside of its parent")
          .str();
    if (decl->height() > kMaxTreeHeight + 4 * kMaxNesting)
      return "a tree is too high";
  }
  if (first.file->hadErrors != first.diagnostics.hadErrors())
    return "the file has errors but none is reported, or the other way round";
  for (const Diagnostic &d : first.diagnostics.all())
    if (d.message.empty() || !within(Span(d.loc, d.loc), whole))
      return "a diagnostic without text or place";
  if (first.file->hadErrors) {
    std::string printed;
    llvm::raw_string_ostream os(printed);
    first.diagnostics.print(os);
    return printed.empty() ? "nothing is printed" : "";
  }
  std::string once = formatted(first);
  Parsed second(once);
  if (second.file->hadErrors)
    return "the formatted program is refused: " +
           second.diagnostics.all().front().message + "\n" + once;
  if (first.shape() != second.shape())
    return "the formatted program is another one:\n" + once;
  if (first.comments() != second.comments())
    return "comments are lost:\n" + once;
  if (std::string twice = formatted(second); twice != once)
    return "formatting changes what it made:\n" + once + "-----\n" + twice;
  return "";
}

//===----------------------------------------------------------------------===//
// Mutations
//===----------------------------------------------------------------------===//

static std::vector<std::string> tokensOf(StringRef program) {
  SourceManager sources;
  Diagnostics diagnostics(sources);
  FileId file = sources.add("donor.csl", program);
  Lexer lexer(sources.text(file), diagnostics);
  std::vector<std::string> tokens;
  for (Token token = lexer.next(); !token.is(TokenKind::End);
       token = lexer.next())
    tokens.push_back((token.startsLine ? "\n" : "") + token.text.str());
  return tokens;
}

static constexpr StringRef kSpellings[] = {
#define CSL_PUNCTUATION(NAME, TEXT) TEXT,
#define CSL_KEYWORD(NAME, TEXT) TEXT,
#include "sequin/CslSource/Tokens.def"
    "x", "u16", "@as", "0x1F", "1.5", "'a'", "\"s\"", "color", "_", "// c\n"};

std::string fuzz::mutateCslTokens(StringRef program,
                                  llvm::ArrayRef<std::string> donors,
                                  unsigned count, uint64_t seed) {
  std::mt19937_64 random(seed);
  // Not a distribution of the library: those differ between libraries.
  auto below = [&](size_t limit) { return size_t(random() % limit); };
  std::vector<std::string> tokens = tokensOf(program);
  std::vector<std::string> given;
  if (!donors.empty())
    given = tokensOf(donors[below(donors.size())]);
  auto anyToken = [&]() -> std::string {
    if (!given.empty() && below(2))
      return given[below(given.size())];
    return kSpellings[below(std::size(kSpellings))].str();
  };
  for (unsigned i = 0; i != count; ++i) {
    if (tokens.empty()) {
      tokens.push_back(anyToken());
      continue;
    }
    size_t at = below(tokens.size());
    size_t length = std::min(tokens.size() - at, 1 + below(8));
    auto from = tokens.begin() + ptrdiff_t(at);
    switch (below(8)) {
    case 0:
      tokens.erase(from);
      break;
    case 1:
      tokens.insert(from, std::string(tokens[at]));
      break;
    case 2:
      std::swap(tokens[at], tokens[below(tokens.size())]);
      break;
    case 3:
      tokens[at] = anyToken();
      break;
    case 4:
      tokens.insert(from, anyToken());
      break;
    case 5:
      tokens.erase(from, from + ptrdiff_t(length));
      break;
    case 6: {
      std::vector<std::string> part(from, from + ptrdiff_t(length));
      tokens.erase(from, from + ptrdiff_t(length));
      size_t to = below(tokens.size() + 1);
      tokens.insert(tokens.begin() + ptrdiff_t(to), part.begin(), part.end());
      break;
    }
    case 7: {
      if (given.empty())
        break;
      size_t start = below(given.size());
      size_t end = std::min(given.size(), start + length);
      tokens.insert(from, given.begin() + ptrdiff_t(start),
                    given.begin() + ptrdiff_t(end));
      break;
    }
    }
  }
  std::string result;
  for (const std::string &token : tokens)
    result += token + " ";
  return result;
}
