//===- EvalPlace.cpp - Variables, elements, fields, pointers --------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "sequin/CslSource/Names.h"
#include "llvm/ADT/StringSwitch.h"

using namespace sequin;
using namespace sequin::csl_import;
using namespace sequin::csl_source;

/// Elements that are copied in the time of a step of evaluation.
static constexpr uint64_t kCopiesPerStep = 16;

//===----------------------------------------------------------------------===//
// Finding places
//===----------------------------------------------------------------------===//

LValue Evaluator::placeOfValue(Value value) {
  LValue result;
  if (!value)
    return result;
  result.kind = LValue::Kind::Value;
  result.type = value.type();
  result.isConst = true;
  result.value = std::move(value);
  return result;
}

LValue Evaluator::placeOfMemref(mlir::Value memref, const Type *type,
                                bool isConst) {
  LValue result;
  result.kind = LValue::Kind::Memref;
  result.memref = memref;
  result.type = type;
  result.isConst = isConst;
  return result;
}

bool Evaluator::isInMemory(const Global &global) {
  return phase == Phase::Runtime && !inTypeOf && program && global.decl &&
         global.var() && global.var()->isConst() && !global.value.isFifo() &&
         (global.type->isArray() || global.type->isNumber()) &&
         !global.type->isComptimeOnly() &&
         session.isWritten(*global.module->file, global.name);
}

LValue Evaluator::placeOfGlobal(Global &global, Span span) {
  if (!ensure(global, span))
    return {};
  if (!global.isVar && !global.isExtern && !isInMemory(global)) {
    LValue result = placeOfValue(global.value);
    result.constant = &global;
    return result;
  }
  LValue result;
  result.kind = LValue::Kind::Known;
  result.type = global.type;
  result.isConst = !global.isVar;
  PointerValue pointer;
  pointer.global = &global;
  result.value = Value(types.pointer(global.type, false, result.isConst),
                       std::make_shared<const PointerValue>(pointer));
  return result;
}

/// What a pointer leads to. A pointer to one value may be given as one to an
/// array of one, or to many.
static const Type *pointeeOf(const PointerValue &pointer) {
  const Type *type = pointer.global->type;
  for (const PointerValue::Step &step : pointer.path) {
    if (type->isArray())
      type = type->element;
    else if (!step.field.empty())
      type = type->fields[*type->fieldIndex(step.field)].type;
  }
  return type;
}

LValue Evaluator::placeAt(const Value &pointer, Span span) {
  if (!pointer)
    return {};
  const Type *type = pointer.type();
  if (!type->isPointer() || type->isMany) {
    error(span, "'.*' is of a pointer to a single value, found type '" +
                    type->str() + "'");
    return {};
  }
  if (type->element->is(TypeKind::AnyOpaque)) {
    error(span, "what '*anyopaque' points to is not known; @ptrcast it first");
    return {};
  }
  LValue result;
  result.type = type->element;
  result.isConst = type->isConst;
  if (pointer.isPointer() && pointer.pointer().global) {
    result.kind = LValue::Kind::Known;
    result.value = pointer;
    return result;
  }
  if (type->element->is(TypeKind::Function)) {
    if (pointer.isPointer())
      return placeOfValue(Value(type->element, pointer.pointer().function));
    return placeOfValue(pointer);
  }
  mlir::Value address = materialize(pointer, span);
  if (!address)
    return {};
  const Type *target = type->element;
  if (target->isStruct()) {
    result.kind = LValue::Kind::Address;
    result.address = address;
    return result;
  }
  // Scalars and arrays are reached as memrefs.
  mlir::Type element = convert(target->isArray() ? target->element : target);
  llvm::SmallVector<int64_t> shape;
  if (target->isArray())
    shape.assign(target->shape.begin(), target->shape.end());
  result.kind = LValue::Kind::Memref;
  result.memref = csl::AsMemrefOp::create(
      builder, loc(span), mlir::MemRefType::get(shape, element), address);
  return result;
}

/// A type of numbers that other languages have.
static bool isForeignNumberType(llvm::StringRef name) {
  return llvm::StringSwitch<bool>(name)
      .Cases({"f64", "f80", "f128", "float", "double", "half"}, true)
      .Cases({"int", "uint", "short", "long", "char", "byte"}, true)
      .Cases({"usize", "isize", "size_t", "c_int", "int32_t", "uint32_t"}, true)
      .Cases({"int16_t", "uint16_t", "float32", "float16"}, true)
      .Default(false);
}

