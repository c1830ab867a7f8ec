//===- Tensor.h - Tensors as functions of named axes ------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor is a function from indices (a coordinate per named axis) to elements
// (TCP manual, Memory and Stream, Formal Definition). Where its elements sit is
// no part of it: moving a tensor keeps the function, except that a destination
// whose mappings leave indices out holds fewer of them.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_REFERENCE_TENSOR_H
#define SEQUIN_LIB_REFERENCE_TENSOR_H

#include "MappingMeaning.h"
#include "sequin/Support/ElementType.h"
#include <memory>

namespace sequin::reference {

/// Element bits, dense and row-major over the axes the value depends on.
struct Tensor {
  ElementType type = ElementType::I8;
  /// Axis numbers of the space, ascending. An axis that is not here does not
  /// change the value.
  llvm::SmallVector<int, 4> axes;
  std::shared_ptr<const std::vector<uint32_t>> bits;
  /// Which indices the tensor holds; null for all.
  std::shared_ptr<const std::vector<uint8_t>> present;

  int64_t count(const Space &space) const;
  /// The place of `index` in `bits`; axes the tensor does not have are ignored.
  int64_t offsetOf(const Space &space, llvm::ArrayRef<int64_t> index) const;
  /// Distance in `bits` per step of every axis of the space, 0 for absent ones.
  llvm::SmallVector<int64_t, 4> strides(const Space &space) const;
};

/// The indices that the mappings of one tensor reach: a product of sets over
/// disjoint groups of axes.
struct Image {
  struct Group {
    llvm::SmallVector<int, 2> axes;
    /// Row-major over `axes`.
    std::vector<uint8_t> reached;
    bool complete = false;
  };
  llvm::SmallVector<int, 4> axes;
  std::vector<Group> groups;
};

/// Enumerates what `mappings` (of all dimensions of a tensor together) reach in
/// the axes of `interest`; fails if there are too many positions to visit.
llvm::Expected<Image> computeImage(const Space &space,
                                   llvm::ArrayRef<Digits> mappings,
                                   llvm::ArrayRef<int> interest);

/// `tensor` as a destination with these mappings holds it: the indices they
/// reach. An axis that no mapping speaks of is at coordinate 0. Fails if the
/// destination holds an index that `tensor` does not.
llvm::Expected<Tensor> place(const Space &space, const Tensor &tensor,
                             llvm::ArrayRef<Digits> mappings);

/// `tensor` with zeros at the indices that these mappings reach and it does not
/// hold; an axis it does not have is at coordinate 0, except for those
/// `repeated` (by axis; empty for none), along which the tensor does not
/// change. What a transfer from the host leaves in HBM.
llvm::Expected<Tensor> fillWithZeros(const Space &space, const Tensor &tensor,
                                     llvm::ArrayRef<Digits> mappings,
                                     llvm::ArrayRef<uint8_t> repeated = {});

/// The largest number of elements or positions this interpreter works on.
inline constexpr int64_t kLargestTensor = int64_t(1) << 28;

} // namespace sequin::reference

#endif // SEQUIN_LIB_REFERENCE_TENSOR_H
