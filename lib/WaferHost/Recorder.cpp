//===- Recorder.cpp - What happened in a run ------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/WaferHost/Recorder.h"
#include "sequin/Support/Archive.h"
#include "llvm/Support/FormatVariadic.h"

using namespace sequin;
using namespace sequin::wafer;
using llvm::StringRef;

static constexpr unsigned kTask = kMainThread + 1;

Recorder::Recorder(const Program &program, const RecorderOptions &options)
    : program(program), options(options), pes(program.pes.size()),
      lastHop(program.pes.size()), byColor(program.pes.size()),
      running(program.pes.size()) {
  if (options.timeline)
    open.resize(program.pes.size());
  if (options.activity)
    overTime.emplace(program.width, program.height);
}

//===----------------------------------------------------------------------===//
// Over time, and by line
//===----------------------------------------------------------------------===//

Activity::Activity(int64_t gridWidth, int64_t gridHeight) {
  auto tiles = [&](int64_t size) { return (size + tile - 1) / tile; };
  while (tiles(gridWidth) * tiles(gridHeight) > kMostTiles)
    tile *= 2;
  across = tiles(gridWidth);
  down = tiles(gridHeight);
  workOf.resize(kMostBins * across * down);
  movedIn.resize(workOf.size());
}

void Activity::reach(uint64_t cycle) {
  size_t tiles = across * down;
  while (cycle / width >= kMostBins) {
    for (std::vector<uint32_t> *values : {&workOf, &movedIn}) {
      for (size_t i = 0; i < values->size() / 2; ++i) {
        size_t first = i / tiles * 2 * tiles + i % tiles;
        (*values)[i] = (*values)[first] + (*values)[first + tiles];
      }
      std::fill(values->begin() + static_cast<int64_t>(values->size() / 2),
                values->end(), 0);
    }
    width *= 2;
  }
}

void Activity::works(const Moment &at, uint64_t cycles) {
  uint64_t cycle = at.cycle, end = at.cycle + cycles;
  reach(end);
  while (cycle < end) {
    uint64_t next = std::min(end, (cycle / width + 1) * width);
    workOf[slot(at, cycle)] += next - cycle;
    cycle = next;
  }
}

void Activity::hops(const Moment &at, uint64_t count) {
  reach(at.cycle);
  movedIn[slot(at, at.cycle)] += count;
}

std::vector<SourceStatistics> Recorder::sources() const {
  // A function is in several codes where PEs differ by parameters.
  std::map<std::tuple<Location, std::string, bool>, Sum> merged;
  auto add = [&](Location location, std::string name, bool isTask,
                 const Sum &sum) {
    Sum &all = merged[{location, std::move(name), isTask}];
    all.count += sum.count;
    all.cycles += sum.cycles;
  };
  for (const auto &[key, sum] : byOperation)
    add(key.first, "@" + getInfo(key.second).name.str(), false, sum);
  for (const auto &[function, sum] : byTask)
    add(function->location, function->name, true, sum);
  std::vector<SourceStatistics> list;
  for (const auto &[key, sum] : merged)
    list.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key),
                    sum.count, sum.cycles});
  return list;
}

bool Recorder::isOpen(const Span &span) const {
  return open[span.pe][span.function ? kTask : span.thread] ==
         static_cast<uint32_t>(&span - spans.data()) + 1;
}

bool Recorder::keeps(const Moment &at) const {
  if (!options.region)
    return true;
  const Rectangle &where = *options.region;
  return at.x >= where.x && at.x < where.x + where.width && at.y >= where.y &&
         at.y < where.y + where.height;
}

//===----------------------------------------------------------------------===//
// What the simulator tells
//===----------------------------------------------------------------------===//

void Recorder::hop(const Moment &at, const Hop &hop) {
  uint32_t pe = peOf(at);
  PeStatistics &here = pes[pe];
  if (lastHop[pe] != at.cycle + 1) {
    lastHop[pe] = at.cycle + 1;
    ++here.routerCycles;
  }
  for (unsigned d = 0; d < kDirections; ++d)
    here.links[d] += hop.to >> d & 1;
  here.sent += hop.from == Direction::Ramp;
  here.received += (hop.to & bit(Direction::Ramp)) != 0;
  ++byColor[pe][hop.color % 32];
  if (overTime)
    overTime->hops(at, 1);
  if (!options.wavelets || !keeps(at))
    return;
  if (hops.size() < kMostHops)
    hops.push_back({at, hop});
  else
    leavesHops = true;
}

