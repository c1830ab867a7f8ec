//===- Dsd.cpp - CSL's memory descriptors ---------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Stream/Dsd.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"

using namespace sequin;
using llvm::ArrayRef;
using llvm::StringRef;
using llvm::Twine;

//===----------------------------------------------------------------------===//
// The two kinds of stride
//===----------------------------------------------------------------------===//

/// Turns one kind of stride into the other. The travel that a restart takes
/// back is made of absolute strides, which are the operand in one direction and
/// the result in the other.
static llvm::Expected<DsdStrides> convertStrides(ArrayRef<int64_t> strides,
                                                 ArrayRef<int64_t> extents,
                                                 bool toStored) {
  if (strides.size() != extents.size())
    return llvm::createStringError("the DSD has " + Twine(strides.size()) +
                                   " strides and " + Twine(extents.size()) +
                                   " extents, expected as many of each");
  DsdStrides result;
  // The sum over faster loops of c_f * (n_f - 1); none once it has overflowed.
  std::optional<int64_t> travel = 0;
  for (auto [d, stride] : llvm::enumerate(strides)) {
    std::optional<int64_t> other;
    if (travel)
      other = toStored ? llvm::checkedSub(stride, *travel)
                       : llvm::checkedAdd(stride, *travel);
    if (!other)
      return llvm::createStringError("stride " + Twine(d) +
                                     " of the DSD does not fit in 64 bits");
    result.push_back(*other);
    auto steps = llvm::checkedSub<int64_t>(extents[d], 1);
    if (steps)
      steps = llvm::checkedMul(toStored ? stride : *other, *steps);
    travel = steps ? llvm::checkedAdd(*travel, *steps) : std::nullopt;
  }
  return result;
}

llvm::Expected<DsdStrides> sequin::carryAdjusted(ArrayRef<int64_t> absolute,
                                                 ArrayRef<int64_t> extents) {
  return convertStrides(absolute, extents, /*toStored=*/true);
}

llvm::Expected<DsdStrides> sequin::absoluteStrides(ArrayRef<int64_t> stored,
                                                   ArrayRef<int64_t> extents) {
  return convertStrides(stored, extents, /*toStored=*/false);
}

//===----------------------------------------------------------------------===//
// Memory DSDs
//===----------------------------------------------------------------------===//

StringRef sequin::getName(DsdKind kind) {
  return kind == DsdKind::Mem1d ? "mem1d" : "mem4d";
}

std::optional<DsdKind> sequin::parseDsdKind(StringRef name) {
  for (DsdKind kind : {DsdKind::Mem1d, DsdKind::Mem4d})
    if (getName(kind) == name)
      return kind;
  return std::nullopt;
}

llvm::Expected<MemDsd> MemDsd::fromTuples(DsdKind kind, int64_t offset,
                                          ArrayRef<int64_t> strides,
                                          ArrayRef<int64_t> extents) {
  if (extents.empty())
    return llvm::createStringError("the extent of a " + getName(kind) +
                                   "_dsd is empty, expected at least 1 entry");
  if (!strides.empty() && strides.size() != extents.size())
    return llvm::createStringError("the " + getName(kind) + "_dsd has " +
                                   Twine(strides.size()) + " strides and " +
                                   Twine(extents.size()) +
                                   " extents, expected as many of each");
  MemDsd dsd;
  dsd.kind = kind;
  dsd.offset = offset;
  for (size_t d = 0; d < extents.size(); ++d)
    dsd.dimensions.push_back({.extent = extents[extents.size() - 1 - d],
                              .stride = strides.empty() ? 1 : strides[d]});
  return dsd;
}

std::optional<int64_t> MemDsd::visitCount() const {
  std::optional<int64_t> count = dimensions.empty() ? 0 : 1;
  for (const DsdDimension &dimension : dimensions) {
    if (dimension.extent <= 0)
      return 0;
    if (count)
      count = llvm::checkedMul(*count, dimension.extent);
  }
  return count;
}

std::vector<int64_t> MemDsd::visits() const {
  std::vector<int64_t> result;
  for (DsdWalk walk(*this); !walk.done(); walk.advance())
    result.push_back(walk.address());
  return result;
}

static DsdStrides extentsOf(const MemDsd &dsd) {
  DsdStrides extents;
  for (const DsdDimension &dimension : dsd.dimensions)
    extents.push_back(dimension.extent);
  return extents;
}

llvm::Expected<DsdStrides> MemDsd::absolute() const {
  DsdStrides stored;
  for (const DsdDimension &dimension : dimensions)
    stored.push_back(dimension.stride);
  return absoluteStrides(stored, extentsOf(*this));
}

