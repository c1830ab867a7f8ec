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
// made: reads may come before the operation that writes, and the DSD may have
// come there through a variable, a parameter or a result of any file. Names
// are taken for the same if they may be: a constant too many in memory costs a
// load.
//
//===----------------------------------------------------------------------===//

#include "Session.h"
#include "sequin/Support/DsdOps.h"
#include "llvm/ADT/StringSet.h"

using namespace sequin;
using namespace sequin::csl_import;
using namespace sequin::csl_source;

using Names = llvm::StringSet<>;

namespace {
/// A name as a file says it: "2:name" what file 2 declares, ":name" what some
/// other file or a field has.
std::string nameIn(size_t file, llvm::StringRef name) {
  return std::to_string(file) + ":" + name.str();
}
std::string nameAnywhere(llvm::StringRef name) { return ":" + name.str(); }

class Scan {
public:
  explicit Scan(llvm::ArrayRef<const SourceFile *> files) : files(files) {
    for (file = 0; file < files.size(); ++file)
      for (const Decl *decl : files[file]->decls)
        if (const auto *function = llvm::dyn_cast<FnDecl>(decl)) {
          functions[nameIn(file, decl->name().text)].emplace_back(file,
                                                                  function);
          functions[nameAnywhere(decl->name().text)].emplace_back(file,
                                                                  function);
        }
  }

  Names run() {
    // A DSD may be made from another one that comes later.
    for (bool grows = true; grows;) {
      grown = false;
      for (file = 0; file < files.size(); ++file)
        for (const Decl *decl : files[file]->decls)
          findDsds(*decl, llvm::dyn_cast<FnDecl>(decl));
      grows = grown;
    }
    for (file = 0; file < files.size(); ++file)
      for (const Decl *decl : files[file]->decls)
        findWrites(*decl);
    return std::move(written);
  }

private:
  /// The field that `@field(module, "name")` says.
  static llvm::StringRef fieldOf(const Node &node) {
    const auto *builtin = llvm::dyn_cast<BuiltinCall>(&node);
    if (!builtin || builtin->name().text != "field" ||
        builtin->arguments().size() != 2)
      return {};
    const auto *text =
        llvm::dyn_cast<StringLiteral>(builtin->arguments()[1]->ignoreParens());
    return text ? text->value() : llvm::StringRef();
  }

  /// Registers of one kind, which programs number: "@dsr_dest".
  static std::string registersOf(const Node &node) {
    const auto *builtin = llvm::dyn_cast<BuiltinCall>(&node);
    if (!builtin || builtin->name().text != "get_dsr" ||
        builtin->arguments().empty())
      return {};
    const auto *kind =
        llvm::dyn_cast<NameExpr>(builtin->arguments()[0]->ignoreParens());
    return kind ? ("@" + kind->name()).str() : std::string();
  }

  /// The variable that a place is in: of this file, or of a module.
  std::string rootOf(const Expr *place) {
    while (true) {
      place = place->ignoreParens();
      if (const auto *index = llvm::dyn_cast<IndexExpr>(place)) {
        place = index->base();
      } else if (const auto *deref = llvm::dyn_cast<DerefExpr>(place)) {
        place = deref->pointer();
      } else if (const auto *member = llvm::dyn_cast<MemberExpr>(place)) {
        // `module.array`, or a field of a variable.
        if (llvm::isa<NameExpr>(member->base()->ignoreParens()))
          return nameAnywhere(member->member().text);
        place = member->base();
      } else if (llvm::StringRef field = fieldOf(*place); !field.empty()) {
        return nameAnywhere(field);
      } else {
        break;
      }
    }
    const auto *name = llvm::dyn_cast<NameExpr>(place);
    return name ? nameIn(file, name->name()) : std::string();
  }

  void addKnown(llvm::StringRef name, Names &out) {
    if (auto known = bases.find(name); known != bases.end())
      for (const auto &entry : known->second)
        out.insert(entry.getKey());
  }

  /// What a variable, parameter, field or function leads to.
  void addBases(llvm::StringRef name, Names &out) {
    addKnown(name, out);
    llvm::StringRef plain = name.substr(name.find(':') + 1);
    if (!name.starts_with(":"))
      return addKnown(nameAnywhere(plain), out);
    for (size_t other = 0; other < files.size(); ++other)
      addKnown(nameIn(other, plain), out);
  }

