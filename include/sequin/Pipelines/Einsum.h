//===- Einsum.h - Programs from index notation ------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// 'mk,kn->mn' with m = 512, k = 2048, n = 512 as a module of linalg on tensors:
// the indices of each operand, and those of the result. Indices that the result
// lacks are summed over. Any number of operands; an index that an operand has
// twice is its diagonal.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_PIPELINES_EINSUM_H
#define SEQUIN_PIPELINES_EINSUM_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "sequin/Support/ElementType.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>

namespace sequin {

/// The parsed notation; an index is a letter.
struct Einsum {
  llvm::SmallVector<std::string, 2> operands;
  std::string result;
};

/// What `--einsum` and the flags beside it say.
struct EinsumSpec {
  std::string text;
  /// Size of every index.
  llvm::SmallVector<std::pair<char, int64_t>, 6> sizes;
  /// One type for each operand, or one for all.
  llvm::SmallVector<ElementType, 2> operandTypes;
  /// The accumulator's type if not given.
  std::optional<ElementType> resultType;
};

/// Parses "mk,kn->mn". Without an arrow the result has the indices that occur
/// once, in alphabetical order. Errors name what is not supported.
llvm::Expected<Einsum> parseEinsum(llvm::StringRef text);

/// Parses "m=512,k=2048".
llvm::Expected<llvm::SmallVector<std::pair<char, int64_t>, 6>>
parseEinsumSizes(llvm::StringRef text);

/// A module with one function `main`, verified. Operands are widened to the
/// accumulator's type (f32 or i32), multiplied from the left and summed in it,
/// and the sum is rounded or saturated to the result's type.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
buildEinsumModule(mlir::MLIRContext *context, const EinsumSpec &spec);

} // namespace sequin

#endif // SEQUIN_PIPELINES_EINSUM_H
