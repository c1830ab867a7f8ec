//===- Arrays.h - Arrays between NumPy and programs -------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_API_ARRAYS_H
#define SEQUIN_LIB_API_ARRAYS_H

#include "sequin/Config/Config.h"
#include "sequin/Sim/Simulator.h"
#include "sequin/Support/ArrayNumber.h"
#include "sequin/Support/NpyFile.h"

namespace sequin::api {

/// The array as `argument` wants it: numbers are rounded to the nearest value
/// of its type, ties to even; uint16 for bf16 and uint8 for f8 are the
/// elements' bits. Errors begin with `name`, the array's name for its owner.
llvm::Expected<sim::HostArray> toHostArray(NpyArray array, llvm::StringRef name,
                                           const config::Argument &argument);

/// An error unless every element is 0 or 1, for an argument of truth values,
/// which the program takes as i8.
llvm::Error checkTruthValues(const NpyArray &array, llvm::StringRef name,
                             const config::Argument &argument);

/// The same for an i4 argument that stands for f4E2M1FN: its codes, of numbers
/// that are rounded to it; uint8 are codes.
llvm::Expected<sim::HostArray> toE2m1Array(const NpyArray &array,
                                           llvm::StringRef name,
                                           const config::Argument &argument);

/// A result as a NumPy array of the given shape: floats as float32, or as they
/// are if `raw` (bf16 as uint16, f8 as uint8); integers in their width, i4 as
/// int8.
NpyArray toNpy(const sim::HostArray &array, llvm::ArrayRef<int64_t> shape,
               bool raw);

} // namespace sequin::api

#endif // SEQUIN_LIB_API_ARRAYS_H
