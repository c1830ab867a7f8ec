//===- EvalControl.cpp - Blocks, declarations, if, switch -----------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace sequin;
using namespace sequin::csl_import;
using namespace sequin::csl_source;
namespace cf = mlir::cf;

//===----------------------------------------------------------------------===//
// Scopes and declarations
//===----------------------------------------------------------------------===//

void Evaluator::endScope(size_t mark) {
  while (frame->locals.size() > mark)
    frame->locals.pop_back();
}

Local &Evaluator::addLocal(llvm::StringRef name, Span span) {
  Local &local = frame->locals.emplace_back();
  local.name = name == "_" ? llvm::StringRef() : name;
  local.span = span;
  local.depth = depth;
  local.assigned = session.assignments;
  return local;
}

Value Evaluator::valueOf(const Local &local) {
  if (local.kind == Local::Kind::Ssa)
    if (mlir::Value value =
            variables.read(local.variable, builder.getInsertionBlock()))
      return makeRuntime(local.type, value);
  return local.value; // comptime code is not behind what running code assigned
}

void Evaluator::keepInMemory(Local &local, Span span,
                             std::optional<int64_t> align) {
  mlir::Value memory = allocate(local.type, span, align);
  if (!memory)
    return;
  write(placeOfMemref(memory, local.type, false), local.value, span);
  local.kind = Local::Kind::Memory;
  local.memory = memory;
}

// Two local names that are visible at once differ (SYN-021). A local name may
// be that of a global, which it hides.
bool Evaluator::mayDeclare(llvm::StringRef name, Span span) {
  if (name.empty() || name == "_")
    return true;
  for (const Local &other : frame->locals)
    if (other.name == name) {
      Diagnostic &diagnostic = report(span, "redeclaration of '" + name + "'");
      note(diagnostic, other.span, "declared here");
      return false;
    }
  return true;
}

