//===- MappingMeaning.cpp - What a mapping expression means ---------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MappingMeaning.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>

using namespace sequin::reference;
using llvm::StringRef;
using llvm::Twine;

int64_t sequin::reference::sizeOf(llvm::ArrayRef<Digit> digits) {
  int64_t size = 1;
  for (const Digit &digit : digits)
    size *= digit.extent;
  return size;
}

//===----------------------------------------------------------------------===//
// Space
//===----------------------------------------------------------------------===//

Space::Space(llvm::ArrayRef<std::pair<std::string, int64_t>> named,
             llvm::ArrayRef<SkewedAxis> skews,
             llvm::ArrayRef<NamedTable> namedTables)
    : tables(namedTables), axes(static_cast<int>(named.size())) {
  for (auto [number, axis] : llvm::enumerate(named)) {
    Base base;
    base.name = axis.first;
    base.size = axis.second;
    base.reaches = {static_cast<int>(number)};
    bases.push_back(std::move(base));
  }
  for (const SkewedAxis &skew : skews) {
    Base base;
    base.kind = Kind::Skewed;
    base.name = skew.name;
    base.plus = skew.plus;
    base.plain = false;
    for (int axis = 0; axis < axes; ++axis) {
      if (bases[axis].name == skew.base)
        base.base = axis;
      if (bases[axis].name == skew.by)
        base.by = axis;
    }
    base.size = bases[base.base].size;
    base.reaches = {base.base};
    bases.push_back(std::move(base));
  }
}

bool Space::isPlain(const Digit &digit) const {
  return digit.first == 0 && digit.offset == 0 && digit.valid > 0 &&
         (digit.base == kNoBase || bases[digit.base].plain);
}

bool Space::arePlain(llvm::ArrayRef<Digit> list) const {
  return llvm::all_of(list, [&](const Digit &digit) { return isPlain(digit); });
}

Digit Space::express(Base base) {
  for (int id = axes; id < baseCount(); ++id) {
    const Base &known = bases[id];
    if (known.kind == base.kind && known.size == base.size &&
        known.digits == base.digits && known.terms == base.terms &&
        known.entries.data() == base.entries.data())
      return Digit{base.size, 0, base.size, id, 1, 0};
  }
  auto include = [&](llvm::ArrayRef<Digit> list) {
    for (const Digit &digit : list)
      if (digit.base != kNoBase)
        llvm::append_range(base.reaches, bases[digit.base].reaches);
    base.plain &= arePlain(list);
  };
  include(base.digits);
  for (const SlidingTerm &term : base.terms)
    include(term.digits);
  base.plain &= base.entries.empty() || base.entries.front() == 0;
  llvm::sort(base.reaches);
  base.reaches.erase(llvm::unique(base.reaches), base.reaches.end());
  bases.push_back(std::move(base));
  int64_t size = bases.back().size;
  return Digit{size, 0, size, baseCount() - 1, 1, 0};
}

Digit Space::composite(llvm::ArrayRef<Digit> list) {
  Base base;
  base.kind = Kind::Composite;
  base.size = sizeOf(list);
  base.digits.assign(list.begin(), list.end());
  return express(std::move(base));
}

llvm::Expected<Digits> Space::lookup(Digits list, StringRef name) {
  auto table = llvm::find_if(
      tables, [&](const NamedTable &known) { return known.name == name; });
  if (table == tables.end())
    return llvm::createStringError("table '" + name + "' is not given");
  int64_t size = sizeOf(list);
  for (int64_t entry : table->entries)
    if (entry < 0 || entry >= size)
      return llvm::createStringError("entry " + Twine(entry) + " of table '" +
                                     name + "' is past the size " +
                                     Twine(size));
  Base base;
  base.kind = Kind::Lookup;
  base.size = static_cast<int64_t>(table->entries.size());
  base.digits = std::move(list);
  base.entries = table->entries;
  return Digits{express(std::move(base))};
}

llvm::Expected<Digits> Space::sliding(std::vector<SlidingTerm> terms) {
  Base base;
  base.kind = Kind::Sliding;
  for (const SlidingTerm &term : terms) {
    int64_t reach;
    if (llvm::MulOverflow(sizeOf(term.digits) - 1, term.stride, reach) ||
        llvm::AddOverflow(base.size, reach, base.size))
      return llvm::createStringError(
          "the size of a sliding combination does not fit in 64 bits");
  }
  base.terms = std::move(terms);
  return Digits{express(std::move(base))};
}

