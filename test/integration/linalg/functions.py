# ===- functions.py - What the programs of functions/ must compute --------=== #
#
# Part of the Sequin project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------=== #
"""A NumPy reference, inputs and a tolerance for every program of functions/.

A reference works on arrays in the carrier types of elements.py, mostly in
float64, and returns the result or a tuple of results. Tolerance 0 is for data on
which every order of additions gives the same result (small integers); otherwise
a value may be off by tolerance x max(|value|, 1).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import elements
from elements import Array, TensorType, round_bf16, round_to

FOLDER = Path(__file__).resolve().parent / "functions"

Draw = Callable[[np.random.Generator, tuple[int, ...]], Array]

#: Allowed for sums and elementary functions of f32.
F32 = 2e-5
#: Two units in the last place of bf16.
BF16 = 2.0**-7


@dataclass
class Case:
    """One program: `data` replaces how single arguments are drawn."""

    name: str
    reference: Callable[..., Any]
    tolerance: float = 0.0
    data: dict[int, Draw] = field(default_factory=dict)

    @property
    def path(self) -> Path:
        return FOLDER / f"{self.name}.mlir"

    @property
    def summary(self) -> str:
        """The first sentence of the program's comment, up to its style."""
        return self.path.read_text().splitlines()[0].removeprefix("// ").split(", in the style")[0]

    def inputs(self, arguments: list[TensorType], seed: int) -> list[Array]:
        random_state = np.random.default_rng([seed, sum(map(ord, self.name))])
        arrays = []
        for index, kind in enumerate(arguments):
            draw = self.data.get(index) or self.default_draw(kind.element)
            arrays.append(round_to(draw(random_state, kind.shape), kind.element))
        return arrays

    def default_draw(self, element: str) -> Draw:
        if element == "i1":
            return lambda r, shape: r.integers(0, 2, shape)
        if element.startswith("i") or not self.tolerance:
            return whole(4)
        return lambda r, shape: r.standard_normal(shape)

    def expected(self, inputs: list[Array], results: list[TensorType]) -> list[Array]:
        with np.errstate(over="ignore"):
            values = self.reference(*(wide(array) for array in inputs))
        values = values if isinstance(values, tuple) else (values,)
        return [np.asarray(value).astype(elements.CARRIER[kind.element])
                for value, kind in zip(values, results, strict=True)]


def wide(array: Array) -> Array:
    if array.dtype == np.bool_:
        return array
    return array.astype(np.float64 if array.dtype.kind == "f" else np.int64)


def whole(magnitude: int) -> Draw:
    """Integers of at most this magnitude."""
    return lambda r, shape: r.integers(-magnitude, magnitude + 1, shape)


def below(limit: int) -> Draw:
    """Indices."""
    return lambda r, shape: r.integers(0, limit, shape)


def positive(r: np.random.Generator, shape: tuple[int, ...]) -> Array:
    return r.uniform(0.25, 2, shape)


def constant(value: float) -> Draw:
    return lambda r, shape: np.full(shape, value)


# Building blocks.


def bf16(values: Array) -> Array:
    return round_bf16(values.astype(np.float32)).astype(np.float64)


def relu(x: Array) -> Array:
    return np.maximum(x, 0)


def sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def erf(x: Array) -> Array:
    return np.vectorize(math.erf)(x)


def softmax(x: Array) -> Array:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def windows(x: Array, size: int, stride: int, dilation: int = 1) -> Array:
    """[..., H, W] -> [..., OH, OW, size, size]."""
    reach = (size - 1) * dilation + 1
    view = np.lib.stride_tricks.sliding_window_view(x, (reach, reach), axis=(-2, -1))
    return view[..., ::stride, ::stride, ::dilation, ::dilation]


def pad(x: Array, axes: tuple[int, ...], value: float = 0.0) -> Array:
    """One element at both ends of the axes."""
    widths = [(1, 1) if axis in axes else (0, 0) for axis in range(x.ndim)]
    return np.pad(x, widths, constant_values=value)


