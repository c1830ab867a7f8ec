#!/usr/bin/python3
# ===- rings_turn.py - Rings that turn rows in data memory ----------------=== #
#
# Part of the Sequin project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------=== #
"""Compares products with a row-major [k, n] matrix with NumPy, exactly, whose rows slices bring
for each other, exchange and turn along the sum: bf16, f8 and i8 on machines that differ in what
passes and DMA take; one tile of columns and several, register files in halves; with operands of
the vector engine, which the sub context loads as well.

Every mapping must say that it is so. Exit status: 0 if all agree, 1 if not.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np
import simulate
from ring_chunks import Product, check

FREE = (0, 0, 0)
ROW_MAJOR = "--argument-layout=row-major"
TURNED, BROUGHT = "rows turned in DM, brought for", "brought for {} slices at once"
HALVES, STEPS = "register files in halves by turns", "the stream changing first"
TARGETS = ("rngd", "rngd-strict", "rngd-static")

#: (rows, sum, columns, element type, machines, words of the mapping on the first of these).
EINSUMS = [
    (128, 512, 4096, "f8e4m3", TARGETS, (BROUGHT.format(16),)),
    (128, 1024, 4096, "i8", TARGETS, (BROUGHT.format(16),)),
    (256, 512, 1024, "bf16", TARGETS, (BROUGHT.format(16), "; 8 rows each")),
    (512, 1024, 4096, "bf16", TARGETS[:1], (BROUGHT.format(8), HALVES)),
    (256, 256, 8192, "f8e4m3", TARGETS[:1], (BROUGHT.format(16), STEPS)),
    (512, 512, 4096, "i8", TARGETS[:1], (BROUGHT.format(8), "; 32 rows each")),
]
PRODUCTS = [
    Product(256, 512, 1024, "bf16", FREE, (TURNED,), bias=True, residual=True),
    Product(256, 256, 2048, "i8", FREE, (TURNED,), bias=True, residual=True),
    Product(1024, 512, 512, "f8E4M3FN", FREE, (TURNED,), residual=True),
]


def multiply(m: int, k: int, n: int, element: str, target: str, words: tuple[str, ...],
             folder: Path) -> bool:
    """Runs the einsum of a product; whether it is right, and mapped as it should be."""
    name = f"{m}x{k}x{n} {element} on {target}"
    state = np.random.default_rng(k + n)
    carrier = np.int8 if element == "i8" else np.float32
    arrays = [state.integers(-3, 4, shape).astype(carrier) for shape in ((m, k), (k, n))]
    report = folder / "mapping.txt"
    outcome = simulate.run(
        ["--einsum", "mk,kn->mn", "--size", f"m={m},k={k},n={n}", "--dtype", element], arrays, 1,
        folder, ["--report-mapping", str(report), ROW_MAJOR], target)
    a, b = (array.astype(np.float64) for array in arrays)
    outcome = simulate.judge(outcome, [a @ b])
    if outcome.status != "pass":
        outcome.show(name)
        return False
    mapping = report.read_text()
    if not all(word in mapping for word in words):
        print(f"{name} is not mapped as it should be:\n{mapping}")
        return False
    return True


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="sequin-rings-") as name:
        good = [multiply(*sizes, target, (TURNED, *words) if target == targets[0] else (TURNED,),
                         Path(name))
                for *sizes, targets, words in EINSUMS for target in targets]
    print(f"{len(good)} einsums" + (" equal NumPy" if all(good) else ""))
    return 0 if check(PRODUCTS, [ROW_MAJOR]) == 0 and all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
