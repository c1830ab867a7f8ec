//===- FetchMask.cpp - Padding of fetched packets -------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A packet may hold padding (`A # 64` of 63 elements): the sequencer reads past
// the data, and the fetch adapter replaces what it read (TCP, Fetch Engine,
// Masking Configuration). Which elements these are may depend on time.
//
// The mask works on rows: what the innermost sequencer entry, dim0, walks. Of
// every row the mapping says which elements hold data; the mask's parameters
// are found by trying them:
//
//   last_dim   an entry, or one of size 1 that is added where every row needs
//              the same (its index is the first and the last at once)
//   count_dim  none (cases 1 and 2), or an entry of few iterations (case 3)
//
//===----------------------------------------------------------------------===//

#include "Walks.h"
#include "ZeroPadding.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::derivation;
using llvm::Twine;

namespace {

/// The elements [left, end) of dim0 hold data; left == end for none.
struct Row {
  int64_t left = 0, end = 0;
  bool isEmpty() const { return left == end; }
  bool operator==(const Row &) const = default;
};

/// Rows of one stream that this file is willing to look at.
constexpr int64_t kMaxRows = int64_t(1) << 22;

/// An entry outside dim0 that the rows depend on.
struct Dim {
  int64_t entry; ///< in the sequencer
  int64_t size;
  int64_t rows; ///< from iteration to iteration
};

/// Finds the parameters for a stream cut into rows.
class MaskSearch {
public:
  MaskSearch(ArrayRef<SequencerEntry> entries, std::vector<Row> rows,
             int64_t maxCount, int64_t maxCounts)
      : entries(entries), rows(std::move(rows)), dim0(entries.back().size),
        maxCount(maxCount), maxCounts(maxCounts) {}

  /// `mayAdd`: an entry of size 1 may be added; lastDim is kAdded then.
  std::optional<config::FetchMask> run(bool mayAdd) {
    findDims();
    if (distinct > kMaxRows)
      return std::nullopt;
    SmallVector<const Dim *> last;
    for (const Dim &dim : dims)
      last.push_back(&dim);
    if (mayAdd)
      last.push_back(nullptr);
    for (const Dim *dim : last)
      if (auto mask = attempt(dim, nullptr))
        return mask;
    // The added entry first, as in the manual's case 3.
    for (const Dim *dim : llvm::reverse(last))
      for (const Dim &count : dims)
        if (&count != dim && count.size <= maxCounts)
          if (auto mask = attempt(dim, &count))
            return mask;
    return std::nullopt;
  }

  static constexpr int64_t kAdded = -1;

private:
  void findDims() {
    int64_t inner = 1;
    for (int64_t e = static_cast<int64_t>(entries.size()) - 2; e >= 0; --e) {
      int64_t size = entries[e].size;
      bool matters = false;
      for (int64_t row = 0;
           size > 1 && !matters && row < static_cast<int64_t>(rows.size());
           ++row) {
        int64_t index = row / inner % size;
        matters = !(rows[row] == rows[row - index * inner]);
      }
      if (matters) {
        dims.insert(dims.begin(), Dim{e, size, inner});
        distinct *= size;
      }
      inner *= size;
    }
  }

  static int64_t indexOf(const Dim &dim, int64_t row) {
    return row / dim.rows % dim.size;
  }

