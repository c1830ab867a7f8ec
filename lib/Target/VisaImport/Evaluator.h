//===- Evaluator.h - Evaluates kernels while emitting them ------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A walk over the statements of a kernel and of the functions it calls, with
// all values but tensors' contents known. Its parts, a file each:
//
//   EvalTypes     types, generic parameters, mapping expressions
//   EvalExpr      names, literals, operators, aggregates
//   EvalControl   blocks, patterns, loops, calls of functions and closures
//   EvalPlain     methods of numbers, arrays, ranges and iterators
//   EvalLibrary   options, vectors, std::mem; generic parameters of structs
//   Methods       methods of the crate, which the Emitter turns into operations
//
// An expression is evaluated with the type that is expected of it, from which
// the `_` of its generic arguments follow, as in Rust from the outside in; for
// a `let` without a type, the uses of its name are looked at (LaterUses).
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_TARGET_VISAIMPORT_EVALUATOR_H
#define SEQUIN_LIB_TARGET_VISAIMPORT_EVALUATOR_H

#include "Context.h"
#include "Emitter.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/SaveAndRestore.h"

namespace sequin::visa_import {

/// How the evaluation of a statement ended.
enum class Flow : uint8_t { Next, Break, Continue, Return };

/// A call of a method or associated function of the crate.
struct ApiCall {
  const ast::ApiMethod *row = nullptr;
  /// The name in the source.
  Span place;
  Value receiver;
  std::vector<Value> args;
  std::vector<Span> argPlaces;
  /// What is written between `::<` and `>`, by the row's names.
  llvm::StringMap<TypeRef> types;
  llvm::StringMap<int64_t> constants;
  /// What is expected of the value.
  TypeRef expected;
};

class Evaluator {
public:
  Evaluator(const ast::Crates &program, const Reporter &reporter,
            AxisTable &axes, Emitter &emitter, uint64_t stepLimit)
      : program(program), reporter(reporter), axes(axes), emitter(emitter),
        release(program.release().value_or(ast::Releases::V01)),
        stepsLeft(stepLimit) {}

  /// The kernel has one cluster, and these of its slices: the rest of the chip
  /// is padding.
  void useSlices(int64_t slices, int64_t slicesPerCluster,
                 int64_t clustersPerChip) {
    grid = {slices, slicesPerCluster, clustersPerChip};
  }

  /// Runs a function with these arguments; the value, or an Error.
  Value run(const ast::FnItem &function, std::vector<Value> args);

  /// The type of a parameter outside of any call; null after an error.
  TypeRef evalParameterType(const ast::Type &type);
  /// A size of `axes!`; none after an error.
  std::optional<int64_t> evalAxisSize(const ast::Expr &size);

private:
  // EvalTypes
  TypeRef evalType(const ast::Type &type);
  TypeRef evalPathType(const ast::Path &path, Span place);
  TypeRef evalTensorType(StringRef name, const ast::Path &path);
  TypeRef evalGenericArg(const ast::GenericArg &arg);
  std::optional<std::string> evalMapping(const ast::Mapping *mapping);
  std::optional<Mapping> resolveMapping(StringRef text, Span place);
  /// A mapping of clusters or slices, on the whole chip; null after an error.
  TypeRef onWholeChip(StringRef parameter, const TypeRef &mapping, Span place);
  /// Binds what a function's or alias's generics are; false after an error.
  bool bindGenerics(const ast::Generics *generics,
                    const ast::GenericArgs *written, Frame &frame, Span place);
  /// Binds generic parameters that `pattern` has where `actual` has a type.
  void unify(const ast::Type &pattern, const TypeRef &actual, Frame &frame);
  void unifyArgs(const ast::Path &path, const TypeRef &actual, Frame &frame);
  void unifyAlias(const ast::TypeItem &alias, const ast::Path &path,
                  const TypeRef &actual, Frame &frame);
  void unifyMapping(const ast::Mapping &pattern, const TypeRef &actual,
                    Frame &frame);
  /// Reports a difference between what is written and what is there.
  bool checkConforms(const TypeRef &expected, const TypeRef &actual,
                     Span place);
  bool areEqual(const TypeRef &a, const TypeRef &b);

  // EvalExpr
  Value eval(const ast::Expr &expr, const TypeRef &expected = nullptr);
  Value evalPath(const ast::PathExpr &expr, const TypeRef &expected);
  Value evalItem(const ast::Item &item, const ast::Path &path, Span place);
  Value evalAssociated(const ast::Path &path, const ast::Meaning &meaning,
                       Span place);
  Value evalUnary(const ast::UnaryExpr &expr, const TypeRef &expected);
  Value evalBinary(const ast::BinaryExpr &expr, const TypeRef &expected);
  Value binary(ast::BinaryOp op, const Value &left, const Value &right,
               Span place);
  Value evalCast(const ast::CastExpr &expr);
  Value convert(const ast::CastExpr &expr, const Value &value);
  Value evalAssign(const ast::AssignExpr &expr);
  Value evalStruct(const ast::StructExpr &expr, const TypeRef &expected);
  Value evalField(const ast::FieldExpr &expr);
  Value evalIndex(const ast::IndexExpr &expr);
  Value evalMacro(const ast::MacroExpr &expr, const TypeRef &expected);
  Value evalRef(const ast::RefExpr &expr, const TypeRef &expected);
  /// What an assignment changes; null after an error.
  Slot evalPlace(const ast::Expr &expr);
  Value checkRange(Value number, Span place);
  std::optional<int64_t> evalInteger(const ast::Expr &expr);
  /// The value without `&`.
  static const Value &strip(const Value &value);
  TypeRef typeOf(const Value &value);

