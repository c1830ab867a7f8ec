//===- DsdTestSupport.h - Helpers of the DSD tests --------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values of Expected results; a refusal where none is due fails the test.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_TEST_UNIT_STREAM_DSDTESTSUPPORT_H
#define SEQUIN_TEST_UNIT_STREAM_DSDTESTSUPPORT_H

#include "Row.h"
#include "sequin/Machine/CslMachine.h"
#include "sequin/Stream/Dsd.h"
#include <limits>

namespace sequin::testing {

template <typename T> T valueOf(llvm::Expected<T> value) {
  if (value)
    return *value;
  ADD_FAILURE() << llvm::toString(value.takeError());
  return T();
}

inline std::vector<int64_t> numbersOf(llvm::Expected<DsdStrides> strides) {
  DsdStrides value = valueOf(std::move(strides));
  return {value.begin(), value.end()};
}

inline MemDsd dsdOf(DsdKind kind, int64_t offset, std::vector<int64_t> strides,
                    std::vector<int64_t> extents) {
  return valueOf(MemDsd::fromTuples(kind, offset, strides, extents));
}

/// Why CSL's fields of a mem4d_dsd are refused.
inline std::string tupleError(std::vector<int64_t> strides,
                              std::vector<int64_t> extents) {
  auto dsd = MemDsd::fromTuples(DsdKind::Mem4d, 0, strides, extents);
  return dsd ? "accepted" : llvm::toString(dsd.takeError());
}

inline MemDsd lowered(llvm::StringRef access, llvm::ArrayRef<int64_t> shape) {
  return valueOf(valueOf(TensorAccess::parse(access)).lower(shape));
}

/// Why an access is refused.
inline std::string accessError(llvm::StringRef text,
                               llvm::ArrayRef<int64_t> shape = {20}) {
  auto access = TensorAccess::parse(text);
  if (!access)
    return llvm::toString(access.takeError());
  auto dsd = access->lower(shape);
  return dsd ? "accepted" : llvm::toString(dsd.takeError());
}

} // namespace sequin::testing

#endif // SEQUIN_TEST_UNIT_STREAM_DSDTESTSUPPORT_H
