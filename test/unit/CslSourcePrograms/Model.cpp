//===- Model.cpp - CSL code with a meaning of its own ---------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model.h"
#include "llvm/Support/ErrorHandling.h"

using namespace sequin::testing;
using namespace sequin::testing::model;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

std::string model::nameOf(Ty type) {
  static const char *const names[] = {"bool", "i16", "u16", "i32", "u32"};
  return names[static_cast<int>(type)];
}

unsigned model::widthOf(Ty type) {
  return type == Ty::Bool ? 1 : type == Ty::I16 || type == Ty::U16 ? 16 : 32;
}

bool model::isSigned(Ty type) { return type == Ty::I16 || type == Ty::I32; }

int64_t model::wrap(Ty type, int64_t value) {
  switch (type) {
  case Ty::Bool:
    return value != 0;
  case Ty::I16:
    return static_cast<int16_t>(value);
  case Ty::U16:
    return static_cast<uint16_t>(value);
  case Ty::I32:
    return static_cast<int32_t>(value);
  case Ty::U32:
    return static_cast<uint32_t>(value);
  }
  llvm_unreachable("a type");
}

bool model::fits(Ty type, int64_t value) { return wrap(type, value) == value; }

bool model::widens(Ty from, Ty to) {
  if (from == to)
    return true;
  if (from == Ty::Bool || to == Ty::Bool || widthOf(from) >= widthOf(to))
    return false;
  return isSigned(to) || !isSigned(from);
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

int64_t Scope::read(const std::string &name) const {
  auto local = locals.find(name);
  if (local != locals.end())
    return local->second;
  auto global = globals->scalars.find(name);
  // Only of what is evaluated for what is known in it.
  return global != globals->scalars.end() ? global->second : 0;
}

void Scope::write(const std::string &name, int64_t value) {
  auto global = globals->scalars.find(name);
  if (global != globals->scalars.end())
    global->second = value;
  else
    locals[name] = value;
}

static int64_t applyBinary(const std::string &op, Ty type, int64_t a, int64_t b,
                           bool *refused) {
  auto result = [&](int64_t value) {
    if (refused && !fits(type, value))
      *refused = true;
    return wrap(type, value);
  };
  if (op == "+")
    return result(a + b);
  if (op == "-")
    return result(a - b);
  if (op == "*") {
    // Of two unsigned numbers of 32 bits: the low bits are the same.
    if (refused && a && std::abs(b) > (int64_t(1) << 40) / std::abs(a))
      *refused = true;
    return result(static_cast<int64_t>(static_cast<uint64_t>(a) *
                                       static_cast<uint64_t>(b)));
  }
  if (op == "/" || op == "%") {
    if (b == 0)
      return 0; // after a refusal
    return result(op == "/" ? a / b : a % b);
  }
  if (op == "<<") {
    if (refused)
      *refused = true; // whether bits may be lost is not said
    return wrap(type, a << b);
  }
  if (op == ">>")
    return wrap(type, a >> b);
  if (op == "&")
    return wrap(type, a & b);
  if (op == "|")
    return wrap(type, a | b);
  if (op == "^")
    return wrap(type, a ^ b);
  if (op == "==")
    return a == b;
  if (op == "!=")
    return a != b;
  if (op == "<")
    return a < b;
  if (op == "<=")
    return a <= b;
  if (op == ">")
    return a > b;
  if (op == ">=")
    return a >= b;
  llvm_unreachable("an operator");
}

int64_t Expr::eval(Scope &scope) const {
  if (!scope.goesOn())
    return 0;
  switch (kind) {
  case Kind::Literal:
    return value;
  case Kind::Name:
    return scope.read(text);
  case Kind::Element: {
    int64_t index = operands[0]->eval(scope);
    if (operands.size() > 1)
      index = index * rowLength + operands[1]->eval(scope);
    auto array = scope.globals->arrays.find(text);
    return array != scope.globals->arrays.end() ? array->second.at(index) : 0;
  }
  case Kind::Binary: {
    int64_t a = operands[0]->eval(scope);
    if (text == "and")
      return a ? operands[1]->eval(scope) : 0;
    if (text == "or")
      return a ? 1 : operands[1]->eval(scope);
    return applyBinary(text, type, a, operands[1]->eval(scope), scope.refused);
  }
  case Kind::Unary: {
    int64_t a = operands[0]->eval(scope);
    if (text == "!")
      return !a;
    if (text == "~")
      return wrap(type, ~a);
    if (scope.refused && !fits(type, -a))
      *scope.refused = true;
    return wrap(type, -a);
  }
  case Kind::Cast: {
    int64_t a = operands[0]->eval(scope);
    if (scope.refused && type != Ty::Bool && !fits(type, a))
      *scope.refused = true;
    return wrap(type, a);
  }
  case Kind::Choice:
    return operands[operands[0]->eval(scope) ? 1 : 2]->eval(scope);
  case Kind::Switch: {
    size_t which =
        std::min<size_t>(operands[0]->eval(scope), operands.size() - 2);
    return operands[1 + which]->eval(scope);
  }
  case Kind::Call:
  case Kind::Macro: {
    std::vector<int64_t> arguments;
    for (const ExprPtr &operand : operands)
      arguments.push_back(operand->eval(scope));
    return callee ? callee->call(arguments, scope) : meaning(arguments);
  }
  case Kind::Block: {
    Outcome outcome = runAll(body, scope);
    if (outcome.flow == Flow::Break)
      return scope.locals.at("break " + text);
    return operands[0]->eval(scope);
  }
  }
  llvm_unreachable("an expression");
}

/// How tightly an operator binds (digest, section 2).
static int bindingOf(const std::string &op) {
  static const std::map<std::string, int> table = {
      {"*", 9},  {"/", 9},  {"%", 9},  {"+", 8},  {"-", 8},   {"<<", 7},
      {">>", 7}, {"&", 6},  {"^", 5},  {"|", 4},  {"<", 3},   {"<=", 3},
      {">", 3},  {">=", 3}, {"==", 3}, {"!=", 3}, {"and", 2}, {"or", 1}};
  return table.at(op);
}

static std::string listed(const std::vector<ExprPtr> &operands) {
  std::string text;
  for (const ExprPtr &operand : operands)
    text += (text.empty() ? "" : ", ") + operand->str();
  return text;
}

std::string Expr::str() const {
  auto inBrackets = [](const std::string &s) { return "(" + s + ")"; };
  switch (kind) {
  case Kind::Literal:
    if (type == Ty::Bool)
      return value ? "true" : "false";
    if (!isBare)
      return "@as(" + nameOf(type) + ", " + std::to_string(value) + ")";
    return value < 0 ? inBrackets(std::to_string(value))
                     : std::to_string(value);
  case Kind::Name:
    return text;
  case Kind::Element:
    return text + "[" + listed(operands) + "]";
  case Kind::Binary: {
    int binding = bindingOf(text);
    auto side = [&](const Expr &operand, bool isRight) {
      bool loose = operand.kind == Kind::Choice || operand.kind == Kind::Switch;
      if (operand.kind == Kind::Binary) {
        int inner = bindingOf(operand.text);
        loose =
            inner < binding || (inner == binding && (isRight || binding == 3));
      }
      return loose ? inBrackets(operand.str()) : operand.str();
    };
    return side(*operands[0], false) + " " + text + " " +
           side(*operands[1], true);
  }
  case Kind::Unary: {
    const Expr &operand = *operands[0];
    bool loose = operand.kind == Kind::Binary || operand.kind == Kind::Choice ||
                 operand.kind == Kind::Switch || operand.kind == Kind::Unary;
    return text + (loose ? inBrackets(operand.str()) : operand.str());
  }
  case Kind::Cast:
    return "@as(" + nameOf(type) + ", " + operands[0]->str() + ")";
  case Kind::Choice:
    return "if (" + operands[0]->str() + ") " + operands[1]->str() + " else " +
           operands[2]->str();
  case Kind::Switch: {
    std::string result = "switch (" + operands[0]->str() + ") {";
    for (size_t i = 1; i < operands.size(); ++i)
      result += " " +
                (i + 1 == operands.size() ? "else" : std::to_string(i - 1)) +
                " => " + operands[i]->str() + ",";
    return result + " }";
  }
  case Kind::Call:
    return callee->name + "(" + listed(operands) + ")";
  case Kind::Macro:
    return text + listed(operands) + ")";
  case Kind::Block: {
    std::string result = text + ": {\n";
    printAll(body, result, 2);
    return result + "    break :" + text + " " + operands[0]->str() + ";\n  }";
  }
  }
  llvm_unreachable("an expression");
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

Outcome model::runAll(const std::vector<StmtPtr> &statements, Scope &scope) {
  for (const StmtPtr &statement : statements)
    if (Outcome outcome = statement->run(scope); outcome.flow != Flow::Next)
      return outcome;
  return {};
}

void model::printAll(const std::vector<StmtPtr> &statements, std::string &out,
                     unsigned indent) {
  for (const StmtPtr &statement : statements)
    statement->print(out, indent);
}

/// Whether a loop goes on after an iteration; `result` is what it leaves with.
static bool goesOn(const Outcome &outcome, const std::string &label,
                   Outcome &result) {
  if (outcome.flow == Flow::Next || outcome.flow == Flow::Continue)
    return true;
  if (outcome.flow == Flow::Break &&
      (outcome.label.empty() || outcome.label == label))
    return false;
  result = outcome;
  return false;
}

Outcome Stmt::run(Scope &scope) const {
  if (!scope.goesOn())
    return {};
  auto place = [&]() -> int64_t * {
    if (indices.empty())
      return nullptr;
    int64_t index = indices[0]->eval(scope);
    if (indices.size() > 1)
      index = index * rowLength + indices[1]->eval(scope);
    return &scope.globals->arrays.at(text).at(index);
  };
  switch (kind) {
  case Kind::Var:
  case Kind::Const:
    scope.locals[text] = operands[0]->eval(scope);
    return {};
  case Kind::Assign:
  case Kind::Bump: {
    int64_t value = operands[0]->eval(scope);
    int64_t *element = place();
    int64_t old = element ? *element : scope.read(text);
    if (op != "=")
      value = applyBinary(op.substr(0, op.size() - 1), type, old, value,
                          scope.refused);
    value = wrap(type, value);
    if (element)
      *element = value;
    else
      scope.write(text, value);
    return {};
  }
  case Kind::If:
    return runAll(arms[operands[0]->eval(scope) ? 0 : 1], scope);
  case Kind::Switch:
    return runAll(
        arms[std::min<size_t>(operands[0]->eval(scope), arms.size() - 1)],
        scope);
  case Kind::For:
  case Kind::While: {
    Outcome result;
    for (int64_t i = from; step > 0 ? i < to : i > to; i += step) {
      scope.locals[text] = i;
      if (!goesOn(runAll(arms[0], scope), label, result))
        break;
      if (kind == Kind::While)
        scope.locals[text] = i + step;
    }
    return result;
  }
  case Kind::Each: {
    Outcome result;
    const auto elements = scope.globals->arrays.at(op);
    for (size_t i = 0; i < elements.size(); ++i) {
      scope.locals[text] = elements[i];
      if (!label.empty())
        scope.locals[label] = static_cast<int64_t>(i);
      if (!goesOn(runAll(arms[0], scope), "", result))
        break;
    }
    return result;
  }
  case Kind::Break:
    if (!operands.empty())
      scope.locals["break " + label] = operands[0]->eval(scope);
    return {Flow::Break, label, 0};
  case Kind::Continue:
    return {Flow::Continue, "", 0};
  case Kind::Return:
    return {Flow::Return, "", operands[0]->eval(scope)};
  case Kind::Source:
    meaning(scope);
    return {};
  }
  llvm_unreachable("a statement");
}

void Stmt::print(std::string &out, unsigned indent) const {
  std::string pad(2 * indent, ' ');
  auto block = [&](const std::vector<StmtPtr> &body) {
    out += "{\n";
    printAll(body, out, indent + 1);
    out += pad + "}";
  };
  std::string place = text;
  if (!indices.empty())
    place += "[" + listed(indices) + "]";
  out += pad;
  switch (kind) {
  case Kind::Var:
    out += "var " + text + ": " + nameOf(type) + " = " + operands[0]->str() +
           ";\n";
    return;
  case Kind::Const:
    out += "const " + text + " = " + operands[0]->str() + ";\n";
    return;
  case Kind::Assign:
    out += place + " " + op + " " + operands[0]->str() + ";\n";
    return;
  case Kind::Bump:
    out += "bump_" + nameOf(type) + "(&" + place + ", " + operands[0]->str() +
           ");\n";
    return;
  case Kind::If:
    out += "if (" + operands[0]->str() + ") ";
    block(arms[0]);
    if (!arms[1].empty()) {
      out += " else ";
      block(arms[1]);
    }
    out += "\n";
    return;
  case Kind::Switch:
    out += "switch (" + operands[0]->str() + ") {\n";
    for (size_t i = 0; i < arms.size(); ++i) {
      out += pad + "  " + (i + 1 == arms.size() ? "else" : std::to_string(i)) +
             " => {\n";
      printAll(arms[i], out, indent + 2);
      out += pad + "  },\n";
    }
    out += pad + "}\n";
    return;
  case Kind::For:
    if (!label.empty())
      out += label + ": ";
    out += isUnrolled ? "inline for (@range(" : "for (@range(";
    out += nameOf(type) + ", " +
           (from == 0 && step == 1
                ? std::to_string(to)
                : std::to_string(from) + ", " + std::to_string(to) + ", " +
                      std::to_string(step)) +
           ")) |" + text + "| ";
    block(arms[0]);
    out += "\n";
    return;
  case Kind::Each:
    out += "for (" + op + ") |" + text + (label.empty() ? "" : ", " + label) +
           "| ";
    block(arms[0]);
    out += "\n";
    return;
  case Kind::While:
    out += "var " + text + ": " + nameOf(type) + " = " + std::to_string(from) +
           ";\n" + pad;
    if (!label.empty())
      out += label + ": ";
    out += "while (" + text + " < " + std::to_string(to) + ") : (" + text +
           " += " + std::to_string(step) + ") ";
    block(arms[0]);
    out += "\n";
    return;
  case Kind::Break:
    out += "break" + (label.empty() ? "" : " :" + label) +
           (operands.empty() ? "" : " " + operands[0]->str()) + ";\n";
    return;
  case Kind::Continue:
    out += "continue;\n";
    return;
  case Kind::Return:
    out += "return " + operands[0]->str() + ";\n";
    return;
  case Kind::Source:
    out += text + "\n";
    return;
  }
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

int64_t Function::call(const std::vector<int64_t> &arguments,
                       const Scope &from) const {
  Scope inner;
  inner.globals = from.globals;
  inner.refused = from.refused;
  inner.steps = from.steps;
  for (size_t i = 0; i < parameters.size(); ++i)
    inner.locals[parameters[i].first] = arguments[i];
  Outcome outcome = runAll(body, inner);
  return wrap(result, outcome.value);
}

std::string Function::str() const {
  std::string text =
      std::string(isInline ? "inline " : "") + "fn " + name + "(";
  for (size_t i = 0; i < parameters.size(); ++i)
    text += (i ? ", " : "") + parameters[i].first + ": " +
            nameOf(parameters[i].second);
  text += ") " + nameOf(result) + " {\n";
  printAll(body, text, 1);
  return text + "}\n\n";
}
