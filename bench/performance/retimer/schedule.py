# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What runs when (Scheduling).

Commands start in the order of the program, as soon as what they occupy is free (main context, sub
context and DMA engines of a chip do one command at a time) and all earlier commands have ended
that touch the same bytes. Where the machine's row has a time for a dependency between clusters,
that has passed too (docs/Decisions, Machines that give nothing away).
"""

import copy
import dataclasses
import itertools
import re
from collections.abc import Iterator, Sequence
from typing import Any

from .beside import Contention, Neighbour
from .moves import Mover
from .nests import Json
from .passes import pass_cycles, time_pass
from .touched import (Region, Touched, touched_by_move, touched_by_number,
                      touched_by_pass)

Context = tuple[str, int]  # main, sub or dma; chip


@dataclasses.dataclass
class Timed:
    """A command and when it runs, in cycles from the start of the program."""

    command: Json
    name: str
    context: str
    occupied: tuple[Context, ...]
    stages: dict[str, int]
    cycles: int  # without what other commands take from it
    touched: Touched
    clusters: frozenset[tuple[int, int]] = frozenset()  # (chip, cluster) that it works in
    copies_between: bool = False  # from the data memory of one cluster to another's
    start: int = 0
    delay: int = 0  # what others take from it

    @property
    def end(self) -> int:
        return self.start + self.cycles + self.delay


# --------------------------------------------------------------------------------------
# Loops
# --------------------------------------------------------------------------------------


def advanced(command: Json, path: str, distance: int) -> Json:
    """A copy in which an address is further on. `path` names it by its keys, as in
    descriptors[2].source_address; a sequencer's address is its base."""
    found: Any = dict(command)
    holder, keys = found, re.findall(r"\w+", path)
    for key in keys[:-1]:
        place = int(key) if isinstance(holder, list) else key
        holder[place] = copy.copy(holder[place])
        holder = holder[place]
    last: Any = int(keys[-1]) if isinstance(holder, list) else keys[-1]
    if isinstance(holder[last], dict):
        holder[last] = {**holder[last], "base": holder[last]["base"] + distance}
    else:
        holder[last] += distance
    return found


def written_out(commands: Sequence[Json], counters: tuple[int, ...] = ()) -> Iterator[Json]:
    """Every command as often as it runs, with the addresses it has then."""
    for command in commands:
        if command["kind"] == "loop":
            for counter in range(command["count"]):
                yield from written_out(command["commands"], (*counters, counter))
            continue
        for step in command.get("steps", []):
            command = advanced(command, step["address"], counters[step["loop"]] * step["bytes"])
        yield command


# --------------------------------------------------------------------------------------
# Commands
# --------------------------------------------------------------------------------------


def timed_pass(command: Json, machine: Json) -> Timed:
    chip, context = command["chip"], command["context"]
    occupied = {(context, chip)}
    switch = command.get("switch", {})
    if command["fetch"].get("dual_channel") or switch.get("writes_bitmaps"):
        occupied.add(("sub", chip))
    if command.get("occupies_dma") or switch.get("writes_bitmaps"):
        occupied.add(("dma", chip))
    found = time_pass(command, machine)
    return Timed(command, command["name"], context, tuple(sorted(occupied)), found.stages,
                 pass_cycles(found, machine),
                 touched_by_pass(command, found.stages.get("vector", 0), machine))


def timed_move(command: Json, mover: Mover) -> Timed:
    chips = {descriptor[f"{side}_chip"] for descriptor in command["descriptors"]
             for side in ("source", "destination")}
    stages = mover.stages(command)
    return Timed(command, command["name"], "dma", tuple(("dma", chip) for chip in sorted(chips)),
                 stages, max(stages.values()), touched_by_move(command, mover.machine))


def timed(command: Json, mover: Mover) -> Timed:
    machine = mover.machine
    if command["kind"] == "exec":
        return timed_pass(command, machine)
    if command["kind"] == "dma":
        return timed_move(command, mover)
    if command["kind"] == "generate":
        # Generate Mode: one write; the manual gives no time.
        return Timed(command, command["name"], "sub", (("sub", command["chip"]),), {},
                     machine["generate_cycles"], touched_by_number(command))
    # Between host and HBM, which takes no time here.
    return Timed(command, command["name"], "host", (), {}, 0, Touched([], []))


