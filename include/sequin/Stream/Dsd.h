//===- Dsd.h - CSL's memory descriptors -------------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CSL sees memory through data structure descriptors (SDK manual, Data
// Structure Descriptors; "DSD" below). A memory DSD is the same nest of counted
// loops as a TCP sequencer, stored differently: the hardware keeps one address
// and adds one stride per step, that of the loop which advances. Faster loops
// restart at that moment, so their travel is taken back by the same stride.
//
// With dimension 0 innermost (fastest), extent n_d, stored ("carry-adjusted")
// stride s_d, and c_d the absolute stride, the coefficient of loop variable i_d
// in the address:
//
//     address(i) = offset + sum over d of  c_d * i_d
//     s_d = c_d - sum over f < d of  c_f * (n_f - 1)        carryAdjusted()
//     c_d = s_d + sum over f < d of  c_f * (n_f - 1)        absoluteStrides()
//
// A[i + j, k + l + 2] over A: [4, 5], all extents 5, is 5 i + 5 j + k + l + 2:
//
//     d  variable    n    c      s
//     0  l           5    1      1
//     1  k           5    1      1 - 4             =  -3
//     2  j           5    5      5 - 4 - 4         =  -3
//     3  i           5    5      5 - 4 - 4 - 5 * 4 = -23
//
// DsdWalk is the one definition of the order of visits, on the stored form.
// Laws that the tests hold everything else to, on random descriptors:
//
//  - visits(d)[t] = offset + sum c_d * i_d, t counting with i_0 fastest;
//  - absoluteStrides and carryAdjusted are inverse to each other;
//  - visits(simplify(d)) = visits(d), in the fewest dimensions that any DSD of
//    these visits has, as long as no merged extent is too large. Neighbouring
//    loops d and f are one exactly where their stored strides are equal: with f
//    inside d, c_d = n_f * c_f says the same as s_d = s_f;
//  - toTensorAccess(d) lowers to d again.
//
// CSL writes `.stride` innermost first but `.extent` outermost first. Here
// everything is innermost first; MemDsd::fromTuples() and str() turn it round.
// Addresses and strides are in elements, relative to `base_address`. CSL does
// not check an access against the bounds of its array (the manual's own
// examples leave it), so range() only reports.
//
// Not expressible: fabric and FIFO DSDs (no addresses), runtime values.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_STREAM_DSD_H
#define SEQUIN_STREAM_DSD_H

#include "sequin/Stream/Limits.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sequin {

//===----------------------------------------------------------------------===//
// The two kinds of stride
//===----------------------------------------------------------------------===//

using DsdStrides = llvm::SmallVector<int64_t, 4>;

/// Stored strides from absolute ones, innermost first. An error if the lists
/// differ in length or a stride does not fit in 64 bits.
llvm::Expected<DsdStrides> carryAdjusted(llvm::ArrayRef<int64_t> absolute,
                                         llvm::ArrayRef<int64_t> extents);

/// Absolute strides from stored ones; the inverse of carryAdjusted().
llvm::Expected<DsdStrides> absoluteStrides(llvm::ArrayRef<int64_t> stored,
                                           llvm::ArrayRef<int64_t> extents);

//===----------------------------------------------------------------------===//
// Memory DSDs
//===----------------------------------------------------------------------===//

enum class DsdKind : uint8_t { Mem1d, Mem4d };

/// "mem1d" or "mem4d".
llvm::StringRef getName(DsdKind kind);
std::optional<DsdKind> parseDsdKind(llvm::StringRef name);

/// One loop of a memory DSD.
struct DsdDimension {
  int64_t extent = 1;
  /// Stored stride: what the address changes by when this loop advances.
  int64_t stride = 1;
  /// The induction variable of the access, for messages ("j"; "i,j" merged).
  std::string variable = {};

  bool operator==(const DsdDimension &other) const {
    return extent == other.extent && stride == other.stride;
  }
};

