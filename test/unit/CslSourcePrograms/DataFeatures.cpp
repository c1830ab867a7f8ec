//===- DataFeatures.cpp - Records, references, what PEs differ in ---------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FeatureMaker.h"

using namespace sequin::testing;
using namespace sequin::testing::model;

/// An array of structs, whose elements are read, written, passed and copied.
void FeatureMaker::records() {
  constexpr int64_t count = 4;
  std::string point = fresh("Point"), points = fresh("points"),
              moved = fresh("moved"), turn = fresh("turn"),
              sum = number("sum", Ty::I32, 0),
              last = number("last", Ty::I16, 0), find = fresh("find"), text;
  declare("const " + point + " = struct { x: i16, y: i16, weight: i32 };");
  auto key = [points](int64_t i, char field) {
    return points + "[" + std::to_string(i) + "]." + field;
  };
  for (int64_t i = 0; i < count; ++i) {
    int64_t x = small(Ty::I16), y = small(Ty::I16), w = small(Ty::I32);
    remember(key(i, 'x'), x);
    remember(key(i, 'y'), y);
    remember(key(i, 'w'), w);
    text += (i ? ", " : "") + point + " { .weight = " + std::to_string(w) +
            ", .x = " + std::to_string(x) + ", .y = " + std::to_string(y) +
            " }";
  }
  declare("var " + points + " = [4]" + point + " { " + text + " };");
  declare("fn " + moved + "(p: " + point + ", by: i16) " + point +
          " {\n  var made = p;\n  made.x += by;\n  made.weight -= by;\n  " +
          "return made;\n}");
  declare("fn " + turn + "(p: *" + point +
          ") void {\n  const kept = p.*.x;\n  p.*.x = p.*.y;\n  p.*.y = "
          "kept;\n  if (kept > 0) p.*.weight += 1;\n}");
  // The place of the first that has it, or how many there are.
  declare("fn " + find + "(all: *const [4]" + point +
          ", x: i16) i16 {\n  for (all.*) |p, i| {\n    if (p.x == x) return "
          "@as(i16, i);\n  }\n  return 4;\n}");
  statement([=](const Giver &giver) {
    ExprPtr at = masked(giver.expression(Ty::U16), 3),
            from = masked(giver.expression(Ty::U16), 3),
            by = giver.expression(Ty::I16);
    return source(points + "[" + at->str() + "] = " + moved + "(" + points +
                      "[" + from->str() + "], " + by->str() + ");",
                  [=](Scope &scope) {
                    int64_t to = at->eval(scope), i = from->eval(scope),
                            more = by->eval(scope);
                    int64_t x = scope.read(key(i, 'x')),
                            y = scope.read(key(i, 'y')),
                            w = scope.read(key(i, 'w'));
                    scope.write(key(to, 'x'), wrap(Ty::I16, x + more));
                    scope.write(key(to, 'y'), y);
                    scope.write(key(to, 'w'), wrap(Ty::I32, w - more));
                  });
  });
  statement([=](const Giver &giver) {
    ExprPtr at = masked(giver.expression(Ty::U16), 3);
    return source(
        turn + "(&" + points + "[" + at->str() + "]);", [=](Scope &scope) {
          int64_t i = at->eval(scope);
          int64_t x = scope.read(key(i, 'x')), y = scope.read(key(i, 'y')),
                  w = scope.read(key(i, 'w'));
          scope.write(key(i, 'x'), y);
          scope.write(key(i, 'y'), x);
          scope.write(key(i, 'w'), wrap(Ty::I32, w + (x > 0)));
        });
  });
  statement([=](const Giver &giver) {
    ExprPtr at = masked(giver.expression(Ty::U16), 3),
            value = giver.expression(Ty::I32);
    return source(
        points + "[" + at->str() + "].weight ^= " + value->str() + ";",
        [=](Scope &scope) {
          int64_t i = at->eval(scope), x = value->eval(scope);
          scope.write(key(i, 'w'), wrap(Ty::I32, scope.read(key(i, 'w')) ^ x));
        });
  });
  statement([=](const Giver &) {
    return source(
        "for (" + points + ") |p| {\n    " + sum + " = " + sum +
            " * 3 + p.weight + p.x - p.y;\n  }",
        [=](Scope &scope) {
          int64_t total = scope.read(sum);
          for (int64_t i = 0; i < count; ++i)
            total =
                wrap(Ty::I32,
                     wrap(Ty::I32, wrap(Ty::I32, wrap(Ty::I32, total * 3) +
                                                     scope.read(key(i, 'w'))) +
                                       scope.read(key(i, 'x'))) -
                         scope.read(key(i, 'y')));
          scope.write(sum, total);
        });
  });
  statement([=](const Giver &giver) {
    ExprPtr x = giver.expression(Ty::I16);
    return source(last + " = " + find + "(&" + points + ", " + x->str() + ");",
                  [=](Scope &scope) {
                    int64_t wanted = x->eval(scope), i = 0;
                    while (i < count && scope.read(key(i, 'x')) != wanted)
                      ++i;
                    scope.write(last, i);
                  });
  });
  // All are there before the first is written.
  statement([=, fresh = fresh](const Giver &) {
    std::string copy = fresh("copies");
    return source("var " + copy + " = " + points + ";\n  " + copy +
                      "[0].x = 5;\n  " + points + "[1] = " + copy + "[0];\n  " +
                      points + "[0] = " + copy + "[3];",
                  [=](Scope &scope) {
                    for (char field : {'x', 'y', 'w'}) {
                      int64_t first = scope.read(key(0, field));
                      scope.write(key(1, field), field == 'x' ? 5 : first);
                      scope.write(key(0, field), scope.read(key(3, field)));
                    }
                  });
  });
}

