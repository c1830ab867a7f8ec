//===- Mapping.cpp - Mapping expressions over named axes ------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Stream/Mapping.h"

#include "FactorList.h"
#include "MappingImpl.h"
#include "Saturating.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/CheckedArithmetic.h"
#include <limits>

using namespace sequin;
using factors::FactorList;
using llvm::ArrayRef;
using llvm::StringRef;
using llvm::Twine;

//===----------------------------------------------------------------------===//
// Factor
//===----------------------------------------------------------------------===//

bool Factor::operator==(const Factor &other) const {
  // The text of a composite determines its factors for one table of axes.
  return kind == other.kind && base == other.base && skewed == other.skewed &&
         baseSize == other.baseSize && stride == other.stride &&
         extent == other.extent && first == other.first &&
         valid == other.valid && offset == other.offset &&
         padding == other.padding;
}

std::string Factor::str() const {
  std::string text;
  if (kind == Kind::Broadcast) {
    if (valid == 0) // padding alone
      return "1 # " + std::to_string(saturatingAdd(extent, 1)) + " @ " +
             std::to_string(extent) + " = " + std::to_string(extent);
    text = std::to_string(valid);
  } else {
    // A composite of one factor needs no brackets, nor does a lookup: operators
    // bind left to right.
    StringRef inner = base;
    auto isAlone = [&] {
      return composite->factors.size() == 1 &&
             inner == "[" + composite->factors.front().str() + "]";
    };
    if (offset == 0 &&
        (kind == Kind::Lookup || (kind == Kind::Composite && isAlone())))
      inner = inner.drop_front().drop_back();
    text = inner.str();
    int64_t size = baseSize;
    // A part of a group that starts elsewhere: `/ 1` keeps the group together
    // where the operator that follows would reach into it.
    if (kind == Kind::Composite && !composite->startsAtZero &&
        (offset != 0 ||
         (stride == 1 && (valid == 0 || size % valid != 0 || valid == size))))
      text += " / 1";
    if (offset != 0) {
      size = std::min(baseSize - offset, saturatingMul(stride, valid));
      text += " @ " + std::to_string(offset) + " = " + std::to_string(size);
    }
    if (stride > 1) {
      if (size % stride != 0) {
        size = saturatingAdd(size, stride - size % stride);
        text += " # " + std::to_string(size);
      }
      text += " / " + std::to_string(stride);
      size /= stride;
    }
    if (valid < size)
      text += (size % valid == 0 ? " % " : " = ") + std::to_string(valid);
  }
  if (isPadded()) {
    text += (padding == PaddingKind::Zero ? " #z " : " # ") +
            std::to_string(extent);
    if (first != 0)
      text += " @ " + std::to_string(first);
  }
  return text;
}

std::string sequin::str(ArrayRef<Factor> factors) {
  if (factors.empty())
    return "1";
  return llvm::join(
      llvm::map_range(factors, [](const Factor &f) { return f.str(); }), ", ");
}

//===----------------------------------------------------------------------===//
// Resolution of expressions
//===----------------------------------------------------------------------===//

namespace {

/// Turns an expression into factors. Recursion follows the brackets, whose
/// depth the parser bounds.
class Resolver {
public:
  explicit Resolver(const AxisSizes &axes) : axes(axes) {}

  llvm::Expected<FactorList> mapping(const MappingExpr &expr) {
    FactorList list;
    int64_t size = 1;
    for (const MappingTerm &term : expr.terms) {
      auto part = this->term(term);
      if (!part)
        return part.takeError();
      auto product = llvm::checkedMul(size, factors::sizeOf(*part));
      if (!product)
        return llvm::createStringError(
            "the size of '" + expr.str() + "' does not fit in 64 bits (" +
            Twine(size) + " positions times " + Twine(factors::sizeOf(*part)) +
            " of '" + term.str() + "')");
      size = *product;
      list.append(part->begin(), part->end());
    }
    factors::normalize(list);
    return list;
  }

  /// Of the whole mapping: nothing follows that could complete a group.
  llvm::Expected<FactorList> whole(const MappingExpr &expr) {
    auto list = mapping(expr);
    if (list)
      factors::normalize(*list, /*complete=*/true);
    return list;
  }

