//===- Loops.cpp - Loops of commands --------------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Config/Fields.h"
#include "sequin/Config/UnrolledProgram.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/CheckedArithmetic.h"
#include <set>

using namespace sequin;
using namespace sequin::config;

/// Calls `visit(key, address)`, where `key()` makes the key's text.
template <typename Visit>
static void visitAddresses(Command &command, Visit visit) {
  auto named = [](const char *name) {
    return [=] { return std::string(name); };
  };
  if (auto *dma = std::get_if<DmaCommand>(&command.body)) {
    for (auto [i, descriptor] : llvm::enumerate(dma->descriptors)) {
      auto member = [i = i](const char *name) {
        return [=] { return "descriptors[" + std::to_string(i) + "]." + name; };
      };
      visit(member("source_address"), descriptor.sourceAddress);
      visit(member("destination_address"), descriptor.destinationAddress);
      if (descriptor.indirection)
        visit(member("indirection.address"), descriptor.indirection->address);
    }
    return;
  }
  if (auto *generate = std::get_if<GenerateCommand>(&command.body))
    return visit(named("address"), generate->address);
  auto *exec = std::get_if<ExecCommand>(&command.body);
  if (!exec)
    return;
  visit(named("fetch.sequencer"), exec->fetch.sequencer.baseAddress);
  if (auto *commit = std::get_if<CommitStage>(&exec->sink)) {
    visit(named("commit.sequencer"), commit->sequencer.baseAddress);
    if (commit->packing)
      visit(named("commit.packing.counts"),
            commit->packing->counts.baseAddress);
  }
}

void config::forEachAddress(
    Command &command,
    llvm::function_ref<void(const std::string &, int64_t &)> visit) {
  visitAddresses(command,
                 [&](auto key, int64_t &address) { visit(key(), address); });
}

//===----------------------------------------------------------------------===//
// Unrolling
//===----------------------------------------------------------------------===//

static llvm::Error fail(const Command &command, const llvm::Twine &what) {
  return llvm::createStringError("command '" + command.name + "' " + what);
}

/// The first few of them, for a message.
static std::string describeAddresses(Command &command) {
  constexpr int kMost = 8;
  std::string text;
  int count = 0;
  forEachAddress(command, [&](const std::string &key, int64_t &) {
    if (++count <= kMost)
      text += (text.empty() ? "'" : ", '") + key + "'";
  });
  if (count == 0)
    return "it has none";
  return "its addresses are " + text + (count > kMost ? ", ..." : "");
}

/// Makes the nodes, and checks each command once, for all rounds.
class UnrolledProgram::Builder {
public:
  llvm::Error build(const Program &program, Node &root);

private:
  llvm::Error addBody(const std::vector<Command> &commands, Node &node);
  llvm::Error addLoop(const Command &command, const LoopCommand &loop,
                      Node &node);
  llvm::Error checkSteps(const Command &command) const;
  std::string describeLoops() const {
    if (counts.empty())
      return "no loop is around it";
    return "loops 0 to " + std::to_string(counts.size() - 1) + " are around it";
  }

  /// Trip counts of the loops around, outermost first.
  llvm::SmallVector<int64_t, 4> counts;
};

/// A number of commands that nobody counts to, and sums of two are numbers too.
static constexpr int64_t kUncountable = int64_t(1) << 62;

static int64_t multiply(int64_t a, int64_t b) {
  std::optional<int64_t> product = llvm::checkedMul(a, b);
  return std::min(kUncountable, product.value_or(kUncountable));
}

llvm::Error UnrolledProgram::Builder::build(const Program &program,
                                            Node &root) {
  if (llvm::Error error = addBody(program.commands, root))
    return error;
  root.size = root.round;
  return llvm::Error::success();
}

llvm::Error
UnrolledProgram::Builder::addBody(const std::vector<Command> &commands,
                                  Node &node) {
  node.round = 0;
  node.body.reserve(commands.size());
  for (const Command &command : commands) {
    Node &inner = node.body.emplace_back();
    inner.command = &command;
    const auto *loop = std::get_if<LoopCommand>(&command.body);
    if (llvm::Error error =
            loop ? addLoop(command, *loop, inner) : checkSteps(command))
      return error;
    node.first.push_back(node.round);
    node.round = std::min(kUncountable, node.round + inner.size);
  }
  return llvm::Error::success();
}

