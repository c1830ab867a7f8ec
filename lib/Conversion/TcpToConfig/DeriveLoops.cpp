//===- DeriveLoops.cpp - Loops, indices and views -------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramDeriver.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "sequin/Dialect/Tcp/IR/TcpShapes.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::derivation;

//===----------------------------------------------------------------------===//
// Affine numbers
//===----------------------------------------------------------------------===//

void Affine::trim() {
  while (!perRound.empty() && perRound.back() == 0)
    perRound.pop_back();
}

std::optional<Affine> Affine::add(const Affine &a, const Affine &b) {
  Affine sum;
  sum.perRound.resize(std::max(a.perRound.size(), b.perRound.size()), 0);
  if (llvm::AddOverflow(a.base, b.base, sum.base))
    return std::nullopt;
  for (size_t i = 0; i < sum.perRound.size(); ++i)
    if (llvm::AddOverflow(i < a.perRound.size() ? a.perRound[i] : 0,
                          i < b.perRound.size() ? b.perRound[i] : 0,
                          sum.perRound[i]))
      return std::nullopt;
  sum.trim();
  return sum;
}

std::optional<Affine> Affine::times(int64_t factor) const {
  Affine product = *this;
  if (llvm::MulOverflow(base, factor, product.base))
    return std::nullopt;
  for (int64_t &step : product.perRound)
    if (llvm::MulOverflow(step, factor, step))
      return std::nullopt;
  product.trim();
  return product;
}

Affine Affine::atRound(unsigned loop, int64_t round) const {
  Affine result = *this;
  if (loop >= perRound.size())
    return result;
  result.base += perRound[loop] * round;
  result.perRound[loop] = 0;
  result.trim();
  return result;
}

std::optional<std::pair<int64_t, int64_t>>
Affine::getRange(ArrayRef<int64_t> counts) const {
  std::pair<int64_t, int64_t> range = {base, base};
  for (auto [step, count] : llvm::zip(perRound, counts)) {
    int64_t reach;
    int64_t &end = step < 0 ? range.first : range.second;
    if (llvm::MulOverflow(step, count - 1, reach) ||
        llvm::AddOverflow(end, reach, end))
      return std::nullopt;
  }
  return range;
}

Affine ProgramDeriver::addressOf(Value tensor) const {
  return {addresses.lookup(tensor), steps.lookup(tensor)};
}

void ProgramDeriver::setAddress(Value tensor, const Affine &address) {
  addresses[tensor] = address.base;
  if (address.isConstant())
    steps.erase(tensor);
  else
    steps[tensor] = address.perRound;
}

void ProgramDeriver::bind(Value to, Value from) {
  // Copies first: an insertion moves what the map holds.
  if (isa<IndexType>(to.getType())) {
    Affine index = indices.lookup(from);
    indices[to] = index;
    return;
  }
  setAddress(to, addressOf(from));
  if (auto found = hbmTensorOf.find(from); found != hbmTensorOf.end()) {
    size_t tensor = found->second;
    hbmTensorOf[to] = tensor;
  }
  SmallVector<int64_t> offsets = chipOffsets.lookup(from);
  if (offsets.empty())
    chipOffsets.erase(to);
  else
    chipOffsets[to] = std::move(offsets);
}

/// The result of an addition or a multiplication by a constant.
static std::optional<Affine> evaluate(Operation *op, const Affine &a,
                                      const Affine &b) {
  return TypeSwitch<Operation *, std::optional<Affine>>(op)
      .Case([&](arith::AddIOp) { return Affine::add(a, b); })
      .Case([&](arith::SubIOp) -> std::optional<Affine> {
        auto negative = b.times(-1);
        return negative ? Affine::add(a, *negative) : std::nullopt;
      })
      .Case([&](arith::MulIOp) -> std::optional<Affine> {
        if (!a.isConstant() && !b.isConstant())
          return std::nullopt;
        return a.isConstant() ? b.times(a.base) : a.times(b.base);
      })
      .Default([](Operation *) { return std::nullopt; });
}

