//===- AddressTable.cpp - Digits of tensor indices and addresses ----------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AddressTable.h"
#include "Checked.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

using namespace sequin;
using checked::ceilDiv;
using checked::saturatingAdd;
using checked::saturatingMul;
using llvm::ArrayRef;
using llvm::StringRef;
using llvm::Twine;

namespace {

/// a * b <= c without overflow; all are positive.
bool productAtMost(int64_t a, int64_t b, int64_t c) {
  auto product = checked::mul(a, b);
  return product && *product <= c;
}

/// Calls `visit` with the factors inside a composite.
template <typename Visitor>
void forEachPart(const CompositeBase &composite, Visitor &&visit) {
  for (const Factor &part : composite.factors)
    visit(part);
  for (const CompositeBase::SlidingTerm &term : composite.sliding)
    for (const Factor &part : term.factors)
      visit(part);
}

} // namespace

std::string FactorTexts::str() const {
  if (!literal.empty())
    return literal;
  std::string text;
  for (const Factor *f : factors)
    text += (text.empty() ? "" : ", ") + f->str();
  return text;
}

//===----------------------------------------------------------------------===//
// Reading the buffer
//===----------------------------------------------------------------------===//

llvm::Expected<AddressTable> AddressTable::build(const AddressMap &map,
                                                 Mode mode) {
  AddressTable table(mode);
  table.map = &map;
  if (map.overflowed())
    return llvm::createStringError("the addresses of '" + map.str() +
                                   "' do not fit in 64 bits");
  if (!map.conflict().empty())
    return llvm::createStringError("the parts of '" + map.str() +
                                   "' are no mapping: " + map.conflict());
  for (const AddressFactor &entry : map.factors())
    if (entry.factor.valid == 0)
      return llvm::createStringError("the buffer '" + map.str() +
                                     "' holds no data");
  for (const AddressFactor &entry : map.factors())
    table.addFactor(entry.factor, entry.addressStride, "",
                    {{&entry.factor}, {}});
  // Outer composites first: they may hold digits of the inner ones.
  llvm::SmallVector<std::pair<unsigned, std::string>, 2> composites;
  for (auto &[name, base] : table.bases)
    if (base.composite)
      composites.emplace_back(base.composite->depth, name);
  while (!composites.empty()) {
    auto deepest = llvm::max_element(composites);
    std::string name = deepest->second;
    composites.erase(deepest);
    size_t before = table.bases.size();
    if (const CompositeBase &base = *table.bases[name].composite;
        base.table || base.search)
      table.expandSliding(name);
    else
      table.expandComposite(name);
    if (table.bases.size() != before) {
      // Composites inside this one were found; each is expanded once.
      forEachPart(*table.bases[name].composite, [&](const Factor &f) {
        if (f.composite &&
            !llvm::is_contained(composites,
                                std::make_pair(f.composite->depth, f.base)))
          composites.emplace_back(f.composite->depth, f.base);
      });
    }
  }
  for (auto &entry : table.bases)
    sortDigits(entry.second);
  return table;
}

void AddressTable::addFactor(const Factor &f, int64_t address, StringRef source,
                             const FactorTexts &text) {
  // Low padding inside a composite is in the zero of the composite.
  if (source.empty())
    addTo(constant, f.first, address);
  if (f.kind == Factor::Kind::Broadcast) {
    if (f.valid > 1)
      broadcasts.push_back({f.valid, f.extent, address, f.first});
    else if (address == 1 && source.empty() && f.first == 0)
      tailPadding = f.extent;
    return;
  }
  Base &base = bases[f.base];
  base.size = f.baseSize;
  base.composite = f.composite;
  base.source = base.named ? base.source : source;
  base.named = true;
  base.held.append(text);
  base.skewed |= f.skewed;
  base.offset = saturatingAdd(base.offset, f.offset);
  if (!source.empty() && f.offset != 0)
    base.offsetsInside.emplace_back(source, f.offset);
  if (f.extent > 1 || f.valid > 1)
    base.digits.push_back(
        {f.stride, f.extent - f.first, f.valid, address, f.first, source});
}

