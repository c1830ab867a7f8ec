//===- EvalExpr.cpp - Names, operators, aggregates ------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"
#include "sequin/VisaSource/Printer.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace sequin;
using namespace sequin::visa_import;
using ast::MeaningKind;
using Kind = Value::Kind;

Value Evaluator::fail(Span place, const llvm::Twine &message) {
  reporter.error(place) << message.str();
  return {};
}

bool Evaluator::spend(Span place) {
  if (stepsLeft > 0) {
    --stepsLeft;
    return true;
  }
  if (!outOfSteps)
    fail(place, "the kernel takes more steps to import than the limit: its "
                "loops run too often to be unrolled");
  outOfSteps = true;
  return false;
}

const Value &Evaluator::strip(const Value &value) {
  const Value *inner = &value;
  while (inner->kind == Kind::Reference)
    inner = inner->target.get();
  return *inner;
}

TypeRef Evaluator::typeOf(const Value &value) {
  switch (value.kind) {
  case Kind::Tensor:
    return value.buffer->type;
  case Kind::View:
    return Emitter::typeOfView(value);
  case Kind::Stream: {
    TypeRef type = emitter.typeOfStream(value.name, value.stream);
    if (!value.fetch)
      return type;
    // What the operation will give.
    auto fetched = std::make_shared<Type>(*type);
    auto element = tcp::getElementKind(value.fetch->element);
    fetched->args[0] = element ? makeScalar(getName(*element)) : TypeRef();
    fetched->args[4] = makeMapping(value.fetch->time);
    fetched->args[5] = makeMapping(value.fetch->packet);
    return fetched;
  }
  case Kind::Reference:
    return typeOf(*value.target);
  case Kind::Int:
  case Kind::Float:
    return value.name.empty() ? TypeRef() : makeScalar(value.name);
  case Kind::Bool:
    return makeScalar("bool");
  case Kind::Tuple:
  case Kind::Array: {
    auto type = std::make_shared<Type>();
    type->kind =
        value.kind == Kind::Tuple ? Type::Kind::Tuple : Type::Kind::Array;
    for (const Field &field : value.fields)
      type->args.push_back(typeOf(*field.value));
    return type;
  }
  default:
    return nullptr;
  }
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// Bits and signedness of an integer type; none for another.
static std::optional<std::pair<unsigned, bool>> integerShape(StringRef name) {
  if (name == "usize" || name == "isize")
    return std::pair(64u, name == "isize");
  bool isSigned = name.starts_with("i");
  unsigned bits = 0;
  if (name.empty() || (!isSigned && !name.starts_with("u")) ||
      name.drop_front().getAsInteger(10, bits))
    return std::nullopt;
  return std::pair(bits, isSigned);
}

bool visa_import::fitsInteger(int64_t number, StringRef type) {
  auto shape = integerShape(type);
  if (!shape || shape->first >= 64)
    return shape && (shape->second || number >= 0);
  return shape->second ? llvm::isIntN(shape->first, number)
                       : llvm::isUIntN(shape->first, uint64_t(number));
}

Value Evaluator::checkRange(Value number, Span place) {
  auto shape = integerShape(number.name);
  if (!shape || shape->first >= 64) {
    if (shape && !shape->second && number.integer < 0)
      return fail(place, "this is " + llvm::Twine(number.integer) +
                             ", a number of type " + number.name +
                             " begins at 0");
    return number;
  }
  int64_t low = shape->second ? llvm::minIntN(shape->first) : 0;
  int64_t high = shape->second ? llvm::maxIntN(shape->first)
                               : int64_t(llvm::maxUIntN(shape->first));
  if (number.integer < low || number.integer > high)
    return fail(place, "this is " + llvm::Twine(number.integer) +
                           ", a number of type " + number.name +
                           " lies between " + llvm::Twine(low) + " and " +
                           llvm::Twine(high));
  return number;
}

std::optional<int64_t> Evaluator::evalInteger(const ast::Expr &expr) {
  Value value = eval(expr);
  const Value &number = strip(value);
  if (number.kind == Kind::Int)
    return number.integer;
  if (!number.isError())
    fail(expr.span(), "expected an integer, found " + describe(number));
  return std::nullopt;
}

std::optional<int64_t> Evaluator::evalAxisSize(const ast::Expr &size) {
  auto number = evalInteger(size);
  if (number && *number < 1) {
    fail(size.span(),
         "an axis has at least 1 position, found " + llvm::Twine(*number));
    return std::nullopt;
  }
  return number;
}

static Value makeFloat(double number, StringRef type) {
  Value value;
  value.kind = Kind::Float;
  value.number = number;
  value.name = type.str();
  return value;
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

Value Evaluator::eval(const ast::Expr &expr, const TypeRef &expected) {
  if (!spend(expr.span()))
    return {};
  switch (expr.kind()) {
  case ast::NodeKind::IntLiteral: {
    const auto &literal = llvm::cast<ast::IntLiteral>(expr);
    if (literal.suffix == "f32" || literal.suffix == "f64")
      return makeFloat(double(literal.value), literal.suffix);
    if (literal.value > uint64_t(INT64_MAX))
      return fail(expr.span(),
                  "number " + literal.text + " does not fit in 63 bits");
    StringRef type = literal.suffix;
    if (type.empty() && expected && expected->kind == Type::Kind::Scalar &&
        integerShape(expected->name))
      type = expected->name;
    return checkRange(makeInt(int64_t(literal.value), type), expr.span());
  }
  case ast::NodeKind::FloatLiteral: {
    const auto &literal = llvm::cast<ast::FloatLiteral>(expr);
    std::string digits;
    for (char c : literal.text)
      if (c != '_')
        digits += c;
    double number = 0;
    if (StringRef(digits).getAsDouble(number))
      return fail(expr.span(), "cannot read the number " + literal.text);
    return makeFloat(number, literal.suffix);
  }
  case ast::NodeKind::BoolLiteral:
    return makeBool(llvm::cast<ast::BoolLiteral>(expr).value);
  case ast::NodeKind::StringLiteral: {
    Value text;
    text.kind = Kind::Text;
    text.name = llvm::cast<ast::StringLiteral>(expr).bytes.str();
    return text;
  }
  case ast::NodeKind::PathExpr:
    return evalPath(llvm::cast<ast::PathExpr>(expr), expected);
  case ast::NodeKind::ParenExpr:
    return eval(*llvm::cast<ast::ParenExpr>(expr).inner, expected);
  case ast::NodeKind::TupleExpr: {
    const auto &tuple = llvm::cast<ast::TupleExpr>(expr);
    if (tuple.elements.empty())
      return makeUnit();
    std::vector<Value> elements;
    for (auto [index, element] : llvm::enumerate(tuple.elements)) {
      TypeRef type;
      if (expected && expected->kind == Type::Kind::Tuple &&
          index < expected->args.size())
        type = expected->args[index];
      elements.push_back(eval(*element, type));
    }
    return makeTuple(std::move(elements));
  }
  case ast::NodeKind::ArrayExpr: {
    TypeRef type;
    if (expected && expected->kind == Type::Kind::Array &&
        !expected->args.empty())
      type = expected->args.front();
    std::vector<Value> elements;
    for (const ast::Expr *element : llvm::cast<ast::ArrayExpr>(expr).elements)
      elements.push_back(eval(*element, type));
    return makeArray(std::move(elements));
  }
  case ast::NodeKind::RepeatExpr: {
    const auto &repeat = llvm::cast<ast::RepeatExpr>(expr);
    Value element = eval(*repeat.element);
    auto count = evalInteger(*repeat.count);
    if (element.isError() || !count)
      return {};
    if (*count < 0 || *count > 1 << 20)
      return fail(repeat.count->span(), "an array of " + llvm::Twine(*count) +
                                            " elements is too long");
    return makeArray(std::vector<Value>(*count, element));
  }
  case ast::NodeKind::StructExpr:
    return evalStruct(llvm::cast<ast::StructExpr>(expr), expected);
  case ast::NodeKind::UnaryExpr:
    return evalUnary(llvm::cast<ast::UnaryExpr>(expr), expected);
  case ast::NodeKind::RefExpr:
    return evalRef(llvm::cast<ast::RefExpr>(expr), expected);
  case ast::NodeKind::BinaryExpr:
    return evalBinary(llvm::cast<ast::BinaryExpr>(expr), expected);
  case ast::NodeKind::CastExpr:
    return evalCast(llvm::cast<ast::CastExpr>(expr));
  case ast::NodeKind::AssignExpr:
    return evalAssign(llvm::cast<ast::AssignExpr>(expr));
  case ast::NodeKind::RangeExpr: {
    const auto &range = llvm::cast<ast::RangeExpr>(expr);
    Value value;
    value.kind = Kind::Range;
    auto first =
        range.first ? evalInteger(*range.first) : std::optional<int64_t>(0);
    if (!range.last)
      return fail(expr.span(), "a range of a kernel has an end");
    auto last = evalInteger(*range.last);
    if (!first || !last)
      return {};
    int64_t end = range.inclusive ? *last + 1 : *last;
    value.fields.push_back({"", std::make_shared<Value>(makeInt(*first))});
    value.fields.push_back({"", std::make_shared<Value>(makeInt(end))});
    return value;
  }
  case ast::NodeKind::CallExpr:
    return evalCall(llvm::cast<ast::CallExpr>(expr), expected);
  case ast::NodeKind::MethodCall:
    return evalMethod(llvm::cast<ast::MethodCall>(expr), expected);
  case ast::NodeKind::FieldExpr:
    return evalField(llvm::cast<ast::FieldExpr>(expr));
  case ast::NodeKind::IndexExpr:
    return evalIndex(llvm::cast<ast::IndexExpr>(expr));
  case ast::NodeKind::BlockExpr: {
    const auto &block = llvm::cast<ast::BlockExpr>(expr);
    if (block.mode == ast::BlockMode::Async ||
        block.mode == ast::BlockMode::AsyncMove)
      return fail(expr.span(), "an async block belongs to a host program");
    if (block.mode == ast::BlockMode::Const) {
      llvm::SaveAndRestore constantly(inConstant, true);
      return evalBlock(block, expected);
    }
    return evalBlock(block, expected);
  }
  case ast::NodeKind::IfExpr:
    return evalIf(llvm::cast<ast::IfExpr>(expr), expected);
  case ast::NodeKind::LetExpr: {
    const auto &let = llvm::cast<ast::LetExpr>(expr);
    Value value = eval(*let.value);
    if (value.isError())
      return {};
    return makeBool(match(*let.pattern, value));
  }
  case ast::NodeKind::MatchExpr:
    return evalMatch(llvm::cast<ast::MatchExpr>(expr), expected);
  case ast::NodeKind::ForExpr:
    return evalFor(llvm::cast<ast::ForExpr>(expr));
  case ast::NodeKind::WhileExpr: {
    const auto &loop = llvm::cast<ast::WhileExpr>(expr);
    return evalWhile(loop.condition, *loop.body, expr.span());
  }
  case ast::NodeKind::LoopExpr:
    return evalWhile(nullptr, *llvm::cast<ast::LoopExpr>(expr).body,
                     expr.span());
  case ast::NodeKind::BreakExpr:
  case ast::NodeKind::ReturnExpr: {
    bool isReturn = expr.kind() == ast::NodeKind::ReturnExpr;
    const ast::Expr *inner = isReturn ? llvm::cast<ast::ReturnExpr>(expr).value
                                      : llvm::cast<ast::BreakExpr>(expr).value;
    Value value =
        inner ? eval(*inner, isReturn ? frame->result : TypeRef()) : makeUnit();
    if (flow == Flow::Next) {
      flow = isReturn ? Flow::Return : Flow::Break;
      flowValue = std::move(value);
    }
    return makeUnit();
  }
  case ast::NodeKind::ContinueExpr:
    flow = Flow::Continue;
    return makeUnit();
  case ast::NodeKind::ClosureExpr: {
    Value closure;
    closure.kind = Kind::Closure;
    closure.decl = &expr;
    closure.frame = frame;
    return closure;
  }
  case ast::NodeKind::MacroExpr:
    return evalMacro(llvm::cast<ast::MacroExpr>(expr), expected);
  case ast::NodeKind::AwaitExpr:
    return fail(expr.span(), "'.await' belongs to a host program");
  default:
    return fail(expr.span(),
                "'" + ast::toString(expr) + "' has no meaning in a kernel");
  }
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

Value Evaluator::evalItem(const ast::Item &item, const ast::Path &path,
                          Span place) {
  if (const auto *constant = llvm::dyn_cast<ast::ConstItem>(&item)) {
    auto [found, isNew] = constants.try_emplace(constant, std::nullopt);
    if (!isNew) {
      if (found->second)
        return *found->second;
      return fail(place, "constant '" + constant->head.name.text +
                             "' is made from itself");
    }
    // A constant sees no parameters.
    std::shared_ptr<Frame> outer = std::move(frame);
    frame = std::make_shared<Frame>();
    TypeRef type = constant->type ? evalType(*constant->type) : TypeRef();
    llvm::SaveAndRestore constantly(inConstant, true);
    Value value = eval(*constant->value, type);
    frame = std::move(outer);
    if (value.kind == Kind::Int && value.name.empty() && type)
      value.name = type->name;
    constants[constant] = value;
    return value;
  }
  if (const auto *function = llvm::dyn_cast<ast::FnItem>(&item)) {
    Value value;
    value.kind = Kind::Closure;
    value.decl = function;
    return value;
  }
  if (const auto *unit = llvm::dyn_cast<ast::StructItem>(&item)) {
    Value value;
    value.kind = Kind::Struct;
    value.decl = unit;
    return value;
  }
  return fail(place, "'" + ast::toString(path) + "' is no value");
}

/// `<m![A]>::SIZE`, `E::SIZE`, `Type::CONSTANT`, `Choice::Variant`.
Value Evaluator::evalAssociated(const ast::Path &path,
                                const ast::Meaning &meaning, Span place) {
  StringRef last = path.segments.back()->name.text;
  if (meaning.kind == MeaningKind::Builtin ||
      meaning.kind == MeaningKind::External) {
    StringRef type = path.segments.front()->name.text;
    bool isMax = last == "MAX";
    if (isMax || last == "MIN") {
      if (auto shape = integerShape(type)) {
        unsigned bits = std::min(shape->first, 63u + shape->second);
        int64_t bound = isMax ? (shape->second ? llvm::maxIntN(bits)
                                               : int64_t(llvm::maxUIntN(bits)))
                              : (shape->second ? llvm::minIntN(bits) : 0);
        return makeInt(bound, type);
      }
      if (type == "f32")
        return makeFloat(isMax ? 3.40282347e+38 : -3.40282347e+38, type);
    }
    if (type == "f32" && last == "INFINITY")
      return makeFloat(INFINITY, type);
    if (type == "f32" && last == "NEG_INFINITY")
      return makeFloat(-INFINITY, type);
    if (type == "f32" && last == "NAN")
      return makeFloat(NAN, type);
  }
  if (meaning.kind == MeaningKind::Api && meaning.rest == 1) {
    StringRef type = meaning.api ? meaning.api->name : StringRef();
    if (!type.empty() && ast::isApiValue(type, last))
      return makeChoice(type, last);
  }
  // Associated constants of the source's own types.
  const ast::Node *owner = meaning.kind == MeaningKind::Self && frame->self
                               ? frame->self->decl
                               : meaning.node;
  if (owner && meaning.rest <= 1) {
    findMethod(*owner, "");
    for (const ast::ImplItem *impl : impls[owner])
      for (const ast::Item *item : impl->items) {
        const auto *constant = llvm::dyn_cast<ast::ConstItem>(item);
        if (!constant || constant->head.name.text != last)
          continue;
        const auto *type = llvm::dyn_cast<ast::StructItem>(owner);
        if (!type || !type->generics)
          return evalItem(*item, path, place);
        if (meaning.kind == MeaningKind::Self && frame->self->bound)
          return evalMember(*constant, owner, *frame->self->bound);
        auto bound =
            structArguments(owner,
                            path.segments.size() > 1
                                ? path.segments[path.segments.size() - 2]->args
                                : nullptr,
                            nullptr, place);
        return bound ? evalMember(*constant, owner, *bound) : Value();
      }
  }
  if (last == "SIZE") {
    // What stands before the last name is a type.
    TypeRef type;
    if (path.self && path.segments.size() == 1) {
      type = evalType(*path.self);
    } else {
      auto found = frame->types.find(meaning.node);
      if (meaning.kind == MeaningKind::Generic && found != frame->types.end()) {
        type = found->second;
      } else if (const auto *alias =
                     llvm::dyn_cast_or_null<ast::TypeItem>(meaning.node)) {
        type = evalType(*alias->type);
      } else if (const auto *axis =
                     llvm::dyn_cast_or_null<ast::AxisDecl>(meaning.node)) {
        if (auto size = axes.sizes().lookup(axes.nameOf(*axis)))
          return makeInt(*size, "usize");
        auto size = evalAxisSize(*axis->size);
        return size ? makeInt(*size, "usize") : Value();
      }
    }
    if (type && type->kind == Type::Kind::Error)
      return {};
    if (type &&
        (type->kind == Type::Kind::Mapping || type->kind == Type::Kind::Axis)) {
      auto mapping = resolveMapping(
          type->kind == Type::Kind::Axis ? type->name : type->text, place);
      return mapping ? makeInt(mapping->size(), "usize") : Value();
    }
    return fail(place, "'" + ast::toString(path) +
                           "': only mappings and axes have a SIZE here");
  }
  return fail(place, "'" + ast::toString(path) + "' is not known in a kernel");
}

Value Evaluator::evalPath(const ast::PathExpr &expr, const TypeRef &expected) {
  const ast::Path &path = *expr.path;
  ast::Meaning meaning = program.meaningOf(path);
  if (meaning.rest > 0 || (path.self && !path.segments.empty()))
    return evalAssociated(path, meaning, expr.span());
  switch (meaning.kind) {
  case MeaningKind::Local: {
    auto found = frame->locals.find(meaning.node);
    if (found != frame->locals.end()) {
      const Value &value = *found->second;
      if (value.kind == Kind::Tensor && !value.buffer->value &&
          value.buffer->made.isValid())
        return fail(expr.span(),
                    "'" + ast::toString(path) + "' has been moved away");
      return value;
    }
    return fail(expr.span(), "'" + ast::toString(path) + "' has no value here");
  }
  case MeaningKind::Generic: {
    auto found = frame->constants.find(meaning.node);
    if (found != frame->constants.end())
      return found->second;
    isUnknown |= mayBeUnknown;
    if (mayBeUnknown)
      return {};
    return fail(expr.span(), "the value of '" + ast::toString(path) +
                                 "' is not known; write it in the call");
  }
  case MeaningKind::Self:
    if (frame->selfValue)
      return *frame->selfValue;
    break;
  case MeaningKind::Item:
    return evalItem(*llvm::cast<ast::Item>(meaning.node), path, expr.span());
  case MeaningKind::Axis: {
    // Where an axis itself is meant, as in BranchMode::AxisToggle.
    Value name;
    name.kind = Kind::Text;
    name.name = axes.nameOf(*llvm::cast<ast::AxisDecl>(meaning.node)).str();
    return name;
  }
  case MeaningKind::Variant: {
    Value value;
    value.kind = Kind::Struct;
    value.decl = meaning.node;
    value.variant = llvm::cast<ast::Variant>(meaning.node)->name.text;
    return value;
  }
  case MeaningKind::Api:
    if (meaning.api && meaning.api->kind == ast::ApiKind::Operand)
      return makeChoice(meaning.api->name, "");
    break;
  case MeaningKind::Builtin:
    if (ast::toString(path) == "None")
      return makeChoice("Option", "None");
    break;
  case MeaningKind::Unknown:
    return {}; // was reported
  default:
    break;
  }
  return fail(expr.span(),
              "'" + ast::toString(path) + "' has no value in a kernel");
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

Value Evaluator::evalRef(const ast::RefExpr &expr, const TypeRef &expected) {
  // `&mut x` of plain data gives others the variable itself.
  const ast::Expr *inner = expr.operand;
  while (const auto *paren = llvm::dyn_cast<ast::ParenExpr>(inner))
    inner = paren->inner;
  if (expr.isMut &&
      llvm::isa<ast::PathExpr, ast::FieldExpr, ast::IndexExpr>(inner)) {
    Value now = eval(*inner, expected);
    switch (strip(now).kind) {
    case Kind::Error:
    case Kind::Tensor:
    case Kind::View:
    case Kind::Stream:
    case Kind::Context:
      return now;
    default:
      break;
    }
    if (now.kind == Kind::Reference)
      return now;
    Slot slot = evalPlace(*inner);
    if (!slot)
      return {};
    Value reference;
    reference.kind = Kind::Reference;
    reference.target = slot;
    return reference;
  }
  return eval(*expr.operand, expected);
}

Value Evaluator::evalUnary(const ast::UnaryExpr &expr,
                           const TypeRef &expected) {
  if (expr.op == ast::UnaryOp::Deref)
    return strip(eval(*expr.operand, expected));
  Value operand = strip(eval(*expr.operand, expected));
  if (operand.isError())
    return {};
  if (expr.op == ast::UnaryOp::Neg) {
    Value negated;
    if (operand.kind == Kind::Int)
      negated =
          checkRange(makeInt(-operand.integer, operand.name), expr.span());
    if (operand.kind == Kind::Float)
      negated = makeFloat(-operand.number, operand.name);
    negated.dynamic = operand.dynamic;
    if (operand.kind == Kind::Int || operand.kind == Kind::Float)
      return negated;
  } else {
    if (operand.kind == Kind::Bool)
      return makeBool(!operand.boolean);
    if (operand.kind == Kind::Int) {
      auto shape = integerShape(operand.name);
      if (shape && !shape->second && shape->first < 64)
        return makeInt(int64_t(~uint64_t(operand.integer) &
                               llvm::maskTrailingOnes<uint64_t>(shape->first)),
                       operand.name);
      return makeInt(~operand.integer, operand.name);
    }
  }
  return fail(expr.span(), "'" + ast::spelling(expr.op) +
                               "' does not apply to " + describe(operand));
}

static bool isComparison(ast::BinaryOp op) {
  return op >= ast::BinaryOp::Eq && op <= ast::BinaryOp::Ge;
}

template <typename T>
static bool compare(ast::BinaryOp op, const T &left, const T &right) {
  switch (op) {
  case ast::BinaryOp::Eq:
    return left == right;
  case ast::BinaryOp::Ne:
    return left != right;
  case ast::BinaryOp::Lt:
    return left < right;
  case ast::BinaryOp::Gt:
    return left > right;
  case ast::BinaryOp::Le:
    return left <= right;
  default:
    return left >= right;
  }
}

static std::optional<int64_t> compute(ast::BinaryOp op, int64_t a, int64_t b) {
  switch (op) {
  case ast::BinaryOp::Add:
    return llvm::checkedAdd(a, b);
  case ast::BinaryOp::Sub:
    return llvm::checkedSub(a, b);
  case ast::BinaryOp::Mul:
    return llvm::checkedMul(a, b);
  case ast::BinaryOp::Div:
  case ast::BinaryOp::Rem:
    if (b == 0 || (b == -1 && a == INT64_MIN))
      return std::nullopt;
    return op == ast::BinaryOp::Div ? a / b : a % b;
  case ast::BinaryOp::Shl:
    if (b < 0 || b > 62 || a < 0 || a > (INT64_MAX >> b))
      return std::nullopt;
    return a << b;
  case ast::BinaryOp::Shr:
    if (b < 0 || b > 63)
      return std::nullopt;
    return a >> b;
  case ast::BinaryOp::BitAnd:
    return a & b;
  case ast::BinaryOp::BitOr:
    return a | b;
  case ast::BinaryOp::BitXor:
    return a ^ b;
  default:
    return std::nullopt;
  }
}

/// Whether two values are the same; none if they cannot be compared.
static std::optional<bool> areSame(const Value &a, const Value &b) {
  if (a.kind != b.kind)
    return std::nullopt;
  switch (a.kind) {
  case Kind::Unit:
    return true;
  case Kind::Bool:
    return a.boolean == b.boolean;
  case Kind::Int:
    return a.integer == b.integer;
  case Kind::Float:
    return a.number == b.number;
  case Kind::Text:
    return a.name == b.name;
  case Kind::Choice:
  case Kind::Struct:
  case Kind::Tuple:
  case Kind::Array:
  case Kind::Range: {
    if (a.variant != b.variant || a.fields.size() != b.fields.size())
      return false;
    for (auto [left, right] : llvm::zip(a.fields, b.fields)) {
      auto same = areSame(*left.value, *right.value);
      if (!same || !*same)
        return same;
    }
    return true;
  }
  default:
    return std::nullopt;
  }
}

Value Evaluator::binary(ast::BinaryOp op, const Value &a, const Value &b,
                        Span place) {
  const Value &left = strip(a), &right = strip(b);
  if (left.isError() || right.isError())
    return {};
  auto wrong = [&] {
    return fail(place, "'" + ast::spelling(op) + "' does not apply to " +
                           describe(left) + " and " + describe(right));
  };
  if (left.kind == Kind::Int && right.kind == Kind::Int) {
    if (isComparison(op))
      return makeBool(compare(op, left.integer, right.integer));
    bool isShift = op == ast::BinaryOp::Shl || op == ast::BinaryOp::Shr;
    StringRef type = left.name.empty() && !isShift ? right.name : left.name;
    if (!isShift && !left.name.empty() && !right.name.empty() &&
        left.name != right.name)
      return wrong();
    std::optional<int64_t> result = compute(op, left.integer, right.integer);
    if (!result)
      return fail(place, llvm::Twine(left.integer) + " " + ast::spelling(op) +
                             " " + llvm::Twine(right.integer) +
                             " has no value of 63 bits");
    return checkRange(makeInt(*result, type), place);
  }
  if (left.kind == Kind::Float && right.kind == Kind::Float) {
    double x = left.number, y = right.number;
    if (isComparison(op))
      return makeBool(compare(op, x, y));
    StringRef type = left.name.empty() ? right.name : left.name;
    double result;
    switch (op) {
    case ast::BinaryOp::Add:
      result = x + y;
      break;
    case ast::BinaryOp::Sub:
      result = x - y;
      break;
    case ast::BinaryOp::Mul:
      result = x * y;
      break;
    case ast::BinaryOp::Div:
      result = x / y;
      break;
    case ast::BinaryOp::Rem:
      result = std::fmod(x, y);
      break;
    default:
      return wrong();
    }
    // Arithmetic of single precision is rounded after each operation.
    return makeFloat(type == "f64" ? result : double(float(result)), type);
  }
  if (left.kind == Kind::Bool && right.kind == Kind::Bool) {
    bool x = left.boolean, y = right.boolean;
    switch (op) {
    case ast::BinaryOp::And:
    case ast::BinaryOp::BitAnd:
      return makeBool(x && y);
    case ast::BinaryOp::Or:
    case ast::BinaryOp::BitOr:
      return makeBool(x || y);
    case ast::BinaryOp::BitXor:
    case ast::BinaryOp::Ne:
      return makeBool(x != y);
    case ast::BinaryOp::Eq:
      return makeBool(x == y);
    default:
      return wrong();
    }
  }
  if (op == ast::BinaryOp::Eq || op == ast::BinaryOp::Ne)
    if (auto same = areSame(left, right))
      return makeBool(*same == (op == ast::BinaryOp::Eq));
  return wrong();
}

Value Evaluator::evalBinary(const ast::BinaryExpr &expr,
                            const TypeRef &expected) {
  bool isLogic = expr.op == ast::BinaryOp::And || expr.op == ast::BinaryOp::Or;
  TypeRef wanted = isLogic || isComparison(expr.op) ? TypeRef() : expected;
  Value left = strip(eval(*expr.left, wanted));
  if (left.isError() || flow != Flow::Next)
    return {};
  if (isLogic && left.kind == Kind::Bool &&
      left.boolean == (expr.op == ast::BinaryOp::Or))
    return left;
  Value right = strip(eval(*expr.right, wanted));
  Value result = binary(expr.op, left, right, expr.span());
  result.dynamic = left.dynamic.empty() ? right.dynamic : left.dynamic;
  return result;
}

Value Evaluator::evalCast(const ast::CastExpr &expr) {
  Value value = strip(eval(*expr.operand));
  Value converted = convert(expr, value);
  converted.dynamic = value.dynamic;
  // The compiler of release 0.6 leaves it to when the kernel runs.
  if (release == ast::Releases::V06 && !inConstant && converted.dynamic.empty())
    converted.dynamic = "an 'as' outside of 'const { .. }' makes it";
  return converted;
}

Value Evaluator::convert(const ast::CastExpr &expr, const Value &value) {
  TypeRef type = evalType(*expr.type);
  if (value.isError() || (type && type->kind == Type::Kind::Error))
    return {};
  if (!type)
    return value;
  StringRef name = type->name;
  auto shape = integerShape(name);
  if (type->kind == Type::Kind::Scalar && shape) {
    int64_t number = 0;
    if (value.kind == Kind::Int)
      number = value.integer;
    else if (value.kind == Kind::Bool)
      number = value.boolean;
    else if (value.kind == Kind::Float)
      number = std::isnan(value.number)  ? 0
               : value.number >= 9.2e18  ? INT64_MAX
               : value.number <= -9.2e18 ? INT64_MIN
                                         : int64_t(value.number);
    else
      return fail(expr.span(), "'as' does not apply to " + describe(value));
    // Integers wrap.
    if (shape->first < 64) {
      uint64_t bits =
          uint64_t(number) & llvm::maskTrailingOnes<uint64_t>(shape->first);
      number = shape->second ? llvm::SignExtend64(bits, shape->first)
                             : int64_t(bits);
    }
    return checkRange(makeInt(number, name), expr.span());
  }
  if (name == "f32" || name == "f64") {
    double number = value.kind == Kind::Int     ? double(value.integer)
                    : value.kind == Kind::Float ? value.number
                                                : NAN;
    if (value.kind == Kind::Int || value.kind == Kind::Float)
      return makeFloat(name == "f32" ? double(float(number)) : number, name);
  }
  return fail(expr.span(),
              "'as " + name + "' does not apply to " + describe(value));
}

Slot Evaluator::evalPlace(const ast::Expr &expr) {
  if (const auto *paren = llvm::dyn_cast<ast::ParenExpr>(&expr))
    return evalPlace(*paren->inner);
  if (const auto *unary = llvm::dyn_cast<ast::UnaryExpr>(&expr);
      unary && unary->op == ast::UnaryOp::Deref) {
    Slot slot = evalPlace(*unary->operand);
    return slot && slot->kind == Kind::Reference ? slot->target : slot;
  }
  if (const auto *path = llvm::dyn_cast<ast::PathExpr>(&expr)) {
    ast::Meaning meaning = program.meaningOf(*path->path);
    if (meaning.kind == MeaningKind::Local) {
      auto found = frame->locals.find(meaning.node);
      if (found != frame->locals.end())
        return found->second;
    }
    if (meaning.kind == MeaningKind::Self && frame->selfValue)
      return frame->selfValue;
  }
  auto member = [&](Slot base, auto &&select) -> Slot {
    while (base && base->kind == Kind::Reference)
      base = base->target;
    return base ? select(*base) : nullptr;
  };
  if (const auto *field = llvm::dyn_cast<ast::FieldExpr>(&expr))
    if (Slot slot = member(evalPlace(*field->base), [&](Value &base) -> Slot {
          size_t number;
          if (!field->name.text.getAsInteger(10, number))
            return number < base.fields.size() ? base.fields[number].value
                                               : nullptr;
          for (Field &candidate : base.fields)
            if (candidate.name == field->name.text)
              return candidate.value;
          return nullptr;
        }))
      return slot;
  if (const auto *element = llvm::dyn_cast<ast::IndexExpr>(&expr)) {
    auto index = evalInteger(*element->index);
    if (!index)
      return nullptr;
    if (Slot slot = member(evalPlace(*element->base), [&](Value &base) -> Slot {
          return *index >= 0 && size_t(*index) < base.fields.size()
                     ? base.fields[*index].value
                     : nullptr;
        }))
      return slot;
  }
  fail(expr.span(), "'" + ast::toString(expr) + "' cannot be changed");
  return nullptr;
}

Value Evaluator::evalAssign(const ast::AssignExpr &expr) {
  // `_ = e;`
  if (const auto *path = llvm::dyn_cast<ast::PathExpr>(expr.target))
    if (ast::singleName(*path->path).text == "_") {
      eval(*expr.value);
      return makeUnit();
    }
  Slot place = evalPlace(*expr.target);
  if (!place)
    return {};
  while (place->kind == Kind::Reference)
    place = place->target;
  Value value = eval(*expr.value, typeOf(*place));
  if (expr.op)
    value = binary(*expr.op, *place, value, expr.span());
  if (place->kind == Kind::Int && value.kind == Kind::Int &&
      value.name.empty()) {
    value.name = place->name;
    value = checkRange(value, expr.span());
  }
  *place = copyOf(strip(value));
  return makeUnit();
}
