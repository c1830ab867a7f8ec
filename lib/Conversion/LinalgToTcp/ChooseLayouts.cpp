//===- ChooseLayouts.cpp - Which dimension is contiguous ------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DMA reads whole words of 8 bytes, so the contiguous dimension is one that
// nobody reads from an odd place, in steps, or by the sum of two loops. Where
// every dimension is read so, each element gets a word of its own. The fetch
// engine reads whole bytes in any order and DMA writes single bytes: all else
// is a matter of speed.
//
// Arguments and constants come to HBM in as many layouts as their readers like,
// unless the program's user pins that of the arguments.
//
// The contiguous dimension of a contraction's result decides which of its
// factors is stationary: rows of that one leave the engine side by side
// (PlanGroups.cpp, findRoles). Where nobody in the program reads the result,
// both are costed, when all other layouts are there.
//
//===----------------------------------------------------------------------===//

#include "PlanGroups.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::linalg_to_tcp;

/// Loops that cannot run inside a tile: the index of some dimension would not
/// be a mapping of several of them. One loop of each sum may stay.
static llvm::SmallBitVector getSingleLoops(Group &group) {
  llvm::SmallBitVector single(group.loops.size());
  auto visit = [&](const Access &access) {
    for (const Index &index : access.dims)
      for (auto [loop, coefficient] : index.terms)
        // A diagonal is one long step, unless other loops share its dimensions.
        if (coefficient < 0 ||
            (index.terms.size() > 1 && access.countDims(loop) > 1))
          single.set(loop);
    for (const Index &index : access.dims) {
      auto terms = index.terms;
      llvm::sort(terms, [](const auto &a, const auto &b) {
        return a.second > b.second;
      });
      // From the finest: each must step over all of the one before.
      int64_t covered = 0;
      LoopId last = 0;
      for (auto [loop, coefficient] : llvm::reverse(terms)) {
        if (single.test(loop))
          continue;
        if (coefficient >= covered) {
          covered = coefficient * group.loops[loop].extent;
          last = loop;
        } else if (group.loops[loop].extent > group.loops[last].extent) {
          single.set(last);
          covered = coefficient * group.loops[loop].extent;
          last = loop;
        } else {
          single.set(loop);
        }
      }
    }
  };
  // A loop that one access makes single may free another one, which does no
  // harm.
  for (Access *access : group.reads())
    visit(*access);
  visit(group.result);
  return single;
}

/// Whether the group can read dimension `dim` as the contiguous one.
static bool canReadAlong(const Access &access, unsigned dim,
                         const llvm::SmallBitVector &single,
                         const TcpMachine &machine) {
  const Index &index = access.dims[dim];
  int64_t word = machine.dmaAlignBytes * 8;
  if (index.offset * access.tensor->bits() % word != 0)
    return false;
  if (index.terms.empty())
    return true;
  // One loop goes along, others in whole words.
  std::optional<LoopId> along = index.finest();
  return along && access.countDims(*along) == 1 && !single.test(*along) &&
         llvm::all_of(index.terms, [&](const auto &term) {
           return term.first == *along ||
                  (term.second * access.tensor->bits() % word == 0 &&
                   access.countDims(term.first) == 1);
         });
}

static bool canWriteAlong(const Access &access, unsigned dim,
                          const llvm::SmallBitVector &single,
                          const TcpMachine &machine) {
  const Index &index = access.dims[dim];
  if (index.offset * access.tensor->bits() % 8 != 0)
    return false;
  if (access.tensor->bits() < 8 && index.offset != 0)
    return false;
  if (index.terms.empty())
    return true;
  std::optional<LoopId> along = index.finest();
  return along && !single.test(*along) &&
         llvm::all_of(index.terms, [&](const auto &term) {
           return term.first == *along || term.second * access.tensor->bits() %
                                                  (machine.dmaAlignBytes * 8) ==
                                              0;
         });
}

namespace {
/// What speaks for each dimension of a tensor.
struct Votes {
  SmallVector<bool, 4> possible;
  SmallVector<int64_t, 4> weight;

