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
// Where a place reaches an index that its tensor does not hold, the element is
// undefined: it lies in memory that nobody has written, or depends on such
// memory. Undefined elements may be moved and computed with; an element of a
// result is undefined if one that enters it is, whatever the others are. They
// are an error where they become observable: in a host array, as an index of
// gather or scatter, and where they decide what a filter or a packed commit
// keeps.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_REFERENCE_TENSOR_H
#define SEQUIN_LIB_REFERENCE_TENSOR_H

#include "MappingMeaning.h"
#include "sequin/Support/ElementType.h"
#include <memory>
#include <optional>

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
  /// The first undefined element that place() came across, if there is one.
  std::optional<Index> undefined;

  bool holds(int64_t offset) const { return !present || (*present)[offset]; }

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
/// reach. An axis that no mapping speaks of is at coordinate 0. What `tensor`
/// does not hold is undefined in the result.
llvm::Expected<Tensor> place(const Space &space, const Tensor &tensor,
                             llvm::ArrayRef<Digits> mappings);

/// `tensor` with zeros at the indices that these mappings reach and it does not
/// hold; an axis it does not have is at coordinate 0, except for those
/// `repeated` (by axis; empty for none), along which the tensor does not
/// change. What a transfer from the host leaves in HBM.
llvm::Expected<Tensor> fillWithZeros(const Space &space, const Tensor &tensor,
                                     llvm::ArrayRef<Digits> mappings,
                                     llvm::ArrayRef<uint8_t> repeated = {});

/// 1 where `tensor` does not hold an index, 0 where it does; the same for all
/// indices if `constant` is given.
Tensor markUndefined(const Tensor &tensor,
                     std::optional<uint32_t> constant = std::nullopt);

/// Takes the indices away from `tensor` at which `marks`, over the same axes,
/// is 1.
void dropMarked(Tensor &tensor, const Tensor &marks);

/// The largest number of elements or positions this interpreter works on.
inline constexpr int64_t kLargestTensor = int64_t(1) << 28;

} // namespace sequin::reference

#endif // SEQUIN_LIB_REFERENCE_TENSOR_H
