//===- Session.h - A host at work with a simulated wafer --------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What sequin-run and the runtime for Python have in common: a wafer program is
// loaded once and then driven by the host's commands, each on a rectangle of
// PEs.
//
//     auto session = Session::create(std::move(program), options);
//     (*session)->copyIn("A", all, bytes);
//     (*session)->launch("compute", all, {});
//     (*session)->run();
//     auto result = (*session)->copyOut("y", all, bytesPerPe);
//     (*session)->finish();
//
// Time passes in run(), receive() and finish() only. A command waits for the
// command stream of its PEs: a copy runs the wafer until it is free, and is a
// hang where that never happens. What still waits after run() is no error by
// itself (a later command may send what it waits for); finish() says that no
// command will come.
//
// Arrays are PE-major: the rectangle row by row from the north, within a row
// from west to east, and the elements of each PE together.
//
// Errors: RunFailure where the simulated program trapped, hangs or came to the
// limit of steps; anything else is a wrong command.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_WAFERHOST_SESSION_H
#define SEQUIN_WAFERHOST_SESSION_H

#include "sequin/WaferSim/Simulator.h"

namespace sequin::wafer {

/// The simulated program came to no good end.
class RunFailure : public llvm::ErrorInfo<RunFailure> {
public:
  static char ID;
  enum class Kind : uint8_t { Trap, Hang, StepLimit, Race };
  RunFailure(Kind kind, std::string text) : kind(kind), text(std::move(text)) {}
  Kind getKind() const { return kind; }
  /// A line that says what happened, and for a hang and the step limit more
  /// lines about who waits for what. No newline at the end.
  void log(llvm::raw_ostream &os) const override { os << text; }
  std::error_code convertToErrorCode() const override;

private:
  Kind kind;
  std::string text;
};

/// What the host sees of a symbol's data: elements of one type, as many on
/// every PE.
struct SymbolData {
  ElementKind kind = ElementKind::Unsigned;
  unsigned elementBytes = 2;
  int64_t elementsPerPe = 0;
  int64_t bytesPerPe() const { return elementsPerPe * elementBytes; }
};

/// One command that was carried out, for reports.
struct Command {
  enum class Kind : uint8_t { CopyIn, CopyOut, Launch, Send, Receive };
  Kind kind = Kind::Launch;
  std::string name; ///< of the symbol or stream
  Rectangle where;
  /// Cycles: given, and done. A launch is done when nothing moved after it.
  uint64_t start = 0, end = 0;
  uint64_t bytes = 0; ///< moved
};
/// "copy in", "launch", ...
llvm::StringRef getName(Command::Kind kind);

class Session {
public:
  /// `target` of the program names the machine.
  static llvm::Expected<std::unique_ptr<Session>>
  create(Program program, const Options &options = {});

  const Program &program() const { return loaded; }
  const CslMachine &machine() const { return *row; }
  Simulator &simulator() { return *wafer; }
  const Simulator &simulator() const { return *wafer; }
  llvm::ArrayRef<Command> commands() const { return done; }
  /// All PEs of the program.
  Rectangle all() const { return {0, 0, loaded.width, loaded.height}; }

  //===--- Names. An error suggests the name that is closest. -------------===//

  llvm::Expected<const Symbol *> symbol(llvm::StringRef name) const;
  llvm::Expected<const Stream *> stream(llvm::StringRef name,
                                        bool toDevice) const;
  /// Whether the PE exports the symbol.
  bool has(const Symbol &symbol, int64_t x, int64_t y) const;
  /// The data of a symbol in a rectangle; behind a pointer it is the variable
  /// that the pointer points to now, from there to its end. Fails if no PE has
  /// it, for a function, and if PEs differ.
  llvm::Expected<SymbolData> dataOf(const Symbol &symbol,
                                    const Rectangle &where) const;
  /// Copies are by pointer. What one of `bytes` at a PE takes besides the array
  /// of the symbol, as a sentence; "" if nothing.
  std::string beyond(const Symbol &symbol, int64_t x, int64_t y,
                     uint64_t bytes) const;
  /// Refuses what is not within the program's rectangle.
  llvm::Error checkInside(const Rectangle &where) const;

  //===--- Commands -------------------------------------------------------===//

  /// What a copy does at PEs without the symbol.
  enum class Missing : uint8_t {
    Refuse,
    Skip, ///< their part of the array is ignored, or zero
  };
  /// `data`: as many bytes for every PE of `where`, from the symbol's first
  /// element on, within the PE's memory.
  llvm::Error copyIn(llvm::StringRef symbol, const Rectangle &where,
                     llvm::ArrayRef<uint8_t> data,
                     Missing missing = Missing::Refuse);
  llvm::Expected<std::vector<uint8_t>>
  copyOut(llvm::StringRef symbol, const Rectangle &where, uint64_t bytesPerPe,
          Missing missing = Missing::Refuse);
  /// The arguments as bits, one register each. It starts when the wafer runs
  /// and the PE's command stream is free.
  llvm::Error launch(llvm::StringRef function, const Rectangle &where,
                     llvm::ArrayRef<uint64_t> arguments = {},
                     Missing missing = Missing::Refuse);
  /// As many words for every PE of `where`; of an edge stream all words, and
  /// `where` is of no consequence. They enter as the wafer runs.
  llvm::Error send(llvm::StringRef stream, const Rectangle &where,
                   llvm::ArrayRef<uint32_t> words);
  /// Runs until every PE has sent `wordsPerPe` words, and takes them.
  llvm::Expected<std::vector<uint32_t>>
  receive(llvm::StringRef stream, const Rectangle &where, uint64_t wordsPerPe);
  /// How many words have come out of a stream at a PE and were not taken.
  llvm::Expected<uint64_t> received(llvm::StringRef stream, int64_t x,
                                    int64_t y);

  /// Runs until nothing moves.
  llvm::Error run();
  /// The same for a number of cycles at most; whether something still moves.
  llvm::Expected<bool> runFor(uint64_t cycles);
  /// The same at the end of a program: what waits then is a hang.
  llvm::Error finish();

  //===--- Checkpoints (Simulator.h) --------------------------------------===//

  void save(llvm::raw_ostream &os) const;
  llvm::Error load(llvm::ArrayRef<uint8_t> bytes);

private:
  Session(Program program, const CslMachine *row)
      : loaded(std::move(program)), row(row) {}
  llvm::Error failure(Outcome outcome) const;
  /// Runs until no command stream of `where` is blocked.
  llvm::Error waitForCommands(const Rectangle &where, llvm::StringRef what);
  uint64_t addressOf(const Symbol &symbol, const Symbol::Definition &place,
                     int64_t x, int64_t y) const;

  Program loaded;
  const CslMachine *row;
  std::unique_ptr<Simulator> wafer;
  std::vector<Command> done;
  /// Index into `done` of the first command that runs on.
  size_t open = 0;
  /// Words taken out of the simulator's streams and not asked for yet.
  std::map<std::pair<const Stream *, uint64_t>, std::vector<uint32_t>> inbox;
  Outcome last = Outcome::Finished;
};

/// `name` as messages show an unknown one: "'x', did you mean 'y'", or "'x',
/// there are a, b, c".
std::string suggest(llvm::StringRef name,
                    llvm::ArrayRef<llvm::StringRef> known);

} // namespace sequin::wafer

#endif // SEQUIN_WAFERHOST_SESSION_H
