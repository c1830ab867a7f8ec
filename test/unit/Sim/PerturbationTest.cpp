//===- PerturbationTest.cpp - Every derived number matters ---------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A wrong number in a configuration must be seen: every integer of the JSON
// form of some programs is changed, and each change must trap, be refused, or
// change the results. The exceptions are listed with their reasons.

#include "SliceProgram.h"
#include "llvm/Support/Regex.h"

using namespace sequin;
using namespace sequin::testing;
using enum ElementType;

namespace {

struct Exception {
  const char *path; ///< regular expression over the whole path
  const char *reason;
  /// Only a larger number may go unseen.
  bool growthOnly = false;
};

/// Numbers that legally change nothing or only the cycles.
const Exception kExceptions[] = {
    {"version", "a change is refused when the text is read"},
    {"chips", "an unused chip changes the utilisation only"},
    {"macs", "the useful work is the program's statement; utilisation only"},
    {".*\\.zero_bytes",
     "zeroes before the copy; the programs here have no padding"},
    {".*\\.descriptors\\[[0-9]+\\]\\.engine",
     "which engine works; cycles only"},
    {".*\\.fetch\\.access_bytes", "a smaller access; cycles only"},
    {".*\\.commit\\.access_bytes", "a smaller access; cycles only"},
    {".*\\.ops\\[1\\]\\.int_width", "that of FxpToFp is checked apart"},
    {".*\\.operand\\.vrf\\.packet_entries",
     "the operand is one list of elements in stream order"},
    {".*\\.descriptors\\[0\\]\\.(entries\\[[0-9]+\\]\\[0\\]|packet_bytes)",
     "moves more than is needed, to where nobody reads", true},
};

/// Calls `visit(path, value)` for every integer.
void forEachInteger(
    llvm::json::Value &value, const std::string &path,
    llvm::function_ref<void(const std::string &, llvm::json::Value &)> visit) {
  if (llvm::json::Object *object = value.getAsObject()) {
    std::vector<std::string> keys;
    for (auto &entry : *object)
      keys.push_back(entry.first.str());
    llvm::sort(keys);
    for (const std::string &key : keys)
      forEachInteger(*object->get(key), path.empty() ? key : path + "." + key,
                     visit);
  } else if (llvm::json::Array *array = value.getAsArray()) {
    for (size_t i = 0; i < array->size(); ++i)
      forEachInteger((*array)[i], path + "[" + std::to_string(i) + "]", visit);
  } else if (value.kind() == llvm::json::Value::Number) {
    visit(path, value);
  }
}

bool isException(const std::string &path, bool grows) {
  for (const Exception &exception : kExceptions)
    if ((grows || !exception.growthOnly) &&
        llvm::Regex(std::string("^") + exception.path + "$").match(path))
      return true;
  return false;
}

/// The outputs' bytes, or the text of what stopped the run.
std::string outcome(const llvm::json::Value &json,
                    llvm::ArrayRef<sim::HostArray> inputs) {
  llvm::Expected<config::Program> program = config::fromJSON(json);
  if (!program)
    return "refused: " + llvm::toString(program.takeError());
  llvm::Expected<sim::Result> result =
      sim::run(*program, *lookupTcpMachine("rngd"), inputs);
  if (!result)
    return llvm::toString(result.takeError());
  std::string bytes;
  for (const sim::HostArray &output : result->outputs)
    bytes.append(output.data.begin(), output.data.end());
  return bytes;
}

/// Changes every number in turn.
void checkProgram(const config::Program &program,
                  llvm::ArrayRef<sim::HostArray> inputs) {
  llvm::json::Value json = toJSON(program);
  std::string right = outcome(json, inputs);
  EXPECT_EQ(right.find("trap"), std::string::npos) << right;
  int changes = 0;
  forEachInteger(json, "",
                 [&](const std::string &path, llvm::json::Value &value) {
                   int64_t original = *value.getAsInteger();
                   for (int64_t changed :
                        {original + 1, original - 1, original + 8,
                         original == 0 ? 64 : original * 2, original / 2}) {
                     if (changed == original)
                       continue;
                     ++changes;
                     value = changed;
                     if (!isException(path, changed > original))
                       EXPECT_NE(outcome(json, inputs), right)
                           << path << ": " << original << " -> " << changed;
                   }
                   value = original;
                 });
  EXPECT_GT(changes, 500);
}

} // namespace

/// Any number at all is refused, traps or runs, and comes back.
static void checkExtremes(const config::Program &program,
                          llvm::ArrayRef<sim::HostArray> inputs) {
  llvm::json::Value json = toJSON(program);
  forEachInteger(
      json, "", [&](const std::string &path, llvm::json::Value &value) {
        int64_t original = *value.getAsInteger();
        for (int64_t changed :
             {INT64_MIN, INT64_MIN / 2, -(int64_t(1) << 40), int64_t(-1),
              int64_t(0), int64_t(65536), int64_t(1) << 32, int64_t(1) << 40,
              INT64_MAX / 2, INT64_MAX}) {
          value = changed;
          llvm::Expected<config::Program> read = config::fromJSON(json);
          if (!read) {
            EXPECT_NE(llvm::toString(read.takeError()), "");
            continue;
          }
          for (bool timingOnly : {false, true}) {
            llvm::Expected<sim::Result> result =
                sim::run(*read, *lookupTcpMachine("rngd"), inputs,
                         {.timingOnly = timingOnly, .maxSteps = 1 << 20});
            if (result)
              EXPECT_GE(result->report.cycles, 0) << path << ": " << changed;
            else
              EXPECT_NE(llvm::toString(result.takeError()), "");
          }
        }
        value = original;
      });
}

