//===- Linkage.cpp - Symbols that modules share by name -------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Storage classes. The modules of a PE's program are what a linker would see:
// an `extern` declaration means the `export` one of its name, or of its
// linkname, wherever in the program that is. One without a definition stays
// extern in the dialect, and the derivation of a whole program refuses it.
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"

using namespace sequin;
using namespace sequin::csl_import;
using namespace sequin::csl_source;

/// What may cross the border of an object file (SYN-026). `half` is the fp16
/// format of running code.
static bool mayBeExported(const Type *type, const Type *half) {
  switch (type->kind) {
  case TypeKind::Int:
    return type->width == 16 || type->width == 32;
  case TypeKind::Float:
    return !type->isHalf() || type == half;
  case TypeKind::Bool:
  case TypeKind::Color:
  case TypeKind::Dsd:
    return true;
  case TypeKind::Enum:
    return type->element->isInt(16) || type->element->isInt(32);
  case TypeKind::Array:
    return mayBeExported(type->element, half);
  case TypeKind::Pointer:
    if (type->element->is(TypeKind::AnyOpaque))
      return true;
    if (type->element->is(TypeKind::Function))
      return llvm::all_of(type->element->params,
                          [&](const Type *param) {
                            return mayBeExported(param, half);
                          }) &&
             (type->element->element->isVoid() ||
              mayBeExported(type->element->element, half));
    return mayBeExported(type->element, half);
  case TypeKind::Struct:
    if (type->layout == csl::AggregateKind::Packed)
      return type->bits() == 16 || type->bits() == 32;
    return type->layout == csl::AggregateKind::Extern &&
           llvm::all_of(type->fields, [&](const Type::Field &field) {
             return mayBeExported(field.type, half);
           });
  default:
    return false;
  }
}

bool Evaluator::isExportCompatible(const Type *type) {
  return mayBeExported(type, types.fp16());
}

static Storage storageOf(const Global &global) {
  if (!global.decl)
    return Storage::None;
  if (const auto *function = llvm::dyn_cast<FnDecl>(global.decl))
    return function->storage();
  return global.var() ? global.var()->storage() : Storage::None;
}

bool Evaluator::checkStorage(Global &global) {
  Storage storage = storageOf(global);
  if (storage == Storage::None)
    return true;
  const auto *function = llvm::dyn_cast<FnDecl>(global.decl);
  llvm::StringRef word = storage == Storage::Export ? "export" : "extern";
  if (!function) {
    if (isExportCompatible(global.type))
      return true;
    error(global.decl->span(), "'" + global.name + "' of type '" +
                                   global.type->str() + "' cannot be " + word +
                                   ": the type is not export-compatible");
    return false;
  }
  const Type *type = functionType({function, global.module});
  if (!type) {
    for (const FnParam *param : function->params())
      if (param->isAnytype() || param->isComptime()) {
        error(param->span(), "function '" + global.name + "' is " + word +
                                 " and has no comptime or anytype parameters");
        return false;
      }
    return false;
  }
  for (auto [param, decl] : llvm::zip(type->params, function->params()))
    if (!isExportCompatible(param)) {
      error(decl->span(), "a parameter of " + word + " function '" +
                              global.name + "' has type '" + param->str() +
                              "', which is not export-compatible");
      return false;
    }
  if (type->element->isVoid() || isExportCompatible(type->element))
    return true;
  error(function->result()->span(), word + " function '" + global.name +
                                        "' returns '" + type->element->str() +
                                        "', which is not export-compatible");
  return false;
}

/// A declaration that repeats another: of which both have a storage class, at
/// most one defines, and which have one kind (SYN-027).
static bool mayRepeat(const Global &first, const Global &second) {
  Storage a = storageOf(first), b = storageOf(second);
  if (a == Storage::None || b == Storage::None ||
      (a == Storage::Export && b == Storage::Export))
    return false;
  if (llvm::isa<FnDecl>(first.decl) || llvm::isa<FnDecl>(second.decl))
    return llvm::isa<FnDecl>(first.decl) && llvm::isa<FnDecl>(second.decl);
  return first.isVar == second.isVar;
}

bool Evaluator::declareAgain(ModuleInstance &module,
                             std::unique_ptr<Global> &first,
                             std::unique_ptr<Global> second) {
  if (!mayRepeat(*first, *second))
    return false;
  // The name means the definition.
  if (storageOf(*second) == Storage::Export)
    std::swap(first, second);
  module.repeated.push_back(std::move(second));
  return true;
}

