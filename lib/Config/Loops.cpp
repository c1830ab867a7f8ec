//===- Loops.cpp - Loops of commands --------------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Config/Fields.h"
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
// Flattening
//===----------------------------------------------------------------------===//

namespace {
/// Commands and loops that are looked at, so that loops of loops that make no
/// command end too.
constexpr int64_t kMaxVisits = 16 * kMaxCommands;

class Flattener {
public:
  explicit Flattener(std::vector<Command> &result) : result(result) {}

  llvm::Error add(const std::vector<Command> &commands) {
    for (const Command &command : commands)
      if (llvm::Error error = add(command))
        return error;
    return llvm::Error::success();
  }

private:
  llvm::Error add(const Command &command) {
    if (++visits > kMaxVisits)
      return fail(command, "is one of more than " + llvm::Twine(kMaxVisits) +
                               " commands and loops that the program's loops "
                               "run");
    if (const auto *loop = std::get_if<LoopCommand>(&command.body)) {
      if (loop->count < 0 || loop->count > kMaxCommands)
        return fail(command, "runs " + llvm::Twine(loop->count) +
                                 " times, allowed are 0 to " +
                                 llvm::Twine(kMaxCommands));
      if (!command.steps.empty())
        return fail(command, "is a loop and has steps, which belong to the "
                             "commands inside");
      rounds.push_back(0);
      for (; rounds.back() < loop->count; ++rounds.back()) {
        size_t before = result.size();
        if (llvm::Error error = add(loop->body))
          return error;
        // If one round makes no command, none does.
        if (result.size() == before)
          break;
      }
      rounds.pop_back();
      return llvm::Error::success();
    }
    if (static_cast<int64_t>(result.size()) >= kMaxCommands)
      return fail(command, "is one of more than " + llvm::Twine(kMaxCommands) +
                               " commands that the program's loops make");
    Command &copy = result.emplace_back(command);
    copy.steps.clear();
    for (int64_t round : rounds)
      copy.name += "[" + std::to_string(round) + "]";
    return advance(command, copy);
  }

  llvm::Error advance(const Command &command, Command &copy) {
    if (command.steps.empty())
      return llvm::Error::success();
    llvm::StringMap<int64_t *> addresses;
    forEachAddress(copy, [&](const std::string &key, int64_t &address) {
      addresses[key] = &address;
    });
    std::set<std::pair<llvm::StringRef, int64_t>> seen;
    for (const AddressStep &step : command.steps) {
      if (step.loop < 0 || step.loop >= static_cast<int64_t>(rounds.size()))
        return fail(command, "has a step of loop " + llvm::Twine(step.loop) +
                                 ", " + loopsAround());
      auto found = addresses.find(step.address);
      if (found == addresses.end())
        return fail(command, "has a step of '" + step.address +
                                 "', which is no address of it; " +
                                 addressesOf(copy));
      if (!seen.insert({step.address, step.loop}).second)
        return fail(command, "has two steps of '" + step.address +
                                 "' of loop " + llvm::Twine(step.loop) +
                                 ", allowed is one");
      int64_t &address = *found->second;
      auto sum = llvm::checkedMulAdd(rounds[step.loop], step.bytes, address);
      if (!sum)
        return fail(command, "steps '" + step.address + "' past 2^63");
      address = *sum;
    }
    return llvm::Error::success();
  }

  std::string loopsAround() const {
    if (rounds.empty())
      return "no loop is around it";
    return "loops 0 to " + std::to_string(rounds.size() - 1) + " are around it";
  }

  /// The first few of them, for a message.
  static std::string addressesOf(Command &command) {
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

  static llvm::Error fail(const Command &command, const llvm::Twine &what) {
    return llvm::createStringError("command '" + command.name + "' " + what);
  }

  std::vector<Command> &result;
  /// Of the loops around, outermost first.
  llvm::SmallVector<int64_t, 4> rounds;
  int64_t visits = 0;
};
} // namespace

llvm::Expected<Program> config::flatten(const Program &program) {
  Program flat;
  flat.target = program.target;
  flat.chips = program.chips;
  flat.name = program.name;
  flat.inputs = program.inputs;
  flat.constants = program.constants;
  flat.outputs = program.outputs;
  flat.macs = program.macs;
  flat.macType = program.macType;
  if (llvm::Error error = Flattener(flat.commands).add(program.commands))
    return std::move(error);
  return flat;
}
