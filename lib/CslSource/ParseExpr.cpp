//===- ParseExpr.cpp - Expressions of CSL ---------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"
#include "sequin/CslSource/Names.h"
#include "sequin/Support/Excerpt.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"

using namespace sequin;
using namespace sequin::csl_source;
using llvm::StringRef;
using llvm::Twine;

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

namespace {

struct OperatorInfo {
  BinaryOp op;
  /// Higher binds tighter (SYN-053).
  unsigned precedence;
};

constexpr unsigned kComparison = 3;

std::optional<OperatorInfo> operatorOf(TokenKind kind) {
  switch (kind) {
  case TokenKind::KwOr:
    return OperatorInfo{BinaryOp::Or, 1};
  case TokenKind::KwAnd:
    return OperatorInfo{BinaryOp::And, 2};
  case TokenKind::EqualEqual:
    return OperatorInfo{BinaryOp::Eq, kComparison};
  case TokenKind::BangEqual:
    return OperatorInfo{BinaryOp::Ne, kComparison};
  case TokenKind::Less:
    return OperatorInfo{BinaryOp::Lt, kComparison};
  case TokenKind::LessEqual:
    return OperatorInfo{BinaryOp::Le, kComparison};
  case TokenKind::Greater:
    return OperatorInfo{BinaryOp::Gt, kComparison};
  case TokenKind::GreaterEqual:
    return OperatorInfo{BinaryOp::Ge, kComparison};
  case TokenKind::Pipe:
    return OperatorInfo{BinaryOp::BitOr, 4};
  case TokenKind::Caret:
    return OperatorInfo{BinaryOp::BitXor, 5};
  case TokenKind::Amp:
    return OperatorInfo{BinaryOp::BitAnd, 6};
  case TokenKind::LessLess:
    return OperatorInfo{BinaryOp::Shl, 7};
  case TokenKind::GreaterGreater:
    return OperatorInfo{BinaryOp::Shr, 7};
  case TokenKind::Plus:
    return OperatorInfo{BinaryOp::Add, 8};
  case TokenKind::Minus:
    return OperatorInfo{BinaryOp::Sub, 8};
  case TokenKind::Star:
    return OperatorInfo{BinaryOp::Mul, 9};
  case TokenKind::Slash:
    return OperatorInfo{BinaryOp::Div, 9};
  case TokenKind::Percent:
    return OperatorInfo{BinaryOp::Rem, 9};
  default:
    return std::nullopt;
  }
}

bool adjacent(const Token &first, const Token &second) {
  return first.text.end() == second.text.begin();
}

} // namespace

const Expr *Parser::parseExpr() {
  Nesting nesting(*this);
  if (!nesting)
    return errorExpr(begin());
  return parseBinary(1);
}

const Expr *Parser::parseBinary(unsigned minPrecedence) {
  Loc start = begin();
  const Expr *left = parseUnary();
  bool compared = false;
  while (auto info = operatorOf(token().kind)) {
    if (info->precedence < minPrecedence)
      break;
    const Token op = token();
    const Token &after = token(1);
    if ((op.is(TokenKind::Plus) || op.is(TokenKind::Minus)) &&
        after.is(op.kind) && adjacent(op, after) &&
        (at(TokenKind::Semi, 2) || at(TokenKind::RParen, 2))) {
      errorHere("unknown operator '" + op.text + op.text + "', write '" +
                op.text + "= 1'");
      take();
      take();
      break;
    }
    // `+|`, `-|`, `*|`; `+%`, `-%`, `*%` and with `=`.
    bool isSum = op.is(TokenKind::Plus) || op.is(TokenKind::Minus) ||
                 op.is(TokenKind::Star);
    if (isSum && adjacent(op, after) &&
        (after.is(TokenKind::Pipe) || after.text.starts_with("%"))) {
      errorHere("unknown operator '" + op.text + after.text + "': '" + op.text +
                "' wraps in running code, an 'if' saturates");
      take();
      errorPosition = position;
    }
    if ((op.is(TokenKind::Amp) || op.is(TokenKind::Pipe)) &&
        after.is(op.kind) && adjacent(op, after)) {
      bool isAnd = op.is(TokenKind::Amp);
      errorHere("unknown operator '" + op.text + op.text + "', write '" +
                (isAnd ? "and" : "or") + "'");
      take();
    } else if (info->precedence == kComparison && compared) {
      errorHere("comparisons do not chain, join two with 'and'");
    }
    compared |= info->precedence == kComparison;
    take();
    const Expr *right = parseBinary(info->precedence + 1);
    left = make<BinaryExpr>(start, info->op, op.span(), left, right);
  }
  return left;
}

