//===- TcpInterSliceOps.cpp - The inter-slice block -----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StreamAssembly.h"
#include "sequin/Dialect/Tcp/IR/TcpSwitchShapes.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::tcp;
using sequin::stream::MappingAttr;

FailureOr<Type>
VectorInterSliceReduceOp::inferResult(std::optional<Location> loc,
                                      Adaptor adaptor) {
  StreamType input = getStreamType(loc, adaptor.getInput());
  if (!input)
    return failure();
  FailureOr<GridAttr> grid =
      withSlices(loc, input.getGrid(), adaptor.getSlice());
  if (failed(grid))
    return failure();
  Stage stage = input.getStage() == Stage::VectorInit ? Stage::VectorInterFirst
                                                      : Stage::VectorIntraFirst;
  return checkedType<StreamType>(loc, input.getContext(),
                                 input.getExecutionContext(), stage,
                                 input.getElementType(), *grid, MappingAttr(),
                                 adaptor.getTime(), input.getPacket());
}

LogicalResult VectorInterSliceReduceOp::verify() {
  auto input = cast<StreamType>(getInput().getType());
  bool isFloat = input.getElementType().isF32();
  if (isFloat ? getOp() == InterSliceOp::AddSat : getOp() == InterSliceOp::Mul)
    return emitOpError() << stringifyInterSliceOp(getOp()) << " works on "
                         << (isFloat ? "i32" : "f32") << ", found a stream of "
                         << input.getElementType() << ", which has "
                         << (isFloat ? "Add, Max, Min and Mul"
                                     : "Add, AddSat, Max and Min");
  // Once in a pass (VEC-04). The vector engine has fewer stages than this; the
  // bound also ends on a cycle, which is refused only after the verifiers.
  constexpr int kMostStages = 64;
  Operation *before = getInput().getDefiningOp();
  for (int i = 0; before && i < kMostStages; ++i) {
    if (isa<VectorInterSliceReduceOp>(before)) {
      InFlightDiagnostic diag =
          emitOpError() << "is the second reduction over slices in a pass, the "
                           "inter-slice block comes once";
      diag.attachNote(before->getLoc()) << "first one here";
      return diag;
    }
    if (isa<VectorInitOp>(before) || before->getNumOperands() == 0)
      break;
    before = before->getOperand(0).getDefiningOp();
  }
  return inferInterSliceShape(*this, errorAt(*this));
}
