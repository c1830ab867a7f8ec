# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The macros of Rust's library in tests, and how values are printed."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import numpy as np

from . import operators
from .numbers import Number
from .tree import Node, Source
from .values import Frame, NeedsElements, Opt, Panic, Struct, Unsupported, Variant, Vec, truth

__all__ = ["Macros", "debug"]

#: What stands in braces: a name or number, and how it is to be printed.
HOLE = re.compile(r"\{\{|\}\}|\{([a-zA-Z_0-9]*)(?::([^{}]*))?\}")


def debug(value: Any) -> str:
    """As `{:?}` prints it; long lists are cut."""
    if isinstance(value, Number):
        if value.is_array:
            raise NeedsElements
        if not value.is_float:
            return str(value.data)
        text = repr(float(value.data)) if value.type in (None, "f64") else str(np.float32(value.data))
        return {"nan": "NaN", "inf": "inf", "-inf": "-inf"}.get(text, text)
    if isinstance(value, Opt):
        if isinstance(value.known, np.ndarray):
            raise NeedsElements
        return f"Init({debug(value.value)})" if value.known else "Uninit"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, Vec):
        shown = [debug(value.at(i)) for i in range(min(len(value), 8))]
        more = f", ... {len(value) - 8} more" if len(value) > 8 else ""
        return f"[{', '.join(shown)}{more}]"
    if isinstance(value, tuple):
        return f"({', '.join(map(debug, value))})"
    if isinstance(value, Struct):
        inner = [debug(v) if k.isdigit() else f"{k}: {debug(v)}" for k, v in value.fields.items()]
        return f"{value.node.name}({', '.join(inner)})"
    if isinstance(value, Variant):
        inner = ", ".join(map(debug, value.fields))
        return f"{value.name}({inner})" if inner else value.name
    return f"<{type(value).__name__}>"


def display(value: Any) -> str:
    return value if isinstance(value, str) else debug(value)


