//===- TcpCommitOps.cpp - Cast and commit engines, VRF --------------------===//
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

FailureOr<Type> CastOp::inferResult(std::optional<Location> loc,
                                    Adaptor adaptor) {
  StreamType input = getStreamType(loc, adaptor.getInput());
  if (!input)
    return failure();
  return inferStream(loc, adaptor.getInput(), Stage::Cast,
                     adaptor.getElementType(), input.getTime(),
                     adaptor.getPacket());
}

LogicalResult CastOp::verify() {
  auto input = cast<StreamType>(getInput().getType());
  if (failed(verifyMainContext(*this, input)))
    return failure();
  auto output = cast<StreamType>(getResult().getType());
  int64_t flit = elementsIn(output.getElementType(), kFlitBytes);
  llvm::Expected<Mapping> expected = input.getPacketMapping().pad(flit);
  if (!expected)
    return emitOpError() << "cast from " << input.getElementType() << " to "
                         << output.getElementType() << ": "
                         << llvm::toString(expected.takeError());
  if (!output.getPacketMapping().isEquivalent(*expected))
    return emitOpError() << "packet is \"" << getPacket().getText()
                         << "\", expected \"" << expected->str()
                         << "\": the input packet padded to one flit of "
                         << flit << " " << output.getElementType()
                         << " elements";
  return success();
}

FailureOr<Type> ToVrfOp::inferResult(std::optional<Location> loc,
                                     Adaptor adaptor) {
  StreamType input = getStreamType(loc, adaptor.getInput());
  if (!input)
    return failure();
  return checkedType<VrfType>(loc, input.getContext(), input.getElementType(),
                              input.getGrid(), adaptor.getElement());
}

LogicalResult ToVrfOp::verify() {
  return verifyStored(*this, cast<StreamType>(getInput().getType()), Mapping(),
                      cast<VrfType>(getResult().getType()).getElementMapping());
}

FailureOr<Type> CommitOp::inferResult(std::optional<Location> loc,
                                      Adaptor adaptor) {
  StreamType input = getStreamType(loc, adaptor.getInput());
  if (!input)
    return failure();
  return checkedType<DmType>(loc, input.getContext(), input.getElementType(),
                             input.getGrid(), adaptor.getElement());
}

LogicalResult CommitOp::verify() {
  return inferCommitElements(*this, errorAt(*this));
}
