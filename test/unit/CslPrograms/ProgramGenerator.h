//===- ProgramGenerator.h - Random csl programs -----------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes csl modules of up to six PEs that have no races, so that the order of
// PEs, threads and tasks, queue depths and latencies do not matter:
//
//  - Every PE runs phases, one after another. A phase is scalar code and DSD
//    operations on its own arrays, sends and receives. Asynchronous ones have
//    arrays that nothing else touches in the phase; each activates (or
//    unblocks) a task of its own when it is done, and the last one begins the
//    next phase.
//  - A channel is a color that one PE sends on, in one phase, to one or more
//    PEs that receive all of it in the same phase: a path, a row or column, a
//    loop back, a switch that moves once, with filters, control wavelets and
//    FIFOs in between. Synchronous operations go through the channels of a
//    phase in one order everywhere, so that nobody waits in a circle; where
//    data tasks receive, nobody receives synchronously.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_TEST_UNIT_CSLPROGRAMS_PROGRAMGENERATOR_H
#define SEQUIN_TEST_UNIT_CSLPROGRAMS_PROGRAMGENERATOR_H

#include <cstdint>
#include <random>
#include <string>

namespace sequin::testing {

/// A module that exports a function "main" without arguments at every PE.
std::string generateCslProgram(std::mt19937_64 &random);

} // namespace sequin::testing

#endif // SEQUIN_TEST_UNIT_CSLPROGRAMS_PROGRAMGENERATOR_H
