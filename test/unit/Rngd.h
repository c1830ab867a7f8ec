//===- Rngd.h - The machine of most tests -----------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_TEST_UNIT_RNGD_H
#define SEQUIN_TEST_UNIT_RNGD_H

#include "sequin/Machine/Machine.h"

namespace sequin::testing {

inline const TcpMachine &rngd() { return *lookupTcpMachine("rngd"); }

} // namespace sequin::testing

#endif // SEQUIN_TEST_UNIT_RNGD_H