def conv(x: Array, w: Array, stride: int = 1, dilation: int = 1) -> Array:
    """NCHW by FCHW."""
    return np.einsum("nchwij,fcij->nfhw", windows(x, w.shape[-1], stride, dilation), w,
                     optimize=True)


def conv_nhwc(x: Array, w: Array, stride: int = 1) -> Array:
    """NHWC by HWCF."""
    return conv(x.transpose(0, 3, 1, 2), w.transpose(3, 2, 0, 1), stride).transpose(0, 2, 3, 1)


# Programs in the style of torch-mlir.


def mlp_relu(x: Array, w1: Array, b1: Array, w2: Array, b2: Array) -> Array:
    return relu(x @ w1 + b1) @ w2 + b2


def conv2d_stride_dilation(x: Array, w: Array, b: Array) -> Array:
    sums = conv(pad(x, (2, 3)), w, 2, 2)
    return bf16(bf16(sums) + b[:, None, None])


def grouped_conv2d(x: Array, w: Array) -> Array:
    return np.concatenate([conv(x[:, :4], w[:3]), conv(x[:, 4:], w[3:])], 1)


def batch_norm(x: Array, gamma: Array, beta: Array, mean: Array, variance: Array) -> Array:
    g, b, m, v = (each[:, None, None] for each in (gamma, beta, mean, variance))
    return (x - m) / np.sqrt(v + 1e-5) * g + b


def layer_norm(x: Array, gamma: Array, beta: Array) -> Array:
    centred = x - x.mean(-1, keepdims=True)
    variance = (centred**2).mean(-1, keepdims=True)
    return centred / np.sqrt(variance + 1e-5) * gamma + beta


def rms_norm(x: Array, gamma: Array) -> Array:
    scale = 1 / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5)
    return bf16(gamma * bf16(x * scale))


def attention(q: Array, k: Array, v: Array) -> Array:
    mask = np.triu(np.full((16, 16), -1e30), 1)
    return softmax(q @ k.swapaxes(-1, -2) * 0.176776692 + mask) @ v


def log_softmax(x: Array) -> Array:
    shifted = x - x.max(-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))


TORCH = [
    Case("torch/linear_bias", lambda x, w, b: x @ w.T + b),
    Case("torch/mlp_relu", mlp_relu, data={i: whole(2) for i in range(5)}),
    Case("torch/conv2d_bias", lambda x, w, b: conv(pad(x, (2, 3)), w) + b[:, None, None]),
    Case("torch/conv2d_stride_dilation", conv2d_stride_dilation),
    Case("torch/depthwise_conv2d", lambda x, w: np.einsum(
        "nchwij,cij->nchw", windows(x, 3, 1), w[:, 0])),
    Case("torch/grouped_conv2d", grouped_conv2d),
    Case("torch/max_pool2d",
         lambda x: windows(pad(x, (2, 3), -np.inf), 3, 2).max((-2, -1)), data={0: whole(99)}),
    Case("torch/avg_pool2d", lambda x: windows(x, 2, 2).mean((-2, -1))),
    Case("torch/batch_norm", batch_norm, F32, {4: positive}),
    Case("torch/layer_norm", layer_norm, F32),
    Case("torch/rms_norm", rms_norm, BF16),
    Case("torch/gelu", lambda x: 0.5 * x * (1 + erf(x / math.sqrt(2))), F32),
    Case("torch/silu", lambda gate, up: gate * sigmoid(gate) * up, F32),
    Case("torch/embedding", lambda table, index: table[index], data={1: below(40)}),
    Case("torch/embedding_i32", lambda table, index: table[index], data={1: below(50)}),
    Case("torch/attention", attention, F32),
    Case("torch/log_softmax", log_softmax, F32),
    Case("torch/argmax", lambda x: x.argmax(1), data={0: whole(30)}),
    Case("torch/mean_hw", lambda x: x.mean((2, 3))),
    Case("torch/upsample_nearest", lambda x: x.repeat(2, 2).repeat(2, 3), data={0: whole(99)}),
    Case("torch/slice_cat", lambda x: np.concatenate([-x[..., 32:], x[..., :32]], -1)),
    Case("torch/masked_fill", lambda x, mask: np.where(mask, -1e9, x)),
]