LValue Evaluator::evalPlace(const Expr &expr, bool forWrite) {
  const Expr &inner = *expr.ignoreParens();
  if (left || !step(inner.span()))
    return {};
  LValue result = findPlace(inner, forWrite);
  if (session.options.observations && result.kind != LValue::Kind::Error) {
    const Value *value = nullptr;
    bool isVariable = result.kind == LValue::Kind::Local &&
                      result.local->kind == Local::Kind::Comptime;
    if (result.kind == LValue::Kind::Value)
      value = &result.value;
    else if (isVariable && result.path.empty() && !forWrite)
      value = &result.local->value;
    // A part of a known variable is observed when it is read.
    if (value || !isVariable || forWrite)
      observe(inner.span(), result.type, value);
  }
  return result;
}

LValue Evaluator::findPlace(const Expr &inner, bool forWrite) {
  if (const auto *name = llvm::dyn_cast<NameExpr>(&inner)) {
    if (name->isDiscard()) {
      // The parser lets it stand nowhere but where something is assigned to.
      LValue discard;
      discard.kind = LValue::Kind::Discard;
      return discard;
    }
    for (Local &local : llvm::reverse(frame->locals)) {
      if (local.name != name->name())
        continue;
      LValue result;
      if (local.kind == Local::Kind::Memory)
        return placeOfMemref(local.memory, local.type, local.isConst);
      if (local.kind == Local::Kind::Const) {
        result = placeOfValue(local.value);
        return result;
      }
      result.kind = LValue::Kind::Local;
      result.local = &local;
      result.type = local.type;
      result.isConst = local.isConst;
      return result;
    }
    if (Global *global = frame->module->find(name->name()))
      return placeOfGlobal(*global, inner.span());
    if (isDirectionName(name->name()))
      return placeOfValue(
          makeInt(types.simple(TypeKind::Direction),
                  int64_t(*csl::symbolizeDirection(name->name()))));
    if (const Type *type = types.lookup(name->name())) {
      if (type->is(TypeKind::Int) && type->width > kMaxIntegerBits) {
        error(inner.span(), "integers have up to " +
                                llvm::Twine(kMaxIntegerBits) +
                                " bits, found '" + name->name() + "'");
        return {};
      }
      return placeOfValue(makeType(type));
    }
    Diagnostic &diagnostic = report(
        inner.span(), "use of undeclared identifier '" + name->name() + "'");
    if (name->name() == "undefined") {
      note(diagnostic, inner.span(),
           "a variable without a value has a type and no '='");
      return {};
    }
    if (isForeignNumberType(name->name())) {
      note(diagnostic, inner.span(),
           "types of numbers are i16, u16, i32, u32 and others of up to 64 "
           "bits, f16 and f32");
      return {};
    }
    if (!diagnostic.suggests)
      return {};
    llvm::SmallVector<llvm::StringRef> names;
    for (const Local &local : frame->locals)
      if (!local.name.empty())
        names.push_back(local.name);
    for (auto &entry : frame->module->globals)
      names.push_back(entry.first);
    llvm::append_range(names, typeNames());
    if (auto close = suggestName(name->name(), names))
      note(diagnostic, inner.span(), "did you mean '" + *close + "'?");
    return {};
  }
  if (const auto *member = llvm::dyn_cast<MemberExpr>(&inner)) {
    LValue base = evalPlace(*member->base(), forWrite);
    if (base.kind == LValue::Kind::Error)
      return {};
    if (base.kind == LValue::Kind::Value && base.value.isModule()) {
      ModuleInstance &module = *base.value.module();
      if (Global *global = module.find(member->member().text))
        return placeOfGlobal(*global, member->member().span);
      getMember(base.value, member->member().text, member->member().span);
      return {};
    }
    return fieldPlace(base, member->member().text, member->member().span);
  }
  if (const auto *index = llvm::dyn_cast<IndexExpr>(&inner)) {
    LValue base = evalPlace(*index->base(), forWrite);
    if (base.kind == LValue::Kind::Error)
      return {};
    std::vector<Value> indices = evalIndices(index->indices());
    if (llvm::any_of(indices, [](const Value &v) { return !v; }))
      return {};
    return elementPlace(base, indices, inner.span());
  }
  if (const auto *deref = llvm::dyn_cast<DerefExpr>(&inner))
    return placeAt(eval(*deref->pointer()), inner.span());
  if (const auto *builtin = llvm::dyn_cast<BuiltinCall>(&inner);
      builtin && builtin->name().text == "field") {
    if (!expectArgs(*builtin, 2, 2))
      return {};
    LValue base = evalPlace(arg(*builtin, 0), forWrite);
    Value name =
        evalKnown(arg(*builtin, 1), "the name of a field", types.string());
    if (base.kind == LValue::Kind::Error || !name)
      return {};
    return fieldPlace(base, name.string(), arg(*builtin, 1).span());
  }
  return placeOfValue(evalInner(inner, nullptr));
}

