//===- Evaluator.h - Runs comptime, emits the rest --------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One walk over the syntax tree does both: what is comptime-known is computed,
// what is not becomes operations at the builder. Calls of functions that are
// not inline make functions of the dialect, one per specialisation, when they
// are first met.
//
// Where running code decides, blocks are emitted: one per place that control
// can reach, with branches between them. Variables of running code are SSA
// values (SsaVariables.h); one whose address is taken, and every array and
// struct, lives in memory. The ways to one place (Join) are collected while
// what leads there is evaluated; its block is made when all are known.
//
// The methods of the class are spread over the files by subject:
//   Evaluator.cpp    errors, places, names, constants
//   EvalExpr.cpp     literals, operators' operands, members, types
//   EvalControl.cpp  blocks, if, switch
//   EvalJump.cpp     jumps, and where ways meet
//   EvalLoop.cpp     loops
//   EvalCall.cpp     functions
//   EvalPlace.cpp    variables, assignment, pointers
//   Coerce.cpp, Operators.cpp, Symbolic.cpp, Materialize.cpp
//   Globals.cpp      modules and their globals
//   Observe.cpp      types and values for editors
//   Builtins*.cpp    builtins
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_TARGET_CSLIMPORT_EVALUATOR_H
#define SEQUIN_LIB_TARGET_CSLIMPORT_EVALUATOR_H

#include "Session.h"
#include "SsaVariables.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "sequin/Support/DsdOps.h"
#include "llvm/ADT/StringSet.h"
#include <deque>
#include <functional>
#include <map>

namespace sequin::csl_import {

using csl_source::BinaryOp;
using csl_source::BuiltinCall;
using csl_source::Expr;
using csl_source::FnDecl;
using csl_source::Span;
using csl_source::UnaryOp;

/// Where an evaluation happens, which decides what builtins may do.
enum class Phase : uint8_t {
  Layout,      ///< the layout block
  TopComptime, ///< a top-level comptime block of a PE's code
  Initializer, ///< of a global
  Comptime,    ///< any other comptime evaluation
  Runtime,     ///< code that a PE runs
};

/// A variable, constant or parameter of a function being evaluated.
struct Local {
  enum class Kind : uint8_t {
    Const,    ///< never assigned: any value
    Comptime, ///< assigned while compiling
    Ssa,      ///< assigned by running code: `variable`
    Memory,   ///< at `memory`
  };
  llvm::StringRef name;
  Kind kind = Kind::Const;
  Value value; ///< of an SSA variable the first one
  const Type *type = nullptr;
  mlir::Value memory; ///< a memref
  SsaVariables::Variable variable = 0;
  Span span;
  bool isConst = false; ///< not to be assigned by the program
  /// Branches and loops of running code around the declaration (CMP-006).
  unsigned depth = 0;
  /// Of a comptime variable: Session::assignments when it was last assigned.
  uint64_t assigned = 0;
  /// Running code decides which of its values a comptime variable has.
  bool isUncertain = false;
};

/// A way to a place that others may lead to.
struct Way {
  /// Where it comes from, if there is code. Its end is open, or the branch
  /// there has the place's block as `successor` already.
  mlir::Block *from = nullptr;
  std::optional<unsigned> successor;
  Value value; ///< that it brings along
  /// Evaluator::depth and Session::assignments where it begins.
  unsigned depth = 0;
  uint64_t assignments = 0;
};

/// A place of the program, while the ways to it are collected. In comptime
/// code, which the compiler follows, there is at most one. Evaluator::close
/// makes the block, if it takes one.
struct Join {
  llvm::SmallVector<Way, 1> ways;
  /// If a branch needed it before.
  mlir::Block *block = nullptr;
};

/// What a jump leaves or goes round.
struct Target {
  enum class Kind : uint8_t { Function, Block, Loop };
  Kind kind = Kind::Block;
  llvm::StringRef label;
  Join exits, continues;
  /// What values are coerced to, if known; the type of one that was seen.
  const Type *type = nullptr, *seen = nullptr;
  bool hasValue = false;
  Span span;
};

/// A call under evaluation.
struct Frame {
  FunctionRef function;
  ModuleInstance *module = nullptr;
  Frame *caller = nullptr;
  Span callSpan;
  /// Expanded into the caller: locations are call sites.
  bool isInline = false;
  std::deque<Local> locals;
  std::vector<Target *> targets;
  /// Names of variables whose address is taken; with `.` behind the name that
  /// of a part, which is elsewhere if the variable is a pointer.
  llvm::StringSet<> addressTaken;

