//===- Descriptor.h - DSD values as the machine holds them ------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A DSD is a value of 64 bits: in a bytecode register, in a variable of DSD
// type (eight bytes), in a DSR. Descriptor is its readable form, pack() and
// unpack() the bits:
//
//              0..2  3      4..7           8..15        16..31  32..47 48..63
//   mem1d      kind  index                 stride (i8)  extent  base
//   mem4d      kind  index                              shape   base
//   circular   kind  index                              extent  base   wrap
//   fabric     kind  index  control,       queue 8..11  extent  color 32..36,
//                           advance,       zero 12..13          hasColor 37,
//                           transform,     priority             simd 38..40
//                           hasQueue       14..15
//   fifo       kind                                     fifo
//
// Addresses are bytes, as CSL's pointers are. A stride, extent or wraparound
// counts elements, and how many bytes an element has is the operation's
// business (DSD-066): `@mov32` steps four bytes where `@mov16` steps two.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_WAFER_DESCRIPTOR_H
#define SEQUIN_WAFER_DESCRIPTOR_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>

namespace sequin::wafer {

enum class DescriptorKind : uint8_t {
  None, ///< a register nothing was loaded into
  Mem1d,
  Mem4d,
  Circular,
  FabricIn,
  FabricOut,
  Fifo,
};

/// "mem1d", ...: as in messages and JSON.
llvm::StringRef getName(DescriptorKind kind);
std::optional<DescriptorKind> parseDescriptorKind(llvm::StringRef name);

/// Of a microthread (ASY-030, ASY-031). The main thread is between Low and
/// Medium unless the register main_thread_priority says otherwise.
enum class Priority : uint8_t { Default, Low, Medium, High };
llvm::StringRef getName(Priority priority);

/// How many 16-bit elements one wavelet carries and how many wavelets must be
/// ready (DSD, SIMD Mode; DSD-055, DSD-056, AMB-006).
/// docs/Decisions/2026-11-23-wavelets-of-16-bits.md says what the default is.
enum class SimdMode : uint8_t {
  Default, ///< as fast as Simd32 on WSE-2, Max on WSE-3; one element per
           ///< wavelet
  Off,     ///< one element per wavelet
  Simd32,
  Simd64,
  Simd32Or64,
  Max,
};
llvm::StringRef getName(SimdMode mode);

/// Which source's memory a fabout clears when the operation is done (DSD-057).
enum class ZeroSource : uint8_t { None, First, Second };

/// The loops of a mem4d, innermost first, with stored strides as sequin::MemDsd
/// has them: what the address changes by, in elements, when a loop advances.
struct Shape {
  llvm::SmallVector<uint16_t, 4> extents = {};
  llvm::SmallVector<int16_t, 4> strides = {};
  bool operator==(const Shape &other) const = default;
};

/// Fields that a kind does not have are at their default.
struct Descriptor {
  DescriptorKind kind = DescriptorKind::None;

  // Memory.
  uint16_t base = 0;  ///< address of the first element, bytes; offset included
  int8_t stride = 1;  ///< mem1d: elements
  uint16_t shape = 0; ///< mem4d: index into Code::shapes
  uint16_t wraparound = 0; ///< circular: elements from base to the end

  /// Elements (mem1d, circular) or wavelets' elements (fabric). Unbounded on a
  /// fabric at 0x7fff (DSD-073).
  uint16_t extent = 0;
  /// Memory: `index` words of 16 bits are added to the base. Fabric out:
  /// `index` goes into the upper half of every wavelet (DSD-034, DSD-053).
  bool indexOffset = false;

  // Fabric. On WSE-2 a fabin may name a color instead of a queue: it then reads
  // the queue bound to that color. A fabout names queue and color there; on
  // WSE-3 the color is the queue's.
  std::optional<uint8_t> queue = {};
  std::optional<uint8_t> color = {};
  Priority priority = Priority::Default; ///< WSE-3
  SimdMode simd = SimdMode::Default;
  bool control = false;          ///< out: every wavelet is a control wavelet
  bool advanceSwitch = false;    ///< out: after the last wavelet (DSD-058)
  bool controlTransform = false; ///< DSD-059 to DSD-061
  ZeroSource zero = ZeroSource::None;

  uint16_t fifo = 0; ///< index into Setup::fifos

  bool operator==(const Descriptor &other) const = default;

  bool isMemory() const {
    return kind == DescriptorKind::Mem1d || kind == DescriptorKind::Mem4d ||
           kind == DescriptorKind::Circular;
  }
  bool isFabric() const {
    return kind == DescriptorKind::FabricIn ||
           kind == DescriptorKind::FabricOut;
  }

  uint64_t pack() const;
  /// Any 64 bits give some descriptor; an unknown kind gives None.
  static Descriptor unpack(uint64_t bits);
};

/// The extent that stands for no end (DSD-073).
inline constexpr uint16_t kUnboundedExtent = 0x7fff;

//===----------------------------------------------------------------------===//
// Registers of the three files
//===----------------------------------------------------------------------===//

enum class DsrFile : uint8_t { Dest, Source0, Source1 };
llvm::StringRef getName(DsrFile file);

struct DsrRef {
  DsrFile file = DsrFile::Dest;
  uint8_t number = 0;
  bool operator==(const DsrRef &other) const = default;
};

} // namespace sequin::wafer

#endif // SEQUIN_WAFER_DESCRIPTOR_H
