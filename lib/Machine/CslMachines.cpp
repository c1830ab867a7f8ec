//===- CslMachines.cpp - Rows of the wafer-scale machine table ------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The numbers. Their meaning and unit stand at the fields in CslMachine.h; here
// every one has its source: a page of the Cerebras SDK manual, or the ruling of
// this project where the manual is silent.
//
//===----------------------------------------------------------------------===//

#include "sequin/Machine/CslMachine.h"
#include "sequin/Machine/CslMessages.h"
#include "sequin/Machine/CslPipeline.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include <algorithm>
#include <array>

using namespace sequin;

// Data Structure Descriptors, One-Dimensional Memory Vectors (stride i8, offset
// i16, extent u16); Two-, Three-, or Four-Dimensional Memory Vectors (stride
// i16, up to four dimensions); Circular Buffers (wraparound u16). The page
// makes no difference between the architectures. The extent of a circbuf_dsd is
// held to the u16 that @set_dsd_length has for it.
static constexpr DsdLimits kDsd = {
    .mem4dDimensions = 4,
    .mem1dStrideBits = 8,
    .mem4dStrideBits = 16,
    .offsetBits = 16,
    .extentBits = 16,
    .wraparoundBits = 16,
};

// DSD, Fabric Queues.
static constexpr unsigned kInputQueues2[] = {6, 6, 4, 4, 2, 2, 2, 2};
static constexpr unsigned kInputQueues3[] = {8, 8, 4, 4, 4, 4, 4, 4};
static constexpr unsigned kOutputQueues2[] = {2, 2, 6, 6, 2, 2};
static constexpr unsigned kOutputQueues3[] = {8, 8, 8, 8, 8, 8, 8, 8};

// Appendix, SIMD Mode. fmacs and fmuls: 1, after a published trace (AMB-059);
// clz, ctz and popcnt are in no table.
struct SimdRow {
  DsdOpcode opcode;
  uint8_t wse2, wse3;
};
static constexpr SimdRow kSimdRows[] = {
    {DsdOpcode::Add16, 4, 8},   {DsdOpcode::Addc16, 1, 8},
    {DsdOpcode::And16, 4, 8},   {DsdOpcode::Fabsh, 4, 8},
    {DsdOpcode::Fabss, 2, 4},   {DsdOpcode::Faddh, 4, 8},
    {DsdOpcode::Faddhs, 2, 4},  {DsdOpcode::Fadds, 2, 4},
    {DsdOpcode::Fnormh, 4, 8},  {DsdOpcode::Fnorms, 2, 4},
    {DsdOpcode::Fh2s, 1, 4},    {DsdOpcode::Fh2xp16, 1, 8},
    {DsdOpcode::Fmach, 4, 8},   {DsdOpcode::Fmachs, 2, 4},
    {DsdOpcode::Fmaxh, 1, 8},   {DsdOpcode::Fmaxs, 1, 4},
    {DsdOpcode::Fmovh, 4, 8},   {DsdOpcode::Fmovs, 2, 4},
    {DsdOpcode::Fmulh, 4, 8},   {DsdOpcode::Fnegh, 4, 8},
    {DsdOpcode::Fnegs, 2, 4},   {DsdOpcode::Fs2h, 1, 4},
    {DsdOpcode::Fs2xp16, 1, 4}, {DsdOpcode::Fscaleh, 4, 8},
    {DsdOpcode::Fscales, 2, 4}, {DsdOpcode::Fsubh, 4, 8},
    {DsdOpcode::Fsubs, 2, 4},   {DsdOpcode::Mov16, 4, 8},
    {DsdOpcode::Mov32, 2, 4},   {DsdOpcode::Or16, 4, 8},
    {DsdOpcode::Sar16, 1, 4},   {DsdOpcode::Sll16, 1, 4},
    {DsdOpcode::Slr16, 1, 4},   {DsdOpcode::Sub16, 4, 8},
    {DsdOpcode::Xor16, 4, 8},   {DsdOpcode::Xp162fh, 1, 8},
    {DsdOpcode::Xp162fs, 1, 4},
};

static constexpr std::array<uint8_t, kDsdOpcodes>
makeSimd(uint8_t SimdRow::*column) {
  std::array<uint8_t, kDsdOpcodes> table{};
  for (uint8_t &width : table)
    width = 1;
  for (const SimdRow &row : kSimdRows)
    table[static_cast<unsigned>(row.opcode)] = row.*column;
  return table;
}
static constexpr std::array<uint8_t, kDsdOpcodes> kSimd2 =
    makeSimd(&SimdRow::wse2);
static constexpr std::array<uint8_t, kDsdOpcodes> kSimd3 =
    makeSimd(&SimdRow::wse3);

