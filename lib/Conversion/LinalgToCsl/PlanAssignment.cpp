//===- PlanAssignment.cpp - One way to place a program --------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanAssignment.h"
#include "Channels.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace sequin;
using namespace sequin::linalg_to_csl;

bool AssignmentPlanner::refuse(Operation *op, const llvm::Twine &text) {
  refusal.op = op;
  refusal.text = text.str();
  return false;
}

static unsigned elementBytes(Type type) {
  return type.getIntOrFloatBitWidth() / 8;
}

static bool isZero(TypedAttr value) {
  return value && (matchPattern(value, m_Zero()) ||
                   matchPattern(value, m_AnyZeroFloat()));
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

bool AssignmentPlanner::placeClasses() {
  for (auto [number, extent] : llvm::enumerate(table.extents)) {
    DimClass cls;
    cls.extent = extent;
    cls.axis = assignment->axes[number];
    cls.block =
        cls.isCut() ? llvm::divideCeil(extent, grid.along(cls.axis)) : extent;
    plan.classes.push_back(cls);
  }
  // Panels of SUMMA lie within one block of either operand.
  SmallVector<int64_t> wanted(plan.classes.size(), 0);
  for (auto [number, op] : llvm::enumerate(program.ops)) {
    if (!assignment->summa[number])
      continue;
    std::array<unsigned, 3> loops = *getSummaLoops(op);
    int64_t length = op.sizes[loops[2]];
    int64_t panels =
        std::lcm(grid.width, grid.height) * assignment->panelsPerBlock;
    int64_t width = llvm::divideCeil(length, panels);
    auto fit = [&](const Access &access, int64_t pes) {
      const Storage &storage = program.storages[access.storage];
      unsigned d =
          llvm::find(access.loops, int(loops[2])) - access.loops.begin();
      unsigned cls = storage.nodes[d].dim;
      int64_t block = width * (panels / pes);
      if (storage.nodes[d].origin + access.offsets[d] != 0 ||
          plan.classes[cls].extent != length || access.offsets[d] != 0)
        return refuse(op.op, "contracts a part of a tensor, which SUMMA does "
                             "not take");
      if (wanted[cls] && wanted[cls] != block)
        return refuse(op.op, "needs blocks of another size than another "
                             "contraction");
      wanted[cls] = block;
      return true;
    };
    if (!fit(*op.inputs[op.left].access, grid.width) ||
        !fit(*op.inputs[op.right].access, grid.height))
      return false;
  }
  for (auto [cls, block] : llvm::zip(plan.classes, wanted))
    if (block && cls.isCut())
      cls.block = block;
  return true;
}

bool AssignmentPlanner::checkAxes() {
  auto clash = [&](ArrayRef<Node> nodes) {
    bool x = false, y = false;
    for (const Node &node : nodes) {
      FabricAxis axis = plan.classes[node.dim].axis;
      if ((usesX(axis) && x) || (usesY(axis) && y))
        return true;
      x |= usesX(axis);
      y |= usesY(axis);
    }
    return false;
  };
  for (const Storage &storage : program.storages) {
    if (clash(storage.nodes))
      return refuse(nullptr, "two dimensions of a tensor are on one axis");
    if (storage.initial)
      for (const Node &node : storage.nodes)
        if (plan.classes[node.dim].isCut())
          return refuse(nullptr, "a constant tensor would have to be cut; pass "
                                 "it as an argument");
  }
  for (const LoopNest &op : program.ops)
    if (clash(op.nodes))
      return refuse(op.op, "has two loops on one axis");
  for (auto [number, cls] : llvm::enumerate(plan.classes))
    if (cls.isCut() && table.fixed[number])
      return refuse(nullptr, "a dimension that is read at a fixed index would "
                             "have to be cut");
  return true;
}

std::pair<int64_t, int64_t>
linalg_to_csl::getRange(const Plan &plan, const LoopNest &op, unsigned loop) {
  const DimClass &cls = plan.classes[op.nodes[loop].dim];
  if (cls.isCut())
    return {0, cls.block};
  return {op.nodes[loop].origin, op.sizes[loop]};
}

bool linalg_to_csl::hasRest(const Plan &plan, const LoopNest &op,
                            unsigned loop) {
  const DimClass &cls = plan.classes[op.nodes[loop].dim];
  return cls.isCut() &&
         (op.nodes[loop].origin > 0 ||
          op.sizes[loop] < cls.block * plan.grid.along(cls.axis));
}

/// Reads outside of blocks are margins.
bool AssignmentPlanner::findMargins() {
  SmallVector<SmallVector<int64_t>> high;
  for (const Storage &storage : program.storages) {
    LocalArray array;
    for (size_t d = 0; d < storage.shape.size(); ++d) {
      array.low.push_back(0);
      array.order.push_back(d);
    }
    high.emplace_back(storage.shape.size(), 0);
    plan.arrays.push_back(std::move(array));
  }
  for (auto [number, op] : llvm::enumerate(program.ops)) {
    auto visit = [&, &op = op, number = number](const Access &access) {
      const Storage &storage = program.storages[access.storage];
      for (auto [d, loop] : llvm::enumerate(access.loops)) {
        const Node &node = storage.nodes[d];
        if (loop < 0 || node.dim != op.nodes[loop].dim)
          continue; // a fixed index, or the contracted loop of SUMMA
        const DimClass &cls = plan.classes[node.dim];
        int64_t shift = access.offsets[d] + node.origin - op.nodes[loop].origin;
        auto [first, length] = getRange(plan, op, loop);
        int64_t below = -(first + shift);
        int64_t above = first + shift + length - cls.block;
        if (cls.isCut() && grid.along(cls.axis) > 1 &&
            (below > 0 || above > 0)) {
          if (cls.axis == FabricAxis::XY)
            return refuse(op.op, "reads neighbours along a dimension that is "
                                 "cut along both axes");
          if (assignment->summa[number])
            return refuse(op.op, "reads operands of SUMMA at an offset");
        }
        int64_t &low = plan.arrays[access.storage].low[d];
        low = std::max(low, below);
        high[access.storage][d] = std::max(high[access.storage][d], above);
      }
      return true;
    };
    for (const Input &input : op.inputs)
      if (input.access && !visit(*input.access))
        return false;
    if (op.start && !visit(*op.start))
      return false;
  }
  for (auto [storage, array, above] :
       llvm::zip(program.storages, plan.arrays, high))
    for (auto [node, low, more] : llvm::zip(storage.nodes, array.low, above))
      array.extents.push_back(low + plan.classes[node.dim].block + more);
  for (auto [storage, array] : llvm::zip(program.storages, plan.arrays))
    if (storage.initial && !llvm::equal(storage.shape, array.extents))
      return refuse(nullptr, "a constant tensor is read beyond its elements; "
                             "pass it as an argument");
  return true;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

bool AssignmentPlanner::addOutside(unsigned number, TypedAttr value) {
  const Storage &storage = program.storages[number];
  if (storage.pad && storage.pad != value)
    return refuse(nullptr, "a padded tensor is contracted along a dimension "
                           "that leaves a rest; copy it first");
  if (zeroOutside[number] && isZero(value))
    return true;
  bool needed = false;
  for (auto [d, node] : llvm::enumerate(storage.nodes)) {
    const DimClass &cls = plan.classes[node.dim];
    const LocalArray &array = plan.arrays[number];
    int64_t end = cls.isCut() ? cls.block * grid.along(cls.axis) : cls.extent;
    needed |= array.low[d] || array.extents[d] != array.low[d] + cls.block ||
              node.origin > 0 || node.origin + storage.shape[d] < end;
  }
  if (!needed)
    return true;
  Step step;
  step.kind = Step::Kind::Outside;
  step.storage = number;
  step.value = value;
  plan.steps.push_back(step);
  zeroOutside[number] = isZero(value);
  return true;
}

void AssignmentPlanner::addHalos(unsigned number) {
  if (haloDone[number])
    return;
  haloDone[number] = true;
  const Storage &storage = program.storages[number];
  const LocalArray &array = plan.arrays[number];
  if (storage.pad)
    (void)addOutside(number, storage.pad);
  for (FabricAxis axis : {FabricAxis::X, FabricAxis::Y})
    for (auto [d, node] : llvm::enumerate(storage.nodes)) {
      const DimClass &cls = plan.classes[node.dim];
      if (cls.axis != axis || grid.along(axis) < 2 ||
          array.extents[d] == cls.block)
        continue;
      Step step;
      step.kind = Step::Kind::Halo;
      step.storage = number;
      step.dim = d;
      step.axis = axis;
      step.below = array.low[d] > 0;
      step.above = array.extents[d] > array.low[d] + cls.block;
      plan.steps.push_back(step);
      int64_t slice = array.elements() / array.extents[d];
      int64_t words = slice * (array.extents[d] - cls.block) *
                      elementBytes(storage.element) / 4;
      plan.cycles += 2 * words + 4 * (setupCycles() + 5) + machine.hopCycles +
                     2 * machine.rampCycles + 20;
    }
}

int64_t AssignmentPlanner::fabricWords(unsigned number) const {
  return llvm::divideCeil(plan.arrays[number].elements() *
                              elementBytes(program.storages[number].element),
                          4);
}

/// The time of a reduction of `words` along an axis; chooses the group.
int64_t AssignmentPlanner::reduceCycles(ReducePath &path, int64_t words) const {
  int64_t pes = grid.along(path.axis);
  int64_t depth = 2 * machine.rampCycles + 1;
  int64_t best = words + (depth + machine.hopCycles) * (pes - 1);
  path.group = 0;
  for (int64_t group = 2; group * 2 <= pes; ++group) {
    int64_t groups = llvm::divideCeil(pes, group);
    int64_t cycles = 2 * words + machine.hopCycles * (pes - 1) +
                     depth * (group - 1 + groups - 1) + setupCycles() + 6;
    if (cycles >= best)
      continue;
    best = cycles;
    path.group = group;
  }
  return best + setupCycles() + 6;
}

int64_t AssignmentPlanner::localIterations(const LoopNest &op) const {
  // Far more than any that is chosen; costs are small multiples of it.
  constexpr uint64_t kMost = uint64_t(1) << 48;
  uint64_t count = 1;
  for (unsigned loop = 0; loop < op.sizes.size(); ++loop)
    count =
        std::min<uint64_t>(kMost, llvm::SaturatingMultiply<uint64_t>(
                                      count, getRange(plan, op, loop).second));
  return static_cast<int64_t>(count);
}

int64_t AssignmentPlanner::computeCycles(const LoopNest &op) const {
  int64_t count = localIterations(op);
  int64_t body =
      std::distance(op.op.getBody()->begin(), op.op.getBody()->end());
  int64_t setup = setupCycles() + 6;
  if (op.kind == OpKind::Contract &&
      program.storages[op.result].element.isF32()) {
    // One DSD operation per row of the longest loop of the result.
    int64_t vector = 1;
    for (unsigned loop : op.resultLoops)
      vector = std::max(vector, getRange(plan, op, loop).second);
    bool isHalf =
        !program.storages[op.inputs[op.left].access->storage].element.isF32();
    int64_t width =
        machine.simdWidth(isHalf ? DsdOpcode::Fmachs : DsdOpcode::Fmacs);
    return count / width + count / vector * 6 + setup;
  }
  if (!isVectorExpression(op))
    return count * (12 + 4 * body + 2 * int64_t(op.inputs.size()));
  unsigned width = op.kind == OpKind::Contract ? 4
                   : machine.generation == 2   ? 1
                                               : 2;
  return body * (setup + count / width);
}

void AssignmentPlanner::addReduction(unsigned number) {
  const LoopNest &op = program.ops[number];
  Step step;
  step.kind = Step::Kind::Compute;
  step.op = number;
  bool x = false, y = false;
  for (auto [loop, node] : llvm::enumerate(op.nodes)) {
    if (!op.reduced[loop])
      continue;
    x |= usesX(plan.classes[node.dim].axis) && grid.width > 1;
    y |= usesY(plan.classes[node.dim].axis) && grid.height > 1;
  }
  for (auto [axis, used] : {std::pair(FabricAxis::X, x), {FabricAxis::Y, y}}) {
    if (!used)
      continue;
    ReducePath path;
    path.axis = axis;
    plan.cycles += reduceCycles(path, fabricWords(op.result));
    step.paths.push_back(path);
  }
  plan.steps.push_back(step);
}

bool AssignmentPlanner::addSumma(unsigned number) {
  const LoopNest &op = program.ops[number];
  std::array<unsigned, 3> loops = *getSummaLoops(op);
  auto axisOf = [&](const Access &access, unsigned loop) {
    unsigned d = llvm::find(access.loops, int(loop)) - access.loops.begin();
    return plan.classes[program.storages[access.storage].nodes[d].dim].axis;
  };
  const Access &left = *op.inputs[op.left].access;
  const Access &right = *op.inputs[op.right].access;
  auto axisOfLoop = [&](unsigned loop) {
    return plan.classes[op.nodes[loop].dim].axis;
  };
  if (axisOfLoop(loops[0]) != FabricAxis::Y ||
      axisOfLoop(loops[1]) != FabricAxis::X ||
      axisOf(left, loops[2]) != FabricAxis::X ||
      axisOf(right, loops[2]) != FabricAxis::Y)
    return refuse(op.op, "runs as SUMMA only with rows along y and columns "
                         "along x");
  for (const Access *access : {&left, &right}) {
    // Garbage beyond the contracted dimension would count.
    unsigned d =
        llvm::find(access->loops, int(loops[2])) - access->loops.begin();
    const DimClass &cls =
        plan.classes[program.storages[access->storage].nodes[d].dim];
    if (cls.block * grid.along(cls.axis) > op.sizes[loops[2]] &&
        !addOutside(access->storage,
                    getNeutral(Combiner::Add,
                               program.storages[access->storage].element)))
      return false;
  }
  Step step;
  step.kind = Step::Kind::Summa;
  step.op = number;
  step.summa.panels =
      std::lcm(grid.width, grid.height) * assignment->panelsPerBlock;
  // PEs count panels in 16 bits.
  if (step.summa.panels > UINT16_MAX)
    return refuse(op.op, "runs as SUMMA in " + llvm::Twine(step.summa.panels) +
                             " panels on this grid, at most " +
                             llvm::Twine(UINT16_MAX) + " are possible");
  step.summa.width = llvm::divideCeil(op.sizes[loops[2]], step.summa.panels);
  step.summa.perColumn = step.summa.panels / grid.width;
  step.summa.perRow = step.summa.panels / grid.height;
  plan.steps.push_back(step);

  int64_t rows = getRange(plan, op, loops[0]).second;
  int64_t columns = getRange(plan, op, loops[1]).second;
  Type element = program.storages[left.storage].element;
  int64_t perWavelet = 4 / elementBytes(element);
  int64_t words = (rows + columns) * step.summa.width / perWavelet;
  bool dsd = program.storages[op.result].element.isF32() ||
             !isa<IntegerType>(program.storages[op.result].element);
  int64_t product =
      rows * step.summa.width * (dsd ? columns / perWavelet + 6 : columns * 22);
  plan.cycles +=
      step.summa.panels * (words + product + 120) +
      2 * words * step.summa.panels / std::min(grid.width, grid.height);
  plan.bytes += 2 * (rows + columns) * step.summa.width * elementBytes(element);
  return true;
}

bool AssignmentPlanner::addStepsOf(unsigned number) {
  const LoopNest &op = program.ops[number];
  if (assignment->summa[number]) {
    if (!addSumma(number))
      return false;
    onAll[op.result] = {false, false};
    return true;
  }
  bool used[2] = {false, false};
  for (const Node &node : op.nodes) {
    FabricAxis axis = plan.classes[node.dim].axis;
    used[0] |= usesX(axis) && grid.width > 1;
    used[1] |= usesY(axis) && grid.height > 1;
  }
  std::array<bool, 2> result = {!used[0], !used[1]};
  auto visit = [&](const Access &access, bool isStart) {
    unsigned storage = access.storage;
    bool has[2] = {false, false};
    for (const Node &node : program.storages[storage].nodes) {
      FabricAxis axis = plan.classes[node.dim].axis;
      has[0] |= usesX(axis);
      has[1] |= usesY(axis);
    }
    for (unsigned a : {0u, 1u}) {
      if (has[a] || onAll[storage][a])
        continue;
      if (!used[a]) {
        result[a] = false;
        continue;
      }
      if (isStart)
        continue; // it is added where the result comes together
      Step step;
      step.kind = Step::Kind::Spread;
      step.storage = storage;
      step.axis = a ? FabricAxis::Y : FabricAxis::X;
      plan.steps.push_back(step);
      plan.cycles += fabricWords(storage) +
                     machine.hopCycles * grid.along(step.axis) +
                     2 * machine.rampCycles + setupCycles() + 6;
      onAll[storage][a] = true;
    }
    addHalos(storage);
  };
  for (const Input &input : op.inputs)
    if (input.access)
      visit(*input.access, false);
  if (op.start)
    visit(*op.start, true);

  if (op.kind == OpKind::Contract)
    for (unsigned input : {op.left, op.right}) {
      const Access &access = *op.inputs[input].access;
      const Storage &storage = program.storages[access.storage];
      bool rest = false;
      for (unsigned loop = 0; loop < op.sizes.size(); ++loop)
        rest |= op.reduced[loop] && hasRest(plan, op, loop);
      // PEs run over whole blocks. What is beyond the storage is made neutral;
      // the elements beside a slice are data.
      for (auto [d, loop] : llvm::enumerate(access.loops))
        if (loop >= 0 && op.reduced[loop] && hasRest(plan, op, loop) &&
            op.sizes[loop] != storage.shape[d])
          return refuse(op.op, "contracts a part of a tensor along a dimension "
                               "that would have to be cut; copy it first");
      if (rest && !addOutside(access.storage,
                              getNeutral(Combiner::Add, storage.element)))
        return false;
    }
  plan.cycles += computeCycles(op);
  addReduction(number);
  onAll[op.result] = result;
  return true;
}

bool AssignmentPlanner::addSteps() {
  for (const Storage &storage : program.storages) {
    // Constants are everywhere; arguments are zero beside their elements.
    bool everywhere = bool(storage.initial);
    onAll.push_back({everywhere, everywhere});
    haloDone.push_back(false);
    zeroOutside.push_back(storage.argument.has_value());
  }
  for (unsigned number = 0; number < program.ops.size(); ++number)
    if (!addStepsOf(number))
      return false;
  return true;
}

void AssignmentPlanner::findHomes() {
  // The last operation that reads each storage; results and arguments stay.
  size_t count = program.storages.size();
  constexpr int64_t kAlways = INT64_MAX;
  SmallVector<int64_t> last(count, -1), first(count, -1);
  for (auto [number, storage] : llvm::enumerate(program.storages))
    if (storage.argument || storage.initial)
      last[number] = kAlways;
  for (const View &view : program.results)
    last[view.storage] = kAlways;
  for (auto [number, op] : llvm::enumerate(program.ops)) {
    first[op.result] = number;
    auto visit = [&](const Access &access) {
      last[access.storage] = std::max<int64_t>(last[access.storage], number);
    };
    for (const Input &input : op.inputs)
      if (input.access)
        visit(*input.access);
    if (op.start)
      visit(*op.start);
  }
  // Until when each variable is in use.
  SmallVector<int64_t> busy(count, kAlways);
  for (unsigned number = 0; number < count; ++number) {
    const Storage &storage = program.storages[number];
    unsigned home = number;
    if (last[number] != kAlways)
      for (unsigned other = 0; other < number && home == number; ++other)
        if (plan.homes[other] == other && busy[other] < first[number] &&
            program.storages[other].element == storage.element &&
            plan.arrays[other].elements() >= plan.arrays[number].elements())
          home = other;
    plan.homes.push_back(home);
    busy[home] = last[number] == kAlways
                     ? kAlways
                     : std::max(last[number], first[number]);
  }
}

void AssignmentPlanner::addUp() {
  for (auto [number, storage] : llvm::enumerate(program.storages))
    if (plan.homes[number] == number)
      plan.bytes +=
          plan.arrays[number].elements() * elementBytes(storage.element);
  for (const LoopNest &op : program.ops) {
    // One intermediate of longer expressions, and what a reduction takes
    // together first.
    int64_t body =
        std::distance(op.op.getBody()->begin(), op.op.getBody()->end());
    if (op.kind != OpKind::Contract && isVectorExpression(op) &&
        body > (op.isReduction() ? 2 : 3))
      plan.bytes += localIterations(op) *
                    elementBytes(program.storages[op.result].element);
  }
  // Code: measured on the modules of the tests.
  plan.bytes += 600;
  for (const Step &step : plan.steps)
    plan.bytes += step.kind == Step::Kind::Summa ? 1600 : 240;
}

std::optional<Plan> AssignmentPlanner::run(const Assignment &given,
                                           Refusal &why) {
  assignment = &given;
  plan = Plan();
  plan.grid = grid;
  onAll.clear();
  haloDone.clear();
  zeroOutside.clear();
  refusal = Refusal();
  bool good = placeClasses() && checkAxes() && findMargins() && addSteps();
  if (good) {
    std::string tooMany = ChannelTable::checkQueues(plan, target);
    if (!tooMany.empty())
      good = refuse(nullptr, tooMany);
  }
  if (good) {
    findHomes();
    addUp();
    int64_t budget = machine.memoryBytesPerPe - machine.memcpyBytes -
                     machine.stackBytes - machine.firstAddress;
    if (plan.bytes > budget) {
      good = refuse(nullptr, "needs about " + llvm::Twine(plan.bytes) +
                                 " bytes of a PE, which has " +
                                 llvm::Twine(budget) +
                                 " beside stack and memcpy library");
      refusal.bytes = plan.bytes;
    }
  }
  if (!good) {
    why = refusal;
    return std::nullopt;
  }
  for (const Storage &storage : program.storages)
    plan.storageNodes.push_back(storage.nodes);
  for (const LoopNest &op : program.ops)
    plan.opNodes.push_back(op.nodes);
  return plan;
}
