//===- TcpContractOps.cpp - Aligner and contraction engine ----------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StreamAssembly.h"
#include "sequin/Dialect/Tcp/IR/TcpShapes.h"
#include "sequin/Machine/TcpIsa.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::tcp;
using namespace sequin::tcp_isa;
using sequin::stream::MappingAttr;

FailureOr<Type> ToTrfOp::inferResult(std::optional<Location> loc,
                                     Adaptor adaptor) {
  StreamType input = getStreamType(loc, adaptor.getInput());
  if (!input)
    return failure();
  return checkedType<TrfType>(loc, input.getContext(), input.getElementType(),
                              input.getGrid(), adaptor.getRow(),
                              adaptor.getElement());
}

/// Whether `mapping` says of padding that it is zero.
static bool hasZeroPadding(const Mapping &mapping) {
  return llvm::any_of(mapping.factors(), [](const Factor &factor) {
    return factor.isPadded() && factor.padding == PaddingKind::Zero;
  });
}

LogicalResult ToTrfOp::verify() {
  auto input = cast<StreamType>(getInput().getType());
  auto output = cast<TrfType>(getResult().getType());
  if (failed(verifyStored(*this, input, output.getRowMapping(),
                          output.getElementMapping())))
    return failure();
  // Padding that only the register file calls zero would be whatever the stream
  // brings (CON-10).
  if (hasZeroPadding(output.getElementMapping()) &&
      !hasZeroPadding(input.getTimeMapping()) &&
      !hasZeroPadding(input.getPacketMapping()))
    return emitOpError() << "element mapping \"" << getElement().getText()
                         << "\" has zero padding, the padding of the stream \""
                         << input.getTime().getText() << "\", \""
                         << input.getPacket().getText() << "\" may be anything";
  return success();
}

FailureOr<Type> AlignOp::inferResult(std::optional<Location> loc,
                                     Adaptor adaptor) {
  StreamType input = getStreamType(loc, adaptor.getInput());
  auto trf = dyn_cast<TrfType>(adaptor.getTrf().getType());
  if (!input)
    return failure();
  if (!trf)
    return emitOptionalError(loc, "expects a TRF tensor");
  return inferStream(loc, adaptor.getInput(), Stage::Align,
                     input.getElementType(), adaptor.getTime(),
                     adaptor.getPacket(), trf.getRow());
}

LogicalResult AlignOp::verify() {
  auto input = cast<StreamType>(getInput().getType());
  if (failed(verifyMainContext(*this, input)))
    return failure();
  TrfType trf = getTrf().getType();
  if (input.getElementType() != trf.getElementType())
    return emitOpError() << "stream has element type " << input.getElementType()
                         << ", the TRF tensor " << trf.getElementType();
  if (input.getGrid() != trf.getGrid())
    return emitOpError() << "stream is spread as " << input.getGrid()
                         << ", the TRF tensor as " << trf.getGrid();
  return inferAlignShape(*this, errorAt(*this));
}

FailureOr<Type> ContractOp::inferResult(std::optional<Location> loc,
                                        Adaptor adaptor) {
  StreamType input = getStreamType(loc, adaptor.getInput());
  if (!input)
    return failure();
  Type accumulator = getAccumulatorType(input.getElementType());
  if (!accumulator)
    return emitOptionalError(loc, "element type ", input.getElementType(),
                             " cannot be contracted, allowed are i4, i5, i8, "
                             "i9, f8E4M3FN, f8E5M2 and bf16");
  return inferStream(loc, adaptor.getInput(), Stage::Contract, accumulator,
                     input.getTime(), adaptor.getPacket(), input.getRow());
}

LogicalResult ContractOp::verify() {
  auto input = cast<StreamType>(getInput().getType());
  if (int64_t rows = input.getRowMapping().size();
      getMax() && rows > kMaxReduceRows)
    return emitOpError() << "has " << rows << " rows (\""
                         << input.getRow().getText() << "\"), reduce-max uses "
                         << kMaxReduceRows;
  return inferTreeDepth(*this, errorAt(*this));
}

FailureOr<Type> AccumulateOp::inferResult(std::optional<Location> loc,
                                          Adaptor adaptor) {
  StreamType input = getStreamType(loc, adaptor.getInput());
  if (!input)
    return failure();
  return inferStream(loc, adaptor.getInput(), Stage::Accumulate,
                     input.getElementType(), adaptor.getTime(),
                     adaptor.getPacket());
}

LogicalResult AccumulateOp::verify() {
  return inferAccumulateShape(*this, errorAt(*this));
}
