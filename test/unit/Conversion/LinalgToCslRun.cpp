//===- LinalgToCslRun.cpp - linalg on a simulated wafer -------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinalgToCslRun.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "sequin/Conversion/CslToWafer/DeriveProgram.h"
#include "sequin/InitAllDialects.h"
#include "sequin/Pipelines/Pipelines.h"
#include "sequin/Reference/CslInterpreter.h"
#include "sequin/Support/Arithmetic.h"
#include "sequin/WaferHost/Session.h"
#include <chrono>
#include <cmath>

using namespace mlir;
using namespace sequin;

static ElementType toElementType(Type type) {
  if (type.isF32())
    return ElementType::F32;
  if (type.isF16())
    return ElementType::F16;
  if (type.isBF16())
    return ElementType::BF16;
  return type.isInteger(16) ? ElementType::I16 : ElementType::I32;
}

LinalgToCslRun::LinalgToCslRun(const std::string &text, const Options &options)
    : options(options), context(MLIRContext::Threading::DISABLED) {
  DialectRegistry registry;
  registry.insert<arith::ArithDialect, func::FuncDialect, linalg::LinalgDialect,
                  math::MathDialect, scf::SCFDialect, tensor::TensorDialect>();
  registerAllDialects(registry);
  csl_to_wafer::registerDialects(registry);
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
  context.printOpOnDiagnostic(false);
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    messages += diagnostic.str() + "\n";
    return success();
  });
  source = parseSourceString<ModuleOp>(text, &context);
  if (!source)
    return;
  lowered = source->clone();
  LinalgToCslPipelineOptions pipeline;
  pipeline.target = options.target;
  pipeline.grid = {options.width, options.height};
  pipeline.distribution = options.distribution;
  pipeline.firstColor = options.firstColor;
  PassManager manager(&context, ModuleOp::getOperationName());
  populateLinalgToCslPipeline(manager, pipeline);
  if (failed(manager.run(*lowered))) {
    if (messages.empty())
      messages = "lowering failed without a message";
    return;
  }
  FailureOr<wafer::Program> derived = csl_to_wafer::deriveProgram(*lowered);
  if (succeeded(derived))
    program = std::move(*derived);
}

std::string LinalgToCslRun::text() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  (*lowered)->print(os);
  return text;
}

static func::FuncOp getFunction(ModuleOp module) {
  return *module.getOps<func::FuncOp>().begin();
}

std::vector<reference::Array>
LinalgToCslRun::makeArguments(std::mt19937 &random) {
  std::vector<reference::Array> arguments;
  for (Type type : getFunction(*source).getArgumentTypes()) {
    auto tensor = cast<RankedTensorType>(type);
    reference::Array array;
    array.type = toElementType(tensor.getElementType());
    array.shape.assign(tensor.getShape().begin(), tensor.getShape().end());
    unsigned bytes = tensor.getElementTypeBitWidth() / 8;
    array.data.resize(tensor.getNumElements() * bytes);
    for (int64_t i = 0; i < tensor.getNumElements(); ++i) {
      int value = std::uniform_int_distribution<int>(-options.magnitude,
                                                     options.magnitude)(random);
      uint32_t bits = isa<FloatType>(tensor.getElementType())
                          ? encodeFloat(array.type, value)
                          : encodeInt(array.type, value);
      memcpy(array.data.data() + i * bytes, &bits, bytes);
    }
    arguments.push_back(std::move(array));
  }
  return arguments;
}

static csl::ExportNameOp findExport(ModuleOp module, StringRef name) {
  csl::ExportNameOp found;
  module.walk([&](csl::ExportNameOp op) {
    if (op.getName() == name)
      found = op;
  });
  return found;
}

static Distribution distributionOf(ModuleOp module, StringRef name) {
  return findExport(module, name)
      ->getAttrOfType<csl::DistributionAttr>(
          csl::CslDialect::kDistributionAttrName)
      .getDistribution();
}

static csl::EntryAttr entryOf(ModuleOp module) {
  return module->getAttrOfType<csl::EntryAttr>(csl::CslDialect::kEntryAttrName);
}

std::vector<LinalgToCslRun::Bytes>
LinalgToCslRun::scatter(const std::vector<reference::Array> &arguments) {
  std::vector<Bytes> local;
  for (auto [array, name] :
       llvm::zip(arguments, entryOf(*lowered).getArguments())) {
    Distribution distribution = distributionOf(*lowered, name);
    local.push_back(distribution.scatter(array.data,
                                         getBitWidth(array.type) / 8,
                                         program.width, program.height));
  }
  return local;
}

LinalgToCslRun::Bytes LinalgToCslRun::gather(unsigned result,
                                             const Bytes &local) {
  Distribution distribution =
      distributionOf(*lowered, entryOf(*lowered).getResults()[result]);
  Type type = getFunction(*source).getResultTypes()[result];
  return distribution.gather(
      local, cast<RankedTensorType>(type).getElementTypeBitWidth() / 8,
      program.width, program.height);
}

