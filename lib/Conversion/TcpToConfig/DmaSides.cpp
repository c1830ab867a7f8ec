//===- DmaSides.cpp - The two ends of a DMA operation ---------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DmaSides.h"
#include "ZeroPadding.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"
#include <set>

using namespace mlir;
using namespace sequin;
using namespace sequin::derivation;

AddressMap DmaSide::map() const {
  AddressMap map;
  for (const Part &part : parts)
    map.append(part.mapping, part.stride);
  return map;
}

int64_t DmaLoops::elements() const {
  // More than any memory has; sums of a few do not overflow.
  constexpr int64_t kMost = int64_t(1) << 50;
  int64_t count = 1;
  for (const Loop &loop : loops)
    if (llvm::MulOverflow(count, loop.size, count) || count > kMost)
      return kMost;
  return count;
}

/// Appends every term of `mapping` as a part, one position `unit` elements.
static void addTerms(DmaSide &side, const Mapping &mapping, int64_t unit) {
  int64_t stride = unit * mapping.size();
  for (const Mapping::Term &term : mapping.terms()) {
    Mapping alone =
        mapping.terms().size() == 1
            ? mapping
            : llvm::cantFail(Mapping::parse(term.text, mapping.axes()));
    stride /= alone.size();
    side.parts.push_back({alone, stride});
  }
}

config::Memory derivation::getMemory(Type type) {
  return isa<tcp::HbmType>(type)  ? config::Memory::Hbm
         : isa<tcp::DmType>(type) ? config::Memory::Dm
                                  : config::Memory::Spm;
}

DmaSide derivation::dmaSideOf(Type type, const TcpMachine &machine) {
  DmaSide side;
  side.memory = getMemory(type);
  auto perElement = [](Type element, int64_t bytes) {
    return bytes * 8 / getBitWidth(*tcp::getElementKind(element));
  };
  TypeSwitch<Type>(type)
      .Case<tcp::HbmType, tcp::SpmType>([&](auto tensor) {
        addTerms(side, tensor.getChipMapping(),
                 perElement(tensor.getElementType(), kChipSpan));
        addTerms(side, tensor.getElementMapping(), 1);
      })
      .Case([&](tcp::DmType tensor) {
        tcp::GridAttr grid = tensor.getGrid();
        int64_t slice =
            perElement(tensor.getElementType(), machine.dmSliceStride);
        addTerms(side, grid.getChipMapping(),
                 perElement(tensor.getElementType(), kChipSpan));
        addTerms(side, grid.getClusterMapping(),
                 slice * machine.slicesPerCluster);
        addTerms(side, grid.getSliceMapping(), slice);
        addTerms(side, tensor.getElementMapping(), 1);
      });
  return side;
}

//===----------------------------------------------------------------------===//
// Segmentation
//===----------------------------------------------------------------------===//

static DmaLoops toLoops(const PairedSequencer &pair, const DmaSide &source,
                        const DmaSide &destination) {
  DmaLoops result;
  for (const PairedSequencer::Entry &entry : pair.entries)
    result.loops.push_back({entry.size, entry.sourceStride,
                            entry.destinationStride, 0, 0, entry.term});
  result.sourceBase = pair.sourceBase + source.base;
  result.destinationBase = pair.destinationBase + destination.base;
  return result;
}

/// The axis that a term walks, if it is one axis with one digit from its
/// beginning, every position of the term one step of it (no padding inside, as
/// in `[V, 1 # 2]`).
static const Factor *singleAxis(const Mapping &mapping) {
  const Factor *found = nullptr;
  for (const Factor &factor : mapping.factors()) {
    if (factor.isPaddingOnly() && !found)
      continue;
    if (found || factor.kind != Factor::Kind::Axis || factor.skewed ||
        factor.first != 0 || factor.offset != 0)
      return nullptr;
    found = &factor;
  }
  return found;
}

/// Cuts the digits of `axis` to the coordinates [low, low + count); nothing
/// where those are not all values of some digits under one range of another.
static std::optional<DmaSide> restrict(const DmaSide &side, StringRef axis,
                                       int64_t low, int64_t count) {
  DmaSide result = side;
  for (DmaSide::Part &part : result.parts) {
    const Factor *factor = singleAxis(part.mapping);
    if (!factor || factor->base != axis)
      continue;
    int64_t step = factor->stride, all = step * factor->extent;
    if (low % all == 0 && count % all == 0)
      continue;
    int64_t start = low / step % factor->extent, size = 1;
    if (low % step == 0 && count % step == 0)
      size = count / step;
    else if (low / step != (low + count - 1) / step)
      return std::nullopt;
    if (start + size > factor->extent)
      return std::nullopt;
    std::string text =
        ("[" + part.mapping.str() + "] @ " + Twine(start) + " = " + Twine(size))
            .str();
    llvm::Expected<Mapping> view = Mapping::parse(text, part.mapping.axes());
    if (!view) {
      llvm::consumeError(view.takeError());
      return std::nullopt;
    }
    result.base += start * part.stride;
    part.mapping = *view;
  }
  return result;
}

/// The most pieces that one operation is cut into.
static constexpr size_t kMaxPieces = 64;

