# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators of Rust on the values of tests, and whose methods are where."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count as count_from
from typing import TYPE_CHECKING, Any

import numpy as np

from . import host, library
from .numbers import FUNCTIONS, Number, divide, limits, remainder, round_to, wrap
from .numbers import FLOATS, INTEGERS
from .tensors import HbmTensor, HostTensor
from .tree import Node
from .values import (
    Builtin,
    Frame,
    FunctionRef,
    Iter,
    Named,
    NeedsElements,
    Opt,
    Panic,
    Struct,
    Unsupported,
    Variant,
    Vec,
    none,
    take,
    truth,
)

if TYPE_CHECKING:
    from .evaluate import Evaluator

__all__ = ["associated", "binary", "call_builtin", "choose", "equal", "field", "index", "iterate",
           "method", "range_of", "unary"]

ARITHMETIC = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b,
    "&": lambda a, b: a & b, "|": lambda a, b: a | b, "^": lambda a, b: a ^ b,
}
COMPARISONS = {
    "<": lambda a, b: a < b, ">": lambda a, b: a > b, "<=": lambda a, b: a <= b,
    ">=": lambda a, b: a >= b,
}


def unary(op: str, value: Any) -> Any:
    if isinstance(value, (bool, np.bool_)) and op == "!":
        return not value
    if isinstance(value, np.ndarray) and op == "!":
        return ~value
    if isinstance(value, Number):
        if op == "!":
            return Number(value.type, wrap(value.type, ~value.data))
        if value.is_float:
            return FUNCTIONS["neg"](value)
        return Number(value.type, wrap(value.type, -value.data))
    raise Unsupported(f"'{op}' is of numbers and bools")


def unify(left: Number, right: Number) -> tuple[str | None, Any, Any]:
    """The type of both, and their data."""
    name = left.type or right.type
    if left.type and right.type and left.type != right.type:
        raise Unsupported(f"{left.type} and {right.type} do not mix")
    a, b = left.data, right.data
    if name in FLOATS or left.is_float or right.is_float:
        return name, round_to(name, a), round_to(name, b)
    if name in INTEGERS:
        a, b = wrap(name, a), wrap(name, b)
    if isinstance(a, np.ndarray) and a.dtype != np.int64:
        a = a.astype(np.int64)
    if isinstance(b, np.ndarray) and b.dtype != np.int64:
        b = b.astype(np.int64)
    return name, a, b


def calculate(op: str, left: Number, right: Number) -> Number:
    if op in ("<<", ">>"):
        return _shift(op, left, right)
    name, a, b = unify(left, right)
    is_float = name in FLOATS or left.is_float or right.is_float
    if is_float:
        with np.errstate(all="ignore"):
            if op == "/":
                made = np.divide(a, b)
            elif op == "%":
                made = np.fmod(a, b)
            elif op in "+-*":
                made = ARITHMETIC[op](a, b)
            else:
                raise Unsupported(f"'{op}' is not of floating numbers")
        return Number(name, round_to(name, made))
    if op in "/%":
        if np.any(np.equal(b, 0)):
            if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
                raise NeedsElements
            raise Panic("attempt to divide by zero" if op == "/" else
                        "attempt to calculate the remainder with a divisor of zero")
        return Number(name, wrap(name, divide(a, b) if op == "/" else remainder(a, b)))
    return Number(name, wrap(name, ARITHMETIC[op](a, b)))


def _shift(op: str, left: Number, right: Number) -> Number:
    amount = right.data
    bits = abs(INTEGERS.get(left.type or "i64", 64))
    if np.any(np.greater_equal(amount, bits)) or np.any(np.less(amount, 0)):
        raise Panic(f"attempt to shift {'left' if op == '<<' else 'right'} with overflow")
    data = left.data
    if isinstance(data, np.ndarray) or isinstance(amount, np.ndarray):
        data = np.asarray(data, np.int64)
    return Number(left.type, wrap(left.type, data << amount if op == "<<" else data >> amount))


def binary(evaluator: Evaluator, op: str, left: Any, right: Any, node: Node) -> Any:
    if op in ("==", "!="):
        same = equal(evaluator, left, right)
        return unary("!", same) if op == "!=" else same
    if isinstance(left, Number) and isinstance(right, Number):
        if op in COMPARISONS:
            _, a, b = unify(left, right)
            made = COMPARISONS[op](a, b)
            return made if isinstance(made, np.ndarray) else bool(made)
        return calculate(op, left, right)
    if isinstance(left, Opt) and isinstance(right, Opt):
        known = np.logical_and(left.known, right.known)
        known = known if isinstance(known, np.ndarray) else bool(known)
        if left.value is None or right.value is None:
            return Opt(known, left.value or right.value)
        return Opt(known, binary(evaluator, op, left.value, right.value, node))
    if isinstance(left, (bool, np.ndarray)) and op in "&|^":
        return ARITHMETIC[op](left, right)
    if op in COMPARISONS and isinstance(left, (tuple, str)) and type(left) is type(right):
        return bool(COMPARISONS[op](library.sort_key(left), library.sort_key(right)))
    raise Unsupported(f"'{op}' of these values is not evaluated", node)


