//===- Observer.cpp - Who watches the fabric simulator --------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/WaferSim/Observer.h"

using namespace sequin::wafer;

// An observer answers to what it wants to know and lets the rest pass.
Observer::~Observer() = default;
void Observer::hop(const Moment &, const Hop &) {}
void Observer::switchMoves(const Moment &, const SwitchMove &) {}
bool Observer::wantsInstructions() const { return false; }
void Observer::element(const Moment &, const TracedElement &) {}
void Observer::instruction(const Moment &, const TracedInstruction &) {}
void Observer::waits(const Moment &, WaitKind, unsigned) {}
void Observer::queued(const Moment &, unsigned, uint32_t) {}
void Observer::sent(const Moment &, unsigned, uint32_t) {}
void Observer::taskStarts(const Moment &, llvm::StringRef, const Function &) {}
void Observer::taskEnds(const Moment &) {}
void Observer::operationStarts(const Moment &, unsigned, sequin::DsdOpcode,
                               uint32_t, Location) {}
void Observer::operationEnds(const Moment &, unsigned) {}
void Observer::issues(const Moment &, unsigned) {}
void Observer::works(const Moment &, uint64_t) {}