const Expr *Parser::parseUnary() {
  Nesting nesting(*this);
  if (!nesting)
    return errorExpr(begin());
  Loc start = begin();
  auto unary = [&](UnaryOp op) {
    take();
    const Expr *operand = parseUnary();
    return make<UnaryExpr>(start, op, operand);
  };
  switch (token().kind) {
  case TokenKind::Minus:
    return unary(UnaryOp::Neg);
  case TokenKind::Bang:
    return unary(UnaryOp::Not);
  case TokenKind::Tilde:
    return unary(UnaryOp::BitNot);
  case TokenKind::Amp:
    return unary(UnaryOp::AddressOf);
  case TokenKind::KwComptime: {
    take();
    const Expr *operand = parseUnary();
    return make<ComptimeExpr>(start, operand);
  }
  case TokenKind::Star:
    return parsePointerType();
  default:
    return parsePostfix(parsePrimary(), start);
  }
}

/// Whether braces after it make a literal of it.
static bool mayBeType(const Expr *e) {
  switch (e->kind()) {
  case NodeKind::NameExpr:
  case NodeKind::MemberExpr:
  case NodeKind::CallExpr:
  case NodeKind::BuiltinCall:
  case NodeKind::ParenExpr:
  case NodeKind::IndexExpr:
  case NodeKind::ArrayType:
  case NodeKind::StructType:
    return true;
  default:
    return false;
  }
}

const Expr *Parser::parsePostfix(const Expr *base, Loc start) {
  for (;;) {
    switch (token().kind) {
    case TokenKind::LSquare: {
      Token open = take();
      auto indices = parseExprs(TokenKind::RSquare, open, "the indices");
      if (indices.empty())
        errorAt(Span(open.begin(), lastEnd()), "index has no value");
      if (indices.empty())
        indices = list(llvm::ArrayRef<const Expr *>{errorExpr(lastEnd())});
      base = make<IndexExpr>(start, base, indices);
      break;
    }
    case TokenKind::LParen: {
      Token open = take();
      auto arguments = parseExprs(TokenKind::RParen, open, "the arguments");
      base = make<CallExpr>(start, base, arguments);
      break;
    }
    case TokenKind::DotStar:
      take();
      base = make<DerefExpr>(start, base);
      break;
    case TokenKind::Dot: {
      take();
      // Members may be called like types: `.color`, `.range`.
      if (!at(TokenKind::Name)) {
        errorExpected("the name of a member after '.'");
        return errorExpr(start);
      }
      base = make<MemberExpr>(start, base, identOf(take()));
      break;
    }
    case TokenKind::LBrace:
      if (literals == Literals::None || !mayBeType(base))
        return base;
      if (literals == Literals::Clear && !llvm::isa<ArrayType>(base) &&
          !at(TokenKind::Dot, 1))
        return base;
      base = parseInit(base, start);
      break;
    default:
      return base;
    }
  }
}

//===----------------------------------------------------------------------===//
// Primary expressions
//===----------------------------------------------------------------------===//

