//===- SanitizerOptions.cpp - Defaults for sanitizer builds ---------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

extern "C" const char *__asan_default_options();
// The packaged libMLIR fills BumpPtrAllocator slabs that our inlined copy of
// the allocator has poisoned; without this every custom attribute is a false
// report. Leaks of process-lifetime objects inside the packaged library are not
// ours; fuzzers look for what grows from input to input.
extern "C" const char *__asan_default_options() {
#ifdef SEQUIN_DETECT_LEAKS
  return "allow_user_poisoning=0:detect_leaks=1";
#else
  return "allow_user_poisoning=0:detect_leaks=0";
#endif
}
