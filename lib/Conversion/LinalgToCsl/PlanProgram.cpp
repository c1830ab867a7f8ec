//===- PlanProgram.cpp - Which axes dimensions are cut along --------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanAssignment.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::linalg_to_csl;

/// Assignments that are evaluated at most; programs of up to seven classes are
/// tried out.
static constexpr unsigned kMaxAssignments = 20000;
/// Panels per block of SUMMA that are tried, narrower ones take less memory.
static constexpr int64_t kPanelsPerBlock[] = {1, 2, 4, 8, 16};

namespace {
/// All assignments on one grid; keeps the cheapest plan and the best reason.
class Search {
public:
  Search(Program &program, Grid grid, csl::TargetAttr target,
         ArrayRef<SmallVector<FabricAxis>> pins)
      : program(program), grid(grid), target(target), pins(pins) {}

  void run();

  std::optional<Plan> best;
  /// Of what failed for memory the smallest, else the last.
  Refusal refusal;

private:
  void tryClasses(const ClassTable &table, Assignment &assignment,
                  unsigned number);
  bool fitsPins(const Assignment &assignment) const;
  bool clashes(const Assignment &assignment, unsigned number) const;
  void evaluate(const ClassTable &table, Assignment &assignment);

  Program &program;
  Grid grid;
  csl::TargetAttr target;
  ArrayRef<SmallVector<FabricAxis>> pins;
  unsigned tried = 0;
};
} // namespace

/// Whether the class `number` may not have its axis because of an earlier one.
bool Search::clashes(const Assignment &assignment, unsigned number) const {
  auto of = [&](unsigned cls) {
    return cls <= number ? assignment.axes[cls] : FabricAxis::None;
  };
  auto clash = [&](ArrayRef<Node> nodes) {
    bool x = false, y = false;
    for (const Node &node : nodes) {
      FabricAxis axis = of(node.dim);
      if ((usesX(axis) && x) || (usesY(axis) && y))
        return true;
      x |= usesX(axis);
      y |= usesY(axis);
    }
    return false;
  };
  for (const Storage &storage : program.storages)
    if (clash(storage.nodes))
      return true;
  for (const LoopNest &op : program.ops)
    if (clash(op.nodes))
      return true;
  return false;
}

bool Search::fitsPins(const Assignment &assignment) const {
  for (const Storage &storage : program.storages) {
    if (!storage.argument || *storage.argument >= pins.size())
      continue;
    for (auto [node, pin] : llvm::zip(storage.nodes, pins[*storage.argument]))
      if (assignment.axes[node.dim] != pin)
        return false;
  }
  return true;
}

void Search::evaluate(const ClassTable &table, Assignment &assignment) {
  if (!fitsPins(assignment))
    return;
  bool hasSumma = llvm::is_contained(assignment.summa, true);
  for (int64_t panels : kPanelsPerBlock) {
    if (++tried > kMaxAssignments)
      return;
    assignment.panelsPerBlock = panels;
    Refusal why;
    std::optional<Plan> plan =
        AssignmentPlanner(program, table, grid, target).run(assignment, why);
    if (plan) {
      if (!best || plan->cycles < best->cycles)
        best = std::move(plan);
    } else if (refusal.text.empty() ||
               (why.bytes && (!refusal.bytes || why.bytes < refusal.bytes))) {
      refusal = why;
    }
    // Narrower panels are for want of memory.
    if (!hasSumma || plan || !why.bytes)
      return;
  }
}

void Search::tryClasses(const ClassTable &table, Assignment &assignment,
                        unsigned number) {
  if (tried > kMaxAssignments)
    return;
  if (number == table.extents.size())
    return evaluate(table, assignment);
  for (FabricAxis axis :
       {FabricAxis::XY, FabricAxis::Y, FabricAxis::X, FabricAxis::None}) {
    bool cut = axis != FabricAxis::None;
    if (cut && (grid.along(axis) < 2 || table.fixed[number] ||
                table.extents[number] < 2))
      continue;
    if (axis == FabricAxis::XY && (grid.width < 2 || grid.height < 2))
      continue;
    assignment.axes[number] = axis;
    if (cut && clashes(assignment, number))
      continue;
    tryClasses(table, assignment, number + 1);
  }
  assignment.axes[number] = FabricAxis::None;
}

