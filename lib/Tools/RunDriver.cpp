//===- RunDriver.cpp - What sequin-run does -------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Tools/RunDriver.h"
#include "RunArrays.h"
#include "RunModule.h"
#include "sequin/Support/Excerpt.h"
#include "sequin/Support/OutputFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace sequin;
using namespace sequin::tools;
using llvm::StringRef;
using llvm::Twine;

static ExitCode refuse(llvm::raw_ostream &log, const Twine &what) {
  log << "error: " << what << "\n";
  return kRefused;
}

static ExitCode refuse(llvm::raw_ostream &log, llvm::Error error) {
  return refuse(log, llvm::toString(std::move(error)));
}

/// The first two flags whose files are one file. What a device takes is not
/// kept, so it may be named twice.
static std::optional<std::string> findCollision(const RunOptions &options) {
  std::vector<std::pair<StringRef, StringRef>> files;
  for (StringRef path : options.outputs)
    files.push_back({"--output", path});
  if (!options.report.empty())
    files.push_back({"--report", options.report});
  if (!options.timeline.empty())
    files.push_back({"--timeline", options.timeline});
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

/// What no program could make right.
static std::optional<std::string> findUsageError(const RunOptions &options) {
  if (options.program.empty() == options.einsum.empty())
    return options.program.empty()
               ? "give a program (.mlir or .json) or --einsum"
               : "--einsum takes no program file, found '" +
                     excerpt(options.program) + "'";
  if (!options.einsum.empty() && options.dtype.empty())
    return "--einsum needs --dtype";
  if (options.einsum.empty() &&
      !(options.dtype.empty() && options.outputDtype.empty() &&
        options.sizes.empty()))
    return "--size, --dtype and --output-dtype belong to --einsum";
  if (options.timingOnly && options.verify)
    return "--timing-only computes no values that --verify could compare";
  if (options.timingOnly && !options.outputs.empty())
    return "--timing-only computes no values for --output";
  return findCollision(options);
}

/// Reads a configuration that needs no lowering, without MLIR.
static llvm::Expected<config::Program> readJson(const RunOptions &options) {
  auto buffer = llvm::MemoryBuffer::getFile(options.program);
  if (std::error_code code = buffer.getError())
    return llvm::createStringError("cannot read '" + options.program +
                                   "': " + code.message());
  auto program = config::fromJSONText((*buffer)->getBuffer());
  if (!program)
    return llvm::createStringError("'" + options.program +
                                   "': " + llvm::toString(program.takeError()));
  if (options.verify)
    return llvm::createStringError("--verify needs the program before it is "
                                   "lowered to a configuration");
  return program;
}

/// "2 inputs ('x' bf16 [360, 64], 'w' bf16 [64, 128])".
static std::string describe(llvm::ArrayRef<config::Argument> arguments,
                            StringRef noun) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << arguments.size() << ' ' << noun << (arguments.size() == 1 ? "" : "s");
  if (arguments.empty())
    return text;
  os << " (";
  llvm::ListSeparator comma;
  for (const config::Argument &argument : arguments)
    os << comma << '\'' << argument.name << "' " << getName(argument.type)
       << ' ' << shapeText(argument.shape);
  os << ')';
  return text;
}

