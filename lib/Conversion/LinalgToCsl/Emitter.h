//===- Emitter.h - Writing the csl module -----------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One program for all PEs. The steps of a plan are written one after another
// into the current body, which begins as the host function; where a step has to
// wait for microthreads, the body ends and the task that their completion
// starts is the next. Arrays are variables of one dimension.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_CONVERSION_LINALGTOCSL_EMITTER_H
#define SEQUIN_LIB_CONVERSION_LINALGTOCSL_EMITTER_H

#include "Channels.h"
#include "Program.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

namespace sequin::linalg_to_csl {

/// Elements of a variable by a nest of loops: element of iteration i is
/// offset + dynamic + sum of strides * i.
struct Elements {
  std::string var;
  Type element;
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  Value dynamic; ///< an index value, or null
};

/// A part of a variable that is filled: dimensions of it, outermost first.
struct FilledDim {
  int64_t extent = 1, stride = 1;
  int64_t low = 0, block = 1; ///< where the block is within the extent
  int64_t origin = 0, size = 1;
  FabricAxis axis = FabricAxis::None;
};

/// What a task waits for before it goes on.
struct Join {
  std::string task;
  unsigned id = 0;
};

class Emitter {
public:
  Emitter(Program &program, const Plan &plan, csl::TargetAttr target,
          const ChannelTable &channels)
      : program(program), plan(plan), target(target), machine(*target.getRow()),
        channels(channels), builder(target.getContext()),
        loc(program.func.getLoc()) {}

  mlir::LogicalResult run();

private:
  using Params = std::pair<std::string, mlir::Attribute>;

  //===--- The module (EmitProgram.cpp) -----------------------------------===//
  void emitVariables();
  mlir::LogicalResult emitSteps();
  void emitComptime();
  void emitLayout(mlir::ModuleOp module);
  void emitQueues(const Channel &channel);
  void addVariable(StringRef name, Type element, int64_t elements,
                   mlir::DenseElementsAttr initial = {},
                   bool isConstant = false);
  /// A free intermediate array; given back by release().
  std::string takeTemporary(Type element, int64_t elements);
  void release(StringRef name);
  mlir::LogicalResult emitOutside(const Step &step);
  void fillOutside(StringRef var, Type element, ArrayRef<FilledDim> dims,
                   TypedAttr value);

  //===--- Bodies -------------------------------------------------------===//
  /// Ends the current body and goes on in a task.
  Join makeJoin(StringRef name);
  void enterTask(const Join &join);
  void endBody();

  Value constantOf(TypedAttr value);
  Value i16(int64_t value);
  Value i32(int64_t value);
  Value index(int64_t value);
  Value var(StringRef name);
  Value param(StringRef name);
  /// The coordinate of this PE along an axis, as i16; along both, as i32.
  Value coordinate(FabricAxis axis);
  Value compare(mlir::arith::CmpIPredicate predicate, Value value,
                int64_t other);
  /// Emits under a condition; without `otherwise` there is no else part.
  void emitIf(Value condition, llvm::function_ref<void()> then,
              llvm::function_ref<void()> otherwise = nullptr);
  /// A loop from 0 to `count` on index values; none where count is 1.
  void emitFor(int64_t count, llvm::function_ref<void(Value)> body);

  //===--- DSDs (EmitDsd.cpp) ---------------------------------------------===//
  /// A DSD over a nest of loops, outermost first; null after an error where
  /// the nest has more dimensions than a DSD.
  Value dsd(const Elements &elements, ArrayRef<int64_t> extents);
  Value wholeDsd(StringRef var, Type element, int64_t elements,
                 int64_t offset = 0);
  Value fabin(const Channel &channel, int64_t elements);
  Value fabout(const Channel &channel, int64_t elements, bool control = false);
  struct Async {
    bool async = false;
    Value activate, unblock;
  };
  void dsdOp(StringRef name, Value dest, mlir::ValueRange sources) {
    dsdOp(name, dest, sources, Async());
  }
  void dsdOp(StringRef name, Value dest, mlir::ValueRange sources,
             Async options);
  Value pointerTo(const Elements &elements);
  /// The element of iteration 0.
  Value load(const Elements &elements);
  void store(Value value, const Elements &elements);
  /// `elements` further by iv iterations of a loop.
  Elements advance(const Elements &elements, unsigned loop, Value iv);

  //===--- Communication (EmitCommunication.cpp) --------------------------===//
  void emitSpread(const Step &step);
  void emitHalo(const Step &step);
  void emitReduction(const LoopNest &op, ArrayRef<ReducePath> paths);
  void emitChain(const Channel &channel, Value hasIn, Value hasOut,
                 const LoopNest &op);

  //===--- Local work (EmitElementwise.cpp, EmitContraction.cpp, EmitSumma.cpp)
  mlir::LogicalResult emitCompute(const Step &step);
  mlir::LogicalResult emitMap(const LoopNest &op);
  mlir::LogicalResult emitReduce(const LoopNest &op);
  void emitContract(const LoopNest &op);
  void emitStart(const LoopNest &op);
  Elements elementsOf(const LoopNest &op, const Access &access);
  Elements resultOf(const LoopNest &op);
  /// Loop nests in an order: strides and extents by position.
  SmallVector<int64_t> extentsOf(const LoopNest &op, ArrayRef<unsigned> order);
  static Elements reorder(const Elements &elements, ArrayRef<unsigned> order);
  void emitScalarLoops(const LoopNest &op);
  void fill(StringRef var, Type element, int64_t elements, TypedAttr value);

  /// Emits the operations below `op.expression` as DSD operations; the result
  /// is in `dest`, or where that is null in a temporary.
  friend class VectorExpression;

  /// dest[..] += left[..] * right[..] over a nest of loops.
  struct Product {
    Elements dest, left, right;
    SmallVector<int64_t> extents;
    SmallVector<bool> reduced;
    const LoopNest *op = nullptr;
  };
  void emitProduct(const Product &product);
  friend class ProductEmitter;
  void emitScalarProduct(const Product &product);
  void emitSumma(const Step &step);
  friend class SummaEmitter;

  Program &program;
  const Plan &plan;
  csl::TargetAttr target;
  const CslMachine &machine;
  const ChannelTable &channels;
  mlir::OpBuilder builder;
  mlir::Location loc;

  csl::ProgramOp code;
  mlir::Block *codeBlock = nullptr;
  bool inTask = false;
  bool failed = false;
  std::vector<Params> params; ///< of csl.tile_code
  SmallVector<Join> joins;
  unsigned nextTask = 0;
  struct Temporary {
    std::string name;
    Type element;
    int64_t elements;
    bool busy;
  };
  std::vector<Temporary> temporaries;
};

} // namespace sequin::linalg_to_csl

#endif // SEQUIN_LIB_CONVERSION_LINALGTOCSL_EMITTER_H
