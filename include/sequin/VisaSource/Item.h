//===- Item.h - Items -------------------------------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What gives a name a meaning outside of function bodies, or inside where Rust
// lets an item stand in a block.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_VISASOURCE_ITEM_H
#define SEQUIN_VISASOURCE_ITEM_H

#include "sequin/VisaSource/Expr.h"

namespace sequin::visa_source {

enum class Visibility : uint8_t { Private, Super, Crate, Public };
enum class SelfKind : uint8_t { None, Value, MutValue, Ref, MutRef };
enum class UseKind : uint8_t { Name, Glob, Group };
enum class StructForm : uint8_t { Unit, Tuple, Named };

/// What every item has.
struct ItemHead {
  List<Attribute> attributes;
  Visibility visibility = Visibility::Private;
  /// Empty for what has none.
  Ident name;
};

/// `#[path = value]`, `#[path(args)]`, or as an argument of another one also a
/// plain value. An attribute whose arguments are no such list keeps their text.
struct Attribute : NodeOf<NodeKind::Attribute> {
  /// `#![...]`
  bool inner = false;
  /// Null for a plain value.
  const Path *path = nullptr;
  /// Null without.
  const Expr *value = nullptr;
  bool hasArgs = false;
  List<Attribute> args;
  /// What stood between the parentheses, if it was not read.
  llvm::StringRef tokens;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(inner) SEQUIN_VISA_FIELD(path)
                         SEQUIN_VISA_FIELD(value) SEQUIN_VISA_FIELD(hasArgs)
                             SEQUIN_VISA_FIELD(args) SEQUIN_VISA_FIELD(tokens))
};

/// A parameter; of a closure without a type it is null, and so it is of `self`.
struct Param : NodeOf<NodeKind::Param> {
  /// Null for `self`.
  const Pattern *pattern = nullptr;
  const Type *type = nullptr;
  SelfKind self = SelfKind::None;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(pattern) SEQUIN_VISA_FIELD(type)
                         SEQUIN_VISA_FIELD(self))
};

/// `A = 8` of `axes!`
struct AxisDecl : NodeOf<NodeKind::AxisDecl> {
  Ident name;
  const Expr *size = nullptr;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(name) SEQUIN_VISA_FIELD(size))
};

/// `a::b`, `a::b as c`, `a::*`, `a::{...}`. The prefix may be empty in the last
/// two.
struct UseTree : NodeOf<NodeKind::UseTree> {
  bool global = false;
  llvm::ArrayRef<Ident> prefix;
  UseKind useKind = UseKind::Name;
  /// `c`, or `_`.
  Ident alias;
  List<UseTree> children;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(global) SEQUIN_VISA_FIELD(prefix)
                         SEQUIN_VISA_FIELD(useKind) SEQUIN_VISA_FIELD(alias)
                             SEQUIN_VISA_FIELD(children))
};

/// A field; of a tuple struct without a name.
struct FieldDecl : NodeOf<NodeKind::FieldDecl> {
  List<Attribute> attributes;
  Visibility visibility = Visibility::Private;
  Ident name;
  const Type *type = nullptr;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(attributes) SEQUIN_VISA_FIELD(visibility)
                         SEQUIN_VISA_FIELD(name) SEQUIN_VISA_FIELD(type))
};

/// A variant of an enumeration.
struct Variant : NodeOf<NodeKind::Variant> {
  List<Attribute> attributes;
  Ident name;
  StructForm form = StructForm::Unit;
  List<FieldDecl> members;
  /// Its number; null without.
  const Expr *value = nullptr;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(attributes) SEQUIN_VISA_FIELD(name)
                         SEQUIN_VISA_FIELD(form) SEQUIN_VISA_FIELD(members)
                             SEQUIN_VISA_FIELD(value))
};

/// `mod x;` or `mod x { ... }`
struct ModItem : NodeOf<NodeKind::ModItem> {
  ItemHead head;
  bool hasBody = false;
  /// `#![...]` at the beginning of its body.
  List<Attribute> inner;
  List<Item> items;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(head) SEQUIN_VISA_FIELD(hasBody)
                         SEQUIN_VISA_FIELD(inner) SEQUIN_VISA_FIELD(items))
};

