# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators on elements: arithmetic, functions, comparisons, casts."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from .body import Body, Scalar
from .builder import Tensor
from .node import Node, operator
from .types import BOOL, BY_CODE, I32_RANGE, ElementType, Range, rounded_to

__all__ = ["apply_gelu", "cast", "sigmoid"]

Unary = Callable[[Body, Scalar], Scalar]

#: The constants of Selu, as ONNX defines them.
SELU_ALPHA, SELU_GAMMA = 1.67326319217681884765625, 1.05070102214813232421875


# ===--- Functions of one float --------------------------------------------=== #


def sigmoid(b: Body, x: Scalar) -> Scalar:
    one = b.constant(1.0, "f32")
    return b.div(one, b.add(one, b.math("exp", b.neg(x))))


def softplus(b: Body, x: Scalar) -> Scalar:
    """log(1 + exp x) without overflow."""
    rest = b.math("log1p", b.math("exp", b.neg(b.abs(x))))
    return b.add(b.max(x, b.constant(0.0, "f32")), rest)


def erf_gelu(b: Body, x: Scalar) -> Scalar:
    scaled = b.math("erf", b.mul(x, b.constant(math.sqrt(0.5), "f32")))
    half = b.mul(x, b.constant(0.5, "f32"))
    return b.mul(half, b.add(scaled, b.constant(1.0, "f32")))


def tanh_gelu(b: Body, x: Scalar) -> Scalar:
    cube = b.mul(b.mul(x, x), x)
    inner = b.add(x, b.mul(cube, b.constant(0.044715, "f32")))
    curve = b.math("tanh", b.mul(inner, b.constant(math.sqrt(2 / math.pi), "f32")))
    half = b.mul(x, b.constant(0.5, "f32"))
    return b.mul(half, b.add(curve, b.constant(1.0, "f32")))


def apply_gelu(b: Body, x: Scalar, approximate: str) -> Scalar:
    return tanh_gelu(b, x) if approximate == "tanh" else erf_gelu(b, x)


def arctan(b: Body, x: Scalar) -> Scalar:
    """By a polynomial on [0, tan(pi/8)], to which the rest is reduced; to 2 units in the
    last place."""
    size = b.abs(x)
    one = b.constant(1.0, "f32")
    far = b.compare("gt", size, b.constant(math.tan(3 * math.pi / 8), "f32"))
    middle = b.compare("gt", size, b.constant(math.tan(math.pi / 8), "f32"))
    near = b.select(middle, b.div(b.sub(size, one), b.add(size, one)), size)
    y = b.select(far, b.div(b.constant(-1.0, "f32"), size), near)
    base = b.select(
        far,
        b.constant(math.pi / 2, "f32"),
        b.select(middle, b.constant(math.pi / 4, "f32"), b.constant(0.0, "f32")),
    )
    z = b.mul(y, y)
    poly = b.constant(8.05374449538e-2, "f32")
    for term in (-1.38776856032e-1, 1.99777106478e-1, -3.33329491539e-1):
        poly = b.add(b.mul(poly, z), b.constant(term, "f32"))
    value = b.add(base, b.add(b.mul(b.mul(poly, z), y), y))
    return b.math("copysign", value, x)


def arcsin(b: Body, x: Scalar) -> Scalar:
    """By a polynomial on [0, 1/2]; above by asin x = pi/2 - 2 asin sqrt((1 - x)/2)."""
    size = b.abs(x)
    half = b.constant(0.5, "f32")
    large = b.compare("gt", size, half)
    rest = b.mul(half, b.sub(b.constant(1.0, "f32"), size))
    z = b.select(large, rest, b.mul(size, size))
    y = b.select(large, b.math("sqrt", rest), size)
    poly = b.constant(4.2163199048e-2, "f32")
    for term in (2.4181311049e-2, 4.5470025998e-2, 7.4953002686e-2, 1.6666752422e-1):
        poly = b.add(b.mul(poly, z), b.constant(term, "f32"))
    value = b.add(b.mul(b.mul(poly, z), y), y)
    turned = b.sub(b.constant(math.pi / 2, "f32"), b.add(value, value))
    return b.math("copysign", b.select(large, turned, value), x)


