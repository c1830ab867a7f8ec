//===- SourceGenerator.cpp - Random valid CSL programs --------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Generator.h"
#include "Stages.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace sequin::testing;
using namespace sequin::testing::model;

//===----------------------------------------------------------------------===//
// Parts of the program
//===----------------------------------------------------------------------===//

void Generator::addParameters() {
  parameters += "param position: u16;\nparam width: u16;\n";
  for (const char *text : {"position", "width"})
    known.push_back({text, Ty::U16, false, true});
  for (int64_t x = 0; x < width; ++x) {
    pes[x].scalars["position"] = x;
    pes[x].scalars["width"] = width;
  }
  int count = static_cast<int>(dice.between(2, 5));
  for (int k = 0; k < count; ++k) {
    Ty type = k == 0 ? Ty::U16 : dice.chance(20) ? Ty::Bool : number();
    std::string text = fresh("p");
    parameters += "param " + text + ": " + nameOf(type) + ";\n";
    known.push_back({text, type, false, true});
    bool isSame = k > 0 && dice.chance(30);
    ExprPtr common = literal(type, true);
    for (int64_t x = 0; x < width; ++x) {
      ExprPtr value = isSame ? common : literal(type, true);
      int64_t number = k == 0 ? x : value->value;
      pes[x].scalars[text] = number;
      bindings[x].push_back("." + text + " = " +
                            (type == Ty::Bool ? (number ? "true" : "false")
                                              : std::to_string(number)));
    }
  }
  // An array that differs, too.
  Ty type = number();
  Array table{fresh("table"), type, true, true, false};
  parameters += "param " + table.name + ": [" + std::to_string(kElements) +
                "]" + nameOf(type) + ";\n";
  for (int64_t x = 0; x < width; ++x) {
    std::string list;
    for (int64_t i = 0; i < kElements; ++i) {
      int64_t value = literal(type, true)->value;
      pes[x].arrays[table.name].push_back(value);
      list += (i ? ", " : "") + std::to_string(value);
    }
    bindings[x].push_back("." + table.name + " = [" +
                          std::to_string(kElements) + "]" + nameOf(type) +
                          " { " + list + " }");
  }
  arrays.push_back(table);
}

void Generator::addComptime() {
  // Functions that the compiler runs, some of them calling others.
  for (int k = 0; k < 3; ++k) {
    auto function = std::make_unique<Function>();
    function->name = fresh("made");
    function->result = number();
    for (int64_t i = dice.between(1, 2); i > 0; --i)
      function->parameters.emplace_back(fresh("a"), number());
    Place place;
    place.isComptime = place.isPure = place.returns = true;
    place.result = function->result;
    for (const auto &parameter : function->parameters)
      place.names.push_back({parameter.first, parameter.second});
    for (int i = 0; i < 4; ++i)
      statement(place, function->body, 2);
    endWithReturn(place, function->body);
    comptimeFunctions.push_back(std::move(function));
  }
  for (int k = 0; k < 4; ++k) {
    const Function &function = *dice.pick(comptimeFunctions);
    std::string arguments;
    std::vector<int64_t> values;
    for (const auto &parameter : function.parameters) {
      values.push_back(literal(parameter.second, true)->value);
      arguments +=
          (arguments.empty() ? "" : ", ") + std::to_string(values.back());
    }
    bool refused = false;
    std::vector<int64_t> results;
    for (Globals &pe : pes) {
      uint64_t steps = 0;
      Scope scope;
      scope.globals = &pe;
      scope.refused = &refused;
      scope.steps = &steps;
      results.push_back(function.call(values, scope));
    }
    if (refused)
      continue;
    std::string text = fresh("K");
    declarations +=
        "const " + text + " = " + function.name + "(" + arguments + ");\n";
    known.push_back({text, function.result, false, true});
    for (auto [pe, result] : llvm::zip(pes, results))
      pe.scalars[text] = result;
  }
}

