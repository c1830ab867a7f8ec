#!/usr/bin/python3
# ===- run.py - Runs models from linalg on a simulated chip ---------------=== #
#
# Part of the Sequin project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------=== #
"""Runs programs of this folder with sequin-run and compares with NumPy.

Exit status: 0 if every result agrees, 1 if not or if sequin-run fails, 2 for
wrong usage.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import models
from models import Array, Model

BUILD_BIN = models.HERE.parents[1] / "build" / "bin"


def find_sequin_run() -> str:
    """The program in PATH, else the one in this tree's build directory."""
    found = shutil.which("sequin-run") or shutil.which("sequin-run", path=str(BUILD_BIN))
    if not found:
        sys.exit(f"error: sequin-run is neither in PATH nor in {BUILD_BIN}; build Sequin first")
    return found


def simulate(model: Model, inputs: list[Array], results: int, target: str
             ) -> tuple[list[Array], dict[str, Any]] | str:
    """Results and report, or what went wrong."""
    with tempfile.TemporaryDirectory(prefix="sequin-models-") as name:
        folder = Path(name)
        command = [find_sequin_run(), str(model.program), "--target", target]
        for index, array in enumerate(inputs):
            np.save(folder / f"in{index}.npy", array)
            command += ["--input", str(folder / f"in{index}.npy")]
        for index in range(results):
            command += ["--output", str(folder / f"out{index}.npy")]
        command += ["--report", str(folder / "report.json")]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace")
        if done.returncode != 0:
            said = done.stderr.strip() or "(nothing on stderr)"
            return f"sequin-run ended with exit status {done.returncode}:\n{said}"
        return ([np.load(folder / f"out{index}.npy") for index in range(results)],
                json.loads((folder / "report.json").read_text()))


def compare(model: Model, found: list[Array], expected: list[Array]) -> tuple[float, str]:
    """The largest error relative to max(|value|, 1), and what is wrong with it."""
    worst = 0.0
    for index, (left, right) in enumerate(zip(found, expected, strict=True)):
        if left.shape != right.shape:
            return np.inf, f"result {index} has shape {list(left.shape)}, not {list(right.shape)}"
        error = np.abs(left.astype(np.float64) - right) / np.maximum(np.abs(right), 1)
        if not np.all(np.isfinite(left)):
            return np.inf, f"result {index} is not finite"
        worst = max(worst, float(error.max()))
    if worst > model.tolerance:
        return worst, f"off by {worst:.3g}, {model.tolerance:.3g} is allowed"
    if model.classes and np.any(found[0].argmax(1) != expected[0].argmax(1)):
        return worst, "a prediction differs"
    return worst, ""


def main() -> int:
    names = [model.name for model in models.MODELS]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="*", metavar="MODEL",
                        help=f"of {', '.join(names)} (default: all)")
    parser.add_argument("--target", default="rngd", help="machine (default: rngd)")
    arguments = parser.parse_args()
    for name in arguments.models:
        if name not in names:
            parser.error(f"no model '{name}', there are {', '.join(names)}")

    good = True
    for model in models.MODELS:
        if arguments.models and model.name not in arguments.models:
            continue
        inputs = model.inputs()
        expected = model.expected(inputs)
        outcome = simulate(model, inputs, len(expected), arguments.target)
        if isinstance(outcome, str):
            print(f"{model.name:16} failed: {outcome}", flush=True)
            good = False
            continue
        error, wrong = compare(model, outcome[0], expected)
        report = outcome[1]
        print(f"{model.name:16} {'wrong: ' + wrong if wrong else 'equals NumPy'}, largest error "
              f"{error:.1e}, {report['cycles']:,} cycles = {report['seconds'] * 1e6:.1f} us",
              flush=True)
        if model.classes:
            labels = np.load(models.DIGITS / "y.npy")
            correct = int(np.sum(outcome[0][0].argmax(1) == labels))
            print(f"{'':16} accuracy {correct}/{len(labels)}")
        good &= not wrong
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
