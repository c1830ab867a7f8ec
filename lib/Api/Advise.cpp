//===- Advise.cpp - What would make a run faster --------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Api/Advise.h"
#include "ProgramModule.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <map>

using namespace sequin;
using namespace sequin::api;
using sim::CommandTiming;

namespace {
class Adviser {
public:
  Adviser(const CompileOptions &options, const Program &program,
          const RunOptions &run)
      : options(options), program(program), run(run) {
    this->run.timingOnly = true;
    this->run.verify = false;
  }
  llvm::Error collect();
  std::vector<Suggestion> found;

private:
  static constexpr size_t kMostBuffers = 3, kMostFetches = 3;

  void compiled(std::string what, std::string flag, bool ofMachine,
                llvm::function_ref<void(CompileOptions &)> change);
  llvm::Error simulated(std::string what, const std::string &change,
                        bool ofMachine);
  llvm::Error doubleBuffers(const sim::Report &report);
  llvm::Error widenFetches(const sim::Report &report);

  CompileOptions options;
  const Program &program;
  RunOptions run;
};
} // namespace

/// The program compiled in another way. Not every program can be.
void Adviser::compiled(std::string what, std::string flag, bool ofMachine,
                       llvm::function_ref<void(CompileOptions &)> change) {
  CompileOptions other = options;
  other.keepGiven = other.recordMappings = false;
  change(other);
  auto made = Program::compile(other);
  if (!made)
    return llvm::consumeError(made.takeError());
  auto result = (*made)->run({}, run);
  if (!result)
    return llvm::consumeError(result.takeError());
  found.push_back(
      {std::move(what), std::move(flag), ofMachine, result->report.cycles});
}

llvm::Error Adviser::simulated(std::string what, const std::string &change,
                               bool ofMachine) {
  RunOptions changedRun = run;
  auto parsed = sim::parseWhatIf({change});
  if (!parsed)
    return parsed.takeError();
  changedRun.whatIf = *parsed;
  auto result = program.run({}, changedRun);
  if (!result)
    return result.takeError();
  found.push_back({std::move(what), "--what-if=" + change, ofMachine,
                   result->report.cycles});
  return llvm::Error::success();
}

/// Buffers of data memory whose writers wait longest for the readers of what
/// was there, if there is room for another one.
llvm::Error Adviser::doubleBuffers(const sim::Report &report) {
  std::map<int64_t, int64_t> waited;
  std::map<int64_t, const CommandTiming *> writers;
  std::map<int64_t, int64_t> bytes;
  int64_t used = 0;
  std::map<std::string, int64_t> freeAt;
  for (const CommandTiming &command : report.commands) {
    bool hazard = llvm::StringRef(command.wait).starts_with("WAR on dm") ||
                  llvm::StringRef(command.wait).starts_with("WAW on dm");
    int64_t &before = freeAt[command.context];
    for (const sim::Access &access : command.accesses) {
      if (access.space != sim::Space::Dm)
        continue;
      used = std::max(used, access.end);
      if (!access.write || !hazard)
        continue;
      waited[access.begin] += std::max<int64_t>(0, command.start - before);
      bytes[access.begin] =
          std::max(bytes[access.begin], access.end - access.begin);
      writers.try_emplace(access.begin, &command);
    }
    before = std::max(before, command.end);
  }
  std::vector<std::pair<int64_t, int64_t>> longest;
  for (auto [address, cycles] : waited)
    if (cycles > 0 &&
        used + bytes[address] <= program.machine().dmBytesPerSlice)
      longest.push_back({-cycles, address});
  llvm::sort(longest);
  for (auto [cycles, address] :
       llvm::ArrayRef(longest).take_front(kMostBuffers))
    if (llvm::Error error = simulated(
            llvm::formatv("a second buffer of {0} bytes beside the one at {1} "
                          "of data memory, which '{2}' writes",
                          bytes[address], address, writers[address]->name),
            "double-buffer=" + std::to_string(address), false))
      return error;
  return llvm::Error::success();
}

