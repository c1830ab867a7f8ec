# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An imported model: its module, its weights, and how arrays go in and out."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping as Dictionary
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core, program
from .._boundary import refusing_class
from ..errors import CompileError, InputError, ModelError, UsageError, printable
from ..report import Report
from .costs import Costs, costs_of
from .graph import Unsupported
from .types import ElementType, narrowed, rounded_to, widened

__all__ = ["Check", "CompiledModel", "Model", "ModelResult", "ModelValue", "make_model"]

Array = NDArray[Any]


@dataclass(frozen=True)
class ModelValue:
    """An input or an output of a model."""

    name: str
    dtype: str
    """As ONNX calls it, e.g. ``"int64"``."""
    shape: tuple[int, ...]


@dataclass(frozen=True)
class Check:
    """What of a model is supported."""

    unsupported: tuple[Unsupported, ...]
    """Every node that is not, in order."""
    operators: dict[str, int]
    """How many nodes of each operator there are, functions of the model inlined."""

    @property
    def ok(self) -> bool:
        """Whether everything is."""
        return not self.unsupported

    def __str__(self) -> str:
        """Grouped by operator and reason, with the names of the nodes."""
        total = sum(self.operators.values())
        if self.ok:
            return f"all {total} nodes of {len(self.operators)} operators are supported"
        lines = [f"{len(self.unsupported)} of {total} nodes are not supported:"]
        groups: dict[str, dict[tuple[str, str], list[str]]] = {}
        for found in self.unsupported:
            reasons = groups.setdefault(found.operator, {})
            reasons.setdefault((found.reason, found.remedy), []).append(found.node)
        for operator in sorted(groups):
            count = sum(map(len, groups[operator].values()))
            lines.append(
                f"  {printable(operator)} ({count} of {self.operators.get(operator, count)} "
                "nodes)"
            )
            for (reason, remedy), nodes in groups[operator].items():
                lines.append(printable(f"    {reason}{f': {remedy}' if remedy else ''}"))
                lines.append(printable(f"      nodes: {', '.join(nodes)}"))
        return "\n".join(lines)


@dataclass(frozen=True)
class ModelResult:
    """What a run gives; unpacks as ``outputs, report``."""

    outputs: dict[str, Array]
    """By name, in ONNX's types; bf16 and 8-bit floats as float32. None with `timing_only`."""
    report: Report | None
    """None for a model whose outputs are all known without a machine."""
    verified: str | None = None
    costs: Costs | None = None
    """By node and by layer; None without a report."""

    def __iter__(self) -> Any:
        return iter((self.outputs, self.report))


@dataclass(frozen=True)
class _Output:
    name: str
    kind: ElementType
    shape: tuple[int, ...]
    known: Array | None
    """Its numbers where the import knows them."""


@dataclass(frozen=True)
class _Argument:
    name: str
    kind: ElementType
    shape: tuple[int, ...]
    array: Array | None
    """A weight as the machine takes it; None for an input."""
    range: tuple[int, int] | None = None
    """What the numbers of an input were promised to be."""

    @property
    def passed(self) -> bool:
        """Whether the module has it: what has no elements is no argument of it."""
        return 0 not in self.shape


@refusing_class
class Model:
    """A model in linalg; made by `sequin.import_onnx`."""

    def __init__(self, name: str, text: str, arguments: list[_Argument], outputs: list[_Output],
                 macs: dict[str, int], layers: dict[str, str],
                 operators: Dictionary[str, str]) -> None:
        self.name: str = name
        self.macs: dict[str, int] = macs
        """Multiply-accumulates of the nodes that have any, by their names."""
        self.layers: dict[str, str] = layers
        """The layer that each node belongs to, by the node's name; empty where nothing tells."""
        self._operators = operators
        self._text = text
        self._arguments = arguments
        self._outputs = outputs

    @property
    def mlir(self) -> str:
        """The module: a function `main` of linalg on tensors, whose arguments are the inputs
        and the weights. Each operation has the name of its node as its location."""
        return self._text

    @property
    def inputs(self) -> tuple[ModelValue, ...]:
        """What `run` takes."""
        return tuple(
            ModelValue(a.name, a.kind.name, a.shape) for a in self._arguments if a.array is None
        )

    @property
    def outputs(self) -> tuple[ModelValue, ...]:
        """What `run` gives."""
        return tuple(ModelValue(o.name, o.kind.name, o.shape) for o in self._outputs)

    @property
    def returned(self) -> int:
        """How many results the module has: outputs that are known at import are none."""
        return sum(output.known is None for output in self._outputs)

    @property
    def weights(self) -> dict[str, Array]:
        """The other arguments of the module by the names of initializers, in the types
        that the machine takes; those in files beside the model are memory-mapped."""
        return {a.name: a.array for a in self._arguments if a.array is not None}

    def arguments(self, inputs: Dictionary[str, ArrayLike]) -> list[Array]:
        """One array for each argument of the module, `inputs` by their names.

        Raises InputError for what does not fit.
        """
        names = [value.name for value in self.inputs]
        for name in inputs:
            if name not in names:
                raise InputError(f"error: the model has no input '{name}', its inputs are {names}")
        arrays = []
        for argument in self._arguments:
            if argument.array is not None:
                arrays.append(argument.array)
            elif argument.name not in inputs:
                raise InputError(f"error: input '{argument.name}' is missing")
            else:
                array = _passed(argument, inputs[argument.name])
                arrays += [array] if argument.passed else []
        return arrays

    def results(self, arrays: tuple[Array, ...]) -> dict[str, Array]:
        """Outputs by name in ONNX's types, of what the module returned."""
        returned = iter(arrays)
        results = {}
        for output in self._outputs:
            if output.known is not None:
                results[output.name] = widened(output.known, output.kind)
            else:
                results[output.name] = _returned(next(returned), output.kind)
        return results

    def compile(self, target: str = "rngd", **options: Any) -> CompiledModel:
        """Compiles the module for a machine; `options` are those of `sequin.compile`.

        Raises ModelError, with the node, for what the compiler refuses.
        """
        if all(output.known is not None for output in self._outputs):
            return CompiledModel(self, None)
        try:
            made = program.compile(self._text, target=target, name=f"{self.name}.mlir",
                                   operations=self._operators, **options)
        except CompileError as error:
            raise _at_node(self.name, error) from error
        return CompiledModel(self, made)

    def __repr__(self) -> str:
        def signature(values: tuple[ModelValue, ...]) -> str:
            return ", ".join(f"{v.name}: {v.dtype} {list(v.shape)}" for v in values)

        count = sum(a.array is not None for a in self._arguments)
        inputs, outputs = signature(self.inputs), signature(self.outputs)
        return f"<sequin.Model ({inputs}; {count} weights) -> ({outputs})>"


