//===- ChainGenerator.cpp - Random kernels --------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChainGenerator.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>

using namespace sequin;
using namespace sequin::testing;
using llvm::formatv;
using llvm::StringRef;

namespace {

using Terms = std::vector<std::string>;

std::string join(const Terms &terms) {
  std::string text;
  for (const std::string &term : terms)
    if (term != "1" && !term.empty())
      text += (text.empty() ? "" : ", ") + term;
  return text.empty() ? "1" : text;
}

StringRef mlirName(ElementType type) {
  switch (type) {
  case ElementType::F8E4M3:
    return "f8E4M3FN";
  case ElementType::F8E5M2:
    return "f8E5M2";
  default:
    return getName(type);
  }
}

class Generator {
public:
  explicit Generator(std::mt19937_64 &random) : random(random) {}

  Chain run();

private:
  int64_t below(int64_t n) { return static_cast<int64_t>(random() % n); }
  int64_t between(int64_t low, int64_t high) {
    return low + below(high - low + 1);
  }
  bool chance(int percent) { return below(100) < percent; }
  template <typename T> T pick(std::initializer_list<T> list) {
    return *(list.begin() + below(list.size()));
  }
  template <typename List> void shuffle(List &list) {
    for (size_t i = list.size(); i > 1; --i)
      std::swap(list[i - 1], list[below(i)]);
  }
  std::string axis(StringRef name, int64_t size) {
    axes +=
        (axes.empty() ? "" : ", ") + name.str() + " = " + std::to_string(size);
    return name.str();
  }

  /// Adds an operation on the stream.
  void op(StringRef name, StringRef rest, StringRef nextStage);
  std::string streamType() const;
  int64_t lanes() const { return 256 / getBitWidth(type); }

  void chooseSlices();
  void chooseTensor();
  void fetch(StringRef from);
  void doSwitch();
  void collect();
  void vectorEngine();
  void logicStage();
  void fxpStage();
  void floatStage();
  void reduce();
  void widen();
  void clipStage();
  void interSlice();
  void cast();
  void transpose();
  void commit();
  std::string number();

