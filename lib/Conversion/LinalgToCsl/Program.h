//===- Program.h - A linalg function on its way to the wafer ----*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three phases, each a function of the one before (docs/Rationale/
// WaferLowering.md):
//
//     readProgram   what is computed: tensors, operations, accesses
//     planProgram   where: classes of dimensions on axes, margins, steps
//     emitProgram   the csl module
//
// A tensor that is stored is a Storage; slices and pads of it are accesses with
// offsets. A Node is a dimension of a storage or a loop of an operation: it
// belongs to a class and has an origin, the coordinate of its index 0 there.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_CONVERSION_LINALGTOCSL_PROGRAM_H
#define SEQUIN_LIB_CONVERSION_LINALGTOCSL_PROGRAM_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "sequin/Dialect/Csl/IR/CslDialect.h"

namespace sequin::linalg_to_csl {

using mlir::ArrayRef;
using mlir::FailureOr;
using mlir::Operation;
using mlir::SmallVector;
using mlir::StringRef;
using mlir::Type;
using mlir::TypedAttr;
using mlir::Value;

inline bool isHalf(Type type) { return type.isF16() || type.isBF16(); }

//===----------------------------------------------------------------------===//
// What is computed
//===----------------------------------------------------------------------===//

/// A dimension or a loop: its class, and the coordinate of its index 0.
struct Node {
  unsigned dim = 0;
  int64_t origin = 0;
};

struct Storage {
  Value value;
  std::string name; ///< of its variable
  Type element;
  SmallVector<int64_t> shape;
  std::optional<unsigned> argument;
  /// What a read outside of it is (tensor.pad).
  TypedAttr pad;
  /// A constant that is no splat.
  mlir::DenseElementsAttr initial;

  SmallVector<Node> nodes; ///< of its dimensions
};

/// A tensor as a part of a storage: element i is element i + offset of it.
struct View {
  unsigned storage = 0;
  SmallVector<int64_t> offsets;
};

/// Which element of a storage an iteration reads: in each dimension the loop's
/// index plus an offset, or without a loop a fixed index.
struct Access {
  unsigned storage = 0;
  SmallVector<int> loops;
  SmallVector<int64_t> offsets;
};

/// What a block argument of a body stands for.
struct Input {
  mlir::BlockArgument argument;
  std::optional<Access> access;
  TypedAttr constant; ///< without an access
};

enum class OpKind { Map, Reduce, Contract };
enum class Combiner { Add, Mul, Max, Min };

struct LoopNest {
  mutable mlir::linalg::GenericOp op;
  OpKind kind = OpKind::Map;
  SmallVector<int64_t> sizes; ///< of the loops
  SmallVector<bool> reduced;
  SmallVector<Input> inputs;
  /// What the body yields, for a reduction without the combiner.
  Value expression;
  unsigned result = 0;
  SmallVector<unsigned> resultLoops; ///< of the dimensions of the result

  // Reductions.
  Combiner combiner = Combiner::Add;
  /// The operation that combines, for scalar loops.
  Operation *combinerOp = nullptr;
  /// The start: a tensor like the result or a constant.
  std::optional<Access> start;
  TypedAttr startConstant;
  /// The inputs that a contraction multiplies.
  unsigned left = 0, right = 0;

  SmallVector<Node> nodes; ///< of the loops

