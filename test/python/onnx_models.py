# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models made by hand, for tests: a graph a line at a time, weights from a seed."""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx import TensorProto, helper, numpy_helper

TYPES = {
    "float32": TensorProto.FLOAT,
    "float16": TensorProto.FLOAT16,
    "float64": TensorProto.DOUBLE,
    "bfloat16": TensorProto.BFLOAT16,
    "int64": TensorProto.INT64,
    "int32": TensorProto.INT32,
    "int16": TensorProto.INT16,
    "int8": TensorProto.INT8,
    "uint8": TensorProto.UINT8,
    "uint16": TensorProto.UINT16,
    "uint32": TensorProto.UINT32,
    "uint64": TensorProto.UINT64,
    "bool": TensorProto.BOOL,
    "complex64": TensorProto.COMPLEX64,
    "string": TensorProto.STRING,
}


class Graph:
    """Collects nodes, inputs and initializers, and makes a model of them."""

    def __init__(self, opset: int = 17, seed: int = 0) -> None:
        self.opset = opset
        self.random = np.random.default_rng(seed)
        self.nodes: list[Any] = []
        self.inputs: list[Any] = []
        self.outputs: list[Any] = []
        self.weights: dict[str, np.ndarray] = {}
        self.external: list[Any] = []
        """Initializers whose numbers are in files."""
        self._count = 0

    def input(self, name: str, shape: list[int | str], dtype: str = "float32") -> str:
        self.inputs.append(helper.make_tensor_value_info(name, TYPES[dtype], shape))
        return name

    def output(self, name: str, dtype: str = "float32",
               shape: list[int | str] | None = None) -> str:
        self.outputs.append(helper.make_tensor_value_info(name, TYPES[dtype], shape))
        return name

    def weight(self, name: str, *shape: int, scale: float = 1.0) -> str:
        """Normal numbers of this seed."""
        numbers = self.random.standard_normal(shape) * scale
        return self.constant(numbers.astype(np.float32), name)

    def constant(self, value: Any, name: str = "") -> str:
        """An initializer."""
        name = name or self._fresh("const")
        self.weights[name] = np.asarray(value)
        return name

    def _fresh(self, stem: str) -> str:
        self._count += 1
        return f"{stem}_{self._count}"

    def node(self, op: str, *inputs: str, outputs: int | list[str] = 1, name: str = "",
             domain: str = "", **attributes: Any) -> Any:
        """Adds a node; gives the name of its output, or the names of several."""
        made = outputs if isinstance(outputs, list) else [self._fresh(op) for _ in range(outputs)]
        name = name or f"/{op}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, list(inputs), made, name=name, domain=domain,
                                           **attributes))
        return made[0] if len(made) == 1 else made

    def proto(self) -> Any:
        tensors = [numpy_helper.from_array(array, name) for name, array in self.weights.items()]
        tensors += self.external
        graph = helper.make_graph(self.nodes, "graph", self.inputs, self.outputs, tensors)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)])
        model.ir_version = 8
        return model

    def bytes(self) -> bytes:
        return self.proto().SerializeToString()
