//===- HostNames.h - Names of what a host function takes --------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_DIALECT_TCP_IR_HOSTNAMES_H
#define SEQUIN_DIALECT_TCP_IR_HOSTNAMES_H

#include "llvm/ADT/StringRef.h"

namespace sequin::tcp {

/// Attribute of an argument or a result of a host function: its name in the
/// configuration and in messages (a string). Without it they are "arg0" and
/// "result0", counted from 0.
inline constexpr llvm::StringLiteral kNameAttrName = "tcp.name";

} // namespace sequin::tcp

#endif // SEQUIN_DIALECT_TCP_IR_HOSTNAMES_H
