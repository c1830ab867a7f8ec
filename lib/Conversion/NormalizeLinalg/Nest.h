//===- Nest.h - Loops around scalar code ----------------------------*- C++
//-*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What one linalg.generic becomes is built here: its loops, the elements its
// body reads (leaves, which are the arguments of the scalar block) and the
// values it computes from them. materialize() makes tensors of values, in as
// many operations as chains need.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_CONVERSION_NORMALIZELINALG_NEST_H
#define SEQUIN_LIB_CONVERSION_NORMALIZELINALG_NEST_H

#include "Scalars.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace sequin::normalize_linalg {

using LoopIds = llvm::SmallVector<unsigned, 6>;

/// The element of a tensor that the body sees.
struct Leaf {
  mlir::Value tensor;
  mlir::AffineMap map; ///< from the loops of the nest
};

class Nest {
public:
  Nest(mlir::Operation *root, llvm::ArrayRef<int64_t> sizes);

  mlir::Operation *getRoot() const { return root; }
  mlir::Location getLoc() const { return root->getLoc(); }
  mlir::OpBuilder &builder() { return b; }
  ScalarBuilder &scalars() { return *s; }
  llvm::ArrayRef<int64_t> getSizes() const { return sizes; }
  int64_t sizeOf(llvm::ArrayRef<unsigned> loops) const;
  llvm::SmallVector<int64_t> shapeOf(llvm::ArrayRef<unsigned> loops) const;

  /// The element itself, in the tensor's type.
  mlir::BlockArgument addElement(mlir::Value tensor, mlir::AffineMap map);
  /// And widened to f32 or i32.
  mlir::Value addLeaf(mlir::Value tensor, mlir::AffineMap map);
  mlir::Value addLeaf(mlir::Value tensor, llvm::ArrayRef<unsigned> loops);
  mlir::Value widen(mlir::Value value);
  Leaf &leafOf(mlir::BlockArgument argument) {
    return leaves[argument.getArgNumber()];
  }

  /// Values that are materialized later: others may be replaced when one is.
  unsigned addRoot(mlir::Value value);
  mlir::Value getRootValue(unsigned index);

  /// Loops that a value depends on, ascending.
  LoopIds loopsOf(mlir::Value value);
  LoopIds loopsOf(mlir::AffineMap map) const;
  mlir::AffineMap mapOf(llvm::ArrayRef<unsigned> loops) const;

  /// The tensor of a root over `order`, which has all loops it depends on.
  mlir::Value materializeRoot(unsigned index, llvm::ArrayRef<unsigned> order);
  /// A tensor over the loops of its map, which becomes plain.
  void resolve(Leaf &leaf);

  // Single operations.
  mlir::Value makeConstant(mlir::Type elementType, mlir::Attribute value);
  mlir::Value makeFill(llvm::ArrayRef<unsigned> loops, mlir::TypedAttr value);
  mlir::Value makeZeros(llvm::ArrayRef<unsigned> loops, mlir::Type type);
  /// The elements that `map` visits, over `order`.
  mlir::Value makeCopy(mlir::Value tensor, mlir::AffineMap map,
                       llvm::ArrayRef<unsigned> order);
  /// `map` of the nest's loops for a nest of only `order`.
  mlir::AffineMap restrict(mlir::AffineMap map,
                           llvm::ArrayRef<unsigned> order) const;
  mlir::linalg::GenericOp makeGeneric(
      llvm::ArrayRef<Leaf> inputs, mlir::Value init,
      llvm::ArrayRef<unsigned> order, llvm::ArrayRef<unsigned> result,
      llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::ValueRange)>
          body);

private:
  /// The part of a tensor that the loops reach, where an index is a loop or a
  /// constant: as a slice, which is free, indices start at zero and reach its
  /// end.
  mlir::Value cutToLoops(mlir::Value tensor,
                         llvm::SmallVectorImpl<mlir::AffineExpr> &exprs);
  mlir::Value materialize(mlir::Value value, llvm::ArrayRef<unsigned> order);
  mlir::Value emitChain(mlir::Value value, llvm::ArrayRef<unsigned> order);
  mlir::Value broadcast(mlir::Value tensor, llvm::ArrayRef<unsigned> loops,
                        llvm::ArrayRef<unsigned> order);
  void replaceByTensor(mlir::Value value, mlir::Value tensor,
                       llvm::ArrayRef<unsigned> loops);
  mlir::Value prepareOperands(mlir::Operation *op,
                              llvm::ArrayRef<unsigned> loops);
  bool isRecomputable(mlir::Value value);
  unsigned depthOf(mlir::Value value);

  mlir::Operation *root;
  mlir::OpBuilder b;
  llvm::SmallVector<int64_t, 6> sizes;
  mlir::Region region;
  mlir::Block *block;
  mlir::Operation *roots; ///< a terminator that uses them
  std::vector<Leaf> leaves;
  std::optional<ScalarBuilder> s;
};

/// Collapses (or expands) the dimensions of size one in `dims`.
mlir::Value dropUnitDims(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value tensor, llvm::ArrayRef<unsigned> dims);
mlir::Value addUnitDims(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value tensor, llvm::ArrayRef<unsigned> dims);

} // namespace sequin::normalize_linalg

#endif // SEQUIN_LIB_CONVERSION_NORMALIZELINALG_NEST_H
