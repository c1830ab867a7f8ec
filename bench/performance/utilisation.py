#!/usr/bin/python3
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""MACs, HBM bytes and utilisation from an emitted configuration, held against a report.

    sequin-translate --tcp-to-json config.mlir -o config.json
    sequin-translate --dump-machine=rngd -o machine.json
    sequin-run config.json --timing-only --report report.json
    utilisation.py config.json machine.json --report report.json

Of the report only `cycles` is taken; everything else is counted here, from the commands:

useful MACs     what the program asks for, which the configuration states (`macs`)
performed MACs  computation packets x rows x lanes of every contraction, on all slices that
                contract: padding, empty rows and what the lowering adds included
HBM bytes       packets x their bytes, of every descriptor that reads or writes HBM

Exit status 1 if the report says otherwise; it must agree exactly.
"""

import argparse
import dataclasses
import functools
import math
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import run_files
from run_files import Json

#: Bits of an element on the way to the contraction engine (docs/Spec/Config.md).
BITS = {"i4": 4, "i5": 8, "i8": 8, "i9": 16, "f8e4m3": 8, "f8e5m2": 8, "bf16": 16}


@dataclasses.dataclass
class Counts:
    useful_macs: int = 0
    performed_macs: int = 0
    hbm_bytes_read: int = 0
    hbm_bytes_written: int = 0
    link_bytes: int = 0  # between chips
    commands: int = 0


def executed(commands: Sequence[Json], times: int = 1) -> Iterator[tuple[Json, int]]:
    """Every command with how often it runs."""
    for command in commands:
        if command["kind"] == "loop":
            yield from executed(command["commands"], times * command["count"])
        else:
            yield command, times


@functools.lru_cache(maxsize=None)
def heard(masks: tuple[str, ...], routers: tuple[tuple[int, str], ...], width: int) -> int:
    """How many slices those in the masks, one per cluster, listen to. Settings for some rings
    hold for all of them."""
    listens = [int(sources, 16) for count, sources in routers for _ in range(count)]
    total = 0
    for mask in masks:
        taken, bits = int(mask, 16), 0
        for place in range(width):
            if taken >> place & 1:
                bits |= listens[place % len(listens)] << place - place % len(listens)
        total += bits.bit_count()
    return total


def contracted(command: Json, machine: Json) -> int:
    """Multiply-accumulates of a pass, needed or not."""
    contract = command["contract"]
    packets = math.prod(loop["size"] for loop in contract["loops"])
    lanes = machine["mac_width_bytes"] * 8 // BITS[contract["type"]]
    slices = sum(int(mask, 16).bit_count() for mask in command["slices"])
    # What the inter-slice block folds has been contracted on the slices it comes from.
    routing = command.get("vector", {}).get("inter_slice")
    if routing:
        routers = tuple((r["slices"], r["sources"]) for r in routing["routers"])
        slices = heard(tuple(command["slices"]), routers, machine["slices_per_cluster"])
    return packets * contract["rows"] * lanes * slices


def count(program: Json, machine: Json) -> Counts:
    counts = Counts(useful_macs=program["macs"])
    for command, times in executed(program["commands"]):
        counts.commands += times
        if command["kind"] == "dma":
            size = times * sum(d["packet_bytes"] * math.prod(entry[0] for entry in d["entries"])
                               for d in command["descriptors"])
            counts.hbm_bytes_read += size * (command["source"] == "hbm")
            counts.hbm_bytes_written += size * (command["destination"] == "hbm")
            counts.link_bytes += times * sum(
                d["packet_bytes"] * math.prod(entry[0] for entry in d["entries"])
                for d in command["descriptors"] if d["source_chip"] != d["destination_chip"])
        elif command["kind"] == "exec" and "contract" in command:
            counts.performed_macs += times * contracted(command, machine)
    return counts


def utilisation(program: Json, machine: Json, cycles: int) -> dict[str, Any]:
    """The report's totals, by its keys."""
    counts, chips = count(program, machine), program["chips"]
    peak = machine["macs_per_cycle"].get(program["mac_type"], 0) * chips
    moved = counts.hbm_bytes_read + counts.hbm_bytes_written
    return {
        "macs": counts.useful_macs,
        "peak_macs_per_cycle": peak,
        "mac_utilization": counts.useful_macs / (cycles * peak) if cycles and peak else 0.0,
        "hbm_bytes_read": counts.hbm_bytes_read,
        "hbm_bytes_written": counts.hbm_bytes_written,
        "hbm_utilization": moved / (cycles * machine["hbm_utilization_bytes_per_cycle"] * chips)
                           if cycles else 0.0,
    }


def differences(found: Json, report: Json) -> list[str]:
    """Integers are equal, quotients of integers up to the last bit of a double."""
    return [f"{key} is {report[key]} in the report, {value} by the configuration"
            for key, value in found.items()
            if not (math.isclose(report[key], value, rel_tol=4e-16) if isinstance(value, float)
                    else report[key] == value)]


def main() -> int:
    parser = argparse.ArgumentParser(description="Utilisation from a configuration alone.")
    run_files.add_arguments(parser)
    options = parser.parse_args()
    program, machine, report = run_files.load(parser, options)
    counts = count(program, machine)
    found = utilisation(program, machine, report["cycles"])
    wrong = differences(found, report)
    if len(report["commands"]) != counts.commands:
        wrong.append(f"the report has {len(report['commands'])} commands, the configuration "
                     f"runs {counts.commands}")
    for text in wrong:
        print(f"error: {text}", file=sys.stderr)
    print(f"{report['cycles']:,} cycles, {counts.useful_macs:,} useful MACs of "
          f"{counts.performed_macs:,} performed = {found['mac_utilization']:.1%}, "
          f"{counts.hbm_bytes_read:,} bytes read and {counts.hbm_bytes_written:,} written = "
          f"{found['hbm_utilization']:.1%}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
