//===- Unused.h - Declarations that nothing names ---------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_TARGET_CSLIMPORT_UNUSED_H
#define SEQUIN_LIB_TARGET_CSLIMPORT_UNUSED_H

#include "Evaluator.h"

namespace sequin::csl_import {

/// Warns of what is wrong in functions, constants and variables of a finished
/// program that no file of it names; `known` has those that were looked at
/// before. The program stays as it is. To be called when all programs are made,
/// and without errors.
void warnOfUnused(Session &session, ProgramState &program,
                  llvm::DenseSet<const csl_source::Decl *> &known);
/// The same of the constants of the layout.
void warnOfUnused(Session &session, ModuleInstance &layout,
                  llvm::DenseSet<const csl_source::Decl *> &known);

} // namespace sequin::csl_import

#endif // SEQUIN_LIB_TARGET_CSLIMPORT_UNUSED_H
