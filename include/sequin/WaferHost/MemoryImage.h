//===- MemoryImage.h - Memory of PEs for debug tools ------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What debug tools look at, during a run and after it: the image of all
// memories (docs/Spec/CslOutput.md), and where in it a variable is.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_WAFERHOST_MEMORYIMAGE_H
#define SEQUIN_WAFERHOST_MEMORYIMAGE_H

#include "sequin/WaferHost/Session.h"

namespace sequin::wafer {

/// Writes the memories of all PEs; pages of zeros become holes.
llvm::Error writeMemoryImage(llvm::StringRef path, const Session &session);

struct VariablePlace {
  uint64_t address = 0, bytes = 0;
  ElementKind kind = ElementKind::Unsigned;
  unsigned elementBytes = 2;
};

/// A variable of PE (x, y), which is within the rectangle: by its own name, by
/// the last part of a name that is the only such one ("m.x" by "x"), or what a
/// symbol exports, through its pointer. `memory` is the PE's.
llvm::Expected<VariablePlace> findVariable(const Program &program, int64_t x,
                                           int64_t y, llvm::StringRef name,
                                           llvm::ArrayRef<uint8_t> memory);

} // namespace sequin::wafer

#endif // SEQUIN_WAFERHOST_MEMORYIMAGE_H
