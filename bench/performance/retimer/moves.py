# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long a DMA command takes (DMA Engine; Memory Performance, Optimizing DMA Performance).

A command is as slow as the slowest of what it passes, each with the start-up of its descriptors:

engines  a start-up for every descriptor, a cycle for every request of up to 256 bytes; two where
         reads and writes take turns: copies inside one memory, and results to HBM (ERR-36)
dm       networks of data memory: 128 bytes per cycle, two requests waiting at a slice
hbm      the channels (see hbm)
spm      scratchpads: 128 bytes per cycle and cluster
outstanding  HBM in order of arrival, where the machine's row limits what waits there (see walk)
pcie     links between chips: 30 bytes per cycle into and out of each chip
path     HBM to data memory, where the machine's row limits it
"""

import dataclasses
from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np

from .hbm import Accesses, Hbm
from .nests import Json, ceil_div, rounds, visited
from .walk import Side, Traffic, Unit, Walked, connected, walk


#: Which number of an entry [size, source stride, destination stride] belongs to a side.
PLACE = {"source": 1, "destination": 2}
#: More than a chip has channels.
CHANNELS = 1 << 16


@dataclasses.dataclass
class Requests:
    """Of one descriptor, in the order of its sequencer."""

    source: np.ndarray
    destination: np.ndarray
    sizes: np.ndarray

    def side(self, side: str) -> np.ndarray:
        return self.source if side == "source" else self.destination


def side_addresses(descriptor: Json, side: str) -> np.ndarray:
    """First bytes of the packets on one side."""
    found = visited(descriptor[f"{side}_address"],
                    [(entry[0], entry[PLACE[side]]) for entry in descriptor["entries"]])
    indirection = descriptor.get("indirection")
    if indirection and indirection["side"] == side:
        # Cycles depend on no data: the indices are taken to be 0, 1, 2, ...
        at = visited(0, [(entry[0], stride) for entry, stride
                         in zip(descriptor["entries"], indirection["strides"])])
        found = found + at // 4 % indirection["count"] * indirection["step"]
    return found


def requests_of(descriptor: Json, machine: Json, ends_at_units: bool = False) -> Requests:
    """A packet of n bytes is ceil(n / 256) requests (DMA Engine, Performance). Those that write
    HBM end where its units do if nothing merges (Misaligned Access)."""
    source = side_addresses(descriptor, "source")[:, None]
    destination = side_addresses(descriptor, "destination")[:, None]
    step, size = machine["dma_request_bytes"], descriptor["packet_bytes"]
    skipped = destination % step if ends_at_units else np.zeros_like(destination)
    borders = np.arange(ceil_div(size, step) + 1) * step
    begin = np.maximum(0, borders - skipped)
    end = np.minimum(size, borders + step - skipped)
    some = begin < end
    return Requests((source + begin)[some], (destination + begin)[some], (end - begin)[some])


def takes_turns(command: Json) -> bool:
    """Whether an engine reads and writes one after the other: in one memory, and on the way to
    HBM (ERR-36)."""
    return (command["source"] == command["destination"]
            or command["destination"] == "hbm")


def pace(command: Json) -> int:
    """Cycles of a request."""
    return 2 if takes_turns(command) else 1


class Mover:
    """Times the DMA commands of a program; remembers shapes that come again."""

    def __init__(self, machine: Json) -> None:
        self.machine, self.hbm = machine, Hbm(machine)
        self.walks_known: dict[object, Walked] = {}
        self.hbm_known: dict[object, int] = {}

    def requests(self, command: Json, descriptor: Json) -> Requests:
        return requests_of(descriptor, self.machine,
                           command["destination"] == "hbm" and not self.hbm.merges)

    def startup(self, command: Json) -> int:
        return (self.machine["dma_startup_cycles"]
                + (self.machine["dma_store_descriptor_cycles"]
                   if command["destination"] == "hbm" else 0))

    def stages(self, command: Json) -> dict[str, int]:
        engines = by_engine(command["descriptors"])
        startup = self.startup(command)
        found = {"engines": self.engines(command, engines)}
        memories = {command["source"], command["destination"]}
        walked = self.walked(command, engines)
        if "dm" in memories:
            found["dm"] = max(walked.networks, startup + self.clusters(command))
        if "hbm" in memories:
            found["hbm"] = startup + self.channels(command, engines, walked)
        if self.is_outstanding_limited(command):
            found["outstanding"] = walked.served
        if "spm" in memories:
            found["spm"] = startup + self.scratchpads(command)
        linked = self.links(command)
        if linked:
            found["pcie"] = startup + linked
        limited = self.path(command)
        if limited:
            found["path"] = startup + limited
        return found

    # ----------------------------------------------------------------------------------
    # Engines
    # ----------------------------------------------------------------------------------

    def engines(self, command: Json, engines: dict[tuple[int, int], list[Json]]) -> int:
        """Of the slowest engine."""
        each, startup = pace(command), self.startup(command)
        return max(sum(startup + each * self.count(command, descriptor) for descriptor in work)
                   for work in engines.values())

    def count(self, command: Json, descriptor: Json) -> int:
        if command["destination"] == "hbm" and not self.hbm.merges:
            return len(self.requests(command, descriptor).sizes)
        return (rounds(descriptor["entries"])
                * ceil_div(descriptor["packet_bytes"], self.machine["dma_request_bytes"]))

    # ----------------------------------------------------------------------------------
    # Data memory networks
    # ----------------------------------------------------------------------------------

    def walked(self, command: Json, engines: dict[tuple[int, int], list[Json]]) -> Walked:
        """The engines at the networks and, where a row limits what is outstanding, at HBM.
        Otherwise engines that share no network do not see each other."""
        outstanding = self.is_outstanding_limited(command)
        if not outstanding and "dm" not in (command["source"], command["destination"]):
            return Walked(late=[None] * len(engines))
        key = (tuple((engine, tuple(dm_shape(command, descriptor) for descriptor in work))
                     for engine, work in engines.items()),
               outstanding and self.hbm_shape(command, engines))
        if key not in self.walks_known:
            traffic = [self.traffic(command, work) for work in engines.values()]
            self.walks_known[key] = (walk(traffic, self.machine) if outstanding
                                     else self.walked_apart(traffic))
        return self.walks_known[key]

    def walked_apart(self, traffic: Sequence[Traffic]) -> Walked:
        alike: dict[bytes, Walked] = {}
        found = Walked(late=[None] * len(traffic))
        for group in connected(traffic):
            # Engines that do the same on networks of their own take the same time.
            name = b"|".join(traffic[number].relative() for number in group)
            if name not in alike:
                alike[name] = walk([traffic[number] for number in group], self.machine)
            one = alike[name]
            found.networks = max(found.networks, one.networks)
            for number, late in zip(group, one.late):
                found.late[number] = late
        return found

    def is_outstanding_limited(self, command: Json) -> bool:
        return (self.machine.get("dma_outstanding_requests", 0) > 0
                and "hbm" in (command["source"], command["destination"]))

    def issues(self, command: Json, work: Sequence[Json]) -> list[np.ndarray]:
        """By descriptor of an engine: when it issues its requests at its own pace."""
        each, begin, found = pace(command), 0, []
        for descriptor in work:
            begin += self.startup(command)
            found.append(begin + each * np.arange(self.count(command, descriptor)))
            begin += each * len(found[-1])
        return found

    def traffic(self, command: Json, work: Sequence[Json]) -> Traffic:
        """Requests of an engine at data memory, and at HBM if that keeps engines waiting."""
        machine, sides = self.machine, []
        per_chip = machine["clusters_per_chip"] * machine["slices_per_cluster"]
        issues = self.issues(command, work)
        requests = [self.requests(command, descriptor) for descriptor in work]
        for side in PLACE:
            later = side == "destination" and takes_turns(command)
            issue = np.concatenate(issues) + later
            if command[side] == "dm":
                slices = [descriptor[f"{side}_chip"] * per_chip
                          + one.side(side) // machine["dm_slice_stride"]
                          for descriptor, one in zip(work, requests)]
                sizes = np.concatenate([one.sizes for one in requests])
                sides.append(Side(issue, np.concatenate(slices),
                                  -(-sizes // machine["dmn_bytes_per_cycle"])))
            elif command[side] == "hbm" and self.is_outstanding_limited(command):
                units = [units for descriptor, one in zip(work, requests)
                         for units in self.units(one, side, descriptor[f"{side}_chip"])]
                sides.append(Side(issue, np.array([]), np.array([]), units))
        firsts = np.cumsum([0, *(len(issue) for issue in issues[:-1])])
        return Traffic(sides, machine["slices_per_dmn"], pace(command), self.startup(command),
                       set(firsts.tolist()))

    def units(self, requests: Requests, side: str, chip: int) -> list[list[Unit]]:
        """Of HBM, by request. One that crosses a border is two (Misaligned Access)."""
        unit, addresses = self.hbm.row["unit_bytes"], requests.side(side)
        factor = self.hbm.row["partial_write_factor"] if side == "destination" else 1
        found: list[list[Unit]] = [[] for _ in addresses]
        begin, end = addresses, addresses + requests.sizes
        first = begin // unit * unit
        while (first < end).any():
            channels, banks, rows = self.hbm.places(first)
            whole = (begin <= first) & (first + unit <= end)
            for number, place in enumerate(zip(
                    (channels + chip * CHANNELS).tolist(), banks.tolist(), rows.tolist(),
                    np.where(whole, 1, factor).tolist())):
                if first[number] < end[number]:
                    found[number].append(place)
            first = first + unit
        return found

    # ----------------------------------------------------------------------------------
    # HBM
    # ----------------------------------------------------------------------------------

    def channels(self, command: Json, engines: dict[tuple[int, int], list[Json]],
                 walked: Walked) -> int:
        """Of the slowest chip."""
        key = (self.hbm_shape(command, engines),
               tuple(late.tobytes() if late is not None else None for late in walked.late))
        if key not in self.hbm_known:
            self.hbm_known[key] = max((self.hbm.cycles(accesses) for accesses
                                       in self.accesses(command, engines, walked)), default=0)
        return self.hbm_known[key]

    def hbm_shape(self, command: Json, engines: dict[tuple[int, int], list[Json]]) -> object:
        """Equal for commands that take the same time. Addresses whose high bits are the same in
        all of a command move to other channels, banks and rows as one, since those are exclusive
        ors of address bits."""
        sides = [side for side in PLACE if command[side] == "hbm"]
        longest = max(reach(descriptor, side) for work in engines.values()
                      for descriptor in work for side in sides)
        block = 1 << (longest - 1).bit_length()
        shapes, blocks = [], set()
        for engine, work in engines.items():
            for descriptor in work:
                shape: list[object] = [engine, descriptor["packet_bytes"],
                                       tuple(entry[0] for entry in descriptor["entries"])]
                for side in sides:
                    low = descriptor[f"{side}_address"] % block
                    blocks.add(descriptor[f"{side}_address"] // block)
                    if low + reach(descriptor, side) > block:
                        blocks.add(-1)
                    shape += [low, descriptor[f"{side}_chip"],
                              *(entry[PLACE[side]] for entry in descriptor["entries"])]
                if "indirection" in descriptor:
                    shape.append(str(descriptor["indirection"]))
                    blocks.add(-1)
                shapes.append(tuple(shape))
        return takes_turns(command), block, tuple(shapes), len(blocks) > 1 and tuple(blocks)

    def accesses(self, command: Json, engines: dict[tuple[int, int], list[Json]],
                 walked: Walked) -> Iterable[Accesses]:
        """Units of each chip's HBM in the order of time; at the same time in that of engines."""
        unit = self.machine["hbm"]["unit_bytes"]
        parts: dict[int, list[tuple[np.ndarray, ...]]] = defaultdict(list)
        for number, work in enumerate(engines.values()):
            issues, late, seen = self.issues(command, work), walked.late[number], 0
            for descriptor, issue in zip(work, issues):
                requests = self.requests(command, descriptor)
                if late is not None:
                    issue = issue + late[seen:seen + len(issue)]
                seen += len(issue)
                for side in PLACE:
                    if command[side] == "hbm":
                        write = side == "destination"
                        parts[descriptor[f"{side}_chip"]].append(
                            in_units(requests.side(side), requests.sizes, unit, write,
                                     2 * issue + write, number))
        for found in parts.values():
            units, size, writes, turn, engine = (np.concatenate(column) for column
                                                 in zip(*found))
            order = np.lexsort((engine, turn))
            yield Accesses(units[order], np.where(writes & (size < unit), size, 0)[order])

    # ----------------------------------------------------------------------------------
    # Bytes per cycle
    # ----------------------------------------------------------------------------------

    def moved_by_cluster(self, command: Json, memory: str, sides: Sequence[str],
                         cluster_bytes: int) -> dict[tuple[int, int], int]:
        """Bytes of a memory by (chip, cluster); addresses count clusters in such steps."""
        moved: dict[tuple[int, int], int] = defaultdict(int)
        for descriptor in command["descriptors"]:
            for side in sides:
                if command[side] == memory:
                    clusters = side_addresses(descriptor, side) // cluster_bytes
                    for cluster, times in zip(*np.unique(clusters, return_counts=True)):
                        moved[descriptor[f"{side}_chip"], int(cluster)] += (
                            int(times) * descriptor["packet_bytes"])
        return moved

    def scratchpads(self, command: Json) -> int:
        machine = self.machine
        moved = self.moved_by_cluster(
            command, "spm", ("source", "destination"), machine["slices_per_cluster"]
            // machine["slices_per_dmn"] * machine["spm_bytes_per_dmn"])
        return ceil_div(max(moved.values()), machine["spm_bytes_per_cycle"])

    def clusters(self, command: Json) -> int:
        """Of data memory, where the machine's row limits what goes in and out of a cluster."""
        limit = self.machine.get("dm_cluster_bytes_per_cycle", 0)
        if not limit:
            return 0
        moved = self.moved_by_cluster(command, "dm", ("source", "destination"),
                                      self.cluster_stride())
        return ceil_div(max(moved.values()), limit)

    def cluster_stride(self) -> int:
        return self.machine["dm_slice_stride"] * self.machine["slices_per_cluster"]

    def links(self, command: Json) -> int:
        """0 if nothing leaves its chip."""
        moved: dict[tuple[str, int], int] = defaultdict(int)
        for descriptor in command["descriptors"]:
            out, into = descriptor["source_chip"], descriptor["destination_chip"]
            if out != into:
                size = descriptor["packet_bytes"] * rounds(descriptor["entries"])
                moved["out", out] += size
                moved["in", into] += size
        return ceil_div(max(moved.values(), default=0), self.machine["inter_chip_bytes_per_cycle"])

    def path(self, command: Json) -> int:
        """0 where the machine's row has no limit."""
        machine = self.machine
        cluster = machine["hbm_to_dm_cluster_bytes_per_cycle"]
        chip = machine["hbm_to_dm_chip_bytes_per_cycle"]
        if (command["source"], command["destination"]) != ("hbm", "dm") or not cluster and not chip:
            return 0
        moved = self.moved_by_cluster(command, "dm", ("destination",), self.cluster_stride())
        whole: dict[int, int] = defaultdict(int)
        for (number, _), size in moved.items():
            whole[number] += size
        limits = [ceil_div(size, cluster) for size in moved.values() if cluster]
        limits += [ceil_div(size, chip) for size in whole.values() if chip]
        return max(limits)


def by_engine(descriptors: Sequence[Json]) -> dict[tuple[int, int], list[Json]]:
    """The work of every engine in its order, engines by their numbers."""
    found: dict[tuple[int, int], list[Json]] = defaultdict(list)
    for descriptor in descriptors:
        found[engine_of(descriptor)].append(descriptor)
    return dict(sorted(found.items()))


def engine_of(descriptor: Json) -> tuple[int, int]:
    """(chip, engine): of the chip that is read."""
    return descriptor["source_chip"], descriptor["engine"]


def dm_shape(command: Json, descriptor: Json) -> object:
    """All that the networks see of a descriptor. Where requests end in HBM tells their sizes."""
    seen = [side for side in PLACE if command[side] == "dm" or (side, command[side]) ==
            ("destination", "hbm")]
    return (takes_turns(command), descriptor["packet_bytes"], str(descriptor.get("indirection")),
            tuple(entry[0] for entry in descriptor["entries"]),
            *((descriptor[f"{side}_chip"], descriptor[f"{side}_address"],
               *(entry[PLACE[side]] for entry in descriptor["entries"])) for side in seen))


def reach(descriptor: Json, side: str) -> int:
    """Bytes from the first address of a side to behind its last one."""
    return (descriptor["packet_bytes"]
            + sum(abs(entry[PLACE[side]]) * (entry[0] - 1) for entry in descriptor["entries"]))


def in_units(addresses: np.ndarray, sizes: np.ndarray, unit: int, write: bool, turn: np.ndarray,
             engine: int) -> tuple[np.ndarray, ...]:
    """(unit, bytes in it, whether written, turn, engine) of requests. One that crosses a border
    is two (Misaligned Access)."""
    first, last = addresses // unit * unit, (addresses + sizes - 1) // unit * unit
    inside = np.minimum(sizes, first + unit - addresses)
    crossing = last > first
    units = np.concatenate((first, last[crossing]))
    size = np.concatenate((inside, (sizes - inside)[crossing]))
    turns = np.concatenate((turn, turn[crossing]))
    return units, size, np.full(len(units), write), turns, np.full(len(units), engine)
