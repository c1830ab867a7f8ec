//===- Exceptions.cpp - Unmasked exceptions stop a PE ---------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each PE has a mask of the exceptions that pass (register exception_mask). One
// that is not masked is a trap: the element or instruction that raised it has
// no result, those before it have theirs. By default all pass, and nothing here
// is called.
//
//===----------------------------------------------------------------------===//

#include "ScalarFloat.h"
#include "Stepper.h"
#include "sequin/Support/FloatExceptions.h"

using namespace sequin;
using namespace sequin::wafer;

/// Whether an element of `op` raises what its PE has unmasked; traps if so.
bool Stepper::raises(Core &core, const LiveOp &op, uint32_t x, uint32_t y,
                     uint32_t value) {
  uint8_t unmasked = core.unmaskedFloats();
  if (!unmasked)
    return false;
  uint8_t raised = unmasked & dsd::exceptionsOf(op.opcode, program.fp16, x, y,
                                                op.scalar, value);
  if (!raised)
    return false;
  std::string element =
      op.unbounded ? "an element"
                   : "element " + std::to_string(op.length - op.remaining);
  trap(core,
       dsd::describeExceptions(raised) + " in " + element + " of " +
           getInfo(op.opcode).name.str(),
       op.location);
  return true;
}

/// The same of an instruction of scalar code, with its operands and result.
bool Stepper::raises(Core &core, const Instruction &instruction, uint64_t left,
                     uint64_t right, uint64_t third, uint64_t value) {
  uint8_t raised =
      core.unmaskedFloats() &
      exceptionsOfFloat(instruction, program.fp16, left, right, third, value);
  if (!raised)
    return false;
  std::string what = getInfo(instruction.opcode).name.str();
  if (instruction.opcode == Opcode::FloatFunction)
    what = getName(static_cast<FloatFunction>(instruction.immediate)).str();
  trap(core, dsd::describeExceptions(raised) + " in " + what);
  return true;
}

/// An instruction of the main thread that stays within the compute element, and
/// what it will raise.
void Stepper::traceInstruction(const Core &core, uint64_t cycle,
                               const Instruction &instruction) {
  const Frame &frame = core.frames.back();
  TracedInstruction traced = {core.taskNumber, instruction.opcode,
                              frame.function, frame.pc};
  if (getInfo(instruction.opcode).name.starts_with("float")) {
    const uint64_t *r = core.registers.data() + frame.registers;
    auto read = [&](Register from) -> uint64_t {
      return from == kNoRegister ? 0 : r[from];
    };
    uint64_t left = read(instruction.left), right = read(instruction.right);
    uint64_t third =
        instruction.opcode == Opcode::FloatFma ? r[instruction.immediate] : 0;
    traced.raised = exceptionsOfFloat(
        instruction, program.fp16, left, right, third,
        evaluateFloat(instruction, program.fp16, left, right, third));
  }
  tracer->instruction(momentOf(core, cycle), traced);
}

/// From the next element on, also of operations that are at work.
void Stepper::setExceptionMask(Core &core, uint16_t mask) {
  core.exceptionMask = mask;
  for (LiveOp *op : core.ops)
    if (op)
      op->watched = tracer || core.unmaskedFloats();
}