void Search::run() {
  SmallVector<unsigned> candidates;
  if (grid.width > 1 && grid.height > 1)
    for (auto [number, op] : llvm::enumerate(program.ops))
      if (getSummaLoops(op))
        candidates.push_back(number);
  // Beyond a few contractions all are SUMMA or none.
  unsigned choices = candidates.size() > 4 ? 2 : 1u << candidates.size();
  for (unsigned choice = choices; choice-- > 0;) {
    Assignment assignment;
    assignment.summa.assign(program.ops.size(), false);
    for (auto [bit, number] : llvm::enumerate(candidates))
      assignment.summa[number] =
          candidates.size() > 4 ? choice : choice >> bit & 1;
    ClassTable table = buildClasses(program, assignment.summa);
    assignment.axes.assign(table.extents.size(), FabricAxis::None);
    tryClasses(table, assignment, 0);
  }
}

/// "y,x;-": the axes of each argument's dimensions.
static FailureOr<SmallVector<SmallVector<FabricAxis>>>
parsePins(const Program &program, StringRef text) {
  SmallVector<SmallVector<FabricAxis>> pins;
  if (text.empty())
    return pins;
  func::FuncOp func = program.func;
  auto error = [&] {
    return func.emitError()
           << "distribution=" << text
           << ": expected axes x, y, xy or - of each dimension, separated by "
              "commas, and a semicolon between arguments";
  };
  SmallVector<StringRef> arguments;
  text.split(arguments, ';');
  if (arguments.size() > func.getNumArguments()) {
    func.emitError() << "distribution=" << text << " is for "
                     << arguments.size() << " arguments, the function has "
                     << func.getNumArguments();
    return failure();
  }
  for (auto [number, argument] : llvm::enumerate(arguments)) {
    SmallVector<StringRef> dims;
    if (!argument.empty())
      argument.split(dims, ',');
    SmallVector<FabricAxis> axes;
    for (StringRef dim : dims) {
      if (dim != "x" && dim != "y" && dim != "xy" && dim != "-") {
        error();
        return failure();
      }
      axes.push_back(dim == "x"    ? FabricAxis::X
                     : dim == "y"  ? FabricAxis::Y
                     : dim == "xy" ? FabricAxis::XY
                                   : FabricAxis::None);
    }
    size_t rank = program.storages[number].shape.size();
    if (axes.size() != rank) {
      func.emitError() << "distribution=" << text << " has " << axes.size()
                       << " axes for argument " << number << " of " << rank
                       << " dimensions";
      return failure();
    }
    pins.push_back(axes);
  }
  return pins;
}

/// A grid on which the program fits, for the message that it does not here.
static std::string whatWouldFit(Program &program, Grid grid,
                                csl::TargetAttr target,
                                ArrayRef<SmallVector<FabricAxis>> pins) {
  const CslMachine &machine = *target.getRow();
  for (int step = 0; step < 6; ++step) {
    if (grid.width <= grid.height)
      grid.width *= 2;
    else
      grid.height *= 2;
    if (grid.width > machine.fabricWidth || grid.height > machine.fabricHeight)
      break;
    Search search(program, grid, target, pins);
    search.run();
    if (search.best)
      return "; it fits on a grid of " + std::to_string(grid.width) + " x " +
             std::to_string(grid.height);
  }
  return "; a larger grid does not help";
}

