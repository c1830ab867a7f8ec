//===- BuiltinsTypes.cpp - Casts, types, arrays, strings, ranges ----------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "llvm/Support/raw_ostream.h"

using namespace sequin;
using namespace sequin::csl_import;
using namespace sequin::csl_source;

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

Value Evaluator::builtinAs(const BuiltinCall &call, const Type *) {
  if (!expectArgs(call, 2, 2))
    return Value();
  const Type *type = evalType(arg(call, 0));
  Value value = eval(arg(call, 1));
  return type && value ? castTo(type, value, arg(call, 1).span()) : Value();
}

Value Evaluator::builtinBitcast(const BuiltinCall &call, const Type *) {
  if (!expectArgs(call, 2, 2))
    return Value();
  const Type *type = evalType(arg(call, 0));
  Value value = eval(arg(call, 1));
  return type && value ? bitcastTo(type, value, call.span()) : Value();
}

Value Evaluator::builtinPtrcast(const BuiltinCall &call, const Type *) {
  if (!expectArgs(call, 2, 2))
    return Value();
  const Type *type = evalType(arg(call, 0));
  Value value = eval(arg(call, 1));
  if (!type || !value)
    return Value();
  if (!type->isPointer() || !value.type()->isPointer())
    return error(call.span(), "@ptrcast is from a pointer type to another, "
                              "found '" +
                                  value.type()->str() + "' to '" + type->str() +
                                  "'");
  if (!type->element->is(TypeKind::AnyOpaque) &&
      type->element->isComptimeOnly() && !type->isFunctionPointer())
    return error(arg(call, 0).span(), "'" + type->element->str() +
                                          "' is a comptime-only type, nothing "
                                          "of it is in memory");
  if (!expectPhase(call, {Phase::Runtime}))
    return Value();
  mlir::Type target = convert(type, call.span());
  mlir::Value pointer = materialize(value, call.span());
  if (!target || !pointer)
    return Value();
  return makeRuntime(
      type, csl::PtrCastOp::create(builder, loc(call.span()), target, pointer));
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

Value Evaluator::builtinTypeOf(const BuiltinCall &call, const Type *) {
  if (!expectArgs(call, 1, 1))
    return Value();
  const Type *type = nullptr;
  // A function's type is made when somebody wants to see it.
  const Type *found = typeOf(arg(call, 0));
  if (!found)
    return Value();
  type = found;
  if (found->is(TypeKind::Function) && !found->element) {
    Value function = eval(arg(call, 0));
    type = function.isFunction() ? functionType(function.function()) : nullptr;
    if (!type)
      return error(call.span(), "a function with comptime or anytype "
                                "parameters has no single type");
  }
  return makeType(type);
}

Value Evaluator::builtinIsSameType(const BuiltinCall &call, const Type *) {
  if (!expectArgs(call, 2, 2))
    return Value();
  const Type *a = evalType(arg(call, 0)), *b = evalType(arg(call, 1));
  warnFormer(call.span(), "@is_same_type", "1.4", "2.10",
             "types are compared with ==");
  return a && b ? makeBool(a == b) : Value();
}

/// The array type that a builtin asks about.
static const Type *asArray(const Type *type) {
  return type && type->isArray() ? type : nullptr;
}

#define SEQUIN_ARRAY_ARGUMENT()                                                \
  if (!expectArgs(call, 1, 1))                                                 \
    return Value();                                                            \
  const Type *given = evalType(arg(call, 0));                                  \
  if (!given)                                                                  \
    return Value();                                                            \
  const Type *array = asArray(given);                                          \
  if (!array)                                                                  \
    return error(arg(call, 0).span(), "@" + call.name().text +                 \
                                          " is of an array type, found '" +    \
                                          given->str() + "'");

Value Evaluator::builtinRank(const BuiltinCall &call, const Type *) {
  SEQUIN_ARRAY_ARGUMENT()
  return makeInt(types.u16(), array->shape.size());
}

Value Evaluator::builtinDimensions(const BuiltinCall &call, const Type *) {
  SEQUIN_ARRAY_ARGUMENT()
  std::vector<Value> sizes;
  for (int64_t size : array->shape)
    sizes.push_back(makeInt(types.u32(), size));
  const Type *type = types.array(int64_t(sizes.size()), types.u32());
  return Value(type, std::move(sizes));
}

Value Evaluator::builtinElementCount(const BuiltinCall &call, const Type *) {
  SEQUIN_ARRAY_ARGUMENT()
  return makeInt(types.u32(), array->numElements());
}

Value Evaluator::builtinElementType(const BuiltinCall &call, const Type *) {
  SEQUIN_ARRAY_ARGUMENT()
  return makeType(array->element);
}

#undef SEQUIN_ARRAY_ARGUMENT

namespace {
struct MemorySize {
  int64_t bytes = 0, align = 1;
};
} // namespace

/// In memory: integers take 1, 2, 4 or 8 bytes, bool, ids and pointers 2, DSDs
/// 8; fields lie at multiples of their size up to 4. 0 bytes for what is never
/// there.
static MemorySize getMemorySize(const Type *type) {
  constexpr int64_t kMaxAlign = 4, kDsdBytes = 8, kWordBytes = 2;
  auto scalar = [&](int64_t bytes) {
    return MemorySize{bytes, std::min(bytes, kMaxAlign)};
  };
  if (type->isArray()) {
    MemorySize element = getMemorySize(type->element);
    return {element.bytes * type->numElements(), element.align};
  }
  if (type->isStruct() && !type->isPacked()) {
    MemorySize size;
    for (const Type::Field &field : type->fields) {
      MemorySize part = getMemorySize(field.type);
      if (part.bytes == 0)
        return {};
      size.align = std::max(size.align, part.align);
      size.bytes = type->isUnion
                       ? std::max(size.bytes, part.bytes)
                       : llvm::alignTo(size.bytes, part.align) + part.bytes;
    }
    size.bytes = llvm::alignTo(size.bytes, size.align);
    return size;
  }
  if (type->is(TypeKind::Dsd))
    return scalar(kDsdBytes);
  if (type->is(TypeKind::Bool))
    return scalar(kWordBytes);
  unsigned bits = type->bits();
  return bits == 0 ? MemorySize()
                   : scalar(llvm::PowerOf2Ceil(llvm::divideCeil(bits, 8)));
}

/// @sequin_type("question", T): for <types> and <math>.
Value Evaluator::builtinSequinType(const BuiltinCall &call, const Type *) {
  if (!expectArgs(call, 2, 2))
    return Value();
  Value question = evalKnown(arg(call, 0), "a question", types.string());
  const Type *type = evalType(arg(call, 1));
  if (!question || !type)
    return Value();
  bool isInt = type->is(TypeKind::Int);
  if (question.string() == "is_signed_int")
    return makeBool(isInt && type->isSigned);
  if (question.string() == "is_unsigned_int")
    return makeBool(isInt && !type->isSigned);
  // What a pointer to elements, or to an array of them, points to.
  if (question.string() == "element") {
    if (!type->isPointer())
      return error(call.span(),
                   "expected a pointer, found type '" + type->str() + "'");
    type = type->element;
    return makeType(type->isArray() ? type->element : type);
  }
  MemorySize size = getMemorySize(type);
  if (size.bytes == 0)
    return error(call.span(), "a value of type '" + type->str() +
                                  "' is never in memory and has no size");
  if (question.string() == "bits")
    return makeInt(types.comptimeInt(), isInt ? type->width : size.bytes * 8);
  if (question.string() == "bytes")
    return makeInt(types.comptimeInt(), size.bytes);
  if (question.string() == "align")
    return makeInt(types.comptimeInt(), size.align);
  return error(arg(call, 0).span(),
               "no question '" + question.string() + "' about a type");
}

Value Evaluator::builtinZeros(const BuiltinCall &call, const Type *) {
  if (!expectArgs(call, 1, 1))
    return Value();
  const Type *type = evalType(arg(call, 0));
  if (!type)
    return Value();
  // A bool is numeric (@as).
  if (!type->isArray() ||
      !(type->element->isNumber() || type->element->is(TypeKind::Bool)))
    return error(arg(call, 0).span(), "@zeros is of an array of numbers, found "
                                      "'" +
                                          type->str() + "'");
  Value zero = type->element->isFloating() ? Value(type->element, 0.0)
                                           : Value(type->element, Integer(0));
  return Value(type, std::vector<Value>(type->numElements(), zero));
}

Value Evaluator::builtinConstants(const BuiltinCall &call, const Type *) {
  if (!expectArgs(call, 2, 2))
    return Value();
  const Type *type = evalType(arg(call, 0));
  if (!type)
    return Value();
  if (!type->isArray())
    return error(arg(call, 0).span(),
                 "@constants is of an array type, found '" + type->str() + "'");
  Value value = eval(arg(call, 1), type->element);
  if (value)
    value = coerce(value, type->element, arg(call, 1).span());
  if (!value)
    return Value();
  if (value.isRuntime()) {
    mlir::Type target = convert(type, call.span());
    return target ? makeRuntime(type,
                                csl::SplatOp::create(builder, loc(call.span()),
                                                     target, value.runtime()))
                  : Value();
  }
  return Value(type, std::vector<Value>(type->numElements(), value));
}

//===----------------------------------------------------------------------===//
// Structs
//===----------------------------------------------------------------------===//

Value Evaluator::builtinField(const BuiltinCall &call, const Type *) {
  return read(evalPlace(call, /*forWrite=*/false), call.span());
}

Value Evaluator::builtinHasField(const BuiltinCall &call, const Type *) {
  if (!expectArgs(call, 2, 2))
    return Value();
  const Type *type = typeOf(arg(call, 0));
  if (!type)
    return Value();
  if (type->is(TypeKind::Type)) {
    type = evalType(arg(call, 0));
    if (!type)
      return Value();
  }
  Value name = evalKnown(arg(call, 1), "the name of a field", types.string());
  if (!name)
    return Value();
  if (!type->isStruct() && !type->isVoid())
    return error(arg(call, 0).span(), "@has_field is of a struct or a struct "
                                      "type, found type '" +
                                          type->str() + "'");
  return makeBool(type->isStruct() &&
                  type->fieldIndex(name.string()).has_value());
}

Value Evaluator::builtinConcatStructs(const BuiltinCall &call, const Type *) {
  if (!expectArgs(call, 2, 2))
    return Value();
  warnFormer(call.span(), "@concat_structs", "1.4", "2.10",
             "one struct names all fields");
  std::vector<Type::Field> fields;
  std::vector<Value> values;
  bool isTuple = true;
  for (unsigned i = 0; i < 2; ++i) {
    Value value = eval(arg(call, i));
    if (!value)
      return Value();
    if (!value.type()->isStruct() || !value.isAggregate())
      return error(arg(call, i).span(),
                   "@concat_structs is of two structs, found type '" +
                       value.type()->str() + "'");
    isTuple &= value.type()->isTuple || value.type()->fields.empty();
    for (auto [field, part] :
         llvm::zip(value.type()->fields, value.elements())) {
      Type::Field next = field;
      if (isTuple)
        next.name = std::to_string(fields.size());
      for (const Type::Field &other : fields)
        if (other.name == next.name) {
          Diagnostic &diagnostic =
              report(arg(call, i).span(),
                     "both structs have a field '" + next.name + "'");
          if (llvm::StringRef(next.name).starts_with("MEMCPY"))
            note(diagnostic, arg(call, i).span(),
                 "streams are given in the layout, to <memcpy/get_params>");
          return Value();
        }
      fields.push_back(next);
      values.push_back(part);
    }
  }
  return Value(types.anonymous(std::move(fields), isTuple), std::move(values));
}

//===----------------------------------------------------------------------===//
// Strings
//===----------------------------------------------------------------------===//

Value Evaluator::builtinStrcat(const BuiltinCall &call, const Type *) {
  std::string text;
  for (const Expr *argument : call.arguments()) {
    Value part = evalKnown(*argument, "an argument of @strcat", types.string());
    if (!part)
      return Value();
    text += part.string();
    constexpr size_t kMaxString = 1 << 20;
    if (text.size() > kMaxString)
      return error(call.span(), "a string has at most " +
                                    llvm::Twine(kMaxString) + " bytes");
  }
  return Value(types.string(), text);
}

Value Evaluator::builtinStrlen(const BuiltinCall &call, const Type *) {
  if (!expectArgs(call, 1, 1))
    return Value();
  Value text = evalKnown(arg(call, 0), "the string", types.string());
  return text ? makeInt(types.comptimeInt(), text.string().size()) : Value();
}

Value Evaluator::builtinGetArray(const BuiltinCall &call, const Type *) {
  if (!expectArgs(call, 1, 1))
    return Value();
  Value text = evalKnown(arg(call, 0), "the string", types.string());
  if (!text)
    return Value();
  std::vector<Value> bytes;
  const Type *byte = types.integer(8, false);
  for (unsigned char c : text.string())
    bytes.push_back(makeInt(byte, c));
  const Type *type = types.array(int64_t(bytes.size()), byte);
  return Value(type, std::move(bytes));
}

Value Evaluator::builtinGetStringFromByte(const BuiltinCall &call,
                                          const Type *) {
  if (!expectArgs(call, 1, 1))
    return Value();
  std::optional<int64_t> byte = evalKnownInt(arg(call, 0), "the byte", 0, 255);
  return byte ? Value(types.string(), std::string(1, char(*byte))) : Value();
}

//===----------------------------------------------------------------------===//
// The compilation
//===----------------------------------------------------------------------===//

Value Evaluator::builtinFp16(const BuiltinCall &call, const Type *) {
  return expectArgs(call, 0, 0) ? makeType(types.fp16()) : Value();
}

Value Evaluator::builtinIsArch(const BuiltinCall &call, const Type *) {
  if (!expectArgs(call, 1, 1))
    return Value();
  Value name = evalKnown(arg(call, 0), "the architecture", types.string());
  if (!name)
    return Value();
  if (!lookupCslMachine(name.string()) && !isFormerCslMachine(name.string()))
    return error(arg(call, 0).span(), "unknown architecture '" + name.string() +
                                          "', known are " +
                                          knownCslMachineNames());
  return makeBool(name.string() == session.machine.name);
}

Value Evaluator::builtinIsComptime(const BuiltinCall &call, const Type *) {
  return expectArgs(call, 0, 0) ? makeBool(isComptime()) : Value();
}

Value Evaluator::builtinAssert(const BuiltinCall &call, const Type *hint) {
  if (isComptime())
    return builtinComptimeAssert(call, hint);
  if (!expectArgs(call, 1, 1))
    return Value();
  Value condition = eval(arg(call, 0));
  if (condition)
    condition = coerce(condition, types.boolType(), arg(call, 0).span());
  mlir::Value number = materialize(condition, call.span());
  if (!number)
    return Value();
  std::string text =
      "assertion failed: " +
      SourceManager::textOf(arg(call, 0).span()).split('\n').first.str();
  mlir::cf::AssertOp::create(builder, loc(call.span()), number, text);
  return makeVoid();
}

Value Evaluator::builtinComptimeAssert(const BuiltinCall &call, const Type *) {
  if (!expectArgs(call, 1, 2))
    return Value();
  Value condition = evalKnown(arg(call, 0), "the condition of an assertion",
                              types.boolType());
  if (!condition)
    return Value();
  if (condition.truth())
    return makeVoid();
  std::string message;
  if (call.arguments().size() == 2) {
    Value text = evalKnown(arg(call, 1), "the message", types.string());
    if (!text)
      return Value();
    message = ": " + text.string();
  }
  error(call.span(), "comptime_assert failed" + message);
  // What the library goes on to do rests on it: one mistake, one error.
  if (isComptime() && frame->module->isLibrary && !frame->targets.empty() &&
      frame->targets.front()->kind == Target::Kind::Function)
    goTo(frame->targets.front()->exits, Value());
  return Value();
}

Value Evaluator::builtinComptimePrint(const BuiltinCall &call, const Type *) {
  std::string line;
  for (auto [index, argument] : llvm::enumerate(call.arguments())) {
    Value value = evalAsKnown(*argument);
    if (!value)
      return Value();
    if (!value.isComptime())
      return error(argument->span(),
                   SourceManager::textOf(argument->span()) +
                       " is not comptime-known, @comptime_print prints while "
                       "compiling");
    line += (index ? ", " : "") + concretize(value).str();
  }
  // An editor evaluates at every key; it shows the arguments where they are.
  if (!inTypeOf && !session.options.observations)
    llvm::errs() << line << '\n';
  return makeVoid();
}

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

Value Evaluator::builtinRange(const BuiltinCall &call, const Type *) {
  size_t count = call.arguments().size();
  if (count != 2 && count != 4)
    return error(call.span(), "@range expects 2 or 4 arguments, " +
                                  llvm::Twine(count) + " provided");
  const Type *type = evalType(arg(call, 0));
  if (!type)
    return Value();
  if (!type->isInteger())
    return error(arg(call, 0).span(), "a range is of an integer type, found "
                                      "'" +
                                          type->str() + "'");
  auto number = [&](unsigned index) {
    Value value = eval(arg(call, index), type);
    return value ? coerce(value, type, arg(call, index).span()) : Value();
  };
  Value start = Value(type, Integer(0)), stop, step = Value(type, Integer(1));
  if (count == 2) {
    stop = number(1);
  } else {
    start = number(1);
    stop = number(2);
    step = number(3);
  }
  if (!start || !stop || !step)
    return Value();
  if (step.isInteger() && step.integer().isZero())
    return error(arg(call, 3).span(), "the step of a range is not zero");
  return Value(types.range(type), std::vector<Value>{start, stop, step});
}

static Value rangePart(const Value &range, unsigned part) {
  return range.isAggregate() ? range.elements()[part] : Value();
}

#define SEQUIN_RANGE_PART(METHOD, PART)                                        \
  Value Evaluator::builtin##METHOD(const BuiltinCall &call, const Type *) {    \
    if (!expectArgs(call, 1, 1))                                               \
      return Value();                                                          \
    Value range = eval(arg(call, 0));                                          \
    if (!range)                                                                \
      return Value();                                                          \
    if (!range.type()->is(TypeKind::Range))                                    \
      return error(arg(call, 0).span(), "@" + call.name().text +               \
                                            " is of a range, found type '" +   \
                                            range.type()->str() + "'");        \
    return rangePart(range, PART);                                             \
  }
