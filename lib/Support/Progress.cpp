//===- Progress.cpp - How far long work is --------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Support/Progress.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>

using namespace sequin;
using llvm::StringRef;

static thread_local ProgressLine *shown = nullptr;

/// Between two drawings of the same phase, on a terminal and elsewhere.
static constexpr std::chrono::milliseconds kDrawing{100}, kWriting{1000};
/// A rate is known after so many seconds.
static constexpr double kRateAfter = 1;
/// Columns of a terminal that does not tell.
static constexpr unsigned kColumns = 80;

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

std::string sequin::describe(const Progress &progress, double seconds) {
  std::string text = progress.phase.str();
  bool hasRate = seconds >= kRateAfter && progress.done > 0;
  auto addRate = [&] {
    if (hasRate)
      text += llvm::formatv(", {0:N0} per second",
                            int64_t(double(progress.done) / seconds));
  };
  if (progress.total > 0) {
    double share = std::clamp(double(progress.done) / progress.total, 0., 1.);
    text += llvm::formatv(" {0} %, {1:N0} of {2:N0} {3}", int(100 * share),
                          progress.done, progress.total, progress.unit);
    addRate();
    if (hasRate)
      text += llvm::formatv(", {0:N0} s left",
                            int64_t(seconds / share * (1 - share) + 0.5));
  } else if (progress.done > 0) {
    text += llvm::formatv(", {0:N0} {1}", progress.done, progress.unit);
    addRate();
  }
  if (!progress.what.empty())
    text += ": " + progress.what.str();
  // Names are the user's.
  for (char &c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      c = '?';
  return text;
}

std::optional<ProgressMode> sequin::parseProgressMode(StringRef name) {
  return llvm::StringSwitch<std::optional<ProgressMode>>(name)
      .Case("auto", ProgressMode::Auto)
      .Case("always", ProgressMode::Always)
      .Case("never", ProgressMode::Never)
      .Default(std::nullopt);
}

/// The first `columns` characters of UTF-8.
static StringRef takeColumns(StringRef text, unsigned columns) {
  for (size_t i = 0, count = 0; i < text.size(); ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80 &&
        count++ == columns)
      return text.take_front(i);
  return text;
}

//===----------------------------------------------------------------------===//
// The line
//===----------------------------------------------------------------------===//

ProgressLine::ProgressLine(ProgressMode mode)
    : isTerminal(llvm::sys::Process::StandardErrIsDisplayed() &&
                 StringRef(getenv("TERM") ? getenv("TERM") : "dumb") !=
                     "dumb") {
  shows = mode == ProgressMode::Always ||
          (mode == ProgressMode::Auto && isTerminal);
}

void ProgressLine::show(const Progress &progress) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!shows)
    return;
  // What follows may take long without a word, so that a new thing is shown at
  // once.
  auto now = Clock::now();
  bool isNew = progress.phase != phase;
  if (isNew) {
    phase = progress.phase;
    phaseBegin = now;
  }
  if (now < next && !isNew && (!isTerminal || progress.what == what))
    return;
  what = progress.what;
  next = now + (isTerminal ? kDrawing : kWriting);
  double seconds = std::chrono::duration<double>(now - phaseBegin).count();
  std::string text = describe(progress, seconds);
  if (!isTerminal) {
    llvm::errs() << text << '\n';
    return;
  }
  unsigned columns = llvm::sys::Process::StandardErrColumns();
  // The last column stays free: some terminals go on to the next line there.
  StringRef seen = takeColumns(text, (columns ? columns : kColumns) - 1);
  llvm::errs() << "\r\x1b[K" << seen;
  llvm::errs().flush();
  isDrawn = true;
}

void ProgressLine::hide() {
  clear();
  std::lock_guard<std::mutex> lock(mutex);
  shows = false;
}

void ProgressLine::clear() {
  std::lock_guard<std::mutex> lock(mutex);
  if (isDrawn)
    llvm::errs() << "\r\x1b[K";
  llvm::errs().flush();
  isDrawn = false;
}

//===----------------------------------------------------------------------===//
// Who listens
//===----------------------------------------------------------------------===//

ProgressScope::ProgressScope(ProgressLine &line) : outer(shown) {
  shown = &line;
}

ProgressScope::~ProgressScope() { shown = outer; }

void sequin::reportProgress(const Progress &progress) {
  if (shown)
    shown->show(progress);
}

bool sequin::isProgressShown() { return shown && shown->isShown(); }
