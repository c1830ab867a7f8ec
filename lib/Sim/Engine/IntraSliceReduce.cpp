//===- IntraSliceReduce.cpp - Reduction inside a slice --------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Engine/IntraSliceReduce.h"
#include "Engine/FloatBits.h"
#include "sequin/Machine/TcpIsa.h"
#include "sequin/Support/Arithmetic.h"
#include "llvm/ADT/bit.h"
#include <algorithm>
#include <array>
#include <limits>

using namespace sequin;
using namespace sequin::sim;
using config::IntraSliceReduceOp;

static constexpr int64_t kLanes = tcp_isa::kNarrowLanes;
/// Packets collected before they are passed on.
static constexpr size_t kFlushPackets = 512;

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

namespace {

struct AddSatOp {
  using Element = int32_t;
  static constexpr Element identity = 0;
  static Element apply(Element a, Element b) { return addSat(a, b); }
};
struct MaxOp {
  using Element = int32_t;
  static constexpr Element identity = std::numeric_limits<int32_t>::min();
  static Element apply(Element a, Element b) { return std::max(a, b); }
};
struct MinOp {
  using Element = int32_t;
  static constexpr Element identity = std::numeric_limits<int32_t>::max();
  static Element apply(Element a, Element b) { return std::min(a, b); }
};
struct AddFOp {
  using Element = float;
  static constexpr Element identity = 0;
  static Element apply(Element a, Element b) { return a + b; }
};
struct MaxFOp {
  using Element = float;
  static constexpr Element identity = -std::numeric_limits<float>::infinity();
  static Element apply(Element a, Element b) { return maxNum(a, b); }
};
struct MinFOp {
  using Element = float;
  static constexpr Element identity = std::numeric_limits<float>::infinity();
  static Element apply(Element a, Element b) { return minNum(a, b); }
};

template <class Op, bool Tree> class ReducerOf : public IntraSliceReducer {
  using Element = typename Op::Element;
  using Packet = std::array<Element, kLanes>;

public:
  explicit ReducerOf(const config::IntraSliceReduceStage &stage);

  void begin() override;
  void push(llvm::ArrayRef<uint32_t> packets, const uint8_t *valid,
            PacketSink sink) override;
  void finish(PacketSink sink) override;

private:
  struct Wheel {
    int64_t size, stride, count;
    bool reduced;
  };

  static Packet load(const uint32_t *source, uint8_t valid) {
    Packet packet;
    for (int64_t lane = 0; lane < kLanes; ++lane)
      packet[lane] =
          lane < valid ? llvm::bit_cast<Element>(source[lane]) : Op::identity;
    return packet;
  }
  /// The tree's result is lane 0, where the accumulator of a slot is.
  static void accumulate(Packet &slot, const Packet &packet) {
    if constexpr (Tree)
      slot[0] = Op::apply(slot[0], Op::apply(Op::apply(packet[0], packet[1]),
                                             Op::apply(packet[2], packet[3])));
    else
      for (int64_t lane = 0; lane < kLanes; ++lane)
        slot[lane] = Op::apply(slot[lane], packet[lane]);
  }
  static Packet emptySlot() {
    Packet slot;
    slot.fill(Op::identity);
    return slot;
  }
  void emit(Packet &slot);
  /// `count` packets of the innermost loop.
  void run(const uint32_t *source, const uint8_t *valid, int64_t count);

  /// The innermost loop, and those around it, innermost first.
  Wheel inner{1, 0, 0, false};
  llvm::SmallVector<Wheel, 6> outer;
  /// Slot of the outer loops' counts, and whether they are all at the last
  /// iteration of what is reduced.
  int64_t outerSlot = 0;
  bool isLast = true;
  std::vector<Packet> slots;
  std::vector<uint32_t> pending;
};

} // namespace

template <class Op, bool Tree>
ReducerOf<Op, Tree>::ReducerOf(const config::IntraSliceReduceStage &stage) {
  int64_t last = 0;
  for (const config::ReduceLoop &loop : llvm::reverse(stage.loops)) {
    if (loop.size == 1)
      continue;
    outer.push_back({loop.size, loop.slotStride, 0, loop.reduced});
    last += (loop.size - 1) * loop.slotStride;
  }
  if (!outer.empty()) {
    inner = outer.front();
    outer.erase(outer.begin());
  }
  slots.resize(last + 1);
  pending.reserve(2 * kFlushPackets * kLanes);
}