static std::vector<sim::HostArray> gemmInputs(const GemmShape &shape) {
  return {integerBf16({shape.m(), shape.k}, 100, 5),
          integerBf16({shape.n(), shape.k}, 100, 6)};
}

TEST(Perturbation, MatrixProduct) {
  GemmShape shape{2, 2, 3, 16, 64};
  checkProgram(makeGemm(shape, *lookupTcpMachine("rngd"), false),
               gemmInputs(shape));
}

TEST(Perturbation, MatrixProductWithTimeBroadcast) {
  GemmShape shape{2, 2, 3, 16, 64};
  checkProgram(makeGemm(shape, *lookupTcpMachine("rngd"), true),
               gemmInputs(shape));
}

TEST(Perturbation, ExtremeNumbers) {
  GemmShape shape{2, 2, 3, 16, 64};
  for (bool broadcast : {false, true})
    checkExtremes(makeGemm(shape, *lookupTcpMachine("rngd"), broadcast),
                  gemmInputs(shape));
}

TEST(Perturbation, VectorProgram) {
  SliceProgram program;
  std::vector<int> data(64);
  for (int i = 0; i < 64; ++i)
    data[i] = i * i * 37 % 1009 - 500;
  program.input(arrayOf(I32, data), 64);
  program.input(arrayOf(I32, iota(16, 900)), 4096);
  config::ExecCommand load = makeExec({4096, {{2, 8}, {8, 1}}, 1}, I32, I32, 8);
  load.context = config::Context::Sub;
  load.sink = config::ToVrfStage{32, 64};
  program.exec(load, "load");
  config::ExecCommand exec =
      makeExec({96, {{2, -8}, {4, 16}, {8, 1}}, 1}, I32, I32, 32);
  exec.fetch.mask = config::FetchMask{0, 0, {8, 8, 8, 6}, 1, 12345};
  config::VectorOp add, convert;
  add.opcode = config::VectorOpcode::FxpAdd;
  add.operand.kind = config::VectorOperand::Kind::Vrf;
  add.operand.vrf = {32, {{2, 8}, {4, 0}, {8, 1}}, 1};
  convert.opcode = config::VectorOpcode::FxpToFp;
  convert.intWidth = 20;
  config::VectorOp clip;
  clip.opcode = config::VectorOpcode::ClipMaxI;
  clip.operand.kind = config::VectorOperand::Kind::Constant;
  clip.operand.constant = 700;
  exec.vector = config::VectorStage{I32, {add, clip}};
  exec.cast = config::CastStage{I32, I16};
  exec.sink =
      config::CommitStage{I16, {8192, {{2, 32}, {4, 8}, {8, 1}}, 1}, 16, 16};
  program.exec(exec);
  program.output(I16, 64, 8192);
  checkProgram(program.program, program.inputs);
  checkExtremes(program.program, program.inputs);
}

TEST(Perturbation, ConversionWidth) {
  auto outcomeOf = [](int64_t width) {
    SliceProgram program;
    program.input(arrayOf(I32, iota(8, 1)), 0);
    config::ExecCommand exec = makeExec({0, {{8, 1}}, 1}, I32, I32, 32);
    config::VectorOp convert;
    convert.opcode = config::VectorOpcode::FxpToFp;
    convert.intWidth = width;
    exec.vector = config::VectorStage{I32, {convert}};
    exec.sink = config::CommitStage{F32, {4096, {{8, 1}}, 1}, 32, 32};
    program.exec(exec);
    program.output(F32, 8, 4096);
    return outcome(toJSON(program.program), program.inputs);
  };
  EXPECT_NE(outcomeOf(20), outcomeOf(21));
  EXPECT_NE(outcomeOf(20), outcomeOf(19));
}

// Access sizes change the cycles, and too large ones trap.
TEST(Perturbation, AccessSizesChangeCycles) {
  GemmShape shape{2, 2, 3, 16, 64};
  config::Program program = makeGemm(shape, *lookupTcpMachine("rngd"), true);
  auto cycles = [&]() {
    llvm::Expected<sim::Result> result =
        sim::run(program, *lookupTcpMachine("rngd"), {}, {.timingOnly = true});
    return result ? result->report.cycles : -1;
  };
  int64_t before = cycles();
  for (config::Command &command : program.commands)
    if (command.name == "product") {
      auto &fetch = std::get<config::ExecCommand>(command.body).fetch;
      fetch.fetchesPerPacket *= fetch.accessBytes / 8;
      fetch.accessBytes = 8;
    }
  EXPECT_GT(cycles(), before);
}

// The slice mask is text in JSON: every digit of the slices in use matters.
TEST(Perturbation, SliceMask) {
  GemmShape shape{2, 2, 3, 16, 64};
  config::Program program = makeGemm(shape, *lookupTcpMachine("rngd"), true);
  std::vector<sim::HostArray> inputs = gemmInputs(shape);
  std::string right = outcome(toJSON(program), inputs);
  for (config::Command &command : program.commands) {
    auto *exec = std::get_if<config::ExecCommand>(&command.body);
    if (!exec)
      continue;
    for (int slice = 0; slice < 4; ++slice) {
      exec->sliceMask[0] ^= uint64_t(1) << slice;
      EXPECT_NE(outcome(toJSON(program), inputs), right) << slice;
      exec->sliceMask[0] ^= uint64_t(1) << slice;
    }
  }
}
