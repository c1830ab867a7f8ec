//===- CodeEmitter.cpp - Values, expressions, statements ------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CodeEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::csl_to_source;

//===----------------------------------------------------------------------===//
// Effects
//===----------------------------------------------------------------------===//

Effects CodeEmitter::takeEffects() { return std::exchange(current, {}); }

bool CodeEmitter::conflict(const void *left, const void *right) const {
  if (left == right)
    return true;
  // A pointer reaches whatever is not private.
  if (!left)
    return !privateRoots.contains(right);
  if (!right)
    return !privateRoots.contains(left);
  return false;
}

bool CodeEmitter::overlaps(ArrayRef<const void *> left,
                           ArrayRef<const void *> right) const {
  return llvm::any_of(left, [&](const void *one) {
    return llvm::any_of(
        right, [&](const void *other) { return conflict(one, other); });
  });
}

void CodeEmitter::flush(const Effects &effects) {
  const void *anything[] = {nullptr};
  auto mustGo = [&](const Effects &waiting) {
    if (waiting.acts && (effects.acts || overlaps(anything, effects.reads) ||
                         overlaps(anything, effects.writes)))
      return true;
    if (effects.acts && (overlaps(anything, waiting.reads) || waiting.acts))
      return true;
    return overlaps(effects.writes, waiting.reads) ||
           overlaps(effects.writes, waiting.writes) ||
           overlaps(effects.reads, waiting.writes);
  };
  for (size_t i = 0; i < pending.size();) {
    auto &[value, bound] = *(pending.begin() + i);
    if (!mustGo(bound.effects)) {
      ++i;
      continue;
    }
    Value goes = value;
    Bound taken = std::move(bound);
    pending.erase(goes);
    bindConst(goes, taken.expression, taken.effects);
    i = 0;
  }
}

