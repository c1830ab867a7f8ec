# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Evaluates the functions of tests: statements, expressions, patterns, calls.

Overflow wraps, as in tests that are built for release; borrows and moves are not checked,
an `async` function runs when it is called. What a method of Rust's library or of the
manual's crate does is in `library` and `crate`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import Error, UsageError
from . import operators
from .layout import Mapping
from .macros import Macros
from .numbers import FLOATS, INTEGERS, Number, cast, round_to, wrap
from .patterns import Patterns
from .tensors import HbmTensor, HostTensor
from .tree import Node
from .types import TypeReader
from .values import (
    Builtin,
    Closure,
    Frame,
    FunctionRef,
    Named,
    NeedsElements,
    Opt,
    Panic,
    Struct,
    Unsupported,
    Variant,
    Vec,
    is_lanes,
    lanes_of,
    truth,
)

__all__ = ["Evaluator"]


class _Break(Exception):
    def __init__(self, value: Any) -> None:
        self.value = value


class _Continue(Exception):
    pass


class _Return(Exception):
    def __init__(self, value: Any) -> None:
        self.value = value


class Evaluator(Macros, Patterns, TypeReader):
    """Evaluates functions of a Source."""

    #: Expressions that are evaluated at most, for one test.
    MOST_STEPS = 100_000_000

    steps = 0
    lane_depth = 0

    # ===--- Functions ----------------------------------------------------=== #

    def call_function(self, function: Node, args: list[Any], types: tuple[Any, ...] = (),
                      self_type: Any = None) -> Any:
        if function.body is None:
            raise Unsupported(f"'{function.name}' has no body", function)
        frame = self.bind_generics(function, types)
        frame.self_type = self_type
        rest = list(args)
        for param in function.params or ():
            if not rest:
                raise Unsupported(f"'{function.name}' is called with too few arguments", function)
            value = rest.pop(0)
            if param.self:
                frame.receiver = value
                continue
            wanted = self.type(param.type, frame) if param.type is not None else None
            self.bind(param.pattern, self.coerce(value, wanted), frame)
        wanted = self.type(function.result, frame) if function.result is not None else None
        try:
            made = self.evaluate(function.body, frame, wanted)
        except _Return as returned:
            made = returned.value
        return self.coerce(made, wanted)

    def call_closure(self, closure: Closure, args: list[Any], want: Any = None) -> Any:
        frame = Frame(closure.frame)
        for param, value in zip(closure.node.params or (), args):
            wanted = self.type(param.type, frame) if param.type is not None else None
            self.bind(param.pattern, self.coerce(value, wanted), frame)
        if closure.node.result is not None:
            want = self.type(closure.node.result, frame)
        try:
            return self.coerce(self.evaluate(closure.node.body, frame, want), want)
        except _Return as returned:
            return returned.value

    def call(self, callee: Any, args: list[Any], node: Node, want: Any = None) -> Any:
        """Calls whatever can be called."""
        if isinstance(callee, Closure):
            return self.call_closure(callee, args, want)
        if isinstance(callee, FunctionRef):
            if callee.node.kind == "FnItem":
                return self.call_function(callee.node, args, callee.types, callee.self_type)
            members = callee.node.members or ()
            return Struct(callee.node, {str(i): self.coerce(a, self.type(f.type, Frame()))
                                        for i, (f, a) in enumerate(zip(members, args))})
        if isinstance(callee, Variant):
            return Variant(callee.enum, callee.name, tuple(args), callee.node)
        if isinstance(callee, Builtin):
            return operators.call_builtin(self, callee, args, node, want)
        raise Unsupported("this is no function", node)

    def over_lanes(self, callee: Any, args: list[Any], count: int, node: Node) -> Any:
        """Calls once for all lanes; NeedsElements where that cannot be. Lanes inside of lanes
        would be as many as two sequences have elements."""
        if self.lane_depth:
            raise NeedsElements
        self.lane_depth += 1
        try:
            return lanes_of(self.call(callee, args, node), count)
        except Panic:
            # Perhaps of a branch that no element takes.
            raise NeedsElements from None
        finally:
            self.lane_depth -= 1

    # ===--- Expressions --------------------------------------------------=== #

    def evaluate(self, node: Node, frame: Frame, want: Any = None) -> Any:
        self.steps += 1
        if self.steps > self.MOST_STEPS:
            raise Unsupported(f"more than {self.MOST_STEPS:,} expressions are evaluated", node)
        method: Callable[[Node, Frame, Any], Any] | None = getattr(self, "eval_" + node.kind, None)
        if method is None:
            raise Unsupported(f"a {node.kind} is not evaluated in tests", node)
        try:
            return method(node, frame, want)
        except (Panic, Unsupported) as problem:
            if problem.node is None:
                problem.node = node
            raise
        except UsageError as error:
            raise Panic(str(error).removeprefix("error: "), node) from error
        except Error:
            raise
        except (AttributeError, TypeError, KeyError, IndexError, ValueError) as error:
            # What rustc's types would have refused, or what they would have found out.
            raise Unsupported("this is not evaluated in tests: its values are not of the types "
                              f"that are expected ({error})", node) from error

    def eval_IntLiteral(self, node: Node, frame: Frame, want: Any) -> Any:
        if node.suffix in FLOATS:
            return Number(node.suffix, round_to(node.suffix, float(node.value)))
        return self.coerce(Number(node.suffix, node.value or 0), want)

    def eval_FloatLiteral(self, node: Node, frame: Frame, want: Any) -> Any:
        value = np.float64(node.text.replace("_", ""))
        if node.suffix:
            return Number(node.suffix, round_to(node.suffix, value))
        return self.coerce(Number(None, value), want)

    def eval_BoolLiteral(self, node: Node, frame: Frame, want: Any) -> Any:
        return bool(node.value)

    def eval_StringLiteral(self, node: Node, frame: Frame, want: Any) -> Any:
        return node.bytes or ""

    def eval_CharLiteral(self, node: Node, frame: Frame, want: Any) -> Any:
        return node.text[1:-1]

    def eval_ParenExpr(self, node: Node, frame: Frame, want: Any) -> Any:
        return self.evaluate(node.inner, frame, want)

    def eval_TupleExpr(self, node: Node, frame: Frame, want: Any) -> Any:
        wants = want.args if isinstance(want, Named) and want.name == "tuple" else ()
        return tuple(self.evaluate(e, frame, wants[i] if i < len(wants) else None)
                     for i, e in enumerate(node.elements or ()))

    def eval_ArrayExpr(self, node: Node, frame: Frame, want: Any) -> Any:
        inner = want.arg(0) if isinstance(want, Named) else None
        return Vec.of([self.evaluate(e, frame, inner) for e in node.elements or ()])

    def eval_RepeatExpr(self, node: Node, frame: Frame, want: Any) -> Any:
        value = self.evaluate(node.element, frame)
        return self.repeat(value, self.count(node.count, frame), node)

    def count(self, node: Node, frame: Frame) -> int:
        found = self.evaluate(node, frame)
        if not isinstance(found, Number) or not isinstance(found.data, int):
            raise Unsupported("a count is an integer", node)
        return found.data

    def repeat(self, value: Any, count: int, node: Node) -> Vec:
        if not is_lanes(value):
            try:
                return Vec.from_lanes(lanes_of(value, count), count)
            except NeedsElements:
                pass
        if count > 1 << 24:
            raise Unsupported(f"a list of {count} elements", node)
        return Vec.of([value] * count)

    def eval_UnaryExpr(self, node: Node, frame: Frame, want: Any) -> Any:
        value = self.evaluate(node.operand, frame, want)
        if node.op == "*":
            return value
        return operators.unary(node.op, value)

    def eval_RefExpr(self, node: Node, frame: Frame, want: Any) -> Any:
        return self.evaluate(node.operand, frame, want)

    def eval_BinaryExpr(self, node: Node, frame: Frame, want: Any) -> Any:
        op = node.op
        if op in ("&&", "||"):
            left = self.evaluate(node.left, frame)
            if isinstance(left, np.ndarray):
                right = self.evaluate(node.right, frame)
                return left & right if op == "&&" else left | right
            if bool(left) == (op == "||"):
                return bool(left)
            return self.evaluate(node.right, frame)
        wanted = want if op not in ("==", "!=", "<", ">", "<=", ">=") else None
        left = self.evaluate(node.left, frame, wanted)
        right = self.evaluate(node.right, frame, wanted if op not in ("<<", ">>") else None)
        return self.coerce(operators.binary(self, op, left, right, node), wanted)

    def eval_CastExpr(self, node: Node, frame: Frame, want: Any) -> Any:
        value = self.evaluate(node.operand, frame)
        to = self.type(node.type, frame)
        if to is None:
            return value
        if isinstance(value, (bool, np.ndarray)):
            data = value.astype(np.int64) if isinstance(value, np.ndarray) else int(value)
            value = Number(None, data)
        if isinstance(value, str) and len(value) == 1:
            value = Number(None, ord(value))
        if not isinstance(value, Number) or not self.is_number(to):
            raise Unsupported("only numbers are cast", node)
        return cast(value, to.name)

    def eval_AwaitExpr(self, node: Node, frame: Frame, want: Any) -> Any:
        return self.evaluate(node.operand, frame, want)

    def eval_RangeExpr(self, node: Node, frame: Frame, want: Any) -> Any:
        first = self.evaluate(node.first, frame) if node.first is not None else None
        last = self.evaluate(node.last, frame) if node.last is not None else None
        return operators.range_of(first, last, bool(node.inclusive), node)

    def eval_StructExpr(self, node: Node, frame: Frame, want: Any) -> Any:
        means = node.path.means
        item = means.node if means is not None else None
        if means is not None and means.kind == "self" and isinstance(frame.self_type, Named):
            item = frame.self_type.node
        if item is None or item.kind != "StructItem":
            raise Unsupported("only structs of the program are made by fields", node)
        types = {f.name: f.type for f in item.members or ()}
        fields: dict[str, Any] = {}
        if node.base is not None:
            fields.update(self.evaluate(node.base, frame).fields)
        for init in node.inits or ():
            name = init.name
            wanted = self.type(types[name], Frame()) if name in types else None
            value = (self.evaluate(init.value, frame, wanted) if init.value is not None
                     else frame.by_name(name))
            fields[name] = self.coerce(value, wanted)
        return Struct(item, fields)

    # ===--- Names --------------------------------------------------------=== #

    def eval_PathExpr(self, node: Node, frame: Frame, want: Any) -> Any:
        path = node.path
        means = path.means
        if path.self is None and means is not None:
            if means.kind == "variable":
                holder = frame.holder(means.node.id)
                if holder is None:
                    raise Unsupported(f"'{path.names[-1]}' has no value yet", node)
                return holder.values[means.node.id]
            if means.kind == "self" and not means.rest and path.names == ["self"]:
                here: Frame | None = frame
                while here is not None and here.receiver is None:
                    here = here.parent
                return None if here is None else here.receiver
            if means.kind == "generic parameter" and not means.rest:
                return self._generic(means.node, frame)
            if means.kind == "item" and not means.rest:
                return self._item_value(means.node, path, frame)
            if means.kind == "variant":
                return Variant(means.module, path.names[-1], (), means.node)
        return self._associated(path, frame, node)

    def _item_value(self, item: Node, path: Node, frame: Frame) -> Any:
        if item.kind == "ConstItem":
            return self.evaluate(item.value, Frame(), self.type(item.type, Frame()))
        if item.kind in ("FnItem", "StructItem"):
            args = self.generic_args(path.segments[-1].args, frame)
            if item.kind == "StructItem" and not item.members:
                return Struct(item, {})
            return FunctionRef(item, args)
        raise Unsupported(f"'{'::'.join(path.names)}' is no value", path)

    def _associated(self, path: Node, frame: Frame, node: Node) -> Any:
        """`Type::name`, or a name of Rust's or of the crate's."""
        segments = path.segments or []
        name = segments[-1].name
        own = self.generic_args(segments[-1].args, frame)
        if path.self is not None:
            of = self.type(path.self, frame)
        elif len(segments) == 1:
            of = None
        else:
            of = self._qualifier(path, frame)
        if isinstance(of, Mapping):
            if name == "SIZE":
                return Number("usize", of.size)
            raise Unsupported(f"mappings have SIZE, not '{name}'", node)
        if isinstance(of, Named) and of.node is not None:
            if of.node.kind == "EnumItem":
                return Variant(of.name, name, (), of.node)
            method = self.source.methods.get(of.node.id, {}).get(name)
            if method is None:
                raise Unsupported(f"'{of.name}' has no function '{name}'", node)
            if method.kind == "ConstItem":
                return self.evaluate(method.value, Frame(), self.type(method.type, Frame()))
            return FunctionRef(method, own, of)
        return operators.associated(of, name, own, node)

    def _qualifier(self, path: Node, frame: Frame) -> Any:
        """The type in `a::Type::<T>::name`."""
        segment = path.segments[-2]
        means = path.means
        args = self.generic_args(segment.args, frame)
        if means is not None and means.rest == 1:
            if means.kind == "generic parameter":
                return self._generic(means.node, frame)
            if means.kind == "self":
                return frame.self_type
            if means.kind == "item" and means.node.kind in ("TypeItem", "StructItem", "EnumItem"):
                return self._item_type(means.node, args, path)
            if means.kind == "axis":
                return Mapping("axis", (self.axis(means.node),))
        return Named(segment.name, args)

    # ===--- Members and calls --------------------------------------------=== #

    def eval_FieldExpr(self, node: Node, frame: Frame, want: Any) -> Any:
        base = self.evaluate(node.base, frame)
        if isinstance(base, tuple):
            return base[int(node.name)]
        if isinstance(base, Struct) and node.name in base.fields:
            return base.fields[node.name]
        return operators.field(base, node.name, node)

    def eval_IndexExpr(self, node: Node, frame: Frame, want: Any) -> Any:
        base = self.evaluate(node.base, frame)
        index = self.evaluate(node.index, frame)
        return operators.index(base, index, node)

    def eval_CallExpr(self, node: Node, frame: Frame, want: Any) -> Any:
        callee = self.evaluate(node.callee, frame, want)
        wants = self._parameter_types(callee, frame)
        args = [self.evaluate(a, frame, wants[i] if i < len(wants) else None)
                for i, a in enumerate(node.args or ())]
        return self.call(callee, args, node, want)

    def _parameter_types(self, callee: Any, frame: Frame) -> list[Any]:
        if isinstance(callee, FunctionRef) and callee.node.kind == "FnItem":
            inner = self.bind_generics(callee.node, callee.types)
            inner.self_type = callee.self_type
            return [self.type(p.type, inner) if p.type is not None else None
                    for p in callee.node.params or ()]
        return []

    def eval_MethodCall(self, node: Node, frame: Frame, want: Any) -> Any:
        receiver = self.evaluate(node.receiver, frame)
        types = self.generic_args(node.generics, frame)
        if isinstance(receiver, (Struct, Variant)) and receiver.node is not None:
            method = self.source.methods.get(receiver.node.id, {}).get(node.name)
            if method is not None:
                args = [self.evaluate(a, frame) for a in node.args or ()]
                of = Named(receiver.node.name, (), receiver.node)
                return self.call_function(method, [receiver, *args], types, of)
        return operators.method(self, receiver, node, types, frame, want)

    def eval_ClosureExpr(self, node: Node, frame: Frame, want: Any) -> Any:
        return Closure(node, frame)

    # ===--- Control flow -------------------------------------------------=== #

    def eval_BlockExpr(self, node: Node, frame: Frame, want: Any) -> Any:
        for statement in node.statements or ():
            self.execute(statement, frame)
        return self.evaluate(node.tail, frame, want) if node.tail is not None else ()

    def execute(self, node: Node, frame: Frame) -> None:
        if node.kind == "ExprStmt":
            self.evaluate(node.expr, frame)
        elif node.kind == "LetStmt":
            if node.init is None:
                return
            wanted = self.type(node.type, frame) if node.type is not None else None
            value = self.coerce(self.evaluate(node.init, frame, wanted), wanted)
            if not self.bind(node.pattern, value, frame):
                if node.otherwise is None:
                    raise Unsupported("the pattern does not fit the value", node)
                self.evaluate(node.otherwise, frame)

    def eval_IfExpr(self, node: Node, frame: Frame, want: Any) -> Any:
        condition = self.evaluate(node.condition, frame)
        if isinstance(condition, np.ndarray):
            if node.otherwise is None:
                raise NeedsElements
            try:
                return operators.choose(condition, self.evaluate(node.then, frame, want),
                                        self.evaluate(node.otherwise, frame, want))
            except (_Break, _Continue, _Return):
                raise NeedsElements from None
        if condition:
            return self.evaluate(node.then, frame, want)
        return self.evaluate(node.otherwise, frame, want) if node.otherwise is not None else ()

    def eval_LetExpr(self, node: Node, frame: Frame, want: Any) -> Any:
        return self.bind(node.pattern, self.evaluate(node.value, frame), frame)

    def eval_MatchExpr(self, node: Node, frame: Frame, want: Any) -> Any:
        value = self.evaluate(node.input, frame)
        for arm in node.arms or ():
            if self.bind(arm.pattern, value, frame) and (
                    arm.guard is None or truth(self.evaluate(arm.guard, frame))):
                return self.evaluate(arm.body, frame, want)
        raise Unsupported("no arm fits the value", node)

    def eval_ForExpr(self, node: Node, frame: Frame, want: Any) -> Any:
        for element in operators.iterate(self.evaluate(node.range, frame), node):
            try:
                self.bind(node.pattern, element, frame)
                self.evaluate(node.body, frame)
            except _Continue:
                continue
            except _Break:
                break
        return ()

    def eval_WhileExpr(self, node: Node, frame: Frame, want: Any) -> Any:
        while truth(self.evaluate(node.condition, frame)):
            try:
                self.evaluate(node.body, frame)
            except _Continue:
                continue
            except _Break:
                break
        return ()

    def eval_LoopExpr(self, node: Node, frame: Frame, want: Any) -> Any:
        while True:
            try:
                self.evaluate(node.body, frame)
            except _Continue:
                continue
            except _Break as broken:
                return broken.value

    def eval_BreakExpr(self, node: Node, frame: Frame, want: Any) -> Any:
        raise _Break(self.evaluate(node.value, frame) if node.value is not None else ())

    def eval_ContinueExpr(self, node: Node, frame: Frame, want: Any) -> Any:
        raise _Continue

    def eval_ReturnExpr(self, node: Node, frame: Frame, want: Any) -> Any:
        raise _Return(self.evaluate(node.value, frame) if node.value is not None else ())

    # ===--- Assignments --------------------------------------------------=== #

    def eval_AssignExpr(self, node: Node, frame: Frame, want: Any) -> Any:
        if self.lane_depth:
            raise NeedsElements
        value = self.evaluate(node.value, frame)
        if node.op is not None:
            old = self.evaluate(node.target, frame)
            value = operators.binary(self, node.op, old, value, node)
        self.assign(node.target, value, frame)
        return ()

    def assign(self, target: Node, value: Any, frame: Frame) -> None:
        if target.kind in ("ParenExpr", "UnaryExpr", "RefExpr"):
            return self.assign(target.inner or target.operand, value, frame)
        if target.kind == "PathExpr" and target.path.means is not None \
                and target.path.means.kind == "variable":
            binding = target.path.means.node.id
            (frame.holder(binding) or frame).values[binding] = value
            return None
        if target.kind == "IndexExpr":
            base, at = self.evaluate(target.base, frame), self.evaluate(target.index, frame)
            if not isinstance(base, Vec) or not isinstance(at, Number) \
                    or not isinstance(at.data, int):
                raise Unsupported("only elements of lists are assigned", target)
            if not 0 <= at.data < len(base):
                raise Panic(f"index out of bounds: the len is {len(base)} but the index is "
                            f"{at.data}", target)
            base.elements()[at.data] = value
            return None
        if target.kind == "FieldExpr":
            base = self.evaluate(target.base, frame)
            if isinstance(base, Struct):
                base.fields[target.name] = value
                return None
        raise Unsupported("nothing can be assigned to this", target)

    # ===--- Types of values ----------------------------------------------=== #

    def coerce(self, value: Any, wanted: Any) -> Any:
        """The value with the type that is expected of it, where its own leaves that open."""
        if wanted is None:
            return value
        if isinstance(value, Number) and value.type is None and self.is_number(wanted):
            if wanted.name in INTEGERS:
                return value if value.is_float else Number(wanted.name, wrap(wanted.name,
                                                                             value.data))
            return cast(value, wanted.name) if value.is_float else value
        if not isinstance(wanted, Named):
            return value
        if isinstance(value, Opt) and wanted.name == "Opt" and value.value is not None:
            return Opt(value.known, self.coerce(value.value, wanted.arg(0)), value.computed)
        if isinstance(value, tuple) and wanted.name == "tuple" and len(value) == len(wanted.args):
            return tuple(self.coerce(v, w) for v, w in zip(value, wanted.args))
        if isinstance(value, Vec) and wanted.name == "Vec" and wanted.arg(0) is not None:
            if value.list is not None:
                value.list = [self.coerce(v, wanted.arg(0)) for v in value.list]
            else:
                value.lanes = self.coerce(value.lanes, wanted.arg(0))
        if isinstance(value, HostTensor) and wanted.name in ("Tensor", "HostTensor"):
            if value.mapping is None and isinstance(wanted.arg(1), Mapping):
                value.mapping = wanted.arg(1)
        if isinstance(value, HbmTensor) and wanted.name == "HbmTensor":
            if isinstance(wanted.arg(1), Mapping):
                value.chip = value.chip or wanted.arg(1)
            if isinstance(wanted.arg(2), Mapping):
                value.element = value.element or wanted.arg(2)
        return value
