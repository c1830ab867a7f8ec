# ===- elements.py - Element types and signatures of test programs --------=== #
#
# Part of the Sequin project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------=== #
"""Element types as NumPy holds them, and the signature of a program's entry.

A value of a narrow floating type is carried in float32 (f16 in float32, too),
i4 in int8 and i1 in bool. `store` gives the bits that compiled code reads from
memory; `load` is its inverse.
"""

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

#: Type in MLIR's spelling -> NumPy type that carries its values.
CARRIER: dict[str, Any] = {
    "f8E4M3FN": np.float32, "f8E5M2": np.float32, "bf16": np.float32,
    "f16": np.float32, "f32": np.float32, "f64": np.float64, "i1": np.bool_,
    "i4": np.int8, "i8": np.int8, "ui8": np.uint8, "i16": np.int16,
    "i32": np.int32, "i64": np.int64,
}
#: Narrow floating types with fewer than 16 bits: exponent bits, mantissa bits.
EIGHT_BITS = {"f8E4M3FN": (4, 3), "f8E5M2": (5, 2)}


def round_bf16(values: Array) -> Array:
    """Nearest bf16, ties to even, as float32; NaN stays NaN."""
    values = np.ascontiguousarray(values, np.float32)
    bits = values.view(np.uint32)
    half = np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))
    rounded = ((bits + half) & np.uint32(0xFFFF0000)).view(np.float32)
    return np.where(np.isnan(values), values, rounded)


def decode8(codes: Array, element: str) -> Array:
    """Bytes of an 8-bit floating type -> float32."""
    exponent_bits, mantissa_bits = EIGHT_BITS[element]
    codes = codes.astype(np.int32)
    sign = np.where(codes & 0x80, -1.0, 1.0)
    exponent = codes >> mantissa_bits & (1 << exponent_bits) - 1
    mantissa = codes & (1 << mantissa_bits) - 1
    bias = (1 << exponent_bits - 1) - 1
    subnormal = exponent == 0
    fraction = mantissa / 2.0**mantissa_bits + np.where(subnormal, 0.0, 1.0)
    values = sign * fraction * 2.0 ** (np.where(subnormal, 1, exponent) - bias)
    if element == "f8E4M3FN":
        values = np.where(codes & 0x7F == 0x7F, np.nan, values)
    else:
        special = np.where(mantissa == 0, sign * np.inf, np.nan)
        values = np.where(exponent == 31, special, values)
    return values.astype(np.float32)


def encode8(values: Array, element: str) -> Array:
    """Finite float32 in range -> nearest code, ties to even code."""
    codes = np.arange(128, dtype=np.uint8)
    table = decode8(codes, element)
    codes, table = codes[np.isfinite(table)], table[np.isfinite(table)]
    magnitude = np.abs(np.asarray(values, np.float32))
    if np.any(magnitude > table[-1]):
        raise ValueError(f"value out of the range of {element}")
    upper = np.clip(np.searchsorted(table, magnitude), 1, len(table) - 1)
    below, above = magnitude - table[upper - 1], table[upper] - magnitude
    take_upper = (above < below) | ((above == below) & (codes[upper] % 2 == 0))
    code = np.where(take_upper, codes[upper], codes[upper - 1])
    return (code | np.where(np.signbit(values), 0x80, 0)).astype(np.uint8)


def round_to(values: Array, element: str) -> Array:
    """The values as a program with `element` sees them, in the carrier type."""
    if element == "bf16":
        return round_bf16(values)
    if element == "f16":
        return np.asarray(values).astype(np.float16).astype(np.float32)
    if element in EIGHT_BITS:
        return decode8(encode8(values, element), element)
    return np.asarray(values).astype(CARRIER[element])


def store(values: Array, element: str) -> Array:
    """The bits in memory of values in the carrier type."""
    if element == "bf16":
        values = round_bf16(values)
        return (values.view(np.uint32) >> np.uint32(16)).astype(np.uint16)
    if element == "f16":
        return np.ascontiguousarray(values, np.float16)
    if element in EIGHT_BITS:
        return encode8(values, element)
    if element == "i4":
        # Compiled code takes the rest of the byte for zero.
        return np.ascontiguousarray(values, np.int8) & 15
    return np.ascontiguousarray(values, CARRIER[element])


def storage_type(element: str) -> Any:
    if element == "bf16":
        return np.uint16
    if element == "f16":
        return np.float16
    return np.uint8 if element in EIGHT_BITS else CARRIER[element]


def load(stored: Array, element: str) -> Array:
    """Inverse of `store`."""
    if element == "bf16":
        return (stored.astype(np.uint32) << np.uint32(16)).view(np.float32)
    if element == "f16":
        return stored.astype(np.float32)
    if element in EIGHT_BITS:
        return decode8(stored, element)
    if element == "i4":
        return ((stored.astype(np.int8) << 4) >> 4).astype(np.int8)
    return stored


@dataclass(frozen=True)
class TensorType:
    shape: tuple[int, ...]
    element: str

    def __str__(self) -> str:
        return f"tensor<{''.join(f'{size}x' for size in self.shape)}{self.element}>"


def parse_type(text: str) -> TensorType:
    """`tensor<4x5xbf16>`, without encoding."""
    match = re.fullmatch(r"tensor<((?:\d+x)*)(\w+)>", text.strip())
    if not match or match[2] not in CARRIER:
        raise ValueError(f"no static tensor type: {text}")
    return TensorType(tuple(int(n) for n in match[1].split("x")[:-1]), match[2])


@dataclass(frozen=True)
class Signature:
    entry: str
    arguments: list[TensorType]
    results: list[TensorType]


def parse_signature(program: str) -> Signature:
    """Entry function: the first one that is not private."""
    match = re.search(r"func\.func (?:public )?@(\w+)\((.*?)\)\s*->\s*(.*?)\s*(?:attributes.*?)?\{\s*\n",
                      program, re.DOTALL)
    if not match:
        raise ValueError("no entry function with results")
    find = re.compile(r"tensor<[^>]*>").findall
    return Signature(match[1], [parse_type(t) for t in find(match[2])],
                     [parse_type(t) for t in find(match[3])])