// One instruction a cycle (SIM-007), dependent float instructions two
// (SIM-008), a taken branch drains the pipe (SIM-009: a loop's back edge takes
// 9 or 10 with its comparison, counter and accesses). What is left was fitted
// together with dsrLoadCycles and taskStartCycles to half of 37 published
// counts, with functions inlined, so that a published loop around an fmacs
// stays within its bounds (docs/Decisions/2026-11-28-cycles-of-scalar-code.md).
// FloatDivide: a comment in a public program of the vendor's, "about 50".
// Functions are library routines; not published.
static constexpr uint8_t kScalarCycles[kScalarClasses] = {
    /*Move*/ 1,      /*Integer*/ 1, /*Multiply*/ 2,     /*Divide*/ 12,
    /*Wide*/ 1,      /*Float*/ 2,   /*FloatDivide*/ 50,
    /*Function*/ 40, /*Load*/ 1,    /*Store*/ 1,        /*Branch*/ 3,
    /*Fall*/ 2,      /*Call*/ 12,   /*Machine*/ 2,
};

static constexpr CslMachine kWse2 = {
    .name = "wse2",
    .generation = 2,
    // Working With Code Samples: the fabric dimensions of a whole machine.
    .fabricWidth = 757,
    .fabricHeight = 996,
    // Appendix, SIMD Mode: eight banks of 6 KB.
    .memoryBytesPerPe = 48 << 10,
    .dsd = kDsd,
    // Builtins, @get_color: 24 colors (AMB-061).
    .colors = 24,
    .switchableColors = 0xffffff,
    .switchPositions = 4,
    .switchRxAndTx = false,
    .colorSwap = true,
    // Release notes 1.4: six filters; others measured four.
    .filters = 6,
    .routerWords = 4,
    // Task Identifiers: a data_task_id is a color.
    .dataTasks = 24,
    .firstLocalTask = 0,
    .lastLocalTask = 30,
    .controlTasks = 64,
    .teardownTask = 29,
    .timerTask = 30,
    .noControlTask = 31,
    .rotatingTasks = 0,
    .separateControlTable = false,
    .memcpy = {.colors = 1u << 21 | 1u << 22 | 1u << 23,
               .localTasks = 1u << 27 | 1u << 28 | 1u << 29 | 1u << 30,
               .controlTasks = uint64_t(0x1f) << 33,
               .inputQueues = 1,
               .outputQueues = 1,
               .microthreads = 1},
    .inputQueueWords = kInputQueues2,
    .outputQueueWords = kOutputQueues2,
    .colorQueueWords = 2,
    .microthreads = 8,
    .explicitMicrothreads = false,
    .queueFlush = false,
    .oneFabricInput = false,
    .outputQueueColor = false,
    // Rulings: large enough for every published program.
    .dsrsPerFile = 16,
    .xdsrs = 8,
    .strideRegisters = 8,
    .fifoAlignBytes = 4,
    .fifoFullAction = false,
    .prngs = 4,
    .instructionBytes = 4,
    .stackBytes = 1024,
    .firstAddress = 16,
    .memcpyBytes = 4176,
    .memoryBanks = 8,
    .simdElements = kSimd2,
    // Ruling, after published reduces: 1 cycle a hop.
    .clockMHz = 850,
    .hopCycles = 1,
    // Published model of collectives: ramp latency 2.
    .rampCycles = 2,
    // Ruling, after a published trace: 1 + N cycles. The dispatch is apart: a
    // published 784 iterations (45,783 cycles) and the 7 cycles from dispatch
    // to ramp (SIM-005) fit better with it than without.
    .fmacsStartCycles = 1,
    // Fitted, see kScalarCycles. SIM-010 has 15 for a copy, 17 for an f32 fma
    // with three descriptors; with dispatch and start these give 13 and 18.
    .dsrLoadCycles = 5,
    // Fitted, see kScalarCycles; SIM-006, of WSE-3, has about 3 from the last
    // wavelet of an operation to the task that it activates.
    .taskStartCycles = 2,
    .bankModulus = 0,
    .scalarCycles = kScalarCycles,
};

