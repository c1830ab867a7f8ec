//===- Exchange.h - Messages between the ranks of a run ---------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fabric can be simulated by several ranks, each some rows of it
// (docs/Rationale/Wafer.md, Ranks): processes, or threads of one process. This
// is all that they need of each other.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_WAFERSIM_EXCHANGE_H
#define SEQUIN_WAFERSIM_EXCHANGE_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <memory>
#include <vector>

namespace sequin::wafer {

class Exchange {
public:
  virtual ~Exchange();
  virtual unsigned rank() const = 0;
  virtual unsigned size() const = 0;
  /// Does not wait for the receiver.
  virtual void send(unsigned to, llvm::ArrayRef<uint8_t> bytes) = 0;
  /// The next message of `from`, in the order sent; waits for it.
  virtual void receive(unsigned from, std::vector<uint8_t> &bytes) = 0;
  /// Every rank gives as many bytes; `all` gets those of all, by rank. A
  /// message that was sent before need not have come.
  virtual void gather(llvm::ArrayRef<uint8_t> mine,
                      llvm::MutableArrayRef<uint8_t> all) = 0;
};

/// As many ranks as wanted that are threads of this process. What they have
/// in common lives as long as the last of them.
std::vector<std::unique_ptr<Exchange>> makeLocalExchanges(unsigned size);

} // namespace sequin::wafer

#endif // SEQUIN_WAFERSIM_EXCHANGE_H
