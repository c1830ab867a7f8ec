//===- BankRuns.cpp - Accesses in a row to one bank of data memory --------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bank of an access depends on its address modulo one line of banks (16 x 8
// bytes). A nest is summarised from the inside out, once per remainder that its
// address can have; n iterations of a loop come back to the same remainder
// after a few, so the rest is repeated squaring. The cost does not depend on
// the loop sizes.
//
//===----------------------------------------------------------------------===//

#include "sequin/Config/BankRuns.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>

using namespace sequin;
using namespace sequin::config;

namespace {

constexpr int64_t kMany = int64_t(1) << 61;

int64_t addMany(int64_t a, int64_t b) { return std::min(kMany, a + b); }

/// A sequence of accesses as one bank sees it.
struct Run {
  int64_t length = 0;  ///< accesses, to any bank
  int64_t touches = 0; ///< to this one
  int64_t prefix = 0, suffix = 0, longest = 0;
};

Run operator+(const Run &a, const Run &b) {
  Run sum;
  sum.length = addMany(a.length, b.length);
  sum.touches = addMany(a.touches, b.touches);
  sum.prefix = a.prefix == a.length ? addMany(a.prefix, b.prefix) : a.prefix;
  sum.suffix = b.suffix == b.length ? addMany(a.suffix, b.suffix) : b.suffix;
  sum.longest = std::max({a.longest, b.longest, addMany(a.suffix, b.prefix)});
  return sum;
}

using Summary = llvm::SmallVector<Run, 16>;

Summary operator+(const Summary &a, const Summary &b) {
  if (a.empty())
    return b;
  Summary sum;
  for (auto [x, y] : llvm::zip_equal(a, b))
    sum.push_back(x + y);
  return sum;
}

Summary repeat(Summary block, int64_t times) {
  Summary result;
  for (; times > 0; times >>= 1) {
    if (times & 1)
      result = result + block;
    block = block + block;
  }
  return result;
}

class Counter {
public:
  Counter(llvm::ArrayRef<Loop> loops, int64_t accessBytes,
          const TcpMachine &machine)
      : loops(loops), accessBytes(accessBytes), banks(machine.dmBanks),
        bankBytes(machine.dmBankBytes), line(banks * bankBytes),
        known(loops.size() + 1) {
    for (auto &level : known)
      level.resize(line);
  }

  /// Of the loops from `level` on, from an address with this remainder.
  const Summary &count(size_t level, int64_t remainder) {
    Summary &summary = known[level][remainder];
    if (!summary.empty())
      return summary;
    if (level == loops.size())
      return summary = access(remainder);
    int64_t size = loops[level].size;
    int64_t step = ((loops[level].stride % line) + line) % line;
    int64_t period = step ? line / std::gcd(line, step) : 1;
    Summary head, block;
    int64_t rest = size % period;
    for (int64_t i = 0; i < std::min(size, period); ++i) {
      if (i == rest)
        head = block;
      block = block + count(level + 1, (remainder + i * step) % line);
    }
    if (size < period)
      return summary = block;
    summary = repeat(block, size / period);
    if (rest)
      summary = summary + head;
    return summary;
  }

private:
  Summary access(int64_t remainder) const {
    Summary summary(banks, {1, 0, 0, 0, 0});
    int64_t last = (remainder + accessBytes - 1) / bankBytes;
    for (int64_t bank = remainder / bankBytes; bank <= last; ++bank)
      summary[bank % banks] = {1, 1, 1, 1, 1};
    return summary;
  }

  llvm::ArrayRef<Loop> loops; ///< strides in bytes
  int64_t accessBytes, banks, bankBytes, line;
  std::vector<std::vector<Summary>> known;
};

} // namespace

BankRuns &BankRuns::operator+=(const BankRuns &other) {
  for (auto [a, b] : llvm::zip_equal(longest, other.longest))
    a = addMany(a, b);
  for (auto [a, b] : llvm::zip_equal(total, other.total))
    a = addMany(a, b);
  return *this;
}

int64_t BankRuns::worstBank() const {
  return llvm::max_element(longest) - longest.begin();
}

BankRuns config::countBankRuns(const Sequencer &sequencer, int64_t elementBits,
                               int64_t accessBytes, const TcpMachine &machine) {
  // The innermost contiguous loops are taken in whole accesses.
  int64_t accessBits = accessBytes * 8, run = elementBits;
  llvm::SmallVector<Loop, 8> loops; // innermost first, bytes
  for (const Loop &entry : llvm::reverse(sequencer.entries)) {
    if (entry.size <= 1)
      continue;
    // Only the remainder of a stride counts, which also keeps the product of
    // hostile numbers in range.
    int64_t line = machine.dmBanks * machine.dmBankBytes * 8;
    int64_t stride = entry.stride % line * elementBits;
    int64_t size = entry.size;
    if (loops.empty() && entry.stride * elementBits == run &&
        run < accessBits) {
      if (run * size <= accessBits) {
        run *= size;
        continue;
      }
      // Part of the loop fills an access, the rest is a loop over accesses.
      size = size * run / accessBits;
      run = accessBits;
      loops.push_back({size, accessBytes});
      continue;
    }
    loops.push_back({size, stride / 8});
  }
  std::reverse(loops.begin(), loops.end());
  Counter counter(loops, accessBytes, machine);
  int64_t line = machine.dmBanks * machine.dmBankBytes;
  int64_t start = ((sequencer.baseAddress % line) + line) % line;
  BankRuns runs;
  for (const Run &bank : counter.count(0, start)) {
    runs.longest.push_back(bank.longest);
    runs.total.push_back(bank.touches);
  }
  return runs;
}

BankRuns config::countBankRuns(const ExecCommand &exec,
                               const TcpMachine &machine) {
  BankRuns runs =
      countBankRuns(exec.fetch.sequencer, getBitWidth(exec.fetch.from),
                    exec.fetch.accessBytes, machine);
  if (const auto *commit = std::get_if<CommitStage>(&exec.sink))
    runs += countBankRuns(commit->sequencer, getBitWidth(commit->type),
                          commit->accessBytes, machine);
  return runs;
}

bool config::starvesDma(const ExecCommand &exec, const TcpMachine &machine) {
  BankRuns runs = countBankRuns(exec, machine);
  return runs.longest[runs.worstBank()] > machine.maxSameBankAccesses();
}
