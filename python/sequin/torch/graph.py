# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a traced module to linalg.

The nodes of a graph are in order already. An operator of aten is a few operators of ONNX's
table (aten.py); what is known when the module is imported is computed there, as for ONNX.
Operators in place give a new value, which those after them read in the place of the old.
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils import _pytree

from ..errors import ModelError
from ..onnx.builder import Builder, Tensor
from ..onnx.costs import layer_of
from ..onnx.folding import fold
from ..onnx.graph import Unsupported
from ..onnx.node import OPERATORS, Node, Refusal
from ..onnx.types import BFLOAT16, BOOL, BY_NAME, FLOAT32, INT64, ElementType, rounded_to
from .aten import ATEN, VIEWS

__all__ = ["TorchImporter", "Traced", "trace"]

#: The version of ONNX's operators that aten.py speaks of.
OPSET = 20


@dataclass(frozen=True)
class Traced:
    """A module as a graph."""

    graph: Any
    """A torch.fx.GraphModule of aten operators."""
    module: Any
    names: list[str]
    """Of the inputs."""
    examples: list[Any]
    structure: Any
    """Of the results, a TreeSpec."""


def trace(module: Any, example_inputs: Sequence[Any],
          names: Sequence[str]) -> Traced:
    """The aten operators of a module."""
    graph = isinstance(module, torch.fx.GraphModule)  # made for one way or the other
    if isinstance(module, torch.nn.Module) and module.training and not graph:
        raise ModelError("the module is in training: call module.eval() first")
    flat, structure = _pytree.tree_flatten(tuple(example_inputs))
    for value in flat:
        if not isinstance(value, torch.Tensor):
            raise ModelError(f"an example input is {value!r}, expected tensors")

    results = []

    def call(*tensors: Any) -> Any:
        made = module(*_pytree.tree_unflatten(list(tensors), structure))
        results.append(_pytree.tree_flatten(made)[1])
        return made

    # With gradients, modules take no paths of their own that are no aten operators.
    with torch.enable_grad():
        traced = make_fx(call)(*flat)
    return Traced(traced, module, _names(module, len(flat), names), flat, results[-1])


