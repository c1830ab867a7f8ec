//===- Methods.cpp - Methods of the crate ---------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"
#include "sequin/VisaSource/Printer.h"
#include "llvm/ADT/bit.h"

using namespace sequin;
using namespace sequin::visa_import;
using Kind = Value::Kind;

/// The crate's type of a value that has methods there.
static StringRef apiTypeOf(const Value &self) {
  switch (self.kind) {
  case Kind::Tensor:
    return self.buffer->type->name;
  case Kind::View:
  case Kind::Stream:
  case Kind::Choice:
    return self.name;
  case Kind::Context:
    return self.name == "ctx"                          ? "Context"
           : self.name == "main" || self.name == "sub" ? "TuContext"
                                                       : "DmaContext";
  default:
    return "";
  }
}

/// Whether a generic argument is a constant, and not a type.
static bool isConstant(const ast::GenericArg &arg) { return arg.value; }
static bool isInferred(const ast::GenericArg &arg) {
  return llvm::isa_and_nonnull<ast::InferType>(arg.type);
}

bool Evaluator::readGenerics(ApiCall &call, const ast::GenericArgs *written) {
  if (!written)
    return true;
  llvm::SmallVector<const ast::GenericArg *, 8> args;
  for (const ast::GenericArg *arg : written->args)
    if (arg->lifetime.empty())
      args.push_back(arg);
  auto names = call.row->genericList();
  // The crate has further parameters, which calls leave to inference: `_` may
  // stand anywhere among those of the table.
  size_t surplus = args.size() > names.size() ? args.size() - names.size() : 0;
  if (args.size() < names.size()) {
    fail(call.place, "'" + call.row->name + "' takes " +
                         llvm::Twine(names.size()) + " generic arguments (" +
                         call.row->generics + "), found " +
                         llvm::Twine(args.size()));
    return false;
  }
  size_t at = 0;
  for (const ast::ApiGeneric &name : names) {
    bool wantsConstant = name.what == "const";
    // A type where a constant belongs, or `_` in front of one, is another
    // parameter.
    while (surplus > 0 && wantsConstant && at < args.size() &&
           !isConstant(*args[at]) &&
           llvm::any_of(
               llvm::drop_begin(args, at + 1),
               [](const ast::GenericArg *arg) { return isConstant(*arg); })) {
      ++at;
      --surplus;
    }
    const ast::GenericArg &arg = *args[at++];
    if (isInferred(arg))
      continue;
    if (wantsConstant) {
      llvm::SaveAndRestore constant(inConstant, true);
      std::optional<int64_t> number;
      if (arg.value) {
        Value value = strip(eval(*arg.value));
        if (value.isError())
          return false;
        if (value.kind == Kind::Choice)
          continue; // `{ Dma::Tensor }`
        if (value.kind != Kind::Int) {
          fail(arg.span(), "'" + name.name + "' of '" + call.row->name +
                               "' is an integer, found " + describe(value));
          return false;
        }
        number = value.integer;
      } else if (const auto *path = llvm::dyn_cast<ast::PathType>(arg.type)) {
        ast::Meaning meaning = program.meaningOf(*path->path);
        Value value;
        if (auto found = frame->constants.find(meaning.node);
            found != frame->constants.end())
          value = found->second;
        else if (const auto *item =
                     llvm::dyn_cast_or_null<ast::Item>(meaning.node))
          value = evalItem(*item, *path->path, arg.span());
        else
          fail(arg.span(), "'" + name.name + "' of '" + call.row->name +
                               "' is a constant, found '" + ast::toString(arg) +
                               "'");
        if (value.isError())
          return false;
        number = value.integer;
      } else {
        fail(arg.span(), "'" + name.name + "' of '" + call.row->name +
                             "' is a constant, found '" + ast::toString(arg) +
                             "'");
        return false;
      }
      call.constants[name.name] = *number;
      continue;
    }
    TypeRef type = arg.type ? evalType(*arg.type) : TypeRef();
    if (type && type->kind == Type::Kind::Error)
      return false;
    if (!type) {
      if (arg.value) {
        fail(arg.span(), "'" + name.name + "' of '" + call.row->name +
                             "' is a " +
                             (name.what == "scalar" ? "type" : "mapping") +
                             ", found '" + ast::toString(arg) + "'");
        return false;
      }
      continue;
    }
    bool fits = name.what == "axis"     ? type->kind == Type::Kind::Axis
                : name.what == "scalar" ? type->kind == Type::Kind::Scalar
                                        : type->kind == Type::Kind::Mapping ||
                                              type->kind == Type::Kind::Axis;
    if (!fits) {
      fail(arg.span(), "'" + name.name + "' of '" + call.row->name + "' is a" +
                           (name.what == "axis"     ? "n axis"
                            : name.what == "scalar" ? "n element type"
                                                    : " mapping") +
                           ", found '" + str(type) + "'");
      return false;
    }
    if (name.what != "axis" && type->kind == Type::Kind::Axis)
      type = makeMapping(type->name);
    if (type->kind == Type::Kind::Mapping) {
      type = onWholeChip(name.name, type, arg.span());
      if (!type)
        return false;
    }
    call.types[name.name] = type;
  }
  return true;
}