def equal(evaluator: Evaluator, left: Any, right: Any) -> Any:
    """`==`, on lanes an array. What a kernel has made equals what is not initialised,
    because it is not known which of its results were never written."""
    if isinstance(left, Number) and isinstance(right, Number):
        _, a, b = unify(left, right)
        made = np.equal(a, b)
        return made if isinstance(made, np.ndarray) else bool(made)
    if isinstance(left, Opt) and isinstance(right, Opt):
        values: Any = True
        if left.value is not None and right.value is not None:
            values = equal(evaluator, left.value, right.value)
        one, other = np.asarray(left.known), np.asarray(right.known)
        same = np.where(one & other, values, False)
        same |= ~one & ~other
        same |= ~one & other & right.computed
        same |= one & ~other & left.computed
        return same if same.ndim else bool(same)
    if isinstance(left, Vec) and isinstance(right, Vec):
        return not differences(evaluator, left, right, 1)
    if isinstance(left, HostTensor) and isinstance(right, HostTensor):
        order = left.mapping or right.mapping
        if left.dtype != right.dtype or order is None:
            raise Unsupported("these tensors are not of one type")
        return bool(np.array_equal(left.cells.listed(order)[0], right.cells.listed(order)[0]))
    if isinstance(left, Struct) and isinstance(right, Struct):
        method = evaluator.source.methods.get(left.node.id, {}).get("eq")
        if method is not None:
            return evaluator.call_function(method, [left, right], (),
                                           Named(left.node.name, (), left.node))
        return _all_equal(evaluator, list(left.fields.values()), list(right.fields.values()))
    if isinstance(left, Variant) and isinstance(right, Variant):
        return left.name == right.name and truth(
            _all_equal(evaluator, list(left.fields), list(right.fields)))
    if isinstance(left, tuple) and isinstance(right, tuple):
        return _all_equal(evaluator, list(left), list(right))
    if isinstance(left, np.ndarray) or isinstance(right, np.ndarray):
        return np.equal(left, right)
    if isinstance(left, (str, bool, bytes)):
        return bool(left == right)
    raise Unsupported("'==' of these values is not evaluated")


def _all_equal(evaluator: Evaluator, left: list[Any], right: list[Any]) -> Any:
    made: Any = len(left) == len(right)
    for a, b in zip(left, right):
        made = made & equal(evaluator, a, b)
    return made


def differences(evaluator: Evaluator, left: Vec, right: Vec, most: int) -> list[int]:
    """Where two lists differ; the shorter's length if one is longer."""
    if len(left) != len(right):
        return [min(len(left), len(right))]
    if not len(left):
        return []
    try:
        evaluator.lane_depth += 1
        try:
            same = equal(evaluator, left.as_lanes(), right.as_lanes())
        finally:
            evaluator.lane_depth -= 1
        if isinstance(same, np.ndarray):
            return [int(i) for i in np.flatnonzero(~same)[:most]]
    except NeedsElements:
        pass
    found = []
    for i, (a, b) in enumerate(zip(left.elements(), right.elements())):
        if not truth(equal(evaluator, a, b)):
            found.append(i)
            if len(found) == most:
                break
    return found


def choose(condition: Any, then: Any, otherwise: Any) -> Any:
    """Lane by lane one of two values."""
    if isinstance(then, Number) and isinstance(otherwise, Number):
        name, a, b = unify(then, otherwise)
        return Number(name, np.where(condition, a, b))
    if isinstance(then, Opt) and isinstance(otherwise, Opt):
        known = np.where(condition, then.known, otherwise.known)
        one, other = then.value or otherwise.value, otherwise.value or then.value
        return Opt(known, None if one is None else choose(condition, one, other))
    if isinstance(then, tuple) and isinstance(otherwise, tuple) and then:
        return tuple(choose(condition, a, b) for a, b in zip(then, otherwise))
    if isinstance(then, (bool, np.ndarray)) and isinstance(otherwise, (bool, np.ndarray)):
        return np.where(condition, then, otherwise)
    raise NeedsElements


# ===--- Ranges and lists --------------------------------------------------=== #


def range_of(first: Any, last: Any, inclusive: bool, node: Node) -> Any:
    """A range: an iterator where it has a beginning and numbers of its own."""
    for end in (first, last):
        if end is not None and not isinstance(end, Number):
            raise Unsupported("a range has ends that are numbers", node)
        if end is not None and not isinstance(end.data, int):
            raise NeedsElements
    return library.Range(first, last, inclusive)


