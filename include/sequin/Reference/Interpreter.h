//===- Interpreter.h - What programs mean, without a machine ----*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reference interpreters: tensors in, tensors out, no addresses, no sequencers,
// no configuration. They share nothing with the derivation and the simulator
// but the arithmetic of one element (sequin/Support/Arithmetic.h); mapping
// expressions are evaluated by their own walk over the expression, straight
// from the manual's definition of map(i). That is what makes agreement mean
// something.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_REFERENCE_INTERPRETER_H
#define SEQUIN_REFERENCE_INTERPRETER_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"
#include "sequin/Support/ElementType.h"

namespace sequin::reference {

/// A dense row-major array of program elements. Sub-byte types use one byte per
/// element.
struct Array {
  ElementType type = ElementType::I8;
  llvm::SmallVector<int64_t, 4> shape;
  std::vector<uint8_t> data;
  /// Of a result: 1 where the mapping has no tensor index, so that the element
  /// means nothing; empty if there is no such position.
  std::vector<uint8_t> padding;
};

/// Runs the host function `entry` of a `tcp` program: launches kernels, follows
/// every stage by its mathematical meaning. Sums in the order the machine does
/// (adjacent pairs inside a packet, then packets in time order), so that
/// results agree bit for bit. Errors are emitted at the operation concerned.
/// Elements of memory that nobody has written may be moved and computed with;
/// it is an error if a result, an index of gather or scatter, or what a filter
/// keeps depends on one.
mlir::FailureOr<std::vector<Array>> interpretTcp(mlir::ModuleOp module,
                                                 llvm::StringRef entry,
                                                 llvm::ArrayRef<Array> inputs,
                                                 bool flushSubnormals);

/// Runs function `entry` of a program of linalg, tensor, arith and math, with
/// the functions it calls, as it is before anything is lowered. Arguments and
/// results are arrays as the machine has them: i64 is i32 there, i1 is i8.
/// Sums in f64 and integers wrap at their width; float results carry the error
/// bound of a sum in f32 in any order, per element, for comparison. With
/// `flushSubnormals` the operands and results of every float operation are
/// signed zero where they are subnormal in f32. What has no meaning (an index
/// out of bounds, a division by zero, a false assertion, an i64 that i32 does
/// not hold in the end) is an error at the operation or function.
struct LinalgResult {
  Array value;
  /// Largest difference a correct machine may show; empty where there is none.
  std::vector<double> tolerance;
};
mlir::FailureOr<std::vector<LinalgResult>>
interpretLinalg(mlir::ModuleOp module, llvm::StringRef entry,
                llvm::ArrayRef<Array> inputs, bool flushSubnormals);

} // namespace sequin::reference

#endif // SEQUIN_REFERENCE_INTERPRETER_H
