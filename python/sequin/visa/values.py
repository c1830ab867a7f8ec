# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What expressions of tests evaluate to.

Strings, tuples, bools and unit are Python's, numbers are Number. A value may stand for many
at a time: its numbers and bools are then arrays. A closure over such lanes is evaluated
once for all of them, where nothing in it depends on a single one; `NeedsElements` says that
something does, and the closure is evaluated element by element.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .numbers import Number
from .tree import Node

__all__ = [
    "Builtin", "Closure", "Frame", "FunctionRef", "Iter", "Named", "NeedsElements", "Opt", "Panic",
    "Struct", "Unsupported", "Variant", "Vec", "is_lanes", "join", "lanes_of", "none", "pick",
    "some", "take", "truth",
]

Array = NDArray[Any]


class Panic(Exception):
    """A panic of the program, with the place of what made it."""

    def __init__(self, message: str, node: Node | None = None) -> None:
        super().__init__(message)
        self.message, self.node = message, node


class Unsupported(Exception):
    """Rust that tests of kernels are not evaluated with."""

    def __init__(self, message: str, node: Node | None = None) -> None:
        super().__init__(message)
        self.message, self.node = message, node


class NeedsElements(Exception):
    """What lanes cannot do at once."""


@dataclass(frozen=True)
class Named:
    """A type by its name, of the crate, of Rust or of the program; `node` is the item."""

    name: str
    args: tuple[Any, ...] = ()
    node: Node | None = field(default=None, compare=False)

    def arg(self, index: int) -> Any:
        return self.args[index] if index < len(self.args) else None


@dataclass
class Opt:
    """The crate's `Opt`: a value if it was ever written."""

    known: Any
    value: Any
    computed: bool = False
    """Made by a kernel, of whose results it is not known whether they were written."""


@dataclass
class Struct:
    node: Node
    fields: dict[str, Any]


@dataclass
class Variant:
    """A value of an enumeration: of Rust's own by name, of the program's by item."""

    enum: str
    name: str
    fields: tuple[Any, ...] = ()
    node: Node | None = None


def some(value: Any) -> Variant:
    return Variant("Option", "Some", (value,))


def none() -> Variant:
    return Variant("Option", "None")


@dataclass
class Frame:
    """The variables of a function or closure, by the pattern that binds them."""

    parent: Frame | None = None
    values: dict[int, Any] = field(default_factory=dict)
    names: dict[str, int] = field(default_factory=dict)
    types: dict[int, Any] = field(default_factory=dict)
    receiver: Any = None
    self_type: Any = None

    def holder(self, binding: int) -> Frame | None:
        frame: Frame | None = self
        while frame is not None and binding not in frame.values:
            frame = frame.parent
        return frame

    def by_name(self, name: str) -> Any:
        frame: Frame | None = self
        while frame is not None:
            if name in frame.names:
                return frame.values[frame.names[name]]
            frame = frame.parent
        raise KeyError(name)


@dataclass
class Closure:
    node: Node
    frame: Frame


@dataclass
class FunctionRef:
    """A function of the program, or a method of a type with generic arguments."""

    node: Node
    types: tuple[Any, ...] = ()
    self_type: Any = None


@dataclass
class Builtin:
    """A function of Rust or of the crate; `type` is the one it belongs to."""

    type: Named | None
    name: str
    types: tuple[Any, ...] = ()


# ===--- Lanes ------------------------------------------------------------=== #


def is_lanes(value: Any) -> bool:
    """Whether a value stands for many."""
    if isinstance(value, np.ndarray):
        return True
    if isinstance(value, Number):
        return isinstance(value.data, np.ndarray)
    if isinstance(value, Opt):
        return is_lanes(value.known) or is_lanes(value.value)
    if isinstance(value, tuple):
        return any(map(is_lanes, value))
    if isinstance(value, Struct):
        return any(map(is_lanes, value.fields.values()))
    return False


def _map_leaves(value: Any, leaf: Callable[[Any], Any]) -> Any:
    if isinstance(value, Number):
        return Number(value.type, leaf(value.data))
    if isinstance(value, Opt):
        inner = value.value if value.value is None else _map_leaves(value.value, leaf)
        return Opt(leaf(value.known), inner, value.computed)
    if isinstance(value, tuple):
        return tuple(_map_leaves(v, leaf) for v in value)
    if isinstance(value, Struct):
        return Struct(value.node, {k: _map_leaves(v, leaf) for k, v in value.fields.items()})
    if isinstance(value, (bool, np.bool_, np.ndarray)):
        return leaf(value)
    raise NeedsElements


