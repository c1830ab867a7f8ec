//===- ZeroPadding.h - Zeros that memory holds ------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A term `1 #z n` of a tensor in memory is one element and n - 1 zeros behind
// it, which the transfer from the host wrote (a filter whose every other lane
// must be zero: TCP, 2D Convolution, Filter-Stride 2, Dilation 2). Moves have
// to bring the zeros along: where both ends have the term, its positions are
// data.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_CONVERSION_TCPTOCONFIG_ZEROPADDING_H
#define SEQUIN_LIB_CONVERSION_TCPTOCONFIG_ZEROPADDING_H

#include "sequin/Stream/Mapping.h"

namespace sequin::derivation {

/// n if `term` is `1 #z n`.
std::optional<int64_t> zeroPaddingOf(const Mapping &term);

/// `n` instead of `1 #z n`: an axis without a name.
Mapping zerosAsData(const Mapping &term);

/// `mapping` with the terms `1 #z n` that `memory` has too as data.
Mapping withZerosAsData(const Mapping &mapping, const Mapping &memory);

} // namespace sequin::derivation

#endif // SEQUIN_LIB_CONVERSION_TCPTOCONFIG_ZEROPADDING_H
