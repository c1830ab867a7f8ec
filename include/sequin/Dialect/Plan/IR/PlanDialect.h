//===- PlanDialect.h - The plan dialect -------------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_DIALECT_PLAN_IR_PLANDIALECT_H
#define SEQUIN_DIALECT_PLAN_IR_PLANDIALECT_H

#include "sequin/Dialect/Plan/IR/PlanTypes.h"
#include "sequin/Dialect/Tcp/IR/TcpDialect.h"

#include "sequin/Dialect/Plan/IR/PlanDialect.h.inc"
#include "sequin/Dialect/Plan/IR/PlanEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "sequin/Dialect/Plan/IR/PlanAttrs.h.inc"
#define GET_OP_CLASSES
#include "sequin/Dialect/Plan/IR/PlanOps.h.inc"

#endif // SEQUIN_DIALECT_PLAN_IR_PLANDIALECT_H