LogicalResult ProgramDeriver::compute(Operation *op) {
  SmallVector<Attribute> operands;
  Builder builder(op->getContext());
  bool follows = false;
  for (Value operand : op->getOperands()) {
    auto found = indices.find(operand);
    follows |= found != indices.end() && !found->second.isConstant();
    operands.push_back(found == indices.end()
                           ? Attribute()
                           : builder.getIndexAttr(found->second.base));
  }
  if (follows) {
    if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op)) {
      Affine index = indices.lookup(op->getOperand(0));
      indices[op->getResult(0)] = index;
      return success();
    }
    std::optional<Affine> result;
    if (op->getNumOperands() == 2 && operands[0] && operands[1])
      result = evaluate(op, indices.lookup(op->getOperand(0)),
                        indices.lookup(op->getOperand(1)));
    if (!result)
      return failAffine();
    indices[op->getResult(0)] = *result;
    return success();
  }
  SmallVector<OpFoldResult> results;
  bool constant = succeeded(op->fold(operands, results)) &&
                  results.size() == op->getNumResults();
  for (unsigned i = 0; constant && i < results.size(); ++i) {
    if (auto number =
            dyn_cast_or_null<IntegerAttr>(dyn_cast<Attribute>(results[i])))
      indices[op->getResult(i)] = {number.getInt()};
    else if (auto value = dyn_cast<Value>(results[i]);
             value && indices.count(value))
      bind(op->getResult(i), value);
    else
      constant = false;
  }
  if (!constant)
    return op->emitOpError()
           << "cannot be evaluated: a kernel computes indices "
              "from constants and loop indices";
  return success();
}

FailureOr<Affine> ProgramDeriver::indexOf(Operation *op, Value index) {
  auto found = indices.find(index);
  if (found != indices.end())
    return found->second;
  return op->emitOpError() << "depends on an index that is not known when the "
                              "program is configured";
}

FailureOr<int64_t> ProgramDeriver::constantOf(Operation *op, Value index) {
  FailureOr<Affine> number = indexOf(op, index);
  if (failed(number))
    return failure();
  if (!number->isConstant())
    return failAffine();
  return number->base;
}

//===----------------------------------------------------------------------===//
// Commands of rounds
//===----------------------------------------------------------------------===//

void ProgramDeriver::addSteps(config::Command &command,
                              llvm::function_ref<Affine(StringRef)> find) {
  SmallVector<std::pair<std::string, Affine>> moving;
  config::forEachAddress(command, [&](const std::string &key, int64_t &) {
    if (Affine address = find(key); !address.isConstant())
      moving.push_back({key, std::move(address)});
  });
  for (int64_t loop = static_cast<int64_t>(counts.size()); loop-- > 0;)
    for (const auto &[key, address] : moving)
      if (loop < static_cast<int64_t>(address.perRound.size()) &&
          address.perRound[loop])
        command.steps.push_back({key, loop, address.perRound[loop]});
}

/// The commands with loop `loop` in round `round` + `period` * its own rounds;
/// a period of 0 takes the loop away. Loops further in are numbered again.
static void moveRounds(std::vector<config::Command> &commands, int64_t loop,
                       int64_t round, int64_t period) {
  for (config::Command &command : commands) {
    if (auto *inner = std::get_if<config::LoopCommand>(&command.body)) {
      moveRounds(inner->body, loop, round, period);
      continue;
    }
    llvm::StringMap<int64_t *> found;
    if (!command.steps.empty() && round)
      config::forEachAddress(command,
                             [&](const std::string &key, int64_t &address) {
                               found[key] = &address;
                             });
    for (config::AddressStep &step : command.steps) {
      if (step.loop == loop && round)
        *found[step.address] += step.bytes * round;
      if (step.loop == loop)
        step.bytes *= period;
      else if (step.loop > loop && period == 0)
        --step.loop;
    }
    if (period == 0)
      llvm::erase_if(command.steps, [](const config::AddressStep &step) {
        return step.bytes == 0;
      });
  }
}

/// `suffix` behind the names of commands, inner loops included.
static void renameRound(std::vector<config::Command> &commands,
                        const std::string &suffix) {
  for (config::Command &command : commands) {
    command.name += suffix;
    if (auto *inner = std::get_if<config::LoopCommand>(&command.body))
      renameRound(inner->body, suffix);
  }
}

void ProgramDeriver::appendRound(const Commands &round, int64_t number) {
  Commands copy = round;
  moveRounds(copy, counts.size(), number, /*period=*/0);
  renameRound(copy, "[" + std::to_string(number) + "]");
  std::move(copy.begin(), copy.end(), std::back_inserter(*commands));
}

