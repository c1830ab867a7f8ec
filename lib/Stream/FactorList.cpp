//===- FactorList.cpp - Operators of mappings on normal forms -------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FactorList.h"

#include "MappingImpl.h"
#include "MappingSliding.h"
#include "MappingWalk.h"
#include "Saturating.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/CheckedArithmetic.h"
#include <map>
#include <numeric>

using namespace sequin;
using namespace sequin::factors;
using llvm::ArrayRef;
using llvm::StringRef;
using llvm::Twine;

namespace {

bool isSimple(const Factor &f) { return f.first == 0 && f.offset == 0; }

Factor broadcast(int64_t extent, int64_t first, int64_t valid,
                 PaddingKind kind) {
  Factor f;
  f.kind = Factor::Kind::Broadcast;
  f.extent = extent;
  f.first = first;
  f.valid = valid;
  f.padding = kind;
  return f;
}

/// Brings the redundant fields of one factor to the values that equal factors
/// share.
void canonicalize(Factor &f) {
  if (f.kind != Factor::Kind::Broadcast) {
    // Data ends where the base does.
    int64_t room = f.baseSize - f.offset;
    int64_t bound = room <= 0      ? 0
                    : f.stride > 0 ? ceilDiv(room, f.stride)
                                   : f.valid;
    f.valid = std::min(f.valid, bound);
  }
  f.valid = std::max<int64_t>(0, std::min(f.valid, f.extent - f.first));
  if (f.valid == 0) {
    f = broadcast(f.extent, 0, 0, f.padding);
  } else if (f.valid == 1 && startsAtZero(f)) {
    // Only index 0 is ever held. Below low padding the base keeps its name:
    // splitting makes a composite, and two of them must not look the same.
    f = broadcast(f.extent, 0, 1, f.padding);
  } else if (f.valid == 1) {
    f.stride = 1;
  }
  if (f.kind == Factor::Kind::Broadcast)
    f.stride = 0;
  if (!f.isPadded())
    f.padding = PaddingKind::DontCare;
}

/// The text of `list` as the base that it is to be.
std::string nameOf(ArrayRef<Factor> list, StringRef axes) {
  std::string text = str(list);
  bool none = llvm::all_of(
      list, [](const Factor &f) { return f.kind == Factor::Kind::Broadcast; });
  return none && !axes.empty() ? axes.str() + ", " + text : text;
}

/// Makes the whole of `list` the base of one factor. Padding at the high end of
/// the outermost factor stays outside the base, where it is easier to split.
Factor makeComposite(FactorList list, StringRef axes) {
  normalize(list);
  int64_t size = sizeOf(list);
  Factor f;
  f.kind = Factor::Kind::Composite;
  f.stride = 1;
  f.extent = size;
  auto outer =
      llvm::find_if(list, [](const Factor &g) { return g.extent > 1; });
  if (outer != list.end() && outer->first == 0 && outer->valid > 0 &&
      outer->valid < outer->extent) {
    f.padding = outer->padding;
    size = size / outer->extent * outer->valid;
    outer->extent = outer->valid;
    outer->padding = PaddingKind::DontCare;
    normalize(list);
  }
  auto base = std::make_shared<CompositeBase>();
  base->factors.append(list.begin(), list.end());
  base->size = size;
  base->depth = depthOf(list) + 1;
  base->startsAtZero = llvm::all_of(list, startsAtZero);
  f.base = "[" + nameOf(list, axes) + "]";
  f.baseSize = f.valid = size;
  f.composite = std::move(base);
  return f;
}

/// Whether `f` is a part of the base of `part`, or has a part in what that base
/// is made of. Bases that were `seen` have none.
bool walksBaseOf(const Factor &f, const Factor &part,
                 llvm::SmallPtrSetImpl<const CompositeBase *> &seen) {
  if (f.kind == part.kind && f.base == part.base)
    return true;
  if (!f.composite || !seen.insert(f.composite.get()).second)
    return false;
  auto walks = [&](const Factor &inner) {
    return walksBaseOf(inner, part, seen);
  };
  return llvm::any_of(f.composite->factors, walks) ||
         llvm::any_of(f.composite->sliding,
                      [&](const CompositeBase::SlidingTerm &term) {
                        return llvm::any_of(term.factors, walks);
                      });
}

/// Whether `list[index]` is the only factor of its base, inside other bases
/// too.
bool isSole(const FactorList &list, size_t index) {
  llvm::SmallPtrSet<const CompositeBase *, 8> seen;
  for (size_t i = 0; i < list.size(); ++i)
    if (i != index && walksBaseOf(list[i], list[index], seen))
      return false;
  return true;
}

/// Joins f (outer) and g (inner) into `joint` if they are one digit.
bool tryJoin(const Factor &f, const Factor &g, Factor &joint) {
  if (f.extent == 1 || g.extent == 1)
    return false; // constants are folded elsewhere
  auto extent = llvm::checkedMul(f.extent, g.extent);
  if (!extent)
    return false;
  if (f.isPadded() && g.isPadded() && f.padding != g.padding)
    return false;
  PaddingKind padding = f.isPadded() ? f.padding : g.padding;

  // Padding around a digit is padding of that digit.
  if (f.kind == Factor::Kind::Broadcast && f.valid == 1 && f.first == 0) {
    joint = g;
    joint.extent = *extent;
    joint.padding = padding;
    canonicalize(joint);
    return true;
  }
  if (f.kind != g.kind || f.base != g.base || !isSimple(g))
    return false;
  if (f.kind != Factor::Kind::Broadcast &&
      llvm::checkedMul(g.extent, g.stride) != f.stride)
    return false;

  joint = f;
  joint.stride = g.stride;
  joint.extent = *extent;
  joint.padding = padding;
  if (g.valid == g.extent) {
    joint.valid = f.valid * g.extent;
    joint.first = f.first * g.extent;
  } else if (isSimple(f) && isLimitedByBase(g)) {
    joint.valid = g.valid;
    joint.first = 0;
  } else {
    return false;
  }
  canonicalize(joint);
  return true;
}

/// Drops factors of one position that carry nothing and moves the offsets of
/// those that do to another factor of the same base.
void foldConstants(FactorList &list) {
  for (size_t i = 0; i < list.size();) {
    Factor &f = list[i];
    if (f.extent != 1 || f.valid == 0) {
      ++i;
      continue;
    }
    if (!startsAtZero(f)) {
      bool folded = false;
      for (size_t j = 0; j < list.size() && !folded; ++j) {
        Factor &g = list[j];
        if (j == i || g.kind != f.kind || g.base != f.base)
          continue;
        // The base may end earlier for g now.
        g.offset = saturatingAdd(g.offset, f.offset);
        canonicalize(g);
        folded = true;
      }
      if (!folded) {
        ++i;
        continue;
      }
    }
    list.erase(list.begin() + i);
  }
}

} // namespace

