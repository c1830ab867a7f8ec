//===- Structure.cpp - Statements that jump -------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Structure.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

using namespace sequin;
using namespace sequin::csl_to_source;
using Kind = Statement::Kind;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Simplification
//===----------------------------------------------------------------------===//

static bool endsInJump(const Statements &list) {
  if (list.empty())
    return false;
  const Statement &last = *list.back();
  switch (last.kind) {
  case Kind::Jump:
    return true;
  case Kind::Lines:
    return last.ends;
  case Kind::If:
    return endsInJump(last.body) && endsInJump(last.otherwise);
  case Kind::Switch:
    return endsInJump(last.otherwise) && llvm::all_of(last.cases, endsInJump);
  case Kind::Block:
  case Kind::Loop:
    return false;
  }
  return false;
}

static unsigned countJumps(const Statements &list, const Jump &jump) {
  unsigned count = 0;
  for (const auto &statement : list) {
    if (statement->kind == Kind::Jump && statement->jump == jump)
      ++count;
    count += countJumps(statement->body, jump) +
             countJumps(statement->otherwise, jump);
    for (const Statements &list : statement->cases)
      count += countJumps(list, jump);
  }
  return count;
}

/// Jumps of this loop, not of those in it, go elsewhere.
static void redirect(Statements &list, const Jump &from, const Jump &to) {
  for (auto &statement : list) {
    if (statement->kind == Kind::Jump && statement->jump == from)
      statement->jump = to;
    if (statement->kind == Kind::Loop)
      continue;
    redirect(statement->body, from, to);
    redirect(statement->otherwise, from, to);
    for (Statements &branch : statement->cases)
      redirect(branch, from, to);
  }
}

/// `falls`: jumps that do what running off the end of the list does. `loop`:
/// the innermost one.
static void simplifyList(Statements &list, std::vector<Jump> falls,
                         const Statement *loop) {
  // Nothing runs behind a jump.
  for (size_t i = 0; i + 1 < list.size(); ++i)
    if (list[i]->kind == Kind::Jump ||
        (list[i]->kind == Kind::Lines && list[i]->ends)) {
      list.resize(i + 1);
      break;
    }
  for (size_t i = 0; i < list.size(); ++i) {
    Statement &statement = *list[i];
    std::vector<Jump> after =
        i + 1 == list.size() ? falls : std::vector<Jump>();
    switch (statement.kind) {
    case Kind::Lines:
    case Kind::Jump:
      break;
    case Kind::If:
    case Kind::Switch:
      simplifyList(statement.body, after, loop);
      simplifyList(statement.otherwise, after, loop);
      for (Statements &branch : statement.cases)
        simplifyList(branch, after, loop);
      break;
    case Kind::Block: {
      // To leave what a loop ends with is to go on with the loop.
      Jump next{Jump::Kind::Continue, loop};
      if (loop && llvm::is_contained(after, next))
        redirect(statement.body, {Jump::Kind::Break, &statement}, next);
      after.push_back({Jump::Kind::Break, &statement});
      simplifyList(statement.body, after, loop);
      break;
    }
    case Kind::Loop: {
      // To leave the loop does what `after` says.
      for (const Jump &jump : after)
        redirect(statement.body, jump, {Jump::Kind::Break, &statement});
      simplifyList(statement.body, {{Jump::Kind::Continue, &statement}},
                   &statement);
      break;
    }
    }
  }
  if (!list.empty() && list.back()->kind == Kind::Jump &&
      llvm::is_contained(falls, list.back()->jump))
    list.pop_back();

  // Blocks that nobody leaves early are no blocks.
  Statements flat;
  for (auto &statement : list) {
    if (statement->kind == Kind::Block &&
        !countJumps(statement->body, {Jump::Kind::Break, statement.get()})) {
      for (auto &inner : statement->body)
        flat.push_back(std::move(inner));
      continue;
    }
    // A branch without statements says nothing but what its condition does.
    if (statement->kind == Kind::If && statement->body.empty() &&
        statement->otherwise.empty()) {
      if (!statement->acts)
        continue;
      auto call = std::make_unique<Statement>(Kind::Lines);
      call->lines.line(statement->condition.text + ";");
      statement = std::move(call);
    }
    flat.push_back(std::move(statement));
  }
  list = std::move(flat);
  // `if (c) { a; break; } else { b; }` is `if (c) { a; break; } b;`.
  for (size_t i = 0; i < list.size(); ++i) {
    Statement &choice = *list[i];
    if (choice.kind != Kind::If || choice.otherwise.empty())
      continue;
    bool firstEnds = endsInJump(choice.body);
    bool secondEnds = endsInJump(choice.otherwise);
    if (!firstEnds && !secondEnds)
      continue;
    // The shorter branch stays where it is.
    if (!firstEnds || (secondEnds && choice.otherwise.size() == 1 &&
                       choice.body.size() > 1)) {
      choice.condition = opposite(choice.condition, choice.isInteger);
      std::swap(choice.body, choice.otherwise);
    }
    Statements rest = std::move(choice.otherwise);
    choice.otherwise.clear();
    list.insert(list.begin() + i + 1, std::make_move_iterator(rest.begin()),
                std::make_move_iterator(rest.end()));
  }
}

