//===- EmitControl.cpp - Loops, branches, calls, returns ------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What scf carries as operands and results becomes variables:
//
//   var sum: f32 = 0.0;                    scf.for ... iter_args(%sum = 0.0)
//   for (@range(u16, n)) |i| {
//     sum += x[i];                           scf.yield %next
//   }
//
// A loop or branch whose result goes straight into the variable around it uses
// that one: nested loops have one sum, an else-if chain one result.
//
//===----------------------------------------------------------------------===//

#include "CodeEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::csl_to_source;

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

void CodeEmitter::bindSlot(Value value, const std::string &slot) {
  const void *root = slotRoot(slot);
  privateRoots.insert(root);
  Expression held = leaf(slot);
  // Who shares a variable may be of the other sign.
  if (auto type = slotTypes.find(slot);
      type != slotTypes.end() && value.getType().isIntOrIndex())
    held = convert(held, type->second, intType(value));
  if (auto type = slotPointers.find(slot);
      type != slotPointers.end() && type->second != typeOf(value))
    held = castPointer(held, typeOf(value));
  defineLeaf(value, held, Effects::reading(root));
  saveEscaping(value, slot);
}

void CodeEmitter::saveEscaping(Value value, StringRef holder) {
  auto found = escapeSlots.find(value);
  if (found == escapeSlots.end() || found->second == holder)
    return;
  Bound &held = leaves[value];
  current.add(held.effects);
  assign(leaf(found->second), held.expression,
         Effects::writing(slotRoot(found->second)));
  bindSlot(value, found->second);
}

std::string CodeEmitter::declareSlot(Value value, Value init) {
  std::string name = freshName(value);
  if (hasSign(value.getType()) && value.getType().isIntOrIndex())
    slotTypes[name] = intType(value);
  bool isPointer = isa<csl::PtrType>(value.getType());
  if (isPointer)
    slotPointers[name] = typeOf(value);
  if (!init) {
    out->line("var " + name + ": " + typeOf(value) + ";");
    return name;
  }
  bool isInteger = hasSign(value.getType()) && value.getType().isIntOrIndex();
  Expression start = isInteger   ? use(init, intType(value))
                     : isPointer ? usePointer(init, typeOf(value))
                                 : use(init);
  // An address of an array alone is a pointer to the array, not to elements.
  bool needsType = start.untyped || isPointer;
  statement("var " + name + (needsType ? ": " + typeOf(value) : std::string()) +
                " = ",
            Doc(start), ";", {});
  return name;
}

/// Where `value` is read. A place is written as what it is made of, so who uses
/// the place reads that too.
static void collectReaders(Value value,
                           llvm::SmallVectorImpl<OpOperand *> &readers) {
  for (OpOperand &use : value.getUses()) {
    readers.push_back(&use);
    if (isa<csl::AddressOfOp, csl::AsMemrefOp, memref::CastOp,
            memref::SubViewOp>(use.getOwner()))
      collectReaders(use.getOwner()->getResult(0), readers);
  }
}

/// Whether nothing after `op` reads `argument`, which is from a block around.
/// A yield that gives it to `slot` again reads nothing.
static bool isLastReader(BlockArgument argument, ArrayRef<OpOperand *> readers,
                         Operation *op,
                         function_ref<bool(OpOperand &)> isBackToSlot) {
  return llvm::all_of(readers, [&](OpOperand *operand) {
    Operation *user = operand->getOwner();
    if (op->isAncestor(user) ||
        (operand->get() == argument && isBackToSlot(*operand)))
      return true;
    Operation *beside = op->getBlock()->findAncestorOpInBlock(*user);
    if (beside)
      return beside->isBeforeInBlock(op);
    Block *home = argument.getOwner();
    Operation *mine = home->findAncestorOpInBlock(*op);
    Operation *other = home->findAncestorOpInBlock(*user);
    return mine && other && other != mine && other->isBeforeInBlock(mine);
  });
}

