# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cycles of a DMA command by the manual's DMA Engine and Memory Performance chapters.

All numbers are the machine's (--dump-machine). Where the manual gives a bound only, `bounds`
of a command holds the stage's least and most cycles beside the estimate in `stages`.

Where the manual is silent this follows docs/Decisions and, failing that, the simulator, so
it is no evidence for it: an engine is one of the chip that its descriptor reads; data memory
is done when the last request is handed over (the last half of Memory Performance's table
does not count); of a channel's transfers the first is free, its slow commands being spread
evenly from the first on; a gather or scatter first reads its indices, a request each 256
bytes.
"""

import collections
import math

import numpy as np

from sequencer import walk

Request = collections.namedtuple("Request", "time order source destination size descriptor")


class Dma:
    """Stage cycles of one DMA command; it takes as long as the slowest."""

    def __init__(self, command, machine):
        self.command, self.machine = command, machine
        self.memories = command["source"], command["destination"]
        self.engines = collections.defaultdict(list)
        for descriptor in command["descriptors"]:
            # An engine is one of the chip that its descriptor reads.
            key = descriptor["source_chip"], descriptor["engine"]
            self.engines[key].append(descriptor)
        self.stages, self.bounds = {}, {}
        self.startup = machine["dma_startup_cycles"]
        if command["destination"] == "hbm":
            self.startup += machine["dma_store_descriptor_cycles"]
        self.engine_stage()
        if "dm" in self.memories:
            self.dm_stage()
        if "hbm" in self.memories:
            self.hbm_stage()
        self.byte_stages()
        self.cycles = max(self.stages.values())

    def step(self, descriptor):
        """Cycles from request to request: 2 if reads and writes take turns (ERR-36)."""
        source, destination = self.memories
        if source in ("dm", "spm") and destination == "hbm":
            return 2
        same = source == destination and (
            descriptor["source_chip"] == descriptor["destination_chip"])
        if same and source != "hbm":
            same = (self.network(source, descriptor["source_address"])
                    // self.networks == self.network(source, descriptor["destination_address"])
                    // self.networks)
        return 2 if same else 1

    @property
    def networks(self):
        return self.machine["slices_per_cluster"] // self.machine["slices_per_dmn"]

    def network(self, memory, address):
        machine = self.machine
        if memory == "spm":
            return address // machine["spm_bytes_per_dmn"]
        return address // (machine["dm_slice_stride"] * machine["slices_per_dmn"])

    def requests(self, descriptor):
        """(source, destination, size) of requests: packets cut into 256 bytes (DMA-06).

        Those that write HBM end where its units do (MEM-14).
        """
        size, unit = descriptor["packet_bytes"], self.machine["dma_request_bytes"]
        loops = descriptor["entries"]
        source = descriptor["source_address"] + walk([(n, s) for n, s, _ in loops])
        target = descriptor["destination_address"] + walk([(n, d) for n, _, d in loops])
        if "indirection" in descriptor:
            # Cycles do not depend on data: indices count as 0, 1, 2, ...
            how = descriptor["indirection"]
            places = walk([(n, s) for (n, *_), s in zip(loops, how["strides"])])
            shift = np.unique(places, return_inverse=True)[1] % how["count"] * how["step"]
            source, target = ((source + shift, target) if how["side"] == "source" else
                              (source, target + shift))
        hbm = self.machine["hbm"]
        if self.memories[1] == "hbm" and not hbm["merges_partial_writes"]:
            first = target % hbm["unit_bytes"]
            counts = (first + size - 1) // hbm["unit_bytes"] + 1
            ends = np.cumsum(counts)
            index = np.arange(ends[-1]) - np.repeat(ends - counts, counts)
            begins = index * hbm["unit_bytes"] - np.repeat(first, counts)
            low = np.maximum(0, begins)
            high = np.minimum(size, begins + hbm["unit_bytes"])
            return (np.repeat(source, counts) + low, np.repeat(target, counts) + low,
                    high - low)
        cuts = np.arange(0, size, unit)
        sizes = np.minimum(unit, size - cuts)
        return ((source[:, None] + cuts).ravel(), (target[:, None] + cuts).ravel(),
                np.tile(sizes, len(source)))

    def index_requests(self, descriptor):
        how = descriptor.get("indirection")
        if not how:
            return 0
        count = len(np.unique(walk([(n, s) for (n, *_), s in
                                    zip(descriptor["entries"], how["strides"])])))
        return -(-count * self.machine["dma_index_bytes"] // self.machine["dma_request_bytes"])

    def engine_stage(self):
        """500 cycles per descriptor and a cycle per request (DMA Sequencer Internals)."""
        self.all, ends = [], []
        for order, (_, descriptors) in enumerate(self.engines.items()):
            time = 0
            for descriptor in descriptors:
                time += self.startup + self.index_requests(descriptor)
                step = self.step(descriptor)
                for source, target, size in zip(*map(np.ndarray.tolist,
                                                     self.requests(descriptor))):
                    self.all.append(Request(time, order, source, target, size, descriptor))
                    time += step
            ends.append(time)
        self.stages["engines"] = max(ends)
        self.all.sort(key=lambda r: (r.time, r.order))

    def dm_stage(self):
        """128 bytes per cycle and network, two waiting requests per slice (DM)."""
        machine, free = self.machine, collections.Counter()
        width, start = machine["dmn_bytes_per_cycle"], self.startup
        waiting = collections.defaultdict(list)
        queues = {order: iter([r for r in self.all if r.order == order])
                  for order in range(len(self.engines))}
        heads = {order: next(queue) for order, queue in queues.items()}
        clock, done, end = dict.fromkeys(heads, start), collections.Counter(), 0
        issued = []
        while heads:
            order = min(heads, key=lambda o: (clock[o], o))
            request, now = heads[order], clock[order]
            issued.append(request)
            step = self.step(request.descriptor)
            begin = now
            # `begin` is when the slower side serves the request, `now` when it is issued.
            for side, place in enumerate(("source", "destination")):
                if self.memories[side] != "dm":
                    continue
                address = getattr(request, place)
                chip = request.descriptor[place + "_chip"]
                key = chip, self.network("dm", address)
                queue = waiting[chip, address // machine["dm_slice_stride"]]
                # Where they take turns, the write comes behind the read.
                busy = -(-request.size // width)
                turn = side * (step - 1) * busy
                served = max(clock[order] + turn, free[key])
                free[key] = served + busy
                begin = max(begin, served - turn)
                queue.append(served)
                if len(queue) > machine["dm_queue_entries"]:
                    # A full queue holds the engine until its oldest entry is served.
                    now = max(now, queue.pop(0))
            done[order] = max(done[order], begin + step)
            end = max(end, done[order])
            following = next(queues[order], None)
            if following is None:
                del heads[order]
                continue
            heads[order], clock[order] = following, now + step
            if following.descriptor is not request.descriptor:
                clock[order] = done[order] + self.startup
        # HBM sees requests as full queues let them go.
        self.all = issued
        self.stages["dm"] = end
        if len(self.engines) > 1 or self.memories == ("dm", "dm"):
            # Who is first where several streams meet at a network is not in the manual.
            slack = max(2, (end - start) // 100)
            self.bounds["dm"] = end - slack, end + slack

    def hbm_stage(self):
        """Every channel by itself; the busiest one counts (HBM)."""
        channels, decoded, unit = {}, {}, self.machine["hbm"]["unit_bytes"]
        for request in self.all:
            for side, place in enumerate(("source", "destination")):
                if self.memories[side] != "hbm":
                    continue
                chip, address = request.descriptor[place + "_chip"], getattr(request, place)
                for at in range(address // unit, (address + request.size - 1) // unit + 1):
                    low = max(address, at * unit)
                    size = min(address + request.size, (at + 1) * unit) - low
                    if at not in decoded:
                        decoded[at] = decode(at * unit, self.machine["hbm"])
                    bits = decoded[at]
                    key = chip, bits["stack"], bits["channel"]
                    channel = channels.setdefault(key, Channel(self.machine))
                    channel.add(at, bits, side == 1, low - at * unit, size)
        start = self.startup
        results = [channel.cycles() for channel in channels.values()]
        least, likely, most = (start + math.ceil(round(max(r[i] for r in results), 6))
                               for i in range(3))
        self.stages["hbm"] = likely
        self.bounds["hbm"] = least, most

    def byte_stages(self):
        """Scratchpads and loads by cluster, PCIe by chip and direction: bytes by bandwidth."""
        spm, pcie, path = collections.Counter(), collections.Counter(), collections.Counter()
        for request in self.all:
            chips = tuple(request.descriptor[p + "_chip"] for p in ("source", "destination"))
            for side, place in enumerate(("source", "destination")):
                if self.memories[side] == "spm":
                    cluster = self.network("spm", getattr(request, place)) // self.networks
                    spm[chips[side], cluster] += request.size
                if chips[0] != chips[1]:
                    pcie[chips[side], side] += request.size
            if self.memories == ("hbm", "dm"):
                network = self.network("dm", request.destination)
                path["cluster", chips[1], network // self.networks] += request.size
                path["chip", chips[1]] += request.size
        limits = {key: self.machine[f"hbm_to_dm_{key}_bytes_per_cycle"]
                  for key in ("cluster", "chip")}
        if path and any(limits.values()):
            # What measurements allow from HBM into a cluster, and into a chip.
            self.stages["path"] = self.startup + max(
                -(-size // limits[key[0]]) for key, size in path.items() if limits[key[0]])
        for name, used, rate in (("spm", spm, "spm_bytes_per_cycle"),
                                 ("pcie", pcie, "inter_chip_bytes_per_cycle")):
            if used:
                self.stages[name] = (self.startup
                                     + -(-max(used.values()) // self.machine[rate]))


def decode(address, hbm):
    """Stack, channel, bank and row of an address: every bit an XOR (Address Space)."""
    def field(bits):
        return sum(sum(address >> b & 1 for b in xor) % 2 << i for i, xor in enumerate(bits))
    row = field(hbm["row_bits"]) + (field(hbm["high_row_bit"]) << len(hbm["row_bits"]))
    return {"stack": field(hbm["stack_bits"]), "channel": field(hbm["channel_bits"]),
            "slice": field(hbm["slice_bits"]), "group": field(hbm["bank_group_bits"]),
            "bank": field(hbm["bank_bits"]), "row": row}


class Channel:
    """One HBM channel: its queue of units, in the order in which requests arrive.

    The queue holds 64 commands of 64 bytes, so 16 units wait together. Bus time is exact if
    no bank switches rows. A bank that does pays for every opening, as the manual's bank
    conflict example counts; the estimate is that openings come one at a time and transfers
    hide behind them, or they behind transfers. The least is that a bank opens every row once
    and the others hide theirs; the most, that transfers and openings never overlap.
    """

    def __init__(self, machine):
        self.machine, self.hbm = machine, machine["hbm"]
        self.units = []  # (unit, bits, partial)
        self.writes = collections.OrderedDict()  # unit -> [bits, mask]
        self.window = self.hbm["queue_entries"] * self.hbm["controller_bytes"] // (
            self.hbm["unit_bytes"])

    def add(self, unit, bits, write, offset, size):
        if not write:
            self.units.append((unit, bits, False))
            return
        if not self.hbm["merges_partial_writes"]:
            self.units.append((unit, bits, size < self.hbm["unit_bytes"]))
            return
        full = (1 << self.hbm["unit_bytes"]) - 1
        mask = ((1 << size) - 1) << offset
        if mask == full:
            self.units.append((unit, bits, False))
            return
        waiting = self.writes.setdefault(unit, [bits, 0])
        waiting[1] |= mask
        if waiting[1] == full:
            del self.writes[unit]
            self.units.append((unit, bits, False))
        elif len(self.writes) > self.window:
            old, (old_bits, _) = self.writes.popitem(last=False)
            self.units.append((old, old_bits, True))

    def transfer(self, batch):
        """Cycles of the bus for units that wait together (Column-to-Column Delay).

        Returns all of them and those of the first unit.
        """
        hbm, clock = self.hbm, self.machine["clock_mhz"] / self.hbm["command_mhz"]
        commands = hbm["unit_bytes"] // hbm["controller_bytes"]
        slices = collections.defaultdict(collections.Counter)
        for _, bits, _ in batch:
            slices[bits["slice"]][bits["group"]] += 1
        # Bank groups of a slice take turns; what is left over takes turns with what other
        # slices have left; the rest is served by one bank group.
        left = [max(0, 2 * max(groups.values()) - sum(groups.values()))
                for groups in slices.values()]
        same = max(0, 2 * max(left) - sum(left))
        mixed = sum(left) - same
        best, other, worst = (hbm[f"tccd_{kind}"] * clock * commands
                              for kind in ("other_bank_group", "other_slice", "same_bank_group"))
        total = best * len(batch) + mixed * (other - best) + same * (worst - best)
        slow = math.ceil(commands * (mixed + same) / len(batch)) / commands
        return total, best + slow * ((worst if same else other) - best)

    def cycles(self):
        """(least, likely, most) cycles behind the start-up."""
        for unit, (bits, _) in self.writes.items():
            self.units.append((unit, bits, True))
        self.writes.clear()
        hbm = self.hbm
        ideal = (hbm["unit_bytes"] // hbm["controller_bytes"] * self.machine["clock_mhz"]
                 / hbm["controller_mhz"])
        slow = ideal * hbm["tccd_same_bank_group"] / hbm["tccd_other_bank_group"]
        times = [self.transfer(self.units[start:start + self.window])
                 for start in range(0, len(self.units), self.window)]
        # The first transfer is in the shadow of the start-up. Where only some transfers
        # share a bank group it may be one of either kind.
        bus, first = sum(time for time, _ in times), times[0][1]
        uneven = ideal * len(self.units) + 1e-6 < bus < slow * len(self.units) - 1e-6
        bus += ideal * (hbm["partial_write_factor"] - 1) * sum(u[2] for u in self.units)
        least, most = (bus - slow, bus - ideal) if uneven else (bus - first, bus - first)
        openings, rows = self.openings(), collections.defaultdict(set)
        for _, bits, _ in self.units:
            rows[bits["slice"], bits["group"], bits["bank"]].add(bits["row"])
        needed = max(len(r) for r in rows.values())
        if needed == 1:
            return least, bus - first, most
        cost = hbm["row_switch_cycles"]
        paid = sum(count for count in openings.values() if count > 1) * cost
        return max(least, (needed - 1) * cost), max(bus - first, paid), most + paid

    def openings(self):
        """Rows opened by bank, of what waits an open row first (FR-FCFS)."""
        waiting, opened, counts = [], {}, collections.Counter()
        for place in range(len(self.units) + self.window):
            if place < len(self.units):
                bits = self.units[place][1]
                waiting.append(((bits["slice"], bits["group"], bits["bank"]), bits["row"]))
                if len(waiting) < self.window:
                    continue
            if waiting:
                hit = next((i for i, (bank, row) in enumerate(waiting)
                            if opened.get(bank) == row), 0)
                bank, row = waiting.pop(hit)
                counts[bank] += opened.get(bank) != row
                opened[bank] = row
        return counts
