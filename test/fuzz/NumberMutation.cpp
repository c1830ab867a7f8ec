//===- NumberMutation.cpp - Changes of numbers in a text ------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NumberMutation.h"

#include "llvm/ADT/StringExtras.h"
#include <random>
#include <vector>

using namespace sequin;
using llvm::StringRef;

/// Where numbers are: the first digit, and how many.
static std::vector<std::pair<size_t, size_t>> findNumbers(StringRef text) {
  std::vector<std::pair<size_t, size_t>> found;
  for (size_t i = 0; i < text.size();) {
    size_t end = i;
    while (end < text.size() && llvm::isDigit(text[end]))
      ++end;
    bool isName = i > 0 && (llvm::isAlpha(text[i - 1]) || text[i - 1] == '_');
    if (end > i && !isName)
      found.emplace_back(i, end - i);
    i = std::max(end, i + 1);
  }
  return found;
}

std::string fuzz::mutateNumbers(StringRef text, unsigned count, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::string result = text.str();
  auto below = [&](size_t limit) { return size_t(random() % limit); };
  for (; count != 0; --count) {
    if (below(8) == 0) {
      // A line.
      size_t start = result.rfind('\n', below(result.size() + 1));
      start = start == std::string::npos ? 0 : start + 1;
      size_t end = result.find('\n', start);
      end = end == std::string::npos ? result.size() : end + 1;
      std::string line = result.substr(start, end - start);
      if (below(2) == 0)
        result.erase(start, end - start);
      else
        result.insert(start, line);
      continue;
    }
    auto numbers = findNumbers(result);
    if (numbers.empty())
      return result;
    auto [at, length] = numbers[below(numbers.size())];
    std::string old = result.substr(at, length), next;
    uint64_t value = 0;
    StringRef(old).getAsInteger(10, value);
    switch (below(4)) {
    case 0:
      next = std::to_string(value + 1);
      break;
    case 1:
      next = std::to_string(value ? value - 1 : 0);
      break;
    case 2: {
      auto [from, size] = numbers[below(numbers.size())];
      next = result.substr(from, size);
      break;
    }
    default: {
      static constexpr uint64_t kEdges[] = {
          0,     1,        2,          3,          7,     8,     15,    16,
          23,    24,       31,         32,         63,    64,    127,   128,
          255,   256,      4095,       32767,      32768, 49151, 49152, 65535,
          65536, 1u << 31, 0xffffffff, 1ull << 62, ~0ull};
      next = std::to_string(kEdges[below(std::size(kEdges))]);
    }
    }
    result.replace(at, length, next);
  }
  return result;
}
