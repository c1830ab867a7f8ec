#!/usr/bin/python3
# ===- check_kernel.py - Runs decode kernels against NumPy ------------------=== #
#
# Part of the Sequin project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------=== #
"""Runs kernels of make_kernel.py with sequin-run and compares the results.

Activations are small integers and scales powers of two, so sums are exact in f32
and results are those of NumPy, rounded once. Only SiLU may be off by what f32 loses;
what comes behind it is computed from the hidden activations that were found.

Exit status: 0 if every result agrees, 1 if not or if sequin-run fails, 2 for
wrong usage.
"""

import argparse
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from make_kernel import Kernel, add_options, kernel_of, make
from simulator import F32, Array, bf16, contraction_slack, judge, simulate

#: The values of f4E2M1FN by code.
E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6])


def f8(values: ArrayLike) -> Array:
    """Rounds to the nearest f8E4M3FN, ties to even; what is too large becomes the
    largest."""
    largest, least, bits = 448.0, -6, 3
    values = np.asarray(values, dtype=np.float64)
    _, exponent = np.frexp(values)
    step = np.exp2(np.maximum(exponent - 1, least) - bits)
    return np.clip(np.rint(values / step) * step, -largest, largest)


def make_inputs(kernel: Kernel, random: np.random.Generator) -> list[Array]:
    arrays: list[Array] = []
    for value in kernel.arguments():
        if value.element == "f4E2M1FN":
            arrays.append(random.integers(0, len(E2M1), value.shape).astype(np.uint8))
        elif value.name.endswith("_scale"):
            arrays.append(np.exp2(random.integers(-9, -5, value.shape)).astype(np.float32))
        else:
            arrays.append(random.integers(-2, 3, value.shape).astype(np.float32))
    return arrays


def weights_of(codes: Array, scales: Array) -> Array:
    rows, groups, size = codes.shape
    return (E2M1[codes] * scales[:, :, None]).reshape(rows, groups * size)


def check_ffn(kernel: Kernel, inputs: list[Array], found: list[Array]) -> bool:
    x, *pairs = inputs
    gate, up, down = (weights_of(*pairs[i:i + 2]) for i in range(0, len(pairs), 2))
    rounding = bf16 if kernel.activations == "bf16" else f8
    x = x.astype(np.float64)
    gate_sum, up_sum = x @ gate.T, x @ up.T
    hidden = gate_sum / (1 + np.exp(-gate_sum)) * up_sum
    good = judge("hidden", found[0], hidden, F32 * np.abs(hidden), rounding)
    h = found[0].astype(np.float64)
    return good & judge("result", found[1], h @ down.T, contraction_slack("mk,nk->mn", h, down),
                        bf16)


def check_projections(kernel: Kernel, inputs: list[Array], found: list[Array]) -> bool:
    x, *weights = (a.astype(np.float64) for a in inputs)
    good = True
    for (name, _), w, result in zip(kernel.parts(), weights, found):
        good &= judge(name, result, x @ w.T, rounding=bf16)
    return good


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(parser)
    parser.set_defaults(hidden=256, queries=512, keys=128, intermediate=1024)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--verify", action="store_true",
                        help="compare with the reference interpreters too")
    options = parser.parse_args()
    kernel = replace(kernel_of(options), steps=True)
    inputs = make_inputs(kernel, np.random.default_rng(options.seed))
    count = 2 if kernel.name == "ffn" else len(kernel.parts())
    run = simulate(make(kernel), inputs, count, options=("--verify",) if options.verify else ())
    if isinstance(run, str):
        print(run, file=sys.stderr)
        return 1
    found, report = run
    check = check_ffn if kernel.name == "ffn" else check_projections
    good = check(kernel, inputs, found)
    print(f"cycles {report['cycles']}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
