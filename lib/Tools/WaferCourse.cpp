//===- WaferCourse.cpp - A run on a wafer and its checkpoints -------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WaferCourse.h"
#include "sequin/Support/Archive.h"
#include "sequin/Support/Excerpt.h"
#include "sequin/Support/Interrupt.h"
#include "sequin/Support/OutputFile.h"
#include "sequin/Support/Version.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/xxhash.h"
#include <csignal>

using namespace sequin;
using namespace sequin::tools;
using namespace sequin::wafer;
using llvm::StringRef;
using llvm::Twine;

static constexpr StringRef kMagic = "sequin wafer checkpoint\n";

std::string tools::findCheckpointUsageError(const RunOptions &options) {
  const WaferFlags &flags = options.wafer;
  if (flags.checkpointEvery && flags.checkpoint.empty())
    return "--checkpoint-every needs --checkpoint";
  if (flags.checkpointEvery && *flags.checkpointEvery < 1)
    return "--checkpoint-every is " + std::to_string(*flags.checkpointEvery) +
           ", must be at least 1";
  if (flags.checkpoint.empty() && flags.resume.empty())
    return "";
  std::pair<bool, StringRef> ofWholeRuns[] = {
      {!options.timeline.empty(), "--timeline"},
      {!options.page.empty(), "--page"},
      {!flags.waveletLog.empty(), "--wavelet-log"}};
  for (auto [given, flag] : ofWholeRuns)
    if (given)
      return flag.str() + " shows a whole run, not one with --checkpoint or "
                          "--resume";
  return "";
}

Course::Course(const RunOptions &options, const Plan &plan, Session &session,
               Recorder *recorder)
    : options(options), plan(plan), session(session), recorder(recorder) {}

llvm::Error Course::copyIn() {
  for (const Transfer &input : plan.inputs)
    if (llvm::Error bad =
            input.stream
                ? session.send(input.place.name, input.where, input.words)
                : session.copyIn(input.place.name, input.where, input.bytes,
                                 input.missing))
      return bad;
  return llvm::Error::success();
}

llvm::Error Course::run() {
  std::optional<StopScope> stops;
  if (!options.wafer.checkpoint.empty())
    stops.emplace();
  bool goesOn = !options.wafer.resume.empty();
  if (llvm::Error bad = goesOn ? resume() : copyIn())
    return bad;
  for (; position < plan.launches.size(); ++position) {
    const Launch &launch = plan.launches[position];
    if (!std::exchange(goesOn, false))
      if (llvm::Error bad = session.launch(launch.place.name, launch.where,
                                           launch.arguments, launch.missing))
        return bad;
    if (llvm::Error bad = runOn())
      return bad;
  }
  if (!options.wafer.checkpoint.empty())
    if (llvm::Error bad = runOn())
      return bad;
  return session.finish();
}