  explicit Votes(Tensor &tensor)
      : possible(tensor.rank(), true), weight(tensor.rank(), 0) {
    // Whole flits first, then the order of the program.
    for (auto [i, size] : llvm::enumerate(tensor.type.getShape()))
      weight[i] += (size == 1 ? -1000 : 4 * std::min<int64_t>(size, 8)) +
                   static_cast<int64_t>(i);
  }
  std::optional<unsigned> best() const {
    std::optional<unsigned> found;
    for (unsigned i = 0; i < possible.size(); ++i)
      if (possible[i] && (!found || weight[i] >= weight[*found]))
        found = i;
    return found;
  }
};
} // namespace

/// Loops that share a dimension end where they end: what speaks against packets
/// along one that is no whole flits.
static constexpr int64_t kSumWeight = 40;

static int64_t weightOfSum(const Group &group, const Index &index,
                           const TcpMachine &machine) {
  std::optional<LoopId> along = index.finest();
  bool isWhole = along && group.loops[*along].extent % machine.outputLanes == 0;
  return index.terms.size() > 1 && !isWhole ? kSumWeight : 0;
}

/// Packets run along a sum, best along a long loop of it; more than what the
/// place of a dimension weighs.
static constexpr int64_t kAlongSum = 100, kLongSum = 64, kSameLoop = 8;

static void addReader(Votes &votes, const Group &group, const Access &access,
                      const llvm::SmallBitVector &single,
                      const TcpMachine &machine) {
  for (unsigned dim = 0; dim < access.dims.size(); ++dim) {
    votes.possible[dim] =
        votes.possible[dim] && canReadAlong(access, dim, single, machine);
    votes.weight[dim] -= weightOfSum(group, access.dims[dim], machine);
    std::optional<LoopId> loop = access.dims[dim].finest();
    if (!loop)
      continue;
    // Packets of a contraction run along the sum; of one with scales along what
    // shares a scale, and the scales along what does not.
    bool isFactor = &access == &group.lhs || &access == &group.rhs;
    bool runsAlong =
        group.scale ? group.scale.uses(*loop) != isFactor : isFactor;
    int64_t extent = group.loops[*loop].extent;
    if (extent > 1 && group.kind == Group::Kind::Contraction &&
        group.loops[*loop].reduced && runsAlong &&
        (isFactor || &access == &group.scale)) {
      votes.weight[dim] += kAlongSum + std::min(extent, kLongSum);
      // Of several long loops both factors take the same one.
      if (extent >= kLongSum)
        votes.weight[dim] += kSameLoop * std::min<int64_t>(*loop, kSameLoop);
    }
  }
  // Rows go as they are.
  if (group.kind == Group::Kind::Gather && &access == &group.stream)
    for (unsigned dim = 0; dim + 1 < access.dims.size(); ++dim)
      votes.possible[dim] = false;
}

static void addWriter(Votes &votes, const Group &group,
                      const llvm::SmallBitVector &single,
                      const TcpMachine &machine) {
  const Access &access = group.result;
  for (unsigned dim = 0; dim < access.dims.size(); ++dim) {
    votes.possible[dim] =
        votes.possible[dim] && canWriteAlong(access, dim, single, machine);
    votes.weight[dim] -= weightOfSum(group, access.dims[dim], machine);
    std::optional<LoopId> loop = access.dims[dim].loop();
    // Rows of the stationary operand are what leaves the contraction engine
    // side by side; loops of both factors cannot be rows.
    if (loop && group.kind == Group::Kind::Contraction &&
        group.lhs.uses(*loop) == group.rhs.uses(*loop))
      votes.weight[dim] -= 60;
    if (group.kind == Group::Kind::Gather && dim + 1 != access.dims.size())
      votes.possible[dim] = false;
  }
}

/// Elements in the order of the result cross the chip in flits; in another one
/// they are transposed. Rows that are scattered go in runs.
static constexpr int64_t kAlongResult = 50;

static void addStreamed(Votes &votes, const Group &group,
                        const Access &access) {
  const Access &result = group.result;
  if ((group.kind != Group::Kind::Stream &&
       group.kind != Group::Kind::Scatter) ||
      &access != &group.stream || !result.tensor->inner)
    return;
  std::optional<LoopId> along = result.dims[*result.tensor->inner].finest();
  for (auto [weight, index] : llvm::zip(votes.weight, access.dims))
    if (along && index.finest() == along)
      weight += kAlongResult;
}

static void setOrder(Tensor &tensor, std::optional<unsigned> inner) {
  tensor.inner = inner;
  tensor.order.clear();
  for (unsigned i = 0; i < tensor.rank(); ++i)
    if (inner != i)
      tensor.order.push_back(i);
  if (inner)
    tensor.order.push_back(*inner);
}

