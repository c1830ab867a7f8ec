//===- CslSourceFuzzer.cpp - Any text as CSL source -----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Changes whole tokens three times out of four, else bytes:
//
//   build-fuzz/test/fuzz/CslSourceFuzzer -dict=test/fuzz/csl.dict \
//     -max_len=4096 NEW-INPUTS test/fuzz/corpus/csl
//
//===----------------------------------------------------------------------===//

#include "CslSourceCheck.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string wrong = sequin::fuzz::checkCslSource(
      {reinterpret_cast<const char *>(data), size});
  if (!wrong.empty()) {
    std::fprintf(stderr, "%s\n", wrong.c_str());
    std::abort();
  }
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed) {
  if (seed % 4 == 0)
    return LLVMFuzzerMutate(data, size, maxSize);
  std::string result = sequin::fuzz::mutateCslTokens(
      {reinterpret_cast<const char *>(data), size}, {}, 1 + seed % 3, seed);
  size_t length = std::min(result.size(), maxSize);
  std::memcpy(data, result.data(), length);
  return length;
}
