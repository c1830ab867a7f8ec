//===- Value.h - What an expression evaluates to ----------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value has a type and is one of three: known (the compiler has it), symbolic
// (an expression over parameters whose values differ between the PEs that share
// the code) or computed by running code (an SSA value of the dialect). An
// aggregate that is not computed as a whole may have parts of each sort.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_TARGET_CSLIMPORT_VALUE_H
#define SEQUIN_LIB_TARGET_CSLIMPORT_VALUE_H

#include "Integer.h"
#include "Type.h"
#include "mlir/IR/Value.h"
#include "sequin/CslSource/AST.h"
#include <variant>

namespace sequin::csl_import {

struct Global;
struct ModuleInstance;
class Value;

/// A function or task of a module.
struct FunctionRef {
  const csl_source::FnDecl *decl = nullptr;
  ModuleInstance *module = nullptr;
  bool operator==(const FunctionRef &) const = default;
};

/// Fields in order, or elements row by row. Shared until written.
using Elements = std::shared_ptr<std::vector<Value>>;

/// A known address: of a global, or of a part of it.
struct PointerValue;
/// A DSD whose fields are known or symbolic.
struct DsdValue;
/// An expression over parameters.
struct SymbolicValue;

class Value {
public:
  Value() = default;
  explicit Value(const Type *type) : valueType(type) {}
  Value(const Type *type, Integer value)
      : valueType(type), data(std::move(value)) {}
  Value(const Type *type, double value) : valueType(type), data(value) {}
  Value(const Type *type, std::string value)
      : valueType(type), data(std::move(value)) {}
  Value(const Type *type, const Type *value) : valueType(type), data(value) {}
  Value(const Type *type, FunctionRef value) : valueType(type), data(value) {}
  Value(const Type *type, ModuleInstance *value)
      : valueType(type), data(value) {}
  Value(const Type *type, Global *value) : valueType(type), data(value) {}
  Value(const Type *type, mlir::Value value) : valueType(type), data(value) {}
  Value(const Type *type, std::vector<Value> elements)
      : valueType(type),
        data(std::make_shared<std::vector<Value>>(std::move(elements))) {}
  Value(const Type *type, std::shared_ptr<const PointerValue> value)
      : valueType(type), data(std::move(value)) {}
  Value(const Type *type, std::shared_ptr<const DsdValue> value)
      : valueType(type), data(std::move(value)) {}
  Value(const Type *type, std::shared_ptr<const SymbolicValue> value)
      : valueType(type), data(std::move(value)) {}

  const Type *type() const { return valueType; }
  void setType(const Type *type) { valueType = type; }

  /// About which an error was reported, or that is not there.
  bool isError() const { return !valueType || valueType->isError(); }
  explicit operator bool() const { return !isError(); }

  bool isVoid() const { return valueType && valueType->isVoid(); }
  bool isRuntime() const { return std::holds_alternative<mlir::Value>(data); }
  bool isSymbolic() const { return is<SymbolicValue>(); }
  bool isInteger() const { return std::holds_alternative<Integer>(data); }
  bool isFloat() const { return std::holds_alternative<double>(data); }
  bool isString() const { return std::holds_alternative<std::string>(data); }
  bool isType() const { return std::holds_alternative<const Type *>(data); }
  bool isFunction() const { return std::holds_alternative<FunctionRef>(data); }
  bool isModule() const {
    return std::holds_alternative<ModuleInstance *>(data);
  }
  bool isAggregate() const { return std::holds_alternative<Elements>(data); }
  bool isPointer() const { return is<PointerValue>(); }
  bool isDsd() const { return is<DsdValue>(); }
  /// A FIFO: the global that holds it.
  bool isFifo() const { return std::holds_alternative<Global *>(data); }
  /// Nothing of it is computed by running code; parts may be symbolic.
  bool isComptime() const;
  /// Nothing is computed or symbolic.
  bool isKnown() const;