static llvm::Expected<std::vector<DmaLoops>>
walk(const DmaSide &source, const DmaSide &destination,
     std::set<std::string> &cutAxes) {
  auto pair = derivePair(source.map(), destination.map());
  if (pair)
    return std::vector<DmaLoops>{toLoops(*pair, source, destination)};
  std::string reason = llvm::toString(pair.takeError());

  // Strides at which either side begins a digit, by axis.
  std::map<std::string, std::set<int64_t>> strides;
  std::map<std::string, int64_t> sizes;
  for (const DmaSide *side : {&source, &destination})
    for (const DmaSide::Part &part : side->parts)
      if (const Factor *factor = singleAxis(part.mapping)) {
        strides[factor->base].insert(factor->stride);
        sizes[factor->base] = factor->baseSize;
      }
  for (const auto &[axis, steps] : strides) {
    if (cutAxes.count(axis))
      continue;
    cutAxes.insert(axis);
    std::vector<DmaLoops> pieces;
    bool fits = true;
    int64_t low = 0, end = sizes[axis];
    for (int64_t step : llvm::reverse(steps)) {
      int64_t count = (end - low) / step;
      if (count == 0 || !fits)
        continue;
      auto from = restrict(source, axis, low, count * step);
      auto to = restrict(destination, axis, low, count * step);
      low += count * step;
      fits = from && to;
      if (!fits)
        break;
      auto inner = walk(*from, *to, cutAxes);
      if (!inner) {
        llvm::consumeError(inner.takeError());
        fits = false;
        break;
      }
      llvm::append_range(pieces, *inner);
    }
    cutAxes.erase(axis);
    if (fits && low == end && pieces.size() > 1 && pieces.size() <= kMaxPieces)
      return pieces;
  }
  return llvm::createStringError(reason);
}

/// Appends the digits of `placed` that hold data to `parts`, each as a part of
/// its own, one position of its mapping `unit` elements. A bracket that is
/// walked whole, one step of it per position, is its own digits: `[A, [B, 1 #
/// 48] # 384] # 1728` has data at A and at B. False if a digit is not one of an
/// axis from its beginning.
static bool appendDigits(const PlacedFactor &placed, int64_t unit,
                         const AxisSizes &axes,
                         llvm::SmallVectorImpl<DmaSide::Part> &parts) {
  const Factor &factor = placed.factor;
  if (factor.isPaddingOnly())
    return true;
  if (factor.first != 0)
    return false;
  if (factor.kind == Factor::Kind::Composite) {
    const CompositeBase &inner = *factor.composite;
    if (factor.stride != 1 || factor.offset != 0 || factor.valid != inner.size)
      return false;
    int64_t stride = placed.positionStride * inner.size;
    return llvm::all_of(inner.factors, [&](const Factor &digit) {
      stride /= digit.extent;
      return appendDigits({digit, stride}, unit, axes, parts);
    });
  }
  if (factor.kind != Factor::Kind::Axis)
    return false;
  std::string text =
      ("[" + str(ArrayRef(factor)) + "] = " + Twine(factor.valid)).str();
  auto digit = Mapping::parse(text, axes);
  if (!digit) {
    llvm::consumeError(digit.takeError());
    return false;
  }
  parts.push_back({*digit, unit * placed.positionStride});
  return true;
}

/// The digits of `part` that hold data, as parts of their own; nothing where
/// appendDigits fails.
static std::optional<llvm::SmallVector<DmaSide::Part, 4>>
digitsOf(const DmaSide::Part &part) {
  auto factors = part.mapping.placedFactors();
  if (!factors) {
    llvm::consumeError(factors.takeError());
    return std::nullopt;
  }
  llvm::SmallVector<DmaSide::Part, 4> digits;
  for (const PlacedFactor &placed : *factors)
    if (!appendDigits(placed, part.stride, part.mapping.axes(), digits))
      return std::nullopt;
  return digits;
}

/// Whether some digit is padded with zeros, which are data to write.
static bool holdsZeros(ArrayRef<Factor> factors) {
  return llvm::any_of(factors, [](const Factor &factor) {
    return (factor.isPadded() && !factor.isPaddingOnly() &&
            factor.padding == PaddingKind::Zero) ||
           (factor.kind == Factor::Kind::Composite &&
            holdsZeros(factor.composite->factors));
  });
}

/// The data of a side, every digit a part of its own; nothing if there is
/// padding below data, or zeros.
static std::optional<DmaSide> withoutPadding(const DmaSide &side) {
  DmaSide result = side;
  result.parts.clear();
  for (const DmaSide::Part &part : side.parts) {
    auto digits = digitsOf(part);
    if (!digits || holdsZeros(part.mapping.factors()))
      return std::nullopt;
    llvm::append_range(result.parts, *digits);
  }
  return result;
}

