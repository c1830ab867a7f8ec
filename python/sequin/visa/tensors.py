# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors of a host and of HBM, contexts, and the launch of kernels by name."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import UsageError
from ..program import Program, RunResult, import_visa
from .layout import Axis, Cells, Layout, Mapping, dimensions, lay_out, m
from .numbers import FLOATS, STORAGE, draw, round_to, wrap

__all__ = ["Context", "HbmTensor", "HbmView", "HostTensor", "Launch"]

Array = NDArray[Any]


def _elements(dtype: str, values: ArrayLike) -> Array:
    if dtype not in STORAGE:
        raise UsageError(f"'{dtype}' is no element type, known are {', '.join(STORAGE)}")
    array = np.asarray(values)
    made = round_to(dtype, array) if dtype in FLOATS else wrap(dtype, array)
    return np.asarray(made).astype(STORAGE[dtype])


@dataclass
class HostTensor:
    """Numbers by their coordinates. `mapping` is the order that they are listed in; None
    where it is still to be found out from the use of the tensor."""

    dtype: str
    mapping: Mapping | None
    cells: Cells
    spread: bool = False
    """Whether axes may be missing, over which the numbers are repeated."""
    computed: bool = False
    """Whether a kernel made it, which does not tell what was never written."""

    @staticmethod
    def of(dtype: str, mapping: Any, values: ArrayLike, known: Array | None = None) -> HostTensor:
        """From the numbers at the positions of a mapping that are no padding, in order;
        `values` may have any shape of as many elements."""
        order = m(mapping)
        flat = _elements(dtype, values).reshape(-1)
        return HostTensor(dtype, order, Cells.of(order, flat, known))

    @staticmethod
    def zero(dtype: str, mapping: Any) -> HostTensor:
        return HostTensor.of(dtype, mapping, np.zeros(lay_out(m(mapping)).count))

    @staticmethod
    def uninit(dtype: str, mapping: Any) -> HostTensor:
        order = m(mapping)
        return HostTensor(dtype, order, Cells.empty(order, STORAGE[dtype]))

    @staticmethod
    def rand(dtype: str, mapping: Any, generator: np.random.Generator | int) -> HostTensor:
        """Random numbers: every integer, floats from 0 to 1, bf16 and f8e4m3 from -1 to 1."""
        order = m(mapping)
        if isinstance(generator, int):
            generator = np.random.default_rng(generator)
        return HostTensor.of(dtype, order, draw(dtype, generator, lay_out(order).count))

    @property
    def order(self) -> Mapping:
        if self.mapping is None:
            raise UsageError("the mapping of a tensor is not known; give it a type")
        return self.mapping

    def listed(self) -> tuple[Array, Array | None]:
        """The numbers in the order of the mapping, and which of them are known."""
        return self.cells.listed(self.order, self.spread)

    @property
    def values(self) -> Array:
        """The numbers in the order of the mapping, without padding; 0 where none is known."""
        return self.listed()[0]

    def to_hbm(self, context: Context | None = None, chip: Any = None,
               element: Any = None) -> HbmTensor:
        """The tensor in HBM. Where it lies is the compiler's to say; chip and element
        mapping are the kernel's, unless they are given."""
        return HbmTensor(self.dtype, None if chip is None else m(chip),
                         None if element is None else m(element), self.cells)


@dataclass
class HbmTensor:
    """A tensor in HBM."""

    dtype: str
    chip: Mapping | None
    element: Mapping | None
    given: Cells | None
    """None: nothing was ever written."""
    address: int = 0
    computed: bool = False

    @property
    def cells(self) -> Cells:
        if self.given is None:
            self.given = Cells.empty(self.whole, STORAGE[self.dtype])
        return self.given

    def take(self, cells: Cells) -> None:
        """Holds what a kernel has written."""
        self.given, self.computed = cells, True

    def tile(self, index: Any, length: int, start: int, element: Any) -> HbmView:
        """A part of it: `length` positions of the mapping `index` from `start` on, seen as
        `element`."""
        return HbmView.of(self, {}, m(index), length, start, m(element))

    def to_host(self, mapping: Any = None) -> HostTensor:
        """The tensor on the host, in the order of a mapping; else in that of its own."""
        order = self.whole if mapping is None else m(mapping)
        return HostTensor(self.dtype, order, self.cells, computed=self.computed)

    @property
    def whole(self) -> Mapping:
        """Chips and elements as one mapping."""
        if self.chip is None or self.element is None:
            raise UsageError("the mapping of a tensor in HBM is not known; give it a type")
        return m(self.chip, self.element)


