# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs and NumPy's results of the kernels with views of HBM tensors.

views.py make KERNEL DIR         writes DIR/in0.npy, ...
views.py check KERNEL DIR FILE   compares DIR/FILE with NumPy's result
"""

import pathlib
import sys

import numpy as np


def embed(block: np.ndarray, whole: np.ndarray) -> np.ndarray:
    result = whole.copy()
    result[5:9, 8:10] = block
    return result


def common_bits(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return (a.view(np.int32) & b.view(np.int32)).view(np.float32)


def upper_half(a: np.ndarray) -> np.ndarray:
    return (a.view(np.int32) & -0x10000).view(np.float32)


def half_flit(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.concatenate([b[:, :4], a[:, :4]], axis=1)


def group(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    result = b.copy().reshape(15, 4)
    result[:, :2] = a.reshape(15, 4)[:, 2:]
    return result.reshape(b.shape)


# Shapes and type of the inputs, the result.
KERNELS = {
    # A matrix in tiles, with rows and columns that are left over.
    "blocks": ([(10, 21)], np.float32, lambda a: a),
    "reshape": ([(6, 4, 32)], np.int8, lambda a: a.reshape(24, 32).T),
    # A last tile of which five of eight columns are there.
    "partial": ([(4, 21)], np.int32, lambda a: a + 7),
    "part": ([(4, 2), (100, 10)], np.float32, embed),
    "strides": ([(64,)], np.float32, lambda a: a[1::4]),
    "windows": ([(20, 8)], np.int32,
                lambda a: np.stack([a[i:i + 3] for i in range(18)])),
    "transpose": ([(24, 40)], np.float32, lambda a: a.T),
    "nibbles": ([(8, 64)], np.int8, lambda a: a[2:5, 16:48]),
    "bitcast": ([(64,), (64,)], np.float32, common_bits),
    "halves": ([(64,)], np.float32, upper_half),
    "half_flit": ([(5, 8), (5, 8)], np.float32, half_flit),
    "single": ([(1, 12, 8)], np.float32, lambda a: a),
    "group": ([(3, 20), (3, 20)], np.float32, group),
    "chips": ([(4, 6, 32)], np.int8, lambda a: a.reshape(4, 2, 96)),
    "constant": ([(4, 8)], np.float32,
                 lambda a: np.stack([a[:, :2], np.arange(8, dtype=np.float32)
                                     .reshape(4, 2) - 2.5,
                                     np.full((4, 2), 1.5, np.float32)])),
}


def main() -> int:
    action, name, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    shapes, dtype, expected = KERNELS[name]
    if action == "make":
        folder.mkdir(parents=True)
        random = np.random.default_rng(11)
        low, high = (-8, 8) if name == "nibbles" else (-100, 100)
        for number, shape in enumerate(shapes):
            values = random.integers(low, high, shape).astype(dtype)
            np.save(folder / f"in{number}.npy", values)
        return 0
    inputs = [np.load(folder / f"in{i}.npy") for i in range(len(shapes))]
    result, found = expected(*inputs), np.load(folder / sys.argv[4])
    if found.shape != result.shape or not np.array_equal(found, result):
        print(f"{name}: found shape {found.shape}\n{found}\nexpected\n{result}")
        return 1
    print(f"{name}: {result.size} results equal NumPy's")
    return 0


if __name__ == "__main__":
    sys.exit(main())
