# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Quantized tensors: to and from them, and products of them in integers."""

from __future__ import annotations

from collections.abc import Sequence

from .body import Body, Scalar
from .builder import Operand, Tensor, loops
from .contractions import without_units
from .convolutions import Window, check_channels, read_window
from .node import Node, operator
from .reduction import extremum
from .types import BY_CODE, FLOAT32, INT32, UINT8, ElementType

__all__: list[str] = []

#: The greatest finite numbers of the 8-bit floats.
GREATEST_FLOAT8 = {"float8e4m3fn": 448.0, "float8e5m2": 57344.0}


def _parameter(node: Node, x: Tensor, parameter: Tensor, what: str) -> Operand:
    """A scale or a zero point as an operand over the loops of `x`: one number, one for
    each position of an axis, or one for each block along it."""
    if parameter.size == 1:
        return node.b.reshape(parameter, ()), []
    axis = node.axis(node.int("axis", 1), x.rank)
    block = node.int("block_size")
    if parameter.rank == 1 and not block:
        if parameter.shape[0] != x.shape[axis]:
            node.refuse(
                f"has a {what} of shape {list(parameter.shape)} for dimension {axis} of "
                f"{list(x.shape)}"
            )
        return parameter, [f"d{axis}"]
    expected = [-(-n // block) if i == axis and block else n for i, n in enumerate(x.shape)]
    if not block or list(parameter.shape) != expected:
        node.refuse(
            f"has a {what} of shape {list(parameter.shape)} for an input of "
            f"{list(x.shape)}"
        )
    if x.shape[axis] % block:
        node.refuse(f"has blocks of {block} in dimension {axis}, which has {x.shape[axis]}")
    # Each number of the parameter as often as its block is long.
    places = [i // block for i in range(x.shape[axis])]
    if parameter.data is not None:
        return node.b.take(parameter, axis, places), loops(x.rank)
    shape = [*parameter.shape[: axis + 1], block, *parameter.shape[axis + 1 :]]
    indices = [f"d{i if i <= axis else i + 1}" for i in range(x.rank)]
    return node.b.reshape(node.b.copy(parameter, shape, indices), x.shape), loops(x.rank)


def quantized(b: Body, value: Scalar, zero: Scalar | None, kind: ElementType) -> Scalar:
    """A float rounded to nearest even, moved by the zero point and cut to the range."""
    if kind.is_float:
        limit = GREATEST_FLOAT8[kind.name]
        return b.max(b.min(value, b.constant(limit, "f32")), b.constant(-limit, "f32"))
    low, high = kind.range
    # In floats first: what does not fit in i32 would have no meaning.
    reach = float(2**24)
    value = b.max(b.min(value, b.constant(reach, "f32")), b.constant(-reach, "f32"))
    whole = b.to_int(b.math("roundeven", value))
    if zero is not None:
        whole = b.add(whole, zero)
    return b.max(b.min(whole, b.constant(high, "i32")), b.constant(low, "i32"))


def _narrow(node: Node, kind: ElementType) -> ElementType:
    """A type to quantize to."""
    if (kind.is_integer and kind.bits <= 16 and kind.stored) or kind.name in GREATEST_FLOAT8:
        return kind
    node.refuse(
        f"quantizes to {kind}, allowed are integers of up to 16 bits and 8-bit "
        "floats"
    )


@operator("QuantizeLinear")
def quantize(node: Node) -> Tensor:
    x, scale, zero = node.input(0), node.input(1), node.optional(2)
    if zero is not None:
        kind = zero.kind
    else:
        kind = BY_CODE.get(node.int("output_dtype") or UINT8.code, UINT8)
    kind = _narrow(node, kind)
    operands: list[Operand] = [(x, loops(x.rank)), _parameter(node, x, scale, "scale")]
    if zero is not None:
        operands.append(_parameter(node, x, zero, "zero point"))

    def code(b: Body, v: Scalar, s: Scalar, *z: Scalar) -> Scalar:
        ratio = b.div(b.to_float(v), b.to_float(s))
        return quantized(b, ratio, z[0] if z and not kind.is_float else None, kind)

    return node.b.generic(x.shape, operands, code, [kind])[0]


@operator("DequantizeLinear")
def dequantize(node: Node) -> Tensor:
    x, scale, zero = node.input(0), node.input(1), node.optional(2)
    if not scale.kind.is_float:
        node.refuse(f"has a scale of {scale.kind}, expected a float")
    operands: list[Operand] = [(x, loops(x.rank)), _parameter(node, x, scale, "scale")]
    if zero is not None:
        operands.append(_parameter(node, x, zero, "zero point"))

    def code(b: Body, v: Scalar, s: Scalar, *z: Scalar) -> Scalar:
        if z and v.type == "i32":
            v = b.sub(v, z[0])
        return b.mul(b.to_float(v), s)

    return node.b.generic(x.shape, operands, code, [scale.kind])[0]


@operator("DynamicQuantizeLinear")
def dynamic_quantize(node: Node) -> list[Tensor | None]:
    """The scale and the zero point that cover what there is, and zero."""
    x, b = node.float_input(0), node.b
    axes = list(range(x.rank))
    high, low = (extremum(node, x, axes, largest) for largest in (True, False))

    def spread(c: Body, most: Scalar, least: Scalar) -> Scalar:
        zero = c.constant(0.0, "f32")
        return c.div(c.sub(c.max(most, zero), c.min(least, zero)), c.constant(255.0, "f32"))

    scale = b.map([high, low], spread, FLOAT32)
    zero = b.map(
        [low, scale],
        lambda c, least, s: quantized(
            c, c.div(c.sub(c.constant(0.0, "f32"), c.min(least, c.constant(0.0, "f32"))),
                     s), None, UINT8),
        UINT8,
    )
    y = b.map([x, scale, zero], lambda c, v, s, z: quantized(c, c.div(v, s), z, UINT8), UINT8,
              x.shape)
    return [y, scale, zero]


# ===--- Products ----------------------------------------------------------=== #


def _integers(node: Node, tensor: Tensor) -> None:
    if not tensor.kind.is_integer or tensor.kind.bits > 8:
        node.refuse(f"multiplies int8 and uint8, an input is of {tensor.kind}")


def _integer_matmul(node: Node, x: Tensor, y: Tensor, zero_x: Tensor | None,
                    zero_y: Tensor | None) -> Tensor:
    """(x - its zero point) times (y - its), summed in i32."""
    b = node.b
    _integers(node, x)
    _integers(node, y)
    if x.rank < 2 or y.rank < 2:
        node.refuse(f"multiplies matrices, its inputs have {x.rank} and {y.rank} dimensions")
    batch = node.broadcast([
        Tensor(x.kind, x.shape[:-2]), Tensor(y.kind, y.shape[:-2]),
    ])
    rows, inner, columns = x.shape[-2], x.shape[-1], y.shape[-1]
    if y.shape[-2] != inner:
        node.refuse(
            f"multiplies shapes {list(x.shape)} and {list(y.shape)}, which do not go "
            "together"
        )
    count = len(batch)
    m, n, k = (f"d{count + i}" for i in range(3))

    def operand(t: Tensor, row: str, column: str) -> Operand:
        first = count - (t.rank - 2)
        outer = [
            "0" if size == 1 and batch[first + i] != 1 else f"d{first + i}"
            for i, size in enumerate(t.shape[:-2])
        ]
        return without_units(b, t, [*outer, row, column])

    operands = [operand(x, m, k), operand(y, k, n)]
    for zero, t, loop, size in ((zero_x, x, m, rows), (zero_y, y, n, columns)):
        if zero is None:
            continue
        if zero.kind is not t.kind:
            node.refuse(f"has a zero point of {zero.kind} for {t.kind}")
        if zero.size == 1:
            operands.append((b.reshape(zero, ()), []))
        elif zero.size == size:
            operands.append((b.reshape(zero, [size]), [loop]))
        else:
            node.refuse(f"has a zero point of shape {list(zero.shape)} for {list(t.shape)}")
    return _sum_of_products(node, [*batch, rows, columns, inner], operands, [zero_x, zero_y],
                            [*(f"d{i}" for i in range(count)), m, n])


def _sum_of_products(node: Node, sizes: Sequence[int], operands: Sequence[Operand],
                     zeros: Sequence[Tensor | None], out: Sequence[str]) -> Tensor:
    def code(b: Body, v: Scalar, w: Scalar, *rest: Scalar) -> Scalar:
        *points, total = rest
        left = list(points)
        if zeros[0] is not None:
            v = b.sub(v, left.pop(0))
        if zeros[1] is not None:
            w = b.sub(w, left.pop(0))
        return b.add(total, b.mul(v, w))

    shape = [int(sizes[int(e[1:])]) for e in out]
    init = node.b.fill(shape, INT32, 0)
    node.b.count_macs(sizes)
    return node.b.generic(sizes, operands, code, [INT32], outs=[out], inits=[init])[0]


@operator("MatMulInteger")
def matmul_integer(node: Node) -> Tensor:
    return _integer_matmul(node, node.input(0), node.input(1), node.optional(2), node.optional(3))


def _requantized(node: Node, total: Tensor, scales: Sequence[Operand], zero: Tensor,
                 out: ElementType) -> Tensor:
    """Sums in i32 as numbers of the result's scale: total * a * b / y + zero point."""
    if zero.size != 1:
        node.refuse(
            f"has a zero point of shape {list(zero.shape)} for its result, expected one "
            "number"
        )

    def code(b: Body, v: Scalar, x: Scalar, w: Scalar, y: Scalar, z: Scalar) -> Scalar:
        ratio = b.div(b.mul(x, w), y)
        return quantized(b, b.mul(b.to_float(v), ratio), z, out)

    operands = [(total, loops(total.rank)), *scales, (node.b.reshape(zero, ()), [])]
    return node.b.generic(total.shape, operands, code, [_narrow(node, out)])[0]


def _scale(node: Node, scale: Tensor, loop: str, size: int) -> Operand:
    if scale.size == 1:
        return node.b.reshape(scale, ()), []
    if scale.size != size:
        node.refuse(f"has a scale of shape {list(scale.shape)}, expected one number or {size}")
    return node.b.reshape(scale, [size]), [loop]


@operator("QLinearMatMul")
def qlinear_matmul(node: Node) -> Tensor:
    x, x_scale, x_zero, y, y_scale, y_zero, scale, zero = (node.input(i) for i in range(8))
    total = _integer_matmul(node, x, y, x_zero, y_zero)
    rank = total.rank
    scales = [
        _scale(node, x_scale, f"d{rank - 2}", total.shape[-2]),
        _scale(node, y_scale, f"d{rank - 1}", total.shape[-1]),
        _scale(node, scale, "", 1),
    ]
    return _requantized(node, total, scales, zero, zero.kind)


def _integer_conv(node: Node, x: Tensor, w: Tensor, zero_x: Tensor | None,
                  zero_w: Tensor | None) -> Tensor:
    """The same as a convolution; padding is the zero point."""
    b = node.b
    _integers(node, x)
    _integers(node, w)
    groups = node.int("group", 1)
    check_channels(node, x, w, groups)
    window = read_window(node, x.shape[2:], node.ints("kernel_shape") or list(w.shape[2:]))
    if window.sizes != list(w.shape[2:]):
        node.refuse(f"has a window of {window.sizes}, its weights have {list(w.shape[2:])}")
    if zero_x is not None:
        if zero_x.size != 1:
            node.refuse(
                f"has a zero point of shape {list(zero_x.shape)} for its image, expected one "
                "number"
            )
        if any([*window.low, *window.high]):
            # Of which nothing is known before it runs: the difference is padded instead.
            x = b.map([x, b.reshape(zero_x, ())], lambda c, v, z: c.sub(v, z), INT32, x.shape)
            zero_x = None
    image = b.pad(x, [0, 0, *window.low], [0, 0, *window.high], 0)
    return _windows(node, image, w, window, groups, zero_x, zero_w)


def _windows(node: Node, image: Tensor, w: Tensor, window: Window, groups: int,
             zero_x: Tensor | None, zero_w: Tensor | None) -> Tensor:
    b, rank = node.b, window.rank
    batch, channels = image.shape[:2]
    inner, outer = channels // groups, w.shape[0] // groups
    places = [(image.shape[2 + i] - window.reach(i)) // window.strides[i] + 1 for i in range(rank)]
    # Batch, group, channel made, places, channel summed, window.
    at = [f"d{3 + i}" for i in range(rank)]
    inside = [f"d{4 + rank + i}" for i in range(rank)]
    c = f"d{3 + rank}"
    sizes = [batch, groups, outer, *places, inner, *window.sizes]
    elements = [window.index(at[i], inside[i], i) for i in range(rank)]
    x5 = b.reshape(image, [batch, groups, inner, *image.shape[2:]])
    w5 = b.reshape(w, [groups, outer, inner, *window.sizes])
    operands: list[Operand] = [(x5, ["d0", "d1", c, *elements]), (w5, ["d1", "d2", c, *inside])]
    if zero_x is not None:
        operands.append((b.reshape(zero_x, ()), []))
    if zero_w is not None:
        if zero_w.size == 1:
            operands.append((b.reshape(zero_w, ()), []))
        elif zero_w.size == w.shape[0]:
            operands.append((b.reshape(zero_w, [groups, outer]), ["d1", "d2"]))
        else:
            node.refuse(f"has a zero point of shape {list(zero_w.shape)} for {w.shape[0]} channels")
    total = _sum_of_products(node, sizes, operands, [zero_x, zero_w], ["d0", "d1", "d2", *at])
    return b.reshape(total, [batch, w.shape[0], *places])


@operator("ConvInteger")
def conv_integer(node: Node) -> Tensor:
    return _integer_conv(node, node.input(0), node.input(1), node.optional(2), node.optional(3))


@operator("QLinearConv")
def qlinear_conv(node: Node) -> Tensor:
    x, x_scale, x_zero, w, w_scale, w_zero, scale, zero = (node.input(i) for i in range(8))
    total = _integer_conv(node, x, w, x_zero, w_zero)
    bias = node.optional(8)
    if bias is not None:
        if bias.shape != (w.shape[0],) or bias.kind is not INT32:
            node.refuse(
                f"has a bias of shape {list(bias.shape)} of {bias.kind}, expected [{w.shape[0]}] "
                "of int32"
            )
        shown = node.b.reshape(bias, [w.shape[0], *[1] * (total.rank - 2)])
        total = node.b.map([total, shown], lambda c, v, t: c.add(v, t), INT32, total.shape)
    scales = [_scale(node, x_scale, "", 1), _scale(node, w_scale, "d1", w.shape[0]),
              _scale(node, scale, "", 1)]
    return _requantized(node, total, scales, zero, zero.kind)
