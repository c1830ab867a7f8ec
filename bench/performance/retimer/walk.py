# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The engines of a DMA command, request by request, where they keep each other waiting.

An engine issues its requests at a pace of its own. What makes it late:

* a network of data memory serves what comes in its order, and a third request at a slice keeps its
  engine waiting until the first one is served (Memory Performance, Optimizing DMA Performance);
* a descriptor starts up when the last request of the one before has begun at its network
  (docs/Decisions, How long a DMA command takes);
* on a machine whose row limits what an engine may have outstanding, the oldest request has to be
  served by HBM before the next one is issued (docs/Decisions, Machines that give nothing away).
"""

import dataclasses
import heapq
import itertools
import math
from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from .nests import Json, ceil_div


REQUEST, DESCRIPTOR = 1, 2  # that begin with a step of an engine
Unit = tuple[int, int, int, int]  # channel, bank and row of a unit, and transfers it takes


@dataclasses.dataclass
class Side:
    """What the requests of an engine do at one memory, one element per request."""

    issue: np.ndarray           # cycle at the engine's own pace
    slices: np.ndarray          # of all chips; none at HBM
    cycles: np.ndarray          # at the network
    units: list[list[Unit]] | None = None  # at HBM


@dataclasses.dataclass
class Traffic:
    """Of one engine; the source comes first."""

    sides: list[Side]
    slices_per_network: int
    pace: int           # cycles of a request
    startup: int        # of a descriptor
    firsts: set[int]    # requests that are the first ones of descriptors

    def networks(self) -> np.ndarray:
        return np.unique(np.concatenate([side.slices // self.slices_per_network
                                         for side in self.sides]))

    def relative(self) -> bytes:
        """Equal for engines that do the same on other networks; of traffic without HBM."""
        known, parts = self.networks(), []
        for side in self.sides:
            numbers = np.searchsorted(known, side.slices // self.slices_per_network)
            places = numbers * self.slices_per_network + side.slices % self.slices_per_network
            parts += [places.tobytes(), side.issue.tobytes(), side.cycles.tobytes()]
        return b"/".join(parts)

    def steps(self) -> Iterator[tuple[int, int, int, int, list[Unit] | None]]:
        """(cycle at the engine's own pace, what begins, slice, cycles, units)."""
        sides = []
        for number, side in enumerate(self.sides):
            count = len(side.issue)
            sides.append(zip(
                side.issue.tolist(),
                [DESCRIPTOR if index in self.firsts else REQUEST for index in range(count)]
                if number == 0 else itertools.repeat(0, count),
                [-1] * count if side.units else side.slices.tolist(),
                [0] * count if side.units else side.cycles.tolist(),
                side.units or itertools.repeat(None, count)))
        return itertools.chain.from_iterable(zip(*sides))


@dataclasses.dataclass
class Walked:
    networks: int = 0  # when the last request has passed its network
    served: int = 0    # when HBM has served the last one
    #: By how much each engine is behind its pace when it issues each request; None: never.
    late: list[np.ndarray | None] = dataclasses.field(default_factory=list)


class Channels:
    """HBM that serves each channel in order of arrival. The first row of a bank is opened in the
    shadow of the start-up."""

    def __init__(self, machine: Json) -> None:
        row = machine["hbm"]
        # Of a unit; in parts of a core cycle that are whole.
        parts = row["controller_mhz"]
        self.transfer = ceil_div(row["unit_bytes"] // row["controller_bytes"]
                                 * machine["clock_mhz"] * 100,
                                 100 - row["refresh_percent"]) / parts
        self.switch = row["row_switch_cycles"]
        self.channel: dict[int, float] = defaultdict(float)
        self.bank: dict[tuple[int, int], tuple[int, float]] = {}

    def serve(self, at: int, units: Sequence[Unit]) -> int:
        """When a request has been served: its channel has moved it, and its bank has opened its
        row."""
        served = 0.0
        for channel, bank, row, transfers in units:
            open_row, free = self.bank.get((channel, bank), (row, 0.0))
            ready = max(at, free) + (self.switch if open_row != row else 0)
            cycles = self.transfer * transfers
            end = max(ready, self.channel[channel]) + cycles
            self.bank[channel, bank] = row, end
            self.channel[channel] = max(at, self.channel[channel]) + cycles
            served = max(served, end)
        return math.ceil(served - 1e-6)


def walk(group: Sequence[Traffic], machine: Json) -> Walked:
    """The earliest request first, and of those at the same time the lower engine's."""
    waiting, outstanding = machine["dm_queue_entries"], machine.get("dma_outstanding_requests", 0)
    channels = Channels(machine)
    free: dict[int, int] = defaultdict(int)  # network -> cycle
    begun: dict[int, list[int]] = defaultdict(list)  # slice -> starts of the last requests
    #: By engine: when its last requests are served, the oldest first.
    served: list[list[int]] = [[] for _ in group]
    late = [0] * len(group)
    begun_by = [0] * len(group)  # the engine: when its last request has
    lateness: list[list[int]] = [[] for _ in group]
    found = Walked()
    steps = [traffic.steps() for traffic in group]
    heap: list[tuple[int, int, int, int, int, list[Unit] | None]] = []

    def pull(number: int) -> None:
        step = next(steps[number], None)
        if step is None:
            return
        at, begins, *rest = step
        if begins == DESCRIPTOR:
            late[number] = max(late[number],
                               begun_by[number] + group[number].startup - at)
        heapq.heappush(heap, (at + late[number], number, begins, *rest))

    for number in range(len(group)):
        pull(number)
    while heap:
        at, number, begins, place, cycles, units = heapq.heappop(heap)
        if begins:
            mine = served[number]
            if outstanding and len(mine) == outstanding and mine[0] > at:
                # Others go first while it waits.
                late[number] += mine[0] - at
                heapq.heappush(heap, (mine[0], number, begins, place, cycles, units))
                continue
            mine.append(0)
            if len(mine) > outstanding:
                del mine[0]
            lateness[number].append(late[number])
        if units:
            end = channels.serve(at, units)
            served[number][-1] = max(served[number][-1], end)
            found.served = max(found.served, end)
        else:
            starts = begun[place]
            if len(starts) == waiting and starts[0] > at:
                late[number] += starts[0] - at
                at = starts[0]
            network = place // group[number].slices_per_network
            start = max(at, free[network])
            free[network] = start + cycles
            begun_by[number] = max(begun_by[number],
                                   start + (group[number].pace if begins else 1))
            found.networks = max(found.networks, free[network])
            starts.append(start)
            if len(starts) > waiting:
                del starts[0]
        pull(number)
    found.late = [np.array(one) if one and one[-1] else None for one in lateness]
    return found


def connected(traffic: Sequence[Traffic]) -> list[list[int]]:
    """Numbers of engines that meet at networks."""
    groups: list[tuple[set[int], list[int]]] = []
    for number, one in enumerate(traffic):
        networks, members = set(one.networks().tolist()), [number]
        apart = []
        for known, others in groups:
            if known & networks:
                networks |= known
                members = others + members
            else:
                apart.append((known, others))
        groups = [*apart, (networks, members)]
    return [sorted(members) for _, members in groups]
