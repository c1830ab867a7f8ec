//===- Attributes.h - Attributes of linalg operations -----------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A linalg operation may say how it is to be cut:
//
//   sequin.pin = {tiles = array<i64: 512, 0, 0>, parts = array<i64: 64, 0, 0>,
//                 chips = array<i64: 4, 0, 0>}
//
// One number for each of its loops, 0 where the compiler is free. `tiles` are
// the iterations that run at once, `parts` the slices on which they lie,
// `chips` the chips that have a block of them each, of which the tiles are. The
// normalisation keeps it for all operations that an operation becomes and that
// have its loops.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_CONVERSION_ATTRIBUTES_H
#define SEQUIN_CONVERSION_ATTRIBUTES_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace sequin {
inline constexpr llvm::StringLiteral kPinAttrName = "sequin.pin";
/// What was decided about an operation before it became this one, in words.
inline constexpr llvm::StringLiteral kNoteAttrName = "sequin.note";
/// Of a contraction of digits: which ones, "0,0" for the most significant.
inline constexpr llvm::StringLiteral kDigitProductAttrName =
    "sequin.digit_product";
/// Of a lowered host function: how each of its groups is mapped, and what the
/// search over mappings has seen; dictionaries with operation, location, group,
/// kind, mapping, cycles, bound_by, evaluated, feasible, complete, runner_up.
inline constexpr llvm::StringLiteral kMappingsAttrName = "sequin.mappings";
/// Mappings that are evaluated for one group at most, unless the user says
/// otherwise.
inline constexpr int64_t kDefaultSearchBudget = int64_t(1) << 20;
} // namespace sequin

#endif // SEQUIN_CONVERSION_ATTRIBUTES_H
