//===- EmitSumma.cpp - Products whose operands travel ---------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// SUMMA (Scalable Universal Matrix Multiplication Algorithm): the summed
// dimension is cut into panels. Each panel of the left operand is sent along
// the row of PEs of its owner, each panel of the right one along the column,
// and every PE adds the product of what it got. Two buffers take turns, so that
// the next panel arrives while this one is multiplied.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "PlanAssignment.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::linalg_to_csl;
using arith::CmpIPredicate;

namespace sequin::linalg_to_csl {
class SummaEmitter {
public:
  SummaEmitter(Emitter &emitter, const Step &step)
      : emitter(emitter), builder(emitter.builder), loc(emitter.loc),
        op(emitter.program.ops[step.op]), summa(step.summa),
        loops(*getSummaLoops(op)), suffix(std::to_string(step.op)) {}

  void emit();

private:
  /// One of the two operands: where its panels come from and go to.
  struct Side {
    FabricAxis axis = FabricAxis::X; ///< along which it is sent
    Elements block;                  ///< this PE's part by (k, other)
    std::string buffer;
    int64_t length = 1;   ///< of the other dimension
    int64_t perBlock = 1; ///< panels of a PE
  };

  Side makeSide(unsigned input, unsigned loop, FabricAxis axis,
                int64_t perBlock, StringRef name);
  func::FuncOp makeFunction(StringRef name, bool takesPanel);
  int64_t getPanelElements(const Side &side) const {
    return summa.width * side.length;
  }
  const Channel &getChannel(const Side &side, bool up) const {
    return emitter.channels.get(Channel::Kind::Panel, side.axis, up);
  }
  /// The coordinate of the PE that has a panel.
  Value getOwner(const Side &side, Value panel);
  /// Where the buffer of a panel begins.
  Elements getBuffer(const Side &side, Value panel);
  Value asIndex(Value number) {
    return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                      number);
  }

  func::FuncOp emitReceive(const Join &join);
  void receivePanel(const Side &side, Value panel, Value task);
  func::FuncOp emitSend();
  void sendPanel(const Side &side, Value panel, Value at);
  void sendDown(const Side &side, Value from, Value at);
  /// Moves the switches along a channel; under `isLast` if there is one.
  void sendControl(const Channel &channel, Value isLast, Value atEnd,
                   uint32_t wordAtEnd, uint32_t wordElsewhere);
  void emitProduct(Value panel);

  Emitter &emitter;
  OpBuilder &builder;
  Location loc;
  const LoopNest &op;
  const SummaPlan &summa;
  std::array<unsigned, 3> loops; ///< rows, columns, sum
  std::string suffix;
  Side sides[2]; ///< left, right
};
} // namespace sequin::linalg_to_csl

//===----------------------------------------------------------------------===//
// Panels
//===----------------------------------------------------------------------===//

SummaEmitter::Side SummaEmitter::makeSide(unsigned input, unsigned loop,
                                          FabricAxis axis, int64_t perBlock,
                                          StringRef name) {
  const Access &access = *op.inputs[input].access;
  const Storage &storage = emitter.program.storages[access.storage];
  const LocalArray &array = emitter.plan.arrays[access.storage];
  Side side;
  side.axis = axis;
  side.perBlock = perBlock;
  side.length = getRange(emitter.plan, op, loop).second;
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
  emitter.addVariable(side.buffer, storage.element, 2 * getPanelElements(side));
  return side;
}

func::FuncOp SummaEmitter::makeFunction(StringRef name, bool takesPanel) {
  builder.setInsertionPointToEnd(emitter.codeBlock);
  SmallVector<Type> inputs;
  if (takesPanel)
    inputs.push_back(builder.getI16Type());
  auto function = func::FuncOp::create(builder, loc, (name + suffix).str(),
                                       builder.getFunctionType(inputs, {}));
  builder.setInsertionPointToStart(function.addEntryBlock());
  return function;
}

Value SummaEmitter::getOwner(const Side &side, Value panel) {
  if (side.perBlock == 1)
    return panel;
  return arith::DivUIOp::create(builder, loc, panel,
                                emitter.i16(side.perBlock));
}

Elements SummaEmitter::getBuffer(const Side &side, Value panel) {
  Elements elements{
      side.buffer, side.block.element, {side.length, 1}, 0, Value()};
  Value odd = arith::AndIOp::create(builder, loc, panel, emitter.i16(1));
  Value offset = arith::MulIOp::create(builder, loc, odd,
                                       emitter.i16(getPanelElements(side)));
  elements.dynamic = asIndex(offset);
  return elements;
}

