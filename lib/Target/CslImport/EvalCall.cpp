//===- EvalCall.cpp - Functions and tasks ---------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A call is evaluated in place (in comptime code, of an inline function, or
// where the result exists at comptime only) or emitted, of a function of the
// program that is made once per set of comptime arguments.
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/FormatVariadic.h"

using namespace sequin;
using namespace sequin::csl_import;
using namespace sequin::csl_source;

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

/// Adds what Frame::addressTaken says of a part of a function.
static void findAddressTaken(const Node &node, llvm::StringSet<> &names) {
  if (const auto *unary = llvm::dyn_cast<UnaryExpr>(&node);
      unary && unary->op() == UnaryOp::AddressOf) {
    const Expr *place = unary->operand()->ignoreParens();
    bool isWhole = llvm::isa<NameExpr>(place);
    while (true) {
      if (const auto *member = llvm::dyn_cast<MemberExpr>(place))
        place = member->base()->ignoreParens();
      else if (const auto *index = llvm::dyn_cast<IndexExpr>(place))
        place = index->base()->ignoreParens();
      else
        break;
    }
    if (const auto *name = llvm::dyn_cast<NameExpr>(place))
      names.insert((name->name() + (isWhole ? "" : ".")).str());
  }
  forEachChild(node,
               [&](const Node &child) { findAddressTaken(child, names); });
}

/// Visits what running code computes of a value that exists at comptime.
static void forEachRunning(Value &value,
                           llvm::function_ref<void(Value &)> visit) {
  if (value.isRuntime())
    return visit(value);
  if (value.isAggregate() && !value.isComptime())
    for (Value &part : value.mutableElements())
      forEachRunning(part, visit);
}

/// Whether an argument of the type is part of the specialisation.
static bool isSpecialising(const Type *type) {
  return type->isComptimeOnly() || type->isRegister() ||
         type->is(TypeKind::Fifo) || type->isVoid() ||
         type->is(TypeKind::Range);
}

const Type *Evaluator::functionType(const FunctionRef &function) {
  if (function.decl->isTask()) {
    llvm::SmallVector<const Type *> params;
    Frame inner;
    inner.module = function.module;
    Frame *saved = frame;
    frame = &inner;
    PhaseScope scope(*this, Phase::Comptime);
    for (const FnParam *param : function.decl->params())
      params.push_back(param->isAnytype() ? nullptr : evalType(*param->type()));
    frame = saved;
    if (llvm::is_contained(params, nullptr))
      return nullptr;
    return types.task(params);
  }
  for (const FnParam *param : function.decl->params())
    if (param->isAnytype() || param->isComptime())
      return nullptr;
  Frame inner;
  inner.module = function.module;
  Frame *saved = frame;
  frame = &inner;
  PhaseScope scope(*this, Phase::Comptime);
  llvm::SmallVector<const Type *> params;
  for (const FnParam *param : function.decl->params()) {
    const Type *type = evalType(*param->type());
    params.push_back(type);
    Local &local = addLocal(param->name().text, param->span());
    local.type = type;
    local.value = type ? Value(type) : Value();
  }
  const Type *result = function.decl->result()
                           ? evalType(*function.decl->result())
                           : types.voidType();
  frame = saved;
  if (!result || llvm::is_contained(params, nullptr))
    return nullptr;
  return types.function(params, result);
}

