//===- ScalarProgram.h - The body of a structured operation -----*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Evaluates scalar arith operations with an error bound beside every float.
//
// A float is a double and the largest distance that a correct machine's value
// may have from it. As long as the distance is 0, every operation is rounded to
// its type, as the machine does; afterwards the double is left alone and the
// rounding, half a unit in the last place of the type, is added to the
// distance. Subnormals are flushed before and after every operation if the
// FloatEnvironment says so (SIL-7).
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_REFERENCE_SCALARPROGRAM_H
#define SEQUIN_LIB_REFERENCE_SCALARPROGRAM_H

#include "mlir/IR/Block.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"
#include "sequin/Support/ElementType.h"
#include "llvm/ADT/DenseMap.h"

namespace sequin::reference {

struct ScalarFunction;

struct Scalar {
  double value = 0;    ///< of a float
  double error = 0;    ///< largest distance of the machine's value
  int64_t integer = 0; ///< of an integer, sign-extended from its width
  bool unsure = false; ///< a comparison that the error could turn
};

/// The element type of a type that programs may use; std::nullopt for others.
std::optional<ElementType> elementTypeOf(mlir::Type type);

/// Half a unit in the last place of `type` for values up to `magnitude`.
double halfUlp(ElementType type, double magnitude);
/// Signed zero for a value that is subnormal in f32 (and so in bf16) while a
/// flushing FloatEnvironment is alive: what an operation sees of its operand.
double flushOperand(double value);
/// The same; a value whose error leaves that open may be off by the smallest
/// normal number.
Scalar flushOperand(Scalar scalar);
/// `scalar` after an operation of `type`: see the file comment.
Scalar roundTo(ElementType type, Scalar scalar);
/// A constant's value; fails for attributes that are no number.
std::optional<Scalar> readConstant(mlir::Attribute attribute);

/// A straight list of operations. Slots 0 .. inputs are the arguments.
class ScalarProgram {
public:
  /// Looks up values from outside the body.
  using Capture = llvm::function_ref<const Scalar *(mlir::Value)>;

  /// Translates the operations of `body`; an unknown one is an error there.
  static mlir::FailureOr<ScalarProgram> build(mlir::Block &body,
                                              Capture capture);
  /// One operation on its own, its operands as arguments.
  static mlir::FailureOr<ScalarProgram> build(mlir::Operation *op);

  /// A program that leaves out the outermost addition: if result 0 is the sum
  /// of argument `accumulator` and a term that does not use it, the term.
  std::optional<ScalarProgram> termOfSum(unsigned accumulator) const;
  /// Whether result 0 is the product of two different arguments (perhaps
  /// widened, which keeps their values), in f32 or 32-bit integers: their
  /// numbers.
  std::optional<std::pair<unsigned, unsigned>> productOfArguments() const;

  /// `slots` is scratch space; its first slots hold the arguments.
  void run(std::vector<Scalar> &slots) const;
  size_t slotCount() const { return start.size(); }
  /// Slots with the constants and captured values in place.
  std::vector<Scalar> freshSlots() const { return start; }
  unsigned resultSlot(size_t result) const { return results[result]; }
  size_t resultCount() const { return results.size(); }

private:
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
    AddI,
    SubI,
    MulI,
    MaxS,
    MinS,
    And,
    Or,
    Xor,
    Shl,
    ShrS,
    ShrU,
    ResizeS,
    ResizeU,
    IntToFloatS,
    IntToFloatU,
    FloatToInt,
    CompareF,
    CompareI,
    Select,
    Fma,
    Function, ///< Step::function
  };
  struct Step {
    Code code;
    ElementType type = ElementType::F32; ///< of a float result
    unsigned width = 0;                  ///< of an integer result, in bits
    unsigned sourceWidth = 0;
    uint64_t predicate = 0;
    unsigned operands[3] = {0, 0, 0};
    unsigned operandCount = 0;
    unsigned result = 0;
    const ScalarFunction *function = nullptr;
  };

  mlir::LogicalResult translate(mlir::Operation &op,
                                llvm::DenseMap<mlir::Value, unsigned> &slots);
  void runStep(const Step &step, std::vector<Scalar> &slots) const;

  unsigned inputs = 0;
  std::vector<Scalar> start;
  std::vector<Step> steps;
  std::vector<unsigned> results;
};

} // namespace sequin::reference

#endif // SEQUIN_LIB_REFERENCE_SCALARPROGRAM_H