void Evaluator::evalDecl(const VarDecl &decl) {
  llvm::StringRef name = decl.name().text;
  if (!mayDeclare(name, decl.name().span))
    return;
  llvm::StringRef savedName = declName;
  declName = name;
  bool comptime = isComptime() || decl.isComptime();
  const Type *type = nullptr;
  bool failed = false;
  if (decl.type()) {
    type = evalType(*decl.type());
    failed = !type;
  }
  Value value;
  if (decl.init())
    if (const auto *branch =
            llvm::dyn_cast<IfExpr>(decl.init()->ignoreParens());
        branch && !branch->otherwise()) {
      error(branch->span(), "an 'if' without 'else' has no value"); // SYN-036
      failed = true;
    }
  if (decl.init() && !failed) {
    if (decl.isComptime() && !isComptime()) {
      value = evalComptime(*decl.init(), type);
      if (value)
        value = known(value, decl.init()->span(),
                      "the value of comptime variable '" + name + "'");
    } else {
      value = eval(*decl.init(), type);
    }
    if (left) {
      declName = savedName;
      return;
    }
    if (value && value.type()->is(TypeKind::NoReturn))
      value = Value();
    if (value && type && !type->is(TypeKind::ComptimeStruct))
      value = coerce(value, type, decl.init()->span());
    failed = !value;
    if (value && !type)
      type = value.type();
  }
  declName = savedName;
  std::optional<int64_t> align;
  if (decl.attributes().align) {
    align = evalAlign(*decl.attributes().align);
    failed |= !align;
  }
  Local &local = addLocal(name, decl.name().span);
  local.type = type ? type : types.error();
  if (failed) {
    // Its uses report nothing more.
    local.value = Value(types.error());
    return;
  }
  if (decl.isConst()) {
    local.isConst = true;
    local.value = value;
    if (!comptime && frame->isAddressTaken(name, type) &&
        !type->isComptimeOnly())
      keepInMemory(local, decl.span(), align);
    return;
  }
  if (comptime) {
    local.kind = Local::Kind::Comptime;
    local.value = value;
    return;
  }
  if (type->isComptimeOnly()) {
    error(decl.span(), "variable '" + name + "' of type '" + type->str() +
                           "' must be comptime-known: const or comptime var");
    local.value = Value(types.error());
    return;
  }
  if (type->isVoid()) {
    error(decl.span(), "variable '" + name +
                           "' cannot be of type 'void', which has no data");
    local.value = Value(types.error());
    return;
  }
  mlir::Type converted = convert(type, decl.span());
  if (!converted) {
    local.value = Value(types.error());
    return;
  }
  bool inMemory =
      type->isArray() || type->isStruct() || frame->isAddressTaken(name, type);
  if (inMemory) {
    mlir::Value memory = allocate(type, decl.span(), align);
    if (!memory)
      return;
    local.kind = Local::Kind::Memory;
    local.memory = memory;
    if (value)
      write(placeOfMemref(memory, type, false), value, decl.span());
    return;
  }
  local.kind = Local::Kind::Ssa;
  if (value)
    value = asRuntime(value, decl.span());
  else // AMB-037
    value = makeRuntime(type, zeroOf(converted, loc(decl.span())));
  local.value = value;
  local.variable = variables.declare(converted, loc(decl.name().span));
  if (value)
    variables.write(local.variable, builder.getInsertionBlock(),
                    value.runtime());
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

void Evaluator::evalStatements(llvm::ArrayRef<const Stmt *> statements) {
  for (const Stmt *statement : statements) {
    if (left)
      return;
    if (const auto *declared = llvm::dyn_cast<DeclStmt>(statement)) {
      size_t before = frame->locals.size();
      evalDecl(*declared->decl());
      if (session.options.observations && frame->locals.size() > before)
        observeLocal(frame->locals.back(), declared->decl()->name().span);
      continue;
    }
    const Expr &expr = *llvm::cast<ExprStmt>(*statement).expr();
    if (const auto *branch = llvm::dyn_cast<IfExpr>(&expr)) {
      if (step(expr.span()))
        (void)evalIf(*branch, nullptr, /*isStatement=*/true);
    } else if (const auto *choice = llvm::dyn_cast<SwitchExpr>(&expr)) {
      if (step(expr.span()))
        (void)evalSwitch(*choice, nullptr, /*isStatement=*/true);
    } else {
      (void)eval(expr);
    }
  }
}

Value Evaluator::evalBlock(const BlockExpr &expr, const Type *hint) {
  size_t scope = beginScope();
  if (expr.label().empty()) {
    evalStatements(expr.statements());
    endScope(scope);
    return makeVoid();
  }
  Target target;
  target.kind = Target::Kind::Block;
  target.label = expr.label().text;
  target.type = hint;
  target.span = expr.span();
  for (const Target *outer : frame->targets)
    if (outer->label == target.label) {
      error(expr.label().span, "redefinition of label '" + target.label + "'");
      endScope(scope);
      return Value();
    }
  frame->targets.push_back(&target);
  evalStatements(expr.statements());
  frame->targets.pop_back();
  endScope(scope);
  if (!left && target.hasValue) {
    Diagnostic &diagnostic =
        report(target.span, "expected type 'void', got: '" +
                                (target.seen ? target.seen->str() : "?") + "'");
    note(diagnostic, target.span,
         "block that is broken has type 'void' because control flow may reach "
         "the end without a break");
    goTo(target.exits, Value());
  } else if (!left) {
    goTo(target.exits, makeVoid());
  }
  return close(target.exits, expr.span(), nullptr, hint);
}

//===----------------------------------------------------------------------===//
// Branches of running code
//===----------------------------------------------------------------------===//

Value Evaluator::emitBranch(mlir::Value condition, Span span, const Type *hint,
                            bool isVoid, llvm::function_ref<Value()> yes,
                            llvm::function_ref<Value()> no,
                            const Value &direct) {
  Join join;
  mlir::Block *blocks[] = {makeBlock(), makeBlock()};
  cf::CondBranchOp::create(builder, loc(span), condition, blocks[0],
                           mlir::ValueRange(), blocks[1], mlir::ValueRange());
  llvm::function_ref<Value()> arms[] = {yes, no};
  for (unsigned i : {0, 1})
    if (!arms[i]) {
      join.block = blocks[i];
      branchTo(join, i, direct);
    }
  ++depth;
  for (unsigned i : {0, 1}) {
    if (!arms[i])
      continue;
    startBlock(blocks[i]);
    left = false;
    Value value = arms[i]();
    if (!left)
      goTo(join, isVoid ? makeVoid() : value);
  }
  --depth;
  return close(join, span, nullptr, hint);
}

bool Evaluator::tryCoerceQuiet(const Value &value, const Type *type) {
  if (value.type() == type)
    return true;
  mlir::OpBuilder::InsertionGuard insertion(builder);
  auto block = std::make_unique<mlir::Block>();
  builder.setInsertionPointToStart(block.get());
  bool result = bool(tryCoerce(value, type, nullptr));
  block->dropAllReferences();
  block->clear();
  return result;
}

//===----------------------------------------------------------------------===//
// if and switch
//===----------------------------------------------------------------------===//

/// Literals in further arms take the type of the number or named struct in the
/// first one, where nothing else wants a type (SYN-081).
static void adoptType(const Type *&hint, const Value &first) {
  if (hint || !first || first.type()->isComptimeOnly())
    return;
  const Type *type = first.type();
  if (type->isNumber() || (type->isStruct() && !type->isAnonymous))
    hint = type;
}

Value Evaluator::evalIf(const IfExpr &expr, const Type *hint,
                        bool isStatement) {
  Value condition = eval(*expr.condition());
  if (left || !condition)
    return Value();
  if (!condition.type()->is(TypeKind::Bool))
    return error(expr.condition()->span(),
                 "the condition of 'if' is of bool, found type '" +
                     condition.type()->str() + "'" +
                     (condition.type()->isInteger() ? "; write 'x != 0'" : ""));
  auto arm = [&](const Expr *body) -> Value {
    if (!body)
      return makeVoid();
    size_t scope = beginScope();
    Value value = eval(*body, hint);
    endScope(scope);
    if (!isStatement)
      adoptType(hint, value);
    return value;
  };
  if (condition.isComptime()) {
    condition = concretize(condition);
    if (inTypeOf && !condition.isInteger())
      return arm(expr.then());
    return arm(condition.truth() ? expr.then() : expr.otherwise());
  }
  // What is asked of the types of a generic function is often meant for
  // comptime.
  bool isGeneric =
      frame->function.decl &&
      llvm::any_of(frame->function.decl->params(), [](const FnParam *param) {
        return param->isComptime() || param->isAnytype();
      });
  llvm::SaveAndRestore<Span> asked(
      runtimeCall,
      isGeneric && llvm::isa<CallExpr>(expr.condition()->ignoreParens())
          ? expr.condition()->span()
          : runtimeCall);
  auto then = [&] { return arm(expr.then()); };
  auto otherwise = [&] { return arm(expr.otherwise()); };
  llvm::function_ref<Value()> no = otherwise;
  if (!expr.otherwise())
    no = nullptr;
  return emitBranch(condition.runtime(), expr.span(), hint,
                    isStatement || !expr.otherwise(), then, no, makeVoid());
}

Value Evaluator::evalSwitch(const SwitchExpr &expr, const Type *hint,
                            bool isStatement) {
  Value input = eval(*expr.input());
  if (left || !input)
    return Value();
  const Type *type = input.type();
  if (!type->is(TypeKind::Int) && !type->is(TypeKind::Enum))
    return error(expr.input()->span(),
                 "the input of 'switch' is of a fixed-width integer or enum "
                 "type, found '" +
                     type->str() + "'" +
                     (type->is(TypeKind::ComptimeInt)
                          ? ": write @as(i16, ...), or declare it with a type"
                          : ""));
  // All values, for duplicates and coverage.
  std::vector<std::pair<Value, const SwitchProng *>> cases;
  llvm::StringMap<Span> seen;
  const SwitchProng *otherwise = nullptr;
  for (const SwitchProng &prong : expr.prongs()) {
    if (prong.isElse())
      otherwise = &prong;
    for (const Expr *text : prong.values) {
      Value value;
      {
        PhaseScope scope(*this, isComptime() ? phase : Phase::Comptime);
        value = evalKnown(*text, "the value of a switch branch", type);
      }
      if (!value)
        return Value();
      auto [entry, isNew] = seen.try_emplace(value.str(), text->span());
      if (!isNew) {
        Diagnostic &diagnostic = report(
            text->span(), "value " + value.str() + " has a branch already");
        note(diagnostic, entry->second, "first here");
        return Value();
      }
      cases.emplace_back(value, &prong);
    }
  }
  if (!otherwise) {
    bool covered = false;
    if (type->is(TypeKind::Enum))
      covered = seen.size() == type->cases.size();
    else if (type->bits() < 17)
      covered = seen.size() == (size_t(1) << type->bits());
    if (!covered)
      return error(expr.span(), "Not all possible '" + type->str() +
                                    "' values are covered. An 'else' branch "
                                    "is needed.");
  }
  auto body = [&](const SwitchProng &prong) {
    size_t scope = beginScope();
    Value value = eval(*prong.body, hint);
    endScope(scope);
    if (!isStatement)
      adoptType(hint, value);
    return value;
  };
  if (input.isComptime()) {
    input = concretize(input);
    if (inTypeOf && !input.isInteger())
      return body(expr.prongs().front());
    for (auto &[value, prong] : cases)
      if (value.integer() == input.integer())
        return body(*prong);
    return otherwise ? body(*otherwise) : makeVoid();
  }
  // The last branch is for all other values.
  llvm::SmallVector<const SwitchProng *> order;
  for (const SwitchProng &prong : expr.prongs())
    if (!prong.isElse())
      order.push_back(&prong);
  if (otherwise)
    order.push_back(otherwise);
  if (order.empty())
    return makeVoid();
  if (order.size() == 1)
    return body(*order.front());
  mlir::Location at = loc(expr.span());
  mlir::Value number = input.runtime();
  if (type->is(TypeKind::Enum))
    number = csl::GetIntOp::create(builder, at, convert(type->element), number);
  llvm::DenseMap<const SwitchProng *, mlir::Block *> blocks;
  for (const SwitchProng *prong : order)
    blocks[prong] = makeBlock();
  llvm::SmallVector<llvm::APInt> numbers;
  llvm::SmallVector<mlir::Block *> targets;
  for (auto &[value, prong] : cases) {
    if (prong == order.back())
      continue;
    numbers.push_back(
        llvm::cast<mlir::IntegerAttr>(attributeOf(value)).getValue());
    targets.push_back(blocks[prong]);
  }
  cf::SwitchOp::create(builder, at, number, blocks[order.back()],
                       mlir::ValueRange(), numbers, targets,
                       llvm::SmallVector<mlir::ValueRange>(targets.size()));
  Join join;
  const Type *wanted = hint; // before literals adopt another
  ++depth;
  for (const SwitchProng *prong : order) {
    startBlock(blocks[prong]);
    left = false;
    Value value = body(*prong);
    if (!left)
      goTo(join, isStatement ? makeVoid() : value);
  }
  --depth;
  return close(join, expr.span(), nullptr, wanted);
}
