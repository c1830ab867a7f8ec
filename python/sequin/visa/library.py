# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions and methods of Rust's library that tests of kernels call.

The names of methods are in tables; what is not there is an error that names it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from . import iterators, operators
from .numbers import FLOATS, FUNCTIONS, INTEGERS, Number, cast, divide, fused, limits, remainder
from .numbers import round_to, wrap
from .tree import Node
from .values import (
    Builtin,
    Frame,
    Iter,
    NeedsElements,
    Opt,
    Panic,
    Struct,
    Unsupported,
    Variant,
    Vec,
    none,
    some,
)

if TYPE_CHECKING:
    from .evaluate import Evaluator

__all__ = ["Range", "call", "method", "sort_key"]


@dataclass
class Range:
    """`a..b`, either end may be absent."""

    first: Number | None
    last: Number | None
    inclusive: bool

    @property
    def type(self) -> str | None:
        return (self.first.type if self.first else None) or (self.last.type if self.last else None)

    def bounds(self, length: int = 0) -> tuple[int, int]:
        """Of a list of that length, or of itself: the first and behind the last."""
        first = self.first.data if self.first else 0
        if self.last is None:
            return first, length
        return first, max(first, self.last.data + (1 if self.inclusive else 0))


# ===--- Numbers ------------------------------------------------------------=== #


def ordering(a: Any, b: Any) -> Variant:
    """Of two numbers, strings, bools or tuples of these."""
    one, other = sort_key(a), sort_key(b)
    return Variant("Ordering", "Less" if one < other else "Greater" if one > other else "Equal")


def sort_key(value: Any) -> Any:
    if isinstance(value, Number):
        if value.is_array:
            raise NeedsElements
        return value.data
    if isinstance(value, tuple):
        return tuple(map(sort_key, value))
    if isinstance(value, Vec):
        return [sort_key(v) for v in value.elements()]
    if isinstance(value, (str, bool)):
        return value
    raise Unsupported("these values have no order")


def _total_order(value: Number) -> Any:
    """Numbers in the order of f32::total_cmp."""
    if value.is_array:
        raise NeedsElements
    bits = int(np.float32(value.data).view(np.int32))
    return bits ^ (0x7fffffff if bits < 0 else 0)


def _saturating(op: str, a: Number, b: Number) -> Number:
    name, x, y = operators.unify(a, b)
    if name is None or abs(INTEGERS[name]) > 32:
        raise Unsupported(f"saturating arithmetic of {name or 'a number without a type'}")
    least, greatest = limits(name)
    made = operators.ARITHMETIC[op](x, y)
    if isinstance(made, np.ndarray):
        return Number(name, np.clip(made, least, greatest))
    return Number(name, min(max(made, least), greatest))


def _extreme(larger: bool, a: Number, b: Number) -> Number:
    name, x, y = operators.unify(a, b)
    if name in FLOATS or a.is_float or b.is_float:
        # Of a number and NaN the number, as Rust's f32::max.
        made = (np.fmax if larger else np.fmin)(x, y)
    elif isinstance(x, np.ndarray) or isinstance(y, np.ndarray):
        made = (np.maximum if larger else np.minimum)(x, y)
    else:
        made = max(x, y) if larger else min(x, y)
    return Number(name, made)


def _clamp(x: Number, low: Number, high: Number) -> Number:
    return _extreme(False, _extreme(True, x, low), high)


def _power(x: Number, n: Number) -> Number:
    if x.is_float:
        made = np.power(np.asarray(x.data, np.float64), np.asarray(n.data, np.float64))
        return Number(x.type, round_to(x.type, made if np.ndim(made) else made[()]))
    if not isinstance(n.data, int) or not 0 <= n.data < 1024:
        raise NeedsElements
    made = x
    result = Number(x.type, 1)
    for _ in range(n.data):
        result = operators.calculate("*", result, made)
    return result


def _rem_euclid(a: Number, b: Number) -> Number:
    name, x, y = operators.unify(a, b)
    if name in FLOATS or np.any(np.equal(y, 0)):
        raise Unsupported("rem_euclid of such numbers")
    left = remainder(x, y)
    return Number(name, left + (left < 0) * abs(y))


