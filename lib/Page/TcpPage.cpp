//===- TcpPage.cpp - The page of a run on TCP chips -----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Page/TcpPage.h"
#include "Holdings.h"
#include "Shapes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace sequin;
using namespace sequin::page;
using llvm::StringRef;
using llvm::json::OStream;
using sim::CommandTiming;

/// The name without what numbers repetitions: "to_dm" of "to_dm.3[2]".
static StringRef stemOf(StringRef name) {
  for (;;) {
    StringRef shorter = name;
    if (name.ends_with("]"))
      shorter = name.take_front(name.rfind('['));
    else if (auto [stem, number] = name.rsplit('.');
             !number.empty() && stem.size() < name.size() &&
             llvm::all_of(number, llvm::isDigit))
      shorter = stem;
    if (shorter.empty() || shorter.size() == name.size())
      return name;
    name = shorter;
  }
}

namespace {
class TcpData {
public:
  TcpData(OStream &out, const TcpRun &run) : out(out), run(run) {}
  void write(const Heading &heading);

private:
  void machine();
  void totals(const sim::Report &report);
  void commands(const sim::Report &report);
  void work(const sim::Report &report);
  void holdings(const sim::Report &report);
  void sources();
  void untimed();
  void shapes();
  int64_t shapeOf(StringRef name) const;
  int64_t chipsOf(llvm::ArrayRef<int64_t> chips);

  OStream &out;
  const TcpRun &run;
  Strings strings;
  /// Shapes as JSON, and which one a command has by its name without rounds.
  Strings shapeTexts;
  llvm::StringMap<int64_t> shapeOfName;
  Strings chipLists;
};
} // namespace

void TcpData::machine() {
  const TcpMachine &row = run.machine;
  out.attributeObject("machine", [&] {
    out.attribute("name", row.name);
    out.attribute("clusters", row.clustersPerChip);
    out.attribute("slices", row.slicesPerCluster);
    out.attribute("rows", row.rowsPerSlice);
    out.attribute("mhz", row.clockMHz);
    out.attribute("dm_bytes", row.dmBytesPerSlice);
    out.attribute("hbm_bytes", row.hbmBytes);
    out.attribute("trf_bytes", row.trfBytesPerRow * row.rowsPerSlice);
    out.attribute("hbm_bytes_per_cycle", row.hbmUtilizationBytesPerCycle);
    out.attribute("macs_per_cycle", row.macsPerCycle(run.program.macType));
    out.attribute("mac_type", getName(run.program.macType));
  });
}

void TcpData::totals(const sim::Report &report) {
  out.attributeObject("totals", [&] {
    out.attribute("cycles", report.cycles);
    out.attribute("seconds", report.seconds);
    out.attribute("macs", report.macs);
    out.attribute("peak_macs_per_cycle", report.peakMacsPerCycle);
    out.attribute("mac_utilization", report.macUtilization);
    out.attribute("hbm_bytes_read", report.hbmBytesRead);
    out.attribute("hbm_bytes_written", report.hbmBytesWritten);
    out.attribute("hbm_utilization", report.hbmUtilization);
    out.attribute("wall_seconds", report.wallSeconds);
  });
}

/// Collects the shapes of all commands, those in loops once.
void TcpData::shapes() {
  auto walk = [&](auto &self, llvm::ArrayRef<config::Command> list) -> void {
    for (const config::Command &command : list) {
      if (const auto *loop = std::get_if<config::LoopCommand>(&command.body))
        self(self, loop->body);
      else
        shapeOfName[command.name] =
            shapeTexts[describeShape(command, run.machine)];
    }
  };
  walk(walk, run.program.commands);
}

int64_t TcpData::shapeOf(StringRef name) const {
  for (;;) {
    if (auto found = shapeOfName.find(name); found != shapeOfName.end())
      return found->second;
    if (!name.ends_with("]"))
      return -1;
    name = name.take_front(name.rfind('['));
  }
}

int64_t TcpData::chipsOf(llvm::ArrayRef<int64_t> chips) {
  return chipLists["[" +
                   llvm::join(llvm::map_range(chips,
                                              [](int64_t chip) {
                                                return std::to_string(chip);
                                              }),
                              ",") +
                   "]"];
}

void TcpData::commands(const sim::Report &report) {
  llvm::ArrayRef<CommandTiming> list = report.commands;
  out.attributeObject("commands", [&] {
    writeColumn(out, "stem", list, [&](const CommandTiming &command) {
      return strings[stemOf(command.name)];
    });
    // What follows the stem; most are ".7" or "[3]".
    out.attributeArray("suffix", [&] {
      for (const CommandTiming &command : list)
        out.value(llvm::json::fixUTF8(
            StringRef(command.name).drop_front(stemOf(command.name).size())));
    });
    writeColumn(out, "context", list, [&](const CommandTiming &command) {
      return strings[command.context];
    });
    int64_t before = 0;
    writeColumn(out, "start_after", list, [&](const CommandTiming &command) {
      int64_t step = command.start - before;
      before = command.start;
      return step;
    });
    writeColumn(out, "cycles", list, [](const CommandTiming &command) {
      return command.end - command.start;
    });
    writeColumn(out, "shape", list, [&](const CommandTiming &command) {
      return shapeOf(command.name);
    });
    writeColumn(out, "location", list, [&](const CommandTiming &command) {
      return strings[command.location];
    });
    writeColumn(out, "operation", list, [&](const CommandTiming &command) {
      return strings[command.operation];
    });
    // The culprit's name is not repeated.
    writeColumn(out, "wait", list, [&](const CommandTiming &command) {
      return strings[StringRef(command.wait).split(" by '").first];
    });
    writeColumn(out, "waited_for", list, [](const CommandTiming &command) {
      return command.waitedFor < 0 ? 0 : command.id - command.waitedFor;
    });
    writeColumn(out, "chips", list, [&](const CommandTiming &command) {
      return chipsOf(command.chips);
    });
    work(report);
  });
  out.attributeBegin("chip_lists");
  out.rawValue("[" + llvm::join(chipLists.list(), ",") + "]");
  out.attributeEnd();
}

