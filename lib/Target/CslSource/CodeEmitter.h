//===- CodeEmitter.h - Statements of CSL ------------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operations of one function, task or comptime block become statements.
//
// A value is one of
//   leaf      a name or literal, written wherever it is used
//   pending   an expression with one use in the same block, not written yet;
//             it goes into the statement that uses it
//   const     everything else gets a line `const name = expression;`
//
// CSL leaves the order of evaluation inside of an expression open. So of the
// pending values at most one does more than read memory, and then no other one
// reads; and before a statement that writes, those that may read what it
// writes get their line. What a loop carries lives in variables, which are
// memory in this respect.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_TARGET_CSLSOURCE_CODEEMITTER_H
#define SEQUIN_LIB_TARGET_CSLSOURCE_CODEEMITTER_H

#include "ProgramEmitter.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

namespace sequin::csl_to_source {

/// What evaluating an expression or statement does. A root is a variable of
/// the file or function; null is any of those whose address is known.
struct Effects {
  bool acts = false; ///< more than reads and writes: calls, fabric, volatile
  llvm::SmallVector<const void *, 2> reads, writes;

  void add(const Effects &other) {
    acts |= other.acts;
    reads.append(other.reads.begin(), other.reads.end());
    writes.append(other.writes.begin(), other.writes.end());
  }
  static Effects reading(const void *root) {
    Effects effects;
    effects.reads.push_back(root);
    return effects;
  }
  static Effects writing(const void *root) {
    Effects effects;
    effects.writes.push_back(root);
    return effects;
  }
  static Effects acting() {
    Effects effects;
    effects.acts = true;
    return effects;
  }
};

/// Longer expressions get a name.
inline constexpr size_t kInlineColumns = 64;

class CodeEmitter {
public:
  /// `isComptime`: a top-level comptime block, whose values are constants of
  /// the file and whose stores are initial values.
  CodeEmitter(ProgramEmitter &program, Text &out, const Names &outer,
              bool isComptime = false)
      : program(program), out(&out), names(&outer), isComptime(isComptime) {}

  /// The parameter list of a function or task.
  std::vector<Doc> takeParameters(mlir::Operation *function,
                                  mlir::Block::BlockArgListType arguments);
  /// The body of a function, task or comptime block.
  void emitBody(mlir::Region &body);

private:
  friend class GraphEmitter;
  struct Bound {
    Expression expression;
    Effects effects;
  };

  //===--- Values (CodeEmitter.cpp) ---===//
  Expression use(mlir::Value value);
  /// As an integer of another type.
  Expression use(mlir::Value value, IntType type);
  /// A pointer as one of `type`: what two pointers lead to may have signs that
  /// the host asked for.
  Expression usePointer(mlir::Value value, const std::string &type);
  static Expression castPointer(const Expression &pointer,
                                const std::string &type);
  /// An integer with the sign given, a pointer to such, or anything else.
  Expression useSigned(mlir::Value value, bool isSigned);
  /// The same, extended from `from`, whose sign counts.
  Expression useExtended(mlir::Value value, IntType from, IntType to);
  Expression convert(Expression expression, IntType from, IntType to);
  /// What `from` is, as what `to` stands for: the sign may be another one.
  Expression convert(const Expression &expression, mlir::Value from,
                     mlir::Value to);
  /// What is read from a place, whose sign may be another one.
  Expression loaded(const Expression &place, mlir::Value value, bool isSigned);
  /// With a type even if it is a literal.
  Expression useTyped(mlir::Value value);
  static Expression integerLiteral(const llvm::APInt &value, bool isSigned);
  /// By a name, as what `argument` stands for.
  Expression useFor(mlir::Value argument, mlir::Value value);
  /// By a name.
  Expression useNamed(mlir::Value value);
  void define(mlir::Value value, Expression expression,
              const Effects &own = {});
  void defineLeaf(mlir::Value value, Expression expression,
                  const Effects &effects = {});
  /// `const name = expression;`, and the name from now on.
  Expression bindConst(mlir::Value value, const Expression &expression,
                       const Effects &effects);
  void bindDoc(mlir::Value value, const Doc &doc);
  /// Forgets what use() has collected and returns it.
  Effects takeEffects();
  void statement(llvm::StringRef prefix, const Doc &doc, llvm::StringRef suffix,
                 const Effects &own);
  void assign(const Expression &target, const Expression &value,
              const Effects &own);
  /// Gives pending values their lines that `effects` must not overtake.
  void flush(const Effects &effects);
  void flushAll();
  bool conflict(const void *left, const void *right) const;
  bool overlaps(llvm::ArrayRef<const void *> left,
                llvm::ArrayRef<const void *> right) const;
  std::string freshName(mlir::Value value);
  IntType intType(mlir::Value value) { return program.signs.of(value); }
  std::string typeOf(mlir::Value value);
  void refuse(mlir::Operation *op, const llvm::Twine &reason) {
    program.refuse(op, reason);
  }