Recorder::Span *Recorder::addSpan(const Moment &at, unsigned slot) {
  uint32_t pe = peOf(at);
  if (spans.size() >= kMostSpans) {
    leavesSpans = true;
    open[pe][slot] = 0;
    return nullptr;
  }
  Span &span = spans.emplace_back();
  span.pe = pe;
  span.begin = span.end = at.cycle;
  open[pe][slot] = static_cast<uint32_t>(spans.size());
  return &span;
}

void Recorder::taskStarts(const Moment &at, StringRef kind,
                          const Function &function) {
  running[peOf(at)].task = &function;
  ++byTask[&function].count;
  if (!options.timeline || !keeps(at))
    return;
  Span *span = addSpan(at, kTask);
  if (!span)
    return;
  span->function = &function;
  span->kind = kind;
  span->location = function.location;
}

void Recorder::taskEnds(const Moment &at) {
  running[peOf(at)].task = nullptr;
  if (!options.timeline || !keeps(at))
    return;
  uint32_t &last = open[peOf(at)][kTask];
  if (last)
    spans[last - 1].end = at.cycle;
  last = 0;
}

void Recorder::operationStarts(const Moment &at, unsigned thread,
                               DsdOpcode opcode, uint32_t length,
                               Location location) {
  running[peOf(at)].threads[thread] = {at.cycle, location, opcode};
  if (!options.timeline || !keeps(at))
    return;
  Span *span = addSpan(at, thread);
  if (!span)
    return;
  span->thread = static_cast<uint8_t>(thread);
  span->opcode = opcode;
  span->length = length;
  span->location = location;
}

void Recorder::operationEnds(const Moment &at, unsigned thread) {
  if (auto &operation = running[peOf(at)].threads[thread]) {
    Sum &sum = byOperation[{operation->location, operation->opcode}];
    ++sum.count;
    sum.cycles += at.cycle - operation->begin;
    operation.reset();
  }
  if (!options.timeline || !keeps(at))
    return;
  uint32_t &last = open[peOf(at)][thread];
  if (last)
    spans[last - 1].end = at.cycle;
  last = 0;
}

void Recorder::issues(const Moment &at, unsigned thread) {
  uint32_t pe = peOf(at);
  ++pes[pe].issueCycles;
  if (overTime)
    overTime->works(at, 1);
  if (!options.timeline || !keeps(at))
    return;
  if (uint32_t last = open[pe][thread])
    ++spans[last - 1].issued;
}

void Recorder::works(const Moment &at, uint64_t cycles) {
  uint32_t pe = peOf(at);
  pes[pe].mainCycles += cycles;
  if (const Function *task = running[pe].task)
    byTask[task].cycles += cycles;
  if (overTime)
    overTime->works(at, cycles);
}

//===----------------------------------------------------------------------===//
// Timeline
//===----------------------------------------------------------------------===//

/// The name of a process, or of a thread of it.
static void writeName(llvm::json::OStream &out, StringRef what, int64_t process,
                      int64_t thread, const std::string &name) {
  out.object([&] {
    out.attribute("ph", "M");
    out.attribute("name", what);
    out.attribute("pid", process);
    out.attribute("tid", thread);
    out.attributeObject("args", [&] { out.attribute("name", name); });
  });
}

static void writeSlice(llvm::json::OStream &out, int64_t process,
                       int64_t thread, StringRef name, uint64_t begin,
                       uint64_t end,
                       llvm::function_ref<void()> writeArguments) {
  out.object([&] {
    out.attribute("ph", "X");
    out.attribute("name", name);
    out.attribute("pid", process);
    out.attribute("tid", thread);
    out.attribute("ts", static_cast<int64_t>(begin));
    out.attribute("dur", static_cast<int64_t>(end - begin));
    out.attributeObject("args", writeArguments);
  });
}

