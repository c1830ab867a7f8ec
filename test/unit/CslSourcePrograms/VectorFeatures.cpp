//===- VectorFeatures.cpp - Descriptors and what works on them ------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FeatureMaker.h"
#include "llvm/ADT/bit.h"

using namespace sequin::testing;
using namespace sequin::testing::model;

static std::vector<int64_t> numbers(std::mt19937_64 &random, int64_t count,
                                    int64_t low, int64_t high) {
  std::vector<int64_t> values;
  for (int64_t i = 0; i < count; ++i)
    values.push_back(roll(random, low, high));
  return values;
}

//===----------------------------------------------------------------------===//
// Descriptors that change
//===----------------------------------------------------------------------===//

void FeatureMaker::descriptors() {
  constexpr int64_t size = 24;
  Ty type = random() % 2 ? Ty::I16 : Ty::U32;
  std::string element = nameOf(type),
              move = "@mov" + std::to_string(widthOf(type));
  std::string from = array("from", type, numbers(random, size, 0, 99)),
              to = array("to", type, std::vector<int64_t>(size, 0));

  // All properties are running code's.
  statement([=](const Giver &giver) {
    ExprPtr count = masked(giver.expression(Ty::U16), 3);
    struct Side {
      std::string array;
      ExprPtr stride, offset;
    };
    auto side = [&](const std::string &array) {
      return Side{array, masked(giver.expression(Ty::I16), 3),
                  masked(giver.expression(Ty::I16), 7)};
    };
    Side reads = side(from), writes = side(to);
    auto dsd = [&](const Side &side) {
      return "@get_dsd(mem1d_dsd, .{ .base_address = &" + side.array +
             ", .extent = " + count->str() + ", .stride = @as(i8, " +
             bracketed(side.stride) +
             " - 1), .offset = " + bracketed(side.offset) + " + 4 })";
    };
    return source(move + "(" + dsd(writes) + ", " + dsd(reads) + ");",
                  [=](Scope &scope) {
                    // Nothing has a length: one element (DOP-007).
                    int64_t n = std::max<int64_t>(count->eval(scope), 1);
                    int64_t steps[2], starts[2];
                    const Side *sides[] = {&reads, &writes};
                    for (int k = 0; k < 2; ++k) {
                      steps[k] = sides[k]->stride->eval(scope) - 1;
                      starts[k] = sides[k]->offset->eval(scope) + 4;
                    }
                    auto &arrays = scope.globals->arrays;
                    for (int64_t i = 0; i < n; ++i)
                      arrays.at(to)[starts[1] + steps[1] * i] =
                          arrays.at(from)[starts[0] + steps[0] * i];
                  });
  });

  // A descriptor that moves over the array; `at` says where it is.
  std::string d = fresh("moving"), at = number("at", Ty::I16, 4),
              shifted = fresh("shifted");
  declare("var " + d +
          ": mem1d_dsd = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{4} -> " +
          from + "[i + 4] });");
  declare("fn " + shifted + "(d: mem1d_dsd, by: i16) mem1d_dsd {\n  return " +
          "@increment_dsd_offset(d, by, " + element + ");\n}");
  remember(d + ".length", 4);
  remember(d + ".stride", 1);
  statement([=](const Giver &) {
    return source(
        "if (" + at + " < 10) {\n    " + d + " = @increment_dsd_offset(" + d +
            ", 2, " + element + ");\n    " + at + " += 2;\n  } else {\n    " +
            d + " = @increment_dsd_offset(@set_dsd_base_addr(" + d + ", " +
            from + "), 4, " + element + ");\n    " + at + " = 4;\n  }",
        [=](Scope &scope) {
          int64_t where = scope.read(at);
          scope.write(at, where < 10 ? where + 2 : 4);
        });
  });
  statement([=](const Giver &giver) {
    ExprPtr where = masked(giver.expression(Ty::I16), 7);
    std::string target = bracketed(where) + " + 4";
    bool isReset = where->str().size() % 2;
    return source(
        isReset ? d + " = @set_dsd_base_addr(" + d + ", &" + from + ");\n  " +
                      at + " = " + target + ";\n  " + d + " = " + shifted +
                      "(" + d + ", " + at + ");"
                : d + " = " + shifted + "(" + d + ", " + target + " - " + at +
                      ");\n  " + at + " = " + target + ";",
        [=](Scope &scope) { scope.write(at, where->eval(scope) + 4); });
  });
  statement([=](const Giver &giver) {
    ExprPtr length = masked(giver.expression(Ty::U16), 3);
    return source(d + " = @set_dsd_length(" + d + ", " + bracketed(length) +
                      " + 1);",
                  [=](Scope &scope) {
                    scope.write(d + ".length", length->eval(scope) + 1);
                  });
  });
  statement([=](const Giver &giver) {
    ExprPtr stride = masked(giver.expression(Ty::I16), 3);
    return source(d + " = @set_dsd_stride(" + d + ", @as(i8, " +
                      bracketed(stride) + " - 1));",
                  [=](Scope &scope) {
                    scope.write(d + ".stride", stride->eval(scope) - 1);
                  });
  });
  // One of several, found in a loop.
  std::string pick = fresh("pick");
  declare("const " + pick +
          "_base = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{4} -> " + from +
          "[i] });\nfn " + pick +
          "(k: i16) mem1d_dsd {\n  for (@range(i16, 3)) |i| {\n    if (i == k) "
          "return @increment_dsd_offset(" +
          pick + "_base, 2 * i, " + element + ");\n  }\n  return " + pick +
          "_base;\n}");
  statement([=, &random = random](const Giver &giver) {
    Window writes = windowOf(random, to, size, 4);
    ExprPtr which = masked(giver.expression(Ty::I16), 3);
    return source(move + "(" + writes.str() + ", " + pick + "(" + which->str() +
                      "));",
                  [=](Scope &scope) {
                    auto &arrays = scope.globals->arrays;
                    int64_t k = which->eval(scope);
                    for (int64_t i = 0; i < 4; ++i)
                      arrays.at(to)[writes.at(i)] =
                          arrays.at(from)[(k < 3 ? 2 * k : 0) + i];
                  });
  });
  // The source says how many, whatever the destination's extent is.
  for (int64_t by : {0, 1})
    statement([=, &random = random](const Giver &) {
      Window writes = windowOf(random, to, size, 4);
      return source(move + "(" + writes.str() + ", " +
                        (by ? shifted + "(" + d + ", 1)" : d) + ");",
                    [=](Scope &scope) {
                      auto &arrays = scope.globals->arrays;
                      int64_t length = scope.read(d + ".length"),
                              stride = scope.read(d + ".stride"),
                              start = scope.read(at);
                      for (int64_t i = 0; i < length; ++i)
                        arrays.at(to)[writes.at(i)] =
                            arrays.at(from)[start + by + stride * i];
                    });
    });
}

