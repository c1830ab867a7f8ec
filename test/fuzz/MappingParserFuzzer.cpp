//===- MappingParserFuzzer.cpp - Any text as a mapping --------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   build-fuzz/test/fuzz/MappingParserFuzzer -dict=test/fuzz/mapping.dict \
//     -max_len=256 NEW-INPUTS test/fuzz/corpus/mapping
//
//===----------------------------------------------------------------------===//

#include "MappingParserCheck.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string wrong = sequin::fuzz::checkMappingParser(
      {reinterpret_cast<const char *>(data), size});
  if (!wrong.empty()) {
    std::fprintf(stderr, "%s\n", wrong.c_str());
    std::abort();
  }
  return 0;
}
