//===- VisaMutationTest.cpp - Changed kernels -----------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VisaImportCheck.h"

#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

struct Kernel {
  const char *file, *entry;
};
/// Of examples/visa.
constexpr Kernel kKernels[] = {
    {"hello.rs", "scale_and_shift"}, {"hello.rs", "multiply"},
    {"hello.rs", "matrix_vector"},   {"mlp.rs", "forward"},
    {"softmax.rs", "softmax"},       {"chip_sum.rs", "all_reduce"},
};

// SEQUIN_TEST_SEED and SEQUIN_TEST_COUNT ask for other changes, and for more.
TEST(VisaImportMutations, ChangedKernelsAreRefusedOrImported) {
  auto number = [](const char *name, uint64_t otherwise) {
    const char *text = std::getenv(name);
    uint64_t value;
    return text && !llvm::StringRef(text).getAsInteger(10, value) ? value
                                                                  : otherwise;
  };
  const uint64_t kFirstSeed = number("SEQUIN_TEST_SEED", 1);
  const uint64_t kPrograms = number("SEQUIN_TEST_COUNT", 10000);
  std::vector<std::string> texts;
  for (const Kernel &kernel : kKernels) {
    auto buffer = llvm::MemoryBuffer::getFile(
        std::string(SEQUIN_EXAMPLES "/visa/") + kernel.file);
    ASSERT_TRUE(buffer) << kernel.file;
    texts.push_back((*buffer)->getBuffer().str());
  }
  uint64_t imported = 0;
  for (uint64_t seed = kFirstSeed; seed != kFirstSeed + kPrograms; ++seed) {
    const Kernel &kernel = kKernels[seed % std::size(kKernels)];
    std::string text = sequin::fuzz::mutateVisaTokens(
        texts[seed % texts.size()], {texts[(seed + 1) % texts.size()]},
        1 + seed % 3, seed);
    auto start = std::chrono::steady_clock::now();
    auto [wrong, isImported] =
        sequin::fuzz::checkVisaImport(text, kernel.entry);
    ASSERT_EQ(wrong, "") << "seed " << seed << " of kernel:\n" << text;
    imported += isImported;
    std::chrono::duration<double> took =
        std::chrono::steady_clock::now() - start;
    EXPECT_LT(took.count(), 60) << "seed " << seed << " of kernel:\n" << text;
  }
  std::printf("%llu kernels, %llu are imported\n",
              static_cast<unsigned long long>(kPrograms),
              static_cast<unsigned long long>(imported));
  EXPECT_GE(imported, kPrograms / 100);
}

} // namespace
