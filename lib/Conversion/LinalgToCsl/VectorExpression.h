//===- VectorExpression.h - Expressions as DSD operations -------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The body of a loop nest, one operation at a time over all iterations. Values
// live in the destination and in temporaries; an operation may overwrite an
// operand that nobody reads after it, since DSD operations go element by
// element. x + y * s with a scalar s is one fused multiply-add.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_CONVERSION_LINALGTOCSL_VECTOREXPRESSION_H
#define SEQUIN_LIB_CONVERSION_LINALGTOCSL_VECTOREXPRESSION_H

#include "Emitter.h"
#include "llvm/ADT/SetVector.h"

namespace sequin::linalg_to_csl {

class VectorExpression {
public:
  /// `order`: the loops, outermost first.
  VectorExpression(Emitter &emitter, const LoopNest &op,
                   ArrayRef<unsigned> order);

  /// Into `dest`, whose strides are in the order of `order`.
  void emitInto(const Elements &dest);
  /// Where the value is: in an operand's storage where it is one, else in a
  /// temporary, contiguous in `order`.
  Elements emitAnywhere();
  /// A temporary in any case.
  Elements emitIntoTemporary();
  /// Gives the temporary of the result back.
  void release();

private:
  struct Operand {
    Value scalar;
    std::optional<Elements> memory;
    std::string temporary; ///< where the memory is one of ours
    bool inDest = false;
    bool isScalar() const { return bool(scalar); }
  };

  Operand get(Value value);
  Operand makeTarget(Type type, bool last);
  void drop(Operand &operand);
  void collect();
  void emit(Operation *inner, bool last);
  bool emitFused(Operation *inner, bool last);
  Operand finish();
  Elements contiguous(StringRef name, Type type) const;
  Value dsd(const Operand &operand);
  void move(const Operand &from, const Elements &to);

  Emitter &emitter;
  const LoopNest &op;
  SmallVector<unsigned> order;
  SmallVector<int64_t> extents;
  int64_t count = 1;
  std::optional<Elements> dest;
  bool destBusy = false;

  /// What the expression needs, in the order of the body.
  SmallVector<Operation *> needed;
  llvm::DenseMap<Value, unsigned> uses;
  llvm::DenseSet<Operation *> fused;
  llvm::DenseMap<Value, Operand> values;
  std::string result;
};

/// The operands of x + y * s: the addition's x, the product's y and s, and
/// whether s is to be negated. Null where `inner` is none.
struct FusedParts {
  Operation *product = nullptr;
  Value addend, factor, scalar;
  bool negate = false;
};
FusedParts getFused(const LoopNest &op, Operation *inner);

} // namespace sequin::linalg_to_csl

#endif // SEQUIN_LIB_CONVERSION_LINALGTOCSL_VECTOREXPRESSION_H
