# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""wafer_halves.py FOLDER KIND ENTRY: the exact sums, rounded once to f16 or bf16."""
import sys

import numpy as np

folder, kind, entry = sys.argv[1:]
a, b, z, found = (np.load(f"{folder}/{name}.npy") for name in "abzo")
exact = a @ b + z if entry == "product" else a.sum(axis=1)
if kind == "f16":
    expected = exact.astype(np.float16).astype(np.float32)
else:
    bits = exact.astype(np.float32).view(np.uint32)
    bits = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000
    expected = bits.view(np.float32)
assert (found == expected).all(), (found, expected)
