//===- SymbolArrays.h - Arrays between NumPy and symbols --------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An array [H, W, n] holds a symbol of H x W PEs, PE-major. More dimensions may
// follow in the place of n, and none where n is 1.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_WAFERHOST_SYMBOLARRAYS_H
#define SEQUIN_WAFERHOST_SYMBOLARRAYS_H

#include "sequin/Support/NpyFile.h"
#include "sequin/WaferHost/Session.h"

namespace sequin::wafer {

/// "f32", "bf16", "i16", "u32", "bool", "pointer", "bytes", ...
std::string typeText(const SymbolData &data, Fp16Format fp16);

/// The elements of an array in the type of a symbol. Numbers are rounded to the
/// nearest value of the element type, ties to even; uint16 for bf16 and cb16
/// are the elements' bits; structs and descriptors are uint8, byte by byte.
/// Errors begin with `name`, the array's name for its owner.
llvm::Expected<std::vector<uint8_t>>
toElements(const NpyArray &array, llvm::StringRef name, llvm::StringRef symbol,
           const SymbolData &data, Fp16Format fp16);

/// The same for an array of the shape that the symbol has on `where`.
llvm::Expected<std::vector<uint8_t>>
toSymbolBytes(const NpyArray &array, llvm::StringRef name,
              llvm::StringRef symbol, const SymbolData &data, Fp16Format fp16,
              const Rectangle &where);

/// Elements of a symbol as an array of the given shape: floats as float32, or
/// as they are if `raw` (bf16 and cb16 as uint16); integers in their width and
/// sign, truth values as uint8.
NpyArray toArray(std::vector<uint8_t> bytes, const SymbolData &data,
                 Fp16Format fp16, llvm::ArrayRef<int64_t> shape, bool raw);
/// [H, W, n] of a symbol on `where`.
llvm::SmallVector<int64_t, 3> shapeOf(const SymbolData &data,
                                      const Rectangle &where);

/// The words of a stream from an array [H, W, n] of elements of 32 bits, which
/// are taken as they are, or of up to 16, which get zeros above. Of an edge
/// stream any shape will do.
llvm::Expected<std::vector<uint32_t>> toWords(const NpyArray &array,
                                              llvm::StringRef name,
                                              const Stream &stream,
                                              const Rectangle &where);

/// One argument of a launch from text: a number, or "true" and "false".
llvm::Expected<uint64_t> toArgument(llvm::StringRef text, llvm::StringRef name,
                                    ElementKind kind, unsigned bits,
                                    Fp16Format fp16);

} // namespace sequin::wafer

#endif // SEQUIN_WAFERHOST_SYMBOLARRAYS_H
