//===- LocalRanks.h - Ranks that are threads of a test ----------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_TEST_UNIT_WAFERSIM_LOCALRANKS_H
#define SEQUIN_TEST_UNIT_WAFERSIM_LOCALRANKS_H

#include "sequin/WaferSim/Simulator.h"
#include <thread>

namespace sequin::testing {

/// While it lives, simulations of `program` with the exchange of rank 0 are
/// shared out.
class LocalRanks {
public:
  LocalRanks(const wafer::Program &program, unsigned size)
      : exchanges(wafer::makeLocalExchanges(size)) {
    for (unsigned rank = 1; rank < size; ++rank)
      threads.emplace_back([this, &program, rank] {
        if (llvm::Error bad = wafer::Simulator::serve(
                program, *lookupCslMachine(program.target), *exchanges[rank]))
          llvm::report_fatal_error(std::move(bad));
      });
  }
  ~LocalRanks() {
    wafer::Simulator::endService(*exchanges[0]);
    for (std::thread &thread : threads)
      thread.join();
  }
  wafer::Exchange *exchange() { return exchanges[0].get(); }

private:
  std::vector<std::unique_ptr<wafer::Exchange>> exchanges;
  std::vector<std::thread> threads;
};

} // namespace sequin::testing

#endif // SEQUIN_TEST_UNIT_WAFERSIM_LOCALRANKS_H
