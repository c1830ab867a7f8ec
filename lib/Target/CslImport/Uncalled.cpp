//===- Uncalled.cpp - Functions that nothing calls ------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The program has no code of them. Those whose types are all said are evaluated
// all the same, and what is wrong in them is a warning: the pages of CSL leave
// only generic functions unchecked (CMP-029), and do not say what becomes of
// others. What may be there for another machine, or for a file that is not part
// of this program, is no reason to refuse it.
//
//===----------------------------------------------------------------------===//

#include "Uncalled.h"
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

static void collect(Session &session, ModuleInstance &module,
                    llvm::DenseSet<const FnDecl *> &known,
                    std::vector<FunctionRef> &found) {
  if (module.isLibrary)
    return;
  for (const Decl *decl : module.file->decls) {
    const auto *function = llvm::dyn_cast<FnDecl>(decl);
    if (function && isPlain(*function) &&
        !session.evaluated.contains(function) &&
        !session.isNamed(function->name().text) &&
        known.insert(function).second)
      found.push_back({function, &module});
  }
  for (const std::unique_ptr<ModuleInstance> &import : module.imports)
    collect(session, *import, known, found);
}

void Evaluator::checkUncalled(const FunctionRef &function) {
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

void csl_import::warnOfUncalled(Session &session, ProgramState &program,
                                llvm::DenseSet<const FnDecl *> &known) {
  std::vector<FunctionRef> functions;
  for (const std::unique_ptr<ModuleInstance> &module : program.roots)
    collect(session, *module, known, functions);
  if (functions.empty())
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
  uint64_t steps = session.steps;
  Diagnostics &diagnostics = session.diagnostics;
  std::vector<Diagnostic> before = diagnostics.all().vec(), warnings;
  for (const FunctionRef &function : functions) {
    diagnostics.clear();
    session.refusedPlace = false;
    Evaluator(session, &program).checkUncalled(function);
    const Diagnostic *error =
        llvm::find_if(diagnostics.all(), [](const Diagnostic &diagnostic) {
          return diagnostic.severity == Severity::Error;
        });
    // A function that sets up the program has its place in comptime blocks.
    if (error == diagnostics.all().end() || session.refusedPlace)
      continue;
    warnings.push_back(*error);
    warnings.back().message = "in function '" +
                              function.decl->name().text.str() +
                              "', which nothing calls: " + error->message;
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
  program.facts.resize(facts);
  program.factIndex = std::move(factIndex);
  program.params = std::move(params);
  used->getBlock()->getOperations().insert(mlir::Block::iterator(used), kept);
  used->erase();
  program.op = llvm::cast<csl::ProgramOp>(kept);
  auto comptime = program.op.getOps<csl::ComptimeOp>();
  program.comptime = comptime.empty() ? csl::ComptimeOp() : *comptime.begin();
}