std::string CodeEmitter::sharedSlot(OpResult result, Value init) {
  Operation *op = result.getOwner();
  if (!result.hasOneUse())
    return "";
  OpOperand &use = *result.use_begin();
  auto around = targets.find(op->getBlock());
  if (around == targets.end() || use.getOwner() != &op->getBlock()->back() ||
      !isa<scf::YieldOp>(use.getOwner()))
    return "";
  const std::string &slot = around->second[use.getOperandNumber()];
  if (slot.empty())
    return "";
  auto found = carried.find(slot);
  // Nobody reads the variable before it is assigned.
  if (found == carried.end())
    return slot;
  auto argument = dyn_cast<BlockArgument>(found->second);
  if (!argument)
    return "";
  auto isBackToSlot = [&](OpOperand &operand) {
    auto yield = dyn_cast<scf::YieldOp>(operand.getOwner());
    auto to = yield ? targets.find(yield->getBlock()) : targets.end();
    return to != targets.end() &&
           to->second[operand.getOperandNumber()] == slot;
  };
  llvm::SmallVector<OpOperand *> readers;
  collectReaders(argument, readers);
  if (!isLastReader(argument, readers, op, isBackToSlot))
    return "";
  if (!init)
    return slot;
  // A loop begins with what the variable holds, and only with that.
  bool insideToo = llvm::any_of(readers, [&](OpOperand *reader) {
    return op->isProperAncestor(reader->getOwner());
  });
  return init == argument && !insideToo ? slot : "";
}

/// Expressions are complete before the first variable changes; then they are
/// written in an order in which none reads what has changed.
void CodeEmitter::assignTogether(ArrayRef<std::string> slotNames,
                                 ValueRange values) {
  struct Assignment {
    std::string target;
    Value value;
    Bound bound;
  };
  std::vector<Assignment> left;
  for (auto [slot, value] : llvm::zip(slotNames, values)) {
    if (slot.empty())
      continue;
    bool isInteger = hasSign(value.getType()) && value.getType().isIntOrIndex();
    auto found = slotTypes.find(slot);
    auto pointer = slotPointers.find(slot);
    Expression expression =
        isInteger && found != slotTypes.end() ? use(value, found->second)
        : pointer != slotPointers.end() ? usePointer(value, pointer->second)
                                        : use(value);
    Effects effects = takeEffects();
    if (expression.text == slot)
      continue;
    left.push_back({slot, value, {expression, effects}});
  }
  auto readsOther = [&](size_t which) {
    const void *root = slotRoot(left[which].target);
    for (size_t i = 0; i < left.size(); ++i)
      if (i != which && llvm::is_contained(left[i].bound.effects.reads, root))
        return true;
    return false;
  };
  while (!left.empty()) {
    size_t next = 0;
    while (next < left.size() && readsOther(next))
      ++next;
    if (next == left.size()) {
      // A circle: one value is put aside.
      Assignment &saved = left.back();
      std::string name = program.takeLocal(names, saved.target + "_next");
      out->write("const " + name + " = ", Doc(saved.bound.expression), ";");
      saved.bound = {leaf(name), {}};
      continue;
    }
    Assignment chosen = std::move(left[next]);
    left.erase(left.begin() + next);
    current = chosen.bound.effects;
    const void *root = slotRoot(chosen.target);
    assign(leaf(chosen.target), chosen.bound.expression,
           Effects::writing(root));
  }
}

