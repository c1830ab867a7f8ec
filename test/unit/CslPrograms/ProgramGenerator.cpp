//===- ProgramGenerator.cpp - Random csl programs -------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramGenerator.h"
#include "PeWriter.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace sequin;
using namespace sequin::testing;

namespace {

constexpr int kMostChannels = 6; // WSE-2 has as many output queues

enum Side { West, East, South, North, Ramp };
const char *const kNames[] = {"WEST", "EAST", "SOUTH", "NORTH", "RAMP"};
Side opposite(Side side) {
  return static_cast<Side>(static_cast<int>(side) ^ 1);
}

struct Place {
  int x, y;
};

/// What one PE does with a channel.
struct Role {
  enum Kind { Send, Receive, Loop, RelayIn, RelayOut } kind;
  int channel;
  int elements = 0; ///< received
  bool async = false, byTask = false;
};

class Generator {
public:
  explicit Generator(std::mt19937_64 &random) : dice(random) {}
  std::string run();

private:
  bool inside(Place at) const {
    return at.x >= 0 && at.y >= 0 && at.x < width && at.y < height;
  }
  static Place step(Place at, Side side) {
    return {at.x + (side == East) - (side == West),
            at.y + (side == South) - (side == North)};
  }
  int numberOf(Place at) const { return at.y * width + at.x; }
  int room(Place at, Side side) const {
    int count = 0;
    while (inside(at = step(at, side)))
      ++count;
    return count;
  }
  Place anyPlace() { return {dice.roll(width), dice.roll(height)}; }
  Channel &addChannel(int phase);
  void makeChannels(int phase);
  void path(int phase);
  void line(int phase);
  void loopBack(int phase);
  void split(int phase);
  void relayed(int phase);
  void route(int color, Place at, const std::string &rx, const std::string &tx,
             const std::string &more = "");
  /// The path of a color from `from`, `length` steps; ends at a RAMP. With
  /// `all` every PE on the way gets the wavelets too.
  Place lay(int color, Place from, Side side, int length, bool all,
            const std::string &filter);
  void addRole(Place at, Role role) {
    roles[{numberOf(at), channels[role.channel].phase}].push_back(role);
  }
  std::string filterOf(Channel &channel, int &elements);
  void receiveAt(Place at, int channel, int elements, bool mayTask);

  Dice dice;
  bool wse2 = false;
  int width = 1, height = 1;
  std::vector<Channel> channels;
  std::map<std::pair<int, int>, std::vector<Role>> roles; ///< PE, phase
  std::set<int> loops;                                    ///< PEs with one
  std::string layout;
};

} // namespace

Channel &Generator::addChannel(int phase) {
  Channel channel;
  channel.number = static_cast<int>(channels.size());
  channel.phase = phase;
  channel.half = dice.chance(40);
  channel.packed = dice.chance(50);
  channel.parts = {dice.between(1, 24)};
  channel.asyncSend = dice.chance(50);
  channels.push_back(channel);
  return channels.back();
}

void Generator::route(int color, Place at, const std::string &rx,
                      const std::string &tx, const std::string &more) {
  layout += "    csl.color_config " + std::to_string(color) + " at <" +
            std::to_string(at.x) + ", " + std::to_string(at.y) +
            "> routes <rx [" + rx + "] tx [" + tx + "]>" + more + "\n";
}

Place Generator::lay(int color, Place from, Side side, int length, bool all,
                     const std::string &filter) {
  Place at = from;
  for (int i = 1; i <= length; ++i) {
    at = step(at, side);
    bool last = i == length;
    std::string tx = last  ? "RAMP"
                     : all ? std::string("RAMP, ") + kNames[side]
                           : kNames[side];
    route(color, at, kNames[opposite(side)], tx, last || all ? filter : "");
  }
  return at;
}

void Generator::receiveAt(Place at, int number, int elements, bool mayTask) {
  Role role{Role::Receive, number};
  role.elements = elements;
  Channel &channel = channels[number];
  role.byTask = mayTask && dice.chance(35);
  // It takes them in pairs.
  channel.packed |= role.byTask;
  // A data task waits until its PE has nothing synchronous to do. Other
  // receivers of the color, which get no more than it takes, must not wait with
  // it: they could be what its PE waits for. Packed elements are received as
  // they were sent.
  role.async = !role.byTask && (mayTask || dice.chance(50)) &&
               (!channel.half || channel.parts.size() == 1);
  addRole(at, role);
}

