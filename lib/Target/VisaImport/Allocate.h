//===- Allocate.h - Memory of a kernel by lifetime --------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Assigns DM, VRF, TRF and HBM. A tensor lives from the operation that writes
// it to the last one that reads it or another name of it; a pass reads until it
// has written its result. Tensors take turns around the memory: what was freed
// last is used again last, so that moves and passes of different rounds wait
// for each other as late as possible.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_TARGET_VISAIMPORT_ALLOCATE_H
#define SEQUIN_LIB_TARGET_VISAIMPORT_ALLOCATE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "sequin/Machine/Machine.h"

namespace sequin::visa_import {

/// Where the arguments of a kernel lie in HBM.
using ArgumentAddresses = llvm::SmallVector<int64_t, 8>;

/// Assigns all addresses of `kernel`, and those of its arguments. An error says
/// which tensor does not fit beside which others.
mlir::FailureOr<ArgumentAddresses> allocate(mlir::func::FuncOp kernel,
                                            const TcpMachine &machine);

/// Keeps the addresses of `kernel`; its arguments lie behind them in HBM.
mlir::FailureOr<ArgumentAddresses> placeArguments(mlir::func::FuncOp kernel,
                                                  const TcpMachine &machine);

} // namespace sequin::visa_import

#endif // SEQUIN_LIB_TARGET_VISAIMPORT_ALLOCATE_H
