//===- SourceStatements.cpp - Random expressions and statements -----------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Generator.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace sequin::testing;
using namespace sequin::testing::model;

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

static std::shared_ptr<Expr> make(Expr::Kind kind, Ty type,
                                  std::vector<ExprPtr> operands = {},
                                  std::string text = "") {
  auto made = std::make_shared<Expr>();
  made->kind = kind;
  made->type = type;
  made->operands = std::move(operands);
  made->text = std::move(text);
  made->isKnown =
      kind != Expr::Kind::Call && kind != Expr::Kind::Macro &&
      kind != Expr::Kind::Block && kind != Expr::Kind::Name &&
      kind != Expr::Kind::Element &&
      llvm::all_of(made->operands, [](const ExprPtr &e) { return e->isKnown; });
  // A known condition leaves one arm, which may be known at some of the PEs.
  if (kind == Expr::Kind::Choice || kind == Expr::Kind::Switch)
    made->isKnown = made->operands[0]->isKnown &&
                    llvm::any_of(llvm::drop_begin(made->operands),
                                 [](const ExprPtr &e) { return e->isKnown; });
  if (made->text == "and" || made->text == "or")
    made->isKnown = made->operands[0]->isKnown;
  return made;
}

ExprPtr Generator::literal(Ty type, bool isBare) {
  auto made = make(Expr::Kind::Literal, type);
  int64_t limit = dice.chance(80) ? 10 : dice.chance(50) ? 1000 : 30000;
  made->value = type == Ty::Bool ? dice.below(2)
                : isSigned(type) ? dice.between(-limit, limit)
                                 : dice.between(0, limit);
  if (widthOf(type) == 32 && dice.chance(5))
    made->value *= 60000;
  made->isBare = isBare;
  return made;
}

bool Generator::isSound(const Expr &known) {
  for (Globals &pe : pes) {
    bool refused = false;
    Scope scope;
    scope.globals = &pe;
    scope.refused = &refused;
    known.eval(scope);
    if (refused)
      return false;
  }
  return true;
}

ExprPtr Generator::sound(Place &place, std::shared_ptr<Expr> made) {
  if (!made->isKnown || place.isComptime || isSound(*made))
    return made;
  // The first operand becomes running code, if there is any in reach.
  ExprPtr &operand = made->operands.front();
  operand = name(place, operand->type, true);
  made->isKnown = operand->isKnown;
  if (made->isKnown && !isSound(*made))
    return literal(made->type, false);
  return made;
}

ExprPtr Generator::name(Place &place, Ty type, bool running) {
  std::vector<const Name *> found;
  for (const Name &entry : place.names)
    if (entry.type == type && !(running && entry.isKnown))
      found.push_back(&entry);
  if (!place.isPure)
    for (const Name &entry : scalars)
      if (entry.type == type)
        found.push_back(&entry);
  if (!running)
    for (const Name &entry : known)
      if (entry.type == type)
        found.push_back(&entry);
  if (found.empty())
    return literal(type, false);
  const Name &entry = *dice.pick(found);
  auto made = make(Expr::Kind::Name, type, {}, entry.name);
  made->isKnown = entry.isKnown;
  return made;
}

ExprPtr Generator::masked(ExprPtr operand, int64_t mask, Ty type) {
  auto limit = make(Expr::Kind::Literal, type);
  limit->value = mask;
  limit->isBare = operand->kind != Expr::Kind::Literal;
  return make(Expr::Kind::Binary, type, {operand, limit}, "&");
}

ExprPtr Generator::smallIndex(Place &place, int64_t mask, int depth) {
  Ty type = dice.chance(70) ? Ty::U16 : Ty::I16;
  return masked(expr(place, type, depth - 1), mask, type);
}

std::vector<ExprPtr> Generator::indices(Place &place, const Array &array,
                                        int depth) {
  if (array.isGrid)
    return {smallIndex(place, 1, depth), smallIndex(place, 3, depth)};
  return {smallIndex(place, kElements - 1, depth)};
}