std::vector<Value> Evaluator::evalIndices(llvm::ArrayRef<const Expr *> exprs) {
  std::vector<Value> values;
  for (const Expr *expr : exprs) {
    Value value = eval(*expr);
    if (value && !value.type()->isInteger()) {
      value = error(expr->span(), "an index is an integer, found type '" +
                                      value.type()->str() + "'");
    }
    values.push_back(std::move(value));
  }
  return values;
}

bool Evaluator::checkIndices(const Type *array, llvm::ArrayRef<Value> indices,
                             Span span) {
  if (indices.size() != array->shape.size()) {
    error(span, "array of type '" + array->str() + "' has rank " +
                    llvm::Twine(array->shape.size()) + ", found " +
                    llvm::Twine(indices.size()) + " indices");
    return false;
  }
  for (auto [index, size] : llvm::zip(indices, array->shape)) {
    if (!index.isInteger())
      continue;
    if (index.integer().isNegative() ||
        compare(index.integer(), Integer(size)) >= 0) {
      error(span, "index " + index.integer().str() + " is out of bounds, '" +
                      array->str() + "' has 0 to " + llvm::Twine(size - 1));
      return false;
    }
  }
  return true;
}

/// Row-major.
static unsigned flatten(const Type *array, llvm::ArrayRef<Value> indices) {
  int64_t flat = 0;
  for (auto [index, size] : llvm::zip(indices, array->shape))
    flat = flat * size + index.small();
  return flat;
}

mlir::Value Evaluator::indexValue(const Value &value, Span span) {
  if (value.isInteger())
    return constantIndex(value.small(), loc(span));
  mlir::Value number = materialize(value, span);
  if (!number)
    return {};
  mlir::Type index = builder.getIndexType();
  if (value.type()->isSigned)
    return mlir::arith::IndexCastOp::create(builder, loc(span), index, number);
  return mlir::arith::IndexCastUIOp::create(builder, loc(span), index, number);
}

/// An element of a value, by running code.
LValue Evaluator::runtimeElement(const LValue &base,
                                 llvm::ArrayRef<Value> indices, Span span) {
  const Type *type = base.type;
  if (type->element->isComptimeOnly()) {
    // There is nothing that running code could take it from.
    for (const Value &index : indices)
      if (!known(index, span,
                 "the index of an array of type '" + type->str() + "'"))
        return {};
  }
  Global *table = base.constant;
  if (!table && base.value.isKnown())
    table = tableFor(base.value, span);
  if (table) {
    LValue result;
    PointerValue pointer;
    pointer.global = table;
    pointer.path.push_back({"", {indices.begin(), indices.end()}});
    result.kind = LValue::Kind::Known;
    result.type = type->element;
    result.isConst = true;
    result.value = Value(types.pointer(type->element, false, true),
                         std::make_shared<const PointerValue>(pointer));
    return result;
  }
  mlir::Value array = materialize(base.value, span);
  llvm::SmallVector<mlir::Value> places;
  for (const Value &index : indices)
    places.push_back(indexValue(index, span));
  if (!array || llvm::is_contained(places, mlir::Value()))
    return {};
  return placeOfValue(makeRuntime(
      type->element,
      csl::GetElementOp::create(builder, loc(span), convert(type->element),
                                array, places)));
}

