//===- CslMachine.h - Facts about the wafer-scale engines -------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The machines that CSL programs run on, as Machine.h does for the TCP. Sources
// are pages of the Cerebras SDK manual.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_MACHINE_CSLMACHINE_H
#define SEQUIN_MACHINE_CSLMACHINE_H

#include "sequin/Stream/Limits.h"
#include "sequin/Support/DsdOps.h"
#include "llvm/Support/JSON.h"

namespace sequin {

/// Instructions of a PE's scalar code that cost the same.
enum class ScalarClass : uint8_t {
  Move,     ///< constants, copies, selects
  Integer,  ///< additions, logic, shifts, comparisons of up to 32 bits
  Multiply, ///< integer
  Divide,   ///< integer quotient or remainder
  Wide,     ///< what 64-bit integers take more, per instruction
  Float,    ///< addition, subtraction, multiplication, comparison, conversion
  FloatDivide,
  Function, ///< square root, exponential, ...: library routines
  Load,
  Store,
  Branch, ///< one that is taken
  Fall,   ///< a conditional one that is not
  Call,   ///< and return, together
  Machine ///< activate, block, configuration registers, DSRs, queues
};
inline constexpr unsigned kScalarClasses = 14;

/// Ids that the memcpy library uses for itself (Host Runtime, Enabling Tensor
/// Streaming; TSK-014 and AMB-003: the union of what the pages say). Bit i
/// stands for id i.
struct MemcpyReservation {
  uint32_t colors;
  uint32_t localTasks;
  uint64_t controlTasks;
  uint32_t inputQueues, outputQueues, microthreads;
};

/// One wafer-scale engine.
struct CslMachine {
  llvm::StringLiteral name; ///< what `--arch` of the vendor's compiler takes
  /// The generation: 2 or 3. For differences of the language (which fields and
  /// types an operation takes), not for numbers.
  unsigned generation;

  // The fabric of the whole machine, in PEs; a simulated one may be smaller.
  int64_t fabricWidth, fabricHeight;
  /// Code, data, stack and tables of one PE.
  int64_t memoryBytesPerPe;

  DsdLimits dsd;

  // Fabric (Builtins, @get_color, @set_color_config; Task Identifiers).
  unsigned colors;           ///< routable: 0 to colors - 1
  uint32_t switchableColors; ///< bit c: color c may have switch positions
  unsigned switchPositions;  ///< per color, position 0 (the routes) included
  /// Whether one switch position may set both receive and transmit directions
  /// (AMB-015).
  bool switchRxAndTx;
  bool colorSwap;   ///< `color_swap_x`, `color_swap_y` (FAB-072)
  unsigned filters; ///< per PE (FAB-050)
  /// Wavelets of one color that a router holds per input link. Not published;
  /// a sender two hops away must be able to stream without gaps.
  unsigned routerWords;

  // Task identifiers (Task Identifiers and Task Execution). An id below
  // dataTasks is a data task's: a color on WSE-2, an input queue on WSE-3.
  unsigned dataTasks;
  unsigned firstLocalTask, lastLocalTask; ///< local_task_id, inclusive
  unsigned controlTasks;                  ///< control_task_id: 0 to this - 1
  unsigned teardownTask, timerTask;       ///< bound by the system
  /// The entry in a control wavelet that means "no task" (FAB-045).
  unsigned noControlTask;
  unsigned rotatingTasks; ///< @bind_rotating_tasks per program; 0: none
  bool separateControlTable;
  MemcpyReservation memcpy;