/// Pointers that running code chooses and keeps.
void FeatureMaker::references() {
  Ty type = std::vector<Ty>{Ty::I16, Ty::U16, Ty::I32, Ty::U32}[random() % 4];
  std::string element = nameOf(type), first = number("first", type, 1),
              second = number("second", type, 2), chosen = fresh("chosen"),
              holder = fresh("Holder"), held = fresh("held"),
              smaller = fresh("smaller"), swap = fresh("swap"),
              line = array("line", type, row(type)), part = fresh("part"),
              result = number("result", type, 0);
  declare("var " + chosen + ": *" + element + " = &" + first + ";");
  declare("const " + holder + " = struct { target: *" + element +
          ", many: [*]" + element + ", count: u16 };");
  declare("var " + held + " = " + holder + " { .target = &" + second +
          ", .many = &" + line + ", .count = 0 };");
  remember(chosen, 0);
  remember(held + ".target", 1);
  remember(held + ".count", 0);
  declare("fn " + smaller + "(a: *" + element + ", b: *" + element + ") *" +
          element + " { return if (a.* < b.*) a else b; }");
  declare("fn " + swap + "(a: *" + element + ", b: *" + element +
          ") void {\n  const kept = a.*;\n  a.* = b.*;\n  b.* = kept;\n}");
  declare("fn " + part + "(h: *" + holder + ", x: " + element +
          ") void {\n  h.*.many[h.*.count & 7] = x;\n  h.*.count += 1;\n  "
          "h.*.target.* += x;\n}");
  auto target = [first, second](Scope &scope, const std::string &which) {
    return scope.read(which) ? second : first;
  };
  statement([=](const Giver &giver) {
    ExprPtr value = giver.expression(type),
            condition = giver.expression(Ty::Bool);
    return source(
        chosen + " = if (" + condition->str() + ") &" + second + " else " +
            held + ".target;\n  " + chosen + ".* ^= " + value->str() + ";",
        [=](Scope &scope) {
          int64_t which =
              condition->eval(scope) ? 1 : scope.read(held + ".target");
          scope.write(chosen, which);
          std::string name = target(scope, chosen);
          int64_t x = value->eval(scope);
          scope.write(name, wrap(type, scope.read(name) ^ x));
        });
  });
  statement([=](const Giver &) {
    return source(held + ".target = " + smaller + "(&" + second + ", &" +
                      first + ");\n  " + result + " = " + held + ".target.*;",
                  [=](Scope &scope) {
                    int64_t which =
                        scope.read(second) < scope.read(first) ? 1 : 0;
                    scope.write(held + ".target", which);
                    scope.write(result, scope.read(which ? second : first));
                  });
  });
  // A pointer to one is one to an array of one, and to many.
  std::string single = fresh("single");
  declare("const " + single + ": *[1]" + element + " = &" + first + ";");
  declare("const " + single + "_many: [*]" + element + " = " + single + ";");
  statement([=](const Giver &giver) {
    ExprPtr value = giver.expression(type);
    return source(single + ".*[0] ^= " + value->str() + ";\n  " + result +
                      " = " + single + "_many[0];",
                  [=](Scope &scope) {
                    int64_t x = value->eval(scope);
                    x = wrap(type, scope.read(first) ^ x);
                    scope.write(first, x);
                    scope.write(result, x);
                  });
  });
  statement([=](const Giver &) {
    return source(swap + "(" + chosen + ", " + held + ".target);",
                  [=](Scope &scope) {
                    std::string a = target(scope, chosen),
                                b = target(scope, held + ".target");
                    int64_t kept = scope.read(a);
                    scope.write(a, scope.read(b));
                    scope.write(b, kept);
                  });
  });
  statement([=](const Giver &giver) {
    ExprPtr value = giver.expression(type);
    return source(
        part + "(&" + held + ", " + value->str() + ");", [=](Scope &scope) {
          int64_t x = value->eval(scope), at = scope.read(held + ".count");
          scope.globals->arrays.at(line)[at & 7] = x;
          scope.write(held + ".count", wrap(Ty::U16, at + 1));
          std::string name = target(scope, held + ".target");
          scope.write(name, wrap(type, scope.read(name) + x));
        });
  });
  statement([=](const Giver &giver) {
    ExprPtr at = masked(giver.expression(Ty::U16), 7);
    return source(
        result + " = " + held + ".many[" + at->str() + "];\n  if (" + chosen +
            ".* == 0) " + chosen + ".* = 1;",
        [=](Scope &scope) {
          scope.write(result, scope.globals->arrays.at(line)[at->eval(scope)]);
          std::string name = target(scope, chosen);
          if (scope.read(name) == 0)
            scope.write(name, 1);
        });
  });
}