void AddressTable::sortDigits(Base &base) {
  llvm::sort(base.digits, [](const Digit &a, const Digit &b) {
    if (a.stride != b.stride)
      return a.stride < b.stride;
    return std::pair(b.valid, a.address) < std::pair(a.valid, b.address);
  });
  llvm::SmallVector<Digit, 4> kept;
  for (Digit &digit : base.digits) {
    if (kept.empty()) {
      kept.push_back(std::move(digit));
      continue;
    }
    Digit &last = kept.back();
    int64_t reach = saturatingMul(last.stride, last.valid);
    if (digit.stride < reach) {
      // The same part of the index twice: the copy stays at its first position.
      base.overlapping = true;
      continue;
    }
    if (digit.stride == reach && last.valid == last.extent &&
        digit.source == last.source &&
        checked::mul(last.address, last.extent) == digit.address) {
      last.valid = saturatingMul(digit.valid, last.extent);
      last.low = saturatingMul(digit.low, last.extent);
      last.extent = saturatingMul(digit.extent, last.extent);
      last.valid = std::min(last.valid, ceilDiv(base.size, last.stride));
      continue;
    }
    kept.push_back(std::move(digit));
  }
  base.digits = std::move(kept);
}

void AddressTable::addTo(int64_t &sum, int64_t steps, int64_t stride) {
  auto product = checked::mul(steps, stride);
  auto result =
      product ? checked::add(sum, *product) : std::optional<int64_t>();
  overflow |= !result;
  sum = result.value_or(0);
}

size_t AddressTable::digitAt(const Base &base, int64_t stride) {
  size_t k = 0;
  while (k + 1 < base.digits.size() && base.digits[k + 1].stride <= stride)
    ++k;
  return k;
}

/// Gives the parts of a composite in the buffer their own digits. Where that is
/// not possible the parts are opaque: they can be neither walked nor, if they
/// start at an offset, left alone.
void AddressTable::expandComposite(const std::string &key) {
  auto found = bases.find(key);
  const std::string &name = found->first; // lives as long as the table
  Base &base = found->second;
  sortDigits(base);
  ArrayRef<Factor> parts = base.composite->factors;
  bool expandable = base.offset == 0 && !base.opaque;
  bool isShifted = !base.composite->startsAtZero;
  if (isShifted) {
    // One part is still clear: its offset is that of all digits together, its
    // padding below has to be a number of steps of the outermost piece.
    llvm::SmallVector<StreamPiece, 2> cuts;
    expandable &=
        parts.size() == 1 && !parts[0].composite &&
        parts[0].kind != Factor::Kind::Broadcast &&
        cut(base, 1, parts[0].extent, parts[0].extent, cuts) == Fit::Fits &&
        (cuts.size() == 1 ||
         (mode != Mode::Write &&
          factors::canShift(parts[0], cuts.empty() ? 1 : cuts.front().stride)));
    base.hidden = !expandable;
    base.zero = parts[0].first;
  }
  base.hidden |= base.opaque || base.offset != 0;
  int64_t position = base.composite->size;
  bool outermost = true;
  for (const Factor &part : parts) {
    position /= part.extent;
    llvm::SmallVector<StreamPiece, 2> cuts;
    bool fits = expandable && cut(base, position, part.extent, part.extent,
                                  cuts) == Fit::Fits;
    if (!fits && part.kind != Factor::Kind::Broadcast) {
      hide(part, name, base);
      base.hidden |= mode == Mode::Write;
    }
    if (!fits)
      continue;
    // One position of an axis says which.
    if (cuts.empty() && isShifted)
      addFactor(part, 0, name, base.held);
    for (StreamPiece &piece : cuts) {
      Factor f = part;
      int64_t steps = piece.stride / position;
      f.stride = f.kind == Factor::Kind::Broadcast
                     ? 0
                     : saturatingMul(part.stride, steps);
      f.extent = piece.extent;
      f.valid = std::min(piece.extent, ceilDiv(part.valid, steps));
      if (isShifted)
        f.first = &piece == &cuts.front() ? part.first / steps : 0;
      if (&piece != &cuts.front())
        f.offset = 0;
      // No more than the digit of the composite holds.
      if (!base.digits.empty()) {
        const Digit &digit = base.digits[digitAt(base, piece.stride)];
        int64_t perStep = std::max<int64_t>(piece.stride / digit.stride, 1);
        int64_t held = mode == Mode::Write ? ceilDiv(digit.valid, perStep)
                                           : digit.valid / perStep;
        f.valid = std::min(f.valid, std::max<int64_t>(0, held - f.first));
        f.extent = std::min(f.extent, digit.extent / perStep);
      }
      // The outermost part reaches as far as the padding of the composite.
      if (outermost && &piece == &cuts.front() && !base.digits.empty()) {
        const Digit &top = base.digits.back();
        if (piece.stride >= top.stride)
          f.extent = std::max(f.extent, saturatingMul(top.stride, top.extent) /
                                            piece.stride);
      }
      addFactor(f, piece.address, name, base.held);
    }
    outermost &= part.extent == 1;
  }
}

