//===- StreamJson.h - Mappings and descriptors as JSON ----------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The output formats of sequin-map.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_STREAM_STREAMJSON_H
#define SEQUIN_STREAM_STREAMJSON_H

#include "sequin/Stream/Sequencer.h"
#include "llvm/Support/raw_ostream.h"

namespace sequin {

/// "{A: 1, B: 7}"; "padding" for none.
std::string formatIndex(const std::optional<TensorIndex> &index);

/// {"size": n, "index": [{"B": 97}, {}, null, ...]}: entry i is the tensor
/// index of position i, zero coordinates left out, null for padding.
void writeEvaluation(llvm::raw_ostream &os, const Mapping &mapping);

/// {"entries": [{"size", "stride", "terms"}, ...], "packet_elements",
/// "contiguous_bytes", "access_bytes", "cycles", "base", "merged",
/// "access_supported"}: entries outermost first, strides in elements.
void writeDerivation(llvm::raw_ostream &os, const Derivation &derivation);

/// {"mapping", "normal", "size", "valid_size"}.
void writeNormalForm(llvm::raw_ostream &os, const Mapping &mapping);

/// {"equivalent": bool} and, where they differ, "position", "left" and "right",
/// the indices there (null for padding, absent past the end of a side).
void writeComparison(llvm::raw_ostream &os, const Mapping &left,
                     const Mapping &right, std::optional<int64_t> difference);

} // namespace sequin

#endif // SEQUIN_STREAM_STREAMJSON_H
