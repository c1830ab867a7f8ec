//===- EvalTypes.cpp - Types, generics and mappings -----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"
#include "sequin/VisaSource/Printer.h"

using namespace sequin;
using namespace sequin::visa_import;
using ast::MeaningKind;

/// A type that was reported; nothing is said about it any more.
static const TypeRef &errorType() {
  static const TypeRef type = [] {
    auto made = std::make_shared<Type>();
    made->kind = Type::Kind::Error;
    return made;
  }();
  return type;
}

static TypeRef makeNamed(Type::Kind kind, StringRef name,
                         const ast::Node *decl = nullptr) {
  auto type = std::make_shared<Type>();
  type->kind = kind;
  type->name = name.str();
  type->decl = decl;
  return type;
}

static bool isScalar(StringRef name) {
  return llvm::StringSwitch<bool>(name)
      .Cases({"i4", "i5", "i8", "i9", "i16", "i32", "i64", "i128"}, true)
      .Cases({"u8", "u16", "u32", "u64", "u128", "usize", "isize"}, true)
      .Cases({"bf16", "f16", "f32", "f64", "f8e4m3", "f8e5m2", "f8"}, true)
      .Case("f4e2m1", true)
      .Cases({"bool", "char", "str"}, true)
      .Default(false);
}

TypeRef Evaluator::evalParameterType(const ast::Type &type) {
  TypeRef result = evalType(type);
  // Of a type that says nothing, as `_` and `!`, evalType() says nothing.
  if (!result)
    reporter.error(type.span())
        << "an argument of a kernel is a tensor or a Context, found '"
        << ast::toString(type) << "'";
  return result && result->kind == Type::Kind::Error ? nullptr : result;
}

TypeRef Evaluator::evalType(const ast::Type &type) {
  switch (type.kind()) {
  case ast::NodeKind::PathType:
    return evalPathType(*llvm::cast<ast::PathType>(type).path, type.span());
  case ast::NodeKind::RefType:
    return evalType(*llvm::cast<ast::RefType>(type).target);
  case ast::NodeKind::ParenType:
    return evalType(*llvm::cast<ast::ParenType>(type).inner);
  case ast::NodeKind::InferType:
    return nullptr;
  case ast::NodeKind::MappingType: {
    llvm::SaveAndRestore unknown(isUnknown, false);
    auto text = evalMapping(llvm::cast<ast::MappingType>(type).mapping);
    if (!text && isUnknown)
      return nullptr;
    if (!text || !resolveMapping(*text, type.span()))
      return errorType();
    return makeMapping(*text);
  }
  case ast::NodeKind::TupleType: {
    auto tuple = std::make_shared<Type>();
    tuple->kind = Type::Kind::Tuple;
    for (const ast::Type *element : llvm::cast<ast::TupleType>(type).elements)
      tuple->args.push_back(evalType(*element));
    return tuple;
  }
  case ast::NodeKind::ArrayType:
  case ast::NodeKind::SliceType: {
    auto array = std::make_shared<Type>();
    array->kind = Type::Kind::Array;
    if (const auto *sized = llvm::dyn_cast<ast::ArrayType>(&type)) {
      array->args.push_back(evalType(*sized->element));
      llvm::SaveAndRestore open(mayBeUnknown, true);
      if (sized->length && !llvm::isa<ast::PathExpr>(sized->length))
        if (auto length = evalInteger(*sized->length))
          array->text = std::to_string(*length);
    } else
      array->args.push_back(
          evalType(*llvm::cast<ast::SliceType>(type).element));
    return array;
  }
  // What closures and iterators are is of no consequence.
  case ast::NodeKind::ImplType:
  case ast::NodeKind::FnType:
  case ast::NodeKind::NeverType:
    return nullptr;
  default:
    fail(type.span(),
         "the type '" + ast::toString(type) + "' has no meaning in a kernel");
    return errorType();
  }
}

