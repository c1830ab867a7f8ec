//===- SliceWork.h - Commands that run slice by slice -----------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Many commands work on the memories of slices, each slice by itself: copies
// between HBM and DM and passes without switch and inter-slice block. A
// sequence of them may run for one slice after the other, all commands for
// each, as long as no two of them meet in HBM. What a slice holds then stays in
// the host's cache from command to command.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_SIM_ENGINE_SLICEWORK_H
#define SEQUIN_LIB_SIM_ENGINE_SLICEWORK_H

#include "Memory/Memory.h"
#include "Plan.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <memory>

namespace sequin::sim {

/// A command that can be run for one slice after the other, in ascending order.
class SliceWork {
public:
  virtual ~SliceWork() = default;
  virtual void run(int64_t chip, int64_t slice) = 0;
  /// Calls visit(chip, address, bytes) for everything that is written to HBM.
  virtual void
  forEachStore(llvm::function_ref<void(int64_t, int64_t, int64_t)>) const {}
  /// A Trap if something went wrong in some slice.
  virtual llvm::Error finish() = 0;
};

/// Null if slices exchange data in the pass.
std::unique_ptr<SliceWork> makeSliceWork(llvm::StringRef name,
                                         const config::ExecCommand &exec,
                                         const CommandPlan &plan,
                                         const TcpMachine &machine,
                                         SystemMemory &memory);
/// Null if the command is more than plain copies between HBM and DM.
std::unique_ptr<SliceWork> makeSliceWork(const config::DmaCommand &dma,
                                         const TcpMachine &machine,
                                         SystemMemory &memory);

/// Runs the commands from number `first` on that can run slice by slice, as if
/// one after the other; how many these are. What slices hold is forgotten
/// behind command `last`, the last one that uses their memories.
llvm::Expected<int64_t> runSliceBySlice(const config::UnrolledProgram &program,
                                        int64_t first, int64_t last,
                                        llvm::ArrayRef<CommandPlan> plans,
                                        const TcpMachine &machine,
                                        SystemMemory &memory);
/// The last command that may touch the memories of slices; -1 if none does.
int64_t findLastUseOfSlices(const config::UnrolledProgram &program);

} // namespace sequin::sim

#endif // SEQUIN_LIB_SIM_ENGINE_SLICEWORK_H
