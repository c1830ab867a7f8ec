//===- Program.h - A linalg function as groups ------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the lowering knows about a function, in the order it learns it:
//
//   splitSums      contractions that the engine cannot do at once are split
//   readProgram    loops and dimensions become axes; operations become groups,
//                  each a contraction or a stream with a chain of arithmetic
//                  steps
//   planProgram    order of the loops, padding, spreading over slices, layouts
//   emitProgram    the kernel and the host function
//
// Each emits at most one error, at the operation that cannot be lowered.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_CONVERSION_LINALGTOTCP_PROGRAM_H
#define SEQUIN_LIB_CONVERSION_LINALGTOTCP_PROGRAM_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "sequin/Conversion/LinalgToTcp/MappingChoice.h"
#include "sequin/Dialect/Tcp/IR/TcpDialect.h"
#include "llvm/ADT/DenseSet.h"
#include <variant>

namespace sequin::linalg_to_tcp {

using AxisId = unsigned;
using AxisList = llvm::SmallVector<AxisId, 4>;

struct Axis {
  std::string name;
  int64_t extent = 1; ///< of the program as given
  int64_t size = 1;   ///< after padding
};

/// A tensor as an operand: read from memory and converted on the way.
struct TensorOperand {
  mlir::Value tensor;
  /// By dimension of the tensor. One that has none of the group's loops has a
  /// single axis, of which the group reads the first position.
  AxisList axes;
};

enum class ArithmeticOp {
  Add,
  Sub,
  Mul,
  Div,
  Max,
  Min,
  ShiftLeft,
  ShiftRightSigned,
  ShiftRightUnsigned,
};

/// One step of the chain that every element of a stream goes through.
struct Step {
  enum class Kind {
    Arithmetic, ///< with a second operand
    IntToFloat, ///< i32 to f32
    Narrow,     ///< to a narrower type, `type`
  };
  Kind kind = Kind::Arithmetic;
  ArithmeticOp op = ArithmeticOp::Add;
  bool swapped = false; ///< the stream is the second operand
  /// The second operand: a constant in the type of the computation, or a
  /// tensor.
  mlir::TypedAttr constant;
  TensorOperand operand;
  /// f32 or i32: what the step computes in; the result's for Narrow.
  mlir::Type type;
  mlir::Operation *source = nullptr;
};

/// Where a step runs in the vector engine.
struct PlacedStep {
  enum class Stage { Fxp, FxpToFp, Float, Clip };
  Stage stage;
  std::variant<std::monostate, tcp::FxpOp, tcp::FpBinaryOp, tcp::ClipOp> op;
  const Step *step;
};

/// One pass through the vector engine.
struct VectorPass {
  llvm::SmallVector<PlacedStep, 4> steps;
  /// What the pass writes; narrower than it computes in if there is a cast.
  mlir::Type result;
  bool usesFloat() const {
    return llvm::any_of(steps, [](const PlacedStep &step) {
      return step.stage == PlacedStep::Stage::Float;
    });
  }
};

/// Operations that are one way from HBM to HBM.
struct Group {
  /// The operation that errors are about: the contraction, or the first one.
  mlir::linalg::LinalgOp root;
  bool isContraction = false;
  /// Contraction: `lhs` is streamed, `rhs` stationary. In a plain sum the
  /// latter is all ones, made from the part of the summed tensor that `rhs`
  /// then is.
  TensorOperand lhs, rhs;
  bool isPlainSum = false;
  /// What the contraction engine multiplies: the operands' type, or i8 if ones
  /// of that type cannot be made.
  mlir::Type factorType;
  /// Loops by role; the order within a role is that of the nest. Elementwise
  /// groups have all theirs in `m`.
  AxisList batch, m, n, k;
  /// Elementwise: what is streamed.
  TensorOperand stream;
  std::vector<Step> steps;
  llvm::SmallVector<mlir::Operation *, 2> fused;
  mlir::Value result;
  mlir::Type computeType; ///< f32 or i32, at the head of the chain

  // Planned:
  std::vector<VectorPass> passes;
  llvm::SmallDenseMap<AxisId, int64_t, 8> splits;

