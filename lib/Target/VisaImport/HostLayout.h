//===- HostLayout.h - Host arrays of HBM tensors ----------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_TARGET_VISAIMPORT_HOSTLAYOUT_H
#define SEQUIN_LIB_TARGET_VISAIMPORT_HOSTLAYOUT_H

#include "sequin/Stream/Mapping.h"
#include <string>

namespace sequin::visa_import {

/// The mapping of the host array whose elements are those of an HBM tensor of
/// the given mapping (chips, then each chip's buffer): a dimension for each
/// axis that is there as a whole, in the order in which they come first, and
/// one for every other digit; no padding.
std::string hostMapping(const Mapping &tensor);

} // namespace sequin::visa_import

#endif // SEQUIN_LIB_TARGET_VISAIMPORT_HOSTLAYOUT_H
