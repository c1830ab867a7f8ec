//===- CslLoad.cpp - A csl module becomes PEs -----------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CslState.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::reference;

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

FailureOr<CslCode *> CslMachineState::loadCode(csl::ProgramOp op) {
  for (auto &code : codes)
    if (code->op == op)
      return code.get();
  CslCode &code = *codes.emplace_back(std::make_unique<CslCode>());
  code.op = op;
  if (failed(code.memory.build(op, *machine)))
    return failure();
  for (auto param : op.getOps<csl::ParamOp>()) {
    code.paramNumbers[param.getSymName()] =
        static_cast<unsigned>(code.params.size());
    code.params.push_back(param);
  }
  for (auto fifo : op.getOps<csl::FifoOp>()) {
    const Object *buffer = code.memory.find(fifo.getBuffer());
    FifoInfo info;
    info.op = fifo;
    info.address = static_cast<uint16_t>(buffer->begin);
    csl::VarOp var = buffer->op;
    info.bytes = static_cast<uint8_t>(
        sizeOf(var.getMemRefType().getElementType()).bytes);
    info.elements = static_cast<uint16_t>(buffer->bytes / info.bytes);
    if (!info.elements)
      return fifo.emitOpError() << "has a buffer without elements";
    code.fifoNumbers[fifo.getSymName()] =
        static_cast<unsigned>(code.fifos.size());
    code.fifos.push_back(info);
  }
  // Exports first: comptime blocks ask for their numbers.
  LogicalResult good = success();
  op.walk([&](csl::ExportSymbolOp symbol) {
    bool known = llvm::any_of(exportNames, [&](csl::ExportNameOp name) {
      return name.getName() == symbol.getAdvertisedName();
    });
    if (known)
      code.exports[symbol.getAdvertisedName()] =
          SymbolTable::lookupSymbolIn(op, symbol.getSymbolAttr());
    else
      good = symbol.emitOpError()
             << "advertises \"" << symbol.getAdvertisedName()
             << "\", which the layout does not export";
  });
  if (failed(good))
    return failure();
  for (auto function : op.getOps<FunctionOpInterface>()) {
    if (function.isExternal())
      continue;
    FailureOr<std::unique_ptr<FunctionCode>> read =
        readFunction(function, function.getFunctionBody());
    if (failed(read))
      return failure();
    (*read)->number = static_cast<uint32_t>(code.functions.size());
    code.functionNumbers[(*read)->name] = (*read)->number;
    code.functions.push_back(std::move(*read));
  }
  for (auto block : op.getOps<csl::ComptimeOp>()) {
    FailureOr<std::unique_ptr<FunctionCode>> read =
        readFunction(block, block.getBody());
    if (failed(read))
      return failure();
    (*read)->name = "comptime";
    code.comptime.push_back(std::move(*read));
  }
  return &code;
}

//===----------------------------------------------------------------------===//
// PEs
//===----------------------------------------------------------------------===//

/// The value of a parameter at a PE: one value, an affine map of the place, or
/// one of an array.
static std::optional<uint64_t>
getParameter(csl::TileCodeOp tile, csl::ParamOp param, int64_t x, int64_t y) {
  Attribute value;
  if (DictionaryAttr given = tile.getParamsAttr())
    value = given.get(param.getSymName());
  if (!value && param.getDefaultValue())
    value = *param.getDefaultValue();
  if (auto map = dyn_cast_or_null<AffineMapAttr>(value)) {
    int64_t number = map.getValue().compose({x, y}).front();
    return static_cast<uint64_t>(number) & maskOf(bitsOf(param.getType()));
  }
  if (auto elements = dyn_cast_or_null<ElementsAttr>(value)) {
    csl::RegionAttr region = tile.getRegion();
    int64_t row = (y - region.getYBegin()) / region.getYStep();
    int64_t column = (x - region.getXBegin()) / region.getXStep();
    value = elements.getValues<Attribute>()[row * region.getWidth() + column];
  }
  return bitsOf(value, param.getType());
}

