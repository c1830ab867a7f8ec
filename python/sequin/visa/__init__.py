# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of the Virtual ISA manual with host tensors, as their own tests use them.

    >>> from sequin import visa
    >>> kernels = visa.load('examples/visa/hello.rs')
    >>> N = kernels.axis('N')
    >>> x = visa.HostTensor.of('i32', N, range(2048))
    >>> context = visa.Context()
    >>> y = kernels.launch('scale_and_shift', context, x.to_hbm(context)).to_host(N)
    >>> y.values, context.cycles

docs/Guides/KernelsInRust.md is the guide. `sequin-visa-test` runs tests in Rust.
"""

from __future__ import annotations

import os
from typing import Any

from ..errors import UsageError
from .evaluate import Evaluator
from .layout import Axis, Mapping, m
from .runner import Outcome, Tests
from .tensors import Context, HbmTensor, HostTensor, Kernel, Launch
from .tree import read
from .values import Unsupported

__all__ = ["Axis", "Context", "HbmTensor", "HostTensor", "Kernel", "Kernels", "Launch", "Mapping",
           "Outcome", "Tests", "load", "m"]


class Kernels:
    """The kernels of a crate and its axes, by name."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._source = read(path)
        self._evaluator = Evaluator(self._source)

    @property
    def names(self) -> list[str]:
        """The kernels, by their paths below the crate's root."""
        return list(self._find("FnItem", lambda item: item.attribute("device") is not None))

    def _find(self, kind: str, test: Any) -> dict[str, Any]:
        found = {}
        for module, item in self._source.items(kind):
            if test(item):
                found["::".join([*module.path.split("::")[1:], item.name])] = item
        return found

    def _pick(self, what: str, name: str, found: dict[str, Any]) -> Any:
        """By its path, or by its name if only one has it."""
        near = [path for path in found if path == name] or [
            path for path in found if path.split("::")[-1] == name]
        if len(near) != 1:
            known = ", ".join(found) or "none"
            if near:
                raise UsageError(f"several are called '{name}': {', '.join(near)}")
            raise UsageError(f"there is no {what} '{name}', known are {known}")
        return found[near[0]]

    def kernel(self, name: str) -> Kernel:
        """A kernel by its path, or by its name alone."""
        found = self._find("FnItem", lambda item: item.attribute("device") is not None)
        node = self._pick("kernel", name, found)
        try:
            return self._evaluator.kernel(node)
        except Unsupported as problem:
            raise UsageError(f"kernel '{name}': {problem.message}") from problem

    def axis(self, name: str) -> Axis:
        """An axis by its path (``"gemv::K"``), or by its name alone."""
        found = {}
        for module, item in self._source.items("AxesItem"):
            for axis in item.axes or ():
                found["::".join([*module.path.split("::")[1:], axis.name])] = axis
        return self._evaluator.axis(self._pick("axis", name, found))

    def launch(self, name: str, context: Context,
               *arguments: HbmTensor | int | float | bool) -> Any:
        """Compiles and runs a kernel on tensors and numbers, each in order; gives the
        tensors that it returns. Those that it writes through `&mut` have what was
        written. Raises CompileError, and what `sequin.Program.run` does."""
        tensors = [a for a in arguments if isinstance(a, HbmTensor)]
        numbers = [a for a in arguments if not isinstance(a, HbmTensor)]
        return context.launch(self.kernel(name), tensors, numbers)


def load(path: str | os.PathLike[str]) -> Kernels:
    """Reads a crate of kernels by the file of its root. Raises CompileError."""
    return Kernels(path)
