//===- RunDriver.cpp - What sequin-run does -------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Tools/RunDriver.h"
#include "WaferDriver.h"
#include "sequin/Api/Advise.h"
#include "sequin/Api/Program.h"
#include "sequin/Machine/CslMachine.h"
#include "sequin/Page/TcpPage.h"
#include "sequin/Support/Excerpt.h"
#include "sequin/Support/OutputFile.h"
#include "sequin/WaferHost/Session.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

using namespace sequin;
using namespace sequin::tools;
using llvm::StringRef;
using llvm::Twine;

ExitCode tools::refuse(llvm::raw_ostream &log, const Twine &what) {
  log << "error: " << what << "\n";
  return kRefused;
}

ExitCode tools::refuse(llvm::raw_ostream &log, llvm::Error error) {
  ExitCode code = kRefused;
  llvm::handleAllErrors(
      std::move(error),
      [&](const api::Refusal &refusal) { log << refusal.getPrinted(); },
      [&](const sim::Trap &trap) {
        refuse(log, trap.message());
        code = kTrapped;
      },
      [&](const wafer::RunFailure &failure) {
        refuse(log, failure.message());
        code = kTrapped;
      },
      [&](const llvm::ErrorInfoBase &other) { refuse(log, other.message()); });
  return code;
}

/// The first two flags whose files are one file. What a device takes is not
/// kept, so it may be named twice.
static std::optional<std::string> findCollision(const RunOptions &options) {
  std::vector<std::pair<StringRef, StringRef>> files;
  bool forWafer = isForWafer(options);
  for (StringRef path : options.outputs)
    files.push_back({"--output", forWafer && path.contains('=')
                                     ? path.split('=').second
                                     : path});
  if (!options.report.empty())
    files.push_back({"--report", options.report});
  if (!options.timeline.empty())
    files.push_back({"--timeline", options.timeline});
  if (!options.page.empty())
    files.push_back({"--page", options.page});
  if (!options.reportMapping.empty())
    files.push_back({"--report-mapping", options.reportMapping});
  if (!options.wafer.fabricPicture.empty())
    files.push_back({"--fabric-svg", options.wafer.fabricPicture});
  if (!options.wafer.waveletLog.empty())
    files.push_back({"--wavelet-log", options.wafer.waveletLog});
  if (!options.wafer.checkpoint.empty())
    files.push_back({"--checkpoint", options.wafer.checkpoint});
  llvm::StringMap<std::pair<StringRef, StringRef>> seen;
  for (auto [flag, path] : files) {
    llvm::Expected<OutputPlace> place = findOutputPlace(path);
    if (!place) {
      llvm::consumeError(place.takeError()); // writing it will tell
      continue;
    }
    if (place->keepsNothing)
      continue;
    auto [other, isNew] = seen.try_emplace(place->identity(), flag, path);
    if (!isNew)
      return (other->second.first + " '" + other->second.second + "' and " +
              flag + " '" + path + "' are the same file")
          .str();
  }
  return std::nullopt;
}

/// A flag that only a program for a wafer takes.
static StringRef findWaferFlag(const WaferFlags &flags) {
  std::pair<bool, StringRef> given[] = {
      {!flags.grid.empty(), "--grid"},
      {!flags.launches.empty(), "--launch"},
      {!flags.fabricPicture.empty(), "--fabric-svg"},
      {!flags.waveletLog.empty(), "--wavelet-log"},
      {!flags.tracePes.empty(), "--trace-pes"},
      {flags.randomLatency, "--random-latency"},
      {flags.shallowQueues, "--shallow-queues"},
      {flags.highestTaskFirst, "--highest-task-first"},
      {flags.seed != 0, "--seed"},
      {flags.threads != 1, "--threads"},
      {!flags.checkpoint.empty(), "--checkpoint"},
      {flags.checkpointEvery.has_value(), "--checkpoint-every"},
      {!flags.resume.empty(), "--resume"}};
  for (auto [isGiven, flag] : given)
    if (isGiven)
      return flag;
  return "";
}

