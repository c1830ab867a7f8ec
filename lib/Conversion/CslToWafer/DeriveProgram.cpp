//===- DeriveProgram.cpp - The wafer program of a csl module --------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Conversion/CslToWafer/DeriveProgram.h"
#include "Derivation.h"
#include "FunctionEmitter.h"
#include "KeepExceptions.h"
#include "LowerRpc.h"
#include "Prepare.h"
#include "Specialise.h"
#include "ValueLayout.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Threading.h"
#include "sequin/Dialect/Csl/IR/ExportSigns.h"
#include <unordered_map>

using namespace mlir;
using namespace sequin;
using namespace sequin::csl_to_wafer;

namespace {
/// A layout on its way to a program.
class Deriver {
public:
  Deriver(csl::LayoutOp layout, csl::TargetAttr target, Specialisation special)
      : layout(layout), target(target), special(std::move(special)),
        locations(program.locations) {}

  LogicalResult run(Derivation &out);

private:
  /// A program with its code.
  struct Unit {
    std::unique_ptr<CodeContext> context;
    wafer::Code code;
    /// Parameters that make a difference in comptime blocks, and the results
    /// for those values.
    llvm::SmallVector<unsigned> parameters;
    struct Entry {
      unsigned setup;
      std::vector<std::pair<int64_t, csl::LocalColorConfigOp>> colors;
      std::vector<wafer::Patch> patches;
    };
    std::map<std::vector<uint64_t>, Entry> setups;
  };

  void deriveFrame();
  LogicalResult deriveUnit(csl::ProgramOp op);
  LogicalResult deriveExports(Unit &unit);
  LogicalResult derivePes();
  void assignFilters();
  LogicalResult emitUnits();
  FailureOr<Unit::Entry *> getSetup(unsigned unit,
                                    ArrayRef<uint64_t> parameters);
  FailureOr<unsigned> getRouter(Operation *tile, int64_t x, int64_t y,
                                const Unit::Entry &entry);
  /// The value of `param` at a PE.
  uint64_t getParameter(csl::TileCodeOp tile, csl::ParamOp param, int64_t x,
                        int64_t y);
  wafer::ColorConfig convert(csl::RoutesAttr routes, csl::SwitchesAttr switches,
                             bool teardown, Location loc);
  wafer::Filter convert(csl::FilterAttr filter, Location loc);

  csl::LayoutOp layout;
  csl::TargetAttr target;
  Specialisation special;
  wafer::Program program;
  Locations locations;
  std::vector<std::unique_ptr<Unit>> units;
  llvm::DenseMap<Operation *, unsigned> unitNumbers;
  /// Per PE, its color configurations in the layout.
  std::vector<llvm::SmallVector<csl::ColorConfigOp, 4>> colors;
  /// Routers by the operations that make them.
  std::map<std::vector<std::pair<int64_t, Operation *>>, unsigned> routers;
  std::vector<SetupOps> setupOps;
  std::unordered_multimap<size_t, unsigned> setupsByHash;
};
} // namespace

//===----------------------------------------------------------------------===//
// Frame, symbols
//===----------------------------------------------------------------------===//

