//===- Row.h - Ties a test to rows of the worked examples -------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_TEST_UNIT_ROW_H
#define SEQUIN_TEST_UNIT_ROW_H

#include "gtest/gtest.h"
#include <string>

namespace sequin::testing {

/// Records in the test's XML result that the running test shows row `id` of the
/// worked examples; docs/conformance.md is generated from these records. Call
/// it where the check stands, so that a test that stops early records nothing
/// more.
inline void recordRow(const std::string &id) {
  ::testing::Test::RecordProperty("row-" + id, id);
}

} // namespace sequin::testing

#define SEQUIN_ROW(ID) ::sequin::testing::recordRow(ID)

#endif // SEQUIN_TEST_UNIT_ROW_H