FailureOr<Plan> linalg_to_csl::planProgram(Program &program,
                                           const PlanOptions &options,
                                           csl::TargetAttr target) {
  FailureOr<SmallVector<SmallVector<FabricAxis>>> pins =
      parsePins(program, options.pin);
  if (failed(pins))
    return failure();
  Search search(program, options.grid, target, *pins);
  search.run();
  if (!search.best) {
    Refusal refusal = search.refusal;
    if (refusal.text.empty())
      refusal.text = "no layout agrees with distribution=" + options.pin;
    Operation *op = refusal.op ? refusal.op : program.func.getOperation();
    std::string more;
    if (refusal.bytes)
      more = whatWouldFit(program, options.grid, target, *pins);
    return op->emitError() << "'" << op->getName()
                           << "' op does not fit a grid of "
                           << options.grid.width << " x " << options.grid.height
                           << " PEs: " << refusal.text << more;
  }
  Plan plan = std::move(*search.best);
  for (auto [storage, nodes] : llvm::zip(program.storages, plan.storageNodes))
    storage.nodes = nodes;
  for (auto [op, nodes] : llvm::zip(program.ops, plan.opNodes))
    op.nodes = nodes;
  for (auto [storage, home] : llvm::zip(program.storages, plan.homes))
    storage.name = program.storages[home].name;
  return plan;
}

Distribution linalg_to_csl::getDistribution(const Program &program,
                                            const Plan &plan, const View &view,
                                            ArrayRef<int64_t> shape) {
  const Storage &storage = program.storages[view.storage];
  const LocalArray &array = plan.arrays[view.storage];
  Distribution result;
  for (auto [d, size] : llvm::enumerate(shape)) {
    const Node &node = storage.nodes[d];
    const DimClass &cls = plan.classes[node.dim];
    result.dims.push_back({.size = size,
                           .axis = cls.axis,
                           .block = cls.block,
                           .origin = node.origin + view.offsets[d],
                           .low = array.low[d],
                           .extent = array.extents[d]});
  }
  result.order.assign(array.order.begin(), array.order.end());
  return result;
}

//===----------------------------------------------------------------------===//
// DSD operations
//===----------------------------------------------------------------------===//

std::optional<StringRef> linalg_to_csl::getCombinerDsdOp(Combiner combiner,
                                                         Type type) {
  bool single = type.isF32(), half = type.isF16() || type.isBF16();
  switch (combiner) {
  case Combiner::Add:
    if (single)
      return StringRef("fadds");
    if (half)
      return StringRef("faddh");
    if (type.isInteger(16))
      return StringRef("add16");
    return std::nullopt;
  case Combiner::Mul:
    if (single)
      return StringRef("fmuls");
    if (half)
      return StringRef("fmulh");
    return std::nullopt;
  case Combiner::Max:
    if (single)
      return StringRef("fmaxs");
    if (half)
      return StringRef("fmaxh");
    return std::nullopt;
  case Combiner::Min:
    return std::nullopt;
  }
  llvm_unreachable("unknown combiner");
}

StringRef linalg_to_csl::getMoveDsdOp(Type type) {
  if (type.isF32())
    return "fmovs";
  if (type.isF16() || type.isBF16())
    return "fmovh";
  return type.isInteger(16) ? "mov16" : "mov32";
}

TypedAttr linalg_to_csl::getNeutral(Combiner combiner, Type type) {
  Builder builder(type.getContext());
  if (auto real = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &format = real.getFloatSemantics();
    switch (combiner) {
    case Combiner::Add:
      return builder.getFloatAttr(type, 0.0);
    case Combiner::Mul:
      return builder.getFloatAttr(type, 1.0);
    case Combiner::Max:
      return builder.getFloatAttr(type, APFloat::getInf(format, true));
    case Combiner::Min:
      return builder.getFloatAttr(type, APFloat::getInf(format, false));
    }
  }
  unsigned width = type.getIntOrFloatBitWidth();
  switch (combiner) {
  case Combiner::Add:
    return builder.getIntegerAttr(type, 0);
  case Combiner::Mul:
    return builder.getIntegerAttr(type, 1);
  case Combiner::Max:
    return builder.getIntegerAttr(type, APInt::getSignedMinValue(width));
  case Combiner::Min:
    return builder.getIntegerAttr(type, APInt::getSignedMaxValue(width));
  }
  llvm_unreachable("unknown combiner");
}
