//===- HbmService.h - When HBM has served a request -------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For machines on which an engine may have few requests under way: when each of
// them is done. Hbm.h has the time of all together, in whichever order the
// queues serve them. Here a channel moves one unit after the other; a unit of a
// row that is not open waits for the bank besides, while other banks go on.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_SIM_CLOCK_HBMSERVICE_H
#define SEQUIN_LIB_SIM_CLOCK_HBMSERVICE_H

#include "sequin/Machine/HbmPlace.h"
#include <vector>

namespace sequin::sim {

class HbmService {
public:
  HbmService(const HbmModel &model, int64_t coreMHz);

  /// When a request that comes at `time` has been served, in core cycles. The
  /// first row of a bank is opened in the shadow of the start-up.
  int64_t serve(int64_t time, int64_t address, int64_t bytes, bool write);

private:
  /// Cycles of the core clock in parts of `parts`, in which a transfer is
  /// whole.
  int64_t parts, transferParts, switchParts;
  const HbmModel &model;
  struct Bank {
    int64_t row = -1, freeAt = 0;
  };
  struct Channel {
    int64_t freeAt = 0;
    std::vector<Bank> banks;
  };
  std::vector<Channel> channels;
};

} // namespace sequin::sim

#endif // SEQUIN_LIB_SIM_CLOCK_HBMSERVICE_H
