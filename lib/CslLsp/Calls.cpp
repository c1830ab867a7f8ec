//===- Calls.cpp - The call that is being written -------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A call has no end while its arguments are written, so it is found among the
// tokens before the place rather than in the tree.
//
//===----------------------------------------------------------------------===//

#include "sequin/CslLsp/Workspace.h"
#include "sequin/CslSource/Lexer.h"
#include "sequin/CslSource/Printer.h"

using namespace sequin;
using namespace sequin::csl_lsp;
using namespace sequin::csl_source;
using llvm::StringRef;

namespace {
/// What stands before an open parenthesis, and the commas behind it.
struct OpenCall {
  /// The builtin, or the name and those before it with points between.
  llvm::SmallVector<Token, 2> callee;
  unsigned commas = 0;
};
} // namespace

/// The innermost open call before a place; none if the place is in a block or
/// among the parameters of a declaration.
static std::optional<OpenCall> findOpenCall(StringRef text) {
  SourceManager sources;
  FileId file = sources.add("", text);
  Diagnostics ignored(sources);
  Lexer lexer(sources.text(file), ignored);
  struct Bracket {
    std::optional<OpenCall> call;
    /// Not of an argument: what is around it is another statement.
    bool isBlock = false;
  };
  std::vector<Bracket> open;
  std::vector<Token> before;
  auto calleeOf = [&]() -> std::optional<OpenCall> {
    OpenCall call;
    size_t i = before.size();
    if (i == 0)
      return std::nullopt;
    if (before[i - 1].is(TokenKind::Builtin)) {
      call.callee.push_back(before[i - 1]);
      return call;
    }
    while (i > 0 && before[i - 1].is(TokenKind::Name)) {
      call.callee.insert(call.callee.begin(), before[i - 1]);
      --i;
      if (i == 0 || !before[i - 1].is(TokenKind::Dot))
        break;
      --i;
    }
    bool isDeclared = i > 0 && (before[i - 1].is(TokenKind::KwFn) ||
                                before[i - 1].is(TokenKind::KwTask));
    if (call.callee.empty() || isDeclared)
      return std::nullopt;
    return call;
  };
  for (Token token = lexer.next(); !token.is(TokenKind::End);
       token = lexer.next()) {
    // A string or comment that is not closed yet holds the place itself.
    if (token.hasError && token.is(TokenKind::String))
      break;
    switch (token.kind) {
    case TokenKind::LParen:
      open.push_back({calleeOf(), false});
      break;
    case TokenKind::LSquare:
    case TokenKind::DotLBrace:
      open.push_back({});
      break;
    case TokenKind::LBrace: {
      // A literal stands behind the name of its type, and only in an argument.
      bool isLiteral = !before.empty() && before.back().is(TokenKind::Name) &&
                       !open.empty() && !open.back().isBlock;
      open.push_back({std::nullopt, !isLiteral});
      break;
    }
    case TokenKind::RParen:
    case TokenKind::RSquare:
    case TokenKind::RBrace:
      if (!open.empty())
        open.pop_back();
      break;
    case TokenKind::Comma:
      if (!open.empty() && open.back().call)
        ++open.back().call->commas;
      break;
    case TokenKind::Semi:
      // A parenthesis that was never closed is not around the next statement.
      while (!open.empty() && !open.back().isBlock)
        open.pop_back();
      break;
    default:
      break;
    }
    before.push_back(token);
  }
  for (Bracket &bracket : llvm::reverse(open)) {
    if (bracket.isBlock)
      return std::nullopt;
    if (!bracket.call)
      continue;
    // Back into the text that was given.
    const char *copy = sources.text(file).data();
    for (Token &token : bracket.call->callee)
      token.text = StringRef(text.data() + (token.text.data() - copy),
                             token.text.size());
    return std::move(bracket.call);
  }
  return std::nullopt;
}

/// The parameters of a signature's text from its first parenthesis on, which
/// commas separate that stand in no bracket: [begin, end) in the text.
static std::vector<std::pair<unsigned, unsigned>> parametersOf(StringRef text) {
  std::vector<std::pair<unsigned, unsigned>> result;
  size_t begin = text.find('(');
  if (begin == StringRef::npos)
    return result;
  unsigned depth = 0;
  size_t start = begin + 1;
  auto add = [&](size_t end) {
    StringRef part = text.slice(start, end);
    size_t first = start + (part.size() - part.ltrim().size());
    if (!part.trim().empty())
      result.emplace_back(first, first + part.trim().size());
    start = end + 1;
  };
  for (size_t i = begin + 1; i < text.size(); ++i) {
    char c = text[i];
    if (c == '(' || c == '[' || c == '{') {
      ++depth;
    } else if (depth && (c == ')' || c == ']' || c == '}')) {
      --depth;
    } else if (!depth && (c == ',' || c == ')')) {
      add(i);
      if (c == ')')
        break;
    }
  }
  return result;
}

std::optional<CallSignature> Workspace::signature(const Document &document,
                                                  Loc loc) {
  StringRef before(document.text().begin(),
                   size_t(loc.getPointer() - document.text().begin()));
  std::optional<OpenCall> call = findOpenCall(before);
  if (!call)
    return std::nullopt;
  CallSignature result;
  const Token &last = call->callee.back();
  if (last.is(TokenKind::Builtin)) {
    StringRef name = last.text.drop_front();
    std::optional<StringRef> text = builtinSignature(name);
    if (!text)
      return std::nullopt;
    result.text = ("@" + name + *text).str();
  } else {
    std::optional<Meaning> found;
    for (const Token &token : call->callee) {
      if (found)
        found = member(*found, token.text, 0);
      else if (const Decl *decl =
                   lookup(document.tree(), token.text, token.begin()))
        found = Meaning{&document, decl, "", Span()};
      if (!found)
        return std::nullopt;
    }
    // By another name.
    for (unsigned steps = 0; steps < 8; ++steps) {
      const auto *var = llvm::dyn_cast_or_null<VarDecl>(found->decl);
      if (!var || !var->init())
        break;
      auto alias = resolve(*found->document, *var->init(), 0);
      if (!alias)
        break;
      found = alias;
    }
    const auto *function = llvm::dyn_cast_or_null<FnDecl>(found->decl);
    if (!function)
      return std::nullopt;
    result.text = outline(*function);
    for (StringRef line : function->docs())
      result.documentation += (line.trim() + "\n").str();
  }
  result.parameters = parametersOf(result.text);
  result.active = call->commas;
  // What repeats, and the options behind it, take all that follow.
  if (!result.parameters.empty())
    result.active =
        std::min<unsigned>(result.active, result.parameters.size() - 1);
  return result;
}
