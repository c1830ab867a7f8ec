//===- Locations.h - Places of operations as text ---------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_DIALECT_TCP_IR_LOCATIONS_H
#define SEQUIN_DIALECT_TCP_IR_LOCATIONS_H

#include "mlir/IR/Location.h"
#include <string>

namespace sequin {

/// "file:line:col" of the innermost place in a file, or the name that stands
/// for one (`loc("layer1")`); empty if there is neither.
std::string describeLocation(mlir::LocationAttr location);

} // namespace sequin

#endif // SEQUIN_DIALECT_TCP_IR_LOCATIONS_H
