//===- ElfFile.h - The memory of a PE as an ELF file ------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_WAFER_ELFFILE_H
#define SEQUIN_WAFER_ELFFILE_H

#include "sequin/Wafer/Program.h"
#include "llvm/Support/raw_ostream.h"

namespace sequin::wafer {

/// Writes the memory of a PE before it starts as a 32-bit little-endian ELF
/// file: a segment with the initial bytes, a symbol with byte address and size
/// for each variable, and the names of functions. For tools that read symbols;
/// the bytecode is in the wafer program alone.
void writeElf(llvm::raw_ostream &os, const Code &code, const Pe &pe);

/// The PE of the rectangle that stands for those with a code: the first, by
/// rows. None if no PE has it.
std::optional<std::pair<int64_t, int64_t>>
representative(const Program &program, uint32_t code);

} // namespace sequin::wafer

#endif // SEQUIN_WAFER_ELFFILE_H
