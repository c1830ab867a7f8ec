//===- MappingParserCheck.cpp - Any text as a mapping ---------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MappingParserCheck.h"

#include "sequin/Stream/Mapping.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace sequin;
using llvm::StringRef;

namespace {

/// Positions, indices of one position and comparisons that are looked at.
constexpr int64_t maxWalked = 1 << 13;
constexpr int64_t maxIndices = 1 << 8;
constexpr int64_t maxComparisons = 1 << 13;
constexpr unsigned maxMappings = 4;

std::string refusal(llvm::Error error) {
  std::string text = llvm::toString(std::move(error));
  return text.empty() ? "a refusal without a text" : "";
}

int64_t linearOf(const TensorIndex &index, const AxisSizes &axes) {
  int64_t linear = 0;
  for (const auto &[name, size] : axes.axes()) {
    int64_t coordinate = 0;
    for (const auto &[axis, value] : index)
      if (axis == name)
        coordinate = value;
    linear = linear * size + coordinate;
  }
  return linear;
}

std::string checkIndex(const TensorIndex &index, const AxisSizes &axes) {
  for (const auto &[name, value] : index) {
    auto size = axes.lookup(name);
    if (!size || value < 1 || value >= *size)
      return "coordinate " + std::to_string(value) + " of axis " + name;
  }
  return "";
}

std::string checkPositions(const Mapping &mapping) {
  int64_t size = mapping.size();
  bool few = mapping.maxIndices() <= maxIndices;
  for (int64_t p : {int64_t(-1), int64_t(0), int64_t(1), size / 3, size / 2,
                    size - 1, size}) {
    auto index = mapping.at(p);
    if ((p < 0 || p >= size) && index)
      return "an index outside of the mapping";
    if (index)
      if (std::string wrong = checkIndex(*index, mapping.axes());
          !wrong.empty())
        return wrong;
    if (!few)
      continue;
    auto all = mapping.allAt(p);
    if (all.empty() == index.has_value() || (index && all.front() != *index))
      return "at() is not the first of allAt()";
    for (const TensorIndex &one : all)
      if (std::string wrong = checkIndex(one, mapping.axes()); !wrong.empty())
        return wrong;
    if (index && size <= maxWalked) {
      auto positions = mapping.positionsOf(*index);
      if (!positions)
        return refusal(positions.takeError());
      if (std::find(positions->begin(), positions->end(), p) ==
          positions->end())
        return "positionsOf() misses a position";
    }
  }
  if (size > maxWalked || !mapping.axes().linearSize())
    return "";
  std::string wrong;
  int64_t next = 0;
  mapping.forEach([&](int64_t position, int64_t linear) {
    auto index = mapping.at(position);
    if (position != next++ ||
        linear != (index ? linearOf(*index, mapping.axes()) : -1))
      wrong = "forEach() differs from at() at " + std::to_string(position);
  });
  return next == size ? wrong : "forEach() leaves out positions";
}

bool mayBeEqual(const Mapping &a, const Mapping &b) {
  return a.compare(b, maxComparisons).kind !=
         Mapping::Comparison::Kind::Different;
}

/// Whether the normal form holds parts of groups, whose text is for people.
bool holdsParts(llvm::ArrayRef<Factor> factors) {
  return llvm::any_of(factors, [](const Factor &f) {
    if (!f.composite)
      return false;
    return f.kind == Factor::Kind::Composite ||
           holdsParts(f.composite->factors) ||
           llvm::any_of(f.composite->sliding, [](const auto &term) {
             return holdsParts(term.factors);
           });
  });
}

std::string checkTexts(const Mapping &mapping) {
  auto again = Mapping::parse(mapping.str(), mapping.axes());
  if (!again)
    return "str() is refused: " + llvm::toString(again.takeError());
  if (again->str() != mapping.str() || again->size() != mapping.size())
    return "str() is another mapping: " + again->str();
  if (!mayBeEqual(*again, mapping))
    return "str() differs from the mapping";
  if (holdsParts(mapping.factors()) ||
      mapping.normalStr().size() > MappingExpr::maxTextLength)
    return "";
  auto normal = Mapping::parse(mapping.normalStr(), mapping.axes());
  if (!normal)
    return "normalStr() is refused: " + llvm::toString(normal.takeError());
  if (!mayBeEqual(*normal, mapping))
    return "the normal form '" + mapping.normalStr() +
           "' differs from the mapping";
  return "";
}

/// Whether some part of a group is walked twice, so that regrouping matters.
class RepeatedParts {
public:
  bool in(llvm::ArrayRef<Factor> factors) {
    int container = containers++;
    for (const Factor &f : factors) {
      if (!f.composite)
        continue;
      for (const Part &part : parts)
        if (part.factor->base == f.base &&
            (part.container != container || overlap(*part.factor, f)))
          return true;
      bool known = llvm::any_of(
          parts, [&](const Part &part) { return part.factor->base == f.base; });
      parts.push_back({container, &f});
      if (known)
        continue;
      if (in(f.composite->factors))
        return true;
      for (const auto &term : f.composite->sliding)
        if (in(term.factors))
          return true;
    }
    return false;
  }

private:
  static bool overlap(const Factor &a, const Factor &b) {
    const Factor &inner = a.stride < b.stride ? a : b;
    const Factor &outer = a.stride < b.stride ? b : a;
    return outer.extent > 1 && inner.extent > 1 &&
           outer.stride / inner.extent < inner.stride;
  }
  struct Part {
    int container;
    const Factor *factor;
  };
  std::vector<Part> parts;
  int containers = 0;
};

std::string checkOperators(const Mapping &mapping) {
  int64_t size = mapping.size();
  if (auto padded = mapping.pad(size <= INT64_MAX - 3 ? size + 3 : size)) {
    if (std::string wrong = checkPositions(*padded); !wrong.empty())
      return "padded: " + wrong;
  } else {
    return refusal(padded.takeError());
  }
  if (RepeatedParts().in(mapping.factors()))
    return "";
  for (int64_t n : {2, 3, 4, 6}) {
    if (size % n != 0)
      continue;
    auto quotient = mapping.divide(n), remainder = mapping.modulo(n);
    if (!quotient || !remainder) {
      llvm::consumeError(quotient.takeError());
      llvm::consumeError(remainder.takeError());
      continue; // nested too deep
    }
    auto both = Mapping::pair(*quotient, *remainder);
    if (!both)
      return refusal(both.takeError());
    if (!mayBeEqual(*both, mapping))
      return "quotient and remainder by " + std::to_string(n) +
             " are not the mapping";
  }
  return "";
}

} // namespace

