# ===- simulator.py - Runs generated programs and judges results -----------=== #
#
# Part of the Sequin project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------=== #
"""Runs the text of a program with sequin-run and compares results with NumPy.

A result equals the expected one if it lies between what the exact value less a
slack and the exact value plus it are rounded to. The slack is what f32 may lose:
none for integers, for floats that are small integers and for what is moved only.
"""

import json
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[Any]

BUILD_BIN = Path(__file__).resolve().parents[2] / "build" / "bin"

#: Of a value: what some steps of f32 with elementary functions in them may lose.
F32 = 1e-5


def simulate(program: str, inputs: list[Array], results: int, target: str = "rngd",
             options: tuple[str, ...] = ()) -> tuple[list[Array], dict[str, Any]] | str:
    """Results and report, or what went wrong."""
    tool = shutil.which("sequin-run") or shutil.which("sequin-run", path=str(BUILD_BIN))
    if not tool:
        return f"sequin-run is neither in PATH nor in {BUILD_BIN}; build Sequin first"
    with tempfile.TemporaryDirectory(prefix="sequin-model-") as name:
        folder = Path(name)
        (folder / "program.mlir").write_text(program, encoding="utf-8")
        command = [tool, str(folder / "program.mlir"), "--target", target,
                   "--report", str(folder / "report.json"), *options]
        for index, array in enumerate(inputs):
            np.save(folder / f"in{index}.npy", array)
            command += ["--input", str(folder / f"in{index}.npy")]
        outputs = [folder / f"out{index}.npy" for index in range(results)]
        for path in outputs:
            command += ["--output", str(path)]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace")
        if done.returncode != 0:
            said = done.stderr.strip() or "(nothing on stderr)"
            return f"sequin-run ended with exit status {done.returncode}:\n{said}"
        return ([np.load(path) for path in outputs],
                json.loads((folder / "report.json").read_text()))


def bf16(values: ArrayLike) -> Array:
    """Rounds to the nearest bf16, ties to even; the result is float64."""
    bits = np.ascontiguousarray(values, dtype=np.float32).view(np.uint32)
    half = np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))
    return ((bits + half) & np.uint32(0xFFFF0000)).view(np.float32).astype(np.float64)


def float32(values: ArrayLike) -> Array:
    return np.asarray(values, dtype=np.float32).astype(np.float64)


def contraction_slack(spec: str, *operands: Array) -> Array:
    """2^-24 of the sum of the products' sizes for every product and one step more."""
    sums = np.einsum(spec, *(np.abs(x) for x in operands), optimize=True)
    terms = np.einsum(spec, *(np.ones(x.shape) for x in operands), optimize=True)
    return 2.0**-24 * (terms + 1) * sums


def judge(name: str, found: Array, exact: ArrayLike, slack: ArrayLike = 0.0,
          rounding: Any = float32, other: str = "NumPy") -> bool:
    """Prints whether a result is right, and its shape."""
    exact = np.asarray(exact, dtype=np.float64)
    shape = list(found.shape)
    if found.shape != exact.shape:
        print(f"{name} {shape} wrong: expected shape {list(exact.shape)}")
        return False
    low, high = rounding(exact - slack), rounding(exact + slack)
    wrong = ~((low <= found) & (found <= high))
    if np.any(wrong):
        place = tuple(int(i) for i in np.argwhere(wrong)[0])
        print(f"{name} {shape} wrong: {int(wrong.sum())} of {wrong.size} differ; at {list(place)} "
              f"found {float(found[place])!r}, expected {float(exact[place])!r}")
        return False
    how = "exactly" if np.all(np.asarray(slack) == 0) else "within f32"
    print(f"{name} {shape} equals {other} {how}")
    return True
