//===- MlirText.cpp - MLIR text before it is parsed -----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Support/MlirText.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"

using namespace sequin;
using llvm::StringRef;
using llvm::Twine;

namespace {

/// Brackets around a token, those of the aliases it names included. Programs
/// have some twenty.
constexpr int64_t kMostDepth = 256;
/// Operators of one affine map; programs have some tens.
constexpr int64_t kMostAffineOperators = 1024;
/// Tokens of the text with its aliases written out: so many, and so many per
/// byte.
constexpr uint64_t kMostTokens = 1 << 24;
constexpr uint64_t kMostTokensPerByte = 64;

/// What an alias stands for.
struct Alias {
  int64_t depth = 0;
  uint64_t tokens = 0;
  bool hasVectors = false;
  bool isShaped = false; ///< a tensor, memref or vector
  bool hasIndices = false, hasFloats = false;
};

class Scanner {
public:
  explicit Scanner(StringRef text) : text(text) {}
  std::optional<MlirTextFault> scan();

private:
  StringRef next();
  void skipBlanksAndComments();
  void see(StringRef token);
  void nest(StringRef token);
  void seeAlias(StringRef name);
  void seeAffine(StringRef token);
  void seeDenseArray();
  void seeIntegerList(StringRef name);
  void seeVector(StringRef token);
  void seeElement(StringRef at, bool isIndex, bool isFloat);
  void seeShape(StringRef token);
  void seeOperands();
  bool isShaped(StringRef token) const;
  void endAlias();
  void refuse(StringRef at, const Twine &message) {
    if (!fault)
      fault = MlirTextFault{static_cast<size_t>(at.data() - text.data()),
                            message.str()};
  }
  /// The next token, without moving on.
  StringRef peek() {
    size_t here = position;
    StringRef token = next();
    position = here;
    return token;
  }

  StringRef text;
  size_t position = 0;
  std::optional<MlirTextFault> fault;
  llvm::SmallVector<char, 32> open;
  uint64_t tokens = 0;

  llvm::StringMap<Alias> aliases;
  /// The alias that is being defined, up to the next one or an operation.
  StringRef defined;
  Alias definition;

  /// Level of the bracket around an affine map, and its operators.
  std::optional<size_t> affineLevel;
  int64_t affineOperators = 0;

  /// Inside the custom form of an operation with a list of integers.
  bool expectsList = false;
  /// Behind the name of a linalg operation whose body the parser makes, and how
  /// many brackets are open there.
  bool expectsNumbers = false;
  size_t numbersLevel = 0;
  bool hasIndices = false, hasFloats = false;
  /// Whether there are shapes of complex numbers, and of others.
  bool hasComplex = false, hasReals = false;
  /// Inside linalg.map or linalg.reduce with an operation for a body.
  bool expectsShaped = false;
};

} // namespace

static bool isNameCharacter(char c) {
  return llvm::isAlnum(c) || c == '_' || c == '$' || c == '.';
}

void Scanner::skipBlanksAndComments() {
  while (position < text.size()) {
    if (llvm::isSpace(text[position]) || text[position] == '\0') {
      ++position;
    } else if (text.substr(position).starts_with("//")) {
      size_t end = std::min(text.find('\n', position), text.size());
      // Here --split-input-file begins a program of its own.
      if (text.slice(position, end).rtrim() == "// -----") {
        open.clear();
        aliases.clear();
        defined = {};
        affineLevel.reset();
        expectsList = expectsNumbers = expectsShaped = false;
      }
      position = end;
    } else {
      return;
    }
  }
}

StringRef Scanner::next() {
  skipBlanksAndComments();
  size_t begin = position;
  if (begin == text.size())
    return {};
  char c = text[position++];
  // "%a-b" is a name, "d0-d1" is not.
  auto takeName = [&](bool withMinus) {
    while (position < text.size() &&
           (isNameCharacter(text[position]) ||
            (withMinus && text[position] == '-' &&
             !text.substr(position).starts_with("->"))))
      ++position;
  };
  if (c == '"') {
    while (position < text.size() && text[position] != '"' &&
           text[position] != '\n')
      position += text[position] == '\\' ? 2 : 1;
    position = std::min(position + 1, text.size());
  } else if (c == '-' && text.substr(position).starts_with(">")) {
    ++position;
  } else if (llvm::isAlnum(c) || c == '_') {
    takeName(/*withMinus=*/false);
  } else if (StringRef("#!%^@").contains(c)) {
    takeName(/*withMinus=*/true);
  }
  return text.slice(begin, position);
}