std::optional<std::pair<Digit, Digit>> Space::split(const Digit &digit,
                                                    int64_t n) const {
  if (digit.extent % n != 0 || digit.first != 0 || digit.offset != 0)
    return std::nullopt;
  // The values that hold data must be whole blocks of n, or less than one
  // block, or end where the base ends, which the look-up of the base sees to.
  bool endsWithBase = digit.base != kNoBase &&
                      digit.valid >= static_cast<int64_t>(llvm::divideCeil(
                                         bases[digit.base].size, digit.stride));
  if (digit.valid % n != 0 && digit.valid > n && !endsWithBase)
    return std::nullopt;
  Digit outer = digit, inner = digit;
  outer.extent /= n;
  outer.valid = static_cast<int64_t>(llvm::divideCeil(digit.valid, n));
  if (outer.valid > 1 || !isPlain(digit))
    outer.stride *= n;
  else
    outer.stride = 0, outer.base = kNoBase;
  inner.extent = n;
  inner.valid = std::min(n, digit.valid);
  return std::pair(outer, inner);
}

Digits Space::normalize(llvm::ArrayRef<Digit> list) const {
  Digits result;
  for (const Digit &digit : list) {
    if (digit.extent == 1 && isPlain(digit))
      continue;
    if (!result.empty()) {
      Digit &outer = result.back();
      bool plain = outer.first == 0 && outer.offset == 0 && digit.first == 0 &&
                   digit.offset == 0 && digit.valid == digit.extent &&
                   outer.base == digit.base;
      // Anonymous axes join too, but not padding, whose single value is no
      // loop.
      bool joins = digit.base == kNoBase
                       ? outer.valid == outer.extent
                       : outer.stride == digit.stride * digit.extent;
      if (plain && joins) {
        outer.extent *= digit.extent;
        outer.valid *= digit.extent;
        outer.stride = digit.stride;
        if (outer.base != kNoBase)
          outer.valid = std::min<int64_t>(
              outer.valid,
              llvm::divideCeil(bases[outer.base].size, outer.stride));
        continue;
      }
    }
    result.push_back(digit);
  }
  return result;
}

std::pair<Digit, Digit> Space::splitWhole(llvm::ArrayRef<Digit> list,
                                          int64_t n) {
  if (list.size() == 1)
    if (auto parts = split(list[0], n))
      return *parts;
  return *split(composite(list), n);
}

llvm::Expected<Digits> Space::divide(Digits list, int64_t n) {
  int64_t size = sizeOf(list);
  if (size % n != 0)
    return llvm::createStringError("size " + Twine(size) +
                                   " is not divisible by " + Twine(n));
  Digits whole = list;
  // What stands at position 0 counts once for quotient and remainder together.
  if (!arePlain(list))
    return normalize(splitWhole(list, n).first);
  // What lies inside the quotient goes, outermost digits stay.
  int64_t rest = n;
  while (rest != 1) {
    Digit inner = list.pop_back_val();
    if (rest % inner.extent == 0) {
      rest /= inner.extent;
      continue;
    }
    auto parts = split(inner, rest);
    if (!parts)
      return normalize(split(composite(whole), n)->first);
    list.push_back(parts->first);
    break;
  }
  return normalize(list);
}

llvm::Expected<Digits> Space::modulo(Digits list, int64_t n) {
  int64_t size = sizeOf(list);
  if (size % n != 0)
    return llvm::createStringError("size " + Twine(size) +
                                   " is not divisible by " + Twine(n));
  Digits whole = list;
  if (!arePlain(list))
    return normalize(splitWhole(list, n).second);
  Digits kept; // innermost first
  int64_t rest = n;
  while (rest != 1) {
    Digit inner = list.pop_back_val();
    if (rest % inner.extent == 0) {
      kept.push_back(inner);
      rest /= inner.extent;
      continue;
    }
    auto parts = split(inner, rest);
    if (!parts)
      return normalize(split(composite(whole), n)->second);
    kept.push_back(parts->second);
    break;
  }
  std::reverse(kept.begin(), kept.end());
  return normalize(kept);
}