  bool isAddressTaken(llvm::StringRef name, const Type *type) const {
    return addressTaken.contains(name) ||
           (!type->isPointer() && addressTaken.contains((name + ".").str()));
  }
};

/// A place to assign to or take the address of, or a value without a place.
struct LValue {
  enum class Kind : uint8_t {
    Error,
    Value,   ///< `value`: read only
    Local,   ///< `local`, and within it `path`
    Memref,  ///< `memref`, one element of it if it has `indices`
    Address, ///< behind `address`, a !csl.ptr
    Known,   ///< behind `value`, a known pointer to a global
    Packed,  ///< `field` of the packed struct at `container`
    Discard, ///< `_`
  };
  Kind kind = Kind::Error;
  Value value;
  Global *constant = nullptr; ///< of which `value` is the value
  Local *local = nullptr;
  std::vector<unsigned> path; ///< fields and elements, outermost first
  mlir::Value memref, address;
  llvm::SmallVector<mlir::Value, 2> indices;
  std::shared_ptr<LValue> container;
  std::string field;
  const Type *type = nullptr;
  bool isConst = false;
};

/// A color that @set_local_color_config configured.
struct LocalConfig {
  Span span;
  bool hasFilter = false;
};

/// The code of some PEs being made: one csl.program.
struct ProgramState {
  csl::ProgramOp op;
  csl::ComptimeOp comptime;
  llvm::StringSet<> symbols;
  /// Specialisation -> function or task.
  llvm::StringMap<mlir::Operation *> functions;
  /// Symbolic parameters: name -> value at each PE of the group, and the PE
  /// that the evaluation is for.
  struct Param {
    const Type *type = nullptr;
    std::shared_ptr<const std::vector<Value>> values;
    /// The type of its csl.param, when there is one.
    const Type *carrier = nullptr;
  };
  llvm::StringMap<Param> params;
  size_t peCount = 0, representative = 0;
  /// Where the PEs of the group are: y * width + x.
  std::shared_ptr<const std::vector<int64_t>> pes;
  /// Least and greatest value of expressions over the PEs of the group.
  std::shared_ptr<llvm::StringMap<std::pair<Integer, Integer>>> ranges =
      std::make_shared<llvm::StringMap<std::pair<Integer, Integer>>>();
  /// What was asked about symbolic values, with the answers: the code is that
  /// of every PE that answers the same.
  std::vector<std::pair<Value, Value>> facts;
  llvm::StringMap<unsigned> factIndex;
  /// Large expressions that have no value at the representative.
  size_t withoutValue = 0;
  std::vector<std::unique_ptr<ModuleInstance>> roots;
  std::map<int64_t, LocalConfig> localConfigs;
  /// The highest color whose filter's number was asked for.
  int64_t lastFilterAsked = -1;
  /// The global under evaluation asks for what comptime blocks decide, which
  /// have not begun: it is evaluated when one of them needs it, or after them.
  bool waitsForBlocks = false;
  bool hasWaiting = false; ///< some global does
  llvm::StringMap<Span> exportedNames;
  /// What @export_symbol advertised, with its id: the place of the name among
  /// those of the layout.
  struct Advertised {
    Global *global = nullptr;
    FunctionRef function;
    int64_t id = 0;
  };
  std::vector<Advertised> advertised;
  /// Configuration registers that comptime code wrote.
  std::map<int64_t, Value> registers;
  /// Constant arrays that running code indexes, by their Value::key().
  llvm::StringMap<std::unique_ptr<Global>> tables;
  mlir::Operation *lastVar = nullptr;
  /// Functions whose bodies are yet to be emitted.
  std::deque<std::function<void()>> pending;

