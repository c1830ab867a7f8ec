//===- SeenRun.h - All that a run gives -------------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_TEST_UNIT_WAFERSIM_SEENRUN_H
#define SEQUIN_TEST_UNIT_WAFERSIM_SEENRUN_H

#include "WaferBuilder.h"

namespace sequin::testing {

/// All that a run gives, as text.
struct Seen {
  Outcome outcome = Outcome::Finished;
  std::string text;
  std::vector<uint8_t> memory;
};

inline std::string describe(llvm::ArrayRef<Race> races) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const Race &race : races)
    os << race.cycle << " (" << race.x << ", " << race.y << ") " << race.message
       << "\n";
  return text;
}

/// After a run that ended with `outcome`.
inline Seen see(const Program &program, const Simulator &simulator,
                Outcome outcome) {
  Seen seen;
  seen.outcome = outcome;
  llvm::raw_string_ostream os(seen.text);
  const Counters &c = simulator.counters();
  for (uint64_t number :
       {simulator.now(), c.cycles, c.steps, c.hops, c.delivered, c.elements,
        c.macsF32, c.macsMixed, c.macsFp16, c.instructions, c.dropped,
        c.filtered, c.active, c.firstWavelet, c.lastElement})
    os << number << "\n";
  os << describe(simulator.races()) << describe(simulator.lostControls())
     << describe(simulator.undefinedReads());
  for (const std::string &line : simulator.log())
    os << line << "\n";
  if (seen.outcome == Outcome::Trapped)
    os << simulator.trap()->cycle << " (" << simulator.trap()->x << ", "
       << simulator.trap()->y << ") " << simulator.trap()->message << "\n";
  if (outcome == Outcome::Hung || outcome == Outcome::Exhausted)
    os << simulator.hang().str(program);
  for (int64_t y = 0; y < program.height; ++y)
    for (int64_t x = 0; x < program.width; ++x) {
      llvm::ArrayRef<uint8_t> memory = simulator.memory(x, y);
      seen.memory.insert(seen.memory.end(), memory.begin(), memory.end());
    }
  return seen;
}

inline Seen see(const Program &program, Options options, unsigned threads,
                unsigned window) {
  options.threads = threads;
  options.windowCycles = window;
  options.teamSteps = 0;
  auto simulator = simulate(program, options);
  // In pieces, as a host with timeouts does.
  Outcome outcome;
  do
    outcome = simulator->run(37);
  while (outcome == Outcome::Paused);
  return see(program, *simulator, outcome);
}

} // namespace sequin::testing

#endif // SEQUIN_TEST_UNIT_WAFERSIM_SEENRUN_H
