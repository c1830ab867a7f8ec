//===- SourceCasesTest.cpp - What CSL programs do, case by case -----------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles and runs the cases of cases/*.cslcases on both machines; what runs
// must come out of the reference interpreter, too. A case is a header and
// sections of CSL:
//
//     // CASE: name
//     // ROWS: TSK-029, TSK-030      what it shows
//     // ARCH: wse3                  (both if left out)
//     // GRID: 2 1                   PEs, all of the one program
//     // OUT: i16                    element of the array `out`, 32 of them
//     // EXPECT: 1 2 3               of `out` at PE (0, 0), after everything
//     // EXPECT 1 0: 4 5             ... at PE (1, 0)
//     // ERROR: text                 part of what the compiler says; or of
//     // ERROR-WSE2: text            what it says for one machine, where the
//     // ERROR-WSE3: text            other takes the program
//     // TRAP: text                  part of the message
//     // TIMED: why                  the result is a matter of time
//     //top        of the PE program: variables, tasks, functions
//     //main       body of the exported function main, launched everywhere
//     //comptime   of the program's comptime block
//     //layout     of the layout
//
// `px` and `py` are the place of the PE. A line that begins with @wse2 or @wse3
// is for that machine alone. All elements of `out` are zero at the start. With
// a line "$link" in the layout color 3 leads from RAMP to RAMP; in the top,
// `fabin` and `fabout` are DSDs of four elements on it, `data_id` its data task
// id, `source` a DSD of four elements 1 to 4 and `target` one of the first four
// of `out`; in the comptime block queues 3 and 2 are bound to it.
//
//===----------------------------------------------------------------------===//

#include "CaseFile.h"
#include "SourceRun.h"
#include "sequin/Reference/CslInterpreter.h"

using namespace sequin;
using namespace sequin::testing;
using llvm::StringRef;
using ::testing::HasSubstr;

namespace {

/// What "$link" stands for in a section.
StringRef linkOf(StringRef section) {
  if (section == "layout")
    return R"(for (@range(u16, @get_rectangle().width)) |x| {
      @set_color_config(x, 0, @get_color(3), .{ .routes = .{ .rx = RAMP, .tx = RAMP } });
    })";
  if (section == "top")
    return R"(const in_queue = @get_input_queue(3);
    const out_queue = @get_output_queue(2);
    @wse2 const fabout = @get_dsd(fabout_dsd, .{ .extent = 4, .output_queue = out_queue, .fabric_color = @get_color(3) });
    @wse3 const fabout = @get_dsd(fabout_dsd, .{ .extent = 4, .output_queue = out_queue });
    @wse2 const control_out = @get_dsd(fabout_dsd, .{ .extent = 1, .control = true, .output_queue = out_queue, .fabric_color = @get_color(3) });
    @wse3 const control_out = @get_dsd(fabout_dsd, .{ .extent = 1, .control = true, .output_queue = out_queue });
    const fabin = @get_dsd(fabin_dsd, .{ .extent = 4, .input_queue = in_queue });
    @wse2 const data_id = @get_data_task_id(@get_color(3));
    @wse3 const data_id = @get_data_task_id(in_queue);
    var source_words = [8]i16 { 1, 2, 3, 4, 5, 6, 7, 8 };
    const source = @get_dsd(mem1d_dsd, .{ .base_address = &source_words, .extent = 4 });
    const target = @get_dsd(mem1d_dsd, .{ .base_address = &out, .extent = 4 });)";
  return R"(@initialize_queue(in_queue, .{ .color = @get_color(3) });
    @wse3 @initialize_queue(out_queue, .{ .color = @get_color(3) });)";
}

std::string sectionOf(const Case &test, const char *name, StringRef arch) {
  auto found = test.sections.find(name);
  std::string text = found == test.sections.end() ? "" : found->second;
  for (size_t at; (at = text.find("$link")) != std::string::npos;)
    text.replace(at, 5, linkOf(name).str());
  return linesFor(text, arch);
}

SourceRun::Files filesOf(const Case &test, StringRef arch, int64_t width,
                         int64_t height) {
  std::string type = test.element();
  std::string zero = StringRef(type).starts_with("f") ? "0.0" : "0";
  std::string layout = "layout {\n  @set_rectangle(" + std::to_string(width) +
                       ", " + std::to_string(height) + ");\n";
  for (int64_t y = 0; y < height; ++y)
    for (int64_t x = 0; x < width; ++x)
      layout += "  @set_tile_code(" + std::to_string(x) + ", " +
                std::to_string(y) +
                ", \"pe.csl\", .{ .px = " + std::to_string(x) +
                ", .py = " + std::to_string(y) + " });\n";
  layout += "  @export_name(\"out\", [*]" + type + ", true);\n" +
            "  @export_name(\"main\", fn() void);\n" +
            sectionOf(test, "layout", arch) + "}\n";
  std::string pe = "param px: i16;\nparam py: i16;\nvar out = @constants([32]" +
                   type + ", " + zero + ");\nvar out_ptr: [*]" + type +
                   " = &out;\n" + sectionOf(test, "top", arch) +
                   "fn main() void {\n" + sectionOf(test, "main", arch) +
                   "}\ncomptime {\n" + "  @export_symbol(out_ptr, \"out\");\n" +
                   "  @export_symbol(main);\n" +
                   sectionOf(test, "comptime", arch) + "}\n";
  return {{"layout.csl", layout}, {"pe.csl", pe}};
}

