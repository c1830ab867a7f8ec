//===- Evaluator.cpp - Errors, places in the source, dispatch -------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"
#include "sequin/CslSource/Names.h"
#include "sequin/CslSource/Observations.h"
#include "sequin/Support/FormerRelease.h"

using namespace sequin;
using namespace sequin::csl_import;
using namespace sequin::csl_source;

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

/// Notes on calls and imports that lead to an error.
static constexpr unsigned kMaxContextNotes = 8;

bool Session::isInLibrary(Loc loc) const {
  return loc.isValid() && !options.libraryPath.empty() &&
         sources.path(sources.fileOf(loc)).starts_with(options.libraryPath);
}

/// The call or import in the user's text that led into the library; invalid if
/// there is none.
Span Evaluator::findUserOfLibrary() const {
  for (Frame *f = frame; f; f = f->caller)
    if (f->callSpan.isValid() && !session.isInLibrary(f->callSpan.Start))
      return f->callSpan;
  for (ModuleInstance *m = frame ? frame->module : nullptr; m; m = m->importer)
    if (m->importSpan.isValid() && !session.isInLibrary(m->importSpan.Start))
      return m->importSpan;
  return {};
}

Diagnostic &Evaluator::report(Span span, const llvm::Twine &message) {
  // What is wrong in the library is what was given to it.
  Span user;
  if (session.isInLibrary(span.Start))
    user = findUserOfLibrary();
  Diagnostic &diagnostic =
      session.diagnostics.error(user.isValid() ? user : span, message);
  unsigned notes = 0;
  if (user.isValid()) {
    Diagnostics::note(diagnostic, span, "in the library here");
    ++notes;
  }
  if (runtimeCall.isValid() && !session.isInLibrary(runtimeCall.Start))
    Diagnostics::note(diagnostic, runtimeCall,
                      "under this condition of running code both branches are "
                      "compiled; with 'comptime' before it only the one that "
                      "is taken");
  for (Frame *f = frame; f && notes < kMaxContextNotes; f = f->caller)
    if (f->callSpan.isValid() && f->function.decl &&
        f->callSpan.Start != user.Start) {
      Diagnostics::note(diagnostic, f->callSpan,
                        "in '" + f->function.decl->name().text +
                            "', called here");
      ++notes;
    }
  for (ModuleInstance *m = frame ? frame->module : nullptr;
       m && m->importSpan.isValid() && notes < kMaxContextNotes;
       m = m->importer) {
    if (m->importSpan.Start == user.Start)
      continue;
    Diagnostics::note(diagnostic, m->importSpan, "module imported here");
    ++notes;
  }
  return diagnostic;
}

Value Evaluator::error(Span span, const llvm::Twine &message) {
  report(span, message);
  return Value();
}

void Evaluator::warn(Span span, const llvm::Twine &message) {
  // What the library does is not the user's to change.
  if (frame && frame->module && frame->module->isLibrary)
    return;
  session.diagnostics.warning(span, message);
}

void Evaluator::warnFormer(Span span, const llvm::Twine &form,
                           llvm::StringRef until, llvm::StringRef since,
                           const llvm::Twine &instead) {
  warn(span, describeFormer(form, until, since, instead));
}

void Evaluator::sayFormer(const llvm::Twine &form, llvm::StringRef until,
                          llvm::StringRef since, const llvm::Twine &instead) {
  ModuleInstance *module = frame->module;
  while (session.isInLibrary(module->importSpan.Start) && module->importer)
    module = module->importer;
  session.diagnostics.warning(module->importSpan,
                              describeFormer(form, until, since, instead));
}

void Evaluator::note(Diagnostic &to, Span span, const llvm::Twine &message) {
  Diagnostics::note(to, span, message);
}

mlir::Location Session::location(Loc loc) {
  if (!loc.isValid())
    return mlir::UnknownLoc::get(&context);
  LineColumn place = sources.lineColumn(loc);
  return mlir::FileLineColLoc::get(&context, sources.path(sources.fileOf(loc)),
                                   place.line, place.column);
}