  //===--- Operations ---===//
  void emitBlock(mlir::Block &block);
  void emitOp(mlir::Operation &op);
  bool emitArith(mlir::Operation &op);
  bool emitMath(mlir::Operation &op);
  bool emitIntegerCast(mlir::Operation &op);
  void emitFloatCompare(mlir::Operation &op);
  bool emitMemory(mlir::Operation &op);
  bool emitAggregate(mlir::Operation &op);
  bool emitDescriptor(mlir::Operation &op);
  bool emitRegister(mlir::Operation &op);
  bool emitDsdOperation(mlir::Operation &op);
  bool emitBuiltin(mlir::Operation &op);
  bool emitTask(mlir::Operation &op);
  bool emitSetup(mlir::Operation &op);
  bool emitCall(mlir::Operation &op);

  // Memory (EmitMemory.cpp).
  bool isOnlyRead(mlir::BlockArgument memory) const;
  const void *rootOf(mlir::Value place) const;
  /// Of what reads `place`.
  Effects readingOf(mlir::Value place, mlir::Value read) const;
  /// Whether an array of several dimensions is declared with one.
  bool isFlat(mlir::Value memref) const;
  struct Index {
    Expression expression;
    IntType type;
  };
  Expression access(mlir::Value memref, llvm::ArrayRef<Index> indices);
  std::vector<Index> indices(mlir::ValueRange values);
  Index combine(Index left, llvm::StringRef op, Index right);
  static Index literalIndex(int64_t number);
  static Expression dereference(const Expression &pointer);
  static Expression indexed(const std::string &place,
                            llvm::ArrayRef<Expression> indices);
  static Expression addressOf(const std::string &place);

  // DSDs (EmitDsd.cpp).
  bool isKnown(mlir::Value value) const;
  Doc describe(mlir::Operation &op);
  Doc baseAddress(mlir::Value base);
  Doc options(csl::AsyncOpInterface op, std::vector<Doc> fields);
  std::string taskOrId(mlir::Value id);
  std::string descriptorName(mlir::Value value) const;

  // Control (EmitControl.cpp).
  bool emitControl(mlir::Operation &op);
  void emitReturn(mlir::Operation &op);
  /// An empty name drops a value.
  void assignTogether(llvm::ArrayRef<std::string> slotNames,
                      mlir::ValueRange values);
  std::string declareSlot(mlir::Value value, mlir::Value init);
  void bindSlot(mlir::Value value, const std::string &slot);
  /// A value that is used behind a loop around it and that `holder` holds goes
  /// into its variable in front of the loop.
  void saveEscaping(mlir::Value value, llvm::StringRef holder);
  const void *slotRoot(const std::string &slot) {
    return slots.insert({slot, true}).first->getKeyData();
  }
  /// Everything that waits gets its line, except `kept`.
  void flushUnless(mlir::ValueRange kept);
  /// `if (condition) yes else no`.
  Expression choose(mlir::Value result, mlir::Value condition, mlir::Value yes,
                    mlir::Value no);
  Expression variable(mlir::Value value, const std::string &type,
                      const Expression &expression);
  /// The type that an operation on two integers like `own` computes in, where
  /// their sign counts.
  IntType operandType(mlir::Operation &op, IntType own, bool isSigned);
  /// A variable, for an expression that the compiler knows for some
  /// parameters: it refuses what running code wraps.
  Expression hide(mlir::Value value, const Expression &expression);
  /// `left or right`, `left and right`.
  Expression connect(mlir::Value result, bool isOr, const Expression &left,
                     const Expression &right);
  /// Blocks that branch to each other (EmitGraph.cpp).
  void emitGraph(mlir::Region &body);
  Expression negate(mlir::Value condition);

  /// A store of a comptime block as the initial value of a variable.
  bool setInitial(mlir::Operation &op, mlir::Value place,
                  const Expression &value, mlir::ValueRange indices);

  ProgramEmitter &program;
  Text *out;
  Names names;
  bool isComptime;
  llvm::DenseMap<mlir::Value, Bound> leaves;
  llvm::MapVector<mlir::Value, Bound> pending;
  Effects current;
  /// Variables without an address, by name: roots that no pointer reaches.
  llvm::StringMap<bool> slots;
  llvm::DenseSet<const void *> privateRoots;
  llvm::StringMap<IntType> slotTypes;
  llvm::StringMap<std::string> slotPointers;
  /// Values of a loop that are used behind it, and their variables.
  llvm::DenseSet<mlir::Value> escaping;
  llvm::DenseMap<mlir::Value, std::string> escapeSlots;
};

} // namespace sequin::csl_to_source

#endif // SEQUIN_LIB_TARGET_CSLSOURCE_CODEEMITTER_H