  /// `last` null: the added entry.
  std::optional<config::FetchMask> attempt(const Dim *last, const Dim *count) {
    std::optional<int64_t> left;
    SmallVector<std::optional<int64_t>, 8> counts(count ? count->size : 1);
    // Merges what one row asks for with what others did.
    auto agree = [](std::optional<int64_t> &known, int64_t asked) {
      if (!known)
        known = asked;
      return *known == asked;
    };
    for (int64_t number = 0; number < distinct; ++number) {
      int64_t row = 0;
      for (int64_t rest = number; const Dim &dim : llvm::reverse(dims)) {
        row += rest % dim.size * dim.rows;
        rest /= dim.size;
      }
      const Row &data = rows[row];
      int64_t index = last ? indexOf(*last, row) : 0;
      bool isFirst = index == 0, isLast = !last || index == last->size - 1;
      int64_t kept = data.isEmpty() ? 0 : data.end;
      if (isLast ? !agree(counts[count ? indexOf(*count, row) : 0], kept)
                 : kept != dim0)
        return std::nullopt;
      if (data.isEmpty())
        continue;
      if (isFirst ? !agree(left, data.left) : data.left != 0)
        return std::nullopt;
    }
    config::FetchMask mask;
    mask.lastDim = last ? last->entry : kAdded;
    mask.leftPad = left.value_or(0);
    if (count)
      mask.countDim = count->entry;
    for (std::optional<int64_t> known : counts) {
      mask.validCounts.push_back(known.value_or(dim0));
      if (mask.validCounts.back() > maxCount)
        return std::nullopt;
    }
    return mask;
  }

  ArrayRef<SequencerEntry> entries;
  std::vector<Row> rows;
  int64_t dim0, maxCount, maxCounts;
  SmallVector<Dim, 8> dims;
  int64_t distinct = 1;
};

} // namespace

/// Whether some position may be padding: a digit with invalid values, an axis
/// that its digits together could leave, or a base that is not looked into.
static bool mayPad(const Mapping &time, const Mapping &packet) {
  llvm::StringMap<int64_t> reach;
  for (const Mapping &mapping : {time, packet})
    for (const Factor &factor : mapping.factors()) {
      if (factor.isPadded() || factor.composite)
        return true;
      if (factor.kind != Factor::Kind::Axis)
        continue;
      int64_t &last = reach[factor.base];
      if (llvm::AddOverflow(last,
                            factor.offset + (factor.extent - 1) * factor.stride,
                            last) ||
          last >= factor.baseSize)
        return true;
    }
  return false;
}

/// Which elements of every row of `dim0` positions hold data; an error if those
/// of a row are not neighbours.
static llvm::Expected<std::vector<Row>> readRows(const Mapping &stream,
                                                 int64_t dim0) {
  int64_t count = stream.size() / dim0;
  if (count > kMaxRows || !stream.axes().linearSize())
    return llvm::createStringError("the stream is too long to look for a mask");
  std::vector<Row> rows(count);
  bool gaps = false;
  auto add = [&](int64_t position, int64_t length) {
    while (length > 0) {
      Row &row = rows[position / dim0];
      int64_t at = position % dim0, piece = std::min(length, dim0 - at);
      if (row.isEmpty())
        row = {at, at + piece};
      else if (row.end == at)
        row.end += piece;
      else
        gaps = true;
      position += piece;
      length -= piece;
    }
  };
  MappingWalker walker(stream);
  for (MappingWalker::Run run; walker.next(run);) {
    if (!run.table) {
      if (run.linear >= 0)
        add(run.position, run.count);
      continue;
    }
    for (int64_t i = 0; i < run.count; ++i)
      if (run.table[i * run.step] >= 0)
        add(run.position + i, 1);
  }
  if (gaps)
    return llvm::createStringError("the data in a row of " + Twine(dim0) +
                                   " elements is not in one piece");
  return rows;
}

/// Joins the entries of the packet that continue each other.
static void mergePacket(Sequencer &sequencer) {
  auto &entries = sequencer.entries;
  size_t begin = entries.size() - sequencer.packetEntries;
  for (size_t i = entries.size(); i-- > begin + 1;) {
    SequencerEntry &outer = entries[i - 1], &inner = entries[i];
    if (outer.stride != inner.size * inner.stride)
      continue;
    outer.size *= inner.size;
    outer.stride = inner.stride;
    entries.erase(entries.begin() + i);
    --sequencer.packetEntries;
  }
}

