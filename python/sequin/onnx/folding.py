# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is computed at import: nodes whose inputs are known.

Exported models compute shapes by nodes, from the shapes of their inputs. With all sizes
bound these are known, and so is what is made of them; none of it gets into the module.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .builder import Tensor
from .node import Node
from .types import BOOL, BY_CODE, INT64, ElementType, rounded_to, widened

__all__ = ["fold"]

Array = NDArray[Any]
Fold = Callable[..., Array]

#: Of more elements nothing is computed here but what moves them or makes views.
MOST_COMPUTED = 2**24


def fold(node: Node) -> list[Tensor] | None:
    """The outputs of a node whose inputs are known, where that can be computed here."""
    if node.op == "Shape":
        return [_shape(node)]
    if node.op == "Size":
        size = np.asarray(node.input(0).size, np.int64)
        return [node.b.constant(size, INT64)]
    present = [tensor for tensor in node.inputs if tensor is not None]
    if any(tensor.data is None for tensor in present):
        return None
    if node.op in CASTS:
        return _cast(node)
    how = FOLDS.get(node.op)
    if how is None or not present:
        return None
    function, result = how
    moves = node.op in MOVES
    if any(t.kind.kind == "other" or (t.kind.holds_bits and not _readable(t.kind))
           for t in present):
        return None
    weight = any(tensor.weight and tensor.size > 1 for tensor in present)
    if not moves and sum(tensor.size for tensor in present) > MOST_COMPUTED:
        return None
    if moves:
        arrays = [None if t is None else t.data for t in node.inputs]
    else:
        arrays = [None if t is None else widened(t.data, t.kind)
                  for t in node.inputs]  # type: ignore[arg-type]
    kind = result or present[1 if node.op == "Where" else 0].kind
    try:
        with np.errstate(all="ignore"):
            made = function(node, *arrays)
    except (IndexError, TypeError, ValueError):
        return None  # the operator says what is wrong
    if made is None:
        return None
    outputs = made if isinstance(made, list) else [made]
    tensors = []
    for array in outputs:
        data = np.asarray(array) if moves else rounded_to(np.asarray(array), kind)
        tensors.append(Tensor(kind, data.shape, data=data, name=present[0].name if weight else "",
                              weight=weight))
    return tensors


def _readable(kind: ElementType) -> bool:
    return kind.name in ("bfloat16", "float8e4m3fn", "float8e5m2")


def _shape(node: Node) -> Tensor:
    shape = list(node.input(0).shape)
    start, end = node.int("start", 0), node.int("end", len(shape))
    return node.b.constant(np.asarray(shape[start:end], np.int64), INT64)


#: Operators that change the type only.
CASTS = ("Cast", "CastLike")


def _cast(node: Node) -> list[Tensor] | None:
    x = node.input(0)
    kind = node.input(1).kind if node.op == "CastLike" else BY_CODE.get(node.int("to"))
    if kind is None or kind.kind == "other" or not kind.numpy or x.data is None:
        return None
    if (kind.holds_bits and not _readable(kind)) or x.kind.bits == 4 or kind.bits == 4:
        return None
    numbers = widened(x.data, x.kind)
    if kind.is_integer and numbers.dtype.kind == "f":
        numbers = np.trunc(numbers)
    with np.errstate(all="ignore"):
        data = rounded_to(numbers, kind)
    return [Tensor(kind, data.shape, data=data, name=x.name, weight=x.weight)]


# ===--- Elementwise -------------------------------------------------------=== #


def _elementwise(function: Callable[..., Any]) -> Fold:
    return lambda node, *arrays: function(*arrays)


def _divide(node: Node, x: Array, y: Array) -> Array:
    if x.dtype.kind == "f":
        return np.divide(x, y)
    if not np.all(y):
        node.refuse("divides by zero")
    quotient = np.floor_divide(np.abs(x), np.abs(y))
    return quotient * np.sign(x) * np.sign(y) if x.dtype.kind == "i" else quotient


