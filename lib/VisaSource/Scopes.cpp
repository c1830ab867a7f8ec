//===- Scopes.cpp - Names in the bodies of kernels ------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A walk over the items of a module with a stack of what is in scope: generic
// parameters, bindings, and blocks that declare items. An item inside of a
// block starts with an empty stack, since it sees no variable around it.
//
//===----------------------------------------------------------------------===//

#include "Resolver.h"
#include "sequin/Support/Excerpt.h"

using namespace sequin;
using namespace sequin::visa_source;
using llvm::cast;
using llvm::dyn_cast;
using llvm::isa;
using llvm::StringRef;

namespace {

class Walker {
public:
  Walker(Resolver &resolver, Module &module)
      : resolver(resolver), module(&module), base(&module) {}

  void item(const Item &item) {
    size_t mark = scope.size();
    switch (item.kind()) {
    case NodeKind::FnItem:
      function(cast<FnItem>(item));
      break;
    case NodeKind::ImplItem: {
      const auto &impl = cast<ImplItem>(item);
      generics(*impl.generics);
      bind("Self", Namespace::Type, {MeaningKind::Self, &impl});
      if (impl.trait)
        path(*impl.trait, Namespace::Type);
      visit(*impl.self);
      for (const Item *member : impl.items)
        this->item(*member);
      break;
    }
    case NodeKind::TypeItem:
      generics(*cast<TypeItem>(item).generics);
      visit(*cast<TypeItem>(item).type);
      break;
    case NodeKind::StructItem:
      generics(*cast<StructItem>(item).generics);
      for (const FieldDecl *field : cast<StructItem>(item).members)
        visit(*field->type);
      break;
    case NodeKind::EnumItem:
      generics(*cast<EnumItem>(item).generics);
      for (const Variant *variant : cast<EnumItem>(item).variants)
        visitChildren(*variant);
      break;
    case NodeKind::ConstItem:
      visit(*cast<ConstItem>(item).type);
      visit(*cast<ConstItem>(item).value);
      break;
    case NodeKind::AxesItem:
      for (const AxisDecl *axis : cast<AxesItem>(item).axes)
        visit(*axis->size);
      break;
    default:
      break;
    }
    scope.truncate(mark);
  }

private:
  struct Entry {
    StringRef name;
    Namespace space = Namespace::Value;
    Meaning meaning;
    /// A block with items; nothing else is set then.
    const Module *block = nullptr;
  };

  void bind(StringRef name, Namespace space, const Meaning &meaning) {
    scope.push_back({name, space, meaning, nullptr});
  }

  void generics(const Generics &list) {
    for (const GenericParam *param : list.params)
      if (param->paramKind != GenericParamKind::Lifetime)
        bind(param->name.text,
             param->paramKind == GenericParamKind::Const ? Namespace::Value
                                                         : Namespace::Type,
             {MeaningKind::Generic, param});
    visitChildren(list);
  }

  void function(const FnItem &fn) {
    generics(*fn.generics);
    for (const Param *param : fn.params) {
      if (param->self != SelfKind::None)
        bind("self", Namespace::Value, {MeaningKind::Self, param});
      if (param->type)
        visit(*param->type);
    }
    for (const Param *param : fn.params)
      if (param->pattern)
        pattern(*param->pattern);
    if (fn.result)
      visit(*fn.result);
    block(*fn.body);
  }

  //===--------------------------------------------------------------------===//
  // Looking up
  //===--------------------------------------------------------------------===//

  Meaning lookUp(StringRef name, Namespace space, const Module *&hidden) {
    for (const Entry &entry : llvm::reverse(scope)) {
      if (entry.block) {
        if (Meaning m = resolver.lookUp(*entry.block, name, space, *entry.block,
                                        hidden))
          return m;
      } else if (entry.space == space && entry.name == name) {
        return entry.meaning;
      }
    }
    return resolver.lookUpFirst(*base, name, space, hidden);
  }

  void unknown(Ident name, const Module *hidden) {
    llvm::SmallVector<StringRef, 16> locals{"self"};
    for (const Entry &entry : scope)
      if (!entry.block)
        locals.push_back(entry.name);
    resolver.reportUnknown(name, *module, hidden, locals);
  }

  /// Finds a path, and what its generic arguments hold. With `either`, a single
  /// name may be of the other namespace too.
  void path(const Path &p, Namespace space, bool either = false) {
    for (const PathSegment *segment : p.segments)
      if (segment->args)
        visitChildren(*segment->args);
    if (p.self) {
      visit(*p.self);
      if (p.trait)
        path(*p.trait, Namespace::Type);
      return;
    }
    llvm::SmallVector<Ident, 4> names;
    for (const PathSegment *segment : p.segments)
      names.push_back(segment->name);
    if (names.empty())
      return;
    Meaning found = find(names, p.global, space, either);
    if (found)
      resolver.record(p, found);
    if (found.kind == MeaningKind::Api && found.rest == 1)
      checkVariant(*found.api, names.back());
  }