//===----------------------------------------------------------------------===//
// Several dimensions
//===----------------------------------------------------------------------===//

namespace {
/// An access of an array with several dimensions by one to four variables.
struct Access {
  std::string text;           ///< the access, as CSL
  std::vector<int64_t> sizes; ///< outermost first
  std::vector<int64_t> coefficients;
  int64_t offset = 0, total = 1;

  std::vector<int64_t> elements() const {
    std::vector<int64_t> result;
    std::vector<int64_t> at(sizes.size(), 0);
    for (int64_t n = 0; n < total; ++n) {
      int64_t element = offset;
      for (size_t v = 0; v < at.size(); ++v)
        element += at[v] * coefficients[v];
      result.push_back(element);
      for (size_t v = at.size(); v-- > 0;) {
        if (++at[v] < sizes[v])
          break;
        at[v] = 0;
      }
    }
    return result;
  }
};
} // namespace

static Access makeAccess(std::mt19937_64 &random, const std::string &array,
                         const std::vector<int64_t> &shape, int64_t most) {
  static const char *const names[] = {"i", "j", "k", "l"};
  while (true) {
    Access access;
    auto count = static_cast<size_t>(roll(random, 2, 4));
    access.sizes.assign(count, 0);
    access.coefficients.assign(count, 0);
    std::vector<size_t> order(count);
    for (size_t v = 0; v < count; ++v)
      order[v] = v;
    std::shuffle(order.begin(), order.end(), random);
    std::string list;
    int64_t step = 1;
    for (int64_t size : shape)
      step *= size;
    for (size_t dimension = 0; dimension < shape.size(); ++dimension) {
      step /= shape[dimension];
      int64_t room = shape[dimension] - 1, constant = 0;
      std::string index;
      for (int64_t uses = roll(random, 0, 2); uses > 0 && !order.empty();
           --uses) {
        size_t v = order.back();
        order.pop_back();
        int64_t coefficient = roll(random, 1, 2);
        int64_t size =
            roll(random, 1, std::min<int64_t>(4, room / coefficient + 1));
        int64_t last = coefficient * (size - 1);
        room -= last;
        if (random() % 3 == 0) {
          coefficient = -coefficient;
          constant += last;
        }
        access.sizes[v] = size;
        access.coefficients[v] = coefficient * step;
        index += std::string(index.empty()     ? (coefficient < 0 ? "-" : "")
                             : coefficient < 0 ? " - "
                                               : " + ") +
                 (std::abs(coefficient) == 1 ? "" : "2 * ") + names[v];
      }
      constant += roll(random, 0, room);
      access.offset += constant * step;
      index += index.empty() ? std::to_string(constant)
                             : " + " + std::to_string(constant);
      list += (list.empty() ? "" : ", ") + index;
    }
    // The same elements again.
    for (size_t v : order)
      access.sizes[v] = roll(random, 1, 2);
    std::string variables, lengths, extents, strides;
    int64_t inner = 0;
    for (size_t v = 0; v < count; ++v) {
      access.total *= access.sizes[v];
      std::string comma = v ? ", " : "";
      variables += comma + names[v];
      lengths += comma + std::to_string(access.sizes[v]);
    }
    if (access.total > most)
      continue;
    // Strides innermost first, each from behind the last element of what is
    // inside of it.
    for (size_t v = count; v-- > 0;) {
      strides += (strides.empty() ? "" : ", ") +
                 std::to_string(access.coefficients[v] - inner);
      inner += access.coefficients[v] * (access.sizes[v] - 1);
    }
    bool isAccess = random() % 2;
    access.text =
        "@get_dsd(mem4d_dsd, .{ " +
        (isAccess ? ".tensor_access = |" + variables + "|{" + lengths +
                        "} -> " + array + "[" + list + "]"
                  : ".base_address = &" + array + ", .offset = " +
                        std::to_string(access.offset) + ", .extent = .{ " +
                        lengths + " }, .stride = .{ " + strides + " }") +
        " })";
    return access;
  }
}