TypeRef Evaluator::evalGenericArg(const ast::GenericArg &arg) {
  if (arg.type)
    return evalType(*arg.type);
  return nullptr;
}

/// The crate's name of a stream type: those of single stages of the vector
/// engine are one here.
static StringRef streamName(StringRef name) {
  if (ast::findApiType(name))
    return name;
  // Release 0.6 has a type for each step of an engine.
  StringRef step = llvm::StringSwitch<StringRef>(name)
                       .Cases({"FetchMaskTensor", "FetchTableLookupTensor",
                               "FetchCastTensor", "FetchZeroPointSubTensor"},
                              "FetchTensor")
                       .Case("ContractOuterTensor", "AlignedPair")
                       .Cases({"ContractPacketTensor", "ContractTimeTensor"},
                              "ContractionTensor")
                       .Case("ContractTensor", "AccumulationTensor")
                       .Case("CommitCastTensor", "CommitTrimTensor")
                       .Default("");
  if (!step.empty())
    return step;
  if (name.starts_with("Vector") && name.ends_with("Tensor"))
    return "VectorTensor";
  return name;
}

TypeRef Evaluator::evalTensorType(StringRef name, const ast::Path &path) {
  llvm::ArrayRef<StringRef> parameters = parametersOf(name);
  llvm::SmallVector<const ast::GenericArg *, 8> written;
  const ast::GenericArgs *args = nullptr;
  for (const ast::PathSegment *segment : path.segments)
    if (segment->args)
      args = segment->args;
  if (args)
    for (const ast::GenericArg *arg : args->args)
      if (arg->lifetime.empty())
        written.push_back(arg);
  auto type = std::make_shared<Type>();
  type->kind = Type::Kind::Tensor;
  type->name = name.str();
  // Which stage of the vector engine it stands behind.
  if (!path.segments.empty())
    type->text = path.segments.back()->name.text.str();
  // Streams have the execution context first; of the vector engine, further
  // ones behind.
  const ast::ApiType *row = ast::findApiType(name);
  bool isStream = row && row->kind == ast::ApiKind::Stream;
  if (isStream && written.size() > parameters.size())
    written.erase(written.begin());
  // A VectorTensor names its stage before the element type.
  if (isStream && written.size() > parameters.size() &&
      path.segments.back()->name.text == "VectorTensor")
    written.erase(written.begin());
  // Release 0.6 has more behind them in other streams too.
  bool mayHaveMore =
      name.starts_with("Vector") || (isStream && release == ast::Releases::V06);
  if (written.size() > parameters.size() && !mayHaveMore) {
    fail(path.span(), name + " takes " + llvm::Twine(parameters.size()) +
                          " generic arguments (" +
                          llvm::join(parameters, ", ") + "), found " +
                          llvm::Twine(written.size()));
    return errorType();
  }
  bool good = true;
  for (size_t i = 0; i < parameters.size(); ++i) {
    TypeRef arg = i < written.size() ? evalGenericArg(*written[i]) : TypeRef();
    if (arg && arg->kind == Type::Kind::Axis)
      arg = makeMapping(arg->name);
    good &= !arg || arg->kind != Type::Kind::Error;
    if (good && arg && i > 0 && arg->kind != Type::Kind::Mapping) {
      fail(written[i]->span(), "'" + parameters[i] + "' of " + name +
                                   " is a mapping, found '" + str(arg) + "'");
      good = false;
    }
    if (good && arg && i > 0) {
      arg = onWholeChip(parameters[i], arg, written[i]->span());
      good = bool(arg);
    }
    type->args.push_back(std::move(arg));
  }
  return good ? TypeRef(type) : errorType();
}

