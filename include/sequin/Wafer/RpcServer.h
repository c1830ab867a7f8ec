//===- RpcServer.h - What the task behind @rpc remembers --------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A call is the number of an exported function and its arguments, a wavelet
// each (Builtins for Supporting Remote Procedure Calls, @rpc). Nothing marks
// its end, so what is known of a call that lacks arguments is the memory of the
// server.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_WAFER_RPCSERVER_H
#define SEQUIN_WAFER_RPCSERVER_H

#include "llvm/ADT/StringRef.h"

namespace sequin::wafer {

/// The variable with the call under way, 16-bit words. No symbol of CSL text
/// has such a name.
inline constexpr llvm::StringLiteral kRpcState = "@rpc state";

/// Its words: number of the function, wavelets missing, wavelets there.
enum RpcStateWord : unsigned {
  kRpcFunction,
  kRpcMissing,
  kRpcThere,
  kRpcStateWords,
};

} // namespace sequin::wafer

#endif // SEQUIN_WAFER_RPCSERVER_H
