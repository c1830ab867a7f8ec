# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Patterns of Rust: whether a value fits one, and the names it binds."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import operators
from .numbers import Number
from .tree import Node
from .values import Frame, NeedsElements, Opt, Struct, Unsupported, Variant, Vec, truth

__all__ = ["Patterns"]


class Patterns:
    """Binds patterns."""

    def evaluate(self, node: Node, frame: Frame, want: Any = None) -> Any:
        raise NotImplementedError

    def eval_PathExpr(self, node: Node, frame: Frame, want: Any) -> Any:
        raise NotImplementedError

    def bind(self, pattern: Node, value: Any, frame: Frame) -> bool:
        """Whether a value fits a pattern; binds its names."""
        made = getattr(self, "bind_" + pattern.kind, None)
        if made is None:
            raise Unsupported(f"a {pattern.kind} is not evaluated in tests", pattern)
        return bool(made(pattern, value, frame))

    def bind_WildcardPattern(self, pattern: Node, value: Any, frame: Frame) -> bool:
        return True

    bind_RestPattern = bind_WildcardPattern

    def bind_NamePattern(self, pattern: Node, value: Any, frame: Frame) -> bool:
        means = pattern.means
        if means is not None and means.node is not None and means.kind == "item":
            constant = self.evaluate(means.node.value, Frame())
            return truth(operators.equal(self, value, constant))
        if pattern.name == "None" and means is not None:
            return isinstance(value, Variant) and value.name == "None"
        if pattern.inner is not None and not self.bind(pattern.inner, value, frame):
            return False
        frame.values[pattern.id] = value
        frame.names[pattern.name] = pattern.id
        return True

    def bind_LiteralPattern(self, pattern: Node, value: Any, frame: Frame) -> bool:
        return truth(operators.equal(self, value, self.evaluate(pattern.value, frame)))

    def bind_RangePattern(self, pattern: Node, value: Any, frame: Frame) -> bool:
        if not isinstance(value, Number):
            raise Unsupported("ranges are patterns of numbers", pattern)
        first = self.evaluate(pattern.first, frame).data if pattern.first is not None else None
        last = self.evaluate(pattern.last, frame).data if pattern.last is not None else None
        if value.is_array:
            raise NeedsElements
        return (first is None or value.data >= first) and (
            last is None or (value.data <= last if pattern.inclusive else value.data < last))

    def bind_RefPattern(self, pattern: Node, value: Any, frame: Frame) -> bool:
        return self.bind(pattern.inner, value, frame)

    bind_ParenPattern = bind_RefPattern

    def bind_TuplePattern(self, pattern: Node, value: Any, frame: Frame) -> bool:
        if not isinstance(value, tuple):
            raise Unsupported("the value is no tuple", pattern)
        return self._bind_list(pattern, list(value), frame)

    def bind_SlicePattern(self, pattern: Node, value: Any, frame: Frame) -> bool:
        if not isinstance(value, Vec):
            raise Unsupported("the value is no list", pattern)
        return self._bind_list(pattern, value.elements(), frame)

    def _bind_list(self, pattern: Node, values: list[Any], frame: Frame) -> bool:
        parts = pattern.elements or []
        rest = [i for i, part in enumerate(parts) if part.kind == "RestPattern"]
        if rest:
            behind = len(parts) - rest[0] - 1
            if len(values) < len(parts) - 1:
                return False
            pairs = [*zip(parts[:rest[0]], values),
                     *zip(parts[len(parts) - behind:], values[len(values) - behind:])]
        elif len(parts) != len(values):
            return False
        else:
            pairs = list(zip(parts, values))
        return all(self.bind(part, value, frame) for part, value in pairs)

    def bind_TupleStructPattern(self, pattern: Node, value: Any, frame: Frame) -> bool:
        name = pattern.path.names[-1]
        parts = pattern.elements or []
        if isinstance(value, Opt):
            if isinstance(value.known, np.ndarray):
                raise NeedsElements
            return name == "Init" and bool(value.known) and self.bind(parts[0], value.value, frame)
        if isinstance(value, Variant):
            return value.name == name and self._bind_list(pattern, list(value.fields), frame)
        if isinstance(value, Struct):
            return self._bind_list(pattern, list(value.fields.values()), frame)
        raise Unsupported(f"the value is no '{name}'", pattern)

    def bind_PathPattern(self, pattern: Node, value: Any, frame: Frame) -> bool:
        name = pattern.path.names[-1]
        if isinstance(value, Opt):
            if isinstance(value.known, np.ndarray):
                raise NeedsElements
            return name == "Uninit" and not value.known
        if isinstance(value, Variant):
            return value.name == name
        return truth(operators.equal(self, value, self.eval_PathExpr(pattern, frame, None)))

    def bind_StructPattern(self, pattern: Node, value: Any, frame: Frame) -> bool:
        if not isinstance(value, Struct):
            raise Unsupported("the value is no struct", pattern)
        return all(self.bind(part.pattern, value.fields[part.name], frame)
                   for part in pattern.patterns or ())

    def bind_OrPattern(self, pattern: Node, value: Any, frame: Frame) -> bool:
        return any(self.bind(part, value, frame) for part in pattern.alternatives or ())
