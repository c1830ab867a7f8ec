# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a graph of nodes to a module: order, names, sizes, and what is not supported.

Nodes are visited in an order in which each follows what it reads. What is known at
import, shapes above all, is computed there (folding.py); of the rest an operator of the
table makes linalg. A node that is not supported does not end the import: the next one is
looked at with what the model says about its inputs, so that all are found.
"""

from __future__ import annotations

import os
from collections import ChainMap
from collections.abc import Iterable, Mapping as Dictionary, MutableMapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._core import ProgressLine
from ..errors import ModelError
from .builder import Builder, Tensor
from .costs import layer_of
from .folding import fold
from .lowering import Lowering
from .node import OPERATORS, Node, Refusal
from .reader import OWN_DOMAINS, TensorReader, kind_of, opset_of
from .types import ElementType

__all__ = ["Importer", "Unsupported"]

#: What is read of a value that could not be made: nothing is known of it.
Scope = MutableMapping[str, Tensor | None]

#: Functions of a model may call each other so deeply.
DEEPEST_CALL = 64
#: So many nodes a model may have with its functions' bodies in place of their calls.
MOST_NODES = 1_000_000


@dataclass(frozen=True)
class Unsupported:
    """A node that stops the import."""

    operator: str
    """With its domain if it is not ONNX's."""
    node: str
    reason: str
    remedy: str
    """What would make it work; empty if nothing is known to."""
    value: str = ""
    """The name of the value that must be known at import, if that is the reason."""

    def __str__(self) -> str:
        remedy = f": {self.remedy}" if self.remedy else ""
        return f"node '{self.node}' ({self.operator}) {self.reason}{remedy}"