/// The program on the reference interpreter: the same kind of end and, if it is
/// a good one, the same arrays.
void runReference(const Case &test, SourceRun &run, bool trapped,
                  bool otherOrder) {
  SCOPED_TRACE(otherOrder ? "reference, other order" : "reference");
  reference::CslOptions options;
  options.maxSteps = 1000000;
  options.otherOrder = otherOrder;
  auto made = reference::CslReference::create(*run.module, options);
  ASSERT_TRUE(succeeded(made));
  reference::CslReference &reference = **made;
  int64_t width = run.program.width, height = run.program.height;
  if (llvm::Error error = reference.launch("main", 0, 0, width, height))
    FAIL() << llvm::toString(std::move(error));
  reference::CslOutcome outcome = reference.run();
  EXPECT_EQ(outcome == reference::CslOutcome::Finished, !trapped)
      << reference.message();
  if (outcome != reference::CslOutcome::Finished)
    return;
  size_t bytes = test.elementBytes();
  for (int64_t y = 0; y < height; ++y)
    for (int64_t x = 0; x < width; ++x) {
      auto expected = reference.copyOut("out", x, y, 32 * bytes);
      auto found = run.simulator->copyOut("out", x, y, 32 * bytes);
      ASSERT_TRUE(bool(expected)) << llvm::toString(expected.takeError());
      ASSERT_TRUE(bool(found)) << llvm::toString(found.takeError());
      EXPECT_EQ(*found, *expected) << "PE (" << x << ", " << y << ")";
    }
}

void runCase(const Case &test, StringRef arch) {
  SCOPED_TRACE(test.file + " " + test.name + " " + arch.str());
  auto [width, height] = placeOf(test.one("GRID", "1 1"));
  SourceRun run(filesOf(test, arch, width, height), arch);
  std::vector<std::string> refusals = test.all("ERROR");
  llvm::append_range(refusals, test.all(("ERROR-" + arch.upper())));
  if (!refusals.empty()) {
    EXPECT_FALSE(run.good());
    std::string said = run.errors;
    // What the derivation of a program refuses is said through its context.
    if (run.module) {
      mlir::ScopedDiagnosticHandler handler(
          &run.context, [&](mlir::Diagnostic &d) {
            said += "error: " + d.str() + "\n";
            return mlir::success();
          });
      EXPECT_TRUE(failed(csl_to_wafer::deriveProgram(*run.module)));
    }
    for (const std::string &part : refusals)
      EXPECT_THAT(said, HasSubstr(part));
    EXPECT_THAT(said, HasSubstr("error: "));
    return;
  }
  ASSERT_TRUE(run.good()) << run.errors;
  std::string report = run.launch("main");
  bool trapped = !test.all("TRAP").empty();
  EXPECT_EQ(!report.empty(), trapped) << report;
  for (const std::string &part : test.all("TRAP"))
    EXPECT_THAT(report, HasSubstr(part));
  if (test.all("TIMED").empty())
    for (bool otherOrder : {false, true})
      runReference(test, run, trapped, otherOrder);
  size_t bytes = test.elementBytes();
  for (const Directive &directive : test.directives) {
    if (directive.key != "EXPECT")
      continue;
    auto [x, y] = placeOf(directive.place);
    llvm::SmallVector<StringRef> words;
    StringRef(directive.text).split(words, ' ', -1, false);
    auto data = run.simulator->copyOut("out", x, y, 32 * bytes);
    ASSERT_TRUE(bool(data)) << llvm::toString(data.takeError());
    std::vector<double> want, got;
    for (auto [i, word] : llvm::enumerate(words)) {
      double value = 0;
      ASSERT_FALSE(word.getAsDouble(value)) << word.str();
      want.push_back(value);
      got.push_back(decode(test.element(), data->data() + i * bytes));
    }
    EXPECT_EQ(got, want) << "PE (" << x << ", " << y << ")";
  }
}

class SourceCases : public ::testing::TestWithParam<Case> {};

TEST_P(SourceCases, Runs) {
  const Case &test = GetParam();
  for (const std::string &arch : test.archs())
    runCase(test, arch);
  test.recordRows();
}

INSTANTIATE_TEST_SUITE_P(
    Csl, SourceCases,
    ::testing::ValuesIn(readCases(SEQUIN_SOURCE_CASES, ".cslcases",
                                  {"GRID", "EXPECT", "ERROR", "ERROR-WSE2",
                                   "ERROR-WSE3", "TRAP", "TIMED"})),
    [](const auto &info) { return nameOf(info.param); });

} // namespace