  Meaning find(llvm::ArrayRef<Ident> names, bool global, Namespace space,
               bool either) {
    Ident first = names.front();
    bool alone = names.size() == 1;
    bool isKeyword = first.text == "crate" || first.text == "super" ||
                     (first.text == "self" && !alone);
    if (global || isKeyword)
      return resolver.resolvePath(names, global, space, *module);
    const Module *hidden = nullptr;
    Meaning found = lookUp(first.text, alone ? space : Namespace::Type, hidden);
    if (!found && either && alone)
      found =
          lookUp(first.text,
                 space == Namespace::Type ? Namespace::Value : Namespace::Type,
                 hidden);
    if (!found) {
      // `tokio::spawn` of a crate that is not read.
      if (!alone && !hidden && !llvm::isUpper(first.text.front()))
        return {MeaningKind::External, nullptr, nullptr, nullptr,
                unsigned(names.size() - 1)};
      unknown(first, hidden);
      return {};
    }
    return resolver.follow(found, names.drop_front(), space, *module);
  }

  void checkVariant(const ApiType &type, Ident name) {
    if (type.kind != ApiKind::Choice || isApiValue(type.name, name.text) ||
        isApiMethod(name.text))
      return;
    llvm::SmallVector<StringRef, 16> near;
    for (const ApiValue &value : apiValues())
      if (value.type == type.name)
        near.push_back(value.name);
    // Not a name of what has no variants in the table.
    if (near.empty())
      return;
    std::string message =
        ("'" + type.name + "' has no '").str() + excerpt(name.text) + "'";
    if (auto suggestion = source::suggestName(name.text, near))
      message += ", did you mean '" + suggestion->str() + "'?";
    resolver.diagnostics.error(name.span, message);
  }

  void axis(const MapAxis &node) {
    const Module *hidden = nullptr;
    Meaning found = lookUp(node.name.text, Namespace::Type, hidden);
    if (!found)
      return unknown(node.name, hidden);
    resolver.record(node, found);
    if (found.kind != MeaningKind::Item)
      return;
    Diagnostic &error = resolver.diagnostics.error(
        node.name.span, "'" + node.name.text +
                            "' is a type and no axis, write '{ " +
                            node.name.text + " }'");
    Diagnostics::note(error, headOf(*cast<Item>(found.node)).name.span,
                      "declared here");
  }

  //===--------------------------------------------------------------------===//
  // Patterns
  //===--------------------------------------------------------------------===//

  /// Binds the names of a pattern, or finds what they are instead.
  void pattern(const Pattern &p) {
    if (const auto *name = dyn_cast<NamePattern>(&p)) {
      if (!isConstant(*name))
        bind(name->name.text, Namespace::Value, {MeaningKind::Local, name});
      if (name->inner)
        pattern(*name->inner);
      return;
    }
    if (const auto *tuple = dyn_cast<TupleStructPattern>(&p))
      path(*tuple->path, Namespace::Value, /*either=*/true);
    else if (const auto *fields = dyn_cast<StructPattern>(&p))
      path(*fields->path, Namespace::Type, /*either=*/true);
    else if (const auto *of = dyn_cast<PathPattern>(&p))
      path(*of->path, Namespace::Value, /*either=*/true);
    forEachChild(p, [&](const Node &child) {
      if (const auto *inner = dyn_cast<Pattern>(&child))
        pattern(*inner);
      else if (const auto *field = dyn_cast<FieldPattern>(&child))
        pattern(*field->pattern);
      else if (!isa<Path>(child))
        visit(child);
    });
  }

  bool isConstant(const NamePattern &name) {
    if (name.isMut || name.isRef || name.inner || name.name.empty())
      return false;
    // What begins with a small letter binds, whatever else has that name.
    if (!llvm::isUpper(name.name.text.front()))
      return false;
    const Module *hidden = nullptr;
    Meaning found = lookUp(name.name.text, Namespace::Value, hidden);
    bool constant = found.kind == MeaningKind::Variant ||
                    found.kind == MeaningKind::Builtin ||
                    (found.kind == MeaningKind::Item &&
                     isa<ConstItem, StructItem>(found.node));
    if (constant)
      resolver.record(name, found);
    return constant;
  }

  //===--------------------------------------------------------------------===//
  // Bodies
  //===--------------------------------------------------------------------===//

  void block(const BlockExpr &node) {
    size_t mark = scope.size();
    Module *outer = module;
    Module *inner = declareItems(node);
    for (const Stmt *statement : node.statements) {
      if (const auto *let = dyn_cast<LetStmt>(statement)) {
        if (let->type)
          visit(*let->type);
        if (let->init)
          visit(*let->init);
        if (let->otherwise)
          block(*let->otherwise);
        pattern(*let->pattern);
      } else if (const auto *expr = dyn_cast<ExprStmt>(statement)) {
        visit(*expr->expr);
      }
    }
    if (node.tail)
      visit(*node.tail);
    module = outer;
    scope.truncate(mark);
    if (inner)
      resolveBodies(resolver, *inner);
  }