static int64_t countOf(llvm::ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

/// The program's arguments in the shapes their author gave them.
static llvm::Error reshape(std::vector<config::Argument> &arguments,
                           const ProgramModule::Shapes &shapes) {
  bool matches = arguments.size() == shapes.size();
  for (size_t i = 0; matches && i < shapes.size(); ++i)
    matches = countOf(arguments[i].shape) == countOf(shapes[i]);
  if (!matches)
    return llvm::createStringError(
        "the lowered program has other arguments or results than the given "
        "one");
  for (auto [argument, shape] : llvm::zip_equal(arguments, shapes))
    argument.shape = shape;
  return llvm::Error::success();
}

static void printSummary(const sim::Report &report, llvm::raw_ostream &log) {
  log << llvm::formatv("cycles {0}, MAC utilization {1}, simulated in {2}\n",
                       report.cycles,
                       llvm::format("%.1f %%", 100 * report.macUtilization),
                       llvm::format("%.3f s", report.wallSeconds));
}

static llvm::Error writeFiles(const RunOptions &options,
                              const sim::Result &result,
                              llvm::ArrayRef<config::Argument> results) {
  OutputFiles files;
  for (auto [path, array, argument] :
       llvm::zip_first(options.outputs, result.outputs, results))
    if (llvm::Error error =
            files.addArray(path, toNpy(array, argument.shape, options.raw)))
      return error;
  auto addJson = [&](StringRef path, llvm::json::Value value) {
    return files.addText(path, llvm::formatv("{0:2}\n", value).str());
  };
  if (!options.report.empty())
    if (llvm::Error error = addJson(options.report, sim::toJSON(result.report)))
      return error;
  if (!options.timeline.empty())
    if (llvm::Error error =
            addJson(options.timeline, sim::toChromeTrace(result.report)))
      return error;
  return files.commit();
}

ExitCode tools::run(const RunOptions &options, llvm::raw_ostream &log) {
  if (std::optional<std::string> usage = findUsageError(options)) {
    log << "error: " << *usage << "\n";
    return kUsage;
  }
  if (!options.target.empty() && !lookupTcpMachine(options.target))
    return refuse(log, "--target '" + excerpt(options.target) +
                           "' is no machine, known are " + knownMachineNames());
  if (options.chips && *options.chips < 1)
    return refuse(log, "--chips is " + Twine(*options.chips) +
                           ", must be at least 1");

  if (options.maxSteps && *options.maxSteps < 1)
    return refuse(log, "--max-steps is " + Twine(*options.maxSteps) +
                           ", must be at least 1");

  // The configuration.
  std::unique_ptr<ProgramModule> module;
  config::Program program;
  if (StringRef(options.program).ends_with(".json")) {
    auto read = readJson(options);
    if (!read)
      return refuse(log, read.takeError());
    program = std::move(*read);
  } else {
    module = std::make_unique<ProgramModule>(options, log);
    if (failed(module->load()))
      return kRefused;
    auto lowered = module->lower();
    if (failed(lowered))
      return kRefused;
    program = std::move(*lowered);
  }
  const TcpMachine *machine = lookupTcpMachine(program.target);
  if (!machine)
    return refuse(log, "the program is for '" + excerpt(program.target) +
                           "', which is no machine, known are " +
                           knownMachineNames());
  if (!options.target.empty() && options.target != program.target)
    return refuse(log, "the program is for machine '" + program.target +
                           "', --target is '" + options.target + "'");
  if (options.chips && *options.chips != program.chips)
    return refuse(log, "the program is for " + Twine(program.chips) +
                           " chips, --chips is " + Twine(*options.chips));

  // Its arguments.
  std::vector<config::Argument> arguments = program.inputs;
  std::vector<config::Argument> results = program.outputs;
  if (module && module->shapes()) {
    if (llvm::Error error =
            llvm::joinErrors(reshape(arguments, module->shapes()->first),
                             reshape(results, module->shapes()->second)))
      return refuse(log, std::move(error));
  }
  if (!options.timingOnly && options.inputs.size() != arguments.size())
    return refuse(log, "the program takes " + describe(arguments, "input") +
                           ", --input is given " +
                           Twine(options.inputs.size()) + " times");
  if (options.outputs.size() > results.size())
    return refuse(log, "the program has " + describe(results, "output") +
                           ", --output is given " +
                           Twine(options.outputs.size()) + " times");
  std::vector<sim::HostArray> inputs;
  if (!options.timingOnly)
    for (auto [path, argument, plain] :
         llvm::zip_equal(options.inputs, arguments, program.inputs)) {
      auto array = readInput(path, argument);
      if (!array)
        return refuse(log, array.takeError());
      array->shape = plain.shape;
      inputs.push_back(std::move(*array));
    }

  // The run.
  sim::Options simOptions;
  simOptions.timingOnly = options.timingOnly;
  if (options.maxSteps)
    simOptions.maxSteps = *options.maxSteps;
  auto result = sim::run(program, *machine, inputs, simOptions);
  if (!result) {
    llvm::Error error = result.takeError();
    bool trapped = error.isA<sim::Trap>();
    refuse(log, std::move(error));
    return trapped ? kTrapped : kRefused;
  }
  if (options.verify) {
    auto verified = module->verify(inputs, result->outputs);
    if (failed(verified))
      return kRefused;
    log << "verified: " << *verified << "\n";
  }
  if (llvm::Error error = writeFiles(options, *result, results))
    return refuse(log, std::move(error));
  printSummary(result->report, log);
  return kSuccess;
}
