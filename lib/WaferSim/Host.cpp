//===- Host.cpp - What the host does between runs -------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Wafer.h"
#include "llvm/ADT/STLExtras.h"
#include <cstring>

using namespace sequin;
using namespace sequin::wafer;

Simulator::Simulator(std::unique_ptr<Wafer> wafer) : wafer(std::move(wafer)) {}
Simulator::~Simulator() = default;

llvm::Expected<std::unique_ptr<Simulator>>
Simulator::create(const Program &program, const CslMachine &machine,
                  const Options &options) {
  if (llvm::Error bad = check(program, machine))
    return std::move(bad);
  auto wafer = std::make_unique<Wafer>(program, machine, options);
  if (!wafer->hasMemory())
    return llvm::createStringError("no address space for the memory of " +
                                   llvm::Twine(program.pes.size()) + " PEs");
  return std::unique_ptr<Simulator>(new Simulator(std::move(wafer)));
}

Outcome Simulator::run(uint64_t cycles) { return wafer->run(cycles); }
uint64_t Simulator::now() const { return wafer->now; }
const Counters &Simulator::counters() const { return wafer->counters; }
const std::optional<Trap> &Simulator::trap() const { return wafer->trapped; }
const HangReport &Simulator::hang() const { return wafer->hangReport; }
llvm::ArrayRef<Race> Simulator::races() const { return wafer->races; }
llvm::ArrayRef<Race> Simulator::lostControls() const {
  return wafer->lostControls;
}
llvm::ArrayRef<Race> Simulator::undefinedReads() const {
  return wafer->undefined;
}
llvm::ArrayRef<std::string> Simulator::log() const { return wafer->log; }

static llvm::Expected<const Symbol *> findSymbol(const Program &program,
                                                 llvm::StringRef name) {
  for (const Symbol &symbol : program.symbols)
    if (symbol.name == name)
      return &symbol;
  return llvm::createStringError("no PE exports a symbol '" + name + "'");
}

static const Symbol::Definition *placeOf(const Symbol &symbol,
                                         const Program &program, const Pe &pe) {
  for (const Symbol::Definition &place : symbol.places)
    if (place.code == program.setups[pe.setup].code)
      return &place;
  return nullptr;
}

static llvm::Error inside(const Program &program, const Rectangle &where) {
  if (where.x < 0 || where.y < 0 || where.width < 1 || where.height < 1 ||
      where.x + where.width > program.width ||
      where.y + where.height > program.height)
    return llvm::createStringError(
        "PEs (" + llvm::Twine(where.x) + ", " + llvm::Twine(where.y) +
        ") to (" + llvm::Twine(where.x + where.width - 1) + ", " +
        llvm::Twine(where.y + where.height - 1) +
        ") are not within the rectangle of " + llvm::Twine(program.width) +
        " x " + llvm::Twine(program.height));
  return llvm::Error::success();
}

llvm::Error Simulator::launch(llvm::StringRef name, const Rectangle &where,
                              llvm::ArrayRef<uint64_t> arguments) {
  const Program &program = wafer->program;
  auto symbol = findSymbol(program, name);
  if (!symbol)
    return symbol.takeError();
  if ((*symbol)->kind != Symbol::Kind::Function)
    return llvm::createStringError("'" + name + "' is no function");
  if ((*symbol)->argumentBits.size() != arguments.size())
    return llvm::createStringError(
        "'" + name + "' takes " + llvm::Twine((*symbol)->argumentBits.size()) +
        " arguments, " + llvm::Twine(arguments.size()) + " were given");
  if (llvm::Error bad = inside(program, where))
    return bad;
  // All of them or none.
  std::vector<const Symbol::Definition *> places;
  for (int64_t y = where.y; y < where.y + where.height; ++y)
    for (int64_t x = where.x; x < where.x + where.width; ++x) {
      places.push_back(placeOf(**symbol, program, program.at(x, y)));
      if (!places.back())
        return llvm::createStringError("PE (" + llvm::Twine(x) + ", " +
                                       llvm::Twine(y) + ") has no function '" +
                                       name + "'");
    }
  auto next = places.begin();
  for (int64_t y = where.y; y < where.y + where.height; ++y)
    for (int64_t x = where.x; x < where.x + where.width; ++x) {
      const Symbol::Definition *place = *next++;
      Core &core = wafer->cores[y * program.width + x];
      core.launches.push_back({place->index, arguments.vec()});
      core.mayStart = true;
      wafer->wake(core, wafer->now + 1);
    }
  return llvm::Error::success();
}

