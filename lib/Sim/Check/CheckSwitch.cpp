//===- CheckSwitch.cpp - Checks of traffic between slices -----------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The switch engine, the collect engine and the inter-slice block. A ring
// passes its packets by every slice in one order and routers buffer about one
// packet: what a slice takes comes in the ring's order, which is why loops over
// packets must ascend and sources have no order of their own.
//
//===----------------------------------------------------------------------===//

#include "Check/ExecCheck.h"
#include "sequin/Machine/Cycles.h"
#include "sequin/Machine/ReduceGroups.h"
#include <map>
#include <set>

using namespace sequin;
using namespace sequin::sim;
using llvm::StringRef;
using llvm::Twine;

static bool hasBit(llvm::ArrayRef<uint64_t> words, int64_t bit) {
  return takesPart(words, bit);
}

static int64_t bitCount(llvm::ArrayRef<uint64_t> words) {
  int64_t count = 0;
  for (uint64_t word : words)
    count += llvm::popcount(word);
  return count;
}

/// Fails with the first source of `setting` outside the ring that starts at
/// `ring`.
static std::optional<int64_t> sourceOutside(llvm::ArrayRef<uint64_t> sources,
                                            int64_t ring, int64_t size) {
  for (int64_t bit = 0, end = sources.size() * 64; bit < end; ++bit)
    if (hasBit(sources, bit) && (bit < ring || bit >= ring + size))
      return bit;
  return std::nullopt;
}

llvm::Error ExecCheck::checkRouters(StringRef name,
                                    const config::Routing &routing) {
  int64_t perCluster = machine.slicesPerCluster;
  if (llvm::Error error =
          between(name, "ring size", routing.ringSize, 1, perCluster))
    return error;
  int64_t ring = routing.ringSize;
  if (perCluster % ring != 0)
    return trap(name, "a ring has " + Twine(ring) +
                          " slices, it must divide the " + Twine(perCluster) +
                          " slices of a cluster");
  if (routing.period != 0) {
    if (llvm::Error error = between(name, "period", routing.period, 1, ring))
      return error;
    if (ring % routing.period != 0)
      return trap(name, "settings repeat after " + Twine(routing.period) +
                            " slices, which must divide the " + Twine(ring) +
                            " slices of a ring");
  } else if (routing.periodPackets != 0) {
    return trap(name, "settings do not repeat, but their first packets are " +
                          Twine(routing.periodPackets) +
                          " further with every repetition");
  }
  int64_t most = routing.period != 0 ? routing.period : perCluster;
  int64_t slices = 0;
  for (const config::RouterSetting &setting : routing.routers) {
    if (llvm::Error error = between(name, "slices of a router setting",
                                    setting.slices, 1, most - slices))
      return error;
    if (setting.sources.size() * 64 > static_cast<uint64_t>(perCluster) + 63)
      return trap(name, "a snoop bitmap has more than " + Twine(perCluster) +
                            " bits");
    // Slices of several rings can be alike only if they take nothing.
    for (int64_t slice = slices; slice < slices + setting.slices;
         slice = slice / ring * ring + ring) {
      int64_t start = slice / ring * ring;
      if (std::optional<int64_t> outside =
              sourceOutside(setting.sources, start, ring))
        return trap(name, "slice " + Twine(slice) + " listens to slice " +
                              Twine(*outside) + ", its ring has slices " +
                              Twine(start) + " to " + Twine(start + ring - 1));
    }
    slices += setting.slices;
  }
  if (routing.period != 0) {
    if (slices != routing.period)
      return trap(name, "there are settings for " + Twine(slices) +
                            " routers, expected " + Twine(routing.period) +
                            ", after which they repeat");
    return llvm::Error::success();
  }
  if (slices == 0 || slices % ring != 0 || perCluster % slices != 0)
    return trap(name, "there are settings for " + Twine(slices) +
                          " routers, expected whole rings of " + Twine(ring) +
                          " slices that divide the " + Twine(perCluster) +
                          " slices of a cluster");
  return llvm::Error::success();
}

