//===- EmitProgram.cpp - The module around the steps ----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::linalg_to_csl;
using arith::CmpIPredicate;

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

void Emitter::addVariable(StringRef name, Type element, int64_t elements,
                          DenseElementsAttr initial, bool isConstant) {
  OpBuilder::InsertionGuard guard(builder);
  // In front of the functions, in order of creation.
  Operation *before = nullptr;
  for (Operation &op : *codeBlock)
    if (!isa<csl::ParamOp, csl::VarOp>(op)) {
      before = &op;
      break;
    }
  if (before)
    builder.setInsertionPoint(before);
  else
    builder.setInsertionPointToEnd(codeBlock);
  csl::VarOp::create(
      builder, loc, isConstant ? builder.getUnitAttr() : UnitAttr(),
      builder.getStringAttr(name), UnitAttr(),
      TypeAttr::get(MemRefType::get({elements}, element)),
      initial ? ElementsAttr(initial) : ElementsAttr(), IntegerAttr(),
      StringAttr(), StringAttr(), StringAttr(), UnitAttr());
}

void Emitter::emitVariables() {
  for (unsigned number = 0; number < program.storages.size(); ++number) {
    if (plan.homes[number] != number)
      continue;
    const Storage &storage = program.storages[number];
    const LocalArray &array = plan.arrays[number];
    DenseElementsAttr initial;
    auto type = RankedTensorType::get({array.elements()}, storage.element);
    if (DenseElementsAttr given = storage.initial)
      initial = given.reshape(type);
    // Margins at the border of the grid are read and nobody sends them.
    bool hasMargins = false;
    for (auto [node, extent] : llvm::zip(storage.nodes, array.extents))
      hasMargins |= extent != plan.classes[node.dim].block;
    if (hasMargins && !storage.argument && !storage.initial)
      initial = DenseElementsAttr::get(
          type, Attribute(getNeutral(Combiner::Add, storage.element)));
    addVariable(storage.name, storage.element, array.elements(), initial,
                bool(storage.initial));
  }
}

std::string Emitter::takeTemporary(Type element, int64_t elements) {
  Temporary *fitting = nullptr;
  for (Temporary &temporary : temporaries)
    if (!temporary.busy && temporary.element == element &&
        temporary.elements >= elements &&
        (!fitting || temporary.elements < fitting->elements))
      fitting = &temporary;
  if (!fitting) {
    std::string name = "temp" + std::to_string(temporaries.size());
    addVariable(name, element, elements);
    temporaries.push_back({name, element, elements, false});
    fitting = &temporaries.back();
  }
  fitting->busy = true;
  return fitting->name;
}

