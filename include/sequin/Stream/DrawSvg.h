//===- DrawSvg.h - A mapping as a picture -----------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_STREAM_DRAWSVG_H
#define SEQUIN_STREAM_DRAWSVG_H

#include "sequin/Stream/Mapping.h"
#include "llvm/Support/raw_ostream.h"

namespace sequin {

/// More cells than this are not readable as a picture.
inline constexpr int64_t maxDrawnCells = 4096;

/// Draws `mapping` as SVG. Above, the tensor: one grid per combination of all
/// axes but the last two, each cell numbered by the buffer position that holds
/// it. Below, the buffer in rows, each cell naming its tensor index. Cells are
/// coloured by the outermost term of the mapping, so that equal colours are
/// visited together; padding is grey, and tensor cells that no position holds
/// are white. An error if there are too many cells.
llvm::Error drawSvg(llvm::raw_ostream &os, const Mapping &mapping);

} // namespace sequin

#endif // SEQUIN_STREAM_DRAWSVG_H