ExprPtr Generator::element(Place &place, Ty type, int depth) {
  std::vector<const Array *> found;
  for (const Array &array : arrays)
    if (array.type == type && (array.isKnown || !place.isPure))
      found.push_back(&array);
  if (found.empty())
    return name(place, type, false);
  const Array &array = *dice.pick(found);
  auto made =
      make(Expr::Kind::Element, type, indices(place, array, depth), array.name);
  made->rowLength = 4;
  made->isKnown =
      array.isKnown &&
      llvm::all_of(made->operands, [](const ExprPtr &e) { return e->isKnown; });
  return made;
}

ExprPtr Generator::binary(const std::string &op, Ty type, ExprPtr a,
                          ExprPtr b) {
  return make(Expr::Kind::Binary, type, {std::move(a), std::move(b)}, op);
}

ExprPtr Generator::condition(Place &place, int depth) {
  static const char *const comparisons[] = {"==", "!=", "<", "<=", ">", ">="};
  if (depth <= 0)
    return dice.chance(50) ? name(place, Ty::Bool, false)
                           : literal(Ty::Bool, false);
  switch (dice.below(6)) {
  case 0: {
    auto made =
        make(Expr::Kind::Unary, Ty::Bool, {condition(place, depth - 1)}, "!");
    return made;
  }
  case 1:
    return binary(dice.chance(50) ? "and" : "or", Ty::Bool,
                  condition(place, depth - 1), condition(place, depth - 1));
  case 2: {
    auto made =
        make(Expr::Kind::Cast, Ty::Bool, {expr(place, number(), depth - 1)});
    return sound(place, made);
  }
  default: {
    Ty type = number();
    ExprPtr left = expr(place, type, depth - 1);
    ExprPtr right = left->kind == Expr::Kind::Literal
                        ? expr(place, type, depth - 1)
                        : coercible(place, type, depth - 1);
    return binary(dice.pick(comparisons), Ty::Bool, left, right);
  }
  }
}

ExprPtr Generator::arithmetic(Place &place, Ty type, int depth) {
  static const char *const any[] = {"+", "-", "*", "&", "|", "^", "+", "-"};
  switch (dice.below(8)) {
  case 0: { // division by 1 to 8
    ExprPtr left = expr(place, type, depth - 1);
    auto one = make(Expr::Kind::Literal, type);
    one->value = 1;
    one->isBare = true;
    ExprPtr divisor =
        binary("+", type, masked(expr(place, type, depth - 1), 7, type), one);
    return sound(place, std::make_shared<Expr>(*binary(
                            dice.chance(50) ? "/" : "%", type, left, divisor)));
  }
  case 1: { // by what is less than the width
    Ty by = dice.chance(50) ? Ty::U16 : Ty::U32;
    bool isLeft = !place.isComptime && dice.chance(50);
    ExprPtr left =
        isLeft ? name(place, type, true) : expr(place, type, depth - 1);
    if (isLeft && left->isKnown)
      return left;
    return binary(isLeft ? "<<" : ">>", type, left,
                  masked(expr(place, by, depth - 1), widthOf(type) - 1, by));
  }
  case 2:
    return sound(place,
                 make(Expr::Kind::Unary, type, {expr(place, type, depth - 1)},
                      isSigned(type) && dice.chance(60) ? "-" : "~"));
  default: {
    ExprPtr left = expr(place, type, depth - 1);
    ExprPtr right = left->kind == Expr::Kind::Literal
                        ? expr(place, type, depth - 1)
                        : coercible(place, type, depth - 1);
    if (dice.chance(20) && left->kind != Expr::Kind::Literal &&
        !(right->kind == Expr::Kind::Literal && right->isBare) &&
        left->type == right->type)
      std::swap(left, right);
    return sound(place, std::make_shared<Expr>(
                            *binary(dice.pick(any), type, left, right)));
  }
  }
}