Value Evaluator::emitCall(ApiCall &call) {
  llvm::SmallVector<StringRef, 4> params = call.row->paramList();
  // v0.1 itself writes to an address of its own choice in these.
  bool mayLackAddress = !params.empty() && params.back() == "address" &&
                        call.args.size() + 1 == params.size();
  if (call.args.size() != params.size() && !mayLackAddress)
    return fail(call.place, "'" + call.row->name + "' takes " +
                                llvm::Twine(params.size()) + " arguments (" +
                                call.row->params + "), found " +
                                llvm::Twine(call.args.size()));
  switch (call.row->backing) {
  case ast::Backing::Host:
    return fail(call.place,
                "'" + call.row->name + "' belongs to a host program");
  case ast::Backing::Missing:
    return fail(call.place, "'" + call.row->name + "' of " + call.row->type +
                                " is not imported yet (manual, section \"" +
                                call.row->section + "\")");
  default:
    return emitter.emit(call);
  }
}

Value Evaluator::callApi(const ast::MethodCall &expr, const Value &self,
                         const TypeRef &expected) {
  StringRef type = apiTypeOf(self), name = expr.name.text;
  const ast::ApiMethod *row = ast::findApiMethod(type, name, release);
  // A tensor is seen through a view where only views have a method, and a view
  // that may be changed can be read.
  if (!row && self.kind == Kind::View) {
    StringRef base = type;
    if (base.consume_back("Mut"))
      row = ast::findApiMethod(base, name, release);
    if (!row && base == "HbmTensorView" && name == "view")
      return self;
  }
  if (!row) {
    if (expr.args.empty() && llvm::is_contained({"clone", "into"}, name))
      return self;
    return fail(expr.name.span, ast::describeMissing(type, name, release));
  }
  ApiCall call;
  call.row = row;
  call.place = expr.name.span;
  call.receiver = self;
  call.expected = expected;
  bool good = readGenerics(call, expr.generics);
  // The sub context has no main stream to end.
  for (const ast::Expr *arg : expr.args) {
    TypeRef type;
    if (row->name.starts_with("vector_") && self.kind == Kind::Stream)
      type = nullptr;
    Value value = strip(eval(*arg, type));
    good &= !value.isError();
    call.args.push_back(std::move(value));
    call.argPlaces.push_back(arg->span());
  }
  return good ? emitCall(call) : Value();
}

/// Whole numbers of a type that has few bits.
static int64_t lowBits(int64_t number, unsigned bits) {
  return llvm::SignExtend64(uint64_t(number), bits);
}

