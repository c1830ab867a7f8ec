//===- Compare.h - Comparing results with a reference -----------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_API_COMPARE_H
#define SEQUIN_LIB_API_COMPARE_H

#include "sequin/Reference/Interpreter.h"
#include "sequin/Sim/Simulator.h"
#include <optional>

namespace sequin::api {

int64_t elementCount(const sim::HostArray &array);

/// The first element that differs, with its output, index and both values;
/// std::nullopt if there is none. All NaNs are equal, and so are zeros: the
/// sign of a sum of nothing but zeros depends on padding lanes. Positions that
/// hold no tensor index are skipped.
std::optional<std::string>
compareExactly(llvm::ArrayRef<sim::HostArray> found,
               llvm::ArrayRef<reference::Array> expected);

/// The same with the tolerance of every element.
std::optional<std::string>
compareClosely(llvm::ArrayRef<sim::HostArray> found,
               llvm::ArrayRef<reference::LinalgResult> expected);

} // namespace sequin::api

#endif // SEQUIN_LIB_API_COMPARE_H
