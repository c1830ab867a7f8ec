# ===- scalars.py - Scalar functions made of several steps ----------------=== #
#
# Part of the Sequin project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------=== #
"""Runs scalar functions that normalisation makes of steps of the vector engine, over
numbers of either sign, zeros, infinities and NaN, and compares with NumPy in float64 and
with the reference interpreter. Prints a line per case; exit status 1 if one differs.
"""

import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import simulate
from elements import Array

STATE = np.random.default_rng(19)
INF, NAN = np.inf, np.nan
FLOATS = np.concatenate([
    [0.0, -0.0, 1.0, -1.0, INF, -INF, NAN, 2.0, -2.0, 0.5, -0.5],
    STATE.uniform(-4, 4, 53)]).astype(np.float32)
WIDE = (STATE.choice([-1.0, 1.0], 64) * 10.0**STATE.uniform(-6, 18, 64)).astype(np.float32)
BASES = np.concatenate([[0.0, -0.0, 1.0, -1.0, -2.0, 2.0], STATE.uniform(-1.5, 1.5, 58)])
BASES = BASES.astype(np.float32)


@dataclass
class Case:
    """`body` computes %r from %x and, with a second input, %y."""

    name: str
    inputs: list[Array]
    body: str
    reference: Callable[..., Any]
    #: Relative: what the steps round, each by half a unit in the last place.
    tolerance: float = 2e-6
    result: str = "f32"


def power(x: Array, y: Array) -> Array:
    return np.power(x.astype(np.float64), y.astype(np.float64))


def constant_power(exponent: int) -> Case:
    return Case(f"powf {exponent}", [BASES],
                f"%k = arith.constant {float(exponent)} : f32\n    %r = math.powf %x, %k : f32",
                lambda x: np.power(x.astype(np.float64), exponent), 2e-5)


EXPONENTS = STATE.integers(-6, 7, 64).astype(np.int32)
EXPONENTS[:4] = [0, 0, 3, -3]
REALS = np.where(STATE.random(64) < 0.5, EXPONENTS, STATE.uniform(-3, 3, 64)).astype(np.float32)
REALS[4:8] = [INF, -INF, 0.0, -0.0]
SMALL = np.concatenate([[0.0, -0.0, 1.0, -1.0], STATE.uniform(-1, 1, 30),
                        STATE.choice([-1.0, 1.0], 30) * 10.0**STATE.uniform(-8, -1, 30)])
SMALL = SMALL.astype(np.float32)
UNSIGNED = np.concatenate([[0, 0.75, 1, 2**31 - 128, 2**31, 2**31 + 256, 2**32 - 256, 3e9],
                           STATE.uniform(0, 2**32 - 256, 56)]).astype(np.float32)

CASES = [
    # Max and Min of the machine return the operand that is not NaN.
    Case("clampf", [FLOATS[~np.isnan(FLOATS)]],
         "%low = arith.constant -1.5 : f32\n    %high = arith.constant 0.75 : f32\n"
         "    %r = math.clampf %x to [%low, %high] : f32",
         lambda x: np.minimum(np.maximum(x, np.float32(-1.5)), np.float32(0.75)), 0.0),
    constant_power(17),
    constant_power(20),
    constant_power(-17),
    constant_power(-18),
    Case("fpowi", [BASES, EXPONENTS], "%r = math.fpowi %x, %y : f32, i32", power, 1e-5),
    Case("powf", [BASES, REALS], "%r = math.powf %x, %y : f32", power, 1e-5),
    Case("powf of a positive base", [REALS],
         "%k = arith.constant 1.5 : f32\n    %r = math.powf %k, %x : f32",
         lambda x: np.power(1.5, x.astype(np.float64)), 1e-5),
    Case("fptoui i32", [UNSIGNED], "%r = arith.fptoui %x : f32 to i32",
         lambda x: x.astype(np.uint32).astype(np.int32), 0.0, "i32"),
    Case("asinh", [FLOATS], "%r = math.asinh %x : f32",
         lambda x: np.arcsinh(x.astype(np.float64))),
    Case("asinh of wide", [WIDE], "%r = math.asinh %x : f32",
         lambda x: np.arcsinh(x.astype(np.float64))),
    Case("sinh", [FLOATS], "%r = math.sinh %x : f32", lambda x: np.sinh(x.astype(np.float64))),
    Case("sinh of small", [SMALL], "%r = math.sinh %x : f32",
         lambda x: np.sinh(x.astype(np.float64))),
    Case("atanh", [SMALL], "%r = math.atanh %x : f32",
         lambda x: np.arctanh(x.astype(np.float64))),
]


def program(case: Case) -> str:
    size = case.inputs[0].size
    types = [f"tensor<{size}x{'i32' if a.dtype == np.int32 else 'f32'}>" for a in case.inputs]
    result = f"tensor<{size}x{case.result}>"
    names = ["%a", "%b"][:len(types)]
    arguments = ", ".join(f"{n}: {t}" for n, t in zip(names, types, strict=True))
    elements = ", ".join(f"{n}: {t.split('x')[1][:-1]}"
                         for n, t in zip(["%x", "%y"], types, strict=False))
    maps = ", ".join(["affine_map<(i) -> (i)>"] * (len(types) + 1))
    return f"""func.func @main({arguments}) -> {result} {{
  %empty = tensor.empty() : {result}
  %0 = linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel"]}}
      ins({", ".join(names)} : {", ".join(types)}) outs(%empty : {result}) {{
  ^bb0({elements}, %out: {case.result}):
    {case.body}
    linalg.yield %r : {case.result}
  }} -> {result}
  return %0 : {result}
}}
"""


def check(case: Case, folder: Path) -> bool:
    path = folder / "program.mlir"
    path.write_text(program(case))
    outcome = simulate.run([str(path)], case.inputs, 1, folder, ["--verify"])
    reason = f"{outcome.status}: {outcome.reason}"
    if outcome.status == "pass":
        with np.errstate(all="ignore"):
            wanted = np.asarray(case.reference(*case.inputs), np.float64)
            if case.result == "f32":
                wanted = wanted.astype(np.float32)
                # The machine has no subnormal numbers.
                wanted[np.abs(wanted) < np.finfo(np.float32).tiny] *= np.float32(0)
                wanted = wanted.astype(np.float64)
        found = outcome.results[0].astype(np.float64)
        with np.errstate(invalid="ignore"):
            equal = (found == wanted) | (np.isnan(found) & np.isnan(wanted))
            equal |= np.abs(found - wanted) <= case.tolerance * np.abs(wanted)
        zeros = (wanted == 0) & (case.result == "f32")
        equal &= ~zeros | (np.signbit(found) == np.signbit(wanted))
        if equal.all():
            print(f"{case.name} equals NumPy")
            return True
        at = int(np.argmin(equal))
        reason = f"of {[a[at] for a in case.inputs]} {found[at]!r}, NumPy {wanted[at]!r}"
    print(f"{case.name}: {reason}")
    return False


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        return 0 if all([check(case, Path(folder)) for case in CASES]) else 1


if __name__ == "__main__":
    sys.exit(main())