/// The dimension along which a stream of elements of half a byte is to be
/// contiguous: packets run along it, so it is a loop of the result, the one
/// that is contiguous there if that is possible.
static unsigned getPacketDim(const Group &group) {
  const Tensor &result = *group.result.tensor;
  unsigned best = 0;
  int64_t most = -1;
  for (auto [dim, index] : llvm::enumerate(group.stream.dims)) {
    std::optional<LoopId> loop = index.loop();
    if (!loop || group.loops[*loop].reduced)
      continue;
    if (result.inner && group.result.dims[*result.inner].finest() == loop)
      return dim;
    if (group.loops[*loop].extent > most) {
      most = group.loops[*loop].extent;
      best = dim;
    }
  }
  return best;
}

/// Elements of the smallest factor that is copied to lie along the sum: of
/// fewer the packets are picked one by one before a copy has crossed HBM twice.
static constexpr int64_t kLeastCopied = 1 << 14;

/// Whether packets of a factor would be picked element by element from rows of
/// memory that do not run along the sum. `inner` is the dimension that the
/// reader likes to be contiguous, `last` the one that is.
static bool isReadAcross(const Group &group, const Access &access,
                         std::optional<unsigned> inner, unsigned last) {
  if (group.kind != Group::Kind::Contraction ||
      (&access != &group.lhs && &access != &group.rhs) || !inner ||
      *inner == last || access.tensor->type.getNumElements() < kLeastCopied)
    return false;
  auto isSummed = [&](unsigned dim) {
    std::optional<LoopId> loop = access.dims[dim].finest();
    return loop && group.loops[*loop].reduced;
  };
  return isSummed(*inner) && !isSummed(last);
}

/// A group that moves a tensor to another layout.
static std::unique_ptr<Group> makeCopy(Program &program, Tensor *from,
                                       Tensor *to) {
  auto group = std::make_unique<Group>();
  group->origin = StringAttr::get(program.getContext(), "func.func");
  group->loc = program.loc;
  for (int64_t size : from->type.getShape())
    group->loops.emplace_back().extent = size;
  group->stream = wholeOf(from);
  group->result = wholeOf(to);
  group->computeType = from->elementType();
  return group;
}

/// Whether rings that turn the rows of a factor in DM are faster than a copy of
/// it through HBM and rings that take this. `access` reads the factor as it is.
static bool turnsFaster(Program &program, Group &group, Access &access,
                        Tensor *copy, int64_t budget) {
  const TcpMachine &machine = *program.machine;
  std::optional<int64_t> turned = getRingCycles(group, machine, budget);
  if (!turned)
    return false;
  std::unique_ptr<Group> move = makeCopy(program, access.tensor, copy);
  // A copy that does not fit anywhere is no error where there are rings.
  ScopedDiagnosticHandler silent(program.getContext(),
                                 [](Diagnostic &) { return success(); });
  if (failed(GroupPlanner(*move, machine, budget).plan()))
    return true;
  Tensor *from = std::exchange(access.tensor, copy);
  std::optional<int64_t> along = getRingCycles(group, machine, budget);
  access.tensor = from;
  return !along || *turned <= *along + move->record->cycles;
}

/// What the estimate may be off between mappings that differ in all sizes.
static constexpr int64_t kTurnedPercent = 5;

/// The dimension that a contraction's result is contiguous along if the factors
/// change places: one that the other factor alone has.
static std::optional<unsigned> getTurnedInner(const Group &group,
                                              const Votes &votes) {
  const Access &result = group.result;
  auto factorOf = [&](unsigned dim) -> const Access * {
    std::optional<LoopId> loop = result.dims[dim].loop();
    if (!loop || group.lhs.uses(*loop) == group.rhs.uses(*loop))
      return nullptr;
    return group.lhs.uses(*loop) ? &group.lhs : &group.rhs;
  };
  const Access *stationary = factorOf(*result.tensor->inner);
  std::optional<unsigned> found;
  for (unsigned dim = 0; stationary && dim < result.dims.size(); ++dim)
    if (const Access *factor = factorOf(dim);
        factor && factor != stationary && votes.possible[dim] &&
        (!found || votes.weight[dim] >= votes.weight[*found]))
      found = dim;
  return found;
}

