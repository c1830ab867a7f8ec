//===- Rewrites.h - linalg.generic as core operations ---------------*- C++
//-*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_CONVERSION_NORMALIZELINALG_REWRITES_H
#define SEQUIN_LIB_CONVERSION_NORMALIZELINALG_REWRITES_H

#include "ReadBody.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace sequin::normalize_linalg {

struct Options {
  bool allowBf16 = false; ///< round operands instead of cutting them in digits
  bool allowNarrow = false; ///< the same, and saturate integers
};

/// One result of a linalg.generic: the tensor it starts from without the
/// dimensions that no loop runs over.
struct Output {
  mlir::Value init;
  mlir::Type type; ///< of the elements, as the body sees them
  mlir::Type stored;
  LoopIds loops; ///< by dimension
  llvm::SmallVector<unsigned> units;
};
mlir::FailureOr<Output> readOutput(Nest &nest, mlir::linalg::GenericOp op,
                                   unsigned index);

/// The one value of all elements of a tensor, where it is constant.
mlir::Attribute getSplat(mlir::Value tensor);
/// Zero of either sign, or another value that a reduction by `kind` ignores.
bool isZero(mlir::Attribute attr);

enum class Combiner { Add, Mul, Max, Min, And, Or, Xor };

/// A factor of a sum of products.
struct Factor {
  mlir::Value tensor;
  mlir::AffineMap map; ///< from the loops of the nest
  mlir::Type type;
  unsigned bits = 24;               ///< floats: significant ones
  IntRange range = IntRange::all(); ///< integers
};

/// Reduces sums of products over loops of a nest (Contractions.cpp).
class ProductSum {
public:
  ProductSum(Nest &nest, const Options &options, mlir::Type accumulator)
      : nest(nest), options(options), accumulator(accumulator) {}

  /// A factor from a root of the nest.
  Factor makeFactor(unsigned root);
  /// The sum over all loops but `kept` of the product of `factors`; begins with
  /// `init` if it can, and clears it then.
  Factor run(llvm::SmallVector<Factor> factors, llvm::ArrayRef<unsigned> kept,
             mlir::Value &init);
  /// out op element, over the loops of the tensor.
  mlir::Value reduce(const Factor &factor, llvm::ArrayRef<unsigned> kept,
                     Combiner kind, mlir::Value init, bool skipsNan = false);
  /// out + element. Integers wrap around, though the engine's sums saturate:
  /// what may leave i32 is summed in digits.
  mlir::Value sum(const Factor &factor, llvm::ArrayRef<unsigned> kept,
                  mlir::Value init);

private:
  Factor combine(const Factor &a, const Factor &b,
                 llvm::ArrayRef<unsigned> kept, mlir::Value &init);
  Factor multiply(const Factor &a, const Factor &b,
                  llvm::ArrayRef<unsigned> loops);
  Factor contract(const Factor &a, const Factor &b,
                  llvm::ArrayRef<unsigned> kept, mlir::Value &init);
  Factor contractDigits(const Factor &a, const Factor &b,
                        llvm::ArrayRef<unsigned> kept, mlir::Value &init);
  mlir::Value contractOnce(Factor a, Factor b, llvm::ArrayRef<unsigned> kept,
                           mlir::Value init);
  unsigned digitsOf(const Factor &factor) const;
  bool isFloat() const { return isa<mlir::FloatType>(accumulator); }

  Nest &nest;
  const Options &options;
  mlir::Type accumulator; ///< f32 or i32
};

/// Digits of all elements, most significant first for floats, last for
/// integers (Digits.cpp).
llvm::SmallVector<mlir::Value> cutDigits(mlir::Operation *root,
                                         const Factor &factor, unsigned count);
/// Every element through scalar code, rounded or cut to `type`.
mlir::Value mapTensor(
    mlir::Operation *root, mlir::ValueRange tensors, mlir::Type type,
    llvm::function_ref<mlir::Value(ScalarBuilder &, mlir::ValueRange)> code);

/// Each replaces the operation; errors are at it.
mlir::LogicalResult rewriteMap(mlir::linalg::GenericOp op);
mlir::LogicalResult rewriteReduction(mlir::linalg::GenericOp op,
                                     const Options &options);

/// tensor and arith operations on tensors, one at a time, in program order.
mlir::LogicalResult rewriteTensorOp(mlir::Operation *op);

/// The row that coordinates in dimensions of `sizes` name, row-major, or one
/// that the machine's gather traps at if a coordinate lies outside of its
/// dimension; null if rows are no numbers of i32.
mlir::Value rowOf(ScalarBuilder &s, llvm::ArrayRef<int64_t> sizes,
                  llvm::ArrayRef<mlir::Value> coordinates);
/// A tensor of the elements of `source` that `indices` name, rows of its
/// dimensions `dims` within `range`: element i of the index tensors' loops,
/// then the source's other dimensions.
mlir::Value gather(Nest &nest, mlir::Value source,
                   llvm::ArrayRef<unsigned> dims, mlir::Value indices,
                   IntRange range);

/// Why the DMA engine, which finds rows of whole bytes among several, is not to
/// write `count` rows of dimension `dim`; nothing if it is (Slices.cpp).
llvm::StringRef whyNotScattered(mlir::RankedTensorType into, unsigned dim,
                                int64_t count);
/// A scatter along one dimension by one list of i32; any other as
/// linalg.generic operations, which go on to be rewritten.
void expandScatter(mlir::RewriterBase &rewriter, mlir::tensor::ScatterOp op);

/// A slice at computed offsets as a linalg.generic, which goes on to be
/// rewritten; false if it is none, or none that can be (Slices.cpp).
bool expandSlice(mlir::RewriterBase &rewriter, mlir::tensor::ExtractSliceOp op);
bool expandSlice(mlir::RewriterBase &rewriter, mlir::tensor::InsertSliceOp op);
/// Branches in a body whose sides can both be computed become choices
/// (Branches.cpp).
void flattenBranches(mlir::RewriterBase &rewriter,
                     mlir::linalg::GenericOp generic);

bool isE2m1(mlir::Type type);
/// Makes one operation of every sum of products with f4E2M1FN weights and
/// scales.
void foldScales(mlir::func::FuncOp func);
/// Whether the operation is such a one: out + x * w, or out + x * w * scale.
bool isScaledSum(mlir::linalg::GenericOp op);
/// An error if f4E2M1FN is used in another way.
mlir::LogicalResult checkE2m1(mlir::Operation *op);

/// The whole module as far as upstream's rewrites go.
mlir::LogicalResult prepare(mlir::ModuleOp module);
/// Refuses tensors whose sizes do not fit into 64 bits or whose elements are no
/// numbers, and functions of very many operations with their calls inlined
/// (Sizes.cpp).
mlir::LogicalResult checkSizes(mlir::ModuleOp module);
mlir::LogicalResult checkCalls(mlir::ModuleOp module);
/// Folds and removes what is unused; keeps core operations such.
mlir::LogicalResult cleanUp(mlir::ModuleOp module);
/// Whether every operation is a core one.
mlir::LogicalResult checkCore(mlir::func::FuncOp func);

} // namespace sequin::normalize_linalg

#endif // SEQUIN_LIB_CONVERSION_NORMALIZELINALG_REWRITES_H
