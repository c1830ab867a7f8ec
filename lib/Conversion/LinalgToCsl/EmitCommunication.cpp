//===- EmitCommunication.cpp - Broadcasts, reductions, halos --------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::linalg_to_csl;
using arith::CmpIPredicate;

void Emitter::emitSpread(const Step &step) {
  const Storage &storage = program.storages[step.storage];
  const Channel &channel =
      channels.get(Channel::Kind::Spread, step.axis, /*up=*/true);
  int64_t count = plan.arrays[step.storage].elements();
  StringRef move = getMoveDsdOp(storage.element);
  emitIf(
      compare(CmpIPredicate::eq, coordinate(step.axis), 0),
      [&] {
        dsdOp(move, fabout(channel, count),
              wholeDsd(storage.name, storage.element, count));
      },
      [&] {
        dsdOp(move, wholeDsd(storage.name, storage.element, count),
              fabin(channel, count));
      });
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// Each PE adds what comes to its own and passes it on.
void Emitter::emitChain(const Channel &channel, Value hasIn, Value hasOut,
                        const LoopNest &op) {
  const Storage &storage = program.storages[op.result];
  int64_t count = plan.arrays[op.result].elements();
  Type element = storage.element;
  StringRef move = getMoveDsdOp(element);
  auto own = [&] { return wholeDsd(storage.name, element, count); };
  if (auto combine = getCombinerDsdOp(op.combiner, element)) {
    auto take = [&](Value dest) {
      dsdOp(*combine, dest, {fabin(channel, count), own()});
    };
    emitIf(
        hasOut,
        [&] {
          emitIf(
              hasIn, [&] { take(fabout(channel, count)); },
              [&] { dsdOp(move, fabout(channel, count), own()); });
        },
        [&] { emitIf(hasIn, [&] { take(own()); }); });
    return;
  }
  // The DSD unit has no such operation: it comes into memory first.
  emitIf(hasIn, [&] {
    std::string other = takeTemporary(element, count);
    dsdOp(move, wholeDsd(other, element, count), fabin(channel, count));
    Elements mine{storage.name, element, {1}, 0, Value()};
    Elements theirs{other, element, {1}, 0, Value()};
    emitFor(count, [&](Value iv) {
      Elements at = advance(mine, 0, iv);
      IRMapping mapping;
      Value value = load(at), incoming = load(advance(theirs, 0, iv));
      mapping.map(op.combinerOp->getOperand(0), value);
      mapping.map(op.combinerOp->getOperand(1), incoming);
      store(builder.clone(*op.combinerOp, mapping)->getResult(0), at);
    });
    release(other);
  });
  emitIf(hasOut, [&] { dsdOp(move, fabout(channel, count), own()); });
}

void Emitter::emitReduction(const LoopNest &op, ArrayRef<ReducePath> paths) {
  for (const ReducePath &path : paths) {
    int64_t pes = plan.grid.along(path.axis);
    Value at = coordinate(path.axis);
    const Channel &hop =
        channels.get(Channel::Kind::Hop, path.axis, /*up=*/false);
    Value isLast = compare(CmpIPredicate::eq, at, pes - 1);
    Value yes = arith::ConstantIntOp::create(builder, loc, 1, 1);
    auto isNot = [&](Value value) {
      return arith::XOrIOp::create(builder, loc, value, yes).getResult();
    };
    if (!path.group) {
      emitChain(hop, isNot(isLast), compare(CmpIPredicate::ne, at, 0), op);
      continue;
    }
    const Channel &leap =
        channels.get(Channel::Kind::Leap, path.axis, false, path.group);
    Value within = arith::RemUIOp::create(builder, loc, at, i16(path.group));
    Value isEnd = compare(CmpIPredicate::eq, within, path.group - 1);
    Value ends = arith::OrIOp::create(builder, loc, isEnd, isLast);
    emitChain(hop, isNot(ends), compare(CmpIPredicate::ne, within, 0), op);
    emitIf(compare(CmpIPredicate::eq, within, 0), [&] {
      emitChain(leap, compare(CmpIPredicate::ult, at, pes - path.group),
                compare(CmpIPredicate::ne, at, 0), op);
    });
  }
}

//===----------------------------------------------------------------------===//
// Halos
//===----------------------------------------------------------------------===//

void Emitter::emitHalo(const Step &step) {
  const Storage &storage = program.storages[step.storage];
  const LocalArray &array = plan.arrays[step.storage];
  int64_t block = plan.classes[storage.nodes[step.dim].dim].block;
  int64_t low = array.low[step.dim];
  int64_t high = array.extents[step.dim] - low - block;
  int64_t pes = plan.grid.along(step.axis);
  auto channel = [&](bool up) -> const Channel & {
    return channels.get(Channel::Kind::Hop, step.axis, up);
  };
  StringRef move = getMoveDsdOp(storage.element);

  // Coordinates [begin, begin + width) of the dimension; of the others all that
  // this PE has by now.
  SmallVector<int64_t> extents;
  auto part = [&](int64_t begin, int64_t width) {
    Elements elements{storage.name, storage.element, {}, 0, Value()};
    extents.clear();
    int64_t stride = array.elements();
    for (unsigned d : array.order) {
      stride /= array.extents[d];
      const DimClass &cls = plan.classes[storage.nodes[d].dim];
      elements.strides.push_back(stride);
      if (d == step.dim) {
        elements.offset += (begin + low) * stride;
        extents.push_back(width);
        continue;
      }
      // The halo of x goes first; that of y takes its corners along.
      bool own = cls.isCut() && step.axis == FabricAxis::X;
      elements.offset += own ? array.low[d] * stride : 0;
      extents.push_back(own ? cls.block : array.extents[d]);
    }
    return elements;
  };
  auto count = [&] {
    int64_t product = 1;
    for (int64_t extent : extents)
      product *= extent;
    return product;
  };
  // From farther PEs it comes in several rounds.
  int64_t rounds = llvm::divideCeil(std::max(low, high), block);
  for (int64_t round = 0; round < rounds; ++round) {
    int64_t done = round * block;
    int64_t below = std::clamp<int64_t>(low - done, 0, block);
    int64_t above = std::clamp<int64_t>(high - done, 0, block);
    Join join = makeJoin(storage.name + "_halo");
    Value id = csl::TaskIdOp::create(
        builder, loc, csl::LocalTaskIdType::get(builder.getContext()),
        join.task);
    Value at = coordinate(step.axis);
    auto isNotLast = [&] { return compare(CmpIPredicate::ne, at, pes - 1); };
    auto isNotFirst = [&] { return compare(CmpIPredicate::ne, at, 0); };
    // What is the low margin of the PE above.
    auto activate = [&] { csl::ActivateOp::create(builder, loc, id); };
    auto unblock = [&] { csl::UnblockOp::create(builder, loc, id); };
    if (below)
      emitIf(
          isNotLast(),
          [&] {
            Elements from = part(block - done - below, below);
            Async options;
            options.async = true;
            options.activate = id;
            dsdOp(move, fabout(channel(/*up=*/true), count()),
                  dsd(from, extents), options);
          },
          activate);
    else
      activate();
    if (above)
      emitIf(
          isNotFirst(),
          [&] {
            Elements from = part(done, above);
            Async options;
            options.async = true;
            options.unblock = id;
            dsdOp(move, fabout(channel(/*up=*/false), count()),
                  dsd(from, extents), options);
          },
          unblock);
    else
      unblock();
    if (below)
      emitIf(isNotFirst(), [&] {
        Elements to = part(-done - below, below);
        dsdOp(move, dsd(to, extents), fabin(channel(/*up=*/true), count()));
      });
    if (above)
      emitIf(isNotLast(), [&] {
        Elements to = part(block + done, above);
        dsdOp(move, dsd(to, extents), fabin(channel(/*up=*/false), count()));
      });
    enterTask(join);
  }
}
