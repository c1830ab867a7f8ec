//===- Vector.cpp - The intra-slice block of the vector engine ------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The list of operations is cut at the intra-slice reduction. Each of the two
// parts runs over blocks of elements, one operation after the other over the
// whole block: per element there is only arithmetic.
//
//===----------------------------------------------------------------------===//

#include "Engine/Engines.h"
#include "Engine/IntraSliceReduce.h"
#include "Engine/ValidCount.h"
#include "Engine/VectorBranch.h"
#include "Engine/VectorOps.h"
#include "sequin/Machine/TcpIsa.h"
#include "sequin/Support/Arithmetic.h"

using namespace sequin;
using namespace sequin::sim;
using config::VectorOpcode;
using config::VectorOperand;
using tcp_isa::kLanes;
using tcp_isa::kNarrowLanes;

namespace {

/// An operation with what it needs per slice.
struct Step {
  const config::VectorOp *op;
  const VectorOpcodeInfo *info;
  VectorFunction function;
  llvm::SmallVector<int, 3> sources;
  /// The operands: a block full of the constant, or a buffer.
  std::vector<uint32_t> operands[2];
  WordStream vrf[2];
  /// Lanes of a packet here.
  int64_t lanes = kLanes;
  /// Operand register, if the operation uses it.
  bool feedsBack = false;
  uint32_t registers[kLanes] = {};

  const VectorOperand &operand(int i) const {
    return i == 0 ? op->operand : op->operand1;
  }
};

/// What flows through the steps.
struct Block {
  Lanes groups[2];
  bool paired = false;
  /// Per element; empty while all are 0.
  std::vector<uint8_t> ids;
  /// Valid counts per packet; empty while all elements are data.
  std::vector<uint8_t> valid;
  std::vector<uint32_t> stash;
};

/// The part of the block before or behind the reduction.
class Chain {
public:
  explicit Chain(const TcpMachine &machine)
      : poison(0x01010101u * machine.poisonByte), rules(machine.arithmetic) {}

  void add(const config::VectorOp &op, bool &way4);
  void begin(const uint8_t *vrf);
  void run(Block &block);

private:
  void readOperands(Step &step, int64_t count);
  void compute(Step &step, Block &block, Lanes &lanes);
  void computeWithRegister(Step &step, const uint32_t *const arguments[3],
                           const Block &block, const uint32_t *stream,
                           uint32_t *out, int64_t count);
  void trim(Block &block);
  void pad(Block &block);

  /// Elements of a block at most: padding doubles what a reduction left.
  static constexpr int64_t kMost = 2 * BlockCutter::kBlock;

  uint32_t poison;
  const ArithmeticRules &rules;
  std::vector<Step> steps;
  const uint8_t *base = nullptr;
};

} // namespace

void Chain::add(const config::VectorOp &op, bool &way4) {
  Step &step = steps.emplace_back();
  step.op = &op;
  step.info = &infoOf(op.opcode);
  step.function = functionOf(op.opcode, rules);
  step.lanes = way4 ? kNarrowLanes : kLanes;
  step.sources = argumentSources(op.mode, step.info->arity);
  step.feedsBack = op.writeIds != 0;
  for (int i : {0, 1}) {
    const VectorOperand &operand = step.operand(i);
    step.feedsBack |= operand.kind == VectorOperand::Kind::Register;
    if (operand.kind == VectorOperand::Kind::Constant)
      step.operands[i].assign(kMost, operand.constant);
    else if (operand.kind == VectorOperand::Kind::Vrf)
      step.vrf[i] = WordStream(operand.vrf.entries);
  }
  if (step.info->stage == VectorStageKind::Narrow)
    way4 = true;
  if (step.info->stage == VectorStageKind::Widen)
    way4 = false;
}

void Chain::begin(const uint8_t *vrf) {
  base = vrf;
  for (Step &step : steps) {
    step.vrf[0].reset();
    step.vrf[1].reset();
    std::fill_n(step.registers, kLanes, 0);
  }
}

