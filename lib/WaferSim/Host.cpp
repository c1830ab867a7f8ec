//===- Host.cpp - What the host does between runs -------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Crew.h"
#include "llvm/ADT/STLExtras.h"
#include <cstring>

using namespace sequin;
using namespace sequin::wafer;

Simulator::Simulator(std::unique_ptr<Wafer> wafer) : wafer(std::move(wafer)) {}
Simulator::~Simulator() = default;

static llvm::Error noSpace(const Program &program) {
  return llvm::createStringError("no address space for the memory of " +
                                 llvm::Twine(program.pes.size()) + " PEs");
}

llvm::Expected<std::unique_ptr<Simulator>>
Simulator::create(const Program &program, const CslMachine &machine,
                  const Options &options) {
  if (llvm::Error bad = check(program, machine))
    return std::move(bad);
  Exchange *exchange = options.exchange;
  if (!exchange || exchange->size() == 1) {
    auto wafer = std::make_unique<Wafer>(program, machine, options);
    if (!wafer->hasMemory())
      return noSpace(program);
    return std::unique_ptr<Simulator>(new Simulator(std::move(wafer)));
  }
  if (exchange->size() > program.height)
    return llvm::createStringError(
        llvm::Twine(exchange->size()) + " ranks for a fabric of " +
        llvm::Twine(program.height) + " rows, allowed is one rank per row");
  Crew::begin(*exchange, options);
  auto wafer = Wafer::makeShared(
      program, machine, options, options.observer != nullptr,
      options.observer && options.observer->wantsInstructions());
  auto failed = Crew::findFailure(*exchange, wafer->hasMemory());
  if (!failed)
    return std::unique_ptr<Simulator>(new Simulator(std::move(wafer)));
  // The others go back to waiting by themselves.
  wafer->crew->dismiss();
  if (*failed == 0)
    return noSpace(program);
  return llvm::createStringError("rank " + llvm::Twine(*failed) + ": " +
                                 llvm::toString(noSpace(program)));
}

llvm::Error Simulator::serve(const Program &program, const CslMachine &machine,
                             Exchange &exchange) {
  if (llvm::Error bad = check(program, machine))
    return bad;
  for (;;) {
    Options options;
    options.exchange = &exchange;
    bool isObserved = false, isTraced = false;
    if (!Crew::await(exchange, options, isObserved, isTraced))
      return llvm::Error::success();
    auto wafer =
        Wafer::makeShared(program, machine, options, isObserved, isTraced);
    if (!Crew::findFailure(exchange, wafer->hasMemory()))
      wafer->crew->serve();
  }
}

void Simulator::endService(Exchange &exchange) { Crew::end(exchange); }

Outcome Simulator::run(uint64_t cycles) { return wafer->run(cycles); }
uint64_t Simulator::now() const { return wafer->now; }
const Counters &Simulator::counters() const {
  return wafer->crew ? wafer->crew->counters() : wafer->counters;
}
const std::optional<Trap> &Simulator::trap() const { return wafer->trapped; }
const HangReport &Simulator::hang() const {
  if (wafer->crew)
    wafer->crew->describeHang();
  return wafer->hangReport;
}
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
      auto pe = static_cast<uint32_t>(y * program.width + x);
      if (wafer->isForeign(y))
        wafer->crew->launch(pe, place->index, arguments);
      else
        wafer->launch(wafer->cores[pe], {place->index, arguments.vec()});
    }
  return llvm::Error::success();
}

bool Simulator::hasCommand(int64_t x, int64_t y) const {
  auto pe = static_cast<uint32_t>(y * wafer->program.width + x);
  if (wafer->isForeign(y))
    return wafer->crew->hasCommand(pe);
  const Core &core = wafer->cores[pe];
  return core.commandBlocked || !core.launches.empty();
}

//===----------------------------------------------------------------------===//
// Commands at a PE of this rank
//===----------------------------------------------------------------------===//

void Wafer::launch(Core &core, Core::Launch launch) {
  core.launches.push_back(std::move(launch));
  core.mayStart = true;
  wake(core, now + 1);
}

void Wafer::write(Core &core, uint32_t address, llvm::ArrayRef<uint8_t> data) {
  std::memcpy(core.memory + address, data.data(), data.size());
  define(core, address, static_cast<uint32_t>(data.size()));
}

