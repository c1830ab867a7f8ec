//===- Check.cpp - Checks of a program before it runs ---------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Check/CommandCheck.h"
#include "Memory/Memory.h"
#include "sequin/Support/Interrupt.h"
#include "sequin/Support/Progress.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace sequin;
using namespace sequin::sim;
using llvm::StringRef;
using llvm::Twine;

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

static std::string join(llvm::ArrayRef<int64_t> values) {
  std::string text;
  for (int64_t value : values)
    text += (text.empty() ? "" : ", ") + std::to_string(value);
  return text;
}

static std::string text(__int128 value) {
  // Only for messages: beyond 64 bits the exact number helps nobody.
  if (value > std::numeric_limits<int64_t>::max())
    return "more than 2^63";
  if (value < std::numeric_limits<int64_t>::min())
    return "less than -2^63";
  return std::to_string(static_cast<int64_t>(value));
}

llvm::Error CommandCheck::oneOf(StringRef stage, const Twine &what,
                                int64_t found,
                                llvm::ArrayRef<int64_t> allowed) const {
  if (llvm::is_contained(allowed, found))
    return llvm::Error::success();
  return trap(stage, what + " is " + Twine(found) + ", machine '" +
                         machine.name + "' allows " + join(allowed));
}

llvm::Error CommandCheck::between(StringRef stage, const Twine &what,
                                  int64_t found, int64_t low,
                                  int64_t high) const {
  if (found >= low && found <= high)
    return llvm::Error::success();
  return trap(stage, what + " is " + Twine(found) + ", allowed are " +
                         Twine(low) + " to " + Twine(high));
}

llvm::Error CommandCheck::multipleOf(StringRef stage, const Twine &what,
                                     int64_t found, int64_t factor) const {
  if (found % factor == 0)
    return llvm::Error::success();
  return trap(stage, what + " is " + Twine(found) +
                         ", it must be a multiple of " + Twine(factor));
}

llvm::Error CommandCheck::entries(StringRef stage, llvm::ArrayRef<Loop> loops,
                                  const SequencerLimits &limits) const {
  if (loops.size() > limits.maxEntries)
    return trap(stage, "sequencer has " + Twine(loops.size()) +
                           " entries, machine '" + machine.name +
                           "' allows at most " + Twine(limits.maxEntries));
  for (auto [index, loop] : llvm::enumerate(loops))
    if (llvm::Error error =
            between(stage, "size of sequencer entry " + Twine(index), loop.size,
                    1, limits.maxSize))
      return error;
  return llvm::Error::success();
}

llvm::Error CommandCheck::inside(StringRef stage, const Extent &extent,
                                 StringRef memory, int64_t limit) const {
  if (extent.begin >= 0 && extent.end <= limit)
    return llvm::Error::success();
  return trap(stage, "bytes " + text(extent.begin) + " to " +
                         text(extent.end - 1) + " of " + memory +
                         " are accessed, allowed are 0 to " + Twine(limit - 1));
}