/// Digit 0 of `f` says nothing then. That a skewed axis is walked says
/// something wherever it is walked.
bool factors::startsAtZero(const Factor &f) {
  return isSimple(f) && f.valid > 0 && !f.skewed &&
         (!f.composite || f.composite->startsAtZero);
}

bool factors::isLimitedByBase(const Factor &f) {
  if (f.kind == Factor::Kind::Broadcast)
    return false;
  return saturatingMul(f.valid, f.stride) >= f.baseSize - f.offset;
}

bool factors::canSplit(const Factor &f, int64_t n) {
  if (f.kind == Factor::Kind::Broadcast && f.valid == 1)
    return true; // one position has one quotient and one remainder
  return isSimple(f) && (f.valid == f.extent || f.valid % n == 0 ||
                         f.valid <= n || isLimitedByBase(f));
}

bool factors::canShift(const Factor &f, int64_t step) {
  return f.first % step == 0 && (f.valid % step == 0 || isLimitedByBase(f));
}

Factor factors::splitFactor(Factor &f, int64_t n) {
  Factor inner = f;
  inner.extent = n;
  inner.first = f.first % n; // not 0 for a single position only
  inner.valid = std::min(f.valid, n);
  f.extent /= n;
  f.first /= n;
  f.valid = ceilDiv(f.valid, n);
  if (f.kind != Factor::Kind::Broadcast)
    f.stride = saturatingMul(f.stride, n);
  canonicalize(inner);
  // Where the remainder holds all the data, the quotient only pads it.
  if (f.valid == 1 && startsAtZero(f))
    f = broadcast(f.extent, 0, 1, f.padding);
  canonicalize(f);
  return inner;
}

int64_t factors::sizeOf(ArrayRef<Factor> list) {
  int64_t size = 1;
  for (const Factor &f : list)
    size *= f.extent;
  return size;
}