void Recorder::writeTimeline(llvm::raw_ostream &os,
                             const Session &session) const {
  llvm::json::OStream out(os);
  out.object([&] {
    out.attribute("displayTimeUnit", "ns");
    out.attributeArray("traceEvents", [&] { writeEvents(out, session); });
  });
  os << '\n';
}

void Recorder::writeEvents(llvm::json::OStream &out,
                           const Session &session) const {
  uint64_t now = session.simulator().now();
  writeName(out, "process_name", 0, 0, "host");
  for (const Command &command : session.commands())
    writeSlice(out, 0, 0, getName(command.kind).str() + " " + command.name,
               command.start, command.end, [&] {
                 out.attribute("x", command.where.x);
                 out.attribute("y", command.where.y);
                 out.attribute("width", command.where.width);
                 out.attribute("height", command.where.height);
                 out.attribute("bytes", static_cast<int64_t>(command.bytes));
               });

  // The main thread first, the microthreads below it.
  auto trackOf = [](unsigned thread) {
    return thread == kMainThread ? 0 : static_cast<int64_t>(thread) + 1;
  };
  std::vector<std::array<bool, kMainThread + 1>> named(program.pes.size());
  std::vector<bool> namedPe(program.pes.size());
  for (const Span &span : spans) {
    int64_t process = static_cast<int64_t>(span.pe) + 1;
    if (!namedPe[span.pe]) {
      namedPe[span.pe] = true;
      writeName(out, "process_name", process, 0,
                llvm::formatv("PE ({0}, {1}) {2}", span.pe % program.width,
                              span.pe / program.width,
                              program.codeOf(program.pes[span.pe]).name)
                    .str());
    }
    if (!named[span.pe][span.thread]) {
      named[span.pe][span.thread] = true;
      writeName(out, "thread_name", process, trackOf(span.thread),
                span.thread == kMainThread
                    ? std::string("main thread")
                    : "microthread " + std::to_string(span.thread));
    }
    // What is open lasts to the end.
    bool goesOn = isOpen(span);
    uint64_t end = goesOn ? std::max(now, span.begin) : span.end;
    StringRef name = span.function ? StringRef(span.function->name)
                                   : StringRef(getInfo(span.opcode).name);
    writeSlice(out, process, trackOf(span.thread), name, span.begin, end, [&] {
      if (span.location && span.location < program.locations.size())
        out.attribute("location", program.locations[span.location]);
      if (span.function) {
        out.attribute("kind", span.kind);
      } else {
        out.attribute("elements", static_cast<int64_t>(span.length));
        if (span.issued)
          out.attribute("issued_cycles", static_cast<int64_t>(span.issued));
      }
      if (goesOn)
        out.attribute("unfinished", true);
    });
  }
}

//===----------------------------------------------------------------------===//
// Wavelets
//===----------------------------------------------------------------------===//

std::vector<Recorder::KeptHop> Recorder::sortedHops() const {
  std::vector<KeptHop> sorted = hops;
  // No two are equal: a router takes one wavelet of a color from a link.
  auto key = [](const KeptHop &hop) {
    return std::tuple(hop.at.cycle, hop.at.y, hop.at.x, hop.hop.color,
                      hop.hop.from);
  };
  llvm::sort(sorted, [&](const KeptHop &a, const KeptHop &b) {
    return key(a) < key(b);
  });
  return sorted;
}

static std::string joinDirections(Directions directions) {
  std::string text;
  for (unsigned d = 0; d < kDirections; ++d)
    if (directions >> d & 1)
      text +=
          (text.empty() ? "" : "+") + getName(static_cast<Direction>(d)).str();
  return text.empty() ? "NOWHERE" : text;
}

std::string Recorder::waveletText() const {
  std::string text = "#    cycle    x    y color from  data       kind    to\n";
  llvm::raw_string_ostream os(text);
  for (const KeptHop &kept : sortedHops())
    os << llvm::formatv(
        "{0,10} {1,4} {2,4} {3,5} {4,-5} {5} {6,-7} {7}\n", kept.at.cycle,
        kept.at.x, kept.at.y, static_cast<unsigned>(kept.hop.color),
        getName(kept.hop.from), llvm::format_hex(kept.hop.data, 10),
        kept.hop.control ? "control" : "data", joinDirections(kept.hop.to));
  return text;
}

