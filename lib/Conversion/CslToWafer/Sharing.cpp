//===- Sharing.cpp - Operations that may be under way at once -------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sharing.h"
#include "Comptime.h"
#include "NormalForm.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"
#include <set>

using namespace mlir;
using namespace sequin;
using namespace sequin::csl_to_wafer;

namespace {
using Resource = std::pair<Overlap::Of, int64_t>;
using Names = std::set<std::string>;

/// One asynchronous operation.
struct Use {
  csl::DsdOpInterface op;
  llvm::SmallVector<Resource, 3> resources;
  std::optional<uint64_t> given; ///< `ut_id`
  bool isSure = true;            ///< whenever its function runs
  Names targets; ///< tasks that its completion starts or unblocks
};

/// One function or task body.
struct Body {
  std::vector<Use> uses;
  Names calls, sureCalls; ///< those that it makes, and whenever it runs
  Names starts;           ///< tasks that it activates or unblocks itself
};

class Finder {
public:
  Finder(csl::ProgramOp program, const wafer::Setup &setup,
         const wafer::Code &code)
      : program(program) {
    for (const wafer::Task &task : setup.tasks) {
      const std::string &name = code.functions[task.function].name;
      if (task.kind == wafer::TaskKind::Control) {
        byWavelets.insert(name);
        // What is blocked for data is so for control wavelets (TSK-032): on
        // WSE-2 of a color, which may be any, else of a queue with a table.
        if (csl::lookupMachine(program)->generation == 2)
          for (int64_t id = 0; id < 32; ++id)
            controlTasksOf[id].insert(name);
        else
          for (const wafer::Queue &queue : setup.inputQueues)
            if (queue.controlTable == task.table)
              controlTasksOf[queue.id].insert(name);
        continue;
      }
      taskOfId[task.id] = name;
      if (task.kind == wafer::TaskKind::Data)
        byWavelets.insert(name);
    }
  }
  std::vector<Overlap> run();

private:
  void read(FunctionOpInterface function);
  std::string taskOf(Value id) const;
  /// The tasks that unblocking `id` may let run.
  Names freedBy(Value id) const;
  /// The bodies that `entry` runs: its own and those that it calls; or those
  /// alone that it runs in any case.
  Names reachableBodies(const std::string &entry, bool sure = false) const;
  /// The tasks that come of starting `tasks`.
  Names closure(Names tasks, const Use *without = nullptr) const;
  void compare(const std::string &entry, const Use &use,
               const std::string &otherEntry, const Use &other);
  bool add(const Use &first, const Use &second, bool acrossTasks);

  csl::ProgramOp program;
  llvm::DenseMap<int64_t, std::string> taskOfId;
  std::map<int64_t, Names> controlTasksOf; ///< by the id of a data task
  Names byWavelets;
  std::map<std::string, Body> bodies;
  std::vector<std::string> entries; ///< tasks, then exported functions
  Names launched;
  std::vector<Overlap> found;
  /// By the origins of the operations.
  std::set<std::tuple<const void *, const void *, Resource>> known;
};
} // namespace

std::string Finder::taskOf(Value id) const {
  if (!id)
    return "";
  if (auto task = id.getDefiningOp<csl::TaskIdOp>())
    return task.getTask().str();
  std::optional<int64_t> number = csl::getKnownId(id);
  auto found = number ? taskOfId.find(*number) : taskOfId.end();
  return found == taskOfId.end() ? "" : found->second;
}

Names Finder::freedBy(Value id) const {
  Names names;
  if (std::string task = taskOf(id); !task.empty())
    names.insert(task);
  if (!id || isa<csl::LocalTaskIdType>(id.getType()))
    return names;
  std::optional<int64_t> number = csl::getKnownId(id);
  auto found = number ? controlTasksOf.find(*number) : controlTasksOf.end();
  if (found != controlTasksOf.end())
    names.insert(found->second.begin(), found->second.end());
  return names;
}

