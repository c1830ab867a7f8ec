//===- TcpInterpreter.cpp - What tcp programs mean ------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TcpInterpreter.h"
#include "sequin/Support/Arithmetic.h"
#include "sequin/Support/Interrupt.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::reference;
using sequin::stream::AxesAttr;
using sequin::stream::MappingAttr;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

Space *TcpInterpreter::getSpace(AxesAttr axes) {
  std::unique_ptr<Space> &space = spaces[axes];
  if (!space) {
    SmallVector<std::pair<std::string, int64_t>> named;
    for (auto [name, size] : llvm::zip(axes.getNames(), axes.getSizes()))
      named.emplace_back(name.str(), size);
    SmallVector<SkewedAxis> skews;
    for (stream::SkewAttr skew : axes.getSkews())
      skews.push_back({skew.getName().str(), skew.getBase().str(),
                       skew.getBy().str(), skew.getPlus()});
    SmallVector<NamedTable> tables;
    for (stream::TableAttr table : axes.getTables())
      tables.push_back({table.getName().str(), table.getEntries().vec()});
    space = std::make_unique<Space>(named, skews, tables);
  }
  return space.get();
}

FailureOr<Digits> TcpInterpreter::read(Operation *op, Space &space,
                                       MappingAttr mapping, bool maySlide) {
  llvm::Expected<Digits> digits = space.read(mapping.getText());
  if (digits && !maySlide && space.slides(*digits))
    return op->emitOpError()
           << "mapping \"" << mapping.getText()
           << "\" slides, so that positions stand for several indices; the "
              "reference interpreter computes with one index per position";
  if (digits)
    return std::move(*digits);
  return op->emitOpError() << llvm::toString(digits.takeError());
}

FailureOr<TcpInterpreter::Layout>
TcpInterpreter::getLayout(Operation *op, Type type, bool maySlide) {
  SmallVector<MappingAttr, 6> mappings;
  AxesAttr axes;
  auto addGrid = [&](tcp::GridAttr grid) {
    axes = grid.getAxes();
    mappings.append({grid.getChip(), grid.getCluster(), grid.getSlice()});
  };
  TypeSwitch<Type>(type)
      .Case([&](tcp::HostType host) {
        axes = host.getAxes();
        mappings = {host.getElement()};
      })
      .Case<tcp::HbmType, tcp::SpmType>([&](auto tensor) {
        axes = tensor.getAxes();
        mappings = {tensor.getChip(), tensor.getElement()};
      })
      .Case<tcp::DmType, tcp::VrfType>([&](auto tensor) {
        addGrid(tensor.getGrid());
        mappings.push_back(tensor.getElement());
      })
      .Case([&](tcp::TrfType trf) {
        addGrid(trf.getGrid());
        mappings.append({trf.getRow(), trf.getElement()});
      })
      .Case([&](tcp::StreamType stream) {
        addGrid(stream.getGrid());
        if (stream.getRow())
          mappings.push_back(stream.getRow());
        mappings.append({stream.getTime(), stream.getPacket()});
      });
  if (!axes)
    return op->emitOpError() << "has a value of type " << type
                             << ", which the reference interpreter does not "
                                "know";
  Layout layout;
  layout.space = getSpace(axes);
  for (MappingAttr mapping : mappings) {
    FailureOr<Digits> digits = read(op, *layout.space, mapping, maySlide);
    if (failed(digits))
      return failure();
    layout.slides |= layout.space->slides(*digits);
    layout.mappings.push_back(std::move(*digits));
  }
  return layout;
}

FailureOr<Tensor> TcpInterpreter::get(Operation *op, Value value,
                                      const Values &values) {
  auto found = values.find(value);
  if (found == values.end())
    return op->emitOpError() << "uses a value that has not been computed";
  return found->second;
}