const Expr *Parser::parsePrimary() {
  Loc start = begin();
  switch (token().kind) {
  case TokenKind::Int:
  case TokenKind::Float:
    return parseNumber();
  case TokenKind::Char:
    return parseChar();
  case TokenKind::String:
    return parseString();
  case TokenKind::KwTrue:
    take();
    return make<BoolLiteral>(start, true);
  case TokenKind::KwFalse:
    take();
    return make<BoolLiteral>(start, false);
  case TokenKind::Name:
    return parseName();
  case TokenKind::Builtin:
    return parseBuiltin();
  case TokenKind::LParen:
    return parseParens();
  case TokenKind::DotLBrace:
    return parseInit(nullptr, start);
  case TokenKind::LBrace:
    return parseBlock({});
  case TokenKind::Pipe:
    return parseTensorAccess();
  case TokenKind::LSquare:
    return parseSquareType();
  case TokenKind::KwIf:
    return parseIfExpr();
  case TokenKind::KwSwitch:
    return parseSwitch();
  case TokenKind::KwReturn:
  case TokenKind::KwBreak:
  case TokenKind::KwContinue:
    return parseJump();
  case TokenKind::KwAsm:
    return parseAsm();
  case TokenKind::KwFn:
  case TokenKind::KwTask:
    return parseFnType();
  case TokenKind::KwExtern:
  case TokenKind::KwPacked:
  case TokenKind::KwStruct:
  case TokenKind::KwUnion:
    return parseStruct();
  case TokenKind::KwEnum:
    return parseEnum();
  case TokenKind::KwAnytype:
    errorHere("'anytype' stands only for the type of a parameter");
    take();
    return errorExpr(start);
  case TokenKind::KwFor:
  case TokenKind::KwWhile:
  case TokenKind::KwInline:
    errorHere("a loop is a statement and has no value");
    return errorExpr(start);
  case TokenKind::Dot:
    if (at(TokenKind::Int, 1) && adjacent(token(), token(1)))
      errorHere("number '." + token(1).text +
                "' starts with its point, a digit is needed on both sides");
    else if (at(TokenKind::Name, 1))
      errorHere("a member is named with what has it, as in 'kind." +
                token(1).text + "'; a struct value is '.{ ... }'");
    else
      errorExpected("an expression");
    take();
    if (at(TokenKind::Int) || at(TokenKind::Name))
      take();
    return errorExpr(start);
  case TokenKind::Invalid:
    // Reported by the lexer.
    hadErrors = true;
    errorPosition = position + 1;
    take();
    return errorExpr(start);
  default:
    errorExpected("an expression");
    return errorExpr(start);
  }
}

const Expr *Parser::parseName() {
  Loc start = begin();
  if (at(TokenKind::Colon, 1) &&
      (at(TokenKind::LBrace, 2) || at(TokenKind::KwFor, 2) ||
       at(TokenKind::KwWhile, 2)))
    return parseLabelled();
  if (token().text == "_" && !at(TokenKind::Equal, 1))
    errorHere("'_' has no value, it stands only for what is not used");
  Token name = take();
  return make<NameExpr>(start, name.text);
}

const Expr *Parser::parseNumber() {
  Loc start = begin();
  Token number = take();
  if (number.hasError)
    return errorExpr(start);
  std::string digits;
  llvm::copy_if(number.text, std::back_inserter(digits),
                [](char c) { return c != '_'; });
  if (number.is(TokenKind::Float)) {
    llvm::APFloat value(llvm::APFloat::IEEEdouble());
    // APFloat wants the exponent that CSL lets be left out.
    bool isHex = StringRef(digits).starts_with("0x");
    if (isHex && StringRef(digits).find_insensitive("p") == StringRef::npos)
      digits += "p0";
    auto status =
        value.convertFromString(digits, llvm::APFloat::rmNearestTiesToEven);
    if (!status) {
      llvm::consumeError(status.takeError());
      errorAt(number.span(),
              "number '" + excerpt(number.text) + "' is no float");
      return errorExpr(start);
    }
    if (value.isInfinity()) {
      errorAt(number.span(), "number '" + excerpt(number.text) +
                                 "' is beyond the range of comptime_float, "
                                 "which is that of a double");
      return errorExpr(start);
    }
    return make<FloatLiteral>(start, value.convertToDouble(), number.text);
  }
  StringRef text = digits;
  unsigned radix = text.starts_with("0x")   ? 16
                   : text.starts_with("0o") ? 8
                   : text.starts_with("0b") ? 2
                                            : 10;
  if (radix != 10)
    text = text.drop_front(2);
  // Four bits hold any digit up to base 16.
  llvm::APInt value(unsigned(text.size()) * 4 + 1, text, uint8_t(radix));
  if (value.getActiveBits() > IntLiteral::kMaxLiteralBits) {
    errorAt(number.span(),
            "integer has " + Twine(value.getActiveBits()) + " bits, at most " +
                Twine(IntLiteral::kMaxLiteralBits) + " are allowed");
    return errorExpr(start);
  }
  value = value.trunc(std::max(1u, value.getActiveBits()));
  llvm::ArrayRef<uint64_t> words(value.getRawData(), value.getNumWords());
  return make<IntLiteral>(start, list(words), number.text);
}

