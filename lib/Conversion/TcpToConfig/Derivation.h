//===- Derivation.h - Parts of the derivation -------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_CONVERSION_TCPTOCONFIG_DERIVATION_H
#define SEQUIN_LIB_CONVERSION_TCPTOCONFIG_DERIVATION_H

#include "sequin/Config/Config.h"
#include "sequin/Dialect/Tcp/IR/TcpDialect.h"
#include "sequin/Machine/Machine.h"
#include "sequin/Stream/Sequencer.h"
#include "sequin/Stream/ValidCount.h"
#include "llvm/ADT/DenseMap.h"

namespace sequin::derivation {

/// Byte addresses of the memory tensors that exist so far. TRF tensors have a
/// mode instead, found at their defining operation.
using AddressTable = llvm::DenseMap<mlir::Value, int64_t>;

/// Where a pass starts: tcp.begin or tcp.begin_interleaved.
class PassBegin {
public:
  static bool is(mlir::Operation *op) {
    return llvm::isa<tcp::BeginOp, tcp::BeginInterleavedOp>(op);
  }
  explicit PassBegin(mlir::Operation *op) : op(op) {}

  operator mlir::Operation *() const { return op; }
  /// The tensors that are read, all of one type.
  mlir::OperandRange getInputs() const { return op->getOperands(); }
  mlir::TypedValue<tcp::DmType> getInput() const {
    return llvm::cast<mlir::TypedValue<tcp::DmType>>(op->getOperand(0));
  }
  tcp::Context getExecutionContext() const {
    return llvm::cast<tcp::StreamType>(op->getResult(0).getType())
        .getExecutionContext();
  }
  mlir::InFlightDiagnostic emitOpError() const { return op->emitOpError(); }

private:
  mlir::Operation *op;
};

/// Turns distances in elements into bytes. Two i4 share a byte, so a distance
/// of an odd number of them has no byte address.
class ByteDistance {
public:
  ByteDistance(mlir::Operation *op, mlir::Type type)
      : op(op), type(type), bits(getBitWidth(*tcp::getElementKind(type))) {}

  llvm::FailureOr<int64_t> operator()(int64_t elements) const;

private:
  mlir::Operation *op;
  mlir::Type type;
  int64_t bits;
};

/// Chips are laid side by side in the address spaces of a derivation, so far
/// apart that no memory reaches its neighbour. Bytes.
inline constexpr int64_t kChipSpan = int64_t(1) << 40;

/// Copies between a host array and HBM, a transfer per chip and piece; `host`
/// is argument, result or constant `index`.
llvm::FailureOr<std::vector<config::Transfer>>
deriveTransfer(mlir::Operation *op, tcp::HostType host, tcp::HbmType hbm,
               int64_t address, config::Transfer::Direction direction,
               int64_t index);

/// The constant as the configuration has it.
config::Constant describeConstant(tcp::ConstantOp op, std::string name);

/// Whether the tensor DMA engines do `op`.
bool isDmaOp(mlir::Operation *op);
/// The command of such an operation, its work split over the DMA engines.
/// `viewAddress` is where the part of a tensor begins that it writes
/// (tcp.to_hbm_view), `chipOffsets` bytes by chip what the source's address is
/// to be added to (a tile that starts elsewhere on every chip), or empty.
llvm::FailureOr<config::DmaCommand>
deriveDma(mlir::Operation *op, const AddressTable &addresses,
          int64_t viewAddress, llvm::ArrayRef<int64_t> chipOffsets,
          const TcpMachine &machine);

/// The pass of the tensor unit that starts at `begin`; `sink` is set to its
/// last operation. `viewAddress` is where the part of a tensor begins that the
/// pass writes (tcp.commit_view).
llvm::FailureOr<config::ExecCommand>
deriveExec(PassBegin begin, const AddressTable &addresses, int64_t viewAddress,
           const TcpMachine &machine, mlir::Operation *&sink);

/// The slices of `grid` that hold data, as ExecCommand::sliceMask.
llvm::FailureOr<std::vector<uint64_t>>
deriveSliceMask(mlir::Operation *op, tcp::GridAttr grid,
                const TcpMachine &machine);

/// The one number that generate mode writes.
llvm::FailureOr<config::GenerateCommand>
deriveGenerate(tcp::ItosOp op, const TcpMachine &machine);

/// align, contract and accumulate as one stage.
llvm::FailureOr<config::ContractStage>
deriveContract(tcp::AlignOp align, tcp::ContractOp contract,
               tcp::AccumulateOp accumulate, const TcpMachine &machine);

/// Bits of the number, as its type holds it.
int64_t bitsOf(mlir::Attribute number);

/// Structs of the configuration from a sequencer of the stream core.
config::Sequencer toConfig(const Sequencer &sequencer, ElementType type,
                           int64_t address);

config::ValidCountGenerator toConfig(const ValidCountConfig &config);

/// Emits an error of the stream core at `op`.
template <typename T>
llvm::FailureOr<T> reportAt(mlir::Operation *op, llvm::Expected<T> value,
                            llvm::StringRef what) {
  if (value)
    return std::move(*value);
  return op->emitOpError() << what << ": " << llvm::toString(value.takeError());
}

} // namespace sequin::derivation

#endif // SEQUIN_LIB_CONVERSION_TCPTOCONFIG_DERIVATION_H
