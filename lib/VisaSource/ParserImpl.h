//===- ParserImpl.h - The parser's state and functions ----------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function per rule of the grammar: Parser.cpp has the state and recovery,
// ParseItem.cpp items and attributes, ParseType.cpp paths, generics and types,
// ParseMapping.cpp mappings and macros, ParsePattern.cpp patterns,
// ParseStmt.cpp blocks and control flow, ParseExpr.cpp the rest. A function
// that returns a node never returns null; after an error it is an Error node.
//
// After an error the parser is `recovering`: it says nothing more until the
// list element, statement or item in which the error is has been skipped. Every
// loop takes at least one token per round. When nesting or height pass their
// limit, or the error limit of Diagnostics is reached, the rest of the file is
// given up (`stop`), which looks to every function like the end of the file.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_VISASOURCE_PARSERIMPL_H
#define SEQUIN_LIB_VISASOURCE_PARSERIMPL_H

#include "sequin/VisaSource/AST.h"
#include "sequin/VisaSource/Lexer.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/SaveAndRestore.h"
#include <deque>

namespace sequin::visa_source {

class Parser {
public:
  Parser(FileId file, const SourceManager &sources, Context &context,
         Diagnostics &diagnostics);

  const SourceFile *parseFile();

private:
  template <typename T> using Nodes = llvm::SmallVector<const T *, 4>;

  //===--------------------------------------------------------------------===//
  // Tokens (Parser.cpp)
  //===--------------------------------------------------------------------===//

  const Token &token(size_t ahead = 0);
  bool at(TokenKind kind, size_t ahead = 0) { return token(ahead).is(kind); }
  bool atName(llvm::StringRef text, size_t ahead = 0) {
    return at(TokenKind::Name, ahead) && token(ahead).text == text;
  }
  bool atEnd() { return at(TokenKind::End); }
  /// A name, or one of the keywords that stand in a path.
  bool atSegment(size_t ahead = 0);
  bool atOpening(size_t ahead = 0) {
    return at(TokenKind::LParen, ahead) || at(TokenKind::LSquare, ahead) ||
           at(TokenKind::LBrace, ahead);
  }
  /// A macro's name and its `!`; not the name before a `!=`.
  bool atMacro() { return at(TokenKind::Not, 1) && atOpening(2); }
  /// Takes the current token; stays at the end of the file.
  Token take();
  bool takeIf(TokenKind kind);
  /// Whether the current token is or begins with this one-character token.
  bool atFirst(TokenKind kind);
  /// Takes that one character.
  bool takeFirst(TokenKind kind);
  /// Takes the token or says that it is missing.
  bool expect(TokenKind kind, const llvm::Twine &where);
  /// As expect, for the end of something that began with `opening`.
  bool expectClosing(TokenKind kind, const Token &opening,
                     const llvm::Twine &what);
  /// As expect; leaves the semicolon that ends recovery.
  void expectSemi(const llvm::Twine &what) {
    if (!recovering)
      expect(TokenKind::Semi, what);
  }
  Ident identOf(const Token &t);
  Ident parseName(const llvm::Twine &what);

  Loc begin() { return token().begin(); }
  Span since(Loc start) const;

  //===--------------------------------------------------------------------===//
  // Errors and recovery (Parser.cpp)
  //===--------------------------------------------------------------------===//

  /// Reports at the current token unless recovering; null if it does not.
  Diagnostic *errorHere(const llvm::Twine &message);
  /// "expected X, found Y" at the current token.
  Diagnostic *errorExpected(const llvm::Twine &what);
  /// Reports what Rust has and kernels do not.
  void refuse(const llvm::Twine &what);
  void errorAt(Span span, const llvm::Twine &message);
  /// Gives up the rest of the file.
  void stop();

  /// Skips one token, or balanced brackets as a whole.
  void skipBalanced();
  /// Ends recovery: to behind the semicolon of this statement, or before what
  /// closes the block or clearly begins a statement on its own line.
  void skipStatement();
  /// Ends recovery: to behind the semicolon or body of this item.
  void skipItem();
  /// Ends recovery: to a comma or closing bracket of the current list.
  void skipElement(TokenKind closing);
  /// Ends recovery: as skipElement, with the elements behind.
  void skipElements(TokenKind closing) {
    do
      skipElement(closing);
    while (takeIf(TokenKind::Comma));
  }
  /// Whether the current token is first on its line and begins an item or
  /// `let`, which stand in no list.
  bool beginsStatement();
  bool atItemStart(size_t ahead = 0);

