//===- DerivePair.cpp - Pairs of sequencers that copy ---------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AddressTable.h"
#include "Checked.h"

#include "llvm/ADT/Twine.h"
#include <deque>

using namespace sequin;

namespace {

/// Whether both sides mean the same by the names of axes and tables.
llvm::Error checkAxes(const AddressMap &source, const AddressMap &destination) {
  llvm::SmallVector<Mapping, 4> from, to;
  std::optional<AxisSizes> all;
  bool skews = false;
  for (const AddressMap *map : {&source, &destination})
    for (const AddressMap::Part &part : map->parts()) {
      const AxisSizes &axes = part.mapping.axes();
      (map == &source ? from : to).push_back(part.mapping);
      skews |= !axes.skews().empty();
      if (all && *all == axes)
        continue;
      auto both = all ? all->unionWith(axes) : axes;
      if (!both)
        return both.takeError();
      all = std::move(*both);
    }
  if (!skews)
    return llvm::Error::success();
  if (llvm::Error error = checkSkews(from, to))
    return llvm::createStringError("incompatible shapes of the source '" +
                                   source.str() + "' and the destination '" +
                                   destination.str() +
                                   "': " + llvm::toString(std::move(error)));
  return llvm::Error::success();
}

/// Whether plain axes stand beside padding, which is not data.
bool holdsPadding(const CompositeBase &composite) {
  bool padding = false;
  for (const Factor &part : composite.factors) {
    if (part.first != 0 ||
        (part.kind != Factor::Kind::Axis && !part.isPaddingOnly()))
      return false;
    padding |= part.isPadded();
  }
  return padding;
}

/// Whether a group that `f` is a part of has a part of `base` inside. Groups
/// that were `seen` have none.
bool hasInside(const Factor &f, llvm::StringRef base,
               llvm::SmallPtrSetImpl<const CompositeBase *> &seen) {
  if (!f.composite || f.base == base || !seen.insert(f.composite.get()).second)
    return false;
  auto isPart = [&](const Factor &part) {
    return part.base == base || hasInside(part, base, seen);
  };
  return llvm::any_of(f.composite->factors, isPart) ||
         llvm::any_of(f.composite->sliding,
                      [&](const CompositeBase::SlidingTerm &term) {
                        return llvm::any_of(term.factors, isPart);
                      });
}

/// Where `f` is a digit of an axis at an offset or with padding below, and all
/// digits of it are in `map`: the same digit of the axis itself, which holds
/// data from position `low` of `f` on. The outermost has the offset.
std::optional<Factor> unshift(const Factor &f, const AddressMap &map,
                              int64_t &low) {
  if (f.kind != Factor::Kind::Composite || f.offset != 0 ||
      f.composite->factors.size() != 1)
    return std::nullopt;
  const Factor &axis = f.composite->factors.front();
  if (axis.kind != Factor::Kind::Axis || (axis.offset == 0 && axis.first == 0))
    return std::nullopt;
  llvm::SmallVector<const Factor *, 4> digits;
  llvm::SmallPtrSet<const CompositeBase *, 8> seen;
  for (const AddressFactor &entry : map.factors()) {
    // Its positions would add to those of the digits.
    if (hasInside(entry.factor, f.base, seen))
      return std::nullopt;
    if (entry.factor.kind == f.kind && entry.factor.base == f.base &&
        entry.factor.valid > 1)
      digits.push_back(&entry.factor);
  }
  llvm::sort(digits, [](const Factor *a, const Factor *b) {
    return a->stride < b->stride;
  });
  int64_t reached = 1;
  for (const Factor *digit : digits) {
    if (digit->stride != reached || digit->first != 0 || digit->offset != 0)
      return std::nullopt;
    reached *= digit->valid;
  }
  if (digits.empty() || reached != f.composite->size)
    return std::nullopt;
  int64_t top = digits.back()->stride;
  if (!factors::canShift(axis, top))
    return std::nullopt;
  Factor result = axis;
  result.first = low = 0;
  if (f.stride != top || f.valid == 1)
    result.offset = 0;
  if (f.valid == 1) {
    result.valid = result.extent = 1;
    return result;
  }
  bool isTop = f.stride == top;
  if (isTop)
    low = axis.first / top;
  result.stride = axis.stride * f.stride;
  result.valid = checked::ceilDiv(axis.valid, f.stride);
  if (!isTop)
    result.valid = std::min(result.valid, f.valid);
  result.extent = result.valid;
  return result;
}

/// Adds the positions of `entry` that hold data to `walked`. A sliding
/// combination that the source does not have is walked term by term, where its
/// positions hold one index each.
llvm::Error walk(const AddressFactor &entry, const AddressTable &source,
                 const AddressMap &destination,
                 std::deque<AddressFactor> &walked, int64_t &base) {
  Factor f = entry.factor;
  auto first = checked::mulAdd(f.first, entry.addressStride, base);
  if (!first)
    return llvm::createStringError("the addresses of '" + destination.str() +
                                   "' do not fit in 64 bits");
  base = *first;
  f.first = 0;
  f.extent = f.valid;
  if (f.extent == 0)
    return llvm::createStringError("the destination '" + destination.str() +
                                   "' holds no data");
  int64_t low = 0;
  if (!source.holdsWhole(f))
    if (std::optional<Factor> digit = unshift(f, destination, low)) {
      auto shifted = checked::mulAdd(low, entry.addressStride, base);
      if (!shifted)
        return llvm::createStringError("the addresses of '" +
                                       destination.str() +
                                       "' do not fit in 64 bits");
      base = *shifted;
      walked.push_back({std::move(*digit), entry.addressStride});
      return llvm::Error::success();
    }
  if (f.kind == Factor::Kind::Composite && f.stride == 1 && f.offset == 0 &&
      f.valid == f.composite->size && holdsPadding(*f.composite) &&
      !source.holdsWhole(f)) {
    int64_t position = f.composite->size;
    for (const Factor &part : f.composite->factors) {
      position /= part.extent;
      auto stride = checked::mul(entry.addressStride, position);
      if (!stride)
        return llvm::createStringError("the addresses of '" +
                                       destination.str() +
                                       "' do not fit in 64 bits");
      if (llvm::Error error =
              walk({part, *stride}, source, destination, walked, base))
        return error;
    }
    return llvm::Error::success();
  }
  bool terms = f.kind == Factor::Kind::Sliding && f.stride == 1 &&
               f.offset == 0 && f.valid == f.baseSize &&
               AddressTable::areApart(f.composite->sliding) &&
               !source.holdsWhole(f);
  if (!terms) {
    walked.push_back({std::move(f), entry.addressStride});
    return llvm::Error::success();
  }
  for (const CompositeBase::SlidingTerm &term : f.composite->sliding) {
    int64_t position = term.size * term.stride;
    for (const Factor &part : term.factors) {
      position /= part.extent;
      // No more than the extent of the destination, which was checked.
      if (llvm::Error error = walk({part, entry.addressStride * position},
                                   source, destination, walked, base))
        return error;
    }
  }
  return llvm::Error::success();
}

} // namespace