void CodeEmitter::emitInner(Block &block, ArrayRef<std::string> slotNames) {
  targets[&block] = slotNames.vec();
  emitBlock(block);
  flushAll();
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

/// What an if gives in one branch; null for a result without one.
static Value getYielded(Region &region, unsigned index) {
  if (region.empty())
    return {};
  auto yield = dyn_cast<scf::YieldOp>(region.front().back());
  return yield ? yield.getOperand(index) : Value();
}

/// Whether a block holds nothing but a yield of values from outside.
static bool isEmpty(Region &region) {
  return region.empty() || llvm::hasSingleElement(region.front());
}

/// The variables of an if's or switch's results.
std::vector<std::string> CodeEmitter::resultSlots(Operation &op) {
  std::vector<std::string> slotNames;
  for (OpResult result : op.getResults()) {
    std::string slot = sharedSlot(result, {});
    if (slot.empty() && !result.use_empty())
      slot = declareSlot(result, {});
    slotNames.push_back(slot);
  }
  return slotNames;
}

/// Whether a block computes what it gives in one expression: each value but
/// names of places is used once, and behind it.
static bool isOneExpression(Block &block) {
  for (Operation &op : block.without_terminator()) {
    if (isa<arith::ConstantOp, csl::GetVarOp, csl::AsMemrefOp>(op))
      continue;
    if (op.getNumResults() != 1 || !op.getResult(0).hasOneUse() ||
        (*op.user_begin())->getBlock() != &block)
      return false;
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        if (!isOneExpression(inner))
          return false;
  }
  return true;
}

/// `and` and `or`: a bool that one side of an if knows and the other computes
/// in one expression.
bool CodeEmitter::emitShortCircuit(Operation &op) {
  auto branch = cast<scf::IfOp>(op);
  if (op.getNumResults() != 1 || !branch.getResult(0).getType().isInteger(1))
    return false;
  Region &yes = branch.getThenRegion(), &no = branch.getElseRegion();
  auto isKnown = [&](Region &region, bool value) {
    return llvm::all_of(region.front().without_terminator(),
                        [](Operation &inner) {
                          return isa<arith::ConstantOp>(inner);
                        }) &&
           matchesConstant(getYielded(region, 0), value);
  };
  bool isOr = isKnown(yes, true) || isKnown(no, true);
  bool isFirst = isKnown(yes, isOr);
  if (!isFirst && !isKnown(no, isOr))
    return false;
  Block &other = (isFirst ? no : yes).front();
  if (!isOneExpression(other))
    return false;
  Value condition = branch.getCondition();
  Expression test = isFirst == isOr ? use(condition) : negate(condition);
  Effects effects = takeEffects();
  flushAll();
  Text body = out->inner();
  Text *outside = std::exchange(out, &body);
  for (Operation &inner : other.without_terminator())
    emitOp(inner);
  Expression value = use(other.getTerminator()->getOperand(0));
  effects.add(takeEffects());
  out = outside;
  if (body.empty()) {
    current = effects;
    define(branch.getResult(0),
           connect(branch.getResult(0), isOr, test, value));
    return true;
  }
  // Something took a line of its own after all.
  std::string slot = resultSlots(op)[0];
  out->open("if (" + (isOr ? opposite(test, false) : test).text + ") {");
  out->append(body);
  if (!slot.empty()) {
    out->line(slot + " = " + value.text + ";");
    out->reopen("} else {");
    out->line(slot + (isOr ? " = true;" : " = false;"));
    bindSlot(branch.getResult(0), slot);
  } else if (effects.acts || !effects.writes.empty()) {
    // Nobody asks for the value, but what it calls is called.
    out->line(value.text + ";");
  }
  out->close();
  return true;
}

void CodeEmitter::emitIf(Operation &op) {
  if (emitShortCircuit(op))
    return;
  auto branch = cast<scf::IfOp>(op);
  Region &yes = branch.getThenRegion(), &no = branch.getElseRegion();
  Value condition = branch.getCondition();
  // Nothing to do but to choose.
  if (op.getNumResults() && isEmpty(yes) && isEmpty(no)) {
    useNamed(condition);
    for (OpResult result : branch.getResults()) {
      unsigned index = result.getResultNumber();
      define(result, choose(result, condition, getYielded(yes, index),
                            getYielded(no, index)));
    }
    return;
  }
  bool isIntegerCompare = condition.getDefiningOp<arith::CmpIOp>() != nullptr;
  Expression test = use(condition);
  takeEffects();
  flushAll();
  std::vector<std::string> slotNames = resultSlots(op);
  auto bodyOf = [&](Region &region) {
    Text body = out->inner();
    Text *outside = std::exchange(out, &body);
    if (!region.empty())
      emitInner(region.front(), slotNames);
    out = outside;
    return body;
  };
  Text first = bodyOf(yes), second = bodyOf(no);
  if (first.empty() && !second.empty()) {
    test = opposite(test, isIntegerCompare);
    std::swap(first, second);
  }
  out->open("if (" + test.text + ") {");
  out->append(first);
  if (second.empty())
    out->close();
  else if (second.isOneIf())
    out->elseIf(second);
  else {
    out->reopen("} else {");
    out->append(second);
    out->close();
  }
  for (auto [result, slot] : llvm::zip(branch.getResults(), slotNames))
    if (!slot.empty())
      bindSlot(result, slot);
}

void CodeEmitter::emitSwitch(Operation &op) {
  auto choice = cast<scf::IndexSwitchOp>(op);
  Value argument = choice.getArg();
  // The cases have the type of what is switched on.
  IntType type = intType(argument);
  bool allFit = llvm::all_of(choice.getCases(), [&](int64_t number) {
    return type.isSigned ? llvm::isIntN(type.width, number)
                         : llvm::isUIntN(type.width, number);
  });
  Expression value = use(argument, allFit ? type : IntType{32, true});
  if (value.untyped)
    value = callOf("@as", {comptimeLeaf("i32"), value});
  takeEffects();
  flushAll();
  std::vector<std::string> slotNames = resultSlots(op);
  out->open("switch (" + value.text + ") {");
  for (auto [number, region] :
       llvm::zip(choice.getCases(), choice.getCaseRegions())) {
    out->open(std::to_string(number) + " => {");
    emitInner(region.front(), slotNames);
    out->close("},");
  }
  out->open("else => {");
  emitInner(choice.getDefaultRegion().front(), slotNames);
  out->close("},");
  out->close();
  for (auto [result, slot] : llvm::zip(op.getResults(), slotNames))
    if (!slot.empty())
      bindSlot(result, slot);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

std::string CodeEmitter::carry(OpResult result, Value argument, Value init) {
  std::string slot = result ? sharedSlot(result, init) : "";
  if (slot.empty()) {
    slot = declareSlot(argument, init);
  } else {
    auto found = slotTypes.find(slot);
    auto pointer = slotPointers.find(slot);
    Expression start = found != slotTypes.end() ? use(init, found->second)
                       : pointer != slotPointers.end()
                           ? usePointer(init, pointer->second)
                           : use(init);
    const void *root = slotRoot(slot);
    if (start.text != slot)
      assign(leaf(slot), start, Effects::writing(root));
    takeEffects();
  }
  bindSlot(argument, slot);
  return slot;
}

void CodeEmitter::emitFor(Operation &op) {
  auto loop = cast<scf::ForOp>(op);
  Value counter = loop.getInductionVar();
  IntType type = intType(counter);
  if (!counter.getType().isIndex())
    type.isSigned = !loop.getUnsignedCmp();
  else if (loop.getUnsignedCmp())
    type = {32, /*isSigned=*/false};
  std::vector<std::string> slotNames;
  llvm::StringMap<Value> carriedAround = carried;
  flushUnless(op.getOperands());
  for (auto [result, argument, init] : llvm::zip(
           loop.getResults(), loop.getRegionIterArgs(), loop.getInitArgs()))
    slotNames.push_back(carry(result, argument, init));
  for (auto [slot, argument] : llvm::zip(slotNames, loop.getRegionIterArgs()))
    carried[slot] = argument;
  Expression low = use(loop.getLowerBound(), type);
  Expression high = use(loop.getUpperBound(), type);
  Expression step = use(loop.getStep(), type);
  takeEffects();
  flushAll();
  std::string name = freshName(counter);
  std::string range = "@range(" + type.str() + ", ";
  if (low.text == "0" && step.text == "1")
    range += high.text + ")";
  else
    range += low.text + ", " + high.text + ", " + step.text + ")";
  defineLeaf(counter, convert(leaf(name), type, intType(counter)));
  out->open("for (" + range + ") |" + name + "| {");
  emitInner(*loop.getBody(), slotNames);
  out->close();
  carried = std::move(carriedAround);
  for (auto [result, slot] : llvm::zip(loop.getResults(), slotNames))
    bindSlot(result, slot);
}

void CodeEmitter::emitWhile(Operation &op) {
  auto loop = cast<scf::WhileOp>(op);
  auto condition = loop.getConditionOp();
  Block &before = *loop.getBeforeBody(), &after = *loop.getAfterBody();
  flushUnless(op.getOperands());
  llvm::StringMap<Value> carriedAround = carried;
  std::vector<std::string> slotNames;
  for (auto [argument, init] :
       llvm::zip(loop.getBeforeArguments(), loop.getInits())) {
    // The result that has this argument's value at the end.
    OpResult result;
    for (auto [place, value] : llvm::enumerate(condition.getArgs()))
      if (value == argument && !result)
        result = cast<OpResult>(loop.getResult(place));
    slotNames.push_back(carry(result, argument, init));
  }
  // What goes on to the body and to the results and is no variable already.
  std::vector<std::string> endSlots(loop.getNumResults());
  for (auto [result, value] :
       llvm::zip(loop.getResults(), condition.getArgs())) {
    auto argument = dyn_cast<BlockArgument>(value);
    if ((argument && argument.getOwner() == &before) || result.use_empty())
      continue;
    endSlots[result.getResultNumber()] = declareSlot(result, {});
  }
  for (auto [slot, argument] : llvm::zip(slotNames, loop.getBeforeArguments()))
    carried[slot] = argument;
  takeEffects();
  flushAll();

  Text head = out->inner();
  Text *outside = std::exchange(out, &head);
  for (Operation &inner : before.without_terminator())
    emitOp(inner);
  bool forwards =
      llvm::all_of(llvm::zip(condition.getArgs(), loop.getAfterArguments(),
                             loop.getResults()),
                   [&](auto entry) {
                     auto [value, argument, result] = entry;
                     auto from = dyn_cast<BlockArgument>(value);
                     return (from && from.getOwner() == &before) ||
                            (argument.use_empty() && result.use_empty());
                   });
  // What stays in its variable, by another name that may be of another sign.
  auto pass = [&](Value from, Value to) {
    Bound known = leaves[from];
    defineLeaf(to, convert(known.expression, from, to), known.effects);
  };
  for (auto [value, argument] :
       llvm::zip(condition.getArgs(), loop.getAfterArguments())) {
    auto from = dyn_cast<BlockArgument>(value);
    if (from && from.getOwner() == &before) {
      pass(from, argument);
      auto held = carried.find(slotNames[from.getArgNumber()]);
      if (held != carried.end())
        held->second = argument;
      continue;
    }
    if (argument.use_empty() &&
        loop.getResult(argument.getArgNumber()).use_empty())
      continue;
    Expression name = useFor(argument, value);
    Effects reads = takeEffects();
    defineLeaf(argument, name, reads);
  }
  Expression test;
  bool isSimple = head.empty() && forwards;
  if (isSimple) {
    test = use(condition.getCondition());
  } else {
    Expression stop;
    bool always = matchesConstant(condition.getCondition(), true);
    if (!always)
      stop = negate(condition.getCondition());
    takeEffects();
    flushAll();
    assignTogether(endSlots, condition.getArgs());
    if (!always) {
      out->open("if (" + stop.text + ") {");
      out->line("break;");
      out->close();
    }
  }
  takeEffects();
  flushAll();
  out = outside;

  out->open(isSimple ? "while (" + test.text + ") {" : "while (true) {");
  out->append(head);
  emitInner(after, slotNames);
  out->close();
  for (auto [result, value] :
       llvm::zip(loop.getResults(), condition.getArgs())) {
    auto from = dyn_cast<BlockArgument>(value);
    if (from && from.getOwner() == &before) {
      pass(from, result);
      saveEscaping(result, "");
    } else if (!endSlots[result.getResultNumber()].empty()) {
      bindSlot(result, endSlots[result.getResultNumber()]);
    }
  }
  carried = std::move(carriedAround);
}

void CodeEmitter::flushUnless(ValueRange kept) {
  for (size_t i = 0; i < pending.size();) {
    Value value = (pending.begin() + i)->first;
    if (llvm::is_contained(kept, value)) {
      ++i;
      continue;
    }
    Bound bound = (pending.begin() + i)->second;
    pending.erase(value);
    bindConst(value, bound.expression, bound.effects);
    i = 0;
  }
}

bool CodeEmitter::matchesConstant(Value condition, bool value) {
  auto constant = condition.getDefiningOp<arith::ConstantOp>();
  auto number = dyn_cast_or_null<IntegerAttr>(constant ? constant.getValue()
                                                       : Attribute());
  return number && number.getType().isInteger(1) &&
         number.getValue().getBoolValue() == value;
}

//===----------------------------------------------------------------------===//
// Calls, returns
//===----------------------------------------------------------------------===//

bool CodeEmitter::emitCall(Operation &op) {
  if (auto call = dyn_cast<func::CallOp>(op)) {
    auto callee =
        dyn_cast_or_null<func::FuncOp>(program.lookup(call.getCalleeAttr()));
    if (!callee) {
      refuse(&op, "calls what is not in this program");
      return true;
    }
    if (op.getNumResults() > 1) {
      refuse(&op, "calls a function of several results");
      return true;
    }
    std::vector<Expression> arguments;
    for (auto [index, operand] : llvm::enumerate(call.getOperands())) {
      bool isNumber =
          hasSign(operand.getType()) && operand.getType().isIntOrIndex();
      IntType type;
      if (isNumber)
        type = callee.isExternal() ? intType(operand).withSign(true)
                                   : intType(callee.getArgument(index));
      // What both sides point to may have got different signs.
      bool isPointer = isa<csl::PtrType>(operand.getType());
      Expression argument =
          isNumber ? use(operand, type)
          : isPointer && !callee.isExternal()
              ? usePointer(operand, typeOf(callee.getArgument(index)))
              : use(operand);
      if (isa<MemRefType>(operand.getType())) {
        argument = addressOf(argument.text);
        if (!callee.isExternal() &&
            (isFlat(operand) ||
             typeOf(operand) != typeOf(callee.getArgument(index))))
          argument = castPointer(
              argument,
              (isOnlyRead(callee.getArgument(index)) ? "*const " : "*") +
                  typeOf(callee.getArgument(index)));
      }
      arguments.push_back(argument);
    }
    Expression expression = callOf(program.nameOf(callee), arguments);
    expression.comptime = false;
    if (op.getNumResults()) {
      define(op.getResult(0), expression, Effects::acting());
    } else {
      std::vector<Doc> items(arguments.begin(), arguments.end());
      statement("", Doc::call(program.nameOf(callee), std::move(items)), ";",
                Effects::acting());
    }
    return true;
  }
  if (auto call = dyn_cast<csl::CallIndirectOp>(op)) {
    if (op.getNumResults() > 1) {
      refuse(&op, "calls a function of several results");
      return true;
    }
    Expression callee = use(call.getCallee());
    if (StringRef(callee.text).starts_with("&"))
      callee = leaf(callee.text.substr(1));
    std::vector<Expression> arguments;
    for (Value operand : call.getInputs())
      arguments.push_back(hasSign(operand.getType()) &&
                                  operand.getType().isIntOrIndex()
                              ? use(operand, intType(operand).withSign(true))
                              : use(operand));
    Expression expression =
        callOf(operandOf(callee, Precedence::Postfix), arguments);
    expression.comptime = false;
    if (op.getNumResults())
      define(op.getResult(0), expression, Effects::acting());
    else
      statement("", Doc(expression), ";", Effects::acting());
    return true;
  }
  return false;
}

void CodeEmitter::emitReturn(Operation &op) {
  if (op.getNumOperands() > 1) {
    refuse(&op, "returns several values, a function of CSL returns one");
    return;
  }
  if (op.getNumOperands() == 0) {
    flushAll();
    return;
  }
  Value value = op.getOperand(0);
  auto function = cast<FunctionOpInterface>(op.getParentOp());
  bool isNumber = hasSign(value.getType()) && value.getType().isIntOrIndex();
  Expression expression =
      value.getType().isIndex() ? use(value, {32, true})
      : isNumber ? use(value, intType(value).withSign(
                                  program.signs.isSignedResult(function, 0)))
                 : useSigned(value, program.signs.isSignedResult(function, 0));
  statement("return ", Doc(expression), ";", {});
}

bool CodeEmitter::emitControl(Operation &op) {
  if (isa<scf::IfOp>(op)) {
    emitIf(op);
    return true;
  }
  if (isa<scf::ForOp>(op)) {
    emitFor(op);
    return true;
  }
  if (isa<scf::WhileOp>(op)) {
    emitWhile(op);
    return true;
  }
  if (isa<scf::IndexSwitchOp>(op)) {
    emitSwitch(op);
    return true;
  }
  if (isa<scf::YieldOp>(op)) {
    auto found = targets.find(op.getBlock());
    if (found == targets.end() || found->second.size() != op.getNumOperands()) {
      refuse(&op, "gives values to what has no variables for them");
      return true;
    }
    assignTogether(found->second, op.getOperands());
    return true;
  }
  if (isa<func::ReturnOp, csl::ReturnOp>(op)) {
    emitReturn(op);
    return true;
  }
  if (auto check = dyn_cast<cf::AssertOp>(op)) {
    if (check->hasAttr(kKeepsLoop))
      return true;
    Doc condition(use(check.getArg()));
    // The message has no place in @assert.
    if (!check.getMsg().empty())
      out->comment(check.getMsg());
    statement("", Doc::call("@assert", {condition}), ";", Effects::acting());
    return true;
  }
  return false;
}
