# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operators of aten in terms of the table that ONNX models use.

A function of this table is called with a Maker and the arguments of the aten operator, its
tensors being Tensors of the module that is written. It gives what the operator's outputs
are. Overloads share a function, and so do operators in place: graph.py sees to their effect.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from ..onnx.builder import Tensor
from ..onnx.node import Refusal
from ..onnx.types import BOOL, FLOAT32, INT64, ElementType

__all__ = ["ATEN", "Maker", "VIEWS"]

Scalar = bool | int | float
Value = Tensor | Scalar


class Maker(Protocol):
    """Makes nodes of ONNX operators."""

    def __call__(self, op: str, *inputs: Any, outputs: int = 1, **attributes: Any) -> Any:
        """The outputs of one node; numbers and lists of integers among `inputs` are
        constants, the former of the type of the first tensor."""

    def constant(self, value: Any, kind: ElementType) -> Tensor: ...
    def kind_of(self, dtype: Any, default: ElementType) -> ElementType: ...


#: By name without overload and without the underscore of those in place.
ATEN: dict[str, Callable[..., Any]] = {}
#: Operators whose result is the same memory as their first argument.
VIEWS = {
    "alias", "as_strided", "detach", "diagonal", "expand", "narrow", "permute", "select", "slice",
    "split", "split_with_sizes", "squeeze", "t", "transpose", "unbind", "unsqueeze", "view",
}
#: The end of a dimension, as torch has it.
END = 2**63 - 1


