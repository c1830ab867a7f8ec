# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rust's numbers and those of the manual's crate in NumPy.

Integers wrap, as they do in tests that are built for release. bf16 and f8e4m3 are float32
arrays whose values are rounded to the type (nearest, ties to even), i4 is int8.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["FLOATS", "INTEGERS", "Number", "STORAGE", "cast", "divide", "draw", "fused", "limits",
           "remainder", "round_to", "wrap"]

Array = NDArray[Any]

#: Integers with their bits; the sign of a signed type is negative.
INTEGERS = {"i4": -4, "i8": -8, "i16": -16, "i32": -32, "i64": -64, "i128": -128, "isize": -64,
            "u8": 8, "u16": 16, "u32": 32, "u64": 64, "u128": 128, "usize": 64}
FLOATS = ("f8e4m3", "f8e5m2", "bf16", "f32", "f64")
#: What NumPy keeps elements of tensors in.
STORAGE: dict[str, Any] = {
    "i4": np.int8, "i8": np.int8, "i16": np.int16, "i32": np.int32, "u8": np.uint8,
    "f8e4m3": np.float32, "f8e5m2": np.float32, "bf16": np.float32, "f32": np.float32, "bool": np.bool_,
}


@dataclass
class Number:
    """A number, or an array of them in which all elements are computed at once. An integer
    is a Python int or an array of int64, a float of NumPy's. Literals have no type."""

    type: str | None
    data: Any

    @property
    def is_array(self) -> bool:
        return isinstance(self.data, np.ndarray)

    @property
    def is_float(self) -> bool:
        return self.type in FLOATS or (self.type is None and not isinstance(self.data, int)
                                       and getattr(self.data, "dtype", None) != np.int64)


def limits(name: str) -> tuple[int, int]:
    """The least and the greatest number of an integer type."""
    bits = INTEGERS[name]
    return (-(1 << (-bits - 1)), (1 << (-bits - 1)) - 1) if bits < 0 else (0, (1 << bits) - 1)


def wrap(name: str | None, data: Any) -> Any:
    """An integer modulo the numbers of its type."""
    if name is None or name not in INTEGERS:
        return data
    bits = INTEGERS[name]
    width = abs(bits)
    if isinstance(data, np.ndarray):
        if width >= 64:
            return data.astype(np.int64)
        low = data.astype(np.int64) & ((1 << width) - 1)
        return low - ((low >> (width - 1)) << width) if bits < 0 else low
    low = int(data) & ((1 << width) - 1)
    return low - (1 << width) if bits < 0 and low >> (width - 1) else low


def round_to(name: str | None, data: Any) -> Any:
    """A floating number rounded to its type; np.float64 without one."""
    with np.errstate(all="ignore"):
        if name == "f32":
            return np.float32(data) if np.ndim(data) == 0 else np.asarray(data, np.float32)
        if name == "bf16":
            return _cut(_single(data), 16)
        if name == "f8e4m3":
            return _to_f8(_single(data), 3, -6, 448.0)
        if name == "f8e5m2":
            return _to_f8(_single(data), 2, -14, None)
        return np.float64(data) if np.ndim(data) == 0 else np.asarray(data, np.float64)


def _single(data: Any) -> Any:
    return np.asarray(data, np.float32)


def _like(data: Any, made: Array) -> Any:
    return made if np.ndim(data) else np.float32(made[()])


def _cut(data: Array, bits: int) -> Any:
    """float32 without its last bits, rounded to nearest, ties to even."""
    raw = data.view(np.uint32) if data.ndim else np.array(data).view(np.uint32)
    even = (raw >> bits) & 1
    rounded = (raw + (np.uint32((1 << (bits - 1)) - 1) + even)) >> bits << bits
    made = np.where(np.isnan(data), np.float32(np.nan), rounded.astype(np.uint32).view(np.float32))
    return _like(data, made)


def _to_f8(data: Array, bits: int, least: int, most: float | None) -> Any:
    """Of so many bits behind the point, with exponents from `least` on. f8e4m3 has no
    infinities: what is larger than `most` is held to it. f8e5m2 has them."""
    size = np.abs(data.astype(np.float64))
    exponent = np.maximum(np.floor(np.log2(np.maximum(size, 2.0**-40))), least)
    step = 2.0 ** (np.minimum(exponent, 15) - bits)
    made = np.rint(size / step) * step
    made = np.minimum(made, most) if most is not None else np.where(made > 57344, np.inf, made)
    made = np.where(np.isnan(data), np.nan, np.copysign(made, data)).astype(np.float32)
    return _like(data, made)


