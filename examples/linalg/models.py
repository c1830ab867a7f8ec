# ===- models.py - The models of this folder in NumPy ---------------------=== #
#
# Part of the Sequin project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------=== #
"""Inputs and expected results of every program here.

References compute in float64 where nothing is rounded to bf16. A result may be
off by `tolerance` x max(|value|, 1): f32 sums and elementary functions differ in
their last places from one machine to the next.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

HERE = Path(__file__).resolve().parent
DIGITS = HERE.parent / "digits" / "data"

#: Allowed for sums and elementary functions of f32.
F32 = 2e-5
#: Two units in the last place of bf16.
BF16 = 2.0**-7
#: Averages of weights that are rounded to bf16, of values of size 1 to 4.
WEIGHTS = 2.0**-8


def bf16(values: Array) -> Array:
    """Rounds to the nearest bf16, ties to even; the result is float32."""
    bits = np.ascontiguousarray(values, dtype=np.float32).view(np.uint32)
    half = np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))
    return ((bits + half) & np.uint32(0xFFFF0000)).view(np.float32)


def normal(seed: int, *shape: int, scale: float = 1.0) -> Array:
    """bf16 values in float32."""
    return bf16(scale * np.random.default_rng(seed).standard_normal(shape))


@dataclass
class Model:
    """`inputs` in the order of @main's arguments; `reference` takes them and gives
    the results in order. `classes`: the first result's largest entry per row is
    what counts, and must be the reference's."""

    name: str
    inputs: Callable[[], list[Array]]
    reference: Callable[..., list[Array]]
    tolerance: float
    classes: bool = False

    @property
    def program(self) -> Path:
        return HERE / f"{self.name}.mlir"

    def expected(self, inputs: list[Array]) -> list[Array]:
        return self.reference(*(a.astype(np.float64) if a.dtype.kind == "f" else a
                                for a in inputs))


def softmax(x: Array) -> Array:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def layer_norm(x: Array, gamma: Array, beta: Array) -> list[Array]:
    centred = x - x.mean(1, keepdims=True)
    variance = (centred**2).mean(1, keepdims=True)
    return [bf16(centred / np.sqrt(variance + 1e-5) * gamma + beta)]


def rms_norm(x: Array, gamma: Array) -> list[Array]:
    return [bf16(x / np.sqrt((x * x).mean(1, keepdims=True) + 1e-5) * gamma)]


def attention(q: Array, k: Array, v: Array) -> list[Array]:
    scores = np.einsum("hqd,hkd->hqk", q, k) * 0.125
    return [softmax(scores) @ v]


def attention_inputs() -> list[Array]:
    return [normal(1, 4, 64, 64), normal(2, 4, 128, 64), normal(3, 4, 128, 64)]


def routing(x: Array, router: Array, experts: Array) -> list[Array]:
    scores = x @ router
    ranked = np.sort(scores, 1)
    # Otherwise the choice would hang on the order of additions.
    assert np.all(np.diff(ranked[:, -3:]) > 1e-3)
    chosen = scores >= ranked[:, -2:-1]
    gates = softmax(np.where(chosen, scores, -np.inf))
    hidden = np.maximum(np.einsum("td,edo->eto", x, experts), 0)
    return [np.einsum("eto,te->to", hidden, gates), gates]


def convolution(x: Array, filters: Array) -> Array:
    """3x3 with a border of zeros; [n, c, h, w] by [f, c, 3, 3]."""
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (2, 3))
    return np.einsum("nchwij,fcij->nfhw", windows, filters, optimize=True)


def conv_features(x: Array, filters1: Array, filters2: Array) -> Array:
    """Images [n, 64] -> features [n, 256]; all sums are of integers, so exact."""
    hidden = bf16(np.maximum(convolution(x.reshape(-1, 1, 8, 8), filters1), 0))
    pooled = hidden.reshape(-1, 8, 4, 2, 4, 2).max((3, 5)).astype(np.float64)
    return bf16(np.maximum(convolution(pooled, filters2), 0)).reshape(-1, 256)


def conv_digits(x: Array, filters1: Array, filters2: Array, weights: Array, bias: Array
                ) -> list[Array]:
    return [conv_features(x, filters1, filters2).astype(np.float64) @ weights + bias]


def conv_digits_inputs() -> list[Array]:
    names = ("filters1", "filters2", "weights", "bias")
    return [np.load(DIGITS / "x.npy"), *(np.load(HERE / "data" / f"{n}.npy") for n in names)]


def indices(seed: int, limit: int, *shape: int) -> Array:
    return np.random.default_rng(seed).integers(0, limit, shape).astype(np.int32)


MODELS = [
    Model("softmax", lambda: [4 * normal(1, 64, 300)], lambda x: [softmax(x)], F32),
    Model("layer_norm", lambda: [bf16(normal(1, 48, 384) + 1), 1 + normal(2, 384, scale=0.1),
                                 normal(3, 384, scale=0.1)], layer_norm, BF16),
    Model("rms_norm", lambda: [normal(1, 32, 512), bf16(1 + normal(2, 512, scale=0.1))],
          rms_norm, BF16),
    Model("attention", attention_inputs, attention, WEIGHTS),
    Model("flash_attention", attention_inputs, attention, WEIGHTS),
    Model("embedding", lambda: [indices(1, 500, 3, 20), normal(2, 500, 96),
                                normal(3, 20, 96, scale=0.3)],
          lambda tokens, table, position: [table[tokens] + position], F32),
    Model("gather", lambda: [normal(1, 200, 48), indices(2, 200, 33, 1)],
          lambda table, index: [table[index]], 0.0),
    Model("routing", lambda: [normal(1, 40, 64), normal(2, 64, 8, scale=0.25),
                              normal(3, 8, 64, 48, scale=0.125)], routing, F32),
    Model("conv_digits", conv_digits_inputs, conv_digits, 1e-4, classes=True),
]