void FeatureMaker::grids() {
  Ty type = random() % 2 ? Ty::U16 : Ty::I32;
  bool isHalf = widthOf(type) == 16;
  std::vector<int64_t> shape;
  std::string dimensions, list;
  int64_t size = 1;
  for (int64_t k = between(2, 3); k > 0; --k) {
    shape.push_back(between(2, 4 - static_cast<int64_t>(shape.size())));
    size *= shape.back();
    dimensions +=
        (dimensions.empty() ? "" : ", ") + std::to_string(shape.back());
  }
  std::vector<int64_t> values = numbers(random, size, 0, 99);
  for (int64_t value : values)
    list += (list.empty() ? "" : ", ") + std::to_string(value);
  std::string grid = fresh("grid");
  declare("var " + grid + " = [" + dimensions + "]" + nameOf(type) + " { " +
          list + " };");
  variable(grid, type, values, false);
  std::string line = array("line", type, numbers(random, 24, 0, 99));

  std::string move = isHalf ? "@mov16" : "@mov32";
  statement([=, &random = random](const Giver &) {
    Access access = makeAccess(random, grid, shape, 24);
    Window window = windowOf(random, line, 24, access.total);
    bool isWrite = random() % 3 == 0;
    std::string to = isWrite ? access.text : window.str(),
                from = isWrite ? window.str() : access.text;
    return source(move + "(" + to + ", " + from + ");", [=](Scope &scope) {
      auto &cells = scope.globals->arrays.at(grid);
      auto &row = scope.globals->arrays.at(line);
      int64_t i = 0;
      for (int64_t element : access.elements()) {
        (isWrite ? cells[element] : row[window.at(i)]) =
            isWrite ? row[window.at(i)] : cells[element];
        ++i;
      }
    });
  });
  if (isHalf)
    statement([=, &random = random](const Giver &giver) {
      Access access = makeAccess(random, grid, shape, 24);
      Window window = windowOf(random, line, 24, access.total);
      ExprPtr more = giver.expression(Ty::U16);
      return source("@add16(" + window.str() + ", " + access.text + ", " +
                        more->str() + ");",
                    [=](Scope &scope) {
                      int64_t by = more->eval(scope), i = 0;
                      for (int64_t element : access.elements())
                        scope.globals->arrays.at(line)[window.at(i++)] = wrap(
                            type, scope.globals->arrays.at(grid)[element] + by);
                    });
    });
  // Column by column, in registers.
  std::string id = fresh("columns");
  declare("const " + id + " = @get_dsr(dsr_src0, 7);\nconst " + id +
          "_x = @get_xdsr(4);");
  int64_t columns = shape.back(), rows = size / columns;
  statement([=, &random = random](const Giver &) {
    Window window = windowOf(random, line, 24, size);
    return source(
        "@load_to_dsr_xdsr_sr(" + id + ", " + id +
            "_x, .{ @get_sr(2) }, @get_dsd(mem4d_dsd, .{ .base_address = &" +
            grid + ", .extent = .{ " + std::to_string(columns) + ", " +
            std::to_string(rows) + " }, .stride = .{ " +
            std::to_string(columns) + ", " +
            std::to_string(1 - columns * (rows - 1)) + " } }));\n  " + move +
            "(" + window.str() + ", " + id + ");",
        [=](Scope &scope) {
          for (int64_t i = 0; i < size; ++i)
            scope.globals->arrays.at(line)[window.at(i)] =
                scope.globals->arrays.at(grid)[i % rows * columns + i / rows];
        });
  });
}

