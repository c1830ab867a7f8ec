# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records of the library <debug> (docs/Spec/CslOutput.md, 'Traces')."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

from sequin.errors import HostError

__all__ = ["decode_fp16", "decode_trace", "encode_trace"]

#: Tag, and the bytes of the value; strings are apart.
NAMES = ("bool", "u8", "i8", "u16", "i16", "f16", "u32", "i32", "f32", "string", "timestamp")
TAGS = {name: tag for tag, name in enumerate(NAMES)}
WORDS = {"u32": 2, "i32": 2, "f32": 2, "timestamp": 3}

#: Bits of the exponent and of the mantissa.
FP16_FORMATS = {"f16": (5, 10), "cb16": (6, 9), "bf16": (8, 7)}
CB16_BIAS = 42


def decode_fp16(bits: int, fp16: str) -> float:
    """The value of a 16-bit float."""
    exponent_bits, mantissa_bits = FP16_FORMATS[fp16]
    bias = CB16_BIAS if fp16 == "cb16" else (1 << exponent_bits - 1) - 1
    sign = -1.0 if bits >> 15 else 1.0
    exponent = bits >> mantissa_bits & (1 << exponent_bits) - 1
    mantissa = bits & (1 << mantissa_bits) - 1
    if exponent == (1 << exponent_bits) - 1:
        return float("nan") if mantissa else sign * float("inf")
    if exponent == 0:
        return sign * mantissa * 2.0 ** (1 - bias - mantissa_bits)
    return sign * (1 + mantissa * 2.0**-mantissa_bits) * 2.0 ** (exponent - bias)


def _value(kind: str, words: list[int], fp16: str) -> Any:
    number = sum(word << 16 * i for i, word in enumerate(words))
    if kind == "bool":
        return bool(number)
    if kind == "f16":
        return decode_fp16(number, fp16)
    if kind == "f32":
        return float(np.uint32(number).view(np.float32))
    if kind in ("i8", "i16", "i32"):
        bits = int(kind[1:])
        number &= (1 << bits) - 1
        return number - (1 << bits) if number >> bits - 1 else number
    return number


def decode_trace(data: bytes, fp16: str) -> list[Any]:
    """The values in a trace buffer."""
    words = np.frombuffer(data[: len(data) // 2 * 2], "<u2").tolist()
    if not words:
        return []
    end = 1 + words[0]
    if end > len(words):
        raise HostError(
            f"the trace says that it has {words[0]} words, its buffer has {len(words) - 1}"
        )
    values: list[Any] = []
    at = 1

    def take(count: int) -> list[int]:
        nonlocal at
        if at + count > end:
            raise HostError(f"the trace ends within a record, at word {end}")
        at += count
        return words[at - count : at]

    while at < end:
        (tag,) = take(1)
        if tag >= len(NAMES):
            raise HostError(
                f"the trace has tag {tag} at word {at - 1}, known are 0 to {len(NAMES) - 1}"
            )
        kind = NAMES[tag]
        if kind == "string":
            (length,) = take(1)
            text = take((length + 1) // 2)
            values.append(
                struct.pack(f"<{len(text)}H", *text)[:length].decode("utf-8", "replace")
            )
        else:
            values.append(_value(kind, take(WORDS.get(kind, 1)), fp16))
    return values


def encode_trace(records: list[tuple[str, Any]]) -> bytes:
    """The buffer that `decode_trace` reads; numbers as their bits."""
    words: list[int] = []
    for kind, value in records:
        words.append(TAGS[kind])
        if kind == "string":
            text = value.encode()
            words.append(len(text))
            words += struct.unpack(f"<{(len(text) + 1) // 2}H", text + bytes(len(text) % 2))
        else:
            words += [value >> 16 * i & 0xFFFF for i in range(WORDS.get(kind, 1))]
    return struct.pack(f"<{1 + len(words)}H", len(words), *words)