/// Functions of the libraries whose results are exact.
void FeatureMaker::library() {
  std::string math = fresh("math"), utils = fresh("utils"), ops = fresh("ops"),
              result = number("result", Ty::I32, 0),
              low = number("low", Ty::U16, 0),
              from = array("from", Ty::I16, row(Ty::I16)),
              to = array("to", Ty::I16, std::vector<int64_t>(kVector, 0));
  declare("const " + math + " = @import_module(\"<math>\");");
  declare("const " + utils + " = @import_module(\"<data_utils>\");");
  declare("const " + ops + " = @import_module(\"<dsd_ops>\");");
  statement([=, &random = random](const Giver &giver) {
    ExprPtr a = giver.expression(Ty::I32), b = giver.expression(Ty::I32);
    auto which = random() % 3;
    static const char *const names[] = {".max(", ".min(", ".sign("};
    return source(result + " = " + math + names[which] + a->str() +
                      (which == 2 ? "" : ", " + b->str()) + ");",
                  [=](Scope &scope) {
                    int64_t x = a->eval(scope), y = b->eval(scope);
                    scope.write(result, which == 0   ? std::max(x, y)
                                        : which == 1 ? std::min(x, y)
                                                     : (x > 0) - (x < 0));
                  });
  });
  statement([=](const Giver &giver) {
    ExprPtr value = masked(giver.expression(Ty::I16), 255);
    return source(
        result + " = @as(i32, " + math + ".floor((@as(f32, " + value->str() +
            ") - 128.0) * 0.25)) * 1000 + @as(i32, " + math + ".abs(" + math +
            ".ceil((@as(f32, " + value->str() + ") - 100.0) * 0.125)));",
        [=](Scope &scope) {
          auto x = static_cast<double>(value->eval(scope));
          scope.write(result,
                      static_cast<int64_t>(std::floor((x - 128) * 0.25)) *
                              1000 +
                          static_cast<int64_t>(
                              std::fabs(std::ceil((x - 100) * 0.125))));
        });
  });
  statement([=](const Giver &giver) {
    ExprPtr value = giver.expression(Ty::U32);
    return source(low + " = " + utils + ".lo16(" + value->str() + ") ^ " +
                      utils + ".hi16(" + value->str() + ");",
                  [=](Scope &scope) {
                    int64_t x = value->eval(scope);
                    scope.write(low, (x & 0xffff) ^ (x >> 16));
                  });
  });
  statement([=, &random = random](const Giver &giver) {
    int64_t count = roll(random, 1, kVector);
    Window reads = windowOf(random, from, kVector, count),
           writes = windowOf(random, to, kVector, count);
    ExprPtr more = giver.expression(Ty::I16);
    bool isAdd = random() % 2;
    return source(ops + (isAdd ? ".add(i16, i16, " : ".mov(i16, ") +
                      writes.str() + ", " + reads.str() +
                      (isAdd ? ", " + more->str() : "") + ", .{});",
                  [=](Scope &scope) {
                    auto &arrays = scope.globals->arrays;
                    int64_t by = isAdd ? more->eval(scope) : 0;
                    for (int64_t i = 0; i < count; ++i)
                      arrays.at(to)[writes.at(i)] =
                          wrap(Ty::I16, arrays.at(from)[reads.at(i)] + by);
                  });
  });
}