/// What no program could make right.
static std::optional<std::string> findUsageError(const RunOptions &options) {
  const api::CompileOptions &compile = options.compile;
  if (isForWafer(options)) {
    if (std::string usage = findWaferUsageError(options); !usage.empty())
      return usage;
    return findCollision(options);
  }
  if (options.exchange)
    return std::to_string(options.exchange->size()) +
           " processes share a program for a wafer, found one for another "
           "target, allowed is 1";
  if (StringRef flag = findWaferFlag(options.wafer); !flag.empty())
    return (flag + " belongs to a program for a wafer (--target " +
            knownCslMachineNames() + ")")
        .str();
  if (compile.path.empty() == compile.einsum.empty())
    return compile.path.empty() ? "give a program (.mlir or .json) or --einsum"
                                : "--einsum takes no program file, found '" +
                                      excerpt(compile.path) + "'";
  if (!compile.einsum.empty() && compile.dtype.empty())
    return "--einsum needs --dtype";
  if (compile.einsum.empty() &&
      !(compile.dtype.empty() && compile.outputDtype.empty() &&
        compile.sizes.empty()))
    return "--size, --dtype and --output-dtype belong to --einsum";
  if (compile.einsum.empty() && compile.allowNarrow)
    return "--allow-narrow belongs to --einsum; --allow-bf16 rounds the f32 "
           "operands of a program";
  if (!options.whatIf.empty() && !options.run.timingOnly)
    return "--what-if supposes other times, so it needs --timing-only";
  if (options.run.timingOnly && options.run.verify)
    return "--timing-only computes no values that --verify could compare";
  if (options.run.timingOnly && !options.outputs.empty())
    return "--timing-only computes no values for --output";
  return findCollision(options);
}

static void printSummary(const RunOptions &options,
                         const api::RunResult &result, llvm::raw_ostream &log) {
  const sim::Report &report = result.report;
  if (result.digitProducts > 0)
    log << result.digitProducts
        << (result.digitProducts == 1 ? " contraction" : " contractions")
        << " of digits added, for operands wider than the contraction engine "
           "takes; "
        << (options.compile.einsum.empty() ? "--allow-bf16" : "--allow-narrow")
        << " rounds them instead\n";
  log << llvm::formatv("cycles {0}, MAC utilization {1}, simulated in {2}\n",
                       report.cycles,
                       llvm::format("%.1f %%", 100 * report.macUtilization),
                       llvm::format("%.3f s", report.wallSeconds));
}

page::Heading tools::describeRun(const RunOptions &options) {
  page::Heading heading;
  heading.title = options.compile.path.empty()
                      ? options.compile.einsum
                      : llvm::sys::path::filename(options.compile.path).str();
  llvm::raw_string_ostream os(heading.command);
  llvm::ListSeparator space(" ");
  for (auto [index, argument] : llvm::enumerate(options.arguments)) {
    os << space;
    StringRef text = argument;
    llvm::sys::printArg(os, index ? text : llvm::sys::path::filename(text),
                        /*Quote=*/false);
  }
  return heading;
}

/// The command line of a run without data, with `flag` besides.
static std::string commandLine(const RunOptions &options, StringRef flag) {
  const api::CompileOptions &compile = options.compile;
  std::string text;
  llvm::raw_string_ostream os(text);
  auto add = [&](const Twine &argument) {
    os << ' ';
    llvm::sys::printArg(os, argument.str(), /*Quote=*/false);
  };
  auto addIf = [&](bool given, const Twine &argument) {
    StringRef name = flag.split('=').first;
    if (given && !StringRef(argument.str()).starts_with((name + "=").str()))
      add(argument);
  };
  os << "sequin-run";
  addIf(!compile.path.empty(), compile.path);
  addIf(!compile.einsum.empty(), "--einsum=" + compile.einsum);
  for (const std::string &size : compile.sizes)
    add("--size=" + size);
  addIf(!compile.dtype.empty(), "--dtype=" + compile.dtype);
  addIf(!compile.outputDtype.empty(), "--output-dtype=" + compile.outputDtype);
  addIf(!compile.target.empty(), "--target=" + compile.target);
  addIf(compile.chips.has_value(),
        "--chips=" + Twine(compile.chips.value_or(1)));
  addIf(compile.entry != "main", "--entry=" + compile.entry);
  addIf(compile.allowBf16, "--allow-bf16");
  addIf(compile.allowNarrow, "--allow-narrow");
  addIf(!compile.argumentLayout.empty(),
        "--argument-layout=" + compile.argumentLayout);
  addIf(compile.searchBudget.has_value(),
        "--search-budget=" + Twine(compile.searchBudget.value_or(1)));
  addIf(options.run.maxSteps.has_value(),
        "--max-steps=" + Twine(options.run.maxSteps.value_or(1)));
  add("--timing-only");
  add(flag);
  return text;
}