struct UseItem : NodeOf<NodeKind::UseItem> {
  ItemHead head;
  const UseTree *tree = nullptr;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(head) SEQUIN_VISA_FIELD(tree))
};

/// `extern crate x as y;`
struct ExternCrateItem : NodeOf<NodeKind::ExternCrateItem> {
  ItemHead head;
  Ident alias;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(head) SEQUIN_VISA_FIELD(alias))
};

/// A function with a body.
struct FnItem : NodeOf<NodeKind::FnItem> {
  ItemHead head;
  bool isConst = false;
  bool isAsync = false;
  bool isUnsafe = false;
  const Generics *generics = nullptr;
  List<Param> params;
  /// Null without.
  const Type *result = nullptr;
  const BlockExpr *body = nullptr;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(head) SEQUIN_VISA_FIELD(isConst)
                         SEQUIN_VISA_FIELD(isAsync) SEQUIN_VISA_FIELD(isUnsafe)
                             SEQUIN_VISA_FIELD(generics)
                                 SEQUIN_VISA_FIELD(params)
                                     SEQUIN_VISA_FIELD(result)
                                         SEQUIN_VISA_FIELD(body))
};

/// `type X<T> = U;`
struct TypeItem : NodeOf<NodeKind::TypeItem> {
  ItemHead head;
  const Generics *generics = nullptr;
  const Type *type = nullptr;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(head) SEQUIN_VISA_FIELD(generics)
                         SEQUIN_VISA_FIELD(type))
};

struct StructItem : NodeOf<NodeKind::StructItem> {
  ItemHead head;
  const Generics *generics = nullptr;
  StructForm form = StructForm::Unit;
  List<FieldDecl> members;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(head) SEQUIN_VISA_FIELD(generics)
                         SEQUIN_VISA_FIELD(form) SEQUIN_VISA_FIELD(members))
};

struct EnumItem : NodeOf<NodeKind::EnumItem> {
  ItemHead head;
  const Generics *generics = nullptr;
  List<Variant> variants;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(head) SEQUIN_VISA_FIELD(generics)
                         SEQUIN_VISA_FIELD(variants))
};

/// `const X: T = e;`; the name may be `_`.
struct ConstItem : NodeOf<NodeKind::ConstItem> {
  ItemHead head;
  const Type *type = nullptr;
  const Expr *value = nullptr;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(head) SEQUIN_VISA_FIELD(type)
                         SEQUIN_VISA_FIELD(value))
};

/// `impl Trait for T { ... }`
struct ImplItem : NodeOf<NodeKind::ImplItem> {
  ItemHead head;
  const Generics *generics = nullptr;
  /// Null for methods of the type itself.
  const Path *trait = nullptr;
  const Type *self = nullptr;
  List<Item> items;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(head) SEQUIN_VISA_FIELD(generics)
                         SEQUIN_VISA_FIELD(trait) SEQUIN_VISA_FIELD(self)
                             SEQUIN_VISA_FIELD(items))
};

/// `axes![A = 8, B = 512];`
struct AxesItem : NodeOf<NodeKind::AxesItem> {
  ItemHead head;
  List<AxisDecl> axes;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(head) SEQUIN_VISA_FIELD(axes))
};

/// `macro_rules! x { ... }`, not read further.
struct MacroRulesItem : NodeOf<NodeKind::MacroRulesItem> {
  ItemHead head;
  llvm::StringRef tokens;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(head) SEQUIN_VISA_FIELD(tokens))
};

/// Any other macro where an item may stand.
struct MacroItem : NodeOf<NodeKind::MacroItem> {
  ItemHead head;
  const Path *path = nullptr;
  Bracket bracket = Bracket::Brace;
  llvm::StringRef tokens;

  SEQUIN_VISA_FIELDS(SEQUIN_VISA_FIELD(head) SEQUIN_VISA_FIELD(path)
                         SEQUIN_VISA_FIELD(bracket) SEQUIN_VISA_FIELD(tokens))
};

/// The head of any item.
const ItemHead &headOf(const Item &item);

} // namespace sequin::visa_source

#endif // SEQUIN_VISASOURCE_ITEM_H