  // EvalControl
  Value evalBlock(const ast::BlockExpr &block, const TypeRef &expected);
  void evalLet(const ast::LetStmt &let, const ast::BlockExpr &block,
               size_t index, const TypeRef &blockType);
  Value evalIf(const ast::IfExpr &expr, const TypeRef &expected);
  Value evalMatch(const ast::MatchExpr &expr, const TypeRef &expected);
  Value evalFor(const ast::ForExpr &expr);
  Value evalWhile(const ast::Expr *condition, const ast::BlockExpr &body,
                  Span place);
  Value evalCall(const ast::CallExpr &expr, const TypeRef &expected);
  Value evalMethod(const ast::MethodCall &expr, const TypeRef &expected);
  Value callFunction(const ast::FnItem &function,
                     const ast::GenericArgs *generics, std::vector<Value> args,
                     std::shared_ptr<Frame> frame, Span place);
  Value callClosure(const Value &closure, std::vector<Value> args, Span place);
  const ast::FnItem *findMethod(const ast::Node &type, StringRef name);
  /// The only method of that name in the source; null if there are several.
  const ast::FnItem *findOnlyMethod(StringRef name);
  std::vector<Value> evalArgs(ast::List<ast::Expr> args,
                              const ast::FnItem *function, Frame *frame);
  /// A type in the frame of a function that is called; what of it is not known
  /// yet is null.
  TypeRef evalInCallee(const ast::Type &type, Frame &callee);
  /// Binds what a pattern names; false if the value is another.
  bool match(const ast::Pattern &pattern, const Value &value);
  /// The fields that a pattern names, of a struct or of the context.
  bool matchMembers(const ast::StructPattern &pattern, const Value &value);
  bool matchFields(const ast::Path &path, ast::List<ast::Pattern> patterns,
                   const Value &value);
  /// The type that a name of a `let` must have by its later uses.
  TypeRef findLaterType(const ast::NamePattern &name,
                        const ast::BlockExpr &block, size_t from,
                        const TypeRef &blockType);

  // EvalPlain
  std::optional<Value> callPlain(const ast::MethodCall &expr, const Value &self,
                                 const std::vector<Value> &args);
  Value callNumber(StringRef name, const Value &self,
                   const std::vector<Value> &args, Span place);
  Value callList(StringRef name, const Value &self,
                 const std::vector<Value> &args, Span place);
  /// The elements of an array or range; none after an error.
  std::optional<std::vector<Value>> elementsOf(const Value &value, Span place);

  // EvalLibrary
  std::optional<Value> callOption(const ast::MethodCall &expr,
                                  const Value &self,
                                  const std::vector<Value> &args);
  /// A method that changes the variable it is called of; none if it is another.
  std::optional<Value> changeInPlace(const ast::MethodCall &expr,
                                     const Value &self,
                                     const std::vector<Value> &args);
  /// A function of the standard library; none if it is another.
  std::optional<Value> callStandard(const ast::CallExpr &expr,
                                    const ast::Path &path, StringRef name,
                                    const TypeRef &expected);
  /// What the generic parameters of a struct are, by what is written or by the
  /// fields of a value; null after an error.
  std::shared_ptr<Frame> structArguments(const ast::Node *owner,
                                         const ast::GenericArgs *written,
                                         const Value *value, Span place);
  /// Binds the parameters of the `impl` that a function of a struct is in.
  void bindImpl(const ast::Item &member, const ast::Node *owner,
                const Frame &bound, Frame &into);
  /// A constant of a struct that has generic parameters.
  Value evalMember(const ast::ConstItem &constant, const ast::Node *owner,
                   const Frame &bound);

  // Methods
  Value callApi(const ast::MethodCall &expr, const Value &self,
                const TypeRef &expected);
  Value callApiFunction(const ast::CallExpr &expr, const ast::Path &path,
                        const ast::Meaning &meaning, const TypeRef &expected);
  /// A function that makes a number of its type; none if it is another.
  std::optional<Value> callScalar(const ast::CallExpr &expr,
                                  const ast::Path &path, StringRef name);
  bool readGenerics(ApiCall &call, const ast::GenericArgs *written);
  Value emitCall(ApiCall &call);

  Value fail(Span place, const llvm::Twine &message);
  bool spend(Span place);

  const ast::Crates &program;
  const Reporter &reporter;
  AxisTable &axes;
  Emitter &emitter;
  const ast::Releases release;
  struct PartOfChip {
    int64_t slices, slicesPerCluster, clustersPerChip;
  };
  std::optional<PartOfChip> grid;
  /// Mappings that onWholeChip() has made.
  llvm::StringSet<> widened;
  /// Inside of what the source marks as constant.
  bool inConstant = false;
  /// Inside of a type whose generic parameters follow from later values; and
  /// whether it named one that is not known.
  bool mayBeUnknown = false, isUnknown = false;
  uint64_t stepsLeft;
  bool outOfSteps = false;
  unsigned depth = 0;
  unsigned aliasDepth = 0;
  std::shared_ptr<Frame> frame = std::make_shared<Frame>();
  Flow flow = Flow::Next;
  Value flowValue;
  /// Axes whose sizes are being evaluated.
  llvm::DenseMap<const ast::ConstItem *, std::optional<Value>> constants;
  /// The `let` being evaluated, if it has no type.
  struct OpenLet {
    const ast::Expr *init = nullptr;
    const ast::NamePattern *name = nullptr;
    const ast::BlockExpr *block = nullptr;
    size_t index = 0;
    TypeRef blockType;
  };
  OpenLet openLet;
  llvm::DenseMap<const ast::Node *, std::vector<const ast::ImplItem *>> impls;
  bool hasImpls = false;
};

} // namespace sequin::visa_import

#endif // SEQUIN_LIB_TARGET_VISAIMPORT_EVALUATOR_H