const Expr *Parser::parseChar() {
  Loc start = begin();
  Token t = take();
  if (t.hasError)
    return errorExpr(start);
  StringRef body = t.text.drop_front().drop_back();
  uint32_t value = 0;
  if (body.starts_with("\\") &&
      (body[1] == 'x' || body[1] == 'u' || body[1] == 'U')) {
    // The lexer has checked the digits.
    if (body.drop_front(2).getAsInteger(16, value))
      return errorExpr(start);
  } else {
    std::string bytes = unescape(t.text);
    const auto *from = reinterpret_cast<const llvm::UTF8 *>(bytes.data());
    llvm::UTF32 *to = &value;
    llvm::ConvertUTF8toUTF32(&from, from + bytes.size(), &to, to + 1,
                             llvm::strictConversion);
  }
  return make<CharLiteral>(start, value, t.text);
}

const StringLiteral *Parser::parseString() {
  Loc start = begin();
  Token t = take();
  return make<StringLiteral>(start, context.copy(StringRef(unescape(t.text))),
                             t.text);
}

const Expr *Parser::parseBuiltin() {
  Loc start = begin();
  Token t = take();
  Ident name = {t.text.drop_front(), t.span()};
  if (!at(TokenKind::LParen)) {
    errorExpected("'(' after builtin '" + excerpt(t.text) + "'");
    return errorExpr(start);
  }
  Token open = take();
  auto arguments = parseExprs(TokenKind::RParen, open,
                              "the arguments of '" + excerpt(t.text) + "'");
  return make<BuiltinCall>(start, name, arguments);
}

const Expr *Parser::parseParens() {
  Loc start = begin();
  Token open = take();
  llvm::SaveAndRestore<Literals> saved(literals, Literals::All);
  const Expr *inner = parseExpr();
  expectClosing(TokenKind::RParen, open, "the parenthesis");
  return make<ParenExpr>(start, inner);
}

llvm::ArrayRef<const Expr *>
Parser::parseExprs(TokenKind closing, const Token &opening, const Twine &what) {
  llvm::SaveAndRestore<Literals> saved(literals, Literals::All);
  std::string text = what.str();
  ExprList exprs;
  parseList(closing, opening, text, [&] { exprs.push_back(parseExpr()); });
  return list(llvm::ArrayRef<const Expr *>(exprs));
}

const Expr *Parser::parseInit(const Expr *type, Loc start) {
  Nesting nesting(*this);
  if (!nesting)
    return errorExpr(start);
  llvm::SaveAndRestore<Literals> saved(literals, Literals::All);
  Token open = take();
  llvm::SmallVector<FieldInit, 8> fields;
  ExprList elements;
  llvm::StringMap<Span> names;
  parseList(TokenKind::RBrace, open, "the literal", [&] {
    bool isField = at(TokenKind::Dot) && at(TokenKind::Name, 1);
    if (isField && !elements.empty())
      errorHere("field after an element, a literal has either fields or "
                "elements");
    if (!isField && !fields.empty())
      errorHere("element after a field, a literal has either fields or "
                "elements");
    if (!isField) {
      elements.push_back(parseExpr());
      return;
    }
    take();
    Ident name = identOf(take());
    auto [known, isNew] = names.try_emplace(name.text, name.span);
    if (!isNew) {
      Diagnostic &error =
          errorAt(name.span, "field '" + name.text + "' is given twice");
      noteAt(&error, known->second, "given here first");
    }
    if (!expect(TokenKind::Equal, "after field '" + name.text + "'")) {
      skipElement(TokenKind::RBrace);
      fields.push_back({name, errorExpr(lastEnd())});
      return;
    }
    fields.push_back({name, parseExpr()});
  });
  if (!fields.empty())
    return make<StructInit>(start, type,
                            list(llvm::ArrayRef<FieldInit>(fields)));
  return make<ListInit>(start, type,
                        list(llvm::ArrayRef<const Expr *>(elements)));
}

//===----------------------------------------------------------------------===//
// Control flow with a value
//===----------------------------------------------------------------------===//

const Expr *Parser::parseIfExpr() {
  Nesting nesting(*this);
  Loc start = begin();
  if (!nesting)
    return errorExpr(start);
  take();
  const Expr *condition = parseCondition("'if'");
  const Expr *then = parseExpr();
  const Expr *otherwise = nullptr;
  if (takeIf(TokenKind::KwElse))
    otherwise = parseExpr();
  return make<IfExpr>(start, condition, then, otherwise);
}