static std::optional<Resource> getQueue(Value operand) {
  if (auto in = operand.getDefiningOp<csl::FabinDsdOp>())
    if (std::optional<int64_t> queue = csl::getKnownId(in.getQueue()))
      return Resource(Overlap::Of::InputQueue, *queue);
  if (auto out = operand.getDefiningOp<csl::FaboutDsdOp>())
    if (std::optional<int64_t> queue = csl::getKnownId(out.getQueue()))
      return Resource(Overlap::Of::OutputQueue, *queue);
  return std::nullopt;
}

/// Of the copies of an operation that was inlined one stands for all.
static Attribute getOrigin(Operation *op) {
  return op->getAttrOfType<IntegerAttr>(kOrigin);
}
static bool areSame(Operation *a, Operation *b) {
  return getOrigin(a) == getOrigin(b);
}

void Finder::read(FunctionOpInterface function) {
  std::string name = SymbolTable::getSymbolName(function).getValue().str();
  Body &body = bodies[name];
  Block *first = &function.getFunctionBody().front();
  function.walk([&](Operation *op) {
    if (auto call = dyn_cast<func::CallOp>(op)) {
      body.calls.insert(call.getCallee().str());
      if (op->getBlock() == first)
        body.sureCalls.insert(call.getCallee().str());
    }
    if (auto activate = dyn_cast<csl::ActivateOp>(op))
      body.starts.insert(taskOf(activate.getId()));
    if (auto unblock = dyn_cast<csl::UnblockOp>(op))
      body.starts.merge(freedBy(unblock.getId()));
    auto dsd = dyn_cast<csl::DsdOpInterface>(op);
    if (!dsd || !dsd.getAsync())
      return;
    Use use;
    use.op = dsd;
    use.isSure = op->getBlock() == first;
    std::optional<int64_t> microthread;
    if (std::optional<uint64_t> ut = dsd.getUtId())
      microthread = use.given = *ut;
    llvm::SmallVector<Value, 3> operands;
    if (Value dest = dsd.getDestination())
      operands.push_back(dest);
    llvm::append_range(operands, dsd.getSources());
    for (Value operand : operands)
      if (std::optional<Resource> queue = getQueue(operand)) {
        if (!microthread)
          microthread = queue->second;
        use.resources.push_back(*queue);
      }
    if (microthread)
      use.resources.push_back({Overlap::Of::Microthread, *microthread});
    if (std::string task = taskOf(dsd.getActivate()); !task.empty())
      use.targets.insert(task);
    for (Value id : {dsd.getUnblock(), dsd.getControlTarget()})
      use.targets.merge(freedBy(id));
    body.uses.push_back(std::move(use));
  });
  body.starts.erase("");
}

Names Finder::reachableBodies(const std::string &entry, bool sure) const {
  Names result = {entry};
  std::vector<std::string> work = {entry};
  while (!work.empty()) {
    auto body = bodies.find(work.back());
    work.pop_back();
    if (body == bodies.end())
      continue;
    for (const std::string &callee :
         sure ? body->second.sureCalls : body->second.calls)
      if (result.insert(callee).second)
        work.push_back(callee);
  }
  return result;
}

Names Finder::closure(Names tasks, const Use *without) const {
  std::vector<std::string> work(tasks.begin(), tasks.end());
  while (!work.empty()) {
    std::string task = std::move(work.back());
    work.pop_back();
    auto reach = [&](const Names &names) {
      for (const std::string &name : names)
        if (tasks.insert(name).second)
          work.push_back(name);
    };
    for (const std::string &name : reachableBodies(task)) {
      auto body = bodies.find(name);
      if (body == bodies.end())
        continue;
      reach(body->second.starts);
      for (const Use &use : body->second.uses)
        if (!without || !areSame(use.op, without->op))
          reach(use.targets);
    }
  }
  return tasks;
}