bool Simulator::hasCommand(int64_t x, int64_t y) const {
  const Core &core = wafer->cores[y * wafer->program.width + x];
  return core.commandBlocked || !core.launches.empty();
}

/// Where a symbol's bytes are on a PE. Copies have words: what has an odd
/// number of bytes ends with the low half of one, and `bytes` is one less then.
static llvm::Expected<uint64_t> addressOf(const Wafer &wafer,
                                          llvm::StringRef name, int64_t x,
                                          int64_t y, uint64_t offset,
                                          uint64_t &bytes, bool write) {
  const Program &program = wafer.program;
  auto symbol = findSymbol(program, name);
  if (!symbol)
    return symbol.takeError();
  if ((*symbol)->kind == Symbol::Kind::Function)
    return llvm::createStringError("'" + name + "' is a function");
  if (write && !(*symbol)->isWritableByHost())
    return llvm::createStringError("'" + name + "' is not mutable");
  if (llvm::Error bad = inside(program, {x, y, 1, 1}))
    return std::move(bad);
  const Core &core = wafer.cores[y * program.width + x];
  if (core.commandBlocked)
    return llvm::createStringError("the command stream of PE (" +
                                   llvm::Twine(x) + ", " + llvm::Twine(y) +
                                   ") is blocked");
  const Symbol::Definition *place = placeOf(**symbol, program, *core.pe);
  if (!place)
    return llvm::createStringError("PE (" + llvm::Twine(x) + ", " +
                                   llvm::Twine(y) + ") has no symbol '" + name +
                                   "'");
  const Variable &variable = core.code->code->variables[place->index];
  uint64_t address = variable.address;
  // Where the array ends, which a copy may go beyond (it is by pointer).
  uint64_t end = address + variable.bytes();
  if ((*symbol)->kind == Symbol::Kind::Pointer) {
    address = core.memory[address] | core.memory[address + 1] << 8;
    if (!address)
      return llvm::createStringError(
          "pointer '" + name + "' of PE (" + llvm::Twine(x) + ", " +
          llvm::Twine(y) + ") holds address 0, the program has not set it");
    end = 0;
    for (const Variable &array : core.code->code->variables)
      if (address >= array.address &&
          address - array.address < static_cast<uint64_t>(array.bytes()))
        end = array.address + static_cast<uint64_t>(array.bytes());
  }
  if (address + offset + bytes == end + 1 && (end - address) % 2 &&
      bytes % 2 == 0)
    --bytes;
  uint64_t memory = wafer.machine.memoryBytesPerPe;
  if (address + offset + bytes > memory)
    return llvm::createStringError(
        "'" + name + "' is at byte " + llvm::Twine(address) +
        " of a memory of " + llvm::Twine(memory) + ", the copy ends at byte " +
        llvm::Twine(address + offset + bytes));
  return address + offset;
}

llvm::Error Simulator::copyIn(llvm::StringRef symbol, int64_t x, int64_t y,
                              llvm::ArrayRef<uint8_t> data, uint64_t offset) {
  uint64_t bytes = data.size();
  auto address = addressOf(*wafer, symbol, x, y, offset, bytes, true);
  if (!address)
    return address.takeError();
  data = data.take_front(bytes);
  if (data.empty())
    return llvm::Error::success();
  Core &core = wafer->cores[y * wafer->program.width + x];
  std::memcpy(core.memory + *address, data.data(), data.size());
  wafer->define(core, static_cast<uint32_t>(*address),
                static_cast<uint32_t>(data.size()));
  return llvm::Error::success();
}