  template <typename T> const T *make(Loc start, const T &value) {
    const T *node = context.create<T>(since(start), value);
    if (node->height() > kMaxTreeHeight)
      tooHigh(start);
    return node;
  }
  void tooHigh(Loc start);
  const Expr *errorExpr(Loc start) { return make(start, ErrorExpr()); }
  const Type *errorType(Loc start) { return make(start, ErrorType()); }

  /// Counts one level of nesting; false if that is too deep.
  class Nesting {
  public:
    explicit Nesting(Parser &p);
    ~Nesting() { --parser.depth; }
    explicit operator bool() const { return allowed; }

  private:
    Parser &parser;
    bool allowed;
  };

  template <typename T>
  llvm::ArrayRef<T> list(const llvm::SmallVectorImpl<T> &items) {
    return context.copy(llvm::ArrayRef<T>(items));
  }

  /// Elements up to `closing`, separated by commas, the last comma optional,
  /// which is returned. `element` parses one. Takes the closing token.
  template <typename Parse>
  bool parseList(TokenKind closing, const Token &opening,
                 const llvm::Twine &what, Parse element) {
    bool comma = false;
    recovering = false;
    while (!at(closing) && !atEnd() && !beginsStatement()) {
      size_t before = position;
      element();
      if (!recovering && !at(TokenKind::Comma) && !at(closing))
        errorExpected("',' or " + describe(closing) + " in " + what);
      if (recovering)
        skipElement(closing);
      comma = takeIf(TokenKind::Comma);
      if (!comma || position == before)
        break;
    }
    expectClosing(closing, opening, what);
    return comma;
  }

  //===--------------------------------------------------------------------===//
  // Items (ParseItem.cpp)
  //===--------------------------------------------------------------------===//

  /// Null if nothing could be read.
  const Item *parseItem();
  void parseItems(Nodes<Item> &items);
  const Item *parseItemKind(Loc start, ItemHead &head);
  /// Items and constants of other forms than kernels have.
  const Item *refuseItem(const llvm::Twine &what);
  Visibility parseVisibility();
  const Item *parseMod(Loc start, ItemHead &head);
  const Item *parseUse(Loc start, ItemHead &head);
  const UseTree *parseUseTree();
  const Item *parseExternCrate(Loc start, ItemHead &head);
  const Item *parseFn(Loc start, ItemHead &head);
  const Param *parseParam(bool isFirst);
  const Item *parseTypeItem(Loc start, ItemHead &head);
  const Item *parseStruct(Loc start, ItemHead &head);
  const Item *parseEnum(Loc start, ItemHead &head);
  const Variant *parseVariant();
  List<FieldDecl> parseFields(StructForm form);
  const Item *parseConst(Loc start, ItemHead &head);
  const Item *parseImpl(Loc start, ItemHead &head);
  const Item *parseMacroItem(Loc start, ItemHead &head);
  List<Attribute> parseAttributes(bool inner);
  const Attribute *parseAttribute(bool inner);
  /// What stands between `[` and `]`, or an argument of another attribute.
  void parseAttributeBody(Attribute &attribute);
  /// Whether the parenthesis here has nothing but names, literals and such.
  bool hasPlainArguments();

  //===--------------------------------------------------------------------===//
  // Paths, generics and types (ParseType.cpp)
  //===--------------------------------------------------------------------===//

  enum class PathMode { Type, Expr };
  const Path *parsePath(PathMode mode);
  const PathSegment *parseSegment(PathMode mode);
  /// Behind `<` or at it.
  const GenericArgs *parseGenericArgs();
  const GenericArg *parseGenericArg();
  /// `<...>` of a declaration; the where clause comes later.
  Nodes<GenericParam> parseGenericParams();
  const GenericParam *parseGenericParam();
  const Generics *finishGenerics(Loc start, const Nodes<GenericParam> &params);
  List<Bound> parseBounds();
  const Type *parseType();
  const Type *parseTypeOf();
  const Type *parseSquareType();
  const Type *parseParenType();
  const Type *parseFnType();
  /// `-> T`; null without.
  const Type *parseResult();

