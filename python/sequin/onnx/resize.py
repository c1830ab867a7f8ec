# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Resizing images: nearest, linear and cubic, by ONNX's coordinates.

Each dimension is resized by itself. Nearest takes elements; the others multiply by a
matrix that is known at import, a row of weights for each new position.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .builder import Tensor, loops
from .contractions import rounded
from .node import Node, operator
from .types import BOOL, FLOAT32

__all__: list[str] = []

Array = NDArray[Any]


def _coordinates(node: Node, old: int, new: int, scale: float, roi: tuple[float, float]) -> Array:
    """Where the new positions lie among the old ones."""
    mode = node.text("coordinate_transformation_mode",
                     "half_pixel" if node.opset >= 11 else "asymmetric")
    x = np.arange(new, dtype=np.float64)
    if mode == "half_pixel":
        return (x + 0.5) / scale - 0.5
    if mode == "pytorch_half_pixel":
        return (x + 0.5) / scale - 0.5 if new > 1 else np.zeros(1)
    if mode == "asymmetric":
        return x / scale
    if mode == "align_corners":
        # By ONNX's tests the new length is not rounded here.
        length = scale * old
        return x * (old - 1) / (length - 1) if length != 1 and new > 1 else np.zeros(new)
    if mode == "tf_half_pixel_for_nn":
        return (x + 0.5) / scale
    if mode == "half_pixel_symmetric":
        adjustment = new / (scale * old)
        centre = old / 2
        return centre * (1 - adjustment) + (x + 0.5) / scale - 0.5
    if mode == "tf_crop_and_resize":
        start, end = roi
        if new > 1:
            return start * (old - 1) + x * (end - start) * (old - 1) / (new - 1)
        return np.full(1, 0.5 * (start + end) * (old - 1))
    node.refuse(f"has attribute 'coordinate_transformation_mode' = '{mode}', which is none")


def _nearest(node: Node, at: Array, old: int) -> list[int]:
    mode = node.text("nearest_mode", "round_prefer_floor" if node.opset >= 11 else "floor")
    ways = {
        "round_prefer_floor": lambda x: np.ceil(x - 0.5),
        "round_prefer_ceil": lambda x: np.floor(x + 0.5),
        "floor": np.floor,
        "ceil": np.ceil,
    }
    if mode not in ways:
        node.refuse(f"has attribute 'nearest_mode' = '{mode}', which is none")
    return [int(i) for i in np.clip(ways[mode](at), 0, old - 1)]


def _cubic(x: Array, a: float) -> Array:
    x = np.abs(x)
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    far = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
    return np.where(x <= 1, near, np.where(x < 2, far, 0.0))


def _weights(node: Node, at: Array, old: int, scale: float) -> Array:
    """A row for each new position: the share that each old one has."""
    mode = node.text("mode", "nearest")
    antialias = bool(node.int("antialias")) and scale < 1
    stretch = scale if antialias else 1.0
    reach = (1 if mode == "linear" else 2) / stretch
    first = np.floor(at).astype(np.int64) - math.ceil(reach) + 1
    places = first[:, None] + np.arange(2 * math.ceil(reach) + 1)
    distance = (at[:, None] - places) * stretch
    if mode == "linear":
        shares = np.clip(1 - np.abs(distance), 0, None)
    else:
        shares = _cubic(distance, node.float("cubic_coeff_a", -0.75))
    outside = (places < 0) | (places >= old)
    if node.int("exclude_outside"):
        shares = np.where(outside, 0, shares)
    if node.int("exclude_outside") or antialias:
        shares = shares / shares.sum(1, keepdims=True)
    matrix = np.zeros((len(at), old))
    rows = np.broadcast_to(np.arange(len(at))[:, None], places.shape)
    np.add.at(matrix, (rows, np.clip(places, 0, old - 1)), shares)
    return matrix.astype(np.float32)


