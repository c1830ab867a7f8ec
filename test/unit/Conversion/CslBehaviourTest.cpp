//===- CslBehaviourTest.cpp - What csl programs do, case by case ----------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the cases of csl/*.csltest: each is derived into a wafer program and
// simulated; the reference interpreter must say the same in both of its orders,
// where the result is no matter of time. A case is a header and sections:
//
//     // CASE: name
//     // ROWS: DSD-036, FAB-013      what it shows
//     // ARCH: wse2 wse3             (both if left out)
//     // GRID: 2 1                   PEs, all of the one program
//     // OUT: i16                    element of @out, 32 of them, exported
//     // OPTION: poison=trap         of the simulator; several
//     // EXPECT: 1 2 3               of @out at PE (0, 0), after everything
//     // EXPECT 1 0: 4 5             ... at PE (1, 0)
//     // SEND name x y: 1 2          words of a stream, before the launch
//     // RECEIVE name x y: 1 2
//     // TRAP: text                  part of the message; HANG, LOG, LOST, RACE
//     // UNDEFINED: text             and UNDEFINED likewise
//     // TRAP-AT: text               part of the line, or nowhere
//     // REFERENCE: text             part of the reference's message
//     // TIMED: why                  the result is a matter of time
//     //main       body of the exported function @main, launched everywhere
//     //top        of the program: variables, tasks, functions
//     //comptime   of the program's comptime block
//     //layout     of the layout
//
//     // LINK: loop               color 5 from RAMP to RAMP of every PE; or
//                                 east, from PE 0 to all others of the row
//     // LESS: 3 4                element 3 of @out at (0, 0) is less than 4
//     // NEAR: 0 45783 20         element 0 is that, within 20 %; without sign
//
// In main %out is the array, %i0 to %i31 are indices, %x and %y the PE's place,
// %is0 to %is2 whether x is 0 to 2. With LINK queues 2 are bound to color 5;
// $queues stands for the constants %color, %iq and %oq, which main has, $fabout
// for a fabout_dsd on %oq up to its extent, $fabin for a fabin_dsd. $start sets
// the cycle counter going, $stamp(3) stores it in element 3. A line that begins
// with @wse2 or @wse3 is for that machine alone.
//
//===----------------------------------------------------------------------===//

#include "CaseFile.h"
#include "mlir/Parser/Parser.h"
#include "sequin/Conversion/CslToWafer/DeriveProgram.h"
#include "sequin/Dialect/Csl/IR/CslDialect.h"
#include "sequin/Reference/CslInterpreter.h"
#include "sequin/WaferSim/Simulator.h"
#include "gmock/gmock.h"

using namespace sequin;
using namespace sequin::testing;
using llvm::StringRef;
using ::testing::HasSubstr;

namespace {

constexpr const char *kQueues = "%color = csl.constant 5 : !csl.color\n"
                                "%oq = csl.constant 2 : !csl.output_queue\n"
                                "%iq = csl.constant 2 : !csl.input_queue\n";

void replaceAll(std::string &text, StringRef from, StringRef to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos;
       at += to.size())
    text.replace(at, from.size(), to);
}

/// The macros of the head comment.
std::string expand(std::string text, StringRef arch) {
  replaceAll(text, "$queues", kQueues);
  replaceAll(text, "$fabout",
             arch == "wse2" ? "csl.fabout_dsd queue %oq color %color"
                            : "csl.fabout_dsd queue %oq");
  replaceAll(text, "$fabin", "csl.fabin_dsd queue %iq");
  replaceAll(text, "$start",
             "%tscc = csl.register_address \"tsc_control\"\n"
             "%tscv = arith.constant 3 : i16\ncsl.set_config %tscc, %tscv\n");
  for (size_t at = 0; (at = text.find("$stamp(")) != std::string::npos;) {
    size_t close = text.find(')', at);
    std::string n = text.substr(at + 7, close - at - 7);
    text.replace(at, close + 1 - at,
                 "%sa" + n + " = csl.register_address \"tsc\"\n%sv" + n +
                     " = csl.get_config %sa" + n + "\nmemref.store %sv" + n +
                     ", %out[%i" + n + "] : memref<32xi16>\n");
  }
  return text;
}