void Emitter::release(StringRef name) {
  for (Temporary &temporary : temporaries)
    if (temporary.name == name)
      temporary.busy = false;
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

Join Emitter::makeJoin(StringRef name) {
  Join join;
  join.task = (name + "_" + std::to_string(joins.size())).str();
  unsigned id = joins.empty() ? std::max(machine.firstLocalTask, 8u)
                              : joins.back().id + 1;
  auto taken = [&](unsigned id) {
    return (target.getMemcpy() && machine.memcpy.localTasks >> id & 1) ||
           id == machine.teardownTask || id == machine.timerTask;
  };
  while (id <= machine.lastLocalTask && taken(id))
    ++id;
  if (id > machine.lastLocalTask && !failed) {
    mlir::emitError(program.func.getLoc())
        << "'func.func' op needs more than the " << joins.size()
        << " local tasks of " << machine.name
        << " to wait for communication; split the function";
    failed = true;
  }
  join.id = id;
  joins.push_back(join);
  return join;
}

void Emitter::endBody() {
  if (inTask)
    csl::ReturnOp::create(builder, loc);
  else
    func::ReturnOp::create(builder, loc);
}

void Emitter::enterTask(const Join &join) {
  endBody();
  builder.setInsertionPointToEnd(codeBlock);
  auto type = builder.getFunctionType({}, {});
  auto task = csl::TaskOp::create(builder, loc, csl::TaskKind::Local, join.task,
                                  type, StringAttr(), ArrayAttr(), ArrayAttr());
  builder.setInsertionPointToStart(&task.getBody().emplaceBlock());
  inTask = true;
  Value id = csl::TaskIdOp::create(
      builder, loc, csl::LocalTaskIdType::get(builder.getContext()), join.task);
  csl::BlockOp::create(builder, loc, id);
}

Value Emitter::constantOf(TypedAttr value) {
  return arith::ConstantOp::create(builder, loc, value);
}
Value Emitter::i16(int64_t value) {
  return arith::ConstantIntOp::create(builder, loc, value, 16);
}
Value Emitter::i32(int64_t value) {
  return arith::ConstantIntOp::create(builder, loc, value, 32);
}
Value Emitter::index(int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

Value Emitter::var(StringRef name) {
  auto variable = cast<csl::VarOp>(SymbolTable::lookupSymbolIn(code, name));
  return csl::GetVarOp::create(builder, loc, variable.getMemRefType(), name);
}

Value Emitter::param(StringRef name) {
  auto parameter = cast<csl::ParamOp>(SymbolTable::lookupSymbolIn(code, name));
  return csl::GetParamOp::create(builder, loc, parameter.getType(), name);
}

Value Emitter::coordinate(FabricAxis axis) {
  if (axis == FabricAxis::X)
    return param("x");
  if (axis == FabricAxis::Y)
    return param("y");
  auto wide = [&](Value value) {
    return arith::ExtUIOp::create(builder, loc, builder.getI32Type(), value);
  };
  Value row = arith::MulIOp::create(builder, loc, wide(param("y")),
                                    i32(plan.grid.width));
  return arith::AddIOp::create(builder, loc, row, wide(param("x")));
}

Value Emitter::compare(CmpIPredicate predicate, Value value, int64_t other) {
  Value number = arith::ConstantIntOp::create(
      builder, loc, other, value.getType().getIntOrFloatBitWidth());
  return arith::CmpIOp::create(builder, loc, predicate, value, number);
}

void Emitter::emitIf(Value condition, llvm::function_ref<void()> then,
                     llvm::function_ref<void()> otherwise) {
  auto branch =
      scf::IfOp::create(builder, loc, condition, /*withElse=*/bool(otherwise));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  then();
  if (!otherwise)
    return;
  builder.setInsertionPointToStart(branch.elseBlock());
  otherwise();
}

void Emitter::emitFor(int64_t count, llvm::function_ref<void(Value)> body) {
  if (count == 1) {
    body(index(0));
    return;
  }
  auto loop =
      scf::ForOp::create(builder, loc, index(0), index(count), index(1));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

//===----------------------------------------------------------------------===//
// Filling what is outside
//===----------------------------------------------------------------------===//

void Emitter::fillOutside(StringRef name, Type element,
                          ArrayRef<FilledDim> dims, TypedAttr value) {
  StringRef move = getMoveDsdOp(element);
  auto fill = [&](size_t which, int64_t begin, int64_t end) {
    Elements elements{
        name.str(), element, {}, begin * dims[which].stride, Value()};
    SmallVector<int64_t> extents;
    for (auto [d, dim] : llvm::enumerate(dims)) {
      elements.strides.push_back(dim.stride);
      extents.push_back(d == which ? end - begin : dim.extent);
    }
    dsdOp(move, dsd(elements, extents), constantOf(value));
  };
  for (auto [which, dim] : llvm::enumerate(dims)) {
    int64_t pes = plan.grid.along(dim.axis);
    // What each PE has of the data, as indices; equal neighbours together.
    auto dataOf = [&, &dim = dim](int64_t pe) {
      int64_t shift = dim.low + dim.origin - pe * dim.block;
      int64_t begin = std::clamp<int64_t>(shift, 0, dim.extent);
      int64_t end = std::clamp<int64_t>(shift + dim.size, begin, dim.extent);
      if (begin == end)
        begin = end = dim.extent;
      return std::pair(begin, end);
    };
    for (int64_t first = 0; first < pes;) {
      auto [begin, end] = dataOf(first);
      int64_t next = first + 1;
      while (next < pes && dataOf(next) == std::pair(begin, end))
        ++next;
      if (begin > 0 || end < dim.extent) {
        auto both = [&, which = which, begin = begin, end = end,
                     extent = dim.extent] {
          if (begin > 0)
            fill(which, 0, begin);
          if (end < extent)
            fill(which, end, extent);
        };
        if (first == 0 && next == pes) {
          both();
        } else {
          Value at = coordinate(dim.axis);
          Value condition = compare(CmpIPredicate::uge, at, first);
          if (next == first + 1)
            condition = compare(CmpIPredicate::eq, at, first);
          else if (next < pes)
            condition = arith::AndIOp::create(
                builder, loc, condition, compare(CmpIPredicate::ult, at, next));
          emitIf(condition, both);
        }
      }
      first = next;
    }
  }
}

LogicalResult Emitter::emitOutside(const Step &step) {
  const Storage &storage = program.storages[step.storage];
  const LocalArray &array = plan.arrays[step.storage];
  SmallVector<FilledDim> dims;
  int64_t stride = array.elements();
  for (unsigned d : array.order) {
    const DimClass &cls = plan.classes[storage.nodes[d].dim];
    stride /= array.extents[d];
    dims.push_back({.extent = array.extents[d],
                    .stride = stride,
                    .low = array.low[d],
                    .block = cls.block,
                    .origin = storage.nodes[d].origin,
                    .size = storage.shape[d],
                    .axis = cls.axis});
  }
  fillOutside(storage.name, storage.element, dims, step.value);
  return success();
}

//===----------------------------------------------------------------------===//
// Queues, tasks, symbols
//===----------------------------------------------------------------------===//

void Emitter::emitQueues(const Channel &channel) {
  MLIRContext *context = builder.getContext();
  int64_t pes = plan.grid.along(channel.axis);
  Value at = coordinate(channel.axis);
  auto always = [&] {
    return arith::ConstantIntOp::create(builder, loc, 1, 1).getResult();
  };
  auto notFirst = [&] { return compare(CmpIPredicate::ne, at, 0); };
  auto notLast = [&] { return compare(CmpIPredicate::ne, at, pes - 1); };
  Value in, out;
  switch (channel.kind) {
  case Channel::Kind::Hop:
    in = channel.up ? notFirst() : notLast();
    out = channel.up ? notLast() : notFirst();
    break;
  case Channel::Kind::Leap: {
    Value within = arith::RemUIOp::create(builder, loc, at, i16(channel.group));
    Value leads = compare(CmpIPredicate::eq, within, 0);
    in = arith::AndIOp::create(
        builder, loc, leads,
        compare(CmpIPredicate::ult, at, pes - channel.group));
    out = arith::AndIOp::create(builder, loc, leads, notFirst());
    break;
  }
  case Channel::Kind::Spread:
    in = notFirst();
    out = compare(CmpIPredicate::eq, at, 0);
    break;
  case Channel::Kind::Panel:
    in = channel.up ? always() : notLast();
    out = channel.up ? always() : notFirst();
    break;
  }
  auto color = [&](StringRef way) -> Value {
    if (channel.colors > 1)
      return param(channel.name() + "_" + way.str());
    return csl::ConstantOp::create(builder, loc, csl::ColorType::get(context),
                                   int64_t(channel.color));
  };
  emitIf(in, [&] {
    Value queue =
        csl::ConstantOp::create(builder, loc, csl::InputQueueType::get(context),
                                int64_t(channel.inputQueue));
    csl::InitializeQueueOp::create(builder, loc, queue, color("rx"),
                                   csl::PriorityAttr(), IntegerAttr(),
                                   UnitAttr());
  });
  if (machine.outputQueueColor)
    emitIf(out, [&] {
      Value queue = csl::ConstantOp::create(builder, loc,
                                            csl::OutputQueueType::get(context),
                                            int64_t(channel.outputQueue));
      csl::InitializeQueueOp::create(builder, loc, queue, color("tx"),
                                     csl::PriorityAttr(), IntegerAttr(),
                                     UnitAttr());
    });
}

static std::string argumentName(unsigned number) {
  return "arg" + std::to_string(number);
}
static std::string resultName(unsigned number) {
  return "result" + std::to_string(number);
}

void Emitter::emitComptime() {
  builder.setInsertionPointToEnd(codeBlock);
  auto comptime = csl::ComptimeOp::create(builder, loc);
  builder.setInsertionPointToStart(&comptime.getBody().emplaceBlock());
  for (const Join &join : joins) {
    Value id = csl::ConstantOp::create(
        builder, loc, csl::LocalTaskIdType::get(builder.getContext()),
        int64_t(join.id));
    csl::BindLocalTaskOp::create(builder, loc, join.task, id);
    csl::BlockOp::create(builder, loc, id);
  }
  for (const Channel &channel : channels.all())
    emitQueues(channel);
  auto exportAs = [&](StringRef symbol, StringRef name) {
    csl::ExportSymbolOp::create(builder, loc, symbol,
                                symbol == name ? StringAttr()
                                               : builder.getStringAttr(name));
  };
  for (const Storage &storage : program.storages)
    if (storage.argument)
      exportAs(storage.name, argumentName(*storage.argument));
  for (auto [number, view] : llvm::enumerate(program.results))
    exportAs(program.storages[view.storage].name, resultName(number));
  exportAs(program.func.getSymName(), program.func.getSymName());
}

void Emitter::emitLayout(ModuleOp module) {
  MLIRContext *context = builder.getContext();
  builder.setInsertionPointToStart(module.getBody());
  auto layout = csl::LayoutOp::create(
      builder, loc, builder.getI64IntegerAttr(plan.grid.width),
      builder.getI64IntegerAttr(plan.grid.height), IntegerAttr(), IntegerAttr(),
      IntegerAttr(), IntegerAttr());
  builder.setInsertionPointToStart(&layout.getBody().emplaceBlock());
  SmallVector<NamedAttribute> values;
  for (const auto &[name, value] : params)
    values.push_back(builder.getNamedAttr(name, value));
  csl::TileCodeOp::create(builder, loc,
                          FlatSymbolRefAttr::get(code.getSymNameAttr()),
                          csl::RegionAttr::get(context, 0, plan.grid.width, 1,
                                               0, plan.grid.height, 1),
                          builder.getDictionaryAttr(values));
  channels.emitRoutes(builder, loc, plan.grid, machine.generation);
  auto exportName = [&](StringRef name, const View &view, Type type) {
    auto tensor = cast<RankedTensorType>(type);
    auto op = csl::ExportNameOp::create(
        builder, loc, builder.getStringAttr(name), UnitAttr(),
        TypeAttr::get(csl::PtrType::get(tensor.getElementType(), true)),
        builder.getUnitAttr());
    op->setDiscardableAttr(
        csl::CslDialect::kDistributionAttrName,
        csl::DistributionAttr::get(
            context, getDistribution(program, plan, view, tensor.getShape())));
  };
  SmallVector<StringAttr> arguments, results;
  for (auto [number, storage] : llvm::enumerate(program.storages))
    if (storage.argument) {
      View view{unsigned(number),
                SmallVector<int64_t>(storage.shape.size(), 0)};
      exportName(argumentName(*storage.argument), view,
                 storage.value.getType());
      arguments.push_back(
          builder.getStringAttr(argumentName(*storage.argument)));
    }
  for (auto [number, view] : llvm::enumerate(program.results)) {
    exportName(resultName(number), view, program.func.getResultTypes()[number]);
    results.push_back(builder.getStringAttr(resultName(number)));
  }
  csl::ExportNameOp::create(
      builder, loc, program.func.getSymNameAttr(), UnitAttr(),
      TypeAttr::get(builder.getFunctionType({}, {})), UnitAttr());
  module->setAttr(csl::CslDialect::kEntryAttrName,
                  csl::EntryAttr::get(context, program.func.getSymName(),
                                      arguments, results));
}

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

LogicalResult Emitter::emitSteps() {
  for (const Step &step : plan.steps) {
    loc = step.kind == Step::Kind::Compute || step.kind == Step::Kind::Summa
              ? program.ops[step.op].op.getLoc()
              : program.storages[step.storage].value.getLoc();
    LogicalResult result = success();
    switch (step.kind) {
    case Step::Kind::Spread:
      emitSpread(step);
      break;
    case Step::Kind::Halo:
      emitHalo(step);
      break;
    case Step::Kind::Outside:
      result = emitOutside(step);
      break;
    case Step::Kind::Compute:
      result = emitCompute(step);
      break;
    case Step::Kind::Summa:
      emitSumma(step);
      break;
    }
    if (mlir::failed(result) || failed)
      return failure();
  }
  return success();
}

LogicalResult Emitter::run() {
  auto module = program.func->getParentOfType<ModuleOp>();
  MLIRContext *context = builder.getContext();
  builder.setInsertionPointToEnd(module.getBody());
  code = csl::ProgramOp::create(
      builder, loc, builder.getStringAttr("pe_program"), StringAttr());
  codeBlock = &code.getBody().emplaceBlock();
  builder.setInsertionPointToEnd(codeBlock);

  // What differs from PE to PE.
  AffineExpr x = builder.getAffineDimExpr(0), y = builder.getAffineDimExpr(1);
  auto addParam = [&](const Twine &name, Type type, AffineExpr value) {
    csl::ParamOp::create(builder, loc, builder.getStringAttr(name),
                         TypeAttr::get(type), TypedAttr());
    params.emplace_back(name.str(),
                        AffineMapAttr::get(AffineMap::get(2, 0, value)));
  };
  addParam("x", builder.getI16Type(), x);
  addParam("y", builder.getI16Type(), y);
  for (const Channel &channel : channels.all()) {
    if (channel.colors == 1)
      continue;
    AffineExpr at = channel.axis == FabricAxis::X ? x : y;
    if (channel.kind == Channel::Kind::Leap)
      at = at.floorDiv(channel.group);
    auto color = csl::ColorType::get(context);
    addParam(channel.name() + "_tx", color, at % 2 + channel.color);
    addParam(channel.name() + "_rx", color, (at + 1) % 2 + channel.color);
  }
  emitVariables();

  builder.setInsertionPointToEnd(codeBlock);
  auto entry = func::FuncOp::create(builder, loc, program.func.getSymName(),
                                    builder.getFunctionType({}, {}));
  builder.setInsertionPointToStart(entry.addEntryBlock());
  if (mlir::failed(emitSteps()))
    return failure();
  loc = program.func.getLoc();
  if (target.getMemcpy())
    csl::UnblockCmdStreamOp::create(builder, loc);
  endBody();
  emitComptime();
  emitLayout(module);
  program.func.erase();
  return success();
}

LogicalResult linalg_to_csl::emitProgram(Program &program, const Plan &plan,
                                         csl::TargetAttr target,
                                         const EmitOptions &options) {
  FailureOr<ChannelTable> channels =
      ChannelTable::make(program.func, plan, target, options.firstColor);
  if (failed(channels))
    return failure();
  return Emitter(program, plan, target, *channels).run();
}
