//===- Bytecode.h - Scalar code and operations of a PE ----------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions and tasks as instructions on registers. Every call has a frame of
// its own with as many 64-bit registers as the function says; arguments arrive
// in registers 0, 1, .... A register holds an integer with zeros above its
// width, the bits of a float, a byte address, an id (color, queue, task,
// microthread), a packed Descriptor, or a function (number + 1).
//
// An executor needs the frame, the PE's memory and Code. Instructions that
// Opcodes.def marks as machine instructions are where it asks the PE's model:
// they may wait (a synchronous DSD operation, a step that reads an empty
// queue), and the frame is then as it was before the instruction.
//
// Cycles: an instruction takes what the machine row has for its class; a
// conditional jump that is not taken takes ScalarClass::Fall; instructions of
// more than 32 bits take ScalarClass::Wide on top. CopyMemory takes its class
// once per four bytes. Return takes nothing (Call covers it). A DSD operation
// takes its own time on top (docs/Rationale/Wafer.md).
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_WAFER_BYTECODE_H
#define SEQUIN_WAFER_BYTECODE_H

#include "sequin/Machine/CslMachine.h"
#include "sequin/Support/DsdOps.h"
#include "sequin/Wafer/Descriptor.h"
#include <string>
#include <vector>

namespace sequin::wafer {

using Register = uint16_t;
inline constexpr Register kNoRegister = 0xffff;

/// Index into Program::locations; 0 is "unknown".
using Location = uint32_t;

enum class Opcode : uint8_t {
#define SEQUIN_WAFER_OPCODE(NAME, ...) NAME,
#include "sequin/Wafer/Opcodes.def"
};

struct OpcodeInfo {
  llvm::StringLiteral name;
  ScalarClass kind;
  bool machine;
};
const OpcodeInfo &getInfo(Opcode opcode);
std::optional<Opcode> parseOpcode(llvm::StringRef name);

struct Instruction {
  Opcode opcode = Opcode::Constant;
  uint8_t width = 0; ///< bits; 0 where it means nothing
  Register dest = kNoRegister, left = kNoRegister, right = kNoRegister;
  uint32_t immediate = 0;
  bool operator==(const Instruction &other) const = default;
};

/// The immediate of FloatFunction. All are computed as Support/FloatFunctions
/// does, or in double rounded once; fp16 goes through f32.
enum class FloatFunction : uint8_t {
  Sqrt,
  Rsqrt,
  Exp,
  Exp2,
  ExpM1,
  Log,
  Log2,
  Log10,
  Log1P,
  Sin,
  Cos,
  Tan,
  Tanh,
  Erf,
  Atan,
  Atan2,
  Pow,
  Floor,
  Ceil,
  Trunc,
  Round,     ///< half away from zero
  RoundEven, ///< half to even
};
llvm::StringRef getName(FloatFunction function);
std::optional<FloatFunction> parseFloatFunction(llvm::StringRef name);

/// The immediate of Block and Unblock. A task id is also a color (WSE-2) or an
/// input queue (WSE-3): their numbers are those of the data tasks.
enum class BlockKind : uint8_t { Task, Microthread };

//===----------------------------------------------------------------------===//
// DSD operations
//===----------------------------------------------------------------------===//

/// Where an operand comes from.
struct Operand {
  enum class Kind : uint8_t {
    None,
    Dsd,     ///< the descriptor in `value`, latched when the operation starts
    Dsr,     ///< the register `dsr`; its file may differ from the place
    Scalar,  ///< the value in `value`; the same for every element
    Pointer, ///< destination: every element is written to the address in
             ///< `value` (DSD-036)
  };
  Kind kind = Kind::None;
  Register value = kNoRegister;
  DsrRef dsr = {};
  bool operator==(const Operand &other) const = default;
};

enum class Completion : uint8_t { None, Activate, Unblock };

enum class OnControl : uint8_t {
  None, ///< consumed as an element (AMB-029)
  Terminate,
  Activate, ///< terminate and activate
  Unblock,  ///< terminate and unblock
};

/// The fields that an operation and @load_to_dsr have in common (ASY-001 to
/// ASY-011, DSR-012). Targets are task ids.
struct AsyncOptions {
  bool async = false;
  Completion completion = Completion::None;
  Register completionTarget = kNoRegister;
  OnControl onControl = OnControl::None;
  Register onControlTarget = kNoRegister;
  std::optional<uint8_t> microthread = {}; ///< `ut_id`, WSE-3
  bool operator==(const AsyncOptions &other) const = default;
};

/// One DSD operation in the code; what the registers hold when it is reached
/// is its operands.
///
/// A single source is source0 (where a fabout's `.zero = second_source` finds
/// it too, DSD-057). Of faddhs, source0 is the f32 and source1 the fp16 side,
/// whichever the program wrote first (AMB-011). dfilt has source0 alone.
///
/// Length (DOP-007): the first of source0, source1, dest whose length is not
/// zero, scalars and pointers have none; 1 if none has. FIFOs have the length
/// that was set for them, 0 at first.
///
/// It is asynchronous if `options.async` is set or a DSR operand was loaded
/// with it; then the microthread is `options.microthread` of the first operand
/// in the order dest, source0, source1 that has one (a DSD has the
/// operation's), or else the queue number of the first fabric operand in that
/// order (ASY-020 to ASY-025). On WSE-2: the output queue's number if there is
/// a fabout, else the first fabin's.
struct Operation {
  DsdOpcode opcode = DsdOpcode::Mov16;
  Operand dest = {}, source0 = {}, source1 = {};
  /// The fma's factor, fscale's exponent.
  Register scalar = kNoRegister;
  /// `.index`; kNoRegister if not given.
  Register index = kNoRegister;
  Priority priority = Priority::Default; ///< WSE-2
  AsyncOptions options = {};
  bool operator==(const Operation &other) const = default;
};

/// @load_to_dsr, @load_to_dsr_xdsr, @load_to_dsr_xdsr_sr. The registers beside
/// the DSR are bookkeeping: two loads that give them to different DSRs clash.
struct DsrLoad {
  DsrRef dsr = {};
  std::optional<uint8_t> xdsr = {};
  llvm::SmallVector<uint8_t, 3> strideRegisters = {};
  AsyncOptions options = {};
  /// After each operation the DSR goes on behind what was covered, in the
  /// outermost dimension (DSR-013).
  bool saveAddress = false;
  bool singleStep = false;
  bool operator==(const DsrLoad &other) const = default;
};

/// Step slots: StepLoad latches a descriptor in slot `imm`; StepRead and
/// StepWrite take element after element from it until its length is used up
/// (BLT-061). With kStepDsr in the immediate the rest of it is a DSR (file << 8
/// | number) that was loaded with single_step instead. Slots belong to the code
/// and not to a frame: an @map inside a callback has slots of its own.
inline constexpr uint32_t kStepDsr = 1u << 31;

/// One Print: format pieces and register values in turn (pieces are one more
/// than values). Goes to the host's log with PE and cycle.
struct Print {
  enum class Form : uint8_t { Unsigned, Signed, Hex, Binary, Float, Bool };
  struct Value {
    Register value = kNoRegister;
    Form form = Form::Unsigned;
    uint8_t width = 16; ///< bits; a float of 16 is the program's fp16
    bool operator==(const Value &other) const = default;
  };
  std::vector<std::string> pieces = {};
  std::vector<Value> values = {};
  /// The line goes on with what the PE prints next.
  bool partial = false;
  bool operator==(const Print &other) const = default;
};

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

struct Function {
  std::string name = {};
  uint16_t arguments = 0; ///< registers 0 to arguments - 1
  uint16_t results = 0;
  uint16_t registers = 0;  ///< of a frame, arguments included
  uint16_t frameBytes = 0; ///< stack memory of a call
  Location location = 0;   ///< of its declaration
  std::vector<Instruction> instructions = {}; ///< never empty; no fall through
  std::vector<Location> locations = {};       ///< one per instruction
  bool operator==(const Function &other) const = default;
};

} // namespace sequin::wafer

#endif // SEQUIN_WAFER_BYTECODE_H