llvm::Expected<std::vector<uint8_t>> Simulator::copyOut(llvm::StringRef symbol,
                                                        int64_t x, int64_t y,
                                                        uint64_t bytes,
                                                        uint64_t offset) const {
  uint64_t held = bytes;
  auto address = addressOf(*wafer, symbol, x, y, offset, held, false);
  if (!address)
    return address.takeError();
  const uint8_t *data =
      wafer->cores[y * wafer->program.width + x].memory + *address;
  std::vector<uint8_t> copy(data, data + held);
  copy.resize(bytes);
  return copy;
}

static llvm::Expected<HostStream *>
findStream(Wafer &wafer, llvm::StringRef name, bool toDevice) {
  for (HostStream &stream : wafer.streams)
    if (stream.stream->name == name && stream.stream->toDevice == toDevice)
      return &stream;
  return llvm::createStringError("the program has no stream '" + name + "' " +
                                 (toDevice ? "to" : "from") + " the device");
}

llvm::Error Simulator::send(llvm::StringRef name, int64_t x, int64_t y,
                            llvm::ArrayRef<uint32_t> words) {
  auto stream = findStream(*wafer, name, true);
  if (!stream)
    return stream.takeError();
  if (llvm::Error bad = inside(wafer->program, {x, y, 1, 1}))
    return bad;
  Core &core = wafer->cores[y * wafer->program.width + x];
  HostStream::Row &row = (*stream)->rows[core.y];
  if (wafer->options.halo == Options::Halo::Fabric &&
      (*stream)->stream->kind == Stream::Kind::PerPe) {
    if (row.link.empty())
      row.entered = std::max(row.entered, wafer->now);
    for (uint32_t word : words)
      row.link.push_back({core.x, word});
    Core &first = *(&core - core.x);
    first.hostWords = true;
    wafer->wake(first, wafer->now + 1);
    return llvm::Error::success();
  }
  auto &queue = row.words[core.x];
  queue.insert(queue.end(), words.begin(), words.end());
  core.hostWords = true;
  wafer->wake(core, wafer->now + 1);
  return llvm::Error::success();
}

uint64_t Simulator::unsent(llvm::StringRef name, int64_t x, int64_t y) const {
  for (const HostStream &stream : wafer->streams) {
    if (stream.stream->name != name || !stream.stream->toDevice)
      continue;
    const HostStream::Row &row = stream.rows[y];
    auto words = row.words.find(static_cast<uint16_t>(x));
    return (words == row.words.end() ? 0 : words->second.size()) +
           llvm::count_if(row.link,
                          [&](const auto &word) { return word.first == x; });
  }
  return 0;
}

llvm::Expected<std::vector<uint32_t>> Simulator::receive(llvm::StringRef name,
                                                         int64_t x, int64_t y) {
  auto stream = findStream(*wafer, name, false);
  if (!stream)
    return stream.takeError();
  if (llvm::Error bad = inside(wafer->program, {x, y, 1, 1}))
    return std::move(bad);
  HostStream::Row &row = (*stream)->rows[y];
  auto &queue = row.words[static_cast<uint16_t>(x)];
  std::vector<uint32_t> words(queue.begin(), queue.end());
  queue.clear();
  if (wafer->options.halo == Options::Halo::Fabric && !words.empty() &&
      (*stream)->stream->kind == Stream::Kind::PerPe) {
    row.waiting -= words.size();
    for (int64_t i = 0; i < wafer->program.width; ++i) {
      Core &core = wafer->cores[y * wafer->program.width + i];
      if (core.outputBusy)
        wafer->wake(core, wafer->now + 1);
    }
  }
  return words;
}

llvm::ArrayRef<uint8_t> Simulator::memory(int64_t x, int64_t y) const {
  return {wafer->cores[y * wafer->program.width + x].memory,
          static_cast<size_t>(wafer->machine.memoryBytesPerPe)};
}
