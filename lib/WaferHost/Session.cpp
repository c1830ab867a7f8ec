//===- Session.cpp - A host at work with a simulated wafer ----------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/WaferHost/Session.h"
#include "sequin/Support/Archive.h"
#include "sequin/Support/Excerpt.h"
#include "llvm/ADT/Twine.h"

using namespace sequin;
using namespace sequin::wafer;
using llvm::StringRef;
using llvm::Twine;

char RunFailure::ID = 0;

std::error_code RunFailure::convertToErrorCode() const {
  return llvm::inconvertibleErrorCode();
}

StringRef wafer::getName(Command::Kind kind) {
  switch (kind) {
  case Command::Kind::CopyIn:
    return "copy in";
  case Command::Kind::CopyOut:
    return "copy out";
  case Command::Kind::Launch:
    return "launch";
  case Command::Kind::Send:
    return "send";
  case Command::Kind::Receive:
    return "receive";
  }
  llvm_unreachable("a kind of command");
}

std::string wafer::suggest(StringRef name, llvm::ArrayRef<StringRef> known) {
  std::string text = "'" + excerpt(name) + "'";
  StringRef closest;
  unsigned best = static_cast<unsigned>(name.size()) / 3 + 2;
  for (StringRef other : known) {
    unsigned distance = name.edit_distance_insensitive(other);
    if (distance < best) {
      best = distance;
      closest = other;
    }
  }
  if (!closest.empty())
    return text + ", did you mean '" + closest.str() + "'";
  if (known.empty())
    return text + ", there are none";
  text += ", there are ";
  constexpr size_t kMost = 12;
  for (size_t i = 0; i < known.size() && i < kMost; ++i)
    text += (i ? ", " : "") + known[i].str();
  return known.size() > kMost ? text + ", ..." : text;
}

//===----------------------------------------------------------------------===//
// Set-up
//===----------------------------------------------------------------------===//

