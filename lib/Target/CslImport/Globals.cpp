//===- Globals.cpp - Modules and their declarations -----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "sequin/CslSource/Observations.h"
#include "llvm/Support/FileSystem.h"

using namespace sequin;
using namespace sequin::csl_import;
using namespace sequin::csl_source;

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

void Evaluator::declare(ModuleInstance &module) {
  for (const Decl *decl : module.file->decls) {
    llvm::StringRef name = decl->name().text;
    if (name.empty())
      continue;
    auto global = std::make_unique<Global>();
    global->module = &module;
    global->decl = decl;
    global->name = name;
    if (const auto *var = llvm::dyn_cast<VarDecl>(decl)) {
      global->isVar = var->isVar();
      global->isExtern = var->storage() == Storage::Extern;
    }
    std::unique_ptr<Global> &entry = module.globals[name];
    if (!entry) {
      entry = std::move(global);
      continue;
    }
    Span first = entry->decl->name().span;
    if (declareAgain(module, entry, std::move(global)))
      continue;
    Diagnostic &diagnostic =
        report(decl->name().span, "redeclaration of '" + name + "'");
    note(diagnostic, first, "declared here");
  }
  for (auto &entry : module.bindings) {
    const Global *global = module.find(entry.first());
    if (global && (llvm::isa<ColorDecl>(global->decl) ||
                   (global->var() && global->var()->isParam())))
      continue;
    warn(entry.second.span,
         "module '" + module.path + "' has no parameter '" + entry.first() +
             "'" +
             (global ? ", what it declares of the name keeps its own value"
                     : ""));
  }
}

namespace {
/// Evaluation of a module's declaration, whatever is going on around it.
template <typename T> struct Saved {
  T &place;
  T value;
  explicit Saved(T &place, T next) : place(place), value(std::move(place)) {
    place = std::move(next);
  }
  ~Saved() { place = std::move(value); }
};
} // namespace

bool Evaluator::ensure(Global &global, Span use) {
  switch (global.state) {
  case Global::State::Done:
    return true;
  case Global::State::Failed:
    return false;
  case Global::State::Evaluating: {
    Diagnostic &diagnostic =
        report(use, "the value of '" + global.name + "' needs itself");
    note(diagnostic, global.decl->name().span, "declared here");
    const auto *variable = llvm::dyn_cast<VarDecl>(global.decl);
    if (variable && variable->init() &&
        llvm::isa<StructType>(variable->init()->ignoreParens()))
      note(diagnostic, use,
           "a struct has no pointer to its own type: keep them in an array and "
           "give the index of the next one");
    return false;
  }
  case Global::State::Untouched:
    break;
  }
  if (const auto *function = llvm::dyn_cast<FnDecl>(global.decl)) {
    global.type =
        types.simple(function->isTask() ? TypeKind::Task : TypeKind::Function);
    global.value = Value(global.type, FunctionRef{function, global.module});
    global.state = Global::State::Done;
    return true;
  }
  global.state = Global::State::Evaluating;
  Frame inner;
  inner.module = global.module;
  Saved<Frame *> savedFrame(frame, &inner);
  Saved<Phase> savedPhase(phase, Phase::Initializer);
  Saved<unsigned> savedDepth(depth, 0);
  Saved<bool> savedLeft(left, false);
  Saved<bool> savedTypeOf(inTypeOf, false);
  Saved<Global *> savedGlobal(initializing, &global);
  Saved<llvm::StringRef> savedName(declName, global.name);
  bool done = evaluateGlobal(global);
  if (!done && program && program->waitsForBlocks) {
    global.state = Global::State::Untouched;
    return false;
  }
  if (done && session.options.observations)
    observe(global.decl->name().span, global.type,
            global.isVar ? nullptr : &global.value);
  global.state = done ? Global::State::Done : Global::State::Failed;
  return done;
}

/// The numbers of an integer type: "0 to 255".
static std::string rangeOf(const Type &type) {
  unsigned width = type.width;
  llvm::SmallString<40> least, most;
  if (type.isSigned) {
    llvm::APInt::getSignedMinValue(width).toStringSigned(least);
    llvm::APInt::getSignedMaxValue(width).toStringSigned(most);
  } else {
    least = "0";
    llvm::APInt::getMaxValue(width).toStringUnsigned(most);
  }
  return (least + " to " + most).str();
}

