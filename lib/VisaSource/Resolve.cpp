//===- Resolve.cpp - Looks names of kernels up ----------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/VisaSource/Resolve.h"

#include "Resolver.h"
#include "sequin/Support/Excerpt.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace sequin;
using namespace sequin::visa_source;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Names that are always there
//===----------------------------------------------------------------------===//

bool visa_source::isBuiltin(StringRef name, Namespace space) {
  if (space == Namespace::Value)
    return llvm::StringSwitch<bool>(name)
        .Cases({"Some", "None", "Ok", "Err", "drop"}, true)
        .Default(false);
  return llvm::StringSwitch<bool>(name)
      .Cases({"u8", "u16", "u32", "u64", "u128", "usize"}, true)
      .Cases({"i8", "i16", "i32", "i64", "i128", "isize"}, true)
      .Cases({"f32", "f64", "bool", "char", "str"}, true)
      .Cases({"Option", "Result", "Vec", "Box", "String"}, true)
      .Cases({"Copy", "Send", "Sync", "Sized", "Drop", "Unpin"}, true)
      .Cases({"Fn", "FnMut", "FnOnce", "Clone", "Default", "ToString"}, true)
      .Cases({"Eq", "PartialEq", "Ord", "PartialOrd", "ToOwned"}, true)
      .Cases({"AsRef", "AsMut", "Into", "From", "TryInto", "TryFrom"}, true)
      .Cases({"Iterator", "IntoIterator", "Extend", "DoubleEndedIterator"},
             true)
      .Cases({"ExactSizeIterator", "FromIterator"}, true)
      .Default(false);
}

bool visa_source::isPreludeName(StringRef name) {
  return llvm::StringSwitch<bool>(name)
      // Element types.
      .Cases({"bf16", "i4", "f8e4m3", "f8e5m2", "f4e2m1", "i5"}, true)
      .Cases({"i9", "f8e4", "f8e5"}, true)
      // Traits and their markers.
      .Cases({"M", "AxisName", "Scalar", "VeScalar", "Index", "Ident"}, true)
      .Cases({"ContractionCast", "FetchCast", "StreamCast", "Cast"}, true)
      .Cases({"NoTensor", "HasTensor", "TensorState", "stage"}, true)
      .Cases({"VeOrder", "Position", "DeviceSend", "Device", "Way8"}, true)
      .Cases({"IntraFirst", "InterFirst", "Way4", "Address", "launch"}, true)
      .Cases({"TensorView", "TensorViewMut", "Mapping", "StreamTensor"}, true)
      .Cases({"TuTensor", "TagGuard", "Branched", "Cmp", "device"}, true)
      .Cases({"CurrentBackend", "PaddingKind", "Term", "Atom", "RBox"}, true)
      // The stages of the vector engine, where signatures name them.
      .Cases({"VectorBranchTensor", "VectorLogicTensor", "VectorFxpTensor"},
             true)
      .Cases({"VectorFxpToFpTensor", "VectorNarrowTensor", "VectorFpTensor"},
             true)
      .Cases({"VectorIntraSliceReduceTensor", "VectorInterSliceReduceTensor"},
             true)
      .Cases({"VectorFpDivTensor", "VectorWidenTensor", "VectorClipTensor"},
             true)
      .Cases({"VectorFpToFxpTensor", "VectorFilterTensor"}, true)
      // The steps of the other engines, as release 0.6 calls them.
      .Cases({"FetchMaskTensor", "FetchCastTensor", "FetchTableLookupTensor"},
             true)
      .Cases({"FetchZeroPointSubTensor", "ContractOuterTensor"}, true)
      .Cases({"ContractPacketTensor", "ContractTimeTensor", "ContractTensor"},
             true)
      .Cases({"CommitCastTensor", "DpeTensor", "MaterializableScalar"}, true)
      .Cases({"CastEngineCast", "CommitCast", "TableLookup"}, true)
      .Cases({"FetchZeroPointSub", "ContractionWeight"}, true)
      .Cases({"ContractionAccumulator", "Backend", "Cpu", "Npu"}, true)
      .Cases({"Fresh", "Occupied", "Spent", "StashState", "VeState"}, true)
      .Cases({"NoStash", "WithStash", "OneReg", "TwoRegs", "ThreeRegs"}, true)
      .Cases({"AtRf", "CanAppendImm", "VeOperandBuilder", "Cell"}, true)
      .Default(false);
}

