//===- Type.h - Types, paths, generics and mappings -------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A type and a constant look alike in generic arguments (`N` may be either), so
// a single name there is a PathType; what it is follows from its resolution.
//
// Mappings are read by the grammar of the manual, section "Mapping
// Expressions", with the escapes and kinds of padding of release 0.6.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_VISASOURCE_TYPE_H
#define SEQUIN_VISASOURCE_TYPE_H

#include "sequin/VisaSource/Node.h"

namespace sequin::visa_source {

enum class GenericParamKind : uint8_t { Lifetime, Type, Const };

/// In the manual's words; Pad is `#` and PadTop the same spelt `#{*}`.
enum class MappingOp : uint8_t {
  Stride,
  Modulo,
  Resize,
  Pad,
  PadTop,
  PadBottom,
  PadZero
};
llvm::StringRef spelling(MappingOp op);

//===----------------------------------------------------------------------===//
// Paths
//===----------------------------------------------------------------------===//

/// What stands between angle brackets: exactly one of a lifetime, a type, a
/// constant (a literal or block), or `name = type`.
struct GenericArg : NodeOf<NodeKind::GenericArg> {
  Ident lifetime;
  /// Of `Item = T`.
  Ident binding;
  const Type *type = nullptr;
  const Expr *value = nullptr;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(lifetime) SEQUIN_VISA_FIELD(binding)
                         SEQUIN_VISA_FIELD(type) SEQUIN_VISA_FIELD(value))
};

/// `<T, 3>`, or `(A, B) -> C` of Fn and its kin.
struct GenericArgs : NodeOf<NodeKind::GenericArgs> {
  bool parenthesised = false;
  List<GenericArg> args;
  /// Of the parenthesised form; null without.
  const Type *result = nullptr;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(parenthesised) SEQUIN_VISA_FIELD(args)
                         SEQUIN_VISA_FIELD(result))
};

/// `name`, `name<T>`, `name::<T>`; also `self`, `super`, `crate`, `Self`.
struct PathSegment : NodeOf<NodeKind::PathSegment> {
  Ident name;
  /// Null without.
  const GenericArgs *args = nullptr;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(name) SEQUIN_VISA_FIELD(args))
};

/// `a::b::<T>::c`, `::a`, `<T as Trait>::c`.
struct Path : NodeOf<NodeKind::Path> {
  /// Begins with `::`.
  bool global = false;
  /// Of `<self as trait>`; null in a plain path.
  const Type *self = nullptr;
  /// Null without.
  const Path *trait = nullptr;
  List<PathSegment> segments;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(global) SEQUIN_VISA_FIELD(self)
                         SEQUIN_VISA_FIELD(trait) SEQUIN_VISA_FIELD(segments))
};

//===----------------------------------------------------------------------===//
// Generic parameters
//===----------------------------------------------------------------------===//

/// A trait or lifetime behind a colon; `?Sized` is `maybe`.
struct Bound : NodeOf<NodeKind::Bound> {
  Ident lifetime;
  bool maybe = false;
  /// Null for a lifetime.
  const Path *path = nullptr;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(lifetime) SEQUIN_VISA_FIELD(maybe)
                         SEQUIN_VISA_FIELD(path))
};

/// `'a`, `T: Bound = Default`, `const N: usize = 3`.
struct GenericParam : NodeOf<NodeKind::GenericParam> {
  GenericParamKind paramKind = GenericParamKind::Type;
  Ident name;
  List<Bound> bounds;
  /// Of a constant: its type. Of a type: its default. May be null.
  const Type *type = nullptr;
  /// A constant's default; may be null.
  const Expr *value = nullptr;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(paramKind) SEQUIN_VISA_FIELD(name)
                         SEQUIN_VISA_FIELD(bounds) SEQUIN_VISA_FIELD(type)
                             SEQUIN_VISA_FIELD(value))
};

/// `T: Bound` of a where clause.
struct WherePredicate : NodeOf<NodeKind::WherePredicate> {
  Ident lifetime;
  const Type *type = nullptr;
  List<Bound> bounds;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(lifetime) SEQUIN_VISA_FIELD(type)
                         SEQUIN_VISA_FIELD(bounds))
};

