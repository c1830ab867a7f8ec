//===- CslOps.cpp - Generated code of csl operations ----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpAssembly.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::csl;

#include "sequin/Dialect/Csl/IR/CslInterfaces.cpp.inc"

#define GET_OP_CLASSES
#include "sequin/Dialect/Csl/IR/CslOps.cpp.inc"