  /// What a DSD or pointer expression leads to.
  void collect(const Node &node, Names &out) {
    std::string root;
    if (const auto *access = llvm::dyn_cast<csl_source::TensorAccess>(&node))
      root = rootOf(access->array());
    else if (const auto *unary = llvm::dyn_cast<UnaryExpr>(&node);
             unary && unary->op() == UnaryOp::AddressOf)
      root = rootOf(unary->operand());
    if (!root.empty()) {
      out.insert(root);
      addBases(root, out);
      return;
    }
    if (const auto *name = llvm::dyn_cast<NameExpr>(&node))
      return addBases(nameIn(file, name->name()), out);
    if (const auto *member = llvm::dyn_cast<MemberExpr>(&node))
      addBases(nameAnywhere(member->member().text), out);
    if (llvm::StringRef field = fieldOf(node); !field.empty())
      addBases(nameAnywhere(field), out);
    if (std::string registers = registersOf(node); !registers.empty()) {
      out.insert(registers);
      addKnown(registers, out);
    }
    forEachChild(node, [&](const Node &child) { collect(child, out); });
  }

  void lead(llvm::StringRef name, const Node &to) {
    Names leads;
    collect(to, leads);
    if (leads.empty())
      return;
    Names &known = bases[name];
    for (const auto &entry : leads)
      grown |= known.insert(entry.getKey()).second;
  }

  void findDsds(const Node &node, const FnDecl *within) {
    if (const auto *var = llvm::dyn_cast<VarDecl>(&node); var && var->init()) {
      lead(nameIn(file, var->name().text), *var->init());
    } else if (const auto *assign = llvm::dyn_cast<AssignExpr>(&node)) {
      if (std::string root = rootOf(assign->target()); !root.empty())
        lead(root, *assign->value());
    } else if (const auto *result = llvm::dyn_cast<ReturnExpr>(&node);
               result && result->value() && within) {
      lead(nameIn(file, within->name().text), *result->value());
    } else if (const auto *init = llvm::dyn_cast<StructInit>(&node)) {
      for (const FieldInit &field : init->fields())
        if (field.value)
          lead(nameAnywhere(field.name.text), *field.value);
    } else if (const auto *call = llvm::dyn_cast<CallExpr>(&node)) {
      const Expr *callee = call->callee()->ignoreParens();
      std::string name;
      if (const auto *plain = llvm::dyn_cast<NameExpr>(callee))
        name = nameIn(file, plain->name());
      else if (const auto *member = llvm::dyn_cast<MemberExpr>(callee))
        name = nameAnywhere(member->member().text);
      auto pass = [&](size_t home, const FnDecl &function) {
        for (auto [param, argument] :
             llvm::zip(function.params(), call->arguments()))
          lead(nameIn(home, param->name().text), *argument);
      };
      if (auto found = functions.find(name); found != functions.end()) {
        for (auto [home, function] : found->second)
          pass(home, *function);
      } else {
        // By another name or a pointer: any that takes so many.
        for (const auto &entry : functions)
          if (!entry.getKey().starts_with(":"))
            for (auto [home, function] : entry.second)
              if (function->params().size() == call->arguments().size())
                pass(home, *function);
      }
    } else if (const auto *loop = llvm::dyn_cast<ForExpr>(&node)) {
      lead(nameIn(file, loop->element()->name().text), *loop->iterable());
    } else if (const auto *builtin = llvm::dyn_cast<BuiltinCall>(&node);
               builtin && builtin->name().text == "load_to_dsr" &&
               builtin->arguments().size() > 1) {
      // What is done to the register is done to the DSD, by any name of the
      // register or of another one of its kind.
      const Expr *target = builtin->arguments()[0]->ignoreParens();
      if (const auto *plain = llvm::dyn_cast<NameExpr>(target))
        lead(nameIn(file, plain->name()), *builtin->arguments()[1]);
      Names registers;
      collect(*target, registers);
      for (const auto &entry : registers)
        if (entry.getKey().starts_with("@"))
          lead(entry.getKey(), *builtin->arguments()[1]);
    }
    forEachChild(node, [&](const Node &child) { findDsds(child, within); });
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

  llvm::ArrayRef<const SourceFile *> files;
  size_t file = 0; ///< being looked at
  bool grown = false;
  llvm::StringMap<llvm::SmallVector<std::pair<size_t, const FnDecl *>, 1>>
      functions;
  /// Of what holds DSDs or addresses: what they lead to.
  llvm::StringMap<Names> bases;
  Names written;
};
} // namespace

bool Session::isWritten(const SourceFile &file, llvm::StringRef name) {
  if (scannedPaths != files.size()) {
    scannedPaths = files.size();
    for (const auto &entry : files)
      if (entry.second && !llvm::is_contained(scannedFiles, entry.second))
        scannedFiles.push_back(entry.second);
    writtenNames = Scan(scannedFiles).run();
  }
  size_t index = llvm::find(scannedFiles, &file) - scannedFiles.begin();
  return writtenNames.contains(nameIn(index, name)) ||
         writtenNames.contains(nameAnywhere(name));
}
