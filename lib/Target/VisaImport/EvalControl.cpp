//===- EvalControl.cpp - Blocks, patterns, loops and calls ----------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"
#include "sequin/VisaSource/Printer.h"

using namespace sequin;
using namespace sequin::visa_import;
using ast::MeaningKind;
using Kind = Value::Kind;

/// Calls and blocks inside of each other.
static constexpr unsigned kMaxDepth = 128;

Value Evaluator::run(const ast::FnItem &function, std::vector<Value> args) {
  return callFunction(function, nullptr, std::move(args),
                      std::make_shared<Frame>(), function.head.name.span);
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

Value Evaluator::evalBlock(const ast::BlockExpr &block,
                           const TypeRef &expected) {
  for (auto [index, statement] : llvm::enumerate(block.statements)) {
    if (flow != Flow::Next || outOfSteps)
      return makeUnit();
    if (const auto *let = llvm::dyn_cast<ast::LetStmt>(statement)) {
      evalLet(*let, block, index, expected);
    } else if (const auto *stmt = llvm::dyn_cast<ast::ExprStmt>(statement)) {
      bool isLast =
          !block.tail && index + 1 == block.statements.size() && !stmt->hasSemi;
      Value value = eval(*stmt->expr, isLast ? expected : TypeRef());
      if (isLast)
        return value;
    }
  }
  if (flow != Flow::Next || !block.tail)
    return makeUnit();
  return eval(*block.tail, expected);
}

void Evaluator::evalLet(const ast::LetStmt &let, const ast::BlockExpr &block,
                        size_t index, const TypeRef &blockType) {
  TypeRef type = let.type ? evalType(*let.type) : TypeRef();
  if (!let.init) {
    // Has its value later.
    if (const auto *name = llvm::dyn_cast<ast::NamePattern>(let.pattern))
      frame->locals[name] = std::make_shared<Value>();
    return;
  }
  OpenLet outer = std::move(openLet);
  openLet = {};
  const auto *name = llvm::dyn_cast<ast::NamePattern>(let.pattern);
  if (!let.type && name) {
    const ast::Expr *init = let.init;
    while (const auto *inner = llvm::dyn_cast<ast::BlockExpr>(init)) {
      if (!inner->statements.empty() || !inner->tail)
        break;
      init = inner->tail;
    }
    openLet = {init, name, &block, index + 1, blockType};
  }
  Value value = eval(*let.init, type);
  openLet = std::move(outer);
  if (flow != Flow::Next)
    return;
  if (!value.isError() && type &&
      !checkConforms(type, typeOf(value), let.init->span()))
    value = {};
  Value number = strip(value);
  if (number.kind == Kind::Int && number.name.empty() && type &&
      type->kind == Type::Kind::Scalar) {
    number.name = type->name;
    value = checkRange(number, let.init->span());
  }
  if (!match(*let.pattern, value) && !value.isError()) {
    if (let.otherwise) {
      evalBlock(*let.otherwise, nullptr);
      return;
    }
    fail(let.pattern->span(), "the value is " + describe(value) + ", which '" +
                                  ast::toString(*let.pattern) +
                                  "' does not fit");
  }
}

namespace {
/// Looks through the rest of a block for what a name must be: the value of the
/// block, an argument of a function, a field of a struct.
struct LaterUses {
  const ast::Crates &program;
  const ast::NamePattern &name;
  /// The function that a call is of; null if it is none of the source.
  llvm::function_ref<const ast::FnItem *(const ast::Node &)> calleeOf;
  /// What `Self` is; null outside of a method.
  const ast::Node *self;

  /// Where a name is used: the type there, and of a call the function.
  struct Use {
    const ast::Type *type = nullptr;
    const ast::FnItem *function = nullptr;
    const ast::GenericArgs *generics = nullptr;
  };

  bool isName(const ast::Expr *expr) const {
    while (expr) {
      if (const auto *ref = llvm::dyn_cast<ast::RefExpr>(expr))
        expr = ref->operand;
      else if (const auto *paren = llvm::dyn_cast<ast::ParenExpr>(expr))
        expr = paren->inner;
      else
        break;
    }
    const auto *path = llvm::dyn_cast_or_null<ast::PathExpr>(expr);
    return path && program.meaningOf(*path->path).node == &name;
  }

  /// The parameter of a call that the name is given to.
  std::optional<Use> inCall(const ast::Node &node) const {
    const auto *call = llvm::dyn_cast<ast::CallExpr>(&node);
    const auto *method = llvm::dyn_cast<ast::MethodCall>(&node);
    if (!call && !method)
      return std::nullopt;
    ast::List<ast::Expr> args = call ? call->args : method->args;
    if (llvm::none_of(args, [&](const auto *arg) { return isName(arg); }))
      return std::nullopt;
    const ast::FnItem *function = calleeOf(node);
    if (!function)
      return std::nullopt;
    Use use;
    use.function = function;
    if (method)
      use.generics = method->generics;
    else if (const auto *path = llvm::dyn_cast<ast::PathExpr>(call->callee))
      use.generics = path->path->segments.back()->args;
    for (auto [index, arg] : llvm::enumerate(args)) {
      size_t at = index + (method ? 1 : 0);
      if (isName(arg) && at < function->params.size())
        use.type = function->params[at]->type;
    }
    return use.type ? std::optional(use) : std::nullopt;
  }

  /// The field that the name is the value of.
  std::optional<Use> inStruct(const ast::Node &node) const {
    const auto *made = llvm::dyn_cast<ast::StructExpr>(&node);
    if (!made)
      return std::nullopt;
    ast::Meaning meaning = program.meaningOf(*made->path);
    const auto *item = llvm::dyn_cast_or_null<ast::StructItem>(
        meaning.kind == MeaningKind::Self ? self : meaning.node);
    if (!item)
      return std::nullopt;
    for (const ast::FieldInit *field : made->inits)
      if (isName(field->value))
        for (const ast::FieldDecl *member : item->members)
          if (member->name.text == field->name.text)
            return Use{member->type, nullptr, nullptr};
    return std::nullopt;
  }

  std::optional<Use> find(const ast::Node &node) const {
    std::optional<Use> found = inCall(node);
    if (!found)
      found = inStruct(node);
    ast::forEachChild(node, [&](const ast::Node &child) {
      if (!found)
        found = find(child);
    });
    return found;
  }
};
} // namespace

TypeRef Evaluator::evalInCallee(const ast::Type &type, Frame &callee) {
  llvm::SaveAndRestore open(mayBeUnknown, true);
  llvm::SaveAndRestore unknown(isUnknown, false);
  std::shared_ptr<Frame> held(&callee, [](Frame *) {});
  std::swap(frame, held);
  TypeRef result = evalType(type);
  std::swap(frame, held);
  return result;
}

TypeRef Evaluator::findLaterType(const ast::NamePattern &name,
                                 const ast::BlockExpr &block, size_t from,
                                 const TypeRef &blockType) {
  auto calleeOf = [&](const ast::Node &node) -> const ast::FnItem * {
    if (const auto *method = llvm::dyn_cast<ast::MethodCall>(&node))
      return findOnlyMethod(method->name.text);
    const auto *path =
        llvm::dyn_cast<ast::PathExpr>(llvm::cast<ast::CallExpr>(node).callee);
    if (!path)
      return nullptr;
    ast::Meaning meaning = program.meaningOf(*path->path);
    if (meaning.rest == 0)
      return llvm::dyn_cast_or_null<ast::FnItem>(meaning.node);
    const ast::Node *owner = meaning.kind == MeaningKind::Self && frame->self
                                 ? frame->self->decl
                                 : meaning.node;
    return owner && meaning.rest == 1 && !path->path->segments.empty()
               ? findMethod(*owner, path->path->segments.back()->name.text)
               : nullptr;
  };
  LaterUses uses{program, name, calleeOf,
                 frame->self ? frame->self->decl : nullptr};
  const ast::Expr *tail = block.tail;
  if (tail && blockType) {
    if (uses.isName(tail))
      return blockType;
    const auto *tuple = llvm::dyn_cast<ast::TupleExpr>(tail);
    if (tuple && blockType->kind == Type::Kind::Tuple)
      for (auto [element, type] : llvm::zip(tuple->elements, blockType->args))
        if (uses.isName(element))
          return type;
  }
  auto typeIn = [&](const ast::Node &node) -> TypeRef {
    auto use = uses.find(node);
    if (!use)
      return nullptr;
    Frame callee;
    callee.self = frame->self;
    if (use->function && !bindGenerics(use->function->generics, use->generics,
                                       callee, node.span()))
      return nullptr;
    TypeRef type = evalInCallee(*use->type, callee);
    return type && type->kind == Type::Kind::Error ? TypeRef() : type;
  };
  for (size_t i = from; i < block.statements.size(); ++i)
    if (TypeRef type = typeIn(*block.statements[i]))
      return type;
  return tail ? typeIn(*tail) : nullptr;
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

bool Evaluator::matchFields(const ast::Path &path,
                            ast::List<ast::Pattern> patterns,
                            const Value &value) {
  ast::Meaning meaning = program.meaningOf(path);
  StringRef last = path.segments.back()->name.text;
  // What methods of lists give is not wrapped.
  bool isOption = value.kind == Kind::Choice && value.name == "Option";
  if ((last == "Some" || last == "Ok") && !isOption && patterns.size() == 1)
    return match(*patterns[0], value);
  bool fits =
      value.kind == Kind::Choice
          ? value.variant == last
          : value.kind == Kind::Struct && (value.decl == meaning.node ||
                                           meaning.kind == MeaningKind::Self);
  if (!fits || patterns.size() > value.fields.size())
    return false;
  for (auto [pattern, field] : llvm::zip(patterns, value.fields))
    if (!match(*pattern, *field.value))
      return false;
  return true;
}

bool Evaluator::matchMembers(const ast::StructPattern &pattern,
                             const Value &value) {
  if (value.kind == Kind::Context && value.name == "ctx") {
    for (const ast::FieldPattern *field : pattern.patterns) {
      Value member = value;
      member.name = field->name.text.str();
      if (!llvm::is_contained({"main", "sub", "tdma", "pdma"}, member.name) ||
          !match(*field->pattern, member))
        return false;
    }
    return true;
  }
  if (!matchFields(*pattern.path, {}, value))
    return false;
  for (const ast::FieldPattern *field : pattern.patterns) {
    auto found = llvm::find_if(value.fields, [&](const Field &candidate) {
      return candidate.name == field->name.text;
    });
    if (found == value.fields.end() || !match(*field->pattern, *found->value))
      return false;
  }
  return true;
}

bool Evaluator::match(const ast::Pattern &pattern, const Value &held) {
  const Value &value = strip(held);
  switch (pattern.kind()) {
  case ast::NodeKind::WildcardPattern:
  case ast::NodeKind::RestPattern:
    return true;
  case ast::NodeKind::NamePattern: {
    const auto &name = llvm::cast<ast::NamePattern>(pattern);
    // A constant or variant of that name.
    if (name.name.text == "None")
      return value.kind == Kind::Choice && value.variant == "None";
    if (ast::Meaning meaning = program.meaningOf(pattern);
        meaning && meaning.kind != MeaningKind::Local) {
      if (meaning.kind == MeaningKind::Variant)
        return value.kind == Kind::Struct && value.decl == meaning.node;
      if (const auto *item =
              llvm::dyn_cast_or_null<ast::ConstItem>(meaning.node)) {
        auto found = constants.find(item);
        if (found == constants.end() || !found->second) {
          std::shared_ptr<Frame> outer = std::move(frame);
          frame = std::make_shared<Frame>();
          constants[item] = eval(*item->value);
          frame = std::move(outer);
        }
        Value same =
            binary(ast::BinaryOp::Eq, *constants[item], value, pattern.span());
        return same.kind == Kind::Bool && same.boolean;
      }
    }
    if (name.inner && !match(*name.inner, held))
      return false;
    // Plain data is copied; a reference stays one.
    Value bound = held;
    if (bound.kind != Kind::Reference)
      for (Field &field : bound.fields)
        field.value = std::make_shared<Value>(*field.value);
    frame->locals[&pattern] = std::make_shared<Value>(std::move(bound));
    return true;
  }
  case ast::NodeKind::LiteralPattern: {
    Value literal = eval(*llvm::cast<ast::LiteralPattern>(pattern).value);
    if (value.isError() || literal.isError())
      return false;
    Value same = binary(ast::BinaryOp::Eq, value, literal, pattern.span());
    return same.kind == Kind::Bool && same.boolean;
  }
  case ast::NodeKind::RangePattern: {
    const auto &range = llvm::cast<ast::RangePattern>(pattern);
    if (value.kind != Kind::Int)
      return false;
    auto first = range.first ? evalInteger(*range.first)
                             : std::optional<int64_t>(INT64_MIN);
    auto last = range.last ? evalInteger(*range.last)
                           : std::optional<int64_t>(INT64_MAX);
    return first && last && value.integer >= *first &&
           (range.inclusive || !range.last ? value.integer <= *last
                                           : value.integer < *last);
  }
  case ast::NodeKind::RefPattern:
    return match(*llvm::cast<ast::RefPattern>(pattern).inner, held);
  case ast::NodeKind::ParenPattern:
    return match(*llvm::cast<ast::ParenPattern>(pattern).inner, held);
  case ast::NodeKind::TuplePattern:
  case ast::NodeKind::SlicePattern: {
    bool isTuple = pattern.kind() == ast::NodeKind::TuplePattern;
    ast::List<ast::Pattern> elements =
        isTuple ? llvm::cast<ast::TuplePattern>(pattern).elements
                : llvm::cast<ast::SlicePattern>(pattern).elements;
    if (value.isError()) {
      // What is bound is known to be wrong.
      for (const ast::Pattern *element : elements)
        match(*element, value);
      return true;
    }
    if (value.kind != (isTuple ? Kind::Tuple : Kind::Array))
      return false;
    const auto *rest = llvm::find_if(elements, [](const ast::Pattern *p) {
      return llvm::isa<ast::RestPattern>(p);
    });
    size_t before = rest - elements.begin(), count = value.fields.size();
    if (rest == elements.end() ? elements.size() != count
                               : elements.size() - 1 > count)
      return false;
    for (auto [index, element] : llvm::enumerate(elements)) {
      if (index == before)
        continue;
      size_t at = index < before ? index : count - (elements.size() - index);
      if (!match(*element, *value.fields[at].value))
        return false;
    }
    return true;
  }
  case ast::NodeKind::PathPattern:
    return matchFields(*llvm::cast<ast::PathPattern>(pattern).path, {}, value);
  case ast::NodeKind::TupleStructPattern: {
    const auto &parts = llvm::cast<ast::TupleStructPattern>(pattern);
    return matchFields(*parts.path, parts.elements, value);
  }
  case ast::NodeKind::StructPattern:
    return matchMembers(llvm::cast<ast::StructPattern>(pattern), value);
  case ast::NodeKind::OrPattern:
    return llvm::any_of(
        llvm::cast<ast::OrPattern>(pattern).alternatives,
        [&](const ast::Pattern *one) { return match(*one, held); });
  default:
    return false;
  }
}

//===----------------------------------------------------------------------===//
// Branches and loops
//===----------------------------------------------------------------------===//

Value Evaluator::evalIf(const ast::IfExpr &expr, const TypeRef &expected) {
  Value condition = strip(eval(*expr.condition));
  if (condition.isError() || flow != Flow::Next)
    return {};
  if (condition.kind != Kind::Bool)
    return fail(expr.condition->span(),
                "a condition is a bool, found " + describe(condition));
  Value value = condition.boolean ? evalBlock(*expr.then, expected)
                : expr.otherwise  ? eval(*expr.otherwise, expected)
                                  : makeUnit();
  if (!condition.dynamic.empty())
    value.dynamic = "an 'if' decides it when the kernel runs";
  return value;
}

Value Evaluator::evalMatch(const ast::MatchExpr &expr,
                           const TypeRef &expected) {
  Value input = eval(*expr.input);
  if (input.isError())
    return {};
  for (const ast::MatchArm *arm : expr.arms) {
    if (!match(*arm->pattern, input))
      continue;
    if (arm->guard) {
      Value guard = strip(eval(*arm->guard));
      if (guard.isError())
        return {};
      if (guard.kind != Kind::Bool || !guard.boolean)
        continue;
    }
    Value value = eval(*arm->body, expected);
    if (!strip(input).dynamic.empty())
      value.dynamic = "a 'match' decides it when the kernel runs";
    return value;
  }
  return fail(expr.input->span(), "no arm fits " + describe(input));
}

Value Evaluator::evalFor(const ast::ForExpr &expr) {
  Value range = strip(eval(*expr.range));
  if (range.isError())
    return {};
  auto round = [&](const Value &element) {
    if (!match(*expr.pattern, element)) {
      fail(expr.pattern->span(),
           "the elements are " + describe(element) + ", which '" +
               ast::toString(*expr.pattern) + "' does not fit");
      return false;
    }
    evalBlock(*expr.body, nullptr);
    if (flow == Flow::Continue)
      flow = Flow::Next;
    if (flow == Flow::Break) {
      flow = Flow::Next;
      return false;
    }
    return flow == Flow::Next && spend(expr.span());
  };
  if (range.kind == Kind::Range) {
    int64_t last = range.fields[1].value->integer;
    for (int64_t i = range.fields[0].value->integer; i < last; ++i) {
      Value index = makeInt(i);
      if (release == ast::Releases::V06)
        index.dynamic = "it depends on the index of a loop";
      if (!round(index))
        break;
    }
    return makeUnit();
  }
  auto elements = elementsOf(range, expr.range->span());
  if (!elements)
    return {};
  for (const Value &element : *elements)
    if (!round(element))
      break;
  return makeUnit();
}

Value Evaluator::evalWhile(const ast::Expr *condition,
                           const ast::BlockExpr &body, Span place) {
  while (spend(place)) {
    if (condition) {
      Value value = strip(eval(*condition));
      if (value.isError())
        return {};
      if (value.kind != Kind::Bool)
        return fail(condition->span(),
                    "a condition is a bool, found " + describe(value));
      if (!value.boolean)
        return makeUnit();
    }
    evalBlock(body, nullptr);
    if (flow == Flow::Continue)
      flow = Flow::Next;
    if (flow == Flow::Break) {
      flow = Flow::Next;
      return std::move(flowValue);
    }
    if (flow != Flow::Next)
      return makeUnit();
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

std::vector<Value> Evaluator::evalArgs(ast::List<ast::Expr> args,
                                       const ast::FnItem *function,
                                       Frame *callee) {
  std::vector<Value> values;
  size_t offset = 0;
  if (function && !function->params.empty() && !function->params[0]->pattern)
    offset = 1;
  for (auto [index, arg] : llvm::enumerate(args)) {
    TypeRef type;
    if (function && index + offset < function->params.size() &&
        function->params[index + offset]->type)
      type = evalInCallee(*function->params[index + offset]->type, *callee);
    Value value = eval(*arg, type);
    if (function && index + offset < function->params.size() &&
        function->params[index + offset]->type)
      unify(*function->params[index + offset]->type, typeOf(strip(value)),
            *callee);
    values.push_back(std::move(value));
  }
  return values;
}

Value Evaluator::callFunction(const ast::FnItem &function,
                              const ast::GenericArgs *generics,
                              std::vector<Value> args,
                              std::shared_ptr<Frame> inner, Span place) {
  if (depth >= kMaxDepth)
    return fail(place, "calls are nested deeper than " +
                           llvm::Twine(kMaxDepth) +
                           "; a kernel cannot call itself without end");
  if (args.size() != function.params.size())
    return fail(place, "function '" + function.head.name.text + "' takes " +
                           llvm::Twine(function.params.size()) +
                           " arguments, found " + llvm::Twine(args.size()));
  if (llvm::any_of(args, [](const Value &arg) { return arg.isError(); }))
    return {};
  for (auto [param, arg] : llvm::zip(function.params, args))
    if (param->type)
      unify(*param->type, typeOf(strip(arg)), *inner);
  std::swap(frame, inner);
  ++depth;
  bool good = true;
  for (auto [param, arg] : llvm::zip(function.params, args)) {
    if (!param->pattern) {
      frame->selfValue = arg.kind == Kind::Reference
                             ? arg.target
                             : std::make_shared<Value>(arg);
      continue;
    }
    TypeRef type = param->type ? evalType(*param->type) : TypeRef();
    good &= checkConforms(type, typeOf(strip(arg)), place);
    Value bound = arg;
    if (bound.kind == Kind::Int && bound.name.empty() && type)
      bound.name = type->name;
    good &= match(*param->pattern, bound);
  }
  frame->result = function.result ? evalType(*function.result) : TypeRef();
  Value value;
  if (good) {
    OpenLet outer = std::move(openLet);
    openLet = {};
    value = evalBlock(*function.body, frame->result);
    openLet = std::move(outer);
    if (flow == Flow::Return) {
      value = std::move(flowValue);
      flow = Flow::Next;
    }
    if (!value.isError() &&
        !checkConforms(frame->result, typeOf(strip(value)),
                       function.body->tail ? function.body->tail->span()
                                           : place))
      value = {};
  }
  --depth;
  std::swap(frame, inner);
  return value;
}

Value Evaluator::callClosure(const Value &closure, std::vector<Value> args,
                             Span place) {
  if (const auto *function = llvm::dyn_cast_or_null<ast::FnItem>(closure.decl))
    return callFunction(*function, nullptr, std::move(args),
                        std::make_shared<Frame>(), place);
  const auto &expr = *llvm::cast<ast::ClosureExpr>(closure.decl);
  if (depth >= kMaxDepth)
    return fail(place,
                "calls are nested deeper than " + llvm::Twine(kMaxDepth));
  if (args.size() != expr.params.size())
    return fail(place, "the closure takes " + llvm::Twine(expr.params.size()) +
                           " arguments, found " + llvm::Twine(args.size()));
  std::shared_ptr<Frame> outer = std::move(frame);
  frame = closure.frame;
  ++depth;
  Value value;
  bool fits = true;
  for (auto [param, arg] : llvm::zip(expr.params, args))
    fits &= match(*param->pattern, arg);
  TypeRef result = frame->result;
  frame->result = nullptr;
  if (fits)
    value = eval(*expr.body, expr.result ? evalType(*expr.result) : TypeRef());
  else
    fail(place, "the arguments do not fit the closure's parameters");
  if (flow == Flow::Return) {
    value = std::move(flowValue);
    flow = Flow::Next;
  }
  frame->result = result;
  --depth;
  frame = std::move(outer);
  return value;
}

const ast::FnItem *Evaluator::findMethod(const ast::Node &type,
                                         StringRef name) {
  if (!hasImpls) {
    hasImpls = true;
    for (const auto &module : program.modules())
      for (const ast::Item *item : module->items) {
        const auto *impl = llvm::dyn_cast<ast::ImplItem>(item);
        const auto *path =
            impl ? llvm::dyn_cast<ast::PathType>(impl->self) : nullptr;
        if (!path)
          continue;
        if (const ast::Node *owner = program.meaningOf(*path->path).node)
          impls[owner].push_back(impl);
      }
  }
  auto found = impls.find(&type);
  if (found == impls.end())
    return nullptr;
  for (const ast::ImplItem *impl : found->second)
    for (const ast::Item *item : impl->items)
      if (const auto *function = llvm::dyn_cast<ast::FnItem>(item))
        if (function->head.name.text == name)
          return function;
  return nullptr;
}

const ast::FnItem *Evaluator::findOnlyMethod(StringRef name) {
  const ast::FnItem *only = nullptr;
  for (const auto &module : program.modules())
    for (const ast::Item *item : module->items)
      if (const auto *impl = llvm::dyn_cast<ast::ImplItem>(item))
        for (const ast::Item *member : impl->items)
          if (const auto *function = llvm::dyn_cast<ast::FnItem>(member);
              function && function->head.name.text == name) {
            if (only)
              return nullptr;
            only = function;
          }
  return only;
}

Value Evaluator::evalCall(const ast::CallExpr &expr, const TypeRef &expected) {
  const ast::Expr *callee = expr.callee;
  while (const auto *paren = llvm::dyn_cast<ast::ParenExpr>(callee))
    callee = paren->inner;
  const auto *named = llvm::dyn_cast<ast::PathExpr>(callee);
  if (!named) {
    Value closure = eval(*callee);
    if (closure.kind != Kind::Closure)
      return closure.isError()
                 ? Value()
                 : fail(expr.span(), describe(closure) + " is called");
    return callClosure(closure, evalArgs(expr.args, nullptr, nullptr),
                       expr.span());
  }
  const ast::Path &path = *named->path;
  ast::Meaning meaning = program.meaningOf(path);
  const ast::GenericArgs *generics =
      path.segments.empty() ? nullptr : path.segments.back()->args;
  if (meaning.kind == MeaningKind::Item && meaning.rest == 0) {
    if (const auto *function = llvm::dyn_cast<ast::FnItem>(meaning.node)) {
      auto inner = std::make_shared<Frame>();
      if (!bindGenerics(function->generics, generics, *inner, expr.span()))
        return {};
      // What is expected of the value tells of the parameters as well.
      if (function->result && expected)
        unify(*function->result, expected, *inner);
      std::vector<Value> args = evalArgs(expr.args, function, inner.get());
      return callFunction(*function, generics, std::move(args),
                          std::move(inner), expr.span());
    }
  }
  bool isTupleStruct =
      (meaning.kind == MeaningKind::Item && meaning.rest == 0 &&
       llvm::isa<ast::StructItem>(meaning.node)) ||
      meaning.kind == MeaningKind::Variant;
  if (isTupleStruct) {
    Value value;
    value.kind = Kind::Struct;
    value.decl = meaning.node;
    if (const auto *variant = llvm::dyn_cast<ast::Variant>(meaning.node))
      value.variant = variant->name.text;
    for (Value &arg : evalArgs(expr.args, nullptr, nullptr)) {
      if (arg.isError())
        return {};
      value.fields.push_back({"", std::make_shared<Value>(std::move(arg))});
    }
    return value;
  }
  // `Type::function(..)` of the source.
  const ast::Node *owner = meaning.node;
  if (meaning.kind == MeaningKind::Self && frame->self)
    owner = frame->self->decl;
  if (owner && meaning.rest == 1 && !path.segments.empty())
    if (const ast::FnItem *function =
            findMethod(*owner, path.segments.back()->name.text)) {
      auto inner = std::make_shared<Frame>();
      auto self = std::make_shared<Type>();
      self->kind = Type::Kind::Struct;
      self->decl = owner;
      const ast::GenericArgs *written =
          path.segments.size() > 1
              ? path.segments[path.segments.size() - 2]->args
              : nullptr;
      self->bound = structArguments(owner, written, nullptr, expr.span());
      if (meaning.kind == MeaningKind::Self && frame->self->bound)
        self->bound = frame->self->bound;
      if (!self->bound)
        return {};
      inner->self = self;
      bindImpl(*function, owner, *self->bound, *inner);
      if (!bindGenerics(function->generics, generics, *inner, expr.span()))
        return {};
      bool hasSelf = !function->params.empty() && !function->params[0]->pattern;
      std::vector<Value> args =
          evalArgs(expr.args, hasSelf ? nullptr : function, inner.get());
      return callFunction(*function, generics, std::move(args),
                          std::move(inner), expr.span());
    }
  if (meaning.kind == MeaningKind::Local ||
      (meaning.kind == MeaningKind::Item && meaning.rest == 0 &&
       llvm::isa<ast::ConstItem>(meaning.node))) {
    Value closure = strip(eval(*callee));
    if (closure.kind == Kind::Closure)
      return callClosure(closure, evalArgs(expr.args, nullptr, nullptr),
                         expr.span());
    return closure.isError()
               ? Value()
               : fail(expr.span(), describe(closure) + " is called");
  }
  if (meaning.kind == MeaningKind::Unknown && !path.self)
    return {}; // was reported
  return callApiFunction(expr, path, meaning, expected);
}

Value Evaluator::evalMethod(const ast::MethodCall &expr,
                            const TypeRef &expected) {
  TypeRef wanted = expected;
  if (!wanted && openLet.init == &expr)
    wanted = findLaterType(*openLet.name, *openLet.block, openLet.index,
                           openLet.blockType);
  Value held = eval(*expr.receiver);
  const Value &self = strip(held);
  if (self.isError() || flow != Flow::Next) {
    // The arguments may have errors of their own.
    for (const ast::Expr *arg : expr.args)
      if (!llvm::isa<ast::ClosureExpr>(arg))
        eval(*arg);
    return {};
  }
  switch (self.kind) {
  case Kind::Tensor:
  case Kind::View:
  case Kind::Stream:
  case Kind::Context:
    return callApi(expr, self, wanted);
  case Kind::Choice:
    if (ast::findApiMethod(self.name, expr.name.text, release))
      return callApi(expr, self, wanted);
    break;
  case Kind::Struct: {
    const ast::Node *owner = self.decl;
    if (const auto *variant = llvm::dyn_cast_or_null<ast::Variant>(owner))
      for (const auto &module : program.modules())
        for (const ast::Item *item : module->items)
          if (const auto *choice = llvm::dyn_cast<ast::EnumItem>(item))
            if (llvm::is_contained(choice->variants, variant))
              owner = choice;
    if (!owner)
      break;
    if (const ast::FnItem *function = findMethod(*owner, expr.name.text)) {
      auto inner = std::make_shared<Frame>();
      auto type = std::make_shared<Type>();
      type->kind = Type::Kind::Struct;
      type->decl = owner;
      type->bound = self.frame
                        ? self.frame
                        : structArguments(owner, nullptr, &self, expr.span());
      inner->self = type;
      bindImpl(*function, owner, *type->bound, *inner);
      if (!bindGenerics(function->generics, expr.generics, *inner,
                        expr.name.span))
        return {};
      Value receiver = held;
      // A method that changes its receiver changes the variable.
      if (!function->params.empty() &&
          function->params[0]->self == ast::SelfKind::MutRef &&
          held.kind != Kind::Reference) {
        Slot slot = evalPlace(*expr.receiver);
        if (!slot)
          return {};
        receiver = {};
        receiver.kind = Kind::Reference;
        receiver.target = slot;
      }
      std::vector<Value> args = evalArgs(expr.args, function, inner.get());
      args.insert(args.begin(), std::move(receiver));
      return callFunction(*function, expr.generics, std::move(args),
                          std::move(inner), expr.span());
    }
    break;
  }
  default:
    break;
  }
  std::vector<Value> args;
  for (const ast::Expr *arg : expr.args) {
    args.push_back(strip(eval(*arg)));
    if (args.back().isError())
      return {};
  }
  if (auto value = changeInPlace(expr, self, args))
    return *value;
  if (auto value = callPlain(expr, self, args))
    return *value;
  return fail(expr.name.span, describe(self) + " has no method '" +
                                  expr.name.text + "' in a kernel");
}