/// Whether it is open which factor of the group is stationary: nobody reads the
/// result, no operand of the steps but vectors lies along its rows, and nobody
/// pins sizes, which are those of loops in their roles.
static bool mayTurn(Program &program, Group &group) {
  Tensor *result = group.result.tensor;
  if (group.kind != Group::Kind::Contraction || !result->inner ||
      !llvm::is_contained(program.results, result) ||
      llvm::any_of(group.loops, [](const Loop &loop) {
        return loop.pinnedTile || loop.pinnedParts;
      }))
    return false;
  for (auto &other : program.groups)
    if ((other.get() != &group && other->result.tensor == result) ||
        llvm::any_of(other->reads(), [&](const Access *access) {
          return access->tensor == result;
        }))
      return false;
  std::optional<LoopId> rows = group.result.dims[*result->inner].finest();
  return llvm::none_of(group.steps, [&](const Step &step) {
    return llvm::any_of(step.tensors(), [&](const Access *operand) {
      const Tensor &tensor = *operand->tensor;
      return tensor.rank() > 1 && tensor.inner &&
             operand->dims[*tensor.inner].finest() == rows;
    });
  });
}

/// Lets the factors of a contraction change places if that is faster.
static void turnResult(Program &program, Group &group, const Votes &votes,
                       int64_t budget) {
  std::optional<unsigned> turned = getTurnedInner(group, votes);
  if (!turned)
    return;
  const TcpMachine &machine = *program.machine;
  Group trial = group;
  // What does not fit is refused where it is planned.
  ScopedDiagnosticHandler silent(program.getContext(),
                                 [](Diagnostic &) { return success(); });
  if (failed(GroupPlanner(trial, machine, budget).plan()) || !trial.record)
    return;
  int64_t cycles = trial.record->cycles;
  Tensor &result = *group.result.tensor;
  std::optional<unsigned> inner = result.inner;
  setOrder(result, turned);
  if (!getRingCycles(group, machine, budget,
                     cycles - cycles / 100 * kTurnedPercent))
    setOrder(result, inner);
}

//===----------------------------------------------------------------------===//
// All tensors
//===----------------------------------------------------------------------===//

namespace {
class LayoutChooser {
public:
  LayoutChooser(Program &program, ArgumentLayout layout, int64_t budget)
      : program(program), machine(*program.machine), layout(layout),
        budget(budget) {
    for (auto &group : program.groups)
      if (group->kind == Group::Kind::Scatter)
        scattered.insert(group->result.tensor);
  }
  void run();

private:
  /// A reader that cannot read a tensor as it lies, or only slowly.
  struct Slow {
    Access *access;
    Tensor *from; ///< before its layout was pinned
    std::optional<unsigned> inner;
    bool possible; ///< as it is
  };

  void vote();
  void layOutResults();
  std::optional<unsigned> chooseInner(Group &group, const Votes &votes);
  bool writesAcross(Group &scatter, unsigned rows, unsigned along);
  void turnRows(Group &scatter, unsigned along);
  std::optional<Slow> layOutRead(Group &group, Access &access,
                                 const llvm::SmallBitVector &single);
  void copyForReader(Group &group, const Slow &slow);
  Tensor *copyOf(Tensor *tensor, std::optional<unsigned> inner);
  bool isPinned(const Tensor *tensor) const {
    return tensor->origin == Tensor::Origin::Argument &&
           layout != ArgumentLayout::Chosen && tensor->rank() != 0;
  }
  static bool hasLayout(const Tensor *tensor) { return !tensor->order.empty(); }

  Program &program;
  const TcpMachine &machine;
  ArgumentLayout layout;
  int64_t budget;
  /// What scatters write is the same memory for all who read it.
  DenseSet<const Tensor *> scattered;
  std::vector<llvm::SmallBitVector> singles; ///< by group
  DenseMap<Tensor *, Votes> votes;
  SmallVector<Group *> turnable;
  /// Scatters that write across rows, and the dimension along these.
  SmallVector<std::pair<Group *, unsigned>> across;
  using Key = std::pair<Tensor *, unsigned>;
  static Key keyOf(Tensor *tensor, std::optional<unsigned> inner) {
    return {tensor, inner ? *inner : ~0u};
  }
  DenseMap<Key, Tensor *> copies, moved;
  /// Groups that copy what the host has sent, and those that copy what a group
  /// reads that has been scattered.
  std::vector<std::unique_ptr<Group>> moves;
  DenseMap<Group *, std::vector<std::unique_ptr<Group>>> movesBefore;
};
} // namespace