void Deriver::deriveFrame() {
  program.target = target.getMachine().str();
  program.fp16 = static_cast<Fp16Format>(target.getFp16());
  program.memcpy = target.getMemcpy();
  program.width = layout.getWidth();
  program.height = layout.getHeight();
  program.fabricWidth = layout.getFabricWidth().value_or(program.width);
  program.fabricHeight = layout.getFabricHeight().value_or(program.height);
  program.offsetX = layout.getOffsetX().value_or(0);
  program.offsetY = layout.getOffsetY().value_or(0);
  for (auto name : layout.getOps<csl::ExportNameOp>()) {
    wafer::Symbol symbol;
    symbol.name = name.getName().str();
    symbol.writable = name.getIsMutable();
    if (auto function = dyn_cast<FunctionType>(name.getType())) {
      symbol.kind = wafer::Symbol::Kind::Function;
      for (auto [index, type] : llvm::enumerate(function.getInputs())) {
        symbol.argumentBits.push_back(getRegisterBits(type));
        symbol.argumentKinds.push_back(
            getElementKind(type, csl::isUnsigned(name, index)));
      }
    } else {
      auto pointer = dyn_cast<csl::PtrType>(name.getType());
      // Whether it is an array or a pointer to one is the program's business.
      symbol.kind =
          pointer ? wafer::Symbol::Kind::Pointer : wafer::Symbol::Kind::Scalar;
      symbol.toConst = pointer && pointer.getIsConst();
      Type element =
          pointer ? csl::getBaseInfo(pointer).elementType : name.getType();
      symbol.element = getElementKind(element, name.getIsUnsigned());
      symbol.elementBytes = std::max<int64_t>(getMemorySize(element).bytes, 1);
    }
    program.symbols.push_back(symbol);
  }
  for (auto op : layout.getOps<csl::StreamOp>()) {
    wafer::Stream stream;
    stream.name = op.getName().str();
    stream.color = op.getColor();
    stream.toDevice = op.getDirection() == csl::StreamDirection::ToDevice;
    if (op.getX()) {
      stream.kind = wafer::Stream::Kind::Edge;
      stream.x = *op.getX();
      stream.y = *op.getY();
      stream.side = static_cast<wafer::Direction>(*op.getSide());
    }
    program.streams.push_back(stream);
  }
}

/// Whether a variable or function may stand for a name exported as `type`.
static LogicalResult checkExport(csl::ExportSymbolOp op, Operation *symbol,
                                 csl::ExportNameOp name) {
  auto refuse = [&](const Twine &text) -> LogicalResult {
    InFlightDiagnostic error = op.emitOpError() << text;
    error.attachNote(name.getLoc()) << "name is exported here";
    error.attachNote(symbol->getLoc()) << "symbol is here";
    return error;
  };
  Type type = name.getType();
  if (auto function = dyn_cast<func::FuncOp>(symbol))
    return function.getFunctionType() == type
               ? success()
               : refuse("exports a function under a name of another type");
  auto var = cast<csl::VarOp>(symbol);
  MemRefType memref = var.getMemRefType();
  if (var.getConstant() && name.getIsMutable())
    return refuse("exports a constant under a mutable name");
  auto pointer = dyn_cast<csl::PtrType>(type);
  bool matches = memref.getRank() == 0
                     ? memref.getElementType() == type
                     : pointer && csl::getBaseInfo(pointer).elementType ==
                                      memref.getElementType();
  return matches ? success()
                 : refuse("exports a variable under a name of another type");
}

