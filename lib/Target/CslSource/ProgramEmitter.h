//===- ProgramEmitter.h - One program as a file of CSL ----------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_TARGET_CSLSOURCE_PROGRAMEMITTER_H
#define SEQUIN_LIB_TARGET_CSLSOURCE_PROGRAMEMITTER_H

#include "Names.h"
#include "Signs.h"
#include "Text.h"
#include "sequin/Target/CslSource/EmitSource.h"
#include "llvm/ADT/StringMap.h"

namespace sequin::csl_to_source {

/// What all files of a module share.
struct ModuleInfo {
  csl::TargetAttr target;
  csl::LayoutOp layout; ///< null if the module has none
  const ValueNames &names;
};

/// A literal: decimal, `-` before it where the type has a sign.
std::string spellInteger(const llvm::APInt &value, bool isSigned);
/// The shortest decimal that becomes `value` again; std::nullopt for what has
/// no literal (infinities, NaN).
std::optional<std::string> spellFloat(const llvm::APFloat &value);
std::string spellPriority(csl::Priority priority);
/// `.{ .name = true }`.
std::string spellChoice(llvm::StringRef name);

/// `.{ .rx = .{ WEST }, ... }`: the fourth argument of @set_color_config.
Doc spellColorConfig(csl::RoutesAttr routes, csl::SwitchesAttr switches,
                     csl::FilterAttr filter, bool teardown);

/// Writes one program. What functions need from outside of themselves (types,
/// ids, DSDs known before the start, library modules) is collected here and
/// stands before them in the file.
class ProgramEmitter {
public:
  ProgramEmitter(csl::ProgramOp program, const ModuleInfo &info);

  /// Failure after errors.
  mlir::LogicalResult run();
  std::string str() const;

  /// The CSL name of a parameter, and how the layout gives its value.
  std::string getParamName(csl::ParamOp param) const {
    return paramNames.lookup(param);
  }
  bool usesMemcpy() const { return memcpy; }
  llvm::StringRef getMemcpyParam() const { return paramsName; }
  /// The CSL type of a parameter: enums are given as integers.
  std::string getParamType(csl::ParamOp param);

  /// `@get_color(3)`: where no constant is declared.
  std::string spellIdInPlace(mlir::Type type, int64_t number);
  /// The same of a number that is `text`.
  std::string spellIdBuiltin(mlir::Type type, const std::string &text);

  //===--- For the code of functions ---===//

  /// Reports that CSL has no words for `op`.
  void refuse(mlir::Operation *op, const llvm::Twine &reason);
  /// A value has no expression: an error, unless there was one already.
  void expectFailure(mlir::Value value);
  /// The type as CSL spells it; `isSigned` is about the integers in it.
  std::string typeName(mlir::Operation *at, mlir::Type type, bool isSigned);
  std::string typeName(mlir::Operation *at, mlir::Value value);
  /// The name of a var, param, fifo, function or task.
  std::string nameOf(mlir::Operation *symbol);
  mlir::Operation *lookup(mlir::FlatSymbolRefAttr name);
  /// An id by number.
  std::string idOf(mlir::Type type, int64_t number);
  /// A constant of the file by what it is: one name for equal ones.
  std::string constantOf(const Doc &value, llvm::StringRef wish,
                         bool isId = false);
  /// The id that a task is bound to; empty, with an error, if none.
  std::string boundIdOf(mlir::Operation *at, mlir::FlatSymbolRefAttr task);
  /// The name of an imported library module: "math".
  std::string library(llvm::StringRef name);
  std::string sysModule();
  std::string registerAddress(llvm::StringRef name, uint16_t address);
  /// The name that the source of this module or NameLoc has for a value.
  std::string wishFor(mlir::Value value) const;
  /// What @export_symbol and @get_symbol_id take for an array.
  std::string exportedName(mlir::Operation *symbol);
  /// Whether an array of several dimensions is declared as one of rank 1,
  /// because the host's pointer to it is to one of rank 1.
  bool isFlat(mlir::Operation *var) const { return pointerNames.contains(var); }
  /// Whether what the host knows by the name is declared `var`, which the
  /// layout has to say of the name too (RPC-007); false for arrays.
  bool isVariable(llvm::StringRef exported) const {
    return variableNames.contains(exported);
  }
  /// A name for a local of `scope`; no constant of the file takes it later.
  std::string takeLocal(Names &scope, llvm::StringRef wish);
  std::string literal(mlir::Operation *at, mlir::Attribute value,
                      mlir::Type type, bool isSigned);

  /// What a comptime block stores in a place of a variable: an element, which
  /// is 0 where there is but one, and then numbers of fields and elements.
  void setInitial(csl::VarOp var, const std::vector<int64_t> &path,
                  const Expression &value) {
    initials[var][path] = value;
  }

  csl::ProgramOp program;
  const ModuleInfo &info;
  Signs signs;
  Names globals;

private:
  void collectNames();
  void collectExports();
  bool isConst(csl::VarOp var) const {
    return var.getConstant() || unchanged.contains(var);
  }
  void emitParams();
  void emitVar(csl::VarOp var);
  /// The initial value at a place; null if nothing says it.
  std::optional<Doc> initialOf(csl::VarOp var, mlir::Type type, bool isSigned,
                               std::vector<int64_t> &path);
  void emitFifo(csl::FifoOp fifo);
  void emitFunction(mlir::FunctionOpInterface function);
  std::string structName(mlir::Operation *at, csl::StructType type);
  std::string enumName(csl::EnumType type);

  std::string takeGlobal(llvm::StringRef wish);

  bool failed = false;
  llvm::StringSet<> localNames, variableNames;
  /// Variables that the host only reads, and nobody writes; pointers to arrays
  /// that the host may write.
  llvm::DenseSet<mlir::Operation *> unchanged, mutablePointers;
  bool memcpy = false;
  llvm::DenseMap<mlir::Operation *, std::string> symbolNames;
  llvm::DenseMap<mlir::Operation *, std::string> pointerNames, paramNames;
  llvm::DenseMap<mlir::Type, std::string> typeNames;
  std::map<std::pair<const void *, int64_t>, std::string> idNames, idWishes;
  llvm::StringMap<std::string> constants, libraries;
  std::string memcpyName, paramsName;
  using Initials = std::map<std::vector<int64_t>, Expression>;
  llvm::DenseMap<mlir::Operation *, Initials> initials;

  Text params, imports, types, ids, variables, fifos, descriptors, code,
      comptime;
};

} // namespace sequin::csl_to_source

#endif // SEQUIN_LIB_TARGET_CSLSOURCE_PROGRAMEMITTER_H