# Programs in the style of StableHLO's conversion.


def pad_interior(x: Array) -> Array:
    result = np.full((6, 16), -1.5)
    result[1:5, 2:16:2] = x
    return result


def quantize_f8(x: Array) -> tuple[Array, Array]:
    code = round_to((x * 0.125).astype(np.float32), "f8E5M2")
    return code, code * 8


def integer_bits(x: Array, y: Array) -> Array:
    x, y = x.astype(np.int32), y.astype(np.int32)
    return np.minimum((((x << 5) ^ y) >> 3) | (y & 255), x)


def update_slice(cache: Array, row: Array, index: Array) -> Array:
    result = cache.copy()
    result[int(index)] = row[0]
    return result


def dynamic_slice(x: Array, at: Array) -> Array:
    row, column = (int(i) for i in at)
    return x[row:row + 4, column:column + 10:2]


def update_block(x: Array, block: Array, row: Array) -> Array:
    result = x.copy()
    result[int(row):int(row) + 3, 7:15] = block
    return result


def nested_branches(x: Array, y: Array) -> Array:
    inner = np.concatenate([x, np.broadcast_to(2 * y[3:], (5, 6))], 1)
    return np.pad(inner, ((1, 1), (0, 0)))


STABLEHLO = [
    Case("stablehlo/dot_general", lambda x, y: np.einsum("amkbc,canbk->abmn", x, y)),
    Case("stablehlo/add_broadcast", lambda x, y: x[:, None] + y[:, None]),
    Case("stablehlo/reduce_sum", lambda x, init: x.sum((0, 2)) + init),
    Case("stablehlo/reduce_max_i32", lambda x: x.max(0), data={0: whole(2**31 - 1)}),
    Case("stablehlo/iota_add", lambda x: x + np.arange(19), data={0: whole(10**9)}),
    Case("stablehlo/compare_select", lambda x, y: (np.minimum(x, y), x <= y)),
    Case("stablehlo/clamp", lambda low, x, high: np.clip(x, low, high),
         data={0: constant(-3), 1: whole(9), 2: constant(5)}),
    Case("stablehlo/pad_interior", pad_interior),
    Case("stablehlo/concatenate", lambda *parts: np.concatenate(parts, 1),
         data={i: whole(127) for i in range(3)}),
    Case("stablehlo/concatenate_branches", lambda *parts: np.concatenate(parts, 1)),
    Case("stablehlo/gather", lambda table, index: table[np.clip(index[:, 0], 0, 29)],
         data={1: lambda r, shape: r.integers(-4, 34, shape)}),
    Case("stablehlo/reshape_transpose", lambda x: x.reshape(15, 2, 8).transpose(2, 0, 1),
         data={0: whole(99)}),
    Case("stablehlo/dot_f8", lambda x, y: x @ y),
    Case("stablehlo/quantize_f8", quantize_f8,
         data={0: lambda r, shape: 40 * r.standard_normal(shape)}),
    Case("stablehlo/elementwise_map",
         lambda x, y: np.sqrt(np.abs(np.exp(x) * np.tanh(y))) - x, F32),
    Case("stablehlo/integer_bits", integer_bits, data={0: whole(10**6), 1: whole(10**6)}),
    Case("stablehlo/convolution_nhwc", lambda x, w: conv_nhwc(pad(x, (1, 2)), w, 2)),
    Case("stablehlo/reverse_slice", lambda x: x[:, ::-1][1:8:2, 0:21:3], data={0: whole(99)}),
    Case("stablehlo/argmax_i32", lambda x: x.argmax(1), data={0: whole(30)}),
    Case("stablehlo/update_slice", update_slice, data={2: constant(11)}),
    Case("stablehlo/dynamic_slice", dynamic_slice,
         data={1: lambda r, shape: np.array([12, 15])}),
    Case("stablehlo/update_block", update_block, data={2: constant(9)}),
    Case("stablehlo/nested_branches", nested_branches),
    Case("stablehlo/softmax_call", softmax, F32),
]


