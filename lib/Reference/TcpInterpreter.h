//===- TcpInterpreter.h - What tcp programs mean ----------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every value is a tensor: elements by axes, wherever a type says they are. An
// operation that only moves data gives the same tensor a new place; place()
// says when the new place asks for elements that the tensor does not have.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_REFERENCE_TCPINTERPRETER_H
#define SEQUIN_LIB_REFERENCE_TCPINTERPRETER_H

#include "Elementwise.h"
#include "Tensor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "sequin/Dialect/Tcp/IR/TcpDialect.h"
#include "sequin/Reference/Interpreter.h"

namespace sequin::reference {

/// Runs functions; values of a function live as long as its call.
class TcpInterpreter {
public:
  explicit TcpInterpreter(mlir::ModuleOp module) : symbols(module) {}

  llvm::FailureOr<std::vector<Array>> runHost(mlir::func::FuncOp function,
                                              llvm::ArrayRef<Array> inputs);

private:
  using Values = llvm::DenseMap<mlir::Value, Tensor>;

  /// A tensor's place: its axes and the mappings of all its dimensions.
  struct Place {
    Space *space = nullptr;
    llvm::SmallVector<Digits, 6> mappings;
  };

  llvm::FailureOr<llvm::SmallVector<Tensor>>
  runFunction(mlir::func::FuncOp function, llvm::ArrayRef<Tensor> arguments);
  llvm::LogicalResult runOp(mlir::Operation *op, Values &values);
  /// The same tensor at the place of the result.
  llvm::LogicalResult move(mlir::Operation *op, Values &values);

  // One overload per operation that computes; each engine's are in a file of
  // their own.
  llvm::LogicalResult run(tcp::LaunchOp op, Values &values);
  llvm::LogicalResult run(tcp::ToHbmOp op, Values &values);
  llvm::LogicalResult run(tcp::FetchOp op, Values &values);
  llvm::LogicalResult run(tcp::CastOp op, Values &values);
  // TcpContract.cpp
  llvm::LogicalResult run(tcp::AccumulateOp op, Values &values);
  // TcpVector.cpp
  llvm::LogicalResult run(tcp::VectorFxpOp op, Values &values);
  llvm::LogicalResult run(tcp::VectorFxpToFpOp op, Values &values);
  llvm::LogicalResult run(tcp::VectorFpBinaryOp op, Values &values);
  llvm::LogicalResult run(tcp::VectorFpToFxpOp op, Values &values);
  llvm::LogicalResult run(tcp::VectorClipOp op, Values &values);
  template <typename OpTy>
  llvm::LogicalResult runBinary(OpTy op, llvm::StringRef name, Values &values);

  /// The value of `result` is `tensor` placed as the type of `result` says.
  llvm::LogicalResult define(mlir::Value result, const Tensor &tensor,
                             Values &values);
  llvm::FailureOr<Tensor> get(mlir::Operation *op, mlir::Value value,
                              const Values &values);

  Space *getSpace(stream::AxesAttr axes);
  llvm::FailureOr<Place> getPlace(mlir::Operation *op, mlir::Type type);
  llvm::FailureOr<Digits> read(mlir::Operation *op, Space &space,
                               stream::MappingAttr mapping);

  // TcpHostArrays.cpp
  llvm::FailureOr<Tensor> fromHost(mlir::Operation *op, tcp::HostType type,
                                   const Array &array);
  llvm::FailureOr<Array> toHost(mlir::Operation *op, tcp::HostType type,
                                const Tensor &tensor);

  mlir::SymbolTable symbols;
  llvm::DenseMap<mlir::Attribute, std::unique_ptr<Space>> spaces;
  unsigned depth = 0;
};

} // namespace sequin::reference

#endif // SEQUIN_LIB_REFERENCE_TCPINTERPRETER_H
