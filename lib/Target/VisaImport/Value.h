//===- Value.h - Types and values of kernels --------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the evaluator computes with. Types are shared and immutable; a null
// TypeRef is a type that is not known, `_` of Rust. References are what they
// refer to: tensors are shared by identity, plain data is copied, and a `&mut`
// of plain data is a slot.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_TARGET_VISAIMPORT_VALUE_H
#define SEQUIN_LIB_TARGET_VISAIMPORT_VALUE_H

#include "mlir/IR/Value.h"
#include "sequin/VisaSource/AST.h"
#include "sequin/VisaSource/Api.h"
#include "llvm/ADT/DenseMap.h"
#include <memory>
#include <string>
#include <vector>

namespace sequin::visa_import {

namespace ast = sequin::visa_source;
using ast::Span;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

struct Frame;
struct Type;
using TypeRef = std::shared_ptr<const Type>;

struct Type {
  enum class Kind : uint8_t {
    /// `i32`, `bool`, `usize`, by name.
    Scalar,
    /// `m![..]`, as text with the axes' names in the program.
    Mapping,
    /// An axis of `axes!`.
    Axis,
    /// A tensor, view or stream of the crate; `args` are its parameters from
    /// the element type on (parametersOf).
    Tensor,
    Tuple,
    /// An array or slice of args[0].
    Array,
    /// A struct or enum of the source, in `decl`.
    Struct,
    /// Any other, which has a name alone.
    Named,
    /// What an error was reported about.
    Error
  };
  Kind kind = Kind::Named;
  /// Of Scalar, Tensor, Named; the axis's name.
  std::string name;
  /// Of Mapping; of Array its length, if it is known.
  std::string text;
  const ast::Node *decl = nullptr;
  std::vector<TypeRef> args;
  /// Of a Struct: what its generic parameters are.
  std::shared_ptr<const Frame> bound;
};

/// The parameters of a tensor type that this importer keeps, in order: "D",
/// "Chip", ..., as the crate declares them; empty for any other type.
llvm::ArrayRef<StringRef> parametersOf(StringRef tensor);
/// The type of a parameter of a tensor; null if it is not known.
TypeRef getParameter(const TypeRef &tensor, StringRef parameter);
/// Its text, if the parameter is a known mapping.
std::optional<StringRef> getMapping(const TypeRef &tensor, StringRef parameter);

TypeRef makeScalar(StringRef name);
TypeRef makeMapping(std::string text);
TypeRef makeTensor(StringRef name, std::vector<TypeRef> args);
/// As the source would write it.
std::string str(const TypeRef &type);

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// A tensor in a memory.
struct Buffer {
  TypeRef type;
  /// What it holds now. Null: moved away.
  mlir::Value value;
  Span made;
  /// The address in the source, or 0.
  int64_t address = 0;
  /// Of the entry: its number, -1 for others.
  int parameter = -1;
  bool isRead = false;
  /// Elements that were written, counted with repetition.
  int64_t written = 0;
  /// The tensor that this one is another name of, which what is written to this
  /// one is written to; null for most.
  std::shared_ptr<Buffer> base;
};
using BufferRef = std::shared_ptr<Buffer>;

/// A part of a tensor.
struct Tile {
  /// The parameter of the tensor's type that is cut: "Element", "Slice", ...
  StringRef level = "Element";
  std::string dimension;
  int64_t size = 1;
  /// One for all chips, or one for each.
  llvm::SmallVector<int64_t, 1> starts;
  /// The parameter's mapping afterwards.
  std::string mapping;
  Span place;
};

/// What `fetch` of release 0.6 asks for; the adapters behind it add to it, and
/// what comes next makes the operation.
struct Fetch {
  std::string time, packet;
  mlir::Type element;
  mlir::Attribute table;
  llvm::SmallVector<int64_t, 2> zeroPoints;
  Span place;
};

struct Value;
struct Frame;

/// Plain data that others may refer to.
using Slot = std::shared_ptr<Value>;

struct Field {
  StringRef name;
  Slot value;
};

struct Value {
  enum class Kind : uint8_t {
    /// What an error was reported about; nothing is said about it any more.
    Error,
    Unit,
    Bool,
    Int,
    Float,
    Text,
    Tuple,
    /// Also what iterators go over.
    Array,
    /// Of the source's own types; of an enum, `variant` says which.
    Struct,
    /// `fields` hold first and last (exclusive).
    Range,
    /// A variant of the crate's enumerations, with its operands.
    Choice,
    Tensor,
    View,
    Stream,
    /// `ctx`, or one of its members, by name.
    Context,
    Closure,
    /// `&mut` of plain data.
    Reference
  };
  Kind kind = Kind::Error;
  bool boolean = false;
  int64_t integer = 0;
  double number = 0;
  /// Of numbers: the type's name, empty if any fits. Of a Choice: the type. Of
  /// a Stream: the crate's type. Of a Context: "ctx", "main", ... Of Text: it.
  std::string name;
  StringRef variant;
  std::vector<Field> fields;
  BufferRef buffer;
  llvm::SmallVector<Tile, 1> tiles;
  mlir::Value stream;
  /// Of a stream that is not fetched yet: `stream` is what `begin` gave.
  std::shared_ptr<const Fetch> fetch;
  /// Of a stream: the packet that commit_trim keeps, or the time that
  /// contract_time leaves.
  std::string declared;
  /// Of plain data in release 0.6: why it is no constant; empty if it is one.
  StringRef dynamic;
  /// Of a Struct its item, of a Closure the expression.
  const ast::Node *decl = nullptr;
  /// Of a Closure, where it was made; of a Struct, its generic parameters.
  std::shared_ptr<Frame> frame;
  Slot target;

  bool isError() const { return kind == Kind::Error; }
  explicit operator bool() const { return !isError(); }
};

Value makeUnit();
Value makeBool(bool value);
Value makeInt(int64_t value, StringRef type = "");
Value makeTuple(std::vector<Value> elements);
Value makeArray(std::vector<Value> elements);
Value makeChoice(StringRef type, StringRef variant);
Value makeSome(Value inner);
/// Whether a number is one of an integer type.
bool fitsInteger(int64_t number, StringRef type);
/// A copy that shares no plain data with `value`.
Value copyOf(const Value &value);
/// What a message calls it: "an integer", "a DmTensor".
std::string describe(const Value &value);

/// Names and generic parameters of a function that is being evaluated.
struct Frame {
  llvm::DenseMap<const ast::Node *, Slot> locals;
  /// Of type parameters.
  llvm::DenseMap<const ast::Node *, TypeRef> types;
  /// Of constant parameters.
  llvm::DenseMap<const ast::Node *, Value> constants;
  /// What `Self` is, in a method.
  TypeRef self;
  Slot selfValue;
  TypeRef result;
};

} // namespace sequin::visa_import

#endif // SEQUIN_LIB_TARGET_VISAIMPORT_VALUE_H
