# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What goes wrong, as exceptions.

Every exception is an `Error`. Its text is what `sequin-run` and `sequin-map` print,
and `exit_code` what they end with (docs/Guides/ExitCodes.md)::

    Error
    +-- CompileError       the program was refused; a Diagnostic for everything said
    |    +-- ModelError      a model was: what of it, and at which node
    +-- InputError         an array or a limit of a run was refused
    +-- VerificationError  the results are not those of the reference interpreter
    +-- SimulationTrap     the program broke a rule of the machine while it ran
    +-- HostError          a call of the wafer's runtime was refused
    |    +-- HostTypeError   because of a type
    +-- WaferFailure       the program on the wafer trapped, hangs, or takes too long
    +-- MappingError       a mapping expression, or a question about it, was refused
    +-- UsageError         arguments that make no sense, whatever the program
         +-- UsageTypeError  because of a type
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

__all__ = [
    "CompileError",
    "Diagnostic",
    "Error",
    "HostError",
    "HostTypeError",
    "InputError",
    "MappingError",
    "ModelError",
    "SimulationTrap",
    "UsageError",
    "UsageTypeError",
    "VerificationError",
    "WaferFailure",
]


@dataclass(frozen=True)
class Diagnostic:
    """One thing that was said about a program.

    `file`, `line` and `column` (from 1) are None if it is about no place in a file.
    """

    severity: str
    """``"error"``, ``"warning"``, ``"remark"`` or ``"note"``."""
    text: str
    """One sentence, without the place."""
    file: str | None = None
    line: int | None = None
    column: int | None = None
    notes: tuple[Diagnostic, ...] = ()
    """What was added about other places."""

    @classmethod
    def _from_native(cls, fields: tuple[Any, ...]) -> Diagnostic:
        severity, text, file, line, column, notes = fields
        return cls(severity, text, file, line, column, tuple(map(cls._from_native, notes)))

    def __str__(self) -> str:
        """``file:line:column: error: text``, notes on lines of their own."""
        place = "" if self.file is None else f"{self.file}:{self.line}:{self.column}: "
        lines = [f"{place}{self.severity}: {self.text}", *map(str, self.notes)]
        return "\n".join(lines)


class Error(Exception):
    """Something of the user's was refused; the text is what the tools print."""

    exit_code: ClassVar[int] = 1
    """What the command-line tools end with in this case."""

    diagnostics: tuple[Diagnostic, ...]
    """What was said, in order."""

    def __init__(self, printed: str, diagnostics: Iterable[tuple[Any, ...]] = ()) -> None:
        self.diagnostics = tuple(map(Diagnostic._from_native, diagnostics))
        super().__init__(printed.rstrip("\n"))

    def _repr_html_(self) -> str:
        from . import _notebook

        return _notebook.error_html(self)

    @property
    def _first(self) -> Diagnostic | None:
        errors = [d for d in self.diagnostics if d.severity == "error"]
        return next(iter(errors), next(iter(self.diagnostics), None))

    @property
    def text(self) -> str:
        """The sentence of the first error, without its place."""
        if self._first is not None:
            return self._first.text
        return str(self).removeprefix("error: ")


class CompileError(Error):
    """A program was refused: it does not parse, breaks a rule, or cannot be lowered.

    `file`, `line`, `column`, `text` and `notes` are those of the first error;
    `diagnostics` has all of them.
    """

    @property
    def file(self) -> str | None:
        """The file of the first error; None if it is about no place."""
        return self._first.file if self._first else None

    @property
    def line(self) -> int | None:
        """Its line, from 1."""
        return self._first.line if self._first else None

    @property
    def column(self) -> int | None:
        """Its column, from 1."""
        return self._first.column if self._first else None

    @property
    def notes(self) -> tuple[Diagnostic, ...]:
        """Its notes."""
        return self._first.notes if self._first else ()


def printable(text: str) -> str:
    """On one line, and without what a terminal acts upon: names of a model are its author's."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


class ModelError(CompileError):
    """A model was refused: its file is damaged, or something in it is not supported."""

    def __init__(
        self, printed: str, node: str = "", operator: str = "", remedy: str = "", value: str = ""
    ) -> None:
        super().__init__("error: " + printable(printed.removeprefix("error: ")))
        self.node: str = node
        """The name of the node it is about; empty if it is about none."""
        self.operator: str = operator
        """Its operator, e.g. ``"Conv"``."""
        self.remedy: str = remedy
        """What would make it work; empty if nothing is known to."""
        self.value: str = value
        """The name of the value that must be known at import, if that is what is wrong."""

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.node, self.operator, self.remedy, self.value)


class InputError(Error, ValueError):
    """An array or a limit of a run was refused: shape, element type, range."""


class VerificationError(Error):
    """The results differ from those of the reference interpreter."""


class MappingError(Error, ValueError):
    """A mapping expression, or a question about it, was refused."""


class UsageError(Error, ValueError):
    """Arguments that contradict each other or make no sense, whatever the program is."""

    exit_code = 2

    def __init__(self, printed: str) -> None:
        super().__init__("error: " + printed.removeprefix("error: "))


class UsageTypeError(UsageError, TypeError):
    """An argument is of a type that the call does not take."""


class SimulationTrap(Error):
    """The program broke a rule of the machine while it ran."""

    exit_code = 3

    def __init__(self, report: str, command: str, stage: str, what: str) -> None:
        super().__init__(report)
        self.command: str = command
        """Name of the command that trapped; empty if it is the whole program."""
        self.stage: str = stage
        """The stage of the machine, e.g. ``"fetch"``."""
        self.what: str = what
        """What it did and what is allowed."""

    @property
    def report(self) -> str:
        """What `sequin-run` prints."""
        return str(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.report, self.command, self.stage, self.what)


class HostError(Error, RuntimeError, ValueError):
    """A call of the wafer's runtime was refused: an unknown name, a wrong size, PEs that
    are not there, calls in the wrong order."""


class HostTypeError(HostError, TypeError):
    """An array or an argument is of a type that the call does not take."""


class WaferFailure(Error, RuntimeError):
    """The program on the wafer trapped, hangs, or goes on beyond the limit of cycles."""

    exit_code = 3

    def __init__(self, report: str, kind: str) -> None:
        super().__init__(report)
        self.kind: str = kind
        """``"trap"``, ``"hang"``, ``"step limit"`` or ``"race"``."""

    @property
    def report(self) -> str:
        """What the simulator says, with places in the source."""
        return str(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.report, self.kind)
