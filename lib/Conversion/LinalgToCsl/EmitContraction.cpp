//===- EmitContraction.cpp - Local products -------------------------------===//
//---------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::linalg_to_csl;

/// Iterations of the innermost loop that are unrolled.
static constexpr int64_t kUnrolled = 16;
/// Where there are not many more, all of them.
static constexpr int64_t kUnrolledWhole = 32;

//===----------------------------------------------------------------------===//
// Element by element
//===----------------------------------------------------------------------===//

void Emitter::emitScalarProduct(const Product &product) {
  // The loops of the body's operations, reduced ones outside.
  SmallVector<unsigned> order;
  for (bool reduced : {true, false})
    for (unsigned loop = 0; loop < product.extents.size(); ++loop)
      if (product.reduced[loop] == reduced)
        order.push_back(loop);
  const LoopNest &op = *product.op;
  std::function<void(size_t, Elements, Elements, Elements)> nest =
      [&](size_t depth, Elements dest, Elements left, Elements right) {
        if (depth < order.size()) {
          unsigned loop = order[depth];
          emitFor(product.extents[loop], [&](Value iv) {
            nest(depth + 1, advance(dest, loop, iv), advance(left, loop, iv),
                 advance(right, loop, iv));
          });
          return;
        }
        IRMapping mapping;
        mapping.map(op.inputs[op.left].argument, load(left));
        mapping.map(op.inputs[op.right].argument, load(right));
        mapping.map(op.op.getBody()->getArguments().back(), load(dest));
        for (Operation &inner : op.op.getBody()->without_terminator())
          builder.clone(inner, mapping);
        store(mapping.lookup(op.combinerOp->getResult(0)), dest);
      };
  nest(0, product.dest, product.left, product.right);
}

//===----------------------------------------------------------------------===//
// By DSDs
//===----------------------------------------------------------------------===//

static std::optional<StringRef> getFmac(Type dest, Type left, Type right) {
  bool half = left.isF16() || left.isBF16();
  if (left != right)
    return std::nullopt;
  if (dest.isF32() && left.isF32())
    return StringRef("fmacs");
  if (dest.isF32() && half)
    return StringRef("fmachs");
  if (dest == left && half)
    return StringRef("fmach");
  return std::nullopt;
}

namespace sequin::linalg_to_csl {
/// A product as DSD operations: one loop of the result and of one operand runs
/// in the DSD, the other operand's element is the scalar.
class ProductEmitter {
public:
  ProductEmitter(Emitter &emitter, const Emitter::Product &product)
      : emitter(emitter), builder(emitter.builder), loc(emitter.loc),
        product(product) {}

  /// Whether there is such an operation and such a loop.
  bool choose();
  void emit();

private:
  /// How a DSR comes from one iteration of the inner loop to the next.
  enum class Follow { Fixed, Itself, Set };

  unsigned numLoops() const { return product.extents.size(); }
  /// Whether the stride fits into a one-dimensional DSD.
  bool isShort(int64_t stride) const {
    return llvm::isIntN(emitter.machine.dsd.mem1dStrideBits, stride);
  }
  int chooseVector() const;
  int chooseInner() const;
  Follow getFollow(const Elements &elements) const;
  Value getRow(const Elements &elements);

  void emitNest(size_t depth, const Elements &dest, const Elements &vec,
                const Elements &scalar);
  void emitInnermost(const Elements &dest, const Elements &vec,
                     const Elements &scalar);
  void emitUnrolled(const Elements &dest, const Elements &vec,
                    const Elements &scalar, Value base, int64_t count);
  void emitOne(const Elements &dest, const Elements &vec, Value factor);
  void loadRegisters(const Elements &dest, const Elements &vec);

  Emitter &emitter;
  OpBuilder &builder;
  Location loc;
  const Emitter::Product &product;

  StringRef fmac;
  Elements vec, scalar; ///< the operands
  int vector = -1;      ///< the loop in the DSD
  int inner = -1;       ///< the loop around it
  SmallVector<unsigned> outer;
  int64_t length = 0; ///< of the DSD
  bool usesRegisters = false;
  Follow followDest = Follow::Fixed, followVec = Follow::Fixed;
  Value registers[3]; ///< destination, the same as source, the vector
};
} // namespace sequin::linalg_to_csl

