//===- PlanProgram.cpp - Loop orders, padding and spreading ---------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The result of a group stays in the order of the group's loops when it goes to
// HBM, and a DMA moves runs of 8 bytes and more: so the order is chosen with
// the reader in mind (it needs what it sums innermost), and a reader that needs
// another innermost axis is refused. Arguments come in any layout, the host
// transfer sees to it.
//
// Sizes of axes are padded until every group's split divides them. A larger
// size may change the split of another group, so this repeats until nothing
// changes; sizes only grow, and no further than one part more.
//
//===----------------------------------------------------------------------===//

#include "Padding.h"
#include "Program.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::linalg_to_tcp;

namespace {

class Planner {
public:
  Planner(Program &program, DenseSet<Operation *> &unfused)
      : program(program), machine(*program.machine), unfused(unfused) {}

  PlanOutcome plan();

private:
  AxisList getSummedByReader(Value result) const;
  void orderContraction(Group &group);
  void orderSummed(Group &group);
  void orderElementwise(Group &group);
  LogicalResult checkPackets(Group &group);
  void dropUnitAxes(const Group &group, TensorOperand &operand);
  LogicalResult checkOrder(Group &group, const TensorOperand &operand,
                           ArrayRef<AxisId> order);
  void setUnits(Group &group);
  LogicalResult checkSize(Group &group);
  llvm::Expected<MappingChoice> choose(const Group &group, VectorWork vector);
  PlanOutcome spread(Group &group, bool &changed);
  VectorWork describeVector(const Group &group);
  LoopAxis describeLoop(const Group &group, AxisId axis);
  VectorOperandShape describeOperand(const Group &group,
                                     const TensorOperand &operand);

  Program &program;
  const TcpMachine &machine;
  DenseSet<Operation *> &unfused;
  /// What a part of a loop is a multiple of, per group.
  DenseMap<std::pair<Group *, AxisId>, int64_t> units;
};

/// Moves the axes of `last` to the end, both parts keeping their order.
void moveToEnd(AxisList &list, ArrayRef<AxisId> last) {
  AxisList front, back;
  for (AxisId axis : list)
    (contains(last, axis) ? back : front).push_back(axis);
  front.append(back);
  list = std::move(front);
}

/// The axes of `order` that `axes` has.
AxisList select(ArrayRef<AxisId> order, ArrayRef<AxisId> axes) {
  AxisList list;
  llvm::copy_if(order, std::back_inserter(list),
                [&](AxisId axis) { return contains(axes, axis); });
  return list;
}

} // namespace

//===----------------------------------------------------------------------===//
// Order of the loops
//===----------------------------------------------------------------------===//

/// The axes of `result` that the first contraction reading it sums over.
AxisList Planner::getSummedByReader(Value result) const {
  for (const auto &group : program.groups) {
    if (!group->isContraction ||
        (group->lhs.tensor != result && group->rhs.tensor != result))
      continue;
    return select(group->k, program.dims.lookup(result));
  }
  return {};
}

void Planner::orderContraction(Group &group) {
  const AxisList &result = program.dims[group.result];
  AxisList summed = getSummedByReader(group.result);
  auto hasSummed = [&](const AxisList &list) {
    return llvm::any_of(list,
                        [&](AxisId axis) { return contains(summed, axis); });
  };
  // Rows are innermost in the result; the operand without free axes is the
  // stationary one.
  bool swap = group.m.empty() && !group.n.empty();
  if (!group.m.empty() && !group.n.empty())
    swap = summed.empty() ? contains(group.m, result.back())
                          : hasSummed(group.m) && !hasSummed(group.n);
  if (swap) {
    std::swap(group.lhs, group.rhs);
    std::swap(group.m, group.n);
  }
  for (AxisList *list : {&group.batch, &group.m, &group.n}) {
    *list = select(result, *list);
    moveToEnd(*list, summed);
  }

  orderSummed(group);
  // A repeated operand takes less of the tensor register file.
  auto storedBytes = [&](const TensorOperand &operand) {
    ElementType type = elementKindOf(operand.tensor);
    double elements = 1;
    for (AxisId axis : select(group.k, operand.axes)) {
      int64_t size = program.axes[axis].size;
      if (axis == group.k.back())
        size = llvm::alignTo(size, machine.lanes(type));
      elements *= static_cast<double>(size);
    }
    return elements * getBitWidth(type) / 8;
  };
  double rhsBytes = group.isPlainSum ? 0 : storedBytes(group.rhs);
  if (rhsBytes > static_cast<double>(machine.trfBytesPerRow) &&
      storedBytes(group.lhs) < rhsBytes) {
    std::swap(group.lhs, group.rhs);
    // The axis of a result without dimensions is no row.
    if (rankOf(group.result) != 0)
      std::swap(group.m, group.n);
    orderSummed(group);
  }
}

