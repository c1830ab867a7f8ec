# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether a machine's lowering takes a node: its linalg alone, once for each that differs.

A lowering stops at the first operation that it refuses. Each node of a model as a module of
its own shows all of them, with the node that each is for.
"""

from __future__ import annotations

import dataclasses
import os
import re
import shutil
from pathlib import Path

from .. import _core, program
from .._boundary import ScratchFolder, run_program
from ..errors import CompileError, InputError
from .builder import Builder, Tensor
from .node import OPERATORS, Node

__all__ = ["DEFAULT_GRID", "Lowering", "find_program", "is_wafer"]

#: PEs along x and y of a wafer, for what is only checked.
DEFAULT_GRID = "4,4"


def is_wafer(target: str) -> bool:
    return target in _core.machine_names()[1].split(", ")


def find_program(name: str) -> str:
    """A program beside the package, in a build and where it is installed, or on PATH."""
    package = Path(__file__).resolve().parents[1]
    places = [str(package.parents[depth] / "bin") for depth in (1, 3)]
    found = shutil.which(name, path=os.pathsep.join([*places, os.environ.get("PATH", "")]))
    if found is None:
        raise InputError(f"error: the program {name}, which a wafer needs, is not found")
    return found


class Lowering:
    """Asks one machine."""

    def __init__(self, target: str, grid: str = "") -> None:
        self.target = target
        self.grid = grid or DEFAULT_GRID
        self._known: dict[str, str] = {}

    def refusal(self, node: Node) -> str:
        """Why the machine's lowering refuses the node; empty if it takes it."""
        text = _alone(node)
        if text is None:
            return ""
        if text not in self._known:
            ask = self._ask_wafer if is_wafer(self.target) else self._ask
            self._known[text] = ask(text)
        reason = self._known[text]
        return f"is refused for {self.target}: {reason}" if reason else ""

    def _ask(self, text: str) -> str:
        try:
            program.compile(text, target=self.target, allow_bf16=True)
        except CompileError as error:
            return error.text
        return ""

    def _ask_wafer(self, text: str) -> str:
        with ScratchFolder() as folder:
            (folder / "node.mlir").write_text(text, encoding="utf-8")
            pipeline = f"--linalg-to-csl=target={self.target} grid={self.grid}"
            code, said = run_program([find_program("sequin-opt"), pipeline,
                                      str(folder / "node.mlir"), "-o", os.devnull])
        if code == 0:
            return ""
        found = re.search(r"error: (.*)", said)
        return re.sub(r'^loc\("[^"]*"\): ', "", found[1]) if found else (
            f"sequin-opt ends with {code}")


def _alone(node: Node) -> str | None:
    """The node as a module: what is known stays known, everything else is an argument. None
    if it has no operations."""
    b = Builder(location=node.op)
    again: dict[int, Tensor] = {}
    for i, tensor in enumerate(node.inputs):
        if tensor is None or id(tensor) in again:
            continue
        if tensor.data is not None:
            made = Tensor(tensor.kind, tensor.shape, data=tensor.data, name=f"w{i}",
                          weight=tensor.weight)
        else:
            made = b.input(f"x{i}", tensor.kind, tensor.shape)
        made.range = tensor.range
        again[id(tensor)] = made
    copy = dataclasses.replace(
        node, inputs=[None if t is None else again[id(t)] for t in node.inputs], b=b)
    outputs = OPERATORS[node.op](copy)
    results = [t for t in ([outputs] if isinstance(outputs, Tensor) else outputs)
               if t is not None and t.data is None]
    return b.text(results) if b.lines and results else None
