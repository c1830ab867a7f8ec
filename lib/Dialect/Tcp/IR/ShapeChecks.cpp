//===- ShapeChecks.cpp - Comparing the mappings of a stage ----------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeChecks.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::tcp;

/// The index at `position` in words: "{A: 1, B: 7}" or "padding".
static std::string describePosition(const Mapping &mapping, int64_t position) {
  if (position >= mapping.size())
    return "nothing";
  std::optional<TensorIndex> index = mapping.at(position);
  if (!index)
    return "padding";
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '{';
  llvm::interleaveComma(*index, os, [&](const auto &term) {
    os << term.first << ": " << term.second;
  });
  os << '}';
  return text;
}

LogicalResult tcp::requireEqual(const Mapping &found, const Mapping &expected,
                                EmitError emitError, StringRef what) {
  if (found.isEquivalent(expected))
    return success();
  if (found.size() != expected.size())
    return emitError() << what << " has " << found.size() << " positions ("
                       << found.str() << "), expected " << expected.size()
                       << " (" << expected.str() << ")";
  int64_t position = found.firstDifference(expected).value_or(0);
  return emitError() << what << " is " << found.str() << ", expected "
                     << expected.str() << ": position " << position << " holds "
                     << describePosition(found, position) << " instead of "
                     << describePosition(expected, position);
}