def arccos(b: Body, x: Scalar) -> Scalar:
    return b.sub(b.constant(math.pi / 2, "f32"), arcsin(b, x))


def _float_sign(b: Body, x: Scalar) -> Scalar:
    zero = b.like(x, 0)
    negative = b.select(b.compare("lt", x, zero), b.like(x, -1), x)
    return b.select(b.compare("gt", x, zero), b.like(x, 1), negative)


FUNCTIONS: dict[str, Unary] = {
    "Exp": lambda b, x: b.math("exp", x),
    "Log": lambda b, x: b.math("log", x),
    "Sqrt": lambda b, x: b.math("sqrt", x),
    "Tanh": lambda b, x: b.math("tanh", x),
    "Erf": lambda b, x: b.math("erf", x),
    "Sin": lambda b, x: b.math("sin", x),
    "Cos": lambda b, x: b.math("cos", x),
    "Tan": lambda b, x: b.div(b.math("sin", x), b.math("cos", x)),
    "Sinh": lambda b, x: b.math("sinh", x),
    "Cosh": lambda b, x: b.math("cosh", x),
    "Asinh": lambda b, x: b.math("asinh", x),
    "Acosh": lambda b, x: b.math("acosh", x),
    "Atanh": lambda b, x: b.math("atanh", x),
    "Asin": arcsin,
    "Acos": arccos,
    "Atan": arctan,
    "Sigmoid": sigmoid,
    "Softplus": softplus,
    "Softsign": lambda b, x: b.div(x, b.add(b.abs(x), b.constant(1.0, "f32"))),
    "Reciprocal": lambda b, x: b.div(b.constant(1.0, "f32"), x),
    "Floor": lambda b, x: b.math("floor", x),
    "Ceil": lambda b, x: b.math("ceil", x),
    "Round": lambda b, x: b.math("roundeven", x),
    "Mish": lambda b, x: b.mul(x, b.math("tanh", softplus(b, x))),
}


@operator(*FUNCTIONS)
def function(node: Node) -> Tensor:
    x = node.float_input(0)
    return node.b.map([x], FUNCTIONS[node.op], x.kind)


@operator("Abs", "Neg", "Sign", "Relu")
def of_numbers(node: Node) -> Tensor:
    x = node.input(0)
    if x.kind.is_bool:
        node.refuse("works on numbers, its input is of bool")
    codes: dict[str, Unary] = {
        "Abs": lambda b, v: b.abs(v),
        "Neg": lambda b, v: b.neg(v),
        "Sign": _float_sign,
        "Relu": lambda b, v: b.max(v, b.like(v, 0)),
    }
    result = node.b.map([x], codes[node.op], x.kind)
    if x.kind.is_integer:
        low, high = x.bounds
        most = max(abs(low), abs(high))
        ranges = {
            "Abs": (0 if low <= 0 <= high else min(abs(low), abs(high)), most),
            "Neg": (-high, -low),
            "Sign": (-1, 1),
            "Relu": (max(low, 0), max(high, 0)),
        }
        result.range = node.fitting(*ranges[node.op], x.kind)
    return result


@operator("HardSigmoid", "HardSwish", "LeakyRelu", "Elu", "Selu", "Celu", "ThresholdedRelu",
          "Gelu", "Shrink", "Swish")