//===----------------------------------------------------------------------===//
// Arithmetic of vectors
//===----------------------------------------------------------------------===//

void FeatureMaker::integers() {
  struct Op {
    const char *name;
    std::function<int64_t(uint16_t, uint16_t)> apply;
    bool isShift;
  };
  static const Op ops[] = {
      {"add16", [](uint16_t a, uint16_t b) { return a + b; }, false},
      {"sub16", [](uint16_t a, uint16_t b) { return a - b; }, false},
      {"and16", [](uint16_t a, uint16_t b) { return a & b; }, false},
      {"or16", [](uint16_t a, uint16_t b) { return a | b; }, false},
      {"xor16", [](uint16_t a, uint16_t b) { return a ^ b; }, false},
      {"sll16", [](uint16_t a, uint16_t b) { return a << b; }, true},
      {"slr16", [](uint16_t a, uint16_t b) { return a >> b; }, true},
      {"sar16", [](uint16_t a, uint16_t b) { return int16_t(a) >> b; }, true}};
  Ty type = random() % 2 ? Ty::I16 : Ty::U16;
  std::string a = array(
                  "a", type,
                  numbers(random, kVector, isSigned(type) ? -30000 : 0, 30000)),
              b = array("b", type, numbers(random, kVector, 0, 15)),
              c = array("c", type, std::vector<int64_t>(kVector, 0)),
              one = number("last", type, 0);
  statement([=, &random = random](const Giver &giver) {
    const Op &op = ops[random() % std::size(ops)];
    int64_t count = roll(random, 1, kVector);
    Window to = windowOf(random, c, kVector, count),
           first = windowOf(random, a, kVector, count),
           second = windowOf(random, b, kVector, count);
    // Two vectors; a number and a vector; a vector and a number.
    int64_t form = roll(random, 0, 2);
    if (form == 1 && std::string(op.name) == "sub16")
      form = 0;
    ExprPtr scalar;
    if (form)
      scalar = giver.expression(random() % 2 ? Ty::I16 : Ty::U16);
    if (form == 2 && op.isShift)
      scalar = masked(scalar, 15);
    return source(
        std::string("@") + op.name + "(" + to.str() + ", " +
            (form == 1 ? scalar->str() : first.str()) + ", " +
            (form == 2 ? scalar->str() : second.str()) + ");",
        [=](Scope &scope) {
          auto &arrays = scope.globals->arrays;
          int64_t x = scalar ? scalar->eval(scope) : 0;
          for (int64_t i = 0; i < count; ++i)
            arrays.at(c)[to.at(i)] =
                wrap(type,
                     op.apply(static_cast<uint16_t>(
                                  form == 1 ? x : arrays.at(a)[first.at(i)]),
                              static_cast<uint16_t>(
                                  form == 2 ? x : arrays.at(b)[second.at(i)])));
        });
  });
  statement([=, &random = random](const Giver &giver) {
    auto which = static_cast<size_t>(roll(random, 0, 2));
    static const char *const names[] = {"@clz", "@ctz", "@popcnt"};
    int64_t count = roll(random, 1, kVector);
    Window to = windowOf(random, c, kVector, count),
           from = windowOf(random, a, kVector, count);
    ExprPtr scalar;
    if (random() % 3 == 0)
      scalar = giver.expression(random() % 2 ? Ty::I16 : Ty::U16);
    return source(std::string(names[which]) + "(" + to.str() + ", " +
                      (scalar ? scalar->str() : from.str()) + ");",
                  [=](Scope &scope) {
                    auto &arrays = scope.globals->arrays;
                    int64_t x = scalar ? scalar->eval(scope) : 0;
                    for (int64_t i = 0; i < count; ++i) {
                      auto bits = static_cast<uint16_t>(
                          scalar ? x : arrays.at(a)[from.at(i)]);
                      arrays.at(c)[to.at(i)] =
                          which == 0   ? llvm::countl_zero(bits)
                          : which == 1 ? llvm::countr_zero(bits)
                                       : llvm::popcount(bits);
                    }
                  });
  });
  // Into one number: the last element stays. All elements the same.
  statement([=, &random = random](const Giver &giver) {
    int64_t count = roll(random, 1, kVector);
    Window from = windowOf(random, a, kVector, count),
           to = windowOf(random, c, kVector, count);
    ExprPtr fill = giver.expression(type);
    return source("@mov16(&" + one + ", " + from.str() + ");\n  @mov16(" +
                      to.str() + ", " + fill->str() + ");",
                  [=](Scope &scope) {
                    auto &arrays = scope.globals->arrays;
                    scope.write(one, arrays.at(a)[from.at(count - 1)]);
                    int64_t value = fill->eval(scope);
                    for (int64_t i = 0; i < count; ++i)
                      arrays.at(c)[to.at(i)] = value;
                  });
  });
}