void Planner::orderSummed(Group &group) {
  const AxisList &result = program.dims[group.result];
  // Innermost is an axis that both operands have, the one that an operand which
  // is already in HBM has innermost.
  group.k = select(group.lhs.axes, group.k);
  for (AxisId axis : group.rhs.axes)
    if (!contains(result, axis) && !contains(group.k, axis))
      group.k.insert(group.k.begin(), axis);
  AxisList shared;
  for (AxisId axis : group.k)
    if (program.axes[axis].extent > 1 && contains(group.lhs.axes, axis) &&
        contains(group.rhs.axes, axis))
      shared.push_back(axis);
  moveToEnd(group.k, shared);
  for (const TensorOperand *operand : {&group.lhs, &group.rhs})
    if (const Group *producer = program.producer(operand->tensor)) {
      AxisList layout = producer->loops();
      if (!layout.empty() && contains(group.k, layout.back()))
        moveToEnd(group.k, layout.back());
    }
  // Ones are the same for every other summed axis.
  if (group.isPlainSum)
    group.rhs.axes = {group.k.back()};
}

void Planner::orderElementwise(Group &group) {
  SmallVector<const TensorOperand *, 4> operands = {&group.stream};
  for (const Step &step : group.steps)
    if (step.operand.tensor)
      operands.push_back(&step.operand);
  // Whether every operand has innermost what its producer wrote innermost.
  auto fits = [&](ArrayRef<AxisId> order) {
    return llvm::all_of(operands, [&](const TensorOperand *operand) {
      const Group *producer = program.producer(operand->tensor);
      if (!producer)
        return true;
      AxisList layout = producer->loops(), own = select(order, operand->axes);
      return own.empty() || own.back() == layout.back();
    });
  };
  // As the first producer whose order suits the others too.
  SmallVector<AxisList, 4> orders;
  for (const TensorOperand *operand : operands)
    if (const Group *producer = program.producer(operand->tensor)) {
      AxisList &order = orders.emplace_back(group.m);
      moveToEnd(order, select(producer->loops(), operand->axes));
      AxisList tail = select(producer->loops(), order);
      std::copy(tail.begin(), tail.end(), order.end() - tail.size());
    }
  if (orders.empty())
    moveToEnd(group.m, getSummedByReader(group.result));
  else if (auto *found = llvm::find_if(orders, fits); found != orders.end())
    group.m = *found;
  else if (!fits(group.m))
    group.m = orders.front();

  // A packet repeats one element of a stream without the innermost loop, which
  // must be whole bytes.
  if (getBitWidth(elementKindOf(group.stream.tensor)) >= 8 ||
      contains(group.stream.axes, group.m.back()))
    return;
  AxisList order = group.m;
  moveToEnd(order, group.stream.axes);
  if (fits(order))
    group.m = std::move(order);
}

/// Dimensions that no loop of the vector engine runs over have one element; an
/// operand of nothing else is read with the padding that follows it.
void Planner::dropUnitAxes(const Group &group, TensorOperand &operand) {
  operand.axes = select(group.loops(), operand.axes);
  if (!operand.axes.empty())
    return;
  const Group *producer = program.producer(operand.tensor);
  operand.axes = {producer ? producer->loops().back() : program.getUnitAxis()};
}

//===----------------------------------------------------------------------===//
// Padding
//===----------------------------------------------------------------------===//

LogicalResult Planner::checkPackets(Group &group) {
  if (group.isContraction ||
      getBitWidth(elementKindOf(group.stream.tensor)) >= 8 ||
      contains(group.stream.axes, group.loops().back()))
    return success();
  return group.root.emitOpError()
         << "repeats single elements of " << elementTypeOf(group.stream.tensor)
         << " along its innermost loop, and the fetch engine reads whole "
            "bytes; pass that tensor as i8";
}

