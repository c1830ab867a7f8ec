# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which bytes a command reads and writes (Scheduling, Memory dependencies)."""

import dataclasses
from collections.abc import Iterator, Sequence

import numpy as np

from .nests import Intervals, Json, Loops, bytes_of, covered, interval, visited


@dataclasses.dataclass(frozen=True)
class Region:
    """Bytes of a memory. Those of slices are the same in all slices of the masks, one mask per
    cluster with the lowest bit for slice 0; other memories have no masks."""

    memory: str
    chip: int
    slices: tuple[int, ...]
    bytes: Intervals

    def overlaps(self, other: "Region") -> bool:
        return ((self.memory, self.chip) == (other.memory, other.chip)
                and (not self.slices
                     or any(a & b for a, b in zip(self.slices, other.slices)))
                and self.bytes.overlaps(other.bytes))


@dataclasses.dataclass
class Touched:
    reads: list[Region]
    writes: list[Region]

    def must_follow(self, earlier: "Touched") -> bool:
        """Read after write, write after read, write after write."""
        return (meet(self.reads, earlier.writes) or meet(self.writes, earlier.reads)
                or meet(self.writes, earlier.writes))

    def common(self, earlier: "Touched") -> set[str]:
        """Memories in which one follows the other."""
        return {one.memory
                for mine, others in ((self.reads, earlier.writes), (self.writes, earlier.reads),
                                     (self.writes, earlier.writes))
                for one in mine for other in others if one.overlaps(other)}


def meet(some: Sequence[Region], others: Sequence[Region]) -> bool:
    return any(one.overlaps(other) for one in some for other in others)


def union(masks: Sequence[Sequence[int]]) -> tuple[int, ...]:
    found = [0] * len(masks[0])
    for mask in masks:
        found = [a | b for a, b in zip(found, mask)]
    return tuple(found)


def gathered(regions: Sequence[Region]) -> list[Region]:
    """The same bytes of several slices in one region."""
    found: dict[object, Region] = {}
    for region in regions:
        key = (region.memory, region.chip, bool(region.slices),
               region.bytes.starts.tobytes(), region.bytes.ends.tobytes())
        known = found.get(key)
        if known is not None and region.slices:
            region = dataclasses.replace(known, slices=union([known.slices, region.slices]))
        found[key] = region
    return list(found.values())


# --------------------------------------------------------------------------------------
# Passes of the tensor unit
# --------------------------------------------------------------------------------------


def masks_of(texts: Sequence[str]) -> tuple[int, ...]:
    return tuple(int(text, 16) for text in texts)


def with_sources(slices: Sequence[int], routing: Json, width: int) -> tuple[int, ...]:
    """The slices of the masks and those that they listen to. Settings for the first slices hold
    for those behind them, sources moving along: with each repetition, or, if it stays within a
    ring (`period`), with each ring."""
    bitmaps = [int(router["sources"], 16) for router in routing["routers"]
               for _ in range(router["slices"])]
    step = routing["ring_size"] if routing.get("period") else len(bitmaps)
    found = []
    for mask in slices:
        heard = mask
        for place in range(width):
            if mask >> place & 1:
                heard |= bitmaps[place % len(bitmaps)] << place - place % step
        found.append(heard & (1 << width) - 1)
    return tuple(found)