unsigned factors::depthOf(ArrayRef<Factor> list) {
  unsigned depth = 0;
  for (const Factor &f : list)
    if (f.composite)
      depth = std::max(depth, f.composite->depth);
  return depth;
}

FactorList factors::splitOff(FactorList &list, int64_t n, StringRef axes) {
  normalize(list);
  if (!llvm::all_of(list, startsAtZero)) {
    // Both parts hold what position 0 holds (an offset, padding), and together
    // they hold it once: they stay parts of one base.
    bool single = list.size() == 1 && isSimple(list[0]) && list[0].valid > 0 &&
                  canSplit(list[0], n);
    if (!single)
      list.assign(1, makeComposite(std::move(list), axes));
    FactorList inner{splitFactor(list[0], n)};
    normalize(list);
    normalize(inner);
    return inner;
  }
  FactorList inner; // reversed while it is collected
  while (n > 1) {
    Factor &f = list.back();
    if (n % f.extent == 0) {
      n /= f.extent;
      inner.push_back(std::move(f));
      list.pop_back();
      continue;
    }
    int64_t common = std::gcd(f.extent, n);
    if (common > 1 && canSplit(f, common)) {
      inner.push_back(splitFactor(f, common));
      n /= common;
      continue;
    }
    // The boundary lies inside a group of factors that only its linear index
    // can express.
    FactorList group;
    int64_t size = 1;
    do {
      size *= list.back().extent;
      group.insert(group.begin(), list.pop_back_val());
    } while (size % n != 0);
    list.push_back(makeComposite(std::move(group), axes));
    inner.push_back(splitFactor(list.back(), n));
    n = 1;
  }
  std::reverse(inner.begin(), inner.end());
  normalize(list);
  normalize(inner);
  return inner;
}

void factors::lookup(FactorList &list, StringRef name,
                     std::shared_ptr<const std::vector<int64_t>> table,
                     StringRef axes) {
  normalize(list);
  auto base = std::make_shared<CompositeBase>();
  base->factors.append(list.begin(), list.end());
  base->size = static_cast<int64_t>(table->size());
  base->depth = depthOf(list) + 1;
  base->startsAtZero = table->front() == 0 && llvm::all_of(list, startsAtZero);
  base->table = std::move(table);
  Factor f;
  f.kind = Factor::Kind::Lookup;
  std::string inner = nameOf(list, axes);
  if (list.size() > 1 || inner != str(list))
    inner = "[" + inner + "]";
  f.base = "[" + inner + " ? " + name.str() + "]";
  f.stride = 1;
  f.baseSize = f.extent = f.valid = base->size;
  f.composite = std::move(base);
  list.assign(1, std::move(f));
}

/// Adds the largest coordinate that `f` contributes.
static int64_t addMost(int64_t &most, const Factor &f) {
  most = saturatingAdd(most, f.offset);
  most = saturatingAdd(most, saturatingMul(f.valid - 1, f.stride));
  return most;
}

static llvm::Error tooMuch() {
  return llvm::createStringError("finding the indices of its positions takes "
                                 "too many steps");
}

/// The positions of `term` that hold data. That is asked of the term alone: a
/// group that it shares with others is refused once the whole mapping is known.
static llvm::Expected<SlidingSearch::Term>
dataOf(CompositeBase::SlidingTerm term, const AxisSizes &axes,
       SlidingBudget &budget) {
  FactorList complete(term.factors.begin(), term.factors.end());
  normalize(complete, /*complete=*/true);
  term.factors.assign(complete.begin(), complete.end());
  SlidingSearch::Term result;
  result.stride = term.stride;
  result.high = term.size - 1;
  // Parts that are dense, except for the outermost, have one interval of data.
  std::map<StringRef, int64_t> most;
  bool interval = true;
  for (const auto &[i, f] : llvm::enumerate(term.factors)) {
    interval &= !f.composite && (i == 0 || !f.isPadded()) && f.valid > 0;
    if (f.kind != Factor::Kind::Broadcast)
      interval &= addMost(most[f.base], f) < f.baseSize;
    if (!interval)
      break;
  }
  if (interval) {
    if (!term.factors.empty()) {
      const Factor &f = term.factors.front();
      int64_t inner = term.size / f.extent;
      result.low = f.first * inner;
      result.high = (f.first + f.valid) * inner - 1;
    }
    return result;
  }
  constexpr int64_t maxMask = int64_t(1) << 22;
  if (term.size > maxMask)
    return llvm::createStringError(
        "its term '" + str(term.factors).substr(0, 200) +
        "' has padding or "
        "groups inside and " +
        Twine(term.size) + " positions, more than " + Twine(maxMask));
  if ((budget.positions -= term.size) < 0)
    return tooMuch();
  EvaluationPlan plan = EvaluationPlan::build(term.factors, axes);
  if (llvm::Error error = plan.check(axes))
    return error;
  // With all weights 0, every index is 0, and padding -1.
  llvm::SmallVector<int64_t, 8> weights(axes.axes().size(), 0);
  auto walk = walk::walkDigits({plan, weights}, plan.digits);
  result.mask.resize(term.size);
  MappingWalker::Run run;
  while (walk->next(run))
    for (int64_t i = 0; i < run.count; ++i)
      result.mask[run.position + i] =
          run.table ? run.table[i * run.step] >= 0 : run.linear >= 0;
  return result;
}

