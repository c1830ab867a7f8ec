//===- TcpInterpreter.h - What tcp programs mean ----------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every value is a tensor: elements by axes, wherever a type says they are. An
// operation that only moves data gives the same tensor a new place; what the
// tensor does not have there is undefined, and goes on to whatever reads it
// (Tensor.h).
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_REFERENCE_TCPINTERPRETER_H
#define SEQUIN_LIB_REFERENCE_TCPINTERPRETER_H

#include "Elementwise.h"
#include "Tensor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "sequin/Dialect/Tcp/IR/TcpDialect.h"
#include "sequin/Dialect/Tcp/IR/TcpVectorOperands.h"
#include "sequin/Reference/Interpreter.h"

namespace sequin::reference {

/// Runs functions; values of a function live as long as its call.
class TcpInterpreter {
public:
  /// `rules` are those of the module's machine.
  TcpInterpreter(mlir::ModuleOp module, const ArithmeticRules &rules)
      : symbols(module), rules(rules) {}

  llvm::FailureOr<std::vector<Array>> runHost(mlir::func::FuncOp function,
                                              llvm::ArrayRef<Array> inputs);

private:
  using Values = llvm::DenseMap<mlir::Value, Tensor>;

  /// A tensor's place: its axes and the mappings of all its dimensions.
  struct Layout {
    Space *space = nullptr;
    llvm::SmallVector<Digits, 6> mappings;
    /// Whether positions of one of them stand for several indices.
    bool slides = false;
  };

  llvm::FailureOr<llvm::SmallVector<Tensor>>
  runFunction(mlir::func::FuncOp function, llvm::ArrayRef<Tensor> arguments);
  llvm::LogicalResult runBlock(mlir::Block &block, Values &values);
  llvm::LogicalResult runOp(mlir::Operation *op, Values &values);
  /// The same tensor at the place of the result.
  llvm::LogicalResult move(mlir::Operation *op, Values &values);