std::string makeModule(const Case &test, StringRef arch, int64_t width,
                       int64_t height) {
  auto section = [&](const char *name) {
    auto found = test.sections.find(name);
    return found == test.sections.end()
               ? std::string()
               : expand(linesFor(found->second, arch), arch);
  };
  std::string link = test.one("LINK", ""), routes, queues;
  if (link == "loop")
    routes = "csl.color_config 5 at <0 to " + std::to_string(width) +
             ", 0 to " + std::to_string(height) +
             "> routes <rx RAMP tx RAMP>\n";
  if (link == "east") {
    std::string rows = ", 0 to " + std::to_string(height) + "> routes ";
    std::string last = std::to_string(width - 1);
    routes = "csl.color_config 5 at <0" + rows + "<rx RAMP tx EAST>\n";
    if (width > 2)
      routes += "csl.color_config 5 at <1 to " + last + rows +
                "<rx WEST tx [RAMP, EAST]>\n";
    routes += "csl.color_config 5 at <" + last + rows + "<rx WEST tx RAMP>\n";
  }
  if (!link.empty())
    queues =
        std::string(kQueues) +
        "csl.initialize_queue %iq : !csl.input_queue color %color\n" +
        (arch == "wse3" ? "csl.initialize_queue %oq : !csl.output_queue color "
                          "%color\n"
                        : "");
  std::string element = test.element();
  std::string module = test.one("MODULE", "");
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "module attributes {csl.target = #csl.target<\"" << arch << "\""
     << (module.empty() ? "" : ", ") << module << ">} {\n"
     << "csl.layout " << width << " x " << height << " {\n"
     << "csl.tile_code @pe at <0 to " << width << ", 0 to " << height
     << "> params {x = affine_map<(x, y) -> (x)>, y = affine_map<(x, y) -> "
        "(y)>}\n"
     << "csl.export_name \"main\" : () -> ()\n"
     << "csl.export_name \"out\" : !csl.ptr<many " << element << "> mutable\n"
     << routes << section("layout") << "}\ncsl.program @pe {\n"
     << "csl.param @x : i16\ncsl.param @y : i16\n"
     << "csl.var @out : memref<32x" << element << ">\n"
     << section("top") << "func.func @main() {\n"
     << "%out = csl.get_var @out : memref<32x" << element << ">\n"
     << "%x = csl.get_param @x : i16\n%y = csl.get_param @y : i16\n";
  for (unsigned i = 0; i < 32; ++i)
    os << "%i" << i << " = arith.constant " << i << " : index\n";
  for (unsigned i = 0; i < 3; ++i)
    os << "%k" << i << " = arith.constant " << i << " : i16\n%is" << i
       << " = arith.cmpi eq, %x, %k" << i << " : i16\n";
  if (!link.empty())
    os << kQueues;
  os << section("main") << "return\n}\ncsl.comptime {\n"
     << "csl.export_symbol @main\ncsl.export_symbol @out\n"
     << queues << section("comptime") << "}\n}\n}\n";
  return text;
}

wafer::Options getOptions(const Case &test) {
  wafer::Options options;
  options.maxCycles = 1000000;
  for (const std::string &entry : test.all("OPTION")) {
    auto [key, value] = StringRef(entry).split('=');
    uint64_t number = 0;
    value.getAsInteger(0, number);
    if (key == "poison")
      options.poison = value == "trap"     ? wafer::Poison::Trap
                       : value == "report" ? wafer::Poison::Report
                                           : wafer::Poison::Off;
    else if (key == "banks")
      options.bankModulus = static_cast<unsigned>(number);
    else if (key == "shallow")
      options.shallowQueues = number;
    else if (key == "random") {
      options.randomLatency = true;
      options.seed = number;
    } else if (key == "highest")
      options.highestTaskFirst = number;
    else if (key == "halo")
      options.halo = wafer::Options::Halo::Fabric;
    else if (key == "cycles")
      options.maxCycles = number;
    else
      ADD_FAILURE() << "unknown option " << entry;
  }
  return options;
}

std::vector<double> numbers(StringRef text) {
  std::vector<double> values;
  llvm::SmallVector<StringRef> words;
  text.split(words, ' ', -1, false);
  for (StringRef word : words) {
    int64_t integer;
    double value;
    if (!word.getAsInteger(0, integer))
      values.push_back(static_cast<double>(integer));
    else if (!word.getAsDouble(value))
      values.push_back(value);
    else
      ADD_FAILURE() << "no number: " << word.str();
  }
  return values;
}

/// The line of `text` that a location ("file:line:column") is at.
std::string lineAt(const wafer::Program &program, wafer::Location location,
                   StringRef text) {
  if (!location)
    return "nowhere";
  StringRef place = StringRef(program.locations[location]).rsplit(':').first;
  size_t number = 0;
  if (place.rsplit(':').second.getAsInteger(10, number))
    return program.locations[location];
  while (--number)
    text = text.split('\n').second;
  return text.split('\n').first.str();
}

