//===- WaferDriver.cpp - What sequin-run does on a wafer ------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WaferDriver.h"
#include "WaferCourse.h"
#include "WaferPlan.h"
#include "sequin/Api/WaferModule.h"
#include "sequin/Page/WaferPage.h"
#include "sequin/Support/Excerpt.h"
#include "sequin/Support/Interrupt.h"
#include "sequin/Support/OutputFile.h"
#include "sequin/WaferHost/Report.h"
#include "sequin/WaferHost/SymbolArrays.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include <chrono>

using namespace sequin;
using namespace sequin::tools;
using namespace sequin::wafer;
using llvm::StringRef;
using llvm::Twine;

//===----------------------------------------------------------------------===//
// The command line
//===----------------------------------------------------------------------===//

bool tools::isForWafer(const RunOptions &options) {
  if (!options.compile.target.empty() &&
      lookupCslMachine(options.compile.target))
    return true;
  return options.compile.target.empty() && options.compile.einsum.empty() &&
         !options.compile.path.empty() &&
         api::isWaferProgram(options.compile.path);
}

std::string tools::findWaferUsageError(const RunOptions &options) {
  if (options.compile.path.empty())
    return "give a program (.mlir or .json) for --target " +
           options.compile.target;
  std::pair<bool, StringRef> foreign[] = {
      {options.compile.chips.has_value(), "--chips"},
      {!options.compile.einsum.empty(), "--einsum"},
      {options.compile.allowBf16, "--allow-bf16"},
      {options.compile.allowNarrow, "--allow-narrow"},
      {!options.compile.argumentLayout.empty(), "--argument-layout"},
      {options.compile.searchBudget.has_value(), "--search-budget"},
      {!options.reportMapping.empty(), "--report-mapping"},
      {options.advise, "--advise"},
      {!options.whatIf.empty(), "--what-if"},
      {!options.compile.sizes.empty(), "--size"},
      {!options.compile.dtype.empty(), "--dtype"},
      {!options.compile.outputDtype.empty(), "--output-dtype"}};
  for (auto [given, flag] : foreign)
    if (given)
      return flag.str() + " means nothing to a program for a wafer";
  if (options.run.timingOnly)
    return "--timing-only means nothing to a program for a wafer: what is in "
           "memory and in wavelets decides what happens when";
  constexpr int64_t kMostThreads = 256;
  if (options.wafer.threads < 1 || options.wafer.threads > kMostThreads)
    return "--threads is " + std::to_string(options.wafer.threads) +
           ", allowed are 1 to " + std::to_string(kMostThreads);
  return findCheckpointUsageError(options);
}

/// What a stream brought: [H, W, n], of an edge [n].
static llvm::Expected<NpyArray> takeStream(const Transfer &output,
                                           Session &session) {
  const Stream &stream = *output.stream;
  bool edge = stream.kind == Stream::Kind::Edge;
  Rectangle where = edge ? Rectangle{stream.x, stream.y, 1, 1} : output.where;
  std::optional<uint64_t> count;
  for (int64_t y = where.y; y < where.y + where.height; ++y)
    for (int64_t x = where.x; x < where.x + where.width; ++x) {
      auto here = session.received(stream.name, x, y);
      if (!here)
        return here.takeError();
      if (count && *count != *here)
        return llvm::createStringError(
            "stream '" + stream.name + "' brought " + Twine(*count) +
            " words from PE (" + Twine(where.x) + ", " + Twine(where.y) +
            ") and " + Twine(*here) + " from PE (" + Twine(x) + ", " +
            Twine(y) + "); name PEs that send the same number");
      count = *here;
    }
  auto words = session.receive(stream.name, where, count.value_or(0));
  if (!words)
    return words.takeError();
  NpyArray array;
  array.dtype = "u4";
  if (!edge)
    array.shape = {where.height, where.width};
  array.shape.push_back(static_cast<int64_t>(count.value_or(0)));
  for (uint32_t word : *words)
    for (unsigned byte = 0; byte < 4; ++byte)
      array.data.push_back(static_cast<uint8_t>(word >> (8 * byte)));
  return array;
}

static llvm::Error addOutputs(const Plan &plan, const RunOptions &options,
                              Session &session, OutputFiles &files) {
  for (const Transfer &output : plan.outputs) {
    NpyArray array;
    if (output.stream) {
      auto taken = takeStream(output, session);
      if (!taken)
        return taken.takeError();
      array = std::move(*taken);
    } else {
      // A pointer may have moved.
      auto data = session.dataOf(*output.symbol, output.where);
      if (!data)
        return data.takeError();
      auto bytes = session.copyOut(output.place.name, output.where,
                                   data->bytesPerPe(), output.missing);
      if (!bytes)
        return bytes.takeError();
      if (output.distribution) {
        const Program &program = session.program();
        llvm::SmallVector<int64_t, 4> shape;
        for (const DistributedDim &dim : output.distribution->dims)
          shape.push_back(dim.size);
        array =
            toArray(output.distribution->gather(*bytes, data->elementBytes,
                                                program.width, program.height),
                    *data, program.fp16, shape, options.raw);
      } else
        array = toArray(std::move(*bytes), *data, session.program().fp16,
                        shapeOf(*data, output.where), options.raw);
    }
    if (llvm::Error bad = files.addArray(output.path, array))
      return bad;
  }
  return llvm::Error::success();
}

