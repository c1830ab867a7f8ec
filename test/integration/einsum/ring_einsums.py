#!/usr/bin/python3
# ===- ring_einsums.py - Einsums on rings against NumPy -------------------=== #
#
# Part of the Sequin project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------=== #
"""Compares `sequin-run --einsum` with NumPy on contractions that the compiler plans by
rings, exactly: bf16, f8 and i8; streams of odd lengths; sums over two axes; batches.

The chosen ones must have been planned by rings, and so as their line says. Exit status: 0
if all agree and were mapped as they should be, 1 if not.
"""

import argparse
import json
import random
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "linalg"))
import simulate  # noqa: E402

#: (spec, sizes, type, words that the mapping must have).
CHOSEN = [
    ("mk,kn->mn", "m=384,k=512,n=1024", "bf16", ["passed around", "the stream changing first"]),
    ("mk,nk->mn", "m=7,k=512,n=4096", "bf16", ["in every slice"]),
    ("mk,kn->mn", "m=40,k=768,n=4096", "i8", ["8 of the sum"]),
    ("mk,kn->mn", "m=21,k=512,n=4096", "f8e4m3", ["in every slice"]),
    ("mk,kn->mn", "m=48,k=1024,n=4096", "f8e4m3", ["16 of the sum"]),
    ("bmk,bkn->bmn", "b=8,m=24,k=1024,n=1024", "bf16", ["of the batch"]),
    ("bhmk,bhnk->bhmn", "b=2,h=8,m=45,k=1024,n=1024", "i8", ["of the batch"]),
    ("mhk,hkn->mn", "m=56,h=6,k=256,n=2048", "bf16", ["of the stream x"]),
    ("mk,hnk->mhn", "m=192,h=12,k=256,n=128", "i8", ["passed around", "side by side"]),
    ("bmk,kn->bmn", "b=5,m=64,k=2048,n=1024", "f8e4m3",
     ["of the sum", "3 steps, the stream changing first"]),
    ("mk,kn->mn", "m=100,k=256,n=8192", "i8", ["of the sum", "halves by turns"]),
    ("mk,kn->mn", "m=512,k=1024,n=4096", "bf16", ["chunks"]),
]

SPECS = ["mk,kn->mn", "mk,nk->mn", "bmk,bkn->bmn", "bhmk,bhnk->bhmn", "mhk,hkn->mn",
         "mk,hnk->mhn", "bmk,kn->bmn"]
#: Elements of a packet of the contraction engine.
LANES = {"bf16": 32, "i8": 64, "f8e4m3": 64}
#: Iterations of the naive loop nest over all axes.
MAX_ITERATIONS = 120_000_000


def draw(state: random.Random) -> tuple[str, str, str, list[str]]:
    while True:
        spec, element = state.choice(SPECS), state.choice(list(LANES))
        sizes = {"m": state.choice([1, 2, 5, 7, 8, 16, 24, 32, 64, 96, 128]),
                 "k": LANES[element] * state.choice([1, 2, 3, 4, 7, 8, 16, 24, 32]),
                 "n": 8 * state.choice([1, 2, 5, 8, 12, 16, 32, 64, 128]),
                 "b": state.choice([2, 3, 4, 8, 16]), "h": state.choice([2, 4, 6, 8])}
        sizes = {axis: sizes[axis] for axis in dict.fromkeys(spec) if axis.isalpha()}
        # Enough for all slices, eight rows and a packet each.
        rest = {axis: size for axis, size in sizes.items() if axis != "m"}
        blocks = np.prod([float(size) for size in rest.values()]) / 8 / LANES[element]
        if blocks >= 1024 and blocks * sizes["m"] * 8 * LANES[element] <= MAX_ITERATIONS:
            return spec, ",".join(f"{a}={n}" for a, n in sizes.items()), element, []


def run(case: tuple[str, str, str, list[str]], seed: int, folder: Path,
        must_use_rings: bool) -> tuple[bool, bool]:
    """Whether the result is right, and whether it was planned by rings."""
    spec, size_text, element, words = case
    sizes = {axis: int(size) for axis, size in (p.split("=") for p in size_text.split(","))}
    operands, result = spec.split("->")
    state = np.random.default_rng(seed)
    carrier = np.int8 if element == "i8" else np.float32
    arrays = [state.integers(-3, 4, [sizes[a] for a in axes]).astype(carrier)
              for axes in operands.split(",")]
    wide = [a.astype(np.float64) for a in arrays]
    expected = np.einsum(spec, *wide, optimize=True)
    report = folder / "mapping.json"
    name = f"{spec} {size_text} {element}"
    outcome = simulate.run(["--einsum", spec, "--size", size_text, "--dtype", element], arrays, 1,
                           folder, ["--report-mapping", str(report), "--max-steps", "100000000000"])
    outcome = simulate.judge(outcome, [expected])
    if outcome.status != "pass":
        outcome.show(name)
        return False, False
    records = [r for r in json.loads(report.read_text()) if r["group"] == "contraction"]
    rings = [r for r in records if r["kind"] == "rings"]
    mapping = "; ".join(r["mapping"] for r in rings)
    if must_use_rings and not (rings and all(word in mapping for word in words)):
        print(f"{name} is not mapped as it should be: {records}")
        return False, bool(rings)
    return True, bool(rings)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=12, help="random einsums")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--chosen", default=f"0:{len(CHOSEN)}", help="which of the chosen ones")
    arguments = parser.parse_args()
    seed = random.randrange(2**32) if arguments.seed is None else arguments.seed
    good, by_rings = True, 0
    with tempfile.TemporaryDirectory(prefix="sequin-rings-") as folder:
        first, last = map(int, arguments.chosen.split(":"))
        chosen = CHOSEN[first:last]
        for index, case in enumerate(chosen):
            right, rings = run(case, index, Path(folder), must_use_rings=True)
            good &= right
        if chosen:
            print(f"{len(chosen)} chosen einsums" + (" equal NumPy on rings" if good else ""))
        print(f"seed {seed}")
        state = random.Random(seed)
        for index in range(arguments.count):
            right, rings = run(draw(state), index, Path(folder), must_use_rings=False)
            good &= right
            by_rings += rings
    print(f"{arguments.count} random einsums{' equal NumPy' if good else ''}, {by_rings} on rings")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
