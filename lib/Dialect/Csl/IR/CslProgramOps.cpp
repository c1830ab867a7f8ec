//===- CslProgramOps.cpp - Programs, variables, comptime ------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MachineRules.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::csl;

//===----------------------------------------------------------------------===//
// ProgramOp
//===----------------------------------------------------------------------===//

LogicalResult ProgramOp::verifyRegions() {
  for (Operation &op : getBody().front())
    if (!isa<ParamOp, VarOp, FifoOp, TaskOp, csl::ComptimeOp, func::FuncOp>(
            op)) {
      InFlightDiagnostic error = op.emitOpError()
                                 << "is not for a csl.program, which holds "
                                    "csl.param, csl.var, csl.fifo, csl.task, "
                                    "csl.comptime and func.func";
      error.attachNote(getLoc()) << "program is here";
      return error;
    }
  return success();
}

LogicalResult csl::ComptimeOp::verifyRegions() {
  for (Operation &op : getBody().front())
    if (op.hasTrait<OpTrait::IsTerminator>())
      return op.emitOpError() << "ends a csl.comptime block, which has no end";
  return success();
}

//===----------------------------------------------------------------------===//
// ParamOp, GetParamOp
//===----------------------------------------------------------------------===//

/// A type of which layout and host can say a value.
static bool isParamType(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.isSignless() && integer.getWidth() >= 1 &&
           integer.getWidth() <= 64;
  return type.isF16() || type.isBF16() || type.isF32() ||
         isa<CB16Type, ColorType, InputQueueType, OutputQueueType,
             DataTaskIdType, LocalTaskIdType, ControlTaskIdType, UtIdType,
             DirectionType, EnumType>(type);
}

/// Ids and enums have integer values, cb16 f32 ones.
static bool isValueOf(TypedAttr value, Type type) {
  if (value.getType() == type)
    return isa<IntegerAttr, FloatAttr>(value);
  if (isa<CB16Type>(type))
    return isa<FloatAttr>(value) && value.getType().isF32();
  if (auto enumType = dyn_cast<EnumType>(type))
    return value.getType() == enumType.getBaseType();
  return !type.isIntOrFloat() && isa<IntegerAttr>(value) &&
         value.getType().isSignlessInteger(16);
}

LogicalResult ParamOp::verify() {
  if (!isParamType(getType()))
    return emitOpError() << "has type " << getType()
                         << ", allowed are integers of 1 to 64 bits, floats, "
                            "ids, directions and enums";
  std::optional<TypedAttr> value = getDefaultValue();
  if (!value)
    return success();
  if (!isValueOf(*value, getType()))
    return emitOpError() << "of type " << getType() << " has default "
                         << *value;
  if (auto number = dyn_cast<IntegerAttr>(*value);
      number && !getType().isIntOrFloat() && !isa<EnumType>(getType()))
    return checkId(*this, getType(), number.getValue().getZExtValue());
  return success();
}

LogicalResult GetParamOp::verifySymbolUses(SymbolTableCollection &table) {
  FailureOr<ParamOp> param =
      lookupInProgram<ParamOp>(*this, table, getParamAttr(), "parameter");
  if (failed(param))
    return failure();
  if (param->getType() == getResult().getType())
    return success();
  InFlightDiagnostic error = emitOpError()
                             << "reads " << getParamAttr() << " as "
                             << getResult().getType() << ", it is of type "
                             << param->getType();
  error.attachNote(param->getLoc()) << "declared here";
  return error;
}

//===----------------------------------------------------------------------===//
// VarOp, GetVarOp
//===----------------------------------------------------------------------===//

/// A type that variables hold.
static bool isVarElement(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.isSignless() && integer.getWidth() <= 64;
  return type.isF16() || type.isBF16() || type.isF32() ||
         (isa<MemRefElementTypeInterface>(type) &&
          isa<CslDialect>(type.getDialect()));
}

LogicalResult VarOp::verify() {
  MemRefType type = getMemRefType();
  if (!type.hasStaticShape() || !type.getLayout().isIdentity() ||
      type.getMemorySpace())
    return emitOpError() << "has type " << type
                         << ", a variable is static, row-major and in the one "
                            "memory";
  if (!isVarElement(type.getElementType()))
    return emitOpError() << "has elements of type " << type.getElementType()
                         << ", which is not in memory";
  if (getIsUnsigned() && !isa<IntegerType>(type.getElementType()))
    return emitOpError() << "is unsigned and of type " << type.getElementType();
  if (std::optional<int64_t> align = getAlignment();
      align && (*align < 1 || !llvm::isPowerOf2_64(*align)))
    return emitOpError() << "has alignment " << *align
                         << ", allowed are powers of two";
  if (getIsExtern() && getInitialValue())
    return emitOpError() << "is extern and has a value";
  if (getConstant() && !getIsExtern() && !getInitialValue())
    return emitOpError() << "is constant and has no value";
  std::optional<ElementsAttr> value = getInitialValue();
  if (!value)
    return success();
  auto shaped = cast<ShapedType>(value->getType());
  Type element = type.getElementType();
  Type stored = isa<CB16Type>(element)   ? Float32Type::get(getContext())
                : element.isIntOrFloat() ? element
                                         : IntegerType::get(getContext(), 16);
  if (auto enumType = dyn_cast<EnumType>(element))
    stored = enumType.getBaseType();
  if (shaped.getShape() != type.getShape() || shaped.getElementType() != stored)
    return emitOpError() << "of type " << type << " has a value of type "
                         << shaped << ", expected elements of " << stored;
  if (isa<DsdType, StructType, ArrayType, PtrType>(element))
    return emitOpError() << "has elements of type " << element
                         << ", whose value running code sets";
  return success();
}

LogicalResult GetVarOp::verifySymbolUses(SymbolTableCollection &table) {
  FailureOr<VarOp> var =
      lookupInProgram<VarOp>(*this, table, getVarAttr(), "variable");
  if (failed(var))
    return failure();
  if (var->getMemRefType() == getResult().getType())
    return success();
  InFlightDiagnostic error =
      emitOpError() << "is of type " << getResult().getType() << ", variable "
                    << getVarAttr() << " of type " << var->getMemRefType();
  error.attachNote(var->getLoc()) << "declared here";
  return error;
}
