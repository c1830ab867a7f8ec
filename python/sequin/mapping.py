# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mapping expressions as objects (docs/Guides/SequinMap.md)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping as Dictionary, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Union

from . import _core, _notebook
from ._boundary import refusing_class
from .errors import MappingError, UsageError

__all__ = ["Comparison", "Derivation", "Loop", "Mapping"]

Index = dict[str, int]
#: A tensor index, several (sliding combinations), or None for padding.
Position = Union[Index, list[Index], None]


@dataclass(frozen=True)
class Loop:
    """One loop of a sequencer."""

    size: int
    stride: int
    """Elements to advance per iteration; 0 repeats."""
    terms: tuple[str, ...]
    """What it walks of the stream, outermost first."""


@dataclass(frozen=True)
class Derivation:
    """The sequencer that walks a buffer in the order of a stream."""

    entries: tuple[Loop, ...]
    """Outermost first, those of the packet included."""
    packet_elements: int
    contiguous_bytes: int
    """The innermost run of neighbours."""
    access_bytes: int
    """The manual's fetch_size (read) or commit_size (write)."""
    cycles: int
    text: str
    """The loops as the manual writes them: ``[8:1, 8:8]:1``."""
    explanation: str
    """Step by step how it came about; Markdown."""
    keys: dict[str, Any]
    """Everything that `sequin-map derive --json` prints."""

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return _notebook.derivation_html(self)

    def _repr_markdown_(self) -> str:
        return self.explanation


@dataclass(frozen=True)
class Comparison:
    """Whether two mappings hold the same at every position; true if they do."""

    position: int | None = None
    """The first that differs."""
    left: Position = None
    """What the left one holds there; None for padding, and past its end."""
    right: Position = None
    text: str = "equivalent"
    """The difference in a sentence."""

    def __bool__(self) -> bool:
        return self.position is None

    def __str__(self) -> str:
        return self.text


@refusing_class
class Mapping:
    """Which tensor index sits at each position of a linear buffer.

    ``Mapping('B / 64, B % 32', axes={'B': 512})`` is an expression over axes whose
    sizes are given once. A skewed axis is given by its text, ``axes={'A': 4, 'B': 4,
    "B'": 'B-A'}``; tables for lookups ``A ? t`` by `tables={'t': [3, 1, 4]}`. `axes`
    may also be one text, ``'A=8,B=512'``. Raises MappingError, which names the term
    at fault.
    """

    def __init__(
        self,
        text: str,
        axes: str | Dictionary[str, int | str] | None = None,
        tables: Dictionary[str, Sequence[int]] | None = None,
    ) -> None:
        if not isinstance(axes, str):
            axes = ",".join(f"{name}={size}" for name, size in (axes or {}).items())
        self._axes = axes
        self._tables = [
            f"{name}={','.join(map(str, values))}" for name, values in (tables or {}).items()
        ]
        self._native = _core.Mapping(text, self._axes, self._tables)

    def _other(self, mapping: Mapping | str) -> Mapping:
        """`mapping`, over the axes of this one if it is a text."""
        if isinstance(mapping, Mapping):
            return mapping
        other = object.__new__(Mapping)
        other._axes, other._tables = self._axes, self._tables
        other._native = _core.Mapping(mapping, self._axes, self._tables)
        return other

    @property
    def text(self) -> str:
        """The expression with canonical spacing."""
        return self._native.text()

    @property
    def axes(self) -> str:
        """The axes as they were declared, ``'A=8,B=512'``."""
        return self._axes

    @property
    def size(self) -> int:
        """Number of positions."""
        return self._native.size()

    @property
    def valid_size(self) -> int:
        """Positions that hold data (an upper bound where padding depends on several
        terms)."""
        return self._native.valid_size()

    def normalize(self) -> Mapping:
        """The normal form: the digits of the position, outermost first."""
        return self._other(self._native.normal())

    def eval(self) -> list[Position]:
        """What every position holds: ``{'B': 97}`` with zero coordinates left out, a
        list of several where a sliding combination has them, None for padding.
        MappingError beyond 2^24 positions."""
        index: list[Position] = json.loads(self._native.evaluate())["index"]
        return index

    def equivalent(self, other: Mapping | str) -> Comparison:
        """Whether `other` (a text is over the same axes) holds the same at every
        position; if not, the answer is false and has the first difference. Raises
        MappingError where that takes too long to decide."""
        found = self._native.compare(self._other(other)._native)
        if found is None:
            return Comparison()
        keys, sentence = json.loads(found[0]), found[1]
        return Comparison(keys["position"], keys.get("left"), keys.get("right"), sentence)

    def derive(
        self,
        *,
        buffer: Mapping | str,
        packet: Mapping | str = "1",
        dtype: str = "i8",
        direction: Literal["read", "write"] = "read",
        minimal: bool = False,
        segments: int = 1,
        target: str = "rngd",
    ) -> Derivation:
        """The sequencer that walks `buffer` with this mapping as its time steps, each
        moving one `packet`. Limits are those of the main context's fetch (`read`) or
        commit (`write`) engine of `target`; `minimal` asks for the fewest loops,
        `segments` allows several sequencers one after the other. Raises MappingError
        with the reason if there is none."""
        for name, part in (("buffer", buffer), ("packet", packet)):
            if isinstance(part, Mapping) and (part._axes, part._tables) != (
                self._axes,
                self._tables,
            ):
                raise UsageError(
                    f"{name} is over the axes '{part._axes}', the time steps are over "
                    f"'{self._axes}'"
                )
        found, text, explanation = self._native.derive(
            str(buffer),
            str(packet),
            dtype,
            direction,
            minimal,
            segments,
            target,
        )
        keys = json.loads(found)
        return Derivation(
            entries=tuple(
                Loop(entry["size"], entry["stride"], tuple(entry["terms"]))
                for entry in keys["entries"]
            ),
            packet_elements=keys["packet_elements"],
            contiguous_bytes=keys["contiguous_bytes"],
            access_bytes=keys["access_bytes"],
            cycles=keys["cycles"],
            text=text,
            explanation=explanation,
            keys=keys,
        )

    def draw(self) -> str:
        """The tensor and the buffer as SVG. MappingError if there are too many cells
        for a picture."""
        return self._native.draw()

    def _repr_svg_(self) -> str | None:
        try:
            return self.draw()
        except MappingError:
            return None  # a notebook then shows the text

    def __len__(self) -> int:
        return self.size

    def __iter__(self) -> Iterator[Position]:
        return iter(self.eval())

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"sequin.Mapping({self.text!r}, axes={self._axes!r})"