def _checked(op: str, a: Number, b: Number) -> Variant:
    name, x, y = operators.unify(a, b)
    if isinstance(x, np.ndarray) or isinstance(y, np.ndarray):
        raise NeedsElements
    if op in "/%":
        if y == 0:
            return none()
        made = divide(x, y) if op == "/" else remainder(x, y)
    else:
        made = operators.ARITHMETIC[op](x, y)
    return some(Number(name, made)) if wrap(name, made) == made else none()


def _is(test: Callable[[Any], Any]) -> Callable[[Number], Any]:
    def apply(x: Number) -> Any:
        made = test(x.data)
        return made if isinstance(made, np.ndarray) else bool(made)

    return apply


def _bits(x: Number) -> Number:
    if x.type != "f32":
        raise Unsupported("to_bits is of f32")
    raw = np.asarray(x.data, np.float32).view(np.uint32).astype(np.int64)
    return Number("u32", raw if raw.ndim else int(raw))


def _absolute(x: Number) -> Number:
    return FUNCTIONS["abs"](x) if x.is_float else Number(x.type, wrap(x.type, abs(x.data)))


NUMBER_METHODS: dict[str, Callable[..., Any]] = {
    **FUNCTIONS,
    "abs": _absolute,
    "wrapping_add": lambda a, b: operators.calculate("+", a, b),
    "wrapping_sub": lambda a, b: operators.calculate("-", a, b),
    "wrapping_mul": lambda a, b: operators.calculate("*", a, b),
    "wrapping_neg": lambda a: operators.unary("-", a),
    "saturating_add": functools.partial(_saturating, "+"),
    "saturating_sub": functools.partial(_saturating, "-"),
    "saturating_mul": functools.partial(_saturating, "*"),
    "checked_add": functools.partial(_checked, "+"),
    "checked_sub": functools.partial(_checked, "-"),
    "checked_mul": functools.partial(_checked, "*"),
    "checked_div": functools.partial(_checked, "/"),
    "max": functools.partial(_extreme, True),
    "min": functools.partial(_extreme, False),
    "clamp": _clamp,
    "pow": _power, "powi": _power, "powf": _power,
    "rem_euclid": _rem_euclid,
    "mul_add": lambda a, b, c: Number(a.type, fused(a.data, b.data, c.data, a.type)),
    "is_nan": _is(np.isnan), "is_finite": _is(np.isfinite), "is_infinite": _is(np.isinf),
    "is_positive": _is(lambda x: x > 0), "is_negative": _is(lambda x: x < 0),
    "is_sign_negative": _is(np.signbit),
    "to_bits": _bits,
    "to_f32": lambda x: cast(x, "f32"), "to_f64": lambda x: cast(x, "f64"),
    "to_i32": lambda x: cast(x, "i32"),
    "cmp": ordering,
    "partial_cmp": lambda a, b: some(ordering(a, b)),
    "total_cmp": lambda a, b: ordering(Number(None, _total_order(a)), Number(None, _total_order(b))),
    "to_string": lambda x: str(x.data),
    "count_ones": lambda x: Number("u32", int(x.data & ((1 << 64) - 1)).bit_count()),
}
#: What gives the value itself.
SAME = {"clone", "copied", "cloned", "to_owned", "as_ref", "as_mut", "as_slice", "borrow",
        "deref", "as_str", "by_ref", "unwrap_unchecked", "await"}


# ===--- Functions by their path --------------------------------------------=== #