  llvm::Expected<FactorList> term(const MappingTerm &term) {
    auto list = atom(term.atom);
    if (!list)
      return list.takeError();
    std::string axisNames;
    if (!term.ops.empty())
      appendAxes(term.atom, axisNames);
    for (size_t i = 0; i < term.ops.size(); ++i) {
      if (llvm::Error error = apply(*list, term, i, axisNames))
        return error;
      if (factors::depthOf(*list) > factors::maxCompositeDepth)
        return llvm::createStringError(
            "'" + term.str(i + 1).substr(0, 200) +
            "' splits padded and grouped parts more than " +
            Twine(factors::maxCompositeDepth) + " levels deep");
    }
    return list;
  }

private:
  /// Appends "A, B % 1" to `text`, the axes that `atom` is written with as what
  /// holds index 0 of them.
  void appendAxes(const MappingAtom &atom, std::string &text) {
    if (atom.kind == MappingAtom::Kind::Axis) {
      if (auto size = axes.lookup(atom.name))
        text +=
            (text.empty() ? "" : ", ") + atom.name + (*size == 1 ? "" : " % 1");
    } else if (atom.group) {
      for (const MappingTerm &term : atom.group->terms)
        appendAxes(term.atom, text);
    }
  }

  llvm::Expected<FactorList> atom(const MappingAtom &atom) {
    FactorList list;
    switch (atom.kind) {
    case MappingAtom::Kind::Group:
      return mapping(*atom.group);
    case MappingAtom::Kind::Number: {
      Factor f;
      f.kind = Factor::Kind::Broadcast;
      f.extent = f.valid = atom.number;
      list.push_back(std::move(f));
      break;
    }
    case MappingAtom::Kind::Axis: {
      const AxisSizes::Skew *skew = axes.lookupSkew(atom.name);
      auto size = axes.lookup(skew ? StringRef(skew->base) : atom.name);
      if (!size)
        return unknownAxis(atom);
      Factor f;
      f.base = atom.name;
      f.skewed = skew != nullptr;
      f.stride = 1;
      f.baseSize = f.extent = f.valid = *size;
      list.push_back(std::move(f));
      break;
    }
    case MappingAtom::Kind::Sliding:
      return sliding(atom);
    }
    factors::normalize(list);
    return list;
  }

  llvm::Expected<FactorList> sliding(const MappingAtom &atom) {
    std::vector<CompositeBase::SlidingTerm> terms;
    for (auto [operand, stride] :
         llvm::zip_equal(atom.group->terms, atom.strides)) {
      auto list = term(operand);
      if (!list)
        return list.takeError();
      CompositeBase::SlidingTerm part;
      part.factors.append(list->begin(), list->end());
      part.size = factors::sizeOf(*list);
      part.stride = stride;
      terms.push_back(std::move(part));
    }
    std::string axisNames;
    appendAxes(atom, axisNames);
    auto list = factors::sliding(std::move(terms), axes, budget, axisNames);
    if (list && factors::depthOf(*list) <= factors::maxCompositeDepth)
      return list;
    MappingTerm term;
    term.atom = atom;
    return llvm::createStringError(
        "sliding combination '" + term.str().substr(0, 200) + "'" +
        at(atom.column) + ": " +
        (list ? "groups nest more than " +
                    std::to_string(factors::maxCompositeDepth) + " levels deep"
              : llvm::toString(list.takeError())));
  }

  llvm::Error unknownAxis(const MappingAtom &atom) {
    std::string known;
    for (const auto &axis : axes.axes())
      known += (known.empty() ? "" : ", ") + axis.first;
    for (const AxisSizes::Skew &skew : axes.skews())
      known += ", " + skew.name;
    return llvm::createStringError(
        "axis '" + atom.name + "'" + at(atom.column) + " has no size; " +
        (known.empty() ? "no axes are declared" : "known axes: " + known));
  }

  static std::string at(unsigned column) {
    return column ? " at column " + std::to_string(column) : std::string();
  }

