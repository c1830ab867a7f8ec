#!/usr/bin/python3
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs programs of this folder with sequin-run and compares with NumPy and, all
their memory, with the reference interpreter.

Exit status: 0 if every result agrees, 1 if not or if sequin-run fails, 2 for
wrong usage.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from programs import PROGRAMS, Case

HERE = Path(__file__).resolve().parent
BUILD_BIN = HERE.parents[1] / "build" / "bin"
# Other machines that a program must not notice: the flags of sequin-run.
VARIANTS = {
    "latency 1": ["--random-latency", "--seed=1"],
    "latency 2": ["--random-latency", "--seed=2"],
    "queues of one": ["--shallow-queues"],
    "other picker": ["--highest-task-first"],
    "all of these": ["--random-latency", "--seed=3", "--shallow-queues", "--highest-task-first"],
}


def find_sequin_run() -> str:
    """The program in PATH, else the one in this tree's build directory."""
    found = shutil.which("sequin-run") or shutil.which("sequin-run", path=str(BUILD_BIN))
    if not found:
        sys.exit(f"error: sequin-run is neither in PATH nor in {BUILD_BIN}; build Sequin first")
    return found


class Failure(Exception):
    pass


def simulate(name: str, target: str, case: Case, flags: list[str], folder: Path) -> int:
    """Cycles of a run whose results are NumPy's."""
    command = [find_sequin_run(), str(HERE / target / f"{name}.mlir"), "--target", target,
               "--report", str(folder / "report.json"), *flags]
    for index, (symbol, array) in enumerate(case.inputs.items()):
        np.save(folder / f"in{index}.npy", array)
        command += ["--input", f"{symbol}={folder / f'in{index}.npy'}"]
    for launch in case.launches:
        command += ["--launch", launch]
    for index, symbol in enumerate(case.expected):
        command += ["--output", f"{symbol}={folder / f'out{index}.npy'}"]
    if not flags:
        command.append("--verify")
    wavelets = not flags and case.colors
    if wavelets:
        command += ["--wavelet-log", str(folder / "wavelets.json")]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    if done.returncode != 0:
        raise Failure(f"sequin-run ended with exit status {done.returncode}:\n{done.stderr}")
    for index, (symbol, expected) in enumerate(case.expected.items()):
        found = np.load(folder / f"out{index}.npy")
        if not np.array_equal(found, expected.reshape(found.shape)):
            raise Failure(f"'{symbol}' is not what NumPy says:\n{found}\n{expected}")
    if wavelets:
        seen = {hop["color"] for hop in json.loads((folder / "wavelets.json").read_text())}
        if seen != set(case.colors):
            raise Failure(f"wavelets on colors {sorted(seen)}, expected {case.colors}")
    return json.loads((folder / "report.json").read_text())["cycles"]


def run(name: str, target: str, perturb: bool) -> None:
    case = PROGRAMS[name](np.random.default_rng(7))
    with tempfile.TemporaryDirectory(prefix="sequin-csl-") as temporary:
        folder = Path(temporary)
        cycles = simulate(name, target, case, [], folder)
        print(f"{name:14} {target}  {cycles:7} cycles, as NumPy")
        if not perturb:
            return
        others = {variant: simulate(name, target, case, flags, folder)
                  for variant, flags in VARIANTS.items()}
        print(" " * 22 + ", ".join(f"{variant} {count}" for variant, count in others.items()))
        # One PE alone has nothing that could come later.
        if case.colors and all(count == cycles for count in others.values()):
            raise Failure("every variant takes the same cycles")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("programs", nargs="*", metavar="program",
                        help="default: all; there are " + ", ".join(PROGRAMS))
    parser.add_argument("--target", choices=["wse2", "wse3"], help="default: both")
    parser.add_argument("--perturb", action="store_true",
                        help="also run with random latencies, queues of one word and another "
                             "order of tasks; results must be the same")
    arguments = parser.parse_args()
    for name in arguments.programs:
        if name not in PROGRAMS:
            parser.error(f"no program '{name}', there are {', '.join(PROGRAMS)}")
    failed = 0
    for name in arguments.programs or PROGRAMS:
        for target in [arguments.target] if arguments.target else ["wse2", "wse3"]:
            try:
                run(name, target, arguments.perturb)
            except Failure as failure:
                print(f"{name:14} {target}  failed: {failure}")
                failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
