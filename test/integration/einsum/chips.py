#!/usr/bin/python3
# ===- chips.py - Contractions on several chips ---------------------------=== #
#
# Part of the Sequin project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------=== #
"""Runs einsums on 1, 2, 4 and 8 chips: the same numbers as NumPy's, in fewer cycles.

Operands lie on the chips that read them; what is between two products, and a sum that
chips share, comes by collectives.
"""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np

# Einsum, sizes, element type, and how many times faster eight chips are at least.
CASES = [
    ("mk,kn->mn", {"m": 512, "k": 1024, "n": 2048}, "bf16", 2.0),
    ("mk,nk->mn", {"m": 512, "k": 1024, "n": 1024}, "i8", 1.5),
    ("bmk,bkn->bmn", {"b": 8, "m": 128, "k": 1024, "n": 512}, "f8e4m3", 1.5),
    ("mk,kn->mn", {"m": 8, "k": 65536, "n": 64}, "bf16", 1.5),
    # One chip takes 20,000 cycles in seven groups. Between the two products each of eight
    # stores its part in rows of less than a unit of HBM, which takes more than they save.
    ("mk,kn,nj->mj", {"m": 64, "k": 256, "n": 256, "j": 256}, "bf16", 0.75),
]


def run(folder, einsum, sizes, dtype, chips):
    operands, result = einsum.split("->")
    random = np.random.default_rng(chips)
    arrays = [random.integers(-2, 3, [sizes[i] for i in operand]) for operand in operands.split(",")]
    command = ["sequin-run", "--einsum", einsum, "--dtype", dtype, "--target", "rngd", "--chips", str(chips),
               "--size", ",".join(f"{k}={v}" for k, v in sizes.items()),
               "--output", str(folder / "out.npy"), "--report", str(folder / "report.json")]
    for number, array in enumerate(arrays):
        path = folder / f"{number}.npy"
        np.save(path, array.astype(np.int8 if dtype == "i8" else np.float32))
        command += ["--input", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{einsum} on {chips} chips: {done.stderr}")
    if not np.array_equal(np.load(folder / "out.npy"), np.einsum(einsum, *arrays)):
        sys.exit(f"{einsum} on {chips} chips: wrong numbers")
    report = json.loads((folder / "report.json").read_text())
    return report["cycles"]


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for einsum, sizes, dtype, gain in CASES:
        cycles = [run(folder, einsum, sizes, dtype, chips) for chips in (1, 2, 4, 8)]
        if cycles[0] < gain * cycles[-1]:
            sys.exit(f"{einsum}: cycles on 1, 2, 4 and 8 chips are {cycles}, expected {gain} times fewer in the end")
        print(f"{einsum}: 4 runs equal NumPy")


if __name__ == "__main__":
    main()