llvm::Expected<FactorList>
factors::sliding(std::vector<CompositeBase::SlidingTerm> terms,
                 const AxisSizes &axes, SlidingBudget &budget,
                 StringRef axisNames) {
  // Terms of one position that hold nothing add nothing.
  llvm::erase_if(terms, [](const CompositeBase::SlidingTerm &term) {
    return term.size == 1 && llvm::all_of(term.factors, startsAtZero);
  });
  FactorList all;
  for (const CompositeBase::SlidingTerm &term : terms)
    all.append(term.factors.begin(), term.factors.end());
  bool named = llvm::any_of(
      all, [](const Factor &f) { return f.kind != Factor::Kind::Broadcast; });
  std::string text = "$(";
  auto base = std::make_shared<CompositeBase>();
  bool isPair = true; // each term's stride is the volume of those behind it
  int64_t volume = 1;
  for (const CompositeBase::SlidingTerm &term : llvm::reverse(terms)) {
    isPair &= term.stride == volume;
    volume = saturatingMul(volume, term.size);
  }
  isPair &= volume < std::numeric_limits<int64_t>::max();
  FactorList list;
  if (isPair) {
    for (const CompositeBase::SlidingTerm &term : terms)
      list.append(term.factors.begin(), term.factors.end());
    normalize(list);
    return list;
  }
  for (const CompositeBase::SlidingTerm &term : terms) {
    auto reach = llvm::checkedMulAdd(term.size - 1, term.stride, base->size);
    if (!reach)
      return llvm::createStringError("its size does not fit in 64 bits");
    base->size = *reach;
    base->depth = std::max(base->depth, depthOf(term.factors) + 1);
    base->startsAtZero &= llvm::all_of(term.factors, startsAtZero);
    std::string part = nameOf(term.factors, named ? StringRef() : axisNames);
    bool several = term.factors.size() > 1 || part != str(term.factors);
    if (text.size() > 2)
      text += ", ";
    text +=
        (several ? "[" + part + "]" : part) + ":" + std::to_string(term.stride);
  }
  std::vector<SlidingSearch::Term> data;
  for (const CompositeBase::SlidingTerm &term : terms) {
    auto positions = dataOf(term, axes, budget);
    if (!positions)
      return positions.takeError();
    data.push_back(std::move(*positions));
  }
  auto search = SlidingSearch::build(std::move(data), base->size,
                                     budget.entries, budget.steps);
  if (!search)
    return search.takeError();
  base->search = std::move(*search);
  base->sliding = std::move(terms);
  Factor f;
  f.kind = Factor::Kind::Sliding;
  f.base = text + ")";
  f.stride = 1;
  f.baseSize = f.extent = f.valid = base->size;
  f.composite = std::move(base);
  list.push_back(std::move(f));
  return list;
}