void AddressTable::hide(const Factor &part, StringRef name, const Base &base) {
  Base &inner = bases[part.base];
  inner.source = inner.named ? inner.source : name;
  inner.named = inner.opaque = true;
  inner.skewed |= part.skewed;
  inner.composite = part.composite;
  inner.size = part.baseSize;
  inner.held.append(base.held);
}

void AddressTable::expandSliding(const std::string &key) {
  auto found = bases.find(key);
  const std::string &name = found->first; // lives as long as the table
  Base &base = found->second;
  sortDigits(base);
  const CompositeBase &composite = *base.composite;
  bool sum = composite.search && base.offset == 0 && !base.opaque &&
             base.digits.size() == 1 && base.digits[0].stride == 1 &&
             base.digits[0].valid >= base.size;
  forEachPart(composite, [&](const Factor &part) { sum &= part.valid > 0; });
  // A cell is written once only if it holds one index.
  bool shared = sum && mode == Mode::Write && !areApart(composite.sliding);
  if (!sum || shared) {
    base.hidden = mode == Mode::Write || base.opaque || base.offset != 0 ||
                  !composite.startsAtZero;
    forEachPart(composite, [&](const Factor &part) {
      if (part.kind == Factor::Kind::Broadcast)
        return;
      hide(part, name, base);
      bases[part.base].shared |= shared;
    });
    return;
  }
  int64_t unit = base.digits[0].address;
  for (const CompositeBase::SlidingTerm &term : composite.sliding) {
    int64_t position = saturatingMul(term.size, term.stride);
    for (const Factor &part : term.factors) {
      position /= part.extent;
      addTo(base.zero, part.first, position);
      int64_t address = 0;
      addTo(address, position, unit);
      addFactor(part, address, name, base.held);
    }
  }
}

//===----------------------------------------------------------------------===//
// Cutting factors of the stream
//===----------------------------------------------------------------------===//

void AddressTable::noteStream(const Factor &f) {
  if (f.kind == Factor::Kind::Broadcast)
    return;
  noted.push_back(&f);
  if (mode != Mode::Read)
    noteStrides(f);
}

/// How the stream walks a base.
std::string AddressTable::walksOf(StringRef name, const Base &base) const {
  if (!base.walks.empty())
    return base.walks;
  FactorTexts result;
  for (const Factor *f : noted) {
    auto it = bases.find(f->base);
    bool walks = f->base == name;
    if (f->composite && (it == bases.end() || !it->second.named)) {
      walks = false;
      forEachPart(*f->composite,
                  [&](const Factor &part) { walks |= part.base == name; });
    }
    if (walks)
      result.factors.push_back(f);
  }
  return result.str();
}

AddressTable::Base *AddressTable::baseOf(const Factor &f) const {
  if (lastFactor != &f) {
    auto it = bases.find(StringRef(f.base));
    lastFactor = &f;
    lastBase = it == bases.end() ? nullptr : const_cast<Base *>(&it->second);
  }
  return lastBase;
}

void AddressTable::noteStrides(const Factor &f) {
  if (f.kind == Factor::Kind::Broadcast)
    return;
  // A composite that was seen has noted its parts.
  if (streamStrides[f.base].insert(f.stride).second && f.composite &&
      streamStrides[f.base].size() == 1)
    forEachPart(*f.composite, [&](const Factor &part) { noteStrides(part); });
}

bool AddressTable::areApart(ArrayRef<CompositeBase::SlidingTerm> terms) {
  llvm::SmallVector<std::pair<int64_t, int64_t>, 4> steps;
  for (const CompositeBase::SlidingTerm &term : terms)
    steps.emplace_back(term.stride, term.size);
  llvm::sort(steps);
  int64_t reach = 0;
  for (auto [stride, size] : steps) {
    if (stride <= reach)
      return false;
    reach = saturatingAdd(reach, saturatingMul(size - 1, stride));
  }
  return true;
}

bool AddressTable::holdsWhole(const Factor &f) const {
  auto it = bases.find(StringRef(f.base));
  return it != bases.end() && it->second.named && !it->second.opaque;
}