/// Words for streams, for the simulator or the reference.
template <typename Machine> void sendAll(const Case &test, Machine &machine) {
  for (const Directive &d : test.directives) {
    if (d.key != "SEND")
      continue;
    auto [name, place] = StringRef(d.place).split(' ');
    auto [x, y] = placeOf(place);
    std::vector<uint32_t> words;
    for (double value : numbers(d.text))
      words.push_back(static_cast<uint32_t>(static_cast<int64_t>(value)));
    ASSERT_FALSE(bool(machine.send(name, x, y, words)));
  }
}

/// The same case on the reference interpreter, in one of its orders: the same
/// kind of end and, if it is a good one, the same arrays and streams.
void runReference(const Case &test, mlir::ModuleOp module,
                  const wafer::Simulator &simulator, wafer::Outcome outcome,
                  bool otherOrder, int64_t width, int64_t height) {
  SCOPED_TRACE(otherOrder ? "reference, other order" : "reference");
  reference::CslOptions options;
  options.maxSteps = 1000000;
  options.otherOrder = otherOrder;
  auto made = reference::CslReference::create(module, options);
  ASSERT_TRUE(succeeded(made));
  reference::CslReference &reference = **made;
  sendAll(test, reference);
  if (llvm::Error error = reference.launch("main", 0, 0, width, height))
    FAIL() << llvm::toString(std::move(error));
  reference::CslOutcome meant = reference.run();
  ASSERT_EQ(static_cast<int>(meant), static_cast<int>(outcome))
      << reference.message();
  // What an operation that was stopped leaves is part of what a case expects.
  if (meant != reference::CslOutcome::Finished &&
      (meant != reference::CslOutcome::Trapped || test.all("EXPECT").empty()))
    return;
  for (const std::string &part : test.all("REFERENCE"))
    EXPECT_THAT(reference.message(), HasSubstr(part));
  size_t bytes = test.elementBytes();
  for (int64_t y = 0; y < height; ++y)
    for (int64_t x = 0; x < width; ++x) {
      auto expected = reference.copyOut("out", x, y, 32 * bytes);
      auto found = simulator.copyOut("out", x, y, 32 * bytes);
      ASSERT_TRUE(bool(expected)) << llvm::toString(expected.takeError());
      ASSERT_TRUE(bool(found)) << llvm::toString(found.takeError());
      EXPECT_EQ(*found, *expected) << "PE (" << x << ", " << y << ")";
    }
  for (const Directive &d : test.directives) {
    if (d.key != "RECEIVE")
      continue;
    auto [name, place] = StringRef(d.place).split(' ');
    auto [x, y] = placeOf(place);
    auto words = reference.receive(name, x, y);
    ASSERT_TRUE(bool(words));
    std::vector<double> got(words->begin(), words->end());
    EXPECT_EQ(got, numbers(d.text)) << d.place;
  }
}

