//===- Sharing.h - Operations that may be under way at once -----*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Asynchronous operations of one program that use a queue or a microthread in
// common and may be under way at the same time (ASY-013, ASY-014, ASY-027).
//
// In one block: one behind the other, which is the same time. In two tasks:
// unless one task is only started by what the completion of the other's
// operation leads to. Two data or control tasks start when wavelets come; a
// task is also started by the task that activates it. Two functions that the
// host launches are left out: it launches one after the other.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_CONVERSION_CSLTOWAFER_SHARING_H
#define SEQUIN_LIB_CONVERSION_CSLTOWAFER_SHARING_H

#include "sequin/Dialect/Csl/IR/CslDialect.h"
#include "sequin/Wafer/Program.h"

namespace sequin::csl_to_wafer {

struct Overlap {
  enum class Of : uint8_t { InputQueue, OutputQueue, Microthread };
  mlir::Operation *first = nullptr, *second = nullptr;
  Of of = Of::InputQueue;
  int64_t number = 0;
  bool acrossTasks = false;
};

/// `setup` is one of the program's.
std::vector<Overlap> findOverlaps(csl::ProgramOp program,
                                  const wafer::Setup &setup,
                                  const wafer::Code &code);

} // namespace sequin::csl_to_wafer

#endif // SEQUIN_LIB_CONVERSION_CSLTOWAFER_SHARING_H