bool AddressTable::names(const Factor &f) const {
  if (f.kind == Factor::Kind::Broadcast)
    return false;
  if (const Base *base = baseOf(f); base && base->named)
    return true;
  llvm::SmallPtrSet<const CompositeBase *, 4> seen;
  return f.composite && namesInside(f, seen);
}

/// Whether the buffer names a part of `f`'s base; bases that were `seen` have
/// none.
bool AddressTable::namesInside(const Factor &f, Seen &seen) const {
  if (!f.composite || !seen.insert(f.composite.get()).second)
    return false;
  bool any = false;
  forEachPart(*f.composite, [&](const Factor &part) {
    if (any || part.kind == Factor::Kind::Broadcast)
      return;
    auto it = bases.find(StringRef(part.base));
    any = (it != bases.end() && it->second.named) || namesInside(part, seen);
  });
  return any;
}

llvm::Error AddressTable::misfit(Fit fit, StringRef name,
                                 const Base &base) const {
  std::string held = base.held.empty() ? map->str() : base.held.str();
  std::string walks = walksOf(name, base);
  if (walks.empty())
    walks = name.str();
  if (fit == Fit::NotHeld)
    return llvm::createStringError(
        Twine(mode == Mode::Write ? "write leaves the tensor"
                                  : "insufficient input") +
        ": the stream walks '" + walks + "' but the buffer holds only '" +
        held + "' of " + name);
  if (base.shared)
    return llvm::createStringError(
        "write broadcast: '" + held +
        "' of the buffer holds several indices "
        "in one cell, and the stream walks '" +
        walks + "' alone, so it would write one cell several times");
  if (base.opaque && !map->refusal().empty())
    return llvm::createStringError("incompatible shapes: the stream walks '" +
                                   walks + "' and the buffer holds " + name +
                                   " inside '" + held + "'; " + map->refusal());
  return llvm::createStringError(
      "incompatible shapes: the buffer holds " + name + " as '" + held +
      "' and the stream walks it as '" + walks +
      "', which have no common refinement" + explainShift(base));
}

/// Why the parts of an axis with padding below are not put together again.
std::string AddressTable::explainShift(const Base &base) const {
  auto found = bases.find(base.source);
  if (!base.opaque || found == bases.end() || !found->second.composite)
    return "";
  const CompositeBase &composite = *found->second.composite;
  if (composite.factors.size() != 1 || composite.factors[0].first == 0 ||
      found->second.digits.empty())
    return "";
  int64_t step = found->second.digits.back().stride;
  int64_t low = composite.factors[0].first;
  if (low % step == 0)
    return "";
  return (": the " + Twine(low) + " positions of padding below are no " +
          "multiple of the " + Twine(step) + " that the outermost part steps")
      .str();
}

AddressTable::Fit
AddressTable::cut(const Base &base, int64_t stride, int64_t extent,
                  int64_t valid,
                  llvm::SmallVectorImpl<StreamPiece> &pieces) const {
  llvm::SmallVector<StreamPiece, 4> inner; // innermost first
  while (extent > 1) {
    if (valid <= 1 && mode == Mode::Read) {
      // Only padding is left; it may stay where it is.
      inner.push_back({stride, extent, valid, 0});
      break;
    }
    if (base.digits.empty() || stride < base.digits.front().stride)
      return Fit::NotHeld;
    size_t k = digitAt(base, stride);
    const Digit &digit = base.digits[k];
    if (stride % digit.stride != 0)
      return Fit::Straddles;
    int64_t steps = stride / digit.stride;
    int64_t here = extent;
    if (k + 1 < base.digits.size()) {
      int64_t boundary = base.digits[k + 1].stride;
      if (!productAtMost(stride, valid, boundary)) {
        here = boundary / stride;
        if (boundary % stride != 0 || extent % here != 0)
          return Fit::Straddles;
      }
    }
    auto address = checked::mul(digit.address, steps);
    if (!address)
      return Fit::Straddles;
    inner.push_back({stride, here, std::min(valid, here), *address});
    extent /= here;
    valid = ceilDiv(valid, here);
    stride = saturatingMul(stride, here);
  }
  pieces.append(inner.rbegin(), inner.rend());
  return Fit::Fits;
}

