//===- Type.cpp - Types of CSL --------------------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Type.h"
#include "mlir/IR/BuiltinTypes.h"
#include "sequin/CslSource/Names.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace sequin;
using namespace sequin::csl_import;

//===----------------------------------------------------------------------===//
// Properties
//===----------------------------------------------------------------------===//

bool Type::isComptimeOnly() const {
  switch (kind) {
  case TypeKind::ComptimeInt:
  case TypeKind::ComptimeFloat:
  case TypeKind::String:
  case TypeKind::Type:
  case TypeKind::Function:
  case TypeKind::Task:
  case TypeKind::Module:
  case TypeKind::ComptimeStruct:
    return true;
  case TypeKind::Array:
    return element->isComptimeOnly();
  case TypeKind::Range:
    return element->isComptimeOnly();
  case TypeKind::Struct:
    return llvm::any_of(fields, [](const Field &field) {
      return field.type->isComptimeOnly() || field.type->isVoid();
    });
  default:
    return false;
  }
}

int64_t Type::numElements() const {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

std::optional<unsigned> Type::fieldIndex(llvm::StringRef field) const {
  for (auto [index, entry] : llvm::enumerate(fields))
    if (entry.name == field)
      return index;
  return std::nullopt;
}

unsigned Type::bits() const {
  switch (kind) {
  case TypeKind::Bool:
    return 1;
  case TypeKind::Int:
    return width;
  case TypeKind::Float:
    return format == FloatFormat::F32 ? 32 : 16;
  case TypeKind::Pointer:
    return 16;
  case TypeKind::Enum:
    return element->bits();
  case TypeKind::Struct: {
    if (layout != csl::AggregateKind::Packed)
      return 0;
    unsigned sum = 0;
    for (const Field &field : fields)
      sum = isUnion ? std::max(sum, field.type->bits())
                    : sum + field.type->bits();
    return sum;
  }
  default:
    return isId() || kind == TypeKind::Direction ? 16 : 0;
  }
}

static llvm::StringRef getSimpleName(TypeKind kind) {
  switch (kind) {
  case TypeKind::Error:
    return "<error>";
  case TypeKind::NoReturn:
    return "noreturn";
  case TypeKind::Void:
    return "void";
  case TypeKind::Bool:
    return "bool";
  case TypeKind::ComptimeInt:
    return "comptime_int";
  case TypeKind::ComptimeFloat:
    return "comptime_float";
  case TypeKind::String:
    return "comptime_string";
  case TypeKind::Type:
    return "type";
  case TypeKind::Direction:
    return "direction";
  case TypeKind::Color:
    return "color";
  case TypeKind::InputQueue:
    return "input_queue";
  case TypeKind::OutputQueue:
    return "output_queue";
  case TypeKind::DataTaskId:
    return "data_task_id";
  case TypeKind::LocalTaskId:
    return "local_task_id";
  case TypeKind::ControlTaskId:
    return "control_task_id";
  case TypeKind::UtId:
    return "ut_id";
  case TypeKind::Xdsr:
    return "xdsr";
  case TypeKind::Sr:
    return "sr";
  case TypeKind::AnyOpaque:
    return "anyopaque";
  case TypeKind::Module:
    return "imported_module";
  case TypeKind::ComptimeStruct:
    return "comptime_struct";
  default:
    return "";
  }
}

static llvm::StringRef getFormatName(FloatFormat format) {
  switch (format) {
  case FloatFormat::F16:
    return "f16";
  case FloatFormat::CB16:
    return "cb16";
  case FloatFormat::BF16:
    return "bf16";
  case FloatFormat::F32:
    return "f32";
  }
  llvm_unreachable("unknown format");
}

void Type::print(std::string &text, size_t limit) const {
  if (text.size() > limit)
    return;
  llvm::raw_string_ostream os(text);
  auto list = [&](llvm::ArrayRef<const Type *> types) {
    llvm::interleaveComma(types, os,
                          [&](const Type *t) { t->print(text, limit); });
  };
  switch (kind) {
  case TypeKind::Int:
    os << (isSigned ? 'i' : 'u') << width;
    break;
  case TypeKind::Float:
    os << getFormatName(format);
    break;
  case TypeKind::Dsd:
    os << csl::stringifyDescriptorKind(dsd) << "_dsd";
    break;
  case TypeKind::Fifo:
    os << "fifo of ";
    element->print(text, limit);
    break;
  case TypeKind::Dsr:
    os << "dsr_" << csl::stringifyDsrKind(dsr);
    break;
  case TypeKind::Array:
    os << '[';
    llvm::interleaveComma(shape, os);
    os << ']';
    element->print(text, limit);
    break;
  case TypeKind::Pointer:
    os << (isMany ? "[*]" : "*")
       << (isConst && element->kind != TypeKind::Function ? "const " : "");
    if (isConst && element->kind == TypeKind::Function)
      os << "const ";
    element->print(text, limit);
    break;
  case TypeKind::Function:
    if (!element) {
      os << "fn";
      break;
    }
    os << "fn(";
    list(params);
    os << ") ";
    element->print(text, limit);
    break;
  case TypeKind::Task:
    if (!element) {
      os << "task";
      break;
    }
    os << "task(";
    list(params);
    os << ") void";
    break;
  case TypeKind::Range:
    os << "range of ";
    element->print(text, limit);
    break;
  case TypeKind::Enum:
    os << name;
    break;
  case TypeKind::Struct:
    if (!isAnonymous) {
      os << name;
      break;
    }
    os << "struct{";
    llvm::interleaveComma(fields, os, [&](const Field &field) {
      if (!isTuple)
        os << field.name << ": ";
      field.type->print(text, limit);
    });
    os << '}';
    break;
  default:
    os << getSimpleName(kind);
  }
}

std::string Type::str(size_t limit) const {
  std::string text;
  print(text, limit);
  if (text.size() > limit) {
    text.resize(limit);
    text += "...";
  }
  return text;
}

llvm::APFloat csl_import::inFormat(const llvm::APFloat &number,
                                   const llvm::fltSemantics &format) {
  llvm::APFloat result = number;
  bool losesInfo;
  if (!number.isNaN()) {
    result.convert(format, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    return result;
  }
  // Conversion would make a signalling NaN quiet.
  unsigned digits =
      llvm::APFloat::semanticsPrecision(number.getSemantics()) - 1;
  unsigned newDigits = llvm::APFloat::semanticsPrecision(format) - 1;
  llvm::APInt payload = number.bitcastToAPInt().extractBits(digits, 0);
  payload = newDigits < digits
                ? payload.lshr(digits - newDigits).trunc(newDigits)
                : payload.zext(newDigits).shl(newDigits - digits);
  if (payload.isZero())
    payload.setBit(newDigits - 1);
  llvm::APInt bits =
      llvm::APFloat::getInf(format, number.isNegative()).bitcastToAPInt();
  bits.insertBits(payload, 0);
  return llvm::APFloat(format, bits);
}

const llvm::fltSemantics &csl_import::getSemantics(FloatFormat format) {
  switch (format) {
  case FloatFormat::F16:
    return llvm::APFloat::IEEEhalf();
  case FloatFormat::BF16:
    return llvm::APFloat::BFloat();
  case FloatFormat::CB16: // held as f32 (6 exponent bits, 9 of mantissa)
  case FloatFormat::F32:
    return llvm::APFloat::IEEEsingle();
  }
  llvm_unreachable("unknown format");
}

//===----------------------------------------------------------------------===//
// Making types
//===----------------------------------------------------------------------===//

TypeContext::TypeContext(csl::Fp16 fp16) : format(fp16) {
  constexpr unsigned count = unsigned(TypeKind::ComptimeStruct) + 1;
  simples.resize(count);
  for (unsigned kind = 0; kind < count; ++kind) {
    Type type;
    type.kind = TypeKind(kind);
    simples[kind] = intern(llvm::formatv("simple {0}", kind).str(), type);
  }
}

const Type *TypeContext::intern(const std::string &key, Type type) {
  auto [entry, isNew] = types.try_emplace(key);
  if (isNew)
    entry->second = std::make_unique<Type>(std::move(type));
  return entry->second.get();
}

/// The identity of a type as part of a key.
static std::string id(const Type *type) {
  return llvm::utohexstr(reinterpret_cast<uintptr_t>(type), /*LowerCase=*/true);
}

const Type *TypeContext::integer(unsigned width, bool isSigned) {
  Type type;
  type.kind = TypeKind::Int;
  type.width = width;
  type.isSigned = isSigned;
  return intern((isSigned ? "i" : "u") + std::to_string(width), type);
}

const Type *TypeContext::floating(FloatFormat format) {
  Type type;
  type.kind = TypeKind::Float;
  type.format = format;
  return intern("float " + getFormatName(format).str(), type);
}

const Type *TypeContext::fp16() {
  return floating(format == csl::Fp16::F16    ? FloatFormat::F16
                  : format == csl::Fp16::CB16 ? FloatFormat::CB16
                                              : FloatFormat::BF16);
}

const Type *TypeContext::dsd(csl::DescriptorKind kind) {
  Type type;
  type.kind = TypeKind::Dsd;
  type.dsd = kind;
  return intern("dsd " + csl::stringifyDescriptorKind(kind).str(), type);
}

const Type *TypeContext::dsr(csl::DsrKind kind) {
  Type type;
  type.kind = TypeKind::Dsr;
  type.dsr = kind;
  return intern("dsr " + csl::stringifyDsrKind(kind).str(), type);
}

const Type *TypeContext::fifo(const Type *element) {
  Type type;
  type.kind = TypeKind::Fifo;
  type.element = element;
  return intern("fifo " + id(element), type);
}

const Type *TypeContext::range(const Type *element) {
  Type type;
  type.kind = TypeKind::Range;
  type.element = element;
  return intern("range " + id(element), type);
}

const Type *TypeContext::array(llvm::ArrayRef<int64_t> shape,
                               const Type *element) {
  Type type;
  type.kind = TypeKind::Array;
  type.element = element;
  type.shape.assign(shape.begin(), shape.end());
  std::string key = "array " + id(element);
  for (int64_t size : shape)
    key += "," + std::to_string(size);
  return intern(key, type);
}

const Type *TypeContext::pointer(const Type *pointee, bool isMany,
                                 bool isConst) {
  Type type;
  type.kind = TypeKind::Pointer;
  type.element = pointee;
  type.isMany = isMany;
  type.isConst = isConst;
  return intern(std::string(isMany ? "many " : "ptr ") +
                    (isConst ? "const " : "") + id(pointee),
                type);
}

const Type *TypeContext::function(llvm::ArrayRef<const Type *> params,
                                  const Type *result) {
  Type type;
  type.kind = TypeKind::Function;
  type.element = result;
  type.params.assign(params.begin(), params.end());
  std::string key = "fn " + id(result);
  for (const Type *param : params)
    key += "," + id(param);
  return intern(key, type);
}

const Type *TypeContext::task(llvm::ArrayRef<const Type *> params) {
  Type type;
  type.kind = TypeKind::Task;
  type.element = voidType();
  type.params.assign(params.begin(), params.end());
  std::string key = "task ";
  for (const Type *param : params)
    key += "," + id(param);
  return intern(key, type);
}

static std::string describeFields(llvm::ArrayRef<Type::Field> fields) {
  std::string key;
  for (const Type::Field &field : fields)
    key += field.name + ":" + id(field.type) + ",";
  return key;
}

const Type *TypeContext::anonymous(std::vector<Type::Field> fields,
                                   bool isTuple) {
  Type type;
  type.kind = TypeKind::Struct;
  type.isAnonymous = true;
  type.isTuple = isTuple && !fields.empty();
  std::string key = "struct " + describeFields(fields);
  type.fields = std::move(fields);
  return intern(key, type);
}

const Type *TypeContext::named(const void *origin, llvm::StringRef name,
                               std::vector<Type::Field> fields,
                               csl::AggregateKind layout, bool isUnion) {
  std::string key =
      llvm::formatv("named {0} {1}", origin, describeFields(fields)).str();
  if (auto found = types.find(key); found != types.end())
    return found->second.get();
  Type type;
  type.kind = TypeKind::Struct;
  type.layout = layout;
  type.isUnion = isUnion;
  type.fields = std::move(fields);
  // The dialect tells structs apart by name and fields.
  unsigned uses = names[name]++;
  type.name = uses ? (name + "." + std::to_string(uses)).str() : name.str();
  return intern(key, type);
}

const Type *
TypeContext::enumeration(const void *origin, llvm::StringRef name,
                         const Type *base,
                         std::vector<std::pair<std::string, int64_t>> cases) {
  std::string key = llvm::formatv("enum {0} {1} ", origin, id(base)).str();
  for (const auto &entry : cases)
    key += entry.first + "=" + std::to_string(entry.second) + ",";
  if (auto found = types.find(key); found != types.end())
    return found->second.get();
  Type type;
  type.kind = TypeKind::Enum;
  type.element = base;
  type.cases = std::move(cases);
  unsigned uses = names[name]++;
  type.name = uses ? (name + "." + std::to_string(uses)).str() : name.str();
  return intern(key, type);
}

const Type *TypeContext::lookup(llvm::StringRef name) {
  if (auto integerName = csl_source::integerTypeName(name))
    return integer(integerName->bits, integerName->isSigned);
  for (FloatFormat candidate : {FloatFormat::F16, FloatFormat::CB16,
                                FloatFormat::BF16, FloatFormat::F32})
    if (name == getFormatName(candidate))
      return floating(candidate);
  if (name.ends_with("_dsd"))
    if (auto kind = csl::symbolizeDescriptorKind(name.drop_back(4)))
      return dsd(*kind);
  if (name.starts_with("dsr_"))
    if (auto kind = csl::symbolizeDsrKind(name.drop_front(4)))
      return dsr(*kind);
  for (const Type *type : simples)
    if (name == getSimpleName(type->kind) && !type->isError() &&
        type->kind != TypeKind::NoReturn)
      return type;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// The dialect's types
//===----------------------------------------------------------------------===//

mlir::Type TypeContext::convert(const Type *type, mlir::MLIRContext *context) {
  if (auto known = converted.lookup(type))
    return known;
  auto make = [&]() -> mlir::Type {
    switch (type->kind) {
    case TypeKind::Bool:
      return mlir::IntegerType::get(context, 1);
    case TypeKind::Int:
      return type->width >= 1 && type->width <= 64
                 ? mlir::IntegerType::get(context, type->width)
                 : mlir::Type();
    case TypeKind::Float:
      switch (type->format) {
      case FloatFormat::F16:
        return mlir::Float16Type::get(context);
      case FloatFormat::CB16:
        return csl::CB16Type::get(context);
      case FloatFormat::BF16:
        return mlir::BFloat16Type::get(context);
      case FloatFormat::F32:
        return mlir::Float32Type::get(context);
      }
      llvm_unreachable("unknown format");
    case TypeKind::Direction:
      return csl::DirectionType::get(context);
    case TypeKind::Color:
      return csl::ColorType::get(context);
    case TypeKind::InputQueue:
      return csl::InputQueueType::get(context);
    case TypeKind::OutputQueue:
      return csl::OutputQueueType::get(context);
    case TypeKind::DataTaskId:
      return csl::DataTaskIdType::get(context);
    case TypeKind::LocalTaskId:
      return csl::LocalTaskIdType::get(context);
    case TypeKind::ControlTaskId:
      return csl::ControlTaskIdType::get(context);
    case TypeKind::UtId:
      return csl::UtIdType::get(context);
    case TypeKind::Dsd:
      return csl::DsdType::get(context, type->dsd);
    case TypeKind::Dsr:
      return csl::DsrType::get(context, type->dsr);
    case TypeKind::Xdsr:
      return csl::XdsrType::get(context);
    case TypeKind::Sr:
      return csl::SrType::get(context);
    case TypeKind::Fifo:
      if (mlir::Type element = convert(type->element, context))
        return csl::FifoType::get(context, element);
      return {};
    case TypeKind::Array:
      if (mlir::Type element = convert(type->element, context))
        return csl::ArrayType::get(context, type->shape, element);
      return {};
    case TypeKind::Pointer: {
      mlir::Type pointee;
      if (type->element->is(TypeKind::AnyOpaque))
        pointee = mlir::NoneType::get(context);
      else
        pointee = convert(type->element, context);
      return pointee ? csl::PtrType::get(pointee, type->isMany, type->isConst)
                     : mlir::Type();
    }
    case TypeKind::Function: {
      if (!type->element)
        return {};
      llvm::SmallVector<mlir::Type> params, results;
      for (const Type *param : type->params)
        params.push_back(convert(param, context));
      if (!type->element->isVoid())
        results.push_back(convert(type->element, context));
      if (llvm::is_contained(params, mlir::Type()) ||
          llvm::is_contained(results, mlir::Type()))
        return {};
      return mlir::FunctionType::get(context, params, results);
    }
    case TypeKind::Struct: {
      llvm::SmallVector<mlir::StringAttr> fieldNames;
      llvm::SmallVector<mlir::Type> fieldTypes;
      for (const Type::Field &field : type->fields) {
        mlir::Type converted = convert(field.type, context);
        if (!converted)
          return {};
        fieldNames.push_back(mlir::StringAttr::get(context, field.name));
        fieldTypes.push_back(converted);
      }
      return csl::StructType::get(context, type->isAnonymous ? "" : type->name,
                                  type->layout, type->isUnion, fieldNames,
                                  fieldTypes);
    }
    case TypeKind::Enum: {
      mlir::Type base = convert(type->element, context);
      if (!base)
        return {};
      llvm::SmallVector<mlir::StringAttr> caseNames;
      llvm::SmallVector<int64_t> caseValues;
      for (const auto &[name, value] : type->cases) {
        caseNames.push_back(mlir::StringAttr::get(context, name));
        caseValues.push_back(value);
      }
      return csl::EnumType::get(context, type->name,
                                mlir::cast<mlir::IntegerType>(base), caseNames,
                                caseValues);
    }
    default:
      return {};
    }
  };
  mlir::Type result = make();
  converted[type] = result;
  return result;
}

std::string csl_import::castToWrite(const Type *from, const Type *to) {
  bool areNumbers = (from->is(TypeKind::Int) || from->is(TypeKind::Float)) &&
                    (to->is(TypeKind::Int) || to->is(TypeKind::Float));
  if (areNumbers)
    return ": write @as(" + to->str() + ", ...)";
  bool arePointers = from->isPointer() && to->isPointer() &&
                     !from->isFunctionPointer() && !to->isFunctionPointer();
  if (arePointers && (to->isConst || !from->isConst))
    return ": write @ptrcast(" + to->str() + ", ...)";
  return "";
}
