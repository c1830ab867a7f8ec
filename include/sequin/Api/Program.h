//===- Program.h - Programs to compile and run ------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What sequin-run and the Python package have in common: a program is compiled
// once, from MLIR at any level, a configuration or an einsum, and then run any
// number of times on arrays.
//
//     Expected<unique_ptr<Program>> program = Program::compile(options);
//     Expected<sim::HostArray> a = (*program)->toInput(0, array, "a.npy");
//     Expected<RunResult> result = (*program)->run({*a, *b}, {});
//     NpyArray c = (*program)->toOutput(0, result->outputs[0], /*raw=*/false);
//
// Errors are of two classes: sim::Trap for a program that breaks a rule of the
// machine while it runs, Refusal for everything else. Nothing is printed.
//
// Every program has an MLIR context of its own. Different programs may be used
// by different threads at a time, and so may one program: run() needs no MLIR,
// what does waits for its turn.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_API_PROGRAM_H
#define SEQUIN_API_PROGRAM_H

#include "sequin/Config/Config.h"
#include "sequin/Sim/Simulator.h"
#include "sequin/Support/NpyFile.h"
#include "llvm/Support/Error.h"
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sequin::api {

/// One diagnostic.
struct Message {
  enum class Severity : uint8_t { Error, Warning, Remark, Note };
  Severity severity = Severity::Error;
  std::string file;             ///< empty: about no place in a file
  int64_t line = 0, column = 0; ///< from 1; 0 without a place
  std::string text;
  std::vector<Message> notes;
};

/// "error", "warning", "remark", "note".
llvm::StringRef getName(Message::Severity severity);

/// Something of the user's was refused.
class Refusal : public llvm::ErrorInfo<Refusal> {
public:
  static char ID;
  enum class Kind : uint8_t {
    Program,      ///< what was to be compiled
    Input,        ///< an array or a limit of a run
    Verification, ///< the results are not the reference interpreter's
  };
  Refusal(Kind kind, std::string printed, std::vector<Message> messages)
      : kind(kind), printed(std::move(printed)), messages(std::move(messages)) {
  }

  Kind getKind() const { return kind; }
  /// What the tools print: lines with the place and the source line where there
  /// is one.
  llvm::StringRef getPrinted() const { return printed; }
  llvm::ArrayRef<Message> getMessages() const { return messages; }
  /// The texts of the errors, without places.
  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override;

private:
  Kind kind;
  std::string printed;
  std::vector<Message> messages;
};

/// A refusal that is about no place in a file.
llvm::Error refuse(Refusal::Kind kind, const llvm::Twine &what);

/// What to compile and for which machine; of `path`, `text` and `einsum` one.
struct CompileOptions {
  /// A .mlir file, a .json file with a configuration, or a .rs file with a
  /// kernel of the Virtual ISA manual.
  std::string path;
  /// The same as text; `path` is then its name in messages.
  std::optional<std::string> text;
  /// "mk,kn->mn", with the sizes of its indices ("m=512,k=2048", any number of
  /// times), the types of its operands ("bf16", one for all or one for each)
  /// and of its result (empty: the accumulator's).
  std::string einsum;
  std::vector<std::string> sizes;
  std::string dtype, outputDtype;

  std::string target;           ///< empty: the program names it
  std::optional<int64_t> chips; ///< none: the program's, or 1
  /// Function to run; of a .rs file "main" is its only kernel.
  std::string entry = "main";
  /// Of a .rs file: "allocate" (or empty) or "given".
  std::string addresses;

  // How linalg is lowered; of no consequence for what is lowered already.
  /// Round f32 and f16 operands of contractions to bf16 instead of cutting them
  /// into digits.
  bool allowBf16 = false;
  /// Of an einsum: round and saturate intermediates to the operands' width.
  bool allowNarrow = false;
  /// "row-major": arguments lie in HBM in the order of their dimensions, rows
  /// padded to 64 bytes; "chosen": as the compiler likes; empty: as the
  /// machine's row says.
  std::string argumentLayout;
  /// How many mappings are evaluated for one operation at most, from 1; none:
  /// enough for all that there are.
  std::optional<int64_t> searchBudget;
  /// Keeps what Program::mappings() tells.
  bool recordMappings = false;

  /// What the operations at some places are called, by CommandTiming::location:
  /// of a program that was made from something else, as a model's nodes.
  std::map<std::string, std::string> operations;

  /// Keeps the program as it was given, for run() with `verify` and for mlir().
  bool keepGiven = true;
};

struct RunOptions {
  bool timingOnly = false; ///< no inputs, no outputs, cycles only
  /// Compare with the reference interpreters; a difference is a Refusal.
  bool verify = false;
  /// Most simulated steps (sim::Options), at least 1; none: the simulator's
  /// default.
  std::optional<int64_t> maxSteps;
  /// With timingOnly alone.
  sim::WhatIf whatIf = {};
  /// Keeps sim::CommandTiming::accesses, for a page.
  bool keepAccesses = false;
};

struct RunResult {
  std::vector<sim::HostArray> outputs; ///< none if `timingOnly`
  sim::Report report;
  /// Contractions that the lowering has added, for operands that are wider than
  /// what the contraction engine takes.
  int64_t digitProducts = 0;
  std::string verified; ///< what was compared, if `verify`
};

/// The report with what the compiler knows: `digit_products`.
llvm::json::Value toJSON(const RunResult &result);
/// The same as text, written as it is made.
void writeJSON(llvm::raw_ostream &os, const RunResult &result);

/// Program::mappings() as text.
std::string describeMappings(const llvm::json::Array &mappings);

/// The stages at which mlir() shows a program.
enum class Level : uint8_t {
  Given,  ///< as it was read, or the linalg of an einsum
  Tcp,    ///< the `tcp` program it became
  Config, ///< the `tcp.config` that is run
};
std::optional<Level> parseLevel(llvm::StringRef name);

class Program {
public:
  static llvm::Expected<std::unique_ptr<Program>>
  compile(const CompileOptions &options);
  ~Program();
  Program(const Program &) = delete;
  Program &operator=(const Program &) = delete;

  /// The warnings of a successful compilation, as printed and one by one.
  llvm::StringRef warningText() const;
  llvm::ArrayRef<Message> warnings() const;

  /// How each part of the program is mapped, and the best mapping that was not
  /// chosen (docs/Guides/ReadingAReport.md); none unless `recordMappings`, or
  /// for what was lowered already.
  const llvm::json::Array &mappings() const;

  /// Whether it was lowered from tensors, so that it can be lowered otherwise.
  bool isLowered() const;

  /// The configuration that runs.
  const config::Program &config() const;
  const TcpMachine &machine() const;
  /// Arguments and results, in the shapes their author gave them.
  llvm::ArrayRef<config::Argument> inputs() const;
  llvm::ArrayRef<config::Argument> outputs() const;
  /// "2 inputs ('x' bf16 [360, 64], 'w' bf16 [64, 128])".
  std::string describeInputs() const;
  std::string describeOutputs() const;

  /// Argument `index` from an array whose name in messages is `name`: numbers
  /// are rounded to the nearest value of the argument's type, ties to even;
  /// uint16 for bf16 and uint8 for f8 are the elements' bits.
  llvm::Expected<sim::HostArray> toInput(size_t index, NpyArray array,
                                         llvm::StringRef name) const;
  /// Result `index` as an array: floats as float32, or as they are if `raw`
  /// (bf16 as uint16, f8 as uint8); integers in their width, i4 as int8.
  NpyArray toOutput(size_t index, const sim::HostArray &array, bool raw) const;

  /// A refusal if there is no program that verification could run.
  llvm::Error checkVerifiable() const;
  llvm::Expected<RunResult> run(llvm::ArrayRef<sim::HostArray> inputs,
                                const RunOptions &options) const;

  /// The program as MLIR; a refusal if it was never at this level.
  llvm::Expected<std::string> mlir(Level level) const;
  /// The configuration as JSON (docs/Spec/Config.md).
  std::string json() const;

private:
  struct Impl;
  explicit Program(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace sequin::api

#endif // SEQUIN_API_PROGRAM_H
