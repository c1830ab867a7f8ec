//===- Progress.h - How far long work is ------------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What takes long says now and then how far it is, to whoever listens on its
// thread; nobody does by default, and then it costs a look at a pointer. The
// one listener there is draws a line on a terminal:
//
//     ProgressLine line(ProgressMode::Auto);
//     ProgressScope scope(line);
//     ... reportProgress({"simulate", "", cycle, cycles, "cycles"}); ...
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_SUPPORT_PROGRESS_H
#define SEQUIN_SUPPORT_PROGRESS_H

#include "llvm/ADT/StringRef.h"
#include <chrono>
#include <mutex>
#include <optional>
#include <string>

namespace sequin {

/// How far long work is.
struct Progress {
  llvm::StringRef phase; ///< "compile", "simulate"
  /// What is at work: a pass, a node; may be empty.
  llvm::StringRef what = "";
  int64_t done = 0;
  int64_t total = 0;         ///< 0: nobody knows
  llvm::StringRef unit = ""; ///< of `done` and `total`: "cycles"
};

/// One line of text: "simulate 41 %, 3,700,000 of 9,000,364 cycles, 370,000 per
/// second, 14 s left". The rate is that of the `seconds` since the phase began,
/// and is told once it is known.
std::string describe(const Progress &progress, double seconds);

enum class ProgressMode : uint8_t {
  Auto,   ///< if stderr is a terminal that can move its cursor
  Always, ///< lines of their own if it is none, at most one a second
  Never,
};
/// "auto", "always", "never".
std::optional<ProgressMode> parseProgressMode(llvm::StringRef name);

/// The last line of stderr, which says how far the work is while it lives; may
/// be used by several threads.
class ProgressLine {
public:
  explicit ProgressLine(ProgressMode mode);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine &) = delete;
  ProgressLine &operator=(const ProgressLine &) = delete;

  void show(const Progress &progress);
  /// Takes the line away, so that other text can follow.
  void clear();
  /// The same for good, whatever another thread shows after.
  void hide();
  bool isShown() const { return shows; }

private:
  using Clock = std::chrono::steady_clock;
  std::mutex mutex;
  bool shows, isTerminal;
  bool isDrawn = false;
  std::string phase, what;
  Clock::time_point phaseBegin, next;
};

/// While it lives, the work of this thread is shown on `line`.
class ProgressScope {
public:
  explicit ProgressScope(ProgressLine &line);
  ~ProgressScope();
  ProgressScope(const ProgressScope &) = delete;
  ProgressScope &operator=(const ProgressScope &) = delete;

private:
  ProgressLine *outer;
};

/// Calls `work`, shown on a line that is gone when it returns.
template <typename Work> auto withProgress(ProgressMode mode, Work work) {
  ProgressLine line(mode);
  ProgressScope scope(line);
  return work();
}

/// Says how far the work of this thread is; cheap enough for every command.
void reportProgress(const Progress &progress);
/// Whether anybody sees it, for who would have to find it out first.
bool isProgressShown();

} // namespace sequin

#endif // SEQUIN_SUPPORT_PROGRESS_H