/// Gives a composite of the stream digits from where the buffer holds its
/// parts.
llvm::Error AddressTable::deriveComposite(const std::string &name,
                                          const Factor &f) {
  auto composite = f.composite;
  if (composite->search || composite->table)
    return llvm::createStringError(
        "the stream's '" + f.str() + "' " +
        (composite->table ? "takes its indices from a table"
                          : "may hold several indices at one position") +
        ", and the buffer '" + map->str() + "' does not hold it as it stands");
  Base result;
  result.composite = composite;
  result.derived = true;
  result.size = composite->size;
  int64_t position = composite->size;
  bool outermost = true;
  for (const Factor &part : composite->factors) {
    position /= part.extent;
    if (mode == Mode::Write && part.valid == 0)
      return llvm::createStringError("the stream's '" + f.str() +
                                     "' holds no data to write");
    if (!names(part)) {
      if (mode == Mode::Write && part.kind != Factor::Kind::Broadcast &&
          !factors::startsAtZero(part))
        return llvm::createStringError(
            "write leaves the tensor: '" + part.str() + "' of the stream's '" +
            f.str() + "' does not begin at index 0, and the buffer '" +
            map->str() + "' does not hold it");
      if (mode == Mode::Write && part.extent > 1)
        return llvm::createStringError(
            "write broadcast: the buffer '" + map->str() + "' does not hold '" +
            part.str() + "' of the stream's '" + f.str() +
            "', so it would write one cell several times");
      if (part.extent > 1)
        result.digits.push_back({position, part.extent, part.extent, 0});
      outermost &= part.extent == 1;
      continue;
    }
    auto parts = pieces(part);
    if (!parts)
      return parts.takeError();
    for (const StreamPiece &piece : *parts) {
      int64_t steps = part.stride ? piece.stride / part.stride : 1;
      Digit digit{saturatingMul(position, steps), piece.extent, piece.extent,
                  piece.address};
      // A write may go on into the padding behind the composite.
      if (mode == Mode::Write && outermost && &piece == &parts->front()) {
        auto space = room(part);
        if (!space)
          return space.takeError();
        digit.extent = std::max(digit.extent, *space / steps);
      }
      result.digits.push_back(digit);
    }
    outermost &= part.extent == 1;
  }
  result.held.literal = map->str();
  result.walks = f.str();
  sortDigits(result);
  bases[name] = std::move(result);
  return llvm::Error::success();
}

llvm::Expected<AddressTable::Base *> AddressTable::lookup(const Factor &f) {
  Base *base = baseOf(f);
  // Where index 0 of its parts is depends on digits that cannot be told apart.
  if (base && base->opaque && f.composite && !base->derived &&
      !f.composite->startsAtZero)
    return misfit(Fit::Straddles, f.base, *base);
  if (!base || (base->opaque && f.composite && !base->derived)) {
    if (llvm::Error error = deriveComposite(f.base, f))
      return error;
    lastFactor = nullptr;
    base = baseOf(f);
  }
  if (base->opaque)
    return misfit(Fit::Straddles, f.base, *base);
  return base;
}

llvm::Expected<llvm::SmallVector<StreamPiece, 2>>
AddressTable::pieces(const Factor &f) {
  auto found = lookup(f);
  if (!found)
    return found.takeError();
  Base &base = **found;
  base.walked = true;
  llvm::SmallVector<StreamPiece, 2> result;
  Fit fit = cut(base, f.stride, f.extent, f.valid, result);
  if (fit != Fit::Fits)
    return misfit(fit, f.base, base);
  base.start = saturatingAdd(base.start, f.offset);
  int64_t low = 0; // iterations of the outermost loop before the data
  if (f.first != 0 && !result.empty()) {
    int64_t inner = 1;
    for (const StreamPiece &piece : ArrayRef(result).drop_front())
      inner *= piece.extent;
    if (f.first % inner != 0)
      return misfit(Fit::Straddles, f.base, base);
    low = f.first / inner;
    addTo(constant, -low, result.front().address);
  }
  if (mode == Mode::Write && f.isPadded() && !base.digits.empty()) {
    // Positions of padding may follow the data of the buffer, not lie among it.
    int64_t outer = result.empty() ? f.stride : result.front().stride;
    const Digit &digit = base.digits[digitAt(base, outer)];
    int64_t held =
        std::min(saturatingMul(digit.stride, digit.valid), base.size);
    if (f.first + f.valid < f.extent && saturatingMul(f.stride, f.valid) < held)
      return llvm::createStringError(
          "write of padding: the padding of '" + f.str() +
          "' would be written over data of the buffer '" + map->str() + "'");
  }
  for (const StreamPiece &piece : result) {
    if (base.digits.empty())
      continue;
    int64_t below = &piece == &result.front() ? low : 0;
    Digit &digit = base.digits[digitAt(base, piece.stride)];
    if (piece.stride % digit.stride != 0)
      continue; // padding that stays in place
    int64_t steps = piece.stride / digit.stride;
    digit.usedValid =
        saturatingAdd(digit.usedValid, saturatingMul(piece.valid - 1, steps));
    digit.usedExtent = saturatingAdd(
        digit.usedExtent, saturatingMul(piece.extent - 1 - below, steps));
    digit.loops.emplace_back(piece.stride, piece.extent - below);
    // Behind a larger step the padding below falls onto the data before it.
    if (mode == Mode::Read)
      continue;
    int64_t allowed = digit.low;
    if (streamStrides[f.base].upper_bound(f.stride) !=
        streamStrides[f.base].end())
      allowed = 0;
    if (saturatingMul(below, steps) > allowed)
      return llvm::createStringError("write leaves the tensor: '" + f.str() +
                                     "' starts " +
                                     Twine(saturatingMul(below, steps)) +
                                     " positions before the data, "
                                     "the buffer '" +
                                     map->str() + "' has " + Twine(allowed) +
                                     " positions of padding there");
  }
  return result;
}