/// Ranks what would be faster, and says how to see it.
static llvm::Error printAdvice(const RunOptions &options,
                               const api::Program &program, int64_t cycles,
                               llvm::raw_ostream &log) {
  auto found = withProgress(options.progress, [&] {
    return api::advise(options.compile, program, options.run);
  });
  if (!found)
    return found.takeError();
  log << llvm::formatv("advice: {0} changes were simulated one by one; as it "
                       "is, the run takes {1} cycles\n",
                       found->size(), cycles);
  size_t useless = 0;
  for (const api::Suggestion &suggestion : *found) {
    if (suggestion.cycles >= cycles) {
      ++useless;
      continue;
    }
    double gain = 100.0 * static_cast<double>(cycles - suggestion.cycles) /
                  static_cast<double>(cycles);
    log << llvm::formatv(
        "  {0} cycles, {1} less: {2} ({3})\n    {4}\n", suggestion.cycles,
        llvm::format("%.1f %%", gain), suggestion.what,
        suggestion.ofMachine ? "a fact of the machine" : "up to the program",
        commandLine(options, suggestion.flag));
  }
  if (useless > 0)
    log << "  " << useless << (useless == 1 ? " change gains" : " changes gain")
        << " nothing\n";
  return llvm::Error::success();
}

/// The page of a run, or of one that trapped: `report` is null then.
static llvm::Error addPage(OutputFiles &files, const RunOptions &options,
                           const api::Program &program,
                           const sim::Report *report, const sim::Trap *trap) {
  if (options.page.empty())
    return llvm::Error::success();
  page::TcpRun run{program.config(), program.machine(), report, trap,
                   &program.mappings()};
  return files.add(options.page, [&](llvm::raw_ostream &os) {
    page::writeTcpPage(os, describeRun(options), run);
    return llvm::Error::success();
  });
}

/// Of a run that trapped, the page is what tells why.
static llvm::Error writeTrapPage(const RunOptions &options,
                                 const api::Program &program,
                                 llvm::Error error) {
  OutputFiles files;
  llvm::Error bad = llvm::Error::success();
  error = llvm::handleErrors(
      std::move(error), [&](std::unique_ptr<sim::Trap> trap) -> llvm::Error {
        bad = llvm::joinErrors(std::move(bad), addPage(files, options, program,
                                                       nullptr, trap.get()));
        return llvm::Error(std::move(trap));
      });
  if (!bad)
    bad = files.commit();
  return llvm::joinErrors(std::move(error), std::move(bad));
}

