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
pcie     links between chips: 30 bytes per cycle into and out of each chip
path     HBM to data memory, where the machine's row limits it
"""

import dataclasses
import heapq
from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np

from .hbm import Accesses, Hbm
from .nests import Json, ceil_div, rounds, visited


#: Which number of an entry [size, source stride, destination stride] belongs to a side.
PLACE = {"source": 1, "destination": 2}


@dataclasses.dataclass
class Requests:
    """Of one descriptor, in the order of its sequencer."""

    source: np.ndarray
    destination: np.ndarray
    sizes: np.ndarray


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


class Mover:
    """Times the DMA commands of a program; remembers shapes that come again."""

    def __init__(self, machine: Json) -> None:
        self.machine, self.hbm = machine, Hbm(machine)
        self.networks_known: dict[object, int] = {}
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
        if "dm" in memories:
            found["dm"] = max(self.networks(command, engines),
                              startup + self.clusters(command))
        if "hbm" in memories:
            found["hbm"] = startup + self.channels(command, engines)
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
        each = 2 if takes_turns(command) else 1
        startup = self.startup(command)
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

    def networks(self, command: Json, engines: dict[tuple[int, int], list[Json]]) -> int:
        """When the last request has passed its network. Engines that share no network do not
        see each other."""
        key = tuple((engine, tuple(dm_shape(command, descriptor) for descriptor in work))
                    for engine, work in engines.items())
        if key not in self.networks_known:
            traffic = [self.traffic(command, work) for work in engines.values()]
            alike: dict[bytes, int] = {}
            slowest = 0
            for group in connected(traffic):
                # Engines that do the same on networks of their own take the same time.
                name = b"|".join(one.relative() for one in group)
                if name not in alike:
                    alike[name] = self.pass_networks(group)
                slowest = max(slowest, alike[name])
            self.networks_known[key] = slowest
        return self.networks_known[key]

    def traffic(self, command: Json, work: Sequence[Json]) -> "Traffic":
        """Requests of an engine at the networks, with the cycle in which each may come at the
        earliest, counted in requests."""
        machine, each = self.machine, 2 if takes_turns(command) else 1
        slices, ready, sizes = [], [], []
        begin = 0
        for descriptor in work:
            requests = self.requests(command, descriptor)
            begin += self.startup(command)
            issue = begin + each * np.arange(len(requests.sizes))
            sides = [(side, chip, late) for side, memory, chip, late in (
                (requests.source, command["source"], descriptor["source_chip"], 0),
                (requests.destination, command["destination"],
                 descriptor["destination_chip"], each - 1)) if memory == "dm"]
            per_chip = machine["clusters_per_chip"] * machine["slices_per_cluster"]
            where = [chip * per_chip + side // machine["dm_slice_stride"]
                     for side, chip, _ in sides]
            slices.append(np.stack(where, axis=1).ravel())
            ready.append(np.stack([issue + late for _, _, late in sides], axis=1).ravel())
            sizes.append(np.repeat(requests.sizes, len(sides)))
            begin += each * len(requests.sizes)
        return Traffic(np.concatenate(slices), np.concatenate(ready), np.concatenate(sizes),
                       machine["slices_per_dmn"])

    def pass_networks(self, group: Sequence["Traffic"]) -> int:
        """Request by request, the earliest first. A network serves what comes in its order; a
        third request at a slice keeps its engine waiting until the first one is served."""
        machine = self.machine
        waiting = machine["dm_queue_entries"]
        free: dict[int, int] = defaultdict(int)  # network -> cycle
        served: dict[int, list[int]] = defaultdict(list)  # slice -> starts of the last ones
        ends = 0
        work = [iter(one.rows(machine["dmn_bytes_per_cycle"])) for one in group]
        heap: list[tuple[int, int, int, int, int]] = []
        late = [0] * len(group)  # by how much an engine is behind its own pace

        def pull(number: int) -> None:
            row = next(work[number], None)
            if row is not None:
                heapq.heappush(heap, (row[0] + late[number], number, *row[1:]))

        for number in range(len(group)):
            pull(number)
        while heap:
            at, number, place, network, cycles = heapq.heappop(heap)
            starts = served[place]
            if len(starts) == waiting and starts[0] > at:
                late[number] += starts[0] - at
                at = starts[0]
            start = max(at, free[network])
            free[network] = start + cycles
            ends = max(ends, start + cycles)
            starts.append(start)
            if len(starts) > waiting:
                del starts[0]
            pull(number)
        return ends

    # ----------------------------------------------------------------------------------
    # HBM
    # ----------------------------------------------------------------------------------

    def channels(self, command: Json, engines: dict[tuple[int, int], list[Json]]) -> int:
        """Of the slowest chip."""
        key = self.hbm_shape(command, engines)
        if key not in self.hbm_known:
            self.hbm_known[key] = max((self.hbm.cycles(accesses) for accesses
                                       in self.accesses(command, engines)), default=0)
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

    def accesses(self, command: Json,
                 engines: dict[tuple[int, int], list[Json]]) -> Iterable[Accesses]:
        """Units of each chip's HBM in the order of time, which engines share in turns."""
        unit = self.machine["hbm"]["unit_bytes"]
        parts: dict[int, list[tuple[np.ndarray, ...]]] = defaultdict(list)
        for number, work in enumerate(engines.values()):
            begin = 0
            for descriptor in work:
                requests = self.requests(command, descriptor)
                turn = begin + np.arange(len(requests.sizes))
                begin += len(turn)
                for side, addresses in (("source", requests.source),
                                        ("destination", requests.destination)):
                    if command[side] == "hbm":
                        write = side == "destination"
                        parts[descriptor[f"{side}_chip"]].append(
                            in_units(addresses, requests.sizes, unit, write,
                                     2 * turn + write, number))
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


