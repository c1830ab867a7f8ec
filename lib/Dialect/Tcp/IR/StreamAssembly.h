//===- StreamAssembly.h - Assembly of stream operands -----------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_DIALECT_TCP_IR_STREAMASSEMBLY_H
#define SEQUIN_LIB_DIALECT_TCP_IR_STREAMASSEMBLY_H

#include "sequin/Dialect/Tcp/IR/TcpDialect.h"

namespace sequin::tcp {

/// `custom<Stream>`: a stream type without its `!tcp.stream`, which would be
/// said on every line of a kernel.
mlir::ParseResult parseStream(mlir::OpAsmParser &parser, mlir::Type &type);
void printStream(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                 mlir::Type type);

/// `custom<Mapping>` for operations.
mlir::ParseResult parseMapping(mlir::OpAsmParser &parser,
                               stream::MappingAttr &mapping);
void printMapping(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                  stream::MappingAttr mapping);

/// The type of a stage's result from that of its input; rows are gone unless
/// `row` is given.
llvm::FailureOr<mlir::Type>
inferStream(std::optional<mlir::Location> loc, mlir::Value input, Stage stage,
            mlir::Type elementType, stream::MappingAttr time,
            stream::MappingAttr packet, stream::MappingAttr row = {});
/// The same stream out of another engine.
llvm::FailureOr<mlir::Type> inferStream(std::optional<mlir::Location> loc,
                                        mlir::Value input, Stage stage);

/// The type `T::get(arguments...)` if it is valid; an error at `loc` otherwise.
template <typename T, typename... Args>
llvm::FailureOr<mlir::Type> checkedType(std::optional<mlir::Location> loc,
                                        mlir::MLIRContext *context,
                                        Args... arguments) {
  auto emitError = [&] {
    return mlir::emitError(loc.value_or(mlir::UnknownLoc::get(context)));
  };
  if (T type = T::getChecked(emitError, context, arguments...))
    return mlir::Type(type);
  return mlir::failure();
}

/// The sub context moves data only (ERR-30).
mlir::LogicalResult verifyMainContext(mlir::Operation *op, StreamType input);

/// Whether the stream holds [major, minor] in that order.
mlir::LogicalResult verifyStored(mlir::Operation *op, StreamType stream,
                                 const Mapping &major, const Mapping &minor);

/// The error callback of an operation.
inline auto errorAt(mlir::Operation *op) {
  return [op] { return op->emitOpError(); };
}

/// The type of `value` as a stream; null (with an error) if it is none.
StreamType getStreamType(std::optional<mlir::Location> loc, mlir::Value value);

} // namespace sequin::tcp

#endif // SEQUIN_LIB_DIALECT_TCP_IR_STREAMASSEMBLY_H
