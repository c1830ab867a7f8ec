# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Normalization over channels, layers and groups, and softmax."""

from __future__ import annotations

import math
from collections.abc import Sequence

from .body import Body, Scalar
from .builder import Tensor, loops
from .node import Node, operator
from .reduction import extremum, keep, mean, sum_over
from .types import BY_CODE, FLOAT32

__all__ = ["softmax"]


def _scaled(b: Body, x: Scalar, rest: Sequence[Scalar]) -> Scalar:
    """Times a scale, if there is one, plus a bias, if there is one."""
    if rest:
        x = b.mul(x, rest[0])
    return b.add(x, rest[1]) if len(rest) > 1 else x


def _moments(node: Node, x: Tensor, axes: Sequence[int]) -> tuple[Tensor, Tensor]:
    """The mean and the variance in f32, with dimensions of size 1."""
    middle = mean(node, x, axes)
    centred = node.b.map([x, middle], lambda b, v, m: b.sub(v, m), FLOAT32)
    squares = node.b.map([centred], lambda b, v: b.mul(v, v), FLOAT32)
    return middle, mean(node, squares, axes)


def _inverse(node: Node, variance: Tensor, epsilon: float) -> Tensor:
    """One over the standard deviation."""
    return node.b.map(
        [variance],
        lambda b, v: b.math("rsqrt", b.add(v, b.constant(epsilon, "f32"))),
        FLOAT32,
    )


def _standardized(node: Node, x: Tensor, axes: Sequence[int], epsilon: float,
                  parameters: Sequence[Tensor]) -> tuple[Tensor, Tensor, Tensor]:
    """(x - mean) / deviation * scale + bias, the mean, and one over the deviation."""
    middle, variance = _moments(node, x, axes)
    inverse = _inverse(node, variance, epsilon)
    result = node.b.map(
        [x, middle, inverse, *parameters],
        lambda b, v, m, i, *rest: _scaled(b, b.mul(b.sub(v, m), i), rest),
        x.kind,
        x.shape,
    )
    return result, middle, inverse


def _by_channel(node: Node, x: Tensor, parameter: Tensor, what: str) -> Tensor:
    """One number for each channel, in the shape that goes with `x`."""
    channels = x.shape[1] if x.rank > 1 else 1
    if parameter.shape != (channels,):
        node.refuse(f"has a {what} of shape {list(parameter.shape)} for {channels} channels")
    return node.b.reshape(parameter, [channels, *[1] * (x.rank - 2)])


@operator("BatchNormalization")
def batch_normalization(node: Node) -> list[Tensor | None]:
    x = node.float_input(0)
    if x.rank < 2:
        node.refuse(f"has an input of {x.rank} dimensions, expected 2 or more")
    names = ("scale", "bias", "mean", "variance")
    scale, bias, middle, variance = (
        _by_channel(node, x, node.input(i + 1), name) for i, name in enumerate(names)
    )
    epsilon = node.float("epsilon", 1e-5)
    if node.int("training_mode"):
        return _train(node, x, [scale, bias], [middle, variance], epsilon)

    def code(b: Body, v: Scalar, s: Scalar, t: Scalar, m: Scalar, d: Scalar) -> Scalar:
        inverse = b.math("rsqrt", b.add(d, b.constant(epsilon, "f32")))
        return b.add(b.mul(b.mul(b.sub(v, m), inverse), s), t)

    return [node.b.map([x, scale, bias, middle, variance], code, x.kind, x.shape)]


def _train(node: Node, x: Tensor, parameters: list[Tensor], running: list[Tensor],
           epsilon: float) -> list[Tensor | None]:
    """By the moments of the batch, which also go into the running ones."""
    momentum = node.float("momentum", 0.9)
    axes = [0, *range(2, x.rank)]
    middle, variance = _moments(node, x, axes)
    inverse = _inverse(node, variance, epsilon)
    result = node.b.map(
        [x, middle, inverse, *parameters],
        lambda b, v, m, i, *rest: _scaled(b, b.mul(b.sub(v, m), i), rest),
        x.kind,
        x.shape,
    )
    outputs: list[Tensor | None] = [result]
    for old, new in zip(running, (middle, variance)):
        flat = [node.b.reshape(t, [x.shape[1]]) for t in (old, new)]
        outputs.append(node.b.map(
            flat,
            lambda b, p, q: b.add(b.mul(p, b.constant(momentum, "f32")),
                                  b.mul(q, b.constant(1 - momentum, "f32"))),
            old.kind,
        ))
    return outputs