TypeRef Evaluator::evalPathType(const ast::Path &path, Span place) {
  ast::Meaning meaning = program.meaningOf(path);
  StringRef last =
      path.segments.empty() ? StringRef() : path.segments.back()->name.text;
  switch (meaning.kind) {
  case MeaningKind::Axis: {
    StringRef name = axes.nameOf(*llvm::cast<ast::AxisDecl>(meaning.node));
    return makeNamed(Type::Kind::Axis, name, meaning.node);
  }
  case MeaningKind::Generic: {
    auto found = frame->types.find(meaning.node);
    return found == frame->types.end() ? nullptr : found->second;
  }
  case MeaningKind::Self:
    return frame->self;
  case MeaningKind::Api:
  case MeaningKind::External:
  case MeaningKind::Builtin: {
    if (last == "Vec" || last == "Box" || last == "Option")
      return nullptr;
    StringRef name = streamName(last);
    if (!parametersOf(name).empty())
      return evalTensorType(name, path);
    if (last == "Identity")
      return makeMapping("1");
    if (isScalar(last))
      return makeScalar(last);
    return makeNamed(Type::Kind::Named, last);
  }
  case MeaningKind::Item: {
    if (meaning.rest != 0)
      break;
    if (const auto *alias = llvm::dyn_cast<ast::TypeItem>(meaning.node)) {
      if (aliasDepth >= 64) {
        fail(place, "type '" + alias->head.name.text +
                        "' is nested deeper than 64 aliases");
        return errorType();
      }
      auto inner = std::make_shared<Frame>();
      inner->self = frame->self;
      const ast::GenericArgs *args =
          path.segments.empty() ? nullptr : path.segments.back()->args;
      if (!bindGenerics(alias->generics, args, *inner, place))
        return errorType();
      // An alias inside of a function may use the function's parameters.
      for (auto &[node, type] : frame->types)
        inner->types.try_emplace(node, type);
      for (auto &[node, value] : frame->constants)
        inner->constants.try_emplace(node, value);
      std::swap(frame, inner);
      ++aliasDepth;
      TypeRef type = evalType(*alias->type);
      --aliasDepth;
      std::swap(frame, inner);
      return type;
    }
    if (llvm::isa<ast::StructItem, ast::EnumItem>(meaning.node)) {
      auto type = std::make_shared<Type>();
      type->kind = Type::Kind::Struct;
      type->name = ast::headOf(*llvm::cast<ast::Item>(meaning.node)).name.text;
      type->decl = meaning.node;
      type->bound = structArguments(meaning.node, path.segments.back()->args,
                                    nullptr, place);
      return type->bound ? TypeRef(type) : errorType();
    }
    break;
  }
  case MeaningKind::Unknown:
    // Names that are not there have been reported.
    if (path.self && path.segments.empty())
      return evalType(*path.self);
    return errorType();
  default:
    break;
  }
  fail(place, "'" + ast::toString(path) + "' is no type");
  return errorType();
}

//===----------------------------------------------------------------------===//
// Mappings
//===----------------------------------------------------------------------===//

