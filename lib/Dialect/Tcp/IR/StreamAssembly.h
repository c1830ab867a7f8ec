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

/// `custom<Stream>`: a stream type without its `!tcp.stream`, which would be said
/// on every line of a kernel.
mlir::ParseResult parseStream(mlir::OpAsmParser &parser, mlir::Type &type);
void printStream(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                 mlir::Type type);

/// `custom<Mapping>` for operations.
mlir::ParseResult parseMapping(mlir::OpAsmParser &parser,
                               stream::MappingAttr &mapping);
void printMapping(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                  stream::MappingAttr mapping);

/// Builds the type of a stage's result, verified; appends it to `inferred`.
mlir::LogicalResult
inferStream(std::optional<mlir::Location> loc, StreamType input, Stage stage,
            mlir::Type elementType, stream::MappingAttr row,
            stream::MappingAttr time, stream::MappingAttr packet,
            llvm::SmallVectorImpl<mlir::Type> &inferred);

/// The sub context moves data only (ERR-30).
mlir::LogicalResult verifyMainContext(mlir::Operation *op, StreamType input);

/// The type of the first operand as a stream; null (with an error) otherwise.
StreamType getInputStream(std::optional<mlir::Location> loc,
                          mlir::ValueRange operands);

} // namespace sequin::tcp

#endif // SEQUIN_LIB_DIALECT_TCP_IR_STREAMASSEMBLY_H