void FeatureMaker::floatVectors() {
  // Whole numbers so small that all results are exact.
  using Apply = std::function<double(double, double, double)>;
  struct Op {
    const char *name;
    const char *types; ///< destination, first and second source, x
    Apply apply;
  };
  auto add = [](double a, double b, double) { return a + b; };
  auto subtract = [](double a, double b, double) { return a - b; };
  auto multiply = [](double a, double b, double) { return a * b; };
  auto most = [](double a, double b, double) { return std::max(a, b); };
  auto mac = [](double a, double b, double x) { return a + b * x; };
  auto same = [](double a, double, double) { return a; };
  auto negate = [](double a, double, double) { return -a; };
  auto absolute = [](double a, double, double) { return std::fabs(a); };
  const std::vector<Op> ops = {
      {"fadds", "sss", add},      {"faddh", "hhh", add},
      {"fsubs", "sss", subtract}, {"fsubh", "hhh", subtract},
      {"fmuls", "sss", multiply}, {"fmulh", "hhh", multiply},
      {"fmaxs", "sss", most},     {"fmaxh", "hhh", most},
      {"fmacs", "ssss", mac},     {"fmach", "hhhh", mac},
      {"fmachs", "sshh", mac},    {"fmovs", "ss", same},
      {"fmovh", "hh", same},      {"fnegs", "ss", negate},
      {"fnegh", "hh", negate},    {"fabss", "ss", absolute},
      {"fabsh", "hh", absolute},  {"fh2s", "sh", same},
      {"fs2h", "hs", same},       {"fh2xp16", "ih", same},
      {"fs2xp16", "is", same},    {"xp162fh", "hi", same},
      {"xp162fs", "si", same}};
  std::map<char, std::string> from, second, to, acc, types;
  std::map<char, std::function<int64_t(double)>> encode;
  types = {{'s', "f32"}, {'h', half.name}, {'i', "i16"}};
  encode['s'] = [](double x) { return bitsOf(static_cast<float>(x)); };
  encode['h'] = [half = half](double x) { return halfOf(half, x); };
  encode['i'] = [](double x) { return static_cast<int64_t>(x); };
  std::map<std::string, std::vector<int64_t>> content;
  for (auto *side : {&from, &second, &to})
    for (auto [letter, type] : types) {
      Ty bits = letter == 's' ? Ty::U32 : letter == 'h' ? Ty::U16 : Ty::I16;
      std::vector<int64_t> values = side == &to
                                        ? std::vector<int64_t>(kVector, 0)
                                        : numbers(random, kVector, -9, 9);
      std::string stem = "v" + type + "_";
      (*side)[letter] = letter == 'i'
                            ? array(stem, bits, values)
                            : array(stem, type, bits, values, encode[letter]);
      content[(*side)[letter]] = values;
    }
  for (char letter : {'s', 'h'}) {
    acc[letter] = fresh("sum");
    declare("var " + acc[letter] + ": " + types[letter] + " = 0.0;");
    variable(acc[letter], letter == 's' ? Ty::U32 : Ty::U16, {0}, false);
  }
  statement([=, &random = random](const Giver &giver) {
    const Op &op = ops[random() % ops.size()];
    std::string kinds = op.types;
    size_t sources = std::min<size_t>(kinds.size() - 1, 2);
    int64_t count = roll(random, 1, kVector);
    Window dest = windowOf(random, to.at(kinds[0]), kVector, count);
    Window reads[2] = {windowOf(random, from.at(kinds[1]), kVector, count),
                       windowOf(random,
                                second.at(kinds.size() > 2 ? kinds[2] : 's'),
                                kVector, count)};
    ExprPtr number = masked(giver.expression(Ty::I16), 15);
    auto scalar = [&](char letter) {
      return letter == 'i'
                 ? number->str()
                 : "@as(" + types.at(letter) + ", " + number->str() + ")";
    };
    // Where a number stands: nowhere, instead of one source, or as x.
    size_t at = kinds.size() == 4 ? 3 : random() % (sources + 1);
    std::string text = std::string("@") + op.name + "(" + dest.str();
    for (size_t k = 1; k < kinds.size(); ++k)
      text += ", " + (k == at ? scalar(kinds[k]) : reads[k - 1].str());
    auto code = encode.at(kinds[0]);
    return source(
        text + ");", [=, apply = op.apply, content = content](Scope &scope) {
          auto x = static_cast<double>(number->eval(scope));
          for (int64_t i = 0; i < count; ++i) {
            double operands[3] = {0, 0, x};
            for (size_t k = 0; k < sources; ++k)
              operands[k] = k + 1 == at ? x
                                        : static_cast<double>(content.at(
                                              reads[k].array)[reads[k].at(i)]);
            scope.globals->arrays.at(dest.array)[dest.at(i)] =
                code(apply(operands[0], operands[1], operands[2]));
          }
        });
  });
  // Sums into one number.
  statement([=, &random = random](const Giver &giver) {
    char letter = random() % 2 ? 's' : 'h';
    bool isMixed = letter == 's' && random() % 2;
    Window reads = windowOf(random, from.at(isMixed ? 'h' : letter), kVector,
                            roll(random, 1, kVector));
    ExprPtr number = masked(giver.expression(Ty::I16), 15);
    std::string sum = acc.at(letter);
    auto code = encode.at(letter);
    return source(
        sum + " = @as(" + types.at(letter) + ", " + number->str() +
            ");\n  @fadd" + (isMixed ? "hs" : std::string(1, letter)) + "(&" +
            sum + ", " + sum + ", " + reads.str() + ");",
        [=, content = content](Scope &scope) {
          auto value = static_cast<double>(number->eval(scope));
          for (int64_t i = 0; i < reads.extent; ++i)
            value += static_cast<double>(content.at(reads.array)[reads.at(i)]);
          scope.write(sum, code(value));
        });
  });
}

