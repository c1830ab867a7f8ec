//===- PlanChips.cpp - How groups and tensors lie on several chips --------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every group has a few divisions (Chips.h). What one costs is what one chip's
// groups cost by the models that plan them, and what the collectives cost that
// bring what it reads. The choice is made for all groups together, by dynamic
// programming over the groups in their order: a state is how the tensors lie
// that later groups use, of two ways to the same state the cheaper one is kept.
//
// The host sends arguments and constants as a group wants them, so they cost
// nothing, and takes results as they lie. Where they are more than HBM holds,
// bytes get a price, which rises until they fit.
//
//===----------------------------------------------------------------------===//

#include "Chips.h"
#include "PlanGroups.h"
#include "mlir/IR/Diagnostics.h"
#include "sequin/Machine/Cycles.h"
#include <set>

using namespace mlir;
using namespace sequin;
using namespace sequin::linalg_to_tcp;

/// States that are kept after a group, the cheapest ones.
static constexpr size_t kMaxStates = 4096;

namespace {

/// The distributions of a tensor that are in memory: bit 0 if it is whole on
/// every chip, bit d + 1 if it is in blocks of dimension d.
using Places = uint64_t;
Places placeOf(Spread spread) {
  return Places(1) << (spread ? *spread + 1 : 0);
}

/// By tensor, in the order in which groups first write them.
using State = std::vector<std::pair<unsigned, Places>>;

struct Option {
  Division division;
  int64_t cycles = 0;
  int64_t hostBytes = 0; ///< that the host sends to one chip
};

/// A tensor that is brought from one distribution to another one.
struct Move {
  const Tensor *tensor;
  Spread from, to;
};

struct Way {
  int64_t cycles = 0;
  int64_t cost = 0; ///< and the price of bytes
  const Way *before = nullptr;
  size_t option = 0;
  std::vector<Move> moves;
};

class ChipPlanner {
public:
  ChipPlanner(Program &program, int64_t budget);
  LogicalResult plan();

private:
  struct Plan {
    int64_t chips = 1;
    int64_t cycles = kMostCycles;
    bool divides = false, fits = true, complete = true;
    int64_t evaluated = 0, feasible = 0;      ///< ways to divide a group
    std::vector<std::vector<Option>> options; ///< by group
    std::vector<size_t> chosen;
    std::vector<std::vector<Move>> moves;
  };

  int64_t cyclesOf(Group &group) const;
  int64_t cyclesOf(Group &group, const Division &division, int64_t chips) const;
  int64_t cyclesOf(const Move &move, int64_t chips);
  Plan search(int64_t chips);
  void choose(Plan &plan, int64_t price);
  int64_t hostBytes(const Plan &plan) const;
  std::optional<Way> extend(size_t index, const Option &option, State &state,
                            int64_t chips);
  void apply(const Plan &plan);
  void record(const Plan &plan, ArrayRef<std::pair<int64_t, int64_t>> tried);
  LogicalResult checkPins();

  Program &program;
  const TcpMachine &machine;
  int64_t budget;
  DenseMap<const Tensor *, unsigned> numbers;
  DenseMap<const Tensor *, int64_t> writers;
  DenseMap<const Tensor *, size_t> lastUse;
  std::vector<int64_t> wholeCycles; ///< by group
  std::map<std::tuple<const Tensor *, Spread, Spread>, int64_t> moveCycles;
};

} // namespace

/// What one chip has of an argument or a constant.
static int64_t hostBytesOf(const Tensor &tensor, Spread spread, int64_t chips) {
  if (tensor.origin == Tensor::Origin::Computed)
    return 0;
  return getByteSize(tensor.kind(), tensor.type.getNumElements()) /
         (spread ? chips : 1);
}

ChipPlanner::ChipPlanner(Program &program, int64_t budget)
    : program(program), machine(*program.machine), budget(budget) {
  // Planners ask who else reads what the host sends.
  countReaders(program);
  for (auto [i, group] : llvm::enumerate(program.groups)) {
    const Tensor *result = group->result.tensor;
    numbers.try_emplace(result, numbers.size());
    ++writers[result];
    lastUse[result] = i;
    for (Access *access : group->reads())
      lastUse[access->tensor] = i;
  }
}

//===----------------------------------------------------------------------===//
// What it costs
//===----------------------------------------------------------------------===//

/// Of a group on one chip, which this plans.
int64_t ChipPlanner::cyclesOf(Group &group) const {
  if (group.kind == Group::Kind::Collective)
    return getCollectiveCycles(group, machine);
  if (group.movesRows())
    return getRowCycles(group, machine);
  // What cannot be planned so is no way to run it; the error is for him who
  // asks for it.
  ScopedDiagnosticHandler quiet(group.loc.getContext(),
                                [](Diagnostic &) { return success(); });
  if (needsWeightStream(group)) {
    if (failed(requireWeightStream(group, machine)))
      return kMostCycles;
  } else if (failed(GroupPlanner(group, machine, budget).plan())) {
    return kMostCycles;
  }
  return group.ring           ? group.ring->cycles
         : group.weightStream ? group.weightStream->cycles
                              : group.record->cycles;
}