//===----------------------------------------------------------------------===//
// Receives, on microthreads
//===----------------------------------------------------------------------===//

func::FuncOp SummaEmitter::emitReceive(const Join &join) {
  func::FuncOp receive = makeFunction("receive_panels", /*takesPanel=*/true);
  Value task = csl::TaskIdOp::create(
      builder, loc, csl::LocalTaskIdType::get(builder.getContext()), join.task);
  for (const Side &side : sides)
    receivePanel(side, receive.getArgument(0), task);
  func::ReturnOp::create(builder, loc);
  return receive;
}

void SummaEmitter::receivePanel(const Side &side, Value panel, Value task) {
  Emitter::Async options;
  options.async = true;
  (side.axis == FabricAxis::X ? options.activate : options.unblock) = task;
  Value to = emitter.dsd(getBuffer(side, panel), {summa.width, side.length});
  Value isBelow = getOwner(side, panel);
  isBelow = arith::CmpIOp::create(builder, loc, CmpIPredicate::ule, isBelow,
                                  emitter.coordinate(side.axis));
  StringRef move = getMoveDsdOp(side.block.element);
  auto receiveFrom = [&](bool up) {
    return [&, up] {
      Value from = emitter.fabin(getChannel(side, up), getPanelElements(side));
      emitter.dsdOp(move, to, from, options);
    };
  };
  emitter.emitIf(isBelow, receiveFrom(/*up=*/true));
  Value isAbove = arith::XOrIOp::create(
      builder, loc, isBelow, arith::ConstantIntOp::create(builder, loc, 1, 1));
  emitter.emitIf(isAbove, receiveFrom(/*up=*/false));
}

//===----------------------------------------------------------------------===//
// Sends, where this PE has the panel, on the main thread
//===----------------------------------------------------------------------===//

func::FuncOp SummaEmitter::emitSend() {
  func::FuncOp send = makeFunction("send_panels", /*takesPanel=*/true);
  for (const Side &side : sides) {
    Value panel = send.getArgument(0);
    Value at = emitter.coordinate(side.axis);
    Value owner = getOwner(side, panel);
    Value isOwner =
        arith::CmpIOp::create(builder, loc, CmpIPredicate::eq, owner, at);
    emitter.emitIf(isOwner, [&] { sendPanel(side, panel, at); });
  }
  func::ReturnOp::create(builder, loc);
  return send;
}

void SummaEmitter::sendPanel(const Side &side, Value panel, Value at) {
  Elements part = side.block;
  Value isLast;
  if (side.perBlock > 1) {
    Value first =
        arith::MulIOp::create(builder, loc, at, emitter.i16(side.perBlock));
    Value within = arith::SubIOp::create(builder, loc, panel, first);
    isLast = emitter.compare(CmpIPredicate::eq, within, side.perBlock - 1);
    Value shift = arith::MulIOp::create(
        builder, loc, within, emitter.i16(summa.width * part.strides[0]));
    part.dynamic = asIndex(shift);
  }
  Value from = emitter.dsd(part, {summa.width, side.length});
  const Channel &up = getChannel(side, true), &down = getChannel(side, false);
  const CslMachine &machine = emitter.machine;
  int64_t pes = emitter.plan.grid.along(side.axis);
  emitter.dsdOp(getMoveDsdOp(side.block.element),
                emitter.fabout(up, getPanelElements(side)), from);
  sendControl(up, isLast, emitter.compare(CmpIPredicate::eq, at, 0),
              getPanelUpControl(machine, 0), getPanelUpControl(machine, 1));
  emitter.emitIf(emitter.compare(CmpIPredicate::ne, at, 0), [&] {
    sendDown(side, from, at);
    sendControl(down, isLast, emitter.compare(CmpIPredicate::eq, at, pes - 1),
                getPanelDownControl(machine, pes - 1, pes),
                getPanelDownControl(machine, 1, pes));
  });
}