llvm::Expected<Digits> Space::pad(Digits list, int64_t n, int64_t low) {
  int64_t size = sizeOf(list);
  if (low > n || size > n - low)
    return llvm::createStringError("size " + Twine(size) +
                                   " does not fit into " + Twine(n) +
                                   " positions from " + Twine(low));
  if (size == n)
    return list;
  if (list.empty())
    list.push_back(Digit{});
  int64_t inner = size / list.front().extent;
  if (n % inner != 0 || low % inner != 0) {
    list = {composite(list)};
    inner = 1;
  }
  list.front().first += low / inner;
  list.front().extent = n / inner;
  return list;
}

llvm::Expected<Digits> Space::view(Digits list, int64_t low, int64_t n) {
  int64_t size = sizeOf(list);
  if (low > size || n > size - low)
    return llvm::createStringError("size " + Twine(size) + " has no " +
                                   Twine(n) + " positions from " + Twine(low));
  if (n == size)
    return list;
  int64_t inner = size / list.front().extent;
  if (low == 0 && n <= inner && isPlain(list.front()))
    return view(Digits(llvm::drop_begin(list)), 0, n);
  if (n % inner != 0 || low % inner != 0) {
    list = {composite(list)};
    inner = 1;
  }
  Digit &outer = list.front();
  low /= inner;
  n /= inner;
  int64_t begin = std::max(outer.first, low);
  int64_t end = std::min(outer.first + outer.valid, low + n);
  outer.extent = n;
  outer.valid = std::max<int64_t>(end - begin, 0);
  if (outer.base != kNoBase)
    outer.offset += (begin - outer.first) * outer.stride;
  outer.first = outer.valid == 0 ? 0 : begin - low;
  return normalize(list);
}

bool Space::add(llvm::ArrayRef<Digit> digits, int64_t position,
                llvm::MutableArrayRef<int64_t> sums) {
  for (const Digit &digit : llvm::reverse(digits)) {
    int64_t value = position % digit.extent - digit.first;
    position /= digit.extent;
    if (value < 0 || value >= digit.valid)
      return false;
    if (digit.base != kNoBase)
      sums[digit.base] += value * digit.stride + digit.offset;
  }
  return position == 0;
}

bool Space::slide(const Base &base, size_t term, int64_t rest, BaseId id,
                  llvm::MutableArrayRef<int64_t> sums,
                  llvm::ArrayRef<uint8_t> spoken, Visit visit) const {
  if (term == base.terms.size())
    return rest != 0 || resolveFrom(id - 1, sums, spoken, visit);
  const SlidingTerm &part = base.terms[term];
  int64_t largest = std::min(sizeOf(part.digits) - 1, rest / part.stride);
  // The last term has to take all that is left.
  bool last = term + 1 == base.terms.size();
  for (int64_t s = largest; s >= 0; --s) {
    if (last && rest != s * part.stride)
      break;
    std::vector<int64_t> copy(sums.begin(), sums.end());
    if (add(part.digits, s, copy) &&
        !slide(base, term + 1, rest - s * part.stride, id, copy, spoken, visit))
      return false;
  }
  return true;
}

bool Space::resolveFrom(BaseId id, llvm::MutableArrayRef<int64_t> sums,
                        llvm::ArrayRef<uint8_t> spoken, Visit visit) const {
  for (; id >= axes; --id) {
    const Base &base = bases[id];
    int64_t position = sums[id];
    if (position >= base.size)
      return true;
    if (!spoken[id])
      continue;
    switch (base.kind) {
    case Kind::Axis:
      break;
    case Kind::Skewed: {
      // Behind all expressions, so the other axis has its coordinate.
      int64_t by = sums[base.by] % base.size;
      sums[base.base] +=
          (position + (base.plus ? base.size - by : by)) % base.size;
      break;
    }
    case Kind::Composite:
      if (!add(base.digits, position, sums))
        return true;
      break;
    case Kind::Lookup:
      if (!add(base.digits, base.entries[position], sums))
        return true;
      break;
    case Kind::Sliding:
      return slide(base, 0, position, id, sums, spoken, visit);
    }
  }
  for (int axis = 0; axis < axes; ++axis)
    if (sums[axis] >= bases[axis].size)
      return true;
  return visit(sums.take_front(axes));
}

std::optional<Index> Space::resolve(llvm::MutableArrayRef<int64_t> sums,
                                    llvm::ArrayRef<uint8_t> spoken) const {
  std::optional<Index> index;
  resolveFrom(baseCount() - 1, sums, spoken,
              [&](llvm::ArrayRef<int64_t> found) {
                index.emplace(found.begin(), found.end());
                return false;
              });
  return index;
}