int64_t ChipPlanner::cyclesOf(Group &group, const Division &division,
                              int64_t chips) const {
  std::vector<std::unique_ptr<Tensor>> owner;
  ChipTensors tensors(owner, chips);
  int64_t cycles = 0;
  for (auto &part : divideGroup(group, division, tensors, chips))
    cycles = std::min(kMostCycles, cycles + cyclesOf(*part));
  return cycles;
}

int64_t ChipPlanner::cyclesOf(const Move &move, int64_t chips) {
  auto [known, isNew] =
      moveCycles.try_emplace({move.tensor, move.from, move.to}, 0);
  if (isNew) {
    std::vector<std::unique_ptr<Tensor>> owner;
    ChipTensors tensors(owner, chips);
    known->second =
        getCollectiveCycles(*makeCollective(move.tensor, move.from, move.to,
                                            tensors, chips, Group()),
                            machine);
  }
  return known->second;
}

//===----------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------===//

/// Runs group `index` so, from `state`, which becomes the state behind it;
/// nothing if that is not possible.
std::optional<Way> ChipPlanner::extend(size_t index, const Option &option,
                                       State &state, int64_t chips) {
  Group &group = *program.groups[index];
  Way way;
  way.cycles = option.cycles;
  auto find = [&](const Tensor *tensor) {
    auto number = numbers.find(tensor);
    return number == numbers.end()
               ? state.end()
               : llvm::find_if(state, [&](const auto &entry) {
                   return entry.first == number->second;
                 });
  };
  for (auto [access, wanted] :
       llvm::zip_equal(group.reads(), option.division.reads)) {
    auto found = find(access->tensor);
    if (found == state.end() || (found->second & placeOf(wanted)))
      continue;
    std::optional<Move> best;
    for (unsigned bit = 0; bit <= access->tensor->rank(); ++bit) {
      Spread from = bit == 0 ? Spread() : Spread(bit - 1);
      if (!(found->second & placeOf(from)))
        continue;
      Move move{access->tensor, from, wanted};
      if (!best || cyclesOf(move, chips) < cyclesOf(*best, chips))
        best = move;
    }
    way.cycles += cyclesOf(*best, chips);
    found->second |= placeOf(wanted);
    way.moves.push_back(*best);
  }
  // Who writes into a tensor that is there leaves other copies behind.
  const Tensor *result = group.result.tensor;
  Places place = placeOf(option.division.result);
  if (auto found = find(result); found == state.end())
    state.push_back({numbers.lookup(result), place});
  else if (found->second & place)
    found->second = place;
  else
    return std::nullopt;
  return way;
}

ChipPlanner::Plan ChipPlanner::search(int64_t chips) {
  Plan plan;
  plan.chips = chips;
  moveCycles.clear();
  for (auto [group, whole] : llvm::zip_equal(program.groups, wholeCycles)) {
    std::vector<Option> &options = plan.options.emplace_back();
    const Tensor *result = group->result.tensor;
    for (Division &division :
         getDivisions(*group, chips, writers.lookup(result))) {
      Option option;
      option.division = std::move(division);
      bool isWhole = option.division.kind == Division::Kind::Whole;
      plan.divides |= !isWhole;
      if (!isWhole && whole <= interChipCycles(machine, 0) &&
          option.division.kind == Division::Kind::Sums)
        continue;
      option.cycles =
          isWhole ? whole : cyclesOf(*group, option.division, chips);
      for (auto [access, spread] :
           llvm::zip_equal(group->reads(), option.division.reads))
        option.hostBytes += hostBytesOf(*access->tensor, spread, chips);
      option.hostBytes += hostBytesOf(*result, option.division.result, chips);
      ++plan.evaluated;
      plan.feasible += option.cycles < kMostCycles;
      if (isWhole || option.cycles < kMostCycles)
        options.push_back(std::move(option));
    }
  }
  if (!plan.divides)
    return plan;
  // Cycles for 1,024 bytes, from what hardly counts to what alone does.
  for (int64_t price : {0, 1, 16, 256, 4096}) {
    choose(plan, price);
    plan.fits = hostBytes(plan) <= machine.hbmBytes;
    if (plan.fits || plan.chosen.empty())
      break;
  }
  return plan;
}