const Type *Evaluator::linkType(Global &global) {
  if (!ensure(global, global.decl->span()))
    return nullptr;
  if (const auto *function = llvm::dyn_cast<FnDecl>(global.decl))
    return functionType({function, global.module});
  return global.type;
}

bool Evaluator::checkSameType(Global &external, Global &definition) {
  const Type *wanted = linkType(external), *found = linkType(definition);
  // Without a type, which has been reported, nothing stands for anything.
  if (!wanted || !found)
    return false;
  if (wanted == found)
    return true;
  Diagnostic &diagnostic =
      report(external.decl->span(),
             "'" + external.name + "' is declared with type '" + wanted->str() +
                 "' and with type '" + found->str() + "'");
  note(diagnostic, definition.decl->span(), "the other declaration is here");
  return false;
}

void Evaluator::checkRepeated(ModuleInstance &module) {
  for (const std::unique_ptr<Global> &global : module.repeated)
    if (ensure(*global, global->decl->span()) && checkStorage(*global))
      checkSameType(*global, *module.find(global->name));
}

std::string Evaluator::linkName(Global &global) {
  // @export takes precedence.
  if (!global.exportName.empty())
    return global.exportName;
  const auto *function = llvm::dyn_cast<FnDecl>(global.decl);
  const Expr *name = function ? function->attributes().linkName
                              : global.var()->attributes().linkName;
  if (!name)
    return global.name.str();
  Frame inner;
  inner.module = global.module;
  Frame *saved = frame;
  frame = &inner;
  PhaseScope scope(*this, Phase::Initializer);
  Value text = evalKnown(*name, "the name of a symbol", types.string());
  frame = saved;
  return text ? text.string() : std::string();
}

void Evaluator::checkSymbols(ModuleInstance &module,
                             llvm::StringMap<Global *> &taken) {
  for (auto &entry : module.globals) {
    Global &global = *entry.second;
    const auto *function = llvm::dyn_cast_or_null<FnDecl>(global.decl);
    const VarDecl *var = global.decl ? global.var() : nullptr;
    if (!(function || var) || storageOf(global) == Storage::Extern)
      continue;
    const Expr *named =
        function ? function->attributes().linkName : var->attributes().linkName;
    if (!named && storageOf(global) != Storage::Export &&
        global.exportName.empty())
      continue;
    std::string name = linkName(global);
    auto [first, isNew] = taken.try_emplace(name, &global);
    if (isNew)
      continue;
    Diagnostic &diagnostic =
        report(global.decl->span(), "symbol '" + name + "' is defined twice");
    note(diagnostic, first->second->decl->span(), "first here");
  }
  for (const std::unique_ptr<ModuleInstance> &import : module.imports)
    checkSymbols(*import, taken);
  if (&module != program->roots.front().get())
    return;
  // Variables of the program's own file are symbols of their plain names.
  for (auto &entry : module.globals) {
    Global &global = *entry.second;
    auto found = taken.find(global.name);
    if (!global.isVar || global.isExtern || found == taken.end() ||
        found->second == &global || !global.exportName.empty() ||
        global.var()->attributes().linkName || !found->second->var() ||
        !found->second->var()->attributes().linkName)
      continue;
    Diagnostic &diagnostic = report(
        global.decl->span(), "symbol '" + global.name + "' is defined twice");
    note(diagnostic, found->second->decl->span(), "first here");
  }
}

Global *Evaluator::findDefinition(ModuleInstance &module,
                                  llvm::StringRef name) {
  for (auto &entry : module.globals) {
    Global &global = *entry.second;
    if ((storageOf(global) == Storage::Export || !global.exportName.empty()) &&
        linkName(global) == name)
      return &global;
  }
  for (const std::unique_ptr<ModuleInstance> &import : module.imports)
    if (Global *found = findDefinition(*import, name))
      return found;
  return nullptr;
}

Global *Evaluator::definitionOf(Global &external) {
  if (!program || program->roots.empty())
    return nullptr;
  Global *found = findDefinition(*program->roots.front(), linkName(external));
  if (!found || found == &external || !checkSameType(external, *found))
    return nullptr;
  bool isFunction = llvm::isa<FnDecl>(external.decl);
  if (isFunction != llvm::isa<FnDecl>(found->decl) ||
      (!isFunction && external.isVar != found->isVar)) {
    Diagnostic &diagnostic = report(
        external.decl->span(), "'" + external.name +
                                   "' is declared as another kind of symbol "
                                   "than it is defined as");
    note(diagnostic, found->decl->span(), "defined here");
    return nullptr;
  }
  return found;
}