  /// Makes a module of the items of a block and enters it; null without items.
  Module *declareItems(const BlockExpr &node) {
    llvm::SmallVector<const Item *, 8> items;
    for (const Stmt *statement : node.statements)
      if (const auto *of = dyn_cast<ItemStmt>(statement))
        items.push_back(of->item);
    if (items.empty())
      return nullptr;
    Crates &program = resolver.program;
    size_t first = program.modules().size();
    Module *inner =
        resolver.makeModule(module, {}, module->file,
                            resolver.copy(llvm::ArrayRef<const Item *>(items)),
                            /*isBlock=*/true);
    resolver.declare(*inner);
    // The modules declared in it as well.
    size_t last = program.modules().size();
    for (size_t i = first; i != last; ++i)
      resolver.resolveImports(*program.modules()[i]);
    for (size_t i = first + 1; i < last; ++i)
      resolveBodies(resolver, *program.modules()[i]);
    module = inner;
    scope.push_back({{}, Namespace::Type, {}, inner});
    return inner;
  }

  void visit(const Node &node) {
    size_t mark = scope.size();
    switch (node.kind()) {
    case NodeKind::PathExpr:
      return path(*cast<PathExpr>(node).path, Namespace::Value);
    case NodeKind::PathType:
      return path(*cast<PathType>(node).path, Namespace::Type);
    case NodeKind::Bound:
      if (const Path *trait = cast<Bound>(node).path)
        path(*trait, Namespace::Type);
      return;
    case NodeKind::GenericArg: {
      // A single name may be a type or a constant.
      const auto &arg = cast<GenericArg>(node);
      if (const auto *type = llvm::dyn_cast_or_null<PathType>(arg.type))
        return path(*type->path, Namespace::Type, /*either=*/true);
      return visitChildren(node);
    }
    case NodeKind::StructExpr: {
      const auto &literal = cast<StructExpr>(node);
      path(*literal.path, Namespace::Type, /*either=*/true);
      for (const FieldInit *field : literal.inits)
        if (field->value)
          visit(*field->value);
        else
          shortInit(*field);
      if (literal.base)
        visit(*literal.base);
      return;
    }
    case NodeKind::MacroExpr:
      if (cast<MacroExpr>(node).form == MacroForm::Tokens) {
        // The names around it are those that it sees.
        ++resolver.expansionDepth;
        if (const Expr *stands =
                resolver.expandExpr(*module, cast<MacroExpr>(node)))
          visit(*stands);
        --resolver.expansionDepth;
        return;
      }
      for (const Expr *arg : cast<MacroExpr>(node).args)
        macroArgument(*arg);
      return;
    case NodeKind::MapAxis:
      return axis(cast<MapAxis>(node));
    case NodeKind::BlockExpr:
      return block(cast<BlockExpr>(node));
    case NodeKind::IfExpr: {
      const auto &branch = cast<IfExpr>(node);
      visit(*branch.condition);
      block(*branch.then);
      scope.truncate(mark);
      if (branch.otherwise)
        visit(*branch.otherwise);
      return;
    }
    case NodeKind::LetExpr:
      // In scope until the body ends, which whoever has the condition says.
      visit(*cast<LetExpr>(node).value);
      return pattern(*cast<LetExpr>(node).pattern);
    case NodeKind::WhileExpr:
      visit(*cast<WhileExpr>(node).condition);
      block(*cast<WhileExpr>(node).body);
      break;
    case NodeKind::ForExpr:
      visit(*cast<ForExpr>(node).range);
      pattern(*cast<ForExpr>(node).pattern);
      block(*cast<ForExpr>(node).body);
      break;
    case NodeKind::MatchArm: {
      const auto &arm = cast<MatchArm>(node);
      pattern(*arm.pattern);
      if (arm.guard)
        visit(*arm.guard);
      visit(*arm.body);
      break;
    }
    case NodeKind::ClosureExpr: {
      const auto &closure = cast<ClosureExpr>(node);
      for (const Param *param : closure.params) {
        if (param->type)
          visit(*param->type);
        pattern(*param->pattern);
      }
      if (closure.result)
        visit(*closure.result);
      visit(*closure.body);
      break;
    }
    default:
      return visitChildren(node);
    }
    scope.truncate(mark);
  }

  void visitChildren(const Node &node) {
    forEachChild(node, [&](const Node &child) { visit(child); });
  }

  void shortInit(const FieldInit &field) {
    const Module *hidden = nullptr;
    Meaning found = lookUp(field.name.text, Namespace::Value, hidden);
    if (!found)
      return unknown(field.name, hidden);
    resolver.record(field, found);
  }

  /// `name = value` names an argument of a format.
  void macroArgument(const Expr &arg) {
    const auto *named = dyn_cast<AssignExpr>(&arg);
    if (named && isa<PathExpr>(named->target))
      return visit(*named->value);
    visit(arg);
  }

  Resolver &resolver;
  /// The module or block where we are.
  Module *module;
  /// Where the walk began.
  const Module *base;
  llvm::SmallVector<Entry, 32> scope;
};

} // namespace

void visa_source::resolveBodies(Resolver &resolver, Module &module) {
  // What could not be read leaves holes in the tree.
  if (module.file->hadErrors)
    return;
  Walker walker(resolver, module);
  for (const Item *item : module.items)
    walker.item(*item);
}
