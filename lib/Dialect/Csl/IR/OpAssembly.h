//===- OpAssembly.h - Custom directives of csl operations -------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Found by name from the generated parsers and printers. A directive that may
// print nothing writes its own leading space.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_DIALECT_CSL_IR_OPASSEMBLY_H
#define SEQUIN_LIB_DIALECT_CSL_IR_OPASSEMBLY_H

#include "mlir/IR/DialectImplementation.h"
#include "sequin/Dialect/Csl/IR/CslDialect.h"

namespace sequin::csl {

using MaybeOperand = std::optional<mlir::OpAsmParser::UnresolvedOperand>;

/// A number without its type.
inline mlir::ParseResult parseNumber(mlir::OpAsmParser &parser,
                                     mlir::IntegerAttr &value) {
  return parser.parseAttribute(value, parser.getBuilder().getIntegerType(16));
}
inline void printNumber(mlir::OpAsmPrinter &printer, mlir::Operation *,
                        mlir::IntegerAttr value) {
  printer << value.getValue().getZExtValue();
}

/// [keyword (number | %value)]
inline mlir::ParseResult parseField(mlir::OpAsmParser &parser,
                                    llvm::StringRef keyword,
                                    MaybeOperand &operand,
                                    mlir::IntegerAttr &number) {
  if (failed(parser.parseOptionalKeyword(keyword)))
    return mlir::success();
  mlir::OpAsmParser::UnresolvedOperand value;
  mlir::OptionalParseResult parsed = parser.parseOptionalOperand(value);
  if (parsed.has_value()) {
    operand = value;
    return *parsed;
  }
  return parser.parseAttribute(number, parser.getBuilder().getI64Type());
}
inline void printField(mlir::OpAsmPrinter &printer, mlir::Operation *,
                       llvm::StringRef keyword, mlir::Value operand,
                       mlir::IntegerAttr number) {
  if (operand)
    printer << ' ' << keyword << ' ' << operand;
  else if (number)
    printer << ' ' << keyword << ' ' << number.getInt();
}

/// [`on_control` (`terminate` | (`activate` | `unblock`) `(` %id `:` type `)`)]
inline mlir::ParseResult parseOnControl(mlir::OpAsmParser &parser,
                                        OnControlAttr &action,
                                        MaybeOperand &target,
                                        mlir::Type &type) {
  if (failed(parser.parseOptionalKeyword("on_control")))
    return mlir::success();
  mlir::FailureOr<OnControl> kind = mlir::FieldParser<OnControl>::parse(parser);
  if (failed(kind))
    return mlir::failure();
  action = OnControlAttr::get(parser.getContext(), *kind);
  if (*kind == OnControl::Terminate)
    return mlir::success();
  mlir::OpAsmParser::UnresolvedOperand value;
  if (parser.parseLParen() || parser.parseOperand(value) ||
      parser.parseColonType(type) || parser.parseRParen())
    return mlir::failure();
  target = value;
  return mlir::success();
}
inline void printOnControl(mlir::OpAsmPrinter &printer, mlir::Operation *,
                           OnControlAttr action, mlir::Value target,
                           mlir::Type type) {
  if (!action)
    return;
  printer << " on_control " << stringifyEnum(action.getValue());
  if (target)
    printer << '(' << target << " : " << type << ')';
}

} // namespace sequin::csl

#endif // SEQUIN_LIB_DIALECT_CSL_IR_OPASSEMBLY_H