  /// A state with the same parameters and nothing made yet.
  ProgramState copyForInstance() const {
    ProgramState copy;
    copy.params = params;
    copy.peCount = peCount;
    copy.pes = pes;
    copy.ranges = ranges;
    return copy;
  }
};

class Evaluator {
public:
  Evaluator(Session &session, ProgramState *program)
      : session(session), types(session.types), program(program),
        builder(&session.context, &made) {}

  /// Evaluates a layout block into session.layout.
  void runLayoutModule(ModuleInstance &module,
                       const csl_source::LayoutDecl &decl);
  /// Makes the whole program of `module` in `program`.
  void runProgram(ModuleInstance &module);

  // Modules (Globals.cpp).
  void declare(ModuleInstance &module);
  /// Evaluates a global if that was not done; false after an error.
  bool ensure(Global &global, Span use);
  /// The variable in the program, emitted if need be.
  void emitGlobal(Global &global);
  /// Evaluates a function as if it were called, or a variable, for its errors.
  void checkUnused(Global &global);

  /// The concrete value of an expression over parameters at a PE.
  Value evaluateAt(const Value &value, size_t pe);
  /// What a value is stored as; null if it is not known or no number.
  mlir::Attribute attributeOf(const Value &value);

private:
  friend class PhaseScope;
  friend class SetupScope;

  //===--- Errors, places ------------------------------------------------===//
  /// Reports and returns an error value. Adds where the code was instantiated.
  Value error(Span span, const llvm::Twine &message);
  csl_source::Diagnostic &report(Span span, const llvm::Twine &message);
  Span findUserOfLibrary() const;
  void warn(Span span, const llvm::Twine &message);
  /// Warns of a form that only former releases take (FormerRelease.h).
  void warnFormer(Span span, const llvm::Twine &form, llvm::StringRef until,
                  llvm::StringRef since, const llvm::Twine &instead);
  /// The same of what the library was given, at the place that imports it.
  void sayFormer(const llvm::Twine &form, llvm::StringRef until,
                 llvm::StringRef since, const llvm::Twine &instead);
  void note(csl_source::Diagnostic &to, Span span, const llvm::Twine &message);
  mlir::Location loc(Span span);
  /// Counts a step of evaluation; false, with an error, if there were too many.
  bool step(Span span);
  /// Notes the type of a place of the source and, unless `value` is null, the
  /// value. To be called only if the options ask for observations.
  void observe(Span span, const Type *type, const Value *value);
  std::string observedValue(const Value &value);
  /// As observe(), of a variable, at the name of its declaration.
  void observeLocal(const Local &local, Span name);
  bool isComptime() const { return phase != Phase::Runtime; }
  Value makeVoid() { return Value(types.voidType()); }
  Value makeBool(bool value) { return Value(types.boolType(), Integer(value)); }
  Value makeInt(const Type *type, int64_t value) {
    return Value(type, Integer(value));
  }
  Value makeType(const Type *type) { return Value(types.typeType(), type); }
  Value makeRuntime(const Type *type, mlir::Value value) {
    return Value(type, value);
  }
  mlir::Type convert(const Type *type) {
    return types.convert(type, &session.context);
  }
  /// With an error if running code cannot have the type.
  mlir::Type convert(const Type *type, Span span);

