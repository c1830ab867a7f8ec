//===- Resolver.h - Finds what names mean -----------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Modules.cpp reads files and collects what modules declare, Resolve.cpp looks
// names up, Scopes.cpp walks over bodies with their scopes.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_VISASOURCE_RESOLVER_H
#define SEQUIN_LIB_VISASOURCE_RESOLVER_H

#include "sequin/VisaSource/Resolve.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"

namespace sequin::visa_source {

/// Names that need no use: primitive types, and Rust's prelude.
bool isBuiltin(llvm::StringRef name, Namespace space);
/// Further names of the crate's prelude, beside its table.
bool isPreludeName(llvm::StringRef name);

class Resolver {
public:
  explicit Resolver(Crates &program)
      : program(program), diagnostics(program.diagnostics) {}

  //===--------------------------------------------------------------------===//
  // Modules.cpp
  //===--------------------------------------------------------------------===//

  /// Reads the root of a crate and all modules below.
  Module *readCrate(llvm::StringRef path, llvm::StringRef name);
  Module *makeModule(const Module *parent, llvm::StringRef name,
                     const SourceFile *file, List<Item> items, bool isBlock);
  /// Collects what the items declare and reads the files of modules.
  void declare(Module &module);

  //===--------------------------------------------------------------------===//
  // Resolve.cpp
  //===--------------------------------------------------------------------===//

  /// Looks all uses of a module up, to report those that lead nowhere.
  void resolveImports(Module &module);
  /// The meaning of a name in a module, seen from another one; none if there is
  /// no such name. Says in `hidden` where one is private.
  Meaning lookUp(const Module &module, llvm::StringRef name, Namespace space,
                 const Module &from, const Module *&hidden);
  /// As a path begins: the module and blocks around, crates, Rust's names.
  Meaning lookUpFirst(const Module &module, llvm::StringRef name,
                      Namespace space, const Module *&hidden);
  /// Walks from the meaning of the first name on.
  Meaning follow(Meaning first, llvm::ArrayRef<Ident> names, Namespace space,
                 const Module &from);
  Meaning resolvePath(llvm::ArrayRef<Ident> names, bool global, Namespace space,
                      const Module &from);
  /// Reports a name that is not in scope.
  void reportUnknown(Ident name, const Module &module, const Module *hidden,
                     llvm::ArrayRef<llvm::StringRef> locals);
  void record(const Node &node, const Meaning &meaning);
  List<Item> copy(llvm::ArrayRef<const Item *> items);
  /// What a call of a macro of the crate stands for as an expression; null if
  /// no such macro is in scope, or after an error.
  const Expr *expandExpr(const Module &module, const MacroExpr &call);
  /// Expressions of macros inside of each other.
  unsigned expansionDepth = 0;

  Crates &program;
  Diagnostics &diagnostics;

private:
  void declareItem(Module &module, const Item &item);
  /// Declares an item, or those that a macro stands for, and collects them.
  void declareOrExpand(Module &module, const Item &item,
                       llvm::SmallVectorImpl<const Item *> &items);
  /// Reads what a call of a macro stands for, between two further texts; null
  /// after an error.
  const SourceFile *expand(const MacroRulesItem &rules, llvm::StringRef input,
                           Span place, llvm::StringRef before,
                           llvm::StringRef behind);
  void declareName(Module &module, Ident name, Visibility visibility,
                   const Meaning *type, const Meaning *value);
  void declareUse(Module &module, const UseTree &tree, Visibility visibility,
                  llvm::SmallVector<Ident, 4> prefix, bool global);
  void readModule(Module &parent, const ModItem &item);
  void useCrate(Ident crate);

  Meaning lookUpIn(Module &module, llvm::StringRef name, Namespace space,
                   const Module &from, const Module *&hidden);
  void resolveImport(Module &module, Module::Import &import);
  bool isVisible(Visibility visibility, const Module &module,
                 const Module &from) const;
  Meaning crateMeaning(llvm::StringRef name);

  /// Glob imports that are being followed.
  llvm::SmallVector<std::pair<const Module *, llvm::StringRef>, 8> running;
  /// Where files of modules are: of each module the folder of its children.
  llvm::DenseMap<const Module *, std::string> folders;
  unsigned moduleDepth = 0;
  /// Macros that are declared above.
  llvm::StringMap<const MacroRulesItem *> macros;
  unsigned expansionCount = 0;
};

/// Finds all paths of the items of a module, bodies included.
void resolveBodies(Resolver &resolver, Module &module);

} // namespace sequin::visa_source

#endif // SEQUIN_LIB_VISASOURCE_RESOLVER_H
