//===- Program.cpp - Programs to compile and run --------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Api/Program.h"
#include "Arrays.h"
#include "ProgramModule.h"
#include "sequin/Machine/CslMachine.h"
#include "sequin/Support/Excerpt.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include <mutex>

using namespace sequin;
using namespace sequin::api;
using llvm::StringRef;
using llvm::Twine;

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

StringRef api::getName(Message::Severity severity) {
  switch (severity) {
  case Message::Severity::Error:
    return "error";
  case Message::Severity::Warning:
    return "warning";
  case Message::Severity::Remark:
    return "remark";
  case Message::Severity::Note:
    return "note";
  }
  llvm_unreachable("a severity");
}

char Refusal::ID = 0;

void Refusal::log(llvm::raw_ostream &os) const {
  llvm::ListSeparator separator("; ");
  for (const Message &message : messages)
    if (message.severity == Message::Severity::Error)
      os << separator << message.text;
}

std::error_code Refusal::convertToErrorCode() const {
  return llvm::inconvertibleErrorCode();
}

llvm::Error api::refuse(Refusal::Kind kind, const Twine &what) {
  Message message;
  message.text = what.str();
  std::string printed = "error: " + message.text + "\n";
  return llvm::make_error<Refusal>(kind, std::move(printed),
                                   std::vector<Message>{std::move(message)});
}

static llvm::Error refuseProgram(const Twine &what) {
  return refuse(Refusal::Kind::Program, what);
}

static llvm::Error refuseInput(const Twine &what) {
  return refuse(Refusal::Kind::Input, what);
}

std::optional<Level> api::parseLevel(StringRef name) {
  return llvm::StringSwitch<std::optional<Level>>(name)
      .Case("given", Level::Given)
      .Case("tcp", Level::Tcp)
      .Case("config", Level::Config)
      .Default(std::nullopt);
}

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

struct Program::Impl {
  /// None for a configuration in JSON.
  std::unique_ptr<ProgramModule> module;
  /// Held while `module` is used.
  std::mutex moduleInUse;
  config::Program config;
  const TcpMachine *machine = nullptr;
  std::vector<config::Argument> inputs, outputs;
  std::string warningText;
  std::vector<Message> warnings;
};