bool Evaluator::evaluateGlobal(Global &global) {
  if (llvm::isa<ColorDecl>(global.decl)) {
    global.type = types.simple(TypeKind::Color);
    auto binding = global.module->bindings.find(global.name);
    if (binding == global.module->bindings.end()) {
      error(global.decl->span(),
            "color '" + global.name + "' is given no value (--colors)");
      return false;
    }
    global.value =
        coerce(binding->second.value, global.type, global.decl->span());
    return bool(global.value);
  }
  const VarDecl &decl = *global.var();
  const Type *type = nullptr;
  if (decl.type()) {
    type = evalType(*decl.type());
    if (!type)
      return false;
    if (type->is(TypeKind::ComptimeStruct))
      warnFormer(decl.type()->span(), "'comptime_struct'", "1.4", "2.10",
                 "the type is left out");
  }
  if (global.isExtern) {
    global.type = type;
    return type && checkStorage(global);
  }
  Value value;
  Span span = decl.init() ? decl.init()->span() : decl.span();
  auto binding = global.module->bindings.find(global.name);
  if (decl.isParam() && binding != global.module->bindings.end()) {
    value = binding->second.value;
    if (binding->second.span.isValid()) {
      span = binding->second.span;
    } else if (type && type->is(TypeKind::Int) && value.isInteger() &&
               !value.integer().fits(type->width, type->isSigned)) {
      error(span, "--params: '" + global.name + "' is " +
                      value.integer().str() + ", its type '" + type->str() +
                      "' has " + rangeOf(*type));
      return false;
    } else if (type && value.isInteger() && !tryCoerce(value, type, nullptr)) {
      error(decl.name().span,
            "--params: '" + global.name + "' is the integer " +
                value.integer().str() + ", its type is '" + type->str() +
                (type->is(TypeKind::Color)
                     ? "': give it as --colors=" + global.name + ":" +
                           value.integer().str()
                     : std::string("': a parameter of the command line is an "
                                   "integer, which the layout block can "
                                   "compare or convert")));
      return false;
    }
  } else if (decl.init()) {
    value = eval(*decl.init(), type);
    if (!value)
      return false;
  } else if (!decl.isVar()) {
    Diagnostic &diagnostic =
        report(decl.span(),
               "only 'var' and 'extern const' variables may be uninitialized");
    if (decl.isParam() && session.options.observations) {
      session.options.observations->addUnbound(decl.span());
      observe(decl.name().span, type, nullptr);
    }
    if (decl.isParam())
      note(diagnostic, decl.name().span,
           "parameter '" + global.name + "' is given no value by " +
               (type && type->is(TypeKind::Color) ? "--colors" : "--params") +
               ", @set_tile_code or "
               "@import_module, and has no default");
    return false;
  }
  if (value && type && !type->is(TypeKind::ComptimeStruct)) {
    value = coerce(value, type, span);
    if (!value)
      return false;
  }
  if (value && !value.isComptime()) {
    error(span,
          "the value of global '" + global.name + "' must be comptime-known");
    return false;
  }
  if (value && (!type || type->is(TypeKind::ComptimeStruct)))
    type = value.type();
  // A half of another format than running code's (ERR-026), used or not.
  const Type *element = type && type->isArray() ? type->element : type;
  if (global.isVar && program && element && element->isHalf() &&
      !convert(element, decl.span()))
    return false;
  global.type = type;
  global.value = value;
  if (global.isVar && (type->isVoid() || type->is(TypeKind::AnyOpaque))) {
    error(decl.span(), "variable '" + global.name + "' cannot be of type '" +
                           type->str() + "', which has no data");
    return false;
  }
  if (global.isVar && element && element->is(TypeKind::Int) &&
      element->width == 0) {
    error(decl.span(), "variable '" + global.name + "' of type '" +
                           type->str() +
                           "' has no data: integers that a PE stores have at "
                           "least one bit");
    return false;
  }
  if (global.isVar && type->isComptimeOnly()) {
    error(decl.span(), "variable '" + global.name + "' of type '" +
                           type->str() +
                           "' must be comptime-known: declare it const");
    return false;
  }
  if (!checkStorage(global))
    return false;
  if (decl.attributes().align && !evalAlign(*decl.attributes().align))
    return false;
  const Expr *section = decl.attributes().linkSection;
  return !section ||
         evalKnown(*section, "the name of a section", types.string());
}

