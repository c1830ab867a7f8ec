# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes operands for einsum.test, and compares results with NumPy's.

einsums.py make DIR | check DIR CASE
"""

import sys

import numpy as np

CASES = {
    "gemm": ("mk,kn->mn", {"m": 64, "k": 96, "n": 32}, "f4", np.float32),
    "odd": ("mk,kn->mn", {"m": 101, "k": 37, "n": 19}, "f8", np.float32),
    "bytes": ("mk,kn->mn", {"m": 101, "k": 37, "n": 19}, "i1", np.int32),
    "one": ("mk,kn->mn", {"m": 1, "k": 1, "n": 1}, "i1", np.int32),
    "dot": ("k,k->", {"k": 77}, "f4", np.float32),
    "batch": ("bmk,bkn->nbm", {"b": 3, "m": 20, "k": 40, "n": 24}, "f4", np.float32),
}


def make(folder):
    rng = np.random.default_rng(11)
    for case, (expression, sizes, dtype, _) in CASES.items():
        for name, indices in zip("ab", expression.split("->")[0].split(",")):
            values = rng.integers(-4, 5, [sizes[index] for index in indices])
            values[values == 0] = 1
            np.save(f"{folder}/{case}.{name}.npy", values.astype(dtype))


def check(folder, case):
    expression, _, _, dtype = CASES[case]
    operands = [np.load(f"{folder}/{case}.{name}.npy").astype("f8") for name in "ab"]
    expected = np.einsum(expression, *operands)
    found = np.load(f"{folder}/{case}.npy")
    assert found.dtype == dtype, found.dtype
    assert found.shape == expected.shape, (found.shape, expected.shape)
    assert (found == expected).all()


if sys.argv[1] == "make":
    make(sys.argv[2])
else:
    check(*sys.argv[2:])
