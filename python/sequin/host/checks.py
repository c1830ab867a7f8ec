# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments of the runtime's calls: whole numbers, arrays of words, bytes as elements."""

from __future__ import annotations

import operator
from collections.abc import Callable
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from sequin.errors import HostError, HostTypeError

__all__ = [
    "member", "own_order", "raw_words", "source_words", "target_words", "view_bytes", "whole",
]

Array = NDArray[Any]


#: The native half counts in 64 bits.
MOST = (1 << 63) - 1


def whole(what: str, value: Any, least: int = -MOST) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise HostTypeError(f"{what} is {value!r}, expected a whole number") from None
    if number < least:
        raise HostError(f"{what} is {number}, expected at least {least}")
    if number > MOST:
        raise HostError(f"{what} is {hex(number)}, expected at most {MOST}")
    return number


def member(what: str, value: Any, kind: type[Enum]) -> Any:
    if not isinstance(value, kind):
        names = ", ".join(f"{kind.__name__}.{name}" for name in kind.__members__)
        raise HostTypeError(f"{what} is {value!r}, expected one of {names}")
    return value


def own_order(array: Array) -> Array:
    """The same values in the machine's order of bytes, in which words are."""
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def _words_of(dtype: np.dtype[Any]) -> str:
    """How elements become words, as a script writes it."""
    if dtype.itemsize == 2 and dtype.kind in "iuf":
        return "write sdk_utils.input_array_to_u32(src, None, 1) for 16-bit elements"
    if dtype.kind == "c":
        return "write src.astype(np.complex64).view(np.float32)"
    word = {"f": "float32", "i": "int32"}.get(dtype.kind, "uint32")
    return f"write src.astype(np.{word})"


def source_words(what: str, array: Any, count: int, formula: str) -> NDArray[np.uint32]:
    """A source array as words, in C order: its first `count`."""
    if not isinstance(array, np.ndarray):
        raise HostTypeError(
            f"{what} is a {type(array).__name__}, expected a NumPy array of 32-bit words; "
            "write np.array(src, np.float32) or np.uint32"
        )
    if array.dtype.itemsize != 4 or array.dtype.kind not in "iuf":
        raise HostTypeError(
            f"{what} is an array of {array.dtype}, {array.dtype.itemsize} bytes per element, "
            f"expected 32-bit words (int32, uint32, float32); {_words_of(array.dtype)}"
        )
    if array.size < count:
        raise HostError(f"{what} has {array.size} elements, expected {formula} = {count}")
    return own_order(np.ascontiguousarray(array).reshape(-1)[:count]).view(np.uint32)


def _words_for(dtype: np.dtype[Any], count: int) -> str:
    """What to write in the place of a destination whose elements are no words."""
    if dtype.itemsize == 2 and dtype.kind in "iuf":
        return (
            f"; 16-bit elements come as words: write np.zeros({count}, np.uint32), and "
            f"sdk_utils.memcpy_view(dest, np.{dtype.type.__name__}) after the copy"
        )
    if dtype.itemsize != 4:
        return f"; write np.zeros({count}, np.{'float32' if dtype.kind == 'f' else 'uint32'})"
    return ""


def target_words(
    what: str, array: Any, count: int, formula: str
) -> tuple[NDArray[np.uint32], Callable[[], None] | None]:
    """The beginning of a destination as words, and what is left to do once they are there.
    Elements of other sizes than a word's are taken where they are exactly as many bytes."""
    if not isinstance(array, np.ndarray):
        raise HostTypeError(
            f"{what} is a {type(array).__name__}, expected a NumPy array; "
            f"write np.zeros({count}, np.float32) or np.uint32"
        )
    if array.dtype.hasobject:
        raise HostTypeError(f"{what} is an array of Python objects, expected numbers")
    if not array.flags.writeable:
        raise HostError(f"{what} is read-only; write np.array(dest), which is a copy")
    if array.nbytes != 4 * count and (array.nbytes < 4 * count or array.dtype.itemsize != 4):
        raise HostError(
            f"{what} is {array.size} elements of {array.dtype}, {array.nbytes} bytes, "
            f"expected {formula} = {count} words, {4 * count} bytes"
            + _words_for(array.dtype, count)
        )
    if array.flags.c_contiguous and array.ctypes.data % 4 == 0 and array.dtype.isnative:
        return array.reshape(-1).view(np.uint8)[: 4 * count].view(np.uint32), None
    words = np.zeros(count, np.uint32)

    def copy_back() -> None:
        filled = np.array(own_order(array), order="C")
        filled.reshape(-1).view(np.uint8)[: 4 * count] = words.view(np.uint8)
        array[...] = filled

    return words, copy_back


def raw_words(what: str, array: Any, count: int) -> NDArray[np.uint32]:
    """The first `count` words of the bytes of an array of any type."""
    if not isinstance(array, np.ndarray):
        raise HostTypeError(f"{what} is a {type(array).__name__}, expected a NumPy array")
    if array.nbytes < 4 * count:
        raise HostError(
            f"{what} is {array.size} elements of {array.dtype}, {array.nbytes} bytes, "
            f"expected n_wavelets = {count} words, {4 * count} bytes"
        )
    flat = own_order(np.ascontiguousarray(array)).reshape(-1)
    return flat.view(np.uint8)[: 4 * count].view(np.uint32)


def view_bytes(data: bytes, name: str, dtype: DTypeLike) -> Array:
    """Bytes of a variable as elements."""
    try:
        kind = np.dtype(dtype)
    except (TypeError, ValueError):
        kind = None
    if kind is None or kind.hasobject or not kind.itemsize:
        raise HostTypeError(f"dtype is {dtype!r}, expected the type of an element")
    if len(data) % kind.itemsize:
        raise HostTypeError(
            f"'{name}' has {len(data)} bytes, which is no multiple of the "
            f"{kind.itemsize} bytes of a {kind}"
        )
    # The device has its own order of bytes, whatever the elements are to be in.
    return np.frombuffer(data, kind.newbyteorder("<")).astype(kind.base)
