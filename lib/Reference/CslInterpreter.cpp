//===- CslInterpreter.cpp - The csl reference as its users see it ---------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Reference/CslInterpreter.h"
#include "CslState.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::reference;

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

static std::string textOf(Location location) {
  std::string text;
  llvm::raw_string_ostream os(text);
  location.print(os);
  return text;
}

void CslMachineState::trap(Pe &pe, const Twine &what, Operation *at) {
  if (hasTrapped)
    return;
  hasTrapped = true;
  text = ("PE (" + Twine(pe.x) + ", " + Twine(pe.y) + "): " + what).str();
  if (pe.loading) {
    // Nothing runs yet: the module is refused.
    if (at)
      at->emitOpError() << "at PE (" << pe.x << ", " << pe.y << "): " << what;
    else
      layout.emitOpError() << text;
    return;
  }
  if (!pe.task.empty() && pe.main != MainAt::Idle)
    text += ", in " + pe.task;
  if (at)
    text += ", at " + textOf(at->getLoc());
}

uint64_t CslMachineState::intern(const Dsd &dsd) {
  auto [entry, isNew] = dsdNumbers.try_emplace(dsd, dsds.size());
  if (isNew)
    dsds.push_back(dsd);
  return entry->second;
}

std::string CslMachineState::describeHang() {
  std::string out;
  llvm::raw_string_ostream os(out);
  constexpr unsigned kMostLines = 64;
  unsigned lines = 0;
  auto line = [&](const Pe &pe) -> llvm::raw_ostream & {
    if (lines)
      os << '\n';
    ++lines;
    return os << "PE (" << pe.x << ", " << pe.y << "): ";
  };
  static constexpr StringLiteral names[] = {"WEST", "EAST", "SOUTH", "NORTH",
                                            "RAMP"};
  for (const HostStream &stream : streams) {
    csl::StreamOp op = stream.op;
    for (const auto &[number, words] : stream.words)
      if (op.getDirection() == csl::StreamDirection::ToDevice &&
          !words.empty() && lines < kMostLines)
        line(*pes[number]) << words.size() << " words of stream '"
                           << op.getName() << "' wait for a queue of color "
                           << op.getColor();
  }
  for (auto &pe : pes) {
    if (lines >= kMostLines)
      break;
    auto operation = [&](const Running &op) {
      os << op.step->op->getName() << " waits for "
         << (op.waits.empty() ? "its turn" : op.waits) << " ("
         << textOf(op.step->op->getLoc()) << ")";
    };
    switch (pe->main) {
    case MainAt::Idle:
      break;
    case MainAt::Operation:
      line(*pe) << pe->task << ": ";
      operation(pe->mainOperation);
      break;
    case MainAt::Map:
      line(*pe) << pe->task << ": csl.map waits for a wavelet ("
                << textOf(pe->stack.back().map->step->op->getLoc()) << ")";
      break;
    case MainAt::Running:
      line(*pe) << pe->task << " is running";
      break;
    }
    for (auto [number, op] : llvm::enumerate(pe->microthreads)) {
      if (!op || op->endless)
        continue;
      line(*pe) << "microthread " << number;
      if (pe->blockedMicrothreads >> number & 1)
        os << " is blocked: ";
      else
        os << ": ";
      operation(*op);
    }
    if (!pe->launches.empty())
      line(*pe) << pe->launches.size() << " launches wait"
                << (pe->commandBlocked
                        ? " for the command stream to be unblocked"
                        : "");
    else if (pe->commandBlocked)
      line(*pe) << "the command stream was not unblocked";
    for (const auto &[number, color] : pe->colors)
      for (unsigned link = 0; link < kLinks; ++link) {
        if (color.links[link].empty())
          continue;
        line(*pe) << color.links[link].size() << " wavelets of color "
                  << unsigned(number) << " from " << names[link] << " wait";
        if (color.teardown)
          os << ": the color is in teardown";
        else if (!(color.current().rx >> link & 1))
          os << ": switch position " << unsigned(color.position)
             << " does not receive from there";
        else
          os << ": no input queue takes them";
      }
  }
  return out;
}

