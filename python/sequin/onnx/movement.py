# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that move elements, and those that make constants."""

from __future__ import annotations

import numpy as np

from .body import Body, Scalar
from .builder import Tensor, broadcast_shapes, loops
from .folding import axes_of, reshaped, slices_of, split_sizes, squeeze_shape, unsqueeze_shape
from .node import Node, operator
from .types import BY_CODE, FLOAT32, INT64, rounded_to

__all__: list[str] = []


# ===--- Constants ---------------------------------------------------------=== #


@operator("Constant")
def constant(node: Node) -> Tensor:
    b = node.b
    for name, kind in (("value_float", np.float32), ("value_int", np.int64)):
        if node.has(name):
            array = np.asarray(node.attributes[name], kind)
            return b.constant(array, FLOAT32 if kind is np.float32 else INT64, node.name)
    for name, kind in (("value_floats", np.float32), ("value_ints", np.int64)):
        if node.has(name):
            array = np.asarray(node.attributes[name], kind)
            return b.constant(array, FLOAT32 if kind is np.float32 else INT64, node.name)
    value = node.tensor("value")
    if value is None:
        node.refuse("has no numbers as its value",
                    "for strings and sparse tensors the machine has no type")
    value.name = node.outputs[0]
    value.weight = value.size > 1
    return value


@operator("ConstantOfShape")
def constant_of_shape(node: Node) -> Tensor:
    shape = node.known_ints(0, "shape") or []
    node.check_size(shape)
    value = node.tensor("value")
    if value is None or value.data is None:
        return Tensor(FLOAT32, tuple(shape), data=np.broadcast_to(np.float32(0), shape))
    if value.size != 1:
        node.refuse(f"has a value of shape {list(value.shape)}, expected a single number")
    return Tensor(value.kind, tuple(shape), data=np.broadcast_to(value.data.reshape(()), shape))


@operator("EyeLike")
def eye_like(node: Node) -> Tensor:
    x = node.input(0)
    if x.rank != 2:
        node.refuse(f"has an input of {x.rank} dimensions, expected 2")
    kind = BY_CODE.get(node.int("dtype", x.kind.code))
    if kind is None or not kind.numpy or not kind.stored:
        node.refuse("makes elements of a type that the machine lacks")
    node.check_size(x.shape)
    eye = np.eye(*x.shape, k=node.int("k"), dtype=np.float32)
    return node.b.constant(rounded_to(eye, kind), kind)


@operator("Range")
def range_of(node: Node) -> Tensor:
    for i, what in enumerate(("start", "limit", "step")):
        node.known(i, what)
    node.refuse("could not be computed when the model is imported")


# ===--- Shapes ------------------------------------------------------------=== #


@operator("Shape", "Size")
def shape_of(node: Node) -> Tensor:
    node.refuse("has no input")  # with one it is computed at import


@operator("Reshape")
def reshape(node: Node) -> Tensor:
    x = node.input(0)
    wanted = node.known_ints(1, "shape")
    if wanted is None:
        node.refuse("has no shape")
    return node.b.reshape(x, reshaped(node, x.shape, wanted))