  //===--- Expressions ---------------------------------------------------===//
  Value eval(const Expr &expr, const Type *hint = nullptr);
  Value evalInner(const Expr &expr, const Type *hint);
  Value evalName(const csl_source::NameExpr &expr);
  Value evalMember(const csl_source::MemberExpr &expr);
  Value getMember(const Value &base, llvm::StringRef name, Span span);
  Value evalIndex(const csl_source::IndexExpr &expr);
  Value evalUnary(const csl_source::UnaryExpr &expr, const Type *hint);
  Value evalBinary(const csl_source::BinaryExpr &expr, const Type *hint);
  Value evalShortCircuit(const csl_source::BinaryExpr &expr);
  Value evalStructInit(const csl_source::StructInit &expr, const Type *hint);
  Value evalListInit(const csl_source::ListInit &expr, const Type *hint);
  Value evalTensorAccess(const csl_source::TensorAccess &expr);
  const Type *evalType(const Expr &expr);
  Value evalArrayType(const csl_source::ArrayType &expr);
  Value evalStructType(const csl_source::StructType &expr);
  Value evalEnumType(const csl_source::EnumType &expr);
  Value evalFnType(const csl_source::FnType &expr);
  Value evalAsm(const csl_source::AsmExpr &expr);
  /// Evaluates while compiling.
  Value evalComptime(const Expr &expr, const Type *hint = nullptr);
  /// What a builtin takes as comptime-known: calls in it are made while
  /// compiling, as for a comptime parameter.
  Value evalAsKnown(const Expr &expr, const Type *hint = nullptr);
  /// A comptime value; error naming `what` if it is not known.
  Value evalKnown(const Expr &expr, const llvm::Twine &what,
                  const Type *type = nullptr);
  /// The number of `align(n)`, a power of two.
  std::optional<int64_t> evalAlign(const Expr &expr);
  std::optional<int64_t> evalKnownInt(const Expr &expr, const llvm::Twine &what,
                                      int64_t least, int64_t greatest);
  /// The type of an expression that is not executed.
  const Type *typeOf(const Expr &expr);

