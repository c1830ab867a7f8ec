//===- CslRouteAttrs.h - What is said beside a route ------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_DIALECT_CSL_IR_CSLROUTEATTRS_H
#define SEQUIN_DIALECT_CSL_IR_CSLROUTEATTRS_H

#include "llvm/ADT/StringRef.h"

namespace sequin::csl {

/// Of a `csl.local_color_config`: where its route leads off the rectangle, that
/// is meant.
inline constexpr llvm::StringLiteral kMayLeaveAttrName = "csl.may_leave";

} // namespace sequin::csl

#endif // SEQUIN_DIALECT_CSL_IR_CSLROUTEATTRS_H
