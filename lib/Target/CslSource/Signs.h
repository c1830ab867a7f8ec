//===- Signs.h - Which integers are signed ----------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dialect's integers have no sign, CSL's have. Values between which nothing
// depends on it (sums, copies, loads and the array they read) form a class; a
// class is what a variable or builtin says it is, otherwise what most
// operations on it ask for. Where an operation asks for the other, its operand
// is cast.
//
// `index` is no type of CSL. A value of it gets 16 bits if all values of its
// class that are `index` are known to fit, and 32 bits otherwise, as in the
// simulator. A coordinate or a counter that is never negative is a u16: as an
// index it costs nothing then.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_TARGET_CSLSOURCE_SIGNS_H
#define SEQUIN_LIB_TARGET_CSLSOURCE_SIGNS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "sequin/Dialect/Csl/IR/CslDialect.h"
#include <string>

namespace sequin::csl_to_source {

/// An integer type of CSL.
struct IntType {
  unsigned width = 16;
  bool isSigned = true;

  bool operator==(const IntType &) const = default;
  std::string str() const {
    return (isSigned ? "i" : "u") + std::to_string(width);
  }
  IntType withSign(bool sign) const { return {width, sign}; }
};

/// Whether values of `type` are integers, or places of integers, that have a
/// sign in CSL.
bool hasSign(mlir::Type type);

class Signs {
public:
  /// Looks at a whole program; `layout` may be null.
  Signs(csl::ProgramOp program, csl::LayoutOp layout);

  /// Of an integer or index value of more than one bit.
  IntType of(mlir::Value value) const;
  /// Of a value, or of what it points to or holds.
  bool isSigned(mlir::Value value) const;
  bool isSigned(csl::VarOp var) const;
  bool isSigned(csl::ParamOp param) const;
  bool isSigned(csl::StructType type, unsigned field) const;
  bool isSignedResult(mlir::FunctionOpInterface function,
                      unsigned result) const;

private:
  using Node = unsigned;
  struct Class {
    Node parent = 0;
    int votes = 0;
    std::optional<bool> fixed;
    bool onlyIndex = true;
    /// Of the members that are `index`.
    int64_t low = INT64_MAX, high = INT64_MIN;
  };

  Node node(mlir::Value value);
  Node node(mlir::Operation *symbol, unsigned part);
  Node node(csl::StructType type, unsigned field);
  Node find(Node node) const;
  std::optional<Node> lookup(mlir::Value value) const;
  void join(Node left, Node right);
  void join(mlir::Value left, mlir::Value right);
  void vote(mlir::Value value, bool isSigned);
  void fix(Node node, bool isSigned);
  bool resolve(Node node) const;

  void collect(mlir::Operation *op);
  void collectArith(mlir::Operation *op);
  void fixTyped(mlir::Operation *op);
  void collectCsl(mlir::Operation *op);
  void collectControl(mlir::Operation *op);
  void collectSymbols(csl::LayoutOp layout);
  void collectRanges();
  /// A literal takes the sign of what is beside it.
  static bool isLiteral(mlir::Value value);

  csl::ProgramOp program;
  /// While only pointers and what they point at are joined.
  bool joinsMemory = false;
  std::vector<Class> classes;
  llvm::DenseMap<mlir::Value, Node> values;
  std::map<std::pair<mlir::Operation *, unsigned>, Node> symbols;
  std::map<std::pair<const void *, unsigned>, Node> fields;
};

} // namespace sequin::csl_to_source

#endif // SEQUIN_LIB_TARGET_CSLSOURCE_SIGNS_H