  //===--- Control -------------------------------------------------------===//
  Value evalBlock(const csl_source::BlockExpr &expr, const Type *hint);
  void evalStatements(llvm::ArrayRef<const csl_source::Stmt *> statements);
  void evalDecl(const csl_source::VarDecl &decl);
  Value evalIf(const csl_source::IfExpr &expr, const Type *hint,
               bool isStatement = false);
  Value evalSwitch(const csl_source::SwitchExpr &expr, const Type *hint,
                   bool isStatement = false);
  Value evalFor(const csl_source::ForExpr &expr);
  Value evalWhile(const csl_source::WhileExpr &expr);
  /// A loop that running code goes round. `condition` gives a bool, `next` is
  /// what comes between two rounds.
  void emitLoop(Target &target, Span span,
                llvm::function_ref<Value()> condition,
                llvm::function_ref<void()> body,
                llvm::function_ref<void()> next);
  /// Iterations of a loop over a range, and the values of the range.
  struct TripCount {
    mlir::Value start, step, count; ///< null where there is no range, or error
    bool isUnsigned = false;        ///< the count may need all 32 bits
    bool isLong = false;            ///< start and step have the element's type
  };
  TripCount longTripCount(const Type *element, const Value &range, Span span);
  TripCount tripCount(const LValue &iterable, const Value &range, Span span);
  void emitFor(const csl_source::ForExpr &expr, Target &target,
               const LValue &iterable,
               llvm::function_ref<void(Value, Value)> bind);
  /// After the body of a loop that the compiler goes round; whether there is a
  /// next round.
  bool endRound(Target &target);
  Value evalReturn(const csl_source::ReturnExpr &expr);
  Value evalBreak(const csl_source::BreakExpr &expr);
  Value evalContinue(const csl_source::ContinueExpr &expr);
  Value evalAssign(const csl_source::AssignExpr &expr);
  /// A jump from here; nothing is evaluated behind it.
  void leave(Target &target, bool isContinue, Value value, Span span);
  /// Emits both ways of a condition; returns the value of the taken one. A way
  /// without code of its own is null, and has the value `direct`.
  Value emitBranch(mlir::Value condition, Span span, const Type *hint,
                   bool isVoid, llvm::function_ref<Value()> yes,
                   llvm::function_ref<Value()> no, const Value &direct);
  mlir::Block *makeBlock();
  /// Goes on in `block`, which becomes the last one.
  void startBlock(mlir::Block *block);
  /// Control goes from here to `join`, and no further here.
  void goTo(Join &join, const Value &value);
  /// The same by the branch that ends this block.
  void branchTo(Join &join, unsigned successor, const Value &value);
  /// Goes on where the ways to `join` meet; nothing is evaluated there if there
  /// are none. Returns the value that they brought along: of `type`, or one
  /// that all coerce to, if possible `hint`.
  Value close(Join &join, Span span, const Type *type = nullptr,
              const Type *hint = nullptr);
  /// The same without the blocks: fills what each way gives for the argument
  /// of the type that is returned, or returns a value that needs none.
  Value joinValues(llvm::ArrayRef<Way> ways, const Type *type, const Type *hint,
                   Span span, llvm::SmallVectorImpl<mlir::Value> &operands);
  const Type *findJoinType(llvm::ArrayRef<Way> ways, const Type *hint,
                           Span span);
  /// Ends a target whose body was evaluated and goes on behind it.
  void leaveLoop(Target &target);
  /// Whether a local variable may have the name; reports if not.
  bool mayDeclare(llvm::StringRef name, Span span);
  bool tryCoerceQuiet(const Value &value, const Type *type);
  Target *findTarget(llvm::StringRef label, bool loopsOnly);
  size_t beginScope() { return frame->locals.size(); }
  void endScope(size_t mark);
  Local &addLocal(llvm::StringRef name, Span span);
  /// What a variable of comptime or an SSA variable holds here.
  Value valueOf(const Local &local);
  /// Moves a local's value to memory of its own, where it has an address.
  void keepInMemory(Local &local, Span span,
                    std::optional<int64_t> align = std::nullopt);

  //===--- Functions -----------------------------------------------------===//
  Value evalCall(const csl_source::CallExpr &expr);
  Value call(const Value &callee, llvm::ArrayRef<const Expr *> arguments,
             Span span);
  Value callFunction(const FunctionRef &function,
                     llvm::ArrayRef<const Expr *> arguments, Span span);
  Value callPointer(const Value &callee, llvm::ArrayRef<const Expr *> arguments,
                    Span span);
  /// Runs the body in a frame of its own, here.
  Value expand(Frame &inner, const Type *result, Span span);
  bool evalBody(const FnDecl &decl, const Type *result, Target &target);
  Value emitCall(const FunctionRef &function, llvm::ArrayRef<Value> values,
                 const Type *result, Span span);
  /// The function in the program, for the arguments of a call or (without
  /// them) of its own; null after an error.
  mlir::Operation *emitFunction(const FunctionRef &function,
                                llvm::ArrayRef<Value> arguments, Span span);
  csl::TaskOp emitTask(const FunctionRef &function, csl::TaskKind kind,
                       Span span);
  void emitBody(const FunctionRef &function, std::vector<Value> bound,
                mlir::Operation *op, const Type *result, Span span);
  const Type *resultType(const FunctionRef &function, Frame &inner);
  /// Of a function without generic parameters.
  const Type *functionType(const FunctionRef &function);
  std::string symbolFor(ModuleInstance &module, llvm::StringRef name);

