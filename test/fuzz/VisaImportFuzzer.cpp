//===- VisaImportFuzzer.cpp - Any text as a kernel ------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Changes tokens half the time, bytes the rest.
//
//   build-fuzz/test/fuzz/VisaImportFuzzer -dict=test/fuzz/visa.dict \
//     -max_len=16384 NEW-INPUTS test/fuzz/corpus/visa examples/visa
//
//===----------------------------------------------------------------------===//

#include "VisaImportCheck.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace sequin;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  // A fuzzer's modules are in no files.
  if (text.contains("mod "))
    return 0;
  std::string wrong = fuzz::checkVisaImport(text, "").wrong;
  if (!wrong.empty()) {
    std::fprintf(stderr, "%s\n", wrong.c_str());
    std::abort();
  }
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed) {
  if (seed % 2)
    return LLVMFuzzerMutate(data, size, maxSize);
  std::string text = fuzz::mutateVisaTokens(
      {reinterpret_cast<const char *>(data), size}, {}, 1 + seed / 2 % 4, seed);
  size_t length = std::min(text.size(), maxSize);
  std::memcpy(data, text.data(), length);
  return length;
}
