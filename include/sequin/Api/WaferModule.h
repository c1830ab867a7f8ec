//===- WaferModule.h - Wafer programs from files ----------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A wafer program for wafer::Session to run: from MLIR (a `csl.layout` and its
// programs, or a function of linalg on tensors, which is lowered to them) or
// from JSON (docs/Spec/Wafer.md). Errors are Refusals.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_API_WAFERMODULE_H
#define SEQUIN_API_WAFERMODULE_H

#include "sequin/Api/Program.h"
#include "sequin/Reference/CslInterpreter.h"
#include "sequin/Stream/Distribution.h"
#include "sequin/Wafer/Program.h"

namespace sequin::api {

struct WaferOptions {
  /// A .mlir or .json file, or what `text` is called in messages.
  std::string path;
  std::optional<std::string> text;
  /// Empty: the program names its machine.
  std::string target;
  /// Width and height that the program must have, or that it is lowered for.
  std::optional<std::pair<int64_t, int64_t>> grid;
  /// Of linalg: the function to lower; empty: the only one.
  std::string entry;
};

/// What a program that was a function on tensors takes and returns (csl.entry):
/// whole arrays, spread over the PEs.
struct WaferEntry {
  struct Tensor {
    std::string symbol;
    Distribution distribution;
  };
  std::string function;
  std::vector<Tensor> arguments, results;
};

/// Whether the file is a program for a wafer: a module with a `csl.layout` or
/// JSON of a wafer program. What is no regular file is none.
bool isWaferProgram(llvm::StringRef path);

class WaferModule {
public:
  static llvm::Expected<std::unique_ptr<WaferModule>>
  load(const WaferOptions &options);
  ~WaferModule();
  WaferModule(const WaferModule &) = delete;
  WaferModule &operator=(const WaferModule &) = delete;

  const wafer::Program &program() const;
  /// None for a program that was written for PEs.
  const std::optional<WaferEntry> &entry() const;
  /// The warnings of the derivation, as printed.
  llvm::StringRef warningText() const;
  /// The program on the reference interpreter; a refusal for one that was not
  /// given as MLIR. Must not outlive this.
  llvm::Expected<std::unique_ptr<reference::CslReference>>
  makeReference(const reference::CslOptions &options = {}) const;

  /// Whether it was given as linalg on tensors.
  bool isLinalg() const;
  /// Runs the linalg program on its reference interpreter; a refusal if a
  /// result differs by more than its rounding.
  llvm::Error compareWithLinalg(llvm::ArrayRef<sim::HostArray> inputs,
                                llvm::ArrayRef<sim::HostArray> outputs) const;

private:
  struct Impl;
  explicit WaferModule(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace sequin::api

#endif // SEQUIN_API_WAFERMODULE_H