  //===--- Places --------------------------------------------------------===//
  LValue evalPlace(const Expr &expr, bool forWrite);
  LValue findPlace(const Expr &inner, bool forWrite);
  LValue placeOfGlobal(Global &global, Span span);
  /// Whether running code reads a constant from memory.
  bool isInMemory(const Global &global);
  LValue placeAt(const Value &pointer, Span span);
  LValue placeOfValue(Value value);
  LValue placeOfMemref(mlir::Value memref, const Type *type, bool isConst);
  Value read(const LValue &place, Span span);
  void write(const LValue &place, Value value, Span span);
  Value addressOf(const LValue &place, Span span);
  Value readKnown(const PointerValue &pointer, Span span);
  /// An SSA pointer to the place; null if it has none.
  mlir::Value addressValue(const LValue &place, Span span);
  mlir::Value allocate(const Type *type, Span span,
                       std::optional<int64_t> align = std::nullopt);
  mlir::Value indexValue(const Value &value, Span span);
  LValue elementPlace(LValue base, llvm::ArrayRef<Value> indices, Span span);
  LValue runtimeElement(const LValue &base, llvm::ArrayRef<Value> indices,
                        Span span);
  LValue fieldPlace(LValue base, llvm::StringRef name, Span span);
  std::vector<Value> evalIndices(llvm::ArrayRef<const Expr *> exprs);
  bool checkIndices(const Type *array, llvm::ArrayRef<Value> indices,
                    Span span);

  //===--- Types of values -----------------------------------------------===//
  /// As `type`, or an error value with an error.
  Value coerce(Value value, const Type *type, Span span);
  /// Without an error: an error value if it cannot be done; `why` says more.
  Value tryCoerce(const Value &value, const Type *type, std::string *why);
  Value coerceStruct(const Value &value, const Type *type, std::string *why);
  bool isPointerCoercible(const Type *from, const Type *to);
  /// A type that both coerce to; null if there is none.
  const Type *peer(const Value &left, const Value &right);
  Value castTo(const Type *type, Value value, Span span);
  Value bitcastTo(const Type *type, Value value, Span span);
  /// A packed struct as the unsigned integer that it is, and back (Packed.cpp).
  Value packedBits(const Value &value, Span span);
  Value packedFromBits(const Type *type, const Value &bits, Span span);
  mlir::Value convertNumber(mlir::Value value, const Type *from, const Type *to,
                            mlir::Location loc);

  //===--- Operators -----------------------------------------------------===//
  Value binary(BinaryOp op, Value left, Value right, Span span,
               const Type *hint = nullptr);
  Value compareValues(BinaryOp op, Value left, Value right, Span span);
  /// Of known values of one type; error value with `why`.
  Value foldBinary(BinaryOp op, const Value &left, const Value &right,
                   std::string *why);
  Value emitBinary(BinaryOp op, const Value &left, const Value &right,
                   Span span);
  Value unary(UnaryOp op, Value operand, Span span);
  Value wrap(const Type *type, std::optional<Integer> value, std::string *why);

  //===--- Symbolic values -----------------------------------------------===//
  Value makeSymbolic(SymbolicValue value, const Type *type);
  Value symbolicCast(const Value &value, const Type *type);
  /// Makes a symbolic value known: the code then depends on it.
  Value concretize(const Value &value);
  /// Whether an integer expression fits at every PE.
  bool fitsEverywhere(const Value &value, const Type *type);

  //===--- Running code --------------------------------------------------===//
  /// The SSA value; null with an error if running code cannot have it.
  mlir::Value materialize(const Value &value, Span span);
  mlir::Value materializeAs(const Value &value, const Type *type, Span span);
  mlir::Value materializePointer(const Value &value, Span span);
  mlir::Value materializeDsd(const Value &value, Span span);
  /// What a message about a descriptor points at: its @get_dsd, and its use
  /// where the library has that.
  mlir::Location placeOfDsd(const DsdValue &dsd, Span used);
  mlir::Value materializeSymbolic(const Value &value, Span span);
  mlir::Value materializeAggregate(const Value &value, Span span);
  mlir::Value constantInt(mlir::Type type, int64_t value, mlir::Location loc);
  mlir::Value constantIndex(int64_t value, mlir::Location loc);
  mlir::Value zeroOf(mlir::Type type, mlir::Location loc);
  mlir::Value constantBool(bool value, Span span);
  Value asRuntime(const Value &value, Span span);
  mlir::Value globalMemref(Global &global, Span span);
  /// A constant array that running code indexes.
  Global *tableFor(const Value &value, Span span);

