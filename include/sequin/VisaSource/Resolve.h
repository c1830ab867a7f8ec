//===- Resolve.h - What the names of kernels mean ---------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Modules and files of a crate (Rust reference, "Modules", "Use declarations",
// "Visibility and privacy", "Namespaces", "Scopes"), and for every path and
// axis in them what it stands for. No expression is evaluated and no type is
// known: of `DmTensor::from_addr` or `E::SIZE` the first name is found, and how
// many names of the path are left over is said.
//
// `mod x;` reads x.rs or x/mod.rs, or what `#[path]` says. The crate of the
// manual is known by its table (Api.h). A crate that is not added as a library
// is taken to have every name that a `use` or a path takes from it, and a path
// of several names that begins with an unknown small one to begin with such a
// crate; a module in which an unread macro stands may have any name. Of a file
// with errors of syntax only what it declares is looked at.
//
// Errors: files that are not there, names twice in a module, names that are not
// in scope or private (with the nearest name), axes that are other types,
// variants that a choice of the table does not have.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_VISASOURCE_RESOLVE_H
#define SEQUIN_VISASOURCE_RESOLVE_H

#include "sequin/VisaSource/AST.h"
#include "sequin/VisaSource/Api.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"
#include <memory>
#include <vector>

namespace sequin::visa_source {

class Module;

enum class MeaningKind : uint8_t {
  /// Not in scope; an error was reported.
  Unknown,
  /// `module`.
  Module,
  /// An item but a module, in `node`.
  Item,
  /// An AxisDecl, in `node`.
  Axis,
  /// A Variant of an enum, in `node`.
  Variant,
  /// A NamePattern that binds it, in `node`.
  Local,
  /// A GenericParam, in `node`.
  Generic,
  /// `self`, or `Self` of an impl, in `node`.
  Self,
  /// A row of the crate's table, in `api`, or only known by name.
  Api,
  /// A primitive type, or a name of Rust's prelude.
  Builtin,
  /// Of a crate that is not read.
  External
};

/// As a message calls it: "module", "axis", "name of another crate".
llvm::StringRef stringify(MeaningKind kind);

struct Meaning {
  MeaningKind kind = MeaningKind::Unknown;
  const Node *node = nullptr;
  const Module *module = nullptr;
  const ApiType *api = nullptr;
  /// Names of the path behind the one that was found.
  unsigned rest = 0;

  explicit operator bool() const { return kind != MeaningKind::Unknown; }
};

enum class Namespace : uint8_t { Type, Value };

/// A name that a module declares itself.
struct ModuleName {
  llvm::StringRef name;
  Visibility visibility = Visibility::Private;
  Meaning type;
  Meaning value;
  Span span;
};

/// A module, or a block that declares items.
class Module {
public:
  llvm::StringRef name;
  /// "crate::a::b"
  std::string path;
  const Module *parent = nullptr;
  /// The nearest module that is no block; itself for most.
  const Module *home = nullptr;
  const SourceFile *file = nullptr;
  List<Item> items;
  /// An unread macro, or what could not be read, may declare further names.
  bool isOpaque = false;
  /// `macro_rules!` that are in scope at its end, by name.
  llvm::StringMap<const MacroRulesItem *> macros;

  bool isBlock() const { return home != this; }
  bool isInside(const Module &other) const;

private:
  friend class Resolver;

  struct Import {
    const UseTree *tree = nullptr;
    llvm::SmallVector<Ident, 4> path;
    bool global = false;
    Visibility visibility = Visibility::Private;
    enum class State : uint8_t { New, Running, Done } state = State::New;
    Meaning type, value;
  };

  llvm::MapVector<llvm::StringRef, ModuleName> names;
  llvm::MapVector<llvm::StringRef, Import> imports;
  std::vector<Import> globs;
};

/// A crate that is read, and its libraries.
class Crates {
public:
  Crates(SourceManager &sources, Context &context, Diagnostics &diagnostics);
  ~Crates();

  /// A crate that others may name, by the file of its root. False if it could
  /// not be read.
  bool addLibrary(llvm::StringRef name, llvm::StringRef path);
  /// Reads a crate from the file of its root, and finds its names. Null if the
  /// file could not be read; else there may have been errors.
  const Module *load(llvm::StringRef path);

  /// What a Path or MapAxis stands for; also of a NamePattern that is no
  /// binding. Unknown for others.
  Meaning meaningOf(const Node &node) const;
  /// What a call of a macro that the crate declares stands for; null for
  /// others.
  const Expr *expansionOf(const MacroExpr &call) const {
    return expansions.lookup(&call);
  }
  /// The function of a path such as "matmul::kernel" below the crate's root, or
  /// the only one of that name; null if there is none or there are several.
  const FnItem *findFunction(llvm::StringRef path) const;
  /// All functions with `#[device]`, in the order they were read.
  llvm::ArrayRef<const FnItem *> kernels() const { return deviceFunctions; }
  /// The release of the crate that is used; none if none is.
  std::optional<Releases> release() const { return usedRelease; }
  /// All modules, of libraries too, blocks included.
  llvm::ArrayRef<std::unique_ptr<Module>> modules() const { return allModules; }

private:
  friend class Resolver;

  SourceManager &sources;
  Context &context;
  Diagnostics &diagnostics;
  std::vector<std::unique_ptr<Module>> allModules;
  llvm::MapVector<llvm::StringRef, const Module *> libraries;
  /// By number of node.
  std::vector<Meaning> meanings;
  llvm::DenseMap<const MacroExpr *, const Expr *> expansions;
  /// The last of each name.
  llvm::StringMap<const MacroRulesItem *> macros;
  std::vector<const FnItem *> deviceFunctions;
  std::optional<Releases> usedRelease;
  /// The first use of the crate, which others must agree with.
  Span releaseSpan;
};

} // namespace sequin::visa_source

#endif // SEQUIN_VISASOURCE_RESOLVE_H