@operator("Flatten")
def flatten(node: Node) -> Tensor:
    x = node.input(0)
    axis = node.int("axis", 1)
    if not -x.rank <= axis <= x.rank:
        node.refuse(f"has axis {axis}, its input has {x.rank} dimensions")
    axis += x.rank if axis < 0 else 0
    first = int(np.prod(x.shape[:axis], dtype=object)) if axis else 1
    return node.b.reshape(x, [first, x.size // first])


@operator("Squeeze")
def squeeze(node: Node) -> Tensor:
    x = node.input(0)
    return node.b.reshape(x, squeeze_shape(node, x.shape, axes_of(node)))


@operator("Unsqueeze")
def unsqueeze(node: Node) -> Tensor:
    x = node.input(0)
    axes = axes_of(node)
    if axes is None:
        node.refuse("has no axes")
    return node.b.reshape(x, unsqueeze_shape(node, x.shape, axes))


@operator("Expand")
def expand(node: Node) -> Tensor:
    x = node.input(0)
    wanted = node.known_ints(1, "shape") or []
    shape = broadcast_shapes([x.shape, tuple(wanted)])
    if shape is None:
        node.refuse(f"expands shape {list(x.shape)} to {wanted}, which do not go together")
    node.check_size(shape)
    return node.b.broadcast(x, shape)


@operator("Tile")
def tile(node: Node) -> Tensor:
    x = node.input(0)
    counts = node.known_ints(1, "repeats") or []
    if len(counts) != x.rank or any(n < 1 for n in counts):
        node.refuse(f"repeats {counts}, its input has {x.rank} dimensions")
    node.check_size([n * size for n, size in zip(counts, x.shape)])
    # A loop of its own for each repetition, before the dimension it repeats.
    shape, indices = [], []
    for n, size in zip(counts, x.shape):
        if n > 1:
            shape.append(n)
        indices.append(f"d{len(shape)}")
        shape.append(size)
    copied = node.b.copy(x, shape, indices)
    return node.b.reshape(copied, [n * size for n, size in zip(counts, x.shape)])


@operator("Transpose")
def transpose(node: Node) -> Tensor:
    x = node.input(0)
    order = node.ints("perm")
    order = list(reversed(range(x.rank))) if order is None else order
    if sorted(order) != list(range(x.rank)):
        node.refuse(f"has attribute 'perm' = {order}, its input has {x.rank} dimensions")
    return node.b.transpose(x, order)


# ===--- Slices and parts --------------------------------------------------=== #


@operator("Concat")
def concat(node: Node) -> Tensor:
    parts = node.required()
    kind = node.same_kinds(parts)
    axis = node.axis(node.int("axis", 1), parts[0].rank)
    for part in parts:
        rest = [size for i, size in enumerate(part.shape) if i != axis]
        if part.rank != parts[0].rank or rest != [s for i,
                                                  s in enumerate(parts[0].shape) if i != axis]:
            shapes = " and ".join(str(list(p.shape)) for p in parts)
            node.refuse(f"joins shapes {shapes} along dimension {axis}")
    result = node.b.concat(parts, axis)
    if kind.is_integer and result.range is None:
        result.range = parts[0].range
    return result


@operator("Split")
def split(node: Node) -> list[Tensor | None]:
    x = node.input(0)
    axis = node.axis(node.int("axis"), x.rank)
    results: list[Tensor | None] = []
    offset = 0
    for size in split_sizes(node, x.shape[axis])[: len(node.outputs)]:
        offsets = [offset if i == axis else 0 for i in range(x.rank)]
        shape = [size if i == axis else n for i, n in enumerate(x.shape)]
        wanted = node.wants(len(results))
        results.append(node.b.slice(x, offsets, shape) if wanted else None)
        offset += size
    return results


@operator("Slice")
def slice_of(node: Node) -> Tensor:
    x = node.input(0)
    for axis, part in enumerate(slices_of(node, x.shape)):
        x = node.b.take(x, axis, range(part.start, part.stop, part.step))
    return x


@operator("Pad")
def pad(node: Node) -> Tensor:
    x = node.input(0)
    mode = node.text("mode", "constant")
    if node.opset >= 11:
        pads = node.known_ints(1, "pads") or []
        axes = node.known_ints(3, "axes") if node.opset >= 18 else None
        value = 0.0
        if node.optional(2) is not None:
            known = node.input(2).splat
            value = float(node.known(2, "value").reshape(-1)[0]) if known is None else known
    else:
        pads, axes, value = node.ints("pads") or [], None, node.float("value")
    places = list(range(x.rank)) if axes is None else [node.axis(a, x.rank) for a in axes]
    if len(pads) != 2 * len(places):
        node.refuse(f"has {len(pads)} amounts for {len(places)} dimensions, expected two for each")
    low, high = [0] * x.rank, [0] * x.rank
    for i, axis in enumerate(places):
        low[axis], high[axis] = pads[i], pads[i + len(places)]
    shape = [a + n + z for a, n, z in zip(low, x.shape, high)]
    node.check_size(shape)
    if any(size < 1 for size in shape):
        node.refuse(f"makes a tensor of shape {shape}, which is empty")
    if mode == "constant":
        result = node.b.pad(x, low, high, value)
        if x.kind.is_integer:
            result.range = (min(x.bounds[0], int(value)), max(x.bounds[1], int(value)))
        return result
    for axis in range(x.rank):
        node.check_places(shape[axis])
        x = node.b.take(x, axis, _padded_places(node, mode, x.shape[axis], low[axis], high[axis]))
    return x


def _padded_places(node: Node, mode: str, size: int, low: int, high: int) -> list[int]:
    places = np.arange(-low, size + high)
    if mode == "edge":
        return list(np.clip(places, 0, size - 1))
    if mode == "wrap":
        return list(places % size)
    if mode != "reflect":
        node.refuse(
            f"has attribute 'mode' = '{mode}', expected 'constant', 'reflect', 'edge' or "
            "'wrap'"
        )
    if size == 1:
        return [0] * len(places)
    period = 2 * (size - 1)
    places = places % period
    return list(np.where(places < size, places, period - places))


@operator("Trilu")
def trilu(node: Node) -> Tensor:
    """Elements above or below a diagonal, zeros elsewhere."""
    x = node.input(0)
    if x.rank < 2:
        node.refuse(f"has an input of {x.rank} dimensions, expected 2 or more")
    offset = 0 if node.optional(1) is None else int(node.known(1, "diagonal").reshape(-1)[0])
    upper = node.int("upper", 1)
    rows, columns = x.shape[-2:]
    offset = max(-rows - 1, min(offset, columns + 1))

    def code(b: Body, value: Scalar) -> Scalar:
        row, column = b.index(x.rank - 2), b.index(x.rank - 1)
        edge = b.add(row, b.constant(offset, "i32"))
        keep = b.compare("ge" if upper else "le", column, edge)
        return b.select(keep, value, b.like(value, 0))

    result = node.b.generic(x.shape, [(x, loops(x.rank))], code, [x.kind])[0]
    if x.kind.is_integer:
        result.range = (min(x.bounds[0], 0), max(x.bounds[1], 0))
    return result


@operator("DepthToSpace", "SpaceToDepth")
def blocks(node: Node) -> Tensor:
    x = node.input(0)
    if x.rank != 4:
        node.refuse(f"has an input of {x.rank} dimensions, expected 4")
    size = node.int("blocksize")
    batch, channels, height, width = x.shape
    if size < 1:
        node.refuse(f"has attribute 'blocksize' = {size}, at least 1 is allowed")
    b = node.b
    if node.op == "SpaceToDepth":
        if height % size or width % size:
            node.refuse(f"cuts {height} by {width} elements into blocks of {size}")
        parts = b.reshape(x, [batch, channels, height // size, size, width // size, size])
        turned = b.transpose(parts, [0, 3, 5, 1, 2, 4])
        return b.reshape(turned, [batch, channels * size * size, height // size, width // size])
    mode = node.text("mode", "DCR")
    if mode not in ("DCR", "CRD") or channels % (size * size):
        node.refuse(f"makes blocks of {size} of {channels} channels in mode '{mode}'")
    rest = channels // (size * size)
    if mode == "DCR":
        parts = b.reshape(x, [batch, size, size, rest, height, width])
        turned = b.transpose(parts, [0, 3, 4, 1, 5, 2])
    else:
        parts = b.reshape(x, [batch, rest, size, size, height, width])
        turned = b.transpose(parts, [0, 1, 4, 2, 5, 3])
    return b.reshape(turned, [batch, rest, height * size, width * size])


@operator("ReverseSequence")
def reverse_sequence(node: Node) -> Tensor:
    """The first elements of each row turned around, as many as its length says."""
    x = node.input(0)
    lengths = node.known_ints(1, "lengths") or []
    time, batch = node.int("time_axis", 0), node.int("batch_axis", 1)
    if {time, batch} != {0, 1} or x.rank < 2 or len(lengths) != x.shape[batch]:
        node.refuse(
            f"has {len(lengths)} lengths for shape {list(x.shape)}, time {time}, batch "
            f"{batch}"
        )
    parts = []
    for i, length in enumerate(lengths):
        offsets = [i if axis == batch else 0 for axis in range(x.rank)]
        shape = [1 if axis == batch else n for axis, n in enumerate(x.shape)]
        row = node.b.slice(x, offsets, shape)
        places = [*reversed(range(length)), *range(length, x.shape[time])]
        parts.append(node.b.take(row, time, places))
    return node.b.concat(parts, batch)