std::optional<int64_t> Evaluator::evalAlign(const Expr &expr) {
  constexpr int64_t kMaxAlign = 1 << 15;
  std::optional<int64_t> align =
      evalKnownInt(expr, "an alignment", 1, kMaxAlign);
  if (align && !llvm::isPowerOf2_64(*align)) {
    error(expr.span(),
          "an alignment is a power of two, found " + llvm::Twine(*align));
    return std::nullopt;
  }
  return align;
}

//===----------------------------------------------------------------------===//
// Variables of the program
//===----------------------------------------------------------------------===//

/// Whether a value can be written down at a csl.var.
static bool isPlainElement(const Type *type) {
  return type->is(TypeKind::Int) || type->is(TypeKind::Bool) ||
         type->is(TypeKind::Float) || type->is(TypeKind::Enum) ||
         type->isId() || type->is(TypeKind::Direction);
}

void Evaluator::emitGlobal(Global &global) {
  if (global.emitted || !program)
    return;
  global.emitted = true;
  if (global.value.isFifo() && global.value.fifo() != &global) {
    emitGlobal(*global.value.fifo());
    return;
  }
  if (global.value.isFifo()) {
    // Made by @allocate_fifo.
    return;
  }
  if (global.isExtern)
    if (Global *definition = definitionOf(global)) {
      emitGlobal(*definition);
      global.symbol = definition->symbol;
      return;
    }
  const Type *type = global.type;
  const Type *element = type->isArray() ? type->element : type;
  mlir::Type converted = convert(element, global.span());
  if (!converted)
    return;
  llvm::SmallVector<int64_t> shape;
  if (type->isArray())
    shape.assign(type->shape.begin(), type->shape.end());
  auto memref = mlir::MemRefType::get(shape, converted);
  global.symbol = symbolFor(*global.module, global.name);

  mlir::OpBuilder::InsertionGuard guard(builder);
  // Attributes of the declaration.
  mlir::IntegerAttr align;
  mlir::StringAttr section, linkName, exportName;
  if (const VarDecl *decl = global.decl ? global.var() : nullptr) {
    Frame inner;
    inner.module = global.module;
    Saved<Frame *> savedFrame(frame, &inner);
    PhaseScope scope(*this, Phase::Initializer);
    if (decl->attributes().align)
      if (auto number = evalAlign(*decl->attributes().align))
        align = builder.getI64IntegerAttr(*number);
    if (decl->attributes().linkSection)
      if (Value text = evalKnown(*decl->attributes().linkSection,
                                 "the name of a section", types.string()))
        section = builder.getStringAttr(text.string());
    if (decl->attributes().linkName)
      if (Value text = evalKnown(*decl->attributes().linkName,
                                 "the name of a symbol", types.string()))
        linkName = builder.getStringAttr(text.string());
    if (decl->storage() == Storage::Export)
      exportName = builder.getStringAttr(global.name);
  }
  if (!global.exportName.empty())
    exportName = builder.getStringAttr(global.exportName);

  // The value, as far as it can be written down.
  mlir::ElementsAttr initial;
  bool storesRest = false;
  bool hasValue = global.value && !global.value.isVoid();
  if (hasValue && isPlainElement(element)) {
    llvm::SmallVector<mlir::Attribute> parts;
    auto addPart = [&](const Value &part) {
      if (part.isKnown()) {
        if (mlir::Attribute attribute = attributeOf(part)) {
          parts.push_back(attribute);
          return;
        }
      }
      storesRest = true;
      parts.push_back(attributeOf(element->is(TypeKind::Float)
                                      ? Value(element, 0.0)
                                      : Value(element, Integer(0))));
    };
    if (global.value.isAggregate())
      for (const Value &part : global.value.elements())
        addPart(part);
    else
      addPart(global.value);
    if (!parts.empty() && !llvm::is_contained(parts, mlir::Attribute())) {
      mlir::Type stored = llvm::cast<mlir::TypedAttr>(parts.front()).getType();
      bool isSplat = llvm::all_equal(parts);
      if (isSplat)
        parts.resize(1);
      initial = mlir::DenseElementsAttr::get(
          mlir::RankedTensorType::get(shape, stored), parts);
    }
  } else if (hasValue) {
    storesRest = true;
  }
  mlir::Block &body = program->op.getBody().front();
  if (program->lastVar)
    builder.setInsertionPointAfter(program->lastVar);
  else
    builder.setInsertionPointToStart(&body);
  bool isConstant =
      !global.isVar && !global.isExtern && !storesRest &&
      !(global.decl && session.isWritten(*global.module->file, global.name));
  bool isUnsigned = element->is(TypeKind::Int) && !element->isSigned;
  auto op =
      csl::VarOp::create(builder, session.location(global.span().Start),
                         isConstant, global.symbol, isUnsigned, memref, initial,
                         align, section, linkName, exportName, global.isExtern);
  program->lastVar = op;
  if (!storesRest || !hasValue)
    return;
  // The rest is stored before the program starts.
  builder.setInsertionPointToEnd(&program->comptime.getBody().front());
  PhaseScope scope(*this, Phase::Runtime);
  Frame inner;
  inner.module = global.module;
  Saved<Frame *> savedFrame(frame, &inner);
  LValue at = placeOfMemref(
      csl::GetVarOp::create(builder, loc(global.span()), memref, global.symbol),
      type, false);
  storeInitial(at, global.value, global.span());
}