  const Integer &integer() const { return std::get<Integer>(data); }
  int64_t small(int64_t otherwise = 0) const {
    return integer().small().value_or(otherwise);
  }
  bool truth() const { return !integer().isZero(); }
  double number() const { return std::get<double>(data); }
  const std::string &string() const { return std::get<std::string>(data); }
  const Type *asType() const { return std::get<const Type *>(data); }
  const FunctionRef &function() const { return std::get<FunctionRef>(data); }
  ModuleInstance *module() const { return std::get<ModuleInstance *>(data); }
  Global *fifo() const { return std::get<Global *>(data); }
  mlir::Value runtime() const { return std::get<mlir::Value>(data); }
  const std::vector<Value> &elements() const {
    return *std::get<Elements>(data);
  }
  /// To write to; a copy if others share them.
  std::vector<Value> &mutableElements();
  const PointerValue &pointer() const { return get<PointerValue>(); }
  const DsdValue &dsd() const { return get<DsdValue>(); }
  const SymbolicValue &symbolic() const { return get<SymbolicValue>(); }
  std::shared_ptr<const SymbolicValue> sharedSymbolic() const {
    return std::get<std::shared_ptr<const SymbolicValue>>(data);
  }
  /// A field of a known struct; null if there is none of the name.
  const Value *field(llvm::StringRef name) const;

  /// As @comptime_print writes it.
  std::string str() const;
  /// Equal for equal values of one type: globals, functions, modules, types
  /// and SSA values by identity, which have no name or share one.
  std::string key() const;

private:
  template <typename T> bool is() const {
    return std::holds_alternative<std::shared_ptr<const T>>(data);
  }
  template <typename T> const T &get() const {
    return *std::get<std::shared_ptr<const T>>(data);
  }

  const Type *valueType = nullptr;
  std::variant<std::monostate, Integer, double, std::string, const Type *,
               FunctionRef, ModuleInstance *, Global *, mlir::Value, Elements,
               std::shared_ptr<const PointerValue>,
               std::shared_ptr<const DsdValue>,
               std::shared_ptr<const SymbolicValue>>
      data;
};

struct PointerValue {
  /// Null for a function's address.
  Global *global = nullptr;
  FunctionRef function;
  /// From the global inwards: a field's name, or the indices of an element.
  struct Step {
    std::string field;
    std::vector<Value> indices;
  };
  std::vector<Step> path;
  std::string str() const;
};

/// What @get_dsd was given. Error values are fields that were not.
struct DsdValue {
  csl::DescriptorKind kind = csl::DescriptorKind::Mem1d;
  csl_source::Span made; ///< its @get_dsd
  Value base, extent, stride, offset;
  /// mem4d: innermost first, and outermost first (DSD-027, DSD-028).
  std::vector<int64_t> strides, extents;
  Value wraparound; ///< circbuf
  Value queue, color;
  std::optional<csl::Priority> priority;
  std::optional<csl::SimdMode> simd;
  std::optional<csl::ZeroSource> zero;
  bool indexOffset = false, control = false, advanceSwitch = false,
       controlTransform = false;
};

struct SymbolicValue {
  enum class Kind : uint8_t {
    Param,   ///< a leaf: `name`
    Binary,  ///< two operands, `op`
    Cast,    ///< one operand, to the value's type
    Element, ///< an array and indices; the array is `table` if that is not null
  };
  Kind kind = Kind::Param;
  csl_source::BinaryOp op = csl_source::BinaryOp::Add;
  std::string name;
  std::vector<Value> operands;
  Global *table = nullptr;
  /// How many expressions it is made of, each counted wherever it stands.
  size_t size = 1;
  /// Equal for equal expressions.
  std::string key;
  /// Least and greatest value over the PEs, of an integer, when asked for.
  mutable std::optional<std::pair<Integer, Integer>> range;
};

/// Rounded to the format, to nearest even; infinite if it is too large.
double roundTo(FloatFormat format, double value);
/// An integer, rounded to the format; infinite if it is too large.
double roundInteger(FloatFormat format, const Integer &value);

} // namespace sequin::csl_import

#endif // SEQUIN_LIB_TARGET_CSLIMPORT_VALUE_H