/// The mask for the padding in the stream [time, packet] that `sequencer`
/// walks; none if there is no padding, an error if none of the manual's three
/// cases fits. May merge entries of the packet, and add one of size 1 outside
/// it, both within `maxEntries`.
static llvm::Expected<std::optional<config::FetchMask>>
deriveFetchMask(const Mapping &time, const Mapping &packet, ElementType type,
                const TcpMachine &machine, unsigned maxEntries,
                Sequencer &sequencer) {
  if (!mayPad(time, packet))
    return std::nullopt;
  llvm::Expected<Mapping> stream = Mapping::pair(time, packet);
  if (!stream)
    return stream.takeError();
  int64_t bytes = getByteSize(type, packet.size());

  Sequencer merged = sequencer;
  mergePacket(merged);
  std::string reason;
  for (Sequencer *form : {&sequencer, &merged}) {
    if (form->packetEntries == 0 || form->visitCount() != stream->size())
      continue;
    auto rows = readRows(*stream, form->entries.back().size);
    if (!rows) {
      reason = llvm::toString(rows.takeError());
      continue;
    }
    Row full{0, form->entries.back().size};
    if (llvm::all_of(*rows, [&](const Row &row) { return row == full; }))
      return std::nullopt;
    if (bytes > machine.fetchMaskBytes)
      return llvm::createStringError(
          "a packet of " + Twine(bytes) + " bytes, at most " +
          Twine(machine.fetchMaskBytes) + " can be masked");
    int64_t maxCount = machine.fetchMaskBytes * 8 / getBitWidth(type) - 1;
    MaskSearch search(form->entries, std::move(*rows), maxCount,
                      machine.fetchMaskCounts);
    std::optional<config::FetchMask> mask =
        search.run(form->entries.size() < maxEntries);
    if (!mask)
      continue;
    if (form == &merged)
      sequencer = merged;
    if (mask->lastDim == MaskSearch::kAdded) {
      int64_t place = sequencer.entries.size() - sequencer.packetEntries;
      sequencer.entries.insert(sequencer.entries.begin() + place,
                               SequencerEntry{1, 0, {}});
      mask->lastDim = place;
      if (mask->countDim && *mask->countDim >= place)
        ++*mask->countDim;
    }
    return mask;
  }
  if (!reason.empty())
    return llvm::createStringError(reason);
  return llvm::createStringError(
      "it is not at the start of the first and the end of the last packet of "
      "one loop, nor given by one count for each of up to " +
      Twine(machine.fetchMaskCounts) + " iterations");
}

//===----------------------------------------------------------------------===//
// Who needs it
//===----------------------------------------------------------------------===//

int64_t derivation::bitsOf(Attribute number) {
  if (auto integer = dyn_cast<IntegerAttr>(number))
    return static_cast<int64_t>(integer.getValue().getZExtValue());
  APInt bits = cast<FloatAttr>(number).getValue().bitcastToAPInt();
  return static_cast<int64_t>(bits.getZExtValue());
}

/// Whether what the pass fetches is added up with its padding, in this pass or,
/// as the stationary operand, in another.
static bool reachesSum(Operation *op) {
  while (op->getNumResults() == 1 && op->getResult(0).hasOneUse() &&
         isa<tcp::StreamType>(op->getResult(0).getType())) {
    op = *op->getResult(0).user_begin();
    if (isa<tcp::AlignOp, tcp::ToTrfOp>(op))
      return true;
  }
  return false;
}

/// Adds the results of the sums that `value`, a stream or a stationary operand,
/// goes into; false if some way of it is not followed.
static bool findSums(Value value, SmallVectorImpl<tcp::StreamType> &sums) {
  for (Operation *op : value.getUsers()) {
    if (auto sum = dyn_cast<tcp::AccumulateOp>(op)) {
      sums.push_back(cast<tcp::StreamType>(sum.getResult().getType()));
      continue;
    }
    if (!isa<tcp::CollectOp, tcp::SwitchOp, tcp::AlignOp, tcp::ContractOp,
             tcp::ToTrfOp>(op) ||
        !findSums(op->getResult(0), sums))
      return false;
  }
  return true;
}

