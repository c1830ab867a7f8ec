//===- TcpShapes.cpp - What a stage's mappings imply ----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeChecks.h"
#include "sequin/Machine/TcpIsa.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::tcp;
using namespace sequin::tcp_isa;

int64_t tcp::elementsIn(Type type, int64_t bytes) {
  return bytes * 8 / getBitWidth(*getElementKind(type));
}