def _sizes(node: Node, x: Tensor) -> tuple[list[int], list[float], list[int]]:
    """The new sizes, the scales, and the dimensions, of those that are resized."""
    axes = node.ints("axes") if node.opset >= 18 else None
    places = list(range(x.rank)) if axes is None else [node.axis(a, x.rank) for a in axes]
    old = [x.shape[i] for i in places]
    given = _given(node, 3, "sizes") if node.opset >= 11 and node.op == "Resize" else None
    if given is not None and given.size:
        sizes = [int(n) for n in given.reshape(-1)]
        if len(sizes) != len(places):
            node.refuse(f"has {len(sizes)} sizes for {len(places)} dimensions")
        scales = [n / o for n, o in zip(sizes, old)]
        policy = node.text("keep_aspect_ratio_policy", "stretch")
        if policy in ("not_larger", "not_smaller"):
            scale = (min if policy == "not_larger" else max)(scales)
            sizes = [math.floor(scale * o + 0.5) for o in old]
            scales = [scale] * len(old)
        elif policy != "stretch":
            node.refuse(f"has attribute 'keep_aspect_ratio_policy' = '{policy}', which is none")
        return sizes, scales, places
    if node.op == "Upsample" and node.opset < 9:
        scales = node.floats("scales") or []
    else:
        array = _given(node, 2 if node.opset >= 11 and node.op == "Resize" else 1, "scales")
        scales = [] if array is None else [float(s) for s in array.reshape(-1)]
    if len(scales) != len(places) or any(s <= 0 for s in scales):
        node.refuse(f"has scales {scales} for {len(places)} dimensions")
    return [math.floor(o * s) for o, s in zip(old, scales)], scales, places


def _given(node: Node, place: int, what: str) -> Array | None:
    return None if node.optional(place) is None else node.known(place, what)


@operator("Resize", "Upsample")
def resize(node: Node) -> Tensor:
    x = node.input(0)
    sizes, scales, places = _sizes(node, x)
    mode = node.text("mode", "nearest")
    if mode not in ("nearest", "linear", "cubic"):
        node.refuse(f"has attribute 'mode' = '{mode}', expected 'nearest', 'linear' or 'cubic'")
    if any(size < 1 for size in sizes):
        node.refuse(f"makes an image of {sizes} elements, which is empty")
    node.check_size(sizes)
    crops = node.text("coordinate_transformation_mode") == "tf_crop_and_resize"
    roi = _roi(node, len(places)) if crops else [(0.0, 1.0)] * len(places)
    kind, inside = x.kind, [np.ones(n, bool) for n in x.shape]
    for axis, new, scale, part in zip(places, sizes, scales, roi):
        old = x.shape[axis]
        node.check_places(new)
        at = _coordinates(node, old, new, scale, part)
        inside[axis] = np.ones(new, bool)
        if crops:
            inside[axis] = (at >= 0) & (at <= old - 1)
        if new == old and np.array_equal(at, np.arange(old)):
            continue
        if mode == "nearest":
            x = node.b.take(x, axis, _nearest(node, at, old))
            continue
        if not kind.is_float:
            node.refuse(f"interpolates floats, its input is of {kind}")
        x = _multiply(node, x, axis, _weights(node, at, old, scale))
    x = rounded(node.b, x, kind)
    return _outside(node, x, inside) if crops else x


def _multiply(node: Node, x: Tensor, axis: int, matrix: Array) -> Tensor:
    """Along one dimension, in f32."""
    b = node.b
    weights = b.constant(matrix, FLOAT32, f"{node.name}/weights_{axis}")
    operand = loops(x.rank)
    operand[axis] = f"d{x.rank}"
    sizes = [*(matrix.shape[0] if i == axis else n for i, n in enumerate(x.shape)), matrix.shape[1]]
    wide = rounded(b, x, FLOAT32)
    return b.contract((wide, operand), (weights, [f"d{axis}", f"d{x.rank}"]), sizes, loops(x.rank))


def _roi(node: Node, count: int) -> list[tuple[float, float]]:
    array = _given(node, 1, "region")
    if array is None or array.size != 2 * count:
        node.refuse(f"has no region of {2 * count} numbers, which its coordinates are in")
    flat = [float(v) for v in array.reshape(-1)]
    return list(zip(flat[:count], flat[count:]))


def _outside(node: Node, x: Tensor, inside: Sequence[Array]) -> Tensor:
    """What lies outside of the image has one value."""
    value = node.float("extrapolation_value", 0.0)
    for axis, mask in enumerate(inside):
        if mask.all():
            continue
        shape = [len(mask) if i == axis else 1 for i in range(x.rank)]
        table = node.b.constant(mask.reshape(shape), BOOL, f"{node.name}/inside_{axis}")
        x = node.b.map([table, x], lambda b, m, v: b.select(m, v, b.like(v, value)), x.kind,
                       x.shape)
    return x
