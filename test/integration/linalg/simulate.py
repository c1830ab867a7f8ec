# ===- simulate.py - Runs sequin-run and judges what came out -------------=== #
#
# Part of the Sequin project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------=== #
"""One run of sequin-run on NumPy arrays, and the comparison of its results."""

import re
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from elements import Array

BUILD_BIN = Path(__file__).resolve().parents[3] / "build" / "bin"
#: Seconds until a run counts as hanging.
TIME_LIMIT = 40


@dataclass
class Outcome:
    """`status` is pass, refused (exit 1), trap (exit 3), wrong (values differ from
    what is expected or, with --verify, from the reference interpreter's) or failed
    (crash, hang, no result); `reason` says more in one line."""

    status: str
    reason: str = ""
    command: list[str] = field(default_factory=list)
    stderr: str = ""
    results: list[Array] = field(default_factory=list)

    def show(self, name: str) -> None:
        """Prints all that is needed to look into a failure."""
        print(f"{self.status.upper()} {name}: {self.reason}")
        if self.command:
            print(f"  {shlex.join(self.command)}")
        for line in self.stderr.strip().splitlines()[:12]:
            print(f"  | {line}")
        sys.stdout.flush()


def find_sequin_run() -> str:
    """The program in PATH, else the one in this tree's build directory."""
    found = shutil.which("sequin-run") or shutil.which("sequin-run", path=str(BUILD_BIN))
    if not found:
        sys.exit(f"error: sequin-run is neither in PATH nor in {BUILD_BIN}; build Sequin first")
    return found


def first_error(stderr: str) -> str:
    for line in stderr.splitlines():
        match = re.search(r"\b(?:error|LLVM ERROR): (.*)", line)
        if match:
            return match[1].strip()
    return ""


def run(program: list[str], inputs: list[Array], results: int, folder: Path,
        extra: list[str] | None = None, target: str = "rngd") -> Outcome:
    """Runs `sequin-run PROGRAM... --input ... --output ...` in `folder`.

    `program` is the path of a program or the options of an einsum. The inputs
    stay in the folder, so that the printed command can be repeated.
    """
    command = [find_sequin_run(), *program, "--target", target]
    for index, array in enumerate(inputs):
        path = folder / f"in{index}.npy"
        np.save(path, array)
        command += ["--input", str(path)]
    outputs = [folder / f"out{index}.npy" for index in range(results)]
    for path in outputs:
        path.unlink(missing_ok=True)
        command += ["--output", str(path)]
    command += extra or []
    outcome = Outcome("pass", command=command)
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace",
                              timeout=TIME_LIMIT)
    except subprocess.TimeoutExpired:
        outcome.status, outcome.reason = "failed", f"ran for more than {TIME_LIMIT} s"
        return outcome
    outcome.stderr = done.stderr
    error = first_error(done.stderr)
    if done.returncode == 1 and error.startswith("verification failed"):
        outcome.status, outcome.reason = "wrong", error
    elif done.returncode == 1 and error:
        outcome.status, outcome.reason = "refused", error
    elif done.returncode == 3:
        outcome.status, outcome.reason = "trap", error or "(nothing on stderr)"
    elif done.returncode != 0:
        outcome.status = "failed"
        outcome.reason = f"exit status {done.returncode}{': ' + error if error else ''}"
    else:
        try:
            outcome.results = [np.load(path) for path in outputs]
        except (OSError, ValueError) as problem:
            outcome.status, outcome.reason = "failed", f"no usable result: {problem}"
    return outcome


def difference(found: Array, expected: Array, tolerance: float = 0.0) -> str:
    """Empty if `found` has the shape of `expected` and values within `tolerance`
    x max(|expected value|, 1); else one line on the first difference. With
    tolerance 0 the values are equal (both zeros are one value, as are all NaN)."""
    if found.shape != expected.shape:
        return f"shape {list(found.shape)}, expected {list(expected.shape)}"
    left, right = np.asarray(found, np.float64), np.asarray(expected, np.float64)
    equal = (left == right) | (np.isnan(left) & np.isnan(right))
    if tolerance:
        with np.errstate(invalid="ignore"):
            equal |= np.abs(left - right) <= tolerance * np.maximum(np.abs(right), 1)
    if equal.all():
        return ""
    where = tuple(int(i) for i in np.argwhere(~equal)[0])
    return (f"{int((~equal).sum())} of {equal.size} values differ, first at {list(where)}: "
            f"{left[where]:.9g}, expected {right[where]:.9g}")


def judge(outcome: Outcome, expected: list[Array], tolerance: float = 0.0) -> Outcome:
    """Turns a pass with other values than expected into `wrong`."""
    if outcome.status == "pass":
        for index, (found, wanted) in enumerate(zip(outcome.results, expected, strict=True)):
            text = difference(found, wanted, tolerance)
            if text:
                outcome.status = "wrong"
                outcome.reason = f"result {index}: {text}"
                break
    return outcome


def shape_of(message: str) -> str:
    """A message without what differs from case to case: names and numbers."""
    # Quoted words with a dot are names of operations.
    message = re.sub(r"'([^']*)'", lambda m: m[0] if re.fullmatch(r"\w+\.\w+", m[1]) else "'...'",
                     message)
    message = re.sub(r"\"[^\"]*\"", "'...'", message)
    message = re.sub(r"\btensor<[^>]*>", "tensor<...>", message)
    message = re.sub(r"\baffine_map<\([^)]*\) -> \([^)]*\)>", "affine_map<...>", message)
    message = re.sub(r"(?:\b\w+ = \d+, )*\b\w+ = \d+", "sizes", message)
    # The digits of a type's name stay.
    return re.sub(r"(?<![A-Za-z0-9_])\d+", "N", message)


def summary(outcomes: list[Outcome]) -> str:
    """Counts by status, and the kinds of messages behind what did not pass."""
    counts = Counter(outcome.status for outcome in outcomes)
    lines = [f"{len(outcomes)} run: " + ", ".join(
        f"{counts[status]} {status}"
        for status in ("pass", "refused", "trap", "wrong", "failed"))]
    kinds = Counter((o.status, "values" if o.status == "wrong" else shape_of(o.reason))
                    for o in outcomes if o.status != "pass")
    lines += [f"  {count:>4} {status}: {kind}" for (status, kind), count in kinds.most_common()]
    return "\n".join(lines)
