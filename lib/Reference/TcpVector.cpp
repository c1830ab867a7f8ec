//===- TcpVector.cpp - The vector engine in tcp programs ------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stream inside the intra-slice block is a tensor with what goes along with
// it: the ExecutionId of every index, the stash, and in two-group mode the
// tensor of the second group. Only the operand register and the filter depend
// on where elements are in the stream.
//
//===----------------------------------------------------------------------===//

#include "TcpInterpreter.h"
#include "sequin/Dialect/Tcp/IR/TcpVectorOperands.h"
#include "sequin/Support/Arithmetic.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::reference;

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

static Tensor constantTensor(ElementType type, uint32_t bits) {
  Tensor tensor;
  tensor.type = type;
  tensor.bits = std::make_shared<std::vector<uint32_t>>(1, bits);
  return tensor;
}

static uint32_t bitsOf(Attribute constant) {
  if (auto number = dyn_cast<FloatAttr>(constant))
    return static_cast<uint32_t>(
        number.getValue().bitcastToAPInt().getZExtValue());
  return static_cast<uint32_t>(
      cast<IntegerAttr>(constant).getValue().getZExtValue());
}

/// `tensor` at one coordinate of an axis.
static Tensor restrict(const Space &space, const Tensor &tensor, int axis,
                       int64_t coordinate) {
  if (!llvm::is_contained(tensor.axes, axis))
    return tensor;
  Tensor result;
  result.type = tensor.type;
  for (int other : tensor.axes)
    if (other != axis)
      result.axes.push_back(other);
  int64_t count = result.count(space);
  auto bits = std::make_shared<std::vector<uint32_t>>(count);
  auto present = std::make_shared<std::vector<uint8_t>>(count, true);
  Index index(space.axisCount());
  for (int64_t offset = 0; offset < count; ++offset) {
    index[axis] = coordinate;
    int64_t from = tensor.offsetOf(space, index);
    (*bits)[offset] = (*tensor.bits)[from];
    if (tensor.present)
      (*present)[offset] = (*tensor.present)[from];
    for (int other : llvm::reverse(result.axes)) {
      if (++index[other] < space.size(other))
        break;
      index[other] = 0;
    }
  }
  result.bits = std::move(bits);
  if (tensor.present)
    result.present = std::move(present);
  return result;
}

