//===- StreamTestSupport.h - Helpers of the stream tests --------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A second, independent meaning of mapping expressions for the property tests,
// and a generator of random expressions. The meaning works on a graph of nodes
// and knows no factors: every operator hands its linear index to its operand,
// and the quotient and the remainder of one node add up there.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_TEST_UNIT_STREAM_STREAMTESTSUPPORT_H
#define SEQUIN_TEST_UNIT_STREAM_STREAMTESTSUPPORT_H

#include "Row.h"
#include "sequin/Stream/Mapping.h"
#include "sequin/Stream/Sequencer.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <deque>
#include <map>
#include <random>
#include <set>

namespace sequin::testing {

inline AxisSizes axesOf(llvm::StringRef text) {
  auto axes = AxisSizes::parse(text);
  if (!axes) {
    ADD_FAILURE() << llvm::toString(axes.takeError());
    return AxisSizes();
  }
  return *axes;
}

inline Mapping mappingOf(llvm::StringRef text, const AxisSizes &axes) {
  auto mapping = Mapping::parse(text, axes);
  if (!mapping) {
    ADD_FAILURE() << text.str() << ": " << llvm::toString(mapping.takeError());
    return Mapping();
  }
  return *mapping;
}

inline Mapping mappingOf(llvm::StringRef text, llvm::StringRef axes) {
  return mappingOf(text, axesOf(axes));
}

/// The error text of a mapping that must be refused.
inline std::string mappingError(llvm::StringRef text, llvm::StringRef axes) {
  auto table = AxisSizes::parse(axes);
  if (!table)
    return llvm::toString(table.takeError());
  auto mapping = Mapping::parse(text, *table);
  return mapping ? "accepted" : llvm::toString(mapping.takeError());
}

/// "{A: 1, B: 7}", "-" for padding.
inline std::string show(const std::optional<TensorIndex> &index) {
  if (!index)
    return "-";
  std::string result = "{";
  for (const auto &[axis, value] : *index)
    result +=
        (result.size() > 1 ? ", " : "") + axis + ": " + std::to_string(value);
  return result + "}";
}

//===----------------------------------------------------------------------===//
// Random expressions with their own meaning
//===----------------------------------------------------------------------===//

struct Node {
  enum Kind {
    Axis,
    Number,
    Group,
    Divide,
    Modulo,
    Pad,
    View,
    Lookup,
    Sliding
  } kind;
  unsigned id = 0;
  int64_t size = 1;
  std::string axis;
  const Node *operand = nullptr;
  std::vector<const Node *> parts;
  int64_t n = 0, low = 0;
  /// Whether a view or padding below hides index 0 of a part.
  bool offset = false;
  /// Of a lookup: the name of the table in `axis`, and what it holds.
  std::vector<int64_t> table;
  /// Of a sliding combination, one for each part.
  std::vector<int64_t> strides;

  std::string text() const {
    auto inner = [&] {
      std::string t = operand->text();
      return operand->kind == Group || low > 0 ? "[" + t + "]" : t;
    };
    switch (kind) {
    case Axis:
      return axis;
    case Number:
      return std::to_string(size);
    case Group: {
      std::string t;
      for (const Node *part : parts)
        t += (t.empty() ? "" : ", ") +
             (part->kind == Group ? "[" + part->text() + "]" : part->text());
      return t;
    }
    case Divide:
      return inner() + " / " + std::to_string(n);
    case Modulo:
      return inner() + " % " + std::to_string(n);
    case Pad:
      return inner() + " # " + std::to_string(n) +
             (low ? " @ " + std::to_string(low) : "");
    case View:
      return inner() + (low ? " @ " + std::to_string(low) : "") + " = " +
             std::to_string(n);
    case Lookup:
      return inner() + " ? " + axis;
    case Sliding: {
      std::string t;
      for (size_t i = 0; i < parts.size(); ++i)
        t += (t.empty() ? "$(" : ", ") +
             (parts[i]->kind == Group ? "[" + parts[i]->text() + "]"
                                      : parts[i]->text()) +
             ":" + std::to_string(strides[i]);
      return t + ")";
    }
    }
    return "";
  }
};

/// All indices that a position holds, by the definition: a sliding combination
/// tries every choice of the positions of its parts.
using Meanings = std::set<std::map<std::string, int64_t>>;

class MeaningsOf {
public:
  MeaningsOf(const Node *root, const AxisSizes &axes)
      : root(root), axes(axes) {}