llvm::Expected<std::optional<MemDsd::Range>> MemDsd::range() const {
  if (visitCount() == 0)
    return std::nullopt;
  auto strides = absolute();
  if (!strides)
    return strides.takeError();
  Range range{offset, offset};
  for (auto [dimension, stride] : llvm::zip_equal(dimensions, *strides)) {
    auto travel = llvm::checkedMul(stride, dimension.extent - 1);
    int64_t &end = stride < 0 ? range.lowest : range.highest;
    auto moved = travel ? llvm::checkedAdd(end, *travel) : std::nullopt;
    if (!moved)
      return llvm::createStringError("an address of the " + getName(kind) +
                                     "_dsd does not fit in 64 bits");
    end = *moved;
  }
  return range;
}

llvm::Expected<MemDsd> MemDsd::movedBy(int64_t elements) const {
  auto moved = llvm::checkedAdd(offset, elements);
  if (!moved)
    return llvm::createStringError("the offset of the " + getName(kind) +
                                   "_dsd does not fit in 64 bits");
  MemDsd result = *this;
  result.offset = *moved;
  return result;
}

std::string MemDsd::str() const {
  std::string strides, extents;
  for (const DsdDimension &dimension : dimensions) {
    if (!strides.empty()) {
      strides += ", ";
      extents.insert(0, ", ");
    }
    strides += std::to_string(dimension.stride);
    extents.insert(0, std::to_string(dimension.extent));
  }
  return ".{.offset = " + std::to_string(offset) + ", .stride = .{" + strides +
         "}, .extent = .{" + extents + "}}";
}

DsdWalk::DsdWalk(const MemDsd &dsd)
    : current(static_cast<uint64_t>(dsd.offset)),
      finished(dsd.visitCount() == 0) {
  for (const DsdDimension &dimension : dsd.dimensions)
    loops.push_back(
        {dimension.extent, 0, static_cast<uint64_t>(dimension.stride)});
}

void DsdWalk::advance() {
  for (Loop &loop : loops) {
    if (loop.index + 1 < loop.extent) {
      ++loop.index;
      current += loop.stride;
      return;
    }
    loop.index = 0;
  }
  finished = true;
}

//===----------------------------------------------------------------------===//
// Limits
//===----------------------------------------------------------------------===//

namespace {

struct Interval {
  int64_t lowest, highest;
  bool contains(int64_t value) const {
    return lowest <= value && value <= highest;
  }
};

Interval signedInterval(unsigned bits) {
  return {llvm::minIntN(bits), llvm::maxIntN(bits)};
}
Interval unsignedInterval(unsigned bits) {
  return {0, static_cast<int64_t>(llvm::maxUIntN(bits))};
}

Interval strideInterval(DsdKind kind, const DsdLimits &limits) {
  return signedInterval(kind == DsdKind::Mem1d ? limits.mem1dStrideBits
                                               : limits.mem4dStrideBits);
}

} // namespace

std::optional<DsdViolation> sequin::check(const MemDsd &dsd,
                                          const DsdLimits &limits) {
  using Rule = DsdViolation::Rule;
  std::string owner = "the " + getName(dsd.kind).str() + "_dsd";
  int64_t count = static_cast<int64_t>(dsd.dimensions.size());
  Interval counts{1, dsd.kind == DsdKind::Mem1d
                         ? 1
                         : static_cast<int64_t>(limits.mem4dDimensions)};
  if (!counts.contains(count))
    return DsdViolation{Rule::Dimensions,
                        0,
                        "number of dimensions of " + owner,
                        count,
                        counts.lowest,
                        counts.highest};
  Interval offsets = signedInterval(limits.offsetBits);
  if (!offsets.contains(dsd.offset))
    return DsdViolation{Rule::Offset,         0,
                        "offset of " + owner, dsd.offset,
                        offsets.lowest,       offsets.highest};
  Interval extents = unsignedInterval(limits.extentBits);
  Interval strides = strideInterval(dsd.kind, limits);
  for (auto [d, dimension] : llvm::enumerate(dsd.dimensions)) {
    auto violation = [&](Rule rule, const char *field, int64_t found,
                         Interval allowed) {
      std::string subject = field;
      // The manual counts strides from the innermost dimension.
      if (dsd.kind == DsdKind::Mem4d)
        subject += " " + std::to_string(d);
      if (!dimension.variable.empty())
        subject += " (variable '" + dimension.variable + "')";
      return DsdViolation{
          rule,  static_cast<unsigned>(d), subject + " of " + owner,
          found, allowed.lowest,           allowed.highest};
    };
    if (!extents.contains(dimension.extent))
      return violation(Rule::Extent, "extent", dimension.extent, extents);
    if (!strides.contains(dimension.stride))
      return violation(Rule::Stride, "stride", dimension.stride, strides);
  }
  return std::nullopt;
}

