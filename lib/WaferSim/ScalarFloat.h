//===- ScalarFloat.h - Float instructions of the bytecode -------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_WAFERSIM_SCALARFLOAT_H
#define SEQUIN_LIB_WAFERSIM_SCALARFLOAT_H

#include "sequin/Wafer/Bytecode.h"

namespace sequin::wafer {

/// What a Float... instruction puts into its register; `third` is FloatFma's
/// addend.
uint64_t evaluateFloat(const Instruction &instruction, Fp16Format format,
                       uint64_t left, uint64_t right, uint64_t third);

/// What the instruction raises whose result is `value`: a set of float
/// exceptions (Support/FloatExceptions.h).
uint8_t exceptionsOfFloat(const Instruction &instruction, Fp16Format format,
                          uint64_t left, uint64_t right, uint64_t third,
                          uint64_t value);

} // namespace sequin::wafer

#endif // SEQUIN_LIB_WAFERSIM_SCALARFLOAT_H
