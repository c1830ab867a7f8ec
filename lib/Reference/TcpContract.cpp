//===- TcpContract.cpp - Contractions of tcp programs ---------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contraction.h"
#include "TcpInterpreter.h"
#include "sequin/Support/Arithmetic.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::reference;

LogicalResult TcpInterpreter::run(tcp::AccumulateOp op, Values &values) {
  auto contractOp = op.getInput().getDefiningOp<tcp::ContractOp>();
  auto alignOp = contractOp
                     ? contractOp.getInput().getDefiningOp<tcp::AlignOp>()
                     : nullptr;
  if (!alignOp)
    return op.emitOpError() << "is not preceded by tcp.align and tcp.contract";
  FailureOr<Tensor> stream = get(op, alignOp.getResult(), values);
  FailureOr<Tensor> weights = get(op, alignOp.getTrf(), values);
  auto aligned = cast<tcp::StreamType>(alignOp.getResult().getType());
  FailureOr<Layout> in = getLayout(op, aligned);
  if (failed(stream) || failed(weights) || failed(in))
    return failure();
  Space &space = *in->space;
  FailureOr<Digits> kept = read(contractOp, space, contractOp.getPacket());
  FailureOr<Digits> outTime = read(op, space, op.getTime());
  if (failed(kept) || failed(outTime))
    return failure();

  // The stationary operand must hold every index the packets pair it with.
  llvm::Expected<Tensor> paired = place(space, *weights, in->mappings);
  if (!paired)
    return alignOp.emitOpError()
           << "TRF: " << llvm::toString(paired.takeError());

  ContractionShape shape;
  shape.grid.append(in->mappings.begin(), in->mappings.begin() + 3);
  shape.row = in->mappings[3];
  shape.time = in->mappings[4];
  shape.packet = in->mappings[5];
  shape.kept = std::move(*kept);
  shape.outTime = std::move(*outTime);
  shape.sequential = op.getKind() == tcp::AccumulationKind::Sequential;
  shape.max = contractOp.getMax();
  llvm::Expected<Tensor> sum = contract(space, shape, *stream, *paired);
  if (!sum)
    return op.emitOpError() << llvm::toString(sum.takeError());
  return define(op.getResult(), *sum, values);
}
