# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays for the example kernels, and with `check` whether the results are NumPy's."""

import sys
from pathlib import Path

import numpy as np

folder = Path(sys.argv[1])
rng = np.random.default_rng(5)
x, y = (rng.integers(-1000, 1000, 2048).astype(np.int32) for _ in range(2))
m = rng.integers(-4, 4, (256, 128)).astype(np.float32)
v = rng.integers(-1, 2, 128).astype(np.float32)
t = rng.integers(-1000, 1000, (16, 2048)).astype(np.int32)
s = rng.integers(-1000, 1000, (4, 2048)).astype(np.int32)
q = rng.normal(size=(256, 64)).astype(np.float32)
w = rng.integers(-2, 3, (256, 128)).astype(np.float32)
u = rng.integers(-2, 3, (16, 256)).astype(np.float32)
if len(sys.argv) == 2:
    inputs = {"x": x, "y": y, "m": m, "v": v, "t": t, "s": s, "q": q, "w": w, "u": u}
    for name, array in inputs.items():
        np.save(folder / f"{name}.npy", array)
else:
    factors = np.tile(np.repeat([1, 10], 2), 4)[:, None]
    expected = {"a": 3 * x + 5, "b": x * y, "c": m @ v, "d": t * factors,
                "e": s, "g": u @ np.maximum(w @ v, 0)}
    for name, array in expected.items():
        result = np.load(folder / f"{name}.npy")
        if name == "e":
            # Sums over rotations of the chips: what chip c holds as C = c.
            result, array = result.sum(axis=0), 4 * s.sum(axis=0)
        assert np.array_equal(result, array), name
    powers = np.exp(q - q.max(axis=1, keepdims=True))
    shares = powers / powers.sum(axis=1, keepdims=True)
    assert np.allclose(np.load(folder / "f.npy"), shares, rtol=0, atol=1e-6)
