//===- CommandCheck.h - Checks of one command -------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_SIM_CHECK_COMMANDCHECK_H
#define SEQUIN_LIB_SIM_CHECK_COMMANDCHECK_H

#include "Engine/Nest.h"
#include "Plan.h"
#include "llvm/Support/FormatVariadic.h"
#include <map>

namespace sequin::sim {

/// Counts of one command above this are refused, so that sums of cycles cannot
/// overflow.
inline constexpr int64_t kMaxCount = int64_t(1) << 40;

/// What a nest of loops touches: the lowest and one past the highest unit.
/// Wide, because nothing has been checked yet.
struct Extent {
  __int128 begin = 0, end = 0;
};

/// Of single units of size `unit` at base + sum of index * stride * scale.
template <class Loops>
Extent extentOf(const Loops &loops, int64_t base, int64_t scale, int64_t unit) {
  Extent extent{base, base};
  for (const auto &loop : loops) {
    __int128 reach = static_cast<__int128>(loop.size - 1) * loop.stride * scale;
    (reach < 0 ? extent.begin : extent.end) += reach;
  }
  extent.end += unit;
  return extent;
}

/// The machine, the command and a place for the findings.
struct CommandCheck {
  const TcpMachine &machine;
  const config::Program &program;
  const config::Command &command;
  CommandPlan &plan;

  llvm::Error trap(llvm::StringRef stage, const llvm::Twine &what) const {
    return llvm::make_error<Trap>(command.name, stage.str(), what.str());
  }

  /// A field has a value where nothing reads it: whoever wrote it meant
  /// something else (docs/Spec/Config.md).
  llvm::Error meaningless(llvm::StringRef stage,
                          const llvm::Twine &field) const {
    return trap(stage, field + " means nothing there and is refused "
                               "(Config.md, Fields without a meaning)");
  }

  /// `found` is one of `allowed`.
  llvm::Error oneOf(llvm::StringRef stage, const llvm::Twine &what,
                    int64_t found, llvm::ArrayRef<int64_t> allowed) const;
  /// low <= found <= high.
  llvm::Error between(llvm::StringRef stage, const llvm::Twine &what,
                      int64_t found, int64_t low, int64_t high) const;
  llvm::Error multipleOf(llvm::StringRef stage, const llvm::Twine &what,
                         int64_t found, int64_t factor) const;
  /// Number and sizes of the entries.
  llvm::Error entries(llvm::StringRef stage, llvm::ArrayRef<Loop> loops,
                      const SequencerLimits &limits) const;
  /// The accesses stay in [0, limit) of `memory`.
  llvm::Error inside(llvm::StringRef stage, const Extent &extent,
                     llvm::StringRef memory, int64_t limit) const;
  /// A product of loop sizes that may be out of any range.
  llvm::Expected<int64_t> count(llvm::StringRef stage, llvm::StringRef what,
                                std::optional<int64_t> product) const;
  llvm::Error chip(llvm::StringRef stage, int64_t index) const {
    return between(stage, "chip", index, 0, program.chips - 1);
  }
};

llvm::Error checkExec(CommandCheck check, const config::ExecCommand &exec);
llvm::Error checkGenerate(CommandCheck check,
                          const config::GenerateCommand &generate);
llvm::Error checkDma(CommandCheck check, const config::DmaCommand &dma);
/// What takes a step per request, for a command that has passed checkDma: no
/// byte has two writers, or a reader beside its writer.
llvm::Error checkDmaRaces(const CommandCheck &check,
                          const config::DmaCommand &dma);
/// Contractions read what was loaded last as the type it was loaded as: the
/// register file stores each type in slots of its own. For checked commands.
llvm::Error checkTrfTypes(const config::UnrolledProgram &program,
                          llvm::ArrayRef<CommandPlan> plans,
                          const TcpMachine &machine);
/// Sets the stages and cycles of a checked command.
void timeDma(const CommandCheck &check, const config::DmaCommand &dma);
/// The same for all commands of a program: of commands that take equally long
/// by their form, one is timed.
class DmaTimes {
public:
  void add(const CommandCheck &check, const config::DmaCommand &dma);

private:
  struct Times {
    std::vector<std::pair<std::string, int64_t>> stages;
    int64_t cycles = 0;
  };
  std::map<std::vector<int64_t>, Times> times;
};
llvm::Error checkTransfer(CommandCheck check, const config::Transfer &transfer);

/// Whether no two of `width` units at every combination of the loops overlap,
/// by the strides alone: nests that only their sizes keep apart are not found.
bool isInjective(llvm::ArrayRef<Loop> nest, int64_t width);

} // namespace sequin::sim

#endif // SEQUIN_LIB_SIM_CHECK_COMMANDCHECK_H
