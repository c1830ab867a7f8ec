# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What passes of the two contexts take from each other while they run side by side.

Two things are shared: the columns of the tensor register file, which the main context reads while
the sub context loads (TRF Sequencer, TRF Cache), and the banks of data memory (Memory
Performance, Bank Starvation).
"""

import dataclasses
import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from .nests import BITS, Json, ceil_div, rounds, visited
from .passes import accesses_per_cycle

#: 5-bit slots that an element takes in the register file (TRF Memory Layout, reg_types).
TRF_SLOTS = {"i4": 1, "i5": 1, "i8": 2, "i9": 2, "f8e4m3": 2, "f8e5m2": 2, "bf16": 4}


# --------------------------------------------------------------------------------------
# Tensor register file
# --------------------------------------------------------------------------------------


def missed(contract: Json, machine: Json) -> np.ndarray:
    """[column, packet]: whether the read for a packet misses the cache, which keeps the column
    busy in that cycle. The cache is direct mapped, some cells per column, and empty at first."""
    columns, depth = machine["trf_bank_columns"], machine["trf_cache_depth"]
    loops = contract["trf"]["entries"]
    slot = visited(contract["trf"]["base"], loops) * TRF_SLOTS[contract["type"]]
    cell = slot // machine["trf_cell_slots"]
    both = contract["reg_read_bytes"] > machine["trf_cell_bytes"]
    found = np.zeros((columns, len(cell)), dtype=bool)
    for column in range(columns):
        mine = np.arange(len(cell)) if both else np.flatnonzero(cell % columns == column)
        line = cell[mine] // columns
        order = np.argsort(line % depth, kind="stable")
        sorted_ = line[order]
        new = np.ones(len(order), dtype=bool)
        new[1:] = sorted_[1:] != sorted_[:-1]
        found[column, mine[order]] = new
    return found


def load_delay(busy: np.ndarray, flits: int, pace: int) -> int:
    """Cycles that a load ends later. `busy` is [column, cycle of the load]; a flit comes every
    `pace` cycles, its cell alternates between the columns, and it is written as it arrives or
    in the next cycle in which no miss keeps its column busy."""
    columns, cycles = busy.shape
    arrival = (np.arange(flits) + 1) * pace - 1
    column = np.arange(flits) % columns
    inside = arrival < cycles
    if not busy[column[inside], arrival[inside]].any():
        return 0
    # The next cycle from each one on in which the column is free.
    free = np.where(busy, cycles, np.arange(cycles))
    free = np.minimum.accumulate(free[:, ::-1], axis=1)[:, ::-1].tolist()
    written = -1
    for at, place in zip(arrival.tolist(), column.tolist()):
        written = max(at, written + 1)
        if written < cycles:
            written = free[place][written]
    return written - int(arrival[-1])


# --------------------------------------------------------------------------------------
# Banks of data memory
# --------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Banks:
    """Of the fetch and the commit of a pass together: accesses to every bank, and the longest
    run of accesses that take it one after the other."""

    accesses: np.ndarray
    runs: np.ndarray


def accesses_of(sequencer: Json, kind: str, bytes_: int, times: int) -> np.ndarray:
    """Address of every access: the packets' bytes in order, `bytes_` at a time."""
    elements = visited(0, sequencer["entries"])
    step = max(1, len(elements) // max(times, 1))
    return sequencer["base"] + elements[::step] * BITS[kind] // 8


def taken(addresses: np.ndarray, bytes_: int, machine: Json) -> Banks:
    banks, width = machine["dm_banks"], machine["dm_bank_bytes"]
    first = addresses // width
    spans = (addresses + bytes_ - 1) // width - first + 1
    counts, runs = np.zeros(banks, dtype=np.int64), np.zeros(banks, dtype=np.int64)
    for bank in range(banks):
        touches = (bank - first) % banks < spans
        counts[bank] = touches.sum()
        borders = np.flatnonzero(np.diff(np.concatenate(([0], touches.view(np.int8), [0]))))
        runs[bank] = (borders[1::2] - borders[::2]).max(initial=0)
    return Banks(counts, runs)


def banks_of(command: Json, machine: Json) -> Banks:
    """In dual-channel mode two accesses are one step (MEM-06)."""
    fetch = command["fetch"]
    packets = rounds(fetch["sequencer"]["entries"]) // fetch["packet_elements"]
    found = taken(accesses_of(fetch["sequencer"], fetch["from"], fetch["access_bytes"],
                              packets * fetch["fetches_per_packet"]),
                  fetch["access_bytes"], machine)
    width = accesses_per_cycle(command, machine)
    found = Banks(-(-found.accesses // width), -(-found.runs // width))
    if "commit" in command:
        commit = command["commit"]
        size = rounds(commit["sequencer"]["entries"]) * BITS[commit["type"]] // 8
        out = taken(accesses_of(commit["sequencer"], commit["type"], commit["access_bytes"],
                                ceil_div(size, commit["access_bytes"])),
                    commit["access_bytes"], machine)
        found = Banks(found.accesses + out.accesses, found.runs + out.runs)
    return found


def rate_beside(main: Banks, main_cycles: int, sub: Banks, sub_cycles: int) -> float:
    """How fast the sub context goes on beside the main context, which has priority: of every
    bank it gets what the other one leaves."""
    left = np.maximum(0.0, 1 - main.accesses / max(main_cycles, 1))
    wanted = sub.accesses / max(sub_cycles, 1)
    slowed = wanted > left
    return float((left[slowed] / wanted[slowed]).min(initial=1.0))


# --------------------------------------------------------------------------------------
# Both, for passes of a schedule
# --------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Neighbour:
    """A pass of the main context beside one of the sub context, in cycles of the latter."""

    command: Json
    begin: int
    end: int


class Contention:
    """Delays of the passes of the sub context; remembers what comes again."""

    def __init__(self, machine: Json) -> None:
        self.machine = machine
        self.known: dict[str, Any] = {}

    def banks(self, command: Json) -> Banks:
        step = self.machine["dm_banks"] * self.machine["dm_bank_bytes"]
        key = json.dumps([shifted(command["fetch"], step), shifted(command.get("commit"), step)])
        if key not in self.known:
            self.known[key] = banks_of(command, self.machine)
        return self.known[key]

    def missed(self, contract: Json) -> np.ndarray:
        key = "trf " + json.dumps([contract["trf"], contract["type"], contract["reg_read_bytes"]])
        if key not in self.known:
            self.known[key] = missed(contract, self.machine)
        return self.known[key]

    def delay(self, command: Json, stages: dict[str, int], cycles: int,
              neighbours: Sequence[Neighbour]) -> int:
        """Of a pass of the sub context that takes `cycles` alone."""
        found = self.bank_delay(command, cycles, neighbours)
        reading = [one for one in neighbours if "contract" in one.command]
        if "to_trf" in command and reading:
            found = max(found, self.trf_delay(stages, cycles, reading))
        return found

    def bank_delay(self, command: Json, cycles: int, neighbours: Sequence[Neighbour]) -> int:
        """The pass goes on at full speed between its neighbours, slower beside them."""
        at, left = 0.0, float(cycles)
        for one in sorted(neighbours, key=lambda n: n.begin):
            ahead = max(0.0, one.begin - at)
            if left <= ahead:
                break
            left, at = left - ahead, at + ahead
            rate = rate_beside(self.banks(one.command), one.end - one.begin,
                               self.banks(command), cycles)
            beside = max(0.0, one.end - at)
            if rate * beside >= left:
                return round(at + left / rate) - cycles
            left, at = left - rate * beside, at + beside
        return round(at + left) - cycles

    def trf_delay(self, stages: dict[str, int], cycles: int,
                  reading: Sequence[Neighbour]) -> int:
        last = max(one.end for one in reading)
        busy = np.zeros((self.machine["trf_bank_columns"], max(last, cycles)), dtype=bool)
        for one in reading:
            misses = self.missed(one.command["contract"])
            skipped = max(0, -one.begin)
            part = misses[:, skipped:skipped + one.end - max(0, one.begin)]
            begin = max(0, one.begin)
            busy[:, begin:begin + part.shape[1]] |= part
        flits = stages["to_trf"]
        return load_delay(busy, flits, max(1, max(stages.values()) // flits))


def shifted(stage: Json | None, step: int) -> object:
    """What banks see of a fetch or a commit: its sequencer is as good as one further on."""
    if stage is None:
        return None
    sequencer = {**stage["sequencer"], "base": stage["sequencer"]["base"] % step}
    return [sequencer, stage["access_bytes"],
            [stage.get(key) for key in ("from", "type", "packet_elements", "fetches_per_packet",
                                        "dual_channel")]]