void Wafer::send(HostStream &stream, Core &core,
                 llvm::ArrayRef<uint32_t> words) {
  HostStream::Row &row = stream.rows[core.y];
  if (options.halo == Options::Halo::Fabric &&
      stream.stream->kind == Stream::Kind::PerPe) {
    if (row.link.empty())
      row.entered = std::max(row.entered, now);
    for (uint32_t word : words)
      row.link.push_back({core.x, word});
    Core &first = *(&core - core.x);
    first.hostWords = true;
    wake(first, now + 1);
    return;
  }
  auto &queue = row.words[core.x];
  queue.insert(queue.end(), words.begin(), words.end());
  core.hostWords = true;
  wake(core, now + 1);
}

uint64_t Wafer::unsent(const HostStream &stream, const Core &core) const {
  const HostStream::Row &row = stream.rows[core.y];
  auto words = row.words.find(core.x);
  return (words == row.words.end() ? 0 : words->second.size()) +
         llvm::count_if(row.link,
                        [&](const auto &word) { return word.first == core.x; });
}

/// The host has taken words of a row, whose link has room again.
void Wafer::taken(HostStream &stream, int64_t y, uint64_t words) {
  stream.rows[y].waiting -= words;
  for (Core &core : rows(y, y + 1))
    if (core.outputBusy)
      wake(core, now + 1);
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

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
  auto pe = static_cast<uint32_t>(y * program.width + x);
  if (wafer.isForeign(y) ? wafer.crew->isBlocked(pe)
                         : wafer.cores[pe].commandBlocked)
    return llvm::createStringError("the command stream of PE (" +
                                   llvm::Twine(x) + ", " + llvm::Twine(y) +
                                   ") is blocked");
  const Symbol::Definition *place = placeOf(**symbol, program, program.pes[pe]);
  if (!place)
    return llvm::createStringError("PE (" + llvm::Twine(x) + ", " +
                                   llvm::Twine(y) + ") has no symbol '" + name +
                                   "'");
  const Code &code = program.codes[place->code];
  const Variable &variable = code.variables[place->index];
  uint64_t address = variable.address;
  // Where the array ends, which a copy may go beyond (it is by pointer).
  uint64_t end = address + variable.bytes();
  if ((*symbol)->kind == Symbol::Kind::Pointer) {
    llvm::ArrayRef<uint8_t> pointer =
        wafer.read(pe, static_cast<uint32_t>(address), 2);
    address = pointer[0] | pointer[1] << 8;
    if (!address)
      return llvm::createStringError(
          "pointer '" + name + "' of PE (" + llvm::Twine(x) + ", " +
          llvm::Twine(y) + ") holds address 0, the program has not set it");
    end = 0;
    for (const Variable &array : code.variables)
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
  auto pe = static_cast<uint32_t>(y * wafer->program.width + x);
  auto at = static_cast<uint32_t>(*address);
  if (wafer->isForeign(y))
    wafer->crew->copyIn(pe, at, data);
  else
    wafer->write(wafer->cores[pe], at, data);
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
  std::vector<uint8_t> copy =
      wafer
          ->read(static_cast<uint32_t>(y * wafer->program.width + x),
                 static_cast<uint32_t>(*address), static_cast<uint32_t>(held))
          .vec();
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
  auto pe = static_cast<uint32_t>(y * wafer->program.width + x);
  if (wafer->isForeign(y))
    wafer->crew->send(wafer->numberOf(**stream), pe, words);
  else
    wafer->send(**stream, wafer->cores[pe], words);
  return llvm::Error::success();
}

uint64_t Simulator::unsent(llvm::StringRef name, int64_t x, int64_t y) const {
  auto pe = static_cast<uint32_t>(y * wafer->program.width + x);
  for (const HostStream &stream : wafer->streams)
    if (stream.stream->name == name && stream.stream->toDevice)
      return wafer->isForeign(y)
                 ? wafer->crew->unsent(wafer->numberOf(stream), pe)
                 : wafer->unsent(stream, wafer->cores[pe]);
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
    if (wafer->isForeign(y))
      wafer->crew->taken(wafer->numberOf(**stream), y, words.size());
    else
      wafer->taken(**stream, y, words.size());
  }
  return words;
}

llvm::ArrayRef<uint8_t> Wafer::read(uint32_t pe, uint32_t address,
                                    uint32_t bytes) const {
  if (int64_t y = pe / program.width; isForeign(y))
    crew->fetch(y, address, bytes);
  return {memoryOf(pe) + address, bytes};
}

llvm::ArrayRef<uint8_t> Simulator::memory(int64_t x, int64_t y) const {
  return memory(x, y, 0,
                static_cast<uint32_t>(wafer->machine.memoryBytesPerPe));
}

llvm::ArrayRef<uint8_t> Simulator::memory(int64_t x, int64_t y,
                                          uint32_t address,
                                          uint32_t bytes) const {
  return wafer->read(static_cast<uint32_t>(y * wafer->program.width + x),
                     address, bytes);
}
