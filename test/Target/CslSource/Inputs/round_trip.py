# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes modules as CSL source, imports that, and writes it again, until nothing changes.

    round_trip.py OUT ARCH MODULE...

The first import makes programs of their own for PEs whose parameters the source asks for, and the
next one drops parameters that have one value then; from the third source on all are equal.
"""

import subprocess
import sys
from pathlib import Path

TRIPS = 4


def run(*command):
    """Runs a tool; its stderr if it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stderr if done.returncode else ""


def trip(module, arch, out):
    """An error, or nothing if the last two sources are equal."""
    texts = []
    for number in range(TRIPS):
        directory = out / str(number)
        error = run("sequin-translate", "--csl-to-source", module, "--output-directory", directory)
        if error:
            return error
        texts.append({file.name: file.read_text() for file in sorted(directory.glob("*.csl"))})
        module = directory / "back.mlir"
        error = run("sequin-translate", "--import-csl", directory / "layout.csl",
                    f"--arch={arch}", "-o", module)
        if error:
            return error
    if texts[-1] != texts[-2]:
        return f"source {TRIPS - 1} differs from source {TRIPS - 2}\n"
    return ""


def main():
    """Returns the exit code."""
    out, arch = Path(sys.argv[1]), sys.argv[2]
    failures = 0
    for name in sys.argv[3:]:
        error = trip(Path(name), arch, out / Path(name).stem)
        if error:
            failures += 1
            print(f"{name}: {error}", end="")
    print(f"{len(sys.argv) - 3} modules, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