void LayoutChooser::vote() {
  for (auto &group : program.groups) {
    singles.push_back(getSingleLoops(*group));
    const llvm::SmallBitVector &single = singles.back();
    for (LoopId loop : single.set_bits())
      group->loops[loop].single = true;
    Tensor *result = group->result.tensor;
    addWriter(votes.try_emplace(result, *result).first->second, *group, single,
              machine);
    for (Access *access : group->reads()) {
      Tensor *tensor = access->tensor;
      if (tensor->origin == Tensor::Origin::Computed ||
          scattered.contains(tensor))
        addReader(votes.try_emplace(tensor, *tensor).first->second, *group,
                  *access, single, machine);
    }
  }
}

/// Whether a scatter into rows that are not contiguous takes less than one that
/// is followed by a copy for those who read it so.
bool LayoutChooser::writesAcross(Group &scatter, unsigned rows,
                                 unsigned along) {
  Tensor &tensor = *scatter.result.tensor;
  if (llvm::none_of(program.groups, [&](const auto &group) {
        return llvm::any_of(group->reads(), [&](const Access *access) {
          return access->tensor == &tensor;
        });
      }))
    return false;
  Tensor copy;
  copy.type = tensor.type;
  setOrder(copy, rows);
  setOrder(tensor, rows);
  int64_t across = getRowCycles(scatter, machine);
  setOrder(tensor, along);
  std::unique_ptr<Group> move = makeCopy(program, &tensor, &copy);
  ScopedDiagnosticHandler silent(program.getContext(),
                                 [](Diagnostic &) { return success(); });
  return failed(GroupPlanner(*move, machine, budget).plan()) ||
         across < getRowCycles(scatter, machine) + move->record->cycles;
}

/// The contiguous dimension of what a group writes.
std::optional<unsigned> LayoutChooser::chooseInner(Group &group,
                                                   const Votes &votes) {
  Tensor *result = group.result.tensor;
  if (scattered.contains(result) && isPinned(result))
    return result->rank() - 1;
  std::optional<unsigned> best = votes.best();
  if (group.kind != Group::Kind::Scatter || best != getRowDim(group))
    return best;
  Votes others = votes;
  others.possible[*best] = false;
  std::optional<unsigned> along = others.best();
  if (!along || result->type.getDimSize(*along) == 1)
    return best;
  if (!writesAcross(group, *best, *along))
    return along;
  across.push_back({&group, *along});
  return best;
}

/// Lets a scatter write along its rows if that is less in all, since the
/// contractions that read them can turn them in DM.
void LayoutChooser::turnRows(Group &scatter, unsigned along) {
  Tensor &tensor = *scatter.result.tensor;
  std::optional<unsigned> rows = tensor.inner;
  // What does not fit is refused where it is planned.
  ScopedDiagnosticHandler silent(program.getContext(),
                                 [](Diagnostic &) { return success(); });
  auto cyclesWith = [&](std::optional<unsigned> inner) {
    setOrder(tensor, inner);
    std::optional<int64_t> sum = getRowCycles(scatter, machine);
    for (auto &group : program.groups) {
      if (group->kind != Group::Kind::Contraction ||
          (group->lhs.tensor != &tensor && group->rhs.tensor != &tensor))
        continue;
      // Tiles would pick the sum element by element.
      Group trial = *group;
      if (failed(GroupPlanner(trial, machine, budget).plan()) ||
          (!trial.ring && inner != rows))
        return std::optional<int64_t>();
      *sum += trial.ring           ? trial.ring->cycles
              : trial.weightStream ? trial.weightStream->cycles
                                   : trial.record->cycles;
    }
    return sum;
  };
  std::optional<int64_t> now = cyclesWith(rows), turned = cyclesWith(along);
  if (!now || !turned || *now <= *turned)
    setOrder(tensor, rows);
}

/// Readers first: a contraction, of which either operand can be stationary,
/// writes what they like.
void LayoutChooser::layOutResults() {
  for (auto &group : llvm::reverse(program.groups)) {
    Tensor *result = group->result.tensor;
    Votes &vote = votes.find(result)->second;
    for (const auto &reader : program.groups)
      if (reader->stream.tensor == result &&
          (group->kind == Group::Kind::Contraction ||
           reader->kind == Group::Kind::Scatter))
        addStreamed(vote, *reader, reader->stream);
    if (hasLayout(result))
      continue;
    setOrder(*result, chooseInner(*group, vote));
    if (layout == ArgumentLayout::Chosen && program.chips == 1)
      turnable.push_back(group.get());
  }
}

