//===- HbmService.cpp - When HBM has served a request ---------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Clock/HbmService.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace sequin;
using namespace sequin::sim;

HbmService::HbmService(const HbmModel &model, int64_t coreMHz)
    : parts(model.controllerMHz),
      transferParts(llvm::divideCeil(model.unitBytes / model.controllerBytes *
                                         coreMHz * 100,
                                     100 - model.refreshPercent)),
      switchParts(model.rowSwitchCycles * parts), model(model),
      channels(model.channels()) {
  for (Channel &channel : channels)
    channel.banks.resize(model.banksPerChannel());
}

int64_t HbmService::serve(int64_t time, int64_t address, int64_t bytes,
                          bool write) {
  int64_t unit = address - address % model.unitBytes, served = 0;
  for (; unit < address + bytes; unit += model.unitBytes) {
    HbmPlace place = placeOf(model, unit);
    Channel &channel = channels[place.channel];
    Bank &bank = channel.banks[place.bank];
    int64_t ready = std::max(time * parts, bank.freeAt);
    if (bank.row >= 0 && bank.row != place.row)
      ready += switchParts;
    bank.row = place.row;
    bool isPart = unit < address || unit + model.unitBytes > address + bytes;
    int64_t transfer =
        transferParts * (write && isPart ? model.partialWriteFactor : 1);
    bank.freeAt = std::max(ready, channel.freeAt) + transfer;
    channel.freeAt = std::max(time * parts, channel.freeAt) + transfer;
    served = std::max(served, bank.freeAt);
  }
  return llvm::divideCeil(served, parts);
}