def clusters_of(one: Timed, machine: Json) -> frozenset[tuple[int, int]]:
    """Those whose slices it touches, and those of the DMA engines that it uses."""
    found = {(region.chip, cluster) for region in [*one.touched.reads, *one.touched.writes]
             for cluster, mask in enumerate(region.slices) if mask}
    for descriptor in one.command.get("descriptors", []):
        found.add((descriptor["source_chip"], descriptor["engine"]
                   * machine["clusters_per_chip"] // machine["dma_engines"]))
    return frozenset(found)


def copies_between_clusters(command: Json, machine: Json) -> bool:
    if (command.get("source"), command.get("destination")) != ("dm", "dm"):
        return False
    size = machine["dm_slice_stride"] * machine["slices_per_cluster"]
    return any(
        descriptor["source_chip"] != descriptor["destination_chip"]
        or descriptor["source_address"] // size != descriptor["destination_address"] // size
        for descriptor in command["descriptors"])


# --------------------------------------------------------------------------------------
# The schedule
# --------------------------------------------------------------------------------------


class Scheduler:
    def __init__(self, machine: Json) -> None:
        self.contention = Contention(machine)
        self.across = machine.get("cluster_dependency_cycles", 0)
        self.limit = machine["max_same_bank_accesses"]

    def place(self, commands: Sequence[Timed]) -> None:
        """Gives every command its start."""
        free: dict[Context, int] = {context: 0 for one in commands for context in one.occupied}
        running: list[Timed] = []
        for one in commands:
            start = max((free[context] for context in one.occupied), default=0)
            for other in running:
                if other.end + self.across > start:
                    start = max(start, self.earliest_behind(one, other))
            one.start = self.without_starvation(one, start, running)
            for context in one.occupied:
                free[context] = one.end
            if one.end > one.start:
                running.append(one)
                # What ends before anything can start is in nobody's way.
                earliest = min(free.values())
                running = [other for other in running if other.end + self.across > earliest]

    def earliest_behind(self, one: Timed, other: Timed) -> int:
        """When a command may start because of an earlier one."""
        if not one.touched.must_follow(other.touched):
            return 0
        return other.end + (self.across if self.across and self.is_across(one, other) else 0)

    def is_across(self, one: Timed, other: Timed) -> bool:
        """Whether a cluster has to learn that another one is done: both work in more than one,
        and the bytes are in memory that these share; or one of them copies between two."""
        common = one.touched.common(other.touched)
        shared = {"hbm", "spm"}
        return (bool(common & shared) and len(one.clusters | other.clusters) > 1
                or bool(common - shared) and (one.copies_between or other.copies_between))

    def without_starvation(self, one: Timed, start: int, running: Sequence[Timed]) -> int:
        """Accesses of both contexts to a bank add up; where they keep it for longer than a DMA
        command can wait that uses the same slices, the later of the three commands waits
        (Bank Starvation, Cumulative Bank Access Constraint)."""
        while True:
            beside = [one, *(other for other in running if other.end > start)]
            ends = [min(other.end for other in trio if other is not one)
                    for trio in self.trios(beside, one) if self.starves(*trio)]
            if not ends:
                return start
            start = max(start + 1, min(ends))

    def trios(self, commands: Sequence[Timed],
              one: Timed) -> Iterator[tuple[Timed, Timed, Timed]]:
        """(main, sub, dma) of one chip, `one` among them."""
        by_kind: dict[str, list[Timed]] = {"main": [], "sub": [], "dma": []}
        for command in commands:
            if command.context in by_kind and command.command["kind"] != "generate":
                by_kind[command.context].append(command)
        for main in by_kind["main"]:
            for sub in by_kind["sub"]:
                for dma in by_kind["dma"]:
                    if one in (main, sub, dma) and main.command["chip"] == sub.command["chip"]:
                        yield main, sub, dma

    def starves(self, main: Timed, sub: Timed, dma: Timed) -> bool:
        runs = (self.contention.banks(main.command).runs
                + self.contention.banks(sub.command).runs)
        if runs.max() <= self.limit:
            return False
        moved = [*dma.touched.reads, *dma.touched.writes]
        return all(shares_slices(command, moved) for command in (main, sub))

    def delay(self, commands: Sequence[Timed]) -> bool:
        """Notes what passes of the sub context lose beside those of the main context; whether
        any loses something."""
        mains: dict[int, list[Timed]] = {}
        for one in commands:
            if one.context == "main" and one.cycles:
                mains.setdefault(one.command["chip"], []).append(one)
        past = dict.fromkeys(mains, 0)  # how many ended before; both contexts go on in order
        for one in commands:
            if one.context != "sub" or one.command["kind"] != "exec":
                continue
            chip = one.command["chip"]
            others = mains.get(chip, [])
            while past.get(chip, 0) < len(others) and others[past[chip]].end <= one.start:
                past[chip] += 1
            neighbours = [
                Neighbour(main.command, main.start - one.start, main.end - one.start)
                for main in itertools.takewhile(lambda main: main.start < one.end,
                                                others[past.get(chip, 0):])]
            if neighbours:
                one.delay = self.contention.delay(one.command, one.stages, one.cycles, neighbours)
        return any(one.delay for one in commands)


def shares_slices(command: Timed, moved: Sequence[Region]) -> bool:
    mine = [region for region in [*command.touched.reads, *command.touched.writes]
            if region.memory == "dm"]
    return any(region.memory == "dm" and region.chip == other.chip
               and any(a & b for a, b in zip(region.slices, other.slices))
               for region in moved for other in mine)


def schedule(program: Json, machine: Json) -> list[Timed]:
    """Every command of a configuration, in the order of the program. Commands are placed as if
    nothing took cycles from them, and then once more with what the neighbours take that they
    have in that schedule."""
    mover, scheduler = Mover(machine), Scheduler(machine)
    commands = [timed(command, mover) for command in written_out(program["commands"])]
    if scheduler.across:
        for one in commands:
            one.clusters = clusters_of(one, machine)
            one.copies_between = copies_between_clusters(one.command, machine)
    scheduler.place(commands)
    if scheduler.delay(commands):
        scheduler.place(commands)
    return commands