const Type *Evaluator::resultType(const FunctionRef &function, Frame &inner) {
  const Expr *text = function.decl->result();
  if (!text)
    return types.voidType();
  Frame *saved = frame;
  frame = &inner;
  PhaseScope scope(*this, Phase::Comptime);
  bool savedTypeOf = inTypeOf;
  const Type *result = evalType(*text);
  inTypeOf = savedTypeOf;
  frame = saved;
  return result;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

Value Evaluator::evalCall(const CallExpr &expr) {
  LValue callee = evalPlace(*expr.callee(), /*forWrite=*/false);
  Value value = read(callee, expr.callee()->span());
  if (left || !value)
    return Value();
  return call(value, expr.arguments(), expr.span());
}

Value Evaluator::call(const Value &callee,
                      llvm::ArrayRef<const Expr *> arguments, Span span) {
  if (callee.isFunction()) {
    if (callee.function().decl->isTask())
      return error(span, "task '" + callee.function().decl->name().text +
                             "' cannot be called; the task picker starts it");
    return callFunction(callee.function(), arguments, span);
  }
  if (callee.isPointer() && !callee.pointer().global)
    return callFunction(callee.pointer().function, arguments, span);
  if (callee.type()->isFunctionPointer())
    return callPointer(callee, arguments, span);
  return error(span, "a value of type '" + callee.type()->str() +
                         "' cannot be called");
}

Value Evaluator::callPointer(const Value &callee,
                             llvm::ArrayRef<const Expr *> arguments,
                             Span span) {
  const Type *type = callee.type()->element;
  if (type->params.size() != arguments.size())
    return error(span, "function expects " + llvm::Twine(type->params.size()) +
                           " arguments, " + llvm::Twine(arguments.size()) +
                           " provided");
  llvm::SmallVector<mlir::Value> values;
  for (auto [argument, param] : llvm::zip(arguments, type->params)) {
    Value value = eval(*argument, param);
    if (left || !value)
      return Value();
    mlir::Value number = materializeAs(value, param, argument->span());
    if (!number)
      return Value();
    values.push_back(number);
  }
  if (isComptime() && !inTypeOf)
    return error(span, "a call through a pointer is not for comptime code");
  mlir::Value address = materialize(callee, span);
  auto converted =
      llvm::dyn_cast_or_null<mlir::FunctionType>(convert(type, span));
  if (!address || !converted)
    return Value();
  auto op = csl::CallIndirectOp::create(
      builder, loc(span), converted.getResults(), address, values);
  return type->element->isVoid() ? makeVoid()
                                 : makeRuntime(type->element, op.getResult(0));
}

Value Evaluator::callFunction(const FunctionRef &function,
                              llvm::ArrayRef<const Expr *> arguments,
                              Span span) {
  const FnDecl &decl = *function.decl;
  if (decl.params().size() != arguments.size()) {
    Diagnostic &diagnostic = report(
        span, "function expects " + llvm::Twine(decl.params().size()) +
                  " arguments, " + llvm::Twine(arguments.size()) + " provided");
    note(diagnostic, decl.name().span, "declared here");
    return Value();
  }
  if (++callDepth > session.options.comptimeDepthLimit) {
    --callDepth;
    return error(span, "calls are nested more than " +
                           llvm::Twine(session.options.comptimeDepthLimit) +
                           " deep at comptime, which is the limit "
                           "(--comptime-func-depth-limit)");
  }
  Frame inner;
  inner.function = function;
  inner.module = function.module;
  inner.caller = frame;
  inner.callSpan = span;
  std::vector<Value> values;
  bool failed = false;
  for (auto [param, argument] : llvm::zip(decl.params(), arguments)) {
    const Type *type = nullptr;
    if (!param->isAnytype()) {
      Frame *saved = frame;
      frame = &inner;
      PhaseScope scope(*this, isComptime() ? phase : Phase::Comptime);
      type = evalType(*param->type());
      frame = saved;
      failed |= !type;
    }
    Value value;
    if (!failed) {
      if (param->isComptime()) {
        value = evalComptime(*argument, type);
        if (value)
          value = known(value, argument->span(),
                        "argument '" + param->name().text + "'");
      } else {
        value = eval(*argument, type);
      }
      if (left) {
        --callDepth;
        return Value();
      }
      // A function's name given for a function pointer or type.
      if (value && type && !type->is(TypeKind::ComptimeStruct))
        value = coerce(value, type, argument->span());
    }
    failed |= !value;
    Local &local = inner.locals.emplace_back();
    local.name = param->name().text == "_" ? "" : param->name().text;
    local.span = param->span();
    local.isConst = true;
    local.type = value ? value.type() : types.error();
    local.value = value;
    local.depth = depth;
    values.push_back(std::move(value));
  }
  if (failed) {
    --callDepth;
    return Value();
  }
  const Type *result = resultType(function, inner);
  Value value;
  if (!result) {
    // Reported.
  } else if (!decl.body()) {
    if (isComptime())
      value = error(span, "extern function '" + decl.name().text +
                              "' cannot be called at comptime");
    else
      value = emitCall(function, values, result, span);
  } else if (isComptime()) {
    value = expand(inner, result, span);
  } else if (decl.inlining() == Inlining::Inline) {
    inner.isInline = true;
    value = expand(inner, result, span);
  } else if (result->isComptimeOnly() || result->is(TypeKind::Fifo) ||
             result->isRegister() ||
             llvm::any_of(llvm::zip(decl.params(), values), [](auto pair) {
               auto [param, argument] = pair;
               return !param->isComptime() && !param->isAnytype() &&
                      argument.type()->isComptimeOnly() &&
                      !argument.type()->is(TypeKind::Function);
             })) {
    bool allKnown =
        llvm::all_of(values, [](const Value &v) { return v.isComptime(); });
    if (!allKnown) {
      value = error(span, "a call of '" + decl.name().text +
                              "', whose result or parameters exist at comptime "
                              "only, has comptime-known arguments");
    } else {
      PhaseScope scope(*this, Phase::Comptime);
      value = expand(inner, result, span);
    }
  } else {
    value = emitCall(function, values, result, span);
  }
  --callDepth;
  return value;
}

Value Evaluator::emitCall(const FunctionRef &function,
                          llvm::ArrayRef<Value> values, const Type *result,
                          Span span) {
  mlir::Operation *op = emitFunction(function, values, span);
  if (!op)
    return Value();
  llvm::SmallVector<mlir::Value> operands;
  for (auto [param, value] : llvm::zip(function.decl->params(), values)) {
    if (param->isComptime() || isSpecialising(value.type())) {
      Value parts = value;
      forEachRunning(parts,
                     [&](Value &part) { operands.push_back(part.runtime()); });
      continue;
    }
    mlir::Value operand = materialize(value, span);
    if (!operand)
      return Value();
    operands.push_back(operand);
  }
  auto callee = llvm::cast<mlir::func::FuncOp>(op);
  auto call = mlir::func::CallOp::create(builder, loc(span), callee, operands);
  return result->isVoid() ? makeVoid() : makeRuntime(result, call.getResult(0));
}

Value Evaluator::expand(Frame &inner, const Type *result, Span span) {
  const FnDecl &decl = *inner.function.decl;
  session.evaluated.insert(&decl);
  Frame *caller = frame;
  frame = &inner;
  if (!isComptime()) {
    findAddressTaken(*decl.body(), inner.addressTaken);
    for (Local &local : inner.locals)
      if (inner.isAddressTaken(local.name, local.type) &&
          !local.type->isComptimeOnly() && !local.type->isPointer())
        keepInMemory(local, local.span); // the address is that of a copy
  }
  if (session.options.observations)
    for (auto [param, local] : llvm::zip(decl.params(), inner.locals))
      observeLocal(local, param->name().span);
  Target target;
  unsigned errors = session.diagnostics.numErrors();
  bool isMissing = evalBody(decl, result, target);
  Value value = close(target.exits, target.span, result);
  frame = caller;
  if (session.diagnostics.numErrors() != errors)
    return result->isVoid() || isMissing ? Value() : value;
  if (isMissing)
    return error(span, "function '" + decl.name().text +
                           "' ends without returning a value of type '" +
                           result->str() + "'");
  return value;
}

/// Evaluates the body of a function in its frame, up to the ways out of it.
/// Whether one of them is the end of the body, and has no value there.
bool Evaluator::evalBody(const FnDecl &decl, const Type *result,
                         Target &target) {
  target.kind = Target::Kind::Function;
  target.type = result;
  target.span = decl.name().span;
  frame->targets.push_back(&target);
  evalStatements(decl.body()->statements());
  frame->targets.pop_back();
  // Of a type that is asked for, not every way was followed.
  if (left || (inTypeOf && target.hasValue))
    return false;
  goTo(target.exits, result->isVoid() ? makeVoid() : Value());
  return !result->isVoid();
}

//===----------------------------------------------------------------------===//
// Functions of the program
//===----------------------------------------------------------------------===//

std::string Evaluator::symbolFor(ModuleInstance &module, llvm::StringRef name) {
  std::string base = module.prefix + name.str(), symbol = base;
  for (unsigned i = 1; !program->symbols.insert(symbol).second; ++i)
    symbol = base + "." + std::to_string(i);
  return symbol;
}

mlir::Operation *Evaluator::emitFunction(const FunctionRef &function,
                                         llvm::ArrayRef<Value> arguments,
                                         Span span) {
  const FnDecl &decl = *function.decl;
  if (!program) {
    error(span, "running code is not for a layout block");
    return nullptr;
  }
  if (decl.isTask()) {
    error(span, "task '" + decl.name().text + "' is not a function");
    return nullptr;
  }
  if (!decl.body())
    if (Global *external = function.module->findDeclaration(decl))
      if (Global *definition = definitionOf(*external))
        return emitFunction(definition->value.function(), {}, span);
  // The specialisation: comptime arguments, and the types of the others.
  Frame inner;
  inner.function = function;
  inner.module = function.module;
  std::string key = llvm::formatv("{0} {1}", (const void *)&decl,
                                  (const void *)function.module)
                        .str();
  std::vector<Value> bound;
  llvm::SmallVector<const Type *> paramTypes;
  llvm::SmallVector<mlir::Type> converted;
  bool generic = !arguments.empty();
  for (auto [index, param] : llvm::enumerate(decl.params())) {
    const Type *type = nullptr;
    Value value;
    if (generic) {
      value = arguments[index];
      type = value.type();
    } else {
      if (param->isAnytype() || param->isComptime()) {
        error(span, "function '" + decl.name().text +
                        "' has comptime or anytype parameters and no code of "
                        "its own");
        return nullptr;
      }
      Frame *saved = frame;
      frame = &inner;
      PhaseScope scope(*this, Phase::Comptime);
      type = evalType(*param->type());
      frame = saved;
      if (!type)
        return nullptr;
    }
    // Running code has no functions as values.
    if (type->is(TypeKind::Function) && !param->isComptime() &&
        !param->isAnytype()) {
      const Type *whole =
          value.isFunction() ? functionType(value.function()) : nullptr;
      std::string text = (whole ? whole : type)->str();
      Diagnostic &diagnostic =
          report(span, "parameter '" + param->name().text + "' of '" +
                           decl.name().text +
                           "' is a function, which running "
                           "code cannot be given");
      note(diagnostic, param->span(),
           "declare it 'comptime', or as '*const " + text +
               "', to which '&f' is given");
      return nullptr;
    }
    bool special = generic && (param->isComptime() || isSpecialising(type));
    if (special) {
      // What running code computes of it is passed.
      value = concretize(value);
      bool failed = false;
      forEachRunning(value, [&](Value &part) {
        mlir::Type target = convert(part.type(), param->span());
        failed |= !target;
        converted.push_back(target);
        part = makeRuntime(part.type(), mlir::Value());
      });
      if (failed)
        return nullptr;
      key += ";" + value.key();
    } else {
      key += llvm::formatv(";{0}", (const void *)type).str();
      mlir::Type target = convert(type, param->span());
      if (!target)
        return nullptr;
      converted.push_back(target);
      paramTypes.push_back(type);
      value = Value(type);
    }
    Local &local = inner.locals.emplace_back();
    local.name = param->name().text == "_" ? "" : param->name().text;
    local.span = param->span();
    local.isConst = true;
    local.type = type;
    local.value = value;
    bound.push_back(special ? value : makeRuntime(type, mlir::Value()));
  }
  if (auto found = program->functions.find(key);
      found != program->functions.end())
    return found->second;
  const Type *result = resultType(function, inner);
  if (!result)
    return nullptr;
  llvm::SmallVector<mlir::Type> results;
  if (!result->isVoid()) {
    mlir::Type target =
        convert(result, decl.result() ? decl.result()->span() : span);
    if (!target)
      return nullptr;
    results.push_back(target);
  }
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(program->comptime);
  auto op =
      mlir::func::FuncOp::create(builder, session.location(decl.begin()),
                                 symbolFor(*function.module, decl.name().text),
                                 builder.getFunctionType(converted, results));
  program->functions[key] = op;
  if (!decl.body()) {
    op.setPrivate();
    return op;
  }
  op.addEntryBlock();
  program->pending.push_back([this, function, bound, op, result, span] {
    emitBody(function, bound, op, result, span);
  });
  return op;
}

csl::TaskOp Evaluator::emitTask(const FunctionRef &function, csl::TaskKind kind,
                                Span span) {
  const FnDecl &decl = *function.decl;
  if (!decl.isTask()) {
    error(span, "'" + decl.name().text + "' is a function, expected a task");
    return nullptr;
  }
  std::string key = llvm::formatv("task {0} {1} {2}", (const void *)&decl,
                                  (const void *)function.module, unsigned(kind))
                        .str();
  if (auto found = program->functions.find(key);
      found != program->functions.end())
    return llvm::cast<csl::TaskOp>(found->second);
  Frame inner;
  inner.function = function;
  inner.module = function.module;
  llvm::SmallVector<mlir::Type> converted;
  std::vector<Value> bound;
  for (const FnParam *param : decl.params()) {
    if (param->isAnytype() || param->isComptime()) {
      error(param->span(), "a parameter of a task has a type of running code");
      return nullptr;
    }
    Frame *saved = frame;
    frame = &inner;
    PhaseScope scope(*this, Phase::Comptime);
    const Type *type = evalType(*param->type());
    frame = saved;
    if (!type)
      return nullptr;
    unsigned bits = type->bits();
    if ((bits != 16 && bits != 32) || type->isPointer()) {
      error(param->span(), "a parameter of a task has 16 or 32 bits, found "
                           "type '" +
                               type->str() + "'");
      return nullptr;
    }
    mlir::Type target = convert(type, param->span());
    if (!target)
      return nullptr;
    converted.push_back(target);
    bound.push_back(makeRuntime(type, mlir::Value()));
  }
  auto refuse = [&](const llvm::Twine &text) {
    Diagnostic &diagnostic = report(span, text);
    note(diagnostic, decl.name().span, "declared here");
    return nullptr;
  };
  if (kind == csl::TaskKind::Local && !converted.empty())
    return refuse("local task '" + decl.name().text +
                  "' has parameters, allowed are none");
  if (kind == csl::TaskKind::Data && converted.empty())
    return refuse("data task '" + decl.name().text +
                  "' has no parameters, a wavelet brings one or two");
  unsigned bits = 0;
  for (const Value &value : bound)
    bits += value.type()->bits();
  if (bits > 32)
    return refuse("parameters of task '" + decl.name().text + "' have " +
                  llvm::Twine(bits) + " bits, a wavelet has 32");
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(program->comptime);
  auto op = csl::TaskOp::create(builder, session.location(decl.begin()), kind,
                                symbolFor(*function.module, decl.name().text),
                                builder.getFunctionType(converted, {}),
                                mlir::StringAttr(), mlir::ArrayAttr(),
                                mlir::ArrayAttr());
  mlir::Block *entry = &op.getBody().emplaceBlock();
  for (auto [type, param] : llvm::zip(converted, decl.params()))
    entry->addArgument(type, session.location(param->begin()));
  program->functions[key] = op;
  program->pending.push_back([this, function, bound, op, span] {
    emitBody(function, bound, op, types.voidType(), span);
  });
  return op;
}

void Evaluator::emitBody(const FunctionRef &function, std::vector<Value> bound,
                         mlir::Operation *op, const Type *result, Span span) {
  const FnDecl &decl = *function.decl;
  session.evaluated.insert(&decl);
  mlir::Block &entry =
      llvm::cast<mlir::FunctionOpInterface>(op).getFunctionBody().front();
  Frame inner;
  inner.function = function;
  inner.module = function.module;
  bool generic = llvm::any_of(decl.params(), [](const FnParam *param) {
    return param->isAnytype() || param->isComptime();
  });
  if (generic)
    inner.callSpan = span;
  findAddressTaken(*decl.body(), inner.addressTaken);
  Frame *savedFrame = frame;
  frame = &inner;
  PhaseScope scope(*this, Phase::Runtime);
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&entry);
  depth = 0;
  left = false;
  unsigned next = 0;
  for (auto [index, param] : llvm::enumerate(decl.params())) {
    (void)mayDeclare(param->name().text, param->name().span);
    Local &local = addLocal(param->name().text, param->span());
    local.isConst = true;
    local.type = bound[index].type();
    local.value = bound[index];
    forEachRunning(local.value, [&](Value &part) {
      part = makeRuntime(part.type(), entry.getArgument(next++));
    });
    if (local.value.isRuntime() &&
        inner.isAddressTaken(param->name().text, local.type))
      keepInMemory(local, param->span());
  }
  if (session.options.observations)
    for (auto [param, local] : llvm::zip(decl.params(), inner.locals))
      observeLocal(local, param->name().span);
  Target target;
  unsigned errors = session.diagnostics.numErrors();
  if (evalBody(decl, result, target) &&
      session.diagnostics.numErrors() == errors)
    error(decl.name().span, "function '" + decl.name().text +
                                "' ends without returning a value of type '" +
                                result->str() + "'");
  mlir::Location end = session.location(decl.end());
  for (const Way &way : target.exits.ways) {
    builder.setInsertionPointToEnd(way.from);
    if (llvm::isa<csl::TaskOp>(op)) {
      csl::ReturnOp::create(builder, end);
    } else if (result->isVoid()) {
      mlir::func::ReturnOp::create(builder, end);
    } else {
      mlir::Value number;
      if (way.value)
        number = materializeAs(way.value, result, decl.name().span);
      if (!number)
        number = zeroOf(convert(result), end);
      mlir::func::ReturnOp::create(builder, end, number);
    }
  }
  left = false;
  variables.finish();
  frame = savedFrame;
}

void Evaluator::drainPending() {
  while (!program->pending.empty()) {
    auto work = std::move(program->pending.front());
    program->pending.pop_front();
    work();
  }
}
