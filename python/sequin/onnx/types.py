# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types: ONNX's, as arrays hold them and as the module stores them.

NumPy has no bf16 and no 8-bit floats: arrays of these hold the elements' bits, as
everywhere in the package. The machine has no unsigned and no 64-bit integers: unsigned
ones are stored by their bits, 64-bit ones as i32, which whoever makes them proves or
whoever passes them checks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "BFLOAT16", "BOOL", "BY_CODE", "BY_NAME", "ElementType", "FLOAT16", "FLOAT32",
    "FLOAT64", "I32_RANGE", "INT32", "INT64", "INT8", "UINT8", "narrowed", "of_array",
    "rounded_to", "widened",
]

Array = NDArray[Any]
Range = tuple[int, int]

#: What an i32 holds.
I32_RANGE: Range = (-(2**31), 2**31 - 1)


@dataclass(frozen=True)
class ElementType:
    """An element type of ONNX."""

    name: str
    """As messages say it, e.g. ``"float32"``."""
    code: int
    """TensorProto.DataType."""
    stored: str
    """The element type in the module, e.g. ``"i8"``; empty if the machine has none."""
    numpy: str
    """The NumPy type of arrays of it, or of their elements' bits; empty if none."""
    kind: str
    """``"float"``, ``"int"``, ``"uint"``, ``"bool"`` or ``"other"``."""
    bits: int

    @property
    def is_float(self) -> bool:
        return self.kind == "float"

    @property
    def is_bool(self) -> bool:
        return self.kind == "bool"

    @property
    def is_integer(self) -> bool:
        return self.kind in ("int", "uint")

    @property
    def is_unsigned(self) -> bool:
        return self.kind == "uint"

    @property
    def word(self) -> str:
        """What the vector engine computes with: f32, i32, or truth values."""
        return "f32" if self.is_float else "i1" if self.is_bool else "i32"

    @property
    def dtype(self) -> np.dtype[Any]:
        """The NumPy type of arrays of it."""
        return np.dtype(self.numpy)

    @property
    def holds_bits(self) -> bool:
        """Whether arrays hold the elements' bits."""
        return self.is_float and self.dtype.kind == "u"

    @property
    def range(self) -> Range:
        """Of integers and truth values: the least and the greatest."""
        if self.is_bool:
            return (0, 1)
        if self.kind == "uint":
            return (0, 2**self.bits - 1)
        return (-(2 ** (self.bits - 1)), 2 ** (self.bits - 1) - 1)

    @property
    def passed_range(self) -> Range:
        """Of an argument's elements: 64-bit ones are checked to be i32's when passed."""
        low, high = self.range
        return (max(low, I32_RANGE[0]), min(high, I32_RANGE[1]) if self.bits > 32 else high)

    def __str__(self) -> str:
        return self.name


def _make(name: str, code: int, stored: str, numpy: str, kind: str, bits: int) -> ElementType:
    return ElementType(name, code, stored, numpy, kind, bits)


FLOAT32 = _make("float32", 1, "f32", "float32", "float", 32)
UINT8 = _make("uint8", 2, "i8", "uint8", "uint", 8)
INT8 = _make("int8", 3, "i8", "int8", "int", 8)
INT32 = _make("int32", 6, "i32", "int32", "int", 32)
INT64 = _make("int64", 7, "i32", "int64", "int", 64)
BOOL = _make("bool", 9, "i1", "bool", "bool", 1)
FLOAT16 = _make("float16", 10, "f16", "float16", "float", 16)
FLOAT64 = _make("float64", 11, "", "float64", "float", 64)
BFLOAT16 = _make("bfloat16", 16, "bf16", "uint16", "float", 16)

BY_CODE = {
    kind.code: kind
    for kind in (
        FLOAT32, UINT8, INT8, INT32, INT64, BOOL, FLOAT16, FLOAT64, BFLOAT16,
        _make("uint16", 4, "i16", "uint16", "uint", 16),
        _make("int16", 5, "i16", "int16", "int", 16),
        _make("string", 8, "", "", "other", 0),
        _make("uint32", 12, "i32", "uint32", "uint", 32),
        _make("uint64", 13, "i32", "uint64", "uint", 64),
        _make("complex64", 14, "", "complex64", "other", 64),
        _make("complex128", 15, "", "complex128", "other", 128),
        _make("float8e4m3fn", 17, "f8E4M3FN", "uint8", "float", 8),
        _make("float8e4m3fnuz", 18, "", "uint8", "float", 8),
        _make("float8e5m2", 19, "f8E5M2", "uint8", "float", 8),
        _make("float8e5m2fnuz", 20, "", "uint8", "float", 8),
        _make("uint4", 21, "i8", "uint8", "uint", 4),
        _make("int4", 22, "i4", "int8", "int", 4),
        _make("float4e2m1", 23, "", "uint8", "float", 4),
    )
}
BY_NAME = {kind.name: kind for kind in BY_CODE.values()}


