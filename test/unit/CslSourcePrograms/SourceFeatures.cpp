//===- SourceFeatures.cpp - Types, modules, registers of a program --------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FeatureMaker.h"

using namespace sequin::testing;
using namespace sequin::testing::model;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

void FeatureMaker::structure() {
  std::string inner = fresh("Inner"), outer = fresh("Outer"),
              turn = fresh("turned"), record = fresh("record"),
              pair = fresh("pair");
  declare("const " + inner + " = struct { x: u16, y: i32 };");
  declare("const " + outer + " = struct { a: i16, b: u32, flag: bool, inner: " +
          inner + ", list: [8]i16 };");
  declare("fn " + turn + "(from: " + inner + ") " + inner + " {\n  return " +
          inner + " { .x = @as(u16, from.y), .y = from.x };\n}");
  int64_t a = small(Ty::I16), b = small(Ty::U32), flag = small(Ty::Bool),
          x = small(Ty::U16), y = small(Ty::I32);
  std::vector<int64_t> list = row(Ty::I16);
  auto pairOf = [&](const std::string &first, const std::string &second) {
    return inner + " { .x = " + first + ", .y = " + second + " }";
  };
  std::string start = pairOf(std::to_string(x), std::to_string(y));
  declare("var " + pair + " = " + start + ";");
  declare("var " + record + " = " + outer + " { .a = " + std::to_string(a) +
          ", .b = " + std::to_string(b) +
          ", .flag = " + literal(Ty::Bool, flag) + ", .inner = " + start +
          ", .list = " + rowLiteral(Ty::I16, list) + " };");
  cell(record + ".a", Ty::I16, {a});
  cell(record + ".b", Ty::U32, {b});
  cell(record + ".flag", Ty::Bool, {flag});
  cell(record + ".inner.x", Ty::U16, {x});
  cell(record + ".inner.y", Ty::I32, {y});
  cell(record + ".list", Ty::I16, list);
  cell(pair + ".x", Ty::U16, {x});
  cell(pair + ".y", Ty::I32, {y});

  statement([=](const Giver &) {
    return source(
        record + ".inner = " + turn + "(" + pair + ");", [=](Scope &scope) {
          int64_t x = scope.read(pair + ".x"), y = scope.read(pair + ".y");
          scope.write(record + ".inner.x", wrap(Ty::U16, y));
          scope.write(record + ".inner.y", x);
        });
  });
  statement([=](const Giver &) {
    return source(pair + " = " + record + ".inner;", [=](Scope &scope) {
      scope.write(pair + ".x", scope.read(record + ".inner.x"));
      scope.write(pair + ".y", scope.read(record + ".inner.y"));
    });
  });
  // Both parts are there before the first is written.
  statement([=](const Giver &giver) {
    ExprPtr first = giver.expression(Ty::U16),
            second = giver.expression(Ty::I32);
    return source(pair + " = " + inner + " { .x = " + first->str() +
                      ", .y = " + second->str() + " };",
                  [=](Scope &scope) {
                    int64_t x = first->eval(scope), y = second->eval(scope);
                    scope.write(pair + ".x", x);
                    scope.write(pair + ".y", y);
                  });
  });
  // A copy does not change with what it was made of.
  statement([=, fresh = fresh](const Giver &giver) {
    std::string copy = fresh("copy");
    ExprPtr value = giver.expression(Ty::I16);
    return source("const " + copy + " = " + record + ";\n  " + record +
                      ".a = " + value->str() + ";\n  " + record +
                      ".inner.y = " + copy + ".a;\n  " + record +
                      ".list[1] = " + copy + ".list[2];",
                  [=](Scope &scope) {
                    int64_t old = scope.read(record + ".a");
                    auto &list = scope.globals->arrays.at(record + ".list");
                    int64_t element = list[2];
                    scope.write(record + ".a", value->eval(scope));
                    scope.write(record + ".inner.y", old);
                    list[1] = element;
                  });
  });
}