  Meanings at(int64_t position) {
    found.clear();
    State state;
    state.give(root, position);
    run(std::move(state));
    return std::move(found);
  }

private:
  struct State {
    std::map<unsigned, std::pair<const Node *, int64_t>, std::greater<>> work;
    /// Zeros too: a skewed axis is walked there as well.
    std::map<std::string, int64_t> index;

    void give(const Node *to, int64_t value) {
      auto &slot = work[to->id];
      slot.first = to;
      slot.second += value;
    }
  };

  void run(State state) {
    while (!state.work.empty()) {
      // Operands have smaller numbers, so all that is to be added has been.
      auto [node, p] = state.work.begin()->second;
      state.work.erase(state.work.begin());
      if (p < 0 || p >= node->size)
        return;
      switch (node->kind) {
      case Node::Axis:
        state.index[node->axis] = p;
        break;
      case Node::Number:
        break;
      case Node::Group:
        for (size_t i = node->parts.size(); i-- > 0;) {
          state.give(node->parts[i], p % node->parts[i]->size);
          p /= node->parts[i]->size;
        }
        break;
      case Node::Divide:
        state.give(node->operand, p * node->n);
        break;
      case Node::Modulo:
        state.give(node->operand, p);
        break;
      case Node::Pad:
        if (p < node->low || p - node->low >= node->operand->size)
          return;
        state.give(node->operand, p - node->low);
        break;
      case Node::View:
        state.give(node->operand, p + node->low);
        break;
      case Node::Lookup:
        state.give(node->operand, node->table[p]);
        break;
      case Node::Sliding:
        choose(state, node, 0, p);
        return;
      }
    }
    finish(state.index);
  }

  void choose(const State &state, const Node *node, size_t part, int64_t rest) {
    if (part == node->parts.size()) {
      if (rest == 0)
        run(state);
      return;
    }
    for (int64_t p = 0;
         p < node->parts[part]->size && p * node->strides[part] <= rest; ++p) {
      State next = state;
      next.give(node->parts[part], p);
      choose(next, node, part + 1, rest - p * node->strides[part]);
    }
  }

  void finish(const std::map<std::string, int64_t> &walked) {
    std::map<std::string, int64_t> index;
    for (auto [axis, value] : walked)
      if (!axes.lookupSkew(axis) && value != 0)
        index[axis] = value;
    for (auto [axis, value] : walked)
      if (const AxisSizes::Skew *skew = axes.lookupSkew(axis)) {
        int64_t size = *axes.lookup(skew->base);
        auto by = walked.find(skew->by);
        int64_t moved = by == walked.end() ? 0 : by->second % size;
        int64_t sum = (value + (skew->plus ? size - moved : moved)) % size;
        if (sum != 0)
          index[skew->base] = sum;
      }
    found.insert(std::move(index));
  }