class Macros:
    """Evaluates macros."""

    source: Source
    lane_depth: int

    def evaluate(self, node: Node, frame: Frame, want: Any = None) -> Any:
        raise NotImplementedError

    def eval_MacroExpr(self, node: Node, frame: Frame, want: Any) -> Any:
        if node.expansion is not None:
            return self.evaluate(node.expansion, frame, want)
        name = node.path.names[-1]
        made = getattr(self, "macro_" + name, None)
        if made is None or node.form == "tokens" and node.tokens:
            raise Unsupported(f"macro '{name}!' is not evaluated in tests", node)
        return made(node, frame, want)

    def macro_vec(self, node: Node, frame: Frame, want: Any) -> Any:
        args = node.args or []
        if node.form == "repeat":
            return self.repeat(self.evaluate(args[0], frame),  # type: ignore[attr-defined]
                               self.count(args[1], frame), node)  # type: ignore[attr-defined]
        return Vec.of([self.evaluate(arg, frame) for arg in args])

    # ===--- Assertions ---------------------------------------------------=== #

    def _said(self, args: list[Node], frame: Frame) -> str:
        return ": " + self.formatted(args, frame) if args else ""

    def macro_assert(self, node: Node, frame: Frame, want: Any) -> Any:
        args = node.args or []
        if not truth(self.evaluate(args[0], frame)):
            text = re.sub(r"\s+", " ", node.source or "").split("!", 1)[-1].strip("(); ")
            raise Panic(self.formatted(args[1:], frame) if len(args) > 1
                        else f"assertion failed: {text}", node)
        return ()

    def _compare(self, node: Node, frame: Frame, wanted: bool) -> Any:
        args = node.args or []
        left = self.evaluate(args[0], frame)
        right = self.evaluate(args[1], frame)
        if truth(operators.equal(self, left, right)) != wanted:  # type: ignore[arg-type]
            sign = "==" if wanted else "!="
            raise Panic(f"assertion `left {sign} right` failed{self._said(args[2:], frame)}"
                        f"{self._difference(left, right)}", node)
        return ()

    def _difference(self, left: Any, right: Any) -> str:
        if isinstance(left, Vec) and isinstance(right, Vec):
            if len(left) != len(right):
                return f"; left has {len(left)} elements, right has {len(right)}"
            places = operators.differences(self, left, right, 1 << 40)  # type: ignore[arg-type]
            if places:
                at = places[0]
                return (f"; {len(places)} of {len(left)} elements differ, the first at {at}: left "
                        f"{debug(left.at(at))}, right {debug(right.at(at))}")
        return f"; left {debug(left)}, right {debug(right)}"

    def macro_assert_eq(self, node: Node, frame: Frame, want: Any) -> Any:
        return self._compare(node, frame, True)

    def macro_assert_ne(self, node: Node, frame: Frame, want: Any) -> Any:
        return self._compare(node, frame, False)

    macro_debug_assert = macro_assert
    macro_debug_assert_eq = macro_assert_eq
    macro_debug_assert_ne = macro_assert_ne

    def macro_panic(self, node: Node, frame: Frame, want: Any) -> Any:
        if self.lane_depth:
            raise NeedsElements
        name = node.path.names[-1]
        default = {"todo": "not yet implemented", "unimplemented": "not implemented",
                   "unreachable": "internal error: entered unreachable code"}.get(name, "")
        text = self.formatted(node.args or [], frame)
        raise Panic(": ".join(filter(None, (default, text))) or "explicit panic", node)

    macro_todo = macro_unimplemented = macro_unreachable = macro_panic

    # ===--- Text ---------------------------------------------------------=== #

    def formatted(self, args: list[Node], frame: Frame) -> str:
        """As `format!` makes it."""
        if not args:
            return ""
        form = self.evaluate(args[0], frame)
        if not isinstance(form, str):
            raise Unsupported("a format is a string", args[0])
        named = {a.target.path.names[-1]: a.value for a in args[1:] if a.kind == "AssignExpr"}
        values = [self.evaluate(a, frame) for a in args[1:] if a.kind != "AssignExpr"]
        used = 0

        def fill(match: re.Match[str]) -> str:
            nonlocal used
            if match.group(0) in ("{{", "}}"):
                return match.group(0)[0]
            name, spec = match.group(1), match.group(2) or ""
            if not name:
                value, used = (values[used] if used < len(values) else ""), used + 1
            elif name.isdigit():
                value = values[int(name)] if int(name) < len(values) else ""
            elif name in named:
                value = self.evaluate(named[name], frame)
            else:
                try:
                    value = frame.by_name(name)
                except KeyError:
                    raise Unsupported(f"'{name}' in a format has no value", args[0]) from None
            return _print(value, spec)

        return HOLE.sub(fill, form)

    def macro_format(self, node: Node, frame: Frame, want: Any) -> Any:
        return self.formatted(node.args or [], frame)

    def macro_println(self, node: Node, frame: Frame, want: Any) -> Any:
        if self.lane_depth:
            raise NeedsElements
        self.output(self.formatted(node.args or [], frame))
        return ()

    macro_print = macro_eprintln = macro_eprint = macro_dbg = macro_println

    def output(self, text: str) -> None:
        """What a test prints."""

    def macro_matches(self, node: Node, frame: Frame, want: Any) -> Any:
        raise Unsupported("'matches!' is not evaluated in tests", node)

    # ===--- Files --------------------------------------------------------=== #

    def _file(self, node: Node, frame: Frame) -> bytes:
        name = self.evaluate((node.args or [])[0], frame)
        here = Path(self.source.files[node.place[0] - 1]).parent
        try:
            return (here / os.fspath(name)).read_bytes()
        except OSError as error:
            raise Unsupported(f"'{name}': {error.strerror}", node) from error

    def macro_include_bytes(self, node: Node, frame: Frame, want: Any) -> Any:
        return self._file(node, frame)

    def macro_include_str(self, node: Node, frame: Frame, want: Any) -> Any:
        return self._file(node, frame).decode("utf-8", "replace")


def _print(value: Any, spec: str) -> str:
    if spec.endswith("?"):
        return debug(value)
    if isinstance(value, Number) and not value.is_array:
        try:
            if value.is_float:
                return format(float(value.data), spec.replace("#", ""))
            return format(value.data, spec)
        except ValueError:
            return display(value)
    return display(value)
