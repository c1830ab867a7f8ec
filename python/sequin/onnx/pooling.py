# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pooling: extrema, means and norms over windows, and over whole images."""

from __future__ import annotations

import math

import numpy as np

from .body import Body, Scalar
from .builder import Tensor
from .convolutions import Window, read_window
from .node import Node, operator
from .reduction import extremum, keep, sum_over, wide_kind
from .types import FLOAT32, INT64, ElementType

__all__: list[str] = []


def _window(node: Node, x: Tensor) -> tuple[Window, list[int], list[int]]:
    """The window, how many of it there are, and what to add behind each dimension."""
    sizes = node.ints("kernel_shape")
    if sizes is None or x.rank < 3:
        node.refuse(f"has no window, or an input of {x.rank} dimensions")
    window = read_window(node, x.shape[2:], sizes)
    places, high = [], []
    for i, size in enumerate(x.shape[2:]):
        count = window.places(i, size)
        if node.int("ceil_mode"):
            span = size + window.low[i] + window.high[i] - window.reach(i)
            count = -(-span // window.strides[i]) + 1
            # A window that begins in the padding behind is none.
            if (count - 1) * window.strides[i] >= size + window.low[i]:
                count -= 1
        places.append(count)
        end = (count - 1) * window.strides[i] + window.reach(i)
        high.append(max(window.high[i], end - size - window.low[i]))
    return window, places, high


def _loops(
    x: Tensor, window: Window, places: list[int]
) -> tuple[list[int], list[str], list[str], list[str]]:
    """Sizes of the loops (batch, channels, places, window), indices of the image, of the
    result and of the window."""
    rank = window.rank
    at = [f"d{2 + i}" for i in range(rank)]
    inside = [f"d{2 + rank + i}" for i in range(rank)]
    sizes = [*x.shape[:2], *places, *window.sizes]
    elements = ["d0", "d1", *(window.index(at[i], inside[i], i) for i in range(rank))]
    return sizes, elements, ["d0", "d1", *at], inside


def _shape_only(node: Node, shape: list[int], kind: ElementType) -> Tensor:
    """An operand that says how often the loops of a window run, and is not read."""
    return Tensor(kind, tuple(shape), node.b.empty(shape, kind))


@operator("MaxPool")
def max_pool(node: Node) -> list[Tensor | None]:
    x = node.input(0)
    if x.kind.is_bool:
        node.refuse("works on numbers, its input is of bool")
    window, places, high = _window(node, x)
    lowest: float | int = -math.inf if x.kind.is_float else x.kind.passed_range[0]
    image = node.b.pad(x, [0, 0, *window.low], [0, 0, *high], lowest)
    sizes, elements, out, inside = _loops(image, window, places)
    shape = [*x.shape[:2], *places]
    windows = _shape_only(node, window.sizes, x.kind)
    wide = wide_kind(x.kind)
    if not node.wants(1):
        (best,) = node.b.generic(
            sizes,
            [(image, elements), (windows, inside)],
            lambda b, v, _, most: b.max(most, v),
            [wide],
            outs=[out],
            inits=[node.b.fill(shape, wide, lowest)],
        )
        return [_narrowed(node, best, x), None]
    by_columns = node.int("storage_order")
    rank = window.rank

    def code(b: Body, v: Scalar, _: Scalar, most: Scalar, where: Scalar) -> list[Scalar]:
        return [b.max(v, most), b.select(b.compare("gt", v, most), position(b), where)]

    def position(b: Body) -> Scalar:
        """Of the element in the whole tensor, as if it had no padding."""
        def coordinate(i: int) -> Scalar:
            start = b.mul(b.index(2 + i), b.constant(window.strides[i], "i32"))
            step = b.mul(b.index(2 + rank + i), b.constant(window.dilations[i], "i32"))
            return b.add(b.add(start, step), b.constant(-window.low[i], "i32"))

        order = list(reversed(range(rank))) if by_columns else list(range(rank))
        total = b.add(b.mul(b.index(0), b.constant(x.shape[1], "i32")), b.index(1))
        for i in order:
            total = b.add(b.mul(total, b.constant(x.shape[2 + i], "i32")), coordinate(i))
        return total

    best, where = node.b.generic(
        sizes,
        [(image, elements), (windows, inside)],
        code,
        [wide, INT64],
        outs=[out, out],
        inits=[node.b.fill(shape, wide, lowest), node.b.fill(shape, INT64, 0)],
    )
    where.range = (0, x.size - 1)
    return [_narrowed(node, best, x), where]


def _narrowed(node: Node, best: Tensor, x: Tensor) -> Tensor:
    """What was found in words, in the type of the elements it is one of."""
    result = best if best.kind is x.kind else node.b.map([best], lambda b, v: v, x.kind)
    result.range = x.range
    return result


def _window_sum(node: Node, image: Tensor, window: Window, places: list[int],
                power: float = 1) -> Tensor:
    sizes, elements, out, inside = _loops(image, window, places)

    def code(b: Body, v: Scalar, _: Scalar, total: Scalar) -> Scalar:
        if power == 2:
            v = b.mul(v, v)
        elif power != 1:
            v = b.math("powf", b.abs(v), b.constant(power, "f32"))
        return b.add(total, v)

    (total,) = node.b.generic(
        sizes,
        [(image, elements), (_shape_only(node, window.sizes, image.kind), inside)],
        code,
        [FLOAT32],
        outs=[out],
        inits=[node.b.fill([*image.shape[:2], *places], FLOAT32, 0)],
    )
    return total


@operator("AveragePool")
def average_pool(node: Node) -> Tensor:
    x = node.float_input(0)
    window, places, high = _window(node, x)
    image = node.b.pad(x, [0, 0, *window.low], [0, 0, *high], 0)
    total = _window_sum(node, image, window, places)
    counts = _counts(x, window, places, bool(node.int("count_include_pad")))
    shares = node.b.constant(np.float32(1) / counts.astype(np.float32), FLOAT32,
                             f"{node.name}/shares")
    if shares.splat is not None:
        count = float(counts.reshape(-1)[0])
        return node.b.map([total], lambda b, v: b.div(v, b.constant(count, "f32")), x.kind)
    return node.b.map([total, shares], lambda b, v, w: b.mul(v, w), x.kind, total.shape)


def _counts(x: Tensor, window: Window, places: list[int], all_: bool) -> np.ndarray:
    """How many elements each window has: of the image, or of its padding too."""
    total = np.ones((), np.int64)
    for i, size in enumerate(x.shape[2:]):
        starts = np.arange(places[i]) * window.strides[i] - window.low[i]
        at = starts[:, None] + np.arange(window.sizes[i]) * window.dilations[i]
        low, high = (-window.low[i], size + window.high[i]) if all_ else (0, size)
        inside = ((at >= low) & (at < high)).sum(1)
        total = total[..., None] * inside
    return np.asarray(np.maximum(total, 1))


@operator("LpPool")
def lp_pool(node: Node) -> Tensor:
    x = node.float_input(0)
    p = node.float("p", 2)
    window, places, high = _window(node, x)
    image = node.b.pad(x, [0, 0, *window.low], [0, 0, *high], 0)
    total = _window_sum(node, image, window, places, power=p)

    def root(b: Body, v: Scalar) -> Scalar:
        return b.math("sqrt", v) if p == 2 else b.math("powf", v, b.constant(1 / p, "f32"))

    return node.b.map([total], root, x.kind)


@operator("GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool")
def global_pool(node: Node) -> Tensor:
    x = node.float_input(0)
    if x.rank < 3:
        node.refuse(f"has an input of {x.rank} dimensions, expected 3 or more")
    axes = list(range(2, x.rank))
    if node.op == "GlobalMaxPool":
        return keep(node, extremum(node, x, axes, largest=True), x.shape, axes)
    count = math.prod(x.shape[2:])
    if node.op == "GlobalAveragePool":
        total = sum_over(node, x, axes)
        shares = node.b.map([total], lambda b, v: b.div(v, b.constant(count, "f32")), x.kind)
        return keep(node, shares, x.shape, axes)
    p = node.float("p", 2)
    powers = node.b.reduce(
        x, axes, 0,
        lambda b, v, t: b.add(t, b.math("powf", b.abs(v), b.constant(p, "f32"))), FLOAT32,
    )
    roots = node.b.map([powers], lambda b, v: b.math("powf", v, b.constant(1 / p, "f32")), x.kind)
    return keep(node, roots, x.shape, axes)