//===----------------------------------------------------------------------===//
// Functions over vectors, rings
//===----------------------------------------------------------------------===//

void FeatureMaker::maps() {
  Ty type = random() % 2 ? Ty::I16 : Ty::I32;
  std::string element = nameOf(type);
  std::string from = array("from", type, numbers(random, kVector, -99, 99)),
              other = array("other", type, numbers(random, kVector, -99, 99)),
              to = array("to", type, std::vector<int64_t>(kVector, 0)),
              total = number("total", type, 0),
              count = number("count", Ty::U16, 0);
  std::string one = fresh("one"), two = fresh("two"), note = fresh("note");
  declare("fn " + one + "(x: " + element + ") " + element +
          " { return if (x < 0) -x else x * 3; }");
  declare("fn " + two + "(x: " + element + ", y: " + element +
          ", by: " + element + ") " + element + " { return x * by - y; }");
  declare("fn " + note + "(x: " + element + ") void {\n  " + total + " = " +
          total + " * 3 + x;\n  " + count + " += 1;\n}");
  statement([=, &random = random](const Giver &) {
    int64_t n = roll(random, 1, kVector);
    Window reads = windowOf(random, from, kVector, n),
           writes = windowOf(random, to, kVector, n);
    return source(
        "@map(" + one + ", " + reads.str() + ", " + writes.str() + ");",
        [=](Scope &scope) {
          auto &arrays = scope.globals->arrays;
          for (int64_t i = 0; i < n; ++i) {
            int64_t x = arrays.at(from)[reads.at(i)];
            arrays.at(to)[writes.at(i)] = wrap(type, x < 0 ? -x : x * 3);
          }
        });
  });
  // The second vector is also where the results go.
  statement([=, &random = random](const Giver &giver) {
    int64_t n = roll(random, 1, kVector);
    Window reads = windowOf(random, from, kVector, n),
           both = windowOf(random, other, kVector, n);
    ExprPtr by = masked(giver.expression(type), 7);
    return source("@map(" + two + ", " + reads.str() + ", " + both.str() +
                      ", " + by->str() + ", " + both.str() + ");",
                  [=](Scope &scope) {
                    auto &arrays = scope.globals->arrays;
                    int64_t factor = by->eval(scope);
                    for (int64_t i = 0; i < n; ++i) {
                      int64_t &y = arrays.at(other)[both.at(i)];
                      y = wrap(type, arrays.at(from)[reads.at(i)] * factor - y);
                    }
                  });
  });
  statement([=, &random = random](const Giver &) {
    int64_t n = roll(random, 1, kVector);
    Window reads = windowOf(random, other, kVector, n);
    return source(
        "@map(" + note + ", " + reads.str() + ");", [=](Scope &scope) {
          for (int64_t i = 0; i < n; ++i) {
            int64_t x = scope.globals->arrays.at(other)[reads.at(i)];
            scope.write(total,
                        wrap(type, wrap(type, scope.read(total) * 3) + x));
            scope.write(count, wrap(Ty::U16, scope.read(count) + 1));
          }
        });
  });
  // One step after another, in a register.
  std::string id = fresh("steps");
  declare("const " + id + " = @get_dsr(dsr_src1, 6);");
  statement([=, &random = random](const Giver &) {
    int64_t n = roll(random, 1, kVector);
    Window reads = windowOf(random, from, kVector, n),
           writes = windowOf(random, to, kVector, n);
    return source("@load_to_dsr(" + id + ", " + reads.str() +
                      ", .{ .single_step = true });\n  @map(" + one + ", " +
                      id + ", " + writes.str() + ");",
                  [=](Scope &scope) {
                    auto &arrays = scope.globals->arrays;
                    for (int64_t i = 0; i < n; ++i) {
                      int64_t x = arrays.at(from)[reads.at(i)];
                      arrays.at(to)[writes.at(i)] =
                          wrap(type, x < 0 ? -x : x * 3);
                    }
                  });
  });
}

