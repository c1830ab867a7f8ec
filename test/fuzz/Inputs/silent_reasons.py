# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Why a mutation of a configuration that nobody notices is harmless.

Every reason is decided from the configuration before and after, and from docs/Spec/Config.md;
none asks the simulator. A reason holds for fields whose meaning it names, so that a field that
starts to be ignored finds no excuse here.
"""

import dataclasses
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "bench/performance"))

from retimer.nests import BITS, covered, interval  # noqa: E402
from retimer.passes import time_pass  # noqa: E402
from retimer.schedule import written_out  # noqa: E402
from retimer.touched import (Region, Touched, masks_of, touched_by_move,  # noqa: E402
                             touched_by_number, touched_by_pass)

Json = dict[str, Any]
Path_ = tuple[str | int, ...]


@dataclasses.dataclass(frozen=True)
class Mutation:
    """`field` is the name of what was changed, the same at all its places."""

    field: str
    path: Path_
    old: Any
    new: Any
    before: Json
    after: Json
    machine: Json


def at(config: Any, path: Path_) -> Any:
    for key in path:
        config = config[key]
    return config


def command_path(mutation: Mutation) -> Path_:
    """Of the command that was changed; empty if the change is outside commands."""
    found: Path_ = ()
    for end in range(len(mutation.path), 0, -1):
        value = at(mutation.before, mutation.path[:end])
        if isinstance(value, dict) and "kind" in value:
            return mutation.path[:end]
    return found


# --------------------------------------------------------------------------------------
# It says the same
# --------------------------------------------------------------------------------------

def without_single_rounds(value: Any) -> Any:
    """The same nest without loops that run once, whose strides are never taken."""
    if isinstance(value, dict):
        found = {key: without_single_rounds(inner) for key, inner in value.items()}
        if "entries" in found and "packet_entries" in found:
            entries, inner = found["entries"], found["packet_entries"]
            split = max(0, len(entries) - inner) if isinstance(inner, int) else 0
            kept = [[entry for entry in part if entry[0] != 1]
                    for part in (entries[:split], entries[split:])]
            return {**found, "entries": kept[0] + kept[1], "packet_entries": len(kept[1])}
        for key in ("entries", "packets", "loops", "toggle"):
            if isinstance(found.get(key), list) and all(map(is_loop, found[key])):
                found[key] = [loop for loop in found[key] if size_of(loop) != 1]
        return found
    return [without_single_rounds(inner) for inner in value] if isinstance(value, list) else value


def is_loop(value: Any) -> bool:
    return (isinstance(value, dict) and "size" in value
            or isinstance(value, list) and len(value) >= 2 and isinstance(value[0], int))


def size_of(loop: Any) -> Any:
    return loop["size"] if isinstance(loop, dict) else loop[0]


def is_single_round(mutation: Mutation) -> bool:
    where = command_path(mutation)
    return bool(where) and (without_single_rounds(at(mutation.before, where))
                            == without_single_rounds(at(mutation.after, where)))


def moves_the_same(mutation: Mutation) -> bool:
    """Of a transfer or a DMA command, the order of loops and of descriptors, and which engine
    works: any engine can do any move (DMA Engine, Implementation Details)."""
    where = command_path(mutation)
    if not where or at(mutation.before, where)["kind"] not in ("dma", "transfer"):
        return False
    return moved(at(mutation.before, where)) == moved(at(mutation.after, where))


def moved(command: Json) -> Any:
    if command["kind"] == "transfer":
        return {**command, "entries": sorted(map(tuple, command["entries"]))}
    works = [tuple(sorted((key, str(sorted(map(tuple, value)) if key == "entries" else value))
                          for key, value in descriptor.items() if key != "engine"))
             for descriptor in command["descriptors"]]
    return {**command, "descriptors": sorted(works)}


def turns_of_one(mutation: Mutation) -> bool:
    """Slices or packets of a turn in the ring, where a slice has one packet or the ring has one
    slice: all turns are alike."""
    if mutation.path[-1] not in ("group_slices", "group_packets"):
        return False
    routing = at(mutation.before, mutation.path[:-1])
    packets = 1
    for size, _ in routing["packets"]:
        packets *= size
    return packets == 1 or routing["ring_size"] == 1


def same_width(mutation: Mutation) -> bool:
    """A type for another one of as many bits, in a pass that moves elements as they are: no
    conversion, no arithmetic, no mask."""
    where = command_path(mutation)
    if not where or not {mutation.old, mutation.new} <= BITS.keys():
        return False
    command = at(mutation.before, where)
    computing = {"contract", "vector", "cast"} & command.keys()
    return (BITS[mutation.old] == BITS[mutation.new] and not computing
            and not {"mask", "table", "zero_points"} & command.get("fetch", {}).keys())


# --------------------------------------------------------------------------------------
# Nobody reads what it changes
# --------------------------------------------------------------------------------------


def touched(command: Json, machine: Json) -> Touched:
    if command["kind"] == "exec":
        return touched_by_pass(command, time_pass(command, machine).stages.get("vector", 0),
                               machine)
    if command["kind"] == "dma":
        return touched_by_move(command, machine)
    if command["kind"] == "generate":
        return touched_by_number(command)
    size = BITS[command["type"]]
    loops = [(count, stride * size) for count, _, stride in command["entries"]]
    bits = covered(command["device_address"] * 8, loops, size)
    region = Region("hbm", command["chip"], (), dataclasses.replace(
        bits, starts=bits.starts // 8, ends=-(-bits.ends // 8)))
    return (Touched([], [region]) if command["direction"] == "to_device"
            else Touched([region], []))


def dead_slices(mutation: Mutation) -> bool:
    """Slices more or less in a mask, of which nobody reads what the pass writes in them."""
    if not isinstance(mutation.path[-1], int) or mutation.path[-2] != "slices":
        return False
    changed = [0] * mutation.machine["clusters_per_chip"]
    changed[mutation.path[-1]] = int(mutation.old, 16) ^ int(mutation.new, 16)
    return not any(region.overlaps(read) for region in written_by(mutation, tuple(changed))
                   for read in read_later(mutation))


def written_by(mutation: Mutation, slices: tuple[int, ...]) -> Iterator[Region]:
    """What the command writes in some slices, before and after the change."""
    where = command_path(mutation)
    for config in (mutation.before, mutation.after):
        command = at(config, where)
        for region in touched({**command, **taken(command, slices)}, mutation.machine).writes:
            yield dataclasses.replace(region, slices=slices)


def taken(command: Json, slices: tuple[int, ...]) -> Json:
    """A pass that writes in all slices that were asked for."""
    width = len(command["slices"][0])
    return {"slices": [f"{mask:0{width}x}" for mask in slices]}


def read_later(mutation: Mutation) -> Iterator[Region]:
    """By other commands, from the first time that the changed one runs."""
    for config in (mutation.before, mutation.after):
        name, begun = at(config, command_path(mutation))["name"], False
        for command in written_out(config["commands"]):
            begun = begun or command["name"] == name
            if begun and command["name"] != name:
                yield from touched(command, mutation.machine).reads


def zeros_written_over(mutation: Mutation) -> bool:
    """Bytes of HBM set to zero before a transfer that fills them, or that nobody reads."""
    if mutation.path[-1] not in ("zero_address", "zero_bytes"):
        return False
    where = command_path(mutation)
    transfer = touched(at(mutation.before, where), mutation.machine)
    reads = [*transfer.reads, *read_later(mutation)]
    for command in (at(mutation.before, where), at(mutation.after, where)):
        begin, end = command["zero_address"], command["zero_address"] + command["zero_bytes"]
        for low, high in not_filled(begin, end, transfer.writes):
            zeroed = Region("hbm", command["chip"], (), interval(low, high))
            if any(zeroed.overlaps(read) for read in reads):
                return False
    return True


def not_filled(begin: int, end: int, writes: Sequence[Region]) -> Iterator[tuple[int, int]]:
    """The parts of a range that a transfer leaves as they are."""
    for region in writes:
        for low, high in zip(region.bytes.starts.tolist(), region.bytes.ends.tolist()):
            if begin < min(low, end):
                yield begin, min(low, end)
            begin = max(begin, high)
    if begin < end:
        yield begin, end


def masked_lanes_unread(mutation: Mutation) -> bool:
    """A mask of elements that come out of an elementwise pass where nobody reads: the innermost
    loop of the fetch is that of the commit, and later commands leave those elements out."""
    where = command_path(mutation)
    if "fetch.mask" not in mutation.field:
        return False
    command = at(mutation.before, where)
    inner, commit = command["fetch"]["sequencer"]["entries"][-1], command["commit"]
    if {"contract", "switch", "transpose"} & command.keys() or "intra_slice_reduce" in (
            command.get("vector", {})) or commit["sequencer"]["entries"][-1][0] != inner[0]:
        return False
    reads = list(read_later(mutation))
    element = BITS[commit["type"]]
    *outer, (_, stride) = commit["sequencer"]["entries"]
    for place in masked(mutation, inner[0]):
        bits = covered((commit["sequencer"]["base"] * 8) + place * stride * element,
                       [(size, step * element) for size, step in outer], element)
        region = Region("dm", command["chip"], masks_of(command["slices"]), dataclasses.replace(
            bits, starts=bits.starts // 8, ends=-(-bits.ends // 8)))
        if any(region.overlaps(read) for read in reads):
            return False
    return True


def masked(mutation: Mutation, size: int) -> set[int]:
    """Elements of dim0 that the mask may set, before or after."""
    found: set[int] = set()
    for config in (mutation.before, mutation.after):
        mask = at(config, command_path(mutation))["fetch"].get("mask")
        if mask:
            found |= set(range(mask["left_pad"]))
            found |= set(range(min(mask["last_dim_rightmost_valid_count"]), size))
    return found


# --------------------------------------------------------------------------------------
# Data that says the same
# --------------------------------------------------------------------------------------


def is_nan(pattern: int) -> bool:
    """Of f32."""
    return pattern & 0x7F800000 == 0x7F800000 and pattern & 0x7FFFFF != 0


def nan_for_nan(mutation: Mutation) -> bool:
    return (mutation.path[-1] == "constant" and is_nan(mutation.old) and is_nan(mutation.new))


def ids_of_no_element(mutation: Mutation) -> bool:
    """ExecutionIds that no element has in this mode of the branch."""
    if mutation.path[-1] not in ("ids", "write_ids"):
        return False
    branch = at(mutation.before, command_path(mutation))["vector"].get("branch", {})
    mode = branch.get("mode", "unconditional")
    possible = {"unconditional": 0b1, "axis_toggle": 0b11, "valid_count": 0b11}.get(mode, 0xFFFF)
    return mutation.old & possible == mutation.new & possible


#: Fields that are data: which values are noticed depends on the arguments. Such a silent mutation
#: is harmless if the field is read, that is, if another value of it is noticed.
DATA = frozenset({"constant", "left_pad", "pad_value", "last_dim_rightmost_valid_count",
                  "values", "zero_points"})


def is_data(mutation: Mutation) -> bool:
    keys = [key for key in mutation.path if isinstance(key, str)]
    return isinstance(mutation.old, int) and keys[-1] in DATA


#: In words, and how it is decided.
REASONS: dict[str, Callable[[Mutation], bool]] = {
    "a loop of one round": is_single_round,
    "the same move in another order or by another engine": moves_the_same,
    "turns of one packet or one slice": turns_of_one,
    "elements of one width, moved as they are": same_width,
    "slices of which nobody reads the result": dead_slices,
    "zeros that are written over or that nobody reads": zeros_written_over,
    "a mask of elements that nobody reads": masked_lanes_unread,
    "a NaN for a NaN": nan_for_nan,
    "branches of no element": ids_of_no_element,
}