LValue Evaluator::elementPlace(LValue base, llvm::ArrayRef<Value> indices,
                               Span span) {
  const Type *type = base.type;
  bool indicesKnown =
      llvm::all_of(indices, [](const Value &v) { return v.isInteger(); });
  if (type->isStruct() && type->isTuple) {
    if (indices.size() != 1)
      return error(span, "a tuple has one index"), LValue();
    Value index = known(indices[0], span, "the index of a tuple");
    if (!index)
      return {};
    if (index.integer().isNegative() ||
        compare(index.integer(), Integer(int64_t(type->fields.size()))) >= 0)
      return error(span, "index " + index.integer().str() +
                             " is out of bounds, the tuple has " +
                             llvm::Twine(type->fields.size()) + " elements"),
             LValue();
    return fieldPlace(base, std::to_string(index.small()), span);
  }
  // Through a many-item pointer.
  if (type->isPointer() && type->isMany) {
    if (indices.size() != 1)
      return error(span, "a pointer '" + type->str() +
                             "' has one index, found " +
                             llvm::Twine(indices.size())),
             LValue();
    Value pointer = read(base, span);
    if (!pointer)
      return {};
    LValue result;
    result.type = type->element;
    result.isConst = type->isConst;
    const Type *pointee = pointer.isPointer() && pointer.pointer().global
                              ? pointeeOf(pointer.pointer())
                              : nullptr;
    bool isOne = pointee && !pointee->isArray();
    if (pointee && !isOne && !checkIndices(pointee, indices, span))
      return {};
    if (pointee &&
        (!isOne || (indices[0].isInteger() && indices[0].integer().isZero()))) {
      PointerValue next = pointer.pointer();
      if (!isOne)
        next.path.push_back({"", {indices.begin(), indices.end()}});
      result.kind = LValue::Kind::Known;
      result.value = Value(types.pointer(type->element, false, type->isConst),
                           std::make_shared<const PointerValue>(next));
      return result;
    }
    mlir::Value address = materialize(pointer, span);
    mlir::Value index = indexValue(indices[0], span);
    if (!address || !index)
      return {};
    if (type->element->isStruct()) {
      result.kind = LValue::Kind::Address;
      result.address = csl::ElementPtrOp::create(
          builder, loc(span),
          convert(types.pointer(type->element, false, type->isConst)), address,
          mlir::ValueRange{index});
      return result;
    }
    result.kind = LValue::Kind::Memref;
    result.memref = csl::AsMemrefOp::create(
        builder, loc(span),
        mlir::MemRefType::get({mlir::ShapedType::kDynamic},
                              convert(type->element)),
        address);
    result.indices.push_back(index);
    return result;
  }
  if (!type->isArray()) {
    if (type->isPointer() && type->element->isArray())
      error(span, "a pointer '" + type->str() +
                      "' is dereferenced before it is indexed: p.*[i]");
    else
      error(span,
            "a value of type '" + type->str() + "' has no elements" +
                (type->is(TypeKind::String) ? ", @get_array gives its bytes"
                                            : ""));
    return {};
  }
  if (!checkIndices(type, indices, span))
    return {};
  switch (base.kind) {
  case LValue::Kind::Value: {
    if (base.value.isAggregate() && indicesKnown) {
      LValue result =
          placeOfValue(base.value.elements()[flatten(type, indices)]);
      if (base.constant) {
        // Its address is in the constant array.
        result.constant = nullptr;
        PointerValue pointer;
        pointer.global = base.constant;
        pointer.path.push_back({"", {indices.begin(), indices.end()}});
        result.container = std::make_shared<LValue>();
        result.container->value =
            Value(types.pointer(type->element, false, true),
                  std::make_shared<const PointerValue>(pointer));
      }
      return result;
    }
    // Comptime-known all the same if all of it is: asked for when it counts.
    bool isLeaf = type->element->is(TypeKind::Int) ||
                  type->element->is(TypeKind::Bool) ||
                  type->element->is(TypeKind::Float) || type->element->isId();
    if (program && isLeaf && base.value.isAggregate() &&
        base.value.isComptime() &&
        llvm::all_of(indices, [](const Value &v) { return v.isComptime(); })) {
      SymbolicValue element;
      element.kind = SymbolicValue::Kind::Element;
      element.operands = {base.value};
      llvm::append_range(element.operands, indices);
      element.table = base.constant;
      Value value = makeSymbolic(std::move(element), type->element);
      if (!evaluateAt(value, program->representative)) {
        llvm::SmallVector<Value> numbers;
        for (const Value &index : indices)
          numbers.push_back(evaluateAt(index, program->representative));
        checkIndices(type, numbers, span);
        return {};
      }
      LValue result = placeOfValue(value);
      if (base.constant) {
        PointerValue pointer;
        pointer.global = base.constant;
        pointer.path.push_back({"", {indices.begin(), indices.end()}});
        result.container = std::make_shared<LValue>();
        result.container->value =
            Value(types.pointer(type->element, false, true),
                  std::make_shared<const PointerValue>(pointer));
      }
      return result;
    }
    // What running code cannot hold is asked for.
    if (isComptime() ||
        (type->element->isComptimeOnly() && base.value.isComptime() &&
         llvm::all_of(indices,
                      [](const Value &v) { return v.isComptime(); }))) {
      llvm::SmallVector<Value> numbers;
      for (const Value &index : indices) {
        Value number = known(index, span, "an index at comptime");
        if (!number)
          return {};
        numbers.push_back(number);
      }
      return elementPlace(base, numbers, span);
    }
    return runtimeElement(base, indices, span);
  }
  case LValue::Kind::Local: {
    llvm::SmallVector<Value> numbers;
    for (const Value &index : indices) {
      Value number =
          known(index, span,
                "the index of comptime variable '" + base.local->name + "'");
      if (!number)
        return {};
      numbers.push_back(number);
    }
    if (!checkIndices(type, numbers, span))
      return {};
    base.path.push_back(flatten(type, numbers));
    base.type = type->element;
    return base;
  }
  case LValue::Kind::Known: {
    PointerValue next = base.value.pointer();
    if (pointeeOf(next)->isArray())
      next.path.push_back({"", {indices.begin(), indices.end()}});
    base.value = Value(types.pointer(type->element, false, base.isConst),
                       std::make_shared<const PointerValue>(next));
    base.type = type->element;
    return base;
  }
  case LValue::Kind::Address: {
    LValue array = placeOfMemref(
        csl::AsMemrefOp::create(
            builder, loc(span),
            mlir::MemRefType::get(type->shape, convert(type->element)),
            base.address),
        type, base.isConst);
    return elementPlace(array, indices, span);
  }
  case LValue::Kind::Memref: {
    for (const Value &index : indices) {
      mlir::Value place = indexValue(index, span);
      if (!place)
        return {};
      base.indices.push_back(place);
    }
    base.type = type->element;
    return base;
  }
  default:
    return {};
  }
}