def _names(module: Any, count: int, names: Sequence[str]) -> list[str]:
    if names:
        if len(names) != count or len(set(names)) != count:
            raise ModelError(f"{count} inputs are given the names {list(names)}")
        return list(names)
    forward = getattr(module, "forward", module)
    try:
        parameters = list(inspect.signature(forward).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    plain = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    return plain[:count] if len(plain) >= count else [f"input{i}" for i in range(count)]


class TorchImporter:
    """Makes one module of one graph; has what make_model reads."""

    def __init__(self, traced: Traced, ranges: dict[str, tuple[int, int]]) -> None:
        self.traced = traced
        self.nodes = list(traced.graph.graph.nodes)
        self.name = type(traced.module).__name__
        self.ranges = ranges
        self.b = Builder()
        self.unsupported: list[Unsupported] = []
        self.operators: dict[str, int] = {}
        self.outputs: list[tuple[str, Tensor | None]] = []
        self.empty: list[Tensor] = []
        self.layers: dict[str, str] = {}
        self._layer = ""
        self._values: dict[Any, Any] = {}
        self._weights: dict[int, Tensor] = {}
        self._title = ""
        self._parameters = {}
        module = traced.module
        if isinstance(module, torch.nn.Module):
            owned = [*module.named_parameters(), *module.named_buffers()]
            self._parameters = {t.data_ptr(): name for name, t in owned if t.numel()}

    def fail(self, text: str) -> ModelError:
        return ModelError(f"'{self.name}': {text}")

    def run(self) -> None:
        """Visits every node."""
        places = iter(zip(self.traced.names, self.traced.examples))
        for node in self.nodes:
            if node.op == "placeholder":
                self._values[node] = self._input(*next(places))
            elif node.op == "get_attr":
                self._values[node] = self._weight(getattr(self.traced.graph, node.target), node.name)
            elif node.op == "call_function":
                self._values[node] = self._run_node(node)
            elif node.op == "output":
                self._finish(node.args[0])

    def _input(self, name: str, example: Any) -> Tensor:
        kind = kind_of(example.dtype)
        if kind is None or not kind.stored:
            raise self.fail(f"input '{name}' is of {example.dtype}, for which the machine has no "
                            "type")
        tensor = self.b.input(name, kind, tuple(example.shape))
        if name in self.ranges:
            tensor.range = self.ranges[name]
        return tensor

    def _weight(self, value: Any, name: str) -> Tensor:
        """A parameter or a constant; one tensor however often it is read."""
        key = value.data_ptr() if value.numel() else id(value)
        known = self._weights.get(key)
        if known is not None and known.shape == tuple(value.shape):
            return known
        kind, array = array_of(value)
        owned = self._parameters.get(key)
        tensor = Tensor(kind, array.shape, data=array, name=owned or name,
                        weight=owned is not None)
        self._weights[key] = tensor
        return tensor

    def _finish(self, made: Any) -> None:
        flat, _ = _pytree.tree_flatten(made)
        for i, node in enumerate(flat):
            self.outputs.append((f"output{i}", self._values.get(node)))

    # ===--- Nodes ---------------------------------------------------------=== #

    def _run_node(self, node: Any) -> Any:
        if node.target is operator.getitem:
            source, place = node.args
            made = self._values.get(source)
            return None if made is None else made[place]
        packet = getattr(node.target, "_overloadpacket", node.target)
        name = getattr(packet, "__name__", str(packet))
        in_place = name.endswith("_") and not name.endswith("__")
        plain = name.rstrip("_") if in_place else name
        title = f"aten.{name}"
        self.operators[title] = self.operators.get(title, 0) + 1
        read = [n for n in node.all_input_nodes]
        weights = [v.name for v in map(self._values.get, read)
                   if isinstance(v, Tensor) and v.weight]
        self.layers[node.name] = self._layer = layer_of(node.name, weights, self._layer)
        if any(self._values.get(n) is None for n in read):
            return None  # of something that is not supported
        self._title = self.b.location = node.name
        try:
            if plain not in ATEN:
                raise Refusal("is an operator that is not supported",
                              "express it by other operators, or do it outside of the module")
            if in_place:
                self._check_alone(node, node.args[0])
            made = self._call(ATEN[plain], plain, node)
        except Refusal as refusal:
            self.unsupported.append(
                Unsupported(title, node.name, refusal.reason, refusal.remedy, refusal.value))
            return None
        if in_place:
            self._values[node.args[0]] = made
        return made

    def _check_alone(self, node: Any, target: Any) -> None:
        """Nobody else may see what an operator in place writes."""
        made = getattr(getattr(target.target, "_overloadpacket", None), "__name__", "")
        source = target.args[0] if target.op == "call_function" and target.args else None
        seen = [target]
        if made in VIEWS or target.target is operator.getitem:
            seen.append(source)
        later = False
        for other in self.nodes:
            if other is node:
                later = True
            elif later and any(s in other.all_input_nodes for s in seen[1:]):
                raise Refusal("writes into a part of a tensor that is read later",
                              "make a new tensor of it")

    def _call(self, function: Any, name: str, node: Any) -> Any:
        def value(argument: Any) -> Any:
            return self._values[argument] if isinstance(argument, torch.fx.Node) else argument

        arguments = torch.fx.node.map_aggregate(node.args, value)
        named = torch.fx.node.map_aggregate(node.kwargs, value)
        if "_name" in inspect.signature(function).parameters:
            named = {**named, "_name": name}
        for key in ("device", "layout", "pin_memory", "memory_format", "non_blocking"):
            if key in named and key not in inspect.signature(function).parameters:
                named = {k: v for k, v in named.items() if k != key}
        try:
            return function(self, *arguments, **named)
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            text = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise Refusal(f"is called in a way that is not supported: {text}") from error

    # ===--- What aten.py works with ---------------------------------------=== #

    def __call__(self, op: str, *inputs: Any, outputs: int = 1, **attributes: Any) -> Any:
        """The outputs of one operator of ONNX's table (aten.Maker)."""
        like = next((v.kind for v in inputs if isinstance(v, Tensor)), FLOAT32)
        tensors: list[Tensor | None] = []
        for given in inputs:
            if isinstance(given, list):
                tensors.append(self.constant(np.array(given, np.int64), INT64))
            elif isinstance(given, (bool, int, float)):
                tensors.append(self.constant(given, like))
            else:
                tensors.append(given)
        names = [f"{self._title}_{i}" for i in range(outputs)]
        node = Node(op, self._title, tensors, names, attributes, OPSET, self.b, set(names))
        made: Any = fold(node)
        if made is None:
            for tensor in tensors:
                if tensor is not None and not tensor.kind.stored and tensor.data is None:
                    node.refuse(f"reads {tensor.kind}, for which the machine has no type")
            made = OPERATORS[op](node)
        made = [made] if isinstance(made, Tensor) else list(made)
        for tensor in filter(None, made):
            node.check_size(tensor.shape)
            if tensor.data is None and 0 in tensor.shape:
                node.refuse(f"makes a tensor of shape {list(tensor.shape)}, which is empty")
        return made[0] if outputs == 1 else made

    def constant(self, value: Any, kind: ElementType) -> Tensor:
        array = np.asarray(value)
        if kind.is_float:
            array = rounded_to(array.astype(np.float64), kind)
        return self.b.constant(array, kind, self._title)

    def kind_of(self, dtype: Any, default: ElementType) -> ElementType:
        """The type of a torch.dtype, or the default for None; float64 constants are f32."""
        if not isinstance(dtype, torch.dtype):
            return default
        kind = kind_of(dtype)
        if kind is None:
            raise Refusal(f"makes {dtype}, for which the machine has no type")
        return kind


def kind_of(dtype: Any) -> ElementType | None:
    name = str(dtype).removeprefix("torch.")
    if name == "bfloat16":
        return BFLOAT16
    return BOOL if name == "bool" else BY_NAME.get(name)


def array_of(value: Any) -> tuple[ElementType, np.ndarray]:
    """A tensor's numbers, or of bfloat16 their bits; the memory is the tensor's."""
    kind = kind_of(value.dtype)
    if kind is None:
        raise ModelError(f"a weight is of {value.dtype}, for which the machine has no type")
    value = value.detach().cpu()
    if kind is BFLOAT16:
        return kind, value.view(torch.int16).numpy().view(np.uint16)
    return kind, value.numpy()