def call(evaluator: Evaluator, callee: Builtin, args: list[Any], node: Node, want: Any) -> Any:
    name, of = callee.name, callee.type
    if of is None or of.name in ("Option", "Result", "Opt"):
        if name == "Some":
            return some(args[0])
        if name in ("Ok", "Err"):
            return Variant("Result", name, tuple(args))
        if name == "Init":
            return Opt(True, args[0])
        if name in ("drop", "black_box"):
            return ()
        if name == "Box":
            return args[0]
    if name == "size_of" and callee.types:
        kind = callee.types[0].name
        bits = abs(INTEGERS.get(kind, 0)) or {"f32": 32, "f64": 64, "bf16": 16, "f8e4m3": 8,
                                              "f8e5m2": 8, "bool": 8}.get(kind, 0)
        return Number("usize", (bits + 7) // 8)
    if of is None:
        return NotImplemented
    if of.name in INTEGERS or of.name in FLOATS:
        return _number_function(of.name, name, args)
    if of.name in ("Vec", "String", "VecDeque"):
        if name in ("new", "with_capacity"):
            return "" if of.name == "String" else Vec.of([])
        if name == "from":
            return args[0].copy() if isinstance(args[0], Vec) else args[0]
    if of.name == "iter" and name in ("repeat", "repeat_n", "once"):
        return iterators.repeated(name, args)
    if of.name in ("Box", "Arc", "Rc", "Cell", "RefCell") and name == "new":
        return args[0]
    if of.name == "cmp" and name in ("min", "max"):
        return NUMBER_METHODS[name](*args)
    return NotImplemented


def _number_function(kind: str, name: str, args: list[Any]) -> Any:
    if name in ("from", "from_f32", "from_i32", "try_from", "from_f64"):
        value = args[0]
        if isinstance(value, bool):
            value = Number(None, int(value))
        if not isinstance(value, Number):
            raise Unsupported(f"'{kind}::{name}' of such a value")
        made = cast(value, kind)
        if name != "try_from":
            return made
        if np.any(np.not_equal(made.data, value.data)):
            return Variant("Result", "Err", (f"{value.data} is no {kind}",))
        return Variant("Result", "Ok", (made,))
    if name in ("from_le_bytes", "from_be_bytes"):
        octets = bytes(int(n.data) & 255 for n in args[0].elements())
        order = "<" if name == "from_le_bytes" else ">"
        if kind in INTEGERS:
            return Number(kind, int.from_bytes(octets, "little" if order == "<" else "big",
                                               signed=INTEGERS[kind] < 0))
        if kind in ("f32", "f64"):
            return Number(kind, np.frombuffer(octets, f"{order}f{len(octets)}")[0])
        return NotImplemented
    if name == "from_bits":
        if kind == "f32":
            return Number(kind, np.uint32(args[0].data).view(np.float32))
        return NotImplemented
    made = NUMBER_METHODS.get(name)
    if made is None:
        return NotImplemented
    return _apply(made, [operators_typed(kind, a) for a in args])


def operators_typed(kind: str, value: Any) -> Any:
    """A literal as a number of that type."""
    if isinstance(value, Number) and value.type is None:
        if kind in FLOATS:
            return Number(kind, round_to(kind, value.data))
        return Number(kind, wrap(kind, value.data))
    return value


def _apply(function: Callable[..., Any], args: list[Any]) -> Any:
    with np.errstate(all="ignore"):
        return function(*args)


# ===--- Methods ------------------------------------------------------------=== #


def method(evaluator: Evaluator, receiver: Any, node: Node, types: tuple[Any, ...], frame: Frame,
           want: Any) -> Any:
    name = node.name
    args = [evaluator.evaluate(a, frame) for a in node.args or ()]
    if isinstance(receiver, (Range, Iter)):
        return iterators.method(evaluator, iterators.as_iter(receiver, node), name, args, node,
                                want)
    if isinstance(receiver, Vec):
        return iterators.vec_method(evaluator, receiver, name, args, node, want)
    if name in SAME:
        return receiver
    if isinstance(receiver, Number):
        if name in ("into", "try_into"):
            made = cast(receiver, want.name) if evaluator.is_number(want) else receiver
            return Variant("Result", "Ok", (receiver,)) if name == "try_into" else made
        function = NUMBER_METHODS.get(name)
        if function is None:
            return NotImplemented
        if receiver.type in INTEGERS:
            args = [operators_typed(receiver.type or "", a) for a in args]
        return _apply(function, [receiver, *args])
    if isinstance(receiver, Opt):
        return _opt_method(evaluator, receiver, name, args, node)
    if isinstance(receiver, Variant) and receiver.enum in ("Option", "Result"):
        return _option_method(evaluator, receiver, name, args, node)
    if isinstance(receiver, Variant) and receiver.enum == "Ordering":
        return _ordering_method(evaluator, receiver, name, args, node)
    if isinstance(receiver, str):
        return _text_method(receiver, name, args)
    if isinstance(receiver, tuple) and name == "into":
        return receiver
    if isinstance(receiver, (bool, np.ndarray)) and name == "then" and args:
        if isinstance(receiver, np.ndarray):
            raise NeedsElements
        return some(evaluator.call(args[0], [], node)) if receiver else none()
    if isinstance(receiver, Struct) and name == "eq":
        return operators.equal(evaluator, receiver, args[0])
    return NotImplemented


def _opt_method(evaluator: Evaluator, receiver: Opt, name: str, args: list[Any],
                node: Node) -> Any:
    is_many = isinstance(receiver.known, np.ndarray)
    if name == "map":
        if not is_many and not receiver.known:
            return receiver
        return Opt(receiver.known, evaluator.call(args[0], [receiver.value], node),
                   receiver.computed)
    if name == "zip_map":
        other = args[0]
        known = np.logical_and(receiver.known, other.known)
        if not known.ndim and not known:
            return Opt(False, None)
        return Opt(known if known.ndim else True,
                   evaluator.call(args[1], [receiver.value, other.value], node))
    if name == "unwrap":
        if is_many:
            if not receiver.known.all():
                raise NeedsElements
        elif not receiver.known:
            raise Panic("Called unwrap on an uninitialized Opt value.", node)
        return receiver.value
    return NotImplemented


def _option_method(evaluator: Evaluator, receiver: Variant, name: str, args: list[Any],
                   node: Node) -> Any:
    good = receiver.name in ("Some", "Ok")
    inner = receiver.fields[0] if receiver.fields else ()
    if name in ("unwrap", "expect"):
        if good:
            return inner
        what = (f"called `{receiver.enum}::unwrap()` on "
                + ("a `None` value" if receiver.name == "None" else "an `Err` value"))
        raise Panic(operators.host.text_of(args[0]) if name == "expect" else
                    f"{what}: {operators.host.text_of(inner)}" if receiver.fields else what, node)
    if name in ("unwrap_err", "expect_err"):
        if not good:
            return inner
        raise Panic("called `Result::unwrap_err()` on an `Ok` value", node)
    if name in ("is_some", "is_ok"):
        return good
    if name in ("is_none", "is_err"):
        return not good
    if name == "unwrap_or":
        return inner if good else args[0]
    if name == "unwrap_or_else":
        return inner if good else evaluator.call(args[0], [inner] if receiver.fields else [], node)
    if name == "map":
        return Variant(receiver.enum, receiver.name, (evaluator.call(args[0], [inner], node),)) \
            if good else receiver
    if name in ("map_or", "map_or_else"):
        if good:
            return evaluator.call(args[1], [inner], node)
        return args[0] if name == "map_or" else evaluator.call(args[0], [], node)
    if name == "and_then":
        return evaluator.call(args[0], [inner], node) if good else receiver
    if name == "ok":
        return some(inner) if good else none()
    if name in ("iter", "into_iter"):
        return Iter(iter([inner] if good else []))
    return NotImplemented


def _ordering_method(evaluator: Evaluator, receiver: Variant, name: str, args: list[Any],
                     node: Node) -> Any:
    if name == "reverse":
        return Variant("Ordering", {"Less": "Greater", "Greater": "Less"}.get(receiver.name,
                                                                             "Equal"))
    if name in ("then", "then_with"):
        if receiver.name != "Equal":
            return receiver
        return args[0] if name == "then" else evaluator.call(args[0], [], node)
    tests = {"is_lt": ("Less",), "is_gt": ("Greater",), "is_eq": ("Equal",),
             "is_le": ("Less", "Equal"), "is_ge": ("Greater", "Equal")}
    return receiver.name in tests[name] if name in tests else NotImplemented


def _text_method(receiver: str, name: str, args: list[Any]) -> Any:
    if name in ("to_string", "into", "to_owned"):
        return receiver
    if name == "len":
        return Number("usize", len(receiver.encode()))
    if name in ("contains", "starts_with", "ends_with"):
        return {"contains": lambda: args[0] in receiver, "starts_with": lambda:
                receiver.startswith(args[0]), "ends_with": lambda: receiver.endswith(args[0])}[name]()
    return NotImplemented
