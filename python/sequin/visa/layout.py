# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mappings of the manual (section "Mapping Expressions") in NumPy, position by position.

This is the judge's side: it shares nothing with what derives descriptors, nor with the
simulators. A mapping is listed, every position with the coordinates that it holds.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import UsageError

__all__ = ["Axis", "Cells", "Digit", "Layout", "Mapping", "lay_out", "m"]

Array = NDArray[Any]

#: Positions of a mapping that are listed at most.
MOST = 1 << 27


class Operators:
    """What mappings and axes are made larger mappings with."""

    def __truediv__(self, amount: int) -> Mapping:
        """Every `amount`-th position: ``A / 4``."""
        return Mapping("/", (m(self),), amount)

    __floordiv__ = __truediv__

    def __mod__(self, amount: int) -> Mapping:
        """The first `amount` positions, over which the others repeat: ``A % 4``."""
        return Mapping("%", (m(self),), amount)

    def pad(self, amount: int) -> Mapping:
        """With padding up to `amount` positions: ``A # 8``."""
        return Mapping("#", (m(self),), amount)

    def first(self, amount: int) -> Mapping:
        """The first `amount` positions alone: ``A = 2``."""
        return Mapping("=", (m(self),), amount)


@dataclass(frozen=True, eq=False)
class Axis(Operators):
    """An axis, as `axes!` declares it; two of one name are two axes."""

    name: str
    size: int

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Mapping(Operators):
    """A mapping: an axis, ``1``, a pair, or an operator on a mapping."""

    op: str
    """``axis``, ``1``, ``pair``, ``/``, ``%``, ``=`` or ``#``. The amount of ``1`` is how
    many positions hold the one element, for 1 of them 0."""
    parts: tuple[Any, ...] = ()
    amount: int = 0

    def __str__(self) -> str:
        if self.op == "axis":
            return str(self.parts[0])
        if self.op == "1":
            return str(self.amount or 1)
        if self.op == "pair":
            return ", ".join(map(str, self.parts))
        inner = str(self.parts[0])
        if self.parts[0].op == "pair":
            inner = f"[{inner}]"
        return f"{inner} {self.op} {self.amount}"

    @property
    def size(self) -> int:
        """Number of positions, padding included."""
        if self.op == "axis":
            return int(self.parts[0].size)
        if self.op == "1":
            return self.amount or 1
        if self.op == "pair":
            return int(np.prod([part.size for part in self.parts], dtype=object))
        inner = self.parts[0].size
        if self.amount < 1:
            raise UsageError(f"'{self}': {self.amount} is no positive number")
        if self.op in "/%" and inner % self.amount:
            raise UsageError(f"'{self}': {self.amount} does not divide {inner}")
        if self.op == "=" and self.amount > inner or self.op == "#" and self.amount < inner:
            raise UsageError(f"'{self}': there are {inner} positions")
        return int(inner // self.amount) if self.op == "/" else self.amount


def m(*parts: Any) -> Mapping:
    """A mapping of axes, mappings, ones and lists of them: ``m(A / 2, [B, C], 1)``."""
    made = []
    for part in parts:
        if isinstance(part, Mapping):
            made.append(part)
        elif isinstance(part, Axis):
            made.append(Mapping("axis", (part,)))
        elif isinstance(part, (list, tuple)):
            made.append(m(*part))
        elif part == 1:
            made.append(Mapping("1"))
        else:
            raise UsageError(f"{part!r} is no mapping: that is made of axes, mappings and 1")
    if not made:
        return Mapping("1")
    return made[0] if len(made) == 1 else Mapping("pair", tuple(made))


@dataclass(frozen=True)
class Digit:
    """The coordinates 0, stride, 2 stride, ... of an axis, `extent` of them."""

    axis: Axis
    stride: int
    extent: int


@dataclass(frozen=True)
class Layout:
    """What each position of a mapping holds."""

    size: int
    valid: Array | None
    """Whether it is no padding; None if none is."""
    coordinates: dict[Axis, Array]

    @property
    def count(self) -> int:
        """Number of positions without padding."""
        return self.size if self.valid is None else int(self.valid.sum())

    def dense(self) -> Layout:
        """Without padding."""
        if self.valid is None:
            return self
        return Layout(self.count, None, {a: v[self.valid] for a, v in self.coordinates.items()})

    def digits(self) -> tuple[Digit, ...]:
        """The coordinates that occur, axis by axis, the larger strides first."""
        found: list[Digit] = []
        for axis, values in self.coordinates.items():
            seen = np.zeros(axis.size, bool)
            seen[values if self.valid is None else values[self.valid]] = True
            found += reversed(_digits_of(axis, np.flatnonzero(seen)))
        return tuple(found)

    def position_of(self, digit: Digit, times: int = 1) -> int:
        """Where the coordinate `times` * stride is, all other axes at 0."""
        match = self.coordinates[digit.axis] == digit.stride * times
        for axis, values in self.coordinates.items():
            if axis is not digit.axis:
                match &= values == 0
        if self.valid is not None:
            match &= self.valid
        return int(match.argmax())


def _digits_of(axis: Axis, values: Array) -> list[Digit]:
    digits: list[Digit] = []
    known = 1
    while known < len(values):
        stride = int(values[known])
        extent = 1
        while known * (extent + 1) <= len(values) and np.array_equal(
                values[known * extent:known * (extent + 1)], values[:known] + stride * extent):
            extent += 1
        if extent == 1:
            raise UsageError(f"the coordinates of axis {axis} in the mapping are no digits")
        digits.append(Digit(axis, stride, extent))
        known *= extent
    return digits


def lay_out(mapping: Mapping) -> Layout:
    """Lists a mapping."""
    size = mapping.size
    if size > MOST:
        raise UsageError(f"'{mapping}' has {size} positions, {MOST} can be listed")
    return _list_small(mapping) if size <= 1 << 20 else _list(mapping)


def _list(mapping: Mapping) -> Layout:
    size = mapping.size
    if mapping.op == "axis":
        return Layout(size, None, {mapping.parts[0]: np.arange(size, dtype=np.int32)})
    if mapping.op == "1":
        return Layout(size, None, {})
    if mapping.op == "pair":
        made = lay_out(mapping.parts[0])
        for part in mapping.parts[1:]:
            made = _pair(made, lay_out(part))
        return made
    inner = lay_out(mapping.parts[0])
    if mapping.op == "#":
        def padded(values: Array) -> Array:
            return np.concatenate([values, np.zeros(size - inner.size, values.dtype)])

        valid = np.ones(inner.size, bool) if inner.valid is None else inner.valid
        return Layout(size, padded(valid), {a: padded(v) for a, v in inner.coordinates.items()})
    part = slice(None, None, mapping.amount) if mapping.op == "/" else slice(size)
    return Layout(size, None if inner.valid is None else inner.valid[part],
                  {a: v[part] for a, v in inner.coordinates.items()})


_list_small = lru_cache(maxsize=64)(_list)


def _pair(left: Layout, right: Layout) -> Layout:
    size = left.size * right.size
    coordinates: dict[Axis, Array] = {}
    for side, shape in ((left, (-1, 1)), (right, (1, -1))):
        for axis, values in side.coordinates.items():
            spread = np.broadcast_to(values.reshape(shape), (left.size, right.size)).reshape(size)
            if axis in coordinates:
                spread = coordinates[axis] + spread
                if spread.max() >= axis.size:
                    raise UsageError(f"parts of axis {axis} are there twice")
            coordinates[axis] = spread
    valid = None
    if left.valid is not None or right.valid is not None:
        one, other = (np.ones(s.size, bool) if s.valid is None else s.valid
                      for s in (left, right))
        valid = np.logical_and.outer(one, other).reshape(size)
    return Layout(size, valid, coordinates)


@dataclass
class Cells:
    """Numbers by their coordinates: a dimension for each digit."""

    digits: tuple[Digit, ...]
    values: Array
    known: Array | None = None
    """Whether a number was ever given; None: all were."""

    @staticmethod
    def of(mapping: Mapping, values: Array, known: Array | None = None) -> Cells:
        """From the numbers at each position of a mapping that is no padding."""
        layout = lay_out(mapping).dense()
        if values.shape != (layout.size,):
            raise UsageError(f"'{mapping}' has {layout.size} positions without padding, found "
                             f"{values.size} numbers")
        made = Cells.empty(mapping, values.dtype)
        at = made.indices(layout)
        made.values.reshape(-1)[at] = values
        if known is None:
            made.known = None
        else:
            made.known.reshape(-1)[at] = known  # type: ignore[union-attr]
        return made

    @staticmethod
    def empty(mapping: Mapping, dtype: Any) -> Cells:
        """Without a number."""
        digits = lay_out(mapping).digits()
        shape = tuple(digit.extent for digit in digits)
        return Cells(digits, np.zeros(shape, dtype), np.zeros(shape, bool))

    def indices(self, layout: Layout) -> Array:
        """Of each position, which number it holds. Digits that the numbers do not have are
        passed over."""
        at = np.zeros(layout.size, np.int64)
        for digit in self.digits:
            at *= digit.extent
            coordinates = layout.coordinates.get(digit.axis)
            if coordinates is None:
                raise UsageError(f"axis {digit.axis} of the tensor is not in the mapping")
            at += coordinates // digit.stride % digit.extent
        return at

    def listed(self, mapping: Mapping, spread: bool = False) -> tuple[Array, Array | None]:
        """The numbers at each position of a mapping that is no padding, and which are known.
        With `spread` the mapping may have axes that the numbers do not have."""
        layout = lay_out(mapping)
        if not spread and set(layout.digits()) != set(self.digits):
            raise UsageError(f"the tensor has not the coordinates of '{mapping}'")
        at = self.indices(layout.dense())
        return (self.values.reshape(-1)[at],
                None if self.known is None else self.known.reshape(-1)[at])

    def fitted(self, digits: tuple[Digit, ...]) -> Cells:
        """In the order of other digits; repeated along those it has not."""
        if digits == self.digits:
            return self
        if set(digits) == set(self.digits):
            order = [self.digits.index(digit) for digit in digits]
            return Cells(digits, self.values.transpose(order),
                         None if self.known is None else self.known.transpose(order))
        shape = tuple(digit.extent for digit in digits)
        coordinates: dict[Axis, Array] = {}
        for place, digit in enumerate(digits):
            along = [1] * len(digits)
            along[place] = digit.extent
            values = (np.arange(digit.extent) * digit.stride).reshape(along)
            coordinates[digit.axis] = coordinates.get(digit.axis, 0) + values
        at: Any = np.zeros((1,) * len(digits), np.int64)
        for digit in self.digits:
            if digit.axis not in coordinates:
                raise UsageError(f"axis {digit.axis} of the tensor is not in the mapping")
            at = at * digit.extent + coordinates[digit.axis] // digit.stride % digit.extent
        at = np.broadcast_to(at, shape)
        return Cells(digits, self.values.reshape(-1)[at],
                     None if self.known is None else self.known.reshape(-1)[at])


def dimensions(mapping: Mapping) -> tuple[Digit, ...]:
    """The dimensions of the host array of a program for an HBM tensor, outermost first: an
    axis that is there as a whole is one, of others every digit is."""
    layout = lay_out(mapping)
    digits = layout.digits()
    for digit in digits:
        step = layout.position_of(digit)
        if digit.extent != digit.axis.size and any(
                layout.position_of(digit, times) != times * step
                for times in range(2, digit.extent)):
            raise UsageError(f"'{mapping}': a part of axis {digit.axis} lies in no one stride; "
                             "such tensors do not come from a host")
    return tuple(sorted(digits, key=lambda digit: -_outermost(layout, digit)))


def _outermost(layout: Layout, digit: Digit) -> int:
    """The largest step that belongs to a digit."""
    times, largest = 1, 0
    while times < digit.extent:
        largest = max(largest, layout.position_of(digit, times))
        times *= 2
    if digit.extent != digit.axis.size:
        return largest
    # Digits of a whole axis may lie in any order; all sizes of steps count.
    divisors = [n for n in range(1, digit.extent) if digit.extent % n == 0]
    return max([largest, *(layout.position_of(digit, n) for n in divisors)])