void runCase(const Case &test, StringRef arch) {
  SCOPED_TRACE(test.file + " " + test.name + " " + arch.str());
  int64_t width = 1, height = 1;
  std::tie(width, height) = placeOf(test.one("GRID", "1 1"));
  mlir::DialectRegistry registry;
  csl_to_wafer::registerDialects(registry);
  mlir::MLIRContext context(registry);
  std::string text = makeModule(test, arch, width, height);
  std::string messages;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &d) {
    messages += d.str() + "\n";
    return mlir::success();
  });
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  ASSERT_TRUE(module) << messages << text;
  mlir::FailureOr<wafer::Program> program =
      csl_to_wafer::deriveProgram(*module);
  ASSERT_TRUE(succeeded(program)) << messages;
  wafer::Options options = getOptions(test);
  auto made = wafer::Simulator::create(
      *program, *lookupCslMachine(program->target), options);
  ASSERT_TRUE(bool(made)) << llvm::toString(made.takeError());
  wafer::Simulator &simulator = **made;

  sendAll(test, simulator);
  if (llvm::Error error = simulator.launch("main", {0, 0, width, height}, {}))
    FAIL() << llvm::toString(std::move(error));
  wafer::Outcome outcome = simulator.run();
  std::string report;
  if (outcome == wafer::Outcome::Trapped)
    report = simulator.trap()->message;
  else if (outcome != wafer::Outcome::Finished)
    report = simulator.hang().str(*program);
  bool trap = !test.all("TRAP").empty(), hang = !test.all("HANG").empty();
  EXPECT_EQ(outcome == wafer::Outcome::Trapped, trap) << report;
  EXPECT_EQ(outcome == wafer::Outcome::Hung ||
                outcome == wafer::Outcome::Exhausted,
            hang)
      << report;
  for (const char *key : {"TRAP", "HANG"})
    for (const std::string &part : test.all(key))
      EXPECT_THAT(report, HasSubstr(part));
  for (const std::string &part : test.all("TRAP-AT")) {
    ASSERT_TRUE(simulator.trap().has_value());
    EXPECT_THAT(lineAt(*program, simulator.trap()->location, text),
                HasSubstr(part));
  }
  std::string log, races, undefined, lost;
  for (const std::string &line : simulator.log())
    log += line + "\n";
  for (const wafer::Race &race : simulator.races())
    races += race.message + "\n";
  for (const wafer::Race &race : simulator.undefinedReads())
    undefined += race.message + "\n";
  for (const wafer::Race &control : simulator.lostControls())
    lost += control.message + "\n";
  for (const std::string &part : test.all("LOST"))
    EXPECT_THAT(lost, HasSubstr(part));
  for (const std::string &part : test.all("LOG"))
    EXPECT_THAT(log, HasSubstr(part));
  for (const std::string &part : test.all("UNDEFINED"))
    EXPECT_THAT(undefined, HasSubstr(part));
  for (const std::string &part : test.all("RACE"))
    EXPECT_THAT(races, HasSubstr(part));
  if (test.all("RACE").empty()) {
    EXPECT_EQ(races, "");
  }

  // What takes time is not for the reference.
  bool timed = !test.all("TIMED").empty() || !test.all("LESS").empty() ||
               !test.all("RACE").empty() || !test.all("UNDEFINED").empty() ||
               text.find("csl.register_address \"tsc\"") != std::string::npos;
  if (!timed)
    for (bool otherOrder : {false, true})
      runReference(test, *module, simulator, outcome, otherOrder, width,
                   height);

  std::string element = test.element();
  size_t bytes = test.elementBytes();
  for (const std::string &pair : test.all("LESS")) {
    auto [a, b] = placeOf(pair);
    auto data = simulator.copyOut("out", 0, 0, 32 * bytes);
    ASSERT_TRUE(bool(data)) << llvm::toString(data.takeError());
    EXPECT_LT(decode(element, data->data() + a * bytes),
              decode(element, data->data() + b * bytes))
        << pair;
  }
  for (const std::string &line : test.all("NEAR")) {
    std::vector<double> near = numbers(line);
    ASSERT_EQ(near.size(), 3u);
    auto data = simulator.copyOut("out", 0, 0, 32 * bytes);
    ASSERT_TRUE(bool(data)) << llvm::toString(data.takeError());
    double value = decode(element, data->data() + size_t(near[0]) * bytes);
    if (value < 0)
      value += bytes == 2 ? 65536.0 : 4294967296.0;
    EXPECT_NEAR(value, near[1], near[1] * near[2] / 100);
  }
  for (const Directive &d : test.directives) {
    if (d.key == "RECEIVE") {
      auto [name, place] = StringRef(d.place).split(' ');
      auto [x, y] = placeOf(place);
      auto words = simulator.receive(name, x, y);
      ASSERT_TRUE(bool(words));
      std::vector<double> got(words->begin(), words->end());
      EXPECT_EQ(got, numbers(d.text)) << d.place;
    }
    bool only2 = d.key == "EXPECT-WSE2", only3 = d.key == "EXPECT-WSE3";
    if ((only2 && arch != "wse2") || (only3 && arch != "wse3") ||
        (d.key != "EXPECT" && !only2 && !only3))
      continue;
    auto [x, y] = placeOf(d.place);
    std::vector<double> want = numbers(d.text), got;
    auto data = simulator.copyOut("out", x, y, 32 * bytes);
    ASSERT_TRUE(bool(data)) << llvm::toString(data.takeError());
    for (size_t i = 0; i < want.size(); ++i)
      got.push_back(decode(element, data->data() + i * bytes));
    EXPECT_EQ(got, want) << "PE " << d.place << "\n" << log;
  }
}

class CslBehaviour : public ::testing::TestWithParam<Case> {};

TEST_P(CslBehaviour, Runs) {
  const Case &test = GetParam();
  for (const std::string &arch : test.archs())
    runCase(test, arch);
  test.recordRows();
}

INSTANTIATE_TEST_SUITE_P(
    Csl, CslBehaviour,
    ::testing::ValuesIn(readCases(
        SEQUIN_CSL_CASES, ".csltest",
        {"EXPECT", "EXPECT-WSE2", "EXPECT-WSE3", "GRID",    "HANG",
         "LESS",   "LINK",        "LOG",         "LOST",    "MODULE",
         "NEAR",   "OPTION",      "RACE",        "RECEIVE", "REFERENCE",
         "SEND",   "TIMED",       "TRAP",        "TRAP-AT", "UNDEFINED"})),
    [](const auto &info) { return nameOf(info.param); });

} // namespace