Program::Program(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
Program::~Program() = default;

/// JSON begins with a brace, and so does the metadata of an MLIR file: "{-#".
static bool isConfigJson(const CompileOptions &options) {
  if (!options.text)
    return StringRef(options.path).ends_with(".json");
  StringRef text = StringRef(*options.text).ltrim();
  return text.starts_with("{") && !text.starts_with("{-");
}

/// Reads a configuration that needs no lowering, without MLIR.
static llvm::Expected<config::Program> readJson(const CompileOptions &options) {
  std::unique_ptr<llvm::MemoryBuffer> file;
  if (!options.text) {
    auto buffer = llvm::MemoryBuffer::getFile(options.path);
    if (std::error_code code = buffer.getError())
      return refuseProgram("cannot read '" + options.path +
                           "': " + code.message());
    file = std::move(*buffer);
  }
  auto program =
      config::fromJSONText(file ? file->getBuffer() : StringRef(*options.text));
  if (!program)
    return refuseProgram("'" + options.path +
                         "': " + llvm::toString(program.takeError()));
  return program;
}

/// What no program could make right.
static llvm::Error checkOptions(const CompileOptions &options) {
  if (!options.target.empty() && !lookupTcpMachine(options.target))
    return refuseProgram("--target '" + excerpt(options.target) +
                         "' is no machine, known are " + knownMachineNames() +
                         "; for programs of the wafer " +
                         knownCslMachineNames());
  if (options.chips && *options.chips < 1)
    return refuseProgram("--chips is " + Twine(*options.chips) +
                         ", must be at least 1");
  if (!options.argumentLayout.empty() && options.argumentLayout != "chosen" &&
      options.argumentLayout != kRowMajor)
    return refuseProgram("--argument-layout '" +
                         excerpt(options.argumentLayout) +
                         "' is no layout, known are row-major and chosen");
  if (options.searchBudget && *options.searchBudget < 1)
    return refuseProgram("--search-budget is " + Twine(*options.searchBudget) +
                         ", must be at least 1");
  if (options.allowNarrow && options.einsum.empty())
    return refuseProgram("--allow-narrow is for an einsum; --allow-bf16 rounds "
                         "the f32 operands of a program");
  return llvm::Error::success();
}

llvm::json::Value api::toJSON(const RunResult &result) {
  llvm::json::Value report = sim::toJSON(result.report);
  (*report.getAsObject())["digit_products"] = result.digitProducts;
  return report;
}

void api::writeJSON(llvm::raw_ostream &os, const RunResult &result) {
  sim::writeJSON(os, result.report,
                 llvm::json::Object{{"digit_products", result.digitProducts}});
}

/// Whether the configuration is for the machine that was asked for.
static llvm::Error checkTarget(const config::Program &program,
                               const CompileOptions &options) {
  if (!lookupTcpMachine(program.target))
    return refuseProgram("the program is for '" + excerpt(program.target) +
                         "', which is no machine, known are " +
                         knownMachineNames());
  if (!options.target.empty() && options.target != program.target)
    return refuseProgram("the program is for machine '" + program.target +
                         "', --target is '" + options.target + "'");
  if (options.chips && *options.chips != program.chips)
    return refuseProgram("the program is for " + Twine(program.chips) +
                         " chips, --chips is " + Twine(*options.chips));
  return llvm::Error::success();
}

static int64_t countOf(llvm::ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

/// The program's arguments in the shapes their author gave them.
static llvm::Error reshape(std::vector<config::Argument> &arguments,
                           const ProgramModule::Shapes &shapes) {
  bool matches = arguments.size() == shapes.size();
  for (size_t i = 0; matches && i < shapes.size(); ++i)
    matches = countOf(arguments[i].shape) == countOf(shapes[i]);
  if (!matches)
    return refuseProgram("the lowered program has other arguments or results "
                         "than the given one");
  for (auto [argument, shape] : llvm::zip_equal(arguments, shapes))
    argument.shape = shape;
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<Program>>
Program::compile(const CompileOptions &options) {
  if (llvm::Error error = checkOptions(options))
    return error;
  auto impl = std::make_unique<Impl>();
  if (options.einsum.empty() && isConfigJson(options)) {
    auto read = readJson(options);
    if (!read)
      return read.takeError();
    impl->config = std::move(*read);
  } else {
    impl->module = std::make_unique<ProgramModule>(options);
    if (failed(impl->module->load()))
      return impl->module->takeRefusal(Refusal::Kind::Program);
    auto lowered = impl->module->lower();
    if (failed(lowered))
      return impl->module->takeRefusal(Refusal::Kind::Program);
    impl->config = std::move(*lowered);
    std::tie(impl->warningText, impl->warnings) = impl->module->takeMessages();
  }
  if (llvm::Error error = checkTarget(impl->config, options))
    return error;
  impl->machine = lookupTcpMachine(impl->config.target);

  impl->inputs = impl->config.inputs;
  impl->outputs = impl->config.outputs;
  if (impl->module && impl->module->shapes()) {
    const auto &[inputShapes, outputShapes] = *impl->module->shapes();
    if (llvm::Error error = reshape(impl->inputs, inputShapes))
      return error;
    if (llvm::Error error = reshape(impl->outputs, outputShapes))
      return error;
  }
  return std::unique_ptr<Program>(new Program(std::move(impl)));
}

//===----------------------------------------------------------------------===//
// What it is
//===----------------------------------------------------------------------===//

StringRef Program::warningText() const { return impl->warningText; }
llvm::ArrayRef<Message> Program::warnings() const { return impl->warnings; }
const llvm::json::Array &Program::mappings() const {
  static const llvm::json::Array none;
  return impl->module ? impl->module->mappings() : none;
}
bool Program::isLowered() const {
  return impl->module &&
         impl->module->givenLevel() == ProgramModule::Level::Linalg;
}
const config::Program &Program::config() const { return impl->config; }
const TcpMachine &Program::machine() const { return *impl->machine; }
llvm::ArrayRef<config::Argument> Program::inputs() const {
  return impl->inputs;
}
llvm::ArrayRef<config::Argument> Program::outputs() const {
  return impl->outputs;
}

static std::string list(llvm::ArrayRef<config::Argument> arguments,
                        StringRef noun) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << arguments.size() << ' ' << noun << (arguments.size() == 1 ? "" : "s");
  if (arguments.empty())
    return text;
  os << " (";
  llvm::ListSeparator comma;
  for (const config::Argument &argument : arguments)
    os << comma << '\'' << argument.name << "' "
       << sequin::getName(argument.type) << ' ' << shapeText(argument.shape);
  os << ')';
  return text;
}

std::string Program::describeInputs() const {
  return list(impl->inputs, "input");
}

std::string Program::describeOutputs() const {
  return list(impl->outputs, "output");
}

llvm::Expected<std::string> Program::mlir(Level level) const {
  if (level == Level::Config)
    return printConfig(impl->config);
  std::lock_guard<std::mutex> lock(impl->moduleInUse);
  bool isTcp = impl->module &&
               impl->module->givenLevel() != ProgramModule::Level::Config;
  if (level == Level::Tcp && !isTcp)
    return refuseInput("the program was given as a configuration, there is no "
                       "tcp program");
  if (!impl->module)
    return printConfig(impl->config);
  return impl->module->print(/*asGiven=*/level == Level::Given);
}

std::string Program::json() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  config::writeJSON(os, impl->config);
  return text;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

llvm::Expected<sim::HostArray> Program::toInput(size_t index, NpyArray array,
                                                StringRef name) const {
  const config::Argument &argument = impl->inputs[index];
  bool isE2m1 = impl->module && impl->module->takesE2m1(index);
  bool isTruth = impl->module && impl->module->takesTruthValues(index);
  auto converted = isE2m1    ? toE2m1Array(array, name, argument)
                   : isTruth ? toHostArray(NpyArray(array), name, argument)
                             : toHostArray(std::move(array), name, argument);
  if (!converted)
    return refuseInput(llvm::toString(converted.takeError()));
  if (isTruth)
    if (llvm::Error bad = checkTruthValues(array, name, argument))
      return refuseInput(llvm::toString(std::move(bad)));
  converted->shape = impl->config.inputs[index].shape;
  return converted;
}

NpyArray Program::toOutput(size_t index, const sim::HostArray &array,
                           bool raw) const {
  return toNpy(array, impl->outputs[index].shape, raw);
}

llvm::Error Program::checkVerifiable() const {
  if (impl->module &&
      impl->module->givenLevel() != ProgramModule::Level::Config)
    return llvm::Error::success();
  return refuseInput("--verify needs the program before it is lowered to a "
                     "configuration");
}

llvm::Expected<RunResult> Program::run(llvm::ArrayRef<sim::HostArray> inputs,
                                       const RunOptions &options) const {
  if (options.maxSteps && *options.maxSteps < 1)
    return refuseInput("--max-steps is " + Twine(*options.maxSteps) +
                       ", must be at least 1");
  if (options.verify)
    if (llvm::Error error = checkVerifiable())
      return error;
  sim::Options simOptions;
  simOptions.timingOnly = options.timingOnly;
  simOptions.keepAccesses = options.keepAccesses;
  simOptions.whatIf = options.whatIf;
  if (options.maxSteps)
    simOptions.maxSteps = *options.maxSteps;
  auto simulated = sim::run(impl->config, *impl->machine, inputs, simOptions);
  if (!simulated) {
    llvm::Error error = simulated.takeError();
    if (error.isA<sim::Trap>())
      return error;
    return refuseInput(llvm::toString(std::move(error)));
  }
  RunResult result;
  result.outputs = std::move(simulated->outputs);
  result.report = std::move(simulated->report);
  if (impl->module) {
    result.digitProducts = impl->module->digitProducts();
    for (sim::CommandTiming &command : result.report.commands)
      command.operation = impl->module->operationAt(command.location);
  }
  if (options.verify) {
    std::lock_guard<std::mutex> lock(impl->moduleInUse);
    auto verified = impl->module->verify(inputs, result.outputs);
    if (failed(verified))
      return impl->module->takeRefusal(Refusal::Kind::Verification);
    result.verified = std::move(*verified);
  }
  return result;
}
