//===- Saturating.h - Sums and products that stop at the limit --*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Index arithmetic meets numbers past 64 bits only where the result is padding
// or a refusal, so that the largest number stands for all of them. Both
// operands are at least 0.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_STREAM_SATURATING_H
#define SEQUIN_LIB_STREAM_SATURATING_H

#include "Checked.h"

namespace sequin {

using checked::ceilDiv;
using checked::saturatingAdd;
using checked::saturatingMul;

} // namespace sequin

#endif // SEQUIN_LIB_STREAM_SATURATING_H