std::optional<std::string> Evaluator::evalMapping(const ast::Mapping *mapping) {
  if (!mapping)
    return "1";
  switch (mapping->kind()) {
  case ast::NodeKind::MapList: {
    std::string text;
    for (const ast::Mapping *element :
         llvm::cast<ast::MapList>(mapping)->elements) {
      auto part = evalMapping(element);
      if (!part)
        return std::nullopt;
      text += (text.empty() ? "" : ", ") + *part;
    }
    return text;
  }
  case ast::NodeKind::MapAxis: {
    ast::Meaning meaning = program.meaningOf(*mapping);
    StringRef name = llvm::cast<ast::MapAxis>(mapping)->name.text;
    if (const auto *axis =
            llvm::dyn_cast_or_null<ast::AxisDecl>(meaning.node)) {
      StringRef unique = axes.nameOf(*axis);
      if (!unique.empty())
        return unique.str();
      return std::nullopt; // its size was refused
    }
    if (meaning.kind == MeaningKind::Generic) {
      auto found = frame->types.find(meaning.node);
      TypeRef type = found == frame->types.end() ? TypeRef() : found->second;
      if (type && type->kind == Type::Kind::Axis)
        return type->name;
      if (type && type->kind == Type::Kind::Mapping)
        return "[" + type->text + "]";
      if (type && type->kind == Type::Kind::Error)
        return std::nullopt;
      isUnknown = mayBeUnknown;
      if (!mayBeUnknown)
        fail(mapping->span(), "'" + name + "' is not known here");
      return std::nullopt;
    }
    if (meaning)
      fail(mapping->span(), "'" + name +
                                "' is no axis; a mapping that has a name "
                                "stands in braces: { " +
                                name + " }");
    return std::nullopt;
  }
  case ast::NodeKind::MapNumber: {
    uint64_t value = llvm::cast<ast::MapNumber>(mapping)->value;
    // An anonymous broadcast axis.
    if (value == 1 || (release == ast::Releases::V06 && value > 0 &&
                       value <= uint64_t(INT32_MAX)))
      return std::to_string(value);
    fail(mapping->span(), "mapping '" + llvm::Twine(value) +
                              "': the only number that stands alone is 1; an "
                              "axis of " +
                              llvm::Twine(value) +
                              " positions is declared with axes!");
    return std::nullopt;
  }
  case ast::NodeKind::MapEscape: {
    const auto *escape = llvm::cast<ast::MapEscape>(mapping);
    TypeRef type = evalType(*escape->type);
    if (type && type->kind == Type::Kind::Mapping)
      return "[" + type->text + "]";
    if (type && type->kind == Type::Kind::Axis)
      return type->name;
    isUnknown |= mayBeUnknown && !type;
    if (!isUnknown && (!type || type->kind != Type::Kind::Error))
      fail(mapping->span(), "'" + ast::toString(*escape->type) + "' is " +
                                (type ? "no mapping" : "not known here"));
    return std::nullopt;
  }
  case ast::NodeKind::MapGroup: {
    auto inner = evalMapping(llvm::cast<ast::MapGroup>(mapping)->inner);
    if (!inner)
      return std::nullopt;
    return "[" + *inner + "]";
  }
  case ast::NodeKind::MapOp: {
    const auto *op = llvm::cast<ast::MapOp>(mapping);
    auto left = evalMapping(op->left);
    auto amount = evalInteger(*op->amount);
    if (!left || !amount)
      return std::nullopt;
    if (*amount < 1) {
      fail(op->amount->span(), "'" + ast::spelling(op->op) +
                                   "' takes a number "
                                   "from 1, found " +
                                   llvm::Twine(*amount));
      return std::nullopt;
    }
    StringRef spelled;
    switch (op->op) {
    case ast::MappingOp::Stride:
      spelled = " / ";
      break;
    case ast::MappingOp::Modulo:
      spelled = " % ";
      break;
    case ast::MappingOp::Resize:
      spelled = " = ";
      break;
    // Nothing is ever written to padding but what is said to be zero, so that
    // padding that nobody may touch needs no kind of its own.
    case ast::MappingOp::Pad:
    case ast::MappingOp::PadTop:
    case ast::MappingOp::PadBottom:
      spelled = " # ";
      break;
    case ast::MappingOp::PadZero:
      spelled = " #z ";
      break;
    }
    if (op->op > ast::MappingOp::Pad && release != ast::Releases::V06) {
      fail(mapping->span(), "'" + ast::spelling(op->op) +
                                "' is padding of release 0.6; this is a kernel "
                                "of 0.1");
      return std::nullopt;
    }
    return *left + spelled.str() + std::to_string(*amount);
  }
  default:
    return std::nullopt;
  }
}