void Evaluator::storeInitial(const LValue &place, const Value &value,
                             Span span) {
  if (!value)
    return;
  if (value.isAggregate() && !place.type->isPacked()) {
    const std::vector<Value> &parts = value.elements();
    if (place.type->isArray()) {
      bool isPlain = isPlainElement(place.type->element);
      for (size_t i = 0; i < parts.size(); ++i) {
        if (isPlain && parts[i].isKnown() && place.kind == LValue::Kind::Memref)
          continue; // already at the variable
        std::vector<Value> indices(place.type->shape.size());
        size_t rest = i;
        for (size_t d = indices.size(); d-- > 0;) {
          indices[d] = makeInt(types.u16(), rest % place.type->shape[d]);
          rest /= place.type->shape[d];
        }
        storeInitial(elementPlace(place, indices, span), parts[i], span);
      }
      return;
    }
    for (auto [field, part] : llvm::zip(place.type->fields, parts))
      if (part)
        storeInitial(fieldPlace(place, field.name, span), part, span);
    return;
  }
  write(place, value, span);
}

//===----------------------------------------------------------------------===//
// Imports
//===----------------------------------------------------------------------===//

static constexpr unsigned kMaxImportDepth = 64;

Value Evaluator::builtinImportModule(const BuiltinCall &call, const Type *) {
  if (!expectArgs(call, 1, 2))
    return Value();
  if (phase != Phase::Initializer || !initializing)
    return error(call.span(), "@import_module initialises a global constant");
  Value name = evalKnown(arg(call, 0), "the name of a module", types.string());
  if (!name)
    return Value();
  Value params;
  if (call.arguments().size() == 2) {
    params = eval(arg(call, 1));
    if (!params)
      return Value();
    if (!params.isAggregate() || !params.type()->isStruct())
      return error(arg(call, 1).span(),
                   "parameters of a module are given as a struct, found type "
                   "'" +
                       params.type()->str() + "'");
  }
  unsigned nesting = 0;
  for (ModuleInstance *m = frame->module; m; m = m->importer)
    if (++nesting > kMaxImportDepth)
      return error(call.span(), "modules import each other more than " +
                                    llvm::Twine(kMaxImportDepth) + " deep");
  std::vector<std::string> tried;
  bool isLibrary = false;
  std::string path =
      session.resolve(name.string(), frame->module->path, tried, isLibrary);
  if (path.empty()) {
    Diagnostic &diagnostic =
        report(arg(call, 0).span(), "module '" + name.string() + "' not found");
    for (const std::string &candidate : tried)
      note(diagnostic, arg(call, 0).span(), "tried '" + candidate + "'");
    if (std::string near = session.suggestModule(name.string()); !near.empty())
      note(diagnostic, arg(call, 0).span(), near);
    return Value();
  }
  const SourceFile *file = session.parse(path, call.span());
  if (!file)
    return Value();
  auto module = std::make_unique<ModuleInstance>();
  module->file = file;
  module->path = path;
  module->prefix = frame->module->prefix + initializing->name.str() + ".";
  module->isLibrary = isLibrary || frame->module->isLibrary;
  module->importer = frame->module;
  module->importSpan = call.span();
  if (params)
    for (auto [field, value] :
         llvm::zip(params.type()->fields, params.elements()))
      module->bindings[field.name] = {value, arg(call, 1).span()};
  ModuleInstance *result = module.get();
  frame->module->imports.push_back(std::move(module));
  declare(*result);
  return Value(types.simple(TypeKind::Module), result);
}

