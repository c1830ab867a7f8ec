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
#include "llvm/ADT/DenseMap.h"

namespace sequin::derivation {

/// Byte addresses of the memory tensors that exist so far. TRF tensors have a
/// mode instead, found at their defining operation.
using AddressTable = llvm::DenseMap<mlir::Value, int64_t>;

/// Copies between a host array and HBM; `host` is argument or result `index`.
llvm::FailureOr<config::Transfer>
deriveTransfer(mlir::Operation *op, tcp::HostType host, tcp::HbmType hbm,
               int64_t address, config::Transfer::Direction direction,
               int64_t index);

/// HBM -> DM and DM -> HBM, split over the DMA engines.
llvm::FailureOr<config::DmaCommand>
deriveToDm(tcp::ToDmOp op, int64_t sourceAddress, const TcpMachine &machine);
llvm::FailureOr<config::DmaCommand>
deriveFromDm(tcp::ToHbmOp op, int64_t sourceAddress, const TcpMachine &machine);

/// The pass of the tensor unit that starts at `begin`; `sink` is set to its
/// last operation.
llvm::FailureOr<config::ExecCommand> deriveExec(tcp::BeginOp begin,
                                                const AddressTable &addresses,
                                                const TcpMachine &machine,
                                                mlir::Operation *&sink);

/// align, contract and accumulate as one stage.
llvm::FailureOr<config::ContractStage>
deriveContract(tcp::AlignOp align, tcp::ContractOp contract,
               tcp::AccumulateOp accumulate, const TcpMachine &machine);

/// Which elements of fetched packets are padding and must read as zero; none if
/// the stream has no padding. `timeLoops` are the time entries of the
/// sequencer.
llvm::FailureOr<std::optional<config::FetchMask>>
deriveFetchMask(tcp::FetchOp op, llvm::ArrayRef<SequencerEntry> timeLoops);

/// The entries of a derivation whose packet part is exactly `packetElements`:
/// merging may have joined the packet with the loop around it, which the engine
/// must keep apart because it pads packet by packet.
Sequencer separatePacket(const Derivation &derivation, int64_t packetElements,
                         const SequencerLimits &limits);

/// Structs of the configuration from a sequencer of the stream core.
config::Sequencer toConfig(const Sequencer &sequencer, ElementType type,
                           int64_t address);

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