/// What commands did, each different answer once.
void TcpData::work(const sim::Report &report) {
  Strings done;
  writeColumn(out, "work", report.commands, [&](const CommandTiming &command) {
    std::string text;
    llvm::raw_string_ostream os(text);
    OStream json(os);
    json.array([&] {
      json.value(command.hbmBytes);
      json.value(command.engineMacs);
      for (const auto *list : {&command.stages, &command.counters})
        json.array([&] {
          for (const auto &[name, cycles] : *list) {
            json.value(strings[name]);
            json.value(cycles);
          }
        });
    });
    json.flush();
    return done[text];
  });
  out.attributeBegin("works");
  out.rawValue("[" + llvm::join(done.list(), ",") + "]");
  out.attributeEnd();
}

void TcpData::holdings(const sim::Report &report) {
  std::vector<std::pair<int64_t, int64_t>> uses;
  std::vector<Holding> list = findHoldings(report, uses);
  Strings masks;
  out.attributeObject("holdings", [&] {
    writeColumn(out, "space", list, [&](const Holding &holding) {
      return strings[sim::getName(holding.space)];
    });
    writeColumn(out, "chip", list, [](const Holding &h) { return h.chip; });
    writeColumn(out, "begin", list, [](const Holding &h) { return h.begin; });
    writeColumn(out, "bytes", list,
                [](const Holding &h) { return h.end - h.begin; });
    writeColumn(out, "from", list, [](const Holding &h) { return h.from; });
    writeColumn(out, "cycles", list,
                [](const Holding &h) { return h.until - h.from; });
    writeColumn(out, "writer", list, [](const Holding &h) { return h.writer; });
    writeColumn(out, "reads", list, [](const Holding &h) { return h.reads; });
    writeColumn(out, "slices", list, [&](const Holding &holding) {
      std::string text;
      for (uint64_t word : holding.slices)
        text += (text.empty() ? "" : " ") + llvm::utohexstr(word);
      return masks[text];
    });
    out.attributeBegin("masks");
    out.array([&] {
      for (const std::string &mask : masks.list())
        out.value(mask);
    });
    out.attributeEnd();
    int64_t before = 0;
    writeColumn(out, "use_command", uses, [&](const auto &use) {
      int64_t step = use.first - before;
      before = use.first;
      return step;
    });
    writeColumn(out, "use_holding", uses,
                [](const auto &use) { return use.first - use.second; });
  });
}

/// Of a run that trapped: what would have run.
void TcpData::untimed() {
  constexpr size_t kMostNames = 2000;
  size_t count = 0;
  auto add = [&](const config::Command &command, int64_t rounds) {
    strings[command.location]; // its file is shown, too
    if (count++ >= kMostNames)
      return;
    out.object([&] {
      out.attribute("name", llvm::json::fixUTF8(command.name));
      out.attribute("location", llvm::json::fixUTF8(command.location));
      out.attribute("shape", shapeOf(command.name));
      out.attribute("rounds", rounds);
    });
  };
  auto walk = [&](auto &self, llvm::ArrayRef<config::Command> list,
                  int64_t rounds) -> void {
    for (const config::Command &command : list)
      if (const auto *loop = std::get_if<config::LoopCommand>(&command.body))
        self(self, loop->body,
             static_cast<int64_t>(std::min<uint64_t>(
                 llvm::SaturatingMultiply<uint64_t>(rounds, loop->count),
                 std::numeric_limits<int64_t>::max())));
      else
        add(command, rounds);
  };
  out.attributeArray("untimed", [&] { walk(walk, run.program.commands, 1); });
}

void TcpData::sources() {
  std::vector<std::string> names = strings.list().vec();
  std::vector<StringRef> locations(names.begin(), names.end());
  std::vector<Source> files = run.sources;
  readSources(locations, files);
  page::writeSources(out, files);
}

void TcpData::write(const Heading &heading) {
  out.object([&] {
    out.attribute("kind", "tcp");
    out.attribute("title", llvm::json::fixUTF8(heading.title));
    out.attribute("command", llvm::json::fixUTF8(heading.command));
    out.attribute("chips", run.program.chips);
    machine();
    shapes();
    if (run.trap)
      out.attributeObject("trap", [&] {
        out.attribute("command", llvm::json::fixUTF8(run.trap->getCommand()));
        out.attribute("stage", llvm::json::fixUTF8(run.trap->getStage()));
        out.attribute("what", llvm::json::fixUTF8(run.trap->getWhat()));
      });
    if (run.report) {
      totals(*run.report);
      commands(*run.report);
      holdings(*run.report);
    } else {
      untimed();
    }
    out.attributeBegin("shapes");
    out.rawValue("[" + llvm::join(shapeTexts.list(), ",") + "]");
    out.attributeEnd();
    if (run.mappings)
      out.attribute("mappings", llvm::json::Array(*run.mappings));
    sources();
    strings.write(out);
  });
}

void page::writeTcpPage(llvm::raw_ostream &os, const Heading &heading,
                        const TcpRun &run) {
  std::string data;
  llvm::raw_string_ostream text(data);
  OStream out(text);
  TcpData(out, run).write(heading);
  out.flush();
  writeDocument(os, heading.title, data);
}
