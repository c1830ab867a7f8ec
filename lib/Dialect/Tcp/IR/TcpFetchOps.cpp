//===- TcpFetchOps.cpp - Fetch engine -------------------------------------===//
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

FailureOr<Type> BeginOp::inferResult(std::optional<Location> loc,
                                     Adaptor adaptor) {
  auto input = dyn_cast<DmType>(adaptor.getInput().getType());
  if (!input)
    return emitOptionalError(loc, "expects a DM tensor");
  MLIRContext *context = input.getContext();
  return checkedType<StreamType>(
      loc, context, adaptor.getExecutionContext(), Stage::Begin,
      input.getElementType(), input.getGrid(), MappingAttr(),
      MappingAttr::get(context, "1"), input.getElement());
}

LogicalResult BeginOp::verify() { return success(); }

FailureOr<Type> FetchOp::inferResult(std::optional<Location> loc,
                                     Adaptor adaptor) {
  return inferStream(loc, adaptor.getInput(), Stage::Fetch,
                     adaptor.getElementType(), adaptor.getTime(),
                     adaptor.getPacket());
}

LogicalResult FetchOp::verify() {
  auto output = cast<StreamType>(getResult().getType());
  int64_t size = output.getPacketMapping().size();
  int64_t bits = getBitWidth(*getElementKind(output.getElementType()));
  int64_t bytes = output.getPacketBytes();
  // Only the last bits of the size matter, which cannot overflow.
  if (size % 8 * bits % 8 != 0)
    return emitOpError() << "packet \"" << getPacket().getText() << "\" has "
                         << size * bits
                         << " bits, a fetch packet is a multiple of "
                         << kFetchAlignBytes << " bytes";
  if (bytes % kFetchAlignBytes != 0)
    return emitOpError() << "packet \"" << getPacket().getText() << "\" has "
                         << bytes << " bytes, a fetch packet is a multiple of "
                         << kFetchAlignBytes << " bytes";
  return success();
}
