//===- CslMemoryOps.cpp - Pointers, arrays, structs, enums ----------------===//
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

/// `what` has type `found`, expected `expected`.
static LogicalResult checkType(Operation *op, const Twine &what, Type found,
                               Type expected) {
  if (found == expected)
    return success();
  return op->emitOpError() << what << " is of type " << found << ", expected "
                           << expected;
}

//===----------------------------------------------------------------------===//
// Pointers
//===----------------------------------------------------------------------===//

/// The memref that a pointer stands for; null for a pointer to no data.
static MemRefType getPointedMemref(PtrType pointer) {
  Type pointee = pointer.getPointee();
  if (isa<NoneType, FunctionType>(pointee))
    return {};
  if (auto array = dyn_cast<ArrayType>(pointee))
    return MemRefType::get(array.getShape(), array.getElementType());
  if (pointer.getMany())
    return MemRefType::get({ShapedType::kDynamic}, pointee);
  return MemRefType::get({}, pointee);
}

LogicalResult AddressOfOp::verify() {
  auto memref = dyn_cast<MemRefType>(getMemref().getType());
  if (!memref || !memref.getLayout().isIdentity())
    return emitOpError() << "takes the address of " << getMemref().getType()
                         << ", expected a row-major array";
  auto pointer = cast<PtrType>(getResult().getType());
  Type element = memref.getElementType();
  if (!getIndices().empty()) {
    if (static_cast<int64_t>(getIndices().size()) != memref.getRank())
      return emitOpError() << "has " << getIndices().size()
                           << " indices, the array has rank "
                           << memref.getRank();
    return checkType(*this, "the element", pointer.getPointee(), element);
  }
  // Of a whole array: to the array, to its elements, to a scalar.
  if (memref.getRank() == 0 || pointer.getMany())
    return checkType(*this, "the element", pointer.getPointee(), element);
  if (!memref.hasStaticShape())
    return emitOpError() << "takes the address of " << memref
                         << ", whose size is not known";
  return checkType(*this, "the array", pointer.getPointee(),
                   ArrayType::get(getContext(), memref.getShape(), element));
}

LogicalResult AsMemrefOp::verify() {
  auto pointer = cast<PtrType>(getPointer().getType());
  MemRefType expected = getPointedMemref(pointer);
  if (!expected)
    return emitOpError() << "takes " << pointer << ", which points to no data";
  return checkType(*this, "the result", getResult().getType(), expected);
}

LogicalResult ElementPtrOp::verify() {
  auto pointer = cast<PtrType>(getPointer().getType());
  auto result = cast<PtrType>(getResult().getType());
  MemRefType memref = getPointedMemref(pointer);
  if (!memref || memref.getRank() == 0)
    return emitOpError() << "takes " << pointer
                         << ", expected a pointer to an array or to many";
  if (static_cast<int64_t>(getIndices().size()) != memref.getRank())
    return emitOpError() << "has " << getIndices().size()
                         << " indices, the array has rank " << memref.getRank();
  return checkType(
      *this, "the result", result,
      PtrType::get(memref.getElementType(), false, pointer.getIsConst()));
}

/// The type of a field, with an error if there is none.
static FailureOr<Type> getFieldType(Operation *op, StructType type,
                                    StringRef field) {
  if (std::optional<unsigned> index = type.getFieldIndex(field))
    return type.getFieldTypes()[*index];
  InFlightDiagnostic error = op->emitOpError()
                             << "names field '" << field << "', \""
                             << type.getName() << "\" has";
  for (StringAttr name : type.getFieldNames())
    error << " '" << name.getValue() << "'";
  return error;
}

LogicalResult FieldPtrOp::verify() {
  auto pointer = cast<PtrType>(getPointer().getType());
  auto type = dyn_cast<StructType>(pointer.getPointee());
  if (!type || pointer.getMany())
    return emitOpError() << "takes " << pointer
                         << ", expected a pointer to a struct";
  if (type.getKind() == AggregateKind::Packed)
    return emitOpError() << "takes the address of a field of packed struct \""
                         << type.getName() << "\"";
  FailureOr<Type> field = getFieldType(*this, type, getField());
  if (failed(field))
    return failure();
  return checkType(*this, "the result", getResult().getType(),
                   PtrType::get(*field, false, pointer.getIsConst()));
}

LogicalResult csl::LoadOp::verify() {
  auto pointer = cast<PtrType>(getPointer().getType());
  return checkType(*this, "the value", getResult().getType(),
                   pointer.getPointee());
}

LogicalResult csl::StoreOp::verify() {
  auto pointer = cast<PtrType>(getPointer().getType());
  if (pointer.getIsConst())
    return emitOpError() << "writes through " << pointer;
  return checkType(*this, "the value", getValue().getType(),
                   pointer.getPointee());
}