  // Queues (DSD, Fabric Queues): depth of each in words of 32 bits.
  llvm::ArrayRef<unsigned> inputQueueWords, outputQueueWords;
  /// What holds wavelets of a color with a data task but no input queue
  /// (WSE-2); not published.
  unsigned colorQueueWords;
  unsigned microthreads;     ///< 0 to this - 1
  bool explicitMicrothreads; ///< `ut_id`, @block(ut_id) (Microthread IDs)
  bool queueFlush;           ///< @queue_flush, @set_empty_queue_handler
  /// At most one fabin operand per operation (DSD, Fabric Input Vectors).
  bool oneFabricInput;
  /// An output queue has one color, from @initialize_queue; else each fabout
  /// DSD names its own (ASY-018, ASY-019).
  bool outputQueueColor;

  // Data structure registers; counts are not published (DSR-003).
  unsigned dsrsPerFile, xdsrs, strideRegisters;
  unsigned fifoAlignBytes; ///< tile_config.FIFO_MIN_ALIGNMENT; not published
  /// Whether FIFOs have `full_action`, `suspend`, `fault` (FIF-011, FIF-012).
  bool fifoFullAction;
  unsigned prngs; ///< generators that @set_active_prng chooses from

  // Estimates of what a program takes of the memory beside its variables; the
  // vendor's instruction set is not published.
  unsigned instructionBytes; ///< of one bytecode instruction
  unsigned stackBytes;       ///< set aside for calls at least
  unsigned firstAddress;     ///< below it nothing is placed: 0 is no pointer
  /// What the memcpy library takes (SIM-015, measured on WSE-3).
  unsigned memcpyBytes;

  // Memory (Appendix, SIMD Mode).
  unsigned memoryBanks; ///< successive 16-bit words are in successive banks
  /// Elements per cycle of each DSD operation at stride 0 or 1, by DsdOpcode;
  /// operations that the table leaves out do 1.
  llvm::ArrayRef<uint8_t> simdElements;

  /// What public programs assume when they turn cycles into time.
  unsigned clockMHz;

  // Timing, in cycles.
  int64_t hopCycles;  ///< a wavelet from one router to the next
  int64_t rampCycles; ///< between router and compute element, each way
  /// Beyond its N elements and its dispatch (ScalarClass::Machine), with DSRs.
  int64_t fmacsStartCycles;
  /// Each DSD that an operation latches (SIM-010).
  int64_t dsrLoadCycles;
  int64_t taskStartCycles; ///< from activated to the first instruction
  /// Two reads of one operation in banks that are equal modulo this take two
  /// cycles; 0 leaves bank conflicts out (DOP-016).
  unsigned bankModulus;
  llvm::ArrayRef<uint8_t> scalarCycles; ///< by ScalarClass

  int64_t pes() const { return fabricWidth * fabricHeight; }
  unsigned inputQueues() const { return inputQueueWords.size(); }
  unsigned outputQueues() const { return outputQueueWords.size(); }
  bool isSwitchable(unsigned color) const {
    return color < colors && (switchableColors >> color & 1);
  }
  /// Elements per cycle at stride 0 or 1.
  unsigned simdWidth(DsdOpcode opcode) const {
    return simdElements[static_cast<unsigned>(opcode)];
  }
  int64_t cycles(ScalarClass kind) const {
    return scalarCycles[static_cast<unsigned>(kind)];
  }
};

/// What the stride of a memory operand leaves of `width` elements per cycle
/// (DOP-015, AMB-047).
unsigned simdWidthAtStride(unsigned width, int64_t stride);

/// "move", "integer", ...: the class as JSON keys have it.
llvm::StringRef getName(ScalarClass kind);

/// The row called `name` or nullptr.
const CslMachine *lookupCslMachine(llvm::StringRef name);
/// All rows in a fixed order.
llvm::ArrayRef<const CslMachine *> cslMachines();
/// "wse2, wse3": for messages about an unknown name.
std::string knownCslMachineNames();
/// Whether CSL has a name for a machine without a row: no program is for it,
/// but one may ask (`@is_arch`).
bool isFormerCslMachine(llvm::StringRef name);

llvm::json::Value toJSON(const CslMachine &machine);

} // namespace sequin

#endif // SEQUIN_MACHINE_CSLMACHINE_H
