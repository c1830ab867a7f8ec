//===- ConfigTranslation.cpp - Configuration in IR and as structs ---------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A walk that copies: what structs hold is what attributes hold
// (TcpConfigAttrs.td), and commands are operations.
//
//===----------------------------------------------------------------------===//

#include "sequin/Target/Tcp/ConfigTranslation.h"
#include "mlir/IR/Builders.h"
#include "sequin/Dialect/Tcp/IR/Locations.h"
#include "sequin/Dialect/Tcp/IR/TcpConfigValue.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::tcp;

/// "file:line:col" back to a location, so that traps of a read configuration
/// point at the kernel.
static Location toLocation(Builder &builder, StringRef text) {
  auto [rest, column] = text.rsplit(':');
  auto [file, line] = rest.rsplit(':');
  unsigned lineNumber, columnNumber;
  if (file.empty() || line.getAsInteger(10, lineNumber) ||
      column.getAsInteger(10, columnNumber))
    return builder.getUnknownLoc();
  return FileLineColLoc::get(builder.getContext(), file, lineNumber,
                             columnNumber);
}

//===----------------------------------------------------------------------===//
// Structs to operations
//===----------------------------------------------------------------------===//

/// The enumerations of both sides have the same numbers.
static_assert(
    static_cast<int>(Memory::Hbm) == static_cast<int>(config::Memory::Hbm) &&
    static_cast<int>(Memory::Dm) == static_cast<int>(config::Memory::Dm) &&
    static_cast<int>(Memory::Spm) == static_cast<int>(config::Memory::Spm) &&
    static_cast<int>(Context::Sub) == static_cast<int>(config::Context::Sub));

namespace {
/// Makes operations; a struct that breaks a rule of its attribute is an error
/// at the command, whose names of what is wrong are the attribute's.
class OpMaker {
public:
  explicit OpMaker(OpBuilder &builder) : builder(builder) {}

  FailureOr<ConfigOp> make(Location loc, const config::Program &program);

private:
  LogicalResult make(const std::vector<config::Command> &commands);
  LogicalResult make(const config::Command &command);

  /// The attribute of `value`; none without a value.
  template <typename AttrT, typename T> AttrT get(const T &value) {
    auto attr =
        AttrT::getChecked([&] { return emitError(loc) << what << ": "; },
                          builder.getContext(), ConfigValue<T>(value));
    isGood &= static_cast<bool>(attr);
    return attr;
  }
  template <typename AttrT, typename T>
  AttrT get(const std::optional<T> &value) {
    return value ? get<AttrT>(*value) : AttrT();
  }
  template <typename AttrT, typename List> ArrayAttr list(const List &values) {
    SmallVector<Attribute> attrs;
    for (const auto &value : values)
      attrs.push_back(get<AttrT>(value));
    return isGood ? builder.getArrayAttr(attrs) : ArrayAttr();
  }
  ArrayAttr slices(ArrayRef<uint64_t> mask) {
    std::vector<std::string> text = config::maskToText(mask);
    return builder.getStrArrayAttr(
        SmallVector<StringRef>(text.begin(), text.end()));
  }

  OpBuilder &builder;
  Location loc = builder.getUnknownLoc();
  std::string what; ///< is being made
  bool isGood = true;
};
} // namespace

LogicalResult OpMaker::make(const config::Command &command) {
  loc = toLocation(builder, command.location);
  what = "command '" + command.name + "'";
  ArrayAttr steps =
      command.steps.empty() ? ArrayAttr() : list<StepAttr>(command.steps);
  StringAttr name = builder.getStringAttr(command.name);
  auto number = [&](int64_t value) { return builder.getI64IntegerAttr(value); };
  if (const auto *transfer = std::get_if<config::Transfer>(&command.body)) {
    if (auto attr = get<HostTransferAttr>(*transfer))
      ConfigTransferOp::create(builder, loc, name, attr, steps);
  } else if (const auto *dma = std::get_if<config::DmaCommand>(&command.body)) {
    ArrayAttr descriptors = list<DescriptorAttr>(dma->descriptors);
    if (isGood)
      ConfigDmaOp::create(builder, loc, name, static_cast<Memory>(dma->source),
                          static_cast<Memory>(dma->destination), descriptors,
                          steps);
  } else if (const auto *generate =
                 std::get_if<config::GenerateCommand>(&command.body)) {
    ConfigGenerateOp::create(
        builder, loc, name, number(generate->chip), slices(generate->sliceMask),
        number(generate->address), number(generate->value), steps);
  } else if (const auto *loop =
                 std::get_if<config::LoopCommand>(&command.body)) {
    auto op =
        ConfigLoopOp::create(builder, loc, name, number(loop->count), steps);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&op.getBody().emplaceBlock());
    if (failed(make(loop->body)))
      return failure();
  } else {
    const auto &exec = std::get<config::ExecCommand>(command.body);
    auto fetch = get<FetchAttr>(exec.fetch);
    auto switching = get<SwitchAttr>(exec.switching);
    auto collect = get<CollectAttr>(exec.collect);
    auto contract = get<ContractAttr>(exec.contract);
    auto vector = get<VectorAttr>(exec.vector);
    auto cast = get<CastAttr>(exec.cast);
    auto transpose = get<TransposeAttr>(exec.transpose);
    CommitAttr commit;
    ToTrfAttr toTrf;
    ToVrfAttr toVrf;
    if (const auto *stage = std::get_if<config::CommitStage>(&exec.sink))
      commit = get<CommitAttr>(*stage);
    else if (const auto *stage = std::get_if<config::ToTrfStage>(&exec.sink))
      toTrf = get<ToTrfAttr>(*stage);
    else if (const auto *stage = std::get_if<config::ToVrfStage>(&exec.sink))
      toVrf = get<ToVrfAttr>(*stage);
    if (isGood)
      ConfigExecOp::create(
          builder, loc, name, static_cast<Context>(exec.context), exec.chip,
          slices(exec.sliceMask), exec.occupiesDma, fetch, switching, collect,
          contract, vector, cast, transpose, commit, toTrf, toVrf, steps);
  }
  return success(isGood);
}

