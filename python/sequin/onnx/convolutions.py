# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions of any number of dimensions, with groups, strides and dilations."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

from .builder import Builder, Tensor, loops
from .contractions import product_kind, rounded
from .node import Node, operator
from .types import ElementType

__all__ = ["Window", "convolve", "read_window"]

#: Of channels by themselves so many places are made at once, whose windows the planner
#: takes one after the other; more are made by whole images, one for each element of the window.
MOST_PLACES_AT_ONCE = 64


@dataclass(frozen=True)
class Window:
    """How a window goes over the dimensions of an image."""

    sizes: list[int]
    strides: list[int]
    dilations: list[int]
    low: list[int]
    """Elements added before each dimension."""
    high: list[int]

    @property
    def rank(self) -> int:
        return len(self.sizes)

    def reach(self, i: int) -> int:
        """How many elements of dimension i a window spans."""
        return (self.sizes[i] - 1) * self.dilations[i] + 1

    def places(self, i: int, size: int) -> int:
        """How many windows there are along a dimension of `size`."""
        return (size + self.low[i] + self.high[i] - self.reach(i)) // self.strides[i] + 1

    def index(self, place: str, inside: str, i: int) -> str:
        """The index of an element of the padded image."""
        return f"{_times(place, self.strides[i])} + {_times(inside, self.dilations[i])}"


def _times(loop: str, factor: int) -> str:
    return loop if factor == 1 else f"{loop} * {factor}"