template <class Op, bool Tree> void ReducerOf<Op, Tree>::begin() {
  inner.count = 0;
  outerSlot = 0;
  isLast = true;
  for (Wheel &wheel : outer) {
    wheel.count = 0;
    isLast &= !wheel.reduced;
  }
  std::fill(slots.begin(), slots.end(), emptySlot());
}

template <class Op, bool Tree> void ReducerOf<Op, Tree>::emit(Packet &slot) {
  for (int64_t lane = 0; lane < kLanes; ++lane)
    pending.push_back(Tree && lane ? 0 : toBits(slot[lane]));
  slot = emptySlot();
}

template <class Op, bool Tree>
void ReducerOf<Op, Tree>::run(const uint32_t *source, const uint8_t *valid,
                              int64_t count) {
  auto countOf = [&](int64_t i) -> uint8_t {
    return valid ? valid[i] : kLanes;
  };
  if (inner.reduced) {
    Packet slot = slots[outerSlot];
    if (valid)
      for (int64_t i = 0; i < count; ++i)
        accumulate(slot, load(source + i * kLanes, valid[i]));
    else
      for (int64_t i = 0; i < count; ++i)
        accumulate(slot, load(source + i * kLanes, kLanes));
    slots[outerSlot] = slot;
    if (isLast && inner.count + count == inner.size)
      emit(slots[outerSlot]);
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    Packet &slot = slots[outerSlot + (inner.count + i) * inner.stride];
    accumulate(slot, load(source + i * kLanes, countOf(i)));
    if (isLast)
      emit(slot);
  }
}

template <class Op, bool Tree>
void ReducerOf<Op, Tree>::push(llvm::ArrayRef<uint32_t> packets,
                               const uint8_t *valid, PacketSink sink) {
  int64_t total = packets.size() / kLanes;
  for (int64_t done = 0; done < total;) {
    int64_t count = std::min(
        {total - done, inner.size - inner.count, int64_t(kFlushPackets)});
    run(packets.data() + done * kLanes, valid ? valid + done : nullptr, count);
    done += count;
    inner.count += count;
    if (inner.count == inner.size) {
      inner.count = 0;
      for (Wheel &wheel : outer) {
        outerSlot += wheel.stride;
        if (++wheel.count < wheel.size)
          break;
        outerSlot -= wheel.stride * wheel.size;
        wheel.count = 0;
      }
      isLast = llvm::all_of(outer, [](const Wheel &wheel) {
        return !wheel.reduced || wheel.count == wheel.size - 1;
      });
    }
    if (pending.size() >= kFlushPackets * kLanes)
      finish(sink);
  }
}

template <class Op, bool Tree>
void ReducerOf<Op, Tree>::finish(PacketSink sink) {
  if (pending.empty())
    return;
  sink(pending);
  pending.clear();
}

ElementType IntraSliceReducer::typeOf(IntraSliceReduceOp op) {
  switch (op) {
  case IntraSliceReduceOp::AddSat:
  case IntraSliceReduceOp::Max:
  case IntraSliceReduceOp::Min:
    return ElementType::I32;
  case IntraSliceReduceOp::AddF:
  case IntraSliceReduceOp::MaxF:
  case IntraSliceReduceOp::MinF:
    return ElementType::F32;
  }
  return ElementType::I32;
}

template <class Op>
static std::unique_ptr<IntraSliceReducer>
createFor(const config::IntraSliceReduceStage &stage) {
  if (stage.tree)
    return std::make_unique<ReducerOf<Op, true>>(stage);
  return std::make_unique<ReducerOf<Op, false>>(stage);
}

std::unique_ptr<IntraSliceReducer>
IntraSliceReducer::create(const config::IntraSliceReduceStage &stage) {
  switch (stage.op) {
  case IntraSliceReduceOp::AddSat:
    return createFor<AddSatOp>(stage);
  case IntraSliceReduceOp::Max:
    return createFor<MaxOp>(stage);
  case IntraSliceReduceOp::Min:
    return createFor<MinOp>(stage);
  case IntraSliceReduceOp::AddF:
    return createFor<AddFOp>(stage);
  case IntraSliceReduceOp::MaxF:
    return createFor<MaxFOp>(stage);
  case IntraSliceReduceOp::MinF:
    return createFor<MinFOp>(stage);
  }
  return nullptr;
}