def trf_bytes(half: str, machine: Json) -> Intervals:
    size = machine["trf_bytes_per_row"]
    return interval(size // 2 if half == "second_half" else 0,
                    size // 2 if half == "first_half" else size)


def vrf_reads(vector: Json) -> Iterator[Intervals]:
    for op in [*vector.get("ops", []), *vector.get("ops_after", [])]:
        for name in ("operand", "operand1"):
            if "vrf" in op.get(name, {}):
                yield bytes_of(op[name]["vrf"], "i32")
    if "vrf" in vector.get("branch", {}):
        yield bytes_of(vector["branch"]["vrf"], "i4")


def touched_by_pass(command: Json, flits: int, machine: Json) -> Touched:
    """`flits` pass the vector engine, which is what its branch logger writes."""
    chip, slices = command["chip"], masks_of(command["slices"])
    width = machine["slices_per_cluster"]
    feeding = slices
    for routing in (command.get("vector", {}).get("inter_slice"), command.get("switch")):
        if routing:
            feeding = with_sources(feeding, routing, width)
    fetch = command["fetch"]
    reads = [Region("dm", chip, feeding, bytes_of(fetch["sequencer"], fetch["from"]))]
    writes = []
    if "contract" in command:
        reads.append(Region("trf", chip, feeding,
                            trf_bytes(command["contract"]["trf_address"], machine)))
    vector = command.get("vector", {})
    reads += [Region("vrf", chip, feeding, found) for found in vrf_reads(vector)]
    log = vector.get("branch", {}).get("log_address")
    if log is not None:
        writes.append(Region("vrf", chip, feeding,
                             interval(log, log + flits * machine["output_lanes"] // 2)))
    if "commit" in command:
        commit = command["commit"]
        writing = masks_of(commit["slices"]) if "slices" in commit else slices
        writes.append(Region("dm", chip, writing, bytes_of(commit["sequencer"], commit["type"])))
        if "packing" in commit:
            reads.append(Region("dm", chip, writing,
                                bytes_of(commit["packing"]["counts"], "i32")))
    elif "to_trf" in command:
        writes.append(Region("trf", chip, slices,
                             trf_bytes(command["to_trf"]["address"], machine)))
    else:
        target = command["to_vrf"]
        writes.append(Region("vrf", chip, slices, interval(
            target["address"], target["address"] + target["bytes"])))
    return Touched(reads, writes)


def touched_by_number(command: Json) -> Touched:
    """Of `generate`: 32 bits in every slice."""
    return Touched([], [Region("dm", command["chip"], masks_of(command["slices"]),
                               interval(command["address"], command["address"] + 4))])


# --------------------------------------------------------------------------------------
# DMA commands
# --------------------------------------------------------------------------------------


def slice_masks(slices: np.ndarray, machine: Json) -> tuple[int, ...]:
    masks = [0] * machine["clusters_per_chip"]
    for number in np.unique(slices).tolist():
        cluster, place = divmod(number, machine["slices_per_cluster"])
        masks[cluster] |= 1 << place
    return tuple(masks)


def dm_regions(chip: int, base: int, loops: Loops, size: int, machine: Json) -> Iterator[Region]:
    """Of addresses that count slices in steps of the slice stride."""
    step = machine["dm_slice_stride"]
    slices = [(count, stride // step) for count, stride in loops if stride % step == 0]
    inside = [(count, stride) for count, stride in loops if stride % step]
    number, offset = divmod(base, step)
    found = covered(offset, inside, size)
    if found.low >= 0 and found.high <= step:
        yield Region("dm", chip, slice_masks(visited(number, slices), machine), found)
        return
    # A loop that leaves its slice by a stride of its own.
    starts = visited(base, loops)
    for place in np.unique(starts // step).tolist():
        mine = starts[starts // step == place] - place * step
        yield Region("dm", chip, slice_masks(np.array([place]), machine),
                     interval(int(mine.min()), int(mine.max()) + size))


def touched_by_move(command: Json, machine: Json) -> Touched:
    """Sides that are found through indices may be anywhere in their table; the indices are read
    besides."""
    found: dict[str, list[Region]] = {"source": [], "destination": []}
    for descriptor in command["descriptors"]:
        indirection = descriptor.get("indirection", {})
        for place, (side, regions) in enumerate(found.items(), 1):
            chip, base = descriptor[f"{side}_chip"], descriptor[f"{side}_address"]
            loops = [(entry[0], entry[place]) for entry in descriptor["entries"]]
            size = descriptor["packet_bytes"]
            if indirection.get("side") == side:
                loops.append((indirection["count"], indirection["step"]))
                found["source"].append(Region("hbm", indirection["chip"], (), covered(
                    indirection["address"],
                    list(zip((entry[0] for entry in descriptor["entries"]),
                             indirection["strides"])), machine["dma_index_bytes"])))
            if command[side] == "dm":
                regions += dm_regions(chip, base, loops, size, machine)
            else:
                regions.append(Region(command[side], chip, (), covered(base, loops, size)))
    return Touched(gathered(found["source"]), gathered(found["destination"]))
