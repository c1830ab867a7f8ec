//===- HostTraces.cpp - What SdkRuntime keeps of a run --------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/WaferHost/HostTraces.h"
#include "sequin/Machine/CslPipeline.h"
#include "sequin/Support/DsdArithmetic.h"
#include "sequin/Support/FloatExceptions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <numeric>

using namespace sequin;
using namespace sequin::wafer;

/// "+1.500(3)": mantissa and exponent; zero has the least exponent.
static std::string floatText(float value, Fp16Format format) {
  dsd::Fp16Layout layout = dsd::getLayout(format);
  int exponent = -static_cast<int>(layout.bias);
  double mantissa = std::fabs(value);
  if (std::isfinite(value) && mantissa != 0) {
    int power;
    mantissa = 2 * std::frexp(mantissa, &power);
    exponent = power - 1;
  }
  return llvm::formatv("{0}{1:f3}({2})", std::signbit(value) ? '-' : '+',
                       mantissa, exponent)
      .str();
}

//===----------------------------------------------------------------------===//
// Lines
//===----------------------------------------------------------------------===//

void HostTraces::add(const Moment &at, std::string text) {
  if (lines.size() < kMostLines)
    lines.push_back({at, std::move(text)});
}

static std::string hex(uint32_t value, unsigned digits) {
  return llvm::utohexstr(value, /*LowerCase=*/false, digits);
}

/// "ctrl=0, idx=0000, data=3C00 (+1.000(0))"
static std::string valueText(bool control, uint32_t data, Fp16Format format) {
  unsigned low = data & 0xffff;
  return llvm::formatv("ctrl={0}, idx={1}, data={2} ({3})", control ? 1 : 0,
                       hex(data >> 16, 4), hex(low, 4),
                       floatText(dsd::decodeFp16(format, low), format))
      .str();
}

static int generationOf(const Program &program) {
  return lookupCslMachine(program.target)->generation;
}

//===----------------------------------------------------------------------===//
// Landings
//===----------------------------------------------------------------------===//

void HostTraces::hop(const Moment &at, const Hop &hop) {
  Recorder::hop(at, hop);
  waiting[peOf(at)] &= ~(1u << hop.color % 32);
  if (!logs.landing)
    return;
  auto landing = [&](Direction from) {
    // Half wavelets are of WSE-3.
    llvm::StringRef half = generationOf(program) == 2 ? ""
                           : hop.half                 ? "half=1, "
                                                      : "half=0, ";
    return llvm::formatv(
               "landing C{0} from link {1}, {2}, {3}ident=0000000000000000, "
               "lf={4}",
               static_cast<unsigned>(hop.color), getName(from).take_front(),
               valueText(hop.control, hop.data, program.fp16), half,
               hop.flip ? 1 : 0)
        .str();
  };
  add(at, "(hwtile) " + landing(hop.from));
  // What leaves by the side of the rectangle to the host lands on an I/O tile.
  for (const Stream &stream : program.streams) {
    if (stream.kind != Stream::Kind::Edge || stream.toDevice ||
        stream.color != hop.color || stream.x != at.x || stream.y != at.y ||
        !(hop.to & bit(stream.side)))
      continue;
    static constexpr Direction opposite[] = {
        Direction::East, Direction::West, Direction::North, Direction::South};
    Moment there = at;
    there.cycle += lookupCslMachine(program.target)->hopCycles;
    there.x +=
        (stream.side == Direction::East) - (stream.side == Direction::West);
    there.y +=
        (stream.side == Direction::South) - (stream.side == Direction::North);
    add(there,
        "(iotile) " + landing(opposite[static_cast<unsigned>(stream.side)]));
  }
}

//===----------------------------------------------------------------------===//
// Switches
//===----------------------------------------------------------------------===//

/// "1=/ EW/": a position and its links in one direction.
static std::string positionText(unsigned position, Directions links) {
  std::string text = std::to_string(position) + "=/ ";
  for (unsigned d = 0; d < kDirections; ++d)
    if (links >> d & 1)
      text += getName(static_cast<Direction>(d)).take_front();
  return text + "/";
}

void HostTraces::switchMoves(const Moment &at, const SwitchMove &move) {
  if (!logs.router)
    return;
  static constexpr llvm::StringLiteral commands[] = {"nop", "advance", "reset",
                                                     "teardown"};
  for (bool output : {false, true}) {
    auto links = [&](const Routes &routes) {
      return output ? routes.tx : routes.rx;
    };
    add(at, llvm::formatv(
                "(hwtile) router: C{0} : {1} switch: {2} -> {3} ({4}) {5}",
                static_cast<unsigned>(move.color), output ? "output" : "input",
                positionText(move.from, links(move.before)),
                positionText(move.to, links(move.after)),
                commands[static_cast<unsigned>(move.command)],
                valueText(move.control, move.data, program.fp16))
                .str());
  }
}

