//===- Messages.cpp - Colors in message mode ------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A header takes the link that leads to its destination and keeps it until the
// last word has passed (wormhole routing); it waits where another message has
// the link. First along the row, then along the column: no messages wait for
// each other in a circle, so that the fabric alone cannot hang.
//
//===----------------------------------------------------------------------===//

#include "Stepper.h"

using namespace sequin;
using namespace sequin::wafer;

void Stepper::setMessageColors(Core &core, uint32_t colors) {
  core.messageColors = colors & ((1u << kColors) - 1);
  if (core.messageColors && !core.messages)
    core.messages = std::make_unique<Messages>();
  // Buffers that are there already have their order; these go behind them.
  if (core.hasChannels)
    for (unsigned c = 0; c < kColors; ++c)
      for (unsigned d = 0; d < kDirections && carriesMessages(core, c); ++d)
        if (core.channel[c][d] == kNone)
          newChannel(core, static_cast<uint8_t>(c), d);
}

/// Where the first wavelet of a router buffer goes; kNone: it has no header.
unsigned wafer::linkOfMessage(const Core &core, uint8_t index) {
  const Ring &ring = core.rings[index];
  Wavelet wavelet = ring.front();
  if (!wavelet.flip)
    return core.messages->towards[ring.color][ring.id];
  MessageHeader header = MessageHeader::unpack(wavelet.data);
  Direction to = header.column < core.x   ? Direction::West
                 : header.column > core.x ? Direction::East
                 : header.row < core.y    ? Direction::North
                 : header.row > core.y    ? Direction::South
                                          : Direction::Ramp;
  return static_cast<unsigned>(to);
}

/// forward() for a color that carries messages.
bool Stepper::forwardMessage(Core &core, uint8_t index, uint8_t &usedLinks,
                             uint32_t &movedColors) {
  Messages &state = *core.messages;
  uint8_t color = core.rings[index].color, from = core.rings[index].id;
  auto rest = [&] {
    core.stuckWord(index / 64) |= uint64_t(1) << index % 64;
    return false;
  };
  auto stuck = [&] {
    if (tracer)
      tracer->waits(momentOf(core, now), WaitKind::Link, color);
    return rest();
  };
  const Wavelet wavelet = core.rings[index].front();
  unsigned to = linkOfMessage(core, index);
  if (to == kNone) {
    trap(core, "a wavelet without a header came from " +
                   getName(static_cast<Direction>(from)).str() + " on color " +
                   std::to_string(color) + ", which carries messages");
    return false;
  }
  uint8_t &owner = state.owner[color][to];
  if (wavelet.flip && owner != kNone)
    return stuck();
  if (usedLinks >> to & 1)
    return true;
  uint8_t channel;
  Core *next = nullptr;
  if (to == kRamp) {
    channel = inputRingOfColor(core, color);
    if (channel == kNone || core.rings[channel].full())
      return stuck();
  } else {
    next = neighbour(core, to);
    if (!next) {
      // One that was queued before the color was put into message mode.
      trap(core, "a message on color " + std::to_string(color) +
                     " leads off the rectangle");
      return false;
    }
    channel = channelOf(*next, color, to ^ 1);
    const Ring &buffer = next->rings[channel];
    if (!buffer.hasSpaceAt(now))
      return buffer.popTime == now ? rest() : stuck();
  }

  popChannel(core, index);
  usedLinks |= 1u << to;
  movedColors |= 1u << color; // the other buffers are next
  if (wavelet.flip) {
    owner = from;
    state.towards[color][from] = static_cast<uint8_t>(to);
  }
  if (wavelet.control) {
    owner = kNone;
    state.towards[color][from] = kNone;
    // Headers that waited for the link try again.
    retry(core);
    wake(core, now + 1);
  }
  if (options.observer)
    options.observer->hop(momentOf(core, now),
                          {color, static_cast<Direction>(from),
                           static_cast<Directions>(1u << to), wavelet.control,
                           wavelet.data});
  if (!next) {
    ++counters.delivered;
    sendDown(core, channel, wavelet);
  } else if (core.foreign >> to & 1) {
    ++counters.hops;
    pushOver(core, *next, channel, wavelet);
  } else {
    ++counters.hops;
    next->busyWord(channel / 64) |= uint64_t(1) << channel % 64;
    sendTo(*next, channel, wavelet, machine.hopCycles);
  }
  return core.rings[index].sizeBefore(now) != 0;
}

/// A wavelet leaves the compute element: the first of a message is its header,
/// the last has the control bit. False if the header is none.
bool Stepper::labelWavelet(Core &core, Wavelet &wavelet) {
  uint8_t &left = core.messages->left[wavelet.color];
  wavelet.flip = left == 0;
  wavelet.control = false;
  if (left) {
    wavelet.control = --left == 0;
    return true;
  }
  MessageHeader header = MessageHeader::unpack(wavelet.data);
  unsigned most = messagesOf(machine)->maxWords;
  if (header.words == 0 || header.words > most) {
    trap(core, "a message has " + std::to_string(header.words) +
                   " words, allowed are 1 to " + std::to_string(most));
    return false;
  }
  if (header.column >= program.width || header.row >= program.height) {
    trap(core, "a message is for column " + std::to_string(header.column) +
                   ", row " + std::to_string(header.row) +
                   ", and the rectangle has " + std::to_string(program.width) +
                   " columns and " + std::to_string(program.height) + " rows");
    return false;
  }
  left = header.words;
  return true;
}

/// An operation takes the words of messages, tasks the headers too: one that
/// meets a header spends the cycle on taking it out of the queue.
bool Stepper::dropHeader(Core &core, LiveOp &op) {
  for (Walk &walk : op.source) {
    if (walk.kind != Walk::Kind::FabricIn)
      continue;
    Ring &ring = core.rings[walk.ring];
    if (!carriesMessages(core, ring.color) || !ring.ready(now) ||
        !ring.front().flip)
      continue;
    popInput(core, ring);
    op.stall = Stall::None;
    return true;
  }
  return false;
}

/// Whether the next element is the last word of a message.
bool Stepper::endsMessage(const Core &core, const LiveOp &op) const {
  for (const Walk &walk : op.source)
    if (walk.kind == Walk::Kind::FabricIn && !walk.half) {
      const Ring &ring = core.rings[walk.ring];
      if (carriesMessages(core, ring.color) && !ring.empty() &&
          ring.front().control)
        return true;
    }
  return false;
}