static llvm::Error addJson(OutputFiles &files, StringRef path,
                           const llvm::json::Value &value) {
  return files.addText(path, llvm::formatv("{0:2}\n", value).str());
}

/// Also of a run that failed: then they are what tells why. `shown` says how it
/// ended.
static llvm::Error addTraces(const RunOptions &options,
                             const Recorder *recorder, const Session &session,
                             const page::WaferRun *shown, OutputFiles &files) {
  if (!options.page.empty())
    if (llvm::Error bad = files.add(options.page, [&](llvm::raw_ostream &os) {
          page::writeWaferPage(os, describeRun(options), *shown);
          return llvm::Error::success();
        }))
      return bad;
  if (!options.timeline.empty())
    if (llvm::Error bad = files.add(options.timeline,
                                    [&](llvm::raw_ostream &os) -> llvm::Error {
                                      recorder->writeTimeline(os, session);
                                      return llvm::Error::success();
                                    }))
      return bad;
  if (StringRef path = options.wafer.waveletLog; !path.empty())
    if (llvm::Error bad = path.ends_with(".json")
                              ? addJson(files, path, recorder->waveletJson())
                              : files.addText(path, recorder->waveletText()))
      return bad;
  if (StringRef path = options.wafer.fabricPicture; !path.empty())
    if (llvm::Error bad = files.addText(path, recorder->picture(session)))
      return bad;
  return llvm::Error::success();
}

static constexpr size_t kMostFindings = 16;

static void warnOf(llvm::ArrayRef<Race> findings, llvm::raw_ostream &log) {
  for (const Race &finding : findings.take_front(kMostFindings))
    log << "warning: PE (" << finding.x << ", " << finding.y << ") at cycle "
        << finding.cycle << ": " << finding.message << "\n";
  if (findings.size() > kMostFindings)
    log << "warning: the same at " << findings.size() - kMostFindings
        << " more PEs\n";
}

static llvm::Error checkRaces(const Session &session) {
  llvm::ArrayRef<Race> races = session.simulator().races();
  if (races.empty())
    return llvm::Error::success();
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::ListSeparator lines("\n");
  for (const Race &race : races.take_front(kMostFindings))
    os << lines << "race: PE (" << race.x << ", " << race.y << ") at cycle "
       << race.cycle << ": " << race.message;
  if (races.size() > kMostFindings)
    os << "\nand races at " << races.size() - kMostFindings << " more PEs";
  return llvm::make_error<RunFailure>(RunFailure::Kind::Race, std::move(text));
}

static Options simulatorOptions(const RunOptions &options) {
  Options result;
  result.maxSteps =
      static_cast<uint64_t>(options.run.maxSteps.value_or(int64_t(1) << 31));
  result.isLimited = options.run.maxSteps.has_value();
  result.seed = static_cast<uint64_t>(options.wafer.seed);
  result.randomLatency = options.wafer.randomLatency;
  result.shallowQueues = options.wafer.shallowQueues;
  result.highestTaskFirst = options.wafer.highestTaskFirst;
  result.threads = static_cast<unsigned>(options.wafer.threads);
  return result;
}

/// The first rank whose program is not that of rank 0; null has none.
static std::optional<unsigned> findUnlike(Exchange &exchange,
                                          const Program *program) {
  uint64_t mine = program ? fingerprint(*program) : 0;
  std::vector<uint64_t> all(exchange.size());
  exchange.gather(
      {reinterpret_cast<const uint8_t *>(&mine), sizeof mine},
      {reinterpret_cast<uint8_t *>(all.data()), all.size() * sizeof mine});
  auto unlike =
      llvm::find_if(all, [&](uint64_t other) { return other != all[0]; });
  if (unlike == all.end())
    return std::nullopt;
  return static_cast<unsigned>(unlike - all.begin());
}

/// What a rank other than 0 does.
static ExitCode serve(const RunOptions &options, const api::WaferModule &module,
                      Exchange &exchange, llvm::raw_ostream &log) {
  const Program &program = module.program();
  const CslMachine *machine = lookupCslMachine(program.target);
  if (!machine)
    return refuse(log, "no machine"); // rank 0 says it better
  // Rank 0 decides when to stop.
  std::optional<StopScope> stops;
  if (!options.wafer.checkpoint.empty())
    stops.emplace();
  if (llvm::Error bad = Simulator::serve(program, *machine, exchange))
    return refuse(log, std::move(bad));
  return kSuccess;
}

