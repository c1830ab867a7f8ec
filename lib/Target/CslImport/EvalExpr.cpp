//===- EvalExpr.cpp - Names, members, literals, types ---------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"
#include "sequin/CslSource/Names.h"

using namespace sequin;
using namespace sequin::csl_import;
using namespace sequin::csl_source;

/// A PE's memory has fewer elements; larger arrays are refused early.
static constexpr int64_t kMaxElements = 1 << 20;

Value Evaluator::evalName(const NameExpr &expr) {
  return read(evalPlace(expr, /*forWrite=*/false), expr.span());
}

Value Evaluator::evalMember(const MemberExpr &expr) {
  return read(evalPlace(expr, /*forWrite=*/false), expr.span());
}

Value Evaluator::evalIndex(const IndexExpr &expr) {
  return read(evalPlace(expr, /*forWrite=*/false), expr.span());
}

/// "'a', 'b' and 'c'"
static std::string listNames(llvm::ArrayRef<llvm::StringRef> names) {
  std::string text;
  for (auto [index, name] : llvm::enumerate(names))
    text += (index == 0                  ? ""
             : index + 1 == names.size() ? " and "
                                         : ", ") +
            ("'" + name + "'").str();
  return text;
}

/// Suggests one of the names in `range`, or lists them if they are few.
template <class Range, class NameOf>
static void suggest(Diagnostic &diagnostic, Span span, llvm::StringRef name,
                    const Range &range, NameOf nameOf, llvm::StringRef what) {
  if (!diagnostic.suggests)
    return;
  llvm::SmallVector<llvm::StringRef> candidates;
  for (const auto &candidate : range)
    candidates.push_back(nameOf(candidate));
  if (auto close = suggestName(name, candidates))
    Diagnostics::note(diagnostic, span, "did you mean '" + *close + "'?");
  else if (!candidates.empty()) {
    constexpr size_t kMost = 40;
    llvm::ArrayRef<llvm::StringRef> shown(candidates);
    Diagnostics::note(diagnostic, span,
                      what + " has " + listNames(shown.take_front(kMost)) +
                          (shown.size() > kMost ? ", ..." : ""));
  }
}

static llvm::StringRef getFieldName(const Type::Field &field) {
  return field.name;
}

Value Evaluator::getMember(const Value &base, llvm::StringRef name, Span span) {
  if (!base)
    return Value();
  if (base.isModule()) {
    ModuleInstance &module = *base.module();
    Global *global = module.find(name);
    if (!global) {
      Diagnostic &diagnostic = report(
          span, "module '" + module.path + "' has no member '" + name + "'");
      suggest(
          diagnostic, span, name, module.globals,
          [](const auto &entry) { return llvm::StringRef(entry.first); }, "it");
      return Value();
    }
    return read(placeOfGlobal(*global, span), span);
  }
  if (base.isType() && base.asType()->is(TypeKind::Enum)) {
    const Type *type = base.asType();
    for (const auto &[text, number] : type->cases)
      if (text == name)
        return makeInt(type, number);
    Diagnostic &diagnostic =
        report(span, "enum '" + type->str() + "' has no member '" + name + "'");
    suggest(
        diagnostic, span, name, type->cases,
        [](const auto &entry) { return llvm::StringRef(entry.first); }, "it");
    return Value();
  }
  const Type *type = base.type();
  if (!type->isStruct()) {
    Diagnostic &diagnostic =
        report(span, (base.isType() ? "type '" + base.asType()->str()
                                    : "a value of type '" + type->str()) +
                         "' has no member '" + name + "'");
    if (type->isPointer() && type->element->isStruct() &&
        type->element->fieldIndex(name))
      note(diagnostic, span,
           "of what a pointer points to the member is '.*." + name + "'");
    return Value();
  }
  std::optional<unsigned> index = type->fieldIndex(name);
  if (!index) {
    Diagnostic &diagnostic =
        report(span, "'" + type->str() + "' has no field '" + name + "'");
    suggest(diagnostic, span, name, type->fields, getFieldName, "it");
    return Value();
  }
  const Type *fieldType = type->fields[*index].type;
  if (base.isRuntime())
    return makeRuntime(fieldType, csl::GetFieldOp::create(
                                      builder, loc(span), convert(fieldType),
                                      base.runtime(), name));
  if (base.isAggregate()) {
    if (type->isUnion) {
      const Value &active = base.elements()[*index];
      if (!active.isError())
        return active;
      // The bits of the other field, if the language says where they are.
      if (type->layout != csl::AggregateKind::Plain) {
        auto other = llvm::find_if(
            base.elements(), [](const Value &part) { return !part.isError(); });
        if (other != base.elements().end() && other->type()->bits() &&
            other->type()->bits() == fieldType->bits())
          return bitcastTo(fieldType, *other, span);
        if (!isComptime())
          if (Value moved = asRuntime(base, span))
            return getMember(moved, name, span);
      }
      return error(span, "field '" + name + "' of union '" + type->str() +
                             "' is not the one that has a value");
    }
    return base.elements()[*index];
  }
  if (inTypeOf)
    return Value(fieldType);
  return error(span, "value has no known fields");
}

