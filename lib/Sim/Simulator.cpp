//===- Simulator.cpp - Runs a TCP configuration ---------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Sim/Simulator.h"
#include "Engine/Engines.h"
#include "Engine/SliceWork.h"
#include "Memory/TrfCache.h"
#include "sequin/Support/Arithmetic.h"
#include "sequin/Support/Excerpt.h"
#include "sequin/Support/Interrupt.h"
#include "sequin/Support/Progress.h"
#include <chrono>

using namespace sequin;
using namespace sequin::sim;

char Trap::ID = 0;

void Trap::log(llvm::raw_ostream &os) const {
  os << "trap: ";
  if (!command.empty())
    os << "command '" << excerpt(command) << "' ";
  os << "stage '" << stage << "': " << what;
}

std::error_code Trap::convertToErrorCode() const {
  return llvm::inconvertibleErrorCode();
}

/// Host arrays hold sub-byte elements in a byte each.
static int64_t hostBytes(ElementType type) {
  return std::max<int64_t>(1, getBitWidth(type) / 8);
}

static std::string shapeText(llvm::ArrayRef<int64_t> shape) {
  std::string text;
  for (int64_t size : shape)
    text += (text.empty() ? "" : ", ") + std::to_string(size);
  return "[" + text + "]";
}

static llvm::Error checkInputs(const config::Program &program,
                               llvm::ArrayRef<HostArray> inputs) {
  if (inputs.size() != program.inputs.size())
    return llvm::createStringError(
        "the program takes " + llvm::Twine(program.inputs.size()) +
        " inputs, found " + llvm::Twine(inputs.size()));
  for (auto [argument, array] : llvm::zip_equal(program.inputs, inputs)) {
    if (array.type != argument.type)
      return llvm::createStringError("input '" + argument.name + "' is " +
                                     getName(argument.type) + ", found " +
                                     getName(array.type));
    if (array.shape != argument.shape)
      return llvm::createStringError(
          "input '" + argument.name + "' has shape " +
          shapeText(argument.shape) + ", found " + shapeText(array.shape));
    int64_t bytes = hostBytes(array.type);
    for (int64_t size : array.shape)
      bytes *= size;
    if (static_cast<int64_t>(array.data.size()) != bytes)
      return llvm::createStringError("input '" + argument.name + "' has " +
                                     llvm::Twine(bytes) + " bytes, found " +
                                     llvm::Twine(array.data.size()));
  }
  return llvm::Error::success();
}

static llvm::Expected<std::vector<HostArray>>
execute(const config::UnrolledProgram &unrolled,
        llvm::ArrayRef<CommandPlan> plans,
        llvm::ArrayRef<CommandTiming> timings, const TcpMachine &machine,
        llvm::ArrayRef<HostArray> inputs) {
  const config::Program &program = unrolled.getProgram();
  std::vector<HostArray> outputs;
  for (const config::Argument &argument : program.outputs) {
    int64_t bytes = hostBytes(argument.type);
    for (int64_t size : argument.shape)
      bytes *= size;
    outputs.push_back({argument.type, argument.shape,
                       std::vector<uint8_t>(bytes, machine.poisonByte)});
  }
  int64_t cycles = 0;
  for (const CommandTiming &timing : timings)
    cycles = std::max(cycles, timing.end);
  FloatEnvironment environment(machine.flushSubnormals);
  SystemMemory memory(machine, program.chips, MemoryUse(machine, plans));
  int64_t last = findLastUseOfSlices(unrolled);
  for (int64_t i = 0; i < unrolled.size();) {
    llvm::Expected<int64_t> done =
        runSliceBySlice(unrolled, i, last, plans, machine, memory);
    if (!done)
      return done.takeError();
    if (interrupted())
      return interruptedError();
    reportProgress({"simulate", "", timings[i].start, cycles, "cycles"});
    i += *done;
    if (*done != 0)
      continue;
    config::Command made;
    const config::Command &command = unrolled.getCommand(i, made);
    const CommandPlan &plan = plans[i++];
    if (const auto *transfer = std::get_if<config::Transfer>(&command.body))
      runTransfer(*transfer, memory, inputs, program.constants, outputs);
    else if (const auto *dma = std::get_if<config::DmaCommand>(&command.body)) {
      if (llvm::Error error = runDma(command.name, *dma, machine, memory))
        return std::move(error);
    } else if (const auto *generate =
                   std::get_if<config::GenerateCommand>(&command.body))
      runGenerate(*generate, memory);
    else if (llvm::Error error = runExec(
                 command.name, std::get<config::ExecCommand>(command.body),
                 plan, machine, memory))
      return std::move(error);
  }
  return outputs;
}

static Report makeReport(const config::Program &program,
                         llvm::ArrayRef<CommandPlan> plans,
                         const TcpMachine &machine,
                         std::vector<CommandTiming> timings) {
  Report report;
  report.target = machine.name.str();
  report.chips = program.chips;
  report.macs = program.macs;
  report.commands = std::move(timings);
  for (const CommandTiming &command : report.commands)
    report.cycles = std::max(report.cycles, command.end);
  for (const CommandPlan &plan : plans) {
    report.hbmBytesRead += plan.hbmBytesRead;
    report.hbmBytesWritten += plan.hbmBytesWritten;
  }
  report.seconds = report.cycles / (machine.clockMHz * 1e6);
  report.peakMacsPerCycle =
      machine.macsPerCycle(program.macType) * program.chips;
  double cycles = static_cast<double>(report.cycles);
  if (report.cycles > 0 && report.peakMacsPerCycle > 0)
    report.macUtilization =
        static_cast<double>(report.macs) / (cycles * report.peakMacsPerCycle);
  if (report.cycles > 0)
    report.hbmUtilization =
        static_cast<double>(report.hbmBytesRead + report.hbmBytesWritten) /
        (cycles * machine.hbmUtilizationBytesPerCycle * program.chips);
  return report;
}

llvm::Expected<Result> sim::run(const config::Program &program,
                                const TcpMachine &given,
                                llvm::ArrayRef<HostArray> inputs,
                                const Options &options) {
  auto begin = std::chrono::steady_clock::now();
  llvm::Expected<config::UnrolledProgram> unrolled =
      config::UnrolledProgram::get(program);
  if (!unrolled)
    return llvm::make_error<Trap>("", "loop",
                                  llvm::toString(unrolled.takeError()));
  TcpMachine machine = changed(given, options.whatIf);
  llvm::Expected<std::vector<CommandPlan>> plans =
      checkProgram(*unrolled, machine, options);
  if (!plans)
    return plans.takeError();
  changePlans(*unrolled, options.whatIf, *plans);
  llvm::Expected<std::vector<CommandTiming>> timings =
      scheduleWithTrf(*unrolled, *plans, machine, options.maxSteps);
  if (!timings)
    return timings.takeError();
  Result result;
  if (!options.timingOnly) {
    if (llvm::Error error = checkInputs(program, inputs))
      return std::move(error);
    llvm::Expected<std::vector<HostArray>> outputs =
        execute(*unrolled, *plans, *timings, machine, inputs);
    if (!outputs)
      return outputs.takeError();
    result.outputs = std::move(*outputs);
  }
  if (options.keepAccesses)
    for (auto [timing, plan] : llvm::zip_equal(*timings, *plans))
      timing.accesses = std::move(plan.accesses);
  result.report = makeReport(program, *plans, machine, std::move(*timings));
  result.report.wallSeconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count();
  if (!options.timingOnly && result.report.wallSeconds > 0)
    result.report.macsPerSecond =
        result.report.macs / result.report.wallSeconds;
  return result;
}