  const Node *root;
  const AxisSizes &axes;
  Meanings found;
};

/// Coordinates by axis, zeros left out; nothing for padding.
using Meaning = std::optional<std::map<std::string, int64_t>>;

inline Meaning meaningAt(const Node *root, int64_t position) {
  std::map<unsigned, std::pair<const Node *, int64_t>, std::greater<>> work;
  std::map<std::string, int64_t> index;
  auto give = [&](const Node *to, int64_t value) {
    auto &slot = work[to->id];
    slot.first = to;
    slot.second += value;
  };
  give(root, position);
  while (!work.empty()) {
    // Operands have smaller numbers, so all that is to be added has been.
    auto [node, p] = work.begin()->second;
    work.erase(work.begin());
    if (p < 0 || p >= node->size)
      return std::nullopt;
    switch (node->kind) {
    case Node::Axis:
      if (p != 0)
        index[node->axis] = p;
      break;
    case Node::Number:
      break;
    case Node::Group:
      for (size_t i = node->parts.size(); i-- > 0;) {
        give(node->parts[i], p % node->parts[i]->size);
        p /= node->parts[i]->size;
      }
      break;
    case Node::Divide:
      give(node->operand, p * node->n);
      break;
    case Node::Modulo:
      give(node->operand, p);
      break;
    case Node::Pad:
      if (p < node->low || p - node->low >= node->operand->size)
        return std::nullopt;
      give(node->operand, p - node->low);
      break;
    case Node::View:
      give(node->operand, p + node->low);
      break;
    case Node::Lookup:
    case Node::Sliding: // MeaningsOf
      ADD_FAILURE() << node->text();
      return std::nullopt;
    }
  }
  return index;
}

inline Meaning meaningOf(const std::optional<TensorIndex> &index) {
  if (!index)
    return std::nullopt;
  return std::map<std::string, int64_t>(index->begin(), index->end());
}

class ExpressionGenerator {
public:
  explicit ExpressionGenerator(uint64_t seed) : random(seed) {}

  int64_t pick(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  }
  bool chance(int percent) { return pick(1, 100) <= percent; }

  /// How often what is generated.
  struct Options {
    int split = 60, drop = 10, pad = 12, lowPad = 5, view = 10, number = 5;
    int group = 25;
    /// Whether a quotient may stand without its remainder, and the reverse,
    /// where position 0 of the operand is not index 0.
    bool dropOffsets = false;
    /// Only MeaningsOf understands these: sliding combinations of two terms,
    /// tables, and skewed axes in place of the axes they are made from.
    int sliding = 0, lookup = 0, skew = 0;
    /// How often the mapping is made by nested(), which draws the corners:
    /// offsets into padding, their quotients and remainders inside of sums.
    int nested = 0;
  };

  /// A mapping over `axes` made bottom up in a few steps, each of which wraps,
  /// splits or joins what the steps before left: views that begin or end in
  /// padding, parts of them grouped and slid again, digits of one position. All
  /// operators of the language that `options` allow are as likely.
  const Node *nested(const AxisSizes &axes, int64_t limit,
                     const Options &options) {
    while (true) {
      std::vector<const Node *> pool;
      for (const auto &[name, size] : axes.axes())
        pool.push_back(axis(skewed(name, options), size));
      // Two numbers could be parts of what reads as one group.
      if (chance(options.number))
        pool.push_back(number(pick(1, 3)));
      for (int64_t steps = pick(2, 8); steps > 0; --steps)
        step(pool, limit, options);
      while (pool.size() > 1 && chance(options.drop)) {
        size_t at = pick(0, pool.size() - 1);
        if (options.dropOffsets || !pool[at]->offset)
          pool.erase(pool.begin() + at);
      }
      const Node *root = group(std::move(pool));
      if (root->size <= limit)
        return root;
    }
  }

  /// A mapping over `axes` in random order and refinement, of at most `limit`
  /// positions.
  const Node *mapping(const AxisSizes &axes, int64_t limit,
                      const Options &options) {
    if (options.nested != 0 && chance(options.nested))
      return nested(axes, limit, options);
    while (true) {
      std::vector<const Node *> terms;
      for (const auto &[name, size] : axes.axes())
        refine(axis(skewed(name, options), size), 0, options, terms);
      if (chance(options.number))
        terms.push_back(number(pick(1, 4)));
      std::shuffle(terms.begin(), terms.end(), random);
      if (terms.size() > 2 && chance(options.group)) {
        std::vector<const Node *> inner(terms.end() - 2, terms.end());
        terms.resize(terms.size() - 2);
        std::vector<const Node *> parts;
        refine(group(std::move(inner)), 0, options, parts);
        terms.insert(terms.end(), parts.begin(), parts.end());
        if (chance(50))
          std::shuffle(terms.begin(), terms.end(), random);
      }
      if (options.sliding != 0 && terms.size() > 1 && chance(options.sliding)) {
        std::vector<const Node *> inner(terms.end() - 2, terms.end());
        terms.resize(terms.size() - 2);
        refine(slide(std::move(inner)), 0, options, terms);
        std::shuffle(terms.begin(), terms.end(), random);
      }
      if (terms.empty())
        terms.push_back(number(1));
      const Node *root = group(std::move(terms));
      if (root->size <= limit)
        return root;
    }
  }

