//===- EvalLibrary.cpp - What kernels use of the standard library ---------===//
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
using Kind = Value::Kind;

Value visa_import::makeSome(Value inner) {
  Value some = makeChoice("Option", "Some");
  some.fields.push_back({"", std::make_shared<Value>(std::move(inner))});
  return some;
}

std::optional<Value> Evaluator::callOption(const ast::MethodCall &expr,
                                           const Value &self,
                                           const std::vector<Value> &args) {
  StringRef name = expr.name.text;
  Span place = expr.name.span;
  bool isSome = self.variant == "Some";
  if (args.empty() && (name == "is_some" || name == "is_none"))
    return makeBool(isSome == (name == "is_some"));
  if ((name == "unwrap" && args.empty()) ||
      (name == "expect" && args.size() == 1))
    return isSome ? *self.fields[0].value
                  : fail(place, "'" + name + "' finds 'None' here");
  if (args.empty() &&
      llvm::is_contained({"copied", "cloned", "iter", "as_deref"}, name))
    return self;
  if (args.empty() && name == "unwrap_or_default")
    return isSome ? *self.fields[0].value : makeInt(0);
  if (args.size() == 1 && (name == "unwrap_or" || name == "or"))
    return !isSome               ? args[0]
           : name == "unwrap_or" ? *self.fields[0].value
                                 : self;
  bool hasClosure = args.size() == 1 && args[0].kind == Kind::Closure;
  if (!hasClosure)
    return std::nullopt;
  if (name == "unwrap_or_else")
    return isSome ? *self.fields[0].value : callClosure(args[0], {}, place);
  if (name == "map" || name == "and_then") {
    if (!isSome)
      return self;
    Value result = callClosure(args[0], {*self.fields[0].value}, place);
    return result.isError() || name == "and_then" ? result : makeSome(result);
  }
  return std::nullopt;
}

std::optional<Value> Evaluator::changeInPlace(const ast::MethodCall &expr,
                                              const Value &self,
                                              const std::vector<Value> &args) {
  StringRef name = expr.name.text;
  bool isOption = self.kind == Kind::Choice && self.name == "Option";
  bool changes =
      isOption
          ? (name == "take" && args.empty()) ||
                ((name == "insert" || name == "replace") && args.size() == 1)
          : self.kind == Kind::Array && ((name == "push" && args.size() == 1) ||
                                         (name == "pop" && args.empty()));
  if (!changes)
    return std::nullopt;
  Slot slot = evalPlace(*expr.receiver);
  if (!slot)
    return Value();
  while (slot->kind == Kind::Reference)
    slot = slot->target;
  if (name == "push") {
    slot->fields.push_back({"", std::make_shared<Value>(args[0])});
    return makeUnit();
  }
  if (name == "pop") {
    if (slot->fields.empty())
      return makeChoice("Option", "None");
    Value last = *slot->fields.back().value;
    slot->fields.pop_back();
    return makeSome(std::move(last));
  }
  Value old = *slot;
  *slot = args.empty() ? makeChoice("Option", "None") : makeSome(args[0]);
  return name == "insert" ? args[0] : old;
}

