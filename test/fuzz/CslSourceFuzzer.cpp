//===- CslSourceFuzzer.cpp - Any text as CSL source -----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Changes the tree two times out of four, tokens once, else bytes, and puts
// parts of one program into another:
//
//   build-fuzz/test/fuzz/CslSourceFuzzer -dict=test/fuzz/csl.dict \
//     -max_len=4096 NEW-INPUTS test/fuzz/corpus/csl
//
//===----------------------------------------------------------------------===//

#include "CslSourceCheck.h"
#include "CslTreeMutation.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed);
extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *data, size_t size,
                                            const uint8_t *other,
                                            size_t otherSize, uint8_t *out,
                                            size_t maxSize, unsigned seed);

static size_t changed(llvm::StringRef text, llvm::ArrayRef<std::string> donors,
                      unsigned seed, uint8_t *out, size_t maxSize) {
  unsigned count = 1 + seed / 4 % 3;
  std::string result =
      seed % 4 == 1 ? sequin::fuzz::mutateCslTokens(text, donors, count, seed)
                    : sequin::fuzz::mutateCslTree(text, donors, count, seed);
  size_t length = std::min(result.size(), maxSize);
  std::memcpy(out, result.data(), length);
  return length;
}

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
  return changed({reinterpret_cast<const char *>(data), size}, {}, seed, data,
                 maxSize);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *data, size_t size,
                                            const uint8_t *other,
                                            size_t otherSize, uint8_t *out,
                                            size_t maxSize, unsigned seed) {
  return changed(
      {reinterpret_cast<const char *>(data), size},
      {std::string(reinterpret_cast<const char *>(other), otherSize)}, seed,
      out, maxSize);
}