std::vector<uint8_t> Space::spokenOf(llvm::ArrayRef<Digits> mappings) const {
  std::vector<uint8_t> spoken(bases.size());
  auto mark = [&](llvm::ArrayRef<Digit> list) {
    for (const Digit &digit : list)
      if (digit.base != kNoBase)
        spoken[digit.base] = true;
  };
  for (const Digits &digits : mappings)
    mark(digits);
  for (BaseId id = baseCount() - 1; id >= axes; --id)
    if (spoken[id]) {
      mark(bases[id].digits);
      for (const SlidingTerm &term : bases[id].terms)
        mark(term.digits);
    }
  return spoken;
}

std::vector<Index> Space::allAt(llvm::ArrayRef<Digit> digits,
                                int64_t position) const {
  std::vector<Index> result;
  std::vector<int64_t> sums(bases.size());
  if (position < 0 || !add(digits, position, sums))
    return result;
  resolveFrom(baseCount() - 1, sums, spokenOf(Digits(digits)),
              [&](llvm::ArrayRef<int64_t> found) {
                Index index(found.begin(), found.end());
                if (!llvm::is_contained(result, index))
                  result.push_back(std::move(index));
                return true;
              });
  return result;
}

std::optional<Index> Space::at(llvm::ArrayRef<Digit> digits,
                               int64_t position) const {
  std::vector<int64_t> sums(bases.size());
  if (position < 0 || !add(digits, position, sums))
    return std::nullopt;
  return resolve(sums, spokenOf(Digits(digits)));
}

bool Space::slides(llvm::ArrayRef<Digit> digits) const {
  std::vector<uint8_t> spoken = spokenOf(Digits(digits));
  for (int id = axes; id < baseCount(); ++id)
    if (spoken[id] && bases[id].kind == Kind::Sliding)
      return true;
  return false;
}

llvm::Error Space::checkSkews(llvm::ArrayRef<Digits> mappings) const {
  std::vector<uint8_t> spoken = spokenOf(mappings);
  std::vector<const Base *> as(axes); // how an axis is walked
  for (int id = 0; id < baseCount(); ++id) {
    const Base &base = bases[id];
    if (!spoken[id] || (base.kind != Kind::Axis && base.kind != Kind::Skewed))
      continue;
    int axis = base.kind == Kind::Skewed ? base.base : id;
    if (as[axis])
      return llvm::createStringError("axis '" + bases[axis].name +
                                     "' is walked both as '" + base.name +
                                     "' and as '" + as[axis]->name + "'");
    as[axis] = &base;
  }
  for (const Base *base : as)
    if (base && base->kind == Kind::Skewed && as[base->by] &&
        as[base->by]->kind == Kind::Skewed)
      return llvm::createStringError("'" + base->name + "' is skewed by '" +
                                     bases[base->by].name +
                                     "', which is skewed itself");
  return llvm::Error::success();
}

std::string Space::describe(llvm::ArrayRef<int64_t> index) const {
  std::string text = "{";
  llvm::raw_string_ostream os(text);
  llvm::ListSeparator comma;
  for (auto [axis, coordinate] : llvm::enumerate(index))
    if (coordinate != 0)
      os << comma << bases[axis].name << ": " << coordinate;
  os << '}';
  return text;
}

//===----------------------------------------------------------------------===//
// Reader
//===----------------------------------------------------------------------===//

namespace sequin::reference {

/// Recursive descent over the text; every production returns digits.
class MeaningReader {
public:
  MeaningReader(Space &space, StringRef text) : space(space), text(text) {}

  llvm::Expected<std::vector<Digits>> terms(unsigned depth) {
    std::vector<Digits> list;
    int64_t size = 1;
    do {
      auto one = term(depth);
      if (!one)
        return one.takeError();
      if (llvm::MulOverflow(size, sizeOf(*one), size) || size > kLargest)
        return fail("more than " + Twine(kLargest) + " positions");
      list.push_back(std::move(*one));
    } while (consume(','));
    return list;
  }

  llvm::Expected<Digits> pair(unsigned depth) {
    auto list = terms(depth);
    if (!list)
      return list.takeError();
    Digits result;
    for (const Digits &one : *list)
      result.append(one);
    return space.normalize(result);
  }