class Importer:
    """Makes one module of one model."""

    def __init__(
        self,
        model: Any,
        name: str,
        path: str | os.PathLike[str] | None,
        sizes: Dictionary[str, int],
        values: Dictionary[str, ArrayLike],
        ranges: Dictionary[str, tuple[int, int]],
        progress: ProgressLine | None = None,
    ) -> None:
        self.model = model
        self.name = name
        self.reader = TensorReader(path)
        self.sizes = dict(sizes)
        self.values = dict(values)
        self.ranges = dict(ranges)
        self.b = Builder()
        self.unsupported: list[Unsupported] = []
        self.operators: dict[str, int] = {}
        self.opsets = opset_of(model.opset_import, name)
        self.functions = {(f.domain, f.name): f for f in model.functions}
        self.wanted: set[str] = set()
        self.inputs: list[tuple[str, Tensor]] = []
        self.outputs: list[tuple[str, Tensor | None]] = []
        self.empty: list[Tensor] = []
        """Inputs without elements, which the module has not."""
        self.layers: dict[str, str] = {}
        """Of each node by its name, where names tell."""
        self.lowering: Lowering | None = None
        """Asked about every node, if what a machine refuses is to be listed."""
        self._layer = ""
        self._depth = 0
        self._visited = 0
        self._progress = progress

    def fail(self, text: str) -> ModelError:
        return ModelError(f"'{self.name}': {text}")

    # ===--- The whole graph -----------------------------------------------=== #

    def run(self) -> None:
        """Visits everything; afterwards `b`, `inputs`, `outputs` and `unsupported` are
        what the model is."""
        graph = self.model.graph
        scope: Scope = {}
        self._read_initializers(graph, scope)
        self._declare_inputs(graph, scope)
        self.wanted = set(_names_read(graph))
        self._visit(graph.node, scope, {o.name for o in graph.output}, _declared(graph))
        for output in graph.output:
            if output.name not in scope:
                raise self.fail(
                    f"output '{output.name}' is made by no node, input or initializer"
                )
            self.outputs.append((output.name, scope[output.name]))

    def _read_initializers(self, graph: Any, scope: Scope) -> None:
        if graph.sparse_initializer:
            raise self.fail("has sparse initializers, only dense ones are read")
        for proto in graph.initializer:
            what = f"'{self.name}': initializer '{proto.name}'"
            if not proto.name:
                raise self.fail("has an initializer without a name")
            if proto.name in scope:
                raise self.fail(f"has two initializers '{proto.name}'")
            data, kind = self.reader.read(proto, what)
            scope[proto.name] = Tensor(kind, data.shape, data=data, name=proto.name, weight=True)
            proto.ClearField("raw_data")  # of which the array has a copy

    def _declare_inputs(self, graph: Any, scope: Scope) -> None:
        names = [entry.name for entry in graph.input]
        for what, given in (("value", self.values), ("range", self.ranges)):
            for unknown in sorted(set(given) - set(names)):
                raise self.fail(
                    f"has no input '{unknown}' to give a {what}, its inputs are {_list(names)}"
                )
        used: set[str] = set()
        for entry in graph.input:
            if entry.name in scope:  # until IR version 4 initializers are inputs too
                continue
            if entry.name in self.values:
                scope[entry.name] = self._given(entry)
                continue
            tensor = self._declare(entry, used)
            if tensor is not None:
                scope[entry.name] = tensor
                self.inputs.append((entry.name, tensor))
        unknown = sorted(set(self.sizes) - used)
        if unknown:
            raise self.fail(
                f"has no dimension '{unknown[0]}' to give a size, its inputs have "
                f"{_list(sorted(self._dimensions(graph)))}"
            )

    def _given(self, entry: Any) -> Tensor:
        array = np.asarray(self.values[entry.name])
        kind = kind_of(entry.type.tensor_type.elem_type, f"'{self.name}': input '{entry.name}'")
        if array.dtype != kind.dtype:
            raise self.fail(
                f"input '{entry.name}' is of {kind}, the value given for it of {array.dtype}"
            )
        return Tensor(kind, array.shape, data=array, name=entry.name)

    def _dimensions(self, graph: Any) -> Iterable[str]:
        for entry in graph.input:
            for axis, dim in enumerate(entry.type.tensor_type.shape.dim):
                if dim.dim_param:
                    yield dim.dim_param
                elif not dim.HasField("dim_value"):
                    yield f"{entry.name}:{axis}"

    def _declare(self, entry: Any, used: set[str]) -> Tensor:
        what = f"input '{entry.name}'"
        if not entry.type.HasField("tensor_type"):
            kind = entry.type.WhichOneof("value") or "no type"
            raise self.fail(f"{what} is of {kind.removesuffix('_type')}, only tensors are taken")
        type = entry.type.tensor_type
        element = kind_of(type.elem_type, f"'{self.name}': {what}")
        if not element.stored:
            raise self.fail(f"{what} is of {element}, {_no_type(element)}")
        if not type.HasField("shape"):
            raise self.fail(f"{what} has no shape, every input needs one: export the model with it")
        shape = []
        for axis, dim in enumerate(type.shape.dim):
            shape.append(self._size(entry.name, axis, dim, used))
        if 0 in shape:  # without elements, so that all of them are known
            tensor = Tensor(element, tuple(shape), data=np.empty(shape, element.dtype),
                            name=entry.name)
            self.empty.append(tensor)
            return tensor
        tensor = self.b.input(entry.name, element, tuple(shape))
        if entry.name in self.ranges:
            tensor.range = self._range(entry.name, element)
        return tensor

    def _range(self, name: str, kind: ElementType) -> tuple[int, int]:
        """What an input's numbers are promised to be, which is checked when they are passed."""
        low, high = (int(end) for end in self.ranges[name])
        if not kind.is_integer:
            raise self.fail(f"input '{name}' is of {kind}, ranges are of integers")
        least, most = kind.passed_range
        if not least <= low <= high <= most:
            raise self.fail(
                f"input '{name}' is given range {low} to {high}, allowed are {least} to "
                f"{most}"
            )
        return low, high

    def _size(self, name: str, axis: int, dim: Any, used: set[str]) -> int:
        by_place = f"{name}:{axis}"
        if dim.HasField("dim_value") and dim.dim_value >= 0:
            return int(dim.dim_value)
        for key in (by_place, dim.dim_param):
            if key and key in self.sizes:
                used.add(key)
                size = self.sizes[key]
                if size < 1:
                    raise self.fail(f"'{key}' is given size {size}, a size is at least 1")
                return size
        key = dim.dim_param or by_place
        raise self.fail(
            f"input '{name}' has no size in dimension {axis}, '{key}': give one, "
            f"sizes={{'{key}': ...}} or --size {key}=..."
        )

    # ===--- Nodes ---------------------------------------------------------=== #

    def _visit(self, nodes: Sequence[Any], scope: Scope, needed: set[str],
               declared: dict[str, Any]) -> None:
        ordered = self._ordered(nodes, scope, needed)
        for i, proto in enumerate(ordered):
            if self._progress and not self._depth:
                self._progress.show("import", "", i, len(ordered), "nodes")
            self._visited += 1
            if self._visited > MOST_NODES:
                raise self.fail(f"has more than {MOST_NODES} nodes")
            self._run_node(proto, scope, declared)

    def _ordered(self, nodes: Sequence[Any], scope: Scope, needed: set[str]) -> list[Any]:
        """The nodes that lead to what is needed, each after what it reads."""
        producers: dict[str, int] = {}
        for i, node in enumerate(nodes):
            for name in filter(None, node.output):
                if name in producers or name in scope:
                    raise self.fail(f"value '{name}' is made twice, again by node {_title(node)}")
                producers[name] = i
        order: list[Any] = []
        state = [0] * len(nodes)  # 1: what it reads is being visited, 2: done
        for name in sorted(needed & producers.keys(), key=lambda n: producers[n]):
            stack = [(producers[name], iter(self._reads(nodes[producers[name]])))]
            state[producers[name]] = max(state[producers[name]], 1)
            while stack:
                i, reads = stack[-1]
                if state[i] == 2:
                    stack.pop()
                    continue
                for read in reads:
                    if read in producers:
                        j = producers[read]
                        if state[j] == 1:
                            raise self.fail(
                                f"node {_title(nodes[i])} reads '{read}', which is made from what "
                                "it makes itself: the graph has a cycle"
                            )
                        if state[j] == 0:
                            state[j] = 1
                            stack.append((j, iter(self._reads(nodes[j]))))
                            break
                    elif read not in scope:
                        raise self.fail(
                            f"node {_title(nodes[i])} reads '{read}', which no node, input or "
                            "initializer makes"
                        )
                else:
                    state[i] = 2
                    order.append(nodes[i])
                    stack.pop()
        return order

    def _reads(self, node: Any) -> list[str]:
        reads = [name for name in node.input if name]
        for attribute in node.attribute:
            for graph in [attribute.g] if attribute.HasField("g") else attribute.graphs:
                made = {name for inner in graph.node for name in inner.output}
                made |= {entry.name for entry in [*graph.input, *graph.initializer]}
                for inner in graph.node:
                    reads += [name for name in self._reads(inner) if name not in made]
                reads += [o.name for o in graph.output if o.name not in made]
        return reads

    def _run_node(self, proto: Any, scope: Scope, declared: dict[str, Any]) -> None:
        title = _title_of(proto)
        domain = "" if proto.domain in OWN_DOMAINS else proto.domain
        operator = f"{domain}.{proto.op_type}" if domain else proto.op_type
        inputs = [scope.get(name) if name else None for name in proto.input]
        unknown = any(name and scope[name] is None for name in proto.input)
        weights = [tensor.name for tensor in inputs if tensor is not None and tensor.weight]
        self.layers[title] = self._layer = layer_of(title, weights, self._layer)
        outputs: Sequence[Tensor | None] = [None] * len(proto.output)
        calls = (domain, proto.op_type) in self.functions
        if not calls:
            self.operators[operator] = self.operators.get(operator, 0) + 1
        try:
            if calls:
                outputs = self._call(proto, domain, inputs)
            elif domain and domain not in self.opsets:
                raise Refusal(f"is of domain '{domain}', which the model does not import")
            elif domain:
                raise Refusal(
                    f"is of domain '{domain}', of whose operators none is known",
                    "export with ONNX's own operators",
                )
            elif proto.op_type == "If":
                if not unknown:
                    outputs = self._branch(proto, inputs, scope)
            elif proto.op_type not in OPERATORS:
                raise Refusal("is an operator that is not supported", _other_way(proto.op_type))
            elif not unknown:
                outputs = self._make(proto, title, inputs)
        except Refusal as refusal:
            self.unsupported.append(
                Unsupported(operator, title, refusal.reason, refusal.remedy, refusal.value)
            )
        for i, name in enumerate(proto.output):
            if not name:
                continue
            tensor = outputs[i] if i < len(outputs) else None
            if tensor is None and name in self.wanted:
                tensor = self._stand_in(name, declared)
            scope[name] = tensor

    def _make(self, proto: Any, title: str, inputs: list[Tensor | None]) -> Sequence[Tensor | None]:
        attributes = {a.name: self._attribute(a, title) for a in proto.attribute}
        node = Node(proto.op_type, title, inputs, list(proto.output), attributes,
                    self.opsets[""], self.b, self.wanted, list(proto.input))
        self.b.location = title
        self.b.operators[title] = proto.op_type
        lines, arguments = len(self.b.lines), len(self.b.arguments)
        try:
            made = fold(node)
            if made is None:
                for i, tensor in enumerate(inputs):
                    if tensor is not None and not tensor.kind.stored and tensor.data is None:
                        node.refuse(f"reads {tensor.kind}, {_no_type(tensor.kind)}")
                made = OPERATORS[proto.op_type](node)
                self._ask_lowering(node)
        except Refusal:
            raise
        except ModelError:
            raise
        except (ArithmeticError, AssertionError, AttributeError, LookupError, MemoryError,
                TypeError, ValueError) as error:
            del self.b.lines[lines:]
            del self.b.arguments[arguments:]
            text = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise Refusal(f"makes no sense: {text}") from error
        outputs = [made] if isinstance(made, Tensor) else list(made)
        for i, tensor in enumerate(outputs):
            if tensor is None:
                continue
            node.check_size(tensor.shape)
            if tensor.data is None and 0 in tensor.shape:
                node.refuse(f"makes a tensor of shape {list(tensor.shape)}, which is empty")
            if not tensor.name and i < len(proto.output):
                tensor.name = proto.output[i]
        return outputs

    def _ask_lowering(self, node: Node) -> None:
        """What a machine refuses is listed; what it makes is known all the same."""
        reason = self.lowering.refusal(node) if self.lowering is not None else ""
        if reason:
            self.unsupported.append(Unsupported(node.op, node.name, reason, ""))

    def _stand_in(self, name: str, declared: dict[str, Any]) -> Tensor | None:
        """What the model says about a value that could not be made."""
        entry = declared.get(name)
        if entry is None or not entry.type.HasField("tensor_type"):
            return None
        type = entry.type.tensor_type
        shape = []
        for dim in type.shape.dim:
            size = dim.dim_value if dim.HasField("dim_value") else self.sizes.get(dim.dim_param, 0)
            if size < 1:
                return None
            shape.append(size)
        if not type.HasField("shape"):
            return None
        try:
            kind = kind_of(type.elem_type, f"value '{name}'")
        except ModelError:
            return None
        if not kind.stored or self.unsupported == []:
            return None
        return Tensor(kind, tuple(shape), f"%unsupported_{len(self.unsupported)}", name=name)

    def _attribute(self, proto: Any, title: str) -> Any:
        """An attribute as a number, a string, a list of them, or a Tensor."""
        what = f"'{self.name}': node '{title}': attribute '{proto.name}'"
        names = {f.name for f, _ in proto.ListFields()}
        kind = proto.type
        if kind == proto.FLOAT or (kind == 0 and "f" in names):
            return float(proto.f)
        if kind == proto.INT or (kind == 0 and "i" in names):
            return int(proto.i)
        if kind == proto.STRING or (kind == 0 and "s" in names):
            return proto.s.decode("utf-8", "replace")
        if kind == proto.TENSOR or (kind == 0 and "t" in names):
            data, element = self.reader.read(proto.t, what)
            return Tensor(element, data.shape, data=data, name=title)
        if kind == proto.FLOATS or (kind == 0 and proto.floats):
            return [float(x) for x in proto.floats]
        if kind == proto.INTS or (kind == 0 and proto.ints):
            return [int(x) for x in proto.ints]
        if kind == proto.STRINGS or (kind == 0 and proto.strings):
            return [x.decode("utf-8", "replace") for x in proto.strings]
        return proto

    # ===--- Functions and branches ----------------------------------------=== #

    def _call(self, proto: Any, domain: str,
              inputs: list[Tensor | None]) -> Sequence[Tensor | None]:
        """A call of one of the model's own functions: its body in its place."""
        function = self.functions[domain, proto.op_type]
        if self._depth >= DEEPEST_CALL:
            raise self.fail(
                f"function '{proto.op_type}' is called {DEEPEST_CALL} calls deep, it may call "
                "itself"
            )
        # Defaults are a field that older classes do not know.
        defaults = getattr(function, "attribute_proto", ())
        given = {a.name: a for a in [*defaults, *proto.attribute]}
        scope: Scope = {}
        for i, name in enumerate(function.input):
            scope[name] = inputs[i] if i < len(inputs) else None
        title = _title_of(proto)
        nodes = []
        for i, inner in enumerate(function.node):
            copy = type(inner)()
            copy.CopyFrom(inner)
            copy.name = f"{title}/{inner.name or f'{inner.op_type}_{i}'}"
            _bind_attributes(copy, given)
            nodes.append(copy)
        outer, opsets = self.wanted, self.opsets
        self.wanted = {n for inner in nodes for n in self._reads(inner)} | set(function.output)
        self.opsets = {**opsets, **opset_of(function.opset_import, self.name)} if any(
            e.domain in OWN_DOMAINS for e in function.opset_import) else opsets
        self._depth += 1
        try:
            for i, name in enumerate(function.input):
                if i >= len(inputs) or not proto.input[i]:
                    _forget(nodes, name)
                    scope.pop(name, None)
            self._visit(nodes, scope, set(function.output), {})
        finally:
            self._depth -= 1
            self.wanted, self.opsets = outer, opsets
        return [scope.get(name) for name in function.output]

    def _branch(self, proto: Any, inputs: list[Tensor | None],
                scope: Scope) -> Sequence[Tensor | None]:
        """An If: the branch that is known to be taken, or else what both make, of which the
        machine selects."""
        condition = inputs[0] if inputs else None
        if condition is None or condition.size != 1 or not condition.kind.is_bool:
            raise Refusal("has no single truth value to choose between its branches")
        graphs = {a.name: a.g for a in proto.attribute if a.HasField("g")}
        for name in ("then_branch", "else_branch"):
            if name not in graphs:
                raise Refusal(f"has no attribute '{name}'")
        if condition.data is not None:
            taken = "then_branch" if bool(condition.data.reshape(-1)[0]) else "else_branch"
            return self._inline(graphs[taken], scope)
        made = [self._inline(graphs[name], scope) for name in ("then_branch", "else_branch")]
        title = _title_of(proto)
        self.b.location = title
        outputs = []
        for i, (one, other) in enumerate(zip(*made)):
            if one is None or other is None:  # something in it is not supported
                outputs.append(None)
                continue
            if one.kind is not other.kind or one.shape != other.shape:
                raise Refusal(
                    f"makes {one.kind} {list(one.shape)} in one branch and {other.kind} "
                    f"{list(other.shape)} in the other, and which is taken is known at run "
                    "time only", "export the model with the branch that is wanted")
            node = Node("Where", title, [condition, one, other], [proto.output[i]], {},
                        self.opsets[""], self.b, self.wanted)
            outputs.append(OPERATORS["Where"](node))
        return outputs  # type: ignore[return-value]

    def _inline(self, graph: Any, scope: Scope) -> Sequence[Tensor | None]:
        """A branch in the place of its node."""
        local: Scope = {}
        self._read_initializers(graph, local)
        visible: Scope = ChainMap(local, scope)  # type: ignore[arg-type]
        outer = self.wanted
        self.wanted = outer | set(_names_read(graph))
        try:
            self._visit(graph.node, visible, {o.name for o in graph.output}, _declared(graph))
        finally:
            self.wanted = outer
        for output in graph.output:
            if output.name not in visible:
                raise self.fail(f"output '{output.name}' of a branch is made by no node")
        return [visible[o.name] for o in graph.output]


