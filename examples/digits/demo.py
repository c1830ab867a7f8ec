#!/usr/bin/python3
# ===- demo.py - Handwritten digits on a simulated chip --------------------=== #
#
# Part of the Sequin project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------=== #
"""Runs mlp.mlir on the test images with sequin-run, times a large matrix product, and reports.

Exit status: 0 if every prediction equals that of reference.py, 1 if not or if
sequin-run is missing or fails, 2 for wrong usage.
"""

import argparse
import json
import os
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

#: Digits drawn side by side.
DIGITS_PER_ROW = 5
#: Characters of one 8x8 image: eight pixels of two characters.
DIGIT_WIDTH = 16
#: The query projection of Llama-3-70B for 2,048 tokens.
PRODUCT = "m=2048,k=8192,n=8192"

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


def run(program: str, folder: str, arguments: list[str]) -> dict[str, Any]:
    """Runs sequin-run and returns its report."""
    report = Path(folder, "report.json")
    try:
        done = subprocess.run([program, *arguments, "--report", str(report)],
                              capture_output=True, text=True, errors="replace")
    except OSError as error:
        fail(f"cannot run {program}: {error.strerror}")
    if done.returncode != 0:
        said = done.stderr.strip() or "(nothing on stderr)"
        fail(f"{program} ended with exit status {done.returncode}:\n{said}")
    try:
        return json.loads(report.read_text())
    except (OSError, ValueError) as error:
        fail(f"{program} ended well but left no usable report: {error}")


def simulate(program: str, target: str) -> tuple[Float, dict[str, Any]]:
    """Runs the network; returns logits [360, 10] and the report."""
    with tempfile.TemporaryDirectory(prefix="sequin-digits-") as folder:
        output = Path(folder, "logits.npy")
        arguments = [str(HERE / "mlp.mlir"), "--target", target]
        for name in ("x", *reference.Network._fields):
            arguments += ["--input", str(reference.DATA / f"{name}.npy")]
        report = run(program, folder, [*arguments, "--output", str(output)])
        try:
            return np.load(output), report
        except (OSError, ValueError) as error:
            fail(f"{program} ended well but left no usable result: {error}")


def time_product(program: str, target: str) -> dict[str, Any]:
    """The report of a product that is large enough to fill the machine."""
    with tempfile.TemporaryDirectory(prefix="sequin-digits-") as folder:
        return run(program, folder, ["--einsum", "mk,kn->mn", "--size", PRODUCT, "--dtype", "bf16",
                                     "--target", target, "--timing-only"])


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


def bounded_by(report: dict[str, Any]) -> str:
    """The context that is busy longest, and the stage it waits for most."""
    commands: list[Command] = report["commands"]
    contexts = sorted({c["context"] for c in commands} & {"dma", "main", "sub"})
    if not contexts:
        return "-"
    members = {name: [c for c in commands if c["context"] == name] for name in contexts}
    busy = {name: union_length((c["start"], c["end"]) for c in members[name])
            for name in contexts}
    context = max(contexts, key=lambda name: busy[name])
    share = busy[context] / max(report["cycles"], 1)
    return f"{context}: {bounding_stage(members[context])}, {share:.1%} of the time"


def print_time(report: dict[str, Any]) -> None:
    cycles, seconds = report["cycles"], report["seconds"]
    # Cycles per microsecond are MHz.
    clock = f" at {cycles / (seconds * 1e6):,.0f} MHz" if seconds > 0 else ""
    print(f"time        {cycles:,} cycles = {seconds * 1e6:,.2f} us{clock}")


def print_product(report: dict[str, Any]) -> None:
    """The product of matrices, whose sizes are PRODUCT."""
    sizes = {index: int(size) for index, size in
             (part.split("=") for part in PRODUCT.split(","))}
    print(f"Matrix product: {sizes['m']:,} x {sizes['k']:,} by {sizes['k']:,} x {sizes['n']:,}, "
          "bf16 operands, f32 sums, cycles without data")
    print()
    print_time(report)
    print(
        f"MACs        {report['mac_utilization']:.1%} of the {report['peak_macs_per_cycle']:,} "
        f"per cycle that the machine can do"
    )
    print(
        f"HBM         {report['hbm_bytes_read']:,} bytes read, "
        f"{report['hbm_bytes_written']:,} written, "
        f"{report['hbm_utilization']:.1%} of the bandwidth"
    )
    print(f"bounded by  {bounded_by(report)}")


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
    unequal = int(np.sum(logits.view(np.uint32) != expected.view(np.uint32)))
    if unequal:
        bits = (f"logits differ in {unequal} of {expected.size} values, by at most "
                f"{np.max(np.abs(logits - expected)):.3g}")
    else:
        bits = "logits bit-identical"
    print(f"NumPy       predictions equal: {len(wanted)}/{len(wanted)}, {bits}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--target", default="rngd", help="machine (default: rngd)")
    target: str = parser.parse_args().target

    images, labels = reference.load_test_set()
    expected = reference.run(images, reference.load_network())
    program = find_sequin_run()
    logits, report = simulate(program, target)
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
    check(logits, expected)
    try:
        print(f"machine     {report['target']}, chips: {report['chips']}")
        print_time(report)
        print(f"bounded by  {bounded_by(report)}; a network this small leaves the engines idle")
        print()
        print_digits(images, labels, predictions)
        print_product(time_product(program, target))
    except (KeyError, TypeError) as error:
        fail(f"the report of sequin-run lacks or garbles a key: {error}")


if __name__ == "__main__":
    main()
