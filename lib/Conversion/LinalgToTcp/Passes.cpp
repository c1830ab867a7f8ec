//===- Passes.cpp - The passes of a plan ----------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each reads the plans of a module, takes one step, and writes them.
//
//===----------------------------------------------------------------------===//

#include "sequin/Conversion/LinalgToTcp/Passes.h"
#include "Program.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "sequin/Support/Interrupt.h"

namespace sequin {
#define GEN_PASS_DEF_FORMGROUPS
#define GEN_PASS_DEF_FUSEGROUPS
#define GEN_PASS_DEF_WIDENELEMENTS
#define GEN_PASS_DEF_CHOOSELAYOUTS
#define GEN_PASS_DEF_DIVIDEOVERCHIPS
#define GEN_PASS_DEF_FUSEROWS
#define GEN_PASS_DEF_CHOOSEMAPPINGS
#define GEN_PASS_DEF_ASSIGNMEMORY
#define GEN_PASS_DEF_RECORDMAPPINGS
#define GEN_PASS_DEF_EMITKERNELS
#include "sequin/Conversion/LinalgToTcp/Passes.h.inc"
} // namespace sequin

using namespace mlir;
using namespace sequin;
using namespace sequin::linalg_to_tcp;

/// Calls `step` for the model of every plan; the operation is still there.
static LogicalResult
forEachPlan(ModuleOp module,
            function_ref<LogicalResult(Program &, ProgramOp)> step) {
  for (ProgramOp op : llvm::make_early_inc_range(module.getOps<ProgramOp>())) {
    tcp::TargetAttr target = tcp::getTarget(op);
    if (!target)
      return failure();
    Program program = readPlan(op, target);
    if (failed(step(program, op)))
      return failure();
  }
  return success();
}

/// A pass that replaces every plan by what `step` of the pass makes of it.
template <template <typename> class Base, typename PassT>
class PlanPass : public Base<PassT> {
public:
  using Base<PassT>::Base;

  void runOnOperation() final {
    auto update = [&](Program &program, ProgramOp op) {
      if (failed(static_cast<PassT *>(this)->step(program)))
        return failure();
      OpBuilder builder(op);
      writePlan(program, builder);
      op.erase();
      return success();
    };
    if (failed(forEachPlan(this->getOperation(), update)))
      this->signalPassFailure();
  }
};

LogicalResult linalg_to_tcp::checkPhase(const Program &program, Phase phase) {
  auto refuse = [&](const Twine &what, StringRef pass) {
    return mlir::emitError(Location(program.loc))
           << "plan '" << program.name.getValue() << "': " << what << "; run "
           << pass << " first";
  };
  for (const Tensor *result : program.results)
    if (result->origin == Tensor::Origin::Computed &&
        llvm::none_of(program.groups, [&](const auto &group) {
          return group->result.tensor == result;
        }))
      return mlir::emitError(Location(program.loc))
             << "plan '" << program.name.getValue() << "' returns '"
             << result->name << "', which no group writes";
  for (auto &group : program.groups) {
    SmallVector<Access *, 4> accesses = group->reads();
    accesses.push_back(&group->result);
    for (Access *access : accesses) {
      const Tensor &tensor = *access->tensor;
      if (static_cast<int64_t>(tensor.order.size()) != tensor.rank())
        return refuse("'" + tensor.name + "' has no layout",
                      "tcp-plan-choose-layouts");
      if (phase == Phase::Memory && tensor.size == 0)
        return refuse("'" + tensor.name + "' has no place in HBM",
                      "tcp-plan-assign-memory");
    }
    if (phase != Phase::Layouts &&
        failed(checkMapping(*group, *program.machine)))
      return failure();
  }
  return success();
}

static LogicalResult checkBudget(const Program &program, int64_t budget) {
  if (budget >= 1)
    return success();
  return mlir::emitError(Location(program.loc))
         << "search-budget " << budget
         << ", allowed are numbers of mappings from 1";
}

/// What the option says, or the machine's row.
static ArgumentLayout getLayout(ArgumentLayout option, const Program &program) {
  if (option != ArgumentLayout::OfMachine)
    return option;
  return program.machine->rowMajorArguments ? ArgumentLayout::RowMajor
                                            : ArgumentLayout::Chosen;
}

namespace {

struct FormGroupsPass : public sequin::impl::FormGroupsBase<FormGroupsPass> {
  using FormGroupsBase::FormGroupsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<func::FuncOp> functions;
    for (auto func : module.getOps<func::FuncOp>())
      if (!func.isExternal() && takesTensors(func))
        functions.push_back(func);
    if (functions.empty() && target.empty())
      return;
    tcp::TargetAttr machine = getMachine(module);
    if (!machine)
      return signalPassFailure();
    module->setAttr(tcp::TcpDialect::kTargetAttrName, machine);
    bool refused = false;
    for (func::FuncOp func : functions) {
      bool isUsed = failed(checkUses(func, module));
      FailureOr<Program> program =
          readProgram(func, *machine.getRow(), machine.getChips());
      refused |= isUsed || failed(program);
      if (refused)
        continue;
      OpBuilder builder(func);
      writePlan(*program, builder);
      func.erase();
    }
    if (refused)
      signalPassFailure();
  }

private:
  /// A program on tensors; functions that are lowered already are left alone.
  static bool takesTensors(func::FuncOp func) {
    auto isTensor = [](Type type) { return isa<TensorType>(type); };
    return llvm::any_of(func.getArgumentTypes(), isTensor) ||
           llvm::any_of(func.getResultTypes(), isTensor);
  }

