//===- TcpOpBase.td - Base classes of tcp operations -------*- tablegen -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_DIALECT_TCP_IR_TCPOPBASE
#define SEQUIN_DIALECT_TCP_IR_TCPOPBASE

include "sequin/Dialect/Tcp/IR/TcpDialect.td"
include "sequin/Dialect/Tcp/IR/TcpAttrs.td"
include "sequin/Dialect/Tcp/IR/TcpTypes.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

class Tcp_Op<string mnemonic, list<Trait> traits = []>
    : Op<TcpDialect, mnemonic, traits>;

/// An operation on a stream whose result follows from its operands and mappings.
/// Streams are consumed once and in program order, so none of these is pure.
class Tcp_StageOp<string mnemonic, list<Trait> traits = []>
    : Tcp_Op<mnemonic,
             !listconcat(traits, [DeclareOpInterfaceMethods<InferTypeOpInterface>])> {
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The type of the result, verified; fails with an error at `loc`.
    static ::llvm::FailureOr<::mlir::Type>
    inferResult(std::optional<::mlir::Location> loc, Adaptor adaptor);
  }];
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *, std::optional<::mlir::Location> loc,
        ::mlir::ValueRange operands, ::mlir::DictionaryAttr attributes,
        ::mlir::OpaqueProperties properties, ::mlir::RegionRange regions,
        ::llvm::SmallVectorImpl<::mlir::Type> &inferred) {
      ::llvm::FailureOr<::mlir::Type> type = inferResult(
          loc, Adaptor(operands, attributes, properties, regions));
      if (::mlir::failed(type))
        return ::mlir::failure();
      inferred.push_back(*type);
      return ::mlir::success();
    }
  }];
}

#endif // SEQUIN_DIALECT_TCP_IR_TCPOPBASE