void Generator::addGlobals() {
  for (Ty type : {Ty::Bool, Ty::I16, Ty::U16, Ty::I32, Ty::U32})
    for (int k = 0; k < 2; ++k) {
      std::string text = fresh("g");
      int64_t value = literal(type, true)->value;
      declarations += "var " + text + ": " + nameOf(type) + " = " +
                      (type == Ty::Bool ? (value ? "true" : "false")
                                        : std::to_string(value)) +
                      ";\n";
      scalars.push_back({text, type, true});
      for (Globals &pe : pes)
        pe.scalars[text] = value;
    }
  for (Ty type : kNumbers)
    for (int k = 0; k < 2; ++k) {
      Array array{fresh("array"), type};
      array.isGrid = k == 1;
      std::string list;
      std::vector<int64_t> values;
      bool isZero = dice.chance(30);
      for (int64_t i = 0; i < kElements; ++i) {
        values.push_back(isZero ? 0 : literal(type, true)->value);
        list += (i ? ", " : "") + std::to_string(values.back());
      }
      std::string shape =
          (array.isGrid ? "[2, 4]" : "[" + std::to_string(kElements) + "]") +
          nameOf(type);
      declarations +=
          "var " + array.name + " = " +
          (isZero ? "@zeros(" + shape + ")" : shape + " { " + list + " }") +
          ";\n";
      for (Globals &pe : pes)
        pe.arrays[array.name] = values;
      arrays.push_back(array);
    }
}

void Generator::addFeature() {
  feature = makeFeature(
      random, [this](const std::string &stem) { return fresh(stem); });
  declarations += feature.declarations;
  for (const FeatureCell &cell : feature.cells) {
    for (Globals &pe : pes) {
      if (cell.isArray)
        pe.arrays[cell.text] = cell.initial;
      else
        pe.scalars[cell.text] = cell.initial.front();
    }
    if (!cell.isFree)
      continue;
    if (cell.isArray)
      arrays.push_back(
          {cell.text, cell.type, false, false, false, !cell.isVariable});
    else
      scalars.push_back({cell.text, cell.type, true});
  }
}

void Generator::addFunctions() {
  for (int k = 0; k < 4; ++k) {
    auto function = std::make_unique<Function>();
    function->name = fresh("fun"); // f16 and f32 are types
    function->result = dice.chance(10) ? Ty::Bool : number();
    function->isInline = dice.chance(25);
    for (int64_t i = dice.between(1, 3); i > 0; --i)
      function->parameters.emplace_back(fresh("a"), number());
    Place place;
    place.isPure = true;
    place.returns = true;
    place.result = function->result;
    for (const auto &parameter : function->parameters)
      place.names.push_back({parameter.first, parameter.second});
    for (int i = 0; i < 3; ++i)
      statement(place, function->body, 2);
    endWithReturn(place, function->body);
    functions.push_back(std::move(function));
  }
}

static const char *const kHelpers = R"(
fn pick(comptime T: type, condition: bool, a: T, b: T) T {
  return if (condition) a else b;
}

fn sum_of(a: anytype, b: @type_of(a)) @type_of(a) {
  return a + b;
}

fn repeated(comptime T: type, comptime times: u16, x: T) T {
  var result = x;
  inline for (@range(u16, times)) |i| {
    result = result * 3 + @as(T, i);
  }
  return result;
}

fn bump_i16(p: *i16, by: i16) void { p.* += by; }
fn bump_u16(p: *u16, by: u16) void { p.* += by; }
fn bump_i32(p: *i32, by: i32) void { p.* += by; }
fn bump_u32(p: *u32, by: u32) void { p.* += by; }

)";