  /// A lowered function takes other types than its callers have.
  static LogicalResult checkUses(func::FuncOp func, ModuleOp module) {
    std::optional<SymbolTable::UseRange> uses =
        SymbolTable::getSymbolUses(func, module);
    if (!uses || uses->empty())
      return success();
    return uses->begin()->getUser()->emitOpError()
           << "refers to '" << func.getName()
           << "', which becomes a program of its own; inline that function";
  }

  /// The module's machine, or the one the options name.
  tcp::TargetAttr getMachine(ModuleOp module) {
    auto named = module->getAttrOfType<tcp::TargetAttr>(
        tcp::TcpDialect::kTargetAttrName);
    if (target.empty())
      return named ? named : tcp::getTarget(module);
    if (named && named.getMachine() != target) {
      module.emitError() << "module is for machine \"" << named.getMachine()
                         << "\", the option target asks for \"" << target
                         << "\"";
      return {};
    }
    if (named)
      return named;
    return tcp::TargetAttr::getChecked([&] { return module.emitError(); },
                                       &getContext(), StringRef(target),
                                       int64_t(chips), tcp::Mode::Kernel);
  }
};

struct FuseGroupsPass : PlanPass<sequin::impl::FuseGroupsBase, FuseGroupsPass> {
  using PlanPass::PlanPass;
  LogicalResult step(Program &program) {
    fuseGroups(program);
    return success();
  }
};

struct WidenElementsPass
    : PlanPass<sequin::impl::WidenElementsBase, WidenElementsPass> {
  using PlanPass::PlanPass;
  LogicalResult step(Program &program) {
    widenElements(program, getLayout(argumentLayout, program));
    return success();
  }
};

struct ChooseLayoutsPass
    : PlanPass<sequin::impl::ChooseLayoutsBase, ChooseLayoutsPass> {
  using PlanPass::PlanPass;
  LogicalResult step(Program &program) {
    if (failed(checkBudget(program, searchBudget)))
      return failure();
    SearchScope search;
    chooseLayouts(program, getLayout(argumentLayout, program), searchBudget);
    return success();
  }
};

struct DivideOverChipsPass
    : PlanPass<sequin::impl::DivideOverChipsBase, DivideOverChipsPass> {
  using PlanPass::PlanPass;
  LogicalResult step(Program &program) {
    if (failed(checkBudget(program, searchBudget)) ||
        failed(checkPhase(program, Phase::Layouts)))
      return failure();
    SearchScope search;
    return planChips(program, searchBudget);
  }
};

struct FuseRowsPass : PlanPass<sequin::impl::FuseRowsBase, FuseRowsPass> {
  using PlanPass::PlanPass;
  LogicalResult step(Program &program) {
    if (failed(checkPhase(program, Phase::Layouts)))
      return failure();
    fuseRows(program);
    return success();
  }
};

struct ChooseMappingsPass
    : PlanPass<sequin::impl::ChooseMappingsBase, ChooseMappingsPass> {
  using PlanPass::PlanPass;
  LogicalResult step(Program &program) {
    if (failed(checkBudget(program, searchBudget)) ||
        failed(checkPhase(program, Phase::Layouts)))
      return failure();
    SearchScope search;
    return planGroups(program, searchBudget);
  }
};

struct AssignMemoryPass
    : PlanPass<sequin::impl::AssignMemoryBase, AssignMemoryPass> {
  using PlanPass::PlanPass;
  LogicalResult step(Program &program) {
    if (failed(checkPhase(program, Phase::Mappings)))
      return failure();
    return assignMemory(program);
  }
};

struct RecordMappingsPass
    : public sequin::impl::RecordMappingsBase<RecordMappingsPass> {
  void runOnOperation() override {
    auto step = [&](Program &program, ProgramOp op) {
      if (failed(checkPhase(program, Phase::Mappings)))
        return failure();
      op->setAttr(kMappingsAttrName, recordMappings(program));
      return success();
    };
    if (failed(forEachPlan(getOperation(), step)))
      signalPassFailure();
  }
};

struct EmitKernelsPass : public sequin::impl::EmitKernelsBase<EmitKernelsPass> {
  void runOnOperation() override {
    auto step = [&](Program &program, ProgramOp op) {
      if (failed(checkPhase(program, Phase::Memory)))
        return failure();
      OpBuilder builder(op);
      FailureOr<func::FuncOp> host = emitProgram(program, builder);
      if (failed(host))
        return failure();
      for (NamedAttribute attr : op->getDiscardableAttrs())
        (*host)->setAttr(attr.getName(), attr.getValue());
      op.erase();
      return success();
    };
    if (failed(forEachPlan(getOperation(), step)))
      signalPassFailure();
  }
};

} // namespace