/// Demands that parts of the operand's innermost axis are whole words of the
/// DMA engine.
void Planner::setUnits(Group &group) {
  auto require = [&](AxisId axis, int64_t unit) {
    int64_t &entry = units.try_emplace({&group, axis}, 1).first->second;
    entry = std::max(entry, unit);
  };
  AxisList loops = group.loops();
  auto requireRun = [&](const TensorOperand &operand) {
    AxisId inner = group.layoutOf(operand).back();
    int64_t unit =
        machine.dmaAlignBytes * 8 / getBitWidth(elementKindOf(operand.tensor));
    if (contains(loops, inner))
      require(inner, unit);
    else
      program.axes[inner].size = llvm::alignTo(program.axes[inner].size, unit);
  };
  for (const Step &step : group.steps)
    if (step.operand.tensor)
      requireRun(step.operand);
  if (!group.isContraction) {
    require(loops.back(), machine.outputLanes);
    requireRun(group.stream);
    return;
  }
  if (!group.n.empty())
    require(group.n.back(), machine.rowsPerSlice);
  Axis &inner = program.axes[group.k.back()];
  inner.size =
      llvm::alignTo(inner.size, machine.lanes(elementKindOf(group.lhs.tensor)));
}

/// Keeps all later products of sizes far inside 64 bits.
LogicalResult Planner::checkSize(Group &group) {
  constexpr double kMostIterations = 1e15;
  double iterations = 1;
  AxisList all = group.loops();
  all.append(group.k);
  for (AxisId axis : all)
    iterations *= 4.0 * static_cast<double>(program.axes[axis].size);
  if (iterations <= kMostIterations)
    return success();
  return group.root.emitOpError()
         << "has more iterations than one kernel can run; cut it into smaller "
            "operations";
}

/// An operand that a group wrote must have the axis innermost that is innermost
/// where it goes.
LogicalResult Planner::checkOrder(Group &group, const TensorOperand &operand,
                                  ArrayRef<AxisId> order) {
  const Group *producer = program.producer(operand.tensor);
  if (!producer)
    return success();
  auto innermost = [&](ArrayRef<AxisId> list) -> std::optional<AxisId> {
    for (AxisId axis : llvm::reverse(list))
      if (program.axes[axis].size > 1)
        return axis;
    return std::nullopt;
  };
  std::optional<AxisId> found = innermost(producer->loops());
  std::optional<AxisId> needed = innermost(order);
  if (found == needed)
    return success();
  InFlightDiagnostic diag =
      group.root.emitOpError()
      << "needs axis " << (needed ? program.axes[*needed].name : "1")
      << " of an operand innermost in HBM, where its producer wrote axis "
      << (found ? program.axes[*found].name : "1")
      << " innermost; the intermediate would need a transposition: let the "
         "producer compute the transposed tensor";
  Group *origin = program.producers.lookup(operand.tensor);
  diag.attachNote(origin->root.getLoc()) << "produced here";
  return diag;
}

//===----------------------------------------------------------------------===//
// Spreading
//===----------------------------------------------------------------------===//

LoopAxis Planner::describeLoop(const Group &group, AxisId axis) {
  auto unit = units.find({const_cast<Group *>(&group), axis});
  return {program.axes[axis].name, program.axes[axis].size,
          unit == units.end() ? 1 : unit->second};
}

VectorOperandShape Planner::describeOperand(const Group &group,
                                            const TensorOperand &operand) {
  VectorOperandShape shape;
  for (auto [i, axis] : llvm::enumerate(group.loops()))
    if (contains(operand.axes, axis))
      shape.loops.push_back(i);
  shape.type = elementKindOf(operand.tensor);
  return shape;
}

VectorWork Planner::describeVector(const Group &group) {
  VectorWork work;
  for (const VectorPass &pass : group.passes) {
    work.results.push_back(*tcp::getElementKind(pass.result));
    work.narrowPasses += pass.usesFloat();
    for (const PlacedStep &placed : pass.steps)
      if (placed.step->operand.tensor)
        work.operands.push_back(describeOperand(group, placed.step->operand));
  }
  return work;
}