TypeRef Evaluator::onWholeChip(StringRef parameter, const TypeRef &mapping,
                               Span place) {
  bool isSlice = parameter == "Slice";
  if (!grid || (!isSlice && parameter != "Cluster"))
    return mapping;
  StringRef text = mapping->text;
  while (text.consume_front("[") && text.consume_back("]"))
    ;
  if (widened.contains(mapping->text) || widened.contains(text))
    return mapping;
  std::optional<Mapping> resolved = resolveMapping(mapping->text, place);
  if (!resolved)
    return nullptr;
  int64_t wanted = isSlice ? grid->slices : 1;
  int64_t whole = isSlice ? grid->slicesPerCluster : grid->clustersPerChip;
  if (resolved->size() != wanted) {
    fail(place, (isSlice ? "slice" : "cluster") +
                    (" mapping \"" + mapping->text) + "\" has size " +
                    std::to_string(resolved->size()) +
                    ", the processing elements of this kernel have " +
                    std::to_string(wanted));
    return nullptr;
  }
  if (wanted == whole)
    return mapping;
  std::string padded = "[" + mapping->text + "] # " + std::to_string(whole);
  widened.insert(padded);
  return makeMapping(padded);
}

std::optional<Mapping> Evaluator::resolveMapping(StringRef text, Span place) {
  llvm::Expected<Mapping> mapping = Mapping::parse(text, axes.sizes());
  if (mapping)
    return std::move(*mapping);
  fail(place,
       "mapping \"" + text + "\": " + llvm::toString(mapping.takeError()));
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Generic parameters
//===----------------------------------------------------------------------===//

bool Evaluator::bindGenerics(const ast::Generics *generics,
                             const ast::GenericArgs *written, Frame &into,
                             Span place) {
  llvm::SmallVector<const ast::GenericParam *, 4> params;
  if (generics)
    for (const ast::GenericParam *param : generics->params)
      if (param->paramKind != ast::GenericParamKind::Lifetime)
        params.push_back(param);
  llvm::SmallVector<const ast::GenericArg *, 4> args;
  if (written)
    for (const ast::GenericArg *arg : written->args)
      if (arg->lifetime.empty())
        args.push_back(arg);
  if (args.size() > params.size()) {
    fail(place, "takes " + llvm::Twine(params.size()) +
                    " generic arguments, found " + llvm::Twine(args.size()));
    return false;
  }
  for (auto [index, param] : llvm::enumerate(params)) {
    bool given = index < args.size();
    if (param->paramKind == ast::GenericParamKind::Type) {
      TypeRef type = given ? evalGenericArg(*args[index]) : TypeRef();
      if (!given && param->type) {
        std::shared_ptr<Frame> held(&into, [](Frame *) {});
        std::swap(frame, held);
        type = evalType(*param->type);
        std::swap(frame, held);
      }
      if (type && type->kind == Type::Kind::Error)
        return false;
      if (type)
        into.types[param] = type;
      continue;
    }
    const ast::Expr *value = given ? args[index]->value : param->value;
    if (value) {
      Value evaluated = eval(*value);
      if (evaluated.isError())
        return false;
      into.constants[param] = evaluated;
    } else if (given && args[index]->type &&
               !llvm::isa<ast::InferType>(args[index]->type)) {
      // A constant's name looks like a type.
      const auto *path = llvm::dyn_cast<ast::PathType>(args[index]->type);
      ast::Meaning meaning =
          path ? program.meaningOf(*path->path) : ast::Meaning();
      if (meaning.kind == MeaningKind::Generic &&
          frame->constants.contains(meaning.node)) {
        into.constants[param] = frame->constants.lookup(meaning.node);
      } else if (const auto *item =
                     llvm::dyn_cast_or_null<ast::ConstItem>(meaning.node)) {
        Value evaluated = evalItem(*item, *path->path, place);
        if (evaluated.isError())
          return false;
        into.constants[param] = evaluated;
      }
    }
  }
  return true;
}

void Evaluator::unifyMapping(const ast::Mapping &pattern, const TypeRef &actual,
                             Frame &into) {
  // `m![{ E }]` alone: the mapping itself.
  if (const auto *escape = llvm::dyn_cast<ast::MapEscape>(&pattern))
    return unify(*escape->type, actual, into);
  if (actual->kind != Type::Kind::Mapping && actual->kind != Type::Kind::Axis)
    return;
  StringRef text =
      actual->kind == Type::Kind::Axis ? StringRef(actual->name) : actual->text;
  if (llvm::isa<ast::MapAxis>(pattern)) {
    ast::Meaning meaning = program.meaningOf(pattern);
    if (meaning.kind != MeaningKind::Generic)
      return;
    while (text.size() > 2 && text.front() == '[' && text.back() == ']' &&
           text.find(']') == text.size() - 1)
      text = text.drop_front().drop_back();
    bool isAxis = axes.sizes().lookup(text).has_value();
    into.types.try_emplace(meaning.node, isAxis
                                             ? makeNamed(Type::Kind::Axis, text)
                                             : makeMapping(text.str()));
    return;
  }
  // Part by part, where there are as many.
  const auto *list = llvm::dyn_cast<ast::MapList>(&pattern);
  if (!list)
    return;
  llvm::SmallVector<StringRef, 4> parts;
  int depth = 0;
  size_t from = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (text[i] == ',' && depth == 0)) {
      parts.push_back(text.slice(from, i).trim());
      from = i + 1;
    } else if (text[i] == '[') {
      ++depth;
    } else if (text[i] == ']') {
      --depth;
    }
  }
  if (parts.size() == list->elements.size())
    for (auto [element, part] : llvm::zip(list->elements, parts))
      unifyMapping(*element, makeMapping(part.str()), into);
}

