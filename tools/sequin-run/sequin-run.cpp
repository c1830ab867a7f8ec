//===- sequin-run.cpp - Runs a program on a simulated machine -------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Tools/Ranks.h"
#include "sequin/Tools/RunDriver.h"
#include "sequin/Tools/ToolMain.h"
#include "llvm/Support/CommandLine.h"

using namespace sequin;
using namespace sequin::tools;
namespace cl = llvm::cl;

static cl::OptionCategory category("sequin-run");
static RunOptions options;

static cl::opt<std::string, true> program(cl::Positional,
                                          cl::desc("<program.mlir or .json>"),
                                          cl::location(options.compile.path),
                                          cl::cat(category));
static cl::opt<std::string, true>
    einsum("einsum", cl::desc("Run this einsum instead, e.g. 'mk,kn->mn'"),
           cl::location(options.compile.einsum), cl::cat(category));
static cl::list<std::string, std::vector<std::string>>
    sizes("size", cl::desc("Sizes of its indices, e.g. m=512,k=2048,n=512"),
          cl::location(options.compile.sizes), cl::cat(category));
static cl::opt<std::string, true>
    dtype("dtype", cl::desc("Element type of its operands"),
          cl::location(options.compile.dtype), cl::cat(category));
static cl::opt<std::string, true> outputDtype(
    "output-dtype",
    cl::desc("Element type of its result (default: the accumulator's)"),
    cl::location(options.compile.outputDtype), cl::cat(category));
static cl::opt<std::string, true>
    target("target", cl::desc("Machine to lower for and to simulate"),
           cl::location(options.compile.target), cl::cat(category));
static cl::opt<int64_t> chips("chips", cl::desc("Number of chips (default: 1)"),
                              cl::cat(category));
static cl::opt<std::string, true>
    entry("entry",
          cl::desc("Function to run (default: main, or the only kernel)"),
          cl::location(options.compile.entry), cl::cat(category));
static cl::opt<bool, true>
    allowBf16("allow-bf16",
              cl::desc("Round f32 and f16 operands of contractions to bf16 "
                       "instead of cutting them into digits"),
              cl::location(options.compile.allowBf16), cl::cat(category));
static cl::opt<bool, true> allowNarrow(
    "allow-narrow",
    cl::desc("Of an einsum: round intermediates to bf16, or saturate "
             "them to i8, where digits would keep them exact"),
    cl::location(options.compile.allowNarrow), cl::cat(category));
static cl::opt<std::string, true> argumentLayout(
    "argument-layout",
    cl::desc(
        "Where arguments lie in HBM: 'row-major', rows padded to 64 bytes, "
        "or 'chosen' by the compiler (default: as the machine's row says)"),
    cl::value_desc("layout"), cl::location(options.compile.argumentLayout),
    cl::cat(category));
static cl::opt<std::string, true> addresses(
    "addresses",
    cl::desc("Of a kernel in Rust: 'allocate' assigns addresses by lifetime, "
             "'given' keeps those in the source (default: allocate)"),
    cl::value_desc("which"), cl::location(options.compile.addresses),
    cl::cat(category));
static cl::opt<int64_t> searchBudget(
    "search-budget",
    cl::desc("Evaluate at most so many mappings for one operation (default: "
             "2^20, more than there are)"),
    cl::value_desc("mappings"), cl::cat(category));
static cl::opt<std::string, true> reportMapping(
    "report-mapping",
    cl::desc("Write how each operation is mapped, and what the next best "
             "mapping costs: JSON if the name ends in .json, otherwise text"),
    cl::value_desc("file"), cl::location(options.reportMapping),
    cl::cat(category));
static cl::list<std::string, std::vector<std::string>>
    inputs("input",
           cl::desc("Argument as .npy file, once per argument, in order; on "
                    "a wafer SYMBOL=file or SYMBOL@X,Y,WIDTH,HEIGHT=file"),
           cl::location(options.inputs), cl::cat(category));
static cl::list<std::string, std::vector<std::string>>
    outputs("output",
            cl::desc("Where to write a result as .npy file, in order; on a "
                     "wafer as with --input"),
            cl::location(options.outputs), cl::cat(category));
static cl::opt<std::string, true>
    report("report", cl::desc("Write cycles and utilization as JSON"),
           cl::location(options.report), cl::cat(category));
static cl::opt<std::string, true>
    timeline("timeline", cl::desc("Write a Chrome trace (for Perfetto)"),
             cl::location(options.timeline), cl::cat(category));
static cl::opt<std::string, true>
    page("page",
         cl::desc("Write the run as a page to look at, one HTML file that "
                  "needs nothing else"),
         cl::value_desc("file"), cl::location(options.page), cl::cat(category));
static cl::opt<bool, true>
    advise("advise",
           cl::desc("Simulate small changes too, and say which gain most"),
           cl::location(options.advise), cl::cat(category));
static cl::list<std::string, std::vector<std::string>>
    whatIf("what-if",
           cl::desc("With --timing-only, suppose double-buffer=ADDRESS, "
                    "wider-fetch=LOCATION, no-startup or twice-hbm"),
           cl::value_desc("change"), cl::location(options.whatIf),
           cl::cat(category));
static cl::opt<bool, true>
    verify("verify", cl::desc("Compare with the reference interpreter"),
           cl::location(options.run.verify), cl::cat(category));
static cl::opt<bool, true> timingOnly("timing-only",
                                      cl::desc("Count cycles without data"),
                                      cl::location(options.run.timingOnly),
                                      cl::cat(category));
