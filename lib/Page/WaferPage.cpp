//===- WaferPage.cpp - The page of a run on a wafer -----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Page/WaferPage.h"
#include "llvm/ADT/STLExtras.h"

using namespace sequin;
using namespace sequin::page;
using namespace sequin::wafer;
using llvm::StringRef;
using llvm::json::OStream;

namespace {
class WaferData {
public:
  WaferData(OStream &out, const WaferRun &run)
      : out(out), run(run), program(run.session.program()),
        report(makeReport(run.session, run.wallSeconds, &run.recorder)) {}
  void write(const Heading &heading);

private:
  /// Spans of tasks and operations that a page has at most.
  static constexpr size_t kMostSpans = 200000;

  void totals();
  void hostCommands();
  void activity();
  void pes();
  void routers();
  void timeline();
  std::vector<bool> choosePes() const;
  void hang();
  void sources();
  int64_t locationOf(Location location) {
    return strings[location < program.locations.size()
                       ? StringRef(program.locations[location])
                       : StringRef()];
  }

  OStream &out;
  const WaferRun &run;
  const Program &program;
  Report report;
  Strings strings;
};
} // namespace

static int64_t number(uint64_t value) { return static_cast<int64_t>(value); }

void WaferData::totals() {
  const Counters &counters = report.counters;
  out.attributeObject("totals", [&] {
    out.attribute("cycles", number(report.cycles));
    out.attribute("seconds", report.seconds);
    out.attribute("macs", number(report.macs));
    out.attribute("peak_macs_per_cycle", report.peakMacsPerCycle);
    out.attribute("mac_utilization", report.macUtilization);
    out.attribute("hops", number(counters.hops));
    out.attribute("delivered", number(counters.delivered));
    out.attribute("dropped", number(counters.dropped));
    out.attribute("filtered", number(counters.filtered));
    out.attribute("elements", number(counters.elements));
    out.attribute("instructions", number(counters.instructions));
    out.attribute("active", number(counters.active));
    out.attribute("wall_seconds", report.wallSeconds);
  });
}

void WaferData::hostCommands() {
  out.attributeArray("host", [&] {
    for (const Command &command : report.commands)
      out.object([&] {
        out.attribute("kind", getName(command.kind));
        out.attribute("name", llvm::json::fixUTF8(command.name));
        out.attribute("start", number(command.start));
        out.attribute("end", number(command.end));
        out.attribute("bytes", number(command.bytes));
        out.attributeArray("where", [&] {
          for (int64_t value : {command.where.x, command.where.y,
                                command.where.width, command.where.height})
            out.value(value);
        });
      });
  });
}

void WaferData::activity() {
  const Activity *activity = run.recorder.activity();
  if (!activity)
    return;
  size_t tiles = activity->columns() * activity->rows();
  size_t bins = std::min<size_t>(Activity::kMostBins,
                                 report.cycles / activity->binCycles() + 1);
  out.attributeObject("activity", [&] {
    out.attribute("tile", activity->tileSize());
    out.attribute("columns", activity->columns());
    out.attribute("rows", activity->rows());
    out.attribute("bin", number(activity->binCycles()));
    out.attribute("bins", number(bins));
    writeColumn(out, "work", activity->work().take_front(bins * tiles),
                [](uint32_t value) { return value; });
    writeColumn(out, "moved", activity->moved().take_front(bins * tiles),
                [](uint32_t value) { return value; });
  });
}

void WaferData::pes() {
  llvm::ArrayRef<PeStatistics> all = run.recorder.statistics();
  out.attributeObject("pes", [&] {
    writeColumn(out, "code", program.pes,
                [&](const Pe &pe) { return strings[program.codeOf(pe).name]; });
    writeColumn(out, "router", program.pes,
                [](const Pe &pe) { return pe.router; });
    writeColumn(out, "main", all,
                [](const PeStatistics &pe) { return pe.mainCycles; });
    writeColumn(out, "issue", all,
                [](const PeStatistics &pe) { return pe.issueCycles; });
    writeColumn(out, "routed", all,
                [](const PeStatistics &pe) { return pe.routerCycles; });
    writeColumn(out, "sent", all,
                [](const PeStatistics &pe) { return pe.sent; });
    writeColumn(out, "received", all,
                [](const PeStatistics &pe) { return pe.received; });
    // [color, wavelets, ...] of each.
    out.attributeArray("colors", [&] {
      for (const auto &colors : run.recorder.colors())
        out.array([&] {
          for (auto [color, count] : llvm::enumerate(colors))
            if (count) {
              out.value(static_cast<int64_t>(color));
              out.value(static_cast<int64_t>(count));
            }
        });
    });
  });
}

void WaferData::routers() {
  // [color, position, from, to, ...]: sets of links as bits.
  out.attributeArray("routers", [&] {
    for (const Router &router : program.routers)
      out.array([&] {
        for (const auto &[color, config] : router.colors)
          for (unsigned p = 0; p < config.positions.size(); ++p) {
            if (!config.positions[p])
              continue;
            Routes routes = config.routesAt(p);
            for (int64_t value : {int64_t(color), int64_t(p),
                                  int64_t(routes.rx), int64_t(routes.tx)})
              out.value(value);
          }
      });
  });
}