@operator("InstanceNormalization")
def instance_normalization(node: Node) -> Tensor:
    x = node.float_input(0)
    if x.rank < 3:
        node.refuse(f"has an input of {x.rank} dimensions, expected 3 or more")
    parameters = [_by_channel(node, x, node.input(i), what) for i,
                  what in ((1, "scale"), (2, "bias"))]
    axes = list(range(2, x.rank))
    return _standardized(node, x, axes, node.float("epsilon", 1e-5), parameters)[0]


@operator("GroupNormalization")
def group_normalization(node: Node) -> Tensor:
    x, b = node.float_input(0), node.b
    groups = node.int("num_groups")
    if x.rank < 3 or groups < 1 or x.shape[1] % groups:
        node.refuse(f"makes {groups} groups of an input of shape {list(x.shape)}")
    each = x.shape[1] // groups
    grouped = b.reshape(x, [x.shape[0], groups, each, *x.shape[2:]])
    # Until version 21 a scale and a bias for each group, since then for each channel.
    size = groups if node.opset < 21 else x.shape[1]
    parameters = []
    for place, what in ((1, "scale"), (2, "bias")):
        parameter = node.input(place)
        if parameter.shape != (size,):
            node.refuse(f"has a {what} of shape {list(parameter.shape)}, expected [{size}]")
        ones = [1] * (x.rank - 2)
        shape = [groups, 1, *ones] if node.opset < 21 else [groups, each, *ones]
        parameters.append(b.reshape(parameter, shape))
    axes = list(range(2, grouped.rank))
    result = _standardized(node, grouped, axes, node.float("epsilon", 1e-5), parameters)[0]
    return b.reshape(result, x.shape)


def _trailing(node: Node, x: Tensor) -> list[int]:
    """The dimensions from `axis` on."""
    return list(range(node.axis(node.int("axis", -1), x.rank), x.rank))


@operator("LayerNormalization")
def layer_normalization(node: Node) -> list[Tensor | None]:
    x = node.float_input(0)
    axes = _trailing(node, x)
    parameters = [node.input(1)] + ([node.input(2)] if node.optional(2) is not None else [])
    for parameter in parameters:
        if node.broadcast([x, parameter]) != x.shape:
            node.refuse(f"has a parameter of shape {list(parameter.shape)} for {list(x.shape)}")
    result, middle, inverse = _standardized(node, x, axes, node.float("epsilon", 1e-5), parameters)
    return [result, middle, inverse]


@operator("RMSNormalization")
def rms_normalization(node: Node) -> Tensor:
    x, scale = node.float_input(0), node.input(1)
    axes = _trailing(node, x)
    epsilon = node.float("epsilon", 1e-5)
    if node.broadcast([x, scale]) != x.shape:
        node.refuse(f"has a scale of shape {list(scale.shape)} for {list(x.shape)}")
    squares = node.b.map([x], lambda b, v: b.mul(v, v), FLOAT32)
    inverse = _inverse(node, mean(node, squares, axes), epsilon)
    return node.b.map(
        [x, inverse, scale], lambda b, v, i, s: b.mul(b.mul(v, i), s), x.kind, x.shape
    )


@operator("MeanVarianceNormalization")
def mean_variance_normalization(node: Node) -> Tensor:
    x = node.float_input(0)
    axes = node.ints("axes")
    places = node.axes([0, 2, 3] if axes is None else axes, x.rank)
    middle, variance = _moments(node, x, places)
    return node.b.map(
        [x, middle, variance],
        lambda b, v, m, d: b.div(b.sub(v, m), b.add(b.math("sqrt", d), b.constant(1e-9, "f32"))),
        x.kind,
    )


@operator("LpNormalization")
def lp_normalization(node: Node) -> Tensor:
    x = node.float_input(0)
    axis, p = node.axis(node.int("axis", -1), x.rank), node.int("p", 2)
    if p not in (1, 2):
        node.refuse(f"has attribute 'p' = {p}, expected 1 or 2")
    powers = node.b.map([x], lambda b, v: b.mul(v, v) if p == 2 else b.abs(v), FLOAT32)
    total = keep(node, sum_over(node, powers, [axis]), x.shape, [axis])
    return node.b.map(
        [x, total],
        lambda b, v, t: b.div(v, b.math("sqrt", t) if p == 2 else t),
        x.kind,
    )


