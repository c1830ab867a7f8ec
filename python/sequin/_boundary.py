# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the package meets its callers, the file system and signals.

What is refused is a `sequin.Error`, whatever Python or the file system made of it. Files
are written by the writer that the programs have: whole or not at all.
"""

from __future__ import annotations

import functools
import os
import signal
import struct
import subprocess
import tempfile
import threading
import types
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from . import _wafer
from .errors import Error, HostError, HostTypeError, UsageError, UsageTypeError

__all__ = [
    "Place", "ScratchFolder", "host_call", "host_class", "path_of", "refusals", "refuses",
    "refusing_class", "run_program", "write_file",
]

Place = str | os.PathLike[str]
Public = TypeVar("Public", bound=Callable[..., Any])
Class = TypeVar("Class", bound=type)


def _refusal(call: str, error: Exception, host: bool) -> Error:
    text = f"{call}: {str(error).splitlines()[0] if str(error) else type(error).__name__}"
    if isinstance(error, (TypeError, AttributeError)):
        return HostTypeError(text) if host else UsageTypeError(text)
    return HostError(text) if host else UsageError(text)


@contextmanager
def refusals(call: str, host: bool = True) -> Iterator[None]:
    """What goes wrong with arguments and files within is an Error."""
    try:
        yield
    except Error:
        raise
    except (TypeError, AttributeError, ValueError, ArithmeticError, LookupError, OSError,
            EOFError, RecursionError, struct.error) as error:
        raise _refusal(call, error, host) from error


def refuses(function: Public, what: str = "", host: bool = False) -> Public:
    """The same for a whole function."""

    @functools.wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        with refusals(what or function.__name__, host):
            return function(*arguments, **named)

    return call  # type: ignore[return-value]


def refusing_class(kind: Class, host: bool = False) -> Class:
    """The same for all public methods of a class."""
    for name, member in list(vars(kind).items()):
        if isinstance(member, types.FunctionType) and (name == "__init__" or name[0] != "_"):
            what = kind.__name__ if name == "__init__" else name
            setattr(kind, name, refuses(member, what, host))
    return kind


def host_call(function: Public) -> Public:
    """The same of a function whose errors are HostErrors."""
    return refuses(function, host=True)


def host_class(kind: Class) -> Class:
    """The same of one whose errors are HostErrors."""
    return refusing_class(kind, host=True)


# ===--- Files ------------------------------------------------------------=== #


def path_of(what: str, place: Place) -> bytes:
    """A path as the native half takes it: in the bytes of the file system."""
    with refusals(what):
        path = os.fsencode(place)
    if b"\0" in path:
        raise HostError(f"{what}: the name {os.fsdecode(path)!r} holds a zero byte")
    return path


def write_file(place: Place, data: bytes | str, fresh: bool = False) -> None:
    """Writes a file whole or not at all; text in UTF-8. OSError says what went wrong.
    `fresh`: whatever is at its name, a link of somebody else's say, is replaced."""
    contents = data.encode("utf-8", "replace") if isinstance(data, str) else data
    problem = _wafer.write_file(os.fsencode(place), contents, fresh)
    if problem:
        raise OSError(problem)


class ScratchFolder:
    """A folder of its own that ends with a `with` statement or close(), also when SIGTERM
    or SIGHUP come: where these would end the process, they raise SystemExit until then."""

    _open = 0
    _kept: dict[int, Any] = {}

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="sequin-")
        self.path = Path(self._folder.name)
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGTERM, signal.SIGHUP):
                if signal.getsignal(number) is signal.SIG_DFL:
                    self._kept[number] = signal.signal(number, self._leave)
        type(self)._open += 1
        self._closed = False

    @staticmethod
    def _leave(number: int, frame: types.FrameType | None) -> None:
        raise SystemExit(128 + number)

    def close(self) -> None:
        """Removes the folder."""
        if self._closed:
            return
        self._closed = True
        self._folder.cleanup()
        type(self)._open -= 1
        if self._open or threading.current_thread() is not threading.main_thread():
            return
        for number, handler in list(self._kept.items()):
            if signal.getsignal(number) is self._leave:
                signal.signal(number, handler)
            del self._kept[number]

    def __enter__(self) -> Path:
        return self.path

    def __exit__(self, *_: object) -> None:
        self.close()


# ===--- Programs ---------------------------------------------------------=== #

#: Seconds that a program has to end after it was asked to.
PATIENCE = 5


@contextmanager
def _signals_held() -> Iterator[None]:
    """Handlers of signals run at the end of the `with` statement: what they raise while a
    program starts would leave it running without anybody who knows it."""
    arrived: list[int] = []
    handlers: dict[int, Any] = {}
    try:
        if threading.current_thread() is threading.main_thread():
            for number in signal.valid_signals():
                handler = signal.getsignal(number)
                if callable(handler):
                    handlers[number] = handler
                    signal.signal(number, lambda number, frame: arrived.append(number))
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for number in arrived:
            signal.raise_signal(number)


def run_program(
    command: Sequence[str], directory: Place | None = None, path: str = ""
) -> tuple[int, str]:
    """The exit code of a program and what it wrote, without standard input. An exception,
    as of Ctrl-C, ends it and what it started first, so that it can remove what it made."""
    process = None
    try:
        with _signals_held():
            process = subprocess.Popen(
                command,
                cwd=directory,
                env={**os.environ, "PATH": path or os.environ.get("PATH", os.defpath)},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                process_group=0,
            )
        text, _ = process.communicate()
    except BaseException:
        if process is None:
            raise
        for number in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(process.pid, number)
                process.wait(PATIENCE)
                break
            except ProcessLookupError:
                process.wait()
                break
            except subprocess.TimeoutExpired:
                continue
        raise
    return process.returncode, text.decode("utf-8", "replace")
