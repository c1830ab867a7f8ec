#!/usr/bin/python3
# ===- check_block.py - Runs a residual block against NumPy ------------------=== #
#
# Part of the Sequin project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------=== #
"""Runs a block of make_block.py with sequin-run and compares it with NumPy, exactly.

The reference convolves and then normalises; the program gets weights and biases with
the normalisation folded in. Images and weights are small integers and the factors of
the normalisation powers of two, so no sum is rounded but to bf16.

Exit status: 0 if the result agrees, 1 if not or if sequin-run fails, 2 for wrong
usage.
"""

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from make_block import Block, add_options, block_of, write_block
from simulator import bf16, judge, simulate

Array = NDArray[Any]

EPSILON = 2.0**-12


@dataclass
class Layer:
    """A convolution and the batch normalisation behind it."""

    weights: Array
    mean: Array
    variance: Array
    gamma: Array
    beta: Array

    @staticmethod
    def make(random: np.random.Generator, *shape: int) -> "Layer":
        channels = shape[-1]
        numbers = lambda limit: random.integers(-limit, limit + 1, channels).astype(np.float64)
        # The variance's root is 1 or 2 once EPSILON is added.
        return Layer(random.integers(-1, 2, shape).astype(np.float64), numbers(4),
                     random.choice([1.0, 4.0], channels) - EPSILON,
                     random.choice([-1.0, 0.5, 1.0, 2.0], channels), numbers(3))

    def folded(self) -> tuple[Array, Array]:
        """Weights and bias of one convolution."""
        factor = self.gamma / np.sqrt(self.variance + EPSILON)
        return self.weights * factor, self.beta - self.mean * factor

    def apply(self, x: Array, stride: int) -> Array:
        size = self.weights.shape[0]
        border = [(0, 0), (size // 2, size // 2), (size // 2, size // 2), (0, 0)]
        windows = np.lib.stride_tricks.sliding_window_view(np.pad(x, border), (size, size), (1, 2))
        y = np.einsum("nhwcij,ijcf->nhwf", windows[:, ::stride, ::stride], self.weights)
        return (y - self.mean) / np.sqrt(self.variance + EPSILON) * self.gamma + self.beta


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_options(parser)
    parser.add_argument("--target", default="rngd", help="machine (default: rngd)")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    block: Block = block_of(arguments)
    random = np.random.default_rng(arguments.seed)
    x = random.integers(-3, 4, (block.N, block.H, block.W, block.C_in)).astype(np.float64)
    layers = [Layer.make(random, 3, 3, block.C_in, block.C_out),
              Layer.make(random, 3, 3, block.C_out, block.C_out)]
    if block.projects:
        layers.append(Layer.make(random, 1, 1, block.C_in, block.C_out))

    hidden = bf16(np.maximum(layers[0].apply(x, block.stride), 0))
    shortcut = layers[2].apply(x, block.stride) if block.projects else x
    exact = np.maximum(layers[1].apply(hidden, 1) + shortcut, 0)

    inputs = [x] + [array for layer in layers for array in layer.folded()]
    outcome = simulate(write_block(block), [array.astype(np.float32) for array in inputs], 1,
                       arguments.target)
    if isinstance(outcome, str):
        print(f"failed: {outcome}")
        return 1
    good = judge("y", outcome[0][0], exact, rounding=bf16)
    print(f"{outcome[1]['cycles']:,} cycles")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
