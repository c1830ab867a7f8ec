//===- CoreState.cpp - The state of a PE as bytes -------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CoreState.h"
#include "llvm/ADT/STLExtras.h"

using namespace sequin;
using namespace sequin::wafer;

/// Bytes of a launch's arguments, of a line begun, entries of other lists: no
/// program makes more.
static constexpr uint64_t kMostListed = 1u << 20;

namespace {

/// `A` is a Saver or a Loader.
template <typename A> class Transfer {
public:
  Transfer(A &a, Core &core, const Wafer &wafer, Slab *slab)
      : a(a), core(core), wafer(wafer), slab(slab), code(*core.code->code),
        setup(*core.setup->setup) {}

  void all() {
    rings();
    fabric();
    queues();
    tasks();
    threads();
    dsrs();
    host();
  }

private:
  void ringIndex(uint8_t &ring) {
    a(ring);
    a.require(ring == kNone || ring < core.rings.size());
  }
  template <size_t N> void ringIndices(std::array<uint8_t, N> &all) {
    for (uint8_t &ring : all)
      ringIndex(ring);
  }

  void rings() {
    uint16_t count = static_cast<uint16_t>(core.rings.size());
    a(count);
    if constexpr (A::kLoads) {
      // A program's rings only become more.
      a.require(count >= core.rings.size() && count <= kRingWords * 64);
      while (!a.isBad() && core.rings.size() < count)
        core.rings.push(*slab, Ring());
    }
    for (Ring &ring : core.rings)
      ring.transfer(a);
    for (auto *words : {&core.busyRings, &core.stuckRings, &core.filledRings,
                        &core.usedRings})
      for (uint64_t &word : *words)
        a(word);
    for (uint64_t *word : {&core.late.busy, &core.late.stuck, &core.late.filled,
                           &core.late.used})
      a(*word);
    for (unsigned word = 0; word < kRingWords; ++word) {
      uint64_t there = core.rings.size() >= word * 64 + 64 ? ~uint64_t(0)
                       : core.rings.size() <= word * 64
                           ? 0
                           : (uint64_t(1) << (core.rings.size() % 64)) - 1;
      a.require(!((core.busyWord(word) | core.stuckWord(word) |
                   core.filledWord(word) | core.usedWord(word)) &
                  ~there));
    }
  }

  void routes(Routes &routes) {
    a(routes.rx);
    a(routes.tx);
    a.require(!((routes.rx | routes.tx) >> kDirections));
  }

  void router() {
    bool own = core.ownRouter != nullptr;
    a(own);
    if (!own)
      return;
    if constexpr (A::kLoads) {
      core.ownRouter = std::make_unique<RouterTable>();
      core.router = core.ownRouter.get();
    }
    for (FlatColor &color : core.ownRouter->colors) {
      for (Routes &given : color.given)
        routes(given);
      a(color.valid);
      a(color.selects);
      a(color.configured);
      a(color.hasSwitches);
      a(color.ring);
      a.upTo(color.pop, PopMode::OnAdvanceNop);
      a(color.filter);
      a.require(color.filter == kNone || color.filter < core.filters.size());
      a.below(color.swap, 4);
      a.below(color.location,
              std::max<size_t>(1, wafer.program.locations.size()));
      if constexpr (A::kLoads)
        color.settle();
    }
    a(core.ownRouter->swapped);
  }

  void fabric() {
    for (Filter &filter : core.filters) {
      a.upTo(filter.kind, FilterKind::Range);
      a(filter.countData);
      a(filter.countControl);
      a(filter.filterControl);
      a(filter.counter);
      a(filter.limit1);
      a(filter.limit2);
      a(filter.maxCounter);
      a(filter.minIndex);
      a(filter.maxIndex);
    }
    a(core.filtersOff);
    router();
    a(core.teardown);
    a(core.teardownPending);
    a(core.teardownLatched);
    a(core.messageColors);
    for (uint8_t &position : core.position)
      a.below(position, 4);
    for (auto &links : core.channel)
      ringIndices(links);
    for (unsigned i = 0; i < core.rings.size() && !a.isBad(); ++i)
      if (core.busyWord(i / 64) >> i % 64 & 1)
        a.require(core.rings[i].id < kDirections &&
                  core.channel[core.rings[i].color][core.rings[i].id] == i);
    a(core.hasChannels);
    bool has = core.messages != nullptr;
    a(has);
    a.require(has || !core.messageColors);
    a.require(!(core.messageColors >> kColors));
    if (!has)
      return;
    if constexpr (A::kLoads)
      core.messages = std::make_unique<Messages>();
    a(core.messages->left);
    for (auto *links : {&core.messages->towards, &core.messages->owner})
      for (auto &ofColor : *links)
        for (uint8_t &link : ofColor) {
          a(link);
          a.require(link == kNone || link < kDirections);
        }
  }

  void queues() {
    ringIndices(core.inputRing);
    ringIndices(core.outputRing);
    ringIndices(core.inputOfColor);
    a.list(core.inputs, kRingWords * 64, [&](uint8_t &ring) {
      a(ring);
      a.require(ring < core.rings.size());
    });
    for (uint8_t &table : core.controlTable)
      a.below(table, 8);
    for (uint8_t *queues :
         {&core.outputBusy, &core.nextOutput, &core.flushInput,
          &core.flushOutput, &core.flushedInput, &core.flushedOutput,
          &core.handleInput, &core.handleOutput})
      a(*queues);
    a.require(core.nextOutput < 8);
    for (unsigned queue = 0; queue < 8; ++queue)
      a.require(!(core.outputBusy >> queue & 1) ||
                core.outputRing[queue] != kNone);
    a(core.nextChannel);
    a.require(core.nextChannel < kRingWords * 64);
    a(core.inputRank);
  }

  void tasks() {
    for (uint32_t *ids :
         {&core.blocked, &core.active, &core.highPriority, &core.highControl})
      a(*ids);
    a(core.blockedMicrothreads);
    a.below(core.mainRank, 8);
    a(core.isTraced);
    a(core.mayStart);
    // As many as the setup has.
    for (uint16_t &counter : core.rotatingCounter)
      a(counter);
    for (uint8_t &last : core.lastTask)
      a.below(last, 32);
    uint8_t kind = 0;
    for (unsigned i = 0; i < std::size(kTaskKinds); ++i)
      if (llvm::StringRef(kTaskKinds[i]) == core.taskKind)
        kind = static_cast<uint8_t>(i);
    a.below(kind, std::size(kTaskKinds));
    if constexpr (A::kLoads)
      core.taskKind = kTaskKinds[kind];
    a(core.taskId);
    a(core.taskNumber);
  }

  /// Of an operation that moves words: where a walk through memory leads.
  void checkWalk(const Walk &walk, const LiveOp &op) {
    using Kind = Walk::Kind;
    bool isDest = &walk == &op.dest;
    a.require(
        walk.kind == Kind::Linear ||
        walk.kind == (isDest ? Kind::FabricOut : Kind::FabricIn) ||
        (!isDest && (walk.kind == Kind::None || walk.kind == Kind::Scalar)));
    if (walk.kind != Kind::Linear)
      return;
    const int64_t end = wafer.machine.memoryBytesPerPe - walk.bytes;
    auto inside = [&](int64_t at) { return at >= 0 && at <= end; };
    a.require(inside(walk.address) && (!op.unbounded || !walk.step));
    if (!op.unbounded && op.remaining)
      a.require(inside(walk.address + int64_t(walk.step) * (op.remaining - 1)));
  }

  void walk(Walk &walk) {
    a.upTo(walk.kind, Walk::Kind::Scalar);
    a(walk.bytes);
    a.require(walk.bytes <= 4);
    ringIndex(walk.ring);
    a.require(!walk.isFabric() || walk.ring != kNone);
    a.below(walk.color, kColors);
    a.below(walk.queue, 256);
    for (bool *flag :
         {&walk.control, &walk.transform, &walk.advance, &walk.pointer,
          &walk.hasIndex, &walk.allWavelets, &walk.half, &walk.dense})
      a(*flag);
    a.below(walk.perWavelet, 5);
    a.below(walk.wavelets, 17);
    a.require(walk.perWavelet && walk.wavelets);
    a.upTo(walk.zero, ZeroSource::Second);
    a(walk.fifo);
    a.require(walk.kind != Walk::Kind::Fifo || walk.fifo < setup.fifos.size());
    a(walk.index);
    a(walk.dsrFile);
    a(walk.dsr);
    a.require(walk.dsrFile == kNone ||
              (walk.dsrFile < 3 && walk.dsr < wafer.machine.dsrsPerFile));
    a(walk.value);
    for (int32_t *number : {&walk.address, &walk.step, &walk.begin, &walk.end})
      a(*number);
    uint32_t shape =
        walk.shape ? static_cast<uint32_t>(walk.shape - code.shapes.data()) + 1
                   : 0;
    a.below(shape, code.shapes.size() + 1);
    a.require(shape || walk.kind != Walk::Kind::Nest);
    if constexpr (A::kLoads)
      walk.shape = shape ? &code.shapes[shape - 1] : nullptr;
    a(walk.at);
  }

  void operation(LiveOp &op, unsigned thread) {
    a(op.words);
    uint8_t opcode = static_cast<uint8_t>(op.opcode);
    a.below(opcode, kDsdOpcodes);
    if constexpr (A::kLoads) {
      op.live = true;
      op.opcode = static_cast<DsdOpcode>(opcode);
      op.watched = wafer.isTraced() || core.unmaskedFloats();
    }
    for (bool *flag : {&op.async, &op.carry, &op.unbounded, &op.accumulate})
      a(*flag);
    a(op.rank);
    a(op.task);
    a(op.rate);
    a.require(op.rate != 0);
    a.upTo(op.stall, Stall::Blocked);
    a.upTo(op.completion, Completion::Unblock);
    a.upTo(op.onControl, OnControl::Unblock);
    a(op.completionTarget);
    a(op.onControlTarget);
    for (uint32_t *number : {&op.remaining, &op.length, &op.passed, &op.scalar})
      a(*number);
    a(op.start);
    a(op.since);
    a(op.result);
    a.require(
        op.result == kNoRegister ||
        (thread == kMain && !core.frames.empty() &&
         op.result < code.functions[core.frames.back().function].registers));
    a.below(op.location, std::max<size_t>(1, wafer.program.locations.size()));
    a(op.pointerOld);
    for (Walk *each : {&op.dest, &op.source[0], &op.source[1]}) {
      walk(*each);
      // Others are looked at element by element.
      if (op.words)
        checkWalk(*each, op);
    }
    walk(op.zero);
  }

  void threads() {
    a(core.live);
    a.require(!(core.live >> 9));
    a.upTo(core.main, MainState::Step);
    a.require(core.main != MainState::Op || (core.live >> kMain & 1));
    a(core.bulk);
    a(core.exceptionMask);
    a(core.lastIssued);
    a.require(core.lastIssued < 9);
    a(core.until);
    a(core.dead);
    a(core.acted);
    a(core.ranks);
    ringIndices(core.waitRing);
    a(core.mainSince);
    a.list(core.registers, kMostListed, [&](uint64_t &value) { a(value); });
    a.list(core.frames, kMostListed, [&](Frame &frame) {
      a.below(frame.function, code.functions.size());
      const Function &function = code.functions[frame.function];
      // A task that is over has left its code.
      a.below(frame.pc,
              function.instructions.size() + (core.main == MainState::Idle));
      a(frame.registers);
      a.require(uint64_t(frame.registers) + function.registers <=
                core.registers.size());
      a(frame.stack);
      a.require(uint64_t(frame.stack) + function.frameBytes <=
                uint64_t(wafer.machine.memoryBytesPerPe));
    });
    a.require(core.main == MainState::Idle || !core.frames.empty());
    for (unsigned t = 0; t < core.ops.size() && !a.isBad(); ++t) {
      if (!(core.live >> t & 1))
        continue;
      if constexpr (A::kLoads)
        core.ops[t] = new (slab->allocate(sizeof(LiveOp))) LiveOp();
      operation(*core.ops[t], t);
    }
    for (auto [fifo, given] : llvm::zip(core.fifos, setup.fifos))
      for (uint16_t *number :
           {&fifo.head, &fifo.count, &fifo.readLength, &fifo.writeLength,
            &fifo.wantedData, &fifo.wantedSpace}) {
        a(*number);
        a.require(number != &fifo.head || fifo.head < given.elements ||
                  !fifo.head);
        a.require(number != &fifo.count || fifo.count <= given.elements);
      }
    for (StepSlot &slot : core.steps)
      step(slot);
    a.upTo(core.stepStall, Stall::Blocked);
    ringIndex(core.stepRing);
  }

  void step(StepSlot &slot) {
    walk(slot.walk);
    a(slot.remaining);
    a(slot.unbounded);
  }

  void dsrs() {
    bool has = !core.dsrs.empty();
    a(has);
    if (!has)
      return;
    if constexpr (A::kLoads)
      if (core.dsrs.empty())
        core.dsrs = newDsrs(wafer.machine, *slab);
    for (DsrState &dsr : core.dsrs) {
      a(dsr.descriptor);
      a(dsr.head);
      for (bool *flag : {&dsr.async, &dsr.save, &dsr.singleStep, &dsr.adjusted})
        a(*flag);
      a.upTo(dsr.completion, Completion::Unblock);
      a.upTo(dsr.onControl, OnControl::Unblock);
      a(dsr.completionTarget);
      a(dsr.onControlTarget);
      a(dsr.microthread);
      a.require(!dsr.microthread || *dsr.microthread < 8);
      bool steps = dsr.stepping != nullptr;
      a(steps);
      if constexpr (A::kLoads)
        dsr.stepping = steps ? std::make_unique<StepSlot>() : nullptr;
      if (steps)
        step(*dsr.stepping);
    }
  }

  void host() {
    a(core.hostWords);
    a(core.retries);
    a(core.haloWaits);
    a.list(core.launches, kMostListed, [&](Core::Launch &launch) {
      a.below(launch.function, code.functions.size());
      a.list(launch.arguments, kMostListed, [&](uint64_t &value) { a(value); });
      a.require(launch.arguments.size() ==
                code.functions[launch.function].arguments);
    });
    a(core.commandBlocked);
    a(core.transformMask);
    a(core.tscOn);
    a(core.tscBase);
    a(core.tscLatched);
    for (uint64_t &word : core.random)
      a(word);
    a.below(core.prng, 4);
    a(core.raced);
    a(core.readUndefined);
    a(core.lostControl);
    bool begun = core.openLine != nullptr;
    a(begun);
    if constexpr (A::kLoads)
      core.openLine = begun ? std::make_unique<std::string>() : nullptr;
    if (begun)
      a(*core.openLine);
    others();
  }

  void others() {
    std::vector<std::pair<uint16_t, uint16_t>> words;
    if (!A::kLoads && core.otherWords)
      words.assign(core.otherWords->begin(), core.otherWords->end());
    a.list(words, kMostListed, [&](auto &word) {
      a(word.first);
      a(word.second);
    });
    if (A::kLoads && !words.empty())
      core.otherWords = std::make_unique<std::map<uint16_t, uint16_t>>(
          words.begin(), words.end());
  }

  A &a;
  Core &core;
  const Wafer &wafer;
  Slab *slab;
  const Code &code;
  const Setup &setup;
};

} // namespace