  llvm::Error apply(FactorList &list, const MappingTerm &term, size_t index,
                    StringRef axisNames) {
    const MappingOp &op = term.ops[index];
    int64_t size = factors::sizeOf(list);
    auto operand = [&] { return "'" + term.str(index) + "'" + at(op.column); };
    switch (op.kind) {
    case MappingOp::Kind::Divide:
    case MappingOp::Kind::Modulo: {
      if (size % op.n != 0)
        return llvm::createStringError(
            "cannot split " + operand() + " by " + Twine(op.n) + ": its size " +
            Twine(size) + " is not a multiple of " + Twine(op.n));
      FactorList inner = factors::splitOff(list, op.n, axisNames);
      if (op.kind == MappingOp::Kind::Modulo)
        list = std::move(inner);
      return llvm::Error::success();
    }
    case MappingOp::Kind::Pad:
    case MappingOp::Kind::PadZero:
      if (op.n < size)
        return llvm::createStringError("cannot pad " + operand() + " to " +
                                       Twine(op.n) + ": its size is already " +
                                       Twine(size));
      if (op.low > op.n - size)
        return llvm::createStringError("low padding " + Twine(op.low) + " of " +
                                       operand() + " exceeds the padding of " +
                                       Twine(op.n - size) + " positions");
      factors::pad(list, op.n, op.low,
                   op.kind == MappingOp::Kind::Pad ? PaddingKind::DontCare
                                                   : PaddingKind::Zero,
                   axisNames);
      return llvm::Error::success();
    case MappingOp::Kind::View:
      if (op.low > size || op.n > size - op.low)
        return llvm::createStringError(
            "cannot keep " + Twine(op.n) + " positions" +
            (op.low ? " from " + Twine(op.low) : Twine()) + " of " + operand() +
            ": its size is " + Twine(size));
      factors::view(list, op.low, op.n, axisNames);
      return llvm::Error::success();
    case MappingOp::Kind::Lookup: {
      const AxisSizes::Table *table = axes.lookupTable(op.table);
      if (!table) {
        std::string known;
        for (const AxisSizes::Table &other : axes.tables())
          known += (known.empty() ? "" : ", ") + other.name;
        return llvm::createStringError(
            "table '" + op.table + "'" + at(op.column) + " is not given; " +
            (known.empty() ? "there are no tables" : "known tables: " + known));
      }
      for (auto [i, entry] : llvm::enumerate(*table->values))
        if (entry >= size)
          return llvm::createStringError("entry " + Twine(i) + " of table '" +
                                         op.table + "' is " + Twine(entry) +
                                         ", past the end of " + operand() +
                                         " of size " + Twine(size));
      factors::lookup(list, op.table, table->values, axisNames);
      return llvm::Error::success();
    }
    }
    llvm_unreachable("covered switch");
  }

  const AxisSizes &axes;
  factors::SlidingBudget budget;
};

/// Collects the terms of `expr`, plain brackets flattened.
llvm::Error collectTerms(const MappingExpr &expr, Resolver &resolver,
                         llvm::SmallVectorImpl<Mapping::Term> &terms) {
  for (const MappingTerm &term : expr.terms) {
    if (term.atom.kind == MappingAtom::Kind::Group && term.ops.empty()) {
      if (llvm::Error error = collectTerms(*term.atom.group, resolver, terms))
        return error;
      continue;
    }
    auto list = resolver.term(term);
    if (!list)
      return list.takeError();
    Mapping::Term entry;
    entry.text = term.str();
    entry.factors.append(list->begin(), list->end());
    terms.push_back(std::move(entry));
  }
  return llvm::Error::success();
}

/// The bases that a term walks, groups inside of groups included, each once.
void collectBases(ArrayRef<Factor> list, llvm::StringSet<> &bases) {
  for (const Factor &f : list) {
    if (!f.composite || !bases.insert(f.base).second)
      continue;
    collectBases(f.composite->factors, bases);
    for (const CompositeBase::SlidingTerm &term : f.composite->sliding)
      collectBases(term.factors, bases);
  }
}

/// Completes the terms whose groups no other term has a part of.
void completeTerms(llvm::SmallVectorImpl<Mapping::Term> &terms) {
  llvm::StringMap<unsigned> users;
  for (const Mapping::Term &term : terms) {
    llvm::StringSet<> bases;
    collectBases(term.factors, bases);
    for (const auto &base : bases)
      ++users[base.getKey()];
  }
  for (Mapping::Term &term : terms) {
    llvm::StringSet<> bases;
    collectBases(term.factors, bases);
    bool alone = llvm::all_of(
        bases, [&](const auto &base) { return users[base.getKey()] == 1; });
    if (!alone || users.empty())
      continue;
    FactorList list(term.factors.begin(), term.factors.end());
    factors::normalize(list, /*complete=*/true);
    term.factors.assign(list.begin(), list.end());
  }
}

} // namespace