  /// The parts of `root` in another order and refinement.
  const Node *rearranged(const Node *root, const Options &options) {
    std::vector<const Node *> terms;
    for (const Node *part : root->parts)
      refine(part, 2, options, terms);
    std::shuffle(terms.begin(), terms.end(), random);
    return group(std::move(terms));
  }

  const Node *axis(const std::string &name, int64_t size) {
    Node *node = make(Node::Axis, size);
    node->axis = name;
    node->offset = name.back() == '\'';
    return node;
  }
  /// `whole`: the strides of a pair, each the volume of the parts behind it.
  const Node *slide(std::vector<const Node *> parts, bool whole = false) {
    Node *node = make(Node::Sliding, 1);
    int64_t volume = 1;
    for (const Node *part : llvm::reverse(parts))
      if (whole) {
        node->strides.insert(node->strides.begin(), volume);
        volume *= part->size;
      }
    volume = 1;
    for (auto [i, part] : llvm::enumerate(parts)) {
      // Some do not overlap.
      if (!whole)
        node->strides.push_back(chance(15) ? volume : pick(1, 4));
      volume = part->size + pick(0, 1);
      node->size += (part->size - 1) * node->strides[i];
      node->offset |= part->offset;
    }
    node->parts = std::move(parts);
    return node;
  }
  const Node *lookup(const Node *operand) {
    Node *node = make(Node::Lookup, pick(1, 6));
    node->operand = operand;
    node->axis = "t" + std::to_string(tableList.size());
    int64_t first = pick(0, operand->size - 1);
    bool reversed = chance(30);
    for (int64_t i = 0; i < node->size; ++i)
      node->table.push_back(reversed ? std::max<int64_t>(first - i, 0)
                                     : pick(0, operand->size - 1));
    node->offset = operand->offset || node->table.front() != 0;
    tableList.emplace_back(node->axis, node->table);
    return node;
  }
  /// The tables since the last call, added to `axes`.
  void addTables(AxisSizes &axes) {
    for (const auto &[name, values] : tableList)
      llvm::cantFail(axes.addTable(name, values));
    tableList.clear();
  }
  /// Frees all nodes made so far.
  void clear() { nodes.clear(); }

  const Node *number(int64_t size) { return make(Node::Number, size); }
  const Node *group(std::vector<const Node *> parts) {
    int64_t size = 1;
    bool offset = false;
    for (const Node *part : parts) {
      size *= part->size;
      offset |= part->offset;
    }
    Node *node = make(Node::Group, size);
    node->parts = std::move(parts);
    node->offset = offset;
    return node;
  }
  const Node *apply(Node::Kind kind, const Node *operand, int64_t n,
                    int64_t low = 0) {
    int64_t size = kind == Node::Divide ? operand->size / n : n;
    Node *node = make(kind, size);
    node->operand = operand;
    node->n = n;
    node->low = low;
    node->offset = operand->offset || low > 0;
    return node;
  }

private:
  /// "B'" must be declared where options.skew is not 0.
  std::string skewed(const std::string &name, const Options &options) {
    if (options.skew != 0 && name == "B" && chance(options.skew))
      return "B'";
    return name;
  }