void Scanner::nest(StringRef token) {
  char c = token.front();
  if (c == '(' || c == '[' || c == '{' || c == '<') {
    open.push_back(c);
    definition.depth =
        std::max<int64_t>(definition.depth, static_cast<int64_t>(open.size()));
    if (static_cast<int64_t>(open.size()) > kMostDepth)
      refuse(token, "nested in more than " + Twine(kMostDepth) + " brackets");
    return;
  }
  char opener = c == ')' ? '(' : c == ']' ? '[' : c == '}' ? '{' : '<';
  if (c == '>') {
    // Elsewhere it compares.
    if (!open.empty() && open.back() == opener)
      open.pop_back();
  } else if (llvm::is_contained(open, opener)) {
    while (open.pop_back_val() != opener) {
    }
  }
  if (affineLevel && open.size() < *affineLevel)
    affineLevel.reset();
}

void Scanner::endAlias() {
  if (!defined.empty())
    aliases[defined] = definition;
  defined = {};
}

void Scanner::seeAlias(StringRef name) {
  if (open.empty() && peek() == "=") {
    endAlias();
    defined = name;
    definition = {};
    return;
  }
  auto found = aliases.find(name);
  if (found == aliases.end())
    return;
  int64_t depth = found->second.depth + static_cast<int64_t>(open.size()) + 1;
  definition.depth = std::max(definition.depth, depth);
  if (found->second.hasVectors)
    seeVector(name);
  seeElement(name, found->second.hasIndices, found->second.hasFloats);
  // A location is printed by its name.
  if (!name.starts_with("#loc")) {
    definition.tokens =
        llvm::SaturatingAdd(definition.tokens, found->second.tokens);
    tokens = llvm::SaturatingAdd(tokens, found->second.tokens);
  }
  uint64_t most = kMostTokens + kMostTokensPerByte * text.size();
  if (depth > kMostDepth)
    refuse(name, "'" + name + "' is nested in more than " + Twine(kMostDepth) +
                     " brackets and aliases");
  else if (tokens > most)
    refuse(name, "with '" + name +
                     "' and the aliases before it written out, the text has "
                     "more than " +
                     Twine(most) + " tokens");
}

void Scanner::seeAffine(StringRef token) {
  if (token == "affine_map" || token == "affine_set") {
    affineLevel = open.size() + 1;
    affineOperators = 0;
    return;
  }
  if (!affineLevel)
    return;
  bool isOperator = token == "+" || token == "-" || token == "*" ||
                    token == "mod" || token == "floordiv" || token == "ceildiv";
  affineOperators += isOperator;
  if (affineOperators > kMostAffineOperators)
    refuse(token, "an affine map of more than " + Twine(kMostAffineOperators) +
                      " operators");
}

void Scanner::seeDenseArray() {
  size_t here = position;
  if (next() == "<") {
    StringRef type = next();
    if (type == "index" || (type.starts_with("!") && !type.contains('.')))
      refuse(type, "a dense array has elements of type '" + type +
                       "', expected an integer or a float such as i64 or f32");
  }
  position = here;
}

/// `dimensions = [0, 1]`.
void Scanner::seeIntegerList(StringRef name) {
  if (!expectsList || peek() != "=")
    return;
  expectsList = false;
  size_t here = position;
  next();
  StringRef token = next();
  bool isList = token == "[";
  if (isList && (token = next()) != "]") {
    while (true) {
      bool negative = token == "-";
      int64_t number;
      if (negative)
        token = next();
      // As the parser does, which takes 0x10 and no octal numbers.
      isList = !token.getAsInteger(token.starts_with("0x") ? 0 : 10, number);
      if (!isList || (token = next()) == "]")
        break;
      isList = token == ",";
      if (!isList)
        break;
      token = next();
    }
  }
  if (!isList)
    refuse(token.empty() ? name : token,
           "'" + name + "' is a list of integers of 64 bits, as in '" + name +
               " = [1, 0]'");
  position = here;
}

/// Part of a type with vectors, or an alias of one.
void Scanner::seeVector(StringRef token) {
  definition.hasVectors = true;
  // Strides and dilations in braces are vectors.
  auto level = std::min(numbersLevel, open.size());
  if (expectsNumbers &&
      !llvm::is_contained(llvm::ArrayRef(open).drop_front(level), '{'))
    refuse(token, "a linalg operation without a body works on vectors, "
                  "expected numbers");
}

/// Elements of a type, or of an alias of one. Bodies that the parser makes have
/// no cast from indices to floats.
void Scanner::seeElement(StringRef at, bool isIndex, bool isFloat) {
  definition.hasIndices |= isIndex;
  definition.hasFloats |= isFloat;
  hasIndices |= isIndex;
  hasFloats |= isFloat;
  if (expectsNumbers && hasIndices && hasFloats && (isIndex || isFloat))
    refuse(at, "a linalg operation without a body works on indices and floats "
               "at once");
}

/// Sizes and elements: `4x8xf32`. Bodies that the parser makes have no cast
/// from numbers to complex ones.
void Scanner::seeShape(StringRef token) {
  bool isShape = llvm::isDigit(token.front()) && token.contains('x');
  if (!expectsNumbers || !isShape || token.ends_with("xvector"))
    return;
  bool isComplex = token.ends_with("xcomplex");
  hasComplex |= isComplex;
  hasReals |= !isComplex;
  if (hasComplex && hasReals)
    refuse(token,
           "a linalg operation without a body works on complex and other "
           "numbers at once");
}