  //===--- Programs ------------------------------------------------------===//
  bool evaluateGlobal(Global &global);
  void storeInitial(const LValue &place, const Value &value, Span span);
  void ensureRoots(ModuleInstance &module);
  /// Evaluates what nothing live uses, for editors; errors become warnings.
  void observeUnused(ModuleInstance &module);
  void runComptimeBlocks(ModuleInstance &module);
  /// What @export_symbol advertises is asked for: the comptime blocks run now
  /// if they have not.
  void needExports();
  void emitExported(ModuleInstance &module);
  void drainPending();

  //===--- Storage classes (Linkage.cpp) ---------------------------------===//
  /// Whether an export or extern symbol has a type for it; reports if not.
  bool checkStorage(Global &global);
  /// Takes a further declaration of a name; false if there may be none.
  bool declareAgain(ModuleInstance &module, std::unique_ptr<Global> &first,
                    std::unique_ptr<Global> second);
  const Type *linkType(Global &global);
  bool checkSameType(Global &external, Global &definition);
  void checkRepeated(ModuleInstance &module);
  /// Whether what crosses the border of an object file may have a type.
  bool isExportCompatible(const Type *type);
  /// Reports symbols of one name: of `export`, @export or linkname.
  void checkSymbols(ModuleInstance &module, llvm::StringMap<Global *> &taken);
  /// What a linker knows a symbol by.
  std::string linkName(Global &global);
  Global *findDefinition(ModuleInstance &module, llvm::StringRef name);
  /// The exported symbol of the program that an extern one means, or null.
  Global *definitionOf(Global &external);

  //===--- Builtins ------------------------------------------------------===//
public:
  using Handler = Value (Evaluator::*)(const BuiltinCall &, const Type *);

private:
  Value evalBuiltin(const BuiltinCall &call, const Type *hint);
  bool expectArgs(const BuiltinCall &call, unsigned least, unsigned most);
  const Expr &arg(const BuiltinCall &call, unsigned index) {
    return *call.arguments()[index];
  }
  bool expectPhase(const BuiltinCall &call, llvm::ArrayRef<Phase> allowed);
  /// The configuration struct at `index`, an empty one if it is not there.
  Value evalConfig(const BuiltinCall &call, unsigned index);
  bool checkFields(const Value &config, llvm::ArrayRef<llvm::StringRef> allowed,
                   Span span, const llvm::Twine &what);
  std::optional<bool> knownBool(const Value &config, llvm::StringRef field,
                                Span span);
  /// An integer field, as it was if there is none; false after an error.
  bool knownInteger(const Value &config, llvm::StringRef field, Span span,
                    std::optional<int64_t> &result);
  /// `.{ .name = true }`: the name.
  std::optional<std::string> knownChoice(const Value &value, Span span,
                                         llvm::ArrayRef<llvm::StringRef> names,
                                         llvm::StringRef what);
  /// Whether a known color is one of the machine's; an error if not.
  bool checkColor(const Value &color, Span span);
  /// Known numbers are `least` to `greatest`, or `tolerated`.
  Value makeId(const BuiltinCall &call, const Type *type, int64_t least,
               int64_t greatest,
               std::optional<int64_t> tolerated = std::nullopt);
  /// `text` is the expression, if it may say how to make it known.
  Value known(const Value &value, Span span, const llvm::Twine &what,
              const Expr *text = nullptr);

#define CSL_BUILTIN(METHOD, NAME)                                              \
  Value builtin##METHOD(const BuiltinCall &call, const Type *hint);
#include "Builtins.def"

