//===- ProgramReader.h - Reads a linalg function ----------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations in their order. What only names elements anew becomes a view:
// whoever reads it reads the tensor behind it. A view that leaves the function,
// or that somebody writes to, is copied; but rows that are scattered into an
// argument whose old value nobody reads any more go into its own memory.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_CONVERSION_LINALGTOTCP_PROGRAMREADER_H
#define SEQUIN_LIB_CONVERSION_LINALGTOTCP_PROGRAMREADER_H

#include "Program.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace sequin::linalg_to_tcp {

inline Index multipleOf(unsigned dim, int64_t coefficient, int64_t offset = 0) {
  return {offset, {{dim, coefficient}}};
}

class ProgramReader {
public:
  ProgramReader(mlir::func::FuncOp func, const TcpMachine &machine,
                int64_t chips)
      : func(func) {
    program.name = func.getSymNameAttr();
    if (!func.isPublic())
      program.visibility = func.getSymVisibilityAttr();
    program.loc = func.getLoc();
    program.type = func.getFunctionType();
    program.machine = &machine;
    program.chips = chips;
  }

  mlir::FailureOr<Program> read();

private:
  mlir::LogicalResult checkTensor(mlir::Operation *at, mlir::Type type,
                                  const llvm::Twine &what);
  mlir::LogicalResult checkTypes(mlir::Operation *op);
  mlir::LogicalResult readOperation(mlir::Operation *op);
  mlir::LogicalResult readConstant(mlir::arith::ConstantOp op);
  mlir::LogicalResult readLinalg(mlir::linalg::LinalgOp op);
  mlir::LogicalResult readContraction(mlir::linalg::LinalgOp op);
  mlir::LogicalResult readCodedContraction(mlir::linalg::LinalgOp op);
  mlir::LogicalResult countMacs(mlir::linalg::LinalgOp op, const Group &group);
  mlir::LogicalResult readReduction(mlir::linalg::LinalgOp op);
  mlir::LogicalResult readElementwise(mlir::linalg::LinalgOp op);
  mlir::LogicalResult readPad(mlir::tensor::PadOp op);
  mlir::LogicalResult readExtractSlice(mlir::tensor::ExtractSliceOp op);
  mlir::LogicalResult readInsertSlice(mlir::tensor::InsertSliceOp op);
  mlir::LogicalResult readExpand(mlir::tensor::ExpandShapeOp op);
  mlir::LogicalResult readCollapse(mlir::tensor::CollapseShapeOp op);
  mlir::LogicalResult readGather(mlir::tensor::GatherOp op);
  mlir::LogicalResult readScatter(mlir::tensor::ScatterOp op);
  mlir::LogicalResult readReturn(mlir::func::ReturnOp op);

  Group &addGroup(Group::Kind kind, mlir::Operation *root);
  mlir::LogicalResult readPin(mlir::linalg::LinalgOp op, Group &group);
  void addLoops(Group &group, mlir::linalg::LinalgOp op);
  void addLoops(Group &group, llvm::ArrayRef<int64_t> shape);
  /// The elements `indices` of a value.
  mlir::FailureOr<Access> access(mlir::Operation *at, mlir::Value value,
                                 llvm::ArrayRef<Index> indices);
  mlir::FailureOr<Access> access(mlir::linalg::LinalgOp op,
                                 mlir::OpOperand &operand);
  Tensor *addConstant(mlir::DenseElementsAttr values);
  /// A tensor of its own that holds what `value` is, where `at` stands.
  mlir::FailureOr<Tensor *> copy(mlir::Operation *at, mlir::Value value);
  /// Why a scatter cannot write into the memory that its destination has;
  /// nothing if it can.
  std::string findObstacle(mlir::tensor::ScatterOp op) const;
  /// The rows or the positions of a scatter, each dimension one of its loops,
  /// in another tensor than `destination`.
  mlir::FailureOr<Access> readMoved(mlir::tensor::ScatterOp op,
                                    mlir::Value value, llvm::ArrayRef<Index> at,
                                    const Tensor *destination);
  mlir::LogicalResult addInit(mlir::linalg::LinalgOp op, Group &group,
                              Step step);
  Access resultOf(mlir::linalg::LinalgOp op);
  void define(mlir::Value value, Group &group, Access result);

  mlir::func::FuncOp func;
  Program program;
  /// What every value of the function is, if not one number everywhere.
  llvm::DenseMap<mlir::Value, Access> views;
  Constants constants;
  /// Arguments that hold what a scatter has written.
  llvm::SmallPtrSet<const Tensor *, 2> written;
  /// What refused operations give, and what follows from it. All operations are
  /// read, so that each that is refused by itself is told.
  llvm::SmallPtrSet<mlir::Value, 8> refused;
};

} // namespace sequin::linalg_to_tcp

#endif // SEQUIN_LIB_CONVERSION_LINALGTOTCP_PROGRAMREADER_H
