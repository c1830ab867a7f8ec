//===- TcpReduce.cpp - Intra-slice reduce in tcp programs -----------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SliceReduction.h"
#include "TcpInterpreter.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::reference;

static SliceReductionKind kindOf(tcp::IntraSliceReduceKind kind) {
  switch (kind) {
  case tcp::IntraSliceReduceKind::AddSat:
  case tcp::IntraSliceReduceKind::Add:
    return SliceReductionKind::Add;
  case tcp::IntraSliceReduceKind::Max:
    return SliceReductionKind::Max;
  case tcp::IntraSliceReduceKind::Min:
    return SliceReductionKind::Min;
  }
  llvm_unreachable("unknown reduction");
}

LogicalResult TcpInterpreter::run(tcp::VectorIntraSliceReduceOp op,
                                  Values &values) {
  FailureOr<Tensor> stream = get(op, op.getInput(), values);
  FailureOr<Layout> in = getLayout(op, op.getInput().getType());
  FailureOr<Layout> out = getLayout(op, op.getResult().getType());
  if (failed(stream) || failed(in) || failed(out))
    return failure();
  SliceReductionShape shape;
  shape.grid.append(in->mappings.begin(), in->mappings.begin() + 3);
  shape.time = in->mappings[3];
  shape.packet = in->mappings[4];
  shape.outTime = out->mappings[3];
  shape.outPacket = out->mappings[4];
  shape.kind = kindOf(op.getOp());
  shape.axis = -1;
  for (int axis = 0; axis < in->space->axisCount(); ++axis)
    if (in->space->axisName(axis) == op.getAxis())
      shape.axis = axis;
  if (shape.axis < 0)
    return op.emitOpError()
           << "reduces axis \"" << op.getAxis() << "\", which is not declared";
  llvm::Expected<Tensor> result = reduceInSlices(*in->space, shape, *stream);
  if (!result)
    return op.emitOpError() << llvm::toString(result.takeError());
  return define(op.getResult(), *result, values);
}
