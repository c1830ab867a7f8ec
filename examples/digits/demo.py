#!/usr/bin/python3
# ===- demo.py - Handwritten digits on a simulated chip --------------------=== #
#
# Part of the Sequin project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------=== #
"""Runs mlp.mlir on the test images with sequin-run and reports.

Exit status: 0 if every prediction equals that of reference.py, 1 if not or if
sequin-run is missing or fails, 2 for wrong usage.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

import reference
from reference import Float, Int

HERE = Path(__file__).resolve().parent
BUILD_BIN = HERE.parents[1] / "build" / "bin"

#: Table lines under the heading, and digits drawn side by side.
TABLE_LINES = 12
DIGITS_PER_ROW = 5
#: Characters of one 8x8 image: eight pixels of two characters.
DIGIT_WIDTH = 16

Command = dict[str, Any]


def fail(message: str) -> NoReturn:
    """Ends the program with exit status 1."""
    sys.stdout.flush()
    print(f"error: {message}", file=sys.stderr)
    sys.exit(1)


def find_sequin_run() -> str:
    """The program in PATH, else the one in this tree's build directory."""
    found = shutil.which("sequin-run") or shutil.which("sequin-run", path=str(BUILD_BIN))
    if not found:
        fail(f"sequin-run is neither in PATH nor in {BUILD_BIN}; build Sequin first")
    return found


def simulate(program: str, target: str) -> tuple[Float, dict[str, Any]]:
    """Runs the network; returns logits [360, 10] and the report."""
    with tempfile.TemporaryDirectory(prefix="sequin-digits-") as folder:
        output, report = Path(folder, "logits.npy"), Path(folder, "report.json")
        command = [program, str(HERE / "mlp.mlir"), "--target", target]
        for name in ("x", *reference.Network._fields):
            command += ["--input", str(reference.DATA / f"{name}.npy")]
        command += ["--output", str(output), "--report", str(report)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, errors="replace")
        except OSError as error:
            fail(f"cannot run {program}: {error.strerror}")
        if done.returncode != 0:
            said = done.stderr.strip() or "(nothing on stderr)"
            fail(f"{program} ended with exit status {done.returncode}:\n{said}")
        try:
            return np.load(output), json.loads(report.read_text())
        except (OSError, ValueError) as error:
            fail(f"{program} ended well but left no usable result: {error}")


def union_length(intervals: Iterable[tuple[int, int]]) -> int:
    """Cycles covered by at least one of the intervals [start, end)."""
    covered, reached = 0, 0
    for start, end in sorted(intervals):
        covered += max(0, end - max(start, reached))
        reached = max(reached, end)
    return covered


def bounding_stage(commands: list[Command]) -> str:
    """The stage with the most cycles, summed over `commands`; the first on a tie."""
    totals: dict[str, int] = {}
    for command in commands:
        for stage, cycles in command["stages"].items():
            totals[stage] = totals.get(stage, 0) + cycles
    return max(totals, key=lambda stage: totals[stage]) if totals else "-"


def grouped(
    commands: list[Command], shorten: bool
) -> dict[tuple[str, str], list[Command]]:
    """Commands by (context, name); with `shorten`, without a number at the end."""
    groups: dict[tuple[str, str], list[Command]] = {}
    for command in commands:
        name = command["name"]
        if shorten:
            name = re.sub(r"[._#-]?\d+$", "", name) or name
        groups.setdefault((command["context"], name), []).append(command)
    return groups


def time_table(commands: list[Command], cycles: int) -> list[str]:
    """At most TABLE_LINES lines: where the cycles went, the largest part first.

    Commands overlap, so the shares may add up to more than the whole.
    """
    groups = grouped(commands, shorten=False)
    if len(groups) > TABLE_LINES:
        groups = grouped(commands, shorten=True)
    rows = []
    for (context, name), members in groups.items():
        busy = union_length((c["start"], c["end"]) for c in members)
        rows.append((busy, context, name, members))
    rows.sort(key=lambda row: -row[0])
    if len(rows) > TABLE_LINES:
        rest = [c for row in rows[TABLE_LINES - 1 :] for c in row[3]]
        busy = union_length((c["start"], c["end"]) for c in rest)
        rows[TABLE_LINES - 1 :] = [(busy, "-", "(all others)", rest)]
    return [
        f"  {context:<8.8}{name:<28.28}{len(members):>5}{busy:>10,}"
        f"{busy / max(cycles, 1):>8.1%}  {bounding_stage(members):.16}"
        for busy, context, name, members in rows
    ]


