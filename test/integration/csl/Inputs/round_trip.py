# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""round_trip.py EXAMPLES SCRATCH ARCH: programs built as IR to source and back, three times.

After every trip the results are NumPy's, and a run takes as many cycles, but for 2 %, as that of the program
that was given.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np

TRIPS = 3
examples, scratch, arch = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
sys.path.insert(0, str(examples))
sys.dont_write_bytecode = True
from programs import PROGRAMS  # noqa: E402  (its folder is an argument)


class Failed(Exception):
    """A tool refused, or two results differ."""


def run(folder, *command):
    """Runs a tool in the folder."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failed(f"{command[0]}: {done.stderr[-500:]}")


def cycles(folder, module, case):
    """Those of a run whose results are NumPy's."""
    command = ["sequin-run", module, "--target", arch, "--report", "report.json"]
    for symbol, array in case.inputs.items():
        np.save(folder / f"{symbol}.npy", array)
        command += ["--input", f"{symbol}={symbol}.npy"]
    for launch in case.launches:
        command += ["--launch", launch]
    for symbol in case.expected:
        command += ["--output", f"{symbol}={symbol}.out.npy"]
    run(folder, *command)
    for symbol, expected in case.expected.items():
        found = np.load(folder / f"{symbol}.out.npy")
        if not np.array_equal(found, expected.reshape(found.shape)):
            raise Failed(f"{module}: '{symbol}' is not what NumPy says")
    return json.loads((folder / "report.json").read_text())["cycles"]


def check(name):
    """Fails if the program does not come back."""
    folder = scratch / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shutil.copy(examples / arch / f"{name}.mlir", folder / "0.mlir")
    case = PROGRAMS[name](np.random.default_rng(7))
    first = cycles(folder, "0.mlir", case)
    for trip in range(TRIPS):
        source = f"source{trip}"
        run(folder, "sequin-translate", "--csl-to-source", f"{trip}.mlir", "--output-directory", source)
        run(folder, "sequin-translate", "--import-csl", f"{source}/layout.csl", f"--arch={arch}",
            "-o", f"{trip + 1}.mlir")
        again = cycles(folder, f"{trip + 1}.mlir", case)
        if abs(first - again) * 50 > first:
            raise Failed(f"{first} cycles, {again} after round trip {trip + 1}")


def main():
    """Returns the exit code."""
    failures = 0
    for name in PROGRAMS:
        try:
            check(name)
        except Failed as error:
            failures += 1
            print(f"{name}, {arch}: {error}")
    print(f"{len(PROGRAMS)} programs, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
