# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The step of network.py as an ONNX model, by the nodes that an exporter makes.

Inputs are the token, its position and for each layer the keys and values so far; outputs are
the next token, the scores it was chosen by, and keys and values with the new row.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from network import CHARACTERS, CONTEXT, EPSILON, FAR, HEADS, LAYERS, SIZE, WIDTH, Weights

OPSET = 17


class Graph:
    """Collects nodes; names of nodes are those of the modules they are in."""

    def __init__(self, weights: Weights) -> None:
        self.nodes: list[Any] = []
        self.initializers = [numpy_helper.from_array(a, name) for name, a in weights.items()]
        self.scope = ""

    def number(self, value: Any, dtype: str = "float32") -> str:
        name = f"constant_{len(self.initializers)}"
        self.initializers.append(numpy_helper.from_array(np.asarray(value, dtype), name))
        return name

    def node(self, op: str, *inputs: str, output: str = "", **attributes: Any) -> str:
        name = f"{self.scope}/{op}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, list(inputs), [output or name], name=name,
                                           **attributes))
        return output or name

    def shaped(self, x: str, *shape: int) -> str:
        return self.node("Reshape", x, self.number(shape, "int64"))

    def normalized(self, x: str, scale: str) -> str:
        mean = self.node("ReduceMean", self.node("Mul", x, x), axes=[-1])
        root = self.node("Sqrt", self.node("Add", mean, self.number(EPSILON)))
        return self.node("Mul", self.node("Div", x, root), scale)


def cache_names() -> list[str]:
    """Of the model's inputs, layer by layer, keys first; its outputs begin with "new."."""
    return [f"{part}.{i}" for i in range(LAYERS) for part in ("keys", "values")]


def attention(g: Graph, x: str, i: int, away: str) -> str:
    qkv = g.node("MatMul", x, f"{i}.qkv")
    at = g.number([0, WIDTH, 2 * WIDTH, 3 * WIDTH], "int64")
    q, *rows = (g.node("Slice", qkv, g.node("Gather", at, g.number([j], "int64")),
                       g.node("Gather", at, g.number([j + 1], "int64")),
                       g.number([1], "int64")) for j in range(3))
    indices = g.shaped("position", 1, 1)
    kept = []
    for name, row in zip((f"keys.{i}", f"values.{i}"), rows):
        new = g.node("ScatterND", name, indices, row, output=f"new.{name}")
        heads = g.shaped(new, CONTEXT, HEADS, SIZE)
        kept.append(heads)
    keys = g.node("Transpose", kept[0], perm=[1, 2, 0])
    values = g.node("Transpose", kept[1], perm=[1, 0, 2])
    scores = g.node("MatMul", g.shaped(q, HEADS, 1, SIZE), keys)
    scores = g.node("Add", g.node("Div", scores, g.number(np.sqrt(SIZE))), away)
    mixed = g.node("MatMul", g.node("Softmax", scores, axis=-1), values)
    return g.node("MatMul", g.shaped(mixed, 1, WIDTH), f"{i}.out")


def make_step(weights: Weights) -> bytes:
    """The model as the bytes of a file."""
    g = Graph(weights)
    g.scope = "/embed"
    h = g.node("Add", g.node("Gather", "tokens", "token"), g.node("Gather", "positions", "position"))
    here = g.node("LessOrEqual", g.number(np.arange(CONTEXT), "int64"), "position")
    away = g.node("Where", here, g.number(0), g.number(FAR))
    for i in range(LAYERS):
        g.scope = f"/layer.{i}"
        h = g.node("Add", h, attention(g, g.normalized(h, f"{i}.norm1"), i, away))
        x = g.node("Relu", g.node("MatMul", g.normalized(h, f"{i}.norm2"), f"{i}.up"))
        h = g.node("Add", h, g.node("MatMul", x, f"{i}.down"))
    g.scope = "/head"
    logits = g.node("MatMul", g.normalized(h, "norm"), "head", output="logits")
    g.node("ArgMax", logits, axis=1, keepdims=0, output="next")

    def value(name: str, kind: int, *shape: int) -> Any:
        return helper.make_tensor_value_info(name, kind, shape)

    integer, real = TensorProto.INT64, TensorProto.FLOAT
    inputs = [value("token", integer, 1), value("position", integer, 1)]
    inputs += [value(name, real, CONTEXT, WIDTH) for name in cache_names()]
    outputs = [value("next", integer, 1), value("logits", real, 1, len(CHARACTERS))]
    outputs += [value(f"new.{name}", real, CONTEXT, WIDTH) for name in cache_names()]
    graph = helper.make_graph(g.nodes, "step", inputs, outputs, g.initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8)
    data: bytes = model.SerializeToString()
    return data
