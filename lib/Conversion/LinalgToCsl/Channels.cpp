//===- Channels.cpp - Colors, queues and routes ---------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Channels.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::linalg_to_csl;

std::string Channel::name() const {
  bool x = axis == FabricAxis::X;
  StringRef direction = x ? (up ? "east" : "west") : (up ? "south" : "north");
  switch (kind) {
  case Kind::Hop:
    return ("hop_" + direction).str();
  case Kind::Leap:
    return ("leap" + std::to_string(group) + "_" + direction).str();
  case Kind::Spread:
    return x ? "spread_x" : "spread_y";
  case Kind::Panel:
    return ("panel_" + direction).str();
  }
  llvm_unreachable("unknown kind");
}

void ChannelTable::add(Channel channel) {
  for (const Channel &known : channels)
    if (known.isSame(channel))
      return;
  bool parity =
      channel.kind == Channel::Kind::Hop || channel.kind == Channel::Kind::Leap;
  channel.colors = parity ? 2 : 1;
  channels.push_back(channel);
}

const Channel &ChannelTable::get(Channel::Kind kind, FabricAxis axis, bool up,
                                 int64_t group) const {
  for (const Channel &channel : channels)
    if (channel.isSame({kind, axis, up, group}))
      return channel;
  llvm_unreachable("a channel that no step asked for");
}

void ChannelTable::collect(const Plan &plan) {
  using Kind = Channel::Kind;
  for (const Step &step : plan.steps)
    switch (step.kind) {
    case Step::Kind::Spread:
      add({Kind::Spread, step.axis, true});
      break;
    case Step::Kind::Halo:
      if (step.below)
        add({Kind::Hop, step.axis, true});
      if (step.above)
        add({Kind::Hop, step.axis, false});
      break;
    case Step::Kind::Compute:
      for (const ReducePath &path : step.paths) {
        add({Kind::Hop, path.axis, false});
        if (path.group)
          add({Kind::Leap, path.axis, false, path.group});
      }
      break;
    case Step::Kind::Summa:
      // Downward sends are asynchronous on WSE-2, where the number of the queue
      // is the microthread's: low ones, since receives take high ones.
      for (bool up : {false, true})
        for (FabricAxis axis : {FabricAxis::X, FabricAxis::Y})
          add({Kind::Panel, axis, up});
      break;
    case Step::Kind::Outside:
      break;
    }
  // Switches are rarer than colors.
  SmallVector<Channel> ordered;
  for (bool panels : {true, false})
    for (const Channel &channel : channels)
      if ((channel.kind == Kind::Panel) == panels)
        ordered.push_back(channel);
  channels = ordered;
}

/// Queues that the memcpy library leaves.
static SmallVector<unsigned> getQueues(unsigned count, uint32_t taken) {
  SmallVector<unsigned> queues;
  for (unsigned q = 0; q < count; ++q)
    if (!(taken >> q & 1))
      queues.push_back(q);
  return queues;
}
static SmallVector<unsigned> getInputQueues(csl::TargetAttr target) {
  const CslMachine &machine = *target.getRow();
  SmallVector<unsigned> queues =
      getQueues(machine.inputQueues(),
                target.getMemcpy() ? machine.memcpy.inputQueues : 0);
  return SmallVector<unsigned>(llvm::reverse(queues));
}
static SmallVector<unsigned> getOutputQueues(csl::TargetAttr target) {
  const CslMachine &machine = *target.getRow();
  return getQueues(machine.outputQueues(),
                   target.getMemcpy() ? machine.memcpy.outputQueues : 0);
}

std::string ChannelTable::checkQueues(const Plan &plan,
                                      csl::TargetAttr target) {
  ChannelTable table;
  table.collect(plan);
  size_t count = table.channels.size();
  size_t inputs = getInputQueues(target).size();
  size_t outputs = getOutputQueues(target).size();
  const CslMachine &machine = *target.getRow();
  if (count <= inputs && (!machine.outputQueueColor || count <= outputs))
    return "";
  return ("needs " + Twine(count) + " input and output queues, " +
          machine.name + " has " + Twine(inputs) + " and " + Twine(outputs) +
          " beside those of memcpy; split the function")
      .str();
}

