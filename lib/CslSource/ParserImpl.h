//===- ParserImpl.h - The parser's state and functions ----------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function per rule of the grammar (docs/Spec/CslSyntax.md): Parser.cpp has
// the state, files and recovery, ParseDecl.cpp declarations and types with
// bodies, ParseStmt.cpp statements, ParseExpr.cpp expressions. A function
// that returns a node never returns null; after an error the node is an
// ErrorExpr.
//
// Two errors never come from one token, and every loop takes at least one
// token per round. When nesting or height pass their limit, or the error limit
// of Diagnostics is reached, the rest of the file is given up (`stop`), which
// looks to every function like the end of the file.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_CSLSOURCE_PARSERIMPL_H
#define SEQUIN_LIB_CSLSOURCE_PARSERIMPL_H

#include "sequin/CslSource/AST.h"
#include "sequin/CslSource/Lexer.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/SaveAndRestore.h"
#include <deque>

namespace sequin::csl_source {

class Parser {
public:
  Parser(FileId file, const SourceManager &sources, Context &context,
         Diagnostics &diagnostics);

  const SourceFile *parseFile();

private:
  using ExprList = llvm::SmallVector<const Expr *, 8>;

  //===--------------------------------------------------------------------===//
  // Tokens (Parser.cpp)
  //===--------------------------------------------------------------------===//

  const Token &token(size_t ahead = 0);
  bool at(TokenKind kind, size_t ahead = 0) { return token(ahead).is(kind); }
  bool atEnd() { return at(TokenKind::End); }
  /// Takes the current token; stays at the end of the file.
  Token take();
  bool takeIf(TokenKind kind);
  /// Takes the token or says that it is missing, after `where`.
  bool expect(TokenKind kind, const llvm::Twine &where);
  /// As expect, for the end of something: names the place where it began, and
  /// skips to the closing bracket if there is one.
  bool expectClosing(TokenKind kind, const Token &opening,
                     const llvm::Twine &what);
  /// A semicolon that ends `what`; without one goes on at the next statement.
  void expectSemi(const llvm::Twine &what);
  /// A name to declare; reports keywords and predeclared types.
  Ident parseName(const llvm::Twine &what);
  Ident identOf(const Token &t) { return {t.text, t.span()}; }

  Loc begin() { return token().begin(); }
  /// Where the token before the current one ends.
  Loc lastEnd() const { return previousEnd; }
  Span since(Loc start) const;

  //===--------------------------------------------------------------------===//
  // Errors and recovery (Parser.cpp)
  //===--------------------------------------------------------------------===//

  /// Reports unless the current token already had an error; returns where
  /// notes go.
  Diagnostic *errorHere(const llvm::Twine &message);
  /// "expected X, found Y" at the current token.
  Diagnostic *errorExpected(const llvm::Twine &what);
  /// Reports at a place behind the parser.
  Diagnostic &errorAt(Span span, const llvm::Twine &message);
  void noteAt(Diagnostic *to, Span span, const llvm::Twine &message);
  /// Gives up the rest of the file.
  void stop();

  /// Skips balanced brackets as a whole.
  void skipBalanced();
  /// To behind the semicolon of this statement, or before what closes the
  /// block or clearly begins a statement or declaration on its own line.
  void skipStatement();
  /// To a comma or closing bracket of the current list.
  void skipElement(TokenKind closing);
  /// Whether the current token is first on its line and begins a statement or
  /// declaration by its keyword.
  bool beginsStatement();
  bool atJump() {
    return at(TokenKind::KwReturn) || at(TokenKind::KwBreak) ||
           at(TokenKind::KwContinue);
  }

  template <typename T, typename... Args>
  const T *make(Loc start, Args &&...args) {
    const T *node =
        context.create<T>(since(start), std::forward<Args>(args)...);
    if (node->height() > kMaxTreeHeight)
      tooHigh(start);
    return node;
  }
  void tooHigh(Loc start);
  const Expr *errorExpr(Loc start) { return make<ErrorExpr>(start); }

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

  template <typename T> llvm::ArrayRef<T> list(llvm::ArrayRef<T> items) {
    return context.copy(items);
  }

  /// Elements up to `closing`, separated by commas, the last comma optional.
  /// `element` parses one. Takes the closing token.
  template <typename Parse>
  void parseList(TokenKind closing, const Token &opening,
                 const llvm::Twine &what, Parse element) {
    // An element may be a jump, on a line of its own too.
    while (!at(closing) && !atEnd() && (atJump() || !beginsStatement())) {
      size_t before = position;
      element();
      if (takeIf(TokenKind::Comma))
        continue;
      if (at(closing))
        break;
      // Semicolons instead of commas, unless the list was not closed.
      if (at(TokenKind::Semi) && closing == TokenKind::RBrace &&
          (at(TokenKind::Name, 1) || at(TokenKind::Dot, 1) ||
           at(TokenKind::RBrace, 1))) {
        errorExpected("',' or " + describe(closing) + " in " + what);
        take();
        continue;
      }
      // A list that was not closed ends where a statement begins.
      if (at(TokenKind::Semi) || atEnd() || beginsStatement())
        break;
      errorExpected("',' or " + describe(closing) + " in " + what);
      skipElement(closing);
      if (!takeIf(TokenKind::Comma) && position == before)
        break;
      if (!at(closing) && position == before)
        take();
    }
    expectClosing(closing, opening, what);
  }

