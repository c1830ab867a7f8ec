//===- LinalgSoftmax.cpp - What linalg.softmax means ----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinalgValue.h"
#include "ScalarFunctions.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include <cmath>

using namespace mlir;
using namespace sequin;
using namespace sequin::reference;

/// exp(x - m) / l along one line, m being the largest x and l the sum of all
/// exp(x - m). Each is rounded to the type of the elements.
static void runLine(FloatRounding type, std::vector<Scalar> &line) {
  Scalar largest = flushOperand(line.front());
  for (const Scalar &element : line)
    largest = pickFloat(Extremum::Largest, /*keepsNan=*/false, largest,
                        flushOperand(element));
  double sum = 0, magnitude = 0, error = 0;
  for (Scalar &element : line) {
    element = apply(
        kExponential, type,
        flushOperand(subtractFloats(type, flushOperand(element), largest)));
    sum += element.value;
    magnitude += std::fabs(element.value);
    error += element.error;
  }
  Scalar total = finishSum(type, sum, magnitude, error, /*isIntegral=*/false,
                           static_cast<double>(line.size()) + 2);
  for (Scalar &element : line)
    element = divideFloats(type, element, total);
}

FailureOr<LinalgValue> sequin::reference::runSoftmax(linalg::SoftmaxOp op,
                                                     const LinalgValue &input) {
  if (op->getNumResults() != 1)
    return op.emitOpError() << "works on buffers, expected tensors";
  if (!input.isFloat)
    return op.emitOpError()
           << "takes numbers of " << input.type << ", expected floats";
  FailureOr<LinalgValue> result =
      makeValue(op, op->getResult(0).getType(), input.shape);
  if (failed(result))
    return failure();
  int64_t size = input.shape[op.getDimension()], step = 1;
  for (int64_t inner : ArrayRef(input.shape).drop_front(op.getDimension() + 1))
    step *= inner;
  std::vector<Scalar> line(size);
  SmallVector<int64_t> starts = input.shape;
  starts[op.getDimension()] = std::min<int64_t>(size, 1);
  forEachIndex(starts, [&](ArrayRef<int64_t> index) {
    int64_t at = 0;
    for (auto [position, extent] : llvm::zip_equal(index, input.shape))
      at = at * extent + position;
    for (int64_t i = 0; i < size; ++i)
      line[i] = input.get(at + i * step);
    runLine(roundingOf(input.type), line);
    for (int64_t i = 0; i < size; ++i)
      result->set(at + i * step, line[i]);
  });
  return result;
}
