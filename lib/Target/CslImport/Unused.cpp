//===- Unused.cpp - Declarations that nothing names -----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The program has nothing of them. Functions whose types are all said,
// constants and variables are evaluated all the same, and what is wrong in them
// is a warning: the pages of CSL leave only generic functions unchecked
// (CMP-029), and programs that people run have constants that would be errors.
// What may be there for another machine, or for a file that is not part of this
// program, is no reason to refuse it.
//
//===----------------------------------------------------------------------===//

#include "Unused.h"
#include "Evaluator.h"

using namespace sequin;
using namespace sequin::csl_import;
using namespace sequin::csl_source;

bool Session::isNamed(llvm::StringRef name) {
  if (namedPaths != files.size()) {
    namedPaths = files.size();
    std::function<void(const Node &)> visit = [&](const Node &node) {
      if (const auto *use = llvm::dyn_cast<NameExpr>(&node))
        namesUsed.insert(use->name());
      else if (const auto *member = llvm::dyn_cast<MemberExpr>(&node))
        namesUsed.insert(member->member().text);
      else if (const auto *text = llvm::dyn_cast<StringLiteral>(&node))
        namesUsed.insert(text->value()); // of @field
      forEachChild(node, visit);
    };
    for (const auto &entry : files)
      if (entry.second)
        for (const Decl *decl : entry.second->decls)
          visit(*decl);
  }
  return namesUsed.contains(name);
}

/// Whether the types of all parameters are written, and running code may call.
static bool isPlain(const FnDecl &decl) {
  return !decl.isTask() && decl.body() && decl.storage() == Storage::None &&
         decl.inlining() != Inlining::Inline &&
         llvm::none_of(decl.params(), [](const FnParam *param) {
           return param->isAnytype() || param->isComptime();
         });
}

/// What no file names and evaluation has not met.
static void collect(Session &session, ModuleInstance &module,
                    llvm::DenseSet<const Decl *> &known,
                    std::vector<Global *> &found) {
  if (module.isLibrary)
    return;
  for (auto &entry : module.globals) {
    Global &global = *entry.second;
    bool isUnused = false;
    if (const auto *function = llvm::dyn_cast<FnDecl>(global.decl))
      isUnused = isPlain(*function) && !session.evaluated.contains(function);
    else if (const VarDecl *var = global.var())
      // A parameter without a value is one that this program need not give.
      isUnused = global.state == Global::State::Untouched &&
                 (var->init() || !var->isParam());
    if (isUnused && !session.isNamed(global.name) &&
        known.insert(global.decl).second)
      found.push_back(&global);
  }
  for (const std::unique_ptr<ModuleInstance> &import : module.imports)
    collect(session, *import, known, found);
}

void Evaluator::checkUnused(Global &global) {
  const auto *decl = llvm::dyn_cast<FnDecl>(global.decl);
  if (!decl) {
    ensure(global, global.decl->span());
    return;
  }
  FunctionRef function{decl, global.module};
  Frame inner;
  inner.module = function.module;
  frame = &inner;
  const Type *type = functionType(function);
  auto isComptime = [](const Type *part) {
    return part->isComptimeOnly() || part->isRegister() ||
           part->is(TypeKind::Fifo) || part->is(TypeKind::Range);
  };
  // What running code cannot call is for comptime code.
  if (type && !isComptime(type->element) &&
      llvm::none_of(type->params, [&](const Type *param) {
        return isComptime(param) || param->isVoid();
      })) {
    emitFunction(function, {}, function.decl->name().span);
    drainPending();
  }
  frame = nullptr;
}

/// Runs `evaluate` on each declaration; the first error of each is a warning.
static void warnOf(Session &session, llvm::ArrayRef<Global *> unused,
                   llvm::function_ref<void(Global &)> evaluate) {
  uint64_t steps = session.steps;
  Diagnostics &diagnostics = session.diagnostics;
  std::vector<Diagnostic> before = diagnostics.all().vec(), warnings;
  for (Global *global : unused) {
    diagnostics.clear();
    session.refusedPlace = false;
    evaluate(*global);
    const Diagnostic *error =
        llvm::find_if(diagnostics.all(), [](const Diagnostic &diagnostic) {
          return diagnostic.severity == Severity::Error;
        });
    // A function that sets up the program has its place in comptime blocks.
    if (error == diagnostics.all().end() || session.refusedPlace)
      continue;
    warnings.push_back(*error);
    warnings.back().message =
        (llvm::isa<FnDecl>(global->decl)
             ? "in function '" + global->name + "', which nothing calls: "
             : "in the value of '" + global->name + "', which nothing uses: ")
            .str() +
        error->message;
  }
  diagnostics.clear();
  for (const std::vector<Diagnostic> *list : {&before, &warnings})
    for (const Diagnostic &diagnostic : *list) {
      Diagnostic &again =
          diagnostics.warning(diagnostic.span, diagnostic.message);
      again.loc = diagnostic.loc;
      again.notes = diagnostic.notes;
    }
  session.steps = steps;
}

void csl_import::warnOfUnused(Session &session, ModuleInstance &layout,
                              llvm::DenseSet<const Decl *> &known) {
  std::vector<Global *> unused;
  collect(session, layout, known, unused);
  // Functions of the layout are for comptime.
  llvm::erase_if(unused, [](const Global *global) {
    return llvm::isa<FnDecl>(global->decl);
  });
  warnOf(session, unused, [&](Global &global) {
    Evaluator(session, nullptr).checkUnused(global);
  });
}

void csl_import::warnOfUnused(Session &session, ProgramState &program,
                              llvm::DenseSet<const Decl *> &known) {
  std::vector<Global *> unused;
  for (const std::unique_ptr<ModuleInstance> &module : program.roots)
    collect(session, *module, known, unused);
  if (unused.empty())
    return;
  // All that evaluation leaves behind is taken back.
  mlir::Operation *used = program.op, *kept = used->clone();
  mlir::OpBuilder builder(&session.context);
  builder.setInsertionPointToEnd(&program.op.getBody().front());
  if (program.op.getOps<csl::ComptimeOp>().empty()) {
    program.comptime = csl::ComptimeOp::create(builder, used->getLoc());
    program.comptime.getBody().emplaceBlock();
  }
  auto params = program.params;
  auto factIndex = program.factIndex;
  size_t facts = program.facts.size();
  warnOf(session, unused, [&](Global &global) {
    Evaluator(session, &program).checkUnused(global);
  });
  program.facts.resize(facts);
  program.factIndex = std::move(factIndex);
  program.params = std::move(params);
  used->getBlock()->getOperations().insert(mlir::Block::iterator(used), kept);
  used->erase();
  program.op = llvm::cast<csl::ProgramOp>(kept);
  auto comptime = program.op.getOps<csl::ComptimeOp>();
  program.comptime = comptime.empty() ? csl::ComptimeOp() : *comptime.begin();
}