llvm::Expected<int64_t> AddressTable::room(const Factor &f) {
  auto found = lookup(f);
  if (!found)
    return found.takeError();
  const Base &base = **found;
  if (base.digits.empty() || f.stride < base.digits.front().stride)
    return f.extent;
  // The digit that the last element of f lies in.
  int64_t reach = saturatingMul(f.stride, f.valid);
  size_t k = 0;
  while (k + 1 < base.digits.size() && base.digits[k + 1].stride < reach)
    ++k;
  const Digit &digit = base.digits[k];
  if (f.stride % base.digits[digitAt(base, f.stride)].stride != 0)
    return f.extent; // pieces() says why not
  int64_t result = saturatingMul(digit.extent, digit.stride) / f.stride;
  bool isTop = k + 1 == base.digits.size();
  const std::set<int64_t> &strides = streamStrides[f.base];
  auto next = strides.upper_bound(f.stride);
  int64_t nextStride = next == strides.end() ? 0 : *next;
  // Lanes of padding must not fall onto data.
  if (reach < saturatingMul(digit.valid, digit.stride))
    result = std::min(result, f.valid);
  if (nextStride > 0 && (isTop || nextStride < base.digits[k + 1].stride))
    result = std::min(result, nextStride / f.stride);
  return saturatingAdd(result, f.first);
}

