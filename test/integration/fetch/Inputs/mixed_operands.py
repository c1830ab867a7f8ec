# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks results and reports of mixed-operands.test, which stand in the directory given."""

import json
import pathlib
import sys

import numpy as np

folder = pathlib.Path(sys.argv[1])


def load(name):
    return np.load(folder / f"{name}.npy")


def report(name):
    return json.loads((folder / f"{name}.json").read_text())


def passes(name):
    return [c for c in report(name)["commands"] if c["context"] == "main" and "commit" in c["stages"]]


def main():
    # Small integers: sums are exact in f32, and in bf16 up to 256.
    exact = load("a") @ load("x")
    bits = exact.view(np.uint32)
    rounded = (bits + 0x7FFF + (bits >> 16 & 1) & 0xFFFF0000).astype(np.uint32).view(np.float32)
    assert (load("y") == rounded).all()
    (only,) = passes("s")
    packets = only["stages"]["contract"]
    assert packets == 512 // 32
    print(f"mixed_gemv equals NumPy, rounded to bf16: 1 pass of the main context, widening in "
          f"{only['stages']['fetch'] // packets} fetches per packet")
    assert (load("z") == exact).all()
    assert report("linalg")["cycles"] == report("linalg-s")["cycles"]
    print(f"linalg equals NumPy: {len(passes('linalg-s'))} passes that commit, the same cycles "
          "on rngd and rngd-s")


if __name__ == "__main__":
    main()