StringRef visa_source::stringify(MeaningKind kind) {
  static constexpr StringRef kNames[] = {"unknown",
                                         "module",
                                         "item",
                                         "axis",
                                         "variant",
                                         "variable",
                                         "generic parameter",
                                         "self",
                                         "name of the crate",
                                         "name of Rust",
                                         "name of another crate"};
  return kNames[unsigned(kind)];
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

bool Resolver::isVisible(Visibility visibility, const Module &module,
                         const Module &from) const {
  switch (visibility) {
  case Visibility::Public:
  case Visibility::Crate:
    return true;
  case Visibility::Super:
    return from.isInside(module.home->parent ? *module.home->parent
                                             : *module.home);
  case Visibility::Private:
    return from.isInside(module);
  }
  llvm_unreachable("unknown visibility");
}

Meaning Resolver::crateMeaning(StringRef name) {
  if (auto found = program.libraries.find(name);
      found != program.libraries.end())
    return {MeaningKind::Module, nullptr, found->second};
  if (releaseOfCrate(name))
    return {MeaningKind::Api};
  return {MeaningKind::External};
}

Meaning Resolver::lookUp(const Module &module, StringRef name, Namespace space,
                         const Module &from, const Module *&hidden) {
  return lookUpIn(const_cast<Module &>(module), name, space, from, hidden);
}

Meaning Resolver::lookUpIn(Module &module, StringRef name, Namespace space,
                           const Module &from, const Module *&hidden) {
  auto pick = [&](const Meaning &type, const Meaning &value) {
    return space == Namespace::Type ? type : value;
  };
  if (auto found = module.names.find(name); found != module.names.end())
    if (Meaning m = pick(found->second.type, found->second.value)) {
      if (isVisible(found->second.visibility, module, from))
        return m;
      hidden = &module;
    }
  if (auto found = module.imports.find(name); found != module.imports.end()) {
    if (!isVisible(found->second.visibility, module, from)) {
      hidden = &module;
    } else {
      resolveImport(module, found->second);
      // Looking up may have added to the map.
      const Module::Import &import = module.imports.find(name)->second;
      if (Meaning m = pick(import.type, import.value))
        return m;
    }
  }
  // Globs may lead in a circle.
  std::pair<const Module *, StringRef> key{&module, name};
  if (llvm::is_contained(running, key))
    return {};
  running.push_back(key);
  Meaning result;
  for (Module::Import &glob : module.globs) {
    if (!isVisible(glob.visibility, module, from))
      continue;
    resolveImport(module, glob);
    Meaning target = glob.type;
    if (target.kind == MeaningKind::Module) {
      const Module *ignored = nullptr;
      result = lookUp(*target.module, name, space, module, ignored);
    } else if (target.kind == MeaningKind::Api) {
      bool known = findApiType(name) || isPreludeName(name);
      if (known)
        result = {MeaningKind::Api, nullptr, nullptr, findApiType(name)};
    } else if (const auto *item =
                   llvm::dyn_cast_or_null<EnumItem>(target.node)) {
      for (const Variant *variant : item->variants)
        if (variant->name.text == name)
          result = {MeaningKind::Variant, variant, target.module};
    }
    if (result)
      break;
  }
  running.pop_back();
  return result;
}

Meaning Resolver::lookUpFirst(const Module &module, StringRef name,
                              Namespace space, const Module *&hidden) {
  const Module *around = &module;
  for (;; around = around->parent) {
    if (Meaning m = lookUp(*around, name, space, module, hidden))
      return m;
    if (!around->isBlock())
      break;
  }
  if (space == Namespace::Type &&
      (program.libraries.contains(name) || releaseOfCrate(name) ||
       llvm::is_contained({"std", "core", "alloc"}, name)))
    return crateMeaning(name);
  if (isBuiltin(name, space))
    return {MeaningKind::Builtin};
  // What may come from where we do not look.
  for (around = &module;; around = around->parent) {
    bool fromElsewhere =
        around->isOpaque ||
        llvm::any_of(around->globs, [](const Module::Import &glob) {
          return glob.type.kind == MeaningKind::External;
        });
    if (fromElsewhere)
      return {MeaningKind::External};
    if (!around->isBlock())
      return {};
  }
}

Meaning Resolver::follow(Meaning at, llvm::ArrayRef<Ident> names,
                         Namespace space, const Module &from) {
  while (!names.empty()) {
    if (at.kind == MeaningKind::Item)
      if (const auto *item = llvm::dyn_cast<EnumItem>(at.node)) {
        const Module *home = at.module;
        for (const Variant *variant : item->variants)
          if (variant->name.text == names.front().text)
            at = {MeaningKind::Variant, variant, home};
        if (at.kind == MeaningKind::Variant) {
          names = names.drop_front();
          continue;
        }
      }
    // `prelude` of the crate, and what is in it.
    if (at.kind == MeaningKind::Api && !at.api) {
      at.api = findApiType(names.front().text);
      names = names.drop_front();
      continue;
    }
    if (at.kind != MeaningKind::Module) {
      at.rest = unsigned(names.size());
      return at;
    }
    bool isLast = names.size() == 1;
    const Module *hidden = nullptr;
    Ident name = names.front();
    Meaning next = lookUp(*at.module, name.text,
                          isLast ? space : Namespace::Type, from, hidden);
    // The last name of a use may be of either namespace, which the caller asks
    // for one by one; a type in the place of a value has further names.
    if (!next) {
      if (at.module->isOpaque)
        return {MeaningKind::External};
      const Module *other = nullptr;
      bool isOther =
          isLast &&
          lookUp(*at.module, name.text,
                 space == Namespace::Type ? Namespace::Value : Namespace::Type,
                 from, other);
      if (!isOther)
        reportUnknown(name, *at.module, hidden, {});
      return {};
    }
    at = next;
    names = names.drop_front();
  }
  return at;
}

Meaning Resolver::resolvePath(llvm::ArrayRef<Ident> names, bool global,
                              Namespace space, const Module &from) {
  Ident first = names.front();
  const Module *module = from.home;
  auto root = [&] {
    const Module *m = module;
    while (m->parent)
      m = m->parent;
    return m;
  };
  if (global)
    return follow(crateMeaning(first.text), names.drop_front(), space, from);
  if (first.text == "crate")
    return follow({MeaningKind::Module, nullptr, root()}, names.drop_front(),
                  space, from);
  if (first.text == "self" || first.text == "super") {
    while (!names.empty() &&
           (names.front().text == "self" || names.front().text == "super")) {
      if (names.front().text == "super") {
        if (!module->parent) {
          diagnostics.error(names.front().span,
                            "there is no module above '" + module->path + "'");
          return {};
        }
        module = module->parent->home;
      }
      names = names.drop_front();
    }
    return follow({MeaningKind::Module, nullptr, module}, names, space, from);
  }
  const Module *hidden = nullptr;
  Meaning found = lookUpFirst(
      from, first.text, names.size() == 1 ? space : Namespace::Type, hidden);
  if (!found)
    return {};
  return follow(found, names.drop_front(), space, from);
}

void Resolver::resolveImport(Module &module, Module::Import &import) {
  if (import.state != Module::Import::State::New)
    return;
  import.state = Module::Import::State::Running;
  // Copies, since modules may move while names are looked up.
  llvm::SmallVector<Ident, 4> path = import.path;
  Meaning type, value;
  if (path.empty()) {
    // `use *`, `use {..}` at the beginning: of the crate's root.
    type = {MeaningKind::Module, nullptr, module.home};
  } else {
    StringRef first = path.front().text;
    const Module *hidden = nullptr;
    bool known = import.global || first == "crate" || first == "self" ||
                 first == "super" ||
                 lookUpFirst(module, first, Namespace::Type, hidden) ||
                 lookUpFirst(module, first, Namespace::Value, hidden);
    if (!known) {
      // A crate that is not read, if the use takes something out of it.
      if (path.size() > 1 || import.tree->useKind == UseKind::Glob)
        type = value = {MeaningKind::External};
      else
        reportUnknown(path.front(), module, hidden, {});
    } else {
      // A macro has a name of its own kind.
      if (import.tree->useKind != UseKind::Glob &&
          program.macros.contains(path.back().text) && path.size() <= 2) {
        import.type = import.value = {MeaningKind::External};
        import.state = Module::Import::State::Done;
        return;
      }
      type = resolvePath(path, import.global, Namespace::Type, module);
      if (import.tree->useKind != UseKind::Glob)
        value = resolvePath(path, import.global, Namespace::Value, module);
    }
  }
  // Was reported; what is said to come from there is not reported again.
  if (!type && !value)
    type = value = {MeaningKind::External};
  import.type = type;
  import.value = value;
  import.state = Module::Import::State::Done;
}

void Resolver::resolveImports(Module &module) {
  for (auto &[name, import] : module.imports)
    resolveImport(module, import);
  for (Module::Import &glob : module.globs)
    resolveImport(module, glob);
}

void Resolver::reportUnknown(Ident name, const Module &module,
                             const Module *hidden,
                             llvm::ArrayRef<StringRef> locals) {
  if (hidden) {
    auto found = hidden->names.find(name.text);
    Diagnostic &error = diagnostics.error(name.span, "'" + excerpt(name.text) +
                                                         "' is private to '" +
                                                         hidden->path + "'");
    if (found != hidden->names.end())
      Diagnostics::note(error, found->second.span, "declared here");
    return;
  }
  std::string message = "no '" + excerpt(name.text) + "' in ";
  message += locals.empty() ? "'" + module.path + "'" : "this scope";
  Diagnostic &error = diagnostics.error(name.span, message);
  if (!error.suggests)
    return;
  llvm::SmallVector<StringRef, 64> near(locals.begin(), locals.end());
  for (const Module *m = &module;; m = m->parent) {
    for (const auto &[known, entry] : m->names)
      near.push_back(known);
    for (const auto &[known, import] : m->imports)
      near.push_back(known);
    if (llvm::any_of(m->globs, [](const Module::Import &glob) {
          return glob.type.kind == MeaningKind::Api;
        }))
      for (const ApiType &type : apiTypes())
        near.push_back(type.name);
    if (!m->isBlock())
      break;
  }
  if (auto suggestion = source::suggestName(name.text, near))
    error.message += ", did you mean '" + suggestion->str() + "'?";
}

List<Item> Resolver::copy(llvm::ArrayRef<const Item *> items) {
  return program.context.copy(items);
}

void Resolver::record(const Node &node, const Meaning &meaning) {
  if (program.meanings.size() <= node.id())
    program.meanings.resize(program.context.numNodes());
  program.meanings[node.id()] = meaning;
}

//===----------------------------------------------------------------------===//
// Crates
//===----------------------------------------------------------------------===//

Crates::Crates(SourceManager &sources, Context &context,
               Diagnostics &diagnostics)
    : sources(sources), context(context), diagnostics(diagnostics) {}
Crates::~Crates() = default;

bool Crates::addLibrary(StringRef name, StringRef path) {
  Resolver resolver(*this);
  size_t first = allModules.size();
  Module *root = resolver.readCrate(path, context.copy(name));
  if (!root)
    return false;
  libraries[root->name] = root;
  for (size_t i = first; i != allModules.size(); ++i)
    resolver.resolveImports(*allModules[i]);
  size_t last = allModules.size();
  for (size_t i = first; i != last; ++i)
    resolveBodies(resolver, *allModules[i]);
  return true;
}

const Module *Crates::load(StringRef path) {
  Resolver resolver(*this);
  size_t first = allModules.size();
  Module *root = resolver.readCrate(path, "crate");
  if (!root)
    return nullptr;
  for (size_t i = first; i != allModules.size(); ++i)
    resolver.resolveImports(*allModules[i]);
  // Bodies add modules of blocks.
  size_t last = allModules.size();
  for (size_t i = first; i != last; ++i)
    resolveBodies(resolver, *allModules[i]);
  return root;
}

Meaning Crates::meaningOf(const Node &node) const {
  return node.id() < meanings.size() ? meanings[node.id()] : Meaning();
}

const FnItem *Crates::findFunction(StringRef path) const {
  const FnItem *found = nullptr;
  for (const auto &module : allModules)
    for (const Item *item : module->items) {
      const auto *fn = llvm::dyn_cast<FnItem>(item);
      if (!fn)
        continue;
      std::string full = module->path + "::" + fn->head.name.text.str();
      if (full == path || full == ("crate::" + path).str())
        return fn;
      if (fn->head.name.text != path)
        continue;
      if (found)
        return nullptr;
      found = fn;
    }
  return found;
}