void factors::pad(FactorList &list, int64_t size, int64_t low, PaddingKind kind,
                  StringRef axes) {
  normalize(list);
  int64_t oldSize = sizeOf(list);
  if (size == oldSize)
    return;
  auto outer =
      llvm::find_if(list, [](const Factor &g) { return g.extent > 1; });
  if (outer == list.end()) {
    list.insert(list.begin(), broadcast(size, low, 1, kind));
  } else {
    int64_t inner = oldSize / outer->extent;
    bool sameKind = !outer->isPadded() || outer->padding == kind;
    if (size % inner == 0 && low % inner == 0 && sameKind) {
      outer->extent = size / inner;
      if (outer->valid > 0)
        outer->first += low / inner;
      outer->padding = kind;
    } else {
      Factor whole = makeComposite(std::move(list), axes);
      if (whole.isPadded() && whole.padding != kind) {
        // The two kinds of padding stay apart in two levels.
        FactorList one{whole};
        auto base = std::make_shared<CompositeBase>();
        base->factors.append(one.begin(), one.end());
        base->size = whole.extent;
        base->depth = whole.composite->depth + 1;
        base->startsAtZero = whole.composite->startsAtZero;
        whole.base = "[" + whole.str() + "]";
        whole.baseSize = whole.valid = whole.extent;
        whole.composite = std::move(base);
      }
      whole.extent = size;
      whole.first = low;
      whole.padding = kind;
      list.assign(1, std::move(whole));
    }
  }
  normalize(list);
}

void factors::view(FactorList &list, int64_t from, int64_t size,
                   StringRef axes) {
  normalize(list);
  int64_t oldSize = sizeOf(list);
  // Outer digits that do not change within the view become constants.
  size_t index = 0;
  int64_t inner = oldSize;
  bool rectangular = false;
  for (; index < list.size(); ++index) {
    Factor &f = list[index];
    inner /= f.extent;
    int64_t digit = from / inner;
    int64_t count;
    if (from % inner == 0 && size % inner == 0) {
      count = size / inner;
      rectangular = true;
    } else if (digit == (from + size - 1) / inner) {
      count = 1;
    } else {
      break;
    }
    // Keep digits [digit, digit + count) of f.
    int64_t begin = std::max(f.first, digit);
    int64_t end = std::min(f.first + f.valid, digit + count);
    f.offset += std::max<int64_t>(0, digit - f.first) *
                (f.kind == Factor::Kind::Broadcast ? 0 : f.stride);
    f.first = std::max<int64_t>(0, f.first - digit);
    f.valid = std::max<int64_t>(0, end - begin);
    f.extent = count;
    if (f.valid == 0)
      f.first = f.offset = 0;
    canonicalize(f);
    if (rectangular)
      break;
    from %= inner;
  }
  if (!rectangular && index < list.size()) {
    FactorList rest(list.begin() + index, list.end());
    list.truncate(index);
    Factor whole = makeComposite(std::move(rest), axes);
    whole.offset = from;
    whole.extent = size;
    whole.valid = std::max<int64_t>(0, std::min(size, whole.baseSize - from));
    canonicalize(whole);
    list.push_back(std::move(whole));
  }
  normalize(list);
}

void factors::normalize(FactorList &list, bool complete) {
  bool changed = true;
  while (changed) {
    changed = false;
    for (Factor &f : list)
      canonicalize(f);
    foldConstants(list);
    FactorList joined;
    for (Factor &f : list) {
      joined.push_back(std::move(f));
      Factor joint;
      while (joined.size() > 1 &&
             tryJoin(joined[joined.size() - 2], joined.back(), joint)) {
        joined.pop_back();
        joined.back() = joint;
        changed = true;
      }
    }
    list = std::move(joined);
    for (size_t i = 0; i < list.size(); ++i) {
      Factor &f = list[i];
      if (f.kind != Factor::Kind::Composite || f.stride != 1 || f.offset != 0 ||
          !isSole(list, i))
        continue;
      FactorList whole(f.composite->factors.begin(),
                       f.composite->factors.end());
      // A part of a composite stays one: the other part may stand elsewhere.
      if (f.valid != f.baseSize)
        continue;
      if (!complete && !f.composite->startsAtZero)
        continue;
      if (f.extent != f.baseSize) {
        // The padding may fit the outermost factor of the base.
        auto outer =
            llvm::find_if(whole, [](const Factor &g) { return g.extent > 1; });
        if (outer == whole.end())
          continue;
        int64_t inner = f.baseSize / outer->extent;
        if (f.extent % inner != 0 || f.first % inner != 0)
          continue;
        if (outer->isPadded() && outer->padding != f.padding)
          continue;
        outer->extent = f.extent / inner;
        outer->first += f.first / inner;
        outer->padding = f.padding;
      }
      list.erase(list.begin() + i);
      list.insert(list.begin() + i, whole.begin(), whole.end());
      changed = true;
      break;
    }
  }
}