LValue Evaluator::fieldPlace(LValue base, llvm::StringRef name, Span span) {
  if (base.kind == LValue::Kind::Value) {
    LValue result = placeOfValue(getMember(base.value, name, span));
    if (result.kind == LValue::Kind::Value && base.constant &&
        base.value.isAggregate() && !base.type->isPacked()) {
      PointerValue pointer;
      pointer.global = base.constant;
      pointer.path.push_back({name.str(), {}});
      result.container = std::make_shared<LValue>();
      result.container->value =
          Value(types.pointer(result.type, false, true),
                std::make_shared<const PointerValue>(pointer));
    }
    return result;
  }
  const Type *type = base.type;
  if (type->isPointer() && type->element->isStruct()) {
    error(span, "a pointer '" + type->str() +
                    "' is dereferenced before a field is taken: p.*." + name);
    return {};
  }
  std::optional<unsigned> index =
      type->isStruct() ? type->fieldIndex(name) : std::nullopt;
  if (!index) {
    // The message is that of a value.
    getMember(Value(type), name, span);
    return {};
  }
  const Type *fieldType = type->fields[*index].type;
  if (base.kind == LValue::Kind::Local) {
    base.path.push_back(*index);
    base.type = fieldType;
    return base;
  }
  if (type->isPacked()) {
    LValue result;
    result.kind = LValue::Kind::Packed;
    result.type = fieldType;
    result.isConst = base.isConst;
    result.field = name.str();
    result.container = std::make_shared<LValue>(base);
    return result;
  }
  if (base.kind == LValue::Kind::Known) {
    PointerValue next = base.value.pointer();
    next.path.push_back({name.str(), {}});
    base.value = Value(types.pointer(fieldType, false, base.isConst),
                       std::make_shared<const PointerValue>(next));
    base.type = fieldType;
    return base;
  }
  mlir::Value address = addressValue(base, span);
  if (!address)
    return {};
  LValue result;
  result.kind = LValue::Kind::Address;
  result.type = fieldType;
  result.isConst = base.isConst;
  bool isConst = mlir::cast<csl::PtrType>(address.getType()).getIsConst();
  result.address = csl::FieldPtrOp::create(
      builder, loc(span), convert(types.pointer(fieldType, false, isConst)),
      address, name);
  return result;
}

//===----------------------------------------------------------------------===//
// Reading and writing
//===----------------------------------------------------------------------===//