ExprPtr Generator::call(Place &place, Ty type, int depth) {
  std::vector<const Function *> found;
  for (const auto &function : place.isComptime ? comptimeFunctions : functions)
    if (function->result == type)
      found.push_back(function.get());
  if (!found.empty() && dice.chance(70)) {
    const Function &callee = *dice.pick(found);
    std::vector<ExprPtr> arguments;
    for (const auto &parameter : callee.parameters)
      // What an inline function gets decides what is known in it.
      arguments.push_back(callee.isInline
                              ? name(place, parameter.second, true)
                              : coercible(place, parameter.second, depth - 1));
    if (callee.isInline &&
        llvm::any_of(arguments, [](const ExprPtr &e) { return e->isKnown; }))
      return arithmetic(place, type, depth);
    auto made = make(Expr::Kind::Call, type, arguments);
    made->callee = &callee;
    made->isKnown = callee.isInline; // as much as what it returns
    return made;
  }
  if (place.isComptime)
    return arithmetic(place, type, depth);
  // Generic functions of the program's head.
  std::vector<ExprPtr> arguments;
  auto made = make(Expr::Kind::Macro, type);
  switch (dice.below(3)) {
  case 0:
    made->text = "pick(" + nameOf(type) + ", ";
    made->operands = {condition(place, depth - 1),
                      coercible(place, type, depth - 1),
                      coercible(place, type, depth - 1)};
    made->meaning = [](const std::vector<int64_t> &v) {
      return v[0] ? v[1] : v[2];
    };
    break;
  case 1:
    made->text = "sum_of(";
    made->operands = {expr(place, type, depth - 1),
                      expr(place, type, depth - 1)};
    made->meaning = [type](const std::vector<int64_t> &v) {
      return wrap(type, v[0] + v[1]);
    };
    break;
  default: {
    int64_t times = dice.between(0, 5);
    made->text =
        "repeated(" + nameOf(type) + ", " + std::to_string(times) + ", ";
    made->operands = {coercible(place, type, depth - 1)};
    made->meaning = [type, times](const std::vector<int64_t> &v) {
      int64_t result = v[0];
      for (int64_t i = 0; i < times; ++i)
        result = wrap(type, wrap(type, result * 3) + i);
      return result;
    };
  }
  }
  return made;
}

ExprPtr Generator::coercible(Place &place, Ty type, int depth) {
  if (type != Ty::Bool && dice.chance(25))
    return literal(type, true);
  if (type != Ty::Bool && dice.chance(15)) {
    Ty other = number();
    if (widens(other, type) && other != type) {
      ExprPtr narrow = expr(place, other, depth);
      if (!(narrow->kind == Expr::Kind::Literal && narrow->isBare))
        return narrow;
    }
  }
  return expr(place, type, depth);
}

/// A loop with names of its own that looks for a value.
ExprPtr Generator::blockExpr(Place &place, Ty type) {
  Place inner = place;
  inner.isPure = true;
  inner.returns = false;
  inner.labels.clear();
  for (Name &entry : inner.names)
    entry.isAssignable = false;
  auto made = make(Expr::Kind::Block, type, {}, fresh("found"));
  std::string sum = fresh("sum");
  auto stmt = [](Stmt::Kind kind, Ty type, std::string text,
                 std::vector<ExprPtr> operands) {
    auto result = std::make_shared<Stmt>();
    result->kind = kind;
    result->type = type;
    result->text = std::move(text);
    result->operands = std::move(operands);
    return result;
  };
  made->body.push_back(
      stmt(Stmt::Kind::Var, type, sum, {coercible(inner, type, 1)}));
  inner.names.push_back({sum, type, true});
  auto loop = stmt(Stmt::Kind::For, Ty::U16, fresh("step"), {});
  loop->to = dice.between(1, 4);
  loop->isUnrolled = dice.chance(20);
  size_t names = inner.names.size();
  if (!loop->isUnrolled)
    inner.names.push_back({loop->text, Ty::U16});
  auto jump = stmt(Stmt::Kind::Break, type, "", {coercible(inner, type, 1)});
  jump->label = made->text;
  auto guard = stmt(Stmt::Kind::If, Ty::Bool, "", {condition(inner, 1)});
  guard->arms = {{jump}, {}};
  auto next = stmt(Stmt::Kind::Assign, type, sum, {coercible(inner, type, 1)});
  next->op = type == Ty::Bool ? "=" : dice.chance(50) ? "+=" : "^=";
  loop->arms = {{guard, next}};
  inner.names.resize(names);
  made->body.push_back(loop);
  made->operands = {coercible(inner, type, 1)};
  return made;
}