LogicalResult
FunctionAddressOp::verifySymbolUses(SymbolTableCollection &table) {
  FailureOr<func::FuncOp> function = lookupInProgram<func::FuncOp>(
      *this, table, getFunctionAttr(), "function");
  if (failed(function))
    return failure();
  return checkType(*this, "the result", getResult().getType(),
                   PtrType::get(function->getFunctionType(), false, true));
}

LogicalResult csl::CallIndirectOp::verify() {
  auto pointer = cast<PtrType>(getCallee().getType());
  auto type = dyn_cast<FunctionType>(pointer.getPointee());
  if (!type)
    return emitOpError() << "calls through " << pointer
                         << ", expected a pointer to a function";
  if (TypeRange(type.getInputs()) != TypeRange(getInputs().getTypes()) ||
      TypeRange(type.getResults()) != TypeRange(getResults().getTypes()))
    return emitOpError() << "has other arguments or results than " << type;
  return success();
}

//===----------------------------------------------------------------------===//
// Aggregates
//===----------------------------------------------------------------------===//

LogicalResult AggregateOp::verify() {
  auto checkCount = [&](size_t expected) -> LogicalResult {
    if (getValues().size() == expected)
      return success();
    return emitOpError() << "has " << getValues().size() << " values, expected "
                         << expected;
  };
  if (auto array = dyn_cast<ArrayType>(getResult().getType())) {
    if (getField())
      return emitOpError() << "names a field of an array";
    if (failed(checkCount(array.getNumElements())))
      return failure();
    for (Value value : getValues())
      if (failed(checkType(*this, "an element", value.getType(),
                           array.getElementType())))
        return failure();
    return success();
  }
  auto type = cast<StructType>(getResult().getType());
  if (type.getIsUnion() != getField().has_value())
    return emitOpError() << (type.getIsUnion()
                                 ? "makes a union and names no field"
                                 : "makes a struct and names a field");
  if (std::optional<StringRef> name = getField()) {
    FailureOr<Type> field = getFieldType(*this, type, *name);
    if (failed(field) || failed(checkCount(1)))
      return failure();
    return checkType(*this, "the field", getValues().front().getType(), *field);
  }
  if (failed(checkCount(type.getFieldTypes().size())))
    return failure();
  for (auto [value, field, name] :
       llvm::zip(getValues(), type.getFieldTypes(), type.getFieldNames()))
    if (failed(checkType(*this, "field '" + name.getValue() + "'",
                         value.getType(), field)))
      return failure();
  return success();
}

LogicalResult SplatOp::verify() {
  auto array = cast<ArrayType>(getResult().getType());
  return checkType(*this, "the element", getValue().getType(),
                   array.getElementType());
}

LogicalResult GetFieldOp::verify() {
  FailureOr<Type> field =
      getFieldType(*this, cast<StructType>(getValue().getType()), getField());
  if (failed(field))
    return failure();
  return checkType(*this, "the field", getResult().getType(), *field);
}

LogicalResult SetFieldOp::verify() {
  FailureOr<Type> field =
      getFieldType(*this, cast<StructType>(getValue().getType()), getField());
  if (failed(field))
    return failure();
  return checkType(*this, "the field", getReplacement().getType(), *field);
}

static LogicalResult checkElement(Operation *op, ArrayType array,
                                  size_t indices, Type element) {
  if (indices != array.getShape().size())
    return op->emitOpError()
           << "has " << indices << " indices, the array has rank "
           << array.getShape().size();
  return checkType(op, "the element", element, array.getElementType());
}

LogicalResult GetElementOp::verify() {
  return checkElement(*this, cast<ArrayType>(getValue().getType()),
                      getIndices().size(), getResult().getType());
}

LogicalResult SetElementOp::verify() {
  return checkElement(*this, cast<ArrayType>(getValue().getType()),
                      getIndices().size(), getReplacement().getType());
}

//===----------------------------------------------------------------------===//
// Enums and cb16
//===----------------------------------------------------------------------===//

LogicalResult EnumConstantOp::verify() {
  auto type = cast<EnumType>(getResult().getType());
  if (type.getValueOf(getName()))
    return success();
  InFlightDiagnostic error = emitOpError() << "names '" << getName() << "', \""
                                           << type.getName() << "\" has";
  for (StringAttr name : type.getCaseNames())
    error << " '" << name.getValue() << "'";
  return error;
}

LogicalResult ToEnumOp::verify() {
  return checkType(*this, "the number", getNumber().getType(),
                   cast<EnumType>(getResult().getType()).getBaseType());
}

LogicalResult ConvertCB16Op::verify() {
  bool from = isa<CB16Type>(getValue().getType());
  bool to = isa<CB16Type>(getResult().getType());
  if (from == to)
    return emitOpError() << "converts " << getValue().getType() << " to "
                         << getResult().getType()
                         << ", one of them is !csl.cb16";
  return success();
}
