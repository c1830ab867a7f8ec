//===- FunctionEmitter.h - Bytecode of one function -------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every SSA value has a register, which a value that is the same under another
// type shares; arguments are the first. Blocks follow in reverse post-order,
// block arguments are copied on the edges.
// A memref's register holds the address of its first element, an aggregate's
// the address of its place in the frame.
//
// One emit...() per group of operations, each in a file of its own; they return
// std::nullopt for an operation that is not theirs.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_CONVERSION_CSLTOWAFER_FUNCTIONEMITTER_H
#define SEQUIN_LIB_CONVERSION_CSLTOWAFER_FUNCTIONEMITTER_H

#include "CodeContext.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include <map>

namespace sequin::csl_to_wafer {

class FunctionEmitter {
public:
  using Register = wafer::Register;
  using Opcode = wafer::Opcode;
  static constexpr Register kNone = wafer::kNoRegister;

  FunctionEmitter(CodeContext &context, mlir::FunctionOpInterface function,
                  wafer::Function &out)
      : context(context), function(function), out(out) {}

  llvm::LogicalResult run();

private:
  using Emitted = std::optional<llvm::LogicalResult>;

  // Registers.
  Register of(mlir::Value value);
  Register fresh();
  /// `count` registers in a row.
  Register freshRun(unsigned count);
  /// Gives `op`, which takes `values` in a row of registers, the row.
  void reserveRow(mlir::Operation &op, mlir::ValueRange values);
  /// The values in that row; themselves if they are in one already.
  Register inRow(mlir::Operation &op, mlir::ValueRange values);
  /// A register with these bits.
  Register constant(uint64_t bits);
  void insertConstants();
  void emitConstant(std::vector<wafer::Instruction> &where, Register dest,
                    uint64_t bits);
  /// Makes a value a number, which takes a register where one is needed.
  void setNumber(mlir::Value value, uint64_t bits) { numbers[value] = bits; }
  /// The bits of a value that is a constant.
  static std::optional<uint64_t> known(mlir::Value value);

  // Instructions.
  void emit(Opcode opcode, Register dest, Register left = kNone,
            Register right = kNone, uint32_t immediate = 0, unsigned width = 0);
  /// `dest` = left `opcode` right.
  void emitInteger(Opcode opcode, mlir::Value dest, mlir::Value left,
                   mlir::Value right);
  Register emitFresh(Opcode opcode, Register left = kNone,
                     Register right = kNone, uint32_t immediate = 0,
                     unsigned width = 0);
  /// `dest` is what `source` is: no instruction.
  void rename(mlir::Value dest, Register source);
  void rename(mlir::Value dest, mlir::Value source);
  uint32_t here() const { return out.instructions.size(); }

  // Labels: places that jumps go to before they are known.
  using Label = unsigned;
  Label newLabel();
  void place(Label label) { labels[label] = here(); }
  void jump(Opcode opcode, Register condition, Label target);
  Label labelOf(mlir::Block *block);

  // Memory.
  /// A place of `bytes` in the frame; its address in a register.
  Register frameSlot(int64_t bytes, int64_t align);
  /// A place in the frame for an aggregate of `type`.
  Register frameSlot(mlir::Type type);
  /// Where an access goes: immediate + left + right elements.
  struct Address {
    uint32_t immediate = 0;
    Register left = kNone, right = kNone;
  };
  /// The place of an element of a memref.
  mlir::FailureOr<Address> addressOf(mlir::Operation *op, mlir::Value memref,
                                     mlir::ValueRange indices);
  /// The base of a memref or pointer.
  Address baseOf(mlir::Value base);
  void addIndex(Address &address, mlir::Value index, int64_t stride,
                int64_t bytes);
  Address elementOf(csl::ElementPtrOp element);
  Address placeOf(mlir::Value pointer);
  /// The address in a register, as a number of 16 bits.
  Register asRegister(const Address &address, int64_t elementBytes);
  void load(mlir::Type type, Register dest, const Address &address);
  void store(mlir::Type type, Register value, const Address &address);
  /// Stores a number, or copies or makes an aggregate, at `place`.
  void put(mlir::Value value, const Address &place);
  void makeAt(mlir::Operation *made, const Address &place);
  /// Copies an aggregate of `type` into a new place of this frame.
  Register copyAggregate(mlir::Type type, Register source);
  /// What `load` reads at `source`: there, or a copy if that may change.
  Register readAggregate(mlir::Operation *load, Register source);

  // Operations.
  llvm::LogicalResult emitBlock(mlir::Block &block, mlir::Block *next);
  llvm::LogicalResult emitOp(mlir::Operation &op, mlir::Block *next);
  Emitted emitControl(mlir::Operation &op, mlir::Block *next);
  Emitted emitArith(mlir::Operation &op);
  Emitted emitMath(mlir::Operation &op);
  Emitted emitMemref(mlir::Operation &op);
  Emitted emitPointer(mlir::Operation &op);
  Emitted emitAggregate(mlir::Operation &op);
  Emitted emitDescriptor(mlir::Operation &op);
  Emitted emitRegister(mlir::Operation &op);
  Emitted emitDsdOperation(mlir::Operation &op);
  Emitted emitBuiltin(mlir::Operation &op);

  void branch(mlir::Block *target, mlir::ValueRange operands,
              mlir::Block *next);
  void copyOperands(mlir::Block *target, mlir::ValueRange operands);
  llvm::LogicalResult emitCall(mlir::Operation &op, wafer::Register callee,
                               std::optional<unsigned> number,
                               mlir::ValueRange arguments);
  llvm::LogicalResult emitMap(csl::MapOp op);
  llvm::LogicalResult emitSymbolValue(mlir::Operation &op, mlir::Value id,
                                      mlir::Type type);
  wafer::AsyncOptions getOptions(csl::AsyncOpInterface op);
  wafer::Operand getOperand(mlir::Value value, bool isDest);

  CodeContext &context;
  mlir::FunctionOpInterface function;
  wafer::Function &out;
  wafer::Location location = 0; ///< of what is being emitted
  uint32_t nextRegister = 0;
  int64_t frameBytes = 0;
  llvm::DenseMap<mlir::Value, Register> registers;
  llvm::DenseMap<mlir::Operation *, Register> rows;
  /// Constants in registers.
  std::map<uint64_t, Register> constants;
  llvm::DenseMap<mlir::Value, uint64_t> numbers;
  /// DSDs that are constants.
  llvm::DenseMap<mlir::Value, wafer::Descriptor> descriptors;
  /// Places in the frame of block arguments that are aggregates.
  llvm::DenseMap<mlir::Value, int64_t> argumentSlots;
  std::vector<uint32_t> labels;
  llvm::DenseMap<mlir::Block *, Label> blockLabels;
  /// Jumps by instruction number, and where they go.
  std::vector<std::pair<uint32_t, Label>> fixups;
};

/// The file and number of a register operand.
wafer::DsrRef getDsrRef(mlir::Value dsr);
/// @load_to_dsr's registers and settings, without targets.
wafer::DsrLoad getDsrLoad(mlir::Operation *op);

} // namespace sequin::csl_to_wafer

#endif // SEQUIN_LIB_CONVERSION_CSLTOWAFER_FUNCTIONEMITTER_H