Value Evaluator::readKnown(const PointerValue &pointer, Span span) {
  Value value = pointer.global->value;
  for (const PointerValue::Step &step : pointer.path) {
    if (!value)
      return value;
    if (!step.field.empty()) {
      value = getMember(value, step.field, span);
      continue;
    }
    if (!value.isAggregate())
      return Value();
    for (const Value &index : step.indices)
      if (!index.isInteger())
        return Value();
    unsigned flat = value.type()->isArray()
                        ? flatten(value.type(), step.indices)
                        : step.indices[0].small();
    value = value.elements()[flat];
  }
  return value;
}

mlir::Value Evaluator::addressValue(const LValue &place, Span span) {
  switch (place.kind) {
  case LValue::Kind::Known:
    return materializePointer(place.value, span);
  case LValue::Kind::Address:
    return place.address;
  case LValue::Kind::Memref: {
    const Type *pointer = types.pointer(place.type, false, place.isConst);
    mlir::Type type = convert(pointer, span);
    if (!type)
      return {};
    return csl::AddressOfOp::create(builder, loc(span), type, place.memref,
                                    place.indices);
  }
  default:
    llvm_unreachable("a place in memory");
  }
}

Value Evaluator::read(const LValue &place, Span span) {
  switch (place.kind) {
  case LValue::Kind::Error:
  case LValue::Kind::Discard:
    return Value();
  case LValue::Kind::Value:
    return place.value;
  case LValue::Kind::Local: {
    if (place.local->isUncertain)
      return error(span, "comptime variable '" + place.local->name +
                             "' is not known here: running code may jump over "
                             "an assignment to it");
    Value value = valueOf(*place.local);
    for (unsigned step : place.path) {
      if (!value.isAggregate())
        return value ? error(span, "variable has no value here") : Value();
      Value part = value.elements()[step];
      value = std::move(part);
    }
    if (!value && !place.local->value)
      return error(span,
                   "variable '" + place.local->name + "' has no value yet");
    if (!value)
      return error(span,
                   "this part of '" + place.local->name + "' has no value yet");
    return value;
  }
  case LValue::Kind::Known: {
    const PointerValue &pointer = place.value.pointer();
    if (place.type->isArray() && !pointeeOf(pointer)->isArray()) {
      // An array of one.
      Value one =
          read(elementPlace(place, makeInt(types.u16(), 0), span), span);
      return one ? Value(place.type, std::vector<Value>{one}) : Value();
    }
    if (!pointer.global->isVar && !pointer.global->isExtern &&
        !isInMemory(*pointer.global)) {
      Value value = readKnown(pointer, span);
      if (value || isComptime())
        return value;
    }
    if (isComptime()) {
      if (inTypeOf)
        return Value(place.type);
      return error(span, "'" + pointer.global->name +
                             "' is a variable of running code; it has no "
                             "value at comptime");
    }
    // Elements and scalars of a global array directly, the rest by address.
    mlir::Value memref = globalMemref(*pointer.global, span);
    if (!memref)
      return Value();
    LValue at = placeOfMemref(memref, pointer.global->type, place.isConst);
    for (const PointerValue::Step &step : pointer.path)
      at = step.field.empty() ? elementPlace(at, step.indices, span)
                              : fieldPlace(at, step.field, span);
    return read(at, span);
  }
  case LValue::Kind::Memref: {
    if (isComptime() && !inTypeOf)
      return error(span, "a variable of running code has no value at comptime");
    mlir::Type type = convert(place.type, span);
    if (!type)
      return Value();
    if (place.type->isArray() && place.indices.empty())
      return makeRuntime(place.type,
                         csl::LoadOp::create(builder, loc(span), type,
                                             addressValue(place, span)));
    return makeRuntime(
        place.type, mlir::memref::LoadOp::create(builder, loc(span),
                                                 place.memref, place.indices));
  }
  case LValue::Kind::Address: {
    mlir::Type type = convert(place.type, span);
    if (!type)
      return Value();
    return makeRuntime(place.type, csl::LoadOp::create(builder, loc(span), type,
                                                       place.address));
  }
  case LValue::Kind::Packed:
    return getMember(read(*place.container, span), place.field, span);
  }
  return Value();
}

