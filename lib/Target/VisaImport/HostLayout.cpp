//===- HostLayout.cpp - Host arrays of HBM tensors ------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostLayout.h"
#include "llvm/ADT/STLExtras.h"

using namespace sequin;

/// Whether the digits count through all of their base.
static bool isWhole(llvm::ArrayRef<const Factor *> digits) {
  llvm::SmallVector<const Factor *, 4> sorted(digits);
  llvm::sort(sorted, [](const Factor *a, const Factor *b) {
    return a->stride < b->stride;
  });
  int64_t reached = 1;
  for (const Factor *digit : sorted) {
    if (digit->stride != reached || digit->first != 0 || digit->offset != 0)
      return false;
    reached *= digit == sorted.back() ? digit->valid : digit->extent;
  }
  return reached >= digits.front()->baseSize;
}

static void addDimensions(llvm::ArrayRef<Factor> factors,
                          std::vector<std::string> &dimensions) {
  llvm::SmallVector<llvm::StringRef, 4> done;
  for (const Factor &factor : factors) {
    if (factor.kind == Factor::Kind::Broadcast)
      continue;
    if (llvm::is_contained(done, factor.base))
      continue;
    llvm::SmallVector<const Factor *, 4> digits;
    for (const Factor &other : factors)
      if (other.kind == factor.kind && other.base == factor.base)
        digits.push_back(&other);
    if (isWhole(digits)) {
      done.push_back(factor.base);
      if (factor.kind == Factor::Kind::Axis)
        dimensions.push_back(factor.base);
      else
        addDimensions(factor.composite->factors, dimensions);
      continue;
    }
    Factor bare = factor;
    bare.extent = bare.valid;
    bare.first = 0;
    dimensions.push_back(bare.str());
  }
}

std::string visa_import::hostMapping(const Mapping &tensor) {
  std::vector<std::string> dimensions;
  addDimensions(tensor.factors(), dimensions);
  std::string text;
  for (const std::string &dimension : dimensions)
    text += (text.empty() ? "" : ", ") + dimension;
  return text.empty() ? "1" : text;
}
