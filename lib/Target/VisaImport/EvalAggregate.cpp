//===- EvalAggregate.cpp - Structs, arrays and macros ---------------------===//
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
using Kind = Value::Kind;

//===----------------------------------------------------------------------===//
// Aggregates
//===----------------------------------------------------------------------===//

Value Evaluator::evalStruct(const ast::StructExpr &expr, const TypeRef &) {
  ast::Meaning meaning = program.meaningOf(*expr.path);
  Value value;
  if (meaning.kind == MeaningKind::Api) {
    StringRef variant = expr.path->segments.back()->name.text;
    if (!meaning.api || !ast::isApiValue(meaning.api->name, variant))
      return fail(expr.span(), "'" + ast::toString(*expr.path) +
                                   "' is not made in a kernel");
    value = makeChoice(meaning.api->name, variant);
  } else {
    value.kind = Kind::Struct;
    value.decl = meaning.kind == MeaningKind::Self && frame->self
                     ? frame->self->decl
                     : meaning.node;
    if (const auto *variant =
            llvm::dyn_cast_or_null<ast::Variant>(meaning.node))
      value.variant = variant->name.text;
    else if (!llvm::isa_and_nonnull<ast::StructItem>(value.decl))
      return meaning ? fail(expr.span(),
                            "'" + ast::toString(*expr.path) + "' is no struct")
                     : Value();
  }
  // What is written, or what `Self` is.
  if (const auto *args = expr.path->segments.empty()
                             ? nullptr
                             : expr.path->segments.back()->args)
    value.frame = structArguments(value.decl, args, nullptr, expr.span());
  else if (meaning.kind == MeaningKind::Self && frame->self &&
           frame->self->bound)
    value.frame = std::make_shared<Frame>(*frame->self->bound);
  bool good = true;
  for (const ast::FieldInit *init : expr.inits) {
    TypeRef type;
    if (const auto *item = llvm::dyn_cast_or_null<ast::StructItem>(value.decl))
      for (const ast::FieldDecl *member : item->members)
        if (member->name.text == init->name.text) {
          Frame inner = value.frame ? *value.frame : Frame();
          type = evalInCallee(*member->type, inner);
        }
    Value field;
    if (init->value) {
      field = eval(*init->value, type);
    } else {
      // The short form names a variable.
      Slot found;
      unsigned latest = 0;
      for (auto &[node, slot] : frame->locals)
        if (const auto *name = llvm::dyn_cast<ast::NamePattern>(node))
          if (name->name.text == init->name.text && node->id() < expr.id() &&
              node->id() >= latest) {
            found = slot;
            latest = node->id();
          }
      if (!found)
        return fail(init->span(),
                    "'" + init->name.text + "' has no value here");
      field = *found;
    }
    good &= !field.isError();
    value.fields.push_back(
        {init->name.text, std::make_shared<Value>(copyOf(field))});
  }
  if (expr.base) {
    Value base = strip(eval(*expr.base));
    for (const Field &field : base.fields)
      if (llvm::none_of(value.fields, [&](const Field &known) {
            return known.name == field.name;
          }))
        value.fields.push_back(
            {field.name, std::make_shared<Value>(copyOf(*field.value))});
  }
  return good ? value : Value();
}

Value Evaluator::evalField(const ast::FieldExpr &expr) {
  Value held = eval(*expr.base);
  const Value &base = strip(held);
  if (base.isError())
    return {};
  StringRef name = expr.name.text;
  if (base.kind == Kind::Context && base.name == "ctx") {
    if (!llvm::is_contained({"main", "sub", "tdma", "pdma"}, name))
      return fail(expr.name.span,
                  "a Context has main, sub, tdma and pdma, found '" + name +
                      "'");
    Value member = base;
    member.name = name.str();
    return member;
  }
  size_t number;
  if (!name.getAsInteger(10, number)) {
    if (number < base.fields.size() &&
        (base.kind == Kind::Tuple || base.kind == Kind::Struct))
      return *base.fields[number].value;
  } else {
    for (const Field &field : base.fields)
      if (field.name == name)
        return *field.value;
  }
  return fail(expr.name.span, describe(base) + " has no '" + name + "'");
}