void Evaluator::write(const LValue &place, Value value, Span span) {
  if (!value || place.kind == LValue::Kind::Error ||
      place.kind == LValue::Kind::Discard)
    return;
  if (place.kind == LValue::Kind::Value || place.isConst) {
    llvm::StringRef name = place.constant ? place.constant->name
                           : place.local  ? place.local->name
                                          : llvm::StringRef("this");
    error(span, "cannot assign to " +
                    (name == "this" ? name.str() : "'" + name.str() + "'") +
                    ", which is constant");
    return;
  }
  value = coerce(std::move(value), place.type, span);
  if (!value)
    return;
  switch (place.kind) {
  case LValue::Kind::Local: {
    Local &local = *place.local;
    if (local.kind == Local::Kind::Ssa) {
      if (isComptime()) {
        error(span, "variable '" + local.name +
                        "' belongs to running code; comptime code cannot "
                        "assign to it");
        return;
      }
      if (Value number = asRuntime(value, span))
        variables.write(local.variable, builder.getInsertionBlock(),
                        number.runtime());
      return;
    }
    if (!value.isComptime()) {
      error(span, "comptime variable '" + local.name +
                      "' is assigned a value that running code computes");
      return;
    }
    if (local.depth != depth) {
      error(span, "comptime variable '" + local.name +
                      "' is assigned under control flow that running code "
                      "decides");
      return;
    }
    local.assigned = ++session.assignments;
    if (place.path.empty())
      local.isUncertain = false;
    Value *slot = &local.value;
    const Type *type = local.type;
    for (unsigned step : place.path) {
      if (!slot->isAggregate()) {
        size_t count =
            type->isArray() ? type->numElements() : type->fields.size();
        *slot = Value(type, std::vector<Value>(count));
      }
      if (type->isStruct() && type->isUnion)
        *slot = Value(type, std::vector<Value>(type->fields.size()));
      const Value *shared = slot->elements().data();
      std::vector<Value> &elements = slot->mutableElements();
      if (elements.data() != shared) {
        // A copy is work that the limit of steps is about, too; the limit
        // itself is met by a step.
        uint64_t last = session.stepLimit - 1;
        if (session.steps < last)
          session.steps =
              std::min(last, session.steps + elements.size() / kCopiesPerStep);
      }
      slot = &elements[step];
      type = type->isArray() ? type->element : type->fields[step].type;
    }
    *slot = std::move(value);
    return;
  }
  case LValue::Kind::Known: {
    if (isComptime()) {
      error(span, "'" + place.value.pointer().global->name +
                      "' is a variable of running code; comptime code cannot "
                      "assign to it");
      return;
    }
    const PointerValue &pointer = place.value.pointer();
    if (place.type->isArray() && !pointeeOf(pointer)->isArray()) {
      LValue from = placeOfValue(std::move(value));
      Value zero = makeInt(types.u16(), 0);
      write(elementPlace(place, zero, span),
            read(elementPlace(from, zero, span), span), span);
      return;
    }
    mlir::Value memref = globalMemref(*pointer.global, span);
    if (!memref)
      return;
    LValue at = placeOfMemref(memref, pointer.global->type, false);
    for (const PointerValue::Step &step : pointer.path)
      at = step.field.empty() ? elementPlace(at, step.indices, span)
                              : fieldPlace(at, step.field, span);
    write(at, std::move(value), span);
    return;
  }
  case LValue::Kind::Memref: {
    mlir::Value number = materializeAs(value, place.type, span);
    if (!number)
      return;
    if (place.type->isArray() && place.indices.empty())
      csl::StoreOp::create(builder, loc(span), number,
                           addressValue(place, span));
    else
      mlir::memref::StoreOp::create(builder, loc(span), number, place.memref,
                                    place.indices);
    return;
  }
  case LValue::Kind::Address:
    if (mlir::Value number = materializeAs(value, place.type, span))
      csl::StoreOp::create(builder, loc(span), number, place.address);
    return;
  case LValue::Kind::Packed: {
    mlir::Value whole = materialize(read(*place.container, span), span);
    mlir::Value part = materializeAs(value, place.type, span);
    if (!whole || !part)
      return;
    mlir::Value changed =
        csl::SetFieldOp::create(builder, loc(span), whole, place.field, part);
    write(*place.container, makeRuntime(place.container->type, changed), span);
    return;
  }
  default:
    return;
  }
}

