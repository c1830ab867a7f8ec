//===- Border.cpp - Neighbours in rows of other ranks ---------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A rank has images of the PEs beyond its borders: Cores without a PE, of which
// only the router buffers that its own PEs fill are kept. What a PE does to an
// image in a cycle is told to the owner and done there before the next cycle,
// and the owner tells what its PE takes out. What a PE does in a cycle does not
// depend on what its neighbours do in that cycle, so that this is in time.
//
//===----------------------------------------------------------------------===//

#include "Wafer.h"

using namespace sequin;
using namespace sequin::wafer;

std::vector<Crossing> &Stepper::crossingsTo(const Core &other) {
  return crossings[other.y >= wafer.endRow];
}

void Stepper::pushOver(Core &core, Core &other, uint8_t channel,
                       Wavelet wavelet) {
  Ring &image = other.rings[channel];
  image.push(wavelet, now);
  image.pushTime = static_cast<uint32_t>(now);
  crossingsTo(other).push_back({wavelet.data, core.x, Crossing::Kind::Push,
                                image.color, wavelet.control, wavelet.flip,
                                wavelet.half, wavelet.color});
}

void Stepper::tellRoutes(const Core &core, uint16_t address, uint16_t value) {
  for (Direction side : {Direction::North, Direction::South})
    if (core.foreign & bit(side))
      crossings[side == Direction::South].push_back(
          {uint32_t(value) << 16 | address, core.x, Crossing::Kind::Route});
}

void Stepper::takeCrossings(llvm::ArrayRef<Crossing> all, bool south) {
  const size_t width = static_cast<size_t>(program.width);
  Core *own = &wafer.cores[(south ? wafer.endRow - 1 : wafer.firstRow) * width];
  Core *images = south ? own + width : own - width;
  const unsigned from =
      static_cast<unsigned>(south ? Direction::South : Direction::North);
  for (const Crossing &crossing : all) {
    Core &core = own[crossing.x], &image = images[crossing.x];
    switch (crossing.kind) {
    case Crossing::Kind::Probe:
      channelOf(core, crossing.color, from);
      break;
    case Crossing::Kind::Push: {
      uint8_t channel = channelOf(core, crossing.color, from);
      Wavelet wavelet{crossing.data, crossing.control, crossing.flip,
                      crossing.sentAs, crossing.half};
      core.busyWord(channel / 64) |= uint64_t(1) << channel % 64;
      sendTo(core, channel, wavelet, machine.hopCycles);
      break;
    }
    case Crossing::Kind::Pop: {
      Ring &ring = image.rings[image.channel[crossing.color][from ^ 1]];
      bool wasFull = ring.sizeBefore(now) >= ring.capacity;
      ring.pop(now);
      if (wasFull)
        retryNext(core);
      break;
    }
    case Crossing::Kind::Route:
      if (const CslRegisterInfo *info =
              lookupCslRegister(crossing.data & 0xffff))
        writeRoutes(image, info->kind, (crossing.data & 0xffff) - info->address,
                    static_cast<uint16_t>(crossing.data >> 16));
      break;
    }
  }
}

void Stepper::loadImage(Core &image) {
  size_t index = static_cast<size_t>(&image - wafer.cores.data());
  image.x = static_cast<uint16_t>(index % program.width);
  image.y = static_cast<uint16_t>(index / program.width);
  const Pe &pe = program.pes[index];
  image.router = &wafer.routers[pe.router];
  for (auto &links : image.channel)
    links.fill(kNone);
  for (auto [address, value] : program.setups[pe.setup].registers)
    if (const CslRegisterInfo *info = lookupCslRegister(address))
      writeRoutes(image, info->kind, address - info->address, value);
}

void Stepper::takeImage(Core &image, Loader &border, bool south) {
  bool own = false;
  border(own);
  if (own)
    border.raw(&editRouter(image), sizeof(RouterTable));
  const unsigned from =
      static_cast<unsigned>(south ? Direction::North : Direction::South);
  for (unsigned color = 0; color < kColors; ++color) {
    bool has = false;
    border(has);
    if (!has)
      continue;
    uint8_t &channel = image.channel[color][from];
    if (channel == kNone)
      newChannel(image, static_cast<uint8_t>(color), from);
    border.raw(&image.rings[channel], sizeof(Ring));
  }
}