/// Whether a token can begin the value of a jump.
static bool endsJump(TokenKind kind) {
  switch (kind) {
  case TokenKind::Semi:
  case TokenKind::Comma:
  case TokenKind::RBrace:
  case TokenKind::RParen:
  case TokenKind::RSquare:
  case TokenKind::KwElse:
  case TokenKind::End:
    return true;
  default:
    return false;
  }
}

const Expr *Parser::parseJump() {
  Loc start = begin();
  Token keyword = take();
  if (keyword.is(TokenKind::KwReturn)) {
    if (!jumps.inFunction)
      errorAt(keyword.span(), "'return' outside of a function or task");
    const Expr *value = nullptr;
    if (!endsJump(token().kind))
      value = parseExpr();
    return make<ReturnExpr>(start, value);
  }
  bool isBreak = keyword.is(TokenKind::KwBreak);
  Ident label;
  if (takeIf(TokenKind::Colon)) {
    if (at(TokenKind::Name))
      label = identOf(take());
    else
      errorExpected("a label after ':'");
    const Label *known = findLabel(label.text);
    if (!label.empty() && !known)
      errorAt(label.span, "there is no label '" + excerpt(label.text) +
                              "' around this '" + keyword.text + "'");
    else if (known && !isBreak && !known->isLoop)
      errorAt(label.span, "label '" + excerpt(label.text) +
                              "' names a block, 'continue' needs a loop");
  } else if (jumps.loops == 0) {
    errorAt(keyword.span(),
            "'" + keyword.text + "' outside of a loop" +
                (isBreak ? ", a block is left by its label" : ""));
  }
  if (!isBreak)
    return make<ContinueExpr>(start, label);
  const Expr *value = nullptr;
  if (!endsJump(token().kind)) {
    if (label.empty())
      errorHere("'break' with a value needs the label of a block");
    value = parseExpr();
  }
  return make<BreakExpr>(start, label, value);
}

//===----------------------------------------------------------------------===//
// Tensor accesses and assembly
//===----------------------------------------------------------------------===//

const CaptureDecl *Parser::parseCapture(const Twine &what) {
  Loc start = begin();
  Ident name = parseName(what);
  return make<CaptureDecl>(start, name);
}

const Expr *Parser::parseTensorAccess() {
  Nesting nesting(*this);
  Loc start = begin();
  if (!nesting)
    return errorExpr(start);
  llvm::SaveAndRestore<Literals> saved(literals, Literals::All);
  take();
  llvm::SmallVector<const CaptureDecl *, 4> variables;
  do {
    if (at(TokenKind::Pipe) && !variables.empty())
      break;
    variables.push_back(parseCapture("an induction variable"));
    if (variables.back()->name().empty())
      return errorExpr(start);
    for (const CaptureDecl *other :
         llvm::ArrayRef<const CaptureDecl *>(variables).drop_back())
      if (other->name().text == variables.back()->name().text)
        errorAt(variables.back()->span(), "induction variable '" +
                                              other->name().text +
                                              "' is named twice");
  } while (takeIf(TokenKind::Comma));
  if (!expect(TokenKind::Pipe, "after the induction variables"))
    return errorExpr(start);
  if (!at(TokenKind::LBrace)) {
    errorExpected("'{' and the extents of a tensor access");
    return errorExpr(start);
  }
  Token open = take();
  auto extents = parseExprs(TokenKind::RBrace, open, "the extents");
  if (extents.size() != variables.size())
    errorAt(Span(open.begin(), lastEnd()),
            "tensor access has " + Twine(variables.size()) +
                " induction variables and " + Twine(extents.size()) +
                " extents, needed are as many");
  if (!expect(TokenKind::Arrow, "after the extents of a tensor access"))
    return errorExpr(start);
  // A path: the brackets that follow it are the indices.
  Loc pathStart = begin();
  if (!at(TokenKind::Name)) {
    errorExpected("the name of an array after '->'");
    return errorExpr(start);
  }
  if (token().text == "_")
    errorHere("'_' has no value, it stands only for what is not used");
  const Expr *array = make<NameExpr>(pathStart, take().text);
  while (at(TokenKind::Dot) || at(TokenKind::DotStar)) {
    if (takeIf(TokenKind::DotStar)) {
      array = make<DerefExpr>(pathStart, array);
      continue;
    }
    take();
    if (!at(TokenKind::Name)) {
      errorExpected("the name of a member after '.'");
      return errorExpr(start);
    }
    array = make<MemberExpr>(pathStart, array, identOf(take()));
  }
  if (!at(TokenKind::LSquare)) {
    errorExpected("'[' and the indices of a tensor access");
    return errorExpr(start);
  }
  Token square = take();
  auto indices = parseExprs(TokenKind::RSquare, square, "the indices");
  if (indices.empty()) {
    errorAt(Span(square.begin(), lastEnd()), "tensor access has no indices");
    return errorExpr(start);
  }
  return make<TensorAccess>(
      start, list(llvm::ArrayRef<const CaptureDecl *>(variables)), extents,
      array, indices);
}

