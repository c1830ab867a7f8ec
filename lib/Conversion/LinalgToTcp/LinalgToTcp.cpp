//===- LinalgToTcp.cpp - The pass convert-linalg-to-tcp -------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "sequin/Conversion/Attributes.h"
#include "sequin/Conversion/LinalgToTcp/Passes.h"

namespace sequin {
#define GEN_PASS_DEF_LINALGTOTCP
#include "sequin/Conversion/LinalgToTcp/Passes.h.inc"
} // namespace sequin

using namespace mlir;
using namespace sequin;
using namespace sequin::linalg_to_tcp;

namespace {

struct LinalgToTcpPass : public sequin::impl::LinalgToTcpBase<LinalgToTcpPass> {
  using LinalgToTcpBase::LinalgToTcpBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<func::FuncOp> functions;
    for (auto func : module.getOps<func::FuncOp>())
      if (!func.isExternal() && takesTensors(func))
        functions.push_back(func);
    if (functions.empty() && target.empty())
      return;
    if (searchBudget < 1) {
      module.emitError() << "search-budget " << int64_t(searchBudget)
                         << ", allowed are numbers of mappings from 1";
      return signalPassFailure();
    }
    tcp::TargetAttr machine = getMachine(module);
    if (!machine)
      return signalPassFailure();
    for (func::FuncOp func : functions)
      if (failed(checkUses(func, module)))
        return signalPassFailure();
    module->setAttr(tcp::TcpDialect::kTargetAttrName, machine);
    for (func::FuncOp func : functions)
      if (failed(lower(func, machine)))
        return signalPassFailure();
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

  LogicalResult lower(func::FuncOp func, tcp::TargetAttr machine) {
    FailureOr<Program> program =
        readProgram(func, *machine.getRow(), machine.getChips());
    if (failed(program))
      return failure();
    fuseGroups(*program);
    ArgumentLayout layout = argumentLayout;
    if (layout == ArgumentLayout::OfMachine)
      layout = machine.getRow()->rowMajorArguments ? ArgumentLayout::RowMajor
                                                   : ArgumentLayout::Chosen;
    widenElements(*program, layout);
    chooseLayouts(*program, layout, searchBudget);
    if (failed(planChips(*program, searchBudget)))
      return failure();
    fuseRows(*program);
    if (failed(planGroups(*program, searchBudget)))
      return failure();
    ArrayAttr mappings;
    if (recordsMappings)
      mappings = recordMappings(*program);
    std::string name = func.getName().str();
    auto module = func->getParentOfType<ModuleOp>();
    if (failed(emitProgram(*program)))
      return failure();
    if (mappings)
      module.lookupSymbol(name)->setAttr(kMappingsAttrName, mappings);
    return success();
  }
};

} // namespace
