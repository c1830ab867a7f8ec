//===- EvalControl.cpp - Blocks, declarations, if, switch, jumps ----------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EvaluatorControl.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace sequin;
using namespace sequin::csl_import;
using namespace sequin::csl_source;
namespace arith = mlir::arith;
namespace scf = mlir::scf;

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
  local.depth = controlDepth();
  local.skips = skips;
  return local;
}

// Two local names that are visible at once differ (SYN-021). A local name may
// be that of a global, which it hides: a warning says so. The manual is silent
// on this, and what hides what is as clear as in C.
bool Evaluator::mayDeclare(llvm::StringRef name, Span span) {
  if (name.empty() || name == "_")
    return true;
  for (const Local &other : frame->locals)
    if (other.name == name) {
      Diagnostic &diagnostic = report(span, "redeclaration of '" + name + "'");
      note(diagnostic, other.span, "declared here");
      return false;
    }
  if (frame->module->isLibrary)
    return true;
  if (const Global *global = frame->module->find(name)) {
    Diagnostic &diagnostic = session.diagnostics.warning(
        span, "'" + name + "' hides the global of that name");
    if (global->decl)
      note(diagnostic, global->decl->name().span, "declared here");
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
    if (!comptime && isAddressTaken(frame->addressTaken, name, type) &&
        !type->isComptimeOnly()) {
      mlir::Value memory = allocate(type, decl.span());
      if (!memory)
        return;
      write(placeOfMemref(memory, type, false), value, decl.span());
      local.kind = Local::Kind::Memory;
      local.memory = memory;
    }
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
  bool inMemory = type->isArray() || type->isStruct() ||
                  isAddressTaken(frame->addressTaken, name, type);
  if (inMemory) {
    mlir::Value memory = allocate(type, decl.span());
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
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

void Evaluator::evalStatements(llvm::ArrayRef<const Stmt *> statements) {
  // What follows a jump stands in a region of its own. Those regions may close
  // before the statements end, unless something was declared in them.
  unsigned nesting = 0;
  bool declares = false, isClosing = false;
  auto isDeep = [&] { return nesting >= kNestedRests && !declares; };
  std::function<void()> run = [&] {
    while (!statements.empty() && !left) {
      const Stmt &statement = *statements.front();
      statements = statements.drop_front();
      auto inside = [&](llvm::function_ref<void()> enter) {
        ++nesting;
        enter();
        if (--nesting == 0)
          declares = false;
      };
      if (const auto *declared = llvm::dyn_cast<DeclStmt>(&statement)) {
        size_t before = frame->locals.size();
        evalDecl(*declared->decl());
        declares |= nesting != 0;
        if (session.options.observations && frame->locals.size() > before)
          observeLocal(frame->locals.back(), declared->decl()->name().span);
      } else {
        const Expr &expr = *llvm::cast<ExprStmt>(statement).expr();
        Value value;
        if (const auto *branch = llvm::dyn_cast<IfExpr>(&expr)) {
          auto rest = [&] { inside(run); };
          llvm::function_ref<void()> restRef = rest;
          if (statements.empty() || isDeep())
            restRef = nullptr;
          if (step(expr.span()))
            value = evalIf(*branch, nullptr, /*isStatement=*/true, restRef);
        } else if (const auto *choice = llvm::dyn_cast<SwitchExpr>(&expr)) {
          if (step(expr.span()))
            value = evalSwitch(*choice, nullptr, /*isStatement=*/true);
        } else {
          value = eval(expr);
        }
        (void)value;
      }
      if (left || exits.empty())
        continue;
      isClosing |= isDeep();
      if (isClosing && nesting)
        return;
      // What comes next runs only if control did not leave.
      while (!statements.empty() && !left) {
        isClosing = false;
        inside([&] { guard(statement.span(), run); });
        if (nesting)
          return;
      }
    }
  };
  run();
}

/// Whether a value leaves the labelled block from inside of a loop.
static bool leavesLoop(const Node &node, llvm::StringRef label, bool inLoop) {
  if (const auto *out = llvm::dyn_cast<BreakExpr>(&node))
    if (inLoop && out->value() && out->label().text == label)
      return true;
  inLoop |= llvm::isa<ForExpr, WhileExpr>(node);
  bool found = false;
  forEachChild(node, [&](const Node &child) {
    found = found || leavesLoop(child, label, inLoop);
  });
  return found;
}

/// The type of the value of a block, for a loop to carry: its statements are
/// emitted into a block that is thrown away.
const Type *Evaluator::probeBlock(const BlockExpr &expr) {
  // Put back in place: who is on the way to an assignment knows where one is.
  std::vector<Local> savedLocals(frame->locals.begin(), frame->locals.end());
  RegionState saved = saveRegion();
  bool savedProbing = probing;
  probing = true;
  Target target;
  target.label = expr.label().text;
  target.depth = depth;
  target.span = expr.span();
  {
    mlir::OpBuilder::InsertionGuard guard(builder);
    auto block = std::make_unique<mlir::Block>();
    builder.setInsertionPointToStart(block.get());
    exits.clear();
    enterTarget(target);
    evalStatements(expr.statements());
    frame->targets.pop_back();
    block->walk([](mlir::Operation *op) { op->dropAllReferences(); });
    block->clear();
  }
  probing = savedProbing;
  endScope(savedLocals.size());
  llvm::copy(savedLocals, frame->locals.begin());
  restoreRegion(saved);
  const Type *type = target.seen;
  return type && !type->isError() && !type->isComptimeOnly() ? type : nullptr;
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
  target.depth = depth;
  target.type = hint;
  target.span = expr.span();
  for (const Target *outer : frame->targets)
    if (outer->label == target.label) {
      error(expr.label().span, "redefinition of label '" + target.label + "'");
      endScope(scope);
      return Value();
    }
  if (!hint && !isComptime() && leavesLoop(expr, target.label, false))
    target.type = probeBlock(expr);
  enterTarget(target);
  evalStatements(expr.statements());
  bool reachedEnd = !left;
  bool isBroken = leaveTarget(target);
  Value value = frame->locals[target.slot].value;
  endScope(scope);
  if (reachedEnd && target.hasValue) {
    Diagnostic &diagnostic =
        report(target.span, "expected type 'void', got: '" +
                                (value ? value.type()->str() : "?") + "'");
    note(diagnostic, target.span,
         "block that is broken has type 'void' because control flow may reach "
         "the end without a break");
    return Value();
  }
  if (!reachedEnd && !isBroken)
    return Value(); // control went elsewhere
  return target.hasValue ? value : makeVoid();
}

/// Makes the hidden variables of a target: its value, and whether control has
/// left to it. Without a value, a flag is false.
void Evaluator::enterTarget(Target &target) {
  auto hidden = [&](const Type *type) {
    Local &local = addLocal("", target.span);
    local.kind = Local::Kind::Ssa;
    local.type = type;
    return int(frame->locals.size() - 1);
  };
  target.slot = hidden(target.type);
  target.breakFlag = hidden(types.boolType());
  target.continueFlag = hidden(types.boolType());
  frame->targets.push_back(&target);
}

/// Ends a target whose body was evaluated. Whether control left to it; then it
/// goes on behind it.
bool Evaluator::leaveTarget(Target &target) {
  frame->targets.pop_back();
  bool isBroken = left && jump.target == &target;
  for (const Jump &exit : exits)
    if (exit.target == &target) {
      isBroken = true;
      mergeComptime();
    }
  if (isBroken && (!jump.target || jump.target == &target)) {
    left = false;
    jump = {};
  }
  llvm::erase_if(exits,
                 [&](const Jump &exit) { return exit.target == &target; });
  return isBroken;
}

/// Where ways meet, of which only some assigned to a comptime variable.
void Evaluator::mergeComptime() {
  for (Local &local : frame->locals)
    if (local.kind == Local::Kind::Comptime && local.skips > skips)
      local.isUncertain = true;
}

//===----------------------------------------------------------------------===//
// Regions of running code
//===----------------------------------------------------------------------===//

Evaluator::RegionState Evaluator::saveRegion() {
  RegionState state;
  for (const Local &local : frame->locals)
    state.values.push_back(local.kind == Local::Kind::Ssa ? local.value
                                                          : Value());
  state.left = left;
  state.exits = exits;
  return state;
}

void Evaluator::restoreRegion(const RegionState &state) {
  for (auto [index, value] : llvm::enumerate(state.values))
    if (index < frame->locals.size() &&
        frame->locals[index].kind == Local::Kind::Ssa)
      frame->locals[index].value = value;
  left = state.left;
  exits = state.exits;
  jump = {};
}

mlir::Value Evaluator::anyExit(Span span, llvm::ArrayRef<Jump> jumps) {
  mlir::Value any;
  llvm::SmallVector<int> seen;
  for (const Jump &exit : jumps) {
    int flag =
        exit.isContinue ? exit.target->continueFlag : exit.target->breakFlag;
    if (flag < 0 || llvm::is_contained(seen, flag))
      continue;
    seen.push_back(flag);
    const Value &value = frame->locals[flag].value;
    if (!value)
      continue;
    mlir::Value set = value.runtime();
    any = any ? arith::OrIOp::create(builder, loc(span), any, set).getResult()
              : set;
  }
  return any;
}

void Evaluator::guard(Span span, llvm::function_ref<void()> body) {
  (void)unlessLeft(span, [&] {
    body();
    return makeVoid();
  });
}

Value Evaluator::unlessLeft(Span span, llvm::function_ref<Value()> rest) {
  mlir::Value taken =
      isComptime() ? mlir::Value() : anyExit(span, llvm::SmallVector(exits));
  if (!taken)
    return rest();
  // What is known needs no way to here.
  Value known;
  Value result = emitBranch(
      taken, span, nullptr, /*isVoid=*/false,
      [&] {
        left = true; // where it went before
        return Value();
      },
      [&] {
        ++skips;
        Value value = rest();
        --skips;
        if (!value || !value.isComptime())
          return value;
        known = value;
        return makeVoid();
      });
  return known && result ? known : result;
}

Value Evaluator::emitBranch(mlir::Value condition, Span span, const Type *hint,
                            bool isVoid, llvm::function_ref<Value()> yes,
                            llvm::function_ref<Value()> no,
                            llvm::function_ref<void()> rest) {
  mlir::Location at = loc(span);
  auto op = scf::IfOp::create(builder, at, mlir::TypeRange(), condition,
                              /*addThenBlock=*/true, /*addElseBlock=*/true);
  RegionState before = saveRegion();
  struct Arm {
    mlir::Block *block;
    Value value;
    RegionState after;
  };
  Arm arms[] = {{op.thenBlock(), {}, {}}, {op.elseBlock(), {}, {}}};
  mlir::OpBuilder::InsertionGuard insertion(builder);
  size_t scope = beginScope();
  ++depth;
  for (int i = 0; i < 2; ++i) {
    restoreRegion(before);
    exits.clear();
    builder.setInsertionPointToEnd(arms[i].block);
    arms[i].value = i == 0 ? yes() : no();
    endScope(scope);
    arms[i].after = saveRegion();
  }
  // What follows an arm that leaves belongs to the other one.
  bool tookRest = rest && arms[0].after.left != arms[1].after.left;
  if (tookRest) {
    Arm &open = arms[0].after.left ? arms[1] : arms[0];
    restoreRegion(open.after);
    builder.setInsertionPointToEnd(open.block);
    ++skips;
    if (exits.empty())
      rest();
    else
      guard(span, rest);
    --skips;
    endScope(scope);
    open.after = saveRegion();
  }
  --depth;

  // Variables that differ, and the value of the expression, become results.
  llvm::SmallVector<mlir::Type> resultTypes;
  llvm::SmallVector<mlir::Value> yields[2];
  llvm::SmallVector<std::pair<int, const Type *>> merged;
  auto merge = [&](int local, const Value &first, const Value &second,
                   const Type *type) {
    const Value *values[] = {&first, &second};
    if (!type)
      type = !first    ? second.type()
             : !second ? first.type()
                       : peer(first, second);
    if (!type) {
      error(span, "expected type '" + first.type()->str() + "', got: '" +
                      second.type()->str() + "'");
      return false;
    }
    for (int i = 0; i < 2; ++i) {
      builder.setInsertionPointToEnd(arms[i].block);
      mlir::Value number;
      if (*values[i])
        number = materializeAs(*values[i], type, span);
      else if (mlir::Type converted = convert(type, span))
        number = zeroOf(converted, at);
      if (!number)
        return false;
      yields[i].push_back(number);
    }
    resultTypes.push_back(yields[0].back().getType());
    merged.emplace_back(local, type);
    return true;
  };
  auto isSame = [](const Value &a, const Value &b) {
    if (a.isRuntime() && b.isRuntime())
      return a.runtime() == b.runtime();
    return a.type() == b.type() && a.isComptime() && b.isComptime() &&
           a.key() == b.key();
  };
  restoreRegion(before);
  for (size_t i = 0; i < before.values.size(); ++i) {
    const Value &first = arms[0].after.values[i];
    const Value &second = arms[1].after.values[i];
    if (!first && !second)
      continue;
    Local &local = frame->locals[i];
    if (first && second && isSame(first, second)) {
      local.value = first;
      continue;
    }
    if ((first && first.isVoid()) || (second && second.isVoid())) {
      local.value = makeVoid();
      continue;
    }
    if (yields[0].size() != yields[1].size())
      break; // an error was reported
    // The value that a loop left with is not carried while its type is sought.
    if (probing && !local.type && (!first || !second)) {
      local.value = first ? first : second;
      continue;
    }
    if (!merge(i, first, second, local.type))
      local.value = Value();
  }
  Value result = makeVoid();
  bool equalArms = false;
  bool open[] = {!arms[0].after.left, !arms[1].after.left};
  if (!isVoid && !tookRest && (open[0] || open[1])) {
    Value values[2];
    bool isMissing = false, hasVoid = false, hasValue = false;
    for (int i = 0; i < 2; ++i) {
      if (!open[i])
        continue;
      values[i] = arms[i].value;
      isMissing |= !values[i];
      if (values[i] && values[i].type()->is(TypeKind::NoReturn))
        values[i] = Value();
      else if (values[i])
        (values[i].isVoid() ? hasVoid : hasValue) = true;
    }
    if (isMissing)
      result = Value();
    else if (hasVoid && hasValue)
      result = error(span, "expected type '" + values[0].type()->str() +
                               "', got: '" + values[1].type()->str() + "'");
    else if (hasValue && open[0] != open[1] &&
             values[open[1]].type()->isComptimeOnly()) {
      result = values[open[1]]; // no other comes here
    } else if (hasValue && values[0] && values[1] &&
               isSame(values[0], values[1])) {
      result = values[0];
      // Which arm was taken is not known, so the value is not, even if equal.
      if (result.type()->is(TypeKind::Int) ||
          result.type()->is(TypeKind::Bool) ||
          result.type()->is(TypeKind::Float))
        equalArms = true;
    } else if (hasValue) {
      const Type *wanted = hint;
      for (const Value &value : values)
        if (value && wanted && !tryCoerceQuiet(value, wanted))
          wanted = nullptr;
      // Numbers have the type of the arms: what an operand is part of does not
      // change how it wraps. Literals take what is wanted.
      const Type *own = !values[0]   ? values[1].type()
                        : !values[1] ? values[0].type()
                                     : peer(values[0], values[1]);
      if (own && own->isNumber() && !own->isComptimeOnly())
        wanted = own;
      if (!merge(-1, values[0], values[1], wanted))
        result = Value();
    }
  }
  size_t count = std::min(yields[0].size(), yields[1].size());
  for (int i = 0; i < 2; ++i) {
    yields[i].resize(count);
    builder.setInsertionPointToEnd(arms[i].block);
    scf::YieldOp::create(builder, at, yields[i]);
  }
  resultTypes.resize(count);
  merged.resize(count);
  // Now with its results.
  builder.setInsertionPoint(op);
  if (equalArms)
    result = asRuntime(result, span);
  if (!resultTypes.empty()) {
    auto typed = scf::IfOp::create(builder, at, resultTypes, condition,
                                   /*addThenBlock=*/false,
                                   /*addElseBlock=*/false);
    typed.getThenRegion().takeBody(op.getThenRegion());
    typed.getElseRegion().takeBody(op.getElseRegion());
    op.erase();
    for (auto [index, entry] : llvm::enumerate(merged)) {
      Value value = makeRuntime(entry.second, typed.getResult(index));
      if (entry.first >= 0)
        frame->locals[entry.first].value = value;
      else
        result = value;
    }
  } else if (llvm::hasSingleElement(*op.elseBlock())) {
    op.elseBlock()->erase();
  }
  left = arms[0].after.left && arms[1].after.left;
  jump = {};
  exits = before.exits;
  for (const Arm &arm : arms)
    for (const Jump &exit : arm.after.exits)
      if (!llvm::is_contained(exits, exit))
        exits.push_back(exit);
  return left ? Value() : result;
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

Value Evaluator::evalIf(const IfExpr &expr, const Type *hint, bool isStatement,
                        llvm::function_ref<void()> rest) {
  Value condition = eval(*expr.condition());
  if (left || !condition)
    return Value();
  if (!condition.type()->is(TypeKind::Bool))
    return error(expr.condition()->span(),
                 "the condition of 'if' is of bool, found type '" +
                     condition.type()->str() + "'");
  auto arm = [&](const Expr *body) -> Value {
    if (!body)
      return makeVoid();
    size_t scope = beginScope();
    Value value = eval(*body, hint);
    endScope(scope);
    return value;
  };
  if (condition.isComptime()) {
    condition = concretize(condition);
    if (inTypeOf && !condition.isInteger())
      return arm(expr.then());
    return arm(condition.truth() ? expr.then() : expr.otherwise());
  }
  auto branch = [&](llvm::function_ref<void()> behind) {
    return emitBranch(
        condition.runtime(), expr.span(), hint,
        isStatement || !expr.otherwise(), [&] { return arm(expr.then()); },
        [&] { return arm(expr.otherwise()); }, behind);
  };
  if (exits.empty())
    return branch(rest);
  return unlessLeft(expr.span(), [&] { return branch(nullptr); });
}

Value Evaluator::evalSwitch(const SwitchExpr &expr, const Type *hint,
                            bool isStatement) {
  Value input = eval(*expr.input());
  if (left || !input)
    return Value();
  const Type *type = input.type();
  if (!type->is(TypeKind::Int) && !type->is(TypeKind::Enum) &&
      !type->is(TypeKind::Bool))
    return error(expr.input()->span(),
                 "the input of 'switch' is of a fixed-width integer or enum "
                 "type, found '" +
                     type->str() + "'");
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
        PlaceScope scope(*this, isComptime() ? place : Place::Comptime);
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
  // A chain of branches; the last one needs no condition.
  llvm::SmallVector<const SwitchProng *> order;
  for (const SwitchProng &prong : expr.prongs())
    if (!prong.isElse())
      order.push_back(&prong);
  if (otherwise)
    order.push_back(otherwise);
  std::function<Value(size_t)> emit = [&](size_t index) -> Value {
    const SwitchProng &prong = *order[index];
    if (index + 1 == order.size())
      return body(prong);
    mlir::Value condition;
    for (auto &[value, owner] : cases) {
      if (owner != &prong)
        continue;
      Value same = emitBinary(BinaryOp::Eq, input, value, expr.span());
      if (!same)
        return Value();
      condition = condition ? arith::OrIOp::create(builder, loc(expr.span()),
                                                   condition, same.runtime())
                                  .getResult()
                            : same.runtime();
    }
    return emitBranch(
        condition, prong.span, hint, isStatement, [&] { return body(prong); },
        [&] { return emit(index + 1); });
  };
  if (order.empty())
    return makeVoid();
  return unlessLeft(expr.span(), [&] { return emit(0); });
}

//===----------------------------------------------------------------------===//
// Jumps
//===----------------------------------------------------------------------===//

void Evaluator::leave(Target &target, bool isContinue, Value value, Span span) {
  if (value && !isContinue) {
    Local &slot = frame->locals[target.slot];
    target.hasValue |= !value.isVoid();
    if (target.type && !target.type->is(TypeKind::ComptimeStruct) &&
        (target.kind == Target::Kind::Function ||
         tryCoerceQuiet(value, target.type)))
      value = coerce(value, target.type, span);
    if (value && target.kind == Target::Kind::Block && target.seen &&
        !value.isVoid() && !peer(Value(target.seen), value))
      error(span, "expected type '" + target.seen->str() + "', got: '" +
                      value.type()->str() + "'");
    if (value &&
        (!target.seen || !(target.seen = peer(Value(target.seen), value))))
      target.seen = value.type();
    // A literal takes its type where branches meet.
    bool isLiteral = value && value.isComptime() &&
                     (value.type()->is(TypeKind::ComptimeInt) ||
                      value.type()->is(TypeKind::ComptimeFloat));
    if (!isComptime() && depth != target.depth && value && !value.isVoid() &&
        !isLiteral)
      value = asRuntime(value, span);
    slot.value = value;
  }
  left = true;
  bool isStatic =
      depth == target.depth && !(target.isRuntimeLoop && !isContinue);
  if (isComptime() || isStatic) {
    jump = {&target, isContinue};
    return;
  }
  int flag = isContinue ? target.continueFlag : target.breakFlag;
  frame->locals[flag].value =
      makeRuntime(types.boolType(), constantBool(true, span));
  jump = {};
  Jump exit{&target, isContinue};
  if (!llvm::is_contained(exits, exit))
    exits.push_back(exit);
}

Target *Evaluator::findTarget(llvm::StringRef label, bool loopsOnly) {
  for (Target *target : llvm::reverse(frame->targets)) {
    if (target->kind == Target::Kind::Function)
      continue;
    if (label.empty() ? target->kind == Target::Kind::Loop
                      : target->label == label &&
                            (!loopsOnly || target->kind == Target::Kind::Loop))
      return target;
  }
  return nullptr;
}

Value Evaluator::evalReturn(const ReturnExpr &expr) {
  if (frame->targets.empty() ||
      frame->targets.front()->kind != Target::Kind::Function)
    return error(expr.span(), "'return' is outside of a function");
  Target &target = *frame->targets.front();
  Value value = makeVoid();
  if (expr.value()) {
    value = eval(*expr.value(), target.type);
    if (left)
      return Value();
    if (!value) {
      // Control goes no further all the same.
      left = true;
      jump = {&target, false};
      return Value();
    }
  }
  if (value.isVoid() && target.type && !target.type->isVoid()) {
    error(expr.span(),
          "expected type '" + target.type->str() + "', got: 'void'");
    left = true;
    jump = {&target, false};
  } else {
    Span span = expr.value() ? expr.value()->span() : expr.span();
    unlessLeft(span, [&] {
      leave(target, false, value, span);
      return Value();
    });
  }
  return Value(types.simple(TypeKind::NoReturn));
}

Value Evaluator::evalBreak(const BreakExpr &expr) {
  Target *target = findTarget(expr.label().text, false);
  if (!target)
    return error(expr.span(),
                 expr.label().empty()
                     ? "'break' is outside of a loop"
                     : "use of undeclared label '" + expr.label().text + "'");
  Value value = makeVoid();
  if (expr.value()) {
    value = eval(*expr.value(), target->type);
    if (left)
      return Value();
    if (!value) {
      left = true;
      jump = {target, false};
      return Value();
    }
  }
  unlessLeft(expr.span(), [&] {
    leave(*target, false, value, expr.span());
    return Value();
  });
  return Value(types.simple(TypeKind::NoReturn));
}

Value Evaluator::evalContinue(const ContinueExpr &expr) {
  Target *target = findTarget(expr.label().text, true);
  if (!target)
    return error(expr.span(), "'continue' is outside of a loop");
  leave(*target, true, Value(), expr.span());
  return Value(types.simple(TypeKind::NoReturn));
}