void HostTraces::addInitialSwitches(std::vector<Line> &all) const {
  for (size_t i = 0; i < program.pes.size(); ++i) {
    Moment at = {0, static_cast<uint16_t>(i % program.width),
                 static_cast<uint16_t>(i / program.width)};
    for (const auto &[number, color] :
         program.routers[program.pes[i].router].colors) {
      if (!color.hasSwitches)
        continue;
      Routes routes = color.routesAt(color.position);
      for (bool output : {false, true})
        all.push_back(
            {at,
             llvm::formatv(
                 "(hwtile) router: C{0} : {1} switch: {2} (init)",
                 static_cast<unsigned>(number), output ? "output" : "input",
                 positionText(color.position, output ? routes.tx : routes.rx))
                 .str()});
    }
  }
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

std::string HostTraces::instructionText(const Moment &at, uint32_t instruction,
                                        uint32_t sequence, bool executed,
                                        const std::string &text) const {
  CslPipeline pipeline = pipelineOf(generationOf(program));
  int64_t id =
      (at.y + program.offsetY) * std::max(program.fabricWidth, program.width) +
      at.x + program.offsetX;
  return llvm::formatv(
             ": Id: {0}, Instr: {1}, Seq: {2}, Pipe: {3}, Msg: [{4} OP] {5}",
             id, instruction, sequence,
             executed ? pipeline.execute : pipeline.issue,
             executed ? "EX" : "IS", text)
      .str();
}

/// A line where it is issued and one where it is executed.
void HostTraces::addInstruction(const Moment &at, uint32_t sequence,
                                const std::string &issued,
                                const std::string &executed) {
  CslPipeline pipeline = pipelineOf(generationOf(program));
  uint32_t number = instructions[peOf(at)]++;
  add(at, instructionText(at, number, sequence, false, issued));
  Moment later = at;
  later.cycle += pipeline.execute - pipeline.issue;
  add(later, instructionText(later, number, sequence, true, executed));
  lines.back().executed = true;
}

/// Cycles of the last stage between a PE's first and last instruction in which
/// it has none.
void HostTraces::addIdleCycles(std::vector<Line> &all) const {
  std::map<uint32_t, std::vector<uint64_t>> executed;
  for (const Line &line : lines)
    if (line.executed)
      executed[peOf(line.at)].push_back(line.at.cycle);
  for (auto &[pe, cycles] : executed) {
    llvm::sort(cycles);
    for (size_t i = 1; i < cycles.size(); ++i)
      for (uint64_t idle = cycles[i - 1] + 1; idle < cycles[i]; ++idle) {
        if (all.size() >= 2 * kMostLines)
          return;
        Moment at = {idle, static_cast<uint16_t>(pe % program.width),
                     static_cast<uint16_t>(pe / program.width)};
        all.push_back({at, instructionText(at, static_cast<uint32_t>(i - 1), 0,
                                           true, "IDLE")});
      }
  }
}

/// "T09" or, in a microthread, "T09.UT2".
static std::string taskText(unsigned task, unsigned thread) {
  std::string text = llvm::formatv("T{0}", llvm::format_decimal(task, 2)).str();
  std::replace(text.begin(), text.end(), ' ', '0');
  return thread < kMainThread ? text + ".UT" + std::to_string(thread) : text;
}

static std::string operandText(const TracedOperand &operand, bool output) {
  switch (operand.kind) {
  case TracedOperand::Kind::None:
    return "";
  case TracedOperand::Kind::Memory:
    return "[0x" + hex(operand.number, 4) + "]";
  case TracedOperand::Kind::Queue:
    return (output ? "[OQ" : "[IQ") + std::to_string(operand.number) + "]";
  case TracedOperand::Kind::Fifo:
    return "[FIFO" + std::to_string(operand.number) + "]";
  case TracedOperand::Kind::Scalar:
    return "R";
  }
  llvm_unreachable("unknown operand");
}

/// "[ uoxiz ]", letters of what did not happen left blank: underflow, overflow,
/// inexact, invalid, division by zero (SIM-020).
static std::string flagsOf(uint8_t raised) {
  std::string flags = "[ ..... ]";
  for (auto [bit, letter] : llvm::enumerate(llvm::StringRef("uoxiz")))
    if (raised >> bit & 1)
      flags[2 + bit] = letter;
  return flags;
}

/// "0x001c: ": instructions are numbered through the functions of the code.
std::string HostTraces::addressText(const Moment &at, uint32_t function,
                                    uint32_t number) const {
  const Code &code = program.codeOf(program.pes[peOf(at)]);
  if (function >= code.functions.size())
    return "";
  uint32_t address = number;
  for (uint32_t f = 0; f < function; ++f)
    address += static_cast<uint32_t>(code.functions[f].instructions.size());
  return "0x" + llvm::utohexstr(address, true, 4) + ": ";
}

void HostTraces::element(const Moment &at, const TracedElement &element) {
  if (lines.size() >= kMostLines)
    return;
  const DsdOpInfo &info = getInfo(element.opcode);
  std::string who = addressText(at, element.function, element.instruction) +
                    taskText(element.task, element.thread) + " " +
                    info.name.upper();
  std::string issued = who, executed = who;
  auto digits = [](DsdElement kind) { return 2 * getBytes(kind); };
  struct {
    llvm::StringLiteral role;
    const TracedOperand &operand;
    DsdElement kind;
    uint32_t bits;
  } operands[] = {{"Dest", element.operands[0], info.dest, element.value},
                  {"Src0", element.operands[1], info.source0, element.source0},
                  {"Src1", element.operands[2], info.source1, element.source1}};
  for (const auto &[role, operand, kind, bits] : operands) {
    if (operand.kind == TracedOperand::Kind::None)
      continue;
    issued += (" " + role + ":" + operandText(operand, role == "Dest")).str();
    executed += (" " + role + ":" + hex(bits, digits(kind))).str();
  }
  if (info.scalar != DsdElement::None) {
    issued += " Src2:R";
    executed += " Src2:" + hex(element.scalar, digits(info.scalar));
  }
  executed += " " +
              flagsOf(dsd::exceptionsOf(element.opcode, program.fp16,
                                        element.source0, element.source1,
                                        element.scalar, element.value)) +
              " U0";
  addInstruction(at, element.number, issued, executed);
}

void HostTraces::instruction(const Moment &at,
                             const TracedInstruction &traced) {
  if (lines.size() >= kMostLines)
    return;
  std::string text = addressText(at, traced.function, traced.number) +
                     taskText(traced.task, kMainThread) + " " +
                     getInfo(traced.opcode).name.upper();
  addInstruction(at, 0, text, text + " " + flagsOf(traced.raised) + " U0");
}

static std::string threadText(unsigned thread) {
  return thread < kMainThread ? "UT" + std::to_string(thread) : "main thread";
}

void HostTraces::waits(const Moment &at, WaitKind why, unsigned number) {
  switch (why) {
  case WaitKind::Link: {
    // Told again whenever the router has tried.
    uint32_t &told = waiting[peOf(at)];
    if (!logs.router || (told >> number % 32 & 1))
      return;
    told |= 1u << number % 32;
    return add(at, "(hwtile) Backpressure on C" + std::to_string(number));
  }
  case WaitKind::Input:
    return add(at, ": Not enough wavelets, " + threadText(number) + " stall");
  case WaitKind::Output:
  case WaitKind::Fifo:
    return add(at, ": " + threadText(number) + " stall");
  }
}

void HostTraces::queued(const Moment &at, unsigned queue, uint32_t data) {
  add(at, ": Writing wavelet " + hex(data, 8) + " to OUT_Q " +
              std::to_string(queue));
}

void HostTraces::sent(const Moment &at, unsigned queue, uint32_t data) {
  add(at, ": Sending wavelet " + hex(data, 8) + " on OUT_Q " +
              std::to_string(queue));
}

//===----------------------------------------------------------------------===//
// The log
//===----------------------------------------------------------------------===//

std::vector<std::string> HostTraces::simLog() const {
  std::vector<Line> all;
  if (logs.router)
    addInitialSwitches(all);
  llvm::append_range(all, lines);
  if (logs.instructions)
    addIdleCycles(all);
  std::vector<size_t> order(all.size());
  std::iota(order.begin(), order.end(), size_t(0));
  llvm::sort(order, [&](size_t i, size_t j) {
    const Moment &a = all[i].at, &b = all[j].at;
    return std::tie(a.cycle, a.y, a.x, i) < std::tie(b.cycle, b.y, b.x, j);
  });
  std::vector<std::string> result;
  result.reserve(all.size());
  for (size_t i : order) {
    const Moment &at = all[i].at;
    const std::string &text = all[i].text;
    // An I/O tile may stand one to the west or north of the rectangle.
    result.push_back(llvm::formatv("@{0} P{1}.{2}{3}{4}", at.cycle,
                                   static_cast<int16_t>(at.x) + program.offsetX,
                                   static_cast<int16_t>(at.y) + program.offsetY,
                                   text[0] == ':' ? "" : " ", text)
                         .str());
  }
  if (lines.size() >= kMostLines)
    result.push_back("the log ends here, after " + std::to_string(kMostLines) +
                     " lines");
  return result;
}

//===----------------------------------------------------------------------===//
// The timeline
//===----------------------------------------------------------------------===//

void HostTraces::taskStarts(const Moment &at, llvm::StringRef kind,
                            const Function &function) {
  if (spans++ < kMostSpans)
    Recorder::taskStarts(at, kind, function);
}

void HostTraces::operationStarts(const Moment &at, unsigned thread,
                                 DsdOpcode opcode, uint32_t length,
                                 Location location) {
  if (spans++ < kMostSpans)
    Recorder::operationStarts(at, thread, opcode, length, location);
}