void Chain::readOperands(Step &step, int64_t count) {
  for (int i : {0, 1}) {
    const VectorOperand &operand = step.operand(i);
    if (operand.kind != VectorOperand::Kind::Vrf)
      continue;
    step.operands[i].resize(count);
    step.vrf[i].read(base + operand.vrf.baseAddress, step.operands[i].data(),
                     count);
  }
}

/// Elements with other ids pass unchanged.
static void keepInactive(config::IdSet active, const uint8_t *ids,
                         const uint32_t *stream, uint32_t *result,
                         int64_t count) {
  constexpr int kIds = 1 << tcp_isa::kExecutionIdBits;
  uint32_t masks[kIds];
  for (int id = 0; id < kIds; ++id)
    masks[id] = active >> id & 1 ? ~0u : 0;
  for (int64_t i = 0; i < count; ++i) {
    uint32_t mask = masks[ids[i] % kIds];
    result[i] = (result[i] & mask) | (stream[i] & ~mask);
  }
}

void Chain::compute(Step &step, Block &block, Lanes &lanes) {
  int64_t count = lanes.count();
  const uint32_t *stream = lanes.data();
  const uint32_t *inputs[3] = {stream, nullptr, nullptr};
  if (step.op->zip) {
    inputs[1] = block.groups[1].data();
  } else {
    for (int i : {0, 1})
      inputs[i + 1] = step.operand(i).kind == VectorOperand::Kind::Stash
                          ? block.stash.data()
                          : step.operands[i].data();
  }
  VectorCall call{lanes.room(count), {}, count, step.op->intWidth, rules};
  for (auto [index, source] : llvm::enumerate(step.sources))
    call.arguments[index] = inputs[source];
  if (step.feedsBack) {
    computeWithRegister(step, call.arguments, block, stream, call.out, count);
  } else {
    step.function(call);
    if (step.op->ids != config::kAllIds) {
      // Without a branch every id is 0.
      if (!block.ids.empty())
        keepInactive(step.op->ids, block.ids.data(), stream, call.out, count);
      else if (!(step.op->ids & 1))
        std::copy_n(stream, count, call.out);
    }
  }
  lanes.accept(count);
}

/// Packet by packet: one may read what the one before it wrote.
void Chain::computeWithRegister(Step &step, const uint32_t *const arguments[3],
                                const Block &block, const uint32_t *stream,
                                uint32_t *out, int64_t count) {
  int64_t lanes = step.lanes;
  uint32_t result[kLanes];
  for (int64_t first = 0; first < count; first += lanes) {
    VectorCall call{result, {}, lanes, step.op->intWidth, rules};
    for (auto [index, source] : llvm::enumerate(step.sources)) {
      bool fromRegister = source > 0 && step.operand(source - 1).kind ==
                                            VectorOperand::Kind::Register;
      call.arguments[index] =
          fromRegister ? step.registers : arguments[index] + first;
    }
    step.function(call);
    for (int64_t lane = 0; lane < lanes; ++lane) {
      int id = block.ids.empty() ? 0 : block.ids[first + lane];
      uint32_t value =
          step.op->ids >> id & 1 ? result[lane] : stream[first + lane];
      out[first + lane] = value;
      if (step.op->writeIds >> id & 1)
        step.registers[lane] = value;
    }
  }
}

/// Keeps the lower lanes of every packet of kLanes elements.
template <class T>
static int64_t keepLower(const T *from, int64_t count, T *to) {
  for (int64_t i = 0; i < count; i += kLanes, to += kNarrowLanes)
    std::copy_n(from + i, kNarrowLanes, to);
  return count / 2;
}

/// Fills every packet of kNarrowLanes elements up to kLanes with `value`.
template <class T>
static int64_t fillUpper(const T *from, int64_t count, T *to, T value) {
  for (int64_t i = 0; i < count; i += kNarrowLanes) {
    to = std::copy_n(from + i, kNarrowLanes, to);
    to = std::fill_n(to, kLanes - kNarrowLanes, value);
  }
  return count * 2;
}