CslOutcome CslMachineState::run() {
  if (hasTrapped)
    return CslOutcome::Trapped;
  text.clear();
  if (!started)
    for (auto &pe : pes)
      ready(*pe);
  started = true;
  // In rounds, so that a PE that goes on for ever starves no other.
  std::deque<unsigned> round;
  for (;;) {
    moveWavelets();
    if (hasTrapped)
      return CslOutcome::Trapped;
    if (steps >= options.maxSteps) {
      text = "there is no end after " + std::to_string(steps) + " steps";
      if (std::string waits = describeHang(); !waits.empty())
        text += '\n' + waits;
      return CslOutcome::Exhausted;
    }
    if (round.empty())
      round.swap(readyPes);
    if (round.empty())
      break;
    unsigned number = options.otherOrder ? round.back() : round.front();
    if (options.otherOrder)
      round.pop_back();
    else
      round.pop_front();
    pes[number]->ready = false;
    turn(*pes[number]);
  }
  text = describeHang();
  return text.empty() ? CslOutcome::Finished : CslOutcome::Hung;
}

//===----------------------------------------------------------------------===//
// Host
//===----------------------------------------------------------------------===//

CslReference::CslReference(std::unique_ptr<CslMachineState> state)
    : state(std::move(state)) {}
CslReference::~CslReference() = default;

FailureOr<std::unique_ptr<CslReference>>
CslReference::create(ModuleOp module, const CslOptions &options) {
  auto state = std::make_unique<CslMachineState>(module, options);
  if (failed(state->load()))
    return failure();
  return std::unique_ptr<CslReference>(new CslReference(std::move(state)));
}

int64_t CslReference::width() const { return state->width; }
int64_t CslReference::height() const { return state->height; }
CslOutcome CslReference::run() { return state->run(); }
const std::string &CslReference::message() const { return state->text; }
uint64_t CslReference::steps() const { return state->steps; }
llvm::ArrayRef<std::string> CslReference::log() const { return state->printed; }

static llvm::Error inside(const CslMachineState &state, int64_t x, int64_t y,
                          int64_t width, int64_t height) {
  if (x < 0 || y < 0 || width < 1 || height < 1 || x > state.width - width ||
      y > state.height - height)
    return llvm::createStringError(
        "PEs (" + Twine(x) + ", " + Twine(y) + ") to (" + Twine(x + width - 1) +
        ", " + Twine(y + height - 1) + ") are not within the rectangle of " +
        Twine(state.width) + " x " + Twine(state.height));
  return llvm::Error::success();
}

static llvm::Expected<csl::ExportNameOp> findName(const CslMachineState &state,
                                                  StringRef name) {
  for (csl::ExportNameOp exported : state.exportNames)
    if (exported.getName() == name)
      return exported;
  return llvm::createStringError("no PE exports a symbol '" + name + "'");
}

llvm::Error CslReference::launch(llvm::StringRef symbol, int64_t x, int64_t y,
                                 int64_t width, int64_t height,
                                 llvm::ArrayRef<uint64_t> arguments) {
  llvm::Expected<csl::ExportNameOp> name = findName(*state, symbol);
  if (!name)
    return name.takeError();
  auto type = dyn_cast<FunctionType>(name->getType());
  if (!type)
    return llvm::createStringError("'" + symbol + "' is no function");
  if (type.getNumInputs() != arguments.size())
    return llvm::createStringError("'" + symbol + "' takes " +
                                   Twine(type.getNumInputs()) + " arguments, " +
                                   Twine(arguments.size()) + " were given");
  if (llvm::Error bad = inside(*state, x, y, width, height))
    return bad;
  for (int64_t row = y; row < y + height; ++row)
    for (int64_t column = x; column < x + width; ++column) {
      Pe &pe = *state->pes[row * state->width + column];
      Operation *function = pe.code->exports.lookup(symbol);
      FunctionCode *code =
          isa_and_nonnull<FunctionOpInterface>(function)
              ? state->functionAt(pe, SymbolTable::getSymbolName(function))
              : nullptr;
      if (!code)
        return llvm::createStringError("PE (" + Twine(column) + ", " +
                                       Twine(row) + ") has no function '" +
                                       symbol + "'");
      pe.launches.push_back({code, arguments.vec()});
      state->ready(pe);
    }
  return llvm::Error::success();
}

