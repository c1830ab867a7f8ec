//===- ShapeChecks.h - Comparing the mappings of a stage --------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the shapes of all engines are found with.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_DIALECT_TCP_IR_SHAPECHECKS_H
#define SEQUIN_LIB_DIALECT_TCP_IR_SHAPECHECKS_H

#include "sequin/Dialect/Tcp/IR/TcpShapes.h"

namespace sequin::tcp {

/// Reports an error of the stream core as one of the operation.
template <typename T>
llvm::FailureOr<T> report(llvm::Expected<T> value, EmitError emitError,
                          llvm::StringRef what) {
  if (value)
    return std::move(*value);
  return emitError() << what << ": " << llvm::toString(value.takeError());
}

/// Fails with the first position at which the two mappings differ.
llvm::LogicalResult requireEqual(const Mapping &found, const Mapping &expected,
                                 EmitError emitError, llvm::StringRef what);

inline llvm::FailureOr<Mapping>
pairOf(const Mapping &major, const Mapping &minor, EmitError emitError) {
  return report(Mapping::pair(major, minor), emitError, "stream");
}

} // namespace sequin::tcp

#endif // SEQUIN_LIB_DIALECT_TCP_IR_SHAPECHECKS_H