llvm::Expected<int64_t>
CommandCheck::count(StringRef stage, StringRef what,
                    std::optional<int64_t> product) const {
  if (product && *product >= 0 && *product <= kMaxCount)
    return *product;
  return trap(stage, "the number of " + what +
                         " is out of range, allowed are at most 2^40");
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// Everything in the program but its commands. These are traps too: the
/// configuration asks for what is not there.
static llvm::Error checkHeader(const config::Program &program,
                               const TcpMachine &machine) {
  auto trap = [](const Twine &what) {
    return llvm::make_error<Trap>("", "program", what.str());
  };
  if (program.target != machine.name)
    return trap("target is '" + program.target + "', the machine is '" +
                machine.name + "'");
  if (program.chips < 1 || program.chips > machine.maxChips)
    return trap("number of chips is " + Twine(program.chips) +
                ", allowed are 1 to " + Twine(machine.maxChips));
  if (program.macs < 0)
    return trap("number of multiply-accumulates is " + Twine(program.macs) +
                ", it must not be negative");
  return llvm::Error::success();
}

namespace {
/// The names of commands, of which those in loops have one for each round.
class Names {
public:
  llvm::Error check(const config::Program &program) {
    if (llvm::Error error = add(program.commands))
      return error;
    for (const auto &entry : tripCounts)
      if (isMade(entry.first(), entry.second))
        return makeError(entry.first());
    return llvm::Error::success();
  }

  /// How many commands are written.
  int64_t size() const { return tripCounts.size(); }

private:
  static llvm::Error makeError(StringRef name) {
    return llvm::make_error<Trap>(
        "", "program", ("two commands are called '" + name + "'").str());
  }
  llvm::Error add(const std::vector<config::Command> &commands) {
    for (const config::Command &command : commands) {
      if (const auto *loop = std::get_if<config::LoopCommand>(&command.body)) {
        counts.push_back(loop->count);
        if (llvm::Error error = add(loop->body))
          return error;
        counts.pop_back();
      } else if (!tripCounts.try_emplace(command.name, counts).second) {
        return makeError(command.name);
      }
    }
    return llvm::Error::success();
  }
  /// Whether some round of another command is called as one of this command
  /// with `own` loops around it: "commit[3]" for none, or "commit[3][0]".
  bool isMade(StringRef name, llvm::ArrayRef<int64_t> own) const {
    auto runs = [](int64_t count) { return count > 0; };
    llvm::SmallVector<int64_t, 4> rounds;
    while (name.ends_with("]")) {
      auto [front, digits] = name.drop_back().rsplit('[');
      int64_t round = 0;
      if (front.size() == name.size() - 1 || digits.getAsInteger(10, round))
        return false;
      rounds.insert(rounds.begin(), round);
      name = front;
      auto found = tripCounts.find(name);
      if (found == tripCounts.end() ||
          found->second.size() != rounds.size() + own.size())
        continue;
      llvm::ArrayRef<int64_t> counts = found->second;
      auto inRange = [](auto pair) {
        return std::get<0>(pair) >= 0 && std::get<0>(pair) < std::get<1>(pair);
      };
      if (llvm::all_of(
              llvm::zip_equal(rounds, counts.take_front(rounds.size())),
              inRange) &&
          llvm::all_of(counts.drop_front(rounds.size()), runs) &&
          llvm::all_of(own, runs))
        return true;
    }
    return false;
  }

  using TripCounts = llvm::SmallVector<int64_t, 4>;
  /// Of the loops around; of those around each command.
  TripCounts counts;
  llvm::StringMap<TripCounts> tripCounts;
};
} // namespace

/// Elements of an argument; std::nullopt if that is no sensible number.
static std::optional<int64_t> elementCount(const config::Argument &argument) {
  int64_t count = 1;
  for (int64_t size : argument.shape)
    if (size < 0 || llvm::MulOverflow(count, size, count) || count > kMaxCount)
      return std::nullopt;
  return count;
}

/// An element of a host array that two of the transfers write.
static std::optional<int64_t>
findWrittenTwice(llvm::ArrayRef<const config::Transfer *> transfers,
                 int64_t elements) {
  std::vector<bool> seen(elements);
  for (const config::Transfer *transfer : transfers) {
    llvm::SmallVector<int64_t, 8> at(transfer->entries.size(), 0);
    int64_t element = transfer->hostBase;
    for (bool more = true; more;) {
      if (seen[element])
        return element;
      seen[element] = true;
      more = false;
      for (size_t i = at.size(); i-- > 0 && !more;) {
        const config::Transfer::Entry &entry = transfer->entries[i];
        element += entry.hostStride;
        more = ++at[i] < entry.size;
        if (!more) {
          element -= entry.size * entry.hostStride;
          at[i] = 0;
        }
      }
    }
  }
  return std::nullopt;
}

/// Every argument has a size, and all elements of every output come back.
static llvm::Error checkArguments(const config::UnrolledProgram &unrolled,
                                  int64_t maxElements) {
  const config::Program &program = unrolled.getProgram();
  auto trap = [](const config::Argument &argument, const Twine &what) {
    return llvm::make_error<Trap>(
        "", "program", ("argument '" + argument.name + "' " + what).str());
  };
  for (const config::Argument &input : program.inputs)
    if (!elementCount(input))
      return trap(input, "has a shape out of range");
  for (const config::Constant &constant : program.constants) {
    config::Argument argument{constant.name, constant.type, constant.shape};
    std::optional<int64_t> elements = elementCount(argument);
    if (!elements)
      return trap(argument, "has a shape out of range");
    int64_t one = std::max<int64_t>(1, getBitWidth(constant.type) / 8);
    int64_t bytes = constant.data.size();
    if (bytes != one && bytes != *elements * one)
      return trap(argument, "has " + Twine(bytes) +
                                " bytes of data, expected " +
                                Twine(*elements * one) +
                                ", or one element of " + Twine(one));
  }
  for (auto [index, output] : llvm::enumerate(program.outputs)) {
    std::optional<int64_t> elements = elementCount(output);
    if (!elements)
      return trap(output, "has a shape out of range");
    int64_t written = 0;
    std::vector<const config::Transfer *> transfers;
    for (int64_t i = 0; i < unrolled.size(); ++i) {
      const auto *transfer =
          std::get_if<config::Transfer>(&unrolled.getWritten(i).body);
      if (transfer && transfer->argument == static_cast<int64_t>(index) &&
          transfer->direction == config::Transfer::Direction::ToHost) {
        written += *tripCount(transfer->entries);
        transfers.push_back(transfer);
      }
    }
    if (written != *elements)
      return trap(output, "has " + Twine(*elements) +
                              " elements, the transfers bring back " +
                              Twine(written));
    // One transfer writes no element twice; several might.
    if (transfers.size() > 1) {
      maxElements -= *elements;
      if (maxElements < 0)
        return trap(output, "has " + Twine(*elements) +
                                " elements in several transfers, more than "
                                "the steps of this run, which --max-steps "
                                "raises");
      if (std::optional<int64_t> twice = findWrittenTwice(transfers, *elements))
        return trap(output, "has element " + Twine(*twice) +
                                " brought back by two transfers");
    }
  }
  return llvm::Error::success();
}

llvm::Error sim::makeStepTrap(StringRef command, int64_t maxSteps) {
  return llvm::make_error<Trap>(
      command.str(), "program",
      ("the program takes more than " + Twine(maxSteps) +
       " steps, the limit of this run, which --max-steps raises")
          .str());
}

/// Of all commands.
static constexpr int64_t kMostSpreadBytes = int64_t(1) << 30;

namespace {
/// The host's memory that writes to HBM take beyond what is written: a step may
/// make a granule of its own, but all together no more than they reach.
class SpreadBytes {
public:
  /// False if there are too many.
  bool add(const config::Command &command, const CommandPlan &plan) {
    int64_t granules = 0, written = plan.hbmBytesWritten;
    for (const Access &access : plan.accesses)
      if (access.space == Space::Hbm && access.write) {
        granules += std::min(
            plan.steps,
            (access.end - access.begin) / SystemMemory::kHbmGranuleBytes + 1);
        reached.emplace_back(access.chip, access.begin, access.end);
      }
    if (const auto *transfer = std::get_if<config::Transfer>(&command.body))
      written = plan.steps * getBitWidth(transfer->type) / 8;
    bytes += std::max<int64_t>(0, granules * SystemMemory::kHbmGranuleBytes -
                                      written);
    constexpr size_t kMostRanges = 1 << 16;
    if (bytes > kMostSpreadBytes || reached.size() > kMostRanges)
      bytes = std::min(bytes, merge());
    return bytes <= kMostSpreadBytes;
  }

private:
  /// Bytes that are reached, each counted once.
  int64_t merge() {
    llvm::sort(reached);
    std::vector<std::tuple<int64_t, int64_t, int64_t>> merged;
    int64_t all = 0;
    for (auto [chip, begin, end] : reached) {
      if (!merged.empty() && std::get<0>(merged.back()) == chip &&
          std::get<2>(merged.back()) >= begin) {
        int64_t &last = std::get<2>(merged.back());
        all += std::max<int64_t>(0, end - last);
        last = std::max(last, end);
        continue;
      }
      merged.emplace_back(chip, begin, end);
      all += end - begin;
    }
    reached = std::move(merged);
    return all;
  }

  int64_t bytes = 0;
  /// Chips, and from where to where on them.
  std::vector<std::tuple<int64_t, int64_t, int64_t>> reached;
};
} // namespace

llvm::Expected<std::vector<CommandPlan>>
sim::checkProgram(const config::UnrolledProgram &unrolled,
                  const TcpMachine &machine, const Options &options) {
  const config::Program &program = unrolled.getProgram();
  if (llvm::Error error = checkHeader(program, machine))
    return std::move(error);
  Names names;
  if (llvm::Error error = names.check(program))
    return std::move(error);
  // Commands that loops make.
  int64_t made = std::max<int64_t>(0, unrolled.size() - names.size());
  if (made > options.maxSteps / kStepsOfCommand)
    return makeStepTrap("", options.maxSteps);
  std::vector<CommandPlan> plans(unrolled.size());
  DmaTimes dmaTimes;
  int64_t steps = made * kStepsOfCommand;
  SpreadBytes spread;
  config::Command scratch;
  for (auto [index, plan] : llvm::enumerate(plans)) {
    const config::Command &command = unrolled.getCommand(index, scratch);
    if (interrupted())
      return interruptedError();
    reportProgress(
        {"check", "", int64_t(index), int64_t(plans.size()), "commands"});
    CommandCheck check{machine, program, command, plan};
    llvm::Error error = std::visit(
        [&](const auto &body) -> llvm::Error {
          using Body = std::decay_t<decltype(body)>;
          if constexpr (std::is_same_v<Body, config::Transfer>)
            return checkTransfer(check, body);
          else if constexpr (std::is_same_v<Body, config::DmaCommand>)
            return checkDma(check, body);
          else if constexpr (std::is_same_v<Body, config::ExecCommand>)
            return checkExec(check, body);
          else if constexpr (std::is_same_v<Body, config::GenerateCommand>)
            return checkGenerate(check, body);
          else
            return check.trap("loop", "a program is checked without loops");
        },
        command.body);
    if (error)
      return std::move(error);
    steps += options.timingOnly ? plan.timingSteps : plan.steps;
    if (steps > options.maxSteps)
      return makeStepTrap(command.name, options.maxSteps);
    if (!options.timingOnly && !spread.add(command, plan))
      return check.trap(
          "hbm", "the program spreads few bytes over much memory; "
                 "simulating it takes more than " +
                     Twine(kMostSpreadBytes) + " bytes that hold no data");
    if (const auto *exec = std::get_if<config::ExecCommand>(&command.body)) {
      plan.banks = config::countBankRuns(*exec, machine);
      plan.occupiesDma |= exec->occupiesDma;
    }
    // These take time by the number of requests.
    if (const auto *dma = std::get_if<config::DmaCommand>(&command.body)) {
      if (llvm::Error raced = checkDmaRaces(check, *dma))
        return std::move(raced);
      dmaTimes.add(check, *dma);
    }
  }
  if (llvm::Error error = checkTrfTypes(unrolled, plans, machine))
    return std::move(error);
  if (llvm::Error error = checkArguments(unrolled, options.maxSteps))
    return std::move(error);
  return plans;
}
