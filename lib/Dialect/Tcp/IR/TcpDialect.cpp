//===- TcpDialect.cpp - The tcp dialect -----------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Dialect/Tcp/IR/TcpDialect.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::tcp;

#include "sequin/Dialect/Tcp/IR/TcpDialect.cpp.inc"

namespace {
/// Prints the grid under a short alias, so that one stage fits on one line.
struct TcpAsmInterface : public OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;
  AliasResult getAlias(Attribute attr, raw_ostream &os) const override {
    if (!isa<GridAttr>(attr))
      return AliasResult::NoAlias;
    os << "grid";
    return AliasResult::FinalAlias;
  }
};
} // namespace

void TcpDialect::initialize() {
  registerAttributes();
  registerTypes();
  registerTcpDialectOperations(this);
  addInterfaces<TcpAsmInterface>();
}

LogicalResult TcpDialect::verifyOperationAttribute(Operation *op,
                                                   NamedAttribute attribute) {
  if (attribute.getName() == kTargetAttrName) {
    if (!isa<ModuleOp>(op))
      return op->emitOpError()
             << "has '" << kTargetAttrName << "', which belongs on a module";
    if (!isa<TargetAttr>(attribute.getValue()))
      return op->emitOpError()
             << "'" << kTargetAttrName << "' must be a #tcp.target, found "
             << attribute.getValue();
    return success();
  }
  if (attribute.getName() == kMacsAttrName) {
    auto value = dyn_cast<IntegerAttr>(attribute.getValue());
    if (!value || value.getInt() < 0)
      return op->emitOpError() << "'" << kMacsAttrName
                               << "' must be a non-negative integer, found "
                               << attribute.getValue();
    return success();
  }
  auto isArrayOf = [&](auto isElement) {
    auto array = dyn_cast<ArrayAttr>(attribute.getValue());
    return array && llvm::all_of(array, isElement);
  };
  std::pair<StringRef, bool> derived[] = {
      {TcpDialect::kSequencersAttrName,
       isArrayOf(llvm::IsaPred<stream::SequencerAttr>)},
      {TcpDialect::kTransfersAttrName,
       isArrayOf(llvm::IsaPred<stream::TransferAttr>)},
      {TcpDialect::kDescriptorsAttrName,
       isArrayOf(llvm::IsaPred<DescriptorAttr>)},
      {TcpDialect::kMaskAttrName, isa<MaskAttr>(attribute.getValue())}};
  for (auto [name, isTyped] : derived)
    if (attribute.getName() == name)
      return isTyped ? success()
                     : op->emitOpError()
                           << "'" << name
                           << "' has the wrong type: " << attribute.getValue();
  return op->emitOpError() << "has unknown attribute '"
                           << attribute.getName().getValue() << "'";
}

TargetAttr tcp::getTarget(Operation *op) {
  auto module =
      isa<ModuleOp>(op) ? cast<ModuleOp>(op) : op->getParentOfType<ModuleOp>();
  auto target =
      module ? module->getAttrOfType<TargetAttr>(TcpDialect::kTargetAttrName)
             : TargetAttr();
  if (!target)
    op->emitError() << "no machine: the module needs '"
                    << TcpDialect::kTargetAttrName
                    << " = #tcp.target<\"...\">' with one of "
                    << knownMachineNames();
  return target;
}
