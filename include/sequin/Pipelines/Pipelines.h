//===- Pipelines.h - The phases of the compiler -----------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_PIPELINES_PIPELINES_H
#define SEQUIN_PIPELINES_PIPELINES_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "sequin/Conversion/Attributes.h"
#include "sequin/Conversion/LinalgToTcp/Passes.h"

namespace sequin {

/// Options of the pipelines that plan a program.
template <class Pipeline>
struct PlanOptions : public mlir::PassPipelineOptions<Pipeline> {
  template <class T> using Option = mlir::detail::PassOptions::Option<T>;

  Option<std::string> target{
      *this, "target",
      llvm::cl::desc("machine to lower for, if the module names none"),
      llvm::cl::init("")};
  Option<int64_t> chips{*this, "chips",
                        llvm::cl::desc("chips, with the option target"),
                        llvm::cl::init(1)};
  Option<ArgumentLayout> argumentLayout{
      *this, "argument-layout", llvm::cl::desc("where arguments lie in HBM"),
      llvm::cl::init(ArgumentLayout::OfMachine),
      llvm::cl::values(
          clEnumValN(ArgumentLayout::OfMachine, "of-machine",
                     "what the machine's row says"),
          clEnumValN(ArgumentLayout::Chosen, "chosen", "as their readers like"),
          clEnumValN(ArgumentLayout::RowMajor, "row-major",
                     "in the order of their dimensions, rows padded to 64 "
                     "bytes"))};
  Option<int64_t> searchBudget{
      *this, "search-budget",
      llvm::cl::desc("mappings that are evaluated for one group at most"),
      llvm::cl::init(kDefaultSearchBudget)};
  Option<bool> recordsMappings{
      *this, "record-mappings",
      llvm::cl::desc("attach to the host function how its groups are mapped"),
      llvm::cl::init(false)};
};

/// `--convert-linalg-to-tcp`: the passes of a plan, one after the other.
struct ConvertLinalgToTcpOptions : PlanOptions<ConvertLinalgToTcpOptions> {};

struct LinalgToTcpPipelineOptions : PlanOptions<LinalgToTcpPipelineOptions> {
  Option<bool> allowBf16{
      *this, "allow-bf16",
      llvm::cl::desc("round f32 and f16 operands of contractions to bf16"),
      llvm::cl::init(false)};
  Option<bool> allowNarrow{
      *this, "allow-narrow",
      llvm::cl::desc("the same, and saturate integer operands to i8"),
      llvm::cl::init(false)};
};

/// `--linalg-to-csl="grid=4,4 target=wse3"`.
struct LinalgToCslPipelineOptions
    : public mlir::PassPipelineOptions<LinalgToCslPipelineOptions> {
  Option<std::string> target{
      *this, "target",
      llvm::cl::desc("machine to lower for, if the module names none"),
      llvm::cl::init("")};
  ListOption<int64_t> grid{*this, "grid",
                           llvm::cl::desc("PEs along x and y, as in 4,4")};
  Option<std::string> entry{
      *this, "entry", llvm::cl::desc("function to lower, if there are several"),
      llvm::cl::init("")};
  Option<std::string> distribution{
      *this, "distribution",
      llvm::cl::desc("axes of the arguments' dimensions, as in y,x;x"),
      llvm::cl::init("")};
  Option<unsigned> firstColor{
      *this, "first-color",
      llvm::cl::desc("colors below it are left to others"), llvm::cl::init(0)};
};

struct TcpToConfigPipelineOptions
    : public mlir::PassPipelineOptions<TcpToConfigPipelineOptions> {
  Option<std::string> entry{*this, "entry",
                            llvm::cl::desc("host function to run"),
                            llvm::cl::init("main")};
  Option<bool> unrollLoops{
      *this, "unroll-loops",
      llvm::cl::desc("write out every round of a loop instead of a loop "
                     "command"),
      llvm::cl::init(false)};
};

/// linalg on tensors to core operations, the first part of linalg-to-tcp.
void populateNormalizePipeline(mlir::OpPassManager &pm,
                               const LinalgToTcpPipelineOptions &options);

/// Core operations to `tcp` kernels, checked against their machine.
void populateCoreToTcpPipeline(mlir::OpPassManager &pm,
                               const LinalgToTcpPipelineOptions &options);

/// linalg on tensors to `tcp` kernels, checked against their machine.
void populateLinalgToTcpPipeline(mlir::OpPassManager &pm,
                                 const LinalgToTcpPipelineOptions &options);

/// `tcp` kernels, checked against their machine, to one `tcp.config`.
void populateTcpToConfigPipeline(mlir::OpPassManager &pm,
                                 const TcpToConfigPipelineOptions &options);

/// linalg on tensors to a `csl` program, checked as --csl-check-program does.
void populateLinalgToCslPipeline(mlir::OpPassManager &pm,
                                 const LinalgToCslPipelineOptions &options);

/// Their flags.
inline constexpr llvm::StringLiteral kPipelineNames[] = {
    "linalg-to-tcp", "tcp-to-config", "linalg-to-csl", "convert-linalg-to-tcp",
    "csl-prepare"};
void registerPipelines();

} // namespace sequin

#endif // SEQUIN_PIPELINES_PIPELINES_H
