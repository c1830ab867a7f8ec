//===- WaferProgramCheck.cpp - A bounded run of any wafer program ---------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WaferProgramCheck.h"

#include "sequin/WaferHost/Session.h"

using namespace sequin;

/// PEs of programs that are run: the memory of a large one takes the time.
static constexpr int64_t kMaxPes = 64;

std::string fuzz::runWaferProgram(llvm::StringRef text) {
  auto program = wafer::fromJSONText(text);
  if (!program)
    return llvm::toString(program.takeError());
  if (program->width > kMaxPes || program->height > kMaxPes ||
      program->width * program->height > kMaxPes)
    return 0;
  wafer::Options options;
  options.maxCycles = 4000;
  options.maxSteps = 200000;
  auto session = wafer::Session::create(std::move(*program), options);
  if (!session)
    return llvm::toString(session.takeError());
  wafer::Session &host = **session;
  // What a host could do with each of the names, wrong commands included.
  for (const wafer::Symbol &symbol : host.program().symbols) {
    if (symbol.kind == wafer::Symbol::Kind::Function) {
      std::vector<uint64_t> arguments(symbol.argumentBits.size(), 3);
      llvm::consumeError(host.launch(symbol.name, host.all(), arguments,
                                     wafer::Session::Missing::Skip));
      continue;
    }
    auto shape = host.dataOf(symbol, host.all());
    if (!shape) {
      llvm::consumeError(shape.takeError());
      continue;
    }
    std::vector<uint8_t> bytes(
        size_t(shape->bytesPerPe() * host.program().width *
               host.program().height),
        1);
    llvm::consumeError(host.copyIn(symbol.name, host.all(), bytes,
                                   wafer::Session::Missing::Skip));
  }
  std::vector<uint32_t> words(
      size_t(4 * host.program().width * host.program().height), 0x00030001);
  for (const wafer::Stream &stream : host.program().streams)
    if (stream.toDevice)
      llvm::consumeError(host.send(stream.name, host.all(), words));
  llvm::consumeError(host.run());
  llvm::consumeError(host.finish());
  return "";
}