  //===--------------------------------------------------------------------===//
  // Mappings and macros (ParseMapping.cpp)
  //===--------------------------------------------------------------------===//

  const Type *parseMappingType();
  const Mapping *parseMapping(TokenKind closing);
  const Mapping *parseMapTerm();
  const Mapping *parseMapAtom();
  const Expr *parseMapAmount();
  const Expr *parseMacro(Loc start, const Path *path);
  const Expr *parseIndexMacro(Loc start);
  const Item *parseAxes(Loc start, ItemHead &head);
  /// The text between brackets, which stay unread; takes both.
  llvm::StringRef parseTokens(Bracket &bracket);

  //===--------------------------------------------------------------------===//
  // Patterns (ParsePattern.cpp)
  //===--------------------------------------------------------------------===//

  /// With alternatives.
  const Pattern *parsePattern();
  const Pattern *parseOnePattern();
  const Pattern *parseOnePatternOf();
  const Pattern *parsePathPattern();
  const Pattern *parseLiteralPattern();
  List<Pattern> parsePatterns(TokenKind closing, const llvm::Twine &what,
                              bool &comma);

  //===--------------------------------------------------------------------===//
  // Statements (ParseStmt.cpp)
  //===--------------------------------------------------------------------===//

  const BlockExpr *parseBlock(const llvm::Twine &what);
  /// Takes the braces, `start` is where the mode stands.
  const BlockExpr *parseBlockFrom(Loc start, BlockMode mode,
                                  const llvm::Twine &what);
  /// A statement, or the block's value.
  void parseStmt(Nodes<Stmt> &statements, const Expr *&tail);
  const Stmt *parseLet(Loc start, List<Attribute> attributes);
  bool atBlockLike();
  const Expr *parseBlockLike();
  const Expr *parseIf();
  const Expr *parseMatch();
  const MatchArm *parseArm();
  const Expr *parseFor();
  const Expr *parseWhile();
  /// The head of if, while, for and match, where braces are the body.
  const Expr *parseHead();

  //===--------------------------------------------------------------------===//
  // Expressions (ParseExpr.cpp)
  //===--------------------------------------------------------------------===//

  const Expr *parseExpr();
  /// With what follows an operand that has been read.
  const Expr *parseExprFrom(const Expr *operand, Loc start);
  const Expr *parseRangeFrom(const Expr *first, Loc start);
  const Expr *parseBinary(unsigned minPrecedence);
  const Expr *parseBinaryFrom(const Expr *left, Loc start,
                              unsigned minPrecedence);
  const Expr *parseUnary();
  const Expr *parsePostfix(const Expr *base, Loc start);
  const Expr *parseDot(const Expr *base, Loc start);
  const Expr *parsePrimary();
  const Expr *parseLiteral();
  const Expr *parseInteger();
  const Expr *parsePathOrMacro();
  const Expr *parseStructExpr(Loc start, const Path *path);
  const Expr *parseParens();
  const Expr *parseArray();
  const Expr *parseClosure();
  const Expr *parseJump();
  bool atExpr();
  List<Expr> parseExprs(TokenKind closing, const llvm::Twine &what);

  //===--------------------------------------------------------------------===//
  // State
  //===--------------------------------------------------------------------===//

  FileId file;
  const SourceManager &sources;
  Context &context;
  Diagnostics &diagnostics;
  Lexer lexer;
  /// References to tokens stay valid.
  std::deque<Token> tokens;
  /// Takes what is said after stop().
  Diagnostic unsaid;
  size_t position = 0;
  Loc previousEnd;
  bool recovering = false;
  /// The token of the last error; none other is reported there.
  size_t errorPosition = SIZE_MAX;
  bool hadErrors = false;
  bool stopped = false;
  unsigned depth = 0;
  /// In the head of an if, loop or match: braces are the body, and `let` may
  /// stand.
  bool inHead = false;
};

} // namespace sequin::visa_source

#endif // SEQUIN_LIB_VISASOURCE_PARSERIMPL_H