SourceProgram Generator::run() {
  width = dice.between(1, 4);
  pes.resize(width);
  bindings.resize(width);
  addParameters();
  addComptime();
  addGlobals();
  addFunctions();
  addFeature();

  // Code of each PE, and stages between the pieces of it.
  auto vectorOf = [&](Ty type) {
    std::vector<const Array *> found;
    for (const Array &array : arrays)
      if (array.type == type && !array.isKnown && !array.isGrid &&
          !array.isPart)
        found.push_back(&array);
    return dice.pick(found)->name;
  };
  auto numberOf = [&](Ty type) {
    std::vector<const Name *> found;
    for (const Name &entry : scalars)
      if (entry.type == type && entry.name.find('.') == std::string::npos)
        found.push_back(&entry);
    return dice.pick(found)->name;
  };
  std::vector<std::vector<StmtPtr>> pieces;
  std::vector<Stage> stages;
  for (int64_t count = dice.between(1, 3), k = 0;; ++k) {
    Place place;
    std::vector<StmtPtr> &piece = pieces.emplace_back();
    for (int64_t i = 0; i < (count == 1 ? 8 : 6); ++i)
      statement(place, piece, 2);
    if (k == count)
      break;
    stages.push_back(
        makeStage(random, static_cast<int>(k), vectorOf, numberOf));
    for (Globals &pe : pes)
      pe.arrays[stages.back().received].assign(kElements, 0);
    arrays.push_back({stages.back().received, stages.back().type});
  }

  std::string pe = parameters + declarations + kHelpers;
  for (const auto &function : comptimeFunctions)
    pe += function->str();
  for (const auto &function : functions)
    pe += function->str();
  pe += "const has_west = position > 0;\nconst has_east = position + 1 < "
        "width;\n\n";
  for (size_t k = 0; k < pieces.size(); ++k) {
    std::string number = std::to_string(k);
    if (k < stages.size())
      pe += stages[k].code + "\n";
    pe += k == 0 ? "fn main() void {\n"
                 : "task after" + std::to_string(k - 1) + "() void {\n";
    printAll(pieces[k], pe, 1);
    pe += k < stages.size() ? "  start" + number + "();\n}\n\n"
                            : feature.ending + "}\n\n";
  }
  pe += "comptime {\n  @export_symbol(main);\n}\n";

  std::string layout = "const width: u16 = " + std::to_string(width) +
                       ";\n\nlayout {\n  @set_rectangle(width, 1);\n";
  for (int64_t x = 0; x < width; ++x) {
    layout += "  @set_tile_code(" + std::to_string(x) + ", 0, \"pe.csl\", .{\n";
    for (const std::string &binding : bindings[x])
      layout += "    " + binding + ",\n";
    layout +=
        "    .position = " + std::to_string(x) + ", .width = width,\n  });\n";
  }
  for (const Stage &stage : stages)
    layout += stage.layout;
  layout += "  @export_name(\"main\", fn() void);\n}\n";

  SourceProgram program;
  program.fp16 = feature.fp16;
  program.initial = pes;
  // What must come out.
  for (size_t k = 0; k < pieces.size(); ++k) {
    for (Globals &globals : pes) {
      Scope scope;
      scope.globals = &globals;
      runAll(pieces[k], scope);
    }
    if (k < stages.size())
      stages[k].run(pes);
  }

  program.files = {{"layout.csl", layout}, {"pe.csl", pe}};
  llvm::append_range(program.files, feature.files);
  // What is no variable is compared where it was copied to.
  std::map<std::string, Ty> parts;
  for (const FeatureCell &cell : feature.cells)
    parts[cell.text] = cell.type;
  for (const Name &entry : scalars)
    if (!parts.count(entry.name))
      program.variables.emplace_back(entry.name, entry.type);
  for (const Array &array : arrays)
    if (!array.isKnown && !parts.count(array.name))
      program.variables.emplace_back(array.name, array.type);
  for (const Feature::Output &output : feature.outputs) {
    program.variables.emplace_back(output.variable, parts.at(output.cell));
    for (auto [before, after] : llvm::zip(program.initial, pes)) {
      auto array = after.arrays.find(output.cell);
      if (array != after.arrays.end()) {
        auto start = output.isAlways ? before.arrays.at(output.cell)
                                     : std::vector<int64_t>(kElements, 0);
        before.arrays[output.variable] = start;
        after.arrays[output.variable] = std::vector(array->second);
      } else {
        int64_t start = output.isAlways ? before.scalars.at(output.cell) : 0;
        before.scalars[output.variable] = start;
        int64_t end = after.scalars.at(output.cell);
        after.scalars[output.variable] = end;
      }
    }
  }
  program.expected = pes;
  return program;
}

SourceProgram sequin::testing::generateSourceProgram(std::mt19937_64 &random) {
  return Generator(random).run();
}
