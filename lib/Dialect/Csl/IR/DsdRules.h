//===- DsdRules.h - Settings of asynchronous operations ---------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_DIALECT_CSL_IR_DSDRULES_H
#define SEQUIN_LIB_DIALECT_CSL_IR_DSDRULES_H

#include "sequin/Dialect/Csl/IR/CslDialect.h"

namespace sequin::csl {

/// activate or unblock, what they take, and that they come with async; an
/// operand that is a DSR (`viaDsr`) may be asynchronous by itself.
llvm::LogicalResult checkAsyncSettings(AsyncOpInterface op, bool viaDsr);

} // namespace sequin::csl

#endif // SEQUIN_LIB_DIALECT_CSL_IR_DSDRULES_H
