//===- ExecDeriver.h - From a pass of stages to one command -----*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_CONVERSION_TCPTOCONFIG_EXECDERIVER_H
#define SEQUIN_LIB_CONVERSION_TCPTOCONFIG_EXECDERIVER_H

#include "Walks.h"
#include "sequin/Dialect/Tcp/IR/TcpVectorOperands.h"

namespace sequin::derivation {

/// Follows the stream from its begin to its sink, filling in the command. Each
/// engine's stages are in a file of their own.
class ExecDeriver {
public:
  ExecDeriver(PassBegin begin, const AddressTable &addresses,
              int64_t viewAddress, const TcpMachine &machine)
      : begin(begin), addresses(addresses), viewAddress(viewAddress),
        machine(machine) {}

  llvm::FailureOr<config::ExecCommand> run(mlir::Operation *&sink);

private:
  llvm::LogicalResult step(mlir::Operation *op);

  // DeriveFetch.cpp
  llvm::LogicalResult stage(tcp::FetchOp op);
  llvm::LogicalResult setDistance(tcp::FetchOp op, Sequencer &sequencer);
  // DeriveSwitch.cpp
  llvm::LogicalResult stage(tcp::SwitchOp op);
  llvm::LogicalResult stage(tcp::CollectOp op);
  llvm::LogicalResult stage(tcp::VectorInterSliceReduceOp op);
  // DeriveContract.cpp
  llvm::LogicalResult stage(tcp::ToTrfOp op);
  llvm::LogicalResult stage(tcp::AlignOp op);
  llvm::LogicalResult stage(tcp::ContractOp op);
  llvm::LogicalResult stage(tcp::AccumulateOp op);
  // DeriveVector.cpp
  llvm::LogicalResult stage(tcp::VectorInitOp op);
  llvm::LogicalResult stage(tcp::VectorIntraSliceBranchOp op);
  llvm::LogicalResult stage(tcp::VectorBranchLogOp op);
  llvm::LogicalResult stage(tcp::VectorIntraSliceUnzipOp op);
  llvm::LogicalResult stage(tcp::VectorStashOp op);
  llvm::LogicalResult stage(tcp::VectorReinterpretOp op);
  llvm::LogicalResult stage(tcp::VectorLogicOp op);
  llvm::LogicalResult stage(tcp::VectorLogicZipOp op);
  llvm::LogicalResult stage(tcp::VectorFxpOp op);
  llvm::LogicalResult stage(tcp::VectorFxpZipOp op);
  llvm::LogicalResult stage(tcp::VectorFxpToFpOp op);
  llvm::LogicalResult stage(tcp::VectorSplitOp op);
  llvm::LogicalResult stage(tcp::VectorTrimWay4Op op);
  llvm::LogicalResult stage(tcp::VectorFpUnaryOp op);
  llvm::LogicalResult stage(tcp::VectorFpBinaryOp op);
  llvm::LogicalResult stage(tcp::VectorFpTernaryOp op);
  llvm::LogicalResult stage(tcp::VectorFpZipOp op);
  llvm::LogicalResult stage(tcp::VectorFpDivOp op);
  llvm::LogicalResult stage(tcp::VectorConcatOp op);
  llvm::LogicalResult stage(tcp::VectorPadWay8Op op);
  llvm::LogicalResult stage(tcp::VectorFpToFxpOp op);
  llvm::LogicalResult stage(tcp::VectorClipOp op);
  llvm::LogicalResult stage(tcp::VectorClipZipOp op);
  llvm::LogicalResult stage(tcp::VectorFilterOp op);
  llvm::LogicalResult stage(tcp::VectorFinalOp op);
  llvm::LogicalResult axisToggle(tcp::VectorIntraSliceBranchOp op,
                                 config::BranchStage &branch);
  llvm::LogicalResult branchValidCount(tcp::VectorIntraSliceBranchOp op);
  /// How the stream that enters `op` walks a tensor in the VRF.
  llvm::FailureOr<config::Sequencer>
  vrfSequencer(mlir::Operation *op, mlir::TypedValue<tcp::VrfType> vrf);
  llvm::FailureOr<config::VectorOperand>
  vectorOperand(mlir::Operation *op, const tcp::VectorOperand &operand);
  /// One entry, or one per group of a pair.
  llvm::LogicalResult
  vectorOperation(mlir::Operation *op, config::VectorOp entry,
                  tcp::ArgMode mode,
                  llvm::ArrayRef<tcp::VectorOperand> operands);
  template <typename OpTy>
  llvm::LogicalResult vectorOperands(OpTy op, config::VectorOpcode opcode);
  template <typename OpTy>
  llvm::LogicalResult vectorZip(OpTy op, config::VectorOpcode opcode);
  llvm::LogicalResult
  plainVectorOp(mlir::Operation *op, config::VectorOpcode opcode,
                std::optional<int64_t> intWidth = std::nullopt);
  // DeriveReduce.cpp
  llvm::LogicalResult stage(tcp::VectorIntraSliceReduceOp op);
  // DeriveCommit.cpp
  llvm::LogicalResult stage(tcp::CastOp op);
  llvm::LogicalResult stage(tcp::CommitOp op);
  llvm::LogicalResult stage(tcp::CommitViewOp op);
  llvm::LogicalResult stage(tcp::CommitPackedOp op);
  llvm::LogicalResult commit(mlir::Operation *op, tcp::StreamType input,
                             stream::MappingAttr element,
                             stream::MappingAttr slices, int64_t address,
                             bool isView);
  llvm::LogicalResult stage(tcp::ToVrfOp op);
  // DeriveTranspose.cpp
  llvm::LogicalResult stage(tcp::TransposeOp op);

  /// The slices that hold data take part.
  llvm::LogicalResult setSliceMask(mlir::Operation *op, tcp::GridAttr grid);

  bool isSub() { return begin.getExecutionContext() == tcp::Context::Sub; }
  config::VectorStage &vector(mlir::Operation *op);
  /// The operations of the intra-slice block, on the side of the inter-slice
  /// block that the pass has come to.
  std::vector<config::VectorOp> &vectorOps(mlir::Operation *op) {
    config::VectorStage &stage = vector(op);
    return stage.interSlice ? stage.opsAfter : stage.ops;
  }

  PassBegin begin;
  const AddressTable &addresses;
  int64_t viewAddress;
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
