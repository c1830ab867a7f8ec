//===- BankRuns.cpp - Accesses in a row to one bank of data memory --------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bank of an access depends on its address modulo one line of banks (16 x 8
// bytes), its channel on its number in the packet modulo the channels. A nest
// is summarised from the inside out, once per pair of remainders that an access
// can have; n iterations of a loop come back to the same pair after a few, so
// the rest is repeated squaring. The cost does not depend on the loop sizes.
//
//===----------------------------------------------------------------------===//

#include "sequin/Config/BankRuns.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>
#include <optional>

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

/// The accesses of a nest that are one channel's.
class Counter {
public:
  /// `packetLevel` is the number of the first loop inside a packet.
  Counter(llvm::ArrayRef<Loop> loops, size_t packetLevel, int64_t accessBytes,
          int64_t channels, int64_t channel, const TcpMachine &machine)
      : loops(loops), accessBytes(accessBytes), channels(channels),
        channel(channel), banks(machine.dmBanks),
        bankBytes(machine.dmBankBytes), line(banks * bankBytes),
        turns(loops.size(), 0), known(loops.size() + 1) {
    for (auto &level : known)
      level.resize(line * channels);
    // Every packet begins with the first channel.
    int64_t turn = 1;
    for (size_t level = loops.size(); level-- > packetLevel;) {
      turns[level] = turn;
      turn = turn * (loops[level].size % channels) % channels;
    }
  }

  /// Of the loops from `level` on, from an address with this remainder and a
  /// number with that one.
  const Summary &count(size_t level, int64_t remainder, int64_t turn) {
    Summary &summary = known[level][remainder * channels + turn];
    if (!summary.empty())
      return summary;
    if (level == loops.size())
      return summary = access(remainder, turn == channel);
    int64_t size = loops[level].size;
    int64_t step = ((loops[level].stride % line) + line) % line;
    int64_t period = std::lcm(step ? line / std::gcd(line, step) : 1,
                              turns[level] ? channels : 1);
    Summary head, block;
    int64_t rest = size % period;
    for (int64_t i = 0; i < std::min(size, period); ++i) {
      if (i == rest)
        head = block;
      block = block + count(level + 1, (remainder + i * step) % line,
                            (turn + i * turns[level]) % channels);
    }
    if (size < period)
      return summary = block;
    summary = repeat(block, size / period);
    if (rest)
      summary = summary + head;
    return summary;
  }

private:
  Summary access(int64_t remainder, bool isMine) const {
    if (!isMine)
      return Summary(banks, Run());
    Summary summary(banks, {1, 0, 0, 0, 0});
    int64_t last = (remainder + accessBytes - 1) / bankBytes;
    for (int64_t bank = remainder / bankBytes; bank <= last; ++bank)
      summary[bank % banks] = {1, 1, 1, 1, 1};
    return summary;
  }

  llvm::ArrayRef<Loop> loops; ///< strides in bytes
  int64_t accessBytes, channels, channel, banks, bankBytes, line;
  /// By loop, how much further an iteration is in the turns of the channels.
  llvm::SmallVector<int64_t, 8> turns;
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
                               int64_t accessBytes, const TcpMachine &machine,
                               int64_t channels) {
  // The innermost contiguous loops are taken in whole accesses.
  int64_t accessBits = accessBytes * 8, run = elementBits;
  llvm::SmallVector<Loop, 8> loops; // innermost first, bytes
  std::optional<size_t> inPacket;   // how many of them
  for (auto [index, entry] :
       llvm::enumerate(llvm::reverse(sequencer.entries))) {
    if (static_cast<int64_t>(index) >= sequencer.packetEntries && !inPacket)
      inPacket = loops.size();
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
  size_t packetLevel = loops.size() - inPacket.value_or(loops.size());
  int64_t line = machine.dmBanks * machine.dmBankBytes;
  int64_t start = ((sequencer.baseAddress % line) + line) % line;
  BankRuns runs;
  for (int64_t channel = 0; channel < channels; ++channel) {
    Counter counter(loops, packetLevel, accessBytes, channels, channel,
                    machine);
    BankRuns mine;
    for (const Run &bank : counter.count(0, start, 0)) {
      mine.longest.push_back(bank.longest);
      mine.total.push_back(bank.touches);
    }
    if (channel == 0)
      runs = std::move(mine);
    else
      runs += mine;
  }
  return runs;
}

BankRuns config::countBankRuns(const ExecCommand &exec,
                               const TcpMachine &machine) {
  BankRuns runs =
      countBankRuns(exec.fetch.sequencer, getBitWidth(exec.fetch.from),
                    exec.fetch.accessBytes, machine,
                    exec.fetch.dualChannel ? machine.dualChannelAccesses : 1);
  if (const auto *commit = std::get_if<CommitStage>(&exec.sink))
    runs += countBankRuns(commit->sequencer, getBitWidth(commit->type),
                          commit->accessBytes, machine);
  return runs;
}

bool config::starvesDma(const ExecCommand &exec, const TcpMachine &machine) {
  BankRuns runs = countBankRuns(exec, machine);
  return runs.longest[runs.worstBank()] > machine.maxSameBankAccesses();
}