/// The split of the group's loops, with the vector engine doing `vector`.
llvm::Expected<MappingChoice> Planner::choose(const Group &group,
                                              VectorWork vector) {
  auto describe = [&](const AxisList &axes, auto &loops) {
    for (AxisId axis : axes)
      loops.push_back(describeLoop(group, axis));
  };
  if (!group.isContraction) {
    ElementwiseShape shape;
    describe(group.m, shape.loops);
    shape.stream = describeOperand(group, group.stream);
    shape.vector = std::move(vector);
    return chooseElementwiseMapping(shape, machine);
  }
  ContractionShape shape;
  describe(group.batch, shape.batch);
  describe(group.m, shape.m);
  describe(group.n, shape.n);
  shape.k = shape.storedK = 1;
  for (AxisId axis : group.k) {
    shape.k *= program.axes[axis].size;
    if (contains(group.rhs.axes, axis))
      shape.storedK *= program.axes[axis].size;
  }
  shape.operandType = *tcp::getElementKind(group.factorType);
  shape.memoryType = elementKindOf(group.lhs.tensor);
  shape.makesOnes = group.isPlainSum;
  shape.vector = std::move(vector);
  return chooseContractionMapping(shape, machine);
}

PlanOutcome Planner::spread(Group &group, bool &changed) {
  if (failed(checkSize(group)))
    return PlanOutcome::Refused;
  llvm::Expected<MappingChoice> choice = choose(group, describeVector(group));
  if (!choice && !group.fused.empty()) {
    // Perhaps it fits without what was fused into it.
    llvm::consumeError(choice.takeError());
    VectorWork least;
    least.results = {*tcp::getElementKind(group.computeType)};
    choice = choose(group, std::move(least));
    if (choice) {
      unfused.insert(group.fused.front());
      return PlanOutcome::TryUnfused;
    }
  }
  if (!choice) {
    std::string extents;
    llvm::raw_string_ostream os(extents);
    AxisList all = group.loops();
    all.append(group.k);
    llvm::interleaveComma(all, os, [&](AxisId axis) {
      os << program.axes[axis].name << " = " << program.axes[axis].size;
    });
    group.root.emitOpError()
        << "with " << extents << " " << llvm::toString(choice.takeError())
        << "; cut the operation into smaller ones";
    return PlanOutcome::Refused;
  }
  for (auto [i, axis] : llvm::enumerate(group.loops())) {
    int64_t split = choice->splits[i];
    group.splits[axis] = split;
    int64_t size = describeLoop(group, axis).padded(split);
    changed |= size != program.axes[axis].size;
    program.axes[axis].size = size;
  }
  return PlanOutcome::Planned;
}

PlanOutcome Planner::plan() {
  // Producers come first, so their order is known where it is read.
  for (auto &group : program.groups) {
    group->passes =
        assignPasses(group->steps, group->computeType, group->resultType());
    if (group->isContraction)
      orderContraction(*group);
    else
      orderElementwise(*group);
    if (group->stream.tensor)
      dropUnitAxes(*group, group->stream);
    for (Step &step : group->steps)
      if (step.operand.tensor)
        dropUnitAxes(*group, step.operand);
    if (failed(checkPackets(*group)))
      return PlanOutcome::Refused;
    setUnits(*group);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (auto &group : program.groups)
      if (PlanOutcome outcome = spread(*group, changed);
          outcome != PlanOutcome::Planned)
        return outcome;
  }
  for (auto &group : program.groups) {
    SmallVector<const TensorOperand *, 4> operands;
    for (const TensorOperand *operand :
         {&group->lhs, &group->rhs, &group->stream})
      if (operand->tensor)
        operands.push_back(operand);
    for (const Step &step : group->steps)
      if (step.operand.tensor)
        operands.push_back(&step.operand);
    for (const TensorOperand *operand : operands)
      if (failed(checkOrder(*group, *operand, group->layoutOf(*operand))))
        return PlanOutcome::Refused;
  }
  return failed(checkPadding(program)) ? PlanOutcome::Refused
                                       : PlanOutcome::Planned;
}

PlanOutcome linalg_to_tcp::planProgram(Program &program,
                                       DenseSet<Operation *> &unfused) {
  return Planner(program, unfused).plan();
}