  std::mt19937_64 &random;
  std::string axes, lines;
  /// The slice mapping of the grid in use, and the grids by name.
  std::string grid = "#in";
  std::string slice;
  ElementType memoryType = ElementType::I8, type = ElementType::I8;
  Terms time;         ///< of the stream
  std::string packet; ///< of the stream
  /// Elements of the packet axis, and the packet in elements.
  int64_t packetData = 1, packetSize = 1;
  std::string memoryPacket;
  std::string stage = "fetch", value = "%f";
  int values = 0;
  bool interleaved = false;
  std::string outGrid;
  std::vector<std::string> resultAxes; ///< of the host array
  /// What narrow did: split or trimmed, and the packet before it.
  bool split = false;
  std::string widePacket;
  Terms wideTime;
  std::vector<Chain::Input> inputs;
  int64_t sizeOfSlices = 1;
  std::string commitPacket;
};

std::string Generator::streamType() const {
  return formatv("<main {0} {1}, {2}, \"{3}\", \"{4}\">", stage,
                 mlirName(type).str(), grid, join(time), packet)
      .str();
}

void Generator::op(StringRef name, StringRef rest, StringRef nextStage) {
  std::string result = "%v" + std::to_string(values++);
  lines += formatv("    {0} = tcp.{1} {2} {3} : {4}\n", result, name, value,
                   rest, streamType())
               .str();
  value = result;
  stage = nextStage.str();
}

void Generator::chooseSlices() {
  sizeOfSlices = pick<int64_t>({1, 2, 4, 32, 256, 256, 256});
  axis("S", sizeOfSlices);
  slice = sizeOfSlices == 256 ? "S" : "S # 256";
}

/// The tensor in memory and the stream of the fetch.
void Generator::chooseTensor() {
  using E = ElementType;
  memoryType = pick<E>({E::I8, E::I8, E::I32, E::I32, E::F32, E::F32, E::BF16,
                        E::I16, E::I4, E::F8E4M3, E::F8E5M2, E::F16});
  type = memoryType;
  if (chance(50))
    switch (memoryType) {
    case E::I4:
    case E::I8:
    case E::I16:
      type = E::I32;
      break;
    case E::BF16:
    case E::F16:
    case E::F8E4M3:
    case E::F8E5M2:
      type = E::F32;
      break;
    case E::F32:
      if (chance(30))
        type = E::BF16;
      break;
    default:
      break;
    }
  int64_t unit = 64 / getBitWidth(type); // elements of eight bytes
  packetSize = unit * pick<int64_t>({1, 2, 3, 4, 4, 4, 4, 5, 8, 12});
  packetData = chance(60) ? packetSize : between(1, packetSize);
  int64_t memoryUnit = 64 / getBitWidth(memoryType);
  int64_t held = (packetData + memoryUnit - 1) / memoryUnit * memoryUnit;
  if (chance(20))
    held += memoryUnit;
  axis("P", packetData);
  memoryPacket =
      held == packetData ? std::string("P") : formatv("P # {0}", held).str();
  packet = packetSize == packetData ? std::string("P")
                                    : formatv("P # {0}", packetSize).str();
  Terms outer;
  for (StringRef name : {"T", "U"}) {
    int64_t size = between(1, 6);
    axis(name, size);
    // A part of an axis, further out than the rest.
    if (size == 6 && chance(30)) {
      outer.push_back(name.str() + " / 2");
      outer.push_back(name.str() + " % 2");
    } else {
      outer.push_back(name.str());
    }
  }
  time = outer;
  Terms memory = outer;
  shuffle(memory);
  if (chance(70))
    shuffle(time);
  memory.push_back(memoryPacket);
  memoryPacket = join(memory);
  inputs.push_back({memoryType, {}});
  resultAxes = {"S", "T", "U", "P"};
}

void Generator::fetch(StringRef from) {
  std::string begin = formatv("<main begin {0}, {1}, \"{2}\", \"{3}\">",
                              mlirName(memoryType).str(), grid,
                              interleaved ? "I" : "1", memoryPacket)
                          .str();
  std::string more;
  bool padded = packetData != packetSize;
  if (padded && !isFloat(memoryType) && chance(30))
    more +=
        formatv(" pad_value {0} : {1}", between(-8, 7), mlirName(memoryType))
            .str();
  bool widens = getBitWidth(type) > getBitWidth(memoryType);
  if (widens && !isFloat(type) && chance(30)) {
    more += formatv(" zero_points [{0}", between(-100, 100)).str();
    if (interleaved)
      more += formatv(", {0}", between(-100, 100)).str();
    more += "]";
  }
  lines += formatv("    %f = tcp.fetch {0} {1} \"{2}\", \"{3}\"{4} : {5}\n",
                   from, mlirName(type), join(time), packet, more, begin)
               .str();
}

void Generator::doSwitch() {
  int64_t slice1 = pick<int64_t>({1, 2, 4}), slice0 = pick<int64_t>({1, 2, 4});
  int64_t ring = slice1 * slice0;
  if (sizeOfSlices != 256 || ring == 1 || time.size() != 2)
    return;
  std::string s2 = formatv("S / {0}", ring),
              s1 = formatv("S / {0} % {1}", slice0, slice1),
              s0 = formatv("S % {0}", slice0);
  Terms slices, result;
  std::string config;
  Terms outer = {time[0]}, inner = {time[1]};
  bool innerIsAxis = StringRef(time[1]).size() == 1;
  switch (below(3)) {
  case 0: {
    if (!innerIsAxis)
      return;
    // time0 is the size of the inner axis, which the text of axes has.
    StringRef text = axes;
    int64_t size = 1;
    size_t at = text.find(time[1] + " = ");
    text.drop_front(at + 4).consumeInteger(10, size);
    config = formatv("Broadcast01 slice1 = {0} slice0 = {1} time0 = {2}",
                     slice1, slice0, size);
    axis("X", ring);
    slices = {s2, "X"};
    result = {time[0], s1, time[1], s0};
    resultAxes.insert(resultAxes.begin(), "X");
    break;
  }
  case 1:
    config = formatv("Broadcast1 slice1 = {0} slice0 = {1}", slice1, slice0);
    axis("X", slice1);
    slices = {s2, "X", s0};
    result = {time[0], time[1], s1};
    resultAxes.insert(resultAxes.begin(), "X");
    break;
  default:
    config = formatv("Transpose slice1 = {0} slice0 = {1}", slice1, slice0);
    slices = {s2, s0, s1};
    result = time;
    break;
  }
  auto drop = [](Terms &terms) {
    llvm::erase_if(terms, [](const std::string &term) {
      return StringRef(term).ends_with("% 1");
    });
  };
  drop(slices);
  drop(result);
  op("switch",
     formatv("{0} \"{1}\", \"{2}\"", config, join(slices), join(result)).str(),
     "switch");
  outGrid = join(slices);
  grid = "#out";
  time = result;
}

void Generator::collect() {
  int64_t flit = lanes();
  Terms before = time;
  std::string result;
  if (packetSize == flit) {
    result = packet;
  } else if (packetSize < flit) {
    result = formatv("P # {0}", flit);
  } else {
    int64_t whole = (packetSize + flit - 1) / flit * flit;
    std::string padded = whole == packetData
                             ? std::string("P")
                             : formatv("[P # {0}]", whole).str();
    before.push_back(formatv("{0} / {1}", padded, flit));
    result = formatv("{0} % {1}", padded, flit);
  }
  op("collect", formatv("\"{0}\", \"{1}\"", join(before), result).str(),
     "collect");
  time = before;
  packet = result;
}

std::string Generator::number() {
  if (type == ElementType::F32)
    return formatv("({0}.{1} : f32)", between(-3, 3),
                   pick<StringRef>({"0", "5", "25", "125"}))
        .str();
  return formatv("({0} : i32)",
                 pick<int64_t>({between(-9, 9), between(-100000, 100000),
                                INT32_MAX, INT32_MIN}))
      .str();
}

void Generator::logicStage() {
  std::vector<StringRef> ops = {"BitAnd", "BitOr", "BitXor"};
  if (type == ElementType::I32)
    ops.insert(ops.end(), {"LeftShift", "LogicRightShift"});
  shuffle(ops);
  for (StringRef name : llvm::ArrayRef(ops).take_front(below(3))) {
    bool shift = name.contains("Shift");
    op("vector_logic",
       (name + " " +
        (shift ? formatv("({0} : i32)", below(34)).str() : number()))
           .str(),
       "vector_logic");
  }
}

void Generator::fxpStage() {
  if (type != ElementType::I32)
    return;
  std::vector<std::string> ops = {
      pick<StringRef>({"AddFxp", "AddFxpSat", "SubFxp", "SubFxpSat"}).str(),
      pick<StringRef>({"LeftShift", "LeftShiftSat"}).str(),
      pick<StringRef>({"MulFxp", "MulInt"}).str(),
      pick<StringRef>(
          {"LogicRightShift", "ArithRightShift", "ArithRightShiftRound"})
          .str()};
  shuffle(ops);
  for (const std::string &name : llvm::ArrayRef(ops).take_front(below(4))) {
    bool shift = StringRef(name).contains("Shift");
    std::string mode = chance(20) ? " mode Mode10 " : " ";
    op("vector_fxp",
       name +
           (shift ? formatv(" ({0} : i32)", below(33)).str() : mode + number()),
       "vector_fxp");
  }
}

void Generator::floatStage() {
  if (type != ElementType::F32)
    return;
  std::vector<std::pair<StringRef, std::string>> ops = {
      {"vector_fp_unary", pick<StringRef>({"Exp", "NegExp"}).str()},
      {"vector_fp_unary",
       pick<StringRef>({"Sqrt", "Tanh", "Sigmoid", "Erf", "Log", "Sin", "Cos"})
           .str()},
      {"vector_fp_binary", pick<StringRef>({"AddF", "SubF"}).str()},
      {"vector_fp_binary", "MulF0"},
      {"vector_fp_binary", "MulF1"}};
  shuffle(ops);
  for (auto &[name, text] : llvm::ArrayRef(ops).take_front(below(4)))
    op(name, name == "vector_fp_unary" ? text : text + " " + number(),
       "vector_fp");
}

void Generator::widen() {
  packet = widePacket;
  time = wideTime;
}

void Generator::clipStage() {
  std::vector<std::string> ops = {
      pick<StringRef>({"Min", "AbsMin"}).str(),
      pick<StringRef>({"Max", "AbsMax"}).str(),
      type == ElementType::F32
          ? std::string("Add")
          : pick<StringRef>({"AddFxp", "AddFxpSat"}).str()};
  shuffle(ops);
  for (const std::string &name : llvm::ArrayRef(ops).take_front(below(3)))
    op("vector_clip", name + " " + number(), "vector_clip");
}

void Generator::reduce() {
  // An axis that stands whole in time.
  for (StringRef name : {"T", "U"}) {
    auto found = llvm::find(time, name);
    if (found == time.end() || !chance(50))
      continue;
    Terms rest = time;
    rest.erase(rest.begin() + (found - time.begin()));
    std::string kind = type == ElementType::F32
                           ? pick<StringRef>({"Add", "Max", "Min"}).str()
                           : pick<StringRef>({"AddSat", "Max", "Min"}).str();
    op("vector_intra_slice_reduce",
       formatv("{0} \"{1}\" \"{2}\", \"{3}\"", kind, name, join(rest), packet)
           .str(),
       "vector_intra_slice_reduce");
    time = rest;
    wideTime.erase(llvm::find(wideTime, name));
    llvm::erase(resultAxes, name.str());
    return;
  }
}

void Generator::interSlice() {
  if (outGrid.size() || sizeOfSlices != 256)
    return;
  int64_t group = pick<int64_t>({2, 4, 16});
  // The reduced part of the slices is an axis of its own.
  std::string kind =
      type == ElementType::F32
          ? pick<StringRef>({"Add", "Max", "Min", "Mul"}).str()
          : pick<StringRef>({"Add", "AddSat", "Max", "Min"}).str();
  std::string slices = formatv("S / {0}, 1 # {0}", group).str();
  op("vector_inter_slice_reduce",
     formatv("{0} \"{1}\", \"{2}\"", kind, slices, join(time)).str(),
     stage == "vector_init" ? "vector_inter_first" : "vector_intra_first");
  outGrid = slices;
  grid = "#out";
  for (std::string &name : resultAxes)
    if (name == "S")
      name = formatv("S / {0}", group);
}

void Generator::vectorEngine() {
  op("vector_init", "", "vector_init");
  // Operations with mappings of their own print them before the type.
  auto withMappings = [&](StringRef name, StringRef next, auto &&change,
                          bool timeToo) {
    std::string before = streamType();
    change();
    std::string rest = formatv("\"{0}\"", packet);
    if (timeToo)
      rest = formatv("\"{0}\", {1}", join(time), rest);
    std::string result = "%v" + std::to_string(values++);
    lines += formatv("    {0} = tcp.{1} {2} {3} : {4}\n", result, name, value,
                     rest, before)
                 .str();
    value = result;
    stage = next.str();
  };
  if (interleaved) {
    Terms single = time;
    llvm::erase(single, "I");
    Terms tile = single;
    tile.push_back("1 # 2");
    op("vector_intra_slice_unzip",
       formatv("\"I\", \"{0}\", \"{1}\"", join(tile), join(single)).str(),
       "vector_branch");
    time = single;
    std::string kind =
        type == ElementType::F32
            ? pick<StringRef>({"Add", "Max", "Min"}).str()
            : pick<StringRef>({"AddFxp", "AddFxpSat", "Max", "Min"}).str();
    if (type == ElementType::I32 && chance(50))
      op("vector_fxp",
         formatv("MulInt ({0} : i32 | skip)", between(-5, 5)).str(),
         "vector_fxp");
    op("vector_clip_zip", kind, "vector_clip");
    op("vector_final", "", "vector_final");
    return;
  }
  if (chance(12))
    interSlice();
  if (stage == "vector_inter_first" && chance(30)) {
    op("vector_final", "", "vector_final");
    return;
  }
  bool interFirst = stage == "vector_inter_first";
  std::string condition = "Unconditional";
  if (chance(25))
    condition = formatv("Comparison [#tcp.cmp<{0}, {1}>]",
                        pick<StringRef>({"Less", "Greater", "Equal"}),
                        StringRef(number()).drop_front().drop_back());
  else if (chance(15))
    condition = "AxisToggle axis \"P\"";
  op("vector_intra_slice_branch", condition, "vector_branch");
  logicStage();
  fxpStage();
  if (type == ElementType::I32 && chance(30)) {
    op("vector_fxp_to_fp", std::to_string(pick({31, 31, 20, 8})),
       "vector_fxp_to_fp");
    type = ElementType::F32;
  }
  if (chance(50)) {
    widePacket = packet;
    wideTime = time;
    split = packetData > 4 || chance(40);
    if (split)
      withMappings(
          "vector_split", "vector_narrow",
          [&] {
            time.push_back(formatv("[{0}] / 4", widePacket));
            packet = formatv("[{0}] % 4", widePacket);
          },
          true);
    else
      withMappings(
          "vector_trim_way4", "vector_narrow",
          [&] {
            packet = packetData == 4 ? std::string("P") : std::string("P # 4");
          },
          false);
    floatStage();
    if (chance(40))
      reduce();
    if (type == ElementType::F32 && chance(20))
      op("vector_fp_div", "DivF " + number(), "vector_fp_div");
    withMappings(
        split ? "vector_concat" : "vector_pad_way8", "vector_widen",
        [&] { widen(); }, split);
  }
  if (type == ElementType::F32 && chance(20)) {
    op("vector_fp_to_fxp", std::to_string(pick({31, 20})), "vector_fp_to_fxp");
    type = ElementType::I32;
  }
  clipStage();
  if (!interFirst && chance(10))
    interSlice();
  op("vector_final", "", "vector_final");
}

void Generator::cast() {
  using E = ElementType;
  E to = type == E::F32 ? pick<E>({E::BF16, E::F16, E::F8E4M3, E::F8E5M2})
                        : pick<E>({E::I8, E::I16, E::I4});
  std::string wide = formatv("[{0}] # {1}", packet, 256 / getBitWidth(to));
  op("cast", formatv("{0} \"{1}\"", mlirName(to), wide).str(), "cast");
  // Eight lanes, where they are whole units of a commit.
  if (8 * getBitWidth(to) % 64 == 0 && StringRef(packet).contains("%"))
    commitPacket = packet;
  type = to;
  packet = wide;
}

void Generator::transpose() {
  // The innermost axis of time against the packet.
  StringRef last = time.empty() ? StringRef("1") : StringRef(time.back());
  bool fits = packetData <= 8 && packetSize <= 8 && commitPacket.empty();
  if ((last != "T" && last != "U") || !fits || getBitWidth(type) > 16)
    return;
  std::string inner = last.str();
  Terms outer(time.begin(), time.end() - 1);
  outer.push_back("P");
  std::string result = formatv("{0} # {1}", inner, lanes()).str();
  op("transpose", formatv("\"{0}\", \"{1}\"", join(outer), result).str(),
     "transpose");
  time = outer;
  packet = result;
  commitPacket = inner;
}

void Generator::commit() {
  // Of a flit that is not full of data only the leading eights are kept.
  int64_t unit = 64 / getBitWidth(type);
  std::string kept = packet;
  bool whole = packetSize > 256 / std::max(getBitWidth(type), 1u);
  if (StringRef(commitPacket).contains("%"))
    kept = commitPacket;
  else if (!commitPacket.empty())
    kept = formatv("{0} # {1}", commitPacket, (8 + unit - 1) / unit * unit);
  else if (!whole && StringRef(packet).contains("#") &&
           !StringRef(packet).contains("%"))
    kept = formatv("P # {0}", (packetData + unit - 1) / unit * unit);
  Terms element = time;
  if (chance(60))
    shuffle(element);
  element.push_back(kept);
  std::string mapping = join(element);
  std::string dm =
      formatv("!tcp.dm<{0}, {1}, \"{2}\">", mlirName(type), grid, mapping);
  lines += formatv("    %c = tcp.commit {0} at 262144 \"{1}\" : {2}\n", value,
                   mapping, streamType())
               .str();
  std::string slices = outGrid.empty() ? "S" : outGrid;
  std::string hbmMapping = slices + ", " + mapping;
  std::string hbm = formatv("!tcp.hbm<{0}, #axes, \"1\", \"{1}\">",
                            mlirName(type), hbmMapping);
  lines +=
      formatv("    %r = tcp.to_hbm %c at 268435456 : {0} -> {1}\n", dm, hbm)
          .str();
  lines += formatv("    return %r : {0}\n  }\n", hbm).str();
  std::string host = formatv("!tcp.host<{0}, #axes, \"{1}\">", mlirName(type),
                             join(Terms(resultAxes.begin(), resultAxes.end())));
  std::string hosts, hbms, loads, names;
  for (size_t i = 0; i < inputs.size(); ++i) {
    std::string t = mlirName(inputs[i].type).str();
    std::string in =
        formatv("!tcp.hbm<{0}, #axes, \"1\", \"S, {1}\">", t, memoryPacket);
    hosts += formatv("{0}%a{1}: !tcp.host<{2}, #axes, \"S, T, U, P\">",
                     i ? ", " : "", i, t)
                 .str();
    loads += formatv("    %h{0} = tcp.to_hbm %a{0} at {1} : !tcp.host<{2}, "
                     "#axes, \"S, T, U, P\"> -> {3}\n",
                     i, int64_t(i) << 24, t, in)
                 .str();
    hbms += (i ? ", " : "") + in;
    names += formatv("{0}%h{1}", i ? ", " : "", i).str();
  }
  lines += formatv("  func.func @main({0}) -> {1} {{\n{2}    %r = tcp.launch "
                   "@kernel({3}) : ({4}) -> {5}\n    %o = tcp.to_host %r : "
                   "{5} -> {1}\n    return %o : {1}\n  }\n}\n",
                   hosts, host, loads, names, hbms, hbm)
               .str();
}

Chain Generator::run() {
  chooseSlices();
  chooseTensor();
  bool vector = type == ElementType::I32 || type == ElementType::F32;
  interleaved = vector && packetSize <= lanes() && chance(12);
  std::string in = formatv("!tcp.hbm<{0}, #axes, \"1\", \"S, {1}\">",
                           mlirName(memoryType), memoryPacket),
              dm = formatv("!tcp.dm<{0}, #in, \"{1}\">", mlirName(memoryType),
                           memoryPacket);
  if (interleaved) {
    axis("I", 2);
    time.push_back("I");
    inputs.push_back(inputs.front());
    lines += formatv("    %d0 = tcp.to_dm %i0 at 0 : {0} -> {1}\n    %d1 = "
                     "tcp.to_dm %i1 at 65536 : {0} -> {1}\n    %b = "
                     "tcp.begin_interleaved main \"I\" %d0, %d1 : {1}\n",
                     in, dm)
                 .str();
  } else {
    lines += formatv("    %d0 = tcp.to_dm %i0 at 0 : {0} -> {1}\n    %b = "
                     "tcp.begin main %d0 : {1}\n",
                     in, dm)
                 .str();
  }
  fetch("%b");
  if (!interleaved && chance(25))
    doSwitch();
  collect();
  bool entersVector = vector && (interleaved || chance(80));
  if (entersVector)
    vectorEngine();
  if ((type == ElementType::I32 || type == ElementType::F32) && chance(35))
    cast();
  if (chance(15))
    transpose();
  commit();
  // The result's types are known now; the header comes first.
  std::string hbm = StringRef(lines)
                        .split("%r = tcp.to_hbm %c at 268435456 : ")
                        .second.split(" -> ")
                        .second.split("\n")
                        .first.str();
  Chain chain;
  chain.text = formatv("#axes = #stream.axes<{0}>\n#in = #tcp.grid<#axes, chip "
                       "\"1\", cluster \"1 # 2\", slice \"{1}\">\n",
                       axes, slice)
                   .str();
  if (!outGrid.empty())
    chain.text += formatv("#out = #tcp.grid<#axes, chip \"1\", cluster \"1 # "
                          "2\", slice \"{0}\">\n",
                          outGrid)
                      .str();
  std::string parameters = formatv("%i0: {0}", in);
  if (interleaved)
    parameters += formatv(", %i1: {0}", in).str();
  chain.text +=
      formatv("module attributes {{tcp.target = #tcp.target<\"rngd\", "
              "chips = 1>} {{\n  func.func @kernel({0}) -> {1} "
              "{{\n{2}",
              parameters, hbm, lines)
          .str();
  // Sizes of S, T, U and P, in that order, are the input's shape.
  std::vector<int64_t> shape;
  for (StringRef name : {"S", "T", "U", "P"}) {
    int64_t size = 0;
    size_t at =
        ("#" + axes).find((name == "S" ? "#" : " ") + name.str() + " = ");
    StringRef(axes)
        .drop_front(name == "S" ? 4 : at + 4)
        .consumeInteger(10, size);
    shape.push_back(size);
  }
  for (Chain::Input &input : inputs)
    input.shape = shape;
  chain.inputs = inputs;
  return chain;
}

/// A matrix product: weights into the TRF, then align, contract, accumulate.
Chain generateContraction(std::mt19937_64 &random) {
  auto below = [&](int64_t n) { return static_cast<int64_t>(random() % n); };
  using E = ElementType;
  E type = std::initializer_list<E>{E::BF16, E::I8, E::F8E4M3, E::F8E5M2, E::I4}
               .begin()[below(5)];
  int64_t bits = getBitWidth(type);
  int64_t flit = 256 / bits, lanes = 512 / bits;
  int64_t n = int64_t(1) << below(4); // rows
  int64_t q = 1 + below(3), m = 1 + below(6);
  int64_t k = flit << below(4); // half a packet to four packets
  int64_t r = 1 + below(4);     // reduced over time besides
  bool sequential = below(3) == 0;
  std::string t = mlirName(type).str();
  bool real = isFloat(type);
  std::string sum = real ? "f32" : "i32";
  std::string axes = formatv(
      "S = 32, M = {0}, N = {1}, Q = {2}, K = {3}, R = {4}", m, n, q, k, r);
  // Where the packet is one flit, half of the multipliers stay idle.
  std::string packet = k < lanes    ? formatv("K # {0}", lanes).str()
                       : k == lanes ? std::string("K")
                                    : formatv("K % {0}", lanes).str();
  std::string cut = k > lanes ? formatv(", K / {0}", lanes).str() : "";
  std::string flitTime = k > flit ? formatv(", K / {0}", flit).str() : "";
  std::string flitPacket = k > flit ? formatv("K % {0}", flit).str() : "K";
  std::string streamTime = below(2) ? "M, R" : "R, M";
  std::string aligned = formatv("{0}{1}, Q", streamTime, cut);
  std::string kept = "M, Q";
  std::string result = sequential ? "1 # 8" : "N # 8";
  std::string time = sequential ? kept + ", N" : kept;
  std::string element =
      sequential ? std::string("M, Q, N, 1 # 2") : std::string("M, Q, N # 8");
  std::string a = "#axes, \"1\", \"S, M, R, K\"",
              w = "#axes, \"1\", \"S, N, Q, R, K\"";
  Chain chain;
  chain.inputs = {{type, {32, m, r, k}}, {type, {32, n, q, r, k}}};
  chain.text = formatv(R"(#axes = #stream.axes<{0}>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "S # 256">
module attributes {{tcp.target = #tcp.target<"rngd", chips = 1>} {{
  func.func @kernel(%i0: !tcp.hbm<{1}, {2}>, %i1: !tcp.hbm<{1}, {3}>) -> !tcp.hbm<{4}, #axes, "1", "S, {5}"> {{
    %w = tcp.to_dm %i1 at 65536 : !tcp.hbm<{1}, {3}> -> !tcp.dm<{1}, #grid, "N, Q, R, K">
    %w0 = tcp.begin sub %w : !tcp.dm<{1}, #grid, "N, Q, R, K">
    %w1 = tcp.fetch %w0 {1} "N, Q, R", "K" : <sub begin {1}, #grid, "1", "N, Q, R, K">
    %w2 = tcp.collect %w1 "N, Q, R{6}", "{7}" : <sub fetch {1}, #grid, "N, Q, R", "K">
    %trf = tcp.to_trf %w2 Full "N", "Q, R, K" : <sub collect {1}, #grid, "N, Q, R{6}", "{7}">
)",
                       axes, t, a, w, sum, element, flitTime, flitPacket)
                   .str();
  chain.text +=
      formatv(
          R"(    %d = tcp.to_dm %i0 at 0 : !tcp.hbm<{0}, {1}> -> !tcp.dm<{0}, #grid, "M, R, K">
    %0 = tcp.begin main %d : !tcp.dm<{0}, #grid, "M, R, K">
    %1 = tcp.fetch %0 {0} "{2}", "K" : <main begin {0}, #grid, "1", "M, R, K">
    %2 = tcp.collect %1 "{2}{3}", "{4}" : <main fetch {0}, #grid, "{2}", "K">
    %3 = tcp.align %2, %trf "{5}", "{6}" : <main collect {0}, #grid, "{2}{3}", "{4}">, !tcp.trf<{0}, #grid, "N", "Q, R, K">
    %4 = tcp.contract %3 "1" : <main align {0}, #grid, row "N", "{5}", "{6}">
)",
          t, a, streamTime, flitTime, flitPacket, aligned, packet)
          .str();
  chain.text +=
      formatv(
          R"(    %5 = tcp.accumulate %4 {0} "{1}", "{2}" : <main contract {3}, #grid, row "N", "{4}", "1">
    %6 = tcp.commit %5 at 262144 "{5}" : <main accumulate {3}, #grid, "{1}", "{2}">
    %r = tcp.to_hbm %6 at 268435456 : !tcp.dm<{3}, #grid, "{5}"> -> !tcp.hbm<{3}, #axes, "1", "S, {5}">
    return %r : !tcp.hbm<{3}, #axes, "1", "S, {5}">
  }
  func.func @main(%a: !tcp.host<{6}, #axes, "S, M, R, K">, %b: !tcp.host<{6}, #axes, "S, N, Q, R, K">) -> !tcp.host<{3}, #axes, "S, M, Q, N"> {{
    %h0 = tcp.to_hbm %a at 0 : !tcp.host<{6}, #axes, "S, M, R, K"> -> !tcp.hbm<{6}, {7}>
    %h1 = tcp.to_hbm %b at 16777216 : !tcp.host<{6}, #axes, "S, N, Q, R, K"> -> !tcp.hbm<{6}, {8}>
    %r = tcp.launch @kernel(%h0, %h1) : (!tcp.hbm<{6}, {7}>, !tcp.hbm<{6}, {8}>) -> !tcp.hbm<{3}, #axes, "1", "S, {5}">
    %o = tcp.to_host %r : !tcp.hbm<{3}, #axes, "1", "S, {5}"> -> !tcp.host<{3}, #axes, "S, M, Q, N">
    return %o : !tcp.host<{3}, #axes, "S, M, Q, N">
  }
}
)",
          sequential ? "Sequential" : "Interleaved", time, result, sum, aligned,
          element, t, a, w)
          .str();
  return chain;
}

} // namespace

Chain sequin::testing::generateChain(std::mt19937_64 &random) {
  if (random() % 8 == 0)
    return generateContraction(random);
  return Generator(random).run();
}
