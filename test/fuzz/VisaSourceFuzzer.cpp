//===- VisaSourceFuzzer.cpp - Any text as kernel source -------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   build-fuzz/test/fuzz/VisaSourceFuzzer -dict=test/fuzz/visa.dict \
//     -max_len=4096 NEW-INPUTS test/fuzz/corpus/visa test/VisaSource/Inputs
//
//===----------------------------------------------------------------------===//

#include "VisaSourceCheck.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string wrong = sequin::fuzz::checkVisaSource(
      {reinterpret_cast<const char *>(data), size});
  if (!wrong.empty()) {
    std::fprintf(stderr, "%s\n", wrong.c_str());
    std::abort();
  }
  return 0;
}