# Programs in the style of IREE's inputs.


def requantize(x: Array, w: Array, bias: Array) -> Array:
    return np.clip(np.rint((x @ w + bias) / 64), -128, 127)


def depthwise_conv_nhwc(x: Array, w: Array, bias: Array) -> Array:
    taps = windows(x.transpose(0, 3, 1, 2), 3, 2)
    return np.einsum("nchwij,ijc->nhwc", taps, w) + bias


def named_elementwise(a: Array, b: Array) -> Array:
    return -(np.maximum((a + b) * a, b) - np.abs(b))


def dequant_i4_matvec(w: Array, scales: Array, zeros: Array, x: Array) -> Array:
    return ((w - zeros[..., None]) * scales[..., None] * x).sum((1, 2))


def attention_gqa(q: Array, k: Array, v: Array) -> Array:
    scores = np.einsum("hgmk,hnk->hgmn", q, k) * 0.176776695
    return np.einsum("hgmk,hkn->hgmn", bf16(softmax(scores)), v)


def rope(x: Array, cos: Array, sin: Array) -> Array:
    real, imaginary, c, s = x[..., 0], x[..., 1], cos[:, None], sin[:, None]
    return np.stack([real * c - imaginary * s, real * s + imaginary * c], -1)


def pooling_nhwc(x: Array) -> tuple[Array, Array]:
    image = x.transpose(0, 3, 1, 2)
    return (windows(image, 3, 2).max((-2, -1)).transpose(0, 2, 3, 1),
            windows(image, 3, 1).sum((-2, -1)).transpose(0, 2, 3, 1))


IREE = [
    Case("iree/matmul_bf16", lambda x, y: x @ y),
    Case("iree/matmul_transposed_b", lambda x, y, init: x @ y.T + init),
    Case("iree/batch_matmul_f16", lambda x, y: x @ y, data={0: whole(60), 1: whole(60)}),
    Case("iree/matvec_dot", lambda a, x, y, ix, iy, id: (a @ x + ix, y @ a + iy, x @ x + id)),
    Case("iree/contract", lambda x, y: np.einsum("kbm,nkb->mnb", x, y),
         data={0: whole(127), 1: whole(127)}),
    Case("iree/quantized_matmul", lambda x, y: (x + 7) @ (y - 11),
         data={0: whole(127), 1: whole(127)}),
    Case("iree/requantize", requantize, data={0: whole(50), 1: whole(50), 2: whole(10**4)}),
    Case("iree/conv_2d_nhwc_hwcf_q", lambda x, w: conv_nhwc(x - 5, w + 3),
         data={0: whole(127), 1: whole(127)}),
    Case("iree/depthwise_conv_nhwc", depthwise_conv_nhwc),
    Case("iree/softmax", softmax, F32),
    Case("iree/mmt4d", lambda x, y, init: np.einsum("mkab,nkcb->mnac", x, y) + init),
    Case("iree/pack_matmul_unpack", lambda x, y: x @ y, data={0: whole(127), 1: whole(127)}),
    Case("iree/named_elementwise", named_elementwise),
    Case("iree/dequant_i4_matvec", dequant_i4_matvec,
         data={0: lambda r, shape: r.integers(-8, 8, shape)}),
    Case("iree/attention_gqa", attention_gqa, BF16),
    Case("iree/rope", rope),
    Case("iree/pooling_nhwc", pooling_nhwc),
]

CASES = [*TORCH, *STABLEHLO, *IREE]
