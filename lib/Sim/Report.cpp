//===- Report.cpp - Reports and timelines as JSON -------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Sim/Simulator.h"
#include "sequin/Support/JsonText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <array>
#include <map>

using namespace sequin;
using namespace sequin::sim;

llvm::StringRef sim::getName(Space space) {
  switch (space) {
  case Space::Hbm:
    return "hbm";
  case Space::Dm:
    return "dm";
  case Space::Spm:
    return "spm";
  case Space::Trf:
    return "trf";
  case Space::Vrf:
    break;
  }
  return "vrf";
}

namespace {
/// Adds up the union of intervals that come in any order.
class Union {
public:
  void add(int64_t start, int64_t end) { intervals.push_back({start, end}); }
  int64_t length() {
    llvm::sort(intervals);
    int64_t total = 0, reached = 0;
    for (auto [start, end] : intervals) {
      total += std::max<int64_t>(0, end - std::max(start, reached));
      reached = std::max(reached, end);
    }
    return total;
  }

private:
  std::vector<std::pair<int64_t, int64_t>> intervals;
};
} // namespace

std::vector<SourceTotal> sim::totalBySource(const Report &report) {
  struct Group {
    int64_t commands = 0;
    Union all;
    std::map<llvm::StringRef, Union> contexts;
  };
  std::map<std::pair<llvm::StringRef, llvm::StringRef>, Group> groups;
  for (const CommandTiming &command : report.commands) {
    if (command.context == "host")
      continue;
    Group &group = groups[{command.location, command.operation}];
    ++group.commands;
    group.all.add(command.start, command.end);
    group.contexts[command.context].add(command.start, command.end);
  }
  std::vector<SourceTotal> totals;
  for (auto &[key, group] : groups) {
    SourceTotal &total = totals.emplace_back();
    total.location = key.first.str();
    total.operation = key.second.str();
    total.commands = group.commands;
    total.cycles = group.all.length();
    for (auto &[context, intervals] : group.contexts)
      total.contexts.push_back({context.str(), intervals.length()});
  }
  llvm::sort(totals, [](const SourceTotal &a, const SourceTotal &b) {
    return std::tie(b.cycles, a.location, a.operation) <
           std::tie(a.cycles, b.location, b.operation);
  });
  return totals;
}

static llvm::json::Array sourcesToJSON(const Report &report) {
  llvm::json::Array sources;
  for (const SourceTotal &total : totalBySource(report)) {
    llvm::json::Object contexts;
    for (const auto &[context, cycles] : total.contexts)
      contexts[context] = cycles;
    sources.push_back(llvm::json::Object{{"location", total.location},
                                         {"operation", total.operation},
                                         {"commands", total.commands},
                                         {"cycles", total.cycles},
                                         {"contexts", std::move(contexts)}});
  }
  return sources;
}

static llvm::json::Value toJSON(const CommandTiming &command) {
  llvm::json::Object stages, counters;
  for (const auto &[name, cycles] : command.stages)
    stages[name] = cycles;
  for (const auto &[name, count] : command.counters)
    counters[name] = count;
  return llvm::json::Object{{"id", command.id},
                            {"counters", std::move(counters)},
                            {"name", command.name},
                            {"location", command.location},
                            {"operation", command.operation},
                            {"context", command.context},
                            {"chips", llvm::json::Array(command.chips)},
                            {"start", command.start},
                            {"end", command.end},
                            {"wait", command.wait},
                            {"stages", std::move(stages)}};
}

/// All but the commands.
static llvm::json::Object totalsToJSON(const Report &report) {
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
      {"sources", sourcesToJSON(report)},
      {"sim", llvm::json::Object{{"wall_seconds", report.wallSeconds},
                                 {"macs_per_second", report.macsPerSecond}}}};
}

static constexpr llvm::StringLiteral kCommands = "commands";

llvm::json::Value sim::toJSON(const Report &report) {
  llvm::json::Object object = totalsToJSON(report);
  llvm::json::Array commands;
  for (const CommandTiming &command : report.commands)
    commands.push_back(::toJSON(command));
  object[kCommands] = std::move(commands);
  return object;
}

void sim::writeJSON(llvm::raw_ostream &os, const Report &report,
                    llvm::json::Object more) {
  for (auto &[key, value] : totalsToJSON(report))
    more[key] = std::move(value);
  writeWithList(os, more, kCommands, [&](llvm::json::OStream &json) {
    for (const CommandTiming &command : report.commands)
      json.value(::toJSON(command));
  });
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
          if (!command.location.empty())
            out.attribute("location", command.location);
          if (!command.operation.empty())
            out.attribute("operation", command.operation);
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