/// Of a price for the bytes that the host sends, in cycles for 1,024 of them.
void ChipPlanner::choose(Plan &plan, int64_t price) {
  plan.chosen.clear();
  plan.moves.clear();
  plan.cycles = kMostCycles;
  // Tensors that no later group uses are no part of a state.
  std::vector<SmallVector<unsigned, 2>> dying(program.groups.size());
  for (auto [tensor, number] : numbers)
    dying[lastUse.lookup(tensor)].push_back(number);
  std::vector<std::map<State, Way>> states(1);
  states[0].try_emplace({});
  for (size_t i = 0; i < program.groups.size(); ++i) {
    std::map<State, Way> next;
    for (const auto &[state, before] : states.back())
      for (auto [number, option] : llvm::enumerate(plan.options[i])) {
        State after = state;
        std::optional<Way> way = extend(i, option, after, plan.chips);
        if (!way)
          continue;
        way->cost = std::min(kMostCycles, before.cost + way->cycles +
                                              option.hostBytes / 1024 * price);
        way->cycles = std::min(kMostCycles, way->cycles + before.cycles);
        way->before = &before;
        way->option = number;
        llvm::erase_if(after, [&](const auto &entry) {
          return llvm::is_contained(dying[i], entry.first);
        });
        auto [found, isNew] = next.try_emplace(std::move(after), *way);
        if (!isNew && way->cost < found->second.cost)
          found->second = std::move(*way);
      }
    if (next.size() > kMaxStates) {
      plan.complete = false;
      std::vector<int64_t> costs;
      for (const auto &[state, way] : next)
        costs.push_back(way.cost);
      std::nth_element(costs.begin(), costs.begin() + kMaxStates, costs.end());
      for (auto it = next.begin(); it != next.end();)
        it = it->second.cost > costs[kMaxStates] ? next.erase(it)
                                                 : std::next(it);
    }
    // Pins of groups that write one tensor may exclude each other.
    if (next.empty())
      return;
    states.push_back(std::move(next));
  }
  const Way *way = nullptr;
  for (const auto &[state, last] : states.back())
    if (!way || last.cost < way->cost)
      way = &last;
  plan.cycles = way->cycles;
  for (; way->before; way = way->before) {
    plan.chosen.push_back(way->option);
    plan.moves.push_back(way->moves);
  }
  std::reverse(plan.chosen.begin(), plan.chosen.end());
  std::reverse(plan.moves.begin(), plan.moves.end());
}

/// What the host sends to one chip, every distribution of a tensor once.
int64_t ChipPlanner::hostBytes(const Plan &plan) const {
  std::set<std::pair<const Tensor *, Spread>> sent;
  int64_t bytes = 0;
  auto add = [&](const Tensor *tensor, Spread spread) {
    if (sent.insert({tensor, spread}).second)
      bytes += hostBytesOf(*tensor, spread, plan.chips);
  };
  for (auto [i, option] : llvm::enumerate(plan.chosen)) {
    Group &group = *program.groups[i];
    const Division &division = plan.options[i][option].division;
    for (auto [access, spread] : llvm::zip_equal(group.reads(), division.reads))
      add(access->tensor, spread);
    add(group.result.tensor, division.result);
  }
  return bytes;
}

//===----------------------------------------------------------------------===//
// The program of one chip
//===----------------------------------------------------------------------===//

void ChipPlanner::apply(const Plan &plan) {
  std::vector<std::unique_ptr<Tensor>> owner;
  ChipTensors tensors(owner, plan.chips);
  std::vector<std::unique_ptr<Group>> groups;
  DenseMap<const Tensor *, Spread> last;
  for (auto [i, group] : llvm::enumerate(program.groups)) {
    const Division &division = plan.options[i][plan.chosen[i]].division;
    for (const Move &move : plan.moves[i])
      groups.push_back(makeCollective(move.tensor, move.from, move.to, tensors,
                                      plan.chips, *group));
    for (auto &part : divideGroup(*group, division, tensors, plan.chips))
      groups.push_back(std::move(part));
    last[group->result.tensor] = division.result;
    if (group->result.tensor->origin == Tensor::Origin::Argument)
      tensors.write(group->result.tensor, division.result);
  }
  for (Tensor *&result : program.results)
    result = tensors.get(result, last.lookup(result));
  program.groups = std::move(groups);
  llvm::append_range(program.tensors,
                     llvm::make_range(std::make_move_iterator(owner.begin()),
                                      std::make_move_iterator(owner.end())));
  program.chipsUsed = plan.chips;
}

