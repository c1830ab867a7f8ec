//===- Overlap.cpp - Axes that mappings walk twice ------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Stream/Overlap.h"
#include "Saturating.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/Twine.h"

using namespace sequin;
using llvm::ArrayRef;
using llvm::StringRef;
using llvm::Twine;

namespace {

/// A part and the dimension that holds it.
struct HeldPart {
  const Factor *factor;
  const NamedMapping *dimension;
  size_t order; ///< in which it was met
};

class Collector {
public:
  /// By base, in the order in which they are met.
  llvm::MapVector<StringRef, llvm::SmallVector<HeldPart, 4>> parts;

  void collect(ArrayRef<Factor> factors, const NamedMapping &dimension) {
    for (const Factor &f : factors) {
      if (f.kind == Factor::Kind::Broadcast)
        continue;
      auto &ofBase = parts[f.base];
      if (f.valid > 1)
        ofBase.push_back({&f, &dimension, ofBase.size()});
      // What a group is made of is walked once, by all of its parts.
      if (!f.composite || !groups.insert(f.base).second)
        continue;
      collect(f.composite->factors, dimension);
      for (const CompositeBase::SlidingTerm &term : f.composite->sliding)
        collect(term.factors, dimension);
    }
  }

private:
  llvm::StringSet<> groups;
};

} // namespace

/// An error if parts of one base meet.
static llvm::Error check(Collector &collector) {
  for (auto &[base, parts] : collector.parts) {
    llvm::sort(parts, [](const HeldPart &a, const HeldPart &b) {
      return std::pair(a.factor->stride, a.order) <
             std::pair(b.factor->stride, b.order);
    });
    int64_t reach = 0;
    for (auto [index, part] : llvm::enumerate(parts)) {
      const Factor &f = *part.factor;
      if (index != 0 && f.stride <= reach) {
        const HeldPart &before = parts[index - 1];
        auto show = [](const HeldPart &part) {
          return "'" + part.factor->str() + "' of " +
                 part.dimension->name.str() + " '" +
                 part.dimension->mapping.str() + "'";
        };
        bool isAxis = f.kind == Factor::Kind::Axis;
        return llvm::createStringError(
            (isAxis ? "axis '" : "group '") + base +
            "' is walked twice: " + show(before) + " and " + show(part) +
            " hold the same indices of it; each part of an axis has one place "
            "in all dimensions together, as in '" +
            base + " / n' and '" + base + " % n'");
      }
      reach = saturatingAdd(reach, saturatingMul(f.valid - 1, f.stride));
    }
  }
  return llvm::Error::success();
}

llvm::Error sequin::checkOverlap(ArrayRef<NamedMapping> dimensions) {
  Collector alone;
  for (const NamedMapping &dimension : dimensions)
    alone.collect(dimension.mapping.factors(), dimension);
  llvm::Error found = check(alone);
  if (!found)
    return found;
  // A group of which a dimension holds all is no group there, though another
  // one may have a part of it: as parts of the whole both are the group's.
  Mapping whole;
  for (const NamedMapping &dimension : dimensions) {
    auto pair = Mapping::pair(whole, dimension.mapping);
    if (!pair) {
      llvm::consumeError(pair.takeError());
      return found;
    }
    whole = std::move(*pair);
  }
  llvm::consumeError(std::move(found));
  Collector together;
  ArrayRef<Mapping::Term> terms = whole.terms().drop_front(); // the identity
  for (const NamedMapping &dimension : dimensions) {
    size_t count = dimension.mapping.terms().size();
    for (const Mapping::Term &term : terms.take_front(count))
      together.collect(term.factors, dimension);
    terms = terms.drop_front(count);
  }
  return check(together);
}