FailureOr<ChannelTable> ChannelTable::make(Operation *op, const Plan &plan,
                                           csl::TargetAttr target,
                                           unsigned firstColor) {
  using Kind = Channel::Kind;
  ChannelTable table;
  table.collect(plan);
  const CslMachine &machine = *target.getRow();
  bool memcpy = target.getMemcpy();
  uint32_t taken = memcpy ? machine.memcpy.colors : 0;
  unsigned next = firstColor;
  for (Channel &channel : table.channels) {
    auto usable = [&](unsigned first) {
      for (unsigned i = 0; i < channel.colors; ++i)
        if (taken >> (first + i) & 1 ||
            (channel.kind == Kind::Panel && !machine.isSwitchable(first + i)))
          return false;
      return true;
    };
    while (next + channel.colors <= machine.colors && !usable(next))
      ++next;
    if (next + channel.colors > machine.colors)
      return op->emitError()
             << "needs more colors than the " << machine.colors << " of "
             << machine.name << " from " << firstColor << " on; the "
             << table.channels.size()
             << " kinds of communication of the function are too many, split "
                "it or lower first-color";
    channel.color = next;
    next += channel.colors;
  }

  SmallVector<unsigned> inputs = getInputQueues(target);
  SmallVector<unsigned> outputs = getOutputQueues(target);
  for (auto [number, channel] : llvm::enumerate(table.channels)) {
    channel.inputQueue = inputs[number];
    // Without colors of their own output queues can be shared.
    channel.outputQueue = outputs[number % outputs.size()];
  }
  return table;
}

//===----------------------------------------------------------------------===//
// Control wavelets
//===----------------------------------------------------------------------===//

namespace {
/// Opcodes in control wavelets (FAB-026, FAB-029).
enum class SwitchCommand : uint32_t { Nop, Advance, Reset };
} // namespace

/// Eight commands that no compute element sees, the first ones given: three
/// bits each, the opcode and ce_ignore, the first eight bits of them in bits
/// 29:22, the rest in 15:0, and the task's entry in 21:16 (FAB-043, FAB-044).
static uint32_t getControl(const CslMachine &machine,
                           ArrayRef<SwitchCommand> given) {
  uint32_t commands = 0;
  for (unsigned i = 0; i < 8; ++i) {
    uint32_t command = 4; // ce_ignore
    if (i < given.size())
      command |= static_cast<uint32_t>(given[i]);
    commands |= command << 3 * i;
  }
  return (commands & 0xff) << 22 | machine.noControlTask << 16 | commands >> 8;
}

uint32_t linalg_to_csl::getPanelUpControl(const CslMachine &machine,
                                          int64_t root) {
  // The router of PE 0 has no switch and takes no command away.
  if (root == 0)
    return getControl(machine, {SwitchCommand::Advance});
  return getControl(machine, {SwitchCommand::Reset, SwitchCommand::Advance});
}

uint32_t linalg_to_csl::getPanelDownControl(const CslMachine &machine,
                                            int64_t root, int64_t pes) {
  return getControl(machine, {root + 1 == pes ? SwitchCommand::Reset
                                              : SwitchCommand::Advance});
}

//===----------------------------------------------------------------------===//
// Routes
//===----------------------------------------------------------------------===//

static constexpr uint32_t bit(csl::Direction direction) {
  return 1u << static_cast<unsigned>(direction);
}
static constexpr uint32_t kRamp = bit(csl::Direction::Ramp);

namespace {
/// Writes configurations along one axis.
class RouteWriter {
public:
  RouteWriter(OpBuilder &builder, Location loc, Grid grid, FabricAxis axis,
              unsigned generation)
      : builder(builder), loc(loc), grid(grid), x(axis == FabricAxis::X),
        generation(generation), pes(grid.along(axis)) {}

  void write(const Channel &channel);

private:
  uint32_t above() const {
    return bit(x ? csl::Direction::East : csl::Direction::South);
  }
  uint32_t below() const {
    return bit(x ? csl::Direction::West : csl::Direction::North);
  }
  void route(unsigned color, int64_t begin, int64_t end, int64_t step,
             uint32_t rx, uint32_t tx, csl::SwitchesAttr switches = {});
  csl::SwitchesAttr getSwitches(std::optional<uint32_t> rx,
                                std::optional<uint32_t> tx, csl::PopMode pop);