int ProductEmitter::chooseVector() const {
  int vector = -1;
  int64_t best = 0;
  for (unsigned loop = 0; loop < numLoops(); ++loop) {
    bool left = product.left.strides[loop], right = product.right.strides[loop];
    if (product.reduced[loop] || left == right || product.extents[loop] < 2)
      continue;
    const Elements &from = left ? product.left : product.right;
    int64_t stride = product.dest.strides[loop];
    int64_t score = 4 * product.extents[loop];
    if (!isShort(stride) || !isShort(from.strides[loop]))
      score /= 2;
    score += stride == 1;
    if (score > best) {
      best = score;
      vector = loop;
    }
  }
  return vector;
}

/// Another loop of the result, over which the vector stands still, else a
/// reduced one.
int ProductEmitter::chooseInner() const {
  int inner = -1, rank = 0;
  for (unsigned loop = 0; loop < numLoops(); ++loop) {
    if (int(loop) == vector || product.extents[loop] < 2)
      continue;
    int quality = !product.reduced[loop] && !vec.strides[loop] ? 3
                  : product.reduced[loop]                      ? 2
                                                               : 1;
    if (quality > rank ||
        (quality == rank && product.extents[loop] > product.extents[inner])) {
      inner = loop;
      rank = quality;
    }
  }
  return inner;
}

ProductEmitter::Follow
ProductEmitter::getFollow(const Elements &elements) const {
  int64_t step = inner < 0 ? 0 : elements.strides[inner];
  if (step == 0)
    return Follow::Fixed;
  return step == length * elements.strides[vector] ? Follow::Itself
                                                   : Follow::Set;
}

bool ProductEmitter::choose() {
  std::optional<StringRef> operation = getFmac(
      product.dest.element, product.left.element, product.right.element);
  if (!operation)
    return false;
  fmac = *operation;
  vector = chooseVector();
  if (vector < 0)
    return false;
  vec = product.left;
  scalar = product.right;
  if (!vec.strides[vector])
    std::swap(vec, scalar);
  length = product.extents[vector];
  inner = chooseInner();
  for (bool reduced : {true, false})
    for (unsigned loop = 0; loop < numLoops(); ++loop)
      if (int(loop) != vector && int(loop) != inner &&
          product.reduced[loop] == reduced)
        outer.push_back(loop);
  usesRegisters =
      isShort(product.dest.strides[vector]) && isShort(vec.strides[vector]);
  followDest = getFollow(product.dest);
  followVec = getFollow(vec);
  return true;
}

void ProductEmitter::emit() { emitNest(0, product.dest, vec, scalar); }

void ProductEmitter::emitNest(size_t depth, const Elements &dest,
                              const Elements &vec, const Elements &scalar) {
  if (depth == outer.size())
    return emitInnermost(dest, vec, scalar);
  unsigned loop = outer[depth];
  emitter.emitFor(product.extents[loop], [&](Value iv) {
    emitNest(depth + 1, emitter.advance(dest, loop, iv),
             emitter.advance(vec, loop, iv), emitter.advance(scalar, loop, iv));
  });
}

/// The elements that one operation runs over, as a DSD.
Value ProductEmitter::getRow(const Elements &elements) {
  Elements row = elements;
  row.strides = {elements.strides[vector]};
  return emitter.dsd(row, {length});
}

void ProductEmitter::loadRegisters(const Elements &dest, const Elements &vec) {
  csl::DsrKind kinds[] = {csl::DsrKind::Dest, csl::DsrKind::Src0,
                          csl::DsrKind::Src1};
  for (auto [to, kind] : llvm::zip_equal(registers, kinds))
    to = csl::GetDsrOp::create(
        builder, loc, csl::DsrType::get(builder.getContext(), kind), 0);
  Value destDsd = getRow(dest), vecDsd = getRow(vec);
  auto load = [&](Value to, Value from, Follow how) {
    csl::LoadToDsrOp::create(
        builder, loc, to, from, /*async=*/UnitAttr(), Value(), Value(),
        csl::OnControlAttr(), Value(), IntegerAttr(),
        how == Follow::Itself ? builder.getUnitAttr() : UnitAttr(), UnitAttr());
  };
  load(registers[0], destDsd, followDest);
  load(registers[1], destDsd, followDest);
  load(registers[2], vecDsd, followVec);
}