llvm::Expected<std::unique_ptr<Session>>
Session::create(Program program, const Options &options) {
  const CslMachine *row = lookupCslMachine(program.target);
  if (!row)
    return llvm::createStringError(
        "the program is for '" + excerpt(program.target) +
        "', which is no wafer-scale engine, known are " +
        knownCslMachineNames());
  std::unique_ptr<Session> session(new Session(std::move(program), row));
  auto wafer = Simulator::create(session->loaded, *row, options);
  if (!wafer)
    return wafer.takeError();
  session->wafer = std::move(*wafer);
  return session;
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

llvm::Expected<const Symbol *> Session::symbol(StringRef name) const {
  std::vector<StringRef> known;
  for (const Symbol &symbol : loaded.symbols) {
    if (symbol.name == name)
      return &symbol;
    known.push_back(symbol.name);
  }
  return llvm::createStringError("the program exports no symbol " +
                                 suggest(name, known));
}

llvm::Expected<const Stream *> Session::stream(StringRef name,
                                               bool toDevice) const {
  std::vector<StringRef> known;
  for (const Stream &stream : loaded.streams) {
    if (stream.toDevice != toDevice)
      continue;
    if (stream.name == name)
      return &stream;
    known.push_back(stream.name);
  }
  return llvm::createStringError("the program has no stream " +
                                 Twine(toDevice ? "to" : "from") +
                                 " the device called " + suggest(name, known));
}

static const Symbol::Definition *
placeOf(const Program &program, const Symbol &symbol, int64_t x, int64_t y) {
  uint32_t code = program.setups[program.at(x, y).setup].code;
  for (const Symbol::Definition &place : symbol.places)
    if (place.code == code)
      return &place;
  return nullptr;
}

bool Session::has(const Symbol &symbol, int64_t x, int64_t y) const {
  return placeOf(loaded, symbol, x, y) != nullptr;
}

llvm::Error Session::checkInside(const Rectangle &where) const {
  if (where.x >= 0 && where.y >= 0 && where.width >= 1 && where.height >= 1 &&
      where.width <= loaded.width - where.x &&
      where.height <= loaded.height - where.y)
    return llvm::Error::success();
  return llvm::createStringError(
      Twine(where.width) + " x " + Twine(where.height) + " PEs from (" +
      Twine(where.x) + ", " + Twine(where.y) +
      ") are not within the program's rectangle of " + Twine(loaded.width) +
      " x " + Twine(loaded.height));
}

/// The bytes from where a pointer points to to the end of that variable.
static int64_t bytesBehind(const Code &code, uint64_t address) {
  for (const Variable &variable : code.variables)
    if (address >= variable.address &&
        address < variable.address + static_cast<uint64_t>(variable.bytes()))
      return variable.address + variable.bytes() -
             static_cast<int64_t>(address);
  return 0;
}

llvm::Expected<SymbolData> Session::dataOf(const Symbol &symbol,
                                           const Rectangle &where) const {
  if (symbol.kind == Symbol::Kind::Function)
    return llvm::createStringError("'" + symbol.name +
                                   "' is a function, it has no data");
  if (llvm::Error bad = checkInside(where))
    return bad;
  SymbolData data{symbol.element, std::max<unsigned>(1, symbol.elementBytes),
                  -1};
  int64_t firstX = 0, firstY = 0;
  for (int64_t y = where.y; y < where.y + where.height; ++y)
    for (int64_t x = where.x; x < where.x + where.width; ++x) {
      const Symbol::Definition *place = placeOf(loaded, symbol, x, y);
      if (!place)
        continue;
      const Code &code = loaded.codes[place->code];
      int64_t bytes = code.variables[place->index].bytes();
      if (symbol.kind == Symbol::Kind::Pointer) {
        uint64_t address = addressOf(symbol, *place, x, y);
        bytes = bytesBehind(code, address);
        if (!bytes)
          return llvm::createStringError(
              "pointer '" + symbol.name + "' of " + getPeName(x, y) +
              " holds address " + Twine(address) + ", which is in no variable");
      }
      int64_t elements = bytes / data.elementBytes;
      if (data.elementsPerPe < 0) {
        data.elementsPerPe = elements;
        firstX = x;
        firstY = y;
      } else if (elements != data.elementsPerPe) {
        return llvm::createStringError(
            "'" + symbol.name + "' has " + Twine(data.elementsPerPe) +
            " elements at " + getPeName(firstX, firstY) + " and " +
            Twine(elements) + " at " + getPeName(x, y) +
            "; name PEs where it has the same number");
      }
    }
  if (data.elementsPerPe < 0)
    return llvm::createStringError("none of the PEs has a symbol '" +
                                   symbol.name + "'");
  return data;
}

std::string Session::beyond(const Symbol &symbol, int64_t x, int64_t y,
                            uint64_t bytes) const {
  const Symbol::Definition *place = placeOf(loaded, symbol, x, y);
  if (!place || symbol.kind == Symbol::Kind::Function)
    return "";
  const Code &code = loaded.codes[place->code];
  uint64_t address = addressOf(symbol, *place, x, y);
  auto own = static_cast<uint64_t>(bytesBehind(code, address));
  // What has an odd number of bytes ends with half of a word.
  if (bytes <= own + own % 2)
    return "";
  std::string text = getPeName(x, y) + ": '" + symbol.name + "' ";
  text += own ? "ends at byte " + std::to_string(own)
              : "holds address " + std::to_string(address) +
                    ", which is in no variable";
  text += ", the copy at " + std::to_string(bytes);
  constexpr size_t kMost = 4;
  size_t count = 0;
  for (const Variable &variable : code.variables)
    if (variable.address >= address + own &&
        variable.address < address + bytes && count++ <= kMost)
      text += count > kMost
                  ? ", ..."
                  : (count == 1 ? ", with '" : ", '") + variable.name + "'";
  return text;
}

uint64_t Session::addressOf(const Symbol &symbol,
                            const Symbol::Definition &place, int64_t x,
                            int64_t y) const {
  uint64_t address = loaded.codes[place.code].variables[place.index].address;
  if (symbol.kind != Symbol::Kind::Pointer)
    return address;
  llvm::ArrayRef<uint8_t> pointer =
      wafer->memory(x, y, static_cast<uint32_t>(address), 2);
  return pointer[0] | static_cast<uint64_t>(pointer[1]) << 8;
}

//===----------------------------------------------------------------------===//
// Time
//===----------------------------------------------------------------------===//

static std::string locationText(const Program &program, Location location) {
  if (!location || location >= program.locations.size())
    return "";
  return " [" + program.locations[location] + "]";
}

llvm::Error Session::failure(Outcome outcome) const {
  if (outcome == Outcome::Interrupted)
    return llvm::createStringError(
        "the simulation was interrupted, it does not go on");
  std::string text;
  llvm::raw_string_ostream os(text);
  RunFailure::Kind kind = RunFailure::Kind::Hang;
  if (outcome == Outcome::Trapped) {
    const Trap &trap = *wafer->trap();
    os << "trap: " << getPeName(trap.x, trap.y) << " at cycle " << trap.cycle
       << ": " << trap.message << locationText(loaded, trap.location);
    kind = RunFailure::Kind::Trap;
  } else {
    if (outcome == Outcome::Exhausted) {
      os << "step limit: the program does not end within the steps it was "
            "given; at that point\n";
      kind = RunFailure::Kind::StepLimit;
    } else {
      os << "hang: ";
    }
    os << StringRef(wafer->hang().str(loaded)).rtrim();
  }
  return llvm::make_error<RunFailure>(kind, std::move(text));
}

llvm::Expected<bool> Session::runFor(uint64_t cycles) {
  last = wafer->run(cycles);
  for (size_t i = open; i < done.size(); ++i)
    if (done[i].kind == Command::Kind::Launch)
      done[i].end = wafer->now();
  if (last != Outcome::Paused)
    open = done.size();
  if (last == Outcome::Trapped || last == Outcome::Exhausted ||
      last == Outcome::Interrupted)
    return failure(last);
  return last == Outcome::Paused;
}

llvm::Error Session::run() {
  // Without a limit it does not pause.
  return runFor(~uint64_t(0)).takeError();
}

llvm::Error Session::finish() {
  if (llvm::Error bad = run())
    return bad;
  if (last == Outcome::Hung)
    return failure(last);
  return llvm::Error::success();
}

llvm::Error Session::waitForCommands(const Rectangle &where, StringRef what) {
  auto firstBlocked = [&]() -> std::optional<std::pair<int64_t, int64_t>> {
    for (int64_t y = where.y; y < where.y + where.height; ++y)
      for (int64_t x = where.x; x < where.x + where.width; ++x)
        if (wafer->hasCommand(x, y))
          return std::make_pair(x, y);
    return std::nullopt;
  };
  if (!firstBlocked())
    return llvm::Error::success();
  if (llvm::Error bad = run())
    return bad;
  auto blocked = firstBlocked();
  if (!blocked)
    return llvm::Error::success();
  return llvm::joinErrors(
      llvm::make_error<RunFailure>(RunFailure::Kind::Hang,
                                   (what + " waits for the command stream of " +
                                    getPeName(blocked->first, blocked->second) +
                                    ", which is blocked")
                                       .str()),
      failure(Outcome::Hung));
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

static uint64_t countOf(const Rectangle &where) {
  return static_cast<uint64_t>(where.width) *
         static_cast<uint64_t>(where.height);
}

static llvm::Error misses(int64_t x, int64_t y, const Symbol &symbol) {
  return llvm::createStringError(getPeName(x, y) + " has no symbol '" +
                                 symbol.name + "'");
}

llvm::Error Session::copyIn(StringRef name, const Rectangle &where,
                            llvm::ArrayRef<uint8_t> data, Missing missing) {
  auto found = symbol(name);
  if (!found)
    return found.takeError();
  if (llvm::Error bad = checkInside(where))
    return bad;
  if (data.size() % countOf(where))
    return llvm::createStringError(
        "'" + name + "': " + Twine(data.size()) +
        " bytes are not the same number for each of " + Twine(countOf(where)) +
        " PEs");
  if (llvm::Error bad =
          waitForCommands(where, ("copy to '" + name + "'").str()))
    return bad;
  uint64_t each = data.size() / countOf(where);
  Command command{Command::Kind::CopyIn, name.str(),   where,
                  wafer->now(),          wafer->now(), 0};
  for (int64_t y = where.y; y < where.y + where.height; ++y)
    for (int64_t x = where.x; x < where.x + where.width; ++x) {
      llvm::ArrayRef<uint8_t> part = data.take_front(each);
      data = data.drop_front(each);
      if (!has(**found, x, y)) {
        if (missing == Missing::Skip)
          continue;
        return misses(x, y, **found);
      }
      if (llvm::Error bad = wafer->copyIn(name, x, y, part))
        return bad;
      command.bytes += each;
    }
  done.push_back(std::move(command));
  return llvm::Error::success();
}

llvm::Expected<std::vector<uint8_t>> Session::copyOut(StringRef name,
                                                      const Rectangle &where,
                                                      uint64_t bytesPerPe,
                                                      Missing missing) {
  auto found = symbol(name);
  if (!found)
    return found.takeError();
  if (llvm::Error bad = checkInside(where))
    return std::move(bad);
  if (llvm::Error bad =
          waitForCommands(where, ("copy from '" + name + "'").str()))
    return std::move(bad);
  Command command{Command::Kind::CopyOut, name.str(),   where,
                  wafer->now(),           wafer->now(), 0};
  std::vector<uint8_t> data;
  data.reserve(bytesPerPe * countOf(where));
  for (int64_t y = where.y; y < where.y + where.height; ++y)
    for (int64_t x = where.x; x < where.x + where.width; ++x) {
      if (!has(**found, x, y)) {
        if (missing == Missing::Refuse)
          return misses(x, y, **found);
        data.resize(data.size() + bytesPerPe);
        continue;
      }
      auto part = wafer->copyOut(name, x, y, bytesPerPe);
      if (!part)
        return part.takeError();
      data.insert(data.end(), part->begin(), part->end());
      command.bytes += bytesPerPe;
    }
  done.push_back(std::move(command));
  return data;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

llvm::Error Session::launch(StringRef name, const Rectangle &where,
                            llvm::ArrayRef<uint64_t> arguments,
                            Missing missing) {
  auto found = symbol(name);
  if (!found)
    return found.takeError();
  if ((*found)->kind != Symbol::Kind::Function)
    return llvm::createStringError("'" + name +
                                   "' is no function, it cannot be launched");
  if (llvm::Error bad = checkInside(where))
    return bad;
  bool any = false;
  for (int64_t y = where.y; y < where.y + where.height; ++y)
    for (int64_t x = where.x; x < where.x + where.width; ++x) {
      if (has(**found, x, y))
        any = true;
      else if (missing == Missing::Refuse)
        return misses(x, y, **found);
    }
  if (!any)
    return llvm::createStringError("none of the PEs has a function '" + name +
                                   "'");
  for (int64_t y = where.y; y < where.y + where.height; ++y)
    for (int64_t x = where.x; x < where.x + where.width; ++x)
      if (has(**found, x, y))
        if (llvm::Error bad = wafer->launch(name, {x, y, 1, 1}, arguments))
          return bad;
  done.push_back({Command::Kind::Launch, name.str(), where, wafer->now(),
                  wafer->now(), 0});
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

llvm::Error Session::send(StringRef name, const Rectangle &where,
                          llvm::ArrayRef<uint32_t> words) {
  auto found = stream(name, /*toDevice=*/true);
  if (!found)
    return found.takeError();
  const Stream &to = **found;
  Rectangle place =
      to.kind == Stream::Kind::Edge ? Rectangle{to.x, to.y, 1, 1} : where;
  if (llvm::Error bad = checkInside(place))
    return bad;
  if (words.size() % countOf(place))
    return llvm::createStringError(
        "'" + name + "': " + Twine(words.size()) +
        " words are not the same number for each of " + Twine(countOf(place)) +
        " PEs");
  uint64_t each = words.size() / countOf(place);
  done.push_back({Command::Kind::Send, name.str(), place, wafer->now(),
                  wafer->now(), 4 * words.size()});
  for (int64_t y = place.y; y < place.y + place.height; ++y)
    for (int64_t x = place.x; x < place.x + place.width; ++x) {
      if (llvm::Error bad = wafer->send(name, x, y, words.take_front(each)))
        return bad;
      words = words.drop_front(each);
    }
  return llvm::Error::success();
}

llvm::Expected<uint64_t> Session::received(StringRef name, int64_t x,
                                           int64_t y) {
  auto found = stream(name, /*toDevice=*/false);
  if (!found)
    return found.takeError();
  if (llvm::Error bad = checkInside({x, y, 1, 1}))
    return std::move(bad);
  auto words = wafer->receive(name, x, y);
  if (!words)
    return words.takeError();
  std::vector<uint32_t> &box =
      inbox[{*found, static_cast<uint64_t>(y * loaded.width + x)}];
  box.insert(box.end(), words->begin(), words->end());
  return box.size();
}

llvm::Expected<std::vector<uint32_t>>
Session::receive(StringRef name, const Rectangle &where, uint64_t wordsPerPe) {
  auto found = stream(name, /*toDevice=*/false);
  if (!found)
    return found.takeError();
  const Stream &from = **found;
  Rectangle place =
      from.kind == Stream::Kind::Edge ? Rectangle{from.x, from.y, 1, 1} : where;
  if (llvm::Error bad = checkInside(place))
    return std::move(bad);
  Command command{
      Command::Kind::Receive, name.str(),   place,
      wafer->now(),           wafer->now(), 4 * wordsPerPe * countOf(place)};
  std::vector<uint32_t> words;
  bool ran = false;
  for (int64_t y = place.y; y < place.y + place.height; ++y)
    for (int64_t x = place.x; x < place.x + place.width; ++x) {
      auto there = received(name, x, y);
      if (there && *there < wordsPerPe && !ran) {
        if (llvm::Error bad = run())
          return std::move(bad);
        ran = true;
        there = received(name, x, y);
      }
      if (!there)
        return there.takeError();
      if (*there < wordsPerPe) {
        std::string text =
            ("the host waits for " + Twine(wordsPerPe) + " words of stream '" +
             name + "' from " + getPeName(x, y) + ", " + Twine(*there) +
             " came and nothing moves any more")
                .str();
        auto hang = llvm::make_error<RunFailure>(RunFailure::Kind::Hang, text);
        return last == Outcome::Hung
                   ? llvm::joinErrors(std::move(hang), failure(last))
                   : std::move(hang);
      }
      std::vector<uint32_t> &box =
          inbox[{&from, static_cast<uint64_t>(y * loaded.width + x)}];
      words.insert(words.end(), box.begin(),
                   box.begin() + static_cast<ptrdiff_t>(wordsPerPe));
      box.erase(box.begin(), box.begin() + static_cast<ptrdiff_t>(wordsPerPe));
    }
  command.end = wafer->now();
  done.push_back(std::move(command));
  return words;
}

//===----------------------------------------------------------------------===//
// Checkpoints
//===----------------------------------------------------------------------===//

template <typename A> static void transfer(A &a, Command &command) {
  a.upTo(command.kind, Command::Kind::Receive);
  a(command.name);
  for (int64_t *number : {&command.where.x, &command.where.y,
                          &command.where.width, &command.where.height})
    a(*number);
  a(command.start);
  a(command.end);
  a(command.bytes);
}

void Session::save(llvm::raw_ostream &os) const {
  Saver saver;
  saver.list(done, ~uint64_t(0), [&](const Command &command) {
    Command copy = command;
    transfer(saver, copy);
  });
  saver(static_cast<uint64_t>(open));
  // Streams by their numbers: addresses have no order.
  std::map<std::pair<uint32_t, uint64_t>, const std::vector<uint32_t> *> boxes;
  for (const auto &[place, words] : inbox)
    boxes[{static_cast<uint32_t>(place.first - loaded.streams.data()),
           place.second}] = &words;
  saver(static_cast<uint64_t>(boxes.size()));
  for (const auto &[place, words] : boxes) {
    saver(place.first);
    saver(place.second);
    saver.list(*words, ~uint64_t(0), [&](uint32_t word) { saver(word); });
  }
  saver(last);
  uint64_t size = saver.bytes.size();
  os.write(reinterpret_cast<const char *>(&size), sizeof size);
  os.write(reinterpret_cast<const char *>(saver.bytes.data()), size);
  wafer->save(os);
}

llvm::Error Session::load(llvm::ArrayRef<uint8_t> bytes) {
  Loader all(bytes);
  Loader loader(all.view(all.length(1)));
  loader.list(done, ~uint64_t(0),
              [&](Command &command) { transfer(loader, command); });
  uint64_t first = 0;
  loader.below(first, done.size() + 1);
  open = first;
  uint64_t boxes = loader.length(1);
  for (uint64_t i = 0; i < boxes && !loader.isBad(); ++i) {
    uint32_t stream = 0;
    uint64_t pe = 0;
    loader.below(stream, loaded.streams.size());
    loader.below(pe, loaded.pes.size());
    if (!loader.isBad())
      loader.list(inbox[{&loaded.streams[stream], pe}], ~uint64_t(0),
                  [&](uint32_t &word) { loader(word); });
  }
  loader.upTo(last, Outcome::Interrupted);
  if (loader.isBad() || !loader.atEnd())
    return llvm::createStringError("is cut off or damaged");
  return wafer->load(all.view(all.remaining()));
}