void FeatureMaker::enumeration() {
  std::string mode = fresh("Mode"), state = fresh("state");
  declare("const " + mode + " = enum(u16) { off, on = 7, other };");
  declare("var " + state + " = " + mode + ".off;");
  const std::pair<const char *, int64_t> values[] = {
      {".off", 0}, {".on", 7}, {".other", 1}};
  for (auto [name, value] : values)
    out.cells.push_back({mode + name, Ty::U16, {value}, false, false});
  std::string end = fresh("end");
  declare("var " + end + ": u16 = 0;");
  out.cells.push_back({state, Ty::U16, {0}, false, false});
  out.outputs.push_back({end, state});
  out.ending += "  " + end + " = @as(u16, " + state + ");\n";

  auto name = [](const std::string &text) {
    return makeExpr(Expr::Kind::Name, Ty::U16, text);
  };
  statement([=](const Giver &giver) {
    auto made = std::make_shared<Stmt>();
    made->kind = Stmt::Kind::Assign;
    made->text = state;
    made->op = "=";
    made->operands = {makeExpr(Expr::Kind::Choice, Ty::U16, "",
                               {giver.expression(Ty::Bool), name(mode + ".on"),
                                name(mode + ".other")})};
    return made;
  });
  statement([=](const Giver &giver) {
    auto made = std::make_shared<Stmt>();
    made->kind = Stmt::Kind::Switch;
    made->operands = {makeExpr(Expr::Kind::Cast, Ty::U16, "", {name(state)})};
    for (int i = 0; i < 3; ++i)
      made->arms.push_back(giver.body());
    return made;
  });
  statement([=](const Giver &giver) {
    auto made = std::make_shared<Stmt>();
    made->kind = Stmt::Kind::If;
    made->operands = {makeExpr(Expr::Kind::Binary, Ty::Bool,
                               "==", {name(state), name(mode + ".other")})};
    made->arms = {giver.body(), giver.body()};
    return made;
  });
}