llvm::ArrayRef<AsmOperand> Parser::parseAsmOperands() {
  llvm::SmallVector<AsmOperand, 4> operands;
  while (at(TokenKind::LSquare)) {
    AsmOperand operand;
    take();
    operand.name = parseName("an operand of the assembly");
    if (!expect(TokenKind::RSquare, "after the name of an operand"))
      break;
    if (!at(TokenKind::String)) {
      errorExpected("the operand's constraint, a string");
      break;
    }
    operand.constraint = parseString();
    if (!at(TokenKind::LParen)) {
      errorExpected("'(' and the operand's expression");
      break;
    }
    Token open = take();
    operand.operand = parseExpr();
    expectClosing(TokenKind::RParen, open, "the operand");
    operands.push_back(operand);
    if (!takeIf(TokenKind::Comma))
      break;
  }
  return list(llvm::ArrayRef<AsmOperand>(operands));
}

const Expr *Parser::parseAsm() {
  Loc start = begin();
  take();
  bool isVolatile = takeIf(TokenKind::KwVolatile);
  if (!at(TokenKind::LParen)) {
    errorExpected("'(' after 'asm'");
    return errorExpr(start);
  }
  llvm::SaveAndRestore<Literals> saved(literals, Literals::All);
  Token open = take();
  const Expr *text = parseExpr();
  takeIf(TokenKind::Comma);
  llvm::ArrayRef<AsmOperand> outputs, inputs;
  llvm::SmallVector<const StringLiteral *, 4> clobbers;
  if (takeIf(TokenKind::Colon)) {
    outputs = parseAsmOperands();
    if (takeIf(TokenKind::Colon)) {
      inputs = parseAsmOperands();
      if (takeIf(TokenKind::Colon)) {
        while (at(TokenKind::String)) {
          clobbers.push_back(parseString());
          if (!takeIf(TokenKind::Comma))
            break;
        }
      }
    }
  }
  expectClosing(TokenKind::RParen, open, "the assembly");
  return make<AsmExpr>(start, isVolatile, text, outputs, inputs,
                       list(llvm::ArrayRef<const StringLiteral *>(clobbers)));
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

const Expr *Parser::parseType() {
  llvm::SaveAndRestore<Literals> saved(literals, Literals::None);
  return parseUnary();
}

const Expr *Parser::parsePointerType() {
  Loc start = begin();
  take();
  bool isConst = takeIf(TokenKind::KwConst);
  const Expr *pointee = parseType();
  return make<PointerType>(start, /*isMany=*/false, isConst, pointee);
}

const Expr *Parser::parseSquareType() {
  Nesting nesting(*this);
  Loc start = begin();
  if (!nesting)
    return errorExpr(start);
  Token open = take();
  if (at(TokenKind::Star) && at(TokenKind::RSquare, 1)) {
    take();
    take();
    bool isConst = takeIf(TokenKind::KwConst);
    const Expr *pointee = parseType();
    return make<PointerType>(start, /*isMany=*/true, isConst, pointee);
  }
  if (at(TokenKind::Name) && token().text == "_" && at(TokenKind::RSquare, 1))
    errorHere("the length of an array is written, as in [3]i16");
  auto dims = parseExprs(TokenKind::RSquare, open, "the array's sizes");
  if (dims.empty()) {
    errorAt(Span(open.begin(), lastEnd()), "array type has no size");
    dims = list(llvm::ArrayRef<const Expr *>{errorExpr(lastEnd())});
  }
  // [N][M]T is refused (SYN-098); pointers to many elements may be elements.
  if (at(TokenKind::LSquare) &&
      !(at(TokenKind::Star, 1) && at(TokenKind::RSquare, 2)))
    errorHere("expected an element type, found '[': an array of arrays is "
              "written [N, M]T");
  const Expr *element = parseType();
  return make<ArrayType>(start, dims, element);
}
