//===- ProgramModule.cpp - Programs in MLIR -------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramModule.h"
#include "Compare.h"
#include "EinsumModule.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "sequin/Conversion/NormalizeLinalg/Passes.h"
#include "sequin/Conversion/TcpToConfig/DeriveProgram.h"
#include "sequin/Conversion/TosaToLinalg/Passes.h"
#include "sequin/Dialect/Tcp/IR/Locations.h"
#include "sequin/Dialect/Tcp/IR/TcpDialect.h"
#include "sequin/Dialect/Tcp/Transforms/TcpPasses.h"
#include "sequin/InitAllDialects.h"
#include "sequin/Pipelines/Pipelines.h"
#include "sequin/Support/Excerpt.h"
#include "sequin/Support/Progress.h"
#include "sequin/Target/Tcp/ConfigTranslation.h"
#include "sequin/Target/VisaImport/VisaImport.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::api;

static DialectRegistry makeRegistry() {
  DialectRegistry registry;
  registry.insert<arith::ArithDialect, func::FuncDialect, linalg::LinalgDialect,
                  math::MathDialect, scf::SCFDialect, tensor::TensorDialect>();
  registerAllDialects(registry);
  return registry;
}

namespace {
/// Says which pass is at work.
struct PassProgress : PassInstrumentation {
  void runBeforePass(Pass *pass, Operation *) override {
    if (!pass->getArgument().empty())
      reportProgress({"compile", pass->getArgument()});
  }
};
} // namespace

static LogicalResult runPasses(PassManager &passes, ModuleOp module) {
  passes.addInstrumentation(std::make_unique<PassProgress>());
  return passes.run(module);
}

ProgramModule::ProgramModule(CompileOptions given)
    : options(std::move(given)),
      context(makeRegistry(), MLIRContext::Threading::DISABLED), log(context) {
  context.printOpOnDiagnostic(false);
}

ProgramModule::~ProgramModule() = default;

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Reads a kernel; what runs is then its host function.
LogicalResult ProgramModule::importKernel() {
  visa_import::ImportOptions import;
  if (options.entry != "main")
    import.entry = options.entry;
  if (!options.target.empty())
    import.machine = options.target;
  if (options.addresses == "given")
    import.addresses = visa_import::Addresses::Given;
  else if (!options.addresses.empty() && options.addresses != "allocate")
    return fail("--addresses '" + excerpt(options.addresses) +
                "' is unknown, known are allocate and given");
  source::SourceManager sources;
  if (options.text)
    sources.add(options.path, *options.text);
  module = visa_import::importVisa(options.path, import, context, sources);
  if (module && !module->lookupSymbol<func::FuncOp>("main"))
    return fail("'" + options.path + "': function '" + excerpt(options.entry) +
                "' has arguments or results that are no HbmTensor, so no host "
                "program can run it");
  options.entry = "main";
  return success(bool(module));
}

LogicalResult ProgramModule::load() {
  if (options.text || options.einsum.empty())
    if (failed(log.open(options.path, options.text)))
      return failure();
  log.listen();
  if (options.einsum.empty() && StringRef(options.path).ends_with(".rs")) {
    if (failed(importKernel()))
      return failure();
  } else if (options.einsum.empty()) {
    if (failed(log.checkText()))
      return failure();
    module = parseSourceFile<ModuleOp>(log.sources(), &context);
  } else {
    auto built = buildEinsum(context, options);
    if (!built)
      return fail(llvm::toString(built.takeError()));
    module = std::move(*built);
  }
  if (!module || failed(lowerTosa()) || failed(findLevel()) ||
      failed(checkTarget()))
    return failure();
  findShapes();
  nameOperations();
  return success();
}

/// Of several operations at one place the one that is the work.
static unsigned rankOf(Operation *op) {
  if (isa<FunctionOpInterface>(op))
    return 0;
  if (op->hasTrait<OpTrait::ConstantLike>() || isa<linalg::FillOp>(op))
    return 1;
  return isa<linalg::LinalgOp>(op) ? 3 : 2;
}

