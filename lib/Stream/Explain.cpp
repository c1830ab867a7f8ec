//===- Explain.cpp - Why a derivation is what it is -----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tables of the TCP manual (Sequencer, Configuration Examples): one row per
// entry, with the part of the buffer that its stride steps over and what of the
// buffer is left to walk; then merging, the limits, and the accesses.
//
//===----------------------------------------------------------------------===//

#include "sequin/Stream/Explain.h"
#include "Checked.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace sequin;
using llvm::Twine;

namespace {

/// The buffer, outermost first, while entries consume it. A consumed cell is
/// padding, `1 # n`.
struct Cell {
  std::string text;
  int64_t size;
  int64_t stride; ///< of the address
  Factor factor;
  bool consumed;
};

class Explanation {
public:
  Explanation(llvm::raw_ostream &os, const AddressMap &buffer,
              const DeriveOptions &options, const Derivation &derivation)
      : os(os), buffer(buffer), options(options), derivation(derivation) {
    for (const AddressFactor &entry : buffer.factors()) {
      Factor f = entry.factor;
      cells.push_back(
          {f.str(), f.extent, entry.addressStride, f, f.isPaddingOnly()});
    }
  }

  void run() {
    const Sequencer &initial = derivation.initial;
    os << "buffer " << buffer.str() << "\n\n"
       << "| Term | Entry | Stride source | Buffer after |\n"
       << "|---|---|---|---|\n";
    bool packetContiguous = derivation.sequencer.contiguousElements() > 1;
    for (size_t i = 0; i < initial.entries.size(); ++i) {
      const SequencerEntry &entry = initial.entries[i];
      bool last = i + 1 == initial.entries.size();
      std::string source = sourceOf(entry, last && packetContiguous &&
                                               initial.packetEntries > 0);
      consume(i);
      os << "| `" << entry.termsStr() << "` | " << entry.size << " : "
         << entry.stride << " | " << source << " | `" << shown(0) << "` |\n";
    }
    os << "\nplain: " << initial.str() << '\n';
    std::string left;
    for (const Cell &cell : cells)
      if (!cell.consumed && cell.factor.valid > 1)
        left += (left.empty() ? " `" : ", `") + cell.text + "`";
    if (!left.empty() && !derivation.searched)
      os << "not in the stream, stays at index 0:" << left << '\n';
    if (derivation.searched)
      os << "found by a search over the addresses: the terms alone give no "
            "loops\n";
    merging();
    limits();
    accesses();
  }

private:
  /// Cells from `begin` on, consumed neighbours as one.
  std::string shown(size_t begin) const {
    std::string text;
    int64_t padding = 1;
    auto flush = [&] {
      if (padding > 1)
        text += (text.empty() ? "1 # " : ", 1 # ") + std::to_string(padding);
      padding = 1;
    };
    for (size_t i = begin; i < cells.size(); ++i) {
      if (cells[i].consumed) {
        padding = checked::saturatingMul(padding, cells[i].size);
        continue;
      }
      flush();
      text += (text.empty() ? "" : ", ") + cells[i].text;
    }
    flush();
    return text.empty() ? "1" : text;
  }

  std::string sourceOf(const SequencerEntry &entry, bool packet) const {
    if (entry.stride == 0)
      return "not in the buffer (broadcast)";
    if (packet && entry.stride == 1)
      return "contiguous (packet)";
    for (size_t i = 0; i < cells.size(); ++i)
      if (isTermOf(entry, cells[i])) {
        std::string rest = shown(i + 1);
        return "step in `" + cells[i].text +
               (rest == "1" ? "`" : "` times size of `" + rest + "`");
      }
    // The cells further in than one step.
    int64_t size = 1;
    size_t begin = cells.size();
    while (begin > 0 && size < entry.stride) {
      --begin;
      if (checked::saturatingMul(size, cells[begin].size) > entry.stride) {
        // A step inside the cell.
        int64_t part = entry.stride / size;
        if (cells[begin].consumed || cells[begin].size % part != 0)
          return "stride " + std::to_string(entry.stride);
        Factor inner = cells[begin].factor;
        inner.extent = part;
        inner.valid = std::min(inner.valid, part);
        std::string rest = shown(begin + 1);
        return "size of `" + inner.str() + (rest == "1" ? "" : ", " + rest) +
               "`";
      }
      size *= cells[begin].size;
    }
    if (size != entry.stride)
      return "stride " + std::to_string(entry.stride);
    return entry.stride == 1 ? "innermost" : "size of `" + shown(begin) + "`";
  }

  /// Whether the entry walks a term of a sliding combination.
  static bool isTermOf(const SequencerEntry &entry, const Cell &cell) {
    int64_t end = checked::saturatingMul(cell.stride, cell.size);
    return cell.factor.kind == Factor::Kind::Sliding && !cell.consumed &&
           entry.stride >= cell.stride && entry.stride < end &&
           (entry.stride != cell.stride || entry.size < cell.factor.valid);
  }