static llvm::Error writeFiles(const RunOptions &options,
                              const api::Program &program,
                              const api::RunResult &result) {
  OutputFiles files;
  for (auto [index, path] : llvm::enumerate(options.outputs))
    if (llvm::Error error = files.addArray(
            path, program.toOutput(index, result.outputs[index], options.raw)))
      return error;
  auto add =
      [&](StringRef path,
          llvm::function_ref<void(llvm::raw_ostream &)> write) -> llvm::Error {
    if (path.empty())
      return llvm::Error::success();
    return files.add(path, [&](llvm::raw_ostream &os) {
      write(os);
      return llvm::Error::success();
    });
  };
  if (llvm::Error error = add(options.report, [&](llvm::raw_ostream &os) {
        api::writeJSON(os, result);
      }))
    return error;
  if (llvm::Error error = add(options.timeline, [&](llvm::raw_ostream &os) {
        sim::writeChromeTrace(os, result.report);
      }))
    return error;
  if (llvm::Error error =
          addPage(files, options, program, &result.report, nullptr))
    return error;
  StringRef mappings = options.reportMapping;
  if (llvm::Error error = add(mappings, [&](llvm::raw_ostream &os) {
        if (mappings.ends_with(".json"))
          os << llvm::formatv("{0:2}\n", llvm::json::Value(llvm::json::Array(
                                             program.mappings())));
        else
          os << api::describeMappings(program.mappings());
      }))
    return error;
  return files.commit();
}

/// Reads the files of --input.
static llvm::Expected<std::vector<sim::HostArray>>
readInputs(const RunOptions &options, const api::Program &program) {
  std::vector<sim::HostArray> inputs;
  for (auto [index, path] : llvm::enumerate(options.inputs)) {
    auto file = readNpy(path);
    if (!file)
      return file.takeError();
    auto array = program.toInput(index, std::move(*file), path);
    if (!array)
      return array.takeError();
    inputs.push_back(std::move(*array));
  }
  return inputs;
}

ExitCode tools::run(const RunOptions &options, llvm::raw_ostream &log) {
  if (std::optional<std::string> usage = findUsageError(options)) {
    log << "error: " << *usage << "\n";
    return kUsage;
  }
  if (options.run.maxSteps && *options.run.maxSteps < 1)
    return refuse(log, "--max-steps is " + Twine(*options.run.maxSteps) +
                           ", must be at least 1");
  if (isForWafer(options))
    return runOnWafer(options, log);

  api::CompileOptions compile = options.compile;
  compile.recordMappings =
      !options.reportMapping.empty() || !options.page.empty();
  compile.keepGiven = options.run.verify;
  auto compiled = withProgress(options.progress,
                               [&] { return api::Program::compile(compile); });
  if (!compiled)
    return refuse(log, compiled.takeError());
  const api::Program &program = **compiled;
  log << program.warningText();
  if (!options.reportMapping.empty() && program.mappings().empty())
    return refuse(log, "--report-mapping: the program is lowered already, so "
                       "nothing was mapped");
  if (options.run.verify)
    if (llvm::Error error = program.checkVerifiable())
      return refuse(log, std::move(error));

  if (!options.run.timingOnly &&
      options.inputs.size() != program.inputs().size())
    return refuse(log, "the program takes " + program.describeInputs() +
                           ", --input is given " +
                           Twine(options.inputs.size()) + " times");
  if (options.outputs.size() > program.outputs().size())
    return refuse(log, "the program has " + program.describeOutputs() +
                           ", --output is given " +
                           Twine(options.outputs.size()) + " times");
  std::vector<sim::HostArray> inputs;
  if (!options.run.timingOnly) {
    auto read = readInputs(options, program);
    if (!read)
      return refuse(log, read.takeError());
    inputs = std::move(*read);
  }

  api::RunOptions runOptions = options.run;
  runOptions.keepAccesses = !options.page.empty();
  auto whatIf = sim::parseWhatIf(options.whatIf);
  if (!whatIf)
    return refuse(log, whatIf.takeError());
  runOptions.whatIf = *whatIf;
  auto result = withProgress(options.progress,
                             [&] { return program.run(inputs, runOptions); });
  if (!result)
    return refuse(log, writeTrapPage(options, program, result.takeError()));
  if (options.run.verify)
    log << "verified: " << result->verified << "\n";
  if (llvm::Error error = writeFiles(options, program, *result))
    return refuse(log, std::move(error));
  printSummary(options, *result, log);
  if (options.advise)
    if (llvm::Error error =
            printAdvice(options, program, result->report.cycles, log))
      return refuse(log, std::move(error));
  return kSuccess;
}
