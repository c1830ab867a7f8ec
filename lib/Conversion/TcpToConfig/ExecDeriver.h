//===- ExecDeriver.h - From a pass of stages to one command -----*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_CONVERSION_TCPTOCONFIG_EXECDERIVER_H
#define SEQUIN_LIB_CONVERSION_TCPTOCONFIG_EXECDERIVER_H

#include "Derivation.h"

namespace sequin::derivation {

/// Follows the stream from its begin to its sink, filling in the command. Each
/// engine's stages are in a file of their own.
class ExecDeriver {
public:
  ExecDeriver(tcp::BeginOp begin, const AddressTable &addresses,
              const TcpMachine &machine)
      : begin(begin), addresses(addresses), machine(machine) {}

  llvm::FailureOr<config::ExecCommand> run(mlir::Operation *&sink);

private:
  llvm::LogicalResult step(mlir::Operation *op);

  // DeriveFetch.cpp
  llvm::LogicalResult stage(tcp::FetchOp op);
  // DeriveSwitch.cpp
  llvm::LogicalResult stage(tcp::SwitchOp op);
  llvm::LogicalResult stage(tcp::CollectOp op);
  // DeriveContract.cpp
  llvm::LogicalResult stage(tcp::ToTrfOp op);
  llvm::LogicalResult stage(tcp::AlignOp op);
  llvm::LogicalResult stage(tcp::ContractOp op);
  llvm::LogicalResult stage(tcp::AccumulateOp op);
  // DeriveVector.cpp
  llvm::LogicalResult stage(tcp::VectorInitOp op);
  llvm::LogicalResult stage(tcp::VectorIntraSliceBranchOp op);
  llvm::LogicalResult stage(tcp::VectorFxpOp op);
  llvm::LogicalResult stage(tcp::VectorFxpToFpOp op);
  llvm::LogicalResult stage(tcp::VectorSplitOp op);
  llvm::LogicalResult stage(tcp::VectorFpBinaryOp op);
  llvm::LogicalResult stage(tcp::VectorConcatOp op);
  llvm::LogicalResult stage(tcp::VectorFpToFxpOp op);
  llvm::LogicalResult stage(tcp::VectorClipOp op);
  llvm::LogicalResult stage(tcp::VectorFinalOp op);
  // DeriveCommit.cpp
  llvm::LogicalResult stage(tcp::CastOp op);
  llvm::LogicalResult stage(tcp::CommitOp op);
  llvm::LogicalResult stage(tcp::ToVrfOp op);

  template <typename OpTy>
  llvm::LogicalResult vectorBinary(OpTy op, config::VectorOpcode opcode);
  /// The slices that hold data take part.
  llvm::LogicalResult setSliceMask(mlir::Operation *op, tcp::GridAttr grid);

  bool isSub() { return begin.getExecutionContext() == tcp::Context::Sub; }
  config::VectorStage &vector(mlir::Operation *op);

  tcp::BeginOp begin;
  const AddressTable &addresses;
  const TcpMachine &machine;
  config::ExecCommand command;
  tcp::AlignOp align;
  tcp::ContractOp contract;
};

/// Bytes of the innermost contiguous run; 0 if it is no whole number of them.
int64_t contiguousBytes(const Sequencer &sequencer, ElementType type);

/// The largest of `sizes` up to `most` that divides both numbers of bytes
/// (FET-04, COM-08).
std::optional<int64_t> largestAccess(llvm::ArrayRef<int64_t> sizes, int64_t a,
                                     int64_t b, int64_t most);

} // namespace sequin::derivation

#endif // SEQUIN_LIB_CONVERSION_TCPTOCONFIG_EXECDERIVER_H