/// Until nothing moves.
llvm::Error Course::runOn() {
  if (options.wafer.checkpoint.empty())
    return session.run();
  for (;;) {
    uint64_t now = session.simulator().now(), cycles = ~uint64_t(0);
    // At the same cycles wherever a run goes on.
    if (auto every =
            static_cast<uint64_t>(options.wafer.checkpointEvery.value_or(0)))
      cycles = every - now % every;
    auto moves = session.runFor(cycles);
    if (!moves)
      return moves.takeError();
    if (!*moves)
      return llvm::Error::success();
    if (llvm::Error bad = write())
      return bad;
    // It may be another rank that was asked.
    if (!stopAsked() && session.simulator().now() - now >= cycles)
      continue;
    signal = stopAsked() ? stopAsked() : SIGINT;
    return llvm::createStringError(
        "stopped at cycle " + Twine(session.simulator().now()) + "; --resume " +
        options.wafer.checkpoint + " goes on");
  }
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

/// What is copied and launched, as a number.
static uint64_t fingerprint(const Plan &plan) {
  Saver saver;
  auto add = [&](StringRef name, const Rectangle &where, const auto &data) {
    saver(name.str());
    for (int64_t number : {where.x, where.y, where.width, where.height})
      saver(number);
    llvm::ArrayRef<uint8_t> bytes(
        reinterpret_cast<const uint8_t *>(data.data()),
        data.size() * sizeof data[0]);
    saver(static_cast<uint64_t>(bytes.size()));
    saver(llvm::xxh3_64bits(bytes));
  };
  for (const Transfer &input : plan.inputs) {
    add(input.place.name, input.where, input.bytes);
    add(input.place.name, input.where, input.words);
  }
  for (const Launch &launch : plan.launches)
    add(launch.place.name, launch.where, launch.arguments);
  return llvm::xxh3_64bits(saver.bytes);
}

namespace {
/// What a checkpoint must have in common with who goes on from it.
struct Identity {
  std::string version, machine;
  uint64_t program = 0, plan = 0;
  bool randomLatency = false, shallowQueues = false, highestTaskFirst = false;
  bool isRecorded = false;
  int64_t seed = 0;

  template <typename A> void transfer(A &a) {
    a(version);
    a(machine);
    a(program);
    a(plan);
    for (bool *flag :
         {&randomLatency, &shallowQueues, &highestTaskFirst, &isRecorded})
      a(*flag);
    a(seed);
  }
};
} // namespace

static Identity identify(const RunOptions &options, const Plan &plan,
                         const Session &session, bool isRecorded) {
  Identity identity;
  identity.version = version().str();
  if (!revision().empty())
    identity.version += " (" + revision().str() + ")";
  identity.machine = session.program().target;
  identity.program = wafer::fingerprint(session.program());
  identity.plan = fingerprint(plan);
  identity.randomLatency = options.wafer.randomLatency;
  identity.shallowQueues = options.wafer.shallowQueues;
  identity.highestTaskFirst = options.wafer.highestTaskFirst;
  identity.isRecorded = isRecorded;
  identity.seed = options.wafer.seed;
  return identity;
}

llvm::Error Course::write() {
  if (identity.empty()) {
    Saver saver;
    identify(options, plan, session, recorder).transfer(saver);
    identity = std::move(saver.bytes);
  }
  Saver head;
  head.raw(identity.data(), identity.size());
  head(position);
  std::string recorded;
  if (recorder) {
    llvm::raw_string_ostream os(recorded);
    recorder->save(os, session.program());
  }
  head(recorded);
  uint64_t size = head.bytes.size();
  return writeOutput(options.wafer.checkpoint, [&](llvm::raw_ostream &os) {
    os << kMagic;
    os.write(reinterpret_cast<const char *>(&size), sizeof size);
    os.write(reinterpret_cast<const char *>(head.bytes.data()), size);
    session.save(os);
    return llvm::Error::success();
  });
}

/// Why a run does not go on from a checkpoint; "" if it does.
static std::string compare(const Identity &found, const Identity &here) {
  if (found.machine != here.machine)
    return "is for '" + excerpt(found.machine) + "', the program is for '" +
           here.machine + "'";
  if (found.program != here.program)
    return "is of another program";
  if (found.plan != here.plan)
    return "is of a run with other inputs or launches";
  if (found.randomLatency != here.randomLatency || found.seed != here.seed ||
      found.shallowQueues != here.shallowQueues ||
      found.highestTaskFirst != here.highestTaskFirst)
    return "is of a run with another --random-latency, --seed, "
           "--shallow-queues or --highest-task-first";
  if (found.isRecorded != here.isRecorded)
    return found.isRecorded ? "is of a run with --report or --fabric-svg, "
                              "found neither"
                            : "is of a run without --report and --fabric-svg";
  return "";
}

llvm::Error Course::resume() {
  const std::string &path = options.wafer.resume;
  auto refuse = [&](const Twine &what) {
    return llvm::createStringError("checkpoint '" + path + "' " + what);
  };
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!file)
    return llvm::createStringError("cannot read '" + path +
                                   "': " + file.getError().message());
  StringRef text = (*file)->getBuffer();
  if (!text.consume_front(kMagic))
    return refuse("is none");
  Loader all({reinterpret_cast<const uint8_t *>(text.data()), text.size()});
  Loader head(all.view(all.length(1)));
  Identity here = identify(options, plan, session, recorder), found;
  // The version comes first: what follows may be others' by its form.
  Loader versions = head;
  versions(found.version);
  if (!versions.isBad() && found.version != here.version)
    return refuse("is of Sequin " + excerpt(found.version) + ", this is " +
                  here.version);
  found.transfer(head);
  std::string recorded;
  head.below(position, plan.launches.size() + 1);
  head(recorded);
  if (head.isBad() || !head.atEnd())
    return refuse("is cut off or damaged");
  if (std::string why = compare(found, here); !why.empty())
    return refuse(why);
  if (recorder)
    if (llvm::Error bad =
            recorder->load({reinterpret_cast<const uint8_t *>(recorded.data()),
                            recorded.size()},
                           session.program()))
      return refuse(llvm::toString(std::move(bad)));
  if (llvm::Error bad = session.load(all.view(all.remaining())))
    return refuse(llvm::toString(std::move(bad)));
  return llvm::Error::success();
}