  llvm::Error finish() {
    skipSpace();
    if (at == text.size())
      return llvm::Error::success();
    return fail("unexpected '" + Twine(text[at]) + "'");
  }

private:
  static constexpr int64_t kLargest = int64_t(1) << 40;
  static constexpr unsigned kDeepest = 100;

  llvm::Error fail(const Twine &what) {
    return llvm::createStringError("mapping \"" + text + "\", column " +
                                   Twine(at + 1) + ": " + what);
  }

  void skipSpace() {
    while (at < text.size() && llvm::isSpace(text[at]))
      ++at;
  }

  bool consume(char c) {
    skipSpace();
    if (at == text.size() || text[at] != c)
      return false;
    ++at;
    return true;
  }

  bool nextIsDigit() {
    skipSpace();
    return at < text.size() && llvm::isDigit(text[at]);
  }

  llvm::Expected<int64_t> number(int64_t least) {
    skipSpace();
    StringRef digits = text.substr(at).take_while(llvm::isDigit);
    int64_t value = 0;
    if (digits.empty() || digits.getAsInteger(10, value) || value < least ||
        value > kLargest)
      return fail("expected a number from " + Twine(least) + " to " +
                  Twine(kLargest));
    at += digits.size();
    return value;
  }

  llvm::Expected<Digits> term(unsigned depth) {
    auto value = atom(depth);
    while (value) {
      if (consume('/')) {
        auto n = number(1);
        value =
            n ? located(space.divide(std::move(*value), *n)) : n.takeError();
      } else if (consume('%')) {
        auto n = number(1);
        value =
            n ? located(space.modulo(std::move(*value), *n)) : n.takeError();
      } else if (consume('#')) {
        bool zero = consume('z');
        auto n = number(1);
        if (!n)
          return n.takeError();
        int64_t low = 0;
        if (!zero && consume('@')) {
          auto below = number(0);
          if (!below)
            return below.takeError();
          low = *below;
        }
        value = located(space.pad(std::move(*value), *n, low));
      } else if (consume('=')) {
        auto n = number(1);
        value =
            n ? located(space.view(std::move(*value), 0, *n)) : n.takeError();
      } else if (consume('@')) {
        auto low = number(0);
        if (!low)
          return low.takeError();
        if (!consume('='))
          return fail("expected '=' after the start of a view");
        auto n = number(1);
        value = n ? located(space.view(std::move(*value), *low, *n))
                  : n.takeError();
      } else if (consume('?')) {
        skipSpace();
        StringRef name = text.substr(at).take_while(
            [](char c) { return llvm::isAlnum(c) || c == '_'; });
        at += name.size();
        value = located(space.lookup(std::move(*value), name));
      } else {
        break;
      }
    }
    return value;
  }

  llvm::Expected<Digits> located(llvm::Expected<Digits> value) {
    if (value)
      return value;
    return fail(llvm::toString(value.takeError()));
  }

  llvm::Expected<Digits> atom(unsigned depth) {
    if (nextIsDigit()) {
      auto n = number(1);
      if (!n)
        return n.takeError();
      return space.normalize(Digit{*n, 0, *n, kNoBase, 0, 0});
    }
    if (consume('[')) {
      if (depth == kDeepest)
        return fail("brackets nest deeper than " + Twine(kDeepest));
      auto inner = pair(depth + 1);
      if (inner && !consume(']'))
        return fail("expected ']'");
      return inner;
    }
    if (consume('$'))
      return slidingAtom(depth);
    StringRef name = text.substr(at).take_while(
        [](char c) { return llvm::isAlnum(c) || c == '_' || c == '\''; });
    if (name.empty())
      return fail("expected an axis, a number or '['");
    for (int axis = 0; axis < space.baseCount(); ++axis) {
      if (space.axisName(axis) != name)
        continue;
      at += name.size();
      int64_t size = space.size(axis);
      return space.normalize(Digit{size, 0, size, axis, 1, 0});
    }
    return fail("axis '" + name + "' has no size");
  }

  /// "(E1:n1, E2:n2)", behind the '$'.
  llvm::Expected<Digits> slidingAtom(unsigned depth) {
    if (!consume('('))
      return fail("expected '(' after '$'");
    if (depth == kDeepest)
      return fail("brackets nest deeper than " + Twine(kDeepest));
    std::vector<Space::SlidingTerm> terms;
    do {
      auto digits = term(depth + 1);
      if (!digits)
        return digits.takeError();
      if (!consume(':'))
        return fail("expected ':' and a stride");
      auto stride = number(1);
      if (!stride)
        return stride.takeError();
      terms.push_back({std::move(*digits), *stride});
    } while (consume(','));
    if (!consume(')'))
      return fail("expected ')'");
    return located(space.sliding(std::move(terms)));
  }

