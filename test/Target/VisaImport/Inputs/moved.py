# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the kernels of moves.rs with sequin-run and compares them with NumPy."""

import subprocess
import sys
from pathlib import Path

import numpy as np

folder, source = Path(sys.argv[1]), sys.argv[2]
rng = np.random.default_rng(2)


def numbers(*shape):
    return rng.integers(-99, 99, shape).astype(np.int32)


def run(entry, *inputs):
    command = ["sequin-run", source, "--entry", entry, "--verify"]
    for index, array in enumerate(inputs):
        np.save(folder / f"in{index}.npy", array)
        command += ["--input", folder / f"in{index}.npy"]
    subprocess.run([*command, "--output", folder / "out.npy"], check=True)
    return np.load(folder / "out.npy")


x, y, pairs = numbers(2048), numbers(256, 8), numbers(2, 256, 2, 8)
rows, table, places = numbers(64, 8), numbers(100, 8), rng.permutation(100)[:64].astype(np.int32)
scattered = table.copy()
scattered[places] = rows
results = {
    "behind_fetch": (run("behind_fetch", x), x),
    "copies": (run("copies", x), x),
    "renamed": (run("renamed", x), x.reshape(256, 8)),
    "reduced": (run("reduced", y), y.sum(axis=0)),
    "first_slice": (run("first_slice", y), y[0]),
    "later_slice": (run("later_slice", y), y[3]),
    # The offset of a row is in bytes.
    "scattered": (run("scattered", rows, places * 32, table), scattered),
    "swapped": (run("clusters::swapped", pairs), pairs[::-1]),
    "parts": (run("clusters::parts", pairs), np.stack([pairs[0, :, 1], pairs[1, :, 0]])),
}
for name, (found, expected) in results.items():
    assert np.array_equal(found, expected), name
print(f"{len(results)} kernels equal NumPy's")
