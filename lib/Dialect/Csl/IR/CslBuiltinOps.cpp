//===- CslBuiltinOps.cpp - Host, registers, random numbers ----------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MachineRules.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "sequin/Machine/CslRegisters.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::csl;

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

/// A variable or function of the program.
static LogicalResult checkSymbol(Operation *op, SymbolTableCollection &table,
                                 FlatSymbolRefAttr name) {
  Operation *found = table.lookupNearestSymbolFrom(op, name);
  if (!found)
    return op->emitOpError()
           << "names symbol " << name << ", which does not exist";
  if (isa<VarOp, func::FuncOp>(found))
    return success();
  InFlightDiagnostic error = op->emitOpError()
                             << "names symbol " << name << ", which is a '"
                             << found->getName()
                             << "', expected a variable or function";
  error.attachNote(found->getLoc()) << "defined here";
  return error;
}

LogicalResult ExportSymbolOp::verifySymbolUses(SymbolTableCollection &table) {
  return checkSymbol(*this, table, getSymbolAttr());
}

LogicalResult GetSymbolIdOp::verifySymbolUses(SymbolTableCollection &table) {
  return checkSymbol(*this, table, getSymbolAttr());
}

//===----------------------------------------------------------------------===//
// SimPrintOp
//===----------------------------------------------------------------------===//

LogicalResult SimPrintOp::verify() {
  StringRef rest = getFormat();
  size_t used = 0;
  for (size_t i = 0; i < rest.size(); ++i) {
    if (rest[i] != '{')
      continue;
    StringRef tail = rest.substr(i);
    if (tail.starts_with("{{")) {
      ++i;
      continue;
    }
    if (tail.size() < 3 || tail[2] != '}' ||
        !StringRef("duXbf").contains(tail[1]))
      return emitOpError() << "has a format with '" << tail.take_front(3)
                           << "', allowed are {d}, {u}, {X}, {b}, {f} and {{";
    if (used < getValues().size()) {
      Type type = getValues()[used].getType();
      bool isFloat = isa<FloatType>(type) || isa<CB16Type>(type);
      if (isFloat != (tail[1] == 'f') && tail[1] != 'd')
        return emitOpError() << "prints value " << used << " of type " << type
                             << " as '" << tail.take_front(3) << "'";
    }
    ++used;
    i += 2;
  }
  if (used != getValues().size())
    return emitOpError() << "has a format for " << used << " values and "
                         << getValues().size() << " values";
  return success();
}

//===----------------------------------------------------------------------===//
// Configuration registers
//===----------------------------------------------------------------------===//

LogicalResult RegisterAddressOp::verify() {
  const CslRegisterInfo *info = lookupCslRegister(getName());
  if (!info) {
    InFlightDiagnostic error = emitOpError() << "names register '" << getName()
                                             << "', known are";
    for (const CslRegisterInfo &known : cslRegisters())
      error << ' ' << known.name;
    return error;
  }
  if (std::optional<int64_t> index = getKnownId(getIndex()))
    return checkRange(*this, "index", *index, 0, info->count - 1,
                      "register '" + info->name.str() + "'");
  return success();
}

/// Ranges come in pairs, and a known address is in one of them and, checked, in
/// no reserved register (BLT-040, BLT-041, BLT-045).
static LogicalResult checkConfig(Operation *op, Value address,
                                 std::optional<ArrayRef<int64_t>> ranges,
                                 bool unchecked) {
  if (ranges && (ranges->empty() || ranges->size() % 2))
    return op->emitOpError()
           << "has " << ranges->size() << " ends of ranges, expected pairs";
  if (ranges && unchecked)
    return op->emitOpError() << "is unchecked and has ranges";
  if (ranges)
    for (size_t i = 0; i < ranges->size(); i += 2)
      if ((*ranges)[i] > (*ranges)[i + 1])
        return op->emitOpError() << "has range " << (*ranges)[i] << " to "
                                 << (*ranges)[i + 1] << ", which is empty";
  std::optional<int64_t> known = getKnownId(address);
  if (!known)
    return success();
  if (failed(checkRange(op, "address", *known, kFirstConfigAddress,
                        kLastConfigAddress, "the configuration space")))
    return failure();
  if (ranges) {
    bool inside = false;
    for (size_t i = 0; i < ranges->size(); i += 2)
      inside |= *known >= (*ranges)[i] && *known <= (*ranges)[i + 1];
    if (!inside)
      return op->emitOpError()
             << "has address " << *known << ", which is in none of its ranges";
  }
  const CslRegisterInfo *info = lookupCslRegister(*known);
  if (info && info->reserved && !unchecked &&
      op->getParentOfType<csl::ComptimeOp>())
    return op->emitOpError()
           << "has address " << *known << " in a comptime block, which is in '"
           << info->name << "', reserved for the compiler";
  return success();
}

LogicalResult GetConfigOp::verify() {
  return checkConfig(*this, getAddress(), getRanges(), getUnchecked());
}

LogicalResult SetConfigOp::verify() {
  return checkConfig(*this, getAddress(), getRanges(), getUnchecked());
}
