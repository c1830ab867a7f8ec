# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products whose intermediates need more than the engine's operands have.

rounding.py make DIR           writes the operands
rounding.py check DIR KIND     compares DIR/exact.npy and DIR/narrow.npy with NumPy's
"""

import json
import sys
from pathlib import Path

import numpy as np


def bf16(values: np.ndarray) -> np.ndarray:
    """float32 rounded to the nearest bf16, ties to even."""
    bits = np.asarray(values, np.float32).view(np.uint32).astype(np.uint64)
    rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16 << 16
    return rounded.astype(np.uint32).view(np.float32)


def main() -> int:
    action, folder = sys.argv[1], Path(sys.argv[2])
    if action == "make":
        folder.mkdir(parents=True, exist_ok=True)
        random = np.random.default_rng(5)
        for name, shape in (("a", (8, 64)), ("b", (64, 64)), ("c", (64, 16))):
            values = random.integers(-100, 100, shape)
            np.save(folder / f"i8-{name}.npy", values.astype(np.int8))
            np.save(folder / f"bf16-{name}.npy", (values // 8).astype(np.float32))
            np.save(folder / f"f32-{name}.npy",
                    (values * 2.0**-7 + values * 2.0**-19).astype(np.float32))
        return 0
    kind = sys.argv[3]
    a, b, c = (np.load(folder / f"{kind}-{name}.npy").astype(np.float64) for name in "abc")
    exact, narrow = (np.load(folder / f"{kind}-{how}.npy") for how in ("exact", "narrow"))
    if kind == "f32":
        whole, rounded = a @ b, bf16(a).astype(np.float64) @ bf16(b)
        close = 64 * 2.0**-22
        right = [np.allclose(exact, whole, rtol=0, atol=close),
                 np.allclose(narrow, rounded, rtol=0, atol=close),
                 not np.allclose(narrow, whole, rtol=0, atol=close)]
    else:
        whole = a @ b @ c
        # The first product of the cheapest order is a's and b's.
        first = np.clip(a @ b, -128, 127) if kind == "i8" else bf16(a @ b)
        rounded = first.astype(np.float64) @ c
        right = [np.array_equal(exact, whole), np.array_equal(narrow, rounded),
                 not np.array_equal(narrow, whole)]
    added = [json.loads((folder / f"{kind}-{how}.json").read_text())["digit_products"]
             for how in ("exact", "narrow")]
    print(f"{kind}: exact {right[0]}, rounded {right[1]}, differ {right[2]}, added {added}")
    return 0 if all(right) else 1


if __name__ == "__main__":
    sys.exit(main())