void ProgramModule::nameOperations() {
  if (level == Level::Config)
    return;
  llvm::StringMap<unsigned> ranks;
  // A body's operations come with what they are the body of.
  module->walk<WalkOrder::PreOrder>([&](Operation *op) {
    bool isLinalg = isa<linalg::LinalgOp>(op);
    std::string place;
    if (!isa<ModuleOp>(op))
      place = describeLocation(op->getLoc());
    if (!place.empty()) {
      auto [rank, isNew] = ranks.try_emplace(place, rankOf(op));
      if (isNew || rank->second < rankOf(op)) {
        rank->second = rankOf(op);
        operations[place] = op->getName().getStringRef().str();
      }
    }
    return isLinalg ? WalkResult::skip() : WalkResult::advance();
  });
  for (const auto &[place, name] : options.operations)
    operations[place] = name;
}

/// Before anything else, so that the reference interpreter runs linalg too.
LogicalResult ProgramModule::lowerTosa() {
  PassManager pm(&context);
  pm.addPass(createLowerTosa());
  pm.addPass(createTensorizeScalars());
  return runPasses(pm, *module);
}

LogicalResult ProgramModule::findLevel() {
  if (!module->getOps<tcp::ConfigOp>().empty()) {
    level = Level::Config;
    return success();
  }
  auto entry = module->lookupSymbol<func::FuncOp>(options.entry);
  if (!entry || entry.isExternal()) {
    std::string names;
    for (auto function : module->getOps<func::FuncOp>())
      names += (names.empty() ? "" : ", ") + function.getName().str();
    if (entry)
      return fail("function '" + excerpt(options.entry) + "' in '" +
                  options.path + "' has no body");
    return fail("no function '" + excerpt(options.entry) +
                "' with a body in '" + options.path +
                "', there are: " + (names.empty() ? "none" : names));
  }
  bool hasTcp = module
                    ->walk([](Operation *op) {
                      return isa_and_nonnull<tcp::TcpDialect>(op->getDialect())
                                 ? WalkResult::interrupt()
                                 : WalkResult::advance();
                    })
                    .wasInterrupted();
  level = hasTcp ? Level::Tcp : Level::Linalg;
  return success();
}

LogicalResult ProgramModule::checkTarget() {
  auto named = (*module)->getAttrOfType<tcp::TargetAttr>(
      tcp::TcpDialect::kTargetAttrName);
  if (!named) {
    if (level != Level::Config && options.target.empty())
      return fail("the program names no machine and --target is not given, "
                  "known are " +
                  knownMachineNames());
    return success();
  }
  if (!options.target.empty() && options.target != named.getMachine())
    return fail("the program is for machine '" + named.getMachine() +
                "', --target is '" + options.target + "'");
  if (options.chips && *options.chips != named.getChips())
    return fail("the program is for " + Twine(named.getChips()) +
                " chips, --chips is " + Twine(*options.chips));
  return success();
}

