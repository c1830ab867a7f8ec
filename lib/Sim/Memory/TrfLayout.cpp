//===- TrfLayout.cpp - Where tensors sit in the TRF -----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Sim/TrfLayout.h"
#include "llvm/Support/MathExtras.h"

using namespace sequin;
using namespace sequin::sim;
using config::TrfAddress;

TrfLayout::TrfLayout(const TcpMachine &machine, TrfAddress address,
                     int64_t rows)
    : machine(machine),
      begin(address == TrfAddress::SecondHalf ? machine.trfBytesPerRow / 2 : 0),
      bytesPerBank(machine.trfBytesPerRow /
                   (address == TrfAddress::Full ? 1 : 2)),
      banksPerRow(machine.trfRowsExtend && rows > 0 &&
                          machine.rowsPerSlice % rows == 0
                      ? machine.rowsPerSlice / rows
                      : 1) {}

unsigned TrfLayout::rowBits() const {
  return llvm::Log2_64(machine.rowsPerSlice / banksPerRow);
}
unsigned TrfLayout::rowInBankBits() const {
  return llvm::Log2_64(bytesPerRow() /
                       (machine.trfBankColumns * machine.trfCellBytes));
}
unsigned TrfLayout::columnBits() const {
  return llvm::Log2_64(machine.trfBankColumns);
}
unsigned TrfLayout::slotBits() const {
  return llvm::Log2_64(machine.trfCellSlots);
}

TrfLocation TrfLayout::locate(ElementType type, int64_t row,
                              int64_t element) const {
  int64_t slots = machine.trfSlots(type);
  int64_t perCell = machine.trfCellSlots / slots;
  int64_t cell = element / perCell;
  int64_t cellsPerBank = bytesPerBank / machine.trfCellBytes;
  int64_t inBank = cell % cellsPerBank + begin / machine.trfCellBytes;
  return {row * banksPerRow + cell / cellsPerBank,
          inBank / machine.trfBankColumns, inBank % machine.trfBankColumns,
          element % perCell * slots};
}

int64_t TrfLayout::index(ElementType type, int64_t row, int64_t element) const {
  int64_t slots = machine.trfSlots(type);
  int64_t perCell = machine.trfCellSlots / slots;
  int64_t cell = element / perCell;
  int64_t index = row << rowInBankBits() | cell / machine.trfBankColumns;
  index = index << columnBits() | cell % machine.trfBankColumns;
  return index << slotBits() | element % perCell * slots;
}

int64_t TrfLayout::hostScale(ElementType type) {
  return type == ElementType::I5 || type == ElementType::I9 ? 2 : 1;
}

int64_t TrfLayout::hostBytes(const TcpMachine &machine, ElementType type) {
  return machine.rowsPerSlice * machine.trfBytesPerRow * hostScale(type);
}

int64_t TrfLayout::hostOffset(ElementType type, int64_t row,
                              int64_t address) const {
  int64_t bank = row * banksPerRow + address / bytesPerBank;
  return (bank * machine.trfBytesPerRow + begin + address % bytesPerBank) *
         hostScale(type);
}
