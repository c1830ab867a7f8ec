# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions over dimensions, and the positions of what is greatest or least."""

from __future__ import annotations

import math
from collections.abc import Sequence

from .body import Body, Scalar
from .builder import Tensor, loops
from .folding import axes_of
from .node import Node, operator
from .types import FLOAT32, I32_RANGE, INT32, INT64, ElementType

__all__ = ["extremum", "keep", "mean", "sum_over", "wide_kind"]

#: The version whose axes are an input.
AXES_AS_INPUT = {"ReduceSum": 13}


def wide_kind(kind: ElementType) -> ElementType:
    """What running values of elements are kept in: whole words."""
    if kind.is_float:
        return FLOAT32
    return INT32 if kind.bits < 32 and kind.is_integer else kind


def keep(node: Node, x: Tensor, shape: Sequence[int], axes: Sequence[int]) -> Tensor:
    """A reduction's result with its dimensions of size 1."""
    return node.b.reshape(x, [1 if i in axes else size for i, size in enumerate(shape)])


def sum_over(node: Node, x: Tensor, axes: Sequence[int], kind: ElementType | None = None) -> Tensor:
    """Sums, in f32 of floats; the dimensions are left out."""
    return node.b.reduce(x, axes, 0, lambda b, v, total: b.add(total, v), kind or wide_kind(x.kind))


def mean(node: Node, x: Tensor, axes: Sequence[int]) -> Tensor:
    """Means in f32, with dimensions of size 1."""
    count = math.prod(x.shape[i] for i in axes)
    total = keep(node, sum_over(node, x, axes), x.shape, axes)
    return node.b.map([total], lambda b, v: b.div(v, b.constant(count, "f32")), FLOAT32)


def extremum(node: Node, x: Tensor, axes: Sequence[int], largest: bool) -> Tensor:
    """The greatest or the least; the dimensions are left out."""
    if x.kind.is_float:
        start: float | int = -math.inf if largest else math.inf
    else:
        low, high = x.kind.range if x.kind.bits <= 32 else I32_RANGE
        start = low if largest else high
    step, wide = Body.max if largest else Body.min, wide_kind(x.kind)
    result = node.b.reduce(x, axes, start, lambda b, v, best: step(b, best, v), wide)
    if wide is not x.kind:
        result = node.b.map([result], lambda b, v: v, x.kind)
    result.range = x.range
    return result


def _axes(node: Node, x: Tensor) -> list[int] | None:
    """The dimensions to reduce; None if none are."""
    axes = axes_of(node, since=AXES_AS_INPUT.get(node.op, 18))
    if axes:
        return node.axes(axes, x.rank)
    return None if node.int("noop_with_empty_axes") else list(range(x.rank))


@operator("ReduceSum", "ReduceMean", "ReduceProd", "ReduceL1", "ReduceL2", "ReduceSumSquare",
          "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMin")
def reduce(node: Node) -> Tensor:
    x = node.input(0)
    axes = _axes(node, x)
    keeps = node.int("keepdims", 1)
    if axes is None:
        return _of_each(node, x)
    if node.op in ("ReduceMax", "ReduceMin"):
        result = _extremum_of(node, x, axes)
    elif x.kind.is_float:
        result = _of_floats(node, x, axes)
    elif x.kind.is_integer:
        result = _of_integers(node, x, axes)
    else:
        node.refuse(f"works on numbers, its input is of {x.kind}")
    return keep(node, result, x.shape, axes) if keeps else result


def _extremum_of(node: Node, x: Tensor, axes: list[int]) -> Tensor:
    if x.kind.is_bool:
        step = Body.bitor if node.op == "ReduceMax" else Body.bitand
        return node.b.reduce(x, axes, int(node.op == "ReduceMin"), lambda b, v,
                             all_: step(b, all_, v))
    return extremum(node, x, axes, node.op == "ReduceMax")


def _of_each(node: Node, x: Tensor) -> Tensor:
    """Over no dimension: what is done with each element alone."""
    if node.op in ("ReduceSum", "ReduceMean", "ReduceProd", "ReduceMax", "ReduceMin"):
        return x
    if not x.kind.is_float:
        node.refuse(f"works on floats where it reduces no dimension, its input is of {x.kind}")
    return node.b.map([x], lambda b, v: _after(node, b, _before(node, b, v)), x.kind)


def _before(node: Node, b: Body, v: Scalar) -> Scalar:
    """What of an element is summed."""
    if node.op == "ReduceL1":
        return b.abs(v)
    if node.op in ("ReduceL2", "ReduceSumSquare"):
        return b.mul(v, v)
    return b.math("exp", v) if node.op == "ReduceLogSumExp" else v


def _after(node: Node, b: Body, total: Scalar) -> Scalar:
    if node.op == "ReduceL2":
        return b.math("sqrt", total)
    return b.math("log", total) if node.op in ("ReduceLogSum", "ReduceLogSumExp") else total


def _of_floats(node: Node, x: Tensor, axes: list[int]) -> Tensor:
    b = node.b
    if node.op == "ReduceMean":
        count = math.prod(x.shape[i] for i in axes)
        total = sum_over(node, x, axes)
        return b.map([total], lambda c, v: c.div(v, c.constant(count, "f32")), x.kind)
    if node.op == "ReduceProd":
        product = b.reduce(x, axes, 1, lambda c, v, total: c.mul(total, v), FLOAT32)
        return b.map([product], lambda c, v: v, x.kind) if x.kind is not FLOAT32 else product
    if node.op == "ReduceLogSumExp":
        return _log_sum_exp(node, x, axes)
    total = b.reduce(x, axes, 0, lambda c, v, t: c.add(t, _before(node, c, v)), FLOAT32)
    if x.kind is FLOAT32 and node.op not in ("ReduceL2", "ReduceLogSum"):
        return total
    return b.map([total], lambda c, v: _after(node, c, v), x.kind)