def _modulo(node: Node, x: Array, y: Array) -> Array:
    return np.fmod(x, y) if node.int("fmod") else np.mod(x, y)


def _power(node: Node, x: Array, y: Array) -> Array:
    return np.power(x.astype(np.float64), y.astype(np.float64))


def _fold_all(function: Callable[[Array, Array], Array]) -> Fold:
    def run(node: Node, first: Array, *rest: Array) -> Array:
        for array in rest:
            first = function(first, array)
        return first

    return run


def _clip(node: Node, x: Array, low: Array | None = None,
          high: Array | None = None) -> Array | None:
    if node.opset < 11:
        return None
    x = x if low is None else np.maximum(x, low)
    return x if high is None else np.minimum(x, high)


# ===--- Moving elements ---------------------------------------------------=== #


def squeeze_shape(node: Node, shape: Sequence[int], axes: list[int] | None) -> list[int]:
    """The shape without dimensions of size 1."""
    if axes is None:
        return [size for size in shape if size != 1]
    places = node.axes(axes, len(shape))
    for axis in places:
        if shape[axis] != 1:
            node.refuse(f"removes dimension {axis}, which has size {shape[axis]}, not 1")
    return [size for i, size in enumerate(shape) if i not in places]


def unsqueeze_shape(node: Node, shape: Sequence[int], axes: list[int]) -> list[int]:
    """The shape with dimensions of size 1."""
    rank = len(shape) + len(axes)
    places = set(node.axes(axes, rank))
    rest = iter(shape)
    return [1 if i in places else next(rest) for i in range(rank)]


def axes_of(node: Node, place: int = 1, name: str = "axes", since: int = 13) -> list[int] | None:
    """Axes as an attribute, and as an input since a version."""
    given = node.ints(name)
    if given is None and node.opset >= since:
        return node.known_ints(place, name)
    return given


def reshaped(node: Node, shape: Sequence[int], wanted: Sequence[int]) -> list[int]:
    """The shape a Reshape asks for: 0 keeps a size, -1 is what is left."""
    result = list(wanted)
    if not node.int("allowzero"):
        for i, size in enumerate(result):
            if size == 0 and i >= len(shape):
                node.refuse(f"keeps dimension {i} of its input, which has {len(shape)}")
            result[i] = shape[i] if size == 0 else size
    count = int(np.prod(shape, dtype=object)) if shape else 1
    if result.count(-1) > 1 or any(size < -1 for size in result):
        node.refuse(f"reshapes to {list(wanted)}, one size at most can be -1")
    if -1 in result:
        rest = int(np.prod([s for s in result if s != -1], dtype=object)) if len(result) > 1 else 1
        if rest == 0 or count % rest:
            node.refuse(f"reshapes {list(shape)} to {list(wanted)}, which does not divide it")
        result[result.index(-1)] = count // rest
    if (int(np.prod(result, dtype=object)) if result else 1) != count:
        node.refuse(
            f"reshapes {list(shape)} to {list(wanted)}, which has another number of "
            "elements"
        )
    return result


def slices_of(node: Node, shape: Sequence[int]) -> list[slice]:
    """What a Slice cuts of each dimension, as ``range(start, stop, step)``."""
    if node.opset < 10:
        starts, ends, axes, steps = node.ints("starts"), node.ints("ends"), node.ints("axes"), None
    else:
        starts, ends = node.known_ints(1, "starts"), node.known_ints(2, "ends")
        axes, steps = node.known_ints(3, "axes"), node.known_ints(4, "steps")
    if starts is None or ends is None:
        node.refuse("has no starts or no ends")
    axes = list(range(len(starts))) if axes is None else [node.axis(a, len(shape)) for a in axes]
    steps = [1] * len(starts) if steps is None else steps
    if not len(starts) == len(ends) == len(axes) == len(steps):
        node.refuse(
            f"has {len(starts)} starts, {len(ends)} ends, {len(axes)} axes, {len(steps)} "
            "steps"
        )
    result = [slice(0, size, 1) for size in shape]
    for start, end, axis, step in zip(starts, ends, axes, steps):
        if step == 0:
            node.refuse("has a step of 0")
        start, stop, step = slice(start, end, step).indices(shape[axis])
        result[axis] = slice(start, stop, step)
    return result