  //===--------------------------------------------------------------------===//
  // Declarations (ParseDecl.cpp)
  //===--------------------------------------------------------------------===//

  /// Words before `fn`, `task`, `const`, ....
  struct Modifiers {
    Loc start;
    Storage storage = Storage::None;
    Span storageSpan;
    Inlining inlining = Inlining::None;
    Span inliningSpan;
  };

  /// Null if nothing could be read.
  const Decl *parseTopLevel();
  Modifiers parseModifiers();
  const Decl *parseFn(const Modifiers &modifiers, DocLines docs);
  const VarDecl *parseVar(const Modifiers &modifiers, DocLines docs,
                          bool isLocal, bool isComptime);
  void checkVar(const Ident &name, const VarDecl::Parts &parts, Span keyword,
                const Modifiers &modifiers, bool isLocal);
  const Decl *parseColor(DocLines docs);
  llvm::ArrayRef<const FnParam *> parseParams(bool mayBeUnnamed,
                                              const llvm::Twine &what);
  const FnParam *parseParam(bool mayBeUnnamed);
  bool atAttribute();
  /// Takes the attributes that stand here.
  void parseAttributes(DeclAttributes &attributes);

  const Expr *parseStruct();
  const Expr *parseEnum();
  const Expr *parseFnType();

  /// Doc comments that end right before the current token.
  DocLines takeDocs(CommentKind kind);
  void warnAboutDocs();

  //===--------------------------------------------------------------------===//
  // Statements (ParseStmt.cpp)
  //===--------------------------------------------------------------------===//

  const BlockExpr *parseBlock(Ident label);
  /// Null for an empty statement or if nothing could be read.
  const Stmt *parseStmt();
  const Expr *parseStmtExpr(bool &needsSemi);
  /// What may follow a label: a block or loop.
  const Expr *parseLabelled();
  const Expr *parseLoop(Ident label);
  const Expr *parseFor(Ident label, LoopMode mode, Loc start);
  const Expr *parseWhile(Ident label, LoopMode mode, Loc start);
  /// An if whose arms may be assignments.
  const Expr *parseIfStmt();
  /// The body of an if, loop or prong: a block or one expression or assignment.
  const Expr *parseBody(const llvm::Twine &what);
  /// An expression, jump or assignment.
  const Expr *parseSimple();
  const Expr *parseSwitch();
  SwitchProng parseProng();
  const Expr *parseCondition(const llvm::Twine &what,
                             bool mayHoldLiteral = false);
  const CaptureDecl *parseCapture(const llvm::Twine &what);

  //===--------------------------------------------------------------------===//
  // Expressions (ParseExpr.cpp)
  //===--------------------------------------------------------------------===//

  const Expr *parseExpr();
  const Expr *parseBinary(unsigned minPrecedence);
  const Expr *parseUnary();
  const Expr *parsePostfix(const Expr *base, Loc start);
  const Expr *parsePrimary();
  const Expr *parseName();
  const Expr *parseNumber();
  const Expr *parseChar();
  const StringLiteral *parseString();
  const Expr *parseBuiltin();
  const Expr *parseParens();
  const Expr *parseIfExpr();
  const Expr *parseJump();
  const Expr *parseAsm();
  llvm::ArrayRef<AsmOperand> parseAsmOperands();
  const Expr *parseTensorAccess();
  /// The braces of a literal; `type` may be null.
  const Expr *parseInit(const Expr *type, Loc start);
  llvm::ArrayRef<const Expr *>
  parseExprs(TokenKind closing, const Token &opening, const llvm::Twine &what);
  /// A type, which no literal's braces follow.
  const Expr *parseType();
  const Expr *parsePointerType();
  const Expr *parseSquareType();

  //===--------------------------------------------------------------------===//
  // State
  //===--------------------------------------------------------------------===//

  /// A label that a jump may name.
  struct Label {
    Ident name;
    bool isLoop = false;
  };
  /// The jumps that are allowed here. A function, comptime or layout block
  /// starts with none.
  struct JumpScope {
    llvm::SmallVector<Label, 4> labels;
    unsigned loops = 0;
    bool inFunction = false;
  };
  /// Enters a label for as long as it lives and reports a nested duplicate.
  class LabelScope {
  public:
    LabelScope(Parser &p, const Ident &label, bool isLoop);
    ~LabelScope();

  private:
    Parser &parser;
    bool pushed;
    bool isLoop;
  };
  const Label *findLabel(llvm::StringRef name);

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
  /// The token of the last error; none other is reported there.
  size_t errorPosition = SIZE_MAX;
  bool hadErrors = false;
  bool stopped = false;
  unsigned depth = 0;
  /// Which braces are a literal of the type before them and not a body: all,
  /// those behind the type of an array or before a field, or none.
  enum class Literals { All, Clear, None } literals = Literals::All;
  JumpScope jumps;
  /// Comments before this index stand before an earlier token.
  size_t docsSeen = 0;
  /// By comment: whether it documents something.
  std::vector<bool> docUsed;
};

} // namespace sequin::csl_source

#endif // SEQUIN_LIB_CSLSOURCE_PARSERIMPL_H
