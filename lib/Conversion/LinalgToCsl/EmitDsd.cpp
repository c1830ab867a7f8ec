//===- EmitDsd.cpp - DSDs and operations on them --------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::linalg_to_csl;

Value Emitter::dsd(const Elements &elements, ArrayRef<int64_t> extents) {
  // Loops of one iteration are none; neighbours that continue each other are
  // one.
  SmallVector<int64_t> lengths, strides;
  for (auto [length, stride] : llvm::zip(extents, elements.strides)) {
    if (length == 1)
      continue;
    if (!lengths.empty() && strides.back() == stride * length) {
      lengths.back() *= length;
      strides.back() = stride;
      continue;
    }
    lengths.push_back(length);
    strides.push_back(stride);
  }
  if (lengths.empty()) {
    lengths.push_back(1);
    strides.push_back(1);
  }
  Value base = var(elements.var);
  Value offset;
  IntegerAttr staticOffset;
  if (elements.dynamic) {
    Value sum = elements.dynamic;
    if (elements.offset)
      sum = arith::AddIOp::create(builder, loc, sum, index(elements.offset));
    offset =
        arith::IndexCastOp::create(builder, loc, builder.getI16Type(), sum);
  } else if (elements.offset) {
    staticOffset = builder.getI64IntegerAttr(elements.offset);
  }
  auto in = [](int64_t value, unsigned bits) {
    return llvm::isIntN(bits, value);
  };
  if (lengths.size() == 1 && in(strides[0], machine.dsd.mem1dStrideBits)) {
    auto type =
        csl::DsdType::get(builder.getContext(), csl::DescriptorKind::Mem1d);
    IntegerAttr stride;
    if (strides[0] != 1)
      stride = builder.getI64IntegerAttr(strides[0]);
    return csl::Mem1dDsdOp::create(builder, loc, type, base, Value(), Value(),
                                   offset,
                                   builder.getI64IntegerAttr(lengths[0]),
                                   stride, staticOffset, csl::AccessAttr(),
                                   /*index_offset=*/UnitAttr());
  }
  if (lengths.size() > machine.dsd.mem4dDimensions) {
    failed = true;
    mlir::emitError(loc) << "runs over " << lengths.size()
                         << " dimensions that are not contiguous, a DSD has "
                         << machine.dsd.mem4dDimensions;
    return Value();
  }
  // Stored strides, innermost first: what the address changes by when a loop
  // advances and the faster ones begin again.
  SmallVector<int64_t> stored;
  int64_t travel = 0;
  for (size_t d = lengths.size(); d-- > 0;) {
    stored.push_back(strides[d] - travel);
    travel += strides[d] * (lengths[d] - 1);
    if (in(stored.back(), machine.dsd.mem4dStrideBits))
      continue;
    failed = true;
    mlir::emitError(loc) << "needs a DSD of stride " << stored.back()
                         << ", which does not fit "
                         << machine.dsd.mem4dStrideBits << " bits";
    return Value();
  }
  auto type =
      csl::DsdType::get(builder.getContext(), csl::DescriptorKind::Mem4d);
  return csl::Mem4dDsdOp::create(
      builder, loc, type, base, offset, builder.getDenseI64ArrayAttr(lengths),
      builder.getDenseI64ArrayAttr(stored), staticOffset, csl::AccessAttr(),
      /*index_offset=*/UnitAttr());
}

Value Emitter::wholeDsd(StringRef name, Type element, int64_t elements,
                        int64_t offset) {
  return dsd({name.str(), element, {1}, offset, Value()}, {elements});
}

Value Emitter::fabin(const Channel &channel, int64_t elements) {
  MLIRContext *context = builder.getContext();
  Value queue =
      csl::ConstantOp::create(builder, loc, csl::InputQueueType::get(context),
                              int64_t(channel.inputQueue));
  return csl::FabinDsdOp::create(
      builder, loc, csl::DsdType::get(context, csl::DescriptorKind::Fabin),
      queue, Value(), Value(), builder.getI64IntegerAttr(elements),
      csl::PriorityAttr(), csl::SimdModeAttr(), UnitAttr());
}

Value Emitter::fabout(const Channel &channel, int64_t elements, bool control) {
  MLIRContext *context = builder.getContext();
  Value queue =
      csl::ConstantOp::create(builder, loc, csl::OutputQueueType::get(context),
                              int64_t(channel.outputQueue));
  Value color;
  if (!machine.outputQueueColor) {
    if (channel.colors > 1)
      color = param(channel.name() + "_tx");
    else
      color = csl::ConstantOp::create(
          builder, loc, csl::ColorType::get(context), int64_t(channel.color));
  }
  return csl::FaboutDsdOp::create(
      builder, loc, csl::DsdType::get(context, csl::DescriptorKind::Fabout),
      queue, color, Value(), builder.getI64IntegerAttr(elements),
      csl::PriorityAttr(), csl::SimdModeAttr(), csl::ZeroSourceAttr(),
      control ? builder.getUnitAttr() : UnitAttr(), UnitAttr(), UnitAttr(),
      UnitAttr());
}

void Emitter::dsdOp(StringRef name, Value dest, ValueRange sources,
                    Async options) {
  if (!dest || llvm::is_contained(sources, Value()))
    return; // an error was given
  OperationState state(loc, ("csl." + name).str());
  state.addOperands(dest);
  state.addOperands(sources);
  if (options.activate)
    state.addOperands(options.activate);
  if (options.unblock)
    state.addOperands(options.unblock);
  state.addAttribute(
      "operandSegmentSizes",
      builder.getDenseI32ArrayAttr({1, static_cast<int32_t>(sources.size()),
                                    options.activate ? 1 : 0,
                                    options.unblock ? 1 : 0, 0, 0}));
  if (options.async)
    state.addAttribute("async", builder.getUnitAttr());
  state.addTypes(builder.getI1Type());
  builder.create(state);
}

//===----------------------------------------------------------------------===//
// Single elements
//===----------------------------------------------------------------------===//

Elements Emitter::advance(const Elements &elements, unsigned loop, Value iv) {
  Elements result = elements;
  int64_t stride = elements.strides[loop];
  if (stride == 0 || !iv)
    return result;
  IntegerAttr known;
  if (matchPattern(iv, m_Constant(&known))) {
    result.offset += known.getInt() * stride;
    return result;
  }
  Value term = iv;
  if (stride != 1)
    term = arith::MulIOp::create(builder, loc, iv, index(stride));
  result.dynamic =
      elements.dynamic
          ? arith::AddIOp::create(builder, loc, elements.dynamic, term)
                .getResult()
          : term;
  return result;
}

static Value indexOf(OpBuilder &builder, Location loc,
                     const Elements &elements) {
  Value constant =
      arith::ConstantIndexOp::create(builder, loc, elements.offset);
  if (!elements.dynamic)
    return constant;
  if (!elements.offset)
    return elements.dynamic;
  return arith::AddIOp::create(builder, loc, elements.dynamic, constant);
}

Value Emitter::pointerTo(const Elements &elements) {
  return csl::AddressOfOp::create(
      builder, loc, csl::PtrType::get(elements.element), var(elements.var),
      indexOf(builder, loc, elements));
}

Value Emitter::load(const Elements &elements) {
  return memref::LoadOp::create(builder, loc, var(elements.var),
                                indexOf(builder, loc, elements));
}

void Emitter::store(Value value, const Elements &elements) {
  memref::StoreOp::create(builder, loc, value, var(elements.var),
                          indexOf(builder, loc, elements));
}