bool Scanner::isShaped(StringRef token) const {
  if (token.starts_with("!"))
    return aliases.lookup(token).isShaped;
  return token == "tensor" || token == "memref" || token == "vector";
}

/// `(%a, %b : tensor<4xf32>, tensor<4xf32>)`, up to what has no place in it.
void Scanner::seeOperands() {
  size_t here = position;
  if (next() == "(") {
    StringRef token = next();
    while (!token.empty() && StringRef("%#,").contains(token.front()))
      token = next();
    bool begins = token == ":";
    int64_t level = begins ? 0 : -1;
    while (!fault && level >= 0) {
      token = next();
      if (token.empty() || StringRef("{}=").contains(token) ||
          token.starts_with("linalg."))
        break;
      if (begins && !isShaped(token))
        refuse(token, "an operand of linalg.map or linalg.reduce is no tensor "
                      "or memref");
      level += (token == "<" || token == "(") - (token == ">" || token == ")");
      begins = level == 0 && token == ",";
    }
  }
  position = here;
}

static bool beginsOperation(StringRef token, StringRef next) {
  char c = token.front();
  return c == '%' || (c == '"' && next == "(") || token == "module" ||
         (llvm::isAlpha(c) && token.contains('.'));
}

void Scanner::see(StringRef token) {
  if (!defined.empty() && open.empty() && beginsOperation(token, peek()))
    endAlias();
  // Behind the name and '='.
  if (!defined.empty() && definition.tokens == 2)
    definition.isShaped = isShaped(token);
  switch (token.front()) {
  case '(':
  case '[':
  case '{':
  case '<':
  case ')':
  case ']':
  case '}':
  case '>':
    return nest(token);
  case '#':
  case '!':
    return seeAlias(token);
  default:
    break;
  }
  seeAffine(token);
  // linalg.generic and linalg.map have a body of the author's. An attribute may
  // have a name of a dialect, too.
  if (llvm::isAlpha(token.front()) && token.contains('.') &&
      (open.size() <= numbersLevel || peek().empty() ||
       !StringRef("=,}").contains(peek()))) {
    expectsNumbers = token.starts_with("linalg.") &&
                     token != "linalg.generic" && token != "linalg.map";
    numbersLevel = open.size();
    hasIndices = hasFloats = hasComplex = hasReals = false;
  } else if (token == "vector" || token.ends_with("xvector")) {
    seeVector(token);
  }
  if (llvm::isAlnum(token.front())) {
    StringRef element = token.substr(token.rfind('x') + 1);
    StringRef width = element.starts_with("bf") || element.starts_with("tf")
                          ? element.drop_front(2)
                          : element.drop_front(element.starts_with("f"));
    seeElement(token, token == "index" || token.ends_with("xindex"),
               width != element && !width.empty() && llvm::isDigit(width[0]));
    seeShape(token);
  }
  if (token == "array")
    seeDenseArray();
  else if (token == "linalg.reduce" || token == "linalg.transpose" ||
           token == "linalg.broadcast")
    expectsList = true;
  else if (token == "dimensions" || token == "permutation")
    seeIntegerList(token);
  else if (token == "linalg.map")
    expectsShaped = true;
  else if (expectsShaped && (token == "ins" || token == "outs")) {
    seeOperands();
    expectsShaped = token == "ins";
  }
  expectsShaped |= token == "linalg.reduce";
}

std::optional<MlirTextFault> Scanner::scan() {
  for (StringRef token = next(); !token.empty() && !fault; token = next()) {
    ++tokens;
    ++definition.tokens;
    see(token);
  }
  return std::move(fault);
}

std::optional<MlirTextFault> sequin::findMlirTextFault(StringRef text,
                                                       bool allowsBytecode) {
  // As mlir/Bytecode/BytecodeReader.h has it.
  if (text.starts_with("ML\xefR")) {
    if (allowsBytecode)
      return std::nullopt;
    return MlirTextFault{
        0, "this is MLIR bytecode, whose reader trusts what it is given: "
           "'sequin-opt --allow-bytecode' makes text of it"};
  }
  return Scanner(text).scan();
}

std::optional<llvm::SMDiagnostic>
sequin::findMlirTextFault(const llvm::SourceMgr &sources, bool allowsBytecode) {
  StringRef text =
      sources.getMemoryBuffer(sources.getMainFileID())->getBuffer();
  auto fault = findMlirTextFault(text, allowsBytecode);
  if (!fault)
    return std::nullopt;
  return sources.GetMessage(
      llvm::SMLoc::getFromPointer(text.data() + fault->offset),
      llvm::SourceMgr::DK_Error, fault->message);
}
