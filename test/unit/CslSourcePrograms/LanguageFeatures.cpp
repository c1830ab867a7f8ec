//===- LanguageFeatures.cpp - Functions, types and numbers ----------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FeatureMaker.h"
#include <limits>

using namespace sequin::testing;
using namespace sequin::testing::model;

/// The low bits, as an integer of any width has them.
static int64_t wrapTo(unsigned bits, bool hasSign, int64_t value) {
  if (bits >= 64)
    return value;
  auto low = static_cast<int64_t>(static_cast<uint64_t>(value) &
                                  ((uint64_t(1) << bits) - 1));
  return hasSign && (low >> (bits - 1)) ? low - (int64_t(1) << bits) : low;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

void FeatureMaker::recursion() {
  std::string fib = fresh("fib"), gcd = fresh("gcd"), known = fresh("known"),
              result = number("result", Ty::U16, 0), table = fresh("sines");
  declare("fn " + fib + "(n: u16) u16 {\n  if (n < 2) return n;\n  return " +
          fib + "(n - 1) + " + fib + "(n - 2);\n}");
  declare("fn " + gcd + "(a: u16, b: u16) u16 {\n  return if (b == 0) a else " +
          gcd + "(b, a % b);\n}");
  int64_t n = between(0, 12);
  auto fibonacci = [](int64_t n) {
    int64_t a = 0, b = 1;
    for (; n > 0; --n) {
      std::swap(a, b);
      b += a;
    }
    return a;
  };
  declare("const " + known + " = " + fib + "(" + std::to_string(n) + ");");
  // A table that a function of the compiler fills, with a loop until a
  // condition.
  std::string fill = fresh("fill");
  declare("fn " + fill +
          "() [8]u16 {\n  var made = @zeros([8]u16);\n  var at: "
          "u16 = 0;\n  while (true) {\n    made[at] = " +
          fib +
          "(at) * at;\n    at += 1;\n    if (at == 8) break;\n  }\n  "
          "return made;\n}\nconst " +
          table + " = " + fill + "();");
  statement([=](const Giver &giver) {
    ExprPtr value = masked(giver.expression(Ty::U16), 7);
    return source(result + " = " + fib + "(" + value->str() + ") + " + known +
                      " + " + table + "[" + value->str() + "];",
                  [=](Scope &scope) {
                    int64_t at = value->eval(scope);
                    scope.write(result, wrap(Ty::U16, fibonacci(at) * (at + 1) +
                                                          fibonacci(n)));
                  });
  });
  statement([=](const Giver &giver) {
    ExprPtr a = masked(giver.expression(Ty::U16), 255),
            b = masked(giver.expression(Ty::U16), 255);
    return source(result + " = " + gcd + "(" + a->str() + ", " + b->str() +
                      ");",
                  [=](Scope &scope) {
                    int64_t x = a->eval(scope), y = b->eval(scope);
                    while (y) {
                      x %= y;
                      std::swap(x, y);
                    }
                    scope.write(result, x);
                  });
  });
  // The same without a call; how often is not known.
  statement([=, fresh = fresh](const Giver &giver) {
    ExprPtr a = masked(giver.expression(Ty::U16), 255),
            b = masked(giver.expression(Ty::U16), 255);
    std::string x = fresh("x"), y = fresh("y"), rest = fresh("rest");
    return source("var " + x + " = " + a->str() + ";\n  var " + y + " = " +
                      b->str() + ";\n  while (" + y + " != 0) {\n    const " +
                      rest + " = " + x + " % " + y + ";\n    " + x + " = " + y +
                      ";\n    " + y + " = " + rest + ";\n  }\n  " + result +
                      " = " + x + ";",
                  [=](Scope &scope) {
                    int64_t x = a->eval(scope), y = b->eval(scope);
                    while (y) {
                      x %= y;
                      std::swap(x, y);
                    }
                    scope.write(result, x);
                  });
  });
}

void FeatureMaker::generics() {
  Ty type = std::vector<Ty>{Ty::I16, Ty::U16, Ty::I32, Ty::U32}[random() % 4];
  std::string element = nameOf(type), ring = fresh("Ring"),
              push = fresh("push"), sum = fresh("sum"), last = fresh("last"),
              kept = fresh("kept"), result = number("result", type, 0);
  int64_t size = between(2, 5);
  declare("fn " + ring + "(comptime T: type, comptime n: u16) type {\n  " +
          "return struct { data: [n]T, used: u16 };\n}");
  // Of any such struct.
  declare("fn " + push + "(ring: anytype, comptime n: u16, x: anytype) void " +
          "{\n  ring.*.data[ring.*.used] = x;\n  ring.*.used += 1;\n  if "
          "(ring.*.used == n) ring.*.used = 0;\n}");
  declare("fn " + sum + "(comptime T: type, values: [*]const T, n: u16) T {\n" +
          "  var result: T = 0;\n  for (@range(u16, n)) |i| {\n    result = " +
          "result * 2 + values[i];\n  }\n  return result;\n}");
  declare("fn " + last + "(comptime T: type, comptime n: u16, ring: " + ring +
          "(T, n)) T {\n  @comptime_assert(n >= 2);\n  return ring.data[if "
          "(ring.used == 0) n - 1 else ring.used - 1];\n}");
  std::string shape = "(" + element + ", " + std::to_string(size) + ")";
  declare("var " + kept + " = " + ring + shape + " { .data = @zeros([" +
          std::to_string(size) + "]" + element + "), .used = 0 };");
  for (int64_t i = 0; i < size; ++i)
    remember(kept + "." + std::to_string(i), 0);
  remember(kept + ".used", 0);
  statement([=](const Giver &giver) {
    ExprPtr value = giver.expression(type);
    return source(push + "(&" + kept + ", " + std::to_string(size) + ", " +
                      value->str() + ");",
                  [=](Scope &scope) {
                    int64_t used = scope.read(kept + ".used"),
                            x = value->eval(scope);
                    scope.write(kept + "." + std::to_string(used), x);
                    scope.write(kept + ".used", (used + 1) % size);
                  });
  });
  statement([=](const Giver &) {
    return source(result + " = " + sum + "(" + element + ", &" + kept +
                      ".data, " + std::to_string(size) + ");",
                  [=](Scope &scope) {
                    int64_t sum = 0;
                    for (int64_t i = 0; i < size; ++i)
                      sum = wrap(type, sum * 2 + scope.read(kept + "." +
                                                            std::to_string(i)));
                    scope.write(result, sum);
                  });
  });
  statement([=](const Giver &) {
    return source(result + " = " + last + "(" + element + ", " +
                      std::to_string(size) + ", " + kept + ");",
                  [=](Scope &scope) {
                    int64_t used = scope.read(kept + ".used");
                    scope.write(
                        result,
                        scope.read(kept + "." +
                                   std::to_string((used + size - 1) % size)));
                  });
  });
}

void FeatureMaker::callbacks() {
  Ty type = random() % 2 ? Ty::I32 : Ty::U16;
  std::string element = nameOf(type), double_ = fresh("doubled"),
              square = fresh("squared"), flip = fresh("flipped"),
              twice = fresh("twice"), table = fresh("functions"),
              chosen = fresh("chosen"), result = number("result", type, 1),
              calls = number("calls", Ty::U16, 0), asked = fresh("asked");
  auto function = [&](const std::string &name, const std::string &value) {
    declare("fn " + name + "(x: " + element + ") " + element + " { return " +
            value + "; }");
  };
  function(double_, "2 * x");
  function(square, "x * x");
  function(flip, "~x");
  std::string pointer = "*const fn(" + element + ") " + element;
  declare("fn " + twice + "(f: " + pointer + ", x: " + element + ") " +
          element + " { return f(f(x)); }");
  declare("const " + table + " = [4]" + pointer + " { " + double_ + ", " +
          square + ", &" + flip + ", " + double_ + " };");
  declare("var " + chosen + ": " + pointer + " = " + flip + ";");
  remember(chosen, 2);
  declare("fn " + asked + "(answer: bool) bool {\n  " + calls +
          " += 1;\n  return answer;\n}");
  auto apply = [type](int64_t which, int64_t x) {
    return wrap(type, which == 1
                          ? static_cast<int64_t>(static_cast<uint64_t>(x) *
                                                 static_cast<uint64_t>(x))
                      : which == 2 ? ~x
                                   : 2 * x);
  };
  statement([=](const Giver &giver) {
    ExprPtr which = masked(giver.expression(Ty::U16), 3);
    return source(chosen + " = " + table + "[" + which->str() + "];",
                  [=](Scope &scope) {
                    int64_t i = which->eval(scope);
                    scope.write(chosen, i == 3 ? 0 : i);
                  });
  });
  statement([=](const Giver &giver) {
    ExprPtr value = giver.expression(type);
    return source(
        result + " = " + twice + "(" + chosen + ", " + value->str() + ");",
        [=](Scope &scope) {
          int64_t which = scope.read(chosen);
          scope.write(result, apply(which, apply(which, value->eval(scope))));
        });
  });
  // The right side runs only where it counts.
  statement([=](const Giver &giver) {
    ExprPtr a = giver.expression(Ty::Bool), b = giver.expression(Ty::Bool),
            c = giver.expression(Ty::Bool);
    auto ask = [&](const ExprPtr &e) { return asked + "(" + e->str() + ")"; };
    return source(
        "if (" + ask(a) + " and " + ask(b) + " or !" + ask(c) + ") " + result +
            " += 1;",
        [=](Scope &scope) {
          bool x = a->eval(scope), y = b->eval(scope), z = c->eval(scope);
          int64_t count = x && y ? 2 : x ? 3 : 2;
          scope.write(calls, wrap(Ty::U16, scope.read(calls) + count));
          if ((x && y) || !z)
            scope.write(result, wrap(type, scope.read(result) + 1));
        });
  });
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

void FeatureMaker::packed() {
  std::string flags = fresh("Flags"), kind = fresh("Kind"),
              state = fresh("flags"), bits = number("bits", Ty::U16, 0),
              part = number("part", Ty::I16, 0), words = fresh("Words"),
              number32 = number("word", Ty::U32, 0);
  declare("const " + flags +
          " = packed struct { ready: bool, kind: u3, level: "
          "i4, rest: u8 };");
  declare("const " + words +
          " = packed union { number: u32, words: packed "
          "struct { low: u16, high: i16 } };");
  declare("var " + state + " = " + flags +
          " { .ready = true, .kind = 5, .level = -2, .rest = 18 };");
  // The backing integer.
  remember(state, 0x12eb);
  struct Field {
    const char *name;
    const char *type;
    int64_t low, mask;
    Ty given;
  };
  static const Field fields[] = {{"kind", "u3", 1, 7, Ty::U16},
                                 {"level", "i4", 4, 15, Ty::I16},
                                 {"rest", "u8", 8, 255, Ty::U16}};
  statement([=, &random = random](const Giver &giver) {
    const Field &field = fields[random() % std::size(fields)];
    bool hasSign = field.given == Ty::I16;
    ExprPtr value =
        masked(giver.expression(field.given), hasSign ? 7 : field.mask);
    return source(state + "." + field.name + " = @as(" + field.type + ", " +
                      bracketed(value) + (hasSign ? " - 4" : "") + ");",
                  [=](Scope &scope) {
                    int64_t x = value->eval(scope) - (hasSign ? 4 : 0),
                            old = scope.read(state);
                    scope.write(state, (old & ~(field.mask << field.low)) |
                                           ((x & field.mask) << field.low));
                  });
  });
  statement([=](const Giver &giver) {
    ExprPtr value = giver.expression(Ty::Bool);
    return source(state + ".ready = " + value->str() + ";\n  " + bits +
                      " = @bitcast(u16, " + state + ");",
                  [=](Scope &scope) {
                    int64_t now = (scope.read(state) & ~1) | value->eval(scope);
                    scope.write(state, now);
                    scope.write(bits, now);
                  });
  });
  statement([=](const Giver &) {
    return source("if (" + state + ".ready) " + part + " = " + state +
                      ".level else " + part + " = @as(i16, " + state +
                      ".rest) - " + state + ".kind;",
                  [=](Scope &scope) {
                    int64_t now = scope.read(state);
                    scope.write(part, now & 1 ? wrapTo(4, true, now >> 4)
                                              : (now >> 8) - (now >> 1 & 7));
                  });
  });
  statement([=, fresh = fresh](const Giver &giver) {
    ExprPtr value = giver.expression(Ty::U32);
    std::string made = fresh("made");
    return source(
        "const " + made + " = " + words + " { .number = " + value->str() +
            " };\n  " + part + " = " + made + ".words.high;\n  " + number32 +
            " = @bitcast(u32, " + made + ") ^ " + made + ".words.low;",
        [=](Scope &scope) {
          int64_t x = value->eval(scope);
          scope.write(part, wrap(Ty::I16, x >> 16));
          scope.write(number32, x ^ (x & 0xffff));
        });
  });
}

void FeatureMaker::widths() {
  struct Width {
    const char *name;
    unsigned bits;
    bool hasSign;
  };
  static const Width widths[] = {
      {"i8", 8, true},   {"u8", 8, false},   {"i4", 4, true},
      {"u5", 5, false},  {"i12", 12, true},  {"u24", 24, false},
      {"i33", 33, true}, {"u48", 48, false}, {"i64", 64, true}};
  const Width &width = widths[random() % std::size(widths)];
  std::string odd = fresh("odd"), low = number("low", Ty::I32, 0),
              rest = number("rest", Ty::U16, 0), type = width.name,
              less = fresh("less");
  declare("var " + odd + ": " + type + " = 3;");
  declare("var " + less + ": bool = false;");
  variable(less, Ty::Bool, {0}, false);
  remember(odd, 3);
  auto cut = [width](uint64_t value) {
    return wrapTo(width.bits, width.hasSign, static_cast<int64_t>(value));
  };
  // What fits any of them, and bits that do not.
  statement([=](const Giver &giver) {
    ExprPtr value = masked(giver.expression(Ty::I16), 7);
    return source(
        odd + " = " + odd + " * 5 + @as(" + type + ", " + value->str() + ");",
        [=](Scope &scope) {
          scope.write(odd, cut(static_cast<uint64_t>(scope.read(odd)) * 5 +
                               static_cast<uint64_t>(value->eval(scope))));
        });
  });
  statement([=](const Giver &giver) {
    ExprPtr value = giver.expression(Ty::I32);
    return source(odd + " = @as(" + type + ", " + bracketed(value) + " ^ " +
                      low + ") ^ " + odd + ";",
                  [=](Scope &scope) {
                    int64_t x = value->eval(scope) ^ scope.read(low);
                    scope.write(odd, cut(static_cast<uint64_t>(
                                         cut(static_cast<uint64_t>(x)) ^
                                         scope.read(odd))));
                  });
  });
  statement([=](const Giver &giver) {
    ExprPtr by = masked(giver.expression(Ty::U16), 3);
    return source(low + " = @as(i32, " + odd + " >> (" + by->str() + "));\n  " +
                      rest + " = @as(u16, " + odd + ");\n  " + less + " = " +
                      odd + " < 2;",
                  [=](Scope &scope) {
                    int64_t x = scope.read(odd);
                    scope.write(low, wrap(Ty::I32, x >> by->eval(scope)));
                    scope.write(rest, wrap(Ty::U16, x));
                    scope.write(less, x < 2);
                  });
  });
  statement([=](const Giver &giver) {
    ExprPtr by = masked(giver.expression(Ty::U16), 3);
    return source(odd + " = " + odd + " << (" + by->str() + ");\n  " + odd +
                      " = ~" + odd + " / 3;",
                  [=](Scope &scope) {
                    int64_t x = cut(static_cast<uint64_t>(scope.read(odd))
                                    << by->eval(scope));
                    scope.write(odd, cut(static_cast<uint64_t>(~x)) / 3);
                  });
  });
}

void FeatureMaker::specials() {
  std::string math = fresh("math"), x = fresh("special"),
              bits = number("bits", Ty::U32, 0),
              short_ = number("half", Ty::U16, 0),
              found = number("found", Ty::U16, 0),
              whole = number("whole", Ty::I32, 0);
  declare("const " + math + " = @import_module(\"<math>\");");
  declare("var " + x + ": f32 = 0.0;");
  variable(x, Ty::U32, {0}, false);
  static const uint32_t patterns[] = {0x7f800000, 0xff800000, 0x7fc00000,
                                      0x80000000, 0x3f800000, 0xc0200000,
                                      0x00000000, 0x41200000};
  std::string table = fresh("patterns");
  declare("const " + table +
          " = [8]u32 { 0x7f800000, 0xff800000, 0x7fc00000, "
          "0x80000000, 0x3f800000, 0xc0200000, 0, "
          "0x41200000 };");
  statement([=](const Giver &giver) {
    ExprPtr which = masked(giver.expression(Ty::U16), 7);
    return source(
        x + " = @bitcast(f32, " + table + "[" + which->str() + "]);",
        [=](Scope &scope) { scope.write(x, patterns[which->eval(scope)]); });
  });
  // All comparisons with NaN are false but one.
  statement([=](const Giver &) {
    std::string text = found + " = 0;";
    const char *const tests[] = {" < 1.0",  " <= 1.0", " > 1.0",
                                 " >= 1.0", " == 1.0", " != 1.0"};
    for (int k = 0; k < 6; ++k)
      text += "\n  if (" + x + tests[k] + ") " + found +
              " += " + std::to_string(1 << k) + ";";
    text += "\n  if (@as(bool, " + x + ")) " + found + " += 64;\n  if (" +
            math + ".isNaN(" + x + ")) " + found + " += 128;\n  if (" + math +
            ".isInf(" + x + ")) " + found + " += 256;";
    return source(text, [=](Scope &scope) {
      float value = floatOf(scope.read(x));
      bool isNaN = std::isnan(value);
      scope.write(found, (value < 1) | (value <= 1) << 1 | (value > 1) << 2 |
                             (value >= 1) << 3 | (value == 1) << 4 |
                             (value != 1) << 5 | (isNaN || value != 0) << 6 |
                             isNaN << 7 | std::isinf(value) << 8);
    });
  });
  statement([=](const Giver &) {
    return source("if (!" + math + ".isNaN(" + x + ")) " + bits +
                      " = @bitcast(u32, -" + x + ");",
                  [=](Scope &scope) {
                    float value = floatOf(scope.read(x));
                    if (!std::isnan(value))
                      scope.write(bits, bitsOf(-value));
                  });
  });
  // Conversions of what has a value in the other type.
  struct Kind {
    const char *type;
    unsigned bits;
    bool hasSign;
  };
  statement([=, &random = random, half = this->half](const Giver &giver) {
    static const Kind kinds[] = {{"i8", 8, true},   {"u8", 8, false},
                                 {"i16", 16, true}, {"u16", 16, false},
                                 {"i32", 32, true}, {"u32", 32, false}};
    const Kind &kind = kinds[random() % std::size(kinds)];
    ExprPtr value = masked(giver.expression(Ty::I16), 63);
    std::string scale = std::to_string(roll(random, 0, 3)) + ".25";
    double factor = std::stod(scale);
    // bf16 has too few digits.
    bool isHalf = random() % 2 && half.mantissa > 8;
    // -10 to 53 times 0.25 to 3.25, towards zero.
    return source(
        whole + " = @as(i32, @as(" + kind.type + ", (@as(" +
            (isHalf ? half.name : "f32") + ", " + value->str() + ")" +
            (kind.hasSign ? " - 10.0" : "") + ") * " +
            (kind.bits == 8 ? "0.25" : scale) + "));",
        [=](Scope &scope) {
          auto number =
              static_cast<double>(value->eval(scope) - (kind.hasSign ? 10 : 0));
          scope.write(whole, static_cast<int64_t>(
                                 number * (kind.bits == 8 ? 0.25 : factor)));
        });
  });
  statement([=, half = this->half](const Giver &giver) {
    ExprPtr value = masked(giver.expression(Ty::I16), 255);
    return source(short_ + " = @bitcast(u16, @as(" + half.name + ", " +
                      value->str() + ") - 128.0);\n  " + bits +
                      " = @bitcast(u32, @as(f32, @bitcast(" + half.name + ", " +
                      short_ + ")));",
                  [=](Scope &scope) {
                    auto number = static_cast<double>(value->eval(scope)) - 128;
                    scope.write(short_, halfOf(half, number));
                    scope.write(bits, bitsOf(static_cast<float>(number)));
                  });
  });
}

void FeatureMaker::arrayValues() {
  Ty type = random() % 2 ? Ty::I16 : Ty::I32;
  std::string element = nameOf(type), rotate = fresh("rotated"),
              scale = fresh("scale"), product = fresh("product");
  std::string a = fresh("values"), b = fresh("values"),
              result = number("result", type, 0);
  for (const std::string &name : {a, b}) {
    std::vector<int64_t> values = row(type);
    declare("var " + name + " = " + rowLiteral(type, values) + ";");
    variable(name, type, values);
  }
  declare("fn " + rotate + "(from: [8]" + element + ", by: u16) [8]" + element +
          " {\n  var made: [8]" + element +
          " = from;\n  for (from) |x, i| {\n" +
          "    made[i + by & 7] = x;\n  }\n  return made;\n}");
  declare("fn " + scale + "(values: *[8]" + element + ", by: " + element +
          ") void {\n  for (@range(i16, 7, -1, -1)) |i| {\n    values.*[i] *= "
          "by;\n  }\n}");
  declare("fn " + product + "(x: [*]const " + element + ", y: *const [8]" +
          element + ") " + element + " {\n  var sum: " + element +
          " = 0;\n  var i: u16 = 0;\n  while (true) : (i += 1) {\n    if (i == "
          "8) return sum;\n    if (x[i] == 0) continue;\n    sum += x[i] * "
          "y.*[i];\n  }\n  return 0;\n}");
  statement([=](const Giver &giver) {
    ExprPtr by = masked(giver.expression(Ty::U16), 7);
    return source(a + " = " + rotate + "(" + b + ", " + by->str() + ");",
                  [=](Scope &scope) {
                    auto &arrays = scope.globals->arrays;
                    int64_t step = by->eval(scope);
                    for (int64_t i = 0; i < kVector; ++i)
                      arrays.at(a)[(i + step) & 7] = arrays.at(b)[i];
                  });
  });
  statement([=](const Giver &) {
    return source(b + " = " + a + ";", [=](Scope &scope) {
      auto &arrays = scope.globals->arrays;
      arrays.at(b) = std::vector(arrays.at(a));
    });
  });
  statement([=](const Giver &giver) {
    ExprPtr by = giver.expression(type);
    return source(scale + "(&" + a + ", " + by->str() + ");",
                  [=](Scope &scope) {
                    // As one of the elements may be the factor.
                    int64_t factor = by->eval(scope);
                    for (int64_t &x : scope.globals->arrays.at(a))
                      x = wrap(type, x * factor);
                  });
  });
  statement([=](const Giver &) {
    return source(result + " = " + product + "(&" + a + ", &" + b + ");",
                  [=](Scope &scope) {
                    auto &arrays = scope.globals->arrays;
                    int64_t sum = 0;
                    for (int64_t i = 0; i < kVector; ++i)
                      sum = wrap(type, sum + wrap(type, arrays.at(a)[i] *
                                                            arrays.at(b)[i]));
                    scope.write(result, sum);
                  });
  });
  // An array of a function's own.
  statement([=, fresh = fresh](const Giver &giver) {
    std::string own = fresh("own");
    ExprPtr first = giver.expression(type),
            at = masked(giver.expression(Ty::U16), 7);
    return source("var " + own + " = " + b + ";\n  " + own +
                      "[2] = " + first->str() + ";\n  " + scale + "(&" + own +
                      ", 3);\n  " + result + " = " + own + "[" + at->str() +
                      "];",
                  [=](Scope &scope) {
                    int64_t index = at->eval(scope),
                            x = index == 2 ? first->eval(scope)
                                           : scope.globals->arrays.at(b)[index];
                    scope.write(result, wrap(type, x * 3));
                  });
  });
}

void FeatureMaker::prongs() {
  std::string op = fresh("Op"), apply = fresh("apply"), kind = fresh("kind"),
              result = number("result", Ty::I32, 0), next = fresh("next"),
              state = fresh("state");
  declare("const " + op + " = enum(i16) { add, sub = -3, mul, negate };");
  // add is 0, mul 1, negate 2: the smallest that are free.
  declare(
      "fn " + apply + "(op: " + op + ", a: i32, b: i32) i32 {\n  return " +
      "switch (op) {\n    " + op + ".add => a + b,\n    " + op +
      ".sub => a - b,\n    " + op +
      ".mul => blk: {\n      const made = a * "
      "b;\n      if (made < 0) break :blk -made;\n      break :blk made;\n " +
      "   },\n    " + op + ".negate => -a,\n  };\n}");
  declare(
      "fn " + kind + "(x: i16) i16 {\n  switch (x) {\n    0 => return 100," +
      "\n    1, 2, 3 => {\n      return 200 + x;\n    },\n    -1 => {},\n  " +
      "  else => return if (x > 50) 300 else 400,\n  }\n  return 500;\n}");
  declare("var " + state + " = " + op + ".add;");
  remember(state, 0);
  declare("fn " + next + "(from: " + op + ") " + op + " {\n  if (from == " +
          op + ".add) return " + op + ".sub;\n  if (from == " + op +
          ".sub) return " + op + ".mul;\n  return if (from == " + op +
          ".mul) " + op + ".negate else " + op + ".add;\n}");
  auto value = [](int64_t op, int64_t a, int64_t b) {
    int64_t product = wrap(Ty::I32, a * b);
    return wrap(Ty::I32, op == 0    ? a + b
                         : op == -3 ? a - b
                         : op == 1  ? (product < 0 ? -product : product)
                                    : -a);
  };
  statement([=](const Giver &giver) {
    ExprPtr a = giver.expression(Ty::I32), b = giver.expression(Ty::I32);
    return source(
        result + " = " + apply + "(" + state + ", " + a->str() + ", " +
            b->str() + ");\n  " + state + " = " + next + "(" + state + ");",
        [=](Scope &scope) {
          int64_t now = scope.read(state);
          scope.write(result, value(now, a->eval(scope), b->eval(scope)));
          scope.write(state, now == 0 ? -3 : now == -3 ? 1 : now == 1 ? 2 : 0);
        });
  });
  statement([=](const Giver &giver) {
    ExprPtr which = masked(giver.expression(Ty::U16), 3);
    return source("for ([4]" + op + " { " + op + ".add, " + op + ".sub, " + op +
                      ".mul, " + op + ".negate }) |op, i| {\n    if (i == " +
                      which->str() + ") " + state + " = op;\n  }",
                  [=](Scope &scope) {
                    static const int64_t values[] = {0, -3, 1, 2};
                    scope.write(state, values[which->eval(scope)]);
                  });
  });
  statement([=](const Giver &giver) {
    ExprPtr x = masked(giver.expression(Ty::I16), 127);
    return source(result + " = " + kind + "(" + bracketed(x) +
                      " - 2) + @as(i32, " + state + ");",
                  [=](Scope &scope) {
                    int64_t number = x->eval(scope) - 2;
                    int64_t kind = number == 0                  ? 100
                                   : number == -1               ? 500
                                   : number >= 1 && number <= 3 ? 200 + number
                                   : number > 50                ? 300
                                                                : 400;
                    scope.write(result, kind + scope.read(state));
                  });
  });
}

void FeatureMaker::unrolled() {
  std::string sum = number("sum", Ty::I32, 0), power = fresh("power"),
              config = fresh("config"), weigh = fresh("weigh");
  int64_t shift = between(1, 9), count = between(1, 4);
  bool hasBonus = random() % 2;
  declare("inline fn " + power +
          "(comptime n: u16, x: i32) i32 {\n  var made: "
          "i32 = 1;\n  inline for (@range(u16, n)) |_| {\n    made *= x;\n  }\n"
          "  return made;\n}");
  declare("const " + config + " = .{ .shift = " + std::to_string(shift) +
          ", .weights = [4]i32 { 1, -2, 3, -4 }, .name = \"" +
          (hasBonus ? "long" : "short") + "\" };");
  // What the compiler goes through, with what running code adds.
  declare("fn " + weigh +
          "(comptime c: anytype, x: i32) i32 {\n  var made: i32 " +
          "= c.shift;\n  comptime var k: u16 = 0;\n  inline while (k < " +
          std::to_string(count) +
          ") : (k += 1) {\n    if (k == 2) made -= x else made += c.weights[k] "
          "* x;\n  }\n  if (@strlen(c.name) == 4) made += " +
          power +
          "(k, x);\n  if (@has_field(c, \"bonus\")) made += @field(c, "
          "\"bonus\");\n  return made;\n}");
  statement([=](const Giver &giver) {
    ExprPtr value = giver.expression(Ty::I32);
    return source(
        sum + " = " + weigh + "(" + config + ", " + value->str() + ");",
        [=](Scope &scope) {
          static const int64_t weights[] = {1, -2, 3, -4};
          int64_t x = value->eval(scope), made = shift, power = 1;
          for (int64_t k = 0; k < count; ++k) {
            made = wrap(Ty::I32,
                        made + wrap(Ty::I32, k == 2 ? -x : weights[k] * x));
            power = wrap(Ty::I32, power * x);
          }
          scope.write(sum, wrap(Ty::I32, made + (hasBonus ? power : 0)));
        });
  });
  statement([=](const Giver &giver) {
    ExprPtr a = giver.expression(Ty::I16), b = giver.expression(Ty::I32);
    return source("inline for (.{ 3, " + a->str() + ", " + b->str() +
                      " }) |x, i| {\n    " + sum +
                      " += if (i == 1) -@as(i32, x) "
                      "else @as(i32, x);\n  }",
                  [=](Scope &scope) {
                    int64_t x = a->eval(scope), y = b->eval(scope);
                    scope.write(sum,
                                wrap(Ty::I32, scope.read(sum) + 3 - x + y));
                  });
  });
}