mlir::Location Evaluator::loc(Span span) {
  mlir::Location result = session.location(span.Start);
  for (Frame *f = frame; f && f->isInline && f->callSpan.isValid();
       f = f->caller)
    result =
        mlir::CallSiteLoc::get(result, session.location(f->callSpan.Start));
  // What a library sets up comes from the import that asked for it.
  if (phase == Phase::TopComptime && frame && frame->module &&
      frame->module->isLibrary) {
    const ModuleInstance *module = frame->module;
    while (module->importer && module->importer->isLibrary)
      module = module->importer;
    if (module->importSpan.isValid())
      result = mlir::CallSiteLoc::get(
          result, session.location(module->importSpan.Start));
  }
  return result;
}

bool Evaluator::step(Span span) {
  ++session.steps;
  if (session.steps == session.stepLimit) {
    if (session.options.observations)
      session.options.observations->stopped = span.Start;
    error(span, "compiling this takes more than " +
                    llvm::Twine(session.options.comptimeStepLimit) +
                    " steps of evaluation, which is the limit");
    return false;
  }
  if (session.steps > session.stepLimit)
    return false;
  if (made.operations > kMostOperations) {
    // Once; nothing is evaluated after it.
    session.stepLimit = 0;
    error(span, "the program has more than " + llvm::Twine(kMostOperations) +
                    " operations here, far more than a PE has memory for; make "
                    "loops that are not inlined");
    return false;
  }
  char here;
  if (reinterpret_cast<uintptr_t>(&here) < session.stackLimit) {
    error(span, "calls and expressions are nested too deeply here");
    return false;
  }
  return true;
}

/// A part of what a variable holds that has more bits than running code has in
/// a number: an integer, or a packed struct, which is one.
static const Type *findTooWide(const Type *type) {
  if (type->isArray())
    return findTooWide(type->element);
  if (type->is(TypeKind::Int) || type->isPacked())
    return type->bits() > 64 ? type : nullptr;
  if (type->isStruct())
    for (const Type::Field &field : type->fields)
      if (const Type *found = findTooWide(field.type))
        return found;
  return nullptr;
}

mlir::Type Evaluator::convert(const Type *type, Span span) {
  if (type->isError())
    return {};
  if (type->is(TypeKind::Float) && type->isHalf() && type != types.fp16()) {
    error(span, "variable of type '" + type->str() +
                    "' must be comptime-known; the fp16 format of running "
                    "code is '" +
                    types.fp16()->str() + "'");
    return {};
  }
  const Type *element = type->isArray() ? type->element : type;
  if (element->is(TypeKind::Int) && element->width == 0) {
    error(span, "a value of type '" + type->str() +
                    "' has no data: integers of running code have at least one "
                    "bit");
    return {};
  }
  if (const Type *wide = findTooWide(type)) {
    std::string where = wide == type ? "" : " (part of '" + type->str() + "')";
    if (wide->isPacked())
      error(span,
            "packed " + std::string(wide->isUnion ? "union" : "struct") + " '" +
                wide->str() + "'" + where + " has " +
                llvm::Twine(wide->bits()) +
                " bits; running code has up to 64 in one, as in an integer: "
                "without 'packed' each field stands in memory by itself");
    else
      error(span, "integer '" + wide->str() + "'" + where +
                      " must be comptime-known; integers of running code have "
                      "up to 64 bits");
    return {};
  }
  mlir::Type result = convert(type);
  if (!result)
    error(span, "value of type '" + type->str() +
                    "' must be comptime-known, running code cannot hold it");
  return result;
}

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

Value Evaluator::eval(const Expr &expr, const Type *hint) {
  if (left || !step(expr.span()))
    return Value();
  Value value = evalInner(expr, hint);
  if (session.options.observations)
    observe(expr.span(), value.type(), &value);
  return value;
}

