//===- Crew.h - A fabric that several ranks share ---------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rank 0 has the host's side: it sends orders to those whose rows they are
// about, and after every run it has what all of them have counted and found.
// The others serve. In a run all ranks do the same: agree on the next window,
// step it, and give each other what crosses their borders.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_WAFERSIM_CREW_H
#define SEQUIN_LIB_WAFERSIM_CREW_H

#include "Relay.h"
#include "Wafer.h"
#include "sequin/Support/Archive.h"

namespace sequin::wafer {

template <typename A> void transferCounters(A &a, Counters &counters);
template <typename A> void transferRaces(A &a, std::vector<Race> &list);

class Crew {
public:
  Crew(Wafer &wafer, Exchange &exchange);
  ~Crew();

  /// The first row of this rank, or of the one `after` it.
  static int64_t firstRow(const Program &program, const Exchange *exchange,
                          unsigned after);

  /// Before there is a wafer: what rank 0 wants simulated goes to the others.
  static void begin(Exchange &exchange, const Options &options);
  static bool await(Exchange &exchange, Options &options, bool &isObserved,
                    bool &isTraced);
  static void end(Exchange &exchange);
  /// Whether all ranks say so; if not, the first that does not.
  static std::optional<unsigned> findFailure(Exchange &exchange, bool succeeds);

  //===--- In a run: of every rank. ---------------------------------------===//

  Agreement agree(const Agreement &mine);
  /// After a cycle of the rows at the borders.
  void cross(Stepper &stepper);
  void endWindow(uint64_t begin);
  bool anyPends();
  Outcome endRun(Outcome outcome);

  //===--- The host's side: of rank 0. ------------------------------------===//

  bool owns(int64_t y) const { return y >= wafer.firstRow && y < wafer.endRow; }
  void beginRun(uint64_t cycles);
  const Counters &counters() const { return total; }
  /// The others do not serve this wafer.
  void dismiss() { isDismissed = true; }
  bool hasCommand(uint32_t pe) const { return commands[pe]; }
  bool isBlocked(uint32_t pe) const { return commands[pe] & kBlocked; }
  void launch(uint32_t pe, uint32_t function,
              llvm::ArrayRef<uint64_t> arguments);
  void copyIn(uint32_t pe, uint32_t address, llvm::ArrayRef<uint8_t> data);
  void send(uint32_t stream, uint32_t pe, llvm::ArrayRef<uint32_t> words);
  /// The host has taken words that had come out in a row.
  void taken(uint32_t stream, int64_t y, uint64_t words);
  uint64_t unsent(uint32_t stream, uint32_t pe);
  /// Brings a part of the memory of the row's PEs to where this rank has it.
  void fetch(int64_t y, uint32_t address, uint32_t bytes);
  /// Makes the report that a run has left to be made, if it has.
  void describeHang();
  void saveRow(int64_t y, std::vector<uint8_t> &bytes);
  /// The rows of others are loaded between these. `bad`: this rank could not
  /// load its own; whether any rank could not.
  void beginLoad();
  void loadRow(int64_t y, llvm::ArrayRef<uint8_t> bytes);
  bool endLoad(bool bad);

  //===--- The others. ----------------------------------------------------===//

  /// Carries out orders until the wafer is not wanted any more.
  void serve();

private:
  enum class Order : uint8_t {
    Run,
    Launch,
    CopyIn,
    Send,
    Taken,
    Unsent,
    Fetch,
    State,
    SaveRow,
    BeginLoad,
    LoadRow,
    EndLoad,
    End
  };
  static constexpr uint8_t kBlocked = 1, kLaunched = 2;

  unsigned ownerOf(int64_t y) const;
  Saver &orderTo(unsigned rank, Order order);
  Saver &orderFor(uint32_t pe, Order order);
  void flush(unsigned rank);
  void ask(unsigned rank, std::vector<uint8_t> &answer);
  bool carryOut(Loader &orders);
  void saveNews(Saver &news);
  void takeNews(Loader &news);
  void answerState();
  bool shareBorders(bool bad);

  Wafer &wafer;
  Exchange &exchange;
  const unsigned rank, size;
  std::vector<Saver> orders; ///< by rank, not sent yet
  std::vector<uint8_t> message;
  Counters total;
  std::vector<uint8_t> commands; ///< of PEs of others: kBlocked, kLaunched
  /// By row: what has been fetched since the last run.
  llvm::DenseMap<int64_t, llvm::SmallVector<std::pair<uint32_t, uint32_t>, 2>>
      fetched;
  bool hangIsDue = false, isDismissed = false, loadFailed = false;
};

} // namespace sequin::wafer

#endif // SEQUIN_LIB_WAFERSIM_CREW_H
