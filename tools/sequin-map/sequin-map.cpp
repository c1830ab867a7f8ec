//===- sequin-map.cpp - A calculator for mappings and descriptors ---------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Api/MappingQuery.h"
#include "sequin/Machine/CslMachine.h"
#include "sequin/Stream/DrawSvg.h"
#include "sequin/Stream/Dsd.h"
#include "sequin/Stream/Explain.h"
#include "sequin/Stream/StreamJson.h"
#include "sequin/Support/OutputFile.h"
#include "sequin/Tools/ToolMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/WithColor.h"

using namespace sequin;
namespace cl = llvm::cl;

namespace {

cl::OptionCategory category("sequin-map options");
cl::SubCommand eval("eval", "Print the tensor index at every position");
cl::SubCommand equiv("equiv", "Compare two mappings; exit 1 if they differ");
cl::SubCommand deriveCommand("derive",
                             "Derive the sequencer that walks a buffer");
cl::SubCommand explainCommand("explain",
                              "Show step by step how a sequencer is derived");
cl::SubCommand dsd("dsd", "Lower a CSL tensor access to its memory DSD");
cl::SubCommand normalize("normalize", "Print the normal form");
cl::SubCommand draw("draw", "Draw a mapping as SVG");

cl::opt<std::string> axesText("axes",
                              cl::desc("Axis sizes: A=8,B=512; skewed axes: "
                                       "B'=B-A"),
                              cl::sub(eval), cl::sub(equiv),
                              cl::sub(deriveCommand), cl::sub(explainCommand),
                              cl::sub(normalize), cl::sub(draw),
                              cl::cat(category));
cl::list<std::string> tables("table",
                             cl::desc("Table for lookups 'A ? t': t=3,1,4"),
                             cl::sub(eval), cl::sub(equiv), cl::sub(normalize),
                             cl::sub(deriveCommand), cl::sub(explainCommand),
                             cl::sub(draw), cl::cat(category));
cl::opt<bool> json("json", cl::desc("Print JSON"), cl::sub(eval),
                   cl::sub(equiv), cl::sub(deriveCommand), cl::sub(dsd),
                   cl::sub(normalize), cl::cat(category));
cl::list<std::string> mappings(cl::Positional, cl::desc("<mapping>..."),
                               cl::sub(eval), cl::sub(equiv),
                               cl::sub(normalize), cl::sub(draw),
                               cl::cat(category));
cl::opt<std::string> dtype("dtype", cl::desc("Element type (default i8)"),
                           cl::init("i8"), cl::sub(deriveCommand),
                           cl::sub(explainCommand), cl::cat(category));
cl::opt<std::string> buffer("buffer", cl::desc("Mapping of the buffer"),
                            cl::Required, cl::sub(deriveCommand),
                            cl::sub(explainCommand), cl::cat(category));
cl::opt<std::string> timeText("time", cl::desc("Mapping of the time steps"),
                              cl::init("1"), cl::sub(deriveCommand),
                              cl::sub(explainCommand), cl::cat(category));
cl::opt<std::string> packet("packet", cl::desc("Mapping of one packet"),
                            cl::init("1"), cl::sub(deriveCommand),
                            cl::sub(explainCommand), cl::cat(category));
cl::opt<std::string> direction("direction", cl::desc("read (default) or write"),
                               cl::init("read"), cl::sub(deriveCommand),
                               cl::sub(explainCommand), cl::cat(category));
cl::opt<bool> minimal("minimal", cl::desc("Merge even where all entries fit"),
                      cl::sub(deriveCommand), cl::sub(explainCommand),
                      cl::cat(category));
cl::opt<int64_t>
    segments("segments",
             cl::desc("Sequencers that may share the stream, one after the "
                      "other (default 1)"),
             cl::init(1), cl::sub(deriveCommand), cl::sub(explainCommand),
             cl::cat(category));
cl::opt<std::string> target("target", cl::desc("Machine (default rngd)"),
                            cl::init("rngd"), cl::sub(deriveCommand),
                            cl::sub(explainCommand), cl::cat(category));
cl::opt<std::string> arch("arch", cl::desc("Machine whose limits hold"),
                          cl::Required, cl::sub(dsd), cl::cat(category));
cl::opt<std::string> shapeText("shape", cl::desc("Array sizes: 4,5"),
                               cl::Required, cl::sub(dsd), cl::cat(category));
cl::opt<std::string> accessText("access",
                                cl::desc("|i,j|{5,5} -> A[i, 2 * j + 1]"),
                                cl::Required, cl::sub(dsd), cl::cat(category));
cl::opt<std::string> kindText("kind",
                              cl::desc("mem1d or mem4d (default by the number "
                                       "of variables)"),
                              cl::sub(dsd), cl::cat(category));
cl::opt<bool>
    simplified("simplify",
               cl::desc("Merge loops: same visits, fewest dimensions"),
               cl::sub(dsd), cl::cat(category));
cl::opt<bool> withVisits("visits", cl::desc("Print every address"),
                         cl::sub(dsd), cl::cat(category));
cl::opt<std::string> output("o", cl::desc("Output file"), cl::Required,
                            cl::sub(draw), cl::cat(category));

int fail(const llvm::Twine &message) {
  llvm::WithColor::error() << message << '\n';
  return kRefused;
}
int fail(llvm::Error error) { return fail(llvm::toString(std::move(error))); }

int usage(const llvm::Twine &message) {
  llvm::WithColor::error() << message << '\n';
  return kUsage;
}

int runEval(const Mapping &mapping) {
  if (llvm::Error error = api::checkListable(mapping))
    return fail(std::move(error));
  if (json) {
    writeEvaluation(llvm::outs(), mapping);
    return kSuccess;
  }
  for (int64_t p = 0; p < mapping.size(); ++p)
    llvm::outs() << p << ": " << api::formatIndices(mapping, p) << '\n';
  return kSuccess;
}

int runEquiv(const Mapping &left, const Mapping &right) {
  auto difference = api::findDifference(left, right);
  if (!difference)
    return fail(difference.takeError());
  if (json)
    writeComparison(llvm::outs(), left, right, *difference);
  else if (!*difference)
    llvm::outs() << "equivalent\n";
  if (!*difference)
    return kSuccess;
  return fail("not equivalent: " +
              api::describeDifference(left, right, **difference));
}

int runDerive(const AxisSizes &axes) {
  api::DeriveRequest request;
  request.target = target;
  request.dtype = dtype;
  request.direction = direction;
  request.buffer = buffer;
  request.time = timeText;
  request.packet = packet;
  request.minimal = minimal;
  request.segments = segments;
  auto answer = api::derive(request, axes);
  if (!answer)
    return fail(answer.takeError());
  const Derivation &result = answer->derivation;
  if (explainCommand) {
    explain(llvm::outs(), answer->buffer, answer->options, result);
    return kSuccess;
  }
  if (json) {
    writeDerivation(llvm::outs(), result);
    return kSuccess;
  }
  llvm::outs() << result.sequencer.str() << '\n'
               << "contiguous bytes " << result.contiguousBytes
               << ", access bytes " << result.accessBytes << ", cycles "
               << result.cycles << '\n';
  return kSuccess;
}

/// Addresses outside the array are legal CSL and likely a mistake.
llvm::Error warnOutside(const MemDsd &descriptor, const TensorAccess &access,
                        int64_t elements) {
  auto range = descriptor.range();
  if (!range)
    return range.takeError();
  if (*range && ((*range)->lowest < 0 || (*range)->highest >= elements))
    llvm::WithColor::warning()
        << "the access visits elements " << (*range)->lowest << " to "
        << (*range)->highest << ", '" << access.array << "' has " << elements
        << "; CSL does not check this\n";
  return llvm::Error::success();
}

int runDsd() {
  const CslMachine *machine = lookupCslMachine(arch);
  if (!machine)
    return fail("unknown machine '" + arch +
                "' in --arch; known: " + knownCslMachineNames());
  std::optional<DsdKind> kind = parseDsdKind(kindText);
  if (!kind && !kindText.empty())
    return fail("unknown kind '" + kindText +
                "' in --kind; known: mem1d, "
                "mem4d");
  auto shape = parseArrayShape(shapeText);
  if (!shape)
    return fail("in --shape: " + llvm::toString(shape.takeError()));
  auto access = TensorAccess::parse(accessText);
  if (!access)
    return fail("in --access: " + llvm::toString(access.takeError()));
  auto elements = elementCount(*shape);
  if (!elements)
    return fail("in --shape: " + llvm::toString(elements.takeError()));
  auto descriptor = access->lower(*shape, kind);
  if (!descriptor)
    return fail(descriptor.takeError());
  if (simplified) {
    *descriptor = simplify(*descriptor, machine->dsd);
    // One loop is a mem4d_dsd of one dimension just as well.
    if (kind)
      descriptor->kind = *kind;
  }
  if (auto violation = check(*descriptor, machine->dsd))
    return fail(describe(*violation, machine->name));
  auto count = descriptor->visitCount();
  if (withVisits && (!count || *count > api::maxListed))
    return fail("the access visits more than the " +
                llvm::Twine(api::maxListed) + " elements that are printed");
  if (llvm::Error error = warnOutside(*descriptor, *access, *elements))
    return fail(std::move(error));
  if (json) {
    writeDsd(llvm::outs(), *descriptor, withVisits);
    return kSuccess;
  }
  auto flat = toTensorAccess(*descriptor, access->array);
  if (!flat)
    return fail(flat.takeError());
  llvm::outs() << getName(descriptor->kind) << "_dsd " << descriptor->str()
               << '\n'
               << "flat: " << flat->str() << '\n';
  if (withVisits) {
    for (DsdWalk walk(*descriptor); !walk.done(); walk.advance())
      llvm::outs() << walk.address() << '\n';
  }
  return kSuccess;
}

int runDraw(const Mapping &mapping) {
  // The file appears under its name only when it is complete.
  std::string picture;
  llvm::raw_string_ostream os(picture);
  if (llvm::Error error = drawSvg(os, mapping))
    return fail(std::move(error));
  if (llvm::Error error = writeOutput(output, picture))
    return fail(std::move(error));
  return kSuccess;
}

} // namespace