llvm::Error ExecCheck::addSources(StringRef name,
                                  const config::Routing &routing,
                                  llvm::ArrayRef<uint64_t> takers,
                                  std::vector<uint64_t> &sources,
                                  int64_t &count) {
  if (llvm::Error error = checkRouters(name, routing))
    return error;
  RoutingTable table(routing);
  int64_t slices = machine.clustersPerChip * machine.slicesPerCluster;
  sources.assign(llvm::divideCeil(slices, 64), 0);
  count = -1;
  for (int64_t slice = 0; slice < slices; ++slice) {
    if (!takesPart(takers, slice))
      continue;
    llvm::ArrayRef<int64_t> from = table.sources(slice);
    int64_t found = from.size();
    if (found == 0)
      return trap(name, "slice " + Twine(slice) +
                            " takes part and listens to no slice");
    if (count >= 0 && found != count)
      return trap(name, "slice " + Twine(slice) + " listens to " +
                            Twine(found) + " slices, others to " +
                            Twine(count));
    count = found;
    int64_t start = slice / routing.ringSize * routing.ringSize;
    for (int64_t source : from)
      sources[(start + source) / 64] |= uint64_t(1) << ((start + source) % 64);
  }
  return llvm::Error::success();
}

llvm::Error ExecCheck::checkSlicesOfStages() {
  engineSlices = exec.sliceMask;
  if (exec.vector && exec.vector->interSlice)
    if (llvm::Error error =
            addSources("inter_slice", exec.vector->interSlice->routing,
                       exec.sliceMask, engineSlices, interSliceSources))
      return error;
  fetchSlices = engineSlices;
  if (exec.switching)
    if (llvm::Error error =
            addSources("switch", exec.switching->routing, engineSlices,
                       fetchSlices, switchSources))
      return error;
  active = fetchSlices;
  return llvm::Error::success();
}

llvm::Expected<int64_t> ExecCheck::takenPackets(StringRef name,
                                                const config::Routing &routing,
                                                int64_t available) {
  // Innermost first: every loop steps over all that is inside it.
  int64_t reach = 1;
  for (const Loop &loop : llvm::reverse(routing.packets)) {
    if (llvm::Error error = between(name, "size of a loop over packets",
                                    loop.size, 1, available))
      return error;
    if (loop.size == 1)
      continue;
    if (llvm::Error error = between(name, "stride of a loop over packets",
                                    loop.stride, reach, available))
      return error;
    __int128 next = reach + static_cast<__int128>(loop.size - 1) * loop.stride;
    if (next > available)
      return trap(name, "the loops over packets reach beyond the " +
                            Twine(available) + " packets of a slice");
    reach = static_cast<int64_t>(next);
  }
  int64_t further = 0;
  if (routing.period != 0) {
    int64_t repetitions = routing.ringSize / routing.period;
    if (llvm::Error error =
            between(name, "packets from repetition to repetition",
                    routing.periodPackets, 0, available - reach))
      return error;
    // Both factors are below the packets and slices there are.
    further = (repetitions - 1) * routing.periodPackets;
  }
  for (const config::RouterSetting &setting : routing.routers)
    if (llvm::Error error = between(name, "first packet", setting.firstPacket,
                                    0, available - reach - further))
      return error;
  return count(name, "packets", tripCount(routing.packets));
}

/// Whether the slice at `place` of a ring takes all slices with its remainder
/// by slice0: all of the ring, or one column of it.
static bool takesColumn(llvm::ArrayRef<int64_t> sources, int64_t place,
                        int64_t ring, int64_t slice0) {
  if (static_cast<int64_t>(sources.size()) != ring / slice0)
    return false;
  for (auto [index, source] : llvm::enumerate(sources))
    if (source != static_cast<int64_t>(index) * slice0 + place % slice0)
      return false;
  return true;
}

/// Whether it takes the one slice that changes places with it when a ring is
/// transposed.
static bool takesTransposed(llvm::ArrayRef<int64_t> sources, int64_t place,
                            int64_t ring, int64_t slice0) {
  int64_t slice1 = ring / slice0;
  return sources.size() == 1 &&
         sources[0] == place % slice1 * slice0 + place / slice1;
}

