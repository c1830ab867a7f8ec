# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cumsum.py PROGRAM KERNEL DIR N ...: runs the kernel of cumulative sums with N rows, with
--verify, and compares with NumPy; exit status 1 on a difference."""

import pathlib
import subprocess
import sys

import numpy as np


def branch(i: int, n: int) -> int:
    """The manual's: of row i of n."""
    if i == 0:
        return 0
    return 1 if i < n - 1 else 2


def main() -> int:
    program, kernel, folder = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    folder.mkdir(exist_ok=True)
    good = True
    for n in map(int, sys.argv[4:]):
        text = kernel.read_text()
        assert "<N = 5, A = 2048>" in text, "the kernel has 5 rows of 2048"
        (folder / "cumsum.mlir").write_text(text.replace("<N = 5,", f"<N = {n},"))
        x = np.random.default_rng(n).integers(-10**6, 10**6, (n, 2048)).astype(np.int32)
        branches = [branch(i, n) for i in range(n)]
        np.save(folder / "x.npy", x)
        np.save(folder / "branches.npy", np.array(branches + [0] * (16 - n), np.int8))
        subprocess.run([program, str(folder / "cumsum.mlir"), "--input", str(folder / "x.npy"),
                        "--input", str(folder / "branches.npy"),
                        "--output", str(folder / "sums.npy"), "--verify"],
                       check=True, stdout=subprocess.DEVNULL)
        same = np.array_equal(np.load(folder / "sums.npy"), np.cumsum(x, 0))
        print(f"N = {n}, branches {', '.join(map(str, branches))}: "
              f"{'equals' if same else 'differs from'} NumPy")
        good &= same
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
