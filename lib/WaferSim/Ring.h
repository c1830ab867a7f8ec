//===- Ring.h - Wavelets that wait in order ---------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Router buffers and queues. A wavelet is put in when it leaves its sender and
// may be taken from the cycle on in which it has arrived, so that a ring is the
// link and the buffer behind it. A router buffer of five words and less is one
// cache line.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_WAFERSIM_RING_H
#define SEQUIN_LIB_WAFERSIM_RING_H

#include <algorithm>
#include <cassert>
#include <cstdint>

namespace sequin::wafer {

struct Wavelet {
  uint32_t data = 0;
  bool control = false;
  bool flip = false; ///< advances the switch of the first router (FAB-084)
  uint8_t color = 0; ///< in output queues; WSE-2's carry several (ASY-018)
  bool half = false; ///< 16 bits alone (BLT-054)
};

/// Time is kept modulo 2^24 per wavelet and in full for the last one, which
/// arrives last. No link takes kLongWait cycles: those that are there when one
/// comes so long after them have arrived, and are then marked with a time just
/// before it. So no time is ever older than (kSlots + 1) * kLongWait cycles,
/// which is less than half of 2^24.
class alignas(64) Ring {
public:
  static constexpr unsigned kSlots = 20;
  static constexpr unsigned kRingColors = 24; ///< that a wavelet can have

  uint8_t capacity = 1; ///< at most kSlots
  uint8_t color = 0;
  uint8_t id = 0;         ///< queue, or direction a router buffer is fed from
  uint8_t users : 7 = 0;  ///< operations at work on this queue
  bool dense : 1 = false; ///< holds half wavelets (BLT-054)
  uint32_t pushTime = ~uint32_t(0); ///< of a router buffer, modulo 2^32
  unsigned size() const { return count; }
  /// Those that were not put in in this very cycle: for who must not see what
  /// neighbours do in it, whichever of them is stepped first.
  unsigned sizeBefore(uint64_t now) const {
    return count - (pushTime == static_cast<uint32_t>(now));
  }
  bool empty() const { return count == 0; }
  bool full() const { return count >= capacity; }
  unsigned space() const { return count >= capacity ? 0 : capacity - count; }
  /// For a sender that must not see what was taken in this very cycle.
  bool hasSpaceAt(uint64_t now) const {
    return count + (popTime == now) < capacity;
  }

  /// Whether wavelet `i` has arrived.
  bool ready(uint64_t now, unsigned i = 0) const {
    if (i >= count)
      return false;
    if (now >= lastReady)
      return true;
    uint32_t at = static_cast<uint32_t>(slots[place(i)] >> 40);
    return ((static_cast<uint32_t>(now) - at) & kTimeMask) < kTimeMask / 2;
  }
  unsigned readyCount(uint64_t now, unsigned most) const {
    unsigned n = 0;
    while (n < most && ready(now, n))
      ++n;
    return n;
  }
  Wavelet front(unsigned i = 0) const {
    assert(i < count);
    uint64_t bits = slots[place(i)];
    return {static_cast<uint32_t>(bits), (bits >> 32 & 1) != 0,
            (bits >> 33 & 1) != 0, static_cast<uint8_t>(bits >> 34 & 31),
            (bits >> 39 & 1) != 0};
  }
  void push(Wavelet wavelet, uint64_t readyAt) {
    assert(count < capacity);
    if (readyAt - lastReady > kLongWait)
      markArrived(readyAt);
    slots[place(count)] =
        wavelet.data | uint64_t(wavelet.control) << 32 |
        uint64_t(wavelet.flip) << 33 | uint64_t(wavelet.color) << 34 |
        uint64_t(wavelet.half) << 39 | (readyAt & kTimeMask) << 40;
    ++count;
    lastReady = readyAt;
  }
  void pop(uint64_t now) {
    assert(count);
    head = place(1);
    --count;
    popTime = now;
  }
  /// Takes over what waits in `from`, behind what is here, with as much room as
  /// that needs.
  void takeOver(Ring &from, uint64_t now) {
    unsigned room = count + from.count;
    assert(room <= kSlots);
    if (room > capacity) {
      std::rotate(slots, slots + head, slots + capacity);
      head = 0;
      capacity = static_cast<uint8_t>(room);
    }
    uint64_t arrival = std::max({now, lastReady, from.lastReady});
    for (; from.count; from.pop(now))
      push(from.front(), arrival);
  }
  /// When the wavelet put in last arrives.
  uint64_t lastArrival() const { return lastReady; }

  uint64_t popTime = ~uint64_t(0);

  /// Of a Saver or a Loader.
  template <typename A> void transfer(A &a) {
    a(capacity);
    a(color);
    a(id);
    uint8_t operations = users;
    bool isDense = dense;
    a.below(operations, 128);
    a(isDense);
    users = operations & 127;
    dense = isDense;
    a(head);
    a(count);
    a.require(capacity >= 1 && capacity <= kSlots && head < capacity &&
              count <= capacity && color < kRingColors && id < 32);
    if (a.isBad())
      capacity = 1, head = count = color = 0;
    a(pushTime);
    a(popTime);
    a(lastReady);
    for (unsigned i = 0; i < count; ++i) {
      a(slots[place(i)]);
      a.require(front(i).color < kRingColors);
    }
  }

private:
  uint8_t place(unsigned i) const {
    unsigned at = head + i;
    return static_cast<uint8_t>(at >= capacity ? at - capacity : at);
  }
  static constexpr uint32_t kTimeMask = (1u << 24) - 1;
  static constexpr uint64_t kLongWait = 1u << 18;
  static_assert((kSlots + 1) * kLongWait < kTimeMask / 2);
  void markArrived(uint64_t next) {
    for (unsigned i = 0; i < count; ++i) {
      uint64_t &bits = slots[place(i)];
      bits = (bits & ((uint64_t(1) << 40) - 1)) |
             ((next - kLongWait) & kTimeMask) << 40;
    }
  }
  uint8_t head = 0, count = 0;
  uint64_t lastReady = 0;
  uint64_t slots[kSlots];
};

} // namespace sequin::wafer

#endif // SEQUIN_LIB_WAFERSIM_RING_H
