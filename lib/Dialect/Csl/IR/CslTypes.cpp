//===- CslTypes.cpp - Types of the csl dialect ----------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "sequin/Dialect/Csl/IR/CslDialect.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::csl;

//===----------------------------------------------------------------------===//
// Custom directives
//===----------------------------------------------------------------------===//

/// [`const`] [`many`] type
static ParseResult parsePointee(AsmParser &parser, Type &pointee, bool &many,
                                bool &isConst) {
  isConst = succeeded(parser.parseOptionalKeyword("const"));
  many = succeeded(parser.parseOptionalKeyword("many"));
  return parser.parseType(pointee);
}

static void printPointee(AsmPrinter &printer, Type pointee, bool many,
                         bool isConst) {
  if (isConst)
    printer << "const ";
  if (many)
    printer << "many ";
  printer << pointee;
}

/// 4x5xf32
static ParseResult parseSizesAndType(AsmParser &parser,
                                     SmallVectorImpl<int64_t> &shape,
                                     Type &elementType) {
  return failure(parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
                 parser.parseType(elementType));
}

static void printSizesAndType(AsmPrinter &printer, ArrayRef<int64_t> shape,
                              Type elementType) {
  for (int64_t size : shape)
    printer << size << 'x';
  printer << elementType;
}

/// [`extern` | `packed`] [`union`] "name" `{` field `:` type, ... `}`
static ParseResult parseStructBody(AsmParser &parser, std::string &name,
                                   AggregateKind &kind, bool &isUnion,
                                   SmallVectorImpl<StringAttr> &names,
                                   SmallVectorImpl<Type> &types) {
  kind =
      succeeded(parser.parseOptionalKeyword("extern"))   ? AggregateKind::Extern
      : succeeded(parser.parseOptionalKeyword("packed")) ? AggregateKind::Packed
                                                         : AggregateKind::Plain;
  isUnion = succeeded(parser.parseOptionalKeyword("union"));
  if (parser.parseString(&name))
    return failure();
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Braces, [&]() -> ParseResult {
        std::string field;
        Type type;
        if (parser.parseKeywordOrString(&field) || parser.parseColonType(type))
          return failure();
        names.push_back(StringAttr::get(parser.getContext(), field));
        types.push_back(type);
        return success();
      });
}

static void printStructBody(AsmPrinter &printer, StringRef name,
                            AggregateKind kind, bool isUnion,
                            ArrayRef<StringAttr> names, ArrayRef<Type> types) {
  if (kind != AggregateKind::Plain)
    printer << stringifyEnum(kind) << ' ';
  if (isUnion)
    printer << "union ";
  printer.printString(name);
  printer << " {";
  llvm::ListSeparator comma;
  for (auto [field, type] : llvm::zip(names, types)) {
    printer << StringRef(comma);
    printer.printKeywordOrString(field.getValue());
    printer << " : " << type;
  }
  printer << '}';
}

/// "name" `:` type `{` case `=` value, ... `}`
static ParseResult parseEnumBody(AsmParser &parser, std::string &name,
                                 IntegerType &baseType,
                                 SmallVectorImpl<StringAttr> &names,
                                 SmallVectorImpl<int64_t> &values) {
  if (parser.parseString(&name) || parser.parseColonType(baseType))
    return failure();
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Braces, [&]() -> ParseResult {
        std::string field;
        int64_t value;
        if (parser.parseKeywordOrString(&field) || parser.parseEqual() ||
            parser.parseInteger(value))
          return failure();
        names.push_back(StringAttr::get(parser.getContext(), field));
        values.push_back(value);
        return success();
      });
}

static void printEnumBody(AsmPrinter &printer, StringRef name,
                          IntegerType baseType, ArrayRef<StringAttr> names,
                          ArrayRef<int64_t> values) {
  printer.printString(name);
  printer << " : " << baseType << " {";
  llvm::ListSeparator comma;
  for (auto [field, value] : llvm::zip(names, values)) {
    printer << StringRef(comma);
    printer.printKeywordOrString(field.getValue());
    printer << " = " << value;
  }
  printer << '}';
}

#define GET_TYPEDEF_CLASSES
#include "sequin/Dialect/Csl/IR/CslTypes.cpp.inc"

void CslDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "sequin/Dialect/Csl/IR/CslTypes.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