// What differs from WSE-2; the rest is published for both, or for WSE-2 alone
// and taken over.
static constexpr CslMachine makeWse3() {
  CslMachine machine = kWse2;
  machine.name = "wse3";
  machine.generation = 3;
  // Working With Code Samples: the fabric dimensions of a whole machine.
  machine.fabricWidth = 762;
  machine.fabricHeight = 1172;
  // Builtins, @set_color_config: 0-9, 12, 13, 16, 17, 20, 21.
  machine.switchableColors =
      0x3ff | 1u << 12 | 1u << 13 | 1u << 16 | 1u << 17 | 1u << 20 | 1u << 21;
  machine.switchRxAndTx = true;
  machine.colorSwap = false;
  // Task Identifiers: a data_task_id is an input queue.
  machine.dataTasks = 8;
  machine.firstLocalTask = 8;
  machine.rotatingTasks = 2;
  machine.separateControlTable = true;
  machine.memcpy.inputQueues = 3;
  machine.inputQueueWords = kInputQueues3;
  machine.outputQueueWords = kOutputQueues3;
  machine.explicitMicrothreads = true;
  machine.queueFlush = true;
  machine.oneFabricInput = true;
  machine.outputQueueColor = true;
  machine.fifoFullAction = true;
  machine.simdElements = kSimd3;
  // Debugging, router landing log, and ruling: 2 cycles a hop.
  machine.hopCycles = 2;
  return machine;
}
static constexpr CslMachine kWse3 = makeWse3();

// Libraries, <message_passing>: colors 14 to 18, 32 wavelets, WSE-3 (LIB-062,
// FAB-080). Which of the colors has the messages is a ruling.
static constexpr CslMessages kMessages3 = {
    .colors = 0x1f << 14,
    .color = 14,
    .maxWords = 32,
};

const CslMessages *sequin::messagesOf(const CslMachine &machine) {
  return machine.generation == 3 ? &kMessages3 : nullptr;
}

static constexpr const CslMachine *kCslMachines[] = {&kWse2, &kWse3};

llvm::ArrayRef<const CslMachine *> sequin::cslMachines() {
  return kCslMachines;
}

const CslMachine *sequin::lookupCslMachine(llvm::StringRef name) {
  for (const CslMachine *machine : kCslMachines)
    if (machine->name == name)
      return machine;
  return nullptr;
}

std::string sequin::knownCslMachineNames() {
  return llvm::join(llvm::map_range(kCslMachines,
                                    [](const CslMachine *machine) {
                                      return llvm::StringRef(machine->name);
                                    }),
                    ", ");
}

bool sequin::isFormerCslMachine(llvm::StringRef name) { return name == "wse1"; }

llvm::StringRef sequin::getName(ScalarClass kind) {
  switch (kind) {
  case ScalarClass::Move:
    return "move";
  case ScalarClass::Integer:
    return "integer";
  case ScalarClass::Multiply:
    return "multiply";
  case ScalarClass::Divide:
    return "divide";
  case ScalarClass::Wide:
    return "wide";
  case ScalarClass::Float:
    return "float";
  case ScalarClass::FloatDivide:
    return "float_divide";
  case ScalarClass::Function:
    return "function";
  case ScalarClass::Load:
    return "load";
  case ScalarClass::Store:
    return "store";
  case ScalarClass::Branch:
    return "branch";
  case ScalarClass::Fall:
    return "fall";
  case ScalarClass::Call:
    return "call";
  case ScalarClass::Machine:
    return "machine";
  }
  llvm_unreachable("unknown class");
}

unsigned sequin::simdWidthAtStride(unsigned width, int64_t stride) {
  if (stride == 0 || stride == 1)
    return width;
  switch (stride & 7) {
  case 0:
    return 1;
  case 1:
  case 4:
  case 7:
    return std::min(width, 2u);
  default:
    return width;
  }
}

static llvm::json::Array toArray(llvm::ArrayRef<unsigned> values) {
  llvm::json::Array array;
  for (unsigned value : values)
    array.push_back(static_cast<int64_t>(value));
  return array;
}

/// The numbers of the bits that are set.
static llvm::json::Array toArray(uint64_t bits) {
  llvm::json::Array array;
  for (int64_t bit = 0; bit < 64; ++bit)
    if (bits >> bit & 1)
      array.push_back(bit);
  return array;
}