std::optional<Value> Evaluator::callStandard(const ast::CallExpr &expr,
                                             const ast::Path &path,
                                             StringRef name,
                                             const TypeRef &expected) {
  StringRef owner = path.segments.size() > 1
                        ? path.segments[path.segments.size() - 2]->name.text
                        : StringRef();
  if (name == "Some" && expr.args.size() == 1) {
    Value inner = eval(*expr.args[0]);
    return inner.isError() ? Value() : makeSome(std::move(inner));
  }
  if (owner == "Vec" && (name == "new" || name == "with_capacity")) {
    for (const ast::Expr *arg : expr.args)
      eval(*arg);
    return makeArray({});
  }
  if (name == "from_fn" && expr.args.size() == 1) {
    int64_t length = 0;
    if (!expected || expected->kind != Type::Kind::Array ||
        StringRef(expected->text).getAsInteger(10, length))
      return fail(expr.span(), "how many elements '" + ast::toString(path) +
                                   "' makes is not known; write the type of "
                                   "the variable");
    Value closure = strip(eval(*expr.args[0]));
    if (closure.kind != Kind::Closure)
      return closure.isError()
                 ? Value()
                 : fail(expr.args[0]->span(), describe(closure) + " is called");
    std::vector<Value> elements;
    for (int64_t i = 0; i < length && spend(expr.span()); ++i) {
      Value index = makeInt(i, "usize");
      if (release == ast::Releases::V06)
        index.dynamic = "it depends on the index of a loop";
      elements.push_back(callClosure(closure, {index}, expr.span()));
      if (elements.back().isError())
        return Value();
    }
    return makeArray(std::move(elements));
  }
  bool isMem = owner == "mem" ||
               (owner.empty() && (name == "swap" || name == "replace"));
  if (!isMem)
    return std::nullopt;
  // Of `&mut x`, x itself.
  auto placeOf = [&](const ast::Expr *arg) {
    if (const auto *ref = llvm::dyn_cast<ast::RefExpr>(arg))
      arg = ref->operand;
    Slot slot = evalPlace(*arg);
    while (slot && slot->kind == Kind::Reference)
      slot = slot->target;
    return slot;
  };
  if (name == "swap" && expr.args.size() == 2) {
    Slot left = placeOf(expr.args[0]), right = placeOf(expr.args[1]);
    if (!left || !right)
      return Value();
    std::swap(*left, *right);
    return makeUnit();
  }
  if (name == "replace" && expr.args.size() == 2) {
    Slot slot = placeOf(expr.args[0]);
    Value now = slot ? eval(*expr.args[1], typeOf(*slot)) : Value();
    if (now.isError())
      return Value();
    Value old = *slot;
    *slot = copyOf(strip(now));
    return old;
  }
  if (name == "take" && expr.args.size() == 1) {
    Slot slot = placeOf(expr.args[0]);
    if (!slot)
      return Value();
    Value old = *slot;
    if (old.kind == Kind::Array)
      *slot = makeArray({});
    else if (old.kind == Kind::Choice && old.name == "Option")
      *slot = makeChoice("Option", "None");
    else
      return fail(expr.span(), "'take' leaves an empty Vec or 'None', found " +
                                   describe(old));
    return old;
  }
  if (name == "drop" && expr.args.size() == 1) {
    eval(*expr.args[0]);
    return makeUnit();
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Generic parameters of structs
//===----------------------------------------------------------------------===//

static const ast::Generics *genericsOf(const ast::Node *owner) {
  if (const auto *item = llvm::dyn_cast_or_null<ast::StructItem>(owner))
    return item->generics;
  return nullptr;
}

/// Of a parameter of one frame, what a parameter of another is.
static void copyParameter(const Frame &from, const ast::Node *source,
                          Frame &into, const ast::Node *target) {
  if (auto type = from.types.find(source); type != from.types.end())
    into.types.try_emplace(target, type->second);
  if (auto value = from.constants.find(source); value != from.constants.end())
    into.constants.try_emplace(target, value->second);
}

std::shared_ptr<Frame>
Evaluator::structArguments(const ast::Node *owner,
                           const ast::GenericArgs *written, const Value *value,
                           Span place) {
  auto bound = std::make_shared<Frame>();
  const ast::Generics *generics = genericsOf(owner);
  if (!generics)
    return bound;
  if (written && !bindGenerics(generics, written, *bound, place))
    return nullptr;
  // The fields of a value tell of the others.
  const auto *item = llvm::dyn_cast<ast::StructItem>(owner);
  if (value)
    for (const ast::FieldDecl *member : item->members)
      for (const Field &field : value->fields)
        if (field.name == member->name.text)
          unify(*member->type, typeOf(strip(*field.value)), *bound);
  return bound;
}

void Evaluator::bindImpl(const ast::Item &member, const ast::Node *owner,
                         const Frame &bound, Frame &into) {
  const ast::Generics *generics = genericsOf(owner);
  if (!generics)
    return;
  for (const ast::ImplItem *impl : impls[owner]) {
    if (!llvm::is_contained(impl->items, &member))
      continue;
    const auto *self = llvm::dyn_cast<ast::PathType>(impl->self);
    const ast::GenericArgs *args =
        self ? self->path->segments.back()->args : nullptr;
    if (!args)
      return;
    llvm::SmallVector<const ast::GenericParam *, 4> params;
    for (const ast::GenericParam *param : generics->params)
      if (param->paramKind != ast::GenericParamKind::Lifetime)
        params.push_back(param);
    size_t index = 0;
    for (const ast::GenericArg *arg : args->args) {
      if (!arg->lifetime.empty() || index == params.size())
        continue;
      const ast::GenericParam *param = params[index++];
      if (const auto *path = llvm::dyn_cast_or_null<ast::PathType>(arg->type))
        copyParameter(bound, param, into, program.meaningOf(*path->path).node);
    }
    return;
  }
}

Value Evaluator::evalMember(const ast::ConstItem &constant,
                            const ast::Node *owner, const Frame &bound) {
  if (!genericsOf(owner))
    return {};
  auto inner = std::make_shared<Frame>();
  bindImpl(constant, owner, bound, *inner);
  auto self = std::make_shared<Type>();
  self->kind = Type::Kind::Struct;
  self->decl = owner;
  self->bound = std::make_shared<Frame>(bound);
  inner->self = self;
  std::swap(frame, inner);
  llvm::SaveAndRestore constantly(inConstant, true);
  TypeRef type = constant.type ? evalType(*constant.type) : TypeRef();
  Value value = eval(*constant.value, type);
  std::swap(frame, inner);
  return value;
}