def activation(node: Node) -> Tensor:
    """Functions with parameters."""
    x = node.float_input(0)
    alpha = node.float("alpha",
                       {"HardSigmoid": 0.2, "LeakyRelu": 0.01, "Selu": SELU_ALPHA}.get(node.op,
                                                                                       1.0))
    beta, gamma = node.float("beta", 0.5), node.float("gamma", SELU_GAMMA)
    approximate = node.text("approximate", "none")
    bias, lambd = node.float("bias", 0.0), node.float("lambd", 0.5)
    if node.op == "Celu" and alpha == 0:
        node.refuse("has attribute 'alpha' = 0, by which it divides")
    if approximate not in ("none", "tanh"):
        node.refuse(f"has attribute 'approximate' = '{approximate}', expected 'none' or 'tanh'")

    def code(b: Body, v: Scalar) -> Scalar:
        def const(value: float) -> Scalar:
            return b.constant(value, "f32")

        def ramp(slope: float, start: float) -> Scalar:
            line = b.add(b.mul(v, const(slope)), const(start))
            return b.max(const(0.0), b.min(const(1.0), line))

        def below_zero(value: Scalar) -> Scalar:
            return b.select(b.compare("lt", v, const(0.0)), value, v)

        def expm1(scale: float) -> Scalar:
            return b.mul(const(scale), b.math("expm1", v))

        if node.op == "HardSigmoid":
            return ramp(alpha, beta)
        if node.op == "HardSwish":
            return b.mul(v, ramp(1 / 6, 0.5))
        if node.op == "LeakyRelu":
            return below_zero(b.mul(v, const(alpha)))
        if node.op == "Elu":
            return below_zero(expm1(alpha))
        if node.op == "Selu":
            return b.mul(const(gamma), below_zero(expm1(alpha)))
        if node.op == "Celu":
            curve = b.mul(const(alpha), b.math("expm1", b.div(v, const(alpha))))
            return b.add(b.max(v, const(0.0)), b.min(curve, const(0.0)))
        if node.op == "ThresholdedRelu":
            return b.select(b.compare("gt", v, const(alpha)), v, const(0.0))
        if node.op == "Swish":
            return b.mul(v, sigmoid(b, b.mul(v, const(alpha))))
        if node.op == "Shrink":
            above = b.select(b.compare("gt", v, const(lambd)), b.sub(v, const(bias)), const(0.0))
            return b.select(b.compare("lt", v, const(-lambd)), b.add(v, const(bias)), above)
        return apply_gelu(b, v, approximate)

    return node.b.map([x], code, x.kind)


@operator("PRelu")
def prelu(node: Node) -> Tensor:
    x, slope = node.input(0), node.input(1)
    kind = node.same_kinds([x, slope])
    if node.broadcast([x, slope]) != x.shape:
        node.refuse(f"has slopes of shape {list(slope.shape)} for an input of {list(x.shape)}")
    return node.b.map(
        [x, slope],
        lambda b, v, s: b.select(b.compare("lt", v, b.like(v, 0)), b.mul(v, s), v),
        kind,
        x.shape,
    )


@operator("Clip")
def clip(node: Node) -> Tensor:
    x = node.input(0)
    if node.opset >= 11:
        low, high = node.optional(1), node.optional(2)
    else:
        bounds = [node.float(name) if node.has(name) else None for name in ("min", "max")]
        low, high = (_known_number(node, x.kind, bound) for bound in bounds)
    parts = [x, *(t for t in (low, high) if t is not None)]
    for bound in parts[1:]:
        if bound.size != 1:
            node.refuse(f"has a bound of shape {list(bound.shape)}, expected a single number")
    node.same_kinds(parts)
    parts = [parts[0], *(node.b.reshape(t, ()) for t in parts[1:])]

    def code(b: Body, v: Scalar, *bounds: Scalar) -> Scalar:
        rest = list(bounds)
        if low is not None:
            v = b.max(v, rest.pop(0))
        return b.min(v, rest.pop(0)) if high is not None else v

    result = node.b.map(parts, code, x.kind, x.shape)
    if x.kind.is_integer:
        least, most = x.bounds
        if low is not None:
            least, most = max(least, low.bounds[0]), max(most, low.bounds[1])
        if high is not None:
            least, most = min(least, high.bounds[0]), min(most, high.bounds[1])
        result.range = (least, most)
    return result


def _known_number(node: Node, kind: ElementType, value: float | None) -> Tensor | None:
    if value is None:
        return None
    return node.b.constant(rounded_to(np.float32(value), kind), kind)


# ===--- Arithmetic --------------------------------------------------------=== #


def _product(x: Range, y: Range) -> Range:
    ends = [a * b for a in x for b in y]
    return min(ends), max(ends)


def _quotient(x: Range, y: Range) -> Range:
    most = max(abs(x[0]), abs(x[1]))
    return (0 if x[0] >= 0 and y[0] >= 0 else -most, most)


