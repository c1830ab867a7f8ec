//===- Sequencer.cpp - Readings of nested-loop descriptors ----------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Stream/Sequencer.h"

#include "Checked.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

using namespace sequin;
using checked::ceilDiv;
using checked::saturatingMul;

std::string LoopTerm::str() const {
  if (!name.empty())
    return name;
  const Mapping::Term &source = mapping.terms()[term];
  if (pieces.empty())
    return source.text;
  std::string text;
  for (const Piece &piece : pieces) {
    Factor part = source.factors[piece.factor];
    part.stride = piece.stride;
    part.extent = piece.extent;
    part.valid = piece.valid;
    text += (text.empty() ? "" : ", ") + part.str();
  }
  return text;
}

std::string SequencerEntry::termsStr() const {
  std::string text;
  for (const LoopTerm &term : terms)
    text += (text.empty() ? "" : " * ") + term.str();
  return text;
}

int64_t Sequencer::visitCount() const {
  int64_t count = 1;
  for (const SequencerEntry &entry : entries)
    count *= entry.size;
  return count;
}

std::vector<int64_t> Sequencer::visits() const {
  std::vector<int64_t> result{base};
  for (const SequencerEntry &entry : entries) {
    std::vector<int64_t> next;
    next.reserve(result.size() * entry.size);
    for (int64_t address : result)
      for (int64_t i = 0; i < entry.size; ++i)
        next.push_back(address + i * entry.stride);
    result = std::move(next);
  }
  return result;
}

int64_t Sequencer::contiguousElements() const {
  if (entries.empty() ||
      (entries.back().stride != 0 && entries.back().stride != 1))
    return 1;
  int64_t run = entries.back().size;
  for (size_t i = entries.size() - 1; i-- > 0;) {
    const SequencerEntry &inner = entries[i + 1];
    if (checked::mul(inner.size, inner.stride) != entries[i].stride)
      break;
    run *= entries[i].size;
  }
  return run;
}

std::string Sequencer::str() const {
  std::string result = "[";
  for (const SequencerEntry &entry : entries) {
    if (result.size() > 1)
      result += ", ";
    result += std::to_string(entry.size) + ":" + std::to_string(entry.stride);
  }
  result += "]:" + std::to_string(packetElements);
  if (base != 0)
    result += " @ " + std::to_string(base);
  return result;
}

/// Adds `factors` with `stride` for a step of the innermost.
void AddressMap::place(llvm::ArrayRef<Factor> factors,
                       std::optional<int64_t> stride) {
  size_t begin = list.size();
  list.resize(begin + factors.size());
  for (size_t i = factors.size(); i-- > 0;) {
    const Factor &f = factors[i];
    list[begin + i] = {f, stride.value_or(0)};
    int64_t steps = f.first + std::max<int64_t>(f.valid, 1) - 1;
    auto last = stride ? checked::mulAdd(steps, *stride, bound)
                       : std::optional<int64_t>();
    overflow |= !last;
    bound = last.value_or(bound);
    if (stride)
      stride = checked::mul(*stride, f.extent);
  }
}

void AddressMap::append(const Mapping &mapping, int64_t unitStride) {
  appended.push_back({mapping, unitStride});
  auto hasGroup = [](const Mapping &part) {
    return llvm::any_of(part.factors(),
                        [](const Factor &f) { return f.composite != nullptr; });
  };
  if (notAffine.empty() && hasGroup(mapping)) {
    auto placed = mapping.placedFactors();
    if (!placed)
      notAffine = llvm::toString(placed.takeError());
  }
  place(mapping.factors(), unitStride);

  // Quotients and remainders in several parts meet where what they are taken
  // from does not begin at index 0; sliding combinations may not meet others.
  unsigned shifted = llvm::count_if(
      appended, [](const Part &part) { return !part.mapping.startsAtZero(); });
  bool meet = shifted > 1 || llvm::any_of(appended, [&](const Part &part) {
                return hasGroup(part.mapping);
              });
  if (appended.size() < 2 || !meet || !noMapping.empty())
    return;
  Mapping whole = appended.front().mapping;
  for (const Part &part : llvm::drop_begin(appended)) {
    auto next = Mapping::pair(whole, part.mapping);
    if (!next) {
      noMapping = llvm::toString(next.takeError());
      return;
    }
    whole = *next;
  }
  if (shifted < 2)
    return;
  list.clear();
  bound = 1;
  auto terms = whole.terms();
  for (const Part &part : appended) {
    llvm::SmallVector<Factor, 8> factors;
    for (const Mapping::Term &term :
         terms.take_front(part.mapping.terms().size()))
      factors.append(term.factors.begin(), term.factors.end());
    terms = terms.drop_front(part.mapping.terms().size());
    place(factors, part.unitStride);
  }
}

std::string AddressMap::str() const {
  std::string text;
  for (const Part &part : appended)
    text += (text.empty() ? "" : " | ") + part.mapping.str();
  return text;
}

llvm::Expected<PairedSequencer::Requests>
PairedSequencer::requests(ElementType type, int64_t maxStride0,
                          int64_t requestBytes) const {
  auto bits = checked::mul(contiguousElements, getBitWidth(type));
  if (!bits || *bits % 8 != 0)
    return llvm::createStringError("a run of " +
                                   llvm::Twine(contiguousElements) +
                                   " elements is not a whole number of bytes");
  int64_t bytes = *bits / 8;
  Requests result;
  result.stride0 = std::min(bytes, maxStride0);
  while (bytes % result.stride0 != 0)
    --result.stride0;
  int64_t elements = 1;
  for (const Entry &entry : entries)
    elements = saturatingMul(elements, entry.size);
  result.packets =
      saturatingMul(elements / contiguousElements, bytes / result.stride0);
  result.requests =
      saturatingMul(result.packets, ceilDiv(result.stride0, requestBytes));
  return result;
}
