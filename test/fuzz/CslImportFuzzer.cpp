//===- CslImportFuzzer.cpp - Any text as a CSL program --------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Through the whole front end: a text is a file with its layout block. Changes
// whole tokens three times out of four, else bytes:
//
//   build-fuzz/test/fuzz/CslImportFuzzer -dict=test/fuzz/csl.dict \
//     -max_len=4096 NEW-INPUTS test/fuzz/corpus/csl
//
//===----------------------------------------------------------------------===//

#include "CslSourceCheck.h"
#include "sequin/CslSource/Observations.h"
#include "sequin/Target/CslImport/CslImport.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace sequin;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  for (const char *arch : {"wse2", "wse3"}) {
    csl_import::ImportOptions options;
    options.arch = arch;
    options.libraryPath = SEQUIN_LIBRARY;
    options.comptimeStepLimit = 200000;
    options.maxInlinedIterations = 1000;
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    csl_source::SourceManager sources;
    sources.add("input.csl",
                std::string(reinterpret_cast<const char *>(data), size));
    csl_source::Diagnostics diagnostics(sources);
    // One of them as editors ask, which goes on after errors.
    csl_source::Observations observations;
    if (options.arch == "wse3")
      options.observations = &observations;
    mlir::OwningOpRef<mlir::ModuleOp> module = csl_import::importCsl(
        "input.csl", options, context, sources, diagnostics);
    if (!module && !diagnostics.hadErrors()) {
      std::fprintf(stderr, "refused without an error\n");
      std::abort();
    }
  }
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed) {
  if (seed % 4 == 0)
    return LLVMFuzzerMutate(data, size, maxSize);
  std::string result = fuzz::mutateCslTokens(
      {reinterpret_cast<const char *>(data), size}, {}, 1 + seed % 3, seed);
  size_t length = std::min(result.size(), maxSize);
  std::memcpy(data, result.data(), length);
  return length;
}
