//===- TcpInterpreter.cpp - What tcp programs mean ------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contraction.h"
#include "Elementwise.h"
#include "Tensor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "sequin/Dialect/Tcp/IR/TcpDialect.h"
#include "sequin/Reference/Interpreter.h"
#include "sequin/Support/Arithmetic.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::reference;
using sequin::stream::AxesAttr;
using sequin::stream::MappingAttr;

namespace {

/// Runs functions; values of a function live as long as its call.
class TcpInterpreter {
public:
  explicit TcpInterpreter(ModuleOp module) : symbols(module) {}

  FailureOr<std::vector<Array>> runHost(func::FuncOp function,
                                        ArrayRef<Array> inputs);

private:
  using Values = llvm::DenseMap<Value, Tensor>;

  /// A tensor's place: its axes and the mappings of all its dimensions.
  struct Place {
    Space *space = nullptr;
    SmallVector<Digits, 6> mappings;
  };

  FailureOr<SmallVector<Tensor>> runFunction(func::FuncOp function,
                                             ArrayRef<Tensor> arguments);
  LogicalResult runOp(Operation *op, Values &values);
  LogicalResult runAccumulate(tcp::AccumulateOp op, Values &values);
  template <typename OpTy>
  LogicalResult runBinary(OpTy op, BinaryOperation operation, Values &values);
  LogicalResult runLaunch(tcp::LaunchOp op, Values &values);

  /// The value of `result` is `tensor` placed as the type of `result` says.
  LogicalResult define(Value result, const Tensor &tensor, Values &values);
  FailureOr<Tensor> get(Operation *op, Value value, const Values &values);

  Space *getSpace(AxesAttr axes);
  FailureOr<Place> getPlace(Operation *op, Type type);
  FailureOr<Digits> read(Operation *op, Space &space, MappingAttr mapping);

  FailureOr<Tensor> fromHost(Operation *op, tcp::HostType type,
                             const Array &array);
  FailureOr<Array> toHost(Operation *op, tcp::HostType type,
                          const Tensor &tensor);

  SymbolTable symbols;
  llvm::DenseMap<Attribute, std::unique_ptr<Space>> spaces;
  unsigned depth = 0;
};

} // namespace

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

Space *TcpInterpreter::getSpace(AxesAttr axes) {
  std::unique_ptr<Space> &space = spaces[axes];
  if (!space) {
    SmallVector<std::pair<std::string, int64_t>> named;
    for (auto [name, size] : llvm::zip(axes.getNames(), axes.getSizes()))
      named.emplace_back(name.str(), size);
    space = std::make_unique<Space>(named);
  }
  return space.get();
}

FailureOr<Digits> TcpInterpreter::read(Operation *op, Space &space,
                                       MappingAttr mapping) {
  llvm::Expected<Digits> digits = space.read(mapping.getText());
  if (digits)
    return std::move(*digits);
  return op->emitOpError() << llvm::toString(digits.takeError());
}