void Chain::trim(Block &block) {
  for (Lanes &lanes :
       llvm::MutableArrayRef(block.groups).take_front(1 + block.paired)) {
    int64_t count = lanes.count() / 2;
    keepLower(lanes.data(), lanes.count(), lanes.room(count));
    lanes.accept(count);
  }
  // In place: the source is never behind the destination.
  block.ids.resize(
      keepLower(block.ids.data(), block.ids.size(), block.ids.data()));
  block.stash.resize(
      keepLower(block.stash.data(), block.stash.size(), block.stash.data()));
}

void Chain::pad(Block &block) {
  for (Lanes &lanes :
       llvm::MutableArrayRef(block.groups).take_front(1 + block.paired)) {
    int64_t count = lanes.count() * 2;
    fillUpper(lanes.data(), lanes.count(), lanes.room(count), poison);
    lanes.accept(count);
  }
  std::vector<uint8_t> ids(block.ids.size() * 2);
  fillUpper<uint8_t>(block.ids.data(), block.ids.size(), ids.data(), 0);
  block.ids = std::move(ids);
  std::vector<uint32_t> stash(block.stash.size() * 2);
  fillUpper(block.stash.data(), block.stash.size(), stash.data(), poison);
  block.stash = std::move(stash);
}

void Chain::run(Block &block) {
  for (Step &step : steps) {
    switch (step.op->opcode) {
    case VectorOpcode::Split: {
      std::vector<uint8_t> counts(block.valid.size() * 2);
      splitCounts(block.valid, kNarrowLanes, counts);
      block.valid = std::move(counts);
      continue;
    }
    case VectorOpcode::TrimWay4: {
      trim(block);
      std::vector<uint8_t> counts(block.valid.size());
      trimCounts(block.valid, kNarrowLanes, counts);
      block.valid = std::move(counts);
      continue;
    }
    case VectorOpcode::PadWay8:
      pad(block);
      continue;
    case VectorOpcode::Concat:
    case VectorOpcode::Filter:
    case VectorOpcode::Reinterpret:
      continue;
    case VectorOpcode::Stash:
      block.stash.assign(block.groups[0].data(),
                         block.groups[0].data() + block.groups[0].count());
      continue;
    default:
      break;
    }
    readOperands(step, block.groups[0].count());
    if (step.op->zip || !block.paired) {
      compute(step, block, block.groups[0]);
      block.paired = false;
      continue;
    }
    for (int group : {0, 1})
      if (step.op->groups >> group & 1)
        compute(step, block, block.groups[group]);
  }
}

//===----------------------------------------------------------------------===//
// The engine
//===----------------------------------------------------------------------===//

struct VectorEngine::Impl {
  Impl(const config::VectorStage &stage, llvm::ArrayRef<config::VectorOp> ops,
       const TcpMachine &machine);

  void runFront(uint32_t *elements, int64_t count, FlitSink sink);
  void runBack(uint32_t *elements, int64_t count, FlitSink sink);
  void deliver(Block &block, FlitSink sink);
  void flush(size_t words, FlitSink sink);

  const config::VectorStage &stage;
  const TcpMachine &machine;
  BranchUnit branch;
  std::optional<ValidCounter> counter;
  Chain front, back;
  std::unique_ptr<IntraSliceReducer> reducer;
  const config::VectorOp *filter = nullptr;
  BlockCutter entry, behindReduction;
  Block block, reduced;
  std::vector<uint32_t> pair[2];
  /// Kept elements, of which `passedOn` have left the engine in this slice.
  std::vector<uint32_t> kept;
  int64_t passedOn = 0;
  int64_t keptInSlice = 0, slice = 0;
  std::string problem;
};

VectorEngine::Impl::Impl(const config::VectorStage &stage,
                         llvm::ArrayRef<config::VectorOp> ops,
                         const TcpMachine &machine)
    : stage(stage), machine(machine), branch(stage.branch, stage.type),
      front(machine), back(machine) {
  if (stage.validCount)
    counter.emplace(*stage.validCount, kLanes);
  if (stage.intraSliceReduce)
    reducer = IntraSliceReducer::create(*stage.intraSliceReduce);
  bool way4 = false, inBack = false;
  for (const config::VectorOp &op : ops) {
    VectorStageKind kind = infoOf(op.opcode).stage;
    // A stash right behind the reduction has nothing to tell it by; none is
    // allowed there.
    inBack |= reducer && kind > VectorStageKind::IntraSliceReduce &&
              kind != VectorStageKind::Stash;
    (inBack ? back : front).add(op, way4);
    if (op.opcode == VectorOpcode::Filter)
      filter = &op;
  }
}

