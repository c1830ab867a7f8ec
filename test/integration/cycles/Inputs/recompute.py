# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cycles of a TCP configuration by the manual's formulas: a second opinion.

recompute.py CONFIG.json MACHINE.json [--report REPORT.json]... [--verbose]

Shares no code with the simulator and reads only what `sequin-translate --tcp-to-json` and
`--dump-machine` print. tensor_unit.py has the cycles of passes, dma_engines.py those of DMA
commands; this file has the schedule: program order, three contexts per chip that do one
command at a time, and waits for reads and writes of the same bytes (Scheduling).

With reports of sequin-run, every command's stages, start and end are compared with each of
them; exit status 1 names the first difference. Where the manual has a bound for a stage and
no number (rows that switch, engines that meet at a network), a report between the bounds is
accepted, and the last line says of how many commands that was so.
"""

import argparse
import dataclasses
import json
import pathlib
import sys

import numpy as np

sys.dont_write_bytecode = True  # no __pycache__ among the tests

from dma_engines import Dma
from sequencer import BITS, flatten, walk
from tensor_unit import Pass, longest_bank_run

#: TRF regions as (first half, second half).
TRF_HALVES = {"first_half": (0, 1), "second_half": (1, 2), "full": (0, 2)}


# --------------------------------------------------------------------------------------
# What a command reads and writes
# --------------------------------------------------------------------------------------


def merge(starts, lengths):
    """Sorted intervals (starts, ends) that do not touch, of the bytes given."""
    order = np.argsort(starts, kind="stable")
    starts, ends = starts[order], (starts + lengths)[order]
    ends = np.maximum.accumulate(ends)
    gaps = np.flatnonzero(starts[1:] > ends[:-1])
    return starts[np.concatenate(([0], gaps + 1))], ends[np.concatenate((gaps, [len(ends) - 1]))]


def overlap(one, other):
    """Whether two lists of intervals share a byte."""
    places = np.searchsorted(other[1], one[0], side="right")
    inside = places < len(other[0])
    return bool((other[0][places[inside]] < one[1][inside]).any())


class Footprint:
    """Bytes by memory; data memory and register files are numbered through all slices."""

    def __init__(self):
        self.bytes = {}

    def add(self, memory, starts, lengths):
        self.bytes.setdefault(memory, []).append((starts, np.broadcast_to(lengths, starts.shape)))

    def close(self):
        self.bytes = {memory: merge(*map(np.concatenate, zip(*parts)))
                      for memory, parts in self.bytes.items()}
        return self

    def meets(self, other):
        return any(memory in other.bytes and overlap(spans, other.bytes[memory])
                   for memory, spans in self.bytes.items())


def slices_of(masks, machine):
    """Numbers of the slices in the masks, one per cluster, through all clusters."""
    count = machine["slices_per_cluster"]
    return np.array([cluster * count + s for cluster, mask in enumerate(masks)
                     for s in range(count) if int(mask, 16) >> s & 1], np.int64)


def walked(sequencer, bits):
    """Byte intervals of a sequencer, in one slice."""
    entries = [(size, stride) for size, stride in sequencer["entries"] if stride]
    starts = sequencer["base"] * 8 + walk(entries, bits)
    lows = starts // 8
    return merge(lows, (starts + bits + 7) // 8 - lows)


def pass_footprints(command, machine):
    """(read, written) of a pass."""
    read, written, chip = Footprint(), Footprint(), command["chip"]
    slices = slices_of(command["slices"], machine)

    def each(footprint, memory, starts, lengths, where=slices):
        flat = (where[:, None] * machine["dm_slice_stride"] + starts).ravel()
        footprint.add((memory, chip), flat, np.tile(lengths, len(where)))

    def spans(footprint, memory, sequencer, bits, where=slices):
        starts, ends = walked(sequencer, bits)
        each(footprint, memory, starts, ends - starts, where)

    fetched = slices
    if "switch" in command:
        # Slices also take what their neighbours on the ring have fetched.
        ring = command["switch"]["ring_size"]
        fetched = np.unique((slices // ring * ring)[:, None] + np.arange(ring))
    spans(read, "dm", command["fetch"]["sequencer"], BITS[command["fetch"]["from"]], fetched)
    half = machine["trf_bytes_per_row"] // 2
    if "contract" in command:
        low, high = TRF_HALVES[command["contract"]["trf_address"]]
        each(read, "trf", np.array([low * half]), np.array([(high - low) * half]))
    vector = command.get("vector", {})
    for op in [*vector.get("ops", []), *vector.get("ops_after", [])]:
        for operand in ("operand", "operand1"):
            if "vrf" in op.get(operand, {}):
                spans(read, "vrf", op[operand]["vrf"], 32)
    branch = vector.get("branch", {})
    if "vrf" in branch:
        spans(read, "vrf", branch["vrf"], 4)
    if "log_address" in branch:
        size = Pass(command, machine).flits * machine["output_lanes"] // 2
        each(written, "vrf", np.array([branch["log_address"]]), np.array([size]))
    if "commit" in command:
        commit = command["commit"]
        where = slices_of(commit["slices"], machine) if "slices" in commit else slices
        spans(written, "dm", commit["sequencer"], BITS[commit["type"]], where)
        if "packing" in commit:
            spans(read, "dm", commit["packing"]["counts"], 32)
    elif "to_trf" in command:
        low, high = TRF_HALVES[command["to_trf"]["address"]]
        each(written, "trf", np.array([low * half]), np.array([(high - low) * half]))
    elif "to_vrf" in command:
        each(written, "vrf", np.array([command["to_vrf"]["address"]]),
             np.array([command["to_vrf"]["bytes"]]))
    return read.close(), written.close()


def dma_footprints(command, machine):
    """(read, written) of a DMA command."""
    read, written = Footprint(), Footprint()
    for descriptor in command["descriptors"]:
        how = descriptor.get("indirection")
        for side, footprint in (("source", read), ("destination", written)):
            stride = 1 if side == "source" else 2
            starts = descriptor[side + "_address"] + walk(
                [(entry[0], entry[stride]) for entry in descriptor["entries"] if entry[stride]])
            if how and how["side"] == side:
                # Any index may be met.
                steps = np.arange(how["count"], dtype=np.int64) * how["step"]
                starts = (np.unique(starts)[:, None] + steps).ravel()
            footprint.add((command[side], descriptor[side + "_chip"]), starts,
                          np.int64(descriptor["packet_bytes"]))
        if how:
            loops = [(entry[0], s) for entry, s in zip(descriptor["entries"], how["strides"]) if s]
            read.add(("hbm", how["chip"]), how["address"] + walk(loops),
                     np.int64(machine["dma_index_bytes"]))
    return read.close(), written.close()


# --------------------------------------------------------------------------------------
# The schedule
# --------------------------------------------------------------------------------------


@dataclasses.dataclass
class Command:
    name: str
    kind: str
    context: str
    chips: list
    holds: set  # (chip, context) that do nothing else meanwhile
    stages: dict
    bounds: dict
    cycles: int
    read: Footprint
    written: Footprint
    start: int = 0
    end: int = 0
    wait: str = ""


def prepare(name, body, machine):
    """A command with its cycles, not yet scheduled."""
    if body["kind"] == "transfer":
        return Command(name, "transfer", "host", [body["chip"]], set(), {}, {}, 0,
                       Footprint(), Footprint())
    if body["kind"] == "dma":
        timed = Dma(body, machine)
        chips = sorted({d[side] for d in body["descriptors"]
                        for side in ("source_chip", "destination_chip")})
        return Command(name, "dma", "dma", chips, {(chip, "dma") for chip in chips},
                       timed.stages, timed.bounds, timed.cycles, *dma_footprints(body, machine))
    chip = body["chip"]
    if body["kind"] == "generate":
        written, slices = Footprint(), slices_of(body["slices"], machine)
        written.add(("dm", chip), slices * machine["dm_slice_stride"] + body["address"],
                    np.int64(4))
        cycles = machine["generate_cycles"]
        return Command(name, "generate", "sub", [chip], {(chip, "sub")}, {"generate": cycles},
                       {}, cycles, Footprint(), written.close())
    timed = Pass(body, machine)
    holds = {(chip, body["context"])}
    if body["fetch"].get("dual_channel"):
        holds.add((chip, "sub"))
    if body.get("switch", {}).get("writes_bitmaps"):
        holds |= {(chip, "sub"), (chip, "dma")}
    # A pass that takes a bank too often in a row is scheduled as if it occupied DMA.
    starves = longest_bank_run(body, machine) > machine["max_same_bank_accesses"]
    if starves != body.get("occupies_dma", False):
        sys.exit(f"{name}: occupies_dma is {not starves}, the accesses to banks say {starves}")
    if starves:
        holds.add((chip, "dma"))
    return Command(name, "exec", body["context"], [chip], holds, timed.stages, timed.bounds,
                   timed.cycles, *pass_footprints(body, machine))


def place(command, earlier):
    """When a command starts: after what holds its contexts and what its bytes wait for."""
    command.start, command.wait = 0, ""
    for other in earlier:
        if other.end <= command.start or other.kind == "transfer":
            continue
        if command.holds & other.holds:
            reason = "context"
        elif command.read.meets(other.written):
            reason = "RAW"
        elif command.written.meets(other.read):
            reason = "WAR"
        elif command.written.meets(other.written):
            reason = "WAW"
        else:
            continue
        command.start, command.wait = other.end, f"{reason} by '{other.name}'"
    command.end = command.start + command.cycles


def side_by_side(commands):
    """Pairs of main and sub at the same time on a chip: their banks are not looked at."""
    return sum(one.start < other.end and other.start < one.end and one.chips == other.chips
               and {one.context, other.context} == {"main", "sub"}
               for i, one in enumerate(commands) for other in commands[:i])


# --------------------------------------------------------------------------------------
# Comparison and output
# --------------------------------------------------------------------------------------


def compare(command, reports):
    """Holds a command against what each report says of it.

    Returns whether it lies between bounds only; the command then takes the reported time.
    """
    def differ(what, mine, found):
        sys.exit(f"{command.name}: {what} is {found} in the report, {mine} by the manual")

    first = reports[0]
    for report in reports[1:]:
        for key in ("name", "context", "stages", "start", "end"):
            if report[key] != first[key]:
                sys.exit(f"{command.name}: {key} is {first[key]} in one report and "
                         f"{report[key]} in another")
    if first["name"] != command.name:
        differ("name", command.name, first["name"])
    if set(first["stages"]) != set(command.stages):
        differ("list of stages", sorted(command.stages), sorted(first["stages"]))
    bounded = False
    for stage, mine in sorted(command.stages.items()):
        found = first["stages"][stage]
        low, high = command.bounds.get(stage, (mine, mine))
        if found != mine and not low <= found <= high:
            differ(f"stage '{stage}'", mine if low == high else f"{low} to {high}", found)
        bounded |= found != mine
    if bounded:
        command.cycles = max(first["stages"].values())
        command.end = command.start + command.cycles
    if command.kind != "transfer":
        for key in ("start", "end"):
            if first[key] != getattr(command, key):
                differ(f"{key} ({command.wait or 'no wait'})", getattr(command, key), first[key])
    return bounded


def main():
    parser = argparse.ArgumentParser(description="Cycles of a configuration by the manual.")
    parser.add_argument("config", type=pathlib.Path)
    parser.add_argument("machine", type=pathlib.Path)
    parser.add_argument("--report", type=pathlib.Path, action="append", default=[])
    parser.add_argument("--verbose", action="store_true", help="print every command")
    arguments = parser.parse_args()
    program = json.loads(arguments.config.read_text())
    machine = json.loads(arguments.machine.read_text())
    reports = [json.loads(path.read_text()) for path in arguments.report]
    commands, bounded = [], 0
    bodies = list(flatten(program["commands"]))
    for report in reports:
        if len(report["commands"]) != len(bodies):
            sys.exit(f"{len(bodies)} commands, the report has {len(report['commands'])}")
    for place_in_program, (name, body) in enumerate(bodies):
        command = prepare(name, body, machine)
        place(command, commands)
        if reports:
            bounded += compare(command, [r["commands"][place_in_program] for r in reports])
        commands.append(command)
        if arguments.verbose:
            print(f"{command.start:>9} {command.end:>9} {command.context:5} {command.name:20} "
                  f"{command.stages} {command.wait}")
    total = max((command.end for command in commands), default=0)
    for report in reports:
        if report["cycles"] != total:
            sys.exit(f"total is {report['cycles']} in the report, {total} by the manual")
    timed = sum(command.kind != "transfer" for command in commands)
    beside = side_by_side(commands)
    print(f"{total} cycles, {timed} commands"
          + (f", {len(reports)} reports agree" if reports else "")
          + (f", {bounded} between bounds" if bounded else "")
          + (f", {beside} pairs of main and sub side by side" if beside else ""))
    return 0


if __name__ == "__main__":
    sys.exit(main())
