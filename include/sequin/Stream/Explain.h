//===- Explain.h - Why a derivation is what it is ---------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_STREAM_EXPLAIN_H
#define SEQUIN_STREAM_EXPLAIN_H

#include "sequin/Stream/Sequencer.h"
#include "llvm/Support/raw_ostream.h"

namespace sequin {

/// Prints step by step how derive() came to `derivation`: the entry of each
/// term as the manual's tables show it, merging, limits, contiguous run, access
/// size and cycles. Markdown.
void explain(llvm::raw_ostream &os, const AddressMap &buffer,
             const DeriveOptions &options, const Derivation &derivation);

} // namespace sequin

#endif // SEQUIN_STREAM_EXPLAIN_H