//===----------------------------------------------------------------------===//
// Aggregates
//===----------------------------------------------------------------------===//

Value Evaluator::evalStructInit(const StructInit &expr, const Type *hint) {
  if (!expr.type()) {
    std::vector<Type::Field> fields;
    std::vector<Value> values;
    bool failed = false;
    const Type *wanted = hint && hint->isStruct() ? hint : nullptr;
    for (const FieldInit &field : expr.fields()) {
      const Type *fieldHint = nullptr;
      if (wanted)
        if (auto index = wanted->fieldIndex(field.name.text))
          fieldHint = wanted->fields[*index].type;
      Value value = eval(*field.value, fieldHint);
      failed |= !value;
      if (value) {
        fields.push_back({field.name.text.str(), value.type()});
        values.push_back(std::move(value));
      }
    }
    if (failed)
      return Value();
    return Value(types.anonymous(std::move(fields), false), std::move(values));
  }
  const Type *type = evalType(*expr.type());
  if (!type)
    return Value();
  if (!type->isStruct())
    return error(expr.type()->span(), "a literal with fields is of a struct or "
                                      "union type, found '" +
                                          type->str() + "'");
  std::vector<Value> values(type->fields.size());
  bool failed = false;
  for (const FieldInit &field : expr.fields()) {
    std::optional<unsigned> index = type->fieldIndex(field.name.text);
    if (!index) {
      Diagnostic &diagnostic =
          report(field.name.span, "'" + type->str() + "' has no field '" +
                                      field.name.text + "'");
      suggest(diagnostic, field.name.span, field.name.text, type->fields,
              getFieldName, "it");
      failed = true;
      continue;
    }
    Value value = eval(*field.value, type->fields[*index].type);
    value = value
                ? coerce(value, type->fields[*index].type, field.value->span())
                : Value();
    failed |= !value;
    values[*index] = value;
  }
  if (failed)
    return Value();
  if (type->isUnion) {
    if (expr.fields().size() != 1)
      return error(expr.span(), "a value of union '" + type->str() +
                                    "' has one field, found " +
                                    llvm::Twine(expr.fields().size()));
    return Value(type, std::move(values));
  }
  for (auto [index, value] : llvm::enumerate(values))
    if (!value)
      return error(expr.span(), "literal of '" + type->str() +
                                    "' sets no field '" +
                                    type->fields[index].name + "'");
  return Value(type, std::move(values));
}

