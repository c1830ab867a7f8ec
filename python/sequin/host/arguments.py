# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments of launched functions, as the bits that registers get."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

import numpy as np

from sequin.errors import HostError, HostTypeError

__all__ = ["encode_arguments", "encode_words"]

#: NumPy's scalar types of CSL's; bf16 and cb16 are no types of NumPy's.
NUMPY_TYPES = {
    "i16": np.int16,
    "u16": np.uint16,
    "i32": np.int32,
    "u32": np.uint32,
    "f16": np.float16,
    "f32": np.float32,
    "i64": np.int64,
    "u64": np.uint64,
    "i8": np.int8,
    "u8": np.uint8,
    "bool": np.bool_,
    "id": np.uint16,
    "pointer": np.uint16,
    "dsd": np.uint64,
}


def _integer_bits(kind: str) -> int | None:
    """How many bits a type has whose values are integers; None for other types."""
    if kind in ("id", "pointer", "dsd"):
        return 8 * np.dtype(NUMPY_TYPES[kind]).itemsize
    return int(kind[1:]) if kind[0] in "iu" and kind[1:].isdecimal() else None


def _bits_of(scalar: np.generic) -> int:
    return int(scalar.view(f"u{scalar.dtype.itemsize}"))


def _integer(what: str, value: int, kind: str) -> int:
    # The bits of an integer of the other sign are taken too, as they are.
    bits = _integer_bits(kind)
    assert bits
    low, high = -(1 << bits - 1), (1 << bits) - 1
    if not low <= value <= high:
        own, other = f"{low} to {high >> 1}", f"up to {high}"
        if kind[0] != "i" or kind == "id":
            own, other = f"0 to {high}", f"from {low} on"
        raise HostError(
            f"{what} is {value}, which is out of range for {kind}: {own}; as its bits numbers "
            f"{other} are taken too"
        )
    return value & ((1 << bits) - 1)


def _float(value: float, kind: str) -> int:
    if kind == "f32":
        with np.errstate(over="ignore"):
            return _bits_of(np.float32(value))
    if kind == "f16":
        with np.errstate(over="ignore"):
            return _bits_of(np.float16(value))
    raise HostTypeError(
        f"a Python float cannot be passed as {kind}; pass its bits as a np.uint16"
    )


def _written(kind: str) -> str:
    """How a script writes an argument of a type."""
    if kind in NUMPY_TYPES:
        return f"write np.{NUMPY_TYPES[kind].__name__}(...)"
    return "write a Python int" if _integer_bits(kind) else "write its bits as a np.uint16"


def encode(what: str, value: Any, kind: str) -> int:
    """The bits of one argument; `what` names it in messages."""
    if isinstance(value, np.ndarray) and value.size == 1 and value.ndim == 0:
        value = value[()]
    if isinstance(value, np.generic):
        if kind in ("bf16", "cb16") and value.dtype == np.uint16:
            return _bits_of(value)
        expected = NUMPY_TYPES.get(kind)
        bits = _integer_bits(kind)
        if expected is not None and (
            type(value) is expected
            or (bits is not None and value.dtype.kind in "iu" and 8 * value.dtype.itemsize == bits)
        ):
            return _bits_of(value)
        # NumPy has no integers of other widths: the next wider one holds the value.
        if expected is None and bits and value.dtype.kind in "iu" \
                and bits < 8 * value.dtype.itemsize < 2 * max(bits, 8):
            return _integer(what, int(value), kind)
        raise HostTypeError(
            f"{what} is a np.{type(value).__name__}, the program takes {kind}; {_written(kind)}"
        )
    if kind == "bool" and isinstance(value, bool):
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool) and _integer_bits(kind):
        return _integer(what, value, kind)
    if isinstance(value, float) and kind in ("f16", "f32", "bf16", "cb16"):
        return _float(value, kind)
    raise HostTypeError(f"{what} is a {type(value).__name__}, the program takes {kind}; {_written(kind)}")


def encode_arguments(function: str, values: Sequence[Any], kinds: Sequence[str]) -> list[int]:
    """The bits of the arguments of a launch."""
    if len(values) != len(kinds):
        takes = f"({', '.join(kinds)})" if kinds else "no arguments"
        raise HostError(f"'{function}' takes {takes}, found {len(values)} arguments")
    return [
        encode(f"argument {i} of '{function}'", value, kind)
        for i, (value, kind) in enumerate(zip(values, kinds, strict=True))
    ]


def encode_words(function: str, values: Sequence[Any], kinds: Sequence[str]) -> list[int]:
    """The same for call(), the older form: an unsigned word may also be the bits of a
    float or of a signed integer, or hold what has fewer bits than a word."""

    def retype(value: Any, kind: str) -> Any:
        expected = NUMPY_TYPES.get(kind)
        unsigned = isinstance(value, (np.uint16, np.uint32))
        if unsigned and expected is not None and value.dtype.itemsize == np.dtype(expected).itemsize:
            return value.view(expected)
        # A word with what has half as many bits in its lower half.
        if unsigned and expected is not None and np.dtype(expected).itemsize == 2 \
                and value < 1 << 16:
            return np.uint16(value).view(expected)
        if unsigned and kind == "bool" and value < 2:
            return bool(value)
        bits = _integer_bits(kind)
        if unsigned and bits and bits < 16 and value < 1 << bits:
            return int(value)
        if type(value) is int and kind == "f32" and 0 <= value < 1 << 32:
            return np.frombuffer(struct.pack("<I", value), np.float32)[0]
        return value

    if len(values) == len(kinds):
        values = [retype(value, kind) for value, kind in zip(values, kinds, strict=True)]
    return encode_arguments(function, values, kinds)
