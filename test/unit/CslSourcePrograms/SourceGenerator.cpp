//===- SourceGenerator.cpp - Random valid CSL programs --------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Generator.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace sequin::testing;
using namespace sequin::testing::model;

//===----------------------------------------------------------------------===//
// Parts of the program
//===----------------------------------------------------------------------===//

void Generator::addParameters() {
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

static const char *const kExchange = R"(
// A vector to the east, one from the west.
param to_east: color;
param from_west: color;
param has_west: bool;
param has_east: bool;
const out_queue = @get_output_queue(2);
const in_queue = @get_input_queue(3);
var received = @zeros([8]u32);
const received_dsd = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{8} -> received[i] });
const in_dsd = @get_dsd(fabin_dsd, .{ .extent = 8, .input_queue = in_queue });
const out_dsd = @get_dsd(fabout_dsd, if (@is_arch("wse3"))
  .{ .extent = 8, .output_queue = out_queue }
else
  .{ .extent = 8, .output_queue = out_queue, .fabric_color = to_east });
const second_id = @get_local_task_id(9);

fn exchange(from: mem1d_dsd) void {
  // What follows may change the vector.
  if (has_east) @mov32(out_dsd, from);
  if (has_west) {
    @mov32(received_dsd, in_dsd, .{ .async = true, .activate = second_id });
  } else {
    @activate(second_id);
  }
}

comptime {
  @bind_local_task(second, second_id);
  if (has_east) {
    @set_local_color_config(to_east, .{ .routes = .{ .rx = .{ RAMP }, .tx = .{ EAST } } });
    if (@is_arch("wse3")) @initialize_queue(out_queue, .{ .color = to_east });
  }
  if (has_west) {
    @set_local_color_config(from_west, .{ .routes = .{ .rx = .{ WEST }, .tx = .{ RAMP } } });
    @initialize_queue(in_queue, .{ .color = from_west });
  }
}
)";

/// The same with a data task for each word, and a microthread that sends.
static const char *const kTaskExchange = R"(
// A vector to the east, one from the west, word by word.
param to_east: color;
param from_west: color;
param has_west: bool;
param has_east: bool;
const out_queue = @get_output_queue(2);
const in_queue = @get_input_queue(3);
var received = @zeros([8]u32);
var arrived: u16 = 0;
var joined: u16 = 0;
const out_dsd = @get_dsd(fabout_dsd, if (@is_arch("wse3"))
  .{ .extent = 8, .output_queue = out_queue }
else
  .{ .extent = 8, .output_queue = out_queue, .fabric_color = to_east });
const take_id = if (@is_arch("wse3"))
  @get_data_task_id(in_queue)
else
  @get_data_task_id(from_west);
const sent_id = @get_local_task_id(10);
const second_id = @get_local_task_id(9);

// What follows may change both vectors.
fn join() void {
  joined += 1;
  if (joined == 2) @activate(second_id);
}

task take(word: u32) void {
  received[arrived] = word;
  arrived += 1;
  if (arrived == 8) join();
}

task sent() void {
  join();
}

fn exchange(from: mem1d_dsd) void {
  if (has_east) {
    @mov32(out_dsd, from, .{ .async = true, .activate = sent_id });
  } else {
    join();
  }
  if (!has_west) join();
}

comptime {
  @bind_local_task(second, second_id);
  @bind_local_task(sent, sent_id);
  if (has_east) {
    @set_local_color_config(to_east, .{ .routes = .{ .rx = .{ RAMP }, .tx = .{ EAST } } });
    if (@is_arch("wse3")) @initialize_queue(out_queue, .{ .color = to_east });
  }
  if (has_west) {
    @bind_data_task(take, take_id);
    @set_local_color_config(from_west, .{ .routes = .{ .rx = .{ WEST }, .tx = .{ RAMP } } });
    @initialize_queue(in_queue, .{ .color = from_west });
  }
}
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

  Place place;
  std::vector<StmtPtr> first, second;
  for (int i = 0; i < 8; ++i)
    statement(place, first, 2);
  place.names.clear();
  for (Globals &pe : pes)
    pe.arrays["received"].assign(kElements, 0);
  std::vector<const Array *> words;
  for (const Array &array : arrays)
    if (array.type == Ty::U32 && !array.isKnown && !array.isGrid &&
        !array.isPart)
      words.push_back(&array);
  const Array &sent = *dice.pick(words);
  arrays.push_back({"received", Ty::U32});
  for (int i = 0; i < 8; ++i)
    statement(place, second, 2);

  std::string pe = parameters + declarations + kHelpers;
  for (const auto &function : comptimeFunctions)
    pe += function->str();
  for (const auto &function : functions)
    pe += function->str();
  pe += dice.chance(50) ? kTaskExchange : kExchange;
  pe += "\nfn main() void {\n";
  printAll(first, pe, 1);
  pe += "  exchange(@get_dsd(mem1d_dsd, .{ .tensor_access = |i|{8} -> " +
        sent.name + "[i] }));\n}\n\ntask second() void {\n";
  printAll(second, pe, 1);
  pe += feature.ending + "}\n\ncomptime {\n  @export_symbol(main);\n}\n";

  std::string layout =
      "layout {\n  @set_rectangle(" + std::to_string(width) + ", 1);\n";
  for (int64_t x = 0; x < width; ++x) {
    layout += "  @set_tile_code(" + std::to_string(x) + ", 0, \"pe.csl\", .{\n";
    for (const std::string &binding : bindings[x])
      layout += "    " + binding + ",\n";
    int64_t odd = x % 2;
    layout += "    .to_east = @get_color(" + std::to_string(odd) +
              "), .from_west = @get_color(" + std::to_string(1 - odd) +
              "),\n    .has_west = " + (x > 0 ? "true" : "false") +
              ", .has_east = " + (x + 1 < width ? "true" : "false") +
              ",\n  });\n";
  }
  layout += "  @export_name(\"main\", fn() void);\n}\n";

  SourceProgram program;
  program.initial = pes;
  // What must come out.
  for (Globals &globals : pes) {
    Scope scope;
    scope.globals = &globals;
    runAll(first, scope);
  }
  std::vector<std::vector<int64_t>> messages;
  for (Globals &globals : pes)
    messages.push_back(globals.arrays.at(sent.name));
  for (int64_t x = 0; x < width; ++x) {
    if (x > 0)
      pes[x].arrays["received"] = messages[x - 1];
    Scope scope;
    scope.globals = &pes[x];
    runAll(second, scope);
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