/// A filter at the receivers, and what comes through.
std::string Generator::filterOf(Channel &channel, int &elements) {
  elements = 0;
  for (int part : channel.parts)
    elements += part;
  if (channel.half || channel.controls || channel.controlTask)
    return "";
  if (channel.indexed) {
    int low = dice.roll(static_cast<int>(channel.parts.size()));
    int high = dice.between(low, static_cast<int>(channel.parts.size()) - 1);
    elements = 0;
    for (int i = low; i <= high; ++i)
      elements += channel.parts[i];
    return " filter <kind = range, min_idx = " + std::to_string(low) +
           ", max_idx = " + std::to_string(high) + ">";
  }
  if (!dice.chance(20))
    return "";
  int limit = dice.between(1, 6), most = dice.roll(limit + 1),
      start = dice.roll(limit + 1), passed = 0, counter = start;
  for (int i = 0; i < elements; ++i) {
    passed += counter <= most;
    counter = counter == limit ? 0 : counter + 1;
  }
  if (!passed)
    return "";
  elements = passed;
  return " filter <kind = counter, count_data = true, init_counter = " +
         std::to_string(start) + ", limit1 = " + std::to_string(limit) +
         ", max_counter = " + std::to_string(most) + ">";
}

/// From one PE straight to another.
void Generator::path(int phase) {
  Place from = anyPlace();
  Side side = static_cast<Side>(dice.roll(4));
  int length = room(from, side);
  if (!length)
    return;
  length = dice.between(1, length);
  Channel &channel = addChannel(phase);
  bool mayTask = false;
  if (dice.chance(15)) {
    // Ended by control wavelets.
    channel.half = false;
    channel.controls = dice.between(1, 3);
    channel.drop = dice.chance(40);
    if (!channel.drop)
      channel.controls = 1;
  } else if (dice.chance(20)) {
    channel.half = false;
    channel.indexed = true;
    channel.parts = {dice.between(1, 8), dice.between(1, 8),
                     dice.between(1, 8)};
    channel.asyncSend = false;
  } else if (channel.asyncSend && dice.chance(40)) {
    mayTask = true;
    if (channel.half)
      channel.parts[0] += channel.parts[0] % 2;
  } else if (dice.chance(40)) {
    channel.parts.push_back(dice.between(1, 12));
  } else if (dice.chance(30)) {
    channel.controlTask = true;
    channel.asyncSend = false;
  }
  channel.dense = !wse2 && channel.half && !mayTask && dice.chance(30);
  int elements = 0;
  std::string filter = filterOf(channel, elements);
  if (channel.half)
    mayTask &= channel.parts.size() == 1;
  int number = channel.number;
  route(number, from, "RAMP", kNames[side]);
  Place to = lay(number, from, side, length, false, filter);
  addRole(from, {Role::Send, number});
  receiveAt(to, number, elements, mayTask);
}

/// From one PE to all on one side of it.
void Generator::line(int phase) {
  Place from = anyPlace();
  Side side = static_cast<Side>(dice.roll(4));
  int length = room(from, side);
  if (!length)
    return;
  Channel &channel = addChannel(phase);
  bool mayTask = channel.asyncSend && dice.chance(40);
  if (mayTask && channel.half)
    channel.parts[0] += channel.parts[0] % 2;
  int elements = 0;
  std::string filter = filterOf(channel, elements);
  int number = channel.number;
  route(number, from, "RAMP", kNames[side]);
  lay(number, from, side, length, true, filter);
  addRole(from, {Role::Send, number});
  Place at = from;
  for (int i = 0; i < length; ++i) {
    at = step(at, side);
    receiveAt(at, number, elements, mayTask);
  }
}

/// Up the ramp and down again.
void Generator::loopBack(int phase) {
  Place at = anyPlace();
  if (!loops.insert(numberOf(at)).second)
    return;
  Channel &channel = addChannel(phase);
  channel.asyncSend = true;
  route(channel.number, at, "RAMP", "RAMP");
  Role role{Role::Loop, channel.number};
  role.elements = channel.parts[0];
  role.async = dice.chance(50);
  addRole(at, role);
}

/// First to one side, then the switch moves, then to another.
void Generator::split(int phase) {
  Place from = anyPlace();
  std::vector<Side> sides;
  for (Side side : {West, East, South, North})
    if (room(from, side))
      sides.push_back(side);
  if (sides.size() < 2)
    return;
  Channel &channel = addChannel(phase);
  channel.half = false;
  channel.asyncSend = false;
  channel.parts = {dice.between(1, 16), dice.between(1, 16)};
  channel.advanceAfter = 0;
  channel.byField = !wse2 && dice.chance(50);
  int number = channel.number;
  int first = dice.roll(static_cast<int>(sides.size()));
  Side a = sides[first], b = sides[(first + 1) % sides.size()];
  route(number, from, "RAMP", kNames[a],
        std::string(" switches <pos1 = #csl.position<tx [") + kNames[b] + "]>" +
            (dice.chance(50) ? ", ring = true" : "") + ">");
  Place toA = lay(number, from, a, dice.between(1, room(from, a)), false, "");
  Place toB = lay(number, from, b, dice.between(1, room(from, b)), false, "");
  int countA = channel.parts[0], countB = channel.parts[1];
  addRole(from, {Role::Send, number});
  receiveAt(toA, number, countA, false);
  receiveAt(toB, number, countB, false);
}

