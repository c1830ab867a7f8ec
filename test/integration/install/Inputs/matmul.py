# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""matmul.py PREFIX: a matrix product with the installed package and program."""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import sequin

prefix = Path(sys.argv[1]).resolve()
assert Path(sequin.__file__).resolve().is_relative_to(prefix), sequin.__file__
random = np.random.default_rng(1)
a = random.integers(-8, 8, (64, 128)).astype(np.float32)
b = random.integers(-8, 8, (128, 32)).astype(np.float32)
wanted = a @ b  # sums below 2^24, exact in f32

found = sequin.einsum("mk,kn->mn", a, b, dtype="bf16", target="rngd")
np.testing.assert_array_equal(found, wanted)

with tempfile.TemporaryDirectory() as folder:
    for name, array in (("a", a), ("b", b)):
        np.save(f"{folder}/{name}.npy", array)
    subprocess.run(
        [prefix / "bin/sequin-run", "--einsum", "mk,kn->mn", "--size", "m=64,k=128,n=32", "--dtype", "bf16",
         "--target", "rngd", "--input", f"{folder}/a.npy", "--input", f"{folder}/b.npy",
         "--output", f"{folder}/c.npy", "--verify"], check=True)
    np.testing.assert_array_equal(np.load(f"{folder}/c.npy"), wanted)
print("same from Python and from sequin-run")
