//===- MappingExpr.h - Syntax tree of mapping expressions -------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The text of a mapping as a tree:
//
//     mapping := term { "," term }                        MappingExpr
//     term    := atom { operator }                        MappingTerm
//     atom    := AXIS | number | "[" mapping "]"          MappingAtom
//              | "$(" term ":" n { "," term ":" n } ")"
//     operator := "/" n | "%" n | "#" n ["@" l] | "#z" n
//               | "=" n | "@" k "=" n | "?" table         MappingOp
//
// `table` is the name of a table: a lower-case letter followed by letters,
// digits and underscores.
//
// Operators are a flat list in the order of application, and the terms of a
// pair are a flat list too, so that the depth of the tree is the depth of the
// brackets. An `@` after `# n` is always the low padding of that `#`: the view
// of a padded mapping is written `[X # n] @ k = m`.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_STREAM_MAPPINGEXPR_H
#define SEQUIN_STREAM_MAPPINGEXPR_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace sequin {

class MappingExpr;

/// A postfix operator.
struct MappingOp {
  enum class Kind : uint8_t {
    Divide,  ///< `/ n`
    Modulo,  ///< `% n`
    Pad,     ///< `# n @ low`
    PadZero, ///< `#z n`
    View,    ///< `= n` (low 0) or `@ low = n`
    Lookup,  ///< `? table`
  };
  Kind kind;
  int64_t n = 1;
  int64_t low = 0;
  /// Column in the parsed text, from 1; 0 for operators that were not parsed.
  unsigned column = 0;
  /// The table of a Lookup.
  std::string table = {};

  bool operator==(const MappingOp &other) const {
    return kind == other.kind && n == other.n && low == other.low &&
           table == other.table;
  }
};

/// What a term starts with.
struct MappingAtom {
  enum class Kind : uint8_t {
    Axis,   ///< `name`
    Number, ///< the identity 1 or an anonymous broadcast axis of size `number`
    Group,  ///< `[group]`
    Sliding ///< `$(group[0]:strides[0], ...)`
  };
  Kind kind = Kind::Number;
  std::string name;
  int64_t number = 1;
  std::shared_ptr<const MappingExpr> group;
  /// Of a sliding combination: one for each term of the group.
  llvm::SmallVector<int64_t, 2> strides;
  unsigned column = 0;
};

struct MappingTerm {
  MappingAtom atom;
  llvm::SmallVector<MappingOp, 2> ops;

  std::string str() const { return str(ops.size()); }
  /// The term with its first `opCount` operators only.
  std::string str(size_t opCount) const;
};

/// A pair of terms, major to minor. Never empty.
class MappingExpr {
public:
  std::vector<MappingTerm> terms;

  /// The text with canonical spacing.
  std::string str() const;

  /// Longest text and deepest bracket nesting that parse() accepts.
  static constexpr size_t maxTextLength = size_t(1) << 16;
  static constexpr unsigned maxDepth = 64;

  /// Parses without knowing the axes. Errors name the column and what was
  /// expected there.
  static llvm::Expected<std::shared_ptr<const MappingExpr>>
  parse(llvm::StringRef text);
};

/// Whether `name` is an axis name: an upper-case letter followed by letters,
/// digits, underscores or primes.
bool isAxisName(llvm::StringRef name);

/// Whether `name` is the name of a table: a lower-case letter followed by
/// letters, digits and underscores.
bool isTableName(llvm::StringRef name);

} // namespace sequin

#endif // SEQUIN_STREAM_MAPPINGEXPR_H
