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

/// `custom<TileStart>`: `2`, `%i`, `%i + 2`, or one start per chip in brackets.
mlir::ParseResult
parseTileStart(mlir::OpAsmParser &parser,
               std::optional<mlir::OpAsmParser::UnresolvedOperand> &index,
               mlir::DenseI64ArrayAttr &starts);
void printTileStart(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                    mlir::Value index, mlir::DenseI64ArrayAttr starts);

/// `custom<ViewOffset>`: `128`, `%i`, `%i * 512 + %j * -16 + 128`.
mlir::ParseResult parseViewOffset(
    mlir::OpAsmParser &parser,
    llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand> &indices,
    mlir::DenseI64ArrayAttr &steps, mlir::IntegerAttr &offset);
void printViewOffset(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                     mlir::OperandRange indices, mlir::DenseI64ArrayAttr steps,
                     mlir::IntegerAttr offset);

/// `custom<SameTypes>`: one type for all operands.
mlir::ParseResult
parseSameTypes(mlir::OpAsmParser &parser,
               llvm::ArrayRef<mlir::OpAsmParser::UnresolvedOperand> operands,
               llvm::SmallVectorImpl<mlir::Type> &types);
void printSameTypes(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                    mlir::OperandRange operands, mlir::TypeRange types);

/// `custom<VectorOperands>`: "(100 : i32)", "(stash)", "(2.0 : f32 | skip)".
mlir::ParseResult parseVectorOperands(mlir::OpAsmParser &parser,
                                      mlir::ArrayAttr &operands);
void printVectorOperands(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                         mlir::ArrayAttr operands);

/// `custom<Numbers>`: `[100, -100]`.
mlir::ParseResult parseNumbers(mlir::OpAsmParser &parser,
                               mlir::DenseI64ArrayAttr &numbers);
void printNumbers(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                  mlir::DenseI64ArrayAttr numbers);

/// The type of a stage's result from that of its input; rows are gone unless
/// `row` is given.
llvm::FailureOr<mlir::Type>
inferStream(std::optional<mlir::Location> loc, mlir::Value input, Stage stage,
            mlir::Type elementType, stream::MappingAttr time,
            stream::MappingAttr packet, stream::MappingAttr row = {});
/// The same stream out of another engine.
llvm::FailureOr<mlir::Type> inferStream(std::optional<mlir::Location> loc,
                                        mlir::Value input, Stage stage);

/// `grid` with other slices.
llvm::FailureOr<GridAttr> withSlices(std::optional<mlir::Location> loc,
                                     GridAttr grid, stream::MappingAttr slice);

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