void wafer::saveCore(Saver &saver, const Core &core, const Wafer &wafer) {
  // A Saver only reads.
  Transfer<Saver>(saver, const_cast<Core &>(core), wafer, nullptr).all();
}

bool wafer::loadCore(Loader &loader, Core &core, const Wafer &wafer,
                     Slab &slab) {
  Transfer<Loader>(loader, core, wafer, &slab).all();
  return !loader.isBad();
}

template <typename A>
static void transfer(A &a, HostStream::Row &row, int64_t width) {
  std::vector<std::pair<uint16_t, std::deque<uint32_t>>> words;
  if constexpr (!A::kLoads)
    words.assign(row.words.begin(), row.words.end());
  a.list(words, static_cast<uint64_t>(width), [&](auto &queue) {
    a.below(queue.first, static_cast<uint64_t>(width));
    a.list(queue.second, ~uint64_t(0), [&](uint32_t &word) { a(word); });
  });
  if constexpr (A::kLoads)
    row.words = {words.begin(), words.end()};
  a.list(row.link, ~uint64_t(0), [&](auto &word) {
    a.below(word.first, static_cast<uint64_t>(width));
    a(word.second);
  });
  a(row.entered);
  a(row.delivered);
  a(row.waiting);
}

void wafer::saveStreamRow(Saver &saver, HostStream::Row &row) {
  transfer(saver, row, kMostListed);
}

