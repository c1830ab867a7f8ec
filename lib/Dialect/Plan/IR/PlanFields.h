//===- PlanFields.h - Attributes from lists of fields -----------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `<extent = 64, reduced, tile = 8>`: fields that differ from their default in
// the order of the list, in any order when parsed; a name alone is `true`.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_DIALECT_PLAN_IR_PLANFIELDS_H
#define SEQUIN_LIB_DIALECT_PLAN_IR_PLANFIELDS_H

#include "mlir/IR/OpImplementation.h"
#include "sequin/Dialect/Plan/IR/PlanTypes.h"
#include "llvm/ADT/Hashing.h"

namespace sequin::plan {

/// Calls `visit(name, field, whether it names loops)` for every field.
template <class Visit> struct FieldVisitor {
  Visit visit;
  template <class T, class... Rest>
  void operator()(llvm::StringRef name, T &&field, Rest &&...rest) {
    using Field = std::remove_cvref_t<T>;
    if constexpr (requires { typename Field::IsLoopRef; })
      visit(name, field.loops, std::true_type());
    else
      visit(name, field, std::false_type());
    if constexpr (sizeof...(rest) > 0)
      (*this)(std::forward<Rest>(rest)...);
  }
};
struct Ignore {
  template <class... T> void operator()(T &&...) {}
};
template <class T, class Visit> void visitFields(T &value, Visit &&visit) {
  FieldVisitor<Visit &> visitor{visit};
  std::remove_const_t<T>::fields(value, visitor);
}
template <class T>
concept HasFields =
    requires(T &t, FieldVisitor<Ignore> &visitor) { T::fields(t, visitor); };

template <class T> constexpr bool kIsOptional = false;
template <class T> constexpr bool kIsOptional<std::optional<T>> = true;

template <class T> llvm::hash_code hashField(const T &value) {
  if constexpr (std::is_integral_v<T> || std::is_same_v<T, std::string>) {
    return llvm::hash_value(value);
  } else if constexpr (kIsOptional<T>) {
    return value ? hashField(*value) : llvm::hash_code(0);
  } else if constexpr (HasFields<T>) {
    llvm::hash_code code = 0;
    visitFields(value, [&](llvm::StringRef, const auto &field, auto) {
      code = llvm::hash_combine(code, hashField(field));
    });
    return code;
  } else {
    llvm::hash_code code = value.size();
    for (const auto &element : value)
      code = llvm::hash_combine(code, hashField(element));
    return code;
  }
}
template <HasFields T> llvm::hash_code hash_value(const T &value) {
  return hashField(value);
}

template <class T> void printFields(llvm::raw_ostream &os, const T &value);
template <class T>
mlir::ParseResult parseFields(mlir::AsmParser &parser, T &value);

template <bool isLoop = false, class T>
void printField(llvm::raw_ostream &os, const T &value) {
  if constexpr (std::is_same_v<T, bool>) {
    os << (value ? "true" : "false");
  } else if constexpr (std::is_integral_v<T>) {
    os << (isLoop ? "d" : "") << value;
  } else if constexpr (std::is_same_v<T, std::string>) {
    os << '"';
    llvm::printEscapedString(value, os);
    os << '"';
  } else if constexpr (kIsOptional<T>) {
    if (value)
      printField<isLoop>(os, *value);
  } else if constexpr (HasFields<T>) {
    os << '<';
    printFields(os, value);
    os << '>';
  } else {
    os << '[';
    llvm::interleaveComma(value, os, [&](const auto &element) {
      printField<isLoop>(os, element);
    });
    os << ']';
  }
}

/// Those that differ from their defaults.
template <class T> void printFields(llvm::raw_ostream &os, const T &value) {
  auto textOf = [](const auto &field, auto loop) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    printField<decltype(loop)::value>(stream, field);
    return text;
  };
  llvm::SmallVector<std::string> defaults;
  T none{};
  visitFields(none, [&](llvm::StringRef, auto &field, auto loop) {
    // A loop that must be there has no default.
    bool isLoop =
        decltype(loop)::value && std::is_same_v<decltype(field), LoopId &>;
    defaults.push_back(isLoop ? "" : textOf(field, loop));
  });
  const std::string *next = defaults.begin();
  llvm::ListSeparator separator;
  visitFields(value, [&](llvm::StringRef name, auto &field, auto loop) {
    std::string text = textOf(field, loop);
    if (text == *next++)
      return;
    os << separator << name;
    if (text != "true")
      os << " = " << text;
  });
}

template <bool isLoop = false, class T>
mlir::ParseResult parseField(mlir::AsmParser &parser, T &value) {
  if constexpr (std::is_same_v<T, std::string>) {
    return parser.parseString(&value);
  } else if constexpr (isLoop && std::is_integral_v<T>) {
    llvm::SMLoc at = parser.getCurrentLocation();
    llvm::StringRef name;
    if (parser.parseKeyword(&name))
      return mlir::failure();
    if (!name.consume_front("d") || name.getAsInteger(10, value))
      return parser.emitError(at, "expected a loop, as d0");
    return mlir::success();
  } else if constexpr (std::is_integral_v<T>) {
    return parser.parseInteger(value);
  } else if constexpr (kIsOptional<T>) {
    return parseField<isLoop>(parser, value.emplace());
  } else if constexpr (HasFields<T>) {
    return mlir::failure(parser.parseLess() || parseFields(parser, value) ||
                         parser.parseGreater());
  } else {
    value.clear();
    return parser.parseCommaSeparatedList(
        mlir::AsmParser::Delimiter::Square,
        [&] { return parseField<isLoop>(parser, value.emplace_back()); });
  }
}

template <class T>
mlir::ParseResult parseFields(mlir::AsmParser &parser, T &value) {
  llvm::SmallVector<llvm::StringRef> given;
  while (true) {
    llvm::SMLoc at = parser.getCurrentLocation();
    llvm::StringRef key;
    if (mlir::failed(given.empty() ? parser.parseOptionalKeyword(&key)
                                   : parser.parseKeyword(&key)))
      return mlir::failure(!given.empty());
    if (llvm::is_contained(given, key))
      return parser.emitError(at) << "'" << key << "' is given twice";
    given.push_back(key);
    std::optional<mlir::ParseResult> result;
    std::string known;
    visitFields(value, [&](llvm::StringRef name, auto &field, auto loop) {
      known += (known.empty() ? "" : ", ") + name.str();
      if (name != key)
        return;
      if constexpr (std::is_same_v<decltype(field), bool &>) {
        result = mlir::success();
        field = mlir::failed(parser.parseOptionalEqual()) ||
                mlir::succeeded(parser.parseOptionalKeyword("true"));
        if (!field)
          result = parser.parseKeyword("false");
      } else {
        result =
            mlir::failure(parser.parseEqual() ||
                          parseField<decltype(loop)::value>(parser, field));
      }
    });
    if (!result)
      return parser.emitError(at)
             << "'" << key << "' is none of the fields " << known;
    if (mlir::failed(*result) || mlir::failed(parser.parseOptionalComma()))
      return *result;
  }
}
template <class T> void printFields(mlir::AsmPrinter &printer, const T &value) {
  printFields(printer.getStream(), value);
}

} // namespace sequin::plan

#endif // SEQUIN_LIB_DIALECT_PLAN_IR_PLANFIELDS_H