llvm::Error UnrolledProgram::Builder::addLoop(const Command &command,
                                              const LoopCommand &loop,
                                              Node &node) {
  if (loop.count < 0)
    return fail(command, "runs " + llvm::Twine(loop.count) +
                             " times, allowed are 0 to 2^63 - 1");
  if (!command.steps.empty())
    return fail(command, "is a loop and has steps, which belong to the "
                         "commands inside");
  counts.push_back(loop.count);
  if (llvm::Error error = addBody(loop.body, node))
    return error;
  counts.pop_back();
  node.size = multiply(loop.count, node.round);
  return llvm::Error::success();
}

llvm::Error UnrolledProgram::Builder::checkSteps(const Command &command) const {
  if (command.steps.empty())
    return llvm::Error::success();
  Command copy = command;
  /// From where to where an address moves.
  struct Range {
    int64_t low, high;
  };
  llvm::StringMap<Range> addresses;
  forEachAddress(copy, [&](const std::string &key, int64_t &address) {
    addresses[key] = {address, address};
  });
  std::set<std::pair<llvm::StringRef, int64_t>> seen;
  for (const AddressStep &step : command.steps) {
    if (step.loop < 0 || step.loop >= static_cast<int64_t>(counts.size()))
      return fail(command, "has a step of loop " + llvm::Twine(step.loop) +
                               ", " + describeLoops());
    auto found = addresses.find(step.address);
    if (found == addresses.end())
      return fail(command, "has a step of '" + step.address +
                               "', which is no address of it; " +
                               describeAddresses(copy));
    if (!seen.insert({step.address, step.loop}).second)
      return fail(command, "has two steps of '" + step.address + "' of loop " +
                               llvm::Twine(step.loop) + ", allowed is one");
    int64_t rounds = std::max<int64_t>(0, counts[step.loop] - 1);
    Range &range = found->second;
    int64_t &end = step.bytes < 0 ? range.low : range.high;
    std::optional<int64_t> moved = llvm::checkedMulAdd(rounds, step.bytes, end);
    if (!moved)
      return fail(command, "steps '" + step.address + "' past 2^63");
    end = *moved;
  }
  return llvm::Error::success();
}

llvm::Expected<UnrolledProgram> UnrolledProgram::get(const Program &program) {
  UnrolledProgram unrolled;
  unrolled.program = &program;
  if (llvm::Error error = Builder().build(program, unrolled.root))
    return std::move(error);
  return unrolled;
}

const UnrolledProgram::Node &
UnrolledProgram::find(int64_t index,
                      llvm::SmallVectorImpl<int64_t> &rounds) const {
  const Node *node = &root;
  while (!node->body.empty()) {
    // Of several that begin with this command, those before the last one run
    // none.
    size_t place = llvm::upper_bound(node->first, index) - node->first.begin();
    index -= node->first[place - 1];
    node = &node->body[place - 1];
    if (!std::holds_alternative<LoopCommand>(node->command->body))
      break;
    rounds.push_back(index / node->round);
    index %= node->round;
  }
  return *node;
}

static std::string nameIn(const Command &command,
                          llvm::ArrayRef<int64_t> rounds) {
  std::string name = command.name;
  for (int64_t round : rounds)
    name += "[" + std::to_string(round) + "]";
  return name;
}

const Command &UnrolledProgram::getWritten(int64_t index) const {
  llvm::SmallVector<int64_t, 4> rounds;
  return *find(index, rounds).command;
}

std::string UnrolledProgram::getName(int64_t index) const {
  llvm::SmallVector<int64_t, 4> rounds;
  const Node &node = find(index, rounds);
  return nameIn(*node.command, rounds);
}

const Command &UnrolledProgram::getCommand(int64_t index, Command &made) const {
  llvm::SmallVector<int64_t, 4> rounds;
  const Command &written = *find(index, rounds).command;
  if (rounds.empty())
    return written;
  made = written;
  made.name = nameIn(written, rounds);
  made.steps.clear();
  if (written.steps.empty())
    return made;
  visitAddresses(made, [&](auto key, int64_t &address) {
    for (const AddressStep &step : written.steps)
      if (step.address == key())
        address += rounds[step.loop] * step.bytes;
  });
  return made;
}