/// From the entry to the reduction, or to the end.
void VectorEngine::Impl::runFront(uint32_t *elements, int64_t count,
                                  FlitSink sink) {
  if (stage.unzip) {
    // Flits of the groups alternate.
    block.paired = true;
    for (int group : {0, 1}) {
      pair[group].resize(count / 2);
      for (int64_t i = 0; i < count / 2; i += kLanes)
        std::copy_n(elements + 2 * i + group * kLanes, kLanes,
                    pair[group].data() + i);
      block.groups[group].set(pair[group].data(), count / 2);
    }
  } else {
    block.groups[0].set(elements, count);
  }
  if (counter) {
    block.valid.resize(count / kLanes);
    counter->next(block.valid);
  }
  if (branch.isActive() || stage.branch.logAddress) {
    block.ids.resize(count);
    branch.next(elements, count, block.valid.data(), kLanes, block.ids.data());
  }
  front.run(block);
  if (!reducer)
    return deliver(block, sink);
  Lanes &lanes = block.groups[0];
  reducer->push(llvm::ArrayRef(lanes.data(), lanes.count()),
                counter ? block.valid.data() : nullptr,
                [&](llvm::MutableArrayRef<uint32_t> packets) {
                  behindReduction.push(packets.data(), packets.size(),
                                       [&](uint32_t *elements, int64_t count) {
                                         runBack(elements, count, sink);
                                       });
                });
}

/// From the reduction to the end. Results of reductions have ExecutionId 0.
void VectorEngine::Impl::runBack(uint32_t *elements, int64_t count,
                                 FlitSink sink) {
  reduced.groups[0].set(elements, count);
  back.run(reduced);
  deliver(reduced, sink);
}

void VectorEngine::Impl::deliver(Block &block, FlitSink sink) {
  Lanes &lanes = block.groups[0];
  const uint32_t *data = lanes.data();
  if (!filter)
    return sink({reinterpret_cast<uint8_t *>(lanes.data()),
                 lanes.count() * sizeof(uint32_t)});
  size_t before = kept.size();
  for (int64_t i = 0; i < lanes.count(); ++i)
    if (filter->ids >> (block.ids.empty() ? 0 : block.ids[i]) & 1)
      kept.push_back(data[i]);
  keptInSlice += kept.size() - before;
  flush(kept.size() / kLanes * kLanes, sink);
}

/// Passes on the first `words` kept elements, as far as there is room for them.
void VectorEngine::Impl::flush(size_t words, FlitSink sink) {
  int64_t room = filter->elements - passedOn;
  int64_t passed = std::min<int64_t>(words, room);
  if (passed > 0)
    sink({reinterpret_cast<uint8_t *>(kept.data()), passed * sizeof(uint32_t)});
  passedOn += passed;
  kept.erase(kept.begin(), kept.begin() + words);
}

VectorEngine::VectorEngine(const config::VectorStage &stage,
                           llvm::ArrayRef<config::VectorOp> ops,
                           const TcpMachine &machine)
    : impl(std::make_unique<Impl>(stage, ops, machine)) {}
VectorEngine::~VectorEngine() = default;
VectorEngine::VectorEngine(VectorEngine &&) = default;
VectorEngine &VectorEngine::operator=(VectorEngine &&) = default;

void VectorEngine::begin(uint8_t *vrf, int64_t slice) {
  impl->branch.begin(vrf);
  if (impl->counter)
    impl->counter->begin(slice % impl->machine.slicesPerCluster);
  impl->front.begin(vrf);
  impl->back.begin(vrf);
  if (impl->reducer)
    impl->reducer->begin();
  impl->passedOn = impl->keptInSlice = 0;
  impl->slice = slice;
}

