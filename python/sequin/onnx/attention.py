# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention and rotary embeddings of version 23."""

from __future__ import annotations

import math

from .body import Body, Scalar
from .builder import Tensor, broadcast_shapes
from .contractions import rounded
from .elementwise import cast
from .node import Node, operator
from .normalization import softmax
from .types import FLOAT32

__all__: list[str] = []


def _heads(node: Node, x: Tensor, count: int, what: str) -> Tensor:
    """``[batch, heads, sequence, size]``, of that or of heads side by side."""
    if x.rank == 4:
        return x
    if x.rank != 3 or count < 1 or x.shape[2] % count:
        node.refuse(f"has {what} of shape {list(x.shape)} for {count} heads")
    batch, length, width = x.shape
    parts = node.b.reshape(x, [batch, length, count, width // count])
    return node.b.transpose(parts, [0, 2, 1, 3])


def _side_by_side(node: Node, x: Tensor) -> Tensor:
    batch, heads, length, size = x.shape
    return node.b.reshape(node.b.transpose(x, [0, 2, 1, 3]), [batch, length, heads * size])


@operator("Attention")
def attention(node: Node) -> list[Tensor | None]:
    """softmax(scale Q K' + mask) V, heads of K and V shared by groups of Q's.

    A cap on the scores goes before the mask, so that what is masked stays so; with `past`
    keys the diagonal of a causal mask begins behind them.
    """
    b = node.b
    for place in range(3):
        node.float_input(place)
    query = _heads(node, node.input(0), node.int("q_num_heads"), "queries")
    key = _heads(node, node.input(1), node.int("kv_num_heads"), "keys")
    value = _heads(node, node.input(2), node.int("kv_num_heads"), "values")
    kind = node.same_kinds([query, key, value])
    past = 0
    if node.optional(4) is not None and node.optional(5) is not None:
        past = node.input(4).shape[2] if node.input(4).rank == 4 else 0
        key = b.concat([node.input(4), key], 2)
        value = b.concat([node.input(5), value], 2)
    batch, heads, length, size = query.shape
    total, shared = key.shape[2], key.shape[1]
    if (shared == 0 or heads % shared or key.shape != (batch, shared, total, size)
            or value.shape[:3] != key.shape[:3]):
        node.refuse(
            f"has queries of shape {list(query.shape)}, keys of {list(key.shape)} and values of "
            f"{list(value.shape)}"
        )
    scores = _scores(node, query, key)
    raw = scores
    scores, masked = _masked(node, scores, past)
    shares = softmax(node, scores, 3)
    outputs: list[Tensor | None] = [_weighted(node, shares, value), key, value]
    if node.input(0).rank == 3:
        outputs[0] = _side_by_side(node, outputs[0])  # type: ignore[arg-type]
    mode = node.int("qk_matmul_output_mode")
    if not 0 <= mode <= 3:
        node.refuse(f"has attribute 'qk_matmul_output_mode' = {mode}, expected 0 to 3")
    if node.wants(3) and mode in (1, 2) and masked and node.float("softcap") > 0:
        node.refuse(
            f"gives scores in mode {mode} with a cap and a mask, about whose order versions of "
            "ONNX disagree",
            "use mode 0 or 3",
        )
    outputs.append(rounded(b, [raw, scores, scores, shares][mode], kind))
    return outputs


def _scores(node: Node, query: Tensor, key: Tensor) -> Tensor:
    """``[batch, heads, length, total]`` in f32, scaled."""
    b = node.b
    batch, heads, length, size = query.shape
    shared, total = key.shape[1], key.shape[2]
    group = heads // shared
    scale = node.float("scale", 1 / math.sqrt(size))
    parts = b.reshape(query, [batch, shared, group, length, size])
    products = b.contract(
        (parts, ["d0", "d1", "d2", "d3", "d5"]),
        (key, ["d0", "d1", "d4", "d5"]),
        [batch, shared, group, length, total, size],
        ["d0", "d1", "d2", "d3", "d4"],
    )
    flat = b.reshape(products, [batch, heads, length, total])
    return b.map([flat], lambda c, v: c.mul(v, c.constant(scale, "f32")), FLOAT32)


def _masked(node: Node, scores: Tensor, past: int) -> tuple[Tensor, bool]:
    """With the cap, the mask, and nothing beyond the diagonal."""
    b, cap = node.b, node.float("softcap")
    if cap < 0:
        node.refuse(f"has attribute 'softcap' = {cap}, at least 0 is allowed")
    if cap > 0:
        scores = b.map(
            [scores],
            lambda c, v: c.mul(c.math("tanh", c.div(v, c.constant(cap, "f32"))),
                               c.constant(cap, "f32")),
            FLOAT32,
        )
    mask, causal = node.optional(3), node.int("is_causal")
    if mask is not None:
        missing = scores.shape[-1] - mask.shape[-1]
        if missing > 0:
            high = [0] * (mask.rank - 1) + [missing]
            mask = b.pad(mask, [0] * mask.rank, high, 0 if mask.kind.is_bool else -math.inf)
        if broadcast_shapes([mask.shape, scores.shape]) != scores.shape:
            node.refuse(
                f"has a mask of shape {list(mask.shape)} for scores of "
                f"{list(scores.shape)}"
            )
        if not mask.kind.is_bool and not mask.kind.is_float:
            node.refuse(f"has a mask of {mask.kind}, expected bool or floats")

    def code(c: Body, v: Scalar, *masks: Scalar) -> Scalar:
        nothing = c.constant(-math.inf, "f32")
        for m in masks:
            v = c.select(m, v, nothing) if m.type == "i1" else c.add(v, m)
        if causal:
            edge = c.add(c.index(2), c.constant(past, "i32"))
            v = c.select(c.compare("le", c.index(3), edge), v, nothing)
        return v

    if mask is None and not causal:
        return scores, False
    tensors = [scores] if mask is None else [scores, mask]
    return b.map(tensors, code, FLOAT32, scores.shape), True


def _weighted(node: Node, shares: Tensor, value: Tensor) -> Tensor:
    b = node.b
    batch, heads, length, total = shares.shape
    shared, width = value.shape[1], value.shape[3]
    narrow = cast(node, shares, value.kind)
    parts = b.reshape(narrow, [batch, shared, heads // shared, length, total])
    result = b.contract(
        (parts, ["d0", "d1", "d2", "d3", "d5"]),
        (value, ["d0", "d1", "d5", "d4"]),
        [batch, shared, heads // shared, length, width, total],
        ["d0", "d1", "d2", "d3", "d4"],
    )
    return b.reshape(rounded(b, result, value.kind), [batch, heads, length, width])


@operator("RotaryEmbedding")
def rotary_embedding(node: Node) -> Tensor:
    b = node.b
    given = node.float_input(0)
    cos, sin = node.input(1), node.input(2)
    kind = node.same_kinds([given, cos, sin])
    x = _heads(node, given, node.int("num_heads"), "an input")
    batch, _, length, size = x.shape
    width = node.int("rotary_embedding_dim") or size
    if width % 2 or width > size:
        node.refuse(f"has attribute 'rotary_embedding_dim' = {width} for heads of {size}")
    half = width // 2
    tables = []
    for table in (cos, sin):
        if node.optional(3) is not None:
            positions = node.input(3)
            if table.rank != 2 or not positions.kind.is_integer:
                node.refuse(
                    f"has tables of shape {list(table.shape)} and positions of "
                    f"{positions.kind}"
                )
            table = b.gather(table, 0, positions)
        if broadcast_shapes([table.shape, (batch, length, half)]) != (batch, length, half):
            node.refuse(
                f"has tables of shape {list(table.shape)}, expected "
                f"{[batch, length, half]}"
            )
        tables.append(b.reshape(b.broadcast(table, (batch, length, half)),
                                [batch, 1, length, half]))
    interleaved = bool(node.int("interleaved"))
    offsets, step = ([0, 1], 2) if interleaved else ([0, half], 1)
    first, second = (
        b.slice(x, [0, 0, 0, offset], [*x.shape[:3], half], [1, 1, 1, step]) for offset in offsets
    )
    real = b.map([first, second, *tables], _turn_real, kind, first.shape)
    imaginary = b.map([first, second, *tables], _turn_imaginary, kind, first.shape)
    if interleaved:
        parts = [b.reshape(part, [*part.shape, 1]) for part in (real, imaginary)]
        turned = b.reshape(b.concat(parts, 4), [*x.shape[:3], width])
    else:
        turned = b.concat([real, imaginary], 3)
    if width < size:
        rest = b.slice(x, [0, 0, 0, width], [*x.shape[:3], size - width])
        turned = b.concat([turned, rest], 3)
    return _side_by_side(node, turned) if given.rank == 3 else turned


def _turn_real(b: Body, x: Scalar, y: Scalar, cos: Scalar, sin: Scalar) -> Scalar:
    return b.sub(b.mul(x, cos), b.mul(y, sin))


def _turn_imaginary(b: Body, x: Scalar, y: Scalar, cos: Scalar, sin: Scalar) -> Scalar:
    return b.add(b.mul(x, sin), b.mul(y, cos))
