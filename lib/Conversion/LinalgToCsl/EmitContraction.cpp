//===- EmitContraction.cpp - Products and SUMMA ---------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "PlanAssignment.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::linalg_to_csl;
using arith::CmpIPredicate;

/// Iterations of the innermost loop that are written out.
static constexpr int64_t kUnrolled = 16;
/// Where there are not many more, all of them.
static constexpr int64_t kUnrolledWhole = 32;

//===----------------------------------------------------------------------===//
// The local product
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

LogicalResult Emitter::emitProduct(Product product) {
  Elements &dest = product.dest;
  std::optional<StringRef> fmac =
      getFmac(dest.element, product.left.element, product.right.element);
  // The loop that a DSD runs: of the result and of one operand, the other
  // operand's element is the scalar.
  int vector = -1;
  int64_t best = 0;
  auto isShort = [&](int64_t stride) {
    return llvm::isIntN(machine.dsd.mem1dStrideBits, stride);
  };
  for (unsigned loop = 0; fmac && loop < product.extents.size(); ++loop) {
    bool left = product.left.strides[loop], right = product.right.strides[loop];
    if (product.reduced[loop] || left == right || product.extents[loop] < 2)
      continue;
    const Elements &from = left ? product.left : product.right;
    int64_t score = 4 * product.extents[loop];
    if (!isShort(dest.strides[loop]) || !isShort(from.strides[loop]))
      score /= 2;
    score += dest.strides[loop] == 1;
    if (score > best) {
      best = score;
      vector = loop;
    }
  }
  if (vector < 0) {
    emitScalarProduct(product);
    return success();
  }
  Elements vec = product.left, scalar = product.right;
  if (!vec.strides[vector])
    std::swap(vec, scalar);
  int64_t length = product.extents[vector];

  // The loop around it: another of the result, over which the vector stands
  // still, else a reduced one.
  int inner = -1, rank = 0;
  for (unsigned loop = 0; loop < product.extents.size(); ++loop) {
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
  SmallVector<unsigned> outer;
  for (bool reduced : {true, false})
    for (unsigned loop = 0; loop < product.extents.size(); ++loop)
      if (int(loop) != vector && int(loop) != inner &&
          product.reduced[loop] == reduced)
        outer.push_back(loop);

  MLIRContext *context = builder.getContext();
  auto row = [&](const Elements &elements) {
    Elements result = elements;
    result.strides = {elements.strides[vector]};
    return result;
  };
  bool usesRegisters =
      isShort(dest.strides[vector]) && isShort(vec.strides[vector]);
  auto getRegister = [&](csl::DsrKind kind) -> Value {
    return csl::GetDsrOp::create(builder, loc, csl::DsrType::get(context, kind),
                                 0);
  };
  // How a DSR follows the inner loop.
  enum class Follow { Fixed, Itself, Set };
  auto follow = [&](const Elements &elements) {
    int64_t step = inner < 0 ? 0 : elements.strides[inner];
    if (step == 0)
      return Follow::Fixed;
    return step == length * elements.strides[vector] ? Follow::Itself
                                                     : Follow::Set;
  };
  Follow followDest = follow(dest), followVec = follow(vec);

  auto innermost = [&](const Elements &dest, const Elements &vec,
                       const Elements &scalar) {
    Value registers[3];
    if (usesRegisters) {
      registers[0] = getRegister(csl::DsrKind::Dest);
      registers[1] = getRegister(csl::DsrKind::Src0);
      registers[2] = getRegister(csl::DsrKind::Src1);
      Value destDsd = dsd(row(dest), {length}),
            vecDsd = dsd(row(vec), {length});
      auto loadRegister = [&](Value to, Value from, Follow how) {
        csl::LoadToDsrOp::create(
            builder, loc, to, from, /*async=*/UnitAttr(), Value(), Value(),
            csl::OnControlAttr(), Value(), IntegerAttr(),
            how == Follow::Itself ? builder.getUnitAttr() : UnitAttr(),
            UnitAttr());
      };
      loadRegister(registers[0], destDsd, followDest);
      loadRegister(registers[1], destDsd, followDest);
      loadRegister(registers[2], vecDsd, followVec);
    }
    int64_t count = inner < 0 ? 1 : product.extents[inner];
    auto several = [&](Value base, int64_t number) {
      Elements at[3] = {dest, vec, scalar};
      if (inner >= 0)
        for (Elements &elements : at)
          elements = advance(elements, inner, base);
      // The scalars follow one another from a known place.
      Value pointer = pointerTo(at[2]);
      auto many = csl::PtrType::get(scalar.element, /*many=*/true);
      Value first = csl::AsMemrefOp::create(
          builder, loc, MemRefType::get({ShapedType::kDynamic}, scalar.element),
          csl::PtrCastOp::create(builder, loc, many, pointer));
      for (int64_t i = 0; i < number; ++i) {
        int64_t step = inner < 0 ? 0 : i * scalar.strides[inner];
        Value factor = memref::LoadOp::create(builder, loc, first, index(step));
        Elements now[2] = {at[0], at[1]};
        for (Elements &elements : now)
          if (inner >= 0)
            elements.offset += i * elements.strides[inner];
        if (!usesRegisters) {
          Value d = dsd(row(now[0]), {length});
          dsdOp(*fmac, d, {d, dsd(row(now[1]), {length}), factor});
          continue;
        }
        auto set = [&](ArrayRef<Value> targets, const Elements &elements,
                       Follow how) {
          if (how != Follow::Set)
            return;
          Value base = pointerTo(elements);
          for (Value target : targets)
            csl::SetDsrBaseAddrOp::create(builder, loc, target, base);
        };
        set({registers[0], registers[1]}, now[0], followDest);
        set(registers[2], now[1], followVec);
        dsdOp(*fmac, registers[0], {registers[1], registers[2], factor});
      }
    };
    if (count <= kUnrolledWhole) {
      several(index(0), count);
      return;
    }
    emitFor(count / kUnrolled, [&](Value iv) {
      several(arith::MulIOp::create(builder, loc, iv, index(kUnrolled)),
              kUnrolled);
    });
    if (count % kUnrolled)
      several(index(count - count % kUnrolled), count % kUnrolled);
  };
  std::function<void(size_t, Elements, Elements, Elements)> nest =
      [&](size_t depth, Elements dest, Elements vec, Elements scalar) {
        if (depth == outer.size())
          return innermost(dest, vec, scalar);
        unsigned loop = outer[depth];
        emitFor(product.extents[loop], [&](Value iv) {
          nest(depth + 1, advance(dest, loop, iv), advance(vec, loop, iv),
               advance(scalar, loop, iv));
        });
      };
  nest(0, dest, vec, scalar);
  return success();
}

LogicalResult Emitter::emitContract(const LoopNest &op) {
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
  return emitProduct(std::move(product));
}

//===----------------------------------------------------------------------===//
// SUMMA
//===----------------------------------------------------------------------===//

namespace {
/// One of the two operands: where its panels come from and go to.
struct PanelSide {
  FabricAxis axis; ///< along which it is sent
  Elements block;  ///< this PE's part by (k, other)
  std::string buffer;
  int64_t length;   ///< of the other dimension
  int64_t perBlock; ///< panels of a PE
};
} // namespace

LogicalResult Emitter::emitSumma(const Step &step) {
  const LoopNest &op = program.ops[step.op];
  const SummaPlan &summa = step.summa;
  std::array<unsigned, 3> loops = *getSummaLoops(op);
  std::string suffix = std::to_string(step.op);

  auto makeSide = [&](unsigned input, unsigned loop, FabricAxis axis,
                      int64_t perBlock, StringRef name) {
    const Access &access = *op.inputs[input].access;
    const Storage &storage = program.storages[access.storage];
    const LocalArray &array = plan.arrays[access.storage];
    PanelSide side;
    side.axis = axis;
    side.perBlock = perBlock;
    side.length = getRange(plan, op, loop).second;
    side.block = {storage.name, storage.element, {0, 0}, 0, Value()};
    int64_t stride = array.elements();
    for (unsigned d : array.order) {
      stride /= array.extents[d];
      bool contracted = access.loops[d] == int(loops[2]);
      side.block.strides[contracted ? 0 : 1] = stride;
      int64_t shift = 0;
      if (!contracted)
        shift =
            access.offsets[d] + storage.nodes[d].origin - op.nodes[loop].origin;
      side.block.offset += (array.low[d] + shift) * stride;
    }
    side.buffer = (name + suffix).str();
    addVariable(side.buffer, storage.element, 2 * summa.width * side.length);
    return side;
  };
  PanelSide sides[2] = {
      makeSide(op.left, loops[0], FabricAxis::X, summa.perColumn, "panel_a"),
      makeSide(op.right, loops[1], FabricAxis::Y, summa.perRow, "panel_b")};
  std::string counter = "panel" + suffix;
  addVariable(counter, builder.getI16Type(), 1);
  Elements counterElement{counter, builder.getI16Type(), {}, 0, Value()};
  const Storage &result = program.storages[op.result];
  fill(result.name, result.element, plan.arrays[op.result].elements(),
       getNeutral(Combiner::Add, result.element));
  Join join = makeJoin("product" + suffix);

  auto makeFunction = [&](StringRef name, bool takesPanel) {
    builder.setInsertionPointToEnd(codeBlock);
    SmallVector<Type> inputs;
    if (takesPanel)
      inputs.push_back(builder.getI16Type());
    auto function = func::FuncOp::create(builder, loc, name,
                                         builder.getFunctionType(inputs, {}));
    builder.setInsertionPointToStart(function.addEntryBlock());
    return function;
  };
  auto divide = [&](Value panel, int64_t by) -> Value {
    if (by == 1)
      return panel;
    return arith::DivUIOp::create(builder, loc, panel, i16(by));
  };
  /// Where the buffer of a panel begins.
  auto bufferOf = [&](const PanelSide &side, Value panel) {
    int64_t size = summa.width * side.length;
    Elements elements{
        side.buffer, side.block.element, {side.length, 1}, 0, Value()};
    Value odd = arith::AndIOp::create(builder, loc, panel, i16(1));
    Value offset = arith::MulIOp::create(builder, loc, odd, i16(size));
    elements.dynamic = arith::IndexCastOp::create(
        builder, loc, builder.getIndexType(), offset);
    return elements;
  };

  OpBuilder::InsertPoint here = builder.saveInsertionPoint();

  // Receives of one panel of either operand, on microthreads.
  std::string receiveName = "receive_panels" + suffix;
  func::FuncOp receive = makeFunction(receiveName, true);
  {
    Value panel = receive.getArgument(0);
    Value id = csl::TaskIdOp::create(
        builder, loc, csl::LocalTaskIdType::get(builder.getContext()),
        join.task);
    for (const PanelSide &side : sides) {
      int64_t count = summa.width * side.length;
      Async options;
      options.async = true;
      (side.axis == FabricAxis::X ? options.activate : options.unblock) = id;
      Value to = dsd(bufferOf(side, panel), {summa.width, side.length});
      Value fromBelow = arith::CmpIOp::create(builder, loc, CmpIPredicate::ule,
                                              divide(panel, side.perBlock),
                                              coordinate(side.axis));
      StringRef move = getMoveDsdOp(side.block.element);
      for (bool up : {true, false}) {
        const Channel &channel =
            channels.get(Channel::Kind::Panel, side.axis, up);
        if (up)
          emitIf(fromBelow,
                 [&] { dsdOp(move, to, fabin(channel, count), options); });
        else
          emitIf(arith::XOrIOp::create(
                     builder, loc, fromBelow,
                     arith::ConstantIntOp::create(builder, loc, 1, 1)),
                 [&] { dsdOp(move, to, fabin(channel, count), options); });
      }
    }
    func::ReturnOp::create(builder, loc);
  }

  // Sends of one panel, where this PE has it, on the main thread.
  std::string sendName = "send_panels" + suffix;
  func::FuncOp send = makeFunction(sendName, true);
  for (const PanelSide &side : sides) {
    Value panel = send.getArgument(0);
    int64_t count = summa.width * side.length;
    int64_t pes = plan.grid.along(side.axis);
    StringRef move = getMoveDsdOp(side.block.element);
    const Channel &up = channels.get(Channel::Kind::Panel, side.axis, true);
    const Channel &down = channels.get(Channel::Kind::Panel, side.axis, false);
    Value at = coordinate(side.axis);
    Value root = divide(panel, side.perBlock);
    Value isRoot =
        arith::CmpIOp::create(builder, loc, CmpIPredicate::eq, root, at);
    emitIf(isRoot, [&] {
      Elements part = side.block;
      Value isLast;
      if (side.perBlock > 1) {
        Value first =
            arith::MulIOp::create(builder, loc, at, i16(side.perBlock));
        Value within = arith::SubIOp::create(builder, loc, panel, first);
        isLast = compare(CmpIPredicate::eq, within, side.perBlock - 1);
        Value shift = arith::MulIOp::create(builder, loc, within,
                                            i16(summa.width * part.strides[0]));
        part.dynamic = arith::IndexCastOp::create(
            builder, loc, builder.getIndexType(), shift);
      }
      Value from = dsd(part, {summa.width, side.length});
      auto control = [&](const Channel &channel, Value word) {
        auto write = [&] {
          dsdOp("mov32", fabout(channel, 1, /*control=*/true), word);
        };
        if (isLast)
          emitIf(isLast, write);
        else
          write();
      };
      auto word = [&](uint32_t value) -> Value {
        return arith::ConstantIntOp::create(builder, loc,
                                            static_cast<int32_t>(value), 32);
      };
      dsdOp(move, fabout(up, count), from);
      control(up, arith::SelectOp::create(builder, loc,
                                          compare(CmpIPredicate::eq, at, 0),
                                          word(getPanelUpControl(machine, 0)),
                                          word(getPanelUpControl(machine, 1))));
      emitIf(compare(CmpIPredicate::ne, at, 0), [&] {
        auto plain = [&] { dsdOp(move, fabout(down, count), from); };
        if (machine.switchRxAndTx || pes == 2) {
          plain();
        } else {
          // The router sends it back to this PE too, which drops it.
          emitIf(
              compare(CmpIPredicate::ne, at, pes - 1),
              [&] {
                Async options;
                options.async = true;
                dsdOp(move, fabout(down, count), from, options);
                std::string dropped = takeTemporary(side.block.element, 1);
                dsdOp(move,
                      dsd({dropped, side.block.element, {0}, 0, Value()},
                          {count}),
                      fabin(down, count));
                release(dropped);
              },
              plain);
        }
        control(down, arith::SelectOp::create(
                          builder, loc, compare(CmpIPredicate::eq, at, pes - 1),
                          word(getPanelDownControl(machine, pes - 1, pes)),
                          word(getPanelDownControl(machine, 1, pes))));
      });
    });
  }
  func::ReturnOp::create(builder, loc);

  builder.restoreInsertionPoint(here);
  Value zero = i16(0);
  store(zero, counterElement);
  func::CallOp::create(builder, loc, receive, zero);
  func::CallOp::create(builder, loc, send, zero);

  enterTask(join);
  Value panel = load(counterElement);
  Value next = arith::AddIOp::create(builder, loc, panel, i16(1));
  store(next, counterElement);
  Value more = compare(CmpIPredicate::ult, next, summa.panels);
  emitIf(more, [&] {
    func::CallOp::create(builder, loc, receive, next);
    func::CallOp::create(builder, loc, send, next);
  });
  // Loops: k within the panel, rows, columns.
  Product product;
  auto spread = [&](const PanelSide &side, bool isLeft) {
    Elements elements = bufferOf(side, panel);
    elements.strides = {side.length, isLeft ? 1 : 0, isLeft ? 0 : 1};
    return elements;
  };
  product.left = spread(sides[0], true);
  product.right = spread(sides[1], false);
  Elements whole = resultOf(op);
  product.dest = whole;
  product.dest.strides = {0, whole.strides[loops[0]], whole.strides[loops[1]]};
  product.extents = {summa.width, sides[0].length, sides[1].length};
  product.reduced = {true, false, false};
  product.op = &op;
  if (mlir::failed(emitProduct(std::move(product))))
    return failure();

  std::string afterName = "after_product" + suffix;
  OpBuilder::InsertPoint inTaskBody = builder.saveInsertionPoint();
  func::FuncOp after = makeFunction(afterName, false);
  OpBuilder::InsertPoint inAfter = builder.saveInsertionPoint();
  builder.restoreInsertionPoint(inTaskBody);
  emitIf(compare(CmpIPredicate::eq, next, summa.panels),
         [&] { func::CallOp::create(builder, loc, after, ValueRange()); });
  endBody();
  builder.restoreInsertionPoint(inAfter);
  inTask = false;
  emitStart(op);
  return success();
}