std::optional<Value> Evaluator::callScalar(const ast::CallExpr &expr,
                                           const ast::Path &path,
                                           StringRef name) {
  // `bf16::from_f32`, `D::zero()`.
  StringRef scalar = path.segments.front()->name.text;
  if (path.segments.size() == 2)
    if (auto found = frame->types.find(program.meaningOf(path).node);
        found != frame->types.end() && found->second)
      scalar = found->second->name;
  bool isFloat = llvm::is_contained(
      {"f32", "f64", "bf16", "f16", "f8e4m3", "f8e5m2"}, scalar);
  Value number;
  if ((name == "zero" || name == "one") && expr.args.empty()) {
    number = makeInt(name == "one", scalar);
    if (isFloat)
      number.kind = Kind::Float;
    number.number = double(number.integer);
  } else if (expr.args.size() == 1 &&
             llvm::is_contained({"from_f32", "from_i32", "from_bits"}, name)) {
    number = strip(eval(*expr.args[0]));
    if (number.isError())
      return Value();
    bool ofFloat = name == "from_f32";
    if (number.kind != (ofFloat ? Kind::Float : Kind::Int))
      return fail(expr.span(), "'" + ast::toString(path) + "' takes " +
                                   (ofFloat ? "a float" : "an integer") +
                                   ", found " + describe(number));
    // A float is rounded where it is used.
    if (name == "from_i32") {
      unsigned bits = scalar == "i4" ? 4 : scalar == "i5" ? 5 : 9;
      number = makeInt(lowBits(number.integer, bits), scalar);
    } else if (name == "from_bits" && (scalar == "f32" || scalar == "bf16")) {
      uint32_t bits = uint32_t(number.integer) << (scalar == "f32" ? 0 : 16);
      StringRef dynamic = number.dynamic;
      number = {};
      number.kind = Kind::Float;
      number.number = llvm::bit_cast<float>(bits);
      number.name = scalar.str();
      number.dynamic = dynamic;
    } else if (name == "from_bits") {
      return fail(expr.span(), "'" + ast::toString(path) +
                                   "' has no value in a kernel: the bits of "
                                   "f32 and bf16 have");
    }
  } else {
    return std::nullopt;
  }
  // The compiler of release 0.6 leaves it to when the kernel runs.
  if (release == ast::Releases::V06 && !inConstant && number.dynamic.empty() &&
      scalar != "f32")
    number.dynamic = "a call outside of 'const { .. }' makes it";
  return number;
}

