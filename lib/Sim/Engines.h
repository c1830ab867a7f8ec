//===- Engines.h - The stages of the tensor unit ----------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each engine is made once per command and runs for one slice after the other:
// begin() binds it to the slice's memory, then data passes in blocks of flits.
// Nothing can go wrong here any more: the command has been checked.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_SIM_ENGINES_H
#define SEQUIN_LIB_SIM_ENGINES_H

#include "Memory.h"
#include "Nest.h"
#include "Plan.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <bit>
#include <memory>

namespace sequin::sim {

// Memories are little-endian, and streams are read as the host's integers.
static_assert(std::endian::native == std::endian::little,
              "the simulator needs a little-endian host");

/// A block of whole flits, which the receiver may change.
using FlitSink = llvm::function_ref<void(llvm::MutableArrayRef<uint8_t>)>;

/// Reads DM, converts, and pads packets to flits.
class FetchEngine {
public:
  FetchEngine(const config::FetchStage &stage, const CommandPlan &plan,
              const TcpMachine &machine);
  void begin(const uint8_t *dm);
  /// The next `packets` packets as flits; the block is valid until the next
  /// call.
  llvm::MutableArrayRef<uint8_t> read(int64_t packets);

private:
  void applyMask(uint8_t *packet);

  const config::FetchStage &stage;
  int64_t sourceBytes, streamBytes, paddedBytes;
  ByteStream addresses;
  const uint8_t *base = nullptr;
  std::vector<uint8_t> source, flits;
  /// Time loops, for the mask; kept only if there is one.
  llvm::SmallVector<std::pair<int64_t, int64_t>, 8> time; ///< size, count
};

class ContractEngine {
public:
  virtual ~ContractEngine() = default;
  static std::unique_ptr<ContractEngine>
  create(const config::ContractStage &stage, const CommandPlan &plan,
         const TcpMachine &machine);
  /// `trf` holds all rows, one after the other.
  virtual void begin(const uint8_t *trf) = 0;
  /// Takes whole computation packets and passes on what is complete.
  virtual void push(llvm::ArrayRef<uint8_t> flits, FlitSink sink) = 0;
  /// Passes on what is left.
  virtual void finish(FlitSink sink) = 0;
};

/// Works on flits in place.
class VectorEngine {
public:
  explicit VectorEngine(const config::VectorStage &stage);
  void begin(const uint8_t *vrf);
  void apply(llvm::MutableArrayRef<uint8_t> flits);

private:
  struct Op {
    const config::VectorOp *config;
    ByteStream operands;
  };
  std::vector<Op> ops;
  const uint8_t *base = nullptr;
  std::vector<uint32_t> operandBuffer;
};

/// Narrows the elements of every flit in place and zeroes its rest.
void castFlits(const config::CastStage &stage, const TcpMachine &machine,
               llvm::MutableArrayRef<uint8_t> flits);

/// The end of the pipeline: DM, TRF or VRF.
class Sink {
public:
  Sink(const config::ExecCommand &exec, const TcpMachine &machine);
  void begin(SystemMemory &memory, int64_t slice, const CommandPlan &plan);
  void write(llvm::ArrayRef<uint8_t> flits);

private:
  const config::ExecCommand &exec;
  const TcpMachine &machine;
  ByteStream addresses;    ///< commit
  uint8_t *base = nullptr; ///< of the tensor in the slice's memory
  int64_t position = 0;    ///< bytes taken, register files
};

void runExec(const config::ExecCommand &exec, const CommandPlan &plan,
             const TcpMachine &machine, SystemMemory &memory);
void runDma(const config::DmaCommand &dma, const TcpMachine &machine,
            SystemMemory &memory);
void runTransfer(const config::Transfer &transfer, SystemMemory &memory,
                 llvm::ArrayRef<HostArray> inputs,
                 llvm::MutableArrayRef<HostArray> outputs);

} // namespace sequin::sim

#endif // SEQUIN_LIB_SIM_ENGINES_H
