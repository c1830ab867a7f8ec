# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Types of kernels and tests: aliases, generics, mappings, and the signatures of kernels."""

from __future__ import annotations

from typing import Any

from ..errors import UsageError
from .layout import Axis, Mapping, m
from .numbers import FLOATS, INTEGERS, Number
from .tensors import Kernel, Parameter
from .tree import Node, Source
from .values import Frame, Named, Unsupported

__all__ = ["TypeReader"]


class TypeReader:
    """Evaluates types. A type is a Named, a Mapping, a Number for a constant, or None for
    `_`."""

    source: Source

    def __init__(self, source: Source) -> None:
        self.source = source
        self._axes: dict[int, Axis] = {}
        self._kernels: dict[int, Kernel] = {}

    def evaluate(self, node: Node, frame: Frame, want: Any = None) -> Any:
        """An expression's value; the evaluator's."""
        raise NotImplementedError

    # ===--- Types --------------------------------------------------------=== #

    def type(self, node: Node, frame: Frame) -> Any:
        kind = node.kind
        if kind == "PathType":
            return self.path_type(node.path, frame)
        if kind == "MappingType":
            return Mapping("1") if node.mapping is None else self.mapping(node.mapping, frame)
        if kind in ("RefType", "ParenType"):
            inner = node.type or node.inner or node.target
            return None if inner is None else self.type(inner, frame)
        if kind == "TupleType":
            return Named("tuple", tuple(self.type(e, frame) for e in node.elements or ()))
        if kind in ("ArrayType", "SliceType"):
            return Named("Vec", (self.type(node.element, frame),))
        if kind in ("InferType", "ImplType", "FnType", "NeverType"):
            return None
        raise Unsupported(f"a {kind} is not evaluated", node)

    def generic_args(self, args: Node | None, frame: Frame) -> tuple[Any, ...]:
        """What stands between angle brackets."""
        made = []
        for arg in (args.args or ()) if args is not None else ():
            if arg.type is not None:
                made.append(self.type(arg.type, frame))
            elif arg.value is not None:
                made.append(self._constant_arg(arg.value, frame))
        return tuple(made)

    def _constant_arg(self, value: Node, frame: Frame) -> Any:
        # `{ Dma::Tensor }` is a choice, not a number.
        try:
            return self.evaluate(value, frame)
        except Unsupported:
            return None

    def path_type(self, path: Node, frame: Frame) -> Any:
        segments = path.segments or ()
        if path.self is not None:
            return self.type(path.self, frame)
        if not segments:
            return None
        args = self.generic_args(segments[-1].args, frame)
        means = path.means
        if means is not None:
            if means.kind == "generic parameter" and means.node is not None:
                return self._generic(means.node, frame)
            if means.kind == "self":
                return frame.self_type
            if means.kind == "axis" and means.node is not None:
                return m(self.axis(means.node))
            if means.kind == "item" and means.node is not None:
                return self._item_type(means.node, args, path)
        return Named(segments[-1].name, args)

    def _generic(self, param: Node, frame: Frame) -> Any:
        here: Frame | None = frame
        while here is not None:
            if param.id in here.types:
                return here.types[param.id]
            here = here.parent
        return None

    def _item_type(self, item: Node, args: tuple[Any, ...], path: Node) -> Any:
        if item.kind == "TypeItem":
            return self.type(item.type, self.bind_generics(item, args))
        return Named(item.name, args, item)

    def bind_generics(self, item: Node, args: tuple[Any, ...]) -> Frame:
        """A frame with the generic parameters of an item."""
        frame = Frame()
        params = [p for p in (item.generics.params or () if item.generics else ())
                  if p.paramKind != 0]
        for index, param in enumerate(params):
            if index < len(args):
                frame.types[param.id] = args[index]
            elif param.type is not None and param.paramKind == 1:
                frame.types[param.id] = self.type(param.type, frame)
        return frame

    # ===--- Mappings -----------------------------------------------------=== #

    def axis(self, node: Node) -> Axis:
        """An axis by its declaration."""
        if node.id not in self._axes:
            size = self.evaluate(node.size, Frame())
            if not isinstance(size, Number) or not isinstance(size.data, int) or size.data < 1:
                raise Unsupported(f"the size of axis '{node.name}' is no positive number", node)
            self._axes[node.id] = Axis(node.name, size.data)
        return self._axes[node.id]

    def mapping(self, node: Node, frame: Frame) -> Mapping:
        kind = node.kind
        if kind == "MapList":
            return m(*[self.mapping(e, frame) for e in node.elements or ()])
        if kind == "MapGroup":
            return self.mapping(node.inner, frame)
        if kind == "MapNumber":
            if node.value == 1:
                return Mapping("1")
            if self.source.release == "0.1":
                raise Unsupported(f"m![{node.value}] is of a later release of the crate", node)
            return Mapping("1", (), node.value)
        if kind == "MapAxis":
            means = node.means
            if means is None or means.node is None:
                raise Unsupported(f"'{node.name}' is no axis that is known", node)
            if means.kind == "generic parameter":
                found = self._generic(means.node, frame)
            elif means.kind == "axis":
                found = m(self.axis(means.node))
            else:
                found = self._item_type(means.node, (), node)
            return self._as_mapping(found, node)
        if kind == "MapEscape":
            return self._as_mapping(self.type(node.type, frame), node)
        if kind == "MapOp":
            left = self.mapping(node.left, frame)
            amount = self.evaluate(node.amount, frame)
            op = "#" if str(node.op).startswith("#") else str(node.op)
            made = Mapping(op, (left,), int(amount.data))
            try:
                made.size
            except UsageError as error:
                raise Unsupported(str(error), node) from error
            return made
        raise Unsupported(f"a {kind} is not evaluated", node)

    def _as_mapping(self, found: Any, node: Node) -> Mapping:
        if not isinstance(found, Mapping):
            raise Unsupported("a mapping is expected here", node)
        return found

    # ===--- Kernels ------------------------------------------------------=== #

    def kernel(self, function: Node) -> Kernel:
        """The kernel of a function with `#[device]`."""
        if function.id not in self._kernels:
            module = self.source.owners.get(function.id)
            if module is None or function.attribute("device") is None:
                raise Unsupported(f"'{function.name}' is launched, but is no function of a module "
                                  "with #[device]", function)
            root, *below = module.path.split("::")
            entry = "::".join([*below, function.name])
            frame = Frame()
            parameters = []
            for param in function.params or ():
                named = param.pattern is not None and param.pattern.kind == "NamePattern"
                parameters += self._parameters(param.type, frame,
                                               param.pattern.name if named else "")
            results, is_tuple = self._results(function.result, frame)
            self._kernels[function.id] = Kernel(self.source.modules[root].file, entry, parameters,
                                                results, is_tuple)
        return self._kernels[function.id]

    def _parameters(self, type_node: Node, frame: Frame, name: str) -> list[Parameter]:
        """The tensors of a parameter: of a tuple or struct those of its members."""
        if type_node.kind == "TupleType":
            return [p for i, element in enumerate(type_node.elements or ())
                    for p in self._parameters(element, frame, f"{name}_{i}")]
        found = self.type(type_node, frame)
        if isinstance(found, Named) and found.node is not None \
                and found.node.kind == "StructItem":
            return [p for member in found.node.members or ()
                    for p in self._parameters(member.type, frame, f"{name}_{member.name}")]
        made = self._tensor(type_node, frame, name)
        return [] if made is None else [made]

    def _tensor(self, type_node: Node, frame: Frame, name: str = "") -> Parameter | None:
        """A parameter; None for a context."""
        found = self.type(type_node, frame)
        if not isinstance(found, Named) or not found.name.startswith("HbmTensor"):
            return None
        dtype, chip, element = (found.arg(i) for i in range(3))
        is_mutable = bool(type_node.isMut) or found.name.endswith("Mut")
        if not isinstance(dtype, Named) or not isinstance(chip, Mapping) \
                or not isinstance(element, Mapping):
            raise Unsupported("the type of a kernel's tensor is not known", type_node)
        return Parameter(name, dtype.name, chip, element, is_mutable)

    def _results(self, node: Node | None, frame: Frame) -> tuple[list[Parameter], bool]:
        if node is None:
            return [], False
        if node.kind == "TupleType":
            made = [self._tensor(e, frame) for e in node.elements or ()]
            return [p for p in made if p is not None], True
        one = self._tensor(node, frame)
        return ([], False) if one is None else ([one], False)

    @staticmethod
    def is_number(wanted: Any) -> bool:
        return isinstance(wanted, Named) and (wanted.name in INTEGERS or wanted.name in FLOATS)