void SummaEmitter::sendDown(const Side &side, Value from, Value at) {
  int64_t count = getPanelElements(side);
  int64_t pes = emitter.plan.grid.along(side.axis);
  Type element = side.block.element;
  StringRef move = getMoveDsdOp(element);
  const Channel &down = getChannel(side, false);
  auto plain = [&] { emitter.dsdOp(move, emitter.fabout(down, count), from); };
  if (emitter.machine.switchRxAndTx || pes == 2)
    return plain();
  // The router sends it back to this PE too, which drops it.
  auto dropping = [&] {
    Emitter::Async options;
    options.async = true;
    emitter.dsdOp(move, emitter.fabout(down, count), from, options);
    std::string dropped = emitter.takeTemporary(element, 1);
    Value to = emitter.dsd({dropped, element, {0}, 0, Value()}, {count});
    emitter.dsdOp(move, to, emitter.fabin(down, count));
    emitter.release(dropped);
  };
  emitter.emitIf(emitter.compare(CmpIPredicate::ne, at, pes - 1), dropping,
                 plain);
}

void SummaEmitter::sendControl(const Channel &channel, Value isLast,
                               Value atEnd, uint32_t wordAtEnd,
                               uint32_t wordElsewhere) {
  auto word = [&](uint32_t value) -> Value {
    return arith::ConstantIntOp::create(builder, loc,
                                        static_cast<int32_t>(value), 32);
  };
  Value yes = word(wordAtEnd), no = word(wordElsewhere);
  Value control = arith::SelectOp::create(builder, loc, atEnd, yes, no);
  auto write = [&] {
    emitter.dsdOp("mov32", emitter.fabout(channel, 1, /*control=*/true),
                  control);
  };
  if (isLast)
    emitter.emitIf(isLast, write);
  else
    write();
}

//===----------------------------------------------------------------------===//
// The loop over panels
//===----------------------------------------------------------------------===//

/// Loops: k within the panel, rows, columns.
void SummaEmitter::emitProduct(Value panel) {
  auto spread = [&](const Side &side, bool isLeft) {
    Elements elements = getBuffer(side, panel);
    elements.strides = {side.length, isLeft ? 1 : 0, isLeft ? 0 : 1};
    return elements;
  };
  Emitter::Product product;
  product.left = spread(sides[0], true);
  product.right = spread(sides[1], false);
  Elements whole = emitter.resultOf(op);
  product.dest = whole;
  product.dest.strides = {0, whole.strides[loops[0]], whole.strides[loops[1]]};
  product.extents = {summa.width, sides[0].length, sides[1].length};
  product.reduced = {true, false, false};
  product.op = &op;
  emitter.emitProduct(product);
}

void SummaEmitter::emit() {
  sides[0] =
      makeSide(op.left, loops[0], FabricAxis::X, summa.perColumn, "panel_a");
  sides[1] =
      makeSide(op.right, loops[1], FabricAxis::Y, summa.perRow, "panel_b");
  std::string counter = "panel" + suffix;
  emitter.addVariable(counter, builder.getI16Type(), 1);
  Elements counterElement{counter, builder.getI16Type(), {}, 0, Value()};
  const Storage &result = emitter.program.storages[op.result];
  emitter.fill(result.name, result.element,
               emitter.plan.arrays[op.result].elements(),
               getNeutral(Combiner::Add, result.element));
  Join join = emitter.makeJoin("product" + suffix);

  OpBuilder::InsertPoint here = builder.saveInsertionPoint();
  func::FuncOp receive = emitReceive(join);
  func::FuncOp send = emitSend();
  builder.restoreInsertionPoint(here);
  Value zero = emitter.i16(0);
  emitter.store(zero, counterElement);
  func::CallOp::create(builder, loc, receive, zero);
  func::CallOp::create(builder, loc, send, zero);

  emitter.enterTask(join);
  Value panel = emitter.load(counterElement);
  Value next = arith::AddIOp::create(builder, loc, panel, emitter.i16(1));
  emitter.store(next, counterElement);
  emitter.emitIf(emitter.compare(CmpIPredicate::ult, next, summa.panels), [&] {
    func::CallOp::create(builder, loc, receive, next);
    func::CallOp::create(builder, loc, send, next);
  });
  emitProduct(panel);

  // What follows the last panel is a function of its own.
  OpBuilder::InsertPoint inTask = builder.saveInsertionPoint();
  func::FuncOp after = makeFunction("after_product", /*takesPanel=*/false);
  OpBuilder::InsertPoint inAfter = builder.saveInsertionPoint();
  builder.restoreInsertionPoint(inTask);
  emitter.emitIf(emitter.compare(CmpIPredicate::eq, next, summa.panels), [&] {
    func::CallOp::create(builder, loc, after, ValueRange());
  });
  emitter.endBody();
  builder.restoreInsertionPoint(inAfter);
  emitter.inTask = false;
  emitter.emitStart(op);
}

void Emitter::emitSumma(const Step &step) { SummaEmitter(*this, step).emit(); }