/// Lines whose passes take as long as they fetch, with accesses that could be
/// wider.
llvm::Error Adviser::widenFetches(const sim::Report &report) {
  std::map<std::string, int64_t> bound;
  for (const CommandTiming &command : report.commands) {
    int64_t fetch = 0, longest = 0;
    for (const auto &[stage, cycles] : command.stages) {
      longest = std::max(longest, cycles);
      if (stage == "fetch")
        fetch = cycles;
    }
    if (fetch > 0 && fetch == longest && !command.location.empty() &&
        (command.context == "main" || command.context == "sub"))
      bound[command.location] += fetch;
  }
  // As wide as it gets in all commands of a line: nothing to gain.
  std::map<std::string, bool> canWiden;
  auto walk = [&](auto &self, llvm::ArrayRef<config::Command> list) -> void {
    for (const config::Command &command : list)
      if (const auto *loop = std::get_if<config::LoopCommand>(&command.body))
        self(self, loop->body);
      else if (const auto *exec =
                   std::get_if<config::ExecCommand>(&command.body)) {
        const TcpMachine &row = program.machine();
        const SequencerLimits &limits = exec->context == config::Context::Main
                                            ? row.mainFetch
                                            : row.subFetch;
        canWiden[command.location] |=
            llvm::is_contained(limits.accessBytes, 2 * exec->fetch.accessBytes);
      }
  };
  walk(walk, program.config().commands);
  std::vector<std::pair<int64_t, std::string>> longest;
  for (const auto &[location, cycles] : bound)
    if (canWiden[location])
      longest.push_back({-cycles, location});
  llvm::sort(longest);
  for (const auto &[cycles, location] :
       llvm::ArrayRef(longest).take_front(kMostFetches))
    if (llvm::Error error =
            simulated("twice as wide a fetch of the passes of " + location +
                          ": another layout in data memory",
                      "wider-fetch=" + location, false))
      return error;
  return llvm::Error::success();
}

llvm::Error Adviser::collect() {
  RunOptions first = run;
  first.keepAccesses = true;
  auto base = program.run({}, first);
  if (!base)
    return base.takeError();
  bool rowMajor = options.argumentLayout.empty()
                      ? program.machine().rowMajorArguments
                      : options.argumentLayout == kRowMajor;
  std::string layout = rowMajor ? "chosen" : kRowMajor.str();
  if (program.isLowered() && base->digitProducts > 0) {
    bool einsum = !options.einsum.empty();
    compiled(
        "operands rounded instead of cut into digits, which changes results",
        einsum ? "--allow-narrow" : "--allow-bf16", false,
        [&](CompileOptions &other) {
          (einsum ? other.allowNarrow : other.allowBf16) = true;
        });
  }
  if (program.isLowered()) {
    compiled(rowMajor ? "arguments in the layout that the compiler asks for"
                      : "arguments in rows, as they come",
             "--argument-layout=" + layout, false,
             [&](CompileOptions &other) { other.argumentLayout = layout; });
    int64_t chips = program.config().chips + 1;
    if (chips <= program.machine().maxChips)
      compiled("one chip more", "--chips=" + std::to_string(chips), true,
               [&](CompileOptions &other) { other.chips = chips; });
  }
  if (llvm::Error error = doubleBuffers(base->report))
    return error;
  if (llvm::Error error = widenFetches(base->report))
    return error;
  if (llvm::Error error = simulated("descriptors and passes that begin at once",
                                    "no-startup", true))
    return error;
  if (llvm::Error error =
          simulated("HBM that is twice as fast", "twice-hbm", true))
    return error;
  llvm::sort(found, [](const Suggestion &a, const Suggestion &b) {
    return std::tie(a.cycles, a.flag) < std::tie(b.cycles, b.flag);
  });
  return llvm::Error::success();
}

llvm::Expected<std::vector<Suggestion>>
api::advise(const CompileOptions &options, const Program &program,
            const RunOptions &run) {
  Adviser adviser(options, program, run);
  if (llvm::Error error = adviser.collect())
    return error;
  return std::move(adviser.found);
}
