//===- CoreState.h - The state of a PE as bytes -----------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All of a PE but its memory and what it has of the program. A loaded state can
// come from anybody: whatever indexes something is held to its range.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_WAFERSIM_CORESTATE_H
#define SEQUIN_LIB_WAFERSIM_CORESTATE_H

#include "Wafer.h"
#include "sequin/Support/Archive.h"

namespace sequin::wafer {

void saveCore(Saver &saver, const Core &core, const Wafer &wafer);
/// `core` is bound to its program; what it needs comes from `slab`. False if
/// the state is none of this PE.
bool loadCore(Loader &loader, Core &core, const Wafer &wafer, Slab &slab);

/// The words of a stream between host and PEs in a row.
void saveStreamRow(Saver &saver, HostStream::Row &row);
void loadStreamRow(Loader &loader, HostStream::Row &row,
                   const Program &program);

/// Blocks of memory that hold something.
void saveBytes(Saver &saver, llvm::ArrayRef<uint8_t> memory);
/// Into memory that holds anything.
void loadBytes(Loader &loader, llvm::MutableArrayRef<uint8_t> memory);

} // namespace sequin::wafer

#endif // SEQUIN_LIB_WAFERSIM_CORESTATE_H
