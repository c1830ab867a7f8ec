# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch modules: compiled for a machine, simulated, called like the module.

    >>> compiled = sequin.torch.compile(module, (example,), target='rngd')
    >>> output = compiled(example)
    >>> print(compiled.costs)

The module is traced with its example inputs (torch.fx's make_fx), and the operators of aten
that it is made of become those of the table that ONNX models use; weights are shared with
the module until a run copies them. docs/Guides/ModelsFromTorch.md is the guide. It is
tested with torch 1.13; torch2.py is for torch 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.utils import _pytree

from .._boundary import refuses
from ..errors import ModelError
from ..onnx.costs import Costs
from ..onnx.model import Check, Model, ModelResult, make_model
from .graph import TorchImporter, trace

__all__ = ["CompiledModule", "check", "compile", "import_module"]


class CompiledModule:
    """A module compiled for a machine; made by `compile`. Called like the module with tensors
    of the examples' shapes and types, it gives what the module does, as tensors on the CPU."""

    def __init__(self, model: Model, structure: Any, target: str, options: dict[str, Any]) -> None:
        self.model = model
        """The module in linalg."""
        self.compiled = model.compile(target, **options)
        """The program."""
        self.result: ModelResult | None = None
        """Of the last call: its outputs as arrays and its report."""
        self._structure = structure

    def __call__(self, *inputs: Any) -> Any:
        """Simulates the module. InputError for tensors of other shapes or types."""
        flat, _ = _pytree.tree_flatten(inputs)
        arrays = {value.name: tensor.detach().cpu().numpy()
                  for value, tensor in zip(self.model.inputs, flat, strict=True)}
        self.result = self.compiled.run(arrays)
        made = [torch.from_numpy(array.copy()) for array in self.result.outputs.values()]
        return _pytree.tree_unflatten(made, self._structure)

    @property
    def costs(self) -> Costs:
        """By node and by layer, of the last call; without one of a run without data."""
        result = self.result or self.compiled.run(timing_only=True)
        assert result.costs is not None
        return result.costs


@refuses
def import_module(module: Any, example_inputs: Sequence[Any], *, names: Sequence[str] = (),
                  ranges: dict[str, tuple[int, int]] | None = None) -> Model:
    """A module, or a function of tensors, in linalg (see `sequin.import_onnx`).

    `example_inputs` are tensors of the shapes and types that it will be called with, as a
    tuple; tensors within lists and dictionaries are inputs too. `names` are what inputs are
    called, in order; otherwise they are called as the arguments of `forward`. `ranges`
    promises the least and the greatest number of integer inputs.

    Raises ModelError for the first operator that is not supported; `check` lists all.
    """
    return _import(module, example_inputs, names, ranges)[0]


@refuses
def check(module: Any, example_inputs: Sequence[Any]) -> Check:
    """Lists every operator of a module that is not supported, with the reason."""
    importer = TorchImporter(trace(module, example_inputs, ()), {})
    importer.run()
    return Check(tuple(importer.unsupported), dict(sorted(importer.operators.items())))


@refuses
def compile(module: Any, example_inputs: Sequence[Any], target: str = "rngd", *,
            names: Sequence[str] = (), ranges: dict[str, tuple[int, int]] | None = None,
            **options: Any) -> CompiledModule:
    """Compiles a module for a machine. `example_inputs`, `names` and `ranges` are those of
    `import_module`, `options` those of `sequin.compile`.

    Raises ModelError, with the operator, for what is not supported.
    """
    model, structure = _import(module, example_inputs, names, ranges)
    return CompiledModule(model, structure, target, options)


def _import(module: Any, example_inputs: Sequence[Any], names: Sequence[str],
            ranges: dict[str, tuple[int, int]] | None) -> tuple[Model, Any]:
    traced = trace(module, example_inputs, names)
    importer = TorchImporter(traced, ranges or {})
    importer.run()
    if importer.unsupported:
        first, *rest = importer.unsupported
        more = f" ({len(rest)} more: sequin.torch.check lists all)" if rest else ""
        raise ModelError(f"'{importer.name}': {first}{more}", node=first.node,
                         operator=first.operator, remedy=first.remedy)
    return make_model(importer), traced.structure