@dataclasses.dataclass
class Traffic:
    """Of one engine: slices of all chips that its requests go to, when, and bytes."""

    slices: np.ndarray
    ready: np.ndarray
    sizes: np.ndarray
    slices_per_network: int

    def networks(self) -> np.ndarray:
        return np.unique(self.slices // self.slices_per_network)

    def relative(self) -> bytes:
        """Equal for engines that do the same on other networks."""
        known = self.networks()
        numbers = np.searchsorted(known, self.slices // self.slices_per_network)
        places = numbers * self.slices_per_network + self.slices % self.slices_per_network
        return b"/".join(part.tobytes() for part in (places, self.ready, self.sizes))

    def rows(self, bytes_per_cycle: int) -> Iterable[tuple[int, int, int, int]]:
        """(earliest cycle, slice, network, cycles at the network) of every request."""
        return zip(self.ready.tolist(), self.slices.tolist(),
                   (self.slices // self.slices_per_network).tolist(),
                   (-(-self.sizes // bytes_per_cycle)).tolist())


def by_engine(descriptors: Sequence[Json]) -> dict[tuple[int, int], list[Json]]:
    """The work of every engine, in its order."""
    found: dict[tuple[int, int], list[Json]] = defaultdict(list)
    for descriptor in descriptors:
        found[engine_of(descriptor)].append(descriptor)
    return found


def engine_of(descriptor: Json) -> tuple[int, int]:
    """(chip, engine): of the chip that is read."""
    return descriptor["source_chip"], descriptor["engine"]


def connected(traffic: Sequence[Traffic]) -> list[list[Traffic]]:
    """Engines that meet at networks."""
    groups: list[tuple[set[int], list[Traffic]]] = []
    for one in traffic:
        networks, members = set(one.networks().tolist()), [one]
        apart = []
        for known, others in groups:
            if known & networks:
                networks |= known
                members = others + members
            else:
                apart.append((known, others))
        groups = [*apart, (networks, members)]
    return [members for _, members in groups]


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
