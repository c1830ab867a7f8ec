# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Test functions of kernels: which there are, and what becomes of each."""

from __future__ import annotations

import os
import sys
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from ..errors import Error
from .evaluate import Evaluator
from .host import Refused
from .tensors import Context
from .tree import Node, Source, read
from .values import NeedsElements, Panic, Unsupported

__all__ = ["Outcome", "Test", "Tests", "libraries_of"]

#: What makes a function a test.
ATTRIBUTES = ("test", "tokio::test")
#: Python's frames, of which an expression of Rust takes two or three.
FRAMES = 8000


@dataclass(frozen=True)
class Outcome:
    """What became of a test."""

    name: str
    status: Literal["ok", "failed", "ignored"]
    message: str = ""
    """Why it failed or is ignored; of one that is ok: what refused its kernel."""
    place: str = ""
    """file:line:column of the message."""
    cycles: int = 0
    """Of all kernels that it ran."""
    kernels: tuple[str, ...] = ()


@dataclass(frozen=True)
class Test:
    """A test function."""

    name: str
    """Its path below the crate's root."""
    node: Node
    expected: str | None
    """What a panic has to say; None: no panic is expected."""
    ignored: str | None
    """Why it is ignored; None: it is not."""


@dataclass
class Tests:
    """The tests of a file and what they need."""

    source: Source
    tests: list[Test] = field(default_factory=list)

    @staticmethod
    def read(path: str | os.PathLike[str], libraries: dict[str, str] | None = None) -> Tests:
        """Reads a file of tests. Crates that it names are `libraries`, and the one that it
        is a part of by Cargo's layout. Raises CompileError."""
        known = {**libraries_of(path), **(libraries or {})}
        made = Tests(read(path, None, known))
        for module, item in made.source.items("FnItem"):
            if any(map(_is_left_out, (*module.attributes, *(item.attributes or ())))):
                continue
            if any(item.attribute(name) for name in ATTRIBUTES):
                below = module.path.split("::")[1:]
                made.tests.append(Test("::".join([*below, item.name]), item, _expected(item),
                                       _ignored(item)))
        return made

    def named(self, filters: Sequence[str] = ()) -> list[Test]:
        """Those whose name has one of the texts in it."""
        return [t for t in self.tests if not filters or any(f in t.name for f in filters)]

    def run(self, filters: Sequence[str] = (), *, with_ignored: bool = False,
            make_context: Callable[[], Context] = Context,
            output: Callable[[str], None] = print) -> Iterator[Outcome]:
        """Runs tests one after the other. What one prints goes to `output`."""
        evaluator = _Runner(self.source, output)
        for test in self.named(filters):
            if test.ignored is not None and not with_ignored:
                yield Outcome(test.name, "ignored", test.ignored)
            else:
                yield evaluator.run(test, make_context())


class _Runner(Evaluator):
    """Evaluates tests, and judges how they end."""

    context: Context

    def __init__(self, source: Source, output: Callable[[str], None]) -> None:
        super().__init__(source)
        self._output = output

    def output(self, text: str) -> None:
        self._output(text)

    def run(self, test: Test, context: Context) -> Outcome:
        self.context, self.steps, self.lane_depth = context, 0, 0
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(max(limit, FRAMES))
        try:
            self.call_function(test.node, [])
        except Panic as panic:
            return self._ended(test, panic)
        except Unsupported as problem:
            return self._outcome(test, "failed", problem.message, problem.node)
        except NeedsElements:
            return self._outcome(test, "failed", "this test is not evaluated: something in it "
                                 "depends on single elements of a tensor", test.node)
        except RecursionError:
            return self._outcome(test, "failed", "the test calls functions too deep", test.node)
        except Error as error:
            return self._outcome(test, "failed", str(error).removeprefix("error: "), test.node)
        finally:
            sys.setrecursionlimit(limit)
        if test.expected is not None:
            return self._outcome(test, "failed", "the test did not panic, but should", test.node)
        return self._outcome(test, "ok")

    def _ended(self, test: Test, panic: Panic) -> Outcome:
        if test.expected is None:
            return self._outcome(test, "failed", panic.message, panic.node)
        if isinstance(panic, Refused):
            # Other compilers have other words for what they refuse.
            return self._outcome(test, "ok", panic.message.splitlines()[0], panic.node)
        if test.expected in panic.message:
            return self._outcome(test, "ok")
        return self._outcome(test, "failed", f"panicked with '{panic.message}', expected was "
                             f"'{test.expected}'", panic.node)

    def _outcome(self, test: Test, status: Literal["ok", "failed", "ignored"], message: str = "",
                 node: Node | None = None) -> Outcome:
        place = self.source.place_of(node) if node is not None else ""
        kernels = tuple(launch.name for launch in self.context.launches)
        return Outcome(test.name, status, message, place, self.context.cycles, kernels)


def _is_left_out(attribute: Node) -> bool:
    """Whether it says that what it stands at is for the device's backend alone."""
    if attribute.path is None or attribute.path.names != ["cfg"]:
        return False
    return any(arg.path is not None and arg.path.names == ["backend"]
               and _text(arg.value) == "npu" for arg in attribute.args or ())


def _text(node: Node | None) -> str:
    return (node.bytes or "") if node is not None and node.kind == "StringLiteral" else ""


def _expected(item: Node) -> str | None:
    attribute = item.attribute("should_panic")
    if attribute is None:
        return None
    for arg in attribute.args or ():
        if arg.path is not None and arg.path.names == ["expected"]:
            return _text(arg.value)
    return _text(attribute.value)


def _ignored(item: Node) -> str | None:
    attribute = item.attribute("ignore")
    return None if attribute is None else _text(attribute.value)


def libraries_of(path: str | os.PathLike[str]) -> dict[str, str]:
    """The crate that a file of tests belongs to, by Cargo's layout: src/lib.rs beside the
    nearest Cargo.toml."""
    folder: Any = Path(path).absolute().parent
    for above in (folder, *folder.parents):
        manifest, root = above / "Cargo.toml", above / "src" / "lib.rs"
        if manifest.is_file():
            try:
                package = tomllib.loads(manifest.read_text(encoding="utf-8")).get("package", {})
            except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError):
                return {}
            name = package.get("name") if isinstance(package, dict) else None
            if isinstance(name, str) and root.is_file() and root != Path(path).absolute():
                return {name.replace("-", "_"): str(root)}
            return {}
    return {}