void Evaluator::unifyArgs(const ast::Path &path, const TypeRef &actual,
                          Frame &into) {
  if (path.segments.empty() || !path.segments.back()->args)
    return;
  llvm::SmallVector<const ast::GenericArg *, 8> args;
  for (const ast::GenericArg *arg : path.segments.back()->args->args)
    if (arg->lifetime.empty())
      args.push_back(arg);
  // Streams have the context first.
  const ast::ApiType *row = ast::findApiType(actual->name);
  if (row && row->kind == ast::ApiKind::Stream &&
      args.size() > actual->args.size())
    args.erase(args.begin());
  for (auto [arg, type] : llvm::zip(args, actual->args))
    if (arg->type)
      unify(*arg->type, type, into);
}

void Evaluator::unifyAlias(const ast::TypeItem &alias, const ast::Path &path,
                           const TypeRef &actual, Frame &into) {
  const ast::GenericArgs *args =
      path.segments.empty() ? nullptr : path.segments.back()->args;
  if (!args || !alias.generics || aliasDepth >= 64)
    return;
  // What the alias's own parameters are, and from them what was written for
  // them.
  Frame inner;
  ++aliasDepth;
  unify(*alias.type, actual, inner);
  --aliasDepth;
  size_t index = 0;
  for (const ast::GenericParam *param : alias.generics->params) {
    if (param->paramKind == ast::GenericParamKind::Lifetime)
      continue;
    while (index < args->args.size() && !args->args[index]->lifetime.empty())
      ++index;
    if (index == args->args.size())
      return;
    const ast::GenericArg *arg = args->args[index++];
    if (arg->type)
      unify(*arg->type, inner.types.lookup(param), into);
  }
}

