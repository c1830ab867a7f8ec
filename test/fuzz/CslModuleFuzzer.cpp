//===- CslModuleFuzzer.cpp - Any text as a csl module ---------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dialect's parsers and verifiers, the check of whole programs and the
// derivation, on modules with other numbers:
//
//   build-fuzz/test/fuzz/CslModuleFuzzer -max_len=16384 NEW-INPUTS \
//     examples/csl/wse2 examples/csl/wse3
//
//===----------------------------------------------------------------------===//

#include "NumberMutation.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "sequin/Conversion/CslToWafer/DeriveProgram.h"
#include "sequin/Machine/CslMachine.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace sequin;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  mlir::DialectRegistry registry;
  csl_to_wafer::registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  bool hadError = false;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &d) {
    hadError |= d.getSeverity() == mlir::DiagnosticSeverity::Error;
    return mlir::success();
  });
  auto module = mlir::parseSourceString<mlir::ModuleOp>(
      llvm::StringRef(reinterpret_cast<const char *>(data), size), &context);
  if (!module)
    return 0;
  auto program = csl_to_wafer::deriveCheckedProgram(std::move(module));
  if (mlir::failed(program)) {
    if (!hadError) {
      std::fprintf(stderr, "refused without an error\n");
      std::abort();
    }
    return 0;
  }
  const CslMachine *machine = lookupCslMachine(program->target);
  llvm::Error error = machine ? wafer::check(*program, *machine)
                              : llvm::createStringError("no machine");
  if (error) {
    // What is derived is what the simulator takes.
    std::fprintf(stderr, "%s\n", llvm::toString(std::move(error)).c_str());
    std::abort();
  }
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed) {
  std::string result = fuzz::mutateNumbers(
      {reinterpret_cast<const char *>(data), size}, 1 + seed % 4, seed);
  size_t length = std::min(result.size(), maxSize);
  std::memcpy(data, result.data(), length);
  return length;
}