std::string
LinalgToCslRun::compare(const std::vector<reference::Array> &arguments,
                        const std::vector<Bytes> &results) {
  auto expected = reference::interpretLinalg(
      *source, getFunction(*source).getName(), arguments, false);
  if (failed(expected))
    return "the linalg interpreter refuses the program: " + messages;
  for (size_t r = 0; r < results.size(); ++r) {
    const reference::Array &wanted = (*expected)[r].value;
    unsigned bytes = getBitWidth(wanted.type) / 8;
    bool real = wanted.type == ElementType::F32 ||
                wanted.type == ElementType::F16 ||
                wanted.type == ElementType::BF16;
    for (size_t i = 0; i * bytes < wanted.data.size(); ++i) {
      uint32_t a = 0, b = 0;
      memcpy(&a, wanted.data.data() + i * bytes, bytes);
      memcpy(&b, results[r].data() + i * bytes, bytes);
      double x = real ? decodeFloat(wanted.type, a) : decodeInt(wanted.type, a);
      double y = real ? decodeFloat(wanted.type, b) : decodeInt(wanted.type, b);
      double tolerance = options.slack;
      if (!(*expected)[r].tolerance.empty() && options.slack > 0)
        tolerance += (*expected)[r].tolerance[i];
      if (std::isnan(x) && std::isnan(y))
        continue;
      if (!(std::fabs(x - y) <= tolerance))
        return "result " + std::to_string(r) + " element " + std::to_string(i) +
               " is " + std::to_string(y) + ", expected " + std::to_string(x);
    }
  }
  return "";
}

std::string LinalgToCslRun::check(unsigned seed,
                                  const wafer::Options &simulation,
                                  unsigned launches) {
  if (!messages.empty())
    return messages;
  std::mt19937 random(seed);
  auto session = wafer::Session::create(program, simulation);
  if (!session)
    return llvm::toString(session.takeError());
  csl::EntryAttr entry = entryOf(*lowered);
  wafer::Rectangle all = (*session)->all();
  for (unsigned i = 0; i < launches; ++i) {
    std::vector<reference::Array> arguments = makeArguments(random);
    for (auto [name, bytes] :
         llvm::zip(entry.getArguments(), scatter(arguments)))
      if (llvm::Error error = (*session)->copyIn(name.getValue(), all, bytes))
        return llvm::toString(std::move(error));
    if (llvm::Error error = (*session)->launch(entry.getFunction(), all))
      return llvm::toString(std::move(error));
    auto begin = std::chrono::steady_clock::now();
    if (llvm::Error error = (*session)->run())
      return llvm::toString(std::move(error));
    seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
            .count();
    const wafer::Command &last = (*session)->commands().back();
    cycles = last.end - last.start;
    std::vector<Bytes> results;
    for (auto [number, name] : llvm::enumerate(entry.getResults())) {
      Distribution distribution = distributionOf(*lowered, name);
      Type type = getFunction(*source).getResultTypes()[number];
      int64_t bytes =
          distribution.localElements() *
          (cast<RankedTensorType>(type).getElementTypeBitWidth() / 8);
      auto local = (*session)->copyOut(name.getValue(), all, bytes);
      if (!local)
        return llvm::toString(local.takeError());
      results.push_back(gather(number, *local));
    }
    if (std::string wrong = compare(arguments, results); !wrong.empty())
      return wrong;
  }
  if (llvm::Error error = (*session)->finish())
    return llvm::toString(std::move(error));
  return "";
}

std::string LinalgToCslRun::checkReference(unsigned seed, bool otherOrder) {
  if (!messages.empty())
    return messages;
  std::mt19937 random(seed);
  reference::CslOptions given;
  given.otherOrder = otherOrder;
  auto machine = reference::CslReference::create(*lowered, given);
  if (failed(machine))
    return "the reference interpreter refuses the program";
  csl::EntryAttr entry = entryOf(*lowered);
  std::vector<reference::Array> arguments = makeArguments(random);
  int64_t pes = program.width * program.height;
  for (auto [name, bytes] :
       llvm::zip(entry.getArguments(), scatter(arguments))) {
    size_t each = bytes.size() / pes;
    for (int64_t pe = 0; pe < pes; ++pe)
      if (llvm::Error error = (*machine)->copyIn(
              name.getValue(), pe % program.width, pe / program.width,
              ArrayRef(bytes).slice(pe * each, each)))
        return llvm::toString(std::move(error));
  }
  if (llvm::Error error = (*machine)->launch(entry.getFunction(), 0, 0,
                                             program.width, program.height))
    return llvm::toString(std::move(error));
  if ((*machine)->run() != reference::CslOutcome::Finished)
    return "reference: " + (*machine)->message();
  std::vector<Bytes> results;
  for (auto [number, name] : llvm::enumerate(entry.getResults())) {
    Distribution distribution = distributionOf(*lowered, name);
    Type type = getFunction(*source).getResultTypes()[number];
    int64_t bytes = distribution.localElements() *
                    (cast<RankedTensorType>(type).getElementTypeBitWidth() / 8);
    Bytes local;
    for (int64_t pe = 0; pe < pes; ++pe) {
      auto part = (*machine)->copyOut(name.getValue(), pe % program.width,
                                      pe / program.width, bytes);
      if (!part)
        return llvm::toString(part.takeError());
      llvm::append_range(local, *part);
    }
    results.push_back(gather(number, local));
  }
  return compare(arguments, results);
}