/// PEs whose tasks are on the page: all, or some of every code, those in the
/// corners of its region first.
std::vector<bool> WaferData::choosePes() const {
  std::vector<size_t> spansOf(program.pes.size());
  for (const Recorder::Span &span : run.recorder.timeline())
    ++spansOf[span.pe];
  std::vector<bool> chosen(program.pes.size());
  size_t left = kMostSpans;
  auto choose = [&](size_t pe) {
    if (chosen[pe] || spansOf[pe] > left)
      return;
    chosen[pe] = true;
    left -= spansOf[pe];
  };
  // The first and the last PE of each code, then whatever has room.
  std::map<StringRef, std::pair<size_t, size_t>> ends;
  for (size_t pe = 0; pe < program.pes.size(); ++pe)
    ends.try_emplace(program.codeOf(program.pes[pe]).name, pe, pe)
        .first->second.second = pe;
  for (const auto &[name, range] : ends) {
    choose(range.first);
    choose(range.second);
  }
  if (const HangReport &hang = run.session.simulator().hang(); run.hung)
    for (const Wait &wait : hang.waits)
      choose(wait.y * program.width + wait.x);
  for (size_t pe = 0; pe < program.pes.size(); ++pe)
    choose(pe);
  return chosen;
}

void WaferData::timeline() {
  std::vector<bool> chosen = choosePes();
  std::vector<const Recorder::Span *> list;
  for (const Recorder::Span &span : run.recorder.timeline())
    if (chosen[span.pe])
      list.push_back(&span);
  uint64_t now = report.cycles;
  using Item = const Recorder::Span *;
  out.attribute("ends_early", run.recorder.endsTimelineEarly());
  out.attributeArray("left_out", [&] {
    for (size_t pe = 0; pe < chosen.size(); ++pe)
      if (!chosen[pe])
        out.value(static_cast<int64_t>(pe));
  });
  out.attributeObject("spans", [&] {
    writeColumn(out, "pe", list, [](Item span) { return span->pe; });
    writeColumn(out, "thread", list, [](Item span) {
      return span->function ? -1 : static_cast<int64_t>(span->thread);
    });
    int64_t before = 0;
    writeColumn(out, "start_after", list, [&](Item span) {
      int64_t step = number(span->begin) - before;
      before = number(span->begin);
      return step;
    });
    writeColumn(out, "cycles", list, [&](Item span) {
      uint64_t end =
          run.recorder.isOpen(*span) ? std::max(now, span->begin) : span->end;
      return end - span->begin;
    });
    writeColumn(out, "open", list,
                [&](Item span) { return run.recorder.isOpen(*span); });
    writeColumn(out, "name", list, [&](Item span) {
      return strings[span->function ? span->function->name
                                    : "@" + getInfo(span->opcode).name.str()];
    });
    writeColumn(out, "task", list, [&](Item span) {
      return span->function ? strings[span->kind] : -1;
    });
    writeColumn(out, "elements", list, [](Item span) { return span->length; });
    writeColumn(out, "issued", list, [](Item span) { return span->issued; });
    writeColumn(out, "location", list,
                [&](Item span) { return locationOf(span->location); });
  });
}

void WaferData::hang() {
  const Simulator &simulator = run.session.simulator();
  if (run.trapped && simulator.trap())
    out.attributeObject("trap", [&] {
      const Trap &trap = *simulator.trap();
      out.attribute("x", trap.x);
      out.attribute("y", trap.y);
      out.attribute("cycle", number(trap.cycle));
      out.attribute("what", llvm::json::fixUTF8(trap.message));
      out.attribute("location", locationOf(trap.location));
    });
  if (!run.hung)
    return;
  const HangReport &hang = simulator.hang();
  out.attributeObject("hang", [&] {
    out.attribute("cycle", number(hang.cycle));
    out.attribute("waiting", number(hang.waiting));
    out.attribute("exhausted", hang.exhausted);
    out.attributeArray("waits", [&] {
      for (const Wait &wait : hang.waits)
        out.object([&] {
          out.attribute("x", wait.x);
          out.attribute("y", wait.y);
          out.attribute("who", llvm::json::fixUTF8(wait.who));
          out.attribute("what", llvm::json::fixUTF8(wait.what));
          out.attribute("since", number(wait.since));
          out.attribute("location", locationOf(wait.location));
          out.attribute("cause", llvm::json::fixUTF8(wait.cause));
          if (wait.on)
            out.attributeArray("on", [&] {
              out.value(wait.on->first);
              out.value(wait.on->second);
            });
          out.attributeArray("chain", [&] {
            for (const std::string &line : wait.chain)
              out.value(llvm::json::fixUTF8(line));
          });
        });
    });
  });
}

void WaferData::sources() {
  out.attributeArray("sources", [&] {
    for (const auto &[location, source] : report.sources)
      out.object([&] {
        out.attribute("location", strings[location]);
        out.attribute("operation", strings[source.operation]);
        out.attribute("task", source.isTask);
        out.attribute("count", number(source.count));
        out.attribute("cycles", number(source.cycles));
      });
  });
  std::vector<std::string> names = strings.list().vec();
  std::vector<StringRef> locations(names.begin(), names.end());
  std::vector<Source> files = run.sources;
  readSources(locations, files);
  page::writeSources(out, files);
}

void WaferData::write(const Heading &heading) {
  out.object([&] {
    out.attribute("kind", "wafer");
    out.attribute("title", llvm::json::fixUTF8(heading.title));
    out.attribute("command", llvm::json::fixUTF8(heading.command));
    out.attributeObject("machine", [&] {
      out.attribute("name", llvm::json::fixUTF8(report.target));
      out.attribute("mhz", run.session.machine().clockMHz);
    });
    out.attribute("width", program.width);
    out.attribute("height", program.height);
    out.attribute("failure", llvm::json::fixUTF8(run.failure));
    totals();
    hostCommands();
    activity();
    pes();
    routers();
    timeline();
    hang();
    sources();
    strings.write(out);
  });
}

void page::writeWaferPage(llvm::raw_ostream &os, const Heading &heading,
                          const WaferRun &run) {
  std::string data;
  llvm::raw_string_ostream text(data);
  OStream out(text);
  WaferData(out, run).write(heading);
  out.flush();
  writeDocument(os, heading.title, data);
}
