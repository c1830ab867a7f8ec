//===- Type.h - Types of CSL ------------------------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A type of CSL is made once: two types are equal iff their pointers are. Named
// structs, unions and enums are told apart by the place that declares them
// and by their fields, so that a type function called twice with the same
// arguments gives the same type; anonymous structs by their fields alone.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_TARGET_CSLIMPORT_TYPE_H
#define SEQUIN_LIB_TARGET_CSLIMPORT_TYPE_H

#include "mlir/IR/Types.h"
#include "sequin/Dialect/Csl/IR/CslDialect.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringMap.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sequin::csl_import {

enum class TypeKind : uint8_t {
  Error, ///< of a value about which an error was reported
  NoReturn,
  Void,
  Bool,
  Int,
  ComptimeInt,
  Float,
  ComptimeFloat,
  String,
  Type,
  Direction,
  Color,
  InputQueue,
  OutputQueue,
  DataTaskId,
  LocalTaskId,
  ControlTaskId,
  UtId,
  Dsd,
  Fifo,
  Dsr,
  Xdsr,
  Sr,
  Array,
  Pointer,
  AnyOpaque,
  Function,
  Task,
  Struct, ///< and unions, tuples, anonymous structs
  Enum,
  Range,
  Module,
  ComptimeStruct, ///< the older name of any anonymous struct (AMB-005)
};

enum class FloatFormat : uint8_t { F16, CB16, BF16, F32 };

struct Type {
  struct Field {
    std::string name;
    const Type *type;
  };

  TypeKind kind = TypeKind::Error;
  bool isSigned = false;                                      ///< Int
  bool isMany = false;                                        ///< Pointer
  bool isConst = false;                                       ///< Pointer
  bool isUnion = false, isAnonymous = false, isTuple = false; ///< Struct
  FloatFormat format = FloatFormat::F32;
  csl::DescriptorKind dsd = csl::DescriptorKind::Mem1d;
  csl::DsrKind dsr = csl::DsrKind::Dest;
  csl::AggregateKind layout = csl::AggregateKind::Plain;
  unsigned width = 0; ///< Int
  /// Of an array, pointer, FIFO, range; an enum's base; a function's result.
  const Type *element = nullptr;
  llvm::SmallVector<int64_t, 2> shape;
  llvm::SmallVector<const Type *, 4> params; ///< Function, Task
  std::string name;                          ///< Struct, Enum: for messages
  std::vector<Field> fields;
  std::vector<std::pair<std::string, int64_t>> cases; ///< Enum

  bool is(TypeKind other) const { return kind == other; }
  bool isError() const { return kind == TypeKind::Error; }
  bool isVoid() const { return kind == TypeKind::Void; }
  bool isInteger() const {
    return kind == TypeKind::Int || kind == TypeKind::ComptimeInt;
  }
  bool isFloating() const {
    return kind == TypeKind::Float || kind == TypeKind::ComptimeFloat;
  }
  bool isNumber() const { return isInteger() || isFloating(); }
  bool isHalf() const {
    return kind == TypeKind::Float && format != FloatFormat::F32;
  }
  bool isInt(unsigned bits) const {
    return kind == TypeKind::Int && width == bits;
  }
  /// Colors, queues, task ids, microthreads: a 16-bit number with a meaning.
  bool isId() const {
    return kind >= TypeKind::Color && kind <= TypeKind::UtId;
  }
  bool isRegister() const {
    return kind >= TypeKind::Dsr && kind <= TypeKind::Sr;
  }
  bool isStruct() const { return kind == TypeKind::Struct; }
  bool isArray() const { return kind == TypeKind::Array; }
  bool isPointer() const { return kind == TypeKind::Pointer; }
  bool isPacked() const {
    return isStruct() && layout == csl::AggregateKind::Packed;
  }
  bool isFunctionPointer() const {
    return isPointer() && element->kind == TypeKind::Function;
  }
  /// Values exist while compiling only (CMP-022).
  bool isComptimeOnly() const;
  /// Of an array.
  int64_t numElements() const;
  std::optional<unsigned> fieldIndex(llvm::StringRef field) const;
  /// In a packed struct or for @bitcast; 0 where a type has no bits.
  unsigned bits() const;
  /// As CSL writes it.
  std::string str(size_t limit = SIZE_MAX) const;
  /// Appends the same, and stops where the text has more than `limit` bytes.
  void print(std::string &text, size_t limit) const;
};

const llvm::fltSemantics &getSemantics(FloatFormat format);
/// A number in another format; rounded, but what is no number keeps its bits,
/// those that fit.
llvm::APFloat inFormat(const llvm::APFloat &number,
                       const llvm::fltSemantics &format);

/// Makes types; owns them.
class TypeContext {
public:
  explicit TypeContext(csl::Fp16 fp16);
  TypeContext(const TypeContext &) = delete;
  TypeContext &operator=(const TypeContext &) = delete;

  const Type *simple(TypeKind kind) { return simples[unsigned(kind)]; }
  const Type *error() { return simple(TypeKind::Error); }
  const Type *voidType() { return simple(TypeKind::Void); }
  const Type *boolType() { return simple(TypeKind::Bool); }
  const Type *comptimeInt() { return simple(TypeKind::ComptimeInt); }
  const Type *comptimeFloat() { return simple(TypeKind::ComptimeFloat); }
  const Type *string() { return simple(TypeKind::String); }
  const Type *typeType() { return simple(TypeKind::Type); }
  const Type *integer(unsigned width, bool isSigned);
  const Type *u16() { return integer(16, false); }
  const Type *i16() { return integer(16, true); }
  const Type *u32() { return integer(32, false); }
  const Type *floating(FloatFormat format);
  const Type *fp16(); ///< `@fp16()`
  const Type *f32() { return floating(FloatFormat::F32); }
  const Type *dsd(csl::DescriptorKind kind);
  const Type *dsr(csl::DsrKind kind);
  const Type *fifo(const Type *element);
  const Type *range(const Type *element);
  const Type *array(llvm::ArrayRef<int64_t> shape, const Type *element);
  const Type *pointer(const Type *pointee, bool isMany, bool isConst);
  const Type *function(llvm::ArrayRef<const Type *> params, const Type *result);
  const Type *task(llvm::ArrayRef<const Type *> params);
  /// Without names: fields "0", "1", ....
  const Type *anonymous(std::vector<Type::Field> fields, bool isTuple);
  /// `origin` is the declaring expression.
  const Type *named(const void *origin, llvm::StringRef name,
                    std::vector<Type::Field> fields, csl::AggregateKind layout,
                    bool isUnion);
  const Type *enumeration(const void *origin, llvm::StringRef name,
                          const Type *base,
                          std::vector<std::pair<std::string, int64_t>> cases);

  /// A predeclared type's name (`i16`, `color`), or null.
  const Type *lookup(llvm::StringRef name);

  /// The dialect's type; null for what only the compiler has.
  mlir::Type convert(const Type *type, mlir::MLIRContext *context);

private:
  const Type *intern(const std::string &key, Type type);

  csl::Fp16 format;
  std::vector<const Type *> simples;
  llvm::StringMap<std::unique_ptr<Type>> types;
  /// Names of structs and enums that were given out, to tell equal ones apart.
  llvm::StringMap<unsigned> names;
  llvm::DenseMap<const Type *, mlir::Type> converted;
};

/// The cast that makes a `to` of a `from`, as the end of a message about them;
/// empty if there is none to write.
std::string castToWrite(const Type *from, const Type *to);

} // namespace sequin::csl_import

#endif // SEQUIN_LIB_TARGET_CSLIMPORT_TYPE_H
