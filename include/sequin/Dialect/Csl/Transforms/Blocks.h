//===- Blocks.h - Fewer blocks, edges and arguments -------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_DIALECT_CSL_TRANSFORMS_BLOCKS_H
#define SEQUIN_DIALECT_CSL_TRANSFORMS_BLOCKS_H

#include "mlir/IR/PatternMatch.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"

namespace sequin::csl {

/// The canonicalization patterns of cf, and what works around a mistake in one.
void populateBranchPatterns(mlir::RewritePatternSet &patterns);

/// Applies patterns of branches until they have nothing to do, with nothing
/// folded: a value that is its own operand, as in a loop that a branch on a
/// constant has cut off, stays until its block is erased. Blocks that nothing
/// reaches go, and arguments that are the same value from everywhere. Whether
/// anything changed.
bool simplifyBranches(mlir::Operation *root,
                      const mlir::FrozenRewritePatternSet &patterns,
                      mlir::RewriterBase::Listener *listener = nullptr);

} // namespace sequin::csl

#endif // SEQUIN_DIALECT_CSL_TRANSFORMS_BLOCKS_H