void Evaluator::unify(const ast::Type &pattern, const TypeRef &actual,
                      Frame &into) {
  if (!actual)
    return;
  if (const auto *ref = llvm::dyn_cast<ast::RefType>(&pattern))
    return unify(*ref->target, actual, into);
  if (const auto *paren = llvm::dyn_cast<ast::ParenType>(&pattern))
    return unify(*paren->inner, actual, into);
  if (const auto *mapping = llvm::dyn_cast<ast::MappingType>(&pattern)) {
    if (mapping->mapping)
      unifyMapping(*mapping->mapping, actual, into);
    return;
  }
  if (const auto *tuple = llvm::dyn_cast<ast::TupleType>(&pattern)) {
    if (actual->kind == Type::Kind::Tuple)
      for (auto [element, type] : llvm::zip(tuple->elements, actual->args))
        unify(*element, type, into);
    return;
  }
  if (const auto *array = llvm::dyn_cast<ast::ArrayType>(&pattern)) {
    if (actual->kind == Type::Kind::Array && !actual->args.empty())
      unify(*array->element, actual->args.front(), into);
    return;
  }
  const auto *path = llvm::dyn_cast<ast::PathType>(&pattern);
  if (!path)
    return;
  ast::Meaning meaning = program.meaningOf(*path->path);
  if (meaning.kind == MeaningKind::Generic) {
    into.types.try_emplace(meaning.node, actual);
    return;
  }
  if (const auto *alias = llvm::dyn_cast_or_null<ast::TypeItem>(meaning.node);
      alias && meaning.rest == 0)
    return unifyAlias(*alias, *path->path, actual, into);
  if (actual->kind == Type::Kind::Tensor)
    unifyArgs(*path->path, actual, into);
}

bool Evaluator::areEqual(const TypeRef &a, const TypeRef &b) {
  if (!a || !b || a == b)
    return true;
  if (a->kind == Type::Kind::Error || b->kind == Type::Kind::Error)
    return true;
  auto asMapping = [](const TypeRef &type) -> StringRef {
    return type->kind == Type::Kind::Axis ? type->name : type->text;
  };
  bool aMaps = a->kind == Type::Kind::Mapping || a->kind == Type::Kind::Axis;
  bool bMaps = b->kind == Type::Kind::Mapping || b->kind == Type::Kind::Axis;
  if (aMaps && bMaps) {
    if (asMapping(a) == asMapping(b))
      return true;
    auto left = Mapping::parse(asMapping(a), axes.sizes());
    auto right = Mapping::parse(asMapping(b), axes.sizes());
    if (left && right)
      return left->isEquivalent(*right);
    llvm::consumeError(left.takeError());
    llvm::consumeError(right.takeError());
    return false;
  }
  if (a->kind != b->kind)
    return false;
  if (a->kind == Type::Kind::Tensor) {
    // A view may be changed or not.
    auto base = [](StringRef name) {
      name.consume_back("Mut");
      return name;
    };
    if (base(a->name) != base(b->name) &&
        !(a->name.substr(0, 6) == "Vector" && b->name.substr(0, 6) == "Vector"))
      return false;
  } else if (a->name != b->name) {
    return false;
  }
  for (auto [left, right] : llvm::zip(a->args, b->args))
    if (!areEqual(left, right))
      return false;
  return true;
}

bool Evaluator::checkConforms(const TypeRef &expected, const TypeRef &actual,
                              Span place) {
  if (!expected || !actual || areEqual(expected, actual))
    return true;
  // Numbers have types of their own only where Rust's are of consequence.
  if (expected->kind != Type::Kind::Tensor &&
      actual->kind != Type::Kind::Tensor)
    return true;
  if (expected->kind == Type::Kind::Tensor &&
      actual->kind == Type::Kind::Tensor &&
      parametersOf(expected->name) == parametersOf(actual->name))
    for (auto [index, name] : llvm::enumerate(parametersOf(expected->name)))
      if (!areEqual(expected->args[index], actual->args[index])) {
        reporter.error(place)
            << "the " << (index == 0 ? "element type" : name.str())
            << " of this " << actual->name << " is '"
            << str(actual->args[index]) << "', expected '"
            << str(expected->args[index]) << "'";
        return false;
      }
  reporter.error(place) << "this is a " << str(actual) << ", expected a "
                        << str(expected);
  return false;
}
