# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A model evaluated by NumPy, node by node, floats in float64: what results are held against.

It shares nothing with the importer, and knows the operators of the models in
onnx_exported.py only.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from onnx import helper, numpy_helper

Array = np.ndarray
erf = np.vectorize(math.erf, otypes=[np.float64])


def wide(array: Array) -> Array:
    return array.astype(np.float64) if array.dtype.kind == "f" else array


def windows(x: Array, kernel: list[int], strides: list[int], dilations: list[int],
            places: tuple[int, ...]):
    """For every place of a window inside, the elements it has over all places outside."""
    for inside in np.ndindex(*kernel):
        cut = tuple(slice(i * d, i * d + (p - 1) * s + 1, s)
                    for i, d, s, p in zip(inside, dilations, strides, places))
        yield inside, x[(slice(None), slice(None), *cut)]


def conv(x, w, b=None, *, group=1, strides=None, pads=None, dilations=None, **_):
    rank = x.ndim - 2
    strides, dilations, pads = strides or [1] * rank, dilations or [1] * rank, pads or [0] * 2 * rank
    x = np.pad(x, [(0, 0), (0, 0), *zip(pads[:rank], pads[rank:])])
    places = tuple((n - (k - 1) * d - 1) // s + 1
                   for n, k, d, s in zip(x.shape[2:], w.shape[2:], dilations, strides))
    batch, outer = x.shape[0], w.shape[0]
    total = np.zeros((batch, group, outer // group, *places))
    for inside, part in windows(x, list(w.shape[2:]), strides, dilations, places):
        part = part.reshape(batch, group, -1, *places)
        weights = w[(slice(None), slice(None), *inside)].reshape(group, outer // group, -1)
        total += np.einsum("bgc...,gmc->bgm...", part, weights)
    total = total.reshape(batch, outer, *places)
    return total if b is None else total + b.reshape(1, -1, *[1] * rank)


def conv_transpose(x, w, b=None, *, strides=None, **_):
    rank = x.ndim - 2
    strides = strides or [1] * rank
    shape = [(n - 1) * s + k for n, s, k in zip(x.shape[2:], strides, w.shape[2:])]
    total = np.zeros((x.shape[0], w.shape[1], *shape))
    for inside in np.ndindex(*w.shape[2:]):
        cut = tuple(slice(i, i + (n - 1) * s + 1, s) for i, n,
                    s in zip(inside, x.shape[2:], strides))
        total[(slice(None), slice(None), *cut)] += np.einsum(
            "bc...,cm->bm...", x, w[(slice(None), slice(None), *inside)])
    return total if b is None else total + b.reshape(1, -1, *[1] * rank)


def max_pool(x, *, kernel_shape, strides=None, pads=None, **_):
    rank = x.ndim - 2
    strides, pads = strides or [1] * rank, pads or [0] * 2 * rank
    x = np.pad(x, [(0, 0), (0, 0), *zip(pads[:rank], pads[rank:])], constant_values=-np.inf)
    places = tuple((n - k) // s + 1 for n, k, s in zip(x.shape[2:], kernel_shape, strides))
    return np.max([part for _, part in windows(x, kernel_shape, strides, [1] * rank, places)], 0)


def batch_norm(x, scale, bias, mean, variance, *, epsilon=1e-5, **_):
    shape = (-1, *[1] * (x.ndim - 2))
    scale, bias, mean, variance = (v.reshape(shape) for v in (scale, bias, mean, variance))
    return (x - mean) / np.sqrt(variance + epsilon) * scale + bias


def layer_norm(x, scale, bias=None, *, axis=-1, epsilon=1e-5, **_):
    mean = x.mean(axis, keepdims=True)
    y = (x - mean) / np.sqrt(((x - mean) ** 2).mean(axis, keepdims=True) + epsilon) * scale
    return y if bias is None else y + bias


def softmax(x, *, axis=-1):
    powers = np.exp(x - x.max(axis, keepdims=True))
    return powers / powers.sum(axis, keepdims=True)


def gemm(a, b, c=0.0, *, alpha=1.0, beta=1.0, transA=0, transB=0):
    return alpha * (a.T if transA else a) @ (b.T if transB else b) + beta * c


def reshape(x, shape, **_):
    return x.reshape([x.shape[i] if n == 0 else int(n) for i, n in enumerate(shape)])


def slice_(x, starts, ends, axes=None, steps=None):
    cut = [slice(None)] * x.ndim
    for i, start in enumerate(starts):
        step = 1 if steps is None else int(steps[i])
        cut[int(i if axes is None else axes[i])] = slice(int(start), int(ends[i]), step)
    return x[tuple(cut)]


def split(x, sizes, *, axis=0):
    return np.split(x, np.cumsum(sizes)[:-1], axis)


def unsqueeze(x, axes):
    rank = x.ndim + len(axes)
    for axis in sorted(int(a) % rank for a in axes):
        x = np.expand_dims(x, axis)
    return x


def top_k(x, k, *, axis=-1, **_):
    at = np.argsort(-x, axis, kind="stable").take(range(int(k[0])), axis)
    return [np.take_along_axis(x, at, axis), at]


def one_hot(indices, depth, values, *, axis=-1):
    return np.where(indices[..., None] == np.arange(int(np.reshape(depth, -1)[0])), values[1],
                    values[0])


def lstm(x, w, r, b, *_, hidden_size, **__):
    h = c = np.zeros((x.shape[1], hidden_size))
    out = []
    for step in x:
        gates = step @ w[0].T + h @ r[0].T + b[0, : 4 * hidden_size] + b[0, 4 * hidden_size :]
        i, o, f, g = np.split(gates, 4, 1)
        c = c / (1 + np.exp(-f)) + np.tanh(g) / (1 + np.exp(-i))
        h = np.tanh(c) / (1 + np.exp(-o))
        out.append(h)
    return [np.stack(out)[:, None], h[None], c[None]]


def cast(x, *, to):
    kind = helper.tensor_dtype_to_np_dtype(to) if hasattr(helper, "tensor_dtype_to_np_dtype") else {
        1: np.dtype("float32"), 6: np.dtype("int32"), 7: np.dtype("int64"), 9: np.dtype("bool")}[to]
    return wide(x.astype(kind)) if kind.kind == "f" else x.astype(kind)


def nearest(x, _roi, scales, **__):
    for axis, scale in enumerate(scales):
        x = x.take(np.floor(np.arange(int(x.shape[axis] * scale)) / scale).astype(int), axis)
    return x


FUNCTIONS = {
    "Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide, "Pow": np.power,
    "MatMul": np.matmul, "Sqrt": np.sqrt, "Tanh": np.tanh, "Erf": erf, "Exp": np.exp, "Neg": np.negative,
    "Sin": np.sin, "Cos": np.cos, "Reciprocal": np.reciprocal, "Equal": np.equal, "And": np.logical_and,
    "LessOrEqual": np.less_equal, "Where": np.where, "Relu": lambda x: np.maximum(x, 0),
    "Sigmoid": lambda x: 1 / (1 + np.exp(-x)), "Clip": lambda x, low, high: np.clip(x, low, high),
    "Shape": lambda x: np.asarray(x.shape, np.int64), "Gather": lambda x, at, axis=0: np.take(x,
                                                                                              at, axis),
    "Concat": lambda *x, axis: np.concatenate(x, axis), "Unsqueeze": unsqueeze, "Reshape": reshape,
    "Squeeze": lambda x, axes: np.squeeze(x, tuple(int(a) for a in axes)),
    "Transpose": lambda x, perm: np.transpose(x,
                                              perm), "Slice": slice_, "Split": split, "Cast": cast,
    "Expand": lambda x, shape: x * np.ones([int(n) for n in shape], x.dtype),
    "Range": lambda a, b, c: np.arange(a, b, c), "Identity": lambda x: x,
    "ConstantOfShape": lambda shape, value: np.full([int(n) for n in shape],
                                                    numpy_helper.to_array(value)[0]),
    "Trilu": lambda x, k=0, upper=1: np.triu(x, int(k)) if upper else np.tril(x, int(k)),
    "ReduceMean": lambda x, axes, keepdims=1: x.mean(tuple(axes), keepdims=bool(keepdims)),
    "ReduceSum": lambda x, axes, keepdims=1: x.sum(tuple(int(a) for a in axes),
                                                   keepdims=bool(keepdims)),
    "Softmax": softmax, "LayerNormalization": layer_norm, "Gemm": gemm, "Conv": conv,
    "ConvTranspose": conv_transpose, "BatchNormalization": batch_norm, "MaxPool": max_pool,
    "GlobalAveragePool": lambda x: x.mean((2, 3), keepdims=True), "Resize": nearest,
    "Flatten": lambda x, axis=1: x.reshape(int(np.prod(x.shape[:axis])), -1), "TopK": top_k,
    "OneHot": one_hot, "LSTM": lstm, "Einsum": lambda *x, equation: np.einsum(equation, *x),
}


def evaluate(model: Any, inputs: dict[str, Array]) -> dict[str, Array]:
    """The outputs of a model."""
    values = {"": None, **{name: wide(np.asarray(array)) for name, array in inputs.items()}}
    values |= {t.name: wide(numpy_helper.to_array(t)) for t in model.graph.initializer}
    for node in model.graph.node:
        attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
        attributes = {k: v.decode() if isinstance(v, bytes) else v for k, v in attributes.items()}
        if node.op_type == "Constant":
            made = wide(numpy_helper.to_array(attributes["value"]))
        else:
            made = FUNCTIONS[node.op_type](*(values[name] for name in node.input), **attributes)
        for name, value in zip(node.output, made if isinstance(made, list) else [made]):
            values[name] = value
    return {output.name: values[output.name] for output in model.graph.output}