std::string sequin::describe(const DsdViolation &violation, StringRef machine) {
  std::string text = violation.subject + " is " +
                     std::to_string(violation.found) + ", " + machine.str() +
                     " allows ";
  if (violation.lowest == violation.highest)
    return text + std::to_string(violation.lowest);
  return text + std::to_string(violation.lowest) + " to " +
         std::to_string(violation.highest);
}

MemDsd sequin::simplify(const MemDsd &dsd, const DsdLimits &limits) {
  MemDsd result;
  result.offset = dsd.offset;
  Interval extents = unsignedInterval(limits.extentBits);
  if (dsd.visitCount() == 0) {
    result.dimensions.push_back({.extent = 0});
    return result;
  }
  for (const DsdDimension &dimension : dsd.dimensions) {
    if (dimension.extent == 1)
      continue;
    if (!result.dimensions.empty()) {
      DsdDimension &inner = result.dimensions.back();
      auto merged = llvm::checkedMul(inner.extent, dimension.extent);
      if (inner.stride == dimension.stride && merged &&
          extents.contains(*merged)) {
        inner.extent = *merged;
        if (!dimension.variable.empty())
          inner.variable = dimension.variable +
                           (inner.variable.empty() ? "" : ",") + inner.variable;
        continue;
      }
    }
    result.dimensions.push_back(dimension);
  }
  if (result.dimensions.empty())
    result.dimensions.push_back({});
  if (result.dimensions.size() > 1 ||
      !strideInterval(DsdKind::Mem1d, limits)
           .contains(result.dimensions.front().stride))
    result.kind = DsdKind::Mem4d;
  return result;
}

//===----------------------------------------------------------------------===//
// Circular buffers
//===----------------------------------------------------------------------===//

llvm::Expected<CircularDsd>
CircularDsd::make(int64_t extent, std::optional<int64_t> wraparound,
                  std::optional<int64_t> tensorElements) {
  if (!wraparound && !tensorElements)
    return llvm::createStringError(
        "the circbuf_dsd has no wraparound, expected one because its base "
        "address is a pointer to a scalar");
  CircularDsd dsd{extent, wraparound ? *wraparound : *tensorElements};
  // A ring of no elements has none to visit; the manual is silent.
  if (dsd.wraparound < 1)
    return llvm::createStringError("wraparound of the circbuf_dsd is " +
                                   Twine(dsd.wraparound) +
                                   ", expected at least 1");
  if (tensorElements && dsd.wraparound > *tensorElements)
    return llvm::createStringError("wraparound of the circbuf_dsd is " +
                                   Twine(dsd.wraparound) +
                                   ", the tensor allows at most its " +
                                   Twine(*tensorElements) + " elements");
  if (extent < 0)
    return llvm::createStringError("extent of the circbuf_dsd is " +
                                   Twine(extent) + ", expected at least 0");
  return dsd;
}

std::vector<int64_t> CircularDsd::visits(int64_t head) const {
  std::vector<int64_t> result;
  for (int64_t visited = 0; visited < extent; ++visited) {
    result.push_back(head);
    head = head + 1 < wraparound ? head + 1 : 0;
  }
  return result;
}

int64_t CircularDsd::headAfter(int64_t head) const {
  // Both are below the wraparound, so that the sum wraps at most once.
  int64_t advance = extent % wraparound;
  return head < wraparound - advance ? head + advance
                                     : head - (wraparound - advance);
}

std::optional<DsdViolation> sequin::check(const CircularDsd &dsd,
                                          const DsdLimits &limits) {
  using Rule = DsdViolation::Rule;
  Interval extents = unsignedInterval(limits.extentBits);
  if (!extents.contains(dsd.extent))
    return DsdViolation{Rule::Extent,
                        0,
                        "extent of the circbuf_dsd",
                        dsd.extent,
                        extents.lowest,
                        extents.highest};
  Interval wraparounds = unsignedInterval(limits.wraparoundBits);
  wraparounds.lowest = 1;
  if (!wraparounds.contains(dsd.wraparound))
    return DsdViolation{Rule::Wraparound,
                        0,
                        "wraparound of the circbuf_dsd",
                        dsd.wraparound,
                        wraparounds.lowest,
                        wraparounds.highest};
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

void sequin::writeDsd(llvm::raw_ostream &os, const MemDsd &dsd,
                      bool withVisits) {
  llvm::json::OStream json(os);
  json.object([&] {
    json.attribute("kind", getName(dsd.kind));
    json.attribute("offset", dsd.offset);
    json.attributeArray("stride", [&] {
      for (const DsdDimension &dimension : dsd.dimensions)
        json.value(dimension.stride);
    });
    json.attributeArray("extent", [&] {
      for (const DsdDimension &dimension : dsd.dimensions)
        json.value(dimension.extent);
    });
    if (withVisits)
      json.attributeArray("visits", [&] {
        for (DsdWalk walk(dsd); !walk.done(); walk.advance())
          json.value(walk.address());
      });
  });
  os << '\n';
}
