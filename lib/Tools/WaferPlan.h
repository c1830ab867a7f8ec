//===- WaferPlan.h - What a run on a wafer does -----------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The command line's inputs, launches and outputs, held against the program:
// everything that can be wrong is found before anything runs.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_TOOLS_WAFERPLAN_H
#define SEQUIN_LIB_TOOLS_WAFERPLAN_H

#include "sequin/Api/WaferModule.h"
#include "sequin/Tools/RunDriver.h"
#include "sequin/WaferHost/SymbolArrays.h"

namespace sequin::tools {

/// "NAME" or "NAME@X,Y,W,H".
struct NamedRegion {
  std::string name;
  std::optional<wafer::Rectangle> where;
};

/// "PLACE=FILE".
struct Transfer {
  NamedRegion place;
  std::string path;
  const wafer::Symbol *symbol = nullptr; ///< or
  const wafer::Stream *stream = nullptr;
  /// A whole array, spread over the PEs.
  const Distribution *distribution = nullptr;
  wafer::Rectangle where;
  wafer::SymbolData data;
  wafer::Session::Missing missing = wafer::Session::Missing::Skip;
  std::vector<uint8_t> bytes;
  std::vector<uint32_t> words;
};

/// "PLACE" or "PLACE(ARGUMENT, ...)".
struct Launch {
  NamedRegion place;
  const wafer::Symbol *function = nullptr;
  wafer::Rectangle where;
  wafer::Session::Missing missing = wafer::Session::Missing::Skip;
  std::vector<uint64_t> arguments;
};
struct Plan {
  const api::WaferEntry *entry = nullptr; ///< arguments are whole arrays
  std::vector<Transfer> inputs, outputs;
  std::vector<Launch> launches;
};

/// "X,Y,WIDTH,HEIGHT".
llvm::Expected<wafer::Rectangle> parseRectangle(llvm::StringRef text,
                                                const llvm::Twine &what);
/// "W,H".
llvm::Expected<std::pair<int64_t, int64_t>> parseGrid(llvm::StringRef text);

/// Reads the files of --input too.
llvm::Expected<Plan> makePlan(const RunOptions &options,
                              const api::WaferModule &module,
                              const wafer::Session &session);

/// A transfer of a whole array that lies on the PEs as `tensor` says.
llvm::Expected<Transfer> makeWhole(const api::WaferEntry::Tensor &tensor,
                                   llvm::StringRef path,
                                   const wafer::Session &session);

/// The whole array that PE-major `local` is the blocks of.
llvm::Expected<sim::HostArray> gatherWhole(const Transfer &transfer,
                                           llvm::ArrayRef<uint8_t> local,
                                           const wafer::Program &program);

/// The same commands on the reference interpreter, and every symbol with data
/// on every PE compared with what the session has; the text of the success
/// line.
llvm::Expected<std::string> verify(const Plan &plan,
                                   const wafer::Session &session,
                                   const api::WaferModule &module);

} // namespace sequin::tools

#endif // SEQUIN_LIB_TOOLS_WAFERPLAN_H