ExprPtr Generator::expr(Place &place, Ty type, int depth) {
  if (type == Ty::Bool)
    return condition(place, depth);
  if (depth <= 0)
    return dice.chance(20) ? literal(type, false) : name(place, type, false);
  switch (dice.below(12)) {
  case 0:
  case 1:
    return name(place, type, false);
  case 2:
    return element(place, type, depth);
  case 3: {
    Ty from = number();
    auto made = make(Expr::Kind::Cast, type, {expr(place, from, depth - 1)});
    return sound(place, made);
  }
  case 4: {
    auto made = make(Expr::Kind::Choice, type,
                     {condition(place, depth - 1), expr(place, type, depth - 1),
                      expr(place, type, depth - 1)});
    return made;
  }
  case 5: {
    std::vector<ExprPtr> operands = {
        masked(expr(place, Ty::U16, depth - 1), 3, Ty::U16)};
    for (int i = 0; i < 3; ++i)
      operands.push_back(expr(place, type, depth - 2));
    return make(Expr::Kind::Switch, type, operands);
  }
  case 6:
  case 7:
    return call(place, type, depth);
  default:
    return arithmetic(place, type, depth);
  }
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

static std::shared_ptr<Stmt> makeStmt(Stmt::Kind kind, Ty type,
                                      std::string text = "",
                                      std::vector<ExprPtr> operands = {}) {
  auto made = std::make_shared<Stmt>();
  made->kind = kind;
  made->type = type;
  made->text = std::move(text);
  made->operands = std::move(operands);
  return made;
}

StmtPtr Generator::assignment(Place &place, int depth) {
  static const char *const ops[] = {
      "=", "=", "=", "+=", "-=", "*=", "&=", "|=", "^="};
  std::vector<const Name *> names;
  for (const Name &entry : place.names)
    if (entry.isAssignable)
      names.push_back(&entry);
  if (!place.isPure)
    for (const Name &entry : scalars)
      names.push_back(&entry);
  std::vector<const Array *> variable;
  if (!place.isPure)
    for (const Array &array : arrays)
      if (!array.isConst)
        variable.push_back(&array);
  bool isElement = !variable.empty() && (names.empty() || dice.chance(35));
  if (names.empty() && !isElement)
    return nullptr;
  std::shared_ptr<Stmt> made;
  if (isElement) {
    const Array &array = *dice.pick(variable);
    made = makeStmt(Stmt::Kind::Assign, array.type, array.name);
    made->indices = indices(place, array, 1);
    made->rowLength = 4;
  } else {
    const Name &entry = *dice.pick(names);
    made = makeStmt(Stmt::Kind::Assign, entry.type, entry.name);
  }
  made->op = made->type == Ty::Bool ? "=" : dice.pick(ops);
  made->operands = {coercible(place, made->type, depth)};
  if (!place.isComptime && made->type != Ty::Bool && dice.chance(12)) {
    made->kind = Stmt::Kind::Bump;
    made->op = "+=";
  }
  return made;
}

/// A descriptor over an array, with what it reaches.
struct Window {
  int64_t offset, stride, extent;
};

StmtPtr Generator::vectorOperation() {
  static const char *const ops[] = {"add16", "sub16", "and16", "or16", "xor16"};
  std::vector<const Array *> variable, all;
  for (const Array &array : arrays)
    if (!array.isGrid && !array.isKnown && !array.isPart) {
      all.push_back(&array);
      if (!array.isConst)
        variable.push_back(&array);
    }
  const Array &to = *dice.pick(variable);
  bool isHalf = widthOf(to.type) == 16;
  llvm::erase_if(all, [&](const Array *array) {
    return widthOf(array->type) != widthOf(to.type);
  });
  Window window{0, 1, kElements};
  if (dice.chance(50)) {
    window.stride = dice.between(1, 2);
    window.offset = dice.between(0, 1);
    window.extent = dice.between(1, 3);
  }
  const Array &a = *dice.pick(all), &b = *dice.pick(all);
  auto dsd = [&](const std::string &array) {
    if (window.extent == kElements && window.stride == 1 && dice.chance(50))
      return "@get_dsd(mem1d_dsd, .{ .base_address = &" + array +
             ", .extent = " + std::to_string(kElements) + " })";
    return "@get_dsd(mem1d_dsd, .{ .tensor_access = |i|{" +
           std::to_string(window.extent) + "} -> " + array + "[" +
           std::to_string(window.stride) + " * i + " +
           std::to_string(window.offset) + "] })";
  };
  std::string op = isHalf ? dice.pick(ops) : "mov32";
  if (isHalf && dice.chance(20))
    op = "mov16";
  bool isMove = op == "mov16" || op == "mov32";
  auto made = makeStmt(Stmt::Kind::Source, to.type);
  made->text = "@" + op + "(" + dsd(to.name) + ", " + dsd(a.name) +
               (isMove ? "" : ", " + dsd(b.name)) + ");";
  made->meaning = [op, window, isMove, to, a, b](Scope &scope) {
    auto &arrays = scope.globals->arrays;
    for (int64_t i = 0; i < window.extent; ++i) {
      int64_t at = window.offset + window.stride * i;
      int64_t x = arrays.at(a.name)[at];
      int64_t y = isMove ? 0 : arrays.at(b.name)[at];
      arrays.at(to.name)[at] = wrap(to.type, isMove          ? x
                                             : op == "add16" ? x + y
                                             : op == "sub16" ? x - y
                                             : op == "and16" ? x & y
                                             : op == "or16"  ? x | y
                                                             : x ^ y);
    }
  };
  return made;
}

StmtPtr Generator::featureStatement(Place &place, int depth) {
  Giver giver;
  giver.expression = [&](Ty type) { return expr(place, type, 2); };
  giver.body = [&] { return block(place, 2, depth - 1); };
  return dice.pick(feature.statements)(giver);
}

void Generator::statement(Place &place, std::vector<StmtPtr> &out, int depth) {
  int choice = static_cast<int>(dice.below(depth > 0 ? 20 : 6));
  switch (choice) {
  case 0: {
    Ty type = dice.chance(15) ? Ty::Bool : number();
    // A block's type is that of the variable.
    ExprPtr value = depth > 0 && !place.isComptime && dice.chance(25)
                        ? blockExpr(place, type)
                        : coercible(place, type, 2);
    std::string text = fresh("v");
    out.push_back(makeStmt(Stmt::Kind::Var, type, text, {value}));
    place.names.push_back({text, type, true});
    return;
  }
  case 1: {
    Ty type = number();
    ExprPtr value = expr(place, type, 2);
    if (value->isKnown && !place.isComptime)
      value = name(place, type, true);
    std::string text = fresh("c");
    out.push_back(makeStmt(Stmt::Kind::Const, value->type, text, {value}));
    // A constant of a literal is known to the compiler.
    if (!value->isKnown || place.isComptime)
      place.names.push_back({text, value->type});
    return;
  }
  case 2:
  case 3:
  case 4:
  case 5:
  case 6:
    if (StmtPtr made = assignment(place, 3))
      out.push_back(made);
    return;
  case 7:
  case 8: {
    auto made = makeStmt(Stmt::Kind::If, Ty::Bool, "", {condition(place, 2)});
    made->arms = {block(place, 2, depth - 1), dice.chance(60)
                                                  ? block(place, 2, depth - 1)
                                                  : std::vector<StmtPtr>()};
    out.push_back(made);
    return;
  }
  case 9: {
    auto made = makeStmt(Stmt::Kind::Switch, Ty::U16, "",
                         {masked(expr(place, Ty::U16, 1), 3, Ty::U16)});
    for (int i = 0; i < 3; ++i)
      made->arms.push_back(block(place, 2, depth - 1));
    out.push_back(made);
    return;
  }
  case 10:
  case 11:
  case 12: {
    if (place.loops > 1)
      return;
    bool isWhile = choice == 12;
    Ty type = dice.chance(60) ? Ty::U16 : Ty::I16;
    auto made = makeStmt(isWhile ? Stmt::Kind::While : Stmt::Kind::For, type,
                         fresh("step"));
    made->to = dice.between(0, 4);
    if (dice.chance(30)) {
      made->from = dice.between(0, 3);
      made->step = dice.between(1, 3);
      made->to += made->from;
    }
    if (!isWhile && type == Ty::I16 && dice.chance(30)) {
      made->step = -made->step;
      std::swap(made->from, made->to);
    }
    if (dice.chance(30))
      made->label = fresh("loop");
    size_t names = place.names.size();
    place.names.push_back({made->text, type});
    ++place.loops;
    place.labels.push_back(made->label);
    made->arms = {block(place, 3, depth - 1)};
    place.labels.pop_back();
    --place.loops;
    place.names.resize(names);
    out.push_back(made);
    return;
  }
  case 13: {
    if (place.isPure || place.loops > 1)
      return;
    std::vector<const Array *> found;
    for (const Array &array : arrays)
      if (!array.isGrid && !array.isKnown && !array.isPart)
        found.push_back(&array);
    const Array &array = *dice.pick(found);
    auto made = makeStmt(Stmt::Kind::Each, array.type, fresh("e"));
    made->op = array.name;
    size_t names = place.names.size();
    place.names.push_back({made->text, array.type});
    if (dice.chance(50)) {
      made->label = fresh("k");
      place.names.push_back({made->label, Ty::U16});
    }
    ++place.loops;
    place.labels.push_back("");
    // Elements are read when their turn comes; the loop does not write them.
    Place inner = place;
    inner.isPure = true;
    made->arms = {block(inner, 2, 0)};
    if (StmtPtr last = assignment(place, 2);
        last && last->text != array.name && last->indices.empty())
      made->arms[0].push_back(last);
    place.labels.pop_back();
    --place.loops;
    place.names.resize(names);
    out.push_back(made);
    return;
  }
  case 14:
    if (place.loops && dice.chance(60)) {
      auto jump = makeStmt(
          dice.chance(60) ? Stmt::Kind::Break : Stmt::Kind::Continue, Ty::Bool);
      if (jump->kind == Stmt::Kind::Break && dice.chance(60))
        jump->label = dice.pick(place.labels);
      auto guard =
          makeStmt(Stmt::Kind::If, Ty::Bool, "",
                   {binary("and", Ty::Bool, condition(place, 1),
                           binary("==", Ty::Bool, name(place, Ty::I32, true),
                                  literal(Ty::I32, false)))});
      guard->arms = {{jump}, {}};
      out.push_back(guard);
    } else if (place.returns && dice.chance(40)) {
      auto guard =
          makeStmt(Stmt::Kind::If, Ty::Bool, "", {condition(place, 2)});
      guard->arms = {{makeStmt(Stmt::Kind::Return, place.result, "",
                               {coercible(place, place.result, 2)})},
                     {}};
      out.push_back(guard);
    }
    return;
  default:
    if (place.isPure)
      return;
    if (!feature.statements.empty() && dice.chance(60))
      out.push_back(featureStatement(place, depth));
    else
      out.push_back(vectorOperation());
    return;
  }
}

std::vector<StmtPtr> Generator::block(Place &place, int count, int depth) {
  size_t names = place.names.size();
  std::vector<StmtPtr> result;
  for (int i = 0; i < count; ++i)
    statement(place, result, depth);
  place.names.resize(names);
  return result;
}

void Generator::endWithReturn(Place &place, std::vector<StmtPtr> &body) {
  body.push_back(makeStmt(Stmt::Kind::Return, place.result, "",
                          {coercible(place, place.result, 2)}));
}
