//===- ScalarProgram.h - The body of a structured operation -----*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The scalar operations of a body as a list of steps on slots. Branches
// (scf.if) are jumps in the list, so that only what is taken is evaluated.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_REFERENCE_SCALARPROGRAM_H
#define SEQUIN_LIB_REFERENCE_SCALARPROGRAM_H

#include "Scalar.h"
#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

namespace sequin::reference {

struct LinalgValue;
struct ScalarFunction;

/// Steps on slots, of which the first ones are the arguments.
class ScalarProgram {
public:
  /// Looks up scalars and tensors from outside the body; null if unknown.
  using Capture = llvm::function_ref<const LinalgValue *(mlir::Value)>;

  /// Translates the operations of `body`; an unknown one is an error there.
  /// What `capture` returns must outlive the program.
  static mlir::FailureOr<ScalarProgram> build(mlir::Block &body,
                                              Capture capture);
  /// One operation on its own, its operands as arguments.
  static mlir::FailureOr<ScalarProgram> build(mlir::Operation *op);

  /// A slot that holds the number of the iteration of a loop.
  struct LoopIndex {
    unsigned loop, slot;
  };
  llvm::ArrayRef<LoopIndex> loopIndices() const { return indices; }

  /// How one result follows from its value before: by adding terms to it or by
  /// multiplying it, in floats that may be rounded to narrower ones.
  struct Accumulation;
  /// Of the result whose value before is argument `accumulator`; the terms must
  /// not depend on arguments from `firstAccumulator` on. std::nullopt for
  /// everything else.
  std::optional<Accumulation> accumulationOf(unsigned result,
                                             unsigned accumulator,
                                             unsigned firstAccumulator) const;
  /// The same for a sum of one term in 32-bit integers.
  std::optional<ScalarProgram> termOfIntegerSum(unsigned accumulator) const;

  /// Whether the only result is the product of two different arguments (perhaps
  /// widened, which keeps their values), in f32 or 32-bit integers: their
  /// numbers.
  std::optional<std::pair<unsigned, unsigned>> productOfArguments() const;

  /// `slots` is scratch space; its first slots hold the arguments. Fails, with
  /// an error at the operation, where that has no meaning: a division by zero,
  /// an index out of bounds, a false assertion.
  mlir::LogicalResult run(std::vector<Scalar> &slots) const;
  size_t slotCount() const { return start.size(); }
  /// Slots with the constants and captured values in place.
  std::vector<Scalar> freshSlots() const { return start; }
  unsigned resultSlot(size_t result) const { return results[result]; }
  size_t resultCount() const { return results.size(); }

private:
  friend class ProgramBuilder;

  enum class Code : uint8_t {
    AddF,
    SubF,
    MulF,
    DivF,
    MaximumF, ///< a NaN operand makes the result NaN
    MinimumF,
    MaxNumF, ///< the operand that is not NaN
    MinNumF,
    NegF,
    RoundF,
    WidenF,
    Fma,
    Clamp,
    CopySign,
    Power,
    PowerOfInt, ///< the exponent is an integer
    Tangent,
    Function, ///< Step::function
    AddI,
    SubI,
    MulI,
    MaxS,
    MinS,
    MaxU,
    MinU,
    AbsI,
    And,
    Or,
    Xor,
    Shl,
    ShrS,
    ShrU,
    DivS,
    DivU,
    FloorDivS,
    CeilDivS,
    CeilDivU,
    RemS,
    RemU,
    ResizeS,
    ResizeU,
    IntToFloatS,
    IntToFloatU,
    FloatToIntS,
    FloatToIntU,
    Bitcast,
    CompareF,
    CompareI,
    Select,
    Extract,    ///< an element of Step::tensor
    Assert,     ///< no result
    JumpIfNot,  ///< to Step::target
    Jump,       ///< to Step::target
    TakeBranch, ///< operand 1, of a branch that was taken because of operand 0
  };
  struct Step {
    Code code;
    FloatRounding type = std::nullopt; ///< of a float result
    unsigned width = 0;                ///< of an integer result, in bits
    unsigned sourceWidth = 0;          ///< of the first operand
    bool isConstantPower = false;      ///< the exponent is in the program
    uint64_t predicate = 0;
    llvm::SmallVector<unsigned, 3> operands = {};
    unsigned result = 0;
    unsigned target = 0;
    const ScalarFunction *function = nullptr;
    const LinalgValue *tensor = nullptr;
    mlir::Operation *op = nullptr; ///< where errors are reported
  };
  static std::optional<Code> codeOf(mlir::Operation *op);

  /// Which slots depend on arguments `first` to `inputs`.
  std::vector<bool> dependents(unsigned first) const;
  const Step *definitionOf(unsigned slot) const;
  bool hasBranches() const;
  /// Drops the steps that results and assertions do not need.
  void prune();
  bool isAccumulation(unsigned slot, unsigned accumulator,
                      const std::vector<bool> &dependent,
                      Accumulation &found) const;
  void widenProducts(unsigned slot, FloatRounding type);

  mlir::LogicalResult runStep(const Step &step,
                              std::vector<Scalar> &slots) const;
  Scalar runFloat(const Step &step, const std::vector<Scalar> &slots) const;
  mlir::FailureOr<Scalar> runInteger(const Step &step, const Scalar &a,
                                     const Scalar &b) const;
  Scalar runConversion(const Step &step, const Scalar &a) const;

  unsigned inputs = 0;
  std::vector<Scalar> start;
  std::vector<Step> steps;
  std::vector<unsigned> results;
  std::vector<LoopIndex> indices;
};

struct ScalarProgram::Accumulation {
  bool isProduct = false;
  /// Its results are the terms, as the program rounds them.
  ScalarProgram terms;
  /// The same with the products that are terms rounded to f32 only, which is
  /// how an engine with wider accumulators has them; absent if that is the
  /// same.
  std::optional<ScalarProgram> wideTerms;
};

} // namespace sequin::reference

#endif // SEQUIN_LIB_REFERENCE_SCALARPROGRAM_H