/// The ExecutionIds of a comparison branch: bit i is comparison i (SIL-34).
static uint32_t compareBits(ArrayAttr comparisons, bool isFloat,
                            uint32_t bits) {
  uint32_t id = 0;
  for (auto [bit, attr] : llvm::enumerate(comparisons)) {
    auto comparison = cast<tcp::InputCmpAttr>(attr);
    if (comparison.getCompare() == tcp::InputCompare::Never)
      continue;
    uint32_t limit = bitsOf(comparison.getConstant());
    auto holds = [&](auto x, auto y) {
      switch (comparison.getCompare()) {
      case tcp::InputCompare::Never:
        return false;
      case tcp::InputCompare::Less:
        return x < y;
      case tcp::InputCompare::LessEqual:
        return x <= y;
      case tcp::InputCompare::Equal:
        return x == y;
      case tcp::InputCompare::NotEqual:
        return x != y;
      case tcp::InputCompare::GreaterEqual:
        return x >= y;
      case tcp::InputCompare::Greater:
        return x > y;
      case tcp::InputCompare::LessUnsigned:
        return bits < limit;
      case tcp::InputCompare::GreaterUnsigned:
        return bits > limit;
      }
      return false;
    };
    bool result = isFloat ? holds(decodeFloat(ElementType::F32, bits),
                                  decodeFloat(ElementType::F32, limit))
                          : holds(static_cast<int32_t>(bits),
                                  static_cast<int32_t>(limit));
    id |= static_cast<uint32_t>(result) << bit;
  }
  return id;
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

namespace {
/// Where the elements of a stream are: slice by slice, in the order of time and
/// packet.
class StreamWalk {
public:
  StreamWalk(const Space &space, ArrayRef<Digits> mappings)
      : space(space), spoken(space.spokenOf(mappings)) {
    for (const Digits &digits : mappings)
      tables.emplace_back(digits);
  }

  int64_t slices() const {
    return tables[0].size * tables[1].size * tables[2].size;
  }
  int64_t steps() const { return tables[tables.size() - 2].size; }
  int64_t lanes() const { return tables.back().size; }

  /// The index there; std::nullopt for padding.
  std::optional<Index> at(int64_t slice, int64_t step, int64_t lane) const {
    SmallVector<int64_t, 8> sums(space.baseCount());
    int64_t positions[5];
    positions[2] = slice % tables[2].size;
    positions[1] = slice / tables[2].size % tables[1].size;
    positions[0] = slice / tables[2].size / tables[1].size;
    positions[3] = step;
    positions[4] = lane;
    for (auto [table, position] : llvm::zip(tables, positions)) {
      if (!table.valid[position])
        return std::nullopt;
      table.addTo(sums, position);
    }
    return space.resolve(sums, spoken);
  }

private:
  const Space &space;
  std::vector<uint8_t> spoken;
  std::vector<Table> tables; ///< chip, cluster, slice, time, packet
};
} // namespace

/// An empty tensor over the axes that mappings speak of and `others`.
static Tensor emptyTensor(const Space &space, ArrayRef<Digits> mappings,
                          ElementType type, ArrayRef<int> others = {}) {
  Tensor tensor;
  tensor.type = type;
  std::vector<uint8_t> spoken = space.spokenOf(mappings);
  for (int axis = 0; axis < space.axisCount(); ++axis)
    if (spoken[axis] || llvm::is_contained(others, axis))
      tensor.axes.push_back(axis);
  return tensor;
}

/// An operation whose operand is what it computed for the packet before, lane
/// by lane; zero at the start.
static Tensor runWithRegister(const Space &space, ArrayRef<Digits> mappings,
                              ElementFunction operation,
                              ArrayRef<const Tensor *> arguments,
                              const Tensor &stream, const Condition &condition,
                              uint16_t written) {
  StreamWalk walk(space, mappings);
  Tensor result = emptyTensor(space, mappings, stream.type);
  int64_t count = result.count(space);
  auto bits = std::make_shared<std::vector<uint32_t>>(count);
  auto present = std::make_shared<std::vector<uint8_t>>(count);
  for (int64_t slice = 0; slice < walk.slices(); ++slice)
    for (int64_t lane = 0; lane < walk.lanes(); ++lane) {
      uint32_t kept = 0;
      bool keptIsDefined = true;
      for (int64_t step = 0; step < walk.steps(); ++step) {
        std::optional<Index> index = walk.at(slice, step, lane);
        if (!index)
          continue;
        bool defined = true;
        auto read = [&](const Tensor &tensor) {
          int64_t at = tensor.offsetOf(space, *index);
          defined &= tensor.holds(at);
          return (*tensor.bits)[at];
        };
        uint32_t id = condition.ids ? read(*condition.ids) : 0;
        bool idIsDefined = defined;
        uint32_t value = read(stream);
        if (condition.holds(id)) {
          uint32_t values[3] = {};
          for (auto [argument, to] : llvm::zip(arguments, values)) {
            to = argument ? read(*argument) : kept;
            defined &= argument || keptIsDefined;
          }
          value = operation(values[0], values[1], values[2]);
        }
        if (!idIsDefined && written) {
          keptIsDefined = false;
        } else if (written >> id & 1) {
          kept = value;
          keptIsDefined = defined;
        }
        int64_t offset = result.offsetOf(space, *index);
        (*bits)[offset] = value;
        (*present)[offset] = defined;
      }
    }
  result.bits = std::move(bits);
  result.present = std::move(present);
  return result;
}

//===----------------------------------------------------------------------===//
// The interpreter
//===----------------------------------------------------------------------===//

LogicalResult TcpInterpreter::defineVector(Operation *op, const Tensor &tensor,
                                           VectorState state, Values &values) {
  if (failed(define(op->getResult(0), tensor, values)))
    return failure();
  vectorStates[op->getResult(0)] = std::move(state);
  return success();
}

/// The second group, placed as the first.
LogicalResult TcpInterpreter::definePair(Operation *op, const Tensor &first,
                                         const Tensor &second,
                                         VectorState state, Values &values) {
  Value result = op->getResult(0);
  if (failed(define(result, second, values)))
    return failure();
  state.second = values[result];
  return defineVector(op, first, std::move(state), values);
}

/// What an operation does to each group alone.
LogicalResult TcpInterpreter::eachGroup(
    Operation *op, Values &values,
    llvm::function_ref<FailureOr<Tensor>(const Tensor &, int group)> compute) {
  FailureOr<Tensor> first = get(op, op->getOperand(0), values);
  if (failed(first))
    return failure();
  VectorState state = vectorStates.lookup(op->getOperand(0));
  FailureOr<Tensor> result = compute(*first, 0);
  if (failed(result))
    return failure();
  if (!state.second)
    return defineVector(op, *result, std::move(state), values);
  FailureOr<Tensor> second = compute(*state.second, 1);
  if (failed(second))
    return failure();
  return definePair(op, *result, *second, std::move(state), values);
}

LogicalResult TcpInterpreter::moveVector(Operation *op, Values &values) {
  return eachGroup(op, values, [](const Tensor &tensor, int) {
    return FailureOr<Tensor>(tensor);
  });
}

FailureOr<Tensor> TcpInterpreter::readVrf(Operation *op, Value vrf,
                                          Values &values) {
  FailureOr<Tensor> tensor = get(op, vrf, values);
  FailureOr<Layout> in = getLayout(op, op->getOperand(0).getType());
  if (failed(tensor) || failed(in))
    return failure();
  // Read by axis names over time and packet (SIL-32).
  llvm::Expected<Tensor> paired = place(*in->space, *tensor, in->mappings);
  if (!paired)
    return op->emitOpError() << "VRF: " << llvm::toString(paired.takeError());
  return std::move(*paired);
}

LogicalResult TcpInterpreter::run(tcp::VectorIntraSliceBranchOp op,
                                  Values &values) {
  FailureOr<Tensor> stream = get(op, op.getInput(), values);
  FailureOr<Layout> in = getLayout(op, op.getInput().getType());
  if (failed(stream) || failed(in))
    return failure();
  const Space &space = *in->space;
  VectorState state;
  switch (op.getMode()) {
  case tcp::BranchMode::Unconditional:
  case tcp::BranchMode::ValidCount:
    // What a tensor holds is data.
    break;
  case tcp::BranchMode::AxisToggle: {
    Tensor ids;
    ids.type = ElementType::I4;
    for (int axis = 0; axis < space.axisCount(); ++axis)
      if (space.axisName(axis) == op.getAxisAttr().getValue())
        ids.axes.push_back(axis);
    std::vector<uint32_t> bits(ids.count(space));
    for (size_t i = 0; i < bits.size(); ++i)
      bits[i] = i % 2;
    ids.bits = std::make_shared<std::vector<uint32_t>>(std::move(bits));
    state.ids = std::move(ids);
    break;
  }
  case tcp::BranchMode::Comparison: {
    Tensor ids = *stream;
    ids.type = ElementType::I4;
    std::vector<uint32_t> bits;
    for (uint32_t element : *stream->bits)
      bits.push_back(
          compareBits(op.getComparisonsAttr(), isFloat(stream->type), element));
    ids.bits = std::make_shared<std::vector<uint32_t>>(std::move(bits));
    state.ids = std::move(ids);
    break;
  }
  case tcp::BranchMode::Vrf: {
    FailureOr<Tensor> ids = readVrf(op, op.getIds(), values);
    if (failed(ids))
      return failure();
    // Signed when they came as i4 data: the four bits count.
    std::vector<uint32_t> bits;
    for (uint32_t id : *ids->bits)
      bits.push_back(id & 0xf);
    ids->bits = std::make_shared<std::vector<uint32_t>>(std::move(bits));
    state.ids = std::move(*ids);
    break;
  }
  }
  return defineVector(op, *stream, std::move(state), values);
}

LogicalResult TcpInterpreter::run(tcp::VectorBranchLogOp op, Values &values) {
  if (failed(moveVector(op, values)))
    return failure();
  const VectorState &state = vectorStates[op.getResult()];
  return define(op.getIds(),
                state.ids ? *state.ids : constantTensor(ElementType::I4, 0),
                values);
}

LogicalResult TcpInterpreter::run(tcp::VectorIntraSliceUnzipOp op,
                                  Values &values) {
  FailureOr<Tensor> stream = get(op, op.getInput(), values);
  FailureOr<Layout> in = getLayout(op, op.getInput().getType());
  if (failed(stream) || failed(in))
    return failure();
  const Space &space = *in->space;
  for (int axis = 0; axis < space.axisCount(); ++axis)
    if (space.axisName(axis) == op.getAxis())
      return definePair(op, restrict(space, *stream, axis, 0),
                        restrict(space, *stream, axis, 1), {}, values);
  return op.emitOpError() << "unzips an axis that does not exist";
}

LogicalResult TcpInterpreter::run(tcp::VectorStashOp op, Values &values) {
  if (failed(moveVector(op, values)))
    return failure();
  vectorStates[op.getResult()].stash = values[op.getResult()];
  return success();
}

LogicalResult TcpInterpreter::run(tcp::VectorReinterpretOp op, Values &values) {
  return eachGroup(op, values, [](const Tensor &tensor, int) {
    Tensor other = tensor;
    other.type = isFloat(tensor.type) ? ElementType::I32 : ElementType::F32;
    return FailureOr<Tensor>(std::move(other));
  });
}

LogicalResult TcpInterpreter::compute(Operation *op, StringRef name,
                                      tcp::ArgMode mode,
                                      ArrayRef<tcp::VectorOperand> operands,
                                      uint16_t active, uint16_t written,
                                      Values &values) {
  auto type = cast<tcp::StreamType>(op->getOperand(0).getType());
  std::optional<ElementFunction> operation =
      parseOperation(name, type.getElementType().isF32(), rules);
  if (!operation)
    return op->emitOpError()
           << name << " is not known to the reference interpreter";
  FailureOr<Layout> in = getLayout(op, type);
  if (failed(in))
    return failure();
  const VectorState state = vectorStates.lookup(op->getOperand(0));
  Condition condition{state.ids ? &*state.ids : nullptr, active};
  size_t perGroup = operands.size() / (state.second ? 2 : 1);
  return eachGroup(
      op, values, [&](const Tensor &stream, int group) -> FailureOr<Tensor> {
        ArrayRef<tcp::VectorOperand> own =
            operands.slice(group * perGroup, perGroup);
        if (!own.empty() && own[0].kind == tcp::VectorOperand::Kind::Skip)
          return stream;
        std::vector<Tensor> read(own.size());
        bool feedsBack = written != 0;
        for (auto [operand, tensor] : llvm::zip_equal(own, read)) {
          switch (operand.kind) {
          case tcp::VectorOperand::Kind::Constant:
            tensor = constantTensor(stream.type, bitsOf(operand.constant));
            break;
          case tcp::VectorOperand::Kind::Vrf: {
            FailureOr<Tensor> vrf = readVrf(op, operand.vrf, values);
            if (failed(vrf))
              return failure();
            tensor = std::move(*vrf);
            break;
          }
          case tcp::VectorOperand::Kind::Stash:
            if (!state.stash)
              return op->emitOpError() << "reads an empty stash";
            tensor = *state.stash;
            break;
          case tcp::VectorOperand::Kind::Register:
            feedsBack = true;
            break;
          case tcp::VectorOperand::Kind::Skip:
            break;
          }
        }
        SmallVector<const Tensor *, 3> arguments;
        for (char digit : tcp::getDigits(mode)) {
          size_t source = digit - '0';
          bool isRegister =
              source > 0 &&
              own[source - 1].kind == tcp::VectorOperand::Kind::Register;
          arguments.push_back(source == 0  ? &stream
                              : isRegister ? nullptr
                                           : &read[source - 1]);
        }
        if (feedsBack)
          return runWithRegister(*in->space, in->mappings, *operation,
                                 arguments, stream, condition, written);
        return evaluate(*in->space, *operation, arguments, stream, condition);
      });
}

template <typename OpTy>
LogicalResult TcpInterpreter::runOperands(OpTy op, StringRef name,
                                          Values &values) {
  auto written = op.getWriteOperandAttr();
  return compute(op, name, op.getMode(),
                 tcp::readOperands(op.getSourcesAttr(), op.getVrfs()),
                 tcp::getIds(op.getGroupAttr(), op.getBranchAttr()),
                 written ? tcp::getIds({}, written) : 0, values);
}

LogicalResult TcpInterpreter::run(tcp::VectorLogicOp op, Values &values) {
  return runOperands(op, stringifyLogicOp(op.getOp()), values);
}

LogicalResult TcpInterpreter::run(tcp::VectorFxpOp op, Values &values) {
  return runOperands(op, stringifyFxpOp(op.getOp()), values);
}

LogicalResult TcpInterpreter::run(tcp::VectorFpBinaryOp op, Values &values) {
  return runOperands(op, stringifyFpBinaryOp(op.getOp()), values);
}

LogicalResult TcpInterpreter::run(tcp::VectorFpTernaryOp op, Values &values) {
  return runOperands(op, stringifyFpTernaryOp(op.getOp()), values);
}

LogicalResult TcpInterpreter::run(tcp::VectorFpDivOp op, Values &values) {
  return runOperands(op, stringifyFpDivOp(op.getOp()), values);
}

LogicalResult TcpInterpreter::run(tcp::VectorClipOp op, Values &values) {
  return runOperands(op, stringifyClipOp(op.getOp()), values);
}

LogicalResult TcpInterpreter::run(tcp::VectorFpUnaryOp op, Values &values) {
  SmallVector<tcp::VectorOperand, 2> operands =
      tcp::readOperands(op.getSourcesAttr(), op.getVrfs());
  if (auto groups = op.getGroupsAttr()) {
    // A group that is left out skips whatever operand there is.
    operands.resize(
        2, tcp::VectorOperand{tcp::VectorOperand::Kind::Constant,
                              Builder(op.getContext()).getF32FloatAttr(0),
                              {}});
    for (int group : {0, 1})
      if (!groups[group])
        operands[group].kind = tcp::VectorOperand::Kind::Skip;
  }
  return compute(op, stringifyFpUnaryOp(op.getOp()), op.getMode(), operands,
                 tcp::getIds(op.getGroupAttr(), op.getBranchAttr()), 0, values);
}

LogicalResult TcpInterpreter::zip(Operation *op, StringRef name,
                                  tcp::ArgMode mode, Values &values) {
  FailureOr<Tensor> first = get(op, op->getOperand(0), values);
  FailureOr<Layout> in = getLayout(op, op->getOperand(0).getType());
  if (failed(first) || failed(in))
    return failure();
  VectorState state = vectorStates.lookup(op->getOperand(0));
  std::optional<ElementFunction> operation =
      parseOperation(name, isFloat(first->type), rules);
  if (!state.second || !operation)
    return op->emitOpError() << "cannot join its groups with " << name;
  SmallVector<const Tensor *, 2> arguments;
  for (char digit : tcp::getDigits(mode))
    arguments.push_back(digit == '0' ? &*first : &*state.second);
  return defineVector(
      op, evaluate(*in->space, *operation, arguments, *first, Condition()), {},
      values);
}

LogicalResult TcpInterpreter::run(tcp::VectorLogicZipOp op, Values &values) {
  return zip(op, stringifyLogicOp(op.getOp()), op.getMode(), values);
}
LogicalResult TcpInterpreter::run(tcp::VectorFxpZipOp op, Values &values) {
  return zip(op, stringifyFxpOp(op.getOp()), op.getMode(), values);
}
LogicalResult TcpInterpreter::run(tcp::VectorFpZipOp op, Values &values) {
  return zip(op, stringifyFpBinaryOp(op.getOp()), op.getMode(), values);
}
LogicalResult TcpInterpreter::run(tcp::VectorClipZipOp op, Values &values) {
  return zip(op, stringifyClipOp(op.getOp()), op.getMode(), values);
}

LogicalResult TcpInterpreter::run(tcp::VectorFxpToFpOp op, Values &values) {
  return eachGroup(op, values, [&](const Tensor &tensor, int) {
    return FailureOr<Tensor>(fxpToFloat(tensor, op.getIntWidth()));
  });
}

LogicalResult TcpInterpreter::run(tcp::VectorFpToFxpOp op, Values &values) {
  return eachGroup(op, values, [&](const Tensor &tensor, int) {
    return FailureOr<Tensor>(floatToFxp(tensor, op.getIntWidth(), rules));
  });
}

LogicalResult TcpInterpreter::run(tcp::VectorFilterOp op, Values &values) {
  FailureOr<Tensor> stream = get(op, op.getInput(), values);
  FailureOr<Layout> in = getLayout(op, op.getInput().getType());
  FailureOr<Layout> out = getLayout(op, op.getResult().getType());
  if (failed(stream) || failed(in) || failed(out))
    return failure();
  const Space &space = *in->space;
  const VectorState state = vectorStates.lookup(op.getInput());
  Condition condition{state.ids ? &*state.ids : nullptr,
                      tcp::getIds(op.getGroupAttr(), op.getBranchAttr())};
  StreamWalk from(space, in->mappings), to(space, out->mappings);
  // What is behind the kept elements is what fresh memory holds.
  tcp::TargetAttr target = tcp::getTarget(op->getParentOfType<ModuleOp>());
  if (!target)
    return failure();
  uint32_t noValue = 0x01010101u * target.getRow()->poisonByte;

  Tensor result = emptyTensor(space, out->mappings, stream->type);
  std::vector<uint32_t> bits(result.count(space), noValue);
  std::vector<uint8_t> present(bits.size(), true);
  for (int64_t slice = 0; slice < from.slices(); ++slice) {
    int64_t kept = 0;
    for (int64_t i = 0; i < from.steps() * from.lanes(); ++i) {
      std::optional<Index> index =
          from.at(slice, i / from.lanes(), i % from.lanes());
      if (!index)
        continue;
      if (condition.ids) {
        int64_t at = condition.ids->offsetOf(space, *index);
        if (!condition.ids->holds(at))
          return op.emitOpError()
                 << "decides about index " << space.describe(*index)
                 << " by an ExecutionId that is undefined";
        if (!condition.holds((*condition.ids->bits)[at]))
          continue;
      } else if (!condition.holds(0)) {
        continue;
      }
      if (kept == to.steps() * to.lanes())
        return op.emitOpError()
               << "keeps more than " << kept << " elements in slice " << slice;
      if (std::optional<Index> place =
              to.at(slice, kept / to.lanes(), kept % to.lanes())) {
        int64_t source = stream->offsetOf(space, *index);
        int64_t target = result.offsetOf(space, *place);
        bits[target] = (*stream->bits)[source];
        present[target] = stream->holds(source);
      }
      ++kept;
    }
  }
  result.bits = std::make_shared<std::vector<uint32_t>>(std::move(bits));
  if (llvm::is_contained(present, 0))
    result.present = std::make_shared<std::vector<uint8_t>>(std::move(present));
  return defineVector(op, result, {}, values);
}