RANGES: dict[str, Callable[[Range, Range], Range]] = {
    "Add": lambda x, y: (x[0] + y[0], x[1] + y[1]),
    "Sub": lambda x, y: (x[0] - y[1], x[1] - y[0]),
    "Mul": _product,
    "Div": _quotient,
}


@operator("Add", "Sub", "Mul", "Div")
def arithmetic(node: Node) -> Tensor:
    x, y = node.input(0), node.input(1)
    kind = node.same_kinds([x, y])
    if kind.is_bool:
        node.refuse("works on numbers, its inputs are of bool")
    shape = node.broadcast([x, y])
    range = node.fitting(*RANGES[node.op](x.bounds, y.bounds), kind) if kind.is_integer else None
    codes: dict[str, Callable[[Body, Scalar, Scalar], Scalar]] = {
        "Add": Body.add, "Sub": Body.sub, "Mul": Body.mul, "Div": Body.div,
    }
    result = node.b.map([x, y], codes[node.op], kind, shape)
    result.range = range
    return result


@operator("Mod")
def modulo(node: Node) -> Tensor:
    x, y = node.input(0), node.input(1)
    kind = node.same_kinds([x, y])
    keeps_sign = node.int("fmod")
    if kind.is_float and not keeps_sign:
        node.refuse("works on integers with attribute 'fmod' = 0, its inputs are floats")

    def of_floats(b: Body, v: Scalar, w: Scalar) -> Scalar:
        rest = v
        for _ in (1, 2, 3):  # a quotient of f32 has 24 bits
            rest = b.fma(b.neg(b.math("trunc", b.div(rest, w))), w, rest)
        size = b.abs(w)
        zero = b.constant(0.0, "f32")
        crossed = b.compare("lt", b.mul(b.math("copysign", b.like(v, 1), v), rest), zero)
        rest = b.select(crossed, b.add(rest, b.math("copysign", size, v)), rest)
        return b.math("copysign", rest, v)

    def of_integers(b: Body, v: Scalar, w: Scalar) -> Scalar:
        rest = b.divmod(v, w)[1]
        if keeps_sign or v.unsigned or kind.is_unsigned:
            return rest
        zero = b.constant(0, "i32")
        wrong = b.bitand(b.compare("ne", rest, zero), b.compare("lt", b.bitxor(rest, w), zero))
        return b.select(wrong, b.add(rest, w), rest)

    result = node.b.map([x, y], of_floats if kind.is_float else of_integers, kind,
                        node.broadcast([x, y]))
    if kind.is_integer:
        most = min(max(abs(n) for n in y.bounds) - 1, 2**31 - 1)
        low = 0 if y.bounds[0] >= 0 and (x.bounds[0] >= 0 or not keeps_sign) else -most
        result.range = node.fitting(low, most, kind)
    return result


@operator("Pow")
def power(node: Node) -> Tensor:
    x, y = node.input(0), node.input(1)
    for tensor in (x, y):
        if tensor.kind.is_bool:
            node.refuse("works on numbers, an input is of bool")

    def integers(b: Body, v: Scalar, e: Scalar) -> Scalar:
        """By squaring; of the exponents 32 and above only 0 and 1 have powers in i32."""
        one, result = b.constant(1, "i32"), b.like(v, 1)
        for bit in range(5):
            digit = b.bitand(b.shift(e, b.constant(bit, "i32"), left=False), one)
            result = b.select(b.to_bool(digit), b.mul(result, v), result)
            v = b.mul(v, v)
        return result

    def floats(b: Body, v: Scalar, e: Scalar) -> Scalar:
        if not y.kind.is_float and x.kind.is_float:
            of = f"math.fpowi {v.text}, {e.text} : f32, i32"
            return b.emit(of, "f32")
        return b.convert(b.math("powf", b.to_float(v), b.to_float(e)), x.kind)

    exact = x.kind.is_integer and y.kind.is_integer
    if x.kind.is_integer and x.kind.bits > 32:
        node.refuse(
            f"computes powers of {x.kind}, which may not fit in i32, the machine's widest integer",
            "cast the base to int32 or float32 before",
        )
    return node.b.map([x, y], integers if exact else floats, x.kind, node.broadcast([x, y]))