/// A mem1d_dsd or mem4d_dsd. Any values may be held; check() says whether a
/// machine can.
struct MemDsd {
  DsdKind kind = DsdKind::Mem1d;
  int64_t offset = 0;
  /// Innermost first.
  llvm::SmallVector<DsdDimension, 4> dimensions;

  /// From CSL's fields: `strides` innermost first (none given: all 1),
  /// `extents` outermost first. An error if their lengths differ or there is no
  /// extent.
  static llvm::Expected<MemDsd> fromTuples(DsdKind kind, int64_t offset,
                                           llvm::ArrayRef<int64_t> strides,
                                           llvm::ArrayRef<int64_t> extents);

  bool operator==(const MemDsd &other) const {
    return kind == other.kind && offset == other.offset &&
           dimensions == other.dimensions;
  }

  /// Number of elements visited; none if it does not fit in 64 bits.
  std::optional<int64_t> visitCount() const;
  /// Every address in order. For tests and small DSDs.
  std::vector<int64_t> visits() const;
  /// absoluteStrides() of the dimensions.
  llvm::Expected<DsdStrides> absolute() const;

  struct Range {
    int64_t lowest, highest;
  };
  /// The lowest and highest address visited; none if nothing is visited. An
  /// error if they do not fit in 64 bits.
  llvm::Expected<std::optional<Range>> range() const;

  /// The DSD that `@increment_dsd_offset` makes: the same loops `elements`
  /// further, still relative to the old base address.
  llvm::Expected<MemDsd> movedBy(int64_t elements) const;

  /// CSL's fields in CSL's order:
  /// ".{.offset = 0, .stride = .{1, -2}, .extent = .{2, 4}}".
  std::string str() const;
};

/// Walks a memory DSD as the hardware does. This is the definition of the order
/// of visits: the innermost loop that is not at its end advances, faster ones
/// restart, and the address changes by the stored stride of that loop alone.
///
///     for (DsdWalk walk(dsd); !walk.done(); walk.advance())
///       use(walk.address());
///
/// Addresses wrap around at 64 bits, which no DSD that passes check() reaches.
class DsdWalk {
public:
  explicit DsdWalk(const MemDsd &dsd);
  bool done() const { return finished; }
  int64_t address() const { return static_cast<int64_t>(current); }
  void advance();

private:
  struct Loop {
    int64_t extent, index;
    uint64_t stride;
  };
  llvm::SmallVector<Loop, 4> loops;
  uint64_t current;
  bool finished;
};

//===----------------------------------------------------------------------===//
// Limits
//===----------------------------------------------------------------------===//

/// A value outside what a machine allows.
struct DsdViolation {
  enum class Rule : uint8_t { Dimensions, Offset, Extent, Stride, Wraparound };
  Rule rule;
  /// The dimension of an extent or stride, innermost 0.
  unsigned dimension = 0;
  /// "stride 1 (variable 'i') of the mem4d_dsd".
  std::string subject;
  int64_t found;
  /// Allowed, both inclusive.
  int64_t lowest, highest;
};

/// The first violation, in the order dimensions, offset, then extent and stride
/// from the innermost dimension outwards.
std::optional<DsdViolation> check(const MemDsd &dsd, const DsdLimits &limits);

/// "stride of the mem1d_dsd is 200, wse3 allows -128 to 127".
std::string describe(const DsdViolation &violation, llvm::StringRef machine);

/// The same visits in fewer dimensions: loops of one iteration are dropped and
/// neighbours merged while the extent fits; a DSD of no visits keeps one
/// loop of extent 0. The result is a mem1d_dsd if one loop is left whose stride
/// such a DSD holds, else a mem4d_dsd. A DSD whose offset, extents and mem4d
/// strides are within the limits keeps them so.
MemDsd simplify(const MemDsd &dsd, const DsdLimits &limits);

//===----------------------------------------------------------------------===//
// Circular buffers
//===----------------------------------------------------------------------===//