LogicalResult OpMaker::make(const std::vector<config::Command> &commands) {
  for (const config::Command &command : commands)
    if (failed(make(command)))
      return failure();
  return success();
}

FailureOr<ConfigOp> OpMaker::make(Location at, const config::Program &program) {
  loc = at;
  what = "program '" + program.name + "'";
  ArrayAttr inputs = list<ArgumentAttr>(program.inputs);
  ArrayAttr outputs = list<ArgumentAttr>(program.outputs);
  ArrayAttr constants = program.constants.empty()
                            ? ArrayAttr()
                            : list<ProgramConstantAttr>(program.constants);
  if (!isGood)
    return failure();
  auto op =
      ConfigOp::create(builder, loc, program.name, program.target,
                       program.chips, inputs, outputs, constants, program.macs,
                       getElementType(builder.getContext(), program.macType));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&op.getBody().emplaceBlock());
  if (succeeded(make(program.commands)))
    return op;
  op.erase();
  return failure();
}

FailureOr<ConfigOp> tcp::buildConfigOp(OpBuilder &builder, Location loc,
                                       const config::Program &program) {
  return OpMaker(builder).make(loc, program);
}

//===----------------------------------------------------------------------===//
// Operations to structs
//===----------------------------------------------------------------------===//

template <typename AttrT, typename List>
static void takeList(ArrayAttr attrs, List &values) {
  if (attrs)
    for (auto attr : attrs.getAsRange<AttrT>())
      values.push_back(attr.getValue());
}

/// What the verifier has seen to be hexadecimal.
static std::vector<uint64_t> takeSlices(ArrayAttr slices) {
  std::vector<std::string> text;
  for (auto cluster : slices.getAsRange<StringAttr>())
    text.push_back(cluster.str());
  return llvm::cantFail(config::maskFromText(text));
}

static config::ExecCommand takeExec(ConfigExecOp op) {
  config::ExecCommand exec;
  exec.context = static_cast<config::Context>(op.getExecutionContext());
  exec.chip = op.getChip();
  exec.sliceMask = takeSlices(op.getSlices());
  exec.occupiesDma = op.getOccupiesDma();
  exec.fetch = op.getFetch().getValue();
  exec.collect = op.getCollect().getValue();
  auto take = [](auto attr, auto &value) {
    if (attr)
      value = attr->getValue();
  };
  take(op.getSwitching(), exec.switching);
  take(op.getContract(), exec.contract);
  take(op.getVector(), exec.vector);
  take(op.getCast(), exec.cast);
  take(op.getTranspose(), exec.transpose);
  take(op.getCommit(), exec.sink);
  take(op.getToTrf(), exec.sink);
  take(op.getToVrf(), exec.sink);
  return exec;
}

static void takeCommands(Region &body, std::vector<config::Command> &commands) {
  for (Operation &inner : body.front()) {
    config::Command &command = commands.emplace_back();
    command.location = describeLocation(inner.getLoc());
    llvm::TypeSwitch<Operation *>(&inner)
        .Case([&](ConfigTransferOp op) {
          command.body = op.getTransfer().getValue();
        })
        .Case([&](ConfigDmaOp op) {
          config::DmaCommand dma;
          dma.source = static_cast<config::Memory>(op.getSource());
          dma.destination = static_cast<config::Memory>(op.getDestination());
          takeList<DescriptorAttr>(op.getDescriptors(), dma.descriptors);
          command.body = std::move(dma);
        })
        .Case([&](ConfigGenerateOp op) {
          command.body = config::GenerateCommand{
              static_cast<int64_t>(op.getChip()), takeSlices(op.getSlices()),
              static_cast<int64_t>(op.getAddress()),
              static_cast<uint32_t>(op.getValue())};
        })
        .Case([&](ConfigLoopOp op) {
          auto &loop = command.body.emplace<config::LoopCommand>();
          loop.count = op.getCount();
          takeCommands(op.getBody(), loop.body);
        })
        .Case([&](ConfigExecOp op) { command.body = takeExec(op); });
    llvm::TypeSwitch<Operation *>(&inner)
        .Case<ConfigTransferOp, ConfigDmaOp, ConfigGenerateOp, ConfigLoopOp,
              ConfigExecOp>([&](auto op) {
          command.name = op.getName().str();
          takeList<StepAttr>(op.getStepsAttr(), command.steps);
        });
  }
}

config::Program tcp::readConfigOp(ConfigOp op) {
  config::Program program;
  program.target = op.getTarget().str();
  program.chips = op.getChips();
  program.name = op.getSymName().str();
  takeList<ArgumentAttr>(op.getInputs(), program.inputs);
  takeList<ArgumentAttr>(op.getOutputs(), program.outputs);
  takeList<ProgramConstantAttr>(op.getConstantsAttr(), program.constants);
  program.macs = op.getMacs();
  program.macType = *getElementKind(op.getMacType());
  takeCommands(op.getBody(), program.commands);
  return program;
}