# ===--- Pieces ------------------------------------------------------------=== #


def _title_of(node: Any) -> str:
    """A name for a node; those without are called by what they make."""
    return str(node.name or next((o for o in node.output if o), "") or node.op_type)


def _title(node: Any) -> str:
    return f"'{_title_of(node)}' ({node.op_type})"


def _list(names: Sequence[str]) -> str:
    return ", ".join(f"'{name}'" for name in names) or "none"


def _no_type(kind: ElementType) -> str:
    if kind.name == "float64":
        return "the machine's widest float is float32: convert the model to float32"
    return "for which the machine has no type"


def _declared(graph: Any) -> dict[str, Any]:
    return {entry.name: entry for entry in [*graph.value_info, *graph.output]}


def _names_read(graph: Any) -> Iterable[str]:
    """All names that something in a graph, or the graph's reader, reads."""
    for output in graph.output:
        yield output.name
    for node in graph.node:
        yield from node.input
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from _names_read(attribute.g)
            for inner in attribute.graphs:
                yield from _names_read(inner)


def _bind_attributes(node: Any, given: dict[str, Any]) -> None:
    """Attributes of a function's node that stand for the call's."""
    bound = []
    for attribute in node.attribute:
        if not attribute.ref_attr_name:
            bound.append(attribute)
        elif attribute.ref_attr_name in given:
            copy = type(attribute)()
            copy.CopyFrom(given[attribute.ref_attr_name])
            copy.name = attribute.name
            bound.append(copy)
    del node.attribute[:]
    node.attribute.extend(bound)


def _forget(nodes: Sequence[Any], name: str) -> None:
    """An input that the call leaves out is left out by the function's nodes."""
    for node in nodes:
        for i, read in enumerate(node.input):
            if read == name:
                node.input[i] = ""


def _other_way(op: str) -> str:
    """What to do about an operator that is not in the table."""
    if op in ("Loop", "Scan"):
        return "export the model with its loop unrolled"
    if op.startswith(("Sequence", "Optional", "SplitToSequence", "ConcatFromSequence")):
        return "export the model with tensors in place of sequences and optional values"
    if op.startswith(("Random", "Bernoulli", "Multinomial")):
        return "pass the random numbers as an input"
    if op in ("NonZero", "Unique", "Compress", "NonMaxSuppression"):
        return "its result has a size that depends on the data; do it outside of the model"
    return "express it by other operators, or do it outside of the model"