LogicalResult CslMachineState::loadPe(CslCode &code, csl::TileCodeOp tile,
                                      int64_t x, int64_t y) {
  Pe &pe = *pes[y * width + x];
  pe.code = &code;
  pe.loading = true;
  pe.random.fill(0xdeadbeef);
  pe.memory.create(code.memory);
  for (const Object &object : code.memory.objects()) {
    csl::VarOp var = object.op;
    if (var.getIsExtern())
      return var.emitOpError() << "is extern, and no other program defines it";
    std::optional<ElementsAttr> value = var.getInitialValue();
    if (!value)
      continue;
    Type element = var.getMemRefType().getElementType();
    unsigned bytes = static_cast<unsigned>(sizeOf(element).bytes);
    int64_t address = object.begin;
    for (Attribute part : value->getValues<Attribute>()) {
      pe.memory.store(address, bytes, bitsOf(part, element).value_or(0));
      address += bytes;
    }
  }
  for (csl::ParamOp param : code.params) {
    std::optional<uint64_t> value = getParameter(tile, param, x, y);
    if (!value)
      return param.emitOpError()
             << "has no value at PE (" << x << ", " << y << ")";
    pe.params.push_back(*value);
  }
  pe.fifos.resize(code.fifos.size());
  pe.dsrs.resize(3 * machine->dsrsPerFile);
  return success();
}

/// Steps of the comptime blocks of a PE.
static constexpr uint64_t kComptimeSteps = 1 << 20;

LogicalResult CslMachineState::runComptime(Pe &pe) {
  steps = 0;
  uint64_t limit = std::min(options.maxSteps, kComptimeSteps);
  for (auto &block : pe.code->comptime) {
    startFunction(pe, block.get(), {}, "comptime block");
    while (!pe.stack.empty()) {
      runMain(pe);
      if (hasTrapped)
        return failure();
      if (steps >= limit)
        return block->op->emitOpError()
               << "does not end within " << limit << " steps";
      if (pe.main != MainAt::Running && !pe.stack.empty())
        return block->op->emitOpError() << "waits for something";
    }
  }
  return finishPe(pe);
}

/// What all comptime blocks together decide.
LogicalResult CslMachineState::finishPe(Pe &pe) {
  // TSK-032, TSK-033: data ids without a task are blocked, bound ids are not;
  // then what the blocks say.
  for (unsigned id = 0; id < machine->dataTasks; ++id) {
    auto task = pe.tasks.find(static_cast<uint8_t>(id));
    if (task == pe.tasks.end())
      pe.blocked |= 1u << id;
  }
  for (auto [id, on] : pe.initialBlocks)
    pe.blocked = on ? pe.blocked | 1u << id : pe.blocked & ~(1u << id);
  auto refuse = [](Operation *op, const Twine &text) -> LogicalResult {
    return op->emitOpError() << text;
  };
  if (!pe.separateControl)
    for (const auto &[key, task] : pe.controlTasks)
      if (pe.tasks.count(key.second))
        return refuse(task.op, "binds control task id " + Twine(key.second) +
                                   ", which another task has");
  auto teardown = pe.tasks.find(static_cast<uint8_t>(machine->teardownTask));
  if (pe.hasHandler && teardown != pe.tasks.end())
    return refuse(teardown->second.op,
                  "binds the teardown task beside handlers");

  // Filters, by color.
  for (auto &[number, color] : pe.colors) {
    csl::FilterAttr given = color.filterAttr;
    if (!given)
      continue;
    if (pe.filters.size() >= machine->filters)
      return refuse(color.op, "has a filter beyond the " +
                                  Twine(machine->filters) + " of a PE of " +
                                  machine->name);
    auto limit = [](std::optional<int64_t> value) {
      return value ? std::optional(static_cast<uint16_t>(*value))
                   : std::nullopt;
    };
    FilterState filter;
    filter.kind = given.getKind();
    filter.countData = given.getCountData();
    filter.countControl = given.getCountControl();
    filter.onlyControl = given.getFilterControl();
    filter.counter = limit(given.getInitCounter()).value_or(0);
    filter.limit1 = limit(given.getLimit1());
    filter.limit2 = limit(given.getLimit2());
    filter.maxCounter = limit(given.getMaxCounter()).value_or(0);
    filter.minIndex = limit(given.getMinIdx()).value_or(0);
    filter.maxIndex = limit(given.getMaxIdx()).value_or(0);
    color.filter = static_cast<int>(pe.filters.size());
    pe.filters.push_back(filter);
  }

  for (auto [info, state] : llvm::zip(pe.code->fifos, pe.fifos)) {
    csl::FifoOp op = info.op;
    auto target = [&](std::optional<Attribute> given,
                      int &id) -> LogicalResult {
      if (!given)
        return success();
      if (auto number = dyn_cast<IntegerAttr>(*given)) {
        id = static_cast<int>(number.getInt());
        return success();
      }
      StringRef name = cast<FlatSymbolRefAttr>(*given).getValue();
      for (const auto &[number, task] : pe.tasks)
        if (task.kind == csl::TaskKind::Local && task.function &&
            task.function->name == name)
          id = number;
      if (id < 0)
        return refuse(op,
                      "activates task '" + name + "', which is bound to no id");
      return success();
    };
    if (failed(target(op.getActivatePop(), state.activatePop)) ||
        failed(target(op.getActivatePush(), state.activatePush)))
      return failure();
    if (!op.getDest())
      continue;
    // Its registers hold it (FIF-023).
    Dsr dsr;
    dsr.dsd.kind = Dsd::Kind::Fifo;
    dsr.dsd.fifo = static_cast<uint16_t>(&info - pe.code->fifos.data());
    pe.dsrs[*op.getDest()] = dsr;
    pe.dsrs[2 * machine->dsrsPerFile + *op.getSrc1()] = dsr;
  }
  for (auto [address, value] : pe.initialRegisters)
    writeConfig(pe, address, value);
  pe.loading = false;
  return success(!hasTrapped);
}

