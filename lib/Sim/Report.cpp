//===- Report.cpp - Reports and timelines as JSON -------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Sim/Simulator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <array>

using namespace sequin;
using namespace sequin::sim;

llvm::json::Value sim::toJSON(const Report &report) {
  llvm::json::Array commands;
  for (const CommandTiming &command : report.commands) {
    llvm::json::Object stages;
    for (const auto &[name, cycles] : command.stages)
      stages[name] = cycles;
    llvm::json::Object counters;
    for (const auto &[name, count] : command.counters)
      counters[name] = count;
    commands.push_back(
        llvm::json::Object{{"id", command.id},
                           {"counters", std::move(counters)},
                           {"name", command.name},
                           {"context", command.context},
                           {"chips", llvm::json::Array(command.chips)},
                           {"start", command.start},
                           {"end", command.end},
                           {"wait", command.wait},
                           {"stages", std::move(stages)}});
  }
  return llvm::json::Object{
      {"target", report.target},
      {"chips", report.chips},
      {"cycles", report.cycles},
      {"seconds", report.seconds},
      {"macs", report.macs},
      {"peak_macs_per_cycle", report.peakMacsPerCycle},
      {"mac_utilization", report.macUtilization},
      {"hbm_bytes_read", report.hbmBytesRead},
      {"hbm_bytes_written", report.hbmBytesWritten},
      {"hbm_utilization", report.hbmUtilization},
      {"commands", std::move(commands)},
      {"sim", llvm::json::Object{{"wall_seconds", report.wallSeconds},
                                 {"macs_per_second", report.macsPerSecond}}}};
}

namespace {
/// Writes trace events. One microsecond of the trace is one cycle: viewers have
/// no unit "cycle". A chip is a process, a context one of its tracks.
class Trace {
public:
  Trace(llvm::json::OStream &out, int64_t chips) : out(out), ends(chips) {
    for (int64_t chip = 0; chip < chips; ++chip) {
      name("process_name", chip, 0, "chip " + std::to_string(chip));
      for (auto [track, context] : llvm::enumerate(kContexts))
        name("thread_name", chip, track, context);
    }
  }

  void add(const CommandTiming &command, int64_t chip);

private:
  static constexpr llvm::StringLiteral kContexts[] = {"main", "sub", "dma"};

  void name(llvm::StringRef kind, int64_t chip, int64_t track,
            llvm::StringRef text) {
    out.object([&] {
      out.attributeObject("args", [&] { out.attribute("name", text); });
      out.attribute("name", kind);
      out.attribute("ph", "M");
      out.attribute("pid", chip);
      out.attribute("tid", track);
    });
  }
  void slice(llvm::StringRef name, llvm::StringRef category, int64_t chip,
             int64_t track, int64_t start, int64_t cycles,
             llvm::function_ref<void()> writeArguments = nullptr) {
    out.object([&] {
      if (writeArguments)
        out.attributeObject("args", writeArguments);
      out.attribute("cat", category);
      out.attribute("dur", cycles);
      out.attribute("name", name);
      out.attribute("ph", "X");
      out.attribute("pid", chip);
      out.attribute("tid", track);
      out.attribute("ts", start);
    });
  }

  llvm::json::OStream &out;
  /// By chip and track, the end of the command before.
  std::vector<std::array<int64_t, std::size(kContexts)>> ends;
};
} // namespace

void Trace::add(const CommandTiming &command, int64_t chip) {
  const auto *context = llvm::find(kContexts, command.context);
  if (context == std::end(kContexts))
    return; // host transfers take no time
  int64_t track = context - std::begin(kContexts);
  int64_t &before = ends[chip][track];
  if (!command.wait.empty() && before < command.start)
    slice("wait: " + command.wait, "wait", chip, track, before,
          command.start - before, [&] { out.attribute("for", command.name); });
  before = command.end;
  slice(command.name, command.context, chip, track, command.start,
        command.end - command.start, [&] {
          out.attribute("id", command.id);
          out.attributeObject("stages", [&] {
            for (const auto &[name, cycles] : command.stages)
              out.attribute(name, cycles);
          });
          if (!command.wait.empty())
            out.attribute("wait", command.wait);
        });
  // Stages work at the same time; nested slices must not overlap, so the
  // longest is outermost.
  std::vector<std::pair<std::string, int64_t>> nested = command.stages;
  llvm::sort(nested, [](const auto &a, const auto &b) {
    return std::tie(b.second, a.first) < std::tie(a.second, b.first);
  });
  for (const auto &[name, cycles] : nested)
    slice(name, "stage", chip, track, command.start,
          std::min(cycles, command.end - command.start));
}

void sim::writeChromeTrace(llvm::raw_ostream &os, const Report &report) {
  llvm::json::OStream out(os);
  out.object([&] {
    out.attribute("displayTimeUnit", "ns");
    out.attributeArray("traceEvents", [&] {
      Trace trace(out, report.chips);
      for (const CommandTiming &command : report.commands)
        for (int64_t chip : command.chips)
          trace.add(command, chip);
    });
  });
  os << '\n';
}