def _log_sum_exp(node: Node, x: Tensor, axes: list[int]) -> Tensor:
    """Less the greatest one, so that nothing overflows."""
    b = node.b
    best = extremum(node, x, axes, largest=True)
    limit = 3.0e38  # where all are infinite the difference would be no number

    def finite(c: Body, v: Scalar) -> Scalar:
        return c.max(c.min(v, c.constant(limit, "f32")), c.constant(-limit, "f32"))

    shown = keep(node, best, x.shape, axes)
    parts = b.map([x, shown], lambda c, v, m: c.math("exp", c.sub(v, finite(c, m))), FLOAT32)
    total = sum_over(node, parts, axes)
    return b.map([total, best], lambda c, t, m: c.add(c.math("log", t), finite(c, m)), x.kind)


def _of_integers(node: Node, x: Tensor, axes: list[int]) -> Tensor:
    count = math.prod(x.shape[i] for i in axes)
    low, high = x.bounds
    most = max(abs(low), abs(high))
    if node.op in ("ReduceL2", "ReduceLogSum", "ReduceLogSumExp"):
        node.refuse(f"works on floats, its input is of {x.kind}", "cast to float32 before")
    if node.op == "ReduceProd":
        if x.kind.bits > 32 and most > 1:
            node.refuse(
                f"multiplies {x.kind}, which may not fit in i32, the machine's widest integer",
                "cast to int32 before",
            )
        return _cut(node, node.b.reduce(x, axes, 1, lambda b, v, total: b.mul(total, v),
                                        wide_kind(x.kind)), x.kind)
    if node.op == "ReduceMean":
        node.refuse(f"takes the mean of {x.kind}", "cast to float32 before")
    ranges = {
        "ReduceSum": (min(low * count, 0), max(high * count, 0)),
        "ReduceL1": (0, most * count),
        "ReduceSumSquare": (0, most * most * count),
    }
    bounds = node.fitting(*ranges[node.op], x.kind)

    def code(b: Body, v: Scalar, total: Scalar) -> Scalar:
        if node.op == "ReduceL1":
            v = b.abs(v)
        elif node.op == "ReduceSumSquare":
            v = b.mul(v, v)
        return b.add(total, v)

    result = _cut(node, node.b.reduce(x, axes, 0, code, wide_kind(x.kind)), x.kind)
    result.range = bounds
    return result


def _cut(node: Node, x: Tensor, kind: ElementType) -> Tensor:
    """Words in the type of their elements."""
    return x if x.kind is kind else node.b.map([x], lambda b, v: v, kind)


@operator("ArgMax", "ArgMin")
def position(node: Node) -> Tensor:
    """Of the greatest or least element, the first or the last one of several."""
    x = node.input(0)
    if x.kind.is_bool:
        node.refuse("works on numbers, its input is of bool")
    axis = node.axis(node.int("axis"), x.rank)
    largest = node.op == "ArgMax"
    last = node.int("select_last_index")
    if x.kind.is_float:
        start: float | int = -math.inf if largest else math.inf
    else:
        low, high = x.kind.range if x.kind.bits <= 32 else I32_RANGE
        start = low if largest else high
    kept = [i for i in range(x.rank) if i != axis]
    shape = [x.shape[i] for i in kept]
    step = Body.max if largest else Body.min
    how = ("g" if largest else "l") + ("e" if last else "t")

    def code(b: Body, v: Scalar, best: Scalar, at: Scalar) -> list[Scalar]:
        better = b.compare(how, v, best)
        return [step(b, v, best), b.select(better, b.index(axis), at)]

    _, result = node.b.generic(
        x.shape,
        [(x, loops(x.rank))],
        code,
        [wide_kind(x.kind), INT64],
        outs=[[f"d{i}" for i in kept]] * 2,
        inits=[node.b.fill(shape, wide_kind(x.kind), start), node.b.fill(shape, INT64, 0)],
    )
    result.range = (0, x.shape[axis] - 1)
    return keep(node, result, x.shape, [axis]) if node.int("keepdims", 1) else result


@operator("CumSum")
def cumulative_sum(node: Node) -> Tensor:
    """Each the sum of the elements up to it."""
    x = node.input(0)
    axis = node.axis(int(node.known(1, "axis").reshape(-1)[0]), x.rank)
    exclusive, reverse = node.int("exclusive"), node.int("reverse")
    size = x.shape[axis]
    kind = wide_kind(x.kind)
    bounds = None
    if kind.is_integer:
        low, high = x.bounds
        bounds = node.fitting(min(low * size, 0), max(high * size, 0), x.kind)
    else:
        node.float_input(0)
    at = loops(x.rank)
    at[axis] = f"d{x.rank}"
    how = ("g" if reverse else "l") + ("t" if exclusive else "e")

    def code(b: Body, v: Scalar, total: Scalar) -> Scalar:
        counts = b.compare(how, b.index(x.rank), b.index(axis))
        return b.add(total, b.select(counts, v, b.like(v, 0)))

    (result,) = node.b.generic(
        [*x.shape, size], [(x, at)], code, [kind], outs=[loops(x.rank)],
        inits=[node.b.fill(x.shape, kind, 0)],
    )
    result.range = bounds
    return result if kind is x.kind else node.b.map([result], lambda b, v: v, x.kind)