/// Records what two operations have in common.
bool Finder::add(const Use &first, const Use &second, bool acrossTasks) {
  bool distinct = first.given && second.given && *first.given != *second.given;
  bool any = false;
  for (const Resource &resource : second.resources) {
    if (!llvm::is_contained(first.resources, resource))
      continue;
    // Different microthreads may share a queue on WSE-3 (AMB-054).
    if (resource.first != Overlap::Of::Microthread &&
        (distinct || (second.given && !acrossTasks)))
      continue;
    // That of a queue which is reported itself.
    auto isOfQueue = [&](const Resource &other) {
      return other.first != Overlap::Of::Microthread &&
             other.second == resource.second &&
             llvm::is_contained(first.resources, other);
    };
    if (resource.first == Overlap::Of::Microthread && !first.given &&
        !second.given && llvm::any_of(second.resources, isOfQueue))
      continue;
    if (!known
             .insert({getOrigin(first.op).getAsOpaquePointer(),
                      getOrigin(second.op).getAsOpaquePointer(), resource})
             .second)
      continue;
    found.push_back(
        {first.op, second.op, resource.first, resource.second, acrossTasks});
    any = true;
  }
  return any;
}

void Finder::compare(const std::string &entry, const Use &use,
                     const std::string &otherEntry, const Use &other) {
  if (areSame(use.op, other.op))
    return;
  // One after the other: what one leads to starts the other.
  if (closure(use.targets).count(otherEntry) ||
      closure(other.targets).count(entry))
    return;
  bool both = byWavelets.count(entry) && byWavelets.count(otherEntry);
  bool leads = closure({entry}, &use).count(otherEntry) ||
               closure({otherEntry}, &other).count(entry);
  if (both || leads)
    add(use, other, /*acrossTasks=*/true);
}

std::vector<Overlap> Finder::run() {
  for (auto function : program.getOps<FunctionOpInterface>())
    if (!function.isExternal())
      read(function);
  for (auto task : program.getOps<csl::TaskOp>())
    entries.push_back(task.getSymName().str());
  walkComptime(program, [&](csl::ExportSymbolOp op) {
    std::string name = op.getSymbol().str();
    if (bodies.count(name)) {
      entries.push_back(name);
      launched.insert(name);
    }
  });
  // In one block.
  for (auto function : program.getOps<FunctionOpInterface>()) {
    const Body &body =
        bodies[SymbolTable::getSymbolName(function).getValue().str()];
    if (body.uses.empty())
      continue;
    function->walk([&](Block *block) {
      llvm::SmallVector<const Use *> before;
      for (const Use &use : body.uses) {
        if (use.op->getBlock() != block)
          continue;
        llvm::SmallVector<Resource, 3> left = use.resources;
        for (const Use *earlier : before) {
          if (areSame(earlier->op, use.op))
            continue;
          Use part = use;
          part.resources = left;
          llvm::erase_if(left, [&](const Resource &resource) {
            return llvm::is_contained(earlier->resources, resource);
          });
          add(*earlier, part, /*acrossTasks=*/false);
        }
        before.push_back(&use);
      }
    });
  }
  // In two tasks. What runs on a condition may be kept apart by it: counters of
  // completions are the usual way, and a run traps if they do not.
  for (size_t i = 0; i < entries.size(); ++i)
    for (size_t j = i + 1; j < entries.size(); ++j) {
      if (launched.count(entries[i]) && launched.count(entries[j]))
        continue;
      for (const std::string &a : reachableBodies(entries[i], /*sure=*/true))
        for (const std::string &b :
             reachableBodies(entries[j], /*sure=*/true)) {
          auto x = bodies.find(a), y = bodies.find(b);
          if (x == bodies.end() || y == bodies.end())
            continue;
          for (const Use &use : x->second.uses)
            for (const Use &other : y->second.uses) {
              bool common =
                  use.isSure && other.isSure &&
                  llvm::any_of(use.resources, [&](const Resource &resource) {
                    return llvm::is_contained(other.resources, resource);
                  });
              if (common)
                compare(entries[i], use, entries[j], other);
            }
        }
    }
  return std::move(found);
}

std::vector<Overlap> csl_to_wafer::findOverlaps(csl::ProgramOp program,
                                                const wafer::Setup &setup,
                                                const wafer::Code &code) {
  return Finder(program, setup, code).run();
}
