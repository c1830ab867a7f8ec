//===- CslImportFuzzer.cpp - Any text as a CSL program --------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Through the whole front end and the derivation. Changes trees nine times out
// of sixteen, tokens three times, bytes the rest, and crosses programs. Seeds
// are the programs of the tree, each as one text (CslImportCheck.h):
//
//   tools/dev/fuzz-seeds SEEDS
//   build-fuzz/test/fuzz/CslImportFuzzer -dict=test/fuzz/csl.dict \
//     -max_len=16384 NEW-INPUTS test/fuzz/corpus/import SEEDS
//
//===----------------------------------------------------------------------===//

#include "CslImportCheck.h"

#include "llvm/Support/xxhash.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace sequin;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed);
extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *data, size_t size,
                                            const uint8_t *other,
                                            size_t otherSize, uint8_t *out,
                                            size_t maxSize, unsigned seed);

static llvm::StringRef textOf(const uint8_t *data, size_t size) {
  return {reinterpret_cast<const char *>(data), size};
}

static size_t give(const std::string &text, uint8_t *out, size_t maxSize) {
  size_t length = std::min(text.size(), maxSize);
  std::memcpy(out, text.data(), length);
  return length;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // One machine for each input, which its text chooses: that is half the time.
  // One of four is written as source and compiled again.
  llvm::StringRef text = textOf(data, size);
  uint64_t choice = llvm::xxh3_64bits(text);
  llvm::StringRef arch = choice % 2 ? "wse2" : "wse3";
  std::string wrong =
      fuzz::checkCslImport(text, SEQUIN_LIBRARY, arch, choice / 2 % 4 == 0)
          .wrong;
  if (!wrong.empty()) {
    std::fprintf(stderr, "%s\n", wrong.c_str());
    std::abort();
  }
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed) {
  if (seed % 16 >= 12)
    return LLVMFuzzerMutate(data, size, maxSize);
  return give(
      fuzz::mutateCslProgram(textOf(data, size), {}, 1 + seed / 16 % 3, seed),
      data, maxSize);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *data, size_t size,
                                            const uint8_t *other,
                                            size_t otherSize, uint8_t *out,
                                            size_t maxSize, unsigned seed) {
  return give(fuzz::mutateCslProgram(textOf(data, size),
                                     {textOf(other, otherSize).str()},
                                     1 + seed / 16 % 3, seed),
              out, maxSize);
}