void ProductEmitter::emitInnermost(const Elements &dest, const Elements &vec,
                                   const Elements &scalar) {
  if (usesRegisters)
    loadRegisters(dest, vec);
  int64_t count = inner < 0 ? 1 : product.extents[inner];
  if (count <= kUnrolledWhole)
    return emitUnrolled(dest, vec, scalar, emitter.index(0), count);
  emitter.emitFor(count / kUnrolled, [&](Value iv) {
    Value base =
        arith::MulIOp::create(builder, loc, iv, emitter.index(kUnrolled));
    emitUnrolled(dest, vec, scalar, base, kUnrolled);
  });
  if (int64_t rest = count % kUnrolled)
    emitUnrolled(dest, vec, scalar, emitter.index(count - rest), rest);
}

/// `count` iterations of the inner loop, from `base` on.
void ProductEmitter::emitUnrolled(const Elements &dest, const Elements &vec,
                                  const Elements &scalar, Value base,
                                  int64_t count) {
  Elements at[3] = {dest, vec, scalar};
  if (inner >= 0)
    for (Elements &elements : at)
      elements = emitter.advance(elements, inner, base);
  // The scalars follow one another from a known place.
  Value pointer = emitter.pointerTo(at[2]);
  auto many = csl::PtrType::get(scalar.element, /*many=*/true);
  Value first = csl::AsMemrefOp::create(
      builder, loc, MemRefType::get({ShapedType::kDynamic}, scalar.element),
      csl::PtrCastOp::create(builder, loc, many, pointer));
  for (int64_t i = 0; i < count; ++i) {
    int64_t step = inner < 0 ? 0 : i * scalar.strides[inner];
    Value factor =
        memref::LoadOp::create(builder, loc, first, emitter.index(step));
    Elements now[2] = {at[0], at[1]};
    for (Elements &elements : now)
      if (inner >= 0)
        elements.offset += i * elements.strides[inner];
    emitOne(now[0], now[1], factor);
  }
}

void ProductEmitter::emitOne(const Elements &dest, const Elements &vec,
                             Value factor) {
  if (!usesRegisters) {
    Value destDsd = getRow(dest);
    emitter.dsdOp(fmac, destDsd, {destDsd, getRow(vec), factor});
    return;
  }
  auto set = [&](ArrayRef<Value> targets, const Elements &elements,
                 Follow how) {
    if (how != Follow::Set)
      return;
    Value base = emitter.pointerTo(elements);
    for (Value target : targets)
      csl::SetDsrBaseAddrOp::create(builder, loc, target, base);
  };
  set({registers[0], registers[1]}, dest, followDest);
  set(registers[2], vec, followVec);
  emitter.dsdOp(fmac, registers[0], {registers[1], registers[2], factor});
}

void Emitter::emitProduct(const Product &product) {
  ProductEmitter vectors(*this, product);
  if (vectors.choose())
    vectors.emit();
  else
    emitScalarProduct(product);
}

void Emitter::emitContract(const LoopNest &op) {
  const Storage &storage = program.storages[op.result];
  fill(storage.name, storage.element, plan.arrays[op.result].elements(),
       getNeutral(Combiner::Add, storage.element));
  Product product;
  product.dest = resultOf(op);
  product.left = elementsOf(op, *op.inputs[op.left].access);
  product.right = elementsOf(op, *op.inputs[op.right].access);
  for (unsigned loop = 0; loop < op.sizes.size(); ++loop)
    product.extents.push_back(getRange(plan, op, loop).second);
  product.reduced = op.reduced;
  product.op = &op;
  emitProduct(product);
}
