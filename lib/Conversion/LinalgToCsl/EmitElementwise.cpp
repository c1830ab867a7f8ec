//===- EmitElementwise.cpp - Maps and local reductions --------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "VectorExpression.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::linalg_to_csl;

//===----------------------------------------------------------------------===//
// Accesses at a PE
//===----------------------------------------------------------------------===//

Elements Emitter::elementsOf(const LoopNest &op, const Access &access) {
  const Storage &storage = program.storages[access.storage];
  const LocalArray &array = plan.arrays[access.storage];
  Elements elements{storage.name, storage.element,
                    SmallVector<int64_t>(op.sizes.size(), 0), 0, Value()};
  int64_t stride = array.elements();
  for (unsigned d : array.order) {
    stride /= array.extents[d];
    int64_t at = access.offsets[d] + storage.nodes[d].origin + array.low[d];
    if (int loop = access.loops[d]; loop >= 0) {
      elements.strides[loop] += stride;
      at += getRange(plan, op, loop).first - op.nodes[loop].origin;
    }
    elements.offset += at * stride;
  }
  return elements;
}

Elements Emitter::resultOf(const LoopNest &op) {
  Access access;
  access.storage = op.result;
  access.loops.assign(op.resultLoops.begin(), op.resultLoops.end());
  access.offsets.assign(op.resultLoops.size(), 0);
  return elementsOf(op, access);
}

SmallVector<int64_t> Emitter::extentsOf(const LoopNest &op,
                                        ArrayRef<unsigned> order) {
  SmallVector<int64_t> extents;
  for (unsigned loop : order)
    extents.push_back(getRange(plan, op, loop).second);
  return extents;
}

Elements Emitter::reorder(const Elements &elements, ArrayRef<unsigned> order) {
  Elements result = elements;
  result.strides.clear();
  for (unsigned loop : order)
    result.strides.push_back(elements.strides[loop]);
  return result;
}

void Emitter::fill(StringRef name, Type element, int64_t elements,
                   TypedAttr value) {
  dsdOp(getMoveDsdOp(element), wholeDsd(name, element, elements),
        constantOf(value));
}

//===----------------------------------------------------------------------===//
// Scalar loops
//===----------------------------------------------------------------------===//