/// What routers do without their bitmaps being written (TCP, Switch Engine,
/// Broadcast01 to InterTranspose).
llvm::Error ExecCheck::checkPredefined(const config::SwitchStage &stage) {
  RoutingTable table(stage.routing);
  int64_t ring = table.ringSize();
  int64_t slices = machine.clustersPerChip * machine.slicesPerCluster;
  auto allMatch = [&](auto &&matches, int64_t slice0) {
    for (int64_t slice = 0; slice < slices; ++slice)
      if (takesPart(engineSlices, slice) &&
          !matches(table.sources(slice), slice % ring, ring, slice0))
        return false;
    return true;
  };
  for (int64_t slice0 = 1; slice0 <= ring; ++slice0)
    if (ring % slice0 == 0 &&
        (allMatch(takesColumn, slice0) || allMatch(takesTransposed, slice0)))
      return llvm::Error::success();
  return trap("switch",
              "the slices of a ring listen to each other in a pattern "
              "that the routers know only after their bitmaps have "
              "been written");
}

/// What the functional model holds of the slices of one ring, in bytes; far
/// beyond any stream whose cycles somebody would wait for.
static constexpr int64_t kMaxRingBytes = int64_t(1) << 30;

llvm::Error ExecCheck::checkHeld(StringRef name, int64_t slices,
                                 int64_t flits) {
  if (flits > kMaxRingBytes / machine.flitBytes / slices)
    return trap(name, "a ring of " + Twine(slices) + " slices passes on " +
                          Twine(flits) +
                          " flits of each, the simulator takes at most " +
                          Twine(kMaxRingBytes / machine.flitBytes) + " in all");
  return llvm::Error::success();
}

/// Flits that the stages before the contraction pass on in a cycle: the
/// channels of both contexts work together in dual-channel mode.
int64_t ExecCheck::flitsPerCycle() const {
  return exec.fetch.dualChannel ? machine.dualChannelAccesses : 1;
}

llvm::Error ExecCheck::checkSwitch(const config::SwitchStage &stage) {
  constexpr StringRef name = "switch";
  const config::Routing &routing = stage.routing;
  int64_t ring = routing.ringSize;
  llvm::Expected<int64_t> taken = takenPackets(name, routing, plan.packets);
  if (!taken)
    return taken.takeError();
  if (llvm::Error error =
          between(name, "slices of a group", stage.groupSlices, 1, ring))
    return error;
  if (ring % stage.groupSlices != 0)
    return trap(name, "a group has " + Twine(stage.groupSlices) +
                          " slices, it must divide the " + Twine(ring) +
                          " slices of a ring");
  if (llvm::Error error =
          between(name, "packets of a group", stage.groupPackets, 1, *taken))
    return error;
  if (*taken % stage.groupPackets != 0)
    return trap(name, "a group passes on " + Twine(stage.groupPackets) +
                          " packets at a time, it must divide the " +
                          Twine(*taken) + " packets of a slice");
  // The turns are those of the ring; a slice that leaves packets out sees other
  // turns than its neighbours.
  if (ring != stage.groupSlices && stage.groupPackets != 1 &&
      *taken != plan.packets)
    return trap(name, "takes " + Twine(*taken) + " of " + Twine(plan.packets) +
                          " packets, which several groups of more than one "
                          "packet cannot");

  if (!stage.writesBitmaps) {
    if (llvm::Error error = checkPredefined(stage))
      return error;
  } else {
    // Registers are written before the pass, with nothing else going on.
    plan.alsoSub |= isMain;
    plan.occupiesDma = true;
  }

  // Every packet passes every slice of its ring (SWI-19).
  int64_t flits = llvm::divideCeil(plan.streamPacketBytes, machine.flitBytes);
  int64_t beats = llvm::divideCeil(flits, flitsPerCycle());
  llvm::Expected<int64_t> cycles =
      count(name, "flits",
            tripCount(std::initializer_list<Loop>{
                {plan.packets, 0}, {ring, 0}, {beats, 0}}));
  if (!cycles)
    return cycles.takeError();
  if (llvm::Error error = checkHeld(name, ring, plan.packets * flits))
    return error;
  llvm::Expected<int64_t> packets = count(
      name, "packets",
      tripCount(std::initializer_list<Loop>{{*taken, 0}, {switchSources, 0}}));
  if (!packets)
    return packets.takeError();
  plan.packets = *packets;
  addStage(name, *cycles);
  active = engineSlices;
  return llvm::Error::success();
}