std::optional<int64_t> AddressTable::matchBroadcast(const Factor &f) {
  if (f.kind != Factor::Kind::Broadcast)
    return std::nullopt;
  for (Broadcast &entry : broadcasts) {
    if (entry.matched || entry.valid != f.valid || entry.extent < f.extent ||
        (mode != Mode::Read && f.first > entry.low))
      continue;
    entry.matched = true;
    // The stream's padding stands before the data too.
    addTo(constant, -f.first, entry.address);
    return entry.address;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Checks over the whole stream
//===----------------------------------------------------------------------===//

llvm::Expected<int64_t> AddressTable::finishBase(const std::string &name,
                                                 Base &base) {
  if (!base.walked && isWalkedAbove(base))
    return 0;
  // What composites hold is in their own index where they are walked.
  int64_t offset = base.offset;
  for (auto [source, amount] : base.offsetsInside)
    if (isWalked(source))
      offset -= amount;
  // What is not walked stands at index 0; a composite at that of its parts.
  int64_t rest = base.start - offset;
  if (!base.walked && base.composite)
    rest += base.zero;
  if (base.hidden && !base.walked)
    return llvm::createStringError(
        "the buffer '" + map->str() + "' holds '" + base.held.str() +
        "' at an offset or in parts that strides cannot tell apart, and the "
        "stream does not walk them as one");
  if (base.skewed && !base.walked)
    return llvm::createStringError("incompatible shapes: the buffer '" +
                                   map->str() + "' walks " + name +
                                   ", a skewed axis, and the stream does not");
  if (base.opaque) {
    if (rest < 0)
      return misfit(Fit::NotHeld, name, base);
    if (mode == Mode::Write)
      if (llvm::Error error = checkFilled(name, base))
        return error;
    return 0;
  }
  if (rest < 0)
    return misfit(Fit::NotHeld, name, base);
  int64_t address = 0;
  for (size_t k = base.digits.size(); k-- > 0;) {
    Digit &digit = base.digits[k];
    bool isTop = k + 1 == base.digits.size();
    int64_t fixed = rest / digit.stride;
    rest %= digit.stride;
    addTo(address, fixed, digit.address);
    if ((fixed != 0 || !digit.loops.empty()) && isWalked(digit.source))
      return misfit(Fit::Straddles, name, base); // walked twice
    int64_t lastValid = saturatingAdd(fixed, digit.usedValid);
    if (isTop)
      lastValid = std::min(lastValid, (base.size - 1) / digit.stride);
    else if (!productAtMost(lastValid, digit.stride,
                            base.digits[k + 1].stride - 1))
      return misfit(Fit::Straddles, name, base);
    if (lastValid >= digit.valid)
      return misfit(Fit::NotHeld, name, base);
    if (mode != Mode::Read &&
        saturatingAdd(fixed, digit.usedExtent) >= digit.extent) {
      int64_t found = saturatingMul(
          saturatingAdd(saturatingAdd(fixed, digit.usedExtent), 1),
          digit.stride);
      int64_t allowed = saturatingMul(digit.extent, digit.stride);
      if (mode == Mode::Write)
        return llvm::createStringError(
            "write leaves the tensor: the stream walks " + Twine(found) +
            " positions of " + name + ", the buffer '" + map->str() +
            "' has room for " + Twine(allowed));
      return llvm::createStringError(
          "the last part of " + name +
          " is only partly valid: the destination walks " + Twine(found) +
          " positions of " + name + ", the source '" + map->str() + "' holds " +
          Twine(allowed) + " including padding");
    }
    if (mode == Mode::Write && fixed != 0)
      return llvm::createStringError(
          "write does not fill the buffer: it starts at index " +
          Twine(base.start - offset) + " of '" + base.held.str() + "'");
  }
  if (rest != 0)
    return misfit(Fit::NotHeld, name, base);
  if (mode == Mode::Write)
    if (llvm::Error error = checkFilled(name, base))
      return error;
  return address;
}

/// Every element has to be visited exactly once.
llvm::Error AddressTable::checkFilled(const std::string &name,
                                      const Base &base) const {
  if (base.overlapping)
    return llvm::createStringError("the buffer '" + map->str() +
                                   "' holds parts of " + name +
                                   " at several addresses");
  for (const Digit &digit : base.digits) {
    // Either the composite or its parts are walked.
    if ((base.composite && !base.walked) || isWalked(digit.source))
      continue;
    auto loops = digit.loops;
    llvm::sort(loops);
    int64_t reached = digit.stride;
    for (auto [stride, extent] : loops) {
      if (stride < reached)
        return llvm::createStringError(
            "write broadcast: the stream walks parts of " + name + " twice ('" +
            walksOf(name, base) + "')");
      if (stride != reached)
        break;
      reached = saturatingMul(reached, extent);
    }
    if (reached < saturatingMul(digit.stride, digit.valid) &&
        reached < base.size)
      return llvm::createStringError(
          "write does not fill the buffer: it holds '" + base.held.str() +
          "' and the stream walks " +
          (walksOf(name, base).empty() ? "nothing of " + name
                                       : "'" + walksOf(name, base) + "'"));
  }
  return llvm::Error::success();
}

bool AddressTable::isWalked(StringRef name) const {
  while (!name.empty()) {
    const Base &base = bases.find(name)->second;
    if (base.walked)
      return true;
    name = base.source;
  }
  return false;
}

llvm::Expected<int64_t> AddressTable::finish() {
  int64_t address = constant;
  for (auto &[name, base] : bases) {
    auto part = finishBase(name, base);
    if (!part)
      return part.takeError();
    addTo(address, *part, 1);
  }
  if (overflow)
    return llvm::createStringError("the addresses of '" + map->str() +
                                   "' do not fit in 64 bits");
  if (mode == Mode::Write)
    for (const Broadcast &entry : broadcasts)
      if (!entry.matched)
        return llvm::createStringError(
            "write does not fill the buffer: nothing in the stream walks the "
            "anonymous axis of size " +
            Twine(entry.valid) + " of '" + map->str() + "'");
  return address;
}