SEQUIN_RANGE_PART(RangeStart, 0)
SEQUIN_RANGE_PART(RangeStop, 1)
SEQUIN_RANGE_PART(RangeStep, 2)
#undef SEQUIN_RANGE_PART

//===----------------------------------------------------------------------===//
// Numbers behind handles
//===----------------------------------------------------------------------===//

Value Evaluator::builtinGetInt(const BuiltinCall &call, const Type *) {
  if (!expectArgs(call, 1, 1))
    return Value();
  Value value = eval(arg(call, 0));
  if (!value)
    return Value();
  const Type *type = value.type();
  if (type->isInteger())
    return value;
  const Type *result = type->is(TypeKind::Enum) ? type->element : types.u16();
  if (!type->is(TypeKind::Enum) && !type->isId() && !type->isRegister())
    return error(arg(call, 0).span(),
                 "@get_int is of a color, queue, task id, register, enum or "
                 "integer, found type '" +
                     type->str() + "'");
  if (value.isSymbolic())
    return symbolicCast(value, result);
  if (value.isInteger()) {
    value.setType(result);
    return value;
  }
  if (!value.isRuntime())
    return Value(result);
  return makeRuntime(result,
                     csl::GetIntOp::create(builder, loc(call.span()),
                                           convert(result), value.runtime()));
}
