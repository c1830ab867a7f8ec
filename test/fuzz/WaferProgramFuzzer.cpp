//===- WaferProgramFuzzer.cpp - Any text as a wafer program ---------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reader, the check, and a bounded run of what the check lets through: no
// program that it accepts may bring the simulator down. Inputs are files
// bin/out_program.json of cslc:
//
//   build-fuzz/test/fuzz/WaferProgramFuzzer -max_len=65536 NEW-INPUTS PROGRAMS
//
//===----------------------------------------------------------------------===//

#include "NumberMutation.h"
#include "WaferProgramCheck.h"

#include <cstring>

using namespace sequin;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz::runWaferProgram(
      llvm::StringRef(reinterpret_cast<const char *>(data), size));
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
