//===- SourceNames.h - Operations in the words of CSL -----------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_TARGET_CSLIMPORT_SOURCENAMES_H
#define SEQUIN_TARGET_CSLIMPORT_SOURCENAMES_H

#include "mlir/IR/Diagnostics.h"

namespace sequin::csl_import {

/// A message that begins with an operation of a dialect, `'csl.var' op ends
/// ...`, and its notes, in the words of the text that it was made from.
void nameAsInSource(mlir::Diagnostic &diagnostic);

} // namespace sequin::csl_import

#endif // SEQUIN_TARGET_CSLIMPORT_SOURCENAMES_H
