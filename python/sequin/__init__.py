# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sequin from Python: from an einsum or a linalg program to a cycle count.

    >>> import numpy as np, sequin
    >>> a, b = np.eye(64, dtype='f4'), np.ones((64, 32), 'f4')
    >>> c, report = sequin.einsum('mk,kn->mn', a, b, dtype='bf16', return_report=True)
    >>> print(report.summary())

docs/Guides/Python.md is the guide.
"""

from __future__ import annotations

import importlib
import json
from typing import TYPE_CHECKING, Any

from . import _core
from ._boundary import refuses
from .errors import (
    CompileError,
    Diagnostic,
    Error,
    InputError,
    MappingError,
    ModelError,
    SimulationTrap,
    UsageError,
    UsageTypeError,
    VerificationError,
)
from .mapping import Comparison, Derivation, Loop, Mapping
from .page import Page
from .program import (
    Argument,
    Program,
    ProgressLine,
    RunResult,
    compile,
    compile_einsum,
    einsum,
    import_visa,
)
from .report import Command, Report, Simulation, Timeline
from .sweep import sweep

if TYPE_CHECKING:
    from .onnx import CompiledModel, Model, ModelResult, import_onnx

__all__ = [
    "Argument",
    "Command",
    "Comparison",
    "CompileError",
    "Derivation",
    "Diagnostic",
    "Error",
    "InputError",
    "Loop",
    "Mapping",
    "MappingError",
    "Model",
    "ModelError",
    "ModelResult",
    "Page",
    "Program",
    "ProgressLine",
    "Report",
    "RunResult",
    "Simulation",
    "SimulationTrap",
    "Timeline",
    "UsageError",
    "UsageTypeError",
    "VerificationError",
    "compile",
    "compile_einsum",
    "einsum",
    "import_onnx",
    "import_visa",
    "machine",
    "machines",
    "sweep",
]

__version__ = _core.version


def __getattr__(name: str) -> Any:
    """What is about models, loaded when it is asked for."""
    if name in ("onnx", "torch"):
        return importlib.import_module(f".{name}", __name__)
    if name in ("CompiledModel", "Model", "ModelResult", "import_onnx"):
        return getattr(importlib.import_module(".onnx", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@refuses
def machine(name: str) -> dict[str, Any]:
    """The table of a machine, as `sequin-translate --dump-machine` prints it."""
    table: dict[str, Any] = json.loads(_core.machine(name))
    return table


def machines() -> tuple[str, ...]:
    """The names of all machines."""
    return tuple(name for group in _core.machine_names() for name in group.split(", "))