def iterate(value: Any, node: Node) -> Iterator[Any]:
    """The elements of what stands behind `in`."""
    if isinstance(value, library.Range):
        name = value.type
        if value.last is None:
            return (Number(name, i) for i in count_from(value.first.data))
        return (Number(name, i) for i in range(*value.bounds()))
    if isinstance(value, Vec):
        return iter(list(value.elements())) if value.list is not None else iter(
            Iter(None, value.lanes, value.count))
    if isinstance(value, Iter):
        return iter(value)
    if isinstance(value, Variant) and value.enum == "Option":
        return iter(value.fields)
    raise Unsupported("nothing to go over", node)


def index(base: Any, at: Any, node: Node) -> Any:
    if not isinstance(base, Vec):
        raise Unsupported("only lists are indexed", node)
    if isinstance(at, library.Range):
        first, last = at.bounds(len(base))
        if not 0 <= first <= last <= len(base):
            raise Panic(f"range {first}..{last} is outside of a list of {len(base)}", node)
        return base.part(first, last)
    if not isinstance(at, Number):
        raise Unsupported("an index is a number or a range", node)
    if at.is_array:
        if np.any(at.data < 0) or np.any(at.data >= len(base)):
            raise NeedsElements
        return take(base.as_lanes(), at.data)
    if not 0 <= at.data < len(base):
        raise Panic(f"index out of bounds: the len is {len(base)} but the index is {at.data}", node)
    return base.at(at.data)


# ===--- Whose function it is ----------------------------------------------=== #


def field(base: Any, name: str, node: Node) -> Any:
    if isinstance(base, host.HostContext):
        return base
    raise Unsupported(f"there is no field '{name}' here", node)


CONSTANTS = {"MAX": 1, "MIN": 0}
FLOAT_CONSTANTS = {
    "MAX": np.finfo(np.float32).max, "MIN": np.finfo(np.float32).min, "INFINITY": np.inf,
    "NEG_INFINITY": -np.inf, "NAN": np.nan, "EPSILON": np.finfo(np.float32).eps,
    "MIN_POSITIVE": np.finfo(np.float32).tiny,
    "PI": np.pi, "E": np.e, "LN_2": np.log(2), "SQRT_2": np.sqrt(2),
}


def associated(of: Any, name: str, types: tuple[Any, ...], node: Node) -> Any:
    """`Type::name` of Rust or the crate, or a name of theirs alone."""
    if of is None:
        if name == "None":
            return none()
        return Builtin(None, name, types)
    if not isinstance(of, Named):
        raise Unsupported("this type has no functions", node)
    if of.name in INTEGERS:
        if name in CONSTANTS:
            return Number(of.name, limits(of.name)[CONSTANTS[name]])
        if name == "BITS":
            return Number("u32", abs(INTEGERS[of.name]))
    if name in FLOAT_CONSTANTS and of.name in (*FLOATS, "consts"):
        kind = "f32" if of.name == "consts" else of.name
        value = FLOAT_CONSTANTS[name]
        if kind == "f64" and name in ("MAX", "MIN", "EPSILON", "MIN_POSITIVE"):
            value = getattr(np.finfo(np.float64), {"EPSILON": "eps", "MIN_POSITIVE": "tiny"}.get(
                name, name.lower()))
        return Number(kind, round_to(kind, value))
    if of.name == "Opt" and name == "Uninit":
        return Opt(False, None)
    if of.name in ("Some", "Ordering") or name == "None":
        return Variant(of.name, name)
    return Builtin(of, name, types)


def call_builtin(evaluator: Evaluator, callee: Builtin, args: list[Any], node: Node,
                 want: Any) -> Any:
    """A function by its path."""
    made = host.call(evaluator, callee, args, node, want)
    if made is NotImplemented:
        made = library.call(evaluator, callee, args, node, want)
    if made is NotImplemented:
        name = f"{callee.type.name}::{callee.name}" if callee.type else callee.name
        raise Unsupported(f"'{name}' is not evaluated in tests", node)
    return made


def method(evaluator: Evaluator, receiver: Any, node: Node, types: tuple[Any, ...], frame: Frame,
           want: Any) -> Any:
    """A call by method."""
    if isinstance(receiver, (HostTensor, HbmTensor, host.HostContext, host.Archive, host.Rng)):
        made = host.method(evaluator, receiver, node, types, frame, want)
    elif isinstance(receiver, FunctionRef) and node.name == "device":
        made = ()
    else:
        made = library.method(evaluator, receiver, node, types, frame, want)
    if made is NotImplemented:
        raise Unsupported(f"method '{node.name}' is not evaluated in tests", node)
    return made
