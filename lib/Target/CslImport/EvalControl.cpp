//===- EvalControl.cpp - Blocks, declarations, if, switch -----------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EvaluatorControl.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/SaveAndRestore.h"

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
    if (!comptime && isAddressTaken(frame->addressTaken, name, type) &&
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
  bool inMemory = type->isArray() || type->isStruct() ||
                  isAddressTaken(frame->addressTaken, name, type);
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
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

/// Whether a value can be the result of a region that other code skips.
static bool canLeaveRegion(const Value &value) {
  if (!value || value.isComptime())
    return true;
  if (value.isAggregate())
    return llvm::all_of(value.elements(), canLeaveRegion);
  if (!value.isRuntime() || !value.runtime())
    return false;
  std::function<bool(mlir::Type)> hasZero = [&](mlir::Type type) {
    if (auto dsd = llvm::dyn_cast<csl::DsdType>(type))
      return dsd.getKind() == csl::DescriptorKind::Mem1d;
    if (auto array = llvm::dyn_cast<csl::ArrayType>(type))
      return hasZero(array.getElementType());
    if (auto aggregate = llvm::dyn_cast<csl::StructType>(type))
      return llvm::all_of(aggregate.getFieldTypes(), hasZero);
    return !llvm::isa<mlir::BaseMemRefType>(type);
  };
  return hasZero(value.runtime().getType());
}

namespace {
/// The last statement of a list that mentions a name.
class LastMentions {
public:
  explicit LastMentions(llvm::ArrayRef<const Stmt *> statements)
      : statements(statements) {}
  bool isUsedFrom(llvm::StringRef name, size_t index) {
    if (last.empty())
      for (auto [i, statement] : llvm::enumerate(statements))
        visit(*statement, i);
    auto found = last.find(name);
    return found != last.end() && found->second >= index;
  }

private:
  void visit(const Node &node, size_t index) {
    if (const auto *name = llvm::dyn_cast<NameExpr>(&node))
      last[name->name()] = index;
    forEachChild(node, [&](const Node &child) { visit(child, index); });
  }
  llvm::ArrayRef<const Stmt *> statements;
  llvm::StringMap<size_t> last;
};
} // namespace

void Evaluator::evalStatements(llvm::ArrayRef<const Stmt *> statements) {
  // What follows a jump stands in a region of its own. Those regions may close
  // before the statements end; what was declared in them becomes results.
  unsigned nesting = 0;
  bool isStuck = false, isClosing = false;
  LastMentions mentions(statements);
  size_t count = statements.size(), scope = beginScope();
  auto isDeep = [&] { return nesting >= kNestedRests && !isStuck; };
  std::function<void()> run = [&] {
    while (!statements.empty() && !left) {
      const Stmt &statement = *statements.front();
      statements = statements.drop_front();
      auto inside = [&](llvm::function_ref<void()> enter) {
        ++nesting;
        enter();
        if (--nesting == 0)
          isStuck = false;
      };
      if (const auto *declared = llvm::dyn_cast<DeclStmt>(&statement)) {
        size_t before = frame->locals.size();
        evalDecl(*declared->decl());
        if (frame->locals.size() > before) {
          const Value &value = frame->locals.back().value;
          isStuck |= nesting && !value.isPointer() && !canLeaveRegion(value);
          if (session.options.observations)
            observeLocal(frame->locals.back(), declared->decl()->name().span);
        }
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
      if (isClosing && nesting) {
        if (keepsDeclared || statements.empty())
          return;
        // Of what was declared only the names are left, unless it is used.
        keepsDeclared = true;
        for (size_t i = scope; i < frame->locals.size(); ++i) {
          Local &local = frame->locals[i];
          bool isRunning =
              local.kind == Local::Kind::Ssa || !local.value.isComptime();
          if (local.kind == Local::Kind::Memory || !isRunning)
            continue;
          if (mentions.isUsedFrom(local.name, count - statements.size()))
            continue;
          local.kind = Local::Kind::Const;
          local.value = Value(types.error());
        }
        return;
      }
      // What comes next runs only if control did not leave.
      while (!statements.empty() && !left) {
        isClosing = keepsDeclared = false;
        inside([&] { guard(statement.span(), run); });
        if (nesting)
          return;
      }
    }
  };
  run();
  keepsDeclared = false;
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

/// Values that the labelled block may have.
static unsigned countValues(const Node &node, llvm::StringRef label) {
  const auto *out = llvm::dyn_cast<BreakExpr>(&node);
  unsigned count = out && out->value() && out->label().text == label;
  forEachChild(node,
               [&](const Node &child) { count += countValues(child, label); });
  return count;
}

/// The type of a value that jumps out of `body` bring along: what it does is
/// emitted into a block that is thrown away.
const Type *Evaluator::probeValue(llvm::StringRef label, Span span,
                                  llvm::function_ref<void()> body) {
  // Put back in place: who is on the way to an assignment knows where one is.
  std::vector<Local> savedLocals(frame->locals.begin(), frame->locals.end());
  RegionState saved = saveRegion();
  bool savedProbing = probing;
  ExitPoint *savedPoint = exitPoint;
  probing = true;
  exitPoint = nullptr;
  Target target;
  target.label = label;
  target.depth = depth;
  target.span = span;
  {
    mlir::OpBuilder::InsertionGuard guard(builder);
    auto block = std::make_unique<mlir::Block>();
    builder.setInsertionPointToStart(block.get());
    exits.clear();
    enterTarget(target);
    body();
    frame->targets.pop_back();
    block->walk([](mlir::Operation *op) { op->dropAllReferences(); });
    block->clear();
  }
  probing = savedProbing;
  exitPoint = savedPoint;
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
  // Of three values two may be literals, which meet before the third gives
  // them a type.
  if (!hint && !isComptime() &&
      (leavesLoop(expr, target.label, false) ||
       countValues(expr, target.label) > 2))
    target.type = probeValue(target.label, expr.span(),
                             [&] { evalStatements(expr.statements()); });
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

Value Evaluator::emitBranch(mlir::Value condition, Span span, const Type *hint,
                            bool isVoid, llvm::function_ref<Value()> yes,
                            llvm::function_ref<Value()> no,
                            llvm::function_ref<void()> rest) {
  mlir::Location at = loc(span);
  scf::IfOp op =
      scf::IfOp::create(builder, at, mlir::TypeRange(), condition,
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
    if (!keepsDeclared)
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
    if (!keepsDeclared)
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
    if (local.kind != Local::Kind::Ssa)
      continue; // no longer used
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
    // A value that only comptime code has needs no type where no other comes.
    const Value &only = first ? first : second;
    if (!local.type && arms[first ? 1 : 0].after.left && (!first || !second) &&
        only.type()->isComptimeOnly()) {
      local.value = only;
      continue;
    }
    // The value that a loop left with is not carried while its type is sought,
    // nor one of literals.
    if (probing && !local.type &&
        (!first || !second ||
         (first.type()->isComptimeOnly() && second.type()->isComptimeOnly()))) {
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
  // What was declared in the only arm that goes on and stays.
  std::vector<Value *> declared;
  if (yields[0].size() == yields[1].size())
    for (size_t i = scope; i < frame->locals.size(); ++i) {
      Value &value = frame->locals[i].value;
      builder.setInsertionPointToEnd(arms[open[1]].block);
      if (value.isPointer() && !value.isComptime())
        value = asRuntime(value, frame->locals[i].span);
      builder.setInsertionPointToEnd(arms[open[0]].block);
      forEachRunning(value, [&](Value &part) {
        mlir::Type converted = part.runtime().getType();
        yields[open[0]].push_back(zeroOf(converted, at));
        yields[open[1]].push_back(part.runtime());
        resultTypes.push_back(converted);
        declared.push_back(&part);
      });
    }
  size_t count = std::min(yields[0].size(), yields[1].size());
  for (int i = 0; i < 2; ++i) {
    yields[i].resize(count);
    builder.setInsertionPointToEnd(arms[i].block);
    scf::YieldOp::create(builder, at, yields[i]);
  }
  resultTypes.resize(count);
  merged.resize(std::min(count, merged.size()));
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
    op = typed;
    for (auto [index, entry] : llvm::enumerate(merged)) {
      Value value = makeRuntime(entry.second, typed.getResult(index));
      if (entry.first >= 0)
        frame->locals[entry.first].value = value;
      else
        result = value;
    }
    for (auto [part, value] :
         llvm::zip(declared, typed.getResults().take_back(declared.size())))
      *part = makeRuntime(part->type(), value);
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
  if (!arms[0].after.exits.empty() || !arms[1].after.exits.empty())
    noteExit(op);
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

/// Literals in further arms take the type of the number or named struct in the
/// first one, where nothing else wants a type (SYN-081).
static void adoptType(const Type *&hint, const Value &first) {
  if (hint || !first || first.type()->isComptimeOnly())
    return;
  const Type *type = first.type();
  if (type->isNumber() || (type->isStruct() && !type->isAnonymous))
    hint = type;
}

Value Evaluator::evalIf(const IfExpr &expr, const Type *hint, bool isStatement,
                        llvm::function_ref<void()> rest) {
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
  // A chain of branches; the last one needs no condition.
  llvm::SmallVector<const SwitchProng *> order;
  for (const SwitchProng &prong : expr.prongs())
    if (!prong.isElse())
      order.push_back(&prong);
  if (otherwise)
    order.push_back(otherwise);
  auto isOneOf = [&](size_t index) -> mlir::Value {
    mlir::Value condition;
    for (auto &[value, owner] : cases) {
      if (owner != order[index])
        continue;
      Value same = emitBinary(BinaryOp::Eq, input, value, expr.span());
      if (!same)
        return {};
      condition = condition ? arith::OrIOp::create(builder, loc(expr.span()),
                                                   condition, same.runtime())
                                  .getResult()
                            : same.runtime();
    }
    return condition;
  };
  std::function<Value(size_t)> emit = [&](size_t index) -> Value {
    if (index + 1 == order.size())
      return body(*order[index]);
    mlir::Value condition = isOneOf(index);
    if (!condition)
      return Value();
    return emitBranch(
        condition, order[index]->span, hint, isStatement,
        [&] { return body(*order[index]); }, [&] { return emit(index + 1); });
  };
  if (order.empty())
    return makeVoid();
  return unlessLeft(expr.span(), [&] {
    if (order.size() <= kNestedRests)
      return emit(0);
    return evalLongSwitch(expr, hint, isStatement, order.size(), isOneOf,
                          [&](size_t index) { return body(*order[index]); });
  });
}

/// A switch of running code with more branches than stand one inside of the
/// other: each branch leaves it by a jump, which skips the others.
Value Evaluator::evalLongSwitch(
    const SwitchExpr &expr, const Type *hint, bool isStatement, size_t count,
    llvm::function_ref<mlir::Value(size_t)> condition,
    llvm::function_ref<Value(size_t)> body) {
  Target target;
  auto run = [&](Target &leaves) {
    size_t index = 0;
    writeOut(expr.span(), [&] {
      size_t current = index++;
      auto take = [&] {
        Value value = body(current);
        if (left)
          return Value();
        if (value && value.type()->is(TypeKind::NoReturn))
          value = Value();
        leave(leaves, false, isStatement ? Value() : value, expr.span());
        return Value();
      };
      if (index == count) {
        take();
        return false;
      }
      mlir::Value matches = condition(current);
      if (matches)
        emitBranch(matches, expr.span(), nullptr, /*isVoid=*/true, take,
                   [&] { return makeVoid(); });
      return bool(matches);
    });
  };
  if (!isStatement) {
    // Numbers have the type of the branches, literals take what is wanted.
    const Type *own =
        probeValue("", expr.span(), [&] { run(*frame->targets.back()); });
    target.type = own && (own->isNumber() || !hint) ? own : hint;
  }
  target.depth = depth;
  target.span = expr.span();
  size_t scope = beginScope();
  enterTarget(target);
  run(target);
  bool isBroken = leaveTarget(target);
  Value value = frame->locals[target.slot].value;
  endScope(scope);
  if (left || !isBroken)
    return Value();
  return isStatement || !target.hasValue ? makeVoid() : value;
}