llvm::Expected<PairedSequencer>
sequin::derivePair(const AddressMap &source, const AddressMap &destination) {
  if (destination.overflowed())
    return llvm::createStringError("the addresses of '" + destination.str() +
                                   "' do not fit in 64 bits");
  if (!destination.conflict().empty())
    return llvm::createStringError(
        "the parts of '" + destination.str() +
        "' are no mapping: " + destination.conflict());
  if (llvm::Error error = checkAxes(source, destination))
    return error;
  auto table = AddressTable::build(source, AddressTable::Mode::ReadInside);
  if (!table)
    return table.takeError();
  PairedSequencer result;
  // The table knows factors by address.
  std::deque<AddressFactor> walked;
  for (const AddressFactor &entry : destination.factors())
    if (llvm::Error error =
            walk(entry, *table, destination, walked, result.destinationBase))
      return error;
  for (const AddressFactor &entry : walked)
    table->noteStream(entry.factor);

  auto add = [&](int64_t size, int64_t from, int64_t to, const Factor &f) {
    if (size <= 1)
      return;
    if (!result.entries.empty()) {
      PairedSequencer::Entry &outer = result.entries.back();
      if (checked::mul(size, from) == outer.sourceStride &&
          checked::mul(size, to) == outer.destinationStride) {
        outer.size *= size;
        outer.sourceStride = from;
        outer.destinationStride = to;
        outer.term += ", " + f.str();
        return;
      }
    }
    result.entries.push_back({size, from, to, f.str()});
  };
  for (const AddressFactor &entry : walked) {
    const Factor &f = entry.factor;
    if (!table->names(f)) {
      auto from = f.extent > 1 ? table->matchBroadcast(f) : std::nullopt;
      add(f.extent, from.value_or(0), entry.addressStride, f);
      continue;
    }
    auto pieces = table->pieces(f);
    if (!pieces)
      return pieces.takeError();
    for (const StreamPiece &piece : *pieces) {
      Factor part = f;
      part.stride = piece.stride;
      part.extent = part.valid = piece.extent;
      add(piece.extent, piece.address,
          entry.addressStride * (piece.stride / f.stride), part);
    }
  }
  auto base = table->finish();
  if (!base)
    return base.takeError();
  result.sourceBase = *base;
  if (!result.entries.empty()) {
    const PairedSequencer::Entry &inner = result.entries.back();
    if (inner.sourceStride == 1 && inner.destinationStride == 1)
      result.contiguousElements = inner.size;
  }
  return result;
}
