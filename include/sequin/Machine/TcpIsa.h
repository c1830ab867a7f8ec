//===- TcpIsa.h - Constants of the Virtual ISA ------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shapes that the Virtual ISA itself fixes, for every machine of the family:
// the manual's types assert them, and so do the verifiers of the tcp dialect.
// What differs between machines is a field of TcpMachine.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_MACHINE_TCPISA_H
#define SEQUIN_MACHINE_TCPISA_H

#include <cstdint>

namespace sequin::tcp_isa {

/// Bytes of a flit, the packet of every engine after collect (Collect Engine).
inline constexpr int64_t kFlitBytes = 32;
/// A fetch output packet is a multiple of this, in bytes (Fetch, Interface).
inline constexpr int64_t kFetchAlignBytes = 8;
/// A commit keeps a multiple of this of each flit, in bytes (Commit,
/// Constraints).
inline constexpr int64_t kCommitUnitBytes = 8;
/// Bytes of a computation packet, mac_width (Stream Adapter, Flit Buffer).
inline constexpr int64_t kMacWidthBytes = 64;
/// Most flits of a computation packet this model collects (Flit Buffer).
inline constexpr int64_t kMaxCollectFlits = 2;
/// 32-bit lanes of the accumulator's output bus and of the vector engine.
inline constexpr int64_t kLanes = 8;
/// Lanes of the vector engine between Narrow and Widen (Way4).
inline constexpr int64_t kNarrowLanes = 4;
/// Columns per row that the adder tree hands to the accumulator (Resize).
inline constexpr int64_t kAccumulatorColumns = 32;
/// Rows of the MAC array that the interleaved output pads to.
inline constexpr int64_t kRows = 8;

} // namespace sequin::tcp_isa

#endif // SEQUIN_MACHINE_TCPISA_H
