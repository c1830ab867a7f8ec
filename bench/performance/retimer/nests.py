# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loop nests: the addresses they visit and the bytes they cover (Sequencer, Configuration).

A nest is a base and loops (size, stride), the outermost first. Strides may be zero or negative.
"""

import dataclasses
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

Json = Mapping[str, Any]
Loops = Sequence[Sequence[int]]  # of (size, stride)

#: Bits of an element in memory and in streams. i5 and i9 are i4 and i8 on their way to the
#: contraction engine and travel in 8 and 16 bits (docs/Spec/Config.md).
BITS = {"i4": 4, "i5": 8, "i8": 8, "i9": 16, "i16": 16, "i32": 32, "f8e4m3": 8, "f8e5m2": 8,
        "bf16": 16, "f16": 16, "f32": 32}


def ceil_div(dividend: int, divisor: int) -> int:
    return -(-dividend // divisor)


def rounds(loops: Loops) -> int:
    """How often the innermost loop's body runs."""
    return math.prod(loop[0] for loop in loops)


def visited(base: int, loops: Iterable[tuple[int, int]]) -> np.ndarray:
    """Every address in the order of the visits."""
    addresses = np.array([base], dtype=np.int64)
    for size, stride in loops:
        steps = np.arange(size, dtype=np.int64) * stride
        addresses = (addresses[:, None] + steps).ravel()
    return addresses


@dataclasses.dataclass(frozen=True)
class Intervals:
    """Half-open, sorted, and none touches the next."""

    starts: np.ndarray
    ends: np.ndarray

    @property
    def low(self) -> int:
        return int(self.starts[0])

    @property
    def high(self) -> int:
        return int(self.ends[-1])

    def overlaps(self, other: "Intervals") -> bool:
        if self.high <= other.low or other.high <= self.low:
            return False
        # The first interval of the other one that ends behind the start of each of ours.
        first = np.searchsorted(other.ends, self.starts, side="right")
        known = first < len(other.starts)
        return bool((other.starts[first[known]] < self.ends[known]).any())


def interval(start: int, end: int) -> Intervals:
    return Intervals(np.array([start]), np.array([end]))


def joined(starts: np.ndarray, length: int) -> Intervals:
    """Runs of one length, which may touch and overlap."""
    starts = np.unique(starts)
    gaps = np.flatnonzero(starts[1:] > starts[:-1] + length)
    return Intervals(starts[np.concatenate(([0], gaps + 1))],
                     starts[np.concatenate((gaps, [len(starts) - 1]))] + length)


def covered(base: int, loops: Loops, length: int) -> Intervals:
    """The units that a nest of runs of `length` touches."""
    left = []
    for size, stride in loops:
        base += min(0, stride * (size - 1))
        if size > 1 and stride:
            left.append((abs(stride), size))
    left.sort()
    # Loops that go on where the run ends, or inside it, make it longer.
    while left and left[0][0] <= length:
        stride, size = left.pop(0)
        length += stride * (size - 1)
    return joined(visited(base, [(size, stride) for stride, size in reversed(left)]), length)


def bytes_of(sequencer: Json, kind: str, elements: int = 1) -> Intervals:
    """Bytes that a sequencer over elements of a type touches. `elements` in a row are taken at
    every visit."""
    bits = BITS[kind]
    found = covered(sequencer["base"] * 8,
                    [(size, stride * bits) for size, stride in sequencer["entries"]],
                    elements * bits)
    return Intervals(found.starts // 8, -(-found.ends // 8))