llvm::json::Value sequin::toJSON(const CslMachine &machine) {
  const DsdLimits &dsd = machine.dsd;
  llvm::json::Object simd, scalar;
  for (unsigned i = 0; i < kDsdOpcodes; ++i) {
    auto opcode = static_cast<DsdOpcode>(i);
    simd[getInfo(opcode).name] =
        static_cast<int64_t>(machine.simdWidth(opcode));
  }
  for (unsigned i = 0; i < kScalarClasses; ++i) {
    auto kind = static_cast<ScalarClass>(i);
    scalar[getName(kind)] = machine.cycles(kind);
  }
  const MemcpyReservation &memcpy = machine.memcpy;
  llvm::json::Object messages;
  if (const CslMessages *facts = messagesOf(machine))
    messages = llvm::json::Object{
        {"colors", toArray(uint64_t(facts->colors))},
        {"color", static_cast<int64_t>(facts->color)},
        {"max_words", static_cast<int64_t>(facts->maxWords)}};
  return llvm::json::Object{
      {"name", machine.name},
      {"fabric_width", machine.fabricWidth},
      {"fabric_height", machine.fabricHeight},
      {"pes", machine.pes()},
      {"memory_bytes_per_pe", machine.memoryBytesPerPe},
      {"dsd",
       llvm::json::Object{
           {"mem4d_dimensions", static_cast<int64_t>(dsd.mem4dDimensions)},
           {"mem1d_stride_bits", static_cast<int64_t>(dsd.mem1dStrideBits)},
           {"mem4d_stride_bits", static_cast<int64_t>(dsd.mem4dStrideBits)},
           {"offset_bits", static_cast<int64_t>(dsd.offsetBits)},
           {"extent_bits", static_cast<int64_t>(dsd.extentBits)},
           {"wraparound_bits", static_cast<int64_t>(dsd.wraparoundBits)},
       }},
      {"colors", static_cast<int64_t>(machine.colors)},
      {"switchable_colors", toArray(machine.switchableColors)},
      {"switch_positions", static_cast<int64_t>(machine.switchPositions)},
      {"switch_rx_and_tx", machine.switchRxAndTx},
      {"color_swap", machine.colorSwap},
      {"filters", static_cast<int64_t>(machine.filters)},
      {"router_words", static_cast<int64_t>(machine.routerWords)},
      {"data_tasks", static_cast<int64_t>(machine.dataTasks)},
      {"first_local_task", static_cast<int64_t>(machine.firstLocalTask)},
      {"last_local_task", static_cast<int64_t>(machine.lastLocalTask)},
      {"control_tasks", static_cast<int64_t>(machine.controlTasks)},
      {"teardown_task", static_cast<int64_t>(machine.teardownTask)},
      {"timer_task", static_cast<int64_t>(machine.timerTask)},
      {"no_control_task", static_cast<int64_t>(machine.noControlTask)},
      {"rotating_tasks", static_cast<int64_t>(machine.rotatingTasks)},
      {"separate_control_table", machine.separateControlTable},
      {"memcpy",
       llvm::json::Object{
           {"colors", toArray(uint64_t(memcpy.colors))},
           {"local_tasks", toArray(uint64_t(memcpy.localTasks))},
           {"control_tasks", toArray(memcpy.controlTasks)},
           {"input_queues", toArray(uint64_t(memcpy.inputQueues))},
           {"output_queues", toArray(uint64_t(memcpy.outputQueues))},
           {"microthreads", toArray(uint64_t(memcpy.microthreads))},
       }},
      {"input_queue_words", toArray(machine.inputQueueWords)},
      {"output_queue_words", toArray(machine.outputQueueWords)},
      {"color_queue_words", static_cast<int64_t>(machine.colorQueueWords)},
      {"microthreads", static_cast<int64_t>(machine.microthreads)},
      {"explicit_microthreads", machine.explicitMicrothreads},
      {"queue_flush", machine.queueFlush},
      {"one_fabric_input", machine.oneFabricInput},
      {"output_queue_color", machine.outputQueueColor},
      {"dsrs_per_file", static_cast<int64_t>(machine.dsrsPerFile)},
      {"xdsrs", static_cast<int64_t>(machine.xdsrs)},
      {"stride_registers", static_cast<int64_t>(machine.strideRegisters)},
      {"fifo_align_bytes", static_cast<int64_t>(machine.fifoAlignBytes)},
      {"fifo_full_action", machine.fifoFullAction},
      {"prngs", static_cast<int64_t>(machine.prngs)},
      {"instruction_bytes", static_cast<int64_t>(machine.instructionBytes)},
      {"stack_bytes", static_cast<int64_t>(machine.stackBytes)},
      {"first_address", static_cast<int64_t>(machine.firstAddress)},
      {"memcpy_bytes", static_cast<int64_t>(machine.memcpyBytes)},
      {"memory_banks", static_cast<int64_t>(machine.memoryBanks)},
      {"simd_elements", std::move(simd)},
      {"clock_mhz", static_cast<int64_t>(machine.clockMHz)},
      {"hop_cycles", machine.hopCycles},
      {"ramp_cycles", machine.rampCycles},
      {"fmacs_start_cycles", machine.fmacsStartCycles},
      {"dsr_load_cycles", machine.dsrLoadCycles},
      {"task_start_cycles", machine.taskStartCycles},
      {"bank_modulus", static_cast<int64_t>(machine.bankModulus)},
      {"scalar_cycles", std::move(scalar)},
      {"independent_float_cycles",
       static_cast<int64_t>(
           pipelineOf(static_cast<int>(machine.generation)).independentFloat)},
      {"messages", std::move(messages)},
  };
}
