//===- ResolvedMappings.h - Mappings with their axes ------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Types hold a mapping as text and its axes beside it. The stream core's form
// of the two is asked for all the time, so a context keeps every one it has
// made.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_DIALECT_STREAM_IR_RESOLVEDMAPPINGS_H
#define SEQUIN_DIALECT_STREAM_IR_RESOLVEDMAPPINGS_H

#include "sequin/Dialect/Stream/IR/StreamDialect.h"
#include "llvm/ADT/DenseMap.h"
#include <shared_mutex>

namespace sequin::stream {

/// What the dialect of a context remembers; may be asked from several threads.
class ResolvedMappings : public mlir::DialectInterface::Base<ResolvedMappings> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ResolvedMappings)

  explicit ResolvedMappings(mlir::Dialect *dialect) : Base(dialect) {}

  llvm::Expected<Mapping> get(AxesAttr axes, MappingAttr mapping) const;

private:
  mutable std::shared_mutex mutex;
  mutable llvm::DenseMap<std::pair<AxesAttr, MappingAttr>, Mapping> known;
};

/// `mapping` with its axes resolved.
llvm::Expected<Mapping> resolve(AxesAttr axes, MappingAttr mapping);
/// The same for one that a verifier has resolved before.
Mapping resolveVerified(AxesAttr axes, MappingAttr mapping);

} // namespace sequin::stream

#endif // SEQUIN_DIALECT_STREAM_IR_RESOLVEDMAPPINGS_H