Value Evaluator::evalInner(const Expr &expr, const Type *hint) {
  switch (expr.kind()) {
  case NodeKind::ErrorExpr:
    return Value();
  case NodeKind::IntLiteral:
    return Value(types.comptimeInt(),
                 Integer(llvm::cast<IntLiteral>(expr).value()));
  case NodeKind::FloatLiteral:
    return Value(types.comptimeFloat(), llvm::cast<FloatLiteral>(expr).value());
  case NodeKind::CharLiteral:
    return makeInt(types.comptimeInt(), llvm::cast<CharLiteral>(expr).value());
  case NodeKind::StringLiteral:
    return Value(types.string(), llvm::cast<StringLiteral>(expr).value().str());
  case NodeKind::BoolLiteral:
    return makeBool(llvm::cast<BoolLiteral>(expr).value());
  case NodeKind::NameExpr:
    return evalName(llvm::cast<NameExpr>(expr));
  case NodeKind::ParenExpr:
    return eval(*llvm::cast<ParenExpr>(expr).operand(), hint);
  case NodeKind::UnaryExpr:
    return evalUnary(llvm::cast<UnaryExpr>(expr), hint);
  case NodeKind::BinaryExpr:
    return evalBinary(llvm::cast<BinaryExpr>(expr), hint);
  case NodeKind::ComptimeExpr: {
    const Expr &operand = *llvm::cast<ComptimeExpr>(expr).operand();
    Value value = evalComptime(operand, hint);
    // Nothing is asked of a symbolic value: it is known at every PE.
    if (phase == Phase::Runtime && value && !inTypeOf && !value.isComptime())
      return error(operand.span(),
                   "a value of type '" + value.type()->str() +
                       "' must be comptime-known after 'comptime', this one "
                       "is computed by running code");
    return value;
  }
  case NodeKind::IndexExpr:
    return evalIndex(llvm::cast<IndexExpr>(expr));
  case NodeKind::CallExpr:
    return evalCall(llvm::cast<CallExpr>(expr));
  case NodeKind::BuiltinCall:
    return evalBuiltin(llvm::cast<BuiltinCall>(expr), hint);
  case NodeKind::MemberExpr:
    return evalMember(llvm::cast<MemberExpr>(expr));
  case NodeKind::DerefExpr: {
    LValue target = evalPlace(expr, /*forWrite=*/false);
    return read(target, expr.span());
  }
  case NodeKind::StructInit:
    return evalStructInit(llvm::cast<StructInit>(expr), hint);
  case NodeKind::ListInit:
    return evalListInit(llvm::cast<ListInit>(expr), hint);
  case NodeKind::TensorAccess:
    return evalTensorAccess(llvm::cast<csl_source::TensorAccess>(expr));
  case NodeKind::BlockExpr:
    return evalBlock(llvm::cast<BlockExpr>(expr), hint);
  case NodeKind::IfExpr:
    return evalIf(llvm::cast<IfExpr>(expr), hint);
  case NodeKind::SwitchExpr:
    return evalSwitch(llvm::cast<SwitchExpr>(expr), hint);
  case NodeKind::ForExpr:
    return evalFor(llvm::cast<ForExpr>(expr));
  case NodeKind::WhileExpr:
    return evalWhile(llvm::cast<WhileExpr>(expr));
  case NodeKind::ReturnExpr:
    return evalReturn(llvm::cast<ReturnExpr>(expr));
  case NodeKind::BreakExpr:
    return evalBreak(llvm::cast<BreakExpr>(expr));
  case NodeKind::ContinueExpr:
    return evalContinue(llvm::cast<ContinueExpr>(expr));
  case NodeKind::AssignExpr:
    return evalAssign(llvm::cast<AssignExpr>(expr));
  case NodeKind::AsmExpr:
    return evalAsm(llvm::cast<AsmExpr>(expr));
  case NodeKind::PointerType: {
    const auto &type = llvm::cast<PointerType>(expr);
    const Type *pointee = evalType(*type.pointee());
    if (!pointee)
      return Value();
    if (pointee->is(TypeKind::Function) && !type.isConst())
      return error(expr.span(), "a pointer to a function is '*const " +
                                    pointee->str() + "'");
    if (pointee->isComptimeOnly() && !pointee->is(TypeKind::Function))
      return error(expr.span(), "'" + pointee->str() +
                                    "' is a comptime-only type, whose values "
                                    "have no address");
    if (type.isMany() && pointee->isArray())
      return error(expr.span(), "'[*]' points to elements, which are no "
                                "arrays; found '" +
                                    pointee->str() + "'");
    return makeType(types.pointer(pointee, type.isMany(), type.isConst()));
  }
  case NodeKind::ArrayType:
    return evalArrayType(llvm::cast<ArrayType>(expr));
  case NodeKind::FnType:
    return evalFnType(llvm::cast<FnType>(expr));
  case NodeKind::StructType:
    return evalStructType(llvm::cast<StructType>(expr));
  case NodeKind::EnumType:
    return evalEnumType(llvm::cast<EnumType>(expr));
  default:
    return error(expr.span(), "this is no expression");
  }
}

