//===- TrfLayout.h - Where tensors sit in the TRF ---------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tensor register file of a slice is one bank per row of the MAC array.
// A bank has two columns; what a column holds at one address is a cell of 64
// slots of 5 bits, 32 bytes of data (TCP, TRF Memory Layout). An element is
// found by an index of bit fields:
//
//     | row | row in bank | column | slot |       3 + 7 + 1 + 6 bits for Full
//
// Data bytes of a row count through the slots, then the columns, then the rows
// of the bank, so that the neighbour of a cell is in the other column. The
// halves split the rows of every bank. Where fewer rows than banks extend the
// address space (a machine parameter), bits move from the row to the row in
// bank.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_SIM_TRFLAYOUT_H
#define SEQUIN_SIM_TRFLAYOUT_H

#include "sequin/Config/Config.h"
#include "sequin/Machine/Machine.h"

namespace sequin::sim {

/// A place in the register file of one slice.
struct TrfLocation {
  int64_t bank = 0, rowInBank = 0, column = 0, slot = 0;
  bool operator==(const TrfLocation &) const = default;
};

/// The part of the register file that a tensor of `rows` rows lives in.
class TrfLayout {
public:
  TrfLayout(const TcpMachine &machine, config::TrfAddress address,
            int64_t rows);

  /// Data bytes of one row of the MAC array.
  int64_t bytesPerRow() const { return banksPerRow * bytesPerBank; }
  /// Data bytes per bank, from `begin` on in its data.
  int64_t bankBytes() const { return bytesPerBank; }
  int64_t bankBegin() const { return begin; }

  /// Widths of the fields of an index.
  unsigned rowBits() const;
  unsigned rowInBankBits() const;
  unsigned columnBits() const;
  unsigned slotBits() const;

  TrfLocation locate(ElementType type, int64_t row, int64_t element) const;
  int64_t index(ElementType type, int64_t row, int64_t element) const;

  /// Where the simulator holds byte `address` of `row`: the banks one after the
  /// other. Elements wider than their data (i5, i9) are held apart from the
  /// others, in two bytes of the host for each byte of data.
  int64_t hostOffset(ElementType type, int64_t row, int64_t address) const;
  /// Bytes of the host that elements of `type` take per byte of data.
  static int64_t hostScale(ElementType type);
  /// Bytes of the host for the register file of a slice, for elements of
  /// `type`.
  static int64_t hostBytes(const TcpMachine &machine, ElementType type);

private:
  const TcpMachine &machine;
  int64_t begin, bytesPerBank, banksPerRow;
};

} // namespace sequin::sim

#endif // SEQUIN_SIM_TRFLAYOUT_H
