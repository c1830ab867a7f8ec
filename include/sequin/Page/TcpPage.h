//===- TcpPage.h - The page of a run on TCP chips ---------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_PAGE_TCPPAGE_H
#define SEQUIN_PAGE_TCPPAGE_H

#include "sequin/Config/Config.h"
#include "sequin/Machine/Machine.h"
#include "sequin/Page/Document.h"
#include "sequin/Sim/Simulator.h"

namespace sequin::page {

struct TcpRun {
  const config::Program &program;
  const TcpMachine &machine;
  /// With sim::Options::keepAccesses; null of a run that trapped.
  const sim::Report *report = nullptr;
  const sim::Trap *trap = nullptr;
  /// How operations were mapped, in words (api::Program::mappings()).
  const llvm::json::Array *mappings = nullptr;
  /// What locations name; files are read besides.
  std::vector<Source> sources = {};
};

void writeTcpPage(llvm::raw_ostream &os, const Heading &heading,
                  const TcpRun &run);

} // namespace sequin::page

#endif // SEQUIN_PAGE_TCPPAGE_H
