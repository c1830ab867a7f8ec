//===- Module.h - A CSL file with its parameters ----------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every @import_module makes an instance: the file's declarations with their
// own values. A global is evaluated when it is first used, so that the order of
// declarations does not matter; one that needs itself is an error.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_TARGET_CSLIMPORT_MODULE_H
#define SEQUIN_LIB_TARGET_CSLIMPORT_MODULE_H

#include "Value.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

namespace sequin::csl_import {

struct Global {
  enum class State : uint8_t { Untouched, Evaluating, Done, Failed };

  ModuleInstance *module = nullptr;
  const csl_source::Decl *decl = nullptr; ///< VarDecl, FnDecl or ColorDecl
  llvm::StringRef name;
  State state = State::Untouched;
  const Type *type = nullptr;
  /// A const's or param's value; a var's initial value, an error if none.
  Value value;
  /// Name in the program; empty until running code needs the variable.
  std::string symbol;
  bool isVar = false, isExtern = false;
  bool emitted = false;
  std::string exportName;
  csl_source::Span tableSpan; ///< of a constant without a declaration

  csl_source::Span span() const { return decl ? decl->span() : tableSpan; }

  const csl_source::VarDecl *var() const {
    return llvm::dyn_cast<csl_source::VarDecl>(decl);
  }
};

/// A value that an importer, the layout or the command line gives a parameter.
struct Binding {
  Value value;
  csl_source::Span span;
};

struct ModuleInstance {
  const csl_source::SourceFile *file = nullptr;
  std::string path;   ///< as opened
  std::string prefix; ///< "a.b." before the names of its symbols
  bool isLibrary = false;
  /// Where it was imported, and the module that did.
  ModuleInstance *importer = nullptr;
  csl_source::Span importSpan;
  llvm::MapVector<llvm::StringRef, std::unique_ptr<Global>> globals;
  llvm::StringMap<Binding> bindings;
  std::vector<std::unique_ptr<ModuleInstance>> imports;
  /// Further declarations of names that have a storage class.
  std::vector<std::unique_ptr<Global>> repeated;
  bool comptimeBlocksDone = false;
  bool isChecked = false; ///< its declarations against each other

  /// The global of a declaration, be it the first of its name or not.
  Global *findDeclaration(const csl_source::Decl &decl) const {
    for (const std::unique_ptr<Global> &global : repeated)
      if (global->decl == &decl)
        return global.get();
    Global *global = find(decl.name().text);
    return global && global->decl == &decl ? global : nullptr;
  }
  Global *find(llvm::StringRef name) const {
    auto found = globals.find(name);
    return found == globals.end() ? nullptr : found->second.get();
  }
};

} // namespace sequin::csl_import

#endif // SEQUIN_LIB_TARGET_CSLIMPORT_MODULE_H