def _scalar(data: Any) -> Any:
    """An element of an array as a number of its own."""
    if isinstance(data, np.integer):
        return int(data)
    return bool(data) if isinstance(data, np.bool_) else data


def lanes_of(value: Any, count: int) -> Any:
    """The value with every leaf an array of `count`."""
    def leaf(data: Any) -> Any:
        if isinstance(data, np.ndarray):
            return data
        kind = np.int64 if isinstance(data, int) and not isinstance(data, bool) else None
        return np.full(count, data, kind)

    return _map_leaves(value, leaf)


def pick(value: Any, index: int) -> Any:
    """One of the lanes."""
    return _map_leaves(value, lambda data: _scalar(data[index]) if isinstance(data, np.ndarray)
                       else data)


def take(value: Any, indices: Any) -> Any:
    """Lanes by an array of indices or a slice."""
    return _map_leaves(value, lambda data: data[indices])


def join(values: Sequence[Any]) -> Any:
    """Lanes of single values of one form; NeedsElements if there is none."""
    first = values[0]
    if any(map(is_lanes, values)):
        raise NeedsElements
    if isinstance(first, Number):
        kinds = {v.type for v in values if isinstance(v, Number)}
        if not all(isinstance(v, Number) for v in values) or len(kinds - {None}) > 1:
            raise NeedsElements
        data = [v.data for v in values]
        if isinstance(first.data, int):
            if not all(isinstance(d, int) and -(1 << 63) <= d < 1 << 63 for d in data):
                raise NeedsElements
            return Number(max(kinds, key=bool), np.array(data, np.int64))
        return Number(max(kinds, key=bool), np.array(data))
    if isinstance(first, bool):
        if not all(isinstance(v, bool) for v in values):
            raise NeedsElements
        return np.array(values)
    if isinstance(first, Opt):
        if not all(isinstance(v, Opt) for v in values):
            raise NeedsElements
        known = np.array([bool(v.known) for v in values])
        there = [v.value for v in values if v.known]
        if not there:
            return Opt(known, Number(None, np.zeros(len(values), np.int64)), first.computed)
        filled = join([v.value if v.known else there[0] for v in values])
        return Opt(known, filled, any(v.computed for v in values))
    if isinstance(first, tuple) and first:
        if not all(isinstance(v, tuple) and len(v) == len(first) for v in values):
            raise NeedsElements
        return tuple(join(column) for column in zip(*values))
    raise NeedsElements


def truth(value: Any) -> bool:
    """A condition that must be one answer."""
    if isinstance(value, np.ndarray):
        raise NeedsElements
    return bool(value)


@dataclass
class Vec:
    """A Vec, array or slice: a list, or lanes with their number."""

    list: list[Any] | None = None
    lanes: Any = None
    count: int = 0

    @staticmethod
    def of(values: list[Any]) -> Vec:
        return Vec(values, None, len(values))

    @staticmethod
    def from_lanes(lanes: Any, count: int) -> Vec:
        return Vec(None, lanes, count)

    def __len__(self) -> int:
        return self.count if self.list is None else len(self.list)

    def elements(self) -> list[Any]:
        """As a list, which the Vec is from then on."""
        if self.list is None:
            self.list = [pick(self.lanes, i) for i in range(self.count)]
            self.lanes = None
        return self.list

    def as_lanes(self) -> Any:
        """As lanes; NeedsElements if its elements differ in form."""
        if self.list is not None and self.list:
            return join(self.list)
        if self.lanes is None:
            raise NeedsElements
        return self.lanes

    def at(self, index: int) -> Any:
        return self.list[index] if self.list is not None else pick(self.lanes, index)

    def part(self, first: int, last: int) -> Vec:
        if self.list is not None:
            return Vec.of(self.list[first:last])
        return Vec.from_lanes(take(self.lanes, slice(first, last)), last - first)

    def copy(self) -> Vec:
        return Vec(None if self.list is None else list(self.list), self.lanes, self.count)


@dataclass
class Iter:
    """An iterator: lanes with their number, or one of Python."""

    source: Iterator[Any] | None = None
    lanes: Any = None
    count: int = 0

    def __iter__(self) -> Iterator[Any]:
        if self.source is not None:
            return self.source
        return (pick(self.lanes, i) for i in range(self.count))

    def vec(self) -> Vec:
        if self.source is None:
            return Vec.from_lanes(self.lanes, self.count)
        return Vec.of(list(self.source))
