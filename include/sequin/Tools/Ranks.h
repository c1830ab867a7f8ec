//===- Ranks.h - The processes that mpirun has started ----------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_TOOLS_RANKS_H
#define SEQUIN_TOOLS_RANKS_H

#include "sequin/WaferSim/Exchange.h"
#include "llvm/Support/Error.h"

namespace sequin::tools {

/// Which of the processes that mpirun has started this one is; 0 for one that
/// was started alone. Known before MPI is.
unsigned findRank();

/// Joins the others; null for a process that was started alone.
llvm::Expected<std::unique_ptr<wafer::Exchange>> joinRanks();

} // namespace sequin::tools

#endif // SEQUIN_TOOLS_RANKS_H