def split_sizes(node: Node, size: int) -> list[int]:
    """Sizes of the parts a Split makes of a dimension."""
    parts = node.ints("split")
    if parts is None and node.opset >= 13:
        parts = node.known_ints(1, "split")
    if parts is None:
        count = node.int("num_outputs", len(node.outputs))
        if count < 1 or len(node.outputs) > count:
            node.refuse(f"makes {count} parts for {len(node.outputs)} outputs")
        part = -(-size // count)
        parts = [max(0, min(part, size - part * i)) for i in range(count)]
    if sum(parts) != size or any(part < 0 for part in parts) or len(parts) < len(node.outputs):
        node.refuse(f"cuts {size} elements into {parts} for {len(node.outputs)} outputs")
    return parts


def _reshape(node: Node, x: Array, *_: Any) -> Array:
    if node.opset < 5:
        return x.reshape(reshaped(node, x.shape, node.ints("shape") or []))
    return x.reshape(reshaped(node, x.shape, node.known_ints(1, "shape") or []))


def _squeeze(node: Node, x: Array, *_: Any) -> Array:
    return x.reshape(squeeze_shape(node, x.shape, axes_of(node)))


def _unsqueeze(node: Node, x: Array, *_: Any) -> Array:
    return x.reshape(unsqueeze_shape(node, x.shape, axes_of(node) or []))


def _flatten(node: Node, x: Array) -> Array:
    axis = node.int("axis", 1)
    axis = axis + x.ndim if axis < 0 else axis
    return x.reshape(int(np.prod(x.shape[:axis])), -1)


def _transpose(node: Node, x: Array) -> Array:
    return np.transpose(x, node.ints("perm"))


def _concat(node: Node, *parts: Array) -> Array:
    return np.concatenate(parts, node.int("axis", 1))


def _gather(node: Node, x: Array, at: Array) -> Array:
    axis = node.axis(node.int("axis"), x.ndim)
    if at.size and (at.min() < -x.shape[axis] or at.max() >= x.shape[axis]):
        node.refuse(f"reads position {at.max()} of dimension {axis}, which has {x.shape[axis]}")
    return np.take(x, at, axis)


def _slice(node: Node, x: Array, *_: Any) -> Array:
    cut = []
    for part in slices_of(node, x.shape):
        stop = None if part.stop < 0 else part.stop
        cut.append(slice(part.start, stop, part.step))
    return x[tuple(cut)]


def _split(node: Node, x: Array, *_: Any) -> list[Array]:
    axis = node.axis(node.int("axis"), x.ndim)
    places = np.cumsum(split_sizes(node, x.shape[axis]))[:-1]
    return list(np.split(x, places, axis))


def _expand(node: Node, x: Array, shape: Array) -> Array:
    sizes = np.broadcast_shapes(x.shape, tuple(int(n) for n in shape))
    node.check_size(sizes)
    return np.broadcast_to(x, sizes)


def _tile(node: Node, x: Array, counts: Array) -> Array | None:
    if x.size * int(np.prod(counts, dtype=object)) > MOST_COMPUTED:
        return None
    return np.tile(x, [int(n) for n in counts])


# ===--- Reductions and others ---------------------------------------------=== #


def _reduce(function: Callable[..., Any], since: int) -> Fold:
    def run(node: Node, x: Array, *_: Any) -> Array:
        axes = axes_of(node, since=since)
        if not axes:
            if node.int("noop_with_empty_axes"):
                return x
            axes = list(range(x.ndim))
        return np.asarray(function(x, axis=tuple(node.axes(axes, x.ndim)),
                                   keepdims=bool(node.int("keepdims", 1))))

    return run


def _where(node: Node, mask: Array, x: Array, y: Array) -> Array:
    return np.where(mask, x, y)


def _range(node: Node, start: Array, limit: Array, step: Array) -> Array:
    first, last, by = (np.asarray(n).reshape(-1)[0] for n in (start, limit, step))
    if by == 0:
        node.refuse("has a step of 0")
    count = max(0, int(np.ceil((float(last) - float(first)) / float(by))))
    node.check_size([count])
    if count > MOST_COMPUTED:
        node.refuse(f"makes {count} numbers, {MOST_COMPUTED} at most are made at import")
    return np.asarray(first + np.arange(count).astype(start.dtype) * by)


def _trilu(node: Node, x: Array, k: Array | None = None) -> Array:
    offset = 0 if k is None else int(k.reshape(-1)[0])
    return (np.triu if node.int("upper", 1) else np.tril)(x, offset)


def _nonzero(node: Node, x: Array) -> Array:
    return np.stack(np.nonzero(x)).astype(np.int64)


def _cumsum(node: Node, x: Array, axis: Array) -> Array | None:
    if node.int("exclusive") or node.int("reverse"):
        return None
    return np.cumsum(x, node.axis(int(axis.reshape(-1)[0]), x.ndim)).reshape(x.shape)


#: Operators computed here, and the type of their result where it is not the first input's.
FOLDS: dict[str, tuple[Fold, ElementType | None]] = {
    "Identity": (lambda node, x: x, None),
    "Add": (_elementwise(np.add), None),
    "Sub": (_elementwise(np.subtract), None),
    "Mul": (_elementwise(np.multiply), None),
    "Div": (_divide, None),
    "Mod": (_modulo, None),
    "Pow": (_power, None),
    "Neg": (_elementwise(np.negative), None),
    "Abs": (_elementwise(np.abs), None),
    "Sign": (_elementwise(np.sign), None),
    "Floor": (_elementwise(np.floor), None),
    "Ceil": (_elementwise(np.ceil), None),
    "Round": (_elementwise(np.rint), None),
    "Sqrt": (_elementwise(np.sqrt), None),
    "Exp": (_elementwise(np.exp), None),
    "Log": (_elementwise(np.log), None),
    "Sin": (_elementwise(np.sin), None),
    "Cos": (_elementwise(np.cos), None),
    "Reciprocal": (_elementwise(np.reciprocal), None),
    "Max": (_fold_all(np.maximum), None),
    "Min": (_fold_all(np.minimum), None),
    "Clip": (_clip, None),
    "Not": (_elementwise(np.logical_not), BOOL),
    "And": (_elementwise(np.logical_and), BOOL),
    "Or": (_elementwise(np.logical_or), BOOL),
    "Xor": (_elementwise(np.logical_xor), BOOL),
    "Equal": (_elementwise(np.equal), BOOL),
    "Less": (_elementwise(np.less), BOOL),
    "LessOrEqual": (_elementwise(np.less_equal), BOOL),
    "Greater": (_elementwise(np.greater), BOOL),
    "GreaterOrEqual": (_elementwise(np.greater_equal), BOOL),
    "Where": (_where, None),
    "Reshape": (_reshape, None),
    "Squeeze": (_squeeze, None),
    "Unsqueeze": (_unsqueeze, None),
    "Flatten": (_flatten, None),
    "Transpose": (_transpose, None),
    "Concat": (_concat, None),
    "Gather": (_gather, None),
    "Slice": (_slice, None),
    "Split": (_split, None),
    "Expand": (_expand, None),
    "Tile": (_tile, None),
    "ReduceProd": (_reduce(np.prod, 18), None),
    "ReduceSum": (_reduce(np.sum, 13), None),
    "ReduceMax": (_reduce(np.max, 18), None),
    "ReduceMin": (_reduce(np.min, 18), None),
    "Range": (_range, None),
    "Trilu": (_trilu, None),
    "NonZero": (_nonzero, INT64),
    "CumSum": (_cumsum, None),
}

#: Those that move elements and do not look at them.
MOVES = frozenset(
    "Identity Reshape Squeeze Unsqueeze Flatten Transpose Concat Gather Slice Split Expand Tile "
    "Trilu".split()
)
