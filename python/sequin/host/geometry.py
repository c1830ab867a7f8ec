# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Places and rectangles of PEs."""

from __future__ import annotations

import operator
from collections.abc import Iterator

from sequin._boundary import host_class
from sequin.errors import HostError

__all__ = ["IntRectangle", "IntVector"]


@host_class
class IntVector:
    """A place: x grows to the east, y to the south."""

    def __init__(self, x: int, y: int) -> None:
        self.x = operator.index(x)
        self.y = operator.index(y)

    def __iter__(self) -> Iterator[int]:
        return iter((self.x, self.y))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, IntVector) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __add__(self, other: IntVector) -> IntVector:
        return IntVector(self.x + other.x, self.y + other.y)

    def __sub__(self, other: IntVector) -> IntVector:
        return IntVector(self.x - other.x, self.y - other.y)

    def __repr__(self) -> str:
        return f"IntVector({self.x}, {self.y})"


@host_class
class IntRectangle:
    """From the upper-left corner to the lower-right one, which is not in it any more."""

    def __init__(self, origin: IntVector, end: IntVector) -> None:
        if end.x <= origin.x or end.y <= origin.y:
            raise HostError(
                f"the rectangle from {origin} to {end} is empty; its second corner is the "
                "lower-right one, exclusive"
            )
        self.origin = origin
        self.end = end

    @property
    def width(self) -> int:
        """PEs from west to east."""
        return self.end.x - self.origin.x

    @property
    def height(self) -> int:
        """PEs from north to south."""
        return self.end.y - self.origin.y

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return (
            (x, y)
            for y in range(self.origin.y, self.end.y)
            for x in range(self.origin.x, self.end.x)
        )

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, IntRectangle)
            and self.origin == other.origin
            and self.end == other.end
        )

    def __hash__(self) -> int:
        return hash((self.origin, self.end))

    def __repr__(self) -> str:
        return f"IntRectangle({self.origin}, {self.end})"
