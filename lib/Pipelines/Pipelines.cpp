//===- Pipelines.cpp - The phases of the compiler -------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Pipelines/Pipelines.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "sequin/Conversion/CslToWafer/Passes.h"
#include "sequin/Conversion/LinalgToCsl/Passes.h"
#include "sequin/Conversion/LinalgToTcp/Passes.h"
#include "sequin/Conversion/NormalizeLinalg/Passes.h"
#include "sequin/Conversion/TcpToConfig/Passes.h"
#include "sequin/Conversion/TosaToLinalg/Passes.h"
#include "sequin/Dialect/Tcp/Transforms/TcpPasses.h"

using namespace mlir;
using namespace sequin;

void sequin::populateNormalizePipeline(
    OpPassManager &pm, const LinalgToTcpPipelineOptions &options) {
  pm.addPass(createLowerTosa());
  pm.addPass(createTensorizeScalars());
  pm.addPass(createNormalizeLinalg({options.allowBf16, options.allowNarrow}));
}

/// The steps of a plan, from groups to kernels.
template <class Pipeline>
static void populatePlanPipeline(OpPassManager &pm,
                                 const PlanOptions<Pipeline> &options) {
  pm.addPass(createFormGroups({options.target, options.chips}));
  pm.addPass(createFuseGroups());
  pm.addPass(createWidenElements({options.argumentLayout}));
  pm.addPass(
      createChooseLayouts({options.argumentLayout, options.searchBudget}));
  pm.addPass(createDivideOverChips({options.searchBudget}));
  pm.addPass(createFuseRows());
  pm.addPass(createChooseMappings({options.searchBudget}));
  pm.addPass(createAssignMemory());
  if (options.recordsMappings)
    pm.addPass(createRecordMappings());
  pm.addPass(createEmitKernels());
}

void sequin::populateCoreToTcpPipeline(
    OpPassManager &pm, const LinalgToTcpPipelineOptions &options) {
  populatePlanPipeline(pm, options);
  pm.addPass(tcp::createCheckMachine());
}

void sequin::populateLinalgToTcpPipeline(
    OpPassManager &pm, const LinalgToTcpPipelineOptions &options) {
  populateNormalizePipeline(pm, options);
  populateCoreToTcpPipeline(pm, options);
}

void sequin::populateTcpToConfigPipeline(
    OpPassManager &pm, const TcpToConfigPipelineOptions &options) {
  pm.addPass(tcp::createCheckMachine());
  pm.addNestedPass<func::FuncOp>(createTcpDeriveSequencers());
  pm.addNestedPass<func::FuncOp>(createStreamMergeEntries());
  pm.addPass(createTcpToConfig({options.entry, options.unrollLoops}));
}

void sequin::populateLinalgToCslPipeline(
    OpPassManager &pm, const LinalgToCslPipelineOptions &options) {
  LinalgToCslOptions lower;
  lower.target = options.target;
  lower.width = options.grid.size() > 0 ? options.grid[0] : 1;
  lower.height = options.grid.size() > 1 ? options.grid[1] : 1;
  lower.entry = options.entry;
  lower.distribution = options.distribution;
  lower.firstColor = options.firstColor;
  pm.addPass(createLowerTosa());
  pm.addPass(createLinalgToCsl(lower));
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createCslCheckProgram());
}

void sequin::registerPipelines() {
  static PassPipelineRegistration<LinalgToTcpPipelineOptions> linalgToTcp(
      kPipelineNames[0],
      "Normalise linalg on tensors, lower it to tcp kernels and check them "
      "against their machine",
      populateLinalgToTcpPipeline);
  static PassPipelineRegistration<TcpToConfigPipelineOptions> tcpToConfig(
      kPipelineNames[1],
      "Check tcp kernels against their machine and derive their configuration",
      populateTcpToConfigPipeline);
  static PassPipelineRegistration<LinalgToCslPipelineOptions> linalgToCsl(
      kPipelineNames[2],
      "Lower linalg on tensors to a csl program on a grid of PEs and check it",
      populateLinalgToCslPipeline);
  static PassPipelineRegistration<ConvertLinalgToTcpOptions> convert(
      kPipelineNames[3],
      "Lower core operations to kernels of the tensor unit: the passes "
      "tcp-plan-*",
      populatePlanPipeline<ConvertLinalgToTcpOptions>);
  static PassPipelineRegistration<> prepare(
      kPipelineNames[4],
      "Bring functions and tasks of csl programs into the form that bytecode "
      "is made from",
      [](OpPassManager &pm) {
        csl_to_wafer::buildPreparePipeline(pm, /*hasAffine=*/true);
      });
}
