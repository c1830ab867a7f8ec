//===- WaferModule.cpp - Wafer programs from files ------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Api/WaferModule.h"
#include "Compare.h"
#include "MessageLog.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "sequin/Conversion/CslToWafer/DeriveProgram.h"
#include "sequin/Conversion/TosaToLinalg/Passes.h"
#include "sequin/Dialect/Csl/IR/CslDialect.h"
#include "sequin/InitAllDialects.h"
#include "sequin/Pipelines/Pipelines.h"
#include "sequin/Reference/Interpreter.h"
#include "sequin/Support/Excerpt.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::api;

struct WaferModule::Impl {
  std::unique_ptr<MLIRContext> context;
  std::unique_ptr<MessageLog> log;
  OwningOpRef<ModuleOp> module;
  OwningOpRef<ModuleOp> linalg; ///< as it was given
  std::string entryName;        ///< of the function in it
  wafer::Program program;
  std::optional<WaferEntry> entry;
  std::string warningText;
};

WaferModule::WaferModule(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
WaferModule::~WaferModule() = default;
const wafer::Program &WaferModule::program() const { return impl->program; }
const std::optional<WaferEntry> &WaferModule::entry() const {
  return impl->entry;
}
StringRef WaferModule::warningText() const { return impl->warningText; }

/// JSON begins with a brace, and so does the metadata of an MLIR file: "{-#".
static bool isJson(StringRef text) {
  text = text.ltrim();
  return text.starts_with("{") && !text.starts_with("{-");
}

bool api::isWaferProgram(StringRef path) {
  // What a pipe has to say is said once.
  if (!llvm::sys::fs::is_regular_file(path))
    return false;
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return false;
  StringRef text = (*buffer)->getBuffer();
  if (isJson(text))
    return text.contains("\"setups\"") && text.contains("\"routers\"");
  return text.contains("csl.layout");
}

llvm::Expected<std::unique_ptr<reference::CslReference>>
WaferModule::makeReference(const reference::CslOptions &options) const {
  if (!impl->module)
    return refuse(Refusal::Kind::Input,
                  "--verify needs the program in the csl dialect, the wafer "
                  "program is what it became");
  auto made = reference::CslReference::create(*impl->module, options);
  if (failed(made))
    return impl->log->takeRefusal(Refusal::Kind::Verification);
  return std::move(*made);
}

static llvm::Error checkOptions(const WaferOptions &options) {
  if (!options.target.empty() && !lookupCslMachine(options.target))
    return refuse(Refusal::Kind::Program,
                  "--target '" + excerpt(options.target) +
                      "' is no wafer-scale engine, known are " +
                      knownCslMachineNames());
  return llvm::Error::success();
}

static llvm::Error checkProgram(const wafer::Program &program,
                                const WaferOptions &options) {
  if (!options.target.empty() && options.target != program.target)
    return refuse(Refusal::Kind::Program,
                  "the program is for machine '" + excerpt(program.target) +
                      "', --target is '" + options.target + "'");
  if (options.grid && *options.grid != std::pair(program.width, program.height))
    return refuse(Refusal::Kind::Program,
                  "the program's rectangle is " + Twine(program.width) + " x " +
                      Twine(program.height) + " PEs, --grid is " +
                      Twine(options.grid->first) + " x " +
                      Twine(options.grid->second));
  return llvm::Error::success();
}

static LogicalResult lowerLinalg(ModuleOp module, const WaferOptions &options,
                                 MessageLog &log) {
  if (module.getOps<func::FuncOp>().empty())
    return log.fail("'" + options.path +
                    "' has neither a csl.layout nor a function of linalg");
  if (!options.grid)
    return log.fail("'" + options.path +
                    "' is linalg on tensors, --grid must say on how many PEs "
                    "it runs: --grid 4,4");
  LinalgToCslPipelineOptions pipeline;
  pipeline.target = options.target;
  pipeline.grid = {options.grid->first, options.grid->second};
  pipeline.entry = options.entry;
  PassManager pm(module.getContext());
  populateLinalgToCslPipeline(pm, pipeline);
  return pm.run(module);
}

bool WaferModule::isLinalg() const { return static_cast<bool>(impl->linalg); }

llvm::Error
WaferModule::compareWithLinalg(llvm::ArrayRef<sim::HostArray> inputs,
                               llvm::ArrayRef<sim::HostArray> outputs) const {
  std::vector<reference::Array> arguments;
  for (const sim::HostArray &input : inputs)
    arguments.push_back({input.type, input.shape, input.data, {}});
  auto meant =
      reference::interpretLinalg(*impl->linalg, impl->entryName, arguments,
                                 /*flushSubnormals=*/false);
  if (failed(meant))
    return impl->log->takeRefusal(Refusal::Kind::Verification);
  if (std::optional<std::string> difference = compareClosely(outputs, *meant))
    return refuse(Refusal::Kind::Verification,
                  "verification failed against the linalg program: " +
                      *difference);
  return llvm::Error::success();
}

static LogicalResult nameTarget(ModuleOp module, const WaferOptions &options,
                                MessageLog &log) {
  if (module->hasAttr(csl::CslDialect::kTargetAttrName))
    return success();
  if (options.target.empty())
    return log.fail("the program names no machine and --target is not given, "
                    "known are " +
                    knownCslMachineNames());
  auto target = csl::TargetAttr::get(module.getContext(), options.target,
                                     csl::Fp16::F16, /*memcpy=*/false);
  module->setAttr(csl::CslDialect::kTargetAttrName, target);
  // With a machine there is more to hold the program against.
  return verify(module);
}

/// Reads csl.entry, which the verifier of the module has not held against the
/// exported names.
static llvm::Expected<std::optional<WaferEntry>>
readEntry(ModuleOp module, const wafer::Program &program) {
  auto named =
      module->getAttrOfType<csl::EntryAttr>(csl::CslDialect::kEntryAttrName);
  if (!named)
    return std::nullopt;
  WaferEntry entry;
  entry.function = named.getFunction().str();
  auto read = [&](ArrayRef<StringAttr> names,
                  std::vector<WaferEntry::Tensor> &tensors) -> llvm::Error {
    for (StringAttr name : names) {
      csl::DistributionAttr spread;
      module->walk([&](csl::ExportNameOp exported) {
        if (exported.getName() == name.getValue())
          spread = exported->getAttrOfType<csl::DistributionAttr>(
              csl::CslDialect::kDistributionAttrName);
      });
      if (!spread)
        return refuse(Refusal::Kind::Program,
                      "csl.entry names '" + name.getValue() +
                          "', which has no csl.distribution");
      Distribution distribution = spread.getDistribution();
      if (llvm::Error bad = distribution.check(program.width, program.height))
        return refuse(Refusal::Kind::Program,
                      "'" + name.getValue() +
                          "': " + llvm::toString(std::move(bad)));
      tensors.push_back({name.str(), std::move(distribution)});
    }
    return llvm::Error::success();
  };
  if (llvm::Error bad = read(named.getArguments(), entry.arguments))
    return std::move(bad);
  if (llvm::Error bad = read(named.getResults(), entry.results))
    return std::move(bad);
  return entry;
}

llvm::Expected<std::unique_ptr<WaferModule>>
WaferModule::load(const WaferOptions &options) {
  if (llvm::Error bad = checkOptions(options))
    return bad;
  auto impl = std::make_unique<Impl>();
  std::optional<std::string> text = options.text;
  if (!text) {
    auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(options.path);
    if (std::error_code code = buffer.getError())
      return refuse(Refusal::Kind::Program,
                    "cannot read '" + options.path + "': " + code.message());
    text = (*buffer)->getBuffer().str();
  }
  if (isJson(*text)) {
    auto program = wafer::fromJSONText(*text);
    if (!program)
      return refuse(Refusal::Kind::Program,
                    "'" + options.path +
                        "': " + llvm::toString(program.takeError()));
    impl->program = std::move(*program);
  } else {
    DialectRegistry registry;
    registerAllDialects(registry);
    csl_to_wafer::registerDialects(registry);
    registry.insert<linalg::LinalgDialect, tensor::TensorDialect>();
    impl->context = std::make_unique<MLIRContext>(
        registry, MLIRContext::Threading::DISABLED);
    impl->context->printOpOnDiagnostic(false);
    impl->log = std::make_unique<MessageLog>(*impl->context);
    MessageLog &log = *impl->log;
    (void)log.open(options.path, text);
    log.listen();
    if (failed(log.checkText()))
      return log.takeRefusal(Refusal::Kind::Program);
    impl->module =
        parseSourceFile<ModuleOp>(log.sources(), impl->context.get());
    if (!impl->module)
      return log.takeRefusal(Refusal::Kind::Program);
    if (impl->module->getOps<csl::LayoutOp>().empty()) {
      PassManager tosa(impl->context.get());
      tosa.addPass(createLowerTosa());
      if (failed(tosa.run(*impl->module)))
        return log.takeRefusal(Refusal::Kind::Program);
      impl->linalg = impl->module->clone();
      if (failed(lowerLinalg(*impl->module, options, log)))
        return log.takeRefusal(Refusal::Kind::Program);
      auto named =
          (*impl->module)
              ->getAttrOfType<csl::EntryAttr>(csl::CslDialect::kEntryAttrName);
      impl->entryName = named ? named.getFunction().str() : options.entry;
    }
    if (failed(nameTarget(*impl->module, options, log)))
      return log.takeRefusal(Refusal::Kind::Program);
    auto derived = csl_to_wafer::deriveProgram(*impl->module);
    if (failed(derived))
      return log.takeRefusal(Refusal::Kind::Program);
    impl->program = std::move(*derived);
    impl->warningText = log.takeMessages().first;
    auto entry = readEntry(*impl->module, impl->program);
    if (!entry)
      return entry.takeError();
    impl->entry = std::move(*entry);
  }
  if (llvm::Error bad = checkProgram(impl->program, options))
    return bad;
  return std::unique_ptr<WaferModule>(new WaferModule(std::move(impl)));
}