def of_array(array: Array) -> ElementType:
    """The type of an array that holds numbers, not bits."""
    return BY_NAME[array.dtype.name]


# ===--- Floats that NumPy lacks ------------------------------------------=== #


def _widen_float8(bits: Array, exponent: int, mantissa: int, bias: int, finite: bool) -> Array:
    code = bits.astype(np.int32)
    sign = np.where(code & 0x80, -1.0, 1.0)
    power = (code >> mantissa) & ((1 << exponent) - 1)
    rest = code & ((1 << mantissa) - 1)
    scale = np.ldexp(1.0, -mantissa)
    value = np.where(
        power == 0,
        np.ldexp(rest * scale, 1 - bias),
        np.ldexp(1 + rest * scale, power - bias),
    )
    top = power == (1 << exponent) - 1
    if finite:  # the code of all ones alone is no number
        value = np.where(top & (rest == (1 << mantissa) - 1), np.nan, value)
    else:
        value = np.where(top, np.where(rest == 0, np.inf, np.nan), value)
    return np.asarray(sign * value, np.float32)


def widened(array: Array, kind: ElementType) -> Array:
    """The numbers of an array: of bits in float32, of others as they are."""
    if not kind.holds_bits:
        return array
    if kind is BFLOAT16:
        return np.asarray((array.astype(np.uint32) << 16).view(np.float32))
    if kind.name == "float8e4m3fn":
        return _widen_float8(array, 4, 3, 7, finite=True)
    if kind.name == "float8e5m2":
        return _widen_float8(array, 5, 2, 15, finite=False)
    raise TypeError(f"numbers of {kind} cannot be read")


def _round_bfloat16(values: Array) -> Array:
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    quiet = (bits >> 16) | 0x40
    return np.where(np.isnan(values), quiet, rounded).astype(np.uint16)


def _round_float8(values: Array, kind: ElementType) -> Array:
    """To nearest, ties to even; above the greatest one, the greatest one."""
    codes = np.arange(0x7F if kind.name == "float8e4m3fn" else 0x7C, dtype=np.uint8)
    table = widened(codes, kind).astype(np.float64)
    size = np.abs(np.asarray(values, np.float64))
    above = np.clip(np.searchsorted(table, size), 1, len(table) - 1)
    low, high = table[above - 1], table[above]
    up = (size - low > high - size) | ((size - low == high - size) & (above % 2 == 0))
    code = np.where(up, above, above - 1).astype(np.uint8)
    code = np.where(np.isnan(size), 0x7F, code).astype(np.uint8)
    return np.where(np.signbit(values), code | 0x80, code).astype(np.uint8)


def rounded_to(values: Array, kind: ElementType) -> Array:
    """Numbers as an array of `kind` holds them: rounded to nearest even, integers cut to
    their low bits as a cast of ONNX does."""
    if kind is BFLOAT16:
        return _round_bfloat16(np.asarray(values, np.float32))
    if kind.name in ("float8e4m3fn", "float8e5m2"):
        return _round_float8(values, kind)
    if kind.holds_bits or not kind.numpy:
        raise TypeError(f"numbers of {kind} cannot be made")
    if kind.is_bool:
        return np.asarray(values != 0)
    with np.errstate(all="ignore"):
        return np.asarray(values).astype(kind.dtype)


def narrowed(array: Array, kind: ElementType, name: str) -> Array:
    """An array as the machine takes it: bits of unsigned integers, i32 for 64 bits.
    ValueError for 64-bit numbers that do not fit in 32."""
    if kind.is_bool:
        return array.astype(np.int8)
    if kind.is_integer and kind.bits == 64:
        low, high = kind.passed_range
        if array.size and (int(array.min()) < low or int(array.max()) > high):
            bad = int(array.min()) if int(array.min()) < low else int(array.max())
            raise ValueError(
                f"'{name}' holds {bad}, 64-bit integers are passed as i32, {low} to {high}"
            )
        return array.astype(np.int32)
    if kind.is_unsigned:
        return array.view(np.dtype(f"int{array.dtype.itemsize * 8}"))
    return array