def read_window(node: Node, image: tuple[int, ...], sizes: list[int]) -> Window:
    """The window that a node's attributes describe; `image` and `sizes` are without batch
    and channels. With rounding up (ceil_mode) the last one may end in more padding."""
    rank = len(image)
    strides = node.ints("strides") or [1] * rank
    dilations = node.ints("dilations") or [1] * rank
    pads = node.ints("pads") or [0] * (2 * rank)
    mode = node.text("auto_pad", "NOTSET")
    if [len(sizes), len(strides), len(dilations), len(pads)] != [rank, rank, rank, 2 * rank]:
        node.refuse(
            f"has a window of {len(sizes)} dimensions, {len(strides)} strides, {len(dilations)} "
            f"dilations and {len(pads)} pads for an image of {rank} dimensions"
        )
    if min([*sizes, *strides, *dilations], default=1) < 1 or min(pads, default=0) < 0:
        node.refuse("has a window, a stride, a dilation or a pad that is too small")
    low, high = pads[:rank], pads[rank:]
    window = Window(sizes, strides, dilations, low, high)
    if mode in ("SAME_UPPER", "SAME_LOWER"):
        low, high = [], []
        for i, size in enumerate(image):
            places = -(-size // strides[i])
            total = max(0, (places - 1) * strides[i] + window.reach(i) - size)
            small = total // 2
            low.append(small if mode == "SAME_UPPER" else total - small)
            high.append(total - low[-1])
    elif mode == "VALID":
        low, high = [0] * rank, [0] * rank
    elif mode != "NOTSET":
        node.refuse(f"has attribute 'auto_pad' = '{mode}', which is no way to pad")
    window = Window(sizes, strides, dilations, list(low), list(high))
    for i, size in enumerate(image):
        if size + low[i] + high[i] < window.reach(i):
            node.refuse(
                f"has a window that spans {window.reach(i)} elements of dimension {i + 2}, which "
                f"has {size + low[i] + high[i]} with its padding"
            )
    return window


def convolve(b: Builder, x: Tensor, w: Tensor, window: Window, groups: int, kind: ElementType,
             turned: bool = False, flat: bool = False) -> Tensor:
    """Sums of products in `kind`, f32 or i32. With `flat` the result may have its places in one
    dimension, as a matrix product gives them: rows of few elements are slow to write.

    `x` is [N, groups * C, padded image], `w` is [groups * M, C, window], or with `turned`
    [groups * C, M, window] whose window is turned around, as transposed ones have it.
    """
    rank = window.rank
    if turned:
        for axis in range(2, w.rank):
            w = b.take(w, axis, range(w.shape[axis] - 1, -1, -1))
    elif groups == 1 and _pays_to_copy(window, x.shape[1]):
        return _by_patches(b, x, w, window, kind, flat)
    batch, image = x.shape[0], x.shape[2:]
    inner = x.shape[1] // groups
    outer = w.shape[1] if turned else w.shape[0] // groups
    places = [(image[i] - window.reach(i)) // window.strides[i] + 1 for i in range(rank)]
    grouped = groups > 1
    single = grouped and inner == 1 and outer == 1
    if single and math.prod(places) > MOST_PLACES_AT_ONCE:
        return _by_taps(b, x, w, window, places, kind)
    # Loops: batch, group, channel made, places, channel summed, window; none of size 1
    # that a group of single channels would have.
    loops = iter(f"d{i}" for i in range(4 + 2 * rank))
    n = next(loops)
    g = next(loops) if grouped else ""
    m = "" if single else next(loops)
    at = [next(loops) for _ in range(rank)]
    c = "" if single else next(loops)
    inside = [next(loops) for _ in range(rank)]
    sizes = [batch]
    sizes += [groups] if grouped else []
    sizes += [] if single else [outer]
    sizes += places
    sizes += [] if single else [inner]
    sizes += window.sizes
    first = [groups, outer] if grouped and not single else [groups * outer]
    if grouped and not single:
        x = b.reshape(x, [batch, groups, inner, *image])
        shape = [groups, inner, outer] if turned else [groups, outer, inner]
        w = b.reshape(w, [*shape, *window.sizes])
    elif single:
        w = b.reshape(w, [groups, *window.sizes])
    channels = [inner_ for inner_ in (g, c) if inner_]
    elements = [window.index(at[i], inside[i], i) for i in range(rank)]
    pair = [c, m] if turned else [m, c]
    weights = [e for e in [g, *pair] if e] + inside
    out = [e for e in [n, g, m, *at] if e]
    result = b.contract((x, [n, *channels, *elements]), (w, weights), sizes, out, kind)
    return b.reshape(result, [batch, math.prod(first), *places])


def _by_taps(b: Builder, x: Tensor, w: Tensor, window: Window, places: list[int],
             kind: ElementType) -> Tensor:
    """Of channels by themselves: the image, shifted by each element of the window and times its
    weight, added up."""
    rank, shape = window.rank, [*x.shape[:2], *places]
    b.count_macs([*shape, *window.sizes])
    # The weights of an element of the window side by side, all of them one argument.
    taps = b.transpose(b.reshape(w, [x.shape[1], *window.sizes]), [*range(1, rank + 1), 0])
    taps = Tensor(taps.kind, taps.shape, b.use(taps))
    every = loops(len(shape))
    total: Tensor | None = None
    for at in itertools.product(*map(range, window.sizes)):
        shift = [i * d for i, d in zip(at, window.dilations)]
        part = b.slice(x, [0, 0, *shift], shape, [1, 1, *window.strides])
        tap = b.slice(taps, [*at, 0], [*[1] * rank, x.shape[1]], [1] * (rank + 1))
        ins = [(part, every), (b.reshape(tap, [x.shape[1]]), ["d1"])]
        if total is None:
            total = b.generic(shape, ins, lambda c, v, t: c.mul(v, t), [kind])[0]
        else:
            total = b.generic(shape, [*ins, (total, every)],
                              lambda c, v, t, sum_: c.add(sum_, c.mul(v, t)), [kind])[0]
    assert total is not None
    return total


def _pays_to_copy(window: Window, channels: int) -> bool:
    """Whether a matrix product of patches that are copied side by side is faster than a sum
    over windows, whose loops the planner takes one after the other: where patches do not
    overlap, or where few channels are all there is to sum over besides."""
    apart = all(s >= k for s, k in zip(window.strides, window.sizes))
    count = math.prod(window.sizes)
    return (count >= 9 and channels <= 4) or (count >= 25 and (apart or channels <= 8))


def _by_patches(b: Builder, x: Tensor, w: Tensor, window: Window, kind: ElementType,
                flat: bool) -> Tensor:
    rank, (batch, channels), made = window.rank, x.shape[:2], w.shape[0]
    places = [(x.shape[2 + i] - window.reach(i)) // window.strides[i] + 1 for i in range(rank)]
    if window.strides == window.sizes and max(window.dilations) == 1 and (
            [p * s for p, s in zip(places, window.sizes)] == list(x.shape[2:])):
        rows, order = _as_tiles(b, x, window, places), [0, 1, *range(2, 2 + rank)]
        operand = ["d0", "d2", "d3"]
    else:
        # An index of the window after the other: the first is the slowest of the sum.
        for i in reversed(range(rank)):
            x = _by_shifts(b, x, 2 + i, window, places[i])
        rows, order = x, [0, *range(2, 2 + rank), 1]
        operand = ["d0", "d3", "d2"]
    depth, count = channels * math.prod(window.sizes), math.prod(places)
    shape = [batch, count, depth] if operand[1] == "d2" else [batch, depth, count]
    weights = b.reshape(b.transpose(w, order), [made, depth])
    total = b.contract((b.reshape(rows, shape), operand), (weights, ["d1", "d3"]),
                       [batch, made, count, depth], ["d0", "d1", "d2"], kind)
    return total if flat else b.reshape(total, [batch, made, *places])


def _as_tiles(b: Builder, x: Tensor, window: Window, places: list[int]) -> Tensor:
    """An image that windows cover without gaps: [batch, places, channels, window]."""
    rank = window.rank
    parted = [n for pair in zip(places, window.sizes) for n in pair]
    cut = b.reshape(x, [*x.shape[:2], *parted])
    order = [0, *range(2, 2 + 2 * rank, 2), 1, *range(3, 3 + 2 * rank, 2)]
    return b.transpose(cut, order)


def _by_shifts(b: Builder, x: Tensor, axis: int, window: Window, places: int) -> Tensor:
    """One dimension as places, for each element of the window there; these come before the
    channels: [batch, window * channels, ...]."""
    i = axis - 2
    sizes = [places if k == axis else n for k, n in enumerate(x.shape)]
    strides = [window.strides[i] if k == axis else 1 for k in range(x.rank)]
    parts = []
    for element in range(window.sizes[i]):
        start = element * window.dilations[i]
        parts.append(b.slice(x, [start if k == axis else 0 for k in range(x.rank)], sizes, strides))
    return b.concat(parts, 1)


def add_bias(node: Node, x: Tensor, bias: Tensor | None, kind: ElementType) -> Tensor:
    """A number for each channel added, rounded to `kind`."""
    if bias is None:
        return rounded(node.b, x, kind)
    if bias.shape != (x.shape[1],):
        node.refuse(f"has a bias of shape {list(bias.shape)} for {x.shape[1]} channels")
    shown = node.b.reshape(bias, [x.shape[1], *[1] * (x.rank - 2)])
    return node.b.map([x, shown], lambda c, v, w: c.add(v, w), kind, x.shape)


def check_channels(node: Node, x: Tensor, w: Tensor, groups: int) -> None:
    """Whether image and weights go together; `w` is [M, C / groups, window]."""
    if x.rank < 3 or w.rank != x.rank:
        node.refuse(f"has an image of shape {list(x.shape)} and weights of {list(w.shape)}")
    if groups < 1 or x.shape[1] != w.shape[1] * groups or w.shape[0] % groups:
        node.refuse(
            f"has {x.shape[1]} channels and weights of shape {list(w.shape)} in {groups} groups"
        )


def padded(node: Node, x: Tensor, window: Window, value: float | int = 0) -> Tensor:
    return node.b.pad(x, [0, 0, *window.low], [0, 0, *window.high], value)


@operator("Conv")
def conv(node: Node) -> Tensor:
    x, w = node.input(0), node.input(1)
    kind = node.same_kinds([x, w])
    node.float_input(0)
    groups = node.int("group", 1)
    check_channels(node, x, w, groups)
    sizes = node.ints("kernel_shape") or list(w.shape[2:])
    if sizes != list(w.shape[2:]):
        node.refuse(f"has attribute 'kernel_shape' = {sizes}, its weights have {list(w.shape[2:])}")
    window = read_window(node, x.shape[2:], sizes)
    total = convolve(node.b, padded(node, x, window), w, window, groups, product_kind(kind),
                     flat=True)
    made = add_bias(node, total, node.optional(2), kind)
    places = [window.places(i, n) for i, n in enumerate(x.shape[2:])]
    return node.b.reshape(made, [x.shape[0], w.shape[0], *places])


@operator("ConvTranspose")
def conv_transpose(node: Node) -> Tensor:
    """A convolution of the image with zeros between its elements."""
    x, w = node.input(0), node.input(1)
    kind = node.same_kinds([x, w])
    node.float_input(0)
    groups, rank = node.int("group", 1), x.rank - 2
    fits = rank >= 1 and w.rank == x.rank and groups >= 1 and x.shape[1] == w.shape[0]
    if not fits or w.shape[0] % groups:
        node.refuse(
            f"has an image of shape {list(x.shape)} and weights of {list(w.shape)} in {groups} "
            "groups"
        )
    image, sizes = x.shape[2:], list(w.shape[2:])
    strides = node.ints("strides") or [1] * rank
    dilations = node.ints("dilations") or [1] * rank
    extra = node.ints("output_padding") or [0] * rank
    if any(len(v) != rank for v in (strides, dilations, extra)) or min([*strides, *dilations]) < 1:
        node.refuse("has strides, dilations or output padding that do not fit its image")
    reach = [(k - 1) * d + 1 for k, d in zip(sizes, dilations)]
    full = [s * (n - 1) + r + e for s, n, r, e in zip(strides, image, reach, extra)]
    low, high = _transposed_pads(node, full, strides, image)
    spread = [s * (n - 1) + 1 for s, n in zip(strides, image)]
    node.check_size([*x.shape[:2], *spread])
    b = node.b
    if any(s > 1 for s in strides):
        zeros = b.fill([*x.shape[:2], *spread], x.kind, 0)
        x = b.insert(x, zeros, [0] * x.rank, [1, 1, *strides])
    before = [r - 1 - p for r, p in zip(reach, low)]
    after = [r - 1 - p + e for r, p, e in zip(reach, high, extra)]
    x = b.pad(x, [0, 0, *before], [0, 0, *after], 0)
    window = Window(sizes, [1] * rank, dilations, [0] * rank, [0] * rank)
    if any(n < window.reach(i) for i, n in enumerate(x.shape[2:])):
        node.refuse(f"makes an image of {[n - p - q for n, p, q in zip(full, low, high)]} elements")
    total = convolve(b, x, w, window, groups, product_kind(kind), turned=True)
    return add_bias(node, total, node.optional(2), kind)


def _transposed_pads(node: Node, full: list[int], strides: list[int],
                     image: tuple[int, ...]) -> tuple[list[int], list[int]]:
    """What is cut off at both ends of each dimension of the full result."""
    rank = len(full)
    mode = node.text("auto_pad", "NOTSET")
    shape = node.ints("output_shape")
    if shape is not None:
        shape = shape[-rank:]
    elif mode in ("SAME_UPPER", "SAME_LOWER"):
        shape = [n * s for n, s in zip(image, strides)]
    if shape is not None:
        if len(shape) != rank:
            node.refuse(f"has attribute 'output_shape' = {shape} for {rank} dimensions")
        total = [f - n for f, n in zip(full, shape)]
        if mode == "SAME_UPPER":
            low = [t // 2 for t in total]
        else:
            low = [t - t // 2 for t in total]
        return low, [t - a for t, a in zip(total, low)]
    if mode == "VALID":
        return [0] * rank, [0] * rank
    pads = node.ints("pads") or [0] * (2 * rank)
    if len(pads) != 2 * rank:
        node.refuse(f"has {len(pads)} pads for {rank} dimensions")
    return pads[:rank], pads[rank:]