  Value dsdOperation(const BuiltinCall &call, DsdOpcode opcode);
  struct OpOptions {
    bool async = false;
    mlir::Value activate, unblock, controlTarget, index;
    csl::OnControlAttr onControl;
    csl::PriorityAttr priority;
    mlir::IntegerAttr utId;
    bool saveAddress = false, singleStep = false;
  };
  bool readOptions(const Value &config, Span span, bool isLoad, bool isDfilt,
                   OpOptions &options);
  mlir::Value taskTarget(const Value &value, Span span, llvm::StringRef what,
                         bool localOnly);
  bool isDsdConfig(const Value &value);
  Value buildMemDsd(DsdValue dsd, const Value &props, Span span);
  Value buildFabricDsd(DsdValue dsd, const Value &props, Span span);
  std::optional<csl::Priority> readPriority(const Value &value, Span span);
  std::optional<csl::SimdMode> readSimd(const Value &value, Span span);
  std::optional<ColorConfig> readColorConfig(const Value &config, Span span);
  std::optional<uint32_t> readDirections(const Value &value, Span span);
  csl::PositionAttr readPosition(const Value &value, Span span,
                                 llvm::StringRef name, csl::RoutesAttr before);
  csl::FilterAttr readFilter(const Value &value, Span span);
  std::optional<std::pair<int64_t, int64_t>>
  evalCoordinates(const BuiltinCall &call);
  std::vector<int64_t> readTuple(const Value &value, Span span,
                                 llvm::StringRef what, int64_t least,
                                 int64_t greatest);
  bool configAddress(const BuiltinCall &call, Value &address,
                     mlir::DenseI64ArrayAttr &ranges, bool checked);
  Value setFifoLength(const BuiltinCall &call, bool isRead);
  Value loadDsr(const BuiltinCall &call, unsigned registers);

  //===--- State ---------------------------------------------------------===//
  Session &session;
  TypeContext &types;
  ProgramState *program;
  /// Counts the operations that are made.
  struct Made : mlir::OpBuilder::Listener {
    uint64_t operations = 0;
    void notifyOperationInserted(mlir::Operation *,
                                 mlir::OpBuilder::InsertPoint) override {
      ++operations;
    }
  };
  /// Operations of a program before it is simplified: several times what the
  /// largest memory of a PE holds in instructions.
  static constexpr uint64_t kMostOperations = 1 << 17;
  Made made;
  mlir::OpBuilder builder;
  Frame *frame = nullptr;
  Phase phase = Phase::Comptime;
  unsigned depth = 0;     ///< branches and loops of running code around
  unsigned callDepth = 0; ///< of comptime calls
  /// Control does not come here: it has left what is being evaluated.
  bool left = false;
  SsaVariables variables; ///< of the function being emitted
  bool inTypeOf = false;
  /// In an arm of an `if` of a generic function: its condition, if that is a
  /// call of running code.
  Span runtimeCall;
  Global *initializing = nullptr;
  llvm::StringRef declName; ///< for the names of struct types
};

/// Evaluates in another phase for a while.
class PhaseScope {
public:
  PhaseScope(Evaluator &evaluator, Phase phase)
      : evaluator(evaluator), saved(evaluator.phase) {
    evaluator.phase = phase;
  }
  ~PhaseScope() { evaluator.phase = saved; }

private:
  Evaluator &evaluator;
  Phase saved;
};

/// Operations that comptime code makes go to the program's comptime block
/// meanwhile.
class SetupScope {
public:
  explicit SetupScope(Evaluator &evaluator) : guard(evaluator.builder) {
    if (evaluator.isComptime() && evaluator.program)
      evaluator.builder.setInsertionPointToEnd(
          &evaluator.program->comptime.getBody().front());
  }

private:
  mlir::OpBuilder::InsertionGuard guard;
};

} // namespace sequin::csl_import

#endif // SEQUIN_LIB_TARGET_CSLIMPORT_EVALUATOR_H