def aten(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def enter(function: Callable[..., Any]) -> Callable[..., Any]:
        for name in names:
            ATEN[name] = function
        return function

    return enter


# ===--- Elementwise -------------------------------------------------------=== #

SAME = {
    "abs": "Abs", "neg": "Neg", "sign": "Sign", "sgn": "Sign", "relu": "Relu", "exp": "Exp",
    "log": "Log", "sqrt": "Sqrt", "sin": "Sin", "cos": "Cos", "tan": "Tan", "asin": "Asin",
    "acos": "Acos", "atan": "Atan", "sinh": "Sinh", "cosh": "Cosh", "tanh": "Tanh",
    "sigmoid": "Sigmoid", "erf": "Erf", "floor": "Floor", "ceil": "Ceil", "round": "Round",
    "reciprocal": "Reciprocal", "isnan": "IsNaN", "hardswish": "HardSwish",
    "logical_not": "Not", "mish": "Mish", "softplus": "Softplus",
}
for _name, _op in SAME.items():
    def _unary(make: Maker, x: Tensor, *rest: Any, _op: str = _op, **_: Any) -> Any:
        return make(_op, as_float(make, x) if _op not in KEEPS else x)

    ATEN[_name] = _unary

#: Of these the result has the type of the operand, whatever it is.
KEEPS = {"Abs", "Neg", "Sign", "Relu", "Not"}


def as_float(make: Maker, x: Tensor) -> Tensor:
    return x if x.kind.is_float else cast(make, x, FLOAT32)


def cast(make: Maker, x: Tensor, kind: ElementType) -> Tensor:
    made: Tensor = x if x.kind is kind else make("Cast", x, to=kind.code)
    return made


def promoted(make: Maker, *values: Value) -> list[Tensor]:
    """As torch promotes types: floats before integers before truth values, tensors before
    numbers."""
    tensors = [v for v in values if isinstance(v, Tensor)]

    def rank(kind: ElementType) -> tuple[int, int]:
        return (2 if kind.is_float else 1 if kind.is_integer else 0, kind.bits)

    # Tensors of no dimensions give way like numbers do, within a category.
    strong = [t for t in tensors if t.rank] or tensors
    kind = max((t.kind for t in strong), key=rank)
    for value in values:
        if isinstance(value, Tensor):
            if rank(value.kind)[0] > rank(kind)[0]:
                kind = value.kind
        elif isinstance(value, float) and not kind.is_float:
            kind = FLOAT32
        elif isinstance(value, int) and not isinstance(value, bool) and kind.is_bool:
            kind = INT64
    return [cast(make, v, kind) if isinstance(v, Tensor) else make.constant(v, kind)
            for v in values]


@aten("add", "sub", "rsub")
def add(make: Maker, x: Value, y: Value, alpha: Scalar = 1, *, _name: str = "add",
        **_: Any) -> Any:
    x, y = promoted(make, x, y) if _name != "rsub" else promoted(make, y, x)
    if alpha != 1:
        scaled = make("Mul", x if _name == "rsub" else y, alpha)
        x, y = (scaled, y) if _name == "rsub" else (x, scaled)
    if x.kind.is_bool:
        return make("Or", x, y)
    return make("Add" if _name == "add" else "Sub", x, y)


@aten("mul")
def mul(make: Maker, x: Value, y: Value) -> Any:
    x, y = promoted(make, x, y)
    return make("And" if x.kind.is_bool else "Mul", x, y)


@aten("div", "true_divide", "floor_divide")
def div(make: Maker, x: Value, y: Value, *, rounding_mode: str | None = None,
        _name: str = "div") -> Any:
    x, y = promoted(make, x, y)
    if _name == "floor_divide":
        rounding_mode = "floor"
    if not x.kind.is_float and rounding_mode == "trunc":
        return make("Div", x, y)
    whole = None if x.kind.is_float else x.kind
    made = make("Div", as_float(make, x), as_float(make, y))
    if rounding_mode is None:
        return made
    if rounding_mode == "trunc":
        made = make("Mul", make("Sign", made), make("Floor", make("Abs", made)))
    else:
        made = make("Floor", made)
    return made if whole is None else cast(make, made, whole)


@aten("pow")
def power(make: Maker, x: Value, y: Value) -> Any:
    if isinstance(x, Tensor) and y == 2:
        return make("Mul", x, x)
    x, y = promoted(make, x, y)
    return make("Pow", x, y)


@aten("remainder")
def remainder(make: Maker, x: Value, y: Value) -> Any:
    x, y = promoted(make, x, y)
    if not x.kind.is_float:
        return make("Mod", x, y)
    return make("Sub", x, make("Mul", y, make("Floor", make("Div", x, y))))


BINARY = {"maximum": "Max", "minimum": "Min", "lt": "Less", "le": "LessOrEqual", "gt": "Greater",
          "ge": "GreaterOrEqual", "eq": "Equal"}


@aten(*BINARY)
def binary(make: Maker, x: Value, y: Value, *, _name: str) -> Any:
    x, y = promoted(make, x, y)
    return make(BINARY[_name], x, y)


@aten("ne")
def differs(make: Maker, x: Value, y: Value) -> Any:
    return make("Not", make("Equal", *promoted(make, x, y)))


LOGICAL = {"logical_and": "And", "logical_or": "Or", "logical_xor": "Xor", "bitwise_and": "And",
           "bitwise_or": "Or", "bitwise_xor": "Xor", "bitwise_not": "Not"}


@aten(*LOGICAL)
def logical(make: Maker, *values: Value, _name: str) -> Any:
    tensors = promoted(make, *values)
    if _name.startswith("bitwise") and not tensors[0].kind.is_bool:
        return make(f"Bitwise{LOGICAL[_name]}", *tensors)
    return make(LOGICAL[_name], *(cast(make, t, BOOL) for t in tensors))


@aten("rsqrt")
def rsqrt(make: Maker, x: Tensor) -> Any:
    return make("Reciprocal", make("Sqrt", as_float(make, x)))


@aten("square")
def square(make: Maker, x: Tensor) -> Any:
    return make("Mul", x, x)


@aten("log1p", "expm1", "log2", "log10")
def logarithm(make: Maker, x: Tensor, *, _name: str) -> Any:
    x = as_float(make, x)
    if _name == "log1p":
        return make("Log", make("Add", x, 1.0))
    if _name == "expm1":
        return make("Sub", make("Exp", x), 1.0)
    return make("Mul", make("Log", x), 1 / math.log(2 if _name == "log2" else 10))


@aten("silu")
def silu(make: Maker, x: Tensor) -> Any:
    return make("Mul", x, make("Sigmoid", x))


@aten("gelu")
def gelu(make: Maker, x: Tensor, *, approximate: str = "none") -> Any:
    return make("Gelu", x, approximate=approximate)


@aten("hardsigmoid")
def hard_sigmoid(make: Maker, x: Tensor) -> Any:
    return make("HardSigmoid", x, alpha=1 / 6, beta=0.5)


@aten("leaky_relu")
def leaky_relu(make: Maker, x: Tensor, slope: float = 0.01) -> Any:
    return make("LeakyRelu", x, alpha=float(slope))


@aten("elu")
def elu(make: Maker, x: Tensor, alpha: float = 1, scale: float = 1, *_: Any) -> Any:
    made = make("Elu", x, alpha=float(alpha))
    return made if scale == 1 else make("Mul", made, scale)


@aten("prelu", "_prelu_kernel")
def prelu(make: Maker, x: Tensor, slope: Tensor) -> Any:
    if slope.rank == 1 and x.rank > 2:
        slope = make("Reshape", slope, [-1, *[1] * (x.rank - 2)])
    return make("PRelu", x, slope)


@aten("clamp", "hardtanh", "clamp_min", "clamp_max")
def clamp(make: Maker, x: Tensor, low: Any = None, high: Any = None, *, _name: str,
          **named: Any) -> Any:
    low, high = named.get("min", low), named.get("max", high)
    if _name == "hardtanh":
        low, high = -1.0 if low is None else low, 1.0 if high is None else high
    if _name == "clamp_max":
        low, high = None, low
    for op, bound in (("Max", low), ("Min", high)):
        if bound is not None:
            x = make(op, *promoted(make, x, bound))
    return x


@aten("where")
def where(make: Maker, condition: Tensor, x: Value, y: Value) -> Any:
    if not isinstance(x, Tensor) and not isinstance(y, Tensor):
        kind = FLOAT32 if isinstance(x, float) or isinstance(y, float) else INT64
        x = make.constant(x, kind)
    return make("Where", cast(make, condition, BOOL), *promoted(make, x, y))


@aten("masked_fill")
def masked_fill(make: Maker, x: Tensor, mask: Tensor, value: Value) -> Any:
    value = cast(make, value, x.kind) if isinstance(value, Tensor) else make.constant(value, x.kind)
    return make("Where", cast(make, mask, BOOL), value, x)


# ===--- Types and copies --------------------------------------------------=== #


@aten("clone", "detach", "contiguous", "alias", "lift_fresh", "lift_fresh_copy", "native_dropout",
      "dropout", "_conj", "resolve_conj")
def same(make: Maker, x: Tensor, *_: Any, _name: str = "", **__: Any) -> Any:
    return (x, None) if _name == "native_dropout" else x


@aten("_to_copy", "to", "convert_element_type")
def to(make: Maker, x: Tensor, given: Any = None, *_: Any, dtype: Any = None, **__: Any) -> Any:
    return cast(make, x, make.kind_of(dtype or given, x.kind))


@aten("copy")
def copy(make: Maker, x: Tensor, y: Tensor, *_: Any) -> Any:
    return make("Expand", cast(make, y, x.kind), list(x.shape))


@aten("zeros", "ones", "full", "empty", "new_zeros", "new_ones", "new_full", "new_empty",
      "zeros_like", "ones_like", "full_like", "empty_like", "scalar_tensor", "zero", "fill")
def full(make: Maker, first: Any, *rest: Any, dtype: Any = None, _name: str, **_: Any) -> Any:
    like = first if isinstance(first, Tensor) else None
    sized = _name.startswith("new_")
    if _name == "scalar_tensor":
        shape: Sequence[int] = []
        rest = (first,)
    elif like is not None and not sized:
        shape = like.shape
    else:
        shape, rest = (rest[0], rest[1:]) if sized else (first, rest)
    value = rest[0] if "full" in _name or _name in ("scalar_tensor", "fill") else (
        1 if "ones" in _name else 0)
    default = like.kind if like is not None else (
        BOOL if isinstance(value, bool) else INT64 if isinstance(value, int) and (
            "full" in _name) else FLOAT32)
    kind = make.kind_of(dtype, default)
    if isinstance(value, Tensor):
        return make("Expand", cast(make, value, kind), list(shape))
    return make.constant(np.broadcast_to(np.asarray(value), tuple(shape)), kind)


@aten("arange")
def arange(make: Maker, *ends: Scalar, dtype: Any = None, **_: Any) -> Any:
    whole = all(isinstance(end, int) for end in ends)
    return make.constant(np.arange(*ends), make.kind_of(dtype, INT64 if whole else FLOAT32))


# ===--- Shapes ------------------------------------------------------------=== #


@aten("view", "_unsafe_view", "reshape", "_reshape_alias")
def view(make: Maker, x: Tensor, shape: Sequence[int], *_: Any) -> Any:
    return make("Reshape", x, list(shape))


@aten("flatten")
def flatten(make: Maker, x: Tensor, start: int = 0, end: int = -1) -> Any:
    start, end = start % x.rank, end % x.rank
    return make("Reshape", x, [*x.shape[:start], -1, *x.shape[end + 1:]])


@aten("expand", "broadcast_to")
def expand(make: Maker, x: Tensor, shape: Sequence[int], **_: Any) -> Any:
    grown = [1] * (len(shape) - x.rank) + list(x.shape)
    return make("Expand", x, [g if s == -1 else s for s, g in zip(shape, grown)])


@aten("unsqueeze")
def unsqueeze(make: Maker, x: Tensor, dim: int) -> Any:
    return make("Unsqueeze", x, [dim])


@aten("squeeze")
def squeeze(make: Maker, x: Tensor, dims: Any = None) -> Any:
    dims = list(range(x.rank)) if dims is None else [dims] if isinstance(dims, int) else dims
    dims = [d % x.rank for d in dims if x.rank and x.shape[d] == 1]
    return make("Squeeze", x, dims) if dims else x


@aten("t")
def turned(make: Maker, x: Tensor) -> Any:
    return make("Transpose", x, perm=[1, 0]) if x.rank == 2 else x


@aten("transpose", "swapaxes")
def transpose(make: Maker, x: Tensor, first: int, second: int) -> Any:
    order = list(range(x.rank))
    order[first], order[second] = order[second], order[first]
    return make("Transpose", x, perm=order)


@aten("permute")
def permute(make: Maker, x: Tensor, order: Sequence[int]) -> Any:
    return make("Transpose", x, perm=[d % x.rank for d in order])


@aten("select")
def select(make: Maker, x: Tensor, dim: int, index: int) -> Any:
    return make("Gather", x, make.constant(index, INT64), axis=dim)


@aten("slice", "narrow")
def slice_(make: Maker, x: Tensor, dim: int = 0, start: int | None = None,
           end: int | None = None, step: int = 1, *, _name: str = "slice") -> Any:
    if _name == "narrow":
        end = (start or 0) + (end or 0)
    if (start in (None, 0)) and (end is None or end >= x.shape[dim]) and step == 1:
        return x
    return make("Slice", x, [start or 0], [END if end is None else end], [dim], [step])


@aten("cat", "concat")
def cat(make: Maker, tensors: Sequence[Tensor], dim: int = 0) -> Any:
    # Of one dimension without elements: torch leaves it out, whatever the others are.
    tensors = [t for t in tensors if t.shape != (0,)] or list(tensors)[:1]
    return make("Concat", *promoted(make, *tensors), axis=dim) if len(tensors) > 1 else tensors[0]


@aten("stack")
def stack(make: Maker, tensors: Sequence[Tensor], dim: int = 0) -> Any:
    dim %= tensors[0].rank + 1
    return cat(make, [make("Unsqueeze", t, [dim]) for t in tensors], dim)


@aten("split", "unsafe_split", "split_with_sizes", "unsafe_split_with_sizes", "chunk")
def split(make: Maker, x: Tensor, parts: Any, dim: int = 0, *, _name: str) -> Any:
    size = x.shape[dim]
    if _name == "chunk":
        parts = -(-size // parts)
    if isinstance(parts, int):
        parts = [min(parts, size - i) for i in range(0, size, parts)]
    if len(parts) == 1:
        return [x]
    return make("Split", x, list(parts), outputs=len(parts), axis=dim)


@aten("unbind")
def unbind(make: Maker, x: Tensor, dim: int = 0) -> Any:
    return [select(make, x, dim, i) for i in range(x.shape[dim])]


@aten("repeat")
def repeat(make: Maker, x: Tensor, counts: Sequence[int]) -> Any:
    if len(counts) > x.rank:
        x = make("Reshape", x, [*[1] * (len(counts) - x.rank), *x.shape])
    return make("Tile", x, list(counts))


@aten("flip")
def flip(make: Maker, x: Tensor, dims: Sequence[int]) -> Any:
    count = len(dims)
    return make("Slice", x, [-1] * count, [-END] * count, list(dims), [-1] * count)


@aten("constant_pad_nd")
def pad(make: Maker, x: Tensor, pads: Sequence[int], value: Scalar = 0) -> Any:
    rank = x.rank
    low, high = [0] * rank, [0] * rank
    for i in range(len(pads) // 2):
        low[rank - 1 - i], high[rank - 1 - i] = pads[2 * i], pads[2 * i + 1]
    return make("Pad", x, [*low, *high], make.constant(value, x.kind))


@aten("tril", "triu")
def triangle(make: Maker, x: Tensor, diagonal: int = 0, *, _name: str) -> Any:
    return make("Trilu", x, make.constant(diagonal, INT64), upper=int(_name == "triu"))


@aten("pixel_shuffle")
def pixel_shuffle(make: Maker, x: Tensor, factor: int) -> Any:
    return make("DepthToSpace", x, blocksize=factor, mode="CRD")


# ===--- Elements by index -------------------------------------------------=== #


@aten("embedding")
def embedding(make: Maker, weight: Tensor, indices: Tensor, *_: Any) -> Any:
    return make("Gather", weight, indices, axis=0)


@aten("index_select")
def index_select(make: Maker, x: Tensor, dim: int, indices: Tensor) -> Any:
    return make("Gather", x, indices, axis=dim)


@aten("gather")
def gather(make: Maker, x: Tensor, dim: int, indices: Tensor, **_: Any) -> Any:
    return make("GatherElements", x, indices, axis=dim)


@aten("index")
def index(make: Maker, x: Tensor, indices: Sequence[Tensor | None]) -> Any:
    given = [(i, t) for i, t in enumerate(indices) if t is not None]
    if len(given) != 1 or given[0][1].kind.is_bool:
        raise Refusal("takes elements by several indices or by a mask",
                      "index one dimension, or use torch.where")
    (dim, places), = given
    return make("Gather", x, places, axis=dim)


@aten("topk")
def topk(make: Maker, x: Tensor, count: int, dim: int = -1, largest: bool = True,
         *_: Any) -> Any:
    return make("TopK", x, [count], outputs=2, axis=dim, largest=int(largest))


# ===--- Products ----------------------------------------------------------=== #


@aten("mm", "bmm", "matmul", "dot", "mv")
def matmul(make: Maker, x: Tensor, y: Tensor) -> Any:
    return make("MatMul", x, y)


@aten("addmm", "baddbmm", "addmv")
def addmm(make: Maker, c: Tensor, x: Tensor, y: Tensor, *, beta: Scalar = 1,
          alpha: Scalar = 1, **_: Any) -> Any:
    product = make("MatMul", x, y)
    if alpha != 1:
        product = make("Mul", product, alpha)
    if beta == 0:
        return product
    return make("Add", product, c if beta == 1 else make("Mul", c, beta))


@aten("convolution")
def convolution(make: Maker, x: Tensor, w: Tensor, bias: Tensor | None, stride: list[int],
                padding: list[int], dilation: list[int], transposed: bool,
                output_padding: list[int], groups: int) -> Any:
    rank = x.rank - 2

    def each(values: Sequence[int]) -> list[int]:
        return list(values) * (rank if len(values) == 1 else 1)

    attributes: dict[str, Any] = {
        "strides": each(stride), "pads": each(padding) * 2, "dilations": each(dilation),
        "group": groups}
    inputs = [x, w] if bias is None else [x, w, bias]
    if transposed:
        return make("ConvTranspose", *inputs, output_padding=each(output_padding), **attributes)
    return make("Conv", *inputs, **attributes)


# ===--- Sums and normalization --------------------------------------------=== #


def axes_of(x: Tensor, dims: Any) -> list[int]:
    if dims is None or dims == []:
        return list(range(x.rank))
    return [dims] if isinstance(dims, int) else list(dims)


REDUCTIONS = {"sum": "ReduceSum", "mean": "ReduceMean", "amax": "ReduceMax", "amin": "ReduceMin",
              "prod": "ReduceProd"}


@aten(*REDUCTIONS)
def reduce(make: Maker, x: Tensor, dims: Any = None, keepdim: bool = False, *, _name: str,
           dtype: Any = None) -> Any:
    if x.kind.is_bool:
        x = cast(make, x, INT64)
    x = cast(make, x, make.kind_of(dtype, x.kind))
    return make(REDUCTIONS[_name], x, axes_of(x, dims), keepdims=int(keepdim))


@aten("max", "min")
def extremum(make: Maker, x: Tensor, dim: Any = None, keepdim: bool = False, *,
             _name: str) -> Any:
    op, at = ("ReduceMax", "ArgMax") if _name == "max" else ("ReduceMin", "ArgMin")
    if isinstance(dim, Tensor):
        return make("Max" if _name == "max" else "Min", *promoted(make, x, dim))
    best = make(op, x, axes_of(x, dim), keepdims=int(keepdim))
    return best if dim is None else (best, make(at, x, axis=dim, keepdims=int(keepdim)))


@aten("argmax", "argmin")
def arg_extremum(make: Maker, x: Tensor, dim: int | None = None, keepdim: bool = False, *,
                 _name: str) -> Any:
    op = "ArgMax" if _name == "argmax" else "ArgMin"
    if dim is None:
        return make(op, make("Reshape", x, [-1]), axis=0, keepdims=0)
    return make(op, x, axis=dim, keepdims=int(keepdim))


@aten("any", "all")
def quantifier(make: Maker, x: Tensor, dim: Any = None, keepdim: bool = False, *,
               _name: str) -> Any:
    number = cast(make, cast(make, x, BOOL), FLOAT32)
    op = "ReduceMax" if _name == "any" else "ReduceMin"
    return cast(make, make(op, number, axes_of(x, dim), keepdims=int(keepdim)), BOOL)


@aten("var", "std")
def variance(make: Maker, x: Tensor, dims: Any = None, unbiased: Any = True,
             keepdim: bool = False, *, correction: Any = None, _name: str) -> Any:
    if isinstance(dims, bool):
        dims, unbiased = None, dims
    less = int(bool(unbiased)) if correction is None else int(correction)
    axes = axes_of(x, dims)
    count = math.prod(x.shape[a] for a in axes)
    centred = make("Sub", x, make("ReduceMean", x, axes, keepdims=1))
    total = make("ReduceSum", make("Mul", centred, centred), axes, keepdims=int(keepdim))
    made = make("Div", total, float(count - less))
    return make("Sqrt", made) if _name == "std" else made


@aten("cumsum")
def cumsum(make: Maker, x: Tensor, dim: int, **_: Any) -> Any:
    return make("CumSum", x, make.constant(dim, INT64))


@aten("_softmax", "_log_softmax", "softmax", "log_softmax", "_safe_softmax")
def softmax(make: Maker, x: Tensor, dim: int, *_: Any, _name: str, **__: Any) -> Any:
    return make("LogSoftmax" if "log" in _name else "Softmax", as_float(make, x), axis=dim)


@aten("native_layer_norm", "layer_norm")
def layer_norm(make: Maker, x: Tensor, shape: Sequence[int], scale: Tensor | None,
               bias: Tensor | None, epsilon: float = 1e-5, *_: Any, _name: str) -> Any:
    if scale is None:
        scale = make.constant(np.ones(tuple(shape)), x.kind)
    inputs = [x, scale] if bias is None else [x, scale, bias]
    made = make("LayerNormalization", *inputs, axis=-len(shape), epsilon=float(epsilon))
    return made if _name == "layer_norm" else (made, None, None)


@aten("native_batch_norm", "_native_batch_norm_legit_no_training", "cudnn_batch_norm")
def batch_norm(make: Maker, x: Tensor, scale: Tensor | None, bias: Tensor | None,
               mean: Tensor | None, deviation: Tensor | None, *rest: Any) -> Any:
    if mean is None or deviation is None or rest[0] is True:
        raise Refusal("normalizes by the batch, as in training", "call module.eval()")
    ones, zeros = np.ones(x.shape[1]), np.zeros(x.shape[1])
    made = make("BatchNormalization", x,
                make.constant(ones, x.kind) if scale is None else scale,
                make.constant(zeros, x.kind) if bias is None else bias, mean, deviation,
                epsilon=float(rest[-1]))
    return made, None, None


@aten("native_group_norm")
def group_norm(make: Maker, x: Tensor, scale: Tensor | None, bias: Tensor | None, _n: int,
               channels: int, _hw: int, groups: int, epsilon: float) -> Any:
    whole = make("Reshape", x, [x.shape[0], groups, -1])
    made = make("InstanceNormalization", whole, make.constant(np.ones(groups), x.kind),
                make.constant(np.zeros(groups), x.kind), epsilon=float(epsilon))
    made = make("Reshape", made, list(x.shape))
    shape = [channels, *[1] * (x.rank - 2)]
    if scale is not None:
        made = make("Mul", made, make("Reshape", scale, shape))
    if bias is not None:
        made = make("Add", made, make("Reshape", bias, shape))
    return made, None, None


# ===--- Images ------------------------------------------------------------=== #


def pair(value: Any, rank: int = 2) -> list[int]:
    values = [value] if isinstance(value, int) else list(value)
    return values * (rank if len(values) == 1 else 1)


@aten("max_pool2d_with_indices", "max_pool2d")
def max_pool(make: Maker, x: Tensor, kernel: Any, stride: Any = (), padding: Any = 0,
             dilation: Any = 1, ceil: bool = False, *, _name: str) -> Any:
    image = x if x.rank == 4 else make("Unsqueeze", x, [0])
    made = make("MaxPool", image, kernel_shape=pair(kernel), strides=pair(stride or kernel),
                pads=pair(padding) * 2, dilations=pair(dilation), ceil_mode=int(ceil))
    made = made if x.rank == 4 else make("Squeeze", made, [0])
    return (made, None) if _name.endswith("indices") else made


@aten("avg_pool2d", "avg_pool1d")
def avg_pool(make: Maker, x: Tensor, kernel: Any, stride: Any = (), padding: Any = 0,
             ceil: bool = False, counts_padding: bool = True, divisor: Any = None, *,
             _name: str) -> Any:
    if divisor is not None:
        raise Refusal("averages with a divisor of its own", "multiply by a number afterwards")
    rank = 1 if _name.endswith("1d") else 2
    return make("AveragePool", x, kernel_shape=pair(kernel, rank),
                strides=pair(stride or kernel, rank), pads=pair(padding, rank) * 2,
                ceil_mode=int(ceil), count_include_pad=int(counts_padding))


@aten("_adaptive_avg_pool2d", "adaptive_avg_pool2d")
def adaptive_avg_pool(make: Maker, x: Tensor, size: Any) -> Any:
    size, image = pair(size), x.shape[-2:]
    if any(n % s for n, s in zip(image, size)):
        raise Refusal(f"averages {list(image)} elements into {size} unequal windows",
                      "use windows of one size")
    kernel = [n // s for n, s in zip(image, size)]
    return make("AveragePool", x, kernel_shape=kernel, strides=kernel)


@aten("upsample_nearest2d", "upsample_bilinear2d")
def upsample(make: Maker, x: Tensor, size: Any = None, *rest: Any, _name: str,
             scale_factors: Any = None, output_size: Any = None, align_corners: Any = None) -> Any:
    bilinear = "bilinear" in _name
    if bilinear and rest and isinstance(rest[0], bool):
        align_corners, *rest = rest  # type: ignore[assignment]
    size = size or output_size
    factors = scale_factors or next((r for r in rest if isinstance(r, (list, tuple))), None)
    if size is None:
        size = [int(n * f) for n, f in zip(x.shape[2:], factors)]
    how = ("align_corners" if align_corners else "half_pixel") if bilinear else "asymmetric"
    return make("Resize", x, None, None, [*x.shape[:2], *size],
                mode="linear" if bilinear else "nearest",
                coordinate_transformation_mode=how, nearest_mode="floor")
