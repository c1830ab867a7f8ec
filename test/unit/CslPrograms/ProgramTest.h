//===- ProgramTest.h - Tests on generated csl programs ----------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_TEST_UNIT_CSLPROGRAMS_PROGRAMTEST_H
#define SEQUIN_TEST_UNIT_CSLPROGRAMS_PROGRAMTEST_H

#include "mlir/IR/MLIRContext.h"
#include "sequin/Conversion/CslToWafer/DeriveProgram.h"
#include "llvm/ADT/StringRef.h"
#include "gtest/gtest.h"
#include <cstdlib>

namespace sequin::testing {

/// A number that the environment may give a test.
inline uint64_t fromEnvironment(const char *name, uint64_t otherwise) {
  const char *text = std::getenv(name);
  uint64_t number;
  return text && !llvm::StringRef(text).getAsInteger(10, number) ? number
                                                                 : otherwise;
}

/// A context that derives programs.
class ProgramTest : public ::testing::Test {
protected:
  ProgramTest() : context(registry(), mlir::MLIRContext::Threading::DISABLED) {
    context.printOpOnDiagnostic(false);
  }

  static mlir::DialectRegistry registry() {
    mlir::DialectRegistry registry;
    csl_to_wafer::registerDialects(registry);
    return registry;
  }

  mlir::MLIRContext context;
};

} // namespace sequin::testing

#endif // SEQUIN_TEST_UNIT_CSLPROGRAMS_PROGRAMTEST_H