void ProgramModule::findShapes() {
  if (level != Level::Linalg)
    return;
  auto entry = module->lookupSymbol<func::FuncOp>(options.entry);
  auto shapesOf = [](TypeRange types) {
    Shapes shapes;
    for (Type type : types) {
      auto shaped = dyn_cast<ShapedType>(type);
      ArrayRef<int64_t> shape =
          shaped && shaped.hasRank() ? shaped.getShape() : ArrayRef<int64_t>();
      shapes.emplace_back(shape.begin(), shape.end());
    }
    return shapes;
  };
  givenShapes.emplace(shapesOf(entry.getArgumentTypes()),
                      shapesOf(entry.getResultTypes()));
  for (Type type : entry.getArgumentTypes())
    argumentElements.push_back(getElementTypeOrSelf(type));
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

FailureOr<config::Program> ProgramModule::lower() {
  if (level == Level::Config) {
    auto config = module->lookupSymbol<tcp::ConfigOp>(options.entry);
    if (!config) {
      (void)fail("no configuration '" + excerpt(options.entry) + "' in '" +
                 options.path + "'");
      return failure();
    }
    return tcp::readConfigOp(config);
  }
  if (level == Level::Linalg) {
    if (options.keepGiven)
      given = module->clone();
    LinalgToTcpPipelineOptions pipeline;
    pipeline.target = options.target;
    pipeline.chips = options.chips.value_or(1);
    pipeline.allowBf16 = options.allowBf16;
    pipeline.allowNarrow = options.allowNarrow;
    if (!options.argumentLayout.empty())
      pipeline.argumentLayout = options.argumentLayout == kRowMajor
                                    ? ArgumentLayout::RowMajor
                                    : ArgumentLayout::Chosen;
    if (options.searchBudget)
      pipeline.searchBudget = *options.searchBudget;
    pipeline.recordsMappings = options.recordMappings;
    PassManager normalize(&context);
    populateNormalizePipeline(normalize, pipeline);
    if (failed(runPasses(normalize, *module)))
      return failure();
    if (options.keepGiven && (options.allowBf16 || options.allowNarrow))
      rounded = module->clone();
    if (auto count =
            (*module)->getAttrOfType<IntegerAttr>("sequin.digit_products"))
      addedProducts = count.getInt();
    PassManager lower(&context);
    populateCoreToTcpPipeline(lower, pipeline);
    if (failed(runPasses(lower, *module)))
      return failure();
    if (Operation *host = module->lookupSymbol(options.entry))
      if (Attribute mappings = host->removeAttr(kMappingsAttrName))
        recordedMappings = std::move(*toJSON(mappings).getAsArray());
  } else {
    if (!(*module)->hasAttr(tcp::TcpDialect::kTargetAttrName)) {
      auto target = tcp::TargetAttr::getChecked(
          [&] { return emitError(module->getLoc()); }, &context,
          StringRef(options.target), options.chips.value_or(1),
          tcp::Mode::Kernel);
      if (!target)
        return failure();
      (*module)->setAttr(tcp::TcpDialect::kTargetAttrName, target);
    }
    PassManager pm(&context);
    pm.addPass(tcp::createCheckMachine());
    if (failed(runPasses(pm, *module)))
      return failure();
  }
  reportProgress({"compile", "configuration"});
  return deriveProgram(*module, options.entry);
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

FailureOr<std::string> ProgramModule::verify(ArrayRef<sim::HostArray> inputs,
                                             ArrayRef<sim::HostArray> outputs) {
  auto target = (*module)->getAttrOfType<tcp::TargetAttr>(
      tcp::TcpDialect::kTargetAttrName);
  std::vector<reference::Array> arguments;
  for (const sim::HostArray &input : inputs)
    arguments.push_back({input.type, input.shape, input.data, {}});

  FailureOr<std::vector<reference::Array>> exact = reference::interpretTcp(
      *module, options.entry, arguments, target.getRow()->flushSubnormals);
  if (failed(exact))
    return failure();
  if (std::optional<std::string> difference = compareExactly(outputs, *exact))
    return fail("verification failed against the tcp program: " + *difference);
  int64_t elements = 0;
  for (const sim::HostArray &output : outputs)
    elements += elementCount(output);
  std::string text = std::to_string(outputs.size()) +
                     (outputs.size() == 1 ? " output, " : " outputs, ") +
                     std::to_string(elements) +
                     (elements == 1 ? " element" : " elements") +
                     " equal the reference interpreter's bit for bit";
  if (!given)
    return text;

  for (auto [argument, shape] : llvm::zip_equal(arguments, givenShapes->first))
    argument.shape = shape;
  FailureOr<std::vector<reference::LinalgResult>> meant =
      reference::interpretLinalg(rounded ? *rounded : *given, options.entry,
                                 arguments, target.getRow()->flushSubnormals);
  if (failed(meant))
    return failure();
  if (std::optional<std::string> difference = compareClosely(outputs, *meant))
    return fail("verification failed against the linalg program: " +
                *difference);
  return text + (rounded ? " and the linalg program's, with operands rounded "
                           "as allowed, within its rounding"
                         : " and the linalg program's within its rounding");
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

std::string ProgramModule::print(bool asGiven) {
  std::string text;
  llvm::raw_string_ostream os(text);
  (asGiven && given ? *given : *module)->print(os);
  os << "\n";
  return text;
}

std::string api::printConfig(const config::Program &program) {
  MLIRContext context(makeRegistry(), MLIRContext::Threading::DISABLED);
  context.loadDialect<tcp::TcpDialect>();
  Location place = UnknownLoc::get(&context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(place);
  OpBuilder builder = OpBuilder::atBlockBegin(module->getBody());
  // The simulator refuses what has no operation.
  (void)tcp::buildConfigOp(builder, place, program);
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os);
  os << "\n";
  return text;
}