/// A circbuf_dsd: `extent` neighbouring elements, starting again at the base
/// after `wraparound` of them (DSD, Circular Buffers).
struct CircularDsd {
  int64_t extent = 0;
  int64_t wraparound = 1;

  /// `tensorElements` is the size of the tensor behind the base address, none
  /// for a pointer to a scalar. `wraparound` then has to be given; else it is
  /// the tensor's size by default and at most that.
  static llvm::Expected<CircularDsd>
  make(int64_t extent, std::optional<int64_t> wraparound,
       std::optional<int64_t> tensorElements);

  /// Every element in order. A DSD starts with its head at the base; `head` is
  /// where an earlier operation left a DSR that saves its address.
  std::vector<int64_t> visits(int64_t head = 0) const;
  /// The head after those visits.
  int64_t headAfter(int64_t head = 0) const;
};

std::optional<DsdViolation> check(const CircularDsd &dsd,
                                  const DsdLimits &limits);

//===----------------------------------------------------------------------===//
// Tensor access expressions
//===----------------------------------------------------------------------===//

/// constant + sum of coefficients[v] * variable v, outermost variable first.
struct AffineForm {
  int64_t constant = 0;
  llvm::SmallVector<int64_t, 4> coefficients;

  bool isConstant() const;
  bool operator==(const AffineForm &other) const = default;
};

/// A tensor access expression (DSD, tensor_access):
///
///     access := "|" name { "," name } "|" "{" expr { "," expr } "}"
///               "->" name "[" expr { "," expr } "]"
///     expr   := term { ("+" | "-") term }
///     term   := factor { ("*" | "/" | "%") factor }
///     factor := number | name | "-" factor | "(" expr ")"
///
/// Lists may end in a comma. Numbers are CSL's integer literals (decimal, 0x,
/// 0o, 0b, underscores between digits). A product has a constant side; both
/// sides of a quotient or remainder are constant, and it truncates.
struct TensorAccess {
  /// Outermost first, as written.
  llvm::SmallVector<std::string, 4> variables;
  llvm::SmallVector<int64_t, 4> extents;
  std::string array;
  /// One per array dimension.
  llvm::SmallVector<AffineForm, 4> indices;

  static constexpr size_t maxTextLength = size_t(1) << 16;
  static constexpr size_t maxVariables = 64;
  static constexpr unsigned maxDepth = 64;

  /// Errors name the column and what was expected there. Accepts more variables
  /// than a machine has dimensions, because simplify() may lower their number.
  static llvm::Expected<TensorAccess> parse(llvm::StringRef text);

  /// The DSD over a row-major array of `shape`; without `kind`, a mem1d_dsd for
  /// one variable and a mem4d_dsd for more. Limits are check()'s.
  llvm::Expected<MemDsd> lower(llvm::ArrayRef<int64_t> shape,
                               std::optional<DsdKind> kind = {}) const;

  /// "|i,j|{5,5} -> A[2*i + j]".
  std::string str() const;
};

/// The access of a one-dimensional array called `array` that `dsd` comes from.
llvm::Expected<TensorAccess> toTensorAccess(const MemDsd &dsd,
                                            llvm::StringRef array);

/// "4,5": sizes of at least 1.
llvm::Expected<llvm::SmallVector<int64_t, 4>>
parseArrayShape(llvm::StringRef text);

/// Elements of an array; an error if that does not fit in 64 bits.
llvm::Expected<int64_t> elementCount(llvm::ArrayRef<int64_t> shape);

/// {"kind": "mem4d", "offset": 2, "stride": [1,-3,-3,-23], "extent": [5,...]}:
/// both lists innermost first; `withVisits` adds "visits", all addresses.
void writeDsd(llvm::raw_ostream &os, const MemDsd &dsd, bool withVisits);

} // namespace sequin

#endif // SEQUIN_STREAM_DSD_H