void FeatureMaker::rings() {
  // A ring that is loaded before the start, and whose head stays where each
  // operation leaves it.
  int64_t size = between(3, 7), extent = between(1, 9);
  std::string ring = array("ring", Ty::I16, numbers(random, size, -99, 99)),
              to = array("to", Ty::I16, std::vector<int64_t>(24, 0)),
              id = fresh("head");
  declare("const " + id + " = @get_dsr(dsr_src0, 4);\ncomptime {\n  " +
          "@load_to_dsr_xdsr(" + id +
          ", @get_xdsr(5), @get_dsd(circbuf_dsd, .{ .base_address = &" + ring +
          ", .extent = " + std::to_string(extent) +
          " }), .{ .save_address = true });\n}");
  remember(id, 0);
  for (bool hasNumber : {false, true})
    statement([=, &random = random](const Giver &giver) {
      Window writes = windowOf(random, to, 24, extent);
      ExprPtr more = giver.expression(Ty::I16);
      return source(hasNumber ? "@add16(" + writes.str() + ", " + id + ", " +
                                    more->str() + ");"
                              : "@mov16(" + writes.str() + ", " + id + ");",
                    [=](Scope &scope) {
                      int64_t head = scope.read(id),
                              by = hasNumber ? more->eval(scope) : 0;
                      for (int64_t i = 0; i < extent; ++i) {
                        int64_t x = scope.globals->arrays.at(ring)[head];
                        scope.globals->arrays.at(to)[writes.at(i)] =
                            wrap(Ty::I16, x + by);
                        head = (head + 1) % size;
                      }
                      scope.write(id, head);
                    });
    });
}