llvm::Error ExecCheck::checkCollect() {
  const config::CollectStage &collect = exec.collect;
  if (collect.packetBytes != plan.streamPacketBytes)
    return trap("collect", "packets have " + Twine(collect.packetBytes) +
                               " bytes, fetch delivers " +
                               Twine(plan.streamPacketBytes));
  int64_t flits = llvm::divideCeil(plan.streamPacketBytes, machine.flitBytes);
  if (collect.flitsPerPacket != flits)
    return trap("collect", "a packet makes " + Twine(collect.flitsPerPacket) +
                               " flits, " + Twine(plan.streamPacketBytes) +
                               " bytes need " + Twine(flits));
  std::optional<int64_t> product =
      tripCount(std::initializer_list<Loop>{{plan.packets, 0}, {flits, 0}});
  llvm::Expected<int64_t> total = count("collect", "flits", product);
  if (!total)
    return total.takeError();
  plan.flits = plan.outputFlits = *total;
  addStage("collect", plan.packets * llvm::divideCeil(flits, flitsPerCycle()));
  return llvm::Error::success();
}

/// Groups are blocks of neighbours.
llvm::Error ExecCheck::checkReduceGroups(const RoutingTable &table) {
  std::vector<int64_t> sources;
  std::string problem = explainReduceGroups(
      machine.slicesPerCluster, [&](int64_t slice) -> llvm::ArrayRef<int64_t> {
        int64_t ring = slice / table.ringSize() * table.ringSize();
        sources.clear();
        for (int64_t source : table.sources(slice))
          sources.push_back(ring + source);
        return sources;
      });
  return problem.empty() ? llvm::Error::success()
                         : trap("inter_slice", problem);
}

/// The most different flits that slices between the first and the last one of a
/// group take, `taken` each.
int64_t ExecCheck::flitsPassedOn(const RoutingTable &table,
                                 int64_t taken) const {
  // By the first slice of a group.
  std::map<int64_t, std::set<int64_t>> packets;
  for (int64_t slice = 0; slice < machine.slicesPerCluster; ++slice) {
    llvm::ArrayRef<int64_t> from = table.sources(slice);
    int64_t place = slice % table.ringSize();
    if (!from.empty() && place > from.front() && place < from.back())
      packets[slice - place + from.front()].insert(table.firstPacket(slice));
  }
  int64_t most = 0;
  for (const auto &[group, first] : packets)
    most = std::max<int64_t>(most, first.size());
  return std::min(most * taken, plan.outputFlits);
}

llvm::Error ExecCheck::checkInterSlice(const config::InterSliceStage &stage) {
  constexpr StringRef name = "inter_slice";
  if (llvm::Error error = typeIs(name, stage.type, stream))
    return error;
  using Opcode = config::InterSliceOpcode;
  bool isFloat = stage.type == ElementType::F32;
  if ((isFloat && stage.opcode == Opcode::AddSat) ||
      (!isFloat && stage.opcode == Opcode::Mul))
    return trap(name, "the inter-slice block has no " +
                          Twine(isFloat ? "add_sat of f32" : "mul of i32"));
  llvm::Expected<int64_t> taken =
      takenPackets(name, stage.routing, plan.outputFlits);
  if (!taken)
    return taken.takeError();
  if (llvm::Error error =
          checkHeld(name, stage.routing.ringSize, plan.outputFlits))
    return error;
  RoutingTable table(stage.routing);
  if (llvm::Error error = checkReduceGroups(table))
    return error;
  addStage(name, interSliceCycles(machine, plan.outputFlits,
                                  flitsPassedOn(table, *taken)));
  fillCycles += interSliceSources;
  plan.outputFlits = *taken;
  active = exec.sliceMask;
  return llvm::Error::success();
}

int64_t ExecCheck::mostSlices() const {
  return std::max({bitCount(exec.sliceMask), bitCount(engineSlices),
                   bitCount(fetchSlices)});
}
