//===- TcpHbmViewOps.cpp - HBM tensors under other axes -------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StreamAssembly.h"
#include "sequin/Dialect/Tcp/IR/TcpShapes.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::tcp;

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

ParseResult
tcp::parseViewOffset(OpAsmParser &parser,
                     SmallVectorImpl<OpAsmParser::UnresolvedOperand> &indices,
                     DenseI64ArrayAttr &steps, IntegerAttr &offset) {
  SmallVector<int64_t, 4> factors;
  int64_t constant = 0;
  do {
    OpAsmParser::UnresolvedOperand operand;
    OptionalParseResult parsed = parser.parseOptionalOperand(operand);
    if (!parsed.has_value()) {
      int64_t value;
      SMLoc where = parser.getCurrentLocation();
      if (parser.parseInteger(value))
        return failure();
      if (llvm::AddOverflow(constant, value, constant))
        return parser.emitError(where, "offset does not fit in 64 bits");
      continue;
    }
    if (failed(*parsed))
      return failure();
    indices.push_back(operand);
    int64_t &factor = factors.emplace_back(1);
    if (succeeded(parser.parseOptionalStar()) && parser.parseInteger(factor))
      return failure();
  } while (succeeded(parser.parseOptionalPlus()));
  steps = parser.getBuilder().getDenseI64ArrayAttr(factors);
  offset = parser.getBuilder().getI64IntegerAttr(constant);
  return success();
}

void tcp::printViewOffset(OpAsmPrinter &printer, Operation *,
                          OperandRange indices, DenseI64ArrayAttr steps,
                          IntegerAttr offset) {
  bool first = true;
  // An operation that does not verify is printed too.
  for (auto [index, step] : llvm::zip(indices, steps.asArrayRef())) {
    printer << (first ? "" : " + ") << index;
    if (step != 1)
      printer << " * " << step;
    first = false;
  }
  if (first || offset.getInt() != 0)
    printer << (first ? "" : " + ") << offset.getInt();
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

/// The first and the last position that hold data; std::nullopt if none does.
static std::optional<std::pair<int64_t, int64_t>>
dataRange(const Mapping &mapping) {
  int64_t first = 0, last = 0, stride = mapping.size();
  for (const Factor &factor : mapping.factors()) {
    stride /= factor.extent;
    first += factor.first * stride;
    last += (factor.first + factor.valid - 1) * stride;
  }
  // Digits together may leave their axis. What is found after so many positions
  // counts as data.
  constexpr int64_t kMostSteps = 1 << 20;
  for (int64_t i = 0; i < kMostSteps && first <= last && !mapping.at(first);
       ++i)
    ++first;
  for (int64_t i = 0; i < kMostSteps && last >= first && !mapping.at(last); ++i)
    --last;
  if (first > last)
    return std::nullopt;
  return std::pair(first, last);
}

FailureOr<int64_t> tcp::checkHbmView(HbmType tensor, HbmType view,
                                     int64_t offset, EmitError emitError) {
  Mapping whole = tensor.getElementMapping(), part = view.getElementMapping();
  // Without looking at the padding first.
  if (offset < 0 || offset > whole.size() - part.size())
    if (auto range = dataRange(part)) {
      auto first = llvm::checkedAdd(offset, range->first);
      auto last = llvm::checkedAdd(offset, range->second);
      if (!first || !last || *first < 0 || *last >= whole.size()) {
        InFlightDiagnostic diag = emitError() << "views positions ";
        if (first && last)
          diag << "[" << *first << ", " << *last + 1 << ")";
        else
          diag << "from " << offset;
        return diag << " of \"" << tensor.getElement().getText()
                    << "\", which has " << whole.size();
      }
    }
  auto bits = llvm::checkedMul<int64_t>(
      offset, getBitWidth(*getElementKind(tensor.getElementType())));
  if (!bits || *bits % 8 != 0)
    return emitError() << "starts at element " << offset
                       << " of the buffer, which is no whole byte";
  return *bits / 8;
}

namespace {
/// Padding that holds zeros, and where.
struct Zeros {
  int64_t extent, first, valid, stride;
  bool operator==(const Zeros &) const = default;
};
} // namespace

static SmallVector<Zeros, 2> zerosOf(const Mapping &mapping) {
  SmallVector<Zeros, 2> zeros;
  int64_t stride = mapping.size();
  for (const Factor &factor : mapping.factors()) {
    stride /= factor.extent;
    if (factor.isPadded() && factor.padding == PaddingKind::Zero)
      zeros.push_back({factor.extent, factor.first, factor.valid, stride});
  }
  return zeros;
}

/// Zeros are where the tensor has them: a view that starts at the beginning of
/// such a dimension sees the same ones.
static LogicalResult checkZeros(Operation *op, HbmType tensor, HbmType view,
                                int64_t offset, ArrayRef<int64_t> steps,
                                bool writes) {
  SmallVector<Zeros, 2> has = zerosOf(tensor.getElementMapping());
  SmallVector<Zeros, 2> shows = zerosOf(view.getElementMapping());
  for (const Zeros &zeros : shows) {
    if (!llvm::is_contained(has, zeros))
      return op->emitOpError()
             << "view \"" << view.getElement().getText()
             << "\" has zero padding, \"" << tensor.getElement().getText()
             << "\" has none like it";
    int64_t period = zeros.extent * zeros.stride;
    for (int64_t step : llvm::concat<const int64_t>(steps, ArrayRef(offset)))
      if (step % period != 0)
        return op->emitOpError()
               << "moves a view with zero padding by " << step
               << " elements, allowed are multiples of " << period;
  }
  for (const Zeros &zeros : has)
    if (writes && !llvm::is_contained(shows, zeros))
      return op->emitOpError()
             << "destination \"" << tensor.getElement().getText()
             << "\" has zero padding that the view \""
             << view.getElement().getText() << "\" does not have";
  return success();
}

/// What the two operations have in common.
template <typename OpTy>
static LogicalResult verifyView(OpTy op, HbmType tensor, HbmType view,
                                bool writes) {
  if (tensor.getElementType() != view.getElementType())
    return op.emitOpError() << "views " << tensor.getElementType()
                            << " elements as " << view.getElementType();
  if (tensor.getChipMapping().size() != view.getChipMapping().size())
    return op.emitOpError()
           << "view is on " << view.getChipMapping().size()
           << " chips, the tensor on " << tensor.getChipMapping().size();
  if (op.getIndices().size() != op.getSteps().size())
    return op.emitOpError() << "has " << op.getSteps().size() << " steps for "
                            << op.getIndices().size() << " indices";
  int64_t offset = static_cast<int64_t>(op.getOffset());
  // What follows an index is known when the program is configured.
  if (op.getIndices().empty() &&
      failed(checkHbmView(tensor, view, offset, errorAt(op))))
    return failure();
  return checkZeros(op, tensor, view, offset, op.getSteps(), writes);
}

LogicalResult ViewOp::verify() {
  return verifyView(*this, getSource().getType(), getResult().getType(),
                    /*writes=*/false);
}

LogicalResult ToHbmViewOp::verify() {
  auto view = cast<HbmType>(getView());
  Type input = getInput().getType();
  Type element = isa<HbmType>(input) ? cast<HbmType>(input).getElementType()
                                     : cast<DmType>(input).getElementType();
  if (element != view.getElementType())
    return emitOpError() << "moves " << element << " elements to a view of "
                         << view.getElementType();
  if (getAxes(input) != view.getAxes())
    return emitOpError() << "source has axes " << getAxes(input)
                         << ", the view " << view.getAxes();
  return verifyView(*this, getDestination().getType(), view, /*writes=*/true);
}