@operator("LRN")
def local_response(node: Node) -> Tensor:
    """By the squares of the channels around each."""
    x, size = node.float_input(0), node.int("size")
    alpha, beta, bias = node.float("alpha", 1e-4), node.float("beta", 0.75), node.float("bias", 1.0)
    if size < 1 or x.rank < 2:
        node.refuse(f"has attribute 'size' = {size} for an input of {x.rank} dimensions")
    b, low = node.b, (size - 1) // 2
    around = [size - 1 - low if i == 1 else 0 for i in range(x.rank)]
    image = b.pad(x, [low if i == 1 else 0 for i in range(x.rank)], around, 0)
    at = loops(x.rank)
    at[1] = f"d1 + d{x.rank}"
    window = Tensor(x.kind, (size,), b.empty([size], x.kind))
    (total,) = b.generic(
        [*x.shape, size],
        [(image, at), (window, [f"d{x.rank}"])],
        lambda c, v, _, t: c.add(t, c.mul(v, v)),
        [FLOAT32],
        outs=[loops(x.rank)],
        inits=[b.fill(x.shape, FLOAT32, 0)],
    )

    def code(c: Body, v: Scalar, t: Scalar) -> Scalar:
        base = c.add(c.mul(t, c.constant(alpha / size, "f32")), c.constant(bias, "f32"))
        return c.div(v, c.math("powf", base, c.constant(beta, "f32")))

    return b.map([x, total], code, x.kind)


# ===--- Softmax -----------------------------------------------------------=== #


def softmax(node: Node, x: Tensor, axis: int, logarithm: bool = False) -> Tensor:
    """Less the greatest element, so that nothing overflows."""
    b = node.b
    best = keep(node, extremum(node, x, [axis], largest=True), x.shape, [axis])
    if logarithm:
        centred = b.map([x, best], lambda c, v, m: c.sub(v, m), FLOAT32)
        powers = b.map([centred], lambda c, v: c.math("exp", v), FLOAT32)
        total = keep(node, sum_over(node, powers, [axis]), x.shape, [axis])
        logs = b.map([total], lambda c, v: c.math("log", v), FLOAT32)
        return b.map([centred, logs], lambda c, v, t: c.sub(v, t), x.kind)
    powers = b.map([x, best], lambda c, v, m: c.math("exp", c.sub(v, m)), FLOAT32)
    total = keep(node, sum_over(node, powers, [axis]), x.shape, [axis])
    return b.map([powers, total], lambda c, v, t: c.div(v, t), x.kind)


@operator("Softmax", "LogSoftmax", "Hardmax")
def softmax_node(node: Node) -> Tensor:
    x = node.float_input(0)
    if node.opset >= 13:
        axis = node.axis(node.int("axis", -1), x.rank)
        return _along(node, x, axis)
    # Before version 13 all dimensions from `axis` on are one.
    first = node.int("axis", 1)
    first += x.rank if first < 0 else 0
    if not 0 <= first <= x.rank:
        node.refuse(f"has axis {first}, its input has {x.rank} dimensions")
    rows = math.prod(x.shape[:first])
    flat = node.b.reshape(x, [rows, x.size // rows])
    return node.b.reshape(_along(node, flat, 1), x.shape)


def _along(node: Node, x: Tensor, axis: int) -> Tensor:
    if node.op != "Hardmax":
        return softmax(node, x, axis, node.op == "LogSoftmax")
    # One where the first of the greatest elements is.
    b = node.b
    best = keep(node, extremum(node, x, [axis], largest=True), x.shape, [axis])
    kept = [f"d{i}" for i in range(x.rank) if i != axis]
    operands = [(x, loops(x.rank)),
                (best, ["0" if i == axis and x.shape[i] != 1 else f"d{i}" for i in range(x.rank)])]
    size, integer = x.shape[axis], BY_CODE[6]
    (first,) = b.generic(
        x.shape,
        operands,
        lambda c, v, m, t: c.min(t,
                                 c.select(c.compare("eq", v, m), c.index(axis),
                                          c.constant(size, "i32"))),
        [integer],
        outs=[kept],
        inits=[b.fill([n for i, n in enumerate(x.shape) if i != axis], integer, size)],
    )
    shown = [f"d{i}" for i in range(x.rank) if i != axis]
    return b.generic(
        x.shape,
        [(first, shown)],
        lambda c, t: c.select(c.compare("eq", t, c.index(axis)), c.constant(1, "f32"),
                              c.constant(0, "f32")),
        [x.kind],
    )[0]