  bool isReduction() const { return kind != OpKind::Map; }
};

struct Program {
  mlir::func::FuncOp func;
  std::vector<Storage> storages;
  std::vector<LoopNest> ops;
  SmallVector<View> results;
};

/// Sums of f16 and bf16 become sums in f32 that are rounded at the end
/// (WidenSums.cpp). Named operations are generalised.
void widenSums(mlir::IRRewriter &rewriter, mlir::func::FuncOp func);

/// Reads a function that was prepared: named operations generalised. An error
/// at the operation that cannot be lowered.
FailureOr<Program> readProgram(mlir::func::FuncOp func);

//===----------------------------------------------------------------------===//
// Where it is computed
//===----------------------------------------------------------------------===//

struct Grid {
  int64_t width = 1, height = 1;
  int64_t along(FabricAxis axis) const {
    switch (axis) {
    case FabricAxis::None:
      return 1;
    case FabricAxis::X:
      return width;
    case FabricAxis::Y:
      return height;
    case FabricAxis::XY:
      return width * height;
    }
    return 1;
  }
};

inline bool usesX(FabricAxis axis) {
  return axis == FabricAxis::X || axis == FabricAxis::XY;
}
inline bool usesY(FabricAxis axis) {
  return axis == FabricAxis::Y || axis == FabricAxis::XY;
}

/// Dimensions that are cut alike.
struct DimClass {
  int64_t extent = 1; ///< coordinates are 0 to this - 1
  FabricAxis axis = FabricAxis::None;
  int64_t block = 1; ///< the extent where it is not cut
  bool isCut() const { return axis != FabricAxis::None; }
};

/// A storage's array at a PE. Coordinate c of a dimension, relative to the
/// block, is at index c + low.
struct LocalArray {
  SmallVector<int64_t> low, extents;
  SmallVector<unsigned> order; ///< outermost first
  int64_t elements() const {
    int64_t count = 1;
    for (int64_t extent : extents)
      count *= extent;
    return count;
  }
};

/// How the words of a reduction come together along an axis.
struct ReducePath {
  FabricAxis axis = FabricAxis::X;
  int64_t group = 0; ///< PEs per group of a two-phase reduction; 0: chain
};

struct SummaPlan {
  int64_t panels = 0, width = 0;     ///< their number and columns of A
  int64_t perColumn = 0, perRow = 0; ///< panels of a PE's block of A, of B
};

struct Step {
  enum class Kind {
    Spread,  ///< `storage` from 0 along `axis`
    Halo,    ///< margins of dimension `dim` of `storage`
    Outside, ///< `value` where `storage` has no data, margins included
    Compute, ///< `op`, and for reductions the sum along `paths`
    Summa
  };
  Kind kind = Kind::Compute;
  unsigned storage = 0, dim = 0, op = 0;
  FabricAxis axis = FabricAxis::X;
  /// Which margins of a halo there are: below and above the block.
  bool below = false, above = false;
  TypedAttr value;
  SmallVector<ReducePath> paths;
  SummaPlan summa;
};

struct Plan {
  Grid grid;
  SmallVector<DimClass> classes;
  SmallVector<LocalArray> arrays; ///< of the storages
  /// The storage whose variable a storage is in: itself, or an earlier one that
  /// nothing reads any more.
  SmallVector<unsigned> homes;
  SmallVector<Step> steps;
  int64_t cycles = 0, bytes = 0; ///< estimates
  /// The nodes as this plan's contractions have them.
  SmallVector<SmallVector<Node>> storageNodes, opNodes;
};

struct PlanOptions {
  Grid grid;
  /// Axes of the dimensions of arguments, as in `y,x;x`; empty: chosen.
  std::string pin;
};

/// Chooses axes; applies the nodes of the plan to `program`.
FailureOr<Plan> planProgram(Program &program, const PlanOptions &options,
                            csl::TargetAttr target);

/// How `view` of a storage lies on the grid.
Distribution getDistribution(const Program &program, const Plan &plan,
                             const View &view, ArrayRef<int64_t> shape);

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

struct EmitOptions {
  unsigned firstColor = 0;
};

/// Replaces the function of `program` by a csl program.
mlir::LogicalResult emitProgram(Program &program, const Plan &plan,
                                csl::TargetAttr target,
                                const EmitOptions &options);

/// Whether the DSD unit has `op` on elements of `type`; its name without
/// "csl.".
std::optional<StringRef> getCombinerDsdOp(Combiner combiner, Type type);
/// The operation that copies elements of `type`.
StringRef getMoveDsdOp(Type type);
/// What changes nothing.
TypedAttr getNeutral(Combiner combiner, Type type);
/// Iterations of `op` at a PE along a loop: first coordinate and number.
std::pair<int64_t, int64_t> getRange(const Plan &plan, const LoopNest &op,
                                     unsigned loop);
/// Whether a loop's blocks hold coordinates that are no iterations.
bool hasRest(const Plan &plan, const LoopNest &op, unsigned loop);
/// Whether all body operations of a map or of a reduction's expression are DSD
/// operations.
bool isVectorExpression(const LoopNest &op);

} // namespace sequin::linalg_to_csl

#endif // SEQUIN_LIB_CONVERSION_LINALGTOCSL_PROGRAM_H
