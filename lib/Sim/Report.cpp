//===- Report.cpp - Reports and timelines as JSON -------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Sim/Simulator.h"
#include "llvm/ADT/STLExtras.h"

using namespace sequin;
using namespace sequin::sim;

llvm::json::Value sim::toJSON(const Report &report) {
  llvm::json::Array commands;
  for (const CommandTiming &command : report.commands) {
    llvm::json::Object stages;
    for (const auto &[name, cycles] : command.stages)
      stages[name] = cycles;
    commands.push_back(llvm::json::Object{{"id", command.id},
                                          {"name", command.name},
                                          {"context", command.context},
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

llvm::json::Value sim::toChromeTrace(const Report &report) {
  // One microsecond of the trace is one cycle: viewers have no unit "cycle".
  constexpr llvm::StringLiteral kContexts[] = {"main", "sub", "dma"};
  llvm::json::Array events;
  for (auto [index, context] : llvm::enumerate(kContexts))
    events.push_back(
        llvm::json::Object{{"ph", "M"},
                           {"name", "thread_name"},
                           {"pid", 0},
                           {"tid", static_cast<int64_t>(index)},
                           {"args", llvm::json::Object{{"name", context}}}});
  for (const CommandTiming &command : report.commands) {
    const auto *context = llvm::find(kContexts, command.context);
    if (context == std::end(kContexts))
      continue; // host transfers take no time
    int64_t track = context - std::begin(kContexts);
    llvm::json::Object stages;
    for (const auto &[name, cycles] : command.stages)
      stages[name] = cycles;
    llvm::json::Object arguments{{"id", command.id},
                                 {"stages", std::move(stages)}};
    if (!command.wait.empty())
      arguments["wait"] = command.wait;
    events.push_back(llvm::json::Object{{"ph", "X"},
                                        {"name", command.name},
                                        {"cat", command.context},
                                        {"pid", 0},
                                        {"tid", track},
                                        {"ts", command.start},
                                        {"dur", command.end - command.start},
                                        {"args", std::move(arguments)}});
    // Stages work at the same time; nested slices must not overlap, so the
    // longest is outermost.
    std::vector<std::pair<std::string, int64_t>> nested = command.stages;
    llvm::sort(nested, [](const auto &a, const auto &b) {
      return std::tie(b.second, a.first) < std::tie(a.second, b.first);
    });
    for (const auto &[name, cycles] : nested)
      events.push_back(llvm::json::Object{{"ph", "X"},
                                          {"name", name},
                                          {"cat", "stage"},
                                          {"pid", 0},
                                          {"tid", track},
                                          {"ts", command.start},
                                          {"dur", cycles}});
  }
  return llvm::json::Object{{"displayTimeUnit", "ns"},
                            {"traceEvents", std::move(events)}};
}