/// What the compiler makes of where a PE is: sizes, tables, code.
void FeatureMaker::places() {
  std::string size = fresh("size"), own = fresh("own"), table = fresh("table"),
              fill = fresh("fill"), walk = fresh("walk"), kind = fresh("kind"),
              settings = fresh("settings"),
              result = number("result", Ty::I32, 0),
              ahead = number("ahead", Ty::I16, 0);
  int64_t factor = between(1, 3), more = between(1, 3);
  declare("const " + size + ": u16 = position % " + std::to_string(factor) +
          " + " + std::to_string(more) + ";");
  declare("var " + own + " = @zeros([" + size + "]i32);");
  declare("fn " + fill +
          "(comptime n: u16) [n]i16 {\n  var made = "
          "@zeros([n]i16);\n  for (@range(u16, n)) |i| {\n    made[i] = "
          "@as(i16, i * 3 + position);\n  }\n  return made;\n}");
  declare("const " + table + " = " + fill + "(" + size + " + 2);");
  declare("const " + settings +
          " = if (position == 0) .{ .step = 2, .name = "
          "\"first\" } else if (position + 1 == width) .{ .step = 3, .name = "
          "\"last\" } else .{ .step = @as(i32, position) * 5, .name = "
          "\"inner\" };");
  declare("const " + kind +
          ": i16 = switch (position) {\n  0 => 10,\n  1, 2 => "
          "20,\n  else => if (width > 3) 30 else 40,\n};");
  declare("fn " + walk +
          "(x: i32) i32 {\n  var made = x;\n  inline for "
          "(@range(u16, " +
          size + ")) |i| {\n    " + own + "[i] += made;\n    made += " + table +
          "[i];\n  }\n  if (@has_field(" + settings +
          ", \"step\")) "
          "made += " +
          settings +
          ".step;\n  if (position == 0) {\n    made -= "
          "1;\n  } else {\n    @comptime_assert(position > 0);\n    made ^= "
          "@as(i32, "
          "@strlen(" +
          settings + ".name));\n  }\n  return made;\n}");
  for (int64_t i = 0; i < factor + more; ++i)
    remember(own + "." + std::to_string(i), 0);
  auto sizeAt = [=](Scope &scope) {
    return scope.read("position") % factor + more;
  };
  statement([=](const Giver &giver) {
    ExprPtr value = giver.expression(Ty::I32);
    return source(
        result + " = " + walk + "(" + value->str() + ");", [=](Scope &scope) {
          int64_t x = scope.read("position"), width = scope.read("width"),
                  made = value->eval(scope), n = sizeAt(scope);
          for (int64_t i = 0; i < n; ++i) {
            std::string key = own + "." + std::to_string(i);
            scope.write(key, wrap(Ty::I32, scope.read(key) + made));
            made = wrap(Ty::I32, made + i * 3 + x);
          }
          made += x == 0 ? 2 : x + 1 == width ? 3 : x * 5;
          made = wrap(Ty::I32, made);
          made = x == 0 ? made - 1 : made ^ (x + 1 == width ? 4 : 5);
          scope.write(result, wrap(Ty::I32, made));
        });
  });
  statement([=](const Giver &giver) {
    ExprPtr at = giver.expression(Ty::U16);
    return source(
        ahead + " = " + table + "[" + bracketed(at) + " % (" + size +
            " + 2)] + " + kind + ";\n  " + result + " = " + own + "[" +
            bracketed(at) + " % " + size + "];",
        [=](Scope &scope) {
          int64_t x = scope.read("position"), n = sizeAt(scope),
                  width = scope.read("width"), i = at->eval(scope);
          int64_t kind = x == 0 ? 10 : x < 3 ? 20 : width > 3 ? 30 : 40;
          scope.write(ahead, i % (n + 2) * 3 + x + kind);
          scope.write(result, scope.read(own + "." + std::to_string(i % n)));
        });
  });
  statement([=](const Giver &) {
    return source("for (" + own + ") |x, i| {\n    if (i & 1 == 0) " + result +
                      " += x else " + result + " -= x;\n  }",
                  [=](Scope &scope) {
                    int64_t total = scope.read(result);
                    for (int64_t i = 0; i < sizeAt(scope); ++i) {
                      int64_t x = scope.read(own + "." + std::to_string(i));
                      total = wrap(Ty::I32, i & 1 ? total - x : total + x);
                    }
                    scope.write(result, total);
                  });
  });
}