LogicalResult TcpInterpreter::define(Value result, const Tensor &tensor,
                                     Values &values) {
  Operation *op = result.getDefiningOp();
  FailureOr<Layout> to = getLayout(op, result.getType(), /*maySlide=*/true);
  if (failed(to))
    return failure();
  // Where positions stand for several indices, the tensor keeps all it has.
  if (to->slides) {
    values[result] = tensor;
    return success();
  }
  llvm::Expected<Tensor> placed = place(*to->space, tensor, to->mappings);
  if (!placed)
    return op->emitOpError() << llvm::toString(placed.takeError());
  values[result] = std::move(*placed);
  return success();
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

LogicalResult TcpInterpreter::run(tcp::LaunchOp op, Values &values) {
  auto callee = symbols.lookup<func::FuncOp>(op.getCallee());
  if (!callee || callee.isExternal())
    return op.emitOpError()
           << "launches '" << op.getCallee() << "', which has no body";
  if (depth > 0)
    return op.emitOpError() << "launches a kernel from inside a kernel";
  SmallVector<Tensor> arguments;
  for (Value input : op.getInputs()) {
    FailureOr<Tensor> tensor = get(op, input, values);
    if (failed(tensor))
      return failure();
    arguments.push_back(std::move(*tensor));
  }
  ++depth;
  FailureOr<SmallVector<Tensor>> results = runFunction(callee, arguments);
  --depth;
  if (failed(results))
    return failure();
  for (auto [result, tensor] : llvm::zip_equal(op.getOutputs(), *results))
    values[result] = tensor;
  return success();
}

LogicalResult TcpInterpreter::move(Operation *op, Values &values) {
  FailureOr<Tensor> tensor = get(op, op->getOperand(0), values);
  if (failed(tensor))
    return failure();
  return define(op->getResult(0), *tensor, values);
}

LogicalResult TcpInterpreter::run(tcp::CastOp op, Values &values) {
  FailureOr<Tensor> tensor = get(op, op.getInput(), values);
  if (failed(tensor))
    return failure();
  return define(
      op.getResult(),
      narrow(*tensor, *tcp::getElementKind(op.getElementType()), rules),
      values);
}

LogicalResult TcpInterpreter::run(tcp::ToHbmOp op, Values &values) {
  if (!isa<tcp::HostType>(op.getInput().getType()))
    return move(op, values);
  FailureOr<Tensor> tensor = get(op, op.getInput(), values);
  FailureOr<Layout> to =
      getLayout(op, op.getResult().getType(), /*maySlide=*/true);
  if (failed(tensor) || failed(to))
    return failure();
  if (to->slides)
    return define(op.getResult(), *tensor, values);
  // Chips along an axis that the host array does not have hold the same.
  Space &space = *to->space;
  FailureOr<Digits> host = read(
      op, space, cast<tcp::HostType>(op.getInput().getType()).getElement());
  if (failed(host))
    return failure();
  std::vector<uint8_t> repeated = space.spokenOf(to->mappings.front());
  std::vector<uint8_t> inHost = space.spokenOf(*host),
                       inBuffer = space.spokenOf(to->mappings.back());
  repeated.resize(space.axisCount());
  for (int axis = 0; axis < space.axisCount(); ++axis)
    repeated[axis] &= !inHost[axis] && !inBuffer[axis];
  llvm::Expected<Tensor> filled =
      fillWithZeros(space, *tensor, to->mappings, repeated);
  if (!filled)
    return op.emitOpError() << llvm::toString(filled.takeError());
  return define(op.getResult(), *filled, values);
}

LogicalResult TcpInterpreter::run(tcp::ToHostOp op, Values &values) {
  if (failed(move(op, values)))
    return failure();
  const std::optional<Index> &undefined = values[op.getResult()].undefined;
  if (!undefined)
    return success();
  auto axes = cast<tcp::HostType>(op.getResult().getType()).getAxes();
  return op.emitOpError() << "reads index "
                          << getSpace(axes)->describe(*undefined)
                          << ", which its operand does not hold: nobody has "
                             "written it or what it is computed from";
}

LogicalResult TcpInterpreter::runOp(Operation *op, Values &values) {
  return TypeSwitch<Operation *, LogicalResult>(op)
      // Another place, the same tensor.
      .Case<tcp::ToDmOp, tcp::ToSpmOp, tcp::BeginOp, tcp::SwitchOp,
            tcp::CollectOp, tcp::TransposeOp, tcp::ToTrfOp, tcp::ToVrfOp,
            tcp::AlignOp, tcp::CommitOp, tcp::VectorInitOp, tcp::VectorFinalOp>(
          [&](auto) { return move(op, values); })
      // The sum needs all three; tcp.accumulate computes it.
      .Case([&](tcp::ContractOp) { return success(); })
      .Case([&](tcp::VectorInterSliceReduceOp typed) {
        return run(typed, values);
      })
      .Case([&](tcp::VectorIntraSliceReduceOp typed) {
        return run(typed, values);
      })
      .Case<tcp::LaunchOp, tcp::ToHbmOp, tcp::ToHostOp, tcp::BeginInterleavedOp,
            tcp::FetchOp, tcp::CastOp, tcp::AccumulateOp>(
          [&](auto typed) { return run(typed, values); })
      .Case<tcp::CommitPackedOp, tcp::ItosOp>(
          [&](auto typed) { return run(typed, values); })
      .Case<tcp::ChipShuffleOp, tcp::GatherOp, tcp::ScatterOp>(
          [&](auto typed) { return run(typed, values); })
      .Case<tcp::ViewOp, tcp::ToHbmViewOp, tcp::ConstantOp>(
          [&](auto typed) { return run(typed, values); })
      .Case<scf::ForOp, tcp::FromAddressOp, tcp::TileOp, tcp::CommitViewOp,
            tcp::BitcastOp>([&](auto typed) { return run(typed, values); })
      .Case<tcp::VectorSplitOp, tcp::VectorTrimWay4Op, tcp::VectorConcatOp,
            tcp::VectorPadWay8Op>(
          [&](auto typed) { return moveVector(typed, values); })
      .Case<tcp::VectorIntraSliceBranchOp, tcp::VectorBranchLogOp,
            tcp::VectorIntraSliceUnzipOp, tcp::VectorStashOp,
            tcp::VectorReinterpretOp, tcp::VectorLogicOp, tcp::VectorLogicZipOp,
            tcp::VectorFxpOp, tcp::VectorFxpZipOp, tcp::VectorFxpToFpOp,
            tcp::VectorFpUnaryOp, tcp::VectorFpBinaryOp, tcp::VectorFpTernaryOp,
            tcp::VectorFpZipOp, tcp::VectorFpDivOp, tcp::VectorFpToFxpOp,
            tcp::VectorClipOp, tcp::VectorClipZipOp, tcp::VectorFilterOp>(
          [&](auto typed) { return run(typed, values); })
      .Default([&](Operation *other) -> LogicalResult {
        if (other->getNumResults() > 0 && other->getNumRegions() == 0 &&
            llvm::all_of(other->getResultTypes(),
                         [](Type type) { return type.isIntOrIndex(); }))
          return compute(other);
        return other->emitOpError()
               << "is not supported by the reference interpreter";
      });
}

FailureOr<SmallVector<Tensor>>
TcpInterpreter::runFunction(func::FuncOp function, ArrayRef<Tensor> arguments) {
  if (!function.getBody().hasOneBlock())
    return function.emitError()
           << "function '" << function.getName() << "' has more than one block";
  Values values;
  for (auto [argument, tensor] :
       llvm::zip_equal(function.getArguments(), arguments))
    values[argument] = tensor;
  Block &body = function.getBody().front();
  auto returnOp = dyn_cast<func::ReturnOp>(body.getTerminator());
  if (!returnOp)
    return function.emitError()
           << "function '" << function.getName() << "' does not return";
  if (failed(runBlock(body, values)))
    return failure();
  SmallVector<Tensor> results;
  for (Value operand : returnOp.getOperands()) {
    FailureOr<Tensor> tensor = get(returnOp, operand, values);
    if (failed(tensor))
      return failure();
    results.push_back(std::move(*tensor));
  }
  return results;
}

LogicalResult TcpInterpreter::runBlock(Block &block, Values &values) {
  for (Operation &op : block.without_terminator())
    if (interrupted() || failed(runOp(&op, values)))
      return failure();
  return success();
}

FailureOr<std::vector<Array>> TcpInterpreter::runHost(func::FuncOp function,
                                                      ArrayRef<Array> inputs) {
  if (function.getNumArguments() != inputs.size())
    return function.emitError() << "function '" << function.getName()
                                << "' takes " << function.getNumArguments()
                                << " arguments, given " << inputs.size();
  SmallVector<Tensor> arguments;
  for (auto [type, array] :
       llvm::zip_equal(function.getArgumentTypes(), inputs)) {
    auto host = dyn_cast<tcp::HostType>(type);
    if (!host)
      return function.emitError()
             << "argument of function '" << function.getName() << "' has type "
             << type << ", expected a !tcp.host tensor";
    FailureOr<Tensor> tensor = fromHost(function, host, array);
    if (failed(tensor))
      return failure();
    arguments.push_back(std::move(*tensor));
  }
  FailureOr<SmallVector<Tensor>> results = runFunction(function, arguments);
  if (failed(results))
    return failure();
  std::vector<Array> arrays;
  for (auto [type, tensor] :
       llvm::zip_equal(function.getResultTypes(), *results)) {
    auto host = dyn_cast<tcp::HostType>(type);
    if (!host)
      return function.emitError()
             << "result of function '" << function.getName() << "' has type "
             << type << ", expected a !tcp.host tensor";
    FailureOr<Array> array = toHost(function, host, tensor);
    if (failed(array))
      return failure();
    arrays.push_back(std::move(*array));
  }
  return arrays;
}

FailureOr<std::vector<Array>>
sequin::reference::interpretTcp(ModuleOp module, StringRef entry,
                                ArrayRef<Array> inputs, bool flushSubnormals) {
  auto function = module.lookupSymbol<func::FuncOp>(entry);
  if (!function || function.isExternal())
    return module.emitError()
           << "no function '" << entry << "' with a body in this module";
  tcp::TargetAttr target = tcp::getTarget(module);
  if (!target)
    return failure();
  FloatEnvironment environment(flushSubnormals);
  return TcpInterpreter(module, target.getRow()->arithmetic)
      .runHost(function, inputs);
}
