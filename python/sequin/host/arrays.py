# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays of 32-bit words as memcpy takes and gives them, and time stamps."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from sequin._boundary import host_call
from sequin.errors import HostError, HostTypeError

from .checks import own_order

__all__ = [
    "calculate_cycles",
    "cast_uint32",
    "float_to_hex",
    "input_array_to_u32",
    "make_u48",
    "memcpy_view",
    "sub_ts",
]

Array = NDArray[Any]


@host_call
def input_array_to_u32(np_arr: Array, sentinel: int | None, fast_dim_sz: int) -> NDArray[np.uint32]:
    """The elements as 32-bit words, one dimension.

    Elements of 32 bits keep their bits. Those of 16 bits become the low half; the high
    half is zero if `sentinel` is None, else the element's index in the innermost
    dimension, whose size is `fast_dim_sz`.
    """
    array = own_order(np.ascontiguousarray(np_arr).reshape(-1))
    if array.dtype.itemsize == 4:
        return array.view(np.uint32)
    if array.dtype.itemsize != 2:
        raise HostTypeError(
            f"np_arr is {array.dtype} with {array.dtype.itemsize} bytes per element, "
            "expected 2 or 4"
        )
    words = array.view(np.uint16).astype(np.uint32)
    if sentinel is not None:
        if fast_dim_sz < 1:
            raise HostError(f"fast_dim_sz is {fast_dim_sz}, expected at least 1")
        index = np.arange(words.size, dtype=np.uint32) % np.uint32(fast_dim_sz)
        words |= index << np.uint32(16)
    return words


@host_call
def memcpy_view(arr: Array, datatype: DTypeLike) -> Array:
    """The elements of 1, 2 or 4 bytes in the low part of every 32-bit word of `arr`.

    A view: writing to it writes to `arr`, whose order of bytes it has.
    """
    dtype = np.dtype(datatype)
    if arr.dtype.itemsize != 4:
        raise HostTypeError(
            f"arr is {arr.dtype} with {arr.dtype.itemsize} bytes per element, expected 4"
        )
    if dtype.itemsize not in (1, 2, 4):
        raise HostTypeError(
            f"datatype is {dtype} with {dtype.itemsize} bytes per element, expected 1, 2 or 4"
        )
    dtype = dtype.newbyteorder(arr.dtype.byteorder)
    if dtype.itemsize == 4:
        return arr.view(dtype)
    step = 4 // dtype.itemsize
    low = 0 if arr.dtype.newbyteorder("<") == arr.dtype else step - 1
    return arr.view(dtype)[..., low::step]


@host_call
def make_u48(words: Any) -> int:
    """The number in three 16-bit words, the low one first."""
    low, middle, high = (int(word) for word in words)
    return low | middle << 16 | high << 32


@host_call
def sub_ts(words: Any) -> int:
    """Cycles from the time stamp in the first three 16-bit words to that in the others."""
    return make_u48(words[3:6]) - make_u48(words[0:3])


@host_call
def calculate_cycles(timestamp_buf: Array) -> np.int64:
    """Cycles between two time stamps of three 16-bit words, start and end, packed into
    three words of 32 bits."""
    words = own_order(np.ascontiguousarray(timestamp_buf).reshape(-1))
    if words.dtype.itemsize != 4 or words.size != 3:
        raise HostError(
            f"timestamp_buf is {words.size} elements of {words.dtype}, "
            "expected 3 of 32 bits"
        )
    return np.int64(sub_ts(words.view("<u2")))


@host_call
def float_to_hex(value: float) -> str:
    """The bits of a number rounded to f32, like "0x3f800000"."""
    return hex(struct.unpack("<I", struct.pack("<f", value))[0])


@host_call
def cast_uint32(value: Any) -> np.uint32:
    """The bits of a scalar in a word: of Python's float those of f32."""
    if isinstance(value, (float, int)) and not isinstance(value, np.generic):
        if isinstance(value, float):
            return np.float32(value).view(np.uint32)
        return np.uint32(value & 0xFFFFFFFF)
    if isinstance(value, np.generic) and value.dtype.itemsize in (2, 4):
        return np.uint32(value.view(f"u{value.dtype.itemsize}"))
    raise HostTypeError(f"{value!r} is no number of 16 or 32 bits")
