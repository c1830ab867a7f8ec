//===- Regions.h - Sets of PEs as rectangles --------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_TARGET_CSLIMPORT_REGIONS_H
#define SEQUIN_LIB_TARGET_CSLIMPORT_REGIONS_H

#include "sequin/Dialect/Csl/IR/CslDialect.h"
#include <vector>

namespace sequin::csl_import {

/// Covers every (x, y) once: rows are split into runs of one step, rows with
/// equal runs are joined.
std::vector<csl::RegionAttr>
coverRegions(mlir::MLIRContext *context,
             std::vector<std::pair<int64_t, int64_t>> places);

} // namespace sequin::csl_import

#endif // SEQUIN_LIB_TARGET_CSLIMPORT_REGIONS_H