Value Evaluator::evalListInit(const ListInit &expr, const Type *hint) {
  if (!expr.type()) {
    std::vector<Type::Field> fields;
    std::vector<Value> values;
    bool failed = false;
    for (auto [index, element] : llvm::enumerate(expr.elements())) {
      const Type *elementHint = nullptr;
      if (hint && hint->isArray())
        elementHint = hint->element;
      else if (hint && hint->isStruct() && index < hint->fields.size())
        elementHint = hint->fields[index].type;
      Value value = eval(*element, elementHint);
      failed |= !value;
      if (value) {
        fields.push_back({std::to_string(index), value.type()});
        values.push_back(std::move(value));
      }
    }
    if (failed)
      return Value();
    return Value(types.anonymous(std::move(fields), true), std::move(values));
  }
  const Type *type = evalType(*expr.type());
  if (!type)
    return Value();
  if (type->isStruct() && expr.elements().empty()) {
    if (type->fields.empty())
      return Value(type, std::vector<Value>());
    return error(expr.span(), "literal of '" + type->str() +
                                  "' sets no field '" + type->fields[0].name +
                                  "'");
  }
  if (!type->isArray())
    return error(expr.type()->span(),
                 "a list of values is of an array type, found '" + type->str() +
                     "'");
  if (int64_t(expr.elements().size()) != type->numElements())
    return error(expr.span(), "literal of '" + type->str() + "' has " +
                                  llvm::Twine(expr.elements().size()) +
                                  " elements, expected " +
                                  llvm::Twine(type->numElements()));
  std::vector<Value> values;
  bool failed = false;
  for (const Expr *element : expr.elements()) {
    Value value = eval(*element, type->element);
    if (value)
      value = coerce(value, type->element, element->span());
    failed |= !value;
    values.push_back(std::move(value));
  }
  return failed ? Value() : Value(type, std::move(values));
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

const Type *Evaluator::evalType(const Expr &expr) {
  Value value = evalComptime(expr);
  if (!value)
    return nullptr;
  if (value.isVoid())
    return types.voidType();
  if (!value.isType()) {
    error(expr.span(), "expected a type, found a value of type '" +
                           value.type()->str() + "'");
    return nullptr;
  }
  return value.asType();
}

Value Evaluator::evalArrayType(const ArrayType &expr) {
  llvm::SmallVector<int64_t> shape;
  int64_t count = 1;
  for (const Expr *dim : expr.dims()) {
    PhaseScope scope(*this, isComptime() ? phase : Phase::Comptime);
    std::optional<int64_t> size =
        evalKnownInt(*dim, "the size of an array", 0, kMaxElements);
    if (!size)
      return Value();
    shape.push_back(*size);
    count *= *size;
    if (count > kMaxElements)
      return error(expr.span(), "an array has at most " +
                                    llvm::Twine(kMaxElements) + " elements");
  }
  const Type *element = evalType(*expr.element());
  if (!element)
    return Value();
  if (element->isArray() || element->isVoid() ||
      element->is(TypeKind::AnyOpaque))
    return error(expr.element()->span(), "elements of an array cannot be of "
                                         "type '" +
                                             element->str() + "'");
  return makeType(types.array(shape, element));
}

Value Evaluator::evalFnType(const FnType &expr) {
  llvm::SmallVector<const Type *> params;
  for (const FnParam *param : expr.params()) {
    if (param->isAnytype())
      return error(param->span(), "a function type names the types of its "
                                  "parameters, found 'anytype'");
    const Type *type = evalType(*param->type());
    if (!type)
      return Value();
    params.push_back(type);
  }
  const Type *result =
      expr.result() ? evalType(*expr.result()) : types.voidType();
  if (!result)
    return Value();
  return makeType(expr.isTask() ? types.task(params)
                                : types.function(params, result));
}

/// What may stand in a packed struct (SYN-069).
static bool isPackable(const Type *type) {
  return type->is(TypeKind::Int) || type->is(TypeKind::Float) ||
         type->is(TypeKind::Bool) || type->is(TypeKind::Enum) ||
         type->isPointer() || type->isPacked();
}

Value Evaluator::evalStructType(const StructType &expr) {
  std::vector<Type::Field> fields;
  csl::AggregateKind layout =
      expr.layout() == StructLayout::Auto     ? csl::AggregateKind::Plain
      : expr.layout() == StructLayout::Extern ? csl::AggregateKind::Extern
                                              : csl::AggregateKind::Packed;
  llvm::StringRef name = declName.empty() ? "struct" : declName;
  for (const FieldDecl *field : expr.fields()) {
    const Type *type = evalType(*field->type());
    if (!type)
      return Value();
    if (type->is(TypeKind::AnyOpaque))
      return error(field->span(), "a field cannot be of type 'anyopaque', "
                                  "which has no data");
    if (layout == csl::AggregateKind::Extern && !isExportCompatible(type))
      return error(field->span(), "a field of an extern struct has an "
                                  "export-compatible type, found '" +
                                      type->str() +
                                      "': one of 16 or 32 bits, or bool; a "
                                      "plain 'struct' has fields of any type");
    if (layout == csl::AggregateKind::Packed && !isPackable(type))
      return error(field->span(),
                   "a packed struct has fields of integers, floats, bool, "
                   "enums, pointers and packed structs, found '" +
                       type->str() + "'");
    if (layout == csl::AggregateKind::Packed && expr.isUnion() &&
        !fields.empty() && fields.front().type->bits() != type->bits())
      return error(field->span(), "fields of a packed union are equally wide, "
                                  "found " +
                                      llvm::Twine(type->bits()) + " and " +
                                      llvm::Twine(fields.front().type->bits()) +
                                      " bits");
    fields.push_back({field->name().text.str(), type});
  }
  return makeType(
      types.named(&expr, name, std::move(fields), layout, expr.isUnion()));
}

Value Evaluator::evalEnumType(const EnumType &expr) {
  const Type *base = types.u16();
  if (expr.base()) {
    base = evalType(*expr.base());
    if (!base)
      return Value();
    if (!base->is(TypeKind::Int))
      return error(expr.base()->span(), "an enum is based on an integer type, "
                                        "found '" +
                                            base->str() + "'");
  }
  std::vector<std::pair<std::string, int64_t>> cases;
  llvm::DenseMap<int64_t, const EnumMember *> taken;
  std::vector<std::optional<int64_t>> values;
  // Values that are given come first: the others take what is left (SYN-071).
  for (const EnumMember *member : expr.members()) {
    std::optional<int64_t> value;
    if (member->value()) {
      Value given = evalComptime(*member->value());
      if (given)
        given = coerce(concretize(given), base, member->value()->span());
      if (!given)
        return Value();
      value = given.small();
      auto [entry, isNew] = taken.try_emplace(*value, member);
      if (!isNew) {
        Diagnostic &diagnostic =
            report(member->span(), "member '" + member->name().text +
                                       "' has value " + llvm::Twine(*value) +
                                       ", which another member has");
        note(diagnostic, entry->second->span(), "first here");
        return Value();
      }
    }
    values.push_back(value);
  }
  int64_t next = 0;
  for (auto [member, value] : llvm::zip(expr.members(), values)) {
    if (!value) {
      while (taken.count(next))
        ++next;
      if (!Integer(next).fits(base->width, base->isSigned))
        return error(member->span(), "member '" + member->name().text +
                                         "' has value " + llvm::Twine(next) +
                                         ", which '" + base->str() +
                                         "' does not hold");
      value = next;
      taken.try_emplace(next, member);
    }
    cases.emplace_back(member->name().text.str(), *value);
  }
  return makeType(types.enumeration(&expr, declName.empty() ? "enum" : declName,
                                    base, std::move(cases)));
}

Value Evaluator::evalAsm(const AsmExpr &expr) {
  return error(expr.span(), "inline assembly has no meaning on the simulated "
                            "machine, whose instructions are its own");
}

//===----------------------------------------------------------------------===//
// Tensor accesses
//===----------------------------------------------------------------------===//

namespace {
/// A sum of induction variables times coefficients, plus a constant.
struct LinearIndex {
  std::vector<int64_t> coefficients;
  int64_t constant = 0;
  bool isConstant() const {
    return llvm::all_of(coefficients, [](int64_t c) { return c == 0; });
  }
};
} // namespace

/// `expr` as a form in `names`; `evaluate` gives what has no variable in it.
static std::optional<LinearIndex>
readAffine(const Expr &expr, llvm::ArrayRef<llvm::StringRef> names,
           llvm::function_ref<std::optional<int64_t>(const Expr &)> evaluate,
           llvm::function_ref<void(const Expr &)> refuse) {
  const Expr &inner = *expr.ignoreParens();
  LinearIndex form;
  form.coefficients.assign(names.size(), 0);
  if (const auto *name = llvm::dyn_cast<NameExpr>(&inner)) {
    const auto *found = llvm::find(names, name->name());
    if (found != names.end()) {
      form.coefficients[found - names.begin()] = 1;
      return form;
    }
  }
  auto combine = [&](const LinearIndex &a, const LinearIndex &b,
                     int64_t factor) {
    LinearIndex sum = a;
    for (auto [c, d] : llvm::zip(sum.coefficients, b.coefficients))
      c += factor * d;
    sum.constant += factor * b.constant;
    return sum;
  };
  if (const auto *unary = llvm::dyn_cast<UnaryExpr>(&inner);
      unary && unary->op() == UnaryOp::Neg) {
    auto operand = readAffine(*unary->operand(), names, evaluate, refuse);
    return operand ? std::optional(combine(form, *operand, -1)) : std::nullopt;
  }
  if (const auto *binary = llvm::dyn_cast<BinaryExpr>(&inner);
      binary &&
      (binary->op() == BinaryOp::Add || binary->op() == BinaryOp::Sub ||
       binary->op() == BinaryOp::Mul)) {
    auto a = readAffine(*binary->left(), names, evaluate, refuse);
    auto b = readAffine(*binary->right(), names, evaluate, refuse);
    if (!a || !b)
      return std::nullopt;
    if (binary->op() != BinaryOp::Mul)
      return combine(*a, *b, binary->op() == BinaryOp::Add ? 1 : -1);
    if (!a->isConstant() && !b->isConstant()) {
      refuse(inner);
      return std::nullopt;
    }
    const LinearIndex &factor = a->isConstant() ? *a : *b;
    return combine(form, a->isConstant() ? *b : *a, factor.constant);
  }
  // A variable anywhere else is not affine.
  bool uses = false;
  std::function<void(const Node &)> look = [&](const Node &node) {
    if (const auto *name = llvm::dyn_cast<NameExpr>(&node))
      uses |= llvm::is_contained(names, name->name());
    forEachChild(node, look);
  };
  look(inner);
  if (uses) {
    refuse(inner);
    return std::nullopt;
  }
  std::optional<int64_t> constant = evaluate(inner);
  if (!constant)
    return std::nullopt;
  form.constant = *constant;
  return form;
}

/// As large as a field of a DSD could be and no more.
static constexpr int64_t kMaxCoefficient = 1 << 20;

Value Evaluator::evalTensorAccess(const csl_source::TensorAccess &expr) {
  const Phase outer = phase;
  PhaseScope scope(*this, isComptime() ? phase : Phase::Comptime);
  llvm::SmallVector<llvm::StringRef> names;
  std::vector<int64_t> extents;
  for (auto [variable, extent] : llvm::zip(expr.variables(), expr.extents())) {
    if (llvm::is_contained(names, variable->name().text))
      return error(variable->span(), "induction variable '" +
                                         variable->name().text +
                                         "' is given twice");
    names.push_back(variable->name().text);
    std::optional<int64_t> size =
        evalKnownInt(*extent, "the length of an induction variable", 0, 65535);
    if (!size)
      return Value();
    extents.push_back(*size);
  }
  // The array, or a comptime-known pointer to one. An array of a function has
  // its address when the function runs.
  LValue array;
  Value base;
  {
    PhaseScope arrayScope(*this, outer);
    array = evalPlace(*expr.array(), /*forWrite=*/false);
    if (array.kind == LValue::Kind::Error)
      return Value();
    if (array.type->isArray())
      base = addressOf(array, expr.array()->span());
  }
  if (array.type->isPointer() && array.type->element->isArray())
    base = known(read(array, expr.array()->span()), expr.array()->span(),
                 "the array of a tensor access");
  else if (array.type->isPointer() && array.type->isMany)
    base = known(read(array, expr.array()->span()), expr.array()->span(),
                 "the array of a tensor access");
  else if (!array.type->isArray())
    return error(expr.array()->span(),
                 "a tensor access is of an array, or a comptime-known pointer "
                 "to one; found type '" +
                     array.type->str() + "'");
  if (!base)
    return Value();
  llvm::SmallVector<int64_t> shape;
  if (base.type()->element->isArray())
    shape.assign(base.type()->element->shape.begin(),
                 base.type()->element->shape.end());
  else
    shape.assign(1, 0);
  if (shape.size() != expr.indices().size())
    return error(expr.span(), "tensor access has " +
                                  llvm::Twine(expr.indices().size()) +
                                  " indices, the array has rank " +
                                  llvm::Twine(shape.size()));
  std::vector<int64_t> coefficients(names.size(), 0);
  int64_t offset = 0, stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    bool refused = false;
    auto form = readAffine(
        *expr.indices()[i], names,
        [&](const Expr &part) {
          return evalKnownInt(part, "a coefficient of a tensor access",
                              -kMaxCoefficient, kMaxCoefficient);
        },
        [&](const Expr &part) {
          if (!refused)
            error(part.span(), "an index of a tensor access is a sum of "
                               "induction variables times constants");
          refused = true;
        });
    if (!form)
      return Value();
    for (auto [sum, c] : llvm::zip(coefficients, form->coefficients))
      sum += c * stride;
    offset += form->constant * stride;
    stride *= shape[i];
  }
  // The change when a variable advances and the faster ones restart (DSD-029).
  std::vector<Value> strideValues, extentValues;
  std::vector<Type::Field> strideFields, extentFields;
  int64_t restart = 0;
  for (size_t i = names.size(); i-- > 0;) {
    int64_t value = coefficients[i] - restart;
    if (value < INT16_MIN || value > INT16_MAX)
      return error(expr.span(), "tensor access has a stride of " +
                                    llvm::Twine(value) +
                                    ", a DSD holds -32768 to 32767");
    restart += coefficients[i] * (extents[i] - 1);
    strideFields.push_back({std::to_string(strideFields.size()), types.i16()});
    strideValues.push_back(makeInt(types.i16(), value));
  }
  for (int64_t extent : extents) {
    extentFields.push_back({std::to_string(extentFields.size()), types.u16()});
    extentValues.push_back(makeInt(types.u16(), extent));
  }
  if (offset < INT16_MIN || offset > INT16_MAX)
    return error(expr.span(), "tensor access begins at offset " +
                                  llvm::Twine(offset) +
                                  ", a DSD holds -32768 to 32767");
  Value strides(types.anonymous(strideFields, true), std::move(strideValues));
  Value lengths(types.anonymous(extentFields, true), std::move(extentValues));
  std::vector<Type::Field> fields = {{"base_address", base.type()},
                                     {"offset", types.i16()},
                                     {"stride", strides.type()},
                                     {"extent", lengths.type()}};
  return Value(
      types.anonymous(fields, false),
      std::vector<Value>{base, makeInt(types.i16(), offset), strides, lengths});
}