/// A loop ends with a block that others leave early, and a step behind it: to
/// leave the block is to go on with the loop, which takes the step.
static void takeStep(Statement &loop) {
  Statements &body = loop.body;
  if (!loop.range.empty() || body.size() < 2)
    return;
  Statement &block = *body[body.size() - 2], &last = *body.back();
  std::optional<std::string> step = last.lines.getOnlyLine();
  if (block.kind != Kind::Block || !last.isStep || !step ||
      countJumps(body, {Jump::Kind::Continue, &loop}))
    return;
  Jump leave{Jump::Kind::Break, &block}, next{Jump::Kind::Continue, &loop};
  redirect(block.body, leave, next);
  if (countJumps(block.body, leave)) {
    redirect(block.body, next, leave);
    return;
  }
  loop.step = StringRef(*step).drop_back().str();
  Statements rest = std::move(block.body);
  body.resize(body.size() - 2);
  llvm::move(rest, std::back_inserter(body));
}

static void takeSteps(Statements &list) {
  for (auto &statement : list) {
    takeSteps(statement->body);
    takeSteps(statement->otherwise);
    llvm::for_each(statement->cases, takeSteps);
    if (statement->kind == Kind::Loop)
      takeStep(*statement);
  }
}

void csl_to_source::simplify(Statements &function) {
  // Each round may make another jump the last of its list.
  constexpr unsigned kRounds = 4;
  auto round = [&] {
    simplifyList(function, {{Jump::Kind::Return, nullptr}}, nullptr);
  };
  for (unsigned i = 0; i < kRounds; ++i)
    round();
  takeSteps(function);
  round();
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

namespace {
class Writer {
public:
  Writer(Text &out, Names &names) : out(&out), names(names) {}

  void write(const Statements &list) {
    for (const auto &statement : list)
      write(*statement);
  }

private:
  void write(const Statement &statement);
  void writeIf(const Statement &statement, llvm::StringRef keyword);
  void writeLoop(const Statement &statement);
  std::string labelOf(const Statement *target, llvm::StringRef wish) {
    std::string &label = labels[target];
    if (label.empty())
      label = names.take(wish);
    return label;
  }

  Text *out;
  Names &names;
  std::vector<const Statement *> loops;
  llvm::DenseMap<const Statement *, std::string> labels;
  /// Of the block around a loop's body, which `continue` leaves from inside of
  /// another loop.
  llvm::DenseMap<const Statement *, std::string> bodyLabels;
};
} // namespace

/// Whether `jump` is made from inside of a loop in `list`.
static bool isMadeInside(const Statements &list, const Jump &jump,
                         bool inside = false) {
  return llvm::any_of(list, [&](const auto &statement) {
    if (inside && statement->kind == Kind::Jump && statement->jump == jump)
      return true;
    bool deeper = inside || statement->kind == Kind::Loop;
    auto has = [&](const Statements &inner) {
      return isMadeInside(inner, jump, deeper);
    };
    return has(statement->body) || has(statement->otherwise) ||
           llvm::any_of(statement->cases, has);
  });
}

void Writer::writeIf(const Statement &statement, llvm::StringRef keyword) {
  Expression condition = statement.condition;
  const Statements *first = &statement.body, *second = &statement.otherwise;
  if (first->empty()) {
    condition = opposite(condition, statement.isInteger);
    std::swap(first, second);
  }
  out->open(keyword.str() + "if (" + condition.text + ") {");
  write(*first);
  if (second->empty()) {
    out->close();
    return;
  }
  if (second->size() == 1 && second->front()->kind == Kind::If) {
    out->leave();
    writeIf(*second->front(), "} else ");
    return;
  }
  out->reopen("} else {");
  write(*second);
  out->close();
}

void Writer::writeLoop(const Statement &statement) {
  std::string label;
  if (isMadeInside(statement.body, {Jump::Kind::Break, &statement}))
    label = labelOf(&statement, "outer") + ": ";
  std::string test = "true";
  size_t begin = 0;
  // `if (!c) break;` first is the loop's condition.
  if (statement.range.empty() && !statement.body.empty()) {
    const Statement &first = *statement.body.front();
    if (first.kind == Kind::If && first.otherwise.empty() &&
        first.body.size() == 1 && first.body.front()->kind == Kind::Jump &&
        first.body.front()->jump == Jump{Jump::Kind::Break, &statement}) {
      test = opposite(first.condition, first.isInteger).text;
      begin = 1;
    }
  }
  if (!statement.range.empty())
    out->open(label + "for (" + statement.range + ") |" + statement.counter +
              "| {");
  else if (!statement.step.empty())
    out->open(label + "while (" + test + ") : (" + statement.step + ") {");
  else
    out->open(label + "while (" + test + ") {");
  loops.push_back(&statement);
  bool wrapped =
      isMadeInside(statement.body, {Jump::Kind::Continue, &statement});
  if (wrapped) {
    bodyLabels[&statement] = names.take("next");
    out->open(bodyLabels[&statement] + ": {");
  }
  for (size_t i = begin; i < statement.body.size(); ++i)
    write(*statement.body[i]);
  if (wrapped)
    out->close();
  loops.pop_back();
  out->close();
}

void Writer::write(const Statement &statement) {
  switch (statement.kind) {
  case Kind::Lines:
    out->append(statement.lines);
    return;
  case Kind::If:
    return writeIf(statement, "");
  case Kind::Switch:
    out->open("switch (" + statement.condition.text + ") {");
    for (auto [value, branch] : llvm::zip(statement.values, statement.cases)) {
      out->open(value + " => {");
      write(branch);
      out->close("},");
    }
    out->open("else => {");
    write(statement.otherwise);
    out->close("},");
    out->close();
    return;
  case Kind::Block:
    out->open(labelOf(&statement, "block") + ": {");
    write(statement.body);
    out->close();
    return;
  case Kind::Loop:
    return writeLoop(statement);
  case Kind::Jump:
    switch (statement.jump.kind) {
    case Jump::Kind::Return:
      out->line("return;");
      return;
    case Jump::Kind::Continue:
      out->line(loops.back() == statement.jump.target
                    ? "continue;"
                    : "break :" + bodyLabels[statement.jump.target] + ";");
      return;
    case Jump::Kind::Break:
      out->line(!loops.empty() && loops.back() == statement.jump.target
                    ? "break;"
                    : "break :" + labelOf(statement.jump.target, "block") +
                          ";");
      return;
    }
  }
}

void csl_to_source::write(const Statements &function, Text &out, Names &names) {
  Writer(out, names).write(function);
}
