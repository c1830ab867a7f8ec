//===- Distribution.h - Who holds which element of an array -----*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An array in blocks on a grid of PEs. Every PE has a local array of one shape;
// element i of the whole has one place:
//
//     c_d     = i_d + origin_d                      coordinate
//     PE_d    = c_d / block_d   along the axis of the dimension
//     local_d = c_d % block_d + low_d               index in the local array
//
// A dimension on no axis is whole on its PE: local_d = c_d + low_d. An array
// without a dimension on an axis is on the PEs at 0 of that axis only. `xy` is
// both axes in one, row by row: y * width + x.
//
//     shape 10, on x in blocks of 4, low 1, extent 6, on 3 PEs
//     PE 0: . 0 1 2 3 .     PE 1: . 4 5 6 7 .     PE 2: . 8 9 . . .
//
// The last block may be short and later ones empty; places without an element
// (remainders, halos) are zero in what scatter() makes and ignored by gather().
// `order` is the order of the dimensions in memory, outermost first.
//
// Not expressible: copies of an element, cyclic distributions.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_STREAM_DISTRIBUTION_H
#define SEQUIN_STREAM_DISTRIBUTION_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <vector>

namespace sequin {

/// What a dimension is cut along.
enum class FabricAxis : uint8_t { None, X, Y, XY };

struct DistributedDim {
  int64_t size = 1;
  FabricAxis axis = FabricAxis::None;
  int64_t block = 1; ///< of no meaning without an axis
  int64_t origin = 0;
  int64_t low = 0;
  int64_t extent = 1; ///< of the local array
};

struct Distribution {
  llvm::SmallVector<DistributedDim, 4> dims;
  llvm::SmallVector<unsigned, 4> order; ///< a permutation; empty: as `dims`

  int64_t elements() const;
  int64_t localElements() const;

  /// Whether every element has a place on a grid of width x height; the error
  /// says which dimension does not and what would do.
  llvm::Error check(int64_t width, int64_t height) const;

  struct LocalElement {
    int64_t x = 0, y = 0;
    int64_t offset = 0; ///< in elements, in the local array
  };
  LocalElement placeOf(llvm::ArrayRef<int64_t> index, int64_t width) const;

  /// PE-major: the local arrays row by row of the grid. `whole` is row-major.
  /// Both expect check() to have passed.
  std::vector<uint8_t> scatter(llvm::ArrayRef<uint8_t> whole,
                               int64_t elementBytes, int64_t width,
                               int64_t height) const;
  std::vector<uint8_t> gather(llvm::ArrayRef<uint8_t> local,
                              int64_t elementBytes, int64_t width,
                              int64_t height) const;
};

} // namespace sequin

#endif // SEQUIN_STREAM_DISTRIBUTION_H