/// Where a symbol's bytes are on a PE.
static llvm::Expected<int64_t> addressOf(const CslMachineState &state,
                                         StringRef symbol, int64_t x, int64_t y,
                                         uint64_t offset, uint64_t bytes,
                                         bool write) {
  llvm::Expected<csl::ExportNameOp> name = findName(state, symbol);
  if (!name)
    return name.takeError();
  if (isa<FunctionType>(name->getType()))
    return llvm::createStringError("'" + symbol + "' is a function");
  // `isMutable` is about a pointer, not about what it points to.
  auto pointer = dyn_cast<csl::PtrType>(name->getType());
  if (write && !name->getIsMutable() && (!pointer || pointer.getIsConst()))
    return llvm::createStringError("'" + symbol + "' is not mutable");
  if (llvm::Error bad = inside(state, x, y, 1, 1))
    return std::move(bad);
  const Pe &pe = *state.pes[y * state.width + x];
  if (pe.commandBlocked)
    return llvm::createStringError("the command stream of PE (" + Twine(x) +
                                   ", " + Twine(y) + ") is blocked");
  auto var = dyn_cast_or_null<csl::VarOp>(pe.code->exports.lookup(symbol));
  if (!var)
    return llvm::createStringError("PE (" + Twine(x) + ", " + Twine(y) +
                                   ") has no symbol '" + symbol + "'");
  const Object *object = pe.code->memory.find(var.getSymName());
  int64_t address = object->begin;
  // A pointer variable says where the array is; an array is itself.
  if (isa<csl::PtrType>(name->getType()) && var.getMemRefType().getRank() == 0)
    address = static_cast<int64_t>(pe.memory.load(address, 2));
  if (bytes && pe.memory.objectAt(address + static_cast<int64_t>(offset),
                                  static_cast<int64_t>(bytes)) < 0)
    return llvm::createStringError("the copy of " + Twine(bytes) +
                                   " bytes from byte " + Twine(offset) +
                                   " of '" + symbol + "' leaves its array");
  return address + static_cast<int64_t>(offset);
}

llvm::Error CslReference::copyIn(llvm::StringRef symbol, int64_t x, int64_t y,
                                 llvm::ArrayRef<uint8_t> data,
                                 uint64_t offset) {
  llvm::Expected<int64_t> address =
      addressOf(*state, symbol, x, y, offset, data.size(), true);
  if (!address)
    return address.takeError();
  llvm::copy(data, state->pes[y * state->width + x]->memory.at(*address));
  return llvm::Error::success();
}

llvm::Expected<std::vector<uint8_t>>
CslReference::copyOut(llvm::StringRef symbol, int64_t x, int64_t y,
                      uint64_t bytes, uint64_t offset) const {
  llvm::Expected<int64_t> address =
      addressOf(*state, symbol, x, y, offset, bytes, false);
  if (!address)
    return address.takeError();
  const uint8_t *data =
      std::as_const(state->pes[y * state->width + x]->memory).at(*address);
  return std::vector<uint8_t>(data, data + bytes);
}

static llvm::Expected<HostStream *>
findStream(CslMachineState &state, StringRef name, csl::StreamDirection way) {
  for (HostStream &stream : state.streams)
    if (stream.op.getName() == name && stream.op.getDirection() == way)
      return &stream;
  return llvm::createStringError(
      "the program has no stream '" + name + "' " +
      (way == csl::StreamDirection::ToDevice ? "to" : "from") + " the device");
}

llvm::Error CslReference::send(llvm::StringRef name, int64_t x, int64_t y,
                               llvm::ArrayRef<uint32_t> words) {
  auto stream = findStream(*state, name, csl::StreamDirection::ToDevice);
  if (!stream)
    return stream.takeError();
  if (llvm::Error bad = inside(*state, x, y, 1, 1))
    return bad;
  unsigned number = static_cast<unsigned>(y * state->width + x);
  auto &queue = (*stream)->words[number];
  queue.insert(queue.end(), words.begin(), words.end());
  state->ready(*state->pes[number]);
  return llvm::Error::success();
}

llvm::Expected<std::vector<uint32_t>>
CslReference::receive(llvm::StringRef name, int64_t x, int64_t y) {
  auto stream = findStream(*state, name, csl::StreamDirection::ToHost);
  if (!stream)
    return stream.takeError();
  if (llvm::Error bad = inside(*state, x, y, 1, 1))
    return std::move(bad);
  auto &queue = (*stream)->words[static_cast<unsigned>(y * state->width + x)];
  std::vector<uint32_t> words(queue.begin(), queue.end());
  queue.clear();
  return words;
}

llvm::Expected<std::vector<uint8_t>>
CslReference::variable(llvm::StringRef name, int64_t x, int64_t y) const {
  if (llvm::Error bad = inside(*state, x, y, 1, 1))
    return std::move(bad);
  const Pe &pe = *state->pes[y * state->width + x];
  const Object *object = pe.code->memory.find(name);
  if (!object)
    return llvm::createStringError("the program of PE (" + Twine(x) + ", " +
                                   Twine(y) + ") has no variable '" + name +
                                   "'");
  const uint8_t *data = pe.memory.at(object->begin);
  return std::vector<uint8_t>(data, data + object->bytes);
}