const std::string &VectorEngine::problem() const { return impl->problem; }

void VectorEngine::push(llvm::MutableArrayRef<uint8_t> flits, FlitSink sink) {
  // Flits come from std::vector's allocation and are aligned for this.
  impl->entry.push(reinterpret_cast<uint32_t *>(flits.data()),
                   flits.size() / sizeof(uint32_t),
                   [&](uint32_t *elements, int64_t count) {
                     impl->runFront(elements, count, sink);
                   });
}

void VectorEngine::finish(FlitSink sink) {
  impl->entry.finish([&](uint32_t *elements, int64_t count) {
    impl->runFront(elements, count, sink);
  });
  auto runBack = [&](uint32_t *elements, int64_t count) {
    impl->runBack(elements, count, sink);
  };
  if (impl->reducer) {
    impl->reducer->finish([&](llvm::MutableArrayRef<uint32_t> packets) {
      impl->behindReduction.push(packets.data(), packets.size(), runBack);
    });
    impl->behindReduction.finish(runBack);
  }
  if (!impl->filter)
    return;
  if (impl->keptInSlice > impl->filter->elements && impl->problem.empty())
    impl->problem = "Filter keeps " + std::to_string(impl->keptInSlice) +
                    " elements of slice " + std::to_string(impl->slice) +
                    ", there is room for " +
                    std::to_string(impl->filter->elements);
  // What is behind the kept elements has no value.
  int64_t missing = impl->filter->elements - impl->passedOn - impl->kept.size();
  if (missing > 0)
    impl->kept.resize(impl->kept.size() + missing,
                      0x01010101u * impl->machine.poisonByte);
  impl->flush(impl->kept.size(), sink);
}

//===----------------------------------------------------------------------===//
// Cast
//===----------------------------------------------------------------------===//

/// f32 to bf16 in place, for all lanes of a flit at once.
static void castFlitsToBf16(int64_t lanes,
                            llvm::MutableArrayRef<uint8_t> flits) {
  constexpr uint32_t kMagnitude = 0x7fffffff, kInfinity = 0x7f800000;
  constexpr uint32_t kSmallestNormal = 0x00800000, kNan = 0x7fc0;
  uint32_t flushed = isFlushingSubnormals() ? ~kMagnitude : ~0u;
  auto *word = reinterpret_cast<uint32_t *>(flits.data());
  for (size_t left = flits.size() / (lanes * 4); left != 0; --left) {
    for (int64_t i = 0; i < lanes; ++i) {
      uint32_t bits = word[i], magnitude = bits & kMagnitude;
      bits &= magnitude < kSmallestNormal ? flushed : ~0u;
      uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
      word[i] = magnitude > kInfinity ? kNan : rounded;
    }
    // The halves of the words move together to the front.
    for (int64_t i = 0; i < lanes / 2; ++i)
      word[i] = word[2 * i] | word[2 * i + 1] << 16;
    for (int64_t i = lanes / 2; i < lanes; ++i)
      word[i] = 0;
    word += lanes;
  }
}

void sim::castFlits(const config::CastStage &stage, const TcpMachine &machine,
                    llvm::MutableArrayRef<uint8_t> flits) {
  int64_t lanes = machine.outputLanes;
  if (stage.from == ElementType::F32 && stage.to == ElementType::BF16)
    return castFlitsToBf16(lanes, flits);
  std::vector<uint32_t> wide(lanes);
  for (uint8_t *flit = flits.begin(); flit != flits.end();
       flit += machine.flitBytes) {
    std::memcpy(wide.data(), flit, machine.flitBytes);
    std::memset(flit, 0, machine.flitBytes);
    for (int64_t i = 0; i < lanes; ++i) {
      uint32_t bits =
          isFloat(stage.to)
              ? encodeFloat(stage.to, decodeFloat(stage.from, wide[i]))
              : narrowInt(stage.to, decodeInt(stage.from, wide[i]),
                          machine.arithmetic);
      storeElement(stage.to, flit, i, bits);
    }
  }
}