/// The same argument or constant in another layout, which the host sends.
Tensor *LayoutChooser::copyOf(Tensor *tensor, std::optional<unsigned> inner) {
  Tensor *&copy = copies[keyOf(tensor, inner)];
  if (copy)
    return copy;
  copy = program.addTensor(tensor->type);
  copy->isE2m1 = tensor->isE2m1;
  copy->origin = tensor->origin;
  copy->argument = tensor->argument;
  copy->values = tensor->values;
  setOrder(*copy, inner);
  return copy;
}

/// Every reader of an argument says how it wants it. Returns it if it cannot
/// have that.
std::optional<LayoutChooser::Slow>
LayoutChooser::layOutRead(Group &group, Access &access,
                          const llvm::SmallBitVector &single) {
  Tensor *tensor = access.tensor;
  bool isScattered =
      scattered.contains(tensor) && group.kind != Group::Kind::Scatter;
  if (!isScattered &&
      (tensor->origin == Tensor::Origin::Computed || hasLayout(tensor)))
    return std::nullopt;
  Votes vote(*tensor);
  addReader(vote, group, access, single, machine);
  addStreamed(vote, group, access);
  std::optional<unsigned> inner = vote.best();
  if (&access == &group.stream && sharesBytes(*tensor) && tensor->rank() != 0 &&
      (group.kind == Group::Kind::Stream ||
       group.kind == Group::Kind::Reduction))
    inner = getPacketDim(group);
  if (!isScattered && !isPinned(tensor)) {
    access.tensor = copyOf(tensor, inner);
    access.tensor->mayReorder = true;
    return std::nullopt;
  }
  std::optional<unsigned> last = tensor->inner;
  if (!isScattered) {
    last = tensor->rank() - 1;
    access.tensor = copyOf(tensor, last);
  }
  if (!last ||
      (vote.possible[*last] && !isReadAcross(group, access, inner, *last)))
    return std::nullopt;
  return Slow{&access, tensor, inner, vote.possible[*last]};
}

/// Who cannot read a tensor as it lies, or only slowly, reads a copy.
void LayoutChooser::copyForReader(Group &group, const Slow &slow) {
  if (slow.possible && streamsAcross(group, machine))
    return;
  // What is scattered is copied when it is read.
  bool isScattered = scattered.contains(slow.from);
  Tensor *own = nullptr;
  Tensor *&copy = isScattered ? own : moved[keyOf(slow.from, slow.inner)];
  if (!copy) {
    copy = program.addTensor(slow.from->type);
    copy->isE2m1 = slow.from->isE2m1;
    setOrder(*copy, slow.inner);
    if (slow.possible && program.chips == 1 &&
        turnsFaster(program, group, *slow.access, copy, budget)) {
      copy = nullptr;
      return;
    }
    (isScattered ? movesBefore[&group] : moves)
        .push_back(makeCopy(program, slow.access->tensor, copy));
  }
  slow.access->tensor = copy;
}

void LayoutChooser::run() {
  vote();
  layOutResults();
  for (auto [group, single] : llvm::zip(program.groups, singles)) {
    SmallVector<Slow, 2> slow;
    for (Access *access : group->reads())
      if (std::optional<Slow> found = layOutRead(*group, *access, single))
        slow.push_back(*found);
    for (const Slow &one : slow)
      copyForReader(*group, one);
  }
  for (auto [scatter, along] : across)
    if (program.chips == 1)
      turnRows(*scatter, along);
  for (Group *group : turnable)
    if (mayTurn(program, *group))
      turnResult(program, *group, votes.find(group->result.tensor)->second,
                 budget);
  for (auto &group : program.groups) {
    if (auto found = movesBefore.find(group.get()); found != movesBefore.end())
      llvm::move(found->second, std::back_inserter(moves));
    moves.push_back(std::move(group));
  }
  program.groups = std::move(moves);
}

void linalg_to_tcp::chooseLayouts(Program &program, ArgumentLayout layout,
                                  int64_t budget) {
  LayoutChooser(program, layout, budget).run();
}