  /// One step of nested().
  void step(std::vector<const Node *> &pool, int64_t limit,
            const Options &options) {
    size_t at = pick(0, pool.size() - 1);
    const Node *node = pool[at];
    switch (pick(0, 10)) {
    case 0:
    case 1: // padding, on both sides as often as not
      if (options.pad != 0 && node->size <= limit / 2) {
        int64_t low = options.lowPad != 0 && chance(50) ? pick(1, 3) : 0;
        pool[at] = apply(Node::Pad, node, node->size + low + pick(0, 4), low);
      }
      return;
    case 2:
    case 3:
    case 10:
      if (options.view != 0) {
        int64_t n = pick(1, node->size);
        pool[at] = apply(Node::View, node, n, pick(0, node->size - n));
      }
      return;
    case 4:
    case 5:
    case 6: { // also by 1 and by the size
      std::vector<int64_t> divisors;
      for (int64_t n = 1; n <= node->size; ++n)
        if (node->size % n == 0)
          divisors.push_back(n);
      int64_t n = divisors[pick(0, divisors.size() - 1)];
      if ((n != 1 && n != node->size) || chance(30)) {
        const Node *quotient = apply(Node::Divide, node, n);
        const Node *remainder = apply(Node::Modulo, node, n);
        if (options.sliding != 0 && chance(30)) {
          pool[at] = slide({quotient, remainder}, /*whole=*/chance(80));
          return;
        }
        pool[at] = remainder;
        pool.insert(pool.begin() + at, quotient);
      }
      return;
    }
    case 7:
      if (options.lookup != 0)
        pool[at] = lookup(node);
      return;
    default: {
      if (options.group == 0)
        return;
      if (chance(30))
        std::shuffle(pool.begin(), pool.end(), random);
      size_t count = std::min<size_t>(pool.size() - at, pick(1, 3));
      std::vector<const Node *> inner(pool.begin() + at,
                                      pool.begin() + at + count);
      const Node *joined = options.sliding != 0 && chance(50)
                               ? slide(std::move(inner), /*whole=*/chance(50))
                               : group(std::move(inner));
      if (joined->size > limit)
        return;
      pool.erase(pool.begin() + at, pool.begin() + at + count);
      pool.insert(pool.begin() + at, joined);
      return;
    }
    }
  }

  Node *make(Node::Kind kind, int64_t size) {
    Node &node = nodes.emplace_back();
    node.kind = kind;
    node.id = static_cast<unsigned>(nodes.size());
    node.size = size;
    return &node;
  }

  void refine(const Node *node, int depth, const Options &options,
              std::vector<const Node *> &terms) {
    if (chance(options.pad))
      node = apply(Node::Pad, node, node->size + pick(1, 5));
    else if (chance(options.lowPad)) {
      int64_t low = pick(1, 3);
      node = apply(Node::Pad, node, node->size + low + pick(0, 3), low);
    } else if (chance(options.view)) {
      int64_t n = pick(1, node->size);
      node = apply(Node::View, node, n, pick(0, node->size - n));
    } else if (options.lookup != 0 && chance(options.lookup)) {
      node = lookup(node);
    }
    std::vector<int64_t> divisors;
    for (int64_t n = 2; n < node->size; ++n)
      if (node->size % n == 0)
        divisors.push_back(n);
    if (depth > 3 || divisors.empty() || !chance(options.split)) {
      terms.push_back(node);
      return;
    }
    int64_t n = divisors[pick(0, divisors.size() - 1)];
    bool mayDrop = options.dropOffsets || !node->offset;
    if (!mayDrop || !chance(options.drop))
      refine(apply(Node::Divide, node, n), depth + 1, options, terms);
    if (!mayDrop || !chance(options.drop))
      refine(apply(Node::Modulo, node, n), depth + 1, options, terms);
  }

  std::mt19937_64 random;
  std::deque<Node> nodes;
  std::vector<std::pair<std::string, std::vector<int64_t>>> tableList;
};

/// The seed of this run: fixed, or SEQUIN_TEST_SEED. Printed by the caller.
inline uint64_t testSeed(uint64_t fallback) {
  const char *text = std::getenv("SEQUIN_TEST_SEED");
  return text ? std::strtoull(text, nullptr, 0) : fallback;
}

} // namespace sequin::testing

#endif // SEQUIN_TEST_UNIT_STREAM_STREAMTESTSUPPORT_H
