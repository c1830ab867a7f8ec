//===- Holdings.cpp - Who holds which bytes, and how long -----------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Holdings.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace sequin;
using namespace sequin::page;
using sim::Access;
using sim::CommandTiming;

static bool shareSlices(const std::vector<uint64_t> &a,
                        const std::vector<uint64_t> &b) {
  if (a.empty() && b.empty())
    return true;
  for (auto [x, y] : llvm::zip(a, b))
    if (x & y)
      return true;
  return false;
}

namespace {
class Finder {
public:
  Finder(std::vector<std::pair<int64_t, int64_t>> &uses) : uses(uses) {}
  void add(const CommandTiming &command);
  std::vector<Holding> all;

private:
  /// Numbers of the holdings that a read may meet, by space and chip. Old ones
  /// are given up where a program never writes over what it has written.
  static constexpr size_t kMostLive = 512;
  using Live = std::vector<int64_t>;

  void read(const CommandTiming &command, const Access &access, Live &live);
  void write(const CommandTiming &command, const Access &access, Live &live);
  int64_t begin(const CommandTiming &command, const Access &access,
                int64_t writer, Live &live);

  std::vector<std::pair<int64_t, int64_t>> &uses;
  std::map<std::pair<sim::Space, int64_t>, Live> liveIn;
};
} // namespace

int64_t Finder::begin(const CommandTiming &command, const Access &access,
                      int64_t writer, Live &live) {
  Holding holding;
  holding.space = access.space;
  holding.chip = access.chip;
  holding.begin = access.begin;
  holding.end = access.end;
  holding.slices = access.slices;
  holding.from = writer < 0 ? 0 : command.start;
  holding.until = command.end;
  holding.writer = writer;
  if (live.size() >= kMostLive)
    live.erase(live.begin());
  live.push_back(static_cast<int64_t>(all.size()));
  all.push_back(std::move(holding));
  return live.back();
}

void Finder::read(const CommandTiming &command, const Access &access,
                  Live &live) {
  bool found = false;
  auto use = [&](int64_t number) {
    Holding &holding = all[number];
    if (holding.end <= access.begin || access.end <= holding.begin ||
        !shareSlices(holding.slices, access.slices))
      return;
    holding.until = std::max(holding.until, command.end);
    holding.lastReader = command.id;
    ++holding.reads;
    uses.push_back({command.id, number});
    found = true;
  };
  for (int64_t number : live)
    use(number);
  if (!found)
    use(begin(command, access, -1, live));
}

void Finder::write(const CommandTiming &command, const Access &access,
                   Live &live) {
  // What lies below all of it is gone.
  llvm::erase_if(live, [&](int64_t number) {
    const Holding &old = all[number];
    return access.begin <= old.begin && old.end <= access.end &&
           shareSlices(old.slices, access.slices) && old.writer != command.id;
  });
  begin(command, access, command.id, live);
}

void Finder::add(const CommandTiming &command) {
  for (bool writes : {false, true})
    for (const Access &access : command.accesses)
      if (access.write == writes && access.begin < access.end) {
        Live &live = liveIn[{access.space, access.chip}];
        if (writes)
          write(command, access, live);
        else
          read(command, access, live);
      }
}

std::vector<Holding>
page::findHoldings(const sim::Report &report,
                   std::vector<std::pair<int64_t, int64_t>> &uses) {
  Finder finder(uses);
  for (const CommandTiming &command : report.commands)
    finder.add(command);
  // Host transfers come before and after the clock runs.
  for (Holding &holding : finder.all)
    if (holding.writer >= 0 &&
        report.commands[holding.writer].context == "host")
      holding.from = 0;
  return std::move(finder.all);
}