/// Over a PE that receives into a FIFO and sends from it.
void Generator::relayed(int phase) {
  Place from = anyPlace();
  Side side = static_cast<Side>(dice.roll(4));
  if (room(from, side) < 2 || channels.size() + 2 > kMostChannels)
    return;
  int first = addChannel(phase).number;
  int second = addChannel(phase).number;
  channels[first].half = channels[second].half;
  channels[first].packed = channels[second].packed;
  channels[second].parts = channels[first].parts;
  Place middle = step(from, side), to = step(middle, side);
  route(first, from, "RAMP", kNames[side]);
  lay(first, from, side, 1, false, "");
  route(second, middle, "RAMP", kNames[side]);
  lay(second, middle, side, 1, false, "");
  addRole(from, {Role::Send, first});
  addRole(middle, {Role::RelayIn, first});
  addRole(middle, {Role::RelayOut, second});
  receiveAt(to, second, channels[second].parts[0], false);
}

void Generator::makeChannels(int phase) {
  for (int i = dice.between(0, 3); i--;) {
    if (channels.size() >= kMostChannels)
      return;
    int what = dice.roll(100);
    if (what < 45)
      path(phase);
    else if (what < 65)
      line(phase);
    else if (what < 75)
      loopBack(phase);
    else if (what < 88)
      split(phase);
    else
      relayed(phase);
  }
}

std::string Generator::run() {
  wse2 = dice.chance(40);
  static constexpr std::pair<int, int> grids[] = {{1, 1}, {2, 1}, {3, 1},
                                                  {1, 3}, {2, 2}, {3, 2}};
  std::tie(width, height) = grids[dice.roll(6)];
  auto format = static_cast<Fp16Format>(dice.roll(3));
  int phases = dice.between(1, 3);
  for (int phase = 0; phase < phases; ++phase)
    makeChannels(phase);

  std::string programs;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      Place at{x, y};
      PeWriter pe(dice, wse2, format);
      for (int phase = 0; phase < phases; ++phase) {
        pe.beginPhase();
        for (const Role &role : roles[{numberOf(at), phase}]) {
          for (int i = dice.roll(3); i--;)
            pe.local();
          const Channel &channel = channels[role.channel];
          int queue = channel.number;
          switch (role.kind) {
          case Role::Send:
            pe.bindOutput(queue, channel.number, channel.dense);
            pe.send(channel);
            break;
          case Role::Receive:
            pe.bindInput(queue, channel.number, channel.dense);
            pe.receive(channel, role.elements, queue, role.async, role.byTask);
            break;
          case Role::Loop:
            // Another queue, so that there are two microthreads.
            pe.bindOutput(queue, channel.number, channel.dense);
            pe.bindInput(6, channel.number, channel.dense);
            pe.send(channel);
            pe.receive(channel, role.elements, 6, role.async, false);
            break;
          case Role::RelayIn:
            pe.bindInput(queue, channel.number, channel.dense);
            pe.bindOutput(queue + 1, channel.number + 1, false);
            pe.relay(channel, channels[role.channel + 1]);
            break;
          case Role::RelayOut:
            break;
          }
        }
        for (int i = dice.between(0, 3); i--;)
          pe.local();
        pe.endPhase(phase + 1 == phases);
      }
      std::string name = "pe" + std::to_string(numberOf(at));
      layout += "    csl.tile_code @" + name + " at <" + std::to_string(x) +
                ", " + std::to_string(y) + ">\n";
      programs += pe.finish(name);
    }
  static const char *const formats[] = {"", ", fp16 = cb16", ", fp16 = bf16"};
  return std::string("module attributes {csl.target = #csl.target<\"") +
         (wse2 ? "wse2" : "wse3") + "\"" + formats[static_cast<int>(format)] +
         ">} {\n  csl.layout " + std::to_string(width) + " x " +
         std::to_string(height) +
         " {\n    csl.export_name \"main\" : () -> ()\n" + layout + "  }\n" +
         programs + "}\n";
}

std::string sequin::testing::generateCslProgram(std::mt19937_64 &random) {
  return Generator(random).run();
}