void CodeEmitter::flushAll() {
  while (!pending.empty()) {
    auto [value, bound] = *pending.begin();
    pending.erase(value);
    bindConst(value, bound.expression, bound.effects);
  }
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// What a value is called that nobody named.
static StringRef defaultName(Value value) {
  Type type = value.getType();
  Operation *op = value.getDefiningOp();
  if (!op) {
    if (type.isIndex())
      return "i";
    return "value";
  }
  if (type.isInteger(1))
    return "is_true";
  if (auto dsd = dyn_cast<csl::DsdType>(type)) {
    switch (dsd.getKind()) {
    case csl::DescriptorKind::Fabin:
      return "in_dsd";
    case csl::DescriptorKind::Fabout:
      return "out_dsd";
    default:
      return "dsd";
    }
  }
  if (isa<csl::PtrType>(type))
    return "ptr";
  if (isa<memref::AllocaOp>(op))
    return "buffer";
  if (type.isIndex())
    return "n";
  return "value";
}

std::string CodeEmitter::freshName(Value value) {
  std::string wish = program.wishFor(value);
  if (wish.empty()) {
    wish = defaultName(value).str();
    Operation *op = value.getDefiningOp();
    // What is read from a variable is called like it.
    if (auto load = dyn_cast_or_null<memref::LoadOp>(op))
      if (auto get = load.getMemRef().getDefiningOp<csl::GetVarOp>())
        wish = get.getVar().str() + "_value";
    if (auto made = dyn_cast_or_null<csl::Mem1dDsdOp>(op))
      if (auto get = made.getBase().getDefiningOp<csl::GetVarOp>())
        wish = get.getVar().str() + "_dsd";
    if (auto made = dyn_cast_or_null<csl::Mem4dDsdOp>(op))
      if (auto get = made.getBase().getDefiningOp<csl::GetVarOp>())
        wish = get.getVar().str() + "_dsd";
    if (auto call = dyn_cast_or_null<func::CallOp>(op))
      wish = call.getCallee().str() + "_result";
  }
  return program.takeLocal(names, wish);
}

/// Where an error about a value is shown.
static Operation *getPlace(Value value) {
  Operation *op = value.getDefiningOp();
  return op ? op : value.getParentBlock()->getParentOp();
}

std::string CodeEmitter::typeOf(Value value) {
  return value.getType().isIndex() ? intType(value).str()
                                   : program.typeName(getPlace(value), value);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Expression CodeEmitter::integerLiteral(const APInt &value, bool isSigned) {
  Expression result = comptimeLeaf(spellInteger(value, isSigned));
  if (result.text.starts_with("-"))
    result.precedence = Precedence::Unary;
  result.untyped = true;
  return result;
}

static std::optional<APInt> integerConstant(Value value) {
  auto constant = value.getDefiningOp<arith::ConstantOp>();
  auto number = dyn_cast_or_null<IntegerAttr>(constant ? constant.getValue()
                                                       : Attribute());
  if (!number)
    return std::nullopt;
  return number.getValue();
}

Expression CodeEmitter::use(Value value) {
  if (auto constant = value.getDefiningOp<arith::ConstantOp>()) {
    Type type = constant.getType();
    if (std::optional<APInt> number = integerConstant(value)) {
      if (type.isInteger(1)) {
        Expression result = comptimeLeaf(number->isZero() ? "false" : "true");
        return result;
      }
      return integerLiteral(*number, /*isSigned=*/true);
    }
    Expression result = comptimeLeaf(
        program.literal(constant, constant.getValue(), type, true));
    result.untyped = result.text.find('(') == std::string::npos;
    if (result.text.starts_with("-"))
      result.precedence = Precedence::Unary;
    return result;
  }
  if (auto found = leaves.find(value); found != leaves.end()) {
    current.add(found->second.effects);
    return found->second.expression;
  }
  auto found = pending.find(value);
  if (found == pending.end()) {
    // What makes it was refused, or the value was used up already, which would
    // print something wrong.
    program.expectFailure(value);
    return leaf("_");
  }
  Bound bound = std::move(found->second);
  pending.erase(value);
  current.add(bound.effects);
  return bound.expression;
}

Expression CodeEmitter::use(Value value, IntType type) {
  if (std::optional<APInt> number = integerConstant(value);
      number && number->getBitWidth() > 1) {
    unsigned width = number->getBitWidth();
    bool fits = type.isSigned ? number->isSignedIntN(type.width)
                              : number->isIntN(type.width);
    // A negative number where none is: the same bits, as wrapping has it.
    if (!fits && width == type.width)
      return integerLiteral(*number, type.isSigned);
    if (fits)
      return integerLiteral(*number, type.isSigned);
    return integerLiteral(number->zextOrTrunc(type.width), type.isSigned);
  }
  return convert(use(value), intType(value), type);
}

Expression CodeEmitter::convert(const Expression &expression, Value from,
                                Value to) {
  Type type = to.getType();
  if (hasSign(type) && type.isIntOrIndex())
    return convert(expression, intType(from), intType(to));
  if (isa<csl::PtrType>(type) && typeOf(from) != typeOf(to))
    return castPointer(expression, typeOf(to));
  return expression;
}

Expression CodeEmitter::castPointer(const Expression &pointer,
                                    const std::string &type) {
  Expression result = callOf("@ptrcast", {comptimeLeaf(type), pointer});
  result.comptime = false;
  return result;
}

Expression CodeEmitter::usePointer(Value value, const std::string &type) {
  Expression pointer = use(value);
  return typeOf(value) == type ? pointer : castPointer(pointer, type);
}

Expression CodeEmitter::useSigned(Value value, bool isSigned) {
  Type type = value.getType();
  if (hasSign(type) && type.isIntOrIndex())
    return use(value, intType(value).withSign(isSigned));
  if (hasSign(type) && isa<csl::PtrType>(type))
    return usePointer(value, program.typeName(getPlace(value), type, isSigned));
  return use(value);
}

Expression CodeEmitter::useExtended(Value value, IntType from, IntType to) {
  std::optional<APInt> number = integerConstant(value);
  if (!number)
    return use(value, to);
  // A constant is written in the type that it is extended to, whose bits differ
  // from what its own type makes of them.
  APInt bits = number->zextOrTrunc(from.width);
  return integerLiteral(from.isSigned ? bits.sextOrTrunc(to.width)
                                      : bits.zextOrTrunc(to.width),
                        to.isSigned);
}

Expression CodeEmitter::convert(Expression expression, IntType from,
                                IntType to) {
  if (from == to || expression.untyped)
    return expression;
  // @as of a number that is known refuses what does not fit; the bits of a
  // known number go through @bitcast.
  StringRef builtin =
      expression.comptime && from.width == to.width ? "@bitcast" : "@as";
  if (expression.comptime && from.width > to.width) {
    std::string low =
        "0x" + llvm::utohexstr(APInt::getAllOnes(to.width).getLimitedValue(),
                               /*LowerCase=*/true);
    if (expression.op == "&" && expression.right == low)
      return convert(
          callOf("@as", {comptimeLeaf(to.withSign(false).str()),
                         convert(expression, from, from.withSign(false))}),
          to.withSign(false), to);
    Expression bits = convert(expression, from, from.withSign(false));
    Expression cut = callOf(
        "@as", {comptimeLeaf(to.withSign(false).str()),
                binary(bits, "&", comptimeLeaf(low), Precedence::BitAnd)});
    return convert(cut, to.withSign(false), to);
  }
  return callOf(builtin, {comptimeLeaf(to.str()), expression});
}

Expression CodeEmitter::useTyped(Value value) {
  Expression expression = use(value);
  if (!expression.untyped)
    return expression;
  return callOf("@as", {comptimeLeaf(typeOf(value)), expression});
}

Expression CodeEmitter::useFor(Value argument, Value value) {
  Expression expression = useNamed(value);
  if (!expression.untyped)
    return convert(expression, value, argument);
  // A literal has no sign of its own.
  if (integerConstant(value) && argument.getType().isIntOrIndex())
    expression = use(value, intType(argument));
  return callOf("@as", {comptimeLeaf(typeOf(argument)), expression});
}

Expression CodeEmitter::useNamed(Value value) {
  auto found = pending.find(value);
  if (found == pending.end())
    return use(value);
  Bound bound = std::move(found->second);
  pending.erase(value);
  if (bound.expression.leaf) {
    current.add(bound.effects);
    return bound.expression;
  }
  return bindConst(value, bound.expression, bound.effects);
}

Expression CodeEmitter::bindConst(Value value, const Expression &expression,
                                  const Effects &effects) {
  flush(effects);
  if (auto slot = escapeSlots.find(value); slot != escapeSlots.end()) {
    current = effects;
    assign(leaf(slot->second), expression,
           Effects::writing(slotRoot(slot->second)));
    bindSlot(value, slot->second);
    return leaves[value].expression;
  }
  if (isComptime && !effects.acts &&
      isa<csl::ComptimeOp>(value.getParentBlock()->getParentOp()) &&
      value.getParentBlock()->isEntryBlock()) {
    std::string wish = program.wishFor(value);
    Doc made =
        expression.untyped
            ? Doc(callOf("@as", {comptimeLeaf(typeOf(value)), expression}))
            : Doc(expression);
    leaves[value] = {
        comptimeLeaf(program.constantOf(made, wish.empty() ? "known" : wish)),
        {}};
    return leaves[value].expression;
  }
  std::string name = freshName(value);
  std::string type;
  if (expression.untyped)
    type = ": " + typeOf(value);
  out->write("const " + name + type + " = ", Doc(expression), ";");
  Expression result = leaf(name);
  result.comptime = expression.comptime;
  leaves[value] = {result, {}};
  return result;
}

void CodeEmitter::bindDoc(Value value, const Doc &doc) {
  Effects effects = takeEffects();
  flush(effects);
  if (auto slot = escapeSlots.find(value); slot != escapeSlots.end()) {
    out->write(slot->second + " = ", doc, ";");
    bindSlot(value, slot->second);
    return;
  }
  std::string name = freshName(value);
  out->write("const " + name + " = ", doc, ";");
  defineLeaf(value, leaf(name));
}

void CodeEmitter::defineLeaf(Value value, Expression expression,
                             const Effects &effects) {
  expression.leaf = true;
  leaves[value] = {std::move(expression), effects};
}

void CodeEmitter::define(Value value, Expression expression,
                         const Effects &own) {
  Effects effects = takeEffects();
  effects.add(own);
  bool quiet = !effects.acts && effects.writes.empty();
  if (value.use_empty()) {
    if (!quiet) {
      flush(effects);
      out->write("", Doc(expression), ";");
    }
    return;
  }
  if (expression.leaf && quiet && effects.reads.empty()) {
    leaves[value] = {std::move(expression), {}};
    return;
  }
  Operation *user = *value.user_begin();
  // Alone in its statement it may be as long as it is.
  bool fits =
      expression.text.size() <= kInlineColumns ||
      isa<func::ReturnOp, memref::StoreOp, csl::StoreOp, cf::CondBranchOp>(
          user);
  if (value.hasOneUse() && user->getBlock() == value.getParentBlock() && fits) {
    flush(effects);
    pending.insert({value, {std::move(expression), std::move(effects)}});
    return;
  }
  bindConst(value, expression, effects);
}

void CodeEmitter::statement(StringRef prefix, const Doc &doc, StringRef suffix,
                            const Effects &own) {
  Effects effects = takeEffects();
  effects.add(own);
  flush(effects);
  out->write(prefix, doc, suffix);
}

void CodeEmitter::assign(const Expression &target, const Expression &value,
                         const Effects &own) {
  // `x = x + y` is `x += y`.
  static constexpr StringRef kCompound[] = {"+", "-", "*", "/",  "%",
                                            "&", "|", "^", "<<", ">>"};
  if (value.left == target.text && llvm::is_contained(kCompound, value.op)) {
    statement(target.text + " " + value.op + "= ", Doc(value.right), ";", own);
    return;
  }
  statement(target.text + " = ", Doc(value), ";", own);
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

void CodeEmitter::emitOp(Operation &op) {
  if (isOpTriviallyDead(&op) || isa<arith::ConstantOp>(op))
    return;
  if (emitArith(op) || emitMath(op) || emitMemory(op) || emitAggregate(op) ||
      emitDescriptor(op) || emitRegister(op) || emitDsdOperation(op) ||
      emitTask(op) || emitSetup(op) || emitBuiltin(op) || emitCall(op) ||
      emitControl(op)) {
    current = {};
    return;
  }
  refuse(&op, "has no words in CSL");
}

void CodeEmitter::emitBlock(Block &block) {
  for (Operation &op : block)
    emitOp(op);
}

/// Whether memory that a function is given is read there, and by the functions
/// it gives it to, and nothing else.
bool CodeEmitter::isOnlyRead(BlockArgument memory) const {
  llvm::SmallVector<BlockArgument> work{memory};
  llvm::SmallPtrSet<const void *, 4> seen{memory.getAsOpaquePointer()};
  while (!work.empty()) {
    for (OpOperand &use : work.pop_back_val().getUses()) {
      Operation *user = use.getOwner();
      if (isa<memref::LoadOp>(user) ||
          (isa<memref::CopyOp>(user) && use.getOperandNumber() == 0))
        continue;
      auto call = dyn_cast<func::CallOp>(user);
      auto callee = call ? dyn_cast_or_null<func::FuncOp>(
                               program.lookup(call.getCalleeAttr()))
                         : func::FuncOp();
      if (!callee || callee.isExternal())
        return false;
      BlockArgument inner = callee.getArgument(use.getOperandNumber());
      if (seen.insert(inner.getAsOpaquePointer()).second)
        work.push_back(inner);
    }
  }
  return true;
}

std::vector<Doc>
CodeEmitter::takeParameters(Operation *function,
                            Block::BlockArgListType arguments) {
  std::vector<Doc> list;
  for (BlockArgument argument : arguments) {
    std::string wish = program.wishFor(argument);
    if (wish.empty() && isa<csl::TaskOp>(function))
      wish = argument.getArgNumber() ? "index" : "data";
    else if (wish.empty())
      wish = "arg" + std::to_string(argument.getArgNumber());
    std::string name = program.takeLocal(names, wish);
    std::string type = program.typeName(function, argument);
    // What is given is the caller's memory; an array would be a copy.
    bool isMemory = isa<MemRefType>(argument.getType());
    list.emplace_back(name +
                      (!isMemory              ? ": "
                       : isOnlyRead(argument) ? ": *const "
                                              : ": *") +
                      type);
    defineLeaf(argument, isMemory ? dereference(leaf(name)) : leaf(name));
  }
  return list;
}

void CodeEmitter::emitBody(Region &body) {
  if (body.empty())
    return;
  if (!body.hasOneBlock()) {
    emitGraph(body);
    return;
  }
  emitBlock(body.front());
  flushAll();
}
