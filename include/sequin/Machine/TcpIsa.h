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

#include <array>
#include <cstdint>

namespace sequin::tcp_isa {

/// Bytes of a flit, the packet of every engine after collect (Collect Engine).
inline constexpr int64_t kFlitBytes = 32;
/// A fetch output packet is a multiple of this, in bytes (Fetch, Interface).
inline constexpr int64_t kFetchAlignBytes = 8;
/// Most tensors of one interleaved fetch (Fetch, Interleaving Tensors).
inline constexpr int64_t kInterleavedTensors = 2;
/// Bits of the widest element that can index a table (ruling; the manual shows
/// i8).
inline constexpr unsigned kTableIndexBits = 16;
/// A commit keeps a multiple of this of each flit, in bytes (Commit,
/// Constraints).
inline constexpr int64_t kCommitUnitBytes = 8;
/// Bits of the number that generate mode writes (Commit, Sub-Context
/// Operations).
inline constexpr int64_t kGenerateBits = 32;
/// Bytes of a computation packet, mac_width (Stream Adapter, Flit Buffer).
inline constexpr int64_t kMacWidthBytes = 64;
/// Most flits that the stream adapter collects, for shift-reuse (Flit Buffer).
inline constexpr int64_t kMaxCollectFlits = 3;
/// 32-bit lanes of the accumulator's output bus and of the vector engine.
inline constexpr int64_t kLanes = 8;
/// Lanes of the vector engine between Narrow and Widen (Way4).
inline constexpr int64_t kNarrowLanes = 4;
/// Bits of an ExecutionId, and the comparisons that can set one each
/// (Intra-Slice Block, Branch).
inline constexpr int64_t kExecutionIdBits = 4;
inline constexpr int64_t kBranchComparisons = kExecutionIdBits;
/// Accumulator slots of the intra-slice reduce (Intra-Slice Reduce,
/// Architectural Parameters).
inline constexpr int64_t kReduceSlots = 8;
/// Valid Count Generator, VCG Configuration: counters of its sequencer and gate
/// dims beside the packet dim.
inline constexpr int64_t kValidCountCounters = 8;
inline constexpr int64_t kValidCountGates = 3;
/// Columns per row that the adder tree hands to the accumulator (Resize).
inline constexpr int64_t kAccumulatorColumns = 32;
/// Rows of the MAC array that the interleaved output pads to.
inline constexpr int64_t kRows = 8;
/// Rows that reduce-max can use (Reducer, Constraints).
inline constexpr int64_t kMaxReduceRows = 1;
/// What the transpose engine takes of elements of `bits` bits (Transpose
/// Engine, Constraints).
struct TransposeFormat {
  int64_t bits;
  int64_t elementsPerPacket; ///< that count of an input flit
  int64_t outputAlignment;   ///< elements of an output flit
  int64_t maxRows;           ///< in_rows
  /// in_cols; 0 for none.
  std::array<int64_t, 3> columns;
};
inline constexpr TransposeFormat kTransposeFormats[] = {
    {4, 16, 64, 16, {16, 32, 0}},
    {8, 8, 32, 8, {8, 16, 32}},
    {16, 8, 16, 4, {8, 16, 32}},
    {32, 8, 8, 2, {8, 16, 32}},
};
/// Columns of one of its two buffers (Internal Buffer Architecture).
inline constexpr int64_t kTransposeBufferColumns = 16;

} // namespace sequin::tcp_isa

#endif // SEQUIN_MACHINE_TCPISA_H