Value Evaluator::evalComptime(const Expr &expr, const Type *hint) {
  if (isComptime())
    return eval(expr, hint);
  PhaseScope scope(*this, Phase::Comptime);
  return eval(expr, hint);
}

static bool callsFunctions(const Node &node) {
  bool found = llvm::isa<CallExpr>(node);
  forEachChild(
      node, [&](const Node &child) { found = found || callsFunctions(child); });
  return found;
}

Value Evaluator::evalAsKnown(const Expr &expr, const Type *hint) {
  return callsFunctions(expr) ? evalComptime(expr, hint) : eval(expr, hint);
}

/// The first part of a value that running code computes.
static bool hasRuntimePart(const Value &value) { return !value.isComptime(); }

Value Evaluator::evalKnown(const Expr &expr, const llvm::Twine &what,
                           const Type *type) {
  Value value = evalAsKnown(expr, type);
  // A jump in the place of a value has left already.
  if (!value || value.type()->is(TypeKind::NoReturn))
    return Value();
  value = known(value, expr.span(), what, &expr);
  if (!value || !type)
    return value;
  return coerce(value, type, expr.span());
}

/// The call of a function that gives an expression its value; null if it is
/// made of something else.
static const CallExpr *findCall(const Expr *expr) {
  expr = expr->ignoreParens();
  if (const auto *call = llvm::dyn_cast<CallExpr>(expr))
    return call;
  if (const auto *builtin = llvm::dyn_cast<BuiltinCall>(expr))
    for (const Expr *argument : builtin->arguments())
      if (const CallExpr *call = findCall(argument))
        return call;
  return nullptr;
}

Value Evaluator::known(const Value &value, Span span, const llvm::Twine &what,
                       const Expr *text) {
  if (!value)
    return value;
  if (hasRuntimePart(value)) {
    Diagnostic &diagnostic =
        report(span, what + " must be comptime-known, this value of type '" +
                         value.type()->str() + "' is computed by running code");
    if (const CallExpr *call = text ? findCall(text) : nullptr) {
      llvm::StringRef callee = SourceManager::textOf(call->callee()->span());
      note(diagnostic, call->span(),
           "this call is one of running code; 'comptime " + callee +
               "(...)' is made when the program is compiled");
    }
    return Value();
  }
  return concretize(value);
}

std::optional<int64_t> Evaluator::evalKnownInt(const Expr &expr,
                                               const llvm::Twine &what,
                                               int64_t least,
                                               int64_t greatest) {
  Value value = evalKnown(expr, what);
  if (!value)
    return std::nullopt;
  if (!value.isInteger() || !value.type()->isInteger()) {
    error(expr.span(),
          what + " is an integer, found type '" + value.type()->str() + "'");
    return std::nullopt;
  }
  std::optional<int64_t> number = value.integer().small();
  if (!number || *number < least || *number > greatest) {
    error(expr.span(), what + " is " + value.integer().str() +
                           ", allowed are " + llvm::Twine(least) + " to " +
                           llvm::Twine(greatest));
    return std::nullopt;
  }
  return number;
}

const Type *Evaluator::typeOf(const Expr &expr) {
  bool savedFlag = inTypeOf;
  inTypeOf = true;
  const Type *result = nullptr;
  // Nor do its jumps lead anywhere.
  llvm::SmallVector<std::pair<size_t, size_t>> ways;
  if (frame)
    for (const Target *target : frame->targets)
      ways.emplace_back(target->exits.ways.size(),
                        target->continues.ways.size());
  if (!program) {
    result = eval(expr).type();
  } else {
    // What would run is emitted into blocks that are thrown away.
    mlir::OpBuilder::InsertionGuard guard(builder);
    mlir::Block *origin = builder.getInsertionBlock();
    mlir::Region scratch;
    builder.createBlock(&scratch);
    variables.enter(&scratch.front(), origin);
    PhaseScope scope(*this, Phase::Runtime);
    result = eval(expr).type();
    variables.forget(scratch);
  }
  if (frame)
    for (auto [target, count] : llvm::zip(frame->targets, ways)) {
      target->exits.ways.truncate(count.first);
      target->continues.ways.truncate(count.second);
    }
  left = false;
  inTypeOf = savedFlag;
  return result && !result->isError() ? result : nullptr;
}