  /// [batch, m, n]: the loops of the result, and its layout in HBM.
  AxisList loops() const {
    AxisList all = batch;
    all.append(m);
    all.append(n);
    return all;
  }
  /// The order in which the group reads an operand from HBM.
  AxisList layoutOf(const TensorOperand &operand) const {
    AxisList layout, order = loops();
    order.append(k);
    llvm::copy_if(order, std::back_inserter(layout), [&](AxisId axis) {
      return llvm::is_contained(operand.axes, axis);
    });
    return layout.empty() ? operand.axes : layout;
  }
  int64_t split(AxisId axis) const {
    auto found = splits.find(axis);
    return found == splits.end() ? 1 : found->second;
  }
  mlir::Type resultType() const {
    return mlir::cast<mlir::RankedTensorType>(result.getType())
        .getElementType();
  }
};

struct Program {
  mlir::func::FuncOp func;
  const TcpMachine *machine = nullptr;
  int64_t chips = 1;
  std::vector<Axis> axes;
  /// The axis that tensors without dimensions get: the DMA engine moves no
  /// single elements. Only its first position counts.
  std::optional<AxisId> unitAxis;
  /// Axes of every tensor, by dimension.
  llvm::DenseMap<mlir::Value, AxisList> dims;
  /// Tensors that hold the elements of another one (transposed, broadcast).
  llvm::DenseMap<mlir::Value, mlir::Value> aliases;
  /// Tensors of one value everywhere.
  llvm::DenseMap<mlir::Value, mlir::TypedAttr> constants;
  /// In the order they run.
  std::vector<std::unique_ptr<Group>> groups;
  llvm::DenseMap<mlir::Value, Group *> producers;
  int64_t macs = 0;

  mlir::Value canonical(mlir::Value value) const {
    while (mlir::Value source = aliases.lookup(value))
      value = source;
    return value;
  }
  AxisId getUnitAxis() {
    if (!unitAxis) {
      unitAxis = axes.size();
      axes.push_back({"U", 1, 1});
    }
    return *unitAxis;
  }
  /// HBM layout: the producer's order of loops; null for an argument.
  const Group *producer(mlir::Value value) const {
    return producers.lookup(value);
  }
};

mlir::Type elementTypeOf(mlir::Value tensor);
size_t rankOf(mlir::Value tensor);
/// Orders tensors by their elements, then by their dimensions.
std::pair<int64_t, size_t> extentOf(mlir::Value tensor);
ElementType elementKindOf(mlir::Value tensor);
/// f32 for floats, i32 for integers.
mlir::Type computeTypeOf(mlir::Type type);
bool contains(llvm::ArrayRef<AxisId> list, AxisId axis);

/// A reduction by out + a * b or out + a, with a and b widened to out's type.
struct SumOfProducts {
  llvm::SmallVector<mlir::OpOperand *, 2> factors;
  mlir::Type type; ///< of out
};
std::optional<SumOfProducts> matchSumOfProducts(mlir::linalg::LinalgOp op);

/// Rewrites contractions whose factors have no summed dimension in common as
/// sums and a product of them.
void splitSums(mlir::func::FuncOp func);

/// Elementwise operations in `unfused` start groups of their own.
mlir::FailureOr<Program>
readProgram(mlir::func::FuncOp func, const TcpMachine &machine, int64_t chips,
            const llvm::DenseSet<mlir::Operation *> &unfused);

/// The body of an elementwise operation as a chain from one operand.
struct Chain {
  TensorOperand start;
  mlir::OpOperand *startOperand = nullptr;
  std::vector<Step> steps;
};
/// `preferred` says whether a chain should start at this operand if there is a
/// choice.
mlir::FailureOr<Chain>
readChain(const Program &program, mlir::linalg::LinalgOp op,
          llvm::function_ref<bool(mlir::OpOperand &)> preferred);

/// Assigns the steps of the chain to passes of the vector engine, greedily.
std::vector<VectorPass> assignPasses(llvm::ArrayRef<Step> steps,
                                     mlir::Type computeType,
                                     mlir::Type resultType);

/// If a group does not fit because of what was fused into it, its operation is
/// added to `unfused` and nothing is reported.
enum class PlanOutcome { Planned, Refused, TryUnfused };
PlanOutcome planProgram(Program &program,
                        llvm::DenseSet<mlir::Operation *> &unfused);

/// Replaces the function by a kernel and a host function.
mlir::LogicalResult emitProgram(Program &program);

} // namespace sequin::linalg_to_tcp

#endif // SEQUIN_LIB_CONVERSION_LINALGTOTCP_PROGRAM_H
