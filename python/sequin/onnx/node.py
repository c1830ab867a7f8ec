# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A node as operators see it, and the table of operators.

An operator is a function of a Node that gives what the node's outputs are. What it
cannot make it refuses, with what would make it work.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from .builder import Builder, Shape, Tensor, broadcast_shapes
from .types import I32_RANGE, ElementType, Range

__all__ = ["Node", "OPERATORS", "Refusal", "operator"]

Array = NDArray[Any]
Outputs = Tensor | Sequence[Tensor | None]
Operator = Callable[["Node"], Outputs]

#: What makes a node's outputs, by operator.
OPERATORS: dict[str, Operator] = {}

#: More elements than these no tensor of a model has: 2^36 bytes of them are more than
#: any machine's memory.
MOST_ELEMENTS = 2**36
#: So many positions of a dimension are listed at import.
MOST_PLACES = 2**22


def operator(*names: str) -> Callable[[Operator], Operator]:
    """Enters a function into the table of operators."""

    def enter(function: Operator) -> Operator:
        for name in names:
            OPERATORS[name] = function
        return function

    return enter


class Refusal(Exception):
    """A node is not supported; the importer says which one and goes on."""

    def __init__(self, reason: str, remedy: str = "", value: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.remedy = remedy
        self.value = value


@dataclass
class Node:
    """A node whose inputs are known."""

    op: str
    name: str
    inputs: list[Tensor | None]
    outputs: list[str]
    """The names of its outputs; empty ones are left out."""
    attributes: dict[str, Any]
    opset: int
    """The version of its operator set."""
    b: Builder
    wanted: set[str] = field(default_factory=set)
    """Names of values that somebody reads."""
    input_names: list[str] = field(default_factory=list)

    # ===--- Refusals ------------------------------------------------------=== #

    def refuse(self, reason: str, remedy: str = "") -> NoReturn:
        raise Refusal(reason, remedy)

    # ===--- Inputs --------------------------------------------------------=== #

    def input(self, place: int) -> Tensor:
        """An input that must be there."""
        tensor = self.optional(place)
        if tensor is None:
            self.refuse(f"has no input {place}, which {self.op} needs")
        return tensor

    def optional(self, place: int) -> Tensor | None:
        return self.inputs[place] if place < len(self.inputs) else None

    def required(self) -> list[Tensor]:
        """All inputs; there is at least one."""
        if not self.inputs:
            self.refuse(f"has no inputs, {self.op} needs at least one")
        return [self.input(i) for i in range(len(self.inputs))]

    def known(self, place: int, what: str) -> Array:
        """The numbers of an input that decides shapes, and so must be known."""
        tensor = self.input(place)
        if tensor.data is None:
            name = self.input_names[place] if place < len(self.input_names) else ""
            raise Refusal(
                f"takes its {what} from '{name}', which is not known when the model is imported",
                f"make '{name}' a constant, or give its value to import_onnx: "
                f"values={{'{name}': ...}}",
                name,
            )
        return tensor.data

    def known_ints(self, place: int, what: str) -> list[int] | None:
        """The integers of an optional input that must be known."""
        if self.optional(place) is None:
            return None
        array = self.known(place, what)
        if array.dtype.kind not in "iu":
            self.refuse(f"has {what} of {self.input(place).kind}, expected integers")
        return [int(n) for n in array.reshape(-1)]

    def float_input(self, place: int) -> Tensor:
        tensor = self.input(place)
        if not tensor.kind.is_float:
            self.refuse(f"works on floats, input {place} is of {tensor.kind}")
        return tensor

    def same_kinds(self, tensors: Sequence[Tensor]) -> ElementType:
        """The one type of all of them."""
        for tensor in tensors:
            if tensor.kind is not tensors[0].kind:
                self.refuse(f"has inputs of {tensors[0].kind} and {tensor.kind}, expected one type")
        return tensors[0].kind

    def broadcast(self, tensors: Sequence[Tensor]) -> Shape:
        """The shape of all together."""
        shape = broadcast_shapes([tensor.shape for tensor in tensors])
        if shape is None:
            shapes = " and ".join(str(list(t.shape)) for t in tensors)
            self.refuse(f"has inputs of shapes {shapes}, which do not go together")
        return shape

    # ===--- Attributes ----------------------------------------------------=== #

    def has(self, name: str) -> bool:
        return name in self.attributes

    def _attribute(self, name: str, default: Any, types: tuple[type, ...], what: str) -> Any:
        value = self.attributes.get(name)
        if value is None:
            return default
        if not isinstance(value, types):
            shown = repr(value) if isinstance(value, (int, float, str, list)) else "another thing"
            self.refuse(f"has attribute '{name}' = {shown}, expected {what}")
        return value

    def int(self, name: str, default: int = 0) -> int:
        return int(self._attribute(name, default, (int,), "an integer"))

    def float(self, name: str, default: float = 0.0) -> float:
        return float(self._attribute(name, default, (float, int), "a number"))

    def text(self, name: str, default: str = "") -> str:
        return str(self._attribute(name, default, (str,), "a string"))

    def ints(self, name: str) -> list[int] | None:
        value = self._attribute(name, None, (list,), "integers")
        if value is not None and not all(isinstance(n, int) for n in value):
            self.refuse(f"has attribute '{name}' = {value!r}, expected integers")
        return None if value is None else list(value)

    def floats(self, name: str) -> list[float] | None:
        value = self._attribute(name, None, (list,), "numbers")
        return None if value is None else [float(n) for n in value]

    def texts(self, name: str) -> list[str] | None:
        value = self._attribute(name, None, (list,), "strings")
        return None if value is None else [str(n) for n in value]

    def tensor(self, name: str) -> Tensor | None:
        value: Tensor | None = self._attribute(name, None, (Tensor,), "a tensor")
        return value

    # ===--- Axes and shapes -----------------------------------------------=== #

    def axis(self, value: int, rank: int, what: str = "axis") -> int:
        """A dimension; negative ones count from the end."""
        if not -rank <= value < rank:
            self.refuse(f"has {what} {value}, its input has {rank} dimensions")
        return value % rank if rank else 0

    def axes(self, values: Sequence[int], rank: int) -> list[int]:
        """Dimensions in order, each once."""
        axes = sorted(self.axis(value, rank) for value in values)
        if len(set(axes)) != len(axes):
            self.refuse(f"has axes {list(values)}, one of them twice")
        return axes

    def check_size(self, shape: Sequence[int]) -> None:
        """Refuses what no machine can hold before anything is made of it."""
        count = 1
        for size in shape:
            if size < 0:
                self.refuse(f"makes a tensor of shape {list(shape)}, a size is at least 0")
            count *= size
        if count > MOST_ELEMENTS:
            self.refuse(f"makes a tensor of shape {list(shape)}, {count} elements are too many")

    def check_places(self, count: int) -> None:
        """Refuses to list so many positions at import."""
        if count > MOST_PLACES:
            self.refuse(
                f"takes {count} elements along one dimension, at most {MOST_PLACES} are "
                "listed"
            )

    def wants(self, place: int) -> bool:
        """Whether somebody reads an output."""
        return place < len(self.outputs) and bool(self.outputs[place]) and (
            self.outputs[place] in self.wanted
        )

    def fitting(self, low: int, high: int, kind: ElementType) -> Range | None:
        """The range of integers that are computed: of 64-bit ones it must be i32's."""
        if not kind.is_integer:
            return None
        if kind.bits <= 32:
            least, most = kind.range
            return (low, high) if least <= low and high <= most else kind.range
        least, most = (0, I32_RANGE[1]) if kind.is_unsigned else I32_RANGE
        if low < least or high > most:
            self.refuse(
                f"computes {kind} numbers from {low} to {high}, which may not fit in i32, the "
                f"machine's widest integer",
                "cast to int32 before, or promise a range of its inputs, ranges={'INPUT': (0, 1)}",
            )
        return (low, high)


def single(array: Array) -> Any:
    """The one number of an array."""
    return np.asarray(array).reshape(-1)[0].item()