llvm::json::Value Recorder::waveletJson() const {
  llvm::json::Array list;
  for (const KeptHop &kept : sortedHops()) {
    llvm::json::Array to;
    for (unsigned d = 0; d < kDirections; ++d)
      if (kept.hop.to >> d & 1)
        to.push_back(getName(static_cast<Direction>(d)));
    list.push_back(
        llvm::json::Object{{"cycle", static_cast<int64_t>(kept.at.cycle)},
                           {"x", kept.at.x},
                           {"y", kept.at.y},
                           {"color", kept.hop.color},
                           {"from", getName(kept.hop.from)},
                           {"to", std::move(to)},
                           {"control", kept.hop.control},
                           {"data", static_cast<int64_t>(kept.hop.data)}});
  }
  return list;
}

//===----------------------------------------------------------------------===//
// Checkpoints
//===----------------------------------------------------------------------===//

/// Functions are told by the numbers of code and function; 0: none.
template <typename A>
static void transfer(A &a, const Program &program, const Function *&function) {
  uint32_t code = 0, number = 0;
  for (size_t i = 0; function && i < program.codes.size() && !code; ++i) {
    llvm::ArrayRef<Function> all = program.codes[i].functions;
    if (function < all.begin() || function >= all.end())
      continue;
    code = static_cast<uint32_t>(i) + 1;
    number = static_cast<uint32_t>(function - all.begin());
  }
  a.below(code, program.codes.size() + 1);
  a(number);
  if constexpr (A::kLoads) {
    a.require(!code || number < program.codes[code - 1].functions.size());
    function = code && !a.isBad() ? &program.codes[code - 1].functions[number]
                                  : nullptr;
  }
}

template <typename A> static void transfer(A &a, DsdOpcode &opcode) {
  auto number = static_cast<uint8_t>(opcode);
  a.below(number, kDsdOpcodes);
  opcode = static_cast<DsdOpcode>(number);
}

template <typename A> void Recorder::transfer(A &a, const Program &of) {
  for (PeStatistics &pe : this->pes) {
    for (uint64_t *number : {&pe.mainCycles, &pe.issueCycles, &pe.routerCycles,
                             &pe.sent, &pe.received})
      a(*number);
    a(pe.links);
  }
  for (uint64_t &cycle : lastHop)
    a(cycle);
  for (auto &counts : byColor)
    a(counts);
  for (Running &now : running) {
    ::transfer(a, of, now.task);
    for (auto &thread : now.threads) {
      bool has = thread.has_value();
      a(has);
      if (!has)
        continue;
      if (!thread)
        thread.emplace();
      a(thread->begin);
      a.below(thread->location, program.locations.size());
      ::transfer(a, thread->opcode);
    }
  }
  std::vector<std::tuple<Location, DsdOpcode, Sum>> operations;
  for (const auto &[key, sum] : byOperation)
    operations.push_back({key.first, key.second, sum});
  a.list(operations, ~uint64_t(0), [&](auto &each) {
    auto &[location, opcode, sum] = each;
    a.below(location, program.locations.size());
    ::transfer(a, opcode);
    a(sum.count);
    a(sum.cycles);
    if constexpr (A::kLoads)
      byOperation[{location, opcode}] = sum;
  });
  // In the order of the program, not of addresses.
  for (const Code &code : of.codes)
    for (const Function &function : code.functions) {
      auto found = byTask.find(&function);
      bool has = found != byTask.end();
      a(has);
      if (!has)
        continue;
      Sum &sum = byTask[&function];
      a(sum.count);
      a(sum.cycles);
    }
}

void Recorder::save(llvm::raw_ostream &os, const Program &of) const {
  Saver saver;
  // A Saver only reads.
  const_cast<Recorder *>(this)->transfer(saver, of);
  os.write(reinterpret_cast<const char *>(saver.bytes.data()),
           saver.bytes.size());
}

llvm::Error Recorder::load(llvm::ArrayRef<uint8_t> bytes, const Program &of) {
  Loader loader(bytes);
  transfer(loader, of);
  if (loader.isBad() || !loader.atEnd())
    return llvm::createStringError("is cut off or damaged");
  return llvm::Error::success();
}
