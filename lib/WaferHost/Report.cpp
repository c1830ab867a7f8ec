//===- Report.cpp - What a run on a wafer cost ----------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/WaferHost/Report.h"

using namespace sequin;
using namespace sequin::wafer;

Report wafer::makeReport(const Session &session, double wallSeconds,
                         const Recorder *recorder) {
  const Program &program = session.program();
  const CslMachine &machine = session.machine();
  Report report;
  report.target = program.target;
  report.width = program.width;
  report.height = program.height;
  report.counters = session.simulator().counters();
  report.cycles = session.simulator().now();
  report.seconds =
      static_cast<double>(report.cycles) / (1e6 * machine.clockMHz);
  report.commands = session.commands().vec();
  report.wallSeconds = wallSeconds;
  if (recorder) {
    report.pes = recorder->statistics().vec();
    for (SourceStatistics &source : recorder->sources())
      report.sources.push_back(
          {program.locations[source.location], std::move(source)});
    llvm::sort(report.sources, [](const auto &a, const auto &b) {
      return std::tie(b.second.cycles, a.first, a.second.operation) <
             std::tie(a.second.cycles, b.first, b.second.operation);
    });
  }

  // A PE's rate depends on the operation, so time is what is compared: cycles
  // that the MACs take at least. The peak is that of the most frequent kind.
  struct Kind {
    uint64_t count;
    DsdOpcode opcode;
  };
  const Counters &counters = report.counters;
  int64_t pes = program.width * program.height;
  double least = 0;
  Kind most = {0, DsdOpcode::Fmacs};
  for (Kind kind : {Kind{counters.macsF32, DsdOpcode::Fmacs},
                    Kind{counters.macsMixed, DsdOpcode::Fmachs},
                    Kind{counters.macsFp16, DsdOpcode::Fmach}}) {
    report.macs += kind.count;
    least += static_cast<double>(kind.count) / machine.simdWidth(kind.opcode);
    if (kind.count > most.count)
      most = kind;
  }
  report.peakMacsPerCycle = pes * machine.simdWidth(most.opcode);
  if (report.cycles)
    report.macUtilization =
        least / (static_cast<double>(report.cycles) * static_cast<double>(pes));
  return report;
}

static int64_t number(uint64_t value) { return static_cast<int64_t>(value); }

/// [H][W] of one number of every PE.
template <typename Get>
static llvm::json::Array grid(const Report &report, Get get) {
  llvm::json::Array rows;
  for (int64_t y = 0; y < report.height; ++y) {
    llvm::json::Array row;
    for (int64_t x = 0; x < report.width; ++x)
      row.push_back(number(get(report.pes[y * report.width + x])));
    rows.push_back(std::move(row));
  }
  return rows;
}

static llvm::json::Object fabric(const Report &report) {
  const Counters &counters = report.counters;
  // Links between routers of the rectangle, both ways.
  int64_t links = 2 * ((report.width - 1) * report.height +
                       report.width * (report.height - 1));
  double capacity =
      static_cast<double>(report.cycles) * static_cast<double>(links);
  return llvm::json::Object{
      {"hops", number(counters.hops)},
      {"delivered", number(counters.delivered)},
      {"dropped", number(counters.dropped)},
      {"filtered", number(counters.filtered)},
      {"link_utilization",
       capacity > 0 ? static_cast<double>(counters.hops) / capacity : 0.0}};
}

static llvm::json::Object pes(const Report &report) {
  return llvm::json::Object{
      {"main_cycles",
       grid(report, [](const PeStatistics &pe) { return pe.mainCycles; })},
      {"issue_cycles",
       grid(report, [](const PeStatistics &pe) { return pe.issueCycles; })},
      {"router_cycles",
       grid(report, [](const PeStatistics &pe) { return pe.routerCycles; })},
      {"sent", grid(report, [](const PeStatistics &pe) { return pe.sent; })},
      {"received",
       grid(report, [](const PeStatistics &pe) { return pe.received; })}};
}

static llvm::json::Array sources(const Report &report) {
  llvm::json::Array list;
  for (const auto &[location, source] : report.sources)
    list.push_back(
        llvm::json::Object{{"location", location},
                           {"operation", source.operation},
                           {"kind", source.isTask ? "task" : "operation"},
                           {"count", number(source.count)},
                           {"cycles", number(source.cycles)}});
  return list;
}

llvm::json::Value wafer::toJSON(const Report &report) {
  llvm::json::Array commands;
  for (const auto &[id, command] : llvm::enumerate(report.commands))
    commands.push_back(llvm::json::Object{
        {"id", static_cast<int64_t>(id)},
        {"name", command.name},
        {"kind", getName(command.kind)},
        {"context", "host"},
        {"start", number(command.start)},
        {"end", number(command.end)},
        {"bytes", number(command.bytes)},
        {"pes", llvm::json::Object{{"x", command.where.x},
                                   {"y", command.where.y},
                                   {"width", command.where.width},
                                   {"height", command.where.height}}},
        {"stages", llvm::json::Object{}}});
  double cycles = static_cast<double>(report.cycles);
  double peCycles = cycles * static_cast<double>(report.width) *
                    static_cast<double>(report.height);
  auto perSecond = [&](double count) {
    return report.wallSeconds > 0 ? count / report.wallSeconds : 0.0;
  };
  llvm::json::Object result{
      {"target", report.target},
      {"chips", 1},
      {"grid",
       llvm::json::Object{{"width", report.width}, {"height", report.height}}},
      {"cycles", number(report.cycles)},
      {"seconds", report.seconds},
      {"macs", number(report.macs)},
      {"peak_macs_per_cycle", report.peakMacsPerCycle},
      {"mac_utilization", report.macUtilization},
      {"pe_utilization",
       peCycles > 0 ? static_cast<double>(report.counters.active) / peCycles
                    : 0.0},
      {"elements", number(report.counters.elements)},
      {"instructions", number(report.counters.instructions)},
      {"fabric", fabric(report)},
      {"commands", std::move(commands)},
      {"sim", llvm::json::Object{{"wall_seconds", report.wallSeconds},
                                 {"macs_per_second",
                                  perSecond(static_cast<double>(report.macs))},
                                 {"pe_cycles_per_second", perSecond(peCycles)},
                                 {"steps", number(report.counters.steps)}}}};
  if (!report.pes.empty()) {
    result["pes"] = pes(report);
    result["sources"] = sources(report);
  }
  return result;
}