//===----------------------------------------------------------------------===//
// Module
//===----------------------------------------------------------------------===//

LogicalResult CslMachineState::load() {
  csl::TargetAttr target = csl::getTarget(module);
  if (!target)
    return failure();
  auto layouts = llvm::to_vector(module.getOps<csl::LayoutOp>());
  if (layouts.size() != 1)
    return module.emitError() << "module has " << layouts.size()
                              << " csl.layout operations, expected one";
  // Upstream's definition of affine is good enough.
  own = module.clone();
  PassManager manager(module.getContext(), ModuleOp::getOperationName());
  manager.addPass(createLowerAffinePass());
  if (failed(manager.run(*own)))
    return failure();

  layout = *own->getOps<csl::LayoutOp>().begin();
  machine = target.getRow();
  format = static_cast<Fp16Format>(target.getFp16());
  memcpy = target.getMemcpy();
  width = layout.getWidth();
  height = layout.getHeight();
  fabricWidth = layout.getFabricWidth().value_or(width);
  fabricHeight = layout.getFabricHeight().value_or(height);
  offsetX = layout.getOffsetX().value_or(0);
  offsetY = layout.getOffsetY().value_or(0);
  for (auto name : layout.getOps<csl::ExportNameOp>())
    exportNames.push_back(name);
  for (auto stream : layout.getOps<csl::StreamOp>())
    streams.push_back({stream, {}});

  for (int64_t i = 0; i < width * height; ++i) {
    pes.push_back(std::make_unique<Pe>());
    Pe &pe = *pes.back();
    pe.number = static_cast<unsigned>(i);
    pe.x = i % width;
    pe.y = i / width;
  }
  LogicalResult good = success();
  for (auto config : layout.getOps<csl::ColorConfigOp>())
    config.getRegion().forEach([&](int64_t x, int64_t y) {
      if (hasTrapped)
        return;
      Pe &pe = *pes[y * width + x];
      pe.loading = true;
      configureColor(pe, config, config.getColor(), config.getRoutes(),
                     config.getSwitches().value_or(csl::SwitchesAttr()),
                     config.getFilter().value_or(csl::FilterAttr()),
                     config.getTeardown());
    });
  if (hasTrapped)
    return failure();
  for (auto tile : layout.getOps<csl::TileCodeOp>()) {
    auto program = own->lookupSymbol<csl::ProgramOp>(tile.getProgram());
    FailureOr<CslCode *> code = loadCode(program);
    if (failed(code))
      return failure();
    tile.getRegion().forEach([&](int64_t x, int64_t y) {
      if (succeeded(good))
        good = loadPe(**code, tile, x, y);
      if (succeeded(good))
        good = runComptime(*pes[y * width + x]);
    });
    if (failed(good))
      return failure();
  }
  steps = 0;
  return success();
}