@operator("Max", "Min", "Sum", "Mean")
def variadic(node: Node) -> Tensor:
    tensors = node.required()
    kind = node.same_kinds(tensors)
    if kind.is_bool or (node.op in ("Sum", "Mean") and not kind.is_float):
        node.refuse(f"works on {'numbers' if kind.is_bool else 'floats'}, its inputs are of {kind}")
    step = {"Max": Body.max, "Min": Body.min}.get(node.op, Body.add)

    def code(b: Body, *values: Scalar) -> Scalar:
        total = values[0]
        for value in values[1:]:
            total = step(b, total, value)
        return b.div(total, b.constant(len(values), "f32")) if node.op == "Mean" else total

    result = node.b.map(tensors, code, kind, node.broadcast(tensors))
    if kind.is_integer:
        pick = max if node.op == "Max" else min
        result.range = (pick(t.bounds[0] for t in tensors), pick(t.bounds[1] for t in tensors))
    return result


# ===--- Truth values and bits ---------------------------------------------=== #


COMPARISONS = {"Equal": "eq", "Less": "lt", "LessOrEqual": "le", "Greater": "gt",
               "GreaterOrEqual": "ge"}


@operator(*COMPARISONS)
def compare(node: Node) -> Tensor:
    x, y = node.input(0), node.input(1)
    kind = node.same_kinds([x, y])
    how = COMPARISONS[node.op]

    def code(b: Body, v: Scalar, w: Scalar) -> Scalar:
        return b.invert(b.bitxor(v, w)) if kind.is_bool else b.compare(how, v, w)

    if kind.is_bool and how != "eq":
        node.refuse("compares numbers, its inputs are of bool")
    return node.b.map([x, y], code, BOOL, node.broadcast([x, y]))


@operator("And", "Or", "Xor", "BitwiseAnd", "BitwiseOr", "BitwiseXor")
def combine(node: Node) -> Tensor:
    x, y = node.input(0), node.input(1)
    kind = node.same_kinds([x, y])
    on_bits = node.op.startswith("Bitwise")
    if kind.is_float or kind.is_bool == on_bits:
        node.refuse(f"works on {'integers' if on_bits else 'bool'}, its inputs are of {kind}")
    step = {"And": Body.bitand, "Or": Body.bitor,
            "Xor": Body.bitxor}[node.op.removeprefix("Bitwise")]
    return node.b.map([x, y], step, kind, node.broadcast([x, y]))


@operator("Not", "BitwiseNot")
def invert(node: Node) -> Tensor:
    x = node.input(0)
    if x.kind.is_float or x.kind.is_bool == (node.op == "BitwiseNot"):
        node.refuse(
            f"works on {'bool' if node.op == 'Not' else 'integers'}, its input is of "
            f"{x.kind}"
        )
    if x.kind.name == "uint64":
        node.refuse("inverts uint64 numbers, which do not fit in i32, the machine's widest integer")
    return node.b.map([x], Body.invert, x.kind)


@operator("BitShift")
def bit_shift(node: Node) -> Tensor:
    x, y = node.input(0), node.input(1)
    kind = node.same_kinds([x, y])
    direction = node.text("direction")
    if direction not in ("LEFT", "RIGHT"):
        node.refuse(f"has attribute 'direction' = '{direction}', expected 'LEFT' or 'RIGHT'")
    if not kind.is_unsigned:
        node.refuse(f"shifts unsigned integers, its inputs are of {kind}")
    left = direction == "LEFT"
    bounds = x.bounds
    if left:
        most = min(max(y.bounds[1], 0), kind.bits - 1)
        bounds = (0, bounds[1] << most)
        if kind.bits > 32 and bounds[1] > I32_RANGE[1]:
            node.refuse(
                "shifts uint64 numbers, which may not fit in i32, the machine's widest integer",
                "cast to uint32 before",
            )

    def code(b: Body, v: Scalar, count: Scalar) -> Scalar:
        limit = b.constant(min(kind.bits, 32), "i32")
        within = b.compare("lt", Scalar(count.text, "i32", True), Scalar(limit.text, "i32", True))
        shifted = b.shift(v, b.select(within, count, b.like(count, 0)), left)
        return b.select(within, shifted, b.like(v, 0))

    result = node.b.map([x, y], code, kind, node.broadcast([x, y]))
    result.range = node.fitting(*bounds, kind)
    return result