void ProgramDeriver::appendRounds(scf::ForOp op, Rounds rounds, int64_t count) {
  for (int64_t round = 0; round < rounds.first; ++round)
    appendRound(rounds.walked[round], round);
  int64_t times = (count - rounds.first) / rounds.period;
  if (times < 2)
    times = 0;
  config::LoopCommand loop;
  loop.count = times;
  for (int64_t i = 0; i < rounds.period && times; ++i) {
    Commands body = rounds.walked[rounds.first + i];
    if (rounds.first || rounds.period > 1)
      moveRounds(body, counts.size(), rounds.first + i, rounds.period);
    if (i > 0)
      renameRound(body, "#" + std::to_string(i));
    std::move(body.begin(), body.end(), std::back_inserter(loop.body));
  }
  if (!loop.body.empty()) {
    append(op, std::move(loop));
    --clock; // its commands have been counted
  }
  for (int64_t round = rounds.first + times * rounds.period; round < count;
       ++round)
    appendRound(
        rounds.walked[rounds.first + (round - rounds.first) % rounds.period],
        round);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

SmallVector<ProgramDeriver::Carried>
ProgramDeriver::describeCarried(scf::ForOp op) const {
  SmallVector<Carried> result;
  for (Value argument : op.getRegionIterArgs()) {
    Carried &carried = result.emplace_back();
    if (isa<IndexType>(argument.getType())) {
      carried.number = indices.lookup(argument);
      continue;
    }
    carried.number = addressOf(argument);
    carried.chipOffsets = chipOffsets.lookup(argument);
    if (auto found = hbmTensorOf.find(argument); found != hbmTensorOf.end()) {
      const HbmTensor &tensor = hbmTensors[found->second];
      carried.made = tensor.made;
      carried.begin = tensor.begin;
      carried.end = tensor.end;
    }
  }
  return result;
}

LogicalResult ProgramDeriver::walkRound(scf::ForOp op, const Affine &index,
                                        Commands &round) {
  indices[op.getInductionVar()] = index;
  std::vector<config::Command> *outside = std::exchange(commands, &round);
  LogicalResult result = kernelBlock(*op.getBody());
  commands = outside;
  // The results are what the body yields; through them buffers may change
  // places.
  auto yields = op.getBody()->getTerminator()->getOperands();
  if (succeeded(result)) {
    for (auto [to, from] : llvm::zip_equal(op.getResults(), yields))
      bind(to, from);
    for (auto [to, from] :
         llvm::zip_equal(op.getRegionIterArgs(), op.getResults()))
      bind(to, from);
  }
  return result;
}

/// Rounds that are walked to find what comes again.
static constexpr int64_t kMaxPeriod = 16;

FailureOr<ProgramDeriver::Rounds>
ProgramDeriver::walkRounds(scf::ForOp op, const Affine &index, int64_t count) {
  Rounds rounds;
  unsigned depth = counts.size() - 1;
  int64_t macsBefore = counted, macsPerRound = 0;
  SmallVector<SmallVector<Carried>> states = {describeCarried(op)};
  // What a round leaves behind was said in its own number, which is one less
  // than the next one's.
  auto shift = [&](Value value) {
    if (isa<IndexType>(value.getType())) {
      Affine &number = indices[value];
      if (depth < number.perRound.size())
        number.base -= number.perRound[depth];
    } else if (auto found = steps.find(value);
               found != steps.end() && depth < found->second.size()) {
      addresses[value] -= found->second[depth];
    }
  };
  for (bool again = false; !again;) {
    int64_t number = static_cast<int64_t>(rounds.walked.size());
    if (number == kMaxPeriod)
      return failAffine();
    if (failed(walkRound(op, index, rounds.walked.emplace_back())))
      return failure();
    if (number == 0)
      macsPerRound = counted - macsBefore;
    if (number + 1 == count) {
      rounds.first = count;
      return rounds;
    }
    for (Value argument : op.getRegionIterArgs())
      shift(argument);
    SmallVector<Carried> state = describeCarried(op);
    auto *found = llvm::find(states, state);
    if (found != states.end()) {
      rounds.first = found - states.begin();
      rounds.period = number + 1 - rounds.first;
      again = true;
    }
    states.push_back(std::move(state));
  }
  // Every round of the period meets the one before it.
  for (int64_t i = 0; i < rounds.period; ++i) {
    Commands known;
    if (failed(walkRound(op, index, known)))
      return failure();
    for (Value argument : op.getRegionIterArgs())
      shift(argument);
  }
  // The results are those of the last round.
  int64_t last = (count - rounds.first) % rounds.period;
  for (int64_t i = 0; i < last; ++i) {
    Commands known;
    if (failed(walkRound(op, index, known)))
      return failure();
    if (i + 1 < last)
      for (Value argument : op.getRegionIterArgs())
        shift(argument);
  }
  counted = std::min<uint64_t>(INT64_MAX, llvm::SaturatingMultiplyAdd<uint64_t>(
                                              macsPerRound, count, macsBefore));
  return rounds;
}

LogicalResult ProgramDeriver::writeRounds(scf::ForOp op, int64_t lower,
                                          int64_t step, int64_t count) {
  if (count > config::kMaxCommands)
    return op.emitOpError()
           << "runs " << count << " rounds that differ, at most "
           << config::kMaxCommands << " are written out";
  for (int64_t i = 0; i < count; ++i) {
    Commands round;
    if (failed(walkRound(op, {lower + i * step}, round)))
      return failure();
    renameRound(round, "[" + std::to_string(i) + "]");
    std::move(round.begin(), round.end(), std::back_inserter(*commands));
  }
  return success();
}

LogicalResult ProgramDeriver::loop(scf::ForOp op) {
  FailureOr<int64_t> lower = constantOf(op, op.getLowerBound());
  FailureOr<int64_t> upper = constantOf(op, op.getUpperBound());
  FailureOr<int64_t> step = constantOf(op, op.getStep());
  if (failed(lower) || failed(upper) || failed(step))
    return failure();
  if (*step <= 0)
    return op.emitOpError() << "has step " << *step << ", it must be positive";
  uint64_t rounds =
      *upper <= *lower
          ? 0
          : llvm::divideCeil(static_cast<uint64_t>(*upper) - *lower,
                             static_cast<uint64_t>(*step));
  // Bytes and rounds stay far from 64 bits.
  constexpr uint64_t kMaxRounds = uint64_t(1) << 40;
  if (rounds > kMaxRounds)
    return op.emitOpError() << "runs " << rounds << " rounds, at most "
                            << kMaxRounds << " are supported";
  int64_t count = static_cast<int64_t>(rounds);
  auto enter = [&] {
    for (auto [argument, init] :
         llvm::zip_equal(op.getRegionIterArgs(), op.getInitArgs()))
      bind(argument, init);
  };
  enter();
  if (count == 0) {
    for (auto [to, from] : llvm::zip_equal(op.getResults(), op.getInitArgs()))
      bind(to, from);
    return success();
  }
  ++loopDepth;
  LogicalResult result = failure();
  bool isWhole = count > 1 && !options.unrollLoops;
  if (isWhole) {
    auto tensors = hbmTensors;
    size_t time = clock;
    int64_t macs = counted;
    counts.push_back(count);
    Affine index{*lower};
    index.perRound.resize(counts.size(), 0);
    index.perRound.back() = *step;
    FailureOr<Rounds> walked = walkRounds(op, index, count);
    counts.pop_back();
    if (succeeded(walked)) {
      appendRounds(op, std::move(*walked), count);
      for (Value value : op.getResults()) {
        if (isa<IndexType>(value.getType()))
          indices[value] = indices[value].atRound(counts.size(), count - 1);
        else
          setAddress(value, addressOf(value).atRound(counts.size(), count - 1));
      }
      result = success();
    } else if (!std::exchange(needsRounds, false)) {
      result = failure();
    } else {
      isWhole = false;
      hbmTensors = std::move(tensors);
      clock = time;
      counted = macs;
      enter();
    }
  }
  if (!isWhole)
    result = writeRounds(op, *lower, *step, count);
  if (--loopDepth == 0)
    loopNames.clear();
  return result;
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

template <typename OpTy>
FailureOr<SmallVector<Affine>> ProgramDeriver::tileOffsets(OpTy op,
                                                           Type element) {
  FailureOr<tcp::TileShape> shape =
      tcp::inferTile(op, [&] { return op.emitOpError(); });
  if (failed(shape))
    return failure();
  Affine index;
  if (op.getIndex()) {
    FailureOr<Affine> value = indexOf(op, op.getIndex());
    if (failed(value))
      return failure();
    index = *value;
  }
  if (op.getStarts().size() != 1 &&
      static_cast<int64_t>(op.getStarts().size()) != program.chips)
    return op.emitOpError()
           << "has " << op.getStarts().size() << " starts, the program runs on "
           << program.chips << " chips";
  int64_t bits = getBitWidth(*tcp::getElementKind(element));
  int64_t last = shape->extent - static_cast<int64_t>(op.getSize());
  SmallVector<Affine> offsets;
  for (int64_t start : op.getStarts()) {
    std::optional<Affine> from = Affine::add(index, {start});
    auto range = from ? from->getRange(counts) : std::nullopt;
    if (!range || range->first < 0 || range->second > last)
      return op.emitOpError() << "tile of " << op.getSize() << " from "
                              << (!range             ? start
                                  : range->first < 0 ? range->first
                                                     : range->second)
                              << " of \"" << op.getDimension().getText()
                              << "\", which has " << shape->extent;
    auto offset = from->times(shape->step);
    auto offsetBits = offset ? offset->times(bits) : std::nullopt;
    SmallVector<int64_t> numbers = {1};
    if (offsetBits) {
      numbers = {offsetBits->base};
      llvm::append_range(numbers, offsetBits->perRound);
    }
    if (llvm::any_of(numbers, [](int64_t number) { return number % 8 != 0; }))
      return op.emitOpError()
             << "starts at element " << (offset ? offset->base : 0)
             << " of the buffer, which is no whole byte";
    offsetBits->base /= 8;
    for (int64_t &number : offsetBits->perRound)
      number /= 8;
    offsets.push_back(std::move(*offsetBits));
  }
  return offsets;
}

LogicalResult ProgramDeriver::tile(tcp::TileOp op) {
  Type type = op.getSource().getType();
  Type element = isa<tcp::HbmType>(type)
                     ? cast<tcp::HbmType>(type).getElementType()
                     : cast<tcp::DmType>(type).getElementType();
  auto offsets = tileOffsets(op, element);
  if (failed(offsets))
    return failure();
  bind(op.getResult(), op.getSource());
  if (failed(move(op, op.getResult(), offsets->front())))
    return failure();
  if (offsets->size() == 1)
    return success();
  if (chipOffsets.count(op.getSource()))
    return op.emitOpError() << "starts elsewhere on every chip, which a tensor "
                               "can that does not do so yet";
  SmallVector<int64_t> &starts = chipOffsets[op.getResult()];
  for (const Affine &offset : *offsets)
    starts.push_back(offset.base - offsets->front().base);
  return success();
}

LogicalResult ProgramDeriver::move(Operation *op, Value tensor,
                                   const Affine &offset) {
  std::optional<Affine> address = Affine::add(addressOf(tensor), offset);
  if (!address || !address->getRange(counts))
    return op->emitOpError() << "has an address that 64 bits cannot count";
  setAddress(tensor, *address);
  return success();
}

template <typename OpTy>
FailureOr<Affine> ProgramDeriver::viewOffset(OpTy op, tcp::HbmType tensor,
                                             tcp::HbmType view) {
  std::optional<Affine> offset = Affine{static_cast<int64_t>(op.getOffset())};
  for (auto [value, step] : llvm::zip_equal(op.getIndices(), op.getSteps())) {
    FailureOr<Affine> index = indexOf(op, value);
    if (failed(index))
      return failure();
    std::optional<Affine> moved = index->times(step);
    if (offset)
      offset = moved ? Affine::add(*offset, *moved) : std::nullopt;
  }
  auto range = offset ? offset->getRange(counts) : std::nullopt;
  if (!range)
    return op.emitOpError() << "has an offset that 64 bits cannot count";
  // The data lies inside at both ends, and starts at a byte in every round.
  SmallVector<int64_t> offsets = {range->first, range->second};
  for (int64_t step : offset->perRound)
    offsets.push_back(range->first + std::abs(step));
  for (int64_t at : offsets)
    if (at <= range->second && failed(tcp::checkHbmView(tensor, view, at, [&] {
          return op.emitOpError();
        })))
      return failure();
  int64_t bits = getBitWidth(*tcp::getElementKind(tensor.getElementType()));
  Affine bytes = *offset->times(bits);
  bytes.base /= 8;
  for (int64_t &step : bytes.perRound)
    step /= 8;
  return bytes;
}

LogicalResult ProgramDeriver::view(tcp::ViewOp op) {
  FailureOr<Affine> offset =
      viewOffset(op, op.getSource().getType(), op.getResult().getType());
  if (failed(offset))
    return failure();
  bind(op.getResult(), op.getSource());
  return move(op, op.getResult(), *offset);
}

FailureOr<Affine> ProgramDeriver::viewAddress(tcp::ToHbmViewOp op) {
  FailureOr<Affine> offset = viewOffset(op, op.getDestination().getType(),
                                        cast<tcp::HbmType>(op.getView()));
  if (failed(offset))
    return failure();
  return *Affine::add(addressOf(op.getDestination()), *offset);
}

FailureOr<Affine> ProgramDeriver::viewAddress(tcp::CommitViewOp op,
                                              int64_t chip) {
  auto parts = tileOffsets(op, op.getDestination().getType().getElementType());
  if (failed(parts))
    return failure();
  return *Affine::add(addressOf(op.getDestination()),
                      (*parts)[parts->size() == 1 ? 0 : chip]);
}