ExitCode tools::runOnWafer(const RunOptions &options, llvm::raw_ostream &log) {
  api::WaferOptions load;
  load.path = options.compile.path;
  load.target = options.compile.target;
  if (options.compile.entry != "main")
    load.entry = options.compile.entry;
  if (!options.wafer.grid.empty()) {
    auto grid = parseGrid(options.wafer.grid);
    if (!grid)
      return refuse(log, grid.takeError());
    load.grid = *grid;
  }
  auto module = api::WaferModule::load(load);
  Exchange *exchange = options.exchange;
  if (exchange) {
    auto unlike =
        findUnlike(*exchange, module ? &(*module)->program() : nullptr);
    if (module && unlike)
      return refuse(log, "rank " + Twine(*unlike) +
                             " has not loaded the program that rank 0 has");
  }
  if (!module)
    return refuse(log, module.takeError());
  if (exchange && exchange->rank() > 0)
    return serve(options, **module, *exchange, log);
  llvm::scope_exit service([&] {
    if (exchange)
      Simulator::endService(*exchange);
  });
  log << (*module)->warningText();
  Options simulation = simulatorOptions(options);
  simulation.exchange = exchange;
  RecorderOptions recorded;
  recorded.timeline = !options.timeline.empty() || !options.page.empty();
  recorded.activity = !options.page.empty();
  recorded.wavelets = !options.wafer.waveletLog.empty();
  if (!options.wafer.tracePes.empty()) {
    auto region = parseRectangle(options.wafer.tracePes, "--trace-pes");
    if (!region)
      return refuse(log, region.takeError());
    recorded.region = *region;
  }
  std::unique_ptr<Recorder> recorder;
  if (recorded.timeline || recorded.activity || recorded.wavelets ||
      !options.report.empty() || !options.wafer.fabricPicture.empty()) {
    recorder = std::make_unique<Recorder>((*module)->program(), recorded);
    simulation.observer = recorder.get();
  }
  auto made = Session::create((*module)->program(), simulation);
  if (!made)
    return refuse(log, made.takeError());
  Session &session = **made;
  if (recorded.region)
    if (llvm::Error bad = session.checkInside(*recorded.region))
      return refuse(log, std::move(bad));

  auto plan = makePlan(options, **module, session);
  if (!plan)
    return refuse(log, plan.takeError());
  Course course(options, *plan, session, recorder.get());
  auto begin = std::chrono::steady_clock::now();
  llvm::Error failed =
      withProgress(options.progress, [&] { return course.run(); });
  double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count();
  for (StringRef line : session.simulator().log())
    log << line << "\n";
  // Memory that nothing wrote holds zero, but nobody says so.
  warnOf(session.simulator().undefinedReads(), log);
  warnOf(session.simulator().lostControls(), log);
  if (recorder && recorder->endsTimelineEarly() && !options.timeline.empty())
    log << "warning: --timeline ends after " << Recorder::kMostSpans
        << " tasks and operations; choose PEs with --trace-pes\n";
  if (recorder && recorder->endsWaveletsEarly())
    log << "warning: --wavelet-log ends after " << Recorder::kMostHops
        << " hops; choose PEs with --trace-pes\n";
  OutputFiles files;
  if (!failed)
    failed = checkRaces(session);
  if (!failed && options.run.verify) {
    auto verified = verify(*plan, session, **module);
    if (verified)
      log << "verified: " << *verified << "\n";
    else
      failed = verified.takeError();
  }
  if (failed) {
    if (failed.isA<RunFailure>()) {
      std::optional<page::WaferRun> shown;
      failed = llvm::handleErrors(
          std::move(failed),
          [&](std::unique_ptr<RunFailure> failure) -> llvm::Error {
            using Kind = RunFailure::Kind;
            Kind kind = failure->getKind();
            if (recorder)
              shown.emplace(page::WaferRun{
                  session, *recorder, seconds, failure->message(),
                  kind == Kind::Hang || kind == Kind::StepLimit,
                  kind == Kind::Trap});
            return llvm::Error(std::move(failure));
          });
      llvm::Error bad = addTraces(options, recorder.get(), session,
                                  shown ? &*shown : nullptr, files);
      if (!bad)
        bad = files.commit();
      failed = llvm::joinErrors(std::move(failed), std::move(bad));
    }
    if (int signal = course.stoppedBy()) {
      log << llvm::toString(std::move(failed)) << "\n";
      return static_cast<ExitCode>(128 + signal);
    }
    return refuse(log, std::move(failed));
  }

  if (llvm::Error bad = addOutputs(*plan, options, session, files))
    return refuse(log, std::move(bad));
  Report report = makeReport(session, seconds, recorder.get());
  if (!options.report.empty())
    if (llvm::Error bad = addJson(files, options.report, toJSON(report)))
      return refuse(log, std::move(bad));
  std::optional<page::WaferRun> shown;
  if (recorder)
    shown.emplace(page::WaferRun{session, *recorder, seconds});
  if (llvm::Error bad = addTraces(options, recorder.get(), session,
                                  shown ? &*shown : nullptr, files))
    return refuse(log, std::move(bad));
  if (llvm::Error bad = files.commit())
    return refuse(log, std::move(bad));
  log << llvm::formatv("cycles {0}, {1} PEs, simulated in {2}\n", report.cycles,
                       report.width * report.height,
                       llvm::format("%.3f s", seconds));
  return kSuccess;
}