std::string fuzz::checkMappingParser(StringRef input) {
  auto [first, rest] = input.split('\n');
  auto axes = AxisSizes::parse(first);
  if (!axes)
    return refusal(axes.takeError());
  auto again = AxisSizes::parse(axes->str());
  if (!again)
    return "axes are refused: " + llvm::toString(again.takeError());
  if (!(*again == *axes))
    return "axes differ: " + again->str();
  llvm::SmallVector<StringRef, 8> lines;
  rest.split(lines, '\n', maxMappings);
  std::optional<Mapping> last;
  for (StringRef line : lines) {
    if (!line.empty() && llvm::isLower(line.front())) {
      if (llvm::Error error = axes->parseTable(line))
        return refusal(std::move(error));
      continue;
    }
    auto mapping = Mapping::parse(line, *axes);
    if (!mapping) {
      std::string wrong = refusal(mapping.takeError());
      if (!wrong.empty())
        return wrong;
      continue;
    }
    for (auto check : {checkPositions, checkTexts, checkOperators})
      if (std::string wrong = check(*mapping); !wrong.empty())
        return "'" + mapping->str() + "': " + wrong;
    if (mapping->compare(*mapping, maxComparisons).kind ==
        Mapping::Comparison::Kind::Different)
      return "'" + mapping->str() + "' differs from itself";
    if (auto placed = mapping->placedFactors(); !placed)
      if (std::string wrong = refusal(placed.takeError()); !wrong.empty())
        return wrong;
    if (last) {
      mayBeEqual(*last, *mapping);
      auto pair = Mapping::pair(*last, *mapping);
      if (!pair) {
        if (std::string wrong = refusal(pair.takeError()); !wrong.empty())
          return wrong;
      } else if (std::string wrong = checkPositions(*pair); !wrong.empty()) {
        return "'" + pair->str() + "': " + wrong;
      }
    }
    last = *mapping;
  }
  return "";
}