FailureOr<TcpInterpreter::Place> TcpInterpreter::getPlace(Operation *op,
                                                          Type type) {
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
      .Case([&](tcp::HbmType hbm) {
        axes = hbm.getAxes();
        mappings = {hbm.getChip(), hbm.getElement()};
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
  Place place;
  place.space = getSpace(axes);
  for (MappingAttr mapping : mappings) {
    FailureOr<Digits> digits = read(op, *place.space, mapping);
    if (failed(digits))
      return failure();
    place.mappings.push_back(std::move(*digits));
  }
  return place;
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
  FailureOr<Place> to = getPlace(op, result.getType());
  if (failed(to))
    return failure();
  llvm::Expected<Tensor> placed = place(*to->space, tensor, to->mappings);
  if (!placed)
    return op->emitOpError() << llvm::toString(placed.takeError());
  values[result] = std::move(*placed);
  return success();
}

//===----------------------------------------------------------------------===//
// Host arrays
//===----------------------------------------------------------------------===//

/// Element `i` of an array: sub-byte elements take a byte each.
static uint32_t loadHost(const Array &array, int64_t i) {
  if (getBitWidth(array.type) < 8)
    return array.data[i] & ((1u << getBitWidth(array.type)) - 1);
  return loadElement(array.type, array.data.data(), i);
}

static void storeHost(Array &array, int64_t i, uint32_t bits) {
  if (getBitWidth(array.type) < 8)
    array.data[i] = static_cast<uint8_t>(decodeInt(array.type, bits));
  else
    storeElement(array.type, array.data.data(), i, bits);
}

static int64_t hostBytes(ElementType type, int64_t count) {
  return getBitWidth(type) < 8 ? count : getByteSize(type, count);
}

FailureOr<Tensor> TcpInterpreter::fromHost(Operation *op, tcp::HostType type,
                                           const Array &array) {
  FailureOr<Place> from = getPlace(op, type);
  if (failed(from))
    return failure();
  Space &space = *from->space;
  const Digits &digits = from->mappings.front();
  int64_t size = sizeOf(digits);
  ElementType kind = *tcp::getElementKind(type.getElementType());
  int64_t count = 1;
  for (int64_t dimension : array.shape)
    count *= dimension;
  if (array.type != kind || count != size ||
      static_cast<int64_t>(array.data.size()) != hostBytes(kind, size))
    return op->emitError() << "an input array has " << count << " elements of "
                           << getName(array.type) << ", expected " << size
                           << " of " << type.getElementType();

  Tensor tensor;
  tensor.type = kind;
  std::vector<uint8_t> spoken = space.spokenOf(digits);
  for (int axis = 0; axis < space.axisCount(); ++axis)
    if (spoken[axis])
      tensor.axes.push_back(axis);
  if (tensor.count(space) > kLargestTensor || size > kLargestTensor)
    return op->emitError() << "an input array is too large for the reference "
                              "interpreter";
  auto bits = std::make_shared<std::vector<uint32_t>>(tensor.count(space));
  auto present = std::make_shared<std::vector<uint8_t>>(bits->size());
  Table table(digits);
  std::vector<int64_t> sums(space.baseCount());
  for (int64_t position = 0; position < size; ++position) {
    if (!table.valid[position])
      continue;
    std::fill(sums.begin(), sums.end(), 0);
    table.addTo(sums, position);
    if (std::optional<Index> index = space.resolve(sums, spoken)) {
      int64_t to = tensor.offsetOf(space, *index);
      (*bits)[to] = loadHost(array, position);
      (*present)[to] = true;
    }
  }
  tensor.bits = std::move(bits);
  if (!llvm::all_of(*present, [](uint8_t p) { return p; }))
    tensor.present = std::move(present);
  return tensor;
}

FailureOr<Array> TcpInterpreter::toHost(Operation *op, tcp::HostType type,
                                        const Tensor &tensor) {
  FailureOr<Place> to = getPlace(op, type);
  if (failed(to))
    return failure();
  Space &space = *to->space;
  llvm::Expected<std::vector<Digits>> terms =
      space.readTerms(type.getElement().getText());
  if (!terms)
    return op->emitError() << llvm::toString(terms.takeError());
  Array array;
  array.type = tensor.type;
  for (const Digits &term : *terms)
    array.shape.push_back(sizeOf(term));
  const Digits &digits = to->mappings.front();
  int64_t size = sizeOf(digits);
  if (size > kLargestTensor)
    return op->emitError() << "a result is too large for the reference "
                              "interpreter";
  array.data.assign(hostBytes(array.type, size), 0);
  std::vector<uint8_t> spoken = space.spokenOf(digits);
  Table table(digits);
  std::vector<int64_t> sums(space.baseCount());
  array.padding.assign(size, true);
  for (int64_t position = 0; position < size; ++position) {
    if (!table.valid[position])
      continue;
    std::fill(sums.begin(), sums.end(), 0);
    table.addTo(sums, position);
    if (std::optional<Index> index = space.resolve(sums, spoken)) {
      storeHost(array, position,
                (*tensor.bits)[tensor.offsetOf(space, *index)]);
      array.padding[position] = false;
    }
  }
  if (!llvm::is_contained(array.padding, 1))
    array.padding.clear();
  return array;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

LogicalResult TcpInterpreter::runLaunch(tcp::LaunchOp op, Values &values) {
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

LogicalResult TcpInterpreter::runAccumulate(tcp::AccumulateOp op,
                                            Values &values) {
  auto contractOp = op.getInput().getDefiningOp<tcp::ContractOp>();
  auto alignOp = contractOp
                     ? contractOp.getInput().getDefiningOp<tcp::AlignOp>()
                     : nullptr;
  if (!alignOp)
    return op.emitOpError() << "is not preceded by tcp.align and tcp.contract";
  FailureOr<Tensor> stream = get(op, alignOp.getResult(), values);
  FailureOr<Tensor> weights = get(op, alignOp.getTrf(), values);
  auto aligned = cast<tcp::StreamType>(alignOp.getResult().getType());
  FailureOr<Place> in = getPlace(op, aligned);
  if (failed(stream) || failed(weights) || failed(in))
    return failure();
  Space &space = *in->space;
  FailureOr<Digits> kept = read(contractOp, space, contractOp.getPacket());
  FailureOr<Digits> outTime = read(op, space, op.getTime());
  if (failed(kept) || failed(outTime))
    return failure();

  // The stationary operand must hold every index the packets pair it with.
  llvm::Expected<Tensor> paired = place(space, *weights, in->mappings);
  if (!paired)
    return alignOp.emitOpError()
           << "TRF: " << llvm::toString(paired.takeError());

  ContractionShape shape;
  shape.grid.append(in->mappings.begin(), in->mappings.begin() + 3);
  shape.row = in->mappings[3];
  shape.time = in->mappings[4];
  shape.packet = in->mappings[5];
  shape.kept = std::move(*kept);
  shape.outTime = std::move(*outTime);
  shape.sequential = op.getKind() == tcp::AccumulationKind::Sequential;
  llvm::Expected<Tensor> sum = contract(space, shape, *stream, *paired);
  if (!sum)
    return op.emitOpError() << llvm::toString(sum.takeError());
  return define(op.getResult(), *sum, values);
}

template <typename OpTy>
LogicalResult TcpInterpreter::runBinary(OpTy op, BinaryOperation operation,
                                        Values &values) {
  FailureOr<Tensor> stream = get(op, op.getInput(), values);
  FailureOr<Place> in = getPlace(op, op.getInput().getType());
  if (failed(stream) || failed(in))
    return failure();
  Tensor operand;
  if (op.getVrf()) {
    FailureOr<Tensor> vrf = get(op, op.getVrf(), values);
    if (failed(vrf))
      return failure();
    // Read by axis names over time and packet (SIL-32).
    llvm::Expected<Tensor> paired = place(*in->space, *vrf, in->mappings);
    if (!paired)
      return op.emitOpError() << "VRF: " << llvm::toString(paired.takeError());
    operand = std::move(*paired);
  } else if (Attribute constant = op.getConstantAttr()) {
    uint32_t bits;
    if (auto number = dyn_cast<FloatAttr>(constant))
      bits = static_cast<uint32_t>(
          number.getValue().bitcastToAPInt().getZExtValue());
    else
      bits = static_cast<uint32_t>(
          cast<IntegerAttr>(constant).getValue().getZExtValue());
    operand.type = stream->type;
    operand.bits = std::make_shared<std::vector<uint32_t>>(1, bits);
  } else {
    return op.emitOpError() << "has no second operand";
  }
  bool swapped = op.getMode() == tcp::ArgMode::Mode10;
  return define(op.getResult(),
                combine(*in->space, operation, *stream, operand, swapped),
                values);
}

/// The operation of an enumerator, by its name: `Add` of the clip stage is the
/// float addition.
static FailureOr<BinaryOperation> lookUp(Operation *op, StringRef name,
                                         bool isFloat) {
  if (std::optional<BinaryOperation> operation =
          parseBinaryOperation(name, isFloat))
    return *operation;
  return op->emitOpError() << name
                           << " is not known to the reference interpreter";
}

LogicalResult TcpInterpreter::runOp(Operation *op, Values &values) {
  auto unary = [&](Value input, auto &&transform) -> LogicalResult {
    FailureOr<Tensor> tensor = get(op, input, values);
    if (failed(tensor))
      return failure();
    return define(op->getResult(0), transform(*tensor), values);
  };
  auto same = [](const Tensor &tensor) { return tensor; };
  auto toType = [](Type type) {
    return [type](const Tensor &tensor) {
      return convert(tensor, *tcp::getElementKind(type));
    };
  };
  auto binary = [&](auto typed, StringRef name) -> LogicalResult {
    auto stream = cast<tcp::StreamType>(typed.getInput().getType());
    FailureOr<BinaryOperation> operation =
        lookUp(op, name, stream.getElementType().isF32());
    if (failed(operation))
      return failure();
    return runBinary(typed, *operation, values);
  };

  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](tcp::ToHbmOp typed) -> LogicalResult {
        if (!isa<tcp::HostType>(typed.getInput().getType()))
          return unary(typed.getInput(), same);
        FailureOr<Tensor> tensor = get(op, typed.getInput(), values);
        FailureOr<Place> to = getPlace(op, typed.getResult().getType());
        if (failed(tensor) || failed(to))
          return failure();
        llvm::Expected<Tensor> filled =
            fillWithZeros(*to->space, *tensor, to->mappings);
        if (!filled)
          return typed.emitOpError() << llvm::toString(filled.takeError());
        return define(typed.getResult(), *filled, values);
      })
      // Another place, the same tensor.
      .Case<tcp::ToDmOp, tcp::ToHostOp, tcp::BeginOp, tcp::SwitchOp,
            tcp::CollectOp, tcp::ToTrfOp, tcp::ToVrfOp, tcp::AlignOp,
            tcp::CommitOp, tcp::VectorInitOp, tcp::VectorIntraSliceBranchOp,
            tcp::VectorSplitOp, tcp::VectorConcatOp, tcp::VectorFinalOp>(
          [&](auto typed) { return unary(typed->getOperand(0), same); })
      .Case<tcp::FetchOp, tcp::CastOp>([&](auto typed) {
        return unary(typed.getInput(), toType(typed.getElementType()));
      })
      .Case([&](tcp::VectorFxpToFpOp typed) {
        return unary(typed.getInput(), [&](const Tensor &tensor) {
          return fxpToFloat(tensor, typed.getIntWidth());
        });
      })
      .Case([&](tcp::VectorFpToFxpOp typed) {
        return unary(typed.getInput(), [&](const Tensor &tensor) {
          return floatToFxp(tensor, typed.getIntWidth());
        });
      })
      .Case<tcp::VectorFxpOp>([&](auto typed) {
        return binary(typed, stringifyFxpOp(typed.getOp()));
      })
      .Case<tcp::VectorFpBinaryOp>([&](auto typed) {
        return binary(typed, stringifyFpBinaryOp(typed.getOp()));
      })
      .Case<tcp::VectorClipOp>([&](auto typed) {
        return binary(typed, stringifyClipOp(typed.getOp()));
      })
      // The sum needs all three; tcp.accumulate computes it.
      .Case([&](tcp::ContractOp) { return success(); })
      .Case(
          [&](tcp::AccumulateOp typed) { return runAccumulate(typed, values); })
      .Case([&](tcp::LaunchOp typed) { return runLaunch(typed, values); })
      .Default([](Operation *other) {
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
  for (Operation &op : function.getBody().front()) {
    if (auto returnOp = dyn_cast<func::ReturnOp>(op)) {
      SmallVector<Tensor> results;
      for (Value operand : returnOp.getOperands()) {
        FailureOr<Tensor> tensor = get(&op, operand, values);
        if (failed(tensor))
          return failure();
        results.push_back(std::move(*tensor));
      }
      return results;
    }
    if (failed(runOp(&op, values)))
      return failure();
  }
  return function.emitError()
         << "function '" << function.getName() << "' does not return";
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
  FloatEnvironment environment(flushSubnormals);
  return TcpInterpreter(module).runHost(function, inputs);
}
