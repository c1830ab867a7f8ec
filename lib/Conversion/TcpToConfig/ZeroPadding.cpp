//===- ZeroPadding.cpp - Zeros that memory holds --------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ZeroPadding.h"
#include "llvm/ADT/STLExtras.h"

using namespace sequin;
using namespace sequin::derivation;

static std::optional<int64_t> zeroPaddingOf(llvm::ArrayRef<Factor> factors) {
  if (factors.size() != 1)
    return std::nullopt;
  const Factor &factor = factors.front();
  if (!factor.isPaddingOnly() || factor.padding != PaddingKind::Zero ||
      factor.first != 0 || factor.valid != 1 || factor.extent == 1)
    return std::nullopt;
  return factor.extent;
}

std::optional<int64_t> derivation::zeroPaddingOf(const Mapping &term) {
  return ::zeroPaddingOf(term.factors());
}

Mapping derivation::zerosAsData(const Mapping &term) {
  return llvm::cantFail(
      Mapping::parse(std::to_string(term.size()), term.axes()));
}

Mapping derivation::withZerosAsData(const Mapping &mapping,
                                    const Mapping &memory) {
  llvm::SmallVector<int64_t, 2> held;
  for (const Mapping::Term &term : memory.terms())
    if (std::optional<int64_t> size = ::zeroPaddingOf(term.factors))
      held.push_back(*size);
  if (held.empty())
    return mapping;
  std::string text;
  for (const Mapping::Term &term : mapping.terms()) {
    std::optional<int64_t> size = ::zeroPaddingOf(term.factors);
    auto *found = size ? llvm::find(held, *size) : held.end();
    text += text.empty() ? "" : ", ";
    if (found == held.end()) {
      text += term.text;
      continue;
    }
    text += std::to_string(*size);
    held.erase(found);
  }
  return llvm::cantFail(Mapping::parse(text, mapping.axes()));
}