/// Whether every one of `sums` keeps the digit: its positions that are padding
/// are then positions of the result that are padding.
static bool isKept(const Factor &digit, ArrayRef<tcp::StreamType> sums) {
  return llvm::all_of(sums, [&](tcp::StreamType sum) {
    auto holds = [&](const Mapping &mapping) {
      return llvm::is_contained(mapping.factors(), digit);
    };
    return holds(sum.getTimeMapping()) || holds(sum.getPacketMapping());
  });
}

/// The time of a fetch whose padding is summed, with the terms as data whose
/// padding reaches padding of the results only: axes that the sums keep
/// (SIL-13, SIL-23). An axis of which another term holds a digit stays as it
/// is.
static Mapping withKeptAsData(tcp::FetchOp op, const Mapping &time,
                              const Mapping &packet) {
  SmallVector<tcp::StreamType, 2> sums;
  if (!findSums(op.getResult(), sums) || sums.empty())
    return time;
  llvm::StringMap<int64_t> uses;
  for (const Mapping &mapping : {time, packet})
    for (const Factor &factor : mapping.factors())
      ++uses[factor.base];
  std::string text;
  for (const Mapping::Term &term : time.terms()) {
    text += text.empty() ? "" : ", ";
    const Factor *digit =
        term.factors.size() == 1 ? &term.factors.front() : nullptr;
    bool isSole = digit && digit->kind == Factor::Kind::Axis &&
                  uses.lookup(digit->base) == 1;
    if (isSole && digit->isPadded() && isKept(*digit, sums))
      text += std::to_string(digit->extent);
    else
      text += term.text;
  }
  return llvm::cantFail(Mapping::parse(text, time.axes()));
}

static bool promisesZeros(const Mapping &mapping) {
  return llvm::any_of(mapping.factors(), [](const Factor &factor) {
    return factor.isPadded() && factor.padding == PaddingKind::Zero;
  });
}

FailureOr<std::optional<config::FetchMask>>
derivation::maskPadding(tcp::FetchOp op, const TcpMachine &machine,
                        Sequencer &sequencer) {
  tcp::DmType dm =
      PassBegin(op.getInput().getDefiningOp()).getInput().getType();
  ElementType type = *tcp::getElementKind(dm.getElementType());
  unsigned maxEntries = getFetchLimits(op, machine).maxEntries;
  std::optional<config::FetchMask> result;
  auto output = cast<tcp::StreamType>(op.getResult().getType());
  Mapping memory = dm.getElementMapping();
  Mapping time = withZerosAsData(output.getTimeMapping(), memory);
  Mapping packet = withZerosAsData(output.getPacketMapping(), memory);
  // Why the padding of a stream of that time cannot be masked; empty if it is,
  // or if there is none.
  auto mask = [&](const Mapping &time) -> std::string {
    Sequencer masked = sequencer;
    auto mask =
        deriveFetchMask(time, packet, type, machine, maxEntries, masked);
    if (!mask)
      return llvm::toString(mask.takeError());
    if (!*mask)
      return "";
    if (isSubContext(op))
      return "the sub context has no masking";
    result = std::move(**mask);
    if (auto value = op.getPadValue())
      result->padValue = bitsOf(*value);
    sequencer = std::move(masked);
    return "";
  };
  std::string reason = mask(time);
  if (reason.empty())
    return result;
  // Without a mask the padding holds what was read, which does not matter
  // unless somebody relies on it (SIL-23, ERR-22).
  StringRef need = op.getPadValue() ? "is given a pad_value"
                   : promisesZeros(time) || promisesZeros(packet)
                       ? "is declared zero"
                       : "";
  if (need.empty() && reachesSum(op)) {
    reason = mask(withKeptAsData(op, time, packet));
    need = "is added up by the contraction engine";
  }
  if (need.empty() || reason.empty())
    return result;
  return op.emitOpError() << "padding of packet \"" << op.getPacket().getText()
                          << "\" over time \"" << op.getTime().getText()
                          << "\" " << need
                          << " and cannot be masked: " << reason;
}