def cast(number: Number, to: str) -> Number:
    """`number as to`."""
    data = number.data
    if to in INTEGERS:
        if not number.is_float:
            return Number(to, wrap(to, data))
        least, greatest = limits(to)
        with np.errstate(all="ignore"):
            whole = np.trunc(np.asarray(data, np.float64))
        if np.ndim(data) == 0:
            return Number(to, 0 if np.isnan(whole) else
                          least if whole < least else
                          greatest if whole > greatest else int(whole))
        # The greatest int64 is no float64; what would pass it is set by hand.
        inside = np.where(np.isnan(whole) | (whole < least) | (whole > greatest), 0, whole)
        made = np.where(whole >= 2.0**63, 0, inside).astype(np.int64)
        made = np.where(whole < least, max(least, -(1 << 63)), made)
        made = np.where(whole > greatest, min(greatest, (1 << 63) - 1), made)
        return Number(to, made)
    if to in FLOATS:
        if number.is_array and not number.is_float and to != "f64":
            return Number(to, round_to(to, data.astype(np.float64)))
        return Number(to, round_to(to, data))
    raise KeyError(to)


def divide(a: Any, b: Any) -> Any:
    """Of integers, towards zero."""
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        quotient = np.abs(a) // np.abs(b)
        return np.where((np.asarray(a) < 0) != (np.asarray(b) < 0), -quotient, quotient)
    return abs(a) // abs(b) * (-1 if (a < 0) != (b < 0) else 1)


def remainder(a: Any, b: Any) -> Any:
    """Of integers, with the sign of the dividend."""
    return a - divide(a, b) * b


def fused(a: Any, b: Any, c: Any, name: str | None) -> Any:
    """a b + c with one rounding to float32: the product is exact in float64, and the sum is
    rounded to odd there, which rounding to float32 then cannot see."""
    if name != "f32":
        return round_to(name, np.float64(a) * np.float64(b) + np.float64(c))
    with np.errstate(all="ignore"):
        product = np.asarray(np.multiply(a, b, dtype=np.float64))
        addend = np.asarray(c, np.float64)
        total = np.asarray(product + addend)
        back = total - product
        lost = (product - (total - back)) + (addend - back)
        odd = total.view(np.int64) & 1
        toward = np.where(lost > 0, np.inf, -np.inf)
        fix = np.isfinite(total) & np.isfinite(lost) & (lost != 0) & (odd == 0)
        total = np.where(fix, np.nextafter(total, toward), total)
    return round_to("f32", total if np.ndim(total) else total[()])


def draw(name: str, generator: np.random.Generator, count: int) -> Array:
    """What Rust's StandardUniform draws from, and the crate for its own types: every
    integer, floats from 0 to 1, narrow floats from -1 to 1. The numbers are those of
    NumPy's generator, not of Rust's."""
    if name in INTEGERS:
        least, greatest = limits(name)
        made = generator.integers(least, greatest, count, np.int64, endpoint=True)
        return made.astype(STORAGE.get(name, np.int64))
    if name in ("bf16", "f8e4m3", "f8e5m2"):
        rounded: Array = round_to(name, generator.uniform(-1, 1, count))
        return rounded
    if name == "bool":
        return generator.integers(0, 2, count).astype(bool)
    return generator.random(count, np.float32)


def _through_f64(function: Callable[[Any], Any]) -> Callable[[Number], Number]:
    def apply(number: Number) -> Number:
        with np.errstate(all="ignore"):
            made = function(np.asarray(number.data, np.float64))
        return Number(number.type, round_to(number.type, made if np.ndim(made) else made[()]))

    return apply


def _round_away(x: Any) -> Any:
    return np.copysign(np.floor(np.abs(x) + 0.5), x)


#: Functions of one floating number, computed in float64 and rounded.
FUNCTIONS: dict[str, Callable[[Number], Number]] = {
    name: _through_f64(function) for name, function in {
        "abs": np.abs, "sqrt": np.sqrt, "exp": np.exp, "exp2": np.exp2, "ln": np.log,
        "log2": np.log2, "log10": np.log10, "sin": np.sin, "cos": np.cos, "tan": np.tan,
        "tanh": np.tanh, "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc,
        "round": _round_away, "round_ties_even": np.rint, "recip": lambda x: 1 / x,
        "signum": lambda x: np.where(np.isnan(x), x, np.copysign(1.0, x)),
        "fract": lambda x: x - np.trunc(x), "neg": np.negative,
    }.items()
}
