//===- Padding.h - Gaps between rows of memory ------------------*- C++ -*-===//
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

/// Where each DMA engine begins that moves a tensor for a group: positions, by
/// dimension.
using EngineStarts = llvm::SmallVector<llvm::SmallVector<int64_t, 4>, 8>;

/// Of a group that is planned.
EngineStarts getEngineStarts(const Group &group, const Access &access,
                             const TcpMachine &machine);

/// Units of HBM behind every row with which engines meet least often, all
/// movers of the tensor considered. `setStrides` gives the tensor the strides
/// that so many units make.
int64_t choosePadding(Tensor &tensor, llvm::ArrayRef<EngineStarts> starts,
                      const TcpMachine &machine,
                      llvm::function_ref<void(int64_t units)> setStrides);

} // namespace sequin::linalg_to_tcp

#endif // SEQUIN_LIB_CONVERSION_LINALGTOTCP_PADDING_H