  Space &space;
  StringRef text;
  size_t at = 0;
};

} // namespace sequin::reference

llvm::Expected<std::vector<Digits>> Space::readTerms(StringRef text) {
  MeaningReader reader(*this, text);
  auto terms = reader.terms(0);
  if (!terms)
    return terms.takeError();
  if (llvm::Error error = reader.finish())
    return error;
  if (llvm::Error error = checkSkews(*terms))
    return error;
  return terms;
}

llvm::Expected<Digits> Space::read(StringRef text) {
  MeaningReader reader(*this, text);
  auto digits = reader.pair(0);
  if (!digits)
    return digits.takeError();
  if (llvm::Error error = reader.finish())
    return error;
  if (llvm::Error error = checkSkews(*digits))
    return error;
  return digits;
}

//===----------------------------------------------------------------------===//
// Tables and loops
//===----------------------------------------------------------------------===//

Table::Table(llvm::ArrayRef<Digit> digits) : size(sizeOf(digits)) {
  for (const Digit &digit : digits)
    if (digit.base != kNoBase && !llvm::is_contained(bases, digit.base))
      bases.push_back(digit.base);
  values.resize(size * bases.size());
  valid.assign(size, true);
  int64_t weight = size;
  for (const Digit &digit : digits) {
    weight /= digit.extent;
    size_t column = llvm::find(bases, digit.base) - bases.begin();
    for (int64_t position = 0; position < size; ++position) {
      int64_t value = position / weight % digit.extent - digit.first;
      if (value < 0 || value >= digit.valid)
        valid[position] = false;
      else if (digit.base != kNoBase)
        values[position * bases.size() + column] +=
            value * digit.stride + digit.offset;
    }
  }
}

std::optional<std::vector<MatchedLoop>>
sequin::reference::matchLoops(const Space &space, llvm::ArrayRef<Digit> all,
                              llvm::ArrayRef<Digit> kept) {
  Digits left = space.normalize(all), wanted = space.normalize(kept);
  std::vector<MatchedLoop> loops; // innermost first
  while (!left.empty()) {
    Digit loop = left.pop_back_val();
    if (wanted.empty()) {
      loops.push_back({loop.extent, false});
      continue;
    }
    Digit &want = wanted.back();
    if (loop == want) {
      loops.push_back({loop.extent, true});
      wanted.pop_back();
      continue;
    }
    // Same start, different length: the shorter is the inner part of the
    // longer.
    if (loop.base == want.base && loop.stride == want.stride &&
        loop.extent != want.extent) {
      bool loopIsLonger = loop.extent > want.extent;
      int64_t inner = std::min(loop.extent, want.extent);
      auto parts = space.split(loopIsLonger ? loop : want, inner);
      if (parts && parts->second == (loopIsLonger ? want : loop)) {
        loops.push_back({inner, true});
        if (loopIsLonger) {
          left.push_back(parts->first);
          wanted.pop_back();
        } else {
          want = parts->first;
        }
        continue;
      }
    }
    // The kept part starts further out: the inner part of the loop is left out.
    if (loop.base != kNoBase && loop.base == want.base &&
        loop.stride < want.stride && want.stride % loop.stride == 0) {
      int64_t inner = want.stride / loop.stride;
      auto parts = space.split(loop, inner);
      if (parts && inner < loop.extent) {
        loops.push_back({inner, false});
        left.push_back(parts->first);
        continue;
      }
    }
    loops.push_back({loop.extent, false});
  }
  if (!wanted.empty())
    return std::nullopt;
  std::reverse(loops.begin(), loops.end());
  return loops;
}

std::vector<int64_t>
sequin::reference::resultSteps(llvm::ArrayRef<MatchedLoop> loops) {
  std::vector<int64_t> steps = {0};
  for (const MatchedLoop &loop : loops) {
    std::vector<int64_t> next;
    next.reserve(steps.size() * loop.size);
    for (int64_t step : steps)
      for (int64_t i = 0; i < loop.size; ++i)
        next.push_back(loop.kept ? step * loop.size + i : step);
    steps = std::move(next);
  }
  return steps;
}