def print_report(report: dict[str, Any]) -> None:
    cycles, seconds = report["cycles"], report["seconds"]
    # Cycles per microsecond are MHz.
    clock = f" at {cycles / (seconds * 1e6):,.0f} MHz" if seconds > 0 else ""
    print(f"machine     {report['target']}, chips: {report['chips']}")
    print(f"time        {cycles:,} cycles = {seconds * 1e6:.2f} us{clock}")
    print(
        f"MACs        {report['macs']:,}, {report['mac_utilization']:.2%} of "
        f"{report['peak_macs_per_cycle']:,} per cycle"
    )
    print(
        f"HBM         {report['hbm_bytes_read']:,} bytes read, "
        f"{report['hbm_bytes_written']:,} written, "
        f"{report['hbm_utilization']:.2%} of the bandwidth"
    )
    commands: list[Command] = report["commands"]
    shares = []
    for context in ("dma", "main", "sub"):
        busy = union_length(
            (c["start"], c["end"]) for c in commands if c["context"] == context
        )
        shares.append(f"{context} {busy / max(cycles, 1):.1%}")
    print(f"busy        {', '.join(shares)}")
    print()
    print("  context command                     count    cycles   share  bounded by")
    for line in time_table(commands, cycles):
        print(line)
    print()


def encodable(text: str) -> bool:
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def drawing(image: Float, shades: str) -> list[str]:
    """Eight lines for one image [64] of grey levels 0 to 16."""
    levels = np.rint(image.reshape(8, 8) / 16 * (len(shades) - 1)).astype(int)
    return ["".join(shades[level] * 2 for level in row).rstrip() for row in levels]


def print_digits(images: Float, labels: Int, predictions: Int) -> None:
    """Draws the first image of each digit, with label and prediction."""
    shades = " ░▒▓█" if encodable("░▒▓█") else " .:*#"
    color = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    chosen = [int(np.flatnonzero(labels == digit)[0]) for digit in range(10)]
    for first in range(0, len(chosen), DIGITS_PER_ROW):
        row = chosen[first : first + DIGITS_PER_ROW]
        for lines in zip(*(drawing(images[index], shades) for index in row)):
            print("".join(f"{line:<{DIGIT_WIDTH}}" for line in lines).rstrip())
        captions = []
        for index in row:
            right = labels[index] == predictions[index]
            text = f"   is {labels[index]}, read {predictions[index]}{'' if right else ' !'}"
            text = f"{text:<{DIGIT_WIDTH}}"
            if color:
                text = f"\033[{32 if right else 31}m{text}\033[0m"
            captions.append(text)
        print("".join(captions).rstrip())
    print()


def check(logits: Float, expected: Float) -> None:
    """Compares logits [360, 10] with the reference's; ends the program on a
    difference in the predictions."""
    predictions, wanted = reference.predict(logits), reference.predict(expected)
    different = np.flatnonzero(predictions != wanted)
    if len(different):
        index = int(different[0])
        fail(
            f"{len(different)} of {len(wanted)} predictions differ from NumPy's, first "
            f"for image {index}: {predictions[index]}, NumPy {wanted[index]}"
        )
    print(f"predictions equal NumPy's: {len(wanted)}/{len(wanted)}")
    unequal = int(np.sum(logits.view(np.uint32) != expected.view(np.uint32)))
    if unequal:
        distance = np.max(np.abs(logits - expected))
        print(
            f"logits differ from NumPy's in {unequal} of {expected.size} values, "
            f"by at most {distance:.3g}"
        )
    else:
        print("logits bit-identical to NumPy's: yes")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--target", default="rngd", help="machine (default: rngd)")
    target: str = parser.parse_args().target

    images, labels = reference.load_test_set()
    expected = reference.run(images, reference.load_network())
    logits, report = simulate(find_sequin_run(), target)
    if logits.shape != expected.shape or logits.dtype != np.float32:
        fail(
            f"the output is {logits.dtype} {list(logits.shape)}, expected float32 "
            f"{list(expected.shape)}"
        )
    logits = np.ascontiguousarray(logits)
    predictions = reference.predict(logits)
    correct = int(np.sum(predictions == labels))

    print("Handwritten digits: 64-128-64-10 network, bf16 operands, f32 sums")
    print()
    print(f"accuracy    {correct}/{len(labels)} = {correct / len(labels):.2%}")
    try:
        print_report(report)
    except (KeyError, TypeError) as error:
        fail(f"the report of sequin-run lacks or garbles a key: {error}")
    print_digits(images, labels, predictions)
    check(logits, expected)


if __name__ == "__main__":
    main()
