//===- CslDialect.cpp - The csl dialect -----------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Dialect/Csl/IR/CslDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FoldInterfaces.h"
#include "sequin/Dialect/Csl/IR/CslRouteAttrs.h"
#include "sequin/Dialect/Csl/IR/ExportSigns.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::csl;

#include "sequin/Dialect/Csl/IR/CslDialect.cpp.inc"
#include "sequin/Dialect/Csl/IR/CslInterfaces.cpp.inc"

namespace {
/// Constants stay in a comptime block: a program holds no values.
struct CslFoldInterface : public DialectFoldInterface {
  using DialectFoldInterface::DialectFoldInterface;
  bool shouldMaterializeInto(Region *region) const final {
    return isa<csl::ComptimeOp>(region->getParentOp());
  }
};
} // namespace

void CslDialect::initialize() {
  registerAttributes();
  registerTypes();
  registerCslDialectOperations(this);
  addInterfaces<CslFoldInterface>();
}

/// `attribute` is on an OpTy and an AttrTy.
template <typename OpTy, typename AttrTy>
static LogicalResult checkAttribute(Operation *op, NamedAttribute attribute,
                                    StringRef home, StringRef type) {
  StringRef name = attribute.getName().getValue();
  if (!isa<OpTy>(op))
    return op->emitOpError()
           << "has '" << name << "', which belongs on a " << home;
  if (!isa<AttrTy>(attribute.getValue()))
    return op->emitOpError() << "'" << name << "' must be a " << type
                             << ", found " << attribute.getValue();
  return success();
}

LogicalResult CslDialect::verifyOperationAttribute(Operation *op,
                                                   NamedAttribute attribute) {
  if (attribute.getName() == kTargetAttrName)
    return checkAttribute<ModuleOp, TargetAttr>(op, attribute, "module",
                                                "#csl.target");
  if (attribute.getName() == kEntryAttrName)
    return checkAttribute<ModuleOp, EntryAttr>(op, attribute, "module",
                                               "#csl.entry");
  if (attribute.getName() == kMayLeaveAttrName)
    return checkAttribute<LocalColorConfigOp, UnitAttr>(
        op, attribute, "csl.local_color_config", "unit attribute");
  if (attribute.getName() == kDistributionAttrName)
    return checkAttribute<ExportNameOp, DistributionAttr>(
        op, attribute, "csl.export_name", "#csl.distribution");
  if (attribute.getName() == kUnsignedPartsAttrName) {
    if (failed(checkAttribute<ExportNameOp, DenseBoolArrayAttr>(
            op, attribute, "csl.export_name", "array of booleans")))
      return failure();
    auto function = dyn_cast<FunctionType>(cast<ExportNameOp>(op).getType());
    int64_t parts =
        function ? function.getNumInputs() + function.getNumResults() : 0;
    int64_t given = cast<DenseBoolArrayAttr>(attribute.getValue()).size();
    if (given != parts)
      return op->emitOpError()
             << "'" << kUnsignedPartsAttrName << "' has " << given
             << " flags, the function has " << parts << " inputs and results";
    return success();
  }
  return op->emitOpError() << "has unknown attribute '"
                           << attribute.getName().getValue() << "'";
}

Operation *CslDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                           Type type, Location loc) {
  auto number = dyn_cast<IntegerAttr>(value);
  if (!number)
    return nullptr;
  if (type.getDialect().getNamespace() == getDialectNamespace())
    return ConstantOp::create(builder, loc, type, number);
  Dialect *arith = getContext()->getOrLoadDialect("arith");
  return arith ? arith->materializeConstant(builder, value, type, loc)
               : nullptr;
}

//===----------------------------------------------------------------------===//
// Questions about the surroundings
//===----------------------------------------------------------------------===//

TargetAttr csl::lookupTarget(Operation *op) {
  auto module =
      isa<ModuleOp>(op) ? cast<ModuleOp>(op) : op->getParentOfType<ModuleOp>();
  return module ? module->getAttrOfType<TargetAttr>(CslDialect::kTargetAttrName)
                : TargetAttr();
}

TargetAttr csl::getTarget(Operation *op) {
  TargetAttr target = lookupTarget(op);
  if (!target)
    op->emitError() << "no machine: the module needs '"
                    << CslDialect::kTargetAttrName
                    << " = #csl.target<\"...\">' with one of "
                    << knownCslMachineNames();
  return target;
}

Value csl::getPlaceNumber(Value place) {
  while (Operation *op = place.getDefiningOp()) {
    if (auto pointer = dyn_cast<IntToPtrOp>(op))
      return pointer.getAddress();
    if (!isa<AddressOfOp, AsMemrefOp, ElementPtrOp, FieldPtrOp, PtrCastOp>(op))
      return {};
    place = op->getOperand(0);
  }
  return {};
}

const CslMachine *csl::lookupMachine(Operation *op) {
  TargetAttr target = lookupTarget(op);
  return target ? target.getRow() : nullptr;
}

std::optional<int64_t> csl::getKnownId(Value value) {
  if (!value)
    return std::nullopt;
  if (auto data = value.getDefiningOp<GetDataTaskIdOp>())
    return getKnownId(data.getSource());
  if (auto dsr = value.getDefiningOp<GetDsrOp>())
    return dsr.getNumber();
  if (auto xdsr = value.getDefiningOp<GetXdsrOp>())
    return xdsr.getNumber();
  if (auto sr = value.getDefiningOp<GetSrOp>())
    return sr.getNumber();
  IntegerAttr number;
  if (matchPattern(value, m_Constant(&number)))
    return number.getValue().getZExtValue();
  return std::nullopt;
}

bool csl::isDsdElement(Type type) {
  return type.isSignlessInteger(16) || type.isSignlessInteger(32) ||
         type.isF16() || type.isBF16() || type.isF32() || isa<CB16Type>(type);
}

BaseInfo csl::getBaseInfo(Type base) {
  BaseInfo info;
  if (auto memref = dyn_cast<MemRefType>(base)) {
    info.elementType = memref.getElementType();
    info.scalar = memref.getRank() == 0;
    if (memref.hasStaticShape() && !info.scalar)
      info.shape.emplace(memref.getShape());
    return info;
  }
  auto pointer = cast<PtrType>(base);
  info.elementType = pointer.getPointee();
  info.scalar = !pointer.getMany();
  if (auto array = dyn_cast<ArrayType>(info.elementType)) {
    info.elementType = array.getElementType();
    info.shape.emplace(array.getShape());
    info.scalar = false;
  }
  return info;
}

LogicalResult csl::detail::verifyInComptime(Operation *op) {
  if (!op->getParentOfType<ComptimeOp>())
    return op->emitOpError() << "belongs in a csl.comptime block";
  return success();
}

LogicalResult csl::detail::verifyAtRuntime(Operation *op) {
  if (op->getParentOfType<ComptimeOp>())
    return op->emitOpError() << "is not for a csl.comptime block, the program "
                                "does not run there yet";
  return success();
}