Mapping::Mapping() {
  static const std::shared_ptr<const Impl> identity = [] {
    auto impl = std::make_shared<Impl>();
    auto expr = std::make_shared<MappingExpr>();
    expr->terms.emplace_back();
    impl->expr = std::move(expr);
    impl->terms.push_back({"1", {}});
    impl->compile();
    return impl;
  }();
  impl = identity;
}

llvm::Expected<Mapping>
Mapping::resolve(std::shared_ptr<const MappingExpr> expr,
                 const AxisSizes &axes) {
  auto result = std::make_shared<Impl>();
  Resolver resolver(axes);
  auto list = resolver.whole(*expr);
  if (!list)
    return list.takeError();
  if (llvm::Error error = collectTerms(*expr, resolver, result->terms))
    return error;
  completeTerms(result->terms);
  result->axes = axes;
  result->expr = std::move(expr);
  result->factors.append(list->begin(), list->end());
  result->size = factors::sizeOf(*list);
  result->compile();
  if (llvm::Error error = result->plan.check(axes))
    return llvm::createStringError("in '" + result->expr->str().substr(0, 200) +
                                   "': " + llvm::toString(std::move(error)));
  Mapping mapping;
  mapping.impl = std::move(result);
  return mapping;
}

llvm::Expected<Mapping> Mapping::parse(StringRef text, const AxisSizes &axes) {
  auto expr = MappingExpr::parse(text);
  if (!expr)
    return expr.takeError();
  return resolve(std::move(*expr), axes);
}

llvm::Error Mapping::checkSyntax(StringRef text) {
  return MappingExpr::parse(text).takeError();
}

llvm::Expected<Mapping> Mapping::pair(const Mapping &major,
                                      const Mapping &minor) {
  auto axes = major.axes().unionWith(minor.axes());
  if (!axes)
    return axes.takeError();
  auto expr = std::make_shared<MappingExpr>(*major.impl->expr);
  expr->terms.insert(expr->terms.end(), minor.impl->expr->terms.begin(),
                     minor.impl->expr->terms.end());
  return resolve(std::move(expr), *axes);
}

llvm::Expected<Mapping> Mapping::withOp(MappingOp op) const {
  auto expr = std::make_shared<MappingExpr>();
  const MappingExpr &old = *impl->expr;
  if (old.terms.size() == 1) {
    expr->terms = old.terms;
  } else {
    MappingTerm group;
    group.atom.kind = MappingAtom::Kind::Group;
    group.atom.group = impl->expr;
    expr->terms.push_back(std::move(group));
  }
  expr->terms.front().ops.push_back(op);
  return resolve(std::move(expr), impl->axes);
}

llvm::Expected<Mapping> Mapping::pad(int64_t size) const {
  return withOp({MappingOp::Kind::Pad, size, 0, 0});
}

static llvm::Error badDivisor(int64_t n) {
  return llvm::createStringError("divisor " + Twine(n) + " must be at least 1");
}

llvm::Expected<Mapping> Mapping::divide(int64_t n) const {
  if (n < 1)
    return badDivisor(n);
  return withOp({MappingOp::Kind::Divide, n, 0, 0});
}

llvm::Expected<Mapping> Mapping::modulo(int64_t n) const {
  if (n < 1)
    return badDivisor(n);
  return withOp({MappingOp::Kind::Modulo, n, 0, 0});
}

//===----------------------------------------------------------------------===//
// Properties
//===----------------------------------------------------------------------===//

int64_t Mapping::size() const { return impl->size; }
std::string Mapping::str() const { return impl->expr->str(); }
const AxisSizes &Mapping::axes() const { return impl->axes; }
ArrayRef<Factor> Mapping::factors() const { return impl->factors; }
std::string Mapping::normalStr() const { return sequin::str(factors()); }
ArrayRef<Mapping::Term> Mapping::terms() const { return impl->terms; }

int64_t Mapping::validSize() const {
  int64_t size = 1;
  for (const Factor &f : impl->factors)
    size *= f.valid;
  return size;
}

std::optional<TensorIndex> Mapping::at(int64_t position) const {
  if (position < 0 || position >= impl->size)
    return std::nullopt;
  llvm::SmallVector<int64_t, 8> coordinates;
  if (!impl->evaluate(position, coordinates))
    return std::nullopt;
  return impl->index(coordinates);
}

