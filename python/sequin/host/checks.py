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

__all__ = ["member", "raw_words", "source_words", "target_words", "view_bytes", "whole"]

Array = NDArray[Any]


def whole(what: str, value: Any, least: int) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise HostTypeError(f"{what} is {value!r}, expected a whole number") from None
    if number < least:
        raise HostError(f"{what} is {number}, expected at least {least}")
    return number


def member(what: str, value: Any, kind: type[Enum]) -> Any:
    if not isinstance(value, kind):
        names = ", ".join(f"{kind.__name__}.{name}" for name in kind.__members__)
        raise HostTypeError(f"{what} is {value!r}, expected one of {names}")
    return value


def source_words(what: str, array: Any, count: int, formula: str) -> NDArray[np.uint32]:
    """A source array as words, in C order."""
    if not isinstance(array, np.ndarray):
        raise HostTypeError(f"{what} is a {type(array).__name__}, expected a NumPy array")
    if array.dtype.itemsize != 4 or array.dtype.kind not in "iuf":
        raise HostTypeError(
            f"{what} is an array of {array.dtype}, {array.dtype.itemsize} bytes per element, "
            "expected 32-bit words (int32, uint32, float32); "
            "sdk_utils.input_array_to_u32 extends 16-bit elements"
        )
    if array.size != count:
        raise HostError(f"{what} has {array.size} elements, expected {formula} = {count}")
    return np.ascontiguousarray(array).reshape(-1).view(np.uint32)


def target_words(
    what: str, array: Any, count: int, formula: str, exact: bool = True
) -> tuple[NDArray[np.uint32], Callable[[], None] | None]:
    """A destination as words, and what is left to do once they are there."""
    if not isinstance(array, np.ndarray):
        raise HostTypeError(f"{what} is a {type(array).__name__}, expected a NumPy array")
    if array.dtype.hasobject:
        raise HostTypeError(f"{what} is an array of Python objects, expected numbers")
    if not array.flags.writeable:
        raise HostError(f"{what} is read-only")
    if array.nbytes != 4 * count and (exact or array.nbytes < 4 * count):
        raise HostError(
            f"{what} is {array.size} elements of {array.dtype}, {array.nbytes} bytes, "
            f"expected {formula} = {count} words, {4 * count} bytes"
        )
    if array.flags.c_contiguous and array.ctypes.data % 4 == 0:
        return array.reshape(-1).view(np.uint8)[: 4 * count].view(np.uint32), None
    words = np.zeros(count, np.uint32)

    def copy_back() -> None:
        flat = np.ascontiguousarray(array).reshape(-1).view(np.uint8).copy()
        flat[: 4 * count] = words.view(np.uint8)
        array[...] = flat.view(array.dtype).reshape(array.shape)

    return words, copy_back


def raw_words(what: str, array: Any, count: int) -> NDArray[np.uint32]:
    """An array of any type whose bytes are `count` words."""
    if not isinstance(array, np.ndarray):
        raise HostTypeError(f"{what} is a {type(array).__name__}, expected a NumPy array")
    if array.nbytes != 4 * count:
        raise HostError(
            f"{what} is {array.size} elements of {array.dtype}, {array.nbytes} bytes, "
            f"expected n_wavelets = {count} words, {4 * count} bytes"
        )
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8).view(np.uint32)


def view_bytes(data: bytes, name: str, dtype: DTypeLike) -> Array:
    """Bytes of a variable as elements."""
    kind = np.dtype(dtype)
    if len(data) % kind.itemsize:
        raise HostTypeError(
            f"'{name}' has {len(data)} bytes, which is no multiple of the "
            f"{kind.itemsize} bytes of a {kind}"
        )
    return np.frombuffer(data, kind).copy()