const SourceFile *Session::parse(llvm::StringRef path, Span from) {
  auto [entry, isNew] = files.try_emplace(path, nullptr);
  if (!isNew)
    return entry->second;
  llvm::Expected<FileId> file = sources.open(path);
  if (!file) {
    diagnostics.error(from, llvm::toString(file.takeError()));
    return nullptr;
  }
  if (options.observations)
    options.observations->addParsed(*file);
  const SourceFile *parsed =
      csl_source::parse(*file, sources, nodes, diagnostics);
  if (!parsed || parsed->hadErrors)
    return nullptr;
  entry->second = parsed;
  return parsed;
}

//===----------------------------------------------------------------------===//
// Whole modules
//===----------------------------------------------------------------------===//

/// Whether a declaration imports a module.
static bool isImport(const Decl &decl) {
  const auto *var = llvm::dyn_cast<VarDecl>(&decl);
  if (!var || !var->init())
    return false;
  bool found = false;
  std::function<void(const Node &)> visit = [&](const Node &node) {
    const auto *call = llvm::dyn_cast<BuiltinCall>(&node);
    found |= call && call->name().text == "import_module";
    if (!found)
      forEachChild(node, visit);
  };
  visit(*var->init());
  return found;
}

/// Whether a global means something to others, used or not: it imports a module
/// with its comptime blocks, is given a value by somebody, or is a symbol.
static bool isRoot(const ModuleInstance &module, const Global &global) {
  if (const auto *function = llvm::dyn_cast<FnDecl>(global.decl))
    return function->storage() != Storage::None;
  const VarDecl *var = global.var();
  if (!var)
    return false;
  return var->isParam() ? module.bindings.contains(global.name)
                        : var->storage() != Storage::None || isImport(*var);
}

/// Evaluates what is live by itself; the rest when it is used. A parameter
/// without a value, or a constant that could not have one, is no error as long
/// as no live code uses it.
void Evaluator::ensureRoots(ModuleInstance &module) {
  std::vector<Global *> all;
  for (auto &entry : module.globals)
    if (isRoot(module, *entry.second))
      all.push_back(entry.second.get());
  bool waited = false;
  for (Global *global : all) {
    if (global->state == Global::State::Failed)
      continue;
    if (program)
      program->waitsForBlocks = false;
    bool isFunction = llvm::isa<FnDecl>(global->decl);
    bool done = isFunction ? checkStorage(*global)
                           : ensure(*global, global->decl->span());
    if (!done && program && program->waitsForBlocks) {
      waited = true;
    } else if (!done && isFunction) {
      global->state = Global::State::Failed;
    }
  }
  if (waited)
    program->hasWaiting = true;
  else if (!module.isChecked)
    checkRepeated(module);
  module.isChecked |= !waited;
  for (size_t i = 0; i < module.imports.size(); ++i)
    ensureRoots(*module.imports[i]);
}

void Evaluator::observeUnused(ModuleInstance &module) {
  if (program)
    program->waitsForBlocks = false;
  for (auto &entry : module.globals) {
    Global &global = *entry.second;
    const VarDecl *var = global.var();
    if (global.state != Global::State::Untouched || !var)
      continue;
    session.diagnostics.demoteErrors([&] { ensure(global, var->span()); });
  }
  for (size_t i = 0; i < module.imports.size(); ++i)
    observeUnused(*module.imports[i]);
}