  // One overload per operation that computes; each engine's are in a file of
  // their own.
  llvm::LogicalResult run(tcp::LaunchOp op, Values &values);
  llvm::LogicalResult run(tcp::ToHbmOp op, Values &values);
  llvm::LogicalResult run(tcp::ToHostOp op, Values &values);
  // TcpMemory.cpp
  llvm::LogicalResult run(tcp::ChipShuffleOp op, Values &values);
  llvm::FailureOr<Tensor> getIndices(mlir::Operation *op, mlir::Value list,
                                     const Values &values);
  llvm::LogicalResult run(tcp::GatherOp op, Values &values);
  llvm::LogicalResult run(tcp::ScatterOp op, Values &values);
  // TcpFetch.cpp
  llvm::LogicalResult run(tcp::BeginInterleavedOp op, Values &values);
  llvm::LogicalResult run(tcp::FetchOp op, Values &values);
  // TcpInterpreter.cpp
  llvm::LogicalResult run(tcp::CastOp op, Values &values);
  // TcpViews.cpp
  llvm::LogicalResult run(mlir::scf::ForOp op, Values &values);
  llvm::LogicalResult run(tcp::FromAddressOp op, Values &values);
  llvm::LogicalResult run(tcp::TileOp op, Values &values);
  llvm::LogicalResult run(tcp::BitcastOp op, Values &values);
  /// A DM tensor under the axes of another type, position by position.
  llvm::FailureOr<Tensor> rename(tcp::BitcastOp op, const Tensor &source);
  llvm::LogicalResult run(tcp::CommitViewOp op, Values &values);
  /// Integer computations on loop indices.
  llvm::LogicalResult compute(mlir::Operation *op);
  llvm::FailureOr<int64_t> indexOf(mlir::Operation *op, mlir::Value index);
  /// What a tile's operation says: the axis it cuts, and from where on in
  /// coordinates of that axis, per chip or one for all.
  struct Cut {
    /// kNoBase for a dimension of one position: there is nothing to move.
    BaseId base = kNoBase;
    int64_t unit = 1;
    llvm::SmallVector<int64_t> starts;
  };
  template <typename OpTy> llvm::FailureOr<Cut> readCut(OpTy op, Space &space);
  // TcpHbmViews.cpp
  llvm::LogicalResult run(tcp::ViewOp op, Values &values);
  llvm::LogicalResult run(tcp::ToHbmViewOp op, Values &values);
  llvm::LogicalResult run(tcp::ConstantOp op, Values &values);
  template <typename OpTy> llvm::FailureOr<int64_t> offsetOf(OpTy op);
  // TcpCommit.cpp
  llvm::LogicalResult run(tcp::CommitPackedOp op, Values &values);
  llvm::LogicalResult run(tcp::ItosOp op, Values &values);
  // TcpContract.cpp
  llvm::LogicalResult run(tcp::AccumulateOp op, Values &values);
  // TcpInterSlice.cpp
  llvm::LogicalResult run(tcp::VectorInterSliceReduceOp op, Values &values);
  // TcpReduce.cpp
  llvm::LogicalResult run(tcp::VectorIntraSliceReduceOp op, Values &values);
  // TcpVector.cpp
  llvm::LogicalResult run(tcp::VectorIntraSliceBranchOp op, Values &values);
  llvm::LogicalResult run(tcp::VectorBranchLogOp op, Values &values);
  llvm::LogicalResult run(tcp::VectorIntraSliceUnzipOp op, Values &values);
  llvm::LogicalResult run(tcp::VectorStashOp op, Values &values);
  llvm::LogicalResult run(tcp::VectorReinterpretOp op, Values &values);
  llvm::LogicalResult run(tcp::VectorLogicOp op, Values &values);
  llvm::LogicalResult run(tcp::VectorLogicZipOp op, Values &values);
  llvm::LogicalResult run(tcp::VectorFxpOp op, Values &values);
  llvm::LogicalResult run(tcp::VectorFxpZipOp op, Values &values);
  llvm::LogicalResult run(tcp::VectorFxpToFpOp op, Values &values);
  llvm::LogicalResult run(tcp::VectorFpUnaryOp op, Values &values);
  llvm::LogicalResult run(tcp::VectorFpBinaryOp op, Values &values);
  llvm::LogicalResult run(tcp::VectorFpTernaryOp op, Values &values);
  llvm::LogicalResult run(tcp::VectorFpZipOp op, Values &values);
  llvm::LogicalResult run(tcp::VectorFpDivOp op, Values &values);
  llvm::LogicalResult run(tcp::VectorFpToFxpOp op, Values &values);
  llvm::LogicalResult run(tcp::VectorClipOp op, Values &values);
  llvm::LogicalResult run(tcp::VectorClipZipOp op, Values &values);
  llvm::LogicalResult run(tcp::VectorFilterOp op, Values &values);
  /// What goes along with a stream in the intra-slice block.
  struct VectorState {
    std::optional<Tensor> ids; ///< ExecutionIds; none while all are 0
    std::optional<Tensor> stash;
    std::optional<Tensor> second; ///< group 1 of a pair
  };
  llvm::LogicalResult defineVector(mlir::Operation *op, const Tensor &tensor,
                                   VectorState state, Values &values);
  llvm::LogicalResult definePair(mlir::Operation *op, const Tensor &first,
                                 const Tensor &second, VectorState state,
                                 Values &values);
  llvm::LogicalResult eachGroup(
      mlir::Operation *op, Values &values,
      llvm::function_ref<llvm::FailureOr<Tensor>(const Tensor &, int group)>
          compute);
  llvm::LogicalResult moveVector(mlir::Operation *op, Values &values);
  llvm::FailureOr<Tensor> readVrf(mlir::Operation *op, mlir::Value vrf,
                                  Values &values);
  llvm::LogicalResult compute(mlir::Operation *op, llvm::StringRef name,
                              tcp::ArgMode mode,
                              llvm::ArrayRef<tcp::VectorOperand> operands,
                              uint16_t active, uint16_t written,
                              Values &values);
  template <typename OpTy>
  llvm::LogicalResult runOperands(OpTy op, llvm::StringRef name,
                                  Values &values);
  llvm::LogicalResult zip(mlir::Operation *op, llvm::StringRef name,
                          tcp::ArgMode mode, Values &values);
  llvm::DenseMap<mlir::Value, VectorState> vectorStates;

  /// The value of `result` is `tensor` placed as the type of `result` says.
  llvm::LogicalResult define(mlir::Value result, const Tensor &tensor,
                             Values &values);
  llvm::FailureOr<Tensor> get(mlir::Operation *op, mlir::Value value,
                              const Values &values);

  Space *getSpace(stream::AxesAttr axes);
  /// Refuses mappings that slide unless `maySlide`.
  llvm::FailureOr<Layout> getLayout(mlir::Operation *op, mlir::Type type,
                                    bool maySlide = false);
  llvm::FailureOr<Digits> read(mlir::Operation *op, Space &space,
                               stream::MappingAttr mapping,
                               bool maySlide = false);

  // TcpHostArrays.cpp
  llvm::FailureOr<Tensor> fromHost(mlir::Operation *op, tcp::HostType type,
                                   const Array &array);
  llvm::FailureOr<Array> toHost(mlir::Operation *op, tcp::HostType type,
                                const Tensor &tensor);

  mlir::SymbolTable symbols;
  ArithmeticRules rules;
  llvm::DenseMap<mlir::Value, int64_t> indices;
  llvm::DenseMap<mlir::Attribute, std::unique_ptr<Space>> spaces;
  unsigned depth = 0;
};

} // namespace sequin::reference

#endif // SEQUIN_LIB_REFERENCE_TCPINTERPRETER_H