bool Mapping::startsAtZero() const {
  return llvm::all_of(impl->factors, factors::startsAtZero);
}

//===----------------------------------------------------------------------===//
// Equivalence
//===----------------------------------------------------------------------===//

namespace {

/// The padding kind is no part of the index a position holds.
bool sameIndices(ArrayRef<Factor> a, ArrayRef<Factor> b) {
  if (a.size() != b.size())
    return false;
  for (auto [x, y] : llvm::zip(a, b)) {
    Factor z = y;
    z.padding = x.padding;
    if (!(x == z))
      return false;
  }
  return true;
}

/// The indices at `position` in an order that does not depend on how they are
/// found or on the table of axes.
std::vector<TensorIndex> sortedIndices(const Mapping &mapping,
                                       int64_t position) {
  std::vector<TensorIndex> indices = mapping.allAt(position);
  for (TensorIndex &index : indices)
    llvm::sort(index);
  llvm::sort(indices);
  return indices;
}

/// A run and how much of it was compared.
struct Cursor {
  explicit Cursor(const Mapping &mapping) : walker(mapping) {}
  bool refill() {
    if (used < run.count)
      return true;
    used = 0;
    return walker.next(run);
  }
  int64_t left() const { return run.count - used; }
  int64_t linearAt(int64_t i) const {
    i += used;
    if (run.table) {
      int64_t part = run.table[i * run.step];
      return part < 0 ? -1 : run.linear + part;
    }
    return run.linear + i * run.step;
  }

  MappingWalker walker;
  MappingWalker::Run run;
  int64_t used = 0;
};

} // namespace

Mapping::Comparison Mapping::compare(const Mapping &other,
                                     int64_t maxSteps) const {
  using Kind = Comparison::Kind;
  int64_t common = std::min(size(), other.size());
  Comparison same{Kind::Equal, common};
  if (size() != other.size())
    same.kind = Kind::Different;
  auto axes = this->axes().unionWith(other.axes());
  if (!axes) {
    // One name means two things, so only positions without that axis can agree.
    llvm::consumeError(axes.takeError());
  } else if (size() == other.size() &&
             sameIndices(factors(), other.factors())) {
    return same;
  }
  if (maxIndices() > 1 || other.maxIndices() > 1) {
    // All indices of a position count, in whatever order.
    // An index that is looked up and sorted takes as long as many runs.
    int64_t steps =
        saturatingMul(saturatingAdd(maxIndices(), other.maxIndices()), 64);
    for (int64_t p = 0; p < common; ++p) {
      if (p >= maxSteps / steps)
        return {Kind::Undecided, p};
      if (sortedIndices(*this, p) != sortedIndices(other, p))
        return {Kind::Different, p};
    }
    return same;
  }
  if (!axes || !(this->axes() == other.axes()) || !axes->linearSize()) {
    for (int64_t p = 0; p < common; ++p) {
      if (p >= maxSteps)
        return {Kind::Undecided, p};
      auto a = at(p), b = other.at(p);
      // The tables may list the axes in different orders.
      if (a)
        llvm::sort(*a);
      if (b)
        llvm::sort(*b);
      if (a != b)
        return {Kind::Different, p};
    }
    return same;
  }
  Cursor a(*this), b(other);
  int64_t position = 0;
  for (int64_t steps = 0; position < common;) {
    if (steps >= maxSteps)
      return {Kind::Undecided, position};
    if (!a.refill() || !b.refill())
      break;
    int64_t count = std::min({a.left(), b.left(), common - position});
    bool affine = !a.run.table && !b.run.table;
    // Two affine runs that agree at two neighbours agree throughout.
    int64_t check = affine ? std::min<int64_t>(count, 2) : count;
    for (int64_t i = 0; i < check; ++i)
      if (a.linearAt(i) != b.linearAt(i))
        return {Kind::Different, position + i};
    a.used += count;
    b.used += count;
    position += count;
    steps += check;
  }
  return same;
}

bool Mapping::isEquivalent(const Mapping &other) const {
  return size() == other.size() && !firstDifference(other);
}

std::optional<int64_t> Mapping::firstDifference(const Mapping &other) const {
  Comparison result = compare(other, std::numeric_limits<int64_t>::max());
  if (result.kind == Comparison::Kind::Equal)
    return std::nullopt;
  return result.position;
}