llvm::Expected<std::vector<DmaLoops>>
derivation::walkPair(const DmaSide &source, const DmaSide &destination) {
  // Zeros that both sides have are moved like data.
  DmaSide from = source, to = destination;
  for (DmaSide::Part &part : to.parts) {
    std::optional<int64_t> zeros = zeroPaddingOf(part.mapping);
    auto *same = llvm::find_if(from.parts, [&](const DmaSide::Part &other) {
      return zeros && zeroPaddingOf(other.mapping) == zeros;
    });
    if (same == from.parts.end())
      continue;
    same->mapping = zerosAsData(same->mapping);
    part.mapping = zerosAsData(part.mapping);
  }
  std::set<std::string> cutAxes;
  auto loops = walk(from, to, cutAxes);
  if (loops || destination.memory == config::Memory::Dm)
    return loops;
  // Padding is not written, so the source need not have any.
  std::optional<DmaSide> data = withoutPadding(destination);
  if (!data)
    return loops;
  auto unpadded = walk(source, *data, cutAxes);
  if (!unpadded) {
    llvm::consumeError(unpadded.takeError());
    return loops;
  }
  llvm::consumeError(loops.takeError());
  return unpadded;
}

//===----------------------------------------------------------------------===//
// Common refinement
//===----------------------------------------------------------------------===//

/// Joins two walks of one thing: `first.destination` and `second.destination`
/// are strides of the same positions. combine(loop, other) takes what it wants
/// of the other.
template <class Combine>
static llvm::Expected<DmaLoops> refine(DmaLoops first, DmaLoops second,
                                       Combine &&combine) {
  llvm::SmallVector<DmaLoops::Loop, 8> result; // innermost first
  auto &a = first.loops;
  auto &b = second.loops;
  auto cut = [](llvm::SmallVectorImpl<DmaLoops::Loop> &loops, int64_t size) {
    DmaLoops::Loop inner = loops.back(), &outer = loops.back();
    inner.size = size;
    outer.size /= size;
    outer.source *= size;
    outer.destination *= size;
    if (outer.size == 1)
      loops.pop_back();
    return inner;
  };
  while (!a.empty() && !b.empty()) {
    int64_t size = std::min(a.back().size, b.back().size);
    if (a.back().destination != b.back().destination ||
        a.back().size % size != 0 || b.back().size % size != 0)
      break;
    DmaLoops::Loop inner = cut(a, size);
    combine(inner, cut(b, size));
    result.push_back(inner);
  }
  if (!a.empty() || !b.empty())
    return llvm::createStringError(
        "the loops over the two sides have no common refinement");
  std::reverse(result.begin(), result.end());
  first.loops = std::move(result);
  return first;
}

llvm::Expected<DmaLoops> derivation::walkStream(const DmaSide &source,
                                                const DmaSide &destination,
                                                const AddressMap &stream) {
  auto read = derivePair(source.map(), stream);
  if (!read)
    return read.takeError();
  auto write = derivePair(destination.map(), stream);
  if (!write)
    return write.takeError();
  DmaSide none;
  auto refined =
      refine(toLoops(*read, source, none), toLoops(*write, destination, none),
             [](DmaLoops::Loop &loop, const DmaLoops::Loop &other) {
               loop.stream = loop.destination;
               loop.destination = other.source;
             });
  if (!refined)
    return refined.takeError();
  refined->streamBase = refined->destinationBase;
  refined->destinationBase = write->sourceBase + destination.base;
  return refined;
}

llvm::Expected<DmaLoops> derivation::walkIndexed(const DmaSide &indexed,
                                                 const DmaSide &direct,
                                                 const DmaSide &indices,
                                                 StringRef axis) {
  // The axis has to be one digit: one distance per index. A term that holds
  // more than this digit (rows that were flattened with their padding) is taken
  // apart.
  DmaSide rows = indexed;
  rows.parts.clear();
  int64_t step = 0;
  auto names = [&](const Mapping &mapping) {
    return llvm::any_of(mapping.factors(), [&](const Factor &f) {
      return f.base == axis ||
             (f.composite && StringRef(f.base).contains(axis));
    });
  };
  llvm::SmallVector<DmaSide::Part, 8> digits;
  for (const DmaSide::Part &part : indexed.parts) {
    auto apart = names(part.mapping) ? digitsOf(part) : std::nullopt;
    if (apart)
      llvm::append_range(digits, *apart);
    else
      digits.push_back(part);
  }
  for (const DmaSide::Part &part : digits) {
    if (!names(part.mapping)) {
      rows.parts.push_back(part);
      continue;
    }
    const Factor *factor = singleAxis(part.mapping);
    if (!factor || factor->stride != 1 || factor->valid != factor->baseSize ||
        step != 0)
      return llvm::createStringError(
          "axis " + axis + " is not one term of the indexed tensor '" +
          indexed.map().str() + "'");
    step = part.stride;
  }
  auto data = derivePair(rows.map(), direct.map());
  if (!data)
    return data.takeError();
  auto list = derivePair(indices.map(), direct.map());
  if (!list)
    return list.takeError();
  auto refined =
      refine(toLoops(*data, rows, direct), toLoops(*list, indices, direct),
             [](DmaLoops::Loop &loop, const DmaLoops::Loop &other) {
               loop.index = other.source;
             });
  if (!refined)
    return refined.takeError();
  refined->indexBase = list->sourceBase + indices.base;
  refined->step = step;
  return refined;
}