/// One iteration after another, for what the DSD unit does not have.
void Emitter::emitScalarLoops(const LoopNest &op) {
  SmallVector<unsigned> order;
  for (bool reduced : {true, false})
    for (unsigned loop = 0; loop < op.sizes.size(); ++loop)
      if (op.reduced[loop] == reduced)
        order.push_back(loop);
  SmallVector<std::pair<BlockArgument, Elements>> inputs;
  for (const Input &input : op.inputs)
    if (input.access)
      inputs.emplace_back(input.argument, elementsOf(op, *input.access));
  Elements result = resultOf(op);

  // A PE's block may reach beyond the iterations, where a sum must not.
  SmallVector<unsigned> bounded;
  if (op.isReduction())
    for (unsigned loop = 0; loop < op.sizes.size(); ++loop)
      if (op.reduced[loop] && hasRest(plan, op, loop))
        bounded.push_back(loop);

  llvm::DenseMap<unsigned, Value> positions;
  auto body = [&] {
    IRMapping mapping;
    for (auto &[argument, elements] : inputs)
      mapping.map(argument, load(elements));
    for (const Input &input : op.inputs)
      if (!input.access)
        mapping.map(input.argument, constantOf(input.constant));
    if (op.isReduction())
      mapping.map(op.op.getBody()->getArguments().back(), load(result));
    Value last = op.op.getBody()->getTerminator()->getOperand(0);
    if (!op.isReduction())
      last = op.expression;
    for (Operation &inner : op.op.getBody()->without_terminator()) {
      for (Value operand : inner.getOperands())
        if (TypedAttr constant; !mapping.contains(operand) &&
                                matchPattern(operand, m_Constant(&constant)))
          mapping.map(operand, constantOf(constant));
      builder.clone(inner, mapping);
    }
    TypedAttr constant;
    if (!mapping.contains(last) && matchPattern(last, m_Constant(&constant)))
      mapping.map(last, constantOf(constant));
    store(mapping.lookup(last), result);
  };
  std::function<void(size_t)> nest = [&](size_t depth) {
    if (depth == order.size()) {
      Value good;
      for (unsigned loop : bounded) {
        const Node &node = op.nodes[loop];
        const DimClass &cls = plan.classes[node.dim];
        // A tensor has more elements than 16 bits can number.
        Value at = arith::IndexCastOp::create(
            builder, loc, builder.getI32Type(), positions[loop]);
        Value pe = coordinate(cls.axis);
        if (!pe.getType().isInteger(32))
          pe = arith::ExtUIOp::create(builder, loc, builder.getI32Type(), pe);
        Value first = arith::MulIOp::create(builder, loc, pe, i32(cls.block));
        at = arith::AddIOp::create(builder, loc, at, first);
        at = arith::SubIOp::create(builder, loc, at, i32(node.origin));
        Value inside = compare(arith::CmpIPredicate::ult, at, op.sizes[loop]);
        good =
            good ? arith::AndIOp::create(builder, loc, good, inside).getResult()
                 : inside;
      }
      if (good)
        emitIf(good, body);
      else
        body();
      return;
    }
    unsigned loop = order[depth];
    emitFor(getRange(plan, op, loop).second, [&](Value iv) {
      auto before = inputs;
      Elements resultBefore = result;
      positions[loop] = iv;
      for (auto &[argument, elements] : inputs)
        elements = advance(elements, loop, iv);
      result = advance(result, loop, iv);
      nest(depth + 1);
      inputs = before;
      result = resultBefore;
    });
  };
  nest(0);
}

//===----------------------------------------------------------------------===//
// Maps
//===----------------------------------------------------------------------===//

/// The loops in the order of the result's memory.
static SmallVector<unsigned> getResultOrder(const Plan &plan,
                                            const LoopNest &op) {
  SmallVector<unsigned> order;
  for (unsigned d : plan.arrays[op.result].order)
    order.push_back(op.resultLoops[d]);
  return order;
}