void wafer::loadStreamRow(Loader &loader, HostStream::Row &row,
                          const Program &program) {
  transfer(loader, row, program.width);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static constexpr size_t kBlock = 256;

static bool isZero(llvm::ArrayRef<uint8_t> bytes) {
  return bytes[0] == 0 &&
         !std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1);
}

void wafer::saveBytes(Saver &saver, llvm::ArrayRef<uint8_t> memory) {
  size_t blocks = (memory.size() + kBlock - 1) / kBlock;
  std::vector<uint8_t> there((blocks + 7) / 8);
  for (size_t i = 0; i < blocks; ++i)
    if (!isZero(memory.slice(i * kBlock).take_front(kBlock)))
      there[i / 8] |= 1u << i % 8;
  saver.raw(there.data(), there.size());
  for (size_t i = 0; i < blocks; ++i)
    if (there[i / 8] >> i % 8 & 1) {
      llvm::ArrayRef<uint8_t> block =
          memory.slice(i * kBlock).take_front(kBlock);
      saver.raw(block.data(), block.size());
    }
}

void wafer::loadBytes(Loader &loader, llvm::MutableArrayRef<uint8_t> memory) {
  size_t blocks = (memory.size() + kBlock - 1) / kBlock;
  std::vector<uint8_t> there((blocks + 7) / 8);
  loader.raw(there.data(), there.size());
  for (size_t i = 0; i < blocks; ++i) {
    llvm::MutableArrayRef<uint8_t> block =
        memory.slice(i * kBlock).take_front(kBlock);
    if (there[i / 8] >> i % 8 & 1)
      loader.raw(block.data(), block.size());
    else if (!isZero(block))
      std::memset(block.data(), 0, block.size());
  }
}
