//===- TcpVector.cpp - The vector engine in tcp programs ------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TcpInterpreter.h"
#include "sequin/Support/Arithmetic.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::reference;

/// The operation of an enumerator, by its name: `Add` of the clip stage is the
/// float addition.
static FailureOr<BinaryOperation> lookUp(Operation *op, StringRef name,
                                         bool isFloat) {
  if (std::optional<BinaryOperation> operation =
          parseBinaryOperation(name, isFloat))
    return *operation;
  return op->emitOpError() << name
                           << " is not known to the reference interpreter";
}

template <typename OpTy>
LogicalResult TcpInterpreter::runBinary(OpTy op, StringRef name,
                                        Values &values) {
  auto type = cast<tcp::StreamType>(op.getInput().getType());
  FailureOr<BinaryOperation> operation =
      lookUp(op, name, type.getElementType().isF32());
  if (failed(operation))
    return failure();
  FailureOr<Tensor> stream = get(op, op.getInput(), values);
  FailureOr<Place> in = getPlace(op, op.getInput().getType());
  if (failed(stream) || failed(in))
    return failure();
  Tensor operand;
  if (op.getVrf()) {
    FailureOr<Tensor> vrf = get(op, op.getVrf(), values);
    if (failed(vrf))
      return failure();
    // Read by axis names over time and packet (SIL-32).
    llvm::Expected<Tensor> paired = place(*in->space, *vrf, in->mappings);
    if (!paired)
      return op.emitOpError() << "VRF: " << llvm::toString(paired.takeError());
    operand = std::move(*paired);
  } else if (Attribute constant = op.getConstantAttr()) {
    uint32_t bits;
    if (auto number = dyn_cast<FloatAttr>(constant))
      bits = static_cast<uint32_t>(
          number.getValue().bitcastToAPInt().getZExtValue());
    else
      bits = static_cast<uint32_t>(
          cast<IntegerAttr>(constant).getValue().getZExtValue());
    operand.type = stream->type;
    operand.bits = std::make_shared<std::vector<uint32_t>>(1, bits);
  } else {
    return op.emitOpError() << "has no second operand";
  }
  bool swapped = op.getMode() == tcp::ArgMode::Mode10;
  return define(op.getResult(),
                combine(*in->space, *operation, *stream, operand, swapped),
                values);
}

LogicalResult TcpInterpreter::run(tcp::VectorFxpOp op, Values &values) {
  return runBinary(op, stringifyFxpOp(op.getOp()), values);
}

LogicalResult TcpInterpreter::run(tcp::VectorFpBinaryOp op, Values &values) {
  return runBinary(op, stringifyFpBinaryOp(op.getOp()), values);
}

LogicalResult TcpInterpreter::run(tcp::VectorClipOp op, Values &values) {
  return runBinary(op, stringifyClipOp(op.getOp()), values);
}

LogicalResult TcpInterpreter::run(tcp::VectorFxpToFpOp op, Values &values) {
  FailureOr<Tensor> tensor = get(op, op.getInput(), values);
  if (failed(tensor))
    return failure();
  return define(op.getResult(), fxpToFloat(*tensor, op.getIntWidth()), values);
}

LogicalResult TcpInterpreter::run(tcp::VectorFpToFxpOp op, Values &values) {
  FailureOr<Tensor> tensor = get(op, op.getInput(), values);
  if (failed(tensor))
    return failure();
  return define(op.getResult(), floatToFxp(*tensor, op.getIntWidth()), values);
}