Value Evaluator::addressOf(const LValue &place, Span span) {
  switch (place.kind) {
  case LValue::Kind::Known:
    return place.value;
  case LValue::Kind::Memref:
  case LValue::Kind::Address:
    if (isComptime() && !inTypeOf)
      return error(span, "a local variable has no address at comptime");
    if (mlir::Value address = addressValue(place, span)) {
      bool isConst = mlir::cast<csl::PtrType>(address.getType()).getIsConst();
      return makeRuntime(types.pointer(place.type, false, isConst), address);
    }
    return Value();
  case LValue::Kind::Packed:
    return error(span, "address of packed struct field is unsupported");
  case LValue::Kind::Local:
    return error(span, "comptime variable '" + place.local->name +
                           "' has no address");
  case LValue::Kind::Value: {
    if (place.value.isFunction()) {
      const FunctionRef &function = place.value.function();
      if (function.decl->inlining() == Inlining::Inline)
        return error(span, "inline function '" + function.decl->name().text +
                               "' has no address");
      PointerValue pointer;
      pointer.function = function;
      const Type *type = functionType(function);
      if (!type)
        return error(span, "function '" + function.decl->name().text +
                               "' has comptime or anytype parameters and no "
                               "address");
      return Value(types.pointer(type, false, true),
                   std::make_shared<const PointerValue>(pointer));
    }
    if (place.constant && !place.type->isComptimeOnly()) {
      PointerValue pointer;
      pointer.global = place.constant;
      return Value(types.pointer(place.type, false, true),
                   std::make_shared<const PointerValue>(pointer));
    }
    if (place.container && place.container->value.isPointer() &&
        !place.type->isComptimeOnly())
      return place.container->value;
    if (place.type->isComptimeOnly())
      return error(span, "a value of comptime-only type '" + place.type->str() +
                             "' has no address");
    if (place.type->isArray() && place.value.isKnown() && program)
      if (Global *table = tableFor(place.value, span)) {
        PointerValue pointer;
        pointer.global = table;
        return Value(types.pointer(place.type, false, true),
                     std::make_shared<const PointerValue>(pointer));
      }
    return error(span, "address of a temporary value");
  }
  default:
    return Value();
  }
}

mlir::Value Evaluator::allocate(const Type *type, Span span,
                                std::optional<int64_t> align) {
  mlir::Type element = convert(type->isArray() ? type->element : type, span);
  if (!element)
    return {};
  llvm::SmallVector<int64_t> shape;
  if (type->isArray())
    shape.assign(type->shape.begin(), type->shape.end());
  mlir::OpBuilder::InsertionGuard guard(builder);
  // In the first block of the function, whatever block this is in.
  mlir::Operation *parent = builder.getInsertionBlock()->getParentOp();
  while (parent && !llvm::isa<mlir::FunctionOpInterface>(parent))
    parent = parent->getParentOp();
  if (parent) {
    // Behind those that are there: in the order of the declarations.
    mlir::Block &front =
        llvm::cast<mlir::FunctionOpInterface>(parent).getFunctionBody().front();
    auto place = front.begin();
    while (place != front.end() && llvm::isa<mlir::memref::AllocaOp>(*place))
      ++place;
    builder.setInsertionPoint(&front, place);
  } else if (!inTypeOf) {
    error(span, "a variable in memory has no place in comptime code");
    return {};
  }
  return mlir::memref::AllocaOp::create(
      builder, loc(span), mlir::MemRefType::get(shape, element),
      align ? builder.getI64IntegerAttr(*align) : mlir::IntegerAttr());
}

Value Evaluator::evalAssign(const AssignExpr &expr) {
  LValue target = evalPlace(*expr.target(), /*forWrite=*/true);
  const Type *hint =
      target.kind == LValue::Kind::Discard ? nullptr : target.type;
  Value value = eval(*expr.value(), hint);
  if (left)
    return Value();
  if (target.kind == LValue::Kind::Error || !value)
    return Value();
  if (expr.op()) {
    Value current = read(target, expr.target()->span());
    if (!current)
      return Value();
    // `x op= e` assigns to x: a literal takes its type.
    if (hint && value.type()->is(TypeKind::ComptimeFloat) &&
        hint->is(TypeKind::Float))
      value = coerce(value, hint, expr.value()->span());
    value = binary(*expr.op(), current, value, expr.span(), hint);
  }
  llvm::StringRef text = SourceManager::textOf(expr.target()->span());
  if (target.isConst && !target.constant && !target.local && text.size() < 60 &&
      !text.contains('\n'))
    return error(expr.span(),
                 "cannot assign to '" + text + "', which is constant");
  if ((target.kind == LValue::Kind::Memref ||
       target.kind == LValue::Kind::Address) &&
      isComptime() && !inTypeOf)
    return error(expr.span(),
                 "comptime code cannot assign to a variable of running code");
  write(target, std::move(value), expr.span());
  return makeVoid();
}