  /// Cuts the part that the entry walks out of the cell it lies in.
  void consume(size_t index) {
    llvm::ArrayRef<SequencerEntry> entries = derivation.initial.entries;
    const SequencerEntry &entry = entries[index];
    if (entry.stride <= 0)
      return;
    for (Cell &cell : cells)
      if (isTermOf(entry, cell)) {
        // Until its last term is walked.
        cell.consumed = llvm::none_of(
            entries.drop_front(index + 1),
            [&](const SequencerEntry &later) { return isTermOf(later, cell); });
        return;
      }
    int64_t reach = checked::saturatingMul(entry.size, entry.stride);
    for (size_t i = 0; i < cells.size(); ++i) {
      Cell cell = cells[i];
      int64_t end = checked::saturatingMul(cell.stride, cell.size);
      if (cell.consumed || entry.stride < cell.stride || entry.stride >= end)
        continue;
      int64_t inner = entry.stride / cell.stride;
      // A part that is not walked to its end leaves nothing behind either.
      int64_t steps = std::min(reach, end) / entry.stride;
      if (entry.stride % cell.stride != 0 || cell.size % (inner * steps) != 0) {
        cells[i].consumed = true;
        return;
      }
      int64_t outer = cell.size / (inner * steps);
      if (outer > 1 && !walkedFurtherOut(cell, reach))
        outer = 1, steps = cell.size / inner;
      llvm::SmallVector<Cell, 3> parts;
      auto add = [&](int64_t size, int64_t within, bool consumed) {
        if (size == 1)
          return;
        Factor f = cell.factor;
        f.stride = cell.factor.stride * within;
        f.extent = size;
        f.valid = std::min(size, checked::ceilDiv(cell.factor.valid, within));
        parts.push_back({f.str(), size, cell.stride * within, f, consumed});
      };
      add(outer, inner * steps, false);
      add(steps, inner, true);
      add(inner, 1, false);
      cells.erase(cells.begin() + i);
      cells.insert(cells.begin() + i, parts.begin(), parts.end());
      // A packet may read on into the cells further out.
      return;
    }
  }

  /// Whether some entry steps within the cell, from `reach` on.
  bool walkedFurtherOut(const Cell &cell, int64_t reach) const {
    int64_t end = checked::saturatingMul(cell.stride, cell.size);
    return llvm::any_of(derivation.initial.entries,
                        [&](const SequencerEntry &entry) {
                          return entry.stride >= reach && entry.stride < end;
                        });
  }

  void merging() {
    const Sequencer &found = derivation.sequencer;
    unsigned allowed = options.limits.maxEntries;
    size_t plain = derivation.initial.entries.size();
    if (!derivation.merged) {
      os << "merging: none, " << plain << " of at most " << allowed
         << " entries\n";
      return;
    }
    os << "merging: " << plain << " entries, at most " << allowed
       << (options.minimal ? ", the fewest asked for" : "") << "; "
       << found.entries.size() << " left\n";
    for (const SequencerEntry &entry : found.entries)
      if (entry.terms.size() > 1) {
        os << "  " << entry.size << " : " << entry.stride << " walks";
        llvm::ListSeparator comma(",");
        for (const LoopTerm &term : entry.terms)
          os << llvm::StringRef(comma) << " `" << term.str() << '`';
        os << '\n';
      }
    if (derivation.refactored)
      os << "  boundaries between the loops moved\n";
  }

  void limits() {
    int64_t largest = 1;
    for (const SequencerEntry &entry : derivation.sequencer.entries)
      largest = std::max(largest, entry.size);
    os << "limits: " << derivation.sequencer.entries.size() << " of "
       << options.limits.maxEntries << " entries, largest size " << largest
       << " of " << options.limits.maxSize << '\n';
    if (derivation.segments.size() > 1) {
      os << "segments: " << derivation.segments.size()
         << ", executed one after the other\n";
      for (const Sequencer &segment : derivation.segments)
        os << "  " << segment.str() << '\n';
    }
    os << "sequencer: " << derivation.sequencer.str() << '\n';
  }

  void accesses() {
    bool write = options.direction == Direction::Write;
    const char *size = write ? "commit_size" : "fetch_size";
    os << "contiguous run: " << derivation.contiguousBytes << " bytes\n";
    if (write)
      os << "commit_in_size: " << derivation.commitInBytes << " bytes\n";
    os << size << ": " << derivation.accessBytes << " bytes, the largest of";
    llvm::ListSeparator comma(",");
    for (int64_t bytes : options.limits.accessBytes)
      os << llvm::StringRef(comma) << ' ' << bytes;
    os << " that divides packet and run"
       << (derivation.accessSupported ? "" : ": none does, so their gcd")
       << '\n'
       << (write ? "writes" : "fetches")
       << " per packet: " << derivation.accessesPerPacket << '\n'
       << "cycles: " << derivation.cycles << '\n';
  }

  llvm::raw_ostream &os;
  const AddressMap &buffer;
  const DeriveOptions &options;
  const Derivation &derivation;
  llvm::SmallVector<Cell, 8> cells;
};

} // namespace

void sequin::explain(llvm::raw_ostream &os, const AddressMap &buffer,
                     const DeriveOptions &options,
                     const Derivation &derivation) {
  Explanation(os, buffer, options, derivation).run();
}
