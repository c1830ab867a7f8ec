# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs and NumPy's results of the kernels with loops.

loops.py make KERNEL DIR     writes DIR/in0.npy
loops.py check KERNEL DIR    compares DIR/out.npy with NumPy's result; prints the
                             cycles of DIR/rolled.json and DIR/unrolled.json
"""

import json
import pathlib
import sys

import numpy as np


def windows(a: np.ndarray) -> np.ndarray:
    """Tile i of 15 holds blocks i and i + 1 of 32 elements."""
    blocks = a.reshape(16, 32)
    return np.stack([blocks[i:i + 2] for i in range(15)])


KERNELS = {
    "tiles": ((16, 2048), lambda a: a + 1),
    "windows": ((512,), windows),
    "double_buffer": ((8, 2048), lambda a: a + 3),
    "exchange": ((8, 2048), lambda a: a + 3),
    "nested": ((8, 8, 8), lambda a: a + 1),
}


def main() -> int:
    action, name, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    shape, expected = KERNELS[name]
    if action == "make":
        folder.mkdir(parents=True)
        values = np.random.default_rng(7).integers(-2**31 + 5, 2**31 - 5, shape)
        np.save(folder / "in0.npy", values.astype(np.int32))
        return 0
    result = np.load(folder / "out.npy")
    wanted = expected(np.load(folder / "in0.npy"))
    if result.shape != wanted.shape or not (result == wanted).all():
        print(f"{name}: differs from NumPy")
        return 1
    print(f"{name}: {wanted.size} results equal NumPy's")
    cycles = [json.loads((folder / f"{form}.json").read_text())["cycles"]
              for form in ("rolled", "unrolled")]
    print("rolled and unrolled take the same cycles" if cycles[0] == cycles[1] else cycles)
    return 0


if __name__ == "__main__":
    sys.exit(main())