static cl::opt<bool, true>
    raw("raw",
        cl::desc(
            "Write results in the program's type: bf16 as uint16, f8 as uint8"),
        cl::location(options.raw), cl::cat(category));

static cl::opt<ProgressMode, true>
    progress("progress", cl::desc("Show on stderr how far the work is:"),
             cl::values(clEnumValN(ProgressMode::Auto, "auto",
                                   "if stderr is a terminal (the default)"),
                        clEnumValN(ProgressMode::Always, "always",
                                   "also in a file or a pipe, a line a second"),
                        clEnumValN(ProgressMode::Never, "never", "not at all")),
             cl::location(options.progress), cl::cat(category));

static cl::opt<int64_t> maxSteps(
    "max-steps",
    cl::desc(
        "Refuse programs of more steps, one being a loop iteration, an "
        "element to or from the host, or 256 bytes of DMA, and 1024 each "
        "command that a loop makes in a further round (default: 2^30, "
        "about a minute); with --timing-only these two alone count. On a wafer "
        "one is a cycle of a PE in which it does something (default: "
        "2^31)"),
    cl::value_desc("steps"), cl::cat(category));

//===--- On a wafer -------------------------------------------------------===//

static cl::opt<std::string, true>
    grid("grid", cl::desc("Width and height that the program must have: 4,3"),
         cl::value_desc("w,h"), cl::location(options.wafer.grid),
         cl::cat(category));
static cl::list<std::string, std::vector<std::string>>
    launches("launch",
             cl::desc("Function to launch, in order, with its arguments: f, "
                      "'f(1, 2.5)', 'f@X,Y,WIDTH,HEIGHT(1)'"),
             cl::value_desc("function"), cl::location(options.wafer.launches),
             cl::cat(category));
static cl::opt<std::string, true> fabricPicture(
    "fabric-svg",
    cl::desc("Draw the fabric: routes by color, how busy each PE was"),
    cl::value_desc("file"), cl::location(options.wafer.fabricPicture),
    cl::cat(category));
static cl::opt<std::string, true> waveletLog(
    "wavelet-log",
    cl::desc("Write every hop of every wavelet: JSON if the name ends in "
             ".json, otherwise text"),
    cl::value_desc("file"), cl::location(options.wafer.waveletLog),
    cl::cat(category));
static cl::opt<std::string, true>
    tracePes("trace-pes",
             cl::desc("PEs of --timeline and --wavelet-log (default: all)"),
             cl::value_desc("x,y,w,h"), cl::location(options.wafer.tracePes),
             cl::cat(category));
static cl::opt<bool, true> randomLatency(
    "random-latency",
    cl::desc("Wavelets take up to 7 cycles more on each hop, in order"),
    cl::location(options.wafer.randomLatency), cl::cat(category));
static cl::opt<int64_t, true> seed("seed", cl::desc("Of --random-latency"),
                                   cl::location(options.wafer.seed),
                                   cl::cat(category));
// Called --threads once LLVM's own option of that name is gone.
static cl::opt<int64_t, true> threads(
    cl::desc(
        "Threads that simulate a wafer, each some rows of PEs; nothing but "
        "the time it takes depends on them (default: 1)"),
    cl::value_desc("n"), cl::location(options.wafer.threads),
    cl::cat(category));
static cl::opt<std::string, true> checkpoint(
    "checkpoint",
    cl::desc("Where to write the state of a wafer when Ctrl-C ends the run, "
             "and every so many cycles"),
    cl::value_desc("file"), cl::location(options.wafer.checkpoint),
    cl::cat(category));
static cl::opt<int64_t>
    checkpointEvery("checkpoint-every",
                    cl::desc("Write --checkpoint every so many cycles"),
                    cl::value_desc("cycles"), cl::cat(category));
static cl::opt<std::string, true>
    resume("resume",
           cl::desc("Go on from a checkpoint of the same command; threads and "
                    "processes may be other ones"),
           cl::value_desc("file"), cl::location(options.wafer.resume),
           cl::cat(category));
static cl::opt<bool, true>
    shallowQueues("shallow-queues",
                  cl::desc("Every queue and router buffer holds one wavelet"),
                  cl::location(options.wafer.shallowQueues), cl::cat(category));
static cl::opt<bool, true>
    highestTaskFirst("highest-task-first",
                     cl::desc("Ready tasks take turns from the highest id "
                              "down (default: from the lowest up)"),
                     cl::location(options.wafer.highestTaskFirst),
                     cl::cat(category));

int main(int argc, char **argv) {
  ToolInit init(argc, argv);
  cl::HideUnrelatedOptions(category);
  if (cl::Option *ofLlvm = cl::getRegisteredOptions().lookup("threads"))
    ofLlvm->removeArgument();
  threads.setArgStr("threads");
  // One of several processes speaks for all.
  llvm::raw_ostream &log = findRank() ? llvm::nulls() : llvm::errs();
  if (!cl::ParseCommandLineOptions(
          argc, argv, "Runs a program on a simulated machine\n", &log))
    return kUsage;
  options.arguments.assign(argv, argv + argc);
  if (chips.getNumOccurrences() > 0)
    options.compile.chips = chips;
  if (searchBudget.getNumOccurrences() > 0)
    options.compile.searchBudget = searchBudget;
  if (checkpointEvery.getNumOccurrences() > 0)
    options.wafer.checkpointEvery = checkpointEvery;
  if (maxSteps.getNumOccurrences() > 0)
    options.run.maxSteps = maxSteps;
  auto exchange = joinRanks();
  if (!exchange) {
    log << "error: " << llvm::toString(exchange.takeError()) << "\n";
    return kRefused;
  }
  options.exchange = exchange->get();
  return run(options, log);
}
