#!/usr/bin/python3
# ===- check_layer.py - Runs a Llama-3 layer against NumPy ----------------=== #
#
# Part of the Sequin project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------=== #
"""Runs a reduced layer with sequin-run and compares it with NumPy.

The reference computes in float64 and rounds to bf16 where the program does. A
rounding may fall the other way where the sums differ in their last places, so
each result may be off by TOLERANCE x max(|value|, 1), at least one unit in the
last place of bf16. The part of the caches that is not written must come back unchanged.

Exit status: 0 if every result agrees, 1 if not or if sequin-run fails, 2 for
wrong usage.
"""

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from make_layer import EPSILON, Layer, add_options, layer_of, write_layer
from simulator import bf16, simulate

Array = NDArray[Any]

#: Relative to max(|value|, 1): one to two units in the last place of bf16.
TOLERANCE = 2.0**-7


#===----------------------------------------------------------------------===#
# The layer in NumPy
#===----------------------------------------------------------------------===#

def rms_norm(x: Array, gamma: Array) -> Array:
    return bf16(x / np.sqrt((x * x).mean(1, keepdims=True) + EPSILON) * gamma)


def rotate(x: Array, cos: Array, sin: Array) -> Array:
    left, right = np.split(x, 2, axis=-1)
    return bf16(x * cos + np.concatenate([-right, left], -1) * sin)


def softmax(x: Array) -> Array:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def reference(layer: Layer, a: dict[str, Array]) -> list[Array]:
    """The results of the layer, from its arguments by name."""
    tokens, new = layer.tokens, slice(layer.position, layer.keys)
    heads = lambda x, n: x.reshape(tokens, n, layer.head).transpose(1, 0, 2)
    x = a["input"]
    normal = rms_norm(x, a["norm_attention"])
    query = rotate(heads(normal @ a["w_q"].T, layer.heads), a["cos"], a["sin"])
    keys, values = a["key_cache"].copy(), a["value_cache"].copy()
    keys[:, new] = rotate(heads(normal @ a["w_k"].T, layer.kv_heads), a["cos"], a["sin"])
    values[:, new] = bf16(heads(normal @ a["w_v"].T, layer.kv_heads))

    query = query.reshape(layer.kv_heads, layer.group, tokens, layer.head)
    scores = np.einsum("hgtd,hkd->hgtk", query, keys[:, :layer.keys]) / np.sqrt(layer.head)
    weights = bf16(softmax(scores + a["mask"]))
    mixed = bf16(np.einsum("hgtk,hkd->thgd", weights, values[:, :layer.keys]))
    x = bf16(mixed.reshape(tokens, -1) @ a["w_o"].T + x)

    normal = rms_norm(x, a["norm_ffn"])
    gate, up = normal @ a["w_gate"].T, normal @ a["w_up"].T
    hidden = bf16(gate / (1 + np.exp(-gate)) * up)
    return [bf16(hidden @ a["w_down"].T + x), keys, values]


def make_inputs(layer: Layer, seed: int) -> dict[str, Array]:
    """Weights of size 1/sqrt(inputs), so that activations keep the size of `input`."""
    random = np.random.default_rng(seed)
    inputs = {}
    for name, shape, _ in layer.arguments():
        if name.startswith("w_"):
            values = random.standard_normal(shape) / np.sqrt(shape[1])
        elif name.startswith("norm"):
            values = 1 + 0.1 * random.standard_normal(shape)
        elif name in ("cos", "sin"):
            # The base of Llama 3; both halves of a head turn by the same angles.
            frequency = 500000.0 ** -(np.arange(layer.head // 2) * 2 / layer.head)
            angle = np.outer(np.arange(layer.position, layer.keys), np.tile(frequency, 2))
            values = np.cos(angle) if name == "cos" else np.sin(angle)
        elif name == "mask":
            last = np.arange(layer.position, layer.keys)[:, None]
            inputs[name] = np.where(np.arange(layer.keys) <= last, 0.0, -1e9)
            continue
        else:
            values = random.standard_normal(shape)
        inputs[name] = bf16(values)
    return inputs


def compare(layer: Layer, inputs: dict[str, Array], found: list[Array]) -> bool:
    good = True
    expected = reference(layer, inputs)
    for name, left, right in zip(("output", "key_cache", "value_cache"), found, expected,
                                 strict=True):
        if left.shape != right.shape or not np.all(np.isfinite(left)):
            print(f"{name:12} wrong: shape {left.shape}, expected {right.shape}, or not finite")
            good = False
            continue
        error = float((np.abs(left - right) / np.maximum(np.abs(right), 1)).max())
        wrong = "" if error <= TOLERANCE else f"wrong: {TOLERANCE:.2g} is allowed; "
        if name in inputs:
            old = np.delete(np.arange(layer.cache), np.s_[layer.position:layer.keys])
            if not np.array_equal(left[:, old], inputs[name][:, old]):
                wrong += "old entries changed; "
        print(f"{name:12} {wrong or 'equals NumPy, '}largest error {error:.1e}")
        good &= not wrong
    return good


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_options(parser)
    parser.add_argument("--target", default="rngd", help="machine (default: rngd)")
    parser.add_argument("--chips", type=int, default=1, help="on which it runs (default: 1)")
    parser.add_argument("--seed", type=int, default=1)
    parser.set_defaults(reduced=True)
    arguments = parser.parse_args()
    layer = layer_of(arguments)
    inputs = make_inputs(layer, arguments.seed)
    outcome = simulate(write_layer(layer), [array.astype(np.float32) for array in inputs.values()],
                       3, arguments.target, ("--chips", str(arguments.chips)))
    if isinstance(outcome, str):
        print(f"failed: {outcome}")
        return 1
    good = compare(layer, inputs, outcome[0])
    report = outcome[1]
    print(f"{report['cycles']:,} cycles = {report['seconds'] * 1e6:.1f} us")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