LogicalResult PtrType::verify(function_ref<InFlightDiagnostic()> emitError,
                              Type pointee, bool many, bool isConst) {
  if (isa<FunctionType>(pointee)) {
    if (many || !isConst)
      return emitError()
             << "a pointer to a function is const and to one, as in "
                "!csl.ptr<const () -> ()>";
    return success();
  }
  if (many && isa<ArrayType, NoneType>(pointee))
    return emitError() << "a many-item pointer points to elements, found "
                       << pointee;
  if (isa<FifoType, DsrType, XdsrType, SrType, ShapedType>(pointee))
    return emitError() << "nothing of type " << pointee << " is in memory";
  return success();
}

LogicalResult FifoType::verify(function_ref<InFlightDiagnostic()> emitError,
                               Type elementType) {
  if (isDsdElement(elementType))
    return success();
  return emitError() << "a FIFO holds numbers of 16 or 32 bits, found "
                     << elementType;
}

/// More elements than a PE has bytes.
static constexpr int64_t kMaxElements = 1 << 16;

LogicalResult ArrayType::verify(function_ref<InFlightDiagnostic()> emitError,
                                ArrayRef<int64_t> shape, Type elementType) {
  if (shape.empty())
    return emitError() << "an array has at least one dimension";
  if (isa<ArrayType, ShapedType>(elementType))
    return emitError() << "the elements of an array are no arrays, found "
                       << elementType;
  int64_t count = 1;
  for (int64_t size : shape) {
    if (size < 0)
      return emitError() << "an array dimension is " << size;
    // Both factors are small here.
    if (size > kMaxElements || (count *= size) > kMaxElements)
      return emitError() << "an array has more than " << kMaxElements
                         << " elements";
  }
  return success();
}

int64_t ArrayType::getNumElements() const {
  int64_t count = 1;
  for (int64_t size : getShape())
    count *= size;
  return count;
}

LogicalResult StructType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 StringRef name, AggregateKind kind,
                                 bool isUnion, ArrayRef<StringAttr> names,
                                 ArrayRef<Type> types) {
  llvm::StringSet<> seen;
  for (auto [field, type] : llvm::zip(names, types)) {
    if (!seen.insert(field.getValue()).second)
      return emitError() << "struct \"" << name << "\" has field '"
                         << field.getValue() << "' twice";
    if (isa<FifoType, DsrType, XdsrType, SrType, ShapedType, NoneType>(type))
      return emitError() << "struct \"" << name << "\" has field '"
                         << field.getValue() << "' of type " << type
                         << ", which is not in memory";
    if (kind != AggregateKind::Packed)
      continue;
    auto inner = dyn_cast<StructType>(type);
    if (!type.isIntOrFloat() && !isa<CB16Type, EnumType, PtrType>(type) &&
        !(inner && inner.getKind() == AggregateKind::Packed))
      return emitError() << "packed struct \"" << name << "\" has field '"
                         << field.getValue() << "' of type " << type
                         << ", allowed are integers, floats, enums, pointers "
                            "and packed structs";
  }
  return success();
}

std::optional<unsigned> StructType::getFieldIndex(StringRef field) const {
  for (auto [index, name] : llvm::enumerate(getFieldNames()))
    if (name.getValue() == field)
      return index;
  return std::nullopt;
}

LogicalResult EnumType::verify(function_ref<InFlightDiagnostic()> emitError,
                               StringRef name, IntegerType baseType,
                               ArrayRef<StringAttr> names,
                               ArrayRef<int64_t> values) {
  unsigned width = baseType.getWidth();
  if (width < 1 || width > 64)
    return emitError() << "enum \"" << name << "\" has base type " << baseType
                       << ", allowed are integers of 1 to 64 bits";
  llvm::StringSet<> seen;
  for (auto [field, value] : llvm::zip(names, values)) {
    if (!seen.insert(field.getValue()).second)
      return emitError() << "enum \"" << name << "\" has '" << field.getValue()
                         << "' twice";
    if (!llvm::isIntN(width, value) &&
        !llvm::isUIntN(width, static_cast<uint64_t>(value)))
      return emitError() << "enum \"" << name << "\" has '" << field.getValue()
                         << "' = " << value << ", which " << baseType
                         << " does not hold";
  }
  return success();
}

std::optional<int64_t> EnumType::getValueOf(StringRef name) const {
  for (auto [field, value] : llvm::zip(getCaseNames(), getCaseValues()))
    if (field.getValue() == name)
      return value;
  return std::nullopt;
}