@dataclass
class HbmView(HbmTensor):
    """A part of a tensor in HBM, with its own mapping."""

    base: HbmTensor | None = None
    shifts: dict[Axis, int] = field(default_factory=dict)
    """The coordinate in the base at which each axis begins."""

    @staticmethod
    def of(base: HbmTensor, shifts: dict[Axis, int], index: Mapping, length: int, start: int,
           element: Mapping) -> HbmView:
        digits = lay_out(index).digits()
        extent = digits[0].extent if len(digits) == 1 else 1
        if len(digits) > 1 or not 0 <= start <= start + length <= extent:
            raise UsageError(f"{length} positions from {start} on are no part of '{index}'")
        moved = dict(shifts)
        if digits:
            axis = digits[0].axis
            moved[axis] = moved.get(axis, 0) + start * digits[0].stride
        return HbmView(base.dtype, base.chip or Mapping("1"), element, None, base=base,
                       shifts=moved)

    def tile(self, index: Any, length: int, start: int, element: Any) -> HbmView:
        assert self.base is not None
        return HbmView.of(self.base, self.shifts, m(index), length, start, m(element))

    def _places(self) -> Array:
        """Of each position, which number of the base it is."""
        assert self.base is not None
        layout = lay_out(self.whole).dense()
        coordinates = dict(layout.coordinates)
        for axis, shift in self.shifts.items():
            coordinates[axis] = coordinates.get(axis, np.zeros(layout.size, np.int64)) + shift
        return self.base.cells.indices(Layout(layout.size, None, coordinates))

    @property
    def cells(self) -> Cells:
        assert self.base is not None
        held, at = self.base.cells, self._places()
        return Cells.of(self.whole, held.values.reshape(-1)[at],
                        None if held.known is None else held.known.reshape(-1)[at])

    def take(self, cells: Cells) -> None:
        assert self.base is not None
        held, at = self.base.cells, self._places()
        values, known = held.values.copy(), None if held.known is None else held.known.copy()
        values.reshape(-1)[at] = cells.listed(self.whole)[0]
        if known is not None:
            known.reshape(-1)[at] = True
        self.base.take(Cells(held.digits, values, known))


@dataclass(frozen=True)
class Parameter:
    """A tensor that a kernel takes or gives."""

    name: str
    dtype: str
    chip: Mapping
    element: Mapping
    is_mutable: bool = False

    def array_of(self, tensor: HbmTensor, shape: Sequence[int]) -> Array:
        """The host array of a program's input of that shape."""
        if tensor.dtype != self.dtype:
            raise UsageError(f"'{self.name}' is of {self.dtype}, found {tensor.dtype}")
        order = dimensions(m(self.chip, self.element))
        array = tensor.cells.fitted(order).values
        if array.size != int(np.prod(shape)):
            raise UsageError(f"'{self.name}' has {array.size} numbers, the program's argument "
                             f"{int(np.prod(shape))}")
        return np.ascontiguousarray(array).reshape(shape)

    def fill(self, tensor: HbmTensor, array: Array) -> None:
        """Takes over what a program gave."""
        order = dimensions(m(self.chip, self.element))
        made = array.reshape([digit.extent for digit in order])
        tensor.dtype = self.dtype
        tensor.take(Cells(order, made.astype(STORAGE[self.dtype])))


@dataclass(frozen=True)
class Launch:
    """A kernel that has run."""

    name: str
    program: Program
    result: RunResult


@dataclass
class Context:
    """The machine that kernels are launched on, and what has run there."""

    target: str | None = None
    addresses: Literal["allocate", "given"] = "allocate"
    verify: bool = False
    """Compare every run with the reference interpreter."""
    launches: list[Launch] = field(default_factory=list)

    @property
    def cycles(self) -> int:
        """Of all kernels that have run."""
        return sum(launch.result.report.cycles for launch in self.launches)

    def launch(self, kernel: Kernel, tensors: Sequence[HbmTensor],
               numbers: Sequence[int | float | bool] = ()) -> Any:
        """Compiles and runs a kernel on its tensors and its numbers, each in order.
        Tensors that it takes as `&mut` have what it wrote afterwards; gives what it
        returns."""
        if len(tensors) != len(kernel.parameters):
            raise UsageError(f"'{kernel.entry}' takes {len(kernel.parameters)} tensors, found "
                             f"{len(tensors)}")
        program = kernel.program(self.target, self.addresses, numbers)
        by_name = {p.name: (p, t) for p, t in zip(kernel.parameters, tensors)}
        arrays = []
        for argument in program.inputs:
            parameter, tensor = by_name[argument.name]
            arrays.append(parameter.array_of(tensor, argument.shape))
        result = program.run(*arrays, verify=self.verify)
        self.launches.append(Launch(kernel.entry, program, result))
        returned = []
        for argument, array in zip(program.outputs, result.outputs):
            if len(returned) < len(kernel.results):
                parameter = kernel.results[len(returned)]
                tensor = HbmTensor(parameter.dtype, parameter.chip, parameter.element,
                                   Cells((), np.zeros(())))
                returned.append(tensor)
            else:
                parameter, tensor = by_name[argument.name]
            parameter.fill(tensor, array)
        if kernel.is_tuple:
            return tuple(returned)
        return returned[0] if returned else None


class Kernel:
    """A function with `#[device]`."""

    def __init__(self, file: str, entry: str, parameters: list[Parameter],
                 results: list[Parameter], is_tuple: bool) -> None:
        self.file, self.entry = file, entry
        self.parameters, self.results, self.is_tuple = parameters, results, is_tuple
        self._programs: dict[tuple[str | None, str, str], Program] = {}

    def program(self, target: str | None = None,
                addresses: Literal["allocate", "given"] = "allocate",
                numbers: Sequence[int | float | bool] = ()) -> Program:
        """The kernel, compiled for these numbers. Raises CompileError."""
        entry = self.entry
        if numbers:
            entry += f"({', '.join(_text_of(number) for number in numbers)})"
        key = (target, addresses, entry)
        if key not in self._programs:
            self._programs[key] = import_visa(_File(self.file), entry=entry, target=target,
                                              addresses=addresses)
        return self._programs[key]

    def __repr__(self) -> str:
        return f"<sequin.visa.Kernel {self.entry}>"


def _text_of(number: int | float | bool) -> str:
    """A number as the importer reads it."""
    return str(bool(number)).lower() if isinstance(number, (bool, np.bool_)) else repr(
        float(number) if isinstance(number, (float, np.floating)) else int(number))


class _File(os.PathLike[str]):
    """A path, whatever its name ends in."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __fspath__(self) -> str:
        return self.path