LogicalResult Deriver::deriveExports(Unit &unit) {
  CodeContext &context = *unit.context;
  LogicalResult result = success();
  walkComptime(context.program, [&](csl::ExportSymbolOp op) {
    StringRef advertised = op.getAdvertisedName();
    csl::ExportNameOp name;
    unsigned id = 0;
    for (auto [number, candidate] :
         llvm::enumerate(layout.getOps<csl::ExportNameOp>()))
      if (candidate.getName() == advertised) {
        name = candidate;
        id = number;
      }
    if (!name) {
      op.emitOpError() << "advertises \"" << advertised
                       << "\", which the layout does not export";
      result = failure();
      return;
    }
    Operation *symbol =
        SymbolTable::lookupSymbolIn(context.program, op.getSymbolAttr());
    if (failed(checkExport(op, symbol, name))) {
      result = failure();
      return;
    }
    context.exports.push_back({id, op.getSymbol(), symbol});
  });
  return result;
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

LogicalResult Deriver::deriveUnit(csl::ProgramOp op) {
  unitNumbers[op] = units.size();
  Unit &unit = *units.emplace_back(std::make_unique<Unit>());
  unit.context =
      std::make_unique<CodeContext>(op, target, program, locations, unit.code);
  CodeContext &context = *unit.context;
  unit.code.name = op.getSymName().str();
  for (auto param : op.getOps<csl::ParamOp>()) {
    context.parameters[param.getSymName()] = unit.code.parameters.size();
    unit.code.parameters.push_back(param.getSymName().str());
  }
  for (auto fifo : op.getOps<csl::FifoOp>()) {
    context.fifos[fifo.getSymName()] = context.fifoOps.size();
    context.fifoOps.push_back(fifo);
  }
  llvm::SmallVector<FunctionOpInterface> functions;
  for (auto function : op.getOps<FunctionOpInterface>()) {
    if (function.isExternal())
      continue;
    context.functions[SymbolTable::getSymbolName(function).getValue()] =
        functions.size();
    functions.push_back(function);
  }
  if (failed(layOutVariables(context)) || failed(deriveExports(unit)))
    return failure();
  // Comptime blocks look tasks up by the names of their functions.
  unit.code.functions.resize(functions.size());
  for (auto [function, out] : llvm::zip(functions, unit.code.functions))
    out.name = SymbolTable::getSymbolName(function).getValue().str();
  unit.parameters = getComptimeParameters(context);
  return success();
}

/// The bodies of the functions of one program.
static LogicalResult emitFunctions(CodeContext &context) {
  for (auto function : context.program.getOps<FunctionOpInterface>()) {
    if (function.isExternal())
      continue;
    unsigned number = context.functions.lookup(
        SymbolTable::getSymbolName(function).getValue());
    if (failed(
            FunctionEmitter(context, function, context.code.functions[number])
                .run()))
      return failure();
  }
  return layOutRest(context);
}

//===----------------------------------------------------------------------===//
// PEs
//===----------------------------------------------------------------------===//

uint64_t Deriver::getParameter(csl::TileCodeOp tile, csl::ParamOp param,
                               int64_t x, int64_t y) {
  return getBits(getParameterValue(tile, param, x, y), param.getType())
      .value_or(0);
}

/// Of what parameters mostly change.
static size_t hashOf(const wafer::Setup &setup) {
  llvm::hash_code code = llvm::hash_combine(
      setup.code, setup.blockedTasks, setup.activeTasks, setup.tasks.size());
  for (auto [address, value] : setup.registers)
    code = llvm::hash_combine(code, address, value);
  for (const wafer::InitialDsr &dsr : setup.dsrs)
    code = llvm::hash_combine(code, dsr.descriptor.pack());
  for (const auto *queues : {&setup.inputQueues, &setup.outputQueues})
    for (const wafer::Queue &queue : *queues)
      code = llvm::hash_combine(code, queue.id, queue.color.value_or(255));
  return code;
}

FailureOr<Deriver::Unit::Entry *>
Deriver::getSetup(unsigned number, ArrayRef<uint64_t> parameters) {
  Unit &unit = *units[number];
  std::vector<uint64_t> key;
  for (unsigned parameter : unit.parameters)
    key.push_back(parameters[parameter]);
  auto [entry, isNew] = unit.setups.try_emplace(key);
  if (!isNew)
    return &entry->second;
  FailureOr<ComptimeResult> result =
      evaluateComptime(*unit.context, parameters);
  if (failed(result))
    return failure();
  result->setup.code = number;
  auto [first, last] = setupsByHash.equal_range(hashOf(result->setup));
  auto found = std::find_if(first, last, [&](const auto &known) {
    return program.setups[known.second] == result->setup;
  });
  entry->second.setup = found == last ? program.setups.size() : found->second;
  if (found == last) {
    setupsByHash.emplace(hashOf(result->setup), entry->second.setup);
    program.setups.push_back(std::move(result->setup));
    setupOps.push_back(std::move(result->ops));
  }
  entry->second.colors = std::move(result->colors);
  // Bytes in a row are one patch.
  for (auto [address, byte] : result->memory) {
    std::vector<wafer::Patch> &patches = entry->second.patches;
    if (patches.empty() ||
        patches.back().address + patches.back().data.size() != address)
      patches.push_back({address, {}});
    patches.back().data.push_back(byte);
  }
  return &entry->second;
}

wafer::ColorConfig Deriver::convert(csl::RoutesAttr routes,
                                    csl::SwitchesAttr switches, bool teardown,
                                    Location loc) {
  wafer::ColorConfig config;
  config.positions[0] = {.rx = static_cast<wafer::Directions>(routes.getRx()),
                         .tx = static_cast<wafer::Directions>(routes.getTx())};
  config.swapX = routes.getSwapX();
  config.swapY = routes.getSwapY();
  config.teardown = teardown;
  config.location = locations.get(loc);
  if (!switches)
    return config;
  config.hasSwitches = true;
  const CslMachine *machine = csl::lookupMachine(layout);
  csl::PositionAttr positions[] = {switches.getPos1(), switches.getPos2(),
                                   switches.getPos3()};
  for (auto [index, position] : llvm::enumerate(positions)) {
    if (!position)
      continue;
    wafer::Routes before = config.routesAt(index);
    wafer::Routes given = {
        .rx = static_cast<wafer::Directions>(position.getRx().value_or(0)),
        .tx = static_cast<wafer::Directions>(position.getTx().value_or(0))};
    // A switch that changes one side says nothing of the other (AMB-016).
    if (!machine->switchRxAndTx && given.rx && given.tx) {
      if (given.rx == before.rx)
        given.rx = 0;
      else
        given.tx = 0;
    }
    config.positions[index + 1] = given;
  }
  config.position = switches.getCurrent();
  config.ring = switches.getRing();
  config.pop = static_cast<wafer::PopMode>(switches.getPop());
  return config;
}

wafer::Filter Deriver::convert(csl::FilterAttr filter, Location loc) {
  auto limit = [](std::optional<int64_t> value) {
    return value ? std::optional<uint16_t>(*value) : std::nullopt;
  };
  wafer::Filter result;
  result.kind = static_cast<wafer::FilterKind>(filter.getKind());
  result.countData = filter.getCountData();
  result.countControl = filter.getCountControl();
  result.filterControl = filter.getFilterControl();
  result.counter = filter.getInitCounter().value_or(0);
  result.limit1 = limit(filter.getLimit1());
  result.limit2 = limit(filter.getLimit2());
  result.maxCounter = filter.getMaxCounter().value_or(0);
  result.minIndex = filter.getMinIdx().value_or(0);
  result.maxIndex = filter.getMaxIdx().value_or(0);
  result.location = locations.get(loc);
  return result;
}

FailureOr<unsigned> Deriver::getRouter(Operation *tile, int64_t x, int64_t y,
                                       const Unit::Entry &entry) {
  std::map<int64_t, Operation *> configs;
  auto add = [&](int64_t color, Operation *op) -> LogicalResult {
    auto [found, isNew] = configs.emplace(color, op);
    if (isNew)
      return success();
    InFlightDiagnostic error =
        op->emitOpError() << "configures color " << color << " of PE (" << x
                          << ", " << y << "), which is configured already";
    error.attachNote(found->second->getLoc()) << "first here";
    return error;
  };
  for (csl::ColorConfigOp op : colors[y * program.width + x])
    if (failed(add(op.getColor(), op)))
      return failure();
  for (auto [color, op] : entry.colors)
    if (failed(add(color, op)))
      return failure();
  std::vector<std::pair<int64_t, Operation *>> key(configs.begin(),
                                                   configs.end());
  auto [known, isNew] = routers.try_emplace(key, program.routers.size());
  if (!isNew)
    return known->second;
  wafer::Router router;
  for (auto [color, op] : configs) {
    csl::FilterAttr filter;
    wafer::ColorConfig config;
    if (auto global = dyn_cast<csl::ColorConfigOp>(op)) {
      config = convert(global.getRoutes(),
                       global.getSwitches().value_or(csl::SwitchesAttr()),
                       global.getTeardown(), op->getLoc());
      filter = global.getFilterAttr();
    } else {
      auto local = cast<csl::LocalColorConfigOp>(op);
      config = convert(local.getRoutes(),
                       local.getSwitches().value_or(csl::SwitchesAttr()),
                       local.getTeardown(), op->getLoc());
      filter = local.getFilterAttr();
    }
    if (filter) {
      if (router.filters.size() == target.getRow()->filters)
        return op->emitOpError()
               << "has a filter beyond the " << target.getRow()->filters
               << " of a PE of " << target.getMachine();
      config.filter = router.filters.size();
      router.filters.push_back(convert(filter, op->getLoc()));
    }
    router.colors[color] = config;
  }
  program.routers.push_back(std::move(router));
  return known->second;
}

LogicalResult Deriver::derivePes() {
  program.pes.resize(program.width * program.height);
  colors.resize(program.pes.size());
  for (auto op : layout.getOps<csl::ColorConfigOp>())
    op.getRegion().forEach([&](int64_t x, int64_t y) {
      colors[y * program.width + x].push_back(op);
    });
  for (auto tile : layout.getOps<csl::TileCodeOp>()) {
    LogicalResult result = success();
    tile.getRegion().forEach([&](int64_t x, int64_t y) {
      if (failed(result))
        return;
      size_t place = y * program.width + x;
      csl::ProgramOp op = special.programs[place];
      if (!unitNumbers.count(op) && failed(deriveUnit(op))) {
        result = failure();
        return;
      }
      unsigned number = unitNumbers.lookup(op);
      wafer::Pe &pe = program.pes[place];
      for (auto param : op.getOps<csl::ParamOp>())
        if (!param->hasAttr(kDerived))
          pe.parameters.push_back(getParameter(tile, param, x, y));
      llvm::append_range(pe.parameters, special.derived[place]);
      FailureOr<Unit::Entry *> entry = getSetup(number, pe.parameters);
      if (failed(entry)) {
        result = failure();
        return;
      }
      pe.setup = (*entry)->setup;
      pe.patches = (*entry)->patches;
      FailureOr<unsigned> router = getRouter(tile, x, y, **entry);
      if (failed(router))
        result = failure();
      else
        pe.router = *router;
    });
    if (failed(result))
      return failure();
  }
  return success();
}

/// Which colors have the same filter number at all PEs of a program.
void Deriver::assignFilters() {
  auto filtersOf = [&](const wafer::Pe &pe) -> auto & {
    return units[program.setups[pe.setup].code]->context->filters;
  };
  for (const wafer::Pe &pe : program.pes)
    for (const auto &[color, config] : program.routers[pe.router].colors)
      if (config.filter)
        filtersOf(pe).try_emplace(color, *config.filter);
  for (const wafer::Pe &pe : program.pes)
    for (auto &[color, filter] : filtersOf(pe)) {
      const auto &configs = program.routers[pe.router].colors;
      auto found = configs.find(color);
      if (found == configs.end() || !found->second.filter ||
          *found->second.filter != filter)
        filter = -1;
    }
}

/// The functions of all programs side by side, as if one after another: they
/// number their locations by themselves first, and what is said of programs
/// behind one that is refused is not said.
LogicalResult Deriver::emitUnits() {
  struct Emitted {
    std::vector<std::string> texts = {""}; ///< of locations
    std::vector<Diagnostic> said;
    LogicalResult result = success();
  };
  std::vector<Emitted> emitted(units.size());
  static LLVM_THREAD_LOCAL Emitted *current = nullptr;
  MLIRContext *context = layout.getContext();
  {
    ScopedDiagnosticHandler handler(context, [](Diagnostic &diagnostic) {
      if (!current)
        return failure();
      current->said.push_back(std::move(diagnostic));
      return success();
    });
    parallelFor(context, 0, units.size(), [&](size_t number) {
      Emitted &own = emitted[number];
      Locations numbers(own.texts);
      units[number]->context->locations = &numbers;
      current = &own;
      own.result = emitFunctions(*units[number]->context);
      current = nullptr;
      units[number]->context->locations = &locations;
    });
  }
  for (auto [unit, own] : llvm::zip(units, emitted)) {
    for (Diagnostic &diagnostic : own.said)
      context->getDiagEngine().emit(std::move(diagnostic));
    if (failed(own.result))
      return failure();
    std::vector<wafer::Location> numbers;
    for (const std::string &text : own.texts)
      numbers.push_back(locations.get(text));
    for (wafer::Function &function : unit->code.functions) {
      function.location = numbers[function.location];
      for (wafer::Location &location : function.locations)
        location = numbers[location];
    }
  }
  return success();
}

LogicalResult Deriver::run(Derivation &out) {
  deriveFrame();
  if (failed(derivePes()))
    return failure();
  assignFilters();
  if (failed(emitUnits()))
    return failure();
  for (auto &unit : units) {
    unsigned number = program.codes.size();
    program.codes.push_back(std::move(unit->code));
    for (const CodeContext::Export &entry : unit->context->exports) {
      wafer::Symbol &symbol = program.symbols[entry.id];
      bool isFunction = isa<func::FuncOp>(entry.op);
      unsigned index = isFunction
                           ? unit->context->functions.lookup(entry.symbol)
                           : unit->context->variables.lookup(entry.symbol);
      bool isArray =
          !isFunction && !program.codes[number].variables[index].shape.empty();
      // What is no array is a pointer, also where the name has been an array.
      auto kind = isArray ? wafer::Symbol::Kind::Tensor
                  : symbol.kind == wafer::Symbol::Kind::Tensor
                      ? wafer::Symbol::Kind::Pointer
                      : symbol.kind;
      // The host follows a pointer or does not, at all PEs alike.
      if (!symbol.places.empty() && kind != symbol.kind)
        return entry.op->emitOpError() << "is advertised as '" << symbol.name
                                       << "', which is a pointer in one "
                                          "program and an array in another";
      symbol.kind = kind;
      symbol.places.push_back({number, index});
    }
  }
  if (llvm::Error error = wafer::check(program, *target.getRow()))
    return layout.emitOpError() << "became a program that is refused: "
                                << llvm::toString(std::move(error));
  out.programs.resize(program.codes.size());
  for (auto [op, number] : unitNumbers)
    out.programs[number] = cast<csl::ProgramOp>(op);
  out.routerOps.resize(program.routers.size());
  for (auto &[ops, number] : routers)
    out.routerOps[number] = ops;
  out.setupOps = std::move(setupOps);
  out.program = std::move(program);
  return success();
}

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

FailureOr<Derivation> csl_to_wafer::derive(OwningOpRef<ModuleOp> owned) {
  ModuleOp module = *owned;
  auto layouts = llvm::to_vector(module.getOps<csl::LayoutOp>());
  if (layouts.size() != 1)
    return module.emitError() << "module has " << layouts.size()
                              << " csl.layout operations, expected one";
  csl::TargetAttr target = csl::getTarget(module);
  if (!target)
    return failure();
  csl::LayoutOp layout = layouts.front();
  for (auto op : module.getOps<csl::ProgramOp>())
    if (failed(lowerRpc(op, layout)))
      return failure();
  hideRaisingFloats(module);
  Specialisation special = specialise(module, layout);
  if (failed(prepare(module)))
    return failure();
  Derivation result;
  result.module = std::move(owned);
  if (failed(Deriver(layout, target, std::move(special)).run(result)))
    return failure();
  return std::move(result);
}

FailureOr<wafer::Program> csl_to_wafer::deriveProgram(ModuleOp module) {
  FailureOr<Derivation> result = derive(module.clone());
  if (failed(result))
    return failure();
  return std::move(result->program);
}