/// For --report-mapping: how many chips, and what the next best number takes.
void ChipPlanner::record(const Plan &plan,
                         ArrayRef<std::pair<int64_t, int64_t>> tried) {
  MappingRecord &record = program.chipsRecord.emplace();
  auto describe = [](int64_t chips) {
    return std::to_string(chips) + (chips == 1 ? " chip" : " chips");
  };
  record.kind = "chips";
  record.mapping =
      describe(plan.chips) + " of " + std::to_string(program.chips);
  if (plan.chips > 1) {
    int64_t divided = 0, moves = 0;
    for (auto [i, option] : llvm::enumerate(plan.chosen)) {
      divided += plan.options[i][option].division.kind != Division::Kind::Whole;
      moves += plan.moves[i].size();
    }
    record.mapping += "; " + std::to_string(divided) + " of " +
                      std::to_string(plan.chosen.size()) + " groups divided, " +
                      std::to_string(moves) +
                      " tensors brought to lie otherwise";
  }
  record.cycles = plan.cycles;
  record.evaluated = plan.evaluated;
  record.feasible = plan.feasible;
  record.complete = plan.complete;
  std::optional<std::pair<int64_t, int64_t>> next;
  for (auto [chips, cycles] : tried)
    if (chips != plan.chips && (!next || cycles < next->second))
      next = {chips, cycles};
  if (!next)
    return;
  record.runnerUp = describe(next->first);
  record.runnerUpCycles = next->second;
  record.reason = next->second < plan.cycles
                      ? "what the host sends does not fit into HBM"
                      : "it takes " +
                            std::to_string(next->second - plan.cycles) +
                            " cycles longer";
}

/// One number of chips for the program, and loops that it divides.
LogicalResult ChipPlanner::checkPins() {
  std::optional<int64_t> count;
  for (auto &group : program.groups)
    for (auto [i, loop] : llvm::enumerate(group->loops)) {
      if (loop.pinnedChips <= 1)
        continue;
      auto error = [&]() {
        return group->emitOpError()
               << "pins " << loop.pinnedChips << " chips for loop " << i
               << " of " << loop.extent << " iterations, ";
      };
      if (loop.pinnedChips > program.chips)
        return error() << "the program has " << program.chips;
      if (count && *count != loop.pinnedChips)
        return error() << "another operation pins " << *count
                       << "; a program uses one number of chips";
      count = loop.pinnedChips;
      if (getDivisions(*group, *count, writers.lookup(group->result.tensor))
              .empty())
        return error()
               << (loop.extent % *count != 0
                       ? "which they do not divide"
                       : "of which chips cannot have blocks: other loops that "
                         "are pinned, or a tensor in which their elements are "
                         "no block of one dimension");
    }
  return success();
}

LogicalResult ChipPlanner::plan() {
  if (failed(checkPins()))
    return failure();
  int64_t pinned = 0;
  for (auto &group : program.groups)
    for (const Loop &loop : group->loops)
      pinned = std::max(pinned, loop.pinnedChips);
  if (program.chips == 1 || program.chipsUsed > 1)
    return success();
  int64_t all = 0, bytes = 0;
  for (auto &tensor : program.tensors)
    if (tensor->readers > 0 || numbers.contains(tensor.get()))
      bytes += hostBytesOf(*tensor, Spread(), 1);
  for (auto &group : program.groups) {
    std::vector<std::unique_ptr<Tensor>> owner;
    ChipTensors tensors(owner, 1);
    Division whole;
    whole.reads.assign(group->reads().size(), Spread());
    wholeCycles.push_back(cyclesOf(*group, whole, 1));
    all = std::min(kMostCycles, all + wholeCycles.back());
  }
  Plan best;
  SmallVector<std::pair<int64_t, int64_t>> tried; ///< chips and cycles
  bool divides = false;
  if (pinned > 1) {
    best = search(pinned);
    tried.push_back({pinned, best.cycles});
    divides = true;
    if (best.chosen.empty())
      return program.emitOpError()
             << "has pins of chips that exclude each other";
  } else {
    best.cycles = all;
    best.fits = bytes <= machine.hbmBytes;
    tried.push_back({1, all});
    for (int64_t chips = program.chips; chips > 1; --chips) {
      // Fewer chips could not be faster, nor have more room.
      if (best.chips > 1 && best.cycles <= all / chips)
        break;
      Plan plan = search(chips);
      divides |= plan.divides;
      if (!plan.chosen.empty())
        tried.push_back({chips, plan.cycles});
      bool isBetter =
          plan.fits == best.fits ? plan.cycles < best.cycles : plan.fits;
      if (!plan.chosen.empty() && isBetter)
        best = std::move(plan);
    }
  }
  if (!divides)
    mlir::emitWarning(Location(program.loc))
        << "no operation has a loop that divides over " << program.chips
        << " chips or fewer; the program runs on the first one";
  else if (best.chips > 1 && best.chips < program.chips && pinned <= 1)
    mlir::emitWarning(Location(program.loc))
        << "the program runs on " << best.chips << " of " << program.chips
        << " chips, over which its loops divide best";
  record(best, tried);
  if (best.chips > 1)
    apply(best);
  return success();
}

LogicalResult linalg_to_tcp::planChips(Program &program, int64_t budget) {
  return ChipPlanner(program, budget).plan();
}
