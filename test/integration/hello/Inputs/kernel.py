# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes integer-valued inputs of a hello kernel, or checks its output against NumPy.

kernel.py make KERNEL DIR     writes DIR/in0.npy, DIR/in1.npy
kernel.py check KERNEL DIR    compares DIR/out.npy; exit 1 on any difference
"""

import pathlib
import sys

import numpy as np


def wrap(values: np.ndarray) -> np.ndarray:
    """The low 32 bits of int64 values, as int32."""
    return values.astype(np.uint64).astype(np.uint32).view(np.int32)


def small(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Integers whose sums of products are exact in f32, as float32."""
    return rng.integers(-3, 4, shape).astype(np.float32)


def words(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Any int32, so that results wrap."""
    return rng.integers(-2**31, 2**31, shape).astype(np.int32)


# Kernel -> (inputs, expected result). Results of contractions are rounded to bf16 by
# the kernels; the values below stay exact in it or are compared after rounding.
KERNELS = {
    "constant_add": (
        lambda r: [words(r, (2048,))],
        lambda a: wrap(a.astype(np.int64) + 1),
    ),
    "elementwise_multiply": (
        lambda r: [words(r, (2048,)), words(r, (2048,))],
        lambda a, b: wrap((a.astype(np.int64).astype(object) * b.astype(object)) % 2**32),
    ),
    "dot_product": (
        lambda r: [small(r, (2048,)), small(r, (2048,))],
        lambda a, b: np.array([a.astype(np.float64) @ b.astype(np.float64)]),
    ),
    "gemv": (
        lambda r: [small(r, (256, 2048)), small(r, (2048,))],
        lambda a, b: a.astype(np.float64) @ b.astype(np.float64),
    ),
    "gemm": (
        lambda r: [small(r, (512, 1024)), small(r, (512, 1024))],
        lambda a, b: a.astype(np.float64) @ b.astype(np.float64).T,
    ),
}


def to_bf16(values: np.ndarray) -> np.ndarray:
    """Rounds to the nearest bf16, ties to even, as float32."""
    bits = values.astype(np.float32).view(np.uint32)
    bits = bits + 0x7FFF + ((bits >> 16) & 1)
    return (bits & 0xFFFF0000).astype(np.uint32).view(np.float32)


def main() -> int:
    """Runs the command in sys.argv; returns the exit code."""
    command, kernel, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    make, expect = KERNELS[kernel]
    if command == "make":
        folder.mkdir(parents=True, exist_ok=True)
        for index, array in enumerate(make(np.random.default_rng(7))):
            np.save(folder / f"in{index}.npy", array)
        return 0
    inputs = [np.load(path) for path in sorted(folder.glob("in*.npy"))]
    found, expected = np.load(folder / "out.npy"), expect(*inputs)
    if expected.dtype != np.int32:
        expected = to_bf16(expected)
    if found.shape != expected.shape or not np.array_equal(found, expected):
        where = np.argwhere(found != expected)[:3].tolist() if found.shape == expected.shape else ""
        print(f"{kernel}: {found.dtype}{found.shape} differs from NumPy at {where}")
        return 1
    print(f"{kernel}: {found.size} results equal NumPy's")
    return 0


if __name__ == "__main__":
    sys.exit(main())