int main(int argc, char **argv) {
  ToolInit init(argc, argv);
  cl::HideUnrelatedOptions(category);
  for (cl::SubCommand *command : {&eval, &equiv, &deriveCommand,
                                  &explainCommand, &dsd, &normalize, &draw})
    cl::HideUnrelatedOptions(category, *command);
  if (!cl::ParseCommandLineOptions(
          argc, argv, "A calculator for mappings and descriptors\n",
          &llvm::errs()))
    return kUsage;
  if (dsd)
    return runDsd();
  if (!eval && !equiv && !deriveCommand && !explainCommand && !normalize &&
      !draw)
    return usage(
        "expected a command: eval, equiv, derive, explain, dsd, normalize or "
        "draw");

  auto axes = api::parseAxes(axesText, tables);
  if (!axes)
    return fail(axes.takeError());
  if (deriveCommand || explainCommand)
    return runDerive(*axes);
  size_t expected = equiv ? 2 : 1;
  if (mappings.size() != expected)
    return usage("expected " + llvm::Twine(expected) + " mapping" +
                 (expected > 1 ? "s" : "") + ", found " +
                 llvm::Twine(mappings.size()));
  llvm::SmallVector<Mapping, 2> parsed;
  for (const std::string &text : mappings) {
    auto mapping = Mapping::parse(text, *axes);
    if (!mapping)
      return fail(mapping.takeError());
    parsed.push_back(*mapping);
  }
  if (eval)
    return runEval(parsed[0]);
  if (equiv)
    return runEquiv(parsed[0], parsed[1]);
  if (draw)
    return runDraw(parsed[0]);
  if (json)
    writeNormalForm(llvm::outs(), parsed[0]);
  else
    llvm::outs() << parsed[0].normalStr() << '\n';
  return kSuccess;
}