@refusing_class
class CompiledModel:
    """A model compiled for a machine; made by `Model.compile`."""

    def __init__(self, model: Model, made: program.Program | None) -> None:
        self.model = model
        self._program = made

    @property
    def runs(self) -> bool:
        """Whether there is a program: not if all outputs are known at import."""
        return self._program is not None

    @property
    def program(self) -> program.Program:
        """The program; UsageError if all outputs are known without one."""
        if self._program is None:
            raise UsageError("all outputs of the model are known when it is imported, nothing runs")
        return self._program

    def run(
        self,
        inputs: Dictionary[str, ArrayLike] | None = None,
        *,
        verify: bool = False,
        timing_only: bool = False,
        max_steps: int | None = None,
        progress: _core.ProgressLine | None = None,
        **named: ArrayLike,
    ) -> ModelResult:
        """Simulates the model on `inputs`, arrays by name; with `timing_only` without any.

        `verify`, `timing_only`, `max_steps` and `progress` are those of `Program.run`. An input
        that is called as one of them goes into `inputs`. The report has the costs by node and by
        layer too, under the key ``model``.
        """
        given = {**(inputs or {}), **named}
        if self._program is None:
            self.model.arguments(given)
            return ModelResult({} if timing_only else self.model.results(()), None)
        arrays = [] if timing_only else self.model.arguments(given)
        run = self._program.run(
            *arrays, verify=verify, timing_only=timing_only, raw=True, max_steps=max_steps,
            progress=progress,
        )
        outputs = {} if timing_only else self.model.results(run.outputs)
        costs = costs_of(self.model, run.report)
        report = dataclasses.replace(
            run.report, extra={**run.report.extra, "model": costs.to_dict()})
        return ModelResult(outputs, report, run.verified, costs)


def make_model(importer: Any) -> Model:
    """The module that an importer (graph.py) has written, and how arrays get in and out of
    it."""
    outputs, returned = [], []
    importer.b.location = ""
    for name, tensor in importer.outputs:
        assert tensor is not None
        known = tensor.data
        if not tensor.kind.stored and known is None:
            raise importer.fail(
                f"output '{name}' is of {tensor.kind}, for which the machine has no "
                "type"
            )
        if known is None:
            returned.append(tensor)
        outputs.append(_Output(name, tensor.kind, tensor.shape, known))
    text = importer.b.text(returned)
    arguments = []
    for argument in importer.b.arguments:
        tensor = argument.tensor
        name = tensor.name if argument.array is None else argument.ssa[1:]
        given = argument.array is None and tensor.kind.is_integer
        bounds = tensor.range if given else None
        arguments.append(_Argument(name, tensor.kind, tensor.shape, argument.array, bounds))
    arguments += [_Argument(t.name, t.kind, t.shape, None) for t in importer.empty]
    return Model(importer.name, text, arguments, outputs, importer.b.macs, importer.layers,
                 importer.b.operators)


def _passed(argument: _Argument, given: ArrayLike) -> Array:
    """An array of the caller's as the machine takes it."""
    kind, name = argument.kind, argument.name
    array = np.asarray(given)
    if array.shape != argument.shape:
        raise InputError(
            f"error: '{name}': shape is {list(array.shape)}, expected {list(argument.shape)}"
        )
    if kind.is_float:
        if array.dtype.kind not in "fiub":
            raise InputError(f"error: '{name}': is of {array.dtype}, expected {kind}")
        bits = kind.holds_bits and array.dtype == kind.dtype
        return array if bits else rounded_to(array, kind)
    if array.dtype.kind not in "iub":
        raise InputError(f"error: '{name}': is of {array.dtype}, expected {kind}")
    low, high = argument.range or kind.passed_range
    if array.size and (int(array.min()) < low or int(array.max()) > high):
        bad = int(array.min()) if int(array.min()) < low else int(array.max())
        raise InputError(f"error: '{name}': holds {bad}, allowed are {low} to {high}")
    return narrowed(array.astype(kind.dtype), kind, name)


def _returned(array: Array, kind: ElementType) -> Array:
    """A result of the machine in ONNX's type; floats that NumPy lacks as float32."""
    if kind.is_bool:
        return array != 0
    if kind.is_float:
        return widened(array, kind)
    if kind.is_unsigned and kind.bits <= 32:
        return array.view(kind.dtype)
    return array.astype(kind.dtype)


def _at_node(name: str, error: CompileError) -> ModelError:
    """What the compiler says about an operation, with the node it was made for."""
    found = re.search(r'loc\("((?:[^"\\]|\\.)*)"', str(error))
    node = found[1] if found else ""
    place = f"node '{node}': " if node else ""
    return ModelError(f"'{name}': {place}{error.text}", node=node)