Value Evaluator::evalIndex(const ast::IndexExpr &expr) {
  Value held = eval(*expr.base);
  const Value &base = strip(held);
  Value index = strip(eval(*expr.index));
  if (base.isError() || index.isError())
    return {};
  if (base.kind == Kind::Array && index.kind == Kind::Int) {
    if (index.integer >= 0 && size_t(index.integer) < base.fields.size()) {
      Value element = *base.fields[index.integer].value;
      if (!index.dynamic.empty())
        element.dynamic = index.dynamic;
      return element;
    }
    return fail(expr.index->span(), "index " + llvm::Twine(index.integer) +
                                        " of an array of " +
                                        llvm::Twine(base.fields.size()));
  }
  if (base.kind == Kind::Array && index.kind == Kind::Range) {
    int64_t first = index.fields[0].value->integer;
    int64_t last = index.fields[1].value->integer;
    if (first >= 0 && first <= last && size_t(last) <= base.fields.size()) {
      Value part = base;
      part.fields.assign(base.fields.begin() + first,
                         base.fields.begin() + last);
      return part;
    }
  }
  return fail(expr.span(),
              describe(base) + " cannot be indexed by " + describe(index));
}

Value Evaluator::evalMacro(const ast::MacroExpr &expr,
                           const TypeRef &expected) {
  if (const ast::Expr *stands = program.expansionOf(expr))
    return eval(*stands, expected);
  std::string name = ast::toString(*expr.path);
  if (name == "vec") {
    if (expr.form == ast::MacroForm::Repeat) {
      Value element = eval(*expr.args[0]);
      auto count = evalInteger(*expr.args[1]);
      if (element.isError() || !count || *count < 0 || *count > 1 << 20)
        return {};
      return makeArray(std::vector<Value>(*count, element));
    }
    std::vector<Value> elements;
    for (const ast::Expr *arg : expr.args)
      elements.push_back(eval(*arg));
    return makeArray(std::move(elements));
  }
  if (name == "println" || name == "eprintln" || name == "print" ||
      name == "eprint" || name == "dbg")
    return makeUnit();
  StringRef base = name;
  base.consume_front("debug_");
  if (release == ast::Releases::V06 && !inConstant &&
      base.starts_with("assert"))
    return fail(expr.span(),
                "'" + name +
                    "!' when the kernel runs is not in release 0.6; "
                    "what is known before stands in 'const { " +
                    name + "!(..) }'");
  if (base == "assert" && !expr.args.empty()) {
    Value value = strip(eval(*expr.args[0]));
    if (value.isError() || (value.kind == Kind::Bool && value.boolean))
      return makeUnit();
    return fail(expr.span(),
                "assertion failed: " + ast::toString(*expr.args[0]));
  }
  if ((base == "assert_eq" || base == "assert_ne") && expr.args.size() >= 2) {
    Value value =
        binary(base == "assert_eq" ? ast::BinaryOp::Eq : ast::BinaryOp::Ne,
               eval(*expr.args[0]), eval(*expr.args[1]), expr.span());
    if (value.isError() || value.boolean)
      return makeUnit();
    return fail(expr.span(),
                "assertion failed: " + ast::toString(*expr.args[0]) +
                    (base == "assert_eq" ? " == " : " != ") +
                    ast::toString(*expr.args[1]));
  }
  if (name == "panic" || name == "todo" || name == "unimplemented" ||
      name == "unreachable")
    return fail(expr.span(), "the kernel comes to '" + name + "!' here");
  return fail(expr.span(), "macro '" + name + "!' has no meaning in a kernel");
}