@operator("IsNaN", "IsInf")
def classify(node: Node) -> Tensor:
    x = node.float_input(0)
    negative, positive = node.int("detect_negative", 1), node.int("detect_positive", 1)

    def code(b: Body, v: Scalar) -> Scalar:
        if node.op == "IsNaN":
            return b.emit(f"arith.cmpf uno, {v.text}, {v.text} : f32", "i1")
        infinity = b.constant(math.inf, "f32")
        if negative and positive:
            return b.compare("eq", b.abs(v), infinity)
        if not negative and not positive:
            return b.compare("lt", v, b.constant(-math.inf, "f32"))
        return b.compare("eq", v, infinity if positive else b.constant(-math.inf, "f32"))

    return node.b.map([x], code, BOOL)


@operator("Where")
def where(node: Node) -> Tensor:
    mask, x, y = node.input(0), node.input(1), node.input(2)
    if not mask.kind.is_bool:
        node.refuse(f"chooses by bool, its condition is of {mask.kind}")
    kind = node.same_kinds([x, y])
    result = node.b.map([mask, x, y], Body.select, kind, node.broadcast([mask, x, y]))
    if kind.is_integer:
        result.range = (min(x.bounds[0], y.bounds[0]), max(x.bounds[1], y.bounds[1]))
    return result


# ===--- Casts and copies --------------------------------------------------=== #

#: The greatest finite numbers of the 8-bit floats, to which casts saturate.
GREATEST_FLOAT8 = {"float8e4m3fn": 448.0, "float8e5m2": 57344.0}


def cast(node: Node, x: Tensor, kind: ElementType) -> Tensor:
    """The same numbers in another type."""
    if kind is x.kind:
        return x
    if not kind.stored:
        what = "for which the machine has no type"
        if kind.is_float:
            what = "the machine's widest float is float32"
        node.refuse(f"casts to {kind}, {what}", "cast to float32" if kind.is_float else "")
    range = None
    if kind.is_integer:
        if x.kind.is_float and kind.bits > 32:
            node.refuse(
                f"casts floats to {kind}, which may not fit in i32, the machine's widest integer",
                "cast to int32",
            )
        low, high = kind.range if x.kind.is_float else x.bounds
        range = node.fitting(low, high, kind)
    greatest = GREATEST_FLOAT8.get(kind.name)

    def code(b: Body, v: Scalar) -> Scalar:
        word = b.convert(v, kind)
        if kind.name == "uint4":  # which is stored in a byte
            word = b.bitand(word, b.constant(15, "i32"))
        if greatest is not None and node.int("saturate", 1):
            word = b.max(b.min(word, b.constant(greatest, "f32")), b.constant(-greatest, "f32"))
        return word

    same = x.kind.is_integer and x.kind.stored == kind.stored and kind.bits != 4
    if same and x.ssa:
        return Tensor(kind, x.shape, x.ssa, range=range)
    result = node.b.map([x], code, kind)
    result.range = range
    return result


@operator("Cast", "CastLike")
def cast_node(node: Node) -> Tensor:
    x = node.input(0)
    if node.op == "CastLike":
        return cast(node, x, node.input(1).kind)
    kind = BY_CODE.get(node.int("to"))
    if kind is None:
        node.refuse(f"has attribute 'to' = {node.int('to')}, which is no type of ONNX")
    return cast(node, x, kind)


@operator("Identity")
def identity(node: Node) -> Tensor:
    return node.input(0)


@operator("Dropout")
def dropout(node: Node) -> list[Tensor | None]:
    """At inference: nothing is dropped."""
    x = node.input(0)
    if node.opset >= 12 and node.optional(2) is not None:
        training = bool(node.known(2, "training mode").reshape(-1)[0])
        ratio = 0.5 if node.optional(1) is None else float(node.known(1, "ratio").reshape(-1)[0])
        if training and ratio:
            node.refuse("drops elements at random, as in training",
                        "export the model for inference")
    mask = None
    if node.wants(1):
        kind = BOOL if node.opset >= 10 else x.kind
        mask = node.b.fill(x.shape, kind, 1)
    return [x, mask]