void FeatureMaker::pointers() {
  Ty type = std::vector<Ty>{Ty::I16, Ty::U16, Ty::I32, Ty::U32}[random() % 4];
  std::string one = fresh("one"), many = fresh("many");
  int64_t value = small(type);
  declare("var " + one + ": " + nameOf(type) + " = " + std::to_string(value) +
          ";");
  declare("const " + one + "_ptr = &" + one + ";");
  out.cells.push_back({one + "_ptr.*", type, {value}});
  out.outputs.push_back({one, one + "_ptr.*", true});
  std::vector<int64_t> values = row(type);
  declare("var " + many + " = " + rowLiteral(type, values) + ";");
  declare("var " + many + "_ptr: [*]" + nameOf(type) + " = &" + many + ";");
  out.cells.push_back({many + "_ptr", type, values, true});
  out.outputs.push_back({many, many + "_ptr", true});
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

void FeatureMaker::floats() {
  std::string x = fresh("x"), y = fresh("y"), short_ = fresh("half"),
              whole = fresh("whole"), less = fresh("less");
  declare("var " + x + ": f32 = 1.5;\nvar " + y + ": f32 = -0.25;\nvar " +
          short_ + ": " + half.name + " = 2.0;\nvar " + whole +
          ": i32 = 0;\nvar " + less + ": bool = false;");
  variable(x, Ty::U32, {bitsOf(1.5f)}, false);
  variable(y, Ty::U32, {bitsOf(-0.25f)}, false);
  variable(short_, Ty::U16, {halfOf(half, 2.0)}, false);
  variable(whole, Ty::I32, {0});
  variable(less, Ty::Bool, {0});
  statement([=](const Giver &giver) {
    ExprPtr value = giver.expression(Ty::I16);
    return source(
        x + " = @as(f32, " + value->str() + ") * 0.5;", [=](Scope &scope) {
          scope.write(x, bitsOf(static_cast<float>(value->eval(scope)) * 0.5f));
        });
  });
  // Stays between the numbers that x had.
  statement([=](const Giver &) {
    return source(
        y + " = (" + y + " - " + x + ") * 0.5 + " + x + ";", [=](Scope &scope) {
          float a = floatOf(scope.read(y)), b = floatOf(scope.read(x));
          float difference = a - b;
          float part = difference * 0.5f;
          scope.write(y, bitsOf(part + b));
        });
  });
  statement([=](const Giver &) {
    return source(whole + " = @as(i32, " + y + ");", [=](Scope &scope) {
      scope.write(whole, static_cast<int32_t>(floatOf(scope.read(y))));
    });
  });
  statement([=](const Giver &) {
    return source(less + " = " + y + " < " + x + ";", [=](Scope &scope) {
      scope.write(less, floatOf(scope.read(y)) < floatOf(scope.read(x)));
    });
  });
  // Exact: whole numbers of eight bits and their doubles.
  statement([=, half = half](const Giver &giver) {
    ExprPtr value = masked(giver.expression(Ty::U16), 255);
    return source(
        short_ + " = @as(" + half.name + ", " + value->str() + ");\n  " +
            whole + " = @as(i32, " + short_ + " + " + short_ + ");",
        [=, half = half](Scope &scope) {
          int64_t number = value->eval(scope);
          scope.write(short_, halfOf(half, static_cast<double>(number)));
          scope.write(whole, 2 * number);
        });
  });
}

void FeatureMaker::smalls() {
  std::string byte = fresh("byte"), tiny = fresh("tiny");
  declare("var " + byte + ": u8 = 200;\nvar " + tiny + ": i8 = -100;");
  std::string byteEnd = fresh("end"), tinyEnd = fresh("end");
  declare("var " + byteEnd + ": u16 = 0;\nvar " + tinyEnd + ": i16 = 0;");
  out.cells.push_back({byte, Ty::U16, {200}, false, false});
  out.cells.push_back({tiny, Ty::I16, {-100}, false, false});
  out.outputs.push_back({byteEnd, byte});
  out.outputs.push_back({tinyEnd, tiny});
  out.ending +=
      "  " + byteEnd + " = " + byte + ";\n  " + tinyEnd + " = " + tiny + ";\n";
  statement([=](const Giver &giver) {
    ExprPtr value = masked(giver.expression(Ty::U16), 255);
    return source(
        byte + " += @as(u8, " + value->str() + ");", [=](Scope &scope) {
          scope.write(byte, (scope.read(byte) + value->eval(scope)) & 255);
        });
  });
  statement([=](const Giver &giver) {
    ExprPtr value = masked(giver.expression(Ty::I16), 127);
    return source(tiny + " = " + tiny + " * 3 - @as(i8, " + value->str() + ");",
                  [=](Scope &scope) {
                    int64_t number = scope.read(tiny) * 3 - value->eval(scope);
                    scope.write(tiny, static_cast<int8_t>(number));
                  });
  });
  statement([=](const Giver &) {
    return source("if (" + tiny + " < 0) " + byte + " = " + byte +
                      " >> 1 else " + tiny + " = @as(i8, " + byte + " / 3);",
                  [=](Scope &scope) {
                    int64_t number = scope.read(byte);
                    if (scope.read(tiny) < 0)
                      scope.write(byte, number >> 1);
                    else
                      scope.write(tiny, number / 3);
                  });
  });
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

void FeatureMaker::modules() {
  std::string file = fresh("module") + ".csl";
  out.files.emplace_back(file, "param factor: i16;\n"
                               "param more: u16 = 2;\n"
                               "var count: u16 = 0;\n"
                               "const next = factor + 1;\n\n"
                               "fn scaled(x: i16) i16 {\n"
                               "  return x * factor + next;\n"
                               "}\n\n"
                               "fn noted(by: u16) u16 {\n"
                               "  count += by * more;\n"
                               "  return count;\n"
                               "}\n");
  std::string result = fresh("result");
  declare("var " + result + ": i16 = 0;");
  variable(result, Ty::I16, {0});
  int64_t factor = between(-9, 9);
  for (int64_t more : {2, 5}) {
    std::string name = fresh("imported");
    ++factor;
    declare("const " + name + " = @import_module(\"" + file +
            "\", .{ .factor = " + std::to_string(factor) +
            (more == 2 ? "" : ", .more = " + std::to_string(more)) + " });");
    cell(name + ".count", Ty::U16, {0});
    statement([=](const Giver &giver) {
      ExprPtr value = giver.expression(Ty::I16);
      return source(result + " = " + name + ".scaled(" + value->str() + ");",
                    [=](Scope &scope) {
                      scope.write(result,
                                  wrap(Ty::I16, value->eval(scope) * factor +
                                                    factor + 1));
                    });
    });
    statement([=](const Giver &giver) {
      ExprPtr value = giver.expression(Ty::U16);
      return source(
          result + " = @as(i16, " + name + ".noted(" + value->str() + "));",
          [=](Scope &scope) {
            int64_t by = value->eval(scope);
            int64_t count =
                wrap(Ty::U16, scope.read(name + ".count") + by * more);
            scope.write(name + ".count", count);
            scope.write(result, wrap(Ty::I16, count));
          });
    });
  }
}

//===----------------------------------------------------------------------===//
// FIFOs, DSRs
//===----------------------------------------------------------------------===//

static std::string window(const std::string &array, int64_t extent,
                          int64_t offset) {
  return "@get_dsd(mem1d_dsd, .{ .tensor_access = |i|{" +
         std::to_string(extent) + "} -> " + array + "[i + " +
         std::to_string(offset) + "] })";
}

void FeatureMaker::fifo() {
  std::string name = fresh("fifo"), from = fresh("from"), to = fresh("to");
  std::vector<int64_t> values = row(Ty::I16);
  declare("var " + name + "_buffer = @zeros([16]i16);\nconst " + name +
          " = @allocate_fifo(" + name + "_buffer);\nvar " + from + " = " +
          rowLiteral(Ty::I16, values) + ";\nvar " + to + " = @zeros([8]i16);");
  variable(from, Ty::I16, values);
  variable(to, Ty::I16, std::vector<int64_t>(kVector, 0));
  statement([=, &random = random](const Giver &) {
    int64_t count = roll(random, 1, 4), first = roll(random, 0, 4),
            second = roll(random, 0, 4);
    return source("@mov16(" + name + ", " + window(from, count, first) +
                      ");\n  @mov16(" + window(to, count, second) + ", " +
                      name + ");",
                  [=](Scope &scope) {
                    auto &arrays = scope.globals->arrays;
                    for (int64_t i = 0; i < count; ++i)
                      arrays.at(to)[second + i] = arrays.at(from)[first + i];
                  });
  });
}

void FeatureMaker::registers() {
  std::string name = fresh("register"), from = fresh("from"), to = fresh("to");
  std::vector<int64_t> values = row(Ty::I32);
  declare("const " + name + "_to = @get_dsr(dsr_dest, 3);\nconst " + name +
          "_from = @get_dsr(dsr_src1, 5);\nvar " + from + " = " +
          rowLiteral(Ty::I32, values) + ";\nvar " + to + " = @zeros([8]i32);");
  variable(from, Ty::I32, values);
  variable(to, Ty::I32, std::vector<int64_t>(kVector, 0));
  // The second operation goes on behind the first.
  statement([=, &random = random](const Giver &) {
    int64_t count = roll(random, 1, 3), first = roll(random, 0, 2),
            second = roll(random, 0, 2);
    return source("@load_to_dsr(" + name + "_to, " + window(to, count, second) +
                      ", .{ .save_address = true });\n  @load_to_dsr(" + name +
                      "_from, " + window(from, count, first) +
                      ", .{ .save_address = true });\n  @mov32(" + name +
                      "_to, " + name + "_from);\n  @mov32(" + name + "_to, " +
                      name + "_from);",
                  [=](Scope &scope) {
                    auto &arrays = scope.globals->arrays;
                    for (int64_t i = 0; i < 2 * count; ++i)
                      arrays.at(to)[second + i] = arrays.at(from)[first + i];
                  });
  });
}

Feature sequin::testing::makeFeature(
    std::mt19937_64 &random,
    const std::function<std::string(const std::string &)> &fresh) {
  return FeatureMaker(random, fresh).run();
}