  OpBuilder &builder;
  Location loc;
  Grid grid;
  bool x;
  unsigned generation;
  int64_t pes;
};
} // namespace

void RouteWriter::route(unsigned color, int64_t begin, int64_t end,
                        int64_t step, uint32_t rx, uint32_t tx,
                        csl::SwitchesAttr switches) {
  if (begin >= end)
    return;
  // One PE is written without a step.
  if (begin + step >= end) {
    end = begin + 1;
    step = 1;
  }
  MLIRContext *context = builder.getContext();
  auto region =
      x ? csl::RegionAttr::get(context, begin, end, step, 0, grid.height, 1)
        : csl::RegionAttr::get(context, 0, grid.width, 1, begin, end, step);
  csl::ColorConfigOp::create(
      builder, loc, builder.getI64IntegerAttr(color), region,
      csl::RoutesAttr::get(context, rx, tx, false, false), switches,
      csl::FilterAttr(), /*teardown=*/UnitAttr());
}

csl::SwitchesAttr RouteWriter::getSwitches(std::optional<uint32_t> rx,
                                           std::optional<uint32_t> tx,
                                           csl::PopMode pop) {
  MLIRContext *context = builder.getContext();
  return csl::SwitchesAttr::get(
      context, csl::PositionAttr::get(context, rx, tx), {}, {}, 0, false, pop);
}

void RouteWriter::write(const Channel &channel) {
  uint32_t onward = channel.up ? above() : below();
  uint32_t back = channel.up ? below() : above();
  unsigned color = channel.color;
  switch (channel.kind) {
  case Channel::Kind::Hop:
    for (unsigned parity : {0u, 1u}) {
      int64_t sender = parity, receiver = 1 - parity;
      if (channel.up) {
        route(color + parity, sender, pes - 1, 2, kRamp, onward);
        route(color + parity, receiver ? receiver : 2, pes, 2, back, kRamp);
      } else {
        route(color + parity, sender ? sender : 2, pes, 2, kRamp, onward);
        route(color + parity, receiver, pes - 1, 2, back, kRamp);
      }
    }
    return;
  case Channel::Kind::Leap: {
    int64_t size = channel.group;
    for (unsigned parity : {0u, 1u}) {
      int64_t sender = parity ? size : 2 * size;
      route(color + parity, sender, pes, 2 * size, kRamp, onward);
      for (int64_t between = 1; between < size; ++between)
        route(color + parity, sender - size + between, pes - size + between,
              2 * size, back, onward);
      route(color + parity, sender - size, pes - size, 2 * size, back, kRamp);
    }
    return;
  }
  case Channel::Kind::Spread:
    route(color, 0, 1, 1, kRamp, onward);
    route(color, 1, pes - 1, 1, back, kRamp | onward);
    route(color, pes - 1, pes, 1, back, kRamp);
    return;
  case Channel::Kind::Panel:
    if (channel.up) {
      auto open = getSwitches(kRamp, std::nullopt, csl::PopMode::AlwaysPop);
      route(color, 0, 1, 1, kRamp, kRamp | onward);
      route(color, 1, pes - 1, 1, back, kRamp | onward, open);
      route(color, pes - 1, pes, 1, back, kRamp, open);
      return;
    }
    // Here the root does not hear itself, where a position has both sides.
    route(color, 0, 1, 1, back, kRamp);
    if (generation == 2)
      route(color, 1, pes - 1, 1, kRamp, kRamp | onward,
            getSwitches(back, std::nullopt, csl::PopMode::OnAdvance));
    else
      route(color, 1, pes - 1, 1, kRamp, onward,
            getSwitches(back, kRamp | onward, csl::PopMode::OnAdvance));
    route(color, pes - 1, pes, 1, kRamp, onward);
    return;
  }
}

void ChannelTable::emitRoutes(OpBuilder &builder, Location loc, Grid grid,
                              unsigned generation) const {
  for (const Channel &channel : channels)
    RouteWriter(builder, loc, grid, channel.axis, generation).write(channel);
}