void Evaluator::runComptimeBlocks(ModuleInstance &module) {
  bool isDone = module.comptimeBlocksDone;
  module.comptimeBlocksDone = true;
  for (size_t i = 0; i < module.imports.size(); ++i)
    runComptimeBlocks(*module.imports[i]);
  if (isDone)
    return;
  for (const Decl *decl : module.file->decls) {
    const auto *block = llvm::dyn_cast<ComptimeDecl>(decl);
    if (!block)
      continue;
    Frame inner;
    inner.module = &module;
    Saved<Frame *> savedFrame(frame, &inner);
    PhaseScope scope(*this, Phase::TopComptime);
    depth = 0;
    left = false;
    eval(*block->body());
    left = false;
  }
}

void Evaluator::needExports() {
  if (phase == Phase::Runtime || program->roots.empty() ||
      program->roots.front()->comptimeBlocksDone)
    return;
  Saved<Frame *> savedFrame(frame, nullptr);
  Saved<Phase> savedPhase(phase, Phase::TopComptime);
  Saved<unsigned> savedDepth(depth, 0);
  Saved<bool> savedLeft(left, false);
  Saved<bool> savedTypeOf(inTypeOf, false);
  Saved<Global *> savedGlobal(initializing, nullptr);
  Saved<llvm::StringRef> savedName(declName, llvm::StringRef());
  runComptimeBlocks(*program->roots.front());
}

/// Functions and variables that others may name, used here or not.
void Evaluator::emitExported(ModuleInstance &module) {
  Frame inner;
  inner.module = &module;
  Saved<Frame *> savedFrame(frame, &inner);
  for (auto &entry : module.globals) {
    Global &global = *entry.second;
    if (const auto *function = llvm::dyn_cast<FnDecl>(global.decl)) {
      if (function->storage() == Storage::Export &&
          global.state != Global::State::Failed)
        emitFunction(FunctionRef{function, &module}, {}, function->span());
    } else if (global.var() && global.var()->storage() == Storage::Export &&
               ensure(global, global.decl->span())) {
      if (global.value.isFifo())
        error(global.decl->span(), "constant '" + global.name +
                                       "' is a FIFO, which cannot be exported");
      emitGlobal(global);
    }
  }
  for (auto &import : module.imports)
    emitExported(*import);
}

void Evaluator::runProgram(ModuleInstance &module) {
  declare(module);
  ensureRoots(module);
  runComptimeBlocks(module);
  if (program->hasWaiting) {
    ensureRoots(module);
    // Of modules that have been imported now.
    runComptimeBlocks(module);
  }
  emitExported(module);
  drainPending();
  llvm::StringMap<Global *> symbols;
  checkSymbols(module, symbols);
  if (session.options.observations)
    observeUnused(module);
}

void Evaluator::runLayoutModule(ModuleInstance &module,
                                const LayoutDecl &decl) {
  declare(module);
  {
    Frame inner;
    inner.module = &module;
    Saved<Frame *> savedFrame(frame, &inner);
    PhaseScope scope(*this, Phase::Layout);
    eval(*decl.body());
    left = false;
  }
  // out.json has the parameters that the layout had no use for.
  llvm::SmallVector<Global *> params;
  for (auto &entry : module.globals)
    if (const VarDecl *var = entry.second->var();
        var && var->isParam() &&
        (var->init() || module.bindings.contains(entry.first)))
      params.push_back(entry.second.get());
  for (Global *param : params)
    ensure(*param, param->decl->span());
  if (!session.options.observations)
    return;
  // A file that is a PE's code too is looked at when that is made, where its
  // globals may need what only a PE has. One file may be named in several ways.
  llvm::StringMap<bool> isThis;
  bool isCode = llvm::any_of(
      session.layout.tiles, [&](const std::optional<TileCode> &tile) {
        if (!tile)
          return false;
        auto [entry, isNew] = isThis.try_emplace(tile->path);
        if (isNew)
          entry->second = tile->path == module.path ||
                          llvm::sys::fs::equivalent(tile->path, module.path);
        return entry->second;
      });
  if (!isCode)
    observeUnused(module);
}
