# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How a script ends that uses the runtime.

One that does not stop a runtime has failed: what it asked for may not have happened. One
that ends with a WaferFailure has that failure's exit code, as sequin-run has.
"""

from __future__ import annotations

import atexit
import os
import sys
import types

from sequin.errors import WaferFailure

__all__ = ["expect_stop", "stopped"]

_running: dict[int, str] = {}
_crashed = False
_status: int | None = None


def expect_stop(runtime: object, name: str) -> None:
    """From now on the script has to stop `runtime`."""
    _running[id(runtime)] = name


def stopped(runtime: object) -> None:
    """It has, or cannot any more."""
    _running.pop(id(runtime), None)


def _at_exit() -> None:
    status = _status
    if not _crashed:
        for name in _running.values():
            print(
                f"error: {name}: the script ended without stop(); "
                "commands may not have been carried out",
                file=sys.stderr,
            )
            status = 1
    if status is not None:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _on_exception(
    kind: type[BaseException], value: BaseException, trace: types.TracebackType | None
) -> None:
    global _crashed, _status
    _previous_hook(kind, value, trace)
    _crashed = True
    if isinstance(value, WaferFailure):
        _status = value.exit_code


_previous_hook = sys.excepthook
sys.excepthook = _on_exception
# Exit functions run in reverse order, so this is one of the last.
atexit.register(_at_exit)
