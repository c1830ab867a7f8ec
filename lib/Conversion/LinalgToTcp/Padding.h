//===- Padding.h - What padded parts of tensors hold ------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_CONVERSION_LINALGTOTCP_PADDING_H
#define SEQUIN_LIB_CONVERSION_LINALGTOTCP_PADDING_H

#include "Program.h"

namespace sequin::linalg_to_tcp {

/// Sums run over the padding of their axis too. Checks that it adds nothing:
/// one factor is zero there and the other one finite.
mlir::LogicalResult checkPadding(const Program &program);

} // namespace sequin::linalg_to_tcp

#endif // SEQUIN_LIB_CONVERSION_LINALGTOTCP_PADDING_H
