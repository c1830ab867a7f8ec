//===- Simulator.h - Runs a TCP configuration -------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A functional and a cycle model of a TCP system. It sees the configuration and
// the machine table only. Functional results never depend on timing: commands
// are executed one after the other in program order, and the schedule (which
// overlaps them by resource and memory hazard) is computed beside.
//
// Outcomes: a Report (finished), or a Trap (the configuration is wrong: out of
// bounds, loop counts that do not match, an address rule broken), naming
// command, stage and address. Anything else is a bug of ours.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_SIM_SIMULATOR_H
#define SEQUIN_SIM_SIMULATOR_H

#include "sequin/Config/Config.h"
#include "sequin/Machine/Machine.h"
#include "sequin/Sim/WhatIf.h"
#include <map>

namespace sequin::sim {

/// The configuration did something the machine forbids.
class Trap : public llvm::ErrorInfo<Trap> {
public:
  static char ID;
  Trap(std::string command, std::string stage, std::string what)
      : command(std::move(command)), stage(std::move(stage)),
        what(std::move(what)) {}
  /// "trap: command 'x' stage 'fetch': ...".
  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override;

  /// Whose fault it is; both may be empty for what concerns the whole program.
  llvm::StringRef getCommand() const { return command; }
  llvm::StringRef getStage() const { return stage; }
  llvm::StringRef getWhat() const { return what; }

private:
  std::string command, stage, what;
};

/// A dense row-major array of program elements. Sub-byte types use one byte per
/// element on the host.
struct HostArray {
  ElementType type = ElementType::I8;
  llvm::SmallVector<int64_t, 4> shape;
  std::vector<uint8_t> data;
};

enum class Space : uint8_t { Hbm, Dm, Spm, Trf, Vrf };
/// "hbm", "dm", "spm", "trf", "vrf".
llvm::StringRef getName(Space space);

/// A bounding range of bytes that a command touches.
struct Access {
  Space space = Space::Hbm;
  bool write = false;
  int64_t chip = 0;
  int64_t begin = 0, end = 0;
  /// Dm, Trf and Vrf: the range holds in every slice of this mask.
  std::vector<uint64_t> slices;
};

/// When a command ran and what each of its stages took.
struct CommandTiming {
  int64_t id = 0;
  std::string name;
  /// config::Command::location.
  std::string location;
  /// The operation of the user's program that it came from, "linalg.matmul";
  /// empty where only the configuration is known. The simulator leaves it so.
  std::string operation;
  std::string context;        ///< "main", "sub", "dma" or "host"
  int64_t start = 0, end = 0; ///< cycles
  /// Cycles of each stage, in pipeline order.
  std::vector<std::pair<std::string, int64_t>> stages;
  /// What happened besides, by name: cache misses, slots in use.
  std::vector<std::pair<std::string, int64_t>> counters;
  /// What `start` waited for: "", "main busy", "RAW on dm[0, 4096) by 'x'".
  std::string wait;
  int64_t waitedFor = -1;     ///< the command that `wait` is about; -1: none
  std::vector<int64_t> chips; ///< whose context it runs in
  int64_t hbmBytes = 0;       ///< read and written
  /// Multiply-accumulates that the contraction engine did, those on padding
  /// and of rows that repeat included.
  int64_t engineMacs = 0;
  /// Memory it touches; empty unless Options::keepAccesses.
  std::vector<Access> accesses;
};

/// What a line of the user's program took.
struct SourceTotal {
  std::string location, operation; ///< CommandTiming's
  int64_t commands = 0;
  /// Cycles in which at least one of the commands ran.
  int64_t cycles = 0;
  /// The same by context, in the order of names.
  std::vector<std::pair<std::string, int64_t>> contexts;
};

struct Report {
  std::string target;
  int64_t chips = 1;
  int64_t cycles = 0;
  double seconds = 0;
  int64_t macs = 0;
  int64_t peakMacsPerCycle = 0; ///< of all chips together
  double macUtilization = 0;
  int64_t hbmBytesRead = 0, hbmBytesWritten = 0;
  double hbmUtilization = 0;
  std::vector<CommandTiming> commands;
  double wallSeconds = 0;
  double macsPerSecond = 0;
};

/// What a command costs by itself, in steps: its check, its place in the
/// schedule and its line in the report take some 10 us and 2 KB.
inline constexpr int64_t kStepsOfCommand = 1024;

struct Options {
  /// Compute the schedule only; inputs may be absent and no data is moved.
  bool timingOnly = false;
  /// Bound on the work of a run, in steps: loop iterations of all execution
  /// commands and slices, elements to and from the host, requests of the DMA
  /// engines. A program that needs more traps before it starts. A step takes up
  /// to about 50 ns, so that the default ends within about a minute. With
  /// `timingOnly`, what does not move does not count: the requests of the DMA
  /// engines do, which are walked one by one. Each command that a loop makes
  /// in a further round counts kStepsOfCommand beside.
  int64_t maxSteps = int64_t(1) << 30;
  /// With timingOnly alone.
  WhatIf whatIf = {};
  /// Keeps CommandTiming::accesses.
  bool keepAccesses = false;
};

struct Result {
  std::vector<HostArray> outputs;
  Report report;
};

/// Runs `program` on `machine`. `inputs` match Program::inputs in number, type
/// and shape (checked; an error, not a Trap).
llvm::Expected<Result> run(const config::Program &program,
                           const TcpMachine &machine,
                           llvm::ArrayRef<HostArray> inputs,
                           const Options &options = {});

/// Totals by operation and location, the longest first; what the host moves is
/// left out, since it takes no time.
std::vector<SourceTotal> totalBySource(const Report &report);

/// Keys as in the contract; cycles as integers.
llvm::json::Value toJSON(const Report &report);
/// The same as text, with `more` fields beside; commands are written as they
/// are made.
void writeJSON(llvm::raw_ostream &os, const Report &report,
               llvm::json::Object more = {});
/// Chrome trace events, one track per context, stages nested; written as they
/// are made.
void writeChromeTrace(llvm::raw_ostream &os, const Report &report);

} // namespace sequin::sim

#endif // SEQUIN_SIM_SIMULATOR_H