LogicalResult Emitter::emitMap(const LoopNest &op) {
  if (!isVectorExpression(op)) {
    emitScalarLoops(op);
    return success();
  }
  SmallVector<unsigned> order = getResultOrder(plan, op);
  VectorExpression(*this, op, order).emitInto(reorder(resultOf(op), order));
  return success();
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// Whether what a PE has of the reduced value beyond the data is zero anyway:
/// an argument, as the host leaves it.
static bool isZeroOutside(const Program &program, const Plan &plan,
                          const LoopNest &op) {
  if (op.combiner != Combiner::Add)
    return false;
  for (const Input &input : op.inputs) {
    if (input.argument != op.expression || !input.access)
      continue;
    unsigned number = input.access->storage;
    const Storage &storage = program.storages[number];
    if (!storage.argument || storage.pad)
      return false;
    for (auto [node, extent] :
         llvm::zip(storage.nodes, plan.arrays[number].extents))
      if (extent != plan.classes[node.dim].block)
        return false;
    // A slice leaves elements beside it.
    for (auto [d, loop] : llvm::enumerate(input.access->loops))
      if (loop < 0 || op.sizes[loop] != storage.shape[d])
        return false;
    return true;
  }
  return false;
}

LogicalResult Emitter::emitReduce(const LoopNest &op) {
  const Storage &storage = program.storages[op.result];
  fill(storage.name, storage.element, plan.arrays[op.result].elements(),
       getNeutral(op.combiner, storage.element));
  if (!isVectorExpression(op)) {
    emitScalarLoops(op);
    return success();
  }
  // The kept loops inside: one operation whose destination stands still along
  // the reduced ones.
  SmallVector<unsigned> order;
  bool rest = false;
  for (unsigned loop = 0; loop < op.sizes.size(); ++loop)
    if (op.reduced[loop]) {
      order.push_back(loop);
      rest |= hasRest(plan, op, loop);
    }
  rest &= !isZeroOutside(program, plan, op);
  llvm::append_range(order, getResultOrder(plan, op));
  SmallVector<int64_t> extents = extentsOf(op, order);
  VectorExpression expression(*this, op, order);
  Elements source =
      rest ? expression.emitIntoTemporary() : expression.emitAnywhere();
  if (rest) {
    SmallVector<FilledDim> dims;
    for (auto [position, loop] : llvm::enumerate(order)) {
      const DimClass &cls = plan.classes[op.nodes[loop].dim];
      FilledDim dim{.extent = extents[position],
                    .stride = source.strides[position],
                    .block = extents[position],
                    .size = extents[position]};
      if (op.reduced[loop] && cls.isCut()) {
        dim.origin = op.nodes[loop].origin;
        dim.size = op.sizes[loop];
        dim.axis = cls.axis;
      }
      dims.push_back(dim);
    }
    fillOutside(source.var, source.element, dims,
                getNeutral(op.combiner, storage.element));
  }
  Elements result = reorder(resultOf(op), order);
  StringRef combine = *getCombinerDsdOp(op.combiner, storage.element);
  int64_t kept = 1;
  for (unsigned loop : op.resultLoops)
    kept *= getRange(plan, op, loop).second;
  if (kept == 1 && isa<FloatType>(storage.element)) {
    Value start = constantOf(getNeutral(op.combiner, storage.element));
    dsdOp(combine, pointerTo(result), {start, dsd(source, extents)});
  } else {
    dsdOp(combine, dsd(result, extents),
          {dsd(result, extents), dsd(source, extents)});
  }
  expression.release();
  return success();
}

/// The result of a reduction and what it starts from.
void Emitter::emitStart(const LoopNest &op) {
  const Storage &storage = program.storages[op.result];
  if (!op.start &&
      (!op.startConstant ||
       op.startConstant == getNeutral(op.combiner, storage.element)))
    return;
  // -0.0 + x is x as well.
  FloatAttr number = dyn_cast_if_present<FloatAttr>(op.startConstant);
  if (number && number.getValue().isZero() && op.combiner == Combiner::Add)
    return;
  SmallVector<unsigned> order = getResultOrder(plan, op);
  SmallVector<int64_t> extents = extentsOf(op, order);
  Elements result = reorder(resultOf(op), order);
  Elements start = result;
  if (op.start)
    start = reorder(elementsOf(op, *op.start), order);
  if (auto combine = getCombinerDsdOp(op.combiner, storage.element)) {
    Value other = op.start ? dsd(start, extents) : constantOf(op.startConstant);
    dsdOp(*combine, dsd(result, extents), {dsd(result, extents), other});
    return;
  }
  std::function<void(size_t, Elements, Elements)> nest =
      [&](size_t depth, Elements to, Elements from) {
        if (depth < order.size()) {
          emitFor(extents[depth], [&](Value iv) {
            nest(depth + 1, advance(to, depth, iv), advance(from, depth, iv));
          });
          return;
        }
        IRMapping mapping;
        mapping.map(op.combinerOp->getOperand(0), load(to));
        mapping.map(op.combinerOp->getOperand(1),
                    op.start ? load(from) : constantOf(op.startConstant));
        store(builder.clone(*op.combinerOp, mapping)->getResult(0), to);
      };
  nest(0, result, start);
}

LogicalResult Emitter::emitCompute(const Step &step) {
  const LoopNest &op = program.ops[step.op];
  LogicalResult result = success();
  switch (op.kind) {
  case OpKind::Map:
    return emitMap(op);
  case OpKind::Reduce:
    result = emitReduce(op);
    break;
  case OpKind::Contract:
    emitContract(op);
    break;
  }
  if (mlir::failed(result))
    return failure();
  emitReduction(op, step.paths);
  emitStart(op);
  return success();
}