/// `<...>` behind a name, and the where clause, which stands elsewhere.
struct Generics : NodeOf<NodeKind::Generics> {
  List<GenericParam> params;
  List<WherePredicate> predicates;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(params) SEQUIN_VISA_FIELD(predicates))
};

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// What could not be read.
struct ErrorType : NodeOf<NodeKind::ErrorType> {
  SEQUIN_VISA_FIELDS()
};

struct PathType : NodeOf<NodeKind::PathType> {
  const Path *path = nullptr;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(path))
};

/// `&'a mut T`
struct RefType : NodeOf<NodeKind::RefType> {
  Ident lifetime;
  bool isMut = false;
  const Type *target = nullptr;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(lifetime) SEQUIN_VISA_FIELD(isMut)
                         SEQUIN_VISA_FIELD(target))
};

/// `[T; n]`
struct ArrayType : NodeOf<NodeKind::ArrayType> {
  const Type *element = nullptr;
  const Expr *length = nullptr;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(element) SEQUIN_VISA_FIELD(length))
};

/// `[T]`
struct SliceType : NodeOf<NodeKind::SliceType> {
  const Type *element = nullptr;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(element))
};

/// `()`, `(A,)`, `(A, B)`
struct TupleType : NodeOf<NodeKind::TupleType> {
  List<Type> elements;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(elements))
};

/// `(T)`
struct ParenType : NodeOf<NodeKind::ParenType> {
  const Type *inner = nullptr;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(inner))
};

/// `_`
struct InferType : NodeOf<NodeKind::InferType> {
  SEQUIN_VISA_FIELDS()
};

/// `!`
struct NeverType : NodeOf<NodeKind::NeverType> {
  SEQUIN_VISA_FIELDS()
};

/// `impl Trait`
struct ImplType : NodeOf<NodeKind::ImplType> {
  List<Bound> bounds;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(bounds))
};

/// `fn(A, B) -> C`
struct FnType : NodeOf<NodeKind::FnType> {
  List<Type> params;
  /// Null without.
  const Type *result = nullptr;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(params) SEQUIN_VISA_FIELD(result))
};

/// `m![...]`; null if the brackets are empty.
struct MappingType : NodeOf<NodeKind::MappingType> {
  const Mapping *mapping = nullptr;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(mapping))
};

//===----------------------------------------------------------------------===//
// Mappings
//===----------------------------------------------------------------------===//

/// What could not be read.
struct ErrorMapping : NodeOf<NodeKind::ErrorMapping> {
  SEQUIN_VISA_FIELDS()
};

/// `A, B`: the first is the outermost. At least two, or one with a comma.
struct MapList : NodeOf<NodeKind::MapList> {
  List<Mapping> elements;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(elements))
};

/// An axis by its name.
struct MapAxis : NodeOf<NodeKind::MapAxis> {
  Ident name;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(name))
};

/// `1`; other numbers broadcast (release 0.6).
struct MapNumber : NodeOf<NodeKind::MapNumber> {
  uint64_t value = 0;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(value))
};

/// `{ Time }`, `{ m![A] }`: a mapping given as a type.
struct MapEscape : NodeOf<NodeKind::MapEscape> {
  const Type *type = nullptr;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(type))
};

/// `[...]` or `(...)`
struct MapGroup : NodeOf<NodeKind::MapGroup> {
  bool square = true;
  const Mapping *inner = nullptr;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(square) SEQUIN_VISA_FIELD(inner))
};

/// `left op amount`; operators bind from left to right.
struct MapOp : NodeOf<NodeKind::MapOp> {
  MappingOp op = MappingOp::Stride;
  const Mapping *left = nullptr;
  /// An IntLiteral, or a BlockExpr for an escaped constant.
  const Expr *amount = nullptr;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(op) SEQUIN_VISA_FIELD(left)
                         SEQUIN_VISA_FIELD(amount))
};

} // namespace sequin::visa_source

#endif // SEQUIN_VISASOURCE_TYPE_H
