//===- Pattern.h - Patterns -------------------------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What stands behind `let` and `for`, in parameters and in arms of a match.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_VISASOURCE_PATTERN_H
#define SEQUIN_VISASOURCE_PATTERN_H

#include "sequin/VisaSource/Type.h"

namespace sequin::visa_source {

/// What could not be read.
struct ErrorPattern : NodeOf<NodeKind::ErrorPattern> {
  SEQUIN_VISA_FIELDS()
};

/// `_`
struct WildcardPattern : NodeOf<NodeKind::WildcardPattern> {
  SEQUIN_VISA_FIELDS()
};

/// `..`
struct RestPattern : NodeOf<NodeKind::RestPattern> {
  SEQUIN_VISA_FIELDS()
};

/// `x`, `mut x`, `ref x`, `x @ inner`. A constant or a variant in scope of that
/// name takes it: resolution says so.
struct NamePattern : NodeOf<NodeKind::NamePattern> {
  bool isRef = false;
  bool isMut = false;
  Ident name;
  /// Null without.
  const Pattern *inner = nullptr;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(isRef) SEQUIN_VISA_FIELD(isMut)
                         SEQUIN_VISA_FIELD(name) SEQUIN_VISA_FIELD(inner))
};

/// A literal, or a negative one.
struct LiteralPattern : NodeOf<NodeKind::LiteralPattern> {
  const Expr *value = nullptr;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(value))
};

/// `1..=3`; either end may be null.
struct RangePattern : NodeOf<NodeKind::RangePattern> {
  const Expr *first = nullptr;
  const Expr *last = nullptr;
  bool inclusive = false;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(first) SEQUIN_VISA_FIELD(last)
                         SEQUIN_VISA_FIELD(inclusive))
};

/// `&x`
struct RefPattern : NodeOf<NodeKind::RefPattern> {
  bool isMut = false;
  const Pattern *inner = nullptr;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(isMut) SEQUIN_VISA_FIELD(inner))
};

struct TuplePattern : NodeOf<NodeKind::TuplePattern> {
  List<Pattern> elements;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(elements))
};

struct SlicePattern : NodeOf<NodeKind::SlicePattern> {
  List<Pattern> elements;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(elements))
};

/// A path of more than one name.
struct PathPattern : NodeOf<NodeKind::PathPattern> {
  const Path *path = nullptr;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(path))
};

/// `Some(x)`
struct TupleStructPattern : NodeOf<NodeKind::TupleStructPattern> {
  const Path *path = nullptr;
  List<Pattern> elements;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(path) SEQUIN_VISA_FIELD(elements))
};

/// `x: pattern`, or `x`, whose pattern is a NamePattern.
struct FieldPattern : NodeOf<NodeKind::FieldPattern> {
  Ident name;
  bool shorthand = false;
  const Pattern *pattern = nullptr;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(name) SEQUIN_VISA_FIELD(shorthand)
                         SEQUIN_VISA_FIELD(pattern))
};

/// `S { x, y: 1, .. }`
struct StructPattern : NodeOf<NodeKind::StructPattern> {
  const Path *path = nullptr;
  List<FieldPattern> patterns;
  bool hasRest = false;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(path) SEQUIN_VISA_FIELD(patterns)
                         SEQUIN_VISA_FIELD(hasRest))
};

/// `1 | 2`
struct OrPattern : NodeOf<NodeKind::OrPattern> {
  List<Pattern> alternatives;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(alternatives))
};

struct ParenPattern : NodeOf<NodeKind::ParenPattern> {
  const Pattern *inner = nullptr;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(inner))
};

} // namespace sequin::visa_source

#endif // SEQUIN_VISASOURCE_PATTERN_H
