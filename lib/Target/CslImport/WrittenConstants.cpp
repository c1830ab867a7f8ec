//===- WrittenConstants.cpp - Constants that DSD operations write ---------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The manual's own examples have constants as destinations (AMB-027):
// `const out = @zeros([4]f16); @fmovh(dsd_over_out, in);`. Such a constant is
// in memory, and running code has to read it there, not the value that it is
// declared with. Which ones these are is read off the text before any code is
// made: reads may come before the operation that writes.
//
//===----------------------------------------------------------------------===//

#include "Session.h"
#include "sequin/Support/DsdOps.h"
#include "llvm/ADT/StringSet.h"

using namespace sequin;
using namespace sequin::csl_import;
using namespace sequin::csl_source;

using Names = llvm::StringSet<>;

/// The variable that a place is in.
static llvm::StringRef rootOf(const Expr *place) {
  while (true) {
    if (const auto *index = llvm::dyn_cast<IndexExpr>(place))
      place = index->base();
    else if (const auto *member = llvm::dyn_cast<MemberExpr>(place))
      place = member->base();
    else
      break;
  }
  const auto *name = llvm::dyn_cast<NameExpr>(place);
  return name ? name->name() : llvm::StringRef();
}

namespace {
class Scan {
public:
  Names run(const SourceFile &file) {
    // A DSD may be made from another one that comes later in the file.
    for (size_t before = ~size_t(0); before != size();) {
      before = size();
      for (const Decl *decl : file.decls)
        findDsds(*decl);
    }
    for (const Decl *decl : file.decls)
      findWrites(*decl);
    return std::move(written);
  }

private:
  size_t size() const {
    size_t sum = 0;
    for (const auto &entry : bases)
      sum += entry.second.size();
    return sum;
  }

  /// What a DSD or pointer expression leads to.
  void collect(const Node &node, Names &out) {
    llvm::StringRef root;
    if (const auto *access = llvm::dyn_cast<csl_source::TensorAccess>(&node))
      root = rootOf(access->array());
    else if (const auto *unary = llvm::dyn_cast<UnaryExpr>(&node);
             unary && unary->op() == UnaryOp::AddressOf)
      root = rootOf(unary->operand());
    if (!root.empty()) {
      out.insert(root);
      return;
    }
    if (const auto *name = llvm::dyn_cast<NameExpr>(&node)) {
      if (auto known = bases.find(name->name()); known != bases.end())
        for (const auto &entry : known->second)
          out.insert(entry.getKey());
      return;
    }
    forEachChild(node, [&](const Node &child) { collect(child, out); });
  }

  void findDsds(const Node &node) {
    if (const auto *var = llvm::dyn_cast<VarDecl>(&node); var && var->init()) {
      Names leads;
      collect(*var->init(), leads);
      if (!leads.empty()) {
        Names &known = bases[var->name().text];
        for (const auto &entry : leads)
          known.insert(entry.getKey());
      }
    }
    forEachChild(node, [&](const Node &child) { findDsds(child); });
  }

  void findWrites(const Node &node) {
    if (const auto *call = llvm::dyn_cast<BuiltinCall>(&node);
        call && !call->arguments().empty()) {
      if (call->name().text == "map")
        collect(*call->arguments().back(), written);
      else if (parseDsdOpcode(call->name().text))
        collect(*call->arguments().front(), written);
    }
    forEachChild(node, [&](const Node &child) { findWrites(child); });
  }

  /// Of variables that hold DSDs or addresses: what they lead to.
  llvm::StringMap<Names> bases;
  Names written;
};
} // namespace

bool Session::isWritten(const SourceFile &file, llvm::StringRef name) {
  auto [entry, isNew] = writtenNames.try_emplace(&file);
  if (isNew)
    entry->second = Scan().run(file);
  return entry->second.contains(name);
}