Value Evaluator::callApiFunction(const ast::CallExpr &expr,
                                 const ast::Path &path,
                                 const ast::Meaning &meaning,
                                 const TypeRef &expected) {
  StringRef name =
      path.segments.empty() ? StringRef() : path.segments.back()->name.text;
  // The type in front of the last name: an alias, the crate's, or written out.
  TypeRef type;
  StringRef typeName;
  if (path.self && path.segments.size() == 1) {
    type = evalType(*path.self);
  } else if (const auto *alias =
                 llvm::dyn_cast_or_null<ast::TypeItem>(meaning.node);
             alias && meaning.rest == 1) {
    std::shared_ptr<Frame> outer = frame;
    auto inner = std::make_shared<Frame>();
    const ast::GenericArgs *args = nullptr;
    if (path.segments.size() >= 2)
      args = path.segments[path.segments.size() - 2]->args;
    if (!bindGenerics(alias->generics, args, *inner, expr.span()))
      return {};
    for (auto &[node, bound] : frame->types)
      inner->types.try_emplace(node, bound);
    for (auto &[node, bound] : frame->constants)
      inner->constants.try_emplace(node, bound);
    frame = inner;
    type = evalType(*alias->type);
    frame = outer;
  } else if (meaning.api && meaning.rest == 1) {
    typeName = meaning.api->name;
    if (!parametersOf(typeName).empty())
      type = evalTensorType(typeName, path);
  }
  if (type && type->kind == Type::Kind::Error)
    return {};
  if (type && type->kind == Type::Kind::Tensor)
    typeName = type->name;
  // A variant with operands.
  if (meaning.api && ast::isApiValue(typeName, name)) {
    Value choice;
    choice.kind = Kind::Choice;
    choice.name = typeName.str();
    choice.variant = name;
    for (const ast::Expr *arg : expr.args) {
      Value value = strip(eval(*arg));
      if (value.isError())
        return {};
      choice.fields.push_back({"", std::make_shared<Value>(value)});
    }
    return choice;
  }
  if (typeName.empty()) {
    if (auto value = callStandard(expr, path, name, expected))
      return *value;
    // `Ok(x)`, `i32::from(x)`, `i64::from(x)`.
    if ((name == "Ok" || name == "from") && expr.args.size() == 1)
      return eval(*expr.args[0], expected);
    if (auto number = callScalar(expr, path, name))
      return *number;
    return fail(expr.span(),
                "'" + ast::toString(path) + "' cannot be called in a kernel");
  }
  const ast::ApiMethod *row = ast::findApiMethod(typeName, name, release);
  // What wraps an operand of the vector engine.
  const ast::ApiType *api = ast::findApiType(typeName);
  bool wraps = api && api->kind == ast::ApiKind::Operand;
  if (wraps && row && release == ast::Releases::V06) {
    // TagGuard::matches(..), Branched::imm(guard, value): what they say is read
    // where the operation is made.
    Value operand = makeChoice(typeName, name);
    for (const ast::Expr *arg : expr.args) {
      Value value = strip(eval(*arg));
      if (value.isError())
        return {};
      operand.fields.push_back({name, std::make_shared<Value>(value)});
    }
    if (operand.fields.size() != row->paramList().size())
      return fail(expr.span(), "'" + ast::toString(path) + "' takes " +
                                   llvm::Twine(row->paramList().size()) +
                                   " arguments, found " +
                                   llvm::Twine(operand.fields.size()));
    return operand;
  }
  if (wraps && (row || name == "group")) {
    std::vector<Value> args;
    for (const ast::Expr *arg : expr.args) {
      args.push_back(strip(eval(*arg)));
      if (args.back().isError())
        return {};
    }
    if (name == "group" && args.size() == 2) {
      Value grouped;
      grouped.kind = Kind::Choice;
      grouped.name = "VeBranchOperand";
      grouped.variant = "group";
      for (Value &arg : args)
        grouped.fields.push_back({"", std::make_shared<Value>(arg)});
      return grouped;
    }
    if (args.size() == 1)
      return args.front();
    return fail(expr.span(), "'" + ast::toString(path) +
                                 "' takes 1 argument, "
                                 "found " +
                                 llvm::Twine(args.size()));
  }
  if (!row && name == "from_addr" &&
      (typeName == "TrfTensor" || typeName == "VrfTensor"))
    return fail(expr.span(), "a " + typeName +
                                 " that no pass has written is not supported; "
                                 "keep the value of to_" +
                                 StringRef(typeName).take_front(3).lower());
  if (!row)
    return fail(path.segments.back()->name.span,
                ast::describeMissing(typeName, name, release));
  ApiCall call;
  call.row = row;
  call.place = path.segments.back()->name.span;
  call.expected = type ? type : expected;
  // Of `let x: DmTensor<..> = DmTensor::from_addr(0)` the let says the rest.
  if (type && expected && expected->kind == Type::Kind::Tensor) {
    auto merged = std::make_shared<Type>(*type);
    for (auto [mine, theirs] : llvm::zip(merged->args, expected->args))
      if (!mine)
        mine = theirs;
    call.expected = merged;
  }
  for (const ast::Expr *arg : expr.args) {
    call.args.push_back(strip(eval(*arg)));
    call.argPlaces.push_back(arg->span());
    if (call.args.back().isError())
      return {};
  }
  if (name == "from_addr" || name == "new") {
    if (openLet.init == &expr && openLet.name &&
        llvm::any_of(call.expected->args,
                     [](const TypeRef &arg) { return !arg; }))
      if (TypeRef later = findLaterType(*openLet.name, *openLet.block,
                                        openLet.index, openLet.blockType))
        call.expected = later;
    bool isNew = name == "new";
    if (isNew ? !call.args.empty()
              : call.args.size() != 1 || call.args[0].kind != Kind::Int)
      return fail(expr.span(), isNew ? "'new' takes no argument"
                                     : "'from_addr' takes an address");
    if (!call.expected)
      return fail(expr.span(),
                  "the type of this " + typeName + " is not known; write it");
    for (auto [arg, parameter] :
         llvm::zip(call.expected->args, parametersOf(typeName)))
      if (!arg)
        return fail(expr.span(), "'" + parameter + "' of this " + typeName +
                                     " is not known; write the type of the "
                                     "variable");
    return emitter.fromAddress(call.expected, isNew ? 0 : call.args[0].integer,
                               call.place);
  }
  return emitCall(call);
}
